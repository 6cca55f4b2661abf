#include "netan/cli/program.h"

int main(int argc, char **argv)
{
	enum na_exit code = na_hand_over(argc, argv);

	return (int)(code == NA_EXIT_OK ? na_program(NULL, argc, argv) : code);
}

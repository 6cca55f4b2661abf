#include "commit.h"
#include "netan/cli/program.h"

int main(int argc, char **argv)
{
	const struct na_build build = {.commit = NETAN_COMMIT};
	enum na_exit code = na_hand_over(argc, argv);

	return (int)(code == NA_EXIT_OK ? na_program(NULL, &build, argc, argv)
					: code);
}

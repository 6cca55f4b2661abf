/*
 * pages [COMMAND]: prints the page of a command in docs/commands, or the list
 * of the commands.  tools/docs.sh puts them there.
 */
#include "netan/cli/common.h"

int main(int argc, char **argv)
{
	const struct na_command *c = NULL;

	if (argc > 1)
		c = na_command_find(argv[1]);
	if (argc > 2 || (argc == 2 && !c)) {
		fputs("usage: pages [COMMAND]\n", stderr);
		return 2;
	}
	na_markdown_page(c, stdout);
	return fflush(stdout) ? 1 : 0;
}

/*
 * The options that commands share, and a whole command line: which tables a
 * command reads, and what became of argv.
 */
#ifndef NETAN_CLI_COMMON_H
#define NETAN_CLI_COMMON_H

#include "netan/cli/cli.h"
#include "netan/cli/opt.h"

enum { NA_MAX_GROUPS = 12 };

/* The tables of a command: its own first, then those of its `joins`, then
 * --help.  Returns how many.  The rows are static; values go into cli and its
 * params.  cli NULL: to read about, not to parse. */
size_t na_command_groups(const struct na_command *command, struct na_cli *cli,
			 struct na_opt_group groups[NA_MAX_GROUPS]);

/* By its exact name, or NULL. */
const struct na_command *na_command_find(const char *name);
/* A word of headers and sentences; the last one has none (NULL). */
struct na_term {
	const char *word, *meaning;
};
extern const struct na_term na_terms[];

/* The command whose name is closest, or NULL. */
const char *na_command_closest(const char *name);

/* Does netan-mpi run it? */
bool na_command_many(const struct na_command *c);

/* argv as given to main, with the command in argv[1]; cli keeps pointers into
 * it.  What is in *cli before does not count.  NA_EUSAGE with a message,
 * NA_ENOMEM; na_cli_free() also after a failure. */
enum na_status na_cli_parse(struct na_cli *cli, const struct na_command *c,
			    int argc, char **argv,
			    struct na_err *err) NA_MUST_CHECK;
/* With it go its options, its inputs and its result; all zero afterwards, and
 * a second time does nothing. */
void na_cli_free(struct na_cli *cli);

/* Takes up what the command line names (anonymize.c); nothing without
 * --anonymize. */
enum na_status na_anonymize_start(struct na_cli *cli,
				  struct na_err *err) NA_MUST_CHECK;

/* help.c */
void na_help_short(FILE *out);
void na_help_program(FILE *out);
void na_help_many(FILE *out); /* of netan-mpi */
void na_help_command(const struct na_command *c, FILE *out);
/* On one screen: the ten options that matter, and an example. */
void na_help_brief(const struct na_command *c, FILE *out);
/* man.c: a page in roff; NULL is the page of the program. */
void na_man_page(const struct na_command *c, FILE *out);
void na_man_many(FILE *out); /* of netan-mpi */
/* pages/markdown.c: its page in docs/commands; NULL is the list of commands. */
void na_markdown_page(const struct na_command *c, FILE *out);

#endif

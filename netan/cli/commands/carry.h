/*
 * The command line of a command that runs another one (partial, merge): whose
 * each word is, the other one's line with more options, and whether two such
 * lines ask for the same.
 */
#ifndef NETAN_CLI_COMMANDS_CARRY_H
#define NETAN_CLI_COMMANDS_CARRY_H

#include "netan/cli/cli.h"
#include "netan/engine/partial/nap.h"

struct na_carried {
	const struct na_command *command; /* check, where none is named */
	const char *instead; /* then: the first word that is no option */
	/* Each as main() gets them; words are those of the line. */
	char **own, **words;
	int n_own, n_words;
};

/*
 * The first word that is no option is the command, or, where there is none of
 * this name, the first input of check.  Behind it are the command's own
 * options; in front of it those of c, and behind it those of c that the
 * command does not know, or that name a .nap file.  False: no memory.
 */
bool na_carry_split(struct na_carried *to, const struct na_command *c, int argc,
		    char **argv);
/* Is that option given, by its whole name, to the other command? */
bool na_carried_gives(const struct na_carried *c, const char *option);
void na_carried_free(struct na_carried *c);

/* The n words of a line of c, with the options of `more`, which is parsed, in
 * front of its first input and in place of the same ones: from calloc(), *n
 * long; NULL: no memory. */
char **na_carry_join(const struct na_command *c, char **words, int *n,
		     const struct na_cli *more);

/* Words of a line as a shell wants them, with a blank before each. */
void na_put_line(FILE *out, char *const *words, int n);

/* Do both lines of c ask for the same result?  Where it goes, how many threads
 * and how much is said may differ.  False, too: no memory. */
bool na_same_work(const struct na_command *c, const struct na_nap_head *a,
		  const struct na_nap_head *b);

#endif

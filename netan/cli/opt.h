/*
 * Option tables (netan/base/opt.h) read: parsing with checks, help text.
 * A command line is parsed against groups of tables; each group names the
 * struct that its offsets point into.
 *
 *	-o FILE  -oFILE  --output FILE  --output=FILE   with a value
 *	-q  -qv  --quiet                                flags, can be joined
 *	--                                              the rest are operands
 *
 * An option given again replaces its value (a list grows; a text of which
 * `max` is 1 is refused).  Options and
 * operands may be mixed; operands are handed over in order, so that one can
 * see the options before it.
 */
#ifndef NETAN_CLI_OPT_H
#define NETAN_CLI_OPT_H

#include <stdio.h>

#include "netan/base/err.h"
#include "netan/base/opt.h"

struct na_opt_group {
	const char *title;         /* heading in the help */
	const struct na_opt *opts; /* ends with NA_OPT_END */
	void *params;              /* struct of the offsets */
};

struct na_opt_parser {
	const struct na_opt_group *groups;
	size_t n_groups;
	enum na_status (*operand)(void *ctx, const char *text,
				  struct na_err *err);
	void *ctx;
	/* The one command that has an option which these have not, or NULL;
	 * may be NULL itself. */
	const char *(*elsewhere)(const char *name);
};

/* Fills in every `def` of the tables.  A default that does not parse is our
 * mistake and reported as NA_EUSAGE. */
enum na_status na_opt_defaults(const struct na_opt_group *groups,
			       size_t n_groups,
			       struct na_err *err) NA_MUST_CHECK;

/* argv[0..argc) without the program and command.  NA_EUSAGE with a message
 * that says what was wrong, what is expected, and how to write it. */
enum na_status na_opt_parse(const struct na_opt_parser *p, int argc,
			    char *const *argv,
			    struct na_err *err) NA_MUST_CHECK;

/* Frees the lists of the tables and empties them. */
void na_opt_free(const struct na_opt_group *groups, size_t n_groups);

/* Option rows for people, 80 columns wide. */
void na_opt_help(const struct na_opt_group *groups, size_t n_groups, FILE *out);

void na_opt_help_one(const struct na_opt *o, FILE *out);
/* On a line, where the screen has room. */
void na_opt_help_brief(const struct na_opt *o, FILE *out);

/* The option of that name, or NULL. */
const struct na_opt *na_opt_find(const struct na_opt_group *groups,
				 size_t n_groups, const char *name, size_t n);

/* Words of a choice: the k-th of "a|b|c" and its length; NULL behind the
 * last.  Null for every k when `opt` has no choice. */
const char *na_opt_word(const struct na_opt *opt, size_t k, size_t *n);

#endif

/*
 * How a command shows itself: name, help and own options.  An analysis has
 * one, and so has every other command; dispatch, help, completion and man
 * pages read nothing else.
 */
#ifndef NETAN_BASE_COMMAND_INFO_H
#define NETAN_BASE_COMMAND_INFO_H

#include <stddef.h>

#include "netan/base/opt.h"

struct na_command_info {
	const char *name;
	const char *question;      /* one line: what it answers */
	const char *usage;         /* "[OPTION…] INPUT…" */
	const char *details;       /* paragraphs, or NULL */
	const char *method;        /* where it is from, or NULL */
	const char *example;       /* lines a user can paste, or NULL */
	/* The ten options of -h, "output,from,to", where those that its
	 * examples use and its first ones are not what is needed most. */
	const char *matter;
	const struct na_opt *opts; /* own options, or NULL */
	size_t params_size;
};

#endif

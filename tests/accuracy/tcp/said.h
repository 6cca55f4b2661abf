/*
 * What netan says of a capture: `netan check` and `netan tcp` in one.
 */
#ifndef ACCURACY_TCP_SAID_H
#define ACCURACY_TCP_SAID_H

#include "netan/base/str.h"
#include "tests/accuracy/tcp/json.h"

enum outcome { SAID_NOTHING, GUILTY, NOT_GUILTY, CANNOT_TELL };

struct said {
	struct json check, tcp; /* the results; null where there was none */
	enum outcome outcome;
	const char *verdict;            /* the sentence of check, or "" */
	const struct json *accused;     /* NULL: check has no such member */
	const struct json *connections; /* of tcp */
	struct na_str words; /* all sentences of both, in small letters */
	bool crashed;        /* one of them ended by a signal */
};

/* From what both print; NULL: nothing.  To be freed. */
void said_read(const char *check, const char *tcp, struct said *out);

/* Runs both with --hosts; false, with a message on stderr, where none of them
 * runs.  A command that refuses the file says nothing.  To be freed. */
bool said_of(const char *netan, const char *hosts, const char *file,
	     struct said *out);
void said_free(struct said *s);

/* One of these, separated by |, is among the words. */
bool said_one_of(const struct said *s, const struct json *words);

/* All of a file; NULL: it cannot be read.  To be freed. */
char *said_read_file(const char *path);

#endif

/*
 * The files that the inputs of a request stand for, in the order in which a
 * session has them: runs as they were given, within each by name, whatever the
 * order on the command line.
 */
#ifndef NETAN_ENGINE_SESSION_LISTING_H
#define NETAN_ENGINE_SESSION_LISTING_H

#include "netan/base/arena.h"
#include "netan/engine/request.h"

struct na_listing {
	struct na_listed {
		const char *path, *label;
		size_t run; /* first input of the request with its label */
	} * files;
	size_t n, cap;
	struct na_list_said {
		const struct na_request_input *of;
		const char *text;
		const char *named; /* what it calls by name, or NULL */
		bool refused;      /* nothing could be listed; else a choice */
	} * said;
	size_t n_said, cap_said;
	bool one_each; /* no directory of several files among them */
};

int na_listed_order(const struct na_listed *x, const struct na_listed *y);

/* Of a request with --local its inputs are globs, of which each node has some.
 * Paths and texts live in the arena or the request.  Under --anonymize paths
 * have pseudonyms from now on.  What is in *l before does not count; it is to
 * be dropped also after a failure.  False: no memory. */
bool na_list_inputs(const struct na_request *q, struct na_arena *a,
		    struct na_listing *l) NA_MUST_CHECK;
/* Is it an input as a user has named it, and not found in a directory? */
bool na_request_names(const struct na_request *q, const char *path);
void na_listing_fini(struct na_listing *l);

#endif

/*
 * The files of a session while it opens: each process has those open that are
 * its own, and the facts of the others (netan/engine/together).
 */
#ifndef NETAN_ENGINE_SESSION_FILES_H
#define NETAN_ENGINE_SESSION_FILES_H

#include "netan/base/vec.h"
#include "netan/engine/session/listing.h"
#include "netan/engine/session/session.h"

/* A source in a file: an input, or why it is none. */
struct na_opened {
	struct na_input in;
	struct na_err err;
	bool moved; /* the session has the input */
};

struct na_file {
	struct na_listed listed;
	size_t owner; /* who opens and reads it: a rank of the world */
	bool mine;
	NA_VEC(struct na_opened); /* its sources; none: not opened yet */
};

struct na_files {
	struct na_listing listing;
	NA_VEC(struct na_file);
	bool short_of_memory;
};

/* Closes what the session has not taken. */
void na_files_fini(struct na_files *l);
/* Finds, opens and surveys what the request names, into s->inputs.  NA_ENOMEM,
 * and what na_together_meet() says. */
enum na_status na_session_files(struct na_session *s,
				struct na_err *err) NA_MUST_CHECK;

#endif

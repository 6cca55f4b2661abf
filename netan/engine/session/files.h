/*
 * The files of a session while it opens: each process has those open that are
 * its own, and the facts of the others (netan/engine/mpi).
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

/* Which transfer file stands in for it (--cache). */
enum na_cached {
	NA_CACHED_NOT,   /* none: it was read itself */
	NA_CACHED_FOUND, /* one that was there */
	NA_CACHED_MADE,  /* one that was not, or of something else */
	NA_CACHED_MADE_ANEW, /* instead of one that was damaged */
	NA_CACHED_UNMADE /* none, for none can be written */
};

struct na_file {
	struct na_listed listed;
	size_t owner; /* who opens and reads it: a rank of the world */
	bool mine;
	enum na_cached cached;
	char *unmade; /* why, of the first ones of each process; or NULL */
	NA_VEC(struct na_opened); /* its sources; none: not opened yet */
};

struct na_files {
	struct na_listing listing;
	NA_VEC(struct na_file);
	bool short_of_memory;
	atomic_bool unwritable; /* the cache is */
};

/* cache.c.  Before files are opened: the directory is there, if it can be.
 * NA_EUSAGE: inputs lie in it. */
enum na_status na_cache_begin(const struct na_session *s,
			      const struct na_files *l,
			      struct na_err *err) NA_MUST_CHECK;
/* What stands in for the file, made if need be on so many threads, open in *in;
 * false: nothing does, and *in is not open. */
bool na_cache_open(struct na_session *s, struct na_files *l, struct na_file *f,
		   size_t threads, struct na_input *in) NA_MUST_CHECK;
/* Each shard of a command says for itself what came of its files: those of the
 * others it never meets. */
bool na_cache_is_shards(const struct na_session *s);
/* Says what came of all files, once they have met. */
void na_cache_say(const struct na_session *s, const struct na_files *l);

/* Closes what the session has not taken. */
void na_files_fini(struct na_files *l);
/* Finds, opens and surveys what the request names, into s->inputs.  NA_ENOMEM,
 * and what na_mpi_meet() says. */
enum na_status na_session_files(struct na_session *s,
				struct na_err *err) NA_MUST_CHECK;

#endif

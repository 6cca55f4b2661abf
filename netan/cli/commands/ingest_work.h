/*
 * netan ingest -o DIR: what is to be written there, and what came of it.
 */
#ifndef NETAN_CLI_COMMANDS_INGEST_WORK_H
#define NETAN_CLI_COMMANDS_INGEST_WORK_H

#include <pthread.h>

#include "netan/base/vec.h"
#include "netan/cli/commands/ingest_beside.h"
#include "netan/cli/commands/ingest_out.h"

/* One file to write: inputs of the session that stand side by side. */
struct na_ingest_unit {
	size_t first, n; /* of the session's inputs */
	size_t named;    /* of the listing: whose name it has */
	bool there;
	bool whole; /* written by this call */
	/* --anonymize: read, and not yet written. */
	bool read;
	struct na_xfer_counts counts;
};

struct na_ingest_work {
	const struct na_ingest *g;
	const struct na_request *q;
	char *dir;
	bool new_dir; /* made by us */
	struct na_arena arena;
	struct na_listing list;
	struct na_ingest_place place;
	const char **names;        /* of the listing's files */
	struct na_xfer_made *made; /* what is there under these */
	bool *unread;              /* that cannot be read, and have one */
	struct na_session *s;
	NA_VEC(struct na_ingest_unit) units;
	size_t threads; /* of each unit */

	pthread_mutex_t lock; /* of what follows */
	size_t written, unreadable, done;
	size_t damaged; /* that were there already */
	bool failed;    /* nothing more can be written */
	struct na_xfer_counts counts;
};

/* ingest_units.c: a session of its inputs alone, borrowed of the whole one. */
struct na_session na_ingest_session(const struct na_ingest_work *w,
				    const struct na_ingest_unit *u);
/* Writes those that are not there, on so many threads, and says
 * what fails of each.  False: no memory. */
bool na_ingest_write_units(struct na_ingest_work *w, size_t threads);

#endif

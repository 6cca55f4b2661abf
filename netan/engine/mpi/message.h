/* What processes say to each other: a kind, and what belongs to it. */
#ifndef NETAN_ENGINE_MPI_MESSAGE_H
#define NETAN_ENGINE_MPI_MESSAGE_H

#include "netan/engine/mpi/facts.h"
#include "netan/engine/mpi/mpi.h"

enum na_message_kind {
	/* to rank 0 */
	NA_MSG_LISTING, /* of a node's own files */
	NA_MSG_FACTS,
	NA_MSG_NAMES,   /* and devices: before the records of a range */
	NA_MSG_RECORDS, /* of one kind */
	NA_MSG_PROGRAM,
	NA_MSG_TALLIES, /* behind them: counts, remarks, facts again */
	NA_MSG_ACTIONS, /* one behind the other */
	NA_MSG_ACTIONS_END,
	/* from rank 0 */
	NA_MSG_YOURS, /* for each file of a listing, 0 or 1 */
	NA_MSG_PLAN,  /* all facts, broadcast behind it */
	NA_MSG_NOT_SHARED,
	NA_MSG_ASK,
	NA_MSG_DONE,
	/* to rank 0, of transfers that stay */
	NA_MSG_KEPT,  /* those of a range do */
	NA_MSG_BLOCK, /* of records that went through an analysis */
	NA_MSG_BLOCKS_END,
	NA_MSG_LEFT, /* what blocks have left in the main state: a pass is over */
	/* from rank 0, with what is broadcast behind it */
	NA_MSG_STORE,  /* names, hosts, steps */
	NA_MSG_TURNED, /* what the pass decided */
	NA_N_MESSAGES
};

struct na_message {
	void *p; /* to be freed */
	enum na_message_kind kind;
	struct na_cursor c; /* behind the kind */
};

/* Empty but for its kind. */
struct na_xf_bytes na_message_of(enum na_message_kind kind);
/* Sends and frees it. */
enum na_status na_message_send(const struct na_mpi *t, size_t to,
			       struct na_xf_bytes *m,
			       struct na_err *err) NA_MUST_CHECK;
/* The next one of `from`; m->p is to be freed then.  NA_END: there will be
 * none, and this one is dismissed. */
enum na_status na_message_next(struct na_mpi *t, size_t from,
			       struct na_message *m,
			       struct na_err *err) NA_MUST_CHECK;
/* Likewise, of a kind; NA_EFORMAT: it is another one. */
enum na_status na_message_want(struct na_mpi *t, size_t from,
			       enum na_message_kind kind, struct na_message *m,
			       struct na_err *err) NA_MUST_CHECK;
/* From rank 0 to all: a kind, and the same bytes; frees them. */
enum na_status na_mpi_tell(struct na_mpi *t, enum na_message_kind kind,
			   struct na_xf_bytes *m,
			   struct na_err *err) NA_MUST_CHECK;
/* Another rank: answers what rank 0 asks until it tells that; what it tells is
 * *p, to be freed.  NA_END: it needs this one no more. */
enum na_status na_mpi_await(struct na_session *s, enum na_message_kind kind,
			    void **p, size_t *n,
			    struct na_err *err) NA_MUST_CHECK;
/* Rank 0 needs this one no more: NA_END. */
enum na_status na_message_dismissed(struct na_mpi *t, struct na_err *err);
/* local.c: whose each file is, into `mine`, where every node has its own. */
enum na_status na_mpi_local(struct na_mpi *t, struct na_files *l,
			    struct na_err *err) NA_MUST_CHECK;
enum na_status na_message_broken(size_t from, struct na_err *err);

#endif

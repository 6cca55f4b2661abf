/*
 * Who takes part in one analysis: one process, the ranks of an MPI job, or
 * threads that stand for ranks (tests).  Ranks are numbered from 0; rank 0
 * alone prints, draws and writes.
 *
 * A world is used by one thread of its rank at a time.  No world (NULL) is a
 * world of one: collectives then send nothing, and cost nothing.
 */
#ifndef NETAN_WORLD_WORLD_H
#define NETAN_WORLD_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"

struct na_world;

/*
 * Whole messages between two ranks, in order, of any size, also empty.  Both
 * may wait for the other side: send for its recv, so that two ranks that
 * first send to each other wait forever.  NA_EIO: the other one is gone.
 * Never to or from oneself.
 */
struct na_world_ops {
	enum na_status (*send)(struct na_world *w, size_t to, const void *p,
			       size_t n, struct na_err *err);
	/* The next message of `from`: *p from malloc(), the caller's, not NULL
	 * also where *n is 0.  NA_ENOMEM: the message is lost, the next call
	 * gets the one after it.  After a failure *p is NULL. */
	enum na_status (*recv)(struct na_world *w, size_t from, void **p,
			       size_t *n, struct na_err *err);
};

struct na_world {
	size_t rank, size;
	const struct na_world_ops *ops; /* NULL where size is 1 */
	void *ctx;
	size_t neighbours; /* ranks on this node, with this one; 0: unknown */
	bool nameless;     /* messages do not name nodes */
	/* Messages are files: rank 0 merges what ranks 1, 2, ... have written,
	 * has no inputs, and nobody answers it. */
	bool files;
	bool plans; /* rank 0 of such: it writes what all are to know */
	/* How often na_world_agree() has ended, whatever it said, with all
	 * messages sent and received; and whether it runs now. */
	uint64_t agreed;
	bool agreeing;
	/* Of a rank that does not speak: why it failed, in the words that it
	 * would have said first. */
	atomic_flag noted;
	char why[sizeof(((struct na_err *)NULL)->text)];
};

/* One process by itself, as NULL is. */
#define NA_WORLD_ONE ((struct na_world){.rank = 0, .size = 1})

static inline bool na_world_alone(const struct na_world *w)
{
	return !w || w->size <= 1;
}

/* Is this the rank that speaks? */
static inline bool na_world_speaks(const struct na_world *w)
{
	return !w || w->rank == 0;
}

/* Does this process write the result? */
static inline bool na_world_writes(const struct na_world *w)
{
	return !w || (w->rank == 0 && !w->plans);
}

/* "rank", or as users of files know it, "shard". */
static inline const char *na_world_member(const struct na_world *w)
{
	return w->files ? "shard" : "rank";
}

/* The first text becomes w->why.  On any thread. */
void na_world_note(struct na_world *w, const char *text);

enum { NA_NODE_BUF = 128 };

/* The name of this node, for messages: "" where it is not to be told. */
void na_world_node(const struct na_world *w, char to[NA_NODE_BUF]);

/* What tells this node from any other one of the job, whatever they are called;
 * containers of one node with names of their own count as nodes. */
void na_world_place(char to[NA_NODE_BUF]);

/* What kept another rank: "rank 3 on node-7: ...".  Returns `status`. */
enum na_status na_world_failed(struct na_err *err, enum na_status status,
			       size_t rank, const char *node, const char *text);

/*
 * Collectives: every rank calls the same ones in the same order, whether it
 * has failed or not.  `err` may hold a failure of this rank from before:
 * then the work is not begun anywhere.  All ranks return the same status and
 * hold the same text, so that all leave together (but where messages are
 * files: nobody waits for anybody, and each has its own): of the failed ranks the
 * lowest one's, as "rank 3 on node-7: ...", or the bare text where all ranks
 * say the same.  When a rank is gone the others get NA_EIO, each with a text
 * of its own.  Statuses that are no failures (NA_END) become NA_OK.
 */

/* Has any rank failed?  Two messages of 700 bytes a rank, along a tree. */
enum na_status na_world_agree(struct na_world *w,
			      struct na_err *err) NA_MUST_CHECK;

/*
 * What rank 0 has at *p goes to all.  Of the others *p is NULL before, and
 * theirs to free afterwards (not NULL also where *n is 0; NULL after a
 * failure); rank 0 keeps its own.  Along a tree, in pieces: time grows with
 * the logarithm of the ranks.
 */
enum na_status na_world_broadcast(struct na_world *w, void **p, size_t *n,
				  struct na_err *err) NA_MUST_CHECK;

#endif

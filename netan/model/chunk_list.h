/*
 * A list of fixed-size records in chunks: it never moves or copies what it
 * holds while it grows, and two lists join without copying.
 */
#ifndef NETAN_MODEL_CHUNK_LIST_H
#define NETAN_MODEL_CHUNK_LIST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Where the chunks of many lists come from, on any number of threads:
 * slabs, all but the first, which is small, on huge pages where the system has
 * them, since the first touch of a page costs as much as filling it; beyond the budget of the process
 * (netan/base/memory/spill.h) from its file.  Everything goes with the pool.
 */
struct na_pool {
	pthread_mutex_t lock;
	struct na_slab *slabs;
	size_t size, used;      /* bytes of the newest slab */
	struct na_chunk *spare; /* given back */
};

/* Takes no memory yet. */
void na_pool_init(struct na_pool *p);
/* Frees all chunks of all its lists, whose pointers are worthless then; no
 * list needs an end of its own. */
void na_pool_fini(struct na_pool *p);

struct na_chunk {
	struct na_chunk *next;
	size_t n; /* records in it */
	_Alignas(16) unsigned char data[];
};

struct na_chunk_list {
	struct na_pool *pool;
	size_t size; /* bytes of a record */
	struct na_chunk *first, *last;
	size_t n, room; /* records; free in the last chunk */
};

/* Empty, without memory.  The pool is borrowed, and the records live as long
 * as it.  `size` is above 0, and a chunk of 16 KiB has room for one at least;
 * records are aligned to 16 bytes where it is a multiple of that.  A list is
 * one thread's at a time; the pool is anybody's. */
void na_chunks_init(struct na_chunk_list *b, struct na_pool *pool, size_t size);

/* One chunk more, at the end; false when memory is short. */
bool na_chunks_extend(struct na_chunk_list *b);

/* Room for one more, at the end; NULL when memory is short. */
static inline void *na_chunks_push(struct na_chunk_list *b)
{
	if (!b->room && !na_chunks_extend(b))
		return NULL;
	b->room--;
	b->n++;
	return b->last->data + b->last->n++ * b->size;
}

/* Every record: na_each_record (struct na_op, x, &store->ops) use(x); x is a
 * pointer, and `break` leaves its chunk alone. */
#define na_each_record(type, x, chunks) \
	for (struct na_chunk *x##_in = (chunks)->first; x##_in; \
	     x##_in = x##_in->next) \
		for (type *x = (void *)x##_in->data, *x##_end = x + x##_in->n; \
		     x < x##_end; x++)

/* Append all of `from`, of the same pool and size, which is empty afterwards.
 * A few records are copied where there is room for them, so that many small
 * lists do not cost a chunk each; else chunks change hands.  It cannot fail. */
void na_chunks_splice(struct na_chunk_list *into, struct na_chunk_list *from);

/* What it holds is gone, and its memory the system's where that can be; it
 * still says how many there were, and takes no more. */
void na_chunks_forget(struct na_chunk_list *b);

/* The first chunk, if any, goes back to the pool, with what it holds. */
void na_chunks_drop_first(struct na_chunk_list *b);

#endif

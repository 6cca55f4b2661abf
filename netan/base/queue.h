/*
 * What happens next: a binary heap of (time, order).  Equal times are taken
 * in the order in which they were planned, or in one that the caller gives.
 */
#ifndef NETAN_BASE_QUEUE_H
#define NETAN_BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct na_planned {
	int64_t at; /* ps or ns, all of a queue alike */
	uint64_t order;
	uint32_t what, id;
};

struct na_queue { /* starts as zeroes */
	struct na_planned *heap;
	size_t n, cap;
	uint64_t order;
};

/* False when memory is short. */
bool na_queue_put(struct na_queue *q, int64_t at, unsigned what, uint32_t id);
bool na_queue_add(struct na_queue *q, struct na_planned p);
/* False when nothing is left. */
bool na_queue_take(struct na_queue *q, int64_t *at, unsigned *what,
		   uint32_t *id);
void na_queue_fini(struct na_queue *q);

#endif

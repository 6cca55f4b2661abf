#include "netan/base/queue.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

static bool before(const struct na_planned *a, const struct na_planned *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

bool na_queue_put(struct na_queue *q, int64_t at, unsigned what, uint32_t id)
{
	return na_queue_add(q, (struct na_planned){at, q->order++, what, id});
}

bool na_queue_add(struct na_queue *q, struct na_planned p)
{
	size_t i = q->n;

	if (!na_grow(&q->heap, &q->cap, q->n + 1, sizeof(*q->heap)))
		return false;
	for (q->n++; i && before(&p, &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
		q->heap[i] = q->heap[(i - 1) / 2];
	q->heap[i] = p;
	return true;
}

bool na_queue_take(struct na_queue *q, int64_t *at, unsigned *what,
		   uint32_t *id)
{
	struct na_planned last;
	size_t i = 0, child;

	if (!q->n)
		return false;
	*at = q->heap[0].at;
	*what = q->heap[0].what;
	*id = q->heap[0].id;
	last = q->heap[--q->n];
	while ((child = 2 * i + 1) < q->n) {
		if (child + 1 < q->n &&
		    before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!before(&q->heap[child], &last))
			break;
		q->heap[i] = q->heap[child];
		i = child;
	}
	q->heap[i] = last;
	return true;
}

void na_queue_fini(struct na_queue *q)
{
	free(q->heap);
	memset(q, 0, sizeof(*q));
}

#include "netan/base/vec.h"
#include "tests/accuracy/sync/engine.h"

static bool before(const struct sy_event *a, const struct sy_event *b)
{
	return a->t != b->t ? a->t < b->t : a->order < b->order;
}

void sy_push(struct sy_engine *e, int64_t t, enum sy_event_type type,
	     uint32_t a, uint32_t b)
{
	struct sy_event ev = {t, e->order++, a, b, type};
	size_t i = e->n_heap;

	if (!na_grow(&e->heap, &e->cap_heap, i + 1, sizeof(*e->heap))) {
		e->no_memory = true;
		return;
	}
	e->n_heap++;
	while (i > 0 && before(&ev, &e->heap[(i - 1) / 2])) {
		e->heap[i] = e->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	e->heap[i] = ev;
}

bool sy_pop(struct sy_engine *e, struct sy_event *out)
{
	struct sy_event last;
	size_t i = 0, child;

	if (e->n_heap == 0 || e->no_memory)
		return false;
	*out = e->heap[0];
	last = e->heap[--e->n_heap];
	while ((child = 2 * i + 1) < e->n_heap) {
		if (child + 1 < e->n_heap &&
		    before(&e->heap[child + 1], &e->heap[child]))
			child++;
		if (!before(&e->heap[child], &last))
			break;
		e->heap[i] = e->heap[child];
		i = child;
	}
	e->heap[i] = last;
	return true;
}

#include "tests/unit/world_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A message that waits for its receiver. */
struct slot {
	const void *p;
	size_t n;
	bool full;
};

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot *slots; /* of sender * size + receiver */
	bool *gone;
	void (*fn)(struct na_world *w, void *arg);
	void *arg;
};

struct rank {
	struct na_world world;
	struct shared *shared;
	size_t lose; /* counts down; SIZE_MAX: never */
	pthread_t thread;
};

static enum na_status send_to(struct na_world *w, size_t to, const void *p,
			      size_t n, struct na_err *err)
{
	struct shared *s = ((struct rank *)w->ctx)->shared;
	struct slot *slot = &s->slots[w->rank * w->size + to];
	bool taken;

	pthread_mutex_lock(&s->lock);
	*slot = (struct slot){p, n, true};
	pthread_cond_broadcast(&s->changed);
	while (slot->full && !s->gone[to])
		pthread_cond_wait(&s->changed, &s->lock);
	taken = !slot->full;
	slot->full = false;
	pthread_mutex_unlock(&s->lock);
	return taken ? NA_OK : na_fail(err, NA_EIO, "rank %zu is gone", to);
}

static enum na_status take(struct rank *r, struct slot *slot, void **p,
			   size_t *n, struct na_err *err)
{
	bool lost = r->lose == 0;

	if (r->lose != SIZE_MAX)
		r->lose--;
	slot->full = false;
	pthread_cond_broadcast(&r->shared->changed);
	*p = lost ? NULL : malloc(slot->n ? slot->n : 1);
	if (!*p)
		return na_fail_nomem(err);
	if (slot->n)
		memcpy(*p, slot->p, slot->n);
	*n = slot->n;
	return NA_OK;
}

static enum na_status recv_from(struct na_world *w, size_t from, void **p,
				size_t *n, struct na_err *err)
{
	struct rank *r = w->ctx;
	struct shared *s = r->shared;
	struct slot *slot = &s->slots[from * w->size + w->rank];
	enum na_status st;

	*p = NULL;
	*n = 0;
	pthread_mutex_lock(&s->lock);
	while (!slot->full && !s->gone[from])
		pthread_cond_wait(&s->changed, &s->lock);
	st = slot->full ? take(r, slot, p, n, err)
			: na_fail(err, NA_EIO, "rank %zu is gone", from);
	pthread_mutex_unlock(&s->lock);
	return st;
}

static const struct na_world_ops ops = {send_to, recv_from};

void world_threads_lose(struct na_world *w, size_t n)
{
	((struct rank *)w->ctx)->lose = n;
}

static void *run(void *arg)
{
	struct rank *r = arg;
	struct shared *s = r->shared;

	s->fn(&r->world, s->arg);
	pthread_mutex_lock(&s->lock);
	s->gone[r->world.rank] = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

void world_threads(size_t size, void (*fn)(struct na_world *w, void *arg),
		   void *arg)
{
	struct shared s = {.lock = PTHREAD_MUTEX_INITIALIZER,
			   .changed = PTHREAD_COND_INITIALIZER,
			   .slots = calloc(size * size, sizeof(*s.slots)),
			   .gone = calloc(size, sizeof(*s.gone)),
			   .fn = fn,
			   .arg = arg};
	struct rank *ranks = calloc(size, sizeof(*ranks));

	if (!s.slots || !s.gone || !ranks)
		abort();
	for (size_t i = 0; i < size; i++) {
		ranks[i] = (struct rank){.world = {.rank = i,
						   .size = size,
						   .ops = &ops,
						   .ctx = &ranks[i]},
					 .shared = &s,
					 .lose = SIZE_MAX};
		if (pthread_create(&ranks[i].thread, NULL, run, &ranks[i]) != 0)
			abort();
	}
	for (size_t i = 0; i < size; i++)
		pthread_join(ranks[i].thread, NULL);
	free(ranks);
	free(s.slots);
	free(s.gone);
}

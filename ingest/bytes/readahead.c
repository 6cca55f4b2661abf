#include "ingest/bytes/readahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/bytes/feed.h"

/* Together they stay in the caches of both. */
enum { SLOTS = 4, SLOT_BYTES = 128 << 10 };

struct slot {
	size_t n;          /* bytes; 0: the end */
	struct na_feed at; /* the feed behind them */
	enum na_status status;
	uint8_t bytes[SLOT_BYTES];
};

struct na_readahead {
	struct na_feed feed;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	size_t made, used; /* slots, so far */
	bool stop;
	struct na_err err;
	size_t done; /* bytes of the slot that is used now */
	struct slot slots[SLOTS];
};

/* Waits for an empty slot; NULL: it is no longer wanted. */
static struct slot *empty_slot(struct na_readahead *a)
{
	struct slot *x;

	pthread_mutex_lock(&a->lock);
	while (!a->stop && a->made - a->used == SLOTS)
		pthread_cond_wait(&a->emptied, &a->lock);
	x = a->stop ? NULL : &a->slots[a->made % SLOTS];
	pthread_mutex_unlock(&a->lock);
	return x;
}

static void hand_over(struct na_readahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->made++;
	pthread_cond_signal(&a->filled);
	pthread_mutex_unlock(&a->lock);
}

static void *run(void *ctx)
{
	struct na_readahead *a = ctx;
	bool more = true;
	struct slot *x;

	while (more && (x = empty_slot(a))) {
		x->status = na_feed_read(&a->feed, x->bytes, SLOT_BYTES, &x->n,
					 &a->err);
		x->at = a->feed;
		more = x->status == NA_OK && x->n;
		hand_over(a);
	}
	return NULL;
}

struct na_readahead *na_readahead_new(struct na_feed *s)
{
	struct na_readahead *a = calloc(1, sizeof(*a));
	sigset_t all, before;
	int failed;

	if (!a)
		return NULL;
	a->feed = *s;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->filled, NULL);
	pthread_cond_init(&a->emptied, NULL);
	/* Ctrl-C is for the others. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&a->thread, NULL, run, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failed)
		return a;
	free(a);
	return NULL;
}

void na_readahead_free(struct na_readahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->emptied);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	pthread_cond_destroy(&a->filled);
	pthread_cond_destroy(&a->emptied);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

/* What the feed told behind these bytes. */
static void tell(struct na_feed *s, const struct na_feed *at)
{
	s->taken = at->taken;
	s->cut = at->cut;
	memcpy(s->why, at->why, sizeof(s->why));
}

enum na_status na_readahead_read(struct na_readahead *a, struct na_feed *s,
				 uint8_t *out, size_t n, size_t *got,
				 struct na_err *err)
{
	struct slot *x = &a->slots[a->used % SLOTS];

	pthread_mutex_lock(&a->lock);
	while (a->made == a->used)
		pthread_cond_wait(&a->filled, &a->lock);
	pthread_mutex_unlock(&a->lock);
	tell(s, &x->at);
	*got = x->n - a->done < n ? x->n - a->done : n;
	if (x->status != NA_OK) {
		*err = a->err;
		return x->status;
	}
	memcpy(out, x->bytes + a->done, *got);
	a->done += *got;
	/* The last one stays: there is nothing behind the end. */
	if (!x->n || a->done < x->n)
		return NA_OK;
	a->done = 0;
	pthread_mutex_lock(&a->lock);
	a->used++;
	pthread_cond_signal(&a->emptied);
	pthread_mutex_unlock(&a->lock);
	return NA_OK;
}

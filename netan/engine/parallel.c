/* Work on several threads; the order of results is the caller's business. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "netan/base/memory/temp_files.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/engine/memory.h"
#include "netan/engine/parallel.h"
#include "netan/engine/request.h"

/* Of the whole program, as the budget of memory is: a signal handler has no
 * other way to tell. */
static volatile sig_atomic_t interrupted;

/* A second one ends the program the hard way. */
static void on_interrupt(int number)
{
	interrupted = 1;
	signal(number, na_temp_files_end);
}

bool na_interrupted(void)
{
	return interrupted;
}

void na_catch_interrupt(void)
{
	const struct sigaction sa = {.sa_handler = on_interrupt};

	sigaction(SIGINT, &sa, NULL);
}

void na_catch_termination(void)
{
	const struct sigaction sa = {.sa_handler = on_interrupt};

	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

int64_t na_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NA_NS_PER_S + t.tv_nsec;
}

/* A launcher may have bound the rank to cores of its own; else it shares
 * those of its node with its neighbours. */
static long cores_of(const struct na_world *w)
{
	long all = sysconf(_SC_NPROCESSORS_ONLN), own;
	cpu_set_t set;

	if (!w || sched_getaffinity(0, sizeof(set), &set) != 0)
		return all;
	own = CPU_COUNT(&set);
	return own < all ? own
			 : all / (long)(w->neighbours ? w->neighbours : 1);
}

size_t na_threads_of(const struct na_request *q)
{
	long n = q->threads;

	if (n <= 0)
		n = cores_of(q->world);
	if (q->memory > 0 && n > q->memory / NA_THREAD_BYTES)
		n = (long)(q->memory / NA_THREAD_BYTES);
	return n < 1 ? 1 : n > 256 ? 256 : (size_t)n;
}

struct team {
	pthread_mutex_t lock;
	size_t next, n;
	void (*fn)(void *ctx, size_t i);
	void *ctx;
};

static void *team_member(void *arg)
{
	struct team *t = arg;

	for (;;) {
		size_t i;

		pthread_mutex_lock(&t->lock);
		i = t->next < t->n ? t->next++ : t->n;
		pthread_mutex_unlock(&t->lock);
		if (i == t->n)
			return NULL;
		t->fn(t->ctx, i);
	}
}

bool na_parallel(size_t threads, size_t n, void (*fn)(void *ctx, size_t i),
		 void *ctx)
{
	struct team t = {.n = n, .fn = fn, .ctx = ctx};
	pthread_t *ids = NULL;
	pthread_attr_t attr;
	size_t started = 0;

	if (threads > n)
		threads = n;
	if (threads > 1)
		ids = na_calloc(threads - 1, sizeof(*ids));
	if (threads > 1 && !ids)
		return false;
	pthread_mutex_init(&t.lock, NULL);
	pthread_attr_init(&attr);
	/* Stacks count as data of the process; ours stay shallow. */
	pthread_attr_setstacksize(&attr, 512 << 10);
	while (started + 1 < threads &&
	       pthread_create(&ids[started], &attr, team_member, &t) == 0)
		started++;
	team_member(&t);
	for (size_t i = 0; i < started; i++)
		pthread_join(ids[i], NULL);
	pthread_attr_destroy(&attr);
	pthread_mutex_destroy(&t.lock);
	free(ids);
	return true;
}

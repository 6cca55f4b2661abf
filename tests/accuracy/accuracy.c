/*
 * The accuracy bench: makes fleets, asks the judge, compares, prints tables.
 *
 *	accuracy [-k statistical|queueing] [-n FLEETS] [-s SEED] [-j JOBS]
 *		 [-l] [-r FILE] [-i INDEX]
 *
 * -l  lists the fleets with something missed or wrong
 * -r  appends the numbers of the reliability table to FILE
 * -i  only fleet INDEX, and says what it is
 *
 * The exit status is 0 also when bars fall short: they are for reading.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "netan/base/vec.h"
#include "tests/accuracy/tables.h"

enum { JOBS_MAX = 64 };

struct bench {
	enum fl_generator generator;
	uint64_t seed;
	uint32_t n, next;
	bool list, failed;
	const char *numbers; /* NULL: not kept */
	pthread_mutex_t lock;
	struct fl_scores scores[FL_STAMPS];
};

static bool score_all(struct bench *b, uint32_t index)
{
	struct fl_fleet f;
	bool ok = fl_make(b->generator, b->seed, index, &f);

	for (int c = 0; ok && c < FL_STAMPS; c++)
		for (int l = 0; ok && l < FL_LOCALITIES; l++) {
			struct fl_mode mode = {.locality = l == 0,
					       .one_clock = c == FL_SENDS};

			ok = fl_score(&f, mode, &b->scores[c].of[l][index]);
		}
	fl_fini(&f);
	return ok;
}

static void *work(void *arg)
{
	struct bench *b = arg;

	for (;;) {
		uint32_t index;
		bool stop;

		pthread_mutex_lock(&b->lock);
		index = b->next++;
		stop = b->failed || index >= b->n;
		pthread_mutex_unlock(&b->lock);
		if (stop)
			return NULL;
		if (score_all(b, index))
			continue;
		pthread_mutex_lock(&b->lock);
		b->failed = true;
		pthread_mutex_unlock(&b->lock);
	}
}

static bool allocate(struct bench *b)
{
	bool ok = true;

	for (int c = 0; c < FL_STAMPS; c++) {
		struct fl_scores *s = &b->scores[c];

		*s = (struct fl_scores){.generator = b->generator,
					.stamps = (enum fl_stamps)c,
					.n = b->n};
		for (int l = 0; l < FL_LOCALITIES; l++) {
			s->of[l] = na_calloc(b->n, sizeof(*s->of[l]));
			ok = ok && s->of[l];
		}
	}
	return ok;
}

static bool run(struct bench *b, int jobs)
{
	pthread_t threads[JOBS_MAX];
	int started = 0;

	if (!allocate(b))
		return false;
	pthread_mutex_init(&b->lock, NULL);
	while (started < jobs - 1 &&
	       pthread_create(&threads[started], NULL, work, b) == 0)
		started++;
	work(b);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&b->lock);
	return !b->failed;
}

/* With the locality, as users are asked to give it. */
static bool report_reliability(const struct bench *b, enum fl_stamps c)
{
	static const char *const names[FL_GENERATORS][FL_STAMPS] = {
		{"statistical, sends", "statistical, receives"},
		{"queueing, sends", "queueing, receives"}};
	struct fl_reliability r = {0};

	fl_reliability_of(&b->scores[c], 0, &r);
	fl_print_reliability(&r);
	return !b->numbers ||
	       fl_append_reliability(&r, names[b->generator][c], b->numbers);
}

static bool bench(struct bench *b, int jobs, int *missed)
{
	struct timespec from, to;
	bool ok;

	clock_gettime(CLOCK_MONOTONIC, &from);
	ok = run(b, jobs);
	for (int s = 0; ok && s < FL_STAMPS; s++) {
		*missed += fl_print_bars(&b->scores[s]);
		ok = report_reliability(b, (enum fl_stamps)s);
		fl_print_breakdown(&b->scores[s]);
		if (b->list)
			fl_print_misses(&b->scores[s]);
	}
	if (ok) {
		clock_gettime(CLOCK_MONOTONIC, &to);
		fprintf(stderr, "%u fleets, seed %llu: %.1f s\n", b->n,
			(unsigned long long)b->seed,
			(double)(to.tv_sec - from.tv_sec) +
				(double)(to.tv_nsec - from.tv_nsec) / 1e9);
	}
	for (int s = 0; s < FL_STAMPS; s++)
		for (int l = 0; l < FL_LOCALITIES; l++)
			free(b->scores[s].of[l]);
	return ok;
}

static void print_truth(const struct fl_truth *t)
{
	printf("  fault kind %d how %d: %u %u, factor %.2f, share %.4f, "
	       "affected %llu, tails %llu, ratio %.2f, well-posed %d\n",
	       (int)t->who.cause, (int)t->how, t->who.a, t->who.b, t->factor,
	       t->share, (unsigned long long)t->affected,
	       (unsigned long long)t->tails, t->ratio, t->well_posed);
}

static bool describe(const struct bench *b, uint32_t index)
{
	struct fl_fleet f;
	bool ok = fl_make(b->generator, b->seed, index, &f);

	if (ok) {
		printf("fleet %u: %s, pattern %d, %u hosts, %u racks, "
		       "%u steps, %u collectives, %zu pairs, %zu transfers, "
		       "waits %d, one class %d, skewed %d by %.0f us\n",
		       index, f.plan->name, (int)f.pattern, f.n_hosts,
		       f.n_racks, f.n_steps, f.n_collectives, f.n_pairs,
		       f.n_transfers, f.waits, f.one_class, (int)f.skewed,
		       f.ahead_us);
		for (size_t i = 0; i < f.n_truths; i++)
			print_truth(&f.truths[i]);
	}
	fl_fini(&f);
	return ok;
}

static bool read_options(int argc, char **argv, struct bench *b, int *jobs,
			 int *only, uint32_t *index)
{
	int c;

	while ((c = getopt(argc, argv, "k:n:s:j:i:r:l")) != -1) {
		if (c == 'k')
			*only = optarg[0] == 'q';
		else if (c == 'n')
			b->n = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 's')
			b->seed = strtoull(optarg, NULL, 10);
		else if (c == 'j')
			*jobs = atoi(optarg);
		else if (c == 'i')
			*index = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 'r')
			b->numbers = optarg;
		else if (c == 'l')
			b->list = true;
		else
			return false;
	}
	*jobs = *jobs < 1 ? 1 : *jobs > JOBS_MAX ? JOBS_MAX : *jobs;
	return true;
}

int main(int argc, char **argv)
{
	struct bench plan = {.n = 500, .seed = 1};
	uint32_t index = FL_NONE;
	int jobs = 2, only = -1, missed = 0;
	bool ok = true;

	if (!read_options(argc, argv, &plan, &jobs, &only, &index))
		return 2;
	for (int g = 0; g < FL_GENERATORS && ok; g++) {
		struct bench b = plan;

		b.generator = (enum fl_generator)g;
		if (only >= 0 && only != g)
			continue;
		ok = index == FL_NONE ? bench(&b, jobs, &missed)
				      : describe(&b, index);
	}
	if (ok && index == FL_NONE)
		printf("\n%d bars fell short\n", missed);
	return !ok;
}

/*
 * The accuracy bench: makes fleets, localises, compares, prints tables.
 *
 *	accuracy [-k statistical|queueing] [-n FLEETS] [-s SEED] [-j JOBS]
 *		 [-p] [-l] [-i INDEX]
 *
 * -p  also switches off each part of the method in turn
 * -l  lists the fleets with something missed or wrong
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

enum { MODES = 1 + NA_LZ_PARTS, JOBS_MAX = 64 };

struct bench {
	enum fl_generator generator;
	uint64_t seed;
	uint32_t n, next;
	int modes;
	bool failed;
	pthread_mutex_t lock;
	struct fl_scores scores[MODES]; /* [1 + i]: without part i */
};

static bool score_all(struct bench *b, uint32_t index)
{
	struct fl_fleet f;
	bool ok = fl_make(b->generator, b->seed, index, &f);

	for (int m = 0; ok && m < b->modes; m++)
		for (int l = 0; ok && l < FL_LOCALITIES; l++) {
			struct fl_mode mode = {.locality = l == 0};

			if (m > 0)
				mode.off = UINT64_C(1) << (m - 1);
			ok = fl_score(&f, mode, &b->scores[m].of[l][index]);
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

static bool run(struct bench *b, int jobs)
{
	pthread_t threads[JOBS_MAX];
	int started = 0;

	for (int m = 0; m < b->modes; m++) {
		b->scores[m].generator = b->generator;
		b->scores[m].n = b->n;
		for (int l = 0; l < FL_LOCALITIES; l++) {
			b->scores[m].of[l] = na_calloc(b->n,
						       sizeof(struct fl_score));
			if (!b->scores[m].of[l])
				return false;
		}
	}
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

static void print_parts(const struct bench *b)
{
	if (b->modes == 1)
		return;
	fl_print_part_head(b->generator);
	for (int i = 0; i < NA_LZ_PARTS; i++)
		fl_print_part(na_lz_part_names[i], &b->scores[0],
			      &b->scores[1 + i]);
}

static bool bench(struct bench *b, int jobs, bool list, int *missed)
{
	struct timespec from, to;
	bool ok;

	clock_gettime(CLOCK_MONOTONIC, &from);
	ok = run(b, jobs);
	if (ok) {
		*missed += fl_print_bars(&b->scores[0]);
		fl_print_breakdown(&b->scores[0]);
		print_parts(b);
		if (list)
			fl_print_misses(&b->scores[0]);
		clock_gettime(CLOCK_MONOTONIC, &to);
		fprintf(stderr, "%u fleets, seed %llu: %.1f s\n", b->n,
			(unsigned long long)b->seed,
			(double)(to.tv_sec - from.tv_sec) +
				(double)(to.tv_nsec - from.tv_nsec) / 1e9);
	}
	for (int m = 0; m < b->modes; m++)
		for (int l = 0; l < FL_LOCALITIES; l++)
			free(b->scores[m].of[l]);
	return ok;
}

static void print_truth(const struct fl_truth *t)
{
	printf("  fault kind %d how %d: %u %u, factor %.2f, share %.4f, "
	       "affected %llu, tails %llu, ratio %.2f, well-posed %d\n",
	       (int)t->who.kind, (int)t->how, t->who.a, t->who.b, t->factor,
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

int main(int argc, char **argv)
{
	uint32_t n = 500, index = NA_LZ_NONE;
	int jobs = 2, modes = 1, c, only = -1, missed = 0;
	uint64_t seed = 1;
	bool list = false, ok = true;

	while ((c = getopt(argc, argv, "k:n:s:j:i:pl")) != -1) {
		if (c == 'k')
			only = optarg[0] == 'q';
		else if (c == 'n')
			n = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (c == 'j')
			jobs = atoi(optarg);
		else if (c == 'i')
			index = (uint32_t)strtoul(optarg, NULL, 10);
		else if (c == 'p')
			modes = MODES;
		else if (c == 'l')
			list = true;
		else
			return 2;
	}
	jobs = jobs < 1 ? 1 : jobs > JOBS_MAX ? JOBS_MAX : jobs;
	for (int g = 0; g < FL_GENERATORS && ok; g++) {
		struct bench b = {.generator = (enum fl_generator)g,
				  .seed = seed,
				  .n = n,
				  .modes = modes};

		if (only >= 0 && only != g)
			continue;
		ok = index == NA_LZ_NONE ? bench(&b, jobs, list, &missed)
					 : describe(&b, index);
	}
	if (ok && index == NA_LZ_NONE)
		printf("\n%d bars fell short\n", missed);
	return !ok;
}

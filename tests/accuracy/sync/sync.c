/*
 * The third world of the accuracy bench: synchronous jobs, written as
 * profiler sessions and judged by running netan on them.
 *
 *	sync bench NETAN [-n SESSIONS] [-s SEED] [-j JOBS] [-k KIND] [-d DIR]
 *		[-t] [-l] [-p] [-r FILE]
 *	sync write DIR --kind KIND [--seed N]
 *
 * Session i of a bench is kind i mod 12 with seed SEED * 1000 + i / 12,
 * without the kinds between and three; of one KIND, the seed is
 * SEED * 1000 + i.
 * -t  also asks without the topology
 * -r  appends the numbers of the reliability table to FILE
 * -l  lists the sessions with something missed or wrong
 * -d  where sessions are while they are judged
 * -p  preserves them; else they are removed
 *
 * The exit status is 0 also when bars fall short: they are for reading.
 */
#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/accuracy/sync/score.h"
#include "tests/accuracy/sync/session.h"

enum { PATH = 4096, JOBS_MAX = 64 };

struct bench {
	const char *netan, *dir, *numbers; /* NULL: not kept */
	size_t n;
	uint64_t seed;
	int jobs, kind; /* kind: -1 for all */
	bool bare, list, keep;
	struct shared *shared;
};

struct shared { /* by the processes */
	atomic_size_t next;
	struct sy_score scores[];
};

/* ---- one session */

static void remove_session(const char *dir, bool keep)
{
	static const char *const beside[] = {".csv", ".truth.json",
					     ".pairs.json", ".check.json"};
	char path[2 * PATH];
	DIR *d = keep ? NULL : opendir(dir);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (strstr(e->d_name, ".xplane.pb"))
			unlink(path);
	}
	closedir(d);
	rmdir(dir);
	for (size_t i = 0; i < NA_LEN(beside); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, beside[i]);
		unlink(path);
	}
}

static bool ask_all(const struct bench *b, const char *dir,
		    const struct sy_run *r, struct sy_score *s)
{
	static const char *const commands[] = {"pairs", "check"};
	static const enum sy_judge judges[2][2] = {{SY_PAIRS, SY_CHECK},
						   {SY_PAIRS_BARE,
						    SY_CHECK_BARE}};
	struct sy_answer a;

	for (int bare = 0; bare <= b->bare; bare++)
		for (int c = 0; c < 2; c++) {
			if (!sy_ask(b->netan, commands[c], dir, r->plan,
				    bare == 0, &a))
				return false;
			sy_score_answer(s, r->plan, judges[bare][c], &a);
		}
	if (!sy_zscore(r, &a))
		return false;
	sy_score_answer(s, r->plan, SY_ZSCORE, &a);
	return true;
}

/* Where nothing was planted there is no excess, and nothing to be said. */
static bool ask_oracle(const struct sy_run *r, struct sy_score *s)
{
	struct sy_run without;
	struct sy_oracle o;
	bool ok;

	if (r->plan->n_faults == 0)
		return true;
	ok = sy_run_make(&without, r->plan, 1 << SY_FAULTS) &&
	     sy_oracle(r, &without, &o);
	if (ok)
		sy_score_oracle(s, r->plan, &o);
	sy_run_fini(&without);
	return ok;
}

static void judge(const struct bench *b, size_t index)
{
	struct sy_score *s = &b->shared->scores[index];
	bool all = b->kind < 0;
	enum sy_kind kind = (enum sy_kind)(all ? (int)(index % SY_USUAL)
					       : b->kind);
	uint64_t seed = b->seed * 1000 + (all ? index / SY_USUAL : index);
	struct sy_plan p;
	struct sy_run r = {0};
	struct sy_truth t;
	char dir[PATH];
	bool ok;

	snprintf(dir, sizeof(dir), "%s/%s-%llu", b->dir, sy_kind_name(kind),
		 (unsigned long long)seed);
	ok = sy_plan_make(&p, kind, seed) && sy_run_make(&r, &p, SY_WITH_ALL) &&
	     sy_truth_make(&t, &r) && sy_session_write(&r, &t, dir);
	if (ok) {
		sy_score_begin(s, &p, &t);
		s->failed = !ask_all(b, dir, &r, s) || !ask_oracle(&r, s);
		s->done = true;
	}
	if (!ok || s->failed)
		fprintf(stderr, "%s: could not be judged\n", dir);
	remove_session(dir, b->keep);
	sy_run_fini(&r);
	sy_plan_fini(&p);
}

/* ---- all of them */

static void judge_all(const struct bench *b)
{
	for (;;) {
		size_t index = atomic_fetch_add(&b->shared->next, 1);

		if (index >= b->n)
			return;
		judge(b, index);
	}
}

static bool run(const struct bench *b)
{
	pid_t children[JOBS_MAX];
	bool ok = true;

	fflush(NULL);
	for (int j = 0; j < b->jobs; j++) {
		children[j] = fork();
		if (children[j] == 0) {
			judge_all(b);
			_exit(0);
		}
		ok = ok && children[j] > 0;
	}
	for (int j = 0; j < b->jobs; j++) {
		int status = 0;

		if (children[j] > 0)
			ok = waitpid(children[j], &status, 0) == children[j] &&
			     status == 0 && ok;
	}
	return ok;
}

static bool report(const struct bench *b, double seconds)
{
	struct fl_reliability r = {0};
	const struct sy_score *s = b->shared->scores;
	uint64_t transfers = 0;
	size_t failed = 0;
	int missed;

	for (size_t i = 0; i < b->n; i++) {
		transfers += s[i].transfers;
		failed += !s[i].done || s[i].failed;
	}
	sy_print_tables(s, b->n);
	missed = sy_print_bars(s, b->n);
	putchar('\n');
	sy_reliability_of(s, b->n, &r);
	fl_print_reliability(&r);
	sy_print_reach(s, b->n, b->list);
	if (b->list)
		sy_print_misses(s, b->n);
	printf("\n%zu sessions, %llu transfers; %zu could not be judged; %d "
	       "bars fell short\n",
	       b->n, (unsigned long long)transfers, failed, missed);
	fflush(stdout);
	fprintf(stderr, "seed %llu: %.1f s\n", (unsigned long long)b->seed,
		seconds);
	return !b->numbers ||
	       fl_append_reliability(&r, "synchronous", b->numbers);
}

static int bench(struct bench *b)
{
	size_t size = sizeof(*b->shared) + b->n * sizeof(b->shared->scores[0]);
	char made[PATH];
	struct timespec from, to;
	bool ok;

	snprintf(made, sizeof(made), "%s/netan-sync-XXXXXX", b->dir);
	b->shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b->shared == MAP_FAILED || !mkdtemp(made)) {
		perror(made);
		return 1;
	}
	b->dir = made;
	clock_gettime(CLOCK_MONOTONIC, &from);
	ok = run(b);
	clock_gettime(CLOCK_MONOTONIC, &to);
	ok = report(b, (double)(to.tv_sec - from.tv_sec) +
			       (double)(to.tv_nsec - from.tv_nsec) / 1e9) &&
	     ok;
	if (b->keep)
		fprintf(stderr, "the sessions are in %s\n", made);
	else
		rmdir(made);
	munmap(b->shared, size);
	return !ok;
}

static int kind_of(const char *name)
{
	for (int k = 0; k < SY_KINDS; k++)
		if (strcmp(name, sy_kind_name((enum sy_kind)k)) == 0)
			return k;
	fprintf(stderr, "%s: no kind of session; there are", name);
	for (int k = 0; k < SY_KINDS; k++)
		fprintf(stderr, " %s", sy_kind_name((enum sy_kind)k));
	fputc('\n', stderr);
	return -1;
}

static int write_one(const char *dir, const char *kind, uint64_t seed)
{
	struct sy_plan p;
	struct sy_run r = {0};
	struct sy_truth t;
	int k = kind_of(kind);
	bool ok;

	if (k < 0)
		return 2;
	ok = sy_plan_make(&p, (enum sy_kind)k, seed) &&
	     sy_run_make(&r, &p, SY_WITH_ALL) && sy_truth_make(&t, &r) &&
	     sy_session_write(&r, &t, dir);
	if (ok)
		printf("%s, %s.csv, %s.truth.json\n", dir, dir, dir);
	else
		fprintf(stderr, "%s: cannot write\n", dir);
	sy_run_fini(&r);
	sy_plan_fini(&p);
	return !ok;
}

/* ---- options */

static int usage(void)
{
	fputs("usage: sync bench NETAN [-n SESSIONS] [-s SEED] [-j JOBS] "
	      "[-k KIND] [-d DIR] [-t] [-l] [-p] [-r FILE]\n"
	      "       sync write DIR --kind KIND [--seed N]\n",
	      stderr);
	return 2;
}

static int write_main(int argc, char **argv)
{
	const char *kind = NULL;
	uint64_t seed = 1000;

	for (int i = 3; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--kind") == 0)
			kind = argv[i + 1];
		else if (strcmp(argv[i], "--seed") == 0)
			seed = strtoull(argv[i + 1], NULL, 10);
		else
			return usage();
	}
	return kind ? write_one(argv[2], kind, seed) : usage();
}

static int bench_main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	struct bench b = {.netan = argv[2],
			  .dir = tmp ? tmp : "/tmp",
			  .n = 240,
			  .seed = 1,
			  .jobs = 2,
			  .kind = -1};
	int c;

	optind = 3;
	while ((c = getopt(argc, argv, "n:s:j:k:d:r:tlp")) != -1) {
		if (c == 'n')
			b.n = strtoul(optarg, NULL, 10);
		else if (c == 's')
			b.seed = strtoull(optarg, NULL, 10);
		else if (c == 'j')
			b.jobs = atoi(optarg);
		else if (c == 'd')
			b.dir = optarg;
		else if (c == 'r')
			b.numbers = optarg;
		else if (c == 't')
			b.bare = true;
		else if (c == 'l')
			b.list = true;
		else if (c == 'p')
			b.keep = true;
		else if (c == 'k' && (b.kind = kind_of(optarg)) >= 0)
			continue;
		else
			return usage();
	}
	b.jobs = b.jobs < 1 ? 1 : b.jobs > JOBS_MAX ? JOBS_MAX : b.jobs;
	return b.n > 0 ? bench(&b) : usage();
}

int main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "write") == 0)
		return write_main(argc, argv);
	if (argc >= 3 && strcmp(argv[1], "bench") == 0)
		return bench_main(argc, argv);
	return usage();
}

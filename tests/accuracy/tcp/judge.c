/*
 * Holds what netan says of recorded captures against what is true of them.
 *
 *	judge [-j JOBS] [-l wrong|all|every] [-c CONDITION] NETAN CAPTURES
 *
 * CAPTURES is what record.sh made.  -l lists views with netan's words: those
 * that are wrong, all but those that are right, or each; -c: only conditions like this
 * shell pattern.  The exit status is 0 also when much is wrong: the figures
 * are for reading.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/text.h"
#include "tests/accuracy/tcp/score.h"

enum { JOBS_MOST = 64, PATH_BYTES = 4096 };

struct judged {
	char how[NAME_BYTES], file[NAME_BYTES];
	struct scored scored;
	char *verdict;
};

struct condition {
	char name[NAME_BYTES];
	char about[256];
	NA_VEC(struct judged) views;
	bool failed;
};

struct bench {
	const char *netan, *captures;
	NA_VEC(struct condition) all;
	size_t next;
	pthread_mutex_t lock;
};

static bool judge_view(const struct bench *b, const char *dir,
		       const struct truth *t, const struct json *view,
		       struct judged *out)
{
	char hosts[PATH_BYTES], file[PATH_BYTES];
	struct sight sight = truth_sight(t, view);
	struct said said;
	bool ok;

	snprintf(out->how, NAME_BYTES, "%s", sight.how);
	snprintf(out->file, NAME_BYTES, "%s", json_text(view, "file"));
	if (snprintf(hosts, sizeof(hosts), "%s/hosts.csv", dir) >= PATH_BYTES ||
	    snprintf(file, sizeof(file), "%s/%s", dir, out->file) >= PATH_BYTES)
		return false;
	ok = said_of(b->netan, hosts, file, &said);
	if (ok) {
		out->scored = score_view(t, &sight, &said);
		out->verdict = strdup(said.verdict);
	}
	said_free(&said);
	return ok && out->verdict;
}

static bool judge_condition(const struct bench *b, struct condition *c)
{
	char dir[PATH_BYTES];
	struct truth t;
	bool ok;

	if (snprintf(dir, sizeof(dir), "%s/%s", b->captures, c->name) >=
	    PATH_BYTES)
		return false;
	ok = truth_load(dir, &t);
	snprintf(c->about, sizeof(c->about), "%s", json_text(&t.root, "about"));
	for (size_t i = 0; ok && i < json_n(t.views); i++) {
		struct judged *one = na_push(&c->views);

		ok = one && judge_view(b, dir, &t, &t.views->items[i], one);
	}
	truth_free(&t);
	return ok;
}

static void *work(void *arg)
{
	struct bench *b = arg;

	for (;;) {
		size_t i;

		pthread_mutex_lock(&b->lock);
		i = b->next++;
		pthread_mutex_unlock(&b->lock);
		if (i >= b->all.n)
			return NULL;
		b->all.v[i].failed = !judge_condition(b, &b->all.v[i]);
	}
}

static bool run(struct bench *b, int jobs)
{
	pthread_t threads[JOBS_MOST];
	int started = 0;
	bool ok = true;

	pthread_mutex_init(&b->lock, NULL);
	while (started < jobs - 1 && started < JOBS_MOST &&
	       pthread_create(&threads[started], NULL, work, b) == 0)
		started++;
	work(b);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&b->lock);
	for (size_t i = 0; i < b->all.n; i++)
		ok = ok && !b->all.v[i].failed;
	return ok;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct condition *)a)->name,
		      ((const struct condition *)b)->name);
}

static bool find_conditions(struct bench *b, const char *like)
{
	DIR *d = opendir(b->captures);
	const struct dirent *e;
	bool ok = d;

	while (ok && (e = readdir(d))) {
		struct condition *c;

		if (e->d_name[0] == '.' || strlen(e->d_name) >= NAME_BYTES ||
		    strchr(e->d_name, '.') || !na_glob(like, e->d_name))
			continue;
		c = na_push(&b->all);
		ok = c;
		if (ok)
			memcpy(c->name, e->d_name, strlen(e->d_name) + 1);
	}
	if (d)
		closedir(d);
	else
		perror(b->captures);
	if (b->all.n)
		qsort(b->all.v, b->all.n, sizeof(*b->all.v), by_name);
	return ok;
}

/* ---- tables */

struct sums {
	unsigned n[SCORES];
};

static void print_row(const char *name, const struct sums *s)
{
	printf("%-24s %6u %6u %6u %6u\n", name, s->n[RIGHT], s->n[FAIR],
	       s->n[MISSED], s->n[WRONG]);
}

static void print_head(const char *what)
{
	printf("\n%-24s %6s %6s %6s %6s\n", what, "right", "fair", "missed",
	       "wrong");
}

static void print_conditions(const struct bench *b)
{
	struct sums total = {0};

	print_head("condition");
	for (size_t i = 0; i < b->all.n; i++) {
		const struct condition *c = &b->all.v[i];
		struct sums s = {0};

		for (size_t k = 0; k < c->views.n; k++) {
			s.n[c->views.v[k].scored.score]++;
			total.n[c->views.v[k].scored.score]++;
		}
		print_row(c->name, &s);
	}
	print_row("all", &total);
}

static void print_hows(const struct bench *b)
{
	static const char *const hows[] = {"host", "middle", "any",   "cut",
					   "both", "skewed", "lose1", "lose5",
					   "late", "oneway", "noid"};

	print_head("view");
	for (size_t h = 0; h < NA_LEN(hows); h++) {
		struct sums s = {0};

		for (size_t i = 0; i < b->all.n; i++)
			for (size_t k = 0; k < b->all.v[i].views.n; k++) {
				const struct judged *j =
					&b->all.v[i].views.v[k];

				if (strcmp(j->how, hows[h]) == 0)
					s.n[j->scored.score]++;
			}
		print_row(hows[h], &s);
	}
}

static void print_errors(const struct bench *b)
{
	unsigned clean = 0, blamed = 0, dropped = 0, acquitted = 0;

	for (size_t i = 0; i < b->all.n; i++)
		for (size_t k = 0; k < b->all.v[i].views.n; k++) {
			const struct scored *s = &b->all.v[i].views.v[k].scored;

			clean += s->clean;
			blamed += s->blamed;
			dropped += !s->clean;
			acquitted += s->acquitted;
		}
	printf("\nthe network dropped nothing, and a connection loses packets "
	       "or vanished: %u of %u views\n"
	       "the network dropped packets in sight, and is not guilty: "
	       "%u of %u views\n",
	       blamed, clean, acquitted, dropped);
}

static bool is_listed(enum score s, const char *list)
{
	return s == WRONG || (s != RIGHT && strcmp(list, "all") == 0) ||
	       strcmp(list, "every") == 0;
}

static void print_verdicts(const struct bench *b)
{
	struct tally all = {0};

	for (size_t i = 0; i < b->all.n; i++)
		for (size_t k = 0; k < b->all.v[i].views.n; k++) {
			const struct tally *n =
				&b->all.v[i].views.v[k].scored.conns;

			all.touched += n->touched;
			all.told += n->told;
			all.others += n->others;
			all.quiet += n->quiet;
		}
	printf("verdicts of connections, over all views: right for %u of %u "
	       "that the fault touched; %u of %u others accuse nobody\n",
	       all.told, all.touched, all.quiet, all.others);
}

static void print_list(const struct bench *b, const char *list)
{
	static const char *const names[SCORES] = {"right", "fair", "missed",
						  "wrong"};

	puts("");
	for (size_t i = 0; i < b->all.n; i++) {
		const struct condition *c = &b->all.v[i];

		for (size_t k = 0; k < c->views.n; k++) {
			const struct judged *j = &c->views.v[k];
			enum score s = j->scored.score;

			if (!is_listed(s, list))
				continue;
			printf("%s %s/%s (%s): %s\n", names[s], c->name,
			       j->file, c->about, j->scored.why);
			printf("    %s\n",
			       *j->verdict ? j->verdict : "(nothing)");
		}
	}
}

static void free_all(struct bench *b)
{
	for (size_t i = 0; i < b->all.n; i++) {
		for (size_t k = 0; k < b->all.v[i].views.n; k++)
			free(b->all.v[i].views.v[k].verdict);
		na_vec_free(&b->all.v[i].views);
	}
	na_vec_free(&b->all);
}

int main(int argc, char **argv)
{
	const char *list = NULL, *like = "*";
	struct bench b = {0};
	int jobs = 2, c;
	bool ok;

	while ((c = getopt(argc, argv, "j:l:c:")) != -1) {
		if (c == 'j')
			jobs = atoi(optarg);
		else if (c == 'l')
			list = optarg;
		else if (c == 'c')
			like = optarg;
		else
			return 2;
	}
	if (argc - optind != 2)
		return 2;
	b.netan = argv[optind];
	b.captures = argv[optind + 1];
	ok = find_conditions(&b, like) && run(&b, jobs);
	print_conditions(&b);
	print_hows(&b);
	print_errors(&b);
	print_verdicts(&b);
	if (list)
		print_list(&b, list);
	free_all(&b);
	return !ok;
}

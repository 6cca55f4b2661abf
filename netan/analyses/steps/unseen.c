/*
 * steps: hosts whose files are missing (netan/model/hosts/absent.h).  Nobody
 * knows what they did, but the others tell when each of their transfers was
 * sent, and when what they were sent had come.  Who begins the first collective
 * of a launch after all others, time and again, and lets more time pass than
 * the others since data reached it last, is who they wait for: what kept it,
 * its own file would tell.  Collectives of two are left out: who takes part in
 * them does not do the same as others do.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/analyses/steps/court.h"
#include "netan/base/order.h"
#include "netan/stats/tests/tests.h"

enum { LEAST_HOSTS = 3, LEAST_LAUNCHES = 3 };

/* Of the transfers of those without a file: with more that show no time, their
 * clock is ahead, and so are their stamps. */
#define MOST_TIMELESS 0.1
/* So likely is it by chance at most, over all that are compared. */
#define BY_CHANCE 0.01
/* A clock that is ahead hides in latencies, and in no more than these. */
#define LATENCIES 3

/* With files of fewer hosts no collective has enough of them that tell. */
static bool can_tell(const struct st_state *s)
{
	return s->absent.n && s->scope->store->n_sources >= LEAST_HOSTS;
}

/* Devices without a file are numbered behind all hosts. */
static uint32_t subject_of(const struct st_state *s, uint32_t run,
			   uint32_t endpoint)
{
	const struct na_store *store = s->scope->store;
	uint32_t host = na_store_host_of(store, run, endpoint);
	uint32_t group = s->absent.of[host];

	return group == NA_UNKNOWN_U32 ? host
				       : (uint32_t)store->n_hosts + group;
}

static struct st_unseen *unseen_at(struct st_gathered *g, struct na_triple key)
{
	uint32_t k = na_triples_add(&g->unseen_keys, key);

	if (k == NA_NO_TRIPLE ||
	    (k == g->unseen.n &&
	     !na_add(&g->unseen, ((struct st_unseen){.first_ps = NA_TIME_MAX,
						     .last_ps = NA_TIME_MIN}))))
		return NULL;
	return &g->unseen.v[k];
}

static void widen(struct st_unseen *x, const struct st_unseen *by)
{
	x->first_ps = by->first_ps < x->first_ps ? by->first_ps : x->first_ps;
	x->last_ps = by->last_ps > x->last_ps ? by->last_ps : x->last_ps;
	x->latency_ps += by->latency_ps;
	x->n += by->n;
	x->timeless += by->timeless;
}

/* By launch, else by step: of a collective, or (NA_UNKNOWN_U32) of all. */
static bool add(struct st_block *b, const struct na_transfer *t,
		uint32_t collective, uint32_t subject,
		const struct st_unseen *what)
{
	bool launch = t->launch != NA_UNKNOWN_U32;
	uint32_t run = b->main->scope->store->sources[t->input].run;
	struct na_triple of = {launch ? t->launch : t->step, 0,
			       2 * run + !launch};
	uint32_t instance;
	struct st_unseen *x;

	if (of.a == NA_UNKNOWN_U32)
		return true;
	instance = na_triples_add(&b->got.launches_seen, of);
	if (instance == NA_NO_TRIPLE)
		return false;
	x = unseen_at(&b->got,
		      (struct na_triple){instance, collective, subject});
	if (x)
		widen(x, what);
	return x;
}

/* A receive begins when its sender says that it sent. */
bool na_steps_add_unseen(struct st_block *b, const struct na_transfer *t)
{
	const struct st_state *s = b->main;
	uint32_t run = s->scope->store->sources[t->input].run, subject;
	struct st_unseen x = {.first_ps = NA_TIME_MAX, .last_ps = NA_TIME_MIN};
	bool sent = t->side == NA_TX;

	if (!can_tell(s) || t->style >= NA_STYLE_CAPTURE ||
	    (t->klass != NA_VALID && t->klass != NA_CLOCK_SKEW) ||
	    t->collective == NA_UNKNOWN_U32)
		return true;
	subject = subject_of(s, run, sent ? t->dst : t->src);
	if (subject == t->input)
		return true;
	if (sent) {
		x.last_ps = na_host_clocks_time(s->clocks, t->input, t->end_ps);
		return add(b, t, NA_UNKNOWN_U32, subject, &x);
	}
	x.n = 1;
	x.timeless = t->klass == NA_CLOCK_SKEW;
	if (!x.timeless) {
		x.first_ps = subject < s->scope->store->n_hosts
				     ? na_host_clocks_time(s->clocks, subject,
							   t->start_ps)
				     : t->start_ps;
		x.latency_ps = na_time_between(t->start_ps, t->end_ps);
	}
	return add(b, t, t->collective, subject, &x);
}

bool na_steps_merge_unseen(struct st_gathered *g,
			   const struct st_gathered *from)
{
	for (size_t k = 0; k < from->unseen.n; k++) {
		struct na_triple key = from->unseen_keys.keys[k];
		struct st_unseen *x;

		key.a = na_triples_add(&g->launches_seen,
				       from->launches_seen.keys[key.a]);
		x = key.a == NA_NO_TRIPLE ? NULL : unseen_at(g, key);
		if (!x)
			return false;
		widen(x, &from->unseen.v[k]);
	}
	return true;
}

/* ---- who is last */

struct start { /* a subject's in a collective of a launch */
	uint32_t launch, collective, subject;
	int64_t first_ps;
};

NA_ORDER(by_collective, struct start, NA_UP(launch), NA_UP(collective),
	 NA_UP(subject))
NA_ORDER(by_time, struct start, NA_UP(first_ps), NA_UP(subject))

struct launch {      /* of a run: its first collective that the group is in */
	uint32_t at; /* of launches_seen */
	size_t from, to;   /* starts */
	int64_t median_ps; /* of them */
};

NA_ORDER(by_median, struct launch, NA_UP(median_ps), NA_UP(at))

struct looking {
	struct st_state *s;
	struct start *starts; /* by launch and collective */
	size_t n_starts;
	struct launch *launches;
	size_t n_launches;
	int64_t *tmp;     /* by subject, and by launch */
	uint32_t subject; /* the group */
};

static bool list_starts(struct looking *x)
{
	const struct st_gathered *g = &x->s->got;

	x->starts = na_calloc(g->unseen.n, sizeof(*x->starts));
	for (size_t k = 0; x->starts && k < g->unseen.n; k++) {
		const struct na_triple *key = &g->unseen_keys.keys[k];

		if (key->b == NA_UNKNOWN_U32 ||
		    g->unseen.v[k].first_ps == NA_TIME_MAX)
			continue;
		x->starts[x->n_starts++] =
			(struct start){key->a, key->b, key->c,
				       g->unseen.v[k].first_ps};
	}
	if (x->starts)
		na_sort(x->starts, x->n_starts, by_collective);
	return x->starts;
}

static int64_t median_start(const struct looking *x, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		x->tmp[i - from] = x->starts[i].first_ps;
	return na_steps_median_of(x->tmp, to - from);
}

static bool takes_part(const struct looking *x, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (x->starts[i].subject == x->subject)
			return true;
	}
	return false;
}

/* Those whose files are here: others' clocks are unknown, too. */
static size_t present(const struct looking *x, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += x->starts[i].subject < x->s->scope->store->n_sources;
	return n;
}

/* Of each launch the collective that begins first, of those that three hosts
 * or more with files and the group take part in. */
static void list_launches(struct looking *x)
{
	x->n_launches = 0;
	for (size_t from = 0, to; from < x->n_starts; from = to) {
		const struct start *a = &x->starts[from];
		struct launch *last = x->n_launches
					      ? &x->launches[x->n_launches - 1]
					      : NULL;
		struct launch one = {.at = a->launch, .from = from};

		for (to = from; to < x->n_starts &&
				x->starts[to].launch == a->launch &&
				x->starts[to].collective == a->collective;)
			to++;
		if (present(x, from, to) < LEAST_HOSTS ||
		    !takes_part(x, from, to))
			continue;
		one.to = to;
		one.median_ps = median_start(x, from, to);
		if (!last || last->at != one.at)
			x->launches[x->n_launches++] = one;
		else if (one.median_ps < last->median_ps)
			*last = one;
	}
	na_sort(x->launches, x->n_launches, by_median);
}

/* Since data reached it in the launch before; false: not known. */
static bool gap_of(const struct looking *x, const struct launch *before,
		   const struct start *a, int64_t *gap_ps)
{
	const struct st_gathered *g = &x->s->got;
	uint32_t k = na_triples_find(&g->unseen_keys,
				     (struct na_triple){before->at,
							NA_UNKNOWN_U32,
							a->subject});

	if (k == NA_NO_TRIPLE || g->unseen.v[k].last_ps == NA_TIME_MIN)
		return false;
	/* Launches overlap: it may begin before all has reached it. */
	*gap_ps = na_steps_cut((na_i128)a->first_ps - g->unseen.v[k].last_ps);
	return true;
}

/* How much longer that is than the median's; false: not known. */
static bool longer_gap(const struct looking *x, const struct launch *before,
		       const struct launch *l, int64_t *ps)
{
	int64_t own = NA_UNKNOWN_PS, gap;
	size_t n = 0;

	for (size_t i = l->from; i < l->to; i++) {
		if (!gap_of(x, before, &x->starts[i], &gap))
			continue;
		if (x->starts[i].subject == x->subject)
			own = gap;
		x->tmp[n++] = gap;
	}
	if (n < LEAST_HOSTS || own == NA_UNKNOWN_PS)
		return false;
	*ps = na_steps_cut((na_i128)own - na_steps_median_of(x->tmp, n));
	return true;
}

/* Typical time from launch to launch. */
static int64_t period_of(const struct looking *x)
{
	size_t n = 0;

	for (size_t i = 1; i < x->n_launches; i++)
		x->tmp[n++] = na_time_between(x->launches[i - 1].median_ps,
					      x->launches[i].median_ps);
	return na_steps_median_of(x->tmp, n);
}

/* How far it is behind the second and the median of the others, or not last. */
struct behind {
	int64_t second_ps, median_ps;
	bool last;
};

static struct behind behind_of(const struct looking *x, const struct launch *l)
{
	size_t n = l->to - l->from;
	struct start *at = x->starts + l->from;

	na_sort(at, n, by_time);
	if (at[n - 1].subject != x->subject)
		return (struct behind){.last = false};
	return (struct behind){
		.second_ps = na_time_between(at[n - 2].first_ps,
					     at[n - 1].first_ps),
		.median_ps = na_time_between(at[(n - 1) / 2].first_ps,
					     at[n - 1].first_ps),
		.last = true,
	};
}

static void try_launch(const struct looking *x, size_t i, int64_t period_ps,
		       struct st_verdict *v, int64_t *late)
{
	const struct launch *l = &x->launches[i];
	struct behind b;
	int64_t longer_ps;

	if (!longer_gap(x, l - 1, l, &longer_ps))
		return;
	v->n++;
	v->expected += 1.0 / (double)(l->to - l->from);
	b = behind_of(x, l);
	if (!b.last || !na_steps_late(b.median_ps, period_ps) ||
	    longer_ps <= b.median_ps / 2)
		return;
	late[v->last++] = b.median_ps;
	v->lost_ps += b.second_ps;
}

/* Latencies of all, and of the group how many show no time. */
static int64_t mean_latency(const struct looking *x, double *timeless)
{
	const struct st_gathered *g = &x->s->got;
	na_i128 sum = 0;
	uint64_t n = 0, own = 0, clamped = 0;

	for (size_t k = 0; k < g->unseen.n; k++) {
		const struct st_unseen *u = &g->unseen.v[k];

		sum += u->latency_ps;
		n += u->n - u->timeless;
		if (g->unseen_keys.keys[k].c != x->subject)
			continue;
		own += u->n;
		clamped += u->timeless;
	}
	*timeless = own ? (double)clamped / (double)own : 1;
	return n ? na_steps_cut(sum / (na_i128)n) : 0;
}

static size_t subjects_of(const struct looking *x)
{
	size_t most = 0;

	for (size_t i = 0; i < x->n_launches; i++) {
		size_t n = x->launches[i].to - x->launches[i].from;

		most = n > most ? n : most;
	}
	return most;
}

static void judge_group(struct looking *x, struct st_late_group *out)
{
	int64_t *late = x->tmp + x->n_starts, latency_ps, period_ps;
	struct st_verdict *v = &out->v;
	double timeless;

	list_launches(x);
	period_ps = period_of(x);
	for (size_t i = 1; i < x->n_launches; i++)
		try_launch(x, i, period_ps, v, late);
	latency_ps = mean_latency(x, &timeless);
	if (!v->n)
		return;
	out->p = na_binomial_upper(v->last, v->n, v->expected / (double)v->n);
	v->effect_ps = na_steps_median_of(late, v->last);
	v->typical_ps = period_ps;
	v->named = v->n >= LEAST_LAUNCHES &&
		   out->p * (double)subjects_of(x) <= BY_CHANCE &&
		   2 * v->last > v->n && timeless <= MOST_TIMELESS &&
		   v->effect_ps / LATENCIES > latency_ps;
}

/* Stamps of hosts that have no clock in common with others say nothing. */
static bool own_clocks(const struct st_state *s, uint32_t run)
{
	for (size_t i = 0; i < s->scope->store->n_sources; i++) {
		if (s->scope->store->sources[i].run == run &&
		    s->scope->store->sources[i].own_clock)
			return true;
	}
	return false;
}

bool na_steps_judge_unseen(struct st_state *s)
{
	struct looking x = {.s = s};
	bool ok = !can_tell(s) || list_starts(&x);

	if (ok && can_tell(s)) {
		x.launches = na_calloc(x.n_starts, sizeof(*x.launches));
		x.tmp = na_calloc(2 * x.n_starts + 1, sizeof(*x.tmp));
		ok = x.launches && x.tmp;
	}
	for (uint32_t g = 0; ok && g < s->absent.n; g++) {
		struct st_late_group *out = na_push(&s->late_groups);

		ok = out != NULL;
		if (!ok)
			break;
		out->group = g;
		out->p = (double)NAN;
		if (!can_tell(s) || own_clocks(s, s->absent.groups[g].run))
			continue;
		x.subject = (uint32_t)s->scope->store->n_hosts + g;
		na_sort(x.starts, x.n_starts, by_collective);
		judge_group(&x, out);
	}
	free(x.starts);
	free(x.launches);
	free(x.tmp);
	return ok;
}

/* pairs: quantiles of each pair, then the localisation of each run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/vec.h"
#include "netan/stats/samples/select.h"

enum { JOBS = 32, SORTED = 1 << 16 };

struct quantiles {
	struct pairs_state *s;
	double *ahead_us; /* by node: its clock, as it is corrected */
	bool ok[JOBS];
};

static double corrected(const struct quantiles *q, const struct pairs_pair *p,
			double us)
{
	double by_us = q->ahead_us[p->dst] - q->ahead_us[p->src];

	return fabs(by_us) > 0 ? fmax(us - by_us, 0) : us;
}

/* Clamped rows are the lowest: quantiles of what is above them. */
static void pair_quantiles(const struct quantiles *of,
			   const struct pairs_pair *p,
			   struct pairs_quantiles *to, double *tmp)
{
	const struct pairs_state *s = of->s;
	size_t rows = na_pairs_rows_of(s, p), n = (size_t)s->sums.v[p->found].n;
	double at[2] = {0.5, 0.99}, q[2] = {NAN, NAN};

	if (n < rows && rows > 1) {
		for (size_t i = 0; i < 2 && n; i++)
			at[i] = ((double)(rows - n) + (double)(n - 1) * at[i]) /
				(double)(rows - 1);
	}
	if (n)
		na_quantiles_of(&s->rows[p->first].latency_us, sizeof(*s->rows),
				rows, at, q, 2, tmp, SORTED);
	to->p50_us = n ? corrected(of, p, q[0]) : (double)NAN;
	to->p99_us = n ? corrected(of, p, q[1]) : (double)NAN;
}

static void quantiles_job(void *arg, size_t job)
{
	struct quantiles *q = arg;
	struct pairs_state *s = q->s;
	size_t rows = (size_t)s->ends.n;
	size_t from = rows / JOBS * job;
	size_t to = job + 1 < JOBS ? rows / JOBS * (job + 1) : SIZE_MAX;
	double *tmp = na_calloc(2 * SORTED, sizeof(*tmp));

	for (size_t i = 0; tmp && i < s->keys.n; i++) {
		if (s->pairs[i].first >= from && s->pairs[i].first < to)
			pair_quantiles(q, &s->pairs[i], &s->quantiles[i], tmp);
	}
	q->ok[job] = tmp != NULL;
	free(tmp);
}

static void put_ahead(const struct pairs_state *s, double *ahead_us)
{
	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct pairs_run *run = &s->runs[i];

		for (size_t k = 0; k < run->found.n_clocks; k++) {
			const struct na_lz_clock *c = &run->found.clocks[k];

			ahead_us[run->node0 + c->host] = c->ahead_us;
		}
	}
}

static bool all_quantiles(struct pairs_state *s)
{
	struct quantiles q = {
		.s = s,
		.ahead_us = na_calloc(s->nodes.n, sizeof(*q.ahead_us)),
	};
	bool ok = q.ahead_us != NULL;

	s->quantiles = na_calloc(s->keys.n, sizeof(*s->quantiles));
	if (ok)
		put_ahead(s, q.ahead_us);
	ok = ok && s->quantiles &&
	     na_side_by_side(s->scope, JOBS, quantiles_job, &q);
	for (size_t i = 0; ok && i < JOBS; i++)
		ok = q.ok[i];
	free(q.ahead_us);
	return ok;
}

static uint32_t classes(const struct na_topology *t)
{
	return t->of_pairs ? (uint32_t)t->classes.n : NA_TOPO_CLASSES;
}

/* Paths of which the topology says nothing are a class of their own. */
static uint32_t class_of(const struct pairs_state *s,
			 const struct pairs_pair *p)
{
	const struct na_store *store = s->scope->store;
	const struct na_topology *t = store->topology;
	uint32_t c = na_store_class(store, s->nodes.v[p->src].host,
				    s->nodes.v[p->dst].host);

	return c < classes(t) ? c : classes(t);
}

/* Of pairs: some are of one class, some of another. */
static void place_by_classes(const struct pairs_state *s, struct pairs_run *run)
{
	uint32_t n = classes(s->scope->store->topology), first = n;

	run->placed = true;
	for (size_t i = 0; i < run->n_remote; i++) {
		uint32_t c = class_of(s, &s->pairs[run->pair0 + i]);

		run->placed &= c != n;
		run->classed |= first != n && c != n && c != first;
		first = first == n ? c : first;
	}
}

/* Of hosts: some share a rack, and some do not. */
static bool place_by_racks(const struct pairs_state *s, struct pairs_run *run)
{
	const struct na_store *store = s->scope->store;
	struct na_triples hosts = {0}, racks = {0};
	bool ok = true;

	run->placed = true;
	for (size_t i = 0; ok && i < run->n_nodes; i++) {
		uint32_t host = s->nodes.v[run->node0 + i].host;
		uint32_t rack = na_store_rack(store, host);

		run->placed &= rack != NA_UNKNOWN_U32;
		if (rack == NA_UNKNOWN_U32)
			continue;
		ok = na_triples_add(&hosts, (struct na_triple){host, 0, 0}) !=
			     NA_NO_TRIPLE &&
		     na_triples_add(&racks, (struct na_triple){rack, 0, 0}) !=
			     NA_NO_TRIPLE;
	}
	run->classed = racks.n > 1 && racks.n < hosts.n;
	na_triples_fini(&hosts);
	na_triples_fini(&racks);
	return ok;
}

/* One rack of all hosts, or one for each, says that no path is farther than
 * another, and nothing here could contradict it: as if nobody had said so. */
static bool place(const struct pairs_state *s, struct pairs_run *run)
{
	const struct na_topology *t = s->scope->store->topology;
	bool ok = true;

	run->classed = run->placed = false;
	if (t && t->of_pairs)
		place_by_classes(s, run);
	else if (t)
		ok = place_by_racks(s, run);
	run->placed &= run->classed;
	return ok;
}

/* A run's pairs as the localisation knows them, in the place of those that
 * they are: a million of both were too many. */
_Static_assert(sizeof(struct na_lz_pair) == sizeof(struct pairs_pair) &&
		       _Alignof(struct na_lz_pair) ==
			       _Alignof(struct pairs_pair),
	       "one lies where the other did");

static struct na_lz_pair *lend_pairs(struct pairs_state *s,
				     const struct pairs_run *run)
{
	struct pairs_pair *v = &s->pairs[run->pair0];

	for (size_t i = 0; i < run->n_remote; i++) {
		const struct pairs_pair p = v[i];
		const struct na_lz_pair x = {
			.src = p.src - (uint32_t)run->node0,
			.dst = p.dst - (uint32_t)run->node0,
			.locality = run->classed ? class_of(s, &p) : 0,
			.first = p.first - run->row0,
			.n = (uint32_t)na_pairs_rows_of(s, &p),
		};

		memcpy(&v[i], &x, sizeof(x));
	}
	return (void *)v;
}

static void take_pairs_back(struct pairs_state *s, const struct pairs_run *run)
{
	struct pairs_pair *v = &s->pairs[run->pair0];

	for (size_t i = 0; i < run->n_remote; i++) {
		struct na_lz_pair x;
		struct pairs_pair p;

		memcpy(&x, &v[i], sizeof(x));
		p = (struct pairs_pair){
			.run = (uint32_t)(run - s->runs) & INT32_MAX,
			.src = x.src + (uint32_t)run->node0,
			.dst = x.dst + (uint32_t)run->node0,
			.found = (uint32_t)(run->pair0 + i),
			.first = x.first + run->row0,
		};
		memcpy(&v[i], &p, sizeof(p));
	}
}

bool na_pairs_captured(const struct na_store *store, uint32_t run)
{
	unsigned styles = na_store_styles(store, run);

	return styles && !(styles & ~NA_STYLES_OF_PACKETS);
}

static void swap(struct na_lz_finding **a, size_t *n, struct na_lz_finding **b,
		 size_t *m)
{
	struct na_lz_finding *v = *a;
	size_t k = *n;

	*a = *b;
	*n = *m;
	*b = v;
	*m = k;
}

/* Nothing above two thirds of what naming takes. */
#define CALM 0.67
/* Of the transfers: paths that nobody compared are not acquitted. */
#define UNSEEN 0.05

static bool put_pattern(struct na_lz_result *r, bool is, const char *what,
			const char *needs)
{
	return !is || na_lz_undecided_add(r, what, needs, 0);
}

/* What the tests saw and could not give to anybody. */
static bool put_patterns(struct pairs_state *s, const struct pairs_run *run,
			 struct na_lz_result *r, const struct na_wire_result *w)
{
	bool block = w->block.kind != NA_LZ_KINDS;

	return (r->n_findings || na_pairs_put_block(s, run, r, w)) &&
	       (!(w->n_slow || w->ways.pairs) || r->n_findings || block ||
		na_pairs_put_slow(s, run, r, w)) &&
	       (r->n_findings || na_pairs_put_across(s, run, r, w)) &&
	       (w->unseen + w->fleeting <= UNSEEN || w->fleeting < w->unseen ||
		r->n_findings || na_pairs_put_fleeting(s, r, w)) &&
	       put_pattern(r,
			   w->unseen + w->fleeting > UNSEEN &&
				   w->fleeting < w->unseen && !r->n_findings,
			   "some connections have too few others beside them "
			   "to be compared with",
			   "a job in which more hosts talk to each other, or "
			   "iperf3 between the racks") &&
	       na_pairs_put_flapping(s, run, r, w) &&
	       put_pattern(r, w->timeouts > 0,
			   "transfers wait for a retransmission timer, and no "
			   "side has more than its share",
			   "packets of both ends (netan capture), or nstat on "
			   "all hosts");
}

/* By pair, once they are what they were. */
static bool take_alike(const struct pairs_state *s, struct pairs_run *run,
		       const struct na_wire_result *w)
{
	uint32_t node0 = (uint32_t)run->node0;

	if (!w->n_alike)
		return true;
	run->alike = na_calloc(run->n_remote, sizeof(*run->alike));
	for (size_t i = 0; run->alike && i < run->n_remote; i++)
		run->alike[i] = NAN;
	for (size_t i = 0; run->alike && i < w->n_alike; i++) {
		const struct na_wire_alike *x = &w->alike[i];
		size_t p = na_pairs_at(s, run, x->src + node0, x->dst + node0);

		if (p < run->n_remote)
			run->alike[p] = x->effect;
	}
	return run->alike;
}

/* By pair: its transfers that waited for a timer. */
static bool take_late(const struct pairs_state *s, struct pairs_run *run,
		      const struct na_wire_result *w)
{
	uint32_t node0 = (uint32_t)run->node0;

	if (!w->n_late)
		return true;
	run->late = na_calloc(run->n_remote, sizeof(*run->late));
	for (size_t i = 0; run->late && i < w->n_late; i++) {
		size_t p = na_pairs_at(s, run, w->late[i].src + node0,
				       w->late[i].dst + node0);

		if (p < run->n_remote)
			run->late[p]++;
	}
	return run->late;
}

static bool retell(struct pairs_state *s, struct pairs_run *run,
		   struct na_wire_result *w)
{
	struct na_lz_result *r = &run->found;

	swap(&r->findings, &r->n_findings, &w->findings, &w->n_findings);
	na_lz_undecided_clear(r);
	free(r->power);
	r->power = w->power;
	r->n_power = w->n_power;
	w->power = NULL;
	r->one_clock = !w->two_clocks;
	run->by_groups = run->first_of != NULL;
	/* Whether sends end with their acknowledgement, receives would say. */
	r->suspicious = w->strongest > CALM || w->n_slow || w->suspects ||
			w->timeouts || w->two_clocks || na_pairs_of_sends(s);
	return take_alike(s, run, w) && take_late(s, run, w) &&
	       put_patterns(s, run, r, w);
}

/* Of a kind of sides, of which a host has both; losses are of a host whoever
 * else has some. */
static bool may_share(const struct na_lz_finding *f, enum na_lz_kind kind)
{
	return (f->who.kind == kind || f->who.kind == NA_LZ_HOST) &&
	       f->channel != NA_LZ_RATE;
}

/* How many, at least, are slow; by host, which may share a link. */
static size_t slow_sides(const struct na_lz_result *r, enum na_lz_kind kind,
			 bool *mixed)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_findings; i++) {
		const struct na_lz_finding *f = &r->findings[i];

		if (!may_share(f, kind))
			continue;
		mixed[f->who.a] |= !f->is_own;
		n += f->has_equals ? 2 : 1;
	}
	return n;
}

static void drop(struct na_lz_finding *f)
{
	free(f->windows);
	free(f->alternatives);
}

static void drop_mixed(struct na_lz_result *r, enum na_lz_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_findings; i++) {
		struct na_lz_finding *f = &r->findings[i];

		if (may_share(f, kind) && !f->is_own)
			drop(f);
		else
			r->findings[n++] = *f;
	}
	r->n_findings = n;
}

/* Calls take as long as their servers do: beside messages that go one way,
 * whoever serves them stands out. */
static bool unmix_calls(const struct pairs_state *s, struct pairs_run *run)
{
	struct na_lz_result *r = &run->found;
	uint64_t all = 0;

	/* Beside transfers of traces no call is looked at. */
	if (!na_pairs_captured(s->scope->store, (uint32_t)(run - s->runs)))
		return true;
	for (size_t i = 0; i < s->sums.n; i++)
		all += s->sums.v[i].n;
	if (!r->n_findings || !s->calls || s->calls == all)
		return true;
	while (r->n_findings)
		drop(&r->findings[--r->n_findings]);
	return na_lz_undecided_add(
		r,
		"who stands out may do so for its calls, which hold the "
		"server's own time and are held against messages one way here",
		"each by itself: --component rpc, --component network", 0);
}

/* Of a pair's receives: with more that show no time, those that do are a
 * selection.  Of the pairs: more than one clock makes so many of them. */
#define TIMELESS 0.1
#define APART    0.25

static bool are_apart(const struct pairs_state *s, const struct pairs_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_remote; i++) {
		const struct pairs_pair *p = &s->pairs[run->pair0 + i];
		size_t rows = na_pairs_rows_of(s, p);
		double valid = (double)s->sums.v[p->found].n;

		n += (double)rows - valid > TIMELESS * (double)rows;
	}
	return (double)n > APART * (double)run->n_remote;
}

/* Of receives alone, timed by clocks that differ by more than they take. */
static bool unmix_clocks(const struct pairs_state *s, struct pairs_run *run)
{
	struct na_lz_result *r = &run->found;

	if (!r->n_findings || !are_apart(s, run))
		return true;
	while (r->n_findings)
		drop(&r->findings[--r->n_findings]);
	return na_lz_undecided_add(
		r,
		"somebody stands out, but many pairs show no time, as clocks "
		"differ: what is left of them is a selection",
		"clocks that agree (chronyc tracking on all hosts), or traces "
		"whose sends end with their acknowledgement", 0);
}

static bool put_mixed(const struct pairs_state *s, const struct pairs_run *run,
		      struct na_lz_result *r, bool transmit, const bool *mixed)
{
	struct na_lz_undecided *u = na_lz_undecided_add(
		r,
		transmit ? "the transmit sides of several hosts are slow, or a "
			   "link that they share"
			 : "the receive sides of several hosts are slow, or a "
			   "link that they share",
		"the topology (--topology FILE): which hosts share a rack's "
		"links",
		run->n_remote);

	if (!u)
		return false;
	for (uint32_t p = 0; p < run->n_remote; p++) {
		const struct pairs_pair *x = &s->pairs[run->pair0 + p];
		size_t host = (transmit ? x->src : x->dst) - run->node0;

		if (mixed[host])
			u->pairs[u->n_pairs++] = p;
	}
	return true;
}

/* Is it told of these sides that they may share a link? */
static bool tell_mixed(const struct pairs_state *s, struct pairs_run *run,
		       enum na_lz_kind kind, bool *told)
{
	bool *mixed = na_calloc(run->n_nodes, sizeof(*mixed)), ok = mixed;

	*told = ok && slow_sides(&run->found, kind, mixed) > 1 &&
		memchr(mixed, true, run->n_nodes);
	if (*told)
		ok = put_mixed(s, run, &run->found, kind == NA_LZ_SRC, mixed);
	free(mixed);
	return ok;
}

/* Without the topology, several hosts that are slow on one side may as well
 * share a link: then none is named.  Who is slow on both counts for both. */
static bool unmix(const struct pairs_state *s, struct pairs_run *run)
{
	static const enum na_lz_kind kinds[] = {NA_LZ_SRC, NA_LZ_DST};
	bool told[NA_LEN(kinds)] = {false}, ok = true;

	if (run->placed)
		return true;
	for (size_t k = 0; ok && k < NA_LEN(kinds); k++)
		ok = tell_mixed(s, run, kinds[k], &told[k]);
	for (size_t k = 0; k < NA_LEN(kinds); k++) {
		if (told[k])
			drop_mixed(&run->found, kinds[k]);
	}
	return ok;
}

/* What sends say of a side is worth more than what receives do. */
static enum na_status by_sends(struct pairs_state *s, struct pairs_run *run,
			       struct na_err *err)
{
	struct na_wire_result found = {0};
	bool able;
	enum na_status st = na_pairs_judge_sends(s, run, &found, &able, err);

	if (st == NA_OK && able) {
		if (!retell(s, run, &found) || !unmix(s, run))
			st = na_fail_nomem(err);
	} else if (st == NA_OK && !unmix_clocks(s, run)) {
		st = na_fail_nomem(err);
	}
	na_wire_result_fini(&found);
	return st;
}

const struct na_host_clocks *na_pairs_clocks(struct pairs_state *s)
{
	if (!s->clocks)
		s->clocks = na_host_clocks_of(s->scope, NULL, &s->own_clocks);
	return s->clocks;
}

/* What bounds the clocks of a run's hosts. */
struct bounds {
	struct pairs_state *s;
	const struct pairs_run *run;
	bool failed;
};

static bool clock_bounds(void *ctx, uint32_t a, uint32_t b, double *least_us,
			 double *most_us)
{
	struct bounds *x = ctx;
	const struct na_host_clocks *clocks;
	int64_t ahead_ps, known_ps;

	clocks = x->failed ? NULL : na_pairs_clocks(x->s);
	x->failed = !clocks;
	if (x->failed)
		return false;
	ahead_ps = na_host_clocks_ahead(
		clocks, na_pairs_node_at(x->s, x->run, a)->host,
		na_pairs_node_at(x->s, x->run, b)->host, &known_ps);
	*least_us = na_us(ahead_ps) - na_us(known_ps);
	*most_us = na_us(ahead_ps) + na_us(known_ps);
	return known_ps < NA_TIME_MAX;
}

static void forget_sent(struct pairs_run *run)
{
	free(run->sent_us);
	run->sent_us = NULL;
}

static enum na_status localise(struct pairs_state *s, struct pairs_run *run,
			       struct na_err *err)
{
	struct bounds bounds = {.s = s, .run = run};
	struct na_lz_input in = {
		.n_hosts = run->n_nodes,
		.n_pairs = run->n_remote,
		.n_transfers = run->n_rows,
		.n_moments = s->moments.n,
		.transfers = s->rows + run->row0,
		.moments = s->lz_moments,
		.locality_given = run->classed,
		.tick_us = na_us(s->tick_ps),
	};
	uint32_t index = (uint32_t)(run - s->runs);
	const struct na_lz_options opt = {
		/* One clock has timed both ends of a call. */
		.off = na_pairs_captured(s->scope->store, index)
			       ? UINT64_C(1) << NA_LZ_PART_CLOCKS
			       : 0,
		.parallel = s->scope->parallel,
		.parallel_ctx = s->scope->parallel_ctx,
		.clock_bounds = clock_bounds,
		.clock_ctx = &bounds,
	};
	enum na_status st;
	bool moved;

	if (!na_pairs_sent_us(s, run, &moved))
		return na_fail_nomem(err);
	in.sent_us = moved ? run->sent_us : NULL;
	in.pairs = lend_pairs(s, run);
	st = na_localise(&in, &opt, &run->found, err);
	if (st == NA_OK && bounds.failed)
		st = na_fail_nomem(err);
	take_pairs_back(s, run);
	if (st == NA_OK)
		st = by_sends(s, run, err);
	if (st == NA_OK && !unmix_calls(s, run))
		return na_fail_nomem(err);
	if (st == NA_OK && na_pairs_fold(s, run) != NA_OK)
		return na_fail_nomem(err);
	/* Of sends alone the pairs tell it. */
	if (!run->found.n_findings || !run->found.one_clock ||
	    na_pairs_of_sends(s))
		forget_sent(run);
	return st;
}

/* Once the rows of pairs have told their quantiles. */
static bool find_roles(struct pairs_state *s)
{
	bool ok = true;

	for (size_t i = 0; ok && i < s->scope->store->n_runs; i++) {
		struct pairs_run *run = &s->runs[i];

		ok = na_pairs_judge_two(s, run) &&
		     (run->found.one_clock || na_pairs_doubt_sides(s, run)) &&
		     na_pairs_find_roles(s, run);
	}
	return ok;
}

enum na_status na_pairs_judge(struct pairs_state *s, struct na_err *err)
{
	enum na_status st = NA_OK;

	if (!na_pairs_find_absent(s))
		return na_fail_nomem(err);
	for (size_t i = 0; st == NA_OK && i < s->scope->store->n_runs; i++) {
		/* Runs without a transfer keep a result of zeros. */
		if (!s->runs[i].n_remote)
			continue;
		st = place(s, &s->runs[i]) ? localise(s, &s->runs[i], err)
					   : na_fail_nomem(err);
	}
	na_host_clocks_fini(&s->own_clocks);
	s->clocks = NULL;
	/* Last, when what localising needs is gone. */
	if (st == NA_OK && (!all_quantiles(s) || !find_roles(s)))
		return na_fail_nomem(err);
	return st;
}

static enum na_severity severity_of_run(const struct na_lz_result *f)
{
	for (size_t i = 0; i < f->n_findings; i++) {
		if (na_pairs_is_sure(&f->findings[i]))
			return NA_SEV_ERROR;
	}
	if (f->n_findings || f->n_clocks || f->n_stalls)
		return NA_SEV_WARNING;
	return f->n_undecided ? NA_SEV_INFO : NA_SEV_NONE;
}

enum na_severity na_pairs_severity(const void *state)
{
	const struct pairs_state *s = state;
	enum na_severity worst = NA_SEV_NONE;

	for (size_t i = 0; s->runs && i < s->scope->store->n_runs; i++) {
		enum na_severity v = severity_of_run(&s->runs[i].found);

		worst = v > worst ? v : worst;
	}
	return worst;
}

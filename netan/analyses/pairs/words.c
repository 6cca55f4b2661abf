/* pairs: findings in words. */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"
#include "netan/base/units.h"
#include "netan/methods/sides.h"

const char *const na_pairs_channel_names[NA_MECHANISMS] = {
	[NA_MECH_LEVEL] = "all",
	[NA_MECH_LARGE] = "large",
	[NA_MECH_LATE] = "rate",
};

/* What the topology calls the rack of a host: "rack-7", "rack B7". */
static bool say_rack_name(struct na_str *w, const struct pairs_state *s,
			  const struct pairs_node *x)
{
	const struct na_store *store = s->scope->store;
	uint32_t rack = na_store_rack(store, x->host);
	const char *name;

	if (rack == NA_UNKNOWN_U32)
		return false;
	name = na_strtab_at(&store->topology->racks, rack);
	na_str_addf(w, "%s%.60s", strncmp(name, "rack", 4) == 0 ? "" : "rack ",
		    name);
	return true;
}

/* Its name, or "rack {host-0, host-1 and 6 more}" */
static void say_rack(struct na_str *w, const struct pairs_run *run,
		     uint32_t rack)
{
	const struct pairs_state *s = run->of;
	size_t n = 0;

	for (uint32_t h = 0; h < run->n_nodes; h++) {
		if (!run->rack_of || run->rack_of[h] != rack)
			continue;
		if (!n && say_rack_name(w, s, &run->nodes[h]))
			return;
		if (++n <= 2)
			na_str_addf(w, "%s%.60s", n > 1 ? ", " : "rack {",
				    run->nodes[h].name);
	}
	if (n > 2)
		na_str_addf(w, " and %zu more", n - 2);
	na_str_addf(w, "%s", n ? "}" : "");
}

/* One of several of a host. */
static void say_device(struct na_str *w, const struct pairs_run *run,
		       uint32_t device)
{
	const struct na_names *names = &run->of->scope->store->names;
	char buf[NA_ENDPOINT_BUF];

	na_endpoint_print(buf, names, &names->endpoints[device]);
	na_str_addf(w, "%s on ", buf);
}

/* Whose side, or who. */
static void say_host(struct na_str *w, const struct pairs_run *run,
		     uint32_t node, bool whole)
{
	const struct pairs_node *n = &run->nodes[node];
	const struct na_absent_group *g = na_pairs_group_of(run, node);
	char buf[NA_ABSENT_BUF];

	if (g)
		na_absent_print(buf, g, run->of->scope->store);
	na_str_addf(w, "%.*s", g ? NA_ABSENT_BUF : 60,
		    g       ? buf
		    : whole ? n->host_name
			    : n->name);
}

void na_pairs_say_who(struct na_str *w, const struct pairs_run *run,
		      const struct na_place *who, bool whole)
{
	switch (who->cause) {
	case NA_JUDGE_PAIR:
		na_str_addf(w, "path %.60s -> ", run->nodes[who->a].name);
		na_str_addf(w, "%.60s", run->nodes[who->b].name);
		return;
	case NA_JUDGE_RACK_UPLINK:
		na_str_addf(w, "uplink of ");
		say_rack(w, run, who->a);
		return;
	case NA_JUDGE_RACK_DOWNLINK:
		na_str_addf(w, "downlink of ");
		say_rack(w, run, who->a);
		return;
	case NA_JUDGE_RACK_PAIR:
		na_str_addf(w, "links from ");
		say_rack(w, run, who->a);
		na_str_addf(w, " to ");
		say_rack(w, run, who->b);
		return;
	default:
		na_str_addf(w, "%s", na_side_of(na_judge_kinds[who->cause]));
		if (who->b != NA_JUDGE_NONE && !na_pairs_group_of(run, who->a))
			say_device(w, run, who->b);
		say_host(w, run, who->a, whole);
	}
}

static void say_finding(struct na_str *w, const struct pairs_run *run,
			const struct na_judge_finding *f)
{
	char x[NA_UNIT_BUF];

	na_pairs_say_who(w, run, &f->place, na_pairs_is_whole(run, f));
	for (size_t i = 0; i < f->n_alternatives && i < 3; i++) {
		na_str_addf(w, " or ");
		na_pairs_say_who(w, run, &f->alternatives[i].place, false);
	}
	na_print_number(x, exp(f->effect), 3);
	if (f->mechanism == NA_MECH_LATE)
		na_str_addf(w, " (late transfers, %s times the usual rate)", x);
	else
		na_str_addf(w, " (%sx%s%s)", x,
			    na_pairs_is_of_two(run)
				    ? " slower than the way back"
				    : "",
			    f->mechanism == NA_MECH_LARGE
				    ? " in large transfers"
				    : "");
}

/* Pairs that are certainly slow although no side is named: delayed by others,
 * or too few to decide.  A slice that only they come from, or go to, is named. */
struct slow {
	size_t n;
	double most; /* log */
	int32_t slice[2];
	bool shared[2];
};

static void add_slow(struct slow *x, const struct pairs_run *run,
		     const struct pairs_pair *p, double effect)
{
	const uint32_t ends[2] = {p->src, p->dst};

	for (size_t i = 0; i < 2; i++) {
		int32_t slice = run->nodes[ends[i]].first.slice;

		/* Addresses have none. */
		x->shared[i] = slice != NA_ADDRESS &&
			       (!x->n ||
				(x->shared[i] && slice == x->slice[i]));
		x->slice[i] = slice;
	}
	x->most = fmax(x->most, effect);
	x->n++;
}

static void say_slow(struct na_str *w, const struct pairs_run *run)
{
	const struct pairs_state *s = run->of;
	const double slow = log(PAIRS_SLOWER);
	struct slow x = {.n = 0}, all = {.n = 0};
	double few = 0;
	char number[NA_UNIT_BUF];

	for (size_t i = 0; i < run->n_remote; i++) {
		const struct pairs_effect *r = &run->effects[i];
		const struct pairs_pair *p = &run->pairs[i];

		add_slow(&all, run, p, 0);
		if (na_pairs_is_few(s, p))
			few = fmax(few, r->effect);
		if (r->q_value <= 0.01 && r->effect > slow &&
		    !na_pairs_is_few(s, p))
			add_slow(&x, run, p, r->effect);
	}
	if (!x.n)
		return;
	na_str_addf(w, "; %zu slow pair%s without a cause (up to %sx", x.n,
		    na_plural(x.n), na_print_number(number, exp(x.most), 3));
	/* The table has rows that say more. */
	if (few > x.most)
		na_str_addf(w, ", of %d or more transfers", (int)PAIRS_FEW);
	na_str_addf(w, ")");
	if (x.n > 1 && x.shared[0] && !all.shared[0])
		na_str_addf(w, ", all from slice %d", x.slice[0]);
	if (x.n > 1 && x.shared[1] && !all.shared[1])
		na_str_addf(w, ", all to slice %d", x.slice[1]);
}

const char *na_pairs_ends(const struct pairs_state *s)
{
	if (na_store_of_ranks(s->scope->store))
		return "ranks";
	if (s->of_hosts)
		return "hosts";
	return s->nodes.n && s->nodes.v[0].first.slice == NA_ADDRESS
		       ? "addresses"
		       : "devices";
}

bool na_pairs_all_captured(const struct pairs_state *s)
{
	for (uint32_t run = 0; run < s->scope->store->n_runs; run++) {
		if (!s->runs[run].captured)
			return false;
	}
	return s->keys.n > 0;
}

bool na_pairs_one_file(const struct pairs_state *s)
{
	return na_pairs_files(s->scope->store) == 1 &&
	       !na_pairs_all_captured(s);
}

void na_pairs_say_open(struct na_str *w, const struct pairs_run *run,
		       const struct na_rival *x)
{
	char odds[NA_UNIT_BUF];

	na_pairs_say_who(w, run, &x->place, false);
	na_print_number(odds, exp(fmin(x->log_odds, 20)), 2);
	na_str_addf(w, " may be slow (odds %s to 1 against no fault)", odds);
}

/* The most likely place, though nothing is named. */
static bool say_likeliest(struct na_str *w, const struct pairs_run *run)
{
	const struct na_judge_result *f = &run->found;

	if (!f->n_open || !(f->open[0].log_odds > 0))
		return false;
	na_pairs_say_open(w, run, &f->open[0]);
	return true;
}

bool na_pairs_too_few(const struct pairs_run *run)
{
	return run->n_remote < PAIRS_LEAST && !run->found.n_findings;
}

bool na_pairs_is_of_two(const struct pairs_run *run)
{
	return run->n_nodes == 2;
}

const struct pairs_pair *na_pairs_two_ways(const struct pairs_run *run)
{
	return run->n_nodes == 2 && run->n_remote == 2 && run->effects
		       ? run->pairs
		       : NULL;
}

/* One way there are too few transfers to compare; NULL: both ways there are
 * enough. */
static const struct pairs_pair *sparse_way(const struct pairs_state *s,
					   const struct pairs_pair *two)
{
	for (size_t i = 0; i < 2; i++) {
		if (s->sums.v[two[i].found].n < PAIRS_EACH_WAY)
			return &two[i];
	}
	return NULL;
}

bool na_pairs_calls_in_part(const struct pairs_state *s)
{
	return s->calls && s->calls < s->scope->used->n;
}

bool na_pairs_uncompared(const struct pairs_run *run)
{
	const struct pairs_state *s = run->of;
	const struct pairs_pair *p = na_pairs_two_ways(run);

	return p && (sparse_way(s, p) || na_pairs_calls_in_part(s));
}

static void say_sparse(struct na_str *w, const struct pairs_run *run,
		       const struct pairs_pair *p)
{
	uint32_t few = run->of->sums.v[p->found].n;
	char n[NA_COUNT_BUF];

	na_str_addf(w, "; %s from ", na_count_of(n, few, "transfer"));
	na_str_addf(w, "%.60s to ", run->nodes[p->src].name);
	na_str_addf(w, "%.60s %s too few to compare the two ways (%d needed)",
		    run->nodes[p->dst].name, few == 1 ? "is" : "are",
		    PAIRS_EACH_WAY);
}

/* Of two hosts one direction may be slower; which part is unknown. */
static void say_two(struct na_str *w, const struct pairs_run *run)
{
	const struct pairs_state *s = run->of;
	const struct pairs_pair *p = na_pairs_two_ways(run), *few;
	const struct pairs_effect *r = run->effects;
	char x[NA_UNIT_BUF];
	double by;

	if (!p)
		return;
	few = sparse_way(s, p);
	by = r[0].effect - r[1].effect;
	if (few)
		say_sparse(w, run, few);
	if (na_pairs_uncompared(run) || !(fabs(by) >= log(PAIRS_WAY_SLOWER)))
		return;
	p += by < 0;
	na_str_addf(w, "; %.60s -> ", run->nodes[p->src].name);
	na_str_addf(w,
		    "%.60s takes %sx as long as the way back: a side of "
		    "either%s; test with a third host",
		    run->nodes[p->dst].name,
		    na_print_number(x, exp(fabs(by)), 3),
		    na_pairs_all_captured(s) ? ", or the path"
					     : ", the path, or a clock");
}

static void say_nobody(struct na_str *w, const struct pairs_run *run)
{
	const struct pairs_state *s = run->of;
	char n[NA_UNIT_BUF];
	bool seen;

	if (!run->n_remote) {
		na_str_addf(w, "no pairs between hosts");
		return;
	}
	na_print_count(n, run->n_remote);
	if (na_pairs_too_few(run)) {
		na_str_addf(w, "cannot tell: too few pairs to localise (%s)",
			    n);
		say_two(w, run);
		return;
	}
	if (na_pairs_one_file(s))
		na_str_addf(w, "cannot tell from one host's file alone: ");
	else if (!na_pairs_acquits(run))
		na_str_addf(w, "cannot tell: ");
	seen = say_likeliest(w, run);
	if (!seen)
		na_str_addf(w, "nothing stands out among %s pairs of %zu %s", n,
			    run->n_nodes, na_pairs_ends(s));
	if (na_pairs_one_file(s))
		na_str_addf(w, ": give the files of all hosts");
	if (!seen)
		say_slow(w, run);
}

bool na_pairs_is_sure(const struct na_judge_finding *f)
{
	return !f->n_alternatives || isnan(f->posterior);
}

/* As `check` begins. */
static const char *heading_of(const struct na_judge_result *f)
{
	for (size_t i = 0; i < f->n_findings; i++) {
		if (!na_pairs_is_sure(&f->findings[i]))
			return "possible cause";
	}
	return "suspect";
}

void na_pairs_say_verdict(struct na_str *w, const struct pairs_run *run)
{
	const struct na_judge_result *f = &run->found;
	size_t clocks = 0;

	if (!f->n_findings)
		say_nobody(w, run);
	else
		na_str_addf(w, "%s: ", heading_of(f));
	for (size_t i = 0; i < f->n_findings && i < 3; i++) {
		na_str_addf(w, "%s", i ? "; " : "");
		say_finding(w, run, &f->findings[i]);
	}
	if (f->n_findings > 3)
		na_str_addf(w, "; and %zu more", f->n_findings - 3);
	for (size_t k = 0; k < run->clocks.n; k++)
		clocks += na_pairs_surest_clock(run, k);
	if (clocks)
		na_str_addf(w, "; %zu clock%s off", clocks, na_plural(clocks));
}

const char *na_pairs_needs(const struct pairs_run *run,
			   const struct na_judge_finding *f)
{
	if (na_pairs_is_of_two(run))
		return "transfers of each of the two with a third host";
	if (f->place.cause > NA_JUDGE_PAIR)
		return "utilisation and error counters of the links";
	if (f->place.cause == NA_JUDGE_PAIR)
		return "iperf3 between the two over several paths";
	if (f->n_alternatives || f->log_odds < 1)
		return "more steps, or iperf3 against two other hosts";
	return NULL;
}

const char *na_pairs_next_test(const struct pairs_run *run,
			       const struct na_judge_finding *f)
{
	if (na_pairs_is_of_two(run))
		return "iperf3 both ways between the two, then each with a "
		       "third host: a side is slow with that one, too; "
		       "otherwise the path is";
	if (f->n_alternatives)
		return "send over other paths as well, to separate the "
		       "alternatives";
	switch (f->place.cause) {
	case NA_JUDGE_SRC:
	case NA_JUDGE_DST:
	case NA_JUDGE_HOST:
		if (f->mechanism == NA_MECH_LATE)
			return "its drop and error counters (ethtool -S, "
			       "nstat), cable and switch port";
		return "iperf3 against two other hosts, ethtool -S; swap it "
		       "with a healthy host: does the slowness follow it?";
	case NA_JUDGE_PAIR:
		return "iperf3 with several streams both ways between the two, "
		       "then compare the route's link counters";
	default:
		return "compare the error and utilisation counters of the "
		       "rack's links and the spines behind them";
	}
}

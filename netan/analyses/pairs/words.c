/* pairs: findings in words, tables and remarks for people. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"
#include "netan/base/units.h"
#include "netan/methods/sides.h"

enum { DEFAULT_TOP = 20, TOLD = 3 };
enum { FEW = 20 /* transfers: fewer are no measure of a pair */ };

/* clang-format off */
const char *const na_pairs_kind_names[NA_LZ_KINDS] = {
	[NA_LZ_SRC] = "src",
	[NA_LZ_DST] = "dst",
	[NA_LZ_HOST] = "host",
	[NA_LZ_PAIR] = "pair",
	[NA_LZ_RACK_UPLINK] = "rack_uplink",
	[NA_LZ_RACK_DOWNLINK] = "rack_downlink",
	[NA_LZ_RACK_PAIR] = "rack_pair",
};

const char *const na_pairs_channel_names[NA_LZ_CHANNELS] = {
	[NA_LZ_ALL] = "all",
	[NA_LZ_LARGE] = "large",
	[NA_LZ_RATE] = "rate",
	[NA_LZ_WINDOW] = "window",
};
/* clang-format on */

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
static void say_rack(struct na_str *w, const struct pairs_state *s,
		     const struct pairs_run *run, uint32_t rack)
{
	size_t n = 0;

	for (uint32_t h = 0; h < run->n_nodes; h++) {
		if (!run->found.rack_of || run->found.rack_of[h] != rack)
			continue;
		if (!n && say_rack_name(w, s, na_pairs_node_at(s, run, h)))
			return;
		if (++n <= 2)
			na_str_addf(w, "%s%.60s", n > 1 ? ", " : "rack {",
				    na_pairs_node_at(s, run, h)->name);
	}
	if (n > 2)
		na_str_addf(w, " and %zu more", n - 2);
	na_str_addf(w, "%s", n ? "}" : "");
}

void na_pairs_say_who(struct na_str *w, const struct pairs_state *s,
		      const struct pairs_run *run, const struct na_lz_who *who,
		      bool whole)
{
	switch (who->kind) {
	case NA_LZ_PAIR:
		na_str_addf(w, "path %.60s -> ",
			    na_pairs_node_at(s, run, who->a)->name);
		na_str_addf(w, "%.60s", na_pairs_node_at(s, run, who->b)->name);
		return;
	case NA_LZ_RACK_UPLINK:
		na_str_addf(w, "uplink of ");
		break;
	case NA_LZ_RACK_DOWNLINK:
		na_str_addf(w, "downlink of ");
		break;
	case NA_LZ_RACK_PAIR:
		na_str_addf(w, "links from ");
		say_rack(w, s, run, who->a);
		na_str_addf(w, " to ");
		say_rack(w, s, run, who->b);
		return;
	default:
		na_str_addf(w, "%s",
			    na_side_of(na_pairs_kind_names[who->kind]));
	}
	if (who->kind < NA_LZ_PAIR) {
		const struct pairs_node *n = na_pairs_node_at(s, run, who->a);
		const struct na_absent_group *g = na_pairs_group_of(s, run,
								    who->a);
		char buf[NA_ABSENT_BUF];

		if (g) {
			na_str_addf(w, "%s",
				    na_absent_print(buf, g, s->scope->store));
			return;
		}
		na_str_addf(w, "%.60s",
			    whole ? na_pairs_host_name(s, n) : n->name);
		return;
	}
	say_rack(w, s, run, who->a);
}

static void say_finding(struct na_str *w, const struct pairs_state *s,
			const struct pairs_run *run,
			const struct na_lz_finding *f)
{
	char x[NA_UNIT_BUF];

	na_pairs_say_who(w, s, run, &f->who, na_pairs_is_whole(run, f));
	for (size_t i = 0; i < f->n_alternatives && i < 3; i++) {
		na_str_addf(w, " or ");
		na_pairs_say_who(w, s, run, &f->alternatives[i], false);
	}
	na_print_number(x, exp(f->effect), 3);
	if (f->channel == NA_LZ_RATE)
		na_str_addf(w, " (timeouts, %s times the usual rate)", x);
	else
		na_str_addf(w, " (%sx%s%s)", x,
			    f->channel == NA_LZ_LARGE ? " in large transfers"
						      : "",
			    f->intermittent ? ", now and then" : "");
}

/* Pairs that are slow for certain although nobody is named: victims, or too
 * few to tell.  A slice that they alone come from, or go to, is told. */
struct slow {
	size_t n;
	double most; /* log */
	int32_t slice[2];
	bool shared[2];
};

static void add_slow(struct slow *x, const struct pairs_state *s,
		     const struct pairs_pair *p, double effect)
{
	const uint32_t ends[2] = {p->src, p->dst};

	for (size_t i = 0; i < 2; i++) {
		int32_t slice = s->nodes.v[ends[i]].first.slice;

		/* Addresses have none. */
		x->shared[i] = slice != NA_ADDRESS &&
			       (!x->n ||
				(x->shared[i] && slice == x->slice[i]));
		x->slice[i] = slice;
	}
	x->most = fmax(x->most, effect);
	x->n++;
}

static void say_slow(struct na_str *w, const struct pairs_state *s,
		     const struct pairs_run *run)
{
	const double slow = log(PAIRS_SLOWER);
	struct slow x = {.n = 0}, all = {.n = 0};
	char number[NA_UNIT_BUF];

	for (size_t i = 0; i < run->n_remote; i++) {
		const struct na_lz_pair_result *r = &run->found.pairs[i];
		const struct pairs_pair *p = &s->pairs[run->pair0 + i];

		add_slow(&all, s, p, 0);
		if (r->q_value <= 0.01 && r->effect > slow &&
		    s->sums.v[p->found].n >= FEW)
			add_slow(&x, s, p, r->effect);
	}
	if (!x.n)
		return;
	na_str_addf(w, "; %zu slow pair%s without a cause (up to %sx)", x.n,
		    na_plural(x.n), na_print_number(number, exp(x.most), 3));
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

static bool captured(const struct pairs_state *s)
{
	for (uint32_t run = 0; run < s->scope->store->n_runs; run++) {
		if (!na_pairs_captured(s->scope->store, run))
			return false;
	}
	return s->keys.n > 0;
}

bool na_pairs_one_file(const struct pairs_state *s)
{
	return s->scope->store->n_sources == 1 && !captured(s);
}

/* What is seen, though nobody is named. */
static bool say_seen(struct na_str *w, const struct pairs_state *s,
		     const struct pairs_run *run)
{
	const struct na_lz_result *f = &run->found;
	struct pairs_whole whole;

	if (na_pairs_whole(s, run, &whole)) {
		na_pairs_say_whole(w, s, &whole);
		na_str_addf(w, ": slow as a whole, or the others wait for it "
			       "(netan steps)");
		return true;
	}
	if (f->n_undecided)
		na_str_addf(w, "%.240s", f->undecided[0].what);
	return f->n_undecided;
}

#define SLOWER 0.6931 /* log 2: than the way back, of two hosts */

/* Of two hosts the two ways between them, in the order of the pairs. */
static const struct pairs_pair *two_ways(const struct pairs_state *s,
					 const struct pairs_run *run)
{
	return run->n_nodes == 2 && run->n_remote == 2 && run->found.pairs
		       ? &s->pairs[run->pair0]
		       : NULL;
}

/* One way there are too few transfers to compare; NULL: both ways there are
 * enough. */
static const struct pairs_pair *sparse_way(const struct pairs_state *s,
					   const struct pairs_pair *two)
{
	for (size_t i = 0; i < 2; i++) {
		if (s->sums.v[two[i].found].n < NA_LZ_EACH_WAY)
			return &two[i];
	}
	return NULL;
}

/* Calls one way and messages the other are not alike. */
static bool of_calls_in_part(const struct pairs_state *s)
{
	return s->calls && s->calls < s->scope->used->n;
}

bool na_pairs_uncompared(const struct pairs_state *s,
			 const struct pairs_run *run)
{
	const struct pairs_pair *p = two_ways(s, run);

	return p && (sparse_way(s, p) || of_calls_in_part(s));
}

static void say_sparse(struct na_str *w, const struct pairs_state *s,
		       const struct pairs_pair *p)
{
	uint32_t few = s->sums.v[p->found].n;
	char n[NA_COUNT_BUF];

	na_str_addf(w, "; %s from ", na_count_of(n, few, "transfer"));
	na_str_addf(w, "%.60s to ", s->nodes.v[p->src].name);
	na_str_addf(w, "%.60s %s too few to compare the two ways (it takes %d)",
		    s->nodes.v[p->dst].name, few == 1 ? "is" : "are",
		    NA_LZ_EACH_WAY);
}

/* Of two hosts one direction may be slower, and nobody tells of which part. */
static void say_two(struct na_str *w, const struct pairs_state *s,
		    const struct pairs_run *run)
{
	const struct pairs_pair *p = two_ways(s, run), *few;
	const struct na_lz_pair_result *r = run->found.pairs;
	char x[NA_UNIT_BUF];
	double by;

	if (!p)
		return;
	few = sparse_way(s, p);
	by = r[0].effect - r[1].effect;
	if (few)
		say_sparse(w, s, few);
	if (na_pairs_uncompared(s, run) || !(fabs(by) >= SLOWER))
		return;
	p += by < 0;
	na_str_addf(w, "; %.60s -> ", s->nodes.v[p->src].name);
	na_str_addf(w,
		    "%.60s takes %sx as long as the way back: a side of "
		    "either%s, which a third host would tell",
		    s->nodes.v[p->dst].name,
		    na_print_number(x, exp(fabs(by)), 3),
		    captured(s) ? ", or the path" : ", the path, or a clock");
}

/* What is said of them then shows in no column either. */
static bool compares_nothing(const struct pairs_state *s)
{
	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		if (!na_pairs_uncompared(s, &s->runs[i]))
			return false;
	}
	return s->scope->store->n_runs > 0;
}

static void say_nobody(struct na_str *w, const struct pairs_state *s,
		       const struct pairs_run *run)
{
	char n[NA_UNIT_BUF];
	bool seen;

	if (!run->n_remote) {
		na_str_addf(w, "no pairs between hosts");
		return;
	}
	na_print_count(n, run->n_remote);
	if (run->found.too_few) {
		na_str_addf(w, "cannot tell: too few pairs to localise (%s)",
			    n);
		say_two(w, s, run);
		return;
	}
	if (na_pairs_one_file(s))
		na_str_addf(w, "cannot tell from one host's file alone: ");
	else if (!na_pairs_acquits(s, run))
		na_str_addf(w, "cannot tell: ");
	seen = say_seen(w, s, run);
	na_str_addf(w, "%sno culprit among %s pairs of %zu %s",
		    seen ? "; " : "", n, run->n_nodes, na_pairs_ends(s));
	if (na_pairs_one_file(s))
		na_str_addf(w, ", and what the others saw is not here: give "
			       "the files of all hosts");
	if (!seen)
		say_slow(w, s, run);
}

/* As `check` says it. */
static const char *how_sure(const struct na_lz_result *f)
{
	for (size_t i = 0; i < f->n_findings; i++) {
		if (f->findings[i].n_alternatives)
			return "possible";
	}
	return "likely";
}

void na_pairs_say_verdict(struct na_str *w, const struct pairs_state *s,
			  const struct pairs_run *run)
{
	const struct na_lz_result *f = &run->found;
	size_t clocks = 0, stalls = 0;

	if (!f->n_findings)
		say_nobody(w, s, run);
	else
		na_str_addf(w, "guilty: ");
	for (size_t i = 0; i < f->n_findings && i < 3; i++) {
		na_str_addf(w, "%s", i ? "; " : "");
		say_finding(w, s, run, &f->findings[i]);
	}
	if (f->n_findings > 3)
		na_str_addf(w, "; and %zu more", f->n_findings - 3);
	if (f->n_findings)
		na_str_addf(w, "; %s: %s to test", how_sure(f),
			    f->n_findings > 1 ? "suspects" : "a suspect");
	for (size_t k = 0; k < f->n_clocks; k++)
		clocks += na_pairs_surest_clock(s, run, k);
	for (size_t k = 0; k < f->n_stalls; k++)
		stalls += na_pairs_longest_stall(s, run, k);
	if (clocks)
		na_str_addf(w, "; %zu clock%s off", clocks, na_plural(clocks));
	if (stalls)
		na_str_addf(w, "; %zu host%s pause%s", stalls,
			    na_plural(stalls), stalls > 1 ? "" : "s");
}

const char *na_pairs_next_test(const struct na_lz_finding *f)
{
	if (f->n_alternatives)
		return "send over other paths as well, to tell the "
		       "alternatives apart";
	switch (f->who.kind) {
	case NA_LZ_SRC:
	case NA_LZ_DST:
	case NA_LZ_HOST:
		if (f->channel == NA_LZ_RATE && f->loses_packets)
			return "its drop and error counters (ethtool -S, "
			       "nstat), cable and switch port";
		return "iperf3 against two other hosts, ethtool -S; swap it "
		       "with a healthy host: does the slowness move along?";
	case NA_LZ_PAIR:
		return "iperf3 with several streams both ways between the two, "
		       "then compare the route's link counters";
	default:
		return "compare the error and utilisation counters of the "
		       "rack's links and the spines behind them";
	}
}

/* A culprit in few words. */
static void put_suspect(struct na_result *r, struct na_value *list,
			const struct na_value *v)
{
	struct na_value *row = na_put_object(r, list, NULL);
	const double *ci = na_reals_at(v, M_excess_ci95, 2);

	na_put_alias(r, row, M_culprit, v);
	na_put_textf(r, row, M_suspect, "%s%s%.64s%s", na_text_at(v, M_suspect),
		     na_get(v, M_endpoint) ? ", device " : "",
		     na_text_at(v, M_endpoint),
		     na_length(v, M_alternatives) ? " (or alternatives)" : "");
	na_put_real(r, row, M_low, ci ? ci[0] : NAN);
	na_put_real(r, row, M_high, ci ? ci[1] : NAN);
	na_put_real(r, row, M_chance, na_number_at(v, M_p_value));
	na_put_textf(r, row, M_channel, "%s%s", na_text_at(v, M_channel),
		     na_flag_at(v, M_intermittent) ? ", now and then" : "");
}

/* The first column, the label, is for several runs. */
static void put_view(struct na_result *r, const struct pairs_state *s,
		     const char *title, const struct na_value *list,
		     const struct na_table *table, const struct na_column *cols,
		     size_t n, size_t max_rows)
{
	size_t skip = !na_pairs_has_runs(s);

	na_result_view(r, title, list, table, cols + skip, n - skip, max_rows);
}

static void suspects_view(struct na_result *r, const struct pairs_state *s,
			  const char *title)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_suspects);

	na_for_each (v, na_get(na_result_body(r), M_culprits))
		put_suspect(r, list, v);
	put_view(r, s, title, list, &na_table_pairs_suspect,
		 NA_COLUMNS({M_culprit "." M_label}, {M_suspect},
			    {M_culprit "." M_excess}, {M_low}, {M_high},
			    {M_chance}, {M_channel}, {M_culprit "." M_pairs},
			    {M_culprit "." M_transfers}),
		 0);
}

/* Some sends of a run with a culprit tell what they took. */
static bool tells_sent(const struct pairs_state *s)
{
	bool any = false;

	for (size_t i = 0; i < s->scope->store->n_runs; i++)
		any |= s->runs[i].tells_sent;
	return any;
}

/* Beside what a receiver saw stands what its sender did. */
static void named_view(struct na_result *r, const struct pairs_state *s,
		       const struct na_value *list, size_t top)
{
	const char *title = "pairs: the suspects' own first, then the surely "
			    "slowest";

	if (tells_sent(s))
		put_view(r, s, title, list, &na_table_pairs_pair,
			 NA_COLUMNS({M_label}, {M_src}, {M_dst}, {M_role},
				    {M_excess}, {M_p50_us}, {M_sent_p50_us},
				    {M_q_value}, {M_count}, {M_p99_us},
				    {M_expected_us}, {M_bytes}),
			 top);
	else
		put_view(r, s, title, list, &na_table_pairs_pair,
			 NA_COLUMNS({M_label}, {M_src}, {M_dst}, {M_role},
				    {M_excess}, {M_q_value}, {M_count},
				    {M_p50_us}, {M_p99_us}, {M_expected_us},
				    {M_bytes}),
			 top);
}

static void pairs_view(struct na_result *r, const struct pairs_state *s,
		       const char *title)
{
	const struct na_value *list = na_get(na_result_body(r), M_pairs);
	size_t top = s->scope->top ? s->scope->top : DEFAULT_TOP;

	if (na_first(na_result_body(r), M_culprits))
		named_view(r, s, list, top);
	else if (compares_nothing(s))
		put_view(r, s, title, list, &na_table_pairs_pair,
			 NA_COLUMNS({M_label}, {M_src}, {M_dst}, {M_count},
				    {M_p50_us}, {M_p99_us}, {M_bytes}),
			 top);
	else
		put_view(r, s, title, list, &na_table_pairs_pair,
			 NA_COLUMNS({M_label}, {M_src}, {M_dst}, {M_excess},
				    {M_q_value}, {M_count}, {M_p50_us},
				    {M_p99_us}, {M_expected_us}, {M_bytes}),
			 top);
}

static void clocks_view(struct na_result *r, const struct pairs_state *s)
{
	put_view(r, s, "clocks that are off (corrected here)",
		 na_get(na_result_body(r), M_clock_offsets),
		 &na_table_pairs_result_clock_offsets,
		 NA_COLUMNS({M_label}, {M_host}, {M_ahead_us},
			    {M_uncertainty_us}),
		 0);
}

static void stalls_view(struct na_result *r, const struct pairs_state *s)
{
	put_view(r, s, "hosts that pause (no NIC: look at the host)",
		 na_get(na_result_body(r), M_stalls),
		 &na_table_pairs_result_stalls,
		 NA_COLUMNS({M_label}, {M_host}, {M_episodes}, {M_transfers},
			    {M_longest_ms}),
		 0);
}

/* "; 2 pairs", or nothing where no pairs show it. */
static const char *how_many(char *buf, size_t size, const struct na_value *v)
{
	uint64_t n = (uint64_t)na_count_at(v, M_n_pairs);
	char count[NA_COUNT_BUF];

	snprintf(buf, size, "%s%s", n ? "; " : "",
		 n ? na_count_of(count, n, "pair") : "");
	return buf;
}

/* Sentences, which a column would break after a word or two. */
static void undecided_view(struct na_result *r)
{
	char pairs[NA_COUNT_BUF + 4];
	struct na_str all = {.s = NULL};

	na_for_each (v, na_get(na_result_body(r), M_undecided)) {
		const char *label = na_text_or(v, M_label, NULL);
		const char *needs = na_text_at(v, M_needs);

		na_str_join(&all, "\n", "%.40s%s%.*s%s", label ? label : "",
			    label ? ": " : "", PAIRS_WORDS,
			    na_text_at(v, M_what),
			    how_many(pairs, sizeof(pairs), v));
		if (*needs)
			na_str_addf(&all, "\nwhat would decide: %.*s",
				    PAIRS_WORDS, needs);
	}
	na_result_text(r, "undecided", "%s", all.s ? all.s : "");
	free(all.s);
}

static bool same_text(const struct na_value *a, const struct na_value *b,
		      const char *name)
{
	return strcmp(na_text_at(a, name), na_text_at(b, name)) == 0;
}

static bool same_test(const struct na_value *a, const struct na_value *b)
{
	return same_text(a, b, M_test_next) && same_text(a, b, M_needs);
}

/* What to test: one remark for all suspects that ask for the same. */
static void note_tests(struct na_result *r)
{
	const struct na_value *first = na_first(na_result_body(r), M_culprits);

	for (const struct na_value *v = first; v; v = v->next) {
		const char *needs = na_text_at(v, M_needs);
		char buf[PAIRS_WORDS];
		struct na_str who = na_str_over(buf, sizeof(buf));
		const struct na_value *u = first;
		size_t n = 0;

		while (!same_test(u, v))
			u = u->next;
		if (u != v)
			continue; /* told */
		for (; u; u = u->next) {
			if (same_test(u, v) && n++ < TOLD)
				na_str_join(&who, ", ", "%.80s",
					    na_text_at(u, M_suspect));
		}
		if (n > TOLD)
			na_str_addf(&who, " and %zu more", n - TOLD);
		na_result_note(r, "test %s: %s%s%s", who.s,
			       na_text_at(v, M_test_next),
			       *needs ? "; what would decide: " : "", needs);
	}
	if (first && !na_flag_at(first, M_one_clock))
		na_result_note(r, "a suspect is not a verdict: latency that "
				  "holds a wait for a late host looks like a "
				  "slow NIC");
}

/* Of pairs that are compared. */
static void note_few(struct na_result *r, const struct pairs_state *s)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];
	uint64_t few = 0, all = 0;

	for (size_t i = 0; i < s->keys.n; i++) {
		const struct pairs_run *run = &s->runs[s->pairs[i].run];

		if (s->pairs[i].local || !run->found.pairs ||
		    na_pairs_uncompared(s, run))
			continue;
		all++;
		few += s->sums.v[s->pairs[i].found].n < FEW;
	}
	if (few)
		na_result_note(r,
			       "pairs with fewer than %d transfers: %s of %s; "
			       "how many times slower these are says little",
			       FEW, na_print_count(a, few),
			       na_print_count(b, all));
}

static void note_rest(struct na_result *r, const struct pairs_state *s)
{
	uint64_t local = 0, transfers = 0;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	for (size_t i = 0; i < s->keys.n; i++) {
		local += s->pairs[i].local;
		if (s->pairs[i].local)
			transfers += s->sums.v[s->pairs[i].found].n;
	}
	if (of_calls_in_part(s))
		na_result_note(r,
			       "%s of %s transfers are calls, the others "
			       "messages one way: --component rpc, or network, "
			       "compares what is alike",
			       na_print_count(a, s->calls),
			       na_print_count(b, s->scope->used->n));
	if (captured(s) && s->calls)
		na_result_note(r, "the latency of a call holds the server's "
				  "own time: a slow server looks like a slow "
				  "receive side of its host");
	else if (s->keys.n && !captured(s) && !s->of_hosts &&
		 s->params->level == PAIRS_AUTO)
		na_result_note(r, "one host's file shows each remote source on "
				  "few paths; the files of all hosts tell a "
				  "source from its path");
	if (!s->scope->store->topology && s->keys.n > local)
		na_result_note(r, "locality not given: a far pair and a slow "
				  "one look alike, so less is claimed; "
				  "--topology FILE separates them");
	else if (!na_pairs_placed(s) && s->keys.n > local)
		na_result_note(r, "the topology does not tell these pairs "
				  "apart (one rack, one for each host, or not "
				  "all of them named): no more is claimed than "
				  "without it");
	if (local)
		na_result_note(r,
			       "%s pair%s inside a host (%s transfers) listed "
			       "but not judged",
			       na_print_count(a, local), na_plural(local),
			       na_print_count(b, transfers));
	if (s->clamped)
		na_result_note(r,
			       "%s transfers with a clock behind the sender's "
			       "show clocks, and are in no statistics",
			       na_print_count(a, s->clamped));
}

/* The pairs that stand last, and why. */
static void note_waits(struct na_result *r, const struct pairs_state *s)
{
	char n[NA_UNIT_BUF];
	size_t waits = 0;

	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		for (size_t k = 0; k < s->runs[i].n_remote; k++)
			waits += na_pairs_role_of(&s->runs[i], k) ==
				 PAIRS_WAITS;
	}
	if (waits)
		na_result_note(r,
			       "%s other pair%s slow and only wait%s: by the "
			       "sender's own clock less than half of that was "
			       "sending",
			       na_print_count(n, waits),
			       waits == 1 ? " is" : "s are",
			       waits == 1 ? "s" : "");
}

/* What an option has left out, and what that would have told. */
static void note_side(struct na_result *r, const struct pairs_state *s)
{
	if (s->of_hosts && na_pairs_of_sends(s))
		na_result_note(r, "--side tx leaves out what receivers saw: "
				  "whether sends end with their "
				  "acknowledgement is not known, and nobody is "
				  "acquitted");
	else if (s->of_hosts && s->scope->filter->side == NA_RX)
		na_result_note(r, "--side rx leaves out what senders timed by "
				  "their own clock, which tells a slow sender "
				  "from receivers that wait");
}

static void note_joined(struct na_result *r, const struct pairs_state *s)
{
	char n[NA_COUNT_BUF];

	if (s->joined.n)
		na_result_note(r,
			       "%s of ranks last from when the later of both "
			       "sides had come; where one is not here, the "
			       "wait for it is in them",
			       na_count_of(n, s->joined.n, "transfer"));
}

void na_pairs_views(struct na_result *r, const struct pairs_state *s)
{
	const struct na_value *body = na_result_body(r);
	const char *verdict = na_text_or(body, M_verdict,
					 "no pairs: no transfers");
	bool named = na_first(body, M_culprits);

	na_result_wordf(r, NA_WORD_MESSAGE, "%c%s",
			na_pairs_has_runs(s) ? *verdict
					     : toupper((unsigned char)*verdict),
			verdict + 1);
	if (named)
		suspects_view(r, s, verdict);
	if (na_first(body, M_clock_offsets))
		clocks_view(r, s);
	if (na_first(body, M_stalls))
		stalls_view(r, s);
	pairs_view(r, s, verdict);
	if (na_first(body, M_undecided))
		undecided_view(r);
	note_tests(r);
	note_waits(r, s);
	note_joined(r, s);
	note_side(r, s);
	note_few(r, s);
	note_rest(r, s);
}

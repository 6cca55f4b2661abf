/* pairs: findings in words. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

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

void na_pairs_say(struct pairs_words *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->n = na_text_append(w->text, sizeof(w->text), w->n, fmt, ap);
	va_end(ap);
}

/* "host-0, host-1 and 6 more" */
static void say_rack(struct pairs_words *w, const struct pairs_state *s,
		     const struct pairs_run *run, uint32_t rack)
{
	size_t n = 0;

	for (uint32_t h = 0; h < run->n_nodes; h++) {
		if (!run->found.rack_of || run->found.rack_of[h] != rack)
			continue;
		if (++n <= 2)
			na_pairs_say(w, "%s%.60s", n > 1 ? ", " : "",
				     na_pairs_node_at(s, run, h)->name);
	}
	if (n > 2)
		na_pairs_say(w, " and %zu more", n - 2);
}

void na_pairs_say_who(struct pairs_words *w, const struct pairs_state *s,
		      const struct pairs_run *run, const struct na_lz_who *who,
		      bool whole)
{
	switch (who->kind) {
	case NA_LZ_SRC:
		na_pairs_say(w, "transmit side of ");
		break;
	case NA_LZ_DST:
		na_pairs_say(w, "receive side of ");
		break;
	case NA_LZ_PAIR:
		na_pairs_say(w, "path %.60s -> ",
			     na_pairs_node_at(s, run, who->a)->name);
		na_pairs_say(w, "%.60s",
			     na_pairs_node_at(s, run, who->b)->name);
		return;
	case NA_LZ_RACK_UPLINK:
		na_pairs_say(w, "uplink of rack {");
		break;
	case NA_LZ_RACK_DOWNLINK:
		na_pairs_say(w, "downlink of rack {");
		break;
	case NA_LZ_RACK_PAIR:
		na_pairs_say(w, "links from rack {");
		say_rack(w, s, run, who->a);
		na_pairs_say(w, "} to rack {");
		say_rack(w, s, run, who->b);
		na_pairs_say(w, "}");
		return;
	default:
		na_pairs_say(w, "both sides of ");
	}
	if (who->kind < NA_LZ_PAIR) {
		const struct pairs_node *n = na_pairs_node_at(s, run, who->a);

		na_pairs_say(w, "%.60s",
			     whole ? na_pairs_host_name(s, n) : n->name);
		return;
	}
	say_rack(w, s, run, who->a);
	na_pairs_say(w, "}");
}

static void say_finding(struct pairs_words *w, const struct pairs_state *s,
			const struct pairs_run *run,
			const struct na_lz_finding *f)
{
	char x[NA_UNIT_BUF];

	na_pairs_say_who(w, s, run, &f->who, na_pairs_is_whole(run, f));
	for (size_t i = 0; i < f->n_alternatives && i < 3; i++) {
		na_pairs_say(w, " | ");
		na_pairs_say_who(w, s, run, &f->alternatives[i], false);
	}
	na_print_number(x, exp(f->effect), 3);
	if (f->channel == NA_LZ_RATE)
		na_pairs_say(w, " (timeouts, %s times the usual rate)", x);
	else
		na_pairs_say(w, " (%sx%s%s)", x,
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
		int32_t slice = s->nodes[ends[i]].first.slice;

		/* Addresses have none. */
		x->shared[i] = slice != NA_ADDRESS &&
			       (!x->n ||
				(x->shared[i] && slice == x->slice[i]));
		x->slice[i] = slice;
	}
	x->most = fmax(x->most, effect);
	x->n++;
}

static void say_slow(struct pairs_words *w, const struct pairs_state *s,
		     const struct pairs_run *run)
{
	const double slow = log(1.3);
	struct slow x = {.n = 0}, all = {.n = 0};
	char number[NA_UNIT_BUF];

	for (size_t i = 0; i < run->n_remote; i++) {
		const struct na_lz_pair_result *p = &run->found.pairs[i];

		add_slow(&all, s, &s->pairs[run->pair0 + i], 0);
		if (p->q_value <= 0.01 && p->effect > slow)
			add_slow(&x, s, &s->pairs[run->pair0 + i], p->effect);
	}
	if (!x.n)
		return;
	na_pairs_say(w, "; %zu slow pair%s without a cause (up to %sx)", x.n,
		     x.n > 1 ? "s" : "",
		     na_print_number(number, exp(x.most), 3));
	if (x.n > 1 && x.shared[0] && !all.shared[0])
		na_pairs_say(w, ", all from slice %d", x.slice[0]);
	if (x.n > 1 && x.shared[1] && !all.shared[1])
		na_pairs_say(w, ", all to slice %d", x.slice[1]);
}

const char *na_pairs_ends(const struct pairs_state *s)
{
	if (s->of_hosts)
		return "hosts";
	return s->n_nodes && s->nodes[0].first.slice == NA_ADDRESS ? "addresses"
								   : "devices";
}

static void say_nobody(struct pairs_words *w, const struct pairs_state *s,
		       const struct pairs_run *run)
{
	const struct na_lz_result *f = &run->found;
	char n[NA_UNIT_BUF];

	if (!run->n_remote) {
		na_pairs_say(w, "no pairs between hosts");
		return;
	}
	na_print_count(n, run->n_remote);
	if (f->too_few) {
		na_pairs_say(w, "too few pairs to localise (%s)", n);
		return;
	}
	na_pairs_say(w, "no culprit among %s pairs of %zu %s", n, run->n_nodes,
		     na_pairs_ends(s));
	if (f->n_undecided)
		na_pairs_say(w, "; undecided: %.160s", f->undecided[0].what);
	else
		say_slow(w, s, run);
}

void na_pairs_say_verdict(struct pairs_words *w, const struct pairs_state *s,
			  const struct pairs_run *run)
{
	const struct na_lz_result *f = &run->found;
	size_t clocks = 0, stalls = 0;

	if (!f->n_findings)
		say_nobody(w, s, run);
	else
		na_pairs_say(w, "suspect%s to test: ",
			     f->n_findings > 1 ? "s" : "");
	for (size_t i = 0; i < f->n_findings && i < 3; i++) {
		na_pairs_say(w, "%s", i ? "; " : "");
		say_finding(w, s, run, &f->findings[i]);
	}
	if (f->n_findings > 3)
		na_pairs_say(w, "; and %zu more", f->n_findings - 3);
	for (size_t k = 0; k < f->n_clocks; k++)
		clocks += na_pairs_surest_clock(s, run, k);
	for (size_t k = 0; k < f->n_stalls; k++)
		stalls += na_pairs_longest_stall(s, run, k);
	if (clocks)
		na_pairs_say(w, "; %zu clock%s off", clocks,
			     clocks > 1 ? "s" : "");
	if (stalls)
		na_pairs_say(w, "; %zu host%s pause%s", stalls,
			     stalls > 1 ? "s" : "", stalls > 1 ? "" : "s");
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

/*
 * pairs: what is slow without a culprit: connections that nobody explains, in
 * words that are true of them, and what would decide.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "netan/analyses/pairs/state.h"
#include "netan/base/units.h"

/* From here on what crosses racks takes so much longer that nobody is
 * acquitted: log 1.5. */
#define ACROSS 0.4055

/* The pairs of a connection of hosts. */
static void add_pairs(const struct pairs_state *s, const struct pairs_run *run,
		      struct na_lz_undecided *u, uint32_t src, uint32_t dst)
{
	uint32_t node0 = (uint32_t)run->node0;

	if (!run->first_of) {
		size_t p = na_pairs_at(s, run, src + node0, dst + node0);

		if (p < run->n_remote && u->n_pairs < run->n_remote)
			u->pairs[u->n_pairs++] = (uint32_t)p;
		return;
	}
	for (uint32_t a = src; a < run->n_nodes; a = run->next_of[a]) {
		for (uint32_t b = dst; b < run->n_nodes; b = run->next_of[b]) {
			size_t p = na_pairs_at(s, run, a + node0, b + node0);

			if (p < run->n_remote && u->n_pairs < run->n_remote)
				u->pairs[u->n_pairs++] = (uint32_t)p;
		}
	}
}

/* The devices without a file that all of them begin or end at; NULL. */
static const struct na_absent_group *shared(const struct pairs_state *s,
					    const struct pairs_run *run,
					    const struct na_wire_result *w)
{
	for (int end = 0; end < 2 && w->n_slow; end++) {
		uint32_t node = end ? w->slow[0].dst : w->slow[0].src;
		const struct na_absent_group *g =
			na_absent_at(&s->absent,
				     na_pairs_node_at(s, run, node)->host);

		for (size_t i = 1; g && i < w->n_slow; i++) {
			if (w->slow[i].src != node && w->slow[i].dst != node)
				g = NULL;
		}
		if (g)
			return g;
	}
	return NULL;
}

static const char *keep(struct pairs_state *s, const char *text)
{
	return na_arena_strn(&s->text, text, strlen(text));
}

static const char *name_of(const struct pairs_state *s,
			   const struct pairs_run *run, uint32_t node)
{
	return na_pairs_host_name(s, na_pairs_node_at(s, run, node));
}

/* "host-9's sends take 2x as long as others', to 12 of 15 hosts" */
static void say_doubt(struct na_str *t, const struct pairs_state *s,
		      const struct pairs_run *run,
		      const struct na_wire_doubt *d)
{
	const char *name = name_of(s, run, d->who.a);
	char x[NA_UNIT_BUF];

	na_print_number(x, exp(d->effect), 2);
	if (d->who.kind == NA_LZ_PAIR) {
		na_str_addf(t, "the path %.60s -> ", name);
		na_str_addf(t,
			    "%.60s takes %sx as long as others in the same "
			    "collectives",
			    name_of(s, run, d->who.b), x);
		return;
	}
	na_str_addf(t, "what %.60s %s takes %sx as long as others', %s %zu ",
		    name, d->who.kind == NA_LZ_SRC ? "sends" : "gets", x,
		    d->who.kind == NA_LZ_SRC ? "to" : "from", d->slow);
	if (d->slow < d->all)
		na_str_addf(t, "of %zu ", d->all);
	na_str_addf(t, "host%s", na_plural(d->all));
}

enum { NAMED = 3 };

/* "host-0, host-1, host-2 and 5 more" */
static void say_hosts(struct na_str *t, const struct pairs_state *s,
		      const struct pairs_run *run, const uint32_t *hosts,
		      size_t all)
{
	size_t n = all > NAMED + 1 ? NAMED : all;

	for (size_t i = 0; i < n; i++) {
		na_str_addf(t, "%s%.60s",
			    !i			     ? ""
			    : i + 1 == n && n == all ? " and "
						     : ", ",
			    name_of(s, run, hosts[i]));
	}
	if (n < all)
		na_str_addf(t, " and %zu more", all - n);
}

static void say_group(struct na_str *t, const struct pairs_state *s,
		      const struct pairs_run *run,
		      const struct na_wire_group *g)
{
	bool send = g->kind == NA_LZ_SRC;
	char x[NA_UNIT_BUF];

	na_str_addf(t, "what ");
	say_hosts(t, s, run, g->hosts, g->n);
	na_str_addf(t, " %s %s others takes %sx as long as other transfers, ",
		    send ? "send" : "get", send ? "to" : "from",
		    na_print_number(x, exp(g->effect), 2));
	if (g->apart)
		na_str_addf(t, "but not among themselves: a link that they "
			       "share");
	else
		na_str_addf(t, "and none of them stands out: their %s sides, "
			       "or a link that they share",
			    send ? "transmit" : "receive");
}

static const char *what_of(struct pairs_state *s, const struct pairs_run *run,
			   const struct na_wire_result *w)
{
	const struct na_absent_group *g = shared(s, run, w);
	char name[NA_ABSENT_BUF], buf[PAIRS_WORDS];
	struct na_str t = na_str_over(buf, sizeof(buf));

	if (g) {
		na_str_addf(&t, "the slow connections all begin or end at %s",
			    na_absent_print(name, g, s->scope->store));
		return keep(s, buf);
	}
	if (w->group.n) {
		say_group(&t, s, run, &w->group);
		return keep(s, buf);
	}
	if (!w->n_doubts) {
		na_str_addf(&t,
			    "%zu of the ways between two hosts are slow, and "
			    "no side of one host or two has most of them",
			    w->n_slow);
		return keep(s, buf);
	}
	for (size_t i = 0; i < w->n_doubts; i++) {
		na_str_addf(&t, "%s", i ? ", and " : "");
		say_doubt(&t, s, run, &w->doubts[i]);
	}
	na_str_addf(&t, ", but %s", w->doubts[0].against);
	return keep(s, buf);
}

static const char *needs_of(struct pairs_state *s, const struct pairs_run *run,
			    const struct na_wire_result *w)
{
	const struct na_wire_doubt *d = &w->doubts[0];
	char buf[PAIRS_WORDS];
	struct na_str t = na_str_over(buf, sizeof(buf));

	if (shared(s, run, w))
		return "the file that is missing";
	if (w->group.n)
		return "which of them share a switch (--topology FILE with "
		       "that as a rack); the error counters of its links, and "
		       "of their NICs";
	if (!w->n_doubts)
		return "the error counters of the fabric's links; the same job "
		       "once more: do the same connections stay slow?";
	if (strstr(d->against, "topology") && !run->placed)
		na_str_addf(&t, "--topology FILE (who is far from whom); ");
	if (d->who.kind == NA_LZ_PAIR) {
		na_str_addf(&t, "the same job once more: does it stay slow? "
				"iperf3 both ways between the two");
		return keep(s, buf);
	}
	na_str_addf(&t, "more steps; iperf3 between %.60s and two other hosts, "
			"both ways",
		    name_of(s, run, d->who.a));
	return keep(s, buf);
}

static const char *what_of_ways(struct pairs_state *s,
				const struct pairs_run *run,
				const struct na_wire_ways *y)
{
	char buf[PAIRS_WORDS], x[NA_UNIT_BUF];
	struct na_str t = na_str_over(buf, sizeof(buf));

	na_str_addf(&t, "what ");
	say_hosts(&t, s, run, y->hosts[0], y->n[0]);
	na_str_addf(&t, " send to ");
	say_hosts(&t, s, run, y->hosts[1], y->n[1]);
	na_str_addf(&t, " takes %sx as long as ",
		    na_print_number(x, exp(y->effect), 2));
	/* Against what comes back, all of one half that sends slowly looks
	 * like a link between the halves. */
	na_str_addf(&t, "%s",
		    y->halves ? "what comes back: a link between them, or all "
				"of the one send or of the other receive slowly"
			      : "other transfers, and most else that they send "
				"and get does not: a link between them, or a "
				"longer way");
	return keep(s, buf);
}

static bool put_ways(struct pairs_state *s, const struct pairs_run *run,
		     struct na_lz_result *r, const struct na_wire_ways *y)
{
	const char *what = what_of_ways(s, run, y);
	struct na_lz_undecided *u =
		what ? na_lz_undecided_add(
			       r, what,
			       run->placed ? "the error counters of the links "
					     "between them"
					   : "which of them share a switch "
					     "(--topology FILE with that as a "
					     "rack); the error counters of the "
					     "links between them",
			       run->n_remote)
		     : NULL;

	for (size_t i = 0; u && i < y->n[0] && i < NA_WIRE_WAYS; i++) {
		for (size_t k = 0; k < y->n[1] && k < NA_WIRE_WAYS; k++)
			add_pairs(s, run, u, y->hosts[0][i], y->hosts[1][k]);
	}
	return u;
}

bool na_pairs_put_slow(struct pairs_state *s, const struct pairs_run *run,
		       struct na_lz_result *r, const struct na_wire_result *w)
{
	const char *what = what_of(s, run, w), *needs = needs_of(s, run, w);
	struct na_lz_undecided *u = NULL;

	if (w->ways.pairs && !w->n_doubts && !w->group.n && !shared(s, run, w))
		return put_ways(s, run, r, &w->ways);
	if (what && needs)
		u = na_lz_undecided_add(r, what, needs, run->n_remote);
	for (size_t i = 0; u && i < w->n_slow; i++) {
		size_t before = u->n_pairs;

		add_pairs(s, run, u, w->slow[i].src, w->slow[i].dst);
		/* Nobody shows what a host without a file has got: the way
		 * back stands for it. */
		if (u->n_pairs == before)
			add_pairs(s, run, u, w->slow[i].dst, w->slow[i].src);
	}
	return u;
}

/* "in 4 steps (2, 5, 9, 11)", "in 9 steps (2, 5, 9, 11, ...), where one step in
 * 3 was looked at" */
static void say_steps(struct na_str *t, const struct pairs_state *s,
		      const struct na_wire_suspect *x)
{
	const struct na_store *store = s->scope->store;
	char n[NA_COUNT_BUF];
	size_t said = 0;

	na_str_addf(t, " in %s", na_count_of(n, x->n_steps, "step"));
	for (size_t i = 0; i < x->n_steps && i < NA_WIRE_SHOWN; i++) {
		if (x->steps[i] < store->n_steps)
			na_str_addf(t, "%s%" PRId64, said++ ? ", " : " (",
				    (int64_t)store->steps[x->steps[i]].number);
	}
	if (said)
		na_str_addf(t, "%s)", x->n_steps > said ? ", ..." : "");
	if (x->one_in > 1)
		na_str_addf(t, ", where one step in %s was looked at",
			    na_grouped(x->one_in));
}

/* "what host-3 sends takes 1.5x as long as else in 4 steps (2, 5, 9, 11)" */
static void say_suspect(struct na_str *t, const struct pairs_state *s,
			const struct pairs_run *run,
			const struct na_wire_suspect *x)
{
	char number[NA_UNIT_BUF];

	na_str_addf(t, "what %.60s %s takes %sx as long as else",
		    name_of(s, run, x->who.a),
		    x->who.kind == NA_LZ_SRC ? "sends" : "gets",
		    na_print_number(number, exp(x->effect), 2));
	say_steps(t, s, x);
}

bool na_pairs_put_flapping(struct pairs_state *s, const struct pairs_run *run,
			   struct na_lz_result *r,
			   const struct na_wire_result *w)
{
	const struct na_wire_suspect *x = &w->clearest[0];
	char buf[PAIRS_WORDS];
	struct na_str t = na_str_over(buf, sizeof(buf));
	const char *what, *needs;
	struct na_lz_undecided *u;

	if (!w->suspects)
		return true;
	say_suspect(&t, s, run, x);
	if (w->suspects > 1)
		na_str_addf(&t, ", and %s other host%s so in some steps",
			    na_grouped(w->suspects - 1),
			    w->suspects > 2 ? "s do" : " does");
	what = keep(s, buf);
	t = na_str_over(buf, sizeof(buf));
	na_str_addf(&t, "more steps; the error counters of the NIC of %.60s "
			"(ethtool -S) before and after",
		    name_of(s, run, x->who.a));
	needs = keep(s, buf);
	u = what && needs ? na_lz_undecided_add(r, what, needs, 0) : NULL;
	if (u) {
		u->host = x->who.a;
		u->n_steps = x->n_steps;
	}
	return u;
}

bool na_pairs_put_fleeting(struct pairs_state *s, struct na_lz_result *r,
			   const struct na_wire_result *w)
{
	char buf[PAIRS_WORDS];
	struct na_str t = na_str_over(buf, sizeof(buf));
	unsigned missing = NA_WIRE_MIN_STEPS - w->steps;
	const char *what, *needs;

	na_str_addf(&t,
		    "%.0f %% of the transfers are of connections that come in "
		    "%u step%s at most here, and it takes %d to compare them",
		    100 * w->fleeting, (unsigned)w->steps, na_plural(w->steps),
		    NA_WIRE_MIN_STEPS);
	what = keep(s, buf);
	t = na_str_over(buf, sizeof(buf));
	na_str_addf(&t, "%u more step%s: a longer trace, or a longer time of it",
		    missing, na_plural(missing));
	needs = keep(s, buf);
	return what && needs && na_lz_undecided_add(r, what, needs, 0);
}

static const char *block_name(const struct pairs_state *s, uint32_t block)
{
	return na_strtab_at(&s->scope->store->topology->blocks, block);
}

static uint32_t block_of(const struct pairs_state *s, uint32_t host)
{
	return na_store_block(s->scope->store, host);
}

/* What leaves block a, gets there, or goes from a to b. */
static bool passes(const struct pairs_state *s, const struct pairs_pair *p,
		   enum na_lz_kind kind, uint32_t a, uint32_t b)
{
	uint32_t src = block_of(s, s->nodes.v[p->src].host);
	uint32_t dst = block_of(s, s->nodes.v[p->dst].host);

	if (src == dst)
		return false;
	return kind == NA_LZ_RACK_UPLINK     ? src == a
	       : kind == NA_LZ_RACK_DOWNLINK ? dst == a
					     : src == a && dst == b;
}

bool na_pairs_put_block(struct pairs_state *s, const struct pairs_run *run,
			struct na_lz_result *r, const struct na_wire_result *w)
{
	enum na_lz_kind kind = w->block.kind;
	char buf[PAIRS_WORDS], x[NA_UNIT_BUF];
	struct na_str t = na_str_over(buf, sizeof(buf));
	struct na_lz_undecided *u;
	const char *what;
	uint32_t a, b;

	if (kind == NA_LZ_KINDS)
		return true;
	a = block_of(s, na_pairs_node_at(s, run, w->block.a)->host);
	b = block_of(s, na_pairs_node_at(s, run, w->block.b)->host);
	na_str_addf(&t, "transfers %s block %.60s",
		    kind == NA_LZ_RACK_DOWNLINK ? "into" : "from",
		    block_name(s, a));
	if (kind == NA_LZ_RACK_PAIR)
		na_str_addf(&t, " to block %.60s", block_name(s, b));
	na_str_addf(&t,
		    " take %sx as long as others between blocks, whichever "
		    "hosts they are of: the links that they share",
		    na_print_number(x, exp(w->block_effect), 2));
	what = keep(s, buf);
	u = what ? na_lz_undecided_add(
			   r, what,
			   "error and utilisation counters of the links "
			   "between the blocks; a run of the same job from "
			   "before, to compare with (netan diff)",
			   run->n_remote)
		 : NULL;
	for (uint32_t i = 0; u && i < run->n_remote; i++) {
		if (passes(s, &s->pairs[run->pair0 + i], kind, a, b))
			u->pairs[u->n_pairs++] = i;
	}
	return u;
}

static bool crosses(const struct pairs_state *s, const struct pairs_pair *p)
{
	const struct na_store *store = s->scope->store;
	uint32_t src = na_store_rack(store, s->nodes.v[p->src].host);
	uint32_t dst = na_store_rack(store, s->nodes.v[p->dst].host);

	return src != NA_UNKNOWN_U32 && dst != NA_UNKNOWN_U32 && src != dst;
}

bool na_pairs_put_across(struct pairs_state *s, const struct pairs_run *run,
			 struct na_lz_result *r, const struct na_wire_result *w)
{
	char buf[PAIRS_WORDS], x[NA_UNIT_BUF];
	struct na_str t = na_str_over(buf, sizeof(buf));
	struct na_lz_undecided *u;
	const char *what;

	if (!(w->across > ACROSS))
		return true;
	na_str_addf(&t,
		    "transfers between racks take %sx those within racks: that "
		    "may be their usual way, or a fault of all links between "
		    "them, which one run cannot tell",
		    na_print_number(x, exp(w->across), 2));
	what = keep(s, buf);
	u = what ? na_lz_undecided_add(
			   r, what,
			   "a run of the same job from before, to compare with "
			   "(netan diff); error and utilisation counters of "
			   "the links between the racks",
			   run->n_remote)
		 : NULL;
	for (uint32_t i = 0; u && i < run->n_remote; i++) {
		if (crosses(s, &s->pairs[run->pair0 + i]))
			u->pairs[u->n_pairs++] = i;
	}
	return u;
}

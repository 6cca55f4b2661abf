/* pairs: tables and remarks for people, and the matrix of the picture. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"

enum { DEFAULT_TOP = 20, TOLD = 3 };

static const char *text_of(const struct na_value *row, const char *name)
{
	return na_text_of(na_get(row, name), "");
}

/* Columns, with the label first where there are several runs. */
struct columns {
	struct na_column c[16];
	size_t n;
};

static void column(struct columns *to, const char *field, const char *header,
		   enum na_format format, int digits)
{
	to->c[to->n++] = (struct na_column){field, header, format, digits, 0};
}

static struct columns columns_for(const struct pairs_state *s)
{
	struct columns c = {.n = 0};

	if (na_pairs_has_runs(s))
		column(&c, "label", "label", NA_F_TEXT, 0);
	return c;
}

/* "<= 1e-12": nobody needs more of it. */
static void put_chance(struct na_result *r, struct na_value *row, double p)
{
	if (!(p > 0))
		na_put_text(r, row, "chance", p == 0 ? "< 1e-300" : NULL);
	else if (p > 0.1)
		na_put_text(r, row, "chance", "> 0.1");
	else
		na_put_textf(r, row, "chance", "<= 1e-%d",
			     (int)floor(-log10(p)));
}

/* The rows of culprits[] in few words. */
static struct na_value *suspects(struct na_result *r, const struct na_value *of)
{
	struct na_value *list = na_put_list(r, na_result_side(r), "suspects");

	for (const struct na_value *v = of->u.of.first; v; v = v->next) {
		struct na_value *row = na_put_object(r, list, NULL);
		const struct na_value *list_of = na_get(v, M_alternatives);
		size_t n = 0;
		const double *ci = na_reals_of(na_get(v, M_excess_ci95), &n);
		bool now_and_then = na_get(v, M_intermittent)->u.flag;

		na_put_text(r, row, M_label,
			    na_text_of(na_get(v, M_label), NULL));
		na_put_textf(r, row, M_suspect, "%s%s%.64s%s",
			     text_of(v, "suspect"),
			     na_get(v, M_endpoint) ? ", device " : "",
			     text_of(v, "endpoint"),
			     list_of && list_of->n ? " (or alternatives)" : "");
		na_put_real(r, row, M_excess,
			    na_real_of(na_get(v, M_excess), NAN));
		na_put_real(r, row, "low", n == 2 ? ci[0] : NAN);
		na_put_real(r, row, "high", n == 2 ? ci[1] : NAN);
		put_chance(r, row, na_real_of(na_get(v, M_p_value), NAN));
		na_put_textf(r, row, M_channel, "%s%s", text_of(v, "channel"),
			     now_and_then ? ", now and then" : "");
		na_put_int(r, row, M_pairs, na_int_of(na_get(v, M_pairs), 0));
		na_put_int(r, row, M_transfers,
			   na_int_of(na_get(v, M_transfers), 0));
	}
	return list;
}

static void suspects_view(struct na_result *r, const struct pairs_state *s,
			  const struct na_value *culprits, const char *title)
{
	struct columns c = columns_for(s);

	column(&c, "suspect", "suspect to test", NA_F_TEXT, 0);
	column(&c, "excess", "excess x", NA_F_NUMBER, 3);
	column(&c, "low", "95 % from", NA_F_NUMBER, 3);
	column(&c, "high", "to", NA_F_NUMBER, 3);
	column(&c, "chance", "p", NA_F_TEXT, 0);
	column(&c, "channel", "seen in", NA_F_TEXT, 0);
	column(&c, "pairs", "pairs", NA_F_COUNT, 0);
	column(&c, "transfers", "transfers", NA_F_COUNT, 0);
	na_result_view(r, title, suspects(r, culprits), NULL, c.c, c.n, 0);
}

static void pairs_view(struct na_result *r, const struct pairs_state *s,
		       const struct na_value *body, const char *title)
{
	struct columns c = columns_for(s);
	size_t top = s->scope->top ? s->scope->top : DEFAULT_TOP;

	column(&c, "src", "source", NA_F_TEXT, 0);
	column(&c, "dst", "destination", NA_F_TEXT, 0);
	column(&c, "count", "transfers", NA_F_COUNT, 0);
	column(&c, "bytes", "MB", NA_F_NUMBER, 4);
	c.c[c.n - 1].scale = 1e-6;
	column(&c, M_p50_us, "p50 us", NA_F_NUMBER, 4);
	column(&c, M_p99_us, "p99 us", NA_F_NUMBER, 4);
	column(&c, M_expected_us, "expected us", NA_F_NUMBER, 4);
	column(&c, "excess", "excess x", NA_F_NUMBER, 3);
	column(&c, M_q_value, "q", NA_F_NUMBER, 2);
	na_result_view(r, title, na_get(body, M_pairs), NULL, c.c, c.n, top);
}

static void clocks_view(struct na_result *r, const struct pairs_state *s,
			const struct na_value *list)
{
	struct columns c = columns_for(s);

	column(&c, "host", "host", NA_F_TEXT, 0);
	column(&c, M_ahead_us, "ahead by us", NA_F_NUMBER, 3);
	column(&c, M_uncertainty_us, "+- us", NA_F_NUMBER, 2);
	na_result_view(r, "clocks that are off (corrected here)", list, NULL,
		       c.c, c.n, 0);
}

static void stalls_view(struct na_result *r, const struct pairs_state *s,
			const struct na_value *list)
{
	struct columns c = columns_for(s);

	column(&c, "host", "host", NA_F_TEXT, 0);
	column(&c, "episodes", "episodes", NA_F_COUNT, 0);
	column(&c, "transfers", "transfers", NA_F_COUNT, 0);
	column(&c, M_longest_ms, "longest ms", NA_F_NUMBER, 3);
	na_result_view(r, "hosts that pause (no NIC: look at the host)", list,
		       NULL, c.c, c.n, 0);
}

static void undecided_view(struct na_result *r, const struct pairs_state *s,
			   const struct na_value *list)
{
	struct columns c = columns_for(s);

	column(&c, "what", "pattern", NA_F_TEXT, 0);
	column(&c, M_n_pairs, "pairs", NA_F_COUNT, 0);
	column(&c, "needs", "what would decide", NA_F_TEXT, 0);
	na_result_view(r, "undecided", list, NULL, c.c, c.n, 0);
}

static bool same_text(const struct na_value *a, const struct na_value *b,
		      const char *name)
{
	return strcmp(text_of(a, name), text_of(b, name)) == 0;
}

/* What to test: one remark for all suspects that ask for the same. */
static void note_tests(struct na_result *r, const struct na_value *culprits)
{
	const struct na_value *first = culprits->u.of.first;

	for (const struct na_value *v = first; v; v = v->next) {
		const char *needs = text_of(v, "needs");
		struct pairs_words who = {.n = 0};
		const struct na_value *u = first;
		size_t n = 0;

		while (u != v && !(same_text(u, v, M_test_next) &&
				   same_text(u, v, "needs")))
			u = u->next;
		if (u != v)
			continue; /* told */
		for (; u; u = u->next) {
			if (same_text(u, v, M_test_next) &&
			    same_text(u, v, "needs") && n++ < TOLD)
				na_pairs_say(&who, "%s%.80s", n > 1 ? ", " : "",
					     text_of(u, "suspect"));
		}
		if (n > TOLD)
			na_pairs_say(&who, " and %zu more", n - TOLD);
		na_result_note(r, "test %s: %s%s%s", who.text,
			       text_of(v, M_test_next),
			       *needs ? "; what would decide: " : "", needs);
	}
	if (first)
		na_result_note(r, "a suspect is not a verdict: latency that "
				  "holds a wait for a late host looks like a "
				  "slow NIC");
}

static bool captured(const struct pairs_state *s)
{
	for (uint32_t run = 0; run < s->scope->store->n_runs; run++) {
		if (!na_pairs_captured(s->scope->store, run))
			return false;
	}
	return s->keys.n > 0;
}

static void note_rest(struct na_result *r, const struct pairs_state *s)
{
	uint64_t local = 0, transfers = 0;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	for (size_t i = 0; i < s->keys.n; i++) {
		local += s->pairs[i].local;
		if (s->pairs[i].local)
			transfers += s->sums[s->pairs[i].found].n;
	}
	if (s->calls && s->calls < s->scope->used->n)
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
				  "--topology FILE tells them apart");
	if (local)
		na_result_note(r,
			       "%s pair%s inside a host (%s transfers) listed "
			       "but not judged",
			       na_print_count(a, local), local == 1 ? "" : "s",
			       na_print_count(b, transfers));
	if (s->clamped)
		na_result_note(r,
			       "%s transfers with a clock behind the sender's "
			       "tell about clocks and are in no statistics",
			       na_print_count(a, s->clamped));
}

/* Rack or slice; of devices the host. */
static int64_t group_of(const struct pairs_state *s, const struct pairs_node *n)
{
	uint32_t rack = na_store_rack(s->scope->store, n->host);

	if (!s->of_hosts)
		return n->host;
	return rack != NA_UNKNOWN_U32 ? (int64_t)rack : n->first.slice;
}

/* Nodes in order; `group` changes where a separator belongs. */
static void put_nodes(struct na_result *r, struct na_value *to,
		      const struct pairs_state *s, const struct pairs_run *run)
{
	struct na_value *list = na_put_list(r, to, "nodes");

	for (uint32_t h = 0; h < run->n_nodes; h++) {
		const struct pairs_node *n = na_pairs_node_at(s, run, h);
		struct na_value *x = na_put_object(r, list, NULL);

		na_put_text(r, x, M_name, n->name);
		na_put_int(r, x, "group", group_of(s, n));
	}
}

static void put_cells(struct na_result *r, struct na_value *to,
		      const struct pairs_state *s, const struct pairs_run *run)
{
	double *src = na_put_reals(r, to, M_src, run->n_pairs);
	double *dst = na_put_reals(r, to, M_dst, run->n_pairs);
	double *excess = na_put_reals(r, to, M_excess, run->n_pairs);

	for (size_t i = 0; src && dst && excess && i < run->n_pairs; i++) {
		const struct pairs_pair *p = &s->pairs[run->pair0 + i];

		src[i] = (double)(p->src - run->node0);
		dst[i] = (double)(p->dst - run->node0);
		excess[i] = run->found.pairs && i < run->n_remote
				    ? exp(run->found.pairs[i].effect)
				    : NAN;
	}
}

/* The devices of a host that stand side by side, from the first one on. */
static uint32_t rows_of_host(const struct pairs_state *s,
			     const struct pairs_run *run, uint32_t *first)
{
	uint32_t host = na_pairs_node_at(s, run, *first)->host, n = 1;

	for (; *first && na_pairs_node_at(s, run, *first - 1)->host == host;
	     n++)
		--*first;
	while (*first + n < run->n_nodes &&
	       na_pairs_node_at(s, run, *first + n)->host == host)
		n++;
	return n;
}

static void put_mark(struct na_result *r, struct na_value *list,
		     const struct pairs_state *s, const struct pairs_run *run,
		     const struct na_lz_finding *f)
{
	struct na_value *x = na_put_object(r, list, NULL);
	uint32_t first = f->who.a, rows = 1;
	struct pairs_words who = {.n = 0};

	if (f->who.kind <= NA_LZ_HOST && na_pairs_is_whole(run, f))
		rows = rows_of_host(s, run, &first);
	na_pairs_say_who(&who, s, run, &f->who, na_pairs_is_whole(run, f));
	na_put_text(r, x, M_kind, na_pairs_kind_names[f->who.kind]);
	na_put_text(r, x, M_name, who.text);
	na_put_int(r, x, M_a, (int64_t)first);
	na_put_int(r, x, M_b,
		   f->who.kind == NA_LZ_PAIR || f->who.kind == NA_LZ_RACK_PAIR
			   ? (int64_t)f->who.b
			   : -1);
	na_put_int(r, x, "rows", (int64_t)rows);
	na_put_text(r, x, M_host,
		    f->who.kind <= NA_LZ_HOST && na_pairs_is_whole(run, f)
			    ? na_pairs_host_name(s, na_pairs_node_at(s, run,
								     first))
			    : NULL);
	na_put_real(r, x, M_excess, exp(f->effect));
	na_put_text(r, x, M_channel, na_pairs_channel_names[f->channel]);
}

/* What the picture draws, in the order in which it draws it. */
static void put_matrix(struct na_result *r, struct na_value *list,
		       const struct pairs_state *s, const struct pairs_run *run)
{
	const struct na_store *store = s->scope->store;
	struct na_value *to = na_put_object(r, list, NULL), *marks;
	double *racks;

	for (size_t i = 0; na_pairs_has_runs(s) && i < store->n_sources; i++) {
		if (store->sources[i].run == (uint32_t)(run - s->runs)) {
			na_put_text(r, to, M_label, store->sources[i].label);
			break;
		}
	}
	put_nodes(r, to, s, run);
	put_cells(r, to, s, run);
	racks = na_put_reals(r, to, "rack", run->n_nodes);
	for (size_t h = 0; racks && h < run->n_nodes; h++)
		racks[h] = run->found.rack_of &&
					   run->found.rack_of[h] != NA_LZ_NONE
				   ? (double)run->found.rack_of[h]
				   : (double)NAN;
	marks = na_put_list(r, to, M_marks);
	for (size_t i = 0; i < run->found.n_findings; i++)
		put_mark(r, marks, s, run, &run->found.findings[i]);
}

static void put_picture(struct na_result *r, const struct pairs_state *s,
			const char *verdict)
{
	struct na_value *side = na_result_side(r), *list;

	na_result_wordf(r, NA_WORD_MESSAGE, "%c%s",
			na_pairs_has_runs(s) ? *verdict
					     : toupper((unsigned char)*verdict),
			verdict + 1);
	na_put_text(r, side, "ends", na_pairs_ends(s));
	na_put_int(r, side, "locality", s->scope->store->topology != NULL);
	list = na_put_list(r, side, "matrices");
	for (size_t i = 0; i < s->scope->store->n_runs; i++)
		put_matrix(r, list, s, &s->runs[i]);
}

void na_pairs_views(struct na_result *r, const struct pairs_state *s)
{
	const struct na_value *body = na_result_body(r);
	const struct na_value *culprits = na_get(body, M_culprits);
	const struct na_value *clocks = na_get(body, M_clock_offsets);
	const struct na_value *stalls = na_get(body, M_stalls);
	const struct na_value *undecided = na_get(body, M_undecided);
	const char *verdict = na_text_of(na_get(body, M_verdict),
					 "no pairs: no transfers");

	if (!culprits || !clocks || !stalls || !undecided)
		return; /* no memory */
	put_picture(r, s, verdict);
	if (culprits->n)
		suspects_view(r, s, culprits, verdict);
	if (clocks->n)
		clocks_view(r, s, clocks);
	if (stalls->n)
		stalls_view(r, s, stalls);
	if (undecided->n)
		undecided_view(r, s, undecided);
	pairs_view(r, s, body,
		   culprits->n ? "pairs, the surely slowest first" : verdict);
	note_tests(r, culprits);
	note_rest(r, s);
}

/*
 * pairs: guilty, not guilty or cannot tell, and what an acquittal rests on: by
 * how much each side would have had to be slower to be named.
 */
#include <math.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"
#include "netan/base/str.h"
#include "netan/methods/power.h"

enum { MOST_TOLD = 3 }; /* sides in a sentence */

static void put_power(struct na_result *r, struct na_value *body,
		      const struct pairs_state *s)
{
	struct na_value *list = na_put_list(r, body, M_power);

	for (uint32_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct pairs_run *run = &s->runs[i];

		for (size_t k = 0; k < run->found.n_power; k++) {
			const struct na_lz_power *p = &run->found.power[k];
			struct na_value *row = na_pairs_put_row(r, list, s, i);

			na_put_text(r, row, M_host,
				    na_pairs_host_name(
					    s,
					    na_pairs_node_at(s, run, p->host)));
			na_put_text(r, row, M_side,
				    na_pairs_kind_names[p->side]);
			na_put_real(r, row, M_factor, p->factor);
			na_put_text(r, row, M_why, *p->why ? p->why : NULL);
		}
	}
}

/* What the others sent, they alone have timed. */
static bool all_are_here(const struct pairs_state *s,
			 const struct pairs_run *run)
{
	for (size_t i = 0; i < run->n_nodes; i++) {
		uint32_t host = s->nodes.v[run->node0 + i].host;

		if (!s->scope->store->hosts[host].recorded)
			return false;
	}
	return true;
}

/* Of a run's sides, on which what matters would have been named. */
static size_t shown_sides(const struct na_lz_result *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_power; i++)
		n += f->power[i].factor <= na_lz_matters(f->n_power);
	return n;
}

bool na_pairs_acquits(const struct pairs_state *s, const struct pairs_run *run)
{
	const struct na_lz_result *f = &run->found;
	size_t shown = shown_sides(f);

	return !na_pairs_one_file(s) && all_are_here(s, run) && f->n_power &&
	       !f->suspicious && !f->n_undecided && !f->n_stalls &&
	       (double)shown >= NA_LZ_OF_SIDES * (double)f->n_power;
}

/* "; not on the receive side of host-1 and 2 more": n of them. */
static void say_unnamed(struct na_str *t, const struct pairs_state *s, size_t n)
{
	size_t told = 0;

	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct pairs_run *run = &s->runs[i];

		for (size_t k = 0; k < run->found.n_power; k++) {
			const struct na_lz_power *p = &run->found.power[k];

			if (p->factor <= na_lz_matters(run->found.n_power) ||
			    told >= MOST_TOLD)
				continue;
			na_str_addf(t, "%s the %s side of %s",
				    told ? "," : "; not on",
				    p->side == NA_LZ_SRC ? "transmit"
							 : "receive",
				    na_pairs_host_name(
					    s,
					    na_pairs_node_at(s, run, p->host)));
			told++;
		}
	}
	if (n > told)
		na_str_addf(t, " and %zu more", n - told);
}

static size_t slow_pairs(const struct pairs_state *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct na_lz_result *f = &s->runs[i].found;

		for (size_t k = 0; k < f->n_undecided; k++)
			n += f->undecided[k].n_pairs;
	}
	return n;
}

/* What is known of one culprit says little of several. */
static void note_open(struct na_result *r, const struct pairs_state *s,
		      const char *named)
{
	size_t slow = slow_pairs(s);

	if (slow)
		na_result_note(r,
			       "cannot tell: %zu slow pair%s unexplained; "
			       "were one host alone slow, %s",
			       slow, slow > 1 ? "s stay" : " stays", named);
	else
		na_result_note(r,
			       "cannot tell: something stays unexplained, or "
			       "files are missing, though %s",
			       named);
}

/* Too few to compare what they send.  Of captures, where nothing tells
 * collectives, more of them would not do. */
static bool has_few_hosts(const struct pairs_state *s)
{
	const struct na_store *store = s->scope->store;

	for (size_t i = 0; i < store->n_sources; i++) {
		if (store->sources[i].capture)
			return false;
	}
	return s->of_hosts && s->nodes.n && s->nodes.n < NA_WIRE_FEW_HOSTS;
}

/* Nobody is named: does that say anything? */
static void note_power(struct na_result *r, const struct pairs_state *s,
		       bool cleared)
{
	char text[PAIRS_WORDS], times[NA_UNIT_BUF];
	struct na_str t = na_str_over(text, sizeof(text));
	double matters = NA_LZ_MATTERS;
	size_t shown = 0, all = 0;
	const struct na_topology *racks = s->scope->store->topology;
	bool enough;

	for (size_t i = 0; i < s->scope->store->n_runs; i++) {
		const struct na_lz_result *f = &s->runs[i].found;

		shown += shown_sides(f);
		all += f->n_power;
		if (f->n_power)
			matters = fmax(matters, na_lz_matters(f->n_power));
	}
	enough = (double)shown >= NA_LZ_OF_SIDES * (double)all;
	if (enough && !na_power_say(&t, na_get(na_result_body(r), M_power)))
		return; /* it is noted that memory was refused */
	if (shown < all && !enough)
		say_unnamed(&t, s, all - shown);
	if (all && enough && !cleared)
		note_open(r, s, t.s);
	else if (all && enough)
		na_result_note(r, "not guilty%s: %s%s",
			       racks && na_pairs_placed(s)
				       ? ", if the racks are as --topology says"
				       : "",
			       t.s, racks ? "" : NA_POWER_NO_LINKS);
	else if (all)
		na_result_note(r,
			       "cannot tell: a NIC %sx slower would have "
			       "been named on %zu of %zu transmit and receive "
			       "sides of hosts%s",
			       na_power_times(times, matters), shown, all, t.s);
	else if (has_few_hosts(s))
		na_result_note(r,
			       "cannot tell: to compare hosts takes %d of "
			       "them, and these are %zu: trace more at once",
			       NA_WIRE_FEW_HOSTS, s->nodes.n);
	else
		na_result_note(r, "cannot tell: it is not known how slow a NIC "
				  "would have had to be to be named");
}

void na_pairs_put_outcome(struct na_result *r, struct na_value *body,
			  const struct pairs_state *s)
{
	size_t named = 0, runs = s->scope->store->n_runs, cleared = 0;

	for (size_t i = 0; i < runs; i++) {
		named += s->runs[i].found.n_findings;
		cleared += na_pairs_acquits(s, &s->runs[i]);
	}
	na_put_text(r, body, M_outcome,
		    named                     ? "guilty"
		    : runs && cleared == runs ? "not_guilty"
					      : "cannot_tell");
	put_power(r, body, s);
	if (!named && runs)
		note_power(r, s, cleared == runs);
}

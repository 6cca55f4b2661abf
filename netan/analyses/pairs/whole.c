/*
 * pairs: a host all of whose pairs are slow, both ways.  The expectation of a
 * pair comes from the others; where half of them touch one host it lies
 * between both halves, and no side stands out.  That is told as a pattern, not
 * as a culprit: a host that computes longer, whose peers wait for it, and one
 * that is far look alike.
 */
#include <math.h>

#include "members.h"
#include "netan/analyses/pairs/state.h"
#include "netan/base/units.h"

enum { PAIRS_LEAST = 4 }; /* of it, and of the others */

#define APART 1.3 /* its fastest pair over the slowest of the others */

static void look(const struct pairs_state *s, const struct pairs_run *run,
		 uint32_t node, struct pairs_whole *x)
{
	*x = (struct pairs_whole){.node = node,
				  .least = INFINITY,
				  .most = -INFINITY};
	x->others = -INFINITY;
	for (size_t i = 0; i < run->n_remote; i++) {
		const struct pairs_pair *p = &s->pairs[run->pair0 + i];
		double effect = run->found.pairs[i].effect;

		if (isnan(effect))
			continue;
		if (p->src != node && p->dst != node) {
			x->n_others++;
			x->others = fmax(x->others, effect);
			continue;
		}
		x->sent += p->src == node;
		x->received += p->dst == node;
		x->least = fmin(x->least, effect);
		x->most = fmax(x->most, effect);
	}
}

/* The slowest pair; n_remote: there is none. */
static size_t slowest(const struct pairs_run *run)
{
	size_t at = run->n_remote;

	for (size_t i = 0; i < run->n_remote; i++) {
		double effect = run->found.pairs[i].effect;

		if (!isnan(effect) && (at == run->n_remote ||
				       effect > run->found.pairs[at].effect))
			at = i;
	}
	return at;
}

bool na_pairs_whole(const struct pairs_state *s, const struct pairs_run *run,
		    struct pairs_whole *x)
{
	const struct na_lz_result *f = &run->found;
	const struct pairs_pair *p;
	size_t at;

	if (!s->of_hosts || f->n_findings || f->too_few || !f->pairs)
		return false;
	/* If all pairs of a host are slower than all others, the slowest is
	 * one of them. */
	at = slowest(run);
	if (at == run->n_remote)
		return false;
	p = &s->pairs[run->pair0 + at];
	for (int i = 0; i < 2; i++) {
		look(s, run, (p->src < p->dst) == (i == 0) ? p->src : p->dst,
		     x);
		if (x->sent && x->received &&
		    x->sent + x->received >= PAIRS_LEAST &&
		    x->n_others >= PAIRS_LEAST &&
		    x->least > x->others + log(APART))
			return true;
	}
	return false;
}

void na_pairs_say_whole(struct na_str *w, const struct pairs_state *s,
			const struct pairs_whole *x)
{
	char least[NA_UNIT_BUF], most[NA_UNIT_BUF], others[NA_UNIT_BUF];

	na_str_addf(w,
		    "every pair of %.60s, both ways, takes %s to %s times what "
		    "is expected, all others %s at most",
		    na_pairs_host_name(s, &s->nodes.v[x->node]),
		    na_print_number(least, exp(x->least), 3),
		    na_print_number(most, exp(x->most), 3),
		    na_print_number(others, exp(x->others), 3));
}

void na_pairs_put_whole(struct na_result *r, struct na_value *row,
			const struct pairs_state *s,
			const struct pairs_whole *x)
{
	char buf[PAIRS_WORDS];
	struct na_str w = na_str_over(buf, sizeof(buf));

	na_pairs_say_whole(&w, s, x);
	na_put_text(r, row, M_host,
		    na_pairs_host_name(s, &s->nodes.v[x->node]));
	na_put_text(r, row, M_what, w.s);
	na_put_text(r, row, M_needs,
		    "netan steps: is it a straggler, so that the others wait "
		    "for it? Else test both its directions with iperf3");
	na_put_int(r, row, M_n_pairs, (int64_t)(x->sent + x->received));
}

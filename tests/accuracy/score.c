#include "tests/accuracy/score.h"

#include <math.h>

/* Pairs of a culprit. */
static bool owns(const struct fl_fleet *f, const struct na_place *w,
		 const struct fl_pair *p)
{
	uint32_t a = f->rack_of[p->src], b = f->rack_of[p->dst];

	if (!fl_is_rack(w->cause))
		return fl_passes(w, p->src, p->dst);
	if (a == b)
		return false;
	if (w->cause == NA_JUDGE_RACK_DOWNLINK)
		return b == w->a;
	return a == w->a && (w->cause == NA_JUDGE_RACK_UPLINK || b == w->b);
}

static bool same(const struct na_place *x, const struct na_place *y)
{
	bool two = x->cause == NA_JUDGE_PAIR || x->cause == NA_JUDGE_RACK_PAIR;

	return x->cause == y->cause && x->a == y->a && (!two || x->b == y->b);
}

static bool same_pairs(const struct fl_fleet *f, const struct na_place *x,
		       const struct na_place *y)
{
	for (size_t i = 0; i < f->n_pairs; i++)
		if (owns(f, x, &f->pairs[i]) != owns(f, y, &f->pairs[i]))
			return false;
	return true;
}

enum hit { MISS, PRINTED, STRICT };

static enum hit hit_of(const struct fl_fleet *f,
		       const struct na_judge_finding *x,
		       const struct na_place *truth)
{
	if (same(&x->place, truth))
		return STRICT;
	for (size_t i = 0; i < x->n_alternatives; i++)
		if (same(&x->alternatives[i].place, truth))
			return same_pairs(f, &x->place, truth) ? STRICT
							       : PRINTED;
	return MISS;
}

static bool names(const struct na_place *w, uint32_t host)
{
	if (fl_is_rack(w->cause))
		return false;
	return w->a == host || (w->cause == NA_JUDGE_PAIR && w->b == host);
}

/* Of a rack fault: does a finding blame a host at its ends? */
static bool blames_rack_host(const struct fl_fleet *f, const struct na_place *w,
			     const struct na_place *truth)
{
	uint32_t rack;

	if (!fl_is_rack(truth->cause) || fl_is_rack(w->cause) ||
	    w->cause == NA_JUDGE_PAIR)
		return false;
	rack = f->rack_of[w->a];
	return rack == truth->a ||
	       (truth->cause == NA_JUDGE_RACK_PAIR && rack == truth->b);
}

static enum hit compare_fault(const struct fl_fleet *f,
			      const struct na_judge_finding *x,
			      struct fl_fault_score *t)
{
	const struct na_place *who = &t->truth.who;
	enum hit hit = hit_of(f, x, who);

	t->hit |= hit != MISS;
	t->hosted |= blames_rack_host(f, &x->place, who);
	if (fl_is_rack(who->cause))
		t->touched |= t->hosted || fl_is_rack(x->place.cause);
	else
		t->touched |= hit != MISS || names(&x->place, who->a) ||
			      (who->cause == NA_JUDGE_PAIR &&
			       names(&x->place, who->b));
	return hit;
}

static void compare_finding(const struct fl_fleet *f,
			    const struct na_judge_finding *x,
			    struct fl_score *s)
{
	bool rack = fl_is_rack(x->place.cause),
	     pair = x->place.cause == NA_JUDGE_PAIR;
	enum hit best = MISS;

	for (size_t k = 0; k < s->n_faults; k++) {
		enum hit hit = compare_fault(f, x, &s->faults[k]);

		best = hit > best ? hit : best;
	}
	if (s->findings < FL_SAID)
		s->said[s->findings] =
			(struct fl_said){.who = x->place,
					 .mechanism = x->mechanism,
					 .posterior = x->posterior,
					 .right = best != MISS,
					 .strict = best == STRICT};
	s->findings++;
	s->right += best != MISS;
	s->on_racks += rack;
	s->on_pairs += pair;
	s->on_hosts += !rack && !pair;
}

/* Is it a host's own: the sides of no fault, not even of a pair? */
static bool is_sound(const struct fl_score *s, uint32_t host)
{
	for (size_t k = 0; k < s->n_faults; k++)
		if (fl_is_rack(s->faults[k].truth.who.cause) ||
		    names(&s->faults[k].truth.who, host))
			return false;
	return true;
}

static void compare_bound(const struct na_judge_bound *b, struct fl_score *s)
{
	if (isnan(b->upper))
		return;
	if (is_sound(s, b->host)) {
		s->sound++;
		s->sound_covered += b->upper >= 1;
	}
	for (size_t k = 0; k < s->n_faults; k++) {
		const struct na_place *who = &s->faults[k].truth.who;

		if (who->a == b->host &&
		    (who->cause == b->side || who->cause == NA_JUDGE_HOST))
			s->faults[k].upper = fmin(s->faults[k].upper, b->upper);
	}
}

void fl_compare(const struct fl_fleet *f, const struct na_judge_result *r,
		struct fl_score *out)
{
	*out = (struct fl_score){.plan = f->plan,
				 .n_hosts = f->n_hosts,
				 .waits = f->waits,
				 .outcome = r->outcome,
				 .n_faults = f->n_truths};
	for (size_t k = 0; k < f->n_truths; k++) {
		out->faults[k].truth = f->truths[k];
		out->faults[k].upper = NAN;
	}
	for (size_t i = 0; i < r->n_findings; i++)
		compare_finding(f, &r->findings[i], out);
	for (size_t i = 0; i < r->n_bounds; i++)
		compare_bound(&r->bounds[i], out);
}

/* A whole host counts as found by either of its sides. */
void fl_compare_z(const struct fl_fleet *f, struct na_place who,
		  struct fl_score *out)
{
	out->z_named = who.cause != NA_JUDGE_PAIR;
	for (size_t k = 0; out->z_named && k < f->n_truths; k++) {
		const struct na_place *t = &f->truths[k].who;

		out->faults[k].z_hit =
			t->a == who.a &&
			(t->cause == who.cause || t->cause == NA_JUDGE_HOST);
		out->z_right |= out->faults[k].z_hit;
	}
}

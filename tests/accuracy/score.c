#include "tests/accuracy/score.h"

#include <math.h>

static bool is_rack(enum na_lz_kind kind)
{
	return kind == NA_LZ_RACK_UPLINK || kind == NA_LZ_RACK_DOWNLINK ||
	       kind == NA_LZ_RACK_PAIR;
}

/* Paths of a culprit; racks as numbered by rack_of. */
static bool owns(const struct na_lz_who *w, const uint32_t *rack_of,
		 const struct na_lz_pair *p)
{
	uint32_t a, b;

	if (!is_rack(w->kind))
		return fl_passes(w, p->src, p->dst);
	if (!rack_of)
		return false;
	a = rack_of[p->src];
	b = rack_of[p->dst];
	if (a == b)
		return false;
	if (w->kind == NA_LZ_RACK_DOWNLINK)
		return b == w->a;
	return a == w->a && (w->kind == NA_LZ_RACK_UPLINK || b == w->b);
}

/* Are all of the found rack's hosts, and at least half of the true one's,
 * the same? */
static bool same_rack(const struct fl_fleet *f, const uint32_t *found,
		      uint32_t found_rack, uint32_t true_rack)
{
	size_t common = 0, all = 0, strange = 0;

	for (uint32_t h = 0; found && h < f->n_hosts; h++) {
		bool in = f->rack_of[h] == true_rack;
		bool said = found[h] == found_rack;

		all += in;
		common += in && said;
		strange += said && !in;
	}
	return common > 0 && 2 * common >= all && strange == 0;
}

static bool same(const struct fl_fleet *f, const uint32_t *racks,
		 const struct na_lz_who *found, const struct na_lz_who *truth)
{
	if (found->kind != truth->kind)
		return false;
	if (is_rack(truth->kind))
		return same_rack(f, racks, found->a, truth->a) &&
		       (truth->kind != NA_LZ_RACK_PAIR ||
			same_rack(f, racks, found->b, truth->b));
	return found->a == truth->a &&
	       (truth->kind != NA_LZ_PAIR || found->b == truth->b);
}

static bool same_paths(const struct fl_fleet *f, const uint32_t *racks,
		       const struct na_lz_who *found,
		       const struct na_lz_who *truth)
{
	for (size_t i = 0; i < f->n_pairs; i++)
		if (owns(found, racks, &f->pairs[i]) !=
		    owns(truth, f->rack_of, &f->pairs[i]))
			return false;
	return true;
}

static bool is_hit(const struct fl_fleet *f, const uint32_t *racks,
		   const struct na_lz_finding *x, const struct na_lz_who *truth)
{
	if (same(f, racks, &x->who, truth))
		return true;
	for (size_t i = 0; i < x->n_alternatives; i++)
		if (same(f, racks, &x->alternatives[i], truth))
			return same_paths(f, racks, &x->who, truth);
	return false;
}

static bool names(const struct na_lz_who *w, uint32_t host)
{
	if (is_rack(w->kind))
		return false;
	return w->a == host || (w->kind == NA_LZ_PAIR && w->b == host);
}

/* Of a rack fault: does a finding blame a host at its ends? */
static bool blames_rack_host(const struct fl_fleet *f,
			     const struct na_lz_who *w,
			     const struct na_lz_who *truth)
{
	uint32_t rack;

	if (!is_rack(truth->kind) || is_rack(w->kind) || w->kind == NA_LZ_PAIR)
		return false;
	rack = f->rack_of[w->a];
	return rack == truth->a ||
	       (truth->kind == NA_LZ_RACK_PAIR && rack == truth->b);
}

static void compare_finding(const struct fl_fleet *f, const uint32_t *racks,
			    const struct na_lz_finding *x, struct fl_score *s)
{
	bool right = false;

	for (size_t k = 0; k < s->n_faults; k++) {
		struct fl_fault_score *t = &s->faults[k];
		const struct na_lz_who *who = &t->truth.who;
		bool hit = is_hit(f, racks, x, who);

		right |= hit;
		t->hit |= hit;
		t->hosted |= blames_rack_host(f, &x->who, who);
		if (is_rack(who->kind))
			t->touched |= t->hosted || is_rack(x->who.kind);
		else
			t->touched |= hit || names(&x->who, who->a) ||
				      (who->kind == NA_LZ_PAIR &&
				       names(&x->who, who->b));
	}
	if (!right && s->findings - s->right < FL_WRONG) {
		s->wrong[s->findings - s->right].who = x->who;
		s->wrong[s->findings - s->right].channel = x->channel;
	}
	s->findings++;
	s->right += right;
	s->on_racks += is_rack(x->who.kind);
	s->on_paths += x->who.kind == NA_LZ_PAIR;
	s->on_hosts += !is_rack(x->who.kind) && x->who.kind != NA_LZ_PAIR;
	s->print = fl_hash(s->print ^ (uint64_t)x->who.kind,
			   (uint64_t)x->who.a << 32 | x->who.b);
}

static bool clock_right(const struct fl_fleet *f, const struct na_lz_clock *c)
{
	double error = fabs(c->ahead_us - f->ahead_us);

	return c->host == f->skewed &&
	       error < fmax(20, 0.3 * fabs(f->ahead_us));
}

void fl_compare(const struct fl_fleet *f, const struct na_lz_result *r,
		struct fl_score *out)
{
	*out = (struct fl_score){.plan = f->plan,
				 .n_hosts = f->n_hosts,
				 .waits = f->waits,
				 .n_faults = f->n_truths};
	for (size_t k = 0; k < f->n_truths; k++)
		out->faults[k].truth = f->truths[k];
	for (size_t i = 0; i < r->n_findings; i++)
		compare_finding(f, r->rack_of, &r->findings[i], out);
	for (size_t i = 0; i < r->n_clocks; i++)
		out->clock_right |= clock_right(f, &r->clocks[i]);
	out->clocks = (uint32_t)r->n_clocks;
	out->stalls = (uint32_t)r->n_stalls;
	out->undecided = (uint32_t)r->n_undecided;
}

/* A whole host counts as found by either of its sides. */
void fl_compare_z(const struct fl_fleet *f, struct na_lz_who who,
		  struct fl_score *out)
{
	out->z_named = who.kind != NA_LZ_PAIR;
	for (size_t k = 0; out->z_named && k < f->n_truths; k++) {
		const struct na_lz_who *t = &f->truths[k].who;

		out->faults[k].z_hit = t->a == who.a && (t->kind == who.kind ||
							 t->kind == NA_LZ_HOST);
		out->z_right |= out->faults[k].z_hit;
	}
}

/*
 * Fleets from a formula: latency = (fixed + bytes * rate) of the locality
 * class, times factors of the pair, the hosts, the collective and the step,
 * times log-normal noise; now and then a spike that is nobody's fault.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/fleet.h"

/* STRETCHES of time stand for steps where these are unknown. */
enum { CLASSES = 3, COLLECTIVES = 8, STRETCHES = 24 };

struct path {
	uint32_t src, dst;
	double factor; /* of a healthy pair: near 1 */
	double weight; /* cumulative: how often it is used */
};

struct collective {
	double bytes, spread, factor;
	uint32_t variants; /* sizes: bytes, bytes / 2, ... */
	bool half;         /* uses half of the paths */
};

struct world {
	struct fl_fleet *f;
	struct na_rng *rng;
	struct path *paths;
	struct fl_path *ends; /* of the paths, for choosing culprits */
	size_t n_paths, cap_paths;
	double fixed_us[CLASSES], us_per_byte[CLASSES];
	struct collective colls[COLLECTIVES];
	double *host; /* factor of a healthy host */
	bool *on[FL_TRUTHS];
	double noise, context, spike_share, background;
	double step_us;
	bool steps; /* are known */
};

static bool add_path(struct world *w, uint32_t src, uint32_t dst)
{
	if (!na_grow(&w->paths, &w->cap_paths, w->n_paths + 1,
		     sizeof(*w->paths)))
		return false;
	w->paths[w->n_paths++] = (struct path){.src = src, .dst = dst};
	return true;
}

/* Random partners; a path may or may not have its reverse. */
static bool sparse(struct world *w)
{
	uint32_t n = w->f->n_hosts, degree = 2 + fl_pick(w->rng, 7);
	double back = fl_pick(w->rng, 3) / 2.0;
	double density = fmin(1, (double)degree / n);
	bool ok = true;

	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			double u = fl_uniform(w->rng);
			bool flip = fl_chance(w->rng, 0.5);

			/* Near ones talk; and some that are anywhere. */
			if (b != a + 1 && u >= density)
				continue;
			ok = ok && add_path(w, flip ? b : a, flip ? a : b);
			if (fl_chance(w->rng, back))
				ok = ok &&
				     add_path(w, flip ? a : b, flip ? b : a);
		}
	return ok;
}

static bool draw_paths(struct world *w)
{
	uint32_t n = w->f->n_hosts;
	bool ok = true;

	if (w->f->pattern == FL_SPARSE)
		return sparse(w);
	for (uint32_t a = 0; a < n; a++) {
		if (w->f->pattern == FL_ALL) {
			for (uint32_t b = 0; b < n; b++)
				ok = ok && (a == b || add_path(w, a, b));
			continue;
		}
		ok = ok && add_path(w, a, (a + 1) % n);
		if (w->f->pattern == FL_BIRING)
			ok = ok && add_path(w, a, (a + n - 1) % n);
	}
	return ok;
}

/* The same for both directions, and a little of its own. */
static double pair_factor(struct world *w, const struct path *p, double sigma)
{
	uint64_t lo = p->src < p->dst ? p->src : p->dst;
	uint64_t hi = p->src < p->dst ? p->dst : p->src;
	struct na_rng both;
	double x;

	na_rng_seed(&both, fl_hash(w->f->seed, lo << 32 | hi));
	x = sigma * fl_normal(&both) + 0.3 * sigma * fl_normal(w->rng);
	return exp(fmax(-0.2, fmin(0.2, x)));
}

static bool dress_paths(struct world *w)
{
	double sigma = fl_between(w->rng, 0, 0.15), sum = 0;
	double uneven = fl_between(w->rng, 0, 1.5);

	w->ends = na_calloc(w->n_paths, sizeof(*w->ends));
	if (!w->ends)
		return false;
	for (size_t i = 0; i < w->n_paths; i++) {
		struct path *p = &w->paths[i];

		p->factor = pair_factor(w, p, sigma);
		sum += fl_lognormal(w->rng, uneven) *
		       (fl_chance(w->rng, 0.01) ? 20 : 1);
		p->weight = sum;
		w->ends[i] = (struct fl_path){p->src, p->dst};
	}
	return true;
}

static struct path *any_path(struct world *w)
{
	double u = fl_uniform(w->rng) * w->paths[w->n_paths - 1].weight;
	size_t lo = 0, hi = w->n_paths - 1;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (w->paths[mid].weight > u)
			hi = mid;
		else
			lo = mid + 1;
	}
	return &w->paths[lo];
}

/* A collective may leave out half of the paths, always the same. */
static struct path *path_of(struct world *w, uint32_t coll)
{
	for (;;) {
		struct path *p = any_path(w);
		uint64_t id = (uint64_t)(p - w->paths);

		if (!w->colls[coll].half ||
		    fl_hash(w->f->seed + coll, id) & 1 || id == 0)
			return p;
	}
}

/* Classes differ up to 2x, pairs in one up to 1.5x: together up to 3x. */
static void draw_costs(struct world *w)
{
	double gbps = fl_log_between(w->rng, 10, 200);

	w->fixed_us[0] = fl_log_between(w->rng, 15, 120);
	w->us_per_byte[0] = 8e-3 / gbps;
	for (int c = 1; c < CLASSES; c++) {
		w->fixed_us[c] = w->fixed_us[c - 1] *
				 fl_between(w->rng, 1.05, 1.41);
		w->us_per_byte[c] = w->us_per_byte[c - 1] *
				    fl_between(w->rng, 1, 1.41);
	}
	w->noise = fl_between(w->rng, 0.08, 0.5);
	w->context = fl_between(w->rng, 0, 0.15);
	w->spike_share = fl_chance(w->rng, 0.4) ? 0.02 : 0;
	w->background = fl_chance(w->rng, 0.3) ? 2e-4 : 0;
	w->step_us = fl_log_between(w->rng, 2e4, 1e6);
}

static void draw_collectives(struct world *w)
{
	uint32_t n = 1 + fl_pick(w->rng, COLLECTIVES);

	w->f->n_collectives = n;
	for (uint32_t c = 0; c < n; c++) {
		struct collective *k = &w->colls[c];

		k->bytes = fl_log_between(w->rng, 512, 16 << 20);
		if (n > 1 && c == 0)
			k->bytes = fl_log_between(w->rng, 1 << 19, 8 << 20);
		if (n > 2 && c == 1)
			k->bytes = fl_log_between(w->rng, 256, 8192);
		k->spread = fl_chance(w->rng, 0.5) ? 0 : 0.5;
		k->variants = 1 + fl_pick(w->rng, 3);
		k->factor = fl_lognormal(w->rng, w->context);
		k->half = n > 2 && fl_chance(w->rng, 0.25);
	}
}

/* Racks of up to 16 hosts, in zones of some racks; or all alike. */
static bool draw_racks(struct world *w)
{
	struct fl_fleet *f = w->f;
	uint32_t size = 2 + fl_pick(w->rng, 15);

	f->one_class = fl_chance(w->rng, 0.25);
	f->n_racks = (f->n_hosts + size - 1) / size;
	if (fl_chance(w->rng, 0.3))
		f->racks_per_zone = 1 + fl_pick(w->rng, 4);
	f->rack_of = na_calloc(f->n_hosts, sizeof(*f->rack_of));
	w->host = na_calloc(f->n_hosts, sizeof(*w->host));
	if (!f->rack_of || !w->host)
		return false;
	for (uint32_t h = 0; h < f->n_hosts; h++) {
		f->rack_of[h] = h / size;
		w->host[h] = fl_lognormal(w->rng, 0.03);
	}
	return true;
}

static bool draw_faults(struct world *w)
{
	struct fl_fleet *f = w->f;
	struct path *p = any_path(w);
	struct fl_path often = {p->src, p->dst};
	bool rare = fl_chance(w->rng, 0.3);

	/* Mostly where there is something to see, but not only. */
	if (f->plan->plan == FL_SINGLE && f->plan->kind == NA_JUDGE_PAIR &&
	    !rare)
		fl_draw_truths(f, w->rng, &often, 1);
	else
		fl_draw_truths(f, w->rng, w->ends, w->n_paths);
	for (size_t i = 0; i < f->n_truths; i++) {
		struct fl_truth *t = &f->truths[i];

		t->ratio = t->how == FL_TAILS ? 1 : t->factor;
		w->on[i] = na_calloc(f->n_steps, sizeof(bool));
		if (!w->on[i])
			return false;
		if (t->how == FL_WINDOWS)
			fl_draw_windows(w->rng, w->on[i], f->n_steps);
	}
	return true;
}

/* ---- transfers */

struct cost { /* of one transfer, before noise */
	double fixed_us, rate_us, extra_us;
};

static double timeout_us(struct na_rng *rng)
{
	double us = 200e3 * fl_between(rng, 1, 1.05);

	return fl_chance(rng, 0.12) ? us + 400e3 : us;
}

static void apply(struct world *w, size_t i, uint32_t step, struct cost *c)
{
	struct fl_truth *t = &w->f->truths[i];
	double before = c->fixed_us + c->rate_us;

	if (t->how == FL_TAILS) {
		t->affected++;
		if (fl_chance(w->rng, t->share)) {
			t->tails++;
			c->extra_us += timeout_us(w->rng);
		}
		return;
	}
	if (t->how == FL_WINDOWS && !w->on[i][step])
		return;
	c->rate_us *= t->factor;
	if (t->how != FL_CAP)
		c->fixed_us *= t->factor;
	t->affected += c->fixed_us + c->rate_us >=
		       before * fmin(1.5, t->factor * (1 - 1e-9));
}

static double draw_bytes(struct world *w, const struct collective *k)
{
	double bytes = k->bytes / (1U << fl_pick(w->rng, k->variants));

	return floor(bytes * fl_lognormal(w->rng, k->spread)) + 1;
}

static uint32_t step_as_known(const struct world *w, uint32_t step,
			      uint32_t coll)
{
	uint32_t n = w->f->n_collectives, all = w->f->n_steps * n;

	return w->steps ? step : (step * n + coll) * STRETCHES / all;
}

static bool one(struct world *w, uint32_t step, uint32_t coll, double context)
{
	struct fl_fleet *f = w->f;
	const struct path *p = path_of(w, coll);
	uint32_t class = fl_locality(f, p->src, p->dst);
	double mult = p->factor * w->host[p->src] * w->host[p->dst];
	struct fl_record r = {.src = p->src,
			      .dst = p->dst,
			      .collective = coll,
			      .step = step_as_known(w, step, coll),
			      .bytes = draw_bytes(w, &w->colls[coll])};
	struct cost c = {.fixed_us = w->fixed_us[class] * mult,
			 .rate_us = w->us_per_byte[class] * r.bytes * mult};

	for (size_t i = 0; i < f->n_truths; i++)
		if (fl_passes(&f->truths[i].who, r.src, r.dst))
			apply(w, i, step, &c);
	if (fl_chance(w->rng, w->background))
		c.extra_us += timeout_us(w->rng);
	r.latency_us = (c.fixed_us + c.rate_us) * context *
		       fl_lognormal(w->rng, w->noise);
	if (fl_chance(w->rng, w->spike_share))
		r.latency_us *= 1 / (1 - 0.9 * fl_uniform(w->rng));
	r.latency_us += c.extra_us;
	r.own_us = r.latency_us;
	r.end_us = w->step_us * (step + (coll + fl_uniform(w->rng)) /
						f->n_collectives) +
		   r.latency_us;
	return fl_add(f, &r);
}

static bool run(struct world *w, size_t n)
{
	struct fl_fleet *f = w->f;
	size_t each = n / ((size_t)f->n_steps * f->n_collectives) + 1;
	bool ok = true;

	w->steps = fl_chance(w->rng, 0.92);
	for (uint32_t s = 0; s < f->n_steps; s++)
		for (uint32_t c = 0; c < f->n_collectives; c++) {
			double context = w->colls[c].factor *
					 fl_lognormal(w->rng, w->context / 2);

			for (size_t i = 0; ok && i < each; i++)
				ok = one(w, s, c, context);
		}
	return ok;
}

bool fl_statistical(struct fl_fleet *f, struct na_rng *rng)
{
	struct world w = {.f = f, .rng = rng};
	double n = fl_log_between(rng, 3000, 100000);
	bool ok;

	f->n_hosts = (uint32_t)fl_log_between(rng, 4, 257);
	f->pattern = (enum fl_pattern)fl_pick(rng, FL_PATTERNS);
	f->n_steps = (uint32_t)fl_log_between(rng, 8, 200);
	draw_costs(&w);
	draw_collectives(&w);
	ok = draw_racks(&w) && draw_paths(&w) && dress_paths(&w) &&
	     draw_faults(&w) && run(&w, (size_t)fmax(n, 2 * (double)w.n_paths));
	free(w.paths);
	free(w.ends);
	free(w.host);
	for (int i = 0; i < FL_TRUTHS; i++)
		free(w.on[i]);
	return ok;
}

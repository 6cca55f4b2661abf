/*
 * Draws a queueing fleet, runs it with and without its faults, and keeps
 * what its receivers saw of the first.
 */
#include <math.h>
#include <stdlib.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "tests/accuracy/queue.h"

#define US 1e6 /* ps */
#define MS 1e9

static bool wants_racks(const struct fl_fleet *f)
{
	return f->plan->plan == FL_SINGLE && fl_is_rack(f->plan->kind);
}

static bool draw_racks(struct fq_world *w, struct na_rng *rng)
{
	struct fl_fleet *f = w->f;
	bool racks = wants_racks(f) || fl_chance(rng, 0.8);
	uint32_t size, n;

	n = (uint32_t)fl_log_between(rng, wants_racks(f) ? 14 : 6, 72);
	size = 3 + fl_pick(rng, n / 3 < 10 ? n / 3 : 10);
	f->n_hosts = w->n_hosts = n;
	if (wants_racks(f) && size > n / 2)
		size = n / 2;
	f->n_racks = racks ? (n + size - 1) / size : 1;
	f->one_class = !racks || (!wants_racks(f) && fl_chance(rng, 0.1));
	f->rack_of = na_calloc(n, sizeof(*f->rack_of));
	for (uint32_t h = 0; f->rack_of && h < n; h++)
		f->rack_of[h] = racks ? h / size : 0;
	w->n_spines = 1 + fl_pick(rng, 4);
	w->nic_ps_per_byte = 8000 /
			     (double[]){10, 25, 50, 100, 200}[fl_pick(rng, 5)];
	w->spine_ps_per_byte = w->nic_ps_per_byte * w->n_spines / size *
			       fl_between(rng, 1, 3);
	/* A link between switches is no slower than half a host's. */
	w->spine_ps_per_byte = fmin(w->spine_ps_per_byte,
				    2 * w->nic_ps_per_byte);
	return f->rack_of;
}

static void draw_transport(struct fq_world *w, struct na_rng *rng)
{
	double u = fl_uniform(rng);

	w->n_connections = 1 + fl_pick(rng, 4);
	w->window = 2 + fl_pick(rng, 7);
	w->segment_bytes = (double[]){65536, 131072, 262144}[fl_pick(rng, 3)];
	w->overhead_ps = (int64_t)(fl_log_between(rng, 4, 30) * US);
	w->overhead_sigma = fl_between(rng, 0.1, 0.5);
	w->near_ps = (int64_t)(fl_log_between(rng, 2, 10) * US);
	w->far_ps = (int64_t)(fl_log_between(rng, 3, 40) * US);
	w->cross_traffic = fl_between(rng, 0, 0.6);
	w->jitter_sigma = fl_log_between(rng, 0.02, 0.3);
	w->latency = u < 0.45   ? FQ_NO_WAIT
		     : u < 0.65 ? FQ_QUEUED
				: FQ_RENDEZVOUS;
	w->f->waits = w->latency == FQ_RENDEZVOUS;
	w->eager = !w->f->waits && fl_chance(rng, 0.5);
	if (fl_chance(rng, 0.25)) { /* shallow buffers, and what follows */
		w->buffer_ps = (int64_t)(w->nic_ps_per_byte *
					 fl_log_between(rng, 1 << 20, 8 << 20));
		w->drop = fl_log_between(rng, 0.0005, 0.01);
	}
}

static void draw_collective(struct fq_world *w, struct na_rng *rng, uint32_t i)
{
	struct fq_collective *c = &w->colls[i];
	uint32_t n = w->n_hosts;
	static const enum fq_kind across[] = {FQ_ALL_AT_ONCE, FQ_ALL_ROUNDS,
					      FQ_SPARSE};

	c->kind = (enum fq_kind)fl_pick(rng, FQ_KINDS);
	/* A rack's link that one path alone crosses is that path. */
	if (i == 0 && wants_racks(w->f))
		c->kind = across[fl_pick(rng, 3)];
	if (i > 0 && fl_chance(rng, 0.4))
		c->kind = w->colls[0].kind;
	c->bytes = fl_log_between(rng, 2048, 4 << 20);
	if (i == 0)
		c->bytes = fl_log_between(rng, 1 << 19, 4 << 20);
	if (i == 1)
		c->bytes = fl_log_between(rng, 512, 8192);
	c->bytes = floor(c->bytes);
	c->group = i > 0 && fl_chance(rng, 0.3) && n >= 12 ? 4 + fl_pick(rng, 6)
							   : n;
	c->degree = 2 + fl_pick(rng, 5);
	c->root = fl_pick(rng, n);
	c->phases = 1;
	if (c->kind == FQ_ALL_ROUNDS)
		c->phases = c->group - 1;
	else if (c->kind == FQ_GATHER)
		c->phases = 2;
	else if (c->kind != FQ_ALL_AT_ONCE)
		c->phases = 1 + fl_pick(rng, c->group < 9 ? c->group - 1 : 8);
	c->gap_ps = (int64_t)(fl_log_between(rng, 0.2, 20) * MS);
}

static enum fl_pattern pattern_of(enum fq_kind kind)
{
	switch (kind) {
	case FQ_RING:
		return FL_RING;
	case FQ_BIRING:
		return FL_BIRING;
	case FQ_SPARSE:
	case FQ_GATHER:
		return FL_SPARSE;
	default:
		return FL_ALL;
	}
}

/* Some faults would hardly ever be seen in few steps. */
static double least_steps(const struct fl_fleet *f)
{
	if (f->plan->plan != FL_SINGLE)
		return 4;
	if (f->plan->how == FL_WINDOWS)
		return 20;
	return f->plan->kind == NA_JUDGE_PAIR ? 60 : 4;
}

static bool draw_program(struct fq_world *w, struct na_rng *rng)
{
	double want = fl_log_between(rng, 4000, 40000);
	double each, steps;

	w->f->n_collectives = 2 + fl_pick(rng, FQ_COLLECTIVES - 1);
	for (uint32_t i = 0; i < w->f->n_collectives; i++)
		draw_collective(w, rng, i);
	if (w->colls[0].kind == FQ_GATHER) /* a root is no fleet */
		w->colls[0].kind = FQ_BIRING;
	w->f->pattern = pattern_of(w->colls[0].kind);
	each = fq_messages_per_step(w);
	steps = want / each;
	steps = fmax(steps, fmin(least_steps(w->f), 6e4 / each));
	w->f->n_steps = (uint32_t)fmax(4, fmin(150, steps));
	return fq_program(w, w->f->n_steps);
}

/* What goes wrong in any fleet, and is no fault to be named. */
static void draw_weather(struct fq_world *w, struct na_rng *rng)
{
	double stages = (double)w->n_stages * w->n_hosts, segments = 0;

	w->straggler = w->pauser = FL_NONE;
	if (fl_chance(rng, 0.15)) {
		w->straggler = fl_pick(rng, w->n_hosts);
		w->straggler_factor = fl_between(rng, 1.3, 3);
	}
	if (fl_chance(rng, 0.65))
		w->pause_share = fl_log_between(rng, 2, 40) / stages;
	if (fl_chance(rng, 0.3)) {
		w->pauser = fl_pick(rng, w->n_hosts);
		w->pauser_factor = w->n_hosts;
	}
	for (size_t i = 0; i < w->n_messages; i++)
		segments += w->messages[i].segments;
	if (fl_chance(rng, 0.5))
		w->loss = fl_log_between(rng, 1, 12) / segments;
}

/* ---- faults */

static void draw_mechanism(struct fq_world *w, struct na_rng *rng, size_t i)
{
	const struct fl_truth *t = &w->f->truths[i];
	struct fq_fault *x = &w->faults[i];
	double nic = w->nic_ps_per_byte;

	x->connection = x->spine = FL_NONE;
	if (t->who.cause == NA_JUDGE_PAIR && fl_chance(rng, 0.25))
		x->connection = fl_pick(rng, w->n_connections);
	if (t->who.cause == NA_JUDGE_PAIR && t->how != FL_TAILS)
		x->ps_per_byte = nic * t->factor * fl_between(rng, 1, 4);
	if (fl_is_rack(t->who.cause) &&
	    (t->who.cause == NA_JUDGE_RACK_PAIR || fl_chance(rng, 0.6)))
		x->spine = fl_pick(rng, w->n_spines);
	if (t->who.cause == NA_JUDGE_RACK_PAIR)
		x->ps_per_byte = w->spine_ps_per_byte * t->factor *
				 fl_between(rng, 1, fmax(2, w->f->n_racks - 1));
}

static bool draw_faults(struct fq_world *w, struct na_rng *rng)
{
	struct fl_path *paths = na_calloc(w->n_messages, sizeof(*paths));

	for (size_t i = 0; paths && i < w->n_messages; i++)
		paths[i] = (struct fl_path){w->messages[i].src,
					    w->messages[i].dst};
	if (paths)
		fl_draw_truths(w->f, rng, paths, w->n_messages);
	free(paths);
	for (size_t i = 0; paths && i < w->f->n_truths; i++) {
		draw_mechanism(w, rng, i);
		if (w->f->truths[i].how != FL_WINDOWS)
			continue;
		w->faults[i].on = na_calloc(w->f->n_steps, sizeof(bool));
		if (!w->faults[i].on)
			return false;
		fl_draw_windows(rng, w->faults[i].on, w->f->n_steps);
	}
	return paths;
}

/* ---- what was seen */

/* What a sender's own clock shows, until the acknowledgement. */
static double moving_us(const struct fq_outcome *o)
{
	return (double)(o->end_ps - o->begun_ps) / US;
}

static double latency_us(const struct fq_world *w, const struct fq_outcome *o)
{
	int64_t from = o->begun_ps;

	if (w->latency == FQ_QUEUED)
		from = o->ready_ps;
	if (w->latency == FQ_RENDEZVOUS)
		from = o->posted_ps;
	return (double)(o->end_ps - from) / US;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(v, n, sizeof(*v), by_value);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* Large ones only when bandwidth is all that is missing. */
static bool is_affected(const struct fq_world *w, size_t i,
			const struct fq_message *m)
{
	if (w->f->truths[i].how == FL_CAP && m->bytes < 65536)
		return false;
	return fq_meets(w, i, m);
}

static bool measure(struct fq_world *w, const struct fq_outcome *with,
		    const struct fq_outcome *without)
{
	double *slow = na_calloc(w->n_messages, sizeof(*slow));
	double *sound = na_calloc(w->n_messages, sizeof(*sound));

	for (size_t i = 0; slow && sound && i < w->f->n_truths; i++) {
		struct fl_truth *t = &w->f->truths[i];
		size_t n = 0;

		for (size_t k = 0; k < w->n_messages; k++) {
			if (!is_affected(w, i, &w->messages[k]))
				continue;
			t->tails += with[k].timeouts > 0;
			slow[n] = latency_us(w, &with[k]);
			sound[n++] = latency_us(w, &without[k]);
		}
		t->affected = n;
		t->ratio = n ? median(slow, n) / median(sound, n) : 1;
		if (t->how != FL_TAILS)
			t->tails = 0;
	}
	free(slow);
	free(sound);
	return slow && sound;
}

static bool record(const struct fq_world *w, const struct fq_outcome *o)
{
	struct fl_fleet *f = w->f;
	bool ok = true;

	for (size_t i = 0; ok && i < w->n_messages; i++) {
		const struct fq_message *m = &w->messages[i];
		const struct fq_stage *s = &w->stages[m->stage];

		ok = fl_add(f, &(struct fl_record){
				       .src = m->src,
				       .dst = m->dst,
				       .collective = s->collective,
				       .step = s->step,
				       .end_us = (double)o[i].end_ps / US,
				       .latency_us = latency_us(w, &o[i]),
				       .own_us = moving_us(&o[i]),
				       .bytes = m->bytes});
	}
	return ok;
}

static bool run_both(struct fq_world *w)
{
	struct fq_outcome *with = na_calloc(w->n_messages, sizeof(*with));
	struct fq_outcome *without = NULL;
	bool ok = with && fq_run(w, true, with);

	if (ok && w->f->n_truths) {
		without = na_calloc(w->n_messages, sizeof(*without));
		ok = without && fq_run(w, false, without) &&
		     measure(w, with, without);
	}
	ok = ok && record(w, with);
	free(with);
	free(without);
	return ok;
}

bool fl_queueing(struct fl_fleet *f, struct na_rng *rng)
{
	struct fq_world w = {.f = f};
	bool ok = draw_racks(&w, rng);

	if (ok) {
		draw_transport(&w, rng);
		ok = draw_program(&w, rng);
	}
	if (ok) {
		draw_weather(&w, rng);
		ok = draw_faults(&w, rng) && run_both(&w);
	}
	for (int i = 0; i < FL_TRUTHS; i++)
		free(w.faults[i].on);
	free(w.stages);
	free(w.messages);
	free(w.first);
	return ok;
}

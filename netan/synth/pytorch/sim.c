/*
 * Ranks run through their program until all are at its end or wait for one
 * that does not come.
 */
#include <stdlib.h>

#include "netan/base/units.h"
#include "netan/synth/pytorch/pytorch.h"

/* Bits per second between the devices of a host. */
static const double local_rate = 1.6e12;
/* What a transfer takes at least, in a host and between two. */
static const int64_t local_ps = 12000000, remote_ps = 25000000;
static const int64_t launch_ps = 3000000;   /* between two kernels */
static const int64_t between_ps = 30000000; /* between two steps */

enum {
	JITTER = 940, /* log2(1.01) as q16 */
	WIRE_JITTER = 1900,
	END_SPREAD_NS = 2000, /* a kernel ends so much later on some ranks */
};

struct sim {
	struct na_torch_job *job;
	uint32_t *queue; /* ring of the ranks to look at */
	size_t head, n;
	uint64_t seed; /* of this run's noise */
	bool failed;
};

const struct na_fault *na_torch_fault(const struct na_torch_job *job,
				      enum na_fault_kind kind, uint32_t target)
{
	for (size_t i = 0; i < job->n_faults; i++)
		if (job->faults[i].kind == kind &&
		    job->faults[i].host == target)
			return &job->faults[i];
	return NULL;
}

bool na_torch_is_hang(enum na_fault_kind kind)
{
	return kind == NA_FAULT_STUCK_DEVICE || kind == NA_FAULT_STUCK_HOST ||
	       kind == NA_FAULT_MISMATCH || kind == NA_FAULT_MISSING_RANK;
}

int64_t na_torch_unix_ns(const struct na_torch_job *job, uint32_t rank,
			 int64_t ps)
{
	return job->start_unix_ns +
	       (ps + job->ahead_ps[na_torch_host(job, rank)]) / NA_PS_PER_NS;
}

/* ---- transfers */

static bool crosses(const struct na_torch_job *job, int role, uint32_t rank)
{
	const struct na_torch_role_info *r = &job->roles[role];
	uint32_t group = na_torch_group(job, role, rank);

	return na_torch_host(job, na_torch_member(job, role, group, 0)) !=
	       na_torch_host(job,
			     na_torch_member(job, role, group, r->size - 1));
}

static bool takes_part(const struct na_torch_job *job,
		       const struct na_torch_op *op, uint32_t rank,
		       uint32_t host)
{
	uint32_t group = na_torch_group(job, op->role, rank);

	for (uint32_t i = 0; i < job->roles[op->role].size; i++)
		if (na_torch_host(job, na_torch_member(job, op->role, group,
						       i)) == host)
			return true;
	return false;
}

/* How much slower faulty links make it; a ring goes through every host in
 * both directions. */
static int64_t slowdown(const struct na_torch_job *job,
			const struct na_torch_op *op, uint32_t rank)
{
	int64_t q16 = NA_Q16_ONE;

	for (size_t i = 0; i < job->n_faults; i++) {
		const struct na_fault *f = &job->faults[i];
		bool sends = f->kind == NA_FAULT_SLOW_SENDER;
		bool receives = f->kind == NA_FAULT_SLOW_RECEIVER;
		uint32_t end = rank;

		if (!sends && !receives && f->kind != NA_FAULT_SLOW_HOST)
			continue;
		if (f->kind != NA_FAULT_SLOW_HOST && na_torch_p2p(op)) {
			if (sends != (op->kind == NA_TORCH_SEND))
				end = na_torch_peer(job, rank, op);
			if (na_torch_host(job, end) != f->host)
				continue;
		} else if (na_torch_p2p(op)) {
			if (na_torch_host(job, rank) != f->host &&
			    na_torch_host(job, na_torch_peer(job, rank, op)) !=
				    f->host)
				continue;
		} else if (!takes_part(job, op, rank, f->host)) {
			continue;
		}
		if (f->value_q16 > q16)
			q16 = f->value_q16;
	}
	return q16;
}

static int64_t transfer_time(const struct sim *s, uint32_t rank, uint32_t event,
			     const struct na_torch_instance *x)
{
	const struct na_torch_job *job = s->job;
	const struct na_torch_op *op = na_torch_op(job, rank, event);
	double n = job->roles[op->role].size;
	double bytes = 2.0 * (double)(op->in > op->out ? op->in : op->out);
	bool far = crosses(job, op->role, rank);
	struct na_rng rng;
	int64_t ps;

	if (na_torch_p2p(op))
		far = na_torch_host(job, rank) !=
		      na_torch_host(job, na_torch_peer(job, rank, op));
	else
		bytes *= (n - 1) / n *
			 (op->kind == NA_TORCH_ALL_REDUCE ? 2 : 1);
	ps = (int64_t)(bytes * 8e12 /
		       (far ? job->cfg->link_rate / (double)job->cfg->devices
			    : local_rate));
	if (far)
		ps = na_mul_q16(ps + remote_ps, slowdown(job, op, rank));
	else
		ps += local_ps;
	na_rng_seed(&rng, s->seed +
				  (uint64_t)(x - job->instances[op->role]) * 8 +
				  (uint64_t)op->role + 1);
	return na_rng_lognormal(&rng, ps, WIRE_JITTER);
}

/* ---- ranks */

static void wake(struct sim *s, uint32_t rank)
{
	struct na_torch_rank *r = &s->job->ranks[rank];

	if (r->queued || r->halted)
		return;
	r->queued = true;
	s->queue[(s->head + s->n++) % s->job->n_ranks] = rank;
}

/* Kernels end together, within microseconds: always later than the first. */
static int64_t end_of(const struct na_torch_instance *x, uint32_t rank,
		      uint32_t event)
{
	uint32_t mixed = (rank * 2654435761u) ^ (event * 2246822519u);

	return x->end_ps +
	       (int64_t)((mixed >> 8) % END_SPREAD_NS) * NA_PS_PER_NS;
}

static void finish(struct sim *s, uint32_t rank, uint32_t event,
		   struct na_torch_instance *x)
{
	const struct na_torch_job *job = s->job;
	const struct na_torch_op *op = na_torch_op(job, rank, event);
	uint32_t group = na_torch_group(job, op->role, rank);

	x->transfer_ps = transfer_time(s, rank, event, x);
	x->end_ps = x->last_ps + x->transfer_ps;
	x->done = true;
	if (na_torch_p2p(op)) {
		wake(s, na_torch_peer(job, rank, op));
		return;
	}
	for (uint32_t i = 0; i < job->roles[op->role].size; i++)
		wake(s, na_torch_member(job, op->role, group, i));
}

/* Kernels of computing before the operation. */
static void compute(struct sim *s, uint32_t rank, const struct na_torch_op *op,
		    int64_t step_q16)
{
	const struct na_torch_job *job = s->job;
	struct na_torch_rank *r = &job->ranks[rank];
	const struct na_fault *slow = na_torch_fault(job, NA_FAULT_SLOW_COMPUTE,
						     na_torch_host(job, rank));
	uint32_t n_ops = na_torch_n_ops(job, rank);
	int64_t n = job->cfg->ops;

	for (int64_t i = 0; op->gap_ps && i < n; i++) {
		int64_t dur = na_mul_q16(op->gap_ps / n, step_q16);

		dur = na_rng_lognormal(&r->rng, dur, JITTER);
		if (slow)
			dur = na_mul_q16(dur, slow->value_q16);
		s->failed |= !na_add(&r->kernels,
				     ((struct na_torch_kernel){r->now_ps, dur,
							       r->at / n_ops,
							       r->at % n_ops}));
		r->now_ps += dur + launch_ps;
	}
}

/* A rank is late before its first computing of a step: earlier, it would
 * only come in time for what it waits for anyway. */
static void be_late(const struct sim *s, uint32_t rank)
{
	struct na_torch_rank *r = &s->job->ranks[rank];
	const struct na_fault *f = na_torch_fault(s->job, NA_FAULT_LATE_RANK,
						  rank);
	uint32_t n = na_torch_n_ops(s->job, rank), first = 0;

	while (first + 1 < n && !na_torch_op(s->job, rank, first)->gap_ps)
		first++;
	if (f && r->at % n == first)
		r->now_ps += f->value;
}

static bool stops_before(const struct na_torch_rank *r)
{
	return r->hang && r->at == r->hang_event &&
	       (r->hang->kind == NA_FAULT_STUCK_HOST ||
		r->hang->kind == NA_FAULT_MISSING_RANK);
}

/* What a rank's computing takes in a step, of the median. */
static int64_t step_share(const struct sim *s, uint32_t rank, uint32_t step)
{
	struct na_rng rng;

	na_rng_seed(&rng,
		    (s->seed ^ 0x5bd1e995) + (uint64_t)rank * 1000003 + step);
	return na_rng_lognormal(&rng, NA_Q16_ONE, JITTER);
}

/* Comes to its next operation; false where it cannot yet, or never. */
static bool arrive(struct sim *s, uint32_t rank)
{
	const struct na_torch_job *job = s->job;
	struct na_torch_rank *r = &job->ranks[rank];
	const struct na_torch_op *op = na_torch_op(job, rank, r->at);
	struct na_torch_instance *x = na_torch_instance(job, rank, r->at);
	int64_t ps;

	r->halted = stops_before(r);
	if (r->halted)
		return false;
	if (na_torch_p2p(op) && r->sending) {
		if (!r->sending->done)
			return false;
		r->stream_ps[op->role] = r->sending->end_ps + launch_ps;
		r->sending = NULL;
	}
	be_late(s, rank);
	compute(s, rank, op,
		step_share(s, rank, r->at / na_torch_n_ops(job, rank)));
	ps = r->now_ps + launch_ps;
	if (ps < r->stream_ps[op->role])
		ps = r->stream_ps[op->role];
	r->events[r->at].arrive_ps = ps;
	r->arrived = true;
	if (!x->arrived || ps < x->first_ps)
		x->first_ps = ps;
	if (!x->arrived || ps > x->last_ps) {
		x->last_ps = ps;
		x->last_rank = rank;
	}
	x->arrived++;
	x->poisoned |= r->hang && r->hang->kind == NA_FAULT_MISMATCH &&
		       r->at == r->hang_event;
	if (x->arrived == (na_torch_p2p(op) ? 2 : job->roles[op->role].size) &&
	    !x->poisoned)
		finish(s, rank, r->at, x);
	return true;
}

/* Goes on behind its operation; false where that is not finished. */
static bool leave(struct sim *s, uint32_t rank)
{
	const struct na_torch_job *job = s->job;
	struct na_torch_rank *r = &job->ranks[rank];
	const struct na_torch_op *op = na_torch_op(job, rank, r->at);
	struct na_torch_instance *x = na_torch_instance(job, rank, r->at);
	uint32_t n = na_torch_n_ops(job, rank);

	if (op->kind == NA_TORCH_SEND && !job->waits_p2p) {
		r->sending = x;
	} else {
		if (!x->done)
			return false;
		r->halted = r->hang && r->at == r->hang_event;
		if (r->halted)
			return false;
		r->now_ps = end_of(x, rank, r->at);
		r->stream_ps[op->role] = r->now_ps + launch_ps;
	}
	r->arrived = false;
	r->at++;
	if (r->at % n == 0) {
		r->now_ps += between_ps;
		r->step_ps[r->at / n] = r->now_ps;
	}
	return true;
}

static void run_rank(struct sim *s, uint32_t rank)
{
	struct na_torch_rank *r = &s->job->ranks[rank];
	uint32_t end = na_torch_n_ops(s->job, rank) * s->job->n_steps;

	while (r->at < end && (r->arrived || arrive(s, rank)) && leave(s, rank))
		;
}

/* ---- what hosts had enqueued when all stood still */

static uint32_t enqueued(const struct na_torch_job *job, uint32_t rank)
{
	const struct na_torch_rank *r = &job->ranks[rank];
	uint32_t n = na_torch_n_ops(job, rank), end;

	if (r->at == n * job->n_steps || stops_before(r))
		return r->at;
	end = r->at - r->at % n + n;
	for (uint32_t e = r->at; job->waits_p2p && e < end; e++)
		if (na_torch_p2p(na_torch_op(job, rank, e)))
			return e + 1;
	return end;
}

static void close_rank(struct na_torch_job *job, uint32_t rank)
{
	struct na_torch_rank *r = &job->ranks[rank];
	uint32_t n = enqueued(job, rank);

	for (uint32_t e = 0; e < n; e++) {
		const struct na_torch_instance *x = na_torch_instance(job, rank,
								      e);
		struct na_torch_event *v = &r->events[e];
		bool came = e < r->at || (e == r->at && r->arrived);

		v->state = NA_TORCH_ENQUEUED;
		if (!came) {
			v->arrive_ps = r->now_ps + launch_ps * (e - r->at + 1);
			continue;
		}
		if (!x->done || (r->halted && e == r->at))
			continue;
		v->state = NA_TORCH_DONE;
		v->end_ps = end_of(x, rank, e);
		if (v->end_ps > job->end_ps)
			job->end_ps = v->end_ps;
	}
	if (r->now_ps > job->end_ps)
		job->end_ps = r->now_ps;
}

static enum na_status make_room(struct sim *s, struct na_err *err)
{
	struct na_torch_job *job = s->job;

	s->queue = na_calloc(job->n_ranks, sizeof(*s->queue));
	job->ranks = na_calloc(job->n_ranks, sizeof(*job->ranks));
	s->failed = !s->queue || !job->ranks;
	for (int r = 0; !s->failed && r < NA_N_ROLES; r++) {
		const struct na_torch_role_info *i = &job->roles[r];

		job->instances[r] = na_calloc((size_t)i->groups * i->per_step *
						      job->n_steps,
					      sizeof(*job->instances[r]));
		s->failed = !job->instances[r];
	}
	for (uint32_t i = 0; !s->failed && i < job->n_ranks; i++) {
		struct na_torch_rank *r = &job->ranks[i];
		size_t n = (size_t)na_torch_n_ops(job, i) * job->n_steps;

		na_rng_seed(&r->rng, s->seed + (uint64_t)i * 7919 + 1);
		r->events = na_calloc(n, sizeof(*r->events));
		r->step_ps = na_calloc(job->n_steps + 1, sizeof(*r->step_ps));
		s->failed = !r->events || !r->step_ps;
	}
	return s->failed ? na_fail_nomem(err) : NA_OK;
}

/* ---- where a job hangs */

/* A pair that differs accuses both: a mismatch needs a third. */
static bool may_hang(const struct na_torch_job *job,
		     const struct na_torch_op *op, bool mismatch)
{
	if (mismatch)
		return !na_torch_p2p(op) && job->roles[op->role].size > 2;
	return !na_torch_p2p(op) && op->role != NA_ROLE_WORLD;
}

static uint32_t nth_place(const struct na_torch_job *job, uint32_t rank,
			  uint64_t draw, bool mismatch)
{
	const struct na_torch_program *p =
		&job->programs[na_torch_stage(job, rank)];
	uint64_t n = 0;

	for (size_t i = 0; i < p->ops.n; i++)
		n += may_hang(job, &p->ops.v[i], mismatch);
	draw = n ? draw % n : 0;
	for (size_t i = 0; i < p->ops.n; i++)
		if (may_hang(job, &p->ops.v[i], mismatch) && !draw--)
			return (uint32_t)i;
	return (uint32_t)p->ops.n - 1;
}

static void plant_hangs(struct na_torch_job *job)
{
	struct na_rng rng;
	uint64_t place;

	na_rng_seed(&rng, (uint64_t)job->cfg->seed ^ 0x4a06);
	place = na_rng_next(&rng);
	job->differs = (int)na_rng_below(&rng, 2);
	job->only_active = na_rng_below(&rng, 2);
	job->waits_p2p = na_rng_below(&rng, 2);
	for (size_t i = 0; i < job->n_faults; i++) {
		const struct na_fault *f = &job->faults[i];
		struct na_torch_rank *r = &job->ranks[f->host];
		uint32_t n;

		if (!na_torch_is_hang(f->kind))
			continue;
		n = na_torch_n_ops(job, f->host);
		r->hang = f;
		r->hang_event = (job->n_steps - 1) * n +
				nth_place(job, f->host, place,
					  f->kind == NA_FAULT_MISMATCH);
		job->hangs = true;
	}
	job->only_active &= job->hangs;
	job->waits_p2p &= job->hangs;
}

enum na_status na_torch_run(struct na_torch_job *job, struct na_err *err)
{
	struct sim s = {.job = job};
	enum na_status st;

	s.seed = ((uint64_t)job->cfg->seed << 20) +
		 (uint64_t)job->cfg->repeat * 0x9e3779b97f4a7c15;
	st = make_room(&s, err);
	if (!st)
		plant_hangs(job);
	for (uint32_t i = 0; !st && i < job->n_ranks; i++)
		wake(&s, i);
	while (!st && s.n) {
		uint32_t rank = s.queue[s.head];

		s.head = (s.head + 1) % job->n_ranks;
		s.n--;
		job->ranks[rank].queued = false;
		run_rank(&s, rank);
		if (s.failed)
			st = na_fail_nomem(err);
	}
	for (uint32_t i = 0; !st && i < job->n_ranks; i++)
		close_rank(job, i);
	free(s.queue);
	return st;
}

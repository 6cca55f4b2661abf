/*
 * What the devices did, from the simulation's own log: what each collective
 * cost them, what each step was spent on, and which hosts were late.  Sums
 * are exact.  A collective's execution is told from the ops of its slot, so
 * that two of one name in flight at once are two executions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/synth/gpu/gpu.h"
#include "netan/synth/job/truth.h"
#include "netan/synth/json_out.h"

struct cost {
	uint64_t n;
	int64_t slack_ps, slack_min_ps, slack_max_ps, observed_ps, host_ps;
	int64_t parts_ps[NA_OP_RECV_DONE + 1]; /* by enum na_op_kind */
};

/* An execution that has begun, by slot. */
struct begun {
	int64_t parts_ps[NA_OP_RECV_DONE + 1];
	int64_t send_start_ps, dcn_ps; /* dcn: in such ops before its send */
};

struct costs {
	const struct na_job *job;
	struct cost *all, *host; /* by collective */
	struct begun *begun;
};

static void add_cost(struct cost *c, const struct begun *b, int64_t slack_ps,
		     int64_t observed_ps, int64_t host_ps)
{
	if (!c->n || slack_ps < c->slack_min_ps)
		c->slack_min_ps = slack_ps;
	if (!c->n || slack_ps > c->slack_max_ps)
		c->slack_max_ps = slack_ps;
	c->n++;
	c->slack_ps += slack_ps;
	c->observed_ps += observed_ps;
	c->host_ps += host_ps;
	for (int k = NA_OP_RECV; k <= NA_OP_RECV_DONE; k++)
		c->parts_ps[k] += b->parts_ps[k];
}

/* An op of the data-center network; dcn_ps: in such ops before it. */
static void add_op(struct costs *c, uint32_t dev, const struct na_op_event *e,
		   int64_t dcn_ps)
{
	const struct na_job *job = c->job;
	const struct na_op *op = &job->ops[e->op];
	uint32_t coll = job->slots[op->slot].coll;
	struct begun *b = &c->begun[op->slot];
	size_t graph =
		((size_t)e->step * job->n_slots + op->slot) * job->n_devs + dev;
	int64_t slack, observed, host;

	b->parts_ps[op->kind] = e->dur_ps;
	if (op->kind == NA_OP_SEND) {
		b->send_start_ps = e->start_ps;
		b->dcn_ps = dcn_ps;
	}
	if (op->kind != NA_OP_RECV_DONE)
		return;
	slack = e->start_ps - b->send_start_ps - (dcn_ps - b->dcn_ps);
	observed = e->start_ps + e->dur_ps - b->send_start_ps;
	host = job->graphs[graph].end_ps - e->start_ps;
	add_cost(&c->host[coll], b, slack, observed, host);
	add_cost(&c->all[coll], b, slack, observed, host);
}

/* The executions of one device; ops follow one another. */
static void add_device(struct costs *c, uint32_t dev)
{
	const struct na_dev *d = &c->job->devs[dev];
	int64_t dcn_ps = 0;

	for (size_t i = 0; i < d->ops.n; i++) {
		const struct na_op_event *e = &d->ops.v[i];

		if (!na_op_is_dcn(c->job->ops[e->op].kind))
			continue;
		add_op(c, dev, e, dcn_ps);
		dcn_ps += e->dur_ps;
	}
}

/* Of the exact formula for the bytes that one device sends: R is what the
 * recv-done yields, g how many slices exchange. */
static uint64_t formula_bytes(const struct na_job *job, const struct na_coll *c)
{
	uint64_t g = job->n_slices, r = c->out_bytes;

	switch (c->kind) {
	case NA_COLL_ONE_TO_ONE:
		return r;
	case NA_COLL_REDUCE_SCATTER:
		return (g - 1) * r;
	case NA_COLL_ALL_REDUCE:
		return 2 * (g - 1) * r / g;
	case NA_COLL_ALL_GATHER:
	case NA_COLL_ALL_TO_ALL:
		break;
	}
	return (g - 1) * r / g;
}

static void put_cost(struct na_json *j, const struct cost *c, uint64_t bytes)
{
	const int64_t *p = c->parts_ps;

	na_json_uint(j, "occurrences", c->n);
	na_json_int(j, "slack_ps", c->slack_ps);
	na_json_int(j, "slack_min_ps", c->slack_min_ps);
	na_json_int(j, "slack_max_ps", c->slack_max_ps);
	na_json_int(j, "observed_ps", c->observed_ps);
	na_json_int(j, "stall_ps",
		    p[NA_OP_SEND] + p[NA_OP_SEND_DONE] + p[NA_OP_RECV] +
			    p[NA_OP_RECV_DONE]);
	na_json_int(j, "send_ps", p[NA_OP_SEND]);
	na_json_int(j, "send_done_ps", p[NA_OP_SEND_DONE]);
	na_json_int(j, "recv_ps", p[NA_OP_RECV]);
	na_json_int(j, "recv_done_ps", p[NA_OP_RECV_DONE]);
	na_json_int(j, "host_stall_ps", c->host_ps);
	na_json_uint(j, "bytes", bytes * c->n);
}

/* Rows of all hosts: [host * n_colls + collective]. */
static void put_collectives(struct na_json *j, const struct na_truth *t,
			    const struct na_job *job, const struct cost *all,
			    const struct cost *hosts)
{
	na_json_open(j, "collectives", '[');
	for (uint32_t i = 0; i < job->n_colls; i++) {
		uint64_t bytes = formula_bytes(job, &job->colls[i]);

		na_json_item(j, 2);
		na_json_text(j, "collective", job->colls[i].name);
		put_cost(j, &all[i], bytes);
		na_json_open(j, "hosts", '[');
		for (size_t h = 0; h < t->n; h++) {
			na_json_item(j, 3);
			na_json_text(j, "host", t->hosts[h].name);
			put_cost(j, &hosts[h * job->n_colls + i], bytes);
			na_json_close(j, '}');
		}
		na_json_close(j, ']');
		na_json_close(j, '}');
	}
	na_json_close(j, ']');
	na_json_line(j, 1);
}

/* ---- steps */

struct spent {
	int64_t compute_ps, dcn_ps, ici_ps;
};

static void put_step(struct na_json *j, const struct na_truth_host *h,
		     const struct na_dev *d, uint32_t step,
		     const struct spent *s)
{
	const struct na_span *span = &d->steps[step];
	int64_t duration = span->end_ps - span->start_ps;

	na_json_item(j, 2);
	na_json_text(j, "host", h->name);
	na_json_uint(j, "device", d->local);
	na_json_uint(j, "step", step);
	na_json_when(j, "start_ps", true,
		     span->start_ps + h->ahead_ns * NA_PS_PER_NS);
	na_json_int(j, "duration_ps", duration);
	na_json_int(j, "compute_ps", s->compute_ps);
	na_json_int(j, "dcn_ps", s->dcn_ps);
	na_json_int(j, "ici_ps", s->ici_ps);
	na_json_int(j, "exposed_ps", s->dcn_ps + s->ici_ps);
	na_json_int(j, "idle_ps",
		    duration - s->compute_ps - s->dcn_ps - s->ici_ps);
	na_json_close(j, '}');
}

static void put_device_steps(struct na_json *j, const struct na_job *job,
			     const struct na_truth_host *h, uint32_t dev)
{
	const struct na_dev *d = &job->devs[dev];
	struct spent s = {0, 0, 0};

	for (size_t i = 0; i < d->ops.n; i++) {
		const struct na_op_event *e = &d->ops.v[i];

		if (na_op_is_dcn(job->ops[e->op].kind))
			s.dcn_ps += e->dur_ps;
		else if (job->ops[e->op].kind == NA_OP_COMPUTE)
			s.compute_ps += e->dur_ps;
		else
			s.ici_ps += e->dur_ps;
		if (i + 1 < d->ops.n && d->ops.v[i + 1].step == e->step)
			continue;
		put_step(j, h, d, e->step, &s);
		s = (struct spent){0, 0, 0};
	}
}

/* ---- what was planted */

/* Times and number of the executions of one, on a host's devices. */
static uint64_t count_ici(const struct na_job *job, uint32_t host,
			  uint32_t which, int64_t took_ps[3])
{
	uint32_t per_host = (uint32_t)job->cfg->devices;
	uint64_t n = 0;

	for (uint32_t i = host * per_host + na_job_first_plane(job);
	     i < (host + 1) * per_host; i++)
		for (size_t k = 0; k < job->devs[i].ops.n; k++) {
			const struct na_op_event *e = &job->devs[i].ops.v[k];
			const struct na_op *op = &job->ops[e->op];

			if (op->kind < NA_OP_ICI || op->slot != which)
				continue;
			took_ps[op->kind - NA_OP_ICI] += e->dur_ps;
			n += op->kind != NA_OP_ICI_DONE;
		}
	return n;
}

static void put_late(struct na_json *j, const struct na_truth_host *h,
		     uint32_t step, const char *cause, int64_t by_ps,
		     int64_t factor_q16)
{
	na_json_item(j, 2);
	na_json_uint(j, "step", step);
	na_json_text(j, "host", h->name);
	na_json_text(j, "cause", cause);
	if (by_ps)
		na_json_int(j, "by_ps", by_ps);
	else
		na_json_int(j, "factor_65536ths", factor_q16);
	na_json_close(j, '}');
}

/* Hosts that a fault makes late, by step. */
static void put_all_late(struct na_json *j, const struct na_truth *t,
			 const struct na_job *job)
{
	na_json_open(j, "late", '[');
	for (uint32_t s = 0; s < job->n_steps; s++)
		for (size_t i = 0; i < t->n; i++) {
			const struct na_truth_host *h = &t->hosts[i];
			const struct na_fault *slow =
				na_job_fault(job, NA_FAULT_SLOW_COMPUTE,
					     h->number);
			int64_t late =
				job->late_ps[h->number * job->n_steps + s];

			if (late)
				put_late(j, h, s, "input", late, 0);
			if (slow)
				put_late(j, h, s, "compute", 0,
					 slow->value_q16);
		}
	na_json_close(j, ']');
	na_json_line(j, 1);
}

/* Of each collective inside the slice: what the program says of it. */
static void put_icis(struct na_json *j, const struct na_truth *t,
		     const struct na_job *job)
{
	na_json_open(j, "ici", '[');
	for (uint32_t i = 0; i < job->n_icis; i++) {
		const struct na_ici *c = &job->icis[i];
		int64_t took_ps[3] = {0, 0, 0}; /* whole, start, done */
		uint64_t n = 0;
		char name[48];

		for (size_t h = 0; h < t->n; h++)
			n += count_ici(job, t->hosts[h].number, i, took_ps);
		na_ici_name(c, c->split ? NA_OP_ICI_START : NA_OP_ICI, name,
			    sizeof(name));
		na_json_item(j, 2);
		na_json_text(j, "op", name);
		na_json_uint(j, "executions", n);
		na_json_uint(j, "participants", c->group_size);
		na_json_uint(j, "groups", c->n_groups);
		na_json_uint(j, "bytes", c->bytes);
		na_json_uint(j, "input_bytes", c->input_bytes);
		na_json_int(j, "whole_ps", took_ps[0]);
		na_json_int(j, "start_ps", took_ps[1]);
		na_json_int(j, "done_ps", took_ps[2]);
		na_json_close(j, '}');
	}
	na_json_close(j, ']');
	na_json_line(j, 1);
}

bool na_truth_put_ops(struct na_json *j, const struct na_truth *t,
		      const struct na_job *job)
{
	uint32_t per_host = (uint32_t)job->cfg->devices, n = job->n_colls;
	struct cost *costs = na_calloc((t->n + 1) * n, sizeof(*costs));
	struct costs c = {.job = job, .all = costs};
	bool ok;

	if (job->gpu) {
		put_all_late(j, t, job);
		na_truth_put_gpus(j, t, job);
		free(costs);
		return true;
	}
	c.begun = na_calloc(job->n_slots + 1, sizeof(*c.begun));
	ok = costs && c.begun;
	for (size_t h = 0; ok && h < t->n; h++) {
		c.host = costs + (h + 1) * n;
		for (uint32_t i = na_job_first_plane(job); i < per_host; i++)
			add_device(&c, t->hosts[h].number * per_host + i);
	}
	if (ok)
		put_collectives(j, t, job, costs, costs + n);
	free(costs);
	free(c.begun);
	put_icis(j, t, job);
	put_all_late(j, t, job);
	na_json_open(j, "device_steps", '[');
	for (size_t h = 0; h < t->n; h++)
		for (uint32_t i = na_job_first_plane(job); i < per_host; i++)
			put_device_steps(j, job, &t->hosts[h],
					 t->hosts[h].number * per_host + i);
	na_json_close(j, ']');
	return ok;
}

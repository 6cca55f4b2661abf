/*
 * What the GPUs did, from the simulation's own log.
 */
#include <inttypes.h>

#include "netan/base/units.h"
#include "netan/synth/gpu/gpu.h"

static void put_instances(struct na_json *j, const struct na_job *job,
			  uint32_t coll)
{
	const struct na_gpu_coll *c = &job->gpu->colls[coll];
	char host[32];

	na_json_open(j, "instances", '[');
	for (uint32_t s = 0; s < job->n_steps; s++)
		for (uint32_t g = 0; g < c->n_groups; g++) {
			const struct na_gpu_instance *x =
				na_gpu_instance(job, s, coll, g);
			const struct na_dev *last = &job->devs[x->last_dev];

			na_json_item(j, 3);
			na_json_uint(j, "step", s);
			na_json_uint(j, "group", g);
			na_json_int(j, "transfer_ps", x->transfer_ps);
			na_json_text(j, "last_host",
				     na_host_name(host, last->host));
			na_json_uint(j, "last_device", last->local);
			na_json_close(j, '}');
		}
	na_json_close(j, ']');
}

/* Time in the kernels of a collective on one host; and how many. */
static uint64_t count_host(const struct na_job *job, uint32_t host,
			   uint32_t coll, int64_t *busy_ps, int64_t *waiting_ps)
{
	const struct na_gpu_coll *c = &job->gpu->colls[coll];
	uint32_t per_host = (uint32_t)job->cfg->devices;
	uint64_t n = 0;

	*busy_ps = *waiting_ps = 0;
	for (uint32_t d = host * per_host + na_job_first_plane(job);
	     d < (host + 1) * per_host; d++)
		for (size_t i = 0; i < job->devs[d].ops.n; i++) {
			const struct na_op_event *e = &job->devs[d].ops.v[i];

			if (e->op != job->n_fusions + coll)
				continue;
			n++;
			*busy_ps += e->dur_ps;
			*waiting_ps += e->dur_ps -
				       na_gpu_instance(job, e->step, coll,
						       d / c->group_size)
					       ->transfer_ps;
		}
	return n;
}

static void put_colls(struct na_json *j, const struct na_truth *t,
		      const struct na_job *job)
{
	na_json_open(j, "gpu_collectives", '[');
	for (uint32_t i = 0; i < job->gpu->n_colls; i++) {
		const struct na_gpu_coll *c = &job->gpu->colls[i];
		char name[48];

		na_gpu_coll_name(c, name, sizeof(name));
		na_json_item(j, 2);
		na_json_text(j, "op", name);
		na_json_text(j, "kernel", c->kernel);
		na_json_uint(j, "participants", c->group_size);
		na_json_uint(j, "groups", c->n_groups);
		na_json_uint(j, "bytes", c->bytes);
		na_json_uint(j, "input_bytes", c->input_bytes);
		na_json_open(j, "hosts", '[');
		for (size_t h = 0; h < t->n; h++) {
			int64_t busy, waiting;
			uint64_t n = count_host(job, t->hosts[h].number, i,
						&busy, &waiting);

			na_json_item(j, 3);
			na_json_text(j, "host", t->hosts[h].name);
			na_json_uint(j, "kernels", n);
			na_json_int(j, "busy_ps", busy);
			na_json_int(j, "waiting_ps", waiting);
			na_json_close(j, '}');
		}
		na_json_close(j, ']');
		put_instances(j, job, i);
		na_json_close(j, '}');
	}
	na_json_close(j, ']');
	na_json_line(j, 1);
}

/* ---- steps */

/* How long of [start, end) a device computed; its computing is in order. */
static int64_t computed(const struct na_job *job, const struct na_dev *d,
			size_t first, size_t end, const struct na_op_event *e)
{
	int64_t sum = 0, to = e->start_ps + e->dur_ps;

	for (size_t i = first; i < end; i++) {
		const struct na_op_event *c = &d->ops.v[i];
		int64_t a = c->start_ps, b = c->start_ps + c->dur_ps;

		if (c->op >= job->n_fusions)
			continue;
		a = a > e->start_ps ? a : e->start_ps;
		b = b < to ? b : to;
		sum += b > a ? b - a : 0;
	}
	return sum;
}

static void put_step(struct na_json *j, const struct na_truth_host *h,
		     const struct na_job *job, const struct na_dev *d,
		     size_t first, size_t end)
{
	uint32_t step = d->ops.v[first].step;
	const struct na_span *span = &d->steps[step];
	int64_t took = span->end_ps - span->start_ps;
	int64_t compute = 0, nccl = 0, hidden = 0;

	for (size_t i = first; i < end; i++) {
		const struct na_op_event *e = &d->ops.v[i];

		if (e->op < job->n_fusions) {
			compute += e->dur_ps;
			continue;
		}
		nccl += e->dur_ps;
		hidden += computed(job, d, first, end, e);
	}
	na_json_item(j, 2);
	na_json_text(j, "host", h->name);
	na_json_uint(j, "device", d->local);
	na_json_uint(j, "step", step);
	na_json_when(j, "start_ps", true,
		     span->start_ps + h->ahead_ns * NA_PS_PER_NS);
	na_json_int(j, "duration_ps", took);
	na_json_int(j, "compute_ps", compute);
	na_json_int(j, "gpu_ps", nccl);
	na_json_int(j, "exposed_ps", nccl - hidden);
	na_json_int(j, "idle_ps", took - compute - (nccl - hidden));
	na_json_close(j, '}');
}

void na_truth_put_gpus(struct na_json *j, const struct na_truth *t,
		       const struct na_job *job)
{
	uint32_t per_host = (uint32_t)job->cfg->devices;

	put_colls(j, t, job);
	na_json_open(j, "device_steps", '[');
	for (size_t h = 0; h < t->n; h++)
		for (uint32_t i = na_job_first_plane(job); i < per_host; i++) {
			const struct na_dev *d =
				&job->devs[t->hosts[h].number * per_host + i];
			size_t first = 0;

			for (size_t k = 1; k <= d->ops.n; k++)
				if (k == d->ops.n ||
				    d->ops.v[k].step != d->ops.v[first].step) {
					put_step(j, &t->hosts[h], job, d, first,
						 k);
					first = k;
				}
		}
	na_json_close(j, ']');
}

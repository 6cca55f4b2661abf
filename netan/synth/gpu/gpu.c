#include "netan/synth/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define US  NA_PS_PER_US

#define ARGS "(ncclDevKernelArgsStorage<4096ul>)"

static const int64_t op_sigma = 3000, wire_sigma = 9000, gap_sigma = 20000;
static const int64_t first_ps = 18 * US; /* of a transfer without bytes */
static const double bus_rate = 1.6e12;   /* bits/s between GPUs of a host */

/* clang-format off */
static const struct recipe {
	const char *opcode, *kernel;
	uint64_t bytes; /* what goes in */
	bool everyone;  /* else among the ranks of a host */
	bool split, permute, sums;
} recipes[] = {
	{ "all-reduce", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL" ARGS,
	  4 * MIB, true, true, false, true },
	{ "all-gather", "ncclDevKernel_AllGather_RING_LL" ARGS,
	  1 * MIB, false, false, false, false },
	{ "reduce-scatter", "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL" ARGS,
	  2 * MIB, false, false, false, true },
	{ "collective-permute", "ncclDevKernel_SendRecv" ARGS,
	  512 * KIB, true, false, true, false },
	/* As older versions of the library name it. */
	{ "all-reduce", "ncclKernel_AllReduce_RING_LL_Sum_bf16",
	  64 * KIB, true, false, false, true },
	{ "all-reduce", "ncclDevKernel_AllReduce_Sum_bf16_TREE_LL" ARGS,
	  16 * KIB, true, false, false, true },
};
/* clang-format on */

enum { N_RECIPES = NA_LEN(recipes) };

struct rank {
	int64_t now_ps, nccl_free_ps, came_ps;
};

struct gpu_sim {
	struct na_job *job;
	struct na_rng *rng;
	struct rank *ranks;
	bool failed;
};

static void make_coll(const struct na_job *job, struct na_gpu_coll *c,
		      uint32_t i)
{
	const struct recipe *r = &recipes[i % N_RECIPES];
	uint32_t per_host = (uint32_t)job->cfg->devices;
	bool everyone = r->everyone || per_host == 1;
	uint64_t unit;

	c->opcode = r->opcode;
	c->kernel = r->kernel;
	c->number = i + 1;
	c->split = r->split;
	c->permute = r->permute;
	c->sums = r->sums;
	c->group_size = everyone ? job->n_devs : per_host;
	c->n_groups = job->n_devs / c->group_size;
	/* Every share of it is then whole rows of 128 bf16. */
	unit = 256 * (uint64_t)c->group_size;
	c->bytes = c->input_bytes = (r->bytes + unit - 1) / unit * unit;
	if (!strcmp(c->opcode, "all-gather"))
		c->bytes *= c->group_size;
	if (!strcmp(c->opcode, "reduce-scatter"))
		c->bytes /= c->group_size;
}

/* No collective has more groups than there are hosts. */
struct na_gpu_instance *na_gpu_instance(const struct na_job *job, uint32_t step,
					uint32_t coll, uint32_t group)
{
	const struct na_gpu *g = job->gpu;
	size_t i = (size_t)step * g->n_colls + coll;

	return &g->instances[i * job->n_hosts + group];
}

static void log_op(struct gpu_sim *s, uint32_t dev, uint32_t op, uint32_t step,
		   int64_t start, int64_t dur)
{
	s->failed |= !na_add(&s->job->devs[dev].ops,
			     ((struct na_op_event){op, step, start, dur}));
}

/* Kernels of computing, one after another; first: how many came before. */
static void compute(struct gpu_sim *s, uint32_t dev, uint32_t step,
		    uint32_t first, uint32_t n, int64_t total_ps)
{
	const struct na_fault *f = na_job_fault(s->job, NA_FAULT_SLOW_COMPUTE,
						s->job->devs[dev].host);
	struct rank *r = &s->ranks[dev];

	for (uint32_t i = 0; i < n; i++) {
		int64_t dur = na_rng_lognormal(s->rng, total_ps / n, op_sigma);

		if (f)
			dur = na_mul_q16(dur, f->value_q16);
		log_op(s, dev, first + i, step, r->now_ps, dur);
		r->now_ps += dur + 1500000;
	}
}

static int64_t transfer_time(struct gpu_sim *s, const struct na_gpu_coll *c)
{
	bool wide = c->group_size > s->job->cfg->devices;
	double rate = wide ? s->job->cfg->link_rate : bus_rate;
	int64_t ps = (int64_t)((double)c->input_bytes * 8e12 / rate);

	return na_rng_lognormal(s->rng, first_ps + ps, wire_sigma);
}

static void exchange(struct gpu_sim *s, uint32_t step, uint32_t coll)
{
	const struct na_job *job = s->job;
	const struct na_gpu_coll *c = &job->gpu->colls[coll];

	for (uint32_t g = 0; g < c->n_groups; g++) {
		struct na_gpu_instance *x = na_gpu_instance(job, step, coll, g);
		uint32_t first = g * c->group_size;
		int64_t last_ps = 0;

		for (uint32_t d = first; d < first + c->group_size; d++) {
			struct rank *r = &s->ranks[d];

			r->came_ps = r->now_ps;
			if (r->came_ps < r->nccl_free_ps)
				r->came_ps = r->nccl_free_ps;
			if (d == first || r->came_ps > last_ps) {
				last_ps = r->came_ps;
				x->last_dev = d;
			}
		}
		x->transfer_ps = transfer_time(s, c);
		for (uint32_t d = first; d < first + c->group_size; d++) {
			struct rank *r = &s->ranks[d];
			int64_t end = last_ps + x->transfer_ps;

			log_op(s, d, job->n_fusions + coll, step, r->came_ps,
			       end - r->came_ps);
			r->nccl_free_ps = end + 2000000;
		}
	}
}

static void run_step(struct gpu_sim *s, uint32_t step)
{
	struct na_job *job = s->job;
	uint32_t n = (uint32_t)job->cfg->ops, n_colls = job->gpu->n_colls;
	int64_t piece = job->cfg->step_ps / 100 * 95 / (n_colls + 1);

	for (uint32_t d = 0; d < job->n_devs; d++) {
		struct rank *r = &s->ranks[d];

		job->devs[d].steps[step].start_ps = r->now_ps;
		r->now_ps +=
			US +
			job->late_ps[job->devs[d].host * job->n_steps + step];
		r->nccl_free_ps = 0;
	}
	for (uint32_t c = 0; c <= n_colls; c++) {
		for (uint32_t d = 0; d < job->n_devs; d++)
			compute(s, d, step, c * n, n, piece);
		if (c < n_colls)
			exchange(s, step, c);
	}
	for (uint32_t d = 0; d < job->n_devs; d++) {
		struct rank *r = &s->ranks[d];

		/* The last kernel wants what was exchanged. */
		if (r->now_ps < r->nccl_free_ps)
			r->now_ps = r->nccl_free_ps;
		compute(s, d, step, (n_colls + 1) * n, 1,
			job->cfg->step_ps / 20);
		job->devs[d].steps[step].end_ps = r->now_ps;
		if (r->now_ps > job->end_ps)
			job->end_ps = r->now_ps;
		r->now_ps += na_rng_lognormal(s->rng, 45 * US, gap_sigma);
	}
}

enum na_status na_gpu_run(struct na_job *job, struct na_rng *rng,
			  struct na_err *err)
{
	struct gpu_sim s = {.job = job, .rng = rng};
	struct na_gpu *g = na_calloc(1, sizeof(*g));

	job->gpu = g;
	if (!g)
		return na_fail_nomem(err);
	if (job->cfg->collectives > 10000 || job->cfg->ops > 10000)
		return na_fail(err, NA_EUSAGE,
			       "--collectives and --ops go up to 10000");
	g->n_colls = job->n_devs > 1 ? (uint32_t)job->cfg->collectives : 0;
	job->n_fusions = (g->n_colls + 1) * (uint32_t)job->cfg->ops + 1;
	job->program_id = na_rng_next(rng) >> 1 | 1;
	na_job_repeat(job, rng);
	g->colls = na_calloc(g->n_colls, sizeof(*g->colls));
	g->instances =
		na_calloc((size_t)job->n_steps * g->n_colls * job->n_hosts,
			  sizeof(*g->instances));
	s.ranks = na_calloc(job->n_devs, sizeof(*s.ranks));
	s.failed = !g->colls || !g->instances || !s.ranks;
	for (uint32_t i = 0; !s.failed && i < g->n_colls; i++)
		make_coll(job, &g->colls[i], i);
	for (uint32_t d = 0; !s.failed && d < job->n_devs; d++)
		s.ranks[d].now_ps = na_rng_lognormal(rng, 300 * US, gap_sigma);
	for (uint32_t i = 0; !s.failed && i < job->n_steps; i++)
		run_step(&s, i);
	free(s.ranks);
	return s.failed ? na_fail_nomem(err) : NA_OK;
}

void na_gpu_fini(struct na_gpu *gpu)
{
	if (!gpu)
		return;
	free(gpu->colls);
	free(gpu->instances);
	free(gpu);
}

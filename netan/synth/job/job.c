#include "netan/synth/job/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/synth/gpu/gpu.h"

/* 2026-01-05T10:00:00Z: fixed, so that equal seeds give equal files. */
static const int64_t start_of_all_ns = INT64_C(1767607200000000000);

int64_t na_dev_id(const struct na_dev *dev)
{
	return (int64_t)dev->slice * 100000 + dev->in_slice;
}

/* clang-format off */
static const char *const without_words[NA_N_WITHOUT] = {
	[NA_WITHOUT_HLO] = "hlo",
	[NA_WITHOUT_LONG_NAMES] = "long-names",
	[NA_WITHOUT_STEPS] = "steps",
	[NA_WITHOUT_MODULES] = "modules",
	[NA_WITHOUT_DCN_INFO] = "dcn-info",
	[NA_WITHOUT_DONE_RENDEZVOUS] = "done-rendezvous",
	[NA_WITHOUT_CHANNELS] = "channels",
	[NA_WITHOUT_RUN_IDS] = "run-ids",
	[NA_WITHOUT_LOCAL_IDS] = "local-ids",
	[NA_WITHOUT_INPUTS] = "inputs",
};
/* clang-format on */

const char *na_without_offered(size_t k)
{
	return k < NA_N_WITHOUT ? without_words[k] : NULL;
}

uint32_t na_job_first_plane(const struct na_job *job)
{
	const struct na_synth_config *c = job->cfg;

	return (uint32_t)(c->skip_planes < c->devices ? c->skip_planes
						      : c->devices);
}

bool na_job_without(const struct na_job *job, enum na_without what)
{
	return job->without >> what & 1;
}

static enum na_status parse_without(struct na_job *job, struct na_err *err)
{
	const struct na_text_list *list = &job->cfg->without;
	char buf[200];
	struct na_str all = na_str_over(buf, sizeof(buf));

	for (int k = 0; k < NA_N_WITHOUT; k++)
		na_str_join(&all, ", ", "%s", without_words[k]);
	for (size_t i = 0; i < list->n; i++) {
		int k = 0;

		while (k < NA_N_WITHOUT &&
		       strcmp(list->items[i], without_words[k]))
			k++;
		if (k == NA_N_WITHOUT)
			return na_fail(err, NA_EUSAGE,
				       "--without %s: nothing of that name; "
				       "there are %s",
				       list->items[i], buf);
		job->without |= UINT32_C(1) << k;
	}
	return NA_OK;
}

bool na_phase_reduces(const struct na_coll *c, uint32_t phase)
{
	if (c->kind == NA_COLL_REDUCE_SCATTER)
		return true;
	return c->kind == NA_COLL_ALL_REDUCE && phase < c->phases / 2;
}

const char *na_coll_type(enum na_coll_kind kind)
{
	/* clang-format off */
	static const char *const names[] = {
		"ONE_TO_ONE", "ALL_GATHER", "ALL_REDUCE", "ALL_TO_ALL",
		"REDUCE_SCATTER"
	};
	/* clang-format on */

	return names[kind];
}

const struct na_fault *na_job_fault(const struct na_job *job,
				    enum na_fault_kind kind, uint32_t host)
{
	for (size_t i = 0; i < job->n_faults; i++)
		if (job->faults[i].kind == kind && job->faults[i].host == host)
			return &job->faults[i];
	return NULL;
}

uint32_t na_graph_step(const struct na_job *job, size_t graph)
{
	return (uint32_t)(graph / job->n_devs / job->n_slots);
}

uint32_t na_graph_slot(const struct na_job *job, size_t graph)
{
	return (uint32_t)(graph / job->n_devs % job->n_slots);
}

const struct na_coll *na_graph_coll(const struct na_job *job, size_t graph)
{
	return &job->colls[job->slots[na_graph_slot(job, graph)].coll];
}

uint32_t na_graph_at(const struct na_job *job, uint32_t host, int64_t i,
		     int64_t n)
{
	uint64_t runs = (uint64_t)job->n_steps * job->n_slots;
	uint64_t run = (uint64_t)i * runs / (uint64_t)n;

	return (uint32_t)(run * job->n_devs) +
	       host * (uint32_t)job->cfg->devices;
}

const enum na_fault_kind na_extra_kinds[NA_EXTRA_KINDS] = {
	NA_FAULT_LOOPBACK,
	NA_FAULT_NO_LATENCY,
	NA_FAULT_BAD_KEY,
};

const char *na_host_name(char *buf, uint32_t host)
{
	snprintf(buf, 32, "host-%" PRIu32, host);
	return buf;
}

int64_t na_host_time(const struct na_job *job, uint32_t host, int64_t ps)
{
	return ps + job->lead_ns[host] * NA_PS_PER_NS;
}

int64_t na_seen_latency_us(const struct na_job *job, const struct na_xfer *x)
{
	int64_t ahead = job->ahead_ns[job->devs[x->dst_dev].host] -
			job->ahead_ns[job->devs[x->src_dev].host];
	int64_t ps = x->end_ps - x->start_ps + ahead * NA_PS_PER_NS;

	return ps < 0 ? 0 : ps / NA_PS_PER_US;
}

static enum na_status check_sizes(struct na_job *job, struct na_err *err)
{
	const struct na_synth_config *c = job->cfg;
	int64_t slices = c->slices ? c->slices : c->hosts;

	if (c->hosts < 1 || c->devices < 1 || c->steps < 1 || c->hosts > 4096 ||
	    c->devices > 64 || c->steps > 1000000 || c->ops < 1 ||
	    c->collectives < 0 || c->step_ps <= 0 || c->link_rate < 1e6 ||
	    c->chunk_bytes < 1024)
		return na_fail(err, NA_EUSAGE,
			       "hosts (1 to 4096), devices (1 "
			       "to 64), steps, ops, step time, link rate and "
			       "chunk must be positive");
	if (slices > c->hosts || c->hosts % slices)
		return na_fail(err, NA_EUSAGE,
			       "%" PRId64 " hosts cannot be "
			       "shared evenly by %" PRId64 " slices; give "
			       "--slices a divisor of --hosts",
			       c->hosts, slices);
	job->n_hosts = (uint32_t)c->hosts;
	job->n_slices = (uint32_t)slices;
	job->n_devs = (uint32_t)(c->hosts * c->devices);
	job->n_steps = (uint32_t)c->steps;
	return NA_OK;
}

static enum na_status place_devices(struct na_job *job, struct na_err *err)
{
	uint32_t per_host = (uint32_t)job->cfg->devices;
	uint32_t hosts_in_slice = job->n_hosts / job->n_slices;

	job->devs = na_calloc(job->n_devs, sizeof(*job->devs));
	if (!job->devs)
		return na_fail_nomem(err);
	for (uint32_t i = 0; i < job->n_devs; i++) {
		struct na_dev *d = &job->devs[i];

		d->host = i / per_host;
		d->local = i % per_host;
		d->slice = d->host / hosts_in_slice;
		d->in_slice = i % (per_host * hosts_in_slice);
		d->steps = na_calloc(job->n_steps, sizeof(*d->steps));
		if (!d->steps)
			return na_fail_nomem(err);
	}
	return NA_OK;
}

static enum na_status set_clocks(struct na_job *job, struct na_rng *rng,
				 struct na_err *err)
{
	job->ahead_ns = na_calloc(job->n_hosts, sizeof(*job->ahead_ns));
	job->lead_ns = na_calloc(job->n_hosts, sizeof(*job->lead_ns));
	if (!job->ahead_ns || !job->lead_ns)
		return na_fail_nomem(err);
	job->start_unix_ns = start_of_all_ns;
	for (uint32_t h = 0; h < job->n_hosts; h++) {
		const struct na_fault *f;

		/* Captures begin a few milliseconds apart, before step 0. */
		job->lead_ns[h] = 2000000 + (int64_t)na_rng_below(rng, 3000000);
		f = na_job_fault(job, NA_FAULT_CLOCK, h);
		job->ahead_ns[h] = f ? f->value / NA_PS_PER_NS : 0;
	}
	return NA_OK;
}

void na_job_repeat(const struct na_job *job, struct na_rng *rng)
{
	if (job->cfg->repeat)
		na_rng_seed(rng, na_rng_next(rng) + (uint64_t)job->cfg->repeat);
}

/* Drawn apart, so that a fault changes nothing but its own steps. */
static enum na_status set_late_inputs(struct na_job *job, struct na_err *err)
{
	struct na_rng rng;

	job->late_ps = na_calloc((size_t)job->n_hosts * job->n_steps,
				 sizeof(*job->late_ps));
	if (!job->late_ps)
		return na_fail_nomem(err);
	na_rng_seed(&rng, (uint64_t)job->cfg->seed ^ 0x1a7e);
	na_job_repeat(job, &rng);
	for (size_t i = 0; i < job->n_faults; i++) {
		const struct na_fault *f = &job->faults[i];

		for (uint32_t s = 0; s < job->n_steps; s++)
			if (f->kind == NA_FAULT_LATE_INPUT &&
			    na_rng_hit(&rng, f->value_q16))
				job->late_ps[f->host * job->n_steps + s] +=
					f->value;
	}
	return NA_OK;
}

/* What only traffic between slices can show. */
static bool needs_traffic(enum na_fault_kind kind)
{
	switch (kind) {
	case NA_FAULT_SLOW_COMPUTE:
	case NA_FAULT_REGISTRATION:
	case NA_FAULT_CLOCK:
	case NA_FAULT_TRUNCATE:
	case NA_FAULT_PROGRAM:
	case NA_FAULT_LATE_INPUT:
		return false;
	default:
		return true;
	}
}

static enum na_status check_traffic(const struct na_job *job,
				    struct na_err *err)
{
	for (size_t i = 0; !job->n_slots && i < job->n_faults; i++)
		if (needs_traffic(job->faults[i].kind))
			return na_fail(err, NA_EUSAGE,
				       "--fault %s: this job "
				       "has no traffic between slices; give "
				       "--hosts, --slices of 2 or more and "
				       "--collectives of 1 or more",
				       job->faults[i].text);
	return NA_OK;
}

static enum na_status check_collectives(const struct na_job *job,
					struct na_err *err)
{
	for (size_t i = 0; i < job->n_faults; i++) {
		const struct na_fault *f = &job->faults[i];
		char buf[400];
		struct na_str all = na_str_over(buf, sizeof(buf));
		uint32_t c = 0;

		if (!f->name.s)
			continue;
		while (c < job->n_colls &&
		       !na_fault_names(f, job->colls[c].name))
			c++;
		if (c < job->n_colls)
			continue;
		for (c = 0; c < job->n_colls && all.n < sizeof(buf) - 60; c++)
			na_str_join(&all, ", ", "%s", job->colls[c].name);
		return na_fail(err, NA_EUSAGE,
			       "--fault %s: no such "
			       "collective; there are %s%s",
			       f->text, buf, c < job->n_colls ? ", ..." : "");
	}
	return NA_OK;
}

enum na_status na_job_init(struct na_job *job,
			   const struct na_synth_config *cfg,
			   struct na_err *err)
{
	bool gpu = cfg->profile == NA_PROFILE_GPU;
	struct na_rng rng;
	enum na_status st;

	memset(job, 0, sizeof(*job));
	job->cfg = cfg;
	na_rng_seed(&rng, (uint64_t)cfg->seed);
	st = check_sizes(job, err);
	if (!st)
		st = parse_without(job, err);
	if (!st)
		st = na_faults_parse(&cfg->faults, job->n_hosts, 0,
				     &job->faults, &job->n_faults, err);
	if (!st)
		st = place_devices(job, err);
	if (!st)
		st = set_clocks(job, &rng, err);
	if (!st)
		st = set_late_inputs(job, err);
	if (!st && gpu)
		st = na_gpu_run(job, &rng, err);
	else if (!st)
		st = na_program_build(job, &rng, err);
	if (!st)
		st = check_traffic(job, err);
	if (!st)
		st = check_collectives(job, err);
	if (!st && !gpu)
		st = na_sim_run(job, &rng, err);
	return st;
}

void na_job_fini(struct na_job *job)
{
	for (uint32_t i = 0; job->devs && i < job->n_devs; i++) {
		na_vec_free(&job->devs[i].ops);
		free(job->devs[i].steps);
	}
	free(job->faults);
	free(job->ahead_ns);
	free(job->lead_ns);
	free(job->colls);
	na_gpu_fini(job->gpu);
	free(job->slots);
	free(job->icis);
	free(job->late_ps);
	free(job->ops);
	free(job->devs);
	free(job->graphs);
	free(job->xfers);
	free(job->reduces);
	memset(job, 0, sizeof(*job));
}

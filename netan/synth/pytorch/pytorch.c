/*
 * netan synth --profile pytorch: the job, and each rank's files.
 */
#include "netan/synth/pytorch/pytorch.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/strtab.h"
#include "netan/base/units.h"
#include "netan/synth/out_file.h"

static const int64_t start_ns = INT64_C(1767607200000000000);
/* Clocks of hosts are off by at most so much. */
enum { CLOCK_US = 5000, MAX_RANKS = 4096 };

/* A kind of file: DIR/NAME/..., one for each rank. */
struct evidence {
	const char *name;
	void (*write)(struct na_wire *w, const struct na_torch_job *job,
		      uint32_t rank, uint64_t *events);
	/* Of a rank: its host, this, its process, this; or, without the
	 * first, the second and its number. */
	const char *middle, *rest;
	bool packs, dump;
};

static const struct evidence evidences[] = {
	{"kineto", na_torch_kineto, "_", ".1767607200000.pt.trace.json", true,
	 false},
	{"recorder", na_torch_recorder, NULL, "nccl_trace_rank_", false, true},
	{"recorder-json", na_torch_recorder_json, NULL, "nccl_trace_rank_",
	 false, true},
	{"inspector", na_torch_inspector, "-pid", ".log", true, false},
};

static const char *const without_words[NA_TORCH_N_WITHOUT] = {
	[NA_TORCH_WITHOUT_SEQ] = "seq",
	[NA_TORCH_WITHOUT_KERNEL_ARGS] = "kernel-args",
	[NA_TORCH_WITHOUT_DISTRIBUTED] = "distributed-info",
	[NA_TORCH_WITHOUT_FRAMES] = "frames",
};

static enum na_status parse_without(struct na_torch_job *job,
				    struct na_err *err)
{
	const struct na_text_list *list = &job->cfg->without;

	for (size_t i = 0; i < list->n; i++) {
		int k = 0;

		while (k < NA_TORCH_N_WITHOUT &&
		       strcmp(list->items[i], without_words[k]))
			k++;
		if (k == NA_TORCH_N_WITHOUT)
			return na_fail(err, NA_EUSAGE,
				       "--without %s: of --profile pytorch "
				       "there are seq, kernel-args, "
				       "distributed-info, frames",
				       list->items[i]);
		job->without |= UINT32_C(1) << k;
	}
	return NA_OK;
}

static bool known_fault(enum na_fault_kind kind)
{
	switch (kind) {
	case NA_FAULT_SLOW_SENDER:
	case NA_FAULT_SLOW_RECEIVER:
	case NA_FAULT_SLOW_HOST:
	case NA_FAULT_SLOW_COMPUTE:
	case NA_FAULT_CLOCK:
	case NA_FAULT_LATE_RANK:
		return true;
	default:
		return na_torch_is_hang(kind);
	}
}

static enum na_status check_faults(const struct na_torch_job *job,
				   struct na_err *err)
{
	for (size_t i = 0; i < job->n_faults; i++)
		if (!known_fault(job->faults[i].kind))
			return na_fail(err, NA_EUSAGE,
				       "--fault %s: --profile pytorch does not "
				       "plant it; see `netan help synth` for "
				       "those that it does",
				       job->faults[i].text);
	return NA_OK;
}

static enum na_status set_clocks(struct na_torch_job *job, struct na_err *err)
{
	struct na_rng rng;

	na_rng_seed(&rng, (uint64_t)job->cfg->seed ^ 0xc10c);
	job->ahead_ps = na_calloc(job->n_hosts, sizeof(*job->ahead_ps));
	if (!job->ahead_ps)
		return na_fail_nomem(err);
	for (uint32_t h = 0; h < job->n_hosts; h++) {
		const struct na_fault *f = na_torch_fault(job, NA_FAULT_CLOCK,
							  h);
		uint64_t us = na_rng_below(&rng, 2 * CLOCK_US + 1);

		job->ahead_ps[h] = ((int64_t)us - CLOCK_US) * NA_PS_PER_US;
		if (f)
			job->ahead_ps[h] = f->value;
	}
	return NA_OK;
}

static enum na_status init(struct na_torch_job *job,
			   const struct na_synth_config *cfg,
			   struct na_err *err)
{
	int64_t n = cfg->hosts * cfg->devices;
	enum na_status st;

	*job = (struct na_torch_job){.cfg = cfg, .start_unix_ns = start_ns};
	if (n < 2 || n > MAX_RANKS)
		return na_fail(err, NA_EUSAGE,
			       "--profile pytorch needs 2 to %d ranks; --hosts "
			       "%" PRId64 " with --devices %" PRId64
			       " are %" PRId64,
			       MAX_RANKS, cfg->hosts, cfg->devices, n);
	if (cfg->only.n || cfg->skip_planes || cfg->hlo_dump || cfg->slices ||
	    cfg->run)
		return na_fail(err, NA_EUSAGE,
			       "--only, --skip-planes, --hlo-dump, --slices "
			       "and --run need --profile session or gpu");
	job->n_hosts = (uint32_t)cfg->hosts;
	job->n_ranks = (uint32_t)n;
	job->n_steps = (uint32_t)cfg->steps;
	st = parse_without(job, err);
	if (!st)
		st = na_faults_parse(&cfg->faults, job->n_hosts, job->n_ranks,
				     &job->faults, &job->n_faults, err);
	if (!st)
		st = check_faults(job, err);
	if (!st)
		st = set_clocks(job, err);
	return st ? st : na_torch_program(job, err);
}

static void fini(struct na_torch_job *job)
{
	for (uint32_t i = 0; job->ranks && i < job->n_ranks; i++) {
		free(job->ranks[i].events);
		free(job->ranks[i].step_ps);
		na_vec_free(&job->ranks[i].kernels);
	}
	for (uint32_t s = 0; job->programs && s < job->stages; s++)
		na_vec_free(&job->programs[s].ops);
	for (int r = 0; r < NA_N_ROLES; r++)
		free(job->instances[r]);
	free(job->programs);
	free(job->ranks);
	free(job->faults);
	free(job->ahead_ps);
}

/* ---- files */

static const char *ending(int pack, bool packs)
{
	return !packs || pack == NA_PACK_NONE ? ""
	       : pack == NA_PACK_GZIP         ? ".gz"
					      : ".zst";
}

struct name {
	char s[96];
};

static void put_name(struct name *name, const struct na_torch_job *job,
		     const struct evidence *e, uint32_t rank)
{
	struct na_str s = na_str_over(name->s, sizeof(name->s));

	if (e->middle)
		na_str_addf(&s, "host-%u%s%u%s", na_torch_host(job, rank),
			    e->middle, NA_TORCH_FIRST_PID + rank, e->rest);
	else
		na_str_addf(&s, "%s%u", e->rest, rank);
	na_str_addf(&s, "%s", ending(job->cfg->compress, e->packs));
}

static enum na_status write_rank(const struct na_torch_job *job,
				 const struct evidence *e, const char *dir,
				 uint32_t rank, struct na_synth_report *report,
				 struct na_err *err)
{
	struct na_out_file *out = NULL;
	struct na_wire w = {0};
	uint64_t events = 0, bytes = 0, whole;
	struct name name;
	enum na_status st;
	char *path;

	put_name(&name, job, e, rank);
	path = na_out_join(dir, name.s);
	if (!path)
		return na_fail_nomem(err);
	e->write(&w, job, rank, &events);
	st = w.failed
		     ? na_fail_nomem(err)
		     : na_out_open(&out, path,
				   e->packs ? job->cfg->compress : NA_PACK_NONE,
				   err);
	if (!st) {
		st = na_out_write(out, w.p, w.n, err);
		if (st)
			na_out_abandon(out);
		else
			st = na_out_finish(out, -1, -1, &bytes, &whole, err);
	}
	na_wire_fini(&w);
	return na_synth_report_add(report, st, path, bytes, events, err);
}

static bool is_written(const struct na_torch_job *job, const struct evidence *e,
		       uint32_t rank)
{
	return !e->dump || !na_torch_fault(job, NA_FAULT_MISSING_RANK, rank);
}

/* A file left by another run would pass for a rank of this one. */
static enum na_status check_leftovers(const struct na_torch_job *job,
				      const struct evidence *e,
				      const char *path, struct na_err *err)
{
	struct na_strtab ours = {0};
	enum na_status st = NA_OK;
	DIR *dir = opendir(path);
	struct dirent *d;

	if (!dir)
		return na_fail_errno(err, path);
	for (uint32_t i = 0; !st && i < job->n_ranks; i++) {
		struct name name;

		put_name(&name, job, e, i);
		if (is_written(job, e, i) &&
		    na_strtab_add(&ours, name.s, strlen(name.s)) == NA_NO_NAME)
			st = na_fail_nomem(err);
	}
	while (!st && (d = readdir(dir)))
		if (d->d_name[0] != '.' &&
		    na_strtab_find(&ours, d->d_name, strlen(d->d_name)) ==
			    NA_NO_NAME)
			st = na_fail(err, NA_EIO,
				     "%s/%s is from another run and would "
				     "count as one of its ranks; remove it, or "
				     "choose another -o",
				     path, d->d_name);
	closedir(dir);
	na_strtab_fini(&ours);
	return st;
}

static enum na_status write_evidence(const struct na_torch_job *job,
				     const struct evidence *e,
				     struct na_synth_report *report,
				     struct na_err *err)
{
	char *dir = na_out_join(job->cfg->dir, e->name);
	enum na_status st = dir ? na_out_make_dirs(dir, err)
				: na_fail_nomem(err);

	if (!st)
		st = check_leftovers(job, e, dir, err);
	for (uint32_t i = 0; !st && i < job->n_ranks; i++)
		if (is_written(job, e, i))
			st = write_rank(job, e, dir, i, report, err);
	if (!st && !report->session) {
		report->session = dir;
		dir = NULL;
	}
	free(dir);
	return st;
}

static const struct evidence *find_evidence(const char *name)
{
	for (size_t k = 0; k < NA_LEN(evidences); k++)
		if (!strcmp(name, evidences[k].name))
			return &evidences[k];
	return NULL;
}

static enum na_status check_evidence(const struct na_text_list *list,
				     struct na_err *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (!find_evidence(list->items[i]))
			return na_fail(err, NA_EUSAGE,
				       "--evidence %s: there are kineto, "
				       "recorder, recorder-json, inspector",
				       list->items[i]);
	return NA_OK;
}

static enum na_status write_all(const struct na_torch_job *job,
				struct na_synth_report *report,
				struct na_err *err)
{
	const struct na_text_list *list = &job->cfg->evidence;
	enum na_status st = NA_OK;

	if (!list->n)
		return write_evidence(job,
				      find_evidence(job->hangs ? "recorder"
							       : "kineto"),
				      report, err);
	for (size_t i = 0; !st && i < list->n; i++)
		st = write_evidence(job, find_evidence(list->items[i]), report,
				    err);
	return st;
}

static enum na_status write_truth(const struct na_torch_job *job,
				  struct na_synth_report *report,
				  struct na_err *err)
{
	char *path = na_out_join(job->cfg->dir, "truth.json");
	uint64_t bytes = 0;
	enum na_status st;

	if (!path)
		return na_fail_nomem(err);
	st = na_torch_truth(job, path, &bytes, err);
	return na_synth_report_add(report, st, path, bytes, 0, err);
}

enum na_status na_synth_pytorch(const struct na_synth_config *cfg,
				struct na_synth_report *report,
				struct na_err *err)
{
	struct na_torch_job job;
	enum na_status st = init(&job, cfg, err);

	if (!st)
		st = check_evidence(&cfg->evidence, err);
	if (!st) {
		st = na_torch_run(&job, err);
		report->hangs = job.hangs;
	}
	if (!st)
		st = write_all(&job, report, err);
	if (!st)
		st = write_truth(&job, report, err);
	fini(&job);
	return st;
}

#include "netan/synth/synth.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "netan/base/units.h"
#include "netan/synth/capture/capture.h"
#include "netan/synth/gpu/gpu.h"
#include "netan/synth/pytorch/pytorch.h"
#include "netan/synth/xspace/bench.h"
#include "netan/synth/xspace/fleet.h"
#include "netan/synth/xspace/write.h"

/* The wall clock of a file for measurements. */
static const int64_t bench_start_ns = INT64_C(1767607200000000000);

enum { SPACE_HOSTNAMES = 4 };

void na_synth_report_fini(struct na_synth_report *report)
{
	for (size_t i = 0; i < report->n; i++)
		free(report->files[i].path);
	free(report->files);
	free(report->session);
	memset(report, 0, sizeof(*report));
}

enum na_status na_synth_report_add(struct na_synth_report *r, enum na_status st,
				   char *path, uint64_t bytes, uint64_t events,
				   struct na_err *err)
{
	if (!st && !na_grow(&r->files, &r->cap, r->n + 1, sizeof(*r->files)))
		st = na_fail_nomem(err);
	if (st)
		free(path);
	else
		r->files[r->n++] = (struct na_synth_file){path, bytes, events};
	return st;
}

static enum na_status make_session(const struct na_synth_config *cfg,
				   int64_t start_ns,
				   struct na_synth_report *report,
				   char **relative, struct na_err *err)
{
	time_t t = (time_t)(start_ns / NA_NS_PER_S);
	const char *run = cfg->run;
	char stamp[40];
	struct tm tm;

	if (!run) {
		if (!gmtime_r(&t, &tm))
			return na_fail_errno(err, "time");
		strftime(stamp, sizeof(stamp), "%Y_%m_%d_%H_%M_%S", &tm);
		run = stamp;
	}
	if (!*run || strchr(run, '/') || !strcmp(run, ".") ||
	    !strcmp(run, ".."))
		return na_fail(err, NA_EUSAGE,
			       "--run \"%s\" is no directory "
			       "name; leave out slashes",
			       run);
	*relative = na_out_join("plugins/profile", run);
	if (*relative)
		report->session = na_out_join(cfg->dir, *relative);
	if (!report->session)
		return na_fail_nomem(err);
	return na_out_make_dirs(report->session, err);
}

static const char *ending(int pack)
{
	return pack == NA_PACK_GZIP   ? ".xplane.pb.gz"
	       : pack == NA_PACK_ZSTD ? ".xplane.pb.zst"
				      : ".xplane.pb";
}

static bool is_ours(const struct na_truth *t, int pack, const char *name)
{
	for (size_t i = 0; i < t->n; i++) {
		const char *host = t->hosts[i].name;
		size_t n = strlen(host);

		if (!strncmp(name, host, n) && !strcmp(name + n, ending(pack)))
			return true;
	}
	return false;
}

/* A trace left by another run would pass for a host of this one. */
static enum na_status check_leftovers(const struct na_truth *t, int pack,
				      const char *session, struct na_err *err)
{
	enum na_status st = NA_OK;
	DIR *dir = opendir(session);
	struct dirent *e;

	if (!dir)
		return na_fail_errno(err, session);
	while (!st && (e = readdir(dir)))
		if (strstr(e->d_name, ".xplane.pb") &&
		    !strstr(e->d_name, ".tmp") && !is_ours(t, pack, e->d_name))
			st = na_fail(err, NA_EIO,
				     "%s/%s is from another run "
				     "and would count as one of its hosts; "
				     "remove it, or choose another -o or "
				     "--run",
				     session, e->d_name);
	closedir(dir);
	return st;
}

static enum na_status write_names(struct na_trace *t, struct na_err *err)
{
	struct na_wire w = {0};
	enum na_status st;

	na_wire_str(&w, SPACE_HOSTNAMES, t->truth->name);
	st = w.failed ? na_fail_nomem(err)
		      : na_out_write(t->out, w.p, w.n, err);
	na_wire_fini(&w);
	return st;
}

static enum na_status write_planes(struct na_writer *w, struct na_err *err)
{
	const struct na_synth_config *cfg = w->job->cfg;
	enum na_status st = w->job->gpu ? na_write_gpus(w, err) : NA_OK;

	for (uint32_t i = na_job_first_plane(w->job);
	     !st && !w->job->gpu && i < cfg->devices; i++)
		st = na_write_device(w, i, err);
	if (!st && !na_job_without(w->job, NA_WITHOUT_HLO))
		st = na_write_metadata(w, err);
	if (st || w->job->gpu)
		return st ? st : na_write_environment(w, err);
	if (cfg->generation != NA_GEN_MESSAGE)
		st = na_write_megascale(w, err);
	if (!st)
		st = na_write_host_cpu(w, err);
	if (!st)
		st = na_write_environment(w, err);
	return st;
}

struct file_job {
	const struct na_synth_config *cfg;
	struct na_synth_report *report;
	struct na_truth_host *truth;
	const char *relative;
	struct na_writer *writer; /* NULL: a file for measurements */
};

static enum na_status fill_file(struct file_job *j, struct na_trace *t,
				struct na_err *err)
{
	enum na_status st;

	if (j->writer) {
		j->writer->trace = *t;
		st = write_planes(j->writer, err);
	} else {
		st = j->cfg->profile == NA_PROFILE_FLEET
			     ? na_fleet_write(j->cfg, t, err)
			     : na_bench_write(j->cfg, t, err);
	}
	return st ? st : write_names(t, err);
}

/* One host's file: opened, filled, cut if that is a planted fault. */
static enum na_status write_file(struct file_job *j, struct na_err *err)
{
	const struct na_fault *cut = NULL;
	struct na_trace t = {NULL, j->truth};
	struct na_truth_host *h = j->truth;
	int64_t cut_bytes = -1, cut_q16 = -1;
	char name[64], *path;
	enum na_status st;

	snprintf(name, sizeof(name), "%s%s", h->name, ending(j->cfg->compress));
	h->path = na_out_join(j->relative, name);
	path = na_out_join(j->report->session, name);
	if (!h->path || !path) {
		free(path);
		return na_fail_nomem(err);
	}
	if (j->writer)
		cut = na_job_fault(j->writer->job, NA_FAULT_TRUNCATE,
				   j->writer->host);
	if (cut && cut->value_q16)
		cut_q16 = cut->value_q16;
	else if (cut)
		cut_bytes = cut->value;
	st = na_out_open(&t.out, path, j->cfg->compress, err);
	if (!st) {
		st = fill_file(j, &t, err);
		if (st)
			na_out_abandon(t.out);
		else
			st = na_out_finish(t.out, cut_bytes, cut_q16,
					   &h->file_bytes, &h->cut_from_bytes,
					   err);
	}
	return na_synth_report_add(j->report, st, path, h->file_bytes,
				   h->events, err);
}

static enum na_status write_truth(const struct na_truth *t,
				  const struct na_synth_config *cfg,
				  const struct na_job *job,
				  struct na_synth_report *report,
				  struct na_err *err)
{
	char *path = na_out_join(cfg->dir, "truth.json");
	uint64_t bytes;
	enum na_status st;

	if (!path)
		return na_fail_nomem(err);
	st = na_truth_write(t, cfg, job, path, &bytes, err);
	return na_synth_report_add(report, st, path, bytes, 0, err);
}

/* ---- a session of simulated hosts */

static uint32_t src_of(const void *of, size_t i)
{
	return ((const struct na_job *)of)->xfers[i].src_dev;
}

static uint32_t dst_of(const void *of, size_t i)
{
	return ((const struct na_job *)of)->xfers[i].dst_dev;
}

static uint32_t reducer_of(const void *of, size_t i)
{
	const struct na_job *job = of;

	return job->graphs[job->reduces[i].graph].dev;
}

static enum na_status make_writer(struct na_writer *w, const struct na_job *job,
				  struct na_err *err)
{
	enum na_status st;

	memset(w, 0, sizeof(*w));
	w->job = job;
	st = na_index_build(&w->sent, job, job->n_xfers, job->n_devs, src_of,
			    err);
	if (!st)
		st = na_index_build(&w->received, job, job->n_xfers,
				    job->n_devs, dst_of, err);
	if (!st)
		st = na_index_build(&w->reduced, job, job->n_reduces,
				    job->n_devs, reducer_of, err);
	return st;
}

static void describe_host(struct na_truth_host *t, const struct na_job *job,
			  uint32_t host)
{
	uint32_t per_host = (uint32_t)job->cfg->devices;

	na_host_name(t->name, host);
	t->number = host;
	t->ahead_ns = job->ahead_ns[host];
	t->start_unix_ns = job->start_unix_ns - job->lead_ns[host] +
			   job->ahead_ns[host];
	t->first_device = na_dev_id(&job->devs[host * per_host]);
	t->devices = per_host;
}

static void describe_program(struct na_truth_host *t, const struct na_module *m)
{
	t->program_id = m->program_id;
	t->instructions = m->n;
	if (m->inserted == m->reshaped)
		return;
	snprintf(t->reshaped, sizeof(t->reshaped), "%s",
		 m->insts[m->reshaped].name);
	snprintf(t->inserted, sizeof(t->inserted), "%s",
		 m->insts[m->inserted].name);
}

/* The hosts to write, ascending: all, or those of --only. */
static enum na_status chosen(const struct na_job *job, uint32_t **out,
			     size_t *n, struct na_err *err)
{
	const struct na_text_list *only = &job->cfg->only;
	uint32_t *list = na_calloc(job->n_hosts, sizeof(*list));
	bool *keep = na_calloc(job->n_hosts, sizeof(*keep));
	enum na_status st = list && keep ? NA_OK : na_fail_nomem(err);

	for (size_t i = 0; !st && i < only->n; i++) {
		uint32_t h;

		st = na_fault_host(only->items[i], strlen(only->items[i]),
				   job->n_hosts, &h, err);
		if (!st)
			keep[h] = true;
	}
	*n = 0;
	for (uint32_t h = 0; !st && h < job->n_hosts; h++)
		if (!only->n || keep[h])
			list[(*n)++] = h;
	free(keep);
	*out = list;
	if (st) {
		free(list);
		*out = NULL;
	}
	return st;
}

static enum na_status write_hosts(const struct na_job *job,
				  struct na_truth *truth, const uint32_t *hosts,
				  struct na_synth_report *report,
				  struct na_err *err)
{
	struct na_writer w;
	struct file_job j = {.cfg = job->cfg, .report = report, .writer = &w};
	char *relative = NULL;
	enum na_status st = make_writer(&w, job, err);

	if (!st)
		st = make_session(job->cfg, job->start_unix_ns, report,
				  &relative, err);
	j.relative = relative;
	for (size_t i = 0; i < truth->n; i++)
		describe_host(&truth->hosts[i], job, hosts[i]);
	if (!st)
		st = check_leftovers(truth, job->cfg->compress, report->session,
				     err);
	for (size_t i = 0; !st && i < truth->n; i++) {
		w.host = hosts[i];
		na_rng_seed(&w.rng, (uint64_t)job->cfg->seed + hosts[i] + 1);
		j.truth = &truth->hosts[i];
		st = na_module_build(&w.module, job, hosts[i], err);
		if (!st) {
			describe_program(j.truth, &w.module);
			st = write_file(&j, err);
		}
		na_module_fini(&w.module);
	}
	na_index_fini(&w.sent);
	na_index_fini(&w.received);
	na_index_fini(&w.reduced);
	free(relative);
	return st;
}

/* ---- the programs as dump files */

static enum na_status write_dump(const char *dir, const char *ending,
				 const struct na_wire *w,
				 struct na_synth_report *report,
				 struct na_err *err)
{
	char name[80], *path;
	uint64_t bytes;
	enum na_status st;

	snprintf(name, sizeof(name), "module_0000." NA_MODULE_NAME "%s",
		 ending);
	path = na_out_join(dir, name);
	if (w->failed || !path) {
		free(path);
		return na_fail_nomem(err);
	}
	st = na_out_save(path, w->p, w->n, &bytes, err);
	return na_synth_report_add(report, st, path, bytes, 0, err);
}

static enum na_status dump_module(const struct na_module *m, const char *dir,
				  struct na_synth_report *report,
				  struct na_err *err)
{
	struct na_wire w = {0};
	enum na_status st = na_out_make_dirs(dir, err);

	if (!st) {
		na_module_text(m, &w);
		st = write_dump(dir, ".after_optimizations.txt", &w, report,
				err);
	}
	w.n = 0;
	if (!st) {
		na_module_proto(m, &w);
		st = write_dump(dir, ".hlo_proto.pb", &w, report, err);
	}
	na_wire_fini(&w);
	return st;
}

static enum na_status dump_modules(const struct na_job *job,
				   const struct na_truth *truth,
				   struct na_synth_report *report,
				   struct na_err *err)
{
	enum na_status st = NA_OK;

	for (size_t i = 0; !st && job->cfg->hlo_dump && i < truth->n; i++) {
		const struct na_truth_host *h = &truth->hosts[i];
		char *dir = na_out_join(job->cfg->hlo_dump, h->name);
		struct na_module m = {0};

		st = dir ? na_module_build(&m, job, h->number, err)
			 : na_fail_nomem(err);
		if (!st)
			st = dump_module(&m, dir, report, err);
		na_module_fini(&m);
		free(dir);
	}
	return st;
}

static enum na_status run_session(const struct na_synth_config *cfg,
				  struct na_synth_report *report,
				  struct na_err *err)
{
	struct na_truth truth = {0};
	struct na_job job;
	uint32_t *hosts = NULL;
	size_t n = 0;
	enum na_status st = na_job_init(&job, cfg, err);

	if (!st)
		st = chosen(&job, &hosts, &n, err);
	if (!st)
		st = na_truth_init(&truth, n, job.start_unix_ns, err);
	if (!st)
		st = write_hosts(&job, &truth, hosts, report, err);
	if (!st)
		st = dump_modules(&job, &truth, report, err);
	if (!st)
		st = write_truth(&truth, cfg, &job, report, err);
	na_truth_fini(&truth);
	free(hosts);
	na_job_fini(&job);
	return st;
}

/* ---- files for measurements */

static enum na_status run_bench(const struct na_synth_config *cfg,
				struct na_synth_report *report,
				struct na_err *err)
{
	struct na_truth truth;
	struct file_job j = {.cfg = cfg, .report = report};
	size_t n = cfg->profile == NA_PROFILE_FLEET ? (size_t)cfg->hosts : 1;
	char *relative = NULL;
	enum na_status st = na_truth_init(&truth, n, bench_start_ns, err);

	if (!st)
		st = make_session(cfg, bench_start_ns, report, &relative, err);
	j.relative = relative;
	for (size_t i = 0; !st && i < n; i++) {
		na_host_name(truth.hosts[i].name, (uint32_t)i);
		truth.hosts[i].number = (uint32_t)i;
		truth.hosts[i].start_unix_ns = bench_start_ns;
	}
	if (!st)
		st = check_leftovers(&truth, cfg->compress, report->session,
				     err);
	for (size_t i = 0; !st && i < n; i++) {
		j.truth = &truth.hosts[i];
		st = write_file(&j, err);
	}
	if (!st)
		st = write_truth(&truth, cfg, NULL, report, err);
	na_truth_fini(&truth);
	free(relative);
	return st;
}

enum na_status na_synth_run(const struct na_synth_config *cfg,
			    struct na_synth_report *report, struct na_err *err)
{
	memset(report, 0, sizeof(*report));
	if (na_synth_is_capture(cfg->dir))
		return na_synth_capture(cfg, report, err);
	if (na_synth_is_packed_capture(cfg->dir))
		return na_fail(err, NA_EUSAGE,
			       "-o %s: give the name without its last ending, "
			       "and --compress gzip or zstd, which adds it",
			       cfg->dir);
	if (cfg->conditions.n || cfg->snaplen_bytes)
		return na_fail(err, NA_EUSAGE,
			       "--condition and --snaplen are for captures; "
			       "-o NAME.pcap makes one");
	if (cfg->profile != NA_PROFILE_SESSION &&
	    (cfg->icis || cfg->shuffle_suffixes))
		return na_fail(err, NA_EUSAGE,
			       "--ici and --shuffle-suffixes need --profile "
			       "session");
	if (cfg->profile == NA_PROFILE_PYTORCH)
		return na_synth_pytorch(cfg, report, err);
	if (cfg->evidence.n)
		return na_fail(err, NA_EUSAGE,
			       "--evidence needs --profile pytorch");
	if (cfg->collective_ops > 0 && cfg->profile != NA_PROFILE_TYPICAL)
		return na_fail(err, NA_EUSAGE,
			       "--collective-ops needs --profile typical");
	if (cfg->profile == NA_PROFILE_SESSION ||
	    cfg->profile == NA_PROFILE_GPU)
		return run_session(cfg, report, err);
	if (cfg->faults.n || cfg->only.n || cfg->without.n ||
	    cfg->skip_planes || cfg->hlo_dump)
		return na_fail(err, NA_EUSAGE,
			       "--fault, --only, --without, --skip-planes and "
			       "--hlo-dump need --profile session or gpu");
	return run_bench(cfg, report, err);
}

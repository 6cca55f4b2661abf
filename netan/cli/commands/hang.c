/* hang: why did the job hang; which host. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/hang/hang.h"
#include "netan/base/sha256.h"
#include "netan/base/vec.h"
#include "netan/cli/again.h"
#include "netan/cli/commands/judged.h"
#include "netan/cli/commands/ledger.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/hangs/hangs.h"
#include "netan/engine/session/session.h"

struct params {
	int64_t top;
	const char *hosts;
};

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_COUNT, 0, "top", offsetof(struct params, top), "N", NULL, 1,
	 1e9, "show the first N rows of each table, and the first N hangs one "
	 "by one (default: 20 rows, 10 hangs)",
	 .brief = "rows of each table, and hangs one by one"},
	{NA_OPT_TEXT, 0, "hosts", offsetof(struct params, hosts), "FILE", NULL,
	 0, 0, "on which host the ranks of a GPU job are, where their dumps do "
	 "not tell: CSV rank,host", NA_PATH_READ,
	 .brief = "which rank is on which host: CSV rank,host"},
	NA_OPT_END
};
/* clang-format on */

enum { SUSPECTS_MAX = 1000 /* noted of a run */ };

struct reading {
	const struct na_cli *cli;
	struct na_hang_reading in;
};

/* ---- output */

static void put_input(const struct reading *x, const struct na_hang_source *s,
		      struct na_result *r, struct na_value *list)
{
	struct na_value *row, *why;
	uint64_t bytes = 0, lines = 0, read = 0;

	for (size_t i = s->first; i < s->first + s->n; i++) {
		bytes += x->in.logs.files.v[i].bytes;
		lines += x->in.logs.files.v[i].lines;
		read += x->in.logs.files.v[i].read;
	}
	row = na_judged_input(r, list, s->input->path, s->input->label,
			      read ? "text" : NULL, NULL, bytes);
	na_put_int(r, row, M_files, (int64_t)read);
	na_put_int(r, row, M_lines, (int64_t)lines);
	why = na_put_list(r, row, M_warnings);
	for (size_t i = 0; i < s->warnings.n; i++)
		na_put_text(r, why, NULL, s->warnings.v[i]);
}

static void hang_envelope(const struct reading *x, struct na_result *r)
{
	struct na_value *list = na_judged_inputs(r, "netan.hang/1");

	for (size_t i = 0; i < x->cli->request.n_inputs; i++)
		put_input(x, &x->in.sources[i], r, list);
	list = na_judged_coverage(r, x->in.logs.records.n, 0,
				  x->in.logs.records.n);
	if (x->in.logs.left_out)
		na_put_int(r, list, M_filtered, (int64_t)x->in.logs.left_out);
}

static void hang_notes(const struct reading *x, struct na_result *r)
{
	if (!x->in.logs.records.n && !x->in.ranks.dumps.n)
		na_result_note(
			r, "looked for \"Megascale hang detected\", "
			   "\"Megascale detects a hang\", \"Full error "
			   "digest\" and \"HANG_DETECTED\"; the log of the "
			   "coordinator says why a job hangs: task 0 of slice "
			   "0, or resource_manager");
	if (x->in.files.passed_over + x->in.traces)
		na_result_note(r,
			       "files passed over that are no logs "
			       "(traces, captures, pictures): %s",
			       na_grouped(x->in.files.passed_over +
					  x->in.traces));
	if (x->in.logs.left_out)
		na_result_note(r,
			       "left out, beyond what is kept or cut off: "
			       "%s",
			       na_grouped(x->in.logs.left_out));
	if (x->in.damaged)
		na_result_note(r, "not everything could be read: see the "
				  "warnings");
}

/* ---- the ledger */

static bool go_on(void *ctx)
{
	(void)ctx;
	return !na_interrupted();
}

/* Of what came through a pipe, what was found in it stands for it. */
static void hash_records(const struct na_hang *h, size_t file,
			 char hex[NA_SHA256_HEX])
{
	const struct na_hang_file *f = &h->files.v[file];
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	hex[0] = '\0';
	if (!out)
		return;
	fprintf(out, "%" PRIu64 " %" PRIu64 "\n", f->lines, f->bytes);
	for (size_t i = 0; i < h->records.n; i++) {
		const struct na_hang_record *r = &h->records.v[i];

		if (r->file == file)
			fprintf(out, "%" PRIu64 " %" PRId64 " %" PRId64 " %d\n",
				r->line, r->time.ns, r->launch_id,
				(int)r->cause);
	}
	if (fclose(out) == 0)
		na_sha256(text, n, hex);
	free(text);
}

static bool run_id(const struct reading *x, char id[17])
{
	size_t n = x->in.logs.files.n;
	char(*hex)[NA_SHA256_HEX] = na_calloc(n + 1, NA_SHA256_HEX);
	const char **list = na_calloc(n + 1, sizeof(*list));
	bool ok = hex && list;

	for (size_t i = 0; ok && i < n; i++) {
		const char *path = x->in.logs.files.v[i].path;

		if (strcmp(path, "-") == 0 ||
		    !na_sha256_file(path, go_on, NULL, hex[i]))
			hash_records(&x->in.logs, i, hex[i]);
		list[i] = hex[i];
	}
	if (ok)
		na_ledger_id(list, n, id);
	free(hex);
	free(list);
	return ok;
}

/* Each host once, with the event that named it first; but one that named it
 * alone says more than one that named both ends of a link. */
static bool add_suspect(const struct reading *x, const struct na_hangs_event *e,
			uint32_t host, bool link, struct na_suspect *list,
			size_t *n)
{
	const char *name = na_strtab_at(&x->in.logs.names, host);

	for (size_t i = 0; i < *n; i++) {
		if (strcmp(list[i].host, name) != 0)
			continue;
		list[i].events++;
		if (!link && strcmp(list[i].kind, "link") == 0) {
			list[i].kind = "host";
			list[i].cause = na_hang_cause_word(e->cause);
		}
		return true;
	}
	if (*n == SUSPECTS_MAX)
		return false;
	list[(*n)++] =
		(struct na_suspect){.host = name,
				    .kind = link ? "link" : "host",
				    .cause = na_hang_cause_word(e->cause),
				    .events = 1,
				    .excess = NAN,
				    .p_value = NAN};
	return true;
}

/* Of different programs those who are behind, else the culprits. */
static size_t suspects_of(const struct reading *x, const struct na_hangs *h,
			  struct na_suspect *list)
{
	size_t n = 0;

	for (size_t i = 0; i < h->events.n; i++) {
		const struct na_hangs_event *e = &h->events.v[i];
		bool programs = e->cause == NA_HANG_DIFFERENT_MODULE ||
				e->cause == NA_HANG_FINGERPRINT_MISMATCH;

		if (programs && e->blocked_by.n) {
			for (size_t k = 0; k < e->blocked_by.n; k++)
				add_suspect(x, e, e->blocked_by.v[k], false,
					    list, &n);
			continue;
		}
		for (size_t k = 0; k < e->culprits.n; k++) {
			uint32_t host = e->culprits.v[k].worker.host;

			if (host != NA_NO_NAME)
				add_suspect(x, e, host,
					    e->cause == NA_HANG_NETWORKING &&
						    e->culprits.n > 1,
					    list, &n);
		}
	}
	return n;
}

static enum na_status note_suspects(const struct reading *x,
				    const struct na_hangs *h,
				    struct na_result *r, struct na_err *err)
{
	struct na_suspect *list = na_calloc(SUSPECTS_MAX, sizeof(*list));
	struct na_ledger_run run = {.by = "hang", .when_ns = INT64_MIN};
	enum na_status st;

	if (!list || !run_id(x, run.id)) {
		free(list);
		return na_fail_nomem(err);
	}
	for (size_t i = 0; i < h->events.n; i++) {
		const struct na_hang_time *t = &h->events.v[i].last;

		if (t->known && t->has_year && t->ns > run.when_ns)
			run.when_ns = t->ns;
	}
	run.suspects = list;
	run.n = suspects_of(x, h, list);
	st = na_ledger_note(x->cli, &run, r, err);
	free(list);
	return st;
}

/* ---- all of it */

/* Who is called what in the logs (--anonymize). */
static const struct na_hidden said_names[] = {
	{M_host, NA_ALIAS_HOST},       {M_hosts, NA_ALIAS_HOST},
	{M_blocked_by, NA_ALIAS_HOST}, {M_waiting, NA_ALIAS_HOST},
	{M_a, NA_ALIAS_HOST},          {M_b, NA_ALIAS_HOST},
	{M_job, NA_ALIAS_TASK},        {M_task, NA_ALIAS_TASK},
	{M_source, NA_ALIAS_TASK},     {NULL, NA_ALIAS_HOST},
};

/* What they say of hangs and errors in words of their own. */
static const char *const said_freely[] = {M_cause_text, M_other_lines, M_type,
					  M_error, NULL};

static enum na_exit hang_show(const struct reading *x, const struct na_hangs *h,
			      struct na_result *r)
{
	const struct params *p = x->cli->params;
	enum na_exit noted = NA_EXIT_OK, exit;
	struct na_err err = {.status = NA_OK};

	if (!na_hangs_result(h, r)) {
		na_say_nomem(&x->cli->request);
		return NA_EXIT_FAILED;
	}
	na_hide_members(&x->cli->request, na_result_body(r), said_names);
	na_leave_out(&x->cli->request, na_result_body(r), said_freely);
	hang_envelope(x, r);
	if (!na_hangs_views(h, (size_t)p->top, r)) {
		na_say_nomem(&x->cli->request);
		return NA_EXIT_FAILED;
	}
	/* What is found is told, whatever becomes of the ledger. */
	if (x->cli->common.ledger && note_suspects(x, h, r, &err) != NA_OK)
		noted = na_say_failed(x->cli, &err);
	if (err.status == NA_ENOMEM)
		return noted;
	hang_notes(x, r);
	exit = na_output(x->cli, r);
	if (exit != NA_EXIT_OK || noted != NA_EXIT_OK)
		return exit != NA_EXIT_OK ? exit : noted;
	if (x->in.damaged && x->cli->request.strict)
		return NA_EXIT_FAILED;
	return na_judged_exit(x->cli, h->severity);
}

/* What it takes, and what these inputs are good for. */
static void hint_at(struct reading *x)
{
	bool other = x->in.traces || x->in.files.seen;
	const char *rest = other ? na_again(x->cli, "check", &x->in.arena)
				 : NULL;

	na_say_hint(&x->cli->request,
		    "wanted what a job leaves that hangs: dumps of PyTorch's "
		    "flight recorder (nccl_trace_rank_N of all ranks: run with "
		    "TORCH_FR_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1), "
		    "logs of the job, of NCCL or of its RAS%s",
		    x->in.kept ? "; those that the transfer file was made of, "
				 "say"
			       : "");
	if (rest)
		na_say_hint(&x->cli->request,
			    "what traces, captures and transfer files tell: "
			    "%s check%s%s",
			    na_program_of(x->cli), *rest ? " " : "", rest);
}

/* Why nothing was read. */
static const char *unread(const struct reading *x)
{
	if (x->in.kept && x->in.kept == x->in.traces)
		return "no log or dump among these: a transfer file keeps "
		       "when operations were called or ran, not what ranks "
		       "tell of a hang";
	return x->in.traces ? "no log or dump among these: traces and captures "
			      "do not tell of hangs"
	       : x->in.files.passed_over ? "no log or dump among these"
					 : "no log could be read";
}

/* Something to say something about. */
static enum na_exit check_read(struct reading *x)
{
	uint64_t bytes = 0;
	size_t read = 0;

	for (size_t i = 0; i < x->in.logs.files.n; i++) {
		bytes += x->in.logs.files.v[i].bytes;
		read += x->in.logs.files.v[i].read;
	}
	if (read && bytes)
		return NA_EXIT_OK;
	if (read)
		na_say_error(&x->cli->request, "the logs are empty (0 bytes)");
	else if (!x->in.said)
		na_say_error(&x->cli->request, "%s", unread(x));
	if (!read && (!x->in.said || x->in.files.seen))
		hint_at(x);
	return NA_EXIT_FAILED;
}

static enum na_exit hang_judge(struct reading *x, struct na_result *r)
{
	struct na_err err = {.status = NA_OK};
	enum na_exit exit = NA_EXIT_FAILED;
	struct na_hangs h = {.logs = NULL};

	if (na_hang_reading(&x->in, &err) == NA_OK) {
		exit = check_read(x);
		if (exit != NA_EXIT_OK)
			return exit;
		if (na_hangs_judge(&h, &x->in.logs, &x->in.ranks, &err) ==
		    NA_OK)
			exit = hang_show(x, &h, r);
		na_hangs_fini(&h);
	}
	if (err.status != NA_OK) {
		na_say_error(&x->cli->request, "%s", err.text);
		exit = NA_EXIT_FAILED;
	}
	return exit;
}

static enum na_exit hang_run(struct na_cli *cli)
{
	struct reading x = {.cli = cli, .in = {.request = &cli->request}};
	const struct params *p = cli->params;
	enum na_exit exit = na_ledger_check(cli);

	cli->request.hosts = p->hosts;
	if (exit != NA_EXIT_OK)
		return exit;
	na_catch_interrupt();
	exit = hang_judge(&x, cli->result);
	na_hang_reading_fini(&x.in);
	return exit;
}

static const char details[] =
	"Reads logs, plain, gzip or zstd: of the coordinator (task 0 of "
	"slice 0 with JAX, resource_manager with Pathways), whose digest "
	"gives the cause, and of the workers, which give time and launch. A "
	"directory stands for all files below it. Lines may have any prefix: "
	"time stamps, severities, file:line, containers, colours, JSON of "
	"container runtimes and cloud logging, logfmt, CSV exports. Workers "
	"may interleave if the prefix identifies them: a thread id, a pod's "
	"name.\n"
	"Dumps of PyTorch's flight recorder, one for each rank "
	"(nccl_trace_rank_3, _dump_3; pickle or JSON), are recognised among "
	"the logs. They show which rank holds an operation that a peer has "
	"left (its GPU is stuck), which never called the operation that its "
	"peers wait in (its process is stuck), which calls another one, and "
	"which wait. Of several missing operations the first one is "
	"reported, or all candidates. Reading a dump runs no code. Logs with "
	"NCCL_DEBUG=INFO (subsystems INIT and COLL), lines of PyTorch's "
	"watchdog and reports of NCCL's RAS (text, or ncclras -f json) show "
	"ranks that are late or call other operations.\n"
	"Detections within two timeouts of each other, and reports of the "
	"same cause and suspects, are one hang. Blocked by: the workers in "
	"the oldest launch, or the smaller group by module and fingerprint, "
	"or by place; not those that moved on.\n"
	"Columns: launch is the oldest that was awaited, awaited and "
	"completed are graphs there; step goes on: the step made progress "
	"elsewhere; sources: how many files and prefixes report it. Over "
	"several hangs: broken links, hosts that explain several of them, "
	"and hosts that are named again; after more than 3 hangs, a host is "
	"very likely faulty.\n"
	"The picture (-o hang.svg), for hangs of ranks, shows for each group "
	"which of the last operations ranks completed, began, called or "
	"never called: ranks with the same progress are one row, suspects "
	"first.\n"
	"A hang with a named cause is an error, an unknown cause a warning "
	"(--fail-on). Logs without a hang message are status 0.";

static const struct na_command_info hang_info = {
	.name = "hang",
	.question = "why did the job hang; which host",
	.usage = "[OPTION…] LOG|DIR…",
	.details = details,
	.example = "netan hang coordinator.log\n"
		   "netan hang logs/\n"
		   "netan hang /tmp/nccl_trace_rank_*\n"
		   "netan hang dumps/ -o hang.svg\n"
		   "zcat worker-*.log.gz | netan hang -\n"
		   "netan hang logs/ --format json --fail-on error",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_hang = {
	.info = &hang_info,
	.joins = NA_JOIN_WORKERS | NA_JOIN_FINDINGS | NA_JOIN_LEDGER |
		 NA_JOIN_OUTPUT | NA_JOIN_PICTURE,
	.run = hang_run,
};

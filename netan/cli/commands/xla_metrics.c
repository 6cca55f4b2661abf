/* xla-metrics: does PyTorch/XLA recompile or fetch too often. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/logs/files.h"
#include "ingest/logs/xla_lines.h"
#include "members.h"
#include "netan/analyses/xla_metrics/xla_metrics.h"
#include "netan/base/vec.h"
#include "netan/cli/cli.h"
#include "netan/cli/commands/judged.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/session/session.h"

struct params {
	int64_t steps, log_interval, top;
	int durations;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_COUNT, 0, "steps", FIELD(steps), "N", NULL, 1, 1e15,
	 "steps between the two reports, or before the only one (default: as "
	 "the reports say: their titles, MarkStep, ExecuteComputation, or "
	 "executions)",
	 .brief = "steps between the two reports, or before the one"},
	{NA_OPT_COUNT, 0, "log-interval", FIELD(log_interval), "N", "20", 1,
	 1e9, "the job logs one tensor every N steps, which takes a transfer; "
	 "one compilation in so many steps is too many",
	 .brief = "the job logs one tensor every N steps"},
	{NA_OPT_CHOICE, 0, "durations", FIELD(durations), "exact|plain",
	 "exact", 0, 0, "undo the rounding that PyTorch/XLA prints durations "
	 "with, or add up their parts, for reports of other writers",
	 .brief = "as PyTorch/XLA rounds them, or as told"},
	{NA_OPT_COUNT, 0, "top", FIELD(top), "N", "20", 1, 1e9,
	 "show the first N rows of each table; the others are counted"},
	NA_OPT_END
};
/* clang-format on */

/* One log, read on a thread of its own. */
struct piece {
	struct na_xla_input *input;
	enum na_xla_durations how;
	const char *packing;
	uint64_t bytes;
	struct na_err err;
	bool opened;
	bool found; /* in a directory: one that tells nothing is left out */
};

/* What is read: the inputs, and of directories the files in them. */
struct logs {
	struct na_arena arena; /* of paths */
	struct na_log_files files;
	size_t *input_of; /* of each of these */
	struct na_xla_input *inputs;
	struct piece *pieces;
	size_t n;
};

static void read_log(struct piece *p, struct na_xla_reader *reader,
		     struct na_lines *lines)
{
	enum na_status st = NA_OK, end;
	struct na_line line;
	struct na_err late = {.status = NA_OK};

	while (st == NA_OK && !na_interrupted()) {
		st = na_lines_find(lines, &na_xla_needles, &line, &p->err);
		if (st == NA_OK)
			st = na_xla_line(reader, line.text, line.n, line.number,
					 &p->err);
	}
	/* What came before damage counts. */
	end = na_xla_end(reader, &late);
	if (end != NA_OK && p->err.status == NA_OK)
		p->err = late;
	p->bytes = na_lines_bytes(lines);
	p->packing = na_lines_packing(lines);
}

static void read_piece(void *ctx, size_t i)
{
	struct piece *p = (struct piece *)ctx + i;
	struct na_xla_reader *reader = NULL;
	struct na_lines *lines = NULL;

	if (p->err.status == NA_OK &&
	    na_lines_open(&lines, p->input->path, &p->err) == NA_OK &&
	    na_xla_reader_open(&reader, &p->input->log, p->how, &p->err) ==
		    NA_OK) {
		p->opened = true;
		read_log(p, reader, lines);
	}
	na_xla_reader_close(reader);
	if (lines)
		na_lines_close(lines);
}

/* ---- the envelope */

static void put_input(struct na_result *r, struct na_value *list,
		      const struct piece *p)
{
	struct na_value *row, *why;

	row = na_judged_input(r, list, p->input->path, p->input->label,
			      p->opened ? "log" : NULL, NULL, p->bytes);
	na_put_int(r, row, M_reports, (int64_t)p->input->log.reports);
	na_put_text(r, row, M_packing, p->packing);
	why = na_put_list(r, row, M_warnings);
	if (p->err.status != NA_OK)
		na_put_text(r, why, NULL, p->err.text);
}

static void xla_metrics_envelope(struct na_result *r,
				 const struct piece *pieces, size_t n)
{
	struct na_value *list = na_judged_inputs(r, "netan.xla-metrics/1");
	uint64_t used = 0, damaged = 0;

	for (size_t i = 0; i < n; i++) {
		put_input(r, list, &pieces[i]);
		used += pieces[i].input->log.lines;
		damaged += pieces[i].input->log.damaged;
	}
	list = na_judged_coverage(r, used + damaged, 0, used);
	if (damaged)
		na_put_int(r, list, M_damaged, (int64_t)damaged);
}

/* ---- the command */

static enum na_exit nothing(const struct na_cli *cli, const struct piece *p,
			    size_t n)
{
	size_t opened = 0;

	for (size_t i = 0; i < n; i++)
		opened += p[i].opened;
	if (!opened)
		return NA_EXIT_FAILED;
	na_say_error(&cli->request,
		     "%s%s: nothing of PyTorch/XLA: looked for metrics "
		     "reports (\"Metric: NAME\" with a line \"TotalSamples: "
		     "N\" after it, \"Counter: NAME\" with \"Value: N\"), "
		     "\"pt-xla-profiler:\", \"Compilation Analysis:\" and "
		     "\"Execution Analysis:\"",
		     p[0].input->path, n > 1 ? " and the others" : "");
	na_say_hint(&cli->request,
		    "print(torch_xla.debug.metrics.metrics_report()) at the "
		    "beginning and the end of the training, or set "
		    "PT_XLA_DEBUG_LEVEL=2");
	return NA_EXIT_FAILED;
}

static enum na_exit xla_metrics_judge(const struct na_cli *cli,
				      const struct logs *l, bool damaged,
				      struct na_result *r)
{
	const struct params *params = cli->params;
	const struct na_xla_asked asked = {
		.inputs = l->inputs,
		.n_inputs = l->n,
		.steps = params->steps,
		.log_interval = params->log_interval,
		.top = (size_t)params->top,
	};
	struct na_err err = {.status = NA_OK};
	enum na_severity worst;
	enum na_exit exit;

	if (na_xla_judge(&asked, r, &worst, &err) != NA_OK)
		return na_say_failed(cli, &err);
	xla_metrics_envelope(r, l->pieces, l->n);
	exit = na_output(cli, r);
	if (exit != NA_EXIT_OK)
		return exit;
	if (na_interrupted() || (damaged && cli->request.strict))
		return NA_EXIT_FAILED;
	return na_judged_exit(cli, worst);
}

/* Prefixes of lines name hosts and pods. */
static void hide_prefixes(const struct na_cli *cli, const struct logs *l)
{
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < l->n; i++) {
			const struct na_xla_log *log = &l->inputs[i].log;

			for (size_t k = 0; k < log->n_processes; k++) {
				const char *name =
					na_strtab_at(&log->names,
						     log->processes[k].prefix);

				if (!*name)
					continue;
				if (pass == 0)
					na_hide_later(&cli->request, name);
				else
					na_hide(&cli->request, NA_ALIAS_TASK,
						name);
			}
		}
	}
}

/* The files to read, and which input each is of.  An input without any is
 * kept, to say why. */
static bool list_logs(const struct na_cli *cli, struct logs *l)
{
	const struct na_request *q = &cli->request;
	struct na_log_files *f = &l->files;
	size_t cap = 0;

	for (size_t i = 0; i < q->n_inputs; i++) {
		struct na_err why = {.status = NA_OK};
		size_t first = f->n;

		if (na_log_files_find(q->inputs[i].path, &l->arena, f, &why) ==
		    NA_ENOMEM)
			return false;
		if (f->n > first && why.status != NA_OK)
			na_say_warning(q, "%s", why.text);
		if (f->n == first) {
			if (!na_grow(&f->paths, &f->cap, first + 1,
				     sizeof(*f->paths)))
				return false;
			f->paths[f->n++] = q->inputs[i].path;
		}
		if (!na_grow(&l->input_of, &cap, f->n, sizeof(*l->input_of)))
			return false;
		for (size_t k = first; k < f->n; k++)
			l->input_of[k] = i;
	}
	return true;
}

static void begin_log(const struct na_cli *cli, struct logs *l, size_t i)
{
	const struct na_request *q = &cli->request;
	const struct na_request_input *of = &q->inputs[l->input_of[i]];
	const struct params *params = cli->params;
	const char *path = l->files.paths[i];
	struct piece *p = &l->pieces[i];
	struct stat info;

	l->inputs[i].path = path;
	l->inputs[i].label = of->label;
	na_xla_log_init(&l->inputs[i].log);
	p->input = &l->inputs[i];
	p->how = (enum na_xla_durations)params->durations;
	p->found = strcmp(path, of->path) != 0;
	if (p->found)
		na_hide(q, NA_ALIAS_INPUT, path);
	else if (strcmp(path, "-") != 0 && stat(path, &info) == 0 &&
		 S_ISDIR(info.st_mode))
		na_in_err(na_fail(&p->err, NA_EIO,
				  "%s: no log in this directory or below",
				  path));
}

static bool begin(const struct na_cli *cli, struct logs *l)
{
	if (!list_logs(cli, l))
		return false;
	l->inputs = na_calloc(l->files.n + 1, sizeof(*l->inputs));
	l->pieces = na_calloc(l->files.n + 1, sizeof(*l->pieces));
	if (!l->inputs || !l->pieces)
		return false;
	for (; l->n < l->files.n; l->n++)
		begin_log(cli, l, l->n);
	return true;
}

/* Of a directory's files those that are whole and tell nothing are no inputs:
 * two reports beside another log are two reports. */
static void leave_out(struct logs *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct piece *p = &l->pieces[i];

		if (p->found && p->err.status == NA_OK &&
		    !na_xla_tells(&p->input->log)) {
			na_xla_log_fini(&p->input->log);
			continue;
		}
		l->inputs[n] = l->inputs[i];
		l->pieces[n] = *p;
		l->pieces[n].input = &l->inputs[n];
		n++;
	}
	l->n = n;
}

/* Whether any could not be read. */
static bool say_damage(const struct na_cli *cli, const struct logs *l)
{
	bool damaged = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct piece *p = &l->pieces[i];

		if (p->err.status == NA_OK)
			continue;
		damaged = true;
		if (l->n == 1 && !p->opened)
			na_say_error(&cli->request, "%s", p->err.text);
		else
			na_say_warning(&cli->request, "%s", p->err.text);
	}
	return damaged;
}

static enum na_exit read_all(const struct na_cli *cli, struct logs *l,
			     struct na_result *r)
{
	bool tells = false, damaged;

	if (!begin(cli, l) || !na_parallel(na_threads_of(&cli->request), l->n,
					   read_piece, l->pieces)) {
		na_say_nomem(&cli->request);
		return NA_EXIT_FAILED;
	}
	hide_prefixes(cli, l);
	for (size_t i = 0; i < l->n; i++)
		tells = tells || na_xla_tells(&l->inputs[i].log);
	if (tells)
		leave_out(l);
	damaged = say_damage(cli, l);
	if (na_interrupted())
		na_result_note(r, "interrupted: not all was read");
	return tells ? xla_metrics_judge(cli, l, damaged, r)
		     : nothing(cli, l->pieces, l->n);
}

static enum na_exit xla_metrics_run(struct na_cli *cli)
{
	struct logs l = {.n = 0};
	enum na_exit exit;

	na_catch_interrupt();
	exit = read_all(cli, &l, cli->result);
	for (size_t i = 0; i < l.n; i++)
		na_xla_log_fini(&l.inputs[i].log);
	free(l.inputs);
	free(l.pieces);
	free(l.input_of);
	free(l.files.paths);
	na_arena_fini(&l.arena);
	return exit;
}

static const char details[] =
	"Reads metrics reports (met.metrics_report(), short ones too), lines "
	"of the client-side profiler (PT_XLA_DEBUG=1, PT_XLA_DEBUG_LEVEL=1 or "
	"2) and the Python stacks behind compilations and executions out of "
	"logs, whatever their lines begin with, compressed or not; of a "
	"directory, out of the files in it and below that hold such. Several "
	"processes in a log are kept apart by the words at the start of their "
	"lines.\n"
	"Two reports of one run give rates: the first and the last of a log, "
	"or two files with one report each. From one report, averages since "
	"the start. Counters that shrink are another run: the output says so, "
	"and what came before is not used.\n"
	"Three questions come first. Compilations grow if there is at least "
	"one in --log-interval steps after the first 10 steps. Transfers from "
	"the device grow if there is at least one per step beyond one in "
	"--log-interval steps. An operator lacks a lowering if it has an "
	"aten:: counter; aten::_local_scalar_dense is the early evaluation of "
	"a tensor: .item(), torch.equal, a condition.\n"
	"Columns: samples and totals are since the start; per step and per s "
	"between the two reports (per s needs times in front of the lines); "
	"recent per s and percentiles are the report's own, over the last "
	"1024 samples or so. graphs is how many different graphs came from "
	"one stack; a user's frame is the innermost outside PyTorch, and "
	"calls is what it called.\n"
	"Compiling more often than every other step is an error, the other "
	"findings are warnings, or info where logging explains them "
	"(--fail-on).";

static const struct na_command_info xla_metrics_info = {
	.name = "xla-metrics",
	.question = "does PyTorch/XLA recompile or fetch too often",
	.usage = "[OPTION…] LOG|DIR…",
	.details = details,
	.example = "netan xla-metrics train.log\n"
		   "netan xla-metrics start.txt end.txt --steps 500\n"
		   "netan xla-metrics worker-*.log.gz --fail-on warning\n"
		   "netan xla-metrics train.log --format csv --table counters",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_xla_metrics = {
	.info = &xla_metrics_info,
	.joins = NA_JOIN_WORKERS | NA_JOIN_FINDINGS | NA_JOIN_OUTPUT,
	.run = xla_metrics_run,
};

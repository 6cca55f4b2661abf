/* export: all of it to another tool. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/cli/again.h"
#include "netan/cli/commands/host_settings.h"
#include "netan/cli/commands/judge.h"
#include "netan/cli/output.h"
#include "netan/engine/anonymize.h"
#include "netan/exports/export.h"

struct params {
	struct na_text_list outputs;
	bool no_indexes;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_LIST, 'o', "output", FIELD(outputs), "FILE", NULL, 0, 0,
	 "the file to write (required); its ending says what: .sqlite, "
	 ".pftrace or .pftrace.gz (a trace for Perfetto), .prom (metrics for "
	 "Prometheus)",
	 NA_PATH_REREAD},
	{NA_OPT_FLAG, 0, "no-indexes", FIELD(no_indexes), NULL, NULL, 0, 0,
	 ".sqlite: without indexes, which take longer than the rows"},
	NA_OPT_END
};
/* clang-format on */

struct target {
	const struct na_export *format;
	const char *path;
	struct na_outfile file;
	void *state;
	bool open, begun;
};

struct making {
	struct na_cli *cli;
	struct target targets[NA_MAX_BESIDE];
	size_t n;
	struct na_battery battery;
	struct na_arena arena; /* of texts for the findings */
	struct na_checks_asked asked;
	struct na_result *check;
};

static enum na_exit unknown_ending(const struct na_cli *cli, const char *path)
{
	struct na_str known = {.s = NULL};

	for (size_t i = 0; na_exports[i]; i++)
		na_str_join(&known, ", ", ".%s (%s)", na_exports[i]->ending,
			    na_exports[i]->what);
	na_say_error(&cli->request,
		     "-o %s: the ending says what to write; there is %s", path,
		     known.s ? known.s : "");
	free(known.s);
	return NA_EXIT_USAGE;
}

/* These formats are written back and forth. */
static bool is_file(const char *path)
{
	struct stat info;

	return strncmp(path, "/dev/", 5) != 0 &&
	       (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

static enum na_exit check_target(struct making *m, const char *path)
{
	const struct na_export *format = na_export_find(path);
	struct na_err err = {.status = NA_OK};

	if (!format)
		return unknown_ending(m->cli, path);
	if (m->n == NA_MAX_BESIDE)
		na_fail(&err, NA_EUSAGE, "-o: at most %d files at once",
			NA_MAX_BESIDE);
	else if (!is_file(path))
		na_fail(&err, NA_EUSAGE, "-o %s: wanted a file", path);
	else if (na_output_apart(m->cli, path, &err) == NA_OK &&
		 na_outfile_check(path, &err) == NA_OK)
		m->targets[m->n++] = (struct target){format, path,
						     .state = NULL};
	return na_say_failed(m->cli, &err);
}

/* What the command line alone can tell is wrong. */
static enum na_exit check_params(struct making *m)
{
	const struct params *p = m->cli->params;
	enum na_exit exit = NA_EXIT_OK;

	if (!p->outputs.n) {
		na_say_error(&m->cli->request,
			     "where to? Add -o FILE.sqlite, FILE.pftrace or "
			     "FILE.prom");
		return NA_EXIT_USAGE;
	}
	for (size_t i = 0; exit == NA_EXIT_OK && i < p->outputs.n; i++)
		exit = check_target(m, p->outputs.items[i]);
	/* Checks are of one run; what is exported need not be. */
	if (exit == NA_EXIT_OK && !na_several_runs(&m->cli->request))
		exit = na_judge_asked(m->cli, &m->asked);
	return exit;
}

static enum na_status begin(struct making *m, struct na_err *err)
{
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < m->n; i++) {
		struct target *t = &m->targets[i];

		st = na_outfile_open(&t->file, t->path, err);
		t->open = st == NA_OK;
		t->state = calloc(1, t->format->state_size);
		if (st == NA_OK && !t->state)
			st = na_fail_nomem(err);
		if (st != NA_OK)
			break;
		t->begun = true;
		st = t->format->begin(t->state,
				      t->file.temp ? t->file.temp : t->path,
				      &m->cli->request, err);
	}
	return st;
}

static void say_written(const struct making *m, const struct target *t,
			const char *told)
{
	char *shown = na_shown(&m->cli->request, t->path);
	char size[NA_UNIT_BUF];
	struct stat info;

	if (!m->cli->common.quiet && shown && stat(t->path, &info) == 0)
		printf("wrote %s, %s: %s\n", shown,
		       na_print_bytes(size, (double)info.st_size, 3), told);
	free(shown);
}

static enum na_status put(struct target *t, const struct na_export_of *of,
			  FILE *told, struct na_err *err)
{
	struct na_err why = {.status = NA_OK};

	if (t->format->end(t->state, of, told, &why) == NA_OK)
		return NA_OK;
	if (why.status == NA_ENOMEM)
		*err = why;
	else
		na_fail(err, why.status, "cannot write %s: %s", t->path,
			why.text);
	return why.status;
}

/* Of one target, complete or given up. */
static enum na_status finish(struct making *m, struct target *t, bool whole,
			     struct na_err *err)
{
	const struct params *p = m->cli->params;
	const struct na_export_of of = {.battery = &m->battery,
					.check = m->check,
					.indexes = !p->no_indexes};
	char *told = NULL;
	size_t n = 0;
	FILE *line = open_memstream(&told, &n);
	enum na_status st = line ? NA_OK : na_fail_nomem(err);

	if (whole && st == NA_OK)
		st = put(t, &of, line, err);
	if (line)
		fclose(line);
	if (t->begun)
		t->format->close(t->state);
	whole = whole && st == NA_OK && !na_interrupted();
	if (t->open && na_outfile_close(&t->file, t->path, whole, err) != NA_OK)
		st = err->status;
	if (whole && st == NA_OK)
		say_written(m, t, told ? told : "");
	free(told);
	free(t->state);
	t->open = t->begun = false;
	t->state = NULL;
	return st;
}

static const char *rest_of(void *ctx, const char *name)
{
	struct making *m = ctx;

	return na_again(m->cli, name, &m->arena);
}

static enum na_exit judge(struct making *m)
{
	int worst;

	if (na_several_runs(&m->cli->request))
		return m->battery.used ? NA_EXIT_OK : NA_EXIT_FAILED;
	m->check = na_result_new();
	if (!m->check) {
		na_say_nomem(&m->cli->request);
		return NA_EXIT_FAILED;
	}
	return na_judge(m->cli, &m->battery, &m->asked, m->check, &worst);
}

static enum na_exit read_and_judge(struct making *m,
				   const struct na_snapshots *snapshots)
{
	struct na_beside beside[NA_MAX_BESIDE];
	enum na_exit exit;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (m->targets[i].format->records)
			beside[n++] = (struct na_beside){
				m->targets[i].format->records,
				m->targets[i].state};
	}
	exit = na_exit_of(na_battery_run(&m->battery, &m->cli->request, NULL,
					 NULL, beside, n));
	if (na_stopped(m->cli, m->battery.session.interrupted))
		return NA_EXIT_INTERRUPTED;
	if (exit == NA_EXIT_OK)
		exit = na_snapshots_add(snapshots, m->cli, &m->battery);
	if (exit == NA_EXIT_OK)
		exit = judge(m);
	if (exit == NA_EXIT_OK && m->check)
		na_hide_result(&m->cli->request, m->check);
	return exit;
}

static enum na_exit make(struct making *m, const struct na_snapshots *snapshots)
{
	struct na_err err = {.status = NA_OK};
	enum na_exit exit = NA_EXIT_OK;

	if (begin(m, &err) == NA_OK)
		exit = read_and_judge(m, snapshots);
	for (size_t i = 0; i < m->n; i++)
		na_in_err(finish(m, &m->targets[i],
				 exit == NA_EXIT_OK && err.status == NA_OK,
				 &err));
	if (exit == NA_EXIT_OK && na_stopped(m->cli, false))
		return NA_EXIT_INTERRUPTED;
	if (err.status != NA_OK)
		return na_say_failed(m->cli, &err);
	return exit == NA_EXIT_OK
		       ? na_exit_of(na_session_verdict(&m->battery.session))
		       : exit;
}

static enum na_exit export_run(struct na_cli *cli)
{
	struct making m = {.cli = cli};
	struct na_snapshots snapshots = {.n = 0};
	enum na_exit exit;

	m.asked = (struct na_checks_asked){.rest = rest_of, .ctx = &m};
	exit = check_params(&m);
	if (exit == NA_EXIT_OK)
		exit = na_snapshots_find(&snapshots, cli);
	if (exit == NA_EXIT_OK) {
		na_catch_interrupt();
		exit = make(&m, &snapshots);
		na_battery_close(&m.battery);
	}
	na_snapshots_fini(&snapshots);
	na_result_free(m.check);
	na_arena_fini(&m.arena);
	return exit;
}

static const char details[] =
	"x.sqlite is a database with a row for each transfer, and what the "
	"other commands say of collectives, executions, steps, hosts, ranks, "
	"pairs, connections and queue pairs, the findings of netan check, and "
	"what was read and left out. 'netan help --tables' lists tables and "
	"columns, docs/sql.md answers questions with them. Without a file, "
	"netan sql asks the same tables.\n"
	"x.pftrace, packed as x.pftrace.gz, opens in ui.perfetto.dev: a process "
	"for each host or rank, with its steps, collectives, sends, receives "
	"and devices, and counters of what it moves; all hosts on one clock. "
	"Arrows lead from a send to its receive, and along the critical path of "
	"the executions that were late; findings and the verdict stand on the "
	"track netan. docs/perfetto.md says more. --from, --to and --host keep "
	"it small.\n"
	"Numbers are those of the commands, filters hold here as there, and "
	"names are data whatever is in them. The file is written beside its "
	"place and renamed when it is whole. Of several runs (--label) nothing "
	"is checked: there are no findings then.";

static const struct na_face export_face = {
	.name = "export",
	.question = "how do I take it all to another tool",
	.usage = "-o FILE.sqlite|FILE.pftrace|FILE.prom [OPTION…] INPUT…",
	.details = details,
	.example = "netan export logdir -o job.sqlite\n"
		   "sqlite3 job.sqlite 'SELECT * FROM host_pairs'\n"
		   "netan export logdir --from 10s --to 20s -o window.pftrace",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_export = {
	.face = &export_face,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_QUIET |
		 NA_JOIN_PROGRAMS | NA_JOIN_PLACES | NA_JOIN_CHECKS,
	.whole = true,
	.run = export_run,
};

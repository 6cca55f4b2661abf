/* export: all of it to another tool. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/cli/again.h"
#include "netan/cli/commands/export_out.h"
#include "netan/cli/commands/host_settings.h"
#include "netan/cli/commands/run_checks.h"
#include "netan/engine/anonymize.h"

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
	 NA_PATH_REREAD,
	 .brief = "FILE.sqlite, .pftrace (Perfetto) or .prom"},
	{NA_OPT_FLAG, 0, "no-indexes", FIELD(no_indexes), NULL, NULL, 0, 0,
	 ".sqlite: without indexes, which take longer than the rows",
	 .brief = "FILE.sqlite without indexes: sooner written"},
	NA_OPT_END
};
/* clang-format on */

struct making {
	struct na_cli *cli;
	struct na_export_targets targets;
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
	na_say_hint(&cli->request,
		    "tables as CSV: netan COMMAND --format csv, or netan sql "
		    "INPUT 'SELECT ...' --format csv");
	free(known.s);
	return NA_EXIT_USAGE;
}

static enum na_exit check_target(struct making *m, const char *path)
{
	const struct na_export *format = na_export_find(path);

	return format ? na_exports_add(&m->targets, format, path)
		      : unknown_ending(m->cli, path);
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
		exit = na_checks_options(m->cli, &m->asked);
	return exit;
}

static const char *rest_of(void *ctx, const char *name, enum na_inputs_of of)
{
	struct making *m = ctx;

	return na_again_of(m->cli, &m->battery.session, of, name, &m->arena);
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
	return na_run_checks(m->cli, &m->battery, &m->asked, m->check, &worst);
}

static bool is_read(void *ctx, const char *exhibit)
{
	const struct making *m = ctx;

	return na_exports_read(&m->targets, exhibit);
}

static enum na_exit read_and_judge(struct making *m,
				   const struct na_snapshots *snapshots)
{
	struct na_extra_analysis beside[NA_MAX_EXTRA];
	size_t n = na_exports_beside(&m->targets, beside);
	enum na_exit exit;

	for (size_t i = 0; i < m->targets.n; i++) {
		const struct na_export *format = m->targets.v[i].format;

		m->cli->request.step_hosts |= format->step_hosts;
		m->cli->request.executions |= format->executions;
	}
	exit = na_exit_of(na_battery_run(&m->battery, &m->cli->request,
					 is_read, m, beside, n));
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
	const struct params *p = m->cli->params;
	struct na_export_of of = {.battery = &m->battery,
				  .indexes = !p->no_indexes};
	struct na_err err = {.status = NA_OK};
	enum na_exit exit = NA_EXIT_OK;

	if (na_exports_begin(&m->targets, &err) == NA_OK)
		exit = read_and_judge(m, snapshots);
	of.check = m->check;
	na_in_err(na_exports_end(&m->targets, exit == NA_EXIT_OK ? &of : NULL,
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
	struct making m = {.cli = cli, .targets = {.cli = cli}};
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
	"Numbers are those of the commands, filters hold here as there (with "
	"--side tx the table transfers is empty, with --side rx sends), and "
	"names are data whatever is in them. The file is written beside its "
	"place and renamed when it is whole. Of several runs (--label) nothing "
	"is checked: there are no findings then.";

static const struct na_command_info export_info = {
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
	.info = &export_info,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_QUIET |
		 NA_JOIN_PROGRAMS | NA_JOIN_PLACES | NA_JOIN_CHECKS,
	.whole = true,
	.run = export_run,
};

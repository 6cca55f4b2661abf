/* sql: ask anything of the tables of `netan export -o x.sqlite`. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "members.h"

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/cli/again.h"
#include "netan/cli/commands/host_settings.h"
#include "netan/cli/commands/run_checks.h"
#include "netan/engine/anonymize.h"
#include "netan/exports/export.h"
#include "netan/exports/sqlite/clocks.h"
#include "netan/exports/sqlite/query.h"
#include "netan/exports/sqlite/records.h"
#include "netan/exports/sqlite/results.h"

struct asking {
	struct na_cli *cli;
	const char *query;
	struct na_sql_db db;
	struct na_battery battery;
	struct na_arena arena; /* of texts for the findings */
	struct na_checks_asked asked;
	struct na_result *check;
	bool read; /* the inputs were */
};

/* What the checks say needs all that they look at. */
#define JUDGED (NA_SQL_BIT(findings) | NA_SQL_BIT(coverage))
#define RECORDS \
	(NA_SQL_BIT(transfers) | NA_SQL_BIT(sends) | NA_SQL_BIT(instants) | \
	 NA_SQL_BIT(executions) | NA_SQL_BIT(operations))

/* Only what the query reads is computed. */
static bool wanted(void *ctx, const char *exhibit)
{
	const struct asking *a = ctx;

	if (a->db.wanted & JUDGED)
		return true;
	for (size_t i = 0; i < NA_SQL_N_TABLES; i++) {
		const char *from = na_sql_tables[i].exhibit;

		if (na_sql_wants(&a->db, (enum na_sql_table_id)i) && from &&
		    strcmp(from, exhibit) == 0)
			return true;
	}
	return false;
}

static const char *rest_of(void *ctx, const char *name, enum na_inputs_of of)
{
	struct asking *a = ctx;

	return na_again_of(a->cli, &a->battery.session, of, name, &a->arena);
}

static enum na_exit judge(struct asking *a)
{
	int worst;
	enum na_exit exit;

	if (!(a->db.wanted & JUDGED) || na_several_runs(&a->cli->request) ||
	    !a->battery.used)
		return NA_EXIT_OK;
	a->check = na_result_new();
	if (!a->check) {
		na_say_nomem(&a->cli->request);
		return NA_EXIT_FAILED;
	}
	exit = na_run_checks(a->cli, &a->battery, &a->asked, a->check, &worst);
	if (exit == NA_EXIT_OK)
		na_hide_result(&a->cli->request, a->check);
	return exit;
}

static enum na_exit read_inputs(struct asking *a,
				const struct na_snapshots *snapshots)
{
	const struct na_sql_records_params params = {.db = &a->db};
	const struct na_extra_analysis beside = {&na_sql_records, &params};
	struct na_err err = {.status = NA_OK};
	enum na_exit exit;
	bool records;

	a->cli->request.step_hosts = a->db.wanted & NA_SQL_BIT(step_hosts);
	a->cli->request.executions = a->db.wanted & NA_SQL_BIT(executions);
	records = a->db.wanted & RECORDS || na_sql_wants_clocks(&a->db);
	exit = na_exit_of(na_battery_run(&a->battery, &a->cli->request, wanted,
					 a, &beside,
					 records));
	a->read = true;
	if (na_stopped(a->cli, a->battery.session.interrupted))
		return NA_EXIT_INTERRUPTED;
	if (exit == NA_EXIT_OK &&
	    na_session_say_empty(&a->battery.session, "nothing to ask"))
		return NA_EXIT_FAILED;
	if (exit == NA_EXIT_OK)
		exit = na_snapshots_add(snapshots, a->cli, &a->battery);
	if (exit == NA_EXIT_OK)
		exit = judge(a);
	if (exit != NA_EXIT_OK)
		return exit;
	na_sql_put_results(&a->db, &a->battery, a->check);
	na_in_err(na_sql_commit(&a->db, 0, &err));
	return na_say_failed(a->cli, &err);
}

static enum na_exit say_refused(const struct asking *a,
				const struct na_err *err)
{
	enum na_exit exit = na_say_failed(a->cli, err);
	struct stat sb;

	if (stat(a->query, &sb) == 0)
		na_say_hint(&a->cli->request, "the query comes last, behind "
					      "the inputs");
	else if (exit == NA_EXIT_USAGE)
		na_say_hint(&a->cli->request,
			    "netan help --tables lists tables and columns; "
			    "the query is one SELECT, as one argument behind "
			    "the inputs");
	return exit;
}

/* In the place of the inputs that it was made of. */
static void name_database(const struct asking *a, struct na_result *r)
{
	struct na_value *list = na_result_doc(r)->u.of.first, *row;

	while (list && strcmp(list->name, M_inputs) != 0)
		list = list->next;
	row = na_put_object(r, list, NULL);
	na_put_text(r, row, M_path, a->cli->request.inputs[0].path);
	na_put_null(r, row, M_label);
	na_put_text(r, row, M_format, na_export_sqlite.ending);
	na_put_null(r, row, M_host);
	na_put_null(r, row, M_bytes);
	na_put_int(r, row, M_transfers, 0);
	na_put_list(r, row, M_warnings);
}

/* The one table of two that --side leaves anything in is not asked. */
static bool asks_other_side(const struct asking *a)
{
	const char *side = a->cli->request.side;
	enum na_sql_table_id empty =
		side && strcmp(side, "tx") == 0 ? NA_SQL_transfers
						: NA_SQL_sends;

	return a->read && side && na_sql_wants(&a->db, empty) &&
	       !na_sql_wants(&a->db, empty == NA_SQL_sends ? NA_SQL_transfers
							   : NA_SQL_sends);
}

/* What was used and left out, as check says it. */
static void put_envelope(struct asking *a, struct na_result *r)
{
	static const struct na_driven nothing;
	struct na_battery *b = &a->battery;
	const struct na_driven *told =
		a->read ? &b->driven[na_battery_told_by(b)] : &nothing;
	struct na_driven other = {
		.side = told->side == NA_TX ? NA_RX : NA_TX};

	if (asks_other_side(a)) {
		told = &other;
		na_result_note(r, other.side == NA_RX
					  ? "transfers holds what receivers "
					    "saw, of which --side tx leaves "
					    "nothing: ask sends"
					  : "sends holds what senders saw, of "
					    "which --side rx leaves nothing: "
					    "ask transfers");
	}
	na_envelope(&b->session, r, a->cli->command->info->name, told->used,
		    na_s((double)b->last_ps - (double)b->first_ps), told->side,
		    told->dropped);
}

static enum na_exit answer(struct asking *a)
{
	struct na_result *r = a->cli->result;
	struct na_err err = {.status = NA_OK};
	enum na_status st = na_sql_answer(&a->db, a->query, r, &err);
	struct na_session *s = &a->battery.session;
	char n[NA_COUNT_BUF], files[NA_COUNT_BUF];
	enum na_exit exit;

	if (st == NA_END || na_interrupted()) {
		na_say_error(&a->cli->request,
			     "interrupted: nothing is written");
		return NA_EXIT_INTERRUPTED;
	}
	if (st != NA_OK)
		return say_refused(a, &err);
	na_result_headline(r, "sql: %s, %s",
			   na_count_of(files, a->read ? s->n_inputs : 1,
				       a->read ? "file" : "database"),
			   na_count_of(n, na_length(na_result_body(r), M_rows),
				       "row"));
	put_envelope(a, r);
	if (!a->read)
		name_database(a, r);
	exit = a->read ? na_exit_of(na_session_verdict(s)) : NA_EXIT_OK;
	if (na_output(a->cli, r) != NA_EXIT_OK)
		return NA_EXIT_FAILED;
	return exit;
}

/* A database tells its own part, and is asked as it is. */
static bool is_filtered(const struct na_request *q)
{
	return q->from || q->to || q->step || q->host.n || q->src.n ||
	       q->dst.n || q->collective.n || q->side || q->component >= 0 ||
	       q->line.n || q->min_size || q->max_size >= 0 || q->min_latency ||
	       q->max_rate > 0 || q->include_loopback || q->pseudonyms;
}

/* Tables to ask: those of a database that is the only input, or empty ones of
 * our own. */
static enum na_status open_tables(struct asking *a, bool *there,
				  struct na_err *err)
{
	const struct na_request *q = &a->cli->request;
	const char *path = q->n_inputs == 1 ? q->inputs[0].path : NULL;
	bool piped = path && strcmp(path, "-") == 0;
	enum na_status st = NA_END;
	struct stat sb;

	*there = false;
	/* SQLite would take the first bytes of a pipe that has a name. */
	if (piped ||
	    (path && stat(path, &sb) == 0 && S_ISREG(sb.st_mode))) {
		st = na_sql_reopen(&a->db, path, q, err);
		if (st != NA_OK)
			na_sql_close(&a->db);
	}
	if (st == NA_END)
		return na_sql_open(&a->db, NULL, q, err);
	*there = st == NA_OK;
	if (st == NA_OK && is_filtered(q))
		return na_fail(err, NA_EUSAGE,
			       "%s is a database: filters and --anonymize are "
			       "for netan export, which wrote it",
			       piped ? "standard input" : path);
	return st;
}

static enum na_exit ask(struct asking *a, const struct na_snapshots *snapshots)
{
	struct na_err err = {.status = NA_OK};
	enum na_exit exit = NA_EXIT_OK;
	bool there;

	if (open_tables(a, &there, &err) != NA_OK)
		return na_say_failed(a->cli, &err);
	if (na_sql_ask(&a->db, a->query, &err) != NA_OK)
		return say_refused(a, &err);
	na_catch_interrupt();
	if (!there)
		exit = read_inputs(a, snapshots);
	return exit == NA_EXIT_OK ? answer(a) : exit;
}

static enum na_exit sql_run(struct na_cli *cli)
{
	struct asking a = {.cli = cli, .query = cli->common.query};
	struct na_snapshots snapshots = {.n = 0};
	enum na_exit exit = NA_EXIT_OK;

	a.asked = (struct na_checks_asked){.rest = rest_of, .ctx = &a};
	a.battery.session.request = &cli->request;
	if (!na_several_runs(&cli->request))
		exit = na_checks_options(cli, &a.asked);
	if (exit == NA_EXIT_OK)
		exit = na_snapshots_find(&snapshots, cli);
	if (exit == NA_EXIT_OK)
		exit = ask(&a, &snapshots);
	na_sql_close(&a.db);
	if (a.read)
		na_battery_close(&a.battery);
	na_snapshots_fini(&snapshots);
	na_result_free(a.check);
	na_arena_fini(&a.arena);
	return exit;
}

static const char details[] =
	"Reads the inputs into tables of SQLite and prints what one SELECT "
	"gives, as a table, JSON, CSV, TSV or Markdown. 'netan help --tables' "
	"lists tables, columns and views; docs/sql.md answers questions with "
	"them. Only what the query reads is computed. median(x), percentile(x, "
	"p), percentile_cont(x, p) and percentile_disc(x, p) are there beside "
	"the functions of SQLite.\n"
	"The query may read these tables and do nothing else: it cannot write, "
	"attach files or load extensions. Ctrl-C ends it. The tables lie in "
	"a temporary file, of which a part is kept in memory.\n"
	"INPUT may also be a database that netan export wrote, which need not "
	"be read again for each question; also through standard input, not "
	"packed. A pipe is copied into a temporary file: a path asks it at "
	"once.";

static const struct na_command_info sql_info = {
	.name = "sql",
	.question = "anything else: one SELECT over transfers, steps, "
		    "findings",
	.usage = "[OPTION…] INPUT… 'SELECT …'",
	.details = details,
	.example =
		"netan sql logdir 'SELECT src_host, sum(bytes) FROM transfers "
		"GROUP BY 1'\n"
		"netan sql logdir 'SELECT * FROM steps' -o steps.csv\n"
		"netan sql a.sqlite 'SELECT percentile(latency_us, 99) FROM "
		"transfers'",
	.params_size = 1,
};

const struct na_command na_cmd_sql = {
	.info = &sql_info,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_OUTPUT |
		 NA_JOIN_PROGRAMS | NA_JOIN_PLACES | NA_JOIN_CHECKS,
	.asks = true,
	.whole = true,
	.run = sql_run,
};

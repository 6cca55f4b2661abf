/* report: all of it in one page for a bug report. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "members.h"
#include "netan/base/memory/oom.h"
#include "netan/cli/again.h"
#include "netan/cli/commands/export_out.h"
#include "netan/cli/commands/host_settings.h"
#include "netan/cli/commands/report_folder.h"
#include "netan/cli/commands/report_parts.h"
#include "netan/cli/commands/run_checks.h"
#include "netan/cli/output/output.h"
#include "netan/cli/output/place.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/hashing.h"
#include "netan/result/emit.h"

struct params {
	struct na_text_list outputs;
	const char *title;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_LIST, 'o', "output", FIELD(outputs), "FILE|DIR", NULL, 0, 0,
	 "the page to write, FILE.html, or a directory for report.md and its "
	 "pictures; - is the page on standard output (required). Beside it, "
	 "FILE.pftrace or FILE.pftrace.gz: a trace for Perfetto, as of netan "
	 "export, to which the page links", NA_PATH_MAKE,
	 .brief = "the page, FILE.html, or a directory for report.md"},
	{NA_OPT_TEXT, 0, "title", FIELD(title), "TEXT", NULL, 0, 0,
	 "title of the page (default: the inputs)"},
	NA_OPT_END
};
/* clang-format on */

struct making {
	struct na_cli *cli;
	struct na_battery b;
	struct na_hashing hashing;
	struct na_result *check;
	struct na_arena arena; /* of texts for the findings */
	struct na_report_parts parts;
	struct na_checks_asked asked;
	struct na_export_targets exports; /* beside the page */
	int worst;
	bool said; /* the verdict, beside the first that was written */
};

static bool ends_in(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n > m && strcasecmp(path + n - m, ending) == 0;
}

/* Else a directory, for Markdown. */
static bool is_page(const char *path)
{
	struct stat info;

	if (ends_in(path, ".html") || na_is_stdout(path))
		return true;
	return stat(path, &info) == 0 && !S_ISREG(info.st_mode) &&
	       !S_ISDIR(info.st_mode);
}

/* NULL: it is no such file. */
static const struct na_export *export_of(const char *path)
{
	const struct na_export *e = na_export_find(path);

	return e && e->with_page ? e : NULL;
}

/* One process has all the records. */
static enum na_exit check_export(struct making *m, const char *path)
{
	if (!m->cli->request.world)
		return na_exports_add(&m->exports, export_of(path), path);
	na_say_error(&m->cli->request,
		     "-o %s: not of many processes; netan export writes it",
		     path);
	return NA_EXIT_USAGE;
}

static enum na_exit check_output(struct making *m, const char *path)
{
	const struct na_cli *cli = m->cli;
	struct na_err err = {.status = NA_OK};

	if (export_of(path))
		return check_export(m, path);
	if (na_output_apart(cli, path, &err) != NA_OK) {
		;
	} else if (is_page(path)) {
		if (na_is_stdout(path) ||
		    na_outfile_check(path, &err) == NA_OK)
			return NA_EXIT_OK;
	} else if (na_folder_named(path)) {
		if (na_folder_check(path, &cli->common.outputs, &err) ==
		    NA_OK)
			return NA_EXIT_OK;
	} else if (na_export_find(path)) {
		na_fail(&err, NA_EUSAGE,
			"-o %s: netan export -o %s writes such files; a "
			"report is a page or a directory",
			path, path);
	} else {
		na_fail(&err, NA_EUSAGE,
			"-o %s: a report is a page or a directory; wanted "
			"FILE.html, or DIR/ for report.md and pictures",
			path);
	}
	return na_say_failed(cli, &err);
}

static enum na_exit check_outputs(struct making *m)
{
	const struct na_cli *cli = m->cli;
	const struct na_text_list *l = &cli->common.outputs;
	const struct na_world *w = cli->request.world;
	enum na_exit exit = NA_EXIT_OK;

	/* A page may be asked for when its parts are merged. */
	if (w && w->files && !na_world_writes(w))
		return NA_EXIT_OK;
	if (!l->n) {
		na_say_error(&cli->request,
			     "where to? A report is a file: add -o "
			     "report.html, or -o DIR/ for Markdown");
		return NA_EXIT_USAGE;
	}
	/* The other ranks write nothing, and need not see the place. */
	if (!na_world_speaks(cli->request.world))
		return NA_EXIT_OK;
	for (size_t i = 0; exit == NA_EXIT_OK && i < l->n; i++)
		exit = check_output(m, l->items[i]);
	if (exit == NA_EXIT_OK && m->exports.n == l->n) {
		na_say_error(&cli->request,
			     "where is the page to be? Add -o report.html; "
			     "netan export writes the trace alone");
		return NA_EXIT_USAGE;
	}
	return exit;
}

/* What the command line alone can tell is wrong. */
static enum na_exit check_params(struct making *m)
{
	enum na_exit exit = na_checks_options(m->cli, &m->asked);

	m->cli->request.one_run = true;
	return exit == NA_EXIT_OK ? check_outputs(m) : exit;
}

static const char *rest_of(void *ctx, const char *name, enum na_inputs_of of)
{
	struct making *m = ctx;

	return na_again_of(m->cli, &m->b.session, of, name, &m->arena);
}

/* Beside the other facts of each input. */
static void put_hashes(struct making *m)
{
	const struct na_session *s = &m->b.session;
	struct na_value *doc = na_result_doc(m->check);
	struct na_value *row;
	char hex[NA_SHA256_HEX];

	na_hashing_end(&m->hashing, s->threads);
	row = na_get(doc, M_inputs) ? na_get(doc, M_inputs)->u.of.first : NULL;
	for (size_t i = 0; i < s->n_inputs && row; i++, row = row->next) {
		na_hash_of(&m->hashing, &s->inputs[i], hex);
		na_put_text(m->check, row, M_sha256, *hex ? hex : NULL);
	}
}

/* A reader that leaves early has seen enough. */
static enum na_status to_stdout(const struct na_report *report,
				struct na_err *err)
{
	enum na_status st;

	errno = 0;
	st = na_report_html(report, stdout, err);
	if (st != NA_EIO || errno != EPIPE)
		return st;
	clearerr(stdout);
	return NA_OK;
}

static enum na_status to_file(const char *path, const struct na_report *report,
			      struct na_err *err)
{
	struct na_err late = {.status = NA_OK};
	struct na_outfile f;
	enum na_status st = na_outfile_open(&f, path, err);
	bool left;

	if (st != NA_OK)
		return st;
	errno = 0;
	st = na_report_html(report, f.stream, err);
	left = !f.temp && st == NA_EIO && errno == EPIPE;
	if (na_outfile_close(&f, path, st == NA_OK, &late) != NA_OK &&
	    st == NA_OK)
		*err = late;
	return left ? NA_OK : err->status;
}

/* As of pictures: who looks at the page later sees the verdict now. */
static void say_made(const struct making *m, const char *path)
{
	const char *verdict = na_result_get_headline(m->check);

	if (m->cli->common.quiet || na_is_stdout(path))
		return;
	if (verdict && !m->said)
		na_say_hint(&m->cli->request, "%s", verdict);
	na_say_hint(&m->cli->request, "wrote %s", path);
}

static enum na_exit write_page(struct making *m, const char *path,
			       const struct na_report *report)
{
	struct na_err err = {.status = NA_OK};
	enum na_status st;

	if (na_is_stdout(path))
		st = to_stdout(report, &err);
	else if (is_page(path))
		st = to_file(path, report, &err);
	else
		st = na_folder_write(path, report, m->b.session.threads, &err);
	if (st == NA_OK) {
		say_made(m, path);
		return NA_EXIT_OK;
	}
	na_say_error(&m->cli->request, "cannot write %s: %s",
		     na_is_stdout(path) ? "standard output" : path,
		     err.text);
	return NA_EXIT_FAILED;
}

/* The name that was typed says nothing of the page. */
static const char *page_command(struct making *m, const char *path)
{
	const char *program = na_program_of(m->cli);
	const char *name = is_page(path) ? "report.html" : "report/";
	char *line = na_command_line(m->cli), *text = NULL;
	size_t size = line ? strlen(line) + sizeof(" -o report.html") : 0;

	if (size)
		text = na_arena_alloc(&m->arena, size);
	if (text)
		snprintf(text, size, "%s report -o %s%s", program, name,
			 line + strlen(program) + strlen(" report"));
	free(line);
	return text;
}

/* "run/ and 3 more" */
static const char *inputs_text(struct making *m)
{
	char *first = na_shown(&m->cli->request,
			       m->cli->request.inputs[0].path),
	     *text = NULL;
	size_t n = m->cli->request.n_inputs,
	       size = first ? strlen(first) + 40 : 0;

	if (size)
		text = na_arena_alloc(&m->arena, size);
	if (text && n < 2)
		snprintf(text, size, "%s", first);
	else if (text)
		snprintf(text, size, "%s and %zu more", first, n - 1);
	free(first);
	return text;
}

/* The name of a trace in the folder of the page; NULL.  Names that are typed
 * are left out where names are. */
static const char *trace_beside(const struct making *m, const char *page)
{
	const char *slash = strrchr(page, '/');
	size_t n = slash ? (size_t)(slash - page) + 1 : 0;

	for (size_t i = 0; !m->cli->request.pseudonyms && i < m->exports.n;
	     i++) {
		const char *path = m->exports.v[i].path;

		if (strncmp(path, page, n) == 0 && !strchr(path + n, '/'))
			return path + n;
	}
	return NULL;
}

static enum na_exit write_all(struct making *m)
{
	const struct params *p = m->cli->params;
	const struct na_text_list *l = &m->cli->common.outputs;
	char *title = p->title ? na_shown(&m->cli->request, p->title) : NULL;
	struct na_report report = {
		.title = title,
		.inputs = inputs_text(m),
		.check = m->check,
		.version = NETAN_VERSION,
		.figure_css = m->parts.theme,
		.parts = m->parts.of,
		.n_parts = m->parts.n,
	};
	enum na_exit worst = NA_EXIT_OK;

	if (!na_world_writes(m->cli->request.world)) {
		free(title);
		return worst;
	}
	for (size_t i = 0; i < l->n && !na_oom(); i++) {
		enum na_exit exit = NA_EXIT_FAILED;

		if (export_of(l->items[i]))
			continue;
		report.trace = trace_beside(m, l->items[i]);
		report.command = page_command(m, l->items[i]);
		if (report.command && report.inputs)
			exit = write_page(m, l->items[i], &report);
		else
			na_say_nomem(&m->cli->request);
		m->said |= exit == NA_EXIT_OK;
		worst = exit > worst ? exit : worst;
	}
	free(title);
	return worst;
}

static enum na_exit make(struct making *m)
{
	const struct na_export_of of = {.battery = &m->b, .check = m->check};
	struct na_err err = {.status = NA_OK};
	enum na_exit exit, verdict;

	exit = na_run_checks(m->cli, &m->b, &m->asked, m->check, &m->worst);
	if (exit != NA_EXIT_OK)
		return exit;
	if (na_report_parts_of(m->cli, &m->b, &m->parts, &err) == NA_OK &&
	    na_report_draw(&m->b, &m->parts, &err) == NA_OK)
		put_hashes(m);
	if (na_stopped(m->cli, false))
		return NA_EXIT_INTERRUPTED;
	na_hide_result(&m->cli->request, m->check);
	if (err.status == NA_OK && !na_result_ok(m->check))
		na_fail_nomem(&err);
	if (err.status != NA_OK)
		return na_say_failed(m->cli, &err);
	if (na_exports_end(&m->exports, &of, &err) != NA_OK)
		return na_say_failed(m->cli, &err);
	if (na_stopped(m->cli, false))
		return NA_EXIT_INTERRUPTED;
	exit = na_exit_of(na_session_verdict(&m->b.session));
	verdict = write_all(m);
	exit = verdict == NA_EXIT_OK ? exit : verdict;
	return exit == NA_EXIT_OK ? na_checks_exit(m->cli, m->worst) : exit;
}

static enum na_exit read_and_make(struct making *m,
				  const struct na_snapshots *snapshots)
{
	struct na_extra_analysis beside[NA_MAX_EXTRA];
	struct na_err err = {.status = NA_OK};
	enum na_exit exit = NA_EXIT_FAILED;

	m->cli->request.hashes = true;
	if (na_exports_begin(&m->exports, &err) != NA_OK) {
		exit = na_say_failed(m->cli, &err);
	} else if (!na_hashing_start(&m->hashing, &m->cli->request)) {
		na_say_nomem(&m->cli->request);
	} else {
		exit = na_exit_of(
			na_battery_run(&m->b, &m->cli->request, NULL, NULL,
				       beside,
				       na_exports_beside(&m->exports, beside)));
		if (na_stopped(m->cli, m->b.session.interrupted))
			exit = NA_EXIT_INTERRUPTED;
		if (exit == NA_EXIT_OK)
			exit = na_snapshots_add(snapshots, m->cli, &m->b);
		if (exit == NA_EXIT_OK)
			exit = make(m);
		na_report_parts_free(&m->parts);
		na_battery_close(&m->b);
	}
	/* What is not whole by now never will be. */
	na_in_err(na_exports_end(&m->exports, NULL, &err));
	na_hashing_close(&m->hashing);
	na_arena_fini(&m->arena);
	return exit;
}

static enum na_exit report_run(struct na_cli *cli)
{
	const struct params *p = cli->params;
	struct making m = {
		.cli = cli,
		.check = na_result_new(),
		.exports = {.cli = cli},
		.asked = {.rest = rest_of, .ctx = &m},
	};
	struct na_snapshots snapshots = {.n = 0};
	enum na_exit exit;

	/* Where the rest of the program looks for them. */
	cli->common.outputs = p->outputs;
	exit = m.check ? check_params(&m) : NA_EXIT_FAILED;
	if (exit == NA_EXIT_OK)
		exit = na_snapshots_find(&snapshots, cli);
	na_catch_interrupt();
	if (exit == NA_EXIT_OK)
		exit = read_and_make(&m, &snapshots);
	na_snapshots_fini(&snapshots);
	na_result_free(m.check);
	return exit;
}

static const char details[] =
	"Writes one page that needs nothing else: no network, and no script "
	"to be read. It holds the verdict of netan check and its findings, "
	"what was read (names, sizes and SHA-256 of the inputs), used and "
	"left out, and for each analysis that has something to say its "
	"headline, figure, tables and notes, with the command that makes "
	"figure and data again.\n"
	"The colours follow the reader's light or dark scheme. A small script "
	"sorts tables (click a column's name), shows the values under the "
	"pointer of a figure over time, and a window of it in detail (drag; "
	"or focus it and use the arrow keys, + and -).\n"
	"A page stays below 5 MiB for any input: long tables are cut after the "
	"first rows, and a figure that would be too large is left out; the "
	"page says so. The same inputs give the same bytes.\n"
	"With the name of a directory instead (new, empty, or that of an "
	"earlier report) it writes report.md, for an issue tracker, and a PNG "
	"for each figure: verdict, findings, coverage, and of each analysis "
	"headline, picture, the first 20 rows of tables, notes and command.";

static const struct na_command_info report_info = {
	.name = "report",
	.question = "all of it in one page for a bug report",
	.usage = "-o FILE.html|DIR [OPTION…] INPUT…",
	.details = details,
	.example = "netan report logdir -o report.html\n"
		   "netan report logdir --capacity 100Gbps -o report.html\n"
		   "netan report --anonymize logdir -o issue-42/",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_report = {
	.info = &report_info,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_QUIET |
		 NA_JOIN_FINDINGS | NA_JOIN_PROGRAMS | NA_JOIN_PLACES |
		 NA_JOIN_CHECKS | NA_JOIN_MANY,
	.whole = true,
	.run = report_run,
};

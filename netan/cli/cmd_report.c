/* report: all of it in one page for a bug report. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "netan/analyses/capacity.h"
#include "netan/cli/battery.h"
#include "netan/cli/command_line.h"
#include "netan/cli/hashing.h"
#include "netan/cli/output.h"
#include "netan/cli/report_parts.h"

struct params {
	struct na_text_list outputs;
	const char *title, *capacity, *topology;
	struct na_limits limits;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_LIST, 'o', "output", FIELD(outputs), "FILE", NULL, 0, 0,
	 "the page to write, FILE.html (required)"},
	{NA_OPT_TEXT, 0, "title", FIELD(title), "TEXT", NULL, 0, 0,
	 "title of the page (default: the inputs)"},
	{NA_OPT_TEXT, 'c', "capacity", FIELD(capacity), "RATE", NULL, 0, 0,
	 "network capacity of one host, all its NICs: 100Gbps, "
	 "4x200Gbps/2 or v6e"},
	{NA_OPT_TEXT, 0, "topology", FIELD(topology), "FILE", NULL, 0, 0,
	 "which healthy paths are alike: CSV host,rack[,block] or "
	 "src_host,dst_host,class"},
#define NA_LIMIT(name, option, def, min, max, arg, help) \
	{NA_OPT_REAL, 0, option, FIELD(limits.name), arg, def, min, max, help},
#include "netan/checks/limits.def"
#undef NA_LIMIT
	NA_OPT_END
};
/* clang-format on */

struct making {
	struct na_cli *cli;
	struct na_battery b;
	struct na_hashing hashing;
	struct na_result *check;
	struct na_report_parts parts;
	double capacity_gbps;
	int worst;
};

static bool ends_in(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n > m && strcasecmp(path + n - m, ending) == 0;
}

static enum na_exit check_outputs(const struct na_cli *cli)
{
	const struct na_text_list *l = &cli->common.outputs;
	struct na_err err = {.status = NA_OK};

	if (!l->n) {
		na_say_error(cli, "where to? A report is a file: add -o "
				  "report.html");
		return NA_EXIT_USAGE;
	}
	for (size_t i = 0; i < l->n; i++) {
		if (!ends_in(l->items[i], ".html")) {
			na_say_error(cli,
				     "-o %s: a report is a page; wanted a name "
				     "that ends in .html",
				     l->items[i]);
			return NA_EXIT_USAGE;
		}
		if (na_outfile_check(l->items[i], &err) != NA_OK) {
			na_say_error(cli, "%s", err.text);
			return NA_EXIT_FAILED;
		}
	}
	return NA_EXIT_OK;
}

/* Two runs side by side would be two reports. */
static enum na_exit refuse_runs(const struct na_cli *cli)
{
	na_say_error(cli, "a report is of one run");
	na_say_hint(cli, "netan diff compares two; or make a report of each");
	return NA_EXIT_USAGE;
}

static bool several_labels(const struct na_cli *cli)
{
	for (size_t i = 1; i < cli->n_inputs; i++) {
		const char *a = cli->inputs[0].label, *b = cli->inputs[i].label;

		if (a != b && (!a || !b || strcmp(a, b) != 0))
			return true;
	}
	return false;
}

/* What the command line alone can tell is wrong. */
static enum na_exit check_params(struct making *m)
{
	const struct params *p = m->cli->params;
	struct na_err err = {.status = NA_OK};

	if (p->capacity &&
	    na_capacity_parse(p->capacity, &m->capacity_gbps, &err) != NA_OK) {
		na_say_error(m->cli, "%s", err.text);
		return NA_EXIT_USAGE;
	}
	if (several_labels(m->cli))
		return refuse_runs(m->cli);
	return check_outputs(m->cli);
}

static enum na_status judge(struct making *m, struct na_err *err)
{
	static const uint64_t none[NA_N_REASONS];
	struct params *p = m->cli->params;
	char *inputs = na_command_inputs(m->cli);
	const struct na_checks_asked asked = {
		.exhibits = m->b.exhibits,
		.n_exhibits = m->b.n,
		.limits = &p->limits,
		.capacity_gbps = m->capacity_gbps,
		.inputs = inputs,
	};
	enum na_status st = inputs ? na_checks_run(&asked, m->check, &m->worst,
						   err)
				   : na_fail_nomem(err);

	free(inputs);
	if (st == NA_OK)
		na_envelope(&m->b.session, m->check, "report", m->b.used,
			    ((double)m->b.last_ps - (double)m->b.first_ps) /
				    1e12,
			    -1, none);
	return st;
}

/* Beside the other facts of each input. */
static void put_hashes(struct making *m)
{
	const struct na_session *s = &m->b.session;
	struct na_value *doc = na_result_doc(m->check);
	struct na_value *row;
	char hex[NA_SHA256_HEX];

	na_hashing_end(&m->hashing, s->threads);
	row = na_get(doc, "inputs") ? na_get(doc, "inputs")->u.of.first : NULL;
	for (size_t i = 0; i < s->n_inputs && row; i++, row = row->next) {
		na_hash_of(&m->hashing, &s->inputs[i], hex);
		na_put_text(m->check, row, "sha256", *hex ? hex : NULL);
	}
}

static enum na_exit write_page(const struct making *m, const char *path,
			       const struct na_report *report)
{
	struct na_err err = {0}, late = {0};
	struct na_outfile f;
	enum na_status st = na_outfile_open(&f, path, &err);

	if (st == NA_OK) {
		st = na_report_html(report, f.stream, &err);
		if (na_outfile_close(&f, path, st == NA_OK, &late) != NA_OK &&
		    st == NA_OK) {
			st = late.status;
			err = late;
		}
	}
	if (st == NA_OK)
		return NA_EXIT_OK;
	na_say_error(m->cli, "cannot write %s: %s", path, err.text);
	return NA_EXIT_FAILED;
}

/* "-o report.html", as a shell wants it. */
static char *output_words(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("-o ", out);
	na_put_word(out, path);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static enum na_exit write_all(struct making *m)
{
	const struct params *p = m->cli->params;
	const struct na_text_list *l = &m->cli->common.outputs;
	enum na_exit worst = NA_EXIT_OK;

	for (size_t i = 0; i < l->n; i++) {
		char *extra = output_words(l->items[i]);
		char *command = extra ? na_command_like(m->cli, m->cli->command,
							extra)
				      : NULL;
		const struct na_report report = {
			.title = p->title,
			.check = m->check,
			.command = command,
			.version = NETAN_VERSION,
			.parts = m->parts.of,
			.n_parts = m->parts.n,
		};
		enum na_exit exit = command ? write_page(m, l->items[i],
							 &report)
					    : NA_EXIT_FAILED;

		free(extra);
		free(command);
		worst = exit > worst ? exit : worst;
	}
	return worst;
}

static enum na_exit make(struct making *m)
{
	struct na_err err = {.status = NA_OK};
	enum na_exit exit, verdict;

	if (m->b.session.store.n_runs > 1)
		return refuse_runs(m->cli);
	if (judge(m, &err) == NA_OK &&
	    na_report_parts_of(&m->b, &m->parts, &err) == NA_OK &&
	    na_report_draw(&m->b, &m->parts, &err) == NA_OK)
		put_hashes(m);
	if (err.status == NA_OK && !na_result_ok(m->check))
		na_fail_nomem(&err);
	if (err.status != NA_OK) {
		na_say_error(m->cli, "%s", err.text);
		return NA_EXIT_FAILED;
	}
	exit = na_session_verdict(&m->b.session);
	verdict = write_all(m);
	exit = verdict == NA_EXIT_OK ? exit : verdict;
	if (exit != NA_EXIT_OK)
		return exit;
	return m->cli->common.fail_on >= 0 && m->worst > m->cli->common.fail_on
		       ? NA_EXIT_FINDINGS
		       : NA_EXIT_OK;
}

static enum na_exit run(struct na_cli *cli)
{
	const struct params *p = cli->params;
	struct making m = {.cli = cli, .check = na_result_new()};
	enum na_exit exit;

	/* Where the rest of the program looks for them. */
	cli->common.outputs = p->outputs;
	cli->common.topology = p->topology;
	exit = m.check ? check_params(&m) : NA_EXIT_FAILED;
	if (exit != NA_EXIT_OK) {
		na_result_free(m.check);
		return exit;
	}
	na_catch_interrupt();
	if (!na_hashing_start(&m.hashing, cli)) {
		na_say_error(cli, "out of memory");
		exit = NA_EXIT_FAILED;
	} else {
		exit = na_battery_run(&m.b, cli, p->capacity);
		if (exit == NA_EXIT_OK)
			exit = make(&m);
		na_report_parts_free(&m.parts);
		na_battery_close(&m.b);
	}
	na_hashing_close(&m.hashing);
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
	"A page of any input stays below 5 MiB: of long tables the first rows "
	"are shown, and a figure that would be too large is left out; both "
	"are said. The same inputs give the same bytes.";

static const struct na_face report_face = {
	.name = "report",
	.question = "all of it in one page for a bug report",
	.usage = "-o FILE.html [OPTION…] INPUT…",
	.details = details,
	.example = "netan report logdir -o report.html\n"
		   "netan report logdir --capacity 100Gbps -o report.html",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_report = {
	.face = &report_face,
	.joins = NA_JOIN_INPUT | NA_JOIN_FILTER | NA_JOIN_QUIET |
		 NA_JOIN_FINDINGS | NA_JOIN_PROGRAMS,
	.run = run,
};

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/memory/refused.h"
#include "netan/cli/again.h"
#include "netan/cli/cli.h"
#include "netan/cli/output/output.h"
#include "netan/cli/output/place.h"
#include "netan/cli/output/screen.h"
#include "netan/engine/anonymize.h"
#include "netan/exports/export.h"
#include "netan/exports/prom/prom.h"
#include "netan/result/emit.h"
#include "plot/figure.h"

/* One place that the user asked for. */
struct target {
	const char *path;    /* NULL: standard output */
	const char *picture; /* "svg", or NULL */
	bool metrics;        /* for Prometheus */
	const struct na_emitter *emitter;
};

static const char *const pictures[] = {"svg", "png", "pdf", NULL};

/* The endings that a command can write, for messages. */
static const char *endings_of(const struct na_cli *cli)
{
	bool metrics = na_prom_has(cli->command->face->name);

	if (na_figure_find(cli->command->face->name))
		return metrics ? ".svg .png .pdf .json .csv .tsv .md .prom"
			       : ".svg .png .pdf .json .csv .tsv .md";
	return metrics ? ".json .csv .tsv .md .prom" : ".json .csv .tsv .md";
}

static const char *word_of(const char *const *words, const char *text)
{
	for (; *words; words++)
		if (strcasecmp(*words, text) == 0)
			return *words;
	return NULL;
}

/* What is behind the last point of the file name, or "". */
static const char *ending(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *point = strrchr(slash ? slash + 1 : path, '.');

	return point ? point + 1 : "";
}

static const struct na_emitter *emitter_of(const char *ending)
{
	static const char *const known[] = {"json", "csv", "tsv", "md", NULL};
	const char *name = word_of(known, ending);

	return name ? na_emitter_find(name) : NULL;
}

static const struct na_emitter *by_format(const struct na_cli *cli)
{
	return na_emitter_find(cli->common.format ? cli->common.format
						  : "table");
}

static bool is_special(const char *path)
{
	enum na_place_kind kind = na_place_kind(path);

	return kind == NA_PLACE_OPEN || kind == NA_PLACE_DEVICE;
}

/* The target of one -o; false (and said) when its name tells nothing. */
static bool resolve(const struct na_cli *cli, const char *path,
		    struct target *t)
{
	const char *end = ending(path);

	*t = (struct target){.path = path};
	if (na_is_stdout(path)) {
		t->path = NULL;
		t->emitter = by_format(cli);
		return true;
	}
	t->picture = word_of(pictures, end);
	t->emitter = emitter_of(end);
	t->metrics = strcasecmp(end, "prom") == 0 &&
		     na_prom_has(cli->command->face->name);
	if (t->picture || t->emitter || t->metrics)
		return true;
	if (!strcasecmp(end, "netan")) {
		na_say_error(&cli->request,
			     "-o %s: netan ingest writes transfer files; "
			     "wanted one of %s",
			     path, endings_of(cli));
		return false;
	}
	if (!strcasecmp(end, "html")) {
		na_say_error(&cli->request,
			     "-o %s: netan report writes pages; wanted one of "
			     "%s",
			     path, endings_of(cli));
		return false;
	}
	if (cli->common.format || is_special(path)) {
		t->emitter = by_format(cli);
		return true;
	}
	if (na_export_find(path)) {
		na_say_error(&cli->request,
			     "-o %s: netan export -o %s writes such files; "
			     "wanted one of %s",
			     path, path, endings_of(cli));
		return false;
	}
	na_say_error(&cli->request,
		     "-o %s: the ending says what to write, and '%s%s' "
		     "is none of %s; rename it, or add --format",
		     path, *end ? "." : "", end, endings_of(cli));
	return false;
}

static enum na_exit check_target(const struct na_cli *cli,
				 const struct target *t)
{
	struct na_err err = {0};

	if (t->picture && !na_figure_find(cli->command->face->name)) {
		na_say_error(&cli->request,
			     "-o %s: '%s' draws no picture; wanted "
			     "one of %s",
			     t->path, cli->command->face->name,
			     endings_of(cli));
		return NA_EXIT_USAGE;
	}
	if (na_output_apart(cli, t->path ? t->path : "-", &err) != NA_OK)
		return na_say_failed(cli, &err);
	if (!t->path)
		return NA_EXIT_OK;
	if (na_outfile_check(t->path, &err) != NA_OK)
		return na_say_failed(cli, &err);
	return NA_EXIT_OK;
}

static bool is_sheet(const struct target *t)
{
	return t->emitter && (strcmp(t->emitter->name, "csv") == 0 ||
			      strcmp(t->emitter->name, "tsv") == 0);
}

enum na_exit na_output_check(const struct na_cli *cli)
{
	const struct na_text_list *outputs = &cli->common.outputs;
	struct target t = {.emitter = by_format(cli)};
	bool sheet = !outputs->n && is_sheet(&t);
	struct na_err err = {0};

	if (!outputs->n && na_output_apart(cli, "-", &err) != NA_OK)
		return na_say_failed(cli, &err);
	if (!t.emitter) {
		na_say_error(&cli->request,
			     "--format %s: wanted one of table, json, "
			     "csv, tsv, md",
			     cli->common.format);
		return NA_EXIT_USAGE;
	}
	for (size_t k = 0; k < outputs->n; k++) {
		enum na_exit code;

		if (!resolve(cli, outputs->items[k], &t))
			return NA_EXIT_USAGE;
		code = check_target(cli, &t);
		if (code != NA_EXIT_OK)
			return code;
		sheet = sheet || is_sheet(&t);
	}
	if (cli->common.table && !sheet) {
		na_say_error(&cli->request,
			     "--table %s: only csv and tsv hold one "
			     "table; add --format csv or -o FILE.csv",
			     cli->common.table);
		return NA_EXIT_USAGE;
	}
	return NA_EXIT_OK;
}

bool na_output_draws(const struct na_cli *cli)
{
	for (size_t i = 0; i < cli->common.outputs.n; i++) {
		const char *path = cli->common.outputs.items[i];

		if (!na_is_stdout(path) && word_of(pictures, ending(path)))
			return true;
	}
	/* It is full of them, wherever it goes. */
	return strcmp(cli->command->face->name, "report") == 0;
}

bool na_output_is_table(const struct na_cli *cli)
{
	return !cli->common.outputs.n &&
	       by_format(cli) == na_emitter_find("table");
}

static struct na_emit_opts emit_opts(const struct na_cli *cli, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	/* mpirun gives the ranks a terminal whatever its own output is. */
	bool tty = fd >= 0 && isatty(fd) &&
		   (!cli->request.world || cli->request.world->files);
	struct na_emit_opts o = {
		.table = cli->common.table,
		.columns = cli->common.wide ? 0 : na_screen_columns(fd, tty)};

	o.color = fd >= 0 &&
		  (cli->common.color == NA_COLOR_ALWAYS ||
		   (cli->common.color == NA_COLOR_AUTO && tty && !(no && *no) &&
		    term && strcmp(term, "dumb") != 0));
	return o;
}

bool na_output_is_screen(const struct na_cli *cli)
{
	return na_output_is_table(cli) && emit_opts(cli, STDOUT_FILENO).columns;
}

static enum na_status draw(const struct na_cli *cli, const struct na_result *r,
			   const char *format, FILE *out, struct na_err *err)
{
	const struct na_figure *f = na_figure_find(cli->command->face->name);
	char *line = na_command_line(cli), *title = NULL;
	struct na_page page = {
		.width = (int)cli->common.width,
		.height = (int)cli->common.height,
		.scale = cli->common.scale,
		.dark = cli->common.theme == 1,
		.version = NETAN_VERSION,
		.command = line,
	};
	enum na_status st;

	if (cli->common.title)
		page.title = title = na_shown(&cli->request, cli->common.title);
	if (!line || (cli->common.title && !title)) {
		free(line);
		free(title);
		return na_fail_nomem(err);
	}
	if (f)
		st = na_figure_write(f, r, &page, format, out, err);
	else
		st = na_fail(err, NA_EUSAGE, "no picture of this name");
	free(line);
	free(title);
	return st;
}

/* Names of the result are as they shall be shown. */
static enum na_status put_metrics(const struct na_cli *cli,
				  const struct na_result *r, FILE *out,
				  struct na_err *err)
{
	const struct na_prom_of of = {cli->command->face->name, r};

	return na_prom_put(&of, 1, NULL, out, err);
}

static enum na_exit say_failed(const struct na_cli *cli, const char *path,
			       enum na_status st, const struct na_err *err)
{
	if (st == NA_EUSAGE) {
		na_say_error(&cli->request, "%s", err->text);
		return NA_EXIT_USAGE;
	}
	na_say_error(&cli->request, "cannot write %s: %s", path,
		     err->text[0] ? err->text : "failed");
	return NA_EXIT_FAILED;
}

static enum na_exit write_stdout(const struct na_cli *cli,
				 const struct target *t,
				 const struct na_result *r)
{
	struct na_emit_opts o = emit_opts(cli, STDOUT_FILENO);
	struct na_err err = {0};
	enum na_status st;

	errno = 0;
	st = t->emitter->write(r, &o, stdout, &err);
	if (st == NA_EIO && errno == EPIPE) {
		clearerr(stdout); /* the reader has seen enough */
		st = NA_OK;
	}
	if (st == NA_OK)
		return NA_EXIT_OK;
	return say_failed(cli, "standard output", st, &err);
}

static enum na_exit write_file(const struct na_cli *cli, const struct target *t,
			       const struct na_result *r)
{
	struct na_emit_opts o = emit_opts(cli, -1);
	struct na_err err = {0}, late = {0};
	struct na_outfile f;
	enum na_status st;
	bool in_place, left;

	st = na_outfile_open(&f, t->path, &err);
	if (st != NA_OK)
		return na_say_failed(cli, &err);
	in_place = !f.temp;
	errno = 0;
	st = t->picture   ? draw(cli, r, t->picture, f.stream, &err)
	     : t->metrics ? put_metrics(cli, r, f.stream, &err)
			  : t->emitter->write(r, &o, f.stream, &err);
	left = in_place && st == NA_EIO && errno == EPIPE;
	if (na_outfile_close(&f, t->path, st == NA_OK, &late) != NA_OK)
		return na_say_failed(cli, &late);
	if (st == NA_OK || left)
		return NA_EXIT_OK;
	return say_failed(cli, t->path, st, &err);
}

/* An empty picture would only look like an answer, as would metrics of nothing.
 */
static enum na_exit say_undrawn(const struct na_cli *cli, const char *path,
				const char *why)
{
	na_say_error(&cli->request, "wrote no %s: %s", path, why);
	return NA_EXIT_FAILED;
}

/* Not a pipe, nor /dev/null. */
static bool is_kept(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 && S_ISREG(sb.st_mode);
}

/* Who has it in a file sees nothing else of the result: what its picture would
 * say.  On a terminal also which table of a sheet it is that others lie
 * beside. */
static void say_written(const struct na_cli *cli, const struct na_result *r,
			const struct target *t, bool first)
{
	const char *found = na_result_message(r);
	char buf[400];
	struct na_str others = na_str_over(buf, sizeof(buf));

	if (cli->common.quiet || !is_kept(t->path))
		return;
	if (found && first && na_figure_find(cli->command->face->name))
		na_say_hint(&cli->request, "%s", found);
	if (is_sheet(t) && !cli->common.table && isatty(STDERR_FILENO))
		na_csv_others(r, &others);
	na_say_hint(&cli->request, "wrote %s%s", t->path,
		    others.n ? others.s : "");
}

/* Why a target gets nothing; NULL: it gets what there is. */
static const char *why_not(const struct target *t, const struct na_result *r)
{
	return t->picture   ? na_result_get_word(r, NA_WORD_UNDRAWN, NULL)
	       : t->metrics ? na_result_get_word(r, NA_WORD_EMPTY, NULL)
			    : NULL;
}

enum na_exit na_output(const struct na_cli *cli, struct na_result *r)
{
	const struct na_text_list *outputs = &cli->common.outputs;
	struct target t = {.emitter = by_format(cli)};
	enum na_exit worst = NA_EXIT_OK;
	bool said = false;

	if (!na_world_writes(cli->request.world))
		return NA_EXIT_OK;
	na_hide_result(&cli->request, r);
	if (!na_result_ok(r) || na_memory_refused()) {
		na_say_nomem(&cli->request);
		return NA_EXIT_FAILED;
	}
	if (!outputs->n)
		return write_stdout(cli, &t, r);
	/* What one could not have, the next will not: it is said once. */
	for (size_t k = 0; k < outputs->n && !na_memory_refused(); k++) {
		const char *why;
		enum na_exit code;

		if (!resolve(cli, outputs->items[k], &t))
			return NA_EXIT_USAGE;
		why = t.path ? why_not(&t, r) : NULL;
		code = why      ? say_undrawn(cli, t.path, why)
		       : t.path ? write_file(cli, &t, r)
				: write_stdout(cli, &t, r);
		worst = code > worst ? code : worst;
		if (t.path && code == NA_EXIT_OK) {
			say_written(cli, r, &t, !said);
			said = true;
		}
	}
	return worst;
}

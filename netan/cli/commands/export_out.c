/* Files of exports; see export_out.h. */
#include "netan/cli/commands/export_out.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/base/units.h"
#include "netan/cli/output/place.h"
#include "netan/cli/output/screen.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/parallel.h"

enum na_exit na_exports_add(struct na_export_targets *x,
			    const struct na_export *format, const char *path)
{
	struct na_err err = {.status = NA_OK};

	if (x->n == NA_MAX_EXTRA)
		na_fail(&err, NA_EUSAGE, "-o: at most %d files at once",
			NA_MAX_EXTRA);
	/* These formats are written back and forth. */
	else if (na_place_kind(path) != NA_PLACE_FILE)
		na_fail(&err, NA_EUSAGE, "-o %s: wanted a file", path);
	else if (na_output_apart(x->cli, path, &err) == NA_OK &&
		 na_outfile_check(path, &err) == NA_OK)
		x->v[x->n++] = (struct na_export_target){format, path,
							 .state = NULL};
	return na_say_failed(x->cli, &err);
}

enum na_status na_exports_begin(struct na_export_targets *x, struct na_err *err)
{
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < x->n; i++) {
		struct na_export_target *t = &x->v[i];

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
				      &x->cli->request, err);
	}
	return st;
}

size_t na_exports_beside(const struct na_export_targets *x,
			 struct na_extra_analysis beside[NA_MAX_EXTRA])
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		if (x->v[i].format->records)
			beside[n++] = (struct na_extra_analysis){
				x->v[i].format->records, x->v[i].state};
	}
	return n;
}

static bool uses(const struct na_export *format, const char *exhibit)
{
	const char *const *name = format->uses;

	while (name && *name && strcmp(*name, exhibit) != 0)
		name++;
	return !name || *name;
}

bool na_exports_read(const struct na_export_targets *x, const char *exhibit)
{
	for (size_t i = 0; i < x->n; i++) {
		if (uses(x->v[i].format, exhibit))
			return true;
	}
	for (size_t i = 0; na_checks[i]; i++) {
		if (na_check_reads(na_checks[i], exhibit))
			return true;
	}
	return false;
}

static void say_written(const struct na_cli *cli,
			const struct na_export_target *t, const char *told)
{
	char *shown = na_shown(&cli->request, t->path);
	char size[NA_UNIT_BUF];
	struct stat info;

	if (!cli->common.quiet && shown && stat(t->path, &info) == 0)
		na_print_line("wrote %s, %s: %s", shown,
			      na_print_bytes(size, (double)info.st_size, 3),
			      told);
	free(shown);
}

static enum na_status put(struct na_export_target *t,
			  const struct na_export_of *of, FILE *told,
			  struct na_err *err)
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

/* Complete, or given up; once ended it stays so. */
static enum na_status end(const struct na_cli *cli, struct na_export_target *t,
			  const struct na_export_of *of, struct na_err *err)
{
	char *told = NULL;
	size_t n = 0;
	FILE *line = of ? open_memstream(&told, &n) : NULL;
	enum na_status st = line || !of ? NA_OK : na_fail_nomem(err);
	bool whole;

	if (line && t->begun)
		st = put(t, of, line, err);
	if (line)
		fclose(line);
	if (t->begun)
		t->format->close(t->state);
	whole = of && t->begun && st == NA_OK && !na_interrupted();
	if (t->open && na_outfile_close(&t->file, t->path, whole, err) != NA_OK)
		st = err->status;
	if (whole && st == NA_OK)
		say_written(cli, t, told ? told : "");
	free(told);
	free(t->state);
	t->open = t->begun = false;
	t->state = NULL;
	return st;
}

enum na_status na_exports_end(struct na_export_targets *x,
			      const struct na_export_of *of, struct na_err *err)
{
	for (size_t i = 0; i < x->n; i++)
		na_in_err(end(x->cli, &x->v[i],
			      err->status == NA_OK ? of : NULL, err));
	return err->status;
}

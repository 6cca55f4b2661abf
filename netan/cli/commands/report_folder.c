#include "netan/cli/commands/report_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/vec.h"
#include "netan/cli/output/output.h"
#include "plot/figure.h"

#define PAGE_NAME "report.md"
#define PNG_SCALE 2.0 /* sharp on the screens that trackers are read on */

enum { NAME_BUF = 64 }; /* of a file in it */

bool na_folder_named(const char *path)
{
	size_t n = strlen(path);
	const char *slash = strrchr(path, '/'), *name, *point;
	struct stat sb;

	if (stat(path, &sb) == 0 && S_ISDIR(sb.st_mode))
		return true;
	if (n && path[n - 1] == '/')
		return true;
	name = slash ? slash + 1 : path;
	point = strrchr(name, '.');
	return *name && !point && strcmp(path, "-") != 0;
}

static char *path_in(const char *dir, const char *name)
{
	size_t n = strlen(dir), size = n + strlen(name) + 2;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s%s%s", dir,
			 n && dir[n - 1] == '/' ? "" : "/", name);
	return path;
}

static const char *png_name(const char *figure, char buf[NAME_BUF])
{
	snprintf(buf, NAME_BUF, "%.40s.png", figure);
	return buf;
}

static bool is_ours(const char *name)
{
	char png[NAME_BUF];

	if (strcmp(name, PAGE_NAME) == 0 || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return true;
	for (size_t i = 0; na_figures[i]; i++) {
		if (strcmp(name, png_name(na_figures[i]->name, png)) == 0)
			return true;
	}
	return false;
}

/* Whether the page in it begins as ours do. */
static bool is_marked(const char *dir)
{
	char head[sizeof(NA_REPORT_MARK)] = "";
	char *path = path_in(dir, PAGE_NAME);
	FILE *f = path ? fopen(path, "rbe") : NULL;
	bool marked = f &&
		      fread(head, 1, sizeof(head) - 1, f) == sizeof(head) - 1 &&
		      strcmp(head, NA_REPORT_MARK) == 0;

	if (f)
		fclose(f);
	free(path);
	return marked;
}

/* Whether another -o names it: this run writes it anew. */
static bool is_written(const char *dir, const char *name,
		       const struct na_text_list *outputs)
{
	char *path = path_in(dir, name);
	struct stat sb, out;
	bool is = false;

	if (path && stat(path, &sb) == 0) {
		for (size_t i = 0; !is && i < outputs->n; i++)
			is = stat(outputs->items[i], &out) == 0 &&
			     out.st_dev == sb.st_dev && out.st_ino == sb.st_ino;
	}
	free(path);
	return is;
}

static enum na_status check_contents(const char *path,
				     const struct na_text_list *outputs,
				     struct na_err *err)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	bool empty = true;

	if (!dir)
		return na_fail(err, NA_EIO, "%s: %s", path, strerror(errno));
	while (err->status == NA_OK && (e = readdir(dir))) {
		empty &= e->d_name[0] == '.' &&
			 (!e->d_name[1] ||
			  (e->d_name[1] == '.' && !e->d_name[2]));
		if (!is_ours(e->d_name) &&
		    !is_written(path, e->d_name, outputs))
			na_fail(err, NA_EUSAGE,
				"-o %s: there is %.80s in this directory; "
				"wanted a new or empty one, or that of an "
				"earlier report",
				path, e->d_name);
	}
	closedir(dir);
	if (err->status == NA_OK && !empty && !is_marked(path))
		na_fail(err, NA_EUSAGE,
			"-o %s: this directory is not empty, and %s in it is "
			"no report of ours",
			path, PAGE_NAME);
	return err->status;
}

enum na_status na_folder_check(const char *path,
			       const struct na_text_list *outputs,
			       struct na_err *err)
{
	enum na_status st = NA_OK;
	struct stat sb;
	char *bare, *end;

	if (stat(path, &sb) == 0) {
		if (!S_ISDIR(sb.st_mode))
			return na_fail(err, NA_EUSAGE,
				       "-o %s: this is a file; a report is a "
				       "page (FILE.html) or a directory",
				       path);
		if (access(path, W_OK | X_OK) != 0)
			return na_fail(err, NA_EIO, "cannot write %s: %s", path,
				       strerror(errno));
		return check_contents(path, outputs, err);
	}
	bare = strdup(path);
	if (!bare)
		return na_fail_nomem(err);
	for (end = bare + strlen(bare); end > bare + 1 && end[-1] == '/';)
		*--end = '\0';
	st = na_outfile_check(bare, err);
	free(bare);
	return st;
}

struct drawing {
	const struct na_report *report;
	char *bytes[NA_MAX_EVIDENCE];
	size_t sizes[NA_MAX_EVIDENCE];
	struct na_err *errs; /* one for each part */
};

static void draw_one(void *ctx, size_t i)
{
	struct drawing *d = ctx;
	const struct na_report_part *p = &d->report->parts[i];
	const struct na_figure *f = na_figure_find(p->name);
	const struct na_page page = {.version = d->report->version,
				     .command = p->command,
				     .scale = PNG_SCALE};
	FILE *out;

	if (!f || !p->result ||
	    na_result_get_word(p->result, NA_WORD_UNDRAWN, NULL))
		return;
	out = open_memstream(&d->bytes[i], &d->sizes[i]);
	if (!out) {
		na_fail_nomem(&d->errs[i]);
		return;
	}
	na_in_err(
		na_figure_write(f, p->result, &page, "png", out, &d->errs[i]));
	if (fclose(out) != 0 && d->errs[i].status == NA_OK)
		na_fail_nomem(&d->errs[i]);
}

/* One file of the directory: `bytes`, or the page where there are none. */
static enum na_status put_file(const char *dir, const char *name,
			       const char *bytes, size_t n,
			       const struct na_report *page, struct na_err *err)
{
	char *path = path_in(dir, name);
	struct na_err late = {.status = NA_OK};
	struct na_outfile f;
	enum na_status st;

	if (!path)
		return na_fail_nomem(err);
	st = na_outfile_open(&f, path, err);
	if (st == NA_OK) {
		if (page)
			st = na_report_md(page, f.stream, err);
		else if (fwrite(bytes, 1, n, f.stream) != n)
			st = na_fail_errno(err, path);
		if (na_outfile_close(&f, path, st == NA_OK, &late) != NA_OK &&
		    st == NA_OK) {
			st = late.status;
			*err = late;
		}
	}
	free(path);
	return st;
}

static enum na_status remove_others(const char *dir,
				    const struct na_report *report,
				    struct na_err *err)
{
	char png[NAME_BUF];

	for (size_t i = 0; na_figures[i]; i++) {
		bool there = false;
		char *path;

		png_name(na_figures[i]->name, png);
		for (size_t k = 0; k < report->n_parts; k++)
			there |= report->parts[k].png &&
				 strcmp(report->parts[k].png, png) == 0;
		if (there)
			continue;
		path = path_in(dir, png);
		if (!path)
			return na_fail_nomem(err);
		if (unlink(path) != 0 && errno != ENOENT)
			na_fail_errno(err, path);
		free(path);
	}
	return err->status;
}

static enum na_status write_all(const char *path, const struct drawing *d,
				struct na_err *err)
{
	struct na_report_part parts[NA_MAX_EVIDENCE];
	struct na_report page = *d->report;
	char names[NA_MAX_EVIDENCE][NAME_BUF];
	enum na_status st = NA_OK;

	page.parts = parts;
	for (size_t i = 0; st == NA_OK && i < page.n_parts; i++) {
		parts[i] = d->report->parts[i];
		if (!d->bytes[i])
			continue;
		parts[i].png = png_name(parts[i].name, names[i]);
		st = put_file(path, parts[i].png, d->bytes[i], d->sizes[i],
			      NULL, err);
	}
	if (st == NA_OK)
		st = remove_others(path, &page, err);
	if (st == NA_OK)
		st = put_file(path, PAGE_NAME, NULL, 0, &page, err);
	return st;
}

enum na_status na_folder_write(const char *path, const struct na_report *report,
			       size_t threads, struct na_err *err)
{
	struct drawing d = {.report = report};
	size_t n = report->n_parts;

	if (n > NA_MAX_EVIDENCE)
		return na_fail(err, NA_ELIMIT, "too many analyses");
	d.errs = na_calloc(n, sizeof(*d.errs));
	if (!d.errs || !na_parallel(threads, n, draw_one, &d))
		na_fail_nomem(err);
	for (size_t i = 0; i < n && err->status == NA_OK; i++)
		*err = d.errs[i];
	free(d.errs);
	if (err->status == NA_OK && mkdir(path, 0777) != 0 && errno != EEXIST)
		na_fail_errno(err, path);
	if (err->status == NA_OK)
		write_all(path, &d, err);
	for (size_t i = 0; i < n; i++)
		free(d.bytes[i]);
	return err->status;
}

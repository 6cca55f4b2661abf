/*
 * What directories hold, and those below them.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/discover/parts.h"
#include "ingest/recorder/recorder.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

bool na_is_directory(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
}

enum na_status na_list_names(const char *dir,
			     bool (*wanted)(const char *dir, const char *name),
			     struct na_arena *a, struct na_found *out,
			     struct na_err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	enum na_status st = NA_OK;

	if (!d)
		return na_fail(err, NA_EIO, "%s: %s", dir, strerror(errno));
	while (st == NA_OK && (e = readdir(d))) {
		if (e->d_name[0] == '.' || !wanted(dir, e->d_name))
			continue;
		if (!na_grow(&out->paths, &out->cap, out->n + 1,
			     sizeof(*out->paths)) ||
		    !(out->paths[out->n] = na_arena_path(a, dir, e->d_name)))
			st = na_fail_nomem(err);
		else
			out->n++;
	}
	closedir(d);
	na_sort(out->paths, out->n, na_order_text);
	return st;
}

bool na_wants_trace(const char *dir, const char *name)
{
	(void)dir;
	return na_trace_ending(name) > 0;
}

bool na_wants_other(const char *dir, const char *name)
{
	(void)dir;
	return na_other_ending(name) > 0;
}

/* Dumps of recorders are called as the user likes, but end in the rank. */
static bool is_dump(const char *dir, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return na_recorder_rank(name) >= 0 && n > 0 &&
	       (size_t)n < sizeof(path) && na_recorder_is(path);
}

bool na_wants_rank(const char *dir, const char *name)
{
	return na_is_rank_file(name) || is_dump(dir, name);
}

bool na_wants_run(const char *dir, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && (size_t)n < sizeof(path) && na_is_directory(path);
}

/* "2026_11_20_21_28_00": such names sort by time. */
static bool dated(const char *path)
{
	const char *s = strrchr(path, '/');
	int y, mo, d, h, mi, sec;

	return s && sscanf(s + 1, "%4d_%2d_%2d_%2d_%2d_%2d", &y, &mo, &d, &h,
			   &mi, &sec) == 6;
}

static long long changed(const char *path)
{
	struct stat sb;

	if (stat(path, &sb) < 0)
		return 0;
	return (long long)sb.st_mtim.tv_sec * 1000000000LL + sb.st_mtim.tv_nsec;
}

static int newer_date(const void *a, const void *b)
{
	return na_order_text(b, a);
}

static int newer_change(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	long long cx = changed(*x), cy = changed(*y);

	return cx != cy ? (cx > cy ? -1 : 1) : newer_date(a, b);
}

void na_newest_first(struct na_found *runs)
{
	bool all_dated = true;

	for (size_t i = 0; i < runs->n; i++)
		all_dated = all_dated && dated(runs->paths[i]);
	na_sort(runs->paths, runs->n, all_dated ? newer_date : newer_change);
}

void na_drop_packed_twins(struct na_found *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		const char *path = f->paths[i];
		const char *before = kept ? f->paths[kept - 1] : NULL;
		size_t n = na_packed_from(path);

		if (before && na_packed_from(before) == n &&
		    memcmp(before, path, n) == 0)
			continue; /* sorted: the plain one came first */
		f->paths[kept++] = path;
	}
	f->n = kept;
}

/* A directory of its own: links may lead in circles. */
static bool wants_below(const char *dir, const char *name)
{
	char path[4096];
	struct stat sb;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && (size_t)n < sizeof(path) && lstat(path, &sb) == 0 &&
	       S_ISDIR(sb.st_mode);
}

/* What is taken of each directory; how many more of these are looked into, and
 * whether there were more. */
struct below {
	enum na_status (*add)(const char *dir, struct na_arena *a,
			      struct na_found *out);
	size_t left;
	bool more;
};

static enum na_status add_wanted(const char *dir,
				 bool (*wanted)(const char *dir,
						const char *name),
				 struct na_arena *a, struct na_found *out)
{
	struct na_found files = {.paths = NULL};
	struct na_err unreadable = {.status = NA_OK};
	enum na_status st = na_list_names(dir, wanted, a, &files, &unreadable);

	st = st == NA_EIO ? NA_OK : st;
	na_drop_packed_twins(&files);
	if (st == NA_OK && files.n &&
	    !na_grow(&out->paths, &out->cap, out->n + files.n,
		     sizeof(*out->paths)))
		st = NA_ENOMEM;
	for (size_t k = 0; st == NA_OK && k < files.n; k++)
		out->paths[out->n++] = files.paths[k];
	free(files.paths);
	return st;
}

enum na_status na_add_files(const char *dir, struct na_arena *a,
			    struct na_found *out)
{
	return add_wanted(dir, na_wants_rank, a, out);
}

enum na_status na_add_others(const char *dir, struct na_arena *a,
			     struct na_found *out)
{
	return add_wanted(dir, na_wants_other, a, out);
}

/* The directory itself, where it holds traces. */
static enum na_status add_run(const char *dir, struct na_arena *a,
			      struct na_found *out)
{
	struct na_found traces = {.paths = NULL};
	struct na_err unreadable = {.status = NA_OK};
	enum na_status st =
		na_list_names(dir, na_wants_trace, a, &traces, &unreadable);

	st = st == NA_EIO ? NA_OK : st;
	if (st == NA_OK && traces.n &&
	    !na_grow(&out->paths, &out->cap, out->n + 1, sizeof(*out->paths)))
		st = NA_ENOMEM;
	if (st == NA_OK && traces.n)
		out->paths[out->n++] = dir;
	free(traces.paths);
	return st;
}

static enum na_status look_below(const char *path, int depth, struct below *b,
				 struct na_arena *a, struct na_found *out)
{
	struct na_found dirs = {.paths = NULL};
	struct na_err unreadable = {.status = NA_OK};
	enum na_status st =
		na_list_names(path, wants_below, a, &dirs, &unreadable);

	st = st == NA_EIO ? NA_OK : st;
	for (size_t i = 0; st == NA_OK && i < dirs.n; i++) {
		b->more |= !b->left;
		if (!b->left)
			break;
		b->left--;
		st = b->add(dirs.paths[i], a, out);
		if (st == NA_OK && depth > 1)
			st = look_below(dirs.paths[i], depth - 1, b, a, out);
	}
	free(dirs.paths);
	return st;
}

enum na_status na_look_below(const char *path,
			     enum na_status (*add)(const char *dir,
						   struct na_arena *a,
						   struct na_found *out),
			     struct na_arena *a, struct na_found *out,
			     bool *more, struct na_err *err)
{
	struct below b = {add, NA_DISCOVER_BELOW, false};
	enum na_status st = look_below(path, NA_DISCOVER_DEPTH, &b, a, out);

	*more = b.more;
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

enum na_status na_runs_below(const char *path, struct na_arena *a,
			     struct na_found *runs, struct na_err *err)
{
	bool more;
	enum na_status st = na_look_below(path, add_run, a, runs, &more, err);

	na_newest_first(runs);
	return st;
}

const char *na_below_of(const char *dir, const char *path)
{
	path += strlen(dir);
	return path + strspn(path, "/");
}

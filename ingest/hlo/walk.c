/*
 * Which files below a directory hold dumped HLO modules.
 *
 * A compiler writes a module several times: module_0001.jit_f.before_..., one
 * for each pass, ...after_optimizations.txt and the same in binary form
 * (...hlo_proto.pb needs not say so).  Of one module_NNNN the optimized one
 * counts, where it is there, and of that the binary form.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/bytes/file_kind.h"
#include "ingest/hlo/hlo.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

/* ---- names */

static bool ends(const char *s, size_t *n, const char *with)
{
	size_t k = strlen(with);

	if (*n < k || memcmp(s + *n - k, with, k) != 0)
		return false;
	*n -= k;
	return true;
}

/* The name without packing and form; false: not one of a module. */
static bool module_name(const char *name, size_t *n, bool *binary)
{
	*n = strlen(name);
	if (!ends(name, n, ".gz"))
		ends(name, n, ".zst");
	*binary = ends(name, n, ".pb");
	if (*binary) {
		if (!ends(name, n, ".hlo_proto"))
			ends(name, n, ".hlo");
		return true;
	}
	return ends(name, n, ".txt") || ends(name, n, ".hlo");
}

/* "module_0001." in front, of which module a file is; 0: of none. */
static size_t module_prefix(const char *name)
{
	size_t n = 7;

	if (strncmp(name, "module_", 7) != 0)
		return 0;
	while (name[n] >= '0' && name[n] <= '9')
		n++;
	return n > 7 && name[n] == '.' ? n + 1 : 0;
}

/* How much more a file of a module is what ran than its others. */
static int rank_of(const char *name)
{
	size_t n;
	bool binary;

	if (!module_name(name, &n, &binary))
		return -1;
	if (!ends(name, &n, "after_optimizations") &&
	    (!strstr(name, ".hlo_proto.pb") ||
	     ends(name, &n, "before_optimizations")))
		return 0;
	return binary ? 2 : 1;
}

static bool same_module(const char *a, const char *b)
{
	size_t n = module_prefix(a);

	return n && strncmp(a, b, n) == 0;
}

/* The highest rank among those of a module, which stand together. */
static void pick(const char *const *names, size_t n, bool *take)
{
	for (size_t i = 0, to; i < n; i = to) {
		int best = rank_of(names[i]);

		for (to = i + 1; to < n && same_module(names[i], names[to]);
		     to++)
			best = rank_of(names[to]) > best ? rank_of(names[to])
							 : best;
		for (size_t k = i; k < to; k++)
			take[k] = best >= 0 && rank_of(names[k]) == best;
	}
}

/* ---- directories */

struct walk {
	const char *top; /* as given */
	struct na_arena *arena;
	struct na_hlo_dumps *out;
	size_t seen; /* entries of directories */
	struct na_err *err;
};

struct level {
	struct na_dir_level at;
	const char *path, *below; /* as of na_hlo_dump */
};

struct names {
	const char **items;
	bool *take; /* of those, what is a module that ran */
	size_t n, cap;
};

static enum na_status list(struct walk *w, const char *path, struct names *out)
{
	DIR *dir = opendir(path);
	struct dirent *x;

	if (!dir)
		return na_fail_errno(w->err, path);
	while (w->err->status == NA_OK && (x = readdir(dir))) {
		const char *copy;

		if (x->d_name[0] == '.')
			continue;
		copy = na_arena_strn(w->arena, x->d_name, strlen(x->d_name));
		if (++w->seen > NA_HLO_FILES_MAX)
			na_fail(w->err, NA_ELIMIT,
				"%s: more than %d files; give fewer "
				"directories at once",
				path, NA_HLO_FILES_MAX);
		else if (!copy || !na_grow(&out->items, &out->cap, out->n + 1,
					   sizeof(*out->items)))
			na_fail_nomem(w->err);
		else
			out->items[out->n++] = copy;
	}
	closedir(dir);
	na_sort_names(out->items, out->n);
	out->take = na_calloc(out->n + 1, sizeof(*out->take));
	if (!out->take)
		return na_fail_nomem(w->err);
	pick(out->items, out->n, out->take);
	return w->err->status;
}

static enum na_status add_file(struct walk *w, const struct level *l,
			       const char *path)
{
	struct na_hlo_dumps *f = w->out;

	if (!na_grow(&f->items, &f->cap, f->n + 1, sizeof(*f->items)))
		return na_fail_nomem(w->err);
	f->items[f->n++] = (struct na_hlo_dump){path, l->path, l->below};
	return NA_OK;
}

static enum na_status walk(struct walk *w, const struct level *l);

static enum na_status enter(struct walk *w, const struct level *up,
			    const char *path, const char *name,
			    const struct stat *sb)
{
	struct level l = {
		{&up->at, sb->st_dev, sb->st_ino, up->at.depth + 1},
		path,
		name,
	};

	if (na_dir_leads_up(&up->at, w->top, sb))
		return NA_OK;
	if (l.at.depth > NA_HLO_DIR_DEPTH)
		return na_fail(w->err, NA_ELIMIT,
			       "%s: more than %d directories deep", path,
			       NA_HLO_DIR_DEPTH);
	if (up->below)
		l.below = na_arena_path(w->arena, up->below, name);
	return l.below ? walk(w, &l) : na_fail_nomem(w->err);
}

/* Files first: they are this directory's.  A file that cannot be looked at
 * is told by who reads it. */
static enum na_status walk(struct walk *w, const struct level *l)
{
	struct names names = {.items = NULL};
	enum na_status st = list(w, l->path, &names);

	for (size_t k = 0; st == NA_OK && k < 2 * names.n; k++) {
		size_t i = k % names.n;
		bool file = k < names.n, there;
		const char *path = na_arena_path(w->arena, l->path,
						 names.items[i]);
		struct stat sb;

		if (!path) {
			st = na_fail_nomem(w->err);
			break;
		}
		there = stat(path, &sb) == 0;
		if (file && names.take[i] && !(there && S_ISDIR(sb.st_mode)))
			st = add_file(w, l, path);
		else if (!file && there && S_ISDIR(sb.st_mode))
			st = enter(w, l, path, names.items[i], &sb);
	}
	free(names.items);
	free(names.take);
	return st;
}

enum na_status na_hlo_walk(const char *dir, struct na_arena *a,
			   struct na_hlo_dumps *out, struct na_err *err)
{
	struct walk w = {.top = dir, .arena = a, .out = out, .err = err};
	struct level top = {.path = dir};
	struct stat sb;

	if (stat(dir, &sb) < 0)
		return na_fail_errno(err, dir);
	top.at.device = sb.st_dev;
	top.at.inode = sb.st_ino;
	return walk(&w, &top);
}

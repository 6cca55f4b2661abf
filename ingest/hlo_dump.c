/*
 * Files and directories that hold dumped HLO modules.
 *
 * A compiler writes a module several times: module_0001.jit_f.before_..., one
 * for each pass, ...after_optimizations.txt and the same in binary form
 * (...hlo_proto.pb needs not say so).  Of one module_NNNN the optimized one
 * counts, where it is there, and of that the binary form.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/hlo.h"
#include "ingest/spool.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

enum { MAX_DEPTH = 8, MAX_FILES = 1 << 20, HEAD_BYTES = 4096 };

/* A module in binary form has at most 2 GiB, as any message. */
#define MAX_BYTES ((size_t)1 << 31)

struct dump {
	struct na_hlo *h;
	void (*warn)(void *ctx, const char *text);
	void *ctx;
	size_t *n_files;
	size_t seen; /* entries of directories */
	struct na_err *err;
};

struct entries {
	char **names;
	bool *take; /* of those, what is a module that ran */
	size_t n, cap;
};

static enum na_status complain(struct dump *d, const char *path,
			       const char *what)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s: %s", path, what);
	d->warn(d->ctx, text);
	return NA_OK;
}

/* ---- one file */

/* All of the stream; `head` bytes are there already. */
static enum na_status read_rest(struct na_stream *s, uint8_t **bytes,
				size_t *cap, size_t *n, struct na_err *err)
{
	size_t got = 1;

	while (got) {
		if (*n >= MAX_BYTES)
			return na_fail(err, NA_ELIMIT,
				       "more than %zu bytes; no HLO module has "
				       "so many",
				       MAX_BYTES);
		if (!na_grow(bytes, cap, *n + 65536, 1))
			return na_fail_nomem(err);
		if (na_stream_read(s, *bytes + *n, *cap - *n, &got, err) !=
		    NA_OK)
			return err->status;
		*n += got;
	}
	if (s->cut)
		return na_fail(err, NA_EFORMAT, "%s", s->why);
	return NA_OK;
}

/* At least HEAD_BYTES, unless the stream ends before. */
static enum na_status read_head(struct na_stream *s, uint8_t **bytes,
				size_t *cap, size_t *n, struct na_err *err)
{
	size_t got = 1;

	if (!na_grow(bytes, cap, HEAD_BYTES, 1))
		return na_fail_nomem(err);
	while (got && *n < HEAD_BYTES) {
		if (na_stream_read(s, *bytes + *n, HEAD_BYTES - *n, &got,
				   err) != NA_OK)
			return err->status;
		*n += got;
	}
	return NA_OK;
}

/* NA_END: it is no module. */
static enum na_status read_stream(struct dump *d, struct na_stream *s,
				  const char *worker, struct na_err *err)
{
	uint8_t *bytes = NULL;
	size_t cap = 0, n = 0;
	uint32_t index = NA_NO_NAME;
	enum na_status st = read_head(s, &bytes, &cap, &n, err);
	bool text = false;

	if (st == NA_OK) {
		text = na_hlo_is_text(bytes, n);
		if (!text && !na_hlo_is_proto(bytes, n))
			st = NA_END;
	}
	if (st == NA_OK)
		st = read_rest(s, &bytes, &cap, &n, err);
	if (st == NA_OK) {
		index = na_hlo_worker(d->h, worker);
		st = index == NA_NO_NAME ? na_fail_nomem(err) : NA_OK;
	}
	if (st == NA_OK && text)
		st = na_hlo_read_text(d->h, (const char *)bytes, n, index, err);
	else if (st == NA_OK)
		st = na_hlo_read_proto(d->h, bytes, n, index, err);
	free(bytes);
	return st;
}

/* `must`: named by the user, so that it must be a module. */
static enum na_status read_file(struct dump *d, const char *path,
				const char *worker, bool must)
{
	struct na_err err = {.status = NA_OK};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct na_stream s = {.fd = -1};
	enum na_status st;

	if (fd < 0)
		return must ? na_fail_errno(d->err, path)
			    : complain(d, path, strerror(errno));
	st = na_stream_open(&s, fd, path, &err); /* owns fd from here on */
	if (st == NA_OK)
		st = read_stream(d, &s, worker, &err);
	na_stream_close(&s);
	if (st == NA_OK)
		++*d->n_files;
	if (st == NA_ENOMEM)
		return na_fail_nomem(d->err);
	if (st == NA_END)
		return must ? na_fail(d->err, NA_EDOMAIN,
				      "%s: no HLO module: neither a HloProto "
				      "nor text that begins with \"HloModule\"",
				      path)
			    : NA_OK;
	if (st == NA_OK)
		return NA_OK;
	return must ? na_fail(d->err, st, "%s: %s", path, err.text)
		    : complain(d, path, err.text);
}

/* ---- directories */

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

static int by_name(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	int order = na_natural_order(*x, *y);

	return order ? order : strcmp(*x, *y);
}

static bool same_module(const char *a, const char *b)
{
	size_t n = module_prefix(a);

	return n && strncmp(a, b, n) == 0;
}

/* The highest rank among those of a module, which stand together. */
void na_hlo_pick(const char *const *names, size_t n, bool *take)
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

static void entries_fini(struct entries *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->names[i]);
	free(e->names);
	free(e->take);
}

static enum na_status list(struct dump *d, const char *path, struct entries *e)
{
	DIR *dir = opendir(path);
	struct dirent *x;

	if (!dir)
		return na_fail_errno(d->err, path);
	while ((x = readdir(dir))) {
		if (x->d_name[0] == '.')
			continue;
		if (++d->seen > MAX_FILES) {
			na_fail(d->err, NA_ELIMIT, "%s: more than %d files",
				path, MAX_FILES);
			break;
		}
		if (!na_grow(&e->names, &e->cap, e->n + 1, sizeof(*e->names)) ||
		    !(e->names[e->n] = strdup(x->d_name))) {
			na_fail_nomem(d->err);
			break;
		}
		e->n++;
	}
	closedir(dir);
	if (e->n)
		qsort(e->names, e->n, sizeof(*e->names), by_name);
	return d->err->status;
}

static char *joined(const char *a, const char *b)
{
	size_t n = strlen(a);
	char *path = NULL;

	while (n > 1 && a[n - 1] == '/')
		n--;
	if (asprintf(&path, "%.*s%s%s", (int)n, a,
		     n && a[n - 1] == '/' ? "" : "/", b) < 0)
		return NULL;
	return path;
}

static enum na_status read_directory(struct dump *d, const char *path,
				     const char *worker, const char *below,
				     int depth);

/* `below`: the directory under the one that was named, which is a worker
 * then. */
static enum na_status read_entry(struct dump *d, const struct entries *e,
				 size_t i, const char *path, const char *worker,
				 const char *below, int depth)
{
	char *at = joined(path, e->names[i]), *name = NULL;
	enum na_status st = NA_OK;
	struct stat sb;

	if (!at)
		return na_fail_nomem(d->err);
	if (stat(at, &sb) < 0) {
		complain(d, at, strerror(errno));
	} else if (S_ISDIR(sb.st_mode)) {
		name = below ? joined(below, e->names[i]) : strdup(e->names[i]);
		st = !name ? na_fail_nomem(d->err)
		     : depth < MAX_DEPTH
			     ? read_directory(d, at, name, name, depth + 1)
			     : complain(d, at, "directories nest too deep");
	} else if (S_ISREG(sb.st_mode) && e->take[i]) {
		st = read_file(d, at, worker, false);
	}
	free(name);
	free(at);
	return st;
}

static enum na_status read_directory(struct dump *d, const char *path,
				     const char *worker, const char *below,
				     int depth)
{
	struct entries e = {.n = 0};
	enum na_status st = list(d, path, &e);

	e.take = na_calloc(e.n, sizeof(*e.take));
	if (st == NA_OK && !e.take)
		st = na_fail_nomem(d->err);
	if (st == NA_OK)
		na_hlo_pick((const char *const *)e.names, e.n, e.take);
	for (size_t i = 0; st == NA_OK && i < e.n; i++)
		st = read_entry(d, &e, i, path, worker, below, depth);
	entries_fini(&e);
	return st;
}

/* The last part of a path. */
static char *last_part(const char *path)
{
	size_t n = strlen(path), from;

	while (n > 1 && path[n - 1] == '/')
		n--;
	from = n;
	while (from && path[from - 1] != '/')
		from--;
	return strndup(path + from, from < n ? n - from : 1);
}

enum na_status na_hlo_read_path(struct na_hlo *h, const char *path,
				const char *worker,
				void (*warn)(void *ctx, const char *text),
				void *ctx, size_t *n_files, struct na_err *err)
{
	struct dump d = {.h = h,
			 .warn = warn,
			 .ctx = ctx,
			 .n_files = n_files,
			 .err = err};
	char *name = worker ? strdup(worker) : last_part(path);
	enum na_status st;
	struct stat sb;

	*n_files = 0;
	if (!name)
		return na_fail_nomem(err);
	if (stat(path, &sb) < 0) {
		st = na_fail_errno(err, path);
	} else if (S_ISDIR(sb.st_mode)) {
		st = read_directory(&d, path, name, NULL, 0);
	} else {
		st = read_file(&d, path, name, true);
	}
	free(name);
	return st;
}

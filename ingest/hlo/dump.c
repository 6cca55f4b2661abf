/* Files and directories that hold dumped HLO modules. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/bytes/feed.h"
#include "ingest/bytes/file_kind.h"
#include "ingest/hlo/hlo.h"
#include "netan/base/inputs.h"
#include "netan/base/vec.h"

enum { HEAD_BYTES = 4096 };

/* A module in binary form has at most 2 GiB, as any message. */
#define MAX_BYTES ((size_t)1 << 31)

struct dump {
	struct na_hlo *h;
	void (*warn)(void *ctx, const char *text);
	void *ctx;
	size_t *n_files;
	struct na_err *err;
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
static enum na_status read_rest(struct na_feed *s, uint8_t **bytes, size_t *cap,
				size_t *n, struct na_err *err)
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
		if (na_feed_read(s, *bytes + *n, *cap - *n, &got, err) != NA_OK)
			return err->status;
		*n += got;
	}
	if (s->cut)
		return na_fail(err, NA_EFORMAT, "%s", s->why);
	return NA_OK;
}

/* At least HEAD_BYTES, unless the stream ends before. */
static enum na_status read_head(struct na_feed *s, uint8_t **bytes, size_t *cap,
				size_t *n, struct na_err *err)
{
	size_t got = 1;

	if (!na_grow(bytes, cap, HEAD_BYTES, 1))
		return na_fail_nomem(err);
	while (got && *n < HEAD_BYTES) {
		if (na_feed_read(s, *bytes + *n, HEAD_BYTES - *n, &got, err) !=
		    NA_OK)
			return err->status;
		*n += got;
	}
	return NA_OK;
}

bool na_hlo_is_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct na_err err = {.status = NA_OK};
	struct na_feed s = {.fd = -1};
	uint8_t *bytes = NULL;
	size_t cap = 0, n = 0;
	bool is;

	is = fd >= 0 && na_feed_open(&s, fd, path, &err) == NA_OK &&
	     read_head(&s, &bytes, &cap, &n, &err) == NA_OK &&
	     (na_hlo_is_text(bytes, n) || na_hlo_is_proto(bytes, n));
	if (fd >= 0)
		na_feed_close(&s);
	free(bytes);
	return is;
}

/* NA_END: it is no module. */
static enum na_status read_stream(struct dump *d, struct na_feed *s,
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
	const char *odd = must ? NULL : na_odd_file_kind(path);
	int fd = odd ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct na_feed s = {.fd = -1};
	enum na_status st;

	if (odd)
		return complain(d, path, odd);
	if (fd < 0)
		return must ? na_fail_errno(d->err, path)
			    : complain(d, path, strerror(errno));
	na_inputs_add(fd);
	st = na_feed_open(&s, fd, path, &err); /* owns fd from here on */
	if (st == NA_OK)
		st = read_stream(d, &s, worker, &err);
	na_feed_close(&s);
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

/* `worker`: of the directory's own files; those below are called by their
 * directories. */
static enum na_status read_directory(struct dump *d, const char *path,
				     const char *worker)
{
	struct na_hlo_dumps f = {.items = NULL};
	struct na_arena a = {NULL};
	enum na_status st;

	st = na_hlo_walk(path, &a, &f, d->err);
	for (size_t i = 0; st == NA_OK && i < f.n; i++) {
		const char *below = f.items[i].below;

		st = read_file(d, f.items[i].path, below ? below : worker,
			       false);
	}
	free(f.items);
	na_arena_fini(&a);
	return st;
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
		st = read_directory(&d, path, name);
	} else {
		st = read_file(&d, path, name, true);
	}
	free(name);
	return st;
}

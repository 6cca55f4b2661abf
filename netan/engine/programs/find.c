#include "netan/engine/programs/find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/discover.h"
#include "ingest/hlo/hlo.h"
#include "netan/base/vec.h"

static bool is_trace(const char *path)
{
	return strstr(path, ".xplane.pb") || strstr(path, ".netan");
}

static enum na_status add(struct na_hlo_files *f, const struct na_hlo_file *x,
			  struct na_err *err)
{
	if (f->n == NA_HLO_FILES_MAX)
		return na_fail(err, NA_ELIMIT,
			       "more than %d files; give fewer directories at "
			       "once",
			       NA_HLO_FILES_MAX);
	if (!na_grow(&f->items, &f->cap, f->n + 1, sizeof(*f->items)))
		return na_fail_nomem(err);
	f->items[f->n++] = *x;
	return NA_OK;
}

static enum na_status walk(const struct na_request_input *in,
			   struct na_arena *a, struct na_hlo_files *f,
			   struct na_err *err)
{
	struct na_hlo_dumps found = {.items = NULL};
	enum na_status st = na_hlo_walk(in->path, a, &found, err);

	for (size_t i = 0; st == NA_OK && i < found.n; i++)
		st = add(f,
			 &(struct na_hlo_file){.path = found.items[i].path,
					       .owner = found.items[i].dir,
					       .given = in->path,
					       .label = in->label,
					       .listed = true},
			 err);
	free(found.items);
	return st;
}

/* True where the directory is a session; its dumps are its traces' own. */
static bool session(const struct na_request_input *in, struct na_arena *a,
		    struct na_hlo_files *f, struct na_hlo_choice *choice,
		    enum na_status *st, struct na_err *err)
{
	struct na_err no_session = {.status = NA_OK};
	struct na_found found = {.paths = NULL};
	bool any = false;

	*st = na_discover(in->path, a, &found, &no_session);
	for (size_t i = 0; *st == NA_OK && i < found.n; i++)
		any |= is_trace(found.paths[i]);
	for (size_t i = 0; *st == NA_OK && any && i < found.n; i++)
		*st = add(f,
			  &(struct na_hlo_file){.path = found.paths[i],
						.owner = found.paths[i],
						.given = in->path,
						.label = in->label,
						.in_session = true},
			  err);
	if (any)
		*choice = (struct na_hlo_choice){found.note, found.named};
	free(found.paths);
	return any;
}

enum na_status na_hlo_find(const struct na_request_input *in,
			   struct na_arena *a, struct na_hlo_files *f,
			   struct na_hlo_choice *choice, struct na_err *err)
{
	struct na_hlo_file self = {.path = in->path,
				   .owner = in->path,
				   .given = in->path,
				   .label = in->label};
	struct stat sb;
	enum na_status st;

	*choice = (struct na_hlo_choice){.note = NULL};
	if (strcmp(in->path, "-") == 0) {
		self.owner = "stdin";
		return add(f, &self, err);
	}
	if (stat(in->path, &sb) < 0)
		return na_fail(err, NA_EIO, "%s: %s", in->path,
			       strerror(errno));
	if (!S_ISDIR(sb.st_mode))
		return add(f, &self, err);
	if (session(in, a, f, choice, &st, err))
		return st;
	return walk(in, a, f, err);
}

/* ---- names */

/* The next part of a path between slashes; false at the end. */
static bool part(const char **at, const char **s, size_t *n)
{
	while (**at == '/' || (**at == '.' && (*at)[1] == '/'))
		++*at;
	*s = *at;
	*n = strcspn(*at, "/");
	*at += *n;
	return *n > 0;
}

static size_t parts_of(const char *path)
{
	const char *s;
	size_t n, found = 0;

	while (part(&path, &s, &n))
		found++;
	return found;
}

/* Part i of a path, or of its end counted backwards. */
static bool same_part(const char *a, const char *b, size_t i, bool from_end)
{
	size_t na = parts_of(a), nb = parts_of(b), ia, ib, n = 0, m = 0;
	const char *s = "", *t = "";

	if (i >= na || i >= nb)
		return false;
	ia = from_end ? na - 1 - i : i;
	ib = from_end ? nb - 1 - i : i;
	for (size_t k = 0; k <= ia; k++)
		part(&a, &s, &n);
	for (size_t k = 0; k <= ib; k++)
		part(&b, &t, &m);
	return n == m && memcmp(s, t, n) == 0;
}

/* How many parts all owners of dumps share at the beginning, or at the end;
 * a trace has its host's name. */
static size_t shared(const struct na_hlo_files *f, bool from_end)
{
	const char *first = NULL, *last = NULL;
	size_t least = 0;

	for (size_t i = 0; i < f->n; i++) {
		const char *other = f->items[i].owner;
		size_t n = 0;

		if (other == last || is_trace(f->items[i].path))
			continue;
		last = other;
		if (!first) {
			first = other;
			least = parts_of(other);
		}
		while (n < least && same_part(first, other, n, from_end))
			n++;
		least = n;
	}
	return least;
}

/* What is left of an owner; where nothing is, the last part of what was
 * given. */
static const char *rest(struct na_arena *a, const struct na_hlo_file *x,
			size_t head, size_t tail)
{
	const char *path = x->owner, *s = path, *from, *end;
	size_t n = parts_of(path), m = 0;

	if (head + tail >= n) {
		if (parts_of(x->given) && strcmp(x->given, ".") != 0 &&
		    strcmp(x->given, "-") != 0) {
			path = x->given;
			n = parts_of(path);
		}
		head = n ? n - 1 : 0;
		tail = 0;
	}
	for (size_t i = 0; i < head; i++)
		part(&path, &s, &m);
	from = end = path;
	for (size_t i = head; i + tail < n; i++) {
		part(&path, &s, &m);
		from = i == head ? s : from;
		end = path;
	}
	return na_arena_strn(a, from, (size_t)(end - from));
}

enum na_status na_hlo_name_workers(struct na_hlo_files *f, struct na_arena *a,
				   struct na_err *err)
{
	size_t head, tail;

	if (!f->n)
		return NA_OK;
	head = shared(f, false);
	tail = shared(f, true);
	for (size_t i = 0; i < f->n; i++) {
		struct na_hlo_file *x = &f->items[i];
		bool alone = x->label != NULL;

		/* One owner's files stand together. */
		if (i && f->items[i - 1].owner == x->owner &&
		    f->items[i - 1].label == x->label) {
			x->name = f->items[i - 1].name;
			x->named = f->items[i - 1].named;
			continue;
		}
		for (size_t k = 0; alone && k < f->n; k++)
			alone = !na_same_label(f->items[k].label, x->label) ||
				f->items[k].owner == x->owner ||
				!f->items[k].listed;
		x->named = alone;
		x->name = alone ? x->label : rest(a, x, head, tail);
		if (x->name && x->label && !alone)
			x->name = na_arena_path(a, x->label, x->name);
		if (!x->name)
			return na_fail_nomem(err);
	}
	return NA_OK;
}

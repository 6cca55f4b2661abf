#include "netan/cli/commands/ingest_beside.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/discover.h"
#include "ingest/transfer_file/write.h"
#include "netan/base/atomic_file.h"
#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/cli/output/output.h"

enum { NAMED = 5 };

static const char *base_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

bool na_ingest_sort(struct na_ingest_place *p, struct na_arena *a)
{
	size_t n = p->list->n;

	p->sorted = na_arena_alloc(a, (n + 1) * sizeof(*p->sorted));
	if (!p->sorted)
		return false;
	memcpy(p->sorted, p->names, n * sizeof(*p->sorted));
	na_sort(p->sorted, n, na_order_text);
	return true;
}

static bool is_ours(const struct na_ingest_place *p, const char *name)
{
	size_t at = NA_BOUND(i, 0, p->list->n,
			     strcmp(base_of(p->sorted[i]), name) >= 0);

	return at < p->list->n && strcmp(base_of(p->sorted[at]), name) == 0;
}

static bool ends(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n >= k && strcmp(name + n - k, end) == 0;
}

static bool is_ours_of(const void *ctx, const char *name)
{
	return is_ours(ctx, name);
}

/* What a killed call was writing. */
void na_ingest_sweep(const struct na_ingest_place *p)
{
	na_atomic_sweep(p->dir, ".netan", is_ours_of, p);
}

/* ---- of other inputs */

static bool is_other(const struct na_ingest_place *p, const char *name)
{
	return *name != '.' && ends(name, ".netan") && !is_ours(p, name);
}

size_t na_ingest_others(const struct na_ingest_place *p)
{
	DIR *d = opendir(p->dir);
	size_t n = 0;

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
		n += is_other(p, e->d_name);
	if (d)
		closedir(d);
	return n;
}

/* ---- inputs that are there under another name */

struct listed {
	dev_t dev;
	ino_t ino;
	size_t i; /* of the listing */
};

struct twice {
	const struct na_ingest_place *place;
	struct na_arena arena;
	NA_VEC(const char *) names; /* what files of theirs may be called */
	NA_VEC(struct listed) listed;
	const char *file;       /* that is looked at */
	size_t n;               /* files that hold one */
	const char *first, *as; /* one, what it would be called now */
};

static int order_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->dev != y->dev   ? (x->dev > y->dev) - (x->dev < y->dev)
	       : x->ino != y->ino ? (x->ino > y->ino) - (x->ino < y->ino)
				  : 0;
}

static bool find_listed(struct twice *t)
{
	const struct na_listing *l = t->place->list;
	bool ok = true, by_form;

	for (size_t i = 0; ok && i < l->n; i++) {
		const char *path = l->files[i].path;
		const char *slash = strrchr(path, '/');
		const char *host = na_host_of_path(path, &t->arena, &by_form);
		struct stat sb;

		if (stat(path, &sb) != 0 || !S_ISREG(sb.st_mode))
			continue;
		ok = host && na_add(&t->names, host) &&
		     na_add(&t->names, slash ? slash + 1 : path) &&
		     na_add(&t->listed,
			    ((struct listed){sb.st_dev, sb.st_ino, i}));
	}
	na_sort(t->names.v, t->names.n, na_order_text);
	na_sort(t->listed.v, t->listed.n, order_listed);
	return ok;
}

static bool is_named(const struct twice *t, const char *stem)
{
	size_t at = NA_BOUND(i, 0, t->names.n,
			     strcmp(t->names.v[i], stem) >= 0);

	return at < t->names.n && strcmp(t->names.v[at], stem) == 0;
}

/* By host, by the end of the path, or by number: nobody opens the files of
 * thousands of other hosts. */
static bool may_hold(const struct twice *t, const char *name)
{
	size_t n = strlen(name) - strlen(".netan");
	char *stem = strndup(name, n);
	bool may = !stem || strspn(stem, "0123456789") == n;

	for (char *p = stem; p && !may; p = p ? p + 1 : NULL) {
		may = is_named(t, p);
		p = strpbrk(p, "-_");
	}
	free(stem);
	return may;
}

static bool see_source(void *ctx, const char *from)
{
	struct twice *t = ctx;
	struct listed key;
	struct stat sb;
	size_t at;

	if (stat(from, &sb) != 0)
		return true;
	key = (struct listed){sb.st_dev, sb.st_ino, 0};
	at = NA_BOUND(i, 0, t->listed.n,
		      order_listed(&t->listed.v[i], &key) >= 0);
	if (at == t->listed.n || order_listed(&t->listed.v[at], &key) != 0)
		return true;
	/* Directories list in any order. */
	if (!t->n++ || strcmp(t->file, t->first) < 0) {
		t->first = t->file;
		t->as = t->place->names[t->listed.v[at].i];
	}
	return false;
}

static void find_twice(struct twice *t)
{
	const struct na_ingest_place *p = t->place;
	DIR *d = opendir(p->dir);

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		if (!is_other(p, e->d_name) || !may_hold(t, e->d_name))
			continue;
		t->file = na_arena_path(&t->arena, p->dir, e->d_name);
		if (t->file)
			na_xfer_each_path(t->file, see_source, t);
	}
	if (d)
		closedir(d);
}

bool na_ingest_say_twice(const struct na_ingest_place *p)
{
	struct twice t = {.place = p};
	char more[64] = "";

	if (find_listed(&t))
		find_twice(&t);
	if (t.n > 1)
		snprintf(more, sizeof(more), " (and so with %zu more files)",
			 t.n - 1);
	if (t.n && p->q->pseudonyms)
		na_say_error(p->q,
			     "%s: there are files of the same inputs, with "
			     "their names: give another directory",
			     p->dir);
	else if (t.n)
		na_say_error(p->q,
			     "%s was made from an input that would be there "
			     "twice, for it is called %s now%s: give another "
			     "directory, or move what is there to that name",
			     t.first, t.as, more);
	na_vec_free(&t.names);
	na_vec_free(&t.listed);
	na_arena_fini(&t.arena);
	return t.n > 0;
}

/* ---- without a trace */

struct folder {
	dev_t dev;
	ino_t ino;
};

struct stale {
	const struct na_ingest_place *place;
	struct na_arena arena;
	NA_VEC(struct folder) folders; /* of the inputs */
	NA_VEC(const char *) gone;     /* files whose trace is */
	size_t n;                      /* that were told */
};

static bool find_folder(const char *path, struct folder *to)
{
	char *folder = na_folder_of(path);
	struct stat sb;
	bool ok = folder && stat(folder, &sb) == 0;

	free(folder);
	if (ok)
		*to = (struct folder){sb.st_dev, sb.st_ino};
	return ok;
}

static void find_folders(struct stale *s)
{
	const struct na_listing *l = s->place->list;
	const char *last = "";

	for (size_t i = 0; i < l->n; i++) {
		const char *path = l->files[i].path;
		const char *slash = strrchr(path, '/');
		size_t n = slash ? (size_t)(slash - path) + 1 : 0;
		struct folder f;

		if (i && strncmp(path, last, n) == 0 && !strchr(last + n, '/'))
			continue;
		if (find_folder(path, &f))
			(void)na_add(&s->folders, f);
		last = path;
	}
}

/* Files of other folders are other calls', whose traces may be gone for
 * good. */
static bool is_gone(const struct stale *s, const char *trace)
{
	struct stat sb;
	struct folder f;
	bool in = false;

	if (stat(trace, &sb) == 0 || errno != ENOENT || !find_folder(trace, &f))
		return false;
	for (size_t i = 0; !in && i < s->folders.n; i++)
		in = s->folders.v[i].dev == f.dev &&
		     s->folders.v[i].ino == f.ino;
	return in;
}

static void find_gone(struct stale *s)
{
	const struct na_ingest_place *p = s->place;
	DIR *d = opendir(p->dir);

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		const char *file;
		char *trace;

		if (!is_other(p, e->d_name))
			continue;
		file = na_arena_path(&s->arena, p->dir, e->d_name);
		trace = file ? na_xfer_made_from(file) : NULL;
		if (trace && is_gone(s, trace))
			(void)na_add(&s->gone, file);
		free(trace);
	}
	if (d)
		closedir(d);
	na_sort(s->gone.v, s->gone.n, na_order_text);
}

static void say(struct stale *s, const char *file, const char *why)
{
	if (s->n++ < NAMED)
		na_say_warning(s->place->q, "%s stays from before, though %s",
			       file, why);
}

void na_ingest_say_stale(const struct na_ingest_place *p, const bool *unread)
{
	struct stale s = {.place = p};

	for (size_t i = 0; i < p->list->n; i++) {
		if (unread[i])
			say(&s, p->names[i],
			    "its trace cannot be read now: remove it or make "
			    "the trace readable");
	}
	find_folders(&s);
	find_gone(&s);
	for (size_t i = 0; i < s.gone.n; i++)
		say(&s, s.gone.v[i],
		    "its trace is gone: remove it, unless it is wanted or "
		    "another machine wrote it");
	if (s.n > NAMED)
		na_say_warning(p->q, "and %zu more stay from before",
			       s.n - NAMED);
	na_vec_free(&s.folders);
	na_vec_free(&s.gone);
	na_arena_fini(&s.arena);
}

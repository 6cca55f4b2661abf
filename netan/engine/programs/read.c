#include "netan/engine/programs/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/programs/file.h"
#include "netan/engine/programs/find.h"

enum { WARNINGS_MAX = 20 }; /* kept of a source */

/* ---- sources, and what is wrong with them */

static struct na_hlo_source *add_source(struct na_hlo_reading *x,
					const char *path, const char *label)
{
	struct na_hlo_source *s;

	if (!na_grow(&x->sources, &x->cap_sources, x->n_sources + 1,
		     sizeof(*x->sources)))
		return NULL;
	s = &x->sources[x->n_sources++];
	*s = (struct na_hlo_source){.path = path, .label = label};
	na_hide(x->request, NA_ALIAS_INPUT, path);
	return s;
}

static void keep_warning(struct na_hlo_reading *x, struct na_hlo_source *s,
			 const char *text)
{
	const char *copy;

	if (s->n_warnings >= WARNINGS_MAX)
		return;
	copy = na_arena_strn(&x->arena, text, strlen(text));
	if (copy && na_grow(&s->warnings, &s->cap_warnings, s->n_warnings + 1,
			    sizeof(*s->warnings)))
		s->warnings[s->n_warnings++] = copy;
}

static void say(struct na_hlo_reading *x, const char *text)
{
	if (x->only_one)
		na_say_error(x->request, "%s", text);
	else
		na_say_warning(x->request, "%s", text);
	x->said |= x->only_one;
}

/* What is true of all hosts of a job is said once, at the end. */
static void warn_of(struct na_hlo_reading *x, struct na_hlo_source *s,
		    const struct na_hlo_told *t)
{
	if (!t->bare)
		say(x, t->text);
	else if (!x->bare++)
		x->first_bare = na_arena_strn(&x->arena, t->text,
					      strlen(t->text));
	keep_warning(x, s, t->text);
}

static void say_bare(struct na_hlo_reading *x)
{
	if (x->bare > 1)
		na_say_warning(x->request,
			       "%s traces without HLO modules: "
			       NA_HLO_LOOKED_FOR, na_grouped(x->bare));
	else if (x->bare && x->first_bare)
		say(x, x->first_bare);
}

/* ---- of equal modules one keeps its instructions */

static uint64_t key_of(const struct na_hlo_module *m)
{
	return na_hlo_mix(na_hlo_mix(m->fingerprint, m->name), m->form);
}

static bool same_program(const struct na_hlo_module *a,
			 const struct na_hlo_module *b)
{
	return a->fingerprint == b->fingerprint && a->name == b->name &&
	       a->form == b->form && a->n_instructions == b->n_instructions;
}

/* The slot of an equal module, or a free one. */
static uint32_t *slot_of(struct na_hlo_reading *x,
			 const struct na_hlo_module *m)
{
	size_t mask = x->seen.n_slots - 1, i = key_of(m) & mask;

	while (x->seen.slots[i] &&
	       !same_program(&x->hlo.modules[x->seen.slots[i] - 1], m))
		i = (i + 1) & mask;
	return &x->seen.slots[i];
}

static bool make_room(struct na_hlo_reading *x)
{
	uint32_t *old = x->seen.slots;
	size_t n = x->seen.n_slots;

	if (2 * (x->seen.n + 1) <= n)
		return true;
	x->seen.n_slots = n ? 2 * n : 64;
	x->seen.slots = na_calloc(x->seen.n_slots, sizeof(*old));
	if (!x->seen.slots) {
		x->seen.slots = old;
		x->seen.n_slots = n;
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (old[i])
			*slot_of(x, &x->hlo.modules[old[i] - 1]) = old[i];
	}
	free(old);
	return true;
}

static bool keep_one_of_each(struct na_hlo_reading *x, size_t from)
{
	for (size_t i = from; i < x->hlo.n_modules; i++) {
		struct na_hlo_module *m = &x->hlo.modules[i];
		uint32_t *slot;

		if (!make_room(x))
			return false;
		slot = slot_of(x, m);
		if (*slot) {
			na_hlo_strip(m);
			continue;
		}
		*slot = (uint32_t)i + 1;
		x->seen.n++;
		if (x->seen.instructions &&
		    x->seen.instructions + m->n_instructions > NA_HLO_KEPT_MAX)
			na_hlo_strip(m);
		else
			x->seen.instructions += m->n_instructions;
	}
	return true;
}

/* ---- one file: what was read of it, into the whole */

struct joining {
	struct na_hlo_reading *x;
	struct na_hlo_source *source;
	const struct na_hlo_files *all;
	struct na_hlo_piece *piece;
};

static bool host_taken(const struct na_hlo_reading *x, const char *name)
{
	for (size_t i = 0; i < x->n_sources; i++) {
		const char *host = x->sources[i].host;

		if (host && strcmp(host, name) == 0)
			return true;
	}
	return false;
}

static size_t with_label(const struct na_hlo_files *files, const char *label)
{
	size_t n = 0;

	for (size_t i = 0; label && i < files->n; i++)
		n += files->items[i].label == label;
	return n;
}

/* A trace knows its host; two of one host are told apart by their paths. */
static const char *host_of(const struct joining *j)
{
	struct na_arena *a = &j->x->arena;
	const struct na_hlo_file *file = j->piece->file;
	bool by_form;
	const char *name = na_host_of_path(file->path, a, &by_form);
	char both[600];

	if (!name)
		return NULL;
	if ((!by_form || j->piece->host_kept) && j->piece->host)
		name = j->piece->host;
	else if (strcmp(file->path, "-") == 0)
		name = "stdin";
	if (file->label && with_label(j->all, file->label) == 1) {
		name = file->label;
	} else if (file->label) {
		snprintf(both, sizeof(both), "%.200s/%.200s", file->label,
			 name);
		name = both;
	}
	if (host_taken(j->x, name))
		name = file->path;
	return na_arena_strn(a, name, strlen(name));
}

/* The worker of a trace is called as it is among the others. */
static bool name_worker(const struct joining *j)
{
	struct na_hlo *h = &j->piece->hlo;
	char *copy;

	j->source->host = host_of(j);
	if (!j->source->host)
		return false;
	na_hide(j->x->request, NA_ALIAS_HOST, j->source->host);
	if (!h->n_workers)
		return true;
	copy = strdup(j->source->host);
	if (!copy)
		return false;
	free(h->workers[0].name);
	h->workers[0].name = copy;
	return true;
}

/* Those that are here already need not bring all their names. */
static bool slim_known(struct na_hlo_reading *x, struct na_hlo *h)
{
	for (size_t i = 0; x->seen.n && i < h->n_modules; i++) {
		struct na_hlo_module *m = &h->modules[i], probe = *m;
		const char *name = na_strtab_at(&h->strings, m->name);

		if (m->name != NA_NO_NAME) {
			probe.name = na_strtab_add(&x->hlo.strings, name,
						   strlen(name));
			if (probe.name == NA_NO_NAME)
				return false;
		}
		if (*slot_of(x, &probe))
			na_hlo_strip(m);
	}
	return true;
}

static enum na_status join(const struct joining *j, struct na_err *err)
{
	struct na_hlo_reading *x = j->x;
	struct na_hlo_piece *p = j->piece;
	size_t n = p->hlo.n_modules, before = x->hlo.n_modules;

	if (p->err.status != NA_OK) {
		*err = p->err;
		return err->status;
	}
	j->source->format = p->format;
	if (p->trace && !name_worker(j))
		return na_fail_nomem(err);
	if (!p->trace)
		j->source->host = p->file->name;
	if (!p->trace && !p->file->named)
		na_hide(x->request, NA_ALIAS_HOST, p->file->name);
	if (p->trace && !n)
		j->source->host = NULL;
	for (const struct na_hlo_told *t = p->told; t; t = t->next) {
		x->only_one = x->only_one && !t->partial;
		x->damaged |= t->damaged;
		warn_of(x, j->source, t);
	}
	x->no_dump |= p->no_dump;
	j->source->passed_over += p->passed_over;
	j->source->file_bytes += p->file_bytes;
	j->source->files++;
	j->source->modules += n;
	if (!slim_known(x, &p->hlo) || !na_hlo_take(&x->hlo, &p->hlo) ||
	    !keep_one_of_each(x, before))
		return na_fail_nomem(err);
	return NA_OK;
}

/* ---- all of them */

/* A directory's dumps are one source. */
static struct na_hlo_source *source_for(struct na_hlo_reading *x,
					const struct na_hlo_file *file)
{
	struct na_hlo_source *last = x->n_sources
					     ? &x->sources[x->n_sources - 1]
					     : NULL;

	if (file->listed && last && last->path == file->owner)
		return last;
	return add_source(x, file->listed ? file->owner : file->path,
			  file->label);
}

static void read_piece(void *ctx, size_t i)
{
	struct na_hlo_piece *pieces = ctx;

	na_hlo_piece_read(&pieces[i]);
}

/* n files from `first` on, each on a thread; joined in their order, whoever
 * was done first. */
static enum na_status read_round(struct na_hlo_reading *x,
				 const struct na_hlo_files *files, size_t first,
				 struct na_hlo_piece *pieces, size_t n,
				 struct na_err *err)
{
	for (size_t i = 0; i < n; i++)
		na_hlo_piece_init(&pieces[i], &files->items[first + i],
				  x->request->pseudonyms);
	if (!na_parallel(na_threads_of(x->request), n, read_piece, pieces))
		na_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct joining j = {.x = x, .all = files, .piece = &pieces[i]};

		if (err->status == NA_OK) {
			j.source = source_for(x, pieces[i].file);
			if (j.source)
				join(&j, err);
			else
				na_fail_nomem(err);
		}
		na_hlo_piece_fini(&pieces[i]);
	}
	return err->status;
}

static enum na_status read_all(struct na_hlo_reading *x,
			       const struct na_hlo_files *files,
			       struct na_err *err)
{
	size_t most = 2 * na_threads_of(x->request), n;
	struct na_hlo_piece *pieces = na_calloc(most, sizeof(*pieces));

	if (!pieces)
		na_fail_nomem(err);
	for (size_t i = 0; err->status == NA_OK && i < files->n; i += n) {
		n = files->n - i < most ? files->n - i : most;
		na_say_progress(x->request, files->items[i].path,
				(double)i / (double)files->n);
		if (na_interrupted())
			na_fail(err, NA_EIO, "interrupted");
		else
			read_round(x, files, i, pieces, n, err);
	}
	na_say_progress(x->request, NULL, 1);
	say_bare(x);
	free(pieces);
	return err->status;
}

/* Workers of whom no module was read are nobody to compare with. */
static bool drop_idle_workers(struct na_hlo *h)
{
	uint32_t *to = na_calloc(h->n_workers + 1, sizeof(*to)), n = 0;

	if (!to)
		return false;
	for (size_t i = 0; i < h->n_modules; i++)
		to[h->modules[i].worker] = 1;
	for (size_t w = 0; w < h->n_workers; w++) {
		if (!to[w]) {
			free(h->workers[w].name);
			continue;
		}
		h->workers[n] = h->workers[w];
		to[w] = n++;
	}
	h->n_workers = n;
	for (size_t i = 0; i < h->n_modules; i++)
		h->modules[i].worker = to[h->modules[i].worker];
	free(to);
	return true;
}

/* What of one input could not be read. */
static enum na_status miss(struct na_hlo_reading *x,
			   const struct na_request_input *in, const char *why,
			   struct na_err *err)
{
	struct na_hlo_source *s = add_source(x, in->path, in->label);

	x->damaged = true;
	x->only_one = x->request->n_inputs == 1;
	if (!s)
		return na_fail_nomem(err);
	warn_of(x, s, &(struct na_hlo_told){.text = why});
	return NA_OK;
}

static enum na_status find_in(struct na_hlo_reading *x,
			      const struct na_request_input *in,
			      struct na_hlo_files *files, struct na_err *err)
{
	struct na_err why = {.status = NA_OK};
	struct na_hlo_choice choice;
	size_t before = files->n;
	enum na_status st = na_hlo_find(in, &x->arena, files, &choice, &why);

	if (st == NA_ENOMEM)
		return na_fail_nomem(err);
	na_hide(x->request, NA_ALIAS_PATH, choice.named);
	if (choice.note && na_grow(&x->notes, &x->cap_notes, x->n_notes + 1,
				   sizeof(*x->notes)))
		x->notes[x->n_notes++] = choice.note;
	if (st == NA_OK && files->n > before)
		return NA_OK;
	x->no_dump |= st == NA_OK;
	if (st == NA_OK)
		na_fail(&why, NA_EFORMAT,
			"%s: no dump in this directory or below: looked for "
			"*.pb, *.txt and *.hlo, compressed or not, and for "
			"traces (*.xplane.pb)",
			in->path);
	return miss(x, in, why.text, err);
}

/* Workers that are called by their paths: directories may be hosts. */
static void hide_directories(const struct na_request *q, const char *name)
{
	char dir[512];

	for (const char *at = name, *end; (end = strchr(at, '/'));
	     at = end + 1) {
		snprintf(dir, sizeof(dir), "%.*s",
			 (int)(end - at < 500 ? end - at : 500), at);
		/* Not what could be a word of any sentence. */
		if (strpbrk(dir, "0123456789"))
			na_hide(q, NA_ALIAS_DIR, dir);
	}
}

static enum na_status find_all(struct na_hlo_reading *x,
			       struct na_hlo_files *files, struct na_err *err)
{
	const struct na_request *q = x->request;
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < q->n_inputs; i++)
		st = find_in(x, &q->inputs[i], files, err);
	if (st == NA_OK)
		st = na_hlo_name_workers(files, &x->arena, err);
	for (size_t i = 0; i < files->n; i++) {
		na_hide_later(q, files->items[i].name);
		na_hide(q, NA_ALIAS_INPUT, files->items[i].path);
		if (files->items[i].name)
			hide_directories(q, files->items[i].name);
	}
	x->only_one = q->n_inputs == 1 && files->n == 1;
	return st;
}

static size_t files_of(const struct na_hlo_reading *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_sources; i++)
		n += x->sources[i].files;
	return n;
}

static enum na_status say_no_module(const struct na_hlo_reading *x)
{
	const struct na_request *q = x->request;

	if (!x->said)
		na_say_error(q, "no HLO module in %s (files looked at: %zu)",
			     q->n_inputs == 1 ? "this input" : "these inputs",
			     files_of(x));
	if (x->no_dump)
		na_say_hint(q,
			    "dump them with XLA_FLAGS=--xla_dump_to=DIR (with "
			    "--xla_dump_hlo_as_proto in binary form), a "
			    "directory for each worker, or give the traces of "
			    "the workers");
	return NA_EFORMAT;
}

enum na_status na_hlo_reading_open(struct na_hlo_reading *x,
				   const struct na_request *q)
{
	struct na_hlo_files files = {.items = NULL};
	struct na_err err = {.status = NA_OK};

	memset(x, 0, sizeof(*x));
	x->request = q;
	na_hlo_init(&x->hlo, true);
	if (find_all(x, &files, &err) == NA_OK &&
	    read_all(x, &files, &err) == NA_OK && !drop_idle_workers(&x->hlo))
		na_fail_nomem(&err);
	free(files.items);
	if (err.status != NA_OK)
		na_say_error(q, "%s", err.text);
	else if (!x->hlo.n_modules)
		return say_no_module(x);
	return err.status;
}

void na_hlo_reading_close(struct na_hlo_reading *x)
{
	for (size_t i = 0; i < x->n_sources; i++)
		free(x->sources[i].warnings);
	free(x->sources);
	free(x->notes);
	free(x->seen.slots);
	na_hlo_fini(&x->hlo);
	na_arena_fini(&x->arena);
}

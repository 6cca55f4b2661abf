#include "netan/cli/hlo_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/hlo.h"
#include "netan/base/vec.h"
#include "netan/cli/hlo_find.h"

enum { WARNINGS_MAX = 20 }; /* kept of a source */

static void out_of_memory(const struct na_hlo_reading *x)
{
	na_say_error(x->cli, "out of memory");
}

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

static void warn_of(struct na_hlo_reading *x, struct na_hlo_source *s,
		    const char *text)
{
	if (x->only_one)
		na_say_error(x->cli, "%s", text);
	else
		na_say_warning(x->cli, "%s", text);
	x->said |= x->only_one;
	keep_warning(x, s, text);
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

static void slim(struct na_hlo_module *m)
{
	free(m->computations);
	free(m->instructions);
	free(m->operands);
	free(m->texts);
	m->computations = NULL;
	m->instructions = NULL;
	m->operands = NULL;
	m->texts = NULL;
	m->cap_computations = m->cap_instructions = 0;
	m->cap_operands = m->cap_texts = 0;
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
			slim(m);
			continue;
		}
		*slot = (uint32_t)i + 1;
		x->seen.n++;
		if (x->seen.instructions &&
		    x->seen.instructions + m->n_instructions > NA_HLO_KEPT_MAX)
			slim(m);
		else
			x->seen.instructions += m->n_instructions;
	}
	return true;
}

/* ---- one file */

struct reading_file {
	struct na_hlo_reading *x;
	const struct na_hlo_file *file;
	struct na_hlo_source *source;
	const char *path; /* standard input: where its copy is */
	const struct na_hlo_files *all;
};

/* What speaks of the copy of standard input speaks of that. */
static void say_of(struct reading_file *f, const char *text)
{
	size_t n = strlen(f->path);
	char line[1200];

	if (f->path != f->file->path && strncmp(text, f->path, n) == 0) {
		snprintf(line, sizeof(line), "standard input%s", text + n);
		text = line;
	}
	warn_of(f->x, f->source, text);
}

static void warn_dump(void *ctx, const char *text)
{
	struct reading_file *f = ctx;

	f->x->damaged = true;
	say_of(f, text);
}

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
static const char *host_of(struct reading_file *f, const struct na_input *in)
{
	struct na_arena *a = &f->x->arena;
	const struct na_hlo_file *file = f->file;
	bool by_form;
	const char *name = na_host_of_path(file->path, a, &by_form);
	char both[600];

	if (!name)
		return NULL;
	if (!by_form && in->host && *in->host)
		name = in->host;
	else if (strcmp(file->path, "-") == 0)
		name = "stdin";
	if (file->label && with_label(f->all, file->label) == 1) {
		name = file->label;
	} else if (file->label) {
		snprintf(both, sizeof(both), "%.200s/%.200s", file->label,
			 name);
		name = both;
	}
	if (host_taken(f->x, name))
		name = file->path;
	return na_arena_strn(a, name, strlen(name));
}

static enum na_status read_trace(struct reading_file *f, struct na_input *in,
				 struct na_err *err)
{
	struct na_hlo_reading *x = f->x;
	size_t before = x->hlo.n_modules;
	enum na_status st;

	f->source->format = in->format;
	f->source->host = host_of(f, in);
	if (!f->source->host)
		return na_fail_nomem(err);
	in->host = f->source->host;
	st = in->reader->programs(in, (uint32_t)(f->source - x->sources),
				  &x->hlo, err);
	for (const struct na_warning *w = in->warnings; w; w = w->next) {
		char text[900];

		f->x->only_one = false; /* the rest is there */
		f->x->damaged = true;
		snprintf(text, sizeof(text), "%s: %s", f->path, w->text);
		say_of(f, text);
	}
	if (st == NA_OK && x->hlo.n_modules == before) {
		char text[900];

		x->no_dump = true;
		f->source->host = NULL;
		if (!in->size)
			return NA_OK; /* an empty file, as was said */
		snprintf(text, sizeof(text),
			 "%s: a trace without HLO modules: looked for \"Hlo "
			 "Proto\" on the plane \"/host:metadata\"",
			 f->path);
		say_of(f, text);
	}
	return st;
}

/* `why`: it is no trace either, or NULL. */
static enum na_status read_dump(struct reading_file *f, const char *why,
				struct na_err *err)
{
	struct na_err inner = {.status = NA_OK};
	size_t n = 0, at = strlen(f->path);
	enum na_status st;
	char text[1100];

	f->source->format = "hlo";
	f->source->host = f->file->name;
	st = na_hlo_read_path(&f->x->hlo, f->path, f->file->name, warn_dump, f,
			      &n, &inner);
	if (st == NA_ENOMEM)
		return na_fail_nomem(err);
	if (st == NA_OK)
		return NA_OK;
	f->x->no_dump |= st == NA_EDOMAIN;
	if (st == NA_EDOMAIN && f->file->listed) {
		f->source->passed_over++;
		return NA_OK;
	}
	if (st == NA_EDOMAIN && why && strncmp(why, f->path, at) == 0)
		snprintf(text, sizeof(text), "%s; and no trace%s", inner.text,
			 why + at);
	else
		snprintf(text, sizeof(text), "%s", inner.text);
	warn_dump(f, text);
	return NA_OK;
}

static enum na_status read_file(struct reading_file *f, struct na_err *err)
{
	struct na_err inner = {.status = NA_OK};
	struct na_input in;
	enum na_status st;

	if (f->file->listed)
		return read_dump(f, NULL, err);
	if (na_input_open(&in, f->path, NA_WANT_PROGRAMS, NULL, &inner) !=
	    NA_OK) {
		if (inner.status == NA_ENOMEM)
			return na_fail_nomem(err);
		return read_dump(f, inner.text, err);
	}
	f->source->file_bytes += in.file_bytes;
	if (in.reader->programs && !in.reader->slim_programs) {
		st = read_trace(f, &in, err);
	} else {
		char text[900];

		snprintf(text, sizeof(text),
			 "%s: a %s file holds no HLO modules; wanted a trace "
			 "(.xplane.pb) or an HLO dump",
			 f->path, in.format);
		warn_dump(f, text);
		st = NA_OK;
	}
	na_input_close(&in);
	return st;
}

/* A pipe cannot be tried twice: a copy without a name. */
static enum na_status copy_stdin(FILE **copy, char path[64], struct na_err *err)
{
	static char buf[65536];
	ssize_t n;

	*copy = tmpfile();
	if (!*copy)
		return na_fail_errno(err, "temporary file");
	while ((n = read(STDIN_FILENO, buf, sizeof(buf))) > 0) {
		if (fwrite(buf, 1, (size_t)n, *copy) != (size_t)n)
			return na_fail_errno(err, "temporary file");
	}
	if (n < 0)
		return na_fail_errno(err, "standard input");
	if (fflush(*copy) != 0)
		return na_fail_errno(err, "temporary file");
	snprintf(path, 64, "/proc/self/fd/%d", fileno(*copy));
	return NA_OK;
}

static enum na_status read_any(struct reading_file *f, struct na_err *err)
{
	size_t before = f->x->hlo.n_modules;
	FILE *copy = NULL;
	char path[64];
	struct stat sb;
	enum na_status st = NA_OK;

	f->path = f->file->path;
	if (strcmp(f->path, "-") == 0) {
		st = copy_stdin(&copy, path, err);
		f->path = path;
	} else if (f->file->listed && stat(f->path, &sb) == 0) {
		f->source->file_bytes += (uint64_t)sb.st_size;
	}
	if (st == NA_OK)
		st = read_file(f, err);
	if (copy)
		fclose(copy);
	f->source->files++;
	f->source->modules += f->x->hlo.n_modules - before;
	if (st == NA_OK && !keep_one_of_each(f->x, before))
		return na_fail_nomem(err);
	return st;
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

static enum na_exit read_all(struct na_hlo_reading *x,
			     const struct na_hlo_files *files)
{
	struct na_progress progress;
	struct na_err err = {.status = NA_OK};
	enum na_status st = NA_OK;

	na_progress_start(&progress, x->cli);
	for (size_t i = 0; st == NA_OK && i < files->n; i++) {
		struct reading_file f = {
			.x = x,
			.file = &files->items[i],
			.source = source_for(x, &files->items[i]),
			.all = files,
		};

		na_progress_tell(&progress, f.file->path,
				 (double)i / (double)files->n);
		if (na_interrupted())
			st = na_fail(&err, NA_EIO, "interrupted");
		else if (!f.source)
			st = na_fail_nomem(&err);
		else
			st = read_any(&f, &err);
	}
	na_progress_end(&progress);
	if (st == NA_OK)
		return NA_EXIT_OK;
	na_say_error(x->cli, "%s", err.text);
	return NA_EXIT_FAILED;
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

static enum na_exit find_all(struct na_hlo_reading *x,
			     struct na_hlo_files *files)
{
	for (size_t i = 0; i < x->cli->n_inputs; i++) {
		const struct na_cli_input *in = &x->cli->inputs[i];
		struct na_err err = {.status = NA_OK};
		const char *note = NULL;
		size_t before = files->n;
		enum na_status st = na_hlo_find(in, &x->arena, files, &note,
						&err);
		struct na_hlo_source *s;

		if (st == NA_ENOMEM) {
			out_of_memory(x);
			return NA_EXIT_FAILED;
		}
		if (note && na_grow(&x->notes, &x->cap_notes, x->n_notes + 1,
				    sizeof(*x->notes)))
			x->notes[x->n_notes++] = note;
		if (st == NA_OK && files->n > before)
			continue;
		x->damaged = true;
		x->no_dump |= st == NA_OK;
		if (st == NA_OK)
			na_fail(&err, NA_EFORMAT,
				"%s: no dump in this directory or below: "
				"looked for *.pb, *.txt and *.hlo, packed or "
				"not, and for traces (*.xplane.pb)",
				in->path);
		s = add_source(x, in->path, in->label);
		x->only_one = x->cli->n_inputs == 1;
		if (!s) {
			out_of_memory(x);
			return NA_EXIT_FAILED;
		}
		warn_of(x, s, err.text);
	}
	return NA_EXIT_OK;
}

static size_t files_of(const struct na_hlo_reading *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_sources; i++)
		n += x->sources[i].files;
	return n;
}

enum na_exit na_hlo_reading_open(struct na_hlo_reading *x,
				 const struct na_cli *cli)
{
	struct na_hlo_files files = {.items = NULL};
	struct na_err err = {.status = NA_OK};
	enum na_exit exit;

	memset(x, 0, sizeof(*x));
	x->cli = cli;
	na_arena_init(&x->arena);
	na_hlo_init(&x->hlo, true);
	exit = find_all(x, &files);
	if (exit == NA_EXIT_OK &&
	    na_hlo_name_workers(&files, &x->arena, &err) != NA_OK) {
		na_say_error(cli, "%s", err.text);
		exit = NA_EXIT_FAILED;
	}
	x->only_one = cli->n_inputs == 1 && files.n == 1;
	if (exit == NA_EXIT_OK)
		exit = read_all(x, &files);
	free(files.items);
	if (exit != NA_EXIT_OK)
		return exit;
	if (!drop_idle_workers(&x->hlo)) {
		out_of_memory(x);
		return NA_EXIT_FAILED;
	}
	if (x->hlo.n_modules)
		return NA_EXIT_OK;
	if (!x->said)
		na_say_error(cli, "no HLO module in %s (files looked at: %zu)",
			     cli->n_inputs == 1 ? "this input" : "these inputs",
			     files_of(x));
	if (x->no_dump)
		na_say_hint(
			cli,
			"dump them with XLA_FLAGS=--xla_dump_to=DIR (with "
			"--xla_dump_hlo_as_proto in binary form), a directory for "
			"each worker, or give the traces of the workers");
	return NA_EXIT_FAILED;
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

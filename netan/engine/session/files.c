/* The files of a session: found, shared out where several take part, opened
 * and surveyed; each source in a file is an input of its own. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/base/order.h"
#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/hangs/hangs.h"
#include "netan/engine/session/files.h"
#include "netan/engine/together/together.h"

NA_ORDER(by_name, struct na_file, NA_UP(run), na_natural_order(x->path, y->path),
	 strcmp(x->path, y->path))

static void refuse(struct na_session *s, const char *path, const char *label,
		   const char *why)
{
	char *copy;

	if (s->hangs && na_hang_reading_logs(s->hangs, path)) {
		s->n_logs++;
		return;
	}
	copy = strdup(why);
	/* With one input, what is wrong with it is the whole story. */
	if (s->only_one)
		na_say_error(s->request, "%s", why);
	else
		na_say_warning(s->request, "%s", why);
	if (copy && na_grow(&s->refused, &s->cap_refused, s->n_refused + 1,
			    sizeof(*s->refused)))
		s->refused[s->n_refused++] = (struct na_refused){
			path, label, copy, NULL};
	else
		free(copy);
}

static bool add_found(struct na_session *s, struct na_files *l,
		      const struct na_found *found, const char *label,
		      size_t run)
{
	if (found->note &&
	    na_grow(&s->notes, &s->cap_notes, s->n_notes + 1,
		    sizeof(*s->notes)))
		s->notes[s->n_notes++] = found->note;
	s->only_one &= found->n == 1;
	for (size_t k = 0; k < found->n; k++) {
		struct na_file f = {
			.path = found->paths[k], .label = label, .run = run};

		na_hide(s->request, NA_ALIAS_INPUT, f.path);
		if (!na_add(l, f))
			return false;
	}
	return true;
}

/* In an order that does not depend on how they were given: labels alone
 * keep theirs. */
static bool list_files(struct na_session *s, struct na_files *l)
{
	bool ok = true;

	for (size_t i = 0, run = 0; ok && i < s->request->n_inputs; i++) {
		const struct na_request_input *in = &s->request->inputs[i];
		struct na_err err = {.status = NA_OK};
		struct na_found found;

		for (run = 0; !na_same_label(s->request->inputs[run].label,
					     in->label);)
			run++;
		if (na_discover(in->path, &s->arena, &found, &err) != NA_OK)
			refuse(s, in->path, in->label, err.text);
		else
			ok = add_found(s, l, &found, in->label, run);
		free(found.paths);
	}
	na_sort(l->v, l->n, by_name);
	return ok;
}

static bool add_source(struct na_file *f)
{
	struct na_opened x = {.err = {.status = NA_OK}};

	return na_add(f, x);
}

static void open_sources(struct na_session *s, struct na_file *f)
{
	size_t n;

	if (na_interrupted()) {
		na_fail(&f->v[0].err, NA_EIO, "%s: not read: interrupted",
			f->path);
		return;
	}
	if (na_input_open(&f->v[0].in, f->path, s->wants, &s->asks,
			  &f->v[0].err) != NA_OK)
		return;
	n = f->v[0].in.n_sources;
	for (size_t k = 1; k < n; k++) {
		if (!add_source(f)) {
			na_fail_nomem(&f->v[0].err);
			return;
		}
		na_in_err(na_input_open_source(&f->v[k].in, &f->v[0].in, k,
					       &f->v[k].err));
	}
}

struct opening {
	struct na_session *s;
	struct na_files *l;
};

static void open_one(void *ctx, size_t i)
{
	struct opening *o = ctx;
	struct na_file *f = &o->l->v[i];

	if (!f->mine || f->n)
		return;
	if (add_source(f))
		open_sources(o->s, f);
	else
		o->l->short_of_memory = true;
}

static bool open_mine(struct na_session *s, struct na_files *l)
{
	struct opening o = {s, l};
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->v[i].mine;
	s->asks.idle_threads = s->threads > n;
	return na_parallel(s->threads, l->n, open_one, &o) &&
	       !l->short_of_memory;
}

static bool has_threads(const struct na_input *in)
{
	for (size_t i = 0; i < in->n_sections; i++) {
		if (na_same_nocase(in->sections[i].name,
				   strlen(in->sections[i].name), "/host:CPU") &&
		    in->sections[i].lines)
			return true;
	}
	return false;
}

/* One more input, opened or copied to its place by the caller. */
static bool kept(struct na_session *s, const char *label)
{
	struct na_source *to = &s->sources[s->n_inputs];
	struct na_input *in = &s->inputs[s->n_inputs++];

	if (!in->warnings)
		in->warnings_end = &in->warnings;
	*to = (struct na_source){.label = label ? label : in->label,
				 .capture = in->capture != NULL,
				 .host_threads = has_threads(in),
				 .on_cpus = in->on_cpus,
				 .told = in->told};
	return na_session_name_host(s, in, to) == NA_OK;
}

static bool room_for(struct na_session *s, const struct na_files *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->v[i].n;
	s->inputs = na_calloc(n, sizeof(*s->inputs));
	s->sources = na_calloc(n, sizeof(*s->sources));
	s->owners = na_calloc(n, sizeof(*s->owners));
	return s->inputs && s->sources && s->owners;
}

static bool keep_opened(struct na_session *s, struct na_files *l)
{
	bool ok = room_for(s, l);

	for (size_t i = 0; ok && i < l->n; i++) {
		struct na_file *f = &l->v[i];

		for (size_t k = 0; ok && k < f->n; k++) {
			struct na_opened *x = &f->v[k];

			if (x->err.status != NA_OK) {
				refuse(s, f->path, f->label, x->err.text);
				continue;
			}
			s->owners[s->n_inputs] = f->owner;
			s->inputs[s->n_inputs] = x->in;
			x->moved = true;
			ok = kept(s, f->label);
		}
	}
	return ok;
}

static void files_fini(struct na_files *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct na_file *f = &l->v[i];

		for (size_t k = f->n; k-- > 0;) { /* borrowers first */
			if (!f->v[k].moved && f->v[k].err.status == NA_OK)
				na_input_close(&f->v[k].in);
		}
		na_vec_free(f);
	}
	na_vec_free(l);
}

enum na_status na_session_files(struct na_session *s, struct na_err *err)
{
	struct na_files l = {.v = NULL};
	enum na_status st = NA_OK;

	if (!list_files(s, &l))
		st = na_fail_nomem(err);
	na_together_share_out(s, &l);
	if (st == NA_OK && !open_mine(s, &l))
		st = na_fail_nomem(err);
	if (st == NA_OK)
		st = na_together_meet(s, &l, err);
	/* Also what others were to open, where it cannot be shared. */
	if (st == NA_OK && !open_mine(s, &l))
		st = na_fail_nomem(err);
	if (st == NA_OK && !keep_opened(s, &l))
		st = na_fail_nomem(err);
	files_fini(&l);
	return st;
}

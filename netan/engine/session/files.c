/* The files of a session: found, shared out where several take part, opened
 * and surveyed; each source in a file is an input of its own. */
#include <stdlib.h>
#include <string.h>

#include "ingest/bytes/file_kind.h"
#include "netan/base/similar.h"
#include "netan/base/vec.h"
#include "netan/engine/hangs/hangs.h"
#include "netan/engine/mpi/mpi.h"
#include "netan/engine/session/files.h"

/* Skipped: by Ctrl-C, as thousands of others may be; they are rows of the
 * session, and that it was interrupted is said once. */
static void refuse(struct na_session *s, const char *path, const char *label,
		   const char *why, bool skipped)
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
	else if (!skipped)
		na_say_warning(s->request, "%s", why);
	if (copy && na_grow(&s->refused, &s->cap_refused, s->n_refused + 1,
			    sizeof(*s->refused)))
		s->refused[s->n_refused++] = (struct na_refused){path, label,
								 copy, NULL};
	else
		free(copy);
}

static bool list_files(struct na_session *s, struct na_files *l)
{
	const struct na_listing *x = &l->listing;

	if (na_mpi_lists(s) &&
	    !na_list_inputs(s->request, &s->arena, &l->listing))
		return false;
	for (size_t i = 0; i < x->n; i++) {
		struct na_file *f = na_push(l);

		if (!f)
			return false;
		f->listed = x->files[i];
	}
	return true;
}

/* What listing them had to say: of all, once they have met. */
static void say_listing(struct na_session *s, const struct na_listing *l)
{
	s->only_one = l->one_each && s->request->n_inputs == 1;
	for (size_t i = 0; i < l->n_said; i++) {
		const struct na_list_said *x = &l->said[i];

		if (x->refused)
			refuse(s, x->of->path, x->of->label, x->text, false);
		else if (na_grow(&s->notes, &s->cap_notes, s->n_notes + 1,
				 sizeof(*s->notes)))
			s->notes[s->n_notes++] = x->text;
	}
}

static bool add_source(struct na_file *f)
{
	struct na_opened x = {.err = {.status = NA_OK}};

	return na_add(f, x);
}

struct opening {
	struct na_session *s;
	struct na_files *l;
	size_t n; /* to be opened */
};

static size_t threads_of_each(const struct opening *o)
{
	return o->s->threads > o->n ? o->s->threads / o->n : 1;
}

static void open_sources(struct opening *o, struct na_file *f)
{
	struct na_session *s = o->s;
	size_t n;

	if (na_interrupted()) {
		na_fail(&f->v[0].err, NA_END, "%s: not read: interrupted",
			f->listed.path);
		return;
	}
	if (!na_request_names(s->request, f->listed.path) &&
	    na_check_file_kind(f->listed.path, &f->v[0].err) != NA_OK)
		return;
	if (na_cache_open(s, o->l, f, threads_of_each(o), &f->v[0].in))
		return;
	if (na_input_open(&f->v[0].in, f->listed.path, s->wants, &s->asks,
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

static void open_one(void *ctx, size_t i)
{
	struct opening *o = ctx;
	struct na_file *f = &o->l->v[i];

	if (!f->mine || f->n)
		return;
	if (add_source(f))
		open_sources(o, f);
	else
		o->l->short_of_memory = true;
}

static bool open_mine(struct na_session *s, struct na_files *l)
{
	struct opening o = {s, l, 0};

	for (size_t i = 0; i < l->n; i++)
		o.n += l->v[i].mine && !l->v[i].n;
	s->asks.idle_threads = s->threads > o.n;
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

/* The others would be a job of fewer hosts. */
static bool any_short(const struct na_files *l, struct na_err *err)
{
	for (size_t i = 0; i < l->n; i++) {
		for (size_t k = 0; k < l->v[i].n; k++) {
			if (l->v[i].v[k].err.status == NA_ENOMEM) {
				*err = l->v[i].v[k].err;
				return true;
			}
		}
	}
	return false;
}

static bool keep_opened(struct na_session *s, struct na_files *l,
			struct na_err *err)
{
	bool ok = !any_short(l, err) && room_for(s, l);

	for (size_t i = 0; ok && i < l->n; i++) {
		struct na_file *f = &l->v[i];

		for (size_t k = 0; ok && k < f->n; k++) {
			struct na_opened *x = &f->v[k];

			if (x->err.status != NA_OK) {
				refuse(s, f->listed.path, f->listed.label,
				       x->err.text, x->err.status == NA_END);
				continue;
			}
			s->owners[s->n_inputs] = f->owner;
			s->inputs[s->n_inputs] = x->in;
			x->moved = true;
			ok = kept(s, f->listed.label);
		}
	}
	return ok;
}

void na_files_fini(struct na_files *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct na_file *f = &l->v[i];

		for (size_t k = f->n; k-- > 0;) { /* borrowers first */
			if (!f->v[k].moved && f->v[k].err.status == NA_OK)
				na_input_close(&f->v[k].in);
		}
		na_vec_free(f);
		free(f->unmade);
	}
	na_vec_free(l);
	na_listing_fini(&l->listing);
}

enum na_status na_session_files(struct na_session *s, struct na_err *err)
{
	struct na_files l = {.v = NULL};
	enum na_status st = NA_OK;

	if (!list_files(s, &l))
		st = na_fail_nomem(err);
	if (st == NA_OK)
		st = na_mpi_share_out(s, &l, err);
	if (st == NA_OK)
		st = na_cache_begin(s, &l, err);
	if (st == NA_OK && !open_mine(s, &l))
		st = na_fail_nomem(err);
	if (st == NA_OK && na_cache_is_shards(s))
		na_cache_say(s, &l);
	if (st == NA_OK)
		st = na_mpi_meet(s, &l, err);
	/* Also what others were to open, where it cannot be shared. */
	if (st == NA_OK && !open_mine(s, &l))
		st = na_fail_nomem(err);
	if (st == NA_OK)
		say_listing(s, &l.listing);
	if (st == NA_OK && !na_cache_is_shards(s))
		na_cache_say(s, &l);
	if (st == NA_OK && !keep_opened(s, &l, err))
		st = na_fail_nomem(err);
	na_files_fini(&l);
	return st;
}

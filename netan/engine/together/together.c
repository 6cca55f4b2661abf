#include "netan/engine/together/together.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/engine/together/message.h"
#include "netan/engine/together/share.h"

void na_together_init(struct na_together *t, struct na_world *w)
{
	*t = (struct na_together){.world = w, .asks = true};
	pthread_mutex_init(&t->asking, NULL);
}

void na_together_fini(struct na_together *t)
{
	na_translations_free(t);
	pthread_mutex_destroy(&t->asking);
}

static struct na_together *of(const struct na_session *s)
{
	struct na_together *t = s->request->together;

	return t && t->world && t->world->size > 1 ? t : NULL;
}

/* ---- who opens what */

static uint64_t bytes_of(const struct na_file *f)
{
	struct stat sb;

	/* What cannot be looked at is refused by its owner. */
	return stat(f->path, &sb) == 0 && sb.st_size > 0 ? (uint64_t)sb.st_size
							 : 1;
}

void na_together_share_out(struct na_session *s, struct na_files *l)
{
	const struct na_together *t = of(s);
	size_t workers = t ? t->world->size - t->first_worker : 1;
	double all = 0, before = 0;

	for (size_t i = 0; t && i < l->n; i++)
		all += (double)bytes_of(&l->v[i]);
	for (size_t i = 0; i < l->n; i++) {
		struct na_file *f = &l->v[i];
		double bytes = t ? (double)bytes_of(f) : 0;
		size_t at = 0;

		if (t)
			at = (size_t)((before + bytes / 2) / all *
				      (double)workers);
		if (at >= workers)
			at = workers - 1;
		f->owner = t ? t->first_worker + at : 0;
		f->mine = !t || f->owner == t->world->rank;
		before += bytes;
	}
}

/* ---- facts */

static void put_file(struct na_xf_bytes *to, const struct na_file *f, size_t i)
{
	na_xf_put_varint(to, i);
	na_xf_put_varint(to, f->n);
	for (size_t k = 0; k < f->n; k++) {
		const struct na_opened *x = &f->v[k];

		na_xf_put_varint(to, x->err.status == NA_OK);
		if (x->err.status == NA_OK)
			na_facts_put(to, &x->in);
		else
			na_tell_words(to, x->err.text);
	}
}

static struct na_xf_bytes facts_of_mine(const struct na_files *l)
{
	struct na_xf_bytes m = na_message_of(NA_MSG_FACTS);
	bool suffice = true;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct na_file *f = &l->v[i];

		n += f->mine;
		for (size_t k = 0; f->mine && k < f->n; k++)
			suffice &= f->v[k].err.status != NA_OK ||
				   na_facts_suffice(&f->v[k].in);
	}
	na_xf_put_varint(&m, suffice);
	na_xf_put_varint(&m, l->n);
	na_xf_put_varint(&m, n);
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].mine)
			put_file(&m, &l->v[i], i);
	}
	return m;
}

static bool get_source(struct na_session *s, struct na_file *f,
		       struct na_cursor *c)
{
	struct na_opened *x = na_push(f);
	const char *why;
	size_t opened;

	if (!x || !na_hear_index(c, 2, &opened))
		return false;
	x->in.path = f->path;
	x->in.wants = s->wants;
	if (opened)
		return na_facts_get(c, &x->in);
	x->err.status = NA_EIO;
	if (!na_hear_words(c, &s->arena, &why) || !why)
		return false;
	x->err.status = NA_OK;
	na_fail(&x->err, NA_EIO, "%s", why);
	return true;
}

/* The files of one rank.  All ranks have found the same ones. */
static enum na_status get_files(struct na_session *s, struct na_files *l,
				size_t rank, struct na_cursor *c,
				struct na_err *err)
{
	size_t found, n, i, sources;

	if (!na_hear_index(c, UINT32_MAX, &found) || !na_hear_count(c, 2, &n))
		return na_message_broken(rank, err);
	if (found != l->n)
		return na_fail(err, NA_EIO,
			       "rank %zu finds %zu files where this one finds "
			       "%zu: all ranks must see the same inputs",
			       rank, found, l->n);
	while (n--) {
		if (!na_hear_index(c, l->n, &i) || l->v[i].owner != rank ||
		    (l->v[i].n && !l->v[i].mine) ||
		    !na_hear_count(c, 2, &sources))
			return na_message_broken(rank, err);
		while (sources--) {
			if (!get_source(s, &l->v[i], c))
				return na_message_broken(rank, err);
		}
	}
	return NA_OK;
}

/* Rank 0 has everybody's facts: `all` holds them one behind the other. */
static enum na_status gather(struct na_session *s, struct na_files *l,
			     struct na_xf_bytes *all, bool *suffice,
			     struct na_err *err)
{
	struct na_together *t = of(s);
	struct na_xf_bytes own = facts_of_mine(l);
	enum na_status st = NA_OK;

	*suffice = !own.failed && own.p[1];
	na_tell_run(all, own.p, own.n);
	na_xf_bytes_fini(&own);
	for (size_t r = 1; st == NA_OK && r < t->world->size; r++) {
		struct na_message m;
		size_t yes;

		st = na_message_want(t, r, NA_MSG_FACTS, &m, err);
		if (st != NA_OK)
			break;
		na_tell_run(all, m.p, (size_t)(m.c.end - m.c.base));
		if (!na_hear_index(&m.c, 2, &yes))
			st = na_message_broken(r, err);
		*suffice &= st == NA_OK && yes;
		free(m.p);
	}
	return st == NA_OK && all->failed ? na_fail_nomem(err) : st;
}

static enum na_status take_all(struct na_session *s, struct na_files *l,
			       struct na_cursor c, struct na_err *err)
{
	const struct na_together *t = of(s);
	enum na_status st = NA_OK;

	for (size_t r = 0; st == NA_OK && r < t->world->size; r++) {
		struct na_cursor x;
		struct na_text run;
		size_t yes;

		if (!na_hear_run(&c, &run))
			return na_message_broken(r, err);
		x = na_cursor_of(run.s, run.n);
		if (r == t->world->rank)
			continue;
		if (!na_skip(&x, 1) || !na_hear_index(&x, 2, &yes))
			return na_message_broken(r, err);
		st = get_files(s, l, r, &x, err);
	}
	return st;
}

static enum na_status tell_all(const struct na_together *t,
			       enum na_message_kind kind, struct na_err *err)
{
	enum na_status st = NA_OK;

	for (size_t r = 1; st == NA_OK && r < t->world->size; r++) {
		struct na_xf_bytes m = na_message_of(kind);

		st = na_message_send(t, r, &m, err);
	}
	return st;
}

static enum na_status meet_as_first(struct na_session *s, struct na_files *l,
				    struct na_err *err)
{
	struct na_together *t = of(s);
	struct na_xf_bytes all = {.p = NULL};
	bool suffice;
	enum na_status st = gather(s, l, &all, &suffice, err);
	void *p = all.p;

	if (st == NA_OK)
		st = tell_all(t, suffice ? NA_MSG_PLAN : NA_MSG_NOT_SHARED,
			      err);
	if (st == NA_OK && suffice)
		st = na_world_broadcast(t->world, &p, &all.n, err);
	if (st == NA_OK && suffice)
		st = take_all(s, l, na_cursor_of(all.p, all.n), err);
	if (st == NA_OK && !suffice) {
		na_say_detail(s->request,
			      "these inputs cannot be shared out (packets, "
			      "dumps and logs are read in one place): one of "
			      "%zu processes does all the work",
			      t->world->size);
		for (size_t i = 0; i < l->n; i++)
			l->v[i].mine = true;
	}
	t->shared = suffice;
	na_xf_bytes_fini(&all);
	return st;
}

static enum na_status meet_as_other(struct na_session *s, struct na_files *l,
				    struct na_err *err)
{
	struct na_together *t = of(s);
	struct na_xf_bytes own = facts_of_mine(l);
	enum na_status st = na_message_send(t, 0, &own, err);
	struct na_message m;
	void *all = NULL;
	size_t n = 0;

	if (st == NA_OK)
		st = na_message_next(t, 0, &m, err);
	if (st != NA_OK)
		return st;
	free(m.p);
	if (m.kind == NA_MSG_NOT_SHARED)
		return na_fail(err, NA_END, "%s", "");
	if (m.kind != NA_MSG_PLAN)
		return na_message_broken(0, err);
	st = na_world_broadcast(t->world, &all, &n, err);
	if (st == NA_OK)
		st = take_all(s, l, na_cursor_of(all, n), err);
	t->shared = true;
	free(all);
	return st;
}

enum na_status na_together_meet(struct na_session *s, struct na_files *l,
				struct na_err *err)
{
	struct na_together *t = of(s);

	if (!t)
		return NA_OK;
	if (t->shared)
		return na_fail(err, NA_EUSAGE,
			       "one session at a time is shared by several "
			       "processes: use netan");
	return t->world->rank ? meet_as_other(s, l, err)
			      : meet_as_first(s, l, err);
}

#include "netan/engine/mpi/mpi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/base/hash.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/mpi/message.h"
#include "netan/engine/mpi/send_records.h"
#include "netan/model/hlo.h"

void na_mpi_init(struct na_mpi *t, struct na_world *w)
{
	*t = (struct na_mpi){.world = w, .first_worker = w->files};
	pthread_mutex_init(&t->asking, NULL);
}

static enum na_status tell_all(const struct na_mpi *t,
			       enum na_message_kind kind, struct na_err *err)
{
	enum na_status st = NA_OK;

	for (size_t r = 1; st == NA_OK && r < t->world->size; r++) {
		struct na_xf_bytes m = na_message_of(kind);

		st = na_message_send(t, r, &m, err);
	}
	return st;
}

enum na_status na_mpi_tell(struct na_mpi *t, enum na_message_kind kind,
			   struct na_xf_bytes *m, struct na_err *err)
{
	enum na_status st = m->failed ? na_fail_nomem(err) : NA_OK;
	void *p = m->p;

	t->told_bytes += m->n * (t->world->size - 1);
	if (st == NA_OK)
		st = tell_all(t, kind, err);
	if (st == NA_OK)
		st = na_world_broadcast(t->world, &p, &m->n, err);
	na_xf_bytes_fini(m);
	return st;
}

void na_mpi_fini(struct na_mpi *t)
{
	struct na_err err = {.status = NA_OK};

	/* Who is gone does not wait. */
	if (t->serving)
		na_in_err(tell_all(t, NA_MSG_DONE, &err));
	na_translations_free(t);
	free(t->kept);
	pthread_mutex_destroy(&t->asking);
}

static struct na_mpi *of(const struct na_session *s)
{
	struct na_mpi *t = s->request->mpi;

	return t && t->world && t->world->size > 1 ? t : NULL;
}

/* ---- who opens what */

bool na_mpi_lists(const struct na_session *s)
{
	const struct na_mpi *t = of(s);

	return !t || t->world->rank >= t->first_worker;
}

static uint64_t bytes_of(const struct na_file *f)
{
	struct stat sb;

	/* What cannot be looked at is refused by its owner. */
	return stat(f->listed.path, &sb) == 0 && sb.st_size > 0
		       ? (uint64_t)sb.st_size
		       : 1;
}

static void share_by_bytes(const struct na_mpi *t, struct na_files *l)
{
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

enum na_status na_mpi_share_out(struct na_session *s, struct na_files *l,
				struct na_err *err)
{
	struct na_mpi *t = of(s);

	if (t && s->request->local.n && !t->world->files)
		return na_mpi_local(t, l, err);
	/* A shard has what its node has. */
	for (size_t i = 0; t && s->request->local.n && i < l->n; i++) {
		l->v[i].mine = true;
		l->v[i].owner = t->world->rank;
	}
	if (t && s->request->local.n)
		return NA_OK;
	share_by_bytes(t, l);
	return NA_OK;
}

/* ---- facts */

/* A shard has said itself what came of its cache, and may find there in the
 * next round what it has made in this one: the facts are the same. */
static void put_file(struct na_xf_bytes *to, const struct na_file *f,
		     bool shard,
		     void (*put)(struct na_xf_bytes *to,
				 const struct na_input *in))
{
	na_tell_words(to, f->listed.path);
	na_xf_put_varint(to, f->listed.run);
	na_xf_put_varint(to, shard ? NA_CACHED_NOT : f->cached);
	na_tell_words(to, shard ? NULL : f->unmade);
	na_xf_put_varint(to, f->n);
	for (size_t k = 0; k < f->n; k++) {
		const struct na_opened *x = &f->v[k];

		na_xf_put_varint(to, x->err.status == NA_OK);
		if (x->err.status == NA_OK)
			put(to, &x->in);
		else
			na_tell_words(to, x->err.text);
	}
}

/* Nodes with a disk each may have as many files at the same paths. */
static uint64_t mark_of(const struct na_listing *l)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < l->n; i++) {
		const char *path = l->files[i].path;
		struct stat sb = {.st_size = 0};

		/* What cannot be looked at is refused by its owner. */
		if (stat(path, &sb) < 0)
			sb = (struct stat){.st_size = -1};
		h = na_hlo_hash(h, path, strlen(path));
		h = na_hlo_mix(h, (uint64_t)sb.st_size);
		h = na_hlo_mix(h, (uint64_t)sb.st_mtim.tv_sec);
	}
	return h;
}

static void put_listing(struct na_xf_bytes *to, const struct na_session *s,
			const struct na_listing *l)
{
	na_xf_put_varint(to, l->n);
	na_xf_put_varint(to, mark_of(l));
	na_xf_put_varint(to, l->one_each);
	na_xf_put_varint(to, l->n_said);
	for (size_t i = 0; i < l->n_said; i++) {
		na_xf_put_varint(to,
				 (size_t)(l->said[i].of - s->request->inputs));
		na_tell_words(to, l->said[i].text);
		na_tell_words(to, l->said[i].named);
		na_xf_put_varint(to, l->said[i].refused);
	}
}

/* A plan holds for another round whose mark is the same, whether that reads
 * traces or what stands in for them. */
static void put_mark(struct na_xf_bytes *to, const struct na_session *s,
		     const struct na_files *l)
{
	struct na_xf_bytes m = {.p = NULL};
	uint64_t h = NA_FNV1A;

	put_listing(&m, s, &l->listing);
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].mine)
			put_file(&m, &l->v[i], of(s)->world->files,
				 na_facts_put_settled);
	}
	if (!m.failed)
		h = na_fnv1a(h, m.p, m.n);
	to->failed |= m.failed;
	na_xf_bytes_fini(&m);
	_Static_assert(sizeof(h) == NA_FACTS_MARK_BYTES, "as is");
	na_xf_put(to, &h, sizeof(h));
}

static struct na_xf_bytes facts_of_mine(const struct na_session *s,
					const struct na_files *l)
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
	put_mark(&m, s, l);
	put_listing(&m, s, &l->listing);
	na_xf_put_varint(&m, n);
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].mine)
			put_file(&m, &l->v[i], of(s)->world->files,
				 na_facts_put);
	}
	return m;
}

static bool get_source(struct na_session *s, struct na_file *f,
		       struct na_cursor *c)
{
	struct na_opened *x = na_push(f);
	const char *why;
	size_t opened;

	if (!x)
		return false;
	x->err.status = NA_EIO;
	if (!na_hear_index(c, 2, &opened))
		return false;
	x->in.path = f->listed.path;
	x->in.wants = s->wants;
	if (opened) {
		x->err.status = NA_OK;
		return na_facts_get(c, &x->in);
	}
	if (!na_hear_words(c, &s->arena, &why) || !why)
		return false;
	x->err.status = NA_OK;
	na_fail(&x->err, NA_EIO, "%s", why);
	return true;
}

/* A file of another rank. */
static bool get_file(struct na_session *s, struct na_file *f,
		     struct na_cursor *c)
{
	const char *unmade;
	size_t n, cached;

	if (!na_hear_words(c, &s->arena, &f->listed.path) || !f->listed.path ||
	    !na_hear_index(c, s->request->n_inputs, &f->listed.run) ||
	    !na_hear_index(c, NA_CACHED_UNMADE + 1, &cached) ||
	    !na_hear_words(c, &s->arena, &unmade) || !na_hear_count(c, 2, &n))
		return false;
	f->cached = (enum na_cached)cached;
	f->unmade = unmade ? strdup(unmade) : NULL;
	if (unmade && !f->unmade)
		return false;
	f->listed.label = s->request->inputs[f->listed.run].label;
	na_hide(s->request, NA_ALIAS_INPUT, f->listed.path);
	while (n--) {
		if (!get_source(s, f, c))
			return false;
	}
	return true;
}

/* What a rank found; the first one's is that of who has not looked. */
static bool get_listing(struct na_session *s, struct na_cursor *c,
			struct na_listing *l, uint64_t *mark)
{
	size_t one_each, n;

	*l = (struct na_listing){.n = 0};
	if (!na_hear_index(c, UINT32_MAX, &l->n) || !na_varint(c, mark) ||
	    !na_hear_index(c, 2, &one_each) || !na_hear_count(c, 4, &n))
		return false;
	l->one_each = one_each;
	l->said = na_calloc(n, sizeof(*l->said));
	for (; l->said && l->n_said < n; l->n_said++) {
		struct na_list_said *x = &l->said[l->n_said];
		size_t of, refused;

		if (!na_hear_index(c, s->request->n_inputs, &of) ||
		    !na_hear_words(c, &s->arena, &x->text) || !x->text ||
		    !na_hear_words(c, &s->arena, &x->named) ||
		    !na_hear_index(c, 2, &refused))
			return false;
		x->of = &s->request->inputs[of];
		x->refused = refused;
		na_hide(s->request, NA_ALIAS_PATH, x->named);
	}
	return l->said;
}

struct meeting {
	struct na_session *s;
	struct na_files *l, all; /* mine; everybody's */
	size_t taken;            /* of mine */
	bool listed;             /* l->listing is there */
	size_t found;            /* by the first worker */
	uint64_t mark;           /* of those */
};

static bool take_mine(struct meeting *m)
{
	for (; m->taken < m->l->n; m->taken++) {
		struct na_file *f = &m->l->v[m->taken];

		if (!f->mine)
			continue;
		if (!na_add(&m->all, *f))
			return false;
		f->v = NULL;
		f->n = f->cap = 0;
		f->unmade = NULL;
	}
	return true;
}

static enum na_status take_rank(struct meeting *m, size_t rank,
				struct na_cursor *c, struct na_err *err)
{
	const struct na_mpi *t = of(m->s);
	struct na_listing x;
	uint64_t mark = 0;
	bool ok = get_listing(m->s, c, &x, &mark);
	size_t n;

	if (rank == t->first_worker) {
		m->found = x.n;
		m->mark = mark;
	}
	/* Nodes may have files of their own. */
	if (ok && rank >= t->first_worker && x.n != m->found &&
	    !m->s->request->local.n)
		na_fail(err, NA_EIO,
			"%s %zu finds %zu files where %s %zu finds %zu: "
			"all must see the same inputs",
			na_world_member(t->world), rank, x.n,
			na_world_member(t->world), t->first_worker, m->found);
	else if (ok && rank >= t->first_worker && mark != m->mark &&
		 !m->s->request->local.n)
		na_fail(err, NA_EIO,
			"%s %zu finds other files than %s %zu at the same "
			"paths, or they have changed: where each node has its "
			"own, give them as --local 'GLOB'",
			na_world_member(t->world), rank,
			na_world_member(t->world), t->first_worker);
	x.n = 0; /* of files; they come with their owners */
	if (ok && rank == t->first_worker && !m->listed) {
		na_listing_fini(&m->l->listing);
		m->l->listing = x;
		x = (struct na_listing){.n = 0};
	}
	na_listing_fini(&x);
	if (err->status != NA_OK)
		return err->status;
	if (!ok || !na_hear_count(c, 4, &n))
		return na_message_broken(rank, err);
	if (rank == t->world->rank)
		return take_mine(m) ? NA_OK : na_fail_nomem(err);
	while (n--) {
		struct na_file *f = na_push(&m->all);

		if (!f)
			return na_fail_nomem(err);
		f->owner = rank;
		if (!get_file(m->s, f, c))
			return na_message_broken(rank, err);
	}
	return NA_OK;
}

NA_ORDER(by_name, struct na_file, na_listed_order(&x->listed, &y->listed),
	 NA_UP(owner))

/* Everybody's files in their order: that of their owners, where these have
 * ranges. */
static enum na_status take_all(struct na_session *s, struct na_files *l,
			       struct na_cursor c, struct na_err *err)
{
	const struct na_mpi *t = of(s);
	struct meeting m = {.s = s, .l = l, .listed = na_mpi_lists(s)};
	enum na_status st = NA_OK;
	struct na_files was;

	for (size_t r = 0; st == NA_OK && r < t->world->size; r++) {
		struct na_cursor x;
		struct na_text run;
		size_t suffice;

		if (!na_hear_run(&c, &run))
			return na_message_broken(r, err);
		x = na_cursor_of(run.s, run.n);
		if (!na_skip(&x, 1) || !na_hear_index(&x, 2, &suffice) ||
		    !na_skip(&x, NA_FACTS_MARK_BYTES))
			st = na_message_broken(r, err);
		else
			st = take_rank(&m, r, &x, err);
	}
	if (s->request->local.n)
		na_sort(m.all.v, m.all.n, by_name);
	else if (st == NA_OK && m.all.n != m.found)
		st = na_fail(err, NA_EIO,
			     "%zu of %zu files are of no %s: all must see "
			     "the same inputs",
			     m.found > m.all.n ? m.found - m.all.n : 0, m.found,
			     na_world_member(t->world));
	was = *l;
	l->v = m.all.v;
	l->n = m.all.n;
	l->cap = m.all.cap;
	was.listing = (struct na_listing){.n = 0};
	na_files_fini(&was);
	return st;
}

/* Rank 0 has everybody's facts: `all` holds them one behind the other. */
static enum na_status gather(struct na_session *s, struct na_files *l,
			     struct na_xf_bytes *all, bool *suffice,
			     struct na_err *err)
{
	struct na_mpi *t = of(s);
	struct na_xf_bytes own = facts_of_mine(s, l);
	enum na_status st = NA_OK;

	*suffice = !own.failed && own.p[NA_FACTS_SUFFICE];
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

static enum na_status meet_as_first(struct na_session *s, struct na_files *l,
				    struct na_err *err)
{
	struct na_mpi *t = of(s);
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
	struct na_mpi *t = of(s);
	struct na_xf_bytes own = facts_of_mine(s, l);
	bool refused = t->world->files && !own.failed && !own.p[NA_FACTS_SUFFICE];
	enum na_status st = na_message_send(t, 0, &own, err);
	struct na_message m;
	void *all = NULL;
	size_t n = 0;

	if (st == NA_OK && refused)
		return na_fail(
			err, NA_EUSAGE,
			"these inputs cannot be read in shards (packets, "
			"dumps and logs are read in one place): use "
			"netan");
	if (st == NA_OK)
		st = na_message_next(t, 0, &m, err);
	if (st != NA_OK)
		return st;
	free(m.p);
	if (m.kind == NA_MSG_NOT_SHARED)
		return na_message_dismissed(t, err);
	if (m.kind != NA_MSG_PLAN)
		return na_message_broken(0, err);
	st = na_world_broadcast(t->world, &all, &n, err);
	if (st == NA_OK)
		st = take_all(s, l, na_cursor_of(all, n), err);
	t->shared = true;
	free(all);
	return st;
}

enum na_status na_mpi_meet(struct na_session *s, struct na_files *l,
			   struct na_err *err)
{
	struct na_mpi *t = of(s);

	if (!t)
		return NA_OK;
	if (t->shared)
		return na_fail(err, NA_EUSAGE,
			       "one session at a time is shared by several "
			       "processes: use netan");
	return t->world->rank ? meet_as_other(s, l, err)
			      : meet_as_first(s, l, err);
}

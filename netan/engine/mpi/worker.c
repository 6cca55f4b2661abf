/* Reading in ranges of inputs, each by its rank; and what rank 0 asks of the
 * others' inputs when all are read. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/engine/hashing.h"
#include "netan/engine/mpi/local_records.h"
#include "netan/engine/session/reread.h"

static struct na_mpi *of(const struct na_session *s)
{
	struct na_mpi *t = s->request->mpi;

	return t && t->shared ? t : NULL;
}

struct na_range na_range_at(const struct na_session *s, size_t i)
{
	struct na_range r = {i, i + 1};

	while (r.to < s->n_inputs && s->owners[r.to] == s->owners[i])
		r.to++;
	return r;
}

/* ---- actions that are asked for */

static void put_actions(struct na_xf_bytes *to, const struct na_session *s,
			const struct na_execution *of_, size_t n)
{
	/* Rank 0 alone has resolved what the times of old messages mean. */
	na_xf_put_varint(to, s->store.anchor);
	na_xf_put_varint(to, n);
	for (size_t i = 0; i < n; i++) {
		const struct na_strtab *names = &s->store.names.strings;
		uint32_t name = of_[i].collective;

		if (name < names->n)
			na_tell_run(to, names->names[name].s,
				    names->names[name].len);
		else
			na_tell_run(to, "", 0);
		na_xf_put_varint(to, of_[i].run);
		na_tell_number(to, of_[i].from_ps);
		na_tell_number(to, of_[i].to_ps);
	}
}

/* Those whose collective this rank has met; NULL: broken, or no memory. */
static struct na_execution *get_actions(struct na_cursor *c,
					struct na_session *s, size_t *n)
{
	const struct na_strtab *names = &s->store.names.strings;
	struct na_execution *v;
	size_t anchor, all, run;
	bool ok = true;

	if (!na_hear_index(c, NA_ANCHOR_END + 1, &anchor) ||
	    !na_hear_count(c, 4, &all))
		return NULL;
	s->store.anchor = (enum na_anchor)anchor;
	v = na_calloc(all, sizeof(*v));
	*n = 0;
	for (size_t i = 0; v && ok && i < all; i++) {
		struct na_execution *x = &v[*n];
		struct na_text name;

		ok = na_hear_run(c, &name) &&
		     na_hear_index(c, UINT32_MAX, &run) &&
		     na_hear_number(c, &x->from_ps) &&
		     na_hear_number(c, &x->to_ps);
		if (!ok)
			break;
		x->run = (uint32_t)run;
		x->collective = na_strtab_find(names, name.s, name.n);
		*n += x->collective != NA_NO_NAME;
	}
	if (!ok) {
		free(v);
		v = NULL;
	}
	return v;
}

/* The texts of an action, in the order in which they are sent. */
#define ACTION_TEXTS(a) \
	{ \
		&(a)->name, &(a)->inputs, &(a)->operation, &(a)->action_type, \
			&(a)->hlo_module, &(a)->thread \
	}

/* Many go into one message: each costs a turn of both sides. */
enum { ANSWER_BYTES = 256 << 10 };

struct answering {
	const struct na_mpi *t;
	struct na_err *err;
	struct na_xf_bytes m; /* empty: none is begun */
};

static enum na_status flush_answer(struct answering *a)
{
	struct na_xf_bytes m = a->m;

	a->m = (struct na_xf_bytes){.p = NULL};
	return m.n || m.failed ? na_message_send(a->t, 0, &m, a->err) : NA_OK;
}

static enum na_status send_action(void *arg, const struct na_replay *x)
{
	struct answering *a = arg;
	struct na_action plain = *x->action;
	struct na_text *texts[] = ACTION_TEXTS(&plain);

	if (!a->m.n)
		a->m = na_message_of(NA_MSG_ACTIONS);
	na_xf_put_varint(&a->m, x->input);
	for (size_t i = 0; i < NA_LEN(texts); i++) {
		na_tell_run(&a->m, texts[i]->s, texts[i]->n);
		*texts[i] = na_text_n("", 0);
	}
	na_tell_run(&a->m, &plain, sizeof(plain));
	na_tell_run(&a->m, x->transfers, x->n * sizeof(*x->transfers));
	return a->m.n < ANSWER_BYTES && !a->m.failed ? NA_OK : flush_answer(a);
}

/* Answers range by range: rank 0 takes them in the order of the inputs. */
static enum na_status answer(struct na_session *s, struct na_cursor *c,
			     struct na_err *err)
{
	struct na_mpi *t = of(s);
	struct answering a = {.t = t, .err = err};
	enum na_status st = NA_OK;
	size_t n;
	struct na_execution *asked = get_actions(c, s, &n);
	struct na_range r;

	if (!asked)
		return na_message_broken(0, err);
	for (size_t i = 0; st == NA_OK && i < s->n_inputs; i = r.to) {
		struct na_xf_bytes m;

		r = na_range_at(s, i);
		if (s->owners[i] != t->world->rank)
			continue;
		st = na_range_actions(s, r.from, r.to, asked, n, send_action,
				      &a, err);
		if (st == NA_OK)
			st = flush_answer(&a);
		m = na_message_of(NA_MSG_ACTIONS_END);
		if (st == NA_OK)
			st = na_message_send(t, 0, &m, err);
		else
			na_xf_bytes_fini(&m);
	}
	na_xf_bytes_fini(&a.m);
	free(asked);
	return st;
}

struct renaming {
	const struct na_translation *t;
	NA_VEC(struct na_transfer) transfers;
};

/* One action of a message; *over: `each` wants no more. */
static bool take_action(struct na_range r, struct na_cursor *c,
			struct renaming *k, na_each_action each, void *arg,
			enum na_status *told)
{
	const struct na_maps *m = &k->t->m;
	struct na_action a;
	struct na_text *texts[] = ACTION_TEXTS(&a), kept[NA_LEN(texts)], run;
	struct na_replay x = {.action = &a};
	size_t input;

	if (!na_hear_index(c, r.to, &input) || input < r.from)
		return false;
	for (size_t i = 0; i < NA_LEN(texts); i++) {
		if (!na_hear_run(c, &kept[i]))
			return false;
	}
	if (!na_hear_run(c, &run) || run.n != sizeof(a))
		return false;
	memcpy(&a, run.s, sizeof(a));
	for (size_t i = 0; i < NA_LEN(texts); i++)
		*texts[i] = kept[i];
	if (!na_hear_run(c, &run) || run.n % sizeof(struct na_transfer) ||
	    a.kind >= NA_N_ACTIONS || a.style >= NA_N_STYLES)
		return false;
	a.collective = na_map_index(m->names, m->n_names, a.collective);
	a.type = na_map_index(m->names, m->n_names, a.type);
	a.device = na_map_index(m->endpoints, m->n_endpoints, a.device);
	k->transfers.n = 0;
	for (size_t i = 0; i < run.n; i += sizeof(struct na_transfer)) {
		struct na_transfer t;

		memcpy(&t, run.s + i, sizeof(t));
		na_maps_transfer(m, &t);
		if (!na_add(&k->transfers, t))
			return false;
	}
	x.input = (uint32_t)input;
	x.transfers = k->transfers.v;
	x.n = k->transfers.n;
	if (*told == NA_OK)
		*told = each(arg, &x);
	return true;
}

static enum na_status take_actions(struct na_session *s, size_t rank,
				   struct na_range r, na_each_action each,
				   void *arg, enum na_status *told,
				   struct na_err *err)
{
	struct na_mpi *t = of(s);
	struct renaming k = {.t = &t->of[rank]};
	enum na_status st = NA_OK;
	bool over = false;

	while (st == NA_OK && !over) {
		struct na_message m;

		st = na_message_next(t, rank, &m, err);
		if (st != NA_OK)
			break;
		over = m.kind == NA_MSG_ACTIONS_END;
		if (!over && m.kind != NA_MSG_ACTIONS)
			st = na_message_broken(rank, err);
		while (st == NA_OK && !over && na_left(&m.c)) {
			if (!take_action(r, &m.c, &k, each, arg, told))
				st = na_message_broken(rank, err);
		}
		free(m.p);
	}
	na_vec_free(&k.transfers);
	return st;
}

static enum na_status ask_all(struct na_session *s,
			      const struct na_execution *of_, size_t n,
			      struct na_err *err)
{
	struct na_mpi *t = of(s);
	enum na_status st = NA_OK;

	for (size_t r = 1; st == NA_OK && r < t->world->size; r++) {
		struct na_xf_bytes m = na_message_of(NA_MSG_ASK);

		put_actions(&m, s, of_, n);
		st = na_message_send(t, r, &m, err);
	}
	return st;
}

static enum na_status ask(struct na_session *s, const struct na_execution *of_,
			  size_t n, na_each_action each, void *arg,
			  struct na_err *err)
{
	enum na_status st = ask_all(s, of_, n, err), told = NA_OK;
	struct na_range r;

	for (size_t i = 0; st == NA_OK && i < s->n_inputs; i = r.to) {
		r = na_range_at(s, i);
		if (s->owners[i])
			st = take_actions(s, s->owners[i], r, each, arg, &told,
					  err);
		else if (told == NA_OK)
			st = na_range_actions(s, r.from, r.to, of_, n, each,
					      arg, err);
	}
	if (st == NA_OK && told != NA_OK && told != NA_END)
		st = na_fail_nomem(err);
	return st;
}

enum na_status na_mpi_actions(struct na_session *s,
			      const struct na_execution *of_, size_t n,
			      na_each_action each, void *arg,
			      struct na_err *err)
{
	struct na_mpi *t = of(s);
	enum na_status st;

	if (!t || t->world->files || !n)
		return na_range_actions(s, 0, s->n_inputs, of_, n, each, arg,
					err);
	pthread_mutex_lock(&t->asking);
	st = ask(s, of_, n, each, arg, err);
	pthread_mutex_unlock(&t->asking);
	return st;
}

/* ---- reading */

static enum na_status read_as_first(struct na_session *s,
				    struct na_block_work *work,
				    struct na_err *err)
{
	struct na_mpi *t = of(s);
	enum na_status st = NA_OK;
	char size[NA_UNIT_BUF];

	for (size_t i = 0; st == NA_OK && i < s->n_inputs; i = work->to) {
		struct na_range r = na_range_at(s, i);

		work->from = r.from;
		work->to = r.to;
		st = s->owners[i] ? na_records_receive(s, s->owners[i], r, err)
				  : na_read_blocks(s, work, err);
		if (st == NA_OK && !s->owners[i] && s->request->hashes)
			na_hash_range(s, r.from, r.to);
	}
	t->serving = st == NA_OK && !t->world->files;
	if (na_keeps_local_records(s))
		return st;
	na_say_detail(s->request, "other ranks have sent %s",
		      na_print_bytes(size, (double)t->heard_bytes, 3));
	return st;
}

static enum na_status send_mine(struct na_session *s,
				struct na_block_work *work, struct na_err *err)
{
	const struct na_mpi *t = of(s);
	enum na_status st = NA_OK;

	for (size_t i = 0; st == NA_OK && i < s->n_inputs; i = work->to) {
		struct na_range r = na_range_at(s, i);

		work->from = r.from;
		work->to = r.to;
		if (s->owners[i] != t->world->rank)
			continue;
		st = na_read_blocks(s, work, err);
		if (st == NA_OK)
			st = na_records_send(s, r, err);
	}
	return st;
}

enum na_status na_mpi_await(struct na_session *s, enum na_message_kind kind,
			    void **p, size_t *n, struct na_err *err)
{
	struct na_mpi *t = of(s);
	enum na_status st = NA_OK;

	*p = NULL;
	*n = 0;
	while (st == NA_OK) {
		struct na_message m;

		st = na_message_next(t, 0, &m, err);
		if (st != NA_OK)
			break;
		if (m.kind == NA_MSG_DONE)
			st = na_message_dismissed(t, err);
		else if (m.kind == NA_MSG_ASK)
			st = answer(s, &m.c, err);
		else if (m.kind != kind)
			st = na_message_broken(0, err);
		free(m.p);
		if (st == NA_OK && m.kind == kind)
			return na_world_broadcast(t->world, p, n, err);
	}
	return st;
}

/* Rank 0 goes on, and has questions alone; or with what stays here. */
static enum na_status go_on(struct na_session *s, struct na_err *err)
{
	enum na_status st;
	void *p;
	size_t n;

	if (!na_keeps_local_records(s))
		return na_mpi_await(s, NA_MSG_DONE, &p, &n, err);
	st = na_mpi_await(s, NA_MSG_STORE, &p, &n, err);
	if (st == NA_OK)
		st = na_local_records_told(s, na_cursor_of(p, n), err);
	free(p);
	return st;
}

enum na_status na_mpi_read(struct na_session *s, struct na_block_work *work,
			   struct na_err *err)
{
	struct na_mpi *t = of(s);
	enum na_status st;

	if (!t) {
		work->to = s->n_inputs;
		st = na_read_blocks(s, work, err);
		/* They could not be shared. */
		if (s->request->mpi && s->request->hashes)
			na_hash_range(s, 0, s->n_inputs);
		return st;
	}
	st = na_local_records_init(s, err);
	if (st != NA_OK)
		return st;
	if (t->world->rank == 0)
		return read_as_first(s, work, err);
	st = send_mine(s, work, err);
	return st == NA_OK ? go_on(s, err) : st;
}

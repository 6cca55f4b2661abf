/*
 * Files that each node has for itself: the ranks of a node find the same ones,
 * and share them out among themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/engine/mpi/message.h"

struct found {
	const char *node, *path;
	size_t rank, file; /* of the rank's listing */
};

NA_ORDER(by_place, struct found, strcmp(x->node, y->node),
	 strcmp(x->path, y->path), NA_UP(rank))

struct places {
	struct na_arena texts;
	size_t *found_by; /* files, by rank */
	NA_VEC(struct found);
};

static bool same_place(const struct found *a, const struct found *b)
{
	return strcmp(a->node, b->node) == 0 && strcmp(a->path, b->path) == 0;
}

static struct na_xf_bytes list_of_mine(const struct na_files *l)
{
	struct na_xf_bytes m = na_message_of(NA_MSG_LISTING);
	char node[NA_NODE_BUF];

	na_world_place(node);
	na_tell_words(&m, node);
	na_xf_put_varint(&m, l->n);
	for (size_t i = 0; i < l->n; i++)
		na_tell_words(&m, l->v[i].listed.path);
	return m;
}

static bool take_list(struct places *p, size_t rank, struct na_cursor *c)
{
	const char *node;
	size_t n;

	if (!na_hear_words(c, &p->texts, &node) || !node ||
	    !na_hear_count(c, 1, &n))
		return false;
	p->found_by[rank] = n;
	for (size_t i = 0; i < n; i++) {
		struct found x = {.node = node, .rank = rank, .file = i};

		if (!na_hear_words(c, &p->texts, &x.path) || !x.path ||
		    !na_add(p, x))
			return false;
	}
	return true;
}

/* The k-th of a node's files goes to the k-th of those who see it, so that
 * each has as many. */
static void choose(const struct places *p, struct na_xf_bytes *yes)
{
	size_t k = 0, n;

	for (size_t i = 0; i < p->n; i += n, k++) {
		if (i && strcmp(p->v[i].node, p->v[i - 1].node) != 0)
			k = 0;
		for (n = 1; i + n < p->n && same_place(&p->v[i], &p->v[i + n]);)
			n++;
		for (size_t j = 0; j < n; j++) {
			const struct found *x = &p->v[i + j];

			yes[x->rank].p[1 + x->file] = j == k % n;
		}
	}
}

static bool room_for_answers(const struct na_mpi *t, const struct places *p,
			     struct na_xf_bytes *yes)
{
	bool ok = true;

	for (size_t r = 0; r < t->world->size; r++) {
		yes[r] = na_message_of(NA_MSG_YOURS);
		for (size_t i = 0; i < p->found_by[r]; i++)
			na_xf_put(&yes[r], "", 1);
		ok &= !yes[r].failed;
	}
	return ok;
}

static void take_choice(struct na_files *l, const uint8_t *yes,
			const struct na_mpi *t)
{
	for (size_t i = 0; i < l->n; i++) {
		l->v[i].mine = yes[i];
		l->v[i].owner = t->world->rank;
	}
}

static enum na_status gather_lists(struct na_mpi *t, const struct na_files *l,
				   struct places *p, struct na_err *err)
{
	struct na_xf_bytes own = list_of_mine(l);
	struct na_cursor c = na_cursor_of(own.p, own.n);
	enum na_status st = NA_OK;

	p->found_by = na_calloc(t->world->size, sizeof(*p->found_by));
	if (!p->found_by || own.failed || !na_skip(&c, 1) ||
	    !take_list(p, 0, &c))
		st = na_fail_nomem(err);
	na_xf_bytes_fini(&own);
	for (size_t r = 1; st == NA_OK && r < t->world->size; r++) {
		struct na_message m;

		st = na_message_want(t, r, NA_MSG_LISTING, &m, err);
		if (st != NA_OK)
			break;
		if (!take_list(p, r, &m.c))
			st = na_message_broken(r, err);
		free(m.p);
	}
	return st;
}

static enum na_status share_as_first(struct na_mpi *t, struct na_files *l,
				     struct na_err *err)
{
	struct places p = {.v = NULL};
	struct na_xf_bytes *yes = na_calloc(t->world->size, sizeof(*yes));
	enum na_status st = yes ? gather_lists(t, l, &p, err)
				: na_fail_nomem(err);

	if (st == NA_OK && !room_for_answers(t, &p, yes))
		st = na_fail_nomem(err);
	if (st == NA_OK) {
		na_sort(p.v, p.n, by_place);
		choose(&p, yes);
		take_choice(l, yes[0].p + 1, t);
	}
	for (size_t r = 1; st == NA_OK && r < t->world->size; r++)
		st = na_message_send(t, r, &yes[r], err);
	for (size_t r = 0; yes && r < t->world->size; r++)
		na_xf_bytes_fini(&yes[r]);
	free(yes);
	free(p.found_by);
	na_vec_free(&p);
	na_arena_fini(&p.texts);
	return st;
}

enum na_status na_mpi_local(struct na_mpi *t, struct na_files *l,
			    struct na_err *err)
{
	struct na_xf_bytes own;
	struct na_message m;
	enum na_status st;

	if (t->world->rank == 0)
		return share_as_first(t, l, err);
	own = list_of_mine(l);
	st = na_message_send(t, 0, &own, err);
	if (st == NA_OK)
		st = na_message_want(t, 0, NA_MSG_YOURS, &m, err);
	if (st != NA_OK)
		return st;
	if (na_left(&m.c) == l->n)
		take_choice(l, m.c.p, t);
	else
		st = na_message_broken(0, err);
	free(m.p);
	return st;
}

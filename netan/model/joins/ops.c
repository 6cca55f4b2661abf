/*
 * Op types that no HLO module told all about, from the others of their
 * program: a -done from the operand that its own text names, then those of
 * the same channel, then those of the same .N.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/model/joins/join.h"

int na_join_program_order(const struct na_op_type *x,
			  const struct na_op_type *y)
{
	return NA_THEN(NA_UP(input), NA_UP(program_id), NA_UP(module));
}

/* Types by program and one more key. */
struct by {
	uint64_t key;
	const struct na_op_type *t;
};

struct ops {
	struct join *j;
	struct na_op_type *items;
	size_t n;
	/* As they were before any of them was completed from others: what
	 * was guessed is no ground for guesses. */
	struct na_op_type *before;
	struct by *keys;
	size_t n_keys;
};

/* The types are of one array. */
NA_ORDER(by_key, struct by, na_join_program_order(x->t, y->t), NA_UP(key),
	 NA_UP(t))

/* What is behind the last dot of a name, if that is a number; names without
 * are alike. */
#define NO_KEY    UINT64_MAX
#define NO_SUFFIX (UINT64_MAX - 1)

static uint64_t suffix_of(const char *s)
{
	const char *dot = strrchr(s, '.');
	uint64_t x = 0;

	if (!dot || !dot[1])
		return NO_SUFFIX;
	for (const char *p = dot + 1; *p; p++) {
		if (*p < '0' || *p > '9' || x > (UINT64_C(1) << 58))
			return NO_SUFFIX;
		x = x * 10 + (uint64_t)(*p - '0');
	}
	return x;
}

static uint64_t by_name(const struct ops *o, const struct na_op_type *t)
{
	(void)o;
	return t->name;
}

static uint64_t by_start(const struct ops *o, const struct na_op_type *t)
{
	(void)o;
	return t->start_op == NA_UNKNOWN_U32 ? NO_KEY : t->start_op;
}

static uint64_t by_channel(const struct ops *o, const struct na_op_type *t)
{
	(void)o;
	return t->channel < 0 ? NO_KEY : (uint64_t)t->channel;
}

static uint64_t by_suffix(const struct ops *o, const struct na_op_type *t)
{
	return suffix_of(na_strtab_at(&o->j->s->names.strings, t->name));
}

typedef uint64_t (*key_fn)(const struct ops *o, const struct na_op_type *t);

static void sort_by(struct ops *o, key_fn key)
{
	o->n_keys = 0;
	for (size_t i = 0; i < o->n; i++) {
		const struct na_op_type *t = &o->before[i];
		uint64_t k = key(o, t);

		if (k != NO_KEY && t->network != NA_NET_GPU)
			o->keys[o->n_keys++] = (struct by){k, t};
	}
	na_sort(o->keys, o->n_keys, by_key);
}

static size_t first_of(const struct ops *o, const struct na_op_type *t,
		       uint64_t key)
{
	const struct by *keys = o->keys;

	return NA_BOUND(i, 0, o->n_keys,
			NA_THEN(na_join_program_order(keys[i].t, t),
				NA_CMP(keys[i].key, key)) >= 0);
}

/* Whether x can tell what t lacks: of a transfer the collective, else of a
 * -done its start. */
static bool tells(const struct na_op_type *x, const struct na_op_type *t,
		  bool partner)
{
	bool other = x->opcode == t->opcode && x->phase != t->phase &&
		     x->phase != NA_OP_WHOLE;

	if (x == t || x->network != t->network || (partner && !other))
		return false;
	return t->network == NA_NET_DCN ? x->collective != NA_UNKNOWN_U32
					: other && x->phase == NA_OP_START;
}

/* The one that all agree on, or NULL. */
static const struct na_op_type *agreed(const struct ops *o,
				       const struct na_op_type *t, uint64_t key,
				       bool partner)
{
	const struct na_op_type *found = NULL;
	size_t first = first_of(o, t, key);

	for (size_t i = first; i < o->n_keys && o->keys[i].key == key &&
			       na_join_program_order(o->keys[i].t, t) == 0;
	     i++) {
		const struct na_op_type *x = o->keys[i].t;

		if (i - first == NA_JOIN_SHARE)
			return NULL;
		if (!tells(x, t, partner))
			continue;
		if (found && (t->network == NA_NET_DCN
				      ? x->collective != found->collective
				      : x->name != found->name))
			return NULL;
		if (!found)
			found = x;
	}
	return found;
}

static bool lacks(const struct na_op_type *t)
{
	if (t->network == NA_NET_GPU || t->opcode == NA_OPCODE_OTHER ||
	    t->opcode == NA_OPCODE_CONTAINER)
		return false;
	return t->network == NA_NET_DCN
		       ? na_join_is_transfer(t) &&
				 t->collective == NA_UNKNOWN_U32
		       : t->phase == NA_OP_DONE &&
				 t->start_op == NA_UNKNOWN_U32;
}

static void take(struct na_op_type *t, const struct na_op_type *from,
		 enum na_op_join way)
{
	t->joined = (uint8_t)way;
	if (t->collective == NA_UNKNOWN_U32)
		t->collective = from->collective;
	if (t->transfer_type == NA_UNKNOWN_U32)
		t->transfer_type = from->transfer_type;
	if (!t->group_size) {
		t->group_size = from->group_size;
		t->n_groups = from->n_groups;
		t->uneven = from->uneven;
	}
	if (from->opcode != t->opcode || from->phase != NA_OP_START ||
	    t->phase != NA_OP_DONE)
		return;
	if (t->start_op == NA_UNKNOWN_U32)
		t->start_op = from->name;
	if (t->channel < 0)
		t->channel = from->channel;
	if (t->opcode == NA_OPCODE_SEND)
		t->size_bytes = from->size_bytes;
}

/* First their partners alone, then whoever shares the key. */
static void join_by(struct ops *o, key_fn key, key_fn wanted,
		    enum na_op_join way, bool anyone)
{
	sort_by(o, key);
	for (size_t i = 0; i < o->n; i++) {
		struct na_op_type *t = &o->items[i];
		const struct na_op_type *from;
		uint64_t k = wanted(o, t);

		if (!lacks(t) || k == NO_KEY)
			continue;
		from = agreed(o, &o->before[i], k, true);
		if (!from && anyone)
			from = agreed(o, &o->before[i], k, false);
		if (from)
			take(t, from, way);
	}
}

/* What the text of a -done leaves to its start. */
static void inherit(struct ops *o)
{
	sort_by(o, by_name);
	for (size_t i = 0; i < o->n; i++) {
		struct na_op_type *t = &o->items[i];
		enum na_op_join way = (enum na_op_join)t->joined;
		const struct na_op_type *from;

		if (t->phase != NA_OP_DONE || t->start_op == NA_UNKNOWN_U32 ||
		    t->network == NA_NET_GPU)
			continue;
		from = agreed(o, &o->before[i], t->start_op, true);
		if (from)
			take(t, from, way);
	}
}

/* An operand that starts no transfer of the program (a parameter, a text cut
 * short) says nothing of whose a -done is. */
static void forget_strangers(struct ops *o)
{
	sort_by(o, by_name);
	for (size_t i = 0; i < o->n; i++) {
		struct na_op_type *t = &o->items[i];
		size_t k;

		if (o->j->told[i] || t->network != NA_NET_DCN ||
		    !na_join_is_transfer(t) || t->phase != NA_OP_DONE ||
		    t->start_op == NA_UNKNOWN_U32)
			continue;
		k = first_of(o, t, t->start_op);
		if (k == o->n_keys || o->keys[k].key != t->start_op ||
		    na_join_program_order(o->keys[k].t, t) != 0)
			t->start_op = o->before[i].start_op = NA_UNKNOWN_U32;
	}
}

/* Of one collective in one program, what any of its ops knows. */
NA_ORDER(by_collective, struct na_op_type *, na_join_program_order(*x, *y),
	 NA_CMP((*x)->collective, (*y)->collective), NA_CMP(*x, *y))

static void share(struct na_op_type **types, size_t n)
{
	const struct na_op_type *grouped = NULL, *typed = NULL;

	for (size_t i = n; i-- > 0;) {
		grouped = types[i]->group_size ? types[i] : grouped;
		typed = types[i]->transfer_type != NA_UNKNOWN_U32 ? types[i]
								  : typed;
	}
	for (size_t i = 0; i < n; i++) {
		if (grouped && !types[i]->group_size) {
			types[i]->group_size = grouped->group_size;
			types[i]->n_groups = grouped->n_groups;
			types[i]->uneven = grouped->uneven;
		}
		if (typed && types[i]->transfer_type == NA_UNKNOWN_U32)
			types[i]->transfer_type = typed->transfer_type;
	}
}

static bool share_all(struct ops *o)
{
	struct na_op_type **all = na_calloc(o->n, sizeof(struct na_op_type *));
	size_t n = 0, to;

	if (!all)
		return false;
	for (size_t i = 0; i < o->n; i++) {
		if (o->items[i].network == NA_NET_DCN &&
		    o->items[i].collective != NA_UNKNOWN_U32)
			all[n++] = &o->items[i];
	}
	na_sort(all, n, by_collective);
	for (size_t i = 0; i < n; i = to) {
		for (to = i + 1;
		     to < n && all[to]->collective == all[i]->collective &&
		     na_join_program_order(all[to], all[i]) == 0;
		     to++)
			;
		share(all + i, to - i);
	}
	free(all);
	return true;
}

/* What its own text says, where no module did: not the context of a send or
 * recv; a send-done returns nothing. */
static void own_text(struct na_op_type *t)
{
	bool sized = t->size_bytes != NA_UNKNOWN_U64;

	if (t->network != NA_NET_DCN && t->joined == NA_OPJOIN_NONE && sized)
		t->joined = NA_OPJOIN_LONG_NAME;
	if (!na_join_is_transfer(t) || t->network == NA_NET_GPU || !sized)
		return;
	if (t->phase == NA_OP_START && t->size_bytes > NA_JOIN_CONTEXT_BYTES)
		t->size_bytes -= NA_JOIN_CONTEXT_BYTES;
	if (t->phase == NA_OP_DONE && t->opcode == NA_OPCODE_SEND)
		t->size_bytes = NA_UNKNOWN_U64;
}

enum na_status na_join_ops(struct join *j)
{
	struct na_op_types *types = &j->s->devices.types;
	struct ops o = {.j = j, .items = types->items, .n = types->n};
	bool ok;

	o.before = na_calloc(o.n, sizeof(*o.before));
	o.keys = na_calloc(o.n, sizeof(*o.keys));
	ok = o.before && o.keys;
	for (size_t i = 0; ok && i < o.n; i++) {
		if (!j->told[i])
			own_text(&o.items[i]);
	}
	if (ok && o.n) {
		memcpy(o.before, o.items, o.n * sizeof(*o.items));
		forget_strangers(&o);
		join_by(&o, by_name, by_start, NA_OPJOIN_GRAPH, false);
		join_by(&o, by_channel, by_channel, NA_OPJOIN_CHANNEL, true);
		join_by(&o, by_suffix, by_suffix, NA_OPJOIN_SUFFIX, false);
		inherit(&o);
		ok = share_all(&o);
	}
	free(o.before);
	free(o.keys);
	return ok ? NA_OK : na_fail_nomem(j->err);
}

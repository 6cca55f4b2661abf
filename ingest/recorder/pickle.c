#include "ingest/recorder/pickle.h"

#include <stdlib.h>

#include "ingest/recorder/unpickler.h"

/* Of all others, the names of those that do things or look like data. */
/* clang-format off */
static const struct { uint8_t op; const char *name; } refused[] = {
	{'0', "POP"}, {'1', "POP_MARK"}, {'2', "DUP"}, {'F', "FLOAT"},
	{'I', "INT"}, {'L', "LONG"}, {'P', "PERSID"}, {'Q', "BINPERSID"},
	{'R', "REDUCE"}, {'S', "STRING"}, {'T', "BINSTRING"},
	{'U', "SHORT_BINSTRING"}, {'V', "UNICODE"}, {'b', "BUILD"},
	{'c', "GLOBAL"}, {'d', "DICT"}, {'g', "GET"}, {'i', "INST"},
	{'l', "LIST"}, {'o', "OBJ"}, {'p', "PUT"}, {'B', "BINBYTES"},
	{'C', "SHORT_BINBYTES"}, {0x81, "NEWOBJ"}, {0x82, "EXT1"},
	{0x83, "EXT2"}, {0x84, "EXT4"}, {0x8b, "LONG4"},
	{0x8c, "SHORT_BINUNICODE"}, {0x8d, "BINUNICODE8"},
	{0x8e, "BINBYTES8"}, {0x8f, "EMPTY_SET"}, {0x90, "ADDITEMS"},
	{0x91, "FROZENSET"}, {0x92, "NEWOBJ_EX"}, {0x93, "STACK_GLOBAL"},
	{0x94, "MEMOIZE"}, {0x95, "FRAME"}, {0x96, "BYTEARRAY8"},
	{0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"},
};
/* clang-format on */

/* ---- what is wrong; `at` is the byte of the opcode */

static enum na_status refuse(struct unpickler *x, uint64_t at, uint8_t op)
{
	const char *name = "unknown";

	for (size_t i = 0; i < NA_LEN(refused); i++) {
		if (refused[i].op == op)
			name = refused[i].name;
	}
	return na_fail(x->err, NA_EFORMAT,
		       "byte %llu: opcode %s (0x%02x), which no recorder dump "
		       "holds",
		       (unsigned long long)at, name, op);
}

static enum na_status broken(struct unpickler *x, uint64_t at, const char *what)
{
	return na_fail(x->err, NA_EFORMAT, "byte %llu: %s",
		       (unsigned long long)at, what);
}

static enum na_status ends(struct unpickler *x)
{
	return na_fail(x->err, NA_EFORMAT, "byte %llu: the file ends here",
		       (unsigned long long)na_at(&x->c));
}

/* ---- stack and memo */

static inline bool push(struct unpickler *x, struct na_dump_value v)
{
	return na_add(&x->stack, v);
}

/* Where the values above the last MARK, or in the frame that is open,
 * begin. */
static inline size_t bottom(const struct unpickler *x)
{
	return x->n_marks ? x->marks[x->n_marks - 1] : 0;
}

static enum na_status put(struct unpickler *x, uint64_t at, uint64_t i)
{
	struct na_dump_value *to;

	if (x->stack.n == bottom(x))
		return broken(x, at, "nothing to remember");
	if (i > 4 * (uint64_t)x->puts + 255)
		return broken(x, at,
			      "an index of the memo far beyond those "
			      "before it");
	x->kept = x->kept || x->stack.v[x->stack.n - 1].kind >= NA_DUMP_LIST;
	x->puts++;
	to = na_vec_at(&x->memo, (size_t)i);
	if (!to)
		return na_fail_nomem(x->err);
	*to = x->stack.v[x->stack.n - 1];
	return NA_OK;
}

static enum na_status get(struct unpickler *x, uint64_t at, uint64_t i)
{
	if (i >= x->memo.n)
		return broken(x, at, "nothing is remembered at this index");
	return push(x, x->memo.v[i]) ? NA_OK : na_fail_nomem(x->err);
}

/* ---- containers */

/* The last n values become a tuple. */
static enum na_status tuple(struct unpickler *x, uint64_t at, size_t n)
{
	struct na_dump_list *l;

	if (x->stack.n - bottom(x) < n)
		return broken(x, at, "a tuple of more than there is");
	l = na_dump_list(x->store);
	if (!l || !na_dump_append(x->store, l,
				  n ? x->stack.v + x->stack.n - n : NULL, n))
		return na_fail_nomem(x->err);
	x->stack.n -= n;
	return push(x, (struct na_dump_value){.kind = NA_DUMP_LIST, .list = l})
		       ? NA_OK
		       : na_fail_nomem(x->err);
}

static enum na_status empty(struct unpickler *x, enum na_dump_kind kind)
{
	struct na_dump_list *l = na_dump_list(x->store);

	return l && push(x, (struct na_dump_value){.kind = kind, .list = l})
		       ? NA_OK
		       : na_fail_nomem(x->err);
}

/* The values from `from` on go to the container below them. */
static enum na_status fill(struct unpickler *x, uint64_t at, size_t from,
			   enum na_dump_kind kind)
{
	size_t n = x->stack.n - from;
	struct na_dump_value *to;

	if (from <= bottom(x))
		return broken(x, at, "items without a container");
	to = &x->stack.v[from - 1];
	if (to->kind != (uint32_t)kind || (kind == NA_DUMP_DICT && n % 2))
		return broken(x, at,
			      kind == NA_DUMP_DICT
				      ? "items that do not fit a "
					"dictionary"
				      : "items for what is no list");
	if (!na_dump_append(x->store, to->list, x->stack.v + from, n))
		return na_fail_nomem(x->err);
	x->stack.n = from;
	return NA_OK;
}

/* APPEND, SETITEM: one item, of n values. */
static enum na_status fill_one(struct unpickler *x, uint64_t at, size_t n,
			       enum na_dump_kind kind)
{
	if (x->stack.n - bottom(x) < n + 1)
		return broken(x, at, "an item without a container");
	return fill(x, at, x->stack.n - n, kind);
}

/* Is the dictionary below the values from `from` on, which it is to get, an
 * item to hand out? */
static bool is_item(const struct unpickler *x, size_t from)
{
	size_t list = x->n_marks == 2 ? x->marks[1] : 0;

	return x->items && list && from == list + 1 && x->marks[0] == 1 &&
	       x->stack.v[list].kind == NA_DUMP_DICT &&
	       !x->stack.v[list].list->n && (x->stack.n - from) % 2 == 0 &&
	       list - 1 > x->marks[0] && (list - x->marks[0]) % 2 == 0 &&
	       x->stack.v[0].kind == NA_DUMP_DICT &&
	       x->stack.v[list - 1].kind == NA_DUMP_LIST &&
	       na_text_is(na_dump_text(&x->stack.v[list - 2]), x->items->list);
}

/* Its values are shown where they lie. */
static enum na_status hand_out(struct unpickler *x, uint64_t at, size_t from)
{
	struct na_dump_list held = {x->stack.v + from,
				    (uint32_t)(x->stack.n - from), 0};
	struct na_dump_value item = {.kind = NA_DUMP_DICT, .list = &held};
	struct na_dump_list so_far = {x->stack.v + 1,
				      (uint32_t)(x->marks[1] - 1 - 2), 0};
	struct na_dump_value top = {.kind = NA_DUMP_DICT, .list = &so_far};
	enum na_status st = x->items->take(x->items->ctx, &top, &item, x->err);

	if (st == NA_END) { /* it stays, and those behind it */
		x->items = NULL;
		return fill(x, at, from, NA_DUMP_DICT);
	}
	if (st != NA_OK)
		return st;
	x->stack.n = from - 1;
	/* Of the first one it is not known where it began. */
	if (x->marked && !x->kept)
		na_dump_back(x->store, x->mark);
	x->mark = na_dump_mark(x->store);
	x->marked = true;
	x->kept = false;
	return NA_OK;
}

static enum na_status mark(struct unpickler *x, uint64_t at)
{
	if (x->n_marks == NA_PICKLE_MARKS)
		return broken(x, at, "nested deeper than any recorder dump");
	x->marks[x->n_marks++] = x->stack.n;
	return NA_OK;
}

/* APPENDS, SETITEMS, TUPLE. */
static enum na_status fill_marked(struct unpickler *x, uint64_t at, int op)
{
	size_t from;

	if (!x->n_marks)
		return broken(x, at, "an end of items that never began");
	from = x->marks[--x->n_marks];
	if (op == OP_TUPLE)
		return tuple(x, at, x->stack.n - from);
	if (op == OP_SETITEMS && is_item(x, from))
		return hand_out(x, at, from);
	return fill(x, at, from,
		    op == OP_APPENDS ? NA_DUMP_LIST : NA_DUMP_DICT);
}

/* ---- values */

static enum na_status text(struct unpickler *x)
{
	struct na_cursor sub;
	uint64_t n;

	if (!na_fixed32(&x->c, &n) || !na_sub(&x->c, n, &sub))
		return ends(x);
	return push(x, (struct na_dump_value){.kind = NA_DUMP_TEXT,
					      .n = (uint32_t)n,
					      .s = (const char *)sub.p})
		       ? NA_OK
		       : na_fail_nomem(x->err);
}

/* Two's complement, little endian. */
static enum na_status long1(struct unpickler *x, uint64_t at)
{
	struct na_cursor sub;
	uint64_t v = 0;
	size_t n;

	if (!na_left(&x->c))
		return ends(x);
	n = na_byte(&x->c);
	if (n > 8)
		return broken(x, at, "an integer of more than 64 bits");
	if (!na_sub(&x->c, n, &sub))
		return ends(x);
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)sub.p[i] << 8 * i;
	if (n && n < 8 && sub.p[n - 1] & 0x80)
		v |= UINT64_MAX << 8 * n;
	return push(x, an_int((int64_t)v)) ? NA_OK : na_fail_nomem(x->err);
}

static enum na_status binfloat(struct unpickler *x)
{
	struct na_dump_value v = {.kind = NA_DUMP_REAL};
	uint64_t bits;

	if (na_left(&x->c) < 8)
		return ends(x);
	bits = na_get64(x->c.p, true);
	x->c.p += 8;
	memcpy(&v.f, &bits, 8);
	return push(x, v) ? NA_OK : na_fail_nomem(x->err);
}

/* A number of `size` bytes behind the opcode; false: the file ends. */
static inline bool number(struct unpickler *x, int size, uint64_t *v)
{
	const uint8_t *p = x->c.p;

	if (na_left(&x->c) < (size_t)size)
		return false;
	*v = size == 1   ? p[0]
	     : size == 2 ? na_get16(p, false)
			 : na_get32(p, false);
	x->c.p += size;
	return true;
}

static enum na_status constant(struct unpickler *x, enum na_dump_kind kind,
			       int64_t i)
{
	return push(x, (struct na_dump_value){.kind = kind, .i = i})
		       ? NA_OK
		       : na_fail_nomem(x->err);
}

static enum na_status proto(struct unpickler *x, uint64_t at)
{
	if (!na_left(&x->c))
		return ends(x);
	return na_byte(&x->c) == 2 ? NA_OK
				   : broken(x, at,
					    "another protocol than 2, which "
					    "recorder dumps have");
}

/* Opcodes with a number behind them. */
static enum na_status numbered(struct unpickler *x, uint64_t at, int op)
{
	int size = op == OP_BININT2 ? 2
		   : op == OP_BININT || op == OP_LONG_BINGET ||
				   op == OP_LONG_BINPUT
			   ? 4
			   : 1;
	uint64_t v;

	if (!number(x, size, &v))
		return ends(x);
	switch (op) {
	case OP_BINGET:
	case OP_LONG_BINGET:
		return get(x, at, v);
	case OP_BINPUT:
	case OP_LONG_BINPUT:
		return put(x, at, v);
	default:
		return constant(x, NA_DUMP_INT,
				op == OP_BININT ? (int32_t)v : (int64_t)v);
	}
}

static enum na_status one(struct unpickler *x, uint64_t at, uint8_t op)
{
	switch (op) {
	case OP_BINGET:
	case OP_LONG_BINGET:
	case OP_BINPUT:
	case OP_LONG_BINPUT:
	case OP_BININT:
	case OP_BININT1:
	case OP_BININT2:
		return numbered(x, at, op);
	case OP_BINUNICODE:
		return text(x);
	case OP_LONG1:
		return long1(x, at);
	case OP_NONE:
		return constant(x, NA_DUMP_NONE, 0);
	case OP_NEWTRUE:
	case OP_NEWFALSE:
		return constant(x, NA_DUMP_BOOL, op == OP_NEWTRUE);
	case OP_MARK:
		return mark(x, at);
	case OP_EMPTY_LIST:
		return empty(x, NA_DUMP_LIST);
	case OP_EMPTY_DICT:
		return empty(x, NA_DUMP_DICT);
	case OP_APPENDS:
	case OP_SETITEMS:
	case OP_TUPLE:
		return fill_marked(x, at, op);
	case OP_APPEND:
		return fill_one(x, at, 1, NA_DUMP_LIST);
	case OP_SETITEM:
		return fill_one(x, at, 2, NA_DUMP_DICT);
	case OP_EMPTY_TUPLE:
		return tuple(x, at, 0);
	case OP_TUPLE1:
	case OP_TUPLE2:
	case OP_TUPLE3:
		return tuple(x, at, (size_t)(op - OP_TUPLE1 + 1));
	case OP_BINFLOAT:
		return binfloat(x);
	case OP_PROTO:
		return proto(x, at);
	default:
		return refuse(x, at, op);
	}
}

/* What breaks off is closed as if its ends had come. */
static void salvage(struct unpickler *x)
{
	while (x->n_marks) {
		size_t from = x->marks[--x->n_marks];
		struct na_dump_value *to;
		size_t n = x->stack.n - from;

		to = from > bottom(x) ? &x->stack.v[from - 1] : NULL;
		if (to && to->kind == NA_DUMP_DICT)
			n -= n % 2;
		if (to &&
		    (to->kind == NA_DUMP_DICT || to->kind == NA_DUMP_LIST) &&
		    !na_dump_append(x->store, to->list, x->stack.v + from, n))
			return;
		x->stack.n = from;
	}
}

enum na_status na_pickle_read(const uint8_t *p, size_t n,
			      struct na_dump_store *store,
			      const struct na_pickle_items *items,
			      struct na_dump_value *out, struct na_err *err)
{
	struct unpickler x = {.c = na_cursor_of(p, n),
			      .store = store,
			      .items = items,
			      .err = err};
	enum na_status st = NA_OK;
	bool stopped = false;

	*out = (struct na_dump_value){.kind = NA_DUMP_NONE};
	while (st == NA_OK && !stopped) {
		uint64_t at;
		uint8_t op;

		na_unpickle_hurry(&x);
		at = na_at(&x.c);
		if (!na_left(&x.c)) {
			st = ends(&x);
			break;
		}
		op = na_byte(&x.c);
		if (op != OP_STOP)
			st = one(&x, at, op);
		else if (x.n_marks || x.stack.n != 1)
			st = broken(&x, at, "the end does not leave one value");
		else
			stopped = true;
	}
	if (st == NA_EFORMAT)
		salvage(&x);
	if (st != NA_ENOMEM && x.stack.n)
		*out = x.stack.v[0];
	na_vec_free(&x.stack);
	na_vec_free(&x.memo);
	return st;
}

/*
 * The opcodes that most of a dump is made of.  pickle.c does the same with all
 * of them; here they take a few instructions each, and what most of them are
 * is asked first, so that the processor can guess.
 */
#include "ingest/recorder/unpickler.h"

enum { OP_BYTES = 10 }; /* of the longest one of these */

/* A value that stands in the file, into `to`; how many bytes it takes, 0: it
 * is no such. */
static inline size_t plain(const uint8_t *p, struct na_dump_value *to)
{
	switch (*p) {
	case OP_BININT1:
		*to = an_int(p[1]);
		return 2;
	case OP_BININT2:
		*to = an_int((int64_t)na_get16(p + 1, false));
		return 3;
	case OP_BININT:
		*to = an_int((int32_t)na_get32(p + 1, false));
		return 5;
	case OP_LONG1:
		*to = an_int((int64_t)na_get64(p + 2, false));
		return p[1] == 8 ? 10 : 0;
	case OP_NONE:
		*to = (struct na_dump_value){.kind = NA_DUMP_NONE};
		return 1;
	case OP_NEWTRUE:
	case OP_NEWFALSE:
		*to = (struct na_dump_value){.kind = NA_DUMP_BOOL,
					     .i = *p == OP_NEWTRUE};
		return 1;
	default:
		return 0;
	}
}

/* The values above the last MARK become what the empty list below it holds;
 * false: it is none, or there is no memory. */
static inline bool close_list(struct unpickler *x, struct na_dump_value **top)
{
	struct na_dump_value *from, *v;
	struct na_dump_list *l;
	size_t n;

	if (x->n_marks < 2 ||
	    x->marks[x->n_marks - 1] <= x->marks[x->n_marks - 2])
		return false;
	from = x->stack.v + x->marks[x->n_marks - 1];
	l = from[-1].list;
	n = (size_t)(*top - from);
	if (from[-1].kind != NA_DUMP_LIST || l->n || n > UINT16_MAX)
		return false;
	v = na_dump_alloc(x->store, n * sizeof(*v));
	if (!v)
		return false;
	for (size_t i = 0; i < n; i++)
		v[i] = from[i];
	*l = (struct na_dump_list){v, (uint32_t)n, (uint32_t)n};
	x->n_marks--;
	*top = from;
	return true;
}

void na_unpickle_hurry(struct unpickler *x)
{
	size_t left = na_left(&x->c), n;
	const uint8_t *p = x->c.p;
	const uint8_t *far = left > OP_BYTES ? x->c.end - OP_BYTES : p;
	const struct na_dump_value *memo = x->memo.v;
	const size_t known = x->memo.n;
	struct na_dump_value *to;
	const struct na_dump_value *full;

	if (!x->stack.v)
		return; /* nothing was pushed, and there is no room */
	to = x->stack.v + x->stack.n;
	full = x->stack.v + x->stack.cap;
	while (p < far && to < full) {
		if (*p == OP_BINGET) {
			if (p[1] >= known)
				break;
			*to++ = memo[p[1]];
			p += 2;
		} else if (*p == OP_MARK && x->n_marks < NA_PICKLE_MARKS) {
			x->marks[x->n_marks++] = (size_t)(to - x->stack.v);
			p++;
		} else if (*p == OP_EMPTY_LIST) {
			to->kind = NA_DUMP_LIST;
			to->n = 0;
			to->list = na_dump_list(x->store);
			if (!to->list)
				break;
			to++;
			p++;
		} else if (*p == OP_APPENDS) {
			if (!close_list(x, &to))
				break;
			p++;
		} else {
			n = plain(p, to);
			if (!n)
				break;
			to++;
			p += n;
		}
	}
	x->stack.n = (size_t)(to - x->stack.v);
	x->c.p = p;
}

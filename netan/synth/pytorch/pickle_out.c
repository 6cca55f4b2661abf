#include "netan/synth/pytorch/pickle_out.h"

#include <string.h>

enum opcode {
	MARK = '(',
	STOP = '.',
	BININT = 'J',
	BININT1 = 'K',
	BININT2 = 'M',
	NONE = 'N',
	BINUNICODE = 'X',
	EMPTY_LIST = ']',
	APPENDS = 'e',
	BINGET = 'h',
	LONG_BINGET = 'j',
	BINPUT = 'q',
	LONG_BINPUT = 'r',
	SETITEMS = 'u',
	EMPTY_DICT = '}',
	PROTO = 0x80,
	TUPLE2 = 0x86,
	NEWTRUE = 0x88,
	NEWFALSE = 0x89,
	LONG1 = 0x8a
};

enum { PROTOCOL = 2, LONG_BYTES = 8 };

/* Little-endian, as all of it is. */
static void put(struct na_pickle *p, enum opcode op, uint64_t v, int bytes)
{
	uint8_t buf[1 + sizeof(v)] = {(uint8_t)op};

	for (int i = 0; i < bytes; i++)
		buf[1 + i] = (uint8_t)(v >> 8 * i);
	na_wire_raw(p->w, buf, (size_t)bytes + 1);
}

static void put_memo(struct na_pickle *p, enum opcode op, enum opcode far,
		     uint32_t id)
{
	if (id <= UINT8_MAX)
		put(p, op, id, 1);
	else
		put(p, far, id, 4);
}

/* A name's place in the memo; n_memo where it is new. */
static uint32_t *find(struct na_pickle *p, const char *name, size_t n,
		      bool *known)
{
	uint32_t i;

	*known = na_strtab_find(&p->seen, name, n) != NA_NO_NAME;
	i = na_strtab_add(&p->seen, name, n);
	if (i == NA_NO_NAME ||
	    (i == p->memo.n && !na_add(&p->memo, (uint32_t)0))) {
		p->w->failed = true;
		return NULL;
	}
	return &p->memo.v[i];
}

static void put_next(struct na_pickle *p, uint32_t *memo)
{
	*memo = p->n_memo++;
	put_memo(p, BINPUT, LONG_BINPUT, *memo);
}

void na_pickle_begin(struct na_pickle *p)
{
	put(p, PROTO, PROTOCOL, 1);
}

void na_pickle_end(struct na_pickle *p)
{
	/* The whole is held by its maker, too: it counts as used again. */
	put_memo(p, BINPUT, LONG_BINPUT, p->n_memo);
	put(p, STOP, 0, 0);
	na_strtab_fini(&p->seen);
	na_vec_free(&p->memo);
}

void na_pickle_text(struct na_pickle *p, const char *s)
{
	size_t n = strlen(s);
	bool known;
	uint32_t *memo = find(p, s, n, &known);

	if (!memo)
		return;
	if (known) {
		put_memo(p, BINGET, LONG_BINGET, *memo);
		return;
	}
	put(p, BINUNICODE, n, 4);
	na_wire_raw(p->w, s, n);
	put_next(p, memo);
}

void na_pickle_int(struct na_pickle *p, int64_t v)
{
	if (v >= 0 && v <= UINT8_MAX)
		put(p, BININT1, (uint64_t)v, 1);
	else if (v >= 0 && v <= UINT16_MAX)
		put(p, BININT2, (uint64_t)v, 2);
	else if (v >= INT32_MIN && v <= INT32_MAX)
		put(p, BININT, (uint64_t)v, 4);
	else {
		put(p, LONG1, LONG_BYTES, 1);
		na_wire_raw(p->w,
			    (const uint8_t[]){
				    (uint8_t)v, (uint8_t)(v >> 8),
				    (uint8_t)(v >> 16), (uint8_t)(v >> 24),
				    (uint8_t)(v >> 32), (uint8_t)(v >> 40),
				    (uint8_t)(v >> 48), (uint8_t)(v >> 56)},
			    LONG_BYTES);
	}
}

void na_pickle_bool(struct na_pickle *p, bool v)
{
	put(p, v ? NEWTRUE : NEWFALSE, 0, 0);
}

void na_pickle_none(struct na_pickle *p)
{
	put(p, NONE, 0, 0);
}

void na_pickle_open(struct na_pickle *p, char bracket)
{
	put(p, bracket == '{' ? EMPTY_DICT : EMPTY_LIST, 0, 0);
	put(p, MARK, 0, 0);
}

void na_pickle_close(struct na_pickle *p, char bracket)
{
	put(p, bracket == '}' ? SETITEMS : APPENDS, 0, 0);
}

void na_pickle_pair(struct na_pickle *p)
{
	put(p, TUPLE2, 0, 0);
}

/* Names of containers are told from texts by their NUL. */
bool na_pickle_again(struct na_pickle *p, const char *name)
{
	uint32_t i = na_strtab_find(&p->seen, name, strlen(name) + 1);

	if (i == NA_NO_NAME)
		return false;
	put_memo(p, BINGET, LONG_BINGET, p->memo.v[i]);
	return true;
}

void na_pickle_keep(struct na_pickle *p, const char *name)
{
	bool known;
	uint32_t *memo = find(p, name, strlen(name) + 1, &known);

	if (memo)
		put_next(p, memo);
}

/*
 * Values of a dump, as a pickle or a JSON text builds them: none, truth,
 * integers, reals, texts, lists (tuples, too) and dictionaries (their keys
 * and values in turn).  Texts are borrowed from the file; lists belong to
 * the store, do not move, and may hold themselves: who walks them bounds
 * the depth.
 */
#ifndef INGEST_RECORDER_VALUE_H
#define INGEST_RECORDER_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/arena.h"
#include "netan/base/scan.h"

enum na_dump_kind {
	NA_DUMP_NONE,
	NA_DUMP_BOOL,
	NA_DUMP_INT,
	NA_DUMP_REAL,
	NA_DUMP_TEXT,
	NA_DUMP_LIST,
	NA_DUMP_DICT
};

struct na_dump_value {
	uint32_t kind; /* enum na_dump_kind */
	uint32_t n;    /* of a text: bytes */
	union {
		int64_t i; /* INT, BOOL */
		double f;
		const char *s;
		struct na_dump_list *list; /* LIST, DICT */
	};
};
_Static_assert(sizeof(struct na_dump_value) == 16, "millions are made");

struct na_dump_list {
	struct na_dump_value *v;
	uint32_t n, cap;
};

/* What the values lie in; all zero: empty. */
struct na_dump_store {
	struct na_arena arena;
	uint8_t *p, *end; /* what is left of its newest block */
	uint8_t *begin;   /* of it */
};

void na_dump_store_fini(struct na_dump_store *s);
/* Not zeroed, aligned for values; NULL: no memory. */
void *na_dump_alloc_past(struct na_dump_store *s, size_t size);
static inline void *na_dump_alloc(struct na_dump_store *s, size_t size)
{
	uint8_t *p = s->p;

	size = (size + 15) & ~(size_t)15;
	if (size > (size_t)(s->end - p))
		return na_dump_alloc_past(s, size);
	s->p = p + size;
	return p;
}

/* What was allocated since `mark` (of na_dump_mark()) is no more. */
struct na_dump_mark {
	uint8_t *p, *end;
};
static inline struct na_dump_mark na_dump_mark(const struct na_dump_store *s)
{
	return (struct na_dump_mark){s->p, s->end};
}
static inline void na_dump_back(struct na_dump_store *s, struct na_dump_mark m)
{
	s->p = m.end == s->end ? m.p : s->begin;
}

/* An empty list; NULL: no memory. */
static inline struct na_dump_list *na_dump_list(struct na_dump_store *s)
{
	struct na_dump_list *l = na_dump_alloc(s, sizeof(*l));

	if (l)
		*l = (struct na_dump_list){NULL, 0, 0};
	return l;
}
/* To its end; false: no memory, or more than 32 bits count. */
bool na_dump_append(struct na_dump_store *s, struct na_dump_list *l,
		    const struct na_dump_value *v, size_t n);

static inline struct na_text na_dump_text(const struct na_dump_value *v)
{
	return v && v->kind == NA_DUMP_TEXT ? na_text_n(v->s, v->n)
					    : na_text_n("", 0);
}

/* The list or dictionary; NULL: it is none. */
static inline const struct na_dump_list *
na_dump_items(const struct na_dump_value *v, enum na_dump_kind kind)
{
	return v && v->kind == (uint32_t)kind ? v->list : NULL;
}

/* The last value of a key; NULL: it is not there, or no dictionary. */
const struct na_dump_value *na_dump_get(const struct na_dump_value *dict,
					const char *key);

/* An integer, or a text of its decimal digits (JSON dumps write some so);
 * false: neither. */
bool na_dump_digits(const struct na_dump_value *v, int64_t *x);
static inline bool na_dump_int(const struct na_dump_value *v, int64_t *x)
{
	if (!v || v->kind != NA_DUMP_INT)
		return na_dump_digits(v, x);
	*x = v->i;
	return true;
}

#endif

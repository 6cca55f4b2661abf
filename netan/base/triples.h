/*
 * Triples of numbers to dense indices, in the order of first appearance:
 * for keys that millions of records share, without any text.
 */
#ifndef NETAN_BASE_TRIPLES_H
#define NETAN_BASE_TRIPLES_H

#include <stddef.h>
#include <stdint.h>

#include "netan/base/vec.h"

#define NA_NO_TRIPLE UINT32_MAX

struct na_triple {
	uint32_t a, b, c;
};

struct na_triples {
	struct na_triple *keys; /* [n] */
	uint32_t *slots;        /* index + 1; 0 is free */
	size_t n, cap, n_slots;
	/* Records that follow each other often share their key, or two keys
	 * in turn. */
	uint32_t last, before;
};

/* All zero is an empty one. */
void na_triples_fini(struct na_triples *t);

/* All are there, and nobody asks for one again: what finds them goes, and the
 * room that growth left. */
void na_triples_fit(struct na_triples *t);

/* The index of a key, new or known; NA_NO_TRIPLE when memory is short. */
uint32_t na_triples_add(struct na_triples *t, struct na_triple key);

/* It will be asked for soon: what finds it comes from memory meanwhile. */
void na_triples_expect(const struct na_triples *t, struct na_triple key);

/* NA_NO_TRIPLE when it is not there. */
uint32_t na_triples_find(const struct na_triples *t, struct na_triple key);

/* What a vector (vec.h) holds for a key, all zero if the key is new: a pointer
 * to it, or NULL.  Keys and elements come to be together. */
#define na_triples_at(keys, vec, key) \
	__extension__({ \
		uint32_t at_key = na_triples_add(keys, key); \
\
		at_key == NA_NO_TRIPLE ? NULL \
		: at_key < (vec)->n    ? &(vec)->v[at_key] \
				       : na_push(vec); \
	})

#endif

/*
 * Interned names: equal strings get the same 32-bit index, in the order of
 * first appearance, so that the same input gives the same indices.  The table
 * owns its copies; index and text stay valid until na_strtab_fini(), while
 * `names` itself moves as it grows.  Adding and finding take O(len).
 */
#ifndef NETAN_BASE_STRTAB_H
#define NETAN_BASE_STRTAB_H

#include <stdint.h>

#include "netan/base/arena.h"

#define NA_NO_NAME UINT32_MAX

struct na_strtab { /* all zero: empty */
	struct na_arena arena;
	struct na_interned {
		const char *s;
		uint32_t len, hash;
	} * names;
	uint32_t *slots; /* index + 1; 0 is free */
	size_t n, cap, n_slots;
};

void na_strtab_fini(struct na_strtab *t);

/* The index of a name, new or known; NA_NO_NAME when memory is short.  s
 * [len] may hold any bytes, NUL too; it is copied, with a NUL behind it. */
uint32_t na_strtab_add(struct na_strtab *t, const char *s, size_t len);

/* NA_NO_NAME when it is not there. */
uint32_t na_strtab_find(const struct na_strtab *t, const char *s, size_t len);

/* "" for NA_NO_NAME. */
const char *na_strtab_at(const struct na_strtab *t, uint32_t name);

#endif

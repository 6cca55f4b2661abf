/*
 * Memory that is freed all at once: the names and attributes of one input,
 * the nodes of one result.  What is handed out belongs to the arena, does not
 * move, and lives until na_arena_fini(); nothing is freed alone.  Each call
 * gives NULL when memory is short, and what was given before stays valid.
 * Not for several threads at once.
 */
#ifndef NETAN_BASE_ARENA_H
#define NETAN_BASE_ARENA_H

#include <stddef.h>

struct na_arena { /* all zero: empty */
	struct na_arena_block *blocks;
};

void na_arena_fini(struct na_arena *a);
/* What was handed out is no more, but the latest block stays for what comes. */
void na_arena_reset(struct na_arena *a);

/* Zeroed, aligned for any type; NULL when memory is short. */
void *na_arena_alloc(struct na_arena *a, size_t size);

/* An array of zeros; NULL: no memory.  Never NULL for none. */
#define NA_NEW(arena, type, n) ((type *)na_arena_array(arena, n, sizeof(type)))
void *na_arena_array(struct na_arena *a, size_t n, size_t size);

/* A copy of n bytes with a NUL behind it. */
char *na_arena_strn(struct na_arena *a, const char *s, size_t n);

/* "dir/name", whatever slashes dir ends in. */
char *na_arena_path(struct na_arena *a, const char *dir, const char *name);

#endif

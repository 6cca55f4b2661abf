#include "netan/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Each as large as two of those before it: tens of thousands of inputs have an
 * arena of their own, and little in it. */
enum { FIRST_BYTES = 512, BLOCK_BYTES = 16384 };

struct na_arena_block {
	struct na_arena_block *next;
	size_t used, size;
	alignas(max_align_t) unsigned char data[];
};

void na_arena_fini(struct na_arena *a)
{
	while (a->blocks) {
		struct na_arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
}

void na_arena_reset(struct na_arena *a)
{
	struct na_arena rest = {a->blocks ? a->blocks->next : NULL};

	na_arena_fini(&rest);
	if (!a->blocks)
		return;
	a->blocks->next = NULL;
	a->blocks->used = 0;
}

/* At a multiple of `step`. */
static void *take(struct na_arena *a, size_t size, size_t step)
{
	struct na_arena_block *b = a->blocks;
	size_t at = b ? (b->used + step - 1) / step * step : 0;

	if (size > SIZE_MAX / 2)
		return NULL;
	if (!b || at > b->size || b->size - at < size) {
		size_t room = b ? 2 * b->size : FIRST_BYTES;

		room = room < BLOCK_BYTES ? room : BLOCK_BYTES;
		room = room > size ? room : size;
		b = malloc(sizeof(*b) + room);
		if (!b)
			return NULL;
		b->next = a->blocks;
		b->size = room;
		a->blocks = b;
		at = 0;
	}
	b->used = at + size;
	return b->data + at;
}

void *na_arena_alloc(struct na_arena *a, size_t size)
{
	void *p = take(a, size, alignof(max_align_t));

	return p ? memset(p, 0, size) : NULL;
}

void *na_arena_array(struct na_arena *a, size_t n, size_t size)
{
	if (n > SIZE_MAX / size)
		return NULL;
	return na_arena_alloc(a, n ? n * size : size);
}

char *na_arena_strn(struct na_arena *a, const char *s, size_t n)
{
	char *copy = n < SIZE_MAX ? take(a, n + 1, 1) : NULL;

	if (!copy)
		return NULL;
	if (n)
		memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *na_arena_path(struct na_arena *a, const char *dir, const char *name)
{
	size_t n = strlen(dir), m = strlen(name);
	char *path = na_arena_alloc(a, n + m + 2);

	if (!path)
		return NULL;
	while (n > 1 && dir[n - 1] == '/')
		n--;
	memcpy(path, dir, n);
	if (path[n - 1] != '/')
		path[n++] = '/';
	memcpy(path + n, name, m);
	return path;
}

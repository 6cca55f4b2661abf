#include "tests/fuzz/sqlite_heap.h"

#include <sanitizer/asan_interface.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_BYTES = 8 << 20, GAP = 16 };

/* A block lies behind its size and a gap, and another gap behind it. */
static struct {
	_Alignas(GAP) unsigned char bytes[HEAP_BYTES];
	size_t used, own; /* own: until SQLite was ready */
	int live, live_own;
} heap;

static void must(bool true_always)
{
	if (!true_always)
		abort();
}

static bool is_here(const void *p)
{
	const unsigned char *at = p;

	return at >= heap.bytes && at < heap.bytes + HEAP_BYTES;
}

static int size_of(void *p)
{
	int n;

	memcpy(&n, (unsigned char *)p - 2 * (int)GAP, sizeof(n));
	return n;
}

static void *take(int n)
{
	size_t room = 3 * GAP + ((size_t)n + GAP - 1) / GAP * GAP;
	unsigned char *p = heap.bytes + heap.used;

	if (room > HEAP_BYTES - heap.used) {
		p = malloc(room);
		must(p != NULL);
	} else {
		heap.used += room;
		ASAN_UNPOISON_MEMORY_REGION(p, GAP);
		ASAN_UNPOISON_MEMORY_REGION(p + 2 * GAP, (size_t)n);
	}
	heap.live++;
	memcpy(p, &n, sizeof(n));
	return p + 2 * GAP;
}

static void give(void *p)
{
	heap.live--;
	if (is_here(p))
		ASAN_POISON_MEMORY_REGION(p, (size_t)size_of(p));
	else
		free((unsigned char *)p - 2 * (int)GAP);
}

static void *take_more(void *p, int n)
{
	int had = size_of(p);
	void *more = take(n);

	memcpy(more, p, (size_t)(had < n ? had : n));
	give(p);
	return more;
}

static int round_up(int n)
{
	return (n + 7) & ~7;
}

static int begin(void *ctx)
{
	(void)ctx;
	return SQLITE_OK;
}

static void end(void *ctx)
{
	(void)ctx;
}

void sqlite_heap_begin(void)
{
	static const sqlite3_mem_methods methods = {
		take, give, take_more, size_of, round_up, begin, end, NULL,
	};

	if (!heap.own) {
		ASAN_POISON_MEMORY_REGION(heap.bytes, HEAP_BYTES);
		must(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
		must(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) ==
		     SQLITE_OK);
		must(sqlite3_initialize() == SQLITE_OK);
		heap.own = heap.used;
		heap.live_own = heap.live;
	}
	must(heap.live == heap.live_own);
	ASAN_POISON_MEMORY_REGION(heap.bytes + heap.own, heap.used - heap.own);
	heap.used = heap.own;
}

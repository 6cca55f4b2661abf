/*
 * malloc() and its like within the budget: the linker leads the calls of this
 * program here (--wrap), so that no array of an analysis has to know.  Large
 * blocks ask first, small ones now and then; one that the system refuses is
 * spilled, too, and where there is no room for that, memory is taken after
 * all.  What both refuse is noted: oom.h.  Libraries keep their own.
 */
#include <malloc.h>
#include <stdint.h>
#include <string.h>

#include "netan/base/memory/oom.h"
#include "netan/base/memory/spill.h"

void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);

static bool spills(size_t n)
{
	return n >= NA_SPILL_BYTES ? na_memory_short(n)
				   : na_memory_short_of_small(n);
}

static void *noted(void *p)
{
	if (!p)
		na_oom_note();
	return p;
}

void *__wrap_malloc(size_t n)
{
	void *p = spills(n) ? na_spill(n) : NULL;

	p = p ? p : na_system_malloc(n);
	return p ? p : noted(na_spill(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
	size_t all;
	void *p;

	if (__builtin_mul_overflow(n, size, &all))
		return NULL;
	p = spills(all) ? na_spill(all) : NULL;
	p = p ? p : na_system_calloc(n, size);
	return p ? p : noted(na_spill(all));
}

/* Into the file; p stays where that has no room. */
static void *move(void *p, size_t had, size_t n)
{
	void *new = na_spill(n);

	if (new &&p) {
		memcpy(new, p, had < n ? had : n);
		__real_free(p);
	}
	return new;
}

void *__wrap_realloc(void *p, size_t n)
{
	void *new = NULL;
	size_t had;

	if (na_spill_size(p))
		return noted(na_spill_more(p, n));
	had = p ? malloc_usable_size(p) : 0;
	if (n > had && spills(n - had))
		new = move(p, had, n);
	if (!new)
		new = na_system_realloc(p, n);
	return new || !n ? new : noted(move(p, had, n));
}

void __wrap_free(void *p)
{
	if (na_spill_size(p))
		na_spill_free(p);
	else
		__real_free(p);
}

/*
 * The program's own malloc() and its like take the place of the C library's
 * for all libraries, ask that one, and let none see a NULL.  Weak: where
 * everything is linked into one file, the C library's are there already.
 */
#include "netan/base/memory/oom.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_bool refused;
static _Atomic(void (*)(void)) at_refusal;

bool na_oom(void)
{
	return refused;
}

void na_oom_note(void)
{
	refused = true;
}

void na_oom_handler(void (*end)(void))
{
	at_refusal = end;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#ifdef SANITIZED

void *__real_malloc(size_t n) __attribute__((weak));
void *__real_calloc(size_t n, size_t size) __attribute__((weak));
void *__real_realloc(void *p, size_t n) __attribute__((weak));

void *na_system_malloc(size_t n)
{
	return __real_malloc(n);
}

void *na_system_calloc(size_t n, size_t size)
{
	return __real_calloc(n, size);
}

void *na_system_realloc(void *p, size_t n)
{
	return __real_realloc(p, n);
}

#else

/* What is behind ours.  Looking for it may take memory: that gets none, and
 * does without. */
#define NEXT(name, type) \
	static _Atomic(type) next_##name; \
	static type find_##name(void) \
	{ \
		static _Thread_local bool busy; \
		type next = next_##name; \
\
		if (next || busy) \
			return next; \
		busy = true; \
		next = (type)dlsym(RTLD_NEXT, #name); \
		next_##name = next; \
		busy = false; \
		return next; \
	}

typedef void *(*malloc_type)(size_t n);
typedef void *(*calloc_type)(size_t n, size_t size);
typedef void *(*realloc_type)(void *p, size_t n);
typedef int (*posix_memalign_type)(void **p, size_t align, size_t n);
NEXT(malloc, malloc_type)
NEXT(calloc, calloc_type)
NEXT(realloc, realloc_type)
NEXT(aligned_alloc, calloc_type)
NEXT(memalign, calloc_type)
NEXT(posix_memalign, posix_memalign_type)

static void *none(void)
{
	errno = ENOMEM;
	return NULL;
}

void *na_system_malloc(size_t n)
{
	malloc_type next = find_malloc();

	return next ? next(n) : none();
}

void *na_system_calloc(size_t n, size_t size)
{
	calloc_type next = find_calloc();

	return next ? next(n, size) : none();
}

void *na_system_realloc(void *p, size_t n)
{
	realloc_type next = find_realloc();

	return next ? next(p, n) : none();
}

/* What a library gets.  What no machine has is asked for to be refused. */
static void *given(void *p, size_t n)
{
	void (*end)(void) = at_refusal;

	if (!p && n && n <= PTRDIFF_MAX && end)
		end();
	return p;
}

__attribute__((weak)) void *malloc(size_t n)
{
	return given(na_system_malloc(n), n);
}

__attribute__((weak)) void *calloc(size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all))
		return none();
	return given(na_system_calloc(n, size), all);
}

__attribute__((weak)) void *realloc(void *p, size_t n)
{
	return given(na_system_realloc(p, n), n);
}

__attribute__((weak)) void *aligned_alloc(size_t align, size_t n)
{
	calloc_type next = find_aligned_alloc();

	return given(next ? next(align, n) : none(), n);
}

void *memalign(size_t align, size_t n);
__attribute__((weak)) void *memalign(size_t align, size_t n)
{
	calloc_type next = find_memalign();

	return given(next ? next(align, n) : none(), n);
}

__attribute__((weak)) int posix_memalign(void **p, size_t align, size_t n)
{
	posix_memalign_type next = find_posix_memalign();
	int e = next ? next(p, align, n) : ENOMEM;

	/* EINVAL is a mistake, and said. */
	if (e == ENOMEM)
		given(NULL, n);
	return e;
}

#endif

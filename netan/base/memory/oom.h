/*
 * Memory that the system refuses.  Who asked for it says so, or passes it on;
 * where somebody on the way does not, what comes of the run is not whole, and
 * must not look so: the program asks na_oom() before it writes, and
 * at its end.
 *
 * Libraries are worse: fonts are left out, a picture is drawn without, or
 * what is not there is read.  So none ever sees it: where the C library has no
 * more for one of them, the program ends.  (Sanitizers have an allocator of
 * their own; nothing of this is in such a build.)
 */
#ifndef NETAN_BASE_MEMORY_OOM_H
#define NETAN_BASE_MEMORY_OOM_H

#include <stdbool.h>
#include <stddef.h>

/* Was memory refused, to this program itself, for good?  On any thread. */
bool na_oom(void);
/* It was just now. */
void na_oom_note(void);

/*
 * Ends the program where a library gets no memory: on any thread, at most
 * once, from within malloc().  It must not take memory, nor return.  Until it
 * is set, libraries get NULL.
 */
void na_oom_handler(void (*end)(void));

/* As of the C library; for netan/base/memory/heap.c.  NULL: no more. */
void *na_system_malloc(size_t n);
void *na_system_calloc(size_t n, size_t size);
void *na_system_realloc(void *p, size_t n);

#endif

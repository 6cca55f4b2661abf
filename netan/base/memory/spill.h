/*
 * Memory within a budget.  What grows with the input asks before it takes
 * more, and beyond the budget it lies in a temporary file that is mapped: the
 * system writes it out where memory is short, and no limit of private memory
 * (RLIMIT_DATA) counts it.  The code that uses it knows no difference.
 *
 * The budget is one for the process, as the system's limit is.  Until
 * na_memory_begin() there is none, and nothing is spilled.
 */
#ifndef NETAN_BASE_MEMORY_SPILL_H
#define NETAN_BASE_MEMORY_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Before there are threads; a second call does nothing.  `firm`: also a limit
 * of the system (RLIMIT_DATA), so that nothing takes more, whoever it is.
 * Libraries do not ask, so a part of the budget is kept for them.
 */
void na_memory_begin(size_t budget, bool firm);

/* Would `more` private bytes go beyond it?  On any thread; a few
 * microseconds: for blocks from NA_SPILL_BYTES on. */
bool na_memory_short(size_t more);
enum { NA_SPILL_BYTES = 128 << 10 };
/* The same for smaller ones: it looks now and then. */
bool na_memory_short_of_small(size_t more);

/*
 * n bytes of the file, all zero, aligned to 16.  NULL where there is no
 * budget, or no room: na_memory_use() says why.  Any number of threads.
 */
void *na_spill(size_t n);
/* As realloc(), of what is na_spill()'s. */
void *na_spill_more(void *p, size_t n);
void na_spill_free(void *p);
/* How many bytes p may hold: 0 where it is not na_spill()'s. */
size_t na_spill_size(const void *p);

/* So much of the inputs is read (0 to 1): what is needed in all follows. */
void na_memory_read(double share);

struct na_memory_use {
	uint64_t budget;  /* 0: none */
	bool firm;        /* as it was begun */
	uint64_t spilled; /* bytes of the file at most, at any time */
	char dir[256];    /* where it lies; empty: nothing was spilled */
	bool in_memory;   /* and that is no disk */
	uint64_t taken;   /* private memory at most, as far as it was seen */
	double read;      /* share of the inputs so far (0 to 1) */
	uint64_t needed;  /* about, in all, more than the budget; 0: unknown */
	char why[512];    /* no room could be had; empty: it never failed */
};
struct na_memory_use na_memory_use(void);

#endif

/* The budget of memory (--memory): begun before a command, told after it. */
#ifndef NETAN_ENGINE_MEMORY_H
#define NETAN_ENGINE_MEMORY_H

#include "netan/engine/request.h"

/* Of a process, once.  NA_EUSAGE: less than what works. */
enum na_status na_memory_start(const struct na_request *q,
			       struct na_err *err) NA_MUST_CHECK;

/* A detail (-v): whether all was kept in memory, or how much lay where. */
void na_memory_tell(const struct na_request *q);

/* The least budget: the program, what any input needs, and one thread. */
enum { NA_MEMORY_LEAST = 32000000 };

/* What a thread wants at least: its stack, and what it reads into. */
enum { NA_THREAD_BYTES = 4 << 20 };

#endif

/*
 * SQLite takes thousands of small blocks for each input, and the sanitizer's
 * allocator was half of the time.  It gets them from one piece of memory here
 * that is begun anew for each input.
 */
#ifndef TESTS_FUZZ_SQLITE_HEAP_H
#define TESTS_FUZZ_SQLITE_HEAP_H

/*
 * Before each input.  What lies between the blocks, and what was freed, is
 * poisoned as it is elsewhere; a block that the input before has left is a
 * leak, and ends the program.
 */
void sqlite_heap_begin(void);

#endif

/*
 * Mutators that know a format: what they make is still read far beyond its
 * first bytes.  libFuzzer finds LLVMFuzzerCustomMutator by its name; the replay
 * of the corpus (replay.c) feeds what it makes of each file, too.
 */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The fuzzer's: changes data[size] somehow, to at most `most` bytes, and
 * returns how many there are now. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed);

static inline uint32_t mutate_random(uint32_t *seed)
{
	*seed = *seed * UINT32_C(1664525) + UINT32_C(1013904223);
	return *seed >> 8;
}

/* Below n, which is not 0. */
static inline size_t mutate_below(uint32_t *seed, size_t n)
{
	return mutate_random(seed) % n;
}

/* A file in a block of `most` bytes. */
struct mutated {
	uint8_t *p;
	size_t n, most;
};

/* with[n] in place of `was` bytes at `at`; false: no room. */
static inline bool mutate_splice(struct mutated *m, size_t at, size_t was,
				 const uint8_t *with, size_t n)
{
	if (m->n - was + n > m->most)
		return false;
	memmove(m->p + at + n, m->p + at + was, m->n - at - was);
	if (n)
		memcpy(m->p + at, with, n);
	m->n = m->n - was + n;
	return true;
}

#endif

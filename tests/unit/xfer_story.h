/*
 * Transfer files for the tests: a story of random records, a sink that writes
 * down what it is told, files in memory and back.
 */
#ifndef TESTS_UNIT_XFER_STORY_H
#define TESTS_UNIT_XFER_STORY_H

#include "ingest/transfer_file/write.h"

enum { SOURCES = 2 };
extern const struct na_xfer_source sources[SOURCES];

/* na_xfer_write into a struct na_xf_bytes. */
enum na_status append(void *ctx, const void *p, size_t n, struct na_err *err);

/* What a sink was told, as text, with names for numbers. */
struct told {
	char *text;
	size_t n, cap;
	struct na_strtab names;
	uint64_t records, damaged, remarks;
};

void told_init(struct told *t);
void told_fini(struct told *t);
struct na_sink told_sink(struct told *t);
void told_classed(void *ctx, enum na_side side, enum na_style style,
		  enum na_class klass, uint64_t n);
void told_left_out(void *ctx, enum na_reason why, uint64_t n);
void told_unknown(void *ctx, const char *s, size_t n, uint64_t times);

struct rng {
	uint64_t x;
};
uint64_t draw(struct rng *r, uint64_t below);

/* The same seed, the same story, whoever listens. */
void story(uint64_t seed, size_t n, const struct na_sink *to);

/* A file of `blocks` blocks of each source, so many steps of a story each:
 * seed 100 * source + block.  The first block of each has counts, too. */
void make_file(struct na_xf_bytes *to, size_t blocks, size_t steps,
	       bool anonymize);

enum {
	EVERYTHING = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_ACTIONS |
		     NA_WANT_STEPS | NA_WANT_KERNELS | NA_WANT_MODULES |
		     NA_WANT_CALLS | NA_WANT_CONNECTIONS | NA_WANT_PACKETS |
		     NA_WANT_OPS | NA_WANT_BUSY | NA_WANT_COMMS
};

struct back {
	struct na_input in[SOURCES];
	size_t n;
	bool opened, damaged;
	struct na_err err;
	int fd;
};

/* All sources of a file, or the error. */
void open_back(struct back *b, const uint8_t *p, size_t n, uint32_t wants);
void close_back(struct back *b);
void tell_all(struct back *b, struct told *t);
void tell_to(struct back *b, const struct na_sink *to);

#endif

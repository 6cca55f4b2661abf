/*
 * SHA-256 of the inputs, while other work goes on: hashing half a gigabyte
 * takes longer than analysing it.
 */
#ifndef NETAN_ENGINE_HASHING_H
#define NETAN_ENGINE_HASHING_H

#include <pthread.h>
#include <stdatomic.h>

#include "netan/base/sha256.h"
#include "netan/engine/session/session.h"

struct na_hashed {
	const char *path;
	char hex[NA_SHA256_HEX];
};

struct na_hashing {
	struct na_arena arena;
	struct na_hashed *files;
	size_t n, cap;
	pthread_mutex_t lock;
	size_t next; /* the first that nobody has taken */
	pthread_t helper;
	bool helped;
	atomic_bool left; /* nobody wants the rest */
};

/* The regular files among the inputs; with -j 1 nothing begins before
 * na_hashing_end().  False: out of memory; close it all the same. */
bool na_hashing_start(struct na_hashing *h, const struct na_request *q);
/* Waits, and helps. */
void na_hashing_end(struct na_hashing *h, size_t threads);
/* Of an input of the session; "" where it cannot be told: packed bytes that
 * came through a pipe are gone. */
void na_hash_of(const struct na_hashing *h, const struct na_input *in,
		char hex[NA_SHA256_HEX]);
/* Without an end before it, what is not hashed by then is left. */
void na_hashing_close(struct na_hashing *h);

#endif

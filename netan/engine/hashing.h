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

/* Of s->inputs[from] to before `to`, those that have files, each on a thread;
 * where several processes share the inputs, each does it for its own. */
void na_hash_range(struct na_session *s, size_t from, size_t to);

/* Of what a regular file holds, as far as samples of it tell; of h alone where
 * it cannot be read. */
uint64_t na_hash_samples(uint64_t h, const char *path);

/* Lists the regular files among the inputs of q, whose paths are borrowed,
 * and hashes them on one thread of its own; with -j 1 nothing begins before
 * na_hashing_end().  An input that cannot be found is passed over: the session
 * says so.  Nothing where the session is to hash by
 * range.  False: out of memory; close it all the same. */
bool na_hashing_start(struct na_hashing *h, const struct na_request *q);
/* Hashes what is left on so many threads, the caller's among them, and waits
 * for the rest; after an interruption it gives up. */
void na_hashing_end(struct na_hashing *h, size_t threads);
/* Of the bytes of an input as they are on the disk, 64 hex digits; after
 * na_hashing_end().  What is no regular file is hashed now, from memory.  ""
 * where it cannot be told: after an interruption or a failed reading, and of
 * packed bytes that came through a pipe, which are gone. */
void na_hash_of(const struct na_hashing *h, const struct na_input *in,
		char hex[NA_SHA256_HEX]);
/* Due once after each start.  Without an end before it, what is not hashed by
 * then is left. */
void na_hashing_close(struct na_hashing *h);

#endif

/*
 * A sink in front of another one that lets the records of a slice pass: for
 * inputs that are records already (transfer files).
 */
#ifndef NETAN_ENGINE_SLICE_SIEVE_H
#define NETAN_ENGINE_SLICE_SIEVE_H

#include <pthread.h>

#include "netan/engine/slice/keep.h"
#include "netan/model/store.h"

/* What passes, and how much has; of all inputs of a session. */
struct na_sieve {
	struct na_slice of;
	bool *shut; /* by input: nothing of it passes; or NULL */
	pthread_mutex_t lock;
	struct na_slice_counts counts;
};

/* Of one block, on one thread. */
struct na_sifted {
	struct na_sink sink;
	struct na_sink to;
	struct na_sieve *of;
	bool shut;
	bool seen[NA_N_RECORDS]; /* one of the kind */
	struct na_keeper keeper;
	struct na_slice_counts counts;
};

/* Borrows x and what it points to. */
void na_sifted_begin(struct na_sifted *x, struct na_sieve *of, size_t input,
		     const struct na_sink *to);
void na_sifted_end(struct na_sifted *x);

#endif

/*
 * Members that several analyses write the same way.  `in` is an object of r
 * (or a list, with name NULL); all is copied.  When memory is short nothing is
 * added, and na_result_ok() says so in the end.
 */
#ifndef NETAN_METHODS_PUT_H
#define NETAN_METHODS_PUT_H

#include "netan/model/scope.h"
#include "netan/result/result.h"
#include "netan/stats/time/spread.h"

/* An amount in 2^-20 bytes (spread.h), in bytes: an integer wherever nothing
 * was clipped, else a real, as beyond an int64_t. */
void na_put_amount(struct na_result *r, struct na_value *in, const char *name,
		   na_i128 amount);

/* A count or bytes: below 0 (not known) null, beyond an int64_t a real. */
void na_put_whole(struct na_result *r, struct na_value *in, const char *name,
		  na_i128 v);

/* The numbers x [n], copied. */
void na_put_series(struct na_result *r, struct na_value *in, const char *name,
		   const double *x, size_t n);

/* The member "time_s": where each bin begins, seconds from the origin. */
void na_put_bin_starts(struct na_result *r, struct na_value *body,
		       const struct na_bins *bins);

/* The list "steps": those that --step asks for and that run in [lo_ps, hi_ps),
 * also partly; number, start and end in seconds, in the order of the store.
 * May be empty. */
void na_put_steps(struct na_result *r, struct na_value *body,
		  const struct na_scope *scope, int64_t lo_ps, int64_t hi_ps);

/* The view "the worst": of the first n rows of a list, their rank and the first
 * sentences of their member "evidence", one a line; none where n is 0. */
void na_put_worst(struct na_result *r, const struct na_value *listed, size_t n,
		  const struct na_table *shown);

#endif

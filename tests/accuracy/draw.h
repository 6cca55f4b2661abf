/*
 * Draws for simulated fleets: floating point on top of netan/synth/rng.h
 * (which keeps to integers because a trace's bytes depend on it).
 */
#ifndef ACCURACY_DRAW_H
#define ACCURACY_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/synth/rng.h"

double fl_uniform(struct na_rng *r); /* [0, 1) */
double fl_between(struct na_rng *r, double lo, double hi);
/* Uniform in the logarithm; 0 < lo <= hi. */
double fl_log_between(struct na_rng *r, double lo, double hi);
double fl_normal(struct na_rng *r);
double fl_lognormal(struct na_rng *r, double sigma); /* median 1 */
bool fl_chance(struct na_rng *r, double p);
uint32_t fl_pick(struct na_rng *r, uint32_t n); /* [0, n) */

/* A number that depends on a and b alone, for draws that must not depend on
 * the order of events. */
uint64_t fl_hash(uint64_t a, uint64_t b);
double fl_hash_uniform(uint64_t a, uint64_t b);

#endif

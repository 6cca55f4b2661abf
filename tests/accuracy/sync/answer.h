/*
 * What somebody says of a session, and how much of it is right.
 */
#ifndef ACCURACY_SYNC_ANSWER_H
#define ACCURACY_SYNC_ANSWER_H

#include "tests/accuracy/sync/truth.h"

enum { SY_NAMED = 16, SY_OTHERS = 8 };

/* A suspect.  place is SY_PLACES for what cannot be planted: a path between
 * two hosts. */
struct sy_suspect {
	enum sy_place place;
	uint32_t host;     /* or SY_ANY */
	uint32_t src, dst; /* of a path between two hosts */
	uint32_t racks;    /* bits, of those whose hosts it lists */
};

struct sy_named {
	struct sy_suspect who;
	struct sy_suspect others[SY_OTHERS]; /* alternatives that it prints */
	uint32_t n_others;
	double cost_ms;   /* of a step, as it is said; NAN: not said */
	double posterior; /* the same way */
};

enum sy_outcome { SY_GUILTY, SY_ONE_OF, SY_NOT_GUILTY, SY_CANNOT_TELL };

struct sy_answer {
	struct sy_named network[SY_NAMED];
	uint32_t n_network;
	uint32_t compute,
		input; /* hosts that are late by their own doing, bits */
	enum sy_outcome outcome;
	/* 97.5 % bound of the slowdown of this NIC's side (sends, receives), a
	 * factor; 0: it does not say. */
	double upper[SY_HOSTS][2];
};

enum sy_grade { SY_WRONG, SY_NEAR, SY_RIGHT };

/* Of one name by one fault: right is the right kind and place, or these among
 * the alternatives; near the right place but another kind. */
enum sy_grade sy_grade(const struct sy_plan *p, const struct sy_fault *f,
		       const struct sy_named *n);

/* The right kind and place. */
bool sy_is(const struct sy_plan *p, const struct sy_fault *f,
	   const struct sy_suspect *s);

struct sy_json;

/* What `netan COMMAND --format json` says of the session in `dir`, with or
 * without its topology; to be freed.  NULL when it failed. */
struct sy_json *sy_netan(const char *netan, const char *command,
			 const char *dir, bool topology);
/* What that means.  False: it is no answer. */
bool sy_understand(const struct sy_plan *p, const struct sy_json *said,
		   struct sy_answer *out);
/* Both. */
bool sy_ask(const char *netan, const char *command, const char *dir,
	    const struct sy_plan *p, bool topology, struct sy_answer *out);

/* The yardstick: the single side of a host whose median of log latency
 * stands out most, by more than four robust standard deviations. */
bool sy_zscore(const struct sy_run *r, struct sy_answer *out);

/* Sorts; of at least one. */
double sy_median(double *v, size_t n);

#endif

/*
 * The transfers of a session in columns, in an order that does not depend on
 * that of the input, and what the tables take from them.
 */
#ifndef NETAN_JUDGE_SESSION_SESSION_H
#define NETAN_JUDGE_SESSION_SESSION_H

#include "netan/judge/judge.h"
#include "netan/judge/session/group.h"

enum { NA_J_VIEWS = 2 }; /* with the load of ports, and without */

struct na_j_connection {
	uint32_t src, dst, src_dev, dst_dev;
	uint32_t distance, pair;
};

static inline uint32_t na_j_host_of(const struct na_j_connection *c, int side)
{
	return side ? c->dst : c->src;
}

static inline uint32_t na_j_device_of(const struct na_j_connection *c, int side)
{
	return side ? c->dst_dev : c->src_dev;
}

struct na_j_pair {
	uint32_t src, dst;
};

struct na_j_session {
	const struct na_judge_input *in;
	bool racks; /* known */
	size_t n, n_hosts, n_coll, n_steps, n_connections, n_pairs;
	struct na_j_connection *connections; /* with rows, ascending */
	struct na_j_pair *pairs;	     /* the same */
	uint32_t *coll_name;		     /* the caller's, by rank */
	/* By row. */
	uint32_t *connection, *pair, *coll, *step;
	uint32_t *cell;	   /* rank of collective, part, octave of size */
	uint32_t *octave;  /* rank of octave, distance */
	uint32_t *stratum; /* rank of cell, distance */
	uint32_t *host[2]; /* sender, receiver */
	float *size;
	double *start, *took, *log_took; /* us */
	double *load; /* log of fixed cost and bytes through the busier port */
	uint32_t *large; /* rows whose wire time exceeds the fixed cost */
	size_t n_large;
	double *view[NA_J_VIEWS]; /* log of observed over usual */
	size_t n_views;
	double kappa;
	double clock_se;	 /* us; 0: one clock */
	double *ahead_us;	 /* by host; NULL: one clock */
	struct na_arena columns; /* all of this */
};

/* Each: false when memory is short. */
bool na_j_session_init(struct na_j_session *s, const struct na_judge_input *in);
void na_j_session_fini(struct na_j_session *s);

/* Two clocks: fits hosts' offsets to the pairs' smallest latencies, takes
 * them out, and leaves out pairs whose latencies are clamped at 0. */
bool na_j_clocks(struct na_j_session *s);
/* Only these rows. */
bool na_j_session_filter(struct na_j_session *s, const bool *pair_stays);
/* load, large. */
bool na_j_load(struct na_j_session *s);
/* kappa, view, n_views. */
bool na_j_usual(struct na_j_session *s);

/* What is usual by a column of rows: of each pair a quantile, of each key the
 * median over its pairs. */
struct na_j_usual {
	struct na_groups pairs, keys; /* rows by key and pair; pairs by key */
	double *of_pair, *of_key;
};
bool na_j_usual_by(const struct na_j_session *s, const uint32_t *key,
		   const double *x, double q, struct na_j_usual *out,
		   struct na_arena *a);

#endif

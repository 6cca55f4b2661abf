/* What the parts of this room share.  Logs are natural, times in us. */
#ifndef NETAN_METHODS_WIRE_STATE_H
#define NETAN_METHODS_WIRE_STATE_H

#include "netan/base/arena.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/methods/wire/wire.h"

enum wi_side { WI_TX, WI_RX, WI_SIDES };
enum { WI_MOST_FOUND = 8 };

#define WI_NONE     UINT32_MAX
#define WI_LEAST_US 0.5 /* times are told in whole microseconds */
/* Of an effect: what only the model of shared ports sees is no fault. */
#define WI_RAW_SHARE 0.4

/* Rows of one side of a host, of one stratum in one step: [first, first + n)
 * of the side's order. */
struct wi_group {
	uint32_t host, stratum, step;
	uint32_t first, n;
	float raw, low, mid; /* fluid's quartile and median; raw's */
};

/* How hosts differ in a stratum. */
struct wi_centre {
	double at, spread;
};

struct wi_usual {
	struct wi_centre low, mid, raw;
	uint32_t first, second;  /* of the hosts, the slowest */
	double effect, effect_2; /* their effects */
};

/* A stratum of a side: its groups, one for each step. */
struct wi_stratum {
	uint32_t host, stratum;
	uint32_t first, n;     /* groups */
	uint32_t role;         /* transfers in a step */
	uint32_t like, n_like; /* of by_role: all that are compared with it */
	uint32_t met;          /* rows that a planted side shares with it */
	struct wi_usual usual; /* of its role */
	double raw, low, mid;  /* medians over steps */
	double z_low, z_mid, score;
	double effect, raw_effect; /* logs, against the other hosts */
	bool judged;               /* enough steps and hosts */
	bool leads;                /* slower than every other host */
};

/* A connection in one collective. */
struct wi_lane {
	uint32_t connection, stratum;
	uint32_t first, n;     /* of the order by lanes */
	double low, mid, raw;  /* medians over its transfers' quantiles */
	struct wi_usual usual; /* of its stratum */
	uint32_t steps;
	double score, effect;
	bool judged;
};

/* Of a side, other hosts that are as slow: nobody knows; there is none; each is
 * slow by itself, as they are among themselves; or they may share a link. */
enum wi_company { WI_UNKNOWN, WI_NO_COMPANY, WI_APART, WI_MIXED };

/* roles.c: of transfers without a row, how many a side has in a step. */
struct wi_roles {
	struct na_triples keys[WI_SIDES]; /* host, stratum, step */
	NA_VEC(uint32_t) n[WI_SIDES];     /* by key */
};

/* Rows in the order of a key that they may share. */
struct wi_shares {
	uint32_t *key; /* by row */
	uint32_t *rows;
};

/* residual.c: what rows share whose usual is taken away. */
enum wi_usual_of { WI_PART, WI_TURN, WI_USUALS };

struct wi {
	const struct na_wire_input *in;
	const struct wi_roles *roles;
	size_t n; /* rows, after thinning */
	uint32_t n_strata;
	uint32_t every; /* of the input's steps one is left, numbered so */
	uint32_t *host[WI_SIDES]; /* by row */
	uint32_t *stratum;        /* by row: collective * 2 + across racks */
	uint32_t *step;
	float *raw, *fluid;          /* by row: log over what is usual */
	double base_us, us_per_byte; /* of an empty port */
	float *expected_us;          /* by row */
	float *port_bytes[WI_SIDES]; /* by row: through its port meanwhile */
	float *move_us; /* by row: of its time, not in its own queue */
	uint32_t *order[WI_SIDES]; /* rows by host, stratum, step */
	NA_VEC(struct wi_group) groups[WI_SIDES];
	NA_VEC(struct wi_stratum) strata[WI_SIDES];
	NA_VEC(struct wi_stratum *) by_role[WI_SIDES];
	uint32_t *by_lane; /* rows by connection, stratum, step */
	NA_VEC(struct wi_lane) lanes;
	uint32_t *lanes_of[WI_SIDES]; /* lanes by host */
	enum wi_company *company[WI_SIDES]; /* by host; NULL: not asked */
	double *room;                 /* [n + 2 * hosts + 3 * steps] */
	struct na_arena arena;
	bool failed;
	/* The same rows will be judged again, but for how long they took: what
	 * does not depend on that is kept, and in which order they were. */
	bool again;
	struct wi_shares shares[WI_USUALS];
	struct wi_ports *ports; /* fluid.c's */
	uint32_t *queued;       /* rows by connection, then by end */
	struct na_wire_result *out;
	NA_VEC(struct na_lz_finding) found;
};

void *wi_take(struct wi *w, size_t n, size_t size);

static inline const struct na_wire_connection *wi_ends(const struct wi *w,
						       size_t row)
{
	return &w->in->connections[w->in->rows[row].connection];
}

static inline bool wi_cross(const struct na_wire_input *in, uint32_t src,
			    uint32_t dst)
{
	return in->n_racks > 1 && in->rack_of[src] != in->rack_of[dst];
}

/* Of blocks of racks, where they are known. */
static inline bool wi_far(const struct na_wire_input *in, uint32_t src,
			  uint32_t dst)
{
	return in->n_blocks > 1 && in->block_of[src] != in->block_of[dst];
}

static inline bool wi_crosses(uint32_t stratum)
{
	return stratum & 1;
}

/* One stratum must neither make nor unmake a case. */
static inline double wi_clip(double z)
{
	return z < -3 ? -3 : z > 15 ? 15 : z;
}

/* order.c: stable counting sort of idx[n] by key[idx], below n_keys. */
bool wi_sort(uint32_t *idx, size_t n, const uint32_t *key, size_t n_keys);
/* Median and robust spread, of at least `least` (added in quadrature, to what
 * is seen).  Reorders v. */
struct wi_centre wi_centre_of(double *v, size_t n, double least);
/* Subtracts from each x the median of those with its key; what a few
 * connections alone share is left as it is. */
void wi_centre(struct wi *w, float *x, const struct wi_shares *s);

/* queue.c: for how long each moves, the port's rate known. */
bool wi_queue(struct wi *w);
/* fluid.c: raw and fluid residuals, before they are centred. */
bool wi_fluid(struct wi *w);
void wi_fluid_fini(struct wi *w);
/* residual.c */
bool wi_residuals(struct wi *w);
void wi_residuals_fini(struct wi *w);
/* roles.c: of the input, thinned as its rows are. */
bool wi_roles_make(struct wi_roles *r, const struct na_wire_input *in,
		   uint32_t every);
void wi_roles_fini(struct wi_roles *r);
uint32_t wi_roles_more(const struct wi *w, enum wi_side side,
		       const struct wi_group *g);
/* sides.c */
bool wi_sides_index(struct wi *w);
void wi_sides_judge(struct wi *w, enum wi_side side);
/* Of a stratum that was judged, and whose transfers have changed. */
void wi_stratum_again(struct wi *w, enum wi_side side, struct wi_stratum *s);
/* The strata of a host's side. */
struct wi_stratum *wi_strata_of(struct wi *w, enum wi_side side, uint32_t host,
				size_t *n);
/* A stratum's rows, of all its steps. */
const uint32_t *wi_rows_of(const struct wi *w, enum wi_side side,
			   const struct wi_stratum *s, size_t *n);
/* lanes.c */
bool wi_lanes_index(struct wi *w);
void wi_lane_sum(struct wi *w, struct wi_lane *l);
void wi_lane_judge(struct wi_lane *l);
void wi_lanes_judge(struct wi *w);
/* Indices of the lanes of a host's side. */
const uint32_t *wi_lanes_of(const struct wi *w, enum wi_side side,
			    uint32_t host, size_t *n);
/* candidate.c: one side of a host, from its strata. */
struct wi_candidate {
	enum wi_side side;
	uint32_t host;
	double score;        /* 1: it may be enough to be named */
	double effect;       /* log */
	double measured;     /* log, with what a longer stay at its port adds */
	double pooled;       /* sum of its strata's scores, of variance 1 */
	double inside;       /* the same, of what stays in the rack */
	bool proven;         /* slow there, beyond doubt */
	bool has_equals;     /* other hosts are as slow, mostly */
	enum wi_company company;
	bool on_racks;       /* too mild to be named without them */
	const char *against; /* what keeps it from being named; or NULL */
};
struct wi_candidate wi_candidate(struct wi *w, enum wi_side side,
				 uint32_t host);
/* Most of its connections are slow, without those to one host (or WI_NONE),
 * and not to one peer or two. */
bool wi_is_broad(struct wi *w, const struct wi_candidate *c, uint32_t without);
/* find.c */
void wi_find(struct wi *w);
/* Would that side be among what wi_find() finds?  No more is looked for. */
bool wi_finds(struct wi *w, enum wi_side side, uint32_t host);
/* A host's other side that shows as much: a path between them would do both. */
bool wi_rivals(struct wi *w, const struct wi_candidate *best, uint32_t host);
struct na_lz_finding *wi_report(struct wi *w, struct na_lz_who who,
				enum na_lz_channel channel, double effect,
				double spread, double p_value);
/* A link of a rack, or a path. */
struct wi_link {
	struct na_lz_who who;
	double score, effect, p_value;
	size_t lanes;
	bool part; /* one of several links: not all that crosses is slow */
};
/* racks.c: the clearest of the racks' links, all of a rack's or one of
 * several; false: none. */
bool wi_rack_best(struct wi *w, bool whole, struct wi_link *best);
/* The same of blocks: all links of one, or of two the way between. */
bool wi_block_best(struct wi *w, struct wi_link *best);
/* paths.c: the slowest path; false: it is not to be named, for *why. */
bool wi_path_best(struct wi *w, struct wi_link *best, const char **why);
/* alike.c: as long as nothing is found: pairs of hosts beside others. */
void wi_alike(struct wi *w);
/* Nobody is named by it. */
void wi_alike_forget(struct wi *w);
/* What is found is all of that pair: it is by as much. */
void wi_alike_is(struct wi *w, uint32_t src, uint32_t dst, double effect);
/* apart.c: from that, who else is as slow as each side. */
void wi_apart(struct wi *w);
/* ways.c: a block of them that is slow; from wi_alike()'s. */
void wi_ways(struct wi *w);
/* across.c: log of how much longer what crosses racks takes; NaN. */
double wi_across(struct wi *w);
/* doubt.c: what the slow connections have in common. */
void wi_doubt(struct wi *w);
/* group.c: several hosts that have them in common. */
void wi_group(struct wi *w);
/* links.c: transfers that cross it, and pairs of hosts. */
size_t wi_link_rows(struct wi *w, const struct wi_link *l, size_t *pairs);
/* The pairs that are slow on it. */
size_t wi_link_slow_pairs(struct wi *w, const struct wi_link *l);
/* Its pairs are as slow as their connections that show it. */
void wi_link_alike(struct wi *w, const struct wi_link *l);
/* What is slow of it is mostly of one host; or a few pairs of hosts with all
 * their connections, where a fabric would have hashed some to other links. */
bool wi_link_is_else(struct wi *w, const struct wi_link *l);
void wi_link_remove(struct wi *w, const struct wi_link *l);
/* losses.c, flaps.c: sides that lose packets; that are slow now and then. */
void wi_flaps(struct wi *w);
void wi_losses(struct wi *w);
/*
 * wire.c: other rows of the same input, as if nothing else had been there.  The
 * caller may change how long they took between wi_names(), and nothing else.
 */
struct wi_trial {
	struct na_wire_input in;
	struct na_wire_result out;
	struct wi w;
};
void wi_trial_open(struct wi_trial *t, const struct wi *was,
		   struct na_wire_row *rows, size_t n);
/* Would they make that side a finding?  If not, what stands against it, or
 * NULL. */
bool wi_names(struct wi_trial *t, enum wi_side side, uint32_t host,
	      const char **against);
void wi_trial_close(struct wi_trial *t);
/* power.c */
void wi_power(struct wi *w);

#endif

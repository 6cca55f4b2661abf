/*
 * Levels: units are a connection's transfers in one collective; those of a pair
 * where racks are unknown, for what hashing spreads is not known apart then.
 *
 *	centre = mu + sender + receiver + the two by collective
 *		 + connection + noise
 *
 * A table holds the units of all transfers, or of the large ones, in one view
 * of the load; the shifts of its sides; how far healthy ones spread; and what
 * hypotheses gain.  `centre` falls as hypotheses are taken out.
 */
#ifndef NETAN_JUDGE_EVIDENCE_LEVEL_H
#define NETAN_JUDGE_EVIDENCE_LEVEL_H

#include "netan/judge/grid.h"
#include "netan/judge/session/blocks.h"
#include "netan/judge/session/session.h"

struct na_j_unit {
	uint32_t host[2], device[2];     /* sender, receiver */
	uint32_t pair, connection, coll; /* of this table */
	uint32_t transfers, blocks;
	double near;	/* distance */
	double centre0; /* log of observed over usual time */
	double centre;	/* less what is taken out */
	double se;	/* standard error */
	double scale;	/* and healthy spread of units of one side */
	double by_coll[2]; /* of sides in this collective */
	double own;	   /* what is left for the connection */
};

struct na_j_level_connection {
	uint32_t host[2], pair, units;
	double variance; /* of the median of its units */
	double spread;	 /* healthy, at its distance */
	double near;
};

/* Healthy spread of the sides: across hosts, from one collective to the other,
 * degrees of freedom. */
struct na_j_side_spread {
	double tau, tau_coll, nu;
};

struct na_j_level {
	const struct na_j_grid *grid;
	const struct na_judge_input *in;
	const struct na_j_links *links;
	size_t n_hosts, n, n_connections, n_pairs, n_coll;
	bool large, all_collectives; /* all: units are of all together */
	bool of_connections;         /* else units are of pairs */
	struct na_j_unit *units; /* by connection, collective */
	struct na_j_level_connection *connections;
	struct na_j_pair *pairs;
	uint32_t *of_pair; /* the session's pair p: connections from here */
	struct na_groups by_connection, by_pair, by_side[2], by_side_coll[2];
	struct na_groups by_device_coll[2];
	uint32_t *peers[2]; /* pairs by host, as sender and receiver */
	double clock_variance;
	/* Null. */
	bool spreads_known;
	double unit_coll; /* spread of a unit by collective */
	double spread;	  /* of connections */
	double nu, nu_connection;
	struct na_j_side_spread side[2];
	/* What healthy devices of one host are apart. */
	bool devices_known;
	struct na_j_side_spread device[2];
	/* Fit. */
	double mu, *shift[2]; /* by host */
	double *bound[2];     /* by host: log; NaN: unknown */
	double *link_bound;   /* by link; the same */
	/* Prior odds of a block of each kind; odds of all blocks together. */
	const double *odds;
	double any;
	double device_bound; /* the largest of devices; -INFINITY: none */
	/* Of connections across racks: log likelihood of each shift less that
	 * of none, own spread integrated out; until the next fit. */
	double *ratio;
	struct na_arena round;
	struct na_arena mem;
};

/* What a hypothesis gains: log Bayes factor and posterior of its effect. */
struct na_j_gain {
	bool there;
	double gain, effect, low, high;
	double likelihood; /* of links: log, of their connections, at best */
	double late, expected, dispersion; /* of late counts */
	double whole; /* of them: gain before the jackknife */
};

bool na_j_level_init(struct na_j_level *v, const struct na_j_session *s,
		     const double *view, bool large, bool of_connections,
		     const struct na_j_grid *grid,
		     const struct na_j_links *links, const double *odds);
void na_j_level_fini(struct na_j_level *v);

/* Nothing is taken out. */
void na_j_level_restore(struct na_j_level *v);
bool na_j_level_spreads(struct na_j_level *v);
bool na_j_level_fit(struct na_j_level *v);

/* The kernel of the spread by collective, to be freed. */
na_j_kernel *na_j_collectives(const struct na_j_level *v, int side);
/* Log likelihood of a host's shift as sender (0) or receiver (1), whose first
 * group by host and collective is `group`; collectives are replicates, and the
 * kernel is of their spread.  The first group of the next host. */
size_t na_j_level_side(const struct na_j_level *v, int side, size_t group,
		       const na_j_kernel collectives, double *ll);
/* The same of the groups from..to, which lie `less` lower. */
void na_j_level_groups(const struct na_j_level *v, int side,
		       const struct na_groups *g, size_t from, size_t to,
		       double less, const na_j_kernel collectives, double *ll);
/* Degrees of freedom of single units. */
double na_j_level_nu(const struct na_j_level *v);
/* Centre less mu and what the other side explains. */
double na_j_level_rest(const struct na_j_level *v, const struct na_j_unit *u,
		       int side);
/* Log likelihood of a connection's shift, its units being at x (by unit). */
const double *na_j_level_connection(const struct na_j_level *v,
				    size_t connection, const double *x,
				    struct na_j_sum *sum);

struct na_j_pair_gain {
	uint32_t src, dst;
	struct na_j_gain gain;
};

/* Gains and bounds of the sides, [2 n_hosts].  `any` grows by these, and by what
 * all pairs and links have. */
bool na_j_level_gains(struct na_j_level *v, struct na_j_gain *out);
/* Of the likelihood ll of an effect, against a null. */
struct na_j_gain na_j_gain_of(const struct na_j_grid *g, const double *ll,
			      const double *null);
/* 97.5 % bound of an effect, whose healthy spread is the kernel's; ll is
 * overwritten. */
double na_j_bound_of(const struct na_j_grid *g, double *ll,
		     const na_j_kernel k);
/* Gains of devices, and their bound. */
bool na_j_level_devices(struct na_j_level *v, const struct na_j_blocks *b,
			struct na_j_gain *out);
/* Of the pairs that stand out most: at most NA_J_PAIRS_LEVEL. */
bool na_j_level_pairs(struct na_j_level *v, struct na_j_pair_gain *out,
		      size_t *n);
/* Gains and bounds of links. */
bool na_j_level_links(struct na_j_level *v, struct na_j_gain *out);

#endif

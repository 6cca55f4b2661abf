/*
 * What the parts of localisation share: one struct for the whole run, one
 * for the summary of the pairs in one channel, one for a greedy run.  Not
 * for use outside this room.
 *
 * Logs are natural, latencies in us, sizes in bytes.  "Side" is the
 * transmit or receive side of a host: its row or column of pairs.
 */
#ifndef NETAN_METHODS_LOCALISE_STATE_H
#define NETAN_METHODS_LOCALISE_STATE_H

#include "netan/base/arena.h"
#include "netan/base/vec.h"
#include "netan/methods/localise/localise.h"

#define LZ_MIN_EFFECT 0.22314355131420976 /* log 1.25 */
#define LZ_MIN_PATH   0.26236426446749106 /* log 1.3 */
#define LZ_LOG_3      1.0986122886681098
#define LZ_Z95        1.96
#define LZ_HALF_PI    1.5707963267948966
#define LZ_MOST_US    1e15     /* no latency is more than 30 years */
#define LZ_LARGE_B    262144.0 /* 256 KiB */
#define LZ_CELL_B     65536.0  /* small and large of a collective */

enum {
	LZ_KNOTS = 24,
	LZ_SHARES = 64,   /* of per-pair work, whatever the threads */
	LZ_MIN_PAIRS = 6, /* fewer: too few to localise */
	LZ_MAX_PATHS = 3, /* more paths named: none is */
	LZ_MAX_CHOSEN = 40,
	LZ_CELL_MOST = 4096
};

/* What is needed as long as something else; all zero at first, and given back
 * by na_arena_fini(). */
struct lz_memory {
	struct na_arena arena;
	bool failed; /* once there was not enough */
};
void *na_lz_take(struct lz_memory *m, size_t n, size_t size);

/* Pairs of each host: list[first[h]] to list[first[h + 1] - 1]. */
struct lz_index {
	uint32_t *first;
	uint32_t *list;
};

struct lz_line { /* healthy latency: a + b * bytes */
	double a_us, b_us;
};

/* A record of the sample that the baseline is fitted to. */
struct lz_sample {
	double r;
	size_t at; /* index into transfers */
	float bytes;
	uint32_t pair, cell;
};

struct lz_baseline {
	struct lz_sample *sample;
	size_t n_sample;
	struct lz_line *lines;                     /* by class */
	double knot_x[LZ_KNOTS], knot_y[LZ_KNOTS]; /* log2 bytes, log */
	size_t n_knots;
	float *context; /* by cell */
	size_t n_cells;
};

/* Log over the baseline that sides, paths and the pair itself, as far as
 * it can be trusted, explain: for any record, and for large ones. */
struct lz_base {
	float all, large;
	float shared; /* the pair's median of z->shared */
};

/* A record with a timeout, or of a pause. */
struct lz_tail {
	double end_us, excess_ms, latency_ms;
	uint32_t pair, moment;
};

struct lz_candidate {
	struct na_lz_who who;
	double effect, info, t2, score;
};

/* Everything about one run. */
struct lz {
	struct lz_memory memory;
	const struct na_lz_input *in;
	const struct na_lz_options *opt;
	struct na_lz_result *out;
	double alpha;
	size_t hosts, pairs; /* those that have transfers */
	size_t max_n;        /* transfers of the largest pair */
	struct lz_index row, col;
	uint32_t *reverse;  /* by pair; NA_LZ_NONE; NULL: none has any */
	uint32_t *class_of; /* by pair; dense; NULL: one class, 0 */
	size_t n_classes;
	bool *cross; /* by pair: crosses racks; NULL: there are none */
	struct lz_baseline base;
	double *ahead_us; /* by host; clocks; NULL: nobody's is */
	/* By transfer: first the bytes through its ports, then the log of its
	 * latency over what these lead to expect.  NULL: not asked. */
	float *shared;
	float *waited_us; /* by transfer: for its receiver; NULL: none */
	double tick_us;
	struct lz_base *bases; /* by pair */
	double sigma0, noise;  /* of a record: inside its pair; in all */
	NA_VEC(struct lz_tail) tails;
	/* The side or path that explains most of what nobody is blamed for;
	 * score 0: there is none. */
	struct lz_candidate doubt;
	/* What channels found, before the union. */
	NA_VEC(struct na_lz_finding) found;
};

/* Summary of the pairs in one channel: m, and what it is worth.  Without a
 * valid pair there is nothing. */
struct lz_view {
	struct lz_memory memory;
	enum na_lz_channel channel;
	float min_bytes; /* records of this size and more */
	uint32_t *n;     /* by pair; 0: not in this channel; owned */
	double *m;       /* median of r, less the centre below */
	double *se2;
	/* Owned, and given back as soon as nobody looks at them: the 25 %
	 * quantile of r, and the median of z->shared, less their medians. */
	double *low, *fluid;
	double *high; /* large ones: 75 % quantile of r; not centred */
	size_t valid;
	double fluid_centre;
	double centre, sigma0, tau2, shared; /* shared: L of the method */
};

/* One greedy run over a view. */
struct lz_explain {
	struct lz_memory memory;
	const struct lz *z;
	const struct lz_view *v;
	double *cur;         /* m less what is explained, by pair */
	double *low, *fluid; /* the view's, less what is explained */
	/* Inverse covariance: diagonal, with the reverse; NULL where the two
	 * directions share nothing. */
	double *d, *o;
	double *both; /* by host: what its two sides share; NULL: nothing */
	double t2[3];
	double path_level; /* cur that 2 % of the pairs exceed */
	double *scratch;   /* [pairs or hosts, whichever are more] */
	uint32_t *its;     /* pairs of a candidate */
	struct lz_in_cell {
		uint32_t collective;
		float r;
	} * cells; /* records of a path; [LZ_CELL_MOST] */
	struct lz_candidate chosen[LZ_MAX_CHOSEN];
	size_t n_chosen;
	struct lz_candidate left; /* significant, but a condition fails */
	NA_VEC(struct lz_candidate) open; /* significant, best first */
};

static inline bool lz_on(const struct lz *z, enum na_lz_part part)
{
	return !(z->opt->off >> part & 1);
}

static inline uint32_t lz_class_of(const struct lz *z, size_t pair)
{
	return z->class_of ? z->class_of[pair] : 0;
}

static inline bool lz_is_host_kind(enum na_lz_kind k)
{
	return k == NA_LZ_SRC || k == NA_LZ_DST || k == NA_LZ_HOST;
}

static inline size_t lz_degree(const struct lz_index *x, uint32_t host)
{
	return x->first[host + 1] - x->first[host];
}

static inline bool lz_crosses(const struct lz *z, size_t pair)
{
	return z->cross && z->cross[pair];
}

/* What the clock of `a` is ahead of that of `b`. */
static inline double lz_ahead(const struct lz *z, uint32_t a, uint32_t b)
{
	return z->ahead_us ? z->ahead_us[a] - z->ahead_us[b] : 0;
}

/* Who goes the other way; NA_LZ_NONE: nobody. */
static inline uint32_t lz_reverse(const struct lz *z, size_t pair)
{
	return z->reverse ? z->reverse[pair] : NA_LZ_NONE;
}

/* Records of a pair in the channel. */
static inline uint32_t lz_records(const struct lz_view *v, size_t pair)
{
	return v->n ? v->n[pair] : 0;
}

static inline double lz_square(double x)
{
	return x * x;
}

static inline double lz_larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double lz_smaller(double a, double b)
{
	return a < b ? a : b;
}

/* The side's pairs, in turn; kind is SRC or DST:
 *	lz_for_side (p, z, NA_LZ_SRC, host)
 *		sum += x[*p]; */
static inline const uint32_t *lz_side(const struct lz *z, enum na_lz_kind kind,
				      uint32_t host)
{
	const struct lz_index *x = kind == NA_LZ_SRC ? &z->row : &z->col;

	return x->list + x->first[host];
}

#define lz_for_side(p, z, kind, host) \
	for (const uint32_t *p = lz_side(z, kind, host), \
			    *p##_end = lz_side(z, kind, (host) + 1); \
	     p < p##_end; p++)

/* Did it wait for its receiver?  Then what is left of its latency was told
 * by the receiver's clock alone. */
static inline bool lz_waited(const struct lz *z, const struct na_lz_transfer *t)
{
	float us = z->waited_us ? z->waited_us[t - z->in->transfers] : 0;

	return us > 0 || us < 0; /* below 0: the clocks are apart */
}

/* Latency less the wait for the receiver, never below the half microsecond
 * that a clamped one stands for. */
static inline double lz_moved(const struct lz *z,
			      const struct na_lz_transfer *t)
{
	double us = t->latency_us;

	if (lz_waited(z, t))
		us -= (double)z->waited_us[t - z->in->transfers];
	return lz_smaller(lz_larger(us, 0.5), LZ_MOST_US);
}

/* That as clocks put it right; of a clamped record the most that it can
 * have been. */
static inline double lz_latency(const struct lz *z, size_t pair,
				const struct na_lz_transfer *t)
{
	const struct na_lz_pair *p = &z->in->pairs[pair];
	double us = lz_moved(z, t);

	if (lz_waited(z, t))
		return us;
	if (z->ahead_us)
		us = us + z->ahead_us[p->src] - z->ahead_us[p->dst];
	return lz_larger(us, 0.5);
}

/* index.c: indices; work in shares of the pairs. */
bool na_lz_index_pairs(struct lz *z);
void na_lz_fini(struct lz *z);
/* NA_LZ_NONE: no such pair, or it has no transfers. */
uint32_t na_lz_find_pair(const struct lz *z, uint32_t src, uint32_t dst);
enum na_status na_lz_shares(const struct lz *z,
			    void (*job)(void *arg, size_t share), void *arg,
			    struct na_err *err) NA_MUST_CHECK;
void na_lz_share(size_t n, size_t share, size_t *from, size_t *to);
/* Sorts n numbers, keeps each once, says how many are left. */
size_t na_lz_distinct(uint32_t *x, size_t n);

/* Room for the values of any one pair of a share: 8 bytes a transfer of
 * the largest pair, for as long as the share's job runs. */
struct lz_room {
	float *x, *tmp;
};
/* Calls job(arg, p, room) for every pair, the shares side by side. */
enum na_status na_lz_each_pair(const struct lz *z,
			       void (*job)(void *arg, size_t p,
					   struct lz_room *room),
			       void *arg, struct na_err *err) NA_MUST_CHECK;

/* waits.c: "Waits"; into z->waited_us. */
enum na_status na_lz_waits(struct lz *z, struct na_err *err) NA_MUST_CHECK;

/* fluid.c: "Fluid"; into z->shared. */
enum na_status na_lz_fluid(struct lz *z, struct na_err *err) NA_MUST_CHECK;

/* baseline.c: "Baseline". */
enum na_status na_lz_baseline_sample(struct lz *z,
				     struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_baseline_fit(struct lz *z,
				  struct na_err *err) NA_MUST_CHECK;
double na_lz_expect_log(const struct lz *z, uint32_t class_of, float bytes);
/* The same over what went through its ports, in z->shared. */
enum na_status na_lz_fluid_residuals(struct lz *z,
				     struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_residuals(struct lz *z, struct na_err *err) NA_MUST_CHECK;

/* clocks.c: "Clocks"; adds to z->ahead_us.  *fixed: any. */
enum na_status na_lz_clocks(struct lz *z, bool *fixed,
			    struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_clocks_report(struct lz *z,
				   struct na_err *err) NA_MUST_CHECK;

/* summary.c: "Pair summary". */
enum na_status na_lz_view_init(struct lz_view *v, const struct lz *z,
			       enum na_lz_channel channel,
			       struct na_err *err) NA_MUST_CHECK;
void na_lz_view_fini(struct lz_view *v);

/* explain.c: "Explanation".  cur and chosen are the outcome; the view's low is
 * gone afterwards. */
enum na_status na_lz_explain(struct lz_explain *x, const struct lz *z,
			     struct lz_view *v,
			     struct na_err *err) NA_MUST_CHECK;
void na_lz_explain_fini(struct lz_explain *x);
/* Adds what was chosen to z->found. */
enum na_status na_lz_explain_report(struct lz *z, struct lz_explain *x,
				    struct na_err *err) NA_MUST_CHECK;

/* conditions.c: one row for each. */
bool na_lz_conditions_hold(struct lz_explain *x, const struct lz_candidate *c);

/* tails.c: records far beyond their expectation, into z->tails by end. */
enum na_status na_lz_bases(struct lz *z, const struct lz_explain *all,
			   const struct lz_explain *large,
			   struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_tails_find(struct lz *z, struct na_err *err) NA_MUST_CHECK;
/* By how many ms a record is one; 0: it is none. */
double na_lz_tail_ms(const struct lz *z, size_t pair,
		     const struct na_lz_transfer *t);

/* A record's residual less what is explained. */
static inline double lz_rest(const struct lz *z, size_t pair,
			     const struct na_lz_transfer *t)
{
	const struct lz_base *b = &z->bases[pair];

	return (double)t->residual -
	       (double)(t->size_bytes >= (float)LZ_LARGE_B ? b->large : b->all);
}

/* The same, or what is left when the ports' sharing is asked, if less. */
static inline double lz_rest_shared(const struct lz *z, size_t pair,
				    const struct na_lz_transfer *t)
{
	double rest = lz_rest(z, pair, t);

	if (!z->shared)
		return rest;
	return lz_smaller(rest, (double)z->shared[t - z->in->transfers] -
					(double)z->bases[pair].shared);
}

/* rate.c, window.c, racks.c, rack_links.c: "Channels".  To z->found. */
enum na_status na_lz_rate(struct lz *z, struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_window(struct lz *z, struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_racks_find(struct lz *z, struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_rack_links(struct lz *z, const struct lz_explain *large,
				struct na_err *err) NA_MUST_CHECK;
/* Sides of most hosts of a rack are its link. */
void na_lz_rack_sides(struct lz *z);

/* verdict.c: the union, what cannot be told apart, and the list of pairs. */
enum na_status na_lz_found(struct lz *z, const struct na_lz_finding *f,
			   struct na_err *err) NA_MUST_CHECK;
void na_lz_drop_found(struct lz *z, size_t i);
enum na_status na_lz_undecided(struct lz *z, const char *what,
			       const char *needs, const uint32_t *pairs,
			       size_t n, struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_verdict(struct lz *z, struct na_err *err) NA_MUST_CHECK;
enum na_status na_lz_pair_list(struct lz *z, const struct lz_view *v,
			       struct na_err *err) NA_MUST_CHECK;

#endif

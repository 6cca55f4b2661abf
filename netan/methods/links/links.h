/*
 * Whose link is slow, from what ranks of GPU jobs transfer together: the
 * joined operations of netan/methods/ranks, of which the shortest kernel is
 * the transfer, whoever came late to it.
 *
 * A unit is a group of ranks, or the direction of a pair, in operations of
 * about one size.  It is compared with units that do the same between as
 * many hosts: slow or even, by an interval of the median ratio, or neither.
 * Whose link explains what is slow and what is even, judge.c tells.
 *
 * A ring goes through all its members: where every group holds every host,
 * nothing tells them apart.
 *
 * Memory: 64 bytes for each instance, and 96 for each unit.
 */
#ifndef NETAN_METHODS_LINKS_LINKS_H
#define NETAN_METHODS_LINKS_LINKS_H

#include "netan/methods/ranks/ranks.h"

/* Below, latency hides what the link takes. */
#define NA_LINKS_BYTES 1048576
/* Ratios above and below which a unit is slow, or even: for the whole
 * interval of its median. */
#define NA_LINKS_SLOW 1.3
#define NA_LINKS_EVEN 1.15

enum na_links_state { NA_LINKS_UNSURE, NA_LINKS_IS_EVEN, NA_LINKS_IS_SLOW };

struct na_links_unit {
	uint32_t run, group; /* of na_ranks */
	uint32_t instance;   /* one of it, which tells its ranks */
	int size_class;      /* of bytes on the wire, in factors of four */
	bool local;          /* all on one host */
	uint8_t state;
	size_t n;                 /* instances */
	double excess, low, high; /* ratio: median, its 99 % interval */
	double se;                /* of its logarithm */
};

enum na_links_kind { NA_LINKS_SRC, NA_LINKS_DST, NA_LINKS_HOST, NA_LINKS_PAIR };

struct na_links_culprit {
	enum na_links_kind kind;
	uint32_t run;
	uint32_t host, other; /* PAIR: from and to; else `host` alone */
	bool whole;           /* all of its ranks that were compared */
	double log_odds;      /* that it is slow */
	size_t units, instances;
	double excess, low, high; /* of its units: the median; least, most */
};

/* Why nobody is named, or not all is explained. */
enum na_links_why {
	NA_LINKS_NAMED,    /* somebody is, and all is explained */
	NA_LINKS_NOTHING,  /* nothing to compare */
	NA_LINKS_ALL_EVEN, /* nobody stands out */
	NA_LINKS_SEVERAL,  /* which of `suspects`? */
	NA_LINKS_NO_HOST,  /* slow where all members are even elsewhere */
	NA_LINKS_MANY,     /* too many for a fault of their own */
	NA_LINKS_INSIDE    /* it is slow inside the host, too */
};

struct na_links_run {
	enum na_links_why why;
	size_t units, slow;   /* between hosts */
	size_t unsure;        /* slow in the median, and not for sure */
	size_t hosts;         /* that were compared */
	size_t apart;         /* of these: would have been named */
	double excess;        /* of the slowest unit that is slow */
	uint32_t host;        /* INSIDE */
};

struct na_links {
	/* The caller's, joined; of which instances are looked at (NULL: all). */
	const struct na_ranks *ranks;
	bool (*wanted)(const void *arg, const struct na_rank_instance *x);
	const void *arg;

	uint32_t *host_of; /* by rank; NA_UNKNOWN_U32: nothing tells it */
	uint32_t n_hosts;
	uint32_t *rank_on; /* by host: its first rank */
	NA_VEC(struct na_links_unit) units;
	NA_VEC(struct na_links_culprit) culprits; /* by run */
	uint32_t *blamed;                         /* by rank: culprit + 1; 0 */
	bool *suspect;                            /* by rank */
	struct na_links_run *runs;                /* [store->n_runs] */
};

/* All but the caller's is zero before.  False: no memory. */
bool na_links_find(struct na_links *l) NA_MUST_CHECK;
void na_links_fini(struct na_links *l);

#endif

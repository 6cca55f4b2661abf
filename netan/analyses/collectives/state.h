/* collectives: what the analysis remembers. */
#ifndef NETAN_ANALYSES_COLLECTIVES_STATE_H
#define NETAN_ANALYSES_COLLECTIVES_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/analyses/collectives/rows.h"
#include "netan/analyses/collectives/tell.h"
#include "netan/base/triples.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/methods/whole_steps.h"

/* Who is listed by name; the others are counted. */
enum { COLL_MISSING_MAX = 64 };

/* Without room at its end: there may be a million. */
#define COLL_DENSE __attribute__((packed, aligned(4)))

/* What transfers and graph executions tell of a row (see coll_row). */
struct coll_sums {
	na_i128 bytes, time_ps;            /* of executions */
	na_i128 moved[2];                  /* bytes of transfers */
	uint64_t executions, transfers[2]; /* by side */
	uint32_t type;                     /* name */
} COLL_DENSE;

/* The same of all blocks together: there may be a million.  What does not fit
 * lies beside. */
struct coll_kept {
	union {
		uint64_t bytes;
		uint64_t wide; /* executions COLL_WIDE: of coll_state.wide */
	};
	int64_t time_ps;
	uint64_t moved[2];
	uint32_t executions, transfers[2], type;
};
#define COLL_WIDE UINT32_MAX

/* Of a device in a row of the data-center network. */
struct coll_member {
	uint32_t row, endpoint;
	uint32_t executions : 31; /* each is a record of 32 bytes */
	uint32_t peer : 1;        /* others send to it or receive from it */
};
enum { COLL_EXECUTIONS_MAX = INT32_MAX };

/* As they are met; there may be more of them than rows. */
struct coll_members { /* all zero: none */
	struct coll_member *v;
	size_t n, cap;
	uint32_t *slots; /* index + 1; 0 is free */
	size_t n_slots;
	uint32_t last, before; /* that were asked for: often these again */
};

/* What the ops of a device tell of a row of the data-center network: their
 * sends, and their recv-dones. */
struct coll_device {
	uint64_t n[2], sized[2];
	na_i128 bytes[2]; /* of the `sized` ones */
};

/* A send or recv-done that a device counts. */
struct coll_device_op {
	const struct na_op *op;
	uint32_t device; /* of coll_state.devices */
};

/* A duration of row (or of input) `of`. */
struct coll_time {
	int64_t time_ps;
	uint32_t of;
} COLL_DENSE;

struct coll_times {
	struct coll_time *v;
	size_t n, cap;
};

struct coll_state {
	const struct na_scope *scope;
	const struct na_whole_steps *steps; /* [n_runs], of the main state */
	struct na_whole_steps *owned_steps; /* the same there, else NULL */
	bool by_type; /* rows are transfer types, not collectives */
	bool clipped; /* a window may cut single executions off */

	/* Data-center network: run, name of the row. */
	struct na_triples rows;
	NA_VEC(struct coll_sums) sums; /* of a block */
	NA_VEC(struct coll_kept) kept; /* of all of them */
	NA_VEC(struct coll_sums) wide;
	struct coll_members members;
	struct na_triples device_keys; /* row, core */
	NA_VEC(struct coll_device) devices;
	struct coll_times times, reductions; /* of rows; of inputs */

	struct coll_tell *tell; /* the main state's; NULL: nobody asks */
	/* Those of `devices`, where somebody asks for each execution. */
	NA_VEC(struct coll_device_op) device_ops;

	NA_VEC(const struct na_op *) ops; /* of the other networks */
	NA_VEC(struct na_span) modules;
	NA_VEC(struct na_comm) comms; /* of ranks */
	NA_VEC(struct na_span) rank_steps;

	na_i128 step_bytes; /* received while a step ran */
	uint64_t n_transfers, n_executions;
	uint64_t missing, slow_hosts; /* from finish */
};

/* What else there is to tell of a row of the data-center network. */
struct coll_told {
	uint64_t most; /* executions of one device */
	uint32_t run, name;
	uint32_t participants, n_missing, not_captured;
	uint32_t by_devices; /* of coll_found.by_devices, plus 1; 0: none */
};

/* Of such a row where no host tells of executions: who does. */
struct coll_by_devices {
	na_i128 bytes; /* of the `sized` executions */
	uint64_t executions, sized;
	uint32_t devices;
};

/* Who should execute a collective and does not, or not as often. */
struct coll_missing {
	uint32_t row;
	uint32_t host, who;  /* endpoint (DCN) or core */
	uint64_t executions; /* of the row's `most` */
};

struct coll_ranks; /* ranks.h */
struct coll_found {
	struct na_strtab modules; /* names of programs, without "(id)" */
	struct coll_rows rows;
	NA_VEC(struct coll_told) dcn; /* behind them */
	NA_VEC(struct coll_by_devices) by_devices;
	NA_VEC(struct coll_missing) missing; /* by row */
	struct na_extent executions;         /* of device ops */
	struct coll_ranks *ranks;            /* NULL: there are none */
	uint64_t unpaired; /* a start without its done, or the reverse */
};

/* keep.c: what the row of all blocks adds up to.  False: no memory. */
bool na_collectives_keep(struct coll_state *s, size_t row,
			 const struct coll_sums *more);
struct coll_sums na_collectives_kept(const struct coll_state *s, size_t row);

/* who.c: that of a row, new or known; NULL: no memory. */
struct coll_member *na_collectives_member(struct coll_members *m, uint32_t row,
					  uint32_t endpoint);
/* False: more than it can count. */
bool na_collectives_executes(struct coll_member *m, uint64_t times);
/* All are there: nobody asks for one again. */
void na_collectives_members_fit(struct coll_members *m);
void na_collectives_members_fini(struct coll_members *m);

/* False: no memory, in all of these. */
bool na_collectives_push_time(struct coll_times *v, int64_t time_ps,
			      uint32_t of);
/* match.c: rows of device ops. */
bool na_collectives_match(struct coll_state *s, struct coll_found *f);

/* dcn.c: rows of the data-center network, behind those of device ops; then
 * which devices miss executions of them. */
bool na_collectives_add_dcn(struct coll_state *s, struct coll_found *f);
bool na_collectives_miss_dcn(const struct coll_state *s, struct coll_found *f);

/* ranks.c: rows of ranks, behind those that there are. */
bool na_collectives_ranks(struct coll_state *s, struct coll_found *f);
void na_collectives_ranks_fini(struct coll_found *f);

/* ranks_result.c: the members of a row, and all executions. */
void na_collectives_put_ranks(struct na_result *r, struct na_value *to,
			      const struct coll_state *s,
			      const struct coll_found *f,
			      const struct coll_matched *x);
void na_collectives_put_instances(struct na_result *r, struct na_value *body,
				  const struct coll_state *s,
				  const struct coll_found *f);
/* links.c: whose link is slow, by the transfers of ranks. */
bool na_collectives_put_links(struct na_result *r, struct na_value *body,
			      const struct coll_state *s,
			      const struct coll_found *f);
void na_collectives_links_views(struct na_result *r);

/* result.c */
enum na_status na_collectives_finish(void *state, struct na_result *r,
				     struct na_err *err) NA_MUST_CHECK;

/* Durations in us, by row. */
struct coll_spread {
	double *us;
	size_t *from, n; /* [n + 1] */
};

/* Of n rows. */
bool na_collectives_spread(struct coll_spread *out,
			   const struct coll_times *times, size_t n);
/* NaN of none, and of a row beyond. */
double na_collectives_quantile(const struct coll_spread *x, size_t row,
			       double p);
void na_collectives_spread_fini(struct coll_spread *x);

/* hosts.c: reductions on the hosts. */
bool na_collectives_put_reductions(struct coll_state *s, struct na_result *r,
				   struct na_value *body);

/* What the rows of a network, or of a type in it, add up to. */
struct coll_total {
	uint64_t rows, executions, missing;
	na_i128 bytes, moved, time_ps;
};

/* absent.c: a note on operations that not all ranks of a group tell of. */
bool na_collectives_note_absent(struct na_result *r, const struct coll_state *s,
				const struct coll_found *f);

/* words.c */
/* The first line, from sums by network. */
void na_collectives_say(struct na_result *r, struct coll_state *s,
			const struct coll_total t[NA_N_NETWORKS]);
void na_collectives_views(struct na_result *r, const struct coll_state *s);

#endif

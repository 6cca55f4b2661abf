/* What the files collectives*.c share: the state of the analysis. */
#ifndef NETAN_ANALYSES_COLLECTIVES_COLLECTIVES_H
#define NETAN_ANALYSES_COLLECTIVES_COLLECTIVES_H

#include "netan/analyses/analysis.h"
#include "netan/base/triples.h"
#include "netan/base/units.h"
#include "netan/methods/whole_steps.h"

/* Who is listed by name; the others are counted. */
enum { CO_MISSING_MAX = 64 };
/* A window may cut one execution off at either end: who has none of so many
 * is missing all the same. */
enum { CO_SURE = 3 };

/* What transfers and graph executions tell of a row (see co_row). */
struct co_sums {
	uint64_t executions, transfers[2]; /* by side */
	na_i128 bytes, time_ps;            /* of executions */
	na_i128 moved[2];                  /* bytes of transfers */
	uint32_t type;                     /* name */
};

/* Of a device in a row of the data-center network. */
struct co_member {
	uint64_t executions;
	bool peer; /* others send to it or receive from it */
};

/* What the ops of a device tell of a row of the data-center network: their
 * sends, and their recv-dones. */
struct co_device {
	uint64_t n[2], sized[2];
	na_i128 bytes[2]; /* of the `sized` ones */
};

/* A duration of row (or of input) `of`. */
struct co_time {
	int64_t time_ps;
	uint32_t of, pad;
};

struct co_times {
	struct co_time *items;
	size_t n, cap;
};
struct co_ops {
	struct na_op *items;
	size_t n, cap;
};
struct co_spans {
	struct na_span *items;
	size_t n, cap;
};

struct co_state {
	const struct na_scope *scope;
	const struct na_whole_steps *steps; /* [n_runs], of the main state */
	struct na_whole_steps *owned_steps; /* the same there, else NULL */
	bool by_type; /* rows are transfer types, not collectives */
	bool clipped; /* a window may cut single executions off */

	/* Data-center network: run, name of the row. */
	struct na_triples rows;
	struct co_sums *sums;
	size_t n_sums, cap_sums;
	struct na_triples member_keys; /* row, endpoint */
	struct co_member *members;
	size_t n_members, cap_members;
	struct na_triples device_keys; /* row, core */
	struct co_device *devices;
	size_t n_devices, cap_devices;
	struct co_times times, reductions; /* of rows; of inputs */

	struct co_ops ops; /* of the other networks */
	struct co_spans modules;

	na_i128 step_bytes; /* received while a step ran */
	uint64_t n_transfers, n_executions;
	uint64_t missing, slow_hosts; /* from finish */
};

/*
 * A line of the result: a collective of one network in one run, or with
 * --by transfer_type all collectives of a type.
 */
struct co_row {
	uint32_t run, network;
	uint32_t name;              /* NA_UNKNOWN_U32: none */
	uint32_t module;            /* of co_found.modules; likewise */
	const char *type;           /* NULL: not told */
	const struct co_sums *sums; /* DCN */
	uint32_t dcn;               /* its index there */
	uint8_t opcode;

	/* Of device ops, from co_match(). */
	uint64_t executions, instances, sized;
	na_i128 bytes;                 /* of the `sized` executions */
	na_i128 sized_bytes, sized_ps; /* once for each instance */
	double bus_bits;
	na_i128 wait_ps, rank_ps;
	uint32_t group_size, n_groups;
	bool uneven;
	size_t participants, took_part, took_full;
	uint64_t last_n; /* how often last_core came last */
	uint32_t last_core;

	uint64_t n_missing, not_captured;
	uint64_t most; /* executions of one device */
	/* DCN, from device ops where no host tells of executions: the devices;
	 * bytes as in `bytes`, of the `sized` executions. */
	size_t devices;
};

/* Who should execute a collective and does not, or not as often. */
struct co_missing {
	uint32_t row;
	uint32_t host, who; /* endpoint (DCN) or core */
	uint64_t executions, of;
};

struct co_found {
	struct na_strtab modules; /* names of programs, without "(id)" */
	struct co_row *rows;
	size_t n_rows, cap_rows;
	struct co_times times, waits, skews; /* `of`: row; then sorted by it */
	struct {
		struct co_missing *items;
		size_t n, cap;
	} missing;
	struct na_extent executions; /* of device ops */
	uint64_t unpaired; /* a start without its done, or the reverse */
};

bool co_push_time(struct co_times *v, int64_t time_ps, uint32_t of);

/* Listed, or once there are many, counted. */
bool co_push_missing(struct co_found *f, const struct co_missing *x);

/* match.c: rows of device ops.  False: no memory. */
bool co_match(struct co_state *s, struct co_found *f);

/* result.c */
enum na_status co_finish(void *state, struct na_result *r, struct na_err *err);

/* hosts.c: reductions on the hosts. */
bool co_put_reductions(struct co_state *s, struct na_result *r,
		       struct na_value *body);

/* What the rows of a network, or of a type in it, add up to. */
struct co_total {
	uint64_t rows, executions, missing;
	na_i128 bytes, moved, time_ps;
};

/* views.c */
/* The first line, from sums by network. */
void co_say(struct na_result *r, struct co_state *s,
	    const struct co_total t[NA_N_NETWORKS]);
void co_views(struct na_result *r, const struct co_state *s);

#endif

/*
 * Rows of what devices or ranks execute between them.  There may be a million:
 * a row that is complete is packed, and put together where it is looked at.
 */
#ifndef NETAN_ANALYSES_COLLECTIVES_ROWS_H
#define NETAN_ANALYSES_COLLECTIVES_ROWS_H

#include "netan/base/strtab.h"
#include "netan/base/triples.h"
#include "netan/base/units.h"
#include "netan/base/varint_pack.h"
#include "netan/methods/ranks/ranks.h"

/* A window may cut one execution off at either end: who has none of so many
 * is missing all the same. */
enum { COLL_SURE = 3 };

/* Durations of a row's executions, and what of them is told, in us. */
enum coll_durations { COLL_TIMES, COLL_WAITS, COLL_SKEWS, COLL_N_DURATIONS };
enum coll_us {
	COLL_TIME_P50,
	COLL_TIME_P99,
	COLL_WAIT_P99,
	COLL_SKEW_P50,
	COLL_SKEW_P99,
	COLL_SKEW_MAX,
	COLL_N_US
};

/*
 * A line of the result: a collective of one network in one run, or with
 * --by transfer_type all collectives of a type.
 */
#define COLL_ROW \
	uint32_t id; /* among all rows: those of the network come last */ \
	uint32_t run, name; /* name: NA_UNKNOWN_U32: none */ \
	uint32_t module;    /* of coll_found.modules; likewise */ \
	uint8_t network, opcode; \
	bool of_ranks, uneven; \
	uint32_t participants, n_missing; \
	uint32_t group_size, n_groups; \
	uint32_t \
		devices; /* of the network, where no host tells of executions: \
			     who does; bytes as in `bytes` */ \
	const char *type; /* NULL: not told */ \
	uint64_t executions, sized; \
	uint64_t queued; /* and are not known to have begun: no executions */ \
	na_i128 bytes;   /* of the `sized` executions */ \
	uint64_t not_captured, most /* executions of one device */

/* Of device ops, from na_collectives_match(); and of ranks. */
struct coll_matched {
	COLL_ROW;
	uint32_t program, kind; /* of coll_rows: run, network, module; type,
				   opcode, groups */
	uint32_t crew;          /* of coll_rows.crews; of ranks 0 */
	uint64_t instances;
	na_i128 sized_bytes, sized_ps; /* once for each instance */
	na_i128 wait_ps, rank_ps;
	double bus_bits;
	double us[COLL_N_US]; /* NaN of none */
	uint64_t last_n;      /* how often last_core came last */
	uint32_t last_core;
	uint32_t took_part, took_full;

	/* Of ranks, from na_collectives_ranks(). */
	uint32_t group; /* of na_ranks.groups; NA_UNKNOWN_U32: several */
	enum na_rank_times times;
	uint64_t begun; /* of the executions: have not ended */
	uint64_t least_bytes, most_bytes; /* of one; of none UINT64_MAX, 0 */
};

/* What many rows share.  Compared as bytes: no holes. */
struct coll_kind {
	uint32_t type; /* name; NA_UNKNOWN_U32: as the opcode is called */
	uint32_t group_size, n_groups;
	uint8_t opcode;
	bool uneven, of_ranks;
	uint8_t pad;
};
_Static_assert(sizeof(struct coll_kind) == 16, "no holes");

/* Rows that follow one another: pieces that memory which was used before has
 * room for. */
enum { COLL_GROUP = 128 };
struct coll_group {
	uint8_t *bytes;          /* NULL: not full, and in coll_rows.open */
	uint16_t at[COLL_GROUP]; /* where each begins: it has 300 at most */
};

struct coll_rows {
	const struct na_strtab *names; /* borrowed */
	bool clipped;                  /* of coll_state */
	size_t n;
	NA_VEC(struct coll_group) groups;
	struct na_varint_pack open; /* of the last group */
	struct na_triples programs; /* run and network, module */
	struct na_strtab kinds;     /* struct coll_kind */
	struct na_strtab crews;     /* crew.c */
	/* From na_collectives_find_missing(), by program: so many devices run
	 * it; not by type. */
	NA_VEC(uint32_t) n_cores;
};

/* What is told of durations, which get another order. */
void na_collectives_measure(struct coll_matched *row,
			    double *const us[COLL_N_DURATIONS],
			    const size_t n[COLL_N_DURATIONS]);

/* NA_NO_NAME: no memory. */
uint32_t na_collectives_kind(struct coll_rows *rows,
			     const struct coll_kind *kind);
struct coll_kind na_collectives_kind_at(const struct coll_rows *rows,
					uint32_t kind);

/* A complete row behind the others.  Of what `program` and `kind` tell nothing
 * else is looked at, and of device ops not at who is missing.  False: no
 * memory. */
bool na_collectives_pack(struct coll_rows *rows,
			 const struct coll_matched *row);
struct coll_matched na_collectives_row(const struct coll_rows *rows, size_t i);
/* Only what rows are sorted by: executions, bytes, `rank_ps`, and what they are
 * called. */
struct coll_matched na_collectives_row_head(const struct coll_rows *rows,
					    size_t i);
void na_collectives_rows_fini(struct coll_rows *rows);

/* Of n devices that run its program those that executed a row as often as any
 * other, as far as that can be told. */
size_t na_collectives_took(const struct coll_rows *rows,
			   const struct coll_matched *row, size_t n);

/* Of a row or an instance of ranks: what it is called. */
const char *na_collectives_word(uint8_t opcode);

#endif

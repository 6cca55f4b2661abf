/* The kinds of lines that log.c hands on. */
#ifndef INGEST_NCCL_LOG_PARTS_H
#define INGEST_NCCL_LOG_PARTS_H

#include "ingest/nccl/nccl_to_dump.h"
#include "netan/model/logs/hang.h"

/* What stands behind `word` in x, up to a blank, comma or bracket; n 0: not
 * there. */
struct na_text na_nccl_after(struct na_text x, const char *word);
/* The decimal number there; -1: none. */
int64_t na_nccl_number(struct na_text x, const char *word);
/* The rank that a launcher writes in front: "[rank3]:", "[1,3]<stdout>:",
 * "3: "; -1: none. */
int64_t na_nccl_front_rank(struct na_text line);

/* ---- calls and communicators: calls.c */

struct na_nccl_op {
	int64_t count;     /* as told */
	int64_t called_ns; /* INT64_MIN: not told; else as na_hang_time */
	uint64_t elements;
	uint32_t operation; /* a name; as NCCL writes it */
	int32_t type, peer; /* -1 */
};

struct na_nccl_comm {
	uint32_t process, id; /* names; id NA_NO_NAME: not told */
	uint32_t nth;         /* of its process */
	int64_t rank, n_ranks;
	int64_t calls, first_count;    /* collectives */
	bool counts;                   /* its counts are not all the same */
	NA_VEC(struct na_nccl_op) ops; /* a ring once it is full */
};

struct na_nccl_process {
	uint32_t host;
	int64_t device, front; /* -1; rank in front of its lines */
	size_t world;          /* its communicator with the most ranks */
	uint32_t comms;
};

/* Of na_flight_record.clock, by how a time is told. */
static inline size_t na_nccl_clock_of(const struct na_hang_time *t)
{
	return 2 * (size_t)t->has_year + t->has_zone;
}

struct na_nccl_calls {
	struct na_strtab names;     /* hosts, functions, ids */
	struct na_strtab processes; /* "host:pid [device]" */
	struct na_strtab pointers;  /* the same with a communicator */
	NA_VEC(struct na_nccl_process) process; /* by index of processes */
	NA_VEC(struct na_nccl_comm) comm;       /* by index of pointers */
	int64_t last_ns[NA_FR_CLOCKS];          /* call; 0: none */
	bool unzoned;
};

bool na_nccl_calls_line(struct na_nccl_calls *c, struct na_text line,
			const struct na_hang_time *t);
bool na_nccl_calls_end(const struct na_nccl_calls *c, struct na_nccl_dumps *t);
void na_nccl_calls_fini(struct na_nccl_calls *c);

/* ---- PyTorch's watchdog: watchdog.c */

struct na_watchdog_line {
	int64_t rank, sequence, enqueued, completed; /* -1: not told */
	int64_t called_ns;                           /* as in na_nccl_op */
	int64_t ran_ms; /* until then; 0: not told */
	uint64_t elements;
	uint32_t group, operation; /* names; NA_NO_NAME */
};

struct na_watchdog {
	struct na_strtab names;
	NA_VEC(struct na_watchdog_line) lines;
	bool unzoned;
};

bool na_watchdog_line(struct na_watchdog *w, struct na_text line,
		      const struct na_hang_time *t);
bool na_watchdog_end(const struct na_watchdog *w, struct na_nccl_dumps *t);
void na_watchdog_fini(struct na_watchdog *w);

/* ---- RAS: ras.c, ras_text.c */

struct na_ras_count {
	int64_t rank, n; /* of the communicator; launched */
	uint32_t comm, function;
};

struct na_ras_comm {
	uint32_t hash; /* a name */
	int64_t size;  /* -1: not told */
};

/* A rank of a communicator and the process that it is. */
struct na_ras_rank {
	int64_t rank;
	uint32_t comm, process, host;
	bool missing;
};

struct na_ras {
	struct na_strtab names;
	NA_VEC(struct na_ras_comm) comms;
	NA_VEC(struct na_ras_rank) ranks;
	NA_VEC(struct na_ras_count) counts;
	NA_VEC(int64_t) sizes; /* text: of the groups of its table */
	/* text: what is being told */
	bool missing, listing;
	uint32_t function;
	int64_t launched, others; /* count; how many are at one not listed */
	int64_t others_launched;
	size_t first; /* count of this list */
};

bool na_ras_line(struct na_ras *r, struct na_text line);
bool na_ras_rest(struct na_ras *r); /* the ranks of a list that it names not */
/* The n bytes of an answer in JSON.  False: no memory; *damage: what was
 * expected where it breaks off, and at which byte, or NULL. */
bool na_ras_json(struct na_ras *r, const uint8_t *p, size_t n,
		 const char **damage, uint64_t *at);
bool na_ras_end(struct na_ras *r, struct na_nccl_dumps *t);
void na_ras_fini(struct na_ras *r);

#endif

/*
 * What a trace for Perfetto is made of, and what its files share.
 *
 *	process   a host of a run, or a rank of a GPU job
 *	group     slices of one kind of a process (or of one of its devices)
 *	lane      a track: slices of one track must nest, so what overlaps in
 *	          a group gets further lanes of the same name, which Perfetto
 *	          draws as one
 *
 * Records stay in the store: a slice is its time on the common clock, and
 * where its record lies.
 */
#ifndef NETAN_EXPORTS_PFTRACE_STATE_H
#define NETAN_EXPORTS_PFTRACE_STATE_H

#include "netan/base/strtab.h"
#include "netan/base/triples.h"
#include "netan/exports/clocks.h"
#include "netan/exports/export.h"
#include "netan/exports/pftrace/packets.h"
#include "netan/exports/sqlite/texts.h"

/* Of a group; what overlaps more becomes one slice that counts it. */
enum { NA_PFT_LANES = 64 };

enum na_pft_kind {
#define NA_PFT_KIND(ID, name) NA_PFT_##ID,
#include "netan/exports/pftrace/kinds.def"
	NA_PFT_N_KINDS
};

struct na_pft_process {
	const char *host, *label; /* as they may be shown; label or NULL */
	const char *name;         /* of the process */
	int64_t ahead_ps;         /* its clock, as it was corrected */
	int64_t uncertainty_ps;   /* NA_TIME_MAX: nothing is known */
	uint64_t uuid;
	bool told; /* its track is described */
};

struct na_pft_group {
	uint32_t process, core; /* core: of what a device did; else UNKNOWN */
	enum na_pft_kind kind;
	uint64_t lanes[NA_PFT_LANES + 1]; /* uuids; the last: what is merged */
};

enum na_pft_what { /* a slice is of */
		   NA_PFT_OF_TRANSFER,
		   NA_PFT_OF_GRAPH,
		   NA_PFT_OF_SPAN,
		   NA_PFT_OF_OP,
		   NA_PFT_OF_COMM,
		   NA_PFT_OF_PATH /* a part of the path of a late execution */
};

struct na_pft_slice {
	int64_t start_ns, end_ns; /* common clock, from the origin */
	const void *of;           /* as the store keeps it */
	/* Of a transfer: flow; else correlation; 0: none. */
	uint64_t link;
	uint32_t group;
	uint8_t what;
	uint8_t last; /* of a path: the flow ends here */
};

struct na_pft { /* the state of the export */
	struct na_pft_out out;
	const struct na_request *request;
	uint64_t n_tracks; /* that have a uuid */
	struct na_arena arena;
	NA_VEC(struct na_pft_process) processes;
	NA_VEC(struct na_pft_group) groups;
	struct na_triples group_of; /* process, core, kind */
	uint64_t netan;             /* the track of findings */
	/* What was written. */
	uint64_t slices, instants, merged, flows, paths, findings;
	int64_t first_ns, last_ns;
};

/* Numbers of words: of names, then of notes. */
enum {
	NA_PFT_WORD_MERGED = 1,
	NA_PFT_WORD_OPCODE, /* and those of the others behind it */
	NA_PFT_WORD_LEAST = NA_PFT_WORD_OPCODE + NA_N_OPCODES
};
enum na_pft_fact {
	NA_PFT_FACT_COUNT = 1,
	NA_PFT_FACT_BYTES,
	NA_PFT_FACT_SRC,
	NA_PFT_FACT_DST,
	NA_PFT_FACT_TYPE,
	NA_PFT_FACT_LAUNCH,
	NA_PFT_FACT_ITERATION,
	NA_PFT_FACT_CHUNK,
	NA_PFT_FACT_DEVICE,
	NA_PFT_FACT_GROUP,
	NA_PFT_FACT_SEQUENCE,
	NA_PFT_FACT_CLASS,
	NA_PFT_N_FACTS
};
/* By fact; what no fact is has no number. */
extern const struct na_pft_word na_pft_facts[NA_PFT_N_FACTS];

static inline int64_t na_pft_ns(int64_t ps)
{
	return ps / 1000 - (ps % 1000 < 0);
}

/* ---- tracks.c */

/* A process that is not there yet; NULL: no memory. */
struct na_pft_process *na_pft_process_new(struct na_pft *x, const char *host,
					  const char *label, bool of_rank,
					  int32_t rank);
/* Its index; NA_NO_TRIPLE: no memory. */
uint32_t na_pft_group(struct na_pft *x, uint32_t process, uint32_t core,
		      enum na_pft_kind kind);
/* Its track is described, unless it is already. */
void na_pft_tell_process(struct na_pft *x, uint32_t process);
/* Described with the first slice.  `device`: its name, of groups that have
 * one. */
uint64_t na_pft_lane(struct na_pft *x, uint32_t group, size_t lane,
		     const char *device);
/* A track of counters of a process; UINT32_MAX: of netan itself. */
uint64_t na_pft_counter(struct na_pft *x, uint32_t process, const char *name,
			enum na_pft_unit unit, int32_t rank);
/* The track `netan`. */
uint64_t na_pft_own_track(struct na_pft *x);

/* ---- gather.c */

struct na_pft_gather {
	struct na_pft *x;
	const struct na_scope *scope;
	struct na_sql_texts texts;
	struct na_export_clocks clocks; /* and what ranks joined */
	uint32_t *host_process; /* [hosts of the store] */
	uint32_t *core_process; /* [cores]; NA_UNKNOWN_U32 but of ranks */
	uint32_t *end_process;  /* [run * endpoints + endpoint] */
	uint32_t *part_of;      /* [comms] of ranks; NA_UNKNOWN_U32: none */
	struct na_strtab names; /* of hosts, by run */
	uint32_t pair_words[2]; /* names of the types of transfers that
				   operations tell as well */
	NA_VEC(struct na_pft_slice) slices;
	bool graphs; /* there are executions of graphs */
	struct na_pft_links *links;
};
/* All slices, in no order.  False: no memory. */
bool na_pft_gather(struct na_pft_gather *g);
void na_pft_gather_fini(struct na_pft_gather *g);

/* ---- links.c: which belong together.  False: no memory. */
struct na_pft_links *na_pft_links_new(void); /* NULL: no memory */
void na_pft_links_free(struct na_pft_links *l);
/* A transfer and its slice; executions of graphs are there. */
bool na_pft_note(struct na_pft_gather *g, const struct na_transfer *t,
		 const struct na_pft_slice *s);
/* All slices are there, and get what links them. */
bool na_pft_link(struct na_pft_gather *g);
/* Of an execution, the same for all devices that take part; 0: the trace does
 * not tell. */
uint64_t na_pft_execution(uint32_t launch, uint32_t iteration,
			  uint32_t collective, uint32_t run);

/* ---- devices.c: the same of operations of devices.  False: no memory. */
bool na_pft_link_devices(struct na_pft_gather *g);

/* ---- slices.c: all of them, and what they add up to.  False: no memory. */
bool na_pft_write(struct na_pft_gather *g);

/* ---- lanes.c */

/* Slices of one group, sorted, on tracks. */
struct na_pft_lanes {
	struct na_pft *x;
	uint32_t group;
	const char *device;
	int64_t ends_ns[NA_PFT_LANES];
	/* What found none of them free: from when to when, how many and how
	 * much. */
	int64_t from_ns, to_ns, bytes;
	uint64_t n;
};
/* Begin and end of an event that has all but time, type and track. */
void na_pft_lay(struct na_pft_lanes *l, const struct na_pft_slice *s,
		struct na_pft_event *e, uint64_t flow_at_end, uint64_t bytes);
void na_pft_lay_rest(struct na_pft_lanes *l);
/* By group, then time: where they lie, for a slice is five times as large. */
struct na_pft_order {
	const struct na_pft_slice **v; /* [n] */
	size_t *from;                  /* [groups + 1], in v */
};
/* False: no memory; to be freed whatever it says. */
bool na_pft_sort(struct na_pft_order *to, const struct na_pft_slice *slices,
		 size_t n, size_t n_groups);
void na_pft_order_fini(struct na_pft_order *o);

/* ---- counters.c: the course of one process after the other */

struct na_pft_counters;
struct na_pft_counters *na_pft_counters_new(struct na_pft *x, int64_t first_ns,
					    int64_t last_ns,
					    size_t n_processes);
void na_pft_counters_free(struct na_pft_counters *c);
enum na_pft_level { /* what adds to what */
		    NA_PFT_RX,
		    NA_PFT_TX,
		    NA_PFT_PENDING,
		    NA_PFT_N_LEVELS
};
void na_pft_count(struct na_pft_counters *c, enum na_pft_level level,
		  int64_t start_ns, int64_t end_ns, uint64_t bytes);
/* Writes what was counted, and is empty again. */
void na_pft_counters_put(struct na_pft_counters *c, uint32_t process);

/* ---- found.c: findings, the verdict, and the paths of late executions */
bool na_pft_put_found(struct na_pft *x, const struct na_export_of *of);

#endif

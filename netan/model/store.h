/*
 * What ingest has kept: records, names, counts.
 *
 *	part    one block of work, on one thread; knows its own names alone
 *	store   all parts, taken in input order, so that its indices and the
 *	        order of its records do not depend on threads
 *
 *	na_store_init, for each part: na_part_init, a reader into
 *	na_part_sink, na_store_take, na_part_fini; then na_store_resolve,
 *	perhaps na_store_place, and readers of the store; na_store_fini
 *
 * After na_store_resolve() nothing changes any more, and any number of
 * threads may read.  Times are picoseconds since the origin.  A `source` is
 * the index of an input, a `host` one of na_store.hosts; the first n_sources
 * hosts are the inputs.  Functions that fail: NA_ENOMEM, and what they say.
 */
#ifndef NETAN_MODEL_STORE_H
#define NETAN_MODEL_STORE_H

#include "netan/base/err.h"
#include "netan/model/chunk_list.h"
#include "netan/model/devices.h"
#include "netan/model/extent.h"
#include "netan/model/filter.h"
#include "netan/model/hosts/hosts.h"
#include "netan/model/hosts/names.h"
#include "netan/model/hosts/topology.h"
#include "netan/model/packed.h"
#include "netan/model/sink.h"

/* Counts of one input, of its records of any filter. */
struct na_tally {
	uint64_t classes[2][NA_N_STYLES][NA_N_CLASSES]; /* side, style */
	uint64_t actions[NA_N_STYLES][NA_N_ACTIONS];
	uint64_t left_out[NA_N_REASONS]; /* events that became no record */
	uint64_t dropped[2][NA_N_STYLES][NA_N_REASONS]; /* transfers, by side */
	uint64_t spans_near, spans_far; /* old messages: event as long as the
					    latency, or shorter */
	struct na_extent seen;          /* of transfers, before the filters */
};

struct na_remark { /* a warning of a block */
	uint64_t at;
	char *text;
};
enum { NA_REMARKS_MAX = 8 }; /* kept for each input */

enum { NA_UNKNOWN_MAX = 64 }; /* kept for each block and in all */

struct na_unknown { /* events that no reader knows */
	uint32_t name;
	uint64_t n;
};

enum na_record_kind {
#define NA_RECORD(KIND, ...) NA_RECORDS_##KIND,
#include "netan/model/records.def"
	NA_N_RECORDS
};

/* Records with the part's own indices of names, endpoints, cores, types. */
struct na_part {
	struct na_names names;
	/* `transfers` and all other kinds: records.def. */
#define NA_RECORD(KIND, chunks, ...) struct na_chunk_list chunks;
#include "netan/model/records.def"
	struct na_devices devices;
	bool *local; /* endpoint recorded here */
	size_t n_local;
	struct na_tally tally;
	struct na_unknown *unknown;
	size_t n_unknown, cap_unknown;
	struct na_remark remarks[NA_REMARKS_MAX];
	size_t n_remarks; /* all, also those not kept */
	const struct na_filter *filter;
	uint8_t *verdicts; /* of the filter, by name */
	size_t n_verdicts;
	uint32_t wants;
	bool short_of_memory;
};

/*
 *   pool    of the store that takes the part: records live there
 *   filter  na_filter_alone() decides which transfers stay; NULL: all;
 *           borrowed until na_part_fini()
 *   wants   NA_WANT bits: which graph executions and host events stay
 *
 * The sink writes into the part and is good as long as it.  One thread.
 */
void na_part_init(struct na_part *p, struct na_pool *pool,
		  const struct na_filter *filter, uint32_t wants);
void na_part_fini(struct na_part *p);
struct na_sink na_part_sink(struct na_part *p);

enum na_anchor { NA_ANCHOR_AUTO, NA_ANCHOR_START, NA_ANCHOR_END };

struct na_host {
	const char *name; /* of an input, of --hosts, or of an endpoint */
	uint32_t run;     /* index of the label */
	int32_t slice;    /* from --hosts; -1: not told */
	bool recorded;    /* an input, not just an endpoint */
	bool nobody;      /* a capture: it records other hosts, and is none */
	bool of_ranks;    /* an input that holds ranks of a GPU job, or an
			  endpoint that is one */
};

struct na_step { /* over all devices */
	int64_t number;
	int64_t start_ps, end_ps;
	uint32_t run;
};

/* Of GPU jobs, in all runs: what they are called by in words. */
struct na_ranked {
	size_t ranks, inputs; /* inputs: files that hold ranks */
	size_t hosts;         /* of those, that are told */
};

/* What the store must know of each input before parts come in. */
struct na_source {
	const char *host, *label; /* borrowed; label may be NULL */
	uint32_t run;             /* inputs of one label share it */
	bool on_cpus;             /* a rank that communicates on CPUs (gloo) */
	bool capture;             /* no endpoint lives in it */
	bool host_threads;        /* the trace tells what they did */
	bool own_clock;           /* its times count from its own first one */
	/* Of GPU jobs, known or not: whether it is the file of one rank, and
	 * which; whether nothing tells its host, so that `host` is "rank 3" or
	 * the file. */
	bool ranks, of_rank, no_host;
	int32_t rank;
	enum na_told told;
	/* When the profiler ran, since the origin; NA_UNKNOWN_PS. */
	int64_t profile_start_ps, profile_stop_ps;
};

/* Transfers, graphs and actions are packed: na_unpack_transfer() and
 * na_unpack_exec() give them back. */
struct na_store {
	struct na_pool pool; /* of its records and its parts' */
	struct na_names names;
#define NA_RECORD(KIND, chunks, ...) struct na_chunk_list chunks;
#include "netan/model/records.def"
	struct na_chunk_list wide, wide_exec; /* what cannot be packed */
	struct na_devices devices;
	const struct na_source *sources;
	size_t n_sources, n_runs;
	const struct na_hosts *names_of; /* --hosts, borrowed; or NULL */
	size_t n_named; /* addresses that it knew, from na_store_resolve() */
	struct na_tally *tallies; /* one for each source */
	uint32_t **local; /* by source: endpoints recorded there, ascending */
	size_t *n_local;
	struct na_unknown *unknown;
	size_t n_unknown, cap_unknown;
	struct na_remark *remarks; /* [source * NA_REMARKS_MAX + i] */
	size_t *n_remarks;

	/* From na_store_resolve(). */
	struct na_arena host_names;
	struct na_host *hosts;
	size_t n_hosts;
	uint32_t *host_of; /* [run * endpoints + endpoint] */
	/* As that: of a rank the first input of the host where it runs; of
	 * others, and where that is not told, NA_UNKNOWN_U32.  NULL: no
	 * ranks. */
	uint32_t *runs_on;
	/* By input, the same of the ranks that it holds; itself where it holds
	 * none, or their host is not told.  NULL: no ranks. */
	uint32_t *home_of;
	struct na_ranked ranked;
	struct na_step *steps;
	size_t n_steps;
	uint32_t *type_of; /* by collective, from graph executions */
	size_t n_type_of;
	enum na_anchor anchor; /* START or END */
	bool anchor_mattered;  /* there were old messages */
	uint64_t doubled;      /* old records beside newer ones */

	/* From na_store_place(); NULL without --topology. */
	const struct na_topology *topology;
	uint32_t *place_of; /* by host: its row there, or NA_UNKNOWN_U32 */
};

/* sources: [n], borrowed until na_store_fini().  NA_ELIMIT: more than 65535. */
enum na_status na_store_init(struct na_store *s,
			     const struct na_source *sources, size_t n,
			     struct na_err *err) NA_MUST_CHECK;
void na_store_fini(struct na_store *s);

/* Takes what the part holds, which is empty afterwards; parts come in input
 * order, of several threads one at a time.  O(records of the part). */
enum na_status na_store_take(struct na_store *s, struct na_part *p,
			     size_t source, struct na_err *err) NA_MUST_CHECK;

/* Once, when all parts are in.  anchor: what the time of an old message is;
 * AUTO: as most of them fit.  by_step: fill in the step of each transfer as
 * well.  O(records). */
enum na_status na_store_resolve(struct na_store *s, enum na_anchor anchor,
				bool by_step, struct na_err *err) NA_MUST_CHECK;

/* Transfers and executions are not looked at again: how many there were stays
 * known. */
void na_store_forget(struct na_store *s);
/* The same of one kind; nothing of one that is not packed. */
void na_store_forget_kind(struct na_store *s, enum na_record_kind kind);

/* The same for transfers alone where another process has resolved them all:
 * names, `local` and tallies of all inputs, steps and types of collectives are
 * its own; spans those of the inputs whose transfers these are. */
enum na_status na_store_resolve_as_told(struct na_store *s, bool by_step,
					struct na_err *err) NA_MUST_CHECK;

/* Whether a source has records of the older generation: what their times mean,
 * all inputs settle together. */
bool na_store_has_messages(const struct na_store *s, size_t source);

/* So many more events of a name that no reader knows; false: no memory. */
bool na_store_unknown(struct na_store *s, uint32_t name, uint64_t n);

/* Pieces of steps to steps; part of na_store_resolve().  False: no memory. */
bool na_store_join_steps(struct na_store *s) NA_MUST_CHECK;

/* Run of an input; 0 for one that a damaged record makes up. */
static inline uint32_t na_store_run_of(const struct na_store *s, size_t input)
{
	return input < s->n_sources ? s->sources[input].run : 0;
}

/* Where `local` of a source has an endpoint; n_local[source]: nowhere. */
size_t na_store_local(const struct na_store *s, size_t source,
		      uint32_t endpoint);

/* Host of an endpoint, as seen in a run; a rank is judged as one of its own. */
uint32_t na_store_host_of(const struct na_store *s, uint32_t run,
			  uint32_t endpoint);
/* The same, but of a rank the host where it runs, if that is told: what is
 * shown, and what filters and groups go by. */
uint32_t na_store_machine_of(const struct na_store *s, uint32_t run,
			     uint32_t endpoint);

/* Which generation of a trace's records counts: the newer one, where it
 * holds both.  Host events that the newer one does not tell always count; so
 * does what packets tell (styles CAPTURE and ESTIMATE). */
enum na_style na_store_style(const struct na_store *s, size_t source);
uint64_t na_store_actions(const struct na_store *s, size_t source,
			  enum na_action_kind kind);

/* Events and, of one side (-1: both), transfers of the generation that
 * counts, by why they were left out before any analysis saw them. */
uint64_t na_store_left_out(const struct na_store *s, size_t source, int side,
			   enum na_reason why);

/* Which host stands where: after na_store_resolve().  The topology is
 * borrowed. */
enum na_status na_store_place(struct na_store *s, const struct na_topology *t,
			      struct na_err *err) NA_MUST_CHECK;
/* The label of a run, or NULL. */
const char *na_store_label(const struct na_store *s, uint32_t run);
/* How many hosts the inputs tell of: a trace is one, ranks are on theirs if
 * that is told; of captures it is who has an address there, which those of a
 * group (multicast) or of all are not. */
size_t na_store_hosts(const struct na_store *s);
/* An address that no host has: of a group, of all, of none. */
bool na_address_is_nobodys(const char *address);
/* Every input but captures is of ranks of a GPU job: what stands for a host is
 * a rank. */
static inline bool na_store_of_ranks(const struct na_store *s)
{
	size_t others = 0;

	for (size_t i = 0; i < s->n_sources; i++)
		others += !s->sources[i].capture;
	return others && s->ranked.inputs == others;
}
/* What stands for hosts, where nothing tells the hosts of ranks: "rank", or of
 * some "host or rank"; NULL: they are hosts. */
const char *na_store_of_hosts(const struct na_store *s);
/* Every input is a capture. */
bool na_store_of_captures(const struct na_store *s);
/* Class of the path between two hosts (na_topology_class_name() names it),
 * rack and block of a host; NA_UNKNOWN_U32: the topology does not tell. */
uint32_t na_store_class(const struct na_store *s, uint32_t src_host,
			uint32_t dst_host);
uint32_t na_store_rack(const struct na_store *s, uint32_t host);
uint32_t na_store_block(const struct na_store *s, uint32_t host);

/* What the records of a run, or with UINT32_MAX of all, are from: a bit for
 * each enum na_style. */
#define NA_STYLES_OF_PACKETS (1U << NA_STYLE_CAPTURE | 1U << NA_STYLE_ESTIMATE)
unsigned na_store_styles(const struct na_store *s, uint32_t run);
unsigned na_store_styles_in(const struct na_store *s, size_t source);
/* Traces and captures both tell transfers of the run. */
bool na_store_mixed(const struct na_store *s, uint32_t run);
/* Of a copy of the store: what traces alone tell of collectives is left out.
 * Its records are those of the other one still. */
void na_store_leave_captures(struct na_store *copy);
/* Transfers of it that captures tell. */
uint64_t na_store_captured(const struct na_store *s, uint32_t run,
			   enum na_class klass);

/* Sums over one source or, with SIZE_MAX, over all. */
uint64_t na_store_count(const struct na_store *s, size_t source,
			enum na_side side, enum na_class klass);

#endif

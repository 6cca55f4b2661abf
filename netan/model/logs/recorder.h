/*
 * What each rank of a GPU job says of the operations of its groups: dumps of
 * PyTorch's flight recorder, and what else tells the same (answers of NCCL's
 * RAS, lines of NCCL_DEBUG and of PyTorch's watchdog).
 *
 * A record (na_fr_dump) is what one source says of one rank.  Groups are
 * those of the job: two ranks speak of the same one if its members and its
 * description are the same; its name may differ from rank to rank.
 *
 * Sources: pytorch/pytorch torch/csrc/distributed/c10d/FlightRecorder*.hpp,
 * torch/distributed/flight_recorder; docs/formats.md, "GPU jobs".
 */
#ifndef NETAN_MODEL_LOGS_RECORDER_H
#define NETAN_MODEL_LOGS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"

enum na_hang_evidence { /* bits of na_fr_dump.evidence */
			NA_BY_MEGASCALE = 1 << 0,
			NA_BY_FLIGHT_RECORDER = 1 << 1,
			NA_BY_RAS = 1 << 2,
			NA_BY_NCCL_LOG = 1 << 3,
			NA_BY_WATCHDOG = 1 << 4
};

/* All names are indices of na_flight_record.names, or NA_NO_NAME.  Numbers that
 * were not told are -1, times INT64_MIN; times are ns since the epoch. */

struct na_fr_group {
	uint32_t name;    /* description, else what the input calls it */
	uint32_t members; /* "0,1,2,3"; NA_NO_NAME: not told */
	size_t first,
		n; /* of na_flight_record.members, ascending; n 0: unknown */
};

/* How far a rank is in a group: sequences of collectives. */
struct na_fr_place {
	uint32_t group;     /* index of na_flight_record.groups */
	uint32_t operation; /* last enqueued, "all_reduce"; NA_NO_NAME */
	int64_t enqueued, started, completed; /* last; -1: none or not told */
	int64_t listed; /* last of the entries; -1: none */
	bool told;      /* else taken from the entries alone */
	bool open;      /* no input of the group tells what has completed: all
		      entries are taken for held until na_fr_complete() */
	bool p2p;       /* its group has p2p, too: last numbers mix both */
};

enum na_fr_state { NA_FR_SCHEDULED, NA_FR_STARTED, NA_FR_COMPLETED };

/* An operation as the rank's recorder holds it. */
struct na_fr_entry {
	int64_t record;   /* counts all operations of the rank */
	int64_t sequence; /* of the group's collectives; of p2p: of those with
			     this peer, or of the group: p2p_seq_id */
	int64_t created_ns, started_ns, completed_ns;
	uint64_t in_elements, out_elements; /* over all tensors */
	uint64_t size_bytes; /* the larger side; NA_UNKNOWN_U64 */
	int64_t timeout_ms;
	int64_t ran_ms; /* when a log told that it still ran; 0: none did */
	uint32_t group;
	uint32_t operation;       /* "all_reduce", "send"; without "nccl:" */
	uint32_t type;            /* of the first tensor: "BFloat16" */
	int32_t peer;             /* rank in the job, of p2p; -1 */
	uint32_t frame, n_frames; /* of the dump's frames; innermost first */
	uint8_t state;            /* enum na_fr_state */
	bool p2p, retired;
	bool on_cpus; /* gloo's */
};

struct na_fr_frame {
	uint32_t function, file;
	int32_t line; /* -1 */
};

/* What one source says of one rank. */
struct na_fr_dump {
	const char *path; /* borrowed */
	int32_t rank;
	uint32_t host;     /* NA_NO_NAME: not told */
	uint32_t evidence; /* enum na_hang_evidence */
	uint32_t version;  /* "2.9" */
	uint32_t library;  /* "2.27.3" */
	bool guessed; /* `rank` is the number of its GPU, as in a job of one
			 host */
	bool cut; /* its file breaks off: what it does not hold says nothing */
	bool counted; /* `cut`, behind how far it came in its groups */
	bool unresponsive; /* a peer (RAS) says that it does not answer */
	bool all;  /* completed operations, too, were written; else those
		       that are not in `entries` have completed or are lost */
	bool lost; /* `all`, and its ring no longer held the first ones */
	int64_t oldest_ns, newest_ns;             /* of the times in it */
	NA_VEC(struct na_fr_place) places;        /* by group, each once */
	uint32_t *slots; /* of many places: hashed, their index and 1 */
	size_t n_slots;
	NA_VEC(struct na_fr_entry)
	entries; /* in order of record; all that
		have not completed, and per group the last NA_FR_KEPT of
		those that have */
	NA_VEC(struct na_fr_frame) frames;
	uint64_t n_entries;    /* in the file */
	uint64_t left_out;     /* entries that could not be understood */
	bool places_unmatched; /* status and groups could not be joined */
};

enum {
	NA_FR_KEPT = 64,
	NA_FR_MAX = 1 << 20, /* a larger rank is not believed */
	NA_FR_GROUPS_MAX = 1 << 20
};

/* What logs tell without a year is in 1972: before this, 1973. */
#define NA_FR_YEARS_NS (INT64_C(94694400) * 1000000000)

/* Of logs, which tell of no ends: when their last lines were written, and
 * when the last operation was called; in a year of its own (1972) where no
 * year is told.  0: not told.  A clock for each way of telling: what has no
 * zone, or no year, is not compared with what has. */
struct na_fr_clock {
	int64_t line_ns, call_ns;
};
enum { NA_FR_CLOCKS = 4 };

/* Ranks of whom there were dumps of several moments: the last one counts. */
struct na_fr_again {
	int32_t rank;
	int64_t apart_ns; /* the last one and the first; -1: not told */
	int64_t last_ns, before_ns; /* newest times of the last two */
};

struct na_flight_record {
	struct na_strtab names;
	struct na_fr_clock clock[NA_FR_CLOCKS];
	bool unzoned; /* times without their zone are taken as UTC */
	bool undated; /* times were dropped whose year nothing tells */
	int64_t dated_from_ns, dated_to_ns; /* times with a year; 0: none */
	struct na_strtab keys;              /* of a group: its index */
	NA_VEC(int32_t) members;
	NA_VEC(struct na_fr_group) groups;
	NA_VEC(struct na_fr_dump) dumps;  /* in order of the files */
	NA_VEC(struct na_fr_again) again; /* by rank, each once */
	NA_VEC(int32_t)
	old; /* ranks, ascending, who have recorders' dumps of
				an earlier time only than others' last ones:
				these are left out */
};

void na_fr_init(struct na_flight_record *x);
void na_fr_fini(struct na_flight_record *x);
void na_fr_free_dump(struct na_fr_dump *d);

/* The group with these members (any order; n 0: not told) and name; new or
 * known.  UINT32_MAX: no memory, or beyond NA_FR_GROUPS_MAX. */
uint32_t na_fr_group(struct na_flight_record *x, const char *name, size_t len,
		     const int32_t *members, size_t n);

/* The place of a rank in a group, new (-1, -1, -1) or known; NULL: no
 * memory. */
struct na_fr_place *na_fr_place(struct na_fr_dump *d, uint32_t group);
const struct na_fr_place *na_fr_place_of(const struct na_fr_dump *d,
					 uint32_t group);

/* After their groups have changed. */
void na_fr_index(struct na_fr_dump *d);

/* Moves what another one holds to the end of x; it stays empty.  False: no
 * memory. */
bool na_fr_take(struct na_flight_record *x, struct na_flight_record *from);

/*
 * Once all is read.  What is said of a rank becomes one dump: of the same kind
 * of evidence that of the last moment counts (one moment may be there twice,
 * as pickle and as JSON), other kinds and other groups add to it, in whatever
 * order the files are.  A rank of which a recorder tells of an earlier time
 * only than of others has none (`old`).  Groups of which no input tells the
 * members have those who speak of them; the one of PyTorch that has all
 * ("default_pg"), all up to the largest rank there is.  Of open groups, what
 * all members have enqueued is complete, up to where they differ.  False: no
 * memory.
 */
bool na_fr_complete(struct na_flight_record *x);
/* A time with its year, of any line of a log: it tells that of others. */
void na_fr_dated(struct na_flight_record *x, int64_t ns);
/* The first of it: entries of logs that were called before
 * NA_FR_YEARS_NS get the year in which they are next to all times that
 * tell one; where that is none, or not the same, the time is not told. */
void na_fr_settle_years(struct na_flight_record *x);
/* Then: one dump for each rank. */
bool na_fr_once(struct na_flight_record *x);

#endif

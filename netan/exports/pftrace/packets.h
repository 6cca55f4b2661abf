/*
 * Perfetto's trace packets, written one behind the other: a Trace is nothing
 * but those, so that no length has to be known before.  Words that come again
 * are told once and meant by a number from then on (InternedData), all on one
 * sequence.
 *
 * Sources: google/perfetto, protos/perfetto/trace: trace_packet.proto,
 * clock_snapshot.proto, interned_data/interned_data.proto, and in track_event/
 * track_event.proto, track_descriptor.proto, counter_descriptor.proto,
 * process_descriptor.proto, debug_annotation.proto;
 * docs/reference/synthetic-track-event.md.
 */
#ifndef NETAN_EXPORTS_PFTRACE_PACKETS_H
#define NETAN_EXPORTS_PFTRACE_PACKETS_H

#include <zlib.h>

#include "netan/base/err.h"
#include "netan/base/vec.h"
#include "netan/base/wire_out.h"

/* Tables of words, each with numbers of its own. */
enum na_pft_table {
	NA_PFT_NAMES,
	NA_PFT_NOTES,
	NA_PFT_STRINGS,
	NA_PFT_N_TABLES
};

/* id: above 0 and dense, where the text comes again; 0: told in place.  Bytes
 * that are no text are escaped. */
struct na_pft_word {
	uint32_t id;
	const char *text;
};

/* One thread's. */
struct na_pft_out {
	int fd;
	bool open, zips;
	z_stream zip;
	uint8_t *packed;                       /* what comes out of it */
	struct na_wire wire;                   /* what is not written yet */
	NA_VEC(uint8_t) seen[NA_PFT_N_TABLES]; /* by id */
	bool begun, short_of_memory;
	int broken;       /* errno of the first write that failed; 0: none */
	int64_t shift_ns; /* of all times: none is below 0 there */
};

/* A file that is there becomes an empty one; packed: by gzip.  To be closed
 * whatever it says. */
enum na_status na_pft_open(struct na_pft_out *o, const char *path, bool packed,
			   struct na_err *err) NA_MUST_CHECK;
/* All is in the file: NA_EIO, NA_ENOMEM otherwise. */
enum na_status na_pft_flush(struct na_pft_out *o,
			    struct na_err *err) NA_MUST_CHECK;
void na_pft_close(struct na_pft_out *o);

/* What the wall clock showed at the origin. */
void na_pft_clock(struct na_pft_out *o, int64_t origin_unix_ns);

enum na_pft_unit { /* of a counter */
		   NA_PFT_NO_COUNTER,
		   NA_PFT_GBPS,
		   NA_PFT_BYTES,
		   NA_PFT_COUNT
};

struct na_pft_track {
	uint64_t uuid, parent;          /* 0: none */
	const char *name, *description; /* or NULL */
	int32_t pid;                    /* > 0: a process */
	int32_t rank; /* among its siblings, the smallest on top */
	enum na_pft_unit unit;
};
void na_pft_track(struct na_pft_out *o, const struct na_pft_track *t);
/* The uuid of the n-th track that there is, n > 0: neither small nor one that
 * another n has, so that traces can be put together. */
uint64_t na_pft_uuid(uint64_t n);
/* Of what belongs together: numbers of 64 bits, likewise, from one of these and
 * what tells one such thing from another. */
enum na_pft_together {
	NA_PFT_MATCH = 1, /* a collective on all its ranks */
	NA_PFT_EXECUTION, /* a collective on all its hosts */
	NA_PFT_MOVED,     /* the two ends of a transfer */
	NA_PFT_PAIR,      /* a send of ranks and its receive */
	NA_PFT_PATH,      /* why an execution was late */
	NA_PFT_DEVICES    /* a collective on all its devices */
};
uint64_t na_pft_mix(uint64_t a, uint64_t b);

enum na_pft_type { /* as Perfetto numbers them */
		   NA_PFT_BEGIN = 1,
		   NA_PFT_END,
		   NA_PFT_INSTANT,
		   NA_PFT_COUNTER
};

enum na_pft_category { /* their numbers are interned */
		       NA_PFT_TRANSFER = 1,
		       NA_PFT_COLLECTIVE,
		       NA_PFT_STEP,
		       NA_PFT_MERGED,
		       NA_PFT_FINDING,
		       NA_PFT_CRITICAL_PATH,
		       NA_PFT_N_CATEGORIES
};

/* A fact of an event. */
struct na_pft_note {
	struct na_pft_word name;
	enum { NA_PFT_INT, NA_PFT_TEXT, NA_PFT_REAL } kind;
	struct na_pft_word text;
	int64_t value;
	double real;
};

struct na_pft_event {
	int64_t at_ns; /* from the origin */
	uint64_t track;
	enum na_pft_type type;
	/* Not of ends and counters. */
	enum na_pft_category category;
	struct na_pft_word name;
	uint64_t flow, last_of_flow, correlation; /* 0: none */
	const struct na_pft_note *notes;
	size_t n_notes;
	double value; /* of a counter */
};
void na_pft_put(struct na_pft_out *o, const struct na_pft_event *e);

#endif

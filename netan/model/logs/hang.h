/*
 * What logs tell of hangs: detections (a worker has waited too long), and
 * reports (a coordinator's verdict with its digest), in the order of the
 * files and of their lines.
 *
 * Sources: openxla/xla docs/megascale (debugging workflow), AI-Hypercomputer/
 * maxtext megascale_hang_playbook; docs/formats.md, "Hang logs".
 */
#ifndef NETAN_MODEL_LOGS_HANG_H
#define NETAN_MODEL_LOGS_HANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"

enum na_hang_cause { /* as the runtime names them */
		     NA_HANG_BAD_CHIP,
		     NA_HANG_NETWORKING,
		     NA_HANG_DIFFERENT_MODULE,
		     NA_HANG_FINGERPRINT_MISMATCH,
		     NA_HANG_INPUT_STALL,
		     NA_HANG_UNRECOVERABLE_ERROR,
		     NA_HANG_PROGRAM_NOT_QUEUED,
		     /* of ranks of GPU jobs */
		     NA_HANG_DEVICE_STUCK,
		     NA_HANG_HOST_STUCK,
		     NA_HANG_MISMATCH,
		     NA_HANG_MISSING_RANK,
		     NA_HANG_UNKNOWN,
		     NA_N_HANG_CAUSES
};

/* All names are indices of na_hang.names, or NA_NO_NAME.  Numbers that were
 * not told are -1. */

struct na_hang_worker {
	uint32_t job, task, host, chip, core;
};

/* "host: value": a program counter, a fingerprint, an error. */
struct na_hang_said {
	uint32_t host, value;
};

/* A module with the workers that are in it. */
struct na_hang_state {
	uint32_t module, fingerprint;
	int64_t launch_id;
	size_t place, n_places; /* of the record's places */
};

/* Where in a module some workers stand. */
struct na_hang_place {
	uint32_t tag, pc, hlo;    /* as written */
	size_t worker, n_workers; /* of the record's at_places */
};

struct na_hang_names {
	uint32_t *v;
	size_t n, cap;
};

/* A time in a log, in ns since the epoch; without a year, in a year of its
 * own (1972).  No zone: read as UTC. */
struct na_hang_time {
	int64_t ns;
	bool known, has_year;
	bool borrowed; /* of a line above it */
	bool has_zone;
};

struct na_hang_record {
	bool detection; /* else a report */
	uint32_t file;
	uint64_t line;
	uint32_t source; /* what in its prefix tells who speaks */
	struct na_hang_time time;
	/* detections */
	int64_t launch_id, awaited, completed, timeout_ps;
	int step_in_progress; /* -1, 0, 1 */
	/* reports */
	enum na_hang_cause cause;
	bool verdict, digest; /* which parts of it there are */
	bool sure;            /* nothing else is written so */
	uint32_t cause_text;  /* of "Potential cause:" */
	uint32_t error_time, error_type;
	NA_VEC(struct na_hang_worker) culprits; /* of the digest */
	NA_VEC(struct na_hang_worker) listed;   /* of the verdict */
	NA_VEC(struct na_hang_said) counters;
	NA_VEC(struct na_hang_said) fingerprints;
	NA_VEC(struct na_hang_said) errors;
	NA_VEC(struct na_hang_state) states;
	NA_VEC(struct na_hang_place) places;
	NA_VEC(struct na_hang_worker) at_places;
	struct na_hang_names texts; /* lines that nobody knows */
};

struct na_hang_file {
	const char *path; /* borrowed */
	uint64_t lines, bytes;
	bool read;
	bool binary; /* no text, and nothing found in it */
};

/* What one set of logs may hold; more is counted in left_out. */
enum {
	NA_HANG_RECORDS_MAX = 1 << 17,
	NA_HANG_ITEMS_MAX = 1 << 22, /* in all lists together */
	NA_HANG_TEXTS_MAX = 64,      /* of a record */
	NA_HANG_NAMES_MAX = 1 << 20, /* different ones */
	NA_HANG_NAME_MAX = 400       /* bytes of a name; longer ones are cut */
};

struct na_flight_record; /* recorder.h */

struct na_hang {
	struct na_strtab names;
	NA_VEC(struct na_hang_record) records;
	NA_VEC(struct na_hang_file) files;
	size_t n_items;
	uint64_t left_out; /* records, items and names beyond the limits */
	/* Borrowed: where readers put what the logs tell of ranks; NULL:
	 * nowhere. */
	struct na_flight_record *ranks;
};

void na_hang_init(struct na_hang *h);
void na_hang_fini(struct na_hang *h);

void na_hang_free_record(struct na_hang_record *r);

/* Moves what another one holds to the end of h; it stays empty but for its
 * names.  False: no memory. */
bool na_hang_take(struct na_hang *h, struct na_hang *from);

/* Empty; NULL: no memory (or beyond the limit, counted, *full). */
struct na_hang_record *na_hang_add(struct na_hang *h, bool *full);

/* The name of a text; NA_NO_NAME: there are too many (counted), or no memory
 * (*ok becomes false). */
uint32_t na_hang_add_name(struct na_hang *h, const char *s, size_t n, bool *ok);

const char *na_hang_cause_word(enum na_hang_cause c);
/* "bad TPU chip" */
const char *na_hang_cause_text(enum na_hang_cause c);

/* "2026-01-02T03:04:05.6Z", or "01-02 03:04:05.6" without a year; NULL when
 * it is not known. */
enum { NA_HANG_TIME_BUF = 64 };
const char *na_hang_time_text(const struct na_hang_time *t,
			      char buf[NA_HANG_TIME_BUF]);

#endif

/*
 * What a line says within a report: keys with their values, and lines that
 * only their shape tells.
 */
#ifndef INGEST_LOGS_HANG_REPORT_H
#define INGEST_LOGS_HANG_REPORT_H

#include "ingest/logs/hang_shape.h"

enum na_hang_key {
	NA_KEY_NONE,
	/* They open a report, or are a detection. */
	NA_KEY_VERDICT,
	NA_KEY_HALTED,
	/* They open one where none is open. */
	NA_KEY_DIGEST,
	NA_KEY_CAUSE,
	NA_KEY_CULPRITS,
	NA_KEY_STATS,
	NA_KEY_PRINTS,
	NA_KEY_STATES,
	NA_KEY_BREAKDOWN,
	NA_KEY_HOSTS,
	/* Within one only. */
	NA_KEY_MODULE,
	NA_KEY_FINGERPRINT,
	NA_KEY_LAUNCH,
	NA_KEY_SAMPLE,
	NA_KEY_ERROR_TIME,
	NA_KEY_ERROR_TYPE,
	NA_KEY_INSPECT
};

/* The first key in x: where it begins and where its value does. */
enum na_hang_key na_hang_key_in(struct na_text x, size_t *at, size_t *value);

/* Where in its report a stream is. */
struct na_hang_open {
	size_t record; /* index; SIZE_MAX: none is open */
	enum na_hang_key block;
	bool keyed;        /* a key came behind the verdict */
	bool state;        /* the last state is the one that lines are of */
	bool borrowed;     /* its launch id is from a line before its module */
	int64_t launch_id; /* of such a line */
};

/* x begins with a key; several may follow each other.  cut: the line was
 * longer than what is here.  False: no memory. */
bool na_hang_take_keys(struct na_hang *h, struct na_hang_open *o,
		       struct na_text x, bool cut);

/* Its shape alone tells that it belongs to a digest, whatever the
 * indentation. */
bool na_hang_is_child(const struct na_hang_open *o, struct na_text x);
bool na_hang_take_child(struct na_hang *h, struct na_hang_open *o,
			struct na_text x, bool cut);

/* Detections: what the line says; false: it is none. */
bool na_hang_detection_in(struct na_text x, size_t *at,
			  struct na_hang_record *r);

#endif

/*
 * Dumps of PyTorch's flight recorder (versions 2.0 to 2.10), a file for each
 * rank, as pickles of protocol 2 or as JSON: what the rank's groups are, how
 * far it is in each, and the operations that its ring held.
 *
 * The rank stands in the file's name (its last number), else it is the only
 * member that all groups of the dump share.  Status is kept by numbers of
 * the rank's own, groups by name; operations connect the two, and where there
 * are as many of both they stand in the same order.
 *
 * Sources: pytorch/pytorch torch/csrc/distributed/c10d/FlightRecorder*.hpp,
 * torch/distributed/flight_recorder/components; docs/formats.md, "GPU jobs".
 */
#ifndef INGEST_RECORDER_RECORDER_H
#define INGEST_RECORDER_RECORDER_H

#include "ingest/recorder/value.h"
#include "netan/base/err.h"
#include "netan/model/logs/recorder.h"

/* Are these the first n bytes of a dump? */
enum { NA_RECORDER_HEAD = 4096 };
bool na_recorder_sniff(const uint8_t *head, size_t n);
/* The same of a file; false, too, if it cannot be read. */
bool na_recorder_is(const char *path);

/*
 * Reads one file, or the n bytes at p; x->dumps gets a row, whose path is
 * borrowed.
 *
 * NA_EFORMAT: damaged, what came before is there (a row, or none if not even
 * the rank can be told); NA_EIO, NA_ENOMEM.
 */
enum na_status na_recorder_read(struct na_flight_record *x, const char *path,
				struct na_err *err) NA_MUST_CHECK;
/* `all`: entries that have completed are kept, all of them. */
enum na_status na_recorder_read_bytes(struct na_flight_record *x,
				      const char *path, const uint8_t *p,
				      size_t n, bool all,
				      struct na_err *err) NA_MUST_CHECK;

/* The last number of a file's name; -1: there is none. */
int32_t na_recorder_rank(const char *path);

/* Dumps as inputs (input.c): is it one; do two of a rank come from one
 * recorder, which tells the same of what both hold; does a tell more than b:
 * whole, of a later moment, with more operations? */
struct na_input;
bool na_recorder_is_input(const struct na_input *in);
bool na_recorder_same(const struct na_input *a, const struct na_input *b);
bool na_recorder_more(const struct na_input *a, const struct na_input *b);

/* ---- among themselves */

/* A JSON text as values; as na_pickle_read(). */
enum na_status na_recorder_json(const uint8_t *p, size_t n,
				struct na_dump_store *store,
				struct na_dump_value *out,
				struct na_err *err) NA_MUST_CHECK;

/* What a rank's numbers and names of groups stand for. */
struct na_recorder_group {
	struct na_text name;
	int64_t id; /* of the status; -1: not known */
	uint32_t group;
};

struct na_recorder_frame {
	struct na_text function, file;
	int64_t line; /* -1 */
};

struct na_recorder_dump {
	struct na_flight_record *ranks;
	struct na_fr_dump *dump;
	const struct na_dump_value *top;
	NA_VEC(struct na_recorder_group) groups; /* in order of the file */
	bool has_groups;                         /* they were read */
	struct na_strtab group_names;
	NA_VEC(uint32_t) named; /* by name: the first of `groups` */
	size_t entries_max;     /* beyond these, some are dropped */
	struct na_text type; /* asked for last, and the bits of its elements */
	unsigned type_bits;
	bool keeps_all; /* also what has completed */
	/* Keys are one text each and stand in the same order in all entries:
	 * where the last one had this one, its field is known. */
	struct {
		const char *s;
		int field;
	} keys[64];
	/* Of the last entry that has completed; the keys of frames. */
	struct na_recorder_frame last[32];
	size_t n_last;
	const char *frame_keys[3];
	/* the entry that was looked at last, and its values by field */
	const struct na_dump_value *entry;
	size_t entry_n;
	const struct na_dump_value *v[20];
	/* texts that were interned last, by where they lie */
	struct {
		const char *s;
		uint32_t n, name;
	} recent[256];
};

/* The group of a name and description; NA_NO_NAME: no memory. */
uint32_t na_recorder_group_of(struct na_recorder_dump *x, struct na_text name,
			      struct na_text desc, int64_t id);
/* The index of a text in the names; NA_NO_NAME: empty, or no memory. */
uint32_t na_recorder_name(struct na_recorder_dump *x, struct na_text text);
/* One entry, which may go away afterwards; false: no memory. */
bool na_recorder_entry(struct na_recorder_dump *x,
		       const struct na_dump_value *v);
/* Behind the last: those that are in `top`, and which of all are kept. */
bool na_recorder_entries_end(struct na_recorder_dump *x);

#endif

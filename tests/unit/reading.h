/*
 * A trace read through the front door, na_input_open() and its reader, into
 * one line of text for each record and remark, in the order in which they
 * come:
 *
 *	T rx graph valid 2000000 3000000 act - 1000 s1d1->s2d1 all-reduce.1_2
 *	  - l456 i78 c0 v-1
 *	A graph graph 0 5000 size 4 s1d3 op_1 - l1 i0 device_100003_gid_op_1
 *	S step 0 1000 12 plane 0 "12"   " by time" behind it: told by that
 *	O dcn start TPU 0 send.5 17 18 op 1 p7 c3 size 20 group 2x4 psum.4_0!
 *	  ALL_REDUCE jit_step of - kernel -   an execution of a device op
 *	B TPU 0 100 200                 a busy time
 *	M kernel rank 0 100 200 op 3 size 8 Float of [0,1]x2 s7 q4 peer -1
 *	                                what a rank does in one operation
 *	C tx message bad_key 1          a transfer that is counted only
 *	L aggregated 1                  left out, and why
 *	U Foo END                       a name that nobody knows
 *	W event at byte 55 ...          damage
 */
#ifndef TESTS_UNIT_READING_H
#define TESTS_UNIT_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingest/input.h"
#include "netan/model/devices.h"
#include "netan/model/hosts/names.h"

#define DEVICE_RECORDS (NA_WANT_OPS | NA_WANT_BUSY)
#define ALL_RECORDS \
	(NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_ACTIONS | \
	 NA_WANT_STEPS | NA_WANT_MODULES | NA_WANT_KERNELS)

struct reading {
	struct na_input in; /* open when status is NA_OK */
	enum na_status status;
	struct na_err err;
	struct na_names names;
	char *text; /* the lines */
	size_t n_text;
	void *out; /* FILE that they go to */
	uint64_t records, blocks;
	uint8_t *block;            /* of read_exact() */
	struct na_devices devices; /* cores and op types */
	uint64_t types_told;       /* calls of op_type() */
	const char *only;          /* collective that is looked at; NULL: all */
};

/* The file is a copy of the bytes; packed: gzip of them, which is spooled.
 * Ends the running test when the system does not play along. */
void read_bytes(struct reading *r, const void *bytes, size_t n, uint32_t wants);
/* Only at one collective, where the reader can tell. */
void read_only(struct reading *r, const void *bytes, size_t n, uint32_t wants,
	       const char *collective);
void read_packed(struct reading *r, const void *bytes, size_t n,
		 uint32_t wants);
/* Without the opener: the XSpace reader on a block of exactly n bytes. */
void read_exact(struct reading *r, const void *bytes, size_t n, uint32_t wants);
void reading_end(struct reading *r);

/* A descriptor of a file with these bytes. */
int file_of(const void *bytes, size_t n);
/* The same, opened for its programs. */
void open_programs(struct na_input *in, const void *bytes, size_t n);

extern const char *const class_words[NA_N_CLASSES];
extern const char *const action_words[NA_N_ACTIONS];
extern const char *const style_words[NA_N_STYLES];

/* gzip of n bytes, to be freed. */
uint8_t *gzip_of(const void *bytes, size_t n, size_t *packed);

#endif

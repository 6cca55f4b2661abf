/* A capture in memory read to its end, in a block of exactly its size. */
#ifndef TESTS_UNIT_CAPFILE_READING_H
#define TESTS_UNIT_CAPFILE_READING_H

#include "ingest/capture/capfile.h"

enum { MAX_RECORDS = 64 };

struct capfile_reading {
	struct na_input in;
	struct na_err err;
	struct na_capfile *file;               /* NULL: refused, see err */
	struct na_record records[MAX_RECORDS]; /* the first */
	size_t n;
	uint8_t *block;
};

void capfile_read(struct capfile_reading *r, const void *bytes, size_t n);
void capfile_end(struct capfile_reading *r);

/* A file of NETAN_TEST_DATA/pcap, mapped; NULL if it is not there. */
struct na_capfile *capfile_real(struct na_input *in, const char *name,
				char *path, size_t n);
void capfile_real_end(struct na_input *in, struct na_capfile *f);

#endif

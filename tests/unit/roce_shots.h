/*
 * Hand-made RoCE packets into a tracker, and what comes out of it.
 */
#ifndef TESTS_UNIT_ROCE_SHOTS_H
#define TESTS_UNIT_ROCE_SHOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ingest/roce/roce.h"

enum { ROCE_MAX = 400, US = 1000 };

/* What came out: names in plain text. */
struct roce_told {
	struct na_transfer t;
	const char *src, *dst, *collective, *type;
};

extern struct roce_world_of_test {
	struct na_roce *x;
	struct na_sink sink;
	struct na_addresses ends;
	struct na_capture_counts c;
	char names[ROCE_MAX][48];
	uint32_t n_names;
	struct roce_told told[ROCE_MAX];
	size_t n;
	uint64_t left_out;
	struct na_queue_pair qps[ROCE_MAX];
	size_t n_qps, n_marks;
	uint64_t marked[NA_QP_MARKS]; /* packets */
	int64_t now_us;
} roce_world;

struct roce_shot {
	int from, to; /* host numbers */
	uint8_t opcode;
	uint32_t qp, psn;
	uint32_t n; /* bytes of message in it */
	uint8_t syndrome;
	uint32_t asked;     /* RETH */
	uint32_t source_qp; /* DETH */
	uint32_t cut;       /* captured bytes; 0: all */
	uint8_t ecn;
	bool asks; /* for an acknowledgement */
	int64_t at_us;
};

void roce_begin(size_t queue_pairs, size_t messages, size_t named);
void roce_begin_large(void);
/* Only what happens in [from_us, to_us) is told of queue pairs. */
void roce_begin_window(int64_t from_us, int64_t to_us);
/* Finishes, counts, frees. */
void roce_end(void);

/* Of destination queue pair `qp`; fails without one. */
const struct na_queue_pair *roce_qp(uint32_t qp);

/* Extension headers in front of the payload, per opcode, from the tables of
 * the specification: 255 is an opcode that does not exist. */
unsigned roce_extension(unsigned opcode);
void roce_shoot(struct roce_shot s);

/* Requests go from host 1 to queue pair 0x22 of host 2, answers come back to
 * queue pair 0x11; each a microsecond after the one before. */
void roce_request(unsigned opcode, uint32_t psn, uint32_t n);
void roce_answer(unsigned opcode, uint32_t psn, unsigned syndrome, uint32_t n);
void roce_ack(uint32_t psn);

/* Transfer i. */
void roce_expect(size_t i, const char *type, uint64_t bytes,
		 enum na_class klass, int64_t latency_us);

#endif

/*
 * Queue pairs that exist only here, and rdma over them.
 */
#ifndef TESTS_UNIT_FAKE_RDMA_H
#define TESTS_UNIT_FAKE_RDMA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "netan/analyses/rdma/state.h"
#include "tests/unit/hand_drive.h"

#define FAKE_MS_NS INT64_C(1000000)
#define FAKE_S_PS  INT64_C(1000000000000)

extern const struct na_analysis na_an_rdma;

struct fake_rdma {
	struct hand h;
	struct na_scope scope;
	struct rdma_params params;
	struct driven d;
	struct na_part part;
	struct na_sink sink;
};

/* A second, 1000 packets of 1000 bytes, from host 0 to host 1. */
static inline struct na_queue_pair fake_healthy(uint32_t id)
{
	return (struct na_queue_pair){
		.id = id,
		.dst = 1,
		.qp = 100 + id,
		.to_ps = FAKE_S_PS,
		.packets = 1000,
		.bytes = 1000000,
		.messages = 100,
		.answers = 100,
		.latencies = 100,
		.latency_p50_ns = 5000,
		.latency_p99_ns = 9000,
		.latency_max_ns = 10000,
	};
}

/* src and dst of these are numbers of hosts, 10.0.0.N. */
static inline void fake_begin(struct fake_rdma *x,
			      const struct na_queue_pair *q, size_t n)
{
	memset(x, 0, sizeof(*x));
	hand_init(&x->h, 1, NULL);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->params.queue_pair = 1;
	na_part_init(&x->part, &x->h.store.pool, &x->h.filter,
		     NA_WANT_QUEUE_PAIRS);
	x->sink = na_part_sink(&x->part);
	for (size_t i = 0; i < n; i++) {
		struct na_queue_pair one = q[i];
		char a[16], b[16];

		snprintf(a, sizeof(a), "10.0.0.%u", one.src & 255u);
		snprintf(b, sizeof(b), "10.0.0.%u", one.dst & 255u);
		one.src = x->sink.address(x->sink.ctx, a, strlen(a));
		one.dst = x->sink.address(x->sink.ctx, b, strlen(b));
		assert_int_equal(x->sink.queue_pair(x->sink.ctx, &one), NA_OK);
	}
}

/* In the millisecond at `ms`, at PSN 10 * ms and on. */
static inline void fake_mark(struct fake_rdma *x, uint32_t id,
			     enum na_qp_mark_kind kind, int64_t ms,
			     uint32_t count)
{
	const struct na_qp_mark m = {
		.time_ps = ms * 1000 * FAKE_MS_NS,
		.width_ps = 1000 * FAKE_MS_NS,
		.psn_from = 10 * ms,
		.psn_to = 10 * ms + 9,
		.queue_pair = id,
		.count = count,
		.kind = (uint8_t)kind,
	};

	assert_int_equal(x->sink.qp_mark(x->sink.ctx, &m), NA_OK);
}

/* Says that a picture is asked for; nobody calls it. */
static inline enum na_status
fake_segments(void *ctx, const struct na_connection *c,
	      enum na_status (*each)(void *arg, const struct na_segment *x),
	      void *arg, struct na_err *err)
{
	(void)ctx;
	(void)c;
	(void)each;
	(void)arg;
	return na_fail(err, NA_EUSAGE, "no segments here");
}

static inline void fake_analyse(struct fake_rdma *x, size_t block)
{
	assert_int_equal(na_store_take(&x->h.store, &x->part, 0, &x->h.err),
			 NA_OK);
	na_part_fini(&x->part);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	hand_drive(&x->d, &na_an_rdma, &x->scope, &x->params, block, &x->h.err);
}

static inline void fake_end(struct fake_rdma *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
}

#endif

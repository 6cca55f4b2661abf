#include "tests/unit/roce_shots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct roce_world_of_test roce_world;

static uint32_t intern(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	for (uint32_t i = 0; i < roce_world.n_names; i++)
		if (strlen(roce_world.names[i]) == n &&
		    !memcmp(roce_world.names[i], s, n))
			return i;
	assert_true(roce_world.n_names < ROCE_MAX &&
		    n < sizeof(roce_world.names[0]));
	memcpy(roce_world.names[roce_world.n_names], s, n);
	roce_world.names[roce_world.n_names][n] = '\0';
	return roce_world.n_names++;
}

static enum na_status take(void *ctx, const struct na_transfer *t)
{
	struct roce_told *o = &roce_world.told[roce_world.n++];

	(void)ctx;
	assert_true(roce_world.n <= ROCE_MAX);
	*o = (struct roce_told){*t, roce_world.names[t->src],
				roce_world.names[t->dst],
				roce_world.names[t->collective],
				roce_world.names[t->type]};
	assert_int_equal(t->style, NA_STYLE_CAPTURE);
	assert_int_equal(t->component, NA_COMP_NETWORK);
	assert_true(t->start_ps <= t->end_ps);
	return NA_OK;
}

static void left_out(void *ctx, enum na_reason why, uint64_t n)
{
	(void)ctx;
	(void)why;
	roce_world.left_out += n;
}

static enum na_status take_qp(void *ctx, const struct na_queue_pair *q)
{
	(void)ctx;
	assert_true(roce_world.n_qps < ROCE_MAX);
	roce_world.qps[roce_world.n_qps++] = *q;
	return NA_OK;
}

static enum na_status take_mark(void *ctx, const struct na_qp_mark *x)
{
	(void)ctx;
	assert_true(x->kind < NA_QP_MARKS && x->psn_from <= x->psn_to);
	roce_world.marked[x->kind] += x->count;
	roce_world.n_marks++;
	return NA_OK;
}

const struct na_queue_pair *roce_qp(uint32_t qp)
{
	for (size_t i = 0; i < roce_world.n_qps; i++)
		if (roce_world.qps[i].qp == qp)
			return &roce_world.qps[i];
	fail_msg("no queue pair %u", qp);
	return NULL;
}

void roce_begin(size_t queue_pairs, size_t messages, size_t named)
{
	struct na_roce_limits limits = {
		.queue_pairs = queue_pairs,
		.messages = messages,
		.marks = 64,
		.named = named,
	};

	memset(&roce_world, 0, sizeof(roce_world));
	roce_world.sink = (struct na_sink){
		.transfer = take,
		.name = intern,
		.address = intern,
		.left_out = left_out,
		.queue_pair = take_qp,
		.qp_mark = take_mark,
	};
	na_addresses_init(&roce_world.ends, &roce_world.sink);
	roce_world.x = na_roce_new(&limits, 0, NA_WANT_QUEUE_PAIRS, 2,
				   &roce_world.sink, &roce_world.ends);
	assert_non_null(roce_world.x);
}

void roce_begin_large(void)
{
	roce_begin(100, 100, 100);
}

void roce_begin_window(int64_t from_us, int64_t to_us)
{
	roce_begin_large();
	na_roce_window(roce_world.x, from_us * US, to_us * US);
}

void roce_end(void)
{
	assert_int_equal(na_roce_finish(roce_world.x), NA_OK);
	na_roce_counts(roce_world.x, &roce_world.c);
	na_roce_free(roce_world.x);
	na_addresses_fini(&roce_world.ends);
}

unsigned roce_extension(unsigned opcode)
{
	/* clang-format off */
	static const uint8_t rc[32] = {
		0, 0, 0, 4, 0, 4,         /* SEND */
		16, 0, 0, 4, 16, 20,      /* WRITE */
		16, 4, 0, 4, 4,           /* READ */
		4, 12, 28, 28,            /* ACK, atomics */
		255, 4, 4,                /* -, SEND with invalidate */
		255, 255, 255, 255, 255, 255, 255, 255,
	};
	/* clang-format on */
	unsigned op = opcode & 31;

	switch (opcode >> 5) {
	case 0:
		return rc[op];
	case 1:
		return op <= 11 ? rc[op] : 255;
	case 3:
		return op == 4 ? 8 : op == 5 ? 12 : 255;
	case 5: /* responses have no XRCETH */
		return rc[op] == 255          ? 255
		       : op >= 13 && op <= 18 ? rc[op]
					      : rc[op] + 4u;
	default:
		return 255;
	}
}

static void be(uint8_t *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> (8 * (n - 1 - i)));
}

void roce_shoot(struct roce_shot s)
{
	static uint8_t b[8192];
	unsigned e = roce_extension(s.opcode);
	uint32_t pad = -s.n & 3u, n;
	struct na_packet p = {
		.kind = NA_PACKET_UDP,
		.time_ns = (s.at_us ? s.at_us : ++roce_world.now_us) * US,
		.dst_port = NA_ROCE_PORT,
		.ecn = s.ecn,
		.src = {{10, 0, 0, (uint8_t)s.from}, 4},
		.dst = {{10, 0, 0, (uint8_t)s.to}, 4},
		.payload = b,
	};

	e = e == 255 ? 0 : e;
	n = 12 + e + s.n + pad + 4;
	assert_true(n <= sizeof(b));
	memset(b, 0, sizeof(b));
	b[0] = s.opcode;
	b[1] = (uint8_t)(pad << 4);
	be(b + 5, s.qp, 3);
	b[8] = s.asks ? 0x80 : 0;
	be(b + 9, s.psn & 0xffffff, 3);
	if (s.source_qp)
		be(b + 12 + 5, s.source_qp, 3);
	if ((s.opcode & 31) == 0x0c)
		be(b + 12 + 12, s.asked, 4);
	if ((s.opcode & 31) >= 0x0d && (s.opcode & 31) <= 0x12)
		b[12] = s.syndrome;
	p.payload_bytes = n;
	p.payload_captured = s.cut && s.cut < n ? s.cut : n;
	assert_int_equal(na_roce_packet(roce_world.x, &p), NA_OK);
}

void roce_request(unsigned opcode, uint32_t psn, uint32_t n)
{
	roce_shoot((struct roce_shot){.from = 1,
				      .to = 2,
				      .qp = 0x22,
				      .opcode = (uint8_t)opcode,
				      .psn = psn,
				      .n = n});
}

void roce_answer(unsigned opcode, uint32_t psn, unsigned syndrome, uint32_t n)
{
	roce_shoot((struct roce_shot){.from = 2,
				      .to = 1,
				      .qp = 0x11,
				      .opcode = (uint8_t)opcode,
				      .psn = psn,
				      .syndrome = (uint8_t)syndrome,
				      .n = n});
}

void roce_ack(uint32_t psn)
{
	roce_answer(0x11, psn, 0x1f, 0);
}

void roce_expect(size_t i, const char *type, uint64_t bytes,
		 enum na_class klass, int64_t latency_us)
{
	const struct roce_told *o = &roce_world.told[i];

	assert_true(i < roce_world.n);
	assert_string_equal(o->type, type);
	assert_int_equal(o->t.size_bytes, bytes);
	assert_int_equal(o->t.klass, klass);
	assert_int_equal(o->t.end_ps - o->t.start_ps, latency_us * 1000000);
}

/*
 * Queue pairs of captures against what tshark's dissector says of them
 * (tests/oracle/rdma.py): synthetic ones, and the real one where
 * NETAN_TEST_DATA names its folder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/fragment.h"
#include "ingest/roce/roce.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"
#include "tests/unit/capfile_reading.h"
#include "tests/unit/synth_session.h"

enum { COUNTS = 11, NAME = 64 };

struct told {
	NA_VEC(struct na_queue_pair) v;
	struct na_strtab names;
	uint64_t marked[NA_QP_MARKS];
};

static uint32_t name(void *ctx, const char *s, size_t n)
{
	struct told *t = ctx;

	return na_strtab_add(&t->names, s, n);
}

static enum na_status take(void *ctx, const struct na_queue_pair *q)
{
	struct told *t = ctx;

	return na_add(&t->v, *q) ? NA_OK : NA_ENOMEM;
}

static enum na_status take_mark(void *ctx, const struct na_qp_mark *m)
{
	((struct told *)ctx)->marked[m->kind] += m->count;
	return NA_OK;
}

static enum na_status no_transfer(void *ctx, const struct na_transfer *t)
{
	return ctx && t ? NA_OK : NA_ENOMEM;
}

static void no_remark(void *ctx, enum na_reason why, uint64_t n)
{
	(void)ctx;
	(void)why;
	fail_msg("%lu left out", (unsigned long)n);
}

static void follow(struct told *t, struct na_capfile *c)
{
	const struct na_sink sink = {
		.ctx = t,
		.transfer = no_transfer,
		.queue_pair = take,
		.qp_mark = take_mark,
		.name = name,
		.address = name,
		.left_out = no_remark,
	};
	struct na_fragments *fragments = na_fragments_new();
	struct na_addresses ends;
	struct na_roce *x = NULL;
	struct na_record r;
	struct na_packet p;

	assert_non_null(c);
	assert_non_null(fragments);
	na_addresses_init(&ends, &sink);
	while (na_capfile_next(c, &r) == NA_OK) {
		if (!x)
			x = na_roce_new(&na_roce_limits, r.time_ns,
					NA_WANT_QUEUE_PAIRS, 1, &sink, &ends);
		assert_non_null(x);
		na_packet_decode(&p, &r, fragments);
		if (p.kind == NA_PACKET_UDP && p.dst_port == NA_ROCE_PORT)
			assert_int_equal(na_roce_packet(x, &p), NA_OK);
	}
	assert_int_equal(na_roce_finish(x), NA_OK);
	na_roce_free(x);
	na_addresses_fini(&ends);
	na_fragments_free(fragments);
}

static void read_real(struct told *t, const char *file)
{
	char path[4096];
	struct na_input in = {.path = file};
	struct na_capfile *c = capfile_real(&in, file, path, sizeof(path));

	follow(t, c);
	capfile_real_end(&in, c);
}

static void read_made(struct told *t, int seed, const char *word)
{
	const char *words[] = {word};
	struct na_input in = {.path = word};
	struct na_err err = {.status = NA_OK};
	struct na_capfile *c;
	struct session s;
	char path[128];
	uint8_t *bytes;

	session_init(&s);
	snprintf(path, sizeof(path), "%s/made.pcap", s.dir);
	s.cfg = (struct na_synth_config){
		.dir = path,
		.seed = seed,
		.hosts = 9,
		.roce = 400,
		.message_bytes = 2048,
		.conditions = {.items = words, .n = 1},
	};
	session_make(&s, NA_OK);
	bytes = session_bytes(&s, 0, &in.size);
	in.data = bytes;
	in.warnings_end = &in.warnings;
	c = na_capfile_open(&in, &err);
	follow(t, c);
	na_capfile_close(c);
	na_arena_fini(&in.arena);
	free(bytes);
	session_end(&s);
}

static void drop(struct told *t)
{
	na_vec_free(&t->v);
	na_strtab_fini(&t->names);
	memset(t, 0, sizeof(*t));
}

static const char *text(struct told *t, uint32_t i)
{
	return na_strtab_at(&t->names, i);
}

static const struct na_queue_pair *find(struct told *t, const char *src,
					const char *dst, uint32_t qp)
{
	for (size_t i = 0; i < t->v.n; i++) {
		const struct na_queue_pair *q = &t->v.v[i];

		if (q->qp == qp && !strcmp(text(t, q->src), src) &&
		    !strcmp(text(t, q->dst), dst))
			return q;
	}
	fail_msg("no queue pair %u from %s to %s", qp, src, dst);
	return NULL;
}

static void compare(const char *where, const struct na_queue_pair *q,
		    const uint64_t theirs[COUNTS])
{
	const uint64_t ours[COUNTS] = {
		q->packets,  q->bytes,         q->messages, q->repeats,
		q->needed,   q->naks_sequence, q->naks_rnr, q->naks_other,
		q->timeouts, q->ce_marks,      q->cnps,
	};

	for (size_t i = 0; i < COUNTS; i++)
		if (ours[i] != theirs[i])
			fail_msg("%s, queue pair %u, count %zu: %lu, tshark "
				 "%lu",
				 where, q->qp, i, (unsigned long)ours[i],
				 (unsigned long)theirs[i]);
}

/* A row of the table; false: not of what can be read here. */
static bool one(struct told *t, char *line, char last[NAME], size_t *rows)
{
	char *save = NULL, *w = strtok_r(line, "\t\n", &save), *ends[2];
	uint64_t v[1 + COUNTS];
	bool made = w && strchr(w, ' ');

	if (!w || w[0] == '#' || (!made && !getenv("NETAN_TEST_DATA")))
		return false;
	for (size_t i = 0; i < 2; i++)
		ends[i] = strtok_r(NULL, "\t\n", &save);
	for (size_t i = 0; i < 1 + COUNTS; i++) {
		char *n = strtok_r(NULL, "\t\n", &save);

		assert_non_null(n);
		v[i] = strtoull(n, NULL, 10);
	}
	if (strcmp(last, w) != 0) {
		assert_int_equal(t->v.n, *rows);
		*rows = 0;
		drop(t);
		snprintf(last, NAME, "%s", w);
		if (made)
			read_made(t, atoi(w), strchr(w, ' ') + 1);
		else
			read_real(t, w);
	}
	compare(last, find(t, ends[0], ends[1], (uint32_t)v[0]), v + 1);
	++*rows;
	return true;
}

static void as_tshark(void **state)
{
	FILE *f = fopen("tests/oracle/rdma.tsv", "r");
	char line[512], last[NAME] = "";
	struct told t = {.v = {.n = 0}};
	size_t n = 0, rows = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += one(&t, line, last, &rows);
	assert_int_equal(t.v.n, rows);
	drop(&t);
	fclose(f);
	assert_true(n > 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_tshark)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* netan's transfer file: what is written comes back, whatever befalls it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "ingest/bytes/wire.h"
#include "netan.pb-c.h"
#include "tests/unit/pace.h"
#include "tests/unit/xfer_story.h"

static void what_is_written_comes_back(void **state)
{
	struct told want, got;
	struct na_sink sink;
	struct na_xf_bytes file = {.p = NULL};
	struct back b;

	(void)state;
	told_init(&want);
	told_init(&got);
	sink = told_sink(&want);
	for (uint32_t s = 0; s < SOURCES; s++) {
		for (size_t i = 0; i < 3; i++) {
			/* A block's counts are told before its records. */
			if (i == 0) {
				told_classed(&want, NA_RX, NA_STYLE_GRAPH,
					     NA_BAD_DURATION,
					     UINT64_C(1) << 40);
				told_classed(&want, NA_TX, NA_STYLE_MESSAGE,
					     NA_BAD_KEY, 3);
				told_left_out(&want, NA_LEFT_AGGREGATED, 7);
				told_unknown(&want, "NetworkRecv END", 15, 1);
				told_unknown(&want, "NetworkRecv END", 15, 1);
			}
			story(100 * s + i, 500, &sink);
		}
	}
	make_file(&file, 3, 500, false);
	open_back(&b, file.p, file.n, EVERYTHING);
	assert_true(b.opened);
	assert_false(b.damaged);
	tell_all(&b, &got);
	assert_int_equal(got.damaged, 0);
	assert_int_equal(got.remarks, SOURCES);
	assert_int_equal(want.n, got.n);
	assert_memory_equal(want.text, got.text, want.n);
	close_back(&b);
	na_xf_bytes_fini(&file);
	told_fini(&want);
	told_fini(&got);
}

static void sources_come_back(void **state)
{
	struct na_xf_bytes file = {.p = NULL};
	struct back b;

	(void)state;
	make_file(&file, 1, 10, false);
	open_back(&b, file.p, file.n, EVERYTHING);
	assert_int_equal(b.n, SOURCES);
	assert_string_equal(b.in[0].format, "netan");
	assert_string_equal(b.in[0].host, "host-a");
	assert_true(b.in[0].has_wall && b.in[0].has_time);
	assert_int_equal(b.in[0].first_ns, 1795248666302564795);
	assert_int_equal(b.in[0].profile_stop_ns, 1 << 20);
	assert_int_equal(b.in[0].n_devices, 4);
	assert_null(b.in[0].label);
	assert_null(b.in[0].capture);
	assert_int_equal(b.in[0].events, 12);
	assert_string_equal(b.in[0].sections[0].parts[0].name, "line");
	assert_string_equal(b.in[1].host, "host-b");
	assert_string_equal(b.in[1].label, "slow");
	assert_false(b.in[1].has_time);
	assert_int_equal(b.in[1].capture->packets, 9);
	assert_int_equal(b.in[1].capture->roce_rnr_naks, 8);
	close_back(&b);
	/* The line is told to those who would have read it. */
	open_back(&b, file.p, file.n, NA_WANT_GRAPHS);
	assert_int_equal(b.in[0].events, 0);
	assert_int_equal(b.in[0].lines_skipped, 1);
	close_back(&b);
	na_xf_bytes_fini(&file);
}

static void only_what_is_wanted(void **state)
{
	static const struct {
		uint32_t wants;
		const char *letters;
	} cases[] = {
		{NA_WANT_TRANSFERS, "T"},   {NA_WANT_ACTIONS, "A"},
		{NA_WANT_GRAPHS, "A"},      {NA_WANT_STEPS, "S"},
		{NA_WANT_CALLS, "C"},       {NA_WANT_PACKETS, "F"},
		{NA_WANT_CONNECTIONS, "N"}, {NA_WANT_KERNELS, "A"},
		{NA_WANT_OPS, "O"},         {NA_WANT_BUSY, "B"},
		{NA_WANT_COMMS, "K"},
	};
	struct na_xf_bytes file = {.p = NULL};

	(void)state;
	make_file(&file, 1, 300, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct told got;
		struct back b;
		const char *line;

		told_init(&got);
		open_back(&b, file.p, file.n, cases[i].wants);
		tell_all(&b, &got);
		assert_true(got.records > 0);
		for (line = got.text; line && *line;
		     line = strchr(line, '\n') + 1) {
			if (line[0] >= 'A' && line[0] <= 'Z')
				assert_int_equal(line[0], *cases[i].letters);
		}
		close_back(&b);
		told_fini(&got);
	}
	na_xf_bytes_fini(&file);
}

/* Another bit of each. */
static void damage(struct na_xf_bytes *file, size_t i)
{
	file->p[i] ^= (uint8_t)(1 << i % 8);
}

/* Every byte counts: a file with one changed is refused or says so, and
 * loses no more than a block and what that one alone tells. */
static void each_byte_damaged(void **state)
{
	struct na_xf_bytes file = {.p = NULL};
	struct told whole;
	struct back b;
	uint64_t most;

	(void)state;
	make_file(&file, 3, 8, false);
	told_init(&whole);
	open_back(&b, file.p, file.n, EVERYTHING);
	tell_all(&b, &whole);
	close_back(&b);
	most = whole.records / 3;
	for (size_t i = 0; i < file.n; i += pace()) {
		struct told got;

		told_init(&got);
		damage(&file, i);
		open_back(&b, file.p, file.n, EVERYTHING);
		tell_all(&b, &got);
		assert_true(!b.opened || b.damaged || got.damaged);
		if (b.opened)
			assert_true(got.records + most >= whole.records);
		else
			assert_true(b.err.text[0]);
		damage(&file, i);
		close_back(&b);
		told_fini(&got);
	}
	told_fini(&whole);
	na_xf_bytes_fini(&file);
}

static void cut_anywhere(void **state)
{
	struct na_xf_bytes file = {.p = NULL};
	struct told whole;
	struct back b;
	uint64_t last = 0;

	(void)state;
	make_file(&file, 2, 8, false);
	told_init(&whole);
	open_back(&b, file.p, file.n, EVERYTHING);
	tell_all(&b, &whole);
	close_back(&b);
	for (size_t n = 1; n < file.n; n += pace()) {
		struct told got;

		told_init(&got);
		open_back(&b, file.p, n, EVERYTHING);
		tell_all(&b, &got);
		assert_true(!b.opened || b.damaged);
		assert_true(b.opened || b.err.text[0]);
		assert_true(got.records >= last);
		last = got.records;
		/* Text of one source is a beginning of the whole. */
		if (got.records && got.n < whole.n)
			assert_memory_equal(got.text, whole.text, got.n);
		close_back(&b);
		told_fini(&got);
	}
	assert_int_equal(last, whole.records);
	told_fini(&whole);
	na_xf_bytes_fini(&file);
}

/* ---- the generated code's opinion, and the .proto's formulas */

static uint32_t crc_behind_first_field(const uint8_t *p, size_t n)
{
	return (uint32_t)crc32_z(0, p + 5, n - 5);
}

static int64_t row(const Netan__Column *c, size_t i)
{
	struct na_cursor at = {c->data.data, c->data.data + c->data.len, NULL};
	uint64_t v = (uint64_t)c->first, x = 0;

	if (c->mode == NETAN__COLUMN__MODE__CONSTANT)
		return c->first;
	for (size_t k = 0; k <= i; k++) {
		assert_true(na_varint(&at, &x));
		if (c->mode == NETAN__COLUMN__MODE__DELTA)
			v += c->unit * (x >> 1 ^ (0 - (x & 1)));
		else if (c->unknown && !x)
			v = (uint64_t)NA_UNKNOWN_PS;
		else
			v = (uint64_t)c->first +
			    c->unit * (x - (uint64_t)c->unknown);
	}
	return (int64_t)v;
}

static Netan__Columns *columns_of(const Netan__Section *s)
{
	uint8_t *raw = malloc(s->raw_bytes + 1);
	Netan__Columns *c;

	assert_int_equal(ZSTD_decompress(raw, s->raw_bytes, s->zstd.data,
					 s->zstd.len),
			 s->raw_bytes);
	c = netan__columns__unpack(NULL, s->raw_bytes, raw);
	free(raw);
	assert_non_null(c);
	return c;
}

static void as_the_proto_says(void **state)
{
	static const int64_t sizes[] = {4096, 4096 + 3 * 512, 4096, 1 << 20};
	const struct na_xfer_head head = {sources, 1, 77};
	struct na_err err = {.status = NA_OK};
	struct na_xf_bytes file = {.p = NULL};
	struct na_xfer_file *f = na_xfer_new(append, &file, &head, &err);
	struct na_xfer_part *p = na_xfer_part_new(0);
	struct na_sink to = na_xfer_part_sink(p);
	Netan__TransferFile *all;
	const Netan__Records *records;
	bool seen = false;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct na_transfer t = {.size_bytes = (uint64_t)sizes[i],
					.start_ps = 1000 * i,
					.end_ps = 5000 * i + 7,
					.klass = NA_VALID,
					.src = to.address(to.ctx, "::1", 3),
					.dst = to.endpoint(to.ctx, 2, 3)};

		t.action_ps = i == 2 ? NA_UNKNOWN_PS : 5000 + i;
		to.transfer(to.ctx, &t);
	}
	assert_int_equal(na_xfer_part_end(p), NA_OK);
	assert_int_equal(na_xfer_append(f, p, &err), NA_OK);
	assert_int_equal(na_xfer_finish(f, &err), NA_OK);
	all = netan__transfer_file__unpack(NULL, file.n, file.p);
	assert_non_null(all);
	assert_int_equal(all->magic.len, 15);
	assert_int_equal(all->n_blocks, 3);
	assert_int_equal(all->n_sync, 3);
	assert_string_equal(all->blocks[0]->header->sources[0]->host, "host-a");
	assert_int_equal(all->blocks[0]->header->created_unix_ns, 77);
	assert_int_equal(all->blocks[2]->trailer->blocks, 2);
	assert_int_equal(all->blocks[2]->trailer->records, 4);
	assert_int_equal(all->blocks[1]->records, 4);
	records = all->blocks[1]->content;
	for (size_t i = 0; i < records->n_sections; i++) {
		const Netan__Section *s = records->sections[i];
		Netan__Columns *c;

		if (s->kind != NETAN__SECTION__KIND__TRANSFER)
			continue;
		assert_int_equal(s->n, 4);
		c = columns_of(s);
		for (size_t k = 0; k < c->n_columns; k++) {
			const Netan__Column *col = c->columns[k];

			for (size_t j = 0; j < 4 && col->field == 3; j++)
				assert_int_equal(row(col, j), sizes[j]);
			for (size_t j = 0; j < 4 && col->field == 2; j++)
				assert_int_equal(row(col, j),
						 j == 2 ? NA_UNKNOWN_PS
							: 5000 + (int64_t)j);
			seen |= col->field == 3 && col->unit == 1536;
		}
		netan__columns__free_unpacked(c, NULL);
	}
	assert_true(seen);
	/* The checksum covers what stands behind it. */
	{
		uint8_t packed[4096];
		size_t n = netan__block__pack(all->blocks[1], packed);

		assert_in_range(n, 6, sizeof(packed));
		assert_int_equal(crc_behind_first_field(packed, n),
				 all->blocks[1]->crc32);
	}
	netan__transfer_file__free_unpacked(all, NULL);
	na_xfer_part_free(p);
	na_xfer_free(f);
	na_xf_bytes_fini(&file);
}

/* ---- by hand: what later versions add, what nobody should write */

static void put_block(struct na_xf_bytes *file, struct na_xf_bytes *rest)
{
	uint32_t crc = (uint32_t)crc32_z(0, rest->p, rest->n);
	uint8_t field[5] = {0x0d, (uint8_t)crc, (uint8_t)(crc >> 8),
			    (uint8_t)(crc >> 16), (uint8_t)(crc >> 24)};

	na_xf_put(file, XF_SYNC, XF_SYNC_BYTES);
	na_xf_put_varint(file, NA_TAG(3, NA_W_BYTES));
	na_xf_put_varint(file, rest->n + 5);
	na_xf_put(file, field, 5);
	na_xf_put(file, rest->p, rest->n);
	na_xf_bytes_fini(rest);
}

static void wrap(struct na_xf_bytes *to, uint32_t field, struct na_xf_bytes *m)
{
	na_xf_put_field(to, field, m->p, m->n);
	na_xf_bytes_fini(m);
}

static void begin_by_hand(struct na_xf_bytes *file, uint64_t version)
{
	struct na_xf_bytes source = {.p = NULL}, head = {.p = NULL};
	struct na_xf_bytes block = {.p = NULL};

	na_xf_put(file, XF_MAGIC, XF_MAGIC_BYTES);
	na_xf_put_text(&source, 1, "h");
	na_xf_put_text(&source, 99, "later");
	na_xf_put_uint(&head, 1, version);
	na_xf_put_uint(&head, 77, 5);
	wrap(&head, 5, &source);
	wrap(&block, 4, &head);
	put_block(file, &block);
}

static void column(struct na_xf_bytes *to, uint32_t field, int64_t a, int64_t b)
{
	const int64_t v[2] = {a, b};

	na_xf_put_column(to, field, v, 2, 0);
}

/* One endpoint. */
static void put_names(struct na_xf_bytes *records)
{
	struct na_xf_bytes c = {.p = NULL}, end = {.p = NULL};

	na_xf_put_sint(&end, 1, 1);
	wrap(&c, 2, &end);
	na_xf_put_section(records, NULL, XF_NAMES, 1, &c);
	na_xf_bytes_fini(&c);
}

/* Two transfers; the fields of the second one as told. */
static void two_transfers(struct na_xf_bytes *file, uint32_t field,
			  int64_t value)
{
	struct na_xf_bytes records = {.p = NULL}, block = {.p = NULL};
	struct na_xf_bytes c = {.p = NULL};

	put_names(&records);
	column(&c, 1, 100, field == 1 ? value : 100);
	column(&c, 4, 0, field == 4 ? value : 0);
	column(&c, 6, 0xffffffff, field == 6 ? value : 0xffffffff);
	column(&c, 7, 0xffffffff, 0xffffffff);
	column(&c, 12, 0, field == 12 ? value : 0);
	column(&c, 13, NA_VALID, field == 13 ? value : NA_VALID);
	column(&c, 14, 0, field == 14 ? value : 0);
	column(&c, 200, 5, 9); /* of a later version */
	na_xf_put_text(&c, 55, "later");
	na_xf_put_section(&records, NULL, XF_TRANSFER, 2, &c);
	na_xf_put_section(&records, NULL, 50, 2,
			  &c); /* a kind of a later version */
	c.n = 0;
	column(&c, 1, XF_TRANSFER, XF_TRANSFER);
	column(&c, 2, 1000, field == 2 ? value : 1000);
	na_xf_put_section(&records, NULL, XF_ORDER, 2, &c);
	na_xf_bytes_fini(&c);
	na_xf_put_uint(&block, 3, 2);
	na_xf_put_uint(&block, 88, 2);
	wrap(&block, 5, &records);
	put_block(file, &block);
	na_xf_put_uint(&block, 66, 1); /* a block of a later version */
	put_block(file, &block);
}

/* All of a file by hand; the file goes. */
static void tell_file(struct na_xf_bytes *file, struct told *got)
{
	struct back b;

	told_init(got);
	open_back(&b, file->p, file->n, EVERYTHING);
	assert_true(b.opened);
	tell_all(&b, got);
	close_back(&b);
	na_xf_bytes_fini(file);
}

static void later_versions_add(void **state)
{
	struct na_xf_bytes file = {.p = NULL};
	struct told got;
	struct back b;

	(void)state;
	told_init(&got);
	begin_by_hand(&file, 1);
	two_transfers(&file, 0, 0);
	open_back(&b, file.p, file.n, EVERYTHING);
	assert_true(b.opened);
	tell_all(&b, &got);
	assert_int_equal(got.records, 2);
	assert_int_equal(got.damaged, 0);
	close_back(&b);
	told_fini(&got);
	na_xf_bytes_fini(&file);
	begin_by_hand(&file, 2);
	open_back(&b, file.p, file.n, EVERYTHING);
	assert_false(b.opened);
	assert_non_null(strstr(b.err.text, "version 2"));
	close_back(&b);
	na_xf_bytes_fini(&file);
}

static void impossible_values(void **state)
{
	static const struct {
		uint32_t field;
		int64_t value;
	} cases[] = {
		{1, -1},          {1, INT64_MIN}, {2, INT64_MIN}, {4, 1},
		{4, 0xffffffff},  {6, 0},         {12, 2},        {13, 6},
		{13, NA_BAD_KEY}, {14, 4},        {14, 255},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct na_xf_bytes file = {.p = NULL};
		struct told got;

		begin_by_hand(&file, 1);
		two_transfers(&file, cases[i].field, cases[i].value);
		tell_file(&file, &got);
		assert_int_equal(got.records, 1);
		assert_int_equal(got.damaged, 1);
		assert_int_equal(got.remarks, 1);
		told_fini(&got);
	}
}

/* Two connections, of which the second has such a client. */
static void two_connections(struct na_xf_bytes *file, int64_t client)
{
	struct na_xf_bytes records = {.p = NULL}, block = {.p = NULL};
	struct na_xf_bytes c = {.p = NULL};

	put_names(&records);
	column(&c, 8, 2000, 2000);
	column(&c, 20, 0, client);
	na_xf_put_section(&records, NULL, XF_CONNECTION, 2, &c);
	c.n = 0;
	column(&c, 1, XF_CONNECTION, XF_CONNECTION);
	column(&c, 2, 1000, 1000);
	na_xf_put_section(&records, NULL, XF_ORDER, 2, &c);
	na_xf_bytes_fini(&c);
	na_xf_put_uint(&block, 3, 2);
	wrap(&block, 5, &records);
	put_block(file, &block);
}

/* It is one of two directions. */
static void impossible_client(void **state)
{
	static const int64_t clients[] = {1, 2, 200, 255};

	(void)state;
	for (size_t i = 0; i < NA_LEN(clients); i++) {
		struct na_xf_bytes file = {.p = NULL};
		struct told got;

		begin_by_hand(&file, 1);
		two_connections(&file, clients[i]);
		tell_file(&file, &got);
		assert_int_equal(got.records, clients[i] > 1 ? 1 : 2);
		assert_int_equal(got.damaged, clients[i] > 1 ? 1 : 0);
		told_fini(&got);
	}
}

/* The same column again and again costs as many times as it is there. */
static void columns_repeated(void **state)
{
	struct na_xf_bytes file = {.p = NULL}, records = {.p = NULL};
	struct na_xf_bytes c = {.p = NULL}, block = {.p = NULL};
	struct told got;

	(void)state;
	for (int i = 0; i < 1000; i++)
		column(&c, 1, 100, 100);
	na_xf_put_section(&records, NULL, XF_TRANSFER, 2, &c);
	na_xf_bytes_fini(&c);
	na_xf_put_uint(&block, 3, 2);
	wrap(&block, 5, &records);
	begin_by_hand(&file, 1);
	put_block(&file, &block);
	tell_file(&file, &got);
	assert_int_equal(got.records, 0);
	assert_int_equal(got.damaged, 2);
	told_fini(&got);
}

/* Blocks that all claim to reach nearly to the end: to try each checksum
 * would take as many passes over the file. */
static void lengths_that_lie(void **state)
{
	enum { BLOCKS = 200000, EACH = XF_SYNC_BYTES + 11 };
	static const uint8_t tag[] = {0x1a, 0x0d};
	struct na_xf_bytes file = {.p = NULL};
	struct told got;

	(void)state;
	begin_by_hand(&file, 1);
	for (uint64_t i = 0; i < BLOCKS; i++) {
		uint64_t n = (BLOCKS - i) * EACH - XF_SYNC_BYTES - 6 - 3;
		uint8_t length[5] = {(uint8_t)(n | 0x80),
				     (uint8_t)(n >> 7 | 0x80),
				     (uint8_t)(n >> 14 | 0x80),
				     (uint8_t)(n >> 21 | 0x80),
				     (uint8_t)(n >> 28)};

		na_xf_put(&file, XF_SYNC, XF_SYNC_BYTES);
		na_xf_put(&file, tag, 1);
		na_xf_put(&file, length, 5);
		na_xf_put(&file, tag + 1, 1);
		na_xf_put(&file, "\1\2\3\4", 4);
	}
	tell_file(&file, &got);
	assert_int_equal(got.records, 0);
	told_fini(&got);
}

/* A program that says it has `told` bytes unpacked; NULL: without any. */
static void put_program(struct na_xf_bytes *end, uint64_t told,
			const struct na_xf_bytes *payload)
{
	struct na_xf_bytes program = {.p = NULL}, honest = {.p = NULL};

	na_xf_put_uint(&program, 2, 7);
	if (payload)
		na_xf_put_packed(&honest, NULL, 5, payload);
	na_xf_put(&program, honest.p, honest.n);
	na_xf_put_uint(&program, 5, told); /* the last one counts */
	na_xf_bytes_fini(&honest);
	wrap(end, 7, &program);
}

static enum na_status count_program(void *ctx, const struct na_program_bytes *x,
				    struct na_err *err)
{
	size_t *n = ctx;

	(void)err;
	assert_int_equal(x->n, 5000);
	assert_memory_equal((const uint8_t *)x->p + 4996, "\7\7\7\7", 4);
	++*n;
	return NA_OK;
}

/* No length is believed that the packed bytes do not bear out. */
static void programs_that_lie(void **state)
{
	struct na_xf_bytes file = {.p = NULL}, payload = {.p = NULL};
	struct na_xf_bytes end = {.p = NULL}, block = {.p = NULL};
	struct back b;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		na_xf_put(&payload, "\7", 1);
	put_program(&end, 500 << 20, NULL);
	put_program(&end, 500 << 20, &payload);
	put_program(&end, 4999, &payload);
	put_program(&end, UINT64_MAX, &payload);
	put_program(&end, 5000, &payload);
	begin_by_hand(&file, 1);
	wrap(&block, 6, &end);
	put_block(&file, &block);
	open_back(&b, file.p, file.n, EVERYTHING | NA_WANT_PROGRAMS);
	assert_true(b.opened);
	assert_int_equal(b.in[0].reader->program_bytes(&b.in[0], count_program,
						       &n, &b.err),
			 NA_OK);
	assert_int_equal(n, 1);
	assert_true(b.in[0].n_warnings >= 4);
	assert_true(b.in[0].damaged);
	close_back(&b);
	na_xf_bytes_fini(&payload);
	na_xf_bytes_fini(&file);
}

static void anonymous(void **state)
{
	struct na_xf_bytes file = {.p = NULL};
	struct told got;
	struct back b;

	(void)state;
	told_init(&got);
	make_file(&file, 2, 100, true);
	open_back(&b, file.p, file.n, EVERYTHING);
	assert_string_equal(b.in[0].host, "host-1");
	assert_string_equal(b.in[1].host, "host-2");
	tell_all(&b, &got);
	assert_non_null(strstr(got.text, "'addr-1'"));
	assert_non_null(strstr(got.text, "'name-"));
	assert_null(strstr(got.text, "10.0.0."));
	assert_null(memmem(file.p, file.n, "host-a", 6));
	assert_null(memmem(file.p, file.n, "data", 4));
	/* 99 addresses of both sources, and no more. */
	assert_null(strstr(got.text, "'addr-100'"));
	close_back(&b);
	told_fini(&got);
	na_xf_bytes_fini(&file);
}

/* Packets as they come on a busy link: at most 8 bytes each. */
static void packets_are_small(void **state)
{
	const struct na_xfer_head head = {sources, 1, 0};
	struct na_err err = {.status = NA_OK};
	struct na_xf_bytes file = {.p = NULL};
	struct na_xfer_file *f = na_xfer_new(append, &file, &head, &err);
	struct na_xfer_part *p = na_xfer_part_new(0);
	struct na_sink to = na_xfer_part_sink(p);
	struct rng r = {1};
	uint32_t ends[64];
	int64_t now = 0;

	(void)state;
	for (int i = 0; i < 64; i++) {
		char text[32];
		int n = snprintf(text, sizeof(text), "2001:db8::%x", i);

		ends[i] = to.address(to.ctx, text, (size_t)n);
	}
	for (int i = 0; i < 200000; i++) {
		uint64_t kind = draw(&r, 3);
		struct na_wire_packet w = {
			.time_ps = now += (int64_t)draw(&r, 40000) * 1000,
			.size_bytes = kind == 0 ? 66
				      : kind == 1
					      ? 1514
					      : 66 + (uint32_t)draw(&r, 1448),
			.src = ends[draw(&r, 64)],
			.dst = ends[draw(&r, 64)],
		};

		to.packet(to.ctx, &w);
	}
	assert_int_equal(na_xfer_part_end(p), NA_OK);
	assert_int_equal(na_xfer_append(f, p, &err), NA_OK);
	assert_int_equal(na_xfer_finish(f, &err), NA_OK);
	print_message("a packet takes %.2f bytes\n", (double)file.n / 200000);
	assert_in_range(file.n, 200000, 8 * 200000);
	na_xfer_part_free(p);
	na_xfer_free(f);
	na_xf_bytes_fini(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_comes_back),
		cmocka_unit_test(sources_come_back),
		cmocka_unit_test(only_what_is_wanted),
		cmocka_unit_test(each_byte_damaged),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(as_the_proto_says),
		cmocka_unit_test(later_versions_add),
		cmocka_unit_test(impossible_values),
		cmocka_unit_test(impossible_client),
		cmocka_unit_test(columns_repeated),
		cmocka_unit_test(lengths_that_lie),
		cmocka_unit_test(programs_that_lie),
		cmocka_unit_test(anonymous),
		cmocka_unit_test(packets_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

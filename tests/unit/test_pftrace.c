/* Traces for Perfetto: packets as protobuf has them, and slices on lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/exports/pftrace/state.h"

struct case_ {
	struct na_request q;
	struct na_pft x;
	struct na_err err;
	char path[64];
	uint8_t *data;
	size_t n;
};

static void open_case(struct case_ *c)
{
	memset(c, 0, sizeof(*c));
	na_request_init(&c->q);
	snprintf(c->path, sizeof(c->path), "/tmp/test_pftrace.%ld",
		 (long)getpid());
	fclose(fopen(c->path, "w"));
	c->x.request = &c->q;
	assert_int_equal(na_pft_open(&c->x.out, c->path, false, &c->err),
			 NA_OK);
}

/* What is in the file, once all is. */
static void read_case(struct case_ *c)
{
	FILE *f;

	assert_int_equal(na_pft_flush(&c->x.out, &c->err), NA_OK);
	f = fopen(c->path, "rb");
	assert_non_null(f);
	c->data = malloc(1 << 22);
	c->n = fread(c->data, 1, 1 << 22, f);
	fclose(f);
}

static void close_case(struct case_ *c)
{
	na_export_pftrace.close(&c->x);
	unlink(c->path);
	free(c->data);
}

/* ---- a reader of its own */

struct field {
	unsigned number;
	uint64_t value; /* or the length */
	const uint8_t *body;
};

static uint64_t varint(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
		v |= (uint64_t)(**p & 127) << shift;
		if (!(*(*p)++ & 128))
			return v;
	}
	fail_msg("a number that does not end");
	return 0;
}

static bool next(const uint8_t **p, const uint8_t *end, struct field *f)
{
	uint64_t tag;

	if (*p == end)
		return false;
	tag = varint(p, end);
	f->number = (unsigned)(tag >> 3);
	f->body = *p;
	if ((tag & 7) == 1) {
		assert_true(end - *p >= 8);
		memcpy(&f->value, *p, 8);
		*p += 8;
		return true;
	}
	assert_true((tag & 7) == 0 || (tag & 7) == 2);
	f->value = varint(p, end);
	f->body = *p;
	if ((tag & 7) == 2) {
		assert_true(f->value <= (uint64_t)(end - *p));
		*p += f->value;
	}
	return true;
}

/* The field of a message; the last of several. */
static bool find(const struct field *in, unsigned number, struct field *out)
{
	const uint8_t *p = in->body, *end = p + in->value;
	struct field f;
	bool found = false;

	while (next(&p, end, &f)) {
		if (f.number == number) {
			*out = f;
			found = true;
		}
	}
	return found;
}

static uint64_t number_in(const struct field *in, unsigned number)
{
	struct field f;

	return find(in, number, &f) ? f.value : 0;
}

static size_t count(const struct case_ *c, unsigned field, unsigned inner,
		    uint64_t value)
{
	const uint8_t *p = c->data, *end = p + c->n;
	struct field packet, f;
	size_t n = 0;

	while (next(&p, end, &packet)) {
		if (find(&packet, field, &f))
			n += !inner || number_in(&f, inner) == value;
	}
	return n;
}

/* ---- tests */

static void lay(struct na_pft_lanes *l, int64_t from, int64_t to)
{
	struct na_pft_slice s = {.start_ns = from, .end_ns = to};
	struct na_pft_event e = {.category = NA_PFT_TRANSFER,
				 .name = {1000, "a transfer"}};

	na_pft_lay(l, &s, &e, 0, 10);
}

static struct na_pft_lanes lanes_of(struct case_ *c)
{
	struct na_pft_lanes l = {.x = &c->x};

	assert_non_null(na_pft_process_new(&c->x, "host-0", NULL, false, 0));
	l.group = na_pft_group(&c->x, 0, NA_UNKNOWN_U32, NA_PFT_SENDS);
	assert_int_equal(l.group, 0);
	for (size_t i = 0; i < NA_PFT_LANES; i++)
		l.ends_ns[i] = INT64_MIN;
	return l;
}

/* Of each track, what begins after another has begun begins after its end. */
static void test_lanes(void **state)
{
	uint64_t seen[NA_PFT_LANES + 1] = {0}, ends[NA_PFT_LANES + 1] = {0};
	const uint8_t *p, *end;
	struct na_pft_lanes l;
	struct field packet, e;
	struct case_ c;
	uint64_t random = 1;
	int64_t at = 0;
	size_t n = 0;

	(void)state;
	open_case(&c);
	l = lanes_of(&c);
	for (size_t i = 0; i < 5000; i++) {
		random = na_pft_mix(random, i);
		at += (int64_t)(random % 5);
		lay(&l, at, at + (int64_t)(random >> 32) % 60);
	}
	na_pft_lay_rest(&l);
	assert_true(l.ends_ns[NA_PFT_LANES - 1] == INT64_MIN);
	assert_int_equal(c.x.merged, 0);
	read_case(&c);
	p = c.data;
	end = p + c.n;
	while (next(&p, end, &packet)) {
		uint64_t time = number_in(&packet, 8), track;
		size_t k = 0;

		if (!find(&packet, 11, &e))
			continue;
		track = number_in(&e, 11);
		while (k < n && seen[k] != track)
			k++;
		assert_true(k <= NA_PFT_LANES);
		n += k == n;
		seen[k] = track;
		assert_true(time >= ends[k]);
		ends[k] = time;
	}
	assert_true(n > 10);
	assert_int_equal(count(&c, 11, 9, NA_PFT_BEGIN), 5000);
	assert_int_equal(count(&c, 11, 9, NA_PFT_END), 5000);
	close_case(&c);
}

/* More than there are lanes: one slice for each stretch, with their number. */
static void test_merged(void **state)
{
	struct case_ c;
	struct na_pft_lanes l;

	(void)state;
	open_case(&c);
	l = lanes_of(&c);
	for (int k = 0; k < 2; k++) {
		for (int64_t i = 0; i < NA_PFT_LANES + 5; i++)
			lay(&l, k * 1000 + i, k * 1000 + 500);
	}
	na_pft_lay_rest(&l);
	assert_int_equal(c.x.merged, 10);
	assert_int_equal(c.x.slices, 2 * NA_PFT_LANES);
	read_case(&c);
	assert_int_equal(count(&c, 11, 3, NA_PFT_MERGED), 2);
	assert_int_equal(count(&c, 11, 9, NA_PFT_BEGIN), 2 * NA_PFT_LANES + 2);
	/* A process, a track for each lane, and one for the rest. */
	assert_int_equal(count(&c, 60, 0, 0), 2 + NA_PFT_LANES);
	close_case(&c);
}

/* A word is told once; no time is below 0; the first packet begins anew. */
static void test_words(void **state)
{
	struct case_ c;
	struct na_pft_lanes l;
	const uint8_t *p;
	struct field packet;
	size_t words = 0;

	(void)state;
	open_case(&c);
	l = lanes_of(&c);
	c.x.out.shift_ns = 1000000000;
	lay(&l, -999999999, -5);
	lay(&l, INT64_MIN, INT64_MAX);
	lay(&l, 0, 1);
	read_case(&c);
	p = c.data;
	while (next(&p, c.data + c.n, &packet)) {
		struct field interned, name, e;

		if (find(&packet, 12, &interned))
			words += find(&interned, 2, &name);
		assert_int_equal(number_in(&packet, 10), 1);
		if (packet.body < c.data + 8)
			assert_int_equal(number_in(&packet, 13), 1);
		else
			assert_int_equal(number_in(&packet, 13),
					 find(&packet, 11, &e) &&
							 find(&e, 10, &name)
						 ? 2
						 : 0);
		assert_true((int64_t)number_in(&packet, 8) >= 0);
	}
	assert_int_equal(words, 1);
	assert_int_equal(count(&c, 11, 10, 1000), 3);
	close_case(&c);
}

/* Numbers of every length, and texts told in place whatever is in them. */
static void test_numbers(void **state)
{
	char text[600];
	struct na_pft_note note = {.name = {0, "note"},
				   .kind = NA_PFT_TEXT,
				   .text = {0, text}};
	struct na_pft_event e = {.type = NA_PFT_INSTANT,
				 .category = NA_PFT_FINDING,
				 .name = {0, text},
				 .notes = &note,
				 .n_notes = 1};
	struct case_ c;

	(void)state;
	open_case(&c);
	memset(text, '\1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (unsigned bit = 0; bit < 64; bit++) {
		e.track = UINT64_C(1) << bit;
		e.correlation = UINT64_MAX >> bit;
		na_pft_put(&c.x.out, &e);
	}
	read_case(&c);
	for (unsigned bit = 0; bit < 64; bit++) {
		assert_int_equal(count(&c, 11, 11, UINT64_C(1) << bit), 1);
		assert_int_equal(count(&c, 11, 52, UINT64_MAX >> bit), 1);
	}
	close_case(&c);
}

/* All of them differ, also those that take more than four bytes. */
static void test_uuids(void **state)
{
	enum { FOUR_BYTES = 1 << 28, MANY = 1 << 27, EVERY = 31 };
	uint8_t *seen = calloc(FOUR_BYTES / 8, 1);
	uint64_t before = FOUR_BYTES - 1;

	(void)state;
	assert_non_null(seen);
	for (uint64_t i = 1; i < MANY; i += i < 1000 ? 1 : EVERY) {
		uint64_t uuid = na_pft_uuid(i);
		uint8_t bit = (uint8_t)(1 << uuid % 8);

		if (uuid < 1 << 20 || uuid >= FOUR_BYTES ||
		    seen[uuid / 8] & bit)
			fail_msg("%d", (int)i);
		seen[uuid / 8] |= bit;
	}
	for (uint64_t i = MANY; i < MANY + 1000; i++) {
		assert_true(na_pft_uuid(i) > before);
		before = na_pft_uuid(i);
	}
	free(seen);
}

static void test_full(void **state)
{
	struct case_ c;
	struct na_pft_lanes l;

	(void)state;
	open_case(&c);
	na_pft_close(&c.x.out);
	assert_int_equal(na_pft_open(&c.x.out, "/dev/full", false, &c.err),
			 NA_OK);
	l = lanes_of(&c);
	for (int64_t i = 0; i < 20000; i++)
		lay(&l, i, i + 1);
	assert_int_equal(na_pft_flush(&c.x.out, &c.err), NA_EIO);
	assert_non_null(strstr(c.err.text, "No space"));
	close_case(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes), cmocka_unit_test(test_merged),
		cmocka_unit_test(test_words), cmocka_unit_test(test_uuids),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

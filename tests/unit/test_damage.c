/*
 * Damaged and truncated traces: every prefix of a small sample, and the
 * sample with each of its bytes changed.  Read, or refused with a message;
 * never more than was there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/pace.h"
#include "tests/unit/reading.h"
#include "tests/unit/synth_session.h"

enum { WANTS = ALL_RECORDS | NA_WANT_COUNTS };

struct sample {
	uint8_t *bytes;
	size_t n;
	uint64_t records, events;
	char *text;
};

static uint64_t events_of(const struct na_input *in)
{
	uint64_t n = 0;

	for (size_t i = 0; i < in->n_sections; i++)
		n += in->sections[i].events;
	return n;
}

static void take_sample(struct sample *s, int generation)
{
	struct session job;
	struct reading r;

	session_init(&job);
	job.cfg.generation = generation;
	job.cfg.hosts = 2;
	job.cfg.devices = job.cfg.steps = job.cfg.collectives = 1;
	job.cfg.ops = 1;
	session_make(&job, NA_OK);
	s->bytes = session_bytes(&job, 0, &s->n);
	session_end(&job);
	read_exact(&r, s->bytes, s->n, WANTS);
	assert_int_equal(r.status, NA_OK);
	assert_false(r.in.damaged);
	s->records = r.records;
	s->events = events_of(&r.in);
	s->text = strdup(r.text);
	assert_true(s->records > 3 && s->n < 16384);
	reading_end(&r);
}

static void drop_sample(struct sample *s)
{
	free(s->bytes);
	free(s->text);
}

/* What is read of a prefix is what stands in it; the rest is spoken of. */
static void check_prefix(const struct sample *s, size_t n, uint64_t *before)
{
	struct reading r;

	read_exact(&r, s->bytes, n, WANTS);
	if (r.status != NA_OK) {
		assert_true(r.err.text[0] != '\0');
		reading_end(&r);
		return;
	}
	assert_true(r.records <= s->records);
	assert_true(events_of(&r.in) <= s->events);
	/* The maps follow the lines: records come late, events steadily. */
	assert_true(events_of(&r.in) >= *before || r.in.damaged);
	*before = events_of(&r.in);
	for (const struct na_warning *w = r.in.warnings; w; w = w->next)
		assert_true(w->text[0] != '\0');
	if (n == s->n)
		assert_string_equal(r.text, s->text);
	else if (r.in.damaged)
		assert_true(r.in.n_warnings > 0);
	else
		assert_true(r.in.n_sections == 0 || r.in.n_warnings == 0);
	reading_end(&r);
}

static void prefixes(int generation)
{
	struct sample s;
	uint64_t before = 0;

	take_sample(&s, generation);
	for (size_t n = 0; n <= s.n; n += pace())
		check_prefix(&s, n, &before);
	drop_sample(&s);
}

static void every_prefix(void **state)
{
	(void)state;
	prefixes(NA_GEN_GRAPH);
	prefixes(NA_GEN_MESSAGE);
}

/* The same from a file: the opener's first look may refuse as well. */
static void every_prefix_of_a_file(void **state)
{
	struct sample s;

	(void)state;
	take_sample(&s, NA_GEN_BOTH);
	for (size_t n = 0; n < s.n; n += 1 + n / 64) {
		struct reading r;

		read_bytes(&r, s.bytes, n, ALL_RECORDS);
		assert_true(r.status == NA_OK || r.err.text[0] != '\0');
		assert_true(r.records <= s.records);
		if (r.status == NA_OK && n)
			assert_true(r.in.format != NULL);
		reading_end(&r);
	}
	drop_sample(&s);
}

static void check_changed(struct sample *s, size_t at, uint8_t byte)
{
	uint8_t kept = s->bytes[at];
	struct reading r;

	s->bytes[at] = byte;
	read_exact(&r, s->bytes, s->n, WANTS);
	assert_true(r.status == NA_OK || r.err.text[0] != '\0');
	assert_true(r.records <= 2 * s->records);
	assert_true(events_of(&r.in) <= 2 * s->events);
	reading_end(&r);
	s->bytes[at] = kept;
}

static void changes(int generation)
{
	struct sample s;

	take_sample(&s, generation);
	for (size_t at = 0; at < s.n; at += pace()) {
		const uint8_t to[] = {s.bytes[at] ^ 0xff, s.bytes[at] ^ 1, 0x7f,
				      s.bytes[at] ^ 0x80, 0x00};

		/* All of them in turn; the first two everywhere. */
		check_changed(&s, at, to[0]);
		check_changed(&s, at, to[1]);
		check_changed(&s, at, to[2 + at % 3]);
	}
	drop_sample(&s);
}

static void every_byte_changed(void **state)
{
	(void)state;
	changes(NA_GEN_GRAPH);
	changes(NA_GEN_MESSAGE);
}

/* A text conversion writes EF BF BD for what is no UTF-8. */
static void mangled_by_text(void **state)
{
	struct sample s;
	struct reading r;
	uint8_t *bad;
	size_t n = 0;

	(void)state;
	take_sample(&s, NA_GEN_GRAPH);
	bad = malloc(3 * s.n);
	assert_non_null(bad);
	for (size_t i = 0; i < s.n; i++) {
		if (s.bytes[i] < 0x80) {
			bad[n++] = s.bytes[i];
			continue;
		}
		memcpy(bad + n, "\xef\xbf\xbd", 3);
		n += 3;
	}
	read_bytes(&r, bad, n, ALL_RECORDS);
	assert_int_equal(r.status, NA_EFORMAT);
	assert_non_null(strstr(r.err.text, "text conversion"));
	reading_end(&r);
	free(bad);
	drop_sample(&s);
}

/* Other files by mistake; each is named for what it is. */
static void other_files(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *is;
	} rows[] = {
		{"{\"otherData\": [{}]}", 19, "JSON"},
		{"\xef\xbb\xbf [ {", 7, "JSON"},
		{"\n{\"other\": []}\n", 15, "JSON"},
		{"\n[ {\"id\": \"X\"}, 1234567890 ]", 28, "JSON"},
		{"\x0a\x0d\x0d\x0a\x1c\0\0\0", 8, "pcapng"},
		{"\xd4\xc3\xb2\xa1\x02\0\x04\0", 8, "pcap"},
		{"\xa1\xb2\x3c\x4d\0\x02\0\x04", 8, "pcap"},
		{"PK\x03\x04", 4, "zip"},
		{"BZh9", 4, "bzip2"},
		{"\xfd"
		 "7zXZ\0",
		 6, "xz"},
		{"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", 8, "riegeli"},
		{"Metric: x\n  TotalSamples: 1\n", 28, "text"},
		{"\n 2024-01-01 all is well, and so on and on and on", 49,
		 "text"},
		{"\x0a\x09\x0a\x07module1\x12\x01x", 14, "HLO"},
		{"\x7f"
		 "ELF\x02\x01\x01\0\0\0",
		 10, "of no format that is known"},
		{"\0\0\0\0\0\0\0\0", 8, "of no format that is known"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reading r;

		for (int packed = 0; packed < 2; packed++) {
			(packed ? read_packed : read_bytes)(&r, rows[i].bytes,
							    rows[i].n,
							    ALL_RECORDS);
			if (r.status != NA_EFORMAT ||
			    !strstr(r.err.text, rows[i].is))
				fail_msg("row %zu: %d \"%s\"", i, r.status,
					 r.err.text);
			reading_end(&r);
		}
	}
}

/* Unknown fields at the top do not hide a trace. */
static void unknown_fields_at_the_top(void **state)
{
	static const uint8_t bytes[] = {0x0a, 0x04, 0x12, 0x02, '/',
					'x',  0x2a, 0x01, 0xff, 0xa0,
					0x01, 0x05, 0x0a, 0x00};
	struct reading r;

	(void)state;
	read_bytes(&r, bytes, sizeof(bytes), WANTS);
	assert_int_equal(r.status, NA_OK);
	assert_int_equal(r.in.n_sections, 2);
	assert_false(r.in.damaged);
	reading_end(&r);
}

static void empty_file(void **state)
{
	struct reading r;

	(void)state;
	read_bytes(&r, "", 0, WANTS);
	assert_int_equal(r.status, NA_OK);
	assert_int_equal(r.in.n_sections, 0);
	assert_string_equal(r.text, "");
	reading_end(&r);
	read_packed(&r, "", 0, WANTS);
	assert_int_equal(r.status, NA_OK);
	assert_int_equal(r.in.n_sections, 0);
	reading_end(&r);
}

/* A file that holds more than its size says. */
static void proc_file(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_input in;

	(void)state;
	assert_int_equal(na_input_open(&in, "/proc/self/status", ALL_RECORDS,
				       NULL, &err),
			 NA_EFORMAT);
	assert_non_null(strstr(err.text, "/proc/self/status: text"));
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_prefix),
		cmocka_unit_test(every_prefix_of_a_file),
		cmocka_unit_test(every_byte_changed),
		cmocka_unit_test(mangled_by_text),
		cmocka_unit_test(other_files),
		cmocka_unit_test(unknown_fields_at_the_top),
		cmocka_unit_test(empty_file),
		cmocka_unit_test(proc_file),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}

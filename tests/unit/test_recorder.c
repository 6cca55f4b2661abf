/*
 * Recorder dumps: pickles opcode by opcode, what is refused, dumps cut at
 * every byte, names of files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/recorder/pickle.h"
#include "ingest/recorder/recorder.h"

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

static struct na_dump_store store;
static struct na_err err;

static enum na_status unpickle(const uint8_t *p, size_t n,
			       struct na_dump_value *v)
{
	na_dump_store_fini(&store);
	err = (struct na_err){.status = NA_OK};
	return na_pickle_read(p, n, &store, NULL, v, &err);
}

static void refused(const uint8_t *p, size_t n, const char *why)
{
	struct na_dump_value v;

	assert_int_equal(unpickle(p, n, &v), NA_EFORMAT);
	if (!strstr(err.text, why))
		fail_msg("\"%s\", not \"%s\"", err.text, why);
}

static int64_t integer(const uint8_t *p, size_t n)
{
	struct na_dump_value v;
	int64_t i;

	assert_int_equal(unpickle(p, n, &v), NA_OK);
	assert_true(na_dump_int(&v, &i));
	return i;
}

static void test_numbers(void **state)
{
	struct na_dump_value v;

	(void)state;
	assert_int_equal(integer(BYTES("\x80\x02K\xff.")), 255);
	assert_int_equal(integer(BYTES("\x80\x02M\xff\xff.")), 65535);
	assert_int_equal(integer(BYTES("\x80\x02J\xff\xff\xff\xff.")), -1);
	assert_int_equal(integer(BYTES("\x80\x02J\xff\xff\xff\x7f.")),
			 INT32_MAX);
	assert_int_equal(integer(BYTES("\x80\x02\x8a\x00.")), 0);
	assert_int_equal(integer(BYTES("\x80\x02\x8a\x01\xff.")), -1);
	assert_int_equal(integer(BYTES("\x80\x02\x8a\x02\xff\x00.")), 255);
	assert_int_equal(integer(BYTES("\x80\x02\x8a\x08\0\0\0\0\0\0\0\x80.")),
			 INT64_MIN);
	refused(BYTES("\x80\x02\x8a\x09\0\0\0\0\0\0\0\0\1."), "64 bits");
	assert_int_equal(unpickle(BYTES("\x80\x02G\x3f\xf8\0\0\0\0\0\0."), &v),
			 NA_OK);
	assert_int_equal(v.kind, NA_DUMP_REAL);
	assert_true(v.f == 1.5);
}

static void test_containers(void **state)
{
	struct na_dump_value v;
	const struct na_dump_value *x;
	int64_t i;

	(void)state;
	/* {"a": [1, 2, (3, None)], "b": {"c": True}}, the long way */
	assert_int_equal(
		unpickle(BYTES("\x80\x02}q\0(X\1\0\0\0aq\1]q\2(K\1K\2K\3N\x86"
			       "eX\1\0\0\0b}X\1\0\0\0c\x88su."),
			 &v),
		NA_OK);
	x = na_dump_get(&v, "a");
	assert_int_equal(na_dump_items(x, NA_DUMP_LIST)->n, 3);
	assert_true(na_dump_int(&x->list->v[1], &i) && i == 2);
	x = na_dump_items(x, NA_DUMP_LIST)->v + 2;
	assert_int_equal(na_dump_items(x, NA_DUMP_LIST)->n, 2);
	assert_int_equal(x->list->v[1].kind, NA_DUMP_NONE);
	x = na_dump_get(na_dump_get(&v, "b"), "c");
	assert_int_equal(x->kind, NA_DUMP_BOOL);
	assert_null(na_dump_get(&v, "c"));
	/* Memo by long indices, tuples by MARK, APPEND. */
	assert_int_equal(unpickle(BYTES("\x80\x02]r\7\0\0\0(K\1K\2K\3K\4ta"
					"j\7\0\0\0\x86."),
				  &v),
			 NA_OK);
	assert_int_equal(v.list->n, 2);
	assert_ptr_equal(v.list->v[0].list, v.list->v[1].list);
	assert_int_equal(v.list->v[0].list->v[0].list->n, 4);
	/* A list in itself is one, and harmless. */
	assert_int_equal(unpickle(BYTES("\x80\x02]q\0h\0a."), &v), NA_OK);
	assert_ptr_equal(v.list->v[0].list, v.list);
}

static void test_refused(void **state)
{
	/* GLOBAL, REDUCE, ... are refused even where they would do nothing. */
	static const uint8_t ops[] = "cRbiog012FILPQSTUVdlpBC\x81\x82\x83\x84"
				     "\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94"
				     "\x95\x96\x97\x98\xff";
	char buf[8] = "\x80\x02}";

	(void)state;
	for (size_t i = 0; i < sizeof(ops) - 1; i++) {
		buf[3] = (char)ops[i];
		refused((uint8_t *)buf, 4, "byte 3: opcode ");
	}
	refused(BYTES("\x80\x02}cos\nsystem\n."), "byte 3: opcode GLOBAL");
	refused(BYTES("\x80\x02}R."), "opcode REDUCE");
	refused(BYTES("\x80\x04}."), "another protocol");
	refused(BYTES("\x80\x02}h\1."), "nothing is remembered");
	refused(BYTES("\x80\x02}r\xff\xff\xff\xff."), "far beyond");
	refused(BYTES("\x80\x02."), "one value");
	refused(BYTES("\x80\x02KaKa."), "one value");
	refused(BYTES("\x80\x02}(."), "one value");
	refused(BYTES("\x80\x02}(Kau."), "fit a dictionary");
	refused(BYTES("\x80\x02Ka(Kae."), "no list");
	refused(BYTES("\x80\x02(Kae."), "without a container");
	refused(BYTES("\x80\x02}u."), "never began");
	refused(BYTES("\x80\x02Ka\x87."), "more than there is");
	/* What was before the MARK is not reached over it. */
	refused(BYTES("\x80\x02]Ka(\x85."), "more than there is");
	refused(BYTES("\x80\x02]Ka(Kaa."), "without a container");
	refused(BYTES("\x80\x02X\xff\xff\xff\xff."), "the file ends");
	refused(BYTES("\x80"), "the file ends");
	refused(BYTES(""), "the file ends");
}

static void test_depth(void **state)
{
	uint8_t *buf = malloc(1 << 20);

	(void)state;
	assert_non_null(buf);
	memset(buf, '(', 1 << 20);
	refused(buf, 1 << 20, "nested deeper");
	memset(buf, ']', 1 << 20);
	refused(buf, 1 << 20, "the file ends");
	free(buf);
}

/* ---- whole dumps */

static const char json[] =
	"{\"version\":\"2.10\",\"comm_lib_version\":\"2.27\",\"pg_config\":{"
	"\"0\":{\"name\":\"0\",\"desc\":\"world\",\"ranks\":\"[2, 0, 1]\"},"
	"\"4\":{\"name\":\"4\",\"desc\":\"tp\",\"ranks\":\"[1, 2]\"}},"
	"\"pg_status\":{\"7\":{\"last_enqueued_collective\":\"5\","
	"\"last_started_collective\":\"-1\","
	"\"last_completed_collective\":\"4\"},"
	"\"9\":{\"last_enqueued_collective\":\"8\","
	"\"last_started_collective\":\"-1\","
	"\"last_completed_collective\":\"7\"}},"
	"\"entries\":[{\"record_id\":12,\"pg_id\":9,\"process_group\":[\"4\","
	"\"tp\"],\"collective_seq_id\":1,\"p2p_seq_id\":8,\"op_id\":9,"
	"\"profiling_name\":\"nccl:send 0->1\",\"time_created_ns\":"
	"1700000000123456789,\"input_sizes\":[[4,1,5],[2]],"
	"\"input_dtypes\":[\"BFloat16\",\"Float\"],\"output_sizes\":[],"
	"\"output_dtypes\":[],\"state\":\"scheduled\","
	"\"time_discovered_started_ns\":0,\"time_discovered_completed_ns\":0,"
	"\"retired\":false,\"timeout_ms\":1000,\"is_p2p\":true,"
	"\"frames\":[{\"name\":\"step\",\"filename\":\"a.py\","
	"\"line\":17}]}]}";

static const char *named(const struct na_flight_record *x, uint32_t name)
{
	return na_strtab_at(&x->names, name);
}

static void test_json(void **state)
{
	struct na_flight_record x;
	const struct na_fr_dump *d;
	const struct na_fr_entry *e;
	const struct na_fr_place *p;

	(void)state;
	na_fr_init(&x);
	err = (struct na_err){.status = NA_OK};
	assert_int_equal(na_recorder_read_bytes(&x, "job/_dump_1.json",
						BYTES(json), false, &err),
			 NA_OK);
	assert_int_equal(x.dumps.n, 1);
	d = &x.dumps.v[0];
	assert_int_equal(d->rank, 1);
	assert_string_equal(named(&x, d->version), "2.10");
	assert_int_equal(x.groups.n, 2);
	assert_string_equal(named(&x, x.groups.v[0].members), "0,1,2");
	assert_int_equal(d->entries.n, 1);
	e = &d->entries.v[0];
	assert_string_equal(named(&x, e->operation), "send");
	assert_true(e->p2p && e->peer == 2 && e->sequence == 8);
	assert_int_equal(e->in_elements, 22);
	assert_int_equal(e->size_bytes, 48);
	assert_true(e->created_ns == INT64_C(1700000000123456789));
	assert_true(e->completed_ns == INT64_MIN);
	assert_int_equal(e->n_frames, 1);
	assert_int_equal(d->frames.v[e->frame].line, 17);
	assert_false(d->places_unmatched);
	p = na_fr_place_of(d, 0);
	assert_true(p->told && p->enqueued == 5 && p->completed == 4);
	assert_true(p->started == -1 && !p->p2p);
	assert_true(na_fr_place_of(d, 1)->p2p);
	na_fr_fini(&x);
}

static void test_cut_anywhere(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(json) - 1; n++) {
		char *copy = malloc(n + 1);
		struct na_flight_record x;

		assert_non_null(copy);
		memcpy(copy, json, n);
		na_fr_init(&x);
		err = (struct na_err){.status = NA_OK};
		assert_int_equal(na_recorder_read_bytes(&x, "d1",
							(uint8_t *)copy, n,
							false, &err),
				 NA_EFORMAT);
		assert_true(!x.dumps.n || x.dumps.v[0].cut);
		na_fr_fini(&x);
		free(copy);
	}
}

static void test_rank(void **state)
{
	struct na_flight_record x;

	(void)state;
	assert_int_equal(na_recorder_rank("a/_dump_0"), 0);
	assert_int_equal(na_recorder_rank("nccl_trace_rank_1023"), 1023);
	assert_int_equal(na_recorder_rank("a7/b12.json"), 12);
	assert_int_equal(na_recorder_rank("host-3.pickle"), 3);
	assert_int_equal(na_recorder_rank("17"), 17);
	assert_int_equal(na_recorder_rank("a7/dump"), -1);
	assert_int_equal(na_recorder_rank("d99999999999999999999"), -1);
	/* Without a number in the name: two ranks share all groups. */
	na_fr_init(&x);
	err = (struct na_err){.status = NA_OK};
	assert_int_equal(na_recorder_read_bytes(&x, "dump", BYTES(json), false,
						&err),
			 NA_EFORMAT);
	assert_non_null(strstr(err.text, "whose dump"));
	assert_int_equal(x.dumps.n, 0);
	na_fr_fini(&x);
}

static void test_sniff(void **state)
{
	(void)state;
	assert_true(na_recorder_sniff(BYTES(json)));
	assert_true(na_recorder_sniff(BYTES("\x80\x02}q\0(X\7\0\0\0version")));
	assert_false(na_recorder_sniff(BYTES("{\"severity\":\"INFO\"}")));
	assert_false(na_recorder_sniff(BYTES("pg_status")));
	assert_false(na_recorder_sniff(BYTES("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_containers),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_sniff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) +
	       (na_dump_store_fini(&store), 0);
}

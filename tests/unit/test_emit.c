/*
 * The writers of results: each format against what it should say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "netan/result/emit.h"

struct page {
	struct na_emit_opts opts;
	struct na_err err;
	enum na_status status;
	char *text;
};

static struct page emit(const struct na_result *r, const char *format,
			struct na_emit_opts opts)
{
	const struct na_emitter *e = na_emitter_find(format);
	struct page p = {.opts = opts};
	size_t size;
	FILE *out = open_memstream(&p.text, &size);

	assert_non_null(e);
	assert_non_null(out);
	p.status = e->write(r, &p.opts, out, &p.err);
	fclose(out);
	return p;
}

static void expect(const struct na_result *r, const char *format,
		   struct na_emit_opts opts, const char *want)
{
	struct page p = emit(r, format, opts);

	assert_int_equal(p.status, NA_OK);
	assert_string_equal(p.text, want);
	free(p.text);
}

static void expect_failure(const struct na_result *r, const char *format,
			   struct na_emit_opts opts, enum na_status status,
			   const char *want)
{
	struct page p = emit(r, format, opts);

	assert_int_equal(p.status, status);
	assert_string_equal(p.err.text, want);
	free(p.text);
}

static struct na_value *add_row(struct na_result *r, struct na_value *list,
				const char *host, int64_t count, double us)
{
	struct na_value *row = na_put_object(r, list, NULL);
	struct na_value *key = na_put_object(r, row, "key");
	struct na_value *few = na_put_list(r, row, "few");

	na_put_text(r, key, "host", host);
	na_put_int(r, row, "count", count);
	na_put_real(r, row, "p50_us", us);
	na_put_text(r, few, NULL, "p99");
	na_put_text(r, few, NULL, "max");
	return row;
}

/* Three groups with names nobody should trust. */
static struct na_result *sample(void)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{"key.host", "host", NA_F_TEXT, 0, 0},
		{"count", "count", NA_F_COUNT, 0, 0},
		{"p50_us", "p50 ms", NA_F_NUMBER, 3, 1e-3},
		{"few", "few samples", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	/* clang-format off */
	static const struct na_column members[] = {
		{"n", "transfers", NA_F_COUNT, 0, 0},
		{"share", "busy %", NA_F_FIXED, 1, 100},
	};
	/* clang-format on */
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	struct na_value *groups;

	assert_non_null(r);
	na_put_text(r, na_result_doc(r), "schema", "netan.x/1");
	groups = na_put_list(r, body, "groups");
	add_row(r, groups, "h1", 1234567, 1234.5);
	add_row(r, groups, "=1|\x1b[m", 5, NAN);
	add_row(r, groups, "a,\"b\"", -7, 0.5);
	na_put_int(r, body, "n", 12);
	na_put_real(r, body, "share", 0.125);
	na_put_bool(r, body, "sure", false);
	na_result_headline(r, "3 hosts");
	na_result_view(r, "Groups", groups, NULL, cols, 4, 2);
	na_result_view(r, NULL, body, NULL, members, 2, 0);
	na_result_note(r, "left out: 4");
	return r;
}

static const struct na_emit_opts plain;

static void json_is_whole(void **state)
{
	struct na_result *r = sample();

	(void)state;
	expect(r, "json", plain,
	       "{\n"
	       "  \"schema\": \"netan.x/1\",\n"
	       "  \"result\": {\n"
	       "    \"groups\": [\n"
	       "      {\n"
	       "        \"key\": { \"host\": \"h1\" },\n"
	       "        \"few\": [\"p99\", \"max\"],\n"
	       "        \"count\": 1234567,\n"
	       "        \"p50_us\": 1234.5\n"
	       "      },\n"
	       "      {\n"
	       "        \"key\": { \"host\": \"=1|\\u001b[m\" },\n"
	       "        \"few\": [\"p99\", \"max\"],\n"
	       "        \"count\": 5,\n"
	       "        \"p50_us\": null\n"
	       "      },\n"
	       "      {\n"
	       "        \"key\": { \"host\": \"a,\\\"b\\\"\" },\n"
	       "        \"few\": [\"p99\", \"max\"],\n"
	       "        \"count\": -7,\n"
	       "        \"p50_us\": 0.5\n"
	       "      }\n"
	       "    ],\n"
	       "    \"n\": 12,\n"
	       "    \"share\": 0.125,\n"
	       "    \"sure\": false\n"
	       "  }\n"
	       "}\n");
	na_result_free(r);
}

static void json_packs_arrays(void **state)
{
	struct na_result *r = na_result_new();
	double *x = na_put_reals(r, na_result_body(r), "x", 200);
	struct page p;
	char *at;

	(void)state;
	assert_non_null(x);
	for (size_t k = 0; k < 200; k++)
		x[k] = (double)k / 7;
	x[3] = NAN;
	x[4] = -INFINITY;
	na_put_reals(r, na_result_body(r), "none", 0);
	na_put_list(r, na_result_body(r), "list");
	na_put_object(r, na_result_body(r), "object");
	p = emit(r, "json", plain);
	assert_non_null(strstr(p.text, "\"none\": []"));
	assert_non_null(strstr(p.text, "\"list\": []"));
	assert_non_null(strstr(p.text, "\"object\": {}"));
	at = strstr(p.text, "[") + 1;
	for (size_t k = 0; k < 200; k++) {
		if (isfinite(x[k])) {
			double back = strtod(at, &at);

			assert_memory_equal(&back, &x[k], sizeof(back));
		} else {
			at += strspn(at, " \n");
			assert_memory_equal(at, "null", 4);
			at += 4;
		}
		assert_true(*at == (k < 199 ? ',' : ']'));
		at++;
	}
	for (at = p.text; *at; at += strcspn(at, "\n") + 1)
		assert_true(strcspn(at, "\n") <= 130);
	free(p.text);
	na_result_free(r);
}

static void csv_holds_the_first_array(void **state)
{
	struct na_result *r = sample();

	(void)state;
	expect(r, "csv", plain,
	       "host,count,p50_us\n"
	       "h1,1234567,1234.5\n"
	       "'=1|\\x1b[m,5,\n"
	       "\"a,\"\"b\"\"\",-7,0.5\n");
	expect(r, "tsv", plain,
	       "host\tcount\tp50_us\n"
	       "h1\t1234567\t1234.5\n"
	       "'=1|\\x1b[m\t5\t\n"
	       "a,\"b\"\t-7\t0.5\n");
	na_result_free(r);
}

static void csv_holds_arrays_side_by_side(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	double *t = na_put_reals(r, body, "time_s", 3);
	double *x, *other;

	(void)state;
	na_put_int(r, body, "between", 1);
	x = na_put_reals(r, body, "rx_gbps", 3);
	other = na_put_reals(r, body, "of_another_length", 2);
	assert_true(t && x && other);
	for (int k = 0; k < 3; k++) {
		t[k] = k * 0.5;
		x[k] = k == 1 ? (double)NAN : k;
	}
	expect(r, "csv", plain, "time_s,rx_gbps\n0,0\n0.5,\n1,2\n");
	expect(r, "csv", (struct na_emit_opts){.table = "of_another_length"},
	       "of_another_length\n0\n0\n");
	na_result_free(r);
}

/* The rest can be asked for; a list within rows is one when it has rows. */
static void csv_tells_what_it_leaves_out(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r), *row;
	struct na_value *rows = na_put_list(r, body, "rows");
	char buf[100];
	struct na_str others = na_str_over(buf, sizeof(buf));

	(void)state;
	row = na_put_object(r, rows, NULL);
	na_put_text(r, row, "host", "h");
	na_csv_others(r, &others);
	assert_string_equal(buf, "");
	na_put_list(r, row, "inside");
	na_put_list(r, body, "names");
	na_put_int(r, body, "number", 1);
	na_csv_others(r, &others);
	assert_string_equal(buf, ": rows; --table takes another: names, "
				 "inside");
	na_result_free(r);
}

static void csv_takes_the_table_asked_for(void **state)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r), *row, *in;
	struct na_value *rows = na_put_list(r, body, "rows");
	struct na_value *names = na_put_list(r, body, "names");

	(void)state;
	row = na_put_object(r, rows, NULL);
	na_put_text(r, row, "host", "h");
	in = na_put_object(r, row, "key");
	na_put_text(r, in, "host", "k");
	row = na_put_object(r, rows, NULL);
	na_put_text(r, row, "late", "x");
	in = na_put_object(r, row, "slack_us");
	na_put_int(r, in, "p50", 3);
	na_put_text(r, names, NULL, "a b");
	na_put_text(r, names, NULL, " c");
	/* one name twice: the key keeps its own */
	expect(r, "csv", plain,
	       "host,key.host,late,slack_us.p50\nh,k,,\n,,x,3\n");
	expect(r, "csv", (struct na_emit_opts){.table = "names"},
	       "names\na b\n\" c\"\n");
	expect_failure(r, "csv", (struct na_emit_opts){.table = "nome"},
		       NA_EUSAGE,
		       "--table nome: there is no such table; "
		       "there are: rows, names");
	na_result_free(r);
}

/* A group with arrays of n elements: base, base + 0.25, ..., the second one
 * undefined in tx_gbps. */
static struct na_value *add_series(struct na_result *r, struct na_value *list,
				   const char *host, size_t n, double base)
{
	struct na_value *row = na_put_object(r, list, NULL);
	double *rx, *tx;

	na_put_text(r, na_put_object(r, row, "key"), "host", host);
	rx = na_put_reals(r, row, "rx_gbps", n);
	tx = na_put_reals(r, row, "tx_gbps", n);
	assert_true(rx && tx);
	for (size_t k = 0; k < n; k++) {
		rx[k] = base + (double)k / 4;
		tx[k] = k == 1 ? (double)NAN : -rx[k];
	}
	na_put_int(r, row, "rx_bytes", 1000);
	return row;
}

static struct na_result *with_times(size_t n, struct na_value **series)
{
	struct na_result *r = na_result_new();
	struct na_value *body = na_result_body(r);
	double *t;

	na_put_real(r, body, "bin_s", 0.1);
	t = na_put_reals(r, body, "time_s", n);
	assert_non_null(t);
	for (size_t k = 0; k < n; k++)
		t[k] = (double)k / 10;
	na_put_reals(r, body, "pending", n);
	*series = na_put_list(r, body, "series");
	return r;
}

static const struct na_emit_opts of_series = {.table = "series"};

static void csv_of_rows_with_arrays_is_long(void **state)
{
	struct na_value *series;
	struct na_result *r = with_times(3, &series);

	(void)state;
	add_series(r, series, "a,b", 3, 1);
	add_series(r, series, "=h", 3, 5);
	expect(r, "csv", of_series,
	       "time_s,host,rx_gbps,tx_gbps\n"
	       "0,\"a,b\",1,-1\n"
	       "0.1,\"a,b\",1.25,\n"
	       "0.2,\"a,b\",1.5,-1.5\n"
	       "0,'=h,5,-5\n"
	       "0.1,'=h,5.25,\n"
	       "0.2,'=h,5.5,-5.5\n");
	expect(r, "tsv", of_series,
	       "time_s\thost\trx_gbps\ttx_gbps\n"
	       "0\ta,b\t1\t-1\n"
	       "0.1\ta,b\t1.25\t\n"
	       "0.2\ta,b\t1.5\t-1.5\n"
	       "0\t'=h\t5\t-5\n"
	       "0.1\t'=h\t5.25\t\n"
	       "0.2\t'=h\t5.5\t-5.5\n");
	expect(r, "csv", plain, "time_s,pending\n0,0\n0.1,0\n0.2,0\n");
	na_result_free(r);
}

/* Rows that do not agree: a column is there when one row has it. */
static void long_rows_may_differ(void **state)
{
	struct na_value *series, *row, *key;
	struct na_result *r = with_times(2, &series);
	double *own;

	(void)state;
	add_series(r, series, "h", 2, 1);
	row = na_put_object(r, series, NULL);
	own = na_put_reals(r, row, "time_s", 2);
	assert_non_null(own);
	own[0] = 7;
	own[1] = 8;
	na_put_null(r, row, "rx_gbps");
	key = na_put_object(r, row, "key");
	na_put_int(r, key, "step", 4);
	na_put_int(r, key, "tx_gbps", 9);
	row = na_put_object(r, series, NULL);
	na_put_int(r, row, "key", 1);
	na_put_int(r, row, "tx_gbps", 6);
	na_put_int(r, row, "time_s", 6);
	expect(r, "csv", of_series,
	       "time_s,host,step,key.tx_gbps,rx_gbps,tx_gbps\n"
	       "0,h,,,1,-1\n"
	       "0.1,h,,,1.25,\n"
	       "7,,4,9,,\n"
	       "8,,4,9,,\n"
	       "0,,,,,\n"
	       "0.1,,,,,\n");
	na_result_free(r);
}

static void arrays_of_no_elements_leave_the_header(void **state)
{
	struct na_value *series;
	struct na_result *r = with_times(0, &series);

	(void)state;
	expect(r, "csv", of_series, "");
	add_series(r, series, "h", 0, 1);
	expect(r, "csv", of_series, "time_s,host,rx_gbps,tx_gbps\n");
	na_result_free(r);
}

static void arrays_of_other_lengths_are_left_out(void **state)
{
	struct na_value *series;
	struct na_result *r = with_times(2, &series);

	(void)state;
	add_series(r, series, "h", 2, 1);
	na_put_reals(r, add_series(r, series, "g", 2, 1), "few", 1);
	expect(r, "csv", of_series, "host,rx_bytes\nh,1000\ng,1000\n");
	na_result_free(r);

	r = na_result_new(); /* nothing in the body to run along */
	series = na_put_list(r, na_result_body(r), "series");
	add_series(r, series, "h", 2, 1);
	expect(r, "csv", plain, "host,rx_bytes\nh,1000\n");
	na_result_free(r);

	r = with_times(2, &series); /* rows without arrays */
	na_put_int(r, na_put_object(r, series, NULL), "step", 3);
	expect(r, "csv", of_series, "step\n3\n");
	na_result_free(r);
}

static void tables_are_named_once(void **state)
{
	struct na_value *series;
	struct na_result *r = with_times(3, &series);
	struct na_value *body = na_result_body(r);

	(void)state;
	na_put_reals(r, body, "edges", 4);
	na_put_reals(r, body, "counts", 4);
	na_put_object(r, body, "totals");
	expect_failure(r, "tsv", (struct na_emit_opts){.table = "x"}, NA_EUSAGE,
		       "--table x: there is no such table; "
		       "there are: time_s, series, edges, totals");
	na_result_free(r);
}

static void csv_of_scalars_is_a_row(void **state)
{
	struct na_result *r = na_result_new();

	(void)state;
	na_put_int(r, na_result_body(r), "n", 3);
	na_put_bool(r, na_result_body(r), "ok", true);
	expect(r, "csv", plain, "n,ok\n3,true\n");
	na_result_free(r);
}

static void tables_are_aligned(void **state)
{
	struct na_result *r = sample();

	(void)state;
	expect(r, "table", plain,
	       "3 hosts\n"
	       "\n"
	       "Groups\n"
	       "host           count      p50  few samples\n"
	       "h1         1\xe2\x80\xaf"
	       "234\xe2\x80\xaf"
	       "567  1.23 ms"
	       "  p99, max\n"
	       "=1|\\x1b[m          5        -  p99, max\n"
	       "... and 1 more\n"
	       "\n"
	       "transfers    12\n"
	       "busy %     12.5\n"
	       "\n"
	       "left out: 4\n");
	na_result_free(r);
}

static void tables_fit_the_terminal(void **state)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{"name", "collective", NA_F_TEXT, 0, 0},
		{"n", "count", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */
	struct na_result *r = na_result_new();
	struct na_value *list = na_put_list(r, na_result_body(r), "rows");
	struct na_value *row = na_put_object(r, list, NULL);

	(void)state;
	na_put_text(r, row, "name", "all-reduce.fusion.of.many.words.1234");
	na_put_int(r, row, "n", 5);
	na_result_view(r, NULL, list, NULL, cols, 2, 0);
	expect(r, "table", (struct na_emit_opts){.columns = 27},
	       "collective            count\n"
	       "all-reduce\xe2\x80\xa6"
	       "ords.1234      5\n");
	expect(r, "table", (struct na_emit_opts){.columns = 19},
	       "collective    count\n"
	       "all-re\xe2\x80\xa6"
	       ".1234      5\n");
	expect(r, "table", (struct na_emit_opts){.columns = 18},
	       "collective\n"
	       "all-reduc\xe2\x80\xa6"
	       "rds.1234\n"
	       "--wide has more\n"
	       "  columns: count\n");
	expect(r, "table", (struct na_emit_opts){.color = true},
	       "\033[1mcollective                            count\033[0m\n"
	       "all-reduce.fusion.of.many.words.1234      5\n");
	na_result_free(r);
}

/* Phrases are broken between words, or columns behind them are left out; what
 * is a name may be cut. */
static void phrases_stay_whole(void **state)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{"who", "suspect to test", NA_F_TEXT, 0, 0},
		{"none", "nothing", NA_F_TEXT, 0, 0},
		{"ranks", "group", NA_F_RANKS, 0, 0},
		{"n", "count", NA_F_COUNT, 0, 0},
		{"why", "why", NA_F_JSON, 0, 0},
	};
	/* clang-format on */
	struct na_result *r = na_result_new();
	struct na_value *list = na_put_list(r, na_result_body(r), "rows");
	struct na_value *row = na_put_object(r, list, NULL);

	(void)state;
	na_put_text(r, row, "who", "transmit side of host-3");
	na_put_null(r, row, "none");
	na_put_text(r, row, "ranks", "0,1,2,3,9");
	na_put_int(r, row, "n", 5);
	na_put_text(r, row, "why",
		    "{\"of\": 15, \"worst\": [{\"src\": \"a\\\"b\", "
		    "\"what\": \"two words\"}, \"c\"], \"none\": []}");
	na_result_view(r, NULL, list, NULL, cols, 5, 0);
	expect(r, "table", (struct na_emit_opts){0},
	       "suspect to test          nothing  group      count  why\n"
	       "transmit side of host-3  -        0-3 and 9      5  of 15, "
	       "worst ((src a\"b, what two words), c), none ()\n");
	expect(r, "table", (struct na_emit_opts){.columns = 50},
	       "suspect to test          group      count  why\n"
	       "transmit side of host-3  0-3 and 9      5\n"
	       "  of 15, worst ((src a\"b, what two words), c),\n"
	       "  none ()\n"
	       "--wide has more columns: nothing\n");
	expect(r, "table", (struct na_emit_opts){.columns = 40},
	       "suspect to test         group      count\n"
	       "transmit side of        0-3 and 9      5\n"
	       "host-3\n"
	       "--wide has more columns: nothing, why\n");
	na_result_free(r);
}

static void empty_tables_say_so(void **state)
{
	static const struct na_column col = {"x", "x", NA_F_COUNT, 0, 0};
	struct na_result *r = na_result_new();
	struct na_value *list = na_put_list(r, na_result_body(r), "rows");

	(void)state;
	na_result_view(r, "Rows", list, NULL, &col, 1, 0);
	expect(r, "table", plain, "Rows\n(none)\n");
	expect(r, "md", plain, "### Rows\n\n(none)\n");
	expect(r, "csv", plain, "");
	na_result_free(r);
}

static void markdown_is_safe(void **state)
{
	struct na_result *r = sample();

	(void)state;
	expect(r, "md", plain,
	       "3 hosts\n"
	       "\n"
	       "### Groups\n"
	       "\n"
	       "| host | count | p50 | few samples |\n"
	       "| --- | ---: | ---: | --- |\n"
	       "| h1 | 1\xe2\x80\xaf"
	       "234\xe2\x80\xaf"
	       "567 | 1.23 ms | "
	       "p99, max |\n"
	       "| =1\\|\\x1b\\[m | 5 | - | p99, max |\n"
	       "\n"
	       "1 more not shown here\n"
	       "\n"
	       "| name | value |\n"
	       "| --- | ---: |\n"
	       "| transfers | 12 |\n"
	       "| busy % | 12.5 |\n"
	       "\n"
	       "- left out: 4\n");
	na_result_free(r);
}

static void long_lists_are_cut(void **state)
{
	static const struct na_column col = {"hosts", "hosts", NA_F_TEXT, 0, 0};
	struct na_result *r = na_result_new();
	struct na_value *rows = na_put_list(r, na_result_body(r), "rows");
	struct na_value *row = na_put_object(r, rows, NULL);
	struct na_value *hosts = na_put_list(r, row, "hosts");
	struct page p;

	(void)state;
	for (int k = 0; k < 1000; k++)
		na_put_textf(r, hosts, NULL, "host-%d", k);
	na_result_view(r, NULL, rows, NULL, &col, 1, 0);
	p = emit(r, "table", plain);
	assert_non_null(strstr(p.text, "host-0, host-1, "));
	assert_non_null(strstr(p.text, ", ...\n"));
	assert_true(strlen(p.text) < 600 + 600);
	free(p.text);
	na_result_free(r);
}

/* Every format says that the disk is full, and does not crash. */
static void full_disks_are_errors(void **state)
{
	struct na_result *r = sample();
	double *x = na_put_reals(r, na_result_body(r), "x", 50000);

	(void)state;
	assert_non_null(x);
	for (const struct na_emitter *e = na_emitters; e->name; e++) {
		FILE *out = fopen("/dev/full", "w");
		struct na_err err = {0};

		if (!out) {
			puts("skip: there is no /dev/full");
			skip();
		}
		assert_int_equal(e->write(r, &plain, out, &err), NA_EIO);
		assert_string_equal(err.text, "No space left on device");
		fclose(out);
	}
	na_result_free(r);
}

static void formats_are_found(void **state)
{
	(void)state;
	assert_non_null(na_emitter_find("table"));
	assert_non_null(na_emitter_find("md"));
	assert_null(na_emitter_find("xml"));
	assert_null(na_emitter_find(""));
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_whole),
		cmocka_unit_test(json_packs_arrays),
		cmocka_unit_test(csv_holds_the_first_array),
		cmocka_unit_test(csv_holds_arrays_side_by_side),
		cmocka_unit_test(csv_tells_what_it_leaves_out),
		cmocka_unit_test(csv_takes_the_table_asked_for),
		cmocka_unit_test(csv_of_rows_with_arrays_is_long),
		cmocka_unit_test(long_rows_may_differ),
		cmocka_unit_test(arrays_of_no_elements_leave_the_header),
		cmocka_unit_test(arrays_of_other_lengths_are_left_out),
		cmocka_unit_test(tables_are_named_once),
		cmocka_unit_test(csv_of_scalars_is_a_row),
		cmocka_unit_test(tables_are_aligned),
		cmocka_unit_test(tables_fit_the_terminal),
		cmocka_unit_test(phrases_stay_whole),
		cmocka_unit_test(empty_tables_say_so),
		cmocka_unit_test(markdown_is_safe),
		cmocka_unit_test(long_lists_are_cut),
		cmocka_unit_test(full_disks_are_errors),
		cmocka_unit_test(formats_are_found),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Not sanitized: a page as large as any; smaller ones are made by goldens.
 *
 * The page: hostile names stay text, and a page of any input has its bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/report/html_impl.h"
#include "plot/theme.h"

static const char hostile[] =
	"<img src=x onerror=alert(1)>\"'&</script></style></title>]]>-->"
	"\xe2\x80\xae"
	"evil\x1b[31m\n\x01\xff";
/* What must stand in its place, everywhere. */
static const char tamed[] =
	"&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;&lt;/script&gt;"
	"&lt;/style&gt;&lt;/title&gt;]]&gt;--&gt;\\u202eevil\\x1b[31m\\n\\x01"
	"\xef\xbf\xbd";

/* A result of `n` of everything that an input can make many of. */
static struct na_result *a_check(size_t n, const char *name)
{
	struct na_result *r = na_result_new();
	struct na_value *doc = na_result_doc(r), *body = na_result_body(r);
	struct na_value *inputs = na_put_list(r, doc, "inputs");
	struct na_value *c = na_put_object(r, doc, "coverage"), *list, *row;

	na_put_object(r, c, "left_out");
	list = na_put_list(r, c, "unknown_names");
	for (size_t i = 0; i < n; i++) {
		na_put_text(r, list, NULL, name);
		row = na_put_object(r, inputs, NULL);
		na_put_text(r, row, "path", name);
		na_put_text(r, row, "format", "xspace");
		na_put_text(r, row, "host", name);
		na_put_int(r, row, "bytes", (int64_t)i);
		na_put_text(r, na_put_list(r, row, "warnings"), NULL, name);
		na_result_note(r, "%s %zu", name, i);
	}
	na_put_text(r, body, "verdict", name);
	list = na_put_list(r, body, "findings");
	for (size_t i = 0; i < n; i++) {
		row = na_put_object(r, list, NULL);
		na_put_text(r, row, "id", name);
		na_put_text(r, row, "severity", i ? "warning" : "error");
		na_put_text(r, row, "title", name);
		na_put_text(r, row, "confidence", "likely");
		na_put_text(r, row, "remedy", name);
		na_put_text(r, row, "command", name);
		row = na_put_object(r, row, "evidence");
		na_put_text(r, row, "host", name);
		row = na_put_object(r, na_put_list(r, row, "pairs"), NULL);
		na_put_text(r, row, "src", name);
	}
	na_put_list(r, body, "passed");
	list = na_put_list(r, body, "not_run");
	row = na_put_object(r, list, NULL);
	na_put_text(r, row, "id", name);
	na_put_text(r, row, "missing", name);
	return r;
}

static struct na_result *an_analysis(size_t n, const char *name)
{
	static const struct na_column cols[] = {
		{"host", "host", NA_F_TEXT, 0, 0},
		{"x", "x <us>", NA_F_NUMBER, 4, 0},
	};
	struct na_result *r = na_result_new();
	struct na_value *list = na_put_list(r, na_result_body(r), "rows");

	for (size_t i = 0; i < n; i++) {
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, "host", name);
		na_put_real(r, row, "x", (double)i + 0.5);
		na_result_note(r, "a note of %s, %zu", name, i);
	}
	na_result_headline(r, "%s", name);
	for (int i = 0; i < 5; i++) {
		na_result_view(r, name, list, NULL, cols, 2, 0);
		na_result_text(r, name, "%s", name);
	}
	return r;
}

static struct na_result *with_times(struct na_result *r, size_t n)
{
	static const char *const names[] = {
		"time_s",
		"rx_gbps",
		"tx_gbps",
		"rx_outstanding_bytes",
		"tx_outstanding_bytes",
		"pending",
		"pending_max",
	};
	struct na_value *body = na_result_body(r);

	na_put_real(r, body, "bin_s", 0.001);
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
		double *v = na_put_reals(r, body, names[k], n);

		for (size_t i = 0; i < n; i++)
			v[i] = k ? (double)(i % 977) * 1.2345
				 : 0.001 * (double)i;
	}
	return r;
}

static char *page(const struct na_report *r, size_t *size)
{
	struct na_err err = {.status = NA_OK};
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	assert_non_null(out);
	assert_int_equal(na_report_html(r, out, &err), NA_OK);
	fclose(out);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void names_stay_text(void **state)
{
	struct na_result *check = a_check(2, hostile);
	struct na_result *x = an_analysis(3, hostile);
	const struct na_report_part parts[] = {
		{.name = "latency",
		 .question = "how long",
		 .result = x,
		 .command = hostile},
		{.name = "tcp", .question = "what", .missing = hostile},
	};
	const struct na_report r = {.title = hostile,
				    .inputs = hostile,
				    .check = check,
				    .command = hostile,
				    .version = "0",
				    .parts = parts,
				    .n_parts = 2};
	size_t size;
	char *text = page(&r, &size);

	(void)state;
	assert_null(strstr(text, "<img"));
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_null(strchr(text, '\x1b'));
	assert_null(strchr(text, '\x01'));
	assert_int_equal(count(text, "<script"), 1);
	assert_int_equal(count(text, "</script"), 1);
	assert_int_equal(count(text, "</style"), 1);
	assert_int_equal(count(text, "</title"), 1);
	assert_true(count(text, tamed) > 60);
	/* Every one of them is whole. */
	assert_int_equal(count(text, "onerror"),
			 count(text, "&lt;img src=x onerror="));
	free(text);
	na_result_free(check);
	na_result_free(x);
}

static struct na_report_part
full_part(const char *name, const struct na_result *x, const char *figure)
{
	return (struct na_report_part){
		.name = name,
		.question = "q",
		.result = x,
		.command = "netan",
		.figure = figure,
		.figure_bytes = strlen(figure),
		.axis = {1200, 675, 60, 60, 1180, 600, 0, 100},
	};
}

static void any_page_has_its_bound(void **state)
{
	/* As much as figures may have together. */
	char *figure = malloc(NA_FIGURES_BYTES / 3 + 1), *name = malloc(4001);
	struct na_result *check, *x;
	struct na_report_part parts[12];
	struct na_report r = {.inputs = "many",
			      .command = "netan",
			      .version = "0",
			      .parts = parts,
			      .n_parts = 12};
	size_t size;
	char *text;

	(void)state;
	assert_non_null(figure);
	assert_non_null(name);
	memset(figure, 'f', NA_FIGURES_BYTES / 3);
	figure[NA_FIGURES_BYTES / 3] = '\0';
	memset(name, '"', 4000); /* the longest that escaping makes */
	for (size_t n = 4000; n >= 8; n /= 64) {
		name[n] = '\0';
		check = a_check(3000, name);
		x = with_times(an_analysis(3000, name), 100000);
		for (size_t i = 0; i < 12; i++)
			parts[i] = full_part(i < 3 ? "timeline" : "rpc", x,
					     i < 3 ? figure : "<svg></svg>");
		r.check = check;
		text = page(&r, &size);
		if (size >= NA_PAGE_BYTES)
			print_message("%zu bytes\n", size);
		assert_true(size < NA_PAGE_BYTES);
		assert_true(size > NA_FIGURES_BYTES);
		assert_non_null(strstr(text, "more inputs not shown here"));
		assert_non_null(strstr(text, "more findings not shown here"));
		assert_non_null(strstr(text, "more notes not shown here"));
		assert_non_null(strstr(text, "more rows not shown here"));
		/* Peaks are kept, bins are said. */
		assert_non_null(strstr(text, "\"bins\":50,"));
		free(text);
		na_result_free(check);
		na_result_free(x);
	}
	free(figure);
	free(name);
}

static void numbers_behind_a_figure(void **state)
{
	struct na_result *check = a_check(0, ""), *x = na_result_new();
	struct na_report_part part;
	const struct na_report r = {.inputs = "",
				    .check = check,
				    .command = "",
				    .version = "0",
				    .parts = &part,
				    .n_parts = 1};
	struct na_value *body = na_result_body(x);
	double *time_s, *rx;
	size_t size;
	char *text;

	(void)state;
	na_put_real(x, body, "bin_s", 0.5);
	time_s = na_put_reals(x, body, "time_s", 3);
	rx = na_put_reals(x, body, "rx_gbps", 3);
	for (int i = 0; i < 3; i++)
		time_s[i] = 1 + 0.5 * i;
	rx[0] = 12.34567;
	rx[1] = 0.0 / 0.0;
	rx[2] = 100000;
	part = full_part("timeline", x, "<svg></svg>");
	text = page(&r, &size);
	assert_non_null(strstr(
		text,
		"<script type=\"application/json\" class=\"hover\">"
		"{\"part\":\"timeline\",\"at\":[1200,675,60,60,1180,600,0,100],"
		"\"t0\":1,\"bin_s\":0.5,\"bins\":1,\"series\":[\n"
		"{\"name\":\"RX\",\"unit\":\"Gbit/s\",\"hue\":\"blue\","
		"\"log\":false,\"v\":[12.35,null,100000]}]}</script>"));
	free(text);
	/* Without an axis there is nothing to point at. */
	part.axis.width = 0;
	text = page(&r, &size);
	assert_null(strstr(text, "application/json"));
	free(text);
	/* Nor without a figure, and it is said why. */
	part.axis.width = 1200;
	part.figure = NULL;
	part.no_figure = "too <large>";
	text = page(&r, &size);
	assert_null(strstr(text, "application/json"));
	assert_null(strstr(text, "<figure"));
	assert_non_null(strstr(text, "too &lt;large&gt;"));
	free(text);
	na_result_free(check);
	na_result_free(x);
}

/* "--paper: #rrggbb" in one scheme's block. */
static struct na_color color_of(const char *block, const char *name)
{
	char what[40];
	const char *at;
	unsigned rgb;

	snprintf(what, sizeof(what), "--%s: #", name);
	at = strstr(block, what);
	assert_non_null(at);
	assert_int_equal(sscanf(at + strlen(what), "%6x", &rgb), 1);
	return (struct na_color){(unsigned char)(rgb >> 16),
				 (unsigned char)(rgb >> 8), (unsigned char)rgb,
				 255};
}

/* WCAG 2.1, success criterion 1.4.3: 4.5 to 1. */
static void text_can_be_read(void **state)
{
	static const char *const pairs[][2] = {
		{"text", "paper"},
		{"text", "zebra"},
		{"text", "code"},
		{"soft", "paper"},
		{"soft", "zebra"},
		{"soft", "code"},
		{"link", "paper"},
		{"error", "error-paper"},
		{"warning", "warning-paper"},
		{"info", "info-paper"},
		{"fine", "fine-paper"},
		{"text", "error-paper"},
		{"text", "warning-paper"},
		{"text", "fine-paper"},
	};
	const char *dark = strstr(na_page_css, "prefers-color-scheme: dark");

	(void)state;
	assert_non_null(dark);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		for (int k = 0; k < 2; k++) {
			const char *block = k ? dark : na_page_css;

			assert_true(na_contrast(color_of(block, pairs[i][0]),
						color_of(block, pairs[i][1])) >
				    4.5);
		}
	}
}

static void commands_are_one_span(void **state)
{
	static const struct {
		const char *sentence, *want;
	} rows[] = {
		{"dmesg (Xid), nvidia-smi -q (ECC), and so on",
		 "dmesg (Xid), <code class=\"nb\">nvidia-smi -q</code> (ECC), "
		 "and so on"},
		{"packets (ethtool -S, nstat)",
		 "packets (<code class=\"nb\">ethtool -S</code>, nstat)"},
		{"the process: py-spy dump --pid 12.",
		 "the process: <code class=\"nb\">py-spy dump --pid "
		 "12</code>."},
		{"through; ping -M do -s 1472 finds the size",
		 "through; <code class=\"nb\">ping -M do -s 1472</code> finds "
		 "the size"},
		{"raise --megascale_graph_hang_threshold",
		 "raise <code>--megascale_graph_hang_threshold</code>"},
		{"--from 1s --to 2s tell as much",
		 "<code class=\"nb\">--from 1s --to 2s</code> tell as much"},
		{"as --topology says; give --topology FILE",
		 "as <code class=\"nb\">--topology</code> says; give <code "
		 "class=\"nb\">--topology FILE</code>"},
		{"netan hang --ledger FILE counts",
		 "<code class=\"nb\">netan hang --ledger FILE</code> counts"},
		{"netan slack --waterfall -o late.svg shows",
		 "<code>netan slack --waterfall -o late.svg</code> shows"},
		{"with --src and --dst", "with <code class=\"nb\">--src</code> "
					 "and <code "
					 "class=\"nb\">--dst</code>"},
		{"well-known names - and a-b -- -, (-", NULL},
		{"netan -", NULL},
		{"ping ps netan", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *want = rows[i].want;
		char *got = NULL;
		size_t n;
		FILE *out = open_memstream(&got, &n);

		assert_non_null(out);
		na_html_sentence(out, rows[i].sentence);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(got, want ? want : rows[i].sentence);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_text),
		cmocka_unit_test(any_page_has_its_bound),
		cmocka_unit_test(numbers_behind_a_figure),
		cmocka_unit_test(text_can_be_read),
		cmocka_unit_test(commands_are_one_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

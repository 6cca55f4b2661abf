/*
 * Captures as an input: what the reader tells of a whole capture it tells of
 * its parts merged, of its packed form and of what comes through a pipe.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/capfile_reading.h"
#include "tests/unit/capture_truth.h"
#include "tests/unit/packet_bytes.h"
#include "tests/unit/reading.h"

enum { PARTS = 3, HEAD = 24 };

/* Records as lines of text. */
struct told {
	struct na_names names;
	FILE *out;
	char *text;
	size_t n;
};

static const char *end_of(struct told *t, uint32_t e, char *buf)
{
	assert_true(e < t->names.n_endpoints);
	return na_endpoint_print(buf, &t->names, &t->names.endpoints[e]);
}

static const char *name_of(struct told *t, uint32_t name)
{
	return name == NA_UNKNOWN_U32 ? "-"
				      : na_strtab_at(&t->names.strings, name);
}

static enum na_status on_transfer(void *ctx, const struct na_transfer *x)
{
	char a[NA_ENDPOINT_BUF], b[NA_ENDPOINT_BUF];
	struct told *t = ctx;

	fprintf(t->out,
		"T %d %d %" PRId64 " %" PRId64 " %" PRIu64 " %s %s %s\n",
		x->klass, x->style, x->start_ps, x->end_ps, x->size_bytes,
		end_of(t, x->src, a), end_of(t, x->dst, b),
		name_of(t, x->collective));
	return NA_OK;
}

static enum na_status on_call(void *ctx, const struct na_call *x)
{
	struct told *t = ctx;

	fprintf(t->out,
		"C %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64
		" %" PRIu32 ".%" PRIu32 " %s\n",
		x->start_ps, x->first_ps, x->end_ps, x->bytes_req,
		x->bytes_resp, x->connection, x->stream, name_of(t, x->method));
	return NA_OK;
}

static enum na_status on_packet(void *ctx, const struct na_wire_packet *x)
{
	char a[NA_ENDPOINT_BUF], b[NA_ENDPOINT_BUF];
	struct told *t = ctx;

	fprintf(t->out, "F %" PRId64 " %" PRIu32 " %s %s\n", x->time_ps,
		x->size_bytes, end_of(t, x->src, a), end_of(t, x->dst, b));
	return NA_OK;
}

static enum na_status on_connection(void *ctx, const struct na_connection *x)
{
	struct told *t = ctx;

	fprintf(t->out,
		"N %" PRIu32 " %u %u %" PRId64 " %" PRId64 " %" PRIu64
		" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n",
		x->id, x->src_port, x->dst_port, x->from_ps, x->to_ps,
		x->dir[0].bytes, x->dir[1].bytes, x->dir[0].retransmissions,
		x->dir[1].retransmissions, x->dir[1].rtt_p50_ns);
	return NA_OK;
}

static enum na_status on_segment(void *ctx, const struct na_segment *x)
{
	(void)ctx;
	(void)x;
	return NA_OK;
}

static uint32_t on_name(void *ctx, const char *s, size_t n)
{
	struct told *t = ctx;

	return na_strtab_add(&t->names.strings, s, n);
}

static uint32_t on_address(void *ctx, const char *s, size_t n)
{
	struct told *t = ctx;

	return na_names_address(&t->names, s, n);
}

static void on_left_out(void *ctx, enum na_reason why, uint64_t n)
{
	struct told *t = ctx;

	fprintf(t->out, "L %d %" PRIu64 "\n", why, n);
}

static void on_warning(void *ctx, uint64_t at, const char *text)
{
	struct told *t = ctx;

	(void)at;
	fprintf(t->out, "W %s\n", text);
}

/* The first of the inputs reads them all; the text is the caller's. */
static char *read_inputs(struct na_input *in, size_t n)
{
	struct told t = {.n = 0};
	const struct na_sink sink = {
		.ctx = &t,
		.transfer = on_transfer,
		.call = on_call,
		.packet = on_packet,
		.connection = on_connection,
		.segment = on_segment,
		.name = on_name,
		.address = on_address,
		.left_out = on_left_out,
		.warn = on_warning,
	};
	struct na_input *list[PARTS];
	struct na_err err = {.status = NA_OK};
	struct na_block b;

	memset(&t.names, 0, sizeof(t.names));
	t.out = open_memstream(&t.text, &t.n);
	assert_non_null(t.out);
	for (size_t i = 0; i < n; i++) {
		list[i] = &in[i];
		in[i].merged = n > 1 ? list : NULL;
		in[i].zero_ns = in[0].first_ns;
		for (size_t k = 0; k < n; k++) {
			if (in[k].has_time && in[k].first_ns < in[i].zero_ns)
				in[i].zero_ns = in[k].first_ns;
		}
	}
	in[0].n_merged = n > 1 ? n : 0;
	assert_int_equal(in[0].reader->cut(&in[0], &b, &err), NA_OK);
	assert_int_equal(in[0].reader->read(&in[0], &b, &sink, &err), NA_OK);
	for (size_t i = 0; i < n; i++) /* there is nothing else */
		assert_int_equal(in[i].reader->cut(&in[i], &b, &err), NA_END);
	fclose(t.out);
	na_names_fini(&t.names);
	return t.text;
}

static void open_fd(struct na_input *in, int fd,
		    const struct na_input_asks *asks)
{
	const uint32_t wants = NA_WANT_TRANSFERS | NA_WANT_CALLS |
			       NA_WANT_PACKETS | NA_WANT_CONNECTIONS;
	struct na_err err = {.status = NA_OK};
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(na_input_open(in, path, wants, asks, &err), NA_OK);
	close(fd);
	in->path = "bytes";
}

static char *read_one(const void *bytes, size_t n,
		      const struct na_input_asks *asks,
		      struct na_capture_counts *counts)
{
	struct na_input in;
	char *text;

	open_fd(&in, file_of(bytes, n), asks);
	text = read_inputs(&in, 1);
	*counts = *in.capture;
	na_input_close(&in);
	return text;
}

/* ---- a capture in parts */

struct parts {
	int fd[PARTS];
	size_t n;
};

static void put(int fd, const void *p, size_t n)
{
	assert_int_equal(write(fd, p, n), (ssize_t)n);
}

/* Records in turn to n files; those of one instant to the same one. */
static void split(struct parts *p, const uint8_t *bytes, size_t size, size_t n)
{
	struct na_err err = {.status = NA_OK};
	struct na_input in = {.path = "whole", .data = bytes, .size = size};
	struct na_capfile *f;
	struct na_record r;
	int64_t last = INT64_MIN;
	uint64_t from = HEAD, i = 0;
	size_t part = 0;

	in.warnings_end = &in.warnings;
	memset(&in.arena, 0, sizeof(in.arena));
	f = na_capfile_open(&in, &err);
	assert_non_null(f);
	p->n = n;
	for (size_t k = 0; k < n; k++)
		put(p->fd[k] = file_of("", 0), bytes, HEAD);
	while (na_capfile_next(f, &r) == NA_OK) {
		uint64_t to = (uint64_t)(r.data - bytes) + r.captured_bytes;

		if (r.time_ns > last)
			part = i++ * 7 / 3 % n;
		last = r.time_ns;
		put(p->fd[part], bytes + from, to - from);
		from = to;
	}
	na_capfile_close(f);
	na_arena_fini(&in.arena);
}

static void parts_are_the_whole(const uint8_t *bytes, size_t size, size_t n,
				size_t first)
{
	struct na_capture_counts whole, sum = {.packets = 0};
	char *want = read_one(bytes, size, NULL, &whole), *got;
	struct na_input in[PARTS];
	struct parts p;

	split(&p, bytes, size, n);
	for (size_t i = 0; i < n; i++) /* in any order */
		open_fd(&in[i], p.fd[(first + i) % n], NULL);
	got = read_inputs(in, n);
	assert_string_equal(got, want);
	for (size_t i = 0; i < n; i++) {
		const struct na_capture_counts *c = in[i].capture;

		assert_true(c->packets < whole.packets);
		assert_int_equal(c->interfaces, 1);
		assert_int_equal(in[i].events, c->packets);
		assert_true(c->tcp + c->udp + c->other_ip + c->non_ip +
				    c->malformed <=
			    c->packets);
		sum.packets += c->packets;
		sum.tcp += c->tcp;
		sum.captured_bytes += c->captured_bytes;
		sum.wire_bytes += c->wire_bytes;
		sum.connections += c->connections;
		sum.rpcs += c->rpcs;
	}
	assert_int_equal(sum.packets, whole.packets);
	assert_int_equal(sum.tcp, whole.tcp);
	assert_int_equal(sum.captured_bytes, whole.captured_bytes);
	assert_int_equal(sum.wire_bytes, whole.wire_bytes);
	assert_int_equal(sum.connections, whole.connections);
	assert_int_equal(sum.rpcs, whole.rpcs);
	while (n--)
		na_input_close(&in[n]);
	free(want);
	free(got);
}

static uint8_t *seed(const char *name, size_t *n)
{
	const char *root = getenv("NETAN_ROOT");
	char path[4096];
	uint8_t *bytes = malloc(1 << 16);
	FILE *f;

	assert_non_null(bytes);
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/capture/%s",
		 root ? root : ".", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	*n = fread(bytes, 1, 1 << 16, f);
	fclose(f);
	return bytes;
}

static void merged(void **state)
{
	static const char *const names[] = {"calls.pcap", "exchange.pcap",
					    "roce.pcap"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		size_t n;
		uint8_t *bytes = seed(names[i], &n);

		for (size_t k = 2; k <= PARTS; k++) {
			for (size_t first = 0; first < k; first++)
				parts_are_the_whole(bytes, n, k, first);
		}
		free(bytes);
	}
}

static void merged_real(void **state)
{
	char path[4096];

	(void)state;
	for (size_t i = 0; i < n_capture_truths; i++) {
		const struct capture_truth *t = &capture_truths[i];
		struct na_input in;
		struct na_capfile *f = capfile_real(&in, t->name, path,
						    sizeof(path));

		if (!f) {
			puts("skip: NETAN_TEST_DATA is not set, or has "
			     "no such file");
			skip();
		}
		if (!na_capfile_is_ng(f) && !t->backward && t->packets > 10)
			parts_are_the_whole(in.data, in.size, 2, i % 2);
		capfile_real_end(&in, f);
	}
}

/* ---- other ways in */

static void packed_and_piped(void **state)
{
	struct na_capture_counts counts;
	struct na_input in;
	size_t n, packed;
	uint8_t *bytes = seed("calls.pcap", &n);
	uint8_t *zipped = gzip_of(bytes, n, &packed);
	char *want = read_one(bytes, n, NULL, &counts), *got;
	int fds[2];

	(void)state;
	assert_int_equal(counts.rpcs, 1);
	assert_non_null(strstr(want, "/x"));
	got = read_one(zipped, packed, NULL, &counts);
	assert_string_equal(got, want);
	assert_int_equal(counts.packets, 8);
	free(got);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		put(fds[1], i ? zipped : bytes, i ? packed : n);
		close(fds[1]);
		open_fd(&in, fds[0], NULL);
		assert_string_equal(in.format, "pcap");
		got = read_inputs(&in, 1);
		assert_string_equal(got, want);
		free(got);
		na_input_close(&in);
	}
	free(want);
	free(zipped);
	free(bytes);
}

static void filtered(void **state)
{
	const struct na_input_asks asks = {.filter = "src port 50051"};
	struct na_capture_counts c;
	size_t n;
	uint8_t *bytes = seed("calls.pcap", &n);
	char *text = read_one(bytes, n, &asks, &c);

	(void)state;
	assert_int_equal(c.packets, 3);
	assert_int_equal(c.tcp, 3);
	assert_int_equal(c.filtered, 5);
	assert_non_null(strstr(text, "F "));
	free(text);
	free(bytes);
}

static bool at_once(void *ctx, uint64_t bytes)
{
	uint64_t *sum = ctx;

	*sum += bytes;
	return false;
}

/* Times beyond 106 days are told as that, and not wrapped; Ctrl-C ends the
 * reading as the end of the file does. */
static void far_and_interrupted(void **state)
{
	static struct bytes b;
	uint64_t sum = 0;
	const struct na_input_asks asks = {.go_on = at_once, .ctx = &sum};
	struct na_capture_counts c;
	struct na_input in;
	char *text;

	(void)state;
	b_pcap(&b, 0xa1b2c3d4, 2 << 16 | 4, 65535, 1);
	for (uint32_t i = 0; i < 9000; i++) {
		b_record(&b, i == 1 ? 0x7fffffff : 1000 + i, 0, 4, 4);
		b_put(&b, "abcd", 4);
	}
	open_fd(&in, file_of(b.p, b.n), NULL);
	text = read_inputs(&in, 1);
	assert_int_equal(in.capture->packets, 9000);
	assert_int_equal(in.capture->backward_steps, 1);
	assert_int_equal(in.capture->earliest_ns, INT64_C(1000000000000));
	assert_int_equal(in.n_warnings, 1);
	assert_non_null(strstr(in.warnings->text, "106 days"));
	assert_null(strstr(text, "F -"));
	free(text);
	na_input_close(&in);
	text = read_one(b.p, b.n, &asks, &c);
	assert_true(c.packets > 0 && c.packets < 9000);
	assert_true(sum > 0 && sum <= b.n);
	free(text);
}

static void empty(void **state)
{
	static struct bytes b;
	struct na_capture_counts c;
	char *text;

	(void)state;
	b_pcap(&b, 0xa1b2c3d4, 2 << 16 | 4, 65535, 1);
	text = read_one(b.p, b.n, NULL, &c);
	assert_string_equal(text, "");
	assert_int_equal(c.packets, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged),
		cmocka_unit_test(merged_real),
		cmocka_unit_test(packed_and_piped),
		cmocka_unit_test(filtered),
		cmocka_unit_test(far_and_interrupted),
		cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

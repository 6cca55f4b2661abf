/* Captures that we write, read back; and a live interface, where we may. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/capture/live.h"
#include "ingest/capture/write.h"

enum { PACKETS = 40 };

static uint8_t bytes_of[PACKETS];

static struct na_record packet(uint32_t i)
{
	return (struct na_record){
		.time_ns = INT64_C(1795248666302564795) +
			   (int64_t)i * 999999937,
		.data = bytes_of,
		.captured_bytes = i + 1,
		.wire_bytes = i + 1 + i % 3 * 1000,
		.link = 113,
	};
}

static size_t write_all(uint8_t *to, bool ng)
{
	const struct na_capture_head head = {ng, 113, 96, "eth0"};
	size_t n = na_capture_head(to, &head);

	for (uint32_t i = 0; i < PACKETS; i++) {
		struct na_record r = packet(i);

		n += na_capture_before(to + n, ng, &r);
		memcpy(to + n, r.data, r.captured_bytes);
		n += r.captured_bytes;
		n += na_capture_behind(to + n, ng, &r);
	}
	return n + na_capture_tail(to + n, ng, 5, 40, UINT64_C(3) << 33);
}

static void read_back(void **state)
{
	uint8_t *file = malloc(65536);

	(void)state;
	assert_non_null(file);
	for (uint32_t i = 0; i < PACKETS; i++)
		bytes_of[i] = (uint8_t)(i * 7);
	for (int ng = 0; ng < 2; ng++) {
		struct na_input in = {.path = "x", .data = file};
		struct na_err err = {.status = NA_OK};
		struct na_capfile *f;
		struct na_record r;

		in.size = write_all(file, ng);
		in.warnings_end = &in.warnings;
		memset(&in.arena, 0, sizeof(in.arena));
		f = na_capfile_open(&in, &err);
		assert_non_null(f);
		assert_int_equal(na_capfile_is_ng(f), ng);
		for (uint32_t i = 0; i < PACKETS; i++) {
			struct na_record want = packet(i);

			assert_int_equal(na_capfile_next(f, &r), NA_OK);
			assert_int_equal(r.time_ns, want.time_ns);
			assert_int_equal(r.captured_bytes, i + 1);
			assert_int_equal(r.wire_bytes, want.wire_bytes);
			assert_int_equal(r.link, 113);
			assert_memory_equal(r.data, bytes_of, i + 1);
		}
		assert_int_equal(na_capfile_next(f, &r), NA_END);
		assert_false(in.damaged);
		assert_int_equal(in.n_warnings, 0);
		assert_int_equal(na_capfile_interfaces(f), 1);
		na_capfile_close(f);
		na_arena_fini(&in.arena);
	}
	free(file);
}

static void refused(void **state)
{
	const struct na_live_options nowhere = {.interface = "no-such-if",
						.snap_bytes = 96};
	struct na_err err = {.status = NA_OK};
	const char *remark;
	struct na_live *l;

	(void)state;
	assert_int_equal(na_live_open(&l, &nowhere, &remark, &err), NA_EIO);
	assert_non_null(strstr(err.text, "no-such-if"));
}

struct heard {
	uint64_t packets, ours;
	int64_t last_ns;
};

static enum na_status hear(void *ctx, const struct na_record *r)
{
	struct heard *h = ctx;

	h->packets++;
	h->ours += r->captured_bytes == 64 && r->wire_bytes == 14 + 28 + 500;
	h->last_ns = r->time_ns;
	return h->packets == 5 ? NA_END : NA_OK;
}

static void say_something(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(9),
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char text[500] = "";

	for (int i = 0; fd >= 0 && i < 8; i++)
		(void)!sendto(fd, text, sizeof(text), 0,
			      (const struct sockaddr *)&to, sizeof(to));
	close(fd);
}

static void loopback(void **state)
{
	const struct na_live_options o = {.interface = "lo",
					  .filter = "udp dst port 9",
					  .snap_bytes = 64};
	struct na_err err = {.status = NA_OK};
	struct heard h = {0};
	struct na_live_counts c;
	const char *remark;
	struct na_live *l;

	(void)state;
	if (na_live_open(&l, &o, &remark, &err) != NA_OK) {
		print_message("skip: %s\n", err.text);
		skip();
	}
	say_something();
	for (int i = 0; i < 50 && h.packets < 5; i++)
		na_in_err(na_live_round(l, 100, 0, hear, &h, &err));
	assert_int_equal(err.status, NA_OK);
	/* Others may use the port, too; the round ends where it is told. */
	assert_int_equal(h.packets, 5);
	assert_true(h.ours > 0);
	assert_true(h.last_ns / 1000000000 - time(NULL) < 60 &&
		    time(NULL) - h.last_ns / 1000000000 < 60);
	na_live_counts(l, &c);
	assert_int_equal(c.packets, 5);
	assert_true(c.received >= 5);
	na_live_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_back),
		cmocka_unit_test(refused),
		cmocka_unit_test(loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A live capture that keeps transfers alone, without names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/pseudonyms.h"
#include "netan/cli/commands/capture_out.h"
#include "tests/unit/xfer_story.h"

enum { RAW_IP = 101, HEADERS = 40, SYN = 2, ACK = 16, PORT = 50051 };

/* Of one connection: what each side has said, and how late it is. */
struct talk {
	struct na_capture_kept *kept;
	uint32_t said[2];
	uint16_t port;
	int64_t now_ns;
};

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

static void send(struct talk *t, bool back, unsigned flags, const uint8_t *data,
		 size_t n)
{
	uint8_t p[1024] = {0x45};
	struct na_record r = {.time_ns = t->now_ns += 1000000,
			      .data = p,
			      .captured_bytes = (uint32_t)(HEADERS + n),
			      .wire_bytes = (uint32_t)(HEADERS + n),
			      .link = RAW_IP};
	struct na_err err = {.status = NA_OK};

	put16(p + 2, (unsigned)(HEADERS + n));
	p[8] = 64;
	p[9] = 6;
	put32(p + 12, back ? 0x0a000002 : 0x0a000001);
	put32(p + 16, back ? 0x0a000001 : 0x0a000002);
	put16(p + 20, back ? PORT : t->port);
	put16(p + 22, back ? t->port : PORT);
	put32(p + 24, t->said[back]);
	put32(p + 28, t->said[!back]);
	p[32] = 0x50;
	p[33] = (uint8_t)flags;
	put16(p + 34, 0xffff);
	if (n)
		memcpy(p + HEADERS, data, n);
	t->said[back] += (uint32_t)n + (flags & SYN ? 1 : 0);
	assert_int_equal(na_capture_kept_put(t->kept, &r, &err), NA_OK);
}

/* A call, whole, of that path. */
static void call(struct talk *t, const char *path)
{
	static const uint8_t begin[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
				       "\0\0\0\4\0\0\0\0\0\0\0\0\1\4\0\0\0\1"
				       "\203\206\4";
	static const uint8_t type[] = "_\20application/grpc"
				      "\0\0\7\0\1\0\0\0\1\0\0\0\0\2\253\315";
	static const uint8_t answer[] = "\0\0\0\4\0\0\0\0\0"
					"\0\0\1\1\4\0\0\0\1\210"
					"\0\0\6\0\0\0\0\0\1\0\0\0\0\1\357"
					"\0\0\17\1\5\0\0\0\1\0\13grpc-status"
					"\1"
					"0";
	size_t n = strlen(path), at = sizeof(begin) - 1;
	uint8_t request[512];

	memcpy(request, begin, at);
	request[35] = (uint8_t)(3 + 1 + n + 18);
	request[at++] = (uint8_t)n;
	memcpy(request + at, path, n);
	memcpy(request + at + n, type, sizeof(type) - 1);
	t->port++;
	t->said[0] = 100;
	t->said[1] = 900;
	send(t, false, SYN, NULL, 0);
	send(t, true, SYN | ACK, NULL, 0);
	send(t, false, ACK, request, at + n + sizeof(type) - 1);
	send(t, true, ACK, answer, sizeof(answer) - 1);
}

/* What the records of a file tell, as text. */
static void tell_file(const char *path, struct told *t)
{
	uint8_t bytes[65536];
	FILE *f = fopen(path, "rb");
	struct back b;
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	told_init(t);
	open_back(&b, bytes, n, NA_WANT_TRANSFERS | NA_WANT_CALLS);
	assert_true(b.opened);
	tell_all(&b, t);
	close_back(&b);
}

/* A user whose name begins that of a method, which only a path tells that is
 * asked for later. */
static void a_name_told_later(void **state)
{
	struct na_request q = {.pseudonyms = na_pseudonyms_new()};
	struct na_live_counts counts = {.packets = 8};
	struct na_err err = {.status = NA_OK};
	struct talk t = {.port = 40000, .now_ns = 1795248666302564795};
	struct told told;
	uint64_t transfers, bytes;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "kept.%ld.netan", (long)getpid());
	assert_non_null(q.pseudonyms);
	t.kept = na_capture_kept_new(path, "zq0", &q, &err);
	assert_non_null(t.kept);
	call(&t, "/zqcarol-trainer.Api/Get");
	assert_int_equal(na_capture_kept_flush(t.kept, &err), NA_OK);
	call(&t, "/home/zqcarol/run.py");
	assert_int_equal(na_capture_kept_close(t.kept, &counts, true,
					       &transfers, &bytes, &err),
			 NA_OK);
	tell_file(path, &told);
	assert_int_equal(remove(path), 0);
	assert_null(strstr(told.text, "zqcarol"));
	assert_non_null(strstr(told.text, "user-1-trainer.Api/Get"));
	told_fini(&told);
	na_pseudonyms_free(q.pseudonyms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_told_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Any bytes as a transfer file.  As they are, but with right checksums, so
 * that what stands behind them is reached; and as the sections of one block,
 * packed here, so that what stands in them is.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "ingest/bytes/wire.h"
#include "ingest/transfer_file/bytes.h"
#include "ingest/transfer_file/format.h"
#include "netan/base/vec.h"
#include "tests/fuzz/walk.h"

enum {
	MAX_ROWS = 4096,
	WALK_NETAN = WALK_ALL | NA_WANT_CALLS | NA_WANT_CONNECTIONS |
		     NA_WANT_PACKETS
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_file(const uint8_t *p, size_t n, uint32_t wants)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct na_err err = {.status = NA_OK};
	struct na_input in;
	char path[64];

	walk_must(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (na_input_open(&in, path, wants, NULL, &err) == NA_OK) {
		walk_must(in.reader == &na_reader_netan);
		struct na_input last;

		if (in.n_sources > 1) {
			walk_must(na_input_open_source(&last, &in,
						       in.n_sources - 1,
						       &err) == NA_OK);
			walk(&last, NA_ANCHOR_AUTO);
			na_input_close(&last);
		}
		walk(&in, NA_ANCHOR_AUTO);
		na_input_close(&in);
	} else {
		walk_must(err.text[0] != '\0');
	}
	close(fd);
}

static void right_checksums(uint8_t *p, size_t n)
{
	struct na_cursor c = na_cursor_of(p, n);

	while (na_left(&c) > XF_SYNC_BYTES) {
		const uint8_t *at = memmem(c.p, na_left(&c), XF_SYNC,
					   XF_SYNC_BYTES);
		struct na_field f;
		uint32_t crc;
		uint8_t *to;

		if (!at)
			return;
		c.p = at + XF_SYNC_BYTES;
		if (na_field_next(&c, &f) != NA_NEXT_FIELD ||
		    f.tag != NA_TAG(3, NA_W_BYTES) || f.value < 5)
			continue;
		to = p + (f.body.p - p);
		crc = (uint32_t)crc32_z(0, to + 5, (size_t)f.value - 5);
		to[0] = NA_TAG(1, NA_W_FIXED32);
		for (int i = 0; i < 4; i++)
			to[1 + i] = (uint8_t)(crc >> 8 * i);
	}
}

static void put_block(struct na_xf_bytes *to, struct na_xf_bytes *block)
{
	static const uint8_t crc[5];

	na_xf_put(to, XF_SYNC, XF_SYNC_BYTES);
	na_xf_put_varint(to, NA_TAG(3, NA_W_BYTES));
	na_xf_put_varint(to, block->n + sizeof(crc));
	na_xf_put(to, crc, sizeof(crc));
	na_xf_put(to, block->p, block->n);
	block->n = 0;
}

/* kind, rows, length, payload; and again. */
static void as_sections(const uint8_t *p, size_t n)
{
	struct na_xf_bytes file = {.p = NULL}, block = {.p = NULL};
	struct na_xf_bytes records = {.p = NULL};
	static const uint8_t header[] = {0x08, 1, 0x2a, 0};
	static const uint32_t wants[] = {WALK_NETAN, WALK_NETAN,
					 NA_WANT_ACTIONS, NA_WANT_HOST_EVENTS};
	struct na_cursor c = na_cursor_of(p, n);
	uint64_t kind, rows, length;

	na_xf_put(&file, XF_MAGIC, XF_MAGIC_BYTES);
	na_xf_put_field(&block, 4, header, sizeof(header));
	put_block(&file, &block);
	while (na_varint(&c, &kind) && na_varint(&c, &rows) &&
	       na_varint(&c, &length) && length <= na_left(&c)) {
		struct na_xf_bytes payload = {.p = NULL};

		na_xf_put(&payload, c.p, (size_t)length);
		na_xf_put_section(&records, NULL, (uint32_t)kind,
				  rows % MAX_ROWS, &payload);
		na_xf_bytes_fini(&payload);
		na_skip(&c, length);
	}
	if (na_left(&c))
		na_xf_put_field(&records, 2, c.p, na_left(&c));
	na_xf_put_uint(&block, 3, MAX_ROWS);
	na_xf_put_field(&block, 5, records.p, records.n);
	put_block(&file, &block);
	right_checksums(file.p, file.n);
	walk_must(!file.failed && !records.failed);
	read_file(file.p, file.n, wants[walk_way(n, NA_LEN(wants))]);
	na_xf_bytes_fini(&file);
	na_xf_bytes_fini(&block);
	na_xf_bytes_fini(&records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	walk_must(copy != NULL);
	memcpy(copy, data, size);
	if (size > XF_MAGIC_BYTES &&
	    memcmp(data, XF_MAGIC, XF_MAGIC_BYTES) == 0) {
		right_checksums(copy, size);
		read_file(copy, size,
			  walk_way(size, 4) ? WALK_NETAN : WALK_TRANSFERS);
	} else {
		as_sections(data, size);
	}
	free(copy);
	return 0;
}

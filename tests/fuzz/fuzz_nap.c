/*
 * Any bytes as what shards have written: as a file of theirs with right
 * checksums; and as the messages of one shard, each behind its length, which
 * a session is made of.
 */
#include <zlib.h>

#include "ingest/bytes/wire.h"
#include "netan/engine/mpi/mpi.h"
#include "netan/engine/partial/nap.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the file */

static void right_checksums(uint8_t *p, size_t n)
{
	size_t at = NAP_MAGIC_BYTES;

	while (at < n && n - at >= NAP_BLOCK_HEAD + NAP_CRC_BYTES) {
		size_t raw = na_get32(p + at + 1, false);
		size_t packed = na_get32(p + at + 5, false);
		size_t body = NAP_BLOCK_HEAD + (packed ? packed : raw);
		uint32_t crc;

		if (body > n - at - NAP_CRC_BYTES)
			return;
		crc = (uint32_t)crc32_z(0, p + at, body);
		for (size_t i = 0; i < NAP_CRC_BYTES; i++)
			p[at + body + i] = (uint8_t)(crc >> 8 * i);
		at += body + NAP_CRC_BYTES;
	}
}

static void as_file(const uint8_t *p, size_t n)
{
	int fd = memfd_create("nap", MFD_CLOEXEC);
	struct na_nap_block b = {.of = NULL};
	struct na_err err = {.status = NA_OK};
	enum na_status st;
	struct na_nap f;
	char path[64];

	walk_must(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	st = na_nap_open(&f, path, &err);
	while (st == NA_OK) {
		size_t length;
		void *m;

		st = na_nap_next(&f, &b, &m, &length, &err);
		walk_must((st == NA_OK) == (m != NULL));
		free(m);
	}
	walk_must(st == NA_END || *err.text);
	na_nap_block_free(&b);
	na_nap_close(&f);
	close(fd);
}

/* ---- the messages */

static enum na_status send(struct na_world *w, size_t to, const void *p,
			   size_t n, struct na_err *err)
{
	(void)w;
	(void)p;
	(void)n;
	(void)err;
	walk_must(to == 1);
	return NA_OK;
}

static enum na_status recv(struct na_world *w, size_t from, void **p, size_t *n,
			   struct na_err *err)
{
	struct na_cursor *c = w->ctx, m;
	uint64_t length;

	walk_must(from == 1);
	*p = NULL;
	if (!na_varint(c, &length) || !na_sub(c, length, &m))
		return NA_END;
	*n = na_left(&m);
	*p = malloc(*n + !*n);
	if (!*p)
		return na_fail_nomem(err);
	memcpy(*p, m.p, *n);
	return NA_OK;
}

static void read_session(struct na_session *s)
{
	struct na_err err = {.status = NA_OK};

	na_filter_init(&s->filter);
	if (na_session_read(s, true, &err) != NA_OK)
		return;
	walk_check(&s->store, UINT64_MAX);
	walk_check_host_events(&s->store);
	walk_check_devices(&s->store);
	walk_check_busy(&s->store);
	(void)!na_session_verdict(s);
}

static void as_messages(const uint8_t *p, size_t n)
{
	static const struct na_world_ops ops = {send, recv};
	struct na_request_input input = {.path = "/nowhere"};
	struct na_cursor c = na_cursor_of(p, n);
	struct na_world w = {.size = 2, .ops = &ops, .files = true, .ctx = &c};
	struct na_mpi mpi;
	struct na_request q;
	struct na_session s;

	na_request_init(&q);
	q.inputs = &input;
	q.n_inputs = 1;
	q.threads = 1;
	q.world = &w;
	na_mpi_init(&mpi, &w);
	q.mpi = &mpi;
	if (na_session_open(&s, &q, WALK_ALL) == NA_OK)
		read_session(&s);
	na_session_close(&s);
	na_mpi_fini(&mpi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	walk_must(copy != NULL);
	memcpy(copy, data, size);
	if (size > NAP_MAGIC_BYTES &&
	    memcmp(data, NAP_MAGIC, NAP_MAGIC_BYTES) == 0) {
		right_checksums(copy, size);
		as_file(copy, size);
	} else {
		as_messages(data, size);
	}
	free(copy);
	return 0;
}

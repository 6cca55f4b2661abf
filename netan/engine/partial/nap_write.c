#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "ingest/bytes/wire.h"
#include "netan/base/vec.h"
#include "netan/engine/mpi/message.h"
#include "netan/engine/partial/nap.h"
#include "netan/model/store.h"

enum { LEVEL = 1 }; /* a disk is slower */

uint32_t na_nap_layout(void)
{
	static const uint32_t sizes[] = {
#define NA_RECORD(KIND, chunks, one, type, ...) (uint32_t)sizeof(struct type),
#define NA_RECORD_PACKED(KIND, chunks, one, type, kept, ...) \
	(uint32_t)sizeof(struct type), (uint32_t)sizeof(struct kept),
#include "netan/model/records.def"
		sizeof(struct na_op_type),
		sizeof(struct na_tally),
		NA_N_CLASSES,
		NA_N_STYLES,
		NA_N_COMPONENTS,
		NA_N_ACTIONS,
		NA_N_OPCODES,
		NA_N_OPJOINS,
		NA_N_REASONS,
		NA_REMARKS_MAX,
		NA_MSG_DONE,
		/* In the order of this machine's bytes. */
		0x01020304,
	};

	/* And what is told of each input. */
	static const char facts[] =
#define TEXT(member)   "T" #member
#define NUMBER(member) "N" #member
#include "netan/engine/mpi/facts.def"
		"";

	return (uint32_t)crc32_z(crc32_z(0, (const void *)sizes, sizeof(sizes)),
				 (const void *)facts, sizeof(facts));
}

static void put_fixed(struct na_xf_bytes *to, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t byte = (uint8_t)(v >> 8 * i);

		na_xf_put(to, &byte, 1);
	}
}

static enum na_status cannot_write(const struct na_nap_out *o,
				   struct na_err *err)
{
	return na_fail(err, NA_EIO, "cannot write %s: %s", o->path,
		       strerror(errno));
}

static enum na_status put_block(struct na_nap_out *o, enum nap_kind kind,
				const uint8_t *p, size_t n, struct na_err *err)
{
	size_t bound = ZSTD_compressBound(n), packed = 0;
	uint8_t byte = (uint8_t)kind, *z = na_calloc(bound, 1);
	struct na_xf_bytes b = {.p = NULL};

	if (z)
		packed = ZSTD_compress(z, bound, p, n, LEVEL);
	if (ZSTD_isError(packed) || packed >= n ||
	    (packed && n / packed > NAP_RATIO))
		packed = 0;
	na_xf_put(&b, &byte, 1);
	put_fixed(&b, n, 4);
	put_fixed(&b, packed, 4);
	na_xf_put(&b, packed ? z : p, packed ? packed : n);
	put_fixed(&b, crc32_z(0, b.p, b.n), NAP_CRC_BYTES);
	free(z);
	if (b.failed)
		na_fail_nomem(err);
	else if (fwrite(b.p, 1, b.n, o->to) != b.n)
		cannot_write(o, err);
	na_xf_bytes_fini(&b);
	return err->status;
}

static void put_head(struct na_xf_bytes *m, const struct na_nap_head *h)
{
	na_xf_put_text(m, 1, NETAN_VERSION);
	na_xf_put_uint(m, 2, na_nap_layout());
	for (int i = 0; i < h->n_words; i++)
		na_xf_put_field(m, 3, h->words[i], strlen(h->words[i]));
	na_xf_put_uint(m, 4, h->shard);
	na_xf_put_uint(m, 5, h->shards);
	na_xf_put_uint(m, 6, h->round);
	na_xf_put_text(m, 7, h->plan);
}

enum na_status na_nap_begin(struct na_nap_out *o, FILE *to, const char *path,
			    const struct na_nap_head *head, struct na_err *err)
{
	struct na_xf_bytes m = {.p = NULL};

	*o = (struct na_nap_out){.to = to, .path = path};
	put_head(&m, head);
	if (m.failed)
		na_fail_nomem(err);
	else if (m.n > NA_NAP_BLOCK_BYTES)
		na_fail(err, NA_EUSAGE,
			"the command line is longer than a MiB: name a "
			"directory in place of its files");
	else if (fwrite(NAP_MAGIC, 1, NAP_MAGIC_BYTES, to) != NAP_MAGIC_BYTES)
		cannot_write(o, err);
	else
		na_in_err(put_block(o, NAP_HEAD, m.p, m.n, err));
	na_xf_bytes_fini(&m);
	return err->status;
}

enum na_status na_nap_cut(struct na_nap_out *o, struct na_err *err)
{
	enum na_status st = NA_OK;

	if (o->bytes.failed)
		return na_fail_nomem(err);
	for (size_t at = 0, n; st == NA_OK && at < o->bytes.n; at += n) {
		n = o->bytes.n - at;
		if (n > NA_NAP_BLOCK_BYTES)
			n = NA_NAP_BLOCK_BYTES;
		st = put_block(o, NAP_BYTES, o->bytes.p + at, n, err);
	}
	o->bytes.n = 0;
	return st;
}

enum na_status na_nap_put(struct na_nap_out *o, const void *p, size_t n,
			  struct na_err *err)
{
	na_xf_put_varint(&o->bytes, n);
	na_xf_put(&o->bytes, p, n);
	o->messages++;
	return o->bytes.n < NA_NAP_BLOCK_BYTES ? NA_OK : na_nap_cut(o, err);
}

enum na_status na_nap_end(struct na_nap_out *o, struct na_err *err)
{
	uint8_t p[NAP_END_BYTES] = {NAP_END, 8};
	enum na_status st = na_nap_cut(o, err);
	uint32_t crc;

	if (st != NA_OK)
		return st;
	for (size_t i = 0; i < 8; i++)
		p[NAP_BLOCK_HEAD + i] = (uint8_t)(o->messages >> 8 * i);
	crc = (uint32_t)crc32_z(0, p, sizeof(p) - NAP_CRC_BYTES);
	for (size_t i = 0; i < NAP_CRC_BYTES; i++)
		p[sizeof(p) - NAP_CRC_BYTES + i] = (uint8_t)(crc >> 8 * i);
	if (fwrite(p, 1, sizeof(p), o->to) != sizeof(p) || fflush(o->to) != 0)
		return cannot_write(o, err);
	return NA_OK;
}

void na_nap_free(struct na_nap_out *o)
{
	na_xf_bytes_fini(&o->bytes);
}

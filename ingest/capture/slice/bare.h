/*
 * --anonymize: records and blocks as they are written, without names.
 *
 *	packets     hide.h; of pcapng without comments and other options
 *	sections    without options
 *	interfaces  link type, snap length, and how times are counted
 *	statistics  times and counts
 *	others      nothing: names that were resolved, secrets, logs
 */
#ifndef INGEST_CAPTURE_SLICE_BARE_H
#define INGEST_CAPTURE_SLICE_BARE_H

#include "ingest/capture/capfile_parts.h"
#include "ingest/capture/slice/hide.h"
#include "ingest/transfer_file/bytes.h"

/* Appended to `to`: the record of f that begins at `from`, ... */
void na_cut_bare_record(struct na_xf_bytes *to, const struct na_hide *h,
			const struct na_capfile *f, const uint8_t *from,
			const struct na_record *r);
/* ... the block of n bytes there, which holds no packet. */
void na_cut_bare_block(struct na_xf_bytes *to, const uint8_t *from, size_t n,
		       const struct na_capfile_block *b);

static inline void na_cut_set32(uint8_t *p, uint32_t x, bool big)
{
	for (int i = 0; i < 4; i++)
		p[big ? 3 - i : i] = (uint8_t)(x >> 8 * i);
}

static inline void na_cut_add32(struct na_xf_bytes *to, uint32_t x, bool big)
{
	uint8_t out[4];

	na_cut_set32(out, x, big);
	na_xf_put(to, out, sizeof(out));
}

#endif

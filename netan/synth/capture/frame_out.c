/*
 * RFC 791, 768, 9293, 1071; draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
 */
#include "netan/synth/capture/frame_out.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/synth/rng.h"

enum {
	BUFFER_BYTES = 1 << 20,
	LARGEST_FRAME = 16384,
	ETHERNET = 14,
	IP = 20,
	TCP = 20,
	UDP = 8,
	RECORD = 16, /* of pcap */
	BLOCK = 28,  /* of pcapng, before the frame */
	SNAP_ALL = 262144
};

struct na_frames {
	struct na_out_file *out;
	bool ng;
	uint32_t snaplen;
	struct na_frame_sums total;
	uint8_t *buf;
	size_t n;
	uint16_t ident;
	uint8_t pattern[2 * NA_FRAME_PATTERN];
	/* Sum of the 16-bit words before each even place. */
	uint32_t sums[NA_FRAME_PATTERN + 1];
	uint8_t frame[LARGEST_FRAME];
};

static void le16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static void le32(uint8_t *p, uint32_t v)
{
	le16(p, v);
	le16(p + 2, v >> 16);
}

/* ---- checksums */

static uint64_t sum_bytes(const uint8_t *p, size_t n)
{
	uint64_t sum = 0;
	size_t i = 0;

	for (; i + 1 < n; i += 2)
		sum += (uint64_t)p[i] << 8 | p[i + 1];
	return i < n ? sum + ((uint64_t)p[i] << 8) : sum;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* Even places only, so that the words of the pattern are those of the
 * packet.  Text-like bytes, which no protocol takes for its own. */
static void make_pattern(struct na_frames *f)
{
	struct na_rng r;

	na_rng_seed(&r, 1);
	for (size_t i = 0; i < NA_FRAME_PATTERN; i++)
		f->pattern[i] = (uint8_t)('a' + na_rng_below(&r, 26));
	memcpy(f->pattern + NA_FRAME_PATTERN, f->pattern, NA_FRAME_PATTERN);
	for (size_t i = 0; i < NA_FRAME_PATTERN; i++)
		f->sums[i + 1] = f->sums[i] +
				 ((uint32_t)f->pattern[2 * i] << 8 |
				  f->pattern[2 * i + 1]);
}

static const uint8_t *data_at(const struct na_frames *f,
			      const struct na_frame_data *d, uint64_t *sum)
{
	size_t at = (size_t)(d->at % NA_FRAME_PATTERN) & ~(size_t)1;

	if (d->bytes) {
		*sum = sum_bytes(d->bytes, d->n);
		return d->bytes;
	}
	*sum = f->sums[(at + d->n) / 2] - f->sums[at / 2];
	if (d->n & 1)
		*sum += (uint64_t)f->pattern[at + d->n - 1] << 8;
	return f->pattern + at;
}

/* ---- the file */

static enum na_status flush(struct na_frames *f, struct na_err *err)
{
	enum na_status st = na_out_write(f->out, f->buf, f->n, err);

	f->n = 0;
	return st;
}

static void put_head(struct na_frames *f)
{
	static const uint8_t section[28] = {0x0a, 0x0d, 0x0d, 0x0a, 28,   0,
					    0,    0,    0x4d, 0x3c, 0x2b, 0x1a,
					    1,    0,    0,    0,    0xff, 0xff,
					    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					    28,   0,    0,    0};
	/* Ethernet, its snap length, nanoseconds, the name of an interface. */
	static const uint8_t interface[40] = {1, 0, 0, 0, 40,  0,   0,   0,
					      1, 0, 0, 0, 0,   0,   0,   0,
					      2, 0, 4, 0, 'e', 't', 'h', '0',
					      9, 0, 1, 0, 9,   0,   0,   0,
					      0, 0, 0, 0, 40,  0,   0,   0};
	uint32_t snap = f->snaplen ? f->snaplen : SNAP_ALL;
	uint8_t *p = f->buf;

	if (f->ng) {
		memcpy(p, section, sizeof(section));
		memcpy(p + sizeof(section), interface, sizeof(interface));
		le32(p + sizeof(section) + 12, snap);
		f->n = sizeof(section) + sizeof(interface);
		return;
	}
	memset(p, 0, 24);
	le32(p, 0xa1b23c4d);
	le16(p + 4, 2);
	le16(p + 6, 4);
	le32(p + 16, snap);
	le32(p + 20, 1);
	f->n = 24;
}

enum na_status na_frames_open(struct na_frames **out, const char *path,
			      int pack, bool ng, uint32_t snaplen,
			      struct na_err *err)
{
	struct na_frames *f = calloc(1, sizeof(*f));
	enum na_status st;

	*out = NULL;
	if (!f)
		return na_fail_nomem(err);
	f->ng = ng;
	f->snaplen = snaplen;
	f->buf = malloc(BUFFER_BYTES);
	st = f->buf ? na_out_open(&f->out, path, pack, err)
		    : na_fail_nomem(err);
	if (st) {
		na_frames_abandon(f);
		return st;
	}
	make_pattern(f);
	put_head(f);
	*out = f;
	return NA_OK;
}

void na_frames_abandon(struct na_frames *f)
{
	if (!f)
		return;
	na_out_abandon(f->out);
	free(f->buf);
	free(f);
}

enum na_status na_frames_finish(struct na_frames *f, uint64_t *bytes,
				struct na_err *err)
{
	enum na_status st = flush(f, err);
	uint64_t whole;

	if (!st) {
		st = na_out_finish(f->out, -1, -1, bytes, &whole, err);
		f->out = NULL;
	}
	na_frames_abandon(f);
	return st;
}

/* f->frame holds what was captured of `wire` bytes. */
static enum na_status put_record(struct na_frames *f, int64_t time_ns,
				 uint32_t captured, uint32_t wire,
				 struct na_err *err)
{
	uint32_t pad = f->ng ? -captured & 3u : 0;
	uint32_t all = BLOCK + captured + pad + 4;
	uint8_t *p;

	if (f->n + all > BUFFER_BYTES) {
		enum na_status st = flush(f, err);

		if (st)
			return st;
	}
	p = f->buf + f->n;
	if (f->ng) {
		le32(p, 6);
		le32(p + 4, all);
		le32(p + 8, 0);
		le32(p + 12, (uint32_t)((uint64_t)time_ns >> 32));
		le32(p + 16, (uint32_t)time_ns);
		le32(p + 20, captured);
		le32(p + 24, wire);
		memcpy(p + BLOCK, f->frame, captured);
		memset(p + BLOCK + captured, 0, pad);
		le32(p + all - 4, all);
		f->n += all;
	} else {
		le32(p, (uint32_t)(time_ns / NA_NS_PER_S));
		le32(p + 4, (uint32_t)(time_ns % 1000000000));
		le32(p + 8, captured);
		le32(p + 12, wire);
		memcpy(p + RECORD, f->frame, captured);
		f->n += RECORD + captured;
	}
	f->total.frames++;
	f->total.wire_bytes += wire;
	f->total.captured_bytes += captured;
	return NA_OK;
}

/* ---- headers */

/* Returns the sum of the pseudo header. */
static uint64_t put_ip(struct na_frames *f, const struct na_frame_end *src,
		       const struct na_frame_end *dst, uint8_t protocol,
		       uint32_t n, uint8_t ecn)
{
	uint8_t *p = f->frame;

	memcpy(p, dst->mac, 6);
	memcpy(p + 6, src->mac, 6);
	na_put_be(p + 12, 0x0800, 2);
	p += ETHERNET;
	p[0] = 0x45;
	p[1] = ecn;
	na_put_be(p + 2, IP + n, 2);
	na_put_be(p + 4, ++f->ident, 2);
	na_put_be(p + 6, 0x4000, 2); /* don't fragment */
	p[8] = 64;
	p[9] = protocol;
	na_put_be(p + 10, 0, 2);
	memcpy(p + 12, src->ip, 4);
	memcpy(p + 16, dst->ip, 4);
	na_put_be(p + 10, fold(sum_bytes(p, IP)), 2);
	return sum_bytes(p + 12, 8) + protocol + n;
}

/* The payload behind `head` bytes of headers, as far as it is captured. */
static enum na_status put_data(struct na_frames *f, int64_t time_ns,
			       uint32_t head, const uint8_t *data, uint32_t n,
			       struct na_err *err)
{
	uint32_t wire = head + n, captured = wire;

	if (f->snaplen && captured > f->snaplen)
		captured = f->snaplen;
	if (captured > head)
		memcpy(f->frame + head, data, captured - head);
	return put_record(f, time_ns, captured, wire, err);
}

enum na_status na_frames_tcp(struct na_frames *f, int64_t time_ns,
			     const struct na_frame_end *src,
			     const struct na_frame_end *dst,
			     const struct na_frame_tcp *t,
			     const struct na_frame_data *data,
			     struct na_err *err)
{
	uint32_t head = TCP + (uint32_t)t->n_options;
	uint64_t data_sum = 0;
	const uint8_t *bytes = data->n ? data_at(f, data, &data_sum) : NULL;
	uint64_t sum = put_ip(f, src, dst, 6, head + data->n, 0);
	uint8_t *p = f->frame + ETHERNET + IP;

	na_put_be(p, src->port, 2);
	na_put_be(p + 2, dst->port, 2);
	na_put_be(p + 4, t->seq, 4);
	na_put_be(p + 8, t->ack, 4);
	p[12] = (uint8_t)(head / 4 << 4);
	p[13] = t->flags;
	na_put_be(p + 14, t->window, 2);
	na_put_be(p + 16, 0, 4);
	memcpy(p + TCP, t->options, t->n_options);
	na_put_be(p + 16, fold(sum + sum_bytes(p, head) + data_sum), 2);
	return put_data(f, time_ns, ETHERNET + IP + head, bytes, data->n, err);
}

enum na_status na_frames_udp(struct na_frames *f, int64_t time_ns,
			     const struct na_frame_end *src,
			     const struct na_frame_end *dst,
			     const uint8_t *head, size_t n_head,
			     uint32_t n_data, uint8_t ecn, struct na_err *err)
{
	uint32_t n = UDP + (uint32_t)n_head + n_data;
	uint8_t *p = f->frame + ETHERNET + IP;

	put_ip(f, src, dst, 17, n, ecn);
	na_put_be(p, src->port, 2);
	na_put_be(p + 2, dst->port, 2);
	na_put_be(p + 4, n, 2);
	na_put_be(p + 6, 0, 2);
	memcpy(p + UDP, head, n_head);
	return put_data(f, time_ns, ETHERNET + IP + UDP + (uint32_t)n_head,
			f->pattern, n_data, err);
}

const struct na_frame_sums *na_frames_sums(const struct na_frames *f)
{
	return &f->total;
}

/*
 * Blocks of pcapng.
 *
 *   block: type 4, length 4 (of the whole block), body, length 4 again
 *
 * A section header starts anew: byte order, and the list of interfaces.
 * Packets are in enhanced (6), simple (3) and the obsolete (2) blocks; names,
 * statistics, secrets and custom blocks are passed over.
 */
#include "ingest/capture/capfile.h"

#include <inttypes.h>
#include <string.h>

#include "ingest/capture/capfile_parts.h"
#include "ingest/capture/slice/cut.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

enum {
	BLOCK_IDB = 1,
	BLOCK_PACKET = 2,
	BLOCK_SIMPLE = 3,
	BLOCK_NRB = 4,
	BLOCK_ISB = 5,
	BLOCK_ENHANCED = 6,
	BLOCK_SYSTEMD = 9,
	BLOCK_DSB = 10,
	BLOCK_SHB = 0x0a0d0d0a
};
enum { FRAME = 12, OPT_COMMENT = 1, OPT_TSRESOL = 9, OPT_TSOFFSET = 14 };
static const uint32_t order_mark = 0x1a2b3c4d;

struct block {
	uint32_t type;
	struct na_cursor body;
};

/* A whole block at c, past which it goes: both lengths the same, byte order
 * as in f, of a section header as it says. */
static bool read_block(const struct na_capfile *f, struct na_cursor *c,
		       struct block *b, bool *big)
{
	const uint8_t *p = c->p;
	size_t left = na_left(c);
	uint32_t length;

	*big = f->big;
	if (left < FRAME)
		return false;
	b->type = na_get32(p, *big);
	if (b->type == BLOCK_SHB) { /* the same in either order */
		if (left < 28)
			return false;
		*big = na_get32(p + 8, true) == order_mark;
		if (na_get32(p + 8, *big) != order_mark)
			return false;
	}
	length = na_get32(p + 4, *big);
	if (length < FRAME || length % 4 || length > left)
		return false;
	if (na_get32(p + length - 4, *big) != length)
		return false;
	na_sub(c, length, &b->body);
	na_skip(&b->body, 8);
	na_clip(&b->body, length - FRAME);
	return true;
}

static enum na_capfile_kind kind_of(uint32_t type)
{
	switch (type) {
	case BLOCK_SHB:
		return NA_BLOCK_SECTION;
	case BLOCK_IDB:
		return NA_BLOCK_INTERFACE;
	case BLOCK_ISB:
		return NA_BLOCK_STATISTICS;
	case BLOCK_PACKET:
	case BLOCK_SIMPLE:
	case BLOCK_ENHANCED:
		return NA_BLOCK_PACKET;
	}
	return NA_BLOCK_OTHER;
}

bool na_capfile_block(struct na_cursor *c, bool big, struct na_capfile_block *b)
{
	const struct na_capfile f = {.big = big};
	struct block x;

	if (!read_block(&f, c, &x, &b->big))
		return false;
	b->kind = kind_of(x.type);
	return true;
}

static bool known_block(uint32_t type)
{
	return (type >= BLOCK_IDB && type <= BLOCK_DSB) || type == BLOCK_SHB ||
	       (type & 0x7fffffff) == 0x00000bad;
}

static bool plausible(const struct na_capfile *f, struct na_cursor c)
{
	struct block b;
	bool big;

	for (int i = 0; i < NA_CHAIN; i++) {
		if (i > 0 && !na_left(&c))
			return true;
		if (!read_block(f, &c, &b, &big) || !known_block(b.type))
			return false;
		if (b.type == BLOCK_SHB)
			return true;
	}
	return true;
}

static void set_resolution(struct na_capture_interface *x, uint8_t code)
{
	uint64_t power = 1;
	int n = code & 0x7f;

	x->binary = code & 0x80;
	x->shift = (uint8_t)n;
	x->mul = x->div = 1;
	if (x->binary)
		return;
	if (n > 28) { /* nothing in 64 bits reaches a nanosecond */
		x->mul = 0;
		return;
	}
	for (int i = n < 9 ? n : 9; i < (n < 9 ? 9 : n); i++)
		power *= 10;
	*(n < 9 ? &x->mul : &x->div) = power;
}

static int64_t time_of(const struct na_capture_interface *x, uint64_t units)
{
	na_i128 ns = units;
	uint64_t fast;

	/* The usual: microseconds or nanoseconds. */
	if (!x->binary && x->div == 1 && x->offset_s == 0 &&
	    !__builtin_mul_overflow(units, x->mul, &fast) && fast <= INT64_MAX)
		return (int64_t)fast;
	if (x->binary)
		ns = ns * 1000000000 >> x->shift;
	else
		ns = ns * (na_i128)x->mul / (na_i128)x->div;
	ns += (na_i128)x->offset_s * 1000000000;
	return ns > INT64_MAX   ? INT64_MAX
	       : ns < INT64_MIN ? INT64_MIN
				: (int64_t)ns;
}

/* Options end with code 0 or the block; a length that lies ends them too. */
bool na_capfile_option(struct na_cursor *c, bool big,
		       struct na_capfile_option *o)
{
	uint32_t n;

	if (na_left(c) < 4)
		return false;
	o->at = c->p;
	o->code = na_get16(c->p, big);
	n = na_get16(c->p + 2, big);
	na_skip(c, 4);
	if (o->code == 0 || !na_sub(c, n, &o->value))
		return false;
	if (!na_skip(c, -n & 3))
		na_skip(c, na_left(c));
	o->end = c->p;
	return true;
}

static void interface_options(const struct na_capfile *f,
			      struct na_capture_interface *x,
			      struct na_cursor c)
{
	struct na_capfile_option o;

	while (na_capfile_option(&c, f->big, &o)) {
		size_t n = na_left(&o.value);

		if (o.code == OPT_TSRESOL && n >= 1)
			set_resolution(x, o.value.p[0]);
		if (o.code == OPT_TSOFFSET && n >= 8)
			x->offset_s = (int64_t)na_get64(o.value.p, f->big);
	}
}

bool na_capfile_is_mark(const struct na_capfile_option *o,
			struct na_capfile_cut *cut)
{
	return o->code == OPT_COMMENT &&
	       na_capture_mark_find(na_text_n((const char *)o->value.p,
					      na_left(&o->value)),
				    cut);
}

/* Behind byte-order mark, version and length. */
static void section_options(struct na_capfile *f, struct na_cursor c)
{
	struct na_capfile_option o;

	if (!na_skip(&c, 16))
		return;
	while (!f->cut.said.n && na_capfile_option(&c, f->big, &o))
		na_capfile_is_mark(&o, &f->cut);
}

static void add_interface(struct na_capfile *f, const struct block *b)
{
	struct na_capture_interface *x;
	struct na_cursor c = b->body;

	if (na_left(&c) < 8 || f->list.n >= NA_INTERFACES ||
	    !na_room(&f->list, 1)) {
		na_capfile_hurt(f,
				"interface block at byte %" PRIu64
				" is too short, or one too many",
				na_at(&f->c));
		return;
	}
	x = &f->list.v[f->list.n++];
	*x = (struct na_capture_interface){
		.link = na_get16(c.p, f->big),
		.snap_bytes = na_get32(c.p + 4, f->big),
	};
	set_resolution(x, 6);
	na_skip(&c, 8);
	interface_options(f, x, c);
	f->interfaces++;
}

static bool begin_section(struct na_capfile *f, const struct block *b, bool big)
{
	f->big = big;
	f->list.n = 0;
	f->section_base = f->interfaces;
	return na_left(&b->body) >= 16 && na_get16(b->body.p + 4, big) == 1;
}

enum na_status na_capfile_ng_open(struct na_capfile *f, struct na_err *err)
{
	struct na_cursor c = f->c;
	struct block b;
	bool big, short_body;

	f->limit_bytes = NA_RECORD_BYTES_TOP;
	if (!read_block(f, &c, &b, &big))
		return na_fail(err, NA_EFORMAT,
			       "the pcapng section header at byte 0 is cut or "
			       "damaged; capture or copy the file again");
	short_body = na_left(&b.body) < 8;
	if (!begin_section(f, &b, big))
		return na_fail(err, NA_EFORMAT,
			       "pcapng version %u.%u at byte 12, this program "
			       "reads 1.x",
			       short_body ? 0u : na_get16(b.body.p + 4, big),
			       short_body ? 0u : na_get16(b.body.p + 6, big));
	section_options(f, b.body);
	return NA_OK;
}

/* The captured bytes, and padding, are under `data`. */
static bool fill(struct na_capfile *f, struct na_record *r, uint32_t interface,
		 const struct na_cursor *data)
{
	if (interface >= f->list.n || r->captured_bytes > na_left(data))
		return false;
	if (r->wire_bytes < r->captured_bytes)
		r->wire_bytes = r->captured_bytes;
	na_capfile_wire(f, na_at(&f->c), r->captured_bytes, &r->wire_bytes);
	r->data = data->p;
	r->link = f->list.v[interface].link;
	r->interface = (uint32_t)(f->section_base + interface);
	r->at = na_at(&f->c);
	f->last_ns = r->time_ns;
	f->has_last = true;
	return true;
}

/* Enhanced and obsolete packet: both have 20 bytes in front, of which the
 * first four are the interface, or interface and a count of drops. */
static bool packet_block(struct na_capfile *f, const struct block *b,
			 struct na_record *r)
{
	struct na_cursor data = b->body;
	const uint8_t *p = data.p;
	uint32_t interface;

	if (!na_skip(&data, 20))
		return false;
	interface = b->type == BLOCK_PACKET ? na_get16(p, f->big)
					    : na_get32(p, f->big);
	if (interface >= f->list.n)
		return false;
	r->time_ns = time_of(&f->list.v[interface],
			     (uint64_t)na_get32(p + 4, f->big) << 32 |
				     na_get32(p + 8, f->big));
	r->captured_bytes = na_get32(p + 12, f->big);
	r->wire_bytes = na_get32(p + 16, f->big);
	return fill(f, r, interface, &data);
}

/* A simple packet has no time: that of the one before. */
static bool simple_block(struct na_capfile *f, const struct block *b,
			 struct na_record *r)
{
	struct na_cursor data = b->body;
	uint32_t snap;

	if (!na_skip(&data, 4) || f->list.n == 0)
		return false;
	snap = f->list.v[0].snap_bytes;
	r->time_ns = f->has_last ? f->last_ns : 0;
	r->wire_bytes = na_get32(b->body.p, f->big);
	r->captured_bytes = r->wire_bytes;
	if (snap && r->captured_bytes > snap)
		r->captured_bytes = snap;
	return fill(f, r, 0, &data);
}

/* NA_OK: went on at another block. */
static enum na_status lost_way(struct na_capfile *f)
{
	uint64_t at = na_at(&f->c);
	size_t left = na_left(&f->c);
	uint32_t length = left >= 8 ? na_get32(f->c.p + 4, f->big) : 0;

	if (na_capfile_resync(f, 4, plausible))
		return NA_OK;
	if (left < FRAME || (length > left && length < NA_RECORD_BYTES_TOP))
		na_capfile_hurt(f,
				"file cut in the block at byte %" PRIu64
				": %zu bytes left of %" PRIu32,
				at, left, length ? length : FRAME);
	else
		na_capfile_hurt(f,
				"damaged block at byte %" PRIu64
				"; nothing after it looks like a block",
				at);
	na_skip(&f->c, left);
	return NA_END;
}

/* One block: true if it gave a packet. */
static bool take_block(struct na_capfile *f, const struct block *b, bool big,
		       struct na_record *r, bool *stop)
{
	bool ok = true, packet = false;

	switch (b->type) {
	case BLOCK_SHB:
		ok = begin_section(f, b, big);
		*stop = !ok;
		break;
	case BLOCK_IDB:
		add_interface(f, b);
		break;
	case BLOCK_PACKET:
	case BLOCK_ENHANCED:
		ok = packet = packet_block(f, b, r);
		break;
	case BLOCK_SIMPLE:
		ok = packet = simple_block(f, b, r);
		break;
	}
	if (!ok) {
		na_capfile_hurt(f,
				*stop ? "section at byte %" PRIu64
					" is of a pcapng "
					"version other than 1; not read"
				      : "packet block at byte %" PRIu64
					" has no such "
					"interface or too few bytes; left out",
				na_at(&f->c));
	}
	return packet;
}

enum na_status na_capfile_ng_next(struct na_capfile *f, struct na_record *r)
{
	bool packet = false, stop = false, big;
	struct block b;

	while (!packet) {
		struct na_cursor next = f->c;

		if (!na_left(&next))
			return NA_END;
		if (!read_block(f, &next, &b, &big)) {
			if (lost_way(f) != NA_OK)
				return NA_END;
			continue;
		}
		packet = take_block(f, &b, big, r, &stop);
		if (stop)
			na_clip(&next, 0);
		f->c = next;
	}
	return NA_OK;
}

#include "netan/exports/pftrace/packets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/text.h"
#include "netan/base/units.h"

enum {
	CHUNK_BYTES = 1 << 18,
	SEQUENCE = 1,
	GZIP_LEVEL = 4,
	GZIP_WINDOW = 15 + 16
};

/* Numbers of fields; those of one line are of one message. */
enum { PACKET = 1 };
enum {
	CLOCK_SNAPSHOT = 6,
	TIMESTAMP = 8,
	SEQUENCE_ID = 10,
	TRACK_EVENT = 11,
	INTERNED_DATA = 12,
	SEQUENCE_FLAGS = 13,
	TRACK_DESCRIPTOR = 60
};
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { CLOCKS = 1, CLOCK_ID = 1, CLOCK_TIME = 2 };
enum { REALTIME = 1, BOOTTIME = 6 };
enum {
	EVENT_CATEGORIES = 1,
	EVENT_NAMES = 2,
	NOTE_NAMES = 3,
	STRING_VALUES = 29
};
enum { IID = 1, IID_TEXT = 2 };
enum {
	UUID = 1,
	TRACK_NAME = 2,
	PROCESS = 3,
	PARENT = 5,
	COUNTER = 8,
	CHILD_ORDERING = 11,
	SIBLING_RANK = 12,
	DESCRIPTION = 14
};
enum { EXPLICIT = 3 };
enum { PID = 1, PROCESS_NAME = 6 };
enum { UNIT = 3, UNIT_NAME = 6, Y_AXIS = 7 };
enum { UNIT_COUNT = 2, UNIT_SIZE_BYTES = 3 };
enum {
	CATEGORY_IIDS = 3,
	ANNOTATIONS = 4,
	TYPE = 9,
	NAME_IID = 10,
	TRACK_UUID = 11,
	NAME = 23,
	DOUBLE_VALUE = 44,
	FLOW_IDS = 47,
	LAST_FLOW_IDS = 48,
	CORRELATION_ID = 52
};
enum {
	NOTE_NAME_IID = 1,
	INT_VALUE = 4,
	REAL_VALUE = 5,
	STRING_VALUE = 6,
	NOTE_NAME = 10,
	STRING_IID = 17
};

/* clang-format off */
static const char *const categories[NA_PFT_N_CATEGORIES] = {
	[NA_PFT_TRANSFER] = "transfer",
	[NA_PFT_COLLECTIVE] = "collective",
	[NA_PFT_STEP] = "step",
	[NA_PFT_MERGED] = "merged",
	[NA_PFT_FINDING] = "finding",
	[NA_PFT_CRITICAL_PATH] = "critical path",
};
/* clang-format on */

/* ---- the file */

enum na_status na_pft_open(struct na_pft_out *o, const char *path, bool packed,
			   struct na_err *err)
{
	o->fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (o->fd < 0)
		return na_fail_errno(err, path);
	o->open = true;
	if (!packed)
		return NA_OK;
	o->packed = malloc(CHUNK_BYTES);
	o->zips = o->packed &&
		  deflateInit2(&o->zip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8,
			       Z_DEFAULT_STRATEGY) == Z_OK;
	return o->zips ? NA_OK : na_fail_nomem(err);
}

static void write_bytes(struct na_pft_out *o, const uint8_t *p, size_t n)
{
	while (n && !o->broken) {
		ssize_t done = write(o->fd, p, n);

		if (done < 0 && errno != EINTR) {
			o->broken = errno;
		} else if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
}

static void pack(struct na_pft_out *o, int flush)
{
	o->zip.next_in = o->wire.p;
	o->zip.avail_in = (uInt)o->wire.n; /* hardly above a chunk */
	do {
		o->zip.next_out = o->packed;
		o->zip.avail_out = CHUNK_BYTES;
		deflate(&o->zip, flush);
		write_bytes(o, o->packed, CHUNK_BYTES - o->zip.avail_out);
	} while (!o->zip.avail_out);
}

static void write_out(struct na_pft_out *o, bool last)
{
	if (o->zips)
		pack(o, last ? Z_FINISH : Z_NO_FLUSH);
	else
		write_bytes(o, o->wire.p, o->wire.n);
	o->wire.n = 0;
}

enum na_status na_pft_flush(struct na_pft_out *o, struct na_err *err)
{
	write_out(o, true);
	if (o->short_of_memory || o->wire.failed)
		return na_fail_nomem(err);
	if (o->broken)
		return na_fail(err, NA_EIO, "%s", strerror(o->broken));
	return NA_OK;
}

void na_pft_close(struct na_pft_out *o)
{
	if (o->open)
		close(o->fd);
	if (o->zips)
		deflateEnd(&o->zip);
	free(o->packed);
	for (size_t i = 0; i < NA_PFT_N_TABLES; i++)
		na_vec_free(&o->seen[i]);
	na_wire_fini(&o->wire);
	*o = (struct na_pft_out){.fd = -1};
}

/* ---- packets */

/* A text of any bytes: what is none would break what reads it. */
static size_t text_room(const char *text)
{
	return na_escape(NA_ESC_TERMINAL, text, NULL, 0) + 1;
}

static uint8_t *put_text_at(uint8_t *p, unsigned field, const char *text)
{
	size_t room = text_room(text);

	p = na_put_header(p, field, room - 1);
	na_escape(NA_ESC_TERMINAL, text, (char *)p, room);
	return p + room - 1;
}

static void put_text(struct na_pft_out *o, unsigned field, const char *text)
{
	struct na_wire *w = &o->wire;

	if (na_wire_room(w, text_room(text) + NA_WIRE_FIELD))
		w->n = (size_t)(put_text_at(w->p + w->n, field, text) - w->p);
}

static void put_entry(struct na_pft_out *o, unsigned field, uint32_t iid,
		      const char *text)
{
	size_t at = na_wire_begin(&o->wire, field);

	na_wire_uint(&o->wire, IID, iid);
	put_text(o, IID_TEXT, text);
	na_wire_end(&o->wire, at);
}

static void tell_categories(struct na_pft_out *o)
{
	size_t words = na_wire_begin(&o->wire, INTERNED_DATA);

	for (uint32_t i = 1; i < NA_PFT_N_CATEGORIES; i++)
		put_entry(o, EVENT_CATEGORIES, i, categories[i]);
	na_wire_end(&o->wire, words);
	o->begun = true;
}

/* To end_packet().  `means_words`: that were told before. */
static size_t begin_packet(struct na_pft_out *o, bool means_words)
{
	struct na_wire *w = &o->wire;
	uint8_t *p;
	size_t at;

	if (!na_wire_room(w, 3 * NA_WIRE_FIELD))
		return 0;
	p = na_put_header(w->p + w->n, PACKET, 0);
	at = (size_t)(p - w->p);
	p = na_put_uint(p, SEQUENCE_ID, SEQUENCE);
	if (!o->begun || means_words)
		p = na_put_uint(p, SEQUENCE_FLAGS,
				o->begun ? NEEDS_STATE : STATE_CLEARED);
	w->n = (size_t)(p - w->p);
	if (!o->begun)
		tell_categories(o);
	return at;
}

static void write_if_full(struct na_pft_out *o)
{
	if (o->wire.n >= CHUNK_BYTES)
		write_out(o, false);
}

static void end_packet(struct na_pft_out *o, size_t at)
{
	na_wire_end(&o->wire, at);
	write_if_full(o);
}

void na_pft_clock(struct na_pft_out *o, int64_t origin_unix_ns)
{
	const int64_t at[] = {[REALTIME] = origin_unix_ns, [BOOTTIME] = 0};
	static const int clocks[] = {BOOTTIME, REALTIME};
	size_t packet = begin_packet(o, false), snapshot, clock;

	snapshot = na_wire_begin(&o->wire, CLOCK_SNAPSHOT);
	for (size_t i = 0; i < NA_LEN(clocks); i++) {
		clock = na_wire_begin(&o->wire, CLOCKS);
		na_wire_uint(&o->wire, CLOCK_ID, (uint64_t)clocks[i]);
		na_wire_int(&o->wire, CLOCK_TIME,
			    at[clocks[i]] +
				    (clocks[i] == BOOTTIME ? o->shift_ns : 0));
		na_wire_end(&o->wire, clock);
	}
	na_wire_end(&o->wire, snapshot);
	end_packet(o, packet);
}

/* Every event says its track, so that a uuid takes four bytes.  Each step can
 * be undone, so that no two are the same. */
uint64_t na_pft_uuid(uint64_t n)
{
	const uint64_t above = 1 << 27, mask = above - 1;

	if (n > mask)
		return above + n;
	n = n * 0x4f1bbcd & mask;
	n = (n ^ n >> 14) * 0x2c1b3c7 & mask;
	return above | (n ^ n >> 13);
}

/* The finalizer of splitmix64: Steele, Lea, Flood, 2014. */
static uint64_t mixed(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

uint64_t na_pft_mix(uint64_t a, uint64_t b)
{
	return mixed(mixed(a + 1) ^ b);
}

static void put_counter(struct na_pft_out *o, enum na_pft_unit unit)
{
	size_t at = na_wire_begin(&o->wire, COUNTER);

	if (unit == NA_PFT_GBPS)
		na_wire_str(&o->wire, UNIT_NAME, "Gbit/s");
	else
		na_wire_uint(&o->wire, UNIT,
			     unit == NA_PFT_BYTES ? UNIT_SIZE_BYTES
						  : UNIT_COUNT);
	/* Both directions on one scale. */
	if (unit != NA_PFT_COUNT)
		na_wire_str(&o->wire, Y_AXIS,
			    unit == NA_PFT_GBPS ? "rate" : "outstanding");
	na_wire_end(&o->wire, at);
}

void na_pft_track(struct na_pft_out *o, const struct na_pft_track *t)
{
	size_t packet = begin_packet(o, false), process;
	size_t track = na_wire_begin(&o->wire, TRACK_DESCRIPTOR);

	na_wire_uint(&o->wire, UUID, t->uuid);
	if (t->parent)
		na_wire_uint(&o->wire, PARENT, t->parent);
	if (t->pid > 0) {
		process = na_wire_begin(&o->wire, PROCESS);
		na_wire_int(&o->wire, PID, t->pid);
		put_text(o, PROCESS_NAME, t->name);
		na_wire_end(&o->wire, process);
	}
	put_text(o, TRACK_NAME, t->name);
	if (t->unit)
		put_counter(o, t->unit);
	else
		na_wire_uint(&o->wire, CHILD_ORDERING, EXPLICIT);
	na_wire_int(&o->wire, SIBLING_RANK, t->rank);
	if (t->description)
		put_text(o, DESCRIPTION, t->description);
	na_wire_end(&o->wire, track);
	end_packet(o, packet);
}

/* ---- events */

/* Whether it is told with the packet that is being written. */
static inline bool is_new(const struct na_pft_out *o, enum na_pft_table table,
			  const struct na_pft_word *w)
{
	return w->id && !(w->id < o->seen[table].n && o->seen[table].v[w->id]);
}

static bool any_new(const struct na_pft_out *o, const struct na_pft_event *e)
{
	bool any = e->category && is_new(o, NA_PFT_NAMES, &e->name);

	for (size_t i = 0; i < e->n_notes; i++) {
		const struct na_pft_note *x = &e->notes[i];

		any |= is_new(o, NA_PFT_NOTES, &x->name) ||
		       (x->kind == NA_PFT_TEXT &&
			is_new(o, NA_PFT_STRINGS, &x->text));
	}
	return any;
}

/* The message is begun with the first word that is new in this packet. */
static void tell_word(struct na_pft_out *o, enum na_pft_table table,
		      const struct na_pft_word *w, size_t *message)
{
	static const unsigned fields[] = {[NA_PFT_NAMES] = EVENT_NAMES,
					  [NA_PFT_NOTES] = NOTE_NAMES,
					  [NA_PFT_STRINGS] = STRING_VALUES};
	uint8_t *seen;

	if (!is_new(o, table, w))
		return;
	seen = na_vec_at(&o->seen[table], w->id);
	if (!seen) {
		o->short_of_memory = true;
		return;
	}
	*seen = 1;
	if (!*message)
		*message = na_wire_begin(&o->wire, INTERNED_DATA);
	put_entry(o, fields[table], w->id, w->text);
}

static void tell_words(struct na_pft_out *o, const struct na_pft_event *e)
{
	size_t message = 0;

	if (e->category)
		tell_word(o, NA_PFT_NAMES, &e->name, &message);
	for (size_t i = 0; i < e->n_notes; i++) {
		tell_word(o, NA_PFT_NOTES, &e->notes[i].name, &message);
		if (e->notes[i].kind == NA_PFT_TEXT)
			tell_word(o, NA_PFT_STRINGS, &e->notes[i].text,
				  &message);
	}
	if (message)
		na_wire_end(&o->wire, message);
}

/* And the length of the packet. */
enum { MOST_FIELDS = 12, MOST_FIELDS_OF_NOTE = 3 };

static size_t word_room(const struct na_pft_word *w)
{
	return w->id || !w->text ? 0 : text_room(w->text);
}

static size_t event_room(const struct na_pft_event *e)
{
	size_t fields = MOST_FIELDS + MOST_FIELDS_OF_NOTE * e->n_notes;
	size_t texts = word_room(&e->name);

	for (size_t i = 0; i < e->n_notes; i++)
		texts += word_room(&e->notes[i].name) +
			 word_room(&e->notes[i].text);
	return fields * NA_WIRE_FIELD + texts;
}

static uint8_t *put_time(uint8_t *p, const struct na_pft_out *o, int64_t at_ns)
{
	int64_t out;

	if (!na_add_i64(at_ns, o->shift_ns, &out) || out < 0)
		out = 0;
	return na_put_uint(p, TIMESTAMP, (uint64_t)out);
}

/* As na_put_uint(), where most numbers take all bits: seven of each byte at
 * once. */
static uint8_t *put_mixed(uint8_t *p, unsigned field, uint64_t v)
{
	uint64_t x = v & UINT64_C(0x00ffffffffffffff);

	if (!(v >> 56))
		return na_put_uint(p, field, v);
	x = (x & UINT64_C(0x00fffffff0000000)) << 4 |
	    (x & UINT64_C(0x000000000fffffff));
	x = (x & UINT64_C(0x0fffc0000fffc000)) << 2 |
	    (x & UINT64_C(0x00003fff00003fff));
	x = (x & UINT64_C(0x3f803f803f803f80)) << 1 |
	    (x & UINT64_C(0x007f007f007f007f));
	x |= UINT64_C(0x8080808080808080);
	p = na_put_varint(p, field << 3 | NA_WIRE_VARINT);
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(x >> 8 * i);
	return na_put_varint(p + 8, v >> 56);
}

static uint8_t *put_note(uint8_t *p, const struct na_pft_note *x)
{
	uint8_t *at = p = na_put_header(p, ANNOTATIONS, 0);
	uint64_t bits;

	if (x->name.id)
		p = na_put_uint(p, NOTE_NAME_IID, x->name.id);
	else
		p = put_text_at(p, NOTE_NAME, x->name.text);
	if (x->kind == NA_PFT_INT) {
		p = na_put_uint(p, INT_VALUE, (uint64_t)x->value);
	} else if (x->kind == NA_PFT_REAL) {
		memcpy(&bits, &x->real, sizeof(bits));
		p = na_put_fixed64(p, REAL_VALUE, bits);
	} else if (x->text.id) {
		p = na_put_uint(p, STRING_IID, x->text.id);
	} else {
		p = put_text_at(p, STRING_VALUE, x->text.text);
	}
	return na_put_end(at, p);
}

static uint8_t *put_event(uint8_t *p, const struct na_pft_event *e)
{
	uint8_t *at = p = na_put_header(p, TRACK_EVENT, 0);
	uint64_t bits;

	p = na_put_uint(p, TYPE, e->type);
	p = na_put_uint(p, TRACK_UUID, e->track);
	if (e->category) {
		p = na_put_uint(p, CATEGORY_IIDS, e->category);
		if (e->name.id)
			p = na_put_uint(p, NAME_IID, e->name.id);
		else
			p = put_text_at(p, NAME, e->name.text);
	}
	if (e->type == NA_PFT_COUNTER) {
		memcpy(&bits, &e->value, sizeof(bits));
		p = na_put_fixed64(p, DOUBLE_VALUE, bits);
	}
	if (e->flow)
		p = na_put_fixed64(p, FLOW_IDS, e->flow);
	if (e->last_of_flow)
		p = na_put_fixed64(p, LAST_FLOW_IDS, e->last_of_flow);
	if (e->correlation)
		p = put_mixed(p, CORRELATION_ID, e->correlation);
	for (size_t i = 0; i < e->n_notes; i++)
		p = put_note(p, &e->notes[i]);
	return na_put_end(at, p);
}

void na_pft_put(struct na_pft_out *o, const struct na_pft_event *e)
{
	struct na_wire *w = &o->wire;
	size_t packet = begin_packet(o, e->category || e->n_notes);
	uint8_t *p;

	if (w->failed || !na_wire_room(w, NA_WIRE_FIELD))
		return;
	w->n = (size_t)(put_time(w->p + w->n, o, e->at_ns) - w->p);
	if (any_new(o, e))
		tell_words(o, e);
	if (w->failed || !na_wire_room(w, event_room(e)))
		return;
	p = put_event(w->p + w->n, e);
	w->n = (size_t)(na_put_end(w->p + packet, p) - w->p);
	write_if_full(o);
}

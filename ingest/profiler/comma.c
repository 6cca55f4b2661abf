/*
 * Reader of Google CoMMA's files: an object for each operation, one behind
 * the other, or in an array.
 *
 * An operation's own start is when it was put into the queue.  Its children
 * (what its proxies and kernels did) tell when it ran: the last child_dur of
 * it.  Without children it is not known.
 *
 * Stamps are microseconds since 1970 or, of older releases, since the process
 * began.  Those of steps are since it began in all releases, so that where
 * the two differ the process's begin is found from them: no step is before
 * its proxy operation.
 *
 * Sources: google/CoMMA docs/json-format.md, src/event.rs, src/profiler.rs,
 * src/step_tracker.rs.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/json/json.h"
#include "ingest/profiler/profiler.h"
#include "netan/base/units.h"

struct comma {
	struct na_profiled p;
	int64_t began_ns; /* what stamps of steps are counted from */
	bool apart;       /* from others' zero */
	uint64_t n_open;  /* operations that never ended */
};

/* An operation, or a proxy's part in one.  Numbers that are not told are -1;
 * times in ns. */
struct object {
	struct na_text cat, name, hash;
	int64_t rank, peer, sequence, size;
	int64_t ts, dur, child_ts, child_dur;
	bool sends, open;
	struct na_text parts; /* proxyops, steps: where they stand */
};

struct step {
	int64_t start, ready, end, size;
};

enum take { TEXT, NUMBER, NS, ARRAY };

struct member {
	const char *word;
	enum take take;
	size_t to;
};

static void take(const struct member *m, struct na_json *j, void *to)
{
	struct na_text text = na_json_value(j);
	char *at = (char *)to + m->to;
	int64_t x;

	if (m->take == TEXT || m->take == ARRAY) {
		memcpy(at, &text, sizeof(text));
	} else if (na_json_decimal(text, m->take == NS ? 3 : 0, &x) && x >= 0) {
		memcpy(at, &x, sizeof(x));
	}
}

#define AT(member) offsetof(struct object, member)
static const struct member object_members[] = {
	{"cat", TEXT, AT(cat)},
	{"name", TEXT, AT(name)},
	{"comm_hash", TEXT, AT(hash)},
	{"rank", NUMBER, AT(rank)},
	{"peer", NUMBER, AT(peer)},
	{"seq_num", NUMBER, AT(sequence)},
	{"ts", NS, AT(ts)},
	{"dur", NS, AT(dur)},
	{"child_start_ts", NS, AT(child_ts)},
	{"child_dur", NS, AT(child_dur)},
	{"proxyops", ARRAY, AT(parts)},
	{"steps", ARRAY, AT(parts)},
};

/* {"size": 20971520} */
static int64_t size_of(struct na_json *j)
{
	struct na_text args = na_json_value(j), text;
	struct na_json in = na_json_of(args, 0);
	int64_t size = -1, x;

	na_json_next(&in);
	while (na_json_next(&in) == NA_JSON_KEY) {
		bool is = na_json_is(&in, "size");

		text = na_json_value(&in);
		if (is && na_json_decimal(text, 0, &x) && x >= 0)
			size = x;
	}
	return size;
}

/* Behind its bracket, past the one that closes it. */
static void read_object(struct na_json *j, struct object *x)
{
	static const struct na_text none = {"", 0};

	*x = (struct object){
		.cat = none,
		.name = none,
		.hash = none,
		.parts = none,
		.rank = -1,
		.peer = -1,
		.sequence = -1,
		.size = -1,
		.ts = -1,
		.dur = -1,
		.child_ts = -1,
		.child_dur = -1,
	};
	while (na_json_next(j) == NA_JSON_KEY) {
		size_t i = 0;

		while (i < NA_LEN(object_members) &&
		       !na_json_is(j, object_members[i].word))
			i++;
		if (i < NA_LEN(object_members)) {
			take(&object_members[i], j, x);
		} else if (na_json_is(j, "args")) {
			x->size = size_of(j);
		} else if (na_json_is(j, "is_send")) {
			x->sends = na_json_next(j) == NA_JSON_TRUE;
			na_json_skip(j);
		} else if (na_json_is(j, "reclaimed")) {
			x->open = na_json_next(j) == NA_JSON_TRUE;
			na_json_skip(j);
		} else {
			na_json_skip(j);
		}
	}
}

#define STEP(member) offsetof(struct step, member)
static const struct member step_members[] = {
	{"start_time", NS, STEP(start)},
	{"fifo_ready_time", NS, STEP(ready)},
	{"end_time", NS, STEP(end)},
	{"size", NUMBER, STEP(size)},
};

static void read_step(struct na_json *j, struct step *x)
{
	*x = (struct step){-1, -1, -1, -1};
	while (na_json_next(j) == NA_JSON_KEY) {
		size_t i = 0;

		while (i < NA_LEN(step_members) &&
		       !na_json_is(j, step_members[i].word))
			i++;
		if (i < NA_LEN(step_members))
			take(&step_members[i], j, x);
		else
			na_json_skip(j);
	}
}

/* The next object of an array; false: there is none. */
static bool next_of(struct na_json *j)
{
	while (na_json_next(j)) {
		if (j->kind == NA_JSON_OBJECT)
			return true;
		na_json_skip(j);
	}
	return false;
}

/* An array's items, to be had by next_of(). */
static struct na_json items_of(struct na_text array)
{
	struct na_json j = na_json_of(array, 0);

	na_json_next(&j);
	return j;
}

static bool is_operation(const struct object *x)
{
	return na_text_is(x->cat, "COLL") || na_text_is(x->cat, "P2P");
}

/* "0x58aecebabb9e37af" */
static bool hash_of(struct na_text text, uint64_t *hash)
{
	uint64_t x = 0;

	if (!na_text_past(&text, "0x") || !text.n || text.n > 16)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.s[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return false;
		x = x << 4 | (unsigned)digit;
	}
	*hash = x;
	return true;
}

/* When it ran; false: it does not say. */
static bool ran(const struct object *x, int64_t *from, int64_t *to)
{
	if (x->open || x->child_dur < 0)
		return false;
	if (x->child_ts >= 0) {
		*from = x->child_ts;
		return na_add_i64(x->child_ts, x->child_dur, to);
	}
	return x->ts >= 0 && x->dur >= x->child_dur &&
	       na_add_i64(x->ts, x->dur, to) &&
	       na_add_i64(*to, -x->child_dur, from);
}

/* ---- which file it is */

/* The first object: an operation's, a group's or a proxy's, as no other
 * profiler writes it. */
static enum na_sniff sniff(const uint8_t *head, size_t n, uint64_t size,
			   const char **why)
{
	struct na_json j = na_json_of(na_text_n((const char *)head, n), 0);
	bool complete = false, hash = false, proxy = false, category = false;

	(void)size;
	(void)why;
	if (na_json_next(&j) == NA_JSON_ARRAY)
		na_json_next(&j);
	if (j.kind != NA_JSON_OBJECT)
		return NA_SNIFF_NO;
	while (na_json_next(&j) == NA_JSON_KEY) {
		bool is_ph = na_json_is(&j, "ph"), is_cat;
		bool plain = is_ph || na_json_is(&j, "is_send") ||
			     na_json_is(&j, "comm_hash");

		is_cat = na_json_is(&j, "cat");
		hash |= na_json_is(&j, "comm_hash");
		proxy |= na_json_is(&j, "is_send");
		if (!plain && !is_cat) {
			na_json_skip(&j);
			continue;
		}
		na_json_next(&j);
		complete |= is_ph && na_json_is(&j, "X");
		category |= is_cat &&
			    (na_json_is(&j, "COLL") || na_json_is(&j, "P2P") ||
			     na_json_is(&j, "PROXY") ||
			     na_json_is(&j, "GROUP"));
	}
	/* Of a group it says nothing else; the head may end in the proxies. */
	return category && (hash || proxy || complete) ? NA_SNIFF_YES
						       : NA_SNIFF_NO;
}

/* ---- objects of a file, one after the other */

struct walk {
	const char *s, *end;
	uint64_t lost; /* bytes that are no object, before the next one */
	bool cut;      /* the last one breaks off */
};

/* The next line that begins with a bracket. */
static const char *next_line(const char *s, const char *end)
{
	while ((s = memchr(s, '\n', (size_t)(end - s)))) {
		if (++s == end)
			break;
		if (*s == '{')
			return s;
	}
	return end;
}

/* Past blanks, commas and an array's brackets. */
static void past_between(struct walk *w)
{
	while (w->s < w->end &&
	       (*w->s == ' ' || (*w->s >= '\t' && *w->s <= '\r') ||
		*w->s == ',' || *w->s == '[' || *w->s == ']'))
		w->s++;
}

/* The next whole object; false: there is none. */
static bool next_object(struct walk *w, struct object *x)
{
	for (past_between(w); w->s < w->end; past_between(w)) {
		struct na_json j =
			na_json_of(na_text_n(w->s, (size_t)(w->end - w->s)), 0);
		const char *from = w->s;

		if (na_json_next(&j) == NA_JSON_OBJECT) {
			read_object(&j, x);
			if (j.kind == NA_JSON_OBJECT_END && !j.depth) {
				w->s = j.p;
				return true;
			}
		}
		w->s = next_line(from, w->end);
		w->lost += (uint64_t)(w->s - from);
		w->cut = w->s == w->end;
	}
	return false;
}

/* ---- survey */

/* No step is before its proxy operation: the latest that follows is when the
 * process began. */
static void look_at_steps(struct comma *c, const struct object *proxy)
{
	struct na_json j = items_of(proxy->parts);
	struct step s;

	if (proxy->ts <= NA_PROFILED_EPOCH_NS || !next_of(&j))
		return;
	read_step(&j, &s);
	if (s.start < 0 || s.start > NA_PROFILED_EPOCH_NS)
		return;
	if (!c->apart || proxy->ts - s.start > c->began_ns)
		c->began_ns = proxy->ts - s.start;
	c->apart = true;
}

static bool look(struct comma *c, const struct object *x)
{
	int64_t from, to;
	struct object proxy;
	struct na_json j;
	uint64_t hash;

	if (!is_operation(x) || !hash_of(x->hash, &hash))
		return true;
	if (!na_profiled_saw(&c->p, hash, x->rank, x->peer))
		return false;
	if (ran(x, &from, &to))
		na_profiled_at(&c->p, from);
	else if (x->open)
		c->n_open++;
	else
		c->p.n_untimed++;
	j = items_of(x->parts);
	while (next_of(&j)) {
		read_object(&j, &proxy);
		if (!na_profiled_saw(&c->p, hash, x->rank, proxy.peer))
			return false;
		look_at_steps(c, &proxy);
	}
	return true;
}

static void say(struct na_input *in, const struct walk *w)
{
	const struct comma *c = in->state;

	if (w->lost) {
		in->damaged = true;
		na_input_warn(in,
			      "%" PRIu64 " bytes are no whole object of "
			      "CoMMA's%s: left out",
			      w->lost, w->cut ? " (the file breaks off)" : "");
	}
	if (c->p.n_untimed)
		na_input_warn(in,
			      "%" PRIu64
			      " operations only say when they were put into "
			      "the queue: left out; with "
			      "NCCL_PROFILER_TRACK_KERNEL_CH=true they say "
			      "when they run",
			      c->p.n_untimed);
	if (c->n_open)
		na_input_warn(in,
			      "%" PRIu64
			      " operations never ended (\"reclaimed\"): left "
			      "out",
			      c->n_open);
}

static enum na_status open_comma(struct na_input *in, struct na_err *err)
{
	struct comma *c = na_calloc(1, sizeof(*c));
	struct walk w = {.s = (const char *)in->data};
	struct object x;
	const char *from;

	in->state = c;
	if (!c)
		return na_fail_nomem(err);
	w.end = c->p.end = w.s + in->size;
	from = w.s;
	while (next_object(&w, &x)) {
		in->events++;
		if (!na_profiled_border(&c->p, from) || !look(c, &x))
			return na_fail_nomem(err);
		from = w.s;
	}
	na_profiled_settle(in, &c->p);
	say(in, &w);
	return NA_OK;
}

static void close_comma(struct na_input *in)
{
	struct comma *c = in->state;

	if (c)
		na_profiled_fini(&c->p);
	free(c);
	in->state = NULL;
}

/* ---- records */

static bool on_clock(const struct comma *c, int64_t *ns)
{
	return *ns >= 0 &&
	       (*ns > NA_PROFILED_EPOCH_NS || na_add_i64(*ns, c->began_ns, ns));
}

/* What a proxy sends: from when its peer is ready for it, where that is told,
 * to when it has gone.  One that receives waits for its peer in that time, so
 * that it tells of no transfer. */
static enum na_status put_proxy(struct na_profiled_reading *r,
				const struct na_profiled_op *op,
				const struct object *proxy)
{
	const struct comma *c = r->in->state;
	struct na_json j = items_of(proxy->parts);
	enum na_status st = NA_OK;
	struct step s;

	if (!proxy->sends)
		return NA_OK;
	while (st == NA_OK && next_of(&j)) {
		struct na_profiled_sent x = {.peer = proxy->peer,
					     .type = "proxy_step"};

		read_step(&j, &s);
		x.bytes = s.size;
		x.from_ns = s.ready >= 0 ? s.ready : s.start;
		x.to_ns = s.end;
		if (!on_clock(c, &x.from_ns) || !on_clock(c, &x.to_ns))
			x.from_ns = -1;
		st = na_profiled_put_sent(r, op, &x);
	}
	return st;
}

static enum na_status put_object(struct na_profiled_reading *r,
				 const struct object *x)
{
	struct na_profiled_op op = {
		.name = x->name,
		.type = {"", 0},
		.rank = x->rank,
		.peer = x->peer,
		.sequence = x->sequence,
		.count_bytes = x->size,
		.start_ns = -1,
		.end_ns = -1,
	};
	struct na_json j = items_of(x->parts);
	struct object proxy;
	enum na_status st;

	if (!is_operation(x))
		return NA_OK;
	if (!hash_of(x->hash, &op.comm) || !x->name.n) {
		r->sink->left_out(r->sink->ctx, NA_LEFT_DAMAGED, 1);
		return NA_OK;
	}
	if (!ran(x, &op.start_ns, &op.end_ns))
		op.start_ns = -1;
	st = na_profiled_put(r, &op);
	while (st == NA_OK && next_of(&j)) {
		read_object(&j, &proxy);
		st = put_proxy(r, &op, &proxy);
	}
	return st;
}

static enum na_status read_block(const struct na_input *in,
				 const struct na_block *b,
				 const struct na_sink *sink, struct na_err *err)
{
	struct na_profiled_reading r = {.in = in,
					.p = b->owner,
					.sink = sink,
					.rank = -1};
	struct walk w = {.s = (const char *)b->p, .end = (const char *)b->end};
	enum na_status st = NA_OK;
	struct object x;

	while (st == NA_OK && next_object(&w, &x))
		st = put_object(&r, &x);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

const struct na_reader na_reader_comma = {
	.name = "comma",
	.sniff = sniff,
	.open = open_comma,
	.cut = na_profiled_cut,
	.read = read_block,
	.close = close_comma,
};

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
#include <string.h>

#include "ingest/profiler/comma_object.h"
#include "ingest/profiler/profiler.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

struct comma {
	struct na_profiled p; /* first, for na_profiled_close() */
	int64_t began_ns; /* what stamps of steps are counted from */
	bool apart;       /* from others' zero */
	uint64_t n_open;  /* operations that never ended */
};

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

/* What begins at `from` is good up to p: an object that somebody else began
 * may stand there, in the line where it breaks off. */
static const char *behind_damage(const char *from, const char *p,
				 const char *end)
{
	const char *next = next_line(from, end);

	while (p > next && p[-1] != '\n')
		p--;
	return p > next ? next_line(p - 1, end) : next;
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
static bool next_object(struct walk *w, struct na_comma_object *x)
{
	for (past_between(w); w->s < w->end; past_between(w)) {
		struct na_json j =
			na_json_of(na_text_n(w->s, (size_t)(w->end - w->s)), 0);
		const char *from = w->s;

		if (na_json_next(&j) == NA_JSON_OBJECT) {
			na_comma_object(&j, x);
			if (j.kind == NA_JSON_OBJECT_END && !j.depth) {
				w->s = j.p;
				return true;
			}
		}
		w->s = behind_damage(from, from + na_json_at(&j), w->end);
		w->lost += (uint64_t)(w->s - from);
		w->cut = w->s == w->end;
	}
	return false;
}

/* ---- survey */

/* No step is before its proxy operation: the latest that follows is when the
 * process began. */
static void look_at_steps(struct comma *c, const struct na_comma_object *proxy)
{
	struct na_json j = na_comma_items(proxy->parts);
	struct na_comma_step s;

	if (proxy->ts <= NA_PROFILED_EPOCH_NS || !na_comma_next(&j))
		return;
	na_comma_step(&j, &s);
	if (s.start < 0 || s.start > NA_PROFILED_EPOCH_NS)
		return;
	if (!c->apart || proxy->ts - s.start > c->began_ns)
		c->began_ns = proxy->ts - s.start;
	c->apart = true;
}

static bool look(struct comma *c, const struct na_comma_object *x)
{
	int64_t from, to;
	struct na_comma_object proxy;
	struct na_json j;
	uint64_t hash;

	if (!na_comma_is_operation(x) || !na_comma_hash(x->hash, &hash))
		return true;
	if (!na_profiled_saw(&c->p, hash, x->rank, x->peer))
		return false;
	if (na_comma_ran(x, &from, &to))
		na_profiled_at(&c->p, from);
	else if (x->open)
		c->n_open++;
	else
		c->p.n_untimed++;
	j = na_comma_items(x->parts);
	while (na_comma_next(&j)) {
		na_comma_object(&j, &proxy);
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
	if (c->n_open)
		na_input_warn(in,
			      "%" PRIu64
			      " operation%s never ended (\"reclaimed\"): left "
			      "out",
			      c->n_open, na_plural(c->n_open));
}

static enum na_status open_comma(struct na_input *in, struct na_err *err)
{
	struct comma *c = na_calloc(1, sizeof(*c));
	struct walk w = {.s = (const char *)in->data};
	struct na_comma_object x;
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
	na_profiled_settle(in, &c->p, "NCCL_PROFILER_TRACK_KERNEL_CH=true");
	say(in, &w);
	return NA_OK;
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
				const struct na_comma_object *proxy)
{
	const struct comma *c = r->in->state;
	struct na_json j = na_comma_items(proxy->parts);
	enum na_status st = NA_OK;
	struct na_comma_step s;

	if (!proxy->sends)
		return NA_OK;
	while (st == NA_OK && na_comma_next(&j)) {
		struct na_profiled_sent x = {.peer = proxy->peer,
					     .type = "proxy_step"};

		na_comma_step(&j, &s);
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
				 const struct na_comma_object *x)
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
	struct na_json j = na_comma_items(x->parts);
	struct na_comma_object proxy;
	enum na_status st;

	if (!na_comma_is_operation(x))
		return NA_OK;
	if (!na_comma_hash(x->hash, &op.comm) || !x->name.n) {
		r->sink->left_out(r->sink->ctx, NA_LEFT_DAMAGED, 1);
		return NA_OK;
	}
	if (!na_comma_ran(x, &op.start_ns, &op.end_ns))
		op.start_ns = -1;
	st = na_profiled_put(r, &op);
	while (st == NA_OK && na_comma_next(&j)) {
		na_comma_object(&j, &proxy);
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
	struct na_comma_object x;

	while (st == NA_OK && next_object(&w, &x))
		st = put_object(&r, &x);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

const struct na_reader na_reader_comma = {
	.ranks = true,
	.name = "comma",
	.sniff = sniff,
	.open = open_comma,
	.cut = na_profiled_cut,
	.read = read_block,
	.close = na_profiled_close,
};

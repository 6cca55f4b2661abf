/*
 * Packet captures as an input.  Packets are a sequence, so a capture is one
 * block of work; several files of one capture are merged by time while the
 * first of them is read.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "ingest/capture/capture.h"
#include "ingest/capture/slice/cut.h"
#include "ingest/capture/filter.h"
#include "ingest/slice.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

enum { LOOK_UP_EVERY = 4096 }; /* packets */

struct state {
	/* Where the input stands while it is read: there is one block, so
	 * one thread may write to it. */
	struct na_input *in;
	struct na_capture_counts counts;
	bool handed_out;
};

/* What is counted as packets come, so that each file gets its own. */
static const size_t kinds[] = {
	offsetof(struct na_capture_counts, tcp),
	offsetof(struct na_capture_counts, udp),
	offsetof(struct na_capture_counts, other_ip),
	offsetof(struct na_capture_counts, non_ip),
	offsetof(struct na_capture_counts, malformed),
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* One of the files, at its next packet. */
struct track {
	struct na_input *in;
	struct na_capture_counts *counts;
	struct na_capfile *file;
	struct na_record next;
	bool more, timed;
	int64_t last_ns; /* of the packets in the window; INT64_MIN: none yet */
	uint64_t far; /* packets beyond the reach of our time */
};

struct run {
	struct track *tracks;
	size_t n;
	struct na_capture *capture;
	struct na_capture_filter *filter;
	int64_t lowest_ns, highest_ns; /* times that can be told */
	int64_t from_ns, to_ns;        /* the window */
	uint64_t told[N_KINDS];        /* so far, to the files */
	uint64_t told_bytes;
};

/* The first packet's time; what else there is to say of the file is said
 * when it is read. */
static enum na_status survey(struct na_input *in, struct na_err *err)
{
	struct na_input probe = {.path = in->path,
				 .data = in->data,
				 .size = in->size,
				 .mapped = in->mapped,
				 .borrowed = true};
	struct na_capfile *f;
	struct na_record r;
	struct na_text said;
	int64_t zero_ns;
	bool ok = true;

	probe.warnings_end = &probe.warnings;
	f = na_capfile_open(&probe, err);
	if (f) {
		in->format = na_capfile_is_ng(f) ? "pcapng" : "pcap";
		in->has_time = na_capfile_next(f, &r) == NA_OK;
		in->has_wall = in->has_time;
		in->first_ns = in->has_time ? r.time_ns : 0;
		if (na_capfile_cut(f, &said, &zero_ns)) {
			in->has_time = in->has_wall = true;
			in->first_ns = zero_ns;
			ok = na_slice_take_mark(in, said);
		}
		if (in->first_ns < -INT64_MAX)
			in->first_ns = -INT64_MAX;
		na_capfile_close(f);
	}
	na_arena_fini(&probe.arena);
	if (!ok)
		return na_fail_nomem(err);
	return f ? NA_OK : err->status;
}

static enum na_status open_capture(struct na_input *in, struct na_err *err)
{
	struct state *s = na_calloc(1, sizeof(*s));

	if (!s)
		return na_fail_nomem(err);
	in->state = s;
	in->capture = &s->counts;
	return survey(in, err);
}

static void close_capture(struct na_input *in)
{
	free(in->state);
	in->state = NULL;
	in->capture = NULL;
}

static enum na_status cut_capture(struct na_input *in, struct na_block *b,
				  struct na_err *err)
{
	struct state *s = in->state;

	(void)err;
	if (s->handed_out || (in->merged && !in->n_merged))
		return NA_END;
	s->handed_out = true;
	s->in = in;
	/* The files merged with this one come later in the list, but are
	 * read with it. */
	for (size_t i = 0; i < in->n_merged; i++) {
		struct state *other = in->merged[i]->state;

		other->in = in->merged[i];
	}
	*b = (struct na_block){in, in->data, in->data + in->size};
	return NA_OK;
}

static void advance(struct track *t)
{
	t->more = na_capfile_next(t->file, &t->next) == NA_OK;
}

static enum na_status open_track(struct track *t, struct na_input *in,
				 struct na_err *err)
{
	struct state *s = in->state;

	*t = (struct track){.in = s->in,
			    .counts = &s->counts,
			    .last_ns = INT64_MIN};
	t->file = na_capfile_open(s->in, err);
	if (!t->file)
		return err->status;
	advance(t);
	return NA_OK;
}

/* On the clock of the file: the first nanosecond at or behind it. */
static int64_t moment(const struct na_input *in, int64_t ps)
{
	int64_t ns = ps / NA_PS_PER_NS + (ps % NA_PS_PER_NS > 0);

	if (ps == NA_TIME_MIN || ps == NA_TIME_MAX)
		return ps == NA_TIME_MIN ? INT64_MIN : INT64_MAX;
	if (__builtin_add_overflow(in->zero_ns, ns, &ns))
		return ps < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

static enum na_status open_run(struct run *r, const struct na_input *in,
			       const struct na_sink *sink, struct na_err *err)
{
	const struct state *s = in->state;
	struct na_capture_options options = {
		.wants = in->wants,
		.segments_of = in->asks.segments_of,
		.zero_ns = in->zero_ns,
		.windowed = in->windowed,
		.sink = sink,
		.counted = true,
	};
	size_t n = in->n_merged ? in->n_merged : 1;

	options.files = (uint32_t)n;
	r->from_ns = options.from_ns =
		in->windowed ? moment(in, in->from_ps) : INT64_MIN;
	r->to_ns = options.to_ns = in->windowed ? moment(in, in->to_ps)
						: INT64_MAX;
	na_reach(in->zero_ns, &r->lowest_ns, &r->highest_ns);
	r->tracks = na_calloc(n, sizeof(*r->tracks));
	r->capture = na_capture_new(&options);
	if (!r->tracks || !r->capture)
		return na_fail_nomem(err);
	if (in->asks.filter &&
	    na_capture_filter_new(&r->filter, in->asks.filter, err) != NA_OK)
		return err->status;
	while (r->n < n) {
		struct na_input *file = in->n_merged ? in->merged[r->n] : s->in;

		if (open_track(&r->tracks[r->n++], file, err) != NA_OK)
			return err->status;
	}
	return NA_OK;
}

static void close_run(struct run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->tracks[i].file)
			na_capfile_close(r->tracks[i].file);
	}
	free(r->tracks);
	na_capture_free(r->capture);
	na_capture_filter_free(r->filter);
}

/* The earliest packet that is next in a file, ties in the order given; and
 * until when that file stays the one. */
static struct track *earliest(struct run *r, struct track **second)
{
	struct track *first = NULL;

	*second = NULL;
	for (size_t i = 0; i < r->n; i++) {
		struct track *t = &r->tracks[i];

		if (!t->more)
			continue;
		if (!first || t->next.time_ns < first->next.time_ns) {
			*second = first;
			first = t;
		} else if (!*second ||
			   t->next.time_ns < (*second)->next.time_ns) {
			*second = t;
		}
	}
	return first;
}

static bool still_first(const struct track *t, const struct track *second)
{
	if (!t->more)
		return false;
	if (!second || t->next.time_ns < second->next.time_ns)
		return true;
	return t->next.time_ns == second->next.time_ns && t < second;
}

/* Times so far off that they cannot be told are told as the farthest. */
static void within_reach(const struct run *r, struct track *t)
{
	int64_t ns = t->next.time_ns;

	if (ns >= r->lowest_ns && ns <= r->highest_ns)
		return;
	t->far++;
	t->next.time_ns = ns < r->lowest_ns ? r->lowest_ns : r->highest_ns;
}

/* Beside it others may be missing, of a slice. */
static void count_backward(const struct run *r, struct track *t)
{
	int64_t ns = t->next.time_ns;

	if (ns < r->from_ns || ns >= r->to_ns)
		return;
	t->counts->backward_steps += ns < t->last_ns;
	t->last_ns = ns;
}

static void count(const struct run *r, struct track *t)
{
	const struct na_record *x = &t->next;
	struct na_capture_counts *c = t->counts;

	if (!t->timed || x->time_ns < c->earliest_ns)
		c->earliest_ns = x->time_ns;
	if (!t->timed || x->time_ns > c->latest_ns)
		c->latest_ns = x->time_ns;
	t->timed = true;
	count_backward(r, t);
	c->packets++;
	c->captured_bytes += x->captured_bytes;
	c->wire_bytes += x->wire_bytes;
	c->cut_packets += x->captured_bytes < x->wire_bytes;
}

static enum na_status one_packet(struct run *r, struct track *t)
{
	enum na_status st = NA_OK;

	t->in->events++;
	if (r->filter && !na_capture_filter_pass(r->filter, &t->next)) {
		t->counts->filtered++;
	} else {
		within_reach(r, t);
		count(r, t);
		st = na_capture_record(r->capture, &t->next);
	}
	advance(t);
	return st;
}

static uint64_t *kind(struct na_capture_counts *c, size_t i)
{
	return (uint64_t *)(void *)((char *)c + kinds[i]);
}

/* What came since the last time came from this file. */
static void tell_kinds(struct run *r, struct track *t)
{
	struct na_capture_counts all = *na_capture_counts(r->capture);

	for (size_t i = 0; i < N_KINDS; i++) {
		*kind(t->counts, i) += *kind(&all, i) - r->told[i];
		r->told[i] = *kind(&all, i);
	}
}

/* Tell how far we are; false: enough. */
static bool look_up(const struct na_input *in, struct run *r)
{
	uint64_t bytes = 0, since;

	for (size_t i = 0; i < r->n; i++)
		bytes += r->tracks[i].next.at;
	since = bytes - r->told_bytes;
	r->told_bytes = bytes;
	return !in->asks.go_on || in->asks.go_on(in->asks.ctx, since);
}

static enum na_status all_packets(struct run *r, const struct na_input *in)
{
	enum na_status st = NA_OK;
	struct track *t, *second;
	bool stop = false;
	uint64_t n = 0;

	while (st == NA_OK && !stop && (t = earliest(r, &second))) {
		na_capture_from(r->capture, (uint32_t)(t - r->tracks));
		do {
			if (++n % LOOK_UP_EVERY == 0)
				stop = !look_up(in, r);
			st = one_packet(r, t);
		} while (st == NA_OK && !stop && still_first(t, second));
		tell_kinds(r, t);
	}
	return st;
}

/* What belongs to the capture as a whole is told of its first file. */
static void take_counts(struct na_capture_counts *to,
			const struct na_capture_counts *all)
{
	struct na_capture_counts own = *to;

	*to = *all;
	to->packets = own.packets;
	to->earliest_ns = own.earliest_ns;
	to->latest_ns = own.latest_ns;
	to->captured_bytes = own.captured_bytes;
	to->wire_bytes = own.wire_bytes;
	to->cut_packets = own.cut_packets;
	to->backward_steps = own.backward_steps;
	to->filtered = own.filtered;
	for (size_t i = 0; i < N_KINDS; i++)
		*kind(to, i) = *kind(&own, i);
}

static void warn_of_filter(struct run *r)
{
	struct na_input *in = r->tracks[0].in;
	uint32_t link = 0;
	const char *why = NULL;
	uint64_t n = 0;

	if (r->filter)
		n = na_capture_filter_unfit(r->filter, &link, &why);
	if (n)
		na_input_warn(in,
			      "--filter does not fit link type %" PRIu32
			      " (%s): %" PRIu64 " packets left out",
			      link, why ? why : "?", n);
}

/* What memory or damage took away; what else there is to know is in the
 * counts. */
static void warn_of_losses(struct na_input *in,
			   const struct na_capture_counts *c)
{
	if (c->connections_evicted)
		na_input_warn(in,
			      "%" PRIu64 " of %" PRIu64 " TCP connections "
			      "were reported early, to bound memory: what came "
			      "later on them counts as a new one",
			      c->connections_evicted, c->connections);
	if (c->http2_damaged)
		na_input_warn(in,
			      "%" PRIu64 " of %" PRIu64 " HTTP/2 connections "
			      "could not be followed to their end (packets "
			      "cut or missing): calls on them are missing",
			      c->http2_damaged, c->http2_connections);
	if (c->limits_hit)
		na_input_warn(in,
			      "to bound memory, %" PRIu64 " pieces of state "
			      "were dropped: calls or marks may be missing",
			      c->limits_hit);
}

static void tell(struct run *r)
{
	take_counts(r->tracks[0].counts, na_capture_counts(r->capture));
	for (size_t i = 0; i < r->n; i++) {
		struct track *t = &r->tracks[i];

		t->counts->interfaces = na_capfile_interfaces(t->file);
		if (t->far)
			na_input_warn(t->in,
				      "%" PRIu64 " packets are more than 106 "
				      "days from the origin: taken as 106 days",
				      t->far);
	}
	warn_of_filter(r);
	warn_of_losses(r->tracks[0].in, r->tracks[0].counts);
}

static enum na_status read_capture(const struct na_input *in,
				   const struct na_block *b,
				   const struct na_sink *sink,
				   struct na_err *err)
{
	struct run r = {.n = 0};
	enum na_status st = open_run(&r, in, sink, err);

	(void)b;
	if (st == NA_OK)
		st = all_packets(&r, in);
	if (st == NA_OK)
		st = na_capture_finish(r.capture);
	if (st == NA_OK)
		tell(&r);
	close_run(&r);
	return st;
}

const struct na_reader na_reader_capture = {
	.name = "pcap",
	.packets = true,
	.sniff = na_capfile_sniff,
	.open = open_capture,
	.cut = cut_capture,
	.read = read_capture,
	.slice = na_capture_slice,
	.close = close_capture,
};

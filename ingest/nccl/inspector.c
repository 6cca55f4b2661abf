/*
 * Reader of NCCL Inspector's logs: a file for each process, in which its
 * communicators take turns, a line for each operation.
 *
 * Since v4.3 the lines do not say of which communicator they are: the last
 * `dump_stats` before them does.  A block gets that line with it.
 *
 * Ranks are those of the communicator.  The one with the most ranks is taken
 * for the whole job: its ranks are the job's.
 *
 * Sources: NVIDIA/nccl plugins/profiler/inspector (inspector_json.cc,
 * README.md); docs/formats.md, "GPU jobs".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/input.h"
#include "ingest/nccl/inspector_line.h"
#include "ingest/nccl/names.h"
#include "netan/base/units.h"
#include "netan/model/gpu/kernels.h"

#define OPERATIONS (NA_INSPECTOR_COLL | NA_INSPECTOR_P2P | NA_INSPECTOR_PROXY)

enum { SURVEY_BYTES = 1 << 20 };

struct inspector {
	const uint8_t *next;  /* byte to hand out */
	struct na_text world; /* communicator with the most ranks */
	struct na_text about; /* line that says of whom the next one is */
	bool apart;           /* there are such lines */
};

static struct na_text bytes_between(const uint8_t *p, const uint8_t *end)
{
	return na_text_n((const char *)p, (size_t)(end - p));
}

static bool has(struct na_text x, const char *word)
{
	return x.n && memmem(x.s, x.n, word, strlen(word));
}

static enum na_sniff sniff(const uint8_t *head, size_t n, uint64_t size,
			   const char **why)
{
	static const char *const first[] = {
		"{\"header\"",   "{\"metadata\"",    "{\"coll_perf\"",
		"{\"p2p_perf\"", "{\"proxy_trace\"", "{\"dump_stats\"",
	};
	struct na_text x = bytes_between(head, head + n);
	bool object = false;

	(void)size;
	(void)why;
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		object |= na_text_begins(x, first[i]);
	return object && (has(x, "\"coll_perf\"") || has(x, "\"p2p_perf\"") ||
			  has(x, "\"proxy_trace\"") || has(x, "\"dump_stats\""))
		       ? NA_SNIFF_YES
		       : NA_SNIFF_NO;
}

/* The next line that holds something; false: there is none. */
static bool next_line(const uint8_t **p, const uint8_t *end,
		      struct na_text *line)
{
	while (*p < end) {
		const uint8_t *from = *p;
		const uint8_t *at = memchr(from, '\n', (size_t)(end - from));

		*p = at ? at + 1 : end;
		*line = bytes_between(from, at ? at : end);
		while (line->n && (line->s[line->n - 1] == '\r' ||
				   line->s[line->n - 1] == ' '))
			line->n--;
		if (line->n)
			return true;
	}
	return false;
}

/* ---- one line and what it is about */

/* What stands in a line's header, or in that of the line before it. */
static bool complete(struct na_inspector_line *x,
		     const struct na_inspector_line *about)
{
	if (x->parts & NA_INSPECTOR_HEADER)
		return x->group.n > 0;
	if (!about->group.n)
		return false;
	x->group = about->group;
	x->rank = about->rank;
	x->n_ranks = about->n_ranks;
	x->dump_ns = x->dump_ns < 0 ? about->dump_ns : x->dump_ns;
	return true;
}

static bool is_timed(const struct na_inspector_line *x)
{
	return x->kernel_start_ns >= 0 &&
	       x->kernel_stop_ns >= x->kernel_start_ns;
}

static int64_t start_of(const struct na_inspector_line *x)
{
	int64_t before = x->exec_ps > 0 ? x->exec_ps / NA_PS_PER_NS : 0;

	if (x->parts & NA_INSPECTOR_PROXY && x->send_ns >= 0)
		return x->send_ns;
	return is_timed(x)           ? x->kernel_start_ns
	       : x->dump_ns < before ? -1
				     : x->dump_ns - before;
}

/* ---- survey */

struct survey {
	int64_t first_ns, n_ranks, rank;
	bool timed, untimed;
	struct na_text host;
};

static void look(struct na_input *in, struct survey *s,
		 const struct na_inspector_line *x)
{
	struct inspector *g = in->state;
	int64_t start = start_of(x);

	if (x->n_ranks > s->n_ranks && x->rank >= 0) {
		s->n_ranks = x->n_ranks;
		s->rank = x->rank;
		g->world = x->group;
	}
	if (x->host.n)
		s->host = x->host;
	if (!(x->parts & OPERATIONS))
		return;
	if (!(x->parts & NA_INSPECTOR_PROXY)) {
		s->timed |= is_timed(x);
		s->untimed |= !is_timed(x);
	}
	if (start >= 0 && (s->first_ns < 0 || start < s->first_ns))
		s->first_ns = start;
}

static enum na_status tell(struct na_input *in, const struct survey *s,
			   struct na_err *err)
{
	in->has_wall = in->has_time = s->first_ns >= 0;
	in->first_ns = in->has_time ? s->first_ns : 0;
	in->n_devices = 1;
	in->told = NA_TOLD_PLUGIN;
	in->has_gpus = true;
	if (s->n_ranks > 0 && s->n_ranks <= NA_NCCL_RANKS_MAX &&
	    s->rank < s->n_ranks) {
		in->rank = (int32_t)s->rank;
		in->world_size = (int32_t)s->n_ranks;
	}
	if (s->host.n) {
		in->host = na_arena_strn(&in->arena, s->host.s, s->host.n);
		if (!in->host)
			return na_fail_nomem(err);
	}
	if (s->untimed)
		na_input_warn(in, "tells how long operations took, not when: "
				  "nothing is said of who comes late; with "
				  "NCCL_INSPECTOR_DUMP_VERBOSE=1 it tells");
	return NA_OK;
}

/* By the first lines: whose file it is, and when it begins. */
static enum na_status open_inspector(struct na_input *in, struct na_err *err)
{
	struct na_inspector_line x, about = {.group = {NULL, 0}};
	struct inspector *g = calloc(1, sizeof(*g));
	struct survey s = {.first_ns = -1};
	const uint8_t *p = in->data, *end = p + in->size;
	struct na_text line;

	if (!g)
		return na_fail_nomem(err);
	in->state = g;
	g->next = p;
	if (in->size > SURVEY_BYTES)
		end = p + SURVEY_BYTES;
	g->apart = has(bytes_between(p, end), "\"dump_stats\"");
	while (next_line(&p, end, &line)) {
		if (!na_inspector_parse(line, &x))
			continue;
		if (x.parts & NA_INSPECTOR_STATS)
			about = x;
		if (complete(&x, &about))
			look(in, &s, &x);
	}
	return tell(in, &s, err);
}

static void close_inspector(struct na_input *in)
{
	free(in->state);
	in->state = NULL;
}

/* ---- blocks */

/* The last line of the block that says of whom the next ones are. */
static struct na_text last_about(const uint8_t *p, const uint8_t *end,
				 struct na_text before)
{
	static const char word[] = "\"dump_stats\"";
	const uint8_t *found = NULL, *at = p, *from, *to;

	while ((at = memmem(at, (size_t)(end - at), word, sizeof(word) - 1))) {
		found = at;
		at += sizeof(word) - 1;
	}
	if (!found)
		return before;
	from = memrchr(p, '\n', (size_t)(found - p));
	to = memchr(found, '\n', (size_t)(end - found));
	return bytes_between(from ? from + 1 : p, to ? to : end);
}

static enum na_status cut(struct na_input *in, struct na_block *b,
			  struct na_err *err)
{
	struct inspector *g = in->state;
	const uint8_t *end = in->data + in->size, *at;
	struct na_text *about = NULL;

	if (g->next >= end)
		return NA_END;
	at = end;
	if (end - g->next > NA_BLOCK_BYTES) {
		at = g->next + NA_BLOCK_BYTES;
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : end;
	}
	if (g->apart && g->about.n) {
		about = na_arena_alloc(&in->arena, sizeof(*about));
		if (!about)
			return na_fail_nomem(err);
		*about = g->about;
	}
	*b = (struct na_block){about, g->next, at};
	if (g->apart)
		g->about = last_about(g->next, at, g->about);
	g->next = at;
	return NA_OK;
}

/* ---- records */

struct reading {
	const struct na_input *in;
	const struct inspector *g;
	const struct na_sink *sink;
	struct na_text named; /* group whose index is `group` */
	uint32_t group;
	int64_t job_rank; /* whose core this is */
	uint32_t core;
};

static bool in_world(const struct reading *r, const struct na_inspector_line *x)
{
	return na_text_same(x->group, r->g->world);
}

static bool is_rank(int64_t rank, const struct na_inspector_line *x)
{
	return rank >= 0 && rank < x->n_ranks &&
	       x->n_ranks <= NA_NCCL_RANKS_MAX;
}

static void damaged(const struct reading *r, struct na_text line,
		    const char *why)
{
	const struct na_sink *s = r->sink;

	s->left_out(s->ctx, NA_LEFT_DAMAGED, 1);
	s->warn(s->ctx, (uint64_t)((const uint8_t *)line.s - r->in->data), why);
}

static uint32_t rank_address(const struct na_sink *s, int64_t rank)
{
	char buf[24];
	int n = snprintf(buf, sizeof(buf), "r%" PRId64, rank);

	return s->address(s->ctx, buf, (size_t)n);
}

static enum na_status tell_transfer(const struct reading *r,
				    const struct na_inspector_line *x,
				    int64_t from_ps, int64_t to_ps,
				    enum na_opcode what, struct na_text type)
{
	bool receives = what == NA_OPCODE_RECV, sends = what == NA_OPCODE_SEND;
	const struct na_sink *s = r->sink;
	struct na_transfer t = {
		NA_TRANSFER_OF_CAPTURE,
		.start_ps = from_ps,
		.end_ps = to_ps,
		.size_bytes = x->bytes > 0 ? (uint64_t)x->bytes : 0,
		.style = NA_STYLE_CAPTURE,
		.klass = from_ps < to_ps ? NA_VALID : NA_NO_LATENCY,
		.component = sends ? NA_COMP_SEND : NA_COMP_NETWORK,
	};
	uint32_t self = rank_address(s, x->rank);
	uint32_t peer = rank_address(s, x->peer);

	t.side = sends ? NA_TX : NA_RX;
	t.src = receives ? peer : self;
	t.dst = receives ? self : peer;
	t.collective = s->name(s->ctx, x->group.s, x->group.n);
	t.type = s->name(s->ctx, type.s, type.n);
	return s->transfer(s->ctx, &t);
}

static bool name_group(struct reading *r, const struct na_inspector_line *x)
{
	const struct na_sink *s = r->sink;

	if (r->group == NA_UNKNOWN_U32 || !na_text_same(r->named, x->group)) {
		r->named = x->group;
		r->group = s->name(s->ctx, x->group.s, x->group.n);
	}
	if (r->core == NA_UNKNOWN_U32) {
		r->job_rank = r->in->rank >= 0 ? r->in->rank : x->rank;
		r->core = s->core(s->ctx, NA_DEVICE_RANK, (int32_t)r->job_rank);
	}
	return r->group != NA_UNKNOWN_U32 && r->core != NA_UNKNOWN_U32;
}

static enum na_status tell_op(const struct reading *r,
			      const struct na_inspector_line *x,
			      const struct na_comm *c)
{
	const struct na_sink *s = r->sink;
	struct na_op_type t;
	struct na_op op = {.start_ps = c->start_ps, .end_ps = c->end_ps};
	const char *word = na_opcode_word(c->operation);

	memset(&t, 0, sizeof(t));
	t.program_id = NA_UNKNOWN_U64;
	t.channel = -1;
	t.size_bytes = c->size_bytes;
	t.name = s->name(s->ctx, x->operation.s, x->operation.n);
	t.kernel = t.module = t.collective = NA_UNKNOWN_U32;
	t.start_op = NA_UNKNOWN_U32;
	t.transfer_type = word ? s->name(s->ctx, word, strlen(word))
			       : NA_UNKNOWN_U32;
	t.group_size = c->group_size;
	t.opcode = c->operation;
	t.network = NA_NET_GPU;
	op.type = s->op_type(s->ctx, &t);
	op.core = c->core;
	return op.type == NA_UNKNOWN_U32 ? NA_ENOMEM : s->op(s->ctx, &op);
}

/* False: it is not known when, or for how long. */
static bool times_of(const struct reading *r, const struct na_inspector_line *x,
		     struct na_comm *c)
{
	int64_t zero = r->in->zero_ns;

	if (is_timed(x))
		return na_ps_since(x->kernel_start_ns, zero, &c->start_ps) &&
		       na_ps_since(x->kernel_stop_ns, zero, &c->end_ps);
	return x->exec_ps >= 0 && x->exec_ps < NA_OP_MAX_PS &&
	       x->dump_ns >= 0 && na_ps_since(x->dump_ns, zero, &c->end_ps) &&
	       na_add_i64(c->end_ps, -x->exec_ps, &c->start_ps);
}

static enum na_status tell_comm(struct reading *r,
				const struct na_inspector_line *x,
				struct na_text line)
{
	uint32_t wants = r->in->wants;
	bool p2p = x->parts & NA_INSPECTOR_P2P;
	bool peer = p2p && in_world(r, x) && is_rank(x->peer, x);
	struct na_comm c = {
		.sequence = x->sequence,
		.size_bytes = x->bytes < 0 ? NA_UNKNOWN_U64
					   : (uint64_t)x->bytes,
		.group_size = (uint32_t)x->n_ranks,
		.type = NA_UNKNOWN_U32,
		.stream = NA_UNKNOWN_U32,
		.peer = peer ? (int32_t)x->peer : -1,
		.operation = (uint8_t)na_nccl_opcode(x->operation),
		.source = !is_timed(x) ? NA_COMM_LASTED
			  : na_text_is(x->source, "collective_cpu")
				  ? NA_COMM_CPU
				  : NA_COMM_KERNEL,
	};
	bool receives = c.operation == NA_OPCODE_RECV;
	enum na_status st = NA_OK;

	if (!x->operation.n || !is_rank(x->rank, x) || !times_of(r, x, &c)) {
		damaged(r, line, "an operation without its name, rank or time");
		return NA_OK;
	}
	if (!name_group(r, x))
		return NA_ENOMEM;
	c.group = r->group;
	c.core = (uint16_t)r->core;
	if (wants & NA_WANT_COMMS)
		st = r->sink->comm(r->sink->ctx, &c);
	if (st == NA_OK && wants & NA_WANT_OPS && is_timed(x))
		st = tell_op(r, x, &c);
	if (st == NA_OK && peer && wants & NA_WANT_TRANSFERS && is_timed(x))
		st = tell_transfer(r, x, c.start_ps, c.end_ps, c.operation,
				   receives ? na_text_n("RECV", 4)
					    : na_text_n("SEND", 4));
	return st;
}

/* What a step of the proxy sends: from when it is posted to when it has gone.
 * A receiver waits for its peer in that time, so it tells of no transfer. */
static enum na_status tell_step(const struct reading *r,
				const struct na_inspector_line *x,
				struct na_text line)
{
	int64_t from, to, zero = r->in->zero_ns;

	if (!(r->in->wants & NA_WANT_TRANSFERS) ||
	    !na_text_is(x->record, "proxy_step") ||
	    !na_text_is(x->direction, "send") || !in_world(r, x))
		return NA_OK;
	if (!is_rank(x->rank, x) || !is_rank(x->peer, x) || x->send_ns < 0 ||
	    x->stop_ns < x->send_ns || !na_ps_since(x->send_ns, zero, &from) ||
	    !na_ps_since(x->stop_ns, zero, &to)) {
		damaged(r, line, "a step without its ranks or its times");
		return NA_OK;
	}
	return tell_transfer(r, x, from, to, NA_OPCODE_OTHER, x->record);
}

static enum na_status one_line(struct reading *r, struct na_text line,
			       struct na_inspector_line *about)
{
	const struct na_sink *s = r->sink;
	struct na_inspector_line x;

	if (!na_inspector_parse(line, &x)) {
		damaged(r, line, "no whole object of NCCL Inspector's");
		return NA_OK;
	}
	if (x.parts & NA_INSPECTOR_STATS) {
		*about = x;
		if (x.lost)
			s->left_out(s->ctx, NA_LEFT_AGGREGATED,
				    (uint64_t)x.lost);
	}
	if (!(x.parts & OPERATIONS))
		return NA_OK;
	if (!complete(&x, about)) {
		damaged(r, line,
			"an operation without the dump_stats line that says "
			"of which communicator it is");
		return NA_OK;
	}
	return x.parts & NA_INSPECTOR_PROXY ? tell_step(r, &x, line)
					    : tell_comm(r, &x, line);
}

static enum na_status read_block(const struct na_input *in,
				 const struct na_block *b,
				 const struct na_sink *sink, struct na_err *err)
{
	struct reading r = {.in = in,
			    .g = in->state,
			    .sink = sink,
			    .group = NA_UNKNOWN_U32,
			    .core = NA_UNKNOWN_U32};
	struct na_inspector_line about;
	const struct na_text *before = b->owner;
	const uint8_t *p = b->p;
	struct na_text line;
	enum na_status st = NA_OK;

	if (!before || !na_inspector_parse(*before, &about))
		about = (struct na_inspector_line){.group = {NULL, 0}};
	while (st == NA_OK && next_line(&p, b->end, &line))
		st = one_line(&r, line, &about);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

const struct na_reader na_reader_inspector = {
	.name = "inspector",
	.ranks = true,
	.sniff = sniff,
	.open = open_inspector,
	.cut = cut,
	.read = read_block,
	.close = close_inspector,
};

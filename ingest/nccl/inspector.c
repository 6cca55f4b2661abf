/*
 * Reader of NCCL Inspector's logs: a file for each process, in which its
 * communicators take turns, a line for each operation.
 *
 * Since v4.3 the lines do not say of which communicator they are: the last
 * `dump_stats` before them does.  A block gets that line with it.
 *
 * Ranks are those of the communicator: what they are in the job, all files
 * together tell (ingest/gpu/rank_map.h).
 *
 * Sources: NVIDIA/nccl plugins/profiler/inspector (inspector_json.cc,
 * README.md); docs/formats.md, "GPU jobs".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/gpu/rank_map.h"
#include "ingest/nccl/inspector_line.h"
#include "ingest/nccl/names.h"
#include "netan/base/units.h"
#include "netan/model/gpu/kernels.h"

enum { SURVEY_BYTES = 1 << 20 };

struct inspector {
	const uint8_t *next;  /* byte to hand out */
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

/* ---- survey */

struct survey {
	int64_t first_ns;
	bool timed, untimed;
	struct na_text host;
};

/* False: no memory. */
static bool look(struct na_input *in, struct survey *s,
		 const struct na_inspector_line *x)
{
	int64_t start = na_inspector_start(x);

	if (na_inspector_is_rank(x->rank, x) &&
	    !na_comm_rank_add(in, x->group, (int32_t)x->rank,
			      (int32_t)x->n_ranks))
		return false;
	if (x->host.n)
		s->host = x->host;
	if (x->pid >= 0)
		in->pid = x->pid;
	if (!(x->parts & NA_INSPECTOR_OPERATIONS))
		return true;
	if (!(x->parts & NA_INSPECTOR_PROXY)) {
		s->timed |= na_inspector_timed(x);
		s->untimed |= !na_inspector_timed(x);
	}
	if (start >= 0 && (s->first_ns < 0 || start < s->first_ns))
		s->first_ns = start;
	return true;
}

static enum na_status tell(struct na_input *in, const struct survey *s,
			   struct na_err *err)
{
	in->has_wall = in->has_time = s->first_ns >= 0;
	in->first_ns = in->has_time ? s->first_ns : 0;
	in->n_devices = 1;
	in->told = NA_TOLD_PLUGIN;
	in->has_gpus = true;
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
	bool stand_in;
	const uint8_t *p = in->data, *end = p + in->size;
	struct na_text line;

	if (!g)
		return na_fail_nomem(err);
	in->state = g;
	g->next = p;
	if (in->size > SURVEY_BYTES)
		end = p + SURVEY_BYTES;
	g->apart = has(bytes_between(p, end), "\"dump_stats\"");
	while (na_inspector_next(&p, end, &line)) {
		if (!na_inspector_parse(line, &x))
			continue;
		if (x.parts & NA_INSPECTOR_STATS)
			about = x;
		if (na_inspector_complete(&x, &about) && !look(in, &s, &x))
			return na_fail_nomem(err);
	}
	/* As if there were no other file; who has others does so again. */
	if (in->n_comm_ranks &&
	    !na_rank_map_settle(&in, 1, &in->arena, &stand_in))
		return na_fail_nomem(err);
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

static uint64_t lines_in(const uint8_t *p, const uint8_t *end)
{
	struct na_text line;
	uint64_t n = 0;

	while (na_inspector_next(&p, end, &line))
		n++;
	return n;
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
	*b = (struct na_block){about, g->next, at, at};
	if (g->apart)
		g->about = last_about(g->next, at, g->about);
	in->events += lines_in(g->next, at);
	g->next = at;
	return NA_OK;
}

const struct na_reader na_reader_inspector = {
	.name = "inspector",
	.ranks = true,
	.sniff = sniff,
	.open = open_inspector,
	.cut = cut,
	.read = na_inspector_read,
	.close = close_inspector,
};

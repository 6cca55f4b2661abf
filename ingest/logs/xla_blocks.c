/*
 * Analysis blocks: every line behind "Compilation Analysis: ",
 * "Execution Analysis: " or "Post Compilation Analysis: ".
 *
 *	====
 *	Compilation Cause
 *	  mark_step in parallel loader at step end
 *	Graph Info:
 *	  Graph Hash: c74c3b91b855b2b123f833b0d5f86943
 *	Python Frame Triggered Execution:
 *	  mark_step (/src/torch_xla/core/xla_model.py:1055)
 *	  ..........
 *	----
 *	====
 *
 * A block that is cut off ends where the next one begins.
 */
#include <string.h>

#include "ingest/logs/xla_parts.h"
#include "netan/base/vec.h"

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ (h >> 29);
}

static uint64_t hash_text(const char *s, size_t n)
{
	uint64_t h = n + 1;

	for (size_t i = 0; i < n; i++)
		h = mix(h, (unsigned char)s[i]);
	return h | 1; /* 0 is none */
}

static uint64_t key_of(const struct na_xla_block *b)
{
	uint64_t h = mix(b->execution, b->cause);

	for (size_t i = 0; i < b->n_frames; i++)
		h = mix(h, b->frames[i]);
	return h;
}

static bool same(const struct na_xla_stack *s, const struct na_xla_block *b,
		 uint64_t key)
{
	return s->key == key && s->execution == b->execution &&
	       s->cause == b->cause && s->n_frames == b->n_frames &&
	       (!b->n_frames || memcmp(s->frames, b->frames,
				       b->n_frames * sizeof(*b->frames)) == 0);
}

static enum na_status add_stack(struct na_xla_log *log,
				const struct na_xla_block *b, uint64_t key,
				struct na_xla_stack **out, struct na_err *err)
{
	struct na_xla_stack *s;
	uint32_t *frames;

	*out = NULL;
	if (log->n_stacks >= NA_XLA_STACKS_MAX) {
		log->left_out++;
		return NA_OK;
	}
	frames = na_arena_alloc(&log->frames,
				(b->n_frames + 1) * sizeof(*frames));
	if (!frames || !na_grow(&log->stacks, &log->cap_stacks,
				log->n_stacks + 1, sizeof(*s)))
		return na_fail_nomem(err);
	memcpy(frames, b->frames, b->n_frames * sizeof(*frames));
	s = &log->stacks[log->n_stacks++];
	*s = (struct na_xla_stack){
		.key = key,
		.execution = b->execution,
		.cause = b->cause,
		.frames = frames,
		.n_frames = b->n_frames,
	};
	*out = s;
	return NA_OK;
}

static enum na_status count_graph(struct na_xla_stack *s, uint64_t graph,
				  struct na_err *err)
{
	if (!graph || s->n_graphs >= NA_XLA_GRAPHS_MAX)
		return NA_OK;
	for (size_t i = 0; i < s->n_graphs; i++) {
		if (s->graphs[i] == graph)
			return NA_OK;
	}
	if (!na_grow(&s->graphs, &s->cap_graphs, s->n_graphs + 1,
		     sizeof(*s->graphs)))
		return na_fail_nomem(err);
	s->graphs[s->n_graphs++] = graph;
	return NA_OK;
}

/* The block is complete: one more of its kind. */
static enum na_status close_block(struct na_xla_reader *r, size_t stream,
				  struct na_err *err)
{
	struct na_xla_block *b = &r->streams[stream].block;
	struct na_xla_log *log = r->log;
	struct na_xla_stack *s = NULL;
	uint64_t key = key_of(b);
	bool empty = !b->open || (b->cause == NA_NO_NAME && !b->n_frames);

	b->open = false;
	if (empty)
		return NA_OK;
	log->blocks++;
	for (size_t i = 0; i < log->n_stacks && !s; i++) {
		if (same(&log->stacks[i], b, key))
			s = &log->stacks[i];
	}
	if (!s && add_stack(log, b, key, &s, err) != NA_OK)
		return err->status;
	if (!s)
		return NA_OK;
	s->count++;
	r->streams[stream].kept = true;
	return count_graph(s, b->graph, err);
}

static void open_block(struct na_xla_block *b, const struct na_xla_found *f)
{
	memset(b, 0, sizeof(*b));
	b->open = true;
	b->execution = f->word == NA_XLA_W_EXECUTION;
	b->cause = NA_NO_NAME;
}

static enum na_status add_frame(struct na_xla_reader *r, struct na_xla_block *b,
				struct na_text x, struct na_err *err)
{
	uint32_t name;

	if (x.n < 4 || !na_text_ends(x, ")") || !memchr(x.s, '(', x.n)) {
		/* ".........." stands for those that were not printed */
		if (!na_text_begins(x, "..."))
			b->in_frames = false;
		return NA_OK;
	}
	if (b->n_frames == NA_XLA_FRAMES_MAX) {
		r->log->left_out++;
		return NA_OK;
	}
	if (na_xla_name(r->log, x.s, x.n, &name, err) != NA_OK)
		return err->status;
	if (name != NA_NO_NAME)
		b->frames[b->n_frames++] = name;
	return NA_OK;
}

static bool is_cause(struct na_text x)
{
	return na_text_begins(x, "Compilation Cause") ||
	       na_text_begins(x, "Execution Cause");
}

static enum na_status content(struct na_xla_reader *r, struct na_xla_block *b,
			      struct na_text x, struct na_err *err)
{
	if (b->wants_cause) {
		b->wants_cause = false;
		return na_xla_name(r->log, x.s, x.n, &b->cause, err);
	}
	if (is_cause(x)) {
		b->wants_cause = true;
		b->in_frames = false;
	} else if (na_text_begins(x, "Python Frame")) {
		b->in_frames = true;
	} else if (na_text_past(&x, "Graph Hash: ")) {
		b->graph = hash_text(x.s, x.n);
	} else if (b->in_frames) {
		return add_frame(r, b, x, err);
	}
	return NA_OK;
}

static void after_compilation(struct na_xla_log *log, struct na_text x)
{
	double gb;

	if (na_text_past(&x, "Compiled program size: ") &&
	    na_xla_decimal(x.s, x.n, &gb) && gb > log->program_gb)
		log->program_gb = gb;
}

enum na_status na_xla_block_line(struct na_xla_reader *r, size_t stream,
				 const struct na_xla_found *f,
				 struct na_err *err)
{
	struct na_xla_block *b = &r->streams[stream].block;
	bool rule = na_text_begins(f->rest, "====");
	bool execution = f->word == NA_XLA_W_EXECUTION;
	bool has_cause = b->open && b->cause != NA_NO_NAME;

	r->log->lines++;
	if (f->word == NA_XLA_W_POST) {
		after_compilation(r->log, f->rest);
		return NA_OK;
	}
	if (rule || na_text_begins(f->rest, "----"))
		return close_block(r, stream, err);
	if (!f->rest.n)
		return NA_OK;
	if (b->open &&
	    (b->execution != execution || (has_cause && is_cause(f->rest))) &&
	    close_block(r, stream, err) != NA_OK)
		return err->status;
	if (!b->open)
		open_block(b, f);
	return content(r, b, f->rest, err);
}

enum na_status na_xla_block_end(struct na_xla_reader *r, size_t stream,
				struct na_err *err)
{
	return close_block(r, stream, err);
}

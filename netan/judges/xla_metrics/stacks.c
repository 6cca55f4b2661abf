/*
 * Python stacks: equal ones of all logs are one group.  The user's frame is
 * the innermost that belongs neither to PyTorch nor to Python; what it calls,
 * the frame before it, is the operator.
 */
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/vec.h"
#include "netan/judges/xla_metrics/parts.h"

/* ---- whose code is a frame */

/* The file of "func (file:line)", with the bracket: until the text's end. */
static const char *file_of(const char *frame)
{
	const char *at = strrchr(frame, '(');

	return at ? at + 1 : frame;
}

/* A checkout of PyTorch has its package in a directory "torch", and so may
 * a user: what is below it decides. */
static bool in_torch(const char *file)
{
	static const char *const parts[] = {"_",
					    "nn/",
					    "autograd/",
					    "utils/",
					    "optim/",
					    "fx/",
					    "distributed/",
					    "functional.py",
					    "tensor.py",
					    "amp/",
					    "cuda/",
					    "jit/",
					    "serialization.py",
					    NULL};

	for (const char *at = file; (at = strstr(at, "torch/")); at++) {
		if (at > file && at[-1] != '/')
			continue;
		for (const char *const *p = parts; *p; p++) {
			if (strncmp(at + 6, *p, strlen(*p)) == 0)
				return true;
		}
	}
	return false;
}

static bool is_torch(const char *frame)
{
	const char *file = file_of(frame);

	return strstr(file, "/torch_xla/") ||
	       strncmp(file, "torch_xla/", 10) == 0 ||
	       strstr(file, "-packages/torch/") || in_torch(file);
}

static bool is_library(const char *frame)
{
	const char *file = file_of(frame);

	return strstr(file, "/site-packages/") ||
	       strstr(file, "/dist-packages/") || strstr(file, "/lib/python") ||
	       file[0] == '<';
}

static const char *frame_at(const struct na_xla_group *g, size_t i)
{
	return na_strtab_at(&g->log->names, g->stack->frames[i]);
}

static void find_user(struct na_xla_group *g)
{
	size_t n = g->stack->n_frames, user = n;

	for (size_t i = 0; i < n && user == n; i++) {
		const char *frame = frame_at(g, i);

		if (!is_torch(frame) && !is_library(frame))
			user = i;
	}
	for (size_t i = 0; i < n && user == n; i++) {
		if (!is_torch(frame_at(g, i)))
			user = i;
	}
	if (user == n)
		return;
	g->user = frame_at(g, user);
	if (user)
		g->operator= frame_at(g, user - 1);
}

/* ---- equal stacks */

static bool same_name(const struct na_xla_log *x, uint32_t a,
		      const struct na_xla_log *y, uint32_t b)
{
	return strcmp(na_strtab_at(&x->names, a), na_strtab_at(&y->names, b)) ==
	       0;
}

static bool equal(const struct na_xla_group *g, const struct na_xla_log *log,
		  const struct na_xla_stack *s)
{
	if (g->stack->execution != s->execution ||
	    g->stack->n_frames != s->n_frames ||
	    !same_name(g->log, g->stack->cause, log, s->cause))
		return false;
	for (size_t i = 0; i < s->n_frames; i++) {
		if (!same_name(g->log, g->stack->frames[i], log, s->frames[i]))
			return false;
	}
	return true;
}

/* By text, so that those of one process are next to those of another. */
static int by_text(const void *pa, const void *pb)
{
	const struct na_xla_group *a = pa, *b = pb;
	size_t n = a->stack->n_frames < b->stack->n_frames ? a->stack->n_frames
							   : b->stack->n_frames;
	int d;

	if (a->stack->execution != b->stack->execution)
		return a->stack->execution ? 1 : -1;
	d = strcmp(na_strtab_at(&a->log->names, a->stack->cause),
		   na_strtab_at(&b->log->names, b->stack->cause));
	for (size_t i = 0; i < n && !d; i++)
		d = strcmp(frame_at(a, i), frame_at(b, i));
	if (d)
		return d;
	if (a->stack->n_frames != b->stack->n_frames)
		return a->stack->n_frames < b->stack->n_frames ? -1 : 1;
	return 0;
}

static int by_count(const void *pa, const void *pb)
{
	const struct na_xla_group *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return by_text(pa, pb);
}

static void merge(struct na_xla_case *c)
{
	size_t n = 0;

	qsort(c->groups, c->n_groups, sizeof(*c->groups), by_text);
	for (size_t i = 0; i < c->n_groups; i++) {
		struct na_xla_group *g = &c->groups[i];
		struct na_xla_group *last = n ? &c->groups[n - 1] : NULL;

		if (!last || !equal(last, g->log, g->stack)) {
			c->groups[n++] = *g;
			continue;
		}
		last->count += g->count;
		if (g->graphs > last->graphs)
			last->graphs = g->graphs;
	}
	c->n_groups = n;
}

enum na_status na_xla_groups(struct na_xla_case *c, struct na_err *err)
{
	for (size_t i = 0; i < c->asked->n_inputs; i++) {
		const struct na_xla_log *log = &c->asked->inputs[i].log;

		if (!na_grow(&c->groups, &c->cap_groups,
			     c->n_groups + log->n_stacks, sizeof(*c->groups)))
			return na_fail_nomem(err);
		for (size_t k = 0; k < log->n_stacks; k++)
			c->groups[c->n_groups++] = (struct na_xla_group){
				.log = log,
				.stack = &log->stacks[k],
				.count = log->stacks[k].count,
				.graphs = log->stacks[k].n_graphs,
			};
	}
	if (!c->n_groups)
		return NA_OK;
	merge(c);
	qsort(c->groups, c->n_groups, sizeof(*c->groups), by_count);
	for (size_t i = 0; i < c->n_groups; i++) {
		struct na_xla_group *g = &c->groups[i];
		const char *cause = na_strtab_at(&g->log->names,
						 g->stack->cause);

		g->early = strstr(cause, "access tensor value") != NULL;
		find_user(g);
	}
	return NA_OK;
}

void na_xla_put_stacks(struct na_xla_case *c)
{
	struct na_result *r = c->r;
	struct na_value *list = na_put_list(r, na_result_body(r), M_stacks);

	for (size_t i = 0; i < c->n_groups; i++) {
		const struct na_xla_group *g = &c->groups[i];
		struct na_value *row = na_put_object(r, list, NULL), *frames;
		bool told = g->stack->cause != NA_NO_NAME;

		na_put_int(r, row, M_count, (int64_t)g->count);
		na_put_text(r, row, M_what,
			    g->stack->execution ? "execution" : "compilation");
		na_put_text(r, row, M_cause,
			    told ? na_strtab_at(&g->log->names, g->stack->cause)
				 : NULL);
		na_put_text(r, row, M_user_frame, g->user);
		na_put_text(r, row, M_operator, g->operator);
		na_put_bool(r, row, M_early, g->early);
		na_put_int(r, row, M_graphs, (int64_t)g->graphs);
		frames = na_put_list(r, row, M_frames);
		for (size_t k = 0; k < g->stack->n_frames; k++)
			na_put_text(r, frames, NULL, frame_at(g, k));
	}
}

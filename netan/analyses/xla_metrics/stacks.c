/*
 * Python stacks: equal ones of all logs are one group.  The user's frame is
 * the innermost that belongs neither to PyTorch nor to Python; what it calls,
 * the frame before it, is the operator.
 */
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/xla_metrics/state.h"
#include "netan/base/order.h"

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

static const char *cause_of(const struct na_xla_group *g)
{
	return na_strtab_at(&g->log->names, g->stack->cause);
}

static int compare_frames(const struct na_xla_group *a,
			  const struct na_xla_group *b)
{
	int d = 0;

	for (size_t i = 0;
	     !d && i < a->stack->n_frames && i < b->stack->n_frames; i++)
		d = strcmp(frame_at(a, i), frame_at(b, i));
	return d;
}

/* By text, so that those of one process are next to those of another. */
NA_ORDER(by_text, struct na_xla_group, NA_UP(stack->execution),
	 strcmp(cause_of(x), cause_of(y)), compare_frames(x, y),
	 NA_UP(stack->n_frames))

NA_ORDER(by_count, struct na_xla_group, NA_DOWN(count), by_text(x, y))

static void merge_groups(struct na_xla_case *c)
{
	size_t n = 0;

	na_sort(c->groups.v, c->groups.n, by_text);
	for (size_t i = 0; i < c->groups.n; i++) {
		struct na_xla_group *g = &c->groups.v[i];
		struct na_xla_group *last = n ? &c->groups.v[n - 1] : NULL;

		if (!last || by_text(last, g) != 0) {
			c->groups.v[n++] = *g;
			continue;
		}
		last->count += g->count;
		if (g->graphs > last->graphs)
			last->graphs = g->graphs;
	}
	c->groups.n = n;
}

enum na_status na_xla_groups(struct na_xla_case *c, struct na_err *err)
{
	for (size_t i = 0; i < c->asked->n_inputs; i++) {
		const struct na_xla_log *log = &c->asked->inputs[i].log;

		if (!na_room(&c->groups, log->n_stacks))
			return na_fail_nomem(err);
		for (size_t k = 0; k < log->n_stacks; k++)
			c->groups.v[c->groups.n++] = (struct na_xla_group){
				.log = log,
				.stack = &log->stacks[k],
				.count = log->stacks[k].count,
				.graphs = log->stacks[k].n_graphs,
			};
	}
	merge_groups(c);
	na_sort(c->groups.v, c->groups.n, by_count);
	for (size_t i = 0; i < c->groups.n; i++) {
		struct na_xla_group *g = &c->groups.v[i];

		g->early = strstr(cause_of(g), "access tensor value") != NULL;
		find_user(g);
	}
	return NA_OK;
}

void na_xla_put_stacks(struct na_xla_case *c)
{
	struct na_result *r = c->r;
	struct na_value *list = na_put_list(r, na_result_body(r), M_stacks);

	for (size_t i = 0; i < c->groups.n; i++) {
		const struct na_xla_group *g = &c->groups.v[i];
		struct na_value *row = na_put_object(r, list, NULL), *frames;
		bool told = g->stack->cause != NA_NO_NAME;

		na_put_int(r, row, M_count, (int64_t)g->count);
		na_put_text(r, row, M_what,
			    g->stack->execution ? "execution" : "compilation");
		na_put_text(r, row, M_cause, told ? cause_of(g) : NULL);
		na_put_text(r, row, M_user_frame, g->user);
		na_put_text(r, row, M_operator, g->operator);
		na_put_bool(r, row, M_early, g->early);
		na_put_int(r, row, M_graphs, (int64_t)g->graphs);
		frames = na_put_list(r, row, M_frames);
		for (size_t k = 0; k < g->stack->n_frames; k++)
			na_put_text(r, frames, NULL, frame_at(g, k));
	}
}

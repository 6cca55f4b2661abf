#include "tests/unit/hand_drive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/engine/feed.h"
#include "netan/result/emit.h"

struct drive {
	const struct na_analysis *a;
	const struct na_scope *scope;
	void *state, *block;
	size_t in_block, size;
	unsigned pass;
	struct na_extent used;
};

static void end_block(struct drive *d)
{
	if (!d->in_block)
		return;
	if (d->a->seal)
		assert_int_equal(d->a->seal(d->block), NA_OK);
	assert_int_equal(d->a->merge(d->state, d->block, d->pass), NA_OK);
	na_block_fini(d->a, d->block);
	memset(d->block, 0, na_block_size(d->a));
	d->in_block = 0;
}

static void *block_of(struct drive *d)
{
	if (d->in_block == d->size)
		end_block(d);
	if (!d->in_block++)
		assert_int_equal(d->a->fork(d->block, d->state, d->pass),
				 NA_OK);
	return d->block;
}

/* Records one by one: a block may end behind each. */
static void one_pass(struct drive *d)
{
	size_t n;
	struct na_record_span *all = na_feed_list(d->a, d->scope->store, &n);
	struct na_fed fed = {.used.n = 0};

	assert_non_null(all);
	for (size_t i = 0; i < n; i++) {
		struct na_record_span one = all[i];

		if (i && one.kind != all[i - 1].kind)
			end_block(d);
		one.n = 1;
		for (size_t k = 0; k < all[i].n; k++) {
			assert_int_equal(na_feed(d->a, d->scope, block_of(d),
						 &one, &fed),
					 NA_OK);
			one.records = (const char *)one.records + one.size;
		}
	}
	end_block(d);
	if (d->pass == 0)
		d->used = fed.used;
	free(all);
}

static void conclude(struct driven *out, struct drive *d, struct na_err *err)
{
	/* Shares come in any order, and any number of them. */
	for (size_t i = 3; d->a->share && i-- > 0;)
		assert_int_equal(d->a->share(d->state, i, 3), NA_OK);
	out->status = d->a->finish(d->state, out->r, err);
	assert_true(na_result_ok(out->r));
	out->used = d->used.n;
	out->first_ps = d->used.first_ps;
	out->last_ps = d->used.last_ps;
	if (d->a->severity)
		out->severity = d->a->severity(d->state);
}

void hand_drive(struct driven *out, const struct na_analysis *a,
		const struct na_scope *scope, const void *params,
		size_t block_size, struct na_err *err)
{
	struct na_scope own = *scope;
	struct drive d = {.a = a, .scope = &own, .size = block_size};
	struct na_bound_filter bound;

	assert_true(na_filter_bind(&bound, scope->filter, scope->store));
	bound.every_host = a->every_host;
	own.bound = &bound;
	own.used = &d.used;
	d.state = calloc(1, a->state_size);
	d.block = calloc(1, na_block_size(a));
	assert_true(d.state && d.block);
	*out = (struct driven){.r = na_result_new()};
	out->status = a->open(d.state, &own, params, err);
	for (; out->status == NA_OK && d.pass < a->passes; d.pass++) {
		one_pass(&d);
		if (a->turn)
			out->status = a->turn(d.state, d.pass, err);
	}
	if (out->status == NA_OK || out->status == NA_END)
		conclude(out, &d, err);
	if (a->fini)
		a->fini(d.state);
	na_filter_unbind(&bound);
	free(d.state);
	free(d.block);
}

void driven_end(struct driven *d)
{
	na_result_free(d->r);
}

struct hand_run *hand_run_begin(size_t n_sources, int side)
{
	struct hand_run *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	hand_init(&x->h, n_sources, NULL);
	x->h.filter.side = side;
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	return x;
}

void hand_run_drive(struct hand_run *x, const struct hand_row *rows, size_t n,
		    const struct na_analysis *a, const void *params,
		    size_t block_size)
{
	hand_fill(&x->h, rows, n, 100);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	hand_drive(&x->d, a, &x->scope, params, block_size, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

void hand_run_end(struct hand_run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
	free(x);
}

double driven_real(const struct driven *d, const char *path)
{
	return na_real_of(na_dig(na_result_body(d->r), path), NAN);
}

char *driven_json(const struct driven *d)
{
	const struct na_emit_opts opts = {NULL, false, 0};
	struct na_err err = {.status = NA_OK};
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	assert_int_equal(na_emitter_find("json")->write(d->r, &opts, f, &err),
			 NA_OK);
	assert_int_equal(fclose(f), 0);
	return text;
}

const struct na_value *value_at(const struct na_value *list, size_t i)
{
	const struct na_value *v = list ? list->u.of.first : NULL;

	while (v && i--)
		v = v->next;
	return v;
}

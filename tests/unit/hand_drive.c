#include "tests/unit/hand_drive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "netan/result/emit.h"

struct drive {
	const struct na_analysis *a;
	const struct na_scope *scope;
	void *state, *block;
	size_t in_block, size;
	unsigned pass;
};

static void end_block(struct drive *d)
{
	if (!d->in_block)
		return;
	if (d->a->seal)
		assert_int_equal(d->a->seal(d->block), NA_OK);
	assert_int_equal(d->a->merge(d->state, d->block, d->pass), NA_OK);
	d->a->fini(d->block);
	memset(d->block, 0, d->a->state_size);
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

static void add_transfers(struct drive *d, const struct na_bound_filter *bound)
{
	const struct na_bag *bag = &d->scope->store->transfers;

	for (struct na_chunk *c = bag->first; c && d->a->add; c = c->next) {
		const struct na_packed_transfer *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			const struct na_transfer t = na_unpack_transfer(&x[i]);

			if (na_filter_transfer(bound, &t) == NA_KEEP)
				assert_int_equal(d->a->add(block_of(d), &t),
						 NA_OK);
		}
	}
	end_block(d);
}

static void add_execs(struct drive *d, const struct na_bound_filter *bound,
		      const struct na_bag *bag)
{
	for (struct na_chunk *c = bag->first; c && d->a->add_exec;
	     c = c->next) {
		const struct na_packed_exec *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			const struct na_exec e = na_unpack_exec(&x[i]);

			if (na_filter_exec(bound, &e))
				assert_int_equal(d->a->add_exec(block_of(d),
								&e),
						 NA_OK);
		}
	}
	end_block(d);
}

/* Records of captures that pass the test. */
#define ADD_ALL(what, bag, test) \
	static void add_##bag(struct drive *d, \
			      const struct na_bound_filter *bound) \
	{ \
		struct na_chunk *c = d->scope->store->bag.first; \
\
		for (; c && d->a->add_##what; c = c->next) { \
			const struct na_##what *x = (const void *)c->data; \
\
			for (size_t i = 0; i < c->n; i++) { \
				if (test(bound, &x[i])) \
					assert_int_equal( \
						d->a->add_##what(block_of(d), \
								 &x[i]), \
						NA_OK); \
			} \
		} \
		end_block(d); \
	}
#define ANY(bound, x) ((void)(bound), true)
ADD_ALL(call, calls, na_filter_call)
ADD_ALL(connection, connections, na_filter_connection)
ADD_ALL(segment, segments, ANY)
ADD_ALL(host_event, host_events, na_filter_host_event)

static void add_packets(struct drive *d, const struct na_bound_filter *bound)
{
	struct na_chunk *c = d->scope->store->packets.first;

	for (; c && d->a->add_packet; c = c->next) {
		const struct na_wire_packet *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			unsigned sides = na_filter_packet(bound, &x[i]);

			if (sides)
				assert_int_equal(d->a->add_packet(block_of(d),
								  &x[i], sides),
						 NA_OK);
		}
	}
	end_block(d);
}

static void add_ops(struct drive *d, const struct na_bound_filter *bound)
{
	const struct na_devices *v = &d->scope->store->devices;

	for (struct na_chunk *c = v->ops.first; c && d->a->add_op;
	     c = c->next) {
		const struct na_op *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			if (d->a->every_host ||
			    na_filter_input(bound, v->cores[x[i].core].input))
				assert_int_equal(d->a->add_op(block_of(d),
							      &x[i]),
						 NA_OK);
		}
	}
	end_block(d);
}

static void add_busy(struct drive *d, const struct na_bound_filter *bound,
		     const struct na_bag *bag, bool straight)
{
	const struct na_core *cores = d->scope->store->devices.cores;

	for (struct na_chunk *c = bag->first; c && d->a->add_busy;
	     c = c->next) {
		const struct na_busy *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			const struct na_core *core = &cores[x[i].core];

			if (core->tangled == straight && x[i].length_ps &&
			    na_filter_input(bound, core->input))
				assert_int_equal(
					d->a->add_busy(
						block_of(d), x[i].core,
						x[i].start_ps,
						x[i].start_ps +
							(int64_t)x[i]
								.length_ps),
					NA_OK);
		}
	}
	end_block(d);
}

static void add_spans(struct drive *d, const struct na_bound_filter *bound,
		      const struct na_bag *bag,
		      enum na_status (*add)(void *block,
					    const struct na_span *s))
{
	for (struct na_chunk *c = bag->first; c && add; c = c->next) {
		const struct na_span *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			if (d->a->every_host ||
			    na_filter_input(bound, x[i].input))
				assert_int_equal(add(block_of(d), &x[i]),
						 NA_OK);
		}
	}
	end_block(d);
}

static void one_pass(struct drive *d)
{
	const struct na_store *s = d->scope->store;
	const struct na_bound_filter *bound = d->scope->bound;

	add_transfers(d, bound);
	add_execs(d, bound, &s->graphs);
	add_execs(d, bound, &s->actions);
	add_calls(d, bound);
	add_packets(d, bound);
	add_connections(d, bound);
	add_segments(d, bound);
	add_spans(d, bound, &s->spans, d->a->add_step);
	add_spans(d, bound, &s->modules, d->a->add_module);
	add_ops(d, bound);
	add_busy(d, bound, &s->devices.busy, false);
	add_busy(d, bound, &s->devices.straight, true);
	add_host_events(d, bound);
}

static void conclude(struct driven *out, struct drive *d, struct na_err *err)
{
	/* Shares come in any order, and any number of them. */
	for (size_t i = 3; d->a->share && i-- > 0;)
		assert_int_equal(d->a->share(d->state, i, 3), NA_OK);
	out->status = d->a->finish(d->state, out->r, err);
	assert_true(na_result_ok(out->r));
	d->a->used(d->state, &out->used, &out->first_ps, &out->last_ps);
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
	own.bound = &bound;
	d.state = calloc(1, a->state_size);
	d.block = calloc(1, a->state_size);
	assert_true(d.state && d.block);
	*out = (struct driven){.r = na_result_new()};
	out->status = a->open(d.state, &own, params, err);
	for (; out->status == NA_OK && d.pass < a->passes; d.pass++) {
		one_pass(&d);
		out->status = a->turn(d.state, d.pass, err);
	}
	if (out->status == NA_OK || out->status == NA_END)
		conclude(out, &d, err);
	a->fini(d.state);
	na_filter_unbind(&bound);
	free(d.state);
	free(d.block);
}

void driven_end(struct driven *d)
{
	na_result_free(d->r);
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

/*
 * What of an analysis goes between processes: every second block of transfers
 * is made in another one, and the result is the same to the byte; and bytes
 * that are not what was sent are refused or say something else, and harm
 * nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/vec.h"
#include "netan/cli/common.h"
#include "netan/engine/feed.h"
#include "netan/stats/samples/sample.h"
#include "tests/unit/hand_drive.h"

enum { ROWS = 600, BLOCK = 23, DAMAGES = 120 };

/* Two main states: of rank 0, and of another rank. */
struct two {
	const struct na_analysis *a;
	struct na_scope scope;
	struct na_extent used;
	void *state, *away, *block;
	unsigned pass;
	uint64_t seed; /* 0: nothing is damaged */
	bool broken;   /* and was found to be */
};

static uint64_t draw(struct two *d, uint64_t n)
{
	d->seed = na_mix_u64(d->seed, n);
	return d->seed % n;
}

/* A byte is another one, or the end is missing, now and then. */
static void damage(struct two *d, struct na_serializer *p)
{
	if (!d->seed || !p->n || draw(d, 8))
		return;
	if (draw(d, 4))
		p->p[draw(d, p->n)] = (uint8_t)draw(d, 256);
	else
		p->n = draw(d, p->n);
}

static void carry(struct two *d, enum na_packed_state what, void *from,
		  void *to)
{
	struct na_serializer p = {.p = NULL};
	struct na_deserializer o = {.failed = false};
	void *copy;

	d->a->pack(from, what, d->pass, &p);
	assert_false(p.failed);
	damage(d, &p);
	copy = malloc(p.n + !p.n); /* a byte behind it is nobody's */
	assert_non_null(copy);
	if (p.n)
		memcpy(copy, p.p, p.n);
	o.p = copy;
	o.end = o.p + p.n;
	if (from == d->block) {
		na_block_fini(d->a, d->block);
		memset(d->block, 0, na_block_size(d->a));
		assert_int_equal(d->a->fork(d->block, d->state, d->pass),
				 NA_OK);
	}
	d->a->unpack(to, what, d->pass, &o);
	d->broken |= o.failed || o.p != o.end;
	assert_true(!d->broken || d->seed);
	free(copy);
	na_serializer_fini(&p);
}

static void run_block(struct two *d, const struct na_record_span *x, bool away)
{
	struct na_fed fed = {.used.n = 0};
	enum na_status st;

	assert_int_equal(d->a->fork(d->block, away ? d->away : d->state,
				    d->pass),
			 NA_OK);
	st = na_feed(d->a, &d->scope, d->block, x, &fed);
	if (st == NA_OK && d->a->seal)
		st = d->a->seal(d->block);
	d->broken |= st != NA_OK;
	if (away && !d->broken)
		carry(d, NA_PACKED_BLOCK, d->block, d->block);
	if (!d->broken)
		assert_int_equal(d->a->merge(d->state, d->block, d->pass),
				 NA_OK);
	na_block_fini(d->a, d->block);
	memset(d->block, 0, na_block_size(d->a));
	if (!d->pass)
		na_extent_join(&d->used, &fed.used);
}

static void run_pass(struct two *d)
{
	size_t n;
	struct na_record_span *all = na_feed_list(d->a, d->scope.store, &n);
	bool away = false;

	assert_non_null(all);
	for (size_t i = 0; i < n; i++) {
		struct na_record_span x = all[i];

		for (size_t left = x.n; left && !d->broken; left -= x.n) {
			x.n = left < BLOCK ? left : BLOCK;
			run_block(d, &x,
				  away && x.kind == NA_RECORDS_TRANSFERS);
			x.records = (const char *)x.records + x.n * x.size;
			away = !away;
		}
	}
	free(all);
	if (!d->broken)
		carry(d, NA_PACKED_LEFT, d->away, d->state);
}

static enum na_status run_passes(struct two *d, struct na_err *err)
{
	enum na_status st = NA_OK;

	for (; st == NA_OK && d->pass < d->a->passes; d->pass++) {
		run_pass(d);
		if (d->broken)
			return NA_EFORMAT;
		if (d->a->turn)
			st = d->a->turn(d->state, d->pass, err);
		if (st == NA_OK && d->pass + 1 < d->a->passes)
			carry(d, NA_PACKED_TURNED, d->state, d->away);
		if (d->broken)
			return NA_EFORMAT;
	}
	return st;
}

/* The result as JSON; NULL: refused. */
static char *result_of(const struct na_analysis *a,
		       const struct na_scope *scope, const void *params,
		       uint64_t seed)
{
	struct two d = {.a = a, .scope = *scope, .seed = seed};
	struct na_result *r = na_result_new();
	struct na_err err = {.status = NA_OK};
	struct na_bound_filter bound;
	char *text = NULL;
	enum na_status st;

	assert_true(na_filter_bind(&bound, scope->filter, scope->store));
	d.scope.bound = &bound;
	d.scope.used = &d.used;
	d.state = calloc(1, a->state_size);
	d.away = calloc(1, a->state_size);
	d.block = calloc(1, na_block_size(a));
	assert_true(r && d.state && d.away && d.block);
	assert_int_equal(a->open(d.state, &d.scope, params, &err), NA_OK);
	assert_int_equal(a->open(d.away, &d.scope, params, &err), NA_OK);
	st = run_passes(&d, &err);
	for (size_t i = 0; i < 3 && a->share && (st == NA_OK || st == NA_END);
	     i++)
		assert_int_equal(a->share(d.state, i, 3), NA_OK);
	if (st == NA_OK || st == NA_END)
		st = a->finish(d.state, r, &err);
	if (st == NA_OK && na_result_ok(r))
		text = driven_json(&(struct driven){.r = r});
	a->fini(d.state);
	a->fini(d.away);
	na_filter_unbind(&bound);
	na_result_free(r);
	free(d.state);
	free(d.away);
	free(d.block);
	return text;
}

static void fill(struct hand *h)
{
	static const char *const names[] = {"all-reduce.1", "all-gather.2"};
	struct hand_row *v = calloc(ROWS, sizeof(*v));

	assert_non_null(v);
	for (size_t i = 0; i < ROWS; i++) {
		uint64_t x = na_mix_u64(i, 7);
		int64_t at = (int64_t)(x % 5000) * NA_PS_PER_US;
		int source = (int)(i * 4 / ROWS);

		v[i] = (struct hand_row){
			.what = x % 11 == 0   ? HAND_TX
				: x % 13 == 0 ? HAND_GRAPH
					      : HAND_RX,
			.source = source,
			.start_ps = at,
			.end_ps = at + (int64_t)(1 + x % 97) * NA_PS_PER_US,
			.size = x % 3 ? x % 4096 : x % 10000000,
			.src = (int)(x % 4) * 100,
			.dst = source * 100 + (int)(x % 2),
			.name = names[x % 2],
			.action_ps = (int64_t)(x % 300) * NA_PS_PER_US / 2,
			.style = NA_STYLE_GRAPH,
		};
		if (v[i].what != HAND_RX)
			v[i].src = v[i].dst;
	}
	hand_init(h, 4, NULL);
	hand_fill(h, v, ROWS, 50);
	hand_resolve(h, NA_ANCHOR_AUTO);
	free(v);
}

static void try_one(const struct hand *h, const struct na_analysis *a,
		    const char *by, bool damaged)
{
	static char path[] = "in", netan[] = "netan";
	char *argv[] = {netan, netan, path, NULL};
	struct na_err err = {.status = NA_OK};
	struct na_scope scope = {.store = &h->store, .filter = &h->filter};
	struct driven want;
	struct na_cli cli;
	char *text, *got;

	scope.components = h->filter.components;
	assert_int_equal(na_grouping_parse(by, &scope.by, &err), NA_OK);
	assert_int_equal(na_cli_parse(&cli, na_command_find(a->info.name), 3,
				      argv, &err),
			 NA_OK);
	hand_drive(&want, a, &scope, cli.params, BLOCK, &err);
	assert_int_equal(want.status, NA_OK);
	text = driven_json(&want);
	got = result_of(a, &scope, cli.params, 0);
	assert_non_null(got);
	assert_string_equal(got, text);
	free(got);
	for (uint64_t i = 1; damaged && i <= DAMAGES; i++)
		free(result_of(a, &scope, cli.params, na_mix_u64(i, 1) | 1));
	free(text);
	driven_end(&want);
	na_cli_free(&cli);
}

static void each(bool damaged)
{
	static const char *const by[] = {NULL, "host", "component,host",
					 "src,size", "pair,collective"};
	size_t tried = 0;
	struct hand h;

	fill(&h);
	h.filter.side = -1;
	for (const struct na_analysis *const *a = na_analyses; *a; a++) {
		for (size_t i = 0; (*a)->pack && i < NA_LEN(by); i++) {
			try_one(&h, *a, by[i], damaged);
			tried++;
		}
	}
	assert_true(tried);
	hand_fini(&h);
}

static void test_same(void **state)
{
	(void)state;
	each(false);
}

static void test_damaged(void **state)
{
	(void)state;
	each(true);
}

static void test_numbers(void **state)
{
	static const int64_t v[] = {0, 1, -1, 255, 256, INT64_MAX, INT64_MIN};
	struct na_serializer p = {.p = NULL};
	struct na_deserializer o = {.failed = false};

	(void)state;
	for (size_t i = 0; i < NA_LEN(v); i++) {
		na_pack_number(&p, (uint64_t)v[i]);
		na_pack_signed(&p, v[i]);
		na_pack_wide(&p, (na_i128)v[i] * v[i]);
		na_pack_wide(&p, -(na_i128)v[i] * 3);
	}
	o.p = p.p;
	o.end = p.p + p.n;
	for (size_t i = 0; i < NA_LEN(v); i++) {
		assert_true(na_unpack_number(&o) == (uint64_t)v[i]);
		assert_true(na_unpack_signed(&o) == v[i]);
		assert_true(na_unpack_wide(&o) == (na_i128)v[i] * v[i]);
		assert_true(na_unpack_wide(&o) == -(na_i128)v[i] * 3);
	}
	assert_true(!o.failed && o.p == o.end);
	/* Behind the end is nothing. */
	assert_true(na_unpack_number(&o) == 0 && o.failed);
	na_serializer_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("parcels", tests, NULL, NULL);
}

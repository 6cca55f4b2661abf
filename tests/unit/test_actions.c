/*
 * Once more through the traces for actions: all that an independent reading
 * finds, in its order, on any number of threads; and what the causes are
 * that were planted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "netan/cli/common.h"
#include "netan/engine/session/session.h"
#include "netan/methods/late/late.h"
#include "tests/unit/hand_store.h"
#include "tests/unit/synth_session.h"

enum { MOST = 20000, LINE_NS = 100000 };

struct opened {
	struct session synth;
	struct na_cli cli;
	struct na_session s;
	char text[256], threads[8];
	uint32_t besides; /* wanted: NA_WANT_AGAIN */
	char *argv[6];
};

static void open_all(struct opened *o, const char *threads)
{
	static char netan[] = "netan", quiet[] = "-q", j[] = "-j";
	struct na_err err = {.status = NA_OK};

	snprintf(o->text, sizeof(o->text), "%s", o->synth.dir);
	snprintf(o->threads, sizeof(o->threads), "%s", threads);
	o->argv[0] = o->argv[1] = netan;
	o->argv[2] = quiet;
	o->argv[3] = j;
	o->argv[4] = o->threads;
	o->argv[5] = o->text;
	assert_int_equal(na_cli_parse(&o->cli, na_command_find("timeline"), 6,
				      o->argv, &err),
			 NA_OK);
	assert_int_equal(na_session_open(&o->s, &o->cli.request,
					 NA_WANT_TRANSFERS | NA_WANT_GRAPHS |
						 NA_WANT_STEPS | o->besides),
			 NA_OK);
	assert_int_equal(na_session_filter(&o->s, &err), NA_OK);
	o->s.filter.side = -1;
	o->s.filter.instants = true;
	o->s.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		     o->besides;
	assert_int_equal(na_session_read(&o->s, true, &err), NA_OK);
}

static void close_all(struct opened *o)
{
	na_session_close(&o->s);
	na_cli_free(&o->cli);
}

/* ---- against protobuf-c */

struct seen {
	int64_t start_ps, end_ps;
	size_t transfers;
	uint32_t input;
};

struct reading {
	const char *collective;
	struct seen *seen;
	size_t n;
	uint32_t input;
	int64_t zero_ps;
};

static void visit(void *ctx, const struct event *e)
{
	struct reading *r = ctx;
	const char *key = event_text(e, "graph_key"), *found, *end;
	size_t len = strlen(r->collective), n = strlen(e->name);
	int64_t ns = event_number(e, "action_duration_ns");
	struct seen *x = &r->seen[r->n];

	found = strstr(key, r->collective);
	if (!found || found[len] != '$' ||
	    (n > 6 && strcmp(e->name + n - 6, " START") == 0))
		return;
	assert_true(r->n < MOST);
	*x = (struct seen){.input = r->input,
			   .start_ps = e->start_ps - r->zero_ps,
			   .end_ps = e->end_ps - r->zero_ps};
	if (ns >= 0)
		x->start_ps = x->end_ps - ns * NA_PS_PER_NS;
	for (end = event_text(e, "buffer_sizes"); (end = strstr(end, "$c"));
	     end++)
		x->transfers++;
	r->n++;
}

static enum na_status replay(void *arg, const struct na_replay *x)
{
	struct reading *r = arg;

	assert_true(r->n < MOST);
	for (size_t i = 0; i < x->n; i++) {
		assert_int_equal(x->transfers[i].end_ps, x->action->end_ps);
		assert_int_equal(x->transfers[i].collective,
				 x->action->collective);
		assert_int_equal(x->transfers[i].side == NA_TX,
				 x->action->kind == NA_ACT_SEND);
	}
	r->seen[r->n++] = (struct seen){x->action->start_ps, x->action->end_ps,
					x->n, x->input};
	return NA_OK;
}

static void same_as_protobuf(struct opened *o, const char *threads,
			     const char *collective)
{
	struct reading want = {.collective = collective}, got = want;
	struct na_execution of = {.from_ps = NA_TIME_MIN, .to_ps = NA_TIME_MAX};
	struct na_err err = {.status = NA_OK};

	open_all(o, threads);
	want.seen = calloc(MOST, sizeof(*want.seen));
	got.seen = calloc(MOST, sizeof(*got.seen));
	of.collective = na_strtab_find(&o->s.store.names.strings, collective,
				       strlen(collective));
	assert_int_equal(na_session_actions(&o->s, &of, 1, replay, &got, &err),
			 NA_OK);
	for (size_t i = 0; i < o->s.n_inputs; i++) {
		Netan__Xplane__XSpace *space = session_space(&o->synth, i);

		want.input = (uint32_t)i;
		want.zero_ps = (o->s.inputs[i].zero_ns -
				o->s.inputs[i].profile_start_ns) *
			       NA_PS_PER_NS;
		space_each(space, "/device:CUSTOM:Megascale", visit, &want);
		netan__xplane__xspace__free_unpacked(space, NULL);
	}
	assert_true(want.n > 20);
	assert_int_equal(got.n, want.n);
	for (size_t i = 0; i < want.n; i++) {
		assert_int_equal(got.seen[i].input, want.seen[i].input);
		assert_int_equal(got.seen[i].transfers, want.seen[i].transfers);
		assert_int_equal(got.seen[i].end_ps - got.seen[i].start_ps,
				 want.seen[i].end_ps - want.seen[i].start_ps);
	}
	free(want.seen);
	free(got.seen);
	close_all(o);
}

/* The rendezvous of the first graph execution. */
static void first_collective(struct opened *o, char name[96])
{
	struct na_exec e;

	open_all(o, "1");
	e = na_unpack_exec((const void *)o->s.store.graphs.first->data);
	snprintf(name, 96, "%s",
		 na_strtab_at(&o->s.store.names.strings, e.collective));
	close_all(o);
}

static void all_of_a_collective(void **state)
{
	static const char *const threads[] = {"1", "3", "1", "3"};
	char name[96];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct opened o;

		memset(&o, 0, sizeof(o));
		o.besides = i < 2 ? 0 : NA_WANT_AGAIN;
		session_init(&o.synth);
		o.synth.cfg.steps = 30;
		session_make(&o.synth, NA_OK);
		first_collective(&o, name);
		same_as_protobuf(&o, threads[i], name);
		session_end(&o.synth);
	}
}

/* ---- why they were late */

static enum na_status
actions(void *ctx, const struct na_execution *of, size_t n,
	enum na_status (*each)(void *arg, const struct na_replay *x), void *arg,
	struct na_err *err)
{
	return na_session_actions(ctx, of, n, each, arg, err);
}

static void settle(struct na_host_clocks *c, const struct na_store *store)
{
	*c = (struct na_host_clocks){.store = store};
	assert_non_null(
		na_host_clocks_of(&(struct na_scope){.store = store}, NULL, c));
}

/* The longest executions of the first device of input 0. */
static size_t longest(const struct na_store *store, struct na_late_ask *asks,
		      size_t most)
{
	size_t n = 0;

	for (const struct na_chunk *k = store->graphs.first; k; k = k->next) {
		const struct na_packed_exec *p = (const void *)k->data;

		for (size_t i = 0; i < k->n; i++) {
			const struct na_exec e = na_unpack_exec(&p[i]);
			struct na_late_ask x = {.collective = e.collective,
						.from_ps = e.start_ps,
						.to_ps = e.end_ps};
			size_t at = n;

			if (e.input ||
			    e.device != store->devices.cores[0].endpoint)
				continue;
			n += n < most;
			for (; at > 0 &&
			       asks[at - 1].to_ps - asks[at - 1].from_ps <
				       x.to_ps - x.from_ps;
			     at--) {
				if (at < most)
					asks[at] = asks[at - 1];
			}
			if (at < most)
				asks[at] = x;
		}
	}
	return n;
}

/* ---- what was planted */

struct told {
	struct opened o;
	struct na_host_clocks clocks;
	struct na_result *r;
};

static void tell(struct told *t, const char *fault)
{
	struct na_scope scope = {.actions = actions, .actions_ctx = &t->o.s};
	struct na_err err = {.status = NA_OK};
	struct na_late_ask asks[3];
	size_t n;

	memset(t, 0, sizeof(*t));
	t->o.besides = NA_WANT_AGAIN;
	session_init(&t->o.synth);
	if (fault)
		session_fault(&t->o.synth, fault);
	session_make(&t->o.synth, NA_OK);
	open_all(&t->o, "2");
	scope.store = &t->o.s.store;
	settle(&t->clocks, &t->o.s.store);
	n = longest(&t->o.s.store, asks, 3);
	assert_int_equal(n, 3);
	t->r = na_result_new();
	assert_int_equal(na_put_late(&scope, &t->clocks, asks, n, t->r, &err),
			 NA_OK);
}

static void told_end(struct told *t)
{
	na_result_free(t->r);
	na_host_clocks_fini(&t->clocks);
	close_all(&t->o);
	session_end(&t->o.synth);
}

/* Of the slowest execution. */
static const char *cause(const struct told *t)
{
	const struct na_value *v = na_get(na_result_body(t->r), "late");

	return na_text_of(na_get(v->u.of.first, "cause"), "");
}

static void planted_causes(void **state)
{
	/* clang-format off */
	static const struct { const char *fault, *kind, *who; } rows[] = {
		{"slow-compute:host-1:4", "waiting for a peer: host-1 (s1d0)", "host-1"},
		{"slow-sender:host-2:8", "waiting to be sent: host-2 held ",
		 "behind its other sends"},
		{"slow-path:host-1:host-0:10", "waiting to be sent: ",
		 "the longest of them to s0d"},
	};
	/* clang-format on */
	struct told t;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tell(&t, rows[i].fault);
		if (strncmp(cause(&t), rows[i].kind, strlen(rows[i].kind)) ||
		    !strstr(cause(&t), rows[i].who))
			fail_msg("%s: %s", rows[i].fault, cause(&t));
		told_end(&t);
	}
}

/* A cause without its numbers, which move within what clocks are known to. */
static void words_of(char *out, size_t size, const char *text)
{
	size_t n = 0;

	for (const char *p = text; *p && n + 1 < size; p++) {
		if (p > text && p[-1] == ' ')
			p += strspn(p, "0123456789.");
		if (!*p)
			break;
		out[n++] = *p;
	}
	out[n] = 0;
}

static void same_cause(const struct told *a, const struct told *b)
{
	char x[400], y[400];

	words_of(x, sizeof(x), cause(a));
	words_of(y, sizeof(y), cause(b));
	assert_string_equal(x, y);
}

/* Clocks that are off are found, and move no cause. */
static void planted_clocks(void **state)
{
	/* clang-format off */
	static const struct { const char *fault; int64_t ps[3]; } rows[] = {
		{"clock:host-1:300us", {0, 300 * NA_PS_PER_US, 0}},
		{"clock:host-2:5ms", {0, 0, 5 * NA_PS_PER_MS}},
		{"clock:host-2:-70ms", {0, 0, -70 * NA_PS_PER_MS}},
		{"clock:host-0:20ms", {0, -20 * NA_PS_PER_MS,
				       -20 * NA_PS_PER_MS}},
	};
	/* clang-format on */
	struct told plain, off;

	(void)state;
	tell(&plain, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tell(&off, rows[i].fault);
		same_cause(&off, &plain);
		for (uint32_t h = 1; h < 3; h++) {
			int64_t known = off.clocks.uncertainty_ps[h];

			assert_true(llabs(off.clocks.ahead_ps[h] -
					  rows[i].ps[h]) <= known);
			assert_true(known < 40 * NA_PS_PER_US);
		}
		told_end(&off);
	}
	told_end(&plain);
}

/* Which generation counts, where a trace has no transfers that tell: its
 * actions do. */
static void generation_of_actions(void **state)
{
	const struct hand_row rows[] = {
		{.what = HAND_ACTION, .source = 0, .number = NA_ACT_D2H},
		{.what = HAND_ACTION, .source = 1, .number = NA_ACT_D2H},
		{.what = HAND_RX,
		 .source = 1,
		 .end_ps = 10,
		 .dst = 100,
		 .style = NA_STYLE_MESSAGE},
	};
	struct hand h;

	(void)state;
	hand_init(&h, 2, NULL);
	hand_fill(&h, rows, sizeof(rows) / sizeof(rows[0]), 1);
	assert_int_equal(na_store_style(&h.store, 0), NA_STYLE_GRAPH);
	assert_int_equal(na_store_style(&h.store, 1), NA_STYLE_MESSAGE);
	hand_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_a_collective),
		cmocka_unit_test(planted_causes),
		cmocka_unit_test(planted_clocks),
		cmocka_unit_test(generation_of_actions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

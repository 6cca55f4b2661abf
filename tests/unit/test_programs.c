/*
 * Programs of several workers: who differs, in what, by how much.  Modules
 * by hand; the edit script is checked against the plain table of the longest
 * common subsequence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/hlo/hlo.h"
#include "netan/analyses/hlo/hlo.h"
#include "netan/base/vec.h"
#include "tests/unit/pace.h"

static uint32_t name_in(struct na_hlo *h, const char *s)
{
	return na_strtab_add(&h->strings, s, strlen(s));
}

/*
 * A module from letters: each is an instruction, with the letter as its
 * opcode, that takes the one before it; '|' begins a new computation.
 */
static struct na_hlo_module *module(struct na_hlo *h, const char *worker,
				    const char *name, const char *letters)
{
	uint32_t w = na_hlo_worker(h, worker);
	struct na_hlo_module *m = na_hlo_add(h);
	size_t n = strlen(letters);
	char text[32];

	m->worker = w;
	m->name = name_in(h, name);
	m->computations = na_calloc(n + 1, sizeof(*m->computations));
	m->instructions = na_calloc(n + 1, sizeof(*m->instructions));
	m->operands = na_calloc(n + 1, sizeof(*m->operands));
	m->texts = na_calloc(n + 1, sizeof(*m->texts));
	m->computations[m->n_computations++].name = name_in(h, "main");
	for (const char *p = letters; *p; p++) {
		struct na_hlo_computation *c =
			&m->computations[m->n_computations - 1];
		struct na_hlo_instruction *x =
			&m->instructions[m->n_instructions];

		if (*p == '|') {
			m->computations[m->n_computations++] =
				(struct na_hlo_computation){
					.name = name_in(h, "body"),
					.first = (uint32_t)m->n_instructions};
			continue;
		}
		*x = (struct na_hlo_instruction){
			.size_bytes = NA_UNKNOWN_U64,
			.channel = -1,
			.rendezvous = NA_NO_NAME,
			.transfer_type = NA_NO_NAME,
			.handler = NA_NO_NAME,
			.computation = (uint32_t)m->n_computations - 1,
		};
		snprintf(text, sizeof(text), "%c.%zu", *p, m->n_instructions);
		x->name = name_in(h, text);
		snprintf(text, sizeof(text), "op-%c", *p);
		x->opcode_name = name_in(h, text);
		snprintf(text, sizeof(text), "f32[] op-%c()", *p);
		m->texts[m->n_instructions] = name_in(h, text);
		x->alone = na_hlo_mix(1, (uint64_t)*p);
		x->hash = na_hlo_mix(x->alone, c->n > 0);
		if (c->n++) {
			x->first_operand = (uint32_t)m->n_operands;
			x->n_operands = 1;
			m->operands[m->n_operands++] =
				(uint32_t)m->n_instructions - 1;
		}
		m->n_instructions++;
	}
	na_hlo_seal(m);
	return m;
}

/* The last instruction of m takes another operand. */
static void rewire(struct na_hlo_module *m, uint32_t operand)
{
	m->operands[m->n_operands - 1] = operand;
	m->instructions[m->n_instructions - 1].hash ^= 5;
	na_hlo_seal(m);
}

static struct na_program_diff diff_of(const char *a, const char *b)
{
	struct na_err err = {.status = NA_OK};
	struct na_program_diff d;
	struct na_hlo h;

	na_hlo_init(&h, true);
	module(&h, "a", "m", a);
	module(&h, "b", "m", b);
	assert_int_equal(na_program_diff(&h.modules[0], &h.modules[1], &d,
					 &err),
			 NA_OK);
	na_hlo_fini(&h);
	return d;
}

static void what_comes_or_goes_is_counted_once(void **state)
{
	/* clang-format off */
	static const struct {
		const char *a, *b;
		size_t first;
		uint64_t removed, added, rewired, changed, of;
		uint32_t computations;
	} cases[] = {
		{"abcdef", "abcdef", 6, 0, 0, 0, 0, 6, 0},
		/* d takes x where it took c. */
		{"abcdef", "abcxdef", 3, 0, 1, 1, 2, 7, 1},
		{"abcxdef", "abcdef", 3, 1, 0, 1, 2, 7, 1},
		{"abcdef", "abXdef", 2, 1, 1, 0, 1, 6, 1},
		{"abcdef", "", 0, 6, 0, 0, 6, 6, 1},
		{"abc", "abcd", 3, 0, 1, 0, 1, 4, 1},
		{"abc|def|ghi", "abX|def|gYi", 2, 2, 2, 0, 2, 9, 2},
		{"aaaa", "aaaaa", 4, 0, 1, 0, 1, 5, 1},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct na_program_diff d = diff_of(cases[i].a, cases[i].b);

		assert_int_equal(d.first, cases[i].first);
		assert_int_equal(d.only[0], cases[i].removed);
		assert_int_equal(d.only[1], cases[i].added);
		assert_int_equal(d.rewired, cases[i].rewired);
		assert_int_equal(d.changed, cases[i].changed);
		assert_int_equal(d.of, cases[i].of);
		assert_int_equal(d.computations, cases[i].computations);
		assert_true(d.exact);
	}
}

static uint64_t seed = 1;

static uint32_t dice(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) +
	       UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

static size_t longest_common(const char *a, const char *b)
{
	static size_t table[70][70];
	size_t n = strlen(a), m = strlen(b);

	for (size_t i = 0; i <= n; i++) {
		for (size_t k = 0; k <= m; k++) {
			size_t *t = &table[i][k];

			if (!i || !k)
				*t = 0;
			else if (a[i - 1] == b[k - 1])
				*t = table[i - 1][k - 1] + 1;
			else
				*t = table[i - 1][k] > table[i][k - 1]
					     ? table[i - 1][k]
					     : table[i][k - 1];
		}
	}
	return table[n][m];
}

static void the_script_is_the_shortest(void **state)
{
	char a[65], b[65];

	(void)state;
	for (int round = 0; round < 3000; round++) {
		uint32_t letters = 1 + dice(12), n = dice(64), m = dice(64);
		struct na_program_diff d;
		size_t common;

		for (uint32_t i = 0; i < n; i++)
			a[i] = (char)('a' + dice(letters));
		for (uint32_t i = 0; i < m; i++)
			b[i] = (char)('a' + dice(letters));
		a[n] = b[m] = '\0';
		common = longest_common(a, b);
		d = diff_of(a, b);
		assert_int_equal(d.only[0], n - common);
		assert_int_equal(d.only[1], m - common);
		assert_true(d.changed <= d.of);
		assert_true(d.of >= (n > m ? n : m));
	}
}

static void another_operand_alone_is_a_change(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_program_diff d;
	struct na_hlo h;

	(void)state;
	na_hlo_init(&h, true);
	module(&h, "a", "m", "abcd");
	rewire(module(&h, "b", "m", "abcd"), 0);
	assert_int_equal(na_program_diff(&h.modules[0], &h.modules[1], &d,
					 &err),
			 NA_OK);
	assert_int_equal(d.first, 3);
	assert_int_equal(d.rewired, 1);
	assert_int_equal(d.changed, 1);
	assert_int_equal(d.only[0] + d.only[1], 0);
	na_hlo_fini(&h);
}

/* Random instructions, as many as wanted; `salt` of every `each`-th. */
static void big_module(struct na_hlo *h, const char *worker, size_t n,
		       size_t each, uint64_t salt)
{
	uint32_t w = na_hlo_worker(h, worker);
	struct na_hlo_module *m = na_hlo_add(h);

	m->worker = w;
	m->name = name_in(h, "big");
	m->computations = na_calloc(1, sizeof(*m->computations));
	m->instructions = na_calloc(n, sizeof(*m->instructions));
	m->n_computations = 1;
	m->computations[0].n = (uint32_t)n;
	m->n_instructions = n;
	for (size_t i = 0; i < n; i++) {
		uint64_t x = na_hlo_mix(0, i % 5 ? i : i % 35);

		if (each && i % each == 0)
			x ^= salt;
		m->instructions[i].alone = m->instructions[i].hash = x;
	}
	na_hlo_seal(m);
}

/* Too many edits for the script: still every one that stayed is found, in
 * seconds. */
static void far_apart_is_bounded(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_program_diff d;
	struct na_hlo h;
	bool few = pace() > 1; /* then one script is found */
	uint32_t n = few ? 100000 : 1000000;

	(void)state;
	na_hlo_init(&h, false);
	big_module(&h, "a", n, 0, 0);
	big_module(&h, "b", n, 100, 77);
	big_module(&h, "c", n - 1, 97, 78);
	assert_int_equal(na_program_diff(&h.modules[0], &h.modules[1], &d,
					 &err),
			 NA_OK);
	assert_int_equal(d.exact, few);
	assert_int_equal(d.changed, n / 100);
	assert_int_equal(d.of, n);
	assert_int_equal(na_program_diff(&h.modules[0], &h.modules[2], &d,
					 &err),
			 NA_OK);
	assert_false(d.exact);
	assert_in_range(d.changed, n / 97 + 1, n / 83);
	na_hlo_fini(&h);
}

/* ---- workers */

struct fleet {
	struct na_hlo h;
	struct na_programs p;
	struct na_result *r;
};

static const struct na_value *compare(struct fleet *f)
{
	struct na_err err = {.status = NA_OK};

	assert_int_equal(na_programs_compare(&f->p, &f->h, &err), NA_OK);
	f->r = na_result_new();
	na_programs_result(&f->p, f->r);
	na_programs_views(&f->p, 0, f->r);
	assert_true(na_result_ok(f->r));
	return na_result_body(f->r);
}

static void end(struct fleet *f)
{
	na_result_free(f->r);
	na_programs_fini(&f->p);
	na_hlo_fini(&f->h);
}

static void eight(struct fleet *f, const char *name, const char *letters,
		  int odd, const char *other)
{
	char worker[24];

	for (int i = 0; i < 8; i++) {
		snprintf(worker, sizeof(worker), "host-%d", i);
		module(&f->h, worker, name, i == odd ? other : letters);
	}
}

static const char *at(const struct na_value *body, const char *list, size_t i,
		      const char *path)
{
	const struct na_value *v = na_get(body, list)->u.of.first;

	while (i-- > 0)
		v = v->next;
	return na_text_of(na_dig(v, path), "?");
}

static void the_odd_one_of_eight_is_named(void **state)
{
	struct fleet f;
	const struct na_value *body, *d, *g;

	(void)state;
	na_hlo_init(&f.h, true);
	eight(&f, "jit_step", "abcdef", 3, "abXdef");
	eight(&f, "jit_init", "xyz", -1, NULL);
	body = compare(&f);
	assert_int_equal(f.p.severity, NA_SEV_ERROR);
	assert_string_equal(na_text_of(na_get(body, "verdict"), ""),
			    "host-3 runs another program than the other 7 "
			    "workers: jit_step differs from instruction 2 on "
			    "(in main), 1 of 6 instructions");
	assert_int_equal(na_get(body, "modules")->n, 3);
	assert_int_equal(na_get(body, "workers")->n, 16);
	d = na_get(body, "differences");
	assert_int_equal(d->n, 1);
	d = d->u.of.first;
	assert_string_equal(at(body, "differences", 0, "module"), "jit_step");
	g = na_get(d, "groups")->u.of.first;
	assert_int_equal(na_get(g, "hosts")->n, 1);
	assert_int_equal(na_get(g->next, "hosts")->n, 7);
	assert_null(g->next->next);
	g = na_dig(d, "first_instruction.sides")->u.of.first;
	assert_string_equal(na_text_of(na_get(g, "text"), ""), "f32[] op-X()");
	assert_string_equal(na_text_of(na_get(g->next, "text"), ""),
			    "f32[] op-c()");
	assert_string_equal(na_text_of(na_get(g->next, "name"), ""), "c.2");
	assert_int_equal(na_int_of(na_dig(d, "changed.instructions"), 0), 1);
	end(&f);
}

/* A worker that compiled one more of a name does not shift the others. */
static void one_more_module_is_not_a_difference(void **state)
{
	struct fleet f;
	const struct na_value *body;

	(void)state;
	na_hlo_init(&f.h, true);
	module(&f.h, "a", "m", "abc");
	module(&f.h, "a", "m", "def");
	module(&f.h, "b", "m", "abc");
	module(&f.h, "b", "m", "ghi");
	module(&f.h, "b", "m", "def");
	body = compare(&f);
	assert_int_equal(na_get(body, "differences")->n, 0);
	assert_int_equal(na_get(body, "missing")->n, 1);
	assert_string_equal(at(body, "missing", 0, "why"), "fewer");
	assert_int_equal(f.p.severity, NA_SEV_WARNING);
	assert_string_equal(na_text_of(na_get(body, "verdict"), ""),
			    "a has fewer copies of the module m than others, "
			    "which b has");
	end(&f);
}

static void a_module_under_another_name_is_recognised(void **state)
{
	struct fleet f;
	const struct na_value *body;

	(void)state;
	na_hlo_init(&f.h, true);
	module(&f.h, "a", "jit_step", "abc");
	module(&f.h, "b", "jit_step", "abc");
	module(&f.h, "c", "jit_other", "abc");
	body = compare(&f);
	assert_int_equal(na_get(body, "differences")->n, 0);
	assert_int_equal(na_get(body, "missing")->n, 2);
	assert_string_equal(at(body, "missing", 0, "other_name"), "jit_other");
	assert_string_equal(at(body, "missing", 1, "other_name"), "jit_step");
	end(&f);
}

static void text_and_proto_are_not_compared(void **state)
{
	struct fleet f;
	const struct na_value *body;

	(void)state;
	na_hlo_init(&f.h, true);
	module(&f.h, "a", "m", "abc");
	module(&f.h, "b", "m", "abd")->form = NA_HLO_TEXT;
	body = compare(&f);
	assert_int_equal(na_get(body, "differences")->n, 0);
	assert_string_equal(at(body, "missing", 0, "why"), "other_form");
	assert_int_equal(na_get(body, "missing")->n, 1);
	assert_int_equal(f.p.severity, NA_SEV_INFO);
	end(&f);
	/* Who has both is compared with both. */
	na_hlo_init(&f.h, true);
	module(&f.h, "a", "m", "abc");
	module(&f.h, "a", "m", "abc")->form = NA_HLO_TEXT;
	module(&f.h, "b", "m", "abd")->form = NA_HLO_TEXT;
	body = compare(&f);
	assert_int_equal(na_get(body, "differences")->n, 1);
	assert_int_equal(na_get(body, "missing")->n, 0);
	end(&f);
}

static void halves_have_no_majority(void **state)
{
	struct fleet f;
	const struct na_value *body;

	(void)state;
	na_hlo_init(&f.h, true);
	module(&f.h, "a", "m", "abc");
	module(&f.h, "b", "m", "abd");
	module(&f.h, "c", "m", "abc");
	module(&f.h, "d", "m", "abd");
	body = compare(&f);
	assert_string_equal(na_text_of(na_get(body, "verdict"), ""),
			    "b and d run another program than a and c: m "
			    "differs from instruction 2 on (in main), 1 of 3 "
			    "instructions");
	end(&f);
}

static void equal_programs_are_equal(void **state)
{
	struct fleet f;
	const struct na_value *body;

	(void)state;
	na_hlo_init(&f.h, true);
	eight(&f, "m", "abc", -1, NULL);
	body = compare(&f);
	assert_string_equal(na_text_of(na_get(body, "verdict"), ""),
			    "all 8 workers run the same program");
	assert_int_equal(f.p.severity, NA_SEV_NONE);
	end(&f);
	na_hlo_init(&f.h, true);
	module(&f.h, "a", "m", "abc");
	body = compare(&f);
	assert_string_equal(na_text_of(na_get(body, "verdict"), ""),
			    "one worker, a: nothing to compare with");
	end(&f);
}

static void a_collective_is_its_start(void **state)
{
	struct fleet f;
	struct na_hlo_module *m;
	const struct na_value *body, *c;

	(void)state;
	na_hlo_init(&f.h, true);
	m = module(&f.h, "a", "m", "sdr");
	m->instructions[0].opcode = NA_OPCODE_SEND;
	m->instructions[0].phase = NA_OP_START;
	m->instructions[0].host_transfer = true;
	m->instructions[0].transfer_type = name_in(&f.h, "ALL_REDUCE");
	m->instructions[0].rendezvous = name_in(&f.h, "psum.1");
	m->instructions[0].size_bytes = 1004;
	m->instructions[0].channel = 3;
	m->instructions[1].opcode = NA_OPCODE_SEND;
	m->instructions[1].phase = NA_OP_DONE;
	m->instructions[1].size_bytes = 0;
	m->instructions[2].opcode = NA_OPCODE_ALL_REDUCE;
	m->instructions[2].all_devices = true;
	m->instructions[2].size_bytes = 64;
	m->replicas = 4;
	m->partitions = 2;
	body = compare(&f);
	c = na_dig(na_get(body, "modules")->u.of.first, "collectives");
	assert_int_equal(c->n, 2);
	c = c->u.of.first;
	assert_string_equal(na_text_of(na_get(c, "network"), ""), "dcn");
	assert_string_equal(na_text_of(na_get(c, "done"), ""), "d.1");
	assert_int_equal(na_int_of(na_get(c, "bytes"), 0), 1000);
	assert_int_equal(na_get(c, "participants")->kind, NA_V_NULL);
	c = c->next;
	assert_string_equal(na_text_of(na_get(c, "network"), ""), "ici");
	assert_int_equal(na_int_of(na_get(c, "bytes"), 0), 64);
	assert_int_equal(na_int_of(na_get(c, "participants"), 0), 8);
	end(&f);
}

/* As compilers write it: names and numbers of what follows an insertion
 * change, and so do distances across it; what stays is still recognised. */
static void an_insertion_into_text_is_one_change(void **state)
{
	static const char *const texts[] = {
		"HloModule m\n\n%sum (a: f32[], b: f32[]) -> f32[] {\n"
		"  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
		"  ROOT %c = f32[] add(%a, %b)\n}\n\n"
		"ENTRY %main (p: f32[8]) -> f32[] {\n"
		"  %p = f32[8]{0} parameter(0)\n"
		"  %zero = f32[] constant(0)\n"
		"  %neg.1 = f32[8]{0} negate(%p)\n"
		"  ROOT %r.2 = f32[] reduce(%neg.1, %zero), dimensions={0}, "
		"to_apply=%sum\n}\n",
		"HloModule m\n\n%sum (a: f32[], b: f32[]) -> f32[] {\n"
		"  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
		"  ROOT %c = f32[] add(%a, %b)\n}\n\n"
		"ENTRY %main (p: f32[8]) -> f32[] {\n"
		"  %p = f32[8]{0} parameter(0)\n"
		"  %zero = f32[] constant(0)\n"
		"  %one.1 = f32[] constant(1)\n"
		"  %neg.2 = f32[8]{0} negate(%p)\n"
		"  ROOT %r.3 = f32[] reduce(%neg.2, %zero), dimensions={0}, "
		"to_apply=%sum\n}\n",
	};
	struct na_err err = {.status = NA_OK};
	struct na_program_diff d;
	struct na_hlo h;

	(void)state;
	na_hlo_init(&h, true);
	for (int i = 0; i < 2; i++)
		assert_int_equal(na_hlo_read_text(&h, texts[i],
						  strlen(texts[i]),
						  na_hlo_worker(&h, "w"), &err),
				 NA_OK);
	assert_int_equal(na_program_diff(&h.modules[0], &h.modules[1], &d,
					 &err),
			 NA_OK);
	assert_int_equal(d.first, 5);
	assert_int_equal(d.only[0], 0);
	assert_int_equal(d.only[1], 1);
	assert_int_equal(d.rewired, 0);
	assert_int_equal(d.changed, 1);
	assert_int_equal(d.computations, 1);
	na_hlo_fini(&h);
}

/* Programs that were too many to keep are still told apart. */
static void what_was_not_kept_is_not_compared(void **state)
{
	struct fleet f;
	const struct na_value *body, *m;
	struct na_hlo_module *odd;

	(void)state;
	na_hlo_init(&f.h, true);
	module(&f.h, "a", "m", "abc");
	module(&f.h, "b", "m", "abc");
	odd = module(&f.h, "c", "m", "abd");
	free(odd->instructions);
	free(odd->texts);
	odd->instructions = NULL;
	odd->texts = NULL;
	body = compare(&f);
	assert_int_equal(f.p.severity, NA_SEV_ERROR);
	assert_string_equal(na_text_of(na_get(body, "verdict"), ""),
			    "c runs another program than the other 2 workers: "
			    "m differs");
	m = na_get(body, "differences")->u.of.first;
	assert_int_equal(na_get(m, "first_instruction")->kind, NA_V_NULL);
	m = na_get(body, "modules")->u.of.first->next;
	assert_int_equal(na_get(m, "collectives")->kind, NA_V_NULL);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_or_goes_is_counted_once),
		cmocka_unit_test(the_script_is_the_shortest),
		cmocka_unit_test(another_operand_alone_is_a_change),
		cmocka_unit_test(far_apart_is_bounded),
		cmocka_unit_test(the_odd_one_of_eight_is_named),
		cmocka_unit_test(one_more_module_is_not_a_difference),
		cmocka_unit_test(a_module_under_another_name_is_recognised),
		cmocka_unit_test(text_and_proto_are_not_compared),
		cmocka_unit_test(halves_have_no_majority),
		cmocka_unit_test(equal_programs_are_equal),
		cmocka_unit_test(a_collective_is_its_start),
		cmocka_unit_test(an_insertion_into_text_is_one_change),
		cmocka_unit_test(what_was_not_kept_is_not_compared),
	};

	return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}

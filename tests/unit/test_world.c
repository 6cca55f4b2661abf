/* Ranks agree and broadcast, whoever of them fails or leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/pace.h"
#include "tests/unit/world_threads.h"

enum { MOST = 7, MIB = 1 << 20 };

/* What each rank saw; looked at when all threads are gone. */
struct seen {
	enum na_status status;
	char text[600];
	bool right;
};

struct trial {
	unsigned failing; /* bits of ranks */
	unsigned leaving;
	bool alike;
	size_t lose, by; /* the n-th message of rank `by` */
	unsigned seed;
	size_t length;
	struct seen seen[MOST];
};

/* On threads that cmocka does not know. */
static void sure(bool it_is)
{
	if (!it_is)
		abort();
}

static bool has(unsigned bits, size_t rank)
{
	return bits >> rank & 1;
}

static void keep(struct trial *t, const struct na_world *w, enum na_status st,
		 const struct na_err *err)
{
	struct seen *s = &t->seen[w->rank];

	s->status = st;
	memcpy(s->text, err->text, sizeof(err->text));
}

static void start(const struct trial *t, const struct na_world *w,
		  struct na_err *err)
{
	if (!has(t->failing, w->rank))
		return;
	if (t->alike)
		na_fail(err, NA_EUSAGE, "all the same");
	else
		na_fail(err, w->rank % 2 ? NA_EIO : NA_ENOMEM, "cause %zu",
			w->rank);
}

/* ---- agree */

static void agree(struct na_world *w, void *arg)
{
	struct trial *t = arg;
	struct na_err err = {0};
	enum na_status st;

	start(t, w, &err);
	st = na_world_agree(w, &err);
	keep(t, w, st, &err);
	sure(err.status == st);
}

static size_t lowest(unsigned bits)
{
	size_t i = 0;

	while (!has(bits, i))
		i++;
	return i;
}

static void want_of(const struct trial *t, size_t size, struct na_err *want)
{
	char node[NA_NODE_BUF];
	const struct na_world w = NA_WORLD_ONE;
	size_t who;

	*want = (struct na_err){0};
	if (!t->failing)
		return;
	who = lowest(t->failing);
	na_world_node(&w, node);
	if (size == 1 || (t->alike && t->failing == (1U << size) - 1))
		na_fail(want, t->alike ? NA_EUSAGE : NA_ENOMEM, "%s",
			t->alike ? "all the same" : "cause 0");
	else if (t->alike)
		na_fail(want, NA_EUSAGE, "rank %zu on %s: all the same", who,
			node);
	else
		na_fail(want, who % 2 ? NA_EIO : NA_ENOMEM,
			"rank %zu on %s: cause %zu", who, node, who);
}

/* Whoever fails: all say of the lowest one. */
static void test_agree(void **state)
{
	(void)state;
	for (size_t size = 1; size <= MOST; size++) {
		for (unsigned k = 0; k < 2U << size; k++) {
			struct trial t = {.failing = k >> 1, .alike = k & 1};
			struct na_err want;

			world_threads(size, agree, &t);
			want_of(&t, size, &want);
			for (size_t i = 0; i < size; i++) {
				assert_int_equal(t.seen[i].status, want.status);
				assert_string_equal(t.seen[i].text, want.text);
			}
		}
	}
}

static void agree_nameless(struct na_world *w, void *arg)
{
	w->nameless = true;
	agree(w, arg);
}

static void test_nameless(void **state)
{
	struct trial t = {.failing = 2};

	(void)state;
	world_threads(3, agree_nameless, &t);
	assert_string_equal(t.seen[0].text, "rank 1: cause 1");
}

/* An end of input is no failure. */
static void agree_at_end(struct na_world *w, void *arg)
{
	struct na_err err = {.status = NA_END};

	keep(arg, w, na_world_agree(w, &err), &err);
}

static void test_end_is_fine(void **state)
{
	struct trial t = {0};

	(void)state;
	world_threads(3, agree_at_end, &t);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(t.seen[i].status, NA_OK);
}

/* ---- broadcast */

static unsigned char byte_of(size_t at, size_t rank, unsigned seed)
{
	return (unsigned char)(at * 31 + (at >> 11) + rank * 7 + seed);
}

static unsigned char *bytes_of(size_t n, size_t rank, unsigned seed)
{
	unsigned char *p = malloc(n ? n : 1);

	sure(p != NULL);
	for (size_t i = 0; i < n; i++)
		p[i] = byte_of(i, rank, seed);
	return p;
}

static bool bytes_are(const unsigned char *p, size_t n, size_t rank,
		      unsigned seed)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != byte_of(i, rank, seed))
			return false;
	}
	return true;
}

static void broadcast(struct na_world *w, void *arg)
{
	struct trial *t = arg;
	struct na_err err = {0};
	void *p = NULL;
	size_t n = 0;
	enum na_status st;

	if (has(t->leaving, w->rank))
		return;
	if (w->rank == 0)
		p = bytes_of(n = t->length, 0, t->seed);
	if (t->lose != SIZE_MAX && w->rank == t->by)
		world_threads_lose(w, t->lose);
	start(t, w, &err);
	st = na_world_broadcast(w, &p, &n, &err);
	keep(t, w, st, &err);
	if (st == NA_OK)
		t->seen[w->rank].right = p && n == t->length &&
					 bytes_are(p, n, 0, t->seed);
	else
		t->seen[w->rank].right = (w->rank == 0) == (p != NULL);
	free(p);
}

static void test_broadcast(void **state)
{
	const size_t lengths[] = {0,   1,       999,        MIB - 1,
				  MIB, MIB + 1, 2 * MIB + 7};

	(void)state;
	for (size_t size = 1; size <= MOST; size++) {
		for (size_t k = 0; k < sizeof(lengths) / sizeof(*lengths);
		     k++) {
			struct trial t = {.length = lengths[k],
					  .lose = SIZE_MAX,
					  .seed = (unsigned)(k + size)};

			world_threads(size, broadcast, &t);
			for (size_t i = 0; i < size; i++) {
				assert_int_equal(t.seen[i].status, NA_OK);
				assert_true(t.seen[i].right);
			}
		}
	}
}

/* A message lost anywhere: nobody waits, and who has it has all of it. */
static void test_broadcast_without_memory(void **state)
{
	(void)state;
	for (size_t by = 0; by < 5; by++) {
		for (size_t lose = 0; lose < 14; lose += pace()) {
			struct trial t = {.length = 3 * MIB,
					  .lose = lose,
					  .by = by};

			world_threads(5, broadcast, &t);
			for (size_t i = 0; i < 5; i++)
				assert_true(t.seen[i].right);
		}
	}
}

/* ---- whoever fails before */

static void test_failed_before(void **state)
{
	(void)state;
	for (unsigned failing = 1; failing < 16; failing++) {
		struct trial t = {.failing = failing,
				  .length = 5,
				  .lose = SIZE_MAX};
		struct na_err want;

		world_threads(4, broadcast, &t);
		want_of(&t, 4, &want);
		for (size_t i = 0; i < 4; i++) {
			assert_int_equal(t.seen[i].status, want.status);
			assert_string_equal(t.seen[i].text, want.text);
		}
	}
}

/* Those who stay are not left waiting. */
static void test_left_before(void **state)
{
	(void)state;
	for (unsigned leaving = 1; leaving < 128; leaving++) {
		struct trial t = {.leaving = leaving,
				  .length = 5,
				  .lose = SIZE_MAX};

		world_threads(7, broadcast, &t);
		for (size_t i = 0; i < 7; i++) {
			if (!has(leaving, i))
				assert_int_equal(t.seen[i].status, NA_EIO);
		}
	}
}

/* ---- several in a row */

static unsigned draw(unsigned *seed)
{
	*seed = *seed * 1103515245U + 12345U;
	return *seed >> 16 & 0x7fff;
}

/* All ranks draw the same, and one fails somewhere. */
static void mixed(struct na_world *w, void *arg)
{
	struct trial *t = arg;
	unsigned seed = t->seed;
	struct na_err err = {0};
	enum na_status st = NA_OK;

	for (int i = 0; i < 20 && st == NA_OK; i++) {
		unsigned kind = draw(&seed) % 2, who = draw(&seed) % 20;
		size_t length = draw(&seed) * 9U, n = 0;
		void *p = NULL;

		if (who == w->rank)
			na_fail(&err, NA_EIO, "step %d", i);
		if (kind == 0) {
			st = na_world_agree(w, &err);
		} else {
			if (w->rank == 0)
				p = bytes_of(n = length, 0, seed);
			st = na_world_broadcast(w, &p, &n, &err);
			sure(st != NA_OK || bytes_are(p, n, 0, seed));
		}
		free(p);
		keep(t, w, st, &err);
	}
	t->seen[w->rank].right = w->agreed > 0 || na_world_alone(w);
}

static void test_mixed(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 100; seed++) {
		struct trial t = {.seed = seed};
		size_t size = 1 + seed % MOST;

		world_threads(size, mixed, &t);
		for (size_t i = 0; i < size; i++) {
			assert_int_equal(t.seen[i].status, t.seen[0].status);
			assert_string_equal(t.seen[i].text, t.seen[0].text);
			assert_true(t.seen[i].right);
		}
	}
}

/* ---- alone */

static void test_alone(void **state)
{
	struct na_world one = NA_WORLD_ONE, *worlds[] = {NULL, &one};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct na_err err = {0};
		char text[] = "mine";
		void *p = text;
		size_t n = sizeof(text);

		assert_true(na_world_alone(worlds[i]));
		assert_true(na_world_speaks(worlds[i]));
		assert_int_equal(na_world_agree(worlds[i], &err), NA_OK);
		assert_int_equal(na_world_broadcast(worlds[i], &p, &n, &err),
				 NA_OK);
		assert_ptr_equal(p, text);
		assert_int_equal(n, sizeof(text));
		na_fail(&err, NA_EIO, "mine");
		assert_int_equal(na_world_agree(worlds[i], &err), NA_EIO);
		assert_string_equal(err.text, "mine");
	}
}

/* Of several errors the first one is why a rank failed. */
static void test_note(void **state)
{
	struct na_world w = {.rank = 1, .size = 2};

	(void)state;
	na_world_note(&w, "first");
	na_world_note(&w, "second");
	assert_string_equal(w.why, "first");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agree),
		cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_end_is_fine),
		cmocka_unit_test(test_broadcast),
		cmocka_unit_test(test_broadcast_without_memory),
		cmocka_unit_test(test_failed_before),
		cmocka_unit_test(test_left_before),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Real captures through files, link layers and fragments, against what other
 * tools say of them; skipped where they are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/capture/fragment.h"
#include "tests/unit/capfile_reading.h"
#include "tests/unit/capture_truth.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct pairs {
	struct pair {
		struct na_address src, dst;
		uint64_t packets, wire_bytes;
	} list[256];
	size_t n;
};

static void add_pair(struct pairs *x, const struct na_packet *p)
{
	size_t i = 0;

	if (p->outer_src.family == 0)
		return;
	while (i < x->n &&
	       (memcmp(&x->list[i].src, &p->outer_src, sizeof(p->src)) != 0 ||
		memcmp(&x->list[i].dst, &p->outer_dst, sizeof(p->dst)) != 0))
		i++;
	assert_true(i < COUNT(x->list));
	if (i == x->n)
		x->list[x->n++] = (struct pair){p->outer_src, p->outer_dst, 0,
						0};
	x->list[i].packets++;
	x->list[i].wire_bytes += p->wire_bytes;
}

static void check_pairs(const struct pairs *x, const char *name)
{
	for (size_t i = 0; i < n_pair_truths; i++) {
		const struct pair_truth *t = &pair_truths[i];
		struct na_address src, dst;
		size_t k = 0;

		if (strcmp(t->name, name) != 0)
			continue;
		assert_true(na_address_parse(&src, t->src) &&
			    na_address_parse(&dst, t->dst));
		while (k < x->n &&
		       (memcmp(&x->list[k].src, &src, sizeof(src)) != 0 ||
			memcmp(&x->list[k].dst, &dst, sizeof(dst)) != 0))
			k++;
		assert_true(k < x->n);
		assert_int_equal(x->list[k].packets, t->packets);
		assert_int_equal(x->list[k].wire_bytes, t->wire_bytes);
	}
}

static void real(void **state)
{
	static struct pairs pairs;
	char path[4096];

	(void)state;
	for (size_t i = 0; i < n_capture_truths; i++) {
		const struct capture_truth *t = &capture_truths[i];
		struct na_fragments *f = na_fragments_new();
		uint64_t kinds[NA_PACKET_TCP + 1] = {0};
		struct na_packet p;
		struct na_record r;
		struct na_input in;
		struct na_capfile *file = capfile_real(&in, t->name, path,
						       sizeof(path));

		if (!file) {
			na_fragments_free(f);
			puts("skip: NETAN_TEST_DATA is not set, or has "
			     "no such file");
			skip();
		}
		assert_non_null(f);
		pairs.n = 0;
		while (na_capfile_next(file, &r) == NA_OK) {
			na_packet_decode(&p, &r, f);
			kinds[p.kind]++;
			add_pair(&pairs, &p);
		}
		assert_int_equal(kinds[NA_PACKET_TCP], t->tcp);
		assert_int_equal(kinds[NA_PACKET_UDP], t->udp);
		assert_int_equal(pairs.n, t->pairs);
		check_pairs(&pairs, t->name);
		capfile_real_end(&in, file);
		na_fragments_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real),
	};

	return cmocka_run_group_tests_name("packet_real", tests, NULL, NULL);
}

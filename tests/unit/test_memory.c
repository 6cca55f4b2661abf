/* The budget of memory: what is allowed, what lies in the file, and that the
 * heap and the pools of records ask. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/memory/memory_limit.h"
#include "netan/base/memory/spill.h"
#include "netan/base/memory/temporary.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/model/chunk_list.h"

enum { MIB = 1 << 20 };

static void write_text(const char *root, const char *path, const char *text)
{
	char name[600], *at;
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	for (at = strchr(name + strlen(root) + 1, '/'); at;
	     at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(name, 0700);
		*at = '/';
	}
	f = fopen(name, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

struct group {
	const char *path, *text;
};

/* NULL: no more. */
static const struct group v2[] = {{"proc/self/cgroup", "0::/job/task\n"},
				  {"sys/fs/cgroup/job/task/memory.max",
				   "max\n"},
				  {"sys/fs/cgroup/job/memory.max", "3000000\n"},
				  {"sys/fs/cgroup/memory.max", "5000000\n"},
				  {NULL, NULL}};
static const struct group v2_high[] = {{"proc/self/cgroup", "0::/job\n"},
				       {"sys/fs/cgroup/job/memory.max",
					"3000000\n"},
				       {"sys/fs/cgroup/job/memory.high",
					"2000000\n"},
				       {NULL, NULL}};
static const struct group v1[] = {
	{"proc/self/cgroup", "9:cpu:/x\n4:memory:/job\n0::/\n"},
	{"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4000000\n"},
	{"sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000000\n"},
	{NULL, NULL}};
/* What the group is called outside is not there inside. */
static const struct group container[] = {{"proc/self/cgroup",
					  "0::/kubepods/pod7/c\n"},
					 {"sys/fs/cgroup/memory.max",
					  "6000000\n"},
					 {NULL, NULL}};
static const struct group broken[] = {{"proc/self/cgroup",
				       "\n:\n0:\n0::\n::::memory\n"},
				      {"sys/fs/cgroup/memory.max", "lots\n"},
				      {NULL, NULL}};

static void groups_limit(void **state)
{
	static const struct {
		const struct group *files;
		uint64_t allowed; /* 0: as without */
	} rows[] = {{v2, 3000000},
		    {v2_high, 2000000},
		    {v1, 4000000},
		    {container, 6000000},
		    {broken, 0}};
	uint64_t without = na_memory_limit("/nowhere");

	(void)state;
	assert_true(without > 6000000);
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		char root[] = "/tmp/netan-test-XXXXXX", command[64];

		assert_non_null(mkdtemp(root));
		for (const struct group *g = rows[i].files; g->path; g++)
			write_text(root, g->path, g->text);
		assert_int_equal(na_memory_limit(root),
				 rows[i].allowed ? rows[i].allowed : without);
		snprintf(command, sizeof(command), "rm -r %s", root);
		assert_int_equal(system(command), 0);
	}
}

static void nothing_is_spilled_without_a_budget(void **state)
{
	(void)state;
	assert_false(na_memory_short(SIZE_MAX / 2));
	assert_null(na_spill(MIB));
	assert_int_equal(na_memory_use().budget, 0);
	/* From here on all that is large is beyond. */
	na_memory_begin(1, false);
	assert_true(na_memory_short(MIB));
}

static void fill(unsigned char *p, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(i * 7 + seed);
}

static void assert_filled(const unsigned char *p, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p[i], (unsigned char)(i * 7 + seed));
}

static void assert_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p[i], 0);
}

static void blocks_of_all_sizes_keep_what_they_hold(void **state)
{
	static const size_t sizes[] = {0,        1,          15,     16,
				       17,       1000,       1023,   1024,
				       5000,     4096,       131071, 131072,
				       MIB - 16, 3 * MIB + 1};
	unsigned char *p[NA_LEN(sizes)];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < NA_LEN(sizes); i++) {
			p[i] = na_spill(sizes[i]);
			assert_non_null(p[i]);
			assert_int_equal((uintptr_t)p[i] % 16, 0);
			assert_true(na_spill_size(p[i]) >= sizes[i]);
			assert_zero(p[i], sizes[i]);
			fill(p[i], sizes[i], (unsigned)i);
		}
		for (size_t i = 0; i < NA_LEN(sizes); i++) {
			size_t had = sizes[i];

			p[i] = na_spill_more(p[i], had / 2);
			assert_filled(p[i], had / 2, (unsigned)i);
			p[i] = na_spill_more(p[i], 2 * had + 1);
			p[i] = na_spill_more(p[i], 3 * had + 200000);
			assert_filled(p[i], had, (unsigned)i);
			na_spill_free(p[i]);
		}
	}
	assert_int_equal(na_spill_size(NULL), 0);
	assert_int_equal(na_spill_size(sizes), 0);
}

/* What is freed takes no room: far more goes through than may lie there. */
static void freed_blocks_take_no_disk(void **state)
{
	uint64_t before = na_memory_use().spilled;

	(void)state;
	for (int i = 0; i < 100; i++) {
		unsigned char *p = na_spill(8 * MIB);

		assert_non_null(p);
		memset(p, 1, 8 * MIB);
		na_spill_free(p);
	}
	assert_true(na_memory_use().spilled < before + 10 * MIB);
}

/* Also those among others: 6 GB of all sizes go through. */
static void freed_small_blocks_are_used_again(void **state)
{
	uint64_t before = na_memory_use().spilled;
	unsigned char *p[16];

	(void)state;
	for (size_t i = 0; i < 100000; i++) {
		size_t n = (i * 7919 + 1) % NA_SPILL_BYTES, k = i % NA_LEN(p);

		if (i >= NA_LEN(p))
			na_spill_free(p[k]);
		p[k] = na_spill(n);
		assert_non_null(p[k]);
		assert_true(na_spill_size(p[k]) >= n);
		assert_true(na_spill_size(p[k]) <= n + n / 4 + 16);
		assert_true(!n || (!p[k][0] && !p[k][n - 1]));
		memset(p[k], 1, n);
	}
	for (size_t k = 0; k < NA_LEN(p); k++)
		na_spill_free(p[k]);
	/* Of each size as many as there were at once. */
	assert_true(na_memory_use().spilled < before + 64 * MIB);
}

static void a_full_disk_is_an_error(void **state)
{
	struct rlimit had, limit;
	struct na_err err = {0};
	char *p;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &had);
	limit = had;
	limit.rlim_cur = MIB;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_null(na_spill(64 * MIB));
	/* The heap takes memory then. */
	p = calloc(MIB, 1);
	assert_non_null(p);
	assert_int_equal(na_spill_size(p), 0);
	p = realloc(p, 2 * MIB);
	assert_non_null(p);
	assert_int_equal(na_spill_size(p), 0);
	free(p);
	setrlimit(RLIMIT_FSIZE, &had);
	assert_non_null(strstr(na_memory_use().why, "File too large"));
	assert_true(na_memory_use().needed >= 64 * MIB);
	na_memory_read(0.1);
	assert_true(na_memory_use().needed >= 640 * (uint64_t)MIB);
	/* So early nothing is known but that it is more. */
	na_memory_read(0.01);
	assert_int_equal(na_memory_use().needed, 0);
	assert_int_equal(na_fail_nomem(&err), NA_ENOMEM);
	assert_non_null(strstr(err.text, "needs more than 0 MB"));
	err = (struct na_err){0};
	na_memory_read(1);
	assert_int_equal(na_fail_nomem(&err), NA_ENOMEM);
	assert_non_null(strstr(err.text, "needs about "));
	assert_non_null(strstr(err.text, "File too large; set TMPDIR"));
	assert_non_null(strstr(err.text, "--memory"));
}

static void the_heap_asks(void **state)
{
	NA_VEC(uint64_t) v = {0};
	volatile size_t huge = SIZE_MAX / 2; /* unknown to the compiler */
	unsigned char *p = calloc(NA_SPILL_BYTES, 1), *q;
	void *volatile none; /* nor whether it is looked at */

	(void)state;
	assert_true(na_spill_size(p));
	free(p);
	p = calloc(3, MIB);
	assert_true(na_spill_size(p));
	assert_zero(p, 3 * MIB);
	free(p);
	p = malloc(100);
	assert_non_null(p);
	fill(p, 100, 5);
	q = realloc(p, 5 * MIB);
	assert_true(na_spill_size(q));
	assert_filled(q, 100, 5);
	none = calloc(huge, 3);
	assert_null(none);
	free(q);
	for (uint64_t i = 0; i < 1000000; i++)
		assert_true(na_add(&v, i * i));
	assert_true(na_spill_size(v.v));
	for (uint64_t i = 0; i < v.n; i++)
		assert_int_equal(v.v[i], i * i);
	na_vec_free(&v);
}

static void pools_ask(void **state)
{
	struct na_pool pool;
	struct na_chunk_list chunks;
	uint64_t sum = 0;

	(void)state;
	na_pool_init(&pool);
	na_chunks_init(&chunks, &pool, sizeof(uint64_t));
	for (uint64_t i = 0; i < 3000000; i++) {
		uint64_t *x = na_chunks_push(&chunks);

		assert_non_null(x);
		*x = i;
	}
	assert_true(na_spill_size(chunks.first));
	na_each_record (uint64_t, x, &chunks)
		sum += *x;
	assert_int_equal(sum, UINT64_C(3000000) * 2999999 / 2);
	na_pool_fini(&pool);
}

struct pair {
	uint32_t key, at;
};
NA_ORDER(by_key, struct pair, NA_UP(key))

struct wide_pair { /* no size that is treated by itself */
	uint32_t key, at;
	char more[33];
};
NA_ORDER(by_wide_key, struct wide_pair, NA_UP(key))

/* Of n keys the i-th: at random, in order, against it, in pieces that are
 * sorted, in such that descend, and all but a few in order. */
static uint32_t key_at(size_t way, size_t i, size_t n)
{
	uint32_t noise = (uint32_t)i * 2654435761u;

	switch (way) {
	case 0:
		return noise >> 7;
	case 1:
		return noise >> 28;
	case 2:
		return (uint32_t)i / 3;
	case 3:
		return (uint32_t)(n - i);
	case 4:
		return (uint32_t)(i % (n / 5 + 1)) / 2;
	case 5:
		return (uint32_t)(n - i % (n / 7 + 1)) / 2;
	default:
		return noise >> 21 ? (uint32_t)i : noise;
	}
}
enum { WAYS = 7 };

/* Large and small, in order already and against it: ties stay. */
static void sorting_is_stable(void **state)
{
	static const size_t sizes[] = {0,  1,  2,   3,    23,   24,    25,
				       63, 64, 129, 1000, 4097, 20000, 300001};

	(void)state;
	for (size_t k = 0; k < NA_LEN(sizes) * WAYS; k++) {
		size_t n = sizes[k / WAYS];
		struct pair *v = na_calloc(n, sizeof(*v));
		struct wide_pair *w = na_calloc(n, sizeof(*w));

		assert_true(v && w);
		for (size_t i = 0; i < n; i++) {
			v[i] = (struct pair){key_at(k % WAYS, i, n),
					     (uint32_t)i};
			w[i] = (struct wide_pair){v[i].key, v[i].at, {0}};
			w[i].more[32] = (char)i;
		}
		na_sort(v, n, by_key);
		na_sort(w, n, by_wide_key);
		for (size_t i = 0; i < n; i++) {
			assert_true(v[i].at < n &&
				    v[i].key == key_at(k % WAYS, v[i].at, n));
			assert_true(!i || v[i - 1].key < v[i].key ||
				    (v[i - 1].key == v[i].key &&
				     v[i - 1].at < v[i].at));
			assert_true(w[i].key == v[i].key &&
				    w[i].at == v[i].at &&
				    w[i].more[32] == (char)w[i].at);
		}
		free(v);
		free(w);
	}
}

static void what_could_not_be_had_is_not_sorted(void **state)
{
	int *none = NULL;

	(void)state;
	na_sort(none, (size_t)1000, na_order_i32);
}

/* Where TMPDIR is memory, /var/tmp is taken if that is a disk. */
static void a_temporary_file_lies_on_a_disk(void **state)
{
	struct na_temporary t;
	struct na_err err = {0};

	(void)state;
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(na_temporary_open(&t, &err), NA_EIO);
	assert_int_equal(t.fd, -1);
	assert_non_null(strstr(err.text, "/nowhere"));
	setenv("TMPDIR", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", 1);
	assert_int_equal(na_temporary_open(&t, &err), NA_OK);
	assert_true(t.in_memory || strcmp(t.dir, "/dev/shm") != 0);
	assert_int_equal(write(t.fd, "x", 1), 1);
	close(t.fd);
}

int main(void)
{
	/* In this order: a budget is begun once. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_limit),
		cmocka_unit_test(nothing_is_spilled_without_a_budget),
		cmocka_unit_test(blocks_of_all_sizes_keep_what_they_hold),
		cmocka_unit_test(freed_blocks_take_no_disk),
		cmocka_unit_test(freed_small_blocks_are_used_again),
		cmocka_unit_test(the_heap_asks),
		cmocka_unit_test(pools_ask),
		cmocka_unit_test(sorting_is_stable),
		cmocka_unit_test(what_could_not_be_had_is_not_sorted),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_temporary_file_lies_on_a_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

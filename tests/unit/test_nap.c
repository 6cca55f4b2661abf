/* Messages as files, and the world that is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "netan/engine/mpi/facts.h"
#include "netan/engine/partial/world_files.h"

enum { MIB = 1 << 20, MOST = 8 * MIB };

static char word[] = "netan", command[] = "check", input[] = "job";
static char *words[] = {word, command, input, NULL};

struct made { /* a file, here and on the disk */
	char path[64];
	uint8_t *p;
	size_t n;
};

static struct na_nap_head head_of(size_t shard, size_t shards)
{
	return (struct na_nap_head){.words = words,
				    .n_words = 3,
				    .shard = shard,
				    .shards = shards};
}

static void put_file(const char *path, const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static FILE *begin_file(struct made *m)
{
	static unsigned number;

	snprintf(m->path, sizeof(m->path), "/tmp/test_nap-%ld-%u",
		 (long)getpid(), number++);
	m->p = malloc(MOST);
	assert_non_null(m->p);
	return fopen(m->path, "w+b");
}

static void end_file(struct made *m, FILE *f)
{
	rewind(f);
	m->n = fread(m->p, 1, MOST, f);
	fclose(f);
}

static void drop(struct made *m)
{
	unlink(m->path);
	free(m->p);
}

/* Messages of these lengths, each of the same or of changing bytes. */
static uint8_t byte_of(size_t message, size_t at)
{
	return (uint8_t)(message % 2 ? message : (at * 2654435761u) >> 13);
}

static const size_t lengths[] = {0,       1,       200,         MIB - 300, 70,
				 MIB * 2, 3 * MIB, MIB * 2 + 3, 0};

static void make(struct made *m, struct na_nap_head head, size_t n)
{
	struct na_err err = {.status = NA_OK};
	FILE *f = begin_file(m);
	struct na_nap_out o;

	assert_int_equal(na_nap_begin(&o, f, m->path, &head, &err), NA_OK);
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = malloc(lengths[i] + 1);

		for (size_t k = 0; k < lengths[i]; k++)
			p[k] = byte_of(i, k);
		assert_int_equal(na_nap_put(&o, p, lengths[i], &err), NA_OK);
		if (i == 2)
			assert_int_equal(na_nap_cut(&o, &err), NA_OK);
		free(p);
	}
	assert_int_equal(na_nap_end(&o, &err), NA_OK);
	na_nap_free(&o);
	end_file(m, f);
}

/* All of its messages; the last status. */
static enum na_status read_all(const char *path, size_t *messages,
			       struct na_err *err)
{
	struct na_nap_block b = {.of = NULL};
	struct na_nap f;
	enum na_status st = na_nap_open(&f, path, err);

	*messages = 0;
	while (st == NA_OK) {
		void *p;
		size_t n;

		st = na_nap_next(&f, &b, &p, &n, err);
		assert_int_equal(st == NA_OK, p != NULL);
		*messages += st == NA_OK;
		free(p);
	}
	na_nap_block_free(&b);
	na_nap_close(&f);
	return st;
}

static void test_back(void **state)
{
	struct na_nap_block b = {.of = NULL};
	struct na_err err = {.status = NA_OK};
	struct made m[2];
	struct na_nap f[2];
	size_t n;
	void *p;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		make(&m[k], head_of(k + 1, 2), 9);
		assert_int_equal(na_nap_open(&f[k], m[k].path, &err), NA_OK);
		assert_int_equal(f[k].head.shard, k + 1);
		assert_int_equal(f[k].head.shards, 2);
		assert_int_equal(f[k].head.n_words, 3);
		assert_string_equal(f[k].head.words[2], "job");
	}
	/* Files take turns, and share a block. */
	for (size_t i = 0; i < 18; i++) {
		assert_int_equal(na_nap_next(&f[i % 2], &b, &p, &n, &err),
				 NA_OK);
		assert_int_equal(n, lengths[i / 2]);
		for (size_t k = 0; k < n; k++)
			assert_true(((uint8_t *)p)[k] == byte_of(i / 2, k));
		free(p);
	}
	for (size_t k = 0; k < 2; k++) {
		assert_int_equal(na_nap_next(&f[k], &b, &p, &n, &err), NA_END);
		na_nap_close(&f[k]);
		drop(&m[k]);
	}
	na_nap_block_free(&b);
}

/* What is cut off or another byte is never read as if it were right. */
static void test_damage(void **state)
{
	struct made m;
	size_t n;

	(void)state;
	make(&m, head_of(1, 1), 3);
	for (size_t cut = 0; cut < m.n; cut++) {
		struct na_err err = {.status = NA_OK};

		put_file(m.path, m.p, cut);
		assert_int_equal(read_all(m.path, &n, &err), NA_EFORMAT);
		assert_int_not_equal(*err.text, 0);
	}
	for (size_t i = 0; i < m.n * 8; i++) {
		struct na_err err = {.status = NA_OK};

		m.p[i / 8] ^= (uint8_t)(1 << i % 8);
		put_file(m.path, m.p, m.n);
		assert_int_equal(read_all(m.path, &n, &err), NA_EFORMAT);
		m.p[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	drop(&m);
}

static void right_checksum(struct made *m)
{
	uint8_t *p = m->p + NAP_MAGIC_BYTES;
	size_t n = p[1] + (size_t)p[2] * 256 + NAP_BLOCK_HEAD;
	uint32_t crc;

	assert_int_equal(p[5] + p[6] + p[7] + p[8], 0); /* not packed */
	crc = (uint32_t)crc32_z(0, p, n);
	for (size_t i = 0; i < NAP_CRC_BYTES; i++)
		p[n + i] = (uint8_t)(crc >> 8 * i);
	put_file(m->path, m->p, m->n);
}

static void test_other_makers(void **state)
{
	struct na_err err = {.status = NA_OK}, layout = {.status = NA_OK};
	struct made m;
	uint8_t *version, *word_at;
	size_t n;

	(void)state;
	make(&m, head_of(1, 3), 1);
	version = memmem(m.p, m.n, NETAN_VERSION, strlen(NETAN_VERSION));
	assert_non_null(version);
	version[0]++;
	right_checksum(&m);
	assert_int_equal(read_all(m.path, &n, &err), NA_EFORMAT);
	assert_non_null(strstr(err.text, "was written by netan "));
	assert_non_null(strstr(err.text, "(shard 1 of 3)"));
	version[0]--;
	/* Behind it and its tag. */
	version[strlen(NETAN_VERSION) + 1] ^= 1;
	right_checksum(&m);
	assert_int_equal(read_all(m.path, &n, &layout), NA_EFORMAT);
	assert_non_null(strstr(layout.text, "lie in memory in another way"));
	version[strlen(NETAN_VERSION) + 1] ^= 1;
	err = (struct na_err){.status = NA_OK};
	word_at = memmem(m.p, m.n, "job", 3);
	assert_non_null(word_at);
	word_at[1] = '\0';
	right_checksum(&m);
	assert_int_equal(read_all(m.path, &n, &err), NA_EFORMAT);
	assert_non_null(strstr(err.text, "says what cannot be"));
	drop(&m);
}

/* ---- the world */

/* What shard k sends in a round, into a file; *st: how hearing ends. */
static void play_shard(struct made *m, size_t k, const char *plan,
		       const char *first, struct na_err *err)
{
	struct na_nap_head head = head_of(k, 2);
	struct na_world_files files;
	FILE *f = begin_file(m);
	struct na_nap_out out;
	struct na_nap in;
	struct na_world w;
	size_t n = 0, told = 0;
	void *p = NULL;

	if (plan)
		assert_int_equal(na_nap_open(&in, plan, err), NA_OK);
	head.round = plan != NULL;
	assert_int_equal(na_world_shard(&files, &w, &head, &out,
					plan ? &in : NULL, err),
			 NA_OK);
	assert_int_equal(na_nap_begin(&out, f, m->path, &head, err), NA_OK);
	assert_int_equal(w.rank, k);
	assert_int_equal(w.size, 3);
	assert_int_equal(na_world_agree(&w, err), NA_OK);
	if (w.ops->send(&w, 0, first, strlen(first), err) == NA_OK) {
		if (plan) {
			assert_int_equal(w.ops->recv(&w, 0, &p, &n, err),
					 NA_OK);
			free(p);
			p = NULL;
			assert_int_equal(na_world_broadcast(&w, &p, &told, err),
					 NA_OK);
			assert_true(told > strlen(first));
			free(p);
			assert_int_equal(w.ops->send(&w, 0, "records", 7, err),
					 NA_OK);
		}
		assert_false(files.done);
		assert_int_equal(w.ops->recv(&w, 0, &p, &n, err), NA_END);
		assert_true(files.done);
		assert_int_equal(na_nap_end(&out, err), NA_OK);
	}
	na_nap_free(&out);
	na_world_files_free(&files);
	if (plan)
		na_nap_close(&in);
	end_file(m, f);
}

static void expect(struct na_world *w, size_t from, const char *want)
{
	struct na_err err = {.status = NA_OK};
	size_t n;
	void *p;

	assert_int_equal(w->ops->recv(w, from, &p, &n, &err), NA_OK);
	assert_int_equal(n, strlen(want));
	assert_memory_equal(p, want, n);
	free(p);
}

/* Kind, whether they suffice, a mark of eight bytes, and what may change. */
static const char *const facts[] = {"ksfacts 1.counts", "ksfacts 2.counts"};
static const char *const again[] = {"ksfacts 1.others", "ksfacts 2.more"};

/* Facts of ranks 0, 1 and 2, as rank 0 tells them. */
static void tell_plan(struct na_world *w, struct na_err *err)
{
	struct na_xf_bytes all = {.p = NULL};
	void *p;

	na_tell_run(&all, "nothing", 7);
	for (size_t k = 0; k < 2; k++)
		na_tell_run(&all, facts[k], strlen(facts[k]));
	for (size_t r = 1; r < w->size; r++)
		assert_int_equal(w->ops->send(w, r, "plan", 4, err), NA_OK);
	p = all.p;
	assert_int_equal(na_world_broadcast(w, &p, &all.n, err), NA_OK);
	na_xf_bytes_fini(&all);
}

static void play_merge(struct made *plan, const struct made *shards)
{
	struct na_err err = {.status = NA_OK};
	struct na_nap_head head = head_of(0, 2);
	struct na_world_files files;
	struct na_nap in[2];
	struct na_nap_out out;
	struct na_world w;
	FILE *f = plan ? begin_file(plan) : NULL;
	size_t n;
	void *p;

	for (size_t k = 0; k < 2; k++)
		assert_int_equal(na_nap_open(&in[k], shards[k].path, &err),
				 NA_OK);
	na_world_merge(&files, &w, plan ? &out : NULL, in, 2);
	assert_int_equal(na_world_writes(&w), !plan);
	if (plan)
		assert_int_equal(na_nap_begin(&out, f, plan->path, &head, &err),
				 NA_OK);
	for (size_t k = 0; k < 2; k++)
		expect(&w, k + 1, plan ? facts[k] : again[k]);
	tell_plan(&w, &err);
	if (plan) {
		assert_int_equal(w.ops->recv(&w, 1, &p, &n, &err), NA_END);
		assert_true(files.done);
		assert_int_equal(na_nap_end(&out, &err), NA_OK);
		na_nap_free(&out);
		end_file(plan, f);
	} else {
		expect(&w, 2, "records");
		expect(&w, 1, "records");
		assert_int_equal(w.ops->recv(&w, 1, &p, &n, &err), NA_EFORMAT);
	}
	na_world_files_free(&files);
	for (size_t k = 0; k < 2; k++)
		na_nap_close(&in[k]);
}

static void test_rounds(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct made first[2], second[2], plan, changed;

	(void)state;
	for (size_t k = 0; k < 2; k++)
		play_shard(&first[k], k + 1, NULL, facts[k], &err);
	play_merge(&plan, first);
	for (size_t k = 0; k < 2; k++)
		play_shard(&second[k], k + 1, plan.path, again[k], &err);
	play_merge(NULL, second);
	play_shard(&changed, 2, plan.path, "ksfacts 3.counts", &err);
	assert_int_equal(err.status, NA_EIO);
	assert_non_null(strstr(err.text, "are not what they were in round 0"));
	for (size_t k = 0; k < 2; k++) {
		drop(&first[k]);
		drop(&second[k]);
	}
	drop(&plan);
	drop(&changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_other_makers),
		cmocka_unit_test(test_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

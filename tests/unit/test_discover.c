/*
 * From what a user names to the files that are read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/discover.h"

struct place {
	char root[64];
	char made[64][200]; /* to be removed, last first */
	size_t n;
	struct na_arena arena;
	struct na_err err;
};

static int begin(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	strcpy(p->root, "/tmp/netan-find-XXXXXX");
	assert_non_null(mkdtemp(p->root));
	memset(&p->arena, 0, sizeof(p->arena));
	*state = p;
	return 0;
}

static int end(void **state)
{
	struct place *p = *state;

	while (p->n)
		remove(p->made[--p->n]);
	assert_int_equal(rmdir(p->root), 0);
	na_arena_fini(&p->arena);
	free(p);
	return 0;
}

/* A path below the root; a file, or with a slash at the end a directory. */
static void make(struct place *p, const char *path)
{
	char to[200];
	size_t n = (size_t)snprintf(to, sizeof(to), "%s/%s", p->root, path);

	assert_true(p->n < 64 && n < sizeof(to));
	if (to[n - 1] == '/') {
		to[n - 1] = '\0';
		assert_int_equal(mkdir(to, 0700), 0);
	} else {
		FILE *f = fopen(to, "w");

		assert_non_null(f);
		fclose(f);
	}
	memcpy(p->made[p->n++], to, sizeof(to));
}

static struct na_found find(struct place *p, const char *below,
			    enum na_status want)
{
	struct na_found found;
	char *path = na_arena_alloc(&p->arena, 300);

	snprintf(path, 300, "%s%s", p->root, below);
	p->err = (struct na_err){.status = NA_OK};
	assert_int_equal(na_discover(path, &p->arena, &found, &p->err), want);
	return found;
}

static void expect(const struct place *p, struct na_found *found,
		   const char *const *want)
{
	size_t n = 0;

	for (; want[n]; n++) {
		assert_true(n < found->n);
		assert_string_equal(found->paths[n] + strlen(p->root), want[n]);
	}
	assert_int_equal(found->n, n);
	free(found->paths);
}

static void a_file_is_itself(void **state)
{
	struct place *p = *state;
	struct na_found found;

	make(p, "any.name");
	found = find(p, "/any.name", NA_OK);
	expect(p, &found, (const char *const[]){"/any.name", NULL});
	/* Also one that is not there: opening it says so. */
	found = find(p, "/none", NA_OK);
	expect(p, &found, (const char *const[]){"/none", NULL});
	assert_int_equal(na_discover("-", &p->arena, &found, &p->err), NA_OK);
	assert_int_equal(found.n, 1);
	assert_string_equal(found.paths[0], "-");
	free(found.paths);
}

static void a_session(void **state)
{
	/* clang-format off */
	static const char *const want[] = {
		"/a.xplane.pb", "/b.xplane.pb.gz", "/c.xplane.pb.zst",
		"/d.xplane.pb.zstd", NULL
	};
	/* clang-format on */
	struct place *p = *state;
	struct na_found found;

	make(p, "c.xplane.pb.zst");
	make(p, "b.xplane.pb.gz");
	make(p, "a.xplane.pb");
	make(p, "d.xplane.pb.zstd");
	make(p, ".hidden.xplane.pb");
	make(p, "a.trace.json.gz");
	make(p, "a.xplane.pb.bak");
	make(p, "xplane.pb");
	make(p, ".xplane.pb");
	found = find(p, "", NA_OK);
	assert_null(found.note);
	expect(p, &found, want);
	found = find(p, "///", NA_OK);
	assert_int_equal(found.n, 4);
	free(found.paths);
}

static void the_newest_run(void **state)
{
	struct place *p = *state;
	struct na_found found;

	make(p, "plugins/");
	make(p, "plugins/profile/");
	make(p, "plugins/profile/2026_01_02_03_04_05/");
	make(p, "plugins/profile/2026_01_02_03_04_05/old.xplane.pb");
	make(p, "plugins/profile/2026_11_20_21_28_00/");
	make(p, "plugins/profile/2026_11_20_21_28_00/new.xplane.pb");
	make(p, "plugins/profile/2025_12_31_23_59_59/");
	make(p, "plugins/profile/notes.txt");
	for (int i = 0; i < 3; i++) {
		/* clang-format off */
		static const char *const below[] = {
			"", "/plugins/profile", "/plugins/profile/" };
		const char *name;

		found = find(p, below[i], NA_OK);
		assert_int_equal(found.n, 1);
		name = strrchr(found.paths[0], '/');
		assert_string_equal(name, "/new.xplane.pb");
		assert_non_null(found.note);
		assert_non_null(strstr(found.note, "3 runs"));
		assert_non_null(strstr(found.note, "2026_11_20_21_28_00"));
		assert_string_equal(found.named, "2026_11_20_21_28_00");
		free(found.paths);
	}
	found = find(p, "/plugins/profile/2026_01_02_03_04_05", NA_OK);
	assert_null(found.note);
	assert_int_equal(found.n, 1);
	free(found.paths);
}

static void named_runs(void **state)
{
	struct place *p = *state;
	struct na_found found;

	make(p, "plugins/");
	make(p, "plugins/profile/");
	make(p, "plugins/profile/only/");
	make(p, "plugins/profile/only/h.xplane.pb");
	found = find(p, "", NA_OK);
	assert_null(found.note);
	expect(p, &found, (const char *const[]){
		"/plugins/profile/only/h.xplane.pb", NULL });
}

/* Of a GPU job, one file for each rank; captures beside them are named. */
static void ranks(void **state)
{
	/* clang-format off */
	static const char *const want[] = {
		"/gpu-1-pid4711.log", "/host_12.345.pt.trace.json.gz",
		"/rank-1.json", "/worker0.json.zst", NULL
	};
	/* clang-format on */
	struct place *p = *state;
	struct na_found found;

	make(p, "gpu-1-pid4711.log");
	make(p, "gpu-1-pid.log");
	make(p, "train.log");
	make(p, "rank-1.json");
	make(p, "rank-1.json.gz");
	make(p, "worker0.json.zst");
	make(p, "host_12.345.pt.trace.json.gz");
	make(p, "config.json");
	make(p, "rank.txt");
	make(p, "a.pcap");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "a.pcap"));
	assert_string_equal(found.named, "a.pcap");
	expect(p, &found, want);
}

static void many_directories(void **state)
{
	struct place *p = *state;
	char path[200];

	make(p, "0/");
	make(p, "0/worker0.json");
	for (int i = 1; i <= NA_DISCOVER_BELOW; i++) {
		struct na_found found;

		/* So many are looked into, the last time one more. */
		snprintf(path, sizeof(path), "%s/%d", p->root, i);
		assert_int_equal(mkdir(path, 0700), 0);
		if (i < NA_DISCOVER_BELOW - 1)
			continue;
		found = find(p, "", NA_OK);
		assert_int_equal(strstr(found.note, "there are more") != NULL,
				 i == NA_DISCOVER_BELOW);
		free(found.paths);
	}
	for (int i = 1; i <= NA_DISCOVER_BELOW; i++) {
		snprintf(path, sizeof(path), "%s/%d", p->root, i);
		assert_int_equal(rmdir(path), 0);
	}
}

static void captures(void **state)
{
	struct place *p = *state;
	struct na_found found;

	make(p, "b.pcapng.zst");
	make(p, "a.pcap");
	make(p, "a.pcap.gz");
	make(p, "a.cap");
	make(p, "c.cap");
	make(p, "d.netan");
	make(p, "notes.txt");
	make(p, "pcap");
	make(p, ".pcap");
	found = find(p, "", NA_OK);
	assert_null(found.note);
	expect(p, &found, (const char *const[]){
		"/a.cap", "/a.pcap", "/b.pcapng.zst", "/c.cap",
		"/d.netan", NULL });
	/* Beside traces they are named, not read. */
	make(p, "h.xplane.pb");
	found = find(p, "", NA_OK);
	assert_non_null(found.note);
	assert_non_null(strstr(found.note, "6 captures"));
	assert_non_null(strstr(found.note, "a.cap"));
	expect(p, &found, (const char *const[]){ "/h.xplane.pb", NULL });
}

/* What is below is of the same run, where there is one run. */
static void captures_above_a_run(void **state)
{
	struct place *p = *state;
	struct na_found found;

	make(p, "job.pcap");
	make(p, "plugins/");
	make(p, "plugins/profile/");
	make(p, "plugins/profile/only/");
	make(p, "plugins/profile/only/h.xplane.pb");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "read together"));
	expect(p, &found, (const char *const[]){
		"/job.pcap", "/plugins/profile/only/h.xplane.pb", NULL });
	/* Which of two runs it is of nobody knows, wherever they lie. */
	make(p, "other/");
	make(p, "other/h.xplane.pb");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "2 runs"));
	assert_non_null(strstr(found.note, "/job.pcap /"));
	assert_non_null(strstr(found.note, found.named));
	expect(p, &found, (const char *const[]){ "/job.pcap", NULL });
	/* Traces are the session. */
	make(p, "h.xplane.pb");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "1 capture or transfer file beside "
					   "and 2 runs (such as "));
	expect(p, &found, (const char *const[]){ "/h.xplane.pb", NULL });
}

static void captures_below(void **state)
{
	struct place *p = *state;
	struct na_found found;

	make(p, "profile/");
	make(p, "profile/only/");
	make(p, "profile/only/h.xplane.pb");
	make(p, "pcaps/");
	make(p, "pcaps/a.pcap");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "/pcaps/a.pcap) below "));
	assert_string_equal(found.named, "pcaps/a.pcap");
	expect(p, &found, (const char *const[]){
		"/profile/only/h.xplane.pb", NULL });
	/* Beside another choice. */
	make(p, "profile/other/");
	make(p, "profile/other/h.xplane.pb");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "2 runs"));
	assert_non_null(strstr(found.note, "; 1 capture"));
	assert_int_equal(found.n, 1);
	free(found.paths);
}

static void captures_above_ranks(void **state)
{
	struct place *p = *state;
	struct na_found found;

	make(p, "a.pcap");
	make(p, "b.pcap");
	make(p, "kineto/");
	make(p, "kineto/worker0.json");
	make(p, "kineto/worker1.json");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "2 traces"));
	expect(p, &found, (const char *const[]){
		"/a.pcap", "/b.pcap", "/kineto/worker0.json",
		"/kineto/worker1.json", NULL });
	/* A transfer file may hold what these told: nothing counts twice. */
	make(p, "c.netan");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "2 traces (such as "));
	assert_int_equal(found.n, 3);
	free(found.paths);
	make(p, "run/");
	make(p, "run/h.xplane.pb");
	found = find(p, "", NA_OK);
	assert_non_null(strstr(found.note, "1 run ("));
	assert_non_null(strstr(found.note, "/*.pcap "));
	assert_int_equal(found.n, 3);
	free(found.paths);
}

/* As below a capture: the one that there is, and of several none. */
static void a_run_below(void **state)
{
	struct place *p = *state;
	struct na_found found;

	make(p, "run/");
	make(p, "run/h.xplane.pb");
	for (int slash = 0; slash < 2; slash++) {
		found = find(p, slash ? "/" : "", NA_OK);
		assert_string_equal(found.named, "run");
		assert_non_null(strstr(found.note, "1 trace of run below it"));
		assert_string_equal(found.paths[0] + strlen(p->root),
				    "/run/h.xplane.pb");
		assert_int_equal(found.n, 1);
		free(found.paths);
	}
	make(p, "later/");
	make(p, "later/h.xplane.pb");
	found = find(p, "", NA_EIO);
	assert_non_null(strstr(p->err.text, "2 directories below it"));
	assert_int_equal(found.n, 0);
	free(found.paths);
}

static void nothing_there(void **state)
{
	struct place *p = *state;
	struct na_found found;

	found = find(p, "", NA_EIO);
	assert_int_equal(found.n, 0);
	assert_non_null(strstr(p->err.text, "no traces in this directory"));
	free(found.paths);
	make(p, "plugins/");
	make(p, "plugins/profile/");
	found = find(p, "", NA_EIO);
	assert_non_null(strstr(p->err.text, p->root));
	free(found.paths);
	make(p, "plugins/profile/2026_01_02_03_04_05/");
	found = find(p, "", NA_EIO);
	free(found.paths);
}

static void host_names(void **state)
{
	static const struct {
		const char *path, *host;
		bool by_form;
	} rows[] = {
		{ "/x/host-0.xplane.pb", "host-0", true },
		{ "host-0.xplane.pb.gz", "host-0", true },
		{ "t1v-n.example.org_8466.xplane.pb.zst",
		  "t1v-n.example.org_8466", true },
		{ "./a/b.xplane.pb.zstd", "b", true },
		{ "trace.pb", "trace", false },
		{ "trace.pb.gz", "trace", false },
		{ "noending", "noending", false },
		{ "10.0.0.1-eth0.pcap", "10.0.0.1-eth0", false },
		{ "a/2026.11.20.pcapng.zst", "2026.11.20", false },
		{ ".pcap", ".pcap", false },
		{ ".xplane.pb", ".xplane.pb", false },
		{ "-", "-", false },
	};
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool by_form;
		const char *host = na_host_of_path(rows[i].path, &p->arena,
						   &by_form);

		assert_string_equal(host, rows[i].host);
		assert_int_equal(by_form, rows[i].by_form);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_is_itself, begin, end),
		cmocka_unit_test_setup_teardown(a_session, begin, end),
		cmocka_unit_test_setup_teardown(the_newest_run, begin, end),
		cmocka_unit_test_setup_teardown(named_runs, begin, end),
		cmocka_unit_test_setup_teardown(ranks, begin, end),
		cmocka_unit_test_setup_teardown(many_directories, begin, end),
		cmocka_unit_test_setup_teardown(captures, begin, end),
		cmocka_unit_test_setup_teardown(captures_above_a_run, begin,
						end),
		cmocka_unit_test_setup_teardown(captures_below, begin, end),
		cmocka_unit_test_setup_teardown(captures_above_ranks, begin,
						end),
		cmocka_unit_test_setup_teardown(a_run_below, begin, end),
		cmocka_unit_test_setup_teardown(nothing_there, begin, end),
		cmocka_unit_test_setup_teardown(host_names, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* clang-format on */
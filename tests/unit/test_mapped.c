/*
 * Files that somebody truncates or writes over while they are read: a mapping
 * by itself, and inputs of each reader between their survey and their reading.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/bytes/whole.h"
#include "ingest/logs/lines.h"
#include "netan/base/memory/mapped.h"
#include "netan/base/memory/spill.h"
#include "netan/base/vec.h"
#include "netan/cli/common.h"
#include "netan/cli/program.h"
#include "netan/engine/session/session.h"
#include "netan/engine/slice/slice.h"
#include "tests/unit/reading.h"

enum { PAGE = 4096, BYTES = 10 * PAGE };
enum {
	WANTS = ALL_RECORDS | NA_WANT_OPS | NA_WANT_PACKETS | NA_WANT_COMMS |
		NA_WANT_CONNECTIONS
};

static char dir[64];

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/netan-mapped-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static char *path_of(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	return path;
}

static char *file_with(const char *name, int byte, size_t n)
{
	char *path = path_of(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (size_t i = 0; i < n; i++)
		fputc(byte, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

static struct na_mapped *map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct na_mapped *m = na_map(fd, BYTES);

	assert_non_null(m);
	close(fd);
	assert_int_equal(na_mapped_left(m), BYTES);
	return m;
}

static void truncated(void **state)
{
	char *path = file_with("file", 'x', BYTES);
	struct na_mapped *m = map(path);
	const volatile uint8_t *p = na_mapped_bytes(m);

	(void)state;
	assert_int_equal(p[BYTES - 1], 'x');
	assert_int_equal(truncate(path, 3 * PAGE + 5), 0);
	/* In the last page there is, nothing tells. */
	assert_int_equal(p[3 * PAGE + 6], 0);
	assert_int_equal(na_mapped_left(m), BYTES);
	assert_int_equal(p[6 * PAGE + 1], 0);
	assert_int_equal(na_mapped_left(m), 6 * PAGE);
	assert_int_equal(p[5 * PAGE], 0);
	assert_int_equal(p[BYTES - 1], 0);
	assert_int_equal(na_mapped_left(m), 5 * PAGE);
	assert_int_equal(p[3 * PAGE + 4], 'x');
	assert_int_equal(na_mapped_look(m, path), NA_FATE_SHORTER);
	assert_int_equal(na_mapped_left(m), 3 * PAGE + 5);
	na_unmap(m);
	free(path);
}

static void written_over(void **state)
{
	char *path = file_with("file", 'x', BYTES), *other;
	struct na_mapped *m = map(path);
	struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

	(void)state;
	assert_int_equal(na_mapped_look(m, path), NA_FATE_SAME);
	/* As other bytes would have it, whatever the clock's grain. */
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_int_equal(na_mapped_look(m, path), NA_FATE_CHANGED);
	na_unmap(m);
	m = map(path);
	assert_int_equal(truncate(path, 2 * BYTES), 0);
	assert_int_equal(na_mapped_look(m, path), NA_FATE_CHANGED);
	na_unmap(m);
	/* Another file of that name is none of its business. */
	m = map(path);
	other = file_with("other", 'y', 5);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(na_mapped_look(m, path), NA_FATE_SAME);
	assert_int_equal(*na_mapped_bytes(m), 'x');
	na_unmap(m);
	free(path);
	free(other);
}

static void read_at_once(void **state)
{
	char *path = file_with("file", 'x', BYTES);
	struct na_err err = {.status = NA_OK};
	struct na_whole w;
	size_t sum = 0;

	(void)state;
	assert_int_equal(na_whole_open(&w, path, &err), NA_OK);
	assert_int_equal(truncate(path, PAGE), 0);
	for (size_t i = 0; i < w.n; i++)
		sum += w.p[i];
	assert_int_equal(sum, PAGE * 'x');
	na_whole_close(&w);
	free(path);
}

/* ---- files that are read, not mapped */

static enum na_status rest_of(const char *path, const char *change,
			      struct na_err *err)
{
	struct na_lines *l;
	struct na_line line;
	enum na_status st;
	char command[256];

	assert_int_equal(na_lines_open(&l, path, err), NA_OK);
	assert_int_equal(na_lines_next(l, &line, err), NA_OK);
	snprintf(command, sizeof(command), "%s '%s'", change, path);
	assert_int_equal(system(command), 0);
	do {
		st = na_lines_next(l, &line, err);
	} while (st == NA_OK);
	na_lines_close(l);
	return st;
}

static void lines_cut(void **state)
{
	static const struct {
		const char *change, *why;
	} rows[] = {
		{"truncate -s 300000", "truncated while it was read, at "
					    "byte 300000"},
		{"truncate -s 0", "truncated while it was read, at byte "},
		{"touch -d 1990-01-01", "changed while it was read"},
		/* Logs grow. */
		{"echo more >>", NULL},
		{"true", NULL},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		char *path = file_with("log", '\n', 1000000);
		struct na_err err = {.status = NA_OK};
		enum na_status st = rest_of(path, rows[i].change, &err);

		assert_int_equal(st, rows[i].why ? NA_EFORMAT : NA_END);
		if (rows[i].why)
			assert_non_null(strstr(err.text, rows[i].why));
		free(path);
	}
}

/* ---- our own file */

static void lose_spill(void)
{
	char name[64], target[256];
	char *p;

	na_memory_begin(1 << 20, false);
	p = na_spill(1 << 20);
	if (!p)
		_exit(50);
	for (int fd = 3; fd < 64; fd++) {
		ssize_t n;

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		n = readlink(name, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strncmp(target, dir, strlen(dir)) == 0)
			(void)!ftruncate(fd, 0);
	}
	p[1 << 19] = 1;
	_exit(51);
}

static void spill_lost(void **state)
{
	char text[512] = "";
	int pipes[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		dup2(pipes[1], STDERR_FILENO);
		setenv("TMPDIR", dir, 1);
		lose_spill();
	}
	close(pipes[1]);
	assert_true(read(pipes[0], text, sizeof(text) - 1) > 0);
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(text, "netan: error: temporary file in "));
	assert_non_null(strstr(text, dir));
}

/* ---- inputs: opened, cut to a share, read */

struct told {
	struct na_transfer *transfers;
	size_t n;
	uint64_t records;
	bool damaged, said;
};

static void take(struct told *t, const struct na_session *s)
{
	const struct na_store *x = &s->store;

	t->damaged = s->damaged;
	t->transfers = calloc(x->transfers.n + 1, sizeof(*t->transfers));
	assert_non_null(t->transfers);
	na_each_record (const struct na_packed_transfer, p, &x->transfers)
		t->transfers[t->n++] = na_unpack_transfer(p);
#define NA_RECORD(KIND, chunks, ...) t->records += x->chunks.n;
#include "netan/model/records.def"
#undef NA_RECORD
	for (const struct na_warning *w = s->inputs[0].warnings; w; w = w->next)
		t->said |= strstr(w->text, "truncated while it was read, at "
					   "byte ") != NULL;
}

static void read_input(char *path, double share, struct told *t)
{
	static char netan[] = "netan", info[] = "timeline", quiet[] = "-q";
	char *argv[] = {netan, info, quiet, path, NULL};
	struct na_err err = {.status = NA_OK};
	struct na_session s;
	struct na_cli cli;
	struct stat sb;

	*t = (struct told){.transfers = NULL};
	assert_int_equal(na_cli_parse(&cli, na_command_find(info), 4, argv,
				      &err),
			 NA_OK);
	assert_int_equal(na_session_open(&s, &cli.request, WANTS), NA_OK);
	assert_non_null(s.inputs[0].mapped);
	assert_int_equal(stat(path, &sb), 0);
	if (share < 1)
		assert_int_equal(truncate(path,
					  (off_t)((double)sb.st_size * share)),
				 0);
	assert_int_equal(na_session_filter(&s, &err), NA_OK);
	assert_int_equal(na_session_read(&s, false, &err), NA_OK);
	take(t, &s);
	na_session_close(&s);
	na_cli_free(&cli);
}

static bool among(const struct told *all, const struct na_transfer *x)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct na_transfer *y = &all->transfers[i];

		if (x->start_ps == y->start_ps && x->end_ps == y->end_ps &&
		    x->size_bytes == y->size_bytes && x->side == y->side)
			return true;
	}
	return false;
}

static void check_cut(const struct told *t, const struct told *of)
{
	assert_true(t->damaged && t->said);
	assert_true(t->records <= of->records);
	for (size_t i = 0; i < t->n; i++)
		assert_true(among(of, &t->transfers[i]));
}

/* What is read is of what there was; some: and there is some. */
static void cut_input(const char *from, const char *name, bool some)
{
	static const double shares[] = {0.9, 0.5, 0.1, 0};
	char *path = path_of(name), *copy;
	struct told all, t;

	assert_true(asprintf(&copy, "cp '%s' '%s'", from, path) > 0);
	assert_int_equal(system(copy), 0);
	read_input(path, 1, &all);
	assert_false(all.damaged);
	assert_true(all.records > 0);
	for (size_t k = 0; k < NA_LEN(shares); k++) {
		assert_int_equal(system(copy), 0);
		read_input(path, shares[k], &t);
		check_cut(&t, &all);
		assert_true(t.records < all.records);
		assert_true(t.records > 0 || !some || k > 0);
		free(t.transfers);
	}
	free(all.transfers);
	free(copy);
	free(path);
}

/* What is said of a capture's end is of where it ends: as of a file that was
 * as short from the first. */
static void cut_capture(const char *from)
{
	static const double shares[] = {0.9, 0.5, 0.1};
	char *path = path_of("w.pcap"), *copy;
	struct told shorter, t;

	assert_true(asprintf(&copy, "cp '%s' '%s'", from, path) > 0);
	for (size_t k = 0; k < NA_LEN(shares); k++) {
		assert_int_equal(system(copy), 0);
		read_input(path, shares[k], &t);
		read_input(path, 1, &shorter);
		check_cut(&t, &shorter);
		assert_int_equal(t.records, shorter.records);
		free(shorter.transfers);
		free(t.transfers);
	}
	free(copy);
	free(path);
}

static void run(const char *line)
{
	char text[512], *argv[32], *rest = text;
	const struct na_request q = {.inputs = NULL};
	int argc = 0;

	snprintf(text, sizeof(text), "netan %s", line);
	while (argc < 31 && (argv[argc] = strsep(&rest, " ")))
		argc++;
	assert_int_equal(na_command_run(&q, argc, argv), NA_EXIT_OK);
}

static void traces(void **state)
{
	char line[400], *path;

	(void)state;
	snprintf(line, sizeof(line), "synth -q -o %s/job --hosts 2 --steps 9",
		 dir);
	run(line);
	snprintf(line, sizeof(line),
		 "mv %s/job/plugins/profile/*/host-0* "
		 "%s/trace",
		 dir, dir);
	assert_int_equal(system(line), 0);
	path = path_of("trace");
	cut_input(path, "w.xplane.pb", false);
	snprintf(line, sizeof(line), "ingest -q %s -o %s/x.netan", path, dir);
	run(line);
	free(path);
	path = path_of("x.netan");
	cut_input(path, "w.netan", false);
	free(path);
}

static void ranks(void **state)
{
	char line[400], *path;

	(void)state;
	snprintf(line, sizeof(line),
		 "synth -q -o %s/gpu --profile pytorch "
		 "--devices 1 --hosts 2 --steps 400 --evidence kineto "
		 "--evidence inspector",
		 dir);
	run(line);
	snprintf(line, sizeof(line),
		 "cd %s/gpu && mv kineto/host-0* ../trace "
		 "&& mv inspector/*-pid4000.log ../log",
		 dir);
	assert_int_equal(system(line), 0);
	path = path_of("trace");
	cut_input(path, "w.trace.json", true);
	free(path);
	path = path_of("log");
	cut_input(path, "w.log", false);
	free(path);
}

/* Each dispatch is bounded by the next: what is lost behind the first is not
 * looked at by each of them. */
static void dispatches(void **state)
{
	char *path = path_of("roc.json");
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	fputs("{\"rocprofiler-sdk-tool\":[{\"agents\":[{\"id\":{\"handle\":1},"
	      "\"type\":2}],\"kernel_symbols\":[{\"kernel_id\":1,"
	      "\"formatted_kernel_name\":\"ncclDevKernel_AllReduce\"}],"
	      "\"buffer_records\":{\"kernel_dispatch\":[",
	      f);
	for (int i = 0; i < 40000; i++)
		fprintf(f,
			"%s{\"start_timestamp\":%d,\"end_timestamp\":%d,"
			"\"dispatch_info\":{\"agent_id\":{\"handle\":1},"
			"\"kernel_id\":1,\"dispatch_id\":%d,"
			"\"queue_id\":{\"handle\":1}}}",
			i ? "," : "", 1000 * i, 1000 * i + 500, i);
	fputs("]}}]}", f);
	assert_int_equal(fclose(f), 0);
	cut_input(path, "w.roc.json", false);
	free(path);
}

static void captures(void **state)
{
	char line[400], *path;

	(void)state;
	snprintf(line, sizeof(line), "synth -q -o %s/c.pcap --condition loss",
		 dir);
	run(line);
	path = path_of("c.pcap");
	cut_capture(path);
	free(path);
}

/* ---- slices: cut while somebody truncates the file */

struct sliced {
	FILE *to;
	char *bytes;
	size_t n;
	const char *path; /* NULL: it stays as it is */
	off_t left;
};

static enum na_status put_slice(void *ctx, const void *p, size_t n,
				struct na_err *err)
{
	struct sliced *s = ctx;

	(void)err;
	if (s->path)
		assert_int_equal(truncate(s->path, s->left), 0);
	s->path = NULL;
	assert_int_equal(fwrite(p, 1, n, s->to), n);
	return NA_OK;
}

static bool says(const struct na_input *in, const char *text)
{
	bool said = false;

	for (const struct na_warning *w = in->warnings; w; w = w->next)
		said |= strstr(w->text, text) != NULL;
	return said;
}

/* As often as it takes; how often that was. */
static int cut_sound(struct na_slicer *z, struct sliced *s)
{
	struct na_slice_counts counts;
	struct na_err err = {.status = NA_OK};
	int times = 0;

	do {
		s->to = open_memstream(&s->bytes, &s->n);
		assert_non_null(s->to);
		assert_int_equal(na_slicer_cut(z, 0, put_slice, s, &counts,
					       &err),
				 NA_OK);
		fclose(s->to);
		if (z->lost)
			free(s->bytes);
	} while (++times < 5 && z->lost);
	assert_true(counts.events > 0);
	return times;
}

/* Half of it goes after the first piece of its slice. */
static void slice_input(char *path, bool lose, struct sliced *s)
{
	static char netan[] = "netan", slice[] = "slice", quiet[] = "-q",
		    from[] = "--from", at[] = "0s", o[] = "-o", out[] = "x";
	char *argv[] = {netan, slice, quiet, from, at, o, out, path, NULL};
	const struct na_slicing how = {.no_programs = false};
	struct na_err err = {.status = NA_OK};
	struct na_slicer z;
	struct na_cli cli;
	struct stat sb;

	assert_int_equal(stat(path, &sb), 0);
	*s = (struct sliced){.path = lose ? path : NULL,
			     .left = sb.st_size * 5 / 7};
	assert_int_equal(na_cli_parse(&cli, na_command_find(slice), 8, argv,
				      &err),
			 NA_OK);
	assert_int_equal(na_slicer_open(&z, &cli.request, &how), NA_OK);
	assert_int_equal(cut_sound(&z, s), lose ? 2 : 1);
	assert_true(z.session.inputs[0].damaged);
	assert_int_equal(says(&z.session.inputs[0],
			      "truncated while it was read, at byte "),
			 lose);
	na_slicer_close(&z);
	na_cli_free(&cli);
}

/* The slice is that of a file that was as short from the first. */
static void slice_of(const char *name)
{
	char *path = path_of(name);
	struct sliced lost, shorter;

	slice_input(path, true, &lost);
	slice_input(path, false, &shorter);
	assert_int_equal(lost.n, shorter.n);
	assert_memory_equal(lost.bytes, shorter.bytes, lost.n);
	free(lost.bytes);
	free(shorter.bytes);
	free(path);
}

static void slices(void **state)
{
	char line[400];

	(void)state;
	snprintf(line, sizeof(line),
		 "cd %s && cp job/plugins/profile/*/host-1* w.xplane.pb "
		 "&& cp c.pcap w.pcap && "
		 "cp gpu/kineto/*_4001.* w.trace.json",
		 dir);
	assert_int_equal(system(line), 0);
	slice_of("w.xplane.pb");
	slice_of("w.pcap");
	slice_of("w.trace.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated),    cmocka_unit_test(written_over),
		cmocka_unit_test(read_at_once), cmocka_unit_test(spill_lost),
		cmocka_unit_test(traces),       cmocka_unit_test(ranks),
		cmocka_unit_test(captures),     cmocka_unit_test(slices),
		cmocka_unit_test(lines_cut),    cmocka_unit_test(dispatches),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}

#include "netan/cli/commands/ledger.h"
#include "members.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ingest/logs/lines.h"
#include "netan/base/inputs.h"
#include "netan/base/order.h"
#include "netan/base/sha256.h"
#include "netan/base/strtab.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/ledger_file.h"
#include "netan/cli/commands/ledger_line.h"

/* A host that is named now. */
struct known {
	const char *host;
	uint64_t runs;
	char since[32];
	struct na_strtab causes;
};

struct ledger {
	const struct na_ledger_run *run;
	struct na_strtab runs;  /* ids */
	struct na_strtab pairs; /* "id\0host" of hosts named now */
	struct known *known;
	size_t n_known;
	uint64_t lines, damaged;
	char since[32]; /* the first run, as a time */
	bool already;
	/* Lines of this run, and how many it had when they were written: not
	 * all of them may be there. */
	uint64_t own, own_of;
	struct na_ledger_tail tail;
	bool repaired; /* the tail is gone */
};

/* ---- the id of a run */

void na_ledger_id(const char *const *hashes, size_t n, char id[17])
{
	const char **sorted = na_calloc(n + 1, sizeof(*sorted));
	char *all = na_calloc(n + 1, NA_SHA256_HEX);
	char hex[NA_SHA256_HEX] = "";

	if (sorted && all) {
		memcpy(sorted, hashes, n * sizeof(*sorted));
		na_sort(sorted, n, na_order_text);
		for (size_t i = 0; i < n; i++)
			strncat(all, sorted[i], NA_SHA256_HEX - 1);
		na_sha256(all, strlen(all), hex);
	}
	free(sorted);
	free(all);
	memcpy(id, hex, 16);
	id[16] = '\0';
}

enum na_exit na_ledger_check(const struct na_cli *cli)
{
	if (!cli->common.ledger || !cli->common.anonymize)
		return NA_EXIT_OK;
	na_say_error(&cli->request,
		     "--ledger and --anonymize: a ledger has to tell the "
		     "hosts of different runs apart by their names");
	return NA_EXIT_USAGE;
}

/* ---- what is known */

static void earlier(char since[32], const char *when)
{
	if (strlen(when) < 32 && (!since[0] || strcmp(when, since) < 0))
		strcpy(since, when);
}

static struct known *find_known(const struct ledger *l, const char *host)
{
	for (size_t i = 0; i < l->n_known; i++) {
		if (strcmp(l->known[i].host, host) == 0)
			return &l->known[i];
	}
	return NULL;
}

/* One more line about a run; the first of a run and host counts. */
static bool count(struct ledger *l, const char *run, const char *when,
		  const char *host, const char *cause)
{
	struct known *k = host ? find_known(l, host) : NULL;
	char both[1100];
	size_t n, before;

	if (na_strtab_add(&l->runs, run, strlen(run)) == NA_NO_NAME)
		return false;
	earlier(l->since, when);
	if (!k)
		return true;
	n = (size_t)snprintf(both, sizeof(both), "%.500s\n%.500s", run, host);
	before = l->pairs.n;
	if (na_strtab_add(&l->pairs, both, n) == NA_NO_NAME)
		return false;
	k->runs += l->pairs.n > before;
	earlier(k->since, when);
	return !cause ||
	       na_strtab_add(&k->causes, cause, strlen(cause)) != NA_NO_NAME;
}

/* Of a line without a number, of an earlier version, the others are there. */
static void count_line_of_run(struct ledger *l, const struct na_ledger_entry *e)
{
	unsigned long long of;

	if (strcmp(e->text[NA_LEDGER_RUN], l->run->id) != 0 ||
	    strcmp(e->text[NA_LEDGER_BY], l->run->by) != 0)
		return;
	of = e->has[NA_LEDGER_LINES]
		     ? strtoull(e->text[NA_LEDGER_LINES], NULL, 10)
		     : 0;
	l->own++;
	l->own_of = of > l->own_of ? of : l->own_of;
	l->already = l->own >= l->own_of;
}

static enum na_status read_all(struct ledger *l, const char *path,
			       struct na_err *err)
{
	struct na_ledger_entry *e = malloc(sizeof(*e));
	struct na_lines *lines = NULL;
	struct na_line line;
	enum na_status st = e ? na_lines_open(&lines, path, err)
			      : na_fail_nomem(err);

	while (st == NA_OK &&
	       (st = na_lines_next(lines, &line, err)) == NA_OK) {
		struct na_text x = na_text_n(line.text, line.n);

		l->lines++;
		if (line.cut || !na_ledger_parse(x, e)) {
			l->damaged += line.n > 0;
			continue;
		}
		count_line_of_run(l, e);
		if (!count(l, e->text[NA_LEDGER_RUN], e->text[NA_LEDGER_WHEN],
			   e->has[NA_LEDGER_HOST] ? e->text[NA_LEDGER_HOST]
						  : NULL,
			   e->has[NA_LEDGER_CAUSE] ? e->text[NA_LEDGER_CAUSE]
						   : NULL))
			st = na_fail_nomem(err);
	}
	na_lines_close(lines);
	free(e);
	return st == NA_END ? NA_OK : st;
}

/* ---- writing */

/* So that what is built from the same sources is the same, the clock can be
 * set from outside (reproducible-builds.org). */
static int64_t now_s(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	char *end;
	long long v = fixed ? strtoll(fixed, &end, 10) : 0;

	return fixed && *fixed && !*end && v >= 0 && v < INT64_C(9000000000)
		       ? v
		       : (int64_t)time(NULL);
}

static void print_when(const struct na_ledger_run *run, char buf[32])
{
	char utc[NA_UNIT_BUF];
	int64_t ns = run->when_ns == INT64_MIN ? now_s() * 1000000000
					       : run->when_ns;

	na_print_utc(utc, ns);
	utc[10] = 'T';
	memcpy(buf, utc, 19);
	memcpy(buf + 19, "Z", 2);
}

static enum na_status append_run(int fd, const struct ledger *l, uint64_t at,
				 const char *path, struct na_err *err)
{
	const struct na_ledger_run *run = l->run;
	char when[32], *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return na_fail_nomem(err);
	print_when(run, when);
	if (l->tail.n && !l->repaired)
		fputc('\n', out);
	for (size_t i = 0; i < run->n; i++)
		na_ledger_put(out, run, when, &run->suspects[i]);
	if (!run->n)
		na_ledger_put(out, run, when, NULL);
	if (fclose(out) != 0) {
		free(text);
		return na_fail_nomem(err);
	}
	na_in_err(na_ledger_append(fd, at, text, n, path, err));
	free(text);
	return err->status;
}

/* ---- what a person and a program see */

static void put_causes(struct na_result *r, struct na_value *row,
		       const struct na_strtab *t)
{
	struct na_value *list = na_put_list(r, row, M_causes);

	for (uint32_t i = 0; i < t->n; i++)
		na_put_text(r, list, NULL, na_strtab_at(t, i));
}

static void put_known(const struct ledger *l, const char *path,
		      struct na_result *r)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_host, "host", NA_F_TEXT, 0, 0},
		{M_runs, "named in", NA_F_COUNT, 0, 0},
		{M_of, "of runs", NA_F_COUNT, 0, 0},
		{M_since, "since", NA_F_TEXT, 0, 0},
		{M_causes, "causes", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	struct na_value *in = na_put_object(r, na_result_body(r), M_ledger);
	struct na_value *list, *row;

	na_put_text(r, in, M_path, path);
	na_put_int(r, in, M_runs, (int64_t)l->runs.n);
	na_put_text(r, in, M_since, l->since[0] ? l->since : NULL);
	na_put_bool(r, in, M_noted, !l->already);
	na_put_int(r, in, M_damaged_lines, (int64_t)l->damaged);
	list = na_put_list(r, in, M_hosts);
	for (size_t i = 0; i < l->n_known; i++) {
		const struct known *k = &l->known[i];

		row = na_put_object(r, list, NULL);
		na_put_text(r, row, M_host, k->host);
		na_put_int(r, row, M_runs, (int64_t)k->runs);
		na_put_int(r, row, M_of, (int64_t)l->runs.n);
		na_put_textf(r, row, M_since, "%.10s", k->since);
		put_causes(r, row, &k->causes);
	}
	if (l->n_known)
		na_result_view(r, "What the ledger knows of these hosts", list,
			       NULL, cols, NA_LEN(cols), 20);
	for (size_t i = 0; i < l->n_known && i < 5; i++) {
		const struct known *k = &l->known[i];

		if (k->runs > 1)
			na_result_note(r,
				       "%.200s: named in %" PRIu64
				       " of %zu runs since %.10s",
				       k->host, k->runs, l->runs.n, k->since);
	}
	if (l->already)
		na_result_note(r, "this run is in the ledger already: nothing "
				  "was added");
	if (l->repaired)
		na_result_note(r,
			       "the last line of the ledger was not whole (a "
			       "full disk, or a crash): its %" PRIu64
			       " bytes were removed",
			       l->tail.n);
	if (l->damaged)
		na_result_note(r,
			       "lines of the ledger that cannot be read, and "
			       "were left alone: %" PRIu64,
			       l->damaged);
}

/* ---- all of it */

static bool name_known(struct ledger *l)
{
	const struct na_ledger_run *run = l->run;

	l->known = na_calloc(2 * run->n + 1, sizeof(*l->known));
	for (size_t i = 0; l->known && i < 2 * run->n; i++) {
		const struct na_suspect *s = &run->suspects[i / 2];
		const char *host = i & 1 ? s->peer : s->host;

		if (!host || find_known(l, host))
			continue;
		l->known[l->n_known++].host = host;
	}
	return l->known != NULL;
}

/* A ledger of a run: counted as if it had been read back. */
static bool count_own(struct ledger *l)
{
	const struct na_ledger_run *run = l->run;
	char when[32];

	print_when(run, when);
	if (!run->n && !count(l, run->id, when, NULL, NULL))
		return false;
	for (size_t i = 0; i < run->n; i++) {
		const struct na_suspect *s = &run->suspects[i];

		if (!count(l, run->id, when, s->host, s->cause))
			return false;
	}
	return true;
}

/* Who made it has taken it away again, and another one is there or can be. */
static bool is_gone(const char *path, const struct stat *info)
{
	struct stat now;

	return !info->st_nlink &&
	       (stat(path, &now) != 0 || now.st_dev != info->st_dev ||
		now.st_ino != info->st_ino);
}

static enum na_status note(struct ledger *l, int fd, const char *path,
			   struct na_err *err)
{
	struct stat info;
	uint64_t at;

	if (flock(fd, LOCK_EX) != 0 || fstat(fd, &info) != 0)
		return na_fail(err, NA_EIO, "--ledger %s: %s", path,
			       strerror(errno));
	if (is_gone(path, &info))
		return NA_END;
	if (na_inputs_hold(&info))
		return na_fail(err, NA_EUSAGE,
			       "--ledger %s: this file is also an input; name "
			       "another one",
			       path);
	if (!S_ISREG(info.st_mode))
		return na_fail(err, NA_EIO, "--ledger %s: not a regular file",
			       path);
	at = (uint64_t)info.st_size;
	if (na_ledger_tail(fd, at, path, &l->tail, err) != NA_OK ||
	    read_all(l, path, err) != NA_OK)
		return err->status;
	if (l->tail.ours) {
		at -= l->tail.n;
		if (na_ledger_cut(fd, at, path, err) != NA_OK)
			return err->status;
		l->repaired = true;
		l->damaged -= l->damaged > 0;
	}
	if (l->already)
		return NA_OK;
	/* The name of another file, by mistake. */
	if (l->damaged && !l->runs.n)
		return na_fail(err, NA_EIO,
			       "--ledger %s: no ledger: none of its lines says "
			       "what a run named; name another file, or a new "
			       "one",
			       path);
	if (!count_own(l))
		return na_fail_nomem(err);
	return append_run(fd, l, at, path, err);
}

/* One that this run has made, and that holds nothing, does not stay; nobody
 * else has it locked. */
static void drop_new(int fd, const char *path)
{
	struct stat info;
	char *real = realpath(path, NULL);

	if (real && fstat(fd, &info) == 0 && !info.st_size)
		unlink(real);
	free(real);
}

static int open_ledger(const char *path, bool *made)
{
	const int how = O_RDWR | O_APPEND | O_CLOEXEC;
	int fd = open(path, how);

	*made = fd < 0 && errno == ENOENT;
	return *made ? open(path, how | O_CREAT, 0666) : fd;
}

static enum na_status note_in(struct ledger *l, const char *path,
			      struct na_err *err)
{
	enum na_status st;
	bool made;
	int fd;

	do {
		fd = open_ledger(path, &made);
		if (fd < 0)
			return na_fail(err, NA_EIO, "--ledger %s: %s", path,
				       strerror(errno));
		st = note(l, fd, path, err);
		if (made && st < NA_OK)
			drop_new(fd, path);
		close(fd);
	} while (st == NA_END);
	return st;
}

enum na_status na_ledger_note(const struct na_cli *cli,
			      const struct na_ledger_run *run,
			      struct na_result *r, struct na_err *err)
{
	struct ledger l = {.run = run};
	const char *path = cli->common.ledger;
	enum na_status st;

	if (!na_world_speaks(cli->request.world))
		return NA_OK;
	st = name_known(&l) ? note_in(&l, path, err) : na_fail_nomem(err);
	if (st == NA_OK)
		put_known(&l, path, r);
	for (size_t i = 0; i < l.n_known; i++)
		na_strtab_fini(&l.known[i].causes);
	free(l.known);
	na_strtab_fini(&l.runs);
	na_strtab_fini(&l.pairs);
	return st;
}

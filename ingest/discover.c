#include "ingest/discover.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/recorder/recorder.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

/* clang-format off */
static const char *const endings[] = {
	".xplane.pb", ".xplane.pb.gz", ".xplane.pb.zst", ".xplane.pb.zstd",
};
/* clang-format on */

/* Of the ranks of a GPU job, where their names do not say so themselves. */
static const char *const rank_endings[] = {".trace.json", ".sqlite"};
static const char *const rank_words[] = {"rank", "worker"};

/* What captures and transfer files are called, also packed; netan itself
 * goes by their content. */
/* clang-format off */
static const char *const other_endings[] = {".pcap", ".pcapng", ".cap",
					    ".netan"};
static const char transfer_file[] = ".netan";
static const char *const packings[] = {"", ".gz", ".zst", ".zstd"};
/* clang-format on */

/* Does s[n] end so, behind something?  How long the ending is, or 0. */
static size_t ends(const char *s, size_t n, const char *ending)
{
	size_t e = strlen(ending);

	return n > e && memcmp(s + n - e, ending, e) == 0 ? e : 0;
}

static size_t trace_ending(const char *name)
{
	size_t n = strlen(name), e = 0;

	for (size_t i = 0; !e && i < sizeof(endings) / sizeof(endings[0]); i++)
		e = ends(name, n, endings[i]);
	return e;
}

static size_t other_ending(const char *name)
{
	size_t n = strlen(name);

	for (size_t k = 0; k < sizeof(packings) / sizeof(packings[0]); k++) {
		size_t pack = *packings[k] ? ends(name, n, packings[k]) : 0;

		if (*packings[k] && !pack)
			continue;
		for (size_t i = 0;
		     i < sizeof(other_endings) / sizeof(other_endings[0]);
		     i++) {
			size_t e = ends(name, n - pack, other_endings[i]);

			if (e)
				return e + pack;
		}
	}
	return 0;
}

/* Length of a name without what tells of its packing. */
static size_t unpacked(const char *name)
{
	size_t n = strlen(name);

	for (size_t k = 1; k < sizeof(packings) / sizeof(packings[0]); k++) {
		size_t e = ends(name, n, packings[k]);

		if (e)
			return n - e;
	}
	return n;
}

/* How many digits s[n] ends with. */
static size_t digits_behind(const char *s, size_t n)
{
	size_t digits = 0;

	while (digits < n && s[n - 1 - digits] >= '0' &&
	       s[n - 1 - digits] <= '9')
		digits++;
	return digits;
}

/* NCCL Inspector: host-pid4711.log */
static bool is_inspector_log(const char *name, size_t n)
{
	size_t digits, e = ends(name, n, ".log");

	e = e ? e : ends(name, n, ".jsonl");
	n -= e;
	digits = digits_behind(name, n);
	return e && digits && ends(name, n - digits, "-pid");
}

/* CoMMA: latency-4711.txt; NCCL's example plugin: NAME_COMMHASH_RANK.json */
static bool is_plugin_file(const char *name, size_t n)
{
	size_t digits, e = ends(name, n, ".txt");

	if (e) {
		n -= e;
		digits = digits_behind(name, n);
		return digits && n - digits == strlen("latency-") &&
		       memcmp(name, "latency-", n - digits) == 0;
	}
	n -= ends(name, n, ".json");
	digits = digits_behind(name, n);
	if (!digits || digits + 1 > n || name[n - digits - 1] != '_')
		return false;
	n -= digits + 1;
	/* A hash of 64 bits; a date has eight digits. */
	digits = digits_behind(name, n);
	return digits > 14 && digits < n && name[n - digits - 1] == '_';
}

/* worker3.1694128201545.pt.trace.json, trace_rank-3.json.gz */
static bool is_rank_file(const char *name)
{
	char base[256];
	size_t n = unpacked(name);

	for (size_t i = 0; i < NA_LEN(rank_endings); i++) {
		if (ends(name, n, rank_endings[i]))
			return true;
	}
	if (is_inspector_log(name, n) || is_plugin_file(name, n))
		return true;
	if (!ends(name, n, ".json") || n >= sizeof(base))
		return false;
	memcpy(base, name, n);
	base[n] = '\0';
	for (size_t i = 0; i < NA_LEN(rank_words); i++) {
		if (strstr(base, rank_words[i]))
			return true;
	}
	return false;
}

static bool is_directory(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
}

/* Names in a directory that `wanted` accepts, sorted; dot files are not. */
static enum na_status list(const char *dir,
			   bool (*wanted)(const char *dir, const char *name),
			   struct na_arena *a, struct na_found *out,
			   struct na_err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	enum na_status st = NA_OK;

	if (!d)
		return na_fail(err, NA_EIO, "%s: %s", dir, strerror(errno));
	while (st == NA_OK && (e = readdir(d))) {
		if (e->d_name[0] == '.' || !wanted(dir, e->d_name))
			continue;
		if (!na_grow(&out->paths, &out->cap, out->n + 1,
			     sizeof(*out->paths)) ||
		    !(out->paths[out->n] = na_arena_path(a, dir, e->d_name)))
			st = na_fail_nomem(err);
		else
			out->n++;
	}
	closedir(d);
	na_sort(out->paths, out->n, na_order_text);
	return st;
}

static bool wants_trace(const char *dir, const char *name)
{
	(void)dir;
	return trace_ending(name) > 0;
}

static bool wants_other(const char *dir, const char *name)
{
	(void)dir;
	return other_ending(name) > 0;
}

/* Dumps of recorders are called as the user likes, but end in the rank. */
static bool is_dump(const char *dir, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return na_recorder_rank(name) >= 0 && n > 0 &&
	       (size_t)n < sizeof(path) && na_recorder_is(path);
}

static bool wants_rank(const char *dir, const char *name)
{
	return is_rank_file(name) || is_dump(dir, name);
}

static bool wants_run(const char *dir, const char *name)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && (size_t)n < sizeof(path) && is_directory(path);
}

/* "2026_11_20_21_28_00": such names sort by time. */
static bool dated(const char *path)
{
	const char *s = strrchr(path, '/');
	int y, mo, d, h, mi, sec;

	return s && sscanf(s + 1, "%4d_%2d_%2d_%2d_%2d_%2d", &y, &mo, &d, &h,
			   &mi, &sec) == 6;
}

static long long changed(const char *path)
{
	struct stat sb;

	if (stat(path, &sb) < 0)
		return 0;
	return (long long)sb.st_mtim.tv_sec * 1000000000LL + sb.st_mtim.tv_nsec;
}

/* Newest first: by date where all runs are dated, else by time of change. */
static int newer_date(const void *a, const void *b)
{
	return na_order_text(b, a);
}

static int newer_change(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	long long cx = changed(*x), cy = changed(*y);

	return cx != cy ? (cx > cy ? -1 : 1) : newer_date(a, b);
}

static void newest_first(struct na_found *runs)
{
	bool all_dated = true;

	for (size_t i = 0; i < runs->n; i++)
		all_dated = all_dated && dated(runs->paths[i]);
	na_sort(runs->paths, runs->n, all_dated ? newer_date : newer_change);
}

/* host.xplane.pb beside host.xplane.pb.gz is one trace, not two. */
static void drop_packed_twins(struct na_found *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		const char *path = f->paths[i];
		const char *before = kept ? f->paths[kept - 1] : NULL;
		size_t n = unpacked(path);

		if (before && unpacked(before) == n &&
		    memcmp(before, path, n) == 0)
			continue; /* sorted: the plain one came first */
		f->paths[kept++] = path;
	}
	f->n = kept;
}

/* The newest run that holds traces. */
static enum na_status in_run(const char *profile, struct na_arena *a,
			     struct na_found *out, struct na_err *err)
{
	struct na_found runs = {.paths = NULL};
	enum na_status st = list(profile, wants_run, a, &runs, err);
	char text[4400];

	newest_first(&runs);
	for (size_t i = 0; st == NA_OK && i < runs.n && !out->n; i++) {
		st = list(runs.paths[i], wants_trace, a, out, err);
		if (st != NA_OK || !out->n || runs.n == 1)
			continue;
		out->named = strrchr(runs.paths[i], '/') + 1;
		snprintf(text, sizeof(text),
			 "%zu runs below %s: the newest%s, "
			 "%s, is read; name another to read it",
			 runs.n, profile, i ? " with traces" : "", out->named);
		out->note = na_arena_strn(a, text, strlen(text));
	}
	free(runs.paths);
	return st;
}

/* A directory of its own: links may lead in circles. */
static bool wants_below(const char *dir, const char *name)
{
	char path[4096];
	struct stat sb;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n > 0 && (size_t)n < sizeof(path) && lstat(path, &sb) == 0 &&
	       S_ISDIR(sb.st_mode);
}

/* What is taken of each directory; how many more of these are looked into, and
 * whether there were more. */
struct below {
	enum na_status (*add)(const char *dir, struct na_arena *a,
			      struct na_found *out);
	size_t left;
	bool more;
};

/* Files of ranks in one directory.  What cannot be opened is passed over. */
static enum na_status add_wanted(const char *dir,
				 bool (*wanted)(const char *dir,
						const char *name),
				 struct na_arena *a, struct na_found *out)
{
	struct na_found files = {.paths = NULL};
	struct na_err unreadable = {.status = NA_OK};
	enum na_status st = list(dir, wanted, a, &files, &unreadable);

	st = st == NA_EIO ? NA_OK : st;
	drop_packed_twins(&files);
	if (st == NA_OK && files.n &&
	    !na_grow(&out->paths, &out->cap, out->n + files.n,
		     sizeof(*out->paths)))
		st = NA_ENOMEM;
	for (size_t k = 0; st == NA_OK && k < files.n; k++)
		out->paths[out->n++] = files.paths[k];
	free(files.paths);
	return st;
}

static enum na_status add_files(const char *dir, struct na_arena *a,
				struct na_found *out)
{
	return add_wanted(dir, wants_rank, a, out);
}

static enum na_status add_others(const char *dir, struct na_arena *a,
				 struct na_found *out)
{
	return add_wanted(dir, wants_other, a, out);
}

/* The directory itself, where it holds traces. */
static enum na_status add_run(const char *dir, struct na_arena *a,
			      struct na_found *out)
{
	struct na_found traces = {.paths = NULL};
	struct na_err unreadable = {.status = NA_OK};
	enum na_status st = list(dir, wants_trace, a, &traces, &unreadable);

	st = st == NA_EIO ? NA_OK : st;
	if (st == NA_OK && traces.n &&
	    !na_grow(&out->paths, &out->cap, out->n + 1, sizeof(*out->paths)))
		st = NA_ENOMEM;
	if (st == NA_OK && traces.n)
		out->paths[out->n++] = dir;
	free(traces.paths);
	return st;
}

static enum na_status look_below(const char *path, int depth, struct below *b,
				 struct na_arena *a, struct na_found *out)
{
	struct na_found dirs = {.paths = NULL};
	struct na_err unreadable = {.status = NA_OK};
	enum na_status st = list(path, wants_below, a, &dirs, &unreadable);

	st = st == NA_EIO ? NA_OK : st;
	for (size_t i = 0; st == NA_OK && i < dirs.n; i++) {
		b->more |= !b->left;
		if (!b->left)
			break;
		b->left--;
		st = b->add(dirs.paths[i], a, out);
		if (st == NA_OK && depth > 1)
			st = look_below(dirs.paths[i], depth - 1, b, a, out);
	}
	free(dirs.paths);
	return st;
}

static enum na_status in_job(const char *path, struct na_arena *a,
			     struct na_found *out, struct na_err *err)
{
	struct below b = {add_files, NA_DISCOVER_BELOW, false};
	enum na_status st = look_below(path, NA_DISCOVER_DEPTH, &b, a, out);
	char text[4400];

	if (st == NA_ENOMEM)
		return na_fail_nomem(err);
	if (!out->n)
		return NA_OK;
	snprintf(text, sizeof(text),
		 "%s holds no traces itself: %zu file%s of the directories "
		 "below it (%d deep) %s read%s",
		 path, out->n, na_plural(out->n), (int)NA_DISCOVER_DEPTH,
		 out->n == 1 ? "is" : "are",
		 b.more ? "; there are more directories than are looked "
			  "into"
			: "");
	out->note = na_arena_strn(a, text, strlen(text));
	return NA_OK;
}

/* Runs below a directory that is read itself, newest first. */
static enum na_status runs_below(const char *path, struct na_arena *a,
				 struct na_found *runs, struct na_err *err)
{
	struct below b = {add_run, NA_DISCOVER_BELOW, false};
	enum na_status st = look_below(path, NA_DISCOVER_DEPTH, &b, a, runs);

	newest_first(runs);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

/* What of a path is below a directory. */
static const char *below_of(const char *dir, const char *path)
{
	path += strlen(dir);
	return path + strspn(path, "/");
}

/* Traces of the one run below; which of several is meant nobody knows. */
static enum na_status in_one_run(const char *path, struct na_arena *a,
				 struct na_found *out, struct na_err *err)
{
	struct na_found runs = {.paths = NULL};
	enum na_status st = runs_below(path, a, &runs, err);
	char text[9000];

	if (st == NA_OK && runs.n > 1)
		st = na_fail(err, NA_EIO,
			     "%s: %zu directories below it hold traces, each "
			     "of a run: name one of them",
			     path, runs.n);
	if (st == NA_OK && runs.n)
		st = list(runs.paths[0], wants_trace, a, out, err);
	drop_packed_twins(out);
	if (st == NA_OK && out->n) {
		out->named = below_of(path, runs.paths[0]);
		snprintf(text, sizeof(text),
			 "%s holds no traces itself: %zu trace%s of %s below "
			 "it %s read",
			 path, out->n, na_plural(out->n), out->named,
			 out->n == 1 ? "is" : "are");
		out->note = na_arena_strn(a, text, strlen(text));
	}
	free(runs.paths);
	return st;
}

static enum na_status keep_note(struct na_str *t, struct na_arena *a,
				struct na_found *out, struct na_err *err)
{
	out->note = na_str_keep(t, a);
	return out->note ? NA_OK : na_fail_nomem(err);
}

/* "such as DIR/RUN" of them: what a user types. */
static void say_runs(struct na_str *t, const char *path,
		     const struct na_found *runs, const char *noun,
		     struct na_found *out)
{
	const char *newest = runs->paths[0];

	out->named = below_of(path, newest);
	na_str_addf(t, "%zu %s%s (%s%s) below", runs->n, noun,
		    na_plural(runs->n), runs->n > 1 ? "such as " : "", newest);
}

static void say_others(struct na_str *t, const struct na_found *others,
		       bool such)
{
	na_str_addf(t, "%zu capture%s or transfer file%s", others->n,
		    na_plural(others->n), na_plural(others->n));
	if (such)
		na_str_addf(t, " (such as %s)",
			    strrchr(others->paths[0], '/') + 1);
}

/* Traces and captures in one directory: the traces are the session, and runs
 * below them are others. */
static enum na_status note_others(const char *path, struct na_arena *a,
				  struct na_found *out, struct na_err *err)
{
	struct na_found others = {.paths = NULL}, runs = {.paths = NULL};
	enum na_status st = list(path, wants_other, a, &others, err);
	struct na_str t = {.s = NULL};

	if (st == NA_OK)
		st = runs_below(path, a, &runs, err);
	if (st == NA_OK && others.n) {
		out->named = strrchr(others.paths[0], '/') + 1;
		say_others(&t, &others, !runs.n);
		na_str_addf(&t, " beside%s", runs.n ? " and " : "");
	}
	if (st == NA_OK && runs.n)
		say_runs(&t, path, &runs, "run", out);
	if (t.n)
		na_str_addf(&t, " the traces in %s: not read unless named",
			    path);
	if (t.n || t.failed)
		st = keep_note(&t, a, out, err);
	free(others.paths);
	free(runs.paths);
	return st;
}

/* What a transfer file was made of is not read a second time. */
static bool holds_transfer_file(const struct na_found *others)
{
	for (size_t i = 0; i < others->n; i++) {
		size_t n = unpacked(others->paths[i]);

		if (ends(others->paths[i], n, transfer_file))
			return true;
	}
	return false;
}

/* What of the captures a user types beside a run. */
static void say_typed(struct na_str *t, const char *path,
		      const struct na_found *others)
{
	const char *name = strrchr(others->paths[0], '/') + 1;

	if (others->n == 1)
		na_str_addf(t, "%s", others->paths[0]);
	else
		na_str_addf(t, "%s/*%s", path,
			    name + strlen(name) - other_ending(name));
}

/* Which of several runs the captures are of is not told. */
static void say_left_out(struct na_str *t, const char *path,
			 const struct na_found *others,
			 const struct na_found *runs, const char *noun,
			 struct na_found *out)
{
	say_others(t, others, false);
	na_str_addf(t, " in %s %s read, and ", path,
		    others->n == 1 ? "is" : "are");
	say_runs(t, path, runs, noun, out);
	na_str_addf(t, " it %s not%s: name what belongs together, as in ",
		    runs->n == 1 ? "is" : "are",
		    holds_transfer_file(others)
			    ? ", of which a transfer file may be made"
			    : "");
	say_typed(t, path, others);
	na_str_addf(t, " %s", runs->paths[0]);
}

static void say_joined(struct na_str *t, const char *path,
		       const struct na_found *others, size_t traces)
{
	say_others(t, others, false);
	na_str_addf(t,
		    " in %s and %zu trace%s of the directories below it %s "
		    "read together",
		    path, traces, na_plural(traces),
		    others->n + traces == 1 ? "is" : "are");
}

/* The traces of the one run below, or of all ranks: they are one job. */
static enum na_status add_below(const char *path, const struct na_found *runs,
				struct na_arena *a, struct na_found *out,
				struct na_err *err)
{
	struct below b = {add_files, NA_DISCOVER_BELOW, false};
	enum na_status st;

	if (runs->n)
		st = list(runs->paths[0], wants_trace, a, out, err);
	else
		st = look_below(path, NA_DISCOVER_DEPTH, &b, a, out);
	drop_packed_twins(out);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

/* Beside transfer files: runs, else files of ranks. */
static enum na_status leave_out(const char *path, const struct na_found *others,
				struct na_found *runs, struct na_str *t,
				struct na_arena *a, struct na_found *out,
				struct na_err *err)
{
	struct below b = {add_files, NA_DISCOVER_BELOW, false};
	const char *noun = runs->n ? "run" : "trace";
	enum na_status st = NA_OK;

	if (!runs->n)
		st = look_below(path, NA_DISCOVER_DEPTH, &b, a, runs);
	if (st == NA_OK && runs->n)
		say_left_out(t, path, others, runs, noun, out);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

/* Captures with traces below them are of one run where there is one. */
static enum na_status join_below(const char *path, struct na_arena *a,
				 struct na_found *out, struct na_err *err)
{
	struct na_found others = {.paths = NULL}, runs = {.paths = NULL};
	enum na_status st = list(path, wants_other, a, &others, err);
	struct na_str t = {.s = NULL};
	size_t own = out->n;

	drop_packed_twins(&others);
	if (st == NA_OK)
		st = runs_below(path, a, &runs, err);
	if (st != NA_OK)
		goto out;
	if (runs.n > 1 || holds_transfer_file(out))
		st = leave_out(path, &others, &runs, &t, a, out, err);
	else
		st = add_below(path, &runs, a, out, err);
	if (st == NA_OK && out->n > own)
		say_joined(&t, path, &others, out->n - own);
	if (st == NA_OK && (t.n || t.failed))
		st = keep_note(&t, a, out, err);
out:
	free(others.paths);
	free(runs.paths);
	return st;
}

/* Captures below, beside traces that are below, too. */
static enum na_status note_below(const char *path, struct na_arena *a,
				 struct na_found *out, struct na_err *err)
{
	struct below b = {add_others, NA_DISCOVER_BELOW, false};
	struct na_found others = {.paths = NULL};
	enum na_status st = look_below(path, NA_DISCOVER_DEPTH, &b, a, &others);
	struct na_str t = {.s = NULL};

	if (st == NA_OK && others.n) {
		if (out->note)
			na_str_addf(&t, "%s; ", out->note);
		say_others(&t, &others, false);
		if (!out->note) {
			out->named = below_of(path, others.paths[0]);
			na_str_addf(&t, " (such as %s)", others.paths[0]);
		}
		na_str_addf(&t, " below %s: not read unless named", path);
		st = keep_note(&t, a, out, err);
	}
	free(others.paths);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

enum na_status na_discover(const char *path, struct na_arena *a,
			   struct na_found *out, struct na_err *err)
{
	size_t n = strlen(path);
	enum na_status st;
	char *below;

	*out = (struct na_found){.paths = NULL};
	if (strcmp(path, "-") == 0 || !is_directory(path)) {
		if (!na_grow(&out->paths, &out->cap, 1, sizeof(*out->paths)))
			return na_fail_nomem(err);
		out->paths[out->n++] = path;
		return NA_OK;
	}
	st = list(path, wants_trace, a, out, err);
	if (st == NA_OK && !out->n) {
		st = list(path, wants_rank, a, out, err);
		drop_packed_twins(out);
	}
	if (st == NA_OK && out->n)
		st = note_others(path, a, out, err);
	if (st != NA_OK || out->n)
		return st;
	st = list(path, wants_other, a, out, err);
	drop_packed_twins(out);
	if (st == NA_OK && out->n)
		st = join_below(path, a, out, err);
	if (st != NA_OK || out->n)
		return st;
	while (n > 1 && path[n - 1] == '/')
		n--;
	below = na_arena_path(a, path, "plugins/profile");
	if (below && !is_directory(below))
		below = na_arena_path(a, path, "profile");
	if (!below)
		return na_fail_nomem(err);
	if (is_directory(below))
		st = in_run(below, a, out, err);
	else if (n >= 7 && strncmp(path + n - 7, "profile", 7) == 0)
		st = in_run(path, a, out, err);
	drop_packed_twins(out);
	if (st == NA_OK && !out->n)
		st = in_job(path, a, out, err);
	if (st == NA_OK && !out->n)
		st = in_one_run(path, a, out, err);
	if (st == NA_OK && out->n)
		st = note_below(path, a, out, err);
	if (st == NA_OK && !out->n)
		st = na_fail(
			err, NA_EIO,
			"%s: no traces in this directory: "
			"expected *.xplane.pb files, or plugins/profile/<run>/ "
			"with such files below it, or *.trace.json, "
			"*rank*.json, latency-*.txt or *.sqlite files of a "
			"GPU job, or "
			"captures (*.pcap, "
			"*.pcapng, *.cap) or *.netan files; dumps of the "
			"flight recorder and logs, for netan check and hang",
			path);
	return st;
}

const char *na_host_of_path(const char *path, struct na_arena *a,
			    bool *from_name)
{
	const char *base = strrchr(path, '/');
	size_t n, e;

	base = base ? base + 1 : path;
	n = strlen(base);
	e = trace_ending(base);
	*from_name = e > 0;
	if (!e)
		e = other_ending(base);
	if (!e) {
		/* trace.pb, trace.pb.gz: what stands before the first dot */
		const char *dot = strchr(base, '.');

		e = dot && dot > base ? n - (size_t)(dot - base) : 0;
	}
	return na_arena_strn(a, base, n - e);
}

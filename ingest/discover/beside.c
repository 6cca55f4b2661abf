/*
 * Captures and transfer files beside the traces of runs, which of them are
 * read together, and what is said of the others.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/discover/parts.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

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

	out->named = na_below_of(path, newest);
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

enum na_status na_note_others(const char *path, struct na_arena *a,
			      struct na_found *out, struct na_err *err)
{
	struct na_found others = {.paths = NULL}, runs = {.paths = NULL};
	enum na_status st =
		na_list_names(path, na_wants_other, a, &others, err);
	struct na_str t = {.s = NULL};

	if (st == NA_OK)
		st = na_runs_below(path, a, &runs, err);
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
		if (na_is_transfer_file(others->paths[i]))
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
			    name + strlen(name) - na_other_ending(name));
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
	enum na_status st;
	bool more;

	if (runs->n)
		st = na_list_names(runs->paths[0], na_wants_trace, a, out, err);
	else
		st = na_look_below(path, na_add_files, a, out, &more, err);
	na_drop_packed_twins(out);
	return st;
}

/* Beside transfer files: runs, else files of ranks. */
static enum na_status leave_out(const char *path, const struct na_found *others,
				struct na_found *runs, struct na_str *t,
				struct na_arena *a, struct na_found *out,
				struct na_err *err)
{
	const char *noun = runs->n ? "run" : "trace";
	enum na_status st = NA_OK;
	bool more;

	if (!runs->n)
		st = na_look_below(path, na_add_files, a, runs, &more, err);
	if (st == NA_OK && runs->n)
		say_left_out(t, path, others, runs, noun, out);
	return st;
}

enum na_status na_join_below(const char *path, struct na_arena *a,
			     struct na_found *out, struct na_err *err)
{
	struct na_found others = {.paths = NULL}, runs = {.paths = NULL};
	enum na_status st =
		na_list_names(path, na_wants_other, a, &others, err);
	struct na_str t = {.s = NULL};
	size_t own = out->n;

	na_drop_packed_twins(&others);
	if (st == NA_OK)
		st = na_runs_below(path, a, &runs, err);
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

enum na_status na_note_below(const char *path, struct na_arena *a,
			     struct na_found *out, struct na_err *err)
{
	struct na_found others = {.paths = NULL};
	struct na_str t = {.s = NULL};
	bool more;
	enum na_status st =
		na_look_below(path, na_add_others, a, &others, &more, err);

	if (st == NA_OK && others.n) {
		if (out->note)
			na_str_addf(&t, "%s; ", out->note);
		say_others(&t, &others, false);
		if (!out->note) {
			out->named = na_below_of(path, others.paths[0]);
			na_str_addf(&t, " (such as %s)", others.paths[0]);
		}
		na_str_addf(&t, " below %s: not read unless named", path);
		st = keep_note(&t, a, out, err);
	}
	free(others.paths);
	return st;
}

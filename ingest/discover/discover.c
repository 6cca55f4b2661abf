#include "ingest/discover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/discover/parts.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

/* The newest run that holds traces. */
static enum na_status in_run(const char *profile, struct na_arena *a,
			     struct na_found *out, struct na_err *err)
{
	struct na_found runs = {.paths = NULL};
	enum na_status st = na_list_names(profile, na_wants_run, a, &runs, err);
	char text[4400];

	na_newest_first(&runs);
	for (size_t i = 0; st == NA_OK && i < runs.n && !out->n; i++) {
		st = na_list_names(runs.paths[i], na_wants_trace, a, out, err);
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

static enum na_status in_job(const char *path, struct na_arena *a,
			     struct na_found *out, struct na_err *err)
{
	bool more;
	enum na_status st =
		na_look_below(path, na_add_files, a, out, &more, err);
	char text[4400];

	if (st != NA_OK || !out->n)
		return st;
	snprintf(text, sizeof(text),
		 "%s holds no traces itself: %zu file%s of the directories "
		 "below it %s read%s",
		 path, out->n, na_plural(out->n), out->n == 1 ? "is" : "are",
		 more ? "; there are more directories than are looked into"
		      : "");
	out->note = na_arena_strn(a, text, strlen(text));
	return NA_OK;
}

/* Traces of the one run below; which of several is meant nobody knows. */
static enum na_status in_one_run(const char *path, struct na_arena *a,
				 struct na_found *out, struct na_err *err)
{
	struct na_found runs = {.paths = NULL};
	enum na_status st = na_runs_below(path, a, &runs, err);
	char text[9000];

	if (st == NA_OK && runs.n > 1)
		st = na_fail(err, NA_EIO,
			     "%s: %zu directories below it hold traces, each "
			     "of a run: name one of them",
			     path, runs.n);
	if (st == NA_OK && runs.n)
		st = na_list_names(runs.paths[0], na_wants_trace, a, out, err);
	na_drop_packed_twins(out);
	if (st == NA_OK && out->n) {
		out->named = na_below_of(path, runs.paths[0]);
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

static enum na_status take_itself(const char *path, struct na_found *out,
				  struct na_err *err)
{
	if (!na_grow(&out->paths, &out->cap, 1, sizeof(*out->paths)))
		return na_fail_nomem(err);
	out->paths[out->n++] = path;
	return NA_OK;
}

/* What the directory holds itself. */
static enum na_status in_itself(const char *path, struct na_arena *a,
				struct na_found *out, struct na_err *err)
{
	enum na_status st = na_list_names(path, na_wants_trace, a, out, err);

	if (st == NA_OK && !out->n) {
		st = na_list_names(path, na_wants_rank, a, out, err);
		na_drop_packed_twins(out);
	}
	if (st == NA_OK && out->n)
		st = na_note_others(path, a, out, err);
	if (st != NA_OK || out->n)
		return st;
	st = na_list_names(path, na_wants_other, a, out, err);
	na_drop_packed_twins(out);
	if (st == NA_OK && out->n)
		st = na_join_below(path, a, out, err);
	return st;
}

/* A log directory, or the profile/ of one. */
static enum na_status in_log(const char *path, struct na_arena *a,
			     struct na_found *out, struct na_err *err)
{
	char *below = na_arena_path(a, path, "plugins/profile");
	enum na_status st = NA_OK;
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (below && !na_is_directory(below))
		below = na_arena_path(a, path, "profile");
	if (!below)
		return na_fail_nomem(err);
	if (na_is_directory(below))
		st = in_run(below, a, out, err);
	else if (n >= 7 && strncmp(path + n - 7, "profile", 7) == 0)
		st = in_run(path, a, out, err);
	na_drop_packed_twins(out);
	return st;
}

static enum na_status hold_none(const char *path, struct na_err *err)
{
	return na_fail(err, NA_EIO,
		       "%s: no traces in this directory: "
		       "expected *.xplane.pb files, or plugins/profile/<run>/ "
		       "with such files below it, or *.trace.json, "
		       "*rank*.json, *_results.json, latency-*.txt or *.sqlite "
		       "files of a GPU job, or captures (*.pcap, *.pcapng, "
		       "*.cap) or *.netan files; dumps of the flight recorder "
		       "and logs, for netan check and hang",
		       path);
}

enum na_status na_discover(const char *path, struct na_arena *a,
			   struct na_found *out, struct na_err *err)
{
	enum na_status st;

	*out = (struct na_found){.paths = NULL};
	if (strcmp(path, "-") == 0 || !na_is_directory(path))
		return take_itself(path, out, err);
	st = in_itself(path, a, out, err);
	if (st != NA_OK || out->n)
		return st;
	st = in_log(path, a, out, err);
	if (st == NA_OK && !out->n)
		st = in_job(path, a, out, err);
	if (st == NA_OK && !out->n)
		st = in_one_run(path, a, out, err);
	if (st != NA_OK)
		return st;
	return out->n ? na_note_below(path, a, out, err) : hold_none(path, err);
}

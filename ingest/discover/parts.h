/*
 * Between the parts of what finds files: what one is by its name (names.c),
 * what directories hold (list.c), what is said of captures beside runs
 * (beside.c), and which of it a user means (discover.c).
 */
#ifndef INGEST_DISCOVER_PARTS_H
#define INGEST_DISCOVER_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "ingest/discover.h"

/* names.c: how long the ending is that makes a trace of a name, or a capture or
 * transfer file, packing and all; 0: it is none. */
size_t na_trace_ending(const char *name);
size_t na_other_ending(const char *name);
/* Where in a name begins what tells of its packing; its end. */
size_t na_packed_from(const char *name);
bool na_is_transfer_file(const char *name);
/* Of the ranks of a GPU job. */
bool na_is_rank_file(const char *name);

/* list.c */
bool na_is_directory(const char *path);
/* What is wanted of a directory: traces; captures and transfer files; files of
 * ranks; directories. */
bool na_wants_trace(const char *dir, const char *name);
bool na_wants_other(const char *dir, const char *name);
bool na_wants_rank(const char *dir, const char *name);
bool na_wants_run(const char *dir, const char *name);
/* Adds the paths of it, and sorts all; those with a dot in front are not.
 * NA_EIO: it cannot be read; NA_ENOMEM. */
enum na_status na_list_names(const char *dir,
			     bool (*wanted)(const char *dir, const char *name),
			     struct na_arena *a, struct na_found *out,
			     struct na_err *err) NA_MUST_CHECK;
/* host.xplane.pb beside host.xplane.pb.gz is one trace, not two. */
void na_drop_packed_twins(struct na_found *f);
/* By date where all runs are dated, else by time of change. */
void na_newest_first(struct na_found *runs);
/* Of one directory, files of ranks; captures and transfer files.  What cannot
 * be opened is passed over.  NA_ENOMEM alone. */
enum na_status na_add_files(const char *dir, struct na_arena *a,
			    struct na_found *out) NA_MUST_CHECK;
enum na_status na_add_others(const char *dir, struct na_arena *a,
			     struct na_found *out) NA_MUST_CHECK;
/* The same of those below it; *more: not all were looked into. */
enum na_status na_look_below(const char *path,
			     enum na_status (*add)(const char *dir,
						   struct na_arena *a,
						   struct na_found *out),
			     struct na_arena *a, struct na_found *out,
			     bool *more, struct na_err *err) NA_MUST_CHECK;
/* Runs below a directory that is read itself, newest first. */
enum na_status na_runs_below(const char *path, struct na_arena *a,
			     struct na_found *runs,
			     struct na_err *err) NA_MUST_CHECK;
/* What of a path is below a directory. */
const char *na_below_of(const char *dir, const char *path);

/* beside.c: traces and captures in one directory: the traces are the session,
 * and runs below them are others. */
enum na_status na_note_others(const char *path, struct na_arena *a,
			      struct na_found *out,
			      struct na_err *err) NA_MUST_CHECK;
/* Captures with traces below them are of one run where there is one. */
enum na_status na_join_below(const char *path, struct na_arena *a,
			     struct na_found *out,
			     struct na_err *err) NA_MUST_CHECK;
/* Captures below, beside traces that are below, too. */
enum na_status na_note_below(const char *path, struct na_arena *a,
			     struct na_found *out,
			     struct na_err *err) NA_MUST_CHECK;

#endif

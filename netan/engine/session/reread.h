/*
 * Once more through an input, for a few records that were not kept.  The
 * bytes are still open (also those of a pipe), so that only the reading is
 * done again.
 */
#ifndef NETAN_ENGINE_SESSION_REREAD_H
#define NETAN_ENGINE_SESSION_REREAD_H

#include "netan/engine/session/session.h"

/* Opened a second time over the same bytes, for enum na_want bits; to be
 * closed before `first` is. */
enum na_status na_reread_open(struct na_input *in, const struct na_input *first,
			      uint32_t wants, uint32_t segments_of,
			      struct na_err *err) NA_MUST_CHECK;

/* Files that another process read, opened here by their paths. */
struct na_reopened {
	struct na_input *v; /* room is the caller's: one for each call */
	size_t n;
};

/* The same of an input that is away: its file goes to the end of `files`
 * unless it is the last one there.  NA_EIO: it is not here, or is another
 * file by now. */
enum na_status na_reread_away(struct na_reopened *files, struct na_input *in,
			      const struct na_input *first,
			      const struct na_input_asks *asks, uint32_t wants,
			      struct na_err *err) NA_MUST_CHECK;
/* After what was opened over them. */
void na_reopened_close(struct na_reopened *files);

/* na_session_actions() of s->inputs[from] to before `to`, in this process. */
enum na_status na_range_actions(struct na_session *s, size_t from, size_t to,
				const struct na_execution *of, size_t n,
				na_each_action each, void *arg,
				struct na_err *err) NA_MUST_CHECK;

/* Passes over every record, name and remark: the first reading has told of
 * all that is left out or damaged. */
struct na_sink na_ignoring_sink(void *ctx);

#endif

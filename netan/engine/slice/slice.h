/*
 * Slices of inputs: which window is meant, what else commands look at, and
 * each file cut by its reader (ingest/slice.h).
 *
 *	na_slicer_open, na_slicer_cut for any input, na_slicer_close
 */
#ifndef NETAN_ENGINE_SLICE_SLICE_H
#define NETAN_ENGINE_SLICE_SLICE_H

#include "ingest/slice.h"
#include "netan/engine/session/session.h"
#include "netan/engine/slice/keep.h"

struct na_slicer {
	struct na_session session;
	struct na_slice of;
	bool lost; /* see na_slicer_cut() */
	bool drops_programs; /* an input had HLO modules, and its slice none */
};

struct na_slicing {
	bool no_programs;    /* as in na_slice */
	bool no_connections; /* captures: packets of the window alone */
};
/* Opens the inputs of q and finds the window of its --from, --to and --step,
 * and what meets it.  Says what is wrong itself, as na_session_open(); to be
 * closed whatever comes back. */
enum na_status na_slicer_open(struct na_slicer *z, const struct na_request *q,
			      const struct na_slicing *how) NA_MUST_CHECK;
void na_slicer_close(struct na_slicer *z);

/* Are slices of captures without what connections were before the window? */
bool na_slicer_loses(const struct na_slicer *z);
/* Are there traces of hosts that nobody asked for, which tell of the others? */
bool na_slicer_parts(const struct na_slicer *z);
/* Of captures, are packets asked for by whose they are, or by --filter? */
bool na_slicer_picks(const struct na_slicer *z);
/* Of the inputs of z->session: the first of its file, and of a host that is
 * asked for? */
bool na_slicer_takes(const struct na_slicer *z, size_t input);
/* Of a host that is asked for? */
bool na_slicer_asked(const struct na_slicer *z, size_t input);
/* What the slice of a transfer file says of itself (na_slice.said), in the
 * arena; NULL: no memory. */
const char *na_slicer_says(struct na_slicer *z, size_t input,
			   struct na_arena *a);
/* The slice of one, in pieces, to `put`.  NA_EUSAGE: such files are not cut,
 * and err says what to do; else as na_reader.slice.  Damage is a warning of the
 * session's input.  z->lost: bytes were lost under it (somebody truncates the
 * file), so that what was put is of no use, whatever comes back: cut anew, it
 * is the slice of what is left. */
enum na_status na_slicer_cut(struct na_slicer *z, size_t input,
			     enum na_status (*put)(void *ctx, const void *p,
						   size_t n,
						   struct na_err *err),
			     void *ctx, struct na_slice_counts *counts,
			     struct na_err *err) NA_MUST_CHECK;
/* --anonymize: which names and addresses are in it, for all inputs before the
 * first is cut.  NA_END: interrupted. */
enum na_status na_slicer_learn(struct na_slicer *z, size_t input,
			       struct na_err *err) NA_MUST_CHECK;

#endif

/*
 * A window cut out of an XSpace: what the files cut*.c share.
 *
 * A plane is walked twice.  The first time finds which bytes of it stay, as
 * ranges of the file, and which names of the maps their events use; the second
 * writes the ranges with the lengths that they have now.  Nothing is decoded
 * and encoded anew, so that what nobody knows stays as it is.
 *
 * The origin of a file is the smallest stamp of a line with events, so a plane
 * of its own keeps that: one line, called like the host, with one event, called
 * like what was asked for, and the stamp of the origin.
 */
#ifndef INGEST_XSPACE_CUT_H
#define INGEST_XSPACE_CUT_H

#include "ingest/slice.h"
#include "ingest/transfer_file/bytes.h"
#include "ingest/xspace/xspace.h"
#include "netan/base/strtab.h"

/* The plane that says so; one that is there already is not kept. */
extern const char na_xs_cut_plane[];

/* What a field of a plane, or of one of its lines, is. */
enum na_xs_part {
	XS_PART_EVENT,
	XS_PART_LINE,  /* any other of a line */
	XS_PART_TYPE,  /* an entry of event_metadata */
	XS_PART_STAT,  /* of stat_metadata */
	XS_PART_PLANE, /* any other of a plane */
};

/* For --anonymize: texts, and what stands for them; bytes that are made. */
struct na_xs_hidden {
	struct na_strtab seen, shown;
	NA_VEC(uint32_t) as; /* by index in seen */
	struct na_xf_bytes out, inner, entry;
	char *inflated;
};

/* Of the file, or of what was made of it. */
struct na_xs_range {
	const uint8_t *p;
	size_t n;
};

struct na_xs_cut {
	struct na_input *in;
	const struct na_slice *of;
	struct na_slice_counts *counts;
	struct na_err *err;
	/* Of the plane that is cut. */
	const struct na_xs_plane *plane;
	NA_VEC(struct na_xs_range) ranges;
	size_t bytes; /* in them */
	struct na_arena made;
	struct na_idmap types, stats; /* ids that are used */
	int64_t step_stat;            /* id of step_num */
	bool has_step_stat;
	struct na_xs_hidden hidden;
};

/* False, all of them: no memory.
 *
 * Bytes of the file; those behind the last ones become one range with them. */
bool na_xs_cut_keep(struct na_xs_cut *c, const uint8_t *p,
		    size_t n) NA_MUST_CHECK;
/* Tag and length of a field into the range that was left empty for them. */
bool na_xs_cut_head(struct na_xs_cut *c, size_t range, uint32_t field,
		    uint64_t length) NA_MUST_CHECK;

/* cut_events.c: what is left of a line, with its tag, to the ranges; ids that
 * its events use are noted. */
enum na_status na_xs_cut_line(struct na_xs_cut *c,
			      const struct na_xs_line *l) NA_MUST_CHECK;
/* The ids of an XStat. */
bool na_xs_cut_note_stat(struct na_xs_cut *c,
			 struct na_cursor stat) NA_MUST_CHECK;
/* cut_names.c: a field that begins at `from`, to the ranges as it may be
 * shown; does anybody read this XStat? */
bool na_xs_cut_hide(struct na_xs_cut *c, enum na_xs_part part,
		    const struct na_field *f, const uint8_t *from,
		    size_t n) NA_MUST_CHECK;
bool na_xs_cut_knows_stat(const struct na_xs_cut *c, struct na_cursor stat);
void na_xs_hidden_fini(struct na_xs_hidden *h);
/* The field as it is; under --anonymize, as it may be shown. */
static inline bool na_xs_cut_field(struct na_xs_cut *c, enum na_xs_part part,
				   const struct na_field *f,
				   const uint8_t *from, size_t n)
{
	return c->of->names ? na_xs_cut_hide(c, part, f, from, n)
			    : na_xs_cut_keep(c, from, n);
}
bool na_xs_cut_note(struct na_idmap *m, int64_t id) NA_MUST_CHECK;

#endif

/*
 * Building one host's XSpace.  A plane is put together in memory, lines
 * first and the names it used last, and written when it is complete.
 *
 *	na_plane_start(&p, trace, 3, "/device:TPU:0");
 *	na_stat_int(&p, stat_id, 1);
 *	na_plane_line(&p, 1, "XLA Ops", 0);
 *	na_plane_event(&p, name_id, start_ps, dur_ps);
 *	na_stat_int(&p, stat_id, 7);
 *	na_plane_event_end(&p);
 *	na_plane_line_end(&p);
 *	st = na_plane_finish(&p, err);
 *
 * Event times are in the time base of the file; memory failures show at
 * na_plane_finish().
 */
#ifndef NETAN_SYNTH_XSPACE_TRACE_H
#define NETAN_SYNTH_XSPACE_TRACE_H

#include "netan/base/strtab.h"
#include "netan/base/wire_out.h"
#include "netan/synth/job/truth.h"
#include "netan/synth/out_file.h"

struct na_trace {
	struct na_out_file *out;
	struct na_truth_host *truth;
};

struct na_plane {
	struct na_trace *trace;
	struct na_wire body, names, stats;   /* lines, metadata, constants */
	struct na_strtab events, stat_names; /* id = index + 1 */
	size_t line_at, event_at, define_at;
	int64_t line_ns;
	uint64_t line_events;
	struct na_wire *stats_to; /* one of the above, as this field */
	unsigned stats_field;
};

void na_plane_start(struct na_plane *p, struct na_trace *trace, int64_t id,
		    const char *name);
/* Writes the plane and frees it. */
NA_MUST_CHECK enum na_status na_plane_finish(struct na_plane *p,
					     struct na_err *err);

/* The plane that tells the wall clock, of what ends then. */
NA_MUST_CHECK enum na_status na_plane_clock(struct na_trace *t, int64_t last_ps,
					    struct na_err *err);

void na_plane_line(struct na_plane *p, int64_t id, const char *name,
		   int64_t timestamp_ns);
void na_plane_line_end(struct na_plane *p);

/* The id of an event or stat name, added when new. */
int64_t na_plane_name(struct na_plane *p, const char *name);
int64_t na_plane_stat(struct na_plane *p, const char *name);

/* A new event name with constants: stats until na_plane_define_end(). */
int64_t na_plane_define(struct na_plane *p, const char *name,
			const char *display, size_t *at);
/* The same under an id of the caller's choice; not to be mixed with names
 * that get theirs from na_plane_name(). */
void na_plane_define_as(struct na_plane *p, int64_t id, const char *name,
			size_t *at);
void na_plane_define_end(struct na_plane *p, size_t at);

void na_plane_event(struct na_plane *p, int64_t name_id, int64_t start_ps,
		    int64_t dur_ps);
void na_plane_event_end(struct na_plane *p);

/* Stats of the open event or definition; before the first of these, of the
 * plane itself. */
void na_stat_int(struct na_plane *p, int64_t id, int64_t v);
void na_stat_uint(struct na_plane *p, int64_t id, uint64_t v);
void na_stat_double(struct na_plane *p, int64_t id, double v);
void na_stat_str(struct na_plane *p, int64_t id, const char *s);
void na_stat_ref(struct na_plane *p, int64_t id, const char *s);
void na_stat_bytes(struct na_plane *p, int64_t id, const void *b, size_t n);

#endif

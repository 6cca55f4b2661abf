/*
 * A plane of an XSpace while it is written: lines go into one buffer, names
 * of events and stats are numbered as they come.  Fields as in the public
 * xplane.proto (openxla/xla).
 */
#ifndef ACCURACY_SYNC_PLANE_H
#define ACCURACY_SYNC_PLANE_H

#include "tests/accuracy/sync/pb.h"

struct sy_names { /* text to number, from 1 */
	NA_VEC(char) text;
	NA_VEC(size_t) at; /* [number - 1] into text */
	uint32_t *slots;
	size_t n_slots;
};

struct sy_plane {
	struct sy_pb body; /* lines and, for events, what follows a name */
	struct sy_pb event_types;
	struct sy_names events, stats;
	size_t line, event;
	int64_t line_ns;
	bool failed;
};

/* An event's number; *fresh says that its type is to be described with
 * sy_plane_type_begin() before it is used. */
uint64_t sy_plane_name(struct sy_plane *p, const char *name, bool *fresh);
uint64_t sy_plane_stat(struct sy_plane *p, const char *name);

/* The type of a fresh name: its texts, then its stats, then the end.
 * display may be NULL. */
size_t sy_plane_type_begin(struct sy_plane *p, uint64_t number,
			   const char *name, const char *display);
void sy_plane_type_text(struct sy_plane *p, const char *stat, const char *text);
void sy_plane_type_bytes(struct sy_plane *p, const char *stat,
			 const struct sy_pb *bytes);
void sy_plane_type_end(struct sy_plane *p, size_t mark);
/* A type of nothing but its name. */
uint64_t sy_plane_plain(struct sy_plane *p, const char *name);

/* A line's events lie at ns from the capture's start, as does the line. */
void sy_plane_line(struct sy_plane *p, uint64_t id, const char *name,
		   int64_t ns);
void sy_plane_line_end(struct sy_plane *p);

void sy_plane_event(struct sy_plane *p, uint64_t number, int64_t from_ns,
		    int64_t ns);
void sy_plane_event_end(struct sy_plane *p);
/* Stats of the open event. */
void sy_plane_int(struct sy_plane *p, const char *stat, int64_t value);
void sy_plane_uint(struct sy_plane *p, const char *stat, uint64_t value);
/* By reference, for what comes often; else in place. */
void sy_plane_ref(struct sy_plane *p, const char *stat, const char *text);
void sy_plane_text(struct sy_plane *p, const char *stat, const char *text);

/* Appends the plane to an XSpace. */
void sy_plane_write(struct sy_plane *p, struct sy_pb *space, uint64_t id,
		    const char *name);
void sy_plane_fini(struct sy_plane *p);

#endif

/*
 * A trace with one line, written down event by event.  A stat's value is a
 * letter, a colon and the value: "i:-5" int64, "u:5" uint64, "s:text",
 * "r:text" a reference, "d:1.5" double, "z:text" compressed text, "b:0a1f"
 * bytes.
 */
#ifndef TESTS_UNIT_LITTLE_TRACE_H
#define TESTS_UNIT_LITTLE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#define MEGA_PLANE "/device:CUSTOM:Megascale Trace"

struct little_event {
	const char *name; /* equal names, one event type */
	int64_t at_ps, dur_ps;
	struct little_stat {
		const char *name, *value;
	} stats[12];
};

/* What an event type has beside its name. */
struct little_type {
	const char *name, *display; /* display may be NULL */
	struct little_stat stats[12];
};

struct little_trace {
	const char *plane, *line; /* line NULL: "line" */
	int64_t line_ns;
	int64_t wall_ns; /* of a Task Environment, if not 0 */
	const struct little_event *events;
	size_t n;
	const struct little_type *types; /* may be NULL */
	size_t n_types;
};

/* Bytes of an XSpace, to be freed. */
uint8_t *little_bytes(const struct little_trace *t, size_t *n);

#endif

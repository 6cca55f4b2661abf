/*
 * A trace with one line, written down event by event.  A stat's value is a
 * letter, a colon and the value: "i:-5" int64, "u:5" uint64, "s:text",
 * "r:text" a reference, "d:1.5" double, "z:text" compressed text.
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

struct little_trace {
	const char *plane, *line; /* line NULL: "line" */
	int64_t line_ns;
	int64_t wall_ns; /* of a Task Environment, if not 0 */
	const struct little_event *events;
	size_t n;
};

/* Bytes of an XSpace, to be freed. */
uint8_t *little_bytes(const struct little_trace *t, size_t *n);

#endif

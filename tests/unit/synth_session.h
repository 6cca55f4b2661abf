/*
 * A synthetic session in a temporary directory, and its files read back by
 * the generated protobuf-c code: the second opinion for tests.
 */
#ifndef TESTS_UNIT_SYNTH_SESSION_H
#define TESTS_UNIT_SYNTH_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/synth/synth.h"
#include "xplane.pb-c.h"

struct session {
	struct na_synth_config cfg;
	struct na_synth_report report;
	struct na_err err;
	char dir[64];
	const char *faults[16];
	char *truth; /* text of truth.json */
};

/* The defaults of the tests: 3 hosts of 2 devices, 3 steps, 8 collectives.
 * Change cfg and add faults, then make it. */
void session_init(struct session *s);
void session_fault(struct session *s, const char *fault);

/* Fails the running test unless the status is the wanted one. */
void session_make(struct session *s, enum na_status want);

/* Removes the files. */
void session_end(struct session *s);

/* A whole file, to be freed. */
uint8_t *session_bytes(const struct session *s, size_t file, size_t *n);

/* Trace number `file`, unpacked; free with netan__xplane__xspace__free... */
Netan__Xplane__XSpace *session_space(const struct session *s, size_t file);

/* A number of the truth: "graph"/"valid" of a host, or with section NULL a
 * member of the host itself; host NULL: of the totals. */
int64_t session_truth(const struct session *s, const char *host,
		      const char *section, const char *key);

/* The number in the truth behind the last of these texts, each looked for
 * behind the one before; the list ends with NULL. */
int64_t session_number(const struct session *s, const char *first, ...);

/* ---- looking around in a trace */

struct event {
	const Netan__Xplane__XPlane *plane;
	const Netan__Xplane__XLine *line;
	const Netan__Xplane__XEvent *event;
	const char *name;         /* display name if there is one */
	int64_t start_ps, end_ps; /* time base of the file */
};

/* Every event of the planes whose name begins with `plane`. */
void space_each(const Netan__Xplane__XSpace *space, const char *plane,
		void (*visit)(void *ctx, const struct event *e), void *ctx);

/* A stat of an event by name, or NULL. */
const Netan__Xplane__XStat *event_stat(const struct event *e, const char *name);
/* Its number, or -1. */
int64_t event_number(const struct event *e, const char *name);
/* Its text, "" when it is not there. */
const char *event_text(const struct event *e, const char *name);

/* A constant of a plane, 0 when it is not there. */
int64_t plane_number(const Netan__Xplane__XSpace *space, const char *plane,
		     const char *name);

#endif

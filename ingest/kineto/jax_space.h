/*
 * Events of a JAX trace in JSON as the XSpace that they came from.
 *
 * Events gather by line, and names by plane; memory is about what the XSpace
 * takes, less than the JSON.  Events of Python's tracer ("$file.py:3 f") keep
 * their place and nothing else.
 */
#ifndef INGEST_KINETO_JAX_SPACE_H
#define INGEST_KINETO_JAX_SPACE_H

#include "ingest/kineto/event.h"
#include "ingest/transfer_file/bytes.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"

struct jx_plane {
	char *name;
	struct na_strtab types, stats; /* XEventMetadata, XStatMetadata */
	uint32_t first, last;          /* lines, + 1; 0: none */
};

struct jx_line {
	uint32_t plane, next; /* of its plane, + 1 */
	char *name;
	struct na_xf_bytes events; /* XLine.events */
};

/* All zero before. */
struct jx_space {
	struct na_strtab pids, tids; /* "1", "1/17" */
	NA_VEC(struct jx_plane) planes;
	NA_VEC(struct jx_line) lines;
	struct na_xf_bytes event; /* being written */
	struct na_xf_bytes text;  /* "name\x1flong name", without escapes */
	uint64_t n_events;
	int64_t base_us; /* what offsets are counted from */
};

/* False: no memory. */
bool jx_space_add(struct jx_space *x, const struct na_kineto_event *e);
bool jx_space_write(const struct jx_space *x, struct na_xf_bytes *out);
void jx_space_fini(struct jx_space *x);

#endif

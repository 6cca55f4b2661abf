/*
 * What a reader must make of an XSpace, worked out from the message that
 * the generated protobuf-c code unpacked: slow, plain, and sharing no code
 * with ingest/.  Lines as in reading.h, of what NETWORK_RECORDS asks for.
 *
 * Event names are those of oracle_names[]; buffer_sizes are whole entries
 * of the newer form.
 */
#ifndef TESTS_UNIT_XSPACE_ORACLE_H
#define TESTS_UNIT_XSPACE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/model/sink.h"
#include "xplane.pb-c.h"

#define NETWORK_RECORDS (NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_ACTIONS)

enum oracle_kind {
	O_IGNORED, /* counted only if aggregated */
	O_NOTHING, /* not looked at */
	O_UNKNOWN,
	O_GRAPH,
	O_RX,
	O_TX,
	O_D2H,
	O_H2D,
	O_COMPUTE,
	O_REGISTRATION,
	O_COPY
};

struct oracle_name {
	const char *name;
	enum oracle_kind kind;
};
extern const struct oracle_name mega_names[], host_names[]; /* NULL ends */

struct oracle {
	bool has_time, has_wall;
	int64_t first_ns;
	char *text; /* to be freed */
	size_t n_text;
};

void oracle_read(struct oracle *o, const Netan__Xplane__XSpace *space);

#endif

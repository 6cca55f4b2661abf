/*
 * One event of NCCL's example profiler plugin: half of a pair, "b" or "e", of
 * which the first half has the arguments.  Older releases write words without
 * quotes as values.
 */
#ifndef INGEST_PROFILER_PLUGIN_EVENT_H
#define INGEST_PROFILER_PLUGIN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "netan/base/scan.h"

enum na_plugin_kind {
	NA_PLUGIN_OTHER,
	NA_PLUGIN_OP,    /* COLL, P2P */
	NA_PLUGIN_PROXY, /* PROXY with a peer */
	NA_PLUGIN_NET,   /* a step of it: SendWait and others */
	NA_PLUGIN_KERNEL,
	NA_PLUGIN_IB,
	NA_PLUGIN_SOCKET
};

/* Numbers that are not told are -1. */
struct na_plugin_event {
	enum na_plugin_kind kind;
	bool begins, ends;
	struct na_text name, type;
	int64_t ts_ns; /* of the process's clock; 0: not told */
	uint64_t comm;
	bool has_comm;
	int64_t id, sequence, rank, peer, count, sent_bytes, qp, size;
};

/* The object that begins at s, which is '{': where it ends, or NULL: not
 * before `end`, or not as JSON with bare words would. */
const char *na_plugin_event(const char *s, const char *end,
			    struct na_plugin_event *x);

#endif

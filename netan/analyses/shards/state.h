/*
 * Do transfers wait for large copies out of the device?  A send cannot begin
 * before its buffer is on the host: large buffers that are copied whole leave
 * the network idle meanwhile.  An analysis for checks, not a command.
 *
 * Executions, their copies (device-to-host actions) and their sends belong
 * together by host, device, collective and time: what starts between an
 * execution's start and its end is its own.  Then, of an execution,
 *
 *   gap    from the start of its first copy to its first send, at most to
 *          the end of its last copy: waiting for a lane or for the receiver
 *          is not the copy's fault
 *   serial a send of at least NA_SH_LARGE_BYTES, four times the default
 *          shard of 8 MiB, that begins when all copies are done
 *
 * Copies shorter than NA_SH_SHORT_PS are taken as their own gap: nothing is
 * to be gained there.  Where all are, and no send is large, no collective is
 * listed.
 */
#ifndef NETAN_ANALYSES_SHARDS_STATE_H
#define NETAN_ANALYSES_SHARDS_STATE_H

#include "netan/analyses/analysis.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

#define NA_SH_LARGE_BYTES (UINT64_C(32) << 20)
#define NA_SH_SHORT_PS    NA_PS_PER_MS

struct shards_key {
	uint32_t device, collective;
	uint32_t input;
};

/* An execution with its copies; a copy, before they are joined. */
struct shards_exec {
	struct shards_key key;
	uint32_t copies;
	int64_t start_ps, end_ps;
	int64_t copy_from_ps, copy_to_ps;
	int64_t first_send_ps; /* NA_TIME_MAX: none that matters */
};

struct shards_send {
	size_t exec;
	int64_t start_ps;
	uint64_t size_bytes;
};

struct shards_sums { /* of a source */
	uint64_t sends;
	na_i128 bytes;
};

struct shards_state {
	const struct na_scope *scope;
	const struct shards_state *main; /* of a block */
	unsigned pass;
	/* Sorted, after the second pass; only executions with copies. */
	NA_VEC(struct shards_exec) execs;
	NA_VEC(struct shards_exec) copies;
	NA_VEC(struct shards_send) sends; /* those that may matter */
	struct shards_sums *sums;         /* by source */
	bool matter;                      /* one is long, or a send is large */
};

/* result.c */
enum na_status na_shards_finish(void *state, struct na_result *r,
				struct na_err *err) NA_MUST_CHECK;

#endif

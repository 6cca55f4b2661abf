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
 *
 * body: {large_bytes, runs: [{label, sends, bytes, collectives:
 *   [{collective, executions, gap_p50_s, gap_max_s, gap_share (of the time
 *   of the executions), large_sends, serial_sends, serial_bytes,
 *   max_bytes}]}]}; collectives with the longest gaps first.
 */
#ifndef NETAN_ANALYSES_SHARDS_SHARDS_H
#define NETAN_ANALYSES_SHARDS_SHARDS_H

#include "netan/analyses/analysis.h"
#include "netan/base/units.h"

#define NA_SH_LARGE_BYTES (UINT64_C(32) << 20)
#define NA_SH_SHORT_PS    NA_PS_PER_MS

struct sh_key {
	uint32_t device, collective;
	uint16_t input;
};

/* An execution with its copies; a copy, before they are joined. */
struct sh_exec {
	struct sh_key key;
	uint32_t copies;
	int64_t start_ps, end_ps;
	int64_t copy_from_ps, copy_to_ps;
	int64_t first_send_ps; /* NA_TIME_MAX: none that matters */
};

struct sh_send {
	size_t exec;
	int64_t start_ps;
	uint64_t size_bytes;
};

struct sh_sums { /* of a source */
	uint64_t sends;
	na_i128 bytes;
};

struct sh_state {
	const struct na_scope *scope;
	const struct sh_state *main; /* of a block */
	unsigned pass;
	/* Sorted, after the second pass; only executions with copies. */
	struct sh_exec *execs, *copies;
	size_t n_execs, cap_execs, n_copies, cap_copies;
	struct sh_send *sends; /* those that may matter */
	size_t n_sends, cap_sends;
	struct sh_sums *sums; /* by source */
	bool matter;          /* one is long, or a send is large */
};

/* result.c */
enum na_status sh_finish(void *state, struct na_result *r, struct na_err *err);

#endif

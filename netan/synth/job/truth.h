/*
 * What was written, counted while it was written: the answers that a reader
 * must find.  Times are picoseconds after the job's wall-clock start until
 * they are printed, then after the origin.
 */
#ifndef NETAN_SYNTH_JOB_TRUTH_H
#define NETAN_SYNTH_JOB_TRUTH_H

#include <stdint.h>
#include <stdio.h>

#include "netan/base/err.h"
#include "netan/synth/job/job.h"
#include "netan/synth/json_out.h"

/* One way of telling transfers: the action graphs or the old messages. */
struct na_truth_net {
	uint64_t transfers_rx, transfers_tx; /* records, not events */
	uint64_t valid, loopback, clock_skew, no_latency, bad_key;
	uint64_t rx_bytes, tx_bytes; /* of the valid ones */
	uint64_t latency_us_sum, latency_us_max;
	uint64_t d2h, h2d, compute, graphs;
	struct na_span rx, tx; /* of the valid ones */
};

struct na_truth_line {
	char *name;
	uint64_t events;
};

struct na_truth_plane {
	char *name;
	NA_VEC(struct na_truth_line) lines;
	uint64_t events;
};

struct na_truth_host {
	char name[32], *path;
	uint32_t number;
	uint64_t file_bytes, cut_from_bytes; /* the latter 0: not cut */
	uint64_t events, steps, modules, ops, dcn_ops, nccl, instructions;
	uint64_t program_id;
	char inserted[48], reshaped[48]; /* where its program differs */
	uint64_t tails, registrations, copies;
	int64_t start_unix_ns, ahead_ns, first_device, devices;
	int64_t first_line_ns; /* INT64_MAX: no events */
	struct na_truth_net graph, message;
	NA_VEC(struct na_truth_plane) planes;
};

struct na_truth {
	struct na_truth_host *hosts;
	size_t n;
	int64_t start_unix_ns;
};

NA_MUST_CHECK enum na_status na_truth_init(struct na_truth *t, size_t hosts,
					   int64_t start_unix_ns,
					   struct na_err *err);
void na_truth_fini(struct na_truth *t);

enum na_rx_class {
	NA_RX_VALID,
	NA_RX_LOOPBACK,
	NA_RX_SKEW,
	NA_RX_NO_LATENCY,
	NA_RX_BAD
};

/* `end_ps` on the wall clock; no latency: latency_us negative. */
void na_truth_rx(struct na_truth_net *net, enum na_rx_class kind,
		 int64_t end_ps, int64_t latency_us, uint64_t bytes,
		 uint32_t records);
void na_truth_tx(struct na_truth_net *net, int64_t start_ps, int64_t end_ps,
		 uint64_t bytes, uint32_t records);

/* truth_ops.c: what the devices did; false when memory is short. */
bool na_truth_put_ops(struct na_json *j, const struct na_truth *t,
		      const struct na_job *job);

/* job may be NULL (a file for measurements has none). */
NA_MUST_CHECK enum na_status na_truth_write(const struct na_truth *t,
					    const struct na_synth_config *cfg,
					    const struct na_job *job,
					    const char *path, uint64_t *bytes,
					    struct na_err *err);

#endif

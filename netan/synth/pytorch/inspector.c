/*
 * A rank's log of NCCL Inspector, verbose: one object a line, format v4.0,
 * times of the host's clock in microseconds.
 */
#include <inttypes.h>

#include "netan/base/units.h"
#include "netan/synth/pytorch/pytorch.h"
#include "netan/synth/pytorch/write.h"

enum { MIN_BYTES = 8192, ELEMENT_BYTES = 2 };

/* The hosts of a group: its members are in the order of their hosts. */
static uint32_t n_nodes(const struct na_torch_job *job, int role,
			uint32_t group)
{
	uint32_t n = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < job->roles[role].size; i++) {
		uint32_t host = na_torch_host(job, na_torch_member(job, role,
								   group, i));

		n += host != last;
		last = host;
	}
	return n;
}

static void put_header(struct na_wire *w, const struct na_torch_job *job,
		       uint32_t rank, int role, int64_t dump_us)
{
	uint32_t group = na_torch_group(job, role, rank);
	uint64_t hash = (na_torch_group_name(job, role, group) + 1) *
			UINT64_C(0x9e3779b97f4a7c15);

	na_wire_text(
		w,
		"{\"header\":{\"id\":\"0x%" PRIx64 "\",\"rank\":%u,"
		"\"n_ranks\":%u,\"nnodes\":%u},\"metadata\":{"
		"\"inspector_output_format_version\":\"v4.0\","
		"\"git_rev\":\"standalone-build\",\"rec_mechanism\":"
		"\"nccl_profiler_interface\",\"dump_timestamp_us\":%" PRId64
		",\"hostname\":\"host-%u\",\"pid\":%u},",
		hash, na_torch_place(job, role, rank), job->roles[role].size,
		n_nodes(job, role, group), dump_us, na_torch_host(job, rank),
		NA_TORCH_FIRST_PID + rank);
}

/* Operations of one kind of a rank and group before an event, and it. */
static uint32_t number(const struct na_torch_job *job, uint32_t rank,
		       uint32_t event)
{
	const struct na_torch_op *op = na_torch_op(job, rank, event);
	uint32_t n = na_torch_n_ops(job, rank), step = event / n;
	uint32_t in_step = 0, before = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct na_torch_op *o = na_torch_op(job, rank, i);
		bool same = o->role == op->role && o->kind == op->kind;

		in_step += same;
		before += same && i <= event % n;
	}
	return step * in_step + before;
}

static void put_trace(struct na_wire *w, const char *what, int64_t from_us,
		      int64_t to_us)
{
	na_wire_text(w,
		     "\"event_trace_ts\":{\"%s_start_ts\":%" PRId64
		     ",\"%s_stop_ts\":%" PRId64 ",\"kernel_events\":[",
		     what, from_us, what, to_us);
	for (int c = 0; c < 2; c++)
		na_wire_text(w,
			     "%s{\"channel_id\":%d,\"kernel_start_ts\":%" PRId64
			     ",\"kernel_stop_ts\":%" PRId64
			     ",\"kernel_record_ts\":%" PRId64 "}",
			     c ? "," : "", c, from_us, to_us, to_us + 1);
	na_wire_text(w, "]}");
}

/* The factor of nccl-tests from algorithm to bus bandwidth. */
static double bus_factor(const struct na_torch_job *job,
			 const struct na_torch_op *op)
{
	double n = job->roles[op->role].size;

	if (na_torch_p2p(op))
		return 1;
	return (n - 1) / n * (op->kind == NA_TORCH_ALL_REDUCE ? 2 : 1);
}

static bool put_line(struct na_wire *w, const struct na_torch_job *job,
		     uint32_t rank, uint32_t event, int64_t dump_us)
{
	const struct na_torch_event *e = &job->ranks[rank].events[event];
	const struct na_torch_op *op = na_torch_op(job, rank, event);
	const char *what = na_torch_p2p(op) ? "p2p" : "coll";
	/* Of what is gathered or scattered one rank's part. */
	uint64_t bytes = ELEMENT_BYTES * (op->in < op->out ? op->in : op->out);
	uint64_t whole = ELEMENT_BYTES * (op->in > op->out ? op->in : op->out);
	int64_t from = na_torch_unix_ns(job, rank, e->arrive_ps) / NA_NS_PER_US;
	int64_t to = na_torch_unix_ns(job, rank, e->end_ps) / NA_NS_PER_US;
	double rate;

	if (e->state != NA_TORCH_DONE || bytes < MIN_BYTES)
		return false;
	rate = (double)whole / (double)(to - from) / 1e3;
	put_header(w, job, rank, op->role, dump_us);
	na_wire_text(w, "\"%s_perf\":{\"%s\":\"%s\",\"%s_sn\":%u,", what, what,
		     na_torch_names[op->kind].inspector, what,
		     number(job, rank, event));
	if (na_torch_p2p(op))
		na_wire_text(w, "\"p2p_peer\":%u,", op->peer);
	na_wire_text(w,
		     "\"%s_msg_size_bytes\":%" PRIu64
		     ",\"%s_exec_time_us\":%" PRId64
		     ",\"%s_timing_source\":\"kernel_gpu\",\"%s_algobw_gbs\":"
		     "%.6f,\"%s_busbw_gbs\":%.6f,",
		     what, bytes, what, to - from, what, what, rate, what,
		     rate * bus_factor(job, op));
	put_trace(w, what, from, to);
	na_wire_text(w, "}}\n");
	return true;
}

void na_torch_inspector(struct na_wire *w, const struct na_torch_job *job,
			uint32_t rank, uint64_t *events)
{
	uint32_t n = na_torch_n_ops(job, rank);
	int64_t dump_us;

	for (uint32_t step = 0; step < job->n_steps; step++) {
		/* Written at the end of each step. */
		int64_t to = job->ranks[rank].step_ps[step + 1];

		to = to ? to : job->end_ps;
		dump_us = na_torch_unix_ns(job, rank, to) / NA_NS_PER_US;
		for (uint32_t i = step * n; i < (step + 1) * n; i++)
			*events += put_line(w, job, rank, i, dump_us);
	}
}

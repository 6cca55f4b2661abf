/*
 * The truth of a capture: what was planted, and what must be counted of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "netan/synth/capture/capture.h"
#include "netan/synth/json_out.h"

static void put_end(struct na_json *j, const char *name,
		    const struct na_frame_end *e)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%u.%u.%u.%u:%u", e->ip[0], e->ip[1],
		 e->ip[2], e->ip[3], e->port);
	na_json_text(j, name, buf);
}

static void put_direction(struct na_json *j, const char *name,
			  const struct na_flow_truth *d)
{
	na_json_line(j, 3);
	na_json_open(j, name, '{');
	na_json_uint(j, "packets", d->packets);
	na_json_uint(j, "wire_bytes", d->wire_bytes);
	na_json_uint(j, "bytes", d->bytes);
	na_json_uint(j, "unique_bytes", d->bytes - d->retransmitted_bytes);
	na_json_uint(j, "retransmitted_bytes", d->retransmitted_bytes);
	na_json_uint(j, "data_packets", d->data_packets);
	na_json_uint(j, "retransmissions", d->retransmissions);
	na_json_uint(j, "fast", d->fast);
	na_json_uint(j, "timeout", d->timeout);
	na_json_uint(j, "duplicate_acks", d->duplicate_acks);
	na_json_uint(j, "sack_packets", d->sack_packets);
	na_json_uint(j, "zero_windows", d->zero_windows);
	na_json_uint(j, "window_full", d->window_full);
	na_json_uint(j, "keep_alives", d->keep_alives);
	na_json_close(j, '}');
}

static void put_flow(struct na_json *j, const struct na_flow *f)
{
	na_json_item(j, 2);
	put_end(j, "client", &f->ends[0]);
	put_end(j, "server", &f->ends[1]);
	na_json_text(j, "condition", na_flow_words[f->condition]);
	na_json_text(j, "data_from",
		     f->condition == NA_FLOW_CALLS ? "both"
		     : f->sender                   ? "server"
						   : "client");
	na_json_int(j, "first_ns", f->first_ns - j->origin_ps);
	na_json_int(j, "last_ns", f->end_ns - j->origin_ps);
	na_json_int(j, "rtt_ns", f->rtt_ns);
	na_json_int(j, "near_rtt_ns", na_flow_turn_ns(f, !f->sender));
	na_json_uint(j, "timeouts", f->timeouts);
	na_json_int(j, "longest_timeout_ns", f->longest_timeout_ns);
	na_json_int(j, "zero_window_ns", f->zero_window_ns);
	na_json_uint(j, "idle_gaps", f->idles);
	na_json_int(j, "longest_idle_ns", f->longest_idle_ns);
	put_direction(j, "fwd", &f->dir[0]);
	put_direction(j, "rev", &f->dir[1]);
	na_json_close(j, '}');
}

static void put_call(struct na_json *j, const struct na_call_truth *c)
{
	na_json_item(j, 2);
	na_json_uint(j, "connection", c->flow);
	na_json_uint(j, "stream", c->stream);
	na_json_text(j, "method", na_call_method(c->method));
	na_json_uint(j, "grpc_status", c->status);
	na_json_int(j, "start_ns", c->start_ns - j->origin_ps);
	na_json_int(j, "first_ns", c->first_ns - c->start_ns);
	na_json_int(j, "end_ns", c->end_ns - c->start_ns);
	na_json_uint(j, "bytes_req", c->bytes_req);
	na_json_uint(j, "bytes_resp", c->bytes_resp);
	na_json_bool(j, "slow", c->slow);
	na_json_close(j, '}');
}

static void put_roce(struct na_json *j, const struct na_roce_flow *f)
{
	const struct na_roce_truth *t = &f->truth;

	na_json_item(j, 2);
	put_end(j, "requester", &f->ends[0]);
	put_end(j, "responder", &f->ends[1]);
	na_json_text(j, "condition", na_roce_words[f->condition]);
	na_json_uint(j, "requester_qp", f->qp[0]);
	na_json_uint(j, "responder_qp", f->qp[1]);
	na_json_uint(j, "packets", t->packets);
	na_json_uint(j, "messages", t->messages);
	na_json_uint(j, "sends", t->sends);
	na_json_uint(j, "writes", t->writes);
	na_json_uint(j, "reads", t->reads);
	na_json_uint(j, "atomics", t->atomics);
	na_json_uint(j, "bytes", t->bytes);
	na_json_int(j, "latency_sum_ns", t->latency_sum_ns);
	na_json_int(j, "latency_max_ns", t->latency_max_ns);
	na_json_uint(j, "naks", t->naks);
	na_json_uint(j, "rnr_naks", t->rnr_naks);
	na_json_uint(j, "psn_repeats", t->repeats);
	na_json_uint(j, "needed_repeats", t->needed);
	na_json_uint(j, "timeouts", t->timeouts);
	na_json_int(j, "silent_ns", t->silent_ns);
	na_json_uint(j, "congestion", t->congestion);
	na_json_uint(j, "ce_marks", t->ce);
	na_json_close(j, '}');
}

static void put_all(struct na_json *j, const struct na_capture_job *job)
{
	na_json_open(j, NULL, '{');
	na_json_text(j, "schema", "netan.synth.capture/1");
	na_json_int(j, "seed", job->cfg->seed);
	na_json_int(j, "origin_unix_ns", job->first_ns);
	na_json_int(j, "duration_ns", job->last_ns - job->first_ns);
	na_json_uint(j, "packets", job->sums.frames);
	na_json_uint(j, "wire_bytes", job->sums.wire_bytes);
	na_json_uint(j, "captured_bytes", job->sums.captured_bytes);
	na_json_line(j, 1);
	na_json_open(j, "connections", '[');
	for (size_t i = 0; i < job->n_bulks; i++)
		put_flow(j, &job->bulks[i].flow);
	for (size_t i = 0; i < job->n_callers; i++)
		put_flow(j, &job->callers[i].flow);
	na_json_close(j, ']');
	na_json_line(j, 1);
	na_json_open(j, "calls", '[');
	for (size_t i = 0; i < job->calls.n; i++)
		put_call(j, &job->calls.calls[i]);
	na_json_close(j, ']');
	na_json_line(j, 1);
	na_json_open(j, "roce", '[');
	for (size_t i = 0; i < job->n_roces; i++)
		put_roce(j, &job->roces[i]);
	na_json_close(j, ']');
	na_json_close(j, '}');
}

enum na_status na_capture_truth_write(const struct na_capture_job *job,
				      const char *path, uint64_t *bytes,
				      struct na_err *err)
{
	struct na_json j;
	enum na_status st = na_json_begin(&j, job->first_ns, err);

	if (st)
		return st;
	put_all(&j, job);
	return na_json_save(&j, path, bytes, err);
}

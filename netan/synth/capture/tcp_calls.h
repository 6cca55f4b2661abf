/*
 * gRPC calls on one connection of a synthetic capture.  Client and server
 * take turns: what one side has to say goes out as segments, then the other
 * one's turn comes when its time has come.
 */
#ifndef NETAN_SYNTH_CAPTURE_TCP_CALLS_H
#define NETAN_SYNTH_CAPTURE_TCP_CALLS_H

#include "netan/synth/capture/http2_out.h"
#include "netan/synth/capture/tcp_flow.h"

/* What a reader must find; times of the packets that complete request
 * headers, response headers and the end of the stream. */
struct na_call_truth {
	int64_t start_ns, first_ns, end_ns;
	uint64_t bytes_req, bytes_resp; /* DATA */
	uint32_t flow, stream;
	uint8_t method, status;
	bool slow;
};

/* All calls of the capture, in the order in which they were made up. */
struct na_call_list {
	struct na_call_truth *calls;
	size_t n, cap;
};

enum { NA_CALLS_AT_ONCE = 4 };

struct na_calls_flow {
	struct na_flow flow;
	uint32_t index; /* of the flow */
	struct na_call_list *list;
	uint64_t left; /* calls */
	int64_t message_bytes, slow_q16;
	struct na_h2_table tables[2];
	uint32_t stream;
	/* The turn that is being sent. */
	struct na_wire turn;
	size_t sent;
	unsigned side;
	struct {
		size_t at; /* behind the last byte */
		uint32_t call;
		uint8_t what; /* enum in tcp_calls.c */
	} marks[3 * NA_CALLS_AT_ONCE];
	unsigned n_marks, next_mark;
	/* The calls under way: of the list, soonest answer first. */
	uint32_t open[NA_CALLS_AT_ONCE];
	int64_t wait_ns[NA_CALLS_AT_ONCE];
	bool headers_sent;
	unsigned n_open, next_open, hello;
	uint64_t received_bytes; /* by the client, not given back yet */
	bool failed;             /* memory */
};

const char *na_call_method(unsigned method);

void na_calls_start(struct na_calls_flow *c, struct na_call_list *list,
		    uint64_t calls, int64_t message_bytes, int64_t slow_q16);
void na_calls_more(struct na_calls_flow *c);
void na_calls_fini(struct na_calls_flow *c);

#endif

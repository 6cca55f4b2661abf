#include "ingest/transfer_file/format.h"

#include <string.h>

/* clang-format off */
#define F(n, what, member, type, role) \
	{ n, (uint16_t)offsetof(struct what, member), type, role }

static const struct na_xf_field transfer_fields[] = {
	F(1, na_transfer, start_ps, XF_I64, 0),
	F(2, na_transfer, action_ps, XF_I64, 0),
	F(3, na_transfer, size_bytes, XF_U64, 0),
	F(4, na_transfer, src, XF_U32, XF_ENDPOINT),
	F(5, na_transfer, dst, XF_U32, XF_ENDPOINT),
	F(6, na_transfer, collective, XF_U32, XF_NAME),
	F(7, na_transfer, type, XF_U32, XF_NAME),
	F(8, na_transfer, launch, XF_U32, 0),
	F(9, na_transfer, iteration, XF_U32, 0),
	F(10, na_transfer, chunk, XF_I32, 0),
	F(11, na_transfer, level, XF_I8, 0),
	F(12, na_transfer, side, XF_U8, 0),
	F(13, na_transfer, klass, XF_U8, 0),
	F(14, na_transfer, style, XF_U8, 0),
	F(15, na_transfer, component, XF_U8, 0),
};

#define ACTION_FIELDS(texts_role, device_role) \
	F(1, na_xf_action, duration_ps, XF_I64, 0), \
	F(2, na_xf_action, size_bytes, XF_U64, 0), \
	F(3, na_xf_action, device, XF_U32, device_role), \
	F(4, na_xf_action, collective, XF_U32, texts_role), \
	F(5, na_xf_action, type, XF_U32, texts_role), \
	F(6, na_xf_action, launch, XF_U32, 0), \
	F(7, na_xf_action, iteration, XF_U32, 0), \
	F(8, na_xf_action, local_device_id, XF_I32, 0), \
	F(9, na_xf_action, num_actions, XF_I32, 0), \
	F(10, na_xf_action, action_index, XF_I32, 0), \
	F(11, na_xf_action, chunk, XF_I32, 0), \
	F(12, na_xf_action, level, XF_I32, 0), \
	F(13, na_xf_action, send_channel_id, XF_I64, 0), \
	F(14, na_xf_action, recv_channel_id, XF_I64, 0), \
	F(15, na_xf_action, run_id, XF_I64, 0), \
	F(16, na_xf_action, slack_us, XF_I64, 0), \
	F(17, na_xf_action, transmission_budget_us, XF_I64, 0), \
	F(18, na_xf_action, delay_budget_us, XF_I64, 0), \
	F(19, na_xf_action, activation_to_receive_us, XF_I64, 0), \
	F(20, na_xf_action, texts[0], XF_U32, XF_NAME), \
	F(21, na_xf_action, texts[1], XF_U32, XF_NAME), \
	F(22, na_xf_action, texts[2], XF_U32, XF_NAME), \
	F(23, na_xf_action, texts[3], XF_U32, XF_NAME), \
	F(24, na_xf_action, texts[4], XF_U32, XF_NAME), \
	F(25, na_xf_action, kind, XF_U8, 0), \
	F(26, na_xf_action, style, XF_U8, 0), \
	F(27, na_xf_action, thread, XF_U32, 0)

static const struct na_xf_field action_fields[] = {
	ACTION_FIELDS(XF_NAME, XF_ENDPOINT)
};

/* Compared with a transfer's: differences are no names. */
static const struct na_xf_field shadow_fields[] = {
	ACTION_FIELDS(XF_PLAIN, XF_PLAIN)
};

static const struct na_xf_field span_fields[] = {
	F(1, na_span, start_ps, XF_I64, 0),
	F(2, na_span, number, XF_I64, 0),
	F(3, na_span, name, XF_U32, XF_NAME),
	F(4, na_span, plane, XF_I32, 0),
	F(5, na_span, kind, XF_U32, 0),
	F(6, na_span, device, XF_U8, 0),
	F(7, na_span, told, XF_U8, 0),
	F(8, na_span, piece, XF_U8, 0),
	F(9, na_span, whole, XF_I64, 0),
};

static const struct na_xf_field op_type_fields[] = {
	F(1, na_op_type, program_id, XF_U64, 0),
	F(2, na_op_type, channel, XF_I64, 0),
	F(3, na_op_type, size_bytes, XF_U64, 0),
	F(4, na_op_type, name, XF_U32, XF_NAME),
	F(5, na_op_type, kernel, XF_U32, XF_NAME),
	F(6, na_op_type, module, XF_U32, XF_NAME),
	F(7, na_op_type, collective, XF_U32, XF_NAME),
	F(8, na_op_type, transfer_type, XF_U32, XF_NAME),
	F(9, na_op_type, start_op, XF_U32, XF_NAME),
	F(10, na_op_type, group_size, XF_U32, 0),
	F(11, na_op_type, n_groups, XF_U32, 0),
	F(12, na_op_type, opcode, XF_U8, 0),
	F(13, na_op_type, phase, XF_U8, 0),
	F(14, na_op_type, network, XF_U8, 0),
	F(15, na_op_type, joined, XF_U8, 0),
	F(16, na_op_type, uneven, XF_U8, 0),
};

static const struct na_xf_field op_fields[] = {
	F(1, na_xf_op, duration_ps, XF_I64, 0),
	F(2, na_xf_op, type, XF_U32, 0),
	F(3, na_xf_op, number, XF_I32, 0),
	F(4, na_xf_op, device, XF_U8, 0),
};

static const struct na_xf_field busy_fields[] = {
	F(1, na_xf_busy, n, XF_U64, 0),
	F(2, na_xf_busy, number, XF_I32, 0),
	F(3, na_xf_busy, device, XF_U8, 0),
};

static const struct na_xf_field busy_time_fields[] = {
	F(1, na_xf_busy_time, gap_ps, XF_I64, 0),
	F(2, na_xf_busy_time, length_ps, XF_I64, 0),
};

static const struct na_xf_field comm_fields[] = {
	F(1, na_xf_comm, duration_ps, XF_I64, 0),
	F(2, na_xf_comm, sequence, XF_I64, 0),
	F(3, na_xf_comm, size_bytes, XF_U64, 0),
	F(4, na_xf_comm, group, XF_U32, XF_NAME),
	F(5, na_xf_comm, group_size, XF_U32, 0),
	F(6, na_xf_comm, type, XF_U32, XF_NAME),
	F(7, na_xf_comm, stream, XF_U32, 0),
	F(8, na_xf_comm, peer, XF_I32, 0),
	F(9, na_xf_comm, rank, XF_I32, 0),
	F(10, na_xf_comm, operation, XF_U8, 0),
	F(11, na_xf_comm, source, XF_U8, 0),
	F(12, na_xf_comm, purpose, XF_U16, 0),
};

static const struct na_xf_field call_fields[] = {
	F(1, na_call, first_ps, XF_I64, 0),
	F(2, na_call, end_ps, XF_I64, 0),
	F(3, na_call, bytes_req, XF_U64, 0),
	F(4, na_call, bytes_resp, XF_U64, 0),
	F(5, na_call, messages_req, XF_U32, 0),
	F(6, na_call, messages_resp, XF_U32, 0),
	F(7, na_call, src, XF_U32, XF_ENDPOINT),
	F(8, na_call, dst, XF_U32, XF_ENDPOINT),
	F(9, na_call, method, XF_U32, XF_NAME),
	F(10, na_call, connection, XF_U32, 0),
	F(11, na_call, stream, XF_U32, 0),
	F(12, na_call, http_status, XF_I32, 0),
	F(13, na_call, grpc_status, XF_I32, 0),
	F(14, na_call, reset, XF_U8, 0),
	F(15, na_call, setbacks, XF_U32, 0),
	F(16, na_call, leg_ns, XF_I64, 0),
};

static const struct na_xf_field packet_fields[] = {
	F(1, na_wire_packet, size_bytes, XF_U32, 0),
	F(2, na_wire_packet, src, XF_U32, XF_ENDPOINT),
	F(3, na_wire_packet, dst, XF_U32, XF_ENDPOINT),
};

#define D(n, i, member, type) F((i ? 96 : 32) + n, na_connection, dir[i].member, type, 0)
#define DIRECTION(i) \
	D(0, i, packets, XF_U64), D(1, i, wire_bytes, XF_U64), \
	D(2, i, bytes, XF_U64), D(3, i, unique_bytes, XF_U64), \
	D(4, i, retransmitted_bytes, XF_U64), D(5, i, data_packets, XF_U64), \
	D(6, i, retransmissions, XF_U64), D(7, i, fast, XF_U64), \
	D(8, i, timeout, XF_U64), D(9, i, spurious, XF_U64), \
	D(10, i, out_of_order, XF_U64), D(11, i, lost_before, XF_U64), \
	D(12, i, keep_alives, XF_U64), D(13, i, duplicate_acks, XF_U64), \
	D(14, i, zero_windows, XF_U64), D(15, i, window_full, XF_U64), \
	D(16, i, zero_probes, XF_U64), D(17, i, sack_blocks, XF_U64), \
	D(18, i, ce_marks, XF_U64), D(19, i, ece, XF_U64), \
	D(20, i, cwr, XF_U64), D(21, i, max_in_flight_bytes, XF_U64), \
	D(22, i, max_window_bytes, XF_U64), \
	D(23, i, min_window_bytes, XF_U64), D(24, i, rtt_samples, XF_U64), \
	D(25, i, ts_rtt_samples, XF_U64), D(26, i, rtt_min_ns, XF_I64), \
	D(27, i, rtt_p50_ns, XF_I64), D(28, i, rtt_p99_ns, XF_I64), \
	D(29, i, ts_rtt_min_ns, XF_I64), D(30, i, ts_rtt_p50_ns, XF_I64), \
	D(31, i, ts_rtt_p99_ns, XF_I64), D(32, i, timeouts, XF_U64), \
	D(33, i, longest_timeout_ns, XF_I64), \
	D(34, i, timeout_total_ns, XF_I64), D(35, i, zero_window_ns, XF_I64), \
	D(36, i, window_full_ns, XF_I64), D(37, i, idle_ns, XF_I64), \
	D(38, i, longest_idle_ns, XF_I64), D(39, i, idle_restarts, XF_U64), \
	D(40, i, mss, XF_U32), D(41, i, window_shift, XF_I16), \
	D(42, i, sack_permitted, XF_U8), D(43, i, timestamps, XF_U8), \
	D(44, i, saw_syn, XF_U8), D(45, i, window_scale_known, XF_U8), \
	D(46, i, recovery_ns, XF_I64)

/* Those that are newer, of which there is no room below the other one's. */
#define T(n, i, member, type) F((i ? 224 : 160) + n, na_connection, dir[i].member, type, 0)
#define TRAIL_EVIDENCE(i) \
	T(0, i, copies, XF_U64), T(1, i, needed, XF_U64), \
	T(2, i, needless, XF_U64), T(3, i, reordered, XF_U64), \
	T(4, i, duplicated, XF_U64), T(5, i, capture_holes, XF_U64), \
	T(6, i, lost_upstream, XF_U64), T(7, i, tail_losses, XF_U64), \
	T(8, i, syns_again, XF_U64), T(9, i, acks_missing, XF_U64), \
	T(10, i, dsacks_alone, XF_U64), T(11, i, open_again, XF_U64), \
	T(12, i, needed_timeouts, XF_U64), \
	T(13, i, needed_silent_ns, XF_I64), T(14, i, tail_ns, XF_I64), \
	T(15, i, last_again, XF_U64), T(16, i, last_again_bytes, XF_U64), \
	T(17, i, acked_bytes, XF_U64), T(18, i, edge_segments, XF_U64), \
	T(19, i, slow_acks, XF_U64), T(20, i, released, XF_U64), \
	T(21, i, released_p50_ns, XF_I64), T(22, i, far_rtt_min_ns, XF_I64), \
	T(23, i, far_rtt_p50_ns, XF_I64), T(24, i, mute_ns, XF_I64), \
	T(25, i, testified, XF_U8), T(26, i, ids, XF_U8), \
	T(27, i, reset, XF_U8), T(28, i, closed, XF_U8), \
	T(29, i, released_even, XF_U8), T(30, i, stuck_ns, XF_I64), \
	T(31, i, missing_bytes, XF_U64), T(32, i, missing_ns, XF_I64), \
	T(33, i, vain_timeouts, XF_U64), T(34, i, longest_vain_ns, XF_I64), \
	T(35, i, data_segments, XF_U64), T(36, i, full_bytes, XF_U32), \
	T(37, i, length_cuts, XF_U32), T(38, i, short_most, XF_U32), \
	T(39, i, long_least, XF_U32), T(40, i, short_sent, XF_U32), \
	T(41, i, short_lost, XF_U32), T(42, i, long_sent, XF_U32), \
	T(43, i, long_lost, XF_U32), T(44, i, long_lost_again, XF_U32), \
	T(45, i, stuck_long, XF_U32), T(46, i, stuck_short, XF_U32), \
	T(47, i, unacked_bytes, XF_U64), T(48, i, loss_events, XF_U64), \
	T(49, i, stalled_ns, XF_I64), T(50, i, unanswered, XF_U64), \
	T(51, i, stall_resent, XF_U8)

/* Of one stretch, then of all of a direction. */
#define S(k, i) \
	F(288 + 80 * i + 4 * k, na_connection, dir[i].stretch[k].from_ns, XF_I64, 0), \
	F(289 + 80 * i + 4 * k, na_connection, dir[i].stretch[k].took_ns, XF_U32, 0), \
	F(290 + 80 * i + 4 * k, na_connection, dir[i].stretch[k].bytes, XF_U32, 0), \
	F(291 + 80 * i + 4 * k, na_connection, dir[i].stretch[k].marks, XF_U8, 0), \
	F(450 + 40 * i + 2 * k, na_connection, dir[i].stretch[k].src_ns, XF_U32, 0), \
	F(451 + 40 * i + 2 * k, na_connection, dir[i].stretch[k].dst_ns, XF_U32, 0)
#define STRETCHES(i) \
	F(352 + 80 * i, na_connection, dir[i].stretches_seen, XF_U32, 0), \
	F(353 + 80 * i, na_connection, dir[i].stretches_kept, XF_U32, 0), \
	S(0, i), S(1, i), S(2, i), S(3, i), S(4, i), S(5, i), S(6, i), \
	S(7, i), S(8, i), S(9, i), S(10, i), S(11, i), S(12, i), \
	S(13, i), S(14, i), S(15, i)
_Static_assert(NA_STRETCHES_KEPT == 16, "a stretch more: STRETCHES needs it");

static const struct na_xf_field connection_fields[] = {
	F(1, na_connection, id, XF_U32, 0),
	F(2, na_connection, src, XF_U32, XF_ENDPOINT),
	F(3, na_connection, dst, XF_U32, XF_ENDPOINT),
	F(4, na_connection, src_port, XF_U16, 0),
	F(5, na_connection, dst_port, XF_U16, 0),
	F(6, na_connection, end, XF_U8, 0),
	F(7, na_connection, disordered, XF_U8, 0),
	F(8, na_connection, to_ps, XF_I64, 0),
	F(9, na_connection, initial_rtt_ns, XF_I64, 0),
	F(10, na_connection, calls, XF_U64, 0),
	DIRECTION(0),
	DIRECTION(1),
	TRAIL_EVIDENCE(0),
	TRAIL_EVIDENCE(1),
	STRETCHES(0),
	STRETCHES(1),
	F(11, na_connection, turns, XF_U64, 0),
	F(12, na_connection, upset_turns, XF_U64, 0),
	F(13, na_connection, serves, XF_U64, 0),
	F(14, na_connection, slow_serves, XF_U64, 0),
	F(15, na_connection, serve_ns, XF_I64, 0),
	F(16, na_connection, slow_serve_ns, XF_I64, 0),
	F(17, na_connection, serve_p50_ns, XF_I64, 0),
	F(18, na_connection, serve_p99_ns, XF_I64, 0),
	F(19, na_connection, upset_ns, XF_I64, 0),
	F(20, na_connection, client, XF_U8, 0),
	F(21, na_connection, answered, XF_U8, 0),
};

static const struct na_xf_field capture_fields[] = {
	F(1, na_capture_counts, packets, XF_U64, 0),
	F(2, na_capture_counts, captured_bytes, XF_U64, 0),
	F(3, na_capture_counts, wire_bytes, XF_U64, 0),
	F(4, na_capture_counts, cut_packets, XF_U64, 0),
	F(5, na_capture_counts, backward_steps, XF_U64, 0),
	F(6, na_capture_counts, interfaces, XF_U64, 0),
	F(7, na_capture_counts, tcp, XF_U64, 0),
	F(8, na_capture_counts, udp, XF_U64, 0),
	F(9, na_capture_counts, other_ip, XF_U64, 0),
	F(10, na_capture_counts, non_ip, XF_U64, 0),
	F(11, na_capture_counts, malformed, XF_U64, 0),
	F(12, na_capture_counts, fragments, XF_U64, 0),
	F(13, na_capture_counts, fragments_lost, XF_U64, 0),
	F(14, na_capture_counts, filtered, XF_U64, 0),
	F(15, na_capture_counts, connections, XF_U64, 0),
	F(16, na_capture_counts, connections_evicted, XF_U64, 0),
	F(17, na_capture_counts, roce_packets, XF_U64, 0),
	F(18, na_capture_counts, roce_messages, XF_U64, 0),
	F(19, na_capture_counts, roce_naks, XF_U64, 0),
	F(20, na_capture_counts, roce_psn_gaps, XF_U64, 0),
	F(21, na_capture_counts, roce_congestion, XF_U64, 0),
	F(22, na_capture_counts, roce_ce_marks, XF_U64, 0),
	F(23, na_capture_counts, rpcs, XF_U64, 0),
	F(24, na_capture_counts, http2_connections, XF_U64, 0),
	F(25, na_capture_counts, http2_mid_stream, XF_U64, 0),
	F(26, na_capture_counts, http2_damaged, XF_U64, 0),
	F(27, na_capture_counts, exchanges, XF_U64, 0),
	F(28, na_capture_counts, limits_hit, XF_U64, 0),
	F(29, na_capture_counts, roce_rnr_naks, XF_U64, 0),
	F(30, na_capture_counts, roce_psn_repeats, XF_U64, 0),
	F(31, na_capture_counts, earliest_ns, XF_I64, 0),
	F(32, na_capture_counts, latest_ns, XF_I64, 0),
	F(33, na_capture_counts, connections_outside, XF_U64, 0),
	F(34, na_capture_counts, roce_pairs_outside, XF_U64, 0),
};

#define KIND(what, fields) \
	{ sizeof(struct what), fields, sizeof(fields) / sizeof(fields[0]) }

const struct na_xf_kind na_xf_kinds[XF_N_KINDS] = {
	[XF_TRANSFER] = KIND(na_transfer, transfer_fields),
	[XF_SHADOW] = KIND(na_xf_action, shadow_fields),
	[XF_ACTION] = KIND(na_xf_action, action_fields),
	[XF_SPAN] = KIND(na_span, span_fields),
	[XF_CALL] = KIND(na_call, call_fields),
	[XF_PACKET] = KIND(na_wire_packet, packet_fields),
	[XF_CONNECTION] = KIND(na_connection, connection_fields),
	[XF_OP_TYPE] = KIND(na_op_type, op_type_fields),
	[XF_OP] = KIND(na_xf_op, op_fields),
	[XF_BUSY] = KIND(na_xf_busy, busy_fields),
	[XF_BUSY_TIME] = KIND(na_xf_busy_time, busy_time_fields),
	[XF_COMM] = KIND(na_xf_comm, comm_fields),
};
const struct na_xf_kind na_xf_capture = KIND(na_capture_counts, capture_fields);
/* clang-format on */

int64_t na_xf_unknown(enum na_xf_type type)
{
	switch (type) {
	case XF_I64:
		return NA_UNKNOWN_PS;
	case XF_U32:
		return NA_UNKNOWN_U32;
	case XF_I32:
		return NA_UNKNOWN_I32;
	default:
		return 0;
	}
}

#define LOAD(type) \
	{ \
		type x; \
		memcpy(&x, p, sizeof(x)); \
		return (int64_t)x; \
	}
int64_t na_xf_load(const void *record, const struct na_xf_field *f)
{
	const char *p = (const char *)record + f->offset;

	switch ((enum na_xf_type)f->type) {
	case XF_U32:
		LOAD(uint32_t)
	case XF_I32:
		LOAD(int32_t)
	case XF_U16:
		LOAD(uint16_t)
	case XF_I16:
		LOAD(int16_t)
	case XF_U8:
		LOAD(uint8_t)
	case XF_I8:
		LOAD(int8_t)
	case XF_I64:
	case XF_U64:
		break;
	}
	LOAD(int64_t)
}

#define STORE(type) \
	do { \
		for (size_t i = 0; i < n; i++, p += size) { \
			type x = (type)v[i]; \
			memcpy(p, &x, sizeof(x)); \
		} \
	} while (0)

void na_xf_store(void *records, size_t size, const struct na_xf_field *f,
		 const int64_t *v, size_t n)
{
	char *p = (char *)records + f->offset;

	switch ((enum na_xf_type)f->type) {
	case XF_U32:
	case XF_I32:
		STORE(uint32_t);
		break;
	case XF_U16:
	case XF_I16:
		STORE(uint16_t);
		break;
	case XF_U8:
	case XF_I8:
		STORE(uint8_t);
		break;
	case XF_I64:
	case XF_U64:
		STORE(int64_t);
		break;
	}
}

void na_xf_shadow_of(const struct na_transfer *t, struct na_xf_action *a)
{
	*a = (struct na_xf_action){
		.duration_ps = t->action_ps == NA_UNKNOWN_PS ? 0 : t->action_ps,
		.size_bytes = t->size_bytes,
		.device = t->side == NA_RX ? t->dst : t->src,
		.collective = t->collective,
		.type = t->type,
		.launch = t->launch,
		.iteration = t->iteration,
		.chunk = t->chunk,
		.level = t->level,
	};
}

void na_xf_shadow_add(struct na_xf_action *a, const struct na_xf_action *b,
		      int sign)
{
	uint64_t s = sign < 0 ? UINT64_MAX : 1; /* modulo 2^64 */
	uint32_t w = (uint32_t)s;

	a->duration_ps = (int64_t)((uint64_t)a->duration_ps +
				   s * (uint64_t)b->duration_ps);
	a->size_bytes += s * b->size_bytes;
	a->device += w * b->device;
	a->collective += w * b->collective;
	a->type += w * b->type;
	a->launch += w * b->launch;
	a->iteration += w * b->iteration;
	a->chunk = (int32_t)((uint32_t)a->chunk + w * (uint32_t)b->chunk);
	a->level = (int32_t)((uint32_t)a->level + w * (uint32_t)b->level);
}

#include "members.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/info.h"

#include <inttypes.h>
#include <stddef.h>

/* clang-format off */
#define COUNT(name, header) \
	{#name, header, offsetof(struct na_capture_counts, name)}
static const struct { const char *name, *header; size_t at; } counts[] = {
	COUNT(packets, "packets"),
	COUNT(captured_bytes, "captured B"),
	COUNT(wire_bytes, "on the wire B"),
	COUNT(interfaces, "interfaces"),
	COUNT(connections, "connections"),
	COUNT(rpcs, "calls"),
	COUNT(roce_messages, "RoCE messages"),
	COUNT(exchanges, "exchanges"),
	COUNT(tcp, "TCP"),
	COUNT(udp, "UDP"),
	COUNT(other_ip, "other IP"),
	COUNT(non_ip, "non-IP"),
	COUNT(fragments, "fragments"),
	COUNT(fragments_lost, "fragments lost"),
	COUNT(malformed, "malformed"),
	COUNT(cut_packets, "cut"),
	COUNT(backward_steps, "steps back in time"),
	COUNT(connections_evicted, "connections evicted"),
	COUNT(http2_connections, "HTTP/2 connections"),
	COUNT(http2_mid_stream, "from mid-stream"),
	COUNT(http2_damaged, "damaged"),
	COUNT(roce_packets, "RoCE packets"),
	COUNT(roce_naks, "NAKs"),
	COUNT(roce_psn_gaps, "PSN gaps"),
	COUNT(roce_congestion, "congestion notifications"),
	COUNT(roce_ce_marks, "CE marks"),
	COUNT(roce_rnr_naks, "RNR NAKs"),
	COUNT(roce_psn_repeats, "PSN repeats"),
	COUNT(limits_hit, "limits hit"),
};
/* clang-format on */
enum { N_COUNTS = NA_LEN(counts) };

static uint64_t value(const struct na_capture_counts *x, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)x +
						 counts[i].at);
}

void na_info_add_capture(struct na_capture_counts *to,
			 const struct na_capture_counts *x)
{
	bool first = !to->packets;

	for (size_t i = 0; i < N_COUNTS; i++)
		*(uint64_t *)(void *)((char *)to + counts[i].at) += value(x, i);
	to->filtered += x->filtered;
	if (!x->packets)
		return;
	if (first || x->earliest_ns < to->earliest_ns)
		to->earliest_ns = x->earliest_ns;
	if (first || x->latest_ns > to->latest_ns)
		to->latest_ns = x->latest_ns;
}

void na_info_put_capture(struct na_result *r, struct na_value *row,
			 const struct na_capture_counts *x)
{
	for (size_t i = 0; i < N_COUNTS; i++)
		na_put_int(r, row, counts[i].name, (int64_t)value(x, i));
	na_put_int(r, row, M_packets_filtered, (int64_t)x->filtered);
}

void na_info_view_captures(struct na_result *r, const struct na_value *rows,
			   bool labels)
{
	/* clang-format off */
	static const struct na_column file_cols[] = {
		{M_label, "label", NA_F_TEXT, 0, 0},
		{M_host, "file", NA_F_TEXT, 0, 0},
		{M_packets, "packets", NA_F_COUNT, 0, 0},
		{M_captured_bytes, "captured B", NA_F_COUNT, 0, 0},
		{M_wire_bytes, "on the wire B", NA_F_COUNT, 0, 0},
		{M_interfaces, "interfaces", NA_F_COUNT, 0, 0},
		{M_connections, "TCP connections", NA_F_COUNT, 0, 0},
		{M_rpcs, "calls", NA_F_COUNT, 0, 0},
		{M_exchanges, "exchanges", NA_F_COUNT, 0, 0},
		{M_roce_messages, "RoCE messages", NA_F_COUNT, 0, 0},
		{M_from_s, "from s", NA_F_FIXED, 3, 0},
		{M_to_s, "to s", NA_F_FIXED, 3, 0},
	};
	static const struct na_column kind_cols[] = {
		{M_label, "label", NA_F_TEXT, 0, 0},
		{M_host, "file", NA_F_TEXT, 0, 0},
		{M_tcp, "TCP", NA_F_COUNT, 0, 0},
		{M_udp, "UDP", NA_F_COUNT, 0, 0},
		{M_other_ip, "other IP", NA_F_COUNT, 0, 0},
		{M_non_ip, "non-IP", NA_F_COUNT, 0, 0},
		{M_fragments, "fragments", NA_F_COUNT, 0, 0},
		{M_malformed, "malformed", NA_F_COUNT, 0, 0},
		{M_cut_packets, "cut", NA_F_COUNT, 0, 0},
		{M_backward_steps, "steps back in time", NA_F_COUNT, 0, 0},
		{M_packets_filtered, "filtered", NA_F_COUNT, 0, 0},
	};
	/* clang-format on */

	na_result_view(r, "captures", rows, NULL, file_cols + !labels,
		       NA_LEN(file_cols) - !labels, 0);
	na_result_view(r, "packets", rows, NULL, kind_cols + !labels,
		       NA_LEN(kind_cols) - !labels, 0);
}

/* Only what is there. */
static void note(struct na_result *r, uint64_t n, const char *what)
{
	char text[NA_UNIT_BUF];

	if (n)
		na_result_note(r, "%s: %s", what, na_print_count(text, n));
}

void na_info_note_capture(struct na_result *r,
			  const struct na_capture_counts *all, bool damaged)
{
	if (!all->packets && !all->filtered && !damaged)
		na_result_note(r, "no packets: the capture is empty; was the "
				  "right interface recorded?");
	note(r, all->cut_packets,
	     "packets cut by the snap length (bytes count as on the wire; "
	     "calls in what was cut cannot be read)");
	note(r, all->backward_steps,
	     "steps back in time from packet to packet");
	note(r, all->malformed, "packets whose headers lie or end early");
	note(r, all->fragments_lost, "fragments without their other parts");
	note(r, all->http2_mid_stream,
	     "HTTP/2 connections picked up in mid-stream (some of their calls "
	     "have no known name)");
	note(r, all->roce_psn_gaps, "gaps in RoCE sequence numbers");
	note(r, all->roce_naks, "RoCE NAKs");
	note(r, all->roce_congestion, "RoCE congestion notifications");
}

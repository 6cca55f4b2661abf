#include "members.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/info.h"

#include <inttypes.h>
#include <stddef.h>

#define COUNT(name) \
	{ \
		M_##name, offsetof(struct na_capture_counts, name) \
	}
static const struct {
	const char *name;
	size_t at;
} counts[] = {
	COUNT(packets),
	COUNT(captured_bytes),
	COUNT(wire_bytes),
	COUNT(interfaces),
	COUNT(connections),
	COUNT(rpcs),
	COUNT(roce_messages),
	COUNT(exchanges),
	COUNT(tcp),
	COUNT(udp),
	COUNT(other_ip),
	COUNT(non_ip),
	COUNT(fragments),
	COUNT(fragments_lost),
	COUNT(malformed),
	COUNT(cut_packets),
	COUNT(backward_steps),
	COUNT(connections_evicted),
	COUNT(http2_connections),
	COUNT(http2_mid_stream),
	COUNT(http2_damaged),
	COUNT(roce_packets),
	COUNT(roce_naks),
	COUNT(roce_psn_gaps),
	COUNT(roce_congestion),
	COUNT(roce_ce_marks),
	COUNT(roce_rnr_naks),
	COUNT(roce_psn_repeats),
	COUNT(limits_hit),
};
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
	static const struct na_column file_cols[] = {
		{M_label},          {M_host, "file"}, {M_packets},
		{M_captured_bytes}, {M_wire_bytes},   {M_interfaces},
		{M_connections},    {M_rpcs},         {M_exchanges},
		{M_roce_messages},  {M_from_s},       {M_to_s}};
	static const struct na_column kind_cols[] = {{M_label},
						     {M_host, "file"},
						     {M_tcp},
						     {M_udp},
						     {M_other_ip},
						     {M_non_ip},
						     {M_fragments},
						     {M_malformed},
						     {M_cut_packets},
						     {M_backward_steps},
						     {M_packets_filtered}};
	const struct na_table *t = &na_table_info_rows;

	na_result_view(r, "captures", rows, t, file_cols + !labels,
		       NA_LEN(file_cols) - !labels, 0);
	na_result_view(r, "packets", rows, t, kind_cols + !labels,
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

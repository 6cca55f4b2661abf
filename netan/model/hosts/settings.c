#include "netan/model/hosts/settings.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
const char *const na_nic_counters[NA_N_NIC_COUNTERS] = {
	[NA_NIC_RX_PACKETS] = "rx_packets",
	[NA_NIC_TX_PACKETS] = "tx_packets",
	[NA_NIC_RX_ERRORS] = "rx_errors",
	[NA_NIC_TX_ERRORS] = "tx_errors",
	[NA_NIC_RX_CRC] = "rx_crc_errors",
	[NA_NIC_RX_FRAME] = "rx_frame_errors",
	[NA_NIC_RX_LENGTH] = "rx_length_errors",
	[NA_NIC_RX_OVER] = "rx_over_errors",
	[NA_NIC_RX_FIFO] = "rx_fifo_errors",
	[NA_NIC_TX_CARRIER] = "tx_carrier_errors",
	[NA_NIC_TX_FIFO] = "tx_fifo_errors",
	[NA_NIC_TX_ABORTED] = "tx_aborted_errors",
	[NA_NIC_RX_DROPPED] = "rx_dropped",
	[NA_NIC_TX_DROPPED] = "tx_dropped",
	[NA_NIC_RX_MISSED] = "rx_missed_errors",
};

const char *const na_tcp_counters[NA_N_TCP_COUNTERS] = {
	[NA_TCP_OUT_SEGS] = "OutSegs",
	[NA_TCP_RETRANS_SEGS] = "RetransSegs",
	[NA_TCP_TIMEOUTS] = "TCPTimeouts",
	[NA_TCP_LOST_RETRANSMIT] = "TCPLostRetransmit",
	[NA_TCP_SYN_RETRANS] = "TCPSynRetrans",
	[NA_TCP_LISTEN_OVERFLOWS] = "ListenOverflows",
	[NA_TCP_PRUNE_CALLED] = "PruneCalled",
};
/* clang-format on */

const char *na_setting_name(enum na_setting s)
{
	static const char *const names[] = {
#define NA_SETTING(id, name, path, numbers) [NA_SET_##id] = name,
#include "netan/model/hosts/settings.def"
#undef NA_SETTING
	};

	return names[s];
}

void na_settings_init(struct na_settings *s)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < NA_N_SETTINGS; i++)
		s->setting[i].why = "was not read";
	for (size_t i = 0; i < NA_N_TCP_COUNTERS; i++)
		s->counter[i] = NA_NOT_KNOWN;
	s->counters_why[0] = s->counters_why[1] = "was not read";
	s->nics_why = s->routes.why = "was not read";
}

void na_settings_fini(struct na_settings *s)
{
	free(s->routes.items);
	free(s->files);
	free(s->refused);
	na_arena_fini(&s->arena);
	memset(s, 0, sizeof(*s));
}

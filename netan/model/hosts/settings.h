/*
 * A host's network settings and counters as they were read, before anybody
 * judges them.  What could not be seen is unknown, with the reason; it is
 * never a zero.
 */
#ifndef NETAN_MODEL_HOSTS_SETTINGS_H
#define NETAN_MODEL_HOSTS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/arena.h"

#define NA_NOT_KNOWN INT64_MIN

enum na_setting {
#define NA_SETTING(id, name, path, numbers) NA_SET_##id,
#include "netan/model/hosts/settings.def"
#undef NA_SETTING
	NA_N_SETTINGS
};

/* One value.  text or why is NULL, the other is not. */
struct na_setting_value {
	const char *text; /* one line of printable text, blanks single */
	const char *why;  /* it is not known */
	bool absent;      /* because there is no such file */
	int64_t v[3];     /* numbers, where the setting holds numbers */
};

enum na_route_kind { NA_ROUTE_UNICAST, NA_ROUTE_OTHER };

struct na_route {
	const char *dst;                     /* "default", "10.0.0.0/8" */
	const char *via, *dev, *src, *table; /* NULL: not told; table: main */
	int64_t metric;                      /* NA_NOT_KNOWN: not told */
	unsigned hops; /* of them via and dev are the first's */
	/* "nexthop via 10.0.0.1 dev eth0 weight 1 nexthop ...": all of them
	 * as ip takes them; NULL: none, or they cannot be told so. */
	const char *next_hops;
	enum na_route_kind kind;
	int family; /* 4, 6; 0: cannot be told */
	bool down;  /* its link is */
	/* Minimum retransmission timeout; NA_NOT_KNOWN: the route has none.
	 * The kernel heeds it only where it is locked. */
	int64_t rto_min_us;
	bool unlocked;
};

struct na_routes {
	struct na_route *items;
	size_t n, cap;
	uint64_t odd;      /* lines or messages that could not be understood */
	uint64_t left_out; /* beyond the reader's limit */
	const char *why;   /* nothing is known of routes; NULL: it is */
};

/* Of /sys/class/net/NAME/statistics. */
enum na_nic_counter {
	NA_NIC_RX_PACKETS,
	NA_NIC_TX_PACKETS,
	NA_NIC_RX_ERRORS,
	NA_NIC_TX_ERRORS,
	NA_NIC_RX_CRC,
	NA_NIC_RX_FRAME,
	NA_NIC_RX_LENGTH,
	NA_NIC_RX_OVER,
	NA_NIC_RX_FIFO,
	NA_NIC_TX_CARRIER,
	NA_NIC_TX_FIFO,
	NA_NIC_TX_ABORTED,
	NA_NIC_RX_DROPPED,
	NA_NIC_TX_DROPPED,
	NA_NIC_RX_MISSED,
	NA_N_NIC_COUNTERS
};
enum { /* errors are [first, drops), drops [drops, end) */
       NA_NIC_FIRST_ERROR = NA_NIC_RX_ERRORS,
       NA_NIC_FIRST_DROP = NA_NIC_RX_DROPPED
};
extern const char *const na_nic_counters[NA_N_NIC_COUNTERS];

enum na_nic_kind {
	NA_NIC_PHYSICAL, /* there is a device behind it */
	NA_NIC_VIRTUAL,
	NA_NIC_LOOPBACK
};

struct na_nic {
	const char *name;
	enum na_nic_kind kind;
	const char *driver;            /* NULL: not told */
	const char *state;             /* "up", "down", ...; NULL: not known */
	int64_t mtu_bytes, speed_mbps; /* NA_NOT_KNOWN */
	int64_t counter[NA_N_NIC_COUNTERS];
};

/* Of /proc/net/snmp and netstat. */
enum na_tcp_counter {
	NA_TCP_OUT_SEGS,
	NA_TCP_RETRANS_SEGS,
	NA_TCP_TIMEOUTS,
	NA_TCP_LOST_RETRANSMIT,
	NA_TCP_SYN_RETRANS,
	NA_TCP_LISTEN_OVERFLOWS,
	NA_TCP_PRUNE_CALLED,
	NA_N_TCP_COUNTERS
};
extern const char *const na_tcp_counters[NA_N_TCP_COUNTERS];
/* Which file tells it: 0 snmp, 1 netstat. */
static inline int na_tcp_counter_file(enum na_tcp_counter c)
{
	return c > NA_TCP_RETRANS_SEGS;
}

/* What was read, as it was: for a snapshot. */
struct na_settings_file {
	const char *path; /* below the root, without a slash before it */
	const char *bytes;
	size_t n;
};

struct na_settings {
	struct na_arena arena; /* owns all texts and arrays but `cap` ones */
	const char *host;      /* NULL: nothing tells its name */
	struct na_setting_value setting[NA_N_SETTINGS];
	struct na_routes routes;
	struct na_nic *nics; /* by name, numbers in order */
	size_t n_nics, nics_left_out;
	const char *nics_why; /* nothing is known of NICs */
	int64_t counter[NA_N_TCP_COUNTERS];
	/* One that is not known: why; of snmp, of netstat. */
	const char *counters_why[2];
	struct na_settings_file *files;
	size_t n_files, cap_files;
	const char **refused; /* files that are there and could not be read */
	size_t n_refused, cap_refused;
	uint64_t bytes; /* of all files */
};

const char *na_setting_name(enum na_setting s);
void na_settings_init(struct na_settings *s);
void na_settings_fini(struct na_settings *s);

#endif

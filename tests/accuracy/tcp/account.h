/*
 * What the wire did, for those who judge: each frame that it dropped or
 * doubled, sums for each direction of each connection, and the capture of a
 * tap in the middle.
 */
#ifndef ACCURACY_TCP_ACCOUNT_H
#define ACCURACY_TCP_ACCOUNT_H

#include <stdio.h>

#include "tests/accuracy/tcp/pcap.h"
#include "tests/accuracy/tcp/rules.h"

enum { HOSTS_MAX = 8 };

struct account {
	struct flow flows[FLOWS_MAX];
	size_t n_flows;
	FILE *log;
	const char *tap_path;
	struct pcap_packets tap;
	int64_t wall_ns; /* of time 0 */
	uint64_t frames, dropped, refused, other;
	uint64_t unseen; /* lost before the wire saw them: truth is not known */
	int64_t latest_ns; /* how much later than the rules said one left */
	bool failed;
};

/* Either path may be NULL. */
bool account_open(struct account *a, const char *log, const char *tap,
		  int64_t wall_ns);
bool account_close(struct account *a, const char *json);

/* The flow of a TCP frame; NULL: there are too many.  fresh: it brings bytes
 * that were not seen; arrival: its number in its flow. */
struct flow *account_come(struct account *a, const struct frame_view *v,
			  bool *fresh, uint64_t *arrival);
void account_left(struct flow *flow, uint64_t arrival);
void account_drop(struct account *a, struct flow *flow,
		  const struct frame_view *v, size_t rule, int64_t at_ns);
void account_twice(struct account *a, struct flow *flow,
		   const struct frame_view *v, size_t rule, int64_t at_ns);
void account_late(struct account *a, int64_t late_ns);
/* Nobody took it: the device is down. */
void account_refused(struct account *a, const uint8_t *bytes, size_t n,
		     int64_t at_ns);
void account_tap(struct account *a, const uint8_t *bytes, size_t n,
		 int64_t at_ns);

#endif

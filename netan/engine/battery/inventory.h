/*
 * What a session holds, as a result that checks can read: the exhibit
 * "session".
 */
#ifndef NETAN_ENGINE_INVENTORY_H
#define NETAN_ENGINE_INVENTORY_H

#include "netan/engine/battery/battery.h"

/* The envelope (what was left out: of receives), and in the side tree: files, damaged, refused, hosts, runs
 * (counts); one_clock; receives, sends, clock_skew, no_latency, loopback,
 * bad_key; actions, graphs; malformed_packets, limits_hit, http2_damaged,
 * backward_steps; inputs[]: path, trace (not packets), damaged, devices,
 * transfers.  NULL when memory is short. */
struct na_result *na_inventory(struct na_battery *b);

#endif

#include "netan/synth/xspace/fleet.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "netan/base/units.h"

enum {
	PEERS = 5,
	DEVICES_A_SLICE = 100000,
	FIRST_LAUNCH = 400,
	STEP_US = 40000,
	LATE_US = 100, /* launches of one step begin within that */
	SEND_AT_US = 25,
	SEEN_US = 2 /* the receiver's event ends that much later */
};
#define US        NA_PS_PER_US
#define BYTES     UINT64_C(65536)
#define LATENCY   35
#define SPREAD_US 30

struct fleet {
	const struct na_synth_config *cfg;
	struct na_trace *trace;
	struct na_plane plane;
	int64_t host;
	int64_t graph, send_end, recv_end;
	int64_t key, launch, loop, dur, sizes, latency, index;
};

/* What both ends of a transfer have to agree on: not drawn in turn. */
static int64_t draw(const struct fleet *f, int64_t a, int64_t b, int64_t step,
		    uint64_t below)
{
	struct na_rng rng;

	na_rng_seed(&rng, ((uint64_t)f->cfg->seed * 1000003 + (uint64_t)a) *
					  1000003 +
				  (uint64_t)(b * 65537 + step));
	return (int64_t)na_rng_below(&rng, below);
}

static int64_t begins_us(const struct fleet *f, int64_t host, int64_t step)
{
	return 200 + step * STEP_US + draw(f, host, -1, step, LATE_US);
}

static int64_t latency_us(const struct fleet *f, int64_t src, int64_t dst,
			  int64_t step)
{
	return LATENCY + draw(f, src, dst, step, SPREAD_US);
}

/* How far the k-th peer is, around the fleet: 1 to the half of it. */
static int64_t stride(const struct fleet *f, int64_t k)
{
	return 1 + k * (f->cfg->hosts / 2) / PEERS;
}

static bool has_peer(const struct fleet *f, int64_t k)
{
	return f->cfg->hosts > 1 && (!k || stride(f, k) > stride(f, k - 1));
}

static void name_all(struct fleet *f)
{
	struct na_plane *p = &f->plane;
	char name[64];

	snprintf(name, sizeof(name), "device_%" PRId64 "_gid_all-reduce.12_0",
		 f->host * DEVICES_A_SLICE);
	f->graph = na_plane_name(p, name);
	f->send_end = na_plane_name(p, "NetworkSend END");
	f->recv_end = na_plane_name(p, "NetworkReceive END");
	f->key = na_plane_stat(p, "graph_key");
	f->launch = na_plane_stat(p, "launch_id");
	f->loop = na_plane_stat(p, "loop_iteration");
	f->dur = na_plane_stat(p, "action_duration_ns");
	f->sizes = na_plane_stat(p, "buffer_sizes");
	f->latency = na_plane_stat(p, "network_transport_latency_us");
	f->index = na_plane_stat(p, "action_index");
}

static void open_event(struct fleet *f, int64_t name, int64_t step,
		       int64_t from_us, int64_t to_us)
{
	char key[96];

	snprintf(key, sizeof(key),
		 "device_%" PRId64 "_gid_all-reduce.12_0$l%" PRId64 "^i0",
		 f->host * DEVICES_A_SLICE, FIRST_LAUNCH + step);
	na_plane_event(&f->plane, name, from_us * US, (to_us - from_us) * US);
	na_stat_str(&f->plane, f->key, key);
}

static void put_sizes(struct fleet *f, int64_t src, int64_t dst)
{
	char text[80];

	snprintf(text, sizeof(text), "s%" PRId64 "->%" PRId64 "d|$c0=%" PRIu64,
		 src * DEVICES_A_SLICE, dst * DEVICES_A_SLICE, BYTES);
	na_stat_str(&f->plane, f->sizes, text);
}

static void write_send(struct fleet *f, int64_t step, int64_t dst)
{
	int64_t took = latency_us(f, f->host, dst, step);
	int64_t from = begins_us(f, f->host, step) + SEND_AT_US;

	open_event(f, f->send_end, step, from + took - 2, from + took);
	put_sizes(f, f->host, dst);
	na_stat_int(&f->plane, f->dur, took * 1000);
	na_stat_int(&f->plane, f->index, 0);
	na_plane_event_end(&f->plane);
	na_truth_tx(&f->trace->truth->graph, from * US, (from + took) * US,
		    BYTES, 1);
}

/* When it has arrived.  A receive that was sent before this host's launch
 * waits for that. */
static int64_t arrives_us(const struct fleet *f, int64_t src, int64_t step)
{
	return begins_us(f, src, step) + SEND_AT_US +
	       latency_us(f, src, f->host, step) + SEEN_US;
}

static void write_receive(struct fleet *f, int64_t step, int64_t src)
{
	int64_t took = latency_us(f, src, f->host, step);
	int64_t from = begins_us(f, f->host, step);
	int64_t to = arrives_us(f, src, step);

	if (to < from + SEEN_US)
		to = from + SEEN_US;
	open_event(f, f->recv_end, step, to - SEEN_US, to);
	put_sizes(f, src, f->host);
	na_stat_int(&f->plane, f->dur, (to - from) * 1000);
	na_stat_uint(&f->plane, f->latency, (uint64_t)took);
	na_plane_event_end(&f->plane);
	na_truth_rx(&f->trace->truth->graph, NA_RX_VALID, to * US, took, BYTES,
		    1);
}

static void write_step(struct fleet *f, int64_t step)
{
	int64_t n = f->cfg->hosts, from = begins_us(f, f->host, step);
	int64_t to = from + SEND_AT_US + LATENCY + SPREAD_US;

	for (int64_t k = 0; k < PEERS; k++) {
		int64_t at = arrives_us(f, (f->host + n - stride(f, k)) % n,
					step);

		to = has_peer(f, k) && at > to ? at : to;
	}
	open_event(f, f->graph, step, from, to + 10);
	na_stat_int(&f->plane, f->launch, FIRST_LAUNCH + step);
	na_stat_int(&f->plane, f->loop, 0);
	na_plane_event_end(&f->plane);
	f->trace->truth->graph.graphs++;
	for (int64_t k = 0; k < PEERS; k++) {
		if (!has_peer(f, k))
			continue;
		write_send(f, step, (f->host + stride(f, k)) % n);
		write_receive(f, step, (f->host + n - stride(f, k)) % n);
	}
}

enum na_status na_fleet_write(const struct na_synth_config *cfg,
			      struct na_trace *t, struct na_err *err)
{
	struct fleet f = {.cfg = cfg, .trace = t, .host = t->truth->number};
	enum na_status st;
	char line[32];

	na_plane_start(&f.plane, t, 300, "/device:CUSTOM:Megascale Trace");
	name_all(&f);
	t->truth->first_device = f.host * DEVICES_A_SLICE;
	t->truth->devices = 1;
	snprintf(line, sizeof(line), "device_%" PRId64, t->truth->first_device);
	na_plane_line(&f.plane, 1, line, 0);
	for (int64_t step = 0; step < cfg->steps; step++)
		write_step(&f, step);
	na_plane_line_end(&f.plane);
	st = na_plane_finish(&f.plane, err);
	return st ? st
		  : na_plane_clock(t, (cfg->steps + 1) * STEP_US * US, err);
}

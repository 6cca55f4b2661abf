#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netan/synth/xspace/bench_state.h"

enum {
	NET_DEVICES = 4,
	SLICE = 1,
	HOST_THREADS = 4,
	LINE_NS = 100000,
	FIRST_LAUNCH = 400
};
/* Measured; they only have to be near. */
enum { TYPICAL_EVENT_BYTES = 55, NETWORK_EVENT_BYTES = 103 };

static uint64_t wanted_events(const struct na_synth_config *cfg)
{
	int64_t size = cfg->size_bytes ? cfg->size_bytes : 500000000;

	if (cfg->events)
		return (uint64_t)cfg->events;
	return (uint64_t)size / (cfg->profile == NA_PROFILE_TYPICAL
					 ? TYPICAL_EVENT_BYTES
					 : NETWORK_EVENT_BYTES);
}

static enum na_status write_host(struct na_bench *b, uint64_t events,
				 struct na_err *err)
{
	/* clang-format off */
	static const char *const names[] = {
		"PjitFunction(train_step)", "ParseArguments", "TpuExecute",
		"$train.py:212 train_step", "$numpy.py:88 asarray",
		"TransferToDevice", "ThreadpoolListener::Region"
	};
	/* clang-format on */
	struct na_plane *p = &b->plane;
	int64_t ids[7], stats[4];

	na_plane_start(p, b->trace, 0, "/host:CPU");
	for (int i = 0; i < 7; i++)
		ids[i] = na_plane_name(p, names[i]);
	stats[0] = na_plane_stat(p, "_ct");
	stats[1] = na_plane_stat(p, "_c");
	stats[2] = na_plane_stat(p, "device_ordinal");
	stats[3] = na_plane_stat(p, "size");
	for (uint64_t t = 0; t < HOST_THREADS; t++) {
		uint64_t n = events * (t + 1) / HOST_THREADS -
			     events * t / HOST_THREADS;
		int64_t pace = b->last_ps / (int64_t)(n + 1) + 1;
		char name[32];

		snprintf(name, sizeof(name), "main/%d", (int)(3116817 + t));
		na_plane_line(p, (int64_t)(3116817 + t), name, LINE_NS);
		for (uint64_t i = 0; i < n; i++) {
			na_plane_event(p, ids[i % 7],
				       LINE_NS * NA_PS_PER_NS +
					       (int64_t)i * pace,
				       pace / 2);
			na_stat_int(p, stats[0], 7);
			na_stat_int(p, stats[1], na_bench_below(b, 1 << 28));
			na_stat_int(p, stats[2], (int64_t)(i % 4));
			na_stat_int(p, stats[3], na_bench_below(b, 1 << 21));
			na_plane_event_end(p);
		}
		na_plane_line_end(p);
	}
	return na_plane_finish(p, err);
}

/* ---- Megascale plane */

enum {
	GRAPH,
	D2H_START,
	D2H_END,
	SEND_START,
	SEND_END,
	RECV_START,
	RECV_END,
	H2D_START,
	H2D_END,
	N_EVENTS
};

struct mega {
	struct na_bench *b;
	int64_t graphs[COLLS], names[N_EVENTS];
	int64_t key, index, launch, loop, dur, sizes, latency, input;
	/* the execution being written */
	uint64_t number, bytes;
	int64_t device, start_ps, pace_ps, latency_us;
	char key_text[96], size_text[64];
};

static void name_all(struct mega *m, int64_t device)
{
	/* clang-format off */
	static const char *const names[N_EVENTS] = {
		NULL, "DeviceToHost START", "DeviceToHost END",
		"NetworkSend START", "NetworkSend END",
		"NetworkReceive START", "NetworkReceive END",
		"HostToDevice START", "HostToDevice END"
	};
	/* clang-format on */
	struct na_plane *p = &m->b->plane;
	char name[64];

	m->device = device;
	for (int i = 1; i < N_EVENTS; i++)
		m->names[i] = na_plane_name(p, names[i]);
	for (int i = 0; i < COLLS; i++) {
		snprintf(name, sizeof(name),
			 "device_%" PRId64 "_gid_all-reduce.%d_0", device,
			 12 + i);
		m->graphs[i] = na_plane_name(p, name);
	}
	m->key = na_plane_stat(p, "graph_key");
	m->index = na_plane_stat(p, "action_index");
	m->launch = na_plane_stat(p, "launch_id");
	m->loop = na_plane_stat(p, "loop_iteration");
	m->dur = na_plane_stat(p, "action_duration_ns");
	m->sizes = na_plane_stat(p, "buffer_sizes");
	m->latency = na_plane_stat(p, "network_transport_latency_us");
	m->input = na_plane_stat(p, "input_size");
}

/* Size, latency and key of the next execution.  With device planes it
 * begins after its send; else they are 300 us apart. */
static void next_execution(struct mega *m)
{
	struct na_bench *b = m->b;
	int64_t noise = na_bench_below(b, 16);
	int peer;

	m->bytes = UINT64_C(4096) << na_bench_below(b, 10);
	m->latency_us = 35 + noise + (int64_t)(m->bytes / 3000) +
			(na_bench_below(b, 1000) == 0 ? 2000 : 0);
	m->start_ps += m->pace_ps;
	/* Its own slice is not among the peers. */
	peer = (SLICE + 1 + (int)na_bench_below(b, PEERS - 1)) % PEERS;
	snprintf(m->key_text, sizeof(m->key_text),
		 "device_%" PRId64 "_gid_all-reduce.%d_0$l%" PRIu64 "^i0",
		 m->device, 12 + (int)(m->number % COLLS),
		 FIRST_LAUNCH + m->number / COLLS);
	snprintf(m->size_text, sizeof(m->size_text),
		 "s%" PRId64 "->%" PRId64 "d|$c0=%" PRIu64,
		 m->device % 100000 + peer * 100000, m->device, m->bytes);
}

static void open_event(struct mega *m, int kind, int64_t from_us, int64_t to_us)
{
	na_plane_event(&m->b->plane,
		       kind == GRAPH ? m->graphs[m->number % COLLS]
				     : m->names[kind],
		       m->start_ps + from_us * US, (to_us - from_us) * US);
	na_stat_str(&m->b->plane, m->key, m->key_text);
}

static void write_graph(struct mega *m)
{
	struct na_plane *p = &m->b->plane;

	open_event(m, GRAPH, 0, 60 + m->latency_us);
	na_stat_int(p, m->input, (int64_t)m->bytes);
	na_stat_int(p, m->launch, (int64_t)(FIRST_LAUNCH + m->number / COLLS));
	na_stat_int(p, m->loop, 0);
	na_plane_event_end(p);
	m->b->trace->truth->graph.graphs++;
}

static void write_start(struct mega *m, int kind, int64_t at_us)
{
	struct na_plane *p = &m->b->plane;

	open_event(m, kind, at_us, at_us + 1);
	na_stat_int(p, m->index, 0);
	na_stat_int(p, m->launch, (int64_t)(FIRST_LAUNCH + m->number / COLLS));
	na_stat_int(p, m->loop, 0);
	na_plane_event_end(p);
}

static void write_copy_end(struct mega *m, int kind, int64_t at_us,
			   int64_t dur_us)
{
	struct na_plane *p = &m->b->plane;

	open_event(m, kind, at_us - 2, at_us);
	na_stat_int(p, m->dur, dur_us * 1000);
	na_stat_int(p, m->index, 0);
	na_stat_int(p, m->launch, (int64_t)(FIRST_LAUNCH + m->number / COLLS));
	na_plane_event_end(p);
	m->b->trace->truth->graph.d2h += kind == D2H_END;
	m->b->trace->truth->graph.h2d += kind == H2D_END;
}

static void write_send_end(struct mega *m)
{
	struct na_plane *p = &m->b->plane;
	int64_t end_us = 25 + m->latency_us, end_ps;
	char text[64];
	const char *arrow = strstr(m->size_text, "->");
	int sender = (int)(arrow - m->size_text) - 1;

	/* The same pair the other way round. */
	snprintf(text, sizeof(text), "s%" PRId64 "->%.*sd|$c0=%" PRIu64,
		 m->device, sender, m->size_text + 1, m->bytes);
	open_event(m, SEND_END, end_us - 2, end_us);
	na_stat_str(p, m->sizes, text);
	na_stat_int(p, m->dur, m->latency_us * 1000);
	na_stat_int(p, m->index, 0);
	na_plane_event_end(p);
	end_ps = m->start_ps + end_us * US;
	na_truth_tx(&m->b->trace->truth->graph, end_ps - m->latency_us * US,
		    end_ps, m->bytes, 1);
}

static void write_recv_end(struct mega *m)
{
	struct na_plane *p = &m->b->plane;
	int64_t end_us = 30 + m->latency_us;

	open_event(m, RECV_END, end_us - 2, end_us);
	na_stat_str(p, m->sizes, m->size_text);
	na_stat_int(p, m->dur, end_us * 1000);
	na_stat_uint(p, m->latency, (uint64_t)m->latency_us);
	na_plane_event_end(p);
	na_truth_rx(&m->b->trace->truth->graph, NA_RX_VALID,
		    m->start_ps + end_us * US, m->latency_us, m->bytes, 1);
}

static void write_one(struct mega *m, int kind)
{
	int64_t back_us = 32 + m->latency_us;

	switch (kind) {
	case GRAPH:
		write_graph(m);
		break;
	case D2H_START:
	case RECV_START:
		write_start(m, kind, kind == D2H_START ? 2 : 0);
		break;
	case D2H_END:
		write_copy_end(m, kind, 20, 18);
		break;
	case SEND_START:
		write_start(m, kind, 25);
		break;
	case SEND_END:
		write_send_end(m);
		break;
	case RECV_END:
		write_recv_end(m);
		break;
	case H2D_START:
		write_start(m, kind, back_us);
		break;
	default:
		write_copy_end(m, kind, back_us + 22, 22);
		break;
	}
}

static enum na_status write_mega(struct na_bench *b, uint64_t events,
				 struct na_err *err)
{
	static const int all[] = {GRAPH,      D2H_START,  D2H_END,
				  RECV_START, SEND_START, SEND_END,
				  RECV_END,   H2D_START,  H2D_END};
	static const int network[] = {GRAPH, SEND_END, RECV_END};
	bool typical = b->cfg->profile == NA_PROFILE_TYPICAL;
	uint64_t devices = typical ? DEVICES : NET_DEVICES;
	uint64_t cycle = typical ? N_EVENTS : 3;
	struct na_plane *p = &b->plane;

	na_plane_start(p, b->trace, 300, "/device:CUSTOM:Megascale Trace");
	for (uint64_t d = 0; d < devices; d++) {
		uint64_t n = events * (d + 1) / devices - events * d / devices;
		struct mega m = {.b = b,
				 .start_ps = 200 * US,
				 .pace_ps = 300 * US};
		char line[32];

		if (typical) {
			m.pace_ps = OPS_PER_COLL * OP_PACE_US * US;
			m.start_ps = (SEND_AT * OP_PACE_US + FIRST_OP_US + 10) *
					     US -
				     m.pace_ps;
		}
		name_all(&m, SLICE * 100000 + (int64_t)d);
		snprintf(line, sizeof(line), "device_%" PRId64, m.device);
		na_plane_line(p, (int64_t)d + 1, line, LINE_NS);
		for (uint64_t i = 0; i < n; i++) {
			if (i % cycle == 0) {
				m.number = i / cycle;
				next_execution(&m);
			}
			write_one(&m, typical ? all[i % cycle]
					      : network[i % cycle]);
		}
		na_plane_line_end(p);
		if (m.start_ps > b->last_ps)
			b->last_ps = m.start_ps;
	}
	b->trace->truth->first_device = SLICE * 100000;
	b->trace->truth->devices = (int64_t)devices;
	return na_plane_finish(p, err);
}

enum na_status na_bench_write(const struct na_synth_config *cfg,
			      struct na_trace *t, struct na_err *err)
{
	struct na_bench b = {.cfg = cfg, .trace = t};
	uint64_t n = wanted_events(cfg), per_device = n / 4;
	uint64_t network = cfg->profile == NA_PROFILE_TYPICAL ? n / 8 : n;
	uint64_t host = n - network - DEVICES * per_device;
	enum na_status st = NA_OK;

	na_rng_seed(&b.rng, (uint64_t)cfg->seed);
	if (cfg->profile == NA_PROFILE_TYPICAL) {
		for (int i = 0; !st && i < DEVICES; i++)
			st = na_bench_device(&b, i, per_device, err);
		if (!st)
			st = write_host(&b, host, err);
	}
	if (!st)
		st = write_mega(&b, network, err);
	if (!st)
		st = na_plane_clock(t, b.last_ps, err);
	return st;
}

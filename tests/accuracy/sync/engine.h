/* What the parts of a running simulation share: events in time order, the
 * fabric that moves segments, the job that starts transfers. */
#ifndef ACCURACY_SYNC_ENGINE_H
#define ACCURACY_SYNC_ENGINE_H

#include "tests/accuracy/sync/world.h"

enum sy_event_type {
	/* of the job; a: host, or graph, or transfer */
	SY_E_HOST,
	SY_E_GRAPH, /* launched: its receives are posted */
	SY_E_OUT,   /* its input is copied off the device */
	SY_E_IN,    /* its result is copied to the device */
	SY_E_TAKEN,
	SY_E_REDUCED,
	/* of the fabric; a: transfer, b: segment and attempt */
	SY_E_SEND,
	SY_E_UP,
	SY_E_PATH,
	SY_E_DOWN,
	SY_E_RX,
	SY_E_ARRIVED,
	SY_E_ACK
};

struct sy_event {
	int64_t t;
	uint64_t order; /* of pushing, among equal times */
	uint32_t a, b;
	enum sy_event_type type;
};

struct sy_link {
	int64_t free; /* when its queue is empty */
	double ns_per_byte;
	int64_t segment_ns;
	double load; /* of others */
	uint32_t id;
};

enum { SY_NONE = 0xffffffff };

struct sy_connection {
	double window; /* bytes that may be on their way */
	int64_t inflight;
	uint32_t head, tail; /* being sent; the last one queued */
	uint32_t deliver;    /* the next one to be handed over */
};

struct sy_host {                      /* where its program is */
	uint32_t step, at, waits_for; /* a collective, or SY_NONE */
};

struct sy_engine {
	struct sy_run *run;
	const struct sy_plan *plan;
	struct sy_event *heap;
	size_t n_heap, cap_heap;
	uint64_t order;
	int64_t now;
	bool no_memory, losses;
	struct sy_link tx[SY_HOSTS], rx[SY_HOSTS];
	struct sy_link up[SY_RACKS][SY_SPINES], down[SY_RACKS][SY_SPINES];
	struct sy_link path[SY_FAULTS];
	struct sy_connection *connections;
	uint32_t *after; /* by transfer: behind it on its connection */
	uint16_t *done;  /* receives done, by graph and phase */
	size_t done_from[SY_COLLECTIVES]; /* of a collective's first graph */
	struct sy_host hosts[SY_HOSTS];
};

void sy_push(struct sy_engine *e, int64_t t, enum sy_event_type type,
	     uint32_t a, uint32_t b);
bool sy_pop(struct sy_engine *e, struct sy_event *out);

/* ---- fabric.c */

bool sy_fabric_init(struct sy_engine *e);
void sy_fabric_send(struct sy_engine *e, uint32_t transfer);
void sy_fabric_event(struct sy_engine *e, const struct sy_event *ev);

/* ---- job.c */

/* A host's first step begins now. */
void sy_job_begin(struct sy_engine *e, uint32_t host);
void sy_job_event(struct sy_engine *e, const struct sy_event *ev);

void sy_job_arrived(struct sy_engine *e, uint32_t transfer);

#endif

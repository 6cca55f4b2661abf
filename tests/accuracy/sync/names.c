#include <stdio.h>

#include "tests/accuracy/sync/session.h"

/* 2026-03-02T10:00:00Z, and how long before the job the capture starts. */
static const int64_t epoch_ns = INT64_C(1772445600000000000);
static const int64_t lead_ns = 3000000;

static int64_t local(const struct sy_plan *p, uint32_t host, int64_t t)
{
	return t + p->offset_ns[host] +
	       (int64_t)((double)t * p->drift_ppm[host] * 1e-6);
}

static int64_t capture(const struct sy_plan *p, uint32_t host)
{
	return local(p, host, 0) - lead_ns -
	       (int64_t)(2e6 * sy_draw(p, SY_D_STAMP, host, 0));
}

int64_t sy_stamp(const struct sy_plan *p, uint32_t host, int64_t t)
{
	return local(p, host, t) - capture(p, host);
}

uint64_t sy_capture_start(const struct sy_plan *p, uint32_t host)
{
	return (uint64_t)(epoch_ns + capture(p, host));
}

uint64_t sy_latency_us(const struct sy_run *r, const struct sy_transfer *t)
{
	const struct sy_plan *p = r->plan;
	int64_t end = p->latency_waits ? t->taken : t->arrival;
	int64_t ns = local(p, t->dst, end) - local(p, t->src, t->begin);

	return ns > 0 ? (uint64_t)ns / 1000 : 0;
}

int64_t sy_send_end(const struct sy_plan *p, const struct sy_transfer *t)
{
	return p->local_end ? t->left : t->acked;
}

void sy_host_name(uint32_t host, char name[SY_NAME])
{
	snprintf(name, SY_NAME, "host-%02u", host);
}

void sy_rack_name(uint32_t rack, char name[SY_NAME])
{
	snprintf(name, SY_NAME, "rack-%u", rack);
}

uint32_t sy_slice(const struct sy_plan *p, uint32_t host)
{
	return host / p->hosts_per_slice;
}

uint32_t sy_device(const struct sy_plan *p, uint32_t host, uint32_t device)
{
	return host % p->hosts_per_slice * p->n_devices + device;
}

uint32_t sy_device_id(const struct sy_plan *p, uint32_t host, uint32_t device)
{
	return sy_slice(p, host) * 100000 + sy_device(p, host, device);
}

void sy_collective_name(const struct sy_plan *p, uint32_t collective,
			char name[SY_NAME])
{
	static const char *const stems[SY_PATTERNS] = {
		"all-gather",        "reduce-scatter", "all-reduce",
		"all-gather",        "all-reduce",     "all-gather",
		"all-reduce",        "all-to-all",     "collective-permute",
		"collective-permute"};
	const struct sy_collective *c = &p->collectives[collective];

	snprintf(name, SY_NAME, "%s.%u_%u", stems[c->pattern], c->number,
		 collective + 1);
}

int64_t sy_result_bytes(const struct sy_collective *c)
{
	switch (c->pattern) {
	case SY_RING_SCATTER:
	case SY_TREE_REDUCE:
	case SY_NEXT:
	case SY_ACROSS:
		return c->bytes;
	default:
		return c->bytes * c->program.n_ranks;
	}
}

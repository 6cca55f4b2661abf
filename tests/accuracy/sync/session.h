/*
 * A run written as a profiler would have recorded it: an XSpace for each
 * host, by that host's clock; a topology and the truth beside them.
 */
#ifndef ACCURACY_SYNC_SESSION_H
#define ACCURACY_SYNC_SESSION_H

#include "tests/accuracy/sync/plane.h"
#include "tests/accuracy/sync/truth.h"
#include "tests/accuracy/sync/world.h"

enum { SY_NAME = 96 };

/*
 * Into DIR: host-NN.xplane.pb, and as DIR.csv the topology (host,rack) and
 * DIR.truth.json the truth.  DIR is created; its parent exists.
 */
bool sy_session_write(const struct sy_run *r, const struct sy_truth *truth,
		      const char *dir);

/* A host's time of an instant, from the start of its capture; and when that
 * was, in ns since 1970. */
int64_t sy_stamp(const struct sy_plan *p, uint32_t host, int64_t t);
uint64_t sy_capture_start(const struct sy_plan *p, uint32_t host);

/* What the receiver's trace says that a transfer took, in us: from the
 * sender's stamp to the receiver's, never below 0. */
uint64_t sy_latency_us(const struct sy_run *r, const struct sy_transfer *t);
/* When a send action ends. */
int64_t sy_send_end(const struct sy_plan *p, const struct sy_transfer *t);

void sy_host_name(uint32_t host, char name[SY_NAME]);
void sy_rack_name(uint32_t rack, char name[SY_NAME]);
uint32_t sy_slice(const struct sy_plan *p, uint32_t host);
/* Within its slice; in the ids of traces slices are 100000 apart. */
uint32_t sy_device(const struct sy_plan *p, uint32_t host, uint32_t device);
uint32_t sy_device_id(const struct sy_plan *p, uint32_t host, uint32_t device);
/* all-reduce.47_2 */
void sy_collective_name(const struct sy_plan *p, uint32_t collective,
			char name[SY_NAME]);
/* Of a rank's result. */
int64_t sy_result_bytes(const struct sy_collective *c);

/* ---- the planes of a host */

void sy_write_device(const struct sy_run *r, uint32_t host, uint32_t device,
		     struct sy_plane *out);
/* Both false: no memory. */
bool sy_write_actions(const struct sy_run *r, uint32_t host,
		      struct sy_plane *out);
bool sy_write_threads(const struct sy_run *r, uint32_t host,
		      struct sy_plane *out);

/* Transfers that a host sends or receives, by (collective, step, ...). */
struct sy_share {
	size_t *sent, *got;
	size_t n_sent, n_got;
};
bool sy_share_make(const struct sy_run *r, uint32_t host, struct sy_share *s);
void sy_share_fini(struct sy_share *s);

#endif

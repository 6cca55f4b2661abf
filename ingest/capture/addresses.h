/*
 * Addresses as endpoints of a sink, for all that reads one capture.  The
 * table keeps a name lookup off the way of each packet, and a flood of
 * made-up addresses from filling memory: beyond NA_ADDRESSES they are one
 * endpoint, "other".
 */
#ifndef INGEST_CAPTURE_ADDRESSES_H
#define INGEST_CAPTURE_ADDRESSES_H

#include <string.h>

#include "ingest/capture/packet.h"
#include "netan/model/sink.h"

enum { NA_ADDRESSES = 1 << 16 };

struct na_addresses {
	const struct na_sink *sink;
	size_t most; /* may be lowered for tests */
	struct na_address_slot *slots;
	size_t n, n_slots;
	uint64_t key;
	uint32_t non_ip, other; /* NA_UNKNOWN_U32: not asked yet */
	uint64_t dropped;       /* times that "other" stood in */
};

void na_addresses_init(struct na_addresses *t, const struct na_sink *sink);
void na_addresses_fini(struct na_addresses *t);

/* No address (family 0) is "non-IP".  NA_UNKNOWN_U32: memory is short. */
uint32_t na_addresses_endpoint(struct na_addresses *t,
			       const struct na_address *a);

/*
 * Keyed hashes, so that no capture can aim at one chain of a table.  Nothing
 * that is told may depend on them: the key is another one in each run.
 */
uint64_t na_hash_key(void);

static inline uint64_t na_hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t na_hash_address(uint64_t key, const struct na_address *a)
{
	uint64_t w[2];

	memcpy(w, a->bytes, sizeof(w));
	return na_hash_mix(w[0] ^ key ^ a->family, w[1] ^ 0x9fb21c651e98df25);
}

static inline bool na_address_same(const struct na_address *a,
				   const struct na_address *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0 &&
	       a->family == b->family;
}

#endif

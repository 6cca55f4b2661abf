/* Where the hosts of a store stand, by a topology. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/model/store.h"

enum na_status na_store_place(struct na_store *s, const struct na_topology *t,
			      struct na_err *err)
{
	s->place_of = na_calloc(s->n_hosts, sizeof(*s->place_of));
	if (!s->place_of)
		return na_fail_nomem(err);
	for (size_t i = 0; i < s->n_hosts; i++)
		s->place_of[i] = na_strtab_find(&t->hosts, s->hosts[i].name,
						strlen(s->hosts[i].name));
	s->topology = t;
	return NA_OK;
}

static bool traced(const struct na_tally *t)
{
	for (size_t k = 0; k < 2 * NA_N_CLASSES; k++) {
		if (t->classes[k % 2][NA_STYLE_GRAPH][k / 2] ||
		    t->classes[k % 2][NA_STYLE_MESSAGE][k / 2])
			return true;
	}
	return false;
}

const char *na_store_label(const struct na_store *s, uint32_t run)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		if (s->sources[i].run == run)
			return s->sources[i].label;
	}
	return NULL;
}

bool na_address_is_nobodys(const char *address)
{
	unsigned char b[16];

	if (inet_pton(AF_INET, address, b) == 1)
		return (b[0] >= 224 && b[0] < 240) || b[0] == 0 ||
		       strcmp(address, "255.255.255.255") == 0;
	if (inet_pton(AF_INET6, address, b) == 1)
		return b[0] == 0xff || strcmp(address, "::") == 0;
	return strcmp(address, "non-IP") == 0;
}

size_t na_store_hosts(const struct na_store *s)
{
	size_t addresses = 0, hosts = s->ranked.hosts;
	size_t n = s->names.n_endpoints;

	for (size_t i = 0; i < n; i++)
		addresses += s->names.endpoints[i].slice == NA_ADDRESS;
	for (size_t i = 0; i < s->n_sources; i++)
		hosts += !s->hosts[i].of_ranks &&
			 (!addresses || traced(&s->tallies[i]));
	/* Every run has a host for each address, seen there or not. */
	for (size_t i = s->n_sources; addresses && i < s->n_hosts; i++)
		hosts += s->hosts[i].run == 0 && !s->hosts[i].of_ranks &&
			 !na_address_is_nobodys(s->hosts[i].name);
	return hosts;
}

uint32_t na_store_class(const struct na_store *s, uint32_t src_host,
			uint32_t dst_host)
{
	if (!s->topology)
		return NA_UNKNOWN_U32;
	return na_topology_class(s->topology, s->place_of[src_host],
				 s->place_of[dst_host]);
}

/* Its row, where rows are of hosts. */
static uint32_t row_of(const struct na_store *s, uint32_t host)
{
	return s->topology && !s->topology->of_pairs ? s->place_of[host]
						     : NA_UNKNOWN_U32;
}

uint32_t na_store_rack(const struct na_store *s, uint32_t host)
{
	uint32_t row = row_of(s, host);

	return row == NA_UNKNOWN_U32 ? row : s->topology->rack_of[row];
}

uint32_t na_store_block(const struct na_store *s, uint32_t host)
{
	uint32_t row = row_of(s, host);

	return row == NA_UNKNOWN_U32 || !s->topology->has_blocks
		       ? NA_UNKNOWN_U32
		       : s->topology->block_of[row];
}

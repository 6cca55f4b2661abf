/*
 * Any bytes as a topology: read or refused with a message; every class that
 * it gives has a name.
 */
#include "netan/model/hosts/topology.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_topology t;

	if (na_topology_parse(&t, (const char *)data, size, "bytes", &err) !=
	    NA_OK)
		walk_must(err.text[0] != '\0');
	for (uint32_t a = 0; a <= t.hosts.n && a < 64; a++) {
		for (uint32_t b = 0; b <= t.hosts.n && b < 64; b++) {
			uint32_t c = na_topology_class(&t, a, b);

			walk_must(c == UINT32_MAX ||
				  na_topology_class_name(&t, c)[0] != '\0');
		}
	}
	na_topology_fini(&t);
	return 0;
}

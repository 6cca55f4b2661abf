/*
 * Any bytes as --hosts: read or refused with a message; every address that
 * it has is found again, whatever way it was written.
 */
#include "ingest/capture/packet.h"
#include "netan/model/hosts/hosts.h"
#include <string.h>

#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *plain(char *buf, const char *text)
{
	struct na_address a;

	return na_address_parse(&a, text) ? na_address_print(buf, &a) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_hosts h;
	int32_t slice;

	if (na_hosts_parse(&h, (const char *)data, size, "bytes", plain,
			   &err) != NA_OK) {
		walk_must(err.text[0] != '\0');
	} else {
		walk_must(h.addresses.n > 0);
		for (uint32_t i = 0; i < h.addresses.n && i < 64; i++) {
			const char *a = na_strtab_at(&h.addresses, i);
			char buf[NA_ADDRESS_BUF];

			walk_must(plain(buf, a) && strcmp(buf, a) == 0);
			walk_must(na_hosts_find(&h, a, &slice)[0] != '\0');
			walk_must(slice >= -1);
		}
	}
	na_hosts_fini(&h);
	return 0;
}

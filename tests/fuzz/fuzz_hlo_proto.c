/*
 * Any bytes as an HLO module in binary form: read or refused with the byte
 * where it is damaged; what was read is whole, and joins with op types.
 */
#include "ingest/hlo/hlo.h"
#include "tests/fuzz/walk_hlo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_hlo h;

	na_hlo_init(&h, true);
	na_hlo_is_proto(data, size);
	if (na_hlo_read_proto(&h, data, size, na_hlo_worker(&h, "w"), &err) ==
	    NA_OK)
		walk_hlo(&h, size);
	else
		walk_must(err.text[0] != '\0' && h.n_modules == 0);
	na_hlo_fini(&h);
	return 0;
}

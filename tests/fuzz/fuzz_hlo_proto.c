/*
 * Any bytes as an HLO module in binary form: read or refused with the byte
 * where it is damaged; what was read is whole, and joins with op types.
 */
#include "ingest/hlo/hlo.h"
#include "ingest/transfer_file/hlo_slim.h"
#include "tests/fuzz/walk_hlo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Without what does not communicate it is no longer, but for lengths, and
 * the same again without it. */
static void slim_as_well(const uint8_t *data, size_t size)
{
	struct na_xf_bytes once = {.p = NULL}, twice = {.p = NULL};

	if (na_hlo_slim(data, size, &once)) {
		walk_must(once.n <= 10 * size + 100);
		if (na_hlo_slim(once.p, once.n, &twice))
			walk_must(twice.n <= 10 * once.n + 100);
	}
	walk_must(!once.failed && !twice.failed);
	na_xf_bytes_fini(&once);
	na_xf_bytes_fini(&twice);
}

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
	if (walk_way(size, 2))
		slim_as_well(data, size);
	return 0;
}

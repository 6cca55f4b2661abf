/*
 * Any bytes as the text of an HLO module, likewise; and what the same text
 * says a second time is the same.
 */
#include "ingest/hlo/hlo.h"
#include "tests/fuzz/walk_hlo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct na_err err = {.status = NA_OK};
	struct na_hlo h;

	na_hlo_init(&h, true);
	if (na_hlo_read_text(&h, s, size, na_hlo_worker(&h, "w"), &err) ==
	    NA_OK) {
		walk_must(na_hlo_is_text(s, size));
		walk_hlo(&h, size);
		walk_must(na_hlo_read_text(&h, s, size, 0, &err) == NA_OK);
		walk_must(h.modules[0].fingerprint == h.modules[1].fingerprint);
	} else {
		walk_must(err.text[0] != '\0' && h.n_modules == 0);
	}
	na_hlo_fini(&h);
	return 0;
}

/* Any bytes as a datagram of the kernel's routes. */
#include "ingest/host/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *dev_name(unsigned index, char buf[64])
{
	if (index % 3 == 0)
		return NULL;
	snprintf(buf, 64, "eth%u", index);
	return buf;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_routes r = {.n = 0};
	enum na_status st;
	struct na_arena a;

	memset(&a, 0, sizeof(a));
	st = na_routes_message(&r, &a, data, size, dev_name, &err);
	walk_must(st == NA_OK || st == NA_END || err.text[0] != '\0');
	walk_must(r.n + r.odd <= size / 16);
	for (size_t i = 0; i < r.n; i++) {
		walk_must(r.items[i].dst != NULL);
		walk_must(r.items[i].family == 4 || r.items[i].family == 6);
	}
	free(r.items);
	na_arena_fini(&a);
	return 0;
}

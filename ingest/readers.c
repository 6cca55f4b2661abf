#include "ingest/input.h"

/* clang-format off */
const struct na_reader *const na_readers[] = {
#define NA_READER(name) &na_reader_##name,
#include "ingest/readers.def"
	NULL
};
/* clang-format on */

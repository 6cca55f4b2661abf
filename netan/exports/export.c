#include "netan/exports/export.h"

#include <string.h>
#include <strings.h>

/* clang-format off */
const struct na_export *const na_exports[] = {
#define NA_EXPORT(name) &na_export_##name,
#include "netan/exports/exports.def"
	NULL
};
/* clang-format on */

const struct na_export *na_export_find(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; na_exports[i]; i++) {
		size_t k = strlen(na_exports[i]->ending);

		if (n > k + 1 && path[n - k - 1] == '.' &&
		    strcasecmp(path + n - k, na_exports[i]->ending) == 0)
			return na_exports[i];
	}
	return NULL;
}

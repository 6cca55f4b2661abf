#include "ingest/gpu/file_name.h"

#include <string.h>

#include "netan/base/scan.h"
#include "netan/base/vec.h"

int32_t na_rank_of_path(const char *path)
{
	static const char *const words[] = {"rank", "worker"};
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	for (size_t i = 0; i < NA_LEN(words); i++) {
		const char *s = strstr(base, words[i]);
		struct na_scan c;
		uint64_t x;

		if (!s)
			continue;
		s += strlen(words[i]);
		c = na_scan_of(na_text_n(s, strlen(s)));
		if (!na_scan_past(&c, '-'))
			na_scan_past(&c, '_');
		if (na_scan_number(&c, &x) && x <= INT32_MAX)
			return (int32_t)x;
	}
	return -1;
}

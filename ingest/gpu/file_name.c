#include "ingest/gpu/file_name.h"

#include <string.h>

#include "netan/base/scan.h"
#include "netan/base/vec.h"

/* "rank-3", "worker3" */
static int32_t behind(const char *base, const char *word)
{
	const char *s = strstr(base, word);
	struct na_scan c;
	uint64_t x;

	if (!s)
		return -1;
	s += strlen(word);
	c = na_scan_of(na_text_n(s, strlen(s)));
	if (!na_scan_past(&c, '-'))
		na_scan_past(&c, '_');
	return na_scan_number(&c, &x) && x <= INT32_MAX ? (int32_t)x : -1;
}

/*
 * SGLang: "1757900000.1-TP-3-DP-0-PP-0-EP-3.trace.json.gz".  The ranks of one
 * pipeline stage are the numbers of TP; in stages beyond the first the job's
 * rank takes the size of a stage, which is not told.  A DP is part of TP, or
 * of other processes, where it is not 0 that is not told either.
 */
static int32_t of_server(const char *base)
{
	int32_t tp = behind(base, "-TP-");

	return behind(base, "-PP-") > 0 || behind(base, "-DP-") > 0 ? -1 : tp;
}

int32_t na_rank_of_path(const char *path)
{
	static const char *const words[] = {"rank", "worker"};
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	for (size_t i = 0; i < NA_LEN(words); i++) {
		int32_t rank = behind(base, words[i]);

		if (rank >= 0)
			return rank;
	}
	return of_server(base);
}

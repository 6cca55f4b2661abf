/*
 * What a file is by its name.
 */
#include <string.h>

#include "ingest/discover/parts.h"
#include "netan/base/vec.h"

/* clang-format off */
static const char *const endings[] = {
	".xplane.pb", ".xplane.pb.gz", ".xplane.pb.zst", ".xplane.pb.zstd",
};
/* clang-format on */

/* Of the ranks of a GPU job, where their names do not say so themselves. */
static const char *const rank_endings[] = {".trace.json", ".sqlite"};
static const char *const rank_words[] = {"rank", "worker"};

/* What captures and transfer files are called, also packed; netan itself
 * goes by their content. */
/* clang-format off */
static const char *const other_endings[] = {".pcap", ".pcapng", ".cap",
					    ".netan"};
static const char transfer_file[] = ".netan";
static const char *const packings[] = {"", ".gz", ".zst", ".zstd"};
/* clang-format on */

/* Does s[n] end so, behind something?  How long the ending is, or 0. */
static size_t ends(const char *s, size_t n, const char *ending)
{
	size_t e = strlen(ending);

	return n > e && memcmp(s + n - e, ending, e) == 0 ? e : 0;
}

size_t na_trace_ending(const char *name)
{
	size_t n = strlen(name), e = 0;

	for (size_t i = 0; !e && i < sizeof(endings) / sizeof(endings[0]); i++)
		e = ends(name, n, endings[i]);
	return e;
}

size_t na_other_ending(const char *name)
{
	size_t n = strlen(name);

	for (size_t k = 0; k < sizeof(packings) / sizeof(packings[0]); k++) {
		size_t pack = *packings[k] ? ends(name, n, packings[k]) : 0;

		if (*packings[k] && !pack)
			continue;
		for (size_t i = 0;
		     i < sizeof(other_endings) / sizeof(other_endings[0]);
		     i++) {
			size_t e = ends(name, n - pack, other_endings[i]);

			if (e)
				return e + pack;
		}
	}
	return 0;
}

size_t na_packed_from(const char *name)
{
	size_t n = strlen(name);

	for (size_t k = 1; k < sizeof(packings) / sizeof(packings[0]); k++) {
		size_t e = ends(name, n, packings[k]);

		if (e)
			return n - e;
	}
	return n;
}

bool na_is_transfer_file(const char *name)
{
	return ends(name, na_packed_from(name), transfer_file) > 0;
}

/* How many digits s[n] ends with. */
static size_t digits_behind(const char *s, size_t n)
{
	size_t digits = 0;

	while (digits < n && s[n - 1 - digits] >= '0' &&
	       s[n - 1 - digits] <= '9')
		digits++;
	return digits;
}

/* NCCL Inspector: host-pid4711.log */
static bool is_inspector_log(const char *name, size_t n)
{
	size_t digits, e = ends(name, n, ".log");

	e = e ? e : ends(name, n, ".jsonl");
	n -= e;
	digits = digits_behind(name, n);
	return e && digits && ends(name, n - digits, "-pid");
}

/* CoMMA: latency-4711.txt; NCCL's example plugin: NAME_COMMHASH_RANK.json */
static bool is_plugin_file(const char *name, size_t n)
{
	size_t digits, e = ends(name, n, ".txt");

	if (e) {
		n -= e;
		digits = digits_behind(name, n);
		return digits && n - digits == strlen("latency-") &&
		       memcmp(name, "latency-", n - digits) == 0;
	}
	n -= ends(name, n, ".json");
	digits = digits_behind(name, n);
	if (!digits || digits + 1 > n || name[n - digits - 1] != '_')
		return false;
	n -= digits + 1;
	/* A hash of 64 bits; a date has eight digits. */
	digits = digits_behind(name, n);
	return digits > 14 && digits < n && name[n - digits - 1] == '_';
}

/* rocprofv3: 4711_results.json, and what ends so where another name is given */
static bool is_rocprof_file(const char *name, size_t n)
{
	size_t e = ends(name, n, "_results.json");

	return e && digits_behind(name, n - e);
}

/* worker3.1694128201545.pt.trace.json, trace_rank-3.json.gz */
bool na_is_rank_file(const char *name)
{
	char base[256];
	size_t n = na_packed_from(name);

	for (size_t i = 0; i < NA_LEN(rank_endings); i++) {
		if (ends(name, n, rank_endings[i]))
			return true;
	}
	if (is_inspector_log(name, n) || is_plugin_file(name, n) ||
	    is_rocprof_file(name, n))
		return true;
	if (!ends(name, n, ".json") || n >= sizeof(base))
		return false;
	memcpy(base, name, n);
	base[n] = '\0';
	for (size_t i = 0; i < NA_LEN(rank_words); i++) {
		if (strstr(base, rank_words[i]))
			return true;
	}
	return false;
}

const char *na_host_of_path(const char *path, struct na_arena *a,
			    bool *from_name)
{
	const char *base = strrchr(path, '/');
	size_t n, e;

	base = base ? base + 1 : path;
	n = strlen(base);
	e = na_trace_ending(base);
	*from_name = e > 0;
	if (!e)
		e = na_other_ending(base);
	if (!e) {
		/* trace.pb, trace.pb.gz: what stands before the first dot */
		const char *dot = strchr(base, '.');

		e = dot && dot > base ? n - (size_t)(dot - base) : 0;
	}
	return na_arena_strn(a, base, n - e);
}

#include "netan/methods/capacity.h"

#include <stdlib.h>
#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

/* Source: the example of openxla/xla,
 * xla/megascale/tools/network_analysis_oss.ipynb. */
/* clang-format off */
static const struct { const char *machine, *capacity; } presets[] = {
	{"v6e", "4x200Gbps/2"},
};
/* clang-format on */

const char *na_capacity_offered(size_t k)
{
	return k < NA_LEN(presets) ? presets[k].machine : NULL;
}

/* A small whole number and the character behind it. */
static const char *whole(const char *s, long *n)
{
	char *end;

	if (*s < '0' || *s > '9')
		return NULL;
	*n = strtol(s, &end, 10);
	return *n >= 1 && *n <= 1024 ? end : NULL;
}

static int formula(const char *text, double *gbps)
{
	long nics = 1, tasks = 1;
	const char *s = whole(text, &nics), *slash = strchr(text, '/');
	char rate[64];
	double bps;
	size_t n;

	if (s && *s == 'x')
		text = s + 1;
	else
		nics = 1;
	/* "GB/s" and "Gbit/s" hold a slash too: only digits divide. */
	while (slash && !whole(slash + 1, &tasks))
		slash = strchr(slash + 1, '/');
	if (slash) {
		s = whole(slash + 1, &tasks);
		if (!s || *s)
			return 0;
	} else {
		tasks = 1;
	}
	n = slash ? (size_t)(slash - text) : strlen(text);
	if (n >= sizeof(rate))
		return 0;
	memcpy(rate, text, n);
	rate[n] = '\0';
	if (!na_parse_rate(rate, &bps) || !(bps > 0))
		return 0;
	*gbps = bps * (double)nics / (double)tasks / NA_GIGA;
	return 1;
}

enum na_status na_capacity_parse(const char *text, double *gbps,
				 struct na_err *err)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		if (na_same_nocase(text, strlen(text), presets[i].machine))
			text = presets[i].capacity;
	}
	if (formula(text, gbps))
		return NA_OK;
	return na_fail(err, NA_EUSAGE,
		       "--capacity: \"%.60s\" is no capacity; "
		       "give one host's rate (100Gbps), NICSxRATE/TASKS "
		       "(4x200Gbps/2), or a machine type (v6e)",
		       text);
}

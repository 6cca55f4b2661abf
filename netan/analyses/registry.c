#include <string.h>

#include "netan/analyses/analysis.h"

#define NA_ANALYSIS(name)        extern const struct na_analysis na_an_##name;
#define NA_PACKET_ANALYSIS(name) NA_ANALYSIS(name)
#define NA_EVIDENCE(name)        NA_ANALYSIS(name)
#include "netan/analyses/analyses.def"

/* clang-format off */
const struct na_analysis *const na_analyses[] = {
#define NA_ANALYSIS(name) &na_an_##name,
#define NA_PACKET_ANALYSIS(name) NA_ANALYSIS(name)
#include "netan/analyses/analyses.def"
	NULL
};

const struct na_analysis *const na_evidence[] = {
#define NA_ANALYSIS(name) &na_an_##name,
#define NA_PACKET_ANALYSIS(name) NA_ANALYSIS(name)
#define NA_EVIDENCE(name) NA_ANALYSIS(name)
#include "netan/analyses/analyses.def"
	NULL
};
/* clang-format on */

const struct na_analysis *na_analysis_find(const char *name)
{
	for (size_t i = 0; na_analyses[i]; i++) {
		if (strcmp(na_analyses[i]->info.name, name) == 0)
			return na_analyses[i];
	}
	return NULL;
}

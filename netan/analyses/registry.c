#include "netan/analyses/analysis.h"

#define NA_ANALYSIS(name) extern const struct na_analysis na_an_##name;
#include "netan/analyses/analyses.def"
#undef NA_ANALYSIS

/* clang-format off */
const struct na_analysis *const na_analyses[] = {
#define NA_ANALYSIS(name) &na_an_##name,
#include "netan/analyses/analyses.def"
	NULL
};
/* clang-format on */

/* diff: what changed from run A to run B. */
#ifndef NETAN_ANALYSES_DIFF_DIFF_H
#define NETAN_ANALYSES_DIFF_DIFF_H

#include <stdint.h>

#include "netan/base/opt.h"

struct diff_params {
	struct na_text_list fail_if;
	int64_t top; /* rows of hosts, pairs, collectives */
};

#endif

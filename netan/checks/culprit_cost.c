/* What a culprit of `pairs` costs the job. */
#include <math.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

void na_culprit_cost(struct na_case *c, struct na_finding *f,
		     const struct na_value *culprit)
{
	double ms = na_number_at(culprit, M_cost_ms_per_step);
	double mean_ms = na_number_at(culprit, M_mean_cost_ms_per_step);

	if (!isfinite(ms))
		return;
	f->cost_ms_per_step = ms;
	f->lost_s = mean_ms / NA_MS_PER_S *
		    (double)na_length(na_case_body(c, "steps"), M_steps);
	if (!(ms > 0) && mean_ms > 0)
		na_case_fact(c, f,
			     "costs the median step nothing, and %s ms on "
			     "average",
			     na_case_number(c, mean_ms));
}

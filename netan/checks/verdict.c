/* The first line: is it the network? */
#include "netan/checks/check.h"

const char *na_verdict(struct na_case *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (f->network && f->severity == NA_FINDING_ERROR)
			return na_case_text(c, "guilty: %s",
					    f->culprit ? f->culprit : f->title);
	}
	return "Network: not guilty";
}

/* What a person sees of the findings. */
#include "netan/checks/check.h"

void na_checks_views(const struct na_case *c, struct na_result *r)
{
	const struct na_value *body = na_result_body(r);

	na_result_text(r, na_text_of(na_get(body, "verdict"), ""), "%s", "");
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		na_result_text(r, f->check->id, "%s\nRemedy: %s\nMore: %s",
			       f->title, f->remedy, f->command);
	}
}

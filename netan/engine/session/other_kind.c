#include "netan/engine/session/other_kind.h"

#include "members.h"
#include "netan/base/units.h"

static bool is_other_kind(const struct na_value *doc, uint64_t seen)
{
	const struct na_value *out = na_dig(doc, M_coverage "." M_left_out);
	uint64_t left = 0;

	for (const struct na_value *v = na_items(out); v; v = v->next)
		left += (uint64_t)v->u.i;
	return left && left < seen && !na_get(out, M_filtered);
}

bool na_session_say_other_kind(const struct na_session *s, struct na_result *r,
			       uint64_t seen)
{
	bool packets = s->n_inputs;
	char count[NA_UNIT_BUF];

	if (!is_other_kind(na_result_doc(r), seen))
		return false;
	for (size_t i = 0; i < s->n_inputs; i++)
		packets = packets && s->inputs[i].capture;
	na_print_count(count, seen);
	na_say_error(s->request,
		     "none of the %s transfers tells what is asked for here",
		     count);
	na_say_hint(s->request,
		    packets ? "packets do not tell of collectives, steps or "
			      "devices: give traces"
			    : "netan info shows what is in the input");
	na_result_wordf(r, NA_WORD_EMPTY,
			"none of %s transfers tells what is asked for", count);
	return true;
}

#include "netan/report/decides.h"

#include <string.h>

#include "members.h"
#include "netan/result/emit.h"
#include "netan/result/emit_impl.h"

const struct na_report_part *na_report_decides(const struct na_report *r,
					       const struct na_value *finding)
{
	const char *name = strchr(na_text_at(finding, M_command), ' ');
	size_t n;

	if (!name)
		return NULL;
	n = strcspn(++name, " ");
	for (size_t i = 0; i < r->n_parts; i++) {
		const struct na_report_part *p = &r->parts[i];

		if (p->result && strlen(p->name) == n &&
		    memcmp(p->name, name, n) == 0)
			return p;
	}
	return NULL;
}

static bool same_text(const struct na_value *a, const struct na_value *b,
		      const char *member)
{
	return strcmp(na_text_at(a, member), na_text_at(b, member)) == 0;
}

/* A picture of packets is of one connection or queue pair: is it among the
 * finding's?  That of any other analysis shows all. */
static bool draws(const struct na_report_part *part,
		  const struct na_value *finding)
{
	const struct na_value *one = na_get(na_result_get_body(part->result),
					    M_sequence);

	if (!one || one->kind != NA_V_OBJECT)
		return true;
	na_for_each (v, na_get(na_get(finding, M_evidence), M_worst)) {
		if (same_text(v, one, M_src) && same_text(v, one, M_dst))
			return true;
	}
	return false;
}

int na_report_shown_at(const struct na_report *r,
		       const struct na_report_part *part)
{
	const struct na_value *list = na_get(na_result_get_body(r->check),
					     M_findings);
	int i = 0, first = -1;

	na_for_each (f, list) {
		if (i == NA_DECIDED_MAX)
			break;
		if (na_report_decides(r, f) == part) {
			if (draws(part, f))
				return i;
			first = first < 0 ? i : first;
		}
		i++;
	}
	return first;
}

const struct na_view *na_report_table(const struct na_report_part *part)
{
	const struct na_view *v = na_result_views(part->result);

	while (v && !(v->list && v->list->kind == NA_V_LIST && v->list->n))
		v = v->next;
	return v;
}

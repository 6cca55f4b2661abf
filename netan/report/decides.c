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

static bool same_text(const struct na_value *a, const char *a_member,
		      const struct na_value *b, const char *b_member)
{
	return strcmp(na_text_at(a, a_member), na_text_at(b, b_member)) == 0;
}

/* The picture may be of what the other end sends. */
static bool same_ends(const struct na_value *a, const struct na_value *b)
{
	return (same_text(a, M_src, b, M_src) &&
		same_text(a, M_dst, b, M_dst)) ||
	       (same_text(a, M_src, b, M_dst) && same_text(a, M_dst, b, M_src));
}

enum drawn { NOT_DRAWN, PERHAPS_DRAWN, DRAWN };

/* A picture of packets is of one connection or queue pair: is it among the
 * finding's, if that has some?  That of any other analysis shows all. */
static enum drawn draws(const struct na_report_part *part,
			const struct na_value *finding)
{
	const struct na_value *one = na_get(na_result_get_body(part->result),
					    M_sequence);
	const struct na_value *worst = na_dig(finding, M_evidence "." M_worst);

	if (!one || one->kind != NA_V_OBJECT)
		return DRAWN;
	na_for_each (v, worst)
		if (same_ends(v, one))
			return DRAWN;
	return na_items(worst) ? NOT_DRAWN : PERHAPS_DRAWN;
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
			enum drawn drawn = draws(part, f);

			if (drawn == DRAWN)
				return i;
			if (drawn == PERHAPS_DRAWN && first < 0)
				first = i;
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

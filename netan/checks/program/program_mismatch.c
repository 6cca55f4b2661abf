/*
 * program-mismatch: hosts of one run do not run the same program, which ends
 * in a hang, or in steps that wait for each other.  Not in the playbook's
 * list for traces, where it is a verdict of hang digests; here it is seen
 * before.
 */
#include "facts.h"
#include "members.h"
#include "netan/checks/look.h"

enum { FACTS = 3 };

static void put_groups(struct na_case *c, struct na_finding *f,
		       const struct na_value *groups)
{
	struct na_value *list = na_put_list(c->r, f->evidence, M_groups);

	na_for_each (g, groups) {
		if (f->facts->n < FACTS)
			na_case_evidence(
				c, f,
				na_fact_program_on_hosts(
					na_text_at(g, M_fingerprint),
					na_case_names(c, na_get(g, M_hosts),
						      1)));
		na_case_copy(c, na_put_object(c->r, list, NULL), g,
			     M_fingerprint, M_hosts);
	}
}

static void judge_program_mismatch(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "hlo");
	const struct na_value *list = na_get(body, M_differences);
	const struct na_value *d = na_items(list), *groups;
	const char *label = na_text_or(na_case_side(c, "hlo"), M_label, NULL);
	struct na_finding *f;

	if (!d)
		return;
	f = na_case_find(c, NA_SEV_ERROR, NA_CERTAIN, "hlo");
	groups = na_get(d, M_groups);
	f->title = na_case_say(c,
			       na_fact_labelled(label,
						na_text_at(body, M_verdict)));
	f->remedy = na_case_say(c, na_fact_compare_programs());
	/* The odd ones come first. */
	f->culprit =
		na_case_say(c,
			    na_fact_another_program(na_case_names(
				    c, na_get(na_items(groups), M_hosts), 1)));
	na_put_text(c->r, f->evidence, M_label, label);
	na_put_int(c->r, f->evidence, M_programs, (int64_t)list->n);
	na_put_text(c->r, f->evidence, M_module, na_text_or(d, M_module, NULL));
	put_groups(c, f, groups);
}

const struct na_check na_check_program_mismatch = {
	.id = "program-mismatch",
	.version = 1,
	.question = "hosts that run different programs",
	.does_not_mean = "that the job must hang: only a collective that some "
			 "hosts do not run does that",
	.needs = {"hlo"},
	.judge = judge_program_mismatch,
	.of_xla = true,
	.explains = NA_EXPLAINS_ALL,
	.each_host = true,
};

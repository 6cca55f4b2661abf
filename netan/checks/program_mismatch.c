/*
 * program-mismatch: hosts of one run do not run the same program, which ends
 * in a hang, or in steps that wait for each other.  Not in the playbook's
 * list for traces, where it is a verdict of hang digests; here it is seen
 * before.
 */
#include "members.h"
#include "netan/checks/check.h"

static const struct na_value *first_of(const struct na_value *list)
{
	return list ? list->u.of.first : NULL;
}

/* "host-3", "host-3 and 2 more". */
static const char *who(struct na_case *c, const struct na_value *group)
{
	const struct na_value *hosts = na_get(group, M_hosts);
	size_t n = hosts ? hosts->n : 0;
	const char *name = na_text_of(first_of(hosts), "?");

	return n > 1 ? na_case_text(c, "%.100s and %zu more", name, n - 1)
		     : na_case_text(c, "%.100s", name);
}

static void put_groups(struct na_case *c, struct na_finding *f,
		       const struct na_value *groups)
{
	struct na_value *list = na_put_list(c->r, f->evidence, M_groups);

	for (const struct na_value *g = first_of(groups); g; g = g->next) {
		struct na_value *row = na_put_object(c->r, list, NULL), *to;
		const struct na_value *h = first_of(na_get(g, M_hosts));

		na_put_text(c->r, row, M_fingerprint,
			    na_text_of(na_get(g, M_fingerprint), NULL));
		to = na_put_list(c->r, row, M_hosts);
		for (; h; h = h->next)
			na_put_text(c->r, to, NULL, na_text_of(h, NULL));
	}
}

static void judge(struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "hlo");
	const struct na_value *list = na_get(body, M_differences);
	const struct na_value *d = first_of(list), *groups;
	const char *label = na_text_of(na_get(na_case_side(c, "hlo"), "label"),
				       NULL);
	struct na_finding *f;

	if (!d)
		return;
	f = na_case_find(c, NA_FINDING_ERROR, NA_CERTAIN);
	if (!f)
		return;
	groups = na_get(d, M_groups);
	f->title = na_case_text(c, "%.60s%s%s", label ? label : "",
				label ? ": " : "",
				na_text_of(na_get(body, M_verdict), ""));
	f->remedy = "compare the programs with netan hlo; then see that all "
		    "hosts have the same code, compiler, flags and data shapes";
	f->command = na_case_command(c, "hlo");
	/* The odd ones come first. */
	f->culprit = na_case_text(c, "another program on %s",
				  who(c, first_of(groups)));
	na_put_text(c->r, f->evidence, M_label, label);
	na_put_int(c->r, f->evidence, "programs", (int64_t)list->n);
	na_put_text(c->r, f->evidence, M_module,
		    na_text_of(na_get(d, M_module), NULL));
	put_groups(c, f, groups);
}

const struct na_check na_check_program_mismatch = {
	.id = "program-mismatch",
	.question = "hosts that run different programs",
	.needs = {"hlo"},
	.judge = judge,
};

#include "tests/unit/hand_exhibit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void hand_exhibit_init(struct hand_exhibit *c)
{
	memset(c, 0, sizeof(*c));
#define NA_LIMIT(name, option, def, min, max, arg, help) \
	c->limits.name = strtod(def, NULL);
#include "netan/checks/limits.def"
#undef NA_LIMIT
}

void hand_exhibit_show(struct hand_exhibit *c, const char *name,
		       const struct na_result *r)
{
	assert_true(c->n < 2);
	c->exhibits[c->n++] = (struct na_exhibit){.name = name,
						  .result = r,
						  .missing = r ? NULL
							       : "nothing"};
}

static bool only(void *ctx, const struct na_check *check)
{
	return strcmp(check->id, ctx) == 0;
}

void hand_exhibit_run(struct hand_exhibit *c, const char *id)
{
	char name[64];
	const struct na_checks_asked asked = {
		.exhibits = c->exhibits,
		.n_exhibits = c->n,
		.limits = &c->limits,
		.inputs = "logdir",
		.wanted = only,
		.ctx = name,
	};
	struct na_err err = {.status = NA_OK};

	assert_non_null(na_check_find(id));
	strcpy(name, id);
	na_result_free(c->r);
	c->r = na_result_new();
	assert_non_null(c->r);
	assert_int_equal(na_checks_run(&asked, c->r, &c->worst, &err), NA_OK);
}

const struct na_value *hand_exhibit_finding(const struct hand_exhibit *c,
					    size_t i)
{
	const struct na_value *list = na_get(na_result_body(c->r), "findings");
	const struct na_value *v = list ? list->u.of.first : NULL;

	while (v && i--)
		v = v->next;
	return v;
}

const char *hand_exhibit_severity(const struct hand_exhibit *c, size_t i)
{
	return na_text_of(na_get(hand_exhibit_finding(c, i), "severity"),
			  "none");
}

const char *hand_exhibit_missing(const struct hand_exhibit *c)
{
	const struct na_value *list = na_get(na_result_body(c->r), "not_run");

	return list ? na_text_of(na_get(list->u.of.first, "missing"), NULL)
		    : NULL;
}

void hand_exhibit_end(struct hand_exhibit *c)
{
	na_result_free(c->r);
}

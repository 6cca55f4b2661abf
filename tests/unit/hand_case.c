#include "hand_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/result/emit.h"

struct json {
	struct na_result *r;
	const char *p;
};

static void value(struct json *j, struct na_value *in, const char *name);

static void blanks(struct json *j)
{
	j->p += strspn(j->p, " \t\n");
}

static void word(struct json *j, char buf[400])
{
	size_t n = strcspn(++j->p, "'");

	assert_true(n < 400 && j->p[n] == '\'');
	memcpy(buf, j->p, n);
	buf[n] = '\0';
	j->p += n + 1;
}

/* Members of an object, up to its end. */
static void members(struct json *j, struct na_value *to)
{
	char name[400];

	for (j->p++, blanks(j); *j->p != '}'; blanks(j)) {
		word(j, name);
		blanks(j);
		assert_true(*j->p == ':');
		j->p++;
		value(j, to, name);
		blanks(j);
		j->p += *j->p == ',';
	}
	j->p++;
}

static void elements(struct json *j, struct na_value *to)
{
	for (j->p++, blanks(j); *j->p != ']'; blanks(j)) {
		value(j, to, NULL);
		blanks(j);
		j->p += *j->p == ',';
	}
	j->p++;
}

/* "#[1, 2]": packed. */
static void packed(struct json *j, struct na_value *in, const char *name)
{
	double x[64], *to;
	size_t n = 0;
	char *end;

	for (j->p += 2; *j->p != ']'; j->p += strspn(j->p, ", ")) {
		assert_true(n < 64);
		x[n++] = strtod(j->p, &end);
		assert_true(end > j->p);
		j->p = end;
	}
	j->p++;
	to = na_put_reals(j->r, in, name, n);
	assert_true(to || !n);
	if (n)
		memcpy(to, x, n * sizeof(*x));
}

static void number(struct json *j, struct na_value *in, const char *name)
{
	size_t n = strspn(j->p, "+-0123456789.eE");
	char *end;
	double x = strtod(j->p, &end);

	assert_true(end == j->p + n && n);
	if (strcspn(j->p, ".eE") >= n)
		na_put_int(j->r, in, name, (int64_t)x);
	else
		na_put_real(j->r, in, name, x);
	j->p = end;
}

static void value(struct json *j, struct na_value *in, const char *name)
{
	char text[400];

	blanks(j);
	switch (*j->p) {
	case '{':
		members(j, na_put_object(j->r, in, name));
		break;
	case '[':
		elements(j, na_put_list(j->r, in, name));
		break;
	case '#':
		packed(j, in, name);
		break;
	case '\'':
		word(j, text);
		na_put_text(j->r, in, name, text);
		break;
	case 't':
		na_put_bool(j->r, in, name, true);
		j->p += 4;
		break;
	case 'f':
		na_put_bool(j->r, in, name, false);
		j->p += 5;
		break;
	case 'n':
		na_put_null(j->r, in, name);
		j->p += 4;
		break;
	default:
		number(j, in, name);
	}
}

static struct na_result *result_of(struct hand_case *h, const char *name)
{
	for (size_t i = 0; i < h->n; i++) {
		if (strcmp(h->exhibits[i].name, name) == 0)
			return h->owned[i];
	}
	assert_true(h->n < HAND_EXHIBITS);
	h->owned[h->n] = na_result_new();
	assert_non_null(h->owned[h->n]);
	h->exhibits[h->n] = (struct na_exhibit){name, h->owned[h->n], NULL};
	return h->owned[h->n++];
}

static void put(struct na_result *r, struct na_value *to, const char *json)
{
	struct json j = {r, json};

	members(&j, to);
	assert_true(!*j.p && na_result_ok(r));
}

void hand_body(struct hand_case *h, const char *name, const char *json)
{
	struct na_result *r = result_of(h, name);

	put(r, na_result_body(r), json);
}

void hand_side(struct hand_case *h, const char *name, const char *json)
{
	struct na_result *r = result_of(h, name);

	put(r, na_result_side(r), json);
}

void hand_doc(struct hand_case *h, const char *name, const char *json)
{
	struct na_result *r = result_of(h, name);

	put(r, na_result_doc(r), json);
}

void hand_show(struct hand_case *h, const char *name, const struct na_result *r)
{
	assert_true(h->n < HAND_EXHIBITS);
	h->exhibits[h->n++] = (struct na_exhibit){name, r,
						  r ? NULL : "nothing"};
}

void hand_case_init(struct hand_case *h)
{
	memset(h, 0, sizeof(*h));
#define NA_LIMIT(member, option, def, min, max, arg, help) \
	h->limits.member = strtod(def, NULL);
#include "netan/checks/limits.def"
#undef NA_LIMIT
}

void hand_case_fini(struct hand_case *h)
{
	for (size_t i = 0; i < h->n; i++)
		na_result_free(h->owned[i]);
	na_result_free(h->judged);
	memset(h, 0, sizeof(*h));
}

static bool wanted(void *ctx, const struct na_check *check)
{
	const struct hand_case *h = ctx;

	return !h->only || strcmp(h->only, check->id) == 0;
}

static const char *rest_of(void *ctx, const char *name, enum na_inputs_of of)
{
	(void)ctx;
	(void)name;
	(void)of;
	return "'a b'";
}

const struct na_value *hand_judge(struct hand_case *h)
{
	const struct na_checks_asked asked = {
		.exhibits = h->exhibits,
		.n_exhibits = h->n,
		.limits = &h->limits,
		.capacity_gbps = h->capacity_gbps,
		.rest = rest_of,
		.wanted = wanted,
		.ctx = h,
	};
	struct na_err err = {.status = NA_OK};

	na_result_free(h->judged);
	h->judged = na_result_new();
	assert_int_equal(na_checks_run(&asked, h->judged, &h->worst, &err),
			 NA_OK);
	return na_result_get_body(h->judged);
}

size_t hand_found(struct hand_case *h, const char *id,
		  const struct na_value **first)
{
	const char *before = h->only;
	const struct na_value *list;

	h->only = id;
	list = na_get(hand_judge(h), "findings");
	h->only = before;
	if (first)
		*first = list->u.of.first;
	return list->n;
}

const char *hand_verdict(struct hand_case *h)
{
	return na_text_of(na_get(hand_judge(h), "verdict"), "");
}

void hand_run(struct hand_case *h, const char *id)
{
	assert_non_null(na_check_find(id));
	h->only = id;
	hand_judge(h);
}

const struct na_value *hand_finding(const struct hand_case *h, size_t i)
{
	const struct na_value *list = na_get(na_result_get_body(h->judged),
					     "findings");
	const struct na_value *v = list ? list->u.of.first : NULL;

	while (v && i--)
		v = v->next;
	return v;
}

const char *hand_severity(const struct hand_case *h, size_t i)
{
	return na_text_of(na_get(hand_finding(h, i), "severity"), "none");
}

const char *hand_missing(const struct hand_case *h)
{
	const struct na_value *list = na_get(na_result_get_body(h->judged),
					     "not_run");

	return list ? na_text_of(na_get(list->u.of.first, "missing"), NULL)
		    : NULL;
}

void hand_healthy(struct hand_case *h)
{
	hand_case_init(h);
	hand_doc(h, "session", "{'coverage': {'used': 5000}}");
	hand_side(h, "session",
		  "{'one_clock': true, 'files': 4, 'receives': 5000, 'inputs': "
		  "[{'path': 'a', 'host': 'a', 'trace': true, 'devices': 4, "
		  "'transfers': 5000}]}");
	hand_body(h, "rpc", "{'verdict': 'steady', 'modes': []}");
	hand_body(h, "sizes", "{'groups': [{'count': 5000}]}");
}

void hand_quiet_pairs(struct hand_case *h)
{
	hand_body(h, "pairs",
		  "{'verdict': 'nothing stands out among 12 pairs of 4 "
		  "hosts', " HAND_POWER "}");
}

void hand_slack(struct hand_case *h, const char *share)
{
	char json[200];

	snprintf(json, sizeof(json),
		 "{'collectives': [], 'total': {'devices': 2, 'stall_us': "
		 "28e6, 'stall_share': %s}}",
		 share);
	hand_body(h, "slack", json);
}

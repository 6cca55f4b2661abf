/* Texts and numbers of events. */
#include <stdlib.h>

#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"
#include "netan/base/order.h"
#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

/* Digits; where they end.  At most `most`, so that the sum fits. */
static const char *digits(const char *s, const char *end, int most,
			  int64_t *sum)
{
	for (*sum = 0; s < end && most-- && na_is_digit(*s); s++)
		*sum = *sum * 10 + (*s - '0');
	return s;
}

/* With a sign or an exponent. */
static bool rare_time(struct na_text text, int64_t *us, int32_t *ps)
{
	int64_t scale = NA_PS_PER_US, x, rest;

	if (!na_json_decimal(text, 6, &x)) {
		scale = NA_NS_PER_US;
		if (!na_json_decimal(text, 3, &x))
			return false;
	}
	rest = x % scale;
	*us = x / scale - (rest < 0);
	if (rest < 0)
		rest += scale;
	*ps = (int32_t)(rest * (NA_PS_PER_US / scale));
	return true;
}

bool kt_time(struct na_text text, int64_t *us, int32_t *ps)
{
	const char *s = text.s, *end = s ? s + text.n : s, *from;
	int64_t whole, part = 0;

	if (!s)
		return false;
	s = digits(s, end, 15, &whole);
	if (s > text.s && s < end && na_is_digit(*s)) {
		whole = whole * 10 + (*s - '0');
		s++;
	}
	if (s == text.s)
		return rare_time(text, us, ps);
	if (s < end && *s == '.') {
		from = ++s;
		s = digits(s, end, 6, &part);
		for (int64_t n = s - from; n < 6; n++)
			part *= 10;
		while (s < end && na_is_digit(*s))
			s++;
	}
	if (s < end || whole >= INT64_MAX / NA_NS_PER_US)
		return rare_time(text, us, ps);
	*us = whole;
	*ps = (int32_t)part;
	return true;
}

bool kt_time_ns(struct na_text text, int64_t *ns)
{
	int64_t us, whole;
	int32_t ps;

	return kt_time(text, &us, &ps) &&
	       na_mul_i64(us, NA_NS_PER_US, &whole) &&
	       na_add_i64(whole, ps / NA_PS_PER_NS, ns);
}

struct field {
	const char *name;
	bool number;
	size_t at; /* in kt_args */
};

#define TEXT(name, member) \
	{ \
		name, false, offsetof(struct kt_args, member) \
	}
#define NUMBER(name, member) \
	{ \
		name, true, offsetof(struct kt_args, member) \
	}
static const struct field fields[] = {
	TEXT("Collective name", collective),
	TEXT("dtype", type),
	TEXT("Process Group Name", group),
	TEXT("Process Group Ranks", ranks),
	TEXT("Input Dims", dims),
	TEXT("Input type", types),
	TEXT("Concrete Inputs", inputs),
	TEXT("Process Group Description", purpose),
	NUMBER("In msg nelems", in),
	NUMBER("Out msg nelems", out),
	NUMBER("Seq", sequence),
	NUMBER("Group size", group_size),
	NUMBER("Src Rank", src),
	NUMBER("Dst Rank", dst),
	NUMBER("External id", external_id),
	NUMBER("external id", external_id),
	NUMBER("correlation", correlation),
	NUMBER("stream", stream),
};

static const struct field *field_of(const struct na_json *j)
{
	for (size_t i = 0; i < NA_LEN(fields); i++) {
		if (na_json_is(j, fields[i].name))
			return &fields[i];
	}
	return NULL;
}

bool kt_arg_is_read(const struct na_json *j)
{
	return field_of(j);
}

/* Number or text: older files quote some numbers. */
static void take_field(struct kt_args *a, const struct field *f,
		       const struct na_json *j, const char *from)
{
	char *to = (char *)a + f->at;
	uint64_t x;

	if (!f->number) {
		struct na_text text = j->text;

		/* A list of ranks, as such. */
		if (j->kind == NA_JSON_ARRAY_END)
			text = na_between(from, j->p);
		if (j->kind == NA_JSON_STRING || j->kind == NA_JSON_ARRAY_END)
			*(struct na_text *)(void *)to = text;
	} else if ((j->kind == NA_JSON_STRING || j->kind == NA_JSON_NUMBER) &&
		   na_text_number(j->text, &x) && x <= INT64_MAX) {
		*(int64_t *)(void *)to = (int64_t)x;
	}
}

struct kt_args kt_args_of(struct na_text args)
{
	struct kt_args a = {.in = -1,
			    .out = -1,
			    .sequence = -1,
			    .group_size = -1,
			    .src = -1,
			    .dst = -1,
			    .external_id = -1,
			    .correlation = -1,
			    .stream = -1};
	struct na_json j = na_json_of(args, 0);

	if (!args.s || na_json_next(&j) != NA_JSON_OBJECT)
		return a;
	while (na_json_next(&j) == NA_JSON_KEY) {
		const struct field *f = field_of(&j);
		const char *from;

		na_json_next(&j);
		from = j.from;
		if (j.kind == NA_JSON_OBJECT || j.kind == NA_JSON_ARRAY)
			na_json_skip(&j);
		if (f)
			take_field(&a, f, &j, from);
	}
	return a;
}

NA_ORDER(by_rank, uint32_t, NA_CMP(*x, *y))

size_t kt_ranks(struct na_text list, struct na_str *to)
{
	struct na_scan c = na_scan_of(list);
	NA_VEC(uint32_t) ranks = {.v = NULL};
	bool good = na_scan_past(&c, '[');
	uint64_t x;
	size_t n;

	while (good && !na_scan_at(&c, ']')) {
		good = na_scan_number(&c, &x) && x <= INT32_MAX &&
		       na_add(&ranks, (uint32_t)x);
		while (na_scan_past(&c, ',') || na_scan_past(&c, ' ') ||
		       na_scan_past(&c, '\n') || na_scan_past(&c, '\t'))
			;
	}
	n = good && c.p + 1 == c.end ? ranks.n : 0;
	if (n)
		na_sort(ranks.v, n, by_rank);
	for (size_t i = 0; i < n; i++)
		na_str_addf(to, i ? ",%u" : "%u", ranks.v[i]);
	na_vec_free(&ranks);
	return n;
}

int64_t kt_rank_at(const char *ranks, int64_t place)
{
	const char *s = place < 0 ? NULL : ranks;
	uint64_t rank;

	for (; s && place > 0; place--)
		s = (s = strchr(s, ',')) ? s + 1 : NULL;
	return s && na_text_number(na_text_n(s, strcspn(s, ",")), &rank)
		       ? (int64_t)rank
		       : -1;
}

bool kt_host_of_name(const char *path, struct na_text pid, struct na_text *host)
{
	const char *base = strrchr(path, '/');
	struct na_text name, behind;

	base = base ? base + 1 : path;
	name = na_text_n(base, strlen(base));
	for (size_t i = 0; pid.n && i < name.n; i++) {
		behind = na_text_from(name, i);
		if (i && behind.n > pid.n + 1 && behind.s[0] == '_' &&
		    memcmp(behind.s + 1, pid.s, pid.n) == 0 &&
		    behind.s[pid.n + 1] == '.') {
			*host = na_text_n(base, i);
			return true;
		}
	}
	return false;
}

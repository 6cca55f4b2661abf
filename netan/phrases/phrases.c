/*
 * Renders a fact: walks its template once, copies what is text and replaces
 * what stands in braces.  Templates are part of the program (tools/facts.awk
 * checks their arguments, a unit test their brackets), so an error in one is a
 * mistake of ours and not of an input.
 */
#include "netan/phrases/phrases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

static const char *const args_of[] = {
#define FACT(id, args) [NA_FACT_##id] = (args),
#include "netan/phrases/facts.def"
#undef FACT
};

static const char *const text_of[] = {
#define EN(id, text) [NA_FACT_##id] = (text),
#include "netan/phrases/en.def"
#undef EN
};

/* A part of a template. */
struct part {
	const char *at, *end;
};

static const char *const type_names[] = {
	[NA_ARG_COUNT] = "count",     [NA_ARG_INTEGER] = "integer",
	[NA_ARG_NUMBER] = "number",   [NA_ARG_FACTOR] = "factor",
	[NA_ARG_PERCENT] = "percent", [NA_ARG_SECONDS] = "seconds",
	[NA_ARG_BYTES] = "bytes",     [NA_ARG_RATE] = "rate",
	[NA_ARG_CHANCE] = "chance",   [NA_ARG_FLAG] = "flag",
	[NA_ARG_HOST] = "host",       [NA_ARG_TEXT] = "text"};

static enum na_arg_type type_of(const char *name)
{
	size_t type = 0, n = strcspn(name, " ");

	while (type < NA_ARG_TEXT && (strlen(type_names[type]) != n ||
				      memcmp(type_names[type], name, n) != 0))
		type++;
	return (enum na_arg_type)type;
}

/* What a template may name. */
struct given {
	const char *args; /* "late:count transfers:count" */
	const union na_arg *arg;
};

/* The argument of that name, and its type. */
static const union na_arg *argument(const struct given *f, struct part name,
				    enum na_arg_type *type)
{
	size_t n = (size_t)(name.end - name.at), i = 0;
	const char *s = f->args;

	while (strncmp(s, name.at, n) != 0 || s[n] != ':') {
		s += strcspn(s, " ");
		s += *s == ' ';
		i++;
	}
	*type = type_of(s + n + 1);
	return &f->arg[i];
}

static bool is_there(const union na_arg *arg, enum na_arg_type type)
{
	switch (type) {
	case NA_ARG_COUNT:
	case NA_ARG_FLAG:
		return arg->integer != 0;
	case NA_ARG_INTEGER:
		return arg->integer >= 0;
	case NA_ARG_NUMBER:
	case NA_ARG_FACTOR:
	case NA_ARG_PERCENT:
	case NA_ARG_SECONDS:
	case NA_ARG_BYTES:
	case NA_ARG_RATE:
	case NA_ARG_CHANCE:
		return isfinite(arg->number);
	default:
		return arg->text && *arg->text;
	}
}

static void add_seconds(struct na_str *to, double s)
{
	char buf[NA_UNIT_BUF];

	if (fabs(s) < 1e6)
		na_str_addf(to, "%s",
			    na_print_time(buf, (int64_t)round(s * 1e12), 3));
	else
		na_str_addf(to, "%s s", na_print_number(buf, s, 3));
}

static void add_value(struct na_str *to, const union na_arg *arg,
		      enum na_arg_type type)
{
	char buf[NA_UNIT_BUF];

	switch (type) {
	case NA_ARG_COUNT:
		na_str_addf(to, "%s",
			    na_print_count(buf, arg->integer > 0
							? (uint64_t)arg->integer
							: 0));
		return;
	case NA_ARG_INTEGER:
		na_str_addf(to, "%lld", (long long)arg->integer);
		return;
	case NA_ARG_NUMBER:
		na_str_addf(to, "%s", na_print_number(buf, arg->number, 3));
		return;
	case NA_ARG_FACTOR:
		na_str_addf(to, "%s", na_print_number(buf, arg->number, 2));
		return;
	case NA_ARG_PERCENT:
		na_str_addf(to, "%s", na_print_percent(buf, arg->number));
		return;
	case NA_ARG_SECONDS:
		add_seconds(to, arg->number);
		return;
	case NA_ARG_BYTES:
		na_str_addf(to, "%s", na_print_bytes(buf, arg->number, 3));
		return;
	case NA_ARG_RATE:
		na_str_addf(to, "%s", na_print_rate(buf, arg->number, 3));
		return;
	case NA_ARG_CHANCE:
		na_str_addf(to, "%s", na_print_p(buf, arg->number));
		return;
	case NA_ARG_FLAG:
		return;
	default:
		na_str_addf(to, "%s", arg->text ? arg->text : "");
		return;
	}
}

/* The end of what begins behind an opening bracket: the closing one, or the
 * next `stop` outside of inner brackets. */
static const char *end_of(const char *at, char close, char stop)
{
	int depth = 0;

	for (; *at && (depth || (*at != close && *at != stop)); at++) {
		if ((*at == '{' || *at == '[') && at[1] == *at)
			at++;
		else
			depth += (*at == '{' || *at == '[') -
				 (*at == '}' || *at == ']');
	}
	return at;
}

/* The next opening bracket; a doubled one is a character and none. */
static const char *next_bracket(struct part p)
{
	while (p.at < p.end && *p.at != '{' && *p.at != '[')
		p.at++;
	return p.at;
}

static struct part name_at(const char *at)
{
	return (struct part){at, at + strcspn(at, "}|?")};
}

/* Whether all arguments of an optional part are there; those of its
 * alternatives do not count. */
static bool has_all(const struct given *f, struct part p)
{
	while ((p.at = next_bracket(p)) < p.end) {
		if (p.at[1] == *p.at) {
			p.at += 2;
			continue;
		}
		if (*p.at == '{') {
			struct part name = name_at(p.at + 1);
			enum na_arg_type type;
			const union na_arg *arg = argument(f, name, &type);

			if (*name.end != '?' && !is_there(arg, type))
				return false;
		}
		p.at = end_of(p.at + 1, *p.at == '{' ? '}' : ']', '\0') + 1;
	}
	return true;
}

static void add_part(struct na_str *to, const struct given *f, struct part p);

/* {arg}, {arg|one|many} or {arg?yes|no}, from behind its brace on.  Returns
 * what follows it. */
static const char *add_argument(struct na_str *to, const struct given *f,
				const char *at)
{
	struct part name = name_at(at), part;
	const char *end = end_of(at, '}', '\0');
	enum na_arg_type type;
	const union na_arg *arg = argument(f, name, &type);
	bool first = *name.end == '|' ? arg->integer == 1 : is_there(arg, type);

	if (*name.end == '}') {
		add_value(to, arg, type);
		return end + 1;
	}
	part.at = name.end + 1;
	part.end = end_of(part.at, '}', '|');
	if (!first) {
		part.at = part.end + (*part.end == '|');
		part.end = end;
	}
	add_part(to, f, part);
	return end + 1;
}

static void add_part(struct na_str *to, const struct given *f, struct part p)
{
	while (p.at < p.end) {
		const char *at = next_bracket(p);

		na_str_addf(to, "%.*s", (int)(at - p.at), p.at);
		p.at = at;
		if (at == p.end)
			return;
		if (at[1] == *at) {
			na_str_addf(to, "%c", *at);
			p.at += 2;
		} else if (*at == '{') {
			p.at = add_argument(to, f, at + 1);
		} else {
			struct part inner = {at + 1, end_of(at + 1, ']', '\0')};

			if (has_all(f, inner))
				add_part(to, f, inner);
			p.at = inner.end + 1;
		}
	}
}

void na_render(struct na_str *to, const char *args, const union na_arg *arg,
	       const char *text)
{
	add_part(to, &(struct given){args, arg},
		 (struct part){text, text + strlen(text)});
}

void na_say_to(struct na_str *to, struct na_fact fact)
{
	if (fact.id != NA_NO_FACT)
		na_render(to, args_of[fact.id], fact.arg, text_of[fact.id]);
}

void na_say_join(struct na_str *to, struct na_fact fact)
{
	struct na_str s = {0};

	na_say_to(&s, fact);
	to->failed |= s.failed;
	if (s.n)
		na_str_join(to, ", ", "%s", s.s);
	free(s.s);
}

const char *na_say(struct na_phrases *p, struct na_fact fact)
{
	struct na_str s = {0};

	if (fact.id == NA_NO_FACT)
		return "";
	na_say_to(&s, fact);
	return na_say_all(p, &s);
}

const char *na_say_all(struct na_phrases *p, struct na_str *s)
{
	const char *kept;

	na_str_addf(s, "%s", "");
	kept = na_str_keep(s, p->arena);
	if (!kept)
		p->failed = true;
	return kept ? kept : "";
}

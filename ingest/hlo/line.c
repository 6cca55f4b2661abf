/* One HLO instruction as text. */
#include "ingest/hlo/line.h"

#include <string.h>

#include "ingest/hlo/text.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

static void spaces(struct na_scan *c)
{
	na_scan_while(c, na_is_blank);
}

/* ---- replica_groups and source_target_pairs */

/* {{0,1},{2,3}}: members of the first group, and how many groups. */
static void listed_groups(struct na_scan c, struct na_hlo_line *out)
{
	uint32_t n = 0, groups = 0;
	bool inside = false, any = false;

	for (c.p++; c.p < c.end; c.p++) {
		if (*c.p == '{') {
			inside = true;
			any = false;
			n = 0;
		} else if (*c.p == ',' && inside) {
			n += n < UINT32_MAX - 1;
		} else if (na_is_digit(*c.p)) {
			any = true;
		} else if (*c.p == '}' && inside) {
			inside = false;
			n += any;
			if (groups && n != out->group_size)
				out->uneven = true;
			if (!groups && n)
				out->group_size = n;
			groups += n && groups < UINT32_MAX;
		}
	}
	out->n_groups = groups;
	if (!groups)
		out->all_devices = true;
}

/* [2,4]<=[8], [2,4]<=[4,2]T(1,0): two groups of four. */
static void compact_groups(struct na_scan c, struct na_hlo_line *out)
{
	uint64_t groups, size;

	c.p++;
	if (!na_scan_number(&c, &groups) || !na_scan_past(&c, ',') ||
	    !na_scan_number(&c, &size) || !na_scan_at(&c, ']') || !groups ||
	    !size || groups > UINT32_MAX || size > UINT32_MAX)
		return;
	out->n_groups = (uint32_t)groups;
	out->group_size = (uint32_t)size;
}

static void replica_groups(const struct na_text *v, struct na_hlo_line *out)
{
	struct na_scan c = na_scan_of(*v);

	if (v->n && *v->s == '{')
		listed_groups(c, out);
	else if (v->n && *v->s == '[')
		compact_groups(c, out);
}

/* {{0,1},{1,2}}: each transfer is its own, of one to one. */
static void pairs(const struct na_text *v, struct na_hlo_line *out)
{
	struct na_hlo_line found = {.n_groups = 0};

	if (!v->n || *v->s != '{')
		return;
	listed_groups(na_scan_of(*v), &found);
	out->n_groups = found.n_groups;
	out->group_size = found.n_groups > 0;
}

/* ---- key=value, ... */

static bool is_between(char c)
{
	return c == ',' || c == ' ';
}

/* The next one; a value is cut at the first comma outside of brackets and
 * quotes.  Keys may be quoted. */
static bool next_attribute(struct na_scan *c, struct na_text *key,
			   struct na_text *value)
{
	struct na_text part;
	size_t eq;

	na_scan_while(c, is_between);
	if (c->p == c->end)
		return false;
	part = na_between(c->p, na_hlo_to_comma(*c));
	c->p += part.n;
	eq = na_text_first(part, '=');
	if (eq > part.n)
		eq = part.n;
	*key = na_hlo_trimmed(na_text_n(part.s, eq));
	*value = na_hlo_trimmed(na_text_from(part, eq + (eq < part.n)));
	return true;
}

static struct na_text unquoted(struct na_text t)
{
	if (t.n >= 2 && t.s[0] == '"' && t.s[t.n - 1] == '"')
		return na_text_n(t.s + 1, t.n - 2);
	return t;
}

static void frontend(const struct na_text *v, struct na_hlo_line *out)
{
	struct na_text key, value;
	struct na_scan c = na_scan_of(*v);

	if (!v->n || *c.p != '{')
		return;
	c.p++;
	if (c.end > c.p && c.end[-1] == '}')
		c.end--;
	while (next_attribute(&c, &key, &value)) {
		key = unquoted(key);
		value = unquoted(value);
		if (na_text_is(key, "_xla_host_transfer_rendezvous"))
			out->rendezvous = value;
		else if (na_text_is(key, "_xla_megascale_transfer_type"))
			out->transfer_type = value;
		else if (na_text_is(key, "_xla_host_transfer_handler_name"))
			out->handler = value;
	}
}

static void attributes(struct na_hlo_line *out)
{
	struct na_scan c = na_scan_of(out->attributes);
	struct na_text key, value;

	while (next_attribute(&c, &key, &value)) {
		struct na_scan v = na_scan_of(value);
		uint64_t x;

		if (na_text_is(key, "channel_id")) {
			out->channel = na_scan_number(&v, &x) && v.p == v.end &&
						       x && x <= INT64_MAX
					       ? (int64_t)x
					       : -1;
		} else if (na_text_is(key, "replica_groups")) {
			replica_groups(&value, out);
		} else if (na_text_is(key, "source_target_pairs")) {
			pairs(&value, out);
		} else if (na_text_is(key, "is_host_transfer")) {
			out->host_transfer = na_text_is(value, "true");
		} else if (na_text_is(key, "frontend_attributes")) {
			frontend(&value, out);
		}
	}
}

/* ---- the line */

/* async-start, async-done: what they wrap stands in their name, or in the
 * name of the computation that they call. */
static void wrapped(struct na_hlo_line *out)
{
	struct na_scan c = na_scan_of(out->attributes);
	struct na_text key, value;
	uint8_t phase, opcode;

	if (!na_text_begins(out->opcode_name, "async-"))
		return;
	opcode = na_hlo_opcode_of_name(out->name.s, out->name.n, &phase);
	while (opcode == NA_OPCODE_OTHER && next_attribute(&c, &key, &value)) {
		if (na_text_is(key, "calls") ||
		    na_text_is(key, "async_wrapped"))
			opcode = na_hlo_opcode_of_name(value.s, value.n,
						       &phase);
	}
	if (opcode != NA_OPCODE_OTHER)
		out->opcode = opcode;
}

static bool take_name(struct na_scan *c, struct na_hlo_line *out)
{
	spaces(c);
	if (na_text_begins(na_between(c->p, c->end), "ROOT ")) {
		out->root = true;
		c->p += 5;
		spaces(c);
	}
	na_scan_past(c, '%');
	out->name = na_scan_while(c, na_hlo_is_name);
	spaces(c);
	if (!out->name.n || !na_scan_past(c, '='))
		return false;
	spaces(c);
	return true;
}

static bool is_opcode(char c)
{
	return (c >= 'a' && c <= 'z') || na_is_digit(c) || c == '-';
}

static bool take_opcode(struct na_scan *c, struct na_hlo_line *out)
{
	out->opcode_name = na_scan_while(c, is_opcode);
	return out->opcode_name.n && na_scan_at(c, '(');
}

bool na_hlo_line(const char *s, size_t n, struct na_hlo_line *out)
{
	struct na_scan c = {s, s + n};
	const char *close;
	size_t at = 0;

	*out = (struct na_hlo_line){.name = {"", 0},
				    .opcode_name = {"", 0},
				    .first_operand = {"", 0},
				    .operands = {"", 0},
				    .attributes = {"", 0},
				    .rendezvous = {"", 0},
				    .transfer_type = {"", 0},
				    .handler = {"", 0},
				    .channel = -1};
	if (!n || !take_name(&c, out) ||
	    !na_hlo_shape(&c, &out->size_bytes, HLO_LINE_DEPTH))
		return false;
	spaces(&c);
	if (!take_opcode(&c, out))
		return false;
	close = na_hlo_closing(c);
	out->operands = na_hlo_trimmed(na_between(c.p + 1, close));
	c.p = close < c.end ? close + 1 : close;
	out->attributes = na_hlo_trimmed(na_between(c.p, c.end));
	out->opcode = na_hlo_opcode_of(out->opcode_name.s, out->opcode_name.n,
				       &out->phase);
	if (!na_hlo_next_operand(&out->operands, &at, &out->first_operand))
		out->first_operand = (struct na_text){"", 0};
	attributes(out);
	wrapped(out);
	return true;
}

bool na_hlo_next_operand(const struct na_text *operands, size_t *at,
			 struct na_text *out)
{
	struct na_scan c = {operands->s + *at, operands->s + operands->n};
	struct na_text t;
	const char *p;

	na_scan_while(&c, is_between);
	if (c.p == c.end)
		return false;
	p = na_hlo_to_comma(c);
	t = na_hlo_trimmed(na_between(c.p, p));
	*at = (size_t)(p - operands->s);
	/* Behind its shape, if there is one. */
	for (size_t i = t.n; i-- > 0;) {
		if (!na_hlo_is_name(t.s[i])) {
			t = na_text_from(t, i + 1);
			break;
		}
	}
	*out = t;
	return true;
}

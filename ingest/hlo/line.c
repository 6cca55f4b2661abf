/* One HLO instruction as text. */
#include "ingest/hlo/line.h"

#include <string.h>

#include "ingest/hlo/text.h"
#include "netan/base/units.h"

static bool is(const struct na_text *t, const char *s)
{
	return t->n == strlen(s) && memcmp(t->s, s, t->n) == 0;
}

static void spaces(struct na_hlo_scan *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

/* ---- replica_groups and source_target_pairs */

/* {{0,1},{2,3}}: members of the first group, and how many groups. */
static void listed_groups(struct na_hlo_scan c, struct na_hlo_line *out)
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
		} else if (*c.p >= '0' && *c.p <= '9') {
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
static void compact_groups(struct na_hlo_scan c, struct na_hlo_line *out)
{
	uint64_t groups, size;

	c.p++;
	if (!na_hlo_digits(&c, &groups) || c.p == c.end || *c.p != ',')
		return;
	c.p++;
	if (!na_hlo_digits(&c, &size) || c.p == c.end || *c.p != ']' ||
	    !groups || !size || groups > UINT32_MAX || size > UINT32_MAX)
		return;
	out->n_groups = (uint32_t)groups;
	out->group_size = (uint32_t)size;
}

static void replica_groups(const struct na_text *v, struct na_hlo_line *out)
{
	struct na_hlo_scan c = {v->s, v->s + v->n};

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
	listed_groups((struct na_hlo_scan){v->s, v->s + v->n}, &found);
	out->n_groups = found.n_groups;
	out->group_size = found.n_groups > 0;
}

/* ---- key=value, ... */

/* The next one; a value is cut at the first comma outside of brackets and
 * quotes.  Keys may be quoted. */
static bool next_attribute(struct na_hlo_scan *c, struct na_text *key,
			   struct na_text *value)
{
	struct na_hlo_scan part;
	const char *eq;

	while (c->p < c->end && (*c->p == ',' || *c->p == ' '))
		c->p++;
	if (c->p == c->end)
		return false;
	part = (struct na_hlo_scan){c->p, na_hlo_to_comma(*c)};
	c->p = part.end;
	eq = memchr(part.p, '=', (size_t)(part.end - part.p));
	if (!eq)
		eq = part.end;
	*key = na_hlo_trimmed(part.p, eq);
	*value = na_hlo_trimmed(eq < part.end ? eq + 1 : eq, part.end);
	return true;
}

static struct na_text unquoted(struct na_text t)
{
	if (t.n >= 2 && t.s[0] == '"' && t.s[t.n - 1] == '"')
		return (struct na_text){t.s + 1, t.n - 2};
	return t;
}

static void frontend(const struct na_text *v, struct na_hlo_line *out)
{
	struct na_text key, value;
	struct na_hlo_scan c = {v->s, v->s + v->n};

	if (!v->n || *c.p != '{')
		return;
	c.p++;
	if (c.end > c.p && c.end[-1] == '}')
		c.end--;
	while (next_attribute(&c, &key, &value)) {
		key = unquoted(key);
		value = unquoted(value);
		if (is(&key, "_xla_host_transfer_rendezvous"))
			out->rendezvous = value;
		else if (is(&key, "_xla_megascale_transfer_type"))
			out->transfer_type = value;
		else if (is(&key, "_xla_host_transfer_handler_name"))
			out->handler = value;
	}
}

static void attributes(struct na_hlo_line *out)
{
	struct na_hlo_scan c = {out->attributes.s,
				out->attributes.s + out->attributes.n};
	struct na_text key, value;

	while (next_attribute(&c, &key, &value)) {
		struct na_hlo_scan v = {value.s, value.s + value.n};
		uint64_t x;

		if (is(&key, "channel_id")) {
			out->channel = na_hlo_digits(&v, &x) && v.p == v.end &&
						       x && x <= INT64_MAX
					       ? (int64_t)x
					       : -1;
		} else if (is(&key, "replica_groups")) {
			replica_groups(&value, out);
		} else if (is(&key, "source_target_pairs")) {
			pairs(&value, out);
		} else if (is(&key, "is_host_transfer")) {
			out->host_transfer = is(&value, "true");
		} else if (is(&key, "frontend_attributes")) {
			frontend(&value, out);
		}
	}
}

/* ---- the line */

/* async-start, async-done: what they wrap stands in their name, or in the
 * name of the computation that they call. */
static void wrapped(struct na_hlo_line *out)
{
	struct na_hlo_scan c = {out->attributes.s,
				out->attributes.s + out->attributes.n};
	struct na_text key, value;
	uint8_t phase, opcode;

	if (out->opcode_name.n < 6 ||
	    memcmp(out->opcode_name.s, "async-", 6) != 0)
		return;
	opcode = na_hlo_opcode_of_name(out->name.s, out->name.n, &phase);
	while (opcode == NA_OPCODE_OTHER && next_attribute(&c, &key, &value)) {
		if (is(&key, "calls") || is(&key, "async_wrapped"))
			opcode = na_hlo_opcode_of_name(value.s, value.n,
						       &phase);
	}
	if (opcode != NA_OPCODE_OTHER)
		out->opcode = opcode;
}

static bool take_name(struct na_hlo_scan *c, struct na_hlo_line *out)
{
	const char *from;

	spaces(c);
	if (c->end - c->p > 5 && memcmp(c->p, "ROOT ", 5) == 0) {
		out->root = true;
		c->p += 5;
		spaces(c);
	}
	if (c->p < c->end && *c->p == '%')
		c->p++;
	from = c->p;
	while (c->p < c->end && na_hlo_is_name(*c->p))
		c->p++;
	out->name = (struct na_text){from, (size_t)(c->p - from)};
	spaces(c);
	if (!out->name.n || c->p == c->end || *c->p != '=')
		return false;
	c->p++;
	spaces(c);
	return true;
}

static bool take_opcode(struct na_hlo_scan *c, struct na_hlo_line *out)
{
	const char *from = c->p;

	while (c->p < c->end &&
	       ((*c->p >= 'a' && *c->p <= 'z') ||
		(*c->p >= '0' && *c->p <= '9') || *c->p == '-'))
		c->p++;
	out->opcode_name = (struct na_text){from, (size_t)(c->p - from)};
	return out->opcode_name.n && c->p < c->end && *c->p == '(';
}

bool na_hlo_line(const char *s, size_t n, struct na_hlo_line *out)
{
	struct na_hlo_scan c = {s, s + n};
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
	out->operands = na_hlo_trimmed(c.p + 1, close);
	c.p = close < c.end ? close + 1 : close;
	out->attributes = na_hlo_trimmed(c.p, c.end);
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
	struct na_hlo_scan c = {operands->s + *at, operands->s + operands->n};
	struct na_text t;
	const char *p;

	while (c.p < c.end && (*c.p == ',' || *c.p == ' '))
		c.p++;
	if (c.p == c.end)
		return false;
	p = na_hlo_to_comma(c);
	t = na_hlo_trimmed(c.p, p);
	*at = (size_t)(p - operands->s);
	/* Behind its shape, if there is one. */
	for (size_t i = t.n; i-- > 0;) {
		if (!na_hlo_is_name(t.s[i])) {
			t = (struct na_text){t.s + i + 1, t.n - i - 1};
			break;
		}
	}
	*out = t;
	return true;
}

/*
 * HLO modules as text, the way compilers dump them:
 *
 *   HloModule NAME, replica_count=N, num_partitions=N, ...
 *
 *   %computation (args) -> shape {       or: computation {
 *     %name = SHAPE opcode(OPERANDS), ...
 *     ROOT ...
 *   }
 *
 *   ENTRY %main ... {
 *
 * Source: openxla/xla, xla/hlo/ir/hlo_module.cc, hlo_computation.cc
 * (ToString).
 *
 * The hash of an instruction is over its normalised line: shape, opcode,
 * operands and attributes with one blank between words, without comments,
 * metadata={...} and origin={...}; names of instructions and computations
 * are how far back they stand (-1 the one before).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/hlo/line.h"
#include "ingest/hlo/parts.h"

struct text {
	struct hlo_read r;
	const char *start, *p, *end;
	/* Indices by name; of instructions with their computation. */
	struct na_idmap computations, instructions;
	bool inside; /* of a computation */
	/* na_hlo_instruction.alone of the text before `told`. */
	uint64_t alone;
	size_t told;
};

struct span {
	const char *s, *end;
};

static enum na_status damaged(struct text *t, const char *at, const char *what)
{
	return na_fail(t->r.err, NA_EFORMAT, "byte %zu: %s",
		       (size_t)(at - t->start), what);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct span trimmed(struct span x)
{
	while (x.s < x.end && is_blank(*x.s))
		x.s++;
	while (x.s < x.end && is_blank(x.end[-1]))
		x.end--;
	return x;
}

static bool begins(struct span x, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(x.end - x.s) >= n && memcmp(x.s, word, n) == 0;
}

/* Behind a quoted text that begins at p. */
static const char *after_quotes(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\' && p + 1 < end;
	return p < end ? p + 1 : end;
}

static const char *after_comment(const char *p, const char *end)
{
	for (p += 2; p < end; p++) {
		if (*p == '*' && end - p > 1 && p[1] == '/')
			return p + 2;
	}
	return end;
}

static bool is_comment(const char *p, const char *end)
{
	return end - p > 1 && p[0] == '/' && p[1] == '*';
}

/* One line; long ones go on while brackets are open. */
static struct span next_line(struct text *t, bool whole)
{
	struct span x = {t->p, t->p};
	const char *p = t->p;
	long depth = 0;

	while (p < t->end && (*p != '\n' || (whole && depth > 0))) {
		if (whole && *p == '"') {
			p = after_quotes(p, t->end);
			continue;
		}
		if (whole && is_comment(p, t->end)) {
			p = after_comment(p, t->end);
			continue;
		}
		depth += *p == '(' || *p == '{' || *p == '[';
		depth -= *p == ')' || *p == '}' || *p == ']';
		p++;
	}
	x.end = p;
	t->p = p < t->end ? p + 1 : p;
	return trimmed(x);
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' ||
	       (unsigned char)c >= 0x80;
}

/* A name at the front, without %. */
static struct na_text name_at(struct span x)
{
	struct na_text name;

	if (x.s < x.end && *x.s == '%')
		x.s++;
	name = (struct na_text){x.s, 0};
	while (x.s < x.end && is_name(*x.s))
		x.s++;
	name.n = (size_t)(x.s - name.s);
	return name;
}

/* ---- normalised lines */

/* Names are of one computation. */
static int64_t key_of(uint32_t computation, uint32_t name)
{
	return hlo_key((uint64_t)(computation + 1u) << 32 | name);
}

static uint32_t find(const struct text *t, const struct na_text *name,
		     bool computation)
{
	uint32_t id = na_strtab_find(&t->r.h->strings, name->s, name->n);
	uint32_t here = (uint32_t)t->r.m->n_computations - 1;

	if (id == NA_NO_NAME)
		return NA_NO_NAME;
	return computation ? na_idmap_at(&t->computations, id)
			   : na_idmap_at(&t->instructions, key_of(here, id));
}

/* What is new of the text counts; distances will be left out. */
static void tell(struct text *t)
{
	const struct hlo_buf *b = &t->r.text;

	if (b->n > t->told)
		t->alone = na_hlo_hash(t->alone, b->s + t->told,
				       b->n - t->told);
	t->told = b->n;
}

/* A name that was met before, as its distance; others as they are. */
static void put_name(struct text *t, const struct na_text *name, bool percent)
{
	const struct na_hlo_module *m = t->r.m;
	uint32_t at = find(t, name, false);
	uint32_t here = (uint32_t)m->n_instructions - 1;

	if (at == NA_NO_NAME) {
		at = find(t, name, true);
		here = (uint32_t)m->n_computations - 1;
		if (at != NA_NO_NAME &&
		    t->r.calls[m->n_instructions - 1] == NA_NO_NAME)
			t->r.calls[m->n_instructions - 1] = at;
	}
	if (at != NA_NO_NAME) {
		tell(t);
		hlo_putf(&t->r.text, "%+" PRId64, hlo_back(here, at));
		t->told = t->r.text.n;
		return;
	}
	hlo_put(&t->r.text, "%", percent);
	hlo_put(&t->r.text, name->s, name->n);
}

/* Attributes whose values are names, also where they stand without %. */
static bool names_things(const struct na_text *key)
{
	/* clang-format off */
	static const char *const keys[] = {
		"calls", "to_apply", "body", "condition", "select", "scatter",
		"branch_computations", "true_computation",
		"false_computation", "called_computations",
		"control-predecessors",
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strlen(keys[i]) == key->n &&
		    memcmp(keys[i], key->s, key->n) == 0)
			return true;
	}
	return false;
}

static void put_char(struct text *t, char c)
{
	struct hlo_buf *b = &t->r.text;

	if (is_blank(c)) {
		if (!b->n || b->s[b->n - 1] == ' ')
			return;
		c = ' ';
	}
	hlo_put(b, &c, 1);
}

/* Names with %, and where `bare` also those without. */
static void put_span(struct text *t, struct span x, bool bare)
{
	while (x.s < x.end) {
		const char *from = x.s;

		if (*x.s == '"') {
			x.s = after_quotes(x.s, x.end);
			hlo_put(&t->r.text, from, (size_t)(x.s - from));
		} else if (is_comment(x.s, x.end)) {
			x.s = after_comment(x.s, x.end);
		} else if (*x.s == '%' || (bare && is_name(*x.s))) {
			struct na_text name = name_at(x);

			put_name(t, &name, *x.s == '%');
			x.s = name.s + name.n;
		} else if (is_name(*x.s)) {
			struct na_text name = name_at(x);

			hlo_put(&t->r.text, name.s, name.n);
			x.s = name.s + name.n;
		} else {
			put_char(t, *x.s++);
		}
	}
}

/* The first comma outside of brackets, or the end. */
static const char *to_comma(struct span x)
{
	const char *p = x.s;
	long depth = 0;

	while (p < x.end && (*p != ',' || depth > 0)) {
		if (*p == '"') {
			p = after_quotes(p, x.end);
			continue;
		}
		if (is_comment(p, x.end)) {
			p = after_comment(p, x.end);
			continue;
		}
		depth += *p == '(' || *p == '{' || *p == '[';
		depth -= *p == ')' || *p == '}' || *p == ']';
		p++;
	}
	return p;
}

static void put_attributes(struct text *t, struct span all)
{
	while (all.s < all.end) {
		struct span x = {all.s, to_comma(all)};
		struct na_text key;

		all.s = x.end + (x.end < all.end);
		x = trimmed(x);
		key = name_at(x);
		if (x.s == x.end || begins(x, "metadata=") ||
		    begins(x, "origin="))
			continue;
		hlo_put(&t->r.text, ", ", 2);
		hlo_put(&t->r.text, key.s, key.n);
		x.s = key.s + key.n;
		put_span(t, x, names_things(&key));
	}
}

/* Operands are instructions of this computation; a parameter's is its
 * number, a constant's its value. */
static bool put_operands(struct text *t, const struct na_hlo_line *l)
{
	bool literal = (l->opcode_name.n == 9 &&
			memcmp(l->opcode_name.s, "parameter", 9) == 0) ||
		       (l->opcode_name.n == 8 &&
			memcmp(l->opcode_name.s, "constant", 8) == 0);
	const struct span all = {l->operands.s, l->operands.s + l->operands.n};
	struct na_text name;
	bool any = false;
	size_t at = 0;

	if (literal) {
		put_span(t, trimmed(all), false);
		return true;
	}
	while (na_hlo_next_operand(&l->operands, &at, &name)) {
		hlo_put(&t->r.text, ", ", any ? 2 : 0);
		put_name(t, &name, false);
		if (!hlo_add_operand(&t->r, find(t, &name, false)))
			return false;
		any = true;
	}
	return true;
}

/* ---- instructions and computations */

/* What stands between `=` and the opcode. */
static struct span shape_of(const struct na_hlo_line *l)
{
	struct span x = {l->name.s + l->name.n, l->opcode_name.s};

	x = trimmed(x);
	if (x.s < x.end && *x.s == '=')
		x.s++;
	return trimmed(x);
}

static bool put_line(struct text *t, const struct na_hlo_line *l)
{
	struct hlo_buf *b = &t->r.text;

	b->n = t->told = 0;
	t->alone = 0;
	put_span(t, shape_of(l), false);
	hlo_put(b, " ", 1);
	hlo_put(b, l->opcode_name.s, l->opcode_name.n);
	hlo_put(b, "(", 1);
	if (!put_operands(t, l))
		return false;
	hlo_put(b, ")", 1);
	put_attributes(t, (struct span){l->attributes.s,
					l->attributes.s + l->attributes.n});
	return hlo_keep_text(&t->r);
}

static enum na_status instruction(struct text *t, struct span line)
{
	struct na_hlo_module *m = t->r.m;
	struct na_hlo_instruction *x;
	struct na_hlo_line l;

	if (!na_hlo_line(line.s, (size_t)(line.end - line.s), &l))
		return damaged(t, line.s, "not an HLO instruction");
	x = hlo_add_instruction(&t->r);
	if (!x || !hlo_name(&t->r, l.name.s, l.name.n, &x->name) ||
	    !hlo_name(&t->r, l.opcode_name.s, l.opcode_name.n,
		      &x->opcode_name) ||
	    !hlo_name(&t->r, l.rendezvous.s, l.rendezvous.n, &x->rendezvous) ||
	    !hlo_name(&t->r, l.transfer_type.s, l.transfer_type.n,
		      &x->transfer_type) ||
	    !hlo_name(&t->r, l.handler.s, l.handler.n, &x->handler))
		return t->r.err->status;
	x->size_bytes = l.size_bytes;
	x->channel = l.channel;
	x->group_size = l.group_size;
	x->n_groups = l.n_groups;
	x->opcode = l.opcode;
	x->phase = l.phase;
	x->host_transfer = l.host_transfer;
	x->uneven = l.uneven;
	x->all_devices = l.all_devices;
	if (!put_line(t, &l))
		return t->r.err->status;
	x->hash = na_hlo_hash(0, t->r.text.s, t->r.text.n);
	tell(t);
	x->alone = t->alone;
	if (x->name != NA_NO_NAME &&
	    !na_idmap_set(&t->instructions, key_of(x->computation, x->name),
			  (uint32_t)m->n_instructions - 1))
		return na_fail_nomem(t->r.err);
	return NA_OK;
}

static bool ends_with(struct span x, char c)
{
	return x.s < x.end && x.end[-1] == c;
}

/* "ENTRY %main (args) -> shape {" */
static enum na_status computation(struct text *t, struct span line)
{
	struct na_hlo_computation *c = hlo_add_computation(&t->r);
	uint32_t index = (uint32_t)t->r.m->n_computations - 1;
	struct na_text name;

	if (!c)
		return t->r.err->status;
	c->entry = begins(line, "ENTRY ");
	if (c->entry)
		line.s += 6;
	name = name_at(trimmed(line));
	if (!name.n)
		return damaged(t, line.s, "an HLO computation has no name");
	if (!hlo_name(&t->r, name.s, name.n, &c->name))
		return t->r.err->status;
	if (!na_idmap_set(&t->computations, c->name, index))
		return na_fail_nomem(t->r.err);
	t->inside = true;
	return NA_OK;
}

/* ---- the module */

static uint32_t count_of(struct span x, const char *key)
{
	size_t n = strlen(key);
	uint64_t count = 0;

	if (!begins(x, key))
		return 0;
	for (x.s += n;
	     x.s < x.end && *x.s >= '0' && *x.s <= '9' && count <= INT32_MAX;
	     x.s++)
		count = count * 10 + (uint64_t)(*x.s - '0');
	return count <= INT32_MAX ? (uint32_t)count : 0;
}

static enum na_status header(struct text *t, struct span line)
{
	struct na_hlo_module *m = t->r.m;
	struct na_text name;

	line.s += strlen("HloModule");
	line = trimmed(line);
	name = (struct na_text){line.s, (size_t)(to_comma(line) - line.s)};
	if (!hlo_name(&t->r, name.s, name.n, &m->name))
		return t->r.err->status;
	/* Without replica_count there is one. */
	m->replicas = m->partitions = 1;
	while (line.s < line.end) {
		struct span x = {line.s, to_comma(line)};
		uint32_t n;

		line.s = x.end + (x.end < line.end);
		x = trimmed(x);
		n = count_of(x, "replica_count=");
		m->replicas = n ? n : m->replicas;
		n = count_of(x, "num_partitions=");
		m->partitions = n ? n : m->partitions;
	}
	return NA_OK;
}

static const char *start_of(const char *s, size_t n)
{
	const char *p = s, *end = s + n;

	if (n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	while (p < end && (is_blank(*p) || *p == '/' || *p == '#')) {
		if (!is_blank(*p)) {
			while (p < end && *p != '\n')
				p++;
		} else {
			p++;
		}
	}
	return p;
}

bool na_hlo_is_text(const void *p, size_t n)
{
	const char *s = p, *at = start_of(s, n);
	struct span x = {at, s + n};

	return begins(x, "HloModule") && x.end - x.s > 9 && is_blank(x.s[9]);
}

static bool looks_inside(const struct text *t)
{
	const char *p = t->p;

	while (p < t->end && is_blank(*p))
		p++;
	return t->inside && p < t->end && *p != '}' && *p != '/';
}

static enum na_status lines(struct text *t)
{
	enum na_status st = NA_OK;

	while (st == NA_OK && t->p < t->end) {
		struct span x = next_line(t, looks_inside(t));

		if (x.s == x.end || begins(x, "//"))
			continue;
		if (!t->inside && ends_with(x, '{'))
			st = computation(t, x);
		else if (t->inside && *x.s == '}')
			t->inside = false;
		else if (t->inside)
			st = instruction(t, x);
		/* Else a table of source lines, or the like. */
	}
	if (st == NA_OK && t->inside)
		return damaged(t, t->end,
			       "the text ends inside a computation; is it cut "
			       "off?");
	if (st == NA_OK && !t->r.m->n_instructions)
		return damaged(t, t->end,
			       "an HLO module without an instruction");
	return st;
}

enum na_status na_hlo_read_text(struct na_hlo *h, const char *s, size_t n,
				uint32_t worker, struct na_err *err)
{
	struct text t = {.start = s, .end = s + n};
	enum na_status st = hlo_begin(&t.r, h, worker, NA_HLO_TEXT, err);

	t.p = start_of(s, n);
	if (st == NA_OK && !na_hlo_is_text(s, n))
		st = damaged(&t, t.p,
			     "an HLO module begins with \"HloModule\"");
	if (st == NA_OK)
		st = header(&t, next_line(&t, true));
	if (st == NA_OK)
		st = lines(&t);
	st = hlo_end(&t.r, st);
	na_idmap_fini(&t.computations);
	na_idmap_fini(&t.instructions);
	return st;
}

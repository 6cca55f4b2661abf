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
#include "ingest/hlo/text.h"
#include "netan/base/text.h"

struct text {
	struct na_hlo_read r;
	const char *start;
	struct na_scan c;
	/* Indices by name; of instructions with their computation. */
	struct na_idmap computations, instructions;
	bool inside; /* of a computation */
	/* na_hlo_instruction.alone of the text before `told`. */
	uint64_t alone;
	size_t told;
};

static const char magic[] = "HloModule";

static enum na_status damaged(struct text *t, const char *at, const char *what)
{
	return na_fail(t->r.err, NA_EFORMAT, "byte %zu: %s",
		       (size_t)(at - t->start), what);
}

static bool is_blank(char c)
{
	return na_is_blank(c) || c == '\r' || c == '\n';
}

/* Past one thing: a quoted text, a comment, a character.  Its bracket opens
 * or closes. */
static void step(struct na_scan *c, long *depth)
{
	const char *behind = na_hlo_past(c);

	if (behind) {
		c->p = behind;
		return;
	}
	*depth += *c->p == '(' || *c->p == '{' || *c->p == '[';
	*depth -= *c->p == ')' || *c->p == '}' || *c->p == ']';
	c->p++;
}

/* One line; long ones go on while brackets are open. */
static struct na_text next_line(struct text *t, bool whole)
{
	struct na_scan *c = &t->c;
	const char *from = c->p;
	struct na_text x;
	long depth = 0;

	while (c->p < c->end && (*c->p != '\n' || (whole && depth > 0))) {
		if (whole)
			step(c, &depth);
		else
			c->p++;
	}
	x = na_between(from, c->p);
	na_scan_step(c);
	return na_hlo_trimmed(x);
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' ||
	       (unsigned char)c >= 0x80;
}

/* A name, without %. */
static struct na_text name_at(struct na_scan *c)
{
	na_scan_past(c, '%');
	return na_scan_while(c, is_name);
}

/* ---- normalised lines */

/* Names are of one computation. */
static int64_t key_of(uint32_t computation, uint32_t name)
{
	return na_hlo_key((uint64_t)(computation + 1u) << 32 | name);
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
	const struct na_hlo_buf *b = &t->r.text;

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
		na_hlo_putf(&t->r.text, "%+" PRId64, na_hlo_back(here, at));
		t->told = t->r.text.n;
		return;
	}
	na_hlo_put(&t->r.text, "%", percent);
	na_hlo_put(&t->r.text, name->s, name->n);
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
		if (na_text_is(*key, keys[i]))
			return true;
	}
	return false;
}

static void put_char(struct text *t, char c)
{
	struct na_hlo_buf *b = &t->r.text;

	if (is_blank(c)) {
		if (!b->n || b->s[b->n - 1] == ' ')
			return;
		c = ' ';
	}
	na_hlo_put(b, &c, 1);
}

/* Names with %, and where `bare` also those without. */
static void put_part(struct text *t, struct na_text x, bool bare)
{
	struct na_scan c = na_scan_of(x);

	while (c.p < c.end) {
		const char *from = c.p, *behind = na_hlo_past(&c);
		struct na_text name;

		if (behind) {
			c.p = behind;
			if (*from == '"')
				na_hlo_put(&t->r.text, from,
					   (size_t)(c.p - from));
		} else if (*from == '%' || (bare && is_name(*from))) {
			name = name_at(&c);
			put_name(t, &name, *from == '%');
		} else if (is_name(*from)) {
			name = name_at(&c);
			na_hlo_put(&t->r.text, name.s, name.n);
		} else {
			put_char(t, *c.p++);
		}
	}
}

/* The next of a list with commas, without blanks around it. */
static struct na_text next_of(struct na_scan *c)
{
	struct na_text x = na_between(c->p, na_hlo_to_comma(*c));

	c->p += x.n;
	na_scan_past(c, ',');
	return na_hlo_trimmed(x);
}

static void put_attributes(struct text *t, struct na_text all)
{
	struct na_scan c = na_scan_of(all);

	while (c.p < c.end) {
		struct na_text x = next_of(&c), key;
		struct na_scan rest = na_scan_of(x);

		if (!x.n || na_text_begins(x, "metadata=") ||
		    na_text_begins(x, "origin="))
			continue;
		key = name_at(&rest);
		na_hlo_put(&t->r.text, ", ", 2);
		na_hlo_put(&t->r.text, key.s, key.n);
		put_part(t, na_between(rest.p, rest.end), names_things(&key));
	}
}

/* Operands are instructions of this computation; a parameter's is its
 * number, a constant's its value. */
static bool put_operands(struct text *t, const struct na_hlo_line *l)
{
	bool literal = na_text_is(l->opcode_name, "parameter") ||
		       na_text_is(l->opcode_name, "constant");
	struct na_text name;
	bool any = false;
	size_t at = 0;

	if (literal) {
		put_part(t, l->operands, false);
		return true;
	}
	while (na_hlo_next_operand(&l->operands, &at, &name)) {
		na_hlo_put(&t->r.text, ", ", any ? 2 : 0);
		put_name(t, &name, false);
		if (!na_hlo_add_operand(&t->r, find(t, &name, false)))
			return false;
		any = true;
	}
	return true;
}

/* ---- instructions and computations */

/* What stands between `=` and the opcode. */
static struct na_text shape_of(const struct na_hlo_line *l)
{
	struct na_text x = na_between(l->name.s + l->name.n, l->opcode_name.s);

	x = na_hlo_trimmed(x);
	if (na_text_begins(x, "="))
		x = na_text_from(x, 1);
	return na_hlo_trimmed(x);
}

static bool put_line(struct text *t, const struct na_hlo_line *l)
{
	struct na_hlo_buf *b = &t->r.text;

	b->n = t->told = 0;
	t->alone = 0;
	put_part(t, shape_of(l), false);
	na_hlo_put(b, " ", 1);
	na_hlo_put(b, l->opcode_name.s, l->opcode_name.n);
	na_hlo_put(b, "(", 1);
	if (!put_operands(t, l))
		return false;
	na_hlo_put(b, ")", 1);
	put_attributes(t, l->attributes);
	return na_hlo_keep_text(&t->r);
}

static enum na_status instruction(struct text *t, struct na_text line)
{
	struct na_hlo_module *m = t->r.m;
	struct na_hlo_instruction *x;
	struct na_hlo_line l;

	if (!na_hlo_line(line.s, line.n, &l))
		return damaged(t, line.s, "not an HLO instruction");
	x = na_hlo_add_instruction(&t->r);
	if (!x || !na_hlo_name(&t->r, l.name.s, l.name.n, &x->name) ||
	    !na_hlo_name(&t->r, l.opcode_name.s, l.opcode_name.n,
			 &x->opcode_name) ||
	    !na_hlo_name(&t->r, l.rendezvous.s, l.rendezvous.n,
			 &x->rendezvous) ||
	    !na_hlo_name(&t->r, l.transfer_type.s, l.transfer_type.n,
			 &x->transfer_type) ||
	    !na_hlo_name(&t->r, l.handler.s, l.handler.n, &x->handler))
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

/* "ENTRY %main (args) -> shape {" */
static enum na_status computation(struct text *t, struct na_text line)
{
	struct na_hlo_computation *c = na_hlo_add_computation(&t->r);
	uint32_t index = (uint32_t)t->r.m->n_computations - 1;
	struct na_text name;
	struct na_scan at;

	if (!c)
		return t->r.err->status;
	c->entry = na_text_begins(line, "ENTRY ");
	if (c->entry)
		line = na_hlo_trimmed(na_text_from(line, 6));
	at = na_scan_of(line);
	name = name_at(&at);
	if (!name.n)
		return damaged(t, line.s, "an HLO computation has no name");
	if (!na_hlo_name(&t->r, name.s, name.n, &c->name))
		return t->r.err->status;
	if (!na_idmap_set(&t->computations, c->name, index))
		return na_fail_nomem(t->r.err);
	t->inside = true;
	return NA_OK;
}

/* ---- the module */

static uint32_t count_of(struct na_text x, const char *key)
{
	struct na_scan c;
	uint64_t count;

	if (!na_text_begins(x, key))
		return 0;
	c = na_scan_of(na_text_from(x, strlen(key)));
	return na_scan_number(&c, &count) && count <= INT32_MAX
		       ? (uint32_t)count
		       : 0;
}

static enum na_status header(struct text *t, struct na_text line)
{
	struct na_hlo_module *m = t->r.m;
	struct na_scan c;
	struct na_text x;

	c = na_scan_of(na_hlo_trimmed(na_text_from(line, strlen(magic))));
	x = na_between(c.p, na_hlo_to_comma(c));
	if (!na_hlo_name(&t->r, x.s, x.n, &m->name))
		return t->r.err->status;
	/* Without replica_count there is one. */
	m->replicas = m->partitions = 1;
	while (c.p < c.end) {
		uint32_t n;

		x = next_of(&c);
		n = count_of(x, "replica_count=");
		m->replicas = n ? n : m->replicas;
		n = count_of(x, "num_partitions=");
		m->partitions = n ? n : m->partitions;
	}
	return NA_OK;
}

static bool in_line(char c)
{
	return c != '\n';
}

/* Behind blanks and lines that say nothing. */
static struct na_scan start_of(const char *s, size_t n)
{
	struct na_scan c = na_scan_of(na_text_n(s, n));

	if (na_text_begins(na_text_n(s, n), "\xef\xbb\xbf"))
		c.p += 3;
	for (;;) {
		na_scan_while(&c, is_blank);
		if (!na_scan_at(&c, '/') && !na_scan_at(&c, '#'))
			return c;
		na_scan_while(&c, in_line);
	}
}

bool na_hlo_is_text(const void *p, size_t n)
{
	struct na_scan c = start_of(p, n);
	struct na_text x = na_between(c.p, c.end);

	return na_text_begins(x, magic) && x.n > strlen(magic) &&
	       is_blank(x.s[strlen(magic)]);
}

static bool looks_inside(const struct text *t)
{
	struct na_scan c = t->c;

	na_scan_while(&c, is_blank);
	return t->inside && c.p < c.end && *c.p != '}' && *c.p != '/';
}

static enum na_status lines(struct text *t)
{
	enum na_status st = NA_OK;

	while (st == NA_OK && t->c.p < t->c.end) {
		struct na_text x = next_line(t, looks_inside(t));

		if (!x.n || na_text_begins(x, "//"))
			continue;
		if (!t->inside && na_text_ends(x, "{"))
			st = computation(t, x);
		else if (t->inside && *x.s == '}')
			t->inside = false;
		else if (t->inside)
			st = instruction(t, x);
		/* Else a table of source lines, or the like. */
	}
	if (st == NA_OK && t->inside)
		return damaged(t, t->c.end,
			       "the text ends inside a computation; is it cut "
			       "off?");
	if (st == NA_OK && !t->r.m->n_instructions)
		return damaged(t, t->c.end,
			       "an HLO module without an instruction");
	return st;
}

enum na_status na_hlo_read_text(struct na_hlo *h, const char *s, size_t n,
				uint32_t worker, struct na_err *err)
{
	struct text t = {.start = s, .c = start_of(s, n)};
	enum na_status st = na_hlo_begin(&t.r, h, worker, NA_HLO_TEXT, err);

	if (st == NA_OK && !na_hlo_is_text(s, n))
		st = damaged(&t, t.c.p,
			     "an HLO module begins with \"HloModule\"");
	if (st == NA_OK)
		st = header(&t, next_line(&t, true));
	if (st == NA_OK)
		st = lines(&t);
	st = na_hlo_end(&t.r, st);
	na_idmap_fini(&t.computations);
	na_idmap_fini(&t.instructions);
	return st;
}

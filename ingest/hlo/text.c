/* Pieces of HLO text: brackets, quotes, shapes, names of opcodes. */
#include "ingest/hlo/text.h"

#include <string.h>

#include "ingest/hlo/line.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct na_text na_hlo_trimmed(struct na_text x)
{
	while (x.n && is_blank(x.s[0]))
		x = na_text_from(x, 1);
	while (x.n && is_blank(x.s[x.n - 1]))
		x.n--;
	return x;
}

/* ---- brackets and quotes */

const char *na_hlo_past(const struct na_scan *c)
{
	const char *p = c->p, *end = c->end;

	if (*p == '"') {
		for (p++; p < end && *p != '"'; p++) {
			if (*p == '\\' && end - p > 1)
				p++;
		}
		return p < end ? p + 1 : end;
	}
	if (*p == '/' && end - p >= 2 && p[1] == '*') {
		for (p += 2; end - p >= 2; p++) {
			if (p[0] == '*' && p[1] == '/')
				return p + 2;
		}
		return end;
	}
	return NULL;
}

static bool opens(char c)
{
	return c == '(' || c == '{' || c == '[';
}

static bool closes(char c)
{
	return c == ')' || c == '}' || c == ']';
}

const char *na_hlo_closing(struct na_scan c)
{
	size_t depth = 0;

	while (c.p < c.end) {
		const char *behind = na_hlo_past(&c);

		if (behind) {
			c.p = behind;
			continue;
		}
		if (opens(*c.p))
			depth++;
		else if (closes(*c.p) && --depth == 0)
			return c.p;
		c.p++;
	}
	return c.end;
}

const char *na_hlo_to_comma(struct na_scan c)
{
	while (c.p < c.end && *c.p != ',') {
		const char *behind = na_hlo_past(&c);

		if (behind) {
			c.p = behind;
		} else if (opens(*c.p)) {
			c.p = na_hlo_closing(c);
			na_scan_step(&c);
		} else {
			c.p++;
		}
	}
	return c.p;
}

/* ---- shapes */

/* What a type takes without E(bits) in its layout: less than a byte is kept
 * in one. */
static const struct {
	const char *name;
	uint8_t number, bits;
} types[] = {
	{"pred", 1, 8},
	{"s8", 2, 8},
	{"s16", 3, 16},
	{"s32", 4, 32},
	{"s64", 5, 64},
	{"u8", 6, 8},
	{"u16", 7, 16},
	{"u32", 8, 32},
	{"u64", 9, 64},
	{"f16", 10, 16},
	{"f32", 11, 32},
	{"f64", 12, 64},
	{"tuple", 13, 0},
	{"opaque", 14, 0},
	{"c64", 15, 64},
	{"bf16", 16, 16},
	{"token", 17, 0},
	{"c128", 18, 128},
	{"f8e5m2", 19, 8},
	{"f8e4m3fn", 20, 8},
	{"s4", 21, 8},
	{"u4", 22, 8},
	{"f8e4m3b11fnuz", 23, 8},
	{"f8e5m2fnuz", 24, 8},
	{"f8e4m3fnuz", 25, 8},
	{"s2", 26, 8},
	{"u2", 27, 8},
	{"f8e4m3", 28, 8},
	{"f8e3m4", 29, 8},
	{"s1", 30, 8},
	{"u1", 31, 8},
	{"f4e2m1fn", 32, 8},
	{"f8e8m0fnu", 33, 8},
	{"buffer", 34, 0},
	{"b", 34, 0},
};
enum { N_TYPES = sizeof(types) / sizeof(types[0]) };

int na_hlo_type_bits(const char *s, size_t n)
{
	for (size_t i = 0; i < N_TYPES; i++) {
		if (na_text_is(na_text_n(s, n), types[i].name))
			return types[i].bits;
	}
	return -1;
}

int na_hlo_type_number_bits(uint64_t number)
{
	if (!number)
		return 0; /* invalid */
	for (size_t i = 0; i < N_TYPES; i++) {
		if (types[i].number == number)
			return types[i].bits;
	}
	return -1;
}

/* [8,<=128,?]: the product; false: not known, or beyond 64 bits. */
static bool dimensions(struct na_scan c, uint64_t *elements)
{
	uint64_t product = 1;
	bool known = true, zero = false;

	while (c.p < c.end) {
		uint64_t x;

		if (*c.p == ',' || *c.p == ' ' || *c.p == '<' || *c.p == '=') {
			c.p++;
		} else if (na_scan_number(&c, &x)) {
			zero |= !x;
			if (x && product > UINT64_MAX / x)
				known = false;
			else
				product *= x;
		} else {
			known = false;
			c.p++;
		}
	}
	*elements = zero ? 0 : product;
	return known;
}

/* {1,0:T(8,128)(2,1)E(4)S(1)}: the 4, or 0. */
static uint64_t layout_bits(struct na_scan c)
{
	uint64_t bits;

	while (c.p < c.end) {
		if (*c.p == 'E' && c.end - c.p >= 3 && c.p[1] == '(') {
			c.p += 2;
			return na_scan_number(&c, &bits) ? bits : 0;
		}
		if (opens(*c.p)) {
			c.p = na_hlo_closing(c);
			na_scan_step(&c);
		} else {
			c.p++;
		}
	}
	return 0;
}

static uint64_t array_bytes(int type_bits, uint64_t elements,
			    uint64_t packed_bits)
{
	uint64_t bits = (uint64_t)type_bits;

	if (packed_bits && packed_bits < 8)
		return elements / 8 * packed_bits +
		       (elements % 8 * packed_bits + 7) / 8;
	return elements > NA_UNKNOWN_U64 / 16 ? NA_UNKNOWN_U64
					      : elements * (bits / 8);
}

static bool is_type(char c)
{
	return (c >= 'a' && c <= 'z') || na_is_digit(c);
}

/* bf16[8,128]{1,0:T(8,128)} */
static bool array(struct na_scan *c, uint64_t *bytes)
{
	struct na_text type = na_scan_while(c, is_type);
	uint64_t elements, packed = 0;
	const char *close;
	bool known;
	int bits;

	if (!type.n || !na_scan_at(c, '['))
		return false;
	bits = na_hlo_type_bits(type.s, type.n);
	close = na_hlo_closing(*c);
	if (close == c->end)
		return false;
	known = dimensions((struct na_scan){c->p + 1, close}, &elements);
	c->p = close + 1;
	if (na_scan_at(c, '{')) {
		close = na_hlo_closing(*c);
		if (close == c->end)
			return false;
		packed = layout_bits((struct na_scan){c->p + 1, close});
		c->p = close + 1;
	}
	*bytes = !bits                ? 0
		 : bits < 0 || !known ? NA_UNKNOWN_U64
				      : array_bytes(bits, elements, packed);
	return true;
}

static void blanks(struct na_scan *c)
{
	while (c->p < c->end) {
		const char *behind = na_hlo_past(c);

		if (behind && *c->p == '/')
			c->p = behind;
		else if (na_is_blank(*c->p))
			c->p++;
		else
			return;
	}
}

/* Members add up; one that is not known makes the sum unknown. */
bool na_hlo_shape(struct na_scan *c, uint64_t *bytes, int depth)
{
	uint64_t sum = 0;

	blanks(c);
	if (!na_scan_at(c, '('))
		return array(c, bytes);
	if (!depth)
		return false;
	for (c->p++;; c->p++) {
		uint64_t one;

		blanks(c);
		if (na_scan_at(c, ')'))
			break; /* () */
		if (!na_hlo_shape(c, &one, depth - 1))
			return false;
		sum = one > NA_UNKNOWN_U64 - sum ? NA_UNKNOWN_U64 : sum + one;
		blanks(c);
		if (na_scan_at(c, ')'))
			break;
		if (!na_scan_at(c, ','))
			return false;
	}
	c->p++;
	*bytes = sum;
	return true;
}

/* ---- opcodes */

static const struct {
	const char *name;
	uint8_t opcode;
} opcodes[] = {
	{"send", NA_OPCODE_SEND},
	{"recv", NA_OPCODE_RECV},
	{"all-reduce", NA_OPCODE_ALL_REDUCE},
	{"all-gather", NA_OPCODE_ALL_GATHER},
	{"reduce-scatter", NA_OPCODE_REDUCE_SCATTER},
	{"all-to-all", NA_OPCODE_ALL_TO_ALL},
	{"ragged-all-to-all", NA_OPCODE_RAGGED_ALL_TO_ALL},
	{"collective-permute", NA_OPCODE_PERMUTE},
	{"collective-broadcast", NA_OPCODE_BROADCAST},
	{"while", NA_OPCODE_CONTAINER},
	{"conditional", NA_OPCODE_CONTAINER},
	{"call", NA_OPCODE_CONTAINER},
	{"async", NA_OPCODE_CONTAINER}, /* see line.c, wrapped() */
};
enum { N_OPCODES = sizeof(opcodes) / sizeof(opcodes[0]) };

static bool cut_end(struct na_text *x, const char *end)
{
	if (x->n == strlen(end) || !na_text_ends(*x, end))
		return false;
	x->n -= strlen(end);
	return true;
}

uint8_t na_hlo_opcode_of(const char *s, size_t n, uint8_t *phase)
{
	struct na_text name = na_text_n(s, n);
	uint8_t found = NA_OP_WHOLE;
	bool split;

	if (cut_end(&name, "-start"))
		found = NA_OP_START;
	else if (cut_end(&name, "-done"))
		found = NA_OP_DONE;
	split = found != NA_OP_WHOLE;
	*phase = NA_OP_WHOLE;
	for (size_t i = 0; i < N_OPCODES; i++) {
		uint8_t op = opcodes[i].opcode;

		if (!na_text_is(name, opcodes[i].name))
			continue;
		if (!strcmp(opcodes[i].name, "async") && !split)
			continue;
		if (!split && (op == NA_OPCODE_SEND || op == NA_OPCODE_RECV))
			found = NA_OP_START;
		*phase = found;
		return op;
	}
	return NA_OPCODE_OTHER;
}

uint8_t na_hlo_opcode_of_name(const char *s, size_t n, uint8_t *phase)
{
	const char *dot;

	if (n && *s == '%') {
		s++;
		n--;
	}
	dot = n ? memchr(s, '.', n) : NULL;
	return na_hlo_opcode_of(s, dot ? (size_t)(dot - s) : n, phase);
}

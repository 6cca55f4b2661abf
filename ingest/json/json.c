#include "ingest/json/json.h"

#include "netan/base/text.h"

struct na_json na_json_of(struct na_text text, uint64_t offset)
{
	const char *end = text.n ? text.s + text.n : text.s;

	return (struct na_json){
		.begin = text.s,
		.p = text.s,
		.from = text.s,
		.end = end,
		.offset = offset,
	};
}

uint64_t na_json_at(const struct na_json *j)
{
	return j->offset + (uint64_t)(j->from - j->begin);
}

enum { WHITE = 1, ENDS_WORD };
static const unsigned char kinds[256] = {
	[' '] = WHITE,     ['\n'] = WHITE,    ['\r'] = WHITE,
	['\t'] = WHITE,    [','] = ENDS_WORD, [':'] = ENDS_WORD,
	['"'] = ENDS_WORD, ['{'] = ENDS_WORD, ['}'] = ENDS_WORD,
	['['] = ENDS_WORD, [']'] = ENDS_WORD,
};

static bool is_white(char c)
{
	return kinds[(unsigned char)c] == WHITE;
}

static bool ends_word(char c)
{
	return kinds[(unsigned char)c];
}

static enum na_json_kind give(struct na_json *j, enum na_json_kind kind)
{
	j->kind = kind;
	return kind;
}

/* What is wrong at j->p. */
static enum na_json_kind broken(struct na_json *j, const char *expected)
{
	j->damage = expected;
	j->from = j->p;
	j->p = j->end;
	j->depth = 0;
	return give(j, NA_JSON_END);
}

static bool in_array(const struct na_json *j)
{
	return j->depth && (j->arrays >> (j->depth - 1) & 1);
}

/* The value that begins at j->from is over. */
static enum na_json_kind value(struct na_json *j, enum na_json_kind kind)
{
	j->closed = true;
	j->named = false;
	j->dotted = false;
	return give(j, kind);
}

/* From behind the opening quote up to the one that closes; NULL: none. */
static const char *string_end(const char *s, const char *end, bool *escaped)
{
	while (s < end && *s != '"') {
		if (*s == '\\') {
			*escaped = true;
			if (end - s < 2)
				return NULL;
			s++;
		}
		s++;
	}
	return s < end ? s : NULL;
}

/* Past the object or array that begins at s with its bracket; NULL: it does
 * not end before `end`.  Looks at nothing but quotes and brackets, and takes
 * any closing bracket for the right one. */
static const char *past_brackets(const char *s, const char *end)
{
	uint64_t depth = 0;
	bool escaped;

	for (; s < end; s++) {
		if (*s == '{' || *s == '[') {
			depth++;
		} else if (*s == '"') {
			s = string_end(s + 1, end, &escaped);
			if (!s)
				return NULL;
		} else if ((*s == '}' || *s == ']') && --depth == 0) {
			return s + 1;
		}
	}
	return NULL;
}

static enum na_json_kind open_one(struct na_json *j, bool array)
{
	const char *past;

	if (j->depth < NA_JSON_DEPTH) {
		uint64_t bit = UINT64_C(1) << j->depth++;

		j->arrays = array ? j->arrays | bit : j->arrays & ~bit;
		j->p++;
		j->closed = j->named = j->dotted = false;
		return give(j, array ? NA_JSON_ARRAY : NA_JSON_OBJECT);
	}
	past = past_brackets(j->p, j->end);
	if (!past) {
		j->p = j->end;
		return broken(j, "the end of what is opened");
	}
	j->p = past;
	return value(j, NA_JSON_DEEP);
}

static enum na_json_kind close_one(struct na_json *j, bool array)
{
	if (j->depth == 0 || in_array(j) != array || j->named)
		return broken(j, j->named ? "a value" : "another bracket");
	j->depth--;
	j->p++;
	return value(j, array ? NA_JSON_ARRAY_END : NA_JSON_OBJECT_END);
}

static enum na_json_kind quoted(struct na_json *j)
{
	const char *s = j->p + 1, *end;

	j->escaped = false;
	end = string_end(s, j->end, &j->escaped);
	if (!end)
		return broken(j, "the end of a string");
	j->text = na_between(s, end);
	j->p = end + 1;
	if (!j->depth || in_array(j) || j->named)
		return value(j, NA_JSON_STRING);
	while (j->p < j->end && is_white(*j->p))
		j->p++;
	if (j->p == j->end || *j->p != ':')
		return broken(j, "a colon behind a key");
	j->p++;
	j->named = true;
	j->closed = j->dotted = false;
	return give(j, NA_JSON_KEY);
}

static const char *digits(const char *s, const char *end)
{
	while (s < end && na_is_digit(*s))
		s++;
	return s;
}

/* RFC 8259, section 6. */
static bool is_number(struct na_text x)
{
	const char *s = x.s, *end = x.s + x.n, *from;

	if (s < end && *s == '-')
		s++;
	from = s;
	s = digits(s, end);
	if (s == from || (*from == '0' && s - from > 1))
		return false;
	if (s < end && *s == '.') {
		from = ++s;
		s = digits(s, end);
		if (s == from)
			return false;
	}
	if (s < end && (*s == 'e' || *s == 'E')) {
		s++;
		if (s < end && (*s == '+' || *s == '-'))
			s++;
		from = s;
		s = digits(s, end);
		if (s == from)
			return false;
	}
	return s == end;
}

static enum na_json_kind word(struct na_json *j)
{
	static const struct {
		const char *word;
		enum na_json_kind kind;
	} known[] = {
		{"true", NA_JSON_TRUE},     {"false", NA_JSON_FALSE},
		{"null", NA_JSON_NULL},     {"NaN", NA_JSON_WORD},
		{"Infinity", NA_JSON_WORD}, {"-Infinity", NA_JSON_WORD},
	};
	const char *s = j->p;

	while (s < j->end && !ends_word(*s))
		s++;
	j->text = na_between(j->p, s);
	j->escaped = false;
	if (!j->text.n)
		return broken(j, "a value");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (na_text_is(j->text, known[i].word)) {
			j->p = s;
			return value(j, known[i].kind);
		}
	}
	if (!is_number(j->text) && !j->bare)
		return broken(j, "a value");
	/* A number that the end of the text cuts off is another one. */
	if (s == j->end && j->depth)
		return broken(j, "the end of a number");
	j->p = s;
	return value(j, is_number(j->text) ? NA_JSON_NUMBER : NA_JSON_WORD);
}

/* Past blanks and one comma, where a comma may stand; false: damage. */
static bool past_comma(struct na_json *j)
{
	for (; j->p < j->end; j->p++) {
		if (is_white(*j->p))
			continue;
		if (*j->p != ',')
			break;
		if (!j->closed || j->dotted || !j->depth) {
			broken(j, "a value");
			return false;
		}
		j->dotted = true;
	}
	return true;
}

enum na_json_kind na_json_next(struct na_json *j)
{
	char c;

	if (j->damage || !past_comma(j))
		return give(j, NA_JSON_END);
	if (j->p == j->end) {
		if (j->depth)
			return broken(j, "the end of what is opened");
		j->from = j->p;
		return give(j, NA_JSON_END);
	}
	j->from = j->p;
	c = *j->p;
	if (c == '}' || c == ']')
		return close_one(j, c == ']');
	if (j->closed && j->depth && !j->dotted)
		return broken(j, "a comma or a closing bracket");
	if (c == '"')
		return quoted(j);
	if (j->depth && !in_array(j) && !j->named)
		return broken(j, "a key");
	if (c == '{' || c == '[')
		return open_one(j, c == '[');
	return word(j);
}

void na_json_skip(struct na_json *j)
{
	unsigned depth;

	if (j->kind == NA_JSON_KEY)
		na_json_next(j);
	if (j->kind != NA_JSON_OBJECT && j->kind != NA_JSON_ARRAY)
		return;
	depth = j->depth - 1;
	while (j->depth > depth && na_json_next(j))
		;
}

bool na_json_enters(struct na_json *j, enum na_json_kind bracket)
{
	if (na_json_next(j) == bracket)
		return true;
	na_json_skip(j);
	return false;
}

struct na_text na_json_value(struct na_json *j)
{
	const char *from;

	na_json_next(j);
	if (j->kind == NA_JSON_STRING || j->kind == NA_JSON_NUMBER)
		return j->text;
	from = j->from;
	if (j->kind != NA_JSON_OBJECT && j->kind != NA_JSON_ARRAY)
		return na_text_n("", 0);
	na_json_skip(j);
	return j->damage ? na_text_n("", 0) : na_between(from, j->p);
}

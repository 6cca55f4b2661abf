#include "ingest/kineto/event.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LANES = 16, BLOCK = 64 };

/* Of numbers and words. */
static inline bool is_bare(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- what 16 bytes hold: a bit for each */

#ifdef __SSE2__
typedef __m128i lanes;

static inline lanes load(const char *s)
{
	return _mm_loadu_si128((const __m128i *)(const void *)s);
}

static inline unsigned equal(lanes x, char c)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(c)));
}

/* { and [, or } and ], which differ in one bit. */
static inline unsigned bracket(lanes x, char c)
{
	return equal(_mm_or_si128(x, _mm_set1_epi8(0x20)), c);
}

/* Bytes from `from` on, n of them. */
static inline lanes among(lanes x, char from, char n)
{
	const lanes low = _mm_sub_epi8(x, _mm_set1_epi8(from));

	return _mm_cmpeq_epi8(_mm_min_epu8(low, _mm_set1_epi8((char)(n - 1))),
			      low);
}

/* As is_bare(): + - . and digits lie together, but for the comma and the
 * slash. */
static inline unsigned bare(lanes x)
{
	const lanes letter = among(_mm_or_si128(x, _mm_set1_epi8(0x20)), 'a',
				   26);
	const lanes other = _mm_or_si128(letter, among(x, '+', '9' - '+' + 1));

	return (unsigned)_mm_movemask_epi8(other) & ~equal(x, ',') &
	       ~equal(x, '/');
}
#else
typedef struct {
	char c[LANES];
} lanes;

static inline lanes load(const char *s)
{
	lanes x;

	memcpy(&x, s, sizeof(x));
	return x;
}

static inline unsigned equal(lanes x, char c)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < LANES; i++)
		bits |= (unsigned)(x.c[i] == c) << i;
	return bits;
}

static inline unsigned bracket(lanes x, char c)
{
	return equal(x, c) | equal(x, (char)(c & ~0x20));
}

static inline unsigned bare(lanes x)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < LANES; i++)
		bits |= (unsigned)is_bare(x.c[i]) << i;
	return bits;
}
#endif

/* From behind a quote to the one that closes; NULL: there is none. */
static inline const char *string_end(const char *s, const char *end)
{
	while (s < end) {
		if (end - s >= LANES) {
			lanes x = load(s);
			unsigned bits = equal(x, '"') | equal(x, '\\');

			if (!bits) {
				s += LANES;
				continue;
			}
			s += __builtin_ctz(bits);
		}
		if (*s == '"')
			return s;
		if (*s == '\\' && end - s < 2)
			return NULL;
		s += 1 + (*s == '\\');
	}
	return NULL;
}

/* ---- an object or array as a whole */

struct walk {
	uint64_t depth;
	const char *skip; /* escaped: no mark */
	bool quoted;
};

/* A quote, backslash or bracket; true: the bracket that closes all. */
static inline bool take(struct walk *w, const char *s)
{
	if (s == w->skip)
		return false;
	if (*s == '"') {
		w->quoted = !w->quoted;
		return false;
	}
	if (*s == '\\') {
		if (w->quoted)
			w->skip = s + 1;
		return false;
	}
	if (w->quoted)
		return false;
	if (*s == '{' || *s == '[')
		w->depth++;
	else if (*s == '}' || *s == ']')
		return --w->depth == 0;
	return false;
}

/* The marks of 64 bytes. */
struct marks {
	uint64_t quotes, escapes, brackets;
};

static inline struct marks marks_of(const char *s)
{
	struct marks m = {0, 0, 0};

	for (unsigned i = 0; i < BLOCK; i += LANES) {
		lanes x = load(s + i);

		m.quotes |= (uint64_t)equal(x, '"') << i;
		m.escapes |= (uint64_t)equal(x, '\\') << i;
		m.brackets |= (uint64_t)(bracket(x, '{') | bracket(x, '}'))
			      << i;
	}
	return m;
}

/* Bits from each quote up to the next one. */
static inline uint64_t between_quotes(uint64_t quotes)
{
	for (unsigned i = 1; i < BLOCK; i *= 2)
		quotes ^= quotes << i;
	return quotes;
}

/* Past the object or array at s; NULL: it does not end. */
static const char *past(const char *s, const char *end)
{
	struct walk w = {.depth = 0};

	for (; end - s >= BLOCK; s += BLOCK) {
		struct marks m = marks_of(s);
		uint64_t bits = m.quotes | m.escapes | m.brackets;
		bool quoted = false;

		if (!m.escapes && w.skip != s) {
			uint64_t inside = between_quotes(m.quotes);

			inside = w.quoted ? ~inside : inside;
			quoted = inside >> (BLOCK - 1);
			w.quoted = false;
			bits = m.brackets & ~inside;
		}
		for (; bits; bits &= bits - 1) {
			const char *at = s + __builtin_ctzll(bits);

			if (take(&w, at))
				return at + 1;
		}
		w.quoted = w.quoted || quoted;
	}
	for (; s < end; s++) {
		if (take(&w, s))
			return s + 1;
	}
	return NULL;
}

/* ---- members */

static inline bool is_white(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline const char *past_white(const char *s, const char *end)
{
	while (s < end && is_white(*s))
		s++;
	return s;
}

/* A number or a word. */
static inline const char *past_bare(const char *s, const char *end)
{
	const char *from = s;

	while (end - s >= LANES) {
		unsigned others = ~bare(load(s)) & 0xffff;

		if (others) {
			s += __builtin_ctz(others);
			return s > from ? s : NULL;
		}
		s += LANES;
	}
	while (s < end && is_bare(*s))
		s++;
	return s > from && s < end ? s : NULL;
}

static inline const char *past_value(const char *s, const char *end,
				     struct na_text *x)
{
	const char *to;

	if (s == end)
		return NULL;
	if (*s == '"') {
		to = string_end(s + 1, end);
		if (!to)
			return NULL;
		*x = na_between(s + 1, to);
		return to + 1;
	}
	to = *s == '{' || *s == '[' ? past(s, end) : past_bare(s, end);
	if (to)
		*x = na_between(s, to);
	return to;
}

/* Where the member of that name lies. */
static size_t member(struct na_text key)
{
#define MEMBER(name) \
	{ \
#name, offsetof(struct na_kineto_event, name) \
	}
	static const struct {
		const char *name;
		size_t at;
	} members[] = {
		MEMBER(ph),  MEMBER(cat), MEMBER(name),
		MEMBER(pid), MEMBER(tid), MEMBER(ts),
		MEMBER(dur), MEMBER(id),  MEMBER(args),
	};
#undef MEMBER

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (na_text_is(key, members[i].name))
			return members[i].at;
	}
	return offsetof(struct na_kineto_event, other);
}

/* A key and its colon, up to the value; NULL: neither. */
static const char *past_key(const char *s, const char *end, size_t *at)
{
	const char *to = string_end(s + 1, end);

	if (!to)
		return NULL;
	*at = member(na_between(s + 1, to));
	s = past_white(to + 1, end);
	return s < end && *s == ':' ? past_white(s + 1, end) : NULL;
}

/* The value behind a gap that was seen before; NULL: behind none. */
static inline const char *known(const struct na_kineto_gap *g, const char *s,
				const char *end, size_t *at)
{
	lanes x;

	if (end - s <= LANES)
		return NULL;
	x = load(s);
	for (unsigned i = 0; i < 2; i++, g++) {
		lanes y = load(g->text);
#ifdef __SSE2__
		unsigned same =
			(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
		bool is = g->n && !(~same & ((1U << g->n) - 1));
#else
		bool is = g->n && memcmp(&x, &y, g->n) == 0;
#endif
		if (is && !is_white(s[g->n])) {
			*at = g->at;
			return s + g->n;
		}
	}
	return NULL;
}

static void learn(struct na_kineto_gap *g, const char *s, const char *value,
		  size_t at)
{
	size_t n = (size_t)(value - s);

	if (n > NA_KINETO_GAP_BYTES)
		return;
	g[1] = g[0];
	memcpy(g[0].text, s, n);
	g[0].n = (uint16_t)n;
	g[0].at = (uint16_t)at;
}

const char *na_kineto_event(const char *s, const char *end,
			    struct na_kineto_shape *shape,
			    struct na_kineto_event *e)
{
	/* One by one: as a whole it would become a slow instruction. */
	e->ph = e->cat = e->name = na_text_n("", 0);
	e->pid = e->tid = e->ts = e->dur = na_text_n(NULL, 0);
	e->id = e->args = e->other = na_text_n(NULL, 0);
	for (unsigned i = 0;; i++) {
		/* The bracket that opens stands before the first one alone. */
		struct na_kineto_gap *g =
			shape->gaps[i ? 1 + (i - 1) % (NA_KINETO_GAPS - 1) : 0];
		const char *from = s;
		size_t at;

		s = known(g, from, end, &at);
		if (!s) {
			s = past_white(i ? from : from + 1, end);
			if (i && s < end && *s == ',')
				s = past_white(s + 1, end);
			else if (i)
				break;
			if (s == end || *s != '"')
				break;
			s = past_key(s, end, &at);
			if (!s)
				return NULL;
			learn(g, from, s, at);
		}
		s = past_value(s, end,
			       (struct na_text *)(void *)((char *)e + at));
		if (!s)
			return NULL;
	}
	return s < end && *s == '}' ? s + 1 : NULL;
}

#include "ingest/kineto/event.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { LANES = 16 };

/*
 * A bit for each of 16 bytes that is a quote, a backslash, a bracket or one
 * of the few that differ from these in one bit: what the walk must look at.
 */
static inline unsigned marks(const char *s)
{
#ifdef __SSE2__
	const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)s);
	/* [ \ ] become { | }, three in a row. */
	const __m128i low = _mm_sub_epi8(_mm_or_si128(x, _mm_set1_epi8(0x20)),
					 _mm_set1_epi8('{'));
	const __m128i bracket =
		_mm_cmpeq_epi8(_mm_min_epu8(low, _mm_set1_epi8(2)), low);
	const __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(bracket, quote));
#else
	unsigned bits = 0;

	for (unsigned i = 0; i < LANES; i++) {
		unsigned char low = (unsigned char)((s[i] | 0x20) - '{');

		bits |= (unsigned)(low <= 2 || s[i] == '"') << i;
	}
	return bits;
#endif
}

static inline bool is_mark(char c)
{
	return c == '"' || (unsigned char)((c | 0x20) - '{') <= 2;
}

/* The first mark at or behind s; `end`: none. */
static inline const char *next_mark(const char *s, const char *end)
{
	while (end - s >= LANES) {
		unsigned bits = marks(s);

		if (bits)
			return s + __builtin_ctz(bits);
		s += LANES;
	}
	while (s < end && !is_mark(*s))
		s++;
	return s;
}

/* From behind a quote to the one that closes; NULL: there is none. */
static inline const char *string_end(const char *s, const char *end)
{
	for (;;) {
		s = next_mark(s, end);
		if (s == end)
			return NULL;
		if (*s == '"')
			return s;
		if (*s == '\\' && end - s < 2)
			return NULL;
		s += 1 + (*s == '\\');
	}
}

/* The walk inside an object or array: how deep, and whether in a string. */
struct walk {
	uint64_t depth;
	const char *skip; /* escaped: no mark */
	bool quoted;
};

/* One mark; true: the bracket that closes all. */
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

/* Past the object or array at s; NULL: it does not end. */
static const char *past(const char *s, const char *end)
{
	struct walk w = {.depth = 0};

	while (end - s >= LANES) {
		for (unsigned bits = marks(s); bits; bits &= bits - 1) {
			const char *at = s + __builtin_ctz(bits);

			if (take(&w, at))
				return at + 1;
		}
		s += LANES;
	}
	for (; s < end; s++) {
		if (is_mark(*s) && take(&w, s))
			return s + 1;
	}
	return NULL;
}

static inline const char *past_white(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\n' || *s == '\t' || *s == '\r'))
		s++;
	return s;
}

/* A number or a word. */
static inline const char *past_bare(const char *s, const char *end)
{
	const char *from = s;

	while (s < end && ((*s >= '0' && *s <= '9') || *s == '.' || *s == '-' ||
			   *s == '+' || (*s >= 'a' && *s <= 'z') ||
			   (*s >= 'A' && *s <= 'Z')))
		s++;
	return s > from && s < end ? s : NULL;
}

static const char *past_value(const char *s, const char *end, struct na_text *x)
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

/* Where the member of that name goes; `other` of one that nobody reads. */
static struct na_text *member(struct na_kineto_event *e, const char *key,
			      size_t n, struct na_text *other)
{
	switch (n) {
	case 2:
		if (memcmp(key, "ph", 2) == 0)
			return &e->ph;
		if (memcmp(key, "ts", 2) == 0)
			return &e->ts;
		if (memcmp(key, "id", 2) == 0)
			return &e->id;
		break;
	case 3:
		if (memcmp(key, "cat", 3) == 0)
			return &e->cat;
		if (memcmp(key, "pid", 3) == 0)
			return &e->pid;
		if (memcmp(key, "tid", 3) == 0)
			return &e->tid;
		if (memcmp(key, "dur", 3) == 0)
			return &e->dur;
		break;
	case 4:
		if (memcmp(key, "name", 4) == 0)
			return &e->name;
		if (memcmp(key, "args", 4) == 0)
			return &e->args;
		break;
	}
	return other;
}

const char *na_kineto_event(const char *s, const char *end,
			    struct na_kineto_event *e)
{
	struct na_text other;

	*e = (struct na_kineto_event){{"", 0}, {"", 0}, {"", 0}};
	s = past_white(s + 1, end);
	while (s < end && *s == '"') {
		const char *key = s + 1, *to = string_end(key, end);

		if (!to)
			return NULL;
		s = past_white(to + 1, end);
		if (s == end || *s != ':')
			return NULL;
		s = past_value(past_white(s + 1, end), end,
			       member(e, key, (size_t)(to - key), &other));
		if (!s)
			return NULL;
		s = past_white(s, end);
		if (s < end && *s == ',')
			s = past_white(s + 1, end);
		else
			break;
	}
	return s < end && *s == '}' ? s + 1 : NULL;
}

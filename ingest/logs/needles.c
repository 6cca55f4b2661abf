#include "ingest/logs/needles.h"

#include <string.h>

#include "netan/base/similar.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { RARE = 3 };

/* From the commonest in the logs of programs to the rarest; what is not here
 * lies in between. */
static int rarity(char c)
{
	static const char order[] = " etaoinsrlcdhmpugfbwyvkxqjz";
	const char *at = strchr(order, c | 0x20);

	return c && at ? (int)(at - order) : 12;
}

static size_t rarest(const char *word, size_t n)
{
	size_t best = 0;
	int most = -1;

	for (size_t i = 0; i + RARE <= n; i++) {
		int sum = rarity(word[i]) + rarity(word[i + 1]) +
			  rarity(word[i + 2]);

		if (sum > most) {
			most = sum;
			best = i;
		}
	}
	return best;
}

static void add_byte(struct na_finder *f, int place, uint8_t byte,
		     uint8_t class)
{
	f->bytes[place][byte] |= class;
	f->halves[place][0][byte & 15] |= class;
	f->halves[place][1][byte >> 4] |= class;
}

void na_finder_init(struct na_finder *f, const struct na_needles *needles)
{
	memset(f, 0, sizeof(*f));
	f->needles = needles;
	f->n = needles->n < NA_NEEDLES_MAX ? needles->n : NA_NEEDLES_MAX;
	for (size_t k = 0; k < f->n; k++) {
		const char *word = needles->words[k];
		size_t n = strlen(word);
		uint8_t class = (uint8_t)(1u << k % 8);

		if (n < RARE || n > UINT8_MAX)
			continue;
		f->lengths[k] = (uint8_t)n;
		f->longest = n > f->longest ? n : f->longest;
		f->rare[k] = (uint8_t)rarest(word, n);
		for (int i = 0; i < RARE; i++) {
			uint8_t c = (uint8_t)word[f->rare[k] + (size_t)i];

			add_byte(f, i, c, class);
			if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
				add_byte(f, i, c ^ 0x20, class);
		}
	}
}

/* The rare bytes of a word of these classes are at `at`: its beginning. */
static const char *begins(const struct na_finder *f, unsigned classes,
			  const char *from, const char *at, const char *end)
{
	const char *first = NULL;

	for (size_t k = 0; k < f->n; k++) {
		size_t before = f->rare[k];
		const char *p;

		if (!(classes >> k % 8 & 1) || !f->lengths[k] ||
		    (size_t)(at - from) < before)
			continue;
		p = at - before;
		if ((size_t)(end - p) >= f->lengths[k] &&
		    (!first || p < first) &&
		    na_starts_nocase(p, (size_t)(end - p),
				     f->needles->words[k]))
			first = p;
	}
	return first;
}

static unsigned classes_at(const struct na_finder *f, const char *p)
{
	return f->bytes[0][(uint8_t)p[0]] & f->bytes[1][(uint8_t)p[1]] &
	       f->bytes[2][(uint8_t)p[2]];
}

/* Places are tried in their order, so that of two words the one whose rare
 * bytes come first is told: all machines tell the same. */
static const char *plain(const struct na_finder *f, const char *from,
			 const char *p, const char *end)
{
	for (; end - p >= RARE; p++) {
		unsigned classes = classes_at(f, p);
		const char *hit = classes ? begins(f, classes, from, p, end)
					  : NULL;

		if (hit)
			return hit;
	}
	return NULL;
}

const char *na_finder_next_plain(const struct na_finder *f, const char *p,
				 const char *end)
{
	return plain(f, p, p, end);
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i load(const char *p)
{
	__m256i v;

	memcpy(&v, p, sizeof(v));
	return v;
}

AVX2 static inline __m256i both_lanes(const uint8_t *table)
{
	__m128i t;

	memcpy(&t, table, sizeof(t));
	return _mm256_broadcastsi128_si256(t);
}

AVX2 static inline __m256i classes_of(__m256i v, const __m256i *halves)
{
	const __m256i low = _mm256_set1_epi8(15);
	__m256i upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), low);

	return _mm256_and_si256(_mm256_shuffle_epi8(halves[0],
						    _mm256_and_si256(v, low)),
				_mm256_shuffle_epi8(halves[1], upper));
}

/* From `p` on, the first place with classes, or where fewer than 34 bytes are
 * left; *classes is 0 then. */
AVX2 static const char *wide(const struct na_finder *f, const char *p,
			     const char *end, unsigned *classes)
{
	__m256i halves[RARE][2];

	for (int i = 0; i < RARE; i++) {
		halves[i][0] = both_lanes(f->halves[i][0]);
		halves[i][1] = both_lanes(f->halves[i][1]);
	}
	*classes = 0;
	for (; end - p >= 32 + RARE - 1; p += 32) {
		__m256i c = _mm256_and_si256(
			classes_of(load(p), halves[0]),
			_mm256_and_si256(classes_of(load(p + 1), halves[1]),
					 classes_of(load(p + 2), halves[2])));
		uint32_t none = (uint32_t)_mm256_movemask_epi8(
			_mm256_cmpeq_epi8(c, _mm256_setzero_si256()));
		uint8_t at[32];
		int first;

		if (none == UINT32_MAX)
			continue;
		memcpy(at, &c, sizeof(at));
		first = __builtin_ctz(~none);
		*classes = at[first];
		return p + first;
	}
	return p;
}

const char *na_finder_next(const struct na_finder *f, const char *p,
			   const char *end)
{
	const char *from = p, *hit;
	unsigned classes;

	if (!__builtin_cpu_supports("avx2"))
		return plain(f, from, p, end);
	for (;;) {
		p = wide(f, p, end, &classes);
		if (!classes)
			return plain(f, from, p, end);
		hit = begins(f, classes, from, p, end);
		if (hit)
			return hit;
		p++;
	}
}

#else

const char *na_finder_next(const struct na_finder *f, const char *p,
			   const char *end)
{
	return plain(f, p, p, end);
}

#endif

/* In rounds of 255, so that a byte can count: compilers turn that into wide
 * instructions. */
size_t na_count_newlines(const char *p, const char *end)
{
	enum { WIDTH = 64, ROUNDS = 255 };
	uint8_t lanes[WIDTH];
	size_t n = 0;

	while (end - p >= WIDTH) {
		memset(lanes, 0, sizeof(lanes));
		for (int k = 0; k < ROUNDS && end - p >= WIDTH;
		     k++, p += WIDTH) {
			for (int i = 0; i < WIDTH; i++)
				lanes[i] = (uint8_t)(lanes[i] + (p[i] == '\n'));
		}
		for (int i = 0; i < WIDTH; i++)
			n += lanes[i];
	}
	for (; p < end; p++)
		n += *p == '\n';
	return n;
}

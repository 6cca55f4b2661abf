#include "netan/base/scan.h"

#include "netan/base/text.h"

bool na_text_split(struct na_text x, const char *word, struct na_text *before,
		   struct na_text *behind)
{
	const char *at = x.n ? memmem(x.s, x.n, word, strlen(word)) : NULL;

	if (!at)
		return false;
	*before = na_between(x.s, at);
	*behind = na_text_from(x, before->n + strlen(word));
	return true;
}

bool na_scan_number(struct na_scan *c, uint64_t *x)
{
	const char *from = c->p;
	uint64_t sum = 0;

	for (; c->p < c->end && na_is_digit(*c->p); c->p++) {
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(*c->p - '0'), &sum))
			return false;
	}
	*x = sum;
	return c->p > from;
}

bool na_text_number(struct na_text text, uint64_t *x)
{
	struct na_scan c = na_scan_of(text);

	return na_scan_number(&c, x) && c.p == c.end;
}

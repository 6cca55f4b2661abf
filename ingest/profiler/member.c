#include "ingest/profiler/member.h"

#include <string.h>

struct na_text na_profiled_text(struct na_json *j)
{
	struct na_text text = na_json_value(j);

	return j->kind == NA_JSON_WORD ? j->text : text;
}

bool na_profiled_take(const struct na_profiled_member *of, size_t n,
		      struct na_json *j, void *to)
{
	size_t i = 0;
	struct na_text text;
	int64_t x;

	while (i < n && !na_json_is(j, of[i].word))
		i++;
	if (i == n)
		return false;
	text = na_profiled_text(j);
	to = (char *)to + of[i].to;
	if (of[i].take == NA_TAKE_TEXT)
		memcpy(to, &text, sizeof(text));
	else if (na_json_decimal(text, of[i].take == NA_TAKE_NS ? 3 : 0, &x) &&
		 x >= 0)
		memcpy(to, &x, sizeof(x));
	return true;
}

/* Words and numbers in lines of logs. */
#include "ingest/nccl/log_parts.h"
#include "ingest/nccl/names.h"

static bool ends_value(char c)
{
	return c == ' ' || c == ',' || c == ']' || c == ')' || c == '(' ||
	       c == '.' || c == '\t' || c == '\n' || c == '\r' || c == '"';
}

struct na_text na_nccl_after(struct na_text x, const char *word)
{
	struct na_text before, behind;
	size_t n = 0;

	if (!na_text_split(x, word, &before, &behind))
		return na_text_n(x.s, 0);
	while (n < behind.n && !ends_value(behind.s[n]))
		n++;
	return na_text_n(behind.s, n);
}

int64_t na_nccl_number(struct na_text x, const char *word)
{
	uint64_t n;

	return na_text_number(na_nccl_after(x, word), &n) && n <= INT64_MAX
		       ? (int64_t)n
		       : -1;
}

int64_t na_nccl_front_rank(struct na_text line)
{
	struct na_scan c;
	uint64_t x;
	int64_t n = na_nccl_number(line, "[rank");

	if (n >= 0)
		return n;
	c = na_scan_of(line);
	/* mpirun --tag-output, srun --label */
	if (na_scan_past(&c, '['))
		return na_scan_number(&c, &x) && na_scan_past(&c, ',') &&
				       na_scan_number(&c, &x) &&
				       na_scan_past(&c, ']') &&
				       x < NA_NCCL_RANKS_MAX
			       ? (int64_t)x
			       : -1;
	while (na_scan_at(&c, ' '))
		na_scan_step(&c);
	return na_scan_number(&c, &x) && na_scan_past(&c, ':') &&
			       na_scan_at(&c, ' ') && x < NA_NCCL_RANKS_MAX
		       ? (int64_t)x
		       : -1;
}

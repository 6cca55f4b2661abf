/* A line and what it is about; see inspector_line.h. */
#include <string.h>

#include "ingest/nccl/inspector_line.h"
#include "ingest/nccl/names.h"
#include "netan/base/units.h"

bool na_inspector_next(const uint8_t **p, const uint8_t *end,
		       struct na_text *line)
{
	while (*p < end) {
		const uint8_t *from = *p;
		const uint8_t *at = memchr(from, '\n', (size_t)(end - from));

		*p = at ? at + 1 : end;
		*line = na_text_n((const char *)from,
				  (size_t)((at ? at : end) - from));
		while (line->n && (line->s[line->n - 1] == '\r' ||
				   line->s[line->n - 1] == ' '))
			line->n--;
		if (line->n)
			return true;
	}
	return false;
}

bool na_inspector_complete(struct na_inspector_line *x,
			   const struct na_inspector_line *about)
{
	if (x->parts & NA_INSPECTOR_HEADER)
		return x->group.n > 0;
	if (!about->group.n)
		return false;
	x->group = about->group;
	x->rank = about->rank;
	x->n_ranks = about->n_ranks;
	x->dump_ns = x->dump_ns < 0 ? about->dump_ns : x->dump_ns;
	return true;
}

bool na_inspector_timed(const struct na_inspector_line *x)
{
	return x->kernel_start_ns >= 0 &&
	       x->kernel_stop_ns >= x->kernel_start_ns;
}

int64_t na_inspector_start(const struct na_inspector_line *x)
{
	int64_t before = x->exec_ps > 0 ? x->exec_ps / NA_PS_PER_NS : 0;

	if (x->parts & NA_INSPECTOR_PROXY && x->send_ns >= 0)
		return x->send_ns;
	return na_inspector_timed(x) ? x->kernel_start_ns
	       : x->dump_ns < before ? -1
				     : x->dump_ns - before;
}

bool na_inspector_is_rank(int64_t rank, const struct na_inspector_line *x)
{
	return rank >= 0 && rank < x->n_ranks &&
	       x->n_ranks <= NA_NCCL_RANKS_MAX;
}

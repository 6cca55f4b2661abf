#include "ingest/nccl/log.h"

#include <stdlib.h>

#include "ingest/nccl/log_parts.h"

/* clang-format off */
const char *const na_nccl_words[NA_NCCL_WORDS] = {
	" commId ", ": opCount ", "WorkNCCL(SeqNum=", "last enqueued",
	" RUNNING ", " NOCOMM ", ") MISMATCH", ") INCOMPLETE",
	" operation counts", " up to operation ", "communicator data",
	" -- GPU ",
};
/* clang-format on */

struct na_nccl_log {
	struct na_nccl_calls calls;
	struct na_watchdog watchdog;
	struct na_ras ras;
};

struct na_nccl_log *na_nccl_log_new(void)
{
	return calloc(1, sizeof(struct na_nccl_log));
}

void na_nccl_log_free(struct na_nccl_log *g)
{
	if (!g)
		return;
	na_nccl_calls_fini(&g->calls);
	na_watchdog_fini(&g->watchdog);
	na_ras_fini(&g->ras);
	free(g);
}

bool na_nccl_log_line(struct na_nccl_log *g, struct na_text line,
		      const struct na_hang_time *t)
{
	return na_nccl_calls_line(&g->calls, line, t) &&
	       na_watchdog_line(&g->watchdog, line, t) &&
	       na_ras_line(&g->ras, line);
}

void na_nccl_log_last(const struct na_nccl_log *g, struct na_flight_record *x,
		      const struct na_hang_time *t)
{
	size_t k = na_nccl_clock_of(t);
	struct na_fr_clock *to = &x->clock[k];

	if (t->known && g->calls.last_ns[k] > 0 && t->ns > to->line_ns)
		to->line_ns = t->ns;
}

bool na_nccl_log_end(struct na_nccl_log *g, struct na_flight_record *x,
		     const char *path)
{
	struct na_nccl_dumps t = {.ranks = x, .path = path};
	bool ok = na_nccl_calls_end(&g->calls, &t) &&
		  na_watchdog_end(&g->watchdog, &t) && na_ras_end(&g->ras, &t);

	na_nccl_dumps_fini(&t);
	return ok;
}

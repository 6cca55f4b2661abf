/* collectives: what rows of the data-center network add up to, in as little
 * room as they need. */
#include "netan/analyses/collectives/state.h"

static void add(struct coll_sums *to, const struct coll_sums *more)
{
	to->executions += more->executions;
	to->bytes += more->bytes;
	to->time_ps += more->time_ps;
	for (int k = 0; k < 2; k++) {
		to->transfers[k] += more->transfers[k];
		to->moved[k] += more->moved[k];
	}
	if (to->type == NA_UNKNOWN_U32)
		to->type = more->type;
}

/* False: something does not fit. */
static bool narrow(struct coll_kept *to, const struct coll_sums *x)
{
	if (x->executions >= COLL_WIDE || x->transfers[0] > UINT32_MAX ||
	    x->transfers[1] > UINT32_MAX || x->bytes > UINT64_MAX ||
	    x->moved[0] > UINT64_MAX || x->moved[1] > UINT64_MAX ||
	    x->time_ps > INT64_MAX || x->time_ps < INT64_MIN)
		return false;
	*to = (struct coll_kept){
		.bytes = (uint64_t)x->bytes,
		.time_ps = (int64_t)x->time_ps,
		.moved = {(uint64_t)x->moved[0], (uint64_t)x->moved[1]},
		.executions = (uint32_t)x->executions,
		.transfers = {(uint32_t)x->transfers[0],
			      (uint32_t)x->transfers[1]},
		.type = x->type,
	};
	return true;
}

struct coll_sums na_collectives_kept(const struct coll_state *s, size_t row)
{
	const struct coll_kept *x = &s->kept.v[row];

	if (x->executions == COLL_WIDE)
		return s->wide.v[x->wide];
	return (struct coll_sums){
		.bytes = x->bytes,
		.time_ps = x->time_ps,
		.moved = {x->moved[0], x->moved[1]},
		.executions = x->executions,
		.transfers = {x->transfers[0], x->transfers[1]},
		.type = x->type,
	};
}

bool na_collectives_keep(struct coll_state *s, size_t row,
			 const struct coll_sums *more)
{
	struct coll_kept *x = &s->kept.v[row];
	struct coll_sums sum;

	if (x->executions == COLL_WIDE) {
		add(&s->wide.v[x->wide], more);
		return true;
	}
	sum = na_collectives_kept(s, row);
	add(&sum, more);
	if (narrow(x, &sum))
		return true;
	*x = (struct coll_kept){.wide = s->wide.n, .executions = COLL_WIDE};
	return na_add(&s->wide, sum);
}

#include "netan/exports/clocks.h"

#include <stdlib.h>

/* Who is alone in its component is compared with nobody. */
static bool count_alike(struct na_export_clocks *x)
{
	const struct na_rank_clock *c = x->ranks.clocks.v;

	x->alike = na_calloc(x->ranks.clocks.n, sizeof(*x->alike));
	for (size_t i = 0; x->alike && i < x->ranks.clocks.n; i++)
		x->alike[c[i].component]++;
	return x->alike;
}

static bool join_ranks(struct na_export_clocks *x)
{
	const struct na_store *s = x->scope->store;
	bool ok = true;

	na_each_record (const struct na_comm, c, &s->comms) {
		if (ok && na_filter_comm(x->scope->bound, c))
			ok = na_add(&x->comms, *c);
	}
	na_each_record (const struct na_span, p, &s->spans) {
		if (ok && p->device == NA_DEVICE_RANK)
			ok = na_add(&x->rank_steps, *p);
	}
	if (!ok || !x->comms.n)
		return ok;
	x->ranks.store = s;
	x->ranks.looked = x->scope->bound;
	x->ranks.comms = x->comms.v;
	x->ranks.n_comms = x->comms.n;
	x->ranks.steps = x->rank_steps.v;
	x->ranks.n_steps = x->rank_steps.n;
	return na_ranks_join(&x->ranks) && count_alike(x);
}

bool na_export_clocks_find(struct na_export_clocks *x,
			   const struct na_scope *scope)
{
	x->scope = scope;
	x->hosts = na_host_clocks_of(scope, NULL, &x->own);
	return x->hosts && join_ranks(x);
}

void na_export_clocks_fini(struct na_export_clocks *x)
{
	na_host_clocks_fini(&x->own);
	na_vec_free(&x->comms);
	na_vec_free(&x->rank_steps);
	na_ranks_fini(&x->ranks);
	free(x->alike);
}

/* Corrected where that is more than what is known of it leaves open: clocks
 * that may be right are not touched. */
struct na_export_clock na_export_clock_of(const struct na_export_clocks *x,
					  uint32_t host)
{
	const struct na_host_clocks *c = x->hosts;
	int64_t ahead = host < c->n_hosts ? c->ahead_ps[host] : 0;
	int64_t known = na_host_clocks_known(c, host);
	bool off = ahead > known || ahead < -known;

	return (struct na_export_clock){off ? ahead : 0, known, false};
}

struct na_export_clock na_export_rank_clock(const struct na_export_clocks *x,
					    uint32_t core)
{
	const struct na_ranks *r = &x->ranks;
	uint32_t rank = r->rank_of ? r->rank_of[core] : NA_UNKNOWN_U32;
	const struct na_rank_clock *c;

	if (rank == NA_UNKNOWN_U32)
		return (struct na_export_clock){0, NA_TIME_MAX, false};
	c = &r->clocks.v[r->ranks.v[rank].clock];
	return (struct na_export_clock){c->corrected ? c->ahead_ps : 0,
					x->alike[c->component] > 1
						? c->uncertainty_ps
						: NA_TIME_MAX,
					c->own};
}

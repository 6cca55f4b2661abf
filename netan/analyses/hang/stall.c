#include "netan/analyses/hang/stall.h"

#include <stdio.h>

#include "netan/base/str.h"

enum na_status na_stalls_judge(struct na_stalls *x,
			       const struct na_flight_record *ranks,
			       struct na_err *err)
{
	struct na_stall_work w = {.ranks = ranks};
	bool ok;

	*x = (struct na_stalls){.ranks = ranks};
	if (!ranks->dumps.n)
		return NA_OK;
	ok = na_stall_gather(&w) && na_stall_gather_p2p(&w) &&
	     na_stall_roots(&w, x);
	x->running = w.running;
	na_stall_work_fini(&w);
	return ok ? NA_OK : na_fail_nomem(err);
}

static void free_stall(struct na_stall *s)
{
	for (size_t i = 0; i < s->chain.n; i++) {
		na_vec_free(&s->chain.v[i].waiting);
		na_vec_free(&s->chain.v[i].waits_for);
	}
	for (size_t i = 0; i < s->others.n; i++)
		na_vec_free(&s->others.v[i].waiting);
	na_vec_free(&s->others);
	na_vec_free(&s->chain);
	na_vec_free(&s->culprits);
	na_vec_free(&s->frames);
	na_vec_free(&s->differs);
	na_vec_free(&s->missing);
	na_vec_free(&s->overflow);
	na_vec_free(&s->waiting);
	na_vec_free(&s->behind);
}

void na_stalls_fini(struct na_stalls *x)
{
	for (size_t i = 0; i < x->v.n; i++)
		free_stall(&x->v.v[i]);
	na_vec_free(&x->v);
}

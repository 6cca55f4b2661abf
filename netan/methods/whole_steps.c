#include "netan/methods/whole_steps.h"

#include "netan/base/vec.h"

struct na_whole_steps *na_whole_steps(const struct na_scope *scope)
{
	const struct na_filter *f = scope->filter;
	const struct na_store *store = scope->store;
	struct na_whole_steps *of = na_calloc(store->n_runs, sizeof(*of));

	for (size_t i = 0; of && i < store->n_steps; i++) {
		const struct na_step *x = &store->steps[i];
		struct na_whole_steps *to = &of[x->run];

		if (x->start_ps < f->from_ps || x->end_ps > f->to_ps ||
		    (f->first_step >= 0 &&
		     (x->number < f->first_step || x->number > f->last_step)))
			continue;
		if (!to->n || x->start_ps < to->from_ps)
			to->from_ps = x->start_ps;
		if (!to->n || x->end_ps > to->to_ps)
			to->to_ps = x->end_ps;
		to->n++;
	}
	return of;
}

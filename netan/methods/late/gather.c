/* Of the traces, the actions around what is asked. */
#include <stdlib.h>

#include "netan/methods/late/state.h"

uint32_t na_late_host(const struct la_all *all, const struct na_late_ask *ask)
{
	return all->store->devices.cores[ask->core].input;
}

uint32_t na_late_device(const struct la_all *all, const struct na_late_ask *ask)
{
	uint32_t e = all->store->devices.cores[ask->core].endpoint;

	return e < all->store->names.n_endpoints ? e : LA_NONE;
}

int64_t na_late_known(const struct la_all *all, const struct la_path *p,
		      const struct la_move *m)
{
	int64_t known;

	na_host_clocks_ahead(all->clocks,
			     na_store_host_of(all->store, p->run, m->src),
			     na_store_host_of(all->store, p->run, m->dst),
			     &known);
	return known;
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (na_add_i64(a, b, &sum))
		return sum;
	return b < 0 ? NA_TIME_MIN : NA_TIME_MAX;
}

/* Meets what is asked, as the host's own clock shows it, with all that is
 * not known about that clock. */
static bool meets(const struct la_all *all, const struct na_late_ask *ask,
		  uint32_t host, int64_t start_ps, int64_t end_ps)
{
	int64_t known,
		ahead = na_host_clocks_ahead(all->clocks, host,
					     na_late_host(all, ask), &known);
	int64_t margin = na_time_between(ask->from_ps, ask->to_ps);

	if (known < NA_TIME_MAX)
		margin = plus(margin, known);
	return end_ps >= plus(plus(ask->from_ps, ahead), -margin) &&
	       start_ps <= plus(plus(ask->to_ps, ahead), margin);
}

/* The window that meets those of all hosts. */
static struct na_execution execution_of(const struct la_all *all,
					const struct na_late_ask *ask)
{
	const struct na_store *s = all->store;
	uint32_t host = na_late_host(all, ask);
	struct na_execution x = {ask->collective, s->sources[host].run,
				 ask->from_ps, ask->to_ps};
	int64_t margin = na_time_between(ask->from_ps, ask->to_ps);

	for (uint32_t h = 0; h < s->n_sources; h++) {
		int64_t known, ahead, m = margin;

		if (s->sources[h].run != x.run)
			continue;
		ahead = na_host_clocks_ahead(all->clocks, h, host, &known);
		if (known < NA_TIME_MAX)
			m = plus(m, known);
		if (plus(plus(ask->from_ps, ahead), -m) < x.from_ps)
			x.from_ps = plus(plus(ask->from_ps, ahead), -m);
		if (plus(plus(ask->to_ps, ahead), m) > x.to_ps)
			x.to_ps = plus(plus(ask->to_ps, ahead), m);
	}
	return x;
}

static bool is_asked(const struct la_all *all, const struct na_replay *x)
{
	const struct na_action *a = x->action;
	uint32_t run = all->store->sources[x->input].run;

	for (size_t i = 0; i < all->n_asks; i++) {
		const struct na_late_ask *ask = &all->asks[i];
		uint32_t host = na_late_host(all, ask);

		if (a->collective == ask->collective &&
		    all->store->sources[host].run == run &&
		    meets(all, ask, x->input, a->start_ps, a->end_ps))
			return true;
	}
	return false;
}

/* A device that two inputs record is the first one's. */
static bool second_copy(const struct la_all *all, const struct na_replay *x)
{
	const struct na_store *s = all->store;

	return x->action->device < s->names.n_endpoints &&
	       na_store_host_of(s, s->sources[x->input].run,
				x->action->device) != x->input;
}

static uint32_t text_of(struct la_all *all, const struct na_text *t)
{
	return na_strtab_add(&all->texts, t->n ? t->s : "", t->n);
}

static bool push_move(struct la_all *all, const struct na_transfer *t)
{
	int64_t latency = na_time_between(t->start_ps, t->end_ps);
	size_t ends = all->store->names.n_endpoints;

	/* The first reading has met all of them. */
	if (t->src >= ends || t->dst >= ends)
		return true;
	return na_add(&all->moves,
		      ((struct la_move){
			      .action = (uint32_t)all->actions.n,
			      .peer = LA_NONE,
			      .src = t->src,
			      .dst = t->dst,
			      .size_bytes = t->size_bytes,
			      .latency_ps = t->klass == NA_VALID &&
							    t->side == NA_RX
						    ? latency
						    : NA_UNKNOWN_PS,
			      .chunk = t->chunk,
			      .side = t->side,
		      }));
}

static enum na_status add_action(void *arg, const struct na_replay *x)
{
	struct la_all *all = arg;
	const struct na_action *a = x->action;
	struct la_action *to;

	if (a->end_ps < a->start_ps || second_copy(all, x) || !is_asked(all, x))
		return NA_OK;
	if (all->actions.n == LA_ACTIONS_MAX ||
	    x->n > LA_MOVES_MAX - all->moves.n) {
		all->full = true;
		return NA_END;
	}
	if (!na_room(&all->actions, 1))
		return NA_ENOMEM;
	to = &all->actions.v[all->actions.n];
	*to = (struct la_action){
		.start_ps = a->start_ps,
		.end_ps = a->end_ps,
		.size_bytes = a->size_bytes,
		.host = x->input,
		.device = a->device < all->store->names.n_endpoints ? a->device
								    : LA_NONE,
		.collective = a->collective,
		.launch = a->launch,
		.iteration = a->iteration,
		.name = text_of(all, &a->name),
		.inputs = text_of(all, &a->inputs),
		.first = (uint32_t)all->moves.n,
		.index = a->action_index,
		.chunk = a->chunk,
		.kind = (uint8_t)a->kind,
		.style = (uint8_t)a->style,
	};
	if (to->name == NA_NO_NAME || to->inputs == NA_NO_NAME)
		return NA_ENOMEM;
	for (size_t i = 0; i < x->n; i++) {
		if (!push_move(all, &x->transfers[i]))
			return NA_ENOMEM;
	}
	to->n = (uint32_t)all->moves.n - to->first;
	all->actions.n++;
	return NA_OK;
}

enum na_status na_late_gather(struct la_all *all, struct na_err *err)
{
	const struct na_scope *s = all->scope;
	struct na_execution *of = na_calloc(all->n_asks, sizeof(*of));
	enum na_status st;

	na_strtab_init(&all->texts);
	if (!of)
		return na_fail_nomem(err);
	for (size_t i = 0; i < all->n_asks; i++)
		of[i] = execution_of(all, &all->asks[i]);
	st = s->actions(s->actions_ctx, of, all->n_asks, add_action, all, err);
	free(of);
	return st;
}

void na_late_fini(struct la_all *all)
{
	na_strtab_fini(&all->texts);
	na_vec_free(&all->actions);
	na_vec_free(&all->moves);
}

#include "netan/methods/late/late.h"
#include "members.h"

#include <math.h>
#include <stdlib.h>

#include "netan/methods/late/state.h"
#include "netan/methods/put.h"

enum { CAUSE_BUF = 2048 };

/* Null where it is not known. */
static void put_us(struct na_result *r, struct na_value *v, const char *name,
		   int64_t ps, bool known)
{
	na_put_real(r, v, name, known ? na_us(ps) : (double)NAN);
}

/* Below 0: not known. */
static int64_t number_of(uint32_t x)
{
	return x == NA_UNKNOWN_U32 ? -1 : (int64_t)x;
}

/* The step of the device in which it ended. */
static void put_step(const struct la_all *all, const struct na_late_ask *ask,
		     struct na_result *r, struct na_value *v)
{
	const struct na_chunk *c = all->store->spans.first;

	for (; c; c = c->next) {
		const struct na_span *s = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			if (s[i].core == ask->core &&
			    s[i].kind == NA_SPAN_STEP && s[i].number >= 0 &&
			    s[i].start_ps < ask->to_ps &&
			    ask->to_ps <= s[i].end_ps) {
				na_put_int(r, v, M_step, s[i].number);
				return;
			}
		}
	}
	na_put_null(r, v, M_step);
}

/* Whom it was exchanged with, and whether its side is there. */
static void put_move(const struct la_all *all, const struct la_path *p,
		     const struct la_segment *s, struct na_result *r,
		     struct na_value *v)
{
	const struct la_move *m = &all->moves.v[s->move];
	uint32_t host = na_store_host_of(all->store, p->run, m->src);
	char buf[NA_ENDPOINT_BUF];

	na_put_text(r, v, M_src, na_late_device_name(all, m->src, buf));
	na_put_text(r, v, M_src_host, na_late_host_name(all, host));
	na_put_text(r, v, M_dst, na_late_device_name(all, m->dst, buf));
	if (m->chunk == NA_UNKNOWN_I32)
		na_put_null(r, v, M_chunk);
	else
		na_put_int(r, v, M_chunk, m->chunk);
	na_put_int(r, v, M_bytes, (int64_t)m->size_bytes);
	na_put_text(r, v, M_sender,
		    m->peer != LA_NONE             ? "seen"
		    : host < all->store->n_sources ? "not_matched"
						   : "no_trace");
}

static void put_step_of_path(const struct la_all *all, const struct la_path *p,
			     const struct la_segment *s, struct na_result *r,
			     struct na_value *list)
{
	struct na_value *v = na_put_object(r, list, NULL);
	char buf[NA_ENDPOINT_BUF];

	/* So that paths are told as a table of their own, too. */
	na_put_int(r, v, M_execution, (int64_t)(p->ask - all->asks) + 1);
	na_put_text(r, v, M_kind, na_late_kind_names[s->kind]);
	na_put_text(r, v, M_host, na_late_host_name(all, s->host));
	na_put_text(r, v, M_device, na_late_device_name(all, s->device, buf));
	na_put_real(r, v, M_from_us, na_us(s->from_ps));
	na_put_real(r, v, M_to_us, na_us(s->to_ps));
	na_put_real(r, v, M_duration_us, na_us(s->to_ps - s->from_ps));
	if (s->action != LA_NONE)
		na_put_text(r, v, M_action,
			    na_strtab_at(&all->texts,
					 all->actions.v[s->action].name));
	if (s->move != LA_NONE)
		put_move(all, p, s, r, v);
}

static void put_shares(const struct la_path *p, struct na_result *r,
		       struct na_value *in)
{
	struct na_value *v = na_put_object(r, in, M_shares);
	int64_t of_ps[LA_N_KINDS];
	int64_t length = na_time_between(p->ask->from_ps, p->ask->to_ps);

	na_late_shares(p, of_ps);
	for (size_t k = 0; k < LA_N_KINDS; k++)
		na_put_real(r, v, na_late_kind_names[k],
			    length ? (double)of_ps[k] / (double)length : 0);
}

/* By how much the clocks of the path's hosts were put right. */
static bool put_clocks(const struct la_all *all, const struct la_path *p,
		       struct na_result *r, struct na_value *in)
{
	struct na_value *list = na_put_list(r, in, M_clocks);
	bool *seen = na_calloc(all->store->n_hosts, sizeof(*seen));

	for (size_t i = 0; seen && i < p->steps.n; i++) {
		uint32_t host = p->steps.v[i].host;
		struct na_value *v;
		int64_t known, ahead;

		if (host == p->host || seen[host])
			continue;
		seen[host] = true;
		ahead = na_host_clocks_ahead(all->clocks, host, p->host,
					     &known);
		v = na_put_object(r, list, NULL);
		na_put_text(r, v, M_host, na_late_host_name(all, host));
		put_us(r, v, M_ahead_us, ahead, known < NA_TIME_MAX);
		put_us(r, v, M_uncertainty_us, known, known < NA_TIME_MAX);
	}
	free(seen);
	return seen;
}

static bool put_late(const struct la_all *all, const struct la_path *p,
		     struct na_result *r, struct na_value *list)
{
	const struct na_late_ask *ask = p->ask;
	struct na_value *v = na_put_object(r, list, NULL), *path;
	char text[CAUSE_BUF], device[NA_ENDPOINT_BUF];
	struct na_str cause = na_str_over(text, sizeof(text));

	if (!na_late_cause(all, p, &cause))
		return false;

	na_put_text(r, v, M_collective,
		    na_strtab_at(&all->store->names.strings, ask->collective));
	if (all->store->sources[p->host].label)
		na_put_text(r, v, M_label, all->store->sources[p->host].label);
	na_put_text(r, v, M_host, na_late_host_name(all, p->host));
	na_put_text(r, v, M_device,
		    p->device == LA_NONE
			    ? NULL
			    : na_late_device_name(all, p->device, device));
	put_step(all, ask, r, v);
	na_put_whole(r, v, M_launch, number_of(p->launch));
	na_put_whole(r, v, M_iteration, number_of(p->iteration));
	na_put_real(r, v, M_from_s, na_s(ask->from_ps));
	na_put_real(r, v, M_to_s, na_s(ask->to_ps));
	na_put_real(r, v, M_stall_us, na_us(ask->stall_ps));
	na_put_text(r, v, M_cause, cause.n ? text : NULL);
	na_put_text(r, v, M_missing, p->why);
	put_us(r, v, M_clock_uncertainty_us, p->uncertainty_ps,
	       p->steps.n && p->uncertainty_ps < NA_TIME_MAX);
	if (!put_clocks(all, p, r, v))
		return false;
	na_put_text(r, v, M_order, p->told ? "told" : "inferred");
	put_shares(p, r, v);
	path = na_put_list(r, v, M_path);
	for (size_t i = 0; i < p->steps.n; i++)
		put_step_of_path(all, p, &p->steps.v[i], r, path);
	return true;
}

static enum na_status put_all(const struct la_all *all, struct na_result *r,
			      struct na_value *list, struct na_err *err)
{
	for (size_t i = 0; i < all->n_asks; i++) {
		struct la_path p;
		bool done = na_late_find_path(all, &all->asks[i], &p);

		done = done && put_late(all, &p, r, list) &&
		       (i > 0 || na_late_put_rows(all, &p, r));
		if (done && p.why && all->actions.n)
			na_result_note(r, "late: execution %zu: %s", i + 1,
				       p.why);
		na_late_path_fini(&p);
		if (!done)
			return na_fail_nomem(err);
	}
	if (!all->actions.n)
		na_result_note(r, "late: no input holds an action of these "
				  "executions");
	if (all->full)
		na_result_note(r,
			       "late: the executions that were asked for have "
			       "more than %d actions; the later ones are left "
			       "out",
			       LA_ACTIONS_MAX);
	return NA_OK;
}

enum na_status na_put_late(const struct na_scope *scope,
			   const struct na_host_clocks *clocks,
			   const struct na_late_ask *asks, size_t n,
			   struct na_result *r, struct na_err *err)
{
	struct na_value *list = na_put_list(r, na_result_body(r), M_late);
	struct la_all all = {.scope = scope,
			     .store = scope->store,
			     .clocks = clocks,
			     .asks = asks,
			     .n_asks = n};
	enum na_status st;

	if (!n)
		return NA_OK;
	st = scope->actions ? na_late_gather(&all, err) : NA_END;
	if (st == NA_END) {
		na_result_note(r, "late: no trace is at hand that could be "
				  "asked for the actions");
		na_late_fini(&all);
		return NA_OK;
	}
	if (st == NA_OK && !na_late_match(&all))
		st = na_fail_nomem(err);
	if (st == NA_OK)
		st = put_all(&all, r, list, err);
	na_late_fini(&all);
	return st;
}

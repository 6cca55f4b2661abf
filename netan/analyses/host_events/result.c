/* What host threads did, as a result. */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/host_events/state.h"
#include "netan/base/order.h"
#include "netan/stats/tests/robust.h"

struct thread {
	uint32_t input;
	uint32_t name;
	uint64_t count;
	na_i128 total_ps, bytes;
};

/* The events of one kind in one run that count. */
struct kind {
	const struct host_events_state *s;
	uint32_t run;
	unsigned kind;
	uint64_t count, startup, touched, transfers;
	na_i128 total_ps, bytes;
	int64_t first_ps, last_ps;
	double *lasted_s;       /* [count] */
	struct thread *threads; /* first one for each event */
	size_t n_threads, hosts;
	uint32_t worst; /* source; NA_UNKNOWN_U32 */
	double worst_share;
};

NA_ORDER(by_name, struct thread, NA_UP(input), NA_UP(name))
NA_ORDER(longest_first, struct thread, NA_DOWN(total_ps), NA_UP(input),
	 NA_UP(name))

static void add_event(struct kind *k, const struct na_host_event *e)
{
	na_i128 lasted_ps = (na_i128)e->end_ps - e->start_ps;

	if (!k->count || e->start_ps < k->first_ps)
		k->first_ps = e->start_ps;
	if (!k->count || e->end_ps > k->last_ps)
		k->last_ps = e->end_ps;
	k->threads[k->count] = (struct thread){e->input, e->thread, 1,
					       lasted_ps,
					       (na_i128)e->size_bytes};
	k->lasted_s[k->count++] = na_s(lasted_ps);
	k->total_ps += lasted_ps;
	k->bytes += (na_i128)e->size_bytes;
}

/* One for each thread, those of a host together. */
static void join_threads(struct kind *k)
{
	na_sort(k->threads, k->count, by_name);
	for (size_t i = 0; i < k->count; i++) {
		const struct thread *from = &k->threads[i];
		struct thread *to = k->threads + k->n_threads;

		if (!k->n_threads || by_name(to - 1, from)) {
			k->hosts += !k->n_threads ||
				    to[-1].input != from->input;
			*to = *from;
			k->n_threads++;
		} else {
			to[-1].count++;
			to[-1].total_ps += from->total_ps;
			to[-1].bytes += from->bytes;
		}
	}
	na_sort(k->threads, k->n_threads, longest_first);
}

static void add_sources(struct kind *k)
{
	const struct host_events_state *s = k->s;
	const struct na_store *store = s->scope->store;

	k->worst = NA_UNKNOWN_U32;
	for (size_t i = 0; i < store->n_sources; i++) {
		uint64_t n = s->transfers[i], touched = s->touched[k->kind][i];
		double share = n ? (double)touched / (double)n : 0;

		if (store->sources[i].run != k->run)
			continue;
		k->transfers += n;
		k->touched += touched;
		if (share > k->worst_share) {
			k->worst = (uint32_t)i;
			k->worst_share = share;
		}
	}
}

static bool gather(struct kind *k)
{
	const struct host_events_state *s = k->s;

	k->lasted_s = na_calloc(s->events.n, sizeof(*k->lasted_s));
	k->threads = na_calloc(s->events.n, sizeof(*k->threads));
	if (!k->lasted_s || !k->threads)
		return false;
	for (size_t i = 0; i < s->events.n; i++) {
		const struct na_host_event *e = &s->events.v[i];

		if (s->scope->store->sources[e->input].run != k->run ||
		    na_host_events_kind(e) != k->kind)
			continue;
		k->startup += e->start_ps < s->runs[k->run].steady_ps;
		if (na_host_events_counts(s, e))
			add_event(k, e);
	}
	join_threads(k);
	add_sources(k);
	return true;
}

static void put_threads(struct na_result *r, struct na_value *in,
			const struct kind *k)
{
	struct na_value *list = na_put_list(r, in, M_threads);
	const struct na_store *store = k->s->scope->store;

	for (size_t i = 0; i < k->n_threads && i < NA_HE_THREADS; i++) {
		const struct thread *t = &k->threads[i];
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_host, store->sources[t->input].host);
		na_put_text(r, row, M_thread,
			    t->name == NA_UNKNOWN_U32
				    ? NULL
				    : na_strtab_at(&store->names.strings,
						   t->name));
		na_put_int(r, row, M_count, (int64_t)t->count);
		na_put_real(r, row, M_total_s, na_s(t->total_ps));
		na_put_real(r, row, M_bytes, t->bytes ? (double)t->bytes : NAN);
	}
}

static void put_kind(struct na_result *r, struct na_value *in, const char *name,
		     const struct kind *k)
{
	struct na_value *v = na_put_object(r, in, name);
	const struct na_source *sources = k->s->scope->store->sources;
	bool any = k->count > 0;

	na_put_int(r, v, M_count, (int64_t)k->count);
	na_put_int(r, v, M_startup, (int64_t)k->startup);
	na_put_real(r, v, M_total_s, na_s(k->total_ps));
	na_put_real(r, v, M_bytes, k->bytes ? (double)k->bytes : NAN);
	na_put_real(r, v, M_first_s, any ? na_s(k->first_ps) : NAN);
	na_put_real(r, v, M_last_s, any ? na_s(k->last_ps) : NAN);
	na_put_real(r, v, M_p50_s,
		    any ? na_quantile(k->lasted_s, k->count, 0.5) : NAN);
	na_put_real(r, v, M_p99_s,
		    any ? na_quantile(k->lasted_s, k->count, 0.99) : NAN);
	na_put_int(r, v, M_touched, (int64_t)k->touched);
	na_put_real(r, v, M_touched_share,
		    k->transfers ? (double)k->touched / (double)k->transfers
				 : NAN);
	na_put_int(r, v, M_hosts, (int64_t)k->hosts);
	na_put_int(r, v, M_n_threads, (int64_t)k->n_threads);
	na_put_text(r, v, M_worst_host,
		    k->worst == NA_UNKNOWN_U32 ? NULL : sources[k->worst].host);
	na_put_real(r, v, M_worst_share,
		    k->worst == NA_UNKNOWN_U32 ? NAN : k->worst_share);
	put_threads(r, v, k);
}

static bool put_run(const struct host_events_state *s, uint32_t run,
		    struct na_result *r, struct na_value *list)
{
	static const char *const names[] = {M_registrations, M_copies};
	struct na_value *row = na_put_object(r, list, NULL);
	bool ok = true;

	na_put_text(r, row, M_label, na_store_label(s->scope->store, run));
	na_put_real(r, row, M_steady_from_s, na_s(s->runs[run].steady_ps));
	na_put_text(r, row, M_steady_by,
		    s->runs[run].by_step ? "step" : "time");
	na_put_bool(r, row, M_steady_seen, s->runs[run].seen);
	for (unsigned i = 0; ok && i < NA_HE_KINDS; i++) {
		struct kind k = {.s = s, .run = run, .kind = i};

		ok = gather(&k);
		if (ok && !i)
			na_put_int(r, row, M_transfers, (int64_t)k.transfers);
		if (ok)
			put_kind(r, row, names[i], &k);
		free(k.lasted_s);
		free(k.threads);
	}
	return ok;
}

enum na_status na_host_events_finish(void *state, struct na_result *r,
				     struct na_err *err)
{
	const struct host_events_state *s = state;
	struct na_value *list = na_put_list(r, na_result_body(r), M_runs);
	struct na_extent *used = s->scope->used;
	bool ok = true;

	/* Transfers count, or where there is none, events. */
	if (used->n > s->events.n)
		used->n -= s->events.n;
	na_result_word(
		r, NA_WORD_EMPTY,
		"the threads of a host (plane \"/host:CPU\" of a trace)");
	for (uint32_t run = 0; ok && run < s->scope->store->n_runs; run++)
		ok = put_run(s, run, r, list);
	return ok ? NA_OK : na_fail_nomem(err);
}

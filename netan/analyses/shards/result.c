/* What waits for copies out of devices, by collective. */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/shards/state.h"
#include "netan/base/order.h"
#include "netan/stats/tests/robust.h"

struct row { /* of a collective in a run */
	uint32_t run, collective;
	size_t first, n; /* of the gaps */
	double gap_p50_s, gap_max_s, gaps_s, execs_s;
	uint64_t large, serial, max_bytes;
	double serial_bytes;
};

struct gap {
	uint32_t run, collective;
	size_t exec;
	double s; /* NaN: no send */
};

struct table {
	const struct shards_state *s;
	struct gap *gaps;
	struct row *rows;
	size_t n;
	size_t *row_of; /* by execution */
};

NA_ORDER(by_collective, struct gap, NA_UP(run), NA_UP(collective), NA_UP(exec))

static double seconds(int64_t from_ps, int64_t to_ps)
{
	return na_s(na_time_between(from_ps, to_ps));
}

static double gap_of(const struct shards_exec *x)
{
	int64_t to_ps = x->first_send_ps < x->copy_to_ps ? x->first_send_ps
							 : x->copy_to_ps;

	if (x->first_send_ps == NA_TIME_MAX &&
	    na_time_between(x->copy_from_ps, x->copy_to_ps) >= NA_SH_SHORT_PS)
		return NAN;
	return to_ps > x->copy_from_ps ? seconds(x->copy_from_ps, to_ps) : 0;
}

static void first_sends(struct shards_state *s)
{
	for (size_t i = 0; i < s->sends.n; i++) {
		const struct shards_send *x = &s->sends.v[i];
		struct shards_exec *e = &s->execs.v[x->exec];

		if (x->start_ps < e->first_send_ps)
			e->first_send_ps = x->start_ps;
	}
}

/* Gaps by run and collective, and where each of these begins. */
static bool list_rows(struct table *t)
{
	const struct shards_state *s = t->s;

	t->gaps = na_calloc(s->execs.n, sizeof(*t->gaps));
	t->rows = na_calloc(s->execs.n, sizeof(*t->rows));
	t->row_of = na_calloc(s->execs.n, sizeof(*t->row_of));
	if (!t->gaps || !t->rows || !t->row_of)
		return false;
	for (size_t i = 0; i < s->execs.n; i++) {
		const struct shards_exec *x = &s->execs.v[i];
		uint32_t run = s->scope->store->sources[x->key.input].run;

		t->gaps[i] = (struct gap){run, x->key.collective, i, gap_of(x)};
	}
	na_sort(t->gaps, s->execs.n, by_collective);
	for (size_t i = 0; i < s->execs.n; i++) {
		const struct gap *g = &t->gaps[i];
		struct row *last = t->n ? &t->rows[t->n - 1] : NULL;

		if (!last || last->run != g->run ||
		    last->collective != g->collective)
			t->rows[t->n++] = (struct row){g->run, g->collective,
						       .first = i};
		t->rows[t->n - 1].n++;
		t->row_of[g->exec] = t->n - 1;
	}
	return true;
}

static void measure(const struct table *t, struct row *x, double *tmp)
{
	size_t n = 0;

	for (size_t i = x->first; i < x->first + x->n; i++) {
		const struct gap *g = &t->gaps[i];
		const struct shards_exec *e = &t->s->execs.v[g->exec];

		if (isnan(g->s))
			continue;
		tmp[n++] = g->s;
		x->gaps_s += g->s;
		x->execs_s += seconds(e->start_ps, e->end_ps);
		x->gap_max_s = fmax(x->gap_max_s, g->s);
	}
	x->gap_p50_s = na_quantile(tmp, n, 0.5);
	x->n = n;
}

static void count_sends(const struct table *t)
{
	for (size_t i = 0; i < t->s->sends.n; i++) {
		const struct shards_send *x = &t->s->sends.v[i];
		struct row *to = &t->rows[t->row_of[x->exec]];

		if (x->size_bytes > to->max_bytes)
			to->max_bytes = x->size_bytes;
		if (x->size_bytes < NA_SH_LARGE_BYTES)
			continue;
		to->large++;
		if (x->start_ps < t->s->execs.v[x->exec].copy_to_ps)
			continue;
		to->serial++;
		to->serial_bytes += (double)x->size_bytes;
	}
}

NA_ORDER(longest_first, struct row, NA_UP(run), NA_DOWN(gaps_s),
	 NA_UP(collective))

static void put_row(const struct table *t, const struct row *x,
		    struct na_result *r, struct na_value *list)
{
	const struct na_strtab *names = &t->s->scope->store->names.strings;
	struct na_value *row = na_put_object(r, list, NULL);

	na_put_text(r, row, M_collective,
		    x->collective < names->n
			    ? na_strtab_at(names, x->collective)
			    : NULL);
	na_put_int(r, row, M_executions, (int64_t)x->n);
	na_put_real(r, row, M_gap_p50_s, x->gap_p50_s);
	na_put_real(r, row, M_gap_max_s, x->gap_max_s);
	na_put_real(r, row, M_gap_share,
		    x->execs_s > 0 ? x->gaps_s / x->execs_s : NAN);
	na_put_int(r, row, M_large_sends, (int64_t)x->large);
	na_put_int(r, row, M_serial_sends, (int64_t)x->serial);
	na_put_real(r, row, M_serial_bytes, x->serial_bytes);
	na_put_int(r, row, M_max_bytes, (int64_t)x->max_bytes);
}

static void put_run(const struct table *t, uint32_t run, struct na_result *r,
		    struct na_value *list)
{
	const struct na_store *store = t->s->scope->store;
	struct na_value *row = na_put_object(r, list, NULL), *rows;
	const char *label = NULL;
	uint64_t sends = 0;
	na_i128 bytes = 0;

	for (size_t i = 0; i < store->n_sources; i++) {
		if (store->sources[i].run != run)
			continue;
		label = store->sources[i].label;
		sends += t->s->sums[i].sends;
		bytes += t->s->sums[i].bytes;
	}
	na_put_text(r, row, M_label, label);
	na_put_int(r, row, M_sends, (int64_t)sends);
	na_put_real(r, row, M_bytes, (double)bytes);
	rows = na_put_list(r, row, M_collectives);
	for (size_t i = 0; i < t->n; i++) {
		if (t->rows[i].run == run && t->rows[i].n)
			put_row(t, &t->rows[i], r, rows);
	}
}

enum na_status na_shards_finish(void *state, struct na_result *r,
				struct na_err *err)
{
	struct shards_state *s = state;
	struct na_value *body = na_result_body(r), *list;
	struct table t = {.s = s};
	double *tmp = na_calloc(s->execs.n, sizeof(*tmp));
	bool ok;

	first_sends(s);
	ok = list_rows(&t) && tmp;
	na_result_word(r, NA_WORD_EMPTY,
		       "device-to-host copies of collectives (action graphs: "
		       "plane \"/device:CUSTOM:Megascale Trace\")");
	na_put_int(r, body, M_large_bytes, (int64_t)NA_SH_LARGE_BYTES);
	list = na_put_list(r, body, M_runs);
	if (ok) {
		count_sends(&t);
		for (size_t i = 0; i < t.n; i++)
			measure(&t, &t.rows[i], tmp);
		na_sort(t.rows, t.n, longest_first);
	}
	for (uint32_t run = 0; ok && run < s->scope->store->n_runs; run++)
		put_run(&t, run, r, list);
	free(t.gaps);
	free(t.rows);
	free(t.row_of);
	free(tmp);
	return ok ? NA_OK : na_fail_nomem(err);
}

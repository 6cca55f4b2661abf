/*
 * steps: launches of a program, where no device plane tells steps.  Only
 * transfers name their launch: a device's is from the first that it sends to
 * the end of its last one.
 */
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"

static struct st_launch *launch_of(struct st_gathered *g, struct na_triple key)
{
	uint32_t k = na_triples_add(&g->launch_keys, key);

	if (k == NA_NO_TRIPLE ||
	    (k == g->launches.n &&
	     !na_add(&g->launches, ((struct st_launch){NA_TIME_MAX, NA_TIME_MAX,
						       NA_TIME_MIN}))))
		return NULL;
	return &g->launches.v[k];
}

static void widen(struct st_launch *x, const struct st_launch *by)
{
	if (by->first_send_ps < x->first_send_ps)
		x->first_send_ps = by->first_send_ps;
	if (by->first_receive_ps < x->first_receive_ps)
		x->first_receive_ps = by->first_receive_ps;
	if (by->last_ps > x->last_ps)
		x->last_ps = by->last_ps;
}

bool na_steps_add_launch(struct st_gathered *g, const struct na_transfer *t)
{
	bool sends = t->side == NA_TX;
	struct na_triple key = {t->launch, sends ? t->src : t->dst, t->input};
	struct st_launch *x;

	if (t->style >= NA_STYLE_CAPTURE || t->launch == NA_UNKNOWN_U32 ||
	    t->klass < NA_NO_LATENCY)
		return true;
	x = launch_of(g, key);
	if (!x)
		return false;
	widen(x, &(struct st_launch){.first_send_ps = sends ? t->start_ps
							    : NA_TIME_MAX,
				     .first_receive_ps = sends ? NA_TIME_MAX
							       : t->start_ps,
				     .last_ps = t->end_ps});
	return true;
}

bool na_steps_merge_launches(struct st_gathered *g,
			     const struct st_gathered *from)
{
	for (size_t k = 0; k < from->launches.n; k++) {
		struct st_launch *x = launch_of(g, from->launch_keys.keys[k]);

		if (!x)
			return false;
		widen(x, &from->launches.v[k]);
	}
	return true;
}

struct place { /* of a launch */
	uint32_t host, endpoint, launch;
	int64_t start_ps, end_ps;
};

NA_ORDER(by_line, struct place, NA_UP(host), NA_UP(endpoint), NA_UP(start_ps),
	 NA_UP(launch))

/* A receive begins when its sender sends: it counts for who never sends. */
static struct place place_of(const struct st_state *s, size_t k)
{
	const struct na_triple *key = &s->got.launch_keys.keys[k];
	const struct st_launch *x = &s->got.launches.v[k];

	return (struct place){
		.host = key->c,
		.endpoint = key->b,
		.launch = key->a,
		.start_ps = x->first_send_ps != NA_TIME_MAX
				    ? x->first_send_ps
				    : x->first_receive_ps,
		.end_ps = x->last_ps,
	};
}

static bool begins_line(const struct place *x, size_t i)
{
	return !i || x[i].host != x[i - 1].host ||
	       x[i].endpoint != x[i - 1].endpoint;
}

/* Room behind the cells and lines of steps, and no more. */
static bool make_room(struct st_state *s, const struct place *x, size_t n)
{
	size_t n_lines = s->n_lines + 1;
	struct st_cell *cells;
	struct st_line *lines;

	for (size_t i = 0; i < n; i++)
		n_lines += begins_line(x, i);
	cells = realloc(s->cells, (s->n_cells + n + 1) * sizeof(*cells));
	s->cells = cells ? cells : s->cells;
	lines = realloc(s->lines, n_lines * sizeof(*lines));
	s->lines = lines ? lines : s->lines;
	return cells && lines;
}

static void put_launches(struct st_state *s, const struct place *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct st_line *line;

		if (begins_line(x, i))
			s->lines[s->n_lines++] =
				(struct st_line){.cell_from = s->n_cells,
						 .cell_to = s->n_cells,
						 .host = x[i].host};
		line = &s->lines[s->n_lines - 1];
		if (x[i].end_ps <= x[i].start_ps ||
		    na_time_between(x[i].start_ps, x[i].end_ps) > ST_LONGEST_PS)
			continue;
		s->cells[s->n_cells++] =
			(struct st_cell){.start_ps = x[i].start_ps,
					 .end_ps = x[i].end_ps,
					 .number = x[i].launch,
					 .gap_ps = -1,
					 .core = (uint32_t)(s->n_lines - 1),
					 .kept = true,
					 .launch = true};
		line->cell_to = s->n_cells;
	}
}

bool na_steps_build_launches(struct st_state *s)
{
	const struct na_store *store = s->scope->store;
	struct place *all = na_calloc(s->got.launches.n + 1, sizeof(*all));
	size_t n = 0;
	bool ok;

	s->by_launch = na_calloc(store->n_runs + 1, sizeof(*s->by_launch));
	if (!all || !s->by_launch) {
		free(all);
		return false;
	}
	for (size_t r = 0; r < store->n_runs; r++)
		s->by_launch[r] = true;
	for (size_t i = 0; i < s->n_cells; i++) {
		uint32_t host = na_steps_host_of(s, s->cells[i].core);

		s->by_launch[store->sources[host].run] = false;
	}
	for (size_t k = 0; k < s->got.launches.n; k++) {
		all[n] = place_of(s, k);
		n += s->by_launch[store->sources[all[n].host].run];
	}
	na_triples_fini(&s->got.launch_keys);
	na_vec_free(&s->got.launches);
	na_sort(all, n, by_line);
	ok = make_room(s, all, n);
	if (ok)
		put_launches(s, all, n);
	free(all);
	return ok;
}

/* ---- who is slowest */

/* Behind the median of those of whom it is known: into late_ps or
 * waits_less_ps, which stay 0 for the others. */
static void compare(struct st_state *s, const struct st_step *t,
		    enum st_measure m, na_i128 *tmp)
{
	na_i128 median = na_steps_survey(s, t, m, tmp).median, at;
	uint32_t group = NA_UNKNOWN_U32;

	for (size_t i = t->from; i < t->to; i++) {
		struct st_host_step *x = &s->host_steps[i];

		if (na_steps_measure(s, x, m, &group, &at))
			*(m == ST_START ? &x->late_ps : &x->waits_less_ps) =
				na_steps_cut(at - median);
	}
}

static int64_t late_of(const struct st_field *f)
{
	return na_steps_cut(f->most - f->median);
}

static bool stands_out(const struct st_field *f, na_i128 unsure_ps,
		       int64_t typical_ps)
{
	return na_steps_notable_launch(late_of(f), typical_ps) &&
	       late_of(f) > unsure_ps;
}

/* Who only starts late since the launch before ended late lets nobody wait
 * on its own account: the time since then is as the others'. */
static bool starts_late(const struct st_state *s, const struct st_field *f,
			int64_t typical_ps)
{
	const struct st_host_step *x = f->n > 1 ? &s->host_steps[f->at] : NULL;

	return x && na_steps_late(late_of(f), typical_ps) &&
	       stands_out(f, s->clocks->uncertainty_ps[x->host], typical_ps) &&
	       (x->cell->gap_ps < 0 || x->waits_less_ps > late_of(f) / 2);
}

/*
 * Who starts last lets the others wait, and its own launch is the shortest.
 * Where its transfers take long, too, they made it late, unless it is late
 * by far more than that.
 */
static void who_is_last(struct st_state *s, struct st_step *t, na_i128 *tmp)
{
	struct st_field start = na_steps_survey(s, t, ST_START, tmp);
	struct st_field end = na_steps_survey(s, t, ST_END, tmp);
	struct st_field net = na_steps_survey(s, t, ST_LATENCY_SEEN, tmp);
	struct st_field lasted = na_steps_survey(s, t, ST_OWN, tmp);
	struct st_field period = na_steps_survey(s, t, ST_PERIOD, tmp);
	bool starts = starts_late(s, &start, (int64_t)period.median);
	bool takes = net.n > 1 &&
		     stands_out(&net, s->host_steps[net.at].unsure_ps,
				(int64_t)lasted.median);

	if (starts && (!takes || late_of(&start) / 2 > late_of(&net)))
		na_steps_blame(t, &start, ST_LATE_START);
	else if (takes)
		na_steps_blame(t, &net, ST_NETWORK);
	else
		na_steps_blame(t, end.n > 1 ? &end : &lasted, ST_NONE);
	s->host_steps[t->slowest].slowest = true;
}

void na_steps_judge_launch(struct st_state *s, struct st_step *t, na_i128 *tmp)
{
	struct st_field lasted = na_steps_survey(s, t, ST_DURATION, tmp);

	t->spread_ps = (int64_t)(lasted.most - lasted.least);
	compare(s, t, ST_START, tmp);
	compare(s, t, ST_GAP, tmp);
	if (lasted.n > 1)
		who_is_last(s, t, tmp);
}

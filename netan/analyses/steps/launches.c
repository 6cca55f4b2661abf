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

struct last {            /* by one measure */
	size_t at;       /* host step; SIZE_MAX: nobody can tell */
	int64_t late_ps; /* behind the lower median */
	int64_t lost_ps; /* behind the second */
};

enum measure { START, END, LASTED, NETWORK, GAP, PERIOD };

/* False: not known of this host. */
static bool measured(const struct st_state *s, const struct st_host_step *x,
		     enum measure m, uint32_t *group, int64_t *ps)
{
	const struct na_host_clocks *k = s->clocks;

	if (m == NETWORK) {
		*ps = x->network_ps > NA_TIME_MAX ? NA_TIME_MAX
						  : (int64_t)x->network_ps;
		return x->network_ps > 0;
	}
	if (m == LASTED || m == PERIOD) {
		*ps = m == LASTED ? x->own_ps : x->period_ps;
		return true;
	}
	if (m == GAP) {
		*ps = x->cell->gap_ps;
		return *ps >= 0;
	}
	if (!na_steps_is_tied(s, x->host))
		return false;
	if (*group == NA_UNKNOWN_U32)
		*group = k->group[x->host];
	*ps = na_host_clocks_time(k, x->host,
				  m == START ? x->cell->start_ps
					     : x->cell->end_ps);
	return k->group[x->host] == *group;
}

/* ps: room for the hosts of the step. */
static struct last last_of(const struct st_state *s, const struct st_step *t,
			   enum measure m, int64_t *ps)
{
	struct last l = {.at = SIZE_MAX};
	int64_t most = NA_TIME_MIN;
	uint32_t group = NA_UNKNOWN_U32;
	size_t n = 0;

	for (size_t i = t->from; i < t->to; i++) {
		if (!measured(s, &s->host_steps[i], m, &group, &ps[n]))
			continue;
		if (!n || ps[n] > most) {
			most = ps[n];
			l.at = i;
		}
		n++;
	}
	if (n < 2) {
		l.at = SIZE_MAX;
		return l;
	}
	na_sort(ps, n, na_order_i64);
	l.late_ps = na_time_between(ps[(n - 1) / 2], most);
	l.lost_ps = na_time_between(ps[n - 2], most);
	return l;
}

/* Behind the lower median of those of whom it is known: into late_ps or
 * waits_less_ps, which stay 0 for the others. */
static void compare(struct st_state *s, const struct st_step *t, enum measure m,
		    int64_t *ps)
{
	uint32_t group = NA_UNKNOWN_U32;
	int64_t median, at;
	size_t n = 0;

	for (size_t i = t->from; i < t->to; i++)
		n += measured(s, &s->host_steps[i], m, &group, &ps[n]);
	if (!n)
		return;
	na_sort(ps, n, na_order_i64);
	median = ps[(n - 1) / 2];
	for (size_t i = t->from; i < t->to; i++) {
		struct st_host_step *x = &s->host_steps[i];

		if (!measured(s, x, m, &group, &at))
			continue;
		at = at < median ? -na_time_between(at, median)
				 : na_time_between(median, at);
		if (m == START)
			x->late_ps = at;
		else
			x->waits_less_ps = at;
	}
}

static void blame(struct st_step *t, const struct last *l, enum st_cause cause)
{
	t->slowest = l->at;
	t->late_ps = l->late_ps;
	t->lost_ps = l->lost_ps;
	t->cause = cause;
}

static bool stands_out(const struct last *l, na_i128 unsure_ps,
		       int64_t typical_ps)
{
	return l->at != SIZE_MAX &&
	       na_steps_notable_launch(l->late_ps, typical_ps) &&
	       l->late_ps > unsure_ps;
}

/* Who only starts late since the launch before ended late lets nobody wait
 * on its own account: the time since then is as the others'. */
static bool starts_late(const struct st_state *s, const struct last *l,
			int64_t typical_ps)
{
	const struct st_host_step *x = l->at == SIZE_MAX
					       ? NULL
					       : &s->host_steps[l->at];

	return x && na_steps_late(l->late_ps, typical_ps) &&
	       stands_out(l, s->clocks->uncertainty_ps[x->host], typical_ps) &&
	       (x->cell->gap_ps < 0 || x->waits_less_ps > l->late_ps / 2);
}

/*
 * Who starts last lets the others wait, and its own launch is the shortest.
 * Where its transfers take long, too, they made it late, unless it is late
 * by far more than that.
 */
static void who_is_last(struct st_state *s, struct st_step *t, int64_t *ps)
{
	const struct st_host_step *x = s->host_steps;
	struct last start = last_of(s, t, START, ps);
	struct last end = last_of(s, t, END, ps);
	struct last network = last_of(s, t, NETWORK, ps);
	struct last lasted = last_of(s, t, LASTED, ps);
	struct last period = last_of(s, t, PERIOD, ps);
	int64_t typical = x[lasted.at].own_ps - lasted.late_ps;
	bool starts = starts_late(s, &start,
				  x[period.at].period_ps - period.late_ps);
	bool takes = network.at != SIZE_MAX &&
		     stands_out(&network, x[network.at].unsure_ps, typical);

	if (starts && (!takes || start.late_ps / 2 > network.late_ps))
		blame(t, &start, ST_LATE_START);
	else if (takes)
		blame(t, &network, ST_NETWORK);
	else if (end.at != SIZE_MAX)
		blame(t, &end, ST_NONE);
	else
		blame(t, &lasted, ST_NONE);
	s->host_steps[t->slowest].slowest = true;
}

bool na_steps_judge_launch(struct st_state *s, struct st_step *t)
{
	size_t n = t->to - t->from;
	int64_t *ps = na_calloc(n + 1, sizeof(*ps));
	int64_t least = NA_TIME_MAX, most = 0;

	if (!ps)
		return false;
	for (size_t i = t->from; i < t->to; i++) {
		int64_t d = na_steps_duration(s->host_steps[i].cell);

		least = d < least ? d : least;
		most = d > most ? d : most;
	}
	t->spread_ps = most - least;
	compare(s, t, START, ps);
	compare(s, t, GAP, ps);
	if (n > 1)
		who_is_last(s, t, ps);
	free(ps);
	return true;
}

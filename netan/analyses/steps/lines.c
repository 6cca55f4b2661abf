/* steps: the line of each device: steps side by side, and how much of the times
 * in which it communicates lies in each. */
#include <stdlib.h>

#include "netan/analyses/steps/steps.h"
#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/step_kind.h"

NA_ORDER(by_place, struct st_span, NA_UP(core), NA_UP(program), NA_UP(start_ps),
	 NA_UP(end_ps), NA_UP(number), NA_UP(name))

NA_ORDER(by_name, const struct st_span *, NA_CMP((*x)->name, (*y)->name))

/* The program that took most time; the earlier name where equal. */
static bool longest_program(const struct st_span *x, size_t n, uint32_t *name)
{
	const struct st_span **p = na_calloc(n, sizeof(*p));
	na_i128 most = -1, sum = 0;

	if (!p)
		return false;
	for (size_t i = 0; i < n; i++)
		p[i] = &x[i];
	na_sort(p, n, by_name);
	for (size_t i = 0; i < n; i++) {
		sum = i && p[i]->name == p[i - 1]->name ? sum : 0;
		sum += na_time_between(p[i]->start_ps, p[i]->end_ps);
		if (sum > most) {
			most = sum;
			*name = p[i]->name;
		}
	}
	free(p);
	return true;
}

static bool in_window(const struct st_state *s, const struct st_cell *c)
{
	uint32_t input = na_steps_host_of(s, c->core);
	const struct na_run_window w =
		na_filter_of_input(s->scope->filter, s->scope->store, input);

	return c->end_ps >= w.from_ps &&
	       (c->end_ps < w.to_ps || w.to_ps == NA_TIME_MAX) &&
	       na_window_has_step(&w, c->number);
}

/* Steps of one core: where two overlap, the first ends where the next
 * begins. */
static void put_cells(struct st_state *s, uint32_t core,
		      const struct st_span *x, size_t n, uint32_t only)
{
	struct st_line *line = &s->lines[core];
	bool named = false, program = x[0].program;
	int64_t order = 0;

	line->programs = program;
	for (size_t i = 0; i < n; i++)
		named = named || x[i].number >= 0;
	for (size_t i = 0; i < n; i++) {
		struct st_cell *c = &s->cells[s->n_cells];
		struct st_cell *last = s->n_cells > line->cell_from ? c - 1
								    : NULL;

		if ((program && x[i].name != only) ||
		    x[i].end_ps <= x[i].start_ps ||
		    na_time_between(x[i].start_ps, x[i].end_ps) > ST_LONGEST_PS)
			continue;
		if (named && x[i].number < 0) {
			s->unnamed++;
			continue;
		}
		*c = (struct st_cell){.start_ps = x[i].start_ps,
				      .end_ps = x[i].end_ps,
				      .number = named ? x[i].number : order,
				      .gap_ps = -1,
				      .core = core,
				      .kept = true};
		order++;
		if (x[i].told > line->told)
			line->told = x[i].told;
		if (last && last->end_ps > c->start_ps) {
			last->end_ps = c->start_ps;
			s->cut++;
		}
		if (last && last->end_ps <= last->start_ps)
			*last = *c;
		else
			s->n_cells++;
	}
	line->cell_to = s->n_cells;
}

static bool cells_of_core(struct st_state *s, const struct st_span *x, size_t n)
{
	uint32_t core = x[0].core, only = NA_UNKNOWN_U32;
	uint64_t unnamed = s->unnamed, cut = s->cut;
	struct st_line *line = &s->lines[core];
	size_t steps = NA_BOUND(i, 0, n, x[i].program), told = n;

	/* Of several programs that of the steps is the one that takes most. */
	if (na_step_kind(steps) == NA_SPAN_STEP)
		told = steps;
	else if (!longest_program(x, n, &only))
		return false;
	line->cell_from = s->n_cells;
	put_cells(s, core, x, told, only);
	if (!na_steps_passes(s, core)) {
		s->filtered += s->n_cells - line->cell_from + s->unnamed -
			       unnamed;
		s->n_cells = line->cell_from;
		s->unnamed = unnamed;
		s->cut = cut;
		*line = (struct st_line){.programs = false};
	}
	return true;
}

static bool build_cells(struct st_state *s)
{
	s->cells = na_calloc(s->got.spans.n + 1, sizeof(*s->cells));
	s->lines = na_calloc(s->n_lines + 1, sizeof(*s->lines));
	if (!s->cells || !s->lines)
		return false;
	na_sort(s->got.spans.v, s->got.spans.n, by_place);
	for (size_t from = 0, to; from < s->got.spans.n; from = to) {
		for (to = from;
		     to < s->got.spans.n &&
		     s->got.spans.v[to].core == s->got.spans.v[from].core;)
			to++;
		if (!cells_of_core(s, &s->got.spans.v[from], to - from))
			return false;
	}
	na_vec_free(&s->got.spans);
	return na_steps_build_launches(s);
}

struct numbered {
	int64_t number, start_ps;
};

NA_ORDER(by_number, struct numbered, NA_UP(number), NA_UP(start_ps))

/* How far apart those of one number begin, on average; without any two of
 * one number, as far as it gets. */
static double apart(struct numbered *x, size_t n)
{
	double sum = 0;
	size_t joined = 0;

	na_sort(x, n, by_number);
	for (size_t i = 1; i < n; i++) {
		if (x[i].number != x[i - 1].number)
			continue;
		sum += (double)na_time_between(x[i - 1].start_ps,
					       x[i].start_ps);
		joined++;
	}
	return joined ? sum / (double)joined : (double)NA_TIME_MAX;
}

/*
 * Runs of a program are numbered by their run id, or by their order on the
 * device: whichever joins what runs at the same time.
 */
static bool number_programs(struct st_state *s)
{
	struct numbered *ids = na_calloc(2 * s->n_cells + 1, sizeof(*ids));
	struct numbered *orders = ids ? ids + s->n_cells : NULL;
	size_t n = 0;

	if (!ids)
		return false;
	for (size_t l = 0; l < s->n_lines; l++) {
		const struct st_line *x = &s->lines[l];

		for (size_t i = x->cell_from; x->programs && i < x->cell_to;
		     i++, n++) {
			const struct st_cell *c = &s->cells[i];

			ids[n] = (struct numbered){c->number, c->start_ps};
			orders[n] =
				(struct numbered){(int64_t)(i - x->cell_from),
						  c->start_ps};
		}
	}
	s->by_order = apart(orders, n) < apart(ids, n);
	free(ids);
	for (size_t l = 0; s->by_order && l < s->n_lines; l++) {
		const struct st_line *x = &s->lines[l];

		for (size_t i = x->cell_from; x->programs && i < x->cell_to;
		     i++)
			s->cells[i].number = (int64_t)(i - x->cell_from);
	}
	return true;
}

static void find_gaps(struct st_state *s)
{
	for (size_t i = 1; i < s->n_cells; i++) {
		struct st_cell *c = &s->cells[i], *last = c - 1;

		/* Numbers are 0 at least. */
		if (last->core == c->core && last->number == c->number - 1)
			c->gap_ps = na_time_between(last->end_ps, c->start_ps);
	}
	for (size_t i = 0; i < s->n_cells; i++) {
		s->cells[i].kept = in_window(s, &s->cells[i]);
		s->filtered += !s->cells[i].kept;
	}
}

static void fill_cells(struct st_state *s)
{
	for (size_t l = 0; l < s->n_lines; l++) {
		const struct st_line *x = &s->lines[l];
		size_t g = 0;

		for (size_t i = x->cell_from; i < x->cell_to; i++) {
			struct st_cell *c = &s->cells[i];

			while (g < x->segments.n &&
			       na_steps_segment_end(&x->segments.v[g]) <=
				       c->start_ps)
				g++;
			for (size_t k = g;
			     k < x->segments.n &&
			     x->segments.v[k].start_ps < c->end_ps;
			     k++) {
				const struct st_segment *m = &x->segments.v[k];
				int64_t ps =
					na_steps_common(m->start_ps,
							na_steps_segment_end(m),
							c->start_ps, c->end_ps);

				c->flight_ps += ps;
				if (na_steps_network_of(m) < NA_N_NETWORKS)
					c->comm_ps[na_steps_network_of(m)] +=
						ps;
				if (m->network & ST_WAITS)
					c->wait_ps += ps;
			}
		}
	}
}

bool na_steps_build_lines(struct st_state *s)
{
	s->n_lines = s->scope->store->devices.n_cores;
	if (!na_steps_find_waits(s) || !build_cells(s) || !number_programs(s) ||
	    !na_steps_build_segments(s))
		return false;
	find_gaps(s);
	fill_cells(s);
	return true;
}

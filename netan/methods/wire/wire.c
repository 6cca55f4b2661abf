/* The parts of this method in their order. */
#include "netan/methods/wire/wire.h"

#include <math.h>
#include <stdlib.h>

#include "netan/base/triples.h"
#include "netan/methods/wire/state.h"

/* us: thirty years; so that sums and products stay finite. */
#define MOST_US    1e15
#define MOST_BYTES 1e18

/* NaN is not. */
static bool is_usable(const struct na_wire_row *r)
{
	return fabs(r->start_us) < MOST_US && r->took_us >= 0 &&
	       r->took_us < MOST_US && r->size_bytes >= 0 &&
	       (double)r->size_bytes < MOST_BYTES;
}

/* Whole steps, evenly, so that what is left can be held. */
static size_t thin(const struct na_wire_input *in, uint32_t *one_in)
{
	size_t every = (in->n_rows + NA_WIRE_MOST_ROWS - 1) / NA_WIRE_MOST_ROWS;
	size_t most = in->n_steps / NA_WIRE_MIN_STEPS;
	size_t n = 0;

	every = every < 1 ? 1 : every > most ? most : every;
	*one_in = (uint32_t)every;

	for (size_t i = 0; i < in->n_rows; i++) {
		if (!is_usable(&in->rows[i]) || in->rows[i].step % every)
			continue;
		in->rows[n] = in->rows[i];
		if (!(in->rows[n].took_us > WI_LEAST_US))
			in->rows[n].took_us = WI_LEAST_US;
		in->rows[n].step /= (uint32_t)every;
		n++;
	}
	return n;
}

/* Of the time that it took: what starts so much before its receiver begins to
 * send in the same collective may wait for it. */
#define AHEAD 0.2

struct begin {
	double us;
	bool known;
};

static struct na_triple part_of(const struct na_wire_input *in, size_t row,
				uint32_t host)
{
	return (struct na_triple){host, in->collective_of[in->rows[row].cell],
				  in->rows[row].step};
}

/* Leaves out what may have waited for a receiver that came late. */
static bool drop_waits(const struct na_wire_input *in, size_t *n)
{
	struct na_triples keys = {0};
	NA_VEC(struct begin) first = {0};
	size_t kept = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < *n; i++) {
		const struct na_wire_row *r = &in->rows[i];
		struct begin *b = na_triples_at(
			&keys, &first,
			part_of(in, i, in->connections[r->connection].src));

		ok = b != NULL;
		if (ok && (!b->known || r->start_us < b->us))
			*b = (struct begin){r->start_us, true};
	}
	for (size_t i = 0; ok && i < *n; i++) {
		const struct na_wire_row r = in->rows[i];
		uint32_t k = na_triples_find(
			&keys,
			part_of(in, i, in->connections[r.connection].dst));

		if (k == NA_NO_TRIPLE ||
		    r.start_us + AHEAD * r.took_us >= first.v[k].us)
			in->rows[kept++] = r;
	}
	*n = kept;
	na_triples_fini(&keys);
	na_vec_free(&first);
	return ok;
}

static bool room(struct wi *w)
{
	size_t n = w->n;
	size_t more = 2 * w->in->n_hosts + 3 * (size_t)w->in->n_steps + 4;

	for (int side = 0; side < WI_SIDES; side++) {
		w->host[side] = wi_take(w, n, sizeof(uint32_t));
		w->order[side] = wi_take(w, n, sizeof(uint32_t));
	}
	w->stratum = wi_take(w, n, sizeof(uint32_t));
	w->step = wi_take(w, n, sizeof(uint32_t));
	w->by_lane = wi_take(w, n, sizeof(uint32_t));
	w->raw = wi_take(w, n, sizeof(float));
	w->fluid = wi_take(w, n, sizeof(float));
	w->expected_us = wi_take(w, n, sizeof(float));
	w->port_bytes[WI_TX] = wi_take(w, n, sizeof(float));
	w->port_bytes[WI_RX] = wi_take(w, n, sizeof(float));
	w->move_us = wi_take(w, n, sizeof(float));
	w->room = wi_take(w, n + more, sizeof(double));
	return !w->failed;
}

static bool place(struct wi *w)
{
	const struct na_wire_input *in = w->in;
	bool ok = true;

	w->n_strata = 2 * in->n_collectives;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct na_wire_connection *c = wi_ends(w, i);

		w->host[WI_TX][i] = c->src;
		w->host[WI_RX][i] = c->dst;
		w->stratum[i] = 2 * in->collective_of[in->rows[i].cell] +
				wi_cross(in, c->src, c->dst);
		w->step[i] = in->rows[i].step;
		w->order[WI_TX][i] = w->order[WI_RX][i] = i;
	}
	for (int side = 0; ok && side < WI_SIDES; side++)
		ok = wi_sort(w->order[side], w->n, w->step, in->n_steps) &&
		     wi_sort(w->order[side], w->n, w->stratum, w->n_strata) &&
		     wi_sort(w->order[side], w->n, w->host[side], in->n_hosts);
	return ok;
}

static bool is_able(const struct na_wire_input *in)
{
	return in->n_hosts >= NA_WIRE_FEW_HOSTS &&
	       in->n_steps >= NA_WIRE_MIN_STEPS;
}

/* Of those that have rows: the input's may be of other runs. */
static bool has_steps(const struct wi *w)
{
	uint32_t seen[NA_WIRE_MIN_STEPS];
	size_t n = 0;

	for (size_t i = 0; i < w->n && n < NA_WIRE_MIN_STEPS; i++) {
		size_t k = 0;

		while (k < n && seen[k] != w->in->rows[i].step)
			k++;
		if (k == n)
			seen[n++] = w->in->rows[i].step;
	}
	return n == NA_WIRE_MIN_STEPS;
}

static bool prepare(struct wi *w)
{
	bool first = !w->room;

	return !w->failed && (!first || (room(w) && place(w))) &&
	       wi_residuals(w) &&
	       (!first || (wi_sides_index(w) && wi_lanes_index(w)));
}

static void forget_findings(struct wi *w)
{
	for (size_t i = 0; i < w->found.n; i++)
		free(w->found.v[i].alternatives);
	w->found.n = 0;
}

static void fini(struct wi *w)
{
	wi_fluid_fini(w);
	wi_residuals_fini(w);
	for (int side = 0; side < WI_SIDES; side++) {
		na_vec_free(&w->groups[side]);
		na_vec_free(&w->strata[side]);
		na_vec_free(&w->by_role[side]);
	}
	na_vec_free(&w->lanes);
	na_arena_fini(&w->arena);
}

static bool run(struct wi *w, struct wi_roles *roles, bool *able)
{
	w->n = thin(w->in, &w->every);
	if (w->in->two_clocks && !drop_waits(w->in, &w->n))
		return false;
	*able = has_steps(w);
	if (!*able)
		return true;
	if (!wi_roles_make(roles, w->in, w->every) || !prepare(w))
		return false;
	wi_find(w);
	if (w->failed)
		return false;
	wi_losses(w);
	wi_flaps(w);
	wi_power(w);
	return !w->failed;
}

enum na_status na_wire(const struct na_wire_input *in, bool *able,
		       struct na_wire_result *out, struct na_err *err)
{
	struct wi_roles roles = {.n = {{NULL, 0, 0}}};
	struct wi w = {.in = in, .roles = &roles, .out = out};
	bool ok = true;

	*out = (struct na_wire_result){.two_clocks = in->two_clocks,
				       .block = {NA_LZ_KINDS, 0, 0}};
	*able = is_able(in);
	if (*able)
		ok = run(&w, &roles, able);
	out->findings = w.found.v;
	out->n_findings = w.found.n;
	fini(&w);
	wi_roles_fini(&roles);
	return ok ? NA_OK : na_fail_nomem(err);
}

void wi_trial_open(struct wi_trial *t, const struct wi *was,
		   struct na_wire_row *rows, size_t n)
{
	*t = (struct wi_trial){.in = *was->in};
	t->in.rows = rows;
	t->in.n_rows = n;
	t->w = (struct wi){.in = &t->in,
			   .roles = was->roles,
			   .out = &t->out,
			   .n = n,
			   .every = was->every,
			   .again = true};
}

bool wi_names(struct wi_trial *t, enum wi_side side, uint32_t host,
	      const char **against)
{
	struct wi *w = &t->w;
	bool named;

	*against = NULL;
	forget_findings(w);
	w->failed |= !prepare(w);
	named = !w->failed && wi_finds(w, side, host);
	if (!w->failed && !named)
		*against = wi_candidate(w, side, host).against;
	return named && !w->failed;
}

void wi_trial_close(struct wi_trial *t)
{
	forget_findings(&t->w);
	na_vec_free(&t->w.found);
	fini(&t->w);
}

void na_wire_result_fini(struct na_wire_result *r)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		free(r->findings[i].windows);
		free(r->findings[i].alternatives);
	}
	free(r->findings);
	free(r->power);
	free(r->slow);
	free(r->alike);
	free(r->late);
	*r = (struct na_wire_result){0};
}

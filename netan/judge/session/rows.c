/*
 * Columns of a session.  Rows are put in order by connection, collective,
 * step, part, start, duration and size, so that sums over them do not depend
 * on the order of the input; rows that are equal in all of these are
 * interchangeable.
 */
#include "netan/judge/session/session.h"

#include <math.h>
#include <string.h>

enum { MOST_PART = 63 };

#define MOST_BYTES 1e18F
#define MOST_US    1e15

/* Ranks of the connections that rows use, by hosts and devices. */
static bool rank_connections(struct na_j_session *s, uint32_t *rank,
			     struct na_arena *tmp)
{
	const struct na_judge_input *in = s->in;
	size_t n = in->n_connections;
	uint32_t *cols[4], *used;
	struct na_groups g;
	size_t n_used = 0;

	for (size_t c = 0; c < 4; c++)
		if (!(cols[c] = NA_NEW(tmp, uint32_t, n)))
			return false;
	used = NA_NEW(tmp, uint32_t, n);
	if (!used)
		return false;
	for (size_t i = 0; i < in->n_rows; i++)
		rank[in->rows[i].connection] = 1;
	for (size_t i = 0; i < n; i++) {
		cols[0][i] = in->connections[i].src;
		cols[1][i] = in->connections[i].dst;
		cols[2][i] = in->connections[i].src_dev;
		cols[3][i] = in->connections[i].dst_dev;
		if (rank[i])
			used[n_used++] = (uint32_t)i;
	}
	if (!na_j_group(&g, NA_J_BY(cols[0], cols[1], cols[2], cols[3]), used,
			n_used, tmp))
		return false;
	s->n_connections = g.n;
	s->connections = NA_NEW(&s->columns, struct na_j_connection, g.n);
	for (size_t k = 0; s->connections && k < g.n; k++) {
		const struct na_judge_connection *c =
			&in->connections[na_j_first(&g, k)];

		s->connections[k] = (struct na_j_connection){
			c->src, c->dst, c->src_dev, c->dst_dev, c->distance, 0};
		for (uint32_t i = g.from[k]; i < g.from[k + 1]; i++)
			rank[g.row[i]] = (uint32_t)k;
	}
	return s->connections;
}

static bool list_pairs(struct na_j_session *s)
{
	s->n_pairs = 0;
	s->pairs = NA_NEW(&s->columns, struct na_j_pair, s->n_connections);
	for (size_t i = 0; s->pairs && i < s->n_connections; i++) {
		struct na_j_connection *c = &s->connections[i];

		if (!i || c->src != c[-1].src || c->dst != c[-1].dst)
			s->pairs[s->n_pairs++] =
				(struct na_j_pair){c->src, c->dst};
		c->pair = (uint32_t)s->n_pairs - 1;
	}
	return s->pairs;
}

static uint32_t bits_of(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static float size_of(const struct na_judge_row *r)
{
	return r->size_bytes > 0 ? fminf(r->size_bytes, MOST_BYTES) : 0;
}

/* Products of times and rates stay finite. */
static double sane_us(double x)
{
	return isfinite(x) ? fmin(fmax(x, -MOST_US), MOST_US) : 0;
}

enum { CONNECTION, COLL, STEP, PART, SIZE, KEYS };

/* The rows' order. */
static uint32_t *order_rows(const struct na_judge_input *in,
			    const uint32_t *rank, struct na_arena *tmp)
{
	uint32_t *cols[KEYS], *row = NA_NEW(tmp, uint32_t, in->n_rows);
	double *time = NA_NEW(tmp, double, in->n_rows);
	bool ok = row && time;

	for (size_t c = 0; c < KEYS; c++)
		ok = (cols[c] = NA_NEW(tmp, uint32_t, in->n_rows)) && ok;
	for (size_t i = 0; ok && i < in->n_rows; i++) {
		const struct na_judge_row *r = &in->rows[i];

		row[i] = (uint32_t)i;
		cols[CONNECTION][i] = rank[r->connection];
		cols[COLL][i] = r->collective;
		cols[STEP][i] = r->step;
		cols[PART][i] = r->part;
		cols[SIZE][i] = bits_of(size_of(r));
		time[i] = sane_us(r->took_us);
	}
	ok = ok &&
	     na_j_order(row, in->n_rows, NA_J_BY(cols[SIZE])) &&
	     na_j_order_times(row, in->n_rows, time);
	for (size_t i = 0; ok && i < in->n_rows; i++)
		time[i] = sane_us(in->rows[i].start_us);
	ok = ok && na_j_order_times(row, in->n_rows, time) &&
	     na_j_order(row, in->n_rows, (const uint32_t *const *)cols, SIZE);
	return ok ? row : NULL;
}

static bool new_columns(struct na_j_session *s)
{
	uint32_t **const cols[] = {&s->connection, &s->pair, &s->coll,
				   &s->step,	   &s->cell, &s->octave,
				   &s->stratum,	   s->host,  s->host + 1};
	bool ok = true;

	for (size_t c = 0; c < sizeof(cols) / sizeof(cols[0]); c++)
		ok = (*cols[c] = NA_NEW(&s->columns, uint32_t, s->n)) && ok;
	s->size = NA_NEW(&s->columns, float, s->n);
	s->start = NA_NEW(&s->columns, double, s->n);
	s->took = NA_NEW(&s->columns, double, s->n);
	return ok && s->size && s->start && s->took;
}

static void fill(struct na_j_session *s, const uint32_t *row,
		 const uint32_t *rank, uint32_t *part)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct na_judge_row *r = &s->in->rows[row[i]];
		const struct na_j_connection *c;

		s->connection[i] = rank[r->connection];
		c = &s->connections[s->connection[i]];
		s->pair[i] = c->pair;
		s->host[0][i] = c->src;
		s->host[1][i] = c->dst;
		s->coll[i] = r->collective;
		s->step[i] = r->step;
		s->size[i] = size_of(r);
		s->start[i] = sane_us(r->start_us);
		s->took[i] = sane_us(r->took_us);
		part[i] = r->part < MOST_PART ? r->part : MOST_PART;
	}
}

/* Octave of size, from 0. */
static uint32_t octave(float size)
{
	return size > 1 ? (uint32_t)ilogbf(size) : 0;
}

static bool rank_strata(struct na_j_session *s, const uint32_t *part)
{
	struct na_arena tmp = {0};
	uint32_t *oct = NA_NEW(&tmp, uint32_t, s->n),
		 *near = NA_NEW(&tmp, uint32_t, s->n);
	size_t n;
	bool ok = oct && near;

	for (size_t i = 0; ok && i < s->n; i++) {
		oct[i] = octave(s->size[i]);
		near[i] = s->connections[s->connection[i]].distance;
	}
	ok = ok &&
	     na_j_rank(s->cell, &n, NA_J_BY(s->coll, part, oct), s->n, &tmp) &&
	     na_j_rank(s->octave, &n, NA_J_BY(oct, near), s->n, &tmp) &&
	     na_j_rank(s->stratum, &n, NA_J_BY(s->cell, near), s->n, &tmp);
	na_arena_fini(&tmp);
	return ok;
}

/* A column becomes ranks; their names (NULL: not asked for) are what it held. */
static bool rank_names(struct na_j_session *s, uint32_t *col, size_t *n,
		       uint32_t **name)
{
	struct na_arena tmp = {0};
	uint32_t *raw = NA_NEW(&tmp, uint32_t, s->n);
	bool ok = raw;

	if (ok) {
		memcpy(raw, col, s->n * sizeof(*raw));
		ok = na_j_rank(col, n, NA_J_BY(raw), s->n, &tmp);
	}
	if (ok && name)
		ok = (*name = NA_NEW(&s->columns, uint32_t, *n)) != NULL;
	for (size_t i = 0; ok && name && i < s->n; i++)
		(*name)[col[i]] = raw[i];
	na_arena_fini(&tmp);
	return ok;
}

static bool clocks_out(struct na_j_session *s)
{
	if (s->in->two_clocks)
		return na_j_clocks(s);
	for (size_t i = 0; i < s->n; i++)
		s->took[i] = fmax(s->took[i], .5);
	return true;
}

bool na_j_session_init(struct na_j_session *s, const struct na_judge_input *in)
{
	struct na_arena tmp = {0};
	uint32_t *rank, *row = NULL, *part = NULL;
	bool ok;

	*s = (struct na_j_session){.in = in,
				   .racks = in->n_racks > 0,
				   .n = in->n_rows,
				   .n_hosts = in->n_hosts};
	rank = NA_NEW(&tmp, uint32_t, in->n_connections);
	ok = rank && rank_connections(s, rank, &tmp) && list_pairs(s);
	if (ok)
		row = order_rows(in, rank, &tmp);
	ok = row && new_columns(s) &&
	     (part = NA_NEW(&tmp, uint32_t, s->n)) != NULL;
	if (ok)
		fill(s, row, rank, part);
	ok = ok && rank_names(s, s->coll, &s->n_coll, &s->coll_name) &&
	     rank_names(s, s->step, &s->n_steps, NULL) &&
	     rank_strata(s, part);
	na_arena_fini(&tmp);
	ok = ok && clocks_out(s);
	if (ok)
		s->log_took = NA_NEW(&s->columns, double, s->n);
	for (size_t i = 0; ok && s->log_took && i < s->n; i++)
		s->log_took[i] = log(s->took[i]);
	return ok && s->log_took && na_j_load(s) && na_j_usual(s);
}

void na_j_session_fini(struct na_j_session *s)
{
	na_arena_fini(&s->columns);
}

/* Connections and pairs that rows still use have their rank among these. */
static bool rank_again(struct na_j_session *s, const bool *pair_stays,
		       uint32_t *rank)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_connections; i++) {
		rank[i] = (uint32_t)n;
		if (pair_stays[s->connections[i].pair])
			s->connections[n++] = s->connections[i];
	}
	s->n_connections = n;
	return list_pairs(s);
}

bool na_j_session_filter(struct na_j_session *s, const bool *pair_stays)
{
	uint32_t *const cols[] = {s->connection, s->coll,    s->step,
				  s->cell,	 s->octave,  s->stratum,
				  s->host[0],	 s->host[1], s->pair};
	struct na_arena tmp = {0};
	uint32_t *rank = NA_NEW(&tmp, uint32_t, s->n_connections);
	size_t n = 0;
	bool ok = rank;

	for (size_t i = 0; ok && i < s->n; i++) {
		if (!pair_stays[s->pair[i]])
			continue;
		for (size_t c = 0; c < sizeof(cols) / sizeof(cols[0]); c++)
			cols[c][n] = cols[c][i];
		s->size[n] = s->size[i];
		s->start[n] = s->start[i];
		s->took[n++] = s->took[i];
	}
	ok = ok && rank_again(s, pair_stays, rank);
	if (ok)
		s->n = n;
	for (size_t i = 0; ok && i < n; i++) {
		s->connection[i] = rank[s->connection[i]];
		s->pair[i] = s->connections[s->connection[i]].pair;
	}
	na_arena_fini(&tmp);
	return ok;
}

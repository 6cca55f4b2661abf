/*
 * The model of netan/judge on transfers from a text file, with what its tables
 * hold, for comparison with another implementation:
 *
 *	peer FILE [-v]
 *
 * FILE: "hosts racks two_clocks", the rack of each host, then a line a
 * transfer: src dst dev collective part step bytes start_us took_us distance.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/judge/verdict.h"

struct input {
	struct na_judge_input in;
	NA_VEC(struct na_judge_connection) connections;
	NA_VEC(struct na_judge_row) rows;
	NA_VEC(uint32_t) racks;
	bool two_clocks;
};

static const char *const causes[] = {
#define CAUSE(id, name, prior, text) name,
#include "netan/judge/causes.def"
#undef CAUSE
	"none"};
static const char *const mechanisms[] = {"level", "large", "late"};

static bool read_input(struct input *x, FILE *f)
{
	size_t hosts, racks;
	int clocks;
	unsigned long v[6];
	double bytes, start, took, distance;

	if (fscanf(f, "%zu %zu %d", &hosts, &racks, &clocks) != 3)
		return false;
	for (size_t h = 0; racks && h < hosts; h++)
		if (fscanf(f, "%lu", v) != 1 ||
		    !na_add(&x->racks, (uint32_t)v[0]))
			return false;
	while (fscanf(f, "%lu %lu %lu %lu %lu %lu %lf %lf %lf %lf", v, v + 1,
		      v + 2, v + 3, v + 4, v + 5, &bytes, &start, &took,
		      &distance) == 10) {
		struct na_judge_row r = {start,
					 took,
					 (float)bytes,
					 (uint32_t)x->connections.n,
					 (uint32_t)v[3],
					 (uint32_t)v[5],
					 (uint32_t)v[4]};
		struct na_judge_connection c = {(uint32_t)v[0], (uint32_t)v[1],
						(uint32_t)v[2], 0,
						(uint32_t)distance};

		if (!na_add(&x->rows, r) || !na_add(&x->connections, c))
			return false;
	}
	x->in = (struct na_judge_input){
		hosts,	       racks,	 x->connections.n, x->rows.n,
		x->connections.v, x->racks.v, x->rows.v, clocks != 0};
	return true;
}

static void print_level(const struct na_j_level *v, size_t table, size_t view)
{
	printf("table %zu %zu %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g "
	       "%.17g %.17g %.17g\n",
	       table, view, v->unit_coll, v->spread, v->nu, v->nu_connection,
	       v->side[0].tau, v->side[1].tau, v->side[0].tau_coll,
	       v->side[1].tau_coll, v->side[0].nu, v->side[1].nu, v->mu);
	for (size_t u = 0; u < v->n; u++) {
		const struct na_j_unit *x = &v->units[u];

		printf("unit %zu %zu %u %u %u %.17g %.17g %.17g %.17g\n", table,
		       view, x->host[0], x->host[1], x->coll, x->centre0, x->se,
		       x->scale, x->own);
	}
}

static void print_rows(const struct na_j_rows *rows, const char *when)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct na_j_row *r = &rows->v[i];

		if (r->there)
			printf("%s %s %d %d %.17g %s %.17g\n", when,
			       causes[r->place.cause], (int)r->place.a,
			       (int)r->place.b, r->odds,
			       mechanisms[r->mechanism], r->effect);
	}
}

static void print_state(const struct na_judge_input *in)
{
	struct na_j_session s;
	struct na_j_decision d;
	struct na_j_rows rows;
	struct na_arena mem = {0};

	if (!na_j_session_init(&s, in) || !na_j_decision_init(&d, &s) ||
	    !na_j_rows_init(&rows, &d, &mem) || !na_j_gains(&d, &rows))
		abort();
	printf("kappa %.17g\nclock %.17g\nlate %.17g\n", s.kappa, s.clock_se,
	       d.late.spread);
	for (size_t t = 0; t < d.n_tables; t++)
		for (size_t i = 0; i < s.n_views; i++)
			print_level(&d.level[t][i], t, i);
	print_rows(&rows, "row");
	na_arena_fini(&mem);
	na_j_decision_fini(&d);
	na_j_session_fini(&s);
}

static void print_result(const struct na_judge_result *r)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct na_judge_finding *f = &r->findings[i];

		printf("found %s %d %d %.17g %.17g %s %.17g alts",
		       causes[f->place.cause], (int)f->place.a,
		       (int)f->place.b, f->log_odds, f->effect,
		       mechanisms[f->mechanism], f->posterior);
		for (size_t k = 0; k < f->n_alternatives; k++)
			printf(" %s:%d:%d",
			       causes[f->alternatives[k].place.cause],
			       (int)f->alternatives[k].place.a,
			       (int)f->alternatives[k].place.b);
		printf(" interval %.4g %.4g pairs %zu transfers %llu late %llu\n",
		       f->low, f->high, f->pairs,
		       (unsigned long long)f->transfers,
		       (unsigned long long)f->late);
	}
	printf("outcome %d nobody %.17g upper %.17g\n", (int)r->outcome,
	       r->nobody, r->upper);
}

int main(int argc, char **argv)
{
	struct input x = {0};
	struct na_judge_result result;
	struct na_err err = {NA_OK};
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;

	if (!f || !read_input(&x, f)) {
		fputs("peer FILE [-v]\n", stderr);
		return 1;
	}
	fclose(f);
	if (argc > 2)
		print_state(&x.in);
	if (na_judge(&x.in, &result, &err) != NA_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	print_result(&result);
	na_judge_result_fini(&result);
	na_vec_free(&x.connections);
	na_vec_free(&x.rows);
	na_vec_free(&x.racks);
	return 0;
}

/*
 * Asks the judge about a fleet: a connection for each pair of hosts, a row for
 * each transfer.  Without the locality neither racks nor distances are known.
 */
#include <stdio.h>
#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/score.h"

static void fill_pair(const struct fl_fleet *f, uint32_t pair,
		      struct fl_mode mode, struct na_judge_connection *c,
		      struct na_judge_row *rows)
{
	const struct fl_pair *p = &f->pairs[pair];

	*c = (struct na_judge_connection){
		.src = p->src,
		.dst = p->dst,
		.src_dev = p->src,
		.dst_dev = p->dst,
		.distance = mode.locality ? p->locality : 0};
	for (size_t i = p->first; i < p->first + p->n; i++) {
		const struct fl_transfer *t = &f->transfers[i];

		rows[i] = (struct na_judge_row){
			.start_us = mode.one_clock ? t->own_start_us
						   : t->start_us,
			.took_us = mode.one_clock ? t->own_us : t->latency_us,
			.size_bytes = t->size_bytes,
			.connection = pair,
			.collective = t->collective,
			.step = t->step};
	}
}

static bool ask(const struct fl_fleet *f, struct fl_mode mode,
		struct na_judge_result *r, struct na_err *err)
{
	struct na_judge_connection *c = na_calloc(f->n_pairs, sizeof(*c));
	struct na_judge_row *rows = na_calloc(f->n_transfers, sizeof(*rows));
	bool racks = mode.locality && !f->one_class && f->n_racks > 1;
	struct na_judge_input in = {.n_hosts = f->n_hosts,
				    .n_racks = racks ? f->n_racks : 0,
				    .n_connections = f->n_pairs,
				    .n_rows = f->n_transfers,
				    .connections = c,
				    .rack_of = f->rack_of,
				    .rows = rows,
				    .two_clocks = !mode.one_clock};
	bool ok = c && rows;

	for (uint32_t p = 0; ok && p < f->n_pairs; p++)
		fill_pair(f, p, mode, &c[p], rows);
	ok = ok && na_judge(&in, r, err) == NA_OK;
	free(c);
	free(rows);
	return ok;
}

bool fl_score(const struct fl_fleet *f, struct fl_mode mode,
	      struct fl_score *out)
{
	struct na_judge_result r = {0};
	struct na_err err = {0};
	struct na_place z;
	bool ok = ask(f, mode, &r, &err) && fl_largest_z(f, &z);

	if (ok) {
		fl_compare(f, &r, out);
		fl_compare_z(f, z, out);
	} else
		fprintf(stderr, "accuracy: seed %llu: %s\n",
			(unsigned long long)f->seed,
			err.text[0] ? err.text : "out of memory");
	na_judge_result_fini(&r);
	return ok;
}

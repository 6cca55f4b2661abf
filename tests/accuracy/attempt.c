#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "tests/accuracy/score.h"

bool fl_score(const struct fl_fleet *f, struct fl_mode mode,
	      struct fl_score *out)
{
	struct na_lz_transfer *t = na_calloc(f->n_transfers, sizeof(*t));
	struct na_lz_pair *p = na_calloc(f->n_pairs, sizeof(*p));
	struct na_lz_input in = {.n_hosts = f->n_hosts,
				 .n_pairs = f->n_pairs,
				 .n_transfers = f->n_transfers,
				 .n_moments = f->n_moments,
				 .pairs = p,
				 .transfers = t,
				 .moments = f->moments,
				 .tick_us = FL_TICK_US,
				 .locality_given = mode.locality};
	struct na_lz_options opt = {.off = mode.off};
	struct na_lz_result r = {0};
	struct na_err err = {0};
	struct na_lz_who z;
	bool ok = t && p;

	if (ok) {
		memcpy(t, f->transfers, f->n_transfers * sizeof(*t));
		memcpy(p, f->pairs, f->n_pairs * sizeof(*p));
		for (size_t i = 0; !mode.locality && i < f->n_pairs; i++)
			p[i].locality = 0;
		ok = na_localise(&in, &opt, &r, &err) == NA_OK;
	}
	ok = ok && fl_largest_z(f, &z);
	if (ok) {
		fl_compare(f, &r, out);
		fl_compare_z(f, z, out);
	} else
		fprintf(stderr, "accuracy: seed %llu: %s\n",
			(unsigned long long)f->seed,
			err.text[0] ? err.text : "out of memory");
	na_lz_result_fini(&r);
	free(t);
	free(p);
	return ok;
}

/* The parts of the method in their order. */
#include "netan/methods/localise/localise.h"

#include <stdlib.h>

#include "netan/base/vec.h"
#include "netan/methods/localise/state.h"

#define ALPHA 0.01

const char *const na_lz_part_names[NA_LZ_PARTS] = {
#define NA_LZ_PART(name, text) text,
#include "netan/methods/localise/parts.def"
#undef NA_LZ_PART
};

/* Baseline and clocks need each other: twice. */
static enum na_status baseline(struct lz *z, struct na_err *err)
{
	enum na_status s = NA_OK;
	bool fixed = lz_on(z, NA_LZ_PART_CLOCKS) && z->pairs >= LZ_MIN_PAIRS;

	if (lz_on(z, NA_LZ_PART_WAITS))
		s = na_lz_waits(z, err);
	if (s == NA_OK)
		s = na_lz_baseline_sample(z, err);
	if (s == NA_OK)
		s = na_lz_baseline_fit(z, err);
	for (int round = 0; s == NA_OK && fixed && round < 2; round++) {
		s = na_lz_clocks(z, &fixed, err);
		if (s == NA_OK && fixed && z->waited_us)
			s = na_lz_waits(z, err);
		if (s == NA_OK && fixed)
			s = na_lz_baseline_fit(z, err);
	}
	if (s == NA_OK)
		s = na_lz_clocks_report(z, err);
	if (s == NA_OK)
		s = na_lz_residuals(z, err);
	if (s == NA_OK && lz_on(z, NA_LZ_PART_FLUID))
		s = na_lz_fluid(z, err);
	if (s == NA_OK && lz_on(z, NA_LZ_PART_FLUID))
		s = na_lz_fluid_residuals(z, err);
	/* Nobody looks at it again. */
	free(z->base.sample);
	z->base.sample = NULL;
	z->base.n_sample = 0;
	return s;
}

/* One channel of sides and paths. */
static enum na_status channel(struct lz *z, enum na_lz_channel which,
			      struct lz_view *v, struct lz_explain *x,
			      struct na_err *err)
{
	enum na_status s = na_lz_view_init(v, z, which, err);

	if (s == NA_OK && z->pairs >= LZ_MIN_PAIRS)
		s = na_lz_explain(x, z, v, err);
	return s;
}

/* What channels of sides and paths have found, and of all pairs what others
 * look at later. */
static enum na_status sum_up(struct lz *z, struct lz_explain *all,
			     struct lz_explain *large, struct na_err *err)
{
	enum na_status s = na_lz_explain_report(z, all, err);

	if (s == NA_OK && lz_on(z, NA_LZ_PART_LARGE))
		s = na_lz_explain_report(z, large, err);
	return s == NA_OK ? na_lz_bases(z, all, large, err) : s;
}

static enum na_status search_all(struct lz *z, const struct lz_explain *large,
				 struct na_err *err)
{
	enum na_status s = na_lz_tails_find(z, err);

	if (s == NA_OK && lz_on(z, NA_LZ_PART_RATE))
		s = na_lz_rate(z, err);
	if (s == NA_OK && lz_on(z, NA_LZ_PART_WINDOW))
		s = na_lz_window(z, err);
	if (s == NA_OK && lz_on(z, NA_LZ_PART_RACK_LINKS))
		s = na_lz_rack_links(z, large, err);
	if (s == NA_OK)
		s = na_lz_verdict(z, err);
	return s;
}

static enum na_status run(struct lz *z, struct na_err *err)
{
	struct lz_view all_view = {0}, large_view = {0};
	struct lz_explain all = {0}, large = {0};
	enum na_status s = NA_OK;

	if (!na_lz_index_pairs(z))
		s = na_fail_nomem(err);
	if (s == NA_OK)
		s = na_lz_racks_find(z, err);
	if (s == NA_OK)
		s = baseline(z, err);
	if (s == NA_OK)
		s = channel(z, NA_LZ_ALL, &all_view, &all, err);
	if (s == NA_OK)
		s = channel(z, NA_LZ_LARGE, &large_view, &large, err);
	if (s == NA_OK && z->pairs >= LZ_MIN_PAIRS)
		s = sum_up(z, &all, &large, err);
	na_lz_explain_fini(&all);
	free(all_view.fluid);
	all_view.fluid = NULL;
	if (s == NA_OK)
		s = na_lz_pair_list(z, &all_view, err);
	na_lz_view_fini(&all_view);
	if (s == NA_OK && z->pairs >= LZ_MIN_PAIRS)
		s = search_all(z, &large, err);
	else
		z->out->too_few = true;
	na_lz_explain_fini(&large);
	na_lz_view_fini(&large_view);
	return s;
}

enum na_status na_localise(const struct na_lz_input *in,
			   const struct na_lz_options *opt,
			   struct na_lz_result *out, struct na_err *err)
{
	struct lz z = {.in = in, .opt = opt, .out = out};
	enum na_status s;

	*out = (struct na_lz_result){0};
	z.alpha = opt->alpha > 0 ? opt->alpha : ALPHA;
	z.tick_us = in->tick_us > 0 ? in->tick_us : 1;
	s = run(&z, err);
	na_lz_fini(&z);
	return s;
}

struct na_lz_undecided *na_lz_undecided_add(struct na_lz_result *r,
					    const char *what, const char *needs,
					    size_t n)
{
	uint32_t *pairs = na_calloc(n, sizeof(*pairs));
	struct na_lz_undecided *more = NULL;

	if (pairs)
		more = realloc(r->undecided,
			       (r->n_undecided + 1) * sizeof(*more));
	if (!more) {
		free(pairs);
		return NULL;
	}
	r->undecided = more;
	more += r->n_undecided++;
	*more = (struct na_lz_undecided){
		.what = what, .needs = needs, .pairs = pairs};
	return more;
}

void na_lz_undecided_clear(struct na_lz_result *r)
{
	for (size_t i = 0; i < r->n_undecided; i++)
		free(r->undecided[i].pairs);
	r->n_undecided = 0;
}

void na_lz_result_fini(struct na_lz_result *r)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		free(r->findings[i].windows);
		free(r->findings[i].alternatives);
	}
	na_lz_undecided_clear(r);
	free(r->findings);
	free(r->clocks);
	free(r->stalls);
	free(r->undecided);
	free(r->pairs);
	free(r->power);
	free(r->rack_of);
	*r = (struct na_lz_result){0};
}

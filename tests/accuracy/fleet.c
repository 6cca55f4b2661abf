#include "tests/accuracy/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

/* clang-format off */
#define SINGLE(name, kind, how) {name, FL_SINGLE, NA_JUDGE_##kind, FL_##how}
#define HEALTHY {"healthy", FL_HEALTHY, NA_JUDGE_SRC, FL_SLOW}
#define SKEWED  {"skewed clock", FL_SKEWED, NA_JUDGE_SRC, FL_SLOW}
#define SEVERAL {"several", FL_SEVERAL, NA_JUDGE_SRC, FL_SLOW}
#define SINGLES_A \
	SINGLE("slow tx", SRC, SLOW), SINGLE("slow rx", DST, SLOW), \
	SINGLE("slow host", HOST, SLOW), SINGLE("slow path", PAIR, SLOW)
#define SINGLES_B \
	SINGLE("capped tx", SRC, CAP), SINGLE("capped rx", DST, CAP), \
	SINGLE("capped path", PAIR, CAP), SINGLE("tails tx", SRC, TAILS)
#define SINGLES_C \
	SINGLE("tails rx", DST, TAILS), SINGLE("tails path", PAIR, TAILS), \
	SINGLE("windows tx", SRC, WINDOWS), SINGLE("windows rx", DST, WINDOWS)

static const struct fl_case statistical[] = {
	HEALTHY, SINGLES_A, SKEWED, SEVERAL,
	HEALTHY, SINGLES_B, SKEWED, SEVERAL,
	HEALTHY, SINGLES_C, SKEWED, SEVERAL,
	HEALTHY, SINGLE("windows host", HOST, WINDOWS),
	SINGLE("tails host", HOST, TAILS), SKEWED,
};

static const struct fl_case queueing[] = {
	HEALTHY, SINGLES_A, SKEWED, SEVERAL,
	HEALTHY, SINGLES_B, SKEWED, SEVERAL,
	HEALTHY, SINGLES_C, SKEWED,
	HEALTHY, SINGLE("capped host", HOST, CAP),
	SINGLE("rack uplink", RACK_UPLINK, CAP),
	SINGLE("rack downlink", RACK_DOWNLINK, CAP),
	SINGLE("rack pair", RACK_PAIR, CAP),
};
/* clang-format on */

const struct fl_case *fl_cases(enum fl_generator g, size_t *n)
{
	if (g == FL_STATISTICAL) {
		*n = sizeof(statistical) / sizeof(*statistical);
		return statistical;
	}
	*n = sizeof(queueing) / sizeof(*queueing);
	return queueing;
}

bool fl_add(struct fl_fleet *f, const struct fl_record *r)
{
	if (!na_grow(&f->records, &f->cap, f->n_transfers + 1,
		     sizeof(*f->records)))
		return false;
	f->records[f->n_transfers] = *r;
	f->records[f->n_transfers].order = (uint32_t)f->n_transfers;
	f->n_transfers++;
	return true;
}

uint32_t fl_locality(const struct fl_fleet *f, uint32_t src, uint32_t dst)
{
	uint32_t a = f->rack_of[src], b = f->rack_of[dst];

	if (f->one_class || a == b)
		return 0;
	if (f->racks_per_zone == 0)
		return 1;
	return a / f->racks_per_zone == b / f->racks_per_zone ? 1 : 2;
}

bool fl_is_rack(enum na_judge_cause kind)
{
	return kind == NA_JUDGE_RACK_UPLINK || kind == NA_JUDGE_RACK_DOWNLINK ||
	       kind == NA_JUDGE_RACK_PAIR;
}

bool fl_passes(const struct na_place *who, uint32_t src, uint32_t dst)
{
	switch (who->cause) {
	case NA_JUDGE_SRC:
		return src == who->a;
	case NA_JUDGE_DST:
		return dst == who->a;
	case NA_JUDGE_HOST:
		return src == who->a || dst == who->a;
	case NA_JUDGE_PAIR:
		return src == who->a && dst == who->b;
	default:
		return false;
	}
}

/* ---- truths */

static struct na_place draw_who(const struct fl_fleet *f, struct na_rng *rng,
				enum na_judge_cause kind,
				const struct fl_path *paths, size_t n_paths)
{
	const struct fl_path *p = &paths[na_rng_below(rng, n_paths)];
	struct na_place who = {kind, 0, 0};

	switch (kind) {
	case NA_JUDGE_DST:
		who.a = p->dst;
		break;
	case NA_JUDGE_PAIR:
		who.a = p->src;
		who.b = p->dst;
		break;
	case NA_JUDGE_RACK_UPLINK:
	case NA_JUDGE_RACK_DOWNLINK:
	case NA_JUDGE_RACK_PAIR:
		who.a = fl_pick(rng, f->n_racks);
		if (kind == NA_JUDGE_RACK_PAIR)
			who.b = (who.a + 1 + fl_pick(rng, f->n_racks - 1)) %
				f->n_racks;
		break;
	default:
		who.a = p->src;
	}
	return who;
}

static bool share_hosts(const struct na_place *x, const struct na_place *y)
{
	bool pair_x = x->cause == NA_JUDGE_PAIR,
	     pair_y = y->cause == NA_JUDGE_PAIR;

	return x->a == y->a || (pair_x && x->b == y->a) ||
	       (pair_y && x->a == y->b) || (pair_x && pair_y && x->b == y->b);
}

static bool is_new(const struct fl_fleet *f, const struct na_place *who)
{
	for (size_t i = 0; i < f->n_truths; i++)
		if (share_hosts(&f->truths[i].who, who))
			return false;
	return true;
}

static struct fl_truth draw_truth(struct fl_fleet *f, struct na_rng *rng,
				  enum na_judge_cause kind, enum fl_how how)
{
	static const double factors[] = {1.5, 1.5, 2, 2, 2.5, 3, 4, 6};
	struct fl_truth t = {.how = how, .who.cause = kind};

	t.factor = factors[fl_pick(rng, 8)] * fl_between(rng, 1, 1.1);
	if (f->generator == FL_QUEUEING)
		t.factor = fl_log_between(rng, 1.7, 10);
	if (how == FL_TAILS)
		t.share = fl_log_between(rng, 0.003, 0.06);
	return t;
}

static void draw_several(struct fl_fleet *f, struct na_rng *rng,
			 const struct fl_path *paths, size_t n_paths)
{
	static const enum na_judge_cause kinds[] = {NA_JUDGE_SRC, NA_JUDGE_DST,
					      NA_JUDGE_HOST, NA_JUDGE_PAIR};
	static const enum fl_how hows[] = {FL_SLOW, FL_SLOW, FL_CAP, FL_TAILS};
	uint32_t want = 2 + fl_pick(rng, FL_TRUTHS - 1);

	for (int tries = 0; f->n_truths < want && tries < 50; tries++) {
		enum na_judge_cause kind = kinds[fl_pick(rng, 4)];
		struct fl_truth t = draw_truth(f, rng, kind,
					       hows[fl_pick(rng, 4)]);

		t.who = draw_who(f, rng, kind, paths, n_paths);
		if (is_new(f, &t.who))
			f->truths[f->n_truths++] = t;
	}
}

static void draw_skew(struct fl_fleet *f, struct na_rng *rng,
		      const struct fl_path *paths, size_t n_paths)
{
	f->skewed = paths[na_rng_below(rng, n_paths)].src;
	f->ahead_us = fl_log_between(rng, 40, 4000);
	if (fl_chance(rng, 0.5))
		f->ahead_us = -f->ahead_us;
}

void fl_draw_truths(struct fl_fleet *f, struct na_rng *rng,
		    const struct fl_path *paths, size_t n_paths)
{
	const struct fl_case *c = f->plan;

	if (c->plan == FL_SKEWED)
		draw_skew(f, rng, paths, n_paths);
	if (c->plan == FL_SEVERAL)
		draw_several(f, rng, paths, n_paths);
	if (c->plan != FL_SINGLE)
		return;
	f->truths[0] = draw_truth(f, rng, c->kind, c->how);
	f->truths[0].who = draw_who(f, rng, c->kind, paths, n_paths);
	f->n_truths = 1;
}

/* One to four runs of steps, 10 to 35 % of all. */
void fl_draw_windows(struct na_rng *rng, bool *on, uint32_t n_steps)
{
	double share = fl_between(rng, 0.10, 0.35);
	uint32_t runs = 1 + fl_pick(rng, 4);
	uint32_t len = (uint32_t)(share * n_steps / runs + 0.5);

	for (uint32_t k = 0; k < runs; k++) {
		uint32_t from = fl_pick(rng, n_steps);

		for (uint32_t i = 0; i < (len ? len : 1); i++)
			on[(from + i) % n_steps] = true;
	}
}

/* Section 1.8: enough of it to be found by anybody. */
static void judge(const struct fl_fleet *f, struct fl_truth *t)
{
	bool slow = f->generator == FL_STATISTICAL ? t->factor >= 2
						   : t->ratio >= 1.5;

	if (t->how == FL_TAILS)
		t->enough = t->tails >= 8;
	else
		t->enough = t->affected >= (t->how == FL_WINDOWS ? 150 : 60);
	t->enough = t->enough && f->n_hosts >= 8;
	t->well_posed = t->enough && (slow || t->how == FL_TAILS);
}

/* ---- records to input */

static int by_pair(const void *a, const void *b)
{
	const struct fl_record *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	if (x->dst != y->dst)
		return x->dst < y->dst ? -1 : 1;
	if (x->end_us < y->end_us || x->end_us > y->end_us)
		return x->end_us < y->end_us ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* What a receive says: whole microseconds, nothing below 0. */
static double seen_us(const struct fl_fleet *f, const struct fl_record *r)
{
	double us = r->latency_us;

	if (r->dst == f->skewed)
		us += f->ahead_us;
	if (r->src == f->skewed)
		us -= f->ahead_us;
	return us < 0 ? 0 : floor(us);
}

/* When it began, by the clock of its sender. */
static double start_us(const struct fl_fleet *f, const struct fl_record *r,
		       double took_us)
{
	double us = r->end_us - took_us;

	return r->src == f->skewed ? us + f->ahead_us : us;
}

static void fill_transfer(const struct fl_fleet *f, size_t i)
{
	const struct fl_record *r = &f->records[i];

	f->transfers[i] =
		(struct fl_transfer){.start_us = start_us(f, r, r->latency_us),
				     .latency_us = seen_us(f, r),
				     .own_start_us = start_us(f, r, r->own_us),
				     .own_us = r->own_us,
				     .size_bytes = (float)r->bytes,
				     .collective = r->collective,
				     .step = r->step};
}

static bool finish(struct fl_fleet *f)
{
	qsort(f->records, f->n_transfers, sizeof(*f->records), by_pair);
	f->transfers = na_calloc(f->n_transfers, sizeof(*f->transfers));
	f->pairs = na_calloc(f->n_transfers, sizeof(*f->pairs));
	if (!f->transfers || !f->pairs)
		return false;
	for (size_t i = 0; i < f->n_transfers; i++) {
		const struct fl_record *r = &f->records[i];
		struct fl_pair *p = f->pairs + f->n_pairs;

		if (i == 0 || p[-1].src != r->src || p[-1].dst != r->dst) {
			*p = (struct fl_pair){
				.src = r->src,
				.dst = r->dst,
				.locality = fl_locality(f, r->src, r->dst),
				.first = i};
			f->n_pairs++;
		}
		f->pairs[f->n_pairs - 1].n++;
		fill_transfer(f, i);
	}
	for (size_t i = 0; i < f->n_truths; i++)
		judge(f, &f->truths[i]);
	return true;
}

bool fl_make_case(enum fl_generator g, uint64_t seed, const struct fl_case *c,
		  struct fl_fleet *out)
{
	struct na_rng rng;

	*out = (struct fl_fleet){.generator = g,
				 .plan = c,
				 .seed = seed,
				 .skewed = FL_NONE};
	na_rng_seed(&rng, seed);
	if (g == FL_QUEUEING)
		return fl_queueing(out, &rng) && finish(out);
	return fl_statistical(out, &rng) && finish(out);
}

bool fl_make(enum fl_generator g, uint64_t seed, uint32_t index,
	     struct fl_fleet *out)
{
	size_t n;
	const struct fl_case *cases = fl_cases(g, &n);

	return fl_make_case(g, fl_hash(seed + (uint64_t)g, index),
			    &cases[index % n], out);
}

void fl_fini(struct fl_fleet *f)
{
	free(f->rack_of);
	free(f->pairs);
	free(f->transfers);
	free(f->records);
}

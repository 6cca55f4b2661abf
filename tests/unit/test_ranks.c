/*
 * Operations joined over ranks, on jobs that are played here with known
 * operations: what belongs together, who comes last and by how much is
 * computed from the play, not from what is told of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "netan/methods/ranks/ranks.h"
#include "netan/synth/rng.h"
#include "tests/unit/hand_drive.h"

#define US NA_PS_PER_US
#define MS (1000 * US)

enum { RANKS = 8, MOST = 4096, OPS = 1024 };

struct told { /* a record, and the operation it is of */
	struct na_comm x;
	const char *group;
	int op, rank;
};

struct play {
	struct hand h;
	struct na_rng rng;
	struct na_ranks r;
	struct na_comm *comms;
	struct na_span steps[512];
	struct told told[MOST];
	size_t n, n_steps;
	int n_ranks, per_host, n_ops;
	int64_t now[RANKS], ahead[RANKS], drift_ppb[RANKS]; /* by host */
	int64_t sequence[OPS]; /* by group, hashed by its first two letters */
	bool sequences, listed, no_group;
	int64_t jitter_ps; /* of ends */
};

static int64_t below(struct play *p, int64_t n)
{
	return (int64_t)na_rng_below(&p->rng, (uint64_t)n);
}

static int host_of(const struct play *p, int rank)
{
	return rank / p->per_host;
}

/* What the clock of a rank's host shows. */
static int64_t shown(const struct play *p, int rank, int64_t ps)
{
	int h = host_of(p, rank);

	return ps + p->ahead[h] + ps / 1000000000 * p->drift_ppb[h];
}

static void play_init(struct play *p, uint64_t seed, int n_ranks, int per_host)
{
	memset(p, 0, sizeof(*p));
	na_rng_seed(&p->rng, seed);
	p->n_ranks = n_ranks;
	p->per_host = per_host;
	p->listed = true;
	p->jitter_ps = 2 * US;
	hand_init(&p->h, (size_t)((n_ranks + per_host - 1) / per_host), NULL);
}

static void tell(struct play *p, int rank, const char *group, uint8_t operation,
		 int64_t from, int64_t to, int64_t sequence, uint64_t size,
		 int op, int peer, int group_size)
{
	assert_true(p->n < MOST);
	p->told[p->n++] =
		(struct told){.x = {.start_ps = shown(p, rank, from),
				    .end_ps = shown(p, rank, to),
				    .sequence = p->sequences ? sequence : -1,
				    .size_bytes = size,
				    .group_size = (uint32_t)group_size,
				    .type = NA_UNKNOWN_U32,
				    .stream = 7,
				    .peer = peer,
				    .operation = operation},
			      .group = p->no_group ? NULL : group,
			      .op = op,
			      .rank = rank};
}

/* All of `who` come after `work` each and leave together. */
static void together(struct play *p, const int *who, int n, const char *group,
		     uint8_t operation, int64_t transfer)
{
	int64_t last = NA_TIME_MIN, *count;
	int op = p->n_ops++;

	count = &p->sequence[(group[0] * 31 + group[1] * 7 + group[2]) % OPS];
	++*count;
	for (int i = 0; i < n; i++)
		last = p->now[who[i]] > last ? p->now[who[i]] : last;
	for (int i = 0; i < n; i++) {
		int64_t end = last + transfer + below(p, p->jitter_ps + 1);

		tell(p, who[i], group, operation, p->now[who[i]], end, *count,
		     (uint64_t)(4096 * (1 + op % 3)), op, -1, n);
		p->now[who[i]] = end;
	}
}

static void work(struct play *p, int rank, int64_t ps)
{
	p->now[rank] += ps + below(p, 100 * US);
}

static void step(struct play *p, int64_t number)
{
	for (int i = 0; i < p->n_ranks; i++) {
		assert_true(p->n_steps < NA_LEN(p->steps));
		p->steps[p->n_steps++] =
			(struct na_span){.kind = NA_SPAN_STEP,
					 .number = number,
					 .start_ps = shown(p, i, p->now[i] + 1),
					 .end_ps = shown(p, i, p->now[i] + 2),
					 .plane = i,
					 .device = NA_DEVICE_RANK};
	}
}

static void put_source(struct play *p, int host)
{
	struct na_part part;
	struct na_sink s;

	na_part_init(&part, &p->h.store.pool, &p->h.filter,
		     NA_WANT_COMMS | NA_WANT_STEPS);
	s = na_part_sink(&part);
	for (int i = 0; i < p->n_ranks; i++) {
		if (host_of(p, i) == host)
			s.core(s.ctx, NA_DEVICE_RANK, i);
	}
	for (size_t i = 0; i < p->n_steps; i++) {
		struct na_span x = p->steps[i];

		x.name = s.name(s.ctx, "step", 4);
		if (host_of(p, x.plane) == host)
			assert_int_equal(s.span(s.ctx, &x), NA_OK);
	}
	for (size_t i = 0; i < p->n; i++) {
		struct na_comm x = p->told[i].x;
		const char *g = p->told[i].group;

		if (host_of(p, p->told[i].rank) != host)
			continue;
		x.core = s.core(s.ctx, NA_DEVICE_RANK,
					  p->told[i].rank);
		x.group = g ? s.name(s.ctx, g, strlen(g)) : NA_UNKNOWN_U32;
		assert_int_equal(s.comm(s.ctx, &x), NA_OK);
	}
	assert_int_equal(na_store_take(&p->h.store, &part, (size_t)host,
				       &p->h.err),
			 NA_OK);
	na_part_fini(&part);
}

static struct na_span *spans_of(const struct na_store *s, size_t *n)
{
	struct na_span *x = na_calloc(s->spans.n + 1, sizeof(*x));

	*n = 0;
	na_each_record (struct na_span, y, &s->spans)
		x[(*n)++] = *y;
	return x;
}

static void join(struct play *p)
{
	struct na_span *steps;
	size_t n = 0;

	for (int h = 0; h * p->per_host < p->n_ranks; h++)
		put_source(p, h);
	hand_resolve(&p->h, NA_ANCHOR_AUTO);
	p->comms = na_calloc(p->n + 1, sizeof(*p->comms));
	na_each_record (struct na_comm, x, &p->h.store.comms)
		p->comms[n++] = *x;
	assert_int_equal(n, p->n);
	p->r.store = &p->h.store;
	p->r.comms = p->comms;
	p->r.n_comms = n;
	steps = spans_of(&p->h.store, &p->r.n_steps);
	p->r.steps = steps;
	assert_true(na_ranks_join(&p->r));
	free(steps);
}

static void play_fini(struct play *p)
{
	na_ranks_fini(&p->r);
	free(p->comms);
	hand_fini(&p->h);
}

/* The operation that a part is really of: by rank and time told. */
static const struct told *truth_of(const struct play *p,
				   const struct na_rank_part *part)
{
	const struct na_comm *c = &p->comms[part->comm];
	int rank = p->h.store.devices.cores[c->core].number;

	for (size_t i = 0; i < p->n; i++) {
		if (p->told[i].rank == rank &&
		    p->told[i].x.start_ps == c->start_ps &&
		    p->told[i].x.end_ps == c->end_ps)
			return &p->told[i];
	}
	fail_msg("no such record");
	return NULL;
}

/* Real time of what a clock shows. */
static int64_t real(const struct play *p, const struct told *t, int64_t at)
{
	int h = host_of(p, t->rank);
	int64_t ps = at - p->ahead[h];

	return ps - ps / 1000000000 * p->drift_ppb[h];
}

/* Each instance against all records of its real operation. */
static void check_instances(const struct play *p, int64_t tolerance)
{
	for (size_t i = 0; i < p->r.instances.n; i++) {
		const struct na_rank_instance *x = &p->r.instances.v[i];
		int op = truth_of(p, &p->r.parts.v[x->from])->op, last = -1;
		int64_t first_ps = NA_TIME_MAX, last_ps = NA_TIME_MIN;
		int64_t second_ps = NA_TIME_MIN, least = NA_TIME_MAX;
		size_t n = 0;

		for (size_t k = x->from; k < x->to; k++)
			assert_int_equal(truth_of(p, &p->r.parts.v[k])->op, op);
		for (size_t k = 0; k < p->n; k++) {
			const struct told *t = &p->told[k];
			int64_t at = real(p, t, t->x.start_ps);

			if (t->op != op)
				continue;
			n++;
			if (at > last_ps) {
				second_ps = last_ps;
				last_ps = at;
				last = t->rank;
			} else if (at > second_ps) {
				second_ps = at;
			}
			first_ps = at < first_ps ? at : first_ps;
			if (t->x.end_ps - t->x.start_ps < least)
				least = t->x.end_ps - t->x.start_ps;
		}
		assert_int_equal(n, x->to - x->from);
		assert_true(llabs(x->skew_ps - (last_ps - first_ps)) <=
			    tolerance);
		assert_true(llabs(x->transfer_ps - least) <= tolerance);
		if (last_ps - second_ps > tolerance)
			assert_int_equal(p->r.ranks.v[x->last].number, last);
	}
}

static const int all_ranks[RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};

static void play_world(struct play *p, int steps, bool nested)
{
	for (int s = 0; s < steps; s++) {
		step(p, 10 + s);
		for (int i = 0; i < p->n_ranks; i++)
			work(p, i, 2 * MS);
		for (int i = 0; nested && i + 1 < p->n_ranks; i += 2) {
			static const char *const names[] = {"0,1", "2,3", "4,5",
							    "6,7"};

			together(p, &all_ranks[i], 2, names[i / 2],
				 NA_OPCODE_ALL_GATHER, 50 * US);
			work(p, i, MS);
			work(p, i + 1, MS);
		}
		together(p, all_ranks, p->n_ranks,
			 p->n_ranks == 8 ? "0,1,2,3,4,5,6,7" : "0,1,2,3",
			 NA_OPCODE_ALL_REDUCE, 300 * US);
	}
}

static void random_jobs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct play *p = na_calloc(1, sizeof(*p));

		play_init(p, seed, seed % 2 ? 8 : 4, 1 + (int)(seed % 3));
		p->sequences = seed % 5 == 0;
		for (int h = 0; h < RANKS; h++) {
			p->ahead[h] = below(p, 10 * MS) - 5 * MS;
			if (seed % 4 == 0)
				p->drift_ppb[h] = below(p, 20000) - 10000;
		}
		play_world(p, 20, seed % 3 != 0);
		join(p);
		assert_int_equal(p->r.instances.n, p->n_ops);
		assert_int_equal(p->r.instances_by[NA_RANK_BY_SEQUENCE],
				 p->sequences ? p->n_ops : 0);
		for (int k = 0; k < NA_N_RANK_APARTS; k++)
			assert_int_equal(p->r.unjoined[k], 0);
		/* Ends tell clocks as well as they agree. */
		check_instances(p, 12 * US);
		play_fini(p);
		free(p);
	}
}

static void one_clock_is_taken_as_it_is(void **state)
{
	struct play *p = na_calloc(1, sizeof(*p));

	(void)state;
	play_init(p, 7, 8, 1);
	play_world(p, 10, true);
	join(p);
	assert_int_equal(p->r.clocks_from_ends, 0);
	check_instances(p, 0);
	play_fini(p);
	free(p);
}

/* Ranges on CPUs end apart: that neither moves clocks nor parts a join, until
 * somebody would leave before another comes. */
static void ranges_on_cpus(void **state)
{
	for (int64_t ahead = 0; ahead < 2; ahead++) {
		struct play *p = na_calloc(1, sizeof(*p));

		(void)state;
		play_init(p, 19, 4, 1);
		p->jitter_ps = 2 * MS;
		p->ahead[1] = ahead * 50 * MS;
		play_world(p, 10, false);
		for (size_t i = 0; i < p->n; i++)
			p->told[i].x.source = NA_COMM_CPU;
		p->told[20].x.end_ps += 60 * MS;
		join(p);
		assert_int_equal(p->r.clocks_from_ends > 0, ahead);
		assert_int_equal(p->r.instances.n, 10);
		check_instances(p, ahead ? 4 * MS : 0);
		play_fini(p);
		free(p);
	}
}

/* Whom they go to is not known: no collective of the group. */
static void sends_without_peer(void **state)
{
	struct play *p = na_calloc(1, sizeof(*p));

	(void)state;
	play_init(p, 23, 2, 1);
	for (int r = 0; r < 2; r++) {
		tell(p, r, "0,1", NA_OPCODE_SEND, MS, 2 * MS, 0, 64, 0, -1, 2);
		tell(p, r, "0,1", NA_OPCODE_RECV, MS, 2 * MS, 0, 64, 1, -1, 2);
	}
	join(p);
	assert_int_equal(p->r.instances.n, 0);
	assert_int_equal(p->r.unjoined[NA_RANK_COUNTS], 4);
	play_fini(p);
	free(p);
}

static void kernels_without_group(void **state)
{
	(void)state;
	for (int lose = 0; lose < 2; lose++) {
		struct play *p = na_calloc(1, sizeof(*p));

		play_init(p, 3, 4, 1);
		p->no_group = true;
		play_world(p, 6, false);
		if (lose) /* a record of the middle */
			p->told[12] = p->told[--p->n];
		join(p);
		assert_int_equal(p->r.instances.n, lose ? 0 : 6);
		assert_int_equal(p->r.unjoined[NA_RANK_COUNTS],
				 lose ? p->n : 0);
		play_fini(p);
		free(p);
	}
}

/* What begins before the anchor on some ranks alone does not shift the
 * others. */
static void counted_from_the_anchor(void **state)
{
	struct play *p = na_calloc(1, sizeof(*p));
	int extra;

	(void)state;
	play_init(p, 5, 4, 1);
	for (int i = 0; i < 4; i++)
		work(p, i, 2 * MS);
	together(p, all_ranks, 4, "0,1,2,3", NA_OPCODE_ALL_REDUCE, 50 * US);
	extra = p->n_ops;
	p->told[2] = p->told[--p->n]; /* rank 2's profiler began later */
	play_world(p, 5, false);
	join(p);
	assert_int_equal(p->r.instances.n, 5);
	assert_int_equal(p->r.unjoined[NA_RANK_MISSING], 3);
	assert_int_equal(p->r.instances.v[0].sequence, 1);
	assert_int_equal(extra, 1);
	check_instances(p, 0);
	play_fini(p);
	free(p);
}

static void members_without_file(void **state)
{
	struct play *p = na_calloc(1, sizeof(*p));

	(void)state;
	play_init(p, 9, 4, 1);
	play_world(p, 5, false);
	for (size_t i = 0; i < p->n; i++) {
		p->told[i].group = "0,1,2,3,64,65";
		p->told[i].x.group_size = 6;
	}
	join(p);
	assert_int_equal(p->r.instances.n, 5);
	assert_int_equal(p->r.groups.v[0].size, 6);
	play_fini(p);
	free(p);
}

/* Numbers by which the input calls groups are no lists of ranks, and one name
 * for several groups joins nothing. */
static void names_that_are_no_lists(void **state)
{
	struct play *p = na_calloc(1, sizeof(*p));

	(void)state;
	play_init(p, 11, 4, 1);
	for (int s = 0; s < 4; s++) {
		for (int i = 0; i < 4; i++)
			work(p, i, MS);
		together(p, all_ranks, 4, "1,0", NA_OPCODE_ALL_REDUCE, 9 * US);
		together(p, &all_ranks[0], 2, "pg7", NA_OPCODE_ALL_GATHER,
			 9 * US);
		together(p, &all_ranks[2], 2, "pg7", NA_OPCODE_ALL_GATHER,
			 9 * US);
	}
	join(p);
	assert_int_equal(p->r.instances.n, 4);
	assert_int_equal(p->r.unjoined[NA_RANK_COUNTS], 16);
	check_instances(p, 0);
	play_fini(p);
	free(p);
}

static void sizes_and_ends(void **state)
{
	struct play *p = na_calloc(1, sizeof(*p));

	(void)state;
	play_init(p, 13, 4, 1);
	play_world(p, 10, false);
	p->told[4].x.size_bytes += 8;
	p->told[20].x.end_ps -= 100 * US;
	p->told[20].x.start_ps -= 100 * US;
	join(p);
	assert_int_equal(p->r.unjoined[NA_RANK_SIZES], 4);
	assert_int_equal(p->r.unjoined[NA_RANK_ENDS], 4);
	assert_int_equal(p->r.instances.n, 8);
	play_fini(p);
	free(p);
}

static void pairs_join_by_order(void **state)
{
	struct play *p = na_calloc(1, sizeof(*p));

	(void)state;
	play_init(p, 17, 4, 1);
	for (int s = 0; s < 10; s++) {
		int64_t sent;

		work(p, 0, MS);
		sent = p->now[0];
		tell(p, 0, "0,1", NA_OPCODE_SEND, sent, sent + 5 * US, s, 64, s,
		     1, 2);
		tell(p, 1, "0,1", NA_OPCODE_RECV, p->now[1], sent + 8 * US, s,
		     64, s, 0, 2);
		p->now[1] = p->now[0] = sent + 8 * US;
	}
	join(p);
	assert_int_equal(p->r.instances.n, 10);
	assert_int_equal(p->r.groups.v[0].src, 0);
	assert_int_equal(p->r.groups.v[0].dst, 1);
	check_instances(p, 0);
	play_fini(p);
	free(p);
}

/* Rank 3 works longer; ranks 2 and then 6 bring its lateness into groups that
 * it is no member of. */
static void lateness_is_followed(void **state)
{
	static const int columns[2][4] = {{0, 2, 4, 6}, {1, 3, 5, 7}};
	struct play *p = na_calloc(1, sizeof(*p));
	size_t late = 0;

	(void)state;
	play_init(p, 19, 8, 8);
	for (int s = 0; s < 12; s++) {
		static const char *const rows[] = {"0,1", "2,3", "4,5", "6,7"};

		for (int i = 0; i < 8; i++)
			work(p, i, MS);
		work(p, 3, MS);
		for (int i = 0; i < 4; i++)
			together(p, &all_ranks[2 * i], 2, rows[i],
				 NA_OPCODE_ALL_GATHER, 50 * US);
		together(p, columns[0], 4, "0,2,4,6", NA_OPCODE_ALL_REDUCE,
			 100 * US);
		together(p, columns[1], 4, "1,3,5,7", NA_OPCODE_ALL_REDUCE,
			 100 * US);
	}
	join(p);
	assert_int_equal(p->r.instances.n, p->n_ops);
	for (size_t i = 0; i < p->r.instances.n; i++) {
		const struct na_rank_instance *x = &p->r.instances.v[i];

		if (x->skew_ps < MS / 2)
			continue;
		late++;
		assert_int_equal(p->r.ranks.v[x->root].number, 3);
		if (p->r.ranks.v[p->r.parts.v[x->from].rank].number == 0)
			assert_int_equal(p->r.ranks.v[x->last].number, 2);
	}
	assert_int_equal(late, 36);
	play_fini(p);
	free(p);
}

/* States of any blocks merge to the same result. */
static void blocks_do_not_matter(void **state)
{
	extern const struct na_analysis na_an_collectives, na_an_steps,
		na_an_timeline;
	const struct na_analysis *const all[] = {&na_an_collectives,
						 &na_an_timeline, &na_an_steps};
	static const size_t sizes[] = {100000, 1, 7, 64};
	struct play *p = na_calloc(1, sizeof(*p));
	struct timeline_like {
		int64_t bin_ps;
		const char *capacity;
	} params = {0, NULL};

	(void)state;
	play_init(p, 23, 8, 2);
	for (int h = 0; h < RANKS; h++)
		p->ahead[h] = below(p, 10 * MS);
	play_world(p, 8, true);
	join(p);
	for (size_t k = 0; k < NA_LEN(all); k++) {
		char *first = NULL;

		for (size_t i = 0; i < NA_LEN(sizes); i++) {
			struct na_scope scope = {.store = &p->h.store,
						 .filter = &p->h.filter};
			struct driven d = {0};
			char *text;

			hand_drive(&d, all[k], &scope, &params, sizes[i],
				   &p->h.err);
			assert_int_equal(d.status, NA_OK);
			text = driven_json(&d);
			driven_end(&d);
			if (first)
				assert_string_equal(first, text);
			else
				first = strdup(text);
			free(text);
		}
		free(first);
	}
	play_fini(p);
	free(p);
}

/* Clocks of hostile files: as far as times reach, and no further. */
static void clocks_far_apart(void **state)
{
	struct na_rank rank = {.clock = 0};
	struct na_rank_clock clock = {.corrected = true, .at_ps = -NA_TIME_MAX};
	struct na_ranks r = {.n_comms = 0};

	(void)state;
	r.ranks.v = &rank;
	r.clocks.v = &clock;
	r.ranks.n = r.clocks.n = 1;
	clock.ahead_ps = -NA_TIME_MAX;
	assert_true(na_rank_time(&r, 0, 7) == NA_TIME_MAX);
	assert_true(na_rank_time(&r, 0, -7) == NA_TIME_MAX - 7);
	clock.ahead_ps = NA_TIME_MAX;
	clock.drift = 0.05;
	assert_true(na_rank_time(&r, 0, 0) == -NA_TIME_MAX);
	clock.ahead_ps = 5;
	clock.drift = 1e300;
	assert_true(na_rank_time(&r, 0, 7) == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_jobs),
		cmocka_unit_test(one_clock_is_taken_as_it_is),
		cmocka_unit_test(ranges_on_cpus),
		cmocka_unit_test(sends_without_peer),
		cmocka_unit_test(kernels_without_group),
		cmocka_unit_test(counted_from_the_anchor),
		cmocka_unit_test(members_without_file),
		cmocka_unit_test(names_that_are_no_lists),
		cmocka_unit_test(sizes_and_ends),
		cmocka_unit_test(pairs_join_by_order),
		cmocka_unit_test(lateness_is_followed),
		cmocka_unit_test(blocks_do_not_matter),
		cmocka_unit_test(clocks_far_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

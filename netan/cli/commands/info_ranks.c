/* info: ranks of GPU jobs, what each does, and how far it could be joined. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/info.h"
#include "netan/methods/ranks/ranks.h"

struct counts { /* of an input */
	uint64_t groups, collectives, p2p, steps;
	struct na_extent seen;
};

struct ranked { /* an input's row */
	uint32_t run, input;
	int32_t rank;
	struct na_value *row;
};

NA_ORDER(by_rank, struct ranked, NA_UP(run), NA_UP(rank), NA_UP(input))

struct na_info_ranks {
	struct counts *of; /* by input */
	NA_VEC(struct ranked) rows;
	NA_VEC(struct na_comm) comms;
	NA_VEC(struct na_span) steps;
	struct na_ranks joined;
};

static bool count_comms(const struct na_store *store, struct na_info_ranks *x)
{
	struct na_triples groups = {0};
	bool ok = true;

	na_each_record (struct na_comm, c, &store->comms) {
		struct counts *to = &x->of[c->input];
		size_t n = groups.n;

		if (na_rank_is_pair(c))
			to->p2p++;
		else
			to->collectives++;
		na_extent_add(&to->seen, c->start_ps, c->end_ps);
		ok = ok && na_add(&x->comms, *c);
		if (!ok || c->group == NA_UNKNOWN_U32)
			continue;
		ok = na_triples_add(&groups, (struct na_triple){c->input,
								c->group, 0}) !=
		     NA_NO_TRIPLE;
		to->groups += groups.n > n;
	}
	na_triples_fini(&groups);
	return ok;
}

static bool count_steps(const struct na_store *store, struct na_info_ranks *x)
{
	bool ok = true;

	na_each_record (struct na_span, s, &store->spans) {
		if (s->device != NA_DEVICE_RANK || s->kind != NA_SPAN_STEP)
			continue;
		x->of[s->input].steps++;
		na_extent_add(&x->of[s->input].seen, s->start_ps, s->end_ps);
		ok = ok && na_add(&x->steps, *s);
	}
	return ok;
}

struct na_info_ranks *na_info_ranks(const struct na_session *s)
{
	struct na_info_ranks *x = na_calloc(1, sizeof(*x));
	bool ok;

	if (!x)
		return NULL;
	x->of = na_calloc(s->n_inputs + 1, sizeof(*x->of));
	ok = x->of && count_comms(&s->store, x) && count_steps(&s->store, x);
	x->joined = (struct na_ranks){.store = &s->store,
				      .comms = x->comms.v,
				      .n_comms = x->comms.n,
				      .steps = x->steps.v,
				      .n_steps = x->steps.n};
	if (ok && x->comms.n)
		ok = na_ranks_join(&x->joined);
	if (ok)
		return x;
	na_info_ranks_free(x);
	return NULL;
}

void na_info_ranks_free(struct na_info_ranks *x)
{
	if (!x)
		return;
	na_ranks_fini(&x->joined);
	na_vec_free(&x->comms);
	na_vec_free(&x->steps);
	na_vec_free(&x->rows);
	free(x->of);
	free(x);
}

const struct na_extent *na_info_rank_seen(const struct na_info_ranks *x,
					  size_t i)
{
	return &x->of[i].seen;
}

bool na_info_put_rank(struct na_result *r, struct na_value *row,
		      struct na_info_ranks *x, const struct na_input *in,
		      size_t i)
{
	const struct counts *c = &x->of[i];
	const struct na_store *store = x->joined.store;

	if (!store->hosts[i].of_ranks ||
	    !na_add(&x->rows, ((struct ranked){store->sources[i].run,
					       (uint32_t)i, in->rank, row})))
		return false;
	if (in->rank >= 0)
		na_put_int(r, row, M_rank, in->rank);
	else
		na_put_null(r, row, M_rank);
	if (in->pid >= 0)
		na_put_textf(r, row, M_process, "%" PRId64, in->pid);
	if (in->world_size >= 0)
		na_put_int(r, row, M_world_size, in->world_size);
	else
		na_put_null(r, row, M_world_size);
	na_put_int(r, row, M_groups, (int64_t)c->groups);
	na_put_int(r, row, M_collectives, (int64_t)c->collectives);
	na_put_int(r, row, M_p2p, (int64_t)c->p2p);
	na_put_int(r, row, M_steps, (int64_t)c->steps);
	return true;
}

void na_info_rank_rows(struct na_result *r, const struct na_info_ranks *x,
		       struct na_value *to)
{
	na_sort(x->rows.v, x->rows.n, by_rank);
	for (size_t i = 0; i < x->rows.n; i++)
		na_put_alias(r, to, NULL, x->rows.v[i].row);
}

static void put_clocks(struct na_result *r, struct na_value *to,
		       const struct na_ranks *j)
{
	struct na_value *list = na_put_list(r, to, M_clocks), *one;

	for (size_t i = 0; i < j->clocks.n; i++) {
		const struct na_rank_clock *c = &j->clocks.v[i];

		if (!c->corrected)
			continue;
		one = na_put_object(r, list, NULL);
		na_put_text(r, one, M_host, j->store->hosts[c->host].name);
		na_put_real(r, one, M_ahead_us, na_us(c->ahead_ps));
		na_put_real(r, one, M_uncertainty_us, na_us(c->uncertainty_ps));
		na_put_real(r, one, M_drift_ppm, c->drift * 1e6);
	}
}

static void note_joins(struct na_result *r, const struct na_ranks *j,
		       uint64_t apart)
{
	size_t all = j->n_comms - (size_t)j->unjoined[NA_RANK_AGAIN];
	char clocks[NA_COUNT_BUF], n[NA_UNIT_BUF], of[NA_UNIT_BUF];
	char as[NA_UNIT_BUF], by[2][NA_UNIT_BUF];

	if (j->unjoined[NA_RANK_AGAIN])
		na_result_note(r,
			       "%s operations are told by several inputs of "
			       "their rank, on the wall clock, and taken once",
			       na_print_count(n, j->unjoined[NA_RANK_AGAIN]));
	if (!j->instances.n) {
		na_result_note(r,
			       "no operation of a rank is joined with that of "
			       "another one%s",
			       j->ranks.n > 1
				       ? ": --format json says why"
				       : ": give the files of all ranks");
		return;
	}
	na_result_note(
		r,
		"%s of %s operations of ranks are joined, as %s executions: "
		"%s by sequence, %s by ordinal; %s corrected from when ranks "
		"leave them",
		na_print_count(n, all - apart), na_print_count(of, all),
		na_print_count(as, j->instances.n),
		na_print_count(by[0], j->instances_by[NA_RANK_BY_SEQUENCE]),
		na_print_count(by[1], j->instances_by[NA_RANK_BY_ORDINAL]),
		na_count_of(clocks, j->clocks_from_ends, "clock"));
}

void na_info_put_joins(struct na_result *r, struct na_value *body,
		       const struct na_info_ranks *x)
{
	static const char *const why[NA_N_RANK_APARTS] = {M_alone,   M_counts,
							  M_missing, M_sizes,
							  M_ends,    M_again};
	const struct na_ranks *j = &x->joined;
	struct na_value *to, *one;
	uint64_t apart = 0;

	if (!x->comms.n)
		return;
	for (int k = 0; k < NA_N_RANK_APARTS; k++)
		apart += k == NA_RANK_AGAIN ? 0 : j->unjoined[k];
	to = na_put_object(r, body, M_joins);
	na_put_int(r, to, M_joined,
		   (int64_t)(j->joined[NA_RANK_BY_SEQUENCE] +
			     j->joined[NA_RANK_BY_ORDINAL]));
	na_put_int(r, to, M_unjoined, (int64_t)apart);
	one = na_put_object(r, to, M_by);
	na_put_int(r, one, M_sequence, (int64_t)j->joined[NA_RANK_BY_SEQUENCE]);
	na_put_int(r, one, M_ordinal, (int64_t)j->joined[NA_RANK_BY_ORDINAL]);
	one = na_put_object(r, to, M_why);
	for (int k = 0; k < NA_N_RANK_APARTS; k++)
		na_put_int(r, one, why[k], (int64_t)j->unjoined[k]);
	na_put_int(r, to, M_executions, (int64_t)j->instances.n);
	na_put_int(r, to, M_clock_from_ends, (int64_t)j->clocks_from_ends);
	put_clocks(r, to, j);
	note_joins(r, j, apart);
}

bool na_info_shows_ranks(const struct na_info_ranks *x)
{
	for (size_t i = 0; i < x->rows.n; i++) {
		if (x->rows.v[i].rank >= 0)
			return true;
	}
	return false;
}

static bool tells_host(const struct na_store *store, bool of_ranks)
{
	for (size_t i = 0; i < store->n_sources; i++) {
		const struct na_source *x = &store->sources[i];

		if (store->hosts[i].of_ranks == of_ranks &&
		    (!of_ranks || !x->no_host || !x->of_rank))
			return true;
	}
	return false;
}

bool na_info_shows_hosts(const struct na_info_ranks *x)
{
	const struct na_store *store = x->joined.store;

	return tells_host(store, true) || tells_host(store, false);
}

static bool tells_process(const struct na_value *ranks)
{
	na_for_each (row, ranks) {
		if (na_get(row, M_process))
			return true;
	}
	return false;
}

void na_info_view_ranks(struct na_result *r, const struct na_info_ranks *x,
			const struct na_value *ranks)
{
	static const char *const members[] = {M_label,      M_rank,
					      M_world_size, M_host,
					      M_process,    M_events,
					      M_groups,     M_collectives,
					      M_p2p,        M_steps,
					      M_from_s,     M_to_s};
	const struct na_store *store = x->joined.store;
	struct na_columns c = {.n = 0};

	for (size_t i = 0; i < NA_LEN(members); i++) {
		if ((i > 0 || store->n_runs > 1) &&
		    (strcmp(members[i], M_host) != 0 ||
		     tells_host(store, true)) &&
		    (strcmp(members[i], M_process) != 0 ||
		     tells_process(ranks)))
			c.c[c.n++] = (struct na_column){members[i]};
	}
	if (ranks->n)
		na_result_view(r, "ranks", ranks, &na_table_info_rows, c.c, c.n,
			       0);
}

void na_info_say_ranks(struct na_result *r, const struct na_session *s,
		       const struct na_info_ranks *x, uint64_t events)
{
	struct counts all = {.groups = 0};
	char a[NA_UNIT_BUF], b[NA_COUNT_BUF], d[NA_COUNT_BUF], who[NA_WHO_BUF];
	char files[NA_FILES_BUF];

	for (size_t i = 0; i < s->n_inputs; i++) {
		all.collectives += x->of[i].collectives;
		all.p2p += x->of[i].p2p;
		all.steps += x->of[i].steps;
	}
	na_print_count(a, events);
	na_result_headline(r,
			   "info: %s, %s, %s events, of ranks: %s, %s "
			   "point to point, %" PRIu64 " step%s",
			   na_session_inputs(s, files),
			   na_session_who(s, who), a,
			   na_count_of(b, all.collectives, "collective"),
			   na_print_count(d, all.p2p), all.steps,
			   na_plural(all.steps));
}

/* collectives: rows of what ranks of GPU jobs execute together. */
#include "netan/analyses/collectives/ranks.h"

#include <stdlib.h>

#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/methods/ranks/bus.h"
#include "netan/model/gpu/kernels.h"

enum { ROW_OF_GROUP, ROW_OF_STREAM, ROW_OF_PAIRS, ROW_OF_TYPE, ROW_KINDS };

const char *na_collectives_word(uint8_t opcode)
{
	return opcode == NA_OPCODE_OTHER  ? "KERNEL"
	       : opcode == NA_OPCODE_SEND ? "SEND"
	       : opcode == NA_OPCODE_RECV ? "RECV"
					  : na_opcode_word(opcode);
}

bool na_collectives_in_window(const struct coll_state *s,
			      const struct na_comm *c, int64_t end_ps)
{
	const struct na_bound_filter *l = s->scope->bound;

	return !l ||
	       (end_ps >= l->filter->from_ps && end_ps < l->filter->to_ps &&
		na_filter_step_of(l, c->core, c->start_ps, c->end_ps));
}

bool na_collectives_instance_in_window(const struct coll_state *s,
				       const struct na_ranks *k,
				       const struct na_rank_instance *x)
{
	const struct na_rank_part *p = &k->parts.v[x->from];

	return na_collectives_in_window(s, &k->comms[p->comm], p->end_ps);
}

/* Both sides of point-to-point operations are one. */
static uint8_t opcode_of(const struct na_rank_group *g, uint8_t opcode)
{
	return g->src >= 0 ? NA_OPCODE_SEND_RECV : opcode;
}

/* A row to be filled, that of a group or of none (NA_UNKNOWN_U32). */
static bool add_row(struct coll_state *s, struct coll_found *f,
		    const struct na_rank_group *g, uint32_t group,
		    uint8_t opcode)
{
	struct coll_ranks *k = f->ranks;
	bool pair = g->src >= 0;
	const struct coll_kind kind = {.type = NA_UNKNOWN_U32,
				       .opcode = opcode,
				       .group_size = pair ? 2 : g->size,
				       .of_ranks = true};
	struct coll_matched row = {
		.kind = na_collectives_kind(&f->rows, &kind),
		.program = na_triples_add(
			&f->rows.programs,
			(struct na_triple){g->run * NA_N_NETWORKS + NA_NET_GPU,
					   NA_UNKNOWN_U32, 0}),
		.name = NA_UNKNOWN_U32,
		.opcode = opcode,
		.group_size = kind.group_size,
		.times = g->times,
		.group = pair || s->by_type ? NA_UNKNOWN_U32 : group,
		.least_bytes = UINT64_MAX,
	};

	return row.kind != NA_NO_NAME && row.program != NA_NO_TRIPLE &&
	       na_add(&k->rows, row);
}

/* `group`: of na_ranks.groups; NA_UNKNOWN_U32: none of them. */
static struct coll_matched *row_at(struct coll_state *s, struct coll_found *f,
				   const struct na_rank_group *g,
				   uint32_t group, uint8_t opcode, uint32_t *id)
{
	struct coll_ranks *k = f->ranks;
	bool named = g->name != NA_UNKNOWN_U32, pair = g->src >= 0;
	uint32_t kind = s->by_type ? ROW_OF_TYPE
			: pair     ? ROW_OF_PAIRS
			: named    ? ROW_OF_GROUP
				   : ROW_OF_STREAM;
	uint32_t of[] = {[ROW_OF_GROUP] = g->name,
			 [ROW_OF_STREAM] = 0, /* whatever their streams */
			 [ROW_OF_PAIRS] = 0,
			 [ROW_OF_TYPE] = 0};

	opcode = opcode_of(g, opcode);
	*id = na_triples_add(&k->keys,
			     (struct na_triple){(g->run * NA_N_RANK_TIMES +
						 g->times) * ROW_KINDS +
							kind,
						of[kind], opcode});
	if (*id == NA_NO_TRIPLE ||
	    (*id == k->rows.n && !add_row(s, f, g, group, opcode)))
		return NULL;
	return &k->rows.v[*id];
}

static struct coll_matched *row_of(struct coll_state *s, struct coll_found *f,
				   uint32_t group, uint8_t opcode, uint32_t *id)
{
	return row_at(s, f, &f->ranks->joined.groups.v[group], group, opcode,
		      id);
}

static struct coll_rank_count *count_of(struct coll_ranks *k, uint32_t row,
					uint32_t rank)
{
	struct coll_rank_count *c =
		na_triples_at(&k->part_keys, &k->counts,
			      ((struct na_triple){row, rank, 0}));

	if (c) {
		c->row = row;
		c->rank = rank;
	}
	return c;
}

static bool is_named(const struct coll_state *s, const struct na_rank_group *g,
		     uint8_t opcode)
{
	return na_filter_collective(s->scope->filter,
				    na_collectives_word(opcode_of(g, opcode)));
}

static bool wanted(const struct coll_state *s, const struct na_rank_group *g,
		   const struct na_comm *x)
{
	return is_named(s, g, x->operation) &&
	       na_collectives_in_window(s, x, x->end_ps);
}

static void span_bytes(struct coll_matched *row, uint64_t bytes)
{
	if (bytes < row->least_bytes)
		row->least_bytes = bytes;
	if (bytes > row->most_bytes)
		row->most_bytes = bytes;
}

static void add_bytes(struct coll_matched *row, uint64_t bytes, uint64_t n,
		      uint32_t ranks, int64_t time_ps)
{
	if (bytes == NA_UNKNOWN_U64)
		return;
	span_bytes(row, bytes);
	row->sized += n;
	row->bytes += (na_i128)bytes * (na_i128)n;
	row->sized_bytes += (na_i128)bytes;
	row->sized_ps += time_ps;
	if (ranks > 1)
		row->bus_bits += na_bus_factor(row->opcode, ranks) * 8 *
				 (double)bytes;
}

/* What lies in the queue has not run. */
static bool count_run(struct coll_matched *row, uint8_t source)
{
	bool ran = source != NA_COMM_HELD;

	row->executions += ran;
	row->queued += !ran;
	row->begun += source == NA_COMM_BEGUN;
	return ran;
}

static bool push_time(struct coll_found *f, enum coll_durations of,
		      int64_t time_ps, uint32_t row)
{
	return na_collectives_push_time(&f->ranks->times[of], time_ps, row);
}

static bool add_part(struct coll_found *f, uint32_t id, size_t part)
{
	const struct na_ranks *j = &f->ranks->joined;
	const struct na_rank_part *p = &j->parts.v[part];
	struct coll_matched *row = &f->ranks->rows.v[id];
	int64_t wait_ps = na_rank_wait(j, part);

	na_extent_add(&f->executions, p->start_ps, p->end_ps);
	if (row->times == NA_RANK_QUEUED)
		return count_of(f->ranks, id, p->rank);
	row->rank_ps += p->end_ps - p->start_ps;
	row->wait_ps += wait_ps;
	return push_time(f, COLL_WAITS, wait_ps, id) &&
	       count_of(f->ranks, id, p->rank);
}

static bool add_instance(struct coll_state *s, struct coll_found *f,
			 const struct na_rank_instance *x)
{
	const struct na_ranks *j = &f->ranks->joined;
	const struct na_rank_group *g = &j->groups.v[x->group];
	struct coll_rank_count *last;
	struct coll_matched *row;
	uint32_t id;
	uint64_t ran = 0;
	bool ok;

	if (!is_named(s, g, x->operation) ||
	    !na_collectives_instance_in_window(s, j, x))
		return true;
	row = row_of(s, f, x->group, x->operation, &id);
	if (!row)
		return false;
	for (size_t i = x->from; i < x->to; i++)
		ran += count_run(row, j->comms[j->parts.v[i].comm].source);
	row->instances++;
	add_bytes(row, x->size_bytes, ran, g->size, x->transfer_ps);
	ok = (row->times == NA_RANK_QUEUED ||
	      push_time(f, COLL_TIMES, x->transfer_ps, id)) &&
	     (row->times == NA_RANK_LASTED ||
	      push_time(f, COLL_SKEWS, x->skew_ps, id));
	for (size_t i = x->from; ok && i < x->to; i++)
		ok = add_part(f, id, i);
	if (!ok || row->times == NA_RANK_LASTED)
		return ok;
	last = count_of(f->ranks, id, x->last);
	if (last)
		last->last++;
	return last;
}

static void tell(const struct coll_state *s, const struct na_comm *x,
		 uint8_t opcode, const char *group)
{
	bool recorder = x->source == NA_COMM_QUEUED ||
			x->source == NA_COMM_BEGUN;

	na_collectives_tell(
		s->tell, &(struct coll_execution){
				 .collective = na_collectives_word(opcode),
				 .group = group,
				 .state = !recorder ? NULL
					  : x->source == NA_COMM_BEGUN
						  ? "started"
						  : "completed",
				 .sequence = x->sequence,
				 .start_ps = x->start_ps,
				 .end_ps = x->end_ps,
				 .ends_alone = x->source == NA_COMM_LASTED,
				 .begun_alone = x->source == NA_COMM_BEGUN,
				 .size_bytes = x->size_bytes,
				 .core = x->core,
			 });
}

static void tell_unjoined(const struct coll_state *s, const struct coll_found *f,
			  const struct na_comm *x, uint32_t group)
{
	const struct na_ranks *j = &f->ranks->joined;
	struct na_str text = {0};

	if (!s->tell)
		return;
	tell(s, x, opcode_of(&j->groups.v[group], x->operation),
	     na_collectives_group(s, j, group, NULL, &text));
	free(text.s);
}

/* What is told of one rank alone: its kernel, waiting included. */
static bool add_unjoined(struct coll_state *s, struct coll_found *f,
			 const struct na_comm *x, uint32_t group)
{
	const struct na_ranks *j = &f->ranks->joined;
	int64_t took_ps = na_time_between(x->start_ps, x->end_ps);
	struct coll_matched *row;
	uint32_t id;
	bool ran;

	if (!wanted(s, &j->groups.v[group], x))
		return true;
	row = row_of(s, f, group, x->operation, &id);
	if (!row)
		return false;
	ran = count_run(row, x->source);
	if (ran)
		tell_unjoined(s, f, x, group);
	if (row->times == NA_RANK_QUEUED)
		took_ps = 0;
	row->rank_ps += took_ps;
	na_extent_add(&f->executions, x->start_ps, x->end_ps);
	if (!count_of(f->ranks, id, j->rank_of[x->core]))
		return false;
	if (row->instances) {
		if (ran && x->size_bytes != NA_UNKNOWN_U64) {
			row->sized++;
			row->bytes += (na_i128)x->size_bytes;
			span_bytes(row, x->size_bytes);
		}
		return true;
	}
	add_bytes(row, x->size_bytes, ran, row->group_size, took_ps);
	return row->times == NA_RANK_QUEUED ||
	       push_time(f, COLL_TIMES, took_ps, id);
}

static bool no_rank(const struct coll_state *s, const struct na_comm *x)
{
	return s->scope->store->devices.cores[x->core].kind != NA_DEVICE_RANK &&
	       x->end_ps >= x->start_ps;
}

/* Of a device of which nothing tells the rank: its kernels alone. */
static bool add_nobody(struct coll_state *s, struct coll_found *f,
		       const struct na_comm *x)
{
	const struct na_store *store = s->scope->store;
	uint32_t source = store->devices.cores[x->core].input;
	uint32_t id, n;
	const struct na_rank_group alone = {.run = store->sources[source].run,
					    .name = NA_UNKNOWN_U32,
					    .stream = x->stream,
					    .src = -1,
					    .dst = -1};
	int64_t took_ps = na_time_between(x->start_ps, x->end_ps);
	struct coll_matched *row;

	if ((s->scope->bound && !na_filter_input(s->scope->bound, source)) ||
	    !wanted(s, &alone, x))
		return true;
	row = row_at(s, f, &alone, NA_UNKNOWN_U32, x->operation, &id);
	if (!row)
		return false;
	row->executions++;
	tell(s, x, x->operation, NULL);
	row->rank_ps += took_ps;
	n = (uint32_t)f->ranks->nobody_keys.n;
	if (na_triples_add(&f->ranks->nobody_keys,
			   (struct na_triple){id, x->core, 0}) == NA_NO_TRIPLE)
		return false;
	row->participants += f->ranks->nobody_keys.n > n;
	na_extent_add(&f->executions, x->start_ps, x->end_ps);
	add_bytes(row, x->size_bytes, 1, row->group_size, took_ps);
	return push_time(f, COLL_TIMES, took_ps, id);
}

NA_ORDER(by_last, struct coll_rank_count, NA_UP(row), NA_DOWN(last),
	 NA_UP(rank))

static void finish_rows(struct coll_found *f)
{
	struct coll_ranks *k = f->ranks;

	for (size_t i = 0; i < k->counts.n; i++) {
		const struct coll_rank_count *c = &k->counts.v[i];
		struct coll_matched *row = &k->rows.v[c->row];
		uint32_t core = k->joined.ranks.v[c->rank].core;

		row->participants++;
		if (c->last > row->last_n ||
		    (c->last && c->last == row->last_n &&
		     core < row->last_core)) {
			row->last_n = c->last;
			row->last_core = core;
		}
	}
	for (size_t i = 0; i < k->rows.n; i++) {
		struct coll_matched *row = &k->rows.v[i];

		/* Of one rank alone nobody knows what it waits. */
		if (!row->instances || row->times == NA_RANK_QUEUED)
			row->wait_ps = -1;
		if (row->n_groups && row->group_size > row->participants)
			row->not_captured = row->group_size - row->participants;
	}
	na_sort(k->counts.v, k->counts.n, by_last);
}

static bool join(struct coll_state *s, struct coll_found *f)
{
	f->ranks = na_calloc(1, sizeof(*f->ranks));
	if (!f->ranks)
		return false;
	f->ranks->first_row = (uint32_t)f->rows.n;
	f->ranks->joined = (struct na_ranks){.store = s->scope->store,
					     .looked = s->scope->bound,
					     .comms = s->comms.v,
					     .n_comms = s->comms.n,
					     .steps = s->rank_steps.v,
					     .n_steps = s->rank_steps.n};
	return na_ranks_join(&f->ranks->joined);
}

static bool pack_row(struct coll_found *f, size_t i,
		     struct coll_spread spreads[COLL_N_DURATIONS])
{
	struct coll_matched *row = &f->ranks->rows.v[i];
	double *us[COLL_N_DURATIONS];
	size_t n[COLL_N_DURATIONS];

	for (int k = 0; k < COLL_N_DURATIONS; k++) {
		us[k] = spreads[k].us + spreads[k].from[i];
		n[k] = spreads[k].from[i + 1] - spreads[k].from[i];
	}
	na_collectives_measure(row, us, n);
	return na_collectives_pack(&f->rows, row);
}

static bool pack_rows(struct coll_found *f)
{
	struct coll_ranks *k = f->ranks;
	struct coll_spread spreads[COLL_N_DURATIONS] = {{.n = 0}};
	bool ok = true;

	for (int i = 0; ok && i < COLL_N_DURATIONS; i++) {
		ok = na_collectives_spread(&spreads[i], &k->times[i],
					   k->rows.n);
		na_vec_free(&k->times[i]);
	}
	for (size_t i = 0; ok && i < k->rows.n; i++)
		ok = pack_row(f, i, spreads);
	for (int i = 0; i < COLL_N_DURATIONS; i++)
		na_collectives_spread_fini(&spreads[i]);
	na_vec_free(&k->rows);
	return ok;
}

bool na_collectives_ranks(struct coll_state *s, struct coll_found *f)
{
	const struct na_ranks *j;
	bool ok = true;

	if (!s->comms.n)
		return true;
	if (!join(s, f))
		return false;
	j = &f->ranks->joined;
	for (size_t i = 0; ok && i < j->instances.n; i++)
		ok = add_instance(s, f, &j->instances.v[i]);
	for (size_t i = 0; ok && i < j->n_comms; i++) {
		const struct na_comm *x = &j->comms[i];

		if (j->apart[i] < NA_N_RANK_APARTS &&
		    j->group_of[i] != NA_UNKNOWN_U32)
			ok = add_unjoined(s, f, x, j->group_of[i]);
		else if (no_rank(s, x))
			ok = add_nobody(s, f, x);
	}
	if (!ok)
		return false;
	finish_rows(f);
	return pack_rows(f);
}

void na_collectives_ranks_fini(struct coll_found *f)
{
	if (!f->ranks)
		return;
	na_ranks_fini(&f->ranks->joined);
	na_triples_fini(&f->ranks->keys);
	na_triples_fini(&f->ranks->part_keys);
	na_triples_fini(&f->ranks->nobody_keys);
	na_vec_free(&f->ranks->counts);
	na_vec_free(&f->ranks->rows);
	for (int i = 0; i < COLL_N_DURATIONS; i++)
		na_vec_free(&f->ranks->times[i]);
	free(f->ranks);
}

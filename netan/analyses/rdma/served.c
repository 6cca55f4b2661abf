/*
 * rdma: which ranks, and which of their operations, a queue pair served.
 *
 * A rank tells the number of its own end: of what it sends the sender's, of
 * what it receives the destination's.  Each NIC gives such numbers by itself,
 * so that one may stand for several.  What is not of one pair of ranks alone,
 * and of one queue pair alone, is not joined.
 */
#include <inttypes.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/analyses/rdma/state.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/methods/put.h"
#include "netan/model/gpu/kernels.h"

enum { LISTED = 16 };

/* One end of a queue pair, as a use of it would name it. */
struct number {
	uint32_t run, qp;
	uint8_t sends;
};

struct use {
	struct number of;
	const struct na_qp_use *is;
};

struct join {
	NA_VEC(struct use) uses;       /* by number */
	NA_VEC(struct number) numbers; /* of all rows, both ends */
	NA_VEC(const struct na_qp_use *) row;
};

NA_ORDER(by_number, struct number, NA_UP(run), NA_UP(qp), NA_UP(sends))
NA_ORDER(by_use, struct use, by_number(&x->of, &y->of), NA_UP(is->input),
	 NA_UP(is->start_ps))
NA_ORDER(by_kind, const struct na_qp_use *, NA_CMP((*x)->group, (*y)->group),
	 NA_CMP((*x)->operation, (*y)->operation),
	 NA_CMP((*x)->sequence, (*y)->sequence),
	 NA_CMP((*x)->start_ps, (*y)->start_ps))
NA_ORDER(most_first, struct rdma_served, NA_DOWN(bytes), NA_UP(group),
	 NA_UP(operation))

static uint32_t run_of(const struct rdma_state *s, uint32_t input)
{
	const struct na_store *store = s->scope->store;

	return input < store->n_sources ? store->sources[input].run : 0;
}

static struct number end_of(const struct rdma_state *s,
			    const struct na_queue_pair *q, bool sends)
{
	return (struct number){run_of(s, q->input),
			       sends ? q->source_qp : q->qp, sends};
}

static bool gather(struct join *j, const struct rdma_state *s)
{
	for (size_t i = 0; i < s->uses.n; i++) {
		const struct na_qp_use *u = s->uses.v[i];
		struct number of = {run_of(s, u->input), u->qp, u->sends != 0};

		if (!na_add(&j->uses, ((struct use){of, u})))
			return false;
	}
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct na_queue_pair *q = s->rows.v[i].q;

		if (!na_add(&j->numbers, end_of(s, q, true)) ||
		    !na_add(&j->numbers, end_of(s, q, false)))
			return false;
	}
	na_sort(j->uses.v, j->uses.n, by_use);
	na_sort(j->numbers.v, j->numbers.n, by_number);
	return true;
}

/* How many queue pairs have it. */
static size_t owners(const struct join *j, struct number x)
{
	size_t n = j->numbers.n;
	size_t from = NA_BOUND(i, 0, n, by_number(&j->numbers.v[i], &x) >= 0);

	return NA_BOUND(i, from, n, by_number(&j->numbers.v[i], &x) > 0) - from;
}

/* Uses of one end of a row's; false: no memory. */
static bool take(struct join *j, struct number x, bool *shared)
{
	size_t n = j->uses.n;
	size_t i = NA_BOUND(k, 0, n, by_number(&j->uses.v[k].of, &x) >= 0);

	if (x.qp == NA_UNKNOWN_U32)
		return true;
	for (; i < n && by_number(&j->uses.v[i].of, &x) == 0; i++) {
		*shared |= owners(j, x) > 1;
		if (!na_add(&j->row, j->uses.v[i].is))
			return false;
	}
	return true;
}

/* Are the uses of one pair of ranks?  An unknown peer may be any. */
static bool one_pair(const struct join *j, struct rdma_row *row)
{
	row->src_rank = row->dst_rank = -1;
	for (size_t i = 0; i < j->row.n; i++) {
		const struct na_qp_use *u = j->row.v[i];
		int32_t src = u->sends ? u->rank : u->peer;
		int32_t dst = u->sends ? u->peer : u->rank;

		if ((row->src_rank >= 0 && src >= 0 && src != row->src_rank) ||
		    (row->dst_rank >= 0 && dst >= 0 && dst != row->dst_rank))
			return false;
		row->src_rank = src >= 0 ? src : row->src_rank;
		row->dst_rank = dst >= 0 ? dst : row->dst_rank;
	}
	return true;
}

/* What the sender and the receiver tell of is the same: the one that tells
 * of more counts. */
static void keep_one_side(struct join *j)
{
	size_t sends = 0, kept = 0;
	bool side;

	for (size_t i = 0; i < j->row.n; i++)
		sends += j->row.v[i]->sends;
	side = sends * 2 >= j->row.n;
	for (size_t i = 0; i < j->row.n; i++) {
		if ((j->row.v[i]->sends != 0) == side)
			j->row.v[kept++] = j->row.v[i];
	}
	j->row.n = kept;
}

static bool sum_up(struct rdma_state *s, const struct join *j,
		   struct rdma_row *row)
{
	const struct na_qp_use *before = NULL;
	struct rdma_served *to = NULL;

	row->served = s->served.n;
	for (size_t i = 0; i < j->row.n; before = j->row.v[i++]) {
		const struct na_qp_use *u = j->row.v[i];

		if (!before || before->group != u->group ||
		    before->operation != u->operation) {
			to = na_push(&s->served);
			if (!to)
				return false;
			to->group = u->group;
			to->operation = u->operation;
			to->first = u->sequence;
			before = NULL;
		}
		if (u->sequence >= 0 &&
		    (!before || before->sequence != u->sequence))
			to->operations++;
		to->last = u->sequence;
		to->transfers++;
		if (__builtin_add_overflow(to->bytes, u->size_bytes,
					   &to->bytes))
			to->bytes = UINT64_MAX;
	}
	row->n_served = s->served.n - row->served;
	na_sort(s->served.v + row->served, row->n_served, most_first);
	return true;
}

bool na_rdma_serve(struct rdma_state *s)
{
	struct join j = {{0}};
	bool ok = !s->uses.n || gather(&j, s);

	for (size_t i = 0; ok && s->uses.n && i < s->rows.n; i++) {
		struct rdma_row *row = &s->rows.v[i];
		bool shared = false;

		j.row.n = 0;
		ok = take(&j, end_of(s, row->q, true), &shared) &&
		     take(&j, end_of(s, row->q, false), &shared);
		if (!ok || !j.row.n)
			continue;
		if (shared || !one_pair(&j, row)) {
			s->ambiguous++;
			continue;
		}
		keep_one_side(&j);
		na_sort(j.row.v, j.row.n, by_kind);
		ok = sum_up(s, &j, row);
	}
	na_vec_free(&j.uses);
	na_vec_free(&j.numbers);
	na_vec_free(&j.row);
	return ok;
}

/* ---- in words */

const char *na_rdma_ranks(char buf[RDMA_RANKS_BUF], const struct rdma_row *row)
{
	struct na_str to = na_str_over(buf, RDMA_RANKS_BUF);

	if (!row->n_served) {
		na_str_addf(&to, "-");
		return buf;
	}
	if (row->src_rank >= 0)
		na_str_addf(&to, "r%" PRId32, row->src_rank);
	na_str_addf(&to, ">");
	if (row->dst_rank >= 0)
		na_str_addf(&to, "r%" PRId32, row->dst_rank);
	return buf;
}

static const char *word_of(const struct rdma_served *x)
{
	const char *word = na_opcode_word(x->operation);

	return word ? word : "an operation";
}

static const char *group_of(const struct rdma_state *s,
			    const struct rdma_served *x)
{
	return na_strtab_at(&s->scope->store->names.strings, x->group);
}

static int64_t count_of(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

struct na_fact na_rdma_served_fact(const struct rdma_state *s,
				   const struct rdma_row *row)
{
	const struct rdma_served *x;

	if (!row->n_served)
		return (struct na_fact){NA_NO_FACT};
	x = &s->served.v[row->served];
	return na_fact_queue_pair_served(row->src_rank, row->dst_rank,
					 word_of(x), group_of(s, x),
					 count_of(x->operations), x->first,
					 x->last, (int64_t)row->n_served - 1);
}

static void put_collective(struct na_result *r, struct na_value *list,
			   const struct rdma_state *s,
			   const struct rdma_served *x)
{
	struct na_value *to = na_put_object(r, list, NULL);

	na_put_text(r, to, M_group, group_of(s, x));
	na_put_text(r, to, M_collective, word_of(x));
	na_put_int(r, to, M_operations, count_of(x->operations));
	na_put_whole(r, to, M_first_sequence, x->first);
	na_put_whole(r, to, M_last_sequence, x->last);
	na_put_int(r, to, M_bytes, count_of(x->bytes));
}

void na_rdma_put_served(struct na_result *r, struct na_value *to,
			const struct rdma_state *s, const struct rdma_row *row)
{
	struct na_value *in, *list;
	uint64_t transfers = 0, bytes = 0;

	if (!row->n_served)
		return;
	in = na_put_object(r, to, M_served);
	na_put_whole(r, in, M_src_rank, row->src_rank);
	na_put_whole(r, in, M_dst_rank, row->dst_rank);
	for (size_t i = 0; i < row->n_served; i++) {
		const struct rdma_served *x = &s->served.v[row->served + i];

		transfers += x->transfers;
		if (__builtin_add_overflow(bytes, x->bytes, &bytes))
			bytes = UINT64_MAX;
	}
	na_put_int(r, in, M_transfers, count_of(transfers));
	na_put_int(r, in, M_bytes, count_of(bytes));
	list = na_put_list(r, in, M_collectives);
	for (size_t i = 0; i < row->n_served && i < LISTED; i++)
		put_collective(r, list, s, &s->served.v[row->served + i]);
}

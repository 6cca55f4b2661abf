/* collectives: rows that are complete, packed and put together again. */
#include "netan/analyses/collectives/rows.h"

#include <math.h>

#include "netan/model/device.h"
#include "netan/stats/tests/robust.h"

void na_collectives_measure(struct coll_matched *row,
			    double *const us[COLL_N_DURATIONS],
			    const size_t n[COLL_N_DURATIONS])
{
	static const struct {
		enum coll_durations of;
		double p;
	} told[COLL_N_US] = {
		[COLL_TIME_P50] = {COLL_TIMES, 0.5},
		[COLL_TIME_P99] = {COLL_TIMES, 0.99},
		[COLL_WAIT_P99] = {COLL_WAITS, 0.99},
		[COLL_SKEW_P50] = {COLL_SKEWS, 0.5},
		[COLL_SKEW_P99] = {COLL_SKEWS, 0.99},
		[COLL_SKEW_MAX] = {COLL_SKEWS, 1},
	};

	for (int i = 0; i < COLL_N_US; i++) {
		enum coll_durations of = told[i].of;

		row->us[i] = n[of] ? na_quantile(us[of], n[of], told[i].p)
				   : (double)NAN;
	}
}

uint32_t na_collectives_kind(struct coll_rows *rows,
			     const struct coll_kind *kind)
{
	return na_strtab_add(&rows->kinds, (const char *)kind, sizeof(*kind));
}

struct coll_kind na_collectives_kind_at(const struct coll_rows *rows,
					uint32_t kind)
{
	struct coll_kind x;

	memcpy(&x, na_strtab_at(&rows->kinds, kind), sizeof(x));
	return x;
}

/* ---- packing */

static void put_head(struct na_varint_pack *b, const struct coll_matched *x)
{
	na_varint_put_number(b, x->program);
	na_varint_put_number(b, x->kind);
	na_varint_put_number(b, x->executions);
	na_varint_put_number(b, x->sized);
	na_varint_put_wide(b, x->bytes);
	na_varint_put_wide(b, x->rank_ps);
	/* Unknown is 0. */
	na_varint_put_number(b, (uint32_t)(x->name + 1));
}

static void get_head(const uint8_t **p, struct coll_matched *x)
{
	x->program = (uint32_t)na_varint_number(p);
	x->kind = (uint32_t)na_varint_number(p);
	x->executions = na_varint_number(p);
	x->sized = na_varint_number(p);
	x->bytes = na_varint_wide(p);
	x->rank_ps = na_varint_wide(p);
	x->name = (uint32_t)na_varint_number(p) - 1;
}

/* Those that are not like the one before, and which. */
static void put_us(struct na_varint_pack *b, const double us[COLL_N_US])
{
	double before = NAN;
	bool other[COLL_N_US];
	unsigned which = 0;

	for (int i = 0; i < COLL_N_US; before = us[i++]) {
		other[i] = memcmp(&us[i], &before, sizeof(before)) != 0;
		which |= (unsigned)other[i] << i;
	}
	na_varint_put_number(b, which);
	for (int i = 0; i < COLL_N_US; i++) {
		if (other[i])
			na_varint_put_real(b, us[i]);
	}
}

static void get_us(const uint8_t **p, double us[COLL_N_US])
{
	uint64_t which = na_varint_number(p);
	double before = NAN;

	for (int i = 0; i < COLL_N_US; before = us[i++])
		us[i] = which >> i & 1 ? na_varint_real(p) : before;
}

static void put_rest(struct na_varint_pack *b, const struct coll_matched *x)
{
	na_varint_put_number(b, x->instances);
	na_varint_put_wide(b, x->sized_bytes);
	na_varint_put_wide(b, x->sized_ps);
	na_varint_put_wide(b, x->wait_ps);
	na_varint_put_real(b, x->bus_bits);
	put_us(b, x->us);
	na_varint_put_number(b, x->last_n);
	na_varint_put_number(b, x->last_core);
}

static void get_rest(const uint8_t **p, struct coll_matched *x)
{
	x->instances = na_varint_number(p);
	x->sized_bytes = na_varint_wide(p);
	x->sized_ps = na_varint_wide(p);
	x->wait_ps = na_varint_wide(p);
	x->bus_bits = na_varint_real(p);
	get_us(p, x->us);
	x->last_n = na_varint_number(p);
	x->last_core = (uint32_t)na_varint_number(p);
}

static void put_devices(struct na_varint_pack *b, const struct coll_matched *x)
{
	na_varint_put_number(b, x->crew);
	na_varint_put_number(b, x->most);
	na_varint_put_number(b, x->took_part);
	na_varint_put_number(b, x->took_full);
}

static void get_devices(const uint8_t **p, struct coll_matched *x)
{
	x->crew = (uint32_t)na_varint_number(p);
	x->most = na_varint_number(p);
	x->took_part = (uint32_t)na_varint_number(p);
	x->took_full = (uint32_t)na_varint_number(p);
}

static void put_ranks(struct na_varint_pack *b, const struct coll_matched *x)
{
	na_varint_put_number(b, x->group);
	na_varint_put_number(b, x->times);
	na_varint_put_number(b, x->begun);
	na_varint_put_number(b, x->least_bytes);
	na_varint_put_number(b, x->most_bytes);
	na_varint_put_number(b, x->participants);
	na_varint_put_number(b, x->not_captured);
}

static void get_ranks(const uint8_t **p, struct coll_matched *x)
{
	x->group = (uint32_t)na_varint_number(p);
	x->times = (enum na_rank_times)na_varint_number(p);
	x->begun = na_varint_number(p);
	x->least_bytes = na_varint_number(p);
	x->most_bytes = na_varint_number(p);
	x->participants = (uint32_t)na_varint_number(p);
	x->not_captured = na_varint_number(p);
}

/* The group is full. */
static bool close_group(struct coll_rows *rows)
{
	struct coll_group *last = &rows->groups.v[rows->groups.n - 1];
	size_t n = rows->open.is.n;

	last->bytes = malloc(n);
	if (!last->bytes)
		return false;
	memcpy(last->bytes, rows->open.is.v, n);
	rows->open.is.n = 0;
	return true;
}

bool na_collectives_pack(struct coll_rows *rows, const struct coll_matched *row)
{
	struct na_varint_pack *b = &rows->open;
	struct coll_kind kind = na_collectives_kind_at(rows, row->kind);
	size_t in_group = rows->n % COLL_GROUP;

	if (!in_group && ((rows->n && !close_group(rows)) ||
			  !na_push(&rows->groups)))
		return false;
	rows->groups.v[rows->groups.n - 1].at[in_group] = (uint16_t)b->is.n;
	put_head(b, row);
	if (kind.of_ranks)
		na_varint_put_number(b, row->queued);
	put_rest(b, row);
	if (kind.of_ranks)
		put_ranks(b, row);
	else
		put_devices(b, row);
	rows->n++;
	return !b->failed;
}

/* ---- unpacking */

size_t na_collectives_took(const struct coll_rows *rows,
			   const struct coll_matched *row, size_t n)
{
	return !rows->clipped     ? row->took_full
	       : row->most < COLL_SURE ? n
				  : row->took_part;
}

/* Who is missing, and what the program says beyond what is there. */
static void tell_missing(const struct coll_rows *rows, struct coll_matched *x)
{
	uint32_t n = x->program < rows->n_cores.n
			     ? rows->n_cores.v[x->program]
			     : 0;
	uint64_t all = (uint64_t)x->group_size * x->n_groups;

	x->participants = n ? n : x->took_part;
	x->n_missing =
		n ? (uint32_t)(n - na_collectives_took(rows, x, n)) : 0;
	if (!x->uneven && all > x->participants)
		x->not_captured = all - x->participants;
}

static struct coll_matched head_at(const struct coll_rows *rows, size_t i,
				   const uint8_t **p)
{
	const struct coll_group *group = &rows->groups.v[i / COLL_GROUP];
	struct coll_matched x = {.id = (uint32_t)i};
	const struct na_triple *program;
	struct coll_kind kind;

	*p = (group->bytes ? group->bytes : rows->open.is.v) +
	     group->at[i % COLL_GROUP];
	get_head(p, &x);
	program = &rows->programs.keys[x.program];
	x.run = program->a / NA_N_NETWORKS;
	x.network = (uint8_t)(program->a % NA_N_NETWORKS);
	x.module = program->b;
	kind = na_collectives_kind_at(rows, x.kind);
	x.opcode = kind.opcode;
	x.of_ranks = kind.of_ranks;
	x.uneven = kind.uneven;
	x.group_size = kind.group_size;
	x.n_groups = kind.n_groups;
	x.type = kind.type == NA_UNKNOWN_U32
			 ? na_collectives_word(kind.opcode)
			 : na_strtab_at(rows->names, kind.type);
	if (x.of_ranks)
		x.queued = na_varint_number(p);
	return x;
}

struct coll_matched na_collectives_row_head(const struct coll_rows *rows,
					    size_t i)
{
	const uint8_t *p;

	return head_at(rows, i, &p);
}

struct coll_matched na_collectives_row(const struct coll_rows *rows, size_t i)
{
	const uint8_t *p;
	struct coll_matched x = head_at(rows, i, &p);

	get_rest(&p, &x);
	if (x.of_ranks) {
		get_ranks(&p, &x);
		return x;
	}
	get_devices(&p, &x);
	tell_missing(rows, &x);
	return x;
}

void na_collectives_rows_fini(struct coll_rows *rows)
{
	for (size_t i = 0; i < rows->groups.n; i++)
		free(rows->groups.v[i].bytes);
	na_vec_free(&rows->groups);
	na_vec_free(&rows->open.is);
	na_vec_free(&rows->n_cores);
	na_triples_fini(&rows->programs);
	na_strtab_fini(&rows->kinds);
	na_strtab_fini(&rows->crews);
}

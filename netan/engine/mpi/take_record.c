/* Records of another rank: checked, renamed, into the store. */
#include <string.h>

#include "netan/engine/mpi/send_records.h"

/* ---- what a reader would never tell */

#define TIMED(x) ((x)->start_ps <= (x)->end_ps)
/* They are told when all are there. */
#define NO_STEP(x) ((x)->step == 0 || (x)->step == NA_UNKNOWN_U32)

static bool sane_na_transfer(const struct na_transfer *x)
{
	return TIMED(x) && x->side <= NA_TX && x->klass < NA_N_CLASSES &&
	       x->style < NA_N_STYLES && x->component < NA_N_COMPONENTS &&
	       NO_STEP(x) && x->src != NA_UNKNOWN_U32 &&
	       x->dst != NA_UNKNOWN_U32 && x->collective != NA_UNKNOWN_U32;
}

static bool sane_na_exec(const struct na_exec *x)
{
	return TIMED(x) && x->style < NA_N_STYLES && x->kind < NA_N_ACTIONS &&
	       NO_STEP(x);
}

static bool sane_na_span(const struct na_span *x)
{
	uint8_t piece;

	memcpy(&piece, &x->piece, 1);
	return TIMED(x) && x->kind <= NA_SPAN_MODULE &&
	       x->device <= NA_DEVICE_RANK && x->told <= NA_STEP_BY_TIME &&
	       piece < 2;
}

static bool sane_na_op(const struct na_op *x)
{
	return TIMED(x);
}

static bool sane_na_busy(const struct na_busy *x)
{
	return x->start_ps <= INT64_MAX - NA_BUSY_MAX_PS;
}

static bool sane_na_host_event(const struct na_host_event *x)
{
	return TIMED(x) && na_is_host_event(x->kind) &&
	       x->size_bytes <= INT64_MAX;
}

static bool sane_na_comm(const struct na_comm *x)
{
	return TIMED(x) && x->operation < NA_N_OPCODES &&
	       x->source < NA_N_COMM_SOURCES;
}

static bool sane_na_qp_use(const struct na_qp_use *x)
{
	return TIMED(x) && x->operation < NA_N_OPCODES;
}

/* Inputs with packets are not shared. */
#define NEVER(type) \
	static bool sane_##type(const struct type *x) \
	{ \
		(void)x; \
		return false; \
	}
NEVER(na_call)
NEVER(na_wire_packet)
NEVER(na_connection)
NEVER(na_segment)
NEVER(na_queue_pair)
NEVER(na_qp_mark)

static bool wide_na_packed_transfer(const struct na_packed_transfer *x)
{
	return x->klass == NA_N_CLASSES;
}

static bool wide_na_packed_exec(const struct na_packed_exec *x)
{
	return x->style == NA_N_STYLES;
}

/* ---- renamed */

struct taking {
	struct na_store *s;
	const struct na_translation *t;
	struct na_range r;
	bool no_memory;
};

#define MAPPED(member, map, n) \
	if (x->member != NA_UNKNOWN_U32 && x->member >= (n)) \
		return false; \
	x->member = na_map_index(map, n, x->member);
#define NAME(member)     MAPPED(member, t->m.names, t->m.n_names)
#define ENDPOINT(member) MAPPED(member, t->m.endpoints, t->m.n_endpoints)
#define CORE(member) \
	if (x->member >= t->n_cores) \
		return false; \
	x->member = t->m.cores[x->member] & NA_CORES_MAX;
#define TYPE(member) \
	if (x->member >= t->n_types) \
		return false; \
	x->member = t->m.types[x->member];
#define INPUT \
	if (x->input < k->r.from || x->input >= k->r.to) \
		return false;
/* Done by the rank that has read it, if it is to be believed; a second time it
 * changes nothing. */
#define THEN(f) f(&k->s->devices, x);
#define RENAME(chunks, type, ...) \
	static bool rename_##chunks(const struct taking *k, struct type *x) \
	{ \
		const struct na_translation *t = k->t; \
\
		(void)t; \
		if (!sane_##type(x)) \
			return false; \
		__VA_ARGS__ \
		return true; \
	}

#define NA_RECORD(KIND, chunks, one, type, told, filter, aside, from, to_, \
		  ...) \
	RENAME(chunks, type, __VA_ARGS__) \
	static bool take_##chunks(struct taking *k, struct na_text rows, \
				  struct na_text wide) \
	{ \
		if (rows.n % sizeof(struct type) || wide.n) \
			return false; \
		for (size_t i = 0; i < rows.n; i += sizeof(struct type)) { \
			struct type x, *to; \
\
			memcpy(&x, rows.s + i, sizeof(x)); \
			if (!rename_##chunks(k, &x)) \
				return false; \
			to = na_chunks_push(&k->s->chunks); \
			k->no_memory |= !to; \
			if (!to) \
				return false; \
			*to = x; \
		} \
		return true; \
	}
#define NA_RECORD_PACKED(KIND, chunks, one, type, kept, pack, unpack, widely, \
			 filter, ...) \
	RENAME(chunks, type, __VA_ARGS__) \
	static bool take_##chunks(struct taking *k, struct na_text rows, \
				  struct na_text wide) \
	{ \
		if (rows.n % sizeof(struct kept)) \
			return false; \
		for (size_t i = 0; i < rows.n; i += sizeof(struct kept)) { \
			struct kept p, *to; \
			struct type x; \
\
			memcpy(&p, rows.s + i, sizeof(p)); \
			if (!wide_##kept(&p)) { \
				x = unpack(&p); \
			} else if (wide.n < sizeof(x)) { \
				return false; \
			} else { \
				memcpy(&x, wide.s, sizeof(x)); \
				wide = na_text_n(wide.s + sizeof(x), \
						 wide.n - sizeof(x)); \
			} \
			if (!rename_##chunks(k, &x)) \
				return false; \
			to = na_chunks_push(&k->s->chunks); \
			k->no_memory |= !to || !pack(to, &x, &k->s->widely); \
			if (k->no_memory) \
				return false; \
		} \
		return !wide.n; \
	}
#include "netan/model/records.def"

bool na_records_take(struct na_store *s, const struct na_translation *t,
		     struct na_range r, struct na_cursor *c, bool *no_memory)
{
	struct taking k = {.s = s, .t = t, .r = r};
	struct na_text rows, wide;
	size_t kind;
	bool ok = false;

	if (!na_hear_index(c, NA_N_RECORDS, &kind) || !na_hear_run(c, &rows) ||
	    !na_hear_run(c, &wide))
		return false;
	switch ((enum na_record_kind)kind) {
#define NA_RECORD(KIND, chunks, ...) \
	case NA_RECORDS_##KIND: \
		ok = take_##chunks(&k, rows, wide); \
		break;
#include "netan/model/records.def"
	case NA_N_RECORDS:
		break;
	}
	*no_memory = k.no_memory;
	return ok;
}

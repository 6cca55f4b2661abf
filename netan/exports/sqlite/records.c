#include "netan/exports/sqlite/records.h"
#include "members.h"

#include <sqlite3.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/engine/parallel.h"
#include "netan/exports/sqlite/clocks.h"
#include "netan/exports/sqlite/texts.h"
#include "netan/model/gpu/kernels.h"
#include "netan/model/group.h"

enum { LOOK_EVERY = 4096 }; /* rows, for the wish to stop */
enum { EXECUTION_COLUMNS = 9 };

struct records {
	struct na_sql_db *db;
	const struct na_scope *scope;
	struct na_sql_texts texts;
	sqlite3_stmt *to[NA_SQL_N_TABLES];
	int column[EXECUTION_COLUMNS]; /* of executions, the first is 1 */
	uint64_t seen;
	bool stopped;
};

struct block {
	struct records *to;
};

/* Columns of executions that a record tells, in the order of put_graph(). */
static const char *const of_graph[EXECUTION_COLUMNS] = {
	M_collective, "start_ns",      M_bytes, "end_ns", M_device,
	M_host,       M_transfer_type, M_step,  M_label,
};

/* The table has others among them, which stay null. */
static void find_columns(struct records *r)
{
	const struct na_sql_column *c = r->db->columns[NA_SQL_executions];

	for (size_t i = 0; i < NA_LEN(of_graph); i++) {
		while (strcmp(c[r->column[i]++].name, of_graph[i]) != 0)
			;
	}
}

static enum na_status records_open(void *state, const struct na_scope *scope,
				   const void *params, struct na_err *err)
{
	static const enum na_sql_table_id tables[] = {NA_SQL_transfers,
						      NA_SQL_sends,
						      NA_SQL_instants,
						      NA_SQL_executions,
						      NA_SQL_operations};
	const struct na_sql_records_params *p = params;
	struct records *r = state;

	r->db = p->db;
	r->scope = scope;
	find_columns(r);
	if (!na_sql_texts(&r->texts, scope->store, p->db->request))
		return na_fail_nomem(err);
	for (size_t i = 0; i < NA_LEN(tables); i++)
		r->to[tables[i]] = na_sql_adder(p->db, tables[i]);
	return NA_OK;
}

static enum na_status records_fork(void *block, const void *state,
				   unsigned pass)
{
	(void)pass;
	/* One thread: blocks are done in turn, and own nothing. */
	((struct block *)block)->to = (struct records *)(uintptr_t)state;
	return NA_OK;
}

static enum na_status records_merge(void *state, void *block, unsigned pass)
{
	(void)state;
	(void)block;
	(void)pass;
	return NA_OK;
}

/* Is there to be such a row? */
static bool goes_on(struct records *r, enum na_sql_table_id table)
{
	if (++r->seen % LOOK_EVERY == 0)
		r->stopped = na_interrupted();
	return r->to[table] && !r->stopped;
}

struct row { /* being bound; what nobody reads stays null */
	sqlite3_stmt *s;
	uint64_t read; /* columns, by bit */
	int i;         /* those before */
};

static struct row row_of(const struct records *r, enum na_sql_table_id table)
{
	return (struct row){r->to[table], r->db->read[table], 0};
}

/* On to the next column, which is to be bound, or left. */
static bool is_read(struct row *x)
{
	return x->read >> x->i++ & 1;
}

static void put_text(struct row *x, struct na_sql_text t)
{
	if (!is_read(x))
		return;
	if (t.s)
		sqlite3_bind_text(x->s, x->i, t.s, t.n, SQLITE_STATIC);
	else
		sqlite3_bind_null(x->s, x->i);
}

static void put_word(struct row *x, const char *word)
{
	put_text(x, (struct na_sql_text){word, word ? -1 : 0});
}

static void put_int_if(struct row *x, bool known, int64_t v)
{
	if (!is_read(x))
		return;
	if (known)
		sqlite3_bind_int64(x->s, x->i, v);
	else
		sqlite3_bind_null(x->s, x->i);
}

static void put_int(struct row *x, int64_t v)
{
	put_int_if(x, true, v);
}

static void put_bytes(struct row *x, uint64_t n)
{
	put_int(x, n < INT64_MAX ? (int64_t)n : INT64_MAX);
}

static void put_us_if(struct row *x, bool known, int64_t ps)
{
	if (!is_read(x))
		return;
	if (known)
		sqlite3_bind_double(x->s, x->i,
				    (double)ps / (double)NA_PS_PER_US);
	else
		sqlite3_bind_null(x->s, x->i);
}

static void put_step(struct row *x, const struct na_store *s, uint32_t step)
{
	put_int_if(x, step < s->n_steps,
		   step < s->n_steps ? s->steps[step].number : 0);
}

static enum na_sql_table_id table_of(const struct na_transfer *t)
{
	if (t->klass == NA_CLOCK_SKEW || t->klass == NA_NO_LATENCY)
		return NA_SQL_instants;
	return t->side == NA_RX ? NA_SQL_transfers : NA_SQL_sends;
}

static const struct na_grouping by_type = {.keys = {NA_KEY_TRANSFER_TYPE},
					   .n = 1};

static uint64_t type_of(const struct na_store *s, const struct na_transfer *t)
{
	uint64_t values[NA_MAX_KEYS];

	na_group_of(&by_type, s, t, values);
	return values[0];
}

static uint64_t type_of_exec(const struct na_store *s, const struct na_exec *e)
{
	uint64_t values[NA_MAX_KEYS];

	na_group_of_exec(&by_type, s, e, values);
	return values[0];
}

static enum na_status add_transfer(void *block, const struct na_transfer *t)
{
	struct records *r = ((struct block *)block)->to;
	const struct na_store *s = r->scope->store;
	enum na_sql_table_id table = table_of(t);
	uint32_t run = na_store_run_of(s, t->input);
	struct row x = row_of(r, table);

	if (!goes_on(r, table))
		return NA_OK;
	put_int(&x, na_sql_ns(t->start_ps));
	put_int(&x, na_sql_ns(t->end_ps));
	put_us_if(&x, table != NA_SQL_instants, t->end_ps - t->start_ps);
	put_bytes(&x, t->size_bytes);
	put_text(&x, na_sql_endpoint(&r->texts, t->src));
	put_text(&x, na_sql_endpoint(&r->texts, t->dst));
	put_text(&x, na_sql_host_of(&r->texts, run, t->src));
	put_text(&x, na_sql_host_of(&r->texts, run, t->dst));
	put_text(&x, na_sql_name(&r->texts, t->collective));
	put_text(&x, na_sql_name(&r->texts, type_of(s, t)));
	put_step(&x, s, t->step);
	put_word(&x, na_component_name(t->component));
	put_us_if(&x, t->action_ps != NA_UNKNOWN_PS, t->action_ps);
	put_int_if(&x, t->launch != NA_UNKNOWN_U32, t->launch);
	put_int_if(&x, t->iteration != NA_UNKNOWN_U32, t->iteration);
	put_int_if(&x, t->chunk != NA_UNKNOWN_I32, t->chunk);
	put_text(&x, r->texts.labels[run]);
	if (table == NA_SQL_instants) {
		put_word(&x, t->side == NA_RX ? "rx" : "tx");
		put_word(&x, t->klass == NA_CLOCK_SKEW ? M_clock_skew
						       : M_no_latency);
	}
	na_sql_add(r->db, table, x.s);
	return NA_OK;
}

static enum na_status add_graph(void *block, const struct na_exec *e)
{
	struct records *r = ((struct block *)block)->to;
	const struct na_store *s = r->scope->store;
	struct row x = row_of(r, NA_SQL_executions);
	const int *column = r->column;

	if (!goes_on(r, NA_SQL_executions))
		return NA_OK;
#define NEXT (x.i = *column++ - 1, &x)
	put_text(NEXT, na_sql_name(&r->texts, e->collective));
	put_int(NEXT, na_sql_ns(e->start_ps));
	put_bytes(NEXT, e->size_bytes);
	put_int(NEXT, na_sql_ns(e->end_ps));
	put_text(NEXT, na_sql_endpoint(&r->texts, e->device));
	put_text(NEXT, r->texts.inputs[e->input]);
	put_text(NEXT, na_sql_name(&r->texts, type_of_exec(s, e)));
	put_step(NEXT, s, e->step);
	put_text(NEXT, r->texts.labels[na_store_run_of(s, e->input)]);
#undef NEXT
	na_sql_add(r->db, NA_SQL_executions, x.s);
	return NA_OK;
}

/* clang-format off */
static const char *const sources[] = {
	[NA_COMM_KERNEL] = "kernel", [NA_COMM_CPU] = "cpu",
	[NA_COMM_QUEUED] = "queued", [NA_COMM_HELD] = "held",
	[NA_COMM_LASTED] = "lasted", [NA_COMM_BEGUN] = "begun",
};
/* clang-format on */

static const char *word_of(const struct na_comm *c)
{
	return c->operation == NA_OPCODE_SEND   ? "SEND"
	       : c->operation == NA_OPCODE_RECV ? "RECV"
						: na_opcode_word(c->operation);
}

/* --collective: as the row calls it, or netan collectives. */
static bool is_asked(const struct records *r, const struct na_comm *c)
{
	const struct na_filter *f = r->scope->filter;
	const char *word = word_of(c);
	bool pair = c->operation == NA_OPCODE_SEND ||
		    c->operation == NA_OPCODE_RECV;

	return na_filter_comm_when(r->scope->bound, c) &&
	       (na_filter_collective(f, word ? word : "") ||
		(pair && na_filter_collective(
				 f, na_opcode_word(NA_OPCODE_SEND_RECV))));
}

static enum na_status add_comm(void *block, const struct na_comm *c)
{
	struct records *r = ((struct block *)block)->to;
	const struct na_store *s = r->scope->store;
	const struct na_core *core = &s->devices.cores[c->core];
	struct row x = row_of(r, NA_SQL_operations);

	if (!goes_on(r, NA_SQL_operations) || !is_asked(r, c))
		return NA_OK;
	put_int(&x, na_sql_ns(c->start_ps));
	put_int(&x, na_sql_ns(c->end_ps));
	put_word(&x, word_of(c));
	put_text(&x, na_sql_name(&r->texts, c->group));
	put_int_if(&x, c->group_size, c->group_size);
	put_int_if(&x, c->sequence >= 0, c->sequence);
	put_int_if(&x, c->size_bytes != NA_UNKNOWN_U64, (int64_t)c->size_bytes);
	put_text(&x, na_sql_name(&r->texts, c->type));
	put_int_if(&x, core->kind == NA_DEVICE_RANK, core->number);
	put_text(&x, r->texts.inputs[c->input]);
	put_int_if(&x, c->peer >= 0, c->peer);
	put_word(&x, sources[c->source]);
	put_text(&x, r->texts.labels[na_store_run_of(s, c->input)]);
	na_sql_add(r->db, NA_SQL_operations, x.s);
	return NA_OK;
}

static enum na_status records_finish(void *state, struct na_result *r,
				     struct na_err *err)
{
	const struct records *x = state;

	(void)r;
	(void)err;
	na_sql_find_clocks(x->db, x->scope);
	return NA_OK;
}

static void records_fini(void *state)
{
	struct records *r = state;

	for (size_t i = 0; i < NA_SQL_N_TABLES; i++)
		sqlite3_finalize(r->to[i]);
	na_sql_texts_fini(&r->texts);
}

static void block_fini(void *block)
{
	(void)block;
}

const struct na_analysis na_sql_records = {
	.info.name = "records",
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		 NA_WANT_COMMS,
	.both_sides = true,
	.instants = true,
	.by_steps = true,
	.passes = 1,
	.state_size = sizeof(struct records),
	.block_size = sizeof(struct block),
	.open = records_open,
	.fork = records_fork,
	.add_transfer = add_transfer,
	.add_graph = add_graph,
	.add_comm = add_comm,
	.merge = records_merge,
	.finish = records_finish,
	.fini = records_fini,
	.fini_block = block_fini,
};

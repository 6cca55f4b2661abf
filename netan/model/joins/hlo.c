/*
 * Op types from HLO modules: which module, which instruction, and what it
 * and the instruction that it waits for tell.
 */
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/model/joins/join.h"

/* Instructions between a -done and its start that only hand it on. */
enum { CHAIN = 16 };

/* ---- instructions of one module */

struct named {
	uint32_t name, instruction;
};

NA_ORDER(by_name, struct named, NA_UP(name), NA_UP(instruction))

static bool is(const struct join *j, const struct na_hlo_instruction *x,
	       const char *opcode)
{
	return strcmp(na_strtab_at(&j->h->strings, x->opcode_name), opcode) ==
	       0;
}

static bool hands_on(const struct join *j, const struct na_hlo_instruction *x)
{
	return is(j, x, "get-tuple-element") || is(j, x, "bitcast") ||
	       is(j, x, "copy") || is(j, x, "opt-barrier") ||
	       is(j, x, "async-update");
}

/* The start of a -done, by its operands; NA_NO_NAME. */
static uint32_t start_of(const struct join *j, const struct na_hlo_module *m,
			 uint32_t i)
{
	const struct na_hlo_instruction *done = &m->instructions[i], *x = done;

	for (int k = 0; k < CHAIN && x->n_operands; k++) {
		i = m->operands[x->first_operand];
		if (i == NA_NO_NAME)
			break;
		x = &m->instructions[i];
		if (x->opcode == done->opcode && x->phase == NA_OP_START)
			return i;
		if (!hands_on(j, x))
			break;
	}
	return NA_NO_NAME;
}

static bool prepare(struct join *j, uint32_t module)
{
	const struct na_hlo_module *m = &j->h->modules[module];
	struct join_module *to = &j->modules[module];
	size_t n = m->n_instructions;
	struct named *all;

	if (to->by_name)
		return true;
	all = na_calloc(n, sizeof(*all));
	to->by_name = na_calloc(n, sizeof(*to->by_name));
	to->done_of = na_calloc(n, sizeof(*to->done_of));
	if (!all || !to->by_name || !to->done_of) {
		free(all);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		all[i] = (struct named){m->instructions[i].name, i};
		to->done_of[i] = NA_NO_NAME;
	}
	na_sort(all, n, by_name);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t start = NA_NO_NAME;

		to->by_name[i] = all[i].instruction;
		if (m->instructions[i].phase == NA_OP_DONE)
			start = start_of(j, m, i);
		if (start != NA_NO_NAME && to->done_of[start] == NA_NO_NAME)
			to->done_of[start] = i;
	}
	free(all);
	return true;
}

/* The first of that name; NA_NO_NAME. */
static uint32_t find(const struct join *j, uint32_t module, uint32_t name)
{
	const struct na_hlo_module *m = &j->h->modules[module];
	const uint32_t *at = j->modules[module].by_name;
	size_t low = NA_BOUND(i, 0, m->n_instructions,
			      m->instructions[at[i]].name >= name);

	return low < m->n_instructions && m->instructions[at[low]].name == name
		       ? at[low]
		       : NA_NO_NAME;
}

static uint32_t hlo_name(const struct join *j, uint32_t name)
{
	const char *s = na_strtab_at(&j->s->names.strings, name);

	return na_strtab_find(&j->h->strings, s, strlen(s));
}

/* The instruction that an op ran: nothing that the trace says of it may
 * contradict, for a dump can be of another compilation.  Of a GPU kernel
 * only the name is known. */
static uint32_t instruction_of(const struct join *j, uint32_t module,
			       const struct na_op_type *t)
{
	const struct na_hlo_instruction *x;
	uint32_t name = hlo_name(j, t->name), i;

	i = name == NA_NO_NAME ? NA_NO_NAME : find(j, module, name);
	if (i == NA_NO_NAME || t->network == NA_NET_GPU)
		return i;
	x = &j->h->modules[module].instructions[i];
	if (x->opcode != t->opcode || x->phase != t->phase ||
	    (t->size_bytes != NA_UNKNOWN_U64 &&
	     x->size_bytes != NA_UNKNOWN_U64 &&
	     t->size_bytes != x->size_bytes) ||
	    (t->channel >= 0 && x->channel >= 0 && t->channel != x->channel))
		return NA_NO_NAME;
	return i;
}

/* ---- what it tells */

/* Without the context, which does not move. */
static uint64_t buffer_of(const struct na_hlo_instruction *x)
{
	return x->size_bytes != NA_UNKNOWN_U64 &&
			       x->size_bytes > NA_JOIN_CONTEXT_BYTES
		       ? x->size_bytes - NA_JOIN_CONTEXT_BYTES
		       : x->size_bytes;
}

/* Bytes that move.  Results of starts hold a context, or the operands too:
 * what their -done returns is meant; of a send, what it sends. */
static uint64_t moved(const struct join *j, uint32_t module, uint32_t i,
		      uint32_t start)
{
	const struct na_hlo_module *m = &j->h->modules[module];
	const struct na_hlo_instruction *x = &m->instructions[i];
	uint32_t done = j->modules[module].done_of[i];

	if (x->opcode == NA_OPCODE_SEND) {
		if (x->phase != NA_OP_DONE)
			return buffer_of(x);
		return start == NA_NO_NAME ? NA_UNKNOWN_U64
					   : buffer_of(&m->instructions[start]);
	}
	if (x->phase != NA_OP_START)
		return x->size_bytes;
	if (done != NA_NO_NAME)
		return m->instructions[done].size_bytes;
	return x->opcode == NA_OPCODE_RECV ? buffer_of(x) : x->size_bytes;
}

/* replica_groups={}: all of them, by what the instruction runs over. */
static void all_devices(const struct na_hlo_module *m,
			const struct na_hlo_instruction *x,
			struct na_op_type *t)
{
	uint64_t replicas = m->replicas, partitions = m->partitions;
	uint64_t size = replicas, groups = partitions;

	if (!replicas || !partitions)
		return;
	if (x->channel >= 0) {
		bool split = x->opcode == NA_OPCODE_ALL_TO_ALL ||
			     x->opcode == NA_OPCODE_RAGGED_ALL_TO_ALL ||
			     x->opcode == NA_OPCODE_BROADCAST;

		size = split ? partitions : replicas * partitions;
		groups = split ? replicas : 1;
	}
	if (size > INT32_MAX)
		return;
	t->group_size = (uint32_t)size;
	t->n_groups = (uint32_t)groups;
}

static void take_groups(const struct na_hlo_module *m,
			const struct na_hlo_instruction *x,
			struct na_op_type *t)
{
	if (t->group_size)
		return;
	if (x->group_size) {
		t->group_size = x->group_size;
		t->n_groups = x->n_groups;
		t->uneven = x->uneven;
	} else if (x->all_devices) {
		all_devices(m, x, t);
	}
}

/* A name of the modules in the store's names. */
static bool take_name(struct join *j, uint32_t name, uint32_t *to)
{
	const char *s = na_strtab_at(&j->h->strings, name);

	if (name == NA_NO_NAME || *to != NA_UNKNOWN_U32)
		return true;
	*to = na_strtab_add(&j->s->names.strings, s, strlen(s));
	return *to != NA_NO_NAME;
}

static bool take(struct join *j, const struct na_hlo_module *m,
		 const struct na_hlo_instruction *x, struct na_op_type *t)
{
	if (t->channel < 0)
		t->channel = x->channel;
	take_groups(m, x, t);
	return (t->network != NA_NET_DCN ||
		take_name(j, x->rendezvous, &t->collective)) &&
	       take_name(j, x->transfer_type, &t->transfer_type);
}

/* Sends and receives within the slice, and those of other runtimes, which
 * stay in the host. */
static void right_network(const struct join *j,
			  const struct na_hlo_instruction *own,
			  const struct na_hlo_instruction *start,
			  struct na_op_type *t)
{
	uint32_t handler = own->handler;
	/* What the trace itself says of the network stands, and what no start
	 * is known of says too little. */
	bool told = t->collective != NA_UNKNOWN_U32 || t->group_size ||
		    (own->phase == NA_OP_DONE && !start);

	if (!na_join_is_transfer(t) || t->network == NA_NET_GPU)
		return;
	if (start && handler == NA_NO_NAME)
		handler = start->handler;
	if (own->host_transfer || (start && start->host_transfer) ||
	    handler != NA_NO_NAME)
		t->network = NA_NET_DCN;
	else if (!told)
		t->network = NA_NET_ICI;
	if (handler != NA_NO_NAME &&
	    strcmp(na_strtab_at(&j->h->strings, handler),
		   "xla_megascale_runtime") != 0)
		t->opcode = NA_OPCODE_OTHER;
}

static bool complete(struct join *j, uint32_t module, uint32_t i,
		     struct na_op_type *t)
{
	const struct na_hlo_module *m = &j->h->modules[module];
	const struct na_hlo_instruction *x = &m->instructions[i], *start = NULL;
	uint32_t at = NA_NO_NAME;
	uint64_t size;
	bool named;

	if (x->phase == NA_OP_DONE)
		at = start_of(j, m, i);
	if (at != NA_NO_NAME)
		start = &m->instructions[at];
	right_network(j, x, start, t);
	size = moved(j, module, i, at);
	if (size != NA_UNKNOWN_U64 || x->opcode == NA_OPCODE_SEND)
		t->size_bytes = size;
	if (!take(j, m, x, t))
		return false;
	named = t->network != NA_NET_DCN || x->rendezvous != NA_NO_NAME;
	if (named)
		t->joined = NA_OPJOIN_INSTRUCTION;
	if (!start)
		return true;
	if (!named && t->collective == NA_UNKNOWN_U32 &&
	    start->rendezvous != NA_NO_NAME)
		t->joined = NA_OPJOIN_GRAPH;
	if (t->phase == NA_OP_DONE) {
		t->start_op = NA_UNKNOWN_U32;
		if (!take_name(j, start->name, &t->start_op))
			return false;
	}
	return take(j, m, start, t);
}

/* ---- which module */

NA_ORDER(by_key, struct join_key, NA_UP(input), NA_UP(key), NA_UP(module))

static struct join_key *sorted(const struct na_hlo *h, bool names)
{
	struct join_key *keys = na_calloc(h->n_modules, sizeof(*keys));

	for (uint32_t i = 0; keys && i < h->n_modules; i++) {
		const struct na_hlo_module *m = &h->modules[i];

		keys[i] = (struct join_key){m->input, i,
					    names ? m->name : m->program_id};
	}
	if (keys)
		na_sort(keys, h->n_modules, by_key);
	return keys;
}

/* Of equal input and key: the first, and how many. */
static size_t range(const struct join_key *keys, size_t n_keys, uint32_t input,
		    uint64_t key, size_t *n)
{
	const struct join_key want = {.input = input, .key = key};
	size_t low = NA_BOUND(i, 0, n_keys, by_key(&keys[i], &want) >= 0);

	*n = 0;
	while (low + *n < n_keys && *n < NA_JOIN_CANDIDATES &&
	       keys[low + *n].input == input && keys[low + *n].key == key)
		++*n;
	return low;
}

/* Op types of one program. */
struct program {
	const uint32_t *types;
	size_t n;
	const struct na_op_type *first;
};

static size_t score(struct join *j, const struct program *p, uint32_t module,
		    bool *ok)
{
	size_t found = 0;

	*ok = *ok && prepare(j, module);
	for (size_t i = 0; *ok && i < p->n; i++)
		found += instruction_of(
				 j, module,
				 &j->s->devices.types.items[p->types[i]]) !=
			 NA_NO_NAME;
	return found;
}

/* Of the modules that may be it, the one with most of the ops; a dump of
 * the same host before others. */
static uint32_t best(struct join *j, const struct program *p,
		     const struct join_key *keys, size_t n, bool *ok)
{
	const char *host = j->s->sources[p->first->input].host;
	uint32_t found = NA_NO_NAME;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct na_hlo_module *m = &j->h->modules[keys[i].module];
		size_t x = 2 * score(j, p, keys[i].module, ok);

		if (x && host && m->worker < j->h->n_workers &&
		    strcmp(j->h->workers[m->worker].name, host) == 0)
			x++;
		if (x > most) {
			most = x;
			found = keys[i].module;
		}
	}
	return found;
}

/* The name of a program from its runs, "jit_step(123)". */
static uint32_t name_of_run(const struct join *j, const struct na_op_type *t)
{
	size_t at, n;

	if (t->program_id == NA_UNKNOWN_U64)
		return NA_NO_NAME;
	at = range(j->runs, j->n_runs, t->input, t->program_id, &n);
	return n ? j->runs[at].module : NA_NO_NAME;
}

bool na_join_program_id(const char *s, uint64_t *id, size_t *open)
{
	const char *paren = strrchr(s, '(');
	char *end;

	if (!paren || paren[1] < '0' || paren[1] > '9')
		return false;
	*id = strtoull(paren + 1, &end, 10);
	*open = (size_t)(paren - s);
	return end[0] == ')' && !end[1];
}

/* Of each program that ran its name, as the modules have it. */
static bool list_runs(struct join *j)
{
	size_t n_names = j->s->names.strings.n, cap = 0;
	uint32_t *seen = na_calloc(n_names, sizeof(*seen)); /* input + 1 */
	bool ok = seen;

	na_each_record (const struct na_span, x, &j->s->modules) {
		const char *s = na_strtab_at(&j->s->names.strings, x->name);
		uint32_t name;
		uint64_t id;
		size_t n;

		if (!ok || x->name >= n_names ||
		    seen[x->name] == x->input + 1u ||
		    !na_join_program_id(s, &id, &n))
			continue;
		seen[x->name] = x->input + 1u;
		name = na_strtab_find(&j->h->strings, s, n);
		if (name == NA_NO_NAME)
			continue;
		ok = na_grow(&j->runs, &cap, j->n_runs + 1, sizeof(*j->runs));
		if (ok)
			j->runs[j->n_runs++] = (struct join_key){x->input, name,
								 id};
	}
	free(seen);
	if (ok)
		na_sort(j->runs, j->n_runs, by_key);
	return ok;
}

/* Nothing names the program: of the input's modules the only one that has
 * most of the ops. */
static uint32_t any_module(struct join *j, const struct program *p,
			   uint32_t input, bool *ok)
{
	uint32_t found = NA_NO_NAME;
	size_t at, n, most = 0;

	at = range(j->by_id, j->h->n_modules, input, 0, &n);
	for (n = 0; n < NA_JOIN_CANDIDATES && at < j->h->n_modules &&
		    j->by_id[at].input == input;
	     n++, at++) {
		size_t x = score(j, p, j->by_id[at].module, ok);

		if (x > most)
			found = j->by_id[at].module;
		else if (x == most)
			found = NA_NO_NAME;
		most = x > most ? x : most;
	}
	return found;
}

static uint32_t module_of(struct join *j, const struct program *p, bool *ok)
{
	const struct na_op_type *t = p->first;
	uint32_t found = NA_NO_NAME, name;
	size_t at, n;

	if (t->program_id == NA_UNKNOWN_U64 && t->module == NA_UNKNOWN_U32 &&
	    t->network != NA_NET_GPU) {
		found = any_module(j, p, t->input, ok);
		return found == NA_NO_NAME && *ok
			       ? any_module(j, p, NA_UNKNOWN_U32, ok)
			       : found;
	}

	if (t->program_id != NA_UNKNOWN_U64) {
		at = range(j->by_id, j->h->n_modules, t->input, t->program_id,
			   &n);
		found = best(j, p, j->by_id + at, n, ok);
	}
	if (found != NA_NO_NAME || !*ok)
		return found;
	name = t->module != NA_UNKNOWN_U32 ? hlo_name(j, t->module)
					   : name_of_run(j, t);
	if (name == NA_NO_NAME)
		return NA_NO_NAME;
	at = range(j->by_name, j->h->n_modules, t->input, name, &n);
	found = best(j, p, j->by_name + at, n, ok);
	if (found != NA_NO_NAME || !*ok)
		return found;
	at = range(j->by_name, j->h->n_modules, NA_UNKNOWN_U32, name, &n);
	return best(j, p, j->by_name + at, n, ok);
}

/* ---- all types, program by program */

struct typed {
	const struct na_op_type *t;
	uint32_t index;
};

NA_ORDER(by_program, struct typed, na_join_program_order(x->t, y->t),
	 NA_UP(index))

static bool join_program(struct join *j, const struct program *p)
{
	struct na_op_type *types = j->s->devices.types.items;
	bool ok = true;
	uint32_t module = module_of(j, p, &ok);

	for (size_t i = 0; ok && module != NA_NO_NAME && i < p->n; i++) {
		struct na_op_type *t = &types[p->types[i]];
		uint32_t at = instruction_of(j, module, t);

		if (at == NA_NO_NAME)
			continue;
		j->told[p->types[i]] = true;
		ok = complete(j, module, at, t);
	}
	return ok;
}

static bool join_all(struct join *j)
{
	const struct na_op_types *types = &j->s->devices.types;
	struct typed *all = na_calloc(types->n, sizeof(*all));
	uint32_t *order = na_calloc(types->n, sizeof(*order));
	bool ok = all && order;

	for (uint32_t i = 0; ok && i < types->n; i++)
		all[i] = (struct typed){&types->items[i], i};
	if (ok)
		na_sort(all, types->n, by_program);
	for (size_t i = 0; ok && i < types->n; i++)
		order[i] = all[i].index;
	for (size_t i = 0, to; ok && i < types->n; i = to) {
		struct program p = {.types = order + i, .first = all[i].t};

		for (to = i + 1;
		     to < types->n &&
		     na_join_program_order(all[to].t, all[i].t) == 0;
		     to++)
			;
		p.n = to - i;
		ok = join_program(j, &p);
	}
	free(all);
	free(order);
	return ok;
}

enum na_status na_join_modules(struct join *j)
{
	size_t n = j->h ? j->h->n_modules : 0;
	bool ok;

	if (!n)
		return NA_OK;
	j->modules = na_calloc(n, sizeof(*j->modules));
	j->by_id = sorted(j->h, false);
	j->by_name = sorted(j->h, true);
	ok = j->modules && j->by_id && j->by_name && list_runs(j) &&
	     join_all(j);
	for (size_t i = 0; j->modules && i < n; i++) {
		free(j->modules[i].by_name);
		free(j->modules[i].done_of);
	}
	free(j->modules);
	free(j->by_id);
	free(j->by_name);
	free(j->runs);
	return ok ? NA_OK : na_fail_nomem(j->err);
}

/* hlo: what a program communicates. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/hlo/state.h"
#include "netan/base/order.h"

/* The second member of a send's or a receive's shape, u32[]. */
enum { CONTEXT_BYTES = 4 };

struct program {
	const struct na_programs *p;
	const struct na_hlo_module *m;
	uint32_t *done; /* by instruction: what completes it */
	enum na_hlo_target target;
};

static bool communicates(const struct na_hlo_instruction *x)
{
	return x->opcode != NA_OPCODE_OTHER && x->opcode != NA_OPCODE_CONTAINER;
}

static bool over_dcn(const struct program *g,
		     const struct na_hlo_instruction *x)
{
	const char *handler = na_program_text(g->p, x->handler);

	return x->host_transfer &&
	       (x->transfer_type != NA_NO_NAME ||
		(handler && strcmp(handler, "xla_megascale_runtime") == 0));
}

static const char *network_of(const struct program *g,
			      const struct na_hlo_instruction *x)
{
	if (over_dcn(g, x))
		return "dcn";
	if (x->host_transfer)
		return "host";
	return g->target == NA_HLO_TPU   ? "ici"
	       : g->target == NA_HLO_GPU ? "gpu"
					 : NULL;
}

static bool says_any(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strstr(text, words[i]))
			return true;
	}
	return false;
}

/* What only the compiler of one kind of devices writes: fields of its
 * backend_config, targets of its custom calls, tiled layouts. */
static enum na_hlo_target target_in(const char *text)
{
	static const char *const of_gpu[] = {"operation_queue_id", "__cublas$",
					     "__cudnn$", "__triton"};
	static const char *const of_tpu[] = {"scoped_memory_configs",
					     "flag_configs", "tpu_custom_call",
					     ":T(8,128)"};

	if (says_any(text, of_gpu, NA_LEN(of_gpu)))
		return NA_HLO_GPU;
	return says_any(text, of_tpu, NA_LEN(of_tpu)) ? NA_HLO_TPU
						      : NA_HLO_ANYWHERE;
}

/* By the planes of the traces that it is in, or else by what it says; only
 * TPUs have collectives between slices. */
static enum na_hlo_target target_of(const struct program *g,
				    const struct na_program *p)
{
	const struct na_hlo_module *m = g->m;
	enum na_hlo_target found = NA_HLO_ANYWHERE;
	bool both = false;

	for (size_t i = 0; i < p->n; i++) {
		const struct na_program_copy *c = &g->p->copies[p->first + i];
		enum na_hlo_target t = g->p->h->modules[c->module].target;

		both |= t && found && t != found;
		found = t ? t : found;
	}
	for (size_t i = 0; !found && m->instructions && i < m->n_instructions;
	     i++) {
		const char *text = m->texts ? na_program_text(g->p, m->texts[i])
					    : NULL;

		if (over_dcn(g, &m->instructions[i]))
			found = NA_HLO_TPU;
		else if (text)
			found = target_in(text);
	}
	return both ? NA_HLO_ANYWHERE : found;
}

static bool two_sided(const struct na_hlo_instruction *x)
{
	return x->opcode == NA_OPCODE_SEND || x->opcode == NA_OPCODE_RECV;
}

/* What is moved: the result of the -done where there is one, as the shape of
 * a start holds more; a send's result is a token, so its start counts. */
static uint64_t bytes_of(const struct program *g, size_t i)
{
	const struct na_hlo_instruction *x = &g->m->instructions[i];
	uint32_t done = g->done[i];

	if (x->opcode != NA_OPCODE_SEND && done != NA_NO_NAME)
		return g->m->instructions[done].size_bytes;
	if (two_sided(x) && x->size_bytes != NA_UNKNOWN_U64)
		return x->size_bytes >= CONTEXT_BYTES
			       ? x->size_bytes - CONTEXT_BYTES
			       : 0;
	return x->size_bytes;
}

/* "0,2:3": how many numbers; 0: not of this form.  *s is behind them. */
static uint64_t count_range(const char **s)
{
	uint64_t n = 0;

	do {
		char *end;
		unsigned long from = strtoul(++*s, &end, 10), to = from;

		if (end == *s)
			return 0;
		*s = end;
		if (*end == ':') {
			to = strtoul(end + 1, &end, 10);
			if (end == *s + 1)
				return 0;
			*s = end;
		}
		if (to < from || to > UINT32_MAX)
			return 0;
		n += to - from + 1;
	} while (**s == ',');
	return **s == '}' ? n : 0;
}

/* Of "{slices}x{devices}", as "{0,2}x{0:3}"; 0: not told. */
static uint64_t in_target(const struct program *g, size_t i)
{
	static const char key[] = "_xla_megascale_target=\"";
	const char *text = g->m->texts ? na_program_text(g->p, g->m->texts[i])
				       : NULL;
	const char *s = text ? strstr(text, key) : NULL;
	uint64_t slices, devices;

	if (!s || s[strlen(key)] != '{')
		return 0;
	s += strlen(key);
	slices = count_range(&s);
	if (!slices || strncmp(s, "}x{", 3) != 0)
		return 0;
	s += 2;
	devices = count_range(&s);
	return devices > UINT32_MAX || slices > UINT32_MAX ? 0
							   : slices * devices;
}

/* Devices that take part; 0: not told. */
static uint64_t participants(const struct program *g, size_t i)
{
	const struct na_hlo_instruction *x = &g->m->instructions[i];
	uint64_t all = (uint64_t)(g->m->replicas ? g->m->replicas : 1) *
		       (g->m->partitions ? g->m->partitions : 1);

	if (x->all_devices)
		return g->m->replicas || g->m->partitions ? all : 0;
	if (over_dcn(g, x))
		return in_target(g, i);
	return x->uneven ? 0 : (uint64_t)x->group_size * x->n_groups;
}

static uint32_t name_of_done(const struct program *g, size_t i)
{
	uint32_t done = g->done[i];

	return done == NA_NO_NAME ? done : g->m->instructions[done].name;
}

static void put_known(struct na_result *r, struct na_value *row,
		      const char *name, uint64_t n, bool known)
{
	if (known)
		na_put_int(r, row, name, (int64_t)n);
	else
		na_put_null(r, row, name);
}

static void put_collective(const struct program *g, struct na_result *r,
			   size_t i, struct na_value *row)
{
	const struct na_hlo_instruction *x = &g->m->instructions[i];
	uint64_t bytes = bytes_of(g, i), n = participants(g, i);

	na_put_text(r, row, M_name, na_program_text(g->p, x->name));
	na_put_text(r, row, M_opcode, na_program_text(g->p, x->opcode_name));
	na_put_text(r, row, M_network, network_of(g, x));
	na_put_text(r, row, M_rendezvous, na_program_text(g->p, x->rendezvous));
	na_put_text(r, row, M_transfer_type,
		    na_program_text(g->p, x->transfer_type));
	put_known(r, row, M_channel, (uint64_t)x->channel, x->channel >= 0);
	put_known(r, row, M_bytes, bytes, bytes <= INT64_MAX);
	put_known(r, row, M_participants, n, n > 0 && n <= INT64_MAX);
	put_known(r, row, M_group_size, x->group_size, x->group_size > 0);
	put_known(r, row, M_groups, x->n_groups, x->n_groups > 0);
	na_put_bool(r, row, M_even, !x->uneven);
	na_put_text(r, row, M_done, na_program_text(g->p, name_of_done(g, i)));
}

/* Of what completes something: that; behind the end: nothing tells. */
static uint32_t start_of(const struct na_hlo_module *m,
			 const struct na_hlo_instruction *x)
{
	return x->n_operands ? m->operands[x->first_operand] : NA_NO_NAME;
}

static bool find_done(struct program *g)
{
	const struct na_hlo_module *m = g->m;
	size_t n = m->instructions ? m->n_instructions : 0;

	g->done = na_calloc(n + 1, sizeof(*g->done));
	for (size_t i = 0; g->done && i < n; i++)
		g->done[i] = NA_NO_NAME;
	for (size_t i = 0; g->done && i < n; i++) {
		const struct na_hlo_instruction *x = &m->instructions[i];
		uint32_t start;

		if (!communicates(x) || x->phase != NA_OP_DONE)
			continue;
		start = start_of(m, x);
		if (start < n)
			g->done[start] = (uint32_t)i;
	}
	return g->done != NULL;
}

/* A -done whose start is not there is told by itself. */
static bool is_told(const struct program *g, size_t i)
{
	const struct na_hlo_module *m = g->m;
	const struct na_hlo_instruction *x = &m->instructions[i];
	uint32_t start;

	if (!communicates(x))
		return false;
	if (x->phase != NA_OP_DONE)
		return true;
	start = start_of(m, x);
	return start >= m->n_instructions ||
	       !communicates(&m->instructions[start]);
}

/* Counts by opcode, of what communicates; and of both kinds of networks. */
static void put_counts(const struct program *g, struct na_result *r,
		       struct na_value *row)
{
	const struct na_hlo_module *m = g->m;
	size_t n = m->instructions ? m->n_instructions : 0, kept = 0;
	uint32_t *names = na_calloc(n + 1, sizeof(*names));
	uint32_t *met = na_calloc(n + 1, sizeof(*met));
	size_t n_met = 0;
	int64_t dcn = 0, ici = 0;
	struct na_value *counts = na_put_object(r, row, M_opcodes);

	for (size_t i = 0; names && met && i < n; i++) {
		const struct na_hlo_instruction *x = &m->instructions[i];

		if (communicates(x))
			names[kept++] = x->opcode_name;
		if (!is_told(g, i))
			continue;
		if (over_dcn(g, x) && x->rendezvous != NA_NO_NAME)
			met[n_met++] = x->rendezvous;
		else if (over_dcn(g, x))
			dcn++;
		else if (!x->host_transfer)
			ici++;
	}
	if (names && met) {
		na_sort(names, kept, na_order_u32);
		na_sort(met, n_met, na_order_u32);
	}
	for (size_t i = 0, end; i < kept; i = end) {
		end = i + 1;
		while (end < kept && names[end] == names[i])
			end++;
		na_put_int(r, counts, na_program_text(g->p, names[i]),
			   (int64_t)(end - i));
	}
	for (size_t i = 0; i < n_met; i++)
		dcn += !i || met[i] != met[i - 1];
	na_put_int(r, row, M_dcn_collectives, dcn);
	na_put_int(r, row, M_ici_collectives, ici);
	free(names);
	free(met);
}

/* ---- a module in both forms */

/* The next that is told, from i on. */
static size_t next_told(const struct program *g, size_t i)
{
	size_t n = g->m->instructions ? g->m->n_instructions : 0;

	while (i < n && !is_told(g, i))
		i++;
	return i < n ? i : SIZE_MAX;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Nothing that put_collective() shows is different. */
static bool same_collective(const struct program *a, size_t i,
			    const struct program *b, size_t k)
{
	const struct na_hlo_instruction *x = &a->m->instructions[i];
	const struct na_hlo_instruction *y = &b->m->instructions[k];

	return x->name == y->name && x->opcode_name == y->opcode_name &&
	       x->rendezvous == y->rendezvous &&
	       x->transfer_type == y->transfer_type &&
	       x->channel == y->channel && x->group_size == y->group_size &&
	       x->n_groups == y->n_groups && x->uneven == y->uneven &&
	       same_text(network_of(a, x), network_of(b, y)) &&
	       bytes_of(a, i) == bytes_of(b, k) &&
	       participants(a, i) == participants(b, k) &&
	       name_of_done(a, i) == name_of_done(b, k);
}

static bool same_collectives(const struct program *a, const struct program *b)
{
	size_t i = next_told(a, 0), k = next_told(b, 0);

	while (i != SIZE_MAX && k != SIZE_MAX && same_collective(a, i, b, k)) {
		i = next_told(a, i + 1);
		k = next_told(b, k + 1);
	}
	return i == SIZE_MAX && k == SIZE_MAX;
}

/* Is the module listed already, in its other form, and communicates the
 * same?  Not of those that differ within a form: there each is told. */
static bool told_in_other_form(const struct program *g,
			       const struct na_program *x)
{
	const struct na_hlo *h = g->p->h;
	bool told = false;

	for (const struct na_program *y = g->p->programs.v; !told && y < x;
	     y++) {
		struct program other = {.p = g->p, .m = &h->modules[y->body]};

		if (other.m->name != g->m->name ||
		    other.m->form == g->m->form || x->differs || y->differs ||
		    !other.m->instructions || !find_done(&other))
			continue;
		other.target = target_of(&other, y);
		/* One form may say more of the devices than the other. */
		if (!other.target || !g->target)
			other.target = g->target;
		told = same_collectives(g, &other);
		free(other.done);
	}
	return told;
}

void na_program_put_collectives(const struct na_programs *p,
				struct na_result *r, const struct na_program *x,
				struct na_value *row, struct na_value *flat)
{
	static const char *const unknown[] = {M_opcodes, M_dcn_collectives,
					      M_ici_collectives, M_collectives};
	const struct na_hlo_module *m = &p->h->modules[x->body];
	struct program g = {.p = p, .m = m};
	struct na_value *list;
	bool known;

	if (m->n_instructions && !m->instructions) {
		/* Too many to be kept. */
		na_program_put_nulls(r, row, unknown, NA_LEN(unknown));
		return;
	}
	if (!find_done(&g))
		return;
	g.target = target_of(&g, x);
	known = told_in_other_form(&g, x);
	put_counts(&g, r, row);
	list = na_put_list(r, row, M_collectives);
	for (size_t i = 0; m->instructions && i < m->n_instructions; i++) {
		struct na_value *line;

		if (!is_told(&g, i))
			continue;
		put_collective(&g, r, i, na_put_object(r, list, NULL));
		if (known)
			continue;
		line = na_put_object(r, flat, NULL);
		na_put_text(r, line, M_module, na_program_text(p, m->name));
		na_program_put_fingerprint(r, line, m->fingerprint);
		put_collective(&g, r, i, line);
		na_put_bool(r, line, M_differs, x->differs);
	}
	free(g.done);
}

/* ---- what only one of two programs communicates */

enum { TOLD = 20 };

struct mark {
	uint64_t hash;
	uint32_t at;
};

NA_ORDER(by_hash, struct mark, NA_UP(hash), NA_UP(at))
NA_ORDER(by_place, struct mark, NA_UP(at))

static struct mark *marks_of(const struct na_hlo_module *m, size_t *n)
{
	struct mark *list;
	size_t found = 0;

	for (size_t i = 0; i < m->n_instructions; i++)
		found += communicates(&m->instructions[i]) &&
			 m->instructions[i].phase != NA_OP_DONE;
	list = na_calloc(found + 1, sizeof(*list));
	*n = 0;
	for (size_t i = 0; list && i < m->n_instructions; i++) {
		const struct na_hlo_instruction *x = &m->instructions[i];

		if (communicates(x) && x->phase != NA_OP_DONE)
			list[(*n)++] = (struct mark){x->alone, (uint32_t)i};
	}
	if (list)
		na_sort(list, *n, by_hash);
	return list;
}

size_t na_program_put_only(const struct na_programs *p, struct na_result *r,
			   struct na_value *in, const char *name,
			   const struct na_hlo_module *a,
			   const struct na_hlo_module *b)
{
	struct na_value *list = na_put_list(r, in, name);
	size_t n, m, only = 0, k = 0;
	struct mark *x = marks_of(a, &n), *y = marks_of(b, &m);

	for (size_t i = 0; x && y && i < n; i++) {
		while (k < m && y[k].hash < x[i].hash)
			k++;
		if (k < m && y[k].hash == x[i].hash)
			k++;
		else
			x[only++] = x[i];
	}
	if (x)
		na_sort(x, only, by_place);
	for (size_t i = 0; x && i < only && i < TOLD; i++) {
		const struct na_hlo_instruction *op = &a->instructions[x[i].at];
		const char *met = na_program_text(p, op->rendezvous);

		na_put_textf(r, list, NULL, "%.200s%s%.200s",
			     na_strtab_at(&p->h->strings, op->name),
			     met ? " " : "", met ? met : "");
	}
	free(x);
	free(y);
	return only;
}

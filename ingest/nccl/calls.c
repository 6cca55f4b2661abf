/*
 * NCCL_DEBUG lines: who calls what in which communicator.
 *
 * A communicator is a pointer of its process until an Init line says its id
 * and rank.  The rank of a process in the job is that in its communicator
 * with the most ranks; where no line tells it, what a launcher writes in
 * front of its lines, and on one host the number of its GPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/nccl/log_parts.h"
#include "ingest/nccl/names.h"

/* clang-format off */
static const char *const types[] = {
	"int8", "uint8", "int32", "uint32", "int64", "uint64", "float16",
	"float32", "float64", "bfloat16", "float8_e4m3", "float8_e5m2",
};
/* clang-format on */
static const uint8_t widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
enum {
	N_TYPES = sizeof(types) / sizeof(types[0]),
	LISTED = 64 /* ranks that a line of their communicator stands for */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int64_t hex_number(struct na_text x)
{
	int64_t n = 0;

	if (!x.n || x.n > 15)
		return -1;
	for (size_t i = 0; i < x.n; i++) {
		char c = x.s[i];

		if (is_digit(c))
			n = n * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n * 16 + (c - 'a' + 10);
		else
			return -1;
	}
	return n;
}

/* ---- who speaks */

/* "host:pid:tid [device]" before "NCCL ": its parts; false: none. */
static bool speaker(struct na_text front, struct na_text *host,
		    struct na_text *pid, int64_t *device)
{
	size_t at = na_text_last(front, '['), colon;
	struct na_text x;
	uint64_t n;

	if (at == SIZE_MAX || !at)
		return false;
	*device = na_text_number(na_nccl_after(na_text_from(front, at), "["),
				 &n) &&
				  n < NA_NCCL_RANKS_MAX
			  ? (int64_t)n
			  : -1;
	x = na_text_n(front.s, at);
	while (x.n && x.s[x.n - 1] == ' ')
		x.n--;
	for (size_t i = x.n; i-- > 0;) {
		if (x.s[i] == ' ' || x.s[i] == '\t' || x.s[i] == '>') {
			x = na_text_from(x, i + 1);
			break;
		}
	}
	/* "<stdout>:host", with or without a time between. */
	while (x.n && x.s[0] == ':')
		x = na_text_from(x, 1);
	colon = na_text_last(x, ':');
	if (colon == SIZE_MAX)
		return false;
	x.n = colon; /* without its thread */
	colon = na_text_last(x, ':');
	if (colon == SIZE_MAX || !colon)
		return false;
	*pid = na_text_from(x, colon + 1);
	*host = na_text_n(x.s, colon);
	return na_text_number(*pid, &n);
}

static struct na_nccl_process *process_of(struct na_nccl_calls *c,
					  struct na_text line,
					  struct na_text front, uint32_t *index)
{
	struct na_text host, pid;
	struct na_nccl_process p = {.world = SIZE_MAX};
	char key[400];
	int n;

	*index = NA_NO_NAME;
	if (!speaker(front, &host, &pid, &p.device) || host.n > 300 ||
	    pid.n > 20)
		return NULL;
	n = snprintf(key, sizeof(key), "%.*s:%.*s [%" PRId64 "]", (int)host.n,
		     host.s, (int)pid.n, pid.s, p.device);
	*index = na_strtab_add(&c->processes, key, (size_t)n);
	if (*index < c->process.n)
		return &c->process.v[*index];
	p.front = na_nccl_front_rank(line);
	p.host = na_strtab_add(&c->names, host.s, host.n);
	if (*index == NA_NO_NAME || p.host == NA_NO_NAME ||
	    !na_add(&c->process, p))
		return NULL;
	return &c->process.v[*index];
}

static struct na_nccl_comm *comm_of(struct na_nccl_calls *c, uint32_t process,
				    struct na_text pointer)
{
	struct na_nccl_comm new = {.process = process,
				   .id = NA_NO_NAME,
				   .rank = -1,
				   .n_ranks = -1,
				   .first_count = -1};
	char key[64];
	uint32_t at;
	int n;

	if (!pointer.n || pointer.n > 20)
		return NULL;
	n = snprintf(key, sizeof(key), "%" PRIu32 " %.*s", process,
		     (int)pointer.n, pointer.s);
	at = na_strtab_add(&c->pointers, key, (size_t)n);
	if (at < c->comm.n)
		return &c->comm.v[at];
	new.nth = c->process.v[process].comms++;
	return at != NA_NO_NAME && na_add(&c->comm, new) ? &c->comm.v[at]
							 : NULL;
}

/* ---- lines */

static void is_of(struct na_nccl_comm *m, int64_t n_ranks)
{
	if (n_ranks > 0 && n_ranks <= NA_NCCL_RANKS_MAX)
		m->n_ranks = n_ranks;
}

static bool init_line(struct na_nccl_calls *c, struct na_nccl_comm *m,
		      struct na_text x)
{
	struct na_text id = na_nccl_after(x, " commId ");
	uint32_t name = na_strtab_add(&c->names, id.s, id.n < 64 ? id.n : 64);

	/* Where one was, there is another now. */
	if (m->id != NA_NO_NAME && m->id != name) {
		m->ops.n = 0;
		m->calls = 0;
		m->counts = false;
		m->first_count = -1;
	}
	m->id = name;
	m->rank = na_nccl_number(x, " rank ");
	is_of(m, na_nccl_number(x, " nranks "));
	return name != NA_NO_NAME;
}

static bool add_op(struct na_nccl_comm *m, const struct na_nccl_op *op)
{
	if (m->ops.n < NA_FR_KEPT)
		return na_add(&m->ops, *op);
	m->ops.v[m->calls % NA_FR_KEPT] = *op;
	return true;
}

/* "AllReduce: opCount 28c sendbuff ..." */
static bool call_line(struct na_nccl_calls *c, struct na_nccl_comm *m,
		      struct na_text function, struct na_text x,
		      const struct na_hang_time *t)
{
	struct na_nccl_op op = {.elements = UINT64_MAX,
				.called_ns = INT64_MIN,
				.peer = -1};
	enum na_opcode is = na_nccl_opcode(function);
	int64_t n = na_nccl_number(x, " count ");

	if (t->known && t->ns > c->last_ns[na_nccl_clock_of(t)])
		c->last_ns[na_nccl_clock_of(t)] = t->ns;
	if (t->known) {
		op.called_ns = t->ns;
		c->unzoned |= t->has_year && !t->has_zone;
	}
	is_of(m, na_nccl_number(x, "[nranks="));
	op.count = hex_number(na_nccl_after(x, "opCount "));
	/* What two ranks do is not counted by all of them. */
	if (op.count < 0 || is == NA_OPCODE_SEND || is == NA_OPCODE_RECV)
		return true;
	op.elements = n < 0 ? UINT64_MAX : (uint64_t)n;
	n = na_nccl_number(x, " datatype ");
	op.type = n < N_TYPES ? (int32_t)n : -1;
	op.operation = na_strtab_add(&c->names, function.s, function.n);
	if (op.operation == NA_NO_NAME || !add_op(m, &op))
		return false;
	m->first_count = m->calls ? m->first_count : op.count;
	m->counts |= op.count != m->first_count;
	m->calls++;
	return true;
}

/* The word that ends where `x` does. */
static struct na_text last_word(struct na_text x)
{
	size_t at = na_text_last(x, ' ');

	return at == SIZE_MAX ? x : na_text_from(x, at + 1);
}

bool na_nccl_calls_line(struct na_nccl_calls *c, struct na_text line,
			const struct na_hang_time *t)
{
	struct na_text front, x, before, behind, function = {NULL, 0};
	struct na_nccl_process *p;
	struct na_nccl_comm *m;
	uint32_t process;
	size_t at;

	if (!na_text_split(line, " NCCL INFO ", &front, &x))
		return true;
	if (na_text_split(x, ": opCount ", &before, &behind))
		function = last_word(before);
	else if (!na_text_split(x, " commId ", &before, &behind))
		return true;
	p = process_of(c, line, front, &process);
	if (!p)
		return process == NA_NO_NAME || process < c->process.n;
	m = comm_of(c, process, na_nccl_after(x, " comm "));
	if (!m)
		return true;
	at = (size_t)(m - c->comm.v);
	if (function.n ? !call_line(c, m, function, x, t) : !init_line(c, m, x))
		return false;
	if (p->world == SIZE_MAX || m->n_ranks > c->comm.v[p->world].n_ranks)
		p->world = at;
	return true;
}

/* ---- what they tell */

/* On one host, where GPUs tell processes apart. */
static bool devices_are_ranks(const struct na_nccl_calls *c)
{
	bool seen[64] = {false};

	for (size_t i = 0; i < c->process.n; i++) {
		const struct na_nccl_process *p = &c->process.v[i];
		int64_t d = p->device;

		if (p->host != c->process.v[0].host || d < 0 || d >= 64 ||
		    seen[d] || p->world == SIZE_MAX ||
		    d >= c->comm.v[p->world].n_ranks)
			return false;
		seen[d] = true;
	}
	return true;
}

static int64_t rank_of(const struct na_nccl_calls *c,
		       const struct na_nccl_process *p, bool devices)
{
	int64_t rank = p->world == SIZE_MAX ? -1 : c->comm.v[p->world].rank;

	if (rank < 0)
		rank = p->front;
	if (rank < 0 && devices)
		rank = p->device;
	return rank < NA_FR_MAX ? rank : -1;
}

/* Nobody tells it. */
static bool is_guess(const struct na_nccl_calls *c,
		     const struct na_nccl_process *p)
{
	return p->front < 0 &&
	       (p->world == SIZE_MAX || c->comm.v[p->world].rank < 0);
}

struct groups {
	const struct na_nccl_calls *c;
	struct na_nccl_dumps *t;
	const int64_t *ranks; /* of the processes, in the job */
	uint32_t *of;         /* by communicator's id: its group */
	uint32_t *first;      /* by id: the first communicator that has it */
	uint32_t *next;       /* by communicator: the next one of its id */
	int64_t room;         /* for members of whom no line speaks */
	NA_VEC(int32_t) members;
};

/* Of the whole job those that it has; of others those who tell of it, if all
 * do. */
static bool find_members(struct groups *g, const struct na_nccl_comm *m,
			 bool world)
{
	const struct na_nccl_calls *c = g->c;

	g->members.n = 0;
	if (world) {
		if (m->n_ranks > LISTED * (int64_t)(c->process.n + 15) ||
		    m->n_ranks > g->room)
			return true;
		g->room -= m->n_ranks;
		for (int64_t r = 0; r < m->n_ranks; r++) {
			if (!na_add(&g->members, (int32_t)r))
				return false;
		}
		return true;
	}
	for (uint32_t i = m->id == NA_NO_NAME ? NA_NO_NAME : g->first[m->id];
	     i != NA_NO_NAME; i = g->next[i]) {
		int64_t rank = g->ranks[c->comm.v[i].process];

		if (rank >= 0 && !na_add(&g->members, (int32_t)rank))
			return false;
	}
	if ((int64_t)g->members.n != m->n_ranks)
		g->members.n = 0;
	return true;
}

static uint32_t group_of(struct groups *g, const struct na_nccl_comm *m,
			 bool world)
{
	const struct na_nccl_calls *c = g->c;
	char name[96];

	if (m->id != NA_NO_NAME && g->of[m->id] != NA_NO_NAME)
		return g->of[m->id];
	if (m->id != NA_NO_NAME)
		snprintf(name, sizeof(name), "%s",
			 na_strtab_at(&c->names, m->id));
	else
		snprintf(name, sizeof(name),
			 "communicator %" PRIu32 " of %" PRId64 " ranks",
			 m->nth + 1, m->n_ranks);
	if (!find_members(g, m, world))
		return NA_NO_NAME;
	if (m->id == NA_NO_NAME)
		return na_fr_group(g->t->ranks, name, strlen(name),
				   g->members.v, g->members.n);
	g->of[m->id] = na_fr_group(g->t->ranks, name, strlen(name),
				   g->members.v, g->members.n);
	return g->of[m->id];
}

static void tell_type(struct na_flight_record *x, struct na_fr_entry *e,
		      int32_t type)
{
	e->type = na_strtab_add(&x->names, types[type], strlen(types[type]));
	if (e->in_elements < UINT64_MAX / 8)
		e->size_bytes = e->in_elements * widths[type];
}

/* NCCL 2.27 and later may write 0 for each call within one host: then the
 * calls are counted here. */
static bool tell_ops(struct groups *g, const struct na_nccl_comm *m,
		     struct na_fr_dump *d, uint32_t group)
{
	size_t n = m->ops.n, from = (size_t)(m->calls % NA_FR_KEPT);
	struct na_flight_record *x = g->t->ranks;
	int64_t last = -1;

	if (n < NA_FR_KEPT)
		from = 0;
	d->lost |= m->calls > NA_FR_KEPT;
	for (size_t i = 0; i < n; i++) {
		const struct na_nccl_op *op =
			&m->ops.v[(from + i) % NA_FR_KEPT];
		const struct na_interned *f = &g->c->names.names[op->operation];
		int64_t sequence = m->counts ? op->count
					     : m->calls - (int64_t)(n - i) +
						       m->first_count;
		struct na_fr_entry *e;

		/* Calls of one group have one count. */
		if (sequence <= last)
			continue;
		last = sequence;
		if (!na_nccl_dump_holds(
			    d, group, sequence,
			    na_nccl_dump_operation(x, na_text_n(f->s, f->len)),
			    op->elements, op->called_ns))
			return false;
		e = &d->entries.v[d->entries.n - 1];
		if (op->type >= 0)
			tell_type(x, e, op->type);
	}
	if (n == 0)
		return true;
	if (!na_nccl_dump_place(d, group, last, -1))
		return false;
	na_fr_place(d, group)->open = true;
	return true;
}

static bool tell_comm(struct groups *g, size_t at)
{
	const struct na_nccl_comm *m = &g->c->comm.v[at];
	const struct na_nccl_process *p = &g->c->process.v[m->process];
	const struct na_interned *host = &g->c->names.names[p->host];
	int64_t rank = g->ranks[m->process];
	struct na_fr_dump *d;
	uint32_t group;

	if (rank < 0 || !m->ops.n)
		return true;
	group = group_of(g, m, p->world == at);
	d = na_nccl_dump_of(g->t, rank, NA_BY_NCCL_LOG);
	if (group == NA_NO_NAME || !d)
		return false;
	d->host = na_strtab_add(&g->t->ranks->names, host->s, host->len);
	d->guessed = is_guess(g->c, p);
	return tell_ops(g, m, d, group);
}

static bool prepare(struct groups *g, int64_t *ranks)
{
	const struct na_nccl_calls *c = g->c;
	bool devices = devices_are_ranks(c);

	if (!ranks || !g->of || !g->first || !g->next)
		return false;
	for (size_t i = 0; i < c->names.n; i++)
		g->of[i] = g->first[i] = NA_NO_NAME;
	for (size_t i = c->comm.n; i-- > 0;) {
		uint32_t id = c->comm.v[i].id;

		g->next[i] = NA_NO_NAME;
		if (id == NA_NO_NAME)
			continue;
		g->next[i] = g->first[id];
		g->first[id] = (uint32_t)i;
	}
	for (size_t i = 0; i < c->process.n; i++)
		ranks[i] = rank_of(c, &c->process.v[i], devices);
	return true;
}

bool na_nccl_calls_end(const struct na_nccl_calls *c, struct na_nccl_dumps *t)
{
	int64_t *ranks = na_calloc(c->process.n + 1, sizeof(*ranks));
	struct groups g = {.c = c,
			   .t = t,
			   .ranks = ranks,
			   .room = NA_NCCL_RANKS_MAX};
	bool ok;

	g.of = na_calloc(c->names.n + 1, sizeof(*g.of));
	g.first = na_calloc(c->names.n + 1, sizeof(*g.first));
	g.next = na_calloc(c->comm.n + 1, sizeof(*g.next));
	ok = prepare(&g, ranks);
	for (size_t i = 0; ok && i < c->comm.n; i++)
		ok = tell_comm(&g, i);
	for (int k = 0; k < NA_FR_CLOCKS; k++) {
		if (c->last_ns[k] > t->ranks->clock[k].call_ns)
			t->ranks->clock[k].call_ns = c->last_ns[k];
	}
	t->ranks->unzoned |= c->unzoned;
	na_vec_free(&g.members);
	free(g.of);
	free(g.first);
	free(g.next);
	free(ranks);
	return ok;
}

void na_nccl_calls_fini(struct na_nccl_calls *c)
{
	for (size_t i = 0; i < c->comm.n; i++)
		na_vec_free(&c->comm.v[i].ops);
	na_vec_free(&c->comm);
	na_vec_free(&c->process);
	na_strtab_fini(&c->names);
	na_strtab_fini(&c->processes);
	na_strtab_fini(&c->pointers);
}

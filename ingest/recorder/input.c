/*
 * Dumps of the flight recorder as an input of analyses: each operation from
 * when it was queued to when its end was noticed (netan/model/comm.h).  Who
 * is stuck in them is asked elsewhere (netan/analyses/hang).
 */
#include <string.h>

#include "ingest/gpu/rank_op.h"
#include "ingest/recorder/recorder.h"
#include "netan/base/units.h"
#include "netan/model/gpu/kernels.h"

struct dumped {
	struct na_flight_record ranks; /* one dump */
	bool cut;                  /* its block was handed out */
};

static enum na_sniff sniff(const uint8_t *head, size_t n, uint64_t size,
			   const char **why)
{
	(void)size;
	(void)why;
	return na_recorder_sniff(head, n) ? NA_SNIFF_YES : NA_SNIFF_NO;
}

static const struct na_fr_dump *dump_of(const struct na_input *in)
{
	const struct dumped *x = in->state;

	return &x->ranks.dumps.v[0];
}

/* The ranks of its largest group; -1: none is told. */
static int32_t world_of(const struct na_flight_record *x)
{
	size_t most = 0;

	for (size_t i = 0; i < x->groups.n; i++)
		most = x->groups.v[i].n > most ? x->groups.v[i].n : most;
	return most ? (int32_t)most : -1;
}

static void tell(struct na_input *in)
{
	const struct dumped *x = in->state;
	const struct na_fr_dump *d = dump_of(in);

	in->rank = d->rank;
	in->world_size = world_of(&x->ranks);
	in->told = NA_TOLD_RECORDER;
	in->n_devices = 1;
	in->has_gpus = true;
	in->has_time = in->has_wall = d->oldest_ns != INT64_MIN;
	in->first_ns = in->has_time ? d->oldest_ns : 0;
	in->events = d->n_entries;
	if (d->lost)
		na_input_warn(in, "its ring was too short: the first "
				  "operations are lost "
				  "(TORCH_NCCL_TRACE_BUFFER_SIZE)");
}

static enum na_status open_dump(struct na_input *in, struct na_err *err)
{
	struct na_err why = {.status = NA_OK};
	struct dumped *x = na_calloc(1, sizeof(*x));
	enum na_status st;

	if (!x)
		return na_fail_nomem(err);
	in->state = x;
	na_fr_init(&x->ranks);
	st = na_recorder_read_bytes(&x->ranks, in->path, in->data, in->size,
				    true, &why);
	if (st == NA_ENOMEM || !x->ranks.dumps.n)
		return na_fail(err, st, "%s", why.text);
	if (st != NA_OK) {
		size_t n = strlen(in->path);
		bool named = strncmp(why.text, in->path, n) == 0 &&
			     strncmp(why.text + n, ": ", 2) == 0;

		in->damaged = true;
		/* Whose warning it is, others say. */
		na_input_warn(in, "%s", why.text + (named ? n + 2 : 0));
	}
	tell(in);
	return NA_OK;
}

/* All of it: a ring holds some thousands. */
static enum na_status cut(struct na_input *in, struct na_block *b,
			  struct na_err *err)
{
	struct dumped *x = in->state;

	(void)err;
	if (x->cut)
		return NA_END;
	x->cut = true;
	*b = (struct na_block){NULL, in->data, in->data + in->size};
	return NA_OK;
}

static void close_dump(struct na_input *in)
{
	struct dumped *x = in->state;

	if (x)
		na_fr_fini(&x->ranks);
	free(x);
	in->state = NULL;
}

/* ---- records */

struct reading {
	const struct na_input *in;
	const struct na_sink *sink;
	const struct na_flight_record *ranks;
	uint32_t core;
};

static struct na_text text_of(const struct reading *r, uint32_t name)
{
	const char *s = name == NA_NO_NAME
				? ""
				: na_strtab_at(&r->ranks->names, name);

	return na_text_n(s, strlen(s));
}

static uint32_t name_of(const struct reading *r, uint32_t name)
{
	struct na_text t = text_of(r, name);

	return t.n ? r->sink->name(r->sink->ctx, t.s, t.n) : NA_UNKNOWN_U32;
}

/* From queueing to what was noticed of the end, else to the last time that
 * the dump tells.  False: when is not told. */
static bool times_of(const struct reading *r, const struct na_fr_entry *e,
		     struct na_comm *c)
{
	const struct na_fr_dump *d = dump_of(r->in);
	bool held = e->state != NA_FR_COMPLETED;
	int64_t to_ns = held ? d->newest_ns : e->completed_ns;

	/* Of a retired one nobody noticed when it ended. */
	if (to_ns < e->created_ns)
		to_ns = e->created_ns;
	c->source = e->state == NA_FR_STARTED ? NA_COMM_BEGUN
		    : held                    ? NA_COMM_HELD
					      : NA_COMM_QUEUED;
	return e->created_ns != INT64_MIN &&
	       na_ps_since(e->created_ns, r->in->zero_ns, &c->start_ps) &&
	       na_ps_since(to_ns, r->in->zero_ns, &c->end_ps);
}

/* Point-to-point operations of larger groups count each for itself. */
static int64_t sequence_of(const struct na_fr_entry *e,
			   const struct na_fr_group *g)
{
	return e->p2p && g->n != 2 ? -1 : e->sequence;
}

static enum na_status tell_entry(const struct reading *r,
				 const struct na_fr_entry *e)
{
	const struct na_fr_group *g = &r->ranks->groups.v[e->group];
	struct na_text operation = text_of(r, e->operation);
	struct na_text purpose = text_of(r, g->name);
	struct na_rank_op t = {
		.comm = {.sequence = sequence_of(e, g),
			 .size_bytes = e->size_bytes,
			 .group = name_of(r, g->n ? g->members : g->name),
			 .group_size = (uint32_t)g->n,
			 .type = name_of(r, e->type),
			 .stream = NA_UNKNOWN_U32,
			 .peer = e->peer,
			 .operation = na_call_opcode(operation),
			 .purpose = na_comm_purpose(purpose.s, purpose.n)},
		.core = r->core,
		.rank = r->in->rank,
		.name = operation};

	if (!times_of(r, e, &t.comm)) {
		r->sink->left_out(r->sink->ctx, NA_LEFT_DAMAGED, 1);
		return NA_OK;
	}
	return na_rank_op_put(r->in, r->sink, &t);
}

static enum na_status read_dump(const struct na_input *in,
				const struct na_block *b,
				const struct na_sink *sink, struct na_err *err)
{
	const struct dumped *x = in->state;
	const struct na_fr_dump *d = dump_of(in);
	struct reading r = {
		in, sink, &x->ranks,
		/* Also of a rank that tells nothing: it is one of the job. */
		sink->core(sink->ctx, NA_DEVICE_RANK, in->rank)};
	enum na_status st = NA_OK;

	(void)b;
	if (d->left_out)
		sink->left_out(sink->ctx, NA_LEFT_DAMAGED, d->left_out);
	for (size_t i = 0; st == NA_OK && i < d->entries.n; i++)
		st = tell_entry(&r, &d->entries.v[i]);
	return st == NA_ENOMEM ? na_fail_nomem(err) : st;
}

const struct na_reader na_reader_dump = {
	.ranks = true,
	.name = "flight recorder",
	.whole = "netan hang takes it as it was written: attach it whole",
	.sniff = sniff,
	.open = open_dump,
	.cut = cut,
	.read = read_dump,
	.close = close_dump,
};

/* ---- two of one rank */

bool na_recorder_is_input(const struct na_input *in)
{
	return in->reader == &na_reader_dump;
}

/* Operations are counted from the start of the process on. */
bool na_recorder_same(const struct na_input *a, const struct na_input *b)
{
	const struct na_fr_dump *x = dump_of(a), *y = dump_of(b);
	size_t i = 0, k = 0, n = 0;

	while (i < x->entries.n && k < y->entries.n) {
		const struct na_fr_entry *p = &x->entries.v[i];
		const struct na_fr_entry *q = &y->entries.v[k];

		if (p->record != q->record) {
			i += p->record < q->record;
			k += p->record > q->record;
			continue;
		}
		if (p->created_ns != q->created_ns || p->p2p != q->p2p ||
		    p->sequence != q->sequence)
			return false;
		n += p->created_ns != INT64_MIN;
		i++;
		k++;
	}
	return n;
}

bool na_recorder_more(const struct na_input *a, const struct na_input *b)
{
	const struct na_fr_dump *x = dump_of(a), *y = dump_of(b);

	if (a->damaged != b->damaged)
		return b->damaged;
	if (x->newest_ns != y->newest_ns)
		return x->newest_ns > y->newest_ns;
	return x->n_entries > y->n_entries;
}

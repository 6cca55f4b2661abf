/* Rows of the data-center network: who executes them, and who does not. */
#include "netan/analyses/collectives/state.h"

/* NULL: no memory. */
static struct coll_by_devices *by_devices_of(struct coll_found *f,
					     struct coll_told *x)
{
	if (x->by_devices)
		return &f->by_devices.v[x->by_devices - 1];
	x->by_devices = (uint32_t)f->by_devices.n + 1;
	return na_push(&f->by_devices);
}

/* Where no host tells of executions, the devices do: each that sends or
 * receives executes it as often as it does that. */
static bool add_devices(struct coll_state *s, struct coll_found *f)
{
	for (size_t i = 0; i < s->devices.n; i++) {
		const struct coll_device *d = &s->devices.v[i];
		uint32_t row = s->device_keys.keys[i].a;
		struct coll_by_devices *to;
		int k = d->n[1] > d->n[0];

		if (s->kept.v[row].executions)
			continue;
		to = by_devices_of(f, &f->dcn.v[row]);
		if (!to)
			return false;
		to->devices++;
		to->executions += d->n[k];
		s->n_executions += d->n[k];
		to->sized += d->sized[k];
		to->bytes += d->bytes[k];
	}
	return true;
}

/* Those of them one by one. */
static void tell_devices(const struct coll_state *s)
{
	const struct na_store *store = s->scope->store;
	const struct na_strtab *names = &store->names.strings;

	for (size_t i = 0; i < s->device_ops.n; i++) {
		const struct coll_device_op *o = &s->device_ops.v[i];
		const struct coll_device *d = &s->devices.v[o->device];
		const struct na_op_type *t =
			&store->devices.types.items[o->op->type];
		uint32_t row = s->device_keys.keys[o->device].a;
		uint32_t type = s->kept.v[row].type;

		if (s->kept.v[row].executions ||
		    (t->opcode == NA_OPCODE_RECV) != (d->n[1] > d->n[0]))
			continue;
		na_collectives_tell(
			s->tell,
			&(struct coll_execution){
				.collective = na_strtab_at(names, t->collective),
				.type = type == NA_UNKNOWN_U32
						? NULL
						: na_strtab_at(names, type),
				.sequence = -1,
				.start_ps = o->op->start_ps,
				.end_ps = o->op->end_ps,
				.size_bytes = t->size_bytes,
				.core = o->op->core,
			});
	}
}

bool na_collectives_add_dcn(struct coll_state *s, struct coll_found *f)
{
	f->dcn.v = na_calloc(s->kept.n + 1, sizeof(*f->dcn.v));
	if (!f->dcn.v)
		return false;
	for (; f->dcn.n < s->kept.n; f->dcn.n++) {
		const struct na_triple *k = &s->rows.keys[f->dcn.n];

		f->dcn.v[f->dcn.n] = (struct coll_told){
			.run = k->a,
			.name = s->by_type ? NA_UNKNOWN_U32 : k->b,
		};
	}
	for (size_t i = 0; i < s->members.n; i++) {
		struct coll_told *row = &f->dcn.v[s->members.v[i].row];

		row->participants++;
		if (s->members.v[i].executions > row->most)
			row->most = s->members.v[i].executions;
	}
	tell_devices(s);
	return add_devices(s, f);
}

/* Of hosts that are looked at: else nobody knows what it executed. */
static bool looked_at(const struct coll_state *s, uint32_t host)
{
	const struct na_store *store = s->scope->store;
	const struct na_bound_filter *f = s->scope->bound;

	return host < store->n_hosts && store->hosts[host].recorded &&
	       host < store->n_sources &&
	       (!f || !f->host_ok || f->host_ok[host]);
}

/* Listed, or once there are many, counted. */
static bool push_missing(struct coll_found *f, uint32_t row, uint32_t host,
			 const struct coll_member *m)
{
	return ++f->dcn.v[m->row].n_missing > COLL_MISSING_MAX ||
	       na_add(&f->missing,
		      ((struct coll_missing){.row = row,
					     .host = host,
					     .who = m->endpoint,
					     .executions = m->executions}));
}

bool na_collectives_miss_dcn(const struct coll_state *s, struct coll_found *f)
{
	uint32_t base = (uint32_t)f->rows.n;
	bool ok = true;

	for (size_t i = 0; ok && i < s->members.n; i++) {
		const struct coll_member *m = &s->members.v[i];
		struct coll_told *row = &f->dcn.v[m->row];
		uint32_t host = na_store_host_of(s->scope->store, row->run,
						 m->endpoint);

		if (!looked_at(s, host)) {
			row->not_captured++;
			continue;
		}
		if (m->executions < row->most &&
		    (!s->clipped || (!m->executions && row->most >= COLL_SURE)))
			ok = push_missing(f, base + m->row, host, m);
	}
	return ok;
}

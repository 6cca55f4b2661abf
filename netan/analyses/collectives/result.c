/* collectives: from sums and matched executions to the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/collectives/collectives.h"
#include "netan/base/vec.h"
#include "netan/methods/put.h"
#include "netan/stats/tests/robust.h"

static const char *const networks[NA_N_NETWORKS] = {"dcn", "ici", "gpu"};

/* Durations in us, by row. */
struct spread {
	double *us;
	size_t *from; /* [n + 1] */
};

struct report {
	struct co_state *s;
	struct na_result *r;
	struct co_found f;
	struct spread times, waits, skews;
	size_t *order, *listed; /* rows; [n + 1] into the missing */
};

/* Of n rows: `first` of the first ones, `rest`, unless NULL, of those from
 * `base` on. */
static bool spread_out(struct spread *out, const struct co_times *first,
		       const struct co_times *rest, size_t base, size_t n)
{
	const struct co_times none = {.n = 0};
	const struct co_times *of[] = {first, rest ? rest : &none};
	size_t *at = na_calloc(n + 2, sizeof(*at));

	out->from = at;
	out->us = na_calloc(of[0]->n + of[1]->n + 1, sizeof(*out->us));
	if (!at || !out->us)
		return false;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < of[k]->n; i++)
			at[k * base + of[k]->items[i].of + 2]++;
	}
	for (size_t i = 2; i < n + 2; i++)
		at[i] += at[i - 1];
	/* The cursor of row i is at[i + 1], which ends as the row's end. */
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; i < of[k]->n; i++) {
			const struct co_time *x = &of[k]->items[i];

			out->us[at[k * base + x->of + 1]++] =
				(double)x->time_ps / 1e6;
		}
	}
	return true;
}

static double quantile_us(const struct spread *x, size_t row, double p)
{
	size_t n = x->from[row + 1] - x->from[row];

	return n ? na_quantile(x->us + x->from[row], n, p) : NAN;
}

/* Where no host tells of executions, the devices do: each that sends or
 * receives executes it as often as it does that. */
static void take_devices(struct report *p, uint32_t base)
{
	struct co_state *s = p->s;

	for (size_t i = 0; i < s->n_devices; i++) {
		const struct co_device *d = &s->devices[i];
		struct co_row *row =
			&p->f.rows[base + s->device_keys.keys[i].a];
		int k = d->n[1] > d->n[0];

		if (row->sums->executions)
			continue;
		row->devices++;
		row->executions += d->n[k];
		s->n_executions += d->n[k];
		row->sized += d->sized[k];
		row->bytes += d->bytes[k];
	}
	for (size_t i = base; i < p->f.n_rows; i++) {
		struct co_row *row = &p->f.rows[i];

		if (row->devices > row->participants)
			row->participants = row->devices;
	}
}

/* Rows of the data-center network behind those of device ops. */
static bool add_dcn(struct report *p)
{
	const struct co_state *s = p->s;
	const struct na_strtab *names = &s->scope->store->names.strings;
	struct co_found *f = &p->f;
	uint32_t base = (uint32_t)f->n_rows;

	if (!na_grow(&f->rows, &f->cap_rows, f->n_rows + s->n_sums + 1,
		     sizeof(*f->rows)))
		return false;
	for (size_t i = 0; i < s->n_sums; i++) {
		const struct co_sums *x = &s->sums[i];

		f->rows[f->n_rows++] = (struct co_row){
			.run = s->rows.keys[i].a,
			.network = NA_NET_DCN,
			.name = s->by_type ? NA_UNKNOWN_U32 : s->rows.keys[i].b,
			.module = NA_UNKNOWN_U32,
			.type = x->type == NA_UNKNOWN_U32
					? NULL
					: na_strtab_at(names, x->type),
			.sums = x,
			.executions = x->executions,
		};
	}
	for (size_t i = 0; i < s->n_members; i++) {
		struct co_row *row = &f->rows[base + s->member_keys.keys[i].a];

		row->participants++;
		if (s->members[i].executions > row->most)
			row->most = s->members[i].executions;
	}
	take_devices(p, base);
	return true;
}

/* Of hosts that are looked at: else nobody knows what it executed. */
static bool looked_at(const struct co_state *s, uint32_t host)
{
	const struct na_store *store = s->scope->store;
	const struct na_bound_filter *f = s->scope->bound;

	return host < store->n_hosts && store->hosts[host].recorded &&
	       host < store->n_sources &&
	       (!f || !f->host_ok || f->host_ok[host]);
}

static bool miss_dcn(struct report *p)
{
	const struct co_state *s = p->s;
	uint32_t base = (uint32_t)(p->f.n_rows - s->n_sums);
	bool ok = true;

	for (size_t i = 0; ok && i < s->n_members; i++) {
		const struct na_triple *k = &s->member_keys.keys[i];
		const struct co_member *m = &s->members[i];
		struct co_row *row = &p->f.rows[base + k->a];
		uint32_t host = na_store_host_of(s->scope->store, row->run,
						 k->b);

		if (!looked_at(s, host)) {
			row->not_captured++;
			continue;
		}
		if (m->executions < row->most &&
		    (!s->clipped || (!m->executions && row->most >= CO_SURE)))
			ok = co_push_missing(
				&p->f,
				&(struct co_missing){.row = base + k->a,
						     .host = host,
						     .who = k->b,
						     .executions =
							     m->executions,
						     .of = row->most});
	}
	return ok;
}

static int by_row(const void *a, const void *b)
{
	const struct co_missing *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return (x->who > y->who) - (x->who < y->who);
}

static na_i128 moved_of(const struct co_row *x)
{
	if (!x->sums)
		return -1;
	return x->sums->transfers[NA_RX]   ? x->sums->moved[NA_RX]
	       : x->sums->transfers[NA_TX] ? x->sums->moved[NA_TX]
					   : -1;
}

/* -1: not told. */
static na_i128 bytes_of(const struct co_row *x)
{
	if (!x->sums)
		return x->sized ? x->bytes : -1;
	if (x->sums->bytes > 0)
		return x->sums->bytes;
	return moved_of(x) < 0 && x->sized ? x->bytes : moved_of(x);
}

static na_i128 time_of(const struct co_row *x)
{
	return x->sums ? x->sums->time_ps : x->rank_ps;
}

static bool is_shown(const struct co_row *x)
{
	return x->sums || x->executions;
}

/* For qsort alone, which takes no context. */
struct ranked {
	na_i128 bytes, time_ps;
	uint32_t network, run;
	const char *name, *module, *type;
	size_t row;
};

static int by_bytes(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int c;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->time_ps != y->time_ps)
		return x->time_ps > y->time_ps ? -1 : 1;
	if (x->network != y->network)
		return x->network < y->network ? -1 : 1;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	c = strcmp(x->name, y->name);
	c = c ? c : strcmp(x->module, y->module);
	c = c ? c : strcmp(x->type, y->type);
	return c ? c : (x->row > y->row) - (x->row < y->row);
}

/* The rows that have anything, most bytes first. */
static bool rank(struct report *p, size_t *n)
{
	const struct na_strtab *names = &p->s->scope->store->names.strings;
	size_t all = p->f.n_rows, k = 0;
	struct ranked *x = na_calloc(all + 1, sizeof(*x));

	p->order = na_calloc(all + 1, sizeof(*p->order));
	if (!x || !p->order) {
		free(x);
		return false;
	}
	for (size_t i = 0; i < all; i++) {
		const struct co_row *row = &p->f.rows[i];

		if (is_shown(row))
			x[k++] = (struct ranked){bytes_of(row),
						 time_of(row),
						 row->network,
						 row->run,
						 na_strtab_at(names, row->name),
						 na_strtab_at(names,
							      row->module),
						 row->type ? row->type : "",
						 i};
	}
	if (k)
		qsort(x, k, sizeof(*x), by_bytes);
	for (size_t i = 0; i < k; i++)
		p->order[i] = x[i].row;
	*n = k;
	free(x);
	return true;
}

static double ratio(na_i128 a, na_i128 b, double scale)
{
	return b > 0 && a >= 0 ? (double)a / (double)b * scale : NAN;
}

/* Bytes over ps to Gbit/s. */
static double gbps(na_i128 bytes, na_i128 ps)
{
	return ratio(bytes, ps, 8e3);
}

static void put_name(struct na_result *r, struct na_value *to, const char *name,
		     const struct na_strtab *names, uint32_t i)
{
	na_put_text(r, to, name,
		    i == NA_UNKNOWN_U32 ? NULL : na_strtab_at(names, i));
}

static const char *label_of(const struct na_store *s, uint32_t run)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		if (s->sources[i].run == run)
			return s->sources[i].label;
	}
	return NULL;
}

static void put_key(struct report *p, struct na_value *to,
		    const struct co_row *x)
{
	const struct na_scope *scope = p->s->scope;
	struct na_value *key = na_put_object(p->r, to, M_key);

	for (size_t i = 0; i < scope->by.n; i++) {
		enum na_key k = scope->by.keys[i];

		if (k == NA_KEY_LABEL)
			na_put_text(p->r, key, M_label,
				    label_of(scope->store, x->run));
		else if (k == NA_KEY_TRANSFER_TYPE)
			na_put_text(p->r, key, M_transfer_type, x->type);
		else
			put_name(p->r, key, "collective",
				 &scope->store->names.strings, x->name);
	}
}

/* "s0d1", or as device planes are called. */
static const char *device_text(const struct report *p, uint32_t network,
			       uint32_t who, char buf[NA_ENDPOINT_BUF])
{
	const struct na_store *s = p->s->scope->store;

	if (network == NA_NET_DCN)
		return na_endpoint_print(buf, &s->names,
					 &s->names.endpoints[who]);
	snprintf(buf, NA_ENDPOINT_BUF, "%s:%d",
		 s->devices.cores[who].kind == NA_DEVICE_GPU ? "GPU" : "TPU",
		 (int)s->devices.cores[who].number);
	return buf;
}

static void put_device(struct report *p, struct na_value *to, uint32_t network,
		       uint32_t host, uint32_t who)
{
	char buf[NA_ENDPOINT_BUF];

	na_put_text(p->r, to, M_device, device_text(p, network, who, buf));
	na_put_text(p->r, to, M_host, p->s->scope->store->hosts[host].name);
}

static void put_missing(struct report *p, struct na_value *to, size_t i)
{
	const struct co_row *x = &p->f.rows[i];
	struct na_value *list = na_put_list(p->r, to, M_missing), *one;

	for (size_t k = p->listed[i]; k < p->listed[i + 1]; k++) {
		const struct co_missing *m = &p->f.missing.items[k];

		one = na_put_object(p->r, list, NULL);
		put_device(p, one, x->network, m->host, m->who);
		na_put_int(p->r, one, M_executions, (int64_t)m->executions);
		na_put_int(p->r, one, M_of, (int64_t)m->of);
	}
	na_put_int(p->r, to, M_missing_count, (int64_t)x->n_missing);
	na_put_int(p->r, to, M_not_captured, (int64_t)x->not_captured);
}

/* What only matched executions tell. */
static void put_ranks(struct report *p, struct na_value *to, size_t i)
{
	const struct co_row *x = &p->f.rows[i];
	struct na_result *r = p->r;
	struct na_value *one;

	na_put_whole(r, to, M_instances, x->sums ? -1 : (na_i128)x->instances);
	na_put_whole(r, to, M_group_size,
		     x->group_size ? (na_i128)x->group_size : -1);
	na_put_whole(r, to, M_groups,
		     x->group_size ? (na_i128)x->n_groups : -1);
	na_put_real(r, to, M_bus_gbps,
		    x->sized_ps > 0 && x->bus_bits > 0
			    ? x->bus_bits / (double)x->sized_ps * 1e3
			    : NAN);
	one = na_put_object(r, to, M_waiting_us);
	na_put_real(r, one, M_mean,
		    x->sums ? NAN
			    : ratio(x->wait_ps, (na_i128)x->executions, 1e-6));
	na_put_real(r, one, M_p99, quantile_us(&p->waits, i, 0.99));
	na_put_real(r, to, M_waiting_share, ratio(x->wait_ps, x->rank_ps, 1));
	one = na_put_object(r, to, M_last_device);
	if (x->last_n) {
		put_device(
			p, one, x->network,
			p->s->scope->store->devices.cores[x->last_core].input,
			x->last_core);
		na_put_int(r, one, M_count, (int64_t)x->last_n);
	} else {
		na_put_null(r, one, M_device);
		na_put_null(r, one, M_host);
		na_put_null(r, one, M_count);
	}
	one = na_put_object(r, to, M_start_skew_us);
	na_put_real(r, one, M_p50, quantile_us(&p->skews, i, 0.5));
	na_put_real(r, one, M_max, quantile_us(&p->skews, i, 1));
}

static const char *bytes_from(const struct co_row *x)
{
	return bytes_of(x) < 0      ? NULL
	       : !x->sums           ? "hlo"
	       : x->sums->bytes > 0 ? "executions"
	       : moved_of(x) < 0    ? "hlo"
				    : "transfers";
}

static void put_row(struct report *p, struct na_value *list, size_t i)
{
	const struct co_row *x = &p->f.rows[i];
	const struct na_strtab *names = &p->s->scope->store->names.strings;
	struct na_value *to = na_put_object(p->r, list, NULL);
	struct na_result *r = p->r;
	bool told = !x->sums || x->executions;

	put_key(p, to, x);
	put_name(r, to, "collective", names, x->name);
	na_put_text(r, to, M_transfer_type, x->type);
	na_put_text(r, to, M_network, networks[x->network]);
	put_name(r, to, "module", &p->f.modules, x->module);
	na_put_int(r, to, M_participants, (int64_t)x->participants);
	put_missing(p, to, i);
	na_put_whole(r, to, M_executions, told ? (na_i128)x->executions : -1);
	na_put_whole(r, to, M_bytes, bytes_of(x));
	na_put_text(r, to, M_bytes_from, bytes_from(x));
	na_put_real(r, to, M_p50_us, quantile_us(&p->times, i, 0.5));
	na_put_real(r, to, M_p99_us, quantile_us(&p->times, i, 0.99));
	na_put_real(r, to, M_bandwidth_gbps,
		    !x->sums ? gbps(x->sized_bytes, x->sized_ps)
		    : x->sums->bytes > 0
			    ? gbps(x->sums->bytes, x->sums->time_ps)
			    : gbps(moved_of(x), x->sums->time_ps));
	na_put_real(r, to, M_total_s, (double)time_of(x) / 1e12);
	na_put_whole(r, to, M_transfers,
		     !x->sums ? -1
			      : (na_i128)x->sums->transfers[NA_RX] +
					x->sums->transfers[NA_TX]);
	na_put_whole(r, to, M_transfer_bytes, moved_of(x));
	put_ranks(p, to, i);
}

static void add_total(struct co_total *t, const struct co_row *x)
{
	na_i128 bytes = bytes_of(x), moved = moved_of(x);

	t->rows++;
	t->executions += x->executions;
	t->missing += x->n_missing;
	t->bytes += bytes > 0 ? bytes : 0;
	t->moved += moved > 0 ? moved : 0;
	t->time_ps += time_of(x);
}

static void put_total(struct na_result *r, struct na_value *row,
		      const struct co_total *t)
{
	na_put_int(r, row, M_collectives, (int64_t)t->rows);
	na_put_int(r, row, M_executions, (int64_t)t->executions);
	na_put_whole(r, row, M_bytes, t->bytes);
	na_put_whole(r, row, M_transfer_bytes, t->moved);
	na_put_real(r, row, M_total_s, (double)t->time_ps / 1e12);
	na_put_int(r, row, M_missing_count, (int64_t)t->missing);
}

static void put_networks(struct report *p, struct na_value *body, size_t n,
			 struct co_total totals[NA_N_NETWORKS])
{
	struct na_value *list = na_put_list(p->r, body, M_networks), *row;

	for (size_t i = 0; i < n; i++) {
		const struct co_row *x = &p->f.rows[p->order[i]];

		add_total(&totals[x->network], x);
	}
	for (int k = 0; k < NA_N_NETWORKS; k++) {
		if (!totals[k].rows)
			continue;
		row = na_put_object(p->r, list, NULL);
		na_put_text(p->r, row, M_network, networks[k]);
		put_total(p->r, row, &totals[k]);
	}
}

static bool list_missing(struct report *p)
{
	struct co_found *f = &p->f;

	if (f->missing.n)
		qsort(f->missing.items, f->missing.n, sizeof(struct co_missing),
		      by_row);
	p->listed = na_calloc(f->n_rows + 2, sizeof(*p->listed));
	for (size_t i = 0; p->listed && i < f->missing.n; i++)
		p->listed[f->missing.items[i].row + 1]++;
	for (size_t i = 0; p->listed && i < f->n_rows; i++)
		p->listed[i + 1] += p->listed[i];
	return p->listed;
}

static bool gather(struct report *p)
{
	struct na_extent *used = p->s->scope->used;
	struct co_found *f = &p->f;
	size_t base;

	if (!co_match(p->s, f))
		return false;
	/* Device ops are used as far as they became executions. */
	na_extent_join(used, &f->executions);
	p->s->n_executions += f->executions.n;
	base = f->n_rows;
	if (!add_dcn(p))
		return false;
	/* Not each op of an execution. */
	if (p->s->n_transfers + p->s->n_executions)
		used->n = p->s->n_transfers + p->s->n_executions;
	return miss_dcn(p) && list_missing(p) &&
	       spread_out(&p->times, &f->times, &p->s->times, base,
			  f->n_rows) &&
	       spread_out(&p->waits, &f->waits, NULL, 0, f->n_rows) &&
	       spread_out(&p->skews, &f->skews, NULL, 0, f->n_rows);
}

static void report_fini(struct report *p)
{
	struct spread *all[] = {&p->times, &p->waits, &p->skews};

	for (size_t i = 0; i < 3; i++) {
		free(all[i]->us);
		free(all[i]->from);
	}
	na_strtab_fini(&p->f.modules);
	free(p->f.rows);
	free(p->f.times.items);
	free(p->f.waits.items);
	free(p->f.skews.items);
	free(p->f.missing.items);
	free(p->order);
	free(p->listed);
}

enum na_status co_finish(void *state, struct na_result *r, struct na_err *err)
{
	struct report p = {.s = state, .r = r};
	struct na_value *body = na_result_body(r), *list;
	struct co_total totals[NA_N_NETWORKS] = {0};
	size_t n = 0, shown;

	if (!gather(&p) || !rank(&p, &n)) {
		report_fini(&p);
		return na_fail_nomem(err);
	}
	shown = p.s->scope->top && p.s->scope->top < n ? p.s->scope->top : n;
	list = na_put_list(r, body, M_collectives);
	for (size_t i = 0; i < shown; i++)
		put_row(&p, list, p.order[i]);
	na_put_int(r, body, M_collectives_not_shown, (int64_t)(n - shown));
	put_networks(&p, body, n, totals);
	na_put_int(r, body, M_unpaired, (int64_t)p.f.unpaired);
	co_say(r, p.s, totals);
	report_fini(&p);
	if (!co_put_reductions(p.s, r, body))
		return na_fail_nomem(err);
	co_views(r, p.s);
	return NA_OK;
}

/* collectives: from sums and matched executions to the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/collectives/state.h"
#include "netan/base/order.h"
#include "netan/methods/put.h"
#include "netan/stats/tests/robust.h"

static const char *const networks[NA_N_NETWORKS] = {"dcn", "ici", "gpu"};

struct report {
	struct coll_state *s;
	struct na_result *r;
	struct coll_found f;
	struct coll_spread times; /* of rows of the network */
	uint32_t *order; /* rows that are shown */
	size_t *listed;  /* [n + 1] into the missing; NULL: there are none */
};

/* A row as it is looked at. */
struct shown {
	union {
		struct coll_matched matched;
		struct {
			COLL_ROW;
		};
	};
	bool of_network;       /* the data-center network */
	struct coll_sums sums; /* of such a row */
};

static struct shown network_row_at(const struct report *p, size_t i)
{
	const struct na_strtab *names = &p->s->scope->store->names.strings;
	const struct coll_by_devices none = {.devices = 0}, *d = &none;
	const struct coll_told *x = &p->f.dcn.v[i];
	struct coll_sums sums = na_collectives_kept(p->s, i);

	if (x->by_devices)
		d = &p->f.by_devices.v[x->by_devices - 1];
	return (struct shown){
		.id = (uint32_t)(p->f.rows.n + i),
		.run = x->run,
		.network = NA_NET_DCN,
		.name = x->name,
		.module = NA_UNKNOWN_U32,
		.type = sums.type == NA_UNKNOWN_U32
				? NULL
				: na_strtab_at(names, sums.type),
		.of_network = true,
		.sums = sums,
		.executions = sums.executions + d->executions,
		.sized = d->sized,
		.bytes = d->bytes,
		.devices = d->devices,
		.participants = d->devices > x->participants ? d->devices
							     : x->participants,
		.n_missing = x->n_missing,
		.not_captured = x->not_captured,
		.most = x->most,
	};
}

/* Row i: there may be a million, so these are put together where they are
 * looked at. */
static struct shown row_at(const struct report *p, size_t i)
{
	const struct coll_rows *rows = &p->f.rows;

	return i < rows->n
		       ? (struct shown){.matched = na_collectives_row(rows, i)}
		       : network_row_at(p, i - rows->n);
}

/* What rows are sorted by. */
static struct shown head_at(const struct report *p, size_t i)
{
	const struct coll_rows *rows = &p->f.rows;

	return i < rows->n ? (struct shown){.matched =
						       na_collectives_row_head(
							       rows, i)}
			      : network_row_at(p, i - rows->n);
}

NA_ORDER(by_row, struct coll_missing, NA_UP(row), NA_UP(host), NA_UP(who))

static na_i128 moved_of(const struct shown *x)
{
	if (!x->of_network)
		return -1;
	return x->sums.transfers[NA_RX]   ? x->sums.moved[NA_RX]
	       : x->sums.transfers[NA_TX] ? x->sums.moved[NA_TX]
					   : -1;
}

/* -1: not told. */
static na_i128 bytes_of(const struct shown *x)
{
	if (!x->of_network)
		return x->sized ? x->bytes : -1;
	if (x->sums.bytes > 0)
		return x->sums.bytes;
	return moved_of(x) < 0 && x->sized ? x->bytes : moved_of(x);
}

static na_i128 time_of(const struct shown *x)
{
	return x->of_network ? x->sums.time_ps : x->matched.rank_ps;
}

static bool is_shown(const struct shown *x)
{
	return x->of_network || x->executions || x->queued;
}

static const char *type_of(const struct shown *x)
{
	return x->type ? x->type : "";
}

/* A row in its place.  For na_sort(), which takes no context: of what. */
struct ranked {
	const struct report *of;
	uint32_t row;
};

/* The larger first: bytes, then time. */
static int by_sums(const struct shown *x, const struct shown *y)
{
	int c = NA_CMP(bytes_of(y), bytes_of(x));

	return c ? c : NA_CMP(time_of(y), time_of(x));
}

static int by_names(const struct report *p, const struct shown *x,
		    const struct shown *y)
{
	const struct na_strtab *names = &p->s->scope->store->names.strings;

	return NA_THEN(strcmp(na_strtab_at(names, x->name),
			      na_strtab_at(names, y->name)),
		       strcmp(na_strtab_at(names, x->module),
			      na_strtab_at(names, y->module)),
		       strcmp(type_of(x), type_of(y)));
}

static int by_bytes(const void *a, const void *b)
{
	const struct ranked *first = a, *second = b;
	const struct report *p = first->of;
	const struct shown one = head_at(p, first->row), *x = &one;
	const struct shown other = head_at(p, second->row), *y = &other;

	return NA_THEN(by_sums(x, y), NA_UP(network), NA_UP(run),
		       by_names(p, x, y), NA_UP(id));
}

/* The rows that have anything, most bytes first. */
static bool rank(struct report *p, size_t *n)
{
	size_t all = p->f.rows.n + p->f.dcn.n, k = 0;
	struct ranked *order = na_calloc(all + 1, sizeof(*order));

	for (size_t i = 0; order && i < all; i++) {
		struct shown row = head_at(p, i);

		if (is_shown(&row))
			order[k++] = (struct ranked){p, (uint32_t)i};
	}
	na_sort(order, k, by_bytes);
	p->order = order ? na_calloc(k, sizeof(*p->order)) : NULL;
	for (size_t i = 0; p->order && i < k; i++)
		p->order[i] = order[i].row;
	free(order);
	*n = k;
	return p->order;
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

/* Of a row of ranks. */
static const char *word_of(const struct report *p, const struct shown *x)
{
	return p->s->by_type ? NULL : na_collectives_word(x->opcode);
}

static void put_key(struct report *p, struct na_value *to,
		    const struct shown *x)
{
	const struct na_scope *scope = p->s->scope;
	struct na_value *key = na_put_object(p->r, to, M_key);

	for (size_t i = 0; i < scope->by.n; i++) {
		enum na_key k = scope->by.keys[i];

		if (k == NA_KEY_LABEL)
			na_put_text(p->r, key, M_label,
				    na_store_label(scope->store, x->run));
		else if (k == NA_KEY_TRANSFER_TYPE)
			na_put_text(p->r, key, M_transfer_type, x->type);
		else if (x->of_ranks)
			na_put_text(p->r, key, M_collective, word_of(p, x));
		else
			put_name(p->r, key, M_collective,
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
	return na_core_print(buf, &s->devices.cores[who], ':');
}

static void put_device(struct report *p, struct na_value *to, uint32_t network,
		       uint32_t host, uint32_t who)
{
	char buf[NA_ENDPOINT_BUF];

	na_put_text(p->r, to, M_device, device_text(p, network, who, buf));
	na_put_text(p->r, to, M_host, p->s->scope->store->hosts[host].name);
}

static void put_missing(struct report *p, struct na_value *to,
			const struct shown *x)
{
	struct na_value *list = na_put_list(p->r, to, M_missing), *one;

	for (size_t k = p->listed ? p->listed[x->id] : 0;
	     p->listed && k < p->listed[x->id + 1]; k++) {
		const struct coll_missing *m = &p->f.missing.v[k];

		one = na_put_object(p->r, list, NULL);
		put_device(p, one, x->network, m->host, m->who);
		na_put_int(p->r, one, M_executions, (int64_t)m->executions);
		na_put_int(p->r, one, M_of, (int64_t)x->most);
	}
	na_put_int(p->r, to, M_missing_count, (int64_t)x->n_missing);
	na_put_int(p->r, to, M_not_captured, (int64_t)x->not_captured);
}

/* A row of ranks is of one group, or does not tell of how many; -1. */
static na_i128 groups_of(const struct shown *x)
{
	if (x->of_ranks)
		return x->matched.group == NA_UNKNOWN_U32 ? -1 : 1;
	return x->group_size && x->n_groups ? (na_i128)x->n_groups : -1;
}

/* What only matched executions tell. */
static void put_ranks(struct report *p, struct na_value *to,
		      const struct shown *x)
{
	const struct coll_matched *m = x->of_network ? NULL : &x->matched;
	const struct na_core *cores = p->s->scope->store->devices.cores;
	struct na_result *r = p->r;
	struct na_value *one;

	na_put_whole(r, to, M_instances, m ? (na_i128)m->instances : -1);
	na_put_whole(r, to, M_group_size,
		     x->group_size ? (na_i128)x->group_size : -1);
	na_put_whole(r, to, M_groups, groups_of(x));
	na_put_real(r, to, M_bus_gbps,
		    m && m->sized_ps > 0 && m->bus_bits > 0
			    ? m->bus_bits / (double)m->sized_ps * 1e3
			    : NAN);
	one = na_put_object(r, to, M_waiting_us);
	na_put_real(r, one, M_mean,
		    m ? ratio(m->wait_ps, (na_i128)m->executions, 1e-6) : NAN);
	na_put_real(r, one, M_p99, m ? m->us[COLL_WAIT_P99] : NAN);
	na_put_real(r, to, M_waiting_share,
		    m ? ratio(m->wait_ps, m->rank_ps, 1) : NAN);
	one = na_put_object(r, to, M_last_device);
	if (m && m->last_n) {
		put_device(p, one, x->network, cores[m->last_core].input,
			   m->last_core);
	} else {
		na_put_null(r, one, M_device);
		na_put_null(r, one, M_host);
	}
	na_put_whole(r, one, M_count, m && m->last_n ? (na_i128)m->last_n : -1);
	one = na_put_object(r, to, M_start_skew_us);
	na_put_real(r, one, M_p50, m ? m->us[COLL_SKEW_P50] : NAN);
	na_put_real(r, one, M_max, m ? m->us[COLL_SKEW_MAX] : NAN);
}

/* The quantile p of the times, which of a matched row is known. */
static double time_us(const struct report *p, const struct shown *x,
		      enum coll_us us, double quantile)
{
	return x->of_network ? na_collectives_quantile(
				       &p->times, x->id - p->f.rows.n,
				       quantile)
			     : x->matched.us[us];
}

static const char *bytes_from(const struct shown *x)
{
	return bytes_of(x) < 0     ? NULL
	       : x->of_ranks       ? "ranks"
	       : !x->of_network    ? "hlo"
	       : x->sums.bytes > 0 ? "executions"
	       : moved_of(x) < 0   ? "hlo"
				   : "transfers";
}

static void put_row(struct report *p, struct na_value *list, size_t i)
{
	const struct shown row = row_at(p, i), *x = &row;
	const struct coll_matched *m = x->of_network ? NULL : &x->matched;
	const struct na_strtab *names = &p->s->scope->store->names.strings;
	struct na_value *to = na_put_object(p->r, list, NULL);
	struct na_result *r = p->r;
	bool told = !x->of_network || x->executions;

	put_key(p, to, x);
	if (x->of_ranks)
		na_put_text(r, to, M_collective, word_of(p, x));
	else
		put_name(r, to, M_collective, names, x->name);
	na_put_text(r, to, M_transfer_type, x->type);
	na_put_text(r, to, M_network, networks[x->network]);
	put_name(r, to, M_module, &p->f.modules, x->module);
	na_put_int(r, to, M_participants, (int64_t)x->participants);
	put_missing(p, to, x);
	na_put_whole(r, to, M_executions, told ? (na_i128)x->executions : -1);
	na_put_whole(r, to, M_bytes, bytes_of(x));
	na_put_text(r, to, M_bytes_from, bytes_from(x));
	na_put_real(r, to, M_p50_us, time_us(p, x, COLL_TIME_P50, 0.5));
	na_put_real(r, to, M_p99_us, time_us(p, x, COLL_TIME_P99, 0.99));
	na_put_real(r, to, M_bandwidth_gbps,
		    m ? gbps(m->sized_bytes, m->sized_ps)
		    : x->sums.bytes > 0
			    ? gbps(x->sums.bytes, x->sums.time_ps)
			    : gbps(moved_of(x), x->sums.time_ps));
	na_put_real(r, to, M_total_s, na_s(time_of(x)));
	na_put_whole(r, to, M_transfers,
		     !x->of_network ? -1
			      : (na_i128)x->sums.transfers[NA_RX] +
					x->sums.transfers[NA_TX]);
	na_put_whole(r, to, M_transfer_bytes, moved_of(x));
	put_ranks(p, to, x);
	if (x->of_ranks)
		na_collectives_put_ranks(r, to, p->s, &p->f, m);
}

static void add_total(struct coll_total *t, const struct shown *x)
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
		      const struct coll_total *t)
{
	na_put_int(r, row, M_collectives, (int64_t)t->rows);
	na_put_int(r, row, M_executions, (int64_t)t->executions);
	na_put_whole(r, row, M_bytes, t->bytes);
	na_put_whole(r, row, M_transfer_bytes, t->moved);
	na_put_real(r, row, M_total_s, na_s(t->time_ps));
	na_put_int(r, row, M_missing_count, (int64_t)t->missing);
}

static void put_networks(struct report *p, struct na_value *body, size_t n,
			 struct coll_total totals[NA_N_NETWORKS])
{
	struct na_value *list = na_put_list(p->r, body, M_networks), *row;

	for (size_t i = 0; i < n; i++) {
		const struct shown x = row_at(p, p->order[i]);

		add_total(&totals[x.network], &x);
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
	struct coll_found *f = &p->f;
	size_t n = f->rows.n + f->dcn.n;

	if (!f->missing.n)
		return true;
	na_sort(f->missing.v, f->missing.n, by_row);
	p->listed = na_calloc(n + 2, sizeof(*p->listed));
	for (size_t i = 0; p->listed && i < f->missing.n; i++)
		p->listed[f->missing.v[i].row + 1]++;
	for (size_t i = 0; p->listed && i < n; i++)
		p->listed[i + 1] += p->listed[i];
	return p->listed;
}

/* What the rows hold now. */
static void drop_keys(struct coll_state *s)
{
	na_triples_fini(&s->rows);
	na_triples_fini(&s->device_keys);
	na_collectives_members_fini(&s->members);
	na_vec_free(&s->devices);
	na_vec_free(&s->device_ops);
}

static void fit_all(struct coll_state *s)
{
	na_triples_fit(&s->rows);
	na_triples_fit(&s->device_keys);
	na_vec_fit(&s->kept);
	na_collectives_members_fit(&s->members);
	na_vec_fit(&s->times);
}

/* Rows of ops and of ranks; of ops nothing is looked at again. */
static bool match(struct report *p)
{
	struct coll_state *s = p->s;
	bool ok;

	p->f.rows.names = &s->scope->store->names.strings;
	p->f.rows.clipped = s->clipped;
	na_vec_fit(&s->ops);
	ok = na_collectives_match(s, &p->f);
	na_vec_free(&s->ops);
	na_vec_free(&s->modules);
	return ok && na_collectives_ranks(s, &p->f);
}

static bool gather(struct report *p)
{
	struct na_extent *used = p->s->scope->used;
	struct coll_found *f = &p->f;
	bool ok;

	if (!match(p))
		return false;
	/* Device ops are used as far as they became executions. */
	na_extent_join(used, &f->executions);
	p->s->n_executions += f->executions.n;
	fit_all(p->s);
	if (!na_collectives_add_dcn(p->s, f))
		return false;
	/* Not each op of an execution. */
	if (p->s->n_transfers + p->s->n_executions)
		used->n = p->s->n_transfers + p->s->n_executions;
	if (!na_collectives_miss_dcn(p->s, f))
		return false;
	drop_keys(p->s);
	ok = list_missing(p) &&
	     na_collectives_spread(&p->times, &p->s->times, f->dcn.n);
	na_vec_free(&p->s->times);
	return ok;
}

static void report_fini(struct report *p)
{
	na_collectives_spread_fini(&p->times);
	na_strtab_fini(&p->f.modules);
	na_collectives_rows_fini(&p->f.rows);
	na_vec_free(&p->f.dcn);
	na_vec_free(&p->f.by_devices);
	na_vec_free(&p->f.missing);
	na_collectives_ranks_fini(&p->f);
	free(p->order);
	free(p->listed);
}

enum na_status na_collectives_finish(void *state, struct na_result *r,
				     struct na_err *err)
{
	struct report p = {.s = state, .r = r};
	struct na_value *body = na_result_body(r), *list;
	struct coll_total totals[NA_N_NETWORKS] = {0};
	size_t n = 0, shown;
	bool linked;

	na_collectives_tell_into(p.s->tell, r);
	if (!gather(&p) || !rank(&p, &n)) {
		report_fini(&p);
		return na_fail_nomem(err);
	}
	shown = p.s->scope->top && p.s->scope->top < n ? p.s->scope->top : n;
	list = na_put_packed(r, body, M_collectives);
	for (size_t i = 0; i < shown; i++)
		put_row(&p, list, p.order[i]);
	na_put_int(r, body, M_collectives_not_shown, (int64_t)(n - shown));
	put_networks(&p, body, n, totals);
	na_put_int(r, body, M_unpaired, (int64_t)p.f.unpaired);
	na_collectives_put_instances(r, body, p.s, &p.f);
	linked = na_collectives_put_links(r, body, p.s, &p.f) &&
		 na_collectives_note_absent(r, p.s, &p.f);
	na_collectives_say(r, p.s, totals);
	report_fini(&p);
	if (!linked || !na_collectives_put_reductions(p.s, r, body))
		return na_fail_nomem(err);
	na_collectives_views(r, p.s);
	return NA_OK;
}

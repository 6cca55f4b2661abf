#include "netan/exports/sqlite/results.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/exports/sqlite/clocks.h"
#include "netan/model/hosts/topology.h"
#include "netan/result/emit.h"

/* ---- lists of results */

/* Lists and objects are JSON. */
static void bind_json(struct na_sql_db *x, sqlite3_stmt *s, int i,
		      const struct na_value *v)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (out)
		na_emit_line(v, out);
	if (!out || fclose(out) != 0)
		na_in_err(na_fail_nomem(&x->failed));
	else
		sqlite3_bind_text64(s, i, text, n, SQLITE_TRANSIENT,
				    SQLITE_UTF8);
	free(text);
}

/* An instant in seconds: to picoseconds, as it was told, then as records are
 * cut. */
static void bind_instant(sqlite3_stmt *s, int i, double at_s)
{
	if (fabs(at_s) < 9e6)
		sqlite3_bind_int64(
			s, i, na_sql_ns(llround(at_s * (double)NA_PS_PER_S)));
	else
		sqlite3_bind_null(s, i);
}

static void bind_value(struct na_sql_db *x, sqlite3_stmt *s, int i,
		       const struct na_sql_column *c, const struct na_value *v)
{
	if (!v || v->kind == NA_V_NULL) {
		sqlite3_bind_null(s, i);
		return;
	}
	switch (v->kind) {
	case NA_V_BOOL:
		sqlite3_bind_int(s, i, v->u.flag);
		break;
	case NA_V_INT:
		if (c->instant)
			bind_instant(s, i, (double)v->u.i);
		else
			sqlite3_bind_int64(s, i, v->u.i);
		break;
	case NA_V_ID:
		if (v->u.id <= INT64_MAX)
			sqlite3_bind_int64(s, i, (int64_t)v->u.id);
		else
			sqlite3_bind_text(s, i,
					  sqlite3_mprintf("%llu", v->u.id), -1,
					  sqlite3_free);
		break;
	case NA_V_REAL:
		if (c->instant)
			bind_instant(s, i, v->u.d);
		else
			sqlite3_bind_double(s, i, v->u.d);
		break;
	case NA_V_TEXT:
		sqlite3_bind_text(s, i, v->u.text, -1, SQLITE_STATIC);
		break;
	case NA_V_NULL:
	case NA_V_OBJECT:
	case NA_V_LIST:
	case NA_V_REALS:
	case NA_V_ROWS:
		bind_json(x, s, i, v);
		break;
	}
}

/* What only the table has. */
static const struct na_value *beside(const struct na_result *r,
				     const struct na_sql_column *c)
{
	return strcmp(c->name, M_origin_unix_ns) == 0
		       ? na_get(na_result_get_doc(r), M_origin_unix_ns)
		       : NULL;
}

static void put_list(struct na_sql_db *x, enum na_sql_table_id table,
		     const struct na_result *r, const char *name)
{
	const struct na_sql_column *c = x->columns[table];
	const struct na_value *list = na_get(na_result_get_body(r), name);
	sqlite3_stmt *s = na_sql_adder(x, table);

	if (!list)
		list = na_get(na_result_get_doc(r), name);
	if (!list)
		list = na_get(na_result_get_side(r), name);
	na_each_row (row, list) {
		for (size_t i = 0; s && i < x->n_columns[table]; i++)
			bind_value(x, s, (int)i + 1, &c[i],
				   c[i].path ? na_dig(row, c[i].path)
					     : beside(r, &c[i]));
		na_sql_add(x, table, s);
	}
	sqlite3_finalize(s);
}

/* ---- hosts and ranks */

static const char *place(const struct na_store *s, size_t host, bool block)
{
	const struct na_topology *t = s->topology;
	uint32_t at = t && s->place_of ? s->place_of[host] : NA_UNKNOWN_U32;

	if (!t || t->of_pairs || at == NA_UNKNOWN_U32 ||
	    (block && !t->has_blocks))
		return NULL;
	return block ? na_strtab_at(&t->blocks, t->block_of[at])
		     : na_strtab_at(&t->racks, t->rack_of[at]);
}

struct seen_host {
	size_t first; /* of the store's, which has one for each file */
	uint64_t devices; /* that transfers name, and ranks */
	uint64_t planes;  /* of devices in its files */
	bool recorded;
};

struct hosts {
	const struct na_store *store;
	const struct na_input *inputs; /* [store->n_sources] */
	struct na_strtab keys; /* run and name */
	NA_VEC(struct seen_host) all;
	bool failed;
};

static struct seen_host *seen(struct hosts *h, uint32_t run, const char *name,
			      size_t first)
{
	struct na_str key = {.s = NULL};
	struct seen_host *x = NULL;
	uint32_t at;

	na_str_addf(&key, "%" PRIu32 " %s", run, name);
	at = key.failed ? NA_NO_NAME : na_strtab_add(&h->keys, key.s, key.n);
	free(key.s);
	if (at != NA_NO_NAME && at < h->all.n)
		return &h->all.v[at];
	if (at != NA_NO_NAME)
		x = na_push(&h->all);
	if (x)
		x->first = first;
	h->failed |= !x;
	return x;
}

/* Ranks are devices of the host where they run; one that nothing places is a
 * host by itself. */
static void gather_hosts(struct hosts *h)
{
	const struct na_store *s = h->store;
	size_t n = s->names.n_endpoints;

	for (size_t i = 0; i < s->n_hosts && !h->failed; i++) {
		const struct na_host *host = &s->hosts[i];
		struct seen_host *x = NULL;

		if (!host->nobody && !(host->of_ranks && !host->recorded) &&
		    !na_address_is_nobodys(host->name))
			x = seen(h, host->run, host->name, i);
		if (x)
			x->recorded |= host->recorded;
		if (x && i < s->n_sources && !host->of_ranks)
			x->planes += h->inputs[i].n_devices;
	}
	for (size_t i = 0; i < n * s->n_runs && !h->failed; i++) {
		uint32_t host = s->host_of[i];
		struct seen_host *x = NULL;

		if (host < s->n_hosts && !s->hosts[host].of_ranks &&
		    !na_address_is_nobodys(s->hosts[host].name))
			x = seen(h, s->hosts[host].run, s->hosts[host].name,
				 host);
		if (x)
			x->devices++;
	}
	for (size_t i = 0; i < s->devices.n_cores && !h->failed; i++) {
		const struct na_core *c = &s->devices.cores[i];
		const struct na_host *host = &s->hosts[c->input];
		struct seen_host *x = NULL;

		if (c->kind == NA_DEVICE_RANK)
			x = seen(h, host->run, host->name, c->input);
		if (x)
			x->devices++;
	}
}

static void put_hosts(struct na_sql_db *x, const struct na_session *session)
{
	struct hosts h = {.store = &session->store, .inputs = session->inputs};
	sqlite3_stmt *s = na_sql_adder(x, NA_SQL_hosts);

	if (s)
		gather_hosts(&h);
	for (size_t i = 0; s && i < h.all.n; i++) {
		const struct seen_host *o = &h.all.v[i];
		const struct na_host *host = &h.store->hosts[o->first];

		na_sql_bind_shown(x, s, 1, host->name);
		na_sql_bind_shown(x, s, 2, na_store_label(h.store, host->run));
		sqlite3_bind_int(s, 3, o->recorded);
		sqlite3_bind_int64(s, 4,
				   (int64_t)(o->planes > o->devices
						     ? o->planes
						     : o->devices));
		na_sql_bind_shown(x, s, 5, place(h.store, o->first, false));
		na_sql_bind_shown(x, s, 6, place(h.store, o->first, true));
		na_sql_bind_clock(s, 7,
				  x->host_clocks ? &x->host_clocks[o->first]
						 : NULL);
		na_sql_add(x, NA_SQL_hosts, s);
	}
	if (h.failed)
		na_in_err(na_fail_nomem(&x->failed));
	na_vec_free(&h.all);
	na_strtab_fini(&h.keys);
	sqlite3_finalize(s);
}

static void put_ranks(struct na_sql_db *x, const struct na_session *session)
{
	const struct na_store *st = &session->store;
	sqlite3_stmt *s = na_sql_adder(x, NA_SQL_ranks);
	char name[NA_CORE_BUF];

	for (size_t i = 0; s && i < st->devices.n_cores; i++) {
		const struct na_core *c = &st->devices.cores[i];

		if (c->kind != NA_DEVICE_RANK)
			continue;
		sqlite3_bind_int64(s, 1, c->number);
		na_sql_bind_shown(x, s, 2, session->sources[c->input].host);
		na_sql_bind_shown(x, s, 3, na_core_print(name, c, ' '));
		na_sql_bind_shown(x, s, 4, session->inputs[c->input].path);
		na_sql_bind_shown(x, s, 5, session->sources[c->input].label);
		na_sql_bind_clock(s, 6,
				  x->rank_clocks ? &x->rank_clocks[i] : NULL);
		na_sql_add(x, NA_SQL_ranks, s);
	}
	sqlite3_finalize(s);
}

/* ---- coverage */

struct facts {
	struct na_sql_db *db;
	sqlite3_stmt *s;
};

static void put_fact(struct facts *f, const char *group, const char *name,
		     const struct na_value *v)
{
	static const struct na_sql_column as_it_is;

	if (!f->s || !v || na_is_container(v))
		return;
	sqlite3_bind_text(f->s, 1,
			  sqlite3_mprintf("%s%s%s", group, *group ? "." : "",
					  name),
			  -1, sqlite3_free);
	bind_value(f->db, f->s, 2, &as_it_is, v);
	na_sql_add(f->db, NA_SQL_coverage, f->s);
}

static void put_coverage(struct na_sql_db *x, const struct na_result *session,
			 const struct na_result *check)
{
	static const char *const heads[] = {M_netan_version, M_origin_unix_ns,
					    M_duration_s, M_anchor};
	const struct na_value *doc = na_result_get_doc(check ? check : session);
	const struct na_value *coverage = na_get(doc, M_coverage);
	const struct na_value *body = na_result_get_body(check);
	struct facts f = {x, na_sql_adder(x, NA_SQL_coverage)};

	for (size_t i = 0; i < NA_LEN(heads); i++)
		put_fact(&f, "", heads[i], na_get(doc, heads[i]));
	na_for_each (v, coverage)
		put_fact(&f, "", v->name, v);
	na_for_each (v, na_get(coverage, M_left_out))
		put_fact(&f, M_left_out, v->name, v);
	na_for_each (v, na_get(coverage, M_settings))
		put_fact(&f, M_settings, v->name, v);
	put_fact(&f, "", M_verdict, na_get(body, M_verdict));
	put_fact(&f, "", M_outcome, na_get(body, M_outcome));
	na_for_each (v, na_get(body, M_not_run))
		put_fact(&f, M_not_run, na_text_at(v, M_id),
			 na_get(v, M_missing));
	sqlite3_finalize(f.s);
}

/* The exhibit of all that was read, beside those of analyses. */
static const char session_name[] = "session", check_name[] = "check";

void na_sql_put_results(struct na_sql_db *x, const struct na_battery *b,
			const struct na_result *check)
{
	for (size_t i = 0; i < NA_SQL_N_TABLES; i++) {
		const struct na_sql_table *t = &na_sql_tables[i];

		if (t->exhibit)
			put_list(x, (enum na_sql_table_id)i,
				 strcmp(t->exhibit, check_name) == 0
					 ? check
					 : na_battery_result(b, t->exhibit),
				 t->list);
	}
	put_list(x, NA_SQL_executions,
		 na_battery_result(b, na_sql_tables[NA_SQL_executions].exhibit),
		 M_device_executions);
	put_hosts(x, &b->session);
	put_ranks(x, &b->session);
	put_coverage(x, na_battery_result(b, session_name), check);
}

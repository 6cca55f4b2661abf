#include "netan/analyses/rpc/calls.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "netan/stats/samples/quantile.h"

enum { SLOW_ROWS = 15, FAILED_POINTS = 2000 };

bool na_rpc_calls_add(struct rpc_calls *c, const struct na_call *call)
{
	if (!na_grow(&c->list, &c->cap, c->n + 1, sizeof(*c->list)))
		return false;
	c->list[c->n++] = call;
	return true;
}

bool na_rpc_calls_merge(struct rpc_calls *to, const struct rpc_calls *from)
{
	if (!from->n)
		return true;
	if (!na_grow(&to->list, &to->cap, to->n + from->n, sizeof(*to->list)))
		return false;
	memcpy(to->list + to->n, from->list, from->n * sizeof(*to->list));
	to->n += from->n;
	return true;
}

void na_rpc_calls_fini(struct rpc_calls *c)
{
	free(c->list);
}

static bool answered(const struct na_call *c)
{
	return c->end_ps != NA_UNKNOWN_PS;
}

/* Times of hostile inputs may lie further apart than int64_t reaches. */
static double after_us(const struct na_call *c, int64_t ps)
{
	if (ps == NA_UNKNOWN_PS)
		return NAN;
	return (double)((na_i128)ps - c->start_ps) / 1e6;
}

static double lasted_us(const struct na_call *c)
{
	return after_us(c, c->end_ps);
}

/* Only gRPC has messages and a status of its own. */
static bool is_grpc(const struct na_call *c)
{
	return c->grpc_status != NA_UNKNOWN_I32 || c->messages_req ||
	       c->messages_resp;
}

static int32_t status_of(const struct na_call *c)
{
	return is_grpc(c) ? c->grpc_status : c->http_status;
}

static bool failed(const struct na_call *c)
{
	if (c->reset)
		return true;
	if (c->grpc_status != NA_UNKNOWN_I32)
		return c->grpc_status != 0;
	return c->http_status != NA_UNKNOWN_I32 && c->http_status >= 400;
}

static const char *status_text(char *buf, size_t size, const struct na_call *c)
{
	/* Of gRPC, statuscodes.md: 0 to 16. */
	static const char *const names[] = {
		"OK",
		"CANCELLED",
		"UNKNOWN",
		"INVALID_ARGUMENT",
		"DEADLINE_EXCEEDED",
		"NOT_FOUND",
		"ALREADY_EXISTS",
		"PERMISSION_DENIED",
		"RESOURCE_EXHAUSTED",
		"FAILED_PRECONDITION",
		"ABORTED",
		"OUT_OF_RANGE",
		"UNIMPLEMENTED",
		"INTERNAL",
		"UNAVAILABLE",
		"DATA_LOSS",
		"UNAUTHENTICATED",
	};
	const int32_t n = sizeof(names) / sizeof(names[0]);

	if (c->grpc_status >= 0 && c->grpc_status < n)
		return names[c->grpc_status];
	if (c->grpc_status != NA_UNKNOWN_I32)
		snprintf(buf, size, "status %" PRId32, c->grpc_status);
	else if (c->http_status != NA_UNKNOWN_I32 &&
		 (!is_grpc(c) || c->http_status >= 400))
		snprintf(buf, size, "HTTP %" PRId32, c->http_status);
	else
		return c->reset ? "reset" : "not seen";
	return buf;
}

/* By time; records of one instant by what identifies them. */
static int in_time(const void *a, const void *b)
{
	const struct na_call *x = *(const struct na_call *const *)a;
	const struct na_call *y = *(const struct na_call *const *)b;

	if (x->start_ps != y->start_ps)
		return x->start_ps < y->start_ps ? -1 : 1;
	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	if (x->connection != y->connection)
		return x->connection < y->connection ? -1 : 1;
	return (x->stream > y->stream) - (x->stream < y->stream);
}

/* What nobody answered took longest. */
static int slowest(const void *a, const void *b)
{
	const struct na_call *x = *(const struct na_call *const *)a;
	const struct na_call *y = *(const struct na_call *const *)b;
	double p = lasted_us(x), q = lasted_us(y);

	if (answered(x) != answered(y))
		return answered(x) ? 1 : -1;
	if (answered(x) && p != q)
		return p > q ? -1 : 1;
	return in_time(a, b);
}

/* Names in the order in which they were first read: the same for any
 * number of threads. */
static int by_method(const void *a, const void *b)
{
	const struct na_call *x = *(const struct na_call *const *)a;
	const struct na_call *y = *(const struct na_call *const *)b;

	if (x->method != y->method)
		return x->method < y->method ? -1 : 1;
	return slowest(a, b);
}

static const char *method_of(const struct na_store *store, uint32_t name)
{
	return name < store->names.strings.n
		       ? na_strtab_at(&store->names.strings, name)
		       : NULL;
}

static void put_bytes(struct na_result *r, struct na_value *row,
		      const char *name, uint64_t n)
{
	if (n <= INT64_MAX)
		na_put_int(r, row, name, (int64_t)n);
	else
		na_put_real(r, row, name, (double)n);
}

static void put_status(struct na_result *r, struct na_value *row,
		       const char *name, int32_t status)
{
	if (status == NA_UNKNOWN_I32)
		na_put_null(r, row, name);
	else
		na_put_int(r, row, name, status);
}

static struct na_value *put_call(struct na_result *r, struct na_value *list,
				 const struct na_store *store,
				 const struct na_call *c)
{
	const struct na_endpoint *ends = store->names.endpoints;
	struct na_value *row = na_put_object(r, list, NULL);
	char buf[NA_ENDPOINT_BUF];

	na_put_real(r, row, M_time_s, (double)c->start_ps / 1e12);
	na_put_text(r, row, M_src,
		    na_endpoint_print(buf, &store->names, &ends[c->src]));
	na_put_text(r, row, M_dst,
		    na_endpoint_print(buf, &store->names, &ends[c->dst]));
	na_put_text(r, row, M_method, method_of(store, c->method));
	put_status(r, row, "status", status_of(c));
	put_status(r, row, M_http_status, c->http_status);
	na_put_bool(r, row, M_grpc, is_grpc(c));
	na_put_bool(r, row, M_reset, c->reset);
	na_put_real(r, row, M_first_us, after_us(c, c->first_ps));
	na_put_real(r, row, M_end_us, lasted_us(c));
	put_bytes(r, row, M_bytes_req, c->bytes_req);
	put_bytes(r, row, M_bytes_resp, c->bytes_resp);
	na_put_int(r, row, M_messages_req, c->messages_req);
	na_put_int(r, row, M_messages_resp, c->messages_resp);
	na_put_int(r, row, M_connection, c->connection);
	na_put_int(r, row, M_stream, c->stream);
	if (store->n_runs > 1)
		na_put_text(r, row, M_label, store->sources[c->input].label);
	return row;
}

/* What a person reads: the slowest, with names. */
static void put_slowest(struct na_result *r, const struct na_store *store,
			const struct rpc_calls *c)
{
	struct na_value *list = na_put_list(r, na_result_side(r), "slow_calls");
	char buf[32];

	for (size_t i = 0; i < c->n && i < SLOW_ROWS; i++) {
		struct na_value *row = put_call(r, list, store, c->list[i]);

		na_put_text(r, row, M_state,
			    status_text(buf, sizeof(buf), c->list[i]));
	}
}

/* For the picture: calls that failed and were answered. */
static void put_failed(struct na_result *r, const struct rpc_calls *c)
{
	struct na_value *in = na_put_object(r, na_result_side(r), M_failed);
	double *at, *us;
	size_t n = 0, k = 0;

	for (size_t i = 0; i < c->n; i++)
		n += failed(c->list[i]) && answered(c->list[i]);
	n = n < FAILED_POINTS ? n : FAILED_POINTS;
	at = na_put_reals(r, in, M_time_s, n);
	us = na_put_reals(r, in, M_latency_us, n);
	for (size_t i = 0; at && us && k < n; i++) {
		const struct na_call *x = c->list[i];

		if (!failed(x) || !answered(x))
			continue;
		at[k] = (double)x->end_ps / 1e12;
		us[k++] = lasted_us(x);
	}
}

struct method {
	uint32_t name;
	size_t n, failed, unanswered;
	double p50_us, p99_us, max_us; /* NaN: none was answered */
};

/* The highest p99 first; where nothing was answered, before all others. */
static int worst_method(const void *a, const void *b)
{
	const struct method *x = a, *y = b;

	if (isnan(x->p99_us) != isnan(y->p99_us))
		return isnan(x->p99_us) ? -1 : 1;
	if (!isnan(x->p99_us) && x->p99_us != y->p99_us)
		return x->p99_us > y->p99_us ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Of calls of one method, the slowest first. */
static struct method sum_up(const struct na_call *const *c, size_t n,
			    double *us)
{
	struct method m = {.name = c[0]->method, .n = n};
	size_t timed = 0;

	for (size_t i = n; i-- > 0;) {
		m.failed += failed(c[i]);
		if (answered(c[i]))
			us[timed++] = lasted_us(c[i]);
	}
	m.unanswered = n - timed;
	m.p50_us = na_quantile_sorted(us, timed, 0.5);
	m.p99_us = na_quantile_sorted(us, timed, 0.99);
	m.max_us = timed ? us[timed - 1] : NAN;
	return m;
}

static void put_method(struct na_result *r, struct na_value *list,
		       const struct na_store *store, const struct method *m)
{
	struct na_value *row = na_put_object(r, list, NULL);

	na_put_text(r, row, M_method, method_of(store, m->name));
	na_put_int(r, row, M_calls, (int64_t)m->n);
	na_put_int(r, row, M_failed, (int64_t)m->failed);
	na_put_int(r, row, M_unanswered, (int64_t)m->unanswered);
	na_put_real(r, row, M_p50_us, m->p50_us);
	na_put_real(r, row, M_p99_us, m->p99_us);
	na_put_real(r, row, M_max_us, m->max_us);
}

/* The calls are sorted by method, slowest first. */
static bool put_methods(struct na_result *r, const struct na_store *store,
			const struct rpc_calls *c)
{
	struct na_value *body = na_result_body(r);
	struct na_value *list = na_put_list(r, body, M_methods);
	struct method *all = na_calloc(c->n, sizeof(*all));
	double *us = na_calloc(c->n, sizeof(*us));
	size_t n = 0;
	bool ok = all && us;

	for (size_t i = 0, end; ok && i < c->n; i = end) {
		for (end = i;
		     end < c->n && c->list[end]->method == c->list[i]->method;
		     end++)
			;
		all[n++] = sum_up(c->list + i, end - i, us);
	}
	if (n)
		qsort(all, n, sizeof(*all), worst_method);
	for (size_t i = 0; i < n && i < RPC_METHODS_MAX; i++)
		put_method(r, list, store, &all[i]);
	na_put_int(r, body, M_methods_not_shown,
		   n > RPC_METHODS_MAX ? (int64_t)(n - RPC_METHODS_MAX) : 0);
	free(all);
	free(us);
	return ok;
}

/* How many failed, by status, the most frequent first. */
struct tally {
	char text[32];
	size_t n;
};
enum { TALLIES = 24 };

static int most_frequent(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void put_failures(struct na_result *r, const struct rpc_calls *c)
{
	struct na_value *list = na_put_list(r, na_result_side(r), "failures");
	struct tally t[TALLIES];
	size_t n = 0, all = 0, unanswered = 0;
	char buf[32];

	for (size_t i = 0; i < c->n; i++) {
		const char *text = status_text(buf, sizeof(buf), c->list[i]);
		size_t k = 0;

		unanswered += !answered(c->list[i]) && !c->list[i]->reset;
		if (!failed(c->list[i]))
			continue;
		all++;
		while (k < n && strcmp(t[k].text, text) != 0)
			k++;
		if (k == n && n == TALLIES)
			continue;
		if (k == n) {
			t[n] = (struct tally){.n = 0};
			snprintf(t[n++].text, sizeof(t[0].text), "%s", text);
		}
		t[k].n++;
	}
	if (n)
		qsort(t, n, sizeof(t[0]), most_frequent);
	for (size_t i = 0; i < n; i++) {
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_status, t[i].text);
		na_put_int(r, row, M_calls, (int64_t)t[i].n);
	}
	na_put_int(r, na_result_side(r), M_calls, (int64_t)c->n);
	na_put_int(r, na_result_side(r), "calls_failed", (int64_t)all);
	na_put_int(r, na_result_side(r), "calls_unanswered",
		   (int64_t)unanswered);
}

bool na_rpc_captured(const struct na_store *store)
{
	for (size_t i = 0; i < store->n_sources; i++) {
		for (size_t k = 0; k < 2 * NA_N_CLASSES; k++) {
			const uint64_t(*side)[NA_N_CLASSES] =
				store->tallies[i].classes[k % 2];

			if (side[NA_STYLE_CAPTURE][k / 2] ||
			    side[NA_STYLE_ESTIMATE][k / 2])
				return true;
		}
	}
	return store->calls.n > 0;
}

bool na_rpc_put_calls(struct na_result *r, const struct na_store *store,
		      struct rpc_calls *c, size_t top)
{
	struct na_value *body = na_result_body(r), *list;
	size_t n = top && top < RPC_CALLS_MAX ? top : RPC_CALLS_MAX;

	if (!na_rpc_captured(store))
		return true;
	if (c->n)
		qsort(c->list, c->n, sizeof(*c->list), by_method);
	list = na_put_list(r, body, M_calls);
	n = n < c->n ? n : c->n;
	na_put_int(r, body, M_calls_not_shown, (int64_t)(c->n - n));
	if (!put_methods(r, store, c))
		return false;
	if (c->n)
		qsort(c->list, c->n, sizeof(*c->list), slowest);
	put_slowest(r, store, c);
	put_failed(r, c);
	put_failures(r, c);
	if (n)
		qsort(c->list, n, sizeof(*c->list), in_time);
	for (size_t i = 0; i < n; i++)
		put_call(r, list, store, c->list[i]);
	return true;
}

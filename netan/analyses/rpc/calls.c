#include "netan/analyses/rpc/calls.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/put.h"
#include "netan/stats/samples/quantile.h"

enum { SLOW_ROWS = 15, FAILED_POINTS = 2000 };

static bool answered(const struct na_call *c)
{
	return c->end_ps != NA_UNKNOWN_PS;
}

/* Times of hostile inputs may lie further apart than int64_t reaches. */
static double after_us(const struct na_call *c, int64_t ps)
{
	if (ps == NA_UNKNOWN_PS)
		return NAN;
	return na_us((na_i128)ps - c->start_ps);
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

static bool failed(const struct na_call *c)
{
	if (c->reset)
		return true;
	if (c->grpc_status != NA_UNKNOWN_I32)
		return c->grpc_status != 0;
	return c->http_status != NA_UNKNOWN_I32 && c->http_status >= 400;
}

/* Open until the capture ends; one that was reset has failed. */
static bool unanswered(const struct na_call *c)
{
	return !answered(c) && !c->reset;
}

/* It no longer wanted the answer, or its deadline passed. */
static bool given_up(const struct na_call *c)
{
	return c->reset == NA_RESET_BY_CLIENT;
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
		 ((!is_grpc(c) && !c->reset) || c->http_status >= 400))
		snprintf(buf, size, "HTTP %" PRId32, c->http_status);
	else if (given_up(c))
		return "given up by the client";
	else
		return c->reset ? "reset" : "not seen";
	return buf;
}

/* By time; records of one instant by what identifies them. */
#define IN_TIME NA_UP(start_ps), NA_UP(input), NA_UP(connection), NA_UP(stream)

/* What nobody answered took longest. */
static int by_length(const struct na_call *x, const struct na_call *y)
{
	double p = lasted_us(x), q = lasted_us(y);

	return NA_THEN(answered(x) - answered(y), NA_CMP(q, p),
		       NA_THEN(IN_TIME));
}

/* Of two elements of a list. */
static int in_time(const void *a, const void *b)
{
	const struct na_call *x = *(const struct na_call *const *)a;
	const struct na_call *y = *(const struct na_call *const *)b;

	return NA_THEN(IN_TIME);
}

static int slowest(const void *a, const void *b)
{
	return by_length(*(const struct na_call *const *)a,
			 *(const struct na_call *const *)b);
}

/* Names in the order in which they were first read: the same for any
 * number of threads. */
static int by_method(const void *a, const void *b)
{
	const struct na_call *x = *(const struct na_call *const *)a;
	const struct na_call *y = *(const struct na_call *const *)b;

	return NA_THEN(NA_UP(method), by_length(x, y));
}

static const char *method_of(const struct na_store *store, uint32_t name)
{
	return name < store->names.strings.n
		       ? na_strtab_at(&store->names.strings, name)
		       : NULL;
}

static void put_status(struct na_result *r, struct na_value *row,
		       const char *name, int32_t status)
{
	if (status == NA_UNKNOWN_I32)
		na_put_null(r, row, name);
	else
		na_put_int(r, row, name, status);
}

/* Whose time it was. */
static void put_parts(struct na_result *r, struct na_value *row,
		      const struct na_call *c)
{
	double first = after_us(c, c->first_ps), all = lasted_us(c);
	double server = fmax(first - na_us_of_ns(c->leg_ns), 0);

	na_put_int(r, row, M_setbacks, c->setbacks);
	na_put_real(r, row, M_server_us,
		    c->setbacks || isnan(first) ? (double)NAN : server);
	na_put_real(r, row, M_network_us,
		    c->setbacks || isnan(first) ? all : all - server);
}

static struct na_value *put_call(struct na_result *r, struct na_value *list,
				 const struct na_store *store,
				 const struct na_call *c)
{
	const struct na_endpoint *ends = store->names.endpoints;
	struct na_value *row = na_put_object(r, list, NULL);
	char buf[NA_ENDPOINT_BUF];
	bool grpc = is_grpc(c);

	na_put_real(r, row, M_time_s, na_s(c->start_ps));
	na_put_text(r, row, M_src,
		    na_endpoint_print(buf, &store->names, &ends[c->src]));
	na_put_text(r, row, M_dst,
		    na_endpoint_print(buf, &store->names, &ends[c->dst]));
	na_put_text(r, row, M_method, method_of(store, c->method));
	put_status(r, row, M_status, grpc ? c->grpc_status : c->http_status);
	put_status(r, row, M_http_status, c->http_status);
	na_put_bool(r, row, M_grpc, grpc);
	na_put_bool(r, row, M_reset, c->reset);
	na_put_real(r, row, M_first_us, after_us(c, c->first_ps));
	na_put_real(r, row, M_end_us, lasted_us(c));
	na_put_whole(r, row, M_bytes_req, c->bytes_req);
	na_put_whole(r, row, M_bytes_resp, c->bytes_resp);
	na_put_int(r, row, M_messages_req, c->messages_req);
	na_put_int(r, row, M_messages_resp, c->messages_resp);
	na_put_int(r, row, M_connection, c->connection);
	na_put_int(r, row, M_stream, c->stream);
	put_parts(r, row, c);
	if (store->n_runs > 1)
		na_put_text(r, row, M_label, store->sources[c->input].label);
	return row;
}

/* What a person reads: the slowest, with names. */
static void put_slowest(struct na_result *r, const struct na_store *store,
			const struct rpc_calls *c)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_slow_calls);
	char buf[32];

	for (size_t i = 0; i < c->n && i < SLOW_ROWS; i++) {
		struct na_value *row = put_call(r, list, store, c->v[i]);

		na_put_text(r, row, M_state,
			    status_text(buf, sizeof(buf), c->v[i]));
	}
}

/* For the picture: calls that failed and were answered. */
static void put_failed(struct na_result *r, const struct rpc_calls *c)
{
	struct na_value *in = na_put_object(r, na_result_side(r), M_failed);
	double *at, *us;
	size_t n = 0, k = 0;

	for (size_t i = 0; i < c->n; i++)
		n += failed(c->v[i]) && answered(c->v[i]);
	n = n < FAILED_POINTS ? n : FAILED_POINTS;
	at = na_put_reals(r, in, M_time_s, n);
	us = na_put_reals(r, in, M_latency_us, n);
	for (size_t i = 0; at && us && k < n; i++) {
		const struct na_call *x = c->v[i];

		if (!failed(x) || !answered(x))
			continue;
		at[k] = na_s(x->end_ps);
		us[k++] = lasted_us(x);
	}
}

struct method {
	uint32_t name;
	size_t n, failed, unanswered;
	double p50_us, p99_us, max_us; /* NaN: none was answered */
};

/* The highest p99 first; where nothing was answered, before all others. */
NA_ORDER(worst_method, struct method, isnan(y->p99_us) - isnan(x->p99_us),
	 NA_DOWN(p99_us), NA_UP(name))

/* Of calls of one method, the slowest first. */
static struct method sum_up(const struct na_call *const *c, size_t n,
			    double *us)
{
	struct method m = {.name = c[0]->method, .n = n};
	size_t timed = 0;

	for (size_t i = n; i-- > 0;) {
		m.failed += failed(c[i]);
		m.unanswered += unanswered(c[i]);
		if (answered(c[i]))
			us[timed++] = lasted_us(c[i]);
	}
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
		     end < c->n && c->v[end]->method == c->v[i]->method; end++)
			;
		all[n++] = sum_up(c->v + i, end - i, us);
	}
	na_sort(all, n, worst_method);
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

NA_ORDER(most_frequent, struct tally, NA_DOWN(n), strcmp(x->text, y->text))

static void put_failures(struct na_result *r, const struct rpc_calls *c)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_failures);
	struct tally t[TALLIES];
	size_t n = 0, all = 0, open = 0, left = 0;
	char buf[32];

	for (size_t i = 0; i < c->n; i++) {
		const char *text = status_text(buf, sizeof(buf), c->v[i]);
		size_t k = 0;

		open += unanswered(c->v[i]);
		left += given_up(c->v[i]);
		if (!failed(c->v[i]))
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
	na_sort(t, n, most_frequent);
	for (size_t i = 0; i < n; i++) {
		struct na_value *row = na_put_object(r, list, NULL);

		na_put_text(r, row, M_status, t[i].text);
		na_put_int(r, row, M_calls, (int64_t)t[i].n);
	}
	na_put_int(r, na_result_side(r), M_calls, (int64_t)c->n);
	na_put_int(r, na_result_side(r), M_calls_failed, (int64_t)all);
	na_put_int(r, na_result_side(r), M_calls_unanswered, (int64_t)open);
	na_put_int(r, na_result_side(r), M_calls_given_up, (int64_t)left);
}

bool na_rpc_captured(const struct na_store *store)
{
	bool any = (na_store_styles(store, UINT32_MAX) &
		    NA_STYLES_OF_PACKETS) ||
		   store->calls.n;

	/* Whatever is in the window. */
	for (size_t i = 0; !any && i < store->n_sources; i++)
		any = store->sources[i].capture;
	return any;
}

bool na_rpc_put_calls(struct na_result *r, const struct na_store *store,
		      struct rpc_calls *c, size_t top)
{
	struct na_value *body = na_result_body(r), *list;
	size_t n = top && top < RPC_CALLS_MAX ? top : RPC_CALLS_MAX;

	if (!na_rpc_captured(store))
		return true;
	na_sort(c->v, c->n, by_method);
	list = na_put_list(r, body, M_calls);
	n = n < c->n ? n : c->n;
	na_put_int(r, body, M_calls_not_shown, (int64_t)(c->n - n));
	if (!put_methods(r, store, c))
		return false;
	na_sort(c->v, c->n, slowest);
	put_slowest(r, store, c);
	put_failed(r, c);
	put_failures(r, c);
	na_sort(c->v, n, in_time);
	for (size_t i = 0; i < n; i++)
		put_call(r, list, store, c->v[i]);
	return true;
}

/*
 * rocprofv3 --output-format json: each kernel that was dispatched on an AMD
 * GPU, with times of the machine's monotonic clock; names stand apart.
 *
 * Source: ROCm/rocprofiler-sdk source/lib/output (generateJSON.cpp).
 */
#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"

/* rocprofiler_agent_type_t of a GPU */
enum { AGENT_GPU = 2 };

bool kt_is_rocprof(const struct na_json *j)
{
	return na_json_is(j, "rocprofiler-sdk-tool");
}

/* {"handle": 7}, behind its key. */
static uint64_t handle(struct na_json *j)
{
	uint64_t x = NA_UNKNOWN_U64;

	if (!na_json_enters(j, NA_JSON_OBJECT))
		return x;
	while (na_json_next(j) == NA_JSON_KEY) {
		bool is = na_json_is(j, "handle");
		struct na_text text = na_json_value(j);

		if (is && !na_json_count(text, &x))
			x = NA_UNKNOWN_U64;
	}
	return x;
}

static enum na_status take_agent(struct na_input *in, struct na_json *j,
				 struct na_err *err)
{
	struct kineto *k = in->state;
	uint64_t id = NA_UNKNOWN_U64, type = 0;

	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "id"))
			id = handle(j);
		else if (!na_json_is(j, "type"))
			na_json_skip(j);
		else if (!na_json_count(na_json_value(j), &type))
			type = 0;
	}
	if (type == AGENT_GPU && k->agents.n < NA_CORES_MAX &&
	    !na_add(&k->agents, id))
		return na_fail_nomem(err);
	return NA_OK;
}

static enum na_status take_symbol(struct na_input *in, struct na_json *j,
				  struct na_err *err)
{
	struct kineto *k = in->state;
	struct kt_symbol x = {.id = NA_UNKNOWN_U64};

	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "formatted_kernel_name"))
			x.name = na_json_value(j);
		else if (!na_json_is(j, "kernel_id"))
			na_json_skip(j);
		else if (!na_json_count(na_json_value(j), &x.id))
			x.id = NA_UNKNOWN_U64;
	}
	if (x.name.n && !na_add(&k->symbols, x))
		return na_fail_nomem(err);
	return NA_OK;
}

static enum na_status take_dispatch(struct na_input *in, struct na_json *j,
				    struct na_err *err)
{
	struct kineto *k = in->state;
	const char *data = (const char *)in->data, *from = j->from;

	k->n_events++;
	k->n_kernels++;
	k->categories[0].events++;
	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "start_timestamp"))
			kt_note_time(k, na_json_value(j), 0);
		else
			na_json_skip(j);
	}
	if (j->damage || !(in->wants & (NA_WANT_BUSY | NA_WANT_OPS |
					NA_WANT_COMMS | NA_WANT_KERNELS)))
		return NA_OK;
	return kt_keep(k, (uint64_t)(from - data), (uint64_t)(j->p - data),
		       KT_DISPATCH, err);
}

static enum na_status take_buffers(struct na_input *in, struct na_json *j,
				   struct na_err *err)
{
	struct kineto *k = in->state;
	enum na_status st = NA_OK;

	if (!na_json_enters(j, NA_JSON_OBJECT))
		return NA_OK;
	while (st == NA_OK && na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "kernel_dispatch")) {
			k->has_array = true;
			st = kt_each(in, j, take_dispatch, err);
		} else {
			na_json_skip(j);
		}
	}
	return st;
}

static enum na_status take_metadata(struct na_input *in, struct na_json *j,
				    struct na_err *err)
{
	enum na_status st = NA_OK;

	if (!na_json_enters(j, NA_JSON_OBJECT))
		return NA_OK;
	while (st == NA_OK && na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "node"))
			st = take_metadata(in, j, err);
		else if (na_json_is(j, "hostname"))
			st = kt_take_host(in, j, err);
		else
			na_json_skip(j);
	}
	return st;
}

static enum na_status take_process(struct na_input *in, struct na_json *j,
				   struct na_err *err)
{
	enum na_status st = NA_OK;

	while (st == NA_OK && na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "agents"))
			st = kt_each(in, j, take_agent, err);
		else if (na_json_is(j, "kernel_symbols"))
			st = kt_each(in, j, take_symbol, err);
		else if (na_json_is(j, "buffer_records"))
			st = take_buffers(in, j, err);
		else if (na_json_is(j, "metadata"))
			st = take_metadata(in, j, err);
		else
			na_json_skip(j);
	}
	return st;
}

enum na_status kt_rocprof(struct na_input *in, struct na_json *j,
			  struct na_err *err)
{
	struct kineto *k = in->state;

	in->format = "rocprof";
	k->categories[0].name = na_text_n("kernel_dispatch", 15);
	k->categories[0].wants = NA_WANT_OPS | NA_WANT_BUSY | NA_WANT_COMMS |
				 NA_WANT_KERNELS;
	k->n_categories = 1;
	return kt_each(in, j, take_process, err);
}

/* ---- one dispatch */

static struct na_text symbol(const struct kineto *k, uint64_t id)
{
	size_t lo = 0, hi = k->symbols.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->symbols.v[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < k->symbols.n && k->symbols.v[lo].id == id
		       ? k->symbols.v[lo].name
		       : na_text_n("", 0);
}

static uint32_t agent(const struct kineto *k, uint64_t id)
{
	for (size_t i = 0; i < k->agents.n; i++) {
		if (k->agents.v[i] == id)
			return (uint32_t)i;
	}
	return 0;
}

static void take_info(const struct kineto *k, struct na_json *j,
		      struct kt_dispatch *x)
{
	if (!na_json_enters(j, NA_JSON_OBJECT))
		return;
	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "agent_id"))
			x->agent = agent(k, handle(j));
		else if (!na_json_is(j, "kernel_id"))
			na_json_skip(j);
		else if (na_json_count(na_json_value(j), &x->kernel))
			x->name = symbol(k, x->kernel);
	}
}

struct kt_dispatch kt_dispatch_of(const struct kineto *k, struct na_text text)
{
	struct kt_dispatch x = {.name = {"", 0},
				.stream = -1,
				.kernel = NA_UNKNOWN_U64};
	struct na_json j = na_json_of(text, 0);
	uint64_t stream;

	na_json_next(&j);
	while (na_json_next(&j) == NA_JSON_KEY) {
		if (na_json_is(&j, "start_timestamp")) {
			x.start = na_json_value(&j);
		} else if (na_json_is(&j, "end_timestamp")) {
			x.end = na_json_value(&j);
		} else if (na_json_is(&j, "dispatch_info")) {
			take_info(k, &j, &x);
		} else if (na_json_is(&j, "stream_id")) {
			stream = handle(&j);
			x.stream = stream < UINT32_MAX ? (int64_t)stream : -1;
		} else {
			na_json_skip(&j);
		}
	}
	return x;
}

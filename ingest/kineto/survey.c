/*
 * One walk over the file: whose it is, its clock, and where the events are
 * that give records.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ingest/gpu/file_name.h"
#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"
#include "netan/base/order.h"
#include "netan/base/similar.h"
#include "netan/base/units.h"
#include "netan/model/gpu/kernels.h"

/* Unknown kernels beyond these are looked at each time. */
enum { KT_KERNEL_NAMES = 1 << 16 };

/* Stamps above this are since 1970: the year 2001. */
#define EPOCH_US INT64_C(1000000000000000)

static const char calls_name[] = "record_param_comms";

static bool is_kernel(struct na_text category)
{
	return na_same_nocase(category.s, category.n, "kernel");
}

/* Which kinds of records an event gives, by its category. */
static uint32_t wants_of(struct na_text category)
{
	if (is_kernel(category))
		return NA_WANT_OPS | NA_WANT_BUSY | NA_WANT_COMMS |
		       NA_WANT_KERNELS | NA_WANT_TRANSFERS;
	if (na_text_is(category, "user_annotation"))
		return NA_WANT_STEPS | NA_WANT_COMMS;
	return na_text_is(category, "cpu_op") ? NA_WANT_COMMS : 0;
}

/* A text that the survey keeps: what is being unpacked does not stay. */
static struct na_text lasting(struct kineto *k, struct na_text x)
{
	if (k->spool.phase != KT_EVENTS || !x.s)
		return x;
	x.s = na_arena_strn(&k->spool.texts, x.s, x.n);
	if (!x.s) {
		k->spool.failed = true;
		x = na_text_n("", 0);
	}
	return x;
}

static struct kt_category *category_of(struct kineto *k, struct na_text name)
{
	struct kt_category *c = &k->categories[k->last_category];
	size_t i;

	if (k->n_categories && na_text_same(c->name, name))
		return c;
	for (i = 0; i < k->n_categories; i++) {
		if (na_text_same(k->categories[i].name, name))
			break;
	}
	if (i == k->n_categories && i < KT_CATEGORIES) {
		k->categories[i].name = lasting(k, name);
		k->categories[i].wants = wants_of(name);
		k->n_categories++;
	}
	k->last_category = i < KT_CATEGORIES ? i : KT_CATEGORIES;
	return &k->categories[k->last_category];
}

/* Decided once for each name. */
static bool talks(struct kineto *k, struct na_text name)
{
	uint32_t i = na_strtab_find(&k->kernels, name.s, name.n);

	if (i != NA_NO_NAME && i < k->talks.n)
		return k->talks.v[i];
	if (k->kernels.n < KT_KERNEL_NAMES &&
	    na_strtab_add(&k->kernels, name.s, name.n) == k->talks.n)
		(void)na_add(&k->talks, (uint8_t)na_kernel_talks(name));
	return na_kernel_talks(name);
}

static bool is_range(struct na_text name)
{
	return na_text_begins(name, "gloo:") || na_text_begins(name, "mpi:") ||
	       na_text_begins(name, "ucc:");
}

/* The event begins at s and at byte `at`. */
static enum na_status add_call(struct kineto *k,
			       const struct na_kineto_event *e, const char *s,
			       uint64_t at, struct na_err *err)
{
	struct kt_args a = kt_args_of(e->args);
	struct kt_call call = {(uint64_t)a.external_id,
			       at + (uint64_t)(e->args.s - s), e->args.n};
	bool ok = true;

	if (a.external_id >= 0 && a.collective.s)
		ok = na_add(&k->calls, call);
	else if (a.external_id >= 0 && a.inputs.s)
		ok = na_add(&k->p2p_calls, call);
	return ok ? NA_OK : na_fail_nomem(err);
}

bool kt_is_counted(struct na_text name)
{
	return na_text_begins(name, "ProfilerStep#") || is_range(name) ||
	       na_text_is(name, calls_name) || kt_is_p2p_call(name);
}

int32_t kt_device_of(struct na_text pid)
{
	uint64_t x;

	if (!pid.s || !na_text_number(pid, &x))
		return 0;
	return x < KT_DEVICES ? (int32_t)x : KT_DEVICES - 1;
}

static enum kt_kind kind_of(struct kineto *k, const struct na_kineto_event *e)
{
	if (is_kernel(e->cat)) {
		k->n_kernels++;
		k->devices |= UINT64_C(1) << kt_device_of(e->pid);
		return talks(k, e->name) ? KT_TALKS : KT_KERNEL;
	}
	if (na_text_begins(e->name, "ProfilerStep#"))
		return na_text_begins(e->cat, "gpu") ? KT_NONE : KT_STEP;
	if (is_range(e->name)) {
		k->n_ranges++;
		return KT_CPU;
	}
	return na_text_is(e->name, calls_name) ? KT_CPU : KT_NONE;
}

static bool wanted(uint32_t asked, enum kt_kind kind)
{
	static const uint32_t wants[] = {
		[KT_KERNEL] = NA_WANT_BUSY,
		[KT_TALKS] = NA_WANT_OPS | NA_WANT_COMMS | NA_WANT_KERNELS |
			     NA_WANT_TRANSFERS,
		[KT_CPU] = NA_WANT_COMMS | NA_WANT_OPS | NA_WANT_TRANSFERS,
		[KT_STEP] = NA_WANT_STEPS,
		[KT_DISPATCH] = NA_WANT_BUSY,
		[KT_NONE] = 0,
	};

	return asked & wants[kind];
}

enum na_status kt_keep(struct kineto *k, uint64_t at, uint64_t end,
		       enum kt_kind kind, struct na_err *err)
{
	struct kt_block *b = k->blocks.n ? &k->blocks.v[k->blocks.n - 1] : NULL;

	if (!b || at - b->base >= NA_BLOCK_BYTES) {
		if (!na_add(&k->blocks,
			    ((struct kt_block){at, end, k->events.n})))
			return na_fail_nomem(err);
		b = &k->blocks.v[k->blocks.n - 1];
	}
	b->end = end;
	if (!na_add(&k->events,
		    (uint32_t)(at - b->base) << KT_KIND_BITS | (uint32_t)kind))
		return na_fail_nomem(err);
	return NA_OK;
}

/* Of microseconds (power 3) or nanoseconds (0). */
void kt_note_time(struct kineto *k, struct na_text ts, int power)
{
	int64_t ns;

	if (power ? !kt_time_ns(ts, &ns) : !na_json_decimal(ts, 0, &ns))
		return;
	if (!k->has_first || ns < k->first_ns)
		k->first_ns = ns;
	k->has_first = true;
}

enum na_status kt_take_event(struct kineto *k, uint32_t wants,
			     const struct na_kineto_event *e, const char *s,
			     const char *next, uint64_t at, struct na_err *err)
{
	enum na_status st = NA_OK;
	enum kt_kind kind;

	k->n_events++;
	if (!na_text_is(e->ph, "X"))
		return NA_OK;
	category_of(k, e->cat)->events++;
	kt_note_time(k, e->ts, 3);
	if (!k->pid.s && (na_text_is(e->cat, "cpu_op") ||
			  na_text_is(e->cat, "cuda_runtime")))
		k->pid = lasting(k, e->pid);
	kind = kind_of(k, e);
	if (na_text_is(e->name, calls_name) || kt_is_p2p_call(e->name))
		st = add_call(k, e, s, at, err);
	if (st == NA_OK && wanted(wants, kind))
		st = kt_keep(k, at, at + (uint64_t)(next - s), kind, err);
	return st;
}

const char *kt_past_comma(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\n' || *s == '\r' ||
			   *s == '\t' || *s == ','))
		s++;
	return s;
}

/* From behind the bracket of the array of events; leaves the walker at the
 * bracket that closes it. */
static enum na_status take_events(struct na_input *in, struct na_json *j,
				  struct na_err *err)
{
	struct kineto *k = in->state;
	const char *data = (const char *)in->data, *s = j->p, *next;
	struct na_kineto_shape shape = {0};
	enum na_status st = NA_OK;
	struct na_kineto_event e;

	k->has_array = true;
	if (k->spool.array == (uint64_t)(s - data))
		s = data + k->spool.stop;
	while (st == NA_OK) {
		s = kt_past_comma(s, j->end);
		if (s == j->end || *s != '{')
			break;
		next = na_kineto_event(s, j->end, &shape, &e);
		if (!next)
			break;
		st = kt_take_event(k, in->wants, &e, s, next,
				   (uint64_t)(s - data), err);
		s = next;
	}
	j->p = s;
	j->closed = s < j->end && *s == ']';
	return st;
}

static enum na_status members(struct na_input *in, struct na_json *j,
			      struct na_err *err)
{
	enum na_status st = NA_OK;

	while (st == NA_OK && na_json_next(j) == NA_JSON_KEY) {
		if (kt_is_rocprof(j)) {
			st = kt_rocprof(in, j, err);
			continue;
		}
		if (!na_json_is(j, "traceEvents")) {
			st = kt_member(in, j, err);
			continue;
		}
		if (!na_json_enters(j, NA_JSON_ARRAY))
			continue;
		st = take_events(in, j, err);
		if (st == NA_OK)
			na_json_next(j);
	}
	return st;
}

static void say_damage(struct na_input *in, const struct na_json *j)
{
	const struct kineto *k = in->state;
	uint64_t at = na_json_at(j);

	if (!j->damage)
		return;
	in->damaged = true;
	na_input_warn(in,
		      "byte %" PRIu64 ": expected %s; %" PRIu64
		      " bytes left out, %" PRIu64
		      " whole events before them are read (was the profiler "
		      "killed?)",
		      at, j->damage, in->size - at, k->n_events);
}

NA_ORDER(by_id, struct kt_call, NA_UP(id), NA_UP(at))
NA_ORDER(by_number, struct kt_symbol, NA_UP(id), NA_UP(name.s))

/* Only of known ranks: files of one host are told apart by these. */
static enum na_status settle_host(struct na_input *in, struct na_err *err)
{
	const struct kineto *k = in->state;
	struct na_text host;
	uint64_t pid;

	if (na_text_number(k->pid, &pid) && pid <= INT64_MAX)
		in->pid = (int64_t)pid;
	if (in->rank < 0)
		in->host = NULL;
	if (in->host || in->rank < 0 ||
	    !kt_host_of_name(in->path, k->pid, &host))
		return NA_OK;
	in->host = na_arena_strn(&in->arena, host.s, host.n);
	return in->host ? NA_OK : na_fail_nomem(err);
}

static void settle(struct na_input *in)
{
	struct kineto *k = in->state;

	if (k->calls.n)
		na_sort(k->calls.v, k->calls.n, by_id);
	if (k->p2p_calls.n)
		na_sort(k->p2p_calls.v, k->p2p_calls.n, by_id);
	if (k->symbols.n)
		na_sort(k->symbols.v, k->symbols.n, by_number);
	if (in->rank < 0)
		in->rank = na_rank_of_path(in->path);
	in->has_time = k->has_first;
	in->has_wall = k->based ||
		       (k->has_first && k->first_ns > EPOCH_US * NA_NS_PER_US);
	if (k->has_first && !na_add_i64(k->base_ns, k->first_ns, &in->first_ns))
		in->has_time = in->has_wall = false;
	in->n_devices = k->n_kernels > 0;
	in->has_gpus = k->n_kernels > 0;
	in->on_cpus = !k->n_kernels && k->n_ranges > 0;
	in->events = k->n_events;
}

static enum na_status list_categories(struct na_input *in, struct na_err *err)
{
	struct kineto *k = in->state;
	struct na_section *to = na_arena_alloc(&in->arena, sizeof(*to));
	size_t n = k->n_categories;

	if (k->categories[KT_CATEGORIES].events) {
		k->categories[n].name = na_text_n("others", 6);
		n = KT_CATEGORIES + 1;
	}
	if (!to)
		return na_fail_nomem(err);
	to->name = "events";
	to->lines = to->n_parts = n;
	to->events = k->n_events;
	to->parts = na_arena_alloc(&in->arena, (n + 1) * sizeof(*to->parts));
	if (!to->parts)
		return na_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		const struct kt_category *c = &k->categories[i];

		to->parts[i].name = na_arena_strn(&in->arena,
						  c->name.n ? c->name.s : "",
						  c->name.n);
		if (!to->parts[i].name)
			return na_fail_nomem(err);
		to->parts[i].events = c->events;
		to->parts[i].wants = c->wants & in->wants;
	}
	in->sections = to;
	in->n_sections = 1;
	return NA_OK;
}

enum na_status kt_survey(struct na_input *in, struct na_err *err)
{
	struct na_text text = {(const char *)in->data, in->size};
	struct kineto *k = in->state;
	enum na_status st = NA_OK;
	struct na_json j;

	if (na_text_begins(text, "\xef\xbb\xbf"))
		text = na_text_from(text, 3);
	j = na_json_of(text, in->size - text.n);
	switch (na_json_next(&j)) {
	case NA_JSON_OBJECT:
		st = members(in, &j, err);
		break;
	case NA_JSON_ARRAY:
		st = take_events(in, &j, err);
		if (st == NA_OK)
			na_json_next(&j);
		break;
	default:
		break;
	}
	if (st != NA_OK)
		return st;
	say_damage(in, &j);
	if (!k->has_array)
		na_input_warn(in, "no array of events (traceEvents) is here");
	if (k->n_events && k->n_categories == 1 && !k->categories[0].name.n)
		na_input_warn(in, "no event has a category: PyTorch did not "
				  "write this; of a JAX job give the run's "
				  ".xplane.pb");
	settle(in);
	st = settle_host(in, err);
	return st == NA_OK ? list_categories(in, err) : st;
}

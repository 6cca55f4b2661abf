/*
 * Reader of the JSON that XLA's profiler writes beside a run's XSpace
 * (HOST.trace.json.gz), and that XProf makes of one: planes are processes,
 * lines threads, and stats texts.  What they mean is the XSpace reader's
 * matter: the trace becomes an XSpace again, and is read as one.
 *
 * It has less than the XSpace it came from: no clock, no programs, on TPU no
 * plane but those of devices and the host, and events beyond a number are
 * left out without a word.
 *
 * Sources: openxla/xla xla/tsl/profiler/convert/xplane_to_trace_events.cc,
 * trace_events_to_json.cc.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ingest/json/json.h"
#include "ingest/kineto/jax_space.h"
#include "ingest/kineto/kineto.h"

/* {"displayTimeUnit":"ns","metadata":{"highres-ticks":true},... */
static enum na_sniff sniff(const uint8_t *head, size_t n, uint64_t size,
			   const char **why)
{
	struct na_json j = na_json_of(na_text_n((const char *)head, n), 0);

	(void)size;
	(void)why;
	if (na_json_next(&j) != NA_JSON_OBJECT)
		return NA_SNIFF_NO;
	while (na_json_next(&j) == NA_JSON_KEY) {
		struct na_text members;

		if (!na_json_is(&j, "metadata")) {
			if (na_json_is(&j, "traceEvents"))
				break;
			na_json_skip(&j);
			continue;
		}
		members = na_json_value(&j);
		return members.n && memmem(members.s, members.n,
					   "\"highres-ticks\"",
					   sizeof("\"highres-ticks\"") - 1)
			       ? NA_SNIFF_YES
			       : NA_SNIFF_NO;
	}
	return NA_SNIFF_NO;
}

struct events {
	const char *s, *end;
	uint64_t n;
	bool broken;
};

static bool take_events(struct events *x, struct jx_space *space)
{
	struct na_kineto_shape shape = {0};
	struct na_kineto_event e;

	while (x->s < x->end) {
		const char *next;

		while (x->s < x->end && (*x->s == ',' || *x->s == ' ' ||
					 (*x->s >= '\t' && *x->s <= '\r')))
			x->s++;
		if (x->s == x->end || *x->s == ']')
			break;
		next = *x->s == '{' ? na_kineto_event(x->s, x->end, &shape, &e)
				    : NULL;
		x->broken = !next;
		if (!next)
			break;
		x->s = next;
		x->n++;
		if (!jx_space_add(space, &e))
			return false;
	}
	x->broken |= x->s == x->end;
	return true;
}

/* The first array of events; what stands behind it is not looked at. */
static bool find_events(const struct na_input *in, struct events *x)
{
	struct na_json j =
		na_json_of(na_text_n((const char *)in->data, in->size), 0);

	na_json_next(&j);
	while (na_json_next(&j) == NA_JSON_KEY) {
		if (!na_json_is(&j, "traceEvents")) {
			na_json_skip(&j);
			continue;
		}
		if (na_json_next(&j) != NA_JSON_ARRAY)
			break;
		*x = (struct events){.s = j.p, .end = j.end};
		return true;
	}
	return false;
}

static void say(struct na_input *in, const struct events *x, uint64_t size)
{
	if (x->broken) {
		in->damaged = true;
		na_input_warn(in,
			      "byte %" PRIu64
			      ": expected a whole event; %" PRIu64
			      " bytes left out, %" PRIu64
			      " whole events before them are read",
			      size - (uint64_t)(x->end - x->s),
			      (uint64_t)(x->end - x->s), x->n);
	}
	na_input_warn(
		in, "a JAX trace as JSON has no wall clock, no programs and, "
		    "of TPUs, no Megascale plane: the run's .xplane.pb beside "
		    "it has them");
}

static enum na_status open_jax(struct na_input *in, struct na_err *err)
{
	struct jx_space space = {.n_events = 0};
	struct na_xf_bytes bytes = {.p = NULL};
	struct events x = {.broken = true};
	uint64_t size = in->size;
	enum na_status st = NA_OK;

	if (find_events(in, &x) && !take_events(&x, &space))
		st = na_fail_nomem(err);
	if (st == NA_OK && !jx_space_write(&space, &bytes))
		st = na_fail_nomem(err);
	if (st == NA_OK) {
		say(in, &x, size);
		/* They are the XSpace's from now on. */
		na_input_replace(in, bytes.p, bytes.n);
		bytes.p = NULL;
		in->reader = &na_reader_xspace;
	}
	jx_space_fini(&space);
	na_xf_bytes_fini(&bytes);
	return st == NA_OK ? in->reader->open(in, err) : st;
}

/* Once it is open, it is an XSpace. */
const struct na_reader na_reader_jax = {
	.name = "jax",
	.alone = true,
	.sniff = sniff,
	.open = open_jax,
};

#include "netan/model/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

/* clang-format off */
static const char *const key_names[NA_N_KEYS] = {
	"component", "host", "src", "dst", "pair", "collective",
	"transfer_type", "size", "step", "device", "class", "label",
};
static const char *const component_names[NA_N_COMPONENTS] = {
	"network", "receive", "send", "d2h", "h2d", "compute", "graph",
	"kernel", "rpc",
};
/* clang-format on */

const char *na_component_name(enum na_component c)
{
	return component_names[c];
}

const char *na_key_name(enum na_key k)
{
	return key_names[k];
}

const char *na_key_offered(size_t k)
{
	return k < NA_N_KEYS ? key_names[k] : NULL;
}

static enum na_status wrong_key(const char *word, size_t n, struct na_err *err)
{
	char buf[200];
	struct na_str words = na_str_over(buf, sizeof(buf));
	size_t best = 0, distance = SIZE_MAX;

	for (size_t i = 0; i < NA_N_KEYS; i++) {
		size_t d = na_edit_distance(word, n, key_names[i],
					    strlen(key_names[i]));

		if (d < distance) {
			distance = d;
			best = i;
		}
		na_str_join(&words, " ", "%s", key_names[i]);
	}
	if (distance <= 2)
		return na_fail(err, NA_EUSAGE,
			       "--by: unknown key \"%.*s\"; "
			       "did you mean \"%s\"?",
			       (int)n, word, key_names[best]);
	return na_fail(err, NA_EUSAGE,
		       "--by: unknown key \"%.*s\"; keys are "
		       "%s",
		       (int)n, word, buf);
}

enum na_status na_grouping_parse(const char *by, struct na_grouping *out,
				 struct na_err *err)
{
	out->n = 0;
	while (by && *by) {
		size_t n = strcspn(by, ","), k = 0;

		while (k < NA_N_KEYS && (strlen(key_names[k]) != n ||
					 memcmp(key_names[k], by, n) != 0))
			k++;
		if (k == NA_N_KEYS)
			return wrong_key(by, n, err);
		if (out->n == NA_MAX_KEYS)
			return na_fail(err, NA_EUSAGE, "--by: at most %d keys",
				       NA_MAX_KEYS);
		out->keys[out->n++] = (enum na_key)k;
		by += n + (by[n] == ',');
	}
	return NA_OK;
}

/* Without a topology: the level that the trace gives. */
static uint64_t path_class(const struct na_store *s,
			   const struct na_transfer *t)
{
	uint32_t run = s->sources[t->input].run;

	if (!s->topology)
		return t->level < 0 ? NA_UNKNOWN_U32 : (uint64_t)t->level;
	return na_store_class(s, na_store_host_of(s, run, t->src),
			      na_store_host_of(s, run, t->dst));
}

static uint64_t type_of(const struct na_store *s, uint32_t type,
			uint32_t collective)
{
	if (type == NA_UNKNOWN_U32 && collective < s->n_type_of)
		return s->type_of[collective];
	return type;
}

/* Where the ranks of an input run, or itself. */
static uint32_t home_of(const struct na_store *s, uint32_t input)
{
	return s->home_of ? s->home_of[input] : input;
}

/* The inputs are the first hosts.  In a capture it is whoever receives, or
 * sends; of ranks where that one runs. */
static uint64_t host_of(const struct na_store *s, const struct na_transfer *t)
{
	if (t->style < NA_STYLE_CAPTURE)
		return home_of(s, t->input);
	return na_store_machine_of(s, s->sources[t->input].run,
				   t->side == NA_RX ? t->dst : t->src);
}

static uint64_t value_of(enum na_key k, const struct na_store *s,
			 const struct na_transfer *t, enum na_component c)
{
	switch (k) {
	case NA_KEY_COMPONENT:
		return c;
	case NA_KEY_HOST:
		return host_of(s, t);
	case NA_KEY_SRC:
		return t->src;
	case NA_KEY_DST:
		return t->dst;
	case NA_KEY_PAIR:
		return (uint64_t)t->src << 32 | t->dst;
	case NA_KEY_COLLECTIVE:
		return t->collective;
	case NA_KEY_TRANSFER_TYPE:
		return type_of(s, t->type, t->collective);
	case NA_KEY_SIZE:
		return na_size_class(t->size_bytes);
	case NA_KEY_STEP:
		return t->step;
	case NA_KEY_DEVICE:
		return t->side == NA_RX ? t->dst : t->src;
	case NA_KEY_CLASS:
		return path_class(s, t);
	case NA_KEY_LABEL:
		return s->sources[t->input].run;
	case NA_N_KEYS:
		break;
	}
	return 0;
}

static uint64_t value_of_exec(enum na_key k, const struct na_store *s,
			      const struct na_exec *e)
{
	switch (k) {
	case NA_KEY_COMPONENT:
		return na_exec_component(e->kind);
	case NA_KEY_HOST:
		return home_of(s, e->input);
	case NA_KEY_COLLECTIVE:
		return e->collective;
	case NA_KEY_TRANSFER_TYPE:
		return type_of(s, e->type, e->collective);
	case NA_KEY_SIZE:
		return na_size_class(e->size_bytes);
	case NA_KEY_STEP:
		return e->step;
	case NA_KEY_DEVICE:
		return e->device;
	case NA_KEY_LABEL:
		return s->sources[e->input].run;
	case NA_KEY_PAIR:
		return UINT64_MAX;
	case NA_KEY_SRC:
	case NA_KEY_DST:
	case NA_KEY_CLASS:
	case NA_N_KEYS:
		break;
	}
	return NA_UNKNOWN_U32;
}

void na_group_of(const struct na_grouping *g, const struct na_store *s,
		 const struct na_transfer *t, uint64_t values[NA_MAX_KEYS])
{
	for (size_t i = 0; i < g->n; i++)
		values[i] = value_of(g->keys[i], s, t,
				     (enum na_component)t->component);
}

void na_group_of_component(const struct na_grouping *g,
			   const struct na_store *s,
			   const struct na_transfer *t, enum na_component c,
			   uint64_t values[NA_MAX_KEYS])
{
	for (size_t i = 0; i < g->n; i++)
		values[i] = value_of(g->keys[i], s, t, c);
}

void na_group_of_exec(const struct na_grouping *g, const struct na_store *s,
		      const struct na_exec *e, uint64_t values[NA_MAX_KEYS])
{
	for (size_t i = 0; i < g->n; i++)
		values[i] = value_of_exec(g->keys[i], s, e);
}

/* A device that is no known endpoint. */
#define PLANE_OF(core) (UINT64_C(1) << 32 | (core))

void na_group_of_core(const struct na_grouping *g, const struct na_store *s,
		      uint32_t core, uint32_t step, uint32_t collective,
		      uint32_t type, uint64_t values[NA_MAX_KEYS])
{
	const struct na_core *c = &s->devices.cores[core];
	const struct na_exec e = {
		.device = c->endpoint,
		.collective = collective,
		.type = type,
		.step = step,
		.input = c->input,
		.kind = NA_ACT_GRAPH,
	};

	na_group_of_exec(g, s, &e, values);
	for (size_t i = 0; i < g->n; i++) {
		if (g->keys[i] == NA_KEY_DEVICE &&
		    c->endpoint == NA_UNKNOWN_U32)
			values[i] = PLANE_OF(core);
	}
}

void na_group_of_packet(const struct na_grouping *g, const struct na_store *s,
			const struct na_wire_packet *w, enum na_side side,
			uint64_t values[NA_MAX_KEYS])
{
	const struct na_transfer t = {
		.size_bytes = w->size_bytes,
		.src = w->src,
		.dst = w->dst,
		.collective = NA_UNKNOWN_U32,
		.type = NA_UNKNOWN_U32,
		.step = NA_UNKNOWN_U32,
		.level = -1,
		.input = w->input,
		.side = (uint8_t)side,
		.style = NA_STYLE_CAPTURE,
		.component = NA_COMP_NETWORK,
	};

	na_group_of(g, s, &t, values);
}

static bool value_known(enum na_key k, const struct na_store *s, uint64_t value)
{
	switch (k) {
	case NA_KEY_COMPONENT:
		return value < NA_N_COMPONENTS;
	case NA_KEY_HOST:
		return value < s->n_hosts;
	case NA_KEY_SIZE:
		return value <= 64;
	case NA_KEY_CLASS:
		return value == NA_UNKNOWN_U32 || !s->topology ||
		       !s->topology->of_pairs || value < s->topology->classes.n;
	default: /* others are looked for */
		return true;
	}
}

bool na_group_known(const struct na_grouping *g, const struct na_store *s,
		    const uint64_t values[NA_MAX_KEYS])
{
	for (size_t i = 0; i < g->n; i++) {
		if (!value_known(g->keys[i], s, values[i]))
			return false;
	}
	return true;
}

bool na_grouping_has(const struct na_grouping *g, enum na_key k)
{
	for (size_t i = 0; i < g->n; i++) {
		if (g->keys[i] == k)
			return true;
	}
	return false;
}

static const char *endpoint_text(const struct na_store *s, uint64_t e,
				 char *buf)
{
	if (e >= s->names.n_endpoints)
		return "unknown";
	return na_endpoint_print(buf, &s->names, &s->names.endpoints[e]);
}

static const char *plane_text(const struct na_store *s, uint32_t core,
			      char *buf)
{
	const struct na_core *c = &s->devices.cores[core];

	char device[NA_CORE_BUF];

	snprintf(buf, NA_KEY_BUF, "%.60s %s", s->hosts[c->input].name,
		 na_core_print(device, c, ' '));
	return buf;
}

static const char *size_text(uint64_t k, char *buf)
{
	char lo[NA_UNIT_BUF], hi[NA_UNIT_BUF];

	if (k == 0)
		return "0 B";
	na_print_bytes(lo, (double)(UINT64_C(1) << (k - 1)), 4);
	na_print_bytes(hi, k < 64 ? (double)(UINT64_C(1) << k) : 18.4e18, 4);
	snprintf(buf, NA_KEY_BUF, "[%.40s, %.40s)", lo, hi);
	return buf;
}

const char *na_key_text(const struct na_store *s, enum na_key k, uint64_t value,
			char *buf)
{
	char a[NA_ENDPOINT_BUF], b[NA_ENDPOINT_BUF];
	const char *label;

	switch (k) {
	case NA_KEY_COMPONENT:
		return component_names[value];
	case NA_KEY_HOST:
		return s->hosts[value].name;
	case NA_KEY_DEVICE:
		if (value >> 32 && (uint32_t)value < s->devices.n_cores)
			return plane_text(s, (uint32_t)value, buf);
		return endpoint_text(s, value, buf);
	case NA_KEY_SRC:
	case NA_KEY_DST:
		return endpoint_text(s, value, buf);
	case NA_KEY_PAIR:
		if (value == UINT64_MAX)
			return "unknown";
		snprintf(buf, NA_KEY_BUF, "%s->%s",
			 endpoint_text(s, value >> 32, a),
			 endpoint_text(s, value & UINT32_MAX, b));
		return buf;
	case NA_KEY_COLLECTIVE:
	case NA_KEY_TRANSFER_TYPE:
		return value < s->names.strings.n
			       ? na_strtab_at(&s->names.strings,
					      (uint32_t)value)
			       : "unknown";
	case NA_KEY_SIZE:
		return size_text(value, buf);
	case NA_KEY_STEP:
		if (value >= s->n_steps)
			return "none";
		snprintf(buf, NA_KEY_BUF, "%" PRId64, s->steps[value].number);
		return buf;
	case NA_KEY_CLASS:
		if (value == NA_UNKNOWN_U32)
			return "unknown";
		if (s->topology)
			return na_topology_class_name(s->topology,
						      (uint32_t)value);
		snprintf(buf, NA_KEY_BUF, "level %" PRIu64, value);
		return buf;
	case NA_KEY_LABEL:
		label = na_store_label(s, (uint32_t)value);
		return label ? label : "";
	case NA_N_KEYS:
		break;
	}
	return "";
}

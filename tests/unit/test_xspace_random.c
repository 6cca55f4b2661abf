/*
 * The XSpace reader against the generated protobuf-c code: synthetic traces
 * of both generations, and random messages packed in every legal way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/odd_pack.h"
#include "tests/unit/reading.h"
#include "tests/unit/synth_session.h"
#include "tests/unit/xspace_oracle.h"

enum { SPACES = 300, STATS = 24 };

typedef Netan__Xplane__XPlane Plane;
typedef Netan__Xplane__XLine Line;
typedef Netan__Xplane__XEvent Event;
typedef Netan__Xplane__XStat Stat;

/* The strings live in a pool that is freed with the space. */
struct maker {
	struct na_rng rng;
	void *pool[20000];
	size_t n_pool;
	int64_t stat_ids[STATS + 8]; /* by place in stat_names */
	int64_t ref_ids[8];
	bool mega;
};

/* clang-format off */
static const char *const stat_names[STATS] = {
	"graph_key", "buffer_sizes", "network_transport_latency_us",
	"action_duration_ns", "collective_type", "input_size", "launch_id",
	"loop_iteration", "dcn_topology_level", "dcn_label",
	"dcn_source_slice_id", "dcn_source_per_slice_device_id",
	"dcn_destination_slice_id", "dcn_destination_per_slice_device_id",
	"dcn_chunk", "dcn_loop_index", "payload_size_bytes", "duration_us",
	"correlation_id", "profile_start_time", "", "slack_us", "flow",
	"graph_key",                     /* a second id for one name */
};
/* clang-format on */

static void *keep(struct maker *m, void *p)
{
	assert_non_null(p);
	assert_true(m->n_pool < sizeof(m->pool) / sizeof(m->pool[0]));
	return m->pool[m->n_pool++] = p;
}

static size_t below(struct maker *m, size_t n)
{
	return (size_t)na_rng_below(&m->rng, n);
}

static bool often(struct maker *m)
{
	return below(m, 8) != 0;
}

static char *text(struct maker *m, const char *s)
{
	return keep(m, strdup(s));
}

static void *list(struct maker *m, size_t n)
{
	return keep(m, calloc(n + 1, sizeof(void *)));
}

#define NEW(m, type, init) \
	init_##type(keep(m, malloc(sizeof(Netan__Xplane__##type))))

#define INIT(type, fn) \
	static Netan__Xplane__##type *init_##type(void *p) \
	{ \
		netan__xplane__##fn##__init(p); \
		return p; \
	}
INIT(XPlane, xplane)
INIT(XLine, xline)
INIT(XEvent, xevent)
INIT(XStat, xstat)
INIT(XEventMetadata, xevent_metadata)
INIT(XStatMetadata, xstat_metadata)
INIT(XEventMetadataEntry, xevent_metadata_entry)
INIT(XStatMetadataEntry, xstat_metadata_entry)

static void key_text(struct maker *m, char *out, size_t n)
{
	size_t device = below(m, 3) * 100000 + below(m, 4), op = below(m, 3);
	size_t launch = below(m, 5), turn = below(m, 5);

	switch (below(m, 5)) {
	case 0:
		snprintf(out, n, "device_%zu_gid_all-reduce.%zu_3$l%zu^i%zu",
			 device, op, launch, turn);
		break;
	case 1:
		snprintf(out, n, "device_%zu_gid_psum.%zu_0$%zu^i%zu and more",
			 device, op, launch, turn);
		break;
	case 2:
		snprintf(out, n, "device_%zu_gid_op-%zu_1$l%zu", device, op,
			 launch);
		break;
	case 3:
		snprintf(out, n, "device_%zu_gid_op_%zu", device, op);
		break;
	default:
		snprintf(out, n, "device_gid_%zu", op);
	}
}

static void buffers_text(struct maker *m, char *out, size_t n)
{
	static const char *const between[] = {"", " ", ", ", ";x"};
	size_t at = 0;

	*out = '\0';
	for (size_t i = below(m, 4); i > 0 && at < n; i--)
		at += (size_t)snprintf(out + at, n - at,
				       "s%zu->%zud|$c%zu=%zu%s",
				       below(m, 3) * 100000 + below(m, 3),
				       below(m, 3) * 100000 + below(m, 3),
				       below(m, 4), below(m, 1 << 20),
				       between[below(m, 4)]);
}

/* A text that says something, by the stat's name. */
static void words(struct maker *m, size_t which, char *out, size_t n)
{
	const char *name = stat_names[which];

	if (strcmp(name, "graph_key") == 0)
		key_text(m, out, n);
	else if (strcmp(name, "buffer_sizes") == 0)
		buffers_text(m, out, n);
	else if (strcmp(name, "collective_type") == 0)
		snprintf(out, n, "%s",
			 below(m, 2) ? "ALL_REDUCE" : "ONE_TO_ONE");
	else if (strcmp(name, "dcn_label") == 0)
		snprintf(out, n, "all-reduce.%zu_312", below(m, 3));
	else
		snprintf(out, n, "%d", (int)below(m, 60) - 2);
}

static bool is_text(size_t which)
{
	return which < 2 || which == 4 || which == 9 || which == 23;
}

static void set_text(struct maker *m, Stat *s, size_t which)
{
	char buf[300];
	size_t n;

	words(m, which, buf, sizeof(buf));
	if (below(m, 20) == 0)
		buf[0] = '\0';
	switch (below(m, 4)) {
	case 0:
		s->value_case = NETAN__XPLANE__XSTAT__VALUE_BYTES_VALUE;
		s->bytes_value.data = (void *)text(m, buf);
		s->bytes_value.len = strlen(buf);
		break;
	case 1:
		s->value_case =
			NETAN__XPLANE__XSTAT__VALUE_COMPRESSED_STR_VALUE;
		s->compressed_str_value.data =
			keep(m, gzip_of(buf, strlen(buf), &n));
		s->compressed_str_value.len = n;
		break;
	case 2:
		s->value_case = NETAN__XPLANE__XSTAT__VALUE_REF_VALUE;
		s->ref_value = (uint64_t)m->ref_ids[below(m, 8)];
		break;
	default:
		s->value_case = NETAN__XPLANE__XSTAT__VALUE_STR_VALUE;
		s->str_value = text(m, buf);
	}
}

static void set_number(struct maker *m, Stat *s)
{
	int64_t x = (int64_t)below(m, 80) - 2;

	switch (below(m, 3)) {
	case 0:
		s->value_case = NETAN__XPLANE__XSTAT__VALUE_INT64_VALUE;
		s->int64_value = x;
		break;
	case 1:
		s->value_case = NETAN__XPLANE__XSTAT__VALUE_UINT64_VALUE;
		s->uint64_value = (uint64_t)(x < 0 ? 0 : x);
		break;
	default:
		s->value_case = NETAN__XPLANE__XSTAT__VALUE_DOUBLE_VALUE;
		s->double_value = (double)x + 0.25;
	}
}

static Stat *stat(struct maker *m, size_t which)
{
	Stat *s = NEW(m, XStat, xstat);

	s->metadata_id = m->stat_ids[which];
	if (is_text(which) || below(m, 3) == 0)
		set_text(m, s, which);
	else if (often(m))
		set_number(m, s); /* else: a stat without a value */
	return s;
}

static Stat **stats(struct maker *m, size_t share, size_t *n)
{
	Stat **all = list(m, 2 * STATS);

	*n = 0;
	for (size_t i = 0; i < STATS; i++) {
		bool host = i >= 9 && i < 18;

		if (i < 18 && host == m->mega)
			continue;
		for (size_t k = below(m, share); k > 0 && *n < 2 * STATS; k--)
			all[(*n)++] = stat(m, i);
	}
	return all;
}

/* Ids of every size; 0 and negative ones too. */
static int64_t some_id(struct maker *m, size_t i)
{
	static const int64_t far[] = {0,       -1,   INT64_MIN,       INT64_MAX,
				      1 << 20, 5000, INT64_C(1) << 40};

	return below(m, 4) ? (int64_t)i + 1
			   : far[i % 7] + (int64_t)(i % 7 == 3 ? 0 : i / 7);
}

static void name_stats(struct maker *m, Plane *p)
{
	char buf[300];

	p->n_stat_metadata = STATS + 8;
	p->stat_metadata = list(m, p->n_stat_metadata);
	for (size_t i = 0; i < STATS + 8; i++) {
		Netan__Xplane__XStatMetadataEntry *e =
			NEW(m, XStatMetadataEntry, xstat_metadata_entry);

		e->key = some_id(m, i);
		if (i < STATS) {
			m->stat_ids[i] = e->key;
			snprintf(buf, sizeof(buf), "%s", stat_names[i]);
		} else {
			m->ref_ids[i - STATS] = e->key;
			words(m, below(m, STATS), buf, sizeof(buf));
		}
		e->value = NEW(m, XStatMetadata, xstat_metadata);
		e->value->name = text(m, buf);
		e->value->id = e->key;
		p->stat_metadata[i] = e;
	}
	if (below(m, 3) == 0)
		m->ref_ids[0] = 123456; /* a reference to nothing */
}

static void name_events(struct maker *m, Plane *p)
{
	const struct oracle_name *names = m->mega ? mega_names : host_names;
	size_t n = 0;

	while (names[n].name)
		n++;
	p->n_event_metadata = n;
	p->event_metadata = list(m, n);
	for (size_t i = 0; i < n; i++) {
		Netan__Xplane__XEventMetadataEntry *e =
			NEW(m, XEventMetadataEntry, xevent_metadata_entry);
		Netan__Xplane__XEventMetadata *t = NEW(m, XEventMetadata,
						       xevent_metadata);

		e->key = t->id = some_id(m, i);
		if (below(m, 4) == 0) {
			t->name = text(m, "%long.name = f32[] of no interest");
			t->display_name = text(m, names[i].name);
		} else {
			t->name = text(m, names[i].name);
		}
		if (below(m, 2))
			t->stats = stats(m, 2, &t->n_stats);
		e->value = t;
		p->event_metadata[i] = e;
	}
}

static Event *event(struct maker *m, const Plane *p)
{
	Event *e = NEW(m, XEvent, xevent);
	size_t which = below(m, p->n_event_metadata);

	e->metadata_id = often(m) ? p->event_metadata[which]->key : 77777;
	e->duration_ps = often(m) ? (int64_t)below(m, 1000) * 1000 : -5;
	if (often(m)) {
		e->data_case = NETAN__XPLANE__XEVENT__DATA_OFFSET_PS;
		e->offset_ps = (int64_t)below(m, 1000000000) - 1000;
	} else if (often(m)) {
		e->data_case = NETAN__XPLANE__XEVENT__DATA_NUM_OCCURRENCES;
		e->num_occurrences = 5;
	}
	e->stats = stats(m, 3, &e->n_stats);
	return e;
}

static Plane *network_plane(struct maker *m, int64_t base_ns)
{
	Plane *p = NEW(m, XPlane, xplane);

	m->mega = below(m, 3) > 0;
	p->name = text(m, m->mega ? "/device:CUSTOM:Megascale Trace"
				  : "/host:CPU");
	p->id = (int64_t)below(m, 3);
	name_stats(m, p);
	name_events(m, p);
	p->n_lines = below(m, 4);
	p->lines = list(m, p->n_lines);
	for (size_t i = 0; i < p->n_lines; i++) {
		Line *l = NEW(m, XLine, xline);

		l->id = (int64_t)below(m, 2); /* now and then twice */
		l->name = text(m, often(m) ? "MegascaleEM2_Worker" : "");
		l->timestamp_ns = often(m) ? base_ns + (int64_t)below(m, 100000)
					   : base_ns;
		l->n_events = below(m, 7);
		l->events = list(m, l->n_events);
		for (size_t k = 0; k < l->n_events; k++)
			l->events[k] = event(m, p);
		p->lines[i] = l;
	}
	return p;
}

static Plane *environment(struct maker *m)
{
	Plane *p = NEW(m, XPlane, xplane);

	p->name = text(m, "Task Environment");
	name_stats(m, p);
	p->stats = list(m, 1);
	p->n_stats = 1;
	p->stats[0] = NEW(m, XStat, xstat);
	p->stats[0]->metadata_id = m->stat_ids[19];
	p->stats[0]->value_case = NETAN__XPLANE__XSTAT__VALUE_UINT64_VALUE;
	p->stats[0]->uint64_value = UINT64_C(1790000000000000000);
	return p;
}

static uint8_t *random_space(uint64_t seed, size_t *n)
{
	static struct maker m; /* too large for the stack */
	Netan__Xplane__XSpace space = NETAN__XPLANE__XSPACE__INIT;
	int64_t base_ns;
	uint8_t *bytes;

	na_rng_seed(&m.rng, seed);
	m.n_pool = 0;
	base_ns = below(&m, 3) ? 0 : INT64_C(1790000000000000000);
	space.n_planes = 1 + below(&m, 3);
	space.planes = list(&m, space.n_planes + 1);
	for (size_t i = 0; i < space.n_planes; i++)
		space.planes[i] = network_plane(&m, base_ns);
	if (below(&m, 2))
		space.planes[space.n_planes++] = environment(&m);
	bytes = odd_pack(&space.base, &m.rng, n);
	while (m.n_pool)
		free(m.pool[--m.n_pool]);
	return bytes;
}

static void compare_text(const char *got, const char *want, uint64_t seed)
{
	size_t line = 1, at = 0;

	if (strcmp(got, want) == 0)
		return;
	for (; got[at] && got[at] == want[at]; at++)
		line += got[at] == '\n';
	while (at && got[at - 1] != '\n')
		at--;
	fail_msg("seed %llu, line %zu\n got: %.*s\nwant: %.*s",
		 (unsigned long long)seed, line, (int)strcspn(got + at, "\n"),
		 got + at, (int)strcspn(want + at, "\n"), want + at);
}

static void compare(const uint8_t *bytes, size_t n, uint64_t seed, bool packed)
{
	Netan__Xplane__XSpace *space = netan__xplane__xspace__unpack(NULL, n,
								     bytes);
	struct reading r;
	struct oracle o;

	assert_non_null(space);
	oracle_read(&o, space);
	if (packed)
		read_packed(&r, bytes, n, NETWORK_RECORDS);
	else
		read_bytes(&r, bytes, n, NETWORK_RECORDS);
	if (r.status != NA_OK)
		fail_msg("seed %llu: %s", (unsigned long long)seed, r.err.text);
	if (r.in.n_warnings)
		fail_msg("seed %llu: %s", (unsigned long long)seed,
			 r.in.warnings->text);
	assert_false(r.in.damaged);
	assert_int_equal(r.in.n_sections, space->n_planes);
	compare_text(r.text, o.text, seed);
	assert_int_equal(r.in.has_time, o.has_time);
	assert_true(!o.has_time || r.in.first_ns == o.first_ns);
	assert_int_equal(r.in.has_wall, o.has_wall);
	reading_end(&r);
	free(o.text);
	netan__xplane__xspace__free_unpacked(space, NULL);
}

static void random_messages(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SPACES; seed++) {
		size_t n;
		uint8_t *bytes = random_space(seed, &n);

		compare(bytes, n, seed, false);
		compare(bytes, n, seed, true);
		free(bytes);
	}
}

static void synthetic(int generation)
{
	struct session s;

	session_init(&s);
	s.cfg.generation = generation;
	session_fault(&s, "loopback:0:3");
	session_fault(&s, "bad-key:1:4");
	session_fault(&s, "clock:2:80us");
	session_make(&s, NA_OK);
	for (size_t i = 0; i + 1 < s.report.n; i++) {
		size_t n;
		uint8_t *bytes = session_bytes(&s, i, &n);

		compare(bytes, n, i, false);
		compare(bytes, n, i, true);
		free(bytes);
	}
	session_end(&s);
}

static void synthetic_graphs(void **state)
{
	(void)state;
	synthetic(NA_GEN_GRAPH);
}

static void synthetic_messages(void **state)
{
	(void)state;
	synthetic(NA_GEN_MESSAGE);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synthetic_graphs),
		cmocka_unit_test(synthetic_messages),
		cmocka_unit_test(random_messages),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/unit/xspace_oracle.h"

#include <inttypes.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

__extension__ typedef __int128 wide;

typedef Netan__Xplane__XPlane Plane;
typedef Netan__Xplane__XStat Stat;
typedef Netan__Xplane__XEventMetadata Type;

#define VALUE(kind) NETAN__XPLANE__XSTAT__VALUE_##kind

/* clang-format off */
const struct oracle_name mega_names[] = {
	{ "NetworkReceive END", O_RX }, { "NetworkSend END", O_TX },
	{ "DeviceToHost END", O_D2H }, { "HostToDevice END", O_H2D },
	{ "Reduce END", O_COMPUTE }, { "NetworkReceive START", O_IGNORED },
	{ "Reduce START", O_IGNORED }, { "NetworkRecv END", O_UNKNOWN },
	{ "Idle", O_UNKNOWN }, { "device_100003_gid_op.x_7", O_GRAPH },
	{ NULL, O_NOTHING },
};
/* clang-format on */

/* clang-format off */
const struct oracle_name host_names[] = {
	{ "MegaScale: Communication Transport Receive", O_RX },
	{ "MegaScale: Communication Transport Send", O_TX },
	{ "MegaScale: Device to Host Transfer Finished", O_D2H },
	{ "MegaScale: Host to Device Transfer Finished", O_H2D },
	{ "MegaScale: Reduction Finished", O_COMPUTE },
	{ "MegaScale: Device to Host Action", O_IGNORED },
	{ "MegaScale: Memory Copy", O_COPY },
	{ "tpu::System::MapDmaBuffer", O_REGISTRATION },
	{ "MegaScale: Communication Transport Recv", O_UNKNOWN },
	{ "ThunkExecute", O_NOTHING },
	{ NULL, O_NOTHING },
};
/* clang-format on */

struct event {
	const Plane *plane;
	const char *line;
	const Type *type; /* NULL: id without entry */
	const Netan__Xplane__XEvent *e;
	const char *name;
	wide start, end;
	FILE *out;
	char scratch[4][70000];
};

static const char *stat_name(const Plane *p, int64_t id)
{
	const char *name = "";

	for (size_t i = 0; i < p->n_stat_metadata; i++) {
		if (p->stat_metadata[i]->key == id)
			name = p->stat_metadata[i]->value
				       ? p->stat_metadata[i]->value->name
				       : "";
	}
	return name;
}

static const Type *type_of(const Plane *p, int64_t id)
{
	static Type none;
	const Type *t = NULL;

	netan__xplane__xevent_metadata__init(&none);
	for (size_t i = 0; i < p->n_event_metadata; i++) {
		if (p->event_metadata[i]->key == id)
			t = p->event_metadata[i]->value
				    ? p->event_metadata[i]->value
				    : &none;
	}
	return t;
}

static const Stat *find(const Plane *p, Stat *const *list, size_t n,
			const char *name)
{
	const Stat *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (list[i]->value_case != VALUE(_NOT_SET) &&
		    strcmp(stat_name(p, list[i]->metadata_id), name) == 0)
			found = list[i];
	}
	return found;
}

static const Stat *stat_of(const struct event *x, const char *name)
{
	const Stat *s = find(x->plane, x->e->stats, x->e->n_stats, name);

	if (!s && x->type)
		s = find(x->plane, x->type->stats, x->type->n_stats, name);
	return s;
}

static const char *inflated(const ProtobufCBinaryData *b, char *to)
{
	z_stream z = {.next_in = b->data, .avail_in = (uInt)b->len};

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_out = (void *)to;
	z.avail_out = 69999;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	to[z.total_out] = '\0';
	inflateEnd(&z);
	return to;
}

/* "" where there is no text; `slot` of the scratch keeps it. */
static const char *text_of(struct event *x, const char *name, int slot)
{
	const Stat *s = stat_of(x, name);

	if (!s)
		return "";
	switch (s->value_case) {
	case VALUE(STR_VALUE):
		return s->str_value;
	case VALUE(BYTES_VALUE):
		if (s->bytes_value.len)
			memcpy(x->scratch[slot], s->bytes_value.data,
			       s->bytes_value.len);
		x->scratch[slot][s->bytes_value.len] = '\0';
		return x->scratch[slot];
	case VALUE(REF_VALUE):
		return stat_name(x->plane, (int64_t)s->ref_value);
	case VALUE(COMPRESSED_STR_VALUE):
		return inflated(&s->compressed_str_value, x->scratch[slot]);
	default:
		return "";
	}
}

static bool number_of(struct event *x, const char *name, int64_t *out)
{
	const Stat *s = stat_of(x, name);
	const char *text;
	char *end;

	if (!s)
		return false;
	switch (s->value_case) {
	case VALUE(INT64_VALUE):
		*out = s->int64_value;
		return true;
	case VALUE(UINT64_VALUE):
		*out = s->uint64_value > INT64_MAX ? INT64_MAX
						   : (int64_t)s->uint64_value;
		return true;
	case VALUE(DOUBLE_VALUE):
		*out = (int64_t)s->double_value;
		return true;
	default:
		text = text_of(x, name, 3);
		*out = strtoll(text, &end, 10);
		return *text && !*end;
	}
}

static void put_number(struct event *x, const char *tag, const char *stat)
{
	int64_t n = -1;

	if (number_of(x, stat, &n) && n >= 0 && n < UINT32_MAX)
		fprintf(x->out, " %s%" PRId64, tag, n);
	else
		fprintf(x->out, " %s-", tag);
}

/* Launch and iteration: of the key, else of the stats. */
static void put_pair(struct event *x, const char *key)
{
	const char *dollar = strchr(key, '$');
	unsigned long long l, i;
	int got = 0;

	if (dollar)
		got = sscanf(dollar,
			     dollar[1] == 'l' ? "$l%llu^i%llu" : "$%llu^i%llu",
			     &l, &i);
	if (got > 0)
		fprintf(x->out, " l%llu", l);
	else
		put_number(x, "l", "launch_id");
	if (got > 1)
		fprintf(x->out, " i%llu", i);
	else
		put_number(x, "i", "loop_iteration");
}

struct key {
	long device;
	char rendezvous[200];
};

static bool key_of(const char *text, struct key *k)
{
	k->rendezvous[0] = '\0';
	return sscanf(text, "device_%ld_gid_%199[^$]", &k->device,
		      k->rendezvous) == 2;
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

static void mega_transfer(struct event *x, bool tx, const char *key,
			  const struct key *k, const long at[4])
{
	int64_t us = 0, ns, level, scale = tx ? 1000 : 1000000;
	bool known = number_of(x,
			       tx ? "action_duration_ns"
				  : "network_transport_latency_us",
			       &us);
	const char *klass = !known           ? "no_latency"
			    : us == 0        ? "clock_skew"
			    : us < 0         ? "bad_duration"
			    : at[0] == at[1] ? "loopback"
					     : "valid";

	if (known && us < 0) {
		fprintf(x->out, "C %s graph bad_duration 1\n",
			tx ? "tx" : "rx");
		return;
	}
	fprintf(x->out, "T %s graph %s %" PRId64 " %" PRId64 " act ",
		tx ? "tx" : "rx", klass, (int64_t)(x->end - (wide)us * scale),
		(int64_t)x->end);
	if (number_of(x, "action_duration_ns", &ns) && ns >= 0)
		fprintf(x->out, "%" PRId64, ns * 1000);
	else
		fprintf(x->out, "-");
	fprintf(x->out, " %ld s%ldd%ld->s%ldd%ld %s %s", at[3], at[0] / 100000,
		at[0] % 100000, at[1] / 100000, at[1] % 100000,
		or_dash(k->rendezvous),
		or_dash(text_of(x, "collective_type", 2)));
	put_pair(x, key);
	fprintf(x->out, " c%ld v%d\n", at[2],
		number_of(x, "dcn_topology_level", &level) && level >= 0 &&
				level < 127
			? (int)level
			: -1);
}

/* The reference's expression, applied again and again. */
static void mega_transfers(struct event *x, bool tx, const char *key,
			   const struct key *k)
{
	const char *s = text_of(x, "buffer_sizes", 1);
	regmatch_t m[5];
	regex_t re;
	int found = 0;

	assert_int_equal(regcomp(&re,
				 "s([0-9]+)->([0-9]+)d\\|\\$c([0-9]+)="
				 "([0-9]+)",
				 REG_EXTENDED),
			 0);
	for (; regexec(&re, s, 5, m, 0) == 0; s += m[0].rm_eo, found++) {
		long at[4];

		for (int i = 0; i < 4; i++)
			at[i] = strtol(s + m[i + 1].rm_so, NULL, 10);
		mega_transfer(x, tx, key, k, at);
	}
	regfree(&re);
	if (!found)
		fprintf(x->out, "C %s graph bad_key 1\n", tx ? "tx" : "rx");
}

static void mega_event(struct event *x, enum oracle_kind kind)
{
	/* clang-format off */
	static const char *const words[] = {
		[O_GRAPH] = "graph", [O_RX] = "receive", [O_TX] = "send",
		[O_D2H] = "d2h", [O_H2D] = "h2d", [O_COMPUTE] = "compute",
	};
	/* clang-format on */
	const char *key = text_of(x, "graph_key", 0);
	wide start = x->start;
	int64_t n, size;
	struct key k;
	bool given = key_of(key, &k);

	if (!given && kind == O_GRAPH)
		given = key_of(key = x->name, &k);
	if (kind == O_RX || kind == O_TX)
		mega_transfers(x, kind == O_TX, key, &k);
	if (kind != O_GRAPH && number_of(x, "action_duration_ns", &n)) {
		if (n < 0) {
			fprintf(x->out, "L bad_duration 1\n");
			return;
		}
		start = x->end - (wide)n * 1000;
	}
	if (!number_of(x, "input_size", &size) || size < 0)
		size = 0;
	fprintf(x->out, "A %s graph %" PRId64 " %" PRId64 " size %" PRId64,
		words[kind], (int64_t)start, (int64_t)x->end, size);
	if (given)
		fprintf(x->out, " s%ldd%ld", k.device / 100000,
			k.device % 100000);
	else
		fprintf(x->out, " -");
	fprintf(x->out, " %s %s", or_dash(given ? k.rendezvous : ""),
		or_dash(text_of(x, "collective_type", 2)));
	put_pair(x, key);
	fprintf(x->out, " %s\n", x->name);
}

static void message(struct event *x, bool tx)
{
	/* clang-format off */
	static const char *const ids[] = {
		"dcn_source_slice_id", "dcn_source_per_slice_device_id",
		"dcn_destination_slice_id",
		"dcn_destination_per_slice_device_id",
	};
	/* clang-format on */
	const char *side = tx ? "tx" : "rx", *klass;
	const char *label = text_of(x, "dcn_label", 0);
	int64_t at[4], size, us = 0;
	bool bad = !*label || !number_of(x, "payload_size_bytes", &size) ||
		   size < 0,
	     timed = number_of(x, "duration_us", &us);

	for (int i = 0; i < 4; i++)
		bad |= !number_of(x, ids[i], &at[i]) || at[i] < 0;
	if (bad || (timed && us < 0)) {
		fprintf(x->out, "C %s message %s 1\n", side,
			bad ? "bad_key" : "bad_duration");
		return;
	}
	klass = !timed           ? "no_latency"
		: us == 0        ? "clock_skew"
		: at[0] == at[2] ? "loopback"
				 : "valid";
	fprintf(x->out,
		"T %s message %s %" PRId64 " %" PRId64 " act %" PRId64
		" %" PRId64 " s%" PRId64 "d%" PRId64 "->s%" PRId64 "d%" PRId64
		" %s - l-",
		side, klass, (int64_t)(x->start - (wide)us * 1000000),
		(int64_t)x->start, x->e->duration_ps, size, at[0], at[1], at[2],
		at[3], label);
	put_number(x, "i", "dcn_loop_index");
	put_number(x, "c", "dcn_chunk");
	fprintf(x->out, " v-1\n");
}

/* Numbers, or what profilers print: "67.1MB". */
static int64_t host_bytes(struct event *x)
{
	static const char *const names[] = {"size", "buffer_size",
					    "payload_size_bytes"};

	for (int i = 0; i < 3; i++) {
		const char *text = text_of(x, names[i], 3);
		int64_t n;
		char *end;
		double mb;

		if (number_of(x, names[i], &n) && n >= 0)
			return n;
		mb = strtod(text, &end);
		if (*text && strcmp(end, "MB") == 0)
			return (int64_t)(mb * 1e6 + 0.5);
	}
	return 0;
}

static void host_event(struct event *x, enum oracle_kind kind)
{
	/* clang-format off */
	static const char *const words[] = {
		[O_D2H] = "d2h", [O_H2D] = "h2d", [O_COMPUTE] = "compute",
		[O_REGISTRATION] = "registration", [O_COPY] = "copy",
	};
	/* clang-format on */
	bool own = kind == O_REGISTRATION || kind == O_COPY;

	if (kind == O_RX || kind == O_TX)
		message(x, kind == O_TX);
	else
		fprintf(x->out,
			"A %s message %" PRId64 " %" PRId64 " size %" PRId64
			" - %s - l- i- %s%s%s\n",
			words[kind], (int64_t)x->start, (int64_t)x->end,
			own ? host_bytes(x) : 0,
			or_dash(text_of(x, "dcn_label", 0)), x->name,
			own && *x->line ? " @" : "", own ? x->line : "");
}

static enum oracle_kind kind_of(const struct event *x, bool mega)
{
	const struct oracle_name *n = mega ? mega_names : host_names;

	while (n->name && strcmp(n->name, x->name) != 0)
		n++;
	if (n->name)
		return n->kind;
	/* Names that synthetic traces have besides. */
	if (strstr(x->name, "MapDmaBuffer"))
		return O_REGISTRATION;
	if (!mega || strstr(x->name, " START"))
		return mega ? O_IGNORED : O_NOTHING;
	return strncmp(x->name, "device_", 7) == 0 ? O_GRAPH : O_COMPUTE;
}

static void one_event(struct event *x, bool mega)
{
	enum oracle_kind kind;

	if (!x->type) {
		if (mega)
			fprintf(x->out,
				"U (no name for metadata id %" PRId64
				")\nL unknown_name 1\n",
				x->e->metadata_id);
		return;
	}
	kind = kind_of(x, mega);
	if (kind == O_NOTHING || (kind == O_IGNORED && mega))
		return;
	if (x->e->data_case == NETAN__XPLANE__XEVENT__DATA_NUM_OCCURRENCES)
		fprintf(x->out, "L aggregated 1\n");
	else if (kind == O_UNKNOWN)
		fprintf(x->out, "U %s\nL unknown_name 1\n", x->name);
	else if (x->e->duration_ps < 0 && (kind == O_RX || kind == O_TX))
		fprintf(x->out, "C %s %s bad_duration 1\n",
			kind == O_TX ? "tx" : "rx", mega ? "graph" : "message");
	else if (x->e->duration_ps < 0)
		fprintf(x->out, "L bad_duration 1\n");
	else if (mega)
		mega_event(x, kind);
	else if (kind != O_IGNORED)
		host_event(x, kind);
}

/* profile_start_time of the environment, 0 when it is not there. */
static int64_t wall_start(const Netan__Xplane__XSpace *space)
{
	int64_t ns = 0;

	for (size_t i = 0; i < space->n_planes; i++) {
		const Plane *p = space->planes[i];
		const Stat *s = find(p, p->stats, p->n_stats,
				     "profile_start_time");

		if (s && strcmp(p->name, "Task Environment") == 0)
			ns = s->value_case == VALUE(UINT64_VALUE)
				     ? (int64_t)s->uint64_value
				     : s->int64_value;
	}
	return ns;
}

static int64_t on_clock(int64_t ns, int64_t wall)
{
	return ns > 1000000000000000 || wall <= 0 ? ns : ns + wall;
}

static void find_origin(struct oracle *o, const Netan__Xplane__XSpace *space,
			int64_t wall)
{
	bool all = true;

	for (size_t i = 0; i < space->n_planes; i++) {
		for (size_t k = 0; k < space->planes[i]->n_lines; k++) {
			const Netan__Xplane__XLine *l =
				space->planes[i]->lines[k];
			int64_t ns = on_clock(l->timestamp_ns, wall);

			if (!l->n_events)
				continue;
			all &= l->timestamp_ns > 1000000000000000;
			if (!o->has_time || ns < o->first_ns)
				o->first_ns = ns;
			o->has_time = true;
		}
	}
	o->has_wall = wall > 0 || (o->has_time && all);
}

void oracle_read(struct oracle *o, const Netan__Xplane__XSpace *space)
{
	static struct event x; /* too large for the stack */
	int64_t wall = wall_start(space);

	memset(o, 0, sizeof(*o));
	find_origin(o, space, wall);
	x.out = open_memstream(&o->text, &o->n_text);
	for (size_t i = 0; i < space->n_planes; i++) {
		const Plane *p = x.plane = space->planes[i];
		bool mega = strstr(p->name, "Megascale Trace") != NULL;

		if (!mega && strcmp(p->name, "/host:CPU") != 0)
			continue;
		for (size_t k = 0; k < p->n_lines; k++) {
			const Netan__Xplane__XLine *l = p->lines[k];

			x.line = l->name;
			for (size_t j = 0; j < l->n_events; j++) {
				x.e = l->events[j];
				x.type = type_of(p, x.e->metadata_id);
				x.name = !x.type ? ""
					 : *x.type->display_name
						 ? x.type->display_name
						 : x.type->name;
				x.start =
					((wide)on_clock(l->timestamp_ns, wall) -
					 o->first_ns) *
					1000;
				if (x.e->data_case ==
				    NETAN__XPLANE__XEVENT__DATA_OFFSET_PS)
					x.start += x.e->offset_ps;
				x.end = x.start + x.e->duration_ps;
				one_event(&x, mega);
			}
		}
	}
	fclose(x.out);
}

#include "tests/unit/hand_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "netan/synth/synth.h"
#include "netan/synth/xspace/trace.h"

#define RUN  "plugins/profile/run"
#define WALL UINT64_C(1790000000000000000)

enum { HOSTS_MAX = 8 };

struct hand_trace {
	char dir[64];
	char *paths[HOSTS_MAX];
	size_t n;
	struct na_out_file *out;
	struct na_truth_host counts; /* that na_plane_* keep */
	struct na_trace trace;
	struct na_plane plane;
	bool in_host, in_plane, in_line;
	int64_t planes, lines;
};

const char *hand_op_shape, *hand_op_type, *hand_op_info;

static void fine(enum na_status st, const struct na_err *err)
{
	if (st != NA_OK)
		fail_msg("%s", err->text);
}

struct hand_trace *hand_trace_new(void)
{
	struct hand_trace *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	snprintf(t->dir, sizeof(t->dir), "/tmp/netan-test-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	hand_op_shape = "f32[1024]";
	hand_op_type = "ONE_TO_ONE";
	hand_op_info = NULL;
	return t;
}

const char *hand_trace_dir(const struct hand_trace *t)
{
	return t->dir;
}

static void end_line(struct hand_trace *t)
{
	if (t->in_line)
		na_plane_line_end(&t->plane);
	t->in_line = false;
}

static void end_plane(struct hand_trace *t)
{
	struct na_err err = {.status = NA_OK};

	end_line(t);
	if (t->in_plane)
		fine(na_plane_finish(&t->plane, &err), &err);
	t->in_plane = false;
}

void hand_trace_close(struct hand_trace *t)
{
	struct na_err err = {.status = NA_OK};
	uint64_t bytes, whole;

	if (!t->in_host)
		return;
	hand_trace_plane(t, "Task Environment");
	na_stat_uint(&t->plane, na_plane_stat(&t->plane, "profile_start_time"),
		     WALL);
	end_plane(t);
	fine(na_out_finish(t->out, -1, -1, &bytes, &whole, &err), &err);
	for (size_t i = 0; i < t->counts.planes.n; i++) {
		for (size_t k = 0; k < t->counts.planes.v[i].lines.n; k++)
			free(t->counts.planes.v[i].lines.v[k].name);
		na_vec_free(&t->counts.planes.v[i].lines);
		free(t->counts.planes.v[i].name);
	}
	na_vec_free(&t->counts.planes);
	memset(&t->counts, 0, sizeof(t->counts));
	t->in_host = false;
}

void hand_trace_host(struct hand_trace *t, const char *name)
{
	struct na_err err = {.status = NA_OK};
	char path[160];

	hand_trace_close(t);
	assert_true(t->n < HOSTS_MAX);
	snprintf(path, sizeof(path), "%s/" RUN, t->dir);
	fine(na_out_make_dirs(path, &err), &err);
	snprintf(path, sizeof(path), "%s/" RUN "/%s.xplane.pb", t->dir, name);
	t->paths[t->n] = strdup(path);
	assert_non_null(t->paths[t->n]);
	t->n++;
	fine(na_out_open(&t->out, path, NA_PACK_NONE, &err), &err);
	t->trace = (struct na_trace){t->out, &t->counts};
	t->in_host = true;
}

void hand_trace_plane(struct hand_trace *t, const char *name)
{
	end_plane(t);
	na_plane_start(&t->plane, &t->trace, ++t->planes, name);
	t->in_plane = true;
}

void hand_trace_line(struct hand_trace *t, const char *name)
{
	end_line(t);
	na_plane_line(&t->plane, ++t->lines, name, 0);
	t->in_line = true;
}

static void put_hex(struct na_plane *p, int64_t id, const char *hex)
{
	uint8_t bytes[1024];
	size_t n = 0;
	unsigned x;

	for (; sscanf(hex, "%2x", &x) == 1; hex += 2) {
		assert_true(n < sizeof(bytes));
		bytes[n++] = (uint8_t)x;
	}
	na_stat_bytes(p, id, bytes, n);
}

/* Pairs of name and value up to a NULL. */
static void put_stats(struct na_plane *p, va_list list)
{
	const char *name, *value;

	while ((name = va_arg(list, const char *))) {
		int64_t id = na_plane_stat(p, name);

		value = va_arg(list, const char *);
		if (value[0] == 'i')
			na_stat_int(p, id, strtoll(value + 2, NULL, 10));
		else if (value[0] == 'u')
			na_stat_uint(p, id, strtoull(value + 2, NULL, 10));
		else if (value[0] == 'b')
			put_hex(p, id, value + 2);
		else
			na_stat_str(p, id, value + 2);
	}
}

static bool known(const struct hand_trace *t, const char *name)
{
	return na_strtab_find(&t->plane.events, name, strlen(name)) !=
	       NA_NO_NAME;
}

void hand_trace_type(struct hand_trace *t, const char *name, const char *shown,
		     ...)
{
	va_list list;
	size_t at;

	assert_false(known(t, name));
	na_plane_define(&t->plane, name, shown, &at);
	va_start(list, shown);
	put_stats(&t->plane, list);
	va_end(list);
	na_plane_define_end(&t->plane, at);
}

void hand_trace_event(struct hand_trace *t, const char *name, int64_t at_ns,
		      int64_t ns, ...)
{
	int64_t id = na_plane_name(&t->plane, name);
	va_list list;

	na_plane_event(&t->plane, id, at_ns * NA_PS_PER_NS, ns * NA_PS_PER_NS);
	va_start(list, ns);
	put_stats(&t->plane, list);
	va_end(list);
	na_plane_event_end(&t->plane);
}

void hand_trace_event_ps(struct hand_trace *t, const char *name, int64_t at_ps,
			 int64_t ps)
{
	na_plane_event(&t->plane, na_plane_name(&t->plane, name), at_ps, ps);
	na_plane_event_end(&t->plane);
}

/* ---- ops and graphs */

/* "%send.5 = ... send(...), ..." with the shown name send.5. */
void hand_trace_op(struct hand_trace *t, const struct hand_op *x)
{
	char text[700], result[120], channel[40] = "", of[120] = "";
	size_t n = strcspn(x->name, ".");
	bool done = strstr(x->name, "-done"), send = x->name[0] == 's';

	if (done && send)
		snprintf(result, sizeof(result), "token[]");
	else
		snprintf(result, sizeof(result), "(%s,%s token[])",
			 hand_op_shape, done ? "" : " u32[],");
	if (x->channel)
		snprintf(channel, sizeof(channel), ", channel_id=%d",
			 x->channel);
	if (x->of)
		snprintf(of, sizeof(of),
			 ",_xla_host_transfer_rendezvous=\"%s\"", x->of);
	snprintf(text, sizeof(text),
		 "%%%s = %s %.*s(%s%s)%s, is_host_transfer=true, "
		 "frontend_attributes={_xla_host_transfer_handler_name="
		 "\"xla_megascale_runtime\"%s,_xla_megascale_transfer_type="
		 "\"%s\"}",
		 x->name, result, (int)n, x->name, x->operand ? "%" : "",
		 x->operand ? x->operand : "", channel, of, hand_op_type);
	if (!known(t, text))
		hand_trace_type(t, text, x->name, "hlo_category",
				send ? "s:host send" : "s:host recv",
				hand_op_info ? "dcn_collective_info" : NULL,
				hand_op_info, NULL);
	hand_trace_event_ps(t, text, x->at_ns * NA_PS_PER_NS,
			    x->ns * NA_PS_PER_NS + x->ps);
}

void hand_trace_graph(struct hand_trace *t, const char *key, int64_t at_ns,
		      int64_t ns)
{
	char name[120], value[120];

	snprintf(name, sizeof(name), "%s", key);
	name[strcspn(name, "$")] = 0;
	snprintf(value, sizeof(value), "s:%s", key);
	hand_trace_event(t, name, at_ns, ns, "graph_key", value, NULL);
}

void hand_trace_receive(struct hand_trace *t, const char *key, int64_t end_ns,
			const char *latency, const char *buffers)
{
	char name[120], text[200];

	snprintf(name, sizeof(name), "s:%s", key);
	snprintf(text, sizeof(text), "s:%s", buffers);
	if (latency)
		hand_trace_event(t, "NetworkReceive END", end_ns, 0,
				 "graph_key", name, "buffer_sizes", text,
				 "network_transport_latency_us", latency, NULL);
	else
		hand_trace_event(t, "NetworkReceive END", end_ns, 0,
				 "graph_key", name, "buffer_sizes", text, NULL);
}

void hand_trace_free(struct hand_trace *t)
{
	static const char *const parts[] = {"/plugins/profile/run",
					    "/plugins/profile", "/plugins", ""};
	char path[160];

	hand_trace_close(t);
	for (size_t i = 0; i < t->n; i++) {
		unlink(t->paths[i]);
		free(t->paths[i]);
	}
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", t->dir, parts[i]);
		rmdir(path);
	}
	free(t);
}

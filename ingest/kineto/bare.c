#include "ingest/kineto/bare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/json/json.h"
#include "netan/base/pseudonyms.h"
#include "netan/base/text.h"

void kt_bare_fini(struct kt_bare *b)
{
	na_xf_bytes_fini(&b->out);
	na_xf_bytes_fini(&b->scratch);
	na_strtab_fini(&b->seen);
	na_vec_free(&b->as);
	na_arena_fini(&b->arena);
}

/* ---- pieces of JSON */

static void put(struct kt_bare *b, const char *s)
{
	na_xf_put(&b->out, s, strlen(s));
}

static void put_raw(struct kt_bare *b, struct na_text x)
{
	if (x.n)
		na_xf_put(&b->out, x.s, x.n);
}

static void put_number(struct kt_bare *b, const char *key, int64_t x)
{
	char text[96];

	snprintf(text, sizeof(text), "\"%s\": %" PRId64, key, x);
	put(b, text);
}

static void put_id(struct kt_bare *b, const char *key, uint64_t x)
{
	char text[96];

	snprintf(text, sizeof(text), "\"%s\": %" PRIu64, key, x);
	put(b, text);
}

/* Without its escapes; NULL: no memory. */
static const char *plain(struct kt_bare *b, struct na_text raw)
{
	struct na_xf_bytes *s = &b->scratch;
	size_t most = 3 * raw.n + 1;

	if (!na_grow(&s->p, &s->cap, most, 1))
		return NULL;
	s->n = na_json_unescape(raw, (char *)s->p, most);
	return (const char *)s->p;
}

static const char *escaped(struct kt_bare *b, const char *text)
{
	size_t n = na_escape(NA_ESC_JSON, text, NULL, 0);
	char *to = na_arena_alloc(&b->arena, n + 1);

	if (to)
		na_escape(NA_ESC_JSON, text, to, n + 1);
	return to;
}

/* As JSON has it: what could not be read became U+FFFD in `text`, and control
 * characters have escapes. */
static bool is_sound(struct na_text raw, const char *text)
{
	for (size_t i = 0; i < raw.n; i++) {
		if ((unsigned char)raw.s[i] < ' ')
			return false;
	}
	return !strstr(text, "\xef\xbf\xbd");
}

/* What is shown of a text; itself where nothing in it is a name, and nothing
 * is broken.  NULL: no memory. */
static const char *shown(struct kt_bare *b, struct na_text raw)
{
	const char *text = plain(b, raw), *to = NULL;
	char *hidden = text ? na_pseudonyms_replace(b->names, text) : NULL;

	if (hidden && strcmp(hidden, text) == 0 &&
	    strlen(text) == b->scratch.n && is_sound(raw, text))
		to = na_arena_strn(&b->arena, raw.s, raw.n);
	else if (hidden)
		to = escaped(b, hidden);
	free(hidden);
	return to;
}

/* Names of kernels come again and again. */
static const char *shown_once(struct kt_bare *b, struct na_text raw)
{
	uint32_t i = na_strtab_add(&b->seen, raw.n ? raw.s : "", raw.n);
	const char *text;

	if (i == NA_NO_NAME)
		return NULL;
	if (i < b->as.n)
		return b->as.v[i];
	text = shown(b, raw);
	return text && na_add(&b->as, text) ? text : NULL;
}

static void put_text(struct kt_bare *b, struct na_text raw)
{
	const char *text = shown_once(b, raw);

	if (!text) {
		b->out.failed = true;
		return;
	}
	put(b, "\"");
	put(b, text);
	put(b, "\"");
}

void kt_bare_learn(struct kt_bare *b, struct na_text raw, bool once)
{
	const char *text;
	char *hidden;

	if (!raw.n || !memchr(raw.s, '/', raw.n))
		return;
	if (!once) {
		b->out.failed |= !shown_once(b, raw);
		return;
	}
	text = plain(b, raw);
	hidden = text ? na_pseudonyms_replace(b->names, text) : NULL;
	b->out.failed |= !hidden;
	free(hidden);
}

static bool is_number(struct na_text x)
{
	int64_t any;

	return x.n && na_json_decimal(x, 0, &any);
}

/* Of an event: digits, or a text. */
static void put_member(struct kt_bare *b, const char *key, struct na_text x)
{
	if (!x.s)
		return;
	put(b, ", \"");
	put(b, key);
	put(b, "\": ");
	if (is_number(x))
		put_raw(b, x);
	else
		put_text(b, x);
}

/* ---- values of arguments */

/* The item that the walker is at, and of a list those in it. */
static void put_value(struct kt_bare *b, struct na_json *j)
{
	unsigned open = 0;
	bool first = true;

	do {
		if (j->kind == NA_JSON_ARRAY_END) {
			put(b, "]");
			open--;
			first = false;
			continue;
		}
		if (!first)
			put(b, ", ");
		first = j->kind == NA_JSON_ARRAY;
		open += first;
		if (first)
			put(b, "[");
		else if (j->kind == NA_JSON_STRING)
			put_text(b, j->text);
		else if (j->kind == NA_JSON_NUMBER)
			put_raw(b, j->text);
		else
			put(b, "null");
		if (j->kind == NA_JSON_OBJECT)
			na_json_skip(j);
	} while (open && na_json_next(j) != NA_JSON_END);
	while (open--)
		put(b, "]");
}

static void put_args(struct kt_bare *b, struct na_text args)
{
	struct na_json j = na_json_of(args, 0);
	bool any = false;

	if (!args.s || na_json_next(&j) != NA_JSON_OBJECT)
		return;
	put(b, ", \"args\": {");
	while (na_json_next(&j) == NA_JSON_KEY) {
		struct na_text key = j.text;

		if (!kt_arg_is_read(&j)) {
			na_json_skip(&j);
			continue;
		}
		if (na_json_next(&j) == NA_JSON_END)
			break;
		put(b, any ? ", \"" : "\"");
		put_raw(b, key);
		put(b, "\": ");
		put_value(b, &j);
		any = true;
	}
	put(b, "}");
}

void kt_bare_event(struct kt_bare *b, const struct na_kineto_event *e,
		   bool read)
{
	put(b, "{\"ph\": \"X\"");
	put_member(b, "cat", e->cat);
	put_member(b, "name", read ? e->name : na_text_n("", 0));
	put_member(b, "pid", e->pid);
	put_member(b, "tid", e->tid);
	put_member(b, "ts", e->ts);
	put_member(b, "dur", e->dur);
	if (read)
		put_args(b, e->args);
	put(b, "}");
}

/* ---- documents */

static void put_mark(struct kt_bare *b, const struct na_slice *of)
{
	const char *said = escaped(b, of->said);

	put(b, "{\"");
	put(b, kt_cut_member);
	put(b, "\": \"");
	put(b, said ? said : "");
	put(b, "\",\n");
	b->out.failed |= !said;
}

static void put_host(struct kt_bare *b, const struct na_slice *of)
{
	const char *host = escaped(b, of->host);

	put(b, "\"");
	put(b, host ? host : "");
	put(b, "\"");
	b->out.failed |= !host;
}

static void put_groups(struct kt_bare *b, const struct kineto *k)
{
	put(b, "\"pg_config\": [");
	for (size_t i = 0; i < k->group_ranks.n; i++) {
		const struct na_interned *x = &k->groups.names[i];

		put(b, i ? ", {\"pg_name\": " : "{\"pg_name\": ");
		put_text(b, na_text_n(x->s, x->len));
		put(b, ", \"ranks\": [");
		put(b, k->group_ranks.v[i]);
		put(b, "]}");
	}
	put(b, "]");
}

static void put_job(struct kt_bare *b, const struct na_input *in)
{
	put(b, "\"distributedInfo\": {");
	if (in->rank >= 0) {
		put_number(b, "rank", in->rank);
		put(b, ", ");
	}
	if (in->world_size >= 0) {
		put_number(b, "world_size", in->world_size);
		put(b, ", ");
	}
	put_groups(b, in->state);
	put(b, "},\n");
}

void kt_bare_head(struct kt_bare *b, const struct na_input *in,
		  const struct na_slice *of)
{
	const struct kineto *k = in->state;

	put_mark(b, of);
	if (in->host) {
		put(b, "\"host_name\": ");
		put_host(b, of);
		put(b, ",\n");
	}
	put_job(b, in);
	if (k->base_ns) {
		put_number(b, "baseTimeNanoseconds", k->base_ns);
		put(b, ",\n");
	}
	put(b, "\"traceEvents\": [");
}

void kt_bare_rocprof(struct kt_bare *b, const struct na_input *in,
		     const struct na_slice *of)
{
	const struct kineto *k = in->state;

	put_mark(b, of);
	if (in->rank >= 0)
		put_job(b, in);
	put(b, "\"rocprofiler-sdk-tool\": [{\n\"metadata\": {\"node\": {");
	if (in->host) {
		put(b, "\"hostname\": ");
		put_host(b, of);
	}
	put(b, "}},\n\"agents\": [");
	for (size_t i = 0; i < k->agents.n; i++) {
		put(b, i ? ", {\"id\": {" : "{\"id\": {");
		put_id(b, "handle", k->agents.v[i]);
		put(b, "}, \"type\": 2}");
	}
	put(b, "],\n\"kernel_symbols\": [");
	for (size_t i = 0; i < k->symbols.n; i++) {
		put(b, i ? ",\n{" : "\n{");
		put_id(b, "kernel_id", k->symbols.v[i].id);
		put(b, ", \"formatted_kernel_name\": ");
		put_text(b, k->symbols.v[i].name);
		put(b, "}");
	}
	put(b, "],\n\"buffer_records\": {\"kernel_dispatch\": [");
}

void kt_bare_dispatch(struct kt_bare *b, const struct kineto *k,
		      const struct kt_dispatch *x)
{
	put(b, "{\"start_timestamp\": ");
	put_raw(b, x->start);
	put(b, ", \"end_timestamp\": ");
	put_raw(b, x->end);
	put(b, ", \"dispatch_info\": {");
	put_id(b, "kernel_id", x->kernel);
	if (x->agent < k->agents.n) {
		put(b, ", \"agent_id\": {");
		put_id(b, "handle", k->agents.v[x->agent]);
		put(b, "}");
	}
	put(b, "}");
	if (x->stream >= 0) {
		put(b, ", \"stream_id\": {");
		put_number(b, "handle", x->stream);
		put(b, "}");
	}
	put(b, "}");
}

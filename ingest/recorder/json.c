/* A JSON text as values of a dump; see recorder.h. */
#include "ingest/json/json.h"
#include "ingest/recorder/recorder.h"

struct building {
	struct na_dump_store *store;
	struct na_dump_value open[NA_JSON_DEPTH + 1];
	size_t n;
	struct na_dump_value top;
};

static bool text_of(struct building *b, const struct na_json *j,
		    struct na_dump_value *v)
{
	char *copy;

	*v = (struct na_dump_value){.kind = NA_DUMP_TEXT,
				    .n = (uint32_t)j->text.n,
				    .s = j->text.s};
	if (j->text.n > UINT32_MAX / 2)
		*v = (struct na_dump_value){.kind = NA_DUMP_NONE};
	else if (j->escaped) {
		copy = na_dump_alloc(b->store, j->text.n + 1);
		if (!copy)
			return false;
		v->s = copy;
		v->n = (uint32_t)na_json_unescape(j->text, copy, j->text.n + 1);
	}
	return true;
}

static bool value_of(struct building *b, const struct na_json *j,
		     struct na_dump_value *v)
{
	*v = (struct na_dump_value){.kind = NA_DUMP_NONE};
	switch (j->kind) {
	case NA_JSON_OBJECT:
	case NA_JSON_ARRAY:
		v->kind = j->kind == NA_JSON_OBJECT ? NA_DUMP_DICT
						    : NA_DUMP_LIST;
		v->list = na_dump_list(b->store);
		return v->list != NULL;
	case NA_JSON_KEY:
	case NA_JSON_STRING:
		return text_of(b, j, v);
	case NA_JSON_NUMBER:
		if (na_json_decimal(j->text, 0, &v->i))
			v->kind = NA_DUMP_INT;
		return true;
	case NA_JSON_TRUE:
	case NA_JSON_FALSE:
		v->kind = NA_DUMP_BOOL;
		v->i = j->kind == NA_JSON_TRUE;
		return true;
	default:
		return true;
	}
}

static bool take(struct building *b, const struct na_json *j)
{
	struct na_dump_value v;

	if (j->kind == NA_JSON_OBJECT_END || j->kind == NA_JSON_ARRAY_END) {
		b->n -= b->n > 0;
		return true;
	}
	if (!value_of(b, j, &v))
		return false;
	if (!b->n)
		b->top = v;
	else if (!na_dump_append(b->store, b->open[b->n - 1].list, &v, 1))
		return false;
	if (j->kind == NA_JSON_OBJECT || j->kind == NA_JSON_ARRAY)
		b->open[b->n++] = v;
	return true;
}

enum na_status na_recorder_json(const uint8_t *p, size_t n,
				struct na_dump_store *store,
				struct na_dump_value *out, struct na_err *err)
{
	struct na_json j = na_json_of(na_text_n((const char *)p, n), 0);
	struct building b = {.store = store};

	*out = (struct na_dump_value){.kind = NA_DUMP_NONE};
	while (na_json_next(&j)) {
		if (b.n > NA_JSON_DEPTH || !take(&b, &j))
			return na_fail_nomem(err);
		if (!b.n)
			break;
	}
	*out = b.top;
	if (j.damage)
		return na_fail(err, NA_EFORMAT, "byte %llu: %s is expected",
			       (unsigned long long)na_json_at(&j), j.damage);
	return NA_OK;
}

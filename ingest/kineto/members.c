/* What stands beside the events: the job, its groups, the clock. */
#include <stdlib.h>

#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"
#include "ingest/slice.h"

/* Number or text that is one. */
static int64_t number(const struct na_json *j, int64_t other)
{
	bool has_text = j->kind == NA_JSON_NUMBER || j->kind == NA_JSON_STRING;
	int64_t x;

	return has_text && na_json_decimal(j->text, 0, &x) ? x : other;
}

static int32_t small(const struct na_json *j)
{
	int64_t x = number(j, -1);

	return x >= 0 && x <= INT32_MAX ? (int32_t)x : -1;
}

enum na_status kt_each(struct na_input *in, struct na_json *j,
		       enum na_status (*take)(struct na_input *in,
					      struct na_json *j,
					      struct na_err *err),
		       struct na_err *err)
{
	enum na_status st = NA_OK;

	if (!na_json_enters(j, NA_JSON_ARRAY))
		return NA_OK;
	while (st == NA_OK && na_json_next(j) != NA_JSON_ARRAY_END &&
	       j->kind != NA_JSON_END) {
		if (j->kind == NA_JSON_OBJECT)
			st = take(in, j, err);
		else
			na_json_skip(j);
	}
	return st;
}

const char *kt_group(const struct kineto *k, struct na_text name)
{
	uint32_t i = na_strtab_find(&k->groups, name.s, name.n);

	return i != NA_NO_NAME && i < k->group_ranks.n ? k->group_ranks.v[i]
						       : NULL;
}

static enum na_status add_group(struct na_input *in, struct na_text name,
				struct na_text ranks, struct na_err *err)
{
	struct kineto *k = in->state;
	struct na_str s = {.s = NULL};
	const char *kept = NULL;
	bool good = true;

	if (name.n && ranks.n && kt_ranks(ranks, &s) && !s.failed &&
	    !kt_group(k, name)) {
		kept = na_arena_strn(&in->arena, s.s, s.n);
		good = kept && na_strtab_add(&k->groups, name.s, name.n) ==
				       k->group_ranks.n;
		good = good && na_add(&k->group_ranks, kept);
	}
	free(s.s);
	return good ? NA_OK : na_fail_nomem(err);
}

/* One of pg_config, behind its bracket. */
static enum na_status take_group(struct na_input *in, struct na_json *j,
				 struct na_err *err)
{
	struct na_text name = {"", 0}, ranks = {"", 0};

	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "pg_name"))
			name = na_json_value(j);
		else if (na_json_is(j, "ranks"))
			ranks = na_json_value(j);
		else
			na_json_skip(j);
	}
	return add_group(in, name, ranks, err);
}

static enum na_status take_job(struct na_input *in, struct na_json *j,
			       struct na_err *err)
{
	enum na_status st = NA_OK;

	if (!na_json_enters(j, NA_JSON_OBJECT))
		return NA_OK;
	while (st == NA_OK && na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "pg_config")) {
			st = kt_each(in, j, take_group, err);
		} else if (na_json_is(j, "rank")) {
			na_json_value(j);
			in->rank = small(j);
		} else if (na_json_is(j, "world_size")) {
			na_json_value(j);
			in->world_size = small(j);
		} else {
			na_json_skip(j);
		}
	}
	return st;
}

enum na_status kt_take_host(struct na_input *in, struct na_json *j,
			    struct na_err *err)
{
	char name[256];
	struct na_text x = na_json_value(j);

	if (j->kind != NA_JSON_STRING || !x.n)
		return NA_OK;
	in->host = na_arena_strn(&in->arena, name,
				 na_json_unescape(x, name, sizeof(name)));
	return in->host ? NA_OK : na_fail_nomem(err);
}

static enum na_status take_cut(struct na_input *in, struct na_json *j,
			       struct na_err *err)
{
	char said[1024];
	struct na_text x = na_json_value(j);
	size_t n = j->kind == NA_JSON_STRING
			   ? na_json_unescape(x, said, sizeof(said))
			   : 0;

	return in->cut || na_slice_take_mark(in, na_text_n(said, n))
		       ? NA_OK
		       : na_fail_nomem(err);
}

enum na_status kt_member(struct na_input *in, struct na_json *j,
			 struct na_err *err)
{
	struct kineto *k = in->state;

	if (na_json_is(j, kt_cut_member))
		return take_cut(in, j, err);
	if (na_json_is(j, "distributedInfo"))
		return take_job(in, j, err);
	if (na_json_is(j, "host_name"))
		return kt_take_host(in, j, err);
	if (!na_json_is(j, "baseTimeNanoseconds")) {
		na_json_skip(j);
		return NA_OK;
	}
	na_json_value(j);
	k->base_ns = number(j, 0);
	k->based = k->base_ns > 0;
	return NA_OK;
}

#include "ingest/profiler/comma_object.h"

#include <stddef.h>

#include "ingest/profiler/member.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

#define AT(member) offsetof(struct na_comma_object, member)
static const struct na_profiled_member object_members[] = {
	{"cat", NA_TAKE_TEXT, AT(cat)},
	{"name", NA_TAKE_TEXT, AT(name)},
	{"comm_hash", NA_TAKE_TEXT, AT(hash)},
	{"rank", NA_TAKE_NUMBER, AT(rank)},
	{"peer", NA_TAKE_NUMBER, AT(peer)},
	{"seq_num", NA_TAKE_NUMBER, AT(sequence)},
	{"ts", NA_TAKE_NS, AT(ts)},
	{"dur", NA_TAKE_NS, AT(dur)},
	{"child_start_ts", NA_TAKE_NS, AT(child_ts)},
	{"child_dur", NA_TAKE_NS, AT(child_dur)},
	{"proxyops", NA_TAKE_TEXT, AT(parts)},
	{"steps", NA_TAKE_TEXT, AT(parts)},
};

/* {"size": 20971520} */
static int64_t size_of(struct na_json *j)
{
	struct na_text args = na_json_value(j), text;
	struct na_json in = na_json_of(args, 0);
	int64_t size = -1, x;

	na_json_next(&in);
	while (na_json_next(&in) == NA_JSON_KEY) {
		bool is = na_json_is(&in, "size");

		text = na_json_value(&in);
		if (is && na_json_decimal(text, 0, &x) && x >= 0)
			size = x;
	}
	return size;
}

void na_comma_object(struct na_json *j, struct na_comma_object *x)
{
	static const struct na_text none = {"", 0};

	*x = (struct na_comma_object){
		.cat = none,
		.name = none,
		.hash = none,
		.parts = none,
		.rank = -1,
		.peer = -1,
		.sequence = -1,
		.size = -1,
		.ts = -1,
		.dur = -1,
		.child_ts = -1,
		.child_dur = -1,
	};
	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_profiled_take(object_members, NA_LEN(object_members), j,
				     x))
			continue;
		if (na_json_is(j, "args")) {
			x->size = size_of(j);
		} else if (na_json_is(j, "is_send")) {
			x->sends = na_json_next(j) == NA_JSON_TRUE;
			na_json_skip(j);
		} else if (na_json_is(j, "reclaimed")) {
			x->open = na_json_next(j) == NA_JSON_TRUE;
			na_json_skip(j);
		} else {
			na_json_skip(j);
		}
	}
}

#define STEP(member) offsetof(struct na_comma_step, member)
static const struct na_profiled_member step_members[] = {
	{"start_time", NA_TAKE_NS, STEP(start)},
	{"fifo_ready_time", NA_TAKE_NS, STEP(ready)},
	{"end_time", NA_TAKE_NS, STEP(end)},
	{"size", NA_TAKE_NUMBER, STEP(size)},
};

void na_comma_step(struct na_json *j, struct na_comma_step *x)
{
	*x = (struct na_comma_step){-1, -1, -1, -1};
	while (na_json_next(j) == NA_JSON_KEY) {
		if (!na_profiled_take(step_members, NA_LEN(step_members), j, x))
			na_json_skip(j);
	}
}

bool na_comma_next(struct na_json *j)
{
	while (na_json_next(j)) {
		if (j->kind == NA_JSON_OBJECT)
			return true;
		na_json_skip(j);
	}
	return false;
}

struct na_json na_comma_items(struct na_text array)
{
	struct na_json j = na_json_of(array, 0);

	na_json_next(&j);
	return j;
}

bool na_comma_is_operation(const struct na_comma_object *x)
{
	return na_text_is(x->cat, "COLL") || na_text_is(x->cat, "P2P");
}

bool na_comma_hash(struct na_text text, uint64_t *hash)
{
	uint64_t x = 0;

	if (!na_text_past(&text, "0x") || !text.n || text.n > 16)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.s[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return false;
		x = x << 4 | (unsigned)digit;
	}
	*hash = x;
	return true;
}

bool na_comma_ran(const struct na_comma_object *x, int64_t *from, int64_t *to)
{
	if (x->open || x->child_dur < 0)
		return false;
	if (x->child_ts >= 0) {
		*from = x->child_ts;
		return na_add_i64(x->child_ts, x->child_dur, to);
	}
	return x->ts >= 0 && x->dur >= x->child_dur &&
	       na_add_i64(x->ts, x->dur, to) &&
	       na_add_i64(*to, -x->child_dur, from);
}

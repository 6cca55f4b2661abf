#include "ingest/profiler/plugin_event.h"

#include <stddef.h>

#include "ingest/profiler/member.h"
#include "netan/base/vec.h"

#define AT(member) offsetof(struct na_plugin_event, member)
static const struct na_profiled_member members[] = {
	{"name", NA_TAKE_TEXT, AT(name)},
	{"ts", NA_TAKE_NS, AT(ts_ns)},
	{"id", NA_TAKE_NUMBER, AT(id)},
};

static const struct na_profiled_member arguments[] = {
	{"SeqNum", NA_TAKE_NUMBER, AT(sequence)},
	{"Rank", NA_TAKE_NUMBER, AT(rank)},
	{"Peer", NA_TAKE_NUMBER, AT(peer)},
	{"Count", NA_TAKE_NUMBER, AT(count)},
	{"Datatype", NA_TAKE_TEXT, AT(type)},
	{"transSize", NA_TAKE_NUMBER, AT(sent_bytes)},
	{"qp_num", NA_TAKE_NUMBER, AT(qp)},
	{"size", NA_TAKE_NUMBER, AT(size)},
};

static const struct {
	const char *category;
	enum na_plugin_kind kind;
} kinds[] = {
	{"COLL", NA_PLUGIN_OP},         {"P2P", NA_PLUGIN_OP},
	{"PROXY", NA_PLUGIN_PROXY},     {"NET", NA_PLUGIN_NET},
	{"GPU", NA_PLUGIN_KERNEL},      {"NET_IB", NA_PLUGIN_IB},
	{"NET_SOCK", NA_PLUGIN_SOCKET},
};

static void take_arguments(struct na_json *j, struct na_plugin_event *x)
{
	if (!na_json_enters(j, NA_JSON_OBJECT))
		return;
	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "CommHash"))
			x->has_comm = na_json_count(na_profiled_text(j),
						    &x->comm);
		else if (!na_profiled_take(arguments, NA_LEN(arguments), j, x))
			na_json_skip(j);
	}
}

static enum na_plugin_kind kind_of(struct na_text category)
{
	for (size_t i = 0; i < NA_LEN(kinds); i++) {
		if (na_text_is(category, kinds[i].category))
			return kinds[i].kind;
	}
	return NA_PLUGIN_OTHER;
}

const char *na_plugin_event(const char *s, const char *end,
			    struct na_plugin_event *x)
{
	struct na_json j = na_json_of(na_between(s, end), 0);

	*x = (struct na_plugin_event){
		.name = {"", 0},
		.type = {"", 0},
		.id = -1,
		.sequence = -1,
		.rank = -1,
		.peer = -1,
		.count = -1,
		.sent_bytes = -1,
		.qp = -1,
		.size = -1,
	};
	j.bare = true;
	na_json_next(&j);
	while (na_json_next(&j) == NA_JSON_KEY) {
		if (na_json_is(&j, "cat")) {
			x->kind = kind_of(na_profiled_text(&j));
		} else if (na_json_is(&j, "ph")) {
			struct na_text phase = na_profiled_text(&j);

			x->begins = na_text_is(phase, "b");
			x->ends = na_text_is(phase, "e");
		} else if (na_json_is(&j, "args")) {
			take_arguments(&j, x);
		} else if (!na_profiled_take(members, NA_LEN(members), &j, x)) {
			na_json_skip(&j);
		}
	}
	return j.kind == NA_JSON_OBJECT_END && !j.depth ? j.p : NULL;
}

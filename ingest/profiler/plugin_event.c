#include "ingest/profiler/plugin_event.h"

#include <stddef.h>
#include <string.h>

#include "ingest/json/json.h"
#include "netan/base/vec.h"

enum take { TEXT, NUMBER, NS };

struct member {
	const char *word;
	enum take take;
	size_t to;
};

#define AT(member) offsetof(struct na_plugin_event, member)
static const struct member members[] = {
	{"name", TEXT, AT(name)},
	{"ts", NS, AT(ts_ns)},
	{"id", NUMBER, AT(id)},
};

static const struct member arguments[] = {
	{"SeqNum", NUMBER, AT(sequence)}, {"Rank", NUMBER, AT(rank)},
	{"Peer", NUMBER, AT(peer)},       {"Count", NUMBER, AT(count)},
	{"Datatype", TEXT, AT(type)},     {"transSize", NUMBER, AT(sent_bytes)},
	{"qp_num", NUMBER, AT(qp)},       {"size", NUMBER, AT(size)},
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

/* The text of a string, number or word. */
static struct na_text plain(struct na_json *j)
{
	struct na_text text = na_json_value(j);

	return j->kind == NA_JSON_WORD ? j->text : text;
}

static bool take(const struct member *of, size_t n, struct na_json *j,
		 struct na_plugin_event *to)
{
	size_t i = 0;
	struct na_text text;
	int64_t x;

	while (i < n && !na_json_is(j, of[i].word))
		i++;
	if (i == n)
		return false;
	text = plain(j);
	if (of[i].take == TEXT)
		memcpy((char *)to + of[i].to, &text, sizeof(text));
	else if (na_json_decimal(text, of[i].take == NS ? 3 : 0, &x) && x >= 0)
		memcpy((char *)to + of[i].to, &x, sizeof(x));
	return true;
}

static void take_arguments(struct na_json *j, struct na_plugin_event *x)
{
	if (na_json_next(j) != NA_JSON_OBJECT) {
		na_json_skip(j);
		return;
	}
	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "CommHash"))
			x->has_comm = na_json_count(plain(j), &x->comm);
		else if (!take(arguments, NA_LEN(arguments), j, x))
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
			x->kind = kind_of(plain(&j));
		} else if (na_json_is(&j, "ph")) {
			struct na_text phase = plain(&j);

			x->begins = na_text_is(phase, "b");
			x->ends = na_text_is(phase, "e");
		} else if (na_json_is(&j, "args")) {
			take_arguments(&j, x);
		} else if (!take(members, NA_LEN(members), &j, x)) {
			na_json_skip(&j);
		}
	}
	return j.kind == NA_JSON_OBJECT_END && !j.depth ? j.p : NULL;
}

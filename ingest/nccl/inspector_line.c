#include "ingest/nccl/inspector_line.h"

#include <stddef.h>

#include "ingest/json/json.h"
#include "netan/base/units.h"

enum { DEPTH_MAX = 16 };

enum take {
	TEXT,
	NUMBER,
	NS,    /* of us */
	PS,    /* of us */
	MILLI, /* not told where it is none: "nan", inf */
	FIRST, /* the same as NS: of several the smallest, and the largest; 0 */
	LAST,  /*  is none */
	SUM
};

struct key {
	const char *word;
	uint8_t n, parts, take;
	uint16_t to;
};

#define KEY(parts, word, take, member) \
	{ \
		word, sizeof(word) - 1, parts, take, \
			offsetof(struct na_inspector_line, member) \
	}
#define HEADER NA_INSPECTOR_HEADER
#define META   NA_INSPECTOR_METADATA
#define COLL   NA_INSPECTOR_COLL
#define P2P    NA_INSPECTOR_P2P
#define PROXY  NA_INSPECTOR_PROXY
#define STATS  NA_INSPECTOR_STATS

/* In order of their length. */
static const struct key keys[] = {
	KEY(HEADER, "id", TEXT, group),
	KEY(META, "pid", NUMBER, pid),
	KEY(P2P, "p2p", TEXT, operation),
	KEY(HEADER, "rank", NUMBER, rank),
	KEY(COLL, "coll", TEXT, operation),
	KEY(PROXY, "peer", NUMBER, peer),
	KEY(P2P, "p2p_sn", NUMBER, sequence),
	KEY(COLL, "coll_sn", NUMBER, sequence),
	KEY(HEADER, "n_ranks", NUMBER, n_ranks),
	KEY(META, "hostname", TEXT, host),
	KEY(P2P, "p2p_peer", NUMBER, peer),
	KEY(PROXY, "parent_sn", NUMBER, sequence),
	KEY(PROXY, "direction", TEXT, direction),
	KEY(PROXY, "record_type", TEXT, record),
	KEY(PROXY, "send_wait_ts", NS, send_ns),
	KEY(COLL | P2P, "kernel_stop_ts", LAST, kernel_stop_ns),
	KEY(COLL | P2P, "kernel_start_ts", FIRST, kernel_start_ns),
	KEY(COLL, "coll_algobw_gbs", MILLI, rate_mb_s),
	KEY(P2P, "p2p_exec_time_us", PS, exec_ps),
	KEY(PROXY, "trans_size_bytes", NUMBER, bytes),
	KEY(COLL, "coll_exec_time_us", PS, exec_ps),
	KEY(META, "dump_timestamp_us", NS, dump_ns),
	KEY(P2P, "p2p_timing_source", TEXT, source),
	KEY(COLL, "coll_timing_source", TEXT, source),
	KEY(P2P, "p2p_msg_size_bytes", NUMBER, bytes),
	KEY(PROXY, "recv_flush_wait_ts", NS, arrived_ns),
	KEY(PROXY, "proxy_step_stop_ts", NS, stop_ns),
	KEY(COLL, "coll_msg_size_bytes", NUMBER, bytes),
	KEY(STATS, "p2p_dropped_since_last_dump", SUM, lost),
	KEY(STATS, "coll_dropped_since_last_dump", SUM, lost),
	KEY(STATS, "proxy_dropped_since_last_dump", SUM, lost),
	KEY(META, "inspector_output_format_version", TEXT, version),
};
enum { N_KEYS = sizeof(keys) / sizeof(keys[0]), LONGEST = 31 };

static const struct {
	const char *word;
	unsigned part;
} parts[] = {
	{"header", HEADER}, {"metadata", META},     {"coll_perf", COLL},
	{"p2p_perf", P2P},  {"proxy_trace", PROXY}, {"dump_stats", STATS},
};

static unsigned part_of(struct na_text key)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (na_text_is(key, parts[i].word))
			return parts[i].part;
	}
	return 0;
}

/* First key that is at least so long. */
static const uint8_t first_of[LONGEST + 2] = {
	0,  0,  0,  1,  3,  6,  6,  7,  9,  11, 13, 13, 14, 15, 15, 16, 18,
	20, 23, 27, 28, 28, 28, 28, 28, 28, 28, 28, 29, 30, 31, 31, 32,
};

static const struct key *key_of(struct na_text word, unsigned part)
{
	if (word.n > LONGEST)
		return NULL;
	for (size_t i = first_of[word.n]; i < first_of[word.n + 1]; i++) {
		if ((keys[i].parts & part) &&
		    memcmp(keys[i].word, word.s, word.n) == 0)
			return &keys[i];
	}
	return NULL;
}

/* A decimal number, times 10^power; nearly all are plain digits. */
static bool number_of(struct na_text text, int power, int64_t *x)
{
	static const int64_t tens[] = {1, 0, 0, 1000, 0, 0, 1000000};
	int64_t n = 0;

	if (!text.n || text.n > 18)
		return na_json_decimal(text, power, x);
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] < '0' || text.s[i] > '9')
			return na_json_decimal(text, power, x);
		n = n * 10 + (text.s[i] - '0');
	}
	return na_mul_i64(n, tens[power], x);
}

static bool take_number(const struct key *k, struct na_text text, int64_t *to)
{
	int power = k->take == NUMBER || k->take == SUM ? 0
		    : k->take == PS                     ? 6
							: 3;
	int64_t x;

	if (!number_of(text, power, &x) || (x < 0 && x != -1))
		return false;
	if (k->take == FIRST || k->take == LAST) {
		bool later = x > *to;

		if (x > 0 && (*to < 0 || later == (k->take == LAST)))
			*to = x;
		return true;
	}
	if (k->take == SUM)
		return na_add_i64(*to, x, to);
	*to = x;
	return true;
}

struct walk {
	struct na_scan c;
	struct na_inspector_line *x;
	struct na_text key; /* whose value follows; s NULL: none */
	unsigned part;
	int depth;
	bool ok;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct na_text quoted(struct walk *w)
{
	const char *p = w->c.p + 1, *from = p, *end = w->c.end;

	while (p < end && *p != '"')
		p += 1 + (*p == '\\' && p + 1 < end);
	if (p >= end) {
		w->ok = false;
		p = from;
		w->c.p = end;
	} else {
		w->c.p = p + 1;
	}
	return na_between(from, p);
}

/* Behind a number or a word. */
static const bool ends_word[256] = {
	[','] = true, ['}'] = true,  [']'] = true,
	[' '] = true, ['\t'] = true, ['\r'] = true,
};

static struct na_text word(struct walk *w)
{
	const char *from = w->c.p;

	while (w->c.p < w->c.end && !ends_word[(uint8_t)*w->c.p])
		w->c.p++;
	return na_between(from, w->c.p);
}

static void value(struct walk *w, struct na_text text, bool string)
{
	const struct key *k;
	char *to = (char *)w->x;

	k = w->key.s && w->part ? key_of(w->key, w->part) : NULL;
	w->key.s = NULL;
	if (!k)
		return;
	to += k->to;
	if (k->take == TEXT && string)
		memcpy(to, &text, sizeof(text));
	else if (k->take == TEXT || string ||
		 !take_number(k, text, (int64_t *)(void *)to))
		w->ok &= k->take == MILLI;
}

static void string(struct walk *w)
{
	struct na_text text = quoted(w);

	if (w->key.s) {
		value(w, text, true);
		return;
	}
	while (w->c.p < w->c.end && is_blank(*w->c.p))
		w->c.p++;
	if (na_scan_past(&w->c, ':'))
		w->key = text;
}

static void opens(struct walk *w)
{
	w->ok &= ++w->depth <= DEPTH_MAX;
	if (w->depth == 2) {
		w->part = w->key.s ? part_of(w->key) : 0;
		w->x->parts |= w->part;
	}
	w->key.s = NULL;
	w->c.p++;
}

static void closes(struct walk *w)
{
	w->ok &= --w->depth >= 0;
	if (w->depth == 1)
		w->part = 0;
	w->c.p++;
}

static void item(struct walk *w)
{
	switch (*w->c.p) {
	case '"':
		string(w);
		break;
	case '{':
	case '[':
		opens(w);
		break;
	case '}':
	case ']':
		closes(w);
		break;
	case ',':
	case ' ':
	case '\t':
	case '\r':
		w->c.p++;
		break;
	default:
		/* A stray ':' or the like is a word of nobody's. */
		value(w, word(w), false);
	}
}

bool na_inspector_parse(struct na_text line, struct na_inspector_line *x)
{
	static const struct na_text none = {"", 0};
	struct walk w = {.c = na_scan_of(line), .x = x, .ok = true};

	*x = (struct na_inspector_line){
		.group = none,
		.host = none,
		.version = none,
		.operation = none,
		.source = none,
		.record = none,
		.direction = none,
		.rank = -1,
		.n_ranks = -1,
		.pid = -1,
		.dump_ns = -1,
		.sequence = -1,
		.bytes = -1,
		.exec_ps = -1,
		.peer = -1,
		.kernel_start_ns = -1,
		.kernel_stop_ns = -1,
		.send_ns = -1,
		.arrived_ns = -1,
		.stop_ns = -1,
	};
	while (w.ok && w.c.p < w.c.end)
		item(&w);
	return w.ok && w.depth == 0 && x->parts;
}

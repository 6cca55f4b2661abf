#include "ingest/hang_json.h"

#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/text.h"

/* Best first. */
static const char *const messages[] = {"textPayload", "message", "msg", "log",
				       "text"};
static const char *const sources[] = {"pod_name",       "pod",
				      "podName",        "pod_id",
				      "container_name", "container",
				      "hostname",       "host",
				      "node_name",      "instance_id",
				      "worker",         "task"};
static const char *const times[] = {"timestamp", "time", "@timestamp", "ts",
				    "receiveTimestamp"};

#define N_OF(list) (sizeof(list) / sizeof((list)[0]))

static size_t place_in(struct na_bit key, const char *const *list, size_t n)
{
	size_t i = 0;

	while (i < n && !na_same_nocase(key.s, key.n, list[i]))
		i++;
	return i;
}

/* The string behind the quote at *at; *at moves behind its end. */
static bool string_at(struct na_bit x, size_t *at, struct na_bit *out)
{
	size_t i = *at + 1, start = i;

	while (i < x.n && x.s[i] != '"')
		i += x.s[i] == '\\' ? 2 : 1;
	i = i < x.n ? i : x.n;
	*out = na_bit_of(x.s + start, i - start);
	*at = i < x.n ? i + 1 : i;
	return i < x.n;
}

static void take_member(struct na_hang_wrapped *w, size_t *best, size_t *n_who,
			size_t *best_time, struct na_bit key,
			struct na_bit value)
{
	size_t k = place_in(key, messages, N_OF(messages));
	size_t t = place_in(key, times, N_OF(times));

	if (k < *best) {
		*best = k;
		w->message = value;
	}
	if (t < *best_time) {
		*best_time = t;
		w->time = value;
	}
	if (place_in(key, sources, N_OF(sources)) < N_OF(sources) &&
	    *n_who < N_OF(w->who))
		w->who[(*n_who)++] = value;
}

/* Any "key": "value" counts, however deep.  A line that was cut may end
 * inside its message. */
bool na_hang_unwrap(struct na_bit line, struct na_hang_wrapped *w)
{
	size_t best = N_OF(messages), best_time = N_OF(times), who = 0, i = 0;
	struct na_bit key, value;

	*w = (struct na_hang_wrapped){.time = {NULL, 0}};
	while (i < line.n && (line.s[i] == ' ' || line.s[i] == '\t'))
		i++;
	if (i == line.n || (line.s[i] != '{' && line.s[i] != '"'))
		return false;
	while (i < line.n) {
		if (line.s[i] != '"') {
			i++;
			continue;
		}
		string_at(line, &i, &key);
		while (i < line.n && (line.s[i] == ' ' || line.s[i] == '\t'))
			i++;
		if (i >= line.n || line.s[i] != ':')
			continue;
		for (i++; i < line.n && line.s[i] == ' ';)
			i++;
		if (i >= line.n || line.s[i] != '"')
			continue;
		string_at(line, &i, &value);
		take_member(w, &best, &who, &best_time, key, value);
	}
	return best < N_OF(messages);
}

bool na_hang_is_json(struct na_bit line)
{
	size_t i = 0;
	struct na_bit key;

	line = na_bit_trim(line);
	if (!line.n)
		return false;
	if (line.s[0] != '"')
		return strchr("{}[]", line.s[0]) &&
		       (line.n == 1 || (line.n == 2 && line.s[1] == ','));
	string_at(line, &i, &key);
	return i < line.n && line.s[i] == ':';
}

/* False: these are no four digits. */
static bool hex4(struct na_bit in, size_t at, uint32_t *rune)
{
	uint32_t v = 0;

	if (in.n - at < 4)
		return false;
	for (size_t i = at; i < at + 4; i++) {
		char c = in.s[i], low = c | 0x20;

		if (c >= '0' && c <= '9')
			v = v * 16 + (uint32_t)(c - '0');
		else if (low >= 'a' && low <= 'f')
			v = v * 16 + (uint32_t)(low - 'a' + 10);
		else
			return false;
	}
	/* Halves of pairs are not worth the trouble in a log. */
	*rune = v >= 0xd800 && v < 0xe000 ? NA_RUNE_BAD : v;
	return true;
}

size_t na_hang_unescape(struct na_bit in, char *out)
{
	size_t n = 0, i = 0;
	uint32_t rune;

	while (i < in.n && in.s[i] != '"') {
		char c = in.s[i++];

		if (c != '\\' || i == in.n) {
			out[n++] = c;
			continue;
		}
		c = in.s[i++];
		if (c == 'u' && hex4(in, i, &rune)) {
			/* Six bytes in, three at most out. */
			n += na_utf8_put(out + n, rune);
			i += 4;
		} else if (c == 'n') {
			out[n++] = '\n';
		} else if (c == 't') {
			out[n++] = '\t';
		} else if (c != 'r') {
			out[n++] = c;
		}
	}
	return n;
}

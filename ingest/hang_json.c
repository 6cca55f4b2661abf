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

static size_t place_in(struct na_span key, const char *const *list, size_t n)
{
	size_t i = 0;

	while (i < n && !na_same_nocase(key.s, key.n, list[i]))
		i++;
	return i;
}

/* The string behind the quote at *at; *at moves behind its end. */
static bool string_at(struct na_span x, size_t *at, struct na_span *out)
{
	size_t i = *at + 1, start = i;

	while (i < x.n && x.s[i] != '"')
		i += x.s[i] == '\\' ? 2 : 1;
	i = i < x.n ? i : x.n;
	*out = na_span_of(x.s + start, i - start);
	*at = i < x.n ? i + 1 : i;
	return i < x.n;
}

static void take_member(struct na_hang_wrapped *w, size_t *best, size_t *n_who,
			size_t *best_time, struct na_span key,
			struct na_span value)
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
bool na_hang_unwrap(struct na_span line, struct na_hang_wrapped *w)
{
	size_t best = N_OF(messages), best_time = N_OF(times), who = 0, i = 0;
	struct na_span key, value;

	*w = (struct na_hang_wrapped){.time = {NULL, 0}};
	while (i < line.n && (line.s[i] == ' ' || line.s[i] == '\t'))
		i++;
	if (i == line.n || line.s[i] != '{')
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

static uint32_t hex4(struct na_span in, size_t at)
{
	uint32_t v = 0;

	for (size_t i = at; i < at + 4; i++) {
		char c = in.s[i];
		int d = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

		if (d < 0 || d > 15 || (d > 9 && ((c | 0x20) < 'a')))
			return NA_RUNE_BAD;
		v = v * 16 + (uint32_t)d;
	}
	/* Halves of pairs are not worth the trouble in a log. */
	return v >= 0xd800 && v < 0xe000 ? NA_RUNE_BAD : v;
}

size_t na_hang_unescape(struct na_span in, char *out)
{
	size_t n = 0, i = 0;

	while (i < in.n && in.s[i] != '"') {
		char c = in.s[i++];

		if (c != '\\' || i == in.n) {
			out[n++] = c;
			continue;
		}
		c = in.s[i++];
		if (c == 'u' && in.n - i >= 4) {
			/* Six bytes in, three at most out. */
			n += na_utf8_put(out + n, hex4(in, i));
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

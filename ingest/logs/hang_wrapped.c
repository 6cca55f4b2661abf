#include "ingest/logs/hang_wrapped.h"

#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/text.h"

/* Best first. */
static const char *const messages[] = {"textPayload", "message", "msg",
				       "log",         "text",    "_raw",
				       "stringValue", "body",    "line"};
static const char *const sources[] = {"pod_name",     "pod",
				      "podName",      "pod_id",
				      "k8s.pod.name", "container_name",
				      "container",    "hostname",
				      "_HOSTNAME",    "host.name",
				      "host",         "node_name",
				      "instance_id",  "worker",
				      "task"};
static const char *const times[] = {"timestamp",
				    "time",
				    "@timestamp",
				    "_time",
				    "ts",
				    "timeUnixNano",
				    "receiveTimestamp",
				    "__REALTIME_TIMESTAMP"};

#define N_OF(list) (sizeof(list) / sizeof((list)[0]))

static bool place_in(struct na_text key, const char *const *list, size_t n,
		     size_t *rank)
{
	size_t i = 0;

	while (i < n && !na_same_nocase(key.s, key.n, list[i]))
		i++;
	*rank = i;
	return i < n;
}

static struct na_hang_member member_of(struct na_text key)
{
	struct na_hang_member m = {.kind = NA_MEMBER_OTHER};

	if (place_in(key, messages, N_OF(messages), &m.rank))
		m.kind = NA_MEMBER_MESSAGE;
	else if (place_in(key, times, N_OF(times), &m.rank))
		m.kind = NA_MEMBER_TIME;
	else if (place_in(key, sources, N_OF(sources), &m.rank))
		m.kind = NA_MEMBER_WHO;
	return m;
}

static void begin(struct na_hang_wrapped *w)
{
	*w = (struct na_hang_wrapped){.message_rank = SIZE_MAX,
				      .time_rank = SIZE_MAX};
}

static void take_member(struct na_hang_wrapped *w, struct na_hang_member m,
			struct na_text value)
{
	if (!value.n)
		return;
	if (m.kind == NA_MEMBER_MESSAGE && m.rank < w->message_rank) {
		w->message = value;
		w->message_rank = m.rank;
	} else if (m.kind == NA_MEMBER_TIME && m.rank < w->time_rank) {
		w->time = value;
		w->time_rank = m.rank;
	} else if (m.kind == NA_MEMBER_WHO && w->n_who < NA_HANG_WHO) {
		w->who[w->n_who++] = value;
	}
}

static bool has_message(const struct na_hang_wrapped *w)
{
	return w->message_rank < SIZE_MAX;
}

/* The string behind the quote at *at; *at moves behind its end. */
static void string_at(struct na_text x, size_t *at, struct na_text *out)
{
	size_t i = *at + 1, start = i;

	while (i < x.n && x.s[i] != '"')
		i += x.s[i] == '\\' ? 2 : 1;
	i = i < x.n ? i : x.n;
	*out = na_text_n(x.s + start, i - start);
	*at = i < x.n ? i + 1 : i;
}

/* ---- JSON */

bool na_hang_next_object(struct na_text *rest, struct na_text *object)
{
	struct na_text x = *rest, skipped;
	size_t i = 0, depth = 0, start;

	while (i < x.n &&
	       (na_is_blank(x.s[i]) || x.s[i] == ',' || x.s[i] == '['))
		i++;
	start = i;
	if (i < x.n && x.s[i] == '"')
		i = x.n;
	else if (i == x.n || x.s[i] != '{')
		return false;
	while (i < x.n) {
		char c = x.s[i];

		if (c == '"') {
			string_at(x, &i, &skipped);
			continue;
		}
		i++;
		depth += c == '{';
		if (c == '}' && --depth == 0)
			break;
	}
	*object = na_text_n(x.s + start, i - start);
	*rest = na_text_from(x, i);
	return true;
}

/* What stands before x.s[i], but for blanks; 0 for nothing. */
static char before(struct na_text x, size_t *i)
{
	while (*i && na_is_blank(x.s[*i - 1]))
		--*i;
	return *i ? x.s[--*i] : '\0';
}

struct na_text na_hang_from_object(struct na_text x)
{
	for (size_t i = 0; i + 1 < x.n; i++) {
		size_t k = i;

		if (x.s[i] == '{' && x.s[i + 1] == '"' &&
		    before(x, &k) == ',' && before(x, &k) == '}')
			return na_text_from(x, i);
	}
	return x;
}

static size_t after_blanks(struct na_text x, size_t i)
{
	while (i < x.n && na_is_blank(x.s[i]))
		i++;
	return i;
}

/* Any "key": "value" counts, and times that are numbers. */
bool na_hang_unwrap(struct na_text x, struct na_hang_wrapped *w)
{
	struct na_text key, value;
	size_t i = 0;

	begin(w);
	while (i < x.n) {
		size_t start;

		if (x.s[i] != '"') {
			i++;
			continue;
		}
		string_at(x, &i, &key);
		i = after_blanks(x, i);
		if (i >= x.n || x.s[i] != ':')
			continue;
		start = i = after_blanks(x, i + 1);
		if (i < x.n && x.s[i] == '"') {
			string_at(x, &i, &value);
			take_member(w, member_of(key), value);
			continue;
		}
		while (i < x.n && (na_is_digit(x.s[i]) || x.s[i] == '.'))
			i++;
		if (member_of(key).kind == NA_MEMBER_TIME)
			take_member(w, member_of(key),
				    na_text_n(x.s + start, i - start));
	}
	return has_message(w);
}

bool na_hang_is_json(struct na_text x)
{
	size_t i = after_blanks(x, 0);
	struct na_text key;

	if (i < x.n && x.s[i] == '"') {
		string_at(x, &i, &key);
		i = after_blanks(x, i);
		return i < x.n && x.s[i] == ':';
	}
	if (i < x.n && x.s[i] == '{') {
		size_t k = after_blanks(x, i + 1);

		if (k < x.n && x.s[k] == '"')
			return true;
	}
	while (x.n > i && (na_is_blank(x.s[x.n - 1]) || x.s[x.n - 1] == ','))
		x.n--;
	return x.n == i + 1 && x.s[i] && strchr("{}[]", x.s[i]);
}

/* ---- logfmt */

/* "key=" at *at; *at moves behind it. */
static bool key_at(struct na_text x, size_t *at, struct na_text *key)
{
	size_t i = *at;

	while (i < x.n &&
	       (na_is_digit(x.s[i]) || x.s[i] == '_' || x.s[i] == '.' ||
		((x.s[i] | 0x20) >= 'a' && (x.s[i] | 0x20) <= 'z')))
		i++;
	*key = na_text_n(x.s + *at, i - *at);
	if (i == *at || i == x.n || x.s[i] != '=')
		return false;
	*at = i + 1;
	return true;
}

bool na_hang_logfmt(struct na_text x, struct na_hang_wrapped *w)
{
	struct na_text key, value;
	size_t i = 0, start;

	begin(w);
	while (key_at(x, &i, &key)) {
		struct na_hang_member m = member_of(key);
		bool quoted = i < x.n && x.s[i] == '"';

		start = i;
		if (quoted) {
			string_at(x, &i, &value);
		} else {
			while (i < x.n && !na_is_blank(x.s[i]))
				i++;
			value = na_text_n(x.s + start, i - start);
		}
		/* One word without quotes is no message of a hang. */
		if (quoted || m.kind != NA_MEMBER_MESSAGE)
			take_member(w, m, value);
		i = after_blanks(x, i);
	}
	return has_message(w);
}

/* ---- CSV */

/* "jsonPayload.message" is a message. */
static struct na_hang_member column_of(struct na_text name)
{
	struct na_hang_member m;
	size_t dot;

	name = na_hang_trim(name);
	m = member_of(name);
	dot = na_text_last(name, '.');
	return m.kind == NA_MEMBER_OTHER && dot != SIZE_MAX
		       ? member_of(na_text_from(name, dot + 1))
		       : m;
}

static bool is_delimiter(char c)
{
	return c == ',' || c == ';' || c == '\t';
}

/* Letters, digits and what joins them; "," in a sentence is followed by a
 * blank. */
bool na_hang_csv_head(struct na_text x, struct na_hang_csv *c)
{
	size_t n = 0, start = 0;
	bool message = false;
	char found = '\0';

	c->delimiter = '\0';
	for (size_t i = 0; i <= x.n && n < NA_HANG_COLUMNS; i++) {
		if (i < x.n && !is_delimiter(x.s[i])) {
			if (x.s[i] == ' ' || x.s[i] == ':' || x.s[i] == '{')
				return false;
			continue;
		}
		if (i < x.n && n && x.s[i] != found)
			return false;
		found = i < x.n ? x.s[i] : found;
		c->columns[n] = column_of(na_text_n(x.s + start, i - start));
		message |= c->columns[n++].kind == NA_MEMBER_MESSAGE;
		start = i + 1;
	}
	for (; n < NA_HANG_COLUMNS; n++)
		c->columns[n].kind = NA_MEMBER_OTHER;
	c->delimiter = message ? found : '\0';
	return c->delimiter;
}

bool na_hang_csv_quoted(const struct na_hang_csv *c, struct na_text x,
			bool quoted)
{
	bool begins = true; /* a field */

	for (size_t i = 0; i < x.n; i++) {
		if (x.s[i] == '"' && quoted && i + 1 < x.n && x.s[i + 1] == '"')
			i++;
		else if (x.s[i] == '"' && (quoted || begins))
			quoted = !quoted;
		begins = !quoted && x.s[i] == c->delimiter;
	}
	return quoted;
}

bool na_hang_csv_fields(const struct na_hang_csv *c, char *s, size_t n,
			struct na_hang_wrapped *w)
{
	size_t i = 0;

	begin(w);
	for (size_t k = 0; k < NA_HANG_COLUMNS && i < n; k++) {
		bool quoted = s[i] == '"';
		size_t start = i += quoted, to = start;

		for (; i < n && (quoted || s[i] != c->delimiter); i++) {
			bool quote = quoted && s[i] == '"';

			if (quote && i + 1 < n && s[i + 1] == '"')
				i++;
			else if (quote)
				quoted = false;
			else
				s[to++] = s[i];
			if (quote && quoted)
				s[to++] = '"';
		}
		take_member(w, c->columns[k], na_text_n(s + start, to - start));
		i++;
	}
	return has_message(w);
}

/* ---- values */

/* 10 digits are seconds, with a fraction or not, 13 ms, 16 us, 19 ns. */
static bool epoch(struct na_text x, struct na_hang_time *t)
{
	size_t whole = 0, n = 0;
	int64_t ns = 0;

	while (whole < x.n && na_is_digit(x.s[whole]))
		whole++;
	if (whole < 10 || whole > 19 || (whole - 10) % 3 || x.s[0] > '8')
		return false;
	for (size_t i = 0; n < 19; i++) {
		if (i == whole && i < x.n && x.s[i] == '.')
			continue;
		ns = ns * 10 +
		     (i < x.n && na_is_digit(x.s[i]) ? x.s[i] - '0' : 0);
		n++;
	}
	*t = (struct na_hang_time){.ns = ns, .known = true, .has_year = true};
	return true;
}

void na_hang_wrapped_time(const struct na_hang_wrapped *w,
			  struct na_hang_time *t)
{
	t->known = false;
	if (!na_hang_time_of(w->time, t))
		epoch(w->time, t);
}

/* False: these are no four digits. */
static bool hex4(struct na_text in, size_t at, uint32_t *rune)
{
	uint32_t v = 0;

	if (in.n - at < 4)
		return false;
	for (size_t i = at; i < at + 4; i++) {
		int digit = na_hex_digit(in.s[i]);

		if (digit < 0)
			return false;
		v = v * 16 + (uint32_t)digit;
	}
	/* Halves of pairs are not worth the trouble in a log. */
	*rune = v >= 0xd800 && v < 0xe000 ? NA_RUNE_BAD : v;
	return true;
}

size_t na_hang_unescape(struct na_text in, char *out)
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

/* What a terminal is told begins with ESC, or "^[" where that was made
 * visible: "ESC [ parameters letter", "ESC ] text" up to BEL or another ESC
 * (of "ESC \"), "ESC letter". */
static size_t sequence(const char *s, size_t n)
{
	size_t i = s[0] == '\033' ? 1 : 2;

	if (s[0] != '\033' &&
	    (n < 3 || s[0] != '^' || s[1] != '[' || s[2] != '['))
		return 0;
	if (i < n && s[i] == '[') {
		for (i++; i < n && s[i] >= 0x20 && s[i] < 0x40;)
			i++;
	} else if (i < n && s[i] == ']') {
		while (i < n && s[i] != '\a' && s[i] != '\033')
			i++;
		if (i < n && s[i] == '\033')
			return i;
	}
	return i < n ? i + 1 : n;
}

size_t na_hang_strip(char *s, size_t n)
{
	size_t i = n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, to = 0;

	while (i < n) {
		size_t skip = s[i] == '\r' ? 1 : sequence(s + i, n - i);

		if (!skip)
			s[to++] = s[i++];
		i += skip;
	}
	return to;
}

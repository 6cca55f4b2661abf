#include "netan/cli/commands/ledger_line.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ingest/logs/hang_wrapped.h"
#include "netan/base/text.h"
#include "netan/base/units.h"

/* "key": "value" of a flat object; else a number or null as it stands. */
static bool read_member(struct na_text x, size_t *at, struct na_text *key,
			struct na_text *value, bool *quoted)
{
	size_t i = *at, start;

	if (i >= x.n || x.s[i] != '"')
		return false;
	for (start = ++i; i < x.n && x.s[i] != '"'; i++)
		i += x.s[i] == '\\';
	if (i + 1 >= x.n || x.s[i + 1] != ':')
		return false;
	*key = na_text_n(x.s + start, i - start);
	i += 2;
	*quoted = i < x.n && x.s[i] == '"';
	if (*quoted) {
		for (start = ++i; i < x.n && x.s[i] != '"'; i++)
			i += x.s[i] == '\\';
		if (i >= x.n)
			return false;
		*value = na_text_n(x.s + start, i - start);
		i++;
	} else {
		for (start = i; i < x.n && x.s[i] != ',' && x.s[i] != '}'; i++)
			;
		if (i == start)
			return false;
		*value = na_text_n(x.s + start, i - start);
	}
	*at = i;
	return i < x.n;
}

static bool same(struct na_text x, const char *word)
{
	return x.n == strlen(word) && memcmp(x.s, word, x.n) == 0;
}

static void take_member(struct na_ledger_entry *e, struct na_text key,
			struct na_text value, bool quoted)
{
	static const char *const names[NA_LEDGER_FIELDS] = {"when",  "run",
							    "by",    "host",
							    "cause", "lines"};

	for (int f = 0; f < NA_LEDGER_FIELDS; f++) {
		size_t n;

		if (!same(key, names[f]) || quoted == (f == NA_LEDGER_LINES) ||
		    value.n >= sizeof(e->text[f]))
			continue;
		n = na_hang_unescape(value, e->text[f]);
		e->text[f][n] = '\0';
		e->has[f] = true;
	}
}

bool na_ledger_parse(struct na_text x, struct na_ledger_entry *e)
{
	struct na_text key, value;
	size_t i = 1;
	bool quoted;
	int64_t ns;

	memset(e->has, 0, sizeof(e->has));
	while (x.n && (x.s[x.n - 1] == ' ' || x.s[x.n - 1] == '\r'))
		x.n--;
	if (x.n < 2 || x.s[0] != '{' || x.s[x.n - 1] != '}')
		return false;
	while (read_member(x, &i, &key, &value, &quoted)) {
		take_member(e, key, value, quoted);
		if (x.s[i] == '}')
			return i + 1 == x.n && e->has[NA_LEDGER_RUN] &&
			       e->has[NA_LEDGER_WHEN] && e->has[NA_LEDGER_BY] &&
			       e->text[NA_LEDGER_RUN][0] &&
			       na_parse_utc(e->text[NA_LEDGER_WHEN], &ns);
		if (x.s[i++] != ',')
			return false;
		while (i < x.n && x.s[i] == ' ')
			i++;
	}
	return false;
}

static void put_string(FILE *out, const char *name, const char *s)
{
	fprintf(out, "\"%s\":", name);
	if (!s) {
		fputs("null,", out);
		return;
	}
	fputc('"', out);
	na_escape_to(NA_ESC_JSON, s, out);
	fputs("\",", out);
}

static void put_real(FILE *out, const char *name, double v)
{
	char buf[NA_UNIT_BUF];

	fprintf(out, "\"%s\":%s,", name,
		isfinite(v) ? na_print_double(buf, v) : "null");
}

static size_t lines_of(const struct na_ledger_run *run)
{
	return run->n ? run->n : 1;
}

void na_ledger_put(FILE *out, const struct na_ledger_run *run, const char *when,
		   const struct na_suspect *s)
{
	fputc('{', out);
	put_string(out, "when", when);
	put_string(out, "run", run->id);
	put_string(out, "by", run->by);
	put_string(out, "host", s ? s->host : NULL);
	put_string(out, "peer", s ? s->peer : NULL);
	put_string(out, "kind", s ? s->kind : NULL);
	put_string(out, "cause", s ? s->cause : NULL);
	fprintf(out, "\"events\":%" PRIu64 ",", s ? s->events : 0);
	put_real(out, "excess", s ? s->excess : NAN);
	put_real(out, M_p_value, s ? s->p_value : NAN);
	fprintf(out, "\"lines\":%zu,\"netan\":\"%s\"}\n", lines_of(run),
		NETAN_VERSION);
}

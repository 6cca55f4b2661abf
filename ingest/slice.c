#include "ingest/slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/input.h"
#include "netan/base/units.h"

const char na_slice_said[] = "cut by netan slice";
static const char packets_alone[] = "--no-connections";
static const char damaged[] = "(damaged)";
static const char other_hosts[] = "(without other hosts)";
static const char other_packets[] = "(without other packets)";
static const char no_programs[] = "(without HLO modules)";
enum { VALUE_BYTES = 64, SAID_BYTES = 1024 };

static void option(struct na_str *to, const char *name, const char *value)
{
	if (value)
		na_str_addf(to, "%s%s %s", to->n ? " " : "", name, value);
}

void na_slice_print_window(struct na_str *to, const struct na_slice_mark *m)
{
	struct na_str options = {.s = NULL};

	option(&options, "--from", m->from);
	option(&options, "--to", m->to);
	option(&options, "--step", m->step);
	if (options.n)
		na_str_addf(to, "%s", options.s);
	to->failed |= options.failed;
	free(options.s);
}

void na_slice_mark_print(struct na_str *to, const struct na_slice_mark *m)
{
	na_str_addf(to, "%s", na_slice_said);
	if (m->from || m->to || m->step)
		na_str_addf(to, " ");
	na_slice_print_window(to, m);
	if (m->packets_alone)
		na_str_addf(to, " %s", packets_alone);
	if (m->other_hosts)
		na_str_addf(to, " %s", other_hosts);
	if (m->other_packets)
		na_str_addf(to, " %s", other_packets);
	if (m->no_programs)
		na_str_addf(to, " %s", no_programs);
	if (m->damaged)
		na_str_addf(to, " %s", damaged);
	option(to, "of", m->of);
}

static struct na_text word_of(struct na_text *text)
{
	struct na_text word = *text;
	size_t n = 0;

	while (n < text->n && text->s[n] != ' ')
		n++;
	word.n = n;
	*text = na_text_from(*text, n + (n < text->n));
	return word;
}

bool na_slice_parse_steps(const char *s, int64_t *first, int64_t *last)
{
	char *end;

	errno = 0;
	*first = *last = strtoll(s, &end, 10);
	if (end != s && *end == '-' && end[1])
		*last = strtoll(end + 1, &end, 10);
	return end != s && !*end && !errno && *first >= 0 && *last >= *first;
}

static bool is_time(const char *s)
{
	int64_t x;

	return na_parse_time(s, &x) || na_parse_utc(s, &x);
}

static bool is_steps(const char *s)
{
	int64_t first, last;

	return na_slice_parse_steps(s, &first, &last);
}

static bool take(const char **to, struct na_text value, struct na_arena *a,
		 bool (*good)(const char *s))
{
	const char *s;

	if (!value.n || value.n > VALUE_BYTES)
		return true;
	s = na_arena_strn(a, value.s, value.n);
	if (s && good(s))
		*to = s;
	return s;
}

bool na_slice_mark_read(struct na_slice_mark *m, const char *said,
			struct na_arena *a)
{
	struct na_text text = na_text_n(said, strlen(said));
	bool ok = true;

	*m = (struct na_slice_mark){.from = NULL};
	if (na_text_past(&text, na_slice_said) && text.n)
		text = na_text_from(text, 1);
	while (ok && text.n) {
		struct na_text name;

		m->other_hosts |= na_text_past(&text, other_hosts);
		m->other_packets |= na_text_past(&text, other_packets);
		m->no_programs |= na_text_past(&text, no_programs);
		name = word_of(&text);
		if (na_text_is(name, "of")) {
			m->of = na_arena_strn(a, text.s, text.n);
			return m->of;
		}
		if (na_text_is(name, "--from"))
			ok = take(&m->from, word_of(&text), a, is_time);
		else if (na_text_is(name, "--to"))
			ok = take(&m->to, word_of(&text), a, is_time);
		else if (na_text_is(name, "--step"))
			ok = take(&m->step, word_of(&text), a, is_steps);
		m->packets_alone |= na_text_is(name, packets_alone);
		m->damaged |= na_text_is(name, damaged);
	}
	return ok;
}

bool na_slice_take_mark(struct na_input *in, struct na_text said)
{
	struct na_slice_mark m;

	if (!na_text_begins(said, na_slice_said) || memchr(said.s, 0, said.n))
		return true;
	said.n = said.n < SAID_BYTES ? said.n : SAID_BYTES;
	in->cut = na_arena_strn(&in->arena, said.s, said.n);
	if (!in->cut || !na_slice_mark_read(&m, in->cut, &in->arena))
		return false;
	in->damaged |= m.damaged;
	if (m.damaged)
		na_input_warn(in, "the file that it was cut from is damaged: "
				  "what was lost there is missing here");
	return true;
}

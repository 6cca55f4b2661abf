/* Inputs that are left out because of the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/recorder/recorder.h"
#include "netan/base/order.h"
#include "netan/base/similar.h"
#include "netan/engine/session/session.h"

/* Its row says why. */
static bool note_left(struct na_session *s, size_t i, const char *why)
{
	char text[512], *copy;

	if (!na_grow(&s->refused, &s->cap_refused, s->n_refused + 1,
		     sizeof(*s->refused)))
		return false;
	snprintf(text, sizeof(text), "left out: it %s", why);
	copy = strdup(text);
	if (copy)
		s->refused[s->n_refused++] =
			(struct na_refused){s->inputs[i].path,
					    s->sources[i].label, copy,
					    s->inputs[i].format};
	return copy;
}

void na_session_leave(struct na_session *s, const bool *gone, const char *why)
{
	const char *first = NULL;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		struct na_input *in = &s->inputs[i];

		if (gone[i]) {
			first = n++ ? first : in->path;
			(void)note_left(s, i, why);
			na_input_close(in);
			continue;
		}
		if (kept != i) {
			s->inputs[kept] = *in;
			s->sources[kept] = s->sources[i];
			s->owners[kept] = s->owners[i];
			in = &s->inputs[kept];
			if (!in->warnings)
				in->warnings_end = &in->warnings;
		}
		kept++;
	}
	s->n_inputs = kept;
	if (n == 1)
		na_say_warning(s->request, "%s is left out: it %s", first, why);
	else if (n)
		na_say_warning(s->request,
			       "%zu files are left out (the first is %s), each "
			       "of which %s",
			       n, first, why);
}

size_t na_session_unread(const struct na_session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_refused; i++)
		n += !s->refused[i].format;
	return n;
}

bool na_session_say_empty(const struct na_session *s, const char *nothing)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->inputs[i].size || s->inputs[i].file_bytes)
			return false;
	}
	na_say_error(s->request, "%s: %s empty (0 bytes)", nothing,
		     s->n_inputs == 1 ? "the input is"
				      : "all inputs are");
	return true;
}

struct dump {
	uint32_t run;
	int32_t rank;
	size_t input;
};

NA_ORDER(by_rank, struct dump, NA_UP(run), NA_UP(rank), NA_UP(input))

static size_t gather(const struct na_session *s, struct dump *to)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		if (na_recorder_is_input(&s->inputs[i]))
			to[n++] = (struct dump){s->sources[i].run,
						s->inputs[i].rank, i};
	}
	na_sort(to, n, by_rank);
	return n;
}

enum na_status na_session_once(struct na_session *s, struct na_err *err)
{
	struct dump *v = na_calloc(s->n_inputs, sizeof(*v));
	bool *gone = na_calloc(s->n_inputs, sizeof(*gone));
	size_t n = v && gone ? gather(s, v) : 0, best = 0;

	if (!v || !gone)
		na_fail_nomem(err);
	for (size_t i = 1; i < n; i++) {
		const struct na_input *a = &s->inputs[v[best].input];
		const struct na_input *b = &s->inputs[v[i].input];

		if (v[i].run != v[best].run || v[i].rank != v[best].rank) {
			best = i;
			continue;
		}
		if (strcmp(a->path, b->path) == 0 || !na_recorder_same(a, b))
			continue;
		if (na_recorder_more(b, a)) {
			gone[v[best].input] = true;
			best = i;
		} else {
			gone[v[i].input] = true;
		}
	}
	if (n)
		na_session_leave(s, gone,
				 "is a dump of a rank that another dump of "
				 "the same recorder tells as much of, or more");
	free(v);
	free(gone);
	return err->status;
}

#include "netan/engine/mpi/facts.h"

#include <string.h>

#include "ingest/recorder/recorder.h"

/* Who adds a member looks whether facts.def needs it. */
_Static_assert(sizeof(struct na_input) == 464 || sizeof(void *) != 8,
	       "facts.def holds what others know of an input");

/* ---- values */

void na_tell_number(struct na_xf_bytes *to, int64_t v)
{
	na_xf_put_varint(to, na_xf_zigzag(v));
}

void na_tell_run(struct na_xf_bytes *to, const void *p, size_t n)
{
	na_xf_put_varint(to, n);
	na_xf_put(to, p, n);
}

void na_tell_words(struct na_xf_bytes *to, const char *s)
{
	na_xf_put_varint(to, s != NULL);
	if (s)
		na_tell_run(to, s, strlen(s));
}

bool na_hear_number(struct na_cursor *c, int64_t *v)
{
	uint64_t x;

	if (!na_varint(c, &x))
		return false;
	*v = na_xf_unzigzag(x);
	return true;
}

bool na_hear_index(struct na_cursor *c, uint64_t limit, size_t *v)
{
	uint64_t x;

	if (!na_varint(c, &x) || x >= limit)
		return false;
	*v = (size_t)x;
	return true;
}

bool na_hear_count(struct na_cursor *c, size_t size, size_t *n)
{
	uint64_t x;

	if (!na_varint(c, &x) || x > na_left(c) / size)
		return false;
	*n = (size_t)x;
	return true;
}

bool na_hear_run(struct na_cursor *c, struct na_text *run)
{
	struct na_cursor x;
	uint64_t n;

	if (!na_varint(c, &n) || !na_sub(c, n, &x))
		return false;
	*run = na_text_under(&x);
	return true;
}

bool na_hear_words(struct na_cursor *c, struct na_arena *a, const char **s)
{
	struct na_text x;
	size_t there;

	*s = NULL;
	if (!na_hear_index(c, 2, &there))
		return false;
	if (!there)
		return true;
	if (!na_hear_run(c, &x))
		return false;
	*s = na_arena_strn(a, x.s, x.n);
	return *s;
}

/* ---- inputs */

bool na_facts_suffice(const struct na_input *in)
{
	return !in->reader->packets && !in->capture && !in->n_comm_ranks &&
	       !na_recorder_is_input(in) && strcmp(in->path, "-") != 0;
}

static void put_sections(struct na_xf_bytes *to, const struct na_input *in)
{
	na_xf_put_varint(to, in->n_sections);
	for (size_t i = 0; i < in->n_sections; i++) {
		const struct na_section *x = &in->sections[i];

		na_tell_words(to, x->name);
		na_xf_put_varint(to, x->lines);
		na_xf_put_varint(to, x->events);
		na_xf_put_varint(to, x->n_parts);
		for (size_t k = 0; k < x->n_parts; k++) {
			na_tell_words(to, x->parts[k].name);
			na_xf_put_varint(to, x->parts[k].events);
			na_xf_put_varint(to, x->parts[k].wants);
		}
	}
}

static bool get_parts(struct na_cursor *c, struct na_arena *a,
		      struct na_section *x)
{
	if (!na_hear_count(c, 3, &x->n_parts))
		return false;
	x->parts = na_arena_alloc(a, (x->n_parts + 1) * sizeof(*x->parts));
	for (size_t k = 0; x->parts && k < x->n_parts; k++) {
		size_t wants;

		if (!na_hear_words(c, a, &x->parts[k].name) ||
		    !na_varint(c, &x->parts[k].events) ||
		    !na_hear_index(c, UINT64_C(1) << 32, &wants))
			return false;
		x->parts[k].wants = (uint32_t)wants;
	}
	return x->parts;
}

static bool get_sections(struct na_cursor *c, struct na_input *in)
{
	size_t n;

	if (!na_hear_count(c, 4, &n))
		return false;
	in->sections = na_arena_alloc(&in->arena,
				      (n + 1) * sizeof(*in->sections));
	for (size_t i = 0; in->sections && i < n; i++) {
		struct na_section *x = &in->sections[i];

		if (!na_hear_words(c, &in->arena, &x->name) || !x->name ||
		    !na_varint(c, &x->lines) || !na_varint(c, &x->events) ||
		    !get_parts(c, &in->arena, x))
			return false;
	}
	in->n_sections = in->sections ? n : 0;
	return in->sections;
}

static void put_warnings(struct na_xf_bytes *to, const struct na_input *in)
{
	size_t n = 0;

	for (const struct na_warning *w = in->warnings; w; w = w->next)
		n++;
	na_xf_put_varint(to, in->n_warnings);
	na_xf_put_varint(to, n);
	for (const struct na_warning *w = in->warnings; w; w = w->next)
		na_tell_words(to, w->text);
}

static bool get_warnings(struct na_cursor *c, struct na_input *in)
{
	uint64_t all;
	size_t n;

	if (!na_varint(c, &all) || !na_hear_count(c, 1, &n))
		return false;
	in->warnings = NULL;
	in->warnings_end = &in->warnings;
	in->n_warnings = (size_t)all;
	while (n--) {
		struct na_warning *w = na_arena_alloc(&in->arena, sizeof(*w));

		if (!w || !na_hear_words(c, &in->arena, &w->text) || !w->text)
			return false;
		*in->warnings_end = w;
		in->warnings_end = &w->next;
	}
	return true;
}

/* The readers' names are those of readers.def; a reader may make of its
 * format another one (`format` is what it was). */
static const struct na_reader *reader_called(const char *name)
{
	for (size_t i = 0; name && na_readers[i]; i++) {
		if (strcmp(na_readers[i]->name, name) == 0)
			return na_readers[i];
	}
	return NULL;
}

void na_facts_put(struct na_xf_bytes *to, const struct na_input *in)
{
	/* Of a stand-in what its trace would tell. */
	na_tell_words(to, in->stands_in ? in->format : in->reader->name);
#define TEXT(member)   na_tell_words(to, in->member);
#define NUMBER(member) na_tell_number(to, (int64_t)in->member);
#include "netan/engine/mpi/facts.def"
	put_sections(to, in);
	put_warnings(to, in);
}

void na_facts_put_settled(struct na_xf_bytes *to, const struct na_input *in)
{
	struct na_input x = *in;

	x.events = 0;
	x.lines_skipped = 0;
	x.damaged = x.slim_programs = false;
	x.sha256 = x.packed = NULL;
	x.n_sections = x.n_warnings = 0;
	x.warnings = NULL;
	na_facts_put(to, &x);
}

bool na_facts_agree(const void *a, size_t n, const void *b, size_t m)
{
	const size_t end = NA_FACTS_MARK + NA_FACTS_MARK_BYTES;

	return n >= end && m >= end && memcmp(a, b, end) == 0;
}

#define FITS(to, v) \
	__extension__({ \
		(to) = (__typeof__(to))(v); \
		(int64_t)(to) == (v); \
	})

bool na_facts_get(struct na_cursor *c, struct na_input *in)
{
	const char *text = NULL;
	bool ok = na_hear_words(c, &in->arena, &text);
	int64_t v;

	in->away = true;
	in->reader = reader_called(text);
	ok = ok && in->reader;
#define TEXT(member)   ok = ok && na_hear_words(c, &in->arena, &in->member);
#define NUMBER(member) ok = ok && na_hear_number(c, &v) && FITS(in->member, v);
#include "netan/engine/mpi/facts.def"
	return ok && in->format && in->told <= NA_TOLD_RECORDER &&
	       get_sections(c, in) && get_warnings(c, in);
}

/* What reading counts; the session has settled the rest. */
bool na_facts_reread(struct na_cursor *c, struct na_input *in)
{
	struct na_input x = {.path = in->path, .arena = in->arena};
	bool ok = na_facts_get(c, &x);

	in->arena = x.arena;
	if (!ok)
		return false;
	in->events = x.events;
	in->lines_skipped = x.lines_skipped;
	in->damaged = x.damaged;
	in->slim_programs = x.slim_programs;
	in->sha256 = x.sha256;
	in->sections = x.sections;
	in->n_sections = x.n_sections;
	in->warnings = x.warnings;
	in->warnings_end = x.warnings ? x.warnings_end : &in->warnings;
	in->n_warnings = x.n_warnings;
	return true;
}

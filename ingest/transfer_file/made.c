/* How a transfer file was made. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/transfer_file/read.h"
#include "ingest/transfer_file/write.h"

/* The same file, whatever way its path is written. */
static bool same_path(struct na_text is, const char *path)
{
	char spelt[4096];
	struct stat a, b;

	if (na_text_is(is, path))
		return true;
	if (is.n >= sizeof(spelt))
		return false;
	memcpy(spelt, is.s, is.n);
	spelt[is.n] = 0;
	return stat(spelt, &a) == 0 && stat(path, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A label as it would be written. */
static bool same_label(struct na_text is, const char *want,
		       struct na_pseudonyms *p)
{
	char *shown = p && want ? na_pseudonyms_replace(p, want) : NULL;
	bool same = na_text_is(is, shown ? shown : want ? want : "");

	free(shown);
	return same;
}

static bool same_source(const struct na_xf_source *is,
			const struct na_xfer_source *want,
			struct na_pseudonyms *p)
{
	return is->file_bytes == want->file_bytes &&
	       same_label(is->label, want->label, p) &&
	       same_path(is->path, want->path);
}

static bool is_among(struct na_text path, const struct na_xfer_head *head)
{
	const char *last = NULL;

	for (size_t i = 0; i < head->n_sources; i++) {
		const char *p = head->sources[i].path;

		/* One file may hold thousands of sources. */
		if (last && strcmp(p, last) == 0)
			continue;
		if (same_path(path, p))
			return true;
		last = p;
	}
	return false;
}

/* Of whose paths it is; those of an anonymous file are numbers of one call, and
 * what it was made with stands for its traces, too. */
static void find_paths(const struct na_xf_file *x,
		       const struct na_xfer_head *head, struct na_xfer_made *to)
{
	if (x->anonymized) {
		to->of_these = head->pseudonyms && x->asked == head->asked;
		to->of_others = !to->of_these;
		return;
	}
	for (size_t i = 0; i < x->sources.n; i++) {
		struct na_text path = x->sources.v[i].path;

		if (i && na_text_same(path, x->sources.v[i - 1].path))
			continue;
		if (is_among(path, head))
			to->of_these = true;
		else
			to->of_others = true;
	}
}

static bool checksums_good(const struct na_xf_file *x)
{
	bool good = true;

	for (size_t i = 0; good && i < x->blocks.n; i++)
		good = na_xf_crc_good(&x->blocks.v[i]);
	return good;
}

static void compare(const struct na_xf_file *x, const struct na_xfer_head *head,
		    struct na_xfer_made *to)
{
	bool same = !x->broken && x->anonymized == (head->pseudonyms != NULL) &&
		    x->asked == head->asked &&
		    na_text_is(x->program, XF_PROGRAM) &&
		    x->sources.n == head->n_sources;

	to->alone = true;
	for (size_t i = 0; same && i < x->sources.n; i++) {
		const struct na_xf_source *s = &x->sources.v[i];

		same = same_source(s, &head->sources[i], head->pseudonyms);
		to->alone &= !s->ranks && !na_xf_is_capture(s);
	}
	/* Last, for it reads all of the file. */
	to->same = same && checksums_good(x);
}

/* NULL: it is none, whole enough to have a header. */
static const struct na_xf_file *file_of(const struct na_input *in)
{
	const struct na_xf_input *x = in->state;

	return in->reader == &na_reader_netan && !in->packed ? x->file : NULL;
}

struct na_xfer_made na_xfer_made_in(const struct na_input *in,
				    const struct na_xfer_head *head)
{
	struct na_xfer_made made = {.same = false};
	const struct na_xf_file *x = file_of(in);

	if (x) {
		find_paths(x, head, &made);
		compare(x, head, &made);
	}
	made.damaged = in->damaged || !x;
	return made;
}

struct na_xfer_made na_xfer_made_of(const char *path,
				    const struct na_xfer_head *head)
{
	struct na_xfer_made made = {.same = false};
	struct na_err err = {.status = NA_OK};
	struct na_input in;

	made.damaged = na_input_open(&in, path, 0, NULL, &err) == NA_EFORMAT;
	if (err.status != NA_OK)
		return made;
	made = na_xfer_made_in(&in, head);
	na_input_close(&in);
	return made;
}

/* Who reads files of ranks looks at all lines, whatever is wanted. */
static void count_all(struct na_input *in)
{
	for (size_t i = 0; i < in->n_sections; i++) {
		struct na_section *x = &in->sections[i];

		for (size_t k = 0; k < x->n_parts; k++) {
			if (in->wants & (NA_WANT_COUNTS | x->parts[k].wants))
				continue;
			x->events += x->parts[k].events;
			in->events += x->parts[k].events;
		}
	}
	in->lines_skipped = 0;
}

bool na_xfer_stand_in(struct na_input *in, const char *path)
{
	const struct na_xf_file *x = file_of(in);
	const struct na_xf_source *s;

	if (!x || x->sources.n != 1)
		return false;
	s = &x->sources.v[0];
	if (in->ranks)
		count_all(in);
	in->stands_in = true;
	in->n_sources = 0; /* of one, as readers of traces leave it */
	in->path = path;
	in->format = na_arena_strn(&in->arena, s->format.s, s->format.n);
	in->file_bytes = s->file_bytes;
	in->content_bytes = s->content_bytes;
	in->content_hash = s->content_hash;
	return in->format;
}

void na_xfer_each_path(const char *path,
		       bool (*see)(void *ctx, const char *from), void *ctx)
{
	struct na_err err = {.status = NA_OK};
	const struct na_xf_file *x;
	struct na_input in;
	bool more;

	if (na_input_open(&in, path, 0, NULL, &err) != NA_OK)
		return;
	x = file_of(&in);
	more = x && !x->anonymized;
	for (size_t i = 0; more && i < x->sources.n; i++) {
		struct na_text is = x->sources.v[i].path;
		char *from;

		if (!is.n || (i && na_text_same(is, x->sources.v[i - 1].path)))
			continue;
		from = strndup(is.s, is.n);
		more = from && see(ctx, from);
		free(from);
	}
	na_input_close(&in);
}

static bool keep_first(void *ctx, const char *from)
{
	char **first = ctx;

	*first = strdup(from);
	return false;
}

char *na_xfer_made_from(const char *path)
{
	char *first = NULL;

	na_xfer_each_path(path, keep_first, &first);
	return first;
}

/* How a transfer file was made. */
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

static bool same_source(const struct na_xf_source *is,
			const struct na_xfer_source *want)
{
	return is->file_bytes == want->file_bytes &&
	       same_path(is->path, want->path);
}

static void compare(const struct na_xf_file *x, const struct na_xfer_head *head,
		    struct na_xfer_made *to)
{
	bool same = !x->broken && x->anonymized == head->anonymize &&
		    x->asked == head->asked &&
		    na_text_is(x->program, XF_PROGRAM) &&
		    x->sources.n == head->n_sources;

	to->alone = true;
	for (size_t i = 0; same && i < x->sources.n; i++) {
		const struct na_xf_source *s = &x->sources.v[i];

		same = same_source(s, &head->sources[i]);
		to->alone &= !s->ranks && !na_xf_is_capture(s);
	}
	to->same = same;
}

struct na_xfer_made na_xfer_made_of(const char *path,
				    const struct na_xfer_head *head)
{
	struct na_xfer_made made = {.same = false};
	struct na_err err = {.status = NA_OK};
	const struct na_xf_input *x;
	struct na_input in;

	if (na_input_open(&in, path, 0, NULL, &err) != NA_OK)
		return made;
	x = in.state;
	if (in.reader == &na_reader_netan && !in.packed)
		compare(x->file, head, &made);
	made.damaged = in.damaged;
	na_input_close(&in);
	return made;
}

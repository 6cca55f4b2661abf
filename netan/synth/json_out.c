#include "netan/synth/json_out.h"

#include <inttypes.h>
#include <stdlib.h>

#include "netan/base/text.h"
#include "netan/synth/out_file.h"
#include "netan/synth/synth.h"

enum na_status na_json_save(struct na_json *j,
			    void (*put)(struct na_json *j, const void *what),
			    const void *what, const char *path, uint64_t *bytes,
			    struct na_err *err)
{
	struct na_out_file *f;
	char *text = NULL;
	uint64_t whole;
	size_t n = 0;
	enum na_status st;

	*bytes = 0;
	j->out = open_memstream(&text, &n);
	if (!j->out)
		return na_fail_nomem(err);
	put(j, what);
	if (fclose(j->out)) {
		free(text);
		return na_fail_nomem(err);
	}
	st = na_out_open(&f, path, NA_PACK_NONE, err);
	if (!st) {
		st = na_out_write(f, text, n, err);
		if (st)
			na_out_abandon(f);
		else
			st = na_out_finish(f, -1, -1, bytes, &whole, err);
	}
	free(text);
	return st;
}

void na_json_key(struct na_json *j, const char *name)
{
	fprintf(j->out, "%s", j->inside ? ", " : "");
	if (name)
		fprintf(j->out, "\"%s\": ", name);
	j->inside = true;
}

void na_json_open(struct na_json *j, const char *name, char bracket)
{
	na_json_key(j, name);
	fputc(bracket, j->out);
	j->inside = false;
}

void na_json_close(struct na_json *j, char bracket)
{
	fputc(bracket, j->out);
	j->inside = true;
}

/* The next member starts a line of its own, indented by depth. */
void na_json_line(struct na_json *j, int depth)
{
	fprintf(j->out, "%s\n%*s", j->inside ? "," : "", depth, "");
	j->inside = false;
}

void na_json_int(struct na_json *j, const char *name, int64_t v)
{
	na_json_key(j, name);
	fprintf(j->out, "%" PRId64, v);
}

void na_json_uint(struct na_json *j, const char *name, uint64_t v)
{
	na_json_key(j, name);
	fprintf(j->out, "%" PRIu64, v);
}

void na_json_text(struct na_json *j, const char *name, const char *s)
{
	na_json_key(j, name);
	fputc('"', j->out);
	na_escape_to(NA_ESC_JSON, s, j->out);
	fputc('"', j->out);
}

void na_json_bool(struct na_json *j, const char *name, bool v)
{
	na_json_key(j, name);
	fputs(v ? "true" : "false", j->out);
}

void na_json_when(struct na_json *j, const char *name, bool known, int64_t ps)
{
	if (known) {
		na_json_int(j, name, ps - j->origin_ps);
	} else {
		na_json_key(j, name);
		fputs("null", j->out);
	}
}

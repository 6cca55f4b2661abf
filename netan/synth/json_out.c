#include "netan/synth/json_out.h"

#include <inttypes.h>
#include <stdlib.h>

#include "netan/base/text.h"
#include "netan/synth/out_file.h"

enum na_status na_json_begin(struct na_json *j, int64_t origin_ps,
			     struct na_err *err)
{
	*j = (struct na_json){.origin_ps = origin_ps};
	j->out = open_memstream(&j->text, &j->n);
	return j->out ? NA_OK : na_fail_nomem(err);
}

enum na_status na_json_save(struct na_json *j, const char *path,
			    uint64_t *bytes, struct na_err *err)
{
	enum na_status st;

	fputc('\n', j->out);
	st = fclose(j->out) ? na_fail_nomem(err)
			    : na_out_save(path, j->text, j->n, bytes, err);
	free(j->text);
	return st;
}

static void put_key(struct na_json *j, const char *name)
{
	fprintf(j->out, "%s", j->inside ? ", " : "");
	if (name)
		fprintf(j->out, "\"%s\": ", name);
	j->inside = true;
}

void na_json_open(struct na_json *j, const char *name, char bracket)
{
	put_key(j, name);
	fputc(bracket, j->out);
	j->inside = false;
}

void na_json_close(struct na_json *j, char bracket)
{
	fputc(bracket, j->out);
	j->inside = true;
}

void na_json_line(struct na_json *j, int depth)
{
	fprintf(j->out, "%s\n%*s", j->inside ? "," : "", depth, "");
	j->inside = false;
}

void na_json_item(struct na_json *j, int depth)
{
	na_json_line(j, depth);
	na_json_open(j, NULL, '{');
}

void na_json_int(struct na_json *j, const char *name, int64_t v)
{
	put_key(j, name);
	fprintf(j->out, "%" PRId64, v);
}

void na_json_uint(struct na_json *j, const char *name, uint64_t v)
{
	put_key(j, name);
	fprintf(j->out, "%" PRIu64, v);
}

void na_json_text(struct na_json *j, const char *name, const char *s)
{
	put_key(j, name);
	fputc('"', j->out);
	na_escape_to(NA_ESC_JSON, s, j->out);
	fputc('"', j->out);
}

void na_json_bool(struct na_json *j, const char *name, bool v)
{
	put_key(j, name);
	fputs(v ? "true" : "false", j->out);
}

void na_json_when(struct na_json *j, const char *name, bool known, int64_t ps)
{
	if (known) {
		na_json_int(j, name, ps - j->origin_ps);
	} else {
		put_key(j, name);
		fputs("null", j->out);
	}
}

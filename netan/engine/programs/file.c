#include "netan/engine/programs/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/bytes/file_kind.h"
#include "ingest/bytes/monotone.h"
#include "ingest/hlo/hlo.h"
#include "ingest/input.h"
#include "netan/base/memory/temporary.h"

static const char *path_of(const struct na_hlo_piece *p)
{
	return p->copy ? p->copy_path : p->file->path;
}

/* What speaks of the copy of standard input speaks of that. */
static void tell_piece(struct na_hlo_piece *p, const char *text, bool damaged,
		       bool partial)
{
	struct na_hlo_told *x = na_arena_alloc(&p->arena, sizeof(*x));
	size_t n = strlen(p->copy_path);
	char line[1200];

	if (p->copy && strncmp(text, p->copy_path, n) == 0) {
		snprintf(line, sizeof(line), "standard input%s", text + n);
		text = line;
	}
	if (x)
		x->text = na_arena_strn(&p->arena, text, strlen(text));
	if (!x || !x->text) {
		na_fail_nomem(&p->err);
		return;
	}
	x->damaged = damaged;
	x->partial = partial;
	if (p->last_told)
		p->last_told->next = x;
	else
		p->told = x;
	p->last_told = x;
}

static void warn_dump(void *ctx, const char *text)
{
	tell_piece(ctx, text, true, false);
}

static uint8_t target_of(const struct na_input *in)
{
	if (in->has_tpus == in->has_gpus)
		return NA_HLO_ANYWHERE;
	return in->has_gpus ? NA_HLO_GPU : NA_HLO_TPU;
}

static void read_trace(struct na_hlo_piece *p, struct na_input *in)
{
	enum na_status st;
	char text[900];

	p->trace = true;
	p->format = in->format;
	p->host_kept = in->host_kept;
	if (in->host && *in->host) {
		p->host = na_arena_strn(&p->arena, in->host, strlen(in->host));
		if (!p->host)
			na_fail_nomem(&p->err);
	}
	st = na_input_programs(in, NA_UNKNOWN_U32, &p->hlo, &p->err);
	for (size_t i = 0; i < p->hlo.n_modules; i++)
		p->hlo.modules[i].target = target_of(in);
	for (const struct na_warning *w = in->warnings; w; w = w->next) {
		snprintf(text, sizeof(text), "%s: %s", path_of(p), w->text);
		tell_piece(p, text, true, true);
	}
	if (st != NA_OK || p->hlo.n_modules)
		return;
	p->no_dump = true;
	if (!in->size)
		return; /* an empty file, as was said */
	snprintf(text, sizeof(text),
		 "%s: a trace without HLO modules: " NA_HLO_LOOKED_FOR,
		 path_of(p));
	tell_piece(p, text, false, false);
	if (p->last_told)
		p->last_told->bare = true;
}

/* `why`: it is no trace either, or NULL. */
static void read_dump(struct na_hlo_piece *p, const char *why)
{
	const char *path = path_of(p);
	struct na_err inner = {.status = NA_OK};
	size_t n = 0, at = strlen(path);
	enum na_status st;
	char text[1100];

	p->format = "hlo";
	st = na_hlo_read_path(&p->hlo, path, p->file->name, warn_dump, p, &n,
			      &inner);
	if (st == NA_ENOMEM)
		na_fail_nomem(&p->err);
	if (st == NA_ENOMEM || st == NA_OK)
		return;
	p->no_dump |= st == NA_EDOMAIN;
	if (st == NA_EDOMAIN && p->file->listed) {
		p->passed_over = true;
		return;
	}
	if (st == NA_EDOMAIN && why && strncmp(why, path, at) == 0)
		snprintf(text, sizeof(text), "%s; and no trace%s", inner.text,
			 why + at);
	else
		snprintf(text, sizeof(text), "%s", inner.text);
	warn_dump(p, text);
}

static void read_given(struct na_hlo_piece *p)
{
	const struct na_input_asks asks = {.segments_of = NA_UNKNOWN_U32,
					   .unquoted = p->unquoted};
	struct na_err inner = {.status = NA_OK};
	struct na_input in;
	char text[900];

	if (na_input_open(&in, path_of(p), NA_WANT_PROGRAMS, &asks, &inner) !=
	    NA_OK) {
		if (inner.status == NA_ENOMEM)
			na_fail_nomem(&p->err);
		else
			read_dump(p, inner.text);
		return;
	}
	p->file_bytes = in.file_bytes;
	if (in.n_sources > 1) {
		snprintf(text, sizeof(text),
			 "%s: holds the programs of %zu hosts: to compare them "
			 "give a file for each (netan ingest -o DIR/)",
			 path_of(p), in.n_sources);
		warn_dump(p, text);
	} else if (in.reader->program_bytes && !in.slim_programs) {
		read_trace(p, &in);
	} else {
		snprintf(text, sizeof(text),
			 "%s: a %s file holds no %sHLO modules; wanted a trace "
			 "(.xplane.pb) or an HLO dump",
			 path_of(p), in.format,
			 in.slim_programs ? "whole " : "");
		warn_dump(p, text);
	}
	na_input_close(&in);
}

void na_hlo_piece_read(struct na_hlo_piece *p)
{
	struct na_err odd = {.status = NA_OK};
	struct stat sb;

	if (p->err.status != NA_OK)
		return;
	if (strcmp(p->file->path, p->file->given) != 0 &&
	    na_check_file_kind(p->file->path, &odd) != NA_OK) {
		warn_dump(p, odd.text);
		return;
	}
	if (!p->file->listed) {
		read_given(p);
		return;
	}
	if (stat(p->file->path, &sb) == 0)
		p->file_bytes = (uint64_t)sb.st_size;
	read_dump(p, NULL);
}

/* A pipe cannot be tried twice: a copy without a name. */
static void copy_stdin(struct na_hlo_piece *p)
{
	struct na_monotone said = {0};
	struct na_temporary t;
	uint8_t buf[8192];
	ssize_t n;

	if (na_temporary_open(&t, &p->err) != NA_OK)
		return;
	p->copy = fdopen(t.fd, "w+");
	if (!p->copy) {
		na_fail_errno(&p->err, "temporary file");
		close(t.fd);
		return;
	}
	while ((n = read(STDIN_FILENO, buf, sizeof(buf))) > 0) {
		if (na_monotone_goes_on(&said, buf, (size_t)n)) {
			na_fail(&p->err, NA_EFORMAT, "standard input: %s",
				NA_MONOTONE_WHY);
			return;
		}
		if (fwrite(buf, 1, (size_t)n, p->copy) != (size_t)n)
			break;
	}
	if (n < 0)
		na_fail_errno(&p->err, "standard input");
	else if (n > 0 || fflush(p->copy) != 0)
		na_fail_errno(&p->err, "temporary file");
	snprintf(p->copy_path, sizeof(p->copy_path), "/proc/self/fd/%d",
		 fileno(p->copy));
}

void na_hlo_piece_init(struct na_hlo_piece *p, const struct na_hlo_file *file,
		       bool unquoted)
{
	*p = (struct na_hlo_piece){.file = file, .unquoted = unquoted};
	na_hlo_init(&p->hlo, true);
	if (strcmp(file->path, "-") == 0)
		copy_stdin(p);
}

void na_hlo_piece_fini(struct na_hlo_piece *p)
{
	if (p->copy)
		fclose(p->copy);
	na_hlo_fini(&p->hlo);
	na_arena_fini(&p->arena);
}

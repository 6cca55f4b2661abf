#include "netan/cli/commands/ingest_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/hash.h"
#include "netan/base/memory/mapped.h"
#include "netan/base/memory/temporary.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/cli/output/screen.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/hashing.h"

struct target {
	FILE *stream;
	const char *name;
};

static enum na_status put_bytes(void *ctx, const void *p, size_t n,
				struct na_err *err)
{
	const struct target *t = ctx;

	if (!n || fwrite(p, 1, n, t->stream) == n)
		return NA_OK;
	/* A reader that has left has seen enough. */
	if (errno == EPIPE) {
		clearerr(t->stream);
		return na_fail(err, NA_END, "closed");
	}
	return na_fail(err, NA_EIO, "cannot write %s: %s", t->name,
		       strerror(errno));
}

uint32_t na_ingest_wants(const struct na_ingest *g)
{
	return NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_ACTIONS |
	       NA_WANT_STEPS | NA_WANT_KERNELS | NA_WANT_COUNTS |
	       NA_WANT_MODULES | NA_WANT_OPS | NA_WANT_BUSY | NA_WANT_CALLS |
	       NA_WANT_CONNECTIONS | NA_WANT_COMMS |
	       (g->no_frames ? 0 : NA_WANT_PACKETS);
}

/* Of a text and its end; whoever guesses learns no more than what --anonymize
 * shows. */
static uint64_t hashed(const struct na_ingest *g, uint64_t h, const char *text)
{
	char *shown = na_shown(&g->cli->request, text);

	if (shown)
		h = na_fnv1a(h, shown, strlen(shown) + 1);
	free(shown);
	return h;
}

uint64_t na_ingest_asked(const struct na_ingest *g)
{
	const struct na_request *q = &g->cli->request;
	uint64_t h = NA_FNV1A;

	if (g->no_frames)
		h = hashed(g, h, "no frames");
	if (q->filter)
		h = hashed(g, hashed(g, h, "filter"), q->filter);
	for (size_t i = 0; i < q->line.n; i++)
		h = hashed(g, hashed(g, h, "line"), q->line.items[i]);
	return h == NA_FNV1A ? 0 : h;
}

/* Pseudonyms are of one call: the next one may give them to other traces. */
static uint64_t asked_of(const struct na_ingest *g, const struct na_session *s)
{
	uint64_t h = g->asked;

	for (size_t i = 0; s->request->pseudonyms && i < s->n_inputs; i++) {
		const char *path = s->inputs[i].path;

		if (!i || path != s->inputs[i - 1].path)
			h = na_hash_samples(h ^ s->inputs[i].file_bytes,
					    path);
	}
	return h;
}

/* As it is written: of --anonymize what stands for it. */
static const char *named(const struct na_request *q, enum na_alias kind,
			 const char *name)
{
	return q->pseudonyms && name ? na_pseudonym(q->pseudonyms, kind, name)
				     : name;
}

struct na_xfer_head na_ingest_head(const struct na_ingest *g,
				   const struct na_session *s,
				   struct na_xfer_source **sources)
{
	const struct na_request *q = s->request;

	*sources = na_calloc(s->n_inputs, sizeof(**sources));
	for (size_t i = 0; *sources && i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];
		const char *host = s->sources[i].no_host ? NULL : in->host;

		(*sources)[i] = (struct na_xfer_source){
			.host = named(q, NA_ALIAS_HOST, host),
			.label = s->sources[i].label,
			.format = in->format,
			.path = named(q, NA_ALIAS_INPUT, in->path),
			.cut = in->cut,
			.file_bytes = in->file_bytes,
			.has_time = in->has_time,
			.has_wall = in->has_wall,
			.first_ns = in->first_ns,
			.zero_ns = in->zero_ns,
			.profile_start_ns = in->profile_start_ns,
			.profile_stop_ns = in->profile_stop_ns,
			.n_devices = in->n_devices,
			.ranks = in->ranks,
			.on_cpus = in->on_cpus,
			.told = in->told,
			.has_tpus = in->has_tpus,
			.has_gpus = in->has_gpus,
			.rank = in->rank,
			.world_size = in->world_size,
			.pid = in->pid,
			.content_bytes = g->stands_in ? in->content_bytes : 0,
			.content_hash = g->stands_in ? in->content_hash : 0,
		};
	}
	return (struct na_xfer_head){.sources = *sources,
				     .n_sources = s->n_inputs,
				     .pseudonyms = q->pseudonyms,
				     .asked = asked_of(g, s)};
}

enum na_status na_ingest_put_first(const struct na_ingest *g,
				   struct na_session *s, FILE *to,
				   const char *name,
				   struct na_xfer_counts *counts,
				   struct na_err *err)
{
	struct target t = {to, name};
	struct na_xfer_source *sources;
	struct na_xfer_head head = na_ingest_head(g, s, &sources);
	struct na_xfer_file *f;
	enum na_status st;

	if (!sources)
		return na_fail_nomem(err);
	f = na_xfer_new(put_bytes, &t, &head, err);
	free(sources);
	st = f ? na_ingest_read(s, g->sieve, f, err) : err->status;
	if (st == NA_OK && !s->interrupted)
		st = na_xfer_finish(f, err);
	if (f)
		*counts = *na_xfer_counted(f);
	na_xfer_free(f);
	return st;
}

enum na_status na_ingest_hide(const struct na_request *q, FILE *first,
			      uint64_t at, uint64_t n, FILE *to,
			      const char *name, uint64_t *bytes,
			      struct na_err *err)
{
	struct target t = {to, name};
	struct na_mapped *m;
	enum na_status st;

	if (fflush(first) != 0 || !(m = na_map(fileno(first), at + n)))
		return na_fail_errno(err, "temporary file");
	st = na_xfer_hide_again(na_mapped_bytes(m) + at, n, q->pseudonyms,
				put_bytes, &t, bytes, err);
	if (st == NA_OK && na_mapped_left(m) < at + n)
		st = na_fail(err, NA_EIO, "temporary file: its bytes are lost");
	na_unmap(m);
	return st;
}

FILE *na_ingest_first(struct na_err *err)
{
	struct na_temporary t;
	FILE *first = na_temporary_open(&t, err) == NA_OK ? fdopen(t.fd, "w")
							  : NULL;

	if (!first && t.fd >= 0) {
		close(t.fd);
		na_fail_nomem(err);
	}
	return first;
}

/* A path in the last block may tell whose name stands in the first one. */
static enum na_status
put_hidden(const struct na_ingest *g, struct na_session *s, FILE *to,
	   const char *name, struct na_xfer_counts *counts, struct na_err *err)
{
	FILE *first = na_ingest_first(err);
	enum na_status st = first ? NA_OK : err->status;

	if (st == NA_OK)
		st = na_ingest_put_first(g, s, first, "a temporary file",
					 counts, err);
	if (st == NA_OK && !s->interrupted)
		st = na_ingest_hide(s->request, first, 0, counts->bytes,
				    to, name, &counts->bytes, err);
	if (first)
		fclose(first);
	return st;
}

enum na_status na_ingest_put(const struct na_ingest *g, struct na_session *s,
			     FILE *to, const char *name,
			     struct na_xfer_counts *counts, struct na_err *err)
{
	return s->request->pseudonyms
		       ? put_hidden(g, s, to, name, counts, err)
		       : na_ingest_put_first(g, s, to, name, counts, err);
}

enum na_status na_ingest_stand_in(const struct na_request *q, uint64_t asked,
				  const char *path, struct na_err *err)
{
	const struct na_ingest g = {.asked = asked, .stands_in = true};
	struct na_xfer_counts counts;
	struct na_outfile out;
	struct na_session s;
	enum na_status st;
	bool whole;

	/* Before the trace is read for nothing. */
	if (na_outfile_open(&out, path, err) != NA_OK)
		return err->status;
	st = na_session_open(&s, q, na_ingest_wants(&g));
	if (st == NA_OK)
		st = na_ingest_put(&g, &s, out.stream, path, &counts, err);
	whole = st == NA_OK && !s.interrupted;
	na_session_close(&s);
	if (na_outfile_close(&out, path, whole, err) != NA_OK)
		return err->status;
	return st == NA_OK && !whole ? NA_END : st;
}

void na_ingest_report(const char *what, const struct na_xfer_counts *c)
{
	uint64_t all = c->transfers + c->others;
	/* Names, counts, what stands around blocks: everybody's. */
	double rest = (double)(c->bytes - c->transfer_bytes - c->other_bytes) /
		      (double)(all ? all : 1);
	char n[NA_COUNT_BUF], m[NA_COUNT_BUF], size[NA_UNIT_BUF];
	char each[48] = "";

	if (all)
		snprintf(each, sizeof(each), "; %.1f bytes each",
			 (double)c->bytes / (double)all);
	na_print_line("wrote %s, %s: %s, %s%s", what,
		      na_print_bytes(size, (double)c->bytes, 3),
		      na_count_of(n, c->transfers, "transfer"),
		      na_count_of(m, c->others, "other record"), each);
	if (c->transfers)
		printf("a transfer takes %.1f bytes",
		       rest + (double)c->transfer_bytes / (double)c->transfers);
	if (c->transfers && c->others)
		printf(", another record %.1f",
		       rest + (double)c->other_bytes / (double)c->others);
	if (c->transfers)
		putchar('\n');
}

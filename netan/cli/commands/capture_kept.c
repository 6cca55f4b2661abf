/* A live capture of which only transfers are kept, in netan's own file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/capture/capture.h"
#include "ingest/transfer_file/write.h"
#include "netan/cli/commands/capture_out.h"
#include "netan/cli/commands/ingest_out.h"

struct na_capture_kept {
	const char *path, *interface;
	const struct na_request *request; /* its pseudonyms NULL: names stay */
	struct na_outfile out;
	FILE *stream;
	/* --anonymize: a path in the last call may tell whose name stands in
	 * the first one.  NULL: it goes to the stream at once. */
	FILE *first;
	struct na_xfer_file *file; /* from the first packet on */
	struct na_xfer_part *part;
	struct na_sink sink;
	struct na_capture *capture;
	bool timed;
	int64_t first_ns, earliest_ns, latest_ns;
};

struct na_capture_kept *na_capture_kept_new(const char *path,
					    const char *interface,
					    const struct na_request *q,
					    struct na_err *err)
{
	struct na_capture_kept *k = calloc(1, sizeof(*k));

	if (!k) {
		na_fail_nomem(err);
		return NULL;
	}
	k->path = path;
	k->interface = interface;
	k->request = q;
	k->stream = stdout;
	if (q->pseudonyms && !(k->first = na_ingest_first(err))) {
		free(k);
		return NULL;
	}
	if (strcmp(path, "-") != 0) {
		if (na_outfile_open(&k->out, path, err) != NA_OK) {
			if (k->first)
				fclose(k->first);
			free(k);
			return NULL;
		}
		k->stream = k->out.stream;
	}
	return k;
}

int na_capture_kept_fd(const struct na_capture_kept *k)
{
	return k->stream == stdout ? -1 : fileno(k->stream);
}

static const char *name_of(const struct na_capture_kept *k)
{
	return k->stream == stdout ? "standard output" : k->path;
}

static enum na_status cannot(const struct na_capture_kept *k,
			     struct na_err *err)
{
	/* A reader that has left has seen enough. */
	if (errno == EPIPE) {
		clearerr(k->stream);
		return NA_END;
	}
	return na_fail(err, NA_EIO, "cannot write %s: %s",
		       k->first ? "a temporary file" : name_of(k),
		       strerror(errno));
}

static FILE *at_once(const struct na_capture_kept *k)
{
	return k->first ? k->first : k->stream;
}

static enum na_status put_kept(void *ctx, const void *p, size_t n,
			       struct na_err *err)
{
	struct na_capture_kept *k = ctx;

	if (!n || fwrite(p, 1, n, at_once(k)) == n)
		return NA_OK;
	return cannot(k, err);
}

/* Times count from the first packet. */
static enum na_status begin_file(struct na_capture_kept *k, struct na_err *err)
{
	struct na_pseudonyms *names = k->request->pseudonyms;
	char host[256] = "";
	struct na_xfer_source source = {
		.host = host,
		.format = "pcap",
		.path = k->interface,
		.has_time = k->timed,
		.has_wall = k->timed,
		.first_ns = k->first_ns,
		.zero_ns = k->first_ns,
	};
	const struct na_xfer_head head = {.sources = &source,
					  .n_sources = 1,
					  .created_unix_ns = k->first_ns,
					  .pseudonyms = names};
	struct na_capture_options options = {
		.wants = NA_WANT_TRANSFERS | NA_WANT_CALLS |
			 NA_WANT_CONNECTIONS,
		.segments_of = NA_UNKNOWN_U32,
		.zero_ns = k->first_ns,
		.sink = &k->sink,
	};

	gethostname(host, sizeof(host) - 1);
	if (names) {
		source.host = na_pseudonym(names, NA_ALIAS_HOST, host);
		source.path = na_pseudonym(names, NA_ALIAS_INPUT, k->interface);
	}
	k->part = na_xfer_part_new(0);
	if (!k->part)
		return na_fail_nomem(err);
	k->sink = na_xfer_part_sink(k->part);
	k->capture = na_capture_new(&options);
	if (!k->capture)
		return na_fail_nomem(err);
	k->file = na_xfer_new(put_kept, k, &head, err);
	return k->file ? NA_OK : err->status;
}

enum na_status na_capture_kept_put(struct na_capture_kept *k,
				   const struct na_record *r,
				   struct na_err *err)
{
	enum na_status st = NA_OK;

	if (!k->file) {
		k->timed = true;
		k->first_ns = k->earliest_ns = k->latest_ns = r->time_ns;
		st = begin_file(k, err);
	}
	if (r->time_ns < k->earliest_ns)
		k->earliest_ns = r->time_ns;
	if (r->time_ns > k->latest_ns)
		k->latest_ns = r->time_ns;
	if (st == NA_OK && na_capture_record(k->capture, r) != NA_OK)
		st = na_fail_nomem(err);
	return st;
}

enum na_status na_capture_kept_flush(struct na_capture_kept *k,
				     struct na_err *err)
{
	enum na_status st;

	if (!k->file)
		return NA_OK;
	if (na_xfer_part_end(k->part) != NA_OK)
		return na_fail_nomem(err);
	st = na_xfer_append(k->file, k->part, err);
	return st == NA_OK && fflush(at_once(k)) != 0 ? cannot(k, err) : st;
}

static enum na_status finish(struct na_capture_kept *k,
			     const struct na_live_counts *counts,
			     struct na_err *err)
{
	struct na_input in = {.events = counts->packets};
	struct na_capture_counts seen;
	enum na_status st = k->file ? NA_OK : begin_file(k, err);

	in.warnings_end = &in.warnings;
	if (counts->kernel_dropped || counts->adapter_dropped)
		na_input_warn(&in,
			      "while capturing, %llu packets were dropped by "
			      "the kernel and %llu by the interface",
			      (unsigned long long)counts->kernel_dropped,
			      (unsigned long long)counts->adapter_dropped);
	if (st == NA_OK && na_capture_finish(k->capture) != NA_OK)
		st = na_fail_nomem(err);
	if (st == NA_OK) {
		seen = *na_capture_counts(k->capture);
		seen.earliest_ns = k->earliest_ns;
		seen.latest_ns = k->latest_ns;
		in.capture = &seen;
	}
	if (st == NA_OK)
		st = na_capture_kept_flush(k, err);
	if (st == NA_OK)
		st = na_xfer_source_end(k->file, 0, &in, err);
	if (st == NA_OK)
		st = na_xfer_finish(k->file, err);
	na_arena_fini(&in.arena);
	return st;
}

enum na_status na_capture_kept_close(struct na_capture_kept *k,
				     const struct na_live_counts *counts,
				     bool whole, uint64_t *transfers,
				     uint64_t *bytes, struct na_err *err)
{
	enum na_status st = whole ? finish(k, counts, err) : NA_OK;

	if (k->file) {
		*transfers = na_xfer_counted(k->file)->transfers;
		*bytes = na_xfer_counted(k->file)->bytes;
	}
	if (k->first && whole && st == NA_OK)
		st = na_ingest_hide(k->request, k->first, 0, *bytes, k->stream,
				    name_of(k), bytes, err);
	if (k->first)
		fclose(k->first);
	na_capture_free(k->capture);
	na_xfer_part_free(k->part);
	na_xfer_free(k->file);
	if (k->stream == stdout)
		fflush(stdout);
	else if (na_outfile_close(&k->out, k->path, whole && st == NA_OK,
				  err) != NA_OK)
		st = err->status;
	free(k);
	return st == NA_END ? NA_OK : st;
}

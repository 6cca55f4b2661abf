#include "netan/cli/commands/capture_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/vec.h"

enum { BUFFER_BYTES = 1 << 20 };

static enum na_status cannot(const struct na_capture_out *o, struct na_err *err)
{
	/* A reader that has left has seen enough. */
	if (errno == EPIPE) {
		clearerr(o->stream);
		return NA_END;
	}
	return na_fail(err, NA_EIO, "cannot write %s: %s",
		       o->stream == stdout ? "standard output"
		       : o->name           ? o->name
					   : o->path,
		       strerror(errno));
}

static enum na_status put_packet_bytes(struct na_capture_out *o, const void *p,
				       size_t n, struct na_err *err)
{
	if (n && fwrite(p, 1, n, o->stream) != n)
		return cannot(o, err);
	o->file_bytes += n;
	o->bytes += n;
	return NA_OK;
}

char *na_capture_out_name(const char *path, uint64_t number)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');
	size_t stem = dot ? (size_t)(dot - path) : strlen(path);
	size_t size = strlen(path) + 32;
	char *name = malloc(size);

	if (name)
		snprintf(name, size, "%.*s-%05" PRIu64 "%s", (int)stem, path,
			 number, dot ? dot : "");
	return name;
}

/* The name of the next file; the one whose place in the ring it takes goes.
 */
static enum na_status next_name(struct na_capture_out *o, struct na_err *err)
{
	o->files++;
	o->name = o->max_file_bytes ? na_capture_out_name(o->path, o->files)
				    : strdup(o->path);
	if (!o->name)
		return na_fail_nomem(err);
	if (o->ring) {
		char **place = &o->names[o->files % o->ring];

		if (*place)
			unlink(*place);
		free(*place);
		*place = strdup(o->name);
	}
	return NA_OK;
}

static enum na_status open_next(struct na_capture_out *o, struct na_err *err)
{
	uint8_t head[NA_CAPTURE_HEAD];
	enum na_status st = next_name(o, err);

	if (st == NA_OK && !strcmp(o->path, "-"))
		o->stream = stdout;
	else if (st == NA_OK) {
		st = na_outfile_open(&o->file, o->name, err);
		o->stream = st == NA_OK ? o->file.stream : NULL;
	}
	if (st != NA_OK)
		return st;
	setvbuf(o->stream, NULL, _IOFBF, BUFFER_BYTES);
	o->file_bytes = o->file_packets = 0;
	return put_packet_bytes(o, head, na_capture_head(head, &o->head), err);
}

enum na_status na_capture_out_open(struct na_capture_out *o, struct na_err *err)
{
	if (o->ring) {
		o->names = na_calloc((size_t)o->ring, sizeof(*o->names));
		if (!o->names)
			return na_fail_nomem(err);
	}
	return open_next(o, err);
}

static enum na_status close_one(struct na_capture_out *o, bool whole,
				struct na_err *err)
{
	enum na_status st = NA_OK;

	if (o->stream == stdout && fflush(stdout) != 0)
		st = cannot(o, err);
	else if (o->stream && o->stream != stdout)
		st = na_outfile_close(&o->file, o->name, whole, err);
	o->stream = NULL;
	free(o->name);
	o->name = NULL;
	return st;
}

static size_t length_of(const struct na_capture_out *o,
			const struct na_record *r)
{
	size_t padding = (4 - r->captured_bytes % 4) % 4;

	return r->captured_bytes + (o->head.ng ? 32 + padding : 16);
}

static enum na_status rotate(struct na_capture_out *o, struct na_err *err)
{
	enum na_status st = close_one(o, true, err);

	return st == NA_OK ? open_next(o, err) : st;
}

enum na_status na_capture_out_put(struct na_capture_out *o,
				  const struct na_record *r, struct na_err *err)
{
	uint8_t before[NA_CAPTURE_RECORD], behind[8];
	size_t n = length_of(o, r);
	enum na_status st = NA_OK;

	if (o->max_bytes && o->bytes + n > o->max_bytes)
		return NA_END;
	if (o->max_file_bytes && o->file_packets &&
	    o->file_bytes + n > o->max_file_bytes)
		st = rotate(o, err);
	if (st == NA_OK)
		st = put_packet_bytes(o, before,
				      na_capture_before(before, o->head.ng, r),
				      err);
	if (st == NA_OK)
		st = put_packet_bytes(o, r->data, r->captured_bytes, err);
	if (st == NA_OK)
		st = put_packet_bytes(o, behind,
				      na_capture_behind(behind, o->head.ng, r),
				      err);
	o->file_packets++;
	return st;
}

enum na_status na_capture_out_flush(struct na_capture_out *o,
				    struct na_err *err)
{
	return o->stream && fflush(o->stream) != 0 ? cannot(o, err) : NA_OK;
}

enum na_status na_capture_out_close(struct na_capture_out *o,
				    const struct na_live_counts *counts,
				    int64_t time_ns, bool whole,
				    struct na_err *err)
{
	uint8_t tail[NA_CAPTURE_HEAD];
	enum na_status st = NA_OK;
	size_t n = na_capture_tail(tail, o->head.ng, time_ns, counts->received,
				   counts->kernel_dropped);

	if (o->stream && whole)
		st = put_packet_bytes(o, tail, n, err);
	if (st == NA_OK || o->stream)
		st = close_one(o, whole, err) == NA_OK ? st : err->status;
	for (uint64_t i = 0; o->names && i < o->ring; i++)
		free(o->names[i]);
	free(o->names);
	return st;
}

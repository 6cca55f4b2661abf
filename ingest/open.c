/*
 * Open one input: map it or spool it, choose its reader by content, survey
 * it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/spool.h"
#include "netan/base/hash.h"
#include "netan/base/inputs.h"

enum { MAX_WARNINGS = 20, COPIED_BYTES = 32768 };

void na_input_warn(struct na_input *in, const char *fmt, ...)
{
	struct na_warning *w;
	char text[512];
	va_list ap;

	if (++in->n_warnings > MAX_WARNINGS)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w = na_arena_alloc(&in->arena, sizeof(*w));
	if (!w)
		return;
	w->text = na_arena_strn(&in->arena, text, strlen(text));
	if (!w->text)
		return;
	*in->warnings_end = w;
	in->warnings_end = &w->next;
}

void na_input_quote(struct na_input *in, const char *who, struct na_text said)
{
	int n = (int)(said.n < 400 ? said.n : 400);

	if (in->asks.unquoted)
		na_input_warn(in, "%s; %s is left out (--anonymize)",
			      who ? who : "damaged or odd",
			      who ? "the text" : "what was said of it");
	else
		na_input_warn(in, "%s%s%.*s", who ? who : "", who ? ": " : "",
			      who && n > 200 ? 200 : n, said.s);
}

/* Formats that we can name but not read; the first bytes tell. */
/* clang-format off */
static const struct { const char *magic; size_t n; const char *is; } named[] = {
	{"PK\x03\x04", 4, "a zip archive, not supported; unpack it first"},
	{"BZh", 3, "a bzip2 file, not supported; unpack it first"},
	{"\xfd" "7zXZ\0", 6, "an xz file, not supported; unpack it first"},
	{"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", 8, "a riegeli XSpace, not yet "
	 "supported; capture or convert it as .xplane.pb"},
	{"\x1f\x8b", 2, "compressed twice; unpack it once"},
	{"\x28\xb5\x2f\xfd", 4, "compressed twice; unpack it once"},
};
/* clang-format on */

/* For who gave something else. */
#define READS \
	"netan reads traces of XProf, PyTorch and JAX, packet captures, dumps of " \
	"the flight recorder, logs of NCCL, exports of Nsight Systems " \
	"(docs/formats.md: all)"

static const char *text_kind(const uint8_t *p, size_t n)
{
	size_t i = 0, printable = 0;

	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < n && (p[i] == ' ' || (p[i] >= '\t' && p[i] <= '\r')))
		i++;
	if (i < n && (p[i] == '{' || p[i] == '['))
		return "JSON of no format that is known (traceEvents of a "
		       "profiler, a dump, a log); " READS;
	n = n < 4096 ? n : 4096;
	for (size_t k = 0; k < n; k++)
		printable += p[k] >= 0x20 || (p[k] >= '\t' && p[k] <= '\r');
	if (n && printable == n && !memchr(p, 0x7f, n))
		return "text; " READS;
	return NULL;
}

/* A HloProto: field 1 holds a message whose field 1 is a name. */
static bool looks_like_hlo(const uint8_t *p, size_t n)
{
	size_t i = 1;

	if (n < 4 || p[0] != 0x0a)
		return false;
	while (i < n && i < 11 && (p[i] & 0x80))
		i++;
	return i + 2 < n && p[i + 1] == 0x0a && p[i + 2] < 0x80;
}

enum na_status na_choose_reader(struct na_input *in, const uint8_t *head,
				size_t n, uint64_t size, struct na_err *err)
{
	const char *why = NULL;

	if (n == 0) {
		in->reader = &na_reader_xspace;
		return NA_OK; /* an empty XSpace is a valid one */
	}
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (n >= named[i].n &&
		    memcmp(head, named[i].magic, named[i].n) == 0)
			return na_fail(err, NA_EFORMAT, "%s", named[i].is);
	}
	for (size_t i = 0; na_readers[i]; i++) {
		switch (na_readers[i]->sniff(head, n, size, &why)) {
		case NA_SNIFF_YES:
			in->reader = na_readers[i];
			return NA_OK;
		case NA_SNIFF_DAMAGED:
			return na_fail(err, NA_EFORMAT, "%s", why);
		case NA_SNIFF_NO:
			break;
		}
	}
	why = text_kind(head, n);
	if (!why && looks_like_hlo(head, n))
		why = "an HLO module, not a trace";
	return na_fail(
		err, NA_EFORMAT, "%s",
		why ? why
		    : "its first bytes are of no format that is known; " READS);
}

static void warn_truncated(struct na_input *in, size_t at)
{
	na_input_warn(in,
		      "truncated while it was read, at byte %zu: what was "
		      "behind it and not yet read is left out",
		      at);
}

/* A system allows about 65,000 mappings a process: small files, of which there
 * may be more, are read. */
static enum na_status copy_file(struct na_input *in, int fd, size_t size,
				struct na_err *err)
{
	uint8_t *p = malloc(size);
	struct stat is;
	ssize_t n = 1;

	if (!p)
		return na_fail_nomem(err);
	in->data = p;
	in->copied = true;
	while (in->size < size && n > 0) {
		n = pread(fd, p + in->size, size - in->size, (off_t)in->size);
		in->size += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		return na_fail_errno(err, "read");
	/* Below /sys, files hold less than their size. */
	if (in->size < size && fstat(fd, &is) == 0 &&
	    (size_t)is.st_size < size) {
		in->damaged = true;
		warn_truncated(in, in->size);
	}
	return NA_OK;
}

static enum na_status map_file(struct na_input *in, int fd, size_t size,
			       struct na_err *err)
{
	in->mapped = na_map(fd, size);
	if (!in->mapped)
		return errno != ENOMEM
			       ? na_fail_errno(err, "mmap")
			       : na_fail(err, NA_ENOMEM,
					 "cannot be mapped: no memory, or as "
					 "many files are mapped as the system "
					 "allows (vm.max_map_count, 65,530 "
					 "where nobody set it)");
	in->data = na_mapped_bytes(in->mapped);
	in->size = size;
	/* Readers hop and skip, but they never go back far. */
	madvise((void *)(uintptr_t)in->data, size, MADV_SEQUENTIAL);
	return NA_OK;
}

static enum na_status take_file(struct na_input *in, int fd, size_t size,
				struct na_err *err)
{
	enum na_status st = size <= COPIED_BYTES ? copy_file(in, fd, size, err)
						 : map_file(in, fd, size, err);

	size = in->size;
	return st ? st
		  : na_choose_reader(in, in->data,
				     size < NA_HEAD_BYTES ? size
							  : NA_HEAD_BYTES,
				     size, err);
}

static enum na_status open_fd(struct na_input *in, int fd, struct na_err *err)
{
	struct na_feed s = {.fd = -1};
	uint8_t head[8];
	struct stat sb;
	enum na_status st;
	ssize_t n = 0;

	if (fstat(fd, &sb) < 0)
		return na_fail_errno(err, "stat");
	if (S_ISDIR(sb.st_mode))
		return na_fail(err, NA_EIO, "is a directory");
	/* What wants nothing looks at what may be replaced. */
	if (in->wants)
		na_inputs_add(fd);
	if (S_ISREG(sb.st_mode)) {
		in->file_bytes = (uint64_t)sb.st_size;
		n = pread(fd, head, sizeof(head), 0);
		if (n < 0)
			return na_fail_errno(err, "read");
		/* From the start of the file: a shell's `<` may have moved. */
		if (lseek(fd, 0, SEEK_CUR) == 0 &&
		    na_packing_of(head, (size_t)n) == NA_PLAIN) {
			if (n == 0)
				return na_choose_reader(in, head, 0, 0, err);
			/* Below /proc, files hold more than their size. */
			if (sb.st_size > 0)
				return take_file(in, fd, (size_t)sb.st_size,
						 err);
		}
	}
	st = na_feed_open(&s, dup(fd), in->path, err);
	if (st == NA_OK && S_ISREG(sb.st_mode) && in->asks.idle_threads)
		na_feed_start_readahead(&s);
	if (st == NA_OK)
		st = na_spool(in, &s, err);
	na_feed_close(&s);
	return st;
}

static enum na_status named_failure(struct na_err *err, const char *path,
				    const struct na_err *inner)
{
	return na_fail(err, inner->status, "%s: %s",
		       strcmp(path, "-") ? path : "standard input",
		       inner->text);
}

static void begin(struct na_input *in, const char *path, uint32_t wants,
		  const struct na_input_asks *asks)
{
	*in = (struct na_input){.path = path,
				.wants = wants,
				.rank = -1,
				.pid = -1,
				.world_size = -1};
	in->asks.segments_of = NA_UNKNOWN_U32;
	if (asks)
		in->asks = *asks;
	in->warnings_end = &in->warnings;
}

/* Anew, as the shorter file that it is by now. */
static enum na_status begin_again(struct na_input *in, struct na_err *err)
{
	struct na_input was = *in;
	size_t n;

	if (was.state)
		was.reader->close(&was);
	na_arena_fini(&was.arena);
	begin(in, was.path, was.wants, &was.asks);
	in->packed = was.packed;
	in->file_bytes = was.file_bytes;
	in->mapped = was.mapped;
	in->data = was.data;
	na_mapped_look(in->mapped, in->path);
	n = in->size = na_mapped_left(in->mapped);
	*err = (struct na_err){.status = NA_OK};
	return na_choose_reader(in, in->data,
				n < NA_HEAD_BYTES ? n : NA_HEAD_BYTES, n, err);
}

/* Of at most 4 KiB at both ends: whoever has opened a copy elsewhere knows it by
 * that. */
static uint64_t ends_hash(const uint8_t *p, size_t size)
{
	enum { END_BYTES = 4096 };
	size_t n = size < END_BYTES ? size : END_BYTES;

	return na_fnv1a(na_fnv1a(NA_FNV1A, p, n), p + size - n, n);
}

static enum na_status survey(struct na_input *in, enum na_status st,
			     struct na_err *inner, struct na_err *err)
{
	bool again = false;

	do {
		if (again)
			st = begin_again(in, inner);
		if (st == NA_OK) {
			in->format = in->reader->name;
			in->ranks = in->reader->ranks;
			st = in->reader->open(in, inner);
		}
		again = !in->borrowed && na_input_lost(in);
	} while (again);
	if (st != NA_OK) {
		named_failure(err, in->path, inner);
		na_input_close(in);
	} else if (in->data) {
		in->content_bytes = in->size;
		in->content_hash = ends_hash(in->data, in->size);
	}
	return st;
}

void na_input_settle(struct na_input *in)
{
	enum na_fate fate;

	if (!in->mapped || in->borrowed || in->fate_told)
		return;
	fate = na_mapped_look(in->mapped, in->path);
	if (fate == NA_FATE_SAME)
		return;
	in->fate_told = in->damaged = true;
	if (fate == NA_FATE_SHORTER)
		warn_truncated(in, na_mapped_left(in->mapped));
	else
		na_input_warn(in, "changed while it was read: what is told of "
				  "it may be of what it was and of what it "
				  "became; read it again when nobody writes it");
}

void na_input_tell(struct na_input *to, const struct na_input *from)
{
	for (const struct na_warning *w = from->warnings; w; w = w->next) {
		const struct na_warning *told = to->warnings;

		while (told && strcmp(told->text, w->text) != 0)
			told = told->next;
		if (!told)
			na_input_warn(to, "%s", w->text);
	}
	if (to->n_warnings < from->n_warnings)
		to->n_warnings = from->n_warnings;
	to->damaged |= from->damaged;
}

size_t na_input_left(const struct na_input *in)
{
	if (in->mapped)
		na_mapped_look(in->mapped, in->path);
	return na_input_lost(in) ? na_mapped_left(in->mapped) : in->size;
}

bool na_block_sound(const struct na_input *in, const struct na_block *b)
{
	/* Packets are looked after one by one. */
	if (!na_input_lost(in) || in->reader->packets)
		return true;
	return b->needs_end && (size_t)(b->needs_end - in->data) <=
				       na_mapped_left(in->mapped);
}

enum na_status na_input_open(struct na_input *in, const char *path,
			     uint32_t wants, const struct na_input_asks *asks,
			     struct na_err *err)
{
	struct na_err inner = {.status = NA_OK};
	bool piped = strcmp(path, "-") == 0;
	enum na_status st;
	int fd;

	begin(in, path, wants, asks);
	fd = piped ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		na_fail(err, NA_EIO, "%s: %s", path, strerror(errno));
		return NA_EIO;
	}
	st = open_fd(in, fd, &inner);
	if (!piped)
		close(fd);
	return survey(in, st, &inner, err);
}

const struct na_reader *na_input_known(const char *path)
{
	struct na_err err = {.status = NA_OK};
	struct na_input in = {.path = path};
	struct stat sb;
	/* A pipe is read once, by who wants all of it. */
	bool file = stat(path, &sb) == 0 && S_ISREG(sb.st_mode);
	int fd = file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	uint8_t *head = fd < 0 ? NULL : malloc(NA_HEAD_BYTES);
	struct na_feed s = {.fd = -1};
	size_t n = 0, got = 1;

	if (head && na_feed_open(&s, fd, path, &err) == NA_OK) {
		while (got && n < NA_HEAD_BYTES &&
		       na_feed_read(&s, head + n, NA_HEAD_BYTES - n, &got,
				    &err) == NA_OK)
			n += got;
	}
	if (n && err.status == NA_OK)
		na_in_err(na_choose_reader(&in, head, n, UINT64_MAX, &err));
	if (head)
		na_feed_close(&s);
	else if (fd >= 0)
		close(fd);
	free(head);
	return in.reader;
}

enum na_status na_input_open_source(struct na_input *in,
				    const struct na_input *first, size_t source,
				    struct na_err *err)
{
	struct na_err inner = {.status = NA_OK};

	begin(in, first->path, first->wants, &first->asks);
	in->packed = first->packed;
	in->file_bytes = first->file_bytes;
	in->data = first->data;
	in->size = first->size;
	in->mapped = first->mapped;
	in->borrowed = true;
	in->reader = first->reader;
	in->source = source;
	in->first_state = first->state;
	in->first_kept = first->kept;
	return survey(in, NA_OK, &inner, err);
}

void na_input_replace(struct na_input *in, uint8_t *bytes, size_t size)
{
	if (bytes)
		na_input_settle(in);
	if (in->copied)
		free((void *)(uintptr_t)in->data);
	else if (!in->borrowed)
		na_unmap(in->mapped);
	in->mapped = NULL;
	in->data = bytes;
	in->size = size;
	in->copied = bytes;
	in->borrowed = false;
}

void na_input_close(struct na_input *in)
{
	if (in->reader && in->state)
		in->reader->close(in);
	na_input_replace(in, NULL, 0);
	na_arena_fini(&in->arena);
}

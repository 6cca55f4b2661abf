#include "netan/synth/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "netan/base/atomic_file.h"
#include "netan/base/memory/temp_files.h"
#include "netan/synth/synth.h"

enum { CHUNK_BYTES = 1 << 18, GZIP_WINDOW = 15 + 16 };

struct na_out_file {
	int fd, pack;
	char *path, *temp;
	struct na_temp_file *temp_file;
	uint8_t *buf; /* CHUNK_BYTES of packed bytes */
	z_stream zip;
	ZSTD_CStream *zstd;
	bool zip_ready;
};

char *na_out_join(const char *path, const char *more)
{
	char *s;

	return asprintf(&s, "%s/%s", path, more) < 0 ? NULL : s;
}

enum na_status na_out_make_dirs(const char *path, struct na_err *err)
{
	char *copy = strdup(path);
	enum na_status st = NA_OK;

	if (!copy)
		return na_fail_nomem(err);
	for (char *p = copy + 1; !st && *copy; p++) {
		char was = *p;

		if (was && was != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			st = na_fail(err, NA_EIO,
				     "%s: cannot make the "
				     "directory: %s; choose another with -o",
				     copy, strerror(errno));
		*p = was;
		if (!was)
			break;
	}
	free(copy);
	return st;
}

static enum na_status cannot_write(const struct na_out_file *f,
				   struct na_err *err)
{
	return na_fail(
		err, NA_EIO, "%s: cannot write: %s%s", f->path, strerror(errno),
		errno == ENOSPC
			? "; free some space or choose another place with -o"
			: "");
}

static void free_file(struct na_out_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->zip_ready)
		deflateEnd(&f->zip);
	ZSTD_freeCStream(f->zstd);
	na_temp_file_free(f->temp_file);
	free(f->path);
	free(f->temp);
	free(f->buf);
	free(f);
}

void na_out_abandon(struct na_out_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		unlink(f->temp);
	free_file(f);
}

static bool start_packing(struct na_out_file *f)
{
	if (f->pack == NA_PACK_NONE)
		return true;
	f->buf = malloc(CHUNK_BYTES);
	if (!f->buf)
		return false;
	if (f->pack == NA_PACK_ZSTD) {
		f->zstd = ZSTD_createCStream();
		return f->zstd && !ZSTD_isError(ZSTD_initCStream(f->zstd, 3));
	}
	f->zip_ready = deflateInit2(&f->zip, 6, Z_DEFLATED, GZIP_WINDOW, 8,
				    Z_DEFAULT_STRATEGY) == Z_OK;
	return f->zip_ready;
}

enum na_status na_out_open(struct na_out_file **out, const char *path, int pack,
			   struct na_err *err)
{
	struct na_out_file *f = calloc(1, sizeof(*f));
	enum na_status st;

	*out = NULL;
	if (!f)
		return na_fail_nomem(err);
	f->fd = -1;
	f->pack = pack;
	f->path = strdup(path);
	f->temp = na_path_with_suffix(path, ".%ld.tmp",
				      (long)getpid() % 1000000);
	if (!f->path || !f->temp || !start_packing(f)) {
		free_file(f);
		return na_fail_nomem(err);
	}
	f->temp_file = na_temp_file_new(f->temp);
	f->fd = open(f->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (f->fd < 0) {
		st = cannot_write(f, err);
		free_file(f);
		return st;
	}
	*out = f;
	return NA_OK;
}

static enum na_status put(struct na_out_file *f, const uint8_t *p, size_t n,
			  struct na_err *err)
{
	while (n) {
		ssize_t done = write(f->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return cannot_write(f, err);
		p += done;
		n -= (size_t)done;
	}
	return NA_OK;
}

static enum na_status zip_some(struct na_out_file *f, const uint8_t *p,
			       size_t n, int flush, struct na_err *err)
{
	enum na_status st = NA_OK;

	do {
		/* zlib counts in 32 bits. */
		size_t part = n < CHUNK_BYTES ? n : CHUNK_BYTES;
		int how = part == n ? flush : Z_NO_FLUSH;

		memcpy(&f->zip.next_in, &p, sizeof(p));
		f->zip.avail_in = (uInt)part;
		do {
			f->zip.next_out = f->buf;
			f->zip.avail_out = CHUNK_BYTES;
			deflate(&f->zip, how);
			st = put(f, f->buf, CHUNK_BYTES - f->zip.avail_out,
				 err);
		} while (!st && !f->zip.avail_out);
		p += part;
		n -= part;
	} while (!st && n);
	return st;
}

static enum na_status zstd_some(struct na_out_file *f, const uint8_t *p,
				size_t n, ZSTD_EndDirective how,
				struct na_err *err)
{
	ZSTD_inBuffer in = {p, n, 0};
	enum na_status st = NA_OK;
	size_t left;

	do {
		ZSTD_outBuffer o = {f->buf, CHUNK_BYTES, 0};

		left = ZSTD_compressStream2(f->zstd, &o, &in, how);
		if (ZSTD_isError(left))
			return na_fail(err, NA_EIO, "%s: zstd: %s", f->path,
				       ZSTD_getErrorName(left));
		st = put(f, f->buf, o.pos, err);
	} while (!st && (in.pos < in.size || (how == ZSTD_e_end && left)));
	return st;
}

enum na_status na_out_write(struct na_out_file *f, const void *p, size_t n,
			    struct na_err *err)
{
	if (f->pack == NA_PACK_GZIP)
		return zip_some(f, p, n, Z_NO_FLUSH, err);
	if (f->pack == NA_PACK_ZSTD)
		return zstd_some(f, p, n, ZSTD_e_continue, err);
	return put(f, p, n, err);
}

static enum na_status cut(struct na_out_file *f, int64_t cut_bytes,
			  int64_t cut_q16, uint64_t *bytes, uint64_t *whole,
			  struct na_err *err)
{
	struct stat sb;
	int64_t keep;

	if (fstat(f->fd, &sb))
		return cannot_write(f, err);
	*bytes = (uint64_t)sb.st_size;
	if (cut_bytes < 0 && cut_q16 < 0)
		return NA_OK;
	keep = cut_bytes;
	if (keep < 0)
		keep = (int64_t)sb.st_size / 65536 * cut_q16 +
		       (int64_t)sb.st_size % 65536 * cut_q16 / 65536;
	if (keep >= (int64_t)sb.st_size)
		return NA_OK;
	if (ftruncate(f->fd, (off_t)keep))
		return cannot_write(f, err);
	*whole = *bytes;
	*bytes = (uint64_t)keep;
	return NA_OK;
}

enum na_status na_out_finish(struct na_out_file *f, int64_t cut_bytes,
			     int64_t cut_q16, uint64_t *bytes, uint64_t *whole,
			     struct na_err *err)
{
	static const uint8_t nothing[1];
	enum na_status st = NA_OK;

	*bytes = *whole = 0;
	if (f->pack == NA_PACK_GZIP)
		st = zip_some(f, nothing, 0, Z_FINISH, err);
	else if (f->pack == NA_PACK_ZSTD)
		st = zstd_some(f, nothing, 0, ZSTD_e_end, err);
	if (!st)
		st = cut(f, cut_bytes, cut_q16, bytes, whole, err);
	if (st) {
		na_out_abandon(f);
		return st;
	}
	if (close(f->fd) || rename(f->temp, f->path)) {
		st = cannot_write(f, err);
		unlink(f->temp);
	}
	f->fd = -1;
	free_file(f);
	return st;
}

enum na_status na_out_save(const char *path, const void *p, size_t n,
			   uint64_t *bytes, struct na_err *err)
{
	struct na_out_file *f;
	uint64_t whole;
	enum na_status st = na_out_open(&f, path, NA_PACK_NONE, err);

	if (!st)
		st = na_out_write(f, p, n, err);
	if (!st)
		return na_out_finish(f, -1, -1, bytes, &whole, err);
	na_out_abandon(f);
	return st;
}

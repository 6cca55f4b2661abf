#include "ingest/bytes/feed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IN_BYTES = 256 << 10 };

static void cut_short(struct na_feed *s, const char *why)
{
	s->cut = true;
	snprintf(s->why, sizeof(s->why),
		 "%.80s near byte %" PRIu64 " of the stream", why,
		 s->taken - (uint64_t)(s->end - s->p));
	s->eof = true;
	s->p = s->end;
}

/* At the end of a plain file: is it still the one that was opened? */
static void mind_end(struct na_feed *s)
{
	const struct stat *was = &s->was;
	struct stat is;

	if (s->z || s->endless || fstat(s->fd, &is) != 0)
		return;
	if (is.st_size < was->st_size && s->taken < (uint64_t)was->st_size)
		snprintf(s->why, sizeof(s->why),
			 "truncated while it was read, at byte %" PRIu64,
			 s->taken);
	else if (is.st_size == was->st_size &&
		 (is.st_mtim.tv_sec != was->st_mtim.tv_sec ||
		  is.st_mtim.tv_nsec != was->st_mtim.tv_nsec))
		snprintf(s->why, sizeof(s->why),
			 "changed while it was read; read it again when "
			 "nobody writes it");
	s->cut |= *s->why != '\0';
}

/* The next bytes of the descriptor; none at its end, which `eof` says. */
static enum na_status take_bytes(struct na_feed *s, uint8_t *to, size_t room,
				 size_t *got, struct na_err *err)
{
	ssize_t n = read(s->fd, to, room);

	*got = 0;
	if (n < 0 && errno == EINTR) {
		/* Only Ctrl-C interrupts us: what has come is what there is. */
		cut_short(s, "interrupted");
		return NA_OK;
	}
	if (n < 0)
		return na_fail(err, NA_EIO, "%s: read at byte %" PRIu64 ": %s",
			       s->path, s->taken, strerror(errno));
	s->eof = n == 0;
	if (s->eof)
		mind_end(s);
	s->taken += (uint64_t)n;
	*got = (size_t)n;
	return NA_OK;
}

static enum na_status refill(struct na_feed *s, struct na_err *err)
{
	enum na_status st;
	size_t n;

	if (s->p != s->end || s->eof)
		return NA_OK;
	st = take_bytes(s, s->in, s->room, &n, err);
	if (st != NA_OK)
		return st;
	s->p = s->in;
	s->end = s->in + n;
	return NA_OK;
}

enum na_status na_feed_open(struct na_feed *s, int fd, const char *path,
			    struct na_err *err)
{
	enum na_status st;
	struct stat sb;

	*s = (struct na_feed){.fd = fd, .path = path};
	if (fstat(fd, &sb) != 0)
		sb = (struct stat){.st_mode = S_IFREG};
	s->endless = !S_ISREG(sb.st_mode);
	s->was = sb;
	s->room = IN_BYTES;
	/* Of a small file no more; below /proc files have no size. */
	if (!s->endless && sb.st_size > 0 && sb.st_size < IN_BYTES)
		s->room = (size_t)sb.st_size;
	s->in = malloc(s->room);
	if (!s->in)
		return na_fail_nomem(err);
	s->p = s->end = s->in;
	st = refill(s, err);
	if (st != NA_OK)
		return st;
	s->packing = na_packing_of(s->p, (size_t)(s->end - s->p));
	if (s->packing != NA_PLAIN && !(s->z = na_inflate_new(s->packing)))
		return na_fail_nomem(err);
	return NA_OK;
}

void na_feed_start_readahead(struct na_feed *s)
{
	if (s->z && !s->ahead)
		s->ahead = na_readahead_new(s);
}

void na_feed_close(struct na_feed *s)
{
	na_readahead_free(s->ahead);
	na_inflate_free(s->z);
	free(s->in);
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	*s = (struct na_feed){.fd = -1};
}

static enum na_status read_plain(struct na_feed *s, uint8_t *out, size_t n,
				 size_t *got)
{
	size_t left = (size_t)(s->end - s->p);

	*got = n < left ? n : left;
	memcpy(out, s->p, *got);
	s->p += *got;
	return NA_OK;
}

static enum na_status read_some(struct na_feed *s, uint8_t *out, size_t n,
				size_t *got, struct na_err *err)
{
	*got = 0;
	if (s->ahead)
		return na_readahead_read(s->ahead, s, out, n, got, err);
	/* Plain bytes are read to where they are wanted. */
	if (!s->z && s->p == s->end && !s->eof)
		return take_bytes(s, out, n, got, err);
	while (*got == 0) {
		struct na_err inner = {.status = NA_OK};
		enum na_status st = refill(s, err);

		if (st != NA_OK)
			return st;
		if (s->p == s->end && !s->full) {
			if (s->z && !s->cut && !na_inflate_at_end(s->z))
				cut_short(s, "the packed stream ends early");
			return NA_OK;
		}
		if (!s->z)
			return read_plain(s, out, n, got);
		st = na_inflate_step(s->z, &s->p, s->end, out, n, got, &inner);
		s->full = st == NA_OK && *got == n;
		if (st == NA_END)
			s->eof = (s->p = s->end) != NULL;
		else if (st != NA_OK)
			cut_short(s, inner.text);
	}
	return NA_OK;
}

enum na_status na_feed_read(struct na_feed *s, uint8_t *out, size_t n,
			    size_t *got, struct na_err *err)
{
	enum na_status st = read_some(s, out, n, got, err);

	if (st == NA_OK && s->endless && *got &&
	    na_monotone_goes_on(&s->said, out, *got)) {
		cut_short(s, NA_MONOTONE_WHY);
		s->full = s->endless = false;
		na_inflate_free(s->z);
		s->z = NULL;
	}
	return st;
}

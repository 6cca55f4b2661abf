#include "ingest/spool.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "netan/base/memory/temporary.h"

enum { OUT_BYTES = 1 << 20, PAGE_BYTES = 4096 };

/* Deflate reaches about 1000 to 1; traces inflate 4 to 20 times.  More than
 * this, beyond a first gigabyte, is a bomb or not a trace. */
#define BOMB_FREE_BYTES (UINT64_C(1) << 30)
#define BOMB_RATIO      200

struct spool {
	struct na_input *in;
	struct na_feed *s;
	int fd;
	uint8_t *buf;
	size_t room; /* of buf */
	size_t n;    /* bytes in buf, from offset at */
	uint64_t at;
	void *state;  /* the reader's spool state */
	uint64_t run; /* bytes the last decision covers */
	bool keep;
	bool holes; /* something was not kept */
};

/* Bytes of the buffer that are kept and not yet written. */
struct kept {
	size_t from, to;
};

static enum na_status write_kept(struct spool *sp, struct kept *kept,
				 struct na_err *err)
{
	struct kept k = *kept;

	*kept = (struct kept){0, 0};
	return k.from == k.to ? NA_OK
			      : na_temporary_write(sp->fd, sp->buf + k.from,
						   k.to - k.from,
						   sp->at + k.from, err);
}

/* Those from `from` up to `to`, too; what is dropped before them is written
 * as well where that is less than a page. */
static enum na_status keep(struct spool *sp, struct kept *kept, size_t from,
			   size_t to, struct na_err *err)
{
	enum na_status st = NA_OK;

	if (from - kept->to >= PAGE_BYTES)
		st = write_kept(sp, kept, err);
	if (kept->from == kept->to)
		kept->from = from;
	kept->to = to;
	return st;
}

/* Hand what is in the buffer to the reader's decisions and write what they
 * keep; undecided bytes stay in the buffer. */
static enum na_status drain(struct spool *sp, bool last, struct na_err *err)
{
	const struct na_reader *r = sp->in->reader;
	struct kept kept = {0, 0};
	enum na_status st = NA_OK;
	size_t done = 0;

	while (done < sp->n) {
		size_t n = sp->n - done;

		if (!sp->run) {
			sp->keep = true;
			sp->run = r->spool ? r->spool(sp->state, sp->buf + done,
						      n, last, sp->in->wants,
						      &sp->keep)
					   : n;
		}
		if (!sp->run)
			break;
		if (n > sp->run)
			n = (size_t)sp->run;
		if (sp->keep) {
			st = keep(sp, &kept, done, done + n, err);
			if (st != NA_OK)
				return st;
		}
		sp->holes = sp->holes || !sp->keep;
		sp->run -= n;
		done += n;
	}
	st = write_kept(sp, &kept, err);
	if (st != NA_OK)
		return st;
	memmove(sp->buf, sp->buf + done, sp->n - done);
	sp->n -= done;
	sp->at += done;
	return NA_OK;
}

static enum na_status check_bomb(const struct spool *sp, struct na_err *err)
{
	uint64_t out = sp->at + sp->n;

	if (sp->s->z && out > BOMB_FREE_BYTES &&
	    out / BOMB_RATIO > sp->s->taken)
		return na_fail(err, NA_ELIMIT,
			       "inflates more than %d times "
			       "(beyond %" PRIu64 " bytes); this is no trace",
			       BOMB_RATIO, (uint64_t)BOMB_FREE_BYTES);
	return NA_OK;
}

/* A file that ends within its head needs no more than that. */
static bool more_room(struct spool *sp, size_t want)
{
	uint8_t *p = want > sp->room ? realloc(sp->buf, want) : sp->buf;

	if (!p)
		return false;
	sp->buf = p;
	sp->room = want > sp->room ? want : sp->room;
	return true;
}

static enum na_status fill(struct spool *sp, struct na_err *err)
{
	bool first = true, last = false;
	enum na_status st = NA_OK;
	size_t got;

	while (st == NA_OK && !last) {
		size_t want = first ? NA_HEAD_BYTES : OUT_BYTES;

		if (!more_room(sp, want))
			return na_fail_nomem(err);
		for (got = 1; st == NA_OK && got && sp->n < want;) {
			st = na_feed_read(sp->s, sp->buf + sp->n,
					  sp->room - sp->n, &got, err);
			sp->n += got;
		}
		last = st == NA_OK && got == 0;
		if (st == NA_OK && first)
			st = na_choose_reader(sp->in, sp->buf, sp->n,
					      last ? sp->n : UINT64_MAX, err);
		if (st == NA_OK && first && sp->in->reader->spool_state_size) {
			sp->state = calloc(1, sp->in->reader->spool_state_size);
			if (!sp->state)
				st = na_fail_nomem(err);
			else if (sp->in->reader->spool_is_state)
				sp->in->state = sp->state;
		}
		first = false;
		if (st == NA_OK)
			st = drain(sp, last, err);
		if (st == NA_OK)
			st = check_bomb(sp, err);
	}
	return st;
}

static enum na_status map(struct spool *sp, struct na_err *err)
{
	struct na_input *in = sp->in;
	uint64_t size = sp->at + sp->n;

	if (!size)
		return NA_OK;
	if (ftruncate(sp->fd, (off_t)size) < 0)
		return na_fail_errno(err, "temporary file");
	in->mapped = na_map(sp->fd, (size_t)size);
	if (!in->mapped)
		return na_fail_errno(err, "temporary file: mmap");
	in->data = na_mapped_bytes(in->mapped);
	in->size = (size_t)size;
	/* Reading ahead would fill pages with the zeros of holes. */
	if (sp->holes)
		madvise((void *)(uintptr_t)in->data, in->size, MADV_RANDOM);
	return NA_OK;
}

enum na_status na_spool(struct na_input *in, struct na_feed *s,
			struct na_err *err)
{
	struct spool sp = {.in = in, .s = s, .fd = -1};
	struct na_temporary t;
	enum na_status st;

	st = na_temporary_open(&t, err);
	sp.fd = t.fd;
	if (st == NA_OK)
		st = fill(&sp, err);
	if (st == NA_OK)
		st = map(&sp, err);
	in->file_bytes = s->taken;
	in->packed = na_packing_name(s->packing);
	if (st == NA_OK && s->cut) {
		na_input_warn(in, "%s; what came before it is read", s->why);
		in->damaged = true;
	}
	if (sp.fd >= 0)
		close(sp.fd);
	if (!in->state)
		free(sp.state);
	free(sp.buf);
	return st;
}

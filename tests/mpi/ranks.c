/*
 * The world of MPI, for tests/mpi.sh: ranks WHAT [RANK] [BYTES], as many ranks
 * as mpirun starts.
 *
 *	fine    collectives and messages of up to BYTES; status 0
 *	early   RANK fails at once, the others go on
 *	late    RANK fails after two collectives, without saying so
 *	quiet   RANK leaves with nothing wrong, the others go on
 *	deaf    RANK leaves while the others send it BYTES
 *	end     RANK fails after the last collective
 *	agreed  RANK fails, and says so as it should
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/world/world_mpi.h"

static unsigned char byte_at(size_t i, size_t rank)
{
	return (unsigned char)(i * 31 + (i >> 20) + rank);
}

static unsigned char *make(size_t n, size_t rank)
{
	unsigned char *p = malloc(n + 1);

	if (!p)
		abort();
	for (size_t i = 0; i < n; i++)
		p[i] = byte_at(i, rank);
	return p;
}

static enum na_status look(size_t most, size_t rank, const void *p, size_t n,
			   struct na_err *err)
{
	const unsigned char *b = p;

	if (n != most / (rank + 1))
		return na_fail(err, NA_EFORMAT, "rank %zu: %zu bytes", rank, n);
	for (size_t i = 0; i < n; i++) {
		if (b[i] != byte_at(i, rank))
			return na_fail(err, NA_EFORMAT, "rank %zu: byte %zu",
				       rank, i);
	}
	return NA_OK;
}

/* All is received, also after a failure: who has sent must not wait. */
static enum na_status take_all(struct na_world *w, size_t most,
			       struct na_err *err)
{
	for (size_t from = 1; from < w->size; from++) {
		struct na_err lost = {0};
		void *p = NULL;
		size_t n = 0;

		if (w->ops->recv(w, from, &p, &n, &lost) != NA_OK)
			na_in_err(na_fail(err, lost.status, "%s", lost.text));
		else if (err->status == NA_OK)
			na_in_err(look(most, from, p, n, err));
		free(p);
	}
	return err->status;
}

static enum na_status collect(struct na_world *w, size_t most,
			      struct na_err *err)
{
	size_t n = most / (w->rank + 1), all = w->rank ? 0 : most;
	unsigned char *own = make(n, w->rank);
	void *p = w->rank ? NULL : make(all, 0);
	enum na_status st = na_world_agree(w, err);

	if (st == NA_OK)
		na_in_err(w->rank ? w->ops->send(w, 0, own, n, err)
				  : take_all(w, most, err));
	if (st == NA_OK)
		st = na_world_broadcast(w, &p, &all, err);
	if (st == NA_OK && w->rank)
		st = look(all, 0, p, all, err);
	free(own);
	free(p);
	return st == NA_OK ? na_world_agree(w, err) : st;
}

/* Everybody sends to RANK, which has left. */
static enum na_status send_all(struct na_world *w, size_t to, size_t n,
			       struct na_err *err)
{
	unsigned char *p = make(n, w->rank);
	enum na_status st = w->ops->send(w, to, p, n, err);

	free(p);
	return st;
}

static enum na_status part(struct na_world *w, const char *what, size_t who,
			   size_t bytes, struct na_err *err)
{
	bool me = w->rank == who;

	if (me && strcmp(what, "agreed") == 0)
		na_fail(err, NA_EIO, "said");
	if (me && strcmp(what, "early") == 0)
		return na_fail(err, NA_EIO, "early");
	if (me && (strcmp(what, "quiet") == 0 || strcmp(what, "deaf") == 0))
		return NA_OK;
	if (strcmp(what, "deaf") == 0)
		return send_all(w, who, bytes, err);
	for (size_t i = 0; i < 4; i++) {
		enum na_status st = collect(w, bytes >> i, err);

		if (st != NA_OK)
			return st;
		if (me && strcmp(what, "late") == 0 && i == 1)
			return na_fail(err, NA_EIO, "late");
	}
	return me && strcmp(what, "end") == 0 ? na_fail(err, NA_EIO, "end")
					      : NA_OK;
}

int main(int argc, char **argv)
{
	struct na_world w;
	struct na_err err = {0}, last = {0};
	int code = 1;

	if (na_world_mpi_open(&w, &argc, &argv, "1", &err) == NA_OK &&
	    argc == 4) {
		code = part(&w, argv[1], strtoul(argv[2], NULL, 10),
			    strtoul(argv[3], NULL, 10), &err) == NA_OK
			       ? 0
			       : 1;
		if (code && w.rank == 0)
			fprintf(stderr, "%s\n", err.text);
		na_world_note(&w, err.text);
		na_world_mpi_end(&w, code != 0, &code, &last);
		if (last.status != NA_OK)
			fprintf(stderr, "%s\n", last.text);
	}
	na_world_mpi_close(&w, code);
	return code;
}

#include "netan/world/world_mpi.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

/* A message is its length, and then pieces: MPI counts in int. */
enum { TAG_LENGTH = 1, TAG_PIECE, TAG_END };
enum { PIECE = 1 << 20, VERSION_SIZE = 64 };

/* Who has looked this often leaves its core to others; a rank 0 that failed
 * waits some five seconds for those who still work. */
enum { EAGER_TURNS = 1000, NAP_NS = 100 * 1000, PATIENCE_TURNS = 50 * 1000 };

/* A rank is at the end: from another one to rank 0, from rank 0 to all. */
struct ending {
	uint64_t rank, agreed;
	int32_t code;
	bool failed, torn; /* torn: a message of it was cut off */
	bool last;         /* from rank 0: now all are at the end */
	char node[NA_NODE_BUF];
	char why[sizeof(((struct na_world *)NULL)->why)];
};

struct mpi {
	MPI_Comm comm;
	bool *ended;         /* of each rank: known to be at the end */
	uint64_t least;      /* collectives that one of those took part in */
	struct ending fatal; /* the lowest that failed */
	struct ending last;  /* what rank 0 said at the very end */
	/* A message was cut off: MPI may still look at these, so that they are
	 * of no more use. */
	bool torn;
	char in[PIECE], out[PIECE];
};

static enum na_status mpi_failed(int code, const char *what, struct na_err *err)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int n;

	MPI_Error_string(code, text, &n);
	return na_fail(err, NA_EIO, "MPI: %s: %.200s", what, text);
}

static void take_ending(struct mpi *m, const struct ending *e)
{
	if (e->last)
		m->last = *e;
	m->ended[e->rank] = true;
	m->least = e->agreed < m->least ? e->agreed : m->least;
	m->torn |= e->torn;
	if (e->failed && (!m->fatal.failed || e->rank < m->fatal.rank))
		m->fatal = *e;
}

/* Rank 0 hears of all, the others of rank 0. */
static void look_for_endings(const struct na_world *w)
{
	struct mpi *m = w->ctx;
	int there = 0;

	do {
		struct ending e;
		MPI_Status from;

		if (MPI_Iprobe(w->rank ? 0 : MPI_ANY_SOURCE, TAG_END, m->comm,
			       &there, &from) != MPI_SUCCESS)
			return;
		if (there && MPI_Recv(&e, (int)sizeof(e), MPI_BYTE,
				      from.MPI_SOURCE, TAG_END, m->comm,
				      MPI_STATUS_IGNORE) == MPI_SUCCESS)
			take_ending(m, &e);
	} while (there);
}

/* Is there no more to wait for?  A rank that came to its end after the
 * collective that this one is in has told its neighbours all they need, and
 * one that did not fail, what else they wait for. */
static bool in_vain(const struct na_world *w, size_t other)
{
	const struct mpi *m = w->ctx;

	return m->ended[other] || (w->agreeing && m->least <= w->agreed) ||
	       (m->fatal.failed && m->fatal.agreed <= w->agreed);
}

static enum na_status left(const struct na_world *w, size_t other,
			   struct na_err *err)
{
	const struct mpi *m = w->ctx;

	/* Also one that `other` waits for. */
	for (size_t i = 0; !m->ended[other] && i < w->size; i++)
		other = m->ended[i] ? i : other;
	if (!m->fatal.failed)
		return na_fail(err, NA_EIO, "rank %zu has left", other);
	return na_world_failed(err, NA_EIO, m->fatal.rank, m->fatal.node,
			       m->fatal.why);
}

static void nap(size_t turns)
{
	const struct timespec t = {.tv_nsec = NAP_NS};

	if (turns < EAGER_TURNS)
		sched_yield();
	else
		nanosleep(&t, NULL);
}

/* Messages of one rank come in order: what it sent before its ending is there
 * when that is, so one more look is enough. */
static enum na_status await(const struct na_world *w, size_t other,
			    MPI_Request *request, struct na_err *err)
{
	struct mpi *m = w->ctx;
	bool vain = false;

	for (size_t turns = 0;; turns++) {
		int done = 0, code;

		code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (code != MPI_SUCCESS)
			return mpi_failed(code, "waiting for a rank", err);
		if (done)
			return NA_OK;
		if (vain) {
			m->torn = true;
			return left(w, other, err);
		}
		look_for_endings(w);
		vain = in_vain(w, other);
		if (!vain)
			nap(turns);
	}
}

/* By way of m->out and m->in: a caller's memory would be gone when a message
 * that nobody waits for any more moves after all. */
static enum na_status send_piece(struct na_world *w, size_t to, const void *p,
				 size_t n, int tag, struct na_err *err)
{
	struct mpi *m = w->ctx;
	MPI_Request request;
	int code;

	if (m->torn)
		return left(w, to, err);
	memcpy(m->out, p, n);
	code = MPI_Isend(m->out, (int)n, MPI_BYTE, (int)to, tag, m->comm,
			 &request);
	return code == MPI_SUCCESS ? await(w, to, &request, err)
				   : mpi_failed(code, "sending", err);
}

/* p NULL: it is thrown away. */
static enum na_status recv_piece(struct na_world *w, size_t from, void *p,
				 size_t n, int tag, struct na_err *err)
{
	struct mpi *m = w->ctx;
	MPI_Request request;
	enum na_status st;
	int code;

	if (m->torn)
		return left(w, from, err);
	code = MPI_Irecv(m->in, (int)n, MPI_BYTE, (int)from, tag, m->comm,
			 &request);
	st = code == MPI_SUCCESS ? await(w, from, &request, err)
				 : mpi_failed(code, "receiving", err);
	if (st == NA_OK && p)
		memcpy(p, m->in, n);
	return st;
}

static size_t piece_of(size_t n)
{
	return n < PIECE ? n : PIECE;
}

static enum na_status mpi_send(struct na_world *w, size_t to, const void *p,
			       size_t n, struct na_err *err)
{
	enum na_status st = send_piece(w, to, &n, sizeof(n), TAG_LENGTH, err);

	for (size_t at = 0; st == NA_OK && at < n; at += PIECE)
		st = send_piece(w, to, (const char *)p + at, piece_of(n - at),
				TAG_PIECE, err);
	return st;
}

static enum na_status mpi_recv(struct na_world *w, size_t from, void **p,
			       size_t *n, struct na_err *err)
{
	size_t length = 0;
	enum na_status st;
	char *to;

	*p = NULL;
	*n = 0;
	st = recv_piece(w, from, &length, sizeof(length), TAG_LENGTH, err);
	if (st != NA_OK)
		return st;
	to = malloc(length ? length : 1);
	for (size_t at = 0; st == NA_OK && at < length; at += PIECE)
		st = recv_piece(w, from, to ? to + at : NULL,
				piece_of(length - at), TAG_PIECE, err);
	if (st == NA_OK && !to)
		st = na_fail_nomem(err);
	if (st != NA_OK) {
		free(to);
		return st;
	}
	*p = to;
	*n = length;
	return NA_OK;
}

static const struct na_world_ops mpi_ops = {mpi_send, mpi_recv};

/* Before anything else is said: what ranks of two versions would tell each
 * other is not known to mean the same. */
static enum na_status same_version(const struct na_world *w,
				   const char *version, struct na_err *err)
{
	const struct mpi *m = w->ctx;
	char own[VERSION_SIZE] = "", *all = malloc(w->size * VERSION_SIZE);
	enum na_status st = NA_OK;
	int code;

	if (!all)
		return na_fail_nomem(err);
	snprintf(own, sizeof(own), "%s", version);
	code = MPI_Allgather(own, VERSION_SIZE, MPI_CHAR, all, VERSION_SIZE,
			     MPI_CHAR, m->comm);
	if (code != MPI_SUCCESS)
		st = mpi_failed(code, "comparing versions", err);
	for (size_t i = 1; st == NA_OK && i < w->size; i++) {
		if (strcmp(all, all + i * VERSION_SIZE) != 0)
			st = na_fail(err, NA_EFORMAT,
				     "rank 0 is netan %s, rank %zu netan %s: "
				     "one job needs one version on all nodes",
				     all, i, all + i * VERSION_SIZE);
	}
	free(all);
	return st;
}

static void count_neighbours(struct na_world *w)
{
	const struct mpi *m = w->ctx;
	MPI_Comm node;
	int n = 0;

	if (MPI_Comm_split_type(m->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
				&node) != MPI_SUCCESS)
		return;
	if (MPI_Comm_size(node, &n) == MPI_SUCCESS && n > 0)
		w->neighbours = (size_t)n;
	MPI_Comm_free(&node);
}

enum na_status na_world_mpi_open(struct na_world *w, int *argc, char ***argv,
				 const char *version, struct na_err *err)
{
	int threads, rank = 0, size = 1, code;
	struct mpi *m;

	*w = NA_WORLD_ONE;
	code = MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &threads);
	if (code != MPI_SUCCESS)
		return mpi_failed(code, "starting", err);
	if (threads < MPI_THREAD_SERIALIZED)
		return na_fail(err, NA_EIO,
			       "this MPI is built without threads");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	w->rank = (size_t)rank;
	w->size = (size_t)size;
	w->ops = &mpi_ops;
	m = calloc(1, sizeof(*m));
	if (m)
		m->ended = calloc(w->size, sizeof(*m->ended));
	if (!m || !m->ended) {
		free(m);
		return na_fail_nomem(err);
	}
	w->ctx = m;
	m->comm = MPI_COMM_WORLD;
	m->least = UINT64_MAX;
	count_neighbours(w);
	return same_version(w, version, err);
}

static void say_ending(struct na_world *w, size_t to, const struct ending *e)
{
	struct mpi *m = w->ctx;

	MPI_Send(e, (int)sizeof(*e), MPI_BYTE, (int)to, TAG_END, m->comm);
}

static bool all_ended(const struct na_world *w)
{
	const struct mpi *m = w->ctx;

	for (size_t i = 1; i < w->size; i++) {
		if (!m->ended[i])
			return false;
	}
	return true;
}

/* Those that wait for rank 0 are told before it waits for them. */
static void end_first(struct na_world *w, struct ending *e, int *code,
		      struct na_err *err)
{
	struct mpi *m = w->ctx;

	for (size_t i = 1; i < w->size; i++)
		say_ending(w, i, e);
	for (size_t turns = 0; !all_ended(w); turns++) {
		if (e->failed && turns > PATIENCE_TURNS) {
			m->torn = true;
			break;
		}
		look_for_endings(w);
		nap(turns);
	}
	if (!e->failed && m->fatal.failed) {
		*code = e->code = m->fatal.code;
		na_in_err(left(w, 0, err));
	}
	if (m->torn)
		return; /* the others stay where they are, to be ended */
	e->last = true;
	for (size_t i = 1; i < w->size; i++)
		say_ending(w, i, e);
}

static void end_after(struct na_world *w, const struct ending *e, int *code)
{
	struct mpi *m = w->ctx;

	say_ending(w, 0, e);
	for (size_t turns = 0; !m->last.last; turns++) {
		look_for_endings(w);
		nap(turns);
	}
	*code = m->last.code;
}

void na_world_mpi_end(struct na_world *w, bool failed, int *code,
		      struct na_err *err)
{
	struct mpi *m = w->ctx;
	struct ending e = {.rank = w->rank,
			   .agreed = w->agreed,
			   .code = *code,
			   .failed = failed,
			   .torn = m->torn};

	na_world_node(w, e.node);
	snprintf(e.why, sizeof(e.why), "%s", w->why[0] ? w->why : "has left");
	if (w->rank)
		end_after(w, &e, code);
	else
		end_first(w, &e, code, err);
}

void na_world_mpi_close(struct na_world *w, int code)
{
	struct mpi *m = w->ctx;

	if (!m || m->torn)
		MPI_Abort(MPI_COMM_WORLD, code);
	MPI_Finalize();
	free(m->ended);
	free(m);
	w->ctx = NULL;
}

const char *na_world_mpi_library(void)
{
	static char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int n;

	if (MPI_Get_library_version(text, &n) != MPI_SUCCESS)
		text[0] = '\0';
	return text;
}

/*
 * One analysis by several processes (netan/world): each opens and reads the
 * inputs that are its own; rank 0 gets what they tell and goes on alone.
 *
 *	share out   who opens what: ranges of the inputs in their order, of
 *	            about as many bytes
 *	meet        facts of all inputs come to all (facts.h), so that all
 *	            settle the same origin, runs and filters
 *	read        the others' records come to rank 0 in the order of the
 *	            inputs (send_records.h), so that its store is the one that a
 *	            process alone would have
 *	serve       the others answer what rank 0 asks of their inputs later
 *
 * The others run the same command up to where it has read: then na_session_read
 * returns NA_END on them, with an empty text, when rank 0 is done.  Where their
 * transfers stay with them (local_records.h), it is na_drive that does, after
 * they have gone through the analysis there.  Who cannot go on leaves the world,
 * and rank 0 finds out when it waits for it.
 *
 * What needs all files in one place (packet captures, recorder dumps, logs
 * with communicators) is not shared: rank 0 does all the work, which is said
 * as a detail.
 */
#ifndef NETAN_ENGINE_MPI_MPI_H
#define NETAN_ENGINE_MPI_MPI_H

#include <pthread.h>

#include "netan/engine/blocks.h"
#include "netan/engine/session/files.h"
#include "netan/world/world.h"

struct na_translation;

/* Of the process; the request points to it, NULL where it is alone. */
struct na_mpi {
	struct na_world *world;
	size_t first_worker;  /* the first rank that has inputs */
	bool shared;          /* inputs are, by the session that is open */
	bool serving;         /* all are read: the others wait for questions */
	bool dismissed;       /* this one is not needed any more: NA_END */
	uint64_t heard_bytes; /* by this one */
	bool told_away;       /* under `asking`: which traces are not here */
	pthread_mutex_t asking;
	/* Transfers that stay with who has read them (local_records.h). */
	bool stays;
	bool *kept;                     /* by input */
	uint64_t n_kept, told_bytes;    /* rank 0: by others; to others */
	struct na_chunk_list transfers, spans; /* another rank's own */
	struct na_translation *of;      /* rank 0: by rank */
};

void na_mpi_init(struct na_mpi *t, struct na_world *w);
void na_mpi_fini(struct na_mpi *t);

/* Whether this process looks for the inputs itself. */
bool na_mpi_lists(const struct na_session *s);
/* Sets `owner` and `mine` of the files. */
enum na_status na_mpi_share_out(struct na_session *s, struct na_files *l,
				struct na_err *err) NA_MUST_CHECK;
/* After what is mine is open: the others' sources into the files.  Where they
 * cannot be shared all files are rank 0's afterwards.  NA_END: that rank has
 * nothing more to do. */
enum na_status na_mpi_meet(struct na_session *s, struct na_files *l,
			   struct na_err *err) NA_MUST_CHECK;
/* na_read_blocks() of all inputs into s->store, which is ready; for the others
 * NA_END when rank 0 needs them no more. */
enum na_status na_mpi_read(struct na_session *s, struct na_block_work *work,
			   struct na_err *err) NA_MUST_CHECK;
/* na_store_resolve() of what was read. */
enum na_status na_mpi_resolve(struct na_session *s, bool by_step,
			      struct na_err *err) NA_MUST_CHECK;
/* na_session_actions() of all inputs.  On any thread. */
enum na_status na_mpi_actions(struct na_session *s,
			      const struct na_execution *of, size_t n,
			      na_each_action each, void *arg,
			      struct na_err *err) NA_MUST_CHECK;

#endif

/*
 * Records of a store to that of another process: what a range of inputs has
 * told, with its names, devices and counts.  Both number their inputs alike.
 *
 * What a rank has sent is out of its store afterwards but for its names, so
 * that several ranges follow each other: each is behind those before in the
 * receiver's order of names, too, as in one process.
 */
#ifndef NETAN_ENGINE_MPI_SEND_RECORDS_H
#define NETAN_ENGINE_MPI_SEND_RECORDS_H

#include "netan/engine/mpi/message.h"

struct na_range { /* of inputs */
	size_t from, to;
};

/* The inputs from i on that one rank reads. */
struct na_range na_range_at(const struct na_session *s, size_t i);

/* From the indices of another rank to those of this store. */
struct na_translation {
	struct na_maps m;
	size_t n_cores, n_types;
};

static inline void na_maps_transfer(const struct na_maps *m,
				    struct na_transfer *x)
{
	x->collective = na_map_index(m->names, m->n_names, x->collective);
	x->type = na_map_index(m->names, m->n_names, x->type);
	x->src = na_map_index(m->endpoints, m->n_endpoints, x->src);
	x->dst = na_map_index(m->endpoints, m->n_endpoints, x->dst);
}

/* Sends all of the store, which are records of the range. */
enum na_status na_records_send(struct na_session *s, struct na_range r,
			       struct na_err *err) NA_MUST_CHECK;
/* The range of another rank, behind what the store has. */
enum na_status na_records_receive(struct na_session *s, size_t rank,
				  struct na_range r,
				  struct na_err *err) NA_MUST_CHECK;

/* Names, and which endpoints the inputs of a range record; false: broken, or
 * no memory. */
void na_records_put_names(struct na_xf_bytes *to, const struct na_names *t);
bool na_records_get_names(struct na_cursor *c, struct na_names *t);
void na_records_put_local(struct na_xf_bytes *to, const struct na_store *s,
			  struct na_range r);
bool na_records_get_local(struct na_cursor *c, struct na_store *s,
			  struct na_range r, const struct na_maps *m);

void na_translations_free(struct na_mpi *t);

/* take_record.c: n packed records, or records as they are, of one kind at c,
 * renamed, into the store; false: broken, or (*no_memory) no memory. */
bool na_records_take(struct na_store *s, const struct na_translation *t,
		     struct na_range r, struct na_cursor *c, bool *no_memory);

#endif

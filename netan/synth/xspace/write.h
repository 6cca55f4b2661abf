/*
 * The planes of one host's file, from what the simulation logged.
 */
#ifndef NETAN_SYNTH_XSPACE_WRITE_H
#define NETAN_SYNTH_XSPACE_WRITE_H

#include "netan/synth/hlo/module.h"
#include "netan/synth/xspace/trace.h"

/* Items grouped by a key: those of key k are ids[at[k]] .. ids[at[k+1]-1],
 * in their own order. */
struct na_index {
	uint32_t *ids, *at;
};

NA_MUST_CHECK enum na_status
na_index_build(struct na_index *x, const void *of, size_t n_items,
	       size_t n_keys, uint32_t (*key)(const void *of, size_t item),
	       struct na_err *err);
void na_index_fini(struct na_index *x);

struct na_writer {
	const struct na_job *job;
	struct na_index sent, received, reduced; /* by device */
	struct na_trace trace;
	uint32_t host;
	struct na_module module; /* as this host runs it */
	struct na_rng rng;       /* for what is decoration only */
};

/* device.c */
NA_MUST_CHECK enum na_status
na_write_device(struct na_writer *w, uint32_t local, struct na_err *err);
/* megascale.c */
NA_MUST_CHECK enum na_status na_write_megascale(struct na_writer *w,
						struct na_err *err);
/* host_cpu.c */
NA_MUST_CHECK enum na_status na_write_host_cpu(struct na_writer *w,
					       struct na_err *err);
/* metadata.c */
NA_MUST_CHECK enum na_status na_write_metadata(struct na_writer *w,
					       struct na_err *err);
NA_MUST_CHECK enum na_status na_write_environment(struct na_writer *w,
						  struct na_err *err);

#endif

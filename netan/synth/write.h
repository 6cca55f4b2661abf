/*
 * The planes of one host's file, from what the simulation logged.
 */
#ifndef NETAN_SYNTH_WRITE_H
#define NETAN_SYNTH_WRITE_H

#include "netan/synth/trace.h"

#define NA_MODULE_NAME "jit_train_step"

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
	struct na_rng rng; /* for what is decoration only */
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

/* The program as this host runs it (another one with that fault). */
uint64_t na_writer_program(const struct na_writer *w);

/* Text of an op as a compiler prints it, and its short name. */
void na_hlo_text(const struct na_job *job, const struct na_op *op, char *buf,
		 size_t size);
void na_hlo_name(const struct na_job *job, const struct na_op *op, char *buf,
		 size_t size);
/* "send", "recv-done", "fusion" ... */
const char *na_hlo_opcode(enum na_op_kind kind);
/* hlo_text.c: bytes of the DcnCollectiveInfoProto of a collective. */
void na_hlo_dcn_info(const struct na_job *job, const struct na_coll *c,
		     struct na_wire *out);
/* Bytes of what an op moves or makes. */
uint64_t na_hlo_bytes(const struct na_job *job, const struct na_op *op);
/* "{0:3}x{0:7}": slices by devices. */
void na_hlo_target(const struct na_job *job, char *buf, size_t size);

#endif

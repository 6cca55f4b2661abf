/*
 * The compiled program of one host: its computations and instructions in
 * memory, from which come the names and texts of a trace's ops, the
 * HloProto of its metadata plane, and dump files.
 *
 * Sources: openxla/xla, xla/service/hlo.proto, xla/xla_data.proto, and the
 * text that its printer writes.
 */
#ifndef NETAN_SYNTH_HLO_MODULE_H
#define NETAN_SYNTH_HLO_MODULE_H

#include "netan/base/wire_out.h"
#include "netan/synth/job/job.h"

#define NA_MODULE_NAME "jit_train_step"
#define NA_NO_INST     UINT32_MAX

enum na_inst_shape {
	NA_SHAPE_SCALAR, /* bf16[] */
	NA_SHAPE_ARRAY,  /* bf16[bytes / 256,128] */
	NA_SHAPE_TOKEN,
	NA_SHAPE_IN_FLIGHT, /* (array, u32[], token[]): of send, recv */
	NA_SHAPE_RECEIVED   /* (array, token[]): of recv-done */
};

struct na_inst {
	char name[48];
	const char *opcode;
	enum na_inst_shape shape;
	uint64_t bytes;
	uint32_t computation, operands[2]; /* instructions, or NA_NO_INST */
	uint32_t calls;                    /* computation, or NA_NO_INST */
	int64_t channel;                   /* 0: none */
	const struct na_coll *coll;        /* of a host transfer, or NULL */
	bool bare;                         /* without its attributes */
	/* Replica groups in their compact form: devices dealt to the groups
	 * in turn, `stride` apart within a slice of `slice` devices. */
	uint32_t n_groups, group_size, stride, slice; /* n_groups 0: none */
	uint32_t ring_pairs; /* each of so many devices sends to the next */
};

struct na_computation {
	char name[40];
	uint32_t first, n; /* the last instruction is the root */
};

struct na_module {
	const struct na_job *job;
	struct na_inst *insts;
	size_t n, cap;
	struct na_computation *computations; /* callees first, entry last */
	size_t n_computations, cap_computations;
	uint32_t *of_op; /* by the job's op: its instruction */
	uint64_t program_id;
	uint32_t source_line; /* of the metadata: no part of the program */
	uint32_t inserted, reshaped; /* another program: what differs */
	bool gpu, failed;
};

/*
 * The program as a host runs it: with the fault another one, in which one
 * fusion has another shape and, later, one copy is more.
 */
NA_MUST_CHECK enum na_status na_module_build(struct na_module *m,
					     const struct na_job *job,
					     uint32_t host, struct na_err *err);
void na_module_fini(struct na_module *m);

/* For those that build one: indices; a failure is told by m->failed. */
uint32_t na_module_computation(struct na_module *m, const char *name);
uint32_t na_module_add(struct na_module *m, const struct na_inst *inst);
/* With nothing but an operation and a shape. */
struct na_inst na_inst_plain(const char *opcode, enum na_inst_shape shape,
			     uint64_t bytes);
/* A computation of two parameters and an operation on them. */
uint32_t na_module_binary(struct na_module *m, const char *name,
			  const char *opcode, uint64_t bytes);

/* text.c: "%send.12 = (bf16[...]...) send(...), channel_id=1, ...",
 * with its NUL; out is emptied first. */
void na_inst_text(const struct na_module *m, uint32_t inst,
		  struct na_wire *out);
/* A dump: "HloModule jit_train_step, ..." */
void na_module_text(const struct na_module *m, struct na_wire *out);
/* proto.c: an HloProto. */
void na_module_proto(const struct na_module *m, struct na_wire *out);

/* text.c: bytes of the DcnCollectiveInfoProto of a collective. */
void na_hlo_dcn_info(const struct na_job *job, const struct na_coll *c,
		     struct na_wire *out);
/* The same of one between so many slices, of so many devices each. */
void na_hlo_info(enum na_coll_kind kind, uint32_t slices, uint32_t devices,
		 struct na_wire *out);
/* "{0:3}x{0:7}": slices by devices. */
void na_hlo_target(const struct na_job *job, char *buf, size_t size);

#endif

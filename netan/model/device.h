/*
 * What device planes tell: which ops communicate, when they ran, and when
 * the device was busy with anything else.
 *
 * Device times are the events' own offset and duration.  An op that
 * communicates is a record (na_op) with a type that holds its names and
 * what its HLO says; everything else a device does is only a busy interval
 * (na_busy), so that memory does not grow with what nobody will name.
 *
 * Sources: openxla/xla, xplane_schema.h, xla/service/hlo.proto; what of it
 * is read: docs/formats.md, "XSpace: device planes" and "HLO modules".
 */
#ifndef NETAN_MODEL_DEVICE_H
#define NETAN_MODEL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NA_UNKNOWN_U64 UINT64_MAX

/* What indices of inputs and of na_core need where they are packed: hosts of
 * the largest jobs, with eight devices each. */
enum {
	NA_INPUT_BITS = 20,
	NA_CORE_BITS = 20,
	NA_INPUTS_MAX = (1 << NA_INPUT_BITS) - 1,
	NA_CORES_MAX = (1 << NA_CORE_BITS) - 1
};

/* A rank is a process of a GPU job: its number is that of the whole job. */
enum na_device_kind { NA_DEVICE_TPU, NA_DEVICE_GPU, NA_DEVICE_RANK };

/* A device plane of one input, or a rank. */
struct na_core {
	int32_t number; /* n of /device:TPU:n, of a rank its own */
	uint32_t input; /* na_store fills it in */
	uint8_t kind;   /* enum na_device_kind */
	/* From na_store_resolve(): the endpoint that this is in transfers, or
	 * NA_UNKNOWN_U32; `told` where the trace says so (local_device_id),
	 * else by rank, which needs equal counts. */
	bool told;
	bool tangled; /* busy times came out of order, or from several lines */
	uint32_t endpoint;
};

enum na_opcode {
	NA_OPCODE_OTHER,
	/* With a host transfer: over the data-center network. */
	NA_OPCODE_SEND,
	NA_OPCODE_RECV,
	/* Between devices: inside a slice, or GPU kernels. */
	NA_OPCODE_ALL_REDUCE,
	NA_OPCODE_ALL_GATHER,
	NA_OPCODE_REDUCE_SCATTER,
	NA_OPCODE_ALL_TO_ALL,
	NA_OPCODE_RAGGED_ALL_TO_ALL,
	NA_OPCODE_PERMUTE,
	NA_OPCODE_BROADCAST,
	NA_OPCODE_REDUCE,
	NA_OPCODE_SEND_RECV, /* GPU kernel of point-to-point transfers */
	/* Spans other ops, and does nothing itself: while, call, conditional */
	NA_OPCODE_CONTAINER,
	NA_N_OPCODES
};

/* Where an op is split in two: all-reduce-start and all-reduce-done, send
 * (START) and send-done.  WHOLE: not split. */
enum na_op_phase { NA_OP_WHOLE, NA_OP_START, NA_OP_DONE };

enum na_network { NA_NET_DCN, NA_NET_ICI, NA_NET_GPU, NA_N_NETWORKS };

/* By which way an op got its collective. */
enum na_op_join {
	NA_OPJOIN_NONE,
	NA_OPJOIN_GRAPH,       /* HLO: operands of the -done */
	NA_OPJOIN_CHANNEL,     /* HLO or text: the same channel */
	NA_OPJOIN_SUFFIX,      /* the same .N */
	NA_OPJOIN_LONG_NAME,   /* its own text in the trace */
	NA_OPJOIN_INSTRUCTION, /* its own instruction in the HLO */
	NA_N_OPJOINS
};

/*
 * What is constant over the executions of an op in one program.  Readers
 * fill in what the trace says (its long name, its constants);
 * na_store_join_programs() adds what only the HLO modules know.
 */
struct na_op_type {
	uint64_t program_id;    /* NA_UNKNOWN_U64 */
	int64_t channel;        /* -1: none */
	uint64_t size_bytes;    /* of the result's shape; of a store that was
				joined what moves (hlo.h); NA_UNKNOWN_U64 */
	uint32_t name;          /* "recv-done.7"; of a GPU kernel its hlo_op,
				or the kernel's name where it has none */
	uint32_t kernel;        /* GPU: the kernel's name; NA_UNKNOWN_U32 */
	uint32_t module;        /* hlo_module, without "(id)"; NA_UNKNOWN_U32 */
	uint32_t collective;    /* DCN: rendezvous; else NA_UNKNOWN_U32 */
	uint32_t transfer_type; /* name: "ALL_REDUCE"; NA_UNKNOWN_U32 */
	uint32_t start_op;      /* of a -done: the name of its operand */
	/* Devices of one group (the first; `uneven` where others differ), and
	 * how many groups; 0: not known.  DCN: as dcn_collective_info says;
	 * one-to-one transfers have groups of 1. */
	uint32_t group_size, n_groups;
	uint32_t input;  /* na_store fills it in */
	uint8_t opcode;  /* enum na_opcode */
	uint8_t phase;   /* enum na_op_phase */
	uint8_t network; /* enum na_network */
	uint8_t joined;  /* enum na_op_join: how `collective` is known */
	bool uneven;
	uint8_t pad[3];
};
/* Compared and hashed as bytes: no holes; memset it first. */
_Static_assert(sizeof(struct na_op_type) == 72, "no holes");

/* One execution of an op that communicates. */
struct na_op {
	int64_t start_ps, end_ps;
	uint32_t type; /* index of na_op_type */
	uint32_t core; /* index of na_core */
};
_Static_assert(sizeof(struct na_op) == 24, "millions are kept");

/*
 * A time in which a device did anything else.  Of one core they neither
 * overlap nor stand out of order, unless the core is tangled.  Longer
 * times than the field holds are cut into several.
 */
struct na_busy {
	int64_t start_ps;
	uint64_t length_ps : 44, core : NA_CORE_BITS;
};
_Static_assert(sizeof(struct na_busy) == 16, "millions are kept");
static inline int64_t na_busy_end(const struct na_busy *x)
{
	return x->start_ps + (int64_t)x->length_ps;
}
#define NA_BUSY_MAX_PS ((INT64_C(1) << 44) - 1)
/* 75 minutes: what says that a device was busy for longer at a stretch is
 * damaged, and would be cut into thousands. */
#define NA_OP_MAX_PS (INT64_C(1) << 52)

#endif

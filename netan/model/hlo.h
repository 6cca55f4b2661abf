/*
 * Compiled programs: HLO modules from a trace's metadata plane and from
 * dump files, as far as communication and comparison need them.
 *
 * Sources: openxla/xla, xla/service/hlo.proto, xla/xla_data.proto;
 * docs/formats.md, "HLO modules".
 */
#ifndef NETAN_MODEL_HLO_H
#define NETAN_MODEL_HLO_H

#include "netan/base/err.h"
#include "netan/base/strtab.h"
#include "netan/model/device.h"

struct na_hlo_instruction {
	uint64_t size_bytes; /* of the result's shape; NA_UNKNOWN_U64 */
	int64_t channel;     /* -1: none */
	/* Of its normalised form: without names, ids, metadata and layout of
	 * the dump; operands and computations by their place. */
	uint64_t hash;
	/* Of the same without operands and called computations: what stays
	 * when instructions before it come or go. */
	uint64_t alone;
	uint32_t name;                      /* strings: "send.5" */
	uint32_t opcode_name;               /* strings: "send-done", "fusion" */
	uint32_t computation;               /* index */
	uint32_t first_operand, n_operands; /* of the module's operands */
	uint32_t rendezvous, transfer_type, handler; /* or NA_NO_NAME */
	uint32_t group_size, n_groups; /* 0: not told; the first group */
	uint8_t opcode, phase;         /* enum na_opcode, na_op_phase */
	bool host_transfer, uneven;
	bool all_devices; /* replica_groups={}: every device of the program */
};

struct na_hlo_computation {
	uint32_t name;
	uint32_t first, n; /* its instructions; `first` is an index */
	bool entry;
};

enum na_hlo_form { NA_HLO_PROTO, NA_HLO_TEXT };
enum na_hlo_target { NA_HLO_ANYWHERE, NA_HLO_TPU, NA_HLO_GPU };

struct na_hlo_module {
	uint32_t name;        /* strings: "jit_train_step", without "(id)" */
	uint32_t worker;      /* index of na_hlo.workers */
	uint64_t program_id;  /* NA_UNKNOWN_U64 */
	uint64_t fingerprint; /* over all normalised instructions in order;
				 comparable within one form only */
	uint8_t form;         /* enum na_hlo_form */
	uint8_t target;       /* enum na_hlo_target: by its trace's planes */
	uint32_t input;       /* of whose metadata plane; NA_UNKNOWN_U32: a
				 dump, which is for all inputs */
	uint32_t replicas, partitions; /* 0: not told */
	struct na_hlo_computation *computations;
	size_t n_computations, cap_computations;
	struct na_hlo_instruction *instructions;
	size_t n_instructions, cap_instructions;
	uint32_t *operands; /* indices of instructions; NA_NO_NAME: unknown */
	size_t n_operands, cap_operands;
	/* By instruction its normalised text, where na_hlo.texts is set. */
	uint32_t *texts;
	size_t cap_texts;
};

/* Who runs a program: the host of a trace, or a directory of dumps. */
struct na_hlo_worker {
	char *name;
};

struct na_hlo {
	struct na_strtab strings;
	struct na_hlo_module *modules;
	size_t n_modules, cap_modules;
	struct na_hlo_worker *workers;
	size_t n_workers, cap_workers;
	bool texts; /* keep normalised texts, to show differences */
};

void na_hlo_init(struct na_hlo *h, bool texts);
void na_hlo_fini(struct na_hlo *h);

/* Index of the worker of that name, new or known; NA_NO_NAME: no memory. */
uint32_t na_hlo_worker(struct na_hlo *h, const char *name);

/* An empty module at the end, or NULL; the caller fills it in and may take
 * it back with na_hlo_drop_last() when its source proves damaged. */
struct na_hlo_module *na_hlo_add(struct na_hlo *h);
void na_hlo_drop_last(struct na_hlo *h);
/* All modules of `from` to the end of `into`, with their names and workers;
 * `from`, which may have been read on a thread of its own, is finished either
 * way.  False: no memory. */
bool na_hlo_take(struct na_hlo *into, struct na_hlo *from);
/* Leaves of a module what tells it from others, its counts and fingerprint;
 * its arrays are NULL then. */
void na_hlo_strip(struct na_hlo_module *m);
/* Once a module has all its instructions: its fingerprint. */
void na_hlo_seal(struct na_hlo_module *m);

/* Of hashes and fingerprints: one more number, one more run of bytes. */
static inline uint64_t na_hlo_mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd) +
	    UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}
uint64_t na_hlo_hash(uint64_t h, const void *p, size_t n);

struct na_store;

/* How the device ops of a store got their collective, by enum na_op_join,
 * counted in ops types; for outputs. */
struct na_op_joins {
	uint64_t types[NA_N_OPJOINS];
	uint64_t modules; /* that were there to join with */
};

/*
 * Fills in what the op types of a resolved store leave open: rendezvous,
 * transfer type, size, group and start of a -done.  An op's module is the
 * one of its input with its program id, or its module's name; then a dump
 * with the name.  Within a module: the op's own instruction; a -done takes
 * the rest from its operand's (GRAPH).  Without a module: the op's own text
 * (LONG_NAME) and that of the operand it names (GRAPH), then the ops of the
 * same program and channel (CHANNEL), then those with the same .N (SUFFIX);
 * the last two only where all of them agree.  `h` may be NULL: what the
 * trace's own texts tell.
 *
 * Afterwards size_bytes is what moves: of a start what its -done returns (of
 * sends, what they send), so neither a context nor operands beside the
 * result.  Sends and receives of other runtimes than megascale stay within
 * the host: their opcode is NA_OPCODE_OTHER then.  Ops of one collective
 * share what is known of its groups.  Once for each store.
 */
enum na_status na_store_join_programs(struct na_store *s,
				      const struct na_hlo *h,
				      struct na_op_joins *joins,
				      struct na_err *err) NA_MUST_CHECK;

#endif

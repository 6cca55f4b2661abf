/*
 * The reader of SQLite exports of Nsight Systems.  Opening surveys the file:
 * devices and their kernels (survey.c), the calls of NCCL that launched them
 * (survey.c, payload.c, match.c), ranks (ranks.c) and clocks (about.c).
 * Kernels are read again block by block, by ranges of their rowids, each
 * through a connection of its own (nsight.c).
 *
 * What is read of the format: docs/formats.md, "Nsight Systems".
 */
#ifndef INGEST_NSIGHT_NSIGHT_H
#define INGEST_NSIGHT_NSIGHT_H

#include "ingest/bytes/idmap.h"
#include "ingest/input.h"
#include "ingest/nsight/db.h"
#include "netan/base/strtab.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"

enum na_ns_kind {
	NS_OTHER,
	NS_CALL,   /* "ncclAllReduce" */
	NS_RECORD, /* PyTorch's "nccl:all_to_all" around such calls */
	NS_GROUP_START,
	NS_GROUP_END,
	NS_INIT, /* "ncclCommInitRank" */
	NS_STEP
};

/* A text that matters, of a range or of a kernel. */
struct na_ns_word {
	int64_t number; /* of a step */
	uint32_t name;  /* of na_ns.names */
	uint8_t kind;   /* of a range: enum na_ns_kind */
	uint8_t opcode; /* of the call, or of the kernel */
	bool talks;     /* a kernel that communicates */
};

/* A device of a process: a rank. */
struct na_ns_slot {
	uint64_t process;
	uint32_t device;
	int32_t rank;
	uint64_t kernels, talks;
};

/* Numbers of streams are those of a process: ranks share none.  So the ones
 * that communicate are counted, by ascending number. */
struct na_ns_stream {
	uint32_t slot, number;
	uint32_t ordinal; /* of those of its slot that communicate */
	uint64_t kernels, talks;
};

/* A kernel that communicates. */
struct na_ns_talk {
	int64_t row;
	int64_t call;      /* correlation */
	int64_t launch_ns; /* of its call, where `launched` */
	uint64_t process, thread;
	uint64_t size_bytes, communicator; /* NA_UNKNOWN_U64; 0 */
	uint32_t name, kernel; /* of PyTorch's range, else as `kernel` */
	int32_t peer;          /* in the communicator, then in the job; -1 */
	uint32_t slot, stream;
	uint8_t opcode, record; /* `record`: of PyTorch's range around it */
	bool launched, called;  /* its launch, its calls of NCCL are known */
	bool between_two;       /* which are sends and receives */
};

/* A range on a thread of the host; of INIT: what it was told. */
struct na_ns_range {
	int64_t start_ns, end_ns;
	uint64_t thread;
	uint64_t communicator; /* 0: not told */
	uint64_t size_bytes;   /* NA_UNKNOWN_U64 */
	int64_t number;        /* of STEP: its own; of INIT: how many ranks */
	int32_t peer;          /* of INIT: its rank; -1 */
	uint32_t device;       /* of INIT */
	uint32_t name;
	uint8_t kind, opcode;
};

/* A rank of a communicator. */
struct na_ns_member {
	uint64_t communicator;
	int64_t ranks; /* of the communicator */
	int32_t place; /* its rank there */
	uint32_t slot;
};

/* Ranks that a communicator has, as a name. */
struct na_ns_group {
	uint64_t communicator;
	uint32_t name; /* of na_ns.names */
	uint32_t size;
};

struct na_ns_layout { /* where a field of a payload lies */
	int64_t domain, schema;
	uint64_t offset;
	uint8_t field, width;
};

struct na_ns_block {
	int64_t from, to; /* rowids of kernels */
	uint64_t rows;
	size_t talks; /* the first */
};

struct na_ns {
	struct na_ns_db db; /* open() only */
	struct na_strtab names;
	struct na_idmap word_of; /* ids of StringIds */
	NA_VEC(struct na_ns_word) words;
	struct na_triples slot_keys, stream_keys;
	NA_VEC(struct na_ns_slot) slots;
	NA_VEC(struct na_ns_stream) streams;
	NA_VEC(struct na_ns_talk) talks;
	NA_VEC(struct na_ns_range) ranges; /* calls and records */
	NA_VEC(struct na_ns_range) steps;
	NA_VEC(struct na_ns_range) inits;
	NA_VEC(struct na_ns_member) members;
	NA_VEC(struct na_ns_group) groups; /* by communicator */
	NA_VEC(struct na_ns_layout) layouts;
	NA_VEC(struct na_ns_block) blocks;
	size_t next; /* block to hand out */
	uint64_t n_kernels;
	uint64_t n_blobs, n_payloads; /* of ranges; those understood */
	int64_t first_ns;
	int64_t world;       /* ranks of the job; -1 */
	uint32_t world_name; /* of the group of them all; NA_NO_NAME */
	int64_t shift_ns;    /* from the file's clock to the input's */
	bool has_processes;
};

/* Of a thread or a process: the process. */
#define NA_NS_PROCESS(id) ((uint64_t)(id) & ~UINT64_C(0xffffff))

/* survey.c: tables to memory.  Damage is a warning; NA_ENOMEM, NA_ELIMIT. */
enum na_status na_ns_read_strings(struct na_input *in,
				  struct na_err *err) NA_MUST_CHECK;
enum na_status na_ns_read_kernels(struct na_input *in,
				  struct na_err *err) NA_MUST_CHECK;
enum na_status na_ns_read_launches(struct na_input *in,
				   struct na_err *err) NA_MUST_CHECK;
enum na_status na_ns_read_ranges(struct na_input *in,
				 struct na_err *err) NA_MUST_CHECK;
/* All rows of a table, if it is there; damage in it is a warning. */
typedef enum na_status (*na_ns_one)(void *ctx, struct na_input *in,
				    const struct na_ns_rows *row,
				    struct na_err *err);
enum na_status na_ns_each(struct na_input *in, enum na_ns_table table,
			  na_ns_one one, void *ctx,
			  struct na_err *err) NA_MUST_CHECK;

/* words.c: false: a text that does not matter. */
bool na_ns_word(struct na_ns *x, struct na_text text, struct na_ns_word *word);

/* payload.c */
enum na_status na_ns_read_layouts(struct na_input *in,
				  struct na_err *err) NA_MUST_CHECK;
/* Fills in what the payload of a range says; false: nothing. */
bool na_ns_payload(const struct na_ns *x, struct na_text blob, int64_t domain,
		   struct na_ns_range *to);

/* The same of the text that exports may hold in its place. */
bool na_ns_payload_text(struct na_text json, struct na_ns_range *to);

/* match.c: what each kernel does, from the calls that launched it. */
enum na_status na_ns_match(struct na_ns *x, struct na_err *err) NA_MUST_CHECK;

/* ranks.c: ranks of the slots, names of the groups, peers in the job. */
enum na_status na_ns_rank(struct na_input *in,
			  struct na_err *err) NA_MUST_CHECK;
/* NULL: not told. */
const struct na_ns_group *na_ns_group_of(const struct na_ns *x,
					 uint64_t communicator);

/* about.c: clocks, host, sections; warnings of what is not there.  `calls`: as
 * many ranges of NCCL were read. */
enum na_status na_ns_about(struct na_input *in, size_t calls,
			   struct na_err *err) NA_MUST_CHECK;
/* Of the environment the profiler ran in, the first of these variables that
 * holds a number below `below`; -1. */
int32_t na_ns_environment(struct na_input *in, const char *const *names,
			  size_t n, int32_t below);

#endif

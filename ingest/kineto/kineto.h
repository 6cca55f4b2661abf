/*
 * PyTorch's profiler (Kineto) and others that write Chrome traces of one rank
 * of a GPU job: what the survey finds, and what its files share.
 *
 * The survey walks the file once, event by event.  It keeps where those
 * events stand that give records, four bytes for each; reading a block is
 * going to these.  Of a packed file it walks over the bytes as they are
 * unpacked (spool.c), and no others are kept.
 *
 * Sources: pytorch/kineto libkineto/src/output_json.cpp; pytorch/pytorch
 * torch/csrc/profiler/util.cpp; docs/formats.md, "GPU jobs".
 */
#ifndef INGEST_KINETO_KINETO_H
#define INGEST_KINETO_KINETO_H

#include "ingest/input.h"
#include "ingest/kineto/event.h"
#include "netan/base/str.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"

struct na_json;

/* What an event gives. */
enum kt_kind {
	KT_KERNEL, /* a device is busy */
	KT_TALKS,  /* a kernel that communicates */
	KT_CPU,    /* an operation of a job without kernels */
	KT_STEP,
	KT_DISPATCH, /* a kernel that rocprofv3 saw, whatever it does */
	KT_NONE
};

/* Where an event begins, behind its block's base, and its kind. */
enum { KT_KIND_BITS = 3 };

/* Bytes are those of the file. */
struct kt_block {
	uint64_t base, end;
	size_t first; /* of kineto.events */
};

/* record_param_comms: what an operation was called with. */
struct kt_call {
	uint64_t id; /* "External id" */
	uint64_t at; /* the args: first byte */
	size_t n;
};

/* rocprofv3: a kernel by its number; a GPU by its handle. */
struct kt_symbol {
	uint64_t id;
	struct na_text name;
};

struct kt_category {
	struct na_text name;
	uint64_t events;
	uint32_t wants;
};
enum { KT_CATEGORIES = 64, KT_DEVICES = 64 };

/* How far the survey is while the file is unpacked. */
struct kt_spool {
	enum { KT_HEAD, KT_EVENTS, KT_REST } phase;
	uint64_t at;    /* bytes that were decided about */
	uint64_t array; /* behind the bracket that opens the events; 0: none */
	uint64_t stop;  /* up to here they were walked over */
	struct na_kineto_shape shape;
	struct na_arena texts; /* that the survey keeps */
	bool failed;           /* no memory */
};

struct kineto {
	struct kt_spool spool;
	NA_VEC(struct kt_block) blocks;
	NA_VEC(uint32_t) events;
	size_t next;                      /* block that is cut next */
	NA_VEC(struct kt_call) calls;     /* by id, once the survey is over */
	NA_VEC(struct kt_call) p2p_calls; /* likewise; c10d's */
	NA_VEC(struct kt_symbol) symbols; /* likewise */
	NA_VEC(uint64_t) agents;
	struct kt_category categories[KT_CATEGORIES + 1]; /* last: others */
	size_t n_categories, last_category;
	uint64_t n_events;
	uint64_t n_kernels, n_ranges; /* ranges: gloo:all_reduce and such */
	struct na_strtab kernels;     /* names, and whether they communicate */
	NA_VEC(uint8_t) talks;
	struct na_strtab groups;          /* their names; */
	NA_VEC(const char *) group_ranks; /* "0,1,2" of each */
	int64_t base_ns;
	bool based; /* base_ns is told */
	int64_t first_ns;
	bool has_first;
	bool has_array;     /* of events */
	struct na_text pid; /* of the job's process, on its host */
	uint64_t devices;   /* of kernels: bits, the last of all beyond */
};

/* What the members of `args` say; -1 and NULL: nothing. */
struct kt_args {
	struct na_text collective, type, group, ranks, purpose;
	struct na_text dims, types,
		inputs;  /* lists, of operations on the CPU */
	int64_t in, out; /* elements */
	int64_t sequence, group_size, src, dst;
	int64_t external_id, correlation, stream;
};

struct kt_args kt_args_of(struct na_text args);
/* Is the key that the walker is at one of them? */
bool kt_arg_is_read(const struct na_json *j);

/* cpu.c: gloo's ranges hold the shapes of what goes in (with record_shapes),
 * and c10d's calls around them to whom it goes. */

/* Of kernels the process is the device: its number on the host. */
int32_t kt_device_of(struct na_text pid);

/* Of all tensors that go in; NA_UNKNOWN_U64: not told. */
uint64_t kt_input_bytes(const struct kt_args *a);
/* Is it c10d's call of a send or a receive? */
bool kt_is_p2p_call(struct na_text name);
/* The peer of such a call, a rank of its group; -1: not told. */
int64_t kt_called_peer(const struct kt_args *call);
/* Bytes of an element, by c10's or C++'s name of the type; 0: unknown. */
uint64_t kt_type_bytes(struct na_text type);

/* Microseconds as decimal text: whole ones, and picoseconds on top of them,
 * 0 to 999,999.  False: no such number, or beyond 64 bits of nanoseconds. */
bool kt_time(struct na_text text, int64_t *us, int32_t *ps);
/* The same in nanoseconds, cut off; false, too, for the first microsecond of
 * all that 64 bits hold of these. */
bool kt_time_ns(struct na_text text, int64_t *ns);

/* "[3, 0, 1]" to "0,1,3", appended; how many; 0 where it is no such list or
 * an end of it is left out. */
size_t kt_ranks(struct na_text list, struct na_str *to);

/* "3,5,7": the one at a place; -1: there is none. */
int64_t kt_rank_at(const char *ranks, int64_t place);

/* What stands before "_PID." in a file's name, as PyTorch's handler writes
 * it: its host.  False: the name is another. */
bool kt_host_of_name(const char *path, struct na_text pid,
		     struct na_text *host);

/* rocprofv3's document, behind the bracket that opens it, and one dispatch of
 * it: times in nanoseconds of its clock. */
enum na_status kt_rocprof(struct na_input *in, struct na_json *j,
			  struct na_err *err) NA_MUST_CHECK;
struct kt_dispatch {
	struct na_text start, end, name;
	int64_t stream;
	uint32_t agent;
	uint64_t kernel; /* its number; NA_UNKNOWN_U64 */
};
struct kt_dispatch kt_dispatch_of(const struct kineto *k, struct na_text x);
bool kt_is_rocprof(const struct na_json *j);

/* An event from byte `at` of the file to byte `end` is read later. */
enum na_status kt_keep(struct kineto *k, uint64_t at, uint64_t end,
		       enum kt_kind kind, struct na_err *err) NA_MUST_CHECK;
/* Past what stands between events; and one of them, which begins at s and at
 * byte `at` of the file. */
const char *kt_past_comma(const char *s, const char *end);
enum na_status kt_take_event(struct kineto *k, uint32_t wants,
			     const struct na_kineto_event *e, const char *s,
			     const char *next, uint64_t at,
			     struct na_err *err) NA_MUST_CHECK;
/* As na_reader.spool; the state is the kineto's. */
uint64_t kt_spool(void *state, const uint8_t *p, size_t n, bool last,
		  uint32_t wants, bool *keep);
/* Behind the bracket that opens the events; 0: not among these bytes. */
size_t kt_array_in(struct na_text text);
void kt_note_time(struct kineto *k, struct na_text ts, int power);

/* Fills in in->state, rank and times. */
enum na_status kt_survey(struct na_input *in, struct na_err *err) NA_MUST_CHECK;
/* A slice says here that it is one. */
extern const char kt_cut_member[];
/* What is found of other members than events. */
enum na_status kt_member(struct na_input *in, struct na_json *j,
			 struct na_err *err) NA_MUST_CHECK;

enum na_status kt_read(const struct na_input *in, const struct na_block *b,
		       const struct na_sink *sink,
		       struct na_err *err) NA_MUST_CHECK;

/* Start of an event since the origin; false: it tells none. */
bool kt_starts_at(const struct na_input *in, struct na_text ts, int64_t *ps);
/* The same of nanoseconds of the file's clock. */
bool kt_from_ns(const struct na_input *in, struct na_text text, int64_t *ps);
/* A step, or an operation on the CPU with what it was called with. */
bool kt_is_counted(struct na_text name);
/* cut.c */
enum na_status kt_slice(struct na_input *in, const struct na_slice *of,
			struct na_slice_counts *counts,
			struct na_err *err) NA_MUST_CHECK;

/* What is behind a key: each element of its array that is an object goes to
 * `take`, behind its bracket. */
enum na_status kt_each(struct na_input *in, struct na_json *j,
		       enum na_status (*take)(struct na_input *in,
					      struct na_json *j,
					      struct na_err *err),
		       struct na_err *err) NA_MUST_CHECK;
enum na_status kt_take_host(struct na_input *in, struct na_json *j,
			    struct na_err *err) NA_MUST_CHECK;

/* The ranks of a group by its name, or NULL. */
const char *kt_group(const struct kineto *k, struct na_text name);

#endif

/*
 * PyTorch's profiler (Kineto) and others that write Chrome traces of one rank
 * of a GPU job: what the survey finds, and what its files share.
 *
 * The survey walks the file once, event by event.  It keeps where those
 * events stand that give records, four bytes for each; reading a block is
 * going to these.
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

struct kt_block {
	const char *base, *end;
	size_t first; /* of kineto.events */
};

/* record_param_comms: what an operation was called with. */
struct kt_call {
	uint64_t id; /* "External id" */
	struct na_text args;
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
enum { KT_CATEGORIES = 64 };

struct kineto {
	NA_VEC(struct kt_block) blocks;
	NA_VEC(uint32_t) events;
	size_t next;                      /* block that is cut next */
	NA_VEC(struct kt_call) calls;     /* by id, once the survey is over */
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
};

/* What the members of `args` say; -1 and NULL: nothing. */
struct kt_args {
	struct na_text collective, type, group, ranks, purpose;
	int64_t in, out; /* elements */
	int64_t sequence, group_size, src, dst;
	int64_t external_id, correlation, stream;
};

struct kt_args kt_args_of(struct na_text args);

/* Microseconds as decimal text: whole ones, and picoseconds on top of them,
 * 0 to 999,999.  False: no such number, or beyond 64 bits of nanoseconds. */
bool kt_time(struct na_text text, int64_t *us, int32_t *ps);

/* "[3, 0, 1]" to "0,1,3", appended; how many; 0 where it is no such list or
 * an end of it is left out. */
size_t kt_ranks(struct na_text list, struct na_str *to);

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
};
struct kt_dispatch kt_dispatch_of(const struct kineto *k, struct na_text x);
bool kt_is_rocprof(const struct na_json *j);

/* An event from s to end is read later. */
enum na_status kt_keep(struct kineto *k, const char *s, const char *end,
		       enum kt_kind kind, struct na_err *err) NA_MUST_CHECK;
void kt_note_time(struct kineto *k, struct na_text ts, int power);

/* Fills in in->state, rank and times. */
enum na_status kt_survey(struct na_input *in, struct na_err *err) NA_MUST_CHECK;
/* What is found of other members than events. */
enum na_status kt_member(struct na_input *in, struct na_json *j,
			 struct na_err *err) NA_MUST_CHECK;

enum na_status kt_read(const struct na_input *in, const struct na_block *b,
		       const struct na_sink *sink,
		       struct na_err *err) NA_MUST_CHECK;

/* Past the value behind a key; where it stands, empty when it is damaged. */
struct na_text kt_value(struct na_json *j);
enum na_status kt_take_host(struct na_input *in, struct na_json *j,
			    struct na_err *err) NA_MUST_CHECK;

/* The ranks of a group by its name, or NULL. */
const char *kt_group(const struct kineto *k, struct na_text name);

#endif

/*
 * What an analysis is: an accumulator.  The driver (netan/engine) cuts the
 * kept records into blocks of fixed size, gives each block a state of its
 * own, and merges the states in input order; so one thread and sixteen,
 * one machine and many, give the same result.
 *
 *   open    the state, from parameters and what is known before any record;
 *           NA_END when no record would tell anything
 *   fork    an empty block state, for pass `pass`
 *   add_*   a record into a block state: of each kind of records.def
 *   seal    a block state that is complete
 *   merge   a block state into the main one
 *   turn    after a pass: what it found decides how to go on; NA_END when
 *           no further pass is needed; may be NULL
 *   share   a part of what finish needs, beside other parts
 *   finish  the result
 *
 * An analysis never opens a file, prints or draws.
 */
#ifndef NETAN_ANALYSES_ANALYSIS_H
#define NETAN_ANALYSES_ANALYSIS_H

#include "netan/base/command_info.h"
#include "netan/base/serialize.h"
#include "netan/model/scope.h"
#include "netan/phrases/phrases.h"
#include "netan/result/result.h"

/* What of an analysis goes between processes. */
enum na_packed_state {
	NA_PACKED_BLOCK, /* a block state, sealed; into one that was forked */
	NA_PACKED_LEFT,  /* what blocks of a pass have left in the main state
			    besides; into that of another process */
	NA_PACKED_TURNED /* after a turn, what fork and add of the next pass
			    look at in the main state; likewise */
};

#define NA_COUNTS(KIND) (UINT32_C(1) << NA_RECORDS_##KIND)

struct na_analysis {
	struct na_command_info info;
	uint32_t wants;      /* enum na_want bits */
	bool clips;          /* --from/--to clip, not select */
	bool suspects;       /* its culprits may go to a ledger */
	bool instants;       /* sees clock_skew and no_latency, too */
	bool censored;       /* sees clock_skew, which counts as left out */
	bool both_sides;     /* without --side: rx and tx, not rx alone */
	bool ignores_sends;  /* with both sides: receives count, sends are
				neither used nor left out */
	bool clocks;         /* corrects hosts' clocks: sends and clock_skew
				are read for these, and not shown to it */
	bool by_steps;       /* needs the step of every transfer */
	bool traces_first;   /* what captures tell beside traces is no match for
				what those tell: see na_filter */
	bool runs_on_captures; /* beside traces check asks it of captures alone,
				too */
	bool many;           /* netan-mpi runs it */
	bool forgets;        /* finish looks at no transfers and executions of
				the store */
	/* NA_COUNTS()s of those that it never looks at: who runs beside it may
	 * give them back before. */
	uint32_t passes_over;
	bool every_host;     /* sees ops, steps and program runs of hosts that
				--host leaves out, too: to count them */
	uint32_t components; /* NA_COMP_BIT()s that --component may ask for;
				0: the network's alone */
	uint32_t extra_components; /* that it sees whatever is asked for */
	/* Where all analyses run side by side (check, report): its turn to
	 * begin.  First what takes longest on many hosts or on one, last what
	 * is soon done, so that no thread is left alone with much.  On one
	 * thread those that give records back are last. */
	unsigned begins;
	/* Runs whichever checks are asked for: without it, inputs could not be
	 * told from such that hold nothing. */
	bool basis;
	/* What check says of how much it looked at, it says as the first of
	 * these that had something to analyse: 1, 2, ...; 0: after those. */
	unsigned reports_coverage;
	size_t state_size;
	size_t block_size; /* 0: a block's state is one like the main state */
	unsigned passes;
	/* NA_COUNTS()s: the records of the first pass that were used, unless
	 * finish says otherwise in na_scope.used. */
	uint32_t counts;

	/* The parameters alone, before any file is opened; may be NULL. */
	enum na_status (*check)(const void *params, struct na_err *err);
	enum na_status (*open)(void *state, const struct na_scope *scope,
			       const void *params, struct na_err *err);
	/* These fail with NA_ENOMEM only. */
	enum na_status (*fork)(void *block, const void *state, unsigned pass);
	/*
	 * add_transfer(), add_graph() and so on: one for each row of
	 * records.def, and NULL where the analysis does not look at them.
	 * Records that pass their filter come in the order of the rows, then
	 * of the inputs.  NA_ASIDE: not one of those that were used.  A record
	 * that is not packed lies in the store and stays there.
	 * Of device planes nothing but --host is looked at, since what an op
	 * costs depends on those around it: na_scope.bound answers for times.
	 */
#define NA_RECORD(KIND, chunks, one, type, ...) \
	enum na_status (*add_##one)(void *block, const struct type *x);
#include "netan/model/records.def"
	/* Once a block has all its records, still on its thread; may be
	 * NULL. */
	enum na_status (*seal)(void *block);
	enum na_status (*merge)(void *state, void *block, unsigned pass);
	/* NULL: nothing is decided between passes. */
	enum na_status (*turn)(void *state, unsigned done, struct na_err *err);
	/* Whether nobody looks at transfers and executions of the store after
	 * pass `pass`: neither a later one nor finish.  NULL: see `forgets`. */
	bool (*lets_go)(const void *state, unsigned pass);
	/* Heavy work before finish that can run side by side: share i of n,
	 * always the same n.  May be NULL. */
	enum na_status (*share)(void *state, size_t i, size_t n);
	enum na_status (*finish)(void *state, struct na_result *r,
				 struct na_err *err);
	/* All-zero states too; without fini_block() of block states as well.
	 * NULL: states own nothing. */
	void (*fini)(void *state);
	void (*fini_block)(void *block);

	/* About how many bytes a block state of the next pass takes: the
	 * driver keeps few at once when they are large.  May be NULL. */
	size_t (*weight)(const void *state);

	/*
	 * Where ranks of a job let the transfers that they have read through
	 * it, and one of them merges their blocks (enum na_packed_state); NULL:
	 * that one gets all transfers.  What is unpacked was sent by another
	 * process: every number is looked at before it is used.
	 */
	void (*pack)(void *state, enum na_packed_state what, unsigned pass,
		     struct na_serializer *to);
	void (*unpack)(void *state, enum na_packed_state what, unsigned pass,
		       struct na_deserializer *from);

	/* How bad is what was found, for --fail-on: enum na_severity; may be
	 * NULL.  After finish. */
	enum na_severity (*severity)(const void *state);
};

/* Those that are commands; NULL ends. */
extern const struct na_analysis *const na_analyses[];
const struct na_analysis *na_analysis_find(const char *name); /* or NULL */

/* All of analyses.def, in its order; NULL ends. */
extern const struct na_analysis *const na_evidence[];

/* A fact in English that the result keeps, never NULL; and as a note. */
static inline const char *na_result_say(struct na_result *r,
					struct na_fact fact)
{
	struct na_str s = {0};

	na_say_to(&s, fact);
	return na_result_keep(r, &s);
}

static inline void na_result_note_fact(struct na_result *r, struct na_fact fact)
{
	na_result_note(r, "%s", na_result_say(r, fact));
}

/* As a member, null where it says nothing; or, without a name, as an item of a
 * list, and then only where it says something. */
static inline void na_put_fact(struct na_result *r, struct na_value *in,
			       const char *name, struct na_fact fact)
{
	const char *text = na_result_say(r, fact);

	if (*text || name)
		na_put_text(r, in, name, *text ? text : NULL);
}

#endif

/*
 * From command-line inputs to a store: find the files, survey them, settle
 * the origin, read their blocks on all cores, merge in input order.
 *
 *	na_session_open, na_session_filter, na_session_topology,
 *	na_session_read, na_session_place, any number of na_drive()s,
 *	na_session_close
 *
 * The session owns all that it points to, but the request and its texts,
 * which must outlive it.
 */
#ifndef NETAN_ENGINE_SESSION_SESSION_H
#define NETAN_ENGINE_SESSION_SESSION_H

#include <stdatomic.h>

#include "ingest/discover.h"
#include "ingest/input.h"
#include "ingest/slice.h"
#include "netan/analyses/analysis.h"
#include "netan/engine/parallel.h"
#include "netan/engine/request.h"
#include "netan/model/hlo.h"
#include "netan/model/store.h"

struct na_hang_reading; /* netan/engine/hangs */

struct na_refused {
	const char *path, *label;
	char *why;
	const char *format; /* of one that is left out because of the others;
			       NULL: could not be read */
};

/* Of transfers that another rank of a shared session has read. */
enum na_stay {
	NA_STAY_SENT,    /* rank 0 gets them */
	NA_STAY_COUNTED, /* nobody looks at one, once they are counted */
	NA_STAY_FED      /* they may go through one analysis there */
};

/* Who may look at the records of a kind, and has not ended; and whether one
 * of them has begun to give them back. */
struct na_readers {
	atomic_size_t of[NA_N_RECORDS];
	bool cut[NA_N_RECORDS];
};

struct na_session {
	const struct na_request *request;
	struct na_arena arena;
	struct na_input *inputs; /* the readable ones, in order */
	size_t n_inputs;
	struct na_refused *refused;
	size_t n_refused, cap_refused;
	const char **notes;
	size_t n_notes, cap_notes;
	struct na_source *sources;   /* one for each input */
	size_t *owners;              /* which rank reads it; 0 where alone */
	struct na_run_window *by_run; /* of runs not cut alike; NULL: none */
	struct na_slice_mark window; /* that was asked for, or of the slices
				      * that the inputs are */
	struct na_filter filter;
	struct na_store store;
	struct na_topology *topology;        /* NULL: none given */
	struct na_hosts *hosts;              /* likewise */
	struct na_hlo *programs;             /* NULL: nobody wants them */
	struct na_op_joins joins;            /* of the store with them */
	struct na_input **merged;            /* captures, by run */
	struct na_shared_clocks *clocks;     /* NULL: one analysis alone */
	const struct na_hang_reading *hangs; /* na_session_open_beside() */
	size_t n_logs;                       /* inputs that are its logs */
	bool store_ready;
	bool one_clock;         /* all inputs share the wall clock */
	int64_t origin_unix_ns; /* where one_clock */
	bool damaged, interrupted, only_one;
	enum na_stay stay; /* set before reading */
	bool inputs_told;  /* by another result: not once more in each */
	bool for_one;      /* one analysis is all that looks at the records:
			      they may go as it has seen them */
	struct na_readers *readers; /* several do, and they may go as the last
				       one has; NULL: they stay */
	uint32_t wants;
	struct na_input_asks asks;
	size_t threads;
};

/* Finds, opens and surveys the inputs of q for enum na_want bits.  Says what
 * is wrong itself; NA_OK even when some inputs could not be read (s->refused),
 * as long as one could, else NA_EIO; NA_EUSAGE where they do not belong
 * together: one given twice, or two runs without labels.  What is in *s before
 * does not count; to be closed whatever comes back. */
enum na_status na_session_open(struct na_session *s, const struct na_request *q,
			       uint32_t wants) NA_MUST_CHECK;
/* The same beside a reading of what they tell of hangs, which stays: inputs
 * that are logs are none of the session's, and not refused. */
enum na_status
na_session_open_beside(struct na_session *s, const struct na_request *q,
		       uint32_t wants,
		       const struct na_hang_reading *hangs) NA_MUST_CHECK;
/* Once, after the filter is set: records into the store, resolved; with their
 * steps, if by_step; and HLO modules where s->wants has them.  NA_OK also when
 * interrupted (s->interrupted) and when bytes are damaged (s->damaged). */
enum na_status na_session_read(struct na_session *s, bool by_step,
			       struct na_err *err) NA_MUST_CHECK;
void na_session_close(struct na_session *s);

/* --from, --step, ... into s->filter, times in ps from the origin, which must
 * be known: after open.  NA_EUSAGE for what is no time or step, for a wall
 * clock that the inputs do not share, and for an empty window.  What an
 * analysis makes of it (clip, side, components) is the caller's. */
enum na_status na_session_filter(struct na_session *s,
				 struct na_err *err) NA_MUST_CHECK;
/* window.c, for the filter: which window; of the slices where none is asked
 * for, which is noted.  NA_ENOMEM. */
enum na_status na_session_window(struct na_session *s,
				 struct na_err *err) NA_MUST_CHECK;
/* ... and to the filter, where runs have windows of their own. */
void na_session_join_windows(const struct na_session *s, struct na_filter *f);
/* Once the filter is set: says where it reaches beyond what is in a slice.
 * NA_ENOMEM. */
enum na_status na_session_say_cut(struct na_session *s,
				  struct na_err *err) NA_MUST_CHECK;
/* Whether that filter lets pass what a slice among the inputs does not hold.
 * On any thread. */
bool na_session_is_narrower(const struct na_session *s,
			    const struct na_filter *f);
/* A time as typed, from the origin; false: it is none, or nobody knows. */
bool na_session_moment(const struct na_session *s, const char *text,
		       int64_t *ps);
/* Before reading: of what lasts, as connections do, only what is in the window
 * is to be counted. */
enum na_status na_session_clip(struct na_session *s,
			       struct na_err *err) NA_MUST_CHECK;
/* rank_map.c, for open, when runs are numbered: ranks of inputs that know those
 * of communicators alone, by the others of the run where these tell ranks;
 * without those that nobody knows.  NA_ENOMEM. */
enum na_status na_session_seats(struct na_session *s,
				struct na_err *err) NA_MUST_CHECK;
/* leave.c.  Without those inputs that are `gone`: one warning, "it WHY".  None
 * of them holds several hosts. */
void na_session_leave(struct na_session *s, const bool *gone, const char *why);
/* How many inputs could not be read, of s->refused. */
size_t na_session_unread(const struct na_session *s);
/* None of the inputs holds a byte: an error that says so. */
bool na_session_say_empty(const struct na_session *s, const char *nothing);
/* Of dumps that one rank's recorder wrote, the one that tells most, before
 * runs are looked at for being mixed.  NA_ENOMEM. */
enum na_status na_session_once(struct na_session *s,
			       struct na_err *err) NA_MUST_CHECK;
/* hosts.c, for open: what an input calls its host, into it and its source;
 * then --hosts, which may say where ranks are.  NA_ENOMEM. */
enum na_status na_session_name_host(struct na_session *s, struct na_input *in,
				    struct na_source *to) NA_MUST_CHECK;
/* The rank that an input turns out to be of, into its source.  False: no
 * memory. */
bool na_session_name_rank(struct na_session *s, struct na_input *in,
			  struct na_source *to);
enum na_status na_session_hosts(struct na_session *s,
				struct na_err *err) NA_MUST_CHECK;
/* After reading, whose records they are: "4 hosts", "8 ranks", "16 ranks on 4
 * hosts". */
#define NA_WHO_BUF 96
const char *na_session_who(const struct na_session *s, char buf[NA_WHO_BUF]);
/* What was read: "5 files", "4 traces and 1 capture", "1 file (damaged)",
 * "8 files (2 damaged)". */
#define NA_FILES_BUF 120
const char *na_session_inputs(const struct na_session *s,
			      char buf[NA_FILES_BUF]);
bool na_session_is_damaged(const struct na_session *s, size_t input);
/* Of ranks only, and no transfer between two: says so. */
void na_session_say_no_pairs(const struct na_session *s);
/* Which ranks of the job are not in the input. */
void na_session_note_ranks(const struct na_session *s, struct na_result *r,
			   struct na_value *coverage);
/* captures.c, for open and read.  The files of a run's capture are
 * linked, --filter is looked at. */
enum na_status na_session_captures(struct na_session *s,
				   struct na_err *err) NA_MUST_CHECK;
/* Of captures only, and without a transfer: says so; else false. */
bool na_session_say_no_calls(const struct na_session *s, struct na_result *r);
/* The same where no packet is there, or passes --filter. */
bool na_session_say_no_packets(const struct na_session *s);
/* HLO modules of the traces and of --hlo, where they are wanted: whether
 * --hlo can be, before reading; then into the store. */
enum na_status na_session_programs_check(const struct na_session *s,
					 struct na_err *err) NA_MUST_CHECK;
enum na_status na_session_programs(struct na_session *s,
				   struct na_err *err) NA_MUST_CHECK;
/* After reading: did --hosts name anyone? */
enum na_status na_session_named(struct na_session *s,
				struct na_err *err) NA_MUST_CHECK;

/* All of a file of at most `most` bytes; `what` it should be.  No NUL behind
 * it; *text is to be freed also after a failure.  NA_EIO; NA_ELIMIT: longer;
 * NA_ENOMEM.  err holds no failure before. */
enum na_status na_whole_file(const char *path, size_t most, const char *what,
			     char **text, size_t *n,
			     struct na_err *err) NA_MUST_CHECK;
/* --topology, before reading; nothing without it. */
enum na_status na_session_topology(struct na_session *s,
				   struct na_err *err) NA_MUST_CHECK;
/* Hosts to their places, after reading; says which have none. */
enum na_status na_session_place(struct na_session *s,
				struct na_err *err) NA_MUST_CHECK;

/* Once more through the input of a connection, for its segments in their
 * order: what `each` says but NA_OK ends it.  Nothing where the input holds
 * no packets. */
typedef enum na_status (*na_each_segment)(void *arg,
					  const struct na_segment *x);
enum na_status na_session_segments(struct na_session *s,
				   const struct na_connection *c,
				   na_each_segment each, void *arg,
				   struct na_err *err) NA_MUST_CHECK;

/* Once more through the traces, for the actions of some executions, in input
 * order: what `each` says but NA_OK ends it.  Nothing where an input holds
 * none.  NA_END: the traces are not here any more, which is said once. */
typedef enum na_status (*na_each_action)(void *arg, const struct na_replay *x);
enum na_status na_session_actions(struct na_session *s,
				  const struct na_execution *of, size_t n,
				  na_each_action each, void *arg,
				  struct na_err *err) NA_MUST_CHECK;

/* envelope.c: inputs, origin, coverage around a result; `side`: of which
 * transfers, -1: both. */
void na_envelope(struct na_session *s, struct na_result *r, const char *command,
		 uint64_t used, double duration_s, int side,
		 const uint64_t dropped[NA_N_REASONS]);
/* Says the warnings of input i. */
void na_session_say_damage(const struct na_session *s, size_t i);
/* Says what was wrong with the inputs; no NA_OK after an interruption, and
 * for damage where the request is strict. */
enum na_status na_session_verdict(struct na_session *s) NA_MUST_CHECK;
/* The planes that are there, for who looked for others. */
void na_session_say_planes(const struct na_session *s);
/* The same, and whether damage may have taken away what was looked for. */
void na_session_say_missing(const struct na_session *s);
/* "no network transfers: looked for ...; there is ..." */
void na_session_say_nothing(struct na_session *s, struct na_result *r);
/* Which times, hosts and steps a filter could have let through. */
void na_session_say_there_is(const struct na_session *s);
/* After reading: connections of transfer files, which hold them as a whole,
 * that reach beyond the window and are left out for that. */
uint64_t na_session_left_whole(const struct na_session *s);
#define NA_GIVE_CAPTURE \
	"a transfer file holds connections as a whole; the capture itself " \
	"tells what they did in the window"
/* --host names devices whose file is not here: how to choose them. */
void na_session_say_no_file(const struct na_session *s);
/* False: --host matches none of the hosts whose traces these are. */
bool na_session_any_host(const struct na_session *s);

#endif

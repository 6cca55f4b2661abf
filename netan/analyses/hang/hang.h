/*
 * Hangs: from what logs tell (netan/model/logs/hang.h) to events, who is to
 * blame, who waits for whom, and what to do.
 *
 * One event.  Records are one event when their times lie within two timeouts
 * of each other (a timeout is 5 minutes where none is told) and
 *   - detections wait at launches at most NA_HANGS_APART apart,
 *   - reports have the same cause and the same culprits.
 * A detection and a report need nothing but the time.  Where times are not
 * known, or only one of two tells the year: detections of the same launch; a
 * report with the detections before it in its file; the same report from
 * another file or source.
 *
 * Who blocks whom.  Of workers in several launches, those still in the oldest
 * one; within one launch, the smaller group by module and fingerprint, else by
 * the place where they stand; where these are not fewer than half, nobody can
 * be told.  A bad chip, an input stall and an error block by their host.
 *
 * Sources: openxla/xla docs/megascale (debugging workflow), maxtext's hang
 * playbook; docs/methods.md, "Hangs".
 *
 * Not an analysis of transfers: `netan hang` calls it with what it has read.
 */
#ifndef NETAN_ANALYSES_HANG_HANG_H
#define NETAN_ANALYSES_HANG_HANG_H

#include "netan/analyses/analysis.h"
#include "netan/analyses/hang/stall.h"
#include "netan/model/logs/hang.h"
#include "netan/phrases/phrases.h"
#include "netan/result/result.h"

enum {
	NA_HANGS_APART = 16,     /* launches of one hang */
	NA_HANGS_REPEATED = 3,   /* a host in more events is faulty */
	NA_HANGS_LOOK_BACK = 64, /* events that a record may join */
	NA_HANGS_LINK_HOSTS = 8  /* of one event, whose pairs are links */
};

struct na_hangs_culprit {
	struct na_hang_worker worker;
	uint32_t pc;    /* as written; NA_NO_NAME: not told */
	uint32_t error; /* its text, or NA_NO_NAME */
};

/* Workers in one module, fingerprint and launch. */
struct na_hangs_module {
	uint32_t module, fingerprint;
	int64_t launch_id;
	struct na_hang_names hosts; /* natural order, each once */
};

struct na_hangs_event {
	enum na_hang_cause cause;
	struct na_hang_time time; /* of the first record */
	struct na_hang_time last; /* and of the last */
	int64_t launch_id;        /* the oldest that was awaited; -1 */
	int64_t timeout_ps, awaited, completed; /* -1; of that detection */
	int step_in_progress;
	uint64_t detections, reports, sources;
	NA_VEC(size_t) records;
	size_t report; /* the record that says most; SIZE_MAX: none */
	NA_VEC(struct na_hangs_culprit) culprits;
	NA_VEC(struct na_hangs_module) modules;
	struct na_hang_names blocked_by; /* hosts */
	struct na_hang_names waiting;    /* hosts, where launches tell */
	struct na_fact why;              /* of blocked_by; or why nobody */
};

struct na_hangs_link {
	uint32_t a, b; /* hosts; a before b */
	uint64_t events;
};

/* A host with what speaks against it. */
struct na_hangs_suspect {
	uint32_t host;
	uint64_t events; /* that name it */
	uint64_t seen;   /* in which it appears at all */
	uint64_t links;  /* of suspects by links: how many it explains */
	uint32_t causes; /* bits */
};

struct na_hangs {
	const struct na_hang *logs;
	NA_VEC(struct na_hangs_event) events;      /* by time, then file */
	NA_VEC(struct na_hangs_link) links;        /* most events first */
	NA_VEC(struct na_hangs_suspect) offenders; /* in > 1 event */
	NA_VEC(struct na_hangs_suspect) localised; /* by links */
	uint64_t naming;         /* events that name any host */
	struct na_stalls stalls; /* of ranks of GPU jobs; events, too */
	enum na_severity severity;
	struct na_arena arena; /* of what is told of them in words */
	struct na_phrases phrases;
};

/* Borrows `logs`, and what ranks say of themselves (stall.h), or NULL.
 * na_hangs_fini() is due in any case. */
enum na_status na_hangs_judge(struct na_hangs *x, const struct na_hang *logs,
			      const struct na_flight_record *ranks,
			      struct na_err *err) NA_MUST_CHECK;
void na_hangs_fini(struct na_hangs *x);

/* The body, and what a person sees of it; top 0: all rows.  False: no
 * memory. */
bool na_hangs_result(const struct na_hangs *x, struct na_result *r);
bool na_hangs_views(const struct na_hangs *x, size_t top, struct na_result *r);

/* ---- among themselves */

static inline const char *na_hangs_name(const struct na_hangs *x, uint32_t n)
{
	return na_strtab_at(&x->logs->names, n);
}

static inline const char *na_hangs_say(const struct na_hangs *x,
				       struct na_fact fact)
{
	return na_say(x->stalls.phrases, fact);
}

/* Natural order of two names. */
int na_hangs_order(const struct na_hangs *x, uint32_t a, uint32_t b);

bool na_hangs_accuse(struct na_hangs *x, struct na_hangs_event *e);
bool na_hangs_suspects(struct na_hangs *x);
/* "host-3", or its task where no host is told; NA_NO_NAME: neither. */
uint32_t na_hangs_who(const struct na_hang_worker *w);

/* How many hosts (else tasks) an event blames, and the first four of them. */
size_t na_hangs_blamed(const struct na_hangs_event *e, uint32_t four[4]);
/* The report of an event, or NULL. */
const struct na_hang_record *na_hangs_report(const struct na_hangs *x,
					     const struct na_hangs_event *e);
/* What to do about an event; the i-th advice, NULL behind the last. */
const char *na_hangs_next(const struct na_hangs *x,
			  const struct na_hangs_event *e, size_t i);
/* What its program counters say of a bad chip; of others, no fact. */
struct na_fact na_hangs_counter_fact(const struct na_hangs *x,
				     const struct na_hangs_event *e);
/* The same of a stall of ranks; what the table and the text say of them. */
const char *na_stall_next(const struct na_stalls *x, const struct na_stall *s,
			  size_t i);
void na_stalls_result(const struct na_stalls *x, struct na_result *r,
		      struct na_value *events);
/* How far ranks came, where it is a picture (stall_progress.c); false: no
 * memory. */
bool na_stalls_progress(const struct na_stalls *x, struct na_result *r,
			struct na_value *list);
void na_stalls_view(const struct na_hangs *x, size_t top, struct na_result *r);
void na_stalls_texts(const struct na_hangs *x, size_t most,
		     struct na_result *r);
void na_stalls_notes(const struct na_stalls *x, struct na_result *r);
/* The lines of the i-th event, under its cause; frees them. */
void na_hangs_text(const struct na_hangs *x, size_t i, enum na_hang_cause cause,
		   struct na_str *lines, struct na_result *r);
/* "GPU stuck: ranks 12 and 14 (all_to_all)" */
const char *na_stall_title(const struct na_stalls *x, const struct na_stall *s);
/* "train.py:17 step" */
void na_stall_frame_text(const struct na_stalls *x, const struct na_fr_frame *f,
			 char *buf, size_t size);
/* What tells of an event, in words: a list of texts. */
void na_hangs_evidence(struct na_result *r, struct na_value *row,
		       uint32_t bits);

/* "host-1, host-2 and 3 more"; of none, "". */
const char *na_hangs_names(const struct na_hangs *x, const uint32_t *names,
			   size_t n);
/* A text of the logs, cut off where it is long. */
const char *na_hangs_quoted(const struct na_hangs *x, uint32_t n);

#endif

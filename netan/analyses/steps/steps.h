/*
 * What the files of steps share: steps of devices and hosts, what fills them,
 * and the rules by which the slowest host of a step and the stragglers of a
 * job are told.
 *
 * A step of a device is [start, end) of its Steps line; without one, each run
 * of the program that took most of the device's time.  Its time is
 *
 *   compute   busy with anything that is no communication
 *   overlap   of compute: while a collective was in flight (DCN: start of
 *             send to end of recv-done; ICI and GPU: the op, or from its
 *             start to the end of its -done)
 *   exposed   inside communication ops and not computing: waiting
 *   waiting   of exposed: in ICI and GPU collectives, for devices that come
 *             later: what an execution takes longer than the shortest of it
 *   idle      the rest
 *   gap       since the end of the step before it, where that is the number
 *             before: no part of the step's duration
 *
 * Where a run has neither Steps lines nor program runs, a step is a launch of
 * a program: of each device, from the first transfer that it sends to the end
 * of the last one.  What fills it is not known then, and who waits for whom
 * only by who starts, and who ends, last.
 *
 * The own time of a step is gap + compute + idle: what the device did not
 * spend waiting for others.  In a synchronous job all durations are alike,
 * since everybody waits for the slowest; the one with the longest own time is
 * who they wait for.  A host's step is that of its device with the longest
 * own time (then: longer duration, lower device).
 */
#ifndef NETAN_ANALYSES_STEPS_STEPS_H
#define NETAN_ANALYSES_STEPS_STEPS_H

#include <stdatomic.h>

#include "netan/analyses/analysis.h"
#include "netan/base/str.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"
#include "netan/methods/clocks/host_clocks.h"
#include "netan/model/hosts/absent.h"

/* An effect counts when it is above both (docs/methods.md, "Stragglers"). */
#define ST_EFFECT_SHARE 0.01 /* of the median duration */
#define ST_EFFECT_PS    (50 * NA_PS_PER_US)
/* Transfers that take longer by less are no fault of a network: hosts at
 * different places of a job differ so, as pairs takes it, too. */
#define ST_NETWORK_RATIO 1.25
/* Of a launch, where nobody knows who waited for whom; and of late starts,
 * which earlier transfers cause, too, beside the time to the next launch. */
#define ST_LAUNCH_SHARE 0.03
#define ST_LATE_SHARE   0.05
/* Durations differ notably: then the longest is the slowest. */
#define ST_DIFFER_SHARE 0.05

/* A step of three weeks is none: so sums of its parts fit. */
#define ST_LONGEST_PS (NA_TIME_MAX / 5)

/* ST_WAITS: flag of a segment: waiting for devices that come later. */
enum { ST_IN_FLIGHT = NA_N_NETWORKS, ST_WAITING, ST_WAITS = 8 };

/* One step on one device. */
struct st_cell {
	int64_t start_ps, end_ps, number;
	int64_t gap_ps; /* -1: no step before it */
	int64_t comm_ps[NA_N_NETWORKS], hidden_ps[NA_N_NETWORKS];
	int64_t wait_ps, hidden_wait_ps; /* of comm_ps of ICI and GPU */
	int64_t flight_ps, overlap_ps, busy_ps;
	uint32_t core;
	bool kept; /* by the filters, and the first of its number */
	bool launch;
};

/* Time in which a device communicates: no two overlap.  There is one for
 * each op and more; longer times than the field holds are cut. */
struct st_segment {
	int64_t start_ps;
	uint64_t length_ps : 48, network : 16; /* enum na_network, or
						  ST_IN_FLIGHT: no op runs;
						  ST_WAITS */
};
_Static_assert(sizeof(struct st_segment) == 16, "millions are kept");
#define ST_SEGMENT_MAX_PS ((INT64_C(1) << 48) - 1)

struct st_line { /* of a core; behind these, of a device by launches */
	size_t cell_from, cell_to;
	NA_VEC(struct st_segment) segments;
	bool programs; /* its steps are runs of a program */
	uint8_t told;  /* enum na_step_told: the last of its steps' */
	uint32_t host; /* by launches */
};

/* A step or program run as gathered. */
struct st_span {
	int64_t start_ps, end_ps, number;
	uint32_t core, name;
	bool program;
	uint8_t told; /* enum na_step_told */
};

/* Transfers of a launch at a device: of its key. */
struct st_launch {
	int64_t first_send_ps, first_receive_ps; /* NA_TIME_MAX: none */
	int64_t last_ps;
};

/* What others tell of a host, in a launch (or step): of a collective, when the
 * first of its transfers was sent; of all, when the last had come to it. */
struct st_unseen {
	int64_t first_ps, last_ps; /* NA_TIME_MAX, NA_TIME_MIN: none */
	na_i128 latency_ps;        /* of its transfers, but for timeless ones */
	uint64_t n, timeless;      /* its transfers; that show no time */
};

/* What a rank waits in an execution. */
struct st_wait {
	int64_t start_ps, end_ps;
	uint32_t core;
};

/* Busy time within a cell. */
struct st_busy {
	size_t cell;
	int64_t busy_ps, hidden_ps[NA_N_NETWORKS], overlap_ps, hidden_wait_ps;
};

/* Transfers of a collective's instance at one host. */
struct st_share {
	int64_t first_send_ps, last_receive_ps; /* NA_TIME_MAX, NA_TIME_MIN */
	na_i128 latency_ps;                     /* of all, in and out */
	int64_t unsure_ps;                      /* what the clocks leave open */
	uint32_t n, step;
};

enum st_cause {
	ST_NONE,
	ST_COMPUTATION,
	ST_INPUT,
	ST_NETWORK,
	ST_LATE_START,
	ST_CAUSES
};
extern const char *const na_steps_cause_names[ST_CAUSES];

/* A host's step. */
struct st_host_step {
	const struct st_cell *cell; /* of its slowest device */
	uint32_t host, run;
	int64_t own_ps, period_ps;
	int64_t late_ps;       /* own - the (lower) median host's */
	int64_t waits_less_ps; /* exposed of the median host - its own; of a
				  launch its gap - the median host's */
	na_i128 network_ps;    /* latencies: sum over instances of means */
	na_i128 unsure_ps;
	bool slowest;
};

enum st_measure { /* of a host's step, in ps */
		  ST_OWN,
		  ST_PERIOD,
		  ST_DURATION,
		  ST_COMPUTE,
		  ST_OWN_REST, /* own time without computing */
		  ST_EXPOSED,
		  ST_LATENCY,
		  ST_LATENCY_SEEN, /* not known of who sends and receives nothing */
		  ST_GAP,
		  ST_START, /* these two on one clock */
		  ST_END
};

struct st_step { /* of a run; host steps [from, to) */
	int64_t number, start_ps, end_ps;
	size_t from, to;
	size_t slowest;  /* host step; SIZE_MAX: one host */
	int64_t late_ps; /* of the slowest, behind the median host */
	int64_t lost_ps; /* of the slowest, behind the second */
	int64_t spread_ps;
	enum st_measure by; /* that decided who is the slowest */
	enum st_cause cause;
	uint32_t run;
};

enum st_test {
	ST_OF_STEPS,     /* slowest of a step */
	ST_OF_STARTS,    /* last to send first */
	ST_OF_ENDS,      /* last to receive last */
	ST_OF_TRANSFERS, /* whose transfers take longest */
	ST_TESTS
};

struct st_verdict { /* of a host by one test */
	uint64_t n, last;
	double expected; /* sum of 1 / participants */
	double log_odds; /* that it is not like the others; NaN: no test */
	int64_t effect_ps;  /* median lateness where it is last */
	int64_t typical_ps; /* median duration */
	int64_t start_ps;   /* ENDS: median lateness of its starts there */
	na_i128 lost_ps;
	bool named;
};

/* Of a run, steps of more than twice the median as one host was late by what it
 * did itself, whom nothing else names for it. */
struct st_hiccup {
	const struct st_step *step; /* the longest of them; NULL: none */
	double took_ms, median_ms;
	size_t n;
};

/* Over the hosts of a step, or the steps of a host. */
struct st_sums {
	size_t n;
	na_i128 duration_ps, busy_ps, flight_ps, overlap_ps, idle_ps, gap_ps;
	na_i128 exposed_ps[NA_N_NETWORKS], waiting_ps;
};

struct st_host {
	uint32_t host, run;
	size_t n, from; /* steps: by_host[from, from + n) */
	size_t slowest; /* of them */
	struct st_verdict tests[ST_TESTS];
	uint64_t causes[ST_CAUSES]; /* of steps in which it is slowest */
	na_i128 lost_ps[ST_CAUSES]; /* what these cost */
	enum st_cause cause;
	bool straggler;
	enum st_test evidence; /* of a straggler */
	/* Of several stragglers that are ranks: how much shorter its own work
	 * makes the mean step while the others stay late; -1: not told. */
	int64_t gain_ps, together_ps; /* and if none of them were */
	double waited_ms; /* of its own time, that steps wait; NaN: not known */
	/* Of a host that is late as one: its late ranks, which point to it;
	 * `host` is the first. */
	size_t n_ranks;
	const struct st_host *unit;
	double p99_ms, behind_ms; /* of durations; median of late_ps */
	struct st_sums sums;      /* over its steps */
};

/* Devices whose file is missing; named: they are whom the others wait for. */
struct st_late_group {
	uint32_t group;      /* of st_state.absent */
	struct st_verdict v; /* of launches, or steps: last to begin */
	double p;            /* as often by chance; NaN: not tried */
};

struct st_change {
	uint32_t run, host; /* NA_UNKNOWN_U32: all hosts' mean duration; of one
			       host its own time against the others' */
	bool drift;
	int64_t step;
	double from_ms, to_ms, p;
};

/* What blocks gather, and the main state from all of them. */
struct st_gathered {
	NA_VEC(struct st_span) spans;
	NA_VEC(const struct na_op *) ops;
	NA_VEC(struct na_comm) comms;    /* of ranks of GPU jobs */
	struct na_triples instances;     /* launch or step, iteration, kind */
	struct na_triples keys;          /* collective, instance, host */
	NA_VEC(struct st_share) shares;  /* by key */
	struct na_triples launches_seen; /* launch or step, 0, kind */
	struct na_triples unseen_keys; /* launch seen, collective, host; behind
					  all hosts: those without a file */
	NA_VEC(struct st_unseen) unseen;   /* by key */
	struct na_triples launch_keys;     /* launch, endpoint, host */
	NA_VEC(struct st_launch) launches; /* by key */
};

struct st_block {
	const struct st_state *main;
	unsigned pass;
	struct st_gathered got;
	/* pass 1 */
	NA_VEC(struct st_busy) busy;
	struct { /* where the last busy time was met */
		uint32_t core;
		int64_t start_ps;
		size_t cell, segment;
		bool set;
	} at;
};

struct st_state {
	const struct na_scope *scope;
	struct st_gathered got;
	struct na_absent absent;
	NA_VEC(struct st_late_group) late_groups; /* by group */
	/* after pass 0 */
	const struct na_host_clocks *clocks;
	struct na_host_clocks own_clocks; /* where nobody shares them */
	struct st_cell *cells;            /* by core, then start */
	size_t n_cells;
	struct st_line *lines; /* by core */
	size_t n_lines;
	bool *by_launch;      /* by run */
	atomic_bool *matched; /* by run: it is known who waits */
	bool *of_ranks;       /* by input */
	/* Only in turn. */
	NA_VEC(struct st_wait) waits; /* of ranks, by core, then start */
	int64_t *op_waits;            /* by op: what its execution waits from
					 its start on */
	uint64_t repeated, unnamed, cut, filtered;
	bool by_order; /* steps without numbers in common */
	/* after pass 1 */
	struct st_host_step *host_steps; /* by run, step, host */
	size_t n_host_steps;
	struct st_step *steps;
	size_t n_steps;
	struct st_host *hosts; /* that have steps or transfers */
	size_t n_hosts;
	const struct st_host **stragglers; /* by run, most lost first */
	size_t n_stragglers;
	struct st_host *units; /* hosts that are named for their ranks */
	size_t n_units;
	size_t *by_host; /* host steps by host */
	NA_VEC(struct st_change) changes;
	struct st_hiccup *hiccups; /* by run */
	struct na_extent used; /* steps of devices */
	enum na_severity severity;
};

/* lines.c: from what was gathered to cells and segments.  False: no
 * memory. */
bool na_steps_build_lines(struct st_state *s) NA_MUST_CHECK;
/* segments.c: of each line, from the ops, which are sorted, and the waits; both
 * are gone then. */
bool na_steps_build_segments(struct st_state *s) NA_MUST_CHECK;
void na_steps_drop_segments(struct st_state *s);
/* busy.c: into a block. */
bool na_steps_add_busy(struct st_block *b,
		       const struct na_busy *t) NA_MUST_CHECK;

/* hosts.c: cells to steps of hosts; who is slowest, and why. */
bool na_steps_build_hosts(struct st_state *s) NA_MUST_CHECK;
/* gather.c: the step of a run; NULL: there is none. */
struct st_step *na_steps_at(const struct st_state *s, uint32_t run,
			    int64_t number);
/* Once transfers are placed. */
bool na_steps_judge_steps(struct st_state *s) NA_MUST_CHECK;
static inline int64_t na_steps_duration(const struct st_cell *c)
{
	return c->end_ps - c->start_ps;
}
/* Since the step before; 0 where there is none. */
static inline int64_t na_steps_gap(const struct st_cell *c)
{
	return c->gap_ps > 0 ? c->gap_ps : 0;
}
static inline int64_t na_steps_exposed_of(const struct st_cell *c, int network)
{
	return c->comm_ps[network] - c->hidden_ps[network];
}
static inline int64_t na_steps_waiting(const struct st_cell *c)
{
	return c->wait_ps - c->hidden_wait_ps;
}
static inline int64_t na_steps_segment_end(const struct st_segment *m)
{
	return m->start_ps + (int64_t)m->length_ps;
}
static inline unsigned na_steps_network_of(const struct st_segment *m)
{
	return m->network & (ST_WAITS - 1);
}
static inline int64_t na_steps_common(int64_t a0, int64_t a1, int64_t b0,
				      int64_t b1)
{
	int64_t from = a0 > b0 ? a0 : b0, to = a1 < b1 ? a1 : b1;

	return to > from ? to - from : 0;
}
int64_t na_steps_exposed(const struct st_cell *c);
int64_t na_steps_idle(const struct st_cell *c);
void na_steps_sum_up(struct st_sums *x, const struct st_cell *c);
/* Whether a difference is worth telling beside a duration: above ST_EFFECT_PS
 * and this share of it. */
bool na_steps_notable(int64_t ps, int64_t typical_ps, double share);
static inline bool na_steps_late(int64_t ps, int64_t typical_ps)
{
	return (double)ps > ST_LATE_SHARE * (double)typical_ps;
}

static inline uint32_t na_steps_host_of(const struct st_state *s, uint32_t core)
{
	const struct na_devices *d = &s->scope->store->devices;

	return core < d->n_cores ? d->cores[core].input : s->lines[core].host;
}

/* Whether --host lets it pass: of what it leaves out, steps are counted. */
static inline bool na_steps_passes(const struct st_state *s, uint32_t core)
{
	const struct na_devices *d = &s->scope->store->devices;

	return na_filter_input(s->scope->bound, d->cores[core].input);
}

/* The rank whose trace a host's is, in a GPU job; -1: none, or several. */
int32_t na_steps_rank_of(const struct st_state *s, uint32_t host);

/* Whether its clock can be compared with others'. */
static inline bool na_steps_is_tied(const struct st_state *s, uint32_t host)
{
	return host < s->clocks->n_hosts &&
	       s->clocks->uncertainty_ps[host] != NA_TIME_MAX;
}

/* Of those hosts of a step of whom it is known. */
struct st_field {
	size_t n;
	na_i128 median; /* the lower one */
	na_i128 most, second, least;
	size_t at; /* host step of the most; the first; SIZE_MAX: none */
	enum st_measure of;
};

/* False: not known.  *group: NA_UNKNOWN_U32 before the first of a step. */
bool na_steps_measure(const struct st_state *s, const struct st_host_step *x,
		      enum st_measure m, uint32_t *group, na_i128 *ps);
/* tmp: room for the hosts of the step. */
struct st_field na_steps_survey(const struct st_state *s,
				const struct st_step *t, enum st_measure m,
				na_i128 *tmp);
/* What the host of the most costs the others. */
void na_steps_blame(struct st_step *t, const struct st_field *f,
		    enum st_cause cause);
/* As far as int64_t reaches: sums of hostile latencies may be anything. */
static inline int64_t na_steps_cut(na_i128 ps)
{
	return ps > NA_TIME_MAX    ? NA_TIME_MAX
	       : ps < -NA_TIME_MAX ? -NA_TIME_MAX
				   : (int64_t)ps;
}
/* Hosts whose clocks are known to each other: those in the group of the first
 * that is asked for.  *group: NA_UNKNOWN_U32 before. */
bool na_steps_same_clock(const struct st_state *s, uint32_t host,
			 uint32_t *group);

/* launches.c: launches of programs, in place of steps. */
bool na_steps_add_launch(struct st_gathered *g,
			 const struct na_transfer *t) NA_MUST_CHECK;
bool na_steps_merge_launches(struct st_gathered *g,
			     const struct st_gathered *from) NA_MUST_CHECK;
/* Into cells that have room, of runs that have no others. */
bool na_steps_build_launches(struct st_state *s) NA_MUST_CHECK;
/* Who is slowest in a launch, and why; tmp as for na_steps_survey(). */
void na_steps_judge_launch(struct st_state *s, struct st_step *t, na_i128 *tmp);

/* unseen.c: of hosts without a file, once clocks are known. */
bool na_steps_add_unseen(struct st_block *b,
			 const struct na_transfer *t) NA_MUST_CHECK;
bool na_steps_merge_unseen(struct st_gathered *g,
			   const struct st_gathered *from) NA_MUST_CHECK;
bool na_steps_judge_unseen(struct st_state *s) NA_MUST_CHECK;

/* waits.c: from ops, which get sorted, and program runs. */
bool na_steps_find_waits(struct st_state *s) NA_MUST_CHECK;
/* ranks.c: the same of ranks, before they are sorted. */
bool na_steps_find_rank_waits(struct st_state *s) NA_MUST_CHECK;
/* Steps that are long since their collectives are. */
bool na_steps_judge_transfers(struct st_state *s) NA_MUST_CHECK;

/* gather.c: transfers of each instance of a collective. */
bool na_steps_add_transfer(struct st_block *b,
			   const struct na_transfer *t) NA_MUST_CHECK;
bool na_steps_merge_transfers(struct st_gathered *g,
			      const struct st_gathered *from) NA_MUST_CHECK;
/* Latencies of transfers into the host steps. */
void na_steps_place_transfers(struct st_state *s);

/* judge.c: the stragglers. */
bool na_steps_judge_hosts(struct st_state *s) NA_MUST_CHECK;
/* named.c */
bool na_steps_name_stragglers(struct st_state *s) NA_MUST_CHECK;
/* sets.c: ranks that are late together, once each is judged alone.  Memory: a
 * pointer for each step of a host; O(hosts^2 steps) at worst. */
bool na_steps_find_sets(struct st_state *s) NA_MUST_CHECK;
/* Whether a host is the straggler, or one of the ranks of that. */
static inline bool na_steps_is_part(const struct st_host *straggler,
				    const struct st_host *h)
{
	return h == straggler || (h->unit && h->unit == straggler);
}

/* course.c: sums of each host; drifts and changes. */
bool na_steps_judge_course(struct st_state *s) NA_MUST_CHECK;

/* hiccup.c: `hiccups`, once hosts are judged. */
bool na_steps_find_hiccups(struct st_state *s) NA_MUST_CHECK;
/* Of one that is there: "step 2 took 183 ms (median 74.6): host-4 ..." */
void na_steps_say_hiccup(struct na_str *t, const struct st_state *s,
			 const struct st_hiccup *x);
/* Whether the verdict names a host for such steps already. */
bool na_steps_tells_waits(const struct st_state *s, const struct st_host *h,
			  enum st_cause cause);
/* NULL: it has no steps. */
const struct st_host *na_steps_host(const struct st_state *s, uint32_t host);

/* result.c, views.c */
/* Devices with steps, by what these were told (enum na_step_told). */
void na_steps_count_told(const struct st_state *s,
			 size_t n[NA_STEP_BY_TIME + 1]);
enum na_status na_steps_finish(void *state, struct na_result *r,
			       struct na_err *err) NA_MUST_CHECK;
/* Into a list, in their order, the n longest steps of all; false: no memory. */
bool na_steps_put_longest(struct na_result *r, struct na_value *list,
			  const struct na_value *all, size_t n) NA_MUST_CHECK;
void na_steps_views(struct na_result *r, const struct st_state *s);
/* picture.c: what only the picture needs, into the side. */
void na_steps_put_picture(struct na_result *r, const struct st_state *s);
/* cost.c */
enum na_status na_steps_find_costs(struct st_state *s,
				   struct na_err *err) NA_MUST_CHECK;
/* What a straggler's own work takes longer in each step: how far it is behind
 * the median host, times the share of the steps in which it is last.  NaN: it
 * is slow by its transfers, or nobody can tell. */
double na_steps_own_ms(const struct st_host *h);
/* What of that the steps wait for, where it is known, else all of it: they
 * wait for that at most. */
double na_steps_cost_ms(const struct st_host *h);
/* "at most"; NULL: it is known. */
const char *na_steps_cost_is(const struct st_host *h);
/* words.c */
/* Whether it is one of several stragglers that are late together. */
bool na_steps_together(const struct st_state *s, const struct st_host *h);
/* The least steps of a run in which it can be told from chance that one host,
 * of a GPU job one rank, was the slowest in all of them by what it does itself;
 * 0: nobody to compare, or collectives tell it of ranks, too. */
size_t na_steps_enough(const struct st_state *s, uint32_t run);
enum { ST_VERDICT_BUF = 1024 };
const char *na_steps_verdict(char buf[ST_VERDICT_BUF],
			     const struct st_state *s);
/* The same for a title. */
const char *na_steps_message(char buf[ST_VERDICT_BUF],
			     const struct st_state *s);

#endif

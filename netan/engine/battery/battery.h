/*
 * All analyses over one reading of the inputs, each with a result of its
 * own: what `check` judges and `report` shows.
 */
#ifndef NETAN_ENGINE_BATTERY_BATTERY_H
#define NETAN_ENGINE_BATTERY_BATTERY_H

#include "netan/checks/check.h"
#include "netan/engine/analyse.h"
#include "netan/engine/hangs/hangs.h"

enum { NA_MAX_EVIDENCE = 32, NA_MAX_CAPTURED = 8 };

/* What looks at the records while the analyses run, on one thread, and leaves
 * no exhibit. */
struct na_extra_analysis {
	const struct na_analysis *analysis;
	const void *params;
};
enum { NA_MAX_EXTRA = 4 };

struct na_battery {
	struct na_session session;
	struct na_hang_reading hangs; /* beside it */
	/* One for each row of analyses.def, in its order, then "session" (what
	 * was read: an envelope, and counts in its side tree; inventory.h),
	 * then what else was put there; n of them. */
	struct na_exhibit exhibits[NA_MAX_EVIDENCE];
	/* That they are of; NULL: of none. */
	const struct na_analysis *analyses[NA_MAX_EVIDENCE];
	struct na_result *owned[NA_MAX_EVIDENCE];
	struct na_driven driven[NA_MAX_EVIDENCE];
	size_t n;
	/* Where traces and captures tell transfers: what some analyses make of
	 * captures alone, and what is of packets in any case. */
	struct na_exhibit captured[NA_MAX_CAPTURED];
	struct na_result *of_captures[NA_MAX_CAPTURED];
	size_t n_captured, n_of_captures;
	uint64_t used;             /* most that one of them used */
	int64_t first_ps, last_ps; /* of all together */
};

/*
 * Opens and reads the inputs of q, once, and runs the analyses whose names
 * `wanted` lets pass (NULL: all), and the basis; the others are not there.
 * They run side by side, without --by, and `beside` them its n, at most
 * NA_MAX_EXTRA.  q is borrowed as long as the battery; q->params() makes the
 * options of each, the capacity for those that take one.
 *
 * Says what is wrong itself.  NA_OK also where some had nothing to analyse:
 * their exhibit has no result then, but says what is missing.  Else as
 * na_session_open(), na_session_filter(), na_session_read() and na_drive().
 * Close it whatever comes back.
 */
enum na_status na_battery_run(struct na_battery *b, const struct na_request *q,
			      bool (*wanted)(void *ctx, const char *name),
			      void *ctx, const struct na_extra_analysis *beside,
			      size_t n) NA_MUST_CHECK;
/* One more exhibit, from elsewhere: r is owned from now on; or NULL, with what
 * is missing.  Both texts outlive the battery.  With NA_MAX_EVIDENCE of them
 * there, r is freed and nothing is added. */
void na_battery_add(struct na_battery *b, const char *name, struct na_result *r,
		    const char *missing);
/* Of the exhibit of that name; NULL: there is none. */
const struct na_result *na_battery_result(const struct na_battery *b,
					  const char *name);
/* The exhibit, by its index, whose count of what was used and left out says
 * most: of an analysis that had something to analyse; 0: none had. */
size_t na_battery_told_by(const struct na_battery *b);
/* programs.c: exhibit "hlo", of what the session has read: the first run whose
 * hosts differ, else the first with two hosts to compare; missing without
 * such a run. */
enum na_status na_battery_programs(struct na_battery *b,
				   struct na_err *err) NA_MUST_CHECK;
/* hangs.c: exhibit "hang", of what b->hangs has read; missing where that is
 * nothing. */
enum na_status na_battery_hangs(struct na_battery *b,
				struct na_err *err) NA_MUST_CHECK;
void na_battery_close(struct na_battery *b);

#endif

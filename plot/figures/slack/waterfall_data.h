/* What the waterfall shows, and which rows when they are too many. */
#ifndef PLOT_FIGURES_SLACK_WATERFALL_DATA_H
#define PLOT_FIGURES_SLACK_WATERFALL_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "netan/base/err.h"
#include "netan/result/result.h"
#include "plot/words.h"

enum wf_kind {
	WF_D2H,
	WF_SEND,
	WF_NETWORK,
	WF_COMPUTE,
	WF_H2D,
	WF_WAIT, /* these two hatched */
	WF_LATE_PEER,
	WF_RECV_DONE,
	WF_RECEIVE, /* activated, and nothing there yet */
	WF_KINDS
};

enum { WF_ROWS_MAX = 1024, WF_STEPS_MAX = 4096 };

struct wf_host {
	const char *name;
	double ahead_us, uncertainty_us; /* NaN: not known */
	bool trace;
	size_t rows, shown;
	double y; /* of its name; the figure's */
};

struct wf_row {
	const char *device, *kind_name, *peer; /* peer: NULL */
	double from_us, to_us, network_us;     /* NaN */
	long chunk;                            /* -1 */
	enum wf_kind kind;
	size_t host;
	bool critical, shown;
	double y; /* of its middle; the figure's */
};

struct wf_step {
	enum wf_kind kind;
	double from_us, to_us;
	long row; /* -1 */
};

struct waterfall {
	const struct na_value *late; /* NULL: nothing was late */
	struct words empty;          /* a sentence; n 0: there is a path */
	struct wf_host *hosts;
	struct wf_row *rows;
	struct wf_step *steps;
	size_t n_hosts, n_rows, n_steps;
	double length_us, from_us, to_us; /* what is shown */
	double more; /* actions that the result does not hold */
	size_t hidden;
};

enum na_status na_wf_read(struct waterfall *w, const struct na_result *r,
			  struct na_err *err) NA_MUST_CHECK;
void na_wf_fini(struct waterfall *w);
/* Rows that are shown: with one line for each and for each host, `lines` in
 * all; those on the path first, then the longest. */
void na_wf_choose(struct waterfall *w, size_t lines);
/* "s1d0 send to s0d0, chunk 2" */
void na_wf_label(const struct wf_row *row, struct words *w);
void na_wf_title(const struct waterfall *w, struct words *out);
void na_wf_subtitle(const struct waterfall *w, const struct na_result *r,
		    struct words *out);

#endif

#include "plot/figures/slack/waterfall_data.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

/* Beyond both ends of what is asked, at most this share is shown. */
#define BEYOND 0.15

/* clang-format off */
static const struct { const char *name; enum wf_kind kind; } kinds[] = {
	{"d2h", WF_D2H}, {"send", WF_SEND}, {"network", WF_NETWORK},
	{"receive", WF_RECEIVE}, {"compute", WF_COMPUTE}, {"h2d", WF_H2D},
	{"wait", WF_WAIT}, {"late_peer", WF_LATE_PEER},
	{M_recv_done, WF_RECV_DONE},
};
/* clang-format on */

static enum wf_kind kind_of(const struct na_value *v)
{
	const char *name = na_text_at(v, M_kind);

	for (size_t i = 0; i < NA_LEN(kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].kind;
	}
	return WF_WAIT;
}

static size_t count_of(const struct na_value *list, size_t most)
{
	size_t n = list && list->kind == NA_V_LIST ? list->n : 0;

	return n < most ? n : most;
}

static size_t host_of(const struct waterfall *w, const char *name)
{
	for (size_t h = 0; h < w->n_hosts; h++) {
		if (strcmp(w->hosts[h].name, name) == 0)
			return h;
	}
	return 0;
}

static void read_hosts(struct waterfall *w, const struct na_value *list)
{
	size_t most = count_of(list, WF_ROWS_MAX);

	for (const struct na_value *v = na_items(list); v && w->n_hosts < most;
	     v = v->next)
		w->hosts[w->n_hosts++] = (struct wf_host){
			.name = na_text_or(v, M_host, "?"),
			.ahead_us = na_number_at(v, M_ahead_us),
			.uncertainty_us = na_number_at(v, M_uncertainty_us),
			.trace = na_flag_at(v, M_trace),
		};
}

static void read_rows(struct waterfall *w, const struct na_value *list)
{
	size_t most = count_of(list, WF_ROWS_MAX);

	for (const struct na_value *v = na_items(list); v && w->n_rows < most;
	     v = v->next) {
		struct wf_row *row = &w->rows[w->n_rows++];

		*row = (struct wf_row){
			.device = na_text_or(v, M_device, "?"),
			.kind_name = na_text_or(v, M_kind, "?"),
			.peer = na_text_or(v, M_peer, NULL),
			.from_us = na_number_at(v, M_from_us),
			.to_us = na_number_at(v, M_to_us),
			.network_us = na_number_at(v, M_network_us),
			.chunk = (long)na_count_or(v, M_chunk, -1),
			.kind = kind_of(v),
			.host = host_of(w, na_text_at(v, M_host)),
			.critical = na_flag_at(v, M_critical),
		};
		if (w->n_hosts)
			w->hosts[row->host].rows++;
	}
}

static void read_steps(struct waterfall *w, const struct na_value *list)
{
	size_t most = count_of(list, WF_STEPS_MAX);

	for (const struct na_value *v = na_items(list); v && w->n_steps < most;
	     v = v->next) {
		long row = (long)na_count_or(v, M_row, -1);

		w->steps[w->n_steps++] = (struct wf_step){
			kind_of(v), na_number_or(v, M_from_us, 0),
			na_number_or(v, M_to_us, 0),
			row >= 0 && (size_t)row < w->n_rows ? row : -1};
	}
}

enum na_status na_wf_read(struct waterfall *w, const struct na_result *r,
			  struct na_err *err)
{
	const struct na_value *side = na_get(na_result_get_side(r),
					     M_waterfall);

	*w = (struct waterfall){
		.late = na_items(na_get(na_result_get_body(r), M_late))};
	w->hosts = na_calloc(WF_ROWS_MAX, sizeof(*w->hosts));
	w->rows = na_calloc(WF_ROWS_MAX, sizeof(*w->rows));
	w->steps = na_calloc(WF_STEPS_MAX, sizeof(*w->steps));
	if (!w->hosts || !w->rows || !w->steps)
		return na_fail_nomem(err);
	read_hosts(w, na_get(side, M_hosts));
	read_rows(w, na_get(side, M_rows));
	read_steps(w, na_get(side, M_path));
	w->length_us = na_number_or(side, M_length_us, 0);
	w->more = na_number_or(side, M_more, 0);
	if (!w->late)
		na_words_add(&w->empty,
			     "No execution of a collective is there to draw.");
	else if (!w->n_steps || !w->n_rows || !(w->length_us > 0))
		na_words_add(&w->empty, "Why it was late is not known: %s.",
			     na_text_or(w->late, M_missing,
					"the traces hold none of its actions"));
	return NA_OK;
}

void na_wf_fini(struct waterfall *w)
{
	free(w->hosts);
	free(w->rows);
	free(w->steps);
}

struct rank {
	size_t row;
	double us;
	bool critical;
};

NA_ORDER(most_telling, struct rank, NA_DOWN(critical), NA_DOWN(us), NA_UP(row))

static void show_range(struct waterfall *w)
{
	w->from_us = 0;
	w->to_us = w->length_us;
	for (size_t i = 0; i < w->n_rows; i++) {
		if (!w->rows[i].shown)
			continue;
		w->from_us = fmin(w->from_us, w->rows[i].from_us);
		w->to_us = fmax(w->to_us, w->rows[i].to_us);
	}
	w->from_us = fmax(w->from_us, -BEYOND * w->length_us);
	w->to_us = fmin(w->to_us, (1 + BEYOND) * w->length_us);
}

void na_wf_choose(struct waterfall *w, size_t lines)
{
	struct rank *rank = na_calloc(w->n_rows, sizeof(*rank));
	size_t used = 0;

	for (size_t i = 0; rank && i < w->n_rows; i++)
		rank[i] = (struct rank){i,
					w->rows[i].network_us > 0
						? w->rows[i].network_us
						: w->rows[i].to_us -
							  w->rows[i].from_us,
					w->rows[i].critical};
	if (rank)
		na_sort(rank, w->n_rows, most_telling);
	for (size_t i = 0; rank && i < w->n_rows; i++) {
		struct wf_row *row = &w->rows[rank[i].row];
		struct wf_host *host = &w->hosts[row->host];
		size_t needs = host->shown ? 1 : 2;

		if (used + needs > lines)
			continue;
		used += needs;
		row->shown = true;
		host->shown++;
	}
	free(rank);
	w->hidden = (size_t)fmax(w->more, 0);
	for (size_t i = 0; i < w->n_rows; i++)
		w->hidden += !w->rows[i].shown;
	show_range(w);
}

void na_wf_label(const struct wf_row *row, struct words *w)
{
	/* clang-format off */
	static const char *const names[WF_KINDS] = {
		[WF_D2H] = "device to host", [WF_H2D] = "host to device",
		[WF_COMPUTE] = "reduce", [WF_SEND] = "send to",
		[WF_RECEIVE] = "receive from",
	};
	/* clang-format on */
	const char *name = names[row->kind];

	na_words_add(w, "%s %s", row->device, name ? name : row->kind_name);
	if (row->kind == WF_SEND || row->kind == WF_RECEIVE)
		na_words_add(w, " %s", row->peer ? row->peer : "?");
	if (row->peer && row->chunk >= 0)
		na_words_add(w, ", chunk %ld", row->chunk);
}

void na_wf_title(const struct waterfall *w, struct words *out)
{
	const char *cause = na_text_or(w->late, M_cause, NULL);

	if (!w->late) {
		na_words_add(out, "No late execution");
		return;
	}
	na_words_add(out, "One slow run of %s on %s %s",
		     na_text_or(w->late, M_collective, "?"),
		     na_text_or(w->late, M_host, "?"),
		     na_text_or(w->late, M_device, "?"));
	if (na_get(w->late, M_label))
		na_words_add(out, " of %s", na_text_or(w->late, M_label, "?"));
	if (cause)
		na_words_add(out, ", %s", cause);
}

/* "host-1 +304 us, host-2 -5 us", as many as matter. */
static void say_clocks(const struct waterfall *w, struct words *out)
{
	double known = na_number_at(w->late, M_clock_uncertainty_us);
	size_t moved = 0, unknown = 0;
	char buf[NA_LABEL_BUF];

	for (size_t h = 1; h < w->n_hosts; h++) {
		const struct wf_host *x = &w->hosts[h];

		unknown += isfinite(x->uncertainty_us) ? 0 : 1;
		if (!isfinite(x->uncertainty_us))
			continue;
		moved++;
		if (moved == 1)
			na_words_break(out);
		if (moved <= 3)
			na_words_add(out, "%s%s %s%s",
				     moved == 1 ? "clocks put right: " : ", ",
				     x->name, x->ahead_us > 0 ? "-" : "+",
				     na_label_quantity(buf, NA_Q_SECONDS,
						       fabs(x->ahead_us) /
							       NA_US_PER_S,
						       3));
	}
	if (moved > 3)
		na_words_add(out, " and %zu more", moved - 3);
	if (moved && isfinite(known))
		na_words_add(out, ", good to %s",
			     na_label_quantity(buf, NA_Q_SECONDS,
					       known / NA_US_PER_S, 3));
	if (unknown) {
		na_words_break(out);
		na_words_add(out, "the clocks of %zu host%s cannot be compared",
			     unknown, na_plural(unknown));
	}
}

void na_wf_subtitle(const struct waterfall *w, const struct na_result *r,
		    struct words *out)
{
	static const char *const numbers[] = {M_step, M_launch, M_iteration};
	char buf[NA_LABEL_BUF];
	bool any = false;

	na_words_inputs(r, out);
	if (!w->late)
		return;
	for (size_t i = 0; i < NA_LEN(numbers); i++) {
		const struct na_value *v = na_get(w->late, numbers[i]);

		if (!v || v->kind != NA_V_INT)
			continue;
		if (!any)
			na_words_break(out);
		na_words_add(out, "%s%s %" PRId64, any ? ", " : "", numbers[i],
			     v->u.i);
		any = true;
	}
	na_words_break(out);
	na_words_add(out, "at %s",
		     na_label_quantity(buf, NA_Q_SECONDS,
				       na_number_or(w->late, M_from_s, 0), 5));
	say_clocks(w, out);
}

#include "plot/figures/hang/data.h"

#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/base/ranges.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/result/emit.h"
#include "netan/result/plain.h"

enum {
	COUNTED = 4, /* ranks of which it is said how many they are */
	ALIKE = 2    /* groups of which it is said who waits */
};

/* "6 ranks: 8, 10-13 and 15" */
static void ranks_text(const struct na_value *list, char *buf, size_t size)
{
	size_t n = list ? list->n : 0;
	char ranks[HANG_TEXT / 2];

	if (!na_plain_ranges(ranks, sizeof(ranks), list))
		*ranks = '\0';
	if (n > COUNTED)
		snprintf(buf, size, "%s ranks: %s", na_grouped(n), ranks);
	else
		snprintf(buf, size, "rank%s %s", na_plural(n), ranks);
}

/* ---- panels */

static void choose_window(struct hang_panel *p)
{
	int64_t last = p->sequence;

	p->from = p->to = p->last = p->sequence;
	if (p->sequence < 0)
		return;
	na_for_each (v, p->positions) {
		int64_t n = na_count_or(v, M_enqueued, -1);

		last = n > last ? n : last;
	}
	p->last = last;
	p->from = p->sequence > HANG_BEFORE ? p->sequence - HANG_BEFORE : 0;
	p->to = last - p->from < HANG_COLUMNS ? last
					      : p->from + HANG_COLUMNS - 1;
}

/* "; in 31 more groups of its kind, rank 5 waits for rank 6, and so on" */
static void tell_alike(const struct na_value *group, struct na_str *to)
{
	int64_t all = na_count_or(group, M_groups_like, 0), n = 0;
	char who[HANG_TEXT / 2], whom[HANG_TEXT / 2];

	if (all <= 0)
		return;
	na_str_addf(to, "; in %s more group%s of its kind ", na_grouped(all),
		    na_plural(all));
	na_for_each (v, na_get(group, M_like)) {
		const struct na_value *waits = na_get(v, M_waiting_ranks);

		if (n == ALIKE)
			break;
		ranks_text(waits, who, sizeof(who));
		ranks_text(na_get(v, M_waits_for), whom, sizeof(whom));
		na_str_addf(to, "%s%s wait%s for %s", n++ ? ", " : "", who,
			    waits && waits->n == 1 ? "s" : "", whom);
	}
	na_str_addf(to, "%s",
		    !n	      ? "ranks wait"
		    : n < all ? ", and so on"
			      : "");
}

static void name_panel(struct hang_panel *p, const struct na_value *group)
{
	const char *operation = na_text_or(group, M_collective, NULL);
	const char *name = na_text_or(group, M_group_name, NULL);
	const char *list = na_text_or(group, M_group, NULL);
	char ranks[160] = "";
	struct na_str of = na_str_over(p->of, sizeof(p->of));

	if (p->sequence < 0)
		snprintf(p->name, sizeof(p->name), "%s%s",
			 p->own && operation ? operation : "point-to-point",
			 p->own ? ", the other end" : "");
	else
		snprintf(p->name, sizeof(p->name), "%.80s number %lld",
			 operation ? operation : "operation",
			 (long long)p->sequence);
	if (list && name && strcmp(list, name) != 0)
		na_str_addf(&of, "of %.60s, ranks %s", name,
			    na_ranges_of(list, ranks, sizeof(ranks)));
	else
		na_str_addf(&of, "of %s",
			    list ? na_ranges_of(list, ranks, sizeof(ranks))
				 : "a group");
	if (p->last > p->to)
		na_str_addf(&of, "; called up to number %lld",
			    (long long)p->last);
	tell_alike(group, &of);
}

static void read_panel(struct hang_figure *f, const struct na_value *group)
{
	struct hang_panel *p = &f->panels[f->n];

	*p = (struct hang_panel){.positions = na_get(group, M_positions),
				 .n = na_length(group, M_positions),
				 .own = na_flag_at(group, M_own),
				 .sequence = na_count_or(group, M_sequence,
							 -1)};
	if (!p->n)
		return;
	choose_window(p);
	name_panel(p, group);
	if (na_fig_hang_columns(p) > f->columns)
		f->columns = na_fig_hang_columns(p);
	f->n++;
}

void na_fig_hang_read(struct hang_figure *f, const struct na_result *r)
{
	*f = (struct hang_figure){.result = r,
				  .body = na_result_get_body(r),
				  .columns = 1};
	na_for_each (v, na_get(f->body, M_progress)) {
		if (f->n < HANG_PANELS)
			read_panel(f, v);
	}
	if (!f->n)
		f->empty = na_result_get_word(
			r, NA_WORD_EMPTY,
			"No operation of a rank is unfinished.");
}

size_t na_fig_hang_columns(const struct hang_panel *p)
{
	return p->sequence < 0 ? 1 : (size_t)(p->to - p->from) + 1;
}

/* ---- rows */

static bool is(const struct na_value *v, const char *member, const char *word)
{
	return strcmp(na_text_at(v, member), word) == 0;
}

static enum hang_cell state_of(const struct na_value *v)
{
	return is(v, M_state, "completed") ? CELL_COMPLETED
	       : is(v, M_state, "started") ? CELL_STARTED
	       : is(v, M_state, "queued")  ? CELL_QUEUED
	       : !is(v, M_state, "never")  ? CELL_UNKNOWN
	       : is(v, M_role, "culprit")  ? CELL_MISSED
					   : CELL_NEVER;
}

/* What the row says at its end. */
static void say(const struct hang_panel *p, const struct na_value *v,
		struct hang_row *row)
{
	const char *calls = na_text_or(v, M_calls, NULL);
	const struct na_value *for_whom = na_get(v, M_waits_for);
	bool one = na_length(v, M_ranks) == 1;
	int64_t held = na_count_or(v, M_messages, 0);
	char whom[HANG_TEXT / 2], messages[NA_COUNT_BUF + 8] = "";
	char count[NA_COUNT_BUF];

	ranks_text(for_whom, whom, sizeof(whom));
	if (held > 1)
		snprintf(messages, sizeof(messages), ", in %s",
			 na_count_of(count, (uint64_t)held, "message"));
	if (calls)
		snprintf(row->says, sizeof(row->says), "call%s %s",
			 one ? "s" : "", calls);
	else if (row->state == CELL_UNKNOWN)
		snprintf(row->says, sizeof(row->says), "no dump tells");
	else if (row->culprit && p->own)
		snprintf(row->says, sizeof(row->says), "%s%s",
			 row->state == CELL_MISSED ? "never called it"
			 : one                     ? "is still in it"
						   : "are still in it",
			 row->state == CELL_MISSED ? ""
						   : ", a peer has left it");
	else if (row->state == CELL_NEVER || row->state == CELL_MISSED)
		snprintf(row->says, sizeof(row->says), "%s not called it",
			 one ? "has" : "have");
	else if (row->state == CELL_COMPLETED)
		snprintf(row->says, sizeof(row->says), "%s left it",
			 one ? "has" : "have");
	else if (row->culprit)
		snprintf(row->says, sizeof(row->says), "%s called it",
			 one ? "has" : "have");
	else if (for_whom && for_whom->n)
		snprintf(row->says, sizeof(row->says), "wait%s for %s%s",
			 one ? "s" : "", whom, messages);
	else
		snprintf(row->says, sizeof(row->says), "%s in it",
			 one ? "is" : "are");
}

void na_fig_hang_row(const struct hang_panel *p,
		     const struct na_value *position, struct hang_row *row)
{
	*row = (struct hang_row){
		.culprit = is(position, M_role, "culprit"),
		.state = state_of(position),
		.completed = na_count_or(position, M_completed, -1),
		.started = na_count_or(position, M_started, -1),
		.enqueued = na_count_or(position, M_enqueued, -1)};
	ranks_text(na_get(position, M_ranks), row->who, sizeof(row->who));
	say(p, position, row);
}

void na_fig_hang_rest(const struct na_value *from, struct hang_row *row)
{
	size_t rows = 0, ranks = 0;

	for (; from; from = from->next) {
		rows++;
		ranks += na_length(from, M_ranks);
	}
	*row = (struct hang_row){.state = CELL_KINDS};
	snprintf(row->who, sizeof(row->who), "%s more ranks, in %s states",
		 na_grouped(ranks), na_grouped(rows));
}

enum hang_cell na_fig_hang_cell(const struct hang_panel *p,
				const struct hang_row *row, size_t k)
{
	int64_t n = p->from + (int64_t)k;

	if (p->sequence < 0 || n == p->sequence || row->state == CELL_UNKNOWN ||
	    row->state == CELL_KINDS)
		return row->state;
	if (n <= row->completed)
		return CELL_COMPLETED;
	if (n <= row->started)
		return CELL_STARTED;
	if (n <= row->enqueued)
		return CELL_QUEUED;
	return n < p->sequence ? CELL_UNKNOWN : CELL_NEVER;
}

/* ---- words */

void na_fig_hang_title(const struct hang_figure *f, struct words *w)
{
	const char *found = na_result_get_word(f->result, NA_WORD_MESSAGE,
					       NULL);

	na_words_add(w, "%s",
		     found ? found : "No hang of ranks is told in this input");
}

void na_fig_hang_subtitle(const struct hang_figure *f, struct words *w)
{
	const struct na_value *event = NULL;
	char missing[HANG_TEXT];

	na_words_inputs(f->result, w);
	na_for_each (v, na_get(f->body, M_events)) {
		if (!event && na_get(v, M_chain))
			event = v;
	}
	if (!event)
		return;
	if (na_text_or(event, M_time, NULL)) {
		na_words_break(w);
		na_words_add(w, "since %s", na_text_at(event, M_time));
	}
	if (na_length(event, M_missing_ranks)) {
		ranks_text(na_get(event, M_missing_ranks), missing,
			   sizeof(missing));
		na_words_break(w);
		na_words_add(w, "no dump of %s", missing);
	}
	na_words_break(w);
	na_words_add(w, "columns: sequence numbers of the group");
}

#include "plot/figures/slack/data.h"
#include "members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/result/emit.h"
#include "plot/scale.h"

const char *const na_slack_parts[SLACK_PARTS] = {"send", "send-done", "recv",
						 "recv-done"};

static void read_name(struct slack_point *p, const struct na_value *row)
{
	const struct na_value *key = na_get(row, M_key);
	const char *collective = na_text_or(row, M_collective, "?");
	char words[SLACK_NAME / 2] = "";

	if (key && key->n)
		na_words_key(words, sizeof(words), key);
	p->collective = strnlen(collective, SLACK_NAME / 2 - 4);
	snprintf(p->name, sizeof(p->name), "%.*s%s%s", (int)p->collective,
		 collective, *words ? ", " : "", words);
}

static void read_point(struct slack_figure *f, const struct na_value *row)
{
	/* clang-format off */
	static const char *const parts[SLACK_PARTS] = {
		M_send_us, M_send_done_us, M_recv_us, M_recv_done_us,
	};
	/* clang-format on */
	struct slack_point *p = &f->points[f->n++];
	double runs = na_number_at(row, M_occurrences);
	double devices = fmax(na_number_at(row, M_devices_per_host), 1);

	read_name(p, row);
	p->slack_s = na_number_at(row, M_slack_us "." M_mean) / NA_US_PER_S;
	p->required_bps = na_number_at(row, M_required_gbps) * NA_GIGA *
			  devices;
	p->stall_s = fmax(na_number_at(row, M_total_stall_us) / NA_US_PER_S, 0);
	p->share = na_number_at(row, M_stall_share);
	p->none = !(p->slack_s >= SLACK_LEAST_S) &&
		  na_number_at(row, M_bytes) > 0;
	p->found = na_flag_at(row, M_slack_small) ||
		   na_flag_at(row, M_bandwidth_bound);
	for (size_t k = 0; k < SLACK_PARTS; k++)
		p->part_s[k] =
			fmax(na_number_at(row, parts[k]) * runs / NA_US_PER_S,
			     0);
	f->n_none += p->none;
	f->n_unknown += !p->none && !(p->required_bps > 0 && p->slack_s > 0);
}

bool na_slack_read(struct slack_figure *f, const struct na_result *r)
{
	const struct na_value *list;

	f->doc = na_result_get_doc(r);
	f->body = na_result_get_body(r);
	f->result = r;
	f->side = na_result_get_side(r);
	f->capacity_bps = na_number_at(f->body, M_capacity_gbps) * NA_GIGA;
	list = na_get(f->body, M_collectives);
	f->points = na_calloc(list ? list->n : 0, sizeof(*f->points));
	if (!f->points)
		return false;
	na_for_each (v, list)
		read_point(f, v);
	if (!f->n)
		f->empty =
			na_result_get_word(f->result, NA_WORD_EMPTY,
					   "No execution of a collective was "
					   "counted.");
	return true;
}

void na_slack_title(const struct slack_figure *f, struct words *w)
{
	na_words_add(w, "%s",
		     na_result_get_word(f->result, NA_WORD_MESSAGE,
					f->empty ? "No collective to draw"
						 : "Slack of collectives"));
}

void na_slack_subtitle(const struct slack_figure *f, struct words *w)
{
	double duration = na_number_at(f->doc, M_duration_s);
	char buf[NA_LABEL_BUF];

	na_words_inputs(f->result, w);
	if (isfinite(duration) && !f->empty) {
		na_words_seconds(duration, w);
	}
	na_words_coverage(f->result, w);
	if (isfinite(f->capacity_bps)) {
		na_words_break(w);
		na_words_add(w, "capacity of a host %s",
			     na_label_quantity(buf, NA_Q_RATE, f->capacity_bps,
					       4));
	}
	na_words_origin(f->doc, w);
}

void na_slack_describe(const struct slack_figure *f, struct words *w)
{
	char a[NA_LABEL_BUF], b[NA_LABEL_BUF];

	for (size_t i = 0; i < f->n && i < 8; i++) {
		const struct slack_point *p = &f->points[i];

		na_words_add(w, ". %s: stall %s, slack %s", p->name,
			     na_label_quantity(a, NA_Q_SECONDS, p->stall_s, 3),
			     na_label_quantity(b, NA_Q_SECONDS, p->slack_s, 3));
		if (p->required_bps > 0)
			na_words_add(w, ", a host needs %s",
				     na_label_quantity(a, NA_Q_RATE,
						       p->required_bps, 3));
	}
	if (f->empty)
		na_words_add(w, ". %s", f->empty);
}

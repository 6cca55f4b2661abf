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

static double real(const struct na_value *v, const char *path)
{
	return na_real_of(na_dig(v, path), NAN);
}

static bool flag(const struct na_value *v, const char *name)
{
	const struct na_value *x = na_get(v, name);

	return x && x->kind == NA_V_BOOL && x->u.flag;
}

static void read_name(struct slack_point *p, const struct na_value *row)
{
	const struct na_value *key = na_get(row, M_key);
	char words[SLACK_NAME / 2] = "";

	if (key && key->n)
		na_words_key(words, sizeof(words), key);
	snprintf(p->name, sizeof(p->name), "%.*s%s%s", SLACK_NAME / 2 - 4,
		 na_text_of(na_get(row, M_collective), "?"), *words ? ", " : "",
		 words);
}

static void read_point(struct slack_figure *f, const struct na_value *row)
{
	/* clang-format off */
	static const char *const parts[SLACK_PARTS] = {
		M_send_us, M_send_done_us, M_recv_us, M_recv_done_us,
	};
	/* clang-format on */
	struct slack_point *p = &f->points[f->n++];
	double runs = real(row, "occurrences");
	double devices = fmax(real(row, M_devices_per_host), 1);

	read_name(p, row);
	p->slack_s = real(row, M_slack_us "." M_mean) / 1e6;
	p->required_bps = real(row, M_required_gbps) * 1e9 * devices;
	p->stall_s = fmax(real(row, M_total_stall_us) / 1e6, 0);
	p->share = real(row, M_stall_share);
	p->none = !(p->slack_s >= SLACK_LEAST_S) && real(row, "bytes") > 0;
	p->found = flag(row, "slack_small") || flag(row, "bandwidth_bound");
	for (size_t k = 0; k < SLACK_PARTS; k++)
		p->part_s[k] = fmax(real(row, parts[k]) * runs / 1e6, 0);
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
	f->capacity_bps = real(f->body, M_capacity_gbps) * 1e9;
	list = na_get(f->body, M_collectives);
	f->points = na_calloc(list ? list->n : 0, sizeof(*f->points));
	if (!f->points)
		return false;
	for (const struct na_value *v = list ? list->u.of.first : NULL; v;
	     v = v->next)
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
					"Slack of collectives"));
}

void na_slack_subtitle(const struct slack_figure *f, struct words *w)
{
	double duration = real(f->doc, M_duration_s);
	const struct na_value *origin = na_get(f->doc, M_origin_unix_ns);
	char buf[NA_UNIT_BUF + NA_LABEL_BUF];

	na_words_inputs(f->doc, w);
	if (isfinite(duration) && !f->empty) {
		na_words_break(w);
		na_words_add(w, "%s",
			     na_label_quantity(buf, NA_Q_SECONDS, duration, 3));
	}
	na_words_coverage(f->result, w);
	if (isfinite(f->capacity_bps)) {
		na_words_break(w);
		na_words_add(w, "capacity of a host %s",
			     na_label_quantity(buf, NA_Q_RATE, f->capacity_bps,
					       4));
	}
	if (origin && origin->kind == NA_V_INT) {
		na_words_break(w);
		na_words_add(w, "origin %s", na_print_utc(buf, origin->u.i));
	}
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

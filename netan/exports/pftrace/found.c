/* What netan makes of it: the verdict, findings, why executions were late. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/exports/pftrace/state.h"
#include "netan/result/emit.h"

enum { MOST_NOTES = 12 };

static int64_t ns_of(double seconds, int64_t fallback)
{
	return fabs(seconds) < 9e6
		       ? na_pft_ns(llround(seconds * (double)NA_PS_PER_S))
		       : fallback;
}

/* ---- findings */

static void add_text(struct na_pft_event *e, struct na_pft_note *notes,
		     const char *name, const char *text)
{
	if (text && *text)
		notes[e->n_notes++] = (struct na_pft_note){.name = {0, name},
							   .kind = NA_PFT_TEXT,
							   .text = {0, text}};
}

static void add_real(struct na_pft_event *e, struct na_pft_note *notes,
		     const char *name, double v)
{
	if (isfinite(v))
		notes[e->n_notes++] = (struct na_pft_note){.name = {0, name},
							   .kind = NA_PFT_REAL,
							   .real = v};
}

static bool put_finding(struct na_pft *x, uint64_t track,
			const struct na_value *v)
{
	struct na_str evidence = {.s = NULL};
	struct na_pft_note notes[MOST_NOTES];
	struct na_pft_event e = {
		.at_ns = ns_of(na_number_at(v, M_from_s), x->first_ns),
		.track = track,
		.type = NA_PFT_INSTANT,
		.category = NA_PFT_FINDING,
		.name = {0, na_text_at(v, M_title)},
		.notes = notes,
	};

	na_for_each (line, na_get(v, M_evidence_text))
		na_str_join(&evidence, "; ", "%s", na_text_of(line, ""));
	add_text(&e, notes, M_severity, na_text_at(v, M_severity));
	add_text(&e, notes, M_confidence, na_text_at(v, M_confidence));
	add_text(&e, notes, M_evidence, evidence.s);
	add_text(&e, notes, M_otherwise, na_text_at(v, M_otherwise));
	add_text(&e, notes, M_remedy, na_text_at(v, M_remedy));
	add_text(&e, notes, M_command, na_text_at(v, M_command));
	add_text(&e, notes, M_id, na_text_at(v, M_id));
	add_real(&e, notes, M_from_s, na_number_at(v, M_from_s));
	add_real(&e, notes, M_to_s, na_number_at(v, M_to_s));
	add_real(&e, notes, M_cost_ms_per_step,
		 na_number_at(v, M_cost_ms_per_step));
	na_pft_put(&x->out, &e);
	x->findings++;
	free(evidence.s);
	return !evidence.failed;
}

static bool put_findings(struct na_pft *x, const struct na_result *check)
{
	const struct na_value *body = na_result_get_body(check);
	uint64_t track = na_pft_own_track(x);
	struct na_pft_note notes[1];
	struct na_pft_event e = {.at_ns = x->first_ns,
				 .track = track,
				 .type = NA_PFT_INSTANT,
				 .category = NA_PFT_FINDING,
				 .name = {0, na_text_at(body, M_verdict)},
				 .notes = notes};
	bool ok = true;

	if (!*e.name.text)
		return true;
	add_text(&e, notes, M_outcome, na_text_at(body, M_outcome));
	na_pft_put(&x->out, &e);
	na_for_each (v, na_get(body, M_findings))
		ok = ok && put_finding(x, track, v);
	return ok;
}

/* ---- paths of late executions */

/* By the name that is shown of a host; NA_UNKNOWN_U32. */
static uint32_t process_of(const struct na_pft *x, const char *host,
			   const char *label)
{
	for (uint32_t i = 0; i < x->processes.n; i++) {
		const struct na_pft_process *p = &x->processes.v[i];

		if (p->host && strcmp(p->host, host) == 0 &&
		    na_same_label(p->label, label))
			return i;
	}
	return NA_UNKNOWN_U32;
}

struct paths {
	struct na_pft *x;
	NA_VEC(struct na_pft_slice) slices;
};

/* All times are as the clock of that execution's own host shows them. */
static bool add_path(struct paths *p, const struct na_value *late)
{
	const char *label = na_text_of(na_get(late, M_label), NULL);
	double from_s = na_number_at(late, M_from_s);
	uint32_t own = process_of(p->x, na_text_at(late, M_host), label);
	uint64_t flow = na_pft_mix(NA_PFT_PATH, ++p->x->paths);
	bool ok = true;

	if (own == NA_UNKNOWN_U32 || !(fabs(from_s) < 9e6))
		return true;
	from_s -= (double)p->x->processes.v[own].ahead_ps / (double)NA_PS_PER_S;
	na_for_each (v, na_get(late, M_path)) {
		uint32_t at = process_of(p->x, na_text_at(v, M_host), label);
		struct na_pft_slice s = {
			.start_ns =
				ns_of(from_s + na_number_at(v, M_from_us) / 1e6,
				      INT64_MIN),
			.end_ns = ns_of(from_s + na_number_at(v, M_to_us) / 1e6,
					INT64_MIN),
			.of = v,
			.link = flow,
			.what = NA_PFT_OF_PATH,
			.last = !v->next,
		};

		if (at == NA_UNKNOWN_U32 || s.start_ns == INT64_MIN ||
		    s.end_ns < s.start_ns)
			continue;
		s.group = na_pft_group(p->x, at, NA_UNKNOWN_U32, NA_PFT_LATE);
		ok = ok && s.group != NA_NO_TRIPLE && na_add(&p->slices, s);
	}
	return ok;
}

static void put_part(struct na_pft_lanes *lanes, const struct na_pft_slice *s)
{
	const struct na_value *v = s->of;
	const char *action = na_text_at(v, M_action);
	struct na_pft_note notes[MOST_NOTES];
	struct na_pft_event e = {.category = NA_PFT_CRITICAL_PATH,
				 .notes = notes,
				 .flow = s->last ? 0 : s->link,
				 .last_of_flow = s->last ? s->link : 0};
	const char *kind = na_text_at(v, M_kind);

	e.name = (struct na_pft_word){0, kind};
	add_text(&e, notes, M_action, action);
	add_text(&e, notes, M_device, na_text_at(v, M_device));
	add_text(&e, notes, M_src, na_text_at(v, M_src));
	add_text(&e, notes, M_src_host, na_text_at(v, M_src_host));
	add_text(&e, notes, M_dst, na_text_at(v, M_dst));
	add_text(&e, notes, M_sender, na_text_at(v, M_sender));
	add_real(&e, notes, M_bytes, na_number_at(v, M_bytes));
	na_pft_lay(lanes, s, &e, 0, 0);
}

static bool put_paths(struct na_pft *x, const struct na_result *slack)
{
	struct paths p = {.x = x};
	struct na_pft_lanes lanes = {.x = x};
	struct na_pft_order order = {.v = NULL};
	bool ok = true;

	na_for_each (late, na_get(na_result_get_body(slack), M_late))
		ok = ok && add_path(&p, late);
	ok = ok && na_pft_sort(&order, p.slices.v, p.slices.n, x->groups.n);
	for (size_t i = 0; ok && i < p.slices.n; i++) {
		const struct na_pft_slice *s = order.v[i];

		if (!i || s->group != lanes.group) {
			na_pft_lay_rest(&lanes);
			lanes.group = s->group;
			for (size_t k = 0; k < NA_PFT_LANES; k++)
				lanes.ends_ns[k] = INT64_MIN;
		}
		put_part(&lanes, s);
	}
	na_pft_lay_rest(&lanes);
	na_pft_order_fini(&order);
	na_vec_free(&p.slices);
	return ok;
}

/* ---- both, and the course of all hosts together */

/* What is above 0 nowhere is told by nobody, as what a capture's hosts sent:
 * each packet is one that is received. */
static bool is_told(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i] > 0)
			return true;
	}
	return false;
}

/* Where it changes; at the end it is 0, or it would seem to go on. */
static void put_level(struct na_pft *x, uint64_t track, const double *at_s,
		      const double *v, size_t n, double end_s)
{
	struct na_pft_event e = {.track = track, .type = NA_PFT_COUNTER};

	for (size_t i = 0; i <= n; i++) {
		double value = i < n && isfinite(v[i]) ? v[i] : 0;

		if (i && !(value < e.value || value > e.value))
			continue;
		e.at_ns = ns_of(i < n ? at_s[i] : end_s, x->last_ns);
		e.value = value;
		na_pft_put(&x->out, &e);
	}
}

static void put_course(struct na_pft *x, const struct na_value *body)
{
	static const struct {
		const char *member, *name;
		enum na_pft_unit unit;
	} of[] = {
		{M_rx_gbps, "rx of all hosts", NA_PFT_GBPS},
		{M_tx_gbps, "tx of all hosts", NA_PFT_GBPS},
		{M_rx_outstanding_bytes, "rx outstanding of all hosts",
		 NA_PFT_BYTES},
		{M_tx_outstanding_bytes, "tx outstanding of all hosts",
		 NA_PFT_BYTES},
		{M_pending, "pending on all hosts", NA_PFT_COUNT},
	};
	const double *at_s, *v;
	double end_s;
	size_t n;

	at_s = na_reals_of(na_get(body, M_time_s), &n);
	if (!at_s || !n)
		return;
	end_s = at_s[n - 1] + na_number_at(body, M_bin_s);
	for (size_t i = 0; i < NA_LEN(of); i++) {
		v = na_reals_at(body, of[i].member, n);
		if (v && is_told(v, n))
			put_level(x,
				  na_pft_counter(x, UINT32_MAX, of[i].name,
						 of[i].unit, (int32_t)i),
				  at_s, v, n, end_s);
	}
}

bool na_pft_put_found(struct na_pft *x, const struct na_export_of *of)
{
	const struct na_result *timeline = na_battery_result(of->battery,
							     "timeline");
	bool ok = put_paths(x, na_battery_result(of->battery, "slack")) &&
		  put_findings(x, of->check);

	put_course(x, na_result_get_body(timeline));
	return ok;
}

/* Looking at results. */
#include "netan/checks/look.h"
#include "facts.h"
#include "members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/methods/sides.h"
#include "netan/stats/tests/robust.h"

bool na_says(const struct na_value *in, const char *path, const char *text)
{
	return strcmp(na_text_at(in, path), text) == 0;
}

bool na_lists(const struct na_value *list, const char *text)
{
	na_for_each (v, list) {
		if (strcmp(na_text_of(v, ""), text) == 0)
			return true;
	}
	return false;
}

const char *na_case_names(struct na_case *c, const struct na_value *list,
			  size_t most)
{
	const struct na_value *v = na_items(list);
	const char *text = "";

	for (size_t n = 0; v && n < most; v = v->next, n++)
		text = na_case_say(c,
				   na_fact_names_list(text, n + 1 == list->n,
						      na_text_of(v, "?")));
	return v ? na_case_say(c, na_fact_names_and_more(
					  text, (int64_t)(list->n - most)))
		 : text;
}

bool na_touches(const struct na_value *culprit, const char *host)
{
	return na_says(culprit, M_host, host) ||
	       na_says(culprit, M_src_host, host) ||
	       na_says(culprit, M_dst_host, host) ||
	       na_lists(na_get(culprit, M_hosts), host);
}

bool na_is_culprit(const struct na_case *c, const char *host)
{
	na_for_each (v, na_get(na_case_body(c, "pairs"), M_culprits)) {
		if (na_touches(v, host))
			return true;
	}
	return false;
}

const struct na_value *na_first_culprit(const struct na_case *c)
{
	if (!na_case_asks(c, "bad-endpoint"))
		return NULL;
	return na_first(na_case_body(c, "pairs"), M_culprits);
}

bool na_slow_itself(const struct na_value *straggler)
{
	return na_says(straggler, M_cause, "computation") ||
	       na_says(straggler, M_cause, "input");
}

const char *na_case_who(struct na_case *c, const struct na_value *x)
{
	const char *side = na_side_of(na_text_at(x, M_kind));

	if (side)
		return na_case_say(
			c, na_fact_side_of_host(side, na_text_at(x, M_host)));
	if (na_says(x, M_kind, "pair"))
		return na_case_say(
			c, na_fact_path_of_hosts(na_text_at(x, M_src_host),
						 na_text_at(x, M_dst_host)));
	return na_case_say(
		c, na_fact_link_of_rack(na_says(x, M_kind, "rack_uplink"),
					na_says(x, M_kind, "rack_downlink"),
					na_case_names(c, na_get(x, M_hosts),
						      2)));
}

double na_largest_bound(const struct na_value *power, size_t *unknown)
{
	double most = 0;

	*unknown = 0;
	na_for_each (v, power) {
		double upper = na_number_at(v, M_upper_factor);

		most = fmax(most, upper);
		*unknown += isnan(upper) ? 1 : 0;
	}
	return most;
}

const struct na_value *na_first_slow_itself(const struct na_case *c)
{
	na_for_each (v, na_get(na_case_body(c, "steps"), M_stragglers)) {
		if (na_slow_itself(v))
			return v;
	}
	return NULL;
}

double na_per_device_s(const struct na_case *c, double stall_us)
{
	double devices = na_number_at(na_case_body(c, "slack"),
				      M_total "." M_devices);

	return devices > 0 ? stall_us / devices / NA_US_PER_S : (double)NAN;
}

double na_stall_s(const struct na_case *c)
{
	return na_per_device_s(c, na_number_at(na_case_body(c, "slack"),
					       M_total "." M_stall_us));
}

static bool same_side(const struct na_value *a, const struct na_value *b)
{
	return na_says(a, M_host, na_text_at(b, M_host)) &&
	       na_says(a, M_side, na_text_at(b, M_side));
}

static bool first_of_its_side(const struct na_value *list,
			      const struct na_value *region)
{
	na_for_each (v, list) {
		if (same_side(v, region))
			return v == region;
	}
	return true;
}

bool na_next_full(const struct na_case *c, struct na_full *x)
{
	const struct na_value *list = na_get(na_case_body(c, "timeline"),
					     M_saturated);
	const struct na_value *next = x->region ? x->region->next
						: na_items(list);

	while (next && !first_of_its_side(list, next))
		next = next->next;
	if (!next)
		return false;
	*x = (struct na_full){next, .from_s = INFINITY, .to_s = -INFINITY};
	na_for_each (v, list) {
		double from = na_number_at(v, M_from_s);
		double to = na_number_at(v, M_to_s);

		if (!same_side(v, next))
			continue;
		x->seconds += to - from;
		x->gbps_seconds += (to - from) * na_number_at(v, M_mean_gbps);
		x->from_s = fmin(x->from_s, from);
		x->to_s = fmax(x->to_s, to);
	}
	x->share = x->seconds /
		   na_number_at(na_case_doc(c, "timeline"), M_duration_s);
	return true;
}

/* Calls of captures are explained by what packets show, and by it alone. */
static bool same_evidence(const struct na_finding *e,
			  const struct na_finding *f)
{
	return f->captured ? e->check->acquits == NA_ACQUITS_PACKETS
			   : !e->apart;
}

bool na_may_explain(const struct na_finding *e, const struct na_finding *f)
{
	return e != f && same_evidence(e, f) && e->severity > NA_SEV_INFO &&
	       !e->check->costs_stall && !e->suspicion && e->culprit &&
	       (e->cause || e->check->explains == NA_EXPLAINS_WAITING);
}

bool na_link_is_full(const struct na_case *c)
{
	struct na_full x = {.region = NULL};

	while (na_next_full(c, &x)) {
		if (x.share > c->limits->saturated)
			return true;
	}
	return false;
}

struct na_stalled na_stalled_of(const struct na_case *c,
				bool (*counts)(const struct na_case *c,
					       const struct na_value *v))
{
	struct na_stalled x = {.worst = NULL};
	double most_us = 0;

	na_for_each (v, na_get(na_case_body(c, "slack"), M_collectives)) {
		double us = na_number_at(v, M_total_stall_us);

		if (counts && !counts(c, v))
			continue;
		x.n++;
		x.stall_us += us;
		if (!x.worst || us > most_us) {
			x.worst = v;
			most_us = us;
		}
	}
	return x;
}

/* How much of all steps a part of them takes; NaN: not known. */
static double share_of_steps(const struct na_case *c, const char *part_ms)
{
	double part = 0, all = 0;

	na_for_each (v, na_get(na_case_body(c, "steps"), M_hosts)) {
		double n = na_number_at(v, M_steps);

		part += n * na_number_at(v, part_ms);
		all += n * na_number_at(v, M_mean_ms);
	}
	return all > 0 ? part / all : (double)NAN;
}

double na_waiting_share(const struct na_case *c)
{
	double share = na_number_at(na_case_body(c, "slack"),
				    M_total "." M_stall_share);

	return isfinite(share) ? share : share_of_steps(c, M_exposed_ms);
}

double na_later_share(const struct na_case *c)
{
	return share_of_steps(c, M_waiting_ms);
}

bool na_communicates(const struct na_case *c)
{
	const struct na_value *all = na_case_body(c, "collectives");
	bool any = na_waiting_share(c) > 0 || na_length(all, M_collectives);

	any = any || isfinite(na_number_at(na_case_body(c, "slack"),
					   M_total "." M_stall_share));
	na_for_each (v, na_get(na_case_body(c, "steps"), M_hosts))
		any = any || isfinite(na_number_at(v, M_overlap_share));
	return any;
}

double na_exposed_ms(const struct na_case *c)
{
	const struct na_value *list = na_get(na_case_body(c, "steps"), M_steps);
	double sum_ms = 0;

	na_for_each (v, list)
		sum_ms += na_number_at(v, M_exposed_ms);
	return list && list->n ? sum_ms / (double)list->n : (double)NAN;
}

double na_skewed(const struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");

	return na_number_at(na_flag_at(side, M_windowed) &&
					    na_case_body(c, "pairs")
				    ? na_case_side(c, "pairs")
				    : side,
			    M_clock_skew);
}

double na_skewed_share(const struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");
	double skewed = na_skewed(c);

	if (!na_flag_at(side, M_windowed) || !na_case_body(c, "pairs"))
		return skewed / na_number_at(side, M_receives);
	return skewed / (skewed + na_number_at(na_case_doc(c, "pairs"),
					       M_coverage "." M_used));
}

bool na_clocks_differ(const struct na_case *c)
{
	return na_skewed_share(c) > c->limits->skewed ||
	       na_length(na_case_body(c, "pairs"), M_clock_offsets);
}

const char *na_clocks_text(struct na_case *c, const struct na_value *list)
{
	const char *text = "";
	size_t n = 0;

	for (const struct na_value *v = list ? list->u.of.first : NULL;
	     v && n < 3; v = v->next, n++) {
		double us = na_number_at(v, M_ahead_us);

		text = na_case_say(
			c, na_fact_clock_of_host(
				   text, na_text_at(v, M_host),
				   fabs(us) / NA_US_PER_S, us < 0,
				   na_number_at(v, M_uncertainty_us) /
					   NA_US_PER_S));
	}
	return text;
}

bool na_one_host(const struct na_case *c)
{
	return na_count_at(na_case_side(c, "session"), M_files) == 1 &&
	       na_count_at(na_case_doc(c, "session"),
			   M_coverage "." M_devices_not_here);
}

const char *na_files_missing(struct na_case *c)
{
	const struct na_value *doc = na_case_doc(c, "session");
	int64_t n = na_count_at(doc, M_coverage "." M_devices_not_here);
	int64_t ranks = na_count_at(doc, M_coverage "." M_ranks_not_here);

	if (ranks > 0)
		return na_case_say(c, na_fact_files_of_ranks_missing(ranks));
	if (!n || na_one_host(c))
		return NULL;
	return na_case_say(c, na_fact_files_of_hosts_missing(n));
}

bool na_of_ranks(const struct na_case *c)
{
	return na_flag_at(na_case_side(c, "session"), M_of_ranks);
}

const char *na_pairs_sentence(const struct na_case *c)
{
	static const char unsure[] = "cannot tell: ";
	const char *all = na_text_at(na_case_body(c, "pairs"), M_verdict);
	size_t n = strlen(unsure);

	return strncmp(all, unsure, n) == 0 ? all + n : all;
}

bool na_few_pairs(const struct na_case *c)
{
	return na_flag_at(na_case_side(c, "pairs"), M_too_few);
}

bool na_pairs_name_nobody(const struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "pairs");

	return body && !na_few_pairs(c) && !na_length(body, M_culprits);
}

bool na_pairs_acquit(const struct na_case *c)
{
	return na_says(na_case_body(c, "pairs"), M_outcome, "not_guilty");
}

int64_t na_steps_needed(const struct na_case *c)
{
	return na_count_at(na_case_body(c, "steps"),
			   M_device_steps "." M_steps_needed);
}

const char *na_wider(struct na_case *c)
{
	const struct na_value *session = na_case_side(c, "session");
	const char *window = na_text_at(session, M_wider_window);

	return *window ? na_case_say(c, na_fact_wider_window(
						na_flag_at(session, M_sliced),
						window))
		       : "";
}

double na_steps_ms(const struct na_case *c)
{
	double all_ms = 0;

	na_for_each (v, na_get(na_case_body(c, "steps"), M_steps))
		all_ms += na_number_at(v, M_duration_ms);
	return all_ms;
}

double na_step_ms(const struct na_case *c)
{
	const struct na_value *list = na_get(na_case_body(c, "steps"), M_steps);
	double *ms = list && list->n ? na_calloc(list->n, sizeof(*ms)) : NULL;
	double median = NAN;
	size_t n = 0;

	na_for_each (v, list) {
		double x = na_number_at(v, M_duration_ms);

		if (ms && isfinite(x))
			ms[n++] = x;
	}
	if (n)
		median = na_median(ms, n);
	free(ms);
	return median;
}

enum na_locality na_locality(const struct na_case *c)
{
	return (enum na_locality)na_count_at(na_case_side(c, "pairs"),
					     M_locality);
}

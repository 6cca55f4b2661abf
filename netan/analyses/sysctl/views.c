/* What a person sees of a host's settings. */
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/sysctl/state.h"
#include "netan/base/str.h"
#include "netan/base/vec.h"

/* Bad ones first, then what is not known; what is not judged is left out. */
static const struct na_value *in_order(struct na_result *r, const char *name)
{
	static const char *const states[] = {"bad", "unknown", "ok"};
	struct na_value *list = na_put_list(r, na_result_side(r), name);

	for (size_t k = 0; k < NA_LEN(states); k++) {
		na_for_each (x, na_get(na_result_body(r), name)) {
			if (strcmp(na_text_at(x, M_state), states[k]) == 0)
				na_put_alias(r, list, NULL, x);
		}
	}
	return list;
}

static void settings_view(struct na_result *r)
{
	na_result_view(r, na_text_at(na_result_body(r), M_verdict),
		       in_order(r, M_settings), &na_table_sysctl_settings,
		       NA_COLUMNS({M_state}, {M_name}, {M_value}, {M_wanted},
				  {M_why}),
		       0);
}

static void nics_view(struct na_result *r)
{
	const struct na_value *list = na_get(na_result_body(r), M_nics);

	if (list && list->n)
		na_result_view(r, "network interfaces", list,
			       &na_table_sysctl_nic,
			       NA_COLUMNS({M_state}, {M_name}, {M_kind},
					  {M_driver}, {M_link}, {M_mtu},
					  {M_speed_mbps}, {M_rx_errors},
					  {M_tx_errors}, {M_rx_dropped},
					  {M_tx_dropped}, {M_why}),
			       0);
}

static void counters_view(struct na_result *r)
{
	na_result_view(r, "TCP counters", in_order(r, M_counters),
		       &na_table_sysctl_counters,
		       NA_COLUMNS({M_state}, {M_name}, {M_value}, {M_grown},
				  {M_ratio}, {M_wanted}, {M_why}),
		       0);
}

/* Those that are judged; the others are counted. */
static void routes_view(struct na_result *r)
{
	enum { TOP = 20 };
	const struct na_value *list = in_order(r, M_routes);

	if (list && list->n)
		na_result_view(r, "routes that training traffic may take", list,
			       &na_table_sysctl_routes,
			       NA_COLUMNS({M_state}, {M_dst}, {M_via}, {M_dev},
					  {M_table}, {M_rto_min_ms}, {M_from},
					  {M_why}),
			       TOP);
}

/* Commands to paste, each once; what counters ask for is words, in comments. */
static void tell_remedies(struct na_result *r)
{
	static const char *const lists[] = {M_settings, M_routes, M_nics,
					    M_counters};
	struct na_str text = {0};

	for (size_t i = 0; i < NA_LEN(lists); i++) {
		na_for_each (x, na_get(na_result_body(r), lists[i])) {
			const char *s = na_text_at(x, M_remedy);

			/* A route's is the setting rto_min's as well. */
			if (*s && strcmp(na_text_at(x, M_name), "rto_min") != 0)
				na_str_join(&text, "\n", "%s%s",
					    i < 2 ? "" : "# ", s);
		}
	}
	if (text.n) {
		na_result_text(r, "to mend it", "%s", text.s);
		na_result_whole(r);
	}
	free(text.s);
}

static void put_verdict(const struct na_host_judged *j, struct na_result *r)
{
	struct na_value *body = na_result_body(r);

	if (j->bad)
		na_put_textf(r, body, M_verdict,
			     "%zu to mend, %zu as wanted, %zu not known",
			     j->bad, j->ok, j->unknown);
	else if (j->ok)
		na_put_textf(r, body, M_verdict,
			     "%s as wanted (%zu), %zu not known",
			     j->unknown ? "what can be seen is" : "all is",
			     j->ok, j->unknown);
	else
		na_put_text(r, body, M_verdict,
			    "cannot tell: nothing that matters could be read");
}

static void note_count(struct na_result *r, const char *name, const char *what,
		       const char *which)
{
	long long n = (long long)na_count_at(na_result_body(r), name);

	if (n)
		na_result_note(r, "%s: %lld %s", what, n, which);
}

void na_host_settings_views(const struct na_host_judged *j, const char *where,
			    struct na_result *r)
{
	put_verdict(j, r);
	if (!na_result_ok(r))
		return;
	na_result_headline(r, "sysctl: host %s, settings below %s",
			   na_text_or(na_result_body(r), M_host,
				      "without a name"),
			   where);
	settings_view(r);
	routes_view(r);
	nics_view(r);
	counters_view(r);
	tell_remedies(r);
	note_count(r, M_nics_left_out, "interfaces", "more are left out");
	note_count(r, M_routes_left_out, "routes", "more are left out");
	note_count(r, M_route_lines_not_understood, "lines of the routes",
		   "could not be understood and are left out");
}

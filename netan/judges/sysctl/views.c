/* What a person sees of a host's settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/judges/sysctl/parts.h"

static const char *text_of(const struct na_value *v, const char *name)
{
	return na_text_of(na_get(v, name), "");
}

static void copy(struct na_result *r, struct na_value *to,
		 const struct na_value *from, const char *name, const char *as)
{
	const struct na_value *v = na_get(from, name);

	if (v && v->kind == NA_V_INT)
		na_put_int(r, to, as, v->u.i);
	else if (v && v->kind == NA_V_REAL)
		na_put_real(r, to, as, v->u.d);
	else
		na_put_text(r, to, as, na_text_of(v, NULL));
}

/* Bad ones first, then what is not known. */
static void in_order(struct na_result *r, struct na_value *to,
		     const struct na_value *rows, const char *const *names,
		     size_t n)
{
	/* clang-format off */
	static const char *const order[] = {"bad", "unknown", "ok"};
	/* clang-format on */

	for (size_t k = 0; k < 3; k++) {
		for (const struct na_value *x = rows->u.of.first; x;
		     x = x->next) {
			struct na_value *row;

			if (strcmp(text_of(x, "state"), order[k]) != 0)
				continue;
			row = na_put_object(r, to, NULL);
			for (size_t i = 0; i < n; i++)
				copy(r, row, x, names[i], names[i]);
		}
	}
}

static void settings_view(struct na_result *r, const struct na_value *body)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_state, "state", NA_F_TEXT, 0, 0},
		{M_name, "setting", NA_F_TEXT, 0, 0},
		{M_value, "value", NA_F_TEXT, 0, 0},
		{M_wanted, "wanted", NA_F_TEXT, 0, 0},
		{M_why, "why", NA_F_TEXT, 0, 0},
	};
	static const char *const names[] = {
		"state", "name", "value", "wanted", "why",
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), M_settings);

	in_order(r, list, na_get(body, M_settings), names, 5);
	na_result_view(r, text_of(body, "verdict"), list, NULL, cols, 5, 0);
}

static void nics_view(struct na_result *r, const struct na_value *body)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_state, "state", NA_F_TEXT, 0, 0},
		{M_name, "NIC", NA_F_TEXT, 0, 0},
		{M_kind, "kind", NA_F_TEXT, 0, 0},
		{"driver", "driver", NA_F_TEXT, 0, 0},
		{"link", "link", NA_F_TEXT, 0, 0},
		{"mtu", "MTU bytes", NA_F_COUNT, 0, 0},
		{"speed_mbps", "Gbit/s", NA_F_NUMBER, 3, 1e-3},
		{"rx_errors", "rx errors", NA_F_COUNT, 0, 0},
		{"tx_errors", "tx errors", NA_F_COUNT, 0, 0},
		{"rx_dropped", "rx dropped", NA_F_COUNT, 0, 0},
		{"tx_dropped", "tx dropped", NA_F_COUNT, 0, 0},
		{M_why, "why", NA_F_TEXT, 0, 0},
	};
	/* clang-format on */
	const struct na_value *list = na_get(body, M_nics);

	if (list && list->n)
		na_result_view(r, "network interfaces", list, NULL, cols,
			       sizeof(cols) / sizeof(cols[0]), 0);
}

static void counters_view(struct na_result *r, const struct na_value *body)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_state, "state", NA_F_TEXT, 0, 0},
		{M_name, "counter", NA_F_TEXT, 0, 0},
		{M_value, "since boot", NA_F_COUNT, 0, 0},
		{M_grown, "grown", NA_F_COUNT, 0, 0},
		{M_ratio, "per segment sent", NA_F_NUMBER, 3, 0},
		{M_wanted, "wanted", NA_F_TEXT, 0, 0},
		{M_why, "why", NA_F_TEXT, 0, 0},
	};
	static const char *const names[] = {
		"state", "name", "value", "grown", "ratio", "wanted", "why",
	};
	/* clang-format on */
	struct na_value *list = na_put_list(r, na_result_side(r), M_counters);

	in_order(r, list, na_get(body, M_counters), names, 7);
	na_result_view(r, "TCP counters", list, NULL, cols,
		       sizeof(cols) / sizeof(cols[0]), 0);
}

/* Those that are judged, the bad ones first; the others are counted. */
static void routes_view(struct na_result *r, const struct na_value *body)
{
	enum { TOP = 20 };
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_state, "state", NA_F_TEXT, 0, 0},
		{M_dst, "route", NA_F_TEXT, 0, 0},
		{M_via, "via", NA_F_TEXT, 0, 0},
		{M_dev, "dev", NA_F_TEXT, 0, 0},
		{M_table, "table", NA_F_TEXT, 0, 0},
		{M_rto_min_ms, "rto_min ms", NA_F_NUMBER, 3, 0},
		{M_from, "from", NA_F_TEXT, 0, 0},
		{M_why, "why", NA_F_TEXT, 0, 0},
	};
	static const char *const names[] = {
		"state", "dst", "via", "dev", "table", M_rto_min_ms, "from",
		"why",
	};
	/* clang-format on */
	const struct na_value *all = na_get(body, M_routes);
	struct na_value *list = na_put_list(r, na_result_side(r), M_routes);

	in_order(r, list, all, names, 8);
	if (list && list->n)
		na_result_view(r, "routes that training traffic may take", list,
			       NULL, cols, sizeof(cols) / sizeof(cols[0]), TOP);
}

/* Commands to paste, each once; what counters ask for is words, in comments. */
static void remedies(struct na_result *r, const struct na_value *body)
{
	/* clang-format off */
	static const char *const lists[] = {
		"settings", "routes", "nics", "counters",
	};
	/* clang-format on */
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	const char *first = "";

	for (size_t i = 0; f && i < 4; i++) {
		const struct na_value *list = na_get(body, lists[i]);

		for (const struct na_value *x = list->u.of.first; x;
		     x = x->next) {
			const char *s = text_of(x, "remedy");

			/* A route's is the setting rto_min's as well. */
			if (!*s || strcmp(text_of(x, "name"), "rto_min") == 0)
				continue;
			fprintf(f, "%s%s%s", first, i < 2 ? "" : "# ", s);
			first = "\n";
		}
	}
	if (f && fclose(f) == 0 && size)
		na_result_text(r, "to mend it", "%s", text);
	free(text);
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
	long long n = (long long)na_int_of(na_get(na_result_body(r), name), 0);

	if (n)
		na_result_note(r, "%s: %lld %s", what, n, which);
}

void na_host_settings_views(const struct na_host_judged *j, const char *where,
			    struct na_result *r)
{
	const struct na_value *body;

	put_verdict(j, r);
	if (!na_result_ok(r))
		return;
	body = na_result_body(r);
	na_result_headline(r, "sysctl: host %s, settings below %s",
			   na_text_of(na_get(body, M_host), "without a name"),
			   where);
	settings_view(r, body);
	routes_view(r, body);
	nics_view(r, body);
	counters_view(r, body);
	remedies(r, body);
	note_count(r, M_nics_left_out, "interfaces", "more are left out");
	note_count(r, M_routes_left_out, "routes", "more are left out");
	note_count(r, M_route_lines_not_understood, "lines of the routes",
		   "could not be understood and are left out");
}

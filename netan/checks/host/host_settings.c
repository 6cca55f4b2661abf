/*
 * host-settings: network settings of the job's hosts that are not as the
 * playbook wants them, or not the same everywhere.  A late transfer by a
 * retransmission timer and a host with that minimum timeout are one finding:
 * rpc-latency's, which has run before, or where that was not asked for, this
 * one's.
 *
 * What is unknown is no finding; it keeps the check from passing.
 */
#include <math.h>
#include <string.h>

#include "facts.h"
#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/look.h"

enum {
	LATE_LEAST = 3, /* transfers that make a mode, as in rpc-latency */
	NAMED = 3,
	NAMES_MAX = 64, /* different settings: there are about thirty */
	VALUES_MAX = 16
};

/* A mode's latency may be that much off: what the network takes beside. */
static const double mode_tolerance = 0.15;

static const struct na_value *first_host(const struct na_case *c)
{
	return na_first(na_case_body(c, "settings"), M_hosts);
}

/* As the trace calls it. */
static const char *name_of(const struct na_value *host)
{
	const char *trace = na_text_at(host, M_trace_host);

	return *trace ? trace : na_text_at(host, M_host);
}

static const struct na_value *row_of(const struct na_value *host,
				     const char *list, const char *name)
{
	na_for_each (x, na_get(host, list)) {
		if (na_says(x, M_name, name))
			return x;
	}
	return NULL;
}

/* ---- one setting over all hosts */

struct over_hosts {
	const char *list, *name;
	size_t bad, known, unknown;
	const struct na_value *row;  /* of the first that is bad */
	const struct na_value *host; /* likewise */
	struct na_value *hosts;      /* names of the bad ones */
	struct na_value *rows;       /* host, value, remedy of them */
	bool same;                   /* all bad ones have the same value */
	bool same_remedy;
};

static enum na_severity severity_of(const struct na_value *row)
{
	return na_says(row, M_severity, "error")     ? NA_SEV_ERROR
	       : na_says(row, M_severity, "warning") ? NA_SEV_WARNING
						     : NA_SEV_INFO;
}

/* A setting's value is text, a counter's a number. */
static const char *value_of(struct na_case *c, const struct na_value *row)
{
	const struct na_value *v = na_get(row, M_value);

	if (v && v->kind == NA_V_INT)
		return na_case_text(c, "%lld", (long long)v->u.i);
	return na_text_of(v, "");
}

static void note_bad(struct na_case *c, struct over_hosts *o,
		     const struct na_value *host, const struct na_value *row)
{
	const char *value = value_of(c, row);
	struct na_value *to = na_put_object(c->r, o->rows, NULL);

	if (!o->bad++) {
		o->row = row;
		o->host = host;
		o->same = o->same_remedy = true;
	}
	o->same &= strcmp(value, value_of(c, o->row)) == 0;
	o->same_remedy &= na_says(row, M_remedy, na_text_at(o->row, M_remedy));
	na_put_text(c->r, o->hosts, NULL, name_of(host));
	na_put_text(c->r, to, M_host, name_of(host));
	na_put_text(c->r, to, M_value, value);
	na_put_text(c->r, to, M_remedy, na_text_at(row, M_remedy));
	if (severity_of(row) > severity_of(o->row))
		o->row = row;
}

static struct over_hosts look_over(struct na_case *c, const char *list,
				   const char *name)
{
	struct over_hosts o = {
		.list = list,
		.name = name,
		.hosts = na_case_list(c),
		.rows = na_case_list(c),
	};

	for (const struct na_value *h = first_host(c); h; h = h->next) {
		const struct na_value *row = row_of(h, list, name);

		if (!row || na_says(row, M_state, "unknown")) {
			o.unknown++;
			continue;
		}
		o.known++;
		if (na_says(row, M_state, "bad"))
			note_bad(c, &o, h, row);
	}
	return o;
}

static void put_evidence(struct na_case *c, struct na_value *to,
			 const struct over_hosts *o)
{
	na_put_text(c->r, to, M_setting, o->name);
	na_put_text(c->r, to, M_wanted, na_text_at(o->row, M_wanted));
	na_put_int(c->r, to, M_hosts_bad, (int64_t)o->bad);
	na_put_int(c->r, to, M_hosts_known, (int64_t)o->known);
	na_put_int(c->r, to, M_hosts_unknown, (int64_t)o->unknown);
	na_put_alias(c->r, to, M_settings_of_hosts, o->rows);
}

/* "on each of them: sysctl -w ...", or where each needs another command, that
 * of the first. */
static const char *remedy_of(struct na_case *c, const struct over_hosts *o)
{
	return na_case_say(
		c,
		na_fact_remedy_on_hosts(
			o->same_remedy ? na_case_names(c, o->hosts, NAMED)
				       : name_of(o->host),
			na_text_at(row_of(o->host, o->list, o->name), M_remedy),
			!o->same_remedy));
}

static void accuse(struct na_finding *f, const struct na_value *hosts,
		   const char *name)
{
	struct na_who who = {.kind = "host", .hosts = hosts};

	if (hosts && hosts->n == 1)
		who = (struct na_who){
			.kind = "host",
			.host = na_text_of(na_items(hosts), ""),
		};
	na_case_accuse(f, NA_CAUSE_SETTINGS, who, name);
}

static struct na_finding *find_setting(struct na_case *c,
				       const struct over_hosts *o)
{
	struct na_finding *f = na_case_find(c, severity_of(o->row), NA_CERTAIN,
					    NULL);
	bool count = strcmp(o->list, M_counters) == 0;
	const char *where = na_case_say(
		c, na_fact_on_hosts(o->known > 1 ? (int64_t)o->known : 0,
				    (int64_t)o->bad,
				    na_case_names(c, o->hosts, NAMED)));
	const char *why = na_text_at(o->row, M_why);

	/* What a counter says is why it is looked at. */
	f->title = na_case_say(
		c,
		count ? na_fact_counter_is_bad(o->name, where, why)
		      : na_fact_setting_is_wrong(o->name, !o->same,
						 value_of(c, o->row), where,
						 na_text_at(o->row, M_wanted)));
	if (f->severity >= NA_SEV_WARNING)
		accuse(f, o->hosts, f->title);
	na_case_evidence(c, f,
			 na_fact_bad_hosts((int64_t)o->bad, (int64_t)o->known,
					   (int64_t)o->unknown));
	if (!count)
		na_put_text(c->r, f->facts, NULL, why);
	f->remedy = remedy_of(c, o);
	f->command = na_text_at(o->host, M_command);
	put_evidence(c, f->evidence, o);
	if (!count)
		na_case_copy(c, f->evidence, o->row, M_why);
	return f;
}

/* ---- late by the timer that is set */

/* The latency of a timer of so many ms: itself, doublings, and sums of
 * repeats. */
static bool is_timer(double latency_ms, double rto_ms)
{
	static const double times[] = {1, 2, 3, 4, 7, 8};

	for (size_t i = 0; i < NA_LEN(times); i++) {
		if (fabs(latency_ms - times[i] * rto_ms) <=
		    mode_tolerance * times[i] * rto_ms)
			return true;
	}
	return false;
}

/* Those of a mode's hosts (without any: of all) whose minimum timeout is bad
 * and is that timer. */
static struct na_value *with_timer(struct na_case *c,
				   const struct na_value *mode, double *rto_ms)
{
	struct na_value *list = na_case_list(c);
	const struct na_value *hosts = na_get(mode, M_hosts);

	for (const struct na_value *h = first_host(c); h; h = h->next) {
		const char *trace = na_text_at(h, M_trace_host);
		double rto = na_number_at(h, M_rto_min_ms);

		if (!*trace ||
		    !na_says(row_of(h, M_settings, "rto_min"), M_state,
			     "bad") ||
		    !is_timer(na_number_at(mode, M_latency_ms), rto) ||
		    (hosts && hosts->n && !na_lists(hosts, trace)))
			continue;
		if (list && !list->n)
			*rto_ms = rto;
		na_put_text(c->r, list, NULL, trace);
	}
	return list;
}

/* Of a timer that a minimum RTO makes; not of acknowledgements that wait, nor
 * of connections that begin. */
static bool by_rto(const struct na_value *mode)
{
	const char *cause = na_text_at(mode, M_cause);

	return strstr(cause, "retransmission") && !strstr(cause, "initial") &&
	       na_count_at(mode, M_count) >= LATE_LEAST;
}

static struct na_finding *told_before(const struct na_case *c,
				      const struct na_value *mode)
{
	for (size_t i = 0; i < c->n; i++) {
		struct na_finding *f = c->findings[i];

		if (strcmp(f->check->id, "rpc-latency") == 0 &&
		    f->severity >= NA_SEV_WARNING &&
		    na_number_at(f->evidence, M_latency_ms) ==
			    na_number_at(mode, M_latency_ms))
			return f;
	}
	return NULL;
}

static const char *rto_remedy(struct na_case *c, const struct over_hosts *o,
			      bool late)
{
	return na_case_say(c, na_fact_rto_remedy(remedy_of(c, o),
						 na_text_at(o->host, M_command),
						 late));
}

/* The rpc-latency finding of a mode gets its reason and the command. */
static void explain(struct na_case *c, struct na_finding *f,
		    const struct over_hosts *o, const struct na_value *hosts,
		    double rto_ms)
{
	f->confidence = f->confidence == NA_POSSIBLE ? NA_LIKELY
						     : f->confidence;
	f->sure = na_case_say(c, na_fact_late_as_set());
	f->title = na_case_say(
		c, na_fact_timer_is_set(f->title, rto_ms / NA_MS_PER_S,
					na_case_names(c, hosts, NAMED)));
	f->remedy = rto_remedy(c, o, true);
	na_case_evidence(c, f,
			 na_fact_rto_min_wanted(na_text_at(o->row, M_wanted)));
	na_put_alias(c->r, f->evidence, M_hosts_with_that_timer, hosts);
	na_put_real(c->r, f->evidence, M_rto_min_ms, rto_ms);
	put_evidence(c, f->evidence, o);
	na_case_join(c, f);
}

/* Without rpc-latency: the setting's finding says what it did. */
static void say_effect(struct na_case *c, struct na_finding *f,
		       const struct na_value *mode,
		       const struct na_value *hosts, double rto_ms)
{
	f->confidence = NA_LIKELY;
	f->sure = na_case_say(c, na_fact_late_as_set());
	f->from_s = na_number_at(mode, M_first_s);
	f->to_s = na_number_at(mode, M_last_s);
	f->title = na_case_say(c, na_fact_setting_makes_late(
					  f->title, na_count_at(mode, M_count),
					  na_number_at(mode, M_share),
					  na_number_at(mode, M_latency_ms) /
						  NA_MS_PER_S));
	na_case_copy(c, f->evidence, mode, M_latency_ms);
	na_put_int(c->r, f->evidence, M_transfers, na_count_at(mode, M_count));
	na_put_alias(c->r, f->evidence, M_hosts_with_that_timer, hosts);
	na_put_real(c->r, f->evidence, M_rto_min_ms, rto_ms);
}

/* Whether all hosts of a mode are known to have a low minimum. */
static bool all_low(const struct na_case *c, const struct na_value *mode)
{
	size_t n = 0;

	for (const struct na_value *h = first_host(c); h; h = h->next)
		n += na_lists(na_get(mode, M_hosts),
			      na_text_at(h, M_trace_host)) &&
		     na_says(row_of(h, M_settings, "rto_min"), M_state, "ok");
	return n && n == na_length(mode, M_hosts);
}

/* Nobody need set what is set: the timer is another one. */
static void correct_remedies(struct na_case *c)
{
	na_for_each (m, na_get(na_case_body(c, "rpc"), M_modes)) {
		struct na_finding *f = told_before(c, m);
		const struct na_value *hosts = na_get(m, M_hosts);

		if (!f || f->also || !by_rto(m) || !all_low(c, m) ||
		    na_number_at(m, M_latency_ms) < 100)
			continue;
		f->remedy =
			na_case_say(c, na_fact_rto_min_is_low(
					       na_case_names(c, hosts, NAMED)));
	}
}

static void judge_rto(struct na_case *c, const struct over_hosts *o)
{
	struct na_finding *own = NULL;
	bool joined = false;

	na_for_each (m, na_get(na_case_body(c, "rpc"), M_modes)) {
		double rto_ms = NAN;
		struct na_value *hosts = by_rto(m) ? with_timer(c, m, &rto_ms)
						   : NULL;
		struct na_finding *f = told_before(c, m);

		if (!hosts || !hosts->n)
			continue;
		if (f) {
			explain(c, f, o, hosts, rto_ms);
			joined = true;
		} else if (!own && !joined) {
			own = find_setting(c, o);
			if (own)
				say_effect(c, own, m, hosts, rto_ms);
		}
	}
	if (!own && !joined)
		own = find_setting(c, o);
	if (own)
		own->remedy = rto_remedy(c, o, false);
}

/* ---- NICs */

static void judge_nics(struct na_case *c)
{
	struct na_value *names = na_case_list(c), *rows = na_case_list(c);
	struct na_value *hosts = na_case_list(c);
	const struct na_value *worst = NULL, *of = NULL;
	struct na_finding *f;

	for (const struct na_value *h = first_host(c); h; h = h->next) {
		na_for_each (x, na_get(h, M_nics)) {
			struct na_value *to;

			if (!na_says(x, M_state, "bad"))
				continue;
			if (!worst || severity_of(x) > severity_of(worst)) {
				worst = x;
				of = h;
			}
			if (!na_lists(hosts, name_of(h)))
				na_put_text(c->r, hosts, NULL, name_of(h));
			to = na_put_object(c->r, rows, NULL);
			na_put_text(c->r, to, M_host, name_of(h));
			na_put_text(c->r, to, M_nic, na_text_at(x, M_name));
			na_case_copy(c, to, x, M_why);
			na_put_text(
				c->r, names, NULL,
				na_case_say(c,
					    na_fact_nic_of_host(
						    na_text_at(x, M_name),
						    name_of(h),
						    na_text_at(x, M_counted))));
		}
	}
	if (!worst)
		return;
	f = na_case_find(c, severity_of(worst), NA_CERTAIN, NULL);
	f->title = na_case_say(c, na_fact_nics_with_errors(
					  na_case_names(c, names, NAMED)));
	if (f->severity >= NA_SEV_WARNING)
		accuse(f, hosts, f->title);
	f->remedy = na_case_say(
		c, na_fact_remedy_on_hosts(name_of(of),
					   na_text_at(worst, M_remedy), false));
	f->command = na_text_at(of, M_command);
	na_case_evidence(c, f,
			 na_fact_nics_of_hosts((int64_t)names->n,
					       (int64_t)hosts->n));
	na_put_int(c->r, f->evidence, M_nics_bad, (int64_t)names->n);
	na_put_alias(c->r, f->evidence, M_nics, rows);
}

/* ---- differences between hosts that are well set each */

struct values {
	const char *text[VALUES_MAX];
	size_t hosts[VALUES_MAX], n;
};

static struct values values_of(const struct na_case *c, const char *name)
{
	struct values v = {.n = 0};

	for (const struct na_value *h = first_host(c); h; h = h->next) {
		const struct na_value *row = row_of(h, M_settings, name);
		const char *text = na_text_at(row, M_value);
		size_t i = 0;

		if (!*text || na_says(row, M_state, "unknown"))
			continue;
		while (i < v.n && strcmp(v.text[i], text) != 0)
			i++;
		if (i == VALUES_MAX)
			continue;
		if (i == v.n) {
			v.text[v.n] = text;
			v.hosts[v.n++] = 0;
		}
		v.hosts[i]++;
	}
	return v;
}

static const char *put_values(struct na_case *c, struct na_value *list,
			      const char *name, const struct values *v)
{
	struct na_value *to = na_put_object(c->r, list, NULL), *values;
	const char *text = "";

	na_put_text(c->r, to, M_setting, name);
	values = na_put_list(c->r, to, M_values);
	for (size_t i = 0; i < v->n; i++) {
		struct na_value *row = na_put_object(c->r, values, NULL), *who;

		na_put_text(c->r, row, M_value, v->text[i]);
		who = na_put_list(c->r, row, M_hosts);
		for (const struct na_value *h = first_host(c); h; h = h->next) {
			if (na_says(row_of(h, M_settings, name), M_value,
				    v->text[i]))
				na_put_text(c->r, who, NULL, name_of(h));
		}
		text = na_case_say(c, na_fact_value_on_hosts(
					      text, v->text[i],
					      na_case_names(c, who, NAMED)));
	}
	return text;
}

/* The same on all hosts, where none of them is wrong by itself. */
static void judge_differences(struct na_case *c, const struct over_hosts *all,
			      size_t n)
{
	struct na_value *list = na_case_list(c);
	enum na_severity severity = NA_SEV_INFO;
	const char *text = NULL;
	struct na_finding *f;

	for (size_t i = 0; i < n; i++) {
		struct values v;

		if (strcmp(all[i].list, M_settings) != 0 || all[i].bad)
			continue;
		v = values_of(c, all[i].name);
		if (v.n < 2)
			continue;
		if (strcmp(all[i].name, "mtu") == 0)
			severity = NA_SEV_WARNING;
		text = na_case_say(c, na_fact_setting_differs(
					      text, all[i].name,
					      put_values(c, list, all[i].name,
							 &v)));
	}
	if (!text)
		return;
	f = na_case_find(c, severity, NA_CERTAIN, NULL);
	f->title = na_case_say(c, na_fact_hosts_differ(text));
	f->remedy = na_case_say(c, na_fact_give_same_settings());
	f->command = na_text_at(first_host(c), M_command);
	na_case_evidence(c, f, na_fact_settings_that_differ((int64_t)list->n));
	na_put_int(c->r, f->evidence, M_settings_that_differ, (int64_t)list->n);
	na_put_alias(c->r, f->evidence, M_differences, list);
}

/* ---- all of it */

static size_t add_names(struct na_case *c, const char *list,
			struct over_hosts *all, size_t n)
{
	for (const struct na_value *x = na_first(first_host(c), list);
	     x && n < NAMES_MAX; x = x->next)
		all[n++] = look_over(c, list, na_text_at(x, M_name));
	return n;
}

/* Nothing bad was seen; was everything seen? */
static void unless_unknown(struct na_case *c, const struct over_hosts *all,
			   size_t n)
{
	const struct na_value *without = na_get(na_case_body(c, "settings"),
						M_without);
	const char *one = NULL;
	size_t unknown = 0;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].list, M_settings) != 0 || !all[i].unknown)
			continue;
		one = one ? one : all[i].name;
		unknown++;
	}
	if (without && without->n)
		na_case_needs(c, na_fact_snapshots_of_hosts(
					 na_case_names(c, without, NAMED)));
	else if (unknown)
		na_case_needs(c,
			      na_fact_settings_unknown((int64_t)unknown, one));
}

static void judge_host_settings(struct na_case *c)
{
	struct over_hosts all[NAMES_MAX];
	size_t n, before = c->n;

	if (!first_host(c)) {
		na_case_needs(c, na_fact_readable_snapshot());
		return;
	}
	n = add_names(c, M_settings, all, 0);
	n = add_names(c, M_counters, all, n);
	for (size_t i = 0; i < n; i++) {
		if (!all[i].bad)
			continue;
		if (strcmp(all[i].name, "rto_min") == 0)
			judge_rto(c, &all[i]);
		else
			find_setting(c, &all[i]);
	}
	correct_remedies(c);
	judge_nics(c);
	judge_differences(c, all, n);
	if (c->n == before && !c->joined)
		unless_unknown(c, all, n);
}

const struct na_check na_check_host_settings = {
	.id = "host-settings",
	.version = 1,
	.question = "network settings of the hosts that are wrong, or differ",
	.does_not_mean = "that these settings cost time in this run: only the "
			 "measurements show that",
	.needs = {"settings"},
	.uses = {"rpc"},
	.judge = judge_host_settings,
	.explains = NA_EXPLAINS_LITTLE,
	.named_as = "to fix on the hosts: ",
};

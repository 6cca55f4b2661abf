/*
 * What stands around every result: which inputs, which clock, what was
 * used and what was left out and why.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/engine/session/other_kind.h"
#include "netan/engine/session/session.h"

/* clang-format off */
static const char *const reasons[NA_N_REASONS] = {
	M_bad_key, M_clock_skew, M_no_latency, M_loopback, M_bad_duration,
	M_aggregated, M_unknown_name, M_too_fast, M_filtered, M_damaged,
};
/* clang-format on */

static void put_warnings(struct na_session *s, struct na_result *r,
			 struct na_value *row, size_t i)
{
	struct na_value *list = na_put_list(r, row, M_warnings);
	const struct na_input *in = &s->inputs[i];
	size_t shown = 0;

	for (const struct na_warning *w = in->warnings; w; w = w->next, shown++)
		na_put_text(r, list, NULL, w->text);
	if (in->n_warnings > shown)
		na_put_textf(r, list, NULL, "%zu more of this kind",
			     in->n_warnings - shown);
	if (!s->store.remarks)
		return;
	for (size_t k = 0; k < s->store.n_remarks[i] && k < NA_REMARKS_MAX; k++)
		na_put_text(r, list, NULL,
			    s->store.remarks[i * NA_REMARKS_MAX + k].text);
	if (s->store.n_remarks[i] > NA_REMARKS_MAX)
		na_put_textf(r, list, NULL, "%zu more damaged events",
			     s->store.n_remarks[i] - NA_REMARKS_MAX);
}

/* Of one input or, with SIZE_MAX, of all, as one side saw them. */
static uint64_t transfers_at(const struct na_session *s, size_t i,
			     enum na_side side)
{
	uint64_t n = 0;

	for (int k = 0; k < NA_N_CLASSES; k++)
		n += na_store_count(&s->store, i, side, (enum na_class)k);
	return n;
}

static uint64_t transfers_of(const struct na_session *s, size_t i)
{
	return transfers_at(s, i, NA_RX) + transfers_at(s, i, NA_TX);
}

/* Of what packets tell, some is read and some is guessed: from either end, one
 * record each. */
static uint64_t estimated(const struct na_session *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_tally *t = &s->store.tallies[i];

		for (int k = 0; k < NA_N_CLASSES; k++)
			n += t->classes[NA_RX][NA_STYLE_ESTIMATE][k] +
			     t->classes[NA_TX][NA_STYLE_ESTIMATE][k];
	}
	return n;
}

/* Also what is looked up in them after they were read. */
static void settle_inputs(struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		na_input_settle(&s->inputs[i]);
		s->damaged |= s->inputs[i].damaged;
	}
}

static void put_inputs(struct na_session *s, struct na_result *r,
		       struct na_value *doc)
{
	struct na_value *list = na_put_list(r, doc, M_inputs), *row, *why;

	settle_inputs(s);
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		row = na_put_object(r, list, NULL);
		na_put_text(r, row, M_path, in->path);
		na_put_text(r, row, M_label, s->sources[i].label);
		na_put_text(r, row, M_format, in->format);
		na_put_text(r, row, M_host, in->host);
		na_put_int(r, row, M_bytes, (int64_t)in->file_bytes);
		na_put_int(r, row, M_transfers, (int64_t)transfers_of(s, i));
		put_warnings(s, r, row, i);
	}
	for (size_t i = 0; i < s->n_refused; i++) {
		row = na_put_object(r, list, NULL);
		na_put_text(r, row, M_path, s->refused[i].path);
		na_put_text(r, row, M_label, s->refused[i].label);
		if (s->refused[i].format)
			na_put_text(r, row, M_format, s->refused[i].format);
		else
			na_put_null(r, row, M_format);
		na_put_null(r, row, M_host);
		na_put_null(r, row, M_bytes);
		na_put_int(r, row, M_transfers, 0);
		why = na_put_list(r, row, M_warnings);
		na_put_text(r, why, NULL, s->refused[i].why);
	}
}

static void put_inputs_left_out(const struct na_session *s,
				struct na_result *r, struct na_value *coverage)
{
	size_t n = s->n_refused - na_session_unread(s);

	if (n)
		na_put_int(r, coverage, M_inputs_left_out, (int64_t)n);
}

static struct na_value *put_coverage(struct na_session *s, struct na_result *r,
				     struct na_value *doc, uint64_t used,
				     int side,
				     const uint64_t dropped[NA_N_REASONS])
{
	struct na_value *c = na_put_object(r, doc, M_coverage), *in;
	int64_t own = na_result_about(r)->filtered;
	uint64_t sums[NA_N_REASONS] = {0}, events = 0, skipped = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		events += s->inputs[i].events;
		skipped += s->inputs[i].lines_skipped;
		for (int k = 0; k < NA_N_REASONS; k++)
			sums[k] += na_store_left_out(&s->store, i, side,
						     (enum na_reason)k);
	}
	for (int k = 0; k < NA_N_REASONS; k++)
		sums[k] += dropped[k];
	/* In the same unit as what was used. */
	if (own >= 0)
		sums[NA_LEFT_FILTERED] = (uint64_t)own;
	na_put_int(r, c, M_events, (int64_t)events);
	na_put_int(r, c, M_lines_skipped, (int64_t)skipped);
	na_put_int(r, c, M_used, (int64_t)used);
	if (estimated(s))
		na_put_int(r, c, M_estimated, (int64_t)estimated(s));
	put_inputs_left_out(s, r, c);
	in = na_put_object(r, c, M_left_out);
	for (int k = 0; k < NA_N_REASONS; k++) {
		if (sums[k])
			na_put_int(r, in, reasons[k], (int64_t)sums[k]);
	}
	in = na_put_list(r, c, M_unknown_names);
	for (size_t i = 0; i < s->store.n_unknown; i++)
		na_put_text(r, in, NULL,
			    na_strtab_at(&s->store.names.strings,
					 s->store.unknown[i].name));
	return c;
}

/* So that nobody takes for the command line's what a file gave. */
static void put_settings(const struct na_request *q, struct na_result *r,
			 struct na_value *coverage)
{
	struct na_value *o;

	if (!q->n_settings)
		return;
	o = na_put_object(r, coverage, M_settings);
	na_put_text(r, o, M_file, q->settings_file);
	for (size_t i = 0; i < q->n_settings; i++) {
		const struct na_request_setting *s = &q->settings[i];

		na_put_text(r, o, s->member, s->value);
		if (!s->look)
			na_result_note(r, "%s = %s is from %s", s->member,
				       s->value, q->settings_file);
	}
}

static bool any_time(const struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->inputs[i].has_time)
			return true;
	}
	return false;
}

static void note_clock(struct na_session *s, struct na_result *r)
{
	char utc[NA_UNIT_BUF];

	if (!any_time(s))
		return;
	if (s->one_clock)
		na_result_note(r, "time counts from %s",
			       na_print_utc(utc, s->origin_unix_ns));
	else
		na_result_note(r, "not every input knows the wall clock: each "
				  "file counts time from its own first line");
}

enum { LEFT_OUT_BUF = 512 };

/* "3 bad key, 12 loopback"; how many these are. */
static uint64_t left_out_text(const struct na_value *doc,
			      char text[LEFT_OUT_BUF])
{
	const struct na_value *out = na_dig(doc, M_coverage "." M_left_out);
	char count[NA_UNIT_BUF], reason[NA_UNIT_BUF];
	uint64_t sum = 0;
	size_t at = 0;

	for (const struct na_value *v = na_items(out);
	     v && at < LEFT_OUT_BUF - 80; v = v->next) {
		at += (size_t)snprintf(text + at, LEFT_OUT_BUF - at, "%s%s %s",
				       at ? ", " : "",
				       na_print_count(count, (uint64_t)v->u.i),
				       na_print_words(reason, sizeof(reason),
						      v->name));
		sum += (uint64_t)v->u.i;
	}
	return sum;
}

static void note_left_out(struct na_result *r, const struct na_value *doc)
{
	char text[LEFT_OUT_BUF];

	if (left_out_text(doc, text))
		na_result_note(r, "left out: %s", text);
}

/* Devices that transfers name and no input recorded. */
static void note_absent(struct na_session *s, struct na_result *r,
			struct na_value *coverage)
{
	const struct na_store *st = &s->store;
	char text[200] = "", buf[NA_ENDPOINT_BUF];
	size_t n = st->names.n_endpoints, absent = 0, at = 0;

	for (size_t i = 0; i < n * st->n_runs; i++) {
		const struct na_host *h = &st->hosts[st->host_of[i]];

		if (h->recorded || st->n_runs > 1 ||
		    st->names.endpoints[i % n].slice == NA_ADDRESS)
			continue;
		if (++absent <= 4)
			at += (size_t)snprintf(
				text + at, sizeof(text) - at, "%s%s",
				at ? ", " : "",
				na_endpoint_print(buf, &st->names,
						  &st->names.endpoints[i % n]));
	}
	if (!absent)
		return;
	na_put_int(r, coverage, M_devices_not_here, (int64_t)absent);
	na_result_note(r,
		       "%zu device%s that transfers name (%s%s) %s on "
		       "hosts whose files are not here",
		       absent, na_plural(absent), text,
		       absent > 4 ? ", ..." : "", absent == 1 ? "is" : "are");
}

/* What captures tell is no match for what traces do. */
static void note_aside(struct na_session *s, struct na_result *r,
		       struct na_value *coverage)
{
	const struct na_store *st = &s->store;
	char buf[NA_UNIT_BUF];
	uint64_t n = 0;

	if (!s->filter.traces_first || s->filter.captures_alone ||
	    na_filter_calls_alone(&s->filter))
		return;
	for (uint32_t i = 0; i < st->n_runs; i++) {
		if (na_store_mixed(st, i))
			n += na_store_captured(st, i, NA_VALID);
	}
	if (!n)
		return;
	na_put_int(r, coverage, M_captured_aside, (int64_t)n);
	na_result_note(r,
		       "%s transfer%s of captures %s not compared with those "
		       "of traces: netan tcp and netan rdma judge their "
		       "packets, --component rpc calls alone",
		       na_print_count(buf, n), na_plural(n),
		       n == 1 ? "is" : "are");
}

/* Packets are no transfers: what --filter left out is told apart. */
static void note_filtered(struct na_session *s, struct na_result *r)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];
	uint64_t n = 0, all = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_capture_counts *c = s->inputs[i].capture;

		n += c ? c->filtered : 0;
		all += c ? c->packets + c->filtered : 0;
	}
	if (n)
		na_result_note(r, "%s of %s packets did not pass --filter",
			       na_print_count(a, n), na_print_count(b, all));
}

static void note_styles(struct na_session *s, struct na_result *r)
{
	uint64_t n[NA_N_STYLES] = {0};
	char used[NA_COUNT_BUF], not_used[NA_COUNT_BUF];

	for (size_t i = 0; i < s->n_inputs; i++) {
		for (int style = 0; style < NA_N_STYLES; style++) {
			for (int k = 0; k < NA_N_CLASSES; k++)
				n[style] += s->store.tallies[i]
						    .classes[NA_RX][style][k];
		}
	}
	if (s->store.doubled)
		na_result_note(r,
			       "both generations of events are there: %s "
			       "receives in action graphs are used, %s host "
			       "messages of the same transfers are not",
			       na_print_count(used, n[NA_STYLE_GRAPH]),
			       na_print_count(not_used, n[NA_STYLE_MESSAGE]));
	if (s->store.anchor_mattered)
		na_result_note(
			r,
			"host messages: the event's time is taken "
			"as the %s of the transfer%s",
			s->store.anchor == NA_ANCHOR_START ? "start" : "end",
			s->request->anchor == NA_ANCHOR_AUTO
				? (s->store.anchor == NA_ANCHOR_START
					   ? " (the events last as long as the transfers)"
					   : " (the events are shorter than the transfers)")
				: " (--anchor)");
}

/* What else of a window nobody would miss. */
static void note_whole(const struct na_session *s, struct na_result *r)
{
	uint64_t n = s->inputs_told ? 0 : na_session_left_whole(s);

	if (n)
		na_result_note(r,
			       "%" PRIu64 " connection%s that reach%s beyond "
			       "the window %s left out: %s",
			       n, na_plural(n), n == 1 ? "es" : "",
			       n == 1 ? "is" : "are", NA_GIVE_CAPTURE);
}

/* Of as many as the command has before it: those of traces have two ends. */
static void note_estimates(struct na_session *s, struct na_result *r, int side)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];
	uint64_t n = estimated(s), rx = transfers_at(s, SIZE_MAX, NA_RX);
	uint64_t tx = transfers_at(s, SIZE_MAX, NA_TX);
	bool both = side != NA_RX && rx && tx;

	if (n)
		na_result_note(r,
			       "%s of %s %s %s estimated from "
			       "direction changes and idle gaps (TCP without "
			       "cleartext HTTP/2)",
			       na_print_count(a, n),
			       na_print_count(b, side == NA_RX ? rx : rx + tx),
			       both ? "sends and receives" : "transfers",
			       n == 1 ? "is" : "are");
}

void na_envelope(struct na_session *s, struct na_result *r, const char *command,
		 uint64_t used, double duration_s, int side,
		 const uint64_t dropped[NA_N_REASONS])
{
	struct na_value *doc = na_result_doc(r), *coverage;

	na_put_textf(r, doc, M_schema, "netan.%s/1", command);
	na_put_text(r, doc, M_netan_version, NETAN_VERSION);
	if (!s->inputs_told)
		put_inputs(s, r, doc);
	if (s->one_clock && any_time(s))
		na_put_int(r, doc, M_origin_unix_ns, s->origin_unix_ns);
	else
		na_put_null(r, doc, M_origin_unix_ns);
	na_put_real(r, doc, M_duration_s, duration_s);
	na_put_text(r, doc, M_anchor,
		    s->store.anchor == NA_ANCHOR_START ? "start" : "end");
	if (s->interrupted)
		na_put_bool(r, doc, M_interrupted, true);
	coverage = put_coverage(s, r, doc, used, side, dropped);
	put_settings(s->request, r, coverage);
	na_result_about(r)->anchor_idle = !s->store.anchor_mattered;
	note_left_out(r, doc);
	note_filtered(s, r);
	note_clock(s, r);
	note_styles(s, r);
	note_estimates(s, r, side);
	note_aside(s, r, coverage);
	note_absent(s, r, coverage);
	na_session_note_ranks(s, r, coverage);
	note_whole(s, r);
	for (size_t i = 0; i < s->n_notes; i++)
		na_result_note(r, "%s", s->notes[i]);
	if (s->interrupted)
		na_result_note(r, "interrupted: a partial result");
}

void na_session_say_damage(const struct na_session *s, size_t i)
{
	const struct na_input *in = &s->inputs[i];
	size_t shown = 0;

	for (const struct na_warning *w = in->warnings; w; w = w->next, shown++)
		na_say_warning(s->request, "%s: %s", in->path, w->text);
	if (in->n_warnings > shown)
		na_say_warning(s->request, "%s: %zu more of this kind",
			       in->path, in->n_warnings - shown);
}

enum na_status na_session_verdict(struct na_session *s)
{
	settle_inputs(s);
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];
		size_t n = s->store.n_remarks[i];

		na_say_detail(s->request,
			      "%s: %s%s%s, host %s, %" PRIu64 " bytes, %" PRIu64
			      " events read, %" PRIu64 " lines skipped",
			      in->path, in->format, in->packed ? " in " : "",
			      in->packed ? in->packed : "", in->host,
			      in->file_bytes, in->events, in->lines_skipped);
		na_session_say_damage(s, i);
		for (size_t k = 0; k < n && k < NA_REMARKS_MAX; k++)
			na_say_warning(
				s->request, "%s: %s", in->path,
				s->store.remarks[i * NA_REMARKS_MAX + k].text);
		if (n > NA_REMARKS_MAX)
			na_say_warning(s->request,
				       "%s: %zu more damaged events", in->path,
				       n - NA_REMARKS_MAX);
	}
	if (s->interrupted) {
		na_say_warning(s->request,
			       "interrupted: the result is partial");
		return NA_EIO;
	}
	return s->damaged && s->request->strict ? NA_EFORMAT : NA_OK;
}

/* The runtime records its plane also where there is one slice only. */
static void say_quiet(const struct na_session *s)
{
	static const char plane[] = "/device:CUSTOM:Megascale Trace";

	if (!(s->wants & NA_WANT_TRANSFERS) || s->store.graphs.n ||
	    transfers_of(s, SIZE_MAX))
		return;
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		for (size_t k = 0; k < in->n_sections; k++) {
			if (strcmp(in->sections[k].name, plane) != 0)
				continue;
			na_say_hint(s->request,
				    "the plane \"%s\" is there and has no "
				    "traffic: nothing went over the "
				    "data-center network while it was recorded",
				    plane);
			return;
		}
	}
}

/* Whether the names before plane k of input i, of which few are looked at,
 * have its name. */
static bool said_before(const struct na_session *s, size_t i, size_t k)
{
	const char *name = s->inputs[i].sections[k].name;

	for (size_t j = 0; j <= i; j++) {
		const struct na_input *in = &s->inputs[j];

		for (size_t m = 0; m < in->n_sections && (j < i || m < k); m++)
			if (strcmp(in->sections[m].name, name) == 0)
				return true;
	}
	return false;
}

void na_session_say_planes(const struct na_session *s)
{
	char text[900] = "";
	size_t at = 0, shown = 0;

	for (size_t i = 0; i < s->store.n_unknown && i < 6; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "%s\"%.80s\" (%" PRIu64 ")",
				       i ? ", " : "",
				       na_strtab_at(&s->store.names.strings,
						    s->store.unknown[i].name),
				       s->store.unknown[i].n);
	if (at) {
		na_say_hint(s->request, "events with names that come close: %s",
			    text);
		return;
	}
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		for (size_t k = 0; k < in->n_sections && shown < 8; k++) {
			if (s->sources[i].ranks || said_before(s, i, k))
				continue;
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "%s\"%.60s\"",
					       shown++ ? ", " : "",
					       in->sections[k].name);
		}
	}
	if (at)
		na_say_hint(s->request, "planes that are there: %s", text);
	else if (s->inputs[0].capture)
		na_say_hint(s->request, "packets do not show devices: give "
					"traces (.xplane.pb)");
	else if (s->inputs[0].told != NA_TOLD_RECORDER && !s->inputs[0].events)
		na_say_hint(s->request, "nothing is in it: no plane, no event");
	say_quiet(s);
}

void na_session_say_missing(const struct na_session *s)
{
	na_session_say_planes(s);
	if (s->damaged)
		na_say_hint(s->request,
			    "the input is damaged or unreadable in "
			    "part (see the warnings): what is missing "
			    "may be in what was lost");
}

/* --line chooses among threads that have names of their own. */
static void say_lines(struct na_session *s)
{
	char text[600] = "";
	size_t at = 0, shown = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_section *plane = s->inputs[i].sections;
		size_t n = s->inputs[i].n_sections;

		for (; n; n--, plane++) {
			if (strcmp(plane->name, "/host:CPU") != 0)
				continue;
			for (size_t k = 0; k < plane->n_parts && shown < 8; k++)
				at += (size_t)snprintf(text + at,
						       sizeof(text) - at,
						       "%s\"%.60s\"",
						       shown++ ? ", " : "",
						       plane->parts[k].name);
		}
	}
	if (at)
		na_say_hint(s->request,
			    "with --line, of the threads %s only those that "
			    "match are read",
			    text);
}

enum { HOSTS_BUF = 600, HOSTS_SAID = 6 };

/* The hosts that a filter could have named: of captures the addresses, or
 * what --hosts calls them, of many some. */
static void hosts_text(const struct na_store *st, char text[HOSTS_BUF])
{
	size_t at = 0, seen = 0;

	if (!st->sources[0].capture) {
		snprintf(text, HOSTS_BUF, "%.200s%s%.200s", st->sources[0].host,
			 st->n_sources > 1 ? " to " : "",
			 st->n_sources > 1 ? st->sources[st->n_sources - 1].host
					   : "");
		return;
	}
	text[0] = '\0';
	for (size_t i = 0; i < st->n_hosts; i++) {
		const struct na_host *h = &st->hosts[i];

		/* Every run has a host of its own for each address. */
		if (h->nobody || (i >= st->n_sources && h->run != 0))
			continue;
		if (seen++ < HOSTS_SAID)
			at += (size_t)snprintf(text + at, HOSTS_BUF - at,
					       "%s%.80s", at ? ", " : "",
					       h->name);
	}
	if (seen > HOSTS_SAID)
		snprintf(text + at, HOSTS_BUF - at, " and %zu more",
			 seen - HOSTS_SAID);
}

bool na_session_any_host(const struct na_session *s)
{
	const struct na_text_list *l = s->filter.host;

	for (size_t k = 0; l && k < l->n; k++) {
		for (size_t i = 0; i < s->store.n_sources; i++) {
			if (na_glob(l->items[k], s->store.sources[i].host))
				return true;
		}
	}
	return !l || !l->n;
}

/* What a filter could have let through. */
void na_session_say_there_is(const struct na_session *s)
{
	const struct na_store *st = &s->store;
	const char *are = !st->ranked.ranks || st->ranked.hosts ? "hosts are"
			  : st->n_sources > 1                   ? "there are"
								: "there is";
	struct na_extent seen = {0};
	char hosts[HOSTS_BUF];

	for (size_t i = 0; i < st->n_sources; i++)
		na_extent_join(&seen, &st->tallies[i].seen);
	hosts_text(st, hosts);
	if (seen.n)
		na_say_hint(s->request,
			    "transfers lie between %.3f s and %.3f s; %s %s",
			    na_s(seen.first_ps), na_s(seen.last_ps), are,
			    hosts);
	else if (*hosts)
		na_say_hint(s->request, "%s %s", are, hosts);
	na_session_say_no_file(s);
	if (st->n_steps)
		na_say_hint(s->request, "steps are %" PRId64 " to %" PRId64,
			    st->steps[0].number,
			    st->steps[st->n_steps - 1].number);
}

void na_session_say_nothing(struct na_session *s, struct na_result *r)
{
	char text[LEFT_OUT_BUF], count[NA_UNIT_BUF];
	uint64_t seen = transfers_of(s, SIZE_MAX), left;

	if (s->interrupted) {
		na_result_word(r, NA_WORD_EMPTY,
			       "interrupted before any transfer was read");
		return;
	}
	if (na_session_say_other_kind(s, r, seen))
		return;
	if (seen) {
		/* Of those that it looks at: received, or sent. */
		left = left_out_text(na_result_doc(r), text);
		seen = left ? left : seen;
		na_print_count(count, seen);
		if (!left)
			snprintf(text, sizeof(text), "%s",
				 s->filter.side == NA_TX
					 ? "none is a send, as --side tx asks"
					 : "outside the window");
		if (seen == 1)
			na_say_error(s->request,
				     "the only transfer is left out: %s", text);
		else
			na_say_error(s->request,
				     "none of the %s transfers is left to "
				     "analyse: %s",
				     count, text);
		na_result_wordf(r, NA_WORD_EMPTY,
				"all transfers were left out: %s", text);
		na_session_say_there_is(s);
		return;
	}
	if (na_session_say_no_calls(s, r))
		return;
	na_result_word(r, NA_WORD_EMPTY, "no network transfers in this input");
	if (na_store_of_ranks(&s->store)) {
		na_session_say_no_pairs(s);
		return;
	}
	na_say_error(s->request,
		     "no network transfers: looked for \"NetworkReceive "
		     "END\" and \"NetworkSend END\" on the plane "
		     "\"/device:CUSTOM:Megascale Trace\", and for \"MegaScale: "
		     "Communication Transport Receive\" on \"/host:CPU\"");
	na_session_say_planes(s);
	if (s->request->line.n)
		say_lines(s);
	/* The names of events follow them: a cut takes them all away. */
	if (s->damaged)
		na_say_hint(s->request,
			    "the input is damaged or unreadable in "
			    "part (see the warnings): transfers may be in what "
			    "was lost; copy or capture it again");
	else
		na_say_hint(s->request,
			    "capture a multi-slice job on its hosts "
			    "(.xplane.pb of each), while it trains");
}

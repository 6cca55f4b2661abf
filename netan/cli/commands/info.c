/* info: what is in these files, and can they be trusted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/base/sandbox/sandbox.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/cli/cli.h"
#include "netan/cli/commands/info.h"

struct sums {
	uint64_t events, lines, planes, devices, slices;
	uint64_t classes[2][NA_N_CLASSES];
	uint64_t actions[NA_N_ACTIONS];
	struct na_extent seen;
	uint64_t captures;
	struct na_capture_counts capture;
};

static uint64_t distinct(int32_t *x, size_t n)
{
	uint64_t found = n > 0;

	na_sort(x, n, na_order_i32);
	for (size_t i = 1; i < n; i++)
		found += x[i] != x[i - 1];
	return found;
}

/* Devices recorded in the file by the network trace, and their slices;
 * where there is no network trace, its device planes.  scratch has room for
 * one number for each endpoint. */
static void count_devices(const struct na_session *s, size_t i,
			  int32_t *scratch, struct sums *x)
{
	const struct na_names *names = &s->store.names;

	for (size_t k = 0; k < s->store.n_local[i]; k++)
		scratch[x->devices++] =
			names->endpoints[s->store.local[i][k]].slice;
	x->slices = distinct(scratch, x->devices);
	if (!x->devices)
		x->devices = s->inputs[i].n_devices;
}

/* The slice that --hosts gives to an address; -1: none. */
static int32_t slice_named(const struct na_store *st, uint32_t run, size_t e)
{
	if (st->names.endpoints[e].slice != NA_ADDRESS)
		return -1;
	return st->hosts[na_store_host_of(st, run, (uint32_t)e)].slice;
}

static uint64_t named_slices(const struct na_store *st, uint32_t run,
			     int32_t *scratch)
{
	size_t n = 0;

	for (size_t e = 0; e < st->names.n_endpoints; e++) {
		if (slice_named(st, run, e) >= 0)
			scratch[n++] = slice_named(st, run, e);
	}
	return distinct(scratch, n);
}

/* Over all inputs: a slice that many hosts share counts once. */
static uint64_t all_slices(const struct na_store *st, int32_t *scratch)
{
	size_t n = 0;

	for (size_t e = 0; e < st->names.n_endpoints; e++)
		scratch[e] = slice_named(st, 0, e);
	for (size_t i = 0; i < st->n_sources; i++) {
		for (size_t k = 0; k < st->n_local[i]; k++) {
			uint32_t e = st->local[i][k];

			scratch[e] = st->names.endpoints[e].slice;
		}
	}
	for (size_t e = 0; e < st->names.n_endpoints; e++) {
		if (scratch[e] >= 0)
			scratch[n++] = scratch[e];
	}
	return distinct(scratch, n);
}

/* A capture lasts from packet to packet. */
static void sum_up_capture(const struct na_session *s, size_t i,
			   int32_t *scratch, struct sums *x)
{
	const struct na_input *in = &s->inputs[i];
	const struct na_capture_counts *c = in->capture;
	int64_t first, last;

	x->captures = 1;
	x->capture = *c;
	x->events = in->events;
	x->slices = named_slices(&s->store, s->sources[i].run, scratch);
	if (c->packets && na_ps_since(c->earliest_ns, in->zero_ns, &first) &&
	    na_ps_since(c->latest_ns, in->zero_ns, &last))
		na_extent_add(&x->seen, first, last);
}

static void sum_up(const struct na_session *s, size_t i, int32_t *scratch,
		   struct sums *x)
{
	const struct na_input *in = &s->inputs[i];
	const struct na_tally *t = &s->store.tallies[i];

	x->planes = in->n_sections;
	for (size_t k = 0; k < in->n_sections; k++) {
		x->lines += in->sections[k].lines;
		x->events += in->sections[k].events;
	}
	for (int side = 0; side < 2; side++) {
		for (int k = 0; k < NA_N_CLASSES; k++)
			x->classes[side][k] = na_store_count(&s->store, i,
							     (enum na_side)side,
							     (enum na_class)k);
	}
	for (int k = 0; k < NA_N_ACTIONS; k++)
		x->actions[k] = na_store_actions(&s->store, i,
						 (enum na_action_kind)k);
	count_devices(s, i, scratch, x);
	if (!in->n_sections)
		x->events = in->events;
	if (in->capture)
		sum_up_capture(s, i, scratch, x);
	else
		na_extent_join(&x->seen, &t->seen);
}

static void add_sums(struct sums *to, const struct sums *x)
{
	to->events += x->events;
	to->lines += x->lines;
	to->planes += x->planes;
	to->devices += x->devices;
	to->slices += x->slices;
	for (int side = 0; side < 2; side++) {
		for (int k = 0; k < NA_N_CLASSES; k++)
			to->classes[side][k] += x->classes[side][k];
	}
	for (int k = 0; k < NA_N_ACTIONS; k++)
		to->actions[k] += x->actions[k];
	na_extent_join(&to->seen, &x->seen);
	to->captures += x->captures;
	na_info_add_capture(&to->capture, &x->capture);
}

static int64_t all_classes(const uint64_t classes[NA_N_CLASSES])
{
	uint64_t n = 0;

	for (int k = 0; k < NA_N_CLASSES; k++)
		n += classes[k];
	return (int64_t)n;
}

static void put_sums(struct na_result *r, struct na_value *row,
		     const struct sums *x)
{
	const uint64_t *rx = x->classes[NA_RX];
	/* clang-format off */
	static const struct { const char *name; int kind; } actions[] = {
		{"d2h", NA_ACT_D2H}, {"h2d", NA_ACT_H2D},
		{"compute", NA_ACT_COMPUTE}, {"graphs", NA_ACT_GRAPH},
		{"kernels", NA_ACT_KERNEL},
		{"registrations", NA_ACT_REGISTRATION},
		{"copies", NA_ACT_COPY},
	};
	/* clang-format on */

	na_put_int(r, row, M_devices, (int64_t)x->devices);
	na_put_int(r, row, M_slices, (int64_t)x->slices);
	na_put_int(r, row, M_events, (int64_t)x->events);
	na_put_int(r, row, M_transfers_rx, all_classes(rx));
	na_put_int(r, row, M_transfers_tx, all_classes(x->classes[NA_TX]));
	for (size_t i = 0; i < NA_LEN(actions); i++)
		na_put_int(r, row, actions[i].name,
			   (int64_t)x->actions[actions[i].kind]);
	na_put_int(r, row, M_valid, (int64_t)rx[NA_VALID]);
	na_put_int(r, row, M_loopback, (int64_t)rx[NA_LOOPBACK]);
	na_put_int(r, row, M_clock_skew, (int64_t)rx[NA_CLOCK_SKEW]);
	na_put_int(r, row, M_no_latency, (int64_t)rx[NA_NO_LATENCY]);
	na_put_int(r, row, M_bad,
		   (int64_t)(rx[NA_BAD_KEY] + rx[NA_BAD_DURATION]));
	if (x->seen.n) {
		na_put_real(r, row, M_from_s, na_s(x->seen.first_ps));
		na_put_real(r, row, M_to_s, na_s(x->seen.last_ps));
	} else {
		na_put_null(r, row, M_from_s);
		na_put_null(r, row, M_to_s);
	}
	if (x->captures)
		na_info_put_capture(r, row, &x->capture);
}

static void put_whose(struct na_result *r, struct na_value *row,
		      const struct na_input *in)
{
	na_put_text(r, row, M_host, in->host);
	if (in->rank >= 0)
		na_put_int(r, row, M_rank, in->rank);
}

static void put_planes(struct na_result *r, struct na_value *row,
		       const struct na_input *in, struct na_value *all)
{
	struct na_value *list = na_put_list(r, row, M_planes);

	for (size_t k = 0; k < in->n_sections; k++) {
		const struct na_section *p = &in->sections[k];
		struct na_value *to = na_put_object(r, list, NULL);
		struct na_value *flat = na_put_object(r, all, NULL);

		na_put_text(r, to, M_name, p->name);
		na_put_int(r, to, M_lines, (int64_t)p->lines);
		na_put_int(r, to, M_events, (int64_t)p->events);
		put_whose(r, flat, in);
		na_put_text(r, flat, M_name, p->name);
		na_put_int(r, flat, M_lines, (int64_t)p->lines);
		na_put_int(r, flat, M_events, (int64_t)p->events);
	}
}

/* With -v: every line of every plane. */
static void put_lines(struct na_result *r, const struct na_input *in,
		      struct na_value *all)
{
	for (size_t k = 0; k < in->n_sections; k++) {
		const struct na_section *p = &in->sections[k];

		for (size_t i = 0; i < p->n_parts; i++) {
			struct na_value *to = na_put_object(r, all, NULL);

			put_whose(r, to, in);
			na_put_text(r, to, M_plane, p->name);
			na_put_text(r, to, M_line, p->parts[i].name);
			na_put_int(r, to, M_events,
				   (int64_t)p->parts[i].events);
		}
	}
}

struct rows { /* for people: inputs by kind, and what is in them */
	struct na_value *hosts, *captures, *planes, *lines, *damage, *ranked;
	struct na_info_ranks *ranks;
};

/* Whose they are, and members of each. */
static void parts_view(struct na_result *r, const char *title,
		       const struct rows *x, const struct na_value *list,
		       const char *const members[3])
{
	struct na_columns c = {.n = 0};

	if (na_info_shows_ranks(x->ranks))
		c.c[c.n++] = (struct na_column){M_rank};
	if (na_info_shows_hosts(x->ranks))
		c.c[c.n++] = (struct na_column){M_host};
	for (int i = 0; i < 3; i++)
		c.c[c.n++] = (struct na_column){members[i]};
	na_result_view(r, title, list, &na_table_info_rows, c.c, c.n, 0);
}

static void views(struct na_result *r, const struct rows *x, bool verbose,
		  bool labels)
{
	static const struct na_column file_cols[] = {
		{M_label},        {M_host},         {M_devices},
		{M_events},       {M_transfers_rx}, {M_transfers_tx},
		{M_valid},        {M_from_s},       {M_to_s},
		{M_bad},          {M_loopback},     {M_clock_skew},
		{M_no_latency},   {M_graphs},       {M_d2h},
		{M_h2d},          {M_compute},      {M_kernels}};
	static const char *const of_plane[] = {M_name, M_lines, M_events};
	static const char *const of_line[] = {M_plane, M_line, M_events};
	static const struct na_column damage_cols[] = {{M_path}, {M_what}};
	const struct na_table *t = &na_table_info_rows;
	size_t traces = x->hosts->n + x->ranked->n;

	/* The label is the first column, where there are several runs. */
	if (x->damage->n)
		na_result_view(r, "warnings", x->damage, t, damage_cols, 2, 0);
	if (x->hosts->n)
		na_result_view(r, "hosts", x->hosts, t, file_cols + !labels,
			       NA_LEN(file_cols) - !labels, 0);
	if (x->captures->n)
		na_info_view_captures(r, x->captures, labels);
	if (traces && (verbose || traces <= 2))
		parts_view(r, "planes", x, x->planes, of_plane);
	if (traces && verbose)
		parts_view(r, "lines", x, x->lines, of_line);
	na_info_view_ranks(r, x->ranks, x->ranked);
}

/* Input warnings again as rows, for people. */
static void put_damage(struct na_result *r, const struct na_value *doc,
		       struct na_value *to)
{
	na_for_each (in, na_get(doc, M_inputs)) {
		na_for_each (w, na_get(in, M_warnings)) {
			struct na_value *row = na_put_object(r, to, NULL);

			na_put_text(r, row, M_path,
				    na_text_or(in, M_path, "-"));
			na_put_text(r, row, M_what, na_text_of(w, ""));
		}
	}
}

static void put_file(struct na_session *s, struct na_result *r, size_t i,
		     struct na_value *row)
{
	const struct na_input *in = &s->inputs[i];

	na_put_text(r, row, M_path, in->path);
	na_put_text(r, row, M_label, s->sources[i].label);
	na_put_text(r, row, M_format, in->format);
	na_put_text(r, row, M_host, in->host);
	na_info_put_slice(r, row, in);
}

static void headline(struct na_result *r, const struct na_session *s,
		     const struct sums *all)
{
	const struct na_capture_counts *c = &all->capture;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], d[NA_UNIT_BUF], e[NA_UNIT_BUF];
	char files[NA_FILES_BUF];

	na_session_inputs(s, files);
	na_print_count(a, all->captures ? c->packets : all->events);
	na_print_count(b, (uint64_t)all_classes(all->classes[NA_RX]));
	na_print_count(d, c->connections);
	na_print_count(e, c->rpcs);
	if (all->captures == s->n_inputs)
		na_result_headline(r,
				   "info: %s, %s packet%s, %s TCP "
				   "connection%s, %s call%s, %" PRIu64
				   " RoCE message%s",
				   files, a, na_plural(c->packets),
				   d, na_plural(c->connections), e,
				   na_plural(c->rpcs), c->roce_messages,
				   na_plural(c->roce_messages));
	else if (all->captures)
		na_result_headline(r,
				   "info: %s with %s packet%s; %s "
				   "transfers received, %" PRIu64 " planes",
				   files, a, na_plural(c->packets), b,
				   all->planes);
	else
		na_result_headline(r,
				   "info: %s, %s events, %s transfers "
				   "received, %" PRIu64 " planes",
				   files, a, b, all->planes);
}

static void info_notes(struct na_result *r, const struct na_session *s,
		       const struct sums *all)
{
	bool merged = false;

	for (size_t i = 0; i < s->n_inputs; i++)
		merged |= s->inputs[i].n_merged > 1;
	if (merged)
		na_result_note(r,
			       "files of one capture are merged by time; what "
			       "comes from the packets of several files "
			       "together (connections, calls, exchanges, "
			       "messages) stands with the first file");
	if (all->captures)
		na_info_note_capture(r, &all->capture, s->damaged);
	na_info_note_steps(r, &s->store);
	if (na_store_of_ranks(&s->store) && !s->store.comms.n)
		na_result_note(r, "no operation between ranks: looked for "
				  "kernels of NCCL and RCCL and of custom "
				  "reductions, and for ranges of gloo");
	else if (all->captures < s->n_inputs && !s->store.comms.n &&
		 !all_classes(all->classes[NA_RX]) &&
		 !all->actions[NA_ACT_GRAPH] &&
		 !all_classes(all->classes[NA_TX]))
		na_result_note(
			r,
			"no network events: looked for the plane "
			"\"/device:CUSTOM:Megascale Trace\" and for "
			"\"MegaScale: ...\" events on \"/host:CPU\"; capture "
			"a multi-slice job while it trains, one .xplane.pb "
			"of each host%s",
			all->devices ? "; what its devices did, netan steps "
				       "and netan collectives show"
				     : "");
}

static void put_files(struct na_session *s, struct na_result *r,
		      const struct rows *rows, int32_t *scratch,
		      struct sums *all)
{
	struct na_value *files = na_put_list(r, na_result_body(r), M_files);

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];
		struct na_value *row = na_put_object(r, files, NULL);
		struct sums x = {.events = 0};

		sum_up(s, i, scratch, &x);
		na_extent_join(&x.seen, na_info_rank_seen(rows->ranks, i));
		put_file(s, r, i, row);
		put_planes(r, row, in, rows->planes);
		put_lines(r, in, rows->lines);
		put_sums(r, row, &x);
		add_sums(all, &x);
		if (na_info_put_rank(r, row, rows->ranks, in, i))
			continue;
		row = na_put_object(r,
				    in->capture ? rows->captures : rows->hosts,
				    NULL);
		put_file(s, r, i, row);
		put_sums(r, row, &x);
	}
	na_info_rank_rows(r, rows->ranks, rows->ranked);
	all->slices = all_slices(&s->store, scratch);
}

static void fill_result(const struct na_cli *cli, struct na_session *s,
			struct na_result *r, int32_t *scratch,
			struct na_info_ranks *ranks)
{
	struct na_value *side = na_result_side(r), *totals;
	const struct rows rows = {
		.hosts = na_put_list(r, side, M_hosts),
		.captures = na_put_list(r, side, M_captures),
		.planes = na_put_list(r, side, M_planes),
		.lines = na_put_list(r, side, M_lines),
		.damage = na_put_list(r, side, M_damage),
		.ranked = na_put_list(r, side, M_ranked),
		.ranks = ranks,
	};
	struct sums all = {.events = 0};
	uint64_t none[NA_N_REASONS] = {0};
	double seconds = 0;

	put_files(s, r, &rows, scratch, &all);
	if (!na_result_ok(r))
		return;
	totals = na_put_object(r, na_result_body(r), M_totals);
	na_put_int(r, totals, M_planes, (int64_t)all.planes);
	na_put_int(r, totals, M_lines, (int64_t)all.lines);
	put_sums(r, totals, &all);
	na_info_put_joins(r, na_result_body(r), ranks);
	if (all.seen.n)
		seconds = na_s((double)all.seen.last_ps -
			       (double)all.seen.first_ps);
	if (na_store_of_ranks(&s->store))
		na_info_say_ranks(r, s, ranks, all.events);
	else
		headline(r, s, &all);
	na_envelope(s, r, "info",
		    all.classes[NA_RX][NA_VALID] + all.classes[NA_TX][NA_VALID],
		    seconds, -1, none);
	put_damage(r, na_result_doc(r), rows.damage);
	views(r, &rows, cli->common.verbose, s->store.n_runs > 1);
	info_notes(r, s, &all);
	na_info_note_slices(r, s);
}

/* What is not held has been said already. */
static void say_sandbox(const struct na_cli *cli)
{
	char text[NA_SANDBOX_TEXT];

	if (!na_sandbox_whole())
		return;
	na_sandbox_text(text);
	na_say_detail(&cli->request, "sandbox: %s", text);
}

/* Nothing at all was there to be read. */
static bool all_empty(const struct na_session *s)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->n_inputs; i++)
		bytes += s->inputs[i].file_bytes + s->inputs[i].events;
	return !bytes;
}

static enum na_exit run_info(struct na_cli *cli)
{
	const uint32_t wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS |
			       NA_WANT_ACTIONS | NA_WANT_STEPS |
			       NA_WANT_KERNELS | NA_WANT_COUNTS | NA_WANT_COMMS;
	struct na_result *r = cli->result;
	struct na_err err = {.status = NA_OK};
	struct na_session s;
	struct na_info_ranks *ranks = NULL;
	int32_t *scratch = NULL;
	enum na_exit exit, verdict;

	say_sandbox(cli);
	na_catch_interrupt();
	exit = na_exit_of(na_session_open(&s, &cli->request, wants));
	if (exit == NA_EXIT_OK) {
		na_filter_init(&s.filter); /* all of a slice, too */
		s.filter.instants = false; /* no record is looked at */
		s.stay = NA_STAY_COUNTED;
		na_in_err(na_session_read(&s, false, &err));
	}
	if (exit == NA_EXIT_OK && err.status == NA_OK) {
		scratch = na_calloc(s.store.names.n_endpoints,
				    sizeof(*scratch));
		ranks = na_info_ranks(&s);
		if (!scratch || !ranks)
			na_fail_nomem(&err);
	}
	if (err.status != NA_OK)
		exit = na_say_failed(cli, &err);
	if (exit == NA_EXIT_OK) {
		fill_result(cli, &s, r, scratch, ranks);
		exit = na_exit_of(na_session_verdict(&s));
		verdict = na_result_ok(r) ? na_output(cli, r) : NA_EXIT_FAILED;
		exit = exit == NA_EXIT_OK ? verdict : exit;
		if (exit == NA_EXIT_OK && all_empty(&s))
			exit = NA_EXIT_FAILED;
	}
	free(scratch);
	na_info_ranks_free(ranks);
	na_session_close(&s);
	return exit;
}

static const struct na_command_info info_info = {
	.name = "info",
	.question = "what is in these files; can I trust them",
	.usage = "[OPTION…] INPUT…",
	.details =
		"Reads every event and counts: planes, lines, events, "
		"transfers by class, copies, graph executions, and everything "
		"that is damaged, with byte offsets. With -v also every line "
		"of every plane, and whether the sandbox holds.\n"
		"Columns: rx and tx are network transfers received and sent, "
		"valid to bad the classes of the received ones (loopback: to "
		"itself; clock skew: a latency of 0 by the clocks of two "
		"hosts; no latency; bad: without endpoints or with an "
		"impossible duration); graphs are executions of collectives "
		"on the host, d2h, h2d and compute their copies and "
		"reductions, kernels the collective kernels of GPUs; from and "
		"to are the first start and the last end of a transfer.\n"
		"Captures: packets and bytes (captured, and as long as they "
		"were on the wire), TCP connections, calls (HTTP/2 requests), "
		"exchanges (requests and responses on other TCP connections, "
		"estimated), RoCE messages, packets by kind; malformed are "
		"those whose headers lie or end early, cut those that the "
		"snap length shortened; from and to are the first and the "
		"last packet.",
	.example = "netan info host0.xplane.pb\n"
		   "netan info logdir --format json\n"
		   "netan info part1.pcap part2.pcap.gz --filter 'tcp'",
};

const struct na_command na_cmd_info = {
	.info = &info_info,
	.joins = NA_JOIN_INPUT | NA_JOIN_OUTPUT | NA_JOIN_MANY,
	.run = run_info,
};

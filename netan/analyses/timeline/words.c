/* timeline: the sentences, and what a person sees in a terminal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/timeline/state.h"
#include "netan/base/str.h"

/* Runs side by side: nothing that adds them up means anything. */
static void say_runs(struct na_result *r, const struct timeline_state *s)
{
	const struct na_store *store = s->scope->store;
	size_t most = 0;

	for (size_t run = 0; run < store->n_runs; run++) {
		size_t hosts = 0;

		for (size_t i = 0; i < s->n_host_rows; i++)
			hosts += store->hosts[s->row_host[i]].run == run &&
				 (s->hosts[i].n[0] || s->hosts[i].n[1]);
		most = hosts > most ? hosts : most;
	}
	na_result_about(r)->runs_apart = true;
	na_put_int(r, na_result_side(r), M_hosts, (int64_t)most);
	na_result_wordf(r, NA_WORD_MESSAGE,
			"Throughput of %zu runs side by side", store->n_runs);
	na_result_note(
		r,
		"in JSON and CSV the sums and pending counts add the runs; series holds "
		"each by itself");
}

/* What the bytes are of. */
static void say_records(struct na_result *r, const struct timeline_state *s,
			const struct timeline_busy *b)
{
	const struct na_filter *f = s->scope->filter;
	char n[NA_UNIT_BUF], m[NA_UNIT_BUF];

	if (s->spread_calls)
		na_result_note(r,
			       "%s of these are calls and messages of a "
			       "capture without its packets: their bytes are "
			       "spread over the whole call, and no host is "
			       "said to be saturated",
			       na_print_count(n, s->spread_calls));
	if (s->moved.n || s->not_drawn)
		na_result_note(
			r,
			"what ranks do together is drawn as rx and tx of each: "
			"bus bytes over the end of its kernel, as long as the "
			"shortest one of all ranks; sends as tx of one and rx "
			"of the other; pending are these, not the waits that "
			"netan bursts counts%s%s%s",
			s->not_drawn ? "; " : "",
			s->not_drawn ? na_print_count(n, s->not_drawn) : "",
			!s->not_drawn ? ""
			: !s->apart   ? " kernels are not: no size is told"
			: !s->no_size
				? " kernels are not: the other ranks' part "
				  "is not known"
				: " kernels are not: no size is told, or the "
				  "other ranks' part is not known");
	if (s->moved.n)
		na_result_word(r, NA_WORD_NOUN, "execution");
	/* Ranks are added up there. */
	if (s->scope->store->ranked.hosts)
		na_result_word(r, NA_WORD_HOST, "host");
	if (s->capacity_gbps > 0 && s->scope->store->ranked.ranks) {
		na_result_about(r)->part_limited = true;
		na_result_note(r,
			       "--capacity is compared with what ranks move "
			       "between hosts, summed by host%s: a ring passes "
			       "each of its hosts once; the sums and rates "
			       "hold what stays inside hosts, too, which the "
			       "traces do not tell apart: whether links are "
			       "full counters of the NICs tell",
			       s->scope->store->ranked.hosts
				       ? ""
				       : " (no host is told: each rank counts "
					 "as one)");
	}
	if (!s->packets)
		return;
	na_result_word(r, NA_WORD_NOUN,
		       s->packets != s->scope->used->n ? "transfers and packet"
						       : "packet");
	if (b->hosts < s->n_busy)
		na_result_note(r,
			       "saturation is looked for on the %s busiest of "
			       "%s hosts",
			       na_print_count(n, b->hosts),
			       na_print_count(m, s->n_busy));
	if ((f->collective && f->collective->n) || f->min_bytes ||
	    f->max_bytes < UINT64_MAX)
		na_result_note(r, "packets have no collective and no transfer "
				  "size: these options choose among what is "
				  "pending, not among packets");
}

/* Of those that have a row, or that packets touch. */
static size_t hosts_of(const struct timeline_state *s,
		       const struct timeline_busy *b)
{
	return b->hosts > s->n_busy ? b->hosts : s->n_busy;
}

/* Nothing but packets. */
static bool on_the_wire(const struct timeline_state *s)
{
	return s->packets && s->packets == s->scope->used->n;
}

static double rate_of(const struct na_value *body, const char *gbps)
{
	return na_number_or(body, gbps, 0) * NA_GIGA;
}

/* A plateau that holds for a fifth of the time, where no capacity explains
 * it. */
static bool stays_level(const struct timeline_state *s,
			const struct timeline_busy *b)
{
	return na_timeline_is_level(s, &b->level, b->level_side) &&
	       !(s->capacity_gbps > 0 && b->regions);
}

/* Both sides of a host that is slow both ways; one of many hosts is no
 * exception. */
static void say_level(struct na_str *to, const struct timeline_state *s,
		      const struct timeline_busy *b)
{
	const struct timeline_level *x = &b->level;
	bool both = na_timeline_is_level(s, x, !b->level_side);
	char rate[2][NA_UNIT_BUF], n[NA_COUNT_BUF];

	for (size_t side = 0; side < 2; side++)
		na_print_rate(rate[side], x->gbps[side] * NA_GIGA, 3);
	if (!both)
		na_str_addf(to, "%s %s stays near %s", x->host,
			    b->level_side ? "tx" : "rx", rate[b->level_side]);
	else if (strcmp(rate[0], rate[1]) == 0)
		na_str_addf(to, "%s rx and tx stay near %s", x->host, rate[0]);
	else
		na_str_addf(to, "%s rx and tx stay near %s and %s", x->host,
			    rate[0], rate[1]);
	if (b->level_hosts > 1)
		na_str_addf(to, ", so do%s %s", b->level_hosts > 2 ? "" : "es",
			    na_count_of(n, b->level_hosts - 1, "other host"));
}

/* What is sent where that is full for much longer, else what is received; of
 * packets what is more. */
static bool foremost_is_tx(const struct timeline_state *s,
			   const struct timeline_busy *b, bool by_amount)
{
	bool full = s->capacity_gbps > 0 && b->regions;

	if (full && s->n_side[1] && b->share[1] > 2 * b->share[0])
		return true;
	return !s->n_side[0] || (by_amount && s->amount[1] > s->amount[0]);
}

static void say_rate(struct na_result *r, const struct timeline_state *s,
		     const struct timeline_busy *b)
{
	const struct na_value *body = na_result_body(r);
	bool wire = on_the_wire(s), both = s->n_side[0] && s->n_side[1];
	bool tx = foremost_is_tx(s, b, wire && both);
	char mean[NA_UNIT_BUF], peak[NA_UNIT_BUF], more[96];
	char level[300 + NA_WHOSE_BUF];
	struct na_str stays = na_str_over(level, sizeof(level));
	size_t hosts = hosts_of(s, b);
	/* Broadcasts and groups have an address, and are no host. */
	const char *who = wire ? "address"
			  : na_store_of_ranks(s->scope->store) &&
					  !s->scope->store->ranked.hosts
				  ? "rank"
				  : "host";

	na_print_rate(mean, rate_of(body, tx ? M_tx_mean_gbps : M_rx_mean_gbps),
		      3);
	if (s->capacity_gbps > 0 && b->regions)
		snprintf(more, sizeof(more), "saturated %.3g %% of %stime",
			 100 * b->share[tx], b->hosts > 1 ? "host " : "the ");
	else if (s->capacity_gbps > 0 && s->scope->store->ranked.ranks)
		snprintf(more, sizeof(more),
			 "whether links are full is not told");
	else if (s->capacity_gbps > 0 && !s->spread_calls)
		snprintf(more, sizeof(more), "never saturated");
	else
		snprintf(more, sizeof(more), "peak %s",
			 na_print_rate(peak,
				       rate_of(body, tx ? M_tx_peak_gbps
							: M_rx_peak_gbps),
				       3));
	if (stays_level(s, b)) {
		na_str_addf(&stays, "; ");
		say_level(&stays, s, b);
	}
	if (b->clocks) {
		na_str_addf(&stays, "; ");
		na_clock_off_say(&stays, &b->off);
	}
	na_result_wordf(r, NA_WORD_MESSAGE,
			"%s throughput, %zu %s%s: %s mean, %s%s",
			wire && !both ? "Packet"
			: tx          ? "Send"
				      : "Receive",
			hosts, who, hosts == 1 ? "" : wire ? "es" : "s", mean,
			more, level);
}

static void note_level(struct na_result *r, const struct timeline_state *s,
		       const struct timeline_busy *b)
{
	const struct timeline_level *x = &b->level;
	size_t side = b->level_side;
	bool told = false;
	char text[300], rate[NA_UNIT_BUF], share[NA_UNIT_BUF];
	struct na_str t = na_str_over(text, sizeof(text));

	if (!stays_level(s, b))
		return;
	na_str_addf(&t, "%s", x->host);
	for (size_t k = 0; k < 2; k++) {
		if (k != side && !na_timeline_is_level(s, x, !side))
			continue;
		na_str_addf(&t, "%s %s %s %s for %s %%%s",
			    told ? "," : "", k ? "tx" : "rx",
			    told ? "near" : "stays near",
			    na_print_rate(rate, x->gbps[k] * NA_GIGA, 3),
			    na_print_number(share,
					    100 * (double)x->bins[k] /
						    (double)s->bins.n,
					    2),
			    told ? "" : " of the time");
		told = true;
	}
	na_result_note(r, "%s: a limit%s", text,
		       s->capacity_gbps > 0
			       ? " below the capacity that was given?"
			       : "? --capacity finds saturated regions");
}

static void note_clocks(struct na_result *r, const struct timeline_busy *b)
{
	char whose[NA_WHOSE_BUF], early[NA_UNIT_BUF];
	struct na_str t = na_str_over(whose, sizeof(whose));

	if (!b->clocks)
		return;
	na_clock_off_say(&t, &b->off);
	na_result_note(r,
		       "%s: %s of its transfers arrive before they were sent, "
		       "and the other way they last by as much longer; rx and "
		       "outstanding bytes of it and its peers hold that and "
		       "show no limit; netan pairs estimates the offset",
		       whose, na_print_count(early, b->off.early));
}

static void note_instants(struct na_result *r, const struct timeline_state *s)
{
	double bytes = na_number_at(na_result_body(r), M_instant_bytes);
	char n[NA_COUNT_BUF], size[NA_UNIT_BUF];

	if (s->instants)
		na_result_note(r,
			       "%s without a usable duration (%s) drawn as "
			       "instants",
			       na_count_of(n, s->instants, "transfer"),
			       na_print_bytes(size, bytes, 3));
}

/* Columns as they are shown: each rate in a unit that fits it, and of packets
 * that were only received, as all are without --host, no second side. */
enum { SHOWN_MAX = 16 };
struct shown {
	struct na_column cols[SHOWN_MAX];
	char headers[SHOWN_MAX][64];
	size_t n;
	bool wire;    /* no second side */
	bool whole;   /* and the first is all, not what one group received */
};

static struct shown shown_of(const struct timeline_state *s)
{
	bool wire = on_the_wire(s) && !s->n_side[1];

	return (struct shown){.wire = wire, .whole = wire};
}

/* "rx mean, Gbit/s" to "mean, Mbit/s", whose figures have their own unit. */
static void show(struct shown *x, const struct na_table *table,
		 const struct na_column *cols, size_t n, bool rates)
{
	for (size_t i = 0; i < n && x->n < SHOWN_MAX; i++) {
		struct na_column col = na_column_declared(table, &cols[i]);
		const char *h = col.header, *unit;
		char *to = x->headers[x->n];

		if (x->wire && strncmp(col.field, "tx", 2) == 0)
			continue;
		if (x->whole && strncmp(h, "rx ", 3) == 0)
			h += 3;
		unit = rates ? strstr(h, "Gbit/s") : NULL;
		if (x->whole && strncmp(h, "received", 8) == 0)
			snprintf(to, 64, "on the wire%s", h + 8);
		else if (unit)
			snprintf(to, 64, "%.*s%s%s", (int)(unit - h), h,
				 "Mbit/s", unit + 6);
		else
			snprintf(to, 64, "%s", h);
		if (unit)
			col.scale = 1e3;
		col.header = to;
		x->cols[x->n++] = col;
	}
}

/* Ten to twenty lines that show the course of the run in a terminal. */
static struct na_value *coarse(struct na_result *r, const struct na_value *body,
			       const struct timeline_state *s)
{
	struct na_value *list = na_put_list(r, na_result_side(r), M_coarse);
	const double *rx = na_reals_of(na_get(body, M_rx_gbps), NULL);
	const double *tx = na_reals_of(na_get(body, M_tx_gbps), NULL);
	const double *most = na_reals_of(na_get(body, M_pending_max), NULL);
	size_t n = s->bins.n, rows = n < 20 ? n : 20;

	for (size_t i = 0; rx && tx && most && i < rows; i++) {
		size_t from = i * n / rows, to = (i + 1) * n / rows;
		struct na_value *row = na_put_object(r, list, NULL);
		double sum[2] = {0, 0}, peak[2] = {0, 0}, pending = 0;

		for (size_t k = from; k < to; k++) {
			sum[0] += rx[k];
			sum[1] += tx[k];
			peak[0] = fmax(peak[0], rx[k]);
			peak[1] = fmax(peak[1], tx[k]);
			pending = fmax(pending, most[k]);
		}
		na_put_real(r, row, M_from_s, na_bins_start_s(&s->bins, from));
		na_put_real(r, row, M_rx_mean_gbps,
			    sum[0] / (double)(to - from));
		na_put_real(r, row, M_rx_peak_gbps, peak[0]);
		na_put_real(r, row, M_tx_mean_gbps,
			    sum[1] / (double)(to - from));
		na_put_real(r, row, M_tx_peak_gbps, peak[1]);
		na_put_int(r, row, M_pending_max, (int64_t)pending);
	}
	return list;
}

/* Sums over all hosts, against the capacity of all hosts. */
static void sums_view(struct na_result *r, const struct na_value *body,
		      const struct timeline_state *s, size_t hosts)
{
	/* clang-format off */
	static const struct na_column cols[] = {
		{M_rx_bytes}, {M_tx_bytes}, {M_rx_mean_gbps}, {M_rx_peak_gbps},
		{M_tx_mean_gbps}, {M_tx_peak_gbps}, {M_bin_s},
		{M_capacity_gbps}, {M_rx_mean_percent}, {M_tx_mean_percent},
	};
	/* clang-format on */
	enum { ALL = NA_LEN(cols), OF_CAPACITY = 3 };
	const struct na_table *table = &na_table_timeline_sums;
	struct na_value *to = na_put_object(r, na_result_side(r), M_sums);
	bool part = na_result_get_about(r)->part_limited;
	double all = part ? 0 : s->capacity_gbps * (double)hosts;
	struct shown x = shown_of(s);

	na_put_int(r, to, M_hosts, (int64_t)hosts);
	show(&x, table, &(struct na_column){M_hosts}, 1, false);
	for (size_t i = 0; i < ALL; i++)
		na_put_alias(r, to, cols[i].field, na_get(body, cols[i].field));
	show(&x, table, cols, ALL - OF_CAPACITY, true);
	if (all > 0) {
		na_put_real(r, to, M_rx_mean_percent,
			    100 * na_number_at(body, M_rx_mean_gbps) / all);
		na_put_real(r, to, M_tx_mean_percent,
			    100 * na_number_at(body, M_tx_mean_gbps) / all);
		show(&x, table, cols + ALL - OF_CAPACITY, OF_CAPACITY, false);
	}
	na_result_view(r, na_result_get_word(r, NA_WORD_MESSAGE, NULL), to,
		       NULL, x.cols, x.n, 0);
}

static void course_view(struct na_result *r, const struct na_value *body,
			const struct timeline_state *s)
{
	struct shown x = shown_of(s);

	show(&x, &na_table_timeline_coarse,
	     NA_COLUMNS({M_from_s}, {M_rx_mean_gbps}, {M_rx_peak_gbps},
			{M_tx_mean_gbps}, {M_tx_peak_gbps}, {M_pending_max}),
	     true);
	na_result_view(r, "course of the run (means and peaks of bins)",
		       coarse(r, body, s), NULL, x.cols, x.n, 0);
}

static void regions_view(struct na_result *r, const struct na_value *body)
{
	na_result_view(r, "saturated (>= 90 % of capacity)",
		       na_get(body, M_saturated), &na_table_timeline_region,
		       NA_COLUMNS({M_host}, {M_side}, {M_from_s}, {M_to_s},
				  {M_mean_gbps}),
		       20);
}

static void groups_view(struct na_result *r, const struct na_value *body,
			const struct timeline_state *s)
{
	const struct na_grouping *by = &s->scope->by;
	struct na_column keys[NA_MAX_KEYS];
	struct shown x = shown_of(s);

	x.whole = false;
	na_groups_columns(by, keys);
	show(&x, NULL, keys, by->n, false);
	show(&x, &na_table_timeline_series_sums,
	     NA_COLUMNS({M_transfers}, {M_rx_bytes}, {M_rx_mean_gbps},
			{M_rx_peak_gbps}, {M_tx_bytes}, {M_tx_mean_gbps},
			{M_tx_peak_gbps}),
	     true);
	if (x.wire)
		x.cols[by->n].header = "packets";
	na_result_view(r,
		       na_timeline_by_runs(s)
			       ? "runs (means over the duration of each)"
			       : "groups (means over the whole duration)",
		       na_get(body, M_series), NULL, x.cols, x.n, 0);
}

/* Why no collective of ranks is in the picture, and what it takes. */
static void say_not_drawn(struct na_result *r, const struct timeline_state *s)
{
	char text[400], n[NA_UNIT_BUF];
	struct na_str t = na_str_over(text, sizeof(text));

	na_print_count(n, s->not_drawn);
	na_str_addf(&t, "none of %s collective kernels can be drawn", n);
	if (s->apart)
		na_str_addf(&t,
			    "; of %s the other ranks' part is not known: give "
			    "the files of all ranks, of the same steps",
			    na_print_count(n, s->apart));
	if (s->no_size)
		na_str_addf(&t,
			    "; of %s no size is told: PyTorch writes it since "
			    "2024 (\"In msg nelems\"), nsys exports it with "
			    "--include-blobs=true",
			    na_print_count(n, s->no_size));
	if (s->apart + s->no_size < s->not_drawn)
		na_str_addf(&t, "; collectives have no src, dst, pair, device "
				"or class (--by)");
	na_result_word(r, NA_WORD_EMPTY, text);
}

void na_timeline_say(struct na_result *r, const struct timeline_state *s,
		     const struct timeline_busy *b)
{
	const struct na_value *body = na_result_body(r);
	struct na_value *side = na_result_side(r);
	size_t hosts = hosts_of(s, b);

	if (!s->any) {
		na_result_word(r, NA_WORD_MESSAGE,
			       "No network transfers to draw");
		if (s->not_drawn)
			say_not_drawn(r, s);
		return;
	}
	say_records(r, s, b);
	if (na_timeline_apart(s)) {
		/* Never added up. */
		say_runs(r, s);
	} else {
		say_rate(r, s, b);
		na_put_int(r, side, M_hosts, (int64_t)hosts);
		na_put_real(r, side, M_rx_saturated_share, b->share[0]);
		na_put_real(r, side, M_tx_saturated_share, b->share[1]);
		note_level(r, s, b);
		note_clocks(r, b);
		note_instants(r, s);
		sums_view(r, body, s, hosts);
		course_view(r, body, s);
		if (s->capacity_gbps > 0)
			regions_view(r, body);
	}
	if (s->scope->by.n)
		groups_view(r, body, s);
}

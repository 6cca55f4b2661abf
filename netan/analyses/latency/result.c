/* latency: from sorted rows to the result and the words around it. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/latency/latency.h"
#include "netan/base/text.h"
#include "netan/stats/samples/quantile.h"

struct quantile {
	double p;
	const char *name, *field, *interval;
	uint64_t needs; /* 1 / (1 - p) */
};

/* clang-format off */
static const struct quantile quantiles[] = {
	{0.5, "p50", M_p50_us, M_p50_ci95_us, 2},
	{0.9, "p90", M_p90_us, M_p90_ci95_us, 10},
	{0.95, "p95", M_p95_us, M_p95_ci95_us, 20},
	{0.99, "p99", M_p99_us, M_p99_ci95_us, 100},
	{0.999, "p99_9", M_p99_9_us, M_p99_9_ci95_us, 1000},
	{0.9999, "p99_99", M_p99_99_us, M_p99_99_ci95_us, 10000},
};
/* clang-format on */
enum { QUANTILES = sizeof(quantiles) / sizeof(quantiles[0]) };

static double quantile_of(const struct lat_row *row, double p)
{
	return na_quantile_sorted(row->us, row->n, p);
}

static void put_quantiles(struct na_result *r, struct na_value *to,
			  const struct lat_row *row)
{
	size_t n = row->n;

	na_put_real(r, to, M_min_us, n ? row->us[0] : NAN);
	na_put_real(r, to, M_mean_us,
		    n ? (double)row->sum_ps / (double)n / 1e6 : NAN);
	for (size_t i = 0; i < QUANTILES; i++)
		na_put_real(r, to, quantiles[i].field,
			    quantile_of(row, quantiles[i].p));
	na_put_real(r, to, M_max_us, n ? row->us[n - 1] : NAN);
}

/* One transfer has a value, but nothing that could bound it. */
static void put_intervals(struct na_result *r, struct na_value *to,
			  const struct lat_row *row)
{
	for (size_t i = 0; i < QUANTILES; i++) {
		double *ends = na_put_reals(r, to, quantiles[i].interval, 2);
		size_t lower, upper;

		na_quantile_ci(row->n < 2 ? 0 : row->n, quantiles[i].p, 0.95,
			       &lower, &upper);
		if (!ends)
			continue;
		ends[0] = lower ? row->us[lower - 1] : NAN;
		ends[1] = upper ? row->us[upper - 1] : NAN;
	}
}

static void put_few(struct na_result *r, struct na_value *to,
		    const struct lat_row *row)
{
	struct na_value *few = na_put_list(r, to, M_few_samples);

	for (size_t i = 0; i < QUANTILES; i++) {
		if (row->n < quantiles[i].needs)
			na_put_text(r, few, NULL, quantiles[i].name);
	}
}

double lat_tail_ratio(const struct lat_row *row)
{
	double p50 = quantile_of(row, 0.5);

	return p50 > 0 ? quantile_of(row, 0.99) / p50 : NAN;
}

static void put_line(struct na_result *r, struct na_value *to,
		     const struct lat_row *row)
{
	double per_byte = row->has_line ? row->line.us_per_byte : 0;

	na_put_real(r, to, M_fixed_us,
		    row->has_line ? row->line.fixed_us : NAN);
	na_put_real(r, to, M_bandwidth_gbps,
		    per_byte > 0 ? 8e-3 / per_byte : NAN);
	na_put_real(r, to, M_residual_p50,
		    log(na_sketch_quantile(&row->residual, 0.5)));
	na_put_real(r, to, M_residual_p99,
		    log(na_sketch_quantile(&row->residual, 0.99)));
}

static double ratio(na_i128 a, na_i128 b)
{
	return b > 0 ? (double)a / (double)b : NAN;
}

static na_i128 network_of(const struct lat_split *x)
{
	return x->wire_ps + x->queued_ps;
}

/* Where receives spent their time, by the larger part; NULL: too few. */
static const char *part_of(const struct lat_split *x)
{
	if (x->n < LAT_SPLIT_LEAST || x->action_ps == 0)
		return NULL;
	return 2 * network_of(x) >= x->action_ps ? "network" : "waiting";
}

static struct na_value *put_split(struct na_result *r, struct na_value *to,
				  const struct lat_split *x)
{
	struct na_value *o = na_put_object(r, to, M_split);
	na_i128 waiting_ps = x->action_ps - network_of(x);

	na_put_int(r, o, M_receives, (int64_t)x->n);
	na_put_real(r, o, M_under_way_share, ratio(x->wire_ps, x->action_ps));
	na_put_real(r, o, M_queued_share, ratio(x->queued_ps, x->action_ps));
	na_put_real(r, o, M_waiting_share, ratio(waiting_ps, x->action_ps));
	na_put_real(r, o, M_unposted_share,
		    ratio(x->unposted_ps, x->latency_ps));
	na_put_int(r, o, M_slow, (int64_t)x->slow);
	na_put_int(r, o, M_slow_network, (int64_t)x->slow_network);
	na_put_int(r, o, M_slow_waiting, (int64_t)(x->slow - x->slow_network));
	na_put_text(r, o, M_part, part_of(x));
	return o;
}

static void put_endpoint(struct na_result *r, struct na_value *to,
			 const char *name, const struct na_store *store,
			 uint32_t e)
{
	char buf[NA_ENDPOINT_BUF];

	na_put_text(r, to, name,
		    e < store->names.n_endpoints
			    ? na_endpoint_print(buf, &store->names,
						&store->names.endpoints[e])
			    : NULL);
}

/* Of captures the host that received; else the file's. */
static const char *host_of(const struct na_store *store,
			   const struct lat_worst *w)
{
	const struct na_names *names = &store->names;

	if (w->dst < names->n_endpoints &&
	    names->endpoints[w->dst].slice == NA_ADDRESS)
		return store
			->hosts[na_store_host_of(
				store, store->sources[w->input].run, w->dst)]
			.name;
	return store->sources[w->input].host;
}

void lat_put_worst(struct na_result *r, struct na_value *list,
		   const struct lat_state *s, const struct lat_row *row,
		   const struct lat_worst *w)
{
	const struct na_store *store = s->scope->store;
	struct na_value *o = na_put_object(r, list, NULL);
	double us = (double)w->latency_ps / 1e6;
	double expected = lat_expected_us(row, (double)w->size_bytes);

	na_put_real(r, o, M_time_s, (double)w->end_ps / 1e12);
	na_put_real(r, o, M_latency_us, us);
	na_put_real(r, o, M_residual,
		    us > 0 && expected > 0 ? log(us / expected) : NAN);
	if (w->size_bytes <= INT64_MAX)
		na_put_int(r, o, M_bytes, (int64_t)w->size_bytes);
	else
		na_put_real(r, o, M_bytes, (double)w->size_bytes);
	put_endpoint(r, o, "src", store, w->src);
	put_endpoint(r, o, "dst", store, w->dst);
	na_put_text(r, o, M_collective,
		    w->collective < store->names.strings.n
			    ? na_strtab_at(&store->names.strings, w->collective)
			    : NULL);
	na_put_text(r, o, M_host, host_of(store, w));
	if (w->step < store->n_steps)
		na_put_int(r, o, M_step, store->steps[w->step].number);
}

static void put_curve(struct na_result *r, struct na_value *to,
		      const struct lat_curve *c)
{
	const struct {
		const char *name;
		const double *from;
	} parts[] = {{M_ccdf_us, c->us},
		     {M_ccdf_share, c->share},
		     {M_ccdf_lower_us, c->lower_us},
		     {M_ccdf_upper_us, c->upper_us}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		double *x = na_put_reals(r, to, parts[i].name, c->n);

		if (x && c->n)
			memcpy(x, parts[i].from, c->n * sizeof(*x));
	}
}

static void put_row(struct na_result *r, struct na_value *list,
		    const struct lat_state *s, size_t i)
{
	const struct lat_row *row = &s->rows[i];
	struct na_value *o = na_put_object(r, list, NULL), *slowest;
	bool rest = s->has_rest && i + 1 == s->n_rows;

	na_groups_put_key(r, o, &s->scope->by, s->scope->store, &s->groups,
			  s->shown[i], rest);
	na_put_int(r, o, M_count, (int64_t)row->n);
	put_quantiles(r, o, row);
	put_intervals(r, o, row);
	put_few(r, o, row);
	na_put_real(r, o, M_tail_ratio, lat_tail_ratio(row));
	na_put_text(r, o, M_tail, lat_tail_word(row));
	put_line(r, o, row);
	put_split(r, o, &row->split);
	slowest = na_put_list(r, o, M_slowest);
	for (size_t k = 0; k < row->n_worst; k++)
		lat_put_worst(r, slowest, s, row, &row->worst[k]);
	put_curve(r, o, &row->curve);
}

static void put_all(struct na_result *r, struct na_value *body,
		    const struct lat_state *s)
{
	struct na_value *o = put_split(r, body, &s->split);

	na_put_real(r, o, M_receive_p50_us, s->action_p50_us);
	na_put_real(r, o, M_receive_p99_us, s->action_p99_us);
	na_put_real(r, o, M_slow_over_us,
		    isnan(s->action_p50_us) ? NAN : (double)s->slow_ps / 1e6);
	na_put_int(r, body, M_groups_not_shown, (int64_t)s->n_rest);
}

/* ---- words */

struct words {
	char text[512];
	size_t n;
};

static void add(struct words *w, const char *fmt, ...) NA_PRINTF(2, 3);
static void add(struct words *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->n = na_text_append(w->text, sizeof(w->text), w->n, fmt, ap);
	va_end(ap);
}

enum { KEY_BUF = 256, MOST_RUNS = 4 };

static const char *us_text(char *buf, double us)
{
	return na_print_time(buf,
			     us < 9e12 ? (int64_t)llround(us * 1e6)
				       : NA_TIME_MAX,
			     3);
}

/* "Network latency", "Send latency", "Call latency"; of several components:
 * "Latency" */
static void what_is_timed(const struct lat_state *s, struct words *w)
{
	uint32_t set = s->scope->filter->side == NA_TX
			       ? NA_COMP_BIT(NA_COMP_SEND)
			       : s->scope->components;
	unsigned c = 0;

	if (s->calls == s->scope->used->n) {
		add(w, "Call latency");
		return;
	}
	if (!s->calls)
		set &= ~NA_COMP_BIT(NA_COMP_RPC);
	if (set & (set - 1)) {
		add(w, "Latency");
		return;
	}
	while (c + 1 < NA_N_COMPONENTS && !(set >> c & 1))
		c++;
	add(w, "%s latency", na_component_name((enum na_component)c));
	w->text[0] = (char)toupper((unsigned char)w->text[0]);
}

/* p99 over what size explains; of 1000 and more also p99.9, which sporadic
 * tails need. */
static double over_size(const struct lat_row *row, double p)
{
	return na_sketch_quantile(&row->residual, p);
}

const char *lat_tail_word(const struct lat_row *row)
{
	double tail = lat_tail_ratio(row), over = over_size(row, 0.99);

	if (row->n < 100 || isnan(tail))
		return NULL;
	if (over >= 10 || (row->n >= 1000 && over_size(row, 0.999) >= 30))
		return "long_tail";
	if (over >= 3)
		return "spread";
	return tail >= 3 ? "sizes" : "steady";
}

static const char *tail_words(const char *word)
{
	return strcmp(word, "long_tail") == 0 ? "long tail"
	       : strcmp(word, "sizes") == 0   ? "steady for its sizes"
					      : word;
}

static const char *tail_sentence(const char *word)
{
	return strcmp(word, "long_tail") == 0 ? "a long tail"
	       : strcmp(word, "spread") == 0  ? "spread, no long tail"
	       : strcmp(word, "sizes") == 0
		       ? "steady for its sizes, which explain the spread"
		       : "steady";
}

/* Of clocks that are off, the tail says nothing. */
static void say_one(const struct lat_state *s, struct words *w, bool clocks)
{
	const struct lat_row *row = &s->rows[0];
	const char *tail = lat_tail_word(row);
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], n[NA_UNIT_BUF];

	us_text(a, quantile_of(row, 0.5));
	us_text(b, quantile_of(row, tail ? 0.99 : 1));
	na_print_count(n, row->n);
	if (tail && clocks)
		add(w, ": p50 %s, p99 %s", a, b);
	else if (tail)
		add(w, ": p50 %s, p99 %s (%.3gx): %s", a, b,
		    lat_tail_ratio(row), tail_sentence(tail));
	else if (row->n == 1)
		add(w, ": one transfer, %s", a);
	else
		add(w,
		    ": median %s, longest %s; %s transfers are too few for "
		    "a p99",
		    a, b, n);
}

static const char *group_text(char buf[KEY_BUF], const struct lat_state *s,
			      size_t i)
{
	na_groups_text(buf, KEY_BUF, &s->scope->by, s->scope->store, &s->groups,
		       s->shown[i]);
	return buf;
}

/* Each run's own verdict: the highest p99 may hide another's tail. */
static void say_runs(const struct lat_state *s, struct words *w, bool clocks)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], key[KEY_BUF];

	add(w, " by label");
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct lat_row *row = &s->rows[i];
		const char *tail = lat_tail_word(row);
		bool longest = !tail || strcmp(tail, "long_tail") == 0;

		add(w, "%s %s p50 %s, p99 %s", i ? ";" : ":",
		    group_text(key, s, i), us_text(a, quantile_of(row, 0.5)),
		    us_text(b, quantile_of(row, 0.99)));
		if (tail && !clocks)
			add(w, ", %s", tail_words(tail));
		if (longest)
			add(w, ", max %s", us_text(a, quantile_of(row, 1)));
	}
}

/* Groups whose tail is worse than others': the highest p99 need not be one. */
static void say_tails(const struct lat_state *s, struct words *w)
{
	static const char *const bad[] = {"long_tail", "spread"};
	size_t n = s->n_rows - s->has_rest, k = 0, top = 0;
	char a[NA_UNIT_BUF], key[KEY_BUF];

	for (size_t b = 0; k == 0 && b < 2; b++) {
		for (size_t i = 0; i < n; i++) {
			const char *tail = lat_tail_word(&s->rows[i]);

			if (!tail || strcmp(tail, bad[b]) != 0)
				continue;
			if (k++ == 0 || quantile_of(&s->rows[i], 1) >
						quantile_of(&s->rows[top], 1))
				top = i;
		}
	}
	if (k == 0 || k == n)
		return;
	add(w, "; %s: ", tail_words(lat_tail_word(&s->rows[top])));
	us_text(a, quantile_of(&s->rows[top], 1));
	group_text(key, s, top);
	if (k == 1)
		add(w, "%s alone, max %s", key, a);
	else
		add(w, "%zu of %zu, max %s (%s)", k, n, a, key);
}

/* The shown group with the highest p99 against the lowest. */
static void say_groups(const struct lat_state *s, struct words *w)
{
	size_t n = s->n_rows - s->has_rest, worst = 0;
	double top = quantile_of(&s->rows[0], 0.99), low = top;
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF], key[KEY_BUF];

	for (size_t i = 1; i < n; i++) {
		double p99 = quantile_of(&s->rows[i], 0.99);

		if (p99 > top) {
			top = p99;
			worst = i;
		}
		low = fmin(low, p99);
	}
	group_text(key, s, worst);
	for (size_t i = 0; i < s->scope->by.n; i++)
		add(w, "%s%s", i ? " and " : " by ",
		    na_key_name(s->scope->by.keys[i]));
	us_text(a, low);
	us_text(b, top);
	if (n == 1)
		add(w, ": %s alone, p50 %s, p99 %s", key,
		    us_text(a, quantile_of(&s->rows[0], 0.5)), b);
	else if (strcmp(a, b) == 0)
		add(w, ": p99 alike, %s in %zu groups", a, n);
	else if (top < 1.5 * low)
		add(w, ": p99 alike, %s to %s in %zu groups", a, b, n);
	else
		add(w, ": p99 from %s to %s (%s)", a, b, key);
}

/* What a filter has left out cannot be seen to keep a link busy. */
static bool narrowed(const struct na_filter *f)
{
	return (f->host && f->host->n) || (f->src && f->src->n) ||
	       (f->dst && f->dst->n) || (f->collective && f->collective->n) ||
	       f->min_bytes > 0 || f->max_bytes < UINT64_MAX ||
	       f->max_rate_bps > 0;
}

static void say_split(const struct lat_state *s, struct words *w)
{
	const struct lat_split *x = &s->split;
	double share = ratio(network_of(x), x->action_ps);

	/* Runs side by side: nothing that adds them up means anything. */
	if (part_of(x) && s->scope->store->n_runs < 2 &&
	    !narrowed(s->scope->filter))
		add(w,
		    "; receives: %.0f %% network, %.0f %% waiting for the "
		    "peer",
		    100 * share, 100 - round(100 * share));
}

static void say_clock(const struct lat_clock_off *o, struct words *w)
{
	char a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	add(w,
	    "; not to be trusted: the clock of %s is %s others', %s of %s "
	    "transfers that it %s arrive before they were sent",
	    o->host, o->ahead ? "ahead of" : "behind",
	    na_print_count(a, o->early), na_print_count(b, o->n),
	    o->ahead ? "sends" : "receives");
}

static void note_clock(struct na_result *r, const struct lat_clock_off *o)
{
	char others[64] = "";

	if (o->others)
		snprintf(others, sizeof(others), " (and of %zu other host%s)",
			 o->others, o->others == 1 ? "" : "s");
	na_result_note(r,
		       "the clock of %s%s is %s others': %" PRIu64 " of its "
		       "transfers arrive before they were sent and are left "
		       "out; latencies that touch it are not to be trusted; "
		       "netan pairs estimates the offset",
		       o->host, others, o->ahead ? "ahead of" : "behind",
		       o->early);
}

static bool by_run_alone(const struct lat_state *s)
{
	return s->scope->by.n == 1 && s->scope->by.keys[0] == NA_KEY_LABEL &&
	       s->n_rows > 1 && s->n_rows <= MOST_RUNS && !s->has_rest;
}

static void say_all(const struct lat_state *s, struct words *w, bool clocks)
{
	what_is_timed(s, w);
	if (by_run_alone(s))
		say_runs(s, w, clocks);
	else if (s->scope->by.n)
		say_groups(s, w);
	else
		say_one(s, w, clocks);
	if (clocks)
		return;
	if (s->scope->by.n && !by_run_alone(s))
		say_tails(s, w);
	say_split(s, w);
}

static void say(struct na_result *r, const struct lat_state *s)
{
	struct words w = {.n = 0};
	struct lat_clock_off off;
	bool clocks = lat_clock_off(s, &off);

	if (clocks)
		note_clock(r, &off);
	if (!s->scope->used->n) {
		na_result_word(r, NA_WORD_MESSAGE, "No transfers to time");
		return;
	}
	say_all(s, &w, clocks);
	if (clocks)
		say_clock(&off, &w);
	na_result_word(r, NA_WORD_MESSAGE, w.text);
	if (s->split.n && narrowed(s->scope->filter))
		na_result_note(r, "what receives waited for is told from the "
				  "transfers that the filters keep: others may "
				  "have kept the links busy");
	if (s->untimed)
		na_result_note(r,
			       "%" PRIu64 " receives do not tell how long "
			       "their action lasted",
			       s->untimed);
}

enum na_status lat_finish(void *state, struct na_result *r, struct na_err *err)
{
	const struct lat_state *s = state;
	struct na_value *body = na_result_body(r);
	struct na_value *list = na_put_list(r, body, M_groups);

	(void)err;
	for (size_t i = 0; i < s->n_rows; i++)
		put_row(r, list, s, i);
	put_all(r, body, s);
	say(r, s);
	lat_views(r, s);
	return NA_OK;
}

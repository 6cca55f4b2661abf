#include "netan/engine/battery/inventory.h"
#include "members.h"

#include "netan/base/units.h"
#include "netan/methods/whole_steps.h"

static uint64_t side_of(const struct na_store *store, enum na_side side)
{
	uint64_t n = 0;

	for (int k = 0; k < NA_N_CLASSES; k++)
		n += na_store_count(store, SIZE_MAX, side, (enum na_class)k);
	return n;
}

/* Of receives of traces, where there are such: in packets nothing needs to be
 * answered. */
static uint64_t without_latency(const struct na_store *store)
{
	uint64_t n = na_store_count(store, SIZE_MAX, NA_RX, NA_NO_LATENCY);

	for (uint32_t i = 0; i < store->n_runs; i++) {
		if (na_store_mixed(store, i))
			n -= na_store_captured(store, i, NA_NO_LATENCY);
	}
	return n;
}

static void put_transfers(struct na_result *r, struct na_value *to,
			  const struct na_store *store)
{
	/* clang-format off */
	static const struct { const char *name; enum na_class klass; } of[] = {
		{M_clock_skew, NA_CLOCK_SKEW},
		{M_loopback, NA_LOOPBACK},
		{M_bad_key, NA_BAD_KEY},
	};
	/* clang-format on */

	na_put_count(r, to, M_receives, side_of(store, NA_RX));
	na_put_count(r, to, M_sends, side_of(store, NA_TX));
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		na_put_count(r, to, of[i].name,
			     na_store_count(store, SIZE_MAX, NA_RX,
					    of[i].klass));
	na_put_count(r, to, M_no_latency, without_latency(store));
	na_put_count(r, to, M_graphs, store->graphs.n);
	na_put_count(r, to, M_actions, store->actions.n);
}

static void put_packets(struct na_result *r, struct na_value *to,
			const struct na_session *s)
{
	struct na_capture_counts sum = {.packets = 0};

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_capture_counts *c = s->inputs[i].capture;

		if (!c)
			continue;
		sum.malformed += c->malformed;
		sum.limits_hit += c->limits_hit;
		sum.http2_damaged += c->http2_damaged;
		sum.backward_steps += c->backward_steps;
	}
	na_put_count(r, to, M_connections_left_whole,
		     na_session_left_whole(s));
	na_put_count(r, to, M_malformed_packets, sum.malformed);
	na_put_count(r, to, M_limits_hit, sum.limits_hit);
	na_put_count(r, to, M_http2_damaged, sum.http2_damaged);
	na_put_count(r, to, M_backward_steps, sum.backward_steps);
}

static uint64_t put_inputs(struct na_result *r, struct na_value *to,
			   const struct na_session *s)
{
	struct na_value *list = na_put_list(r, to, M_inputs);
	uint64_t damaged = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];
		struct na_value *row = na_put_object(r, list, NULL);
		bool broken = na_session_is_damaged(s, i);
		uint64_t n = 0;

		damaged += broken;
		for (int k = 0; k < NA_N_CLASSES; k++)
			n += na_store_count(&s->store, i, NA_RX,
					    (enum na_class)k);
		na_put_text(r, row, M_path, in->path);
		na_put_text(r, row, M_host, s->sources[i].host);
		na_put_bool(r, row, M_trace, !in->capture);
		na_put_bool(r, row, M_of_ranks,
			    s->store.sources[i].ranks &&
				    in->told == NA_TOLD_TRACE);
		na_put_bool(r, row, M_queued, in->told == NA_TOLD_RECORDER);
		na_put_bool(r, row, M_on_cpus, in->on_cpus);
		na_put_bool(r, row, M_damaged, broken);
		na_put_count(r, row, M_devices, in->n_devices);
		na_put_count(r, row, M_transfers, n);
	}
	return damaged;
}

struct na_result *na_inventory(struct na_battery *b)
{
	const struct na_driven *told = &b->driven[na_battery_told_by(b)];
	struct na_session *s = &b->session;
	struct na_result *r = na_result_new();
	struct na_filter wide = s->filter;
	char wider[NA_WINDOW_BUF];
	struct na_value *to;

	if (!r)
		return NULL;
	to = na_result_side(r);
	na_envelope(s, r, "check", b->used,
		    na_s((double)b->last_ps - (double)b->first_ps), told->side,
		    told->dropped);
	na_put_count(r, to, M_files, s->n_inputs);
	na_put_count(r, to, M_refused, na_session_unread(s));
	na_put_count(r, to, M_damaged, put_inputs(r, to, s));
	na_put_count(r, to, M_hosts, na_store_hosts(&s->store));
	na_put_count(r, to, M_ranks, s->store.ranked.ranks);
	na_put_bool(r, to, M_of_ranks, na_store_of_ranks(&s->store));
	na_put_count(r, to, M_runs, s->store.n_runs);
	na_put_bool(r, to, M_one_clock, s->one_clock);
	na_put_bool(r, to, M_windowed,
		    s->filter.from_ps != NA_TIME_MIN ||
			    s->filter.to_ps != NA_TIME_MAX ||
			    s->filter.first_step >= 0);
	na_put_text(r, to, M_wider_window,
		    na_wider_window(wider, &s->store, &s->filter));
	na_put_bool(r, to, M_sliced,
		    na_wider_filter(&s->store, &wide) &&
			    na_session_is_narrower(s, &wide));
	put_transfers(r, to, &s->store);
	put_packets(r, to, s);
	if (na_result_ok(r))
		return r;
	na_result_free(r);
	return NULL;
}

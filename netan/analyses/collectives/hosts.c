/*
 * collectives: reductions on the hosts' processors, one host against the
 * others (docs/methods.md, "The checks", compute-latency).
 */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/collectives/state.h"
#include "netan/stats/tests/robust.h"

#define SLOW_Z     4.0
#define SLOW_RATIO 1.3
/* Hosts that are alike to the nanosecond must not make a trifle stand out. */
#define LEAST_SPREAD 0.01

struct host {
	size_t n;
	double p50_us, p99_us;
	na_i128 sum_ps;
	double z, ratio;
	bool slow;
};

static bool measure(const struct coll_state *s, struct host *hosts, size_t n)
{
	const struct coll_times *v = &s->reductions;
	struct coll_spread us;
	bool ok = na_collectives_spread(&us, v, n);

	for (size_t i = 0; ok && i < v->n; i++)
		hosts[v->v[i].of].sum_ps += v->v[i].time_ps;
	for (size_t i = 0; ok && i < n; i++) {
		hosts[i].n = us.from[i + 1] - us.from[i];
		hosts[i].p50_us = na_collectives_quantile(&us, i, 0.5);
		hosts[i].p99_us = na_collectives_quantile(&us, i, 0.99);
	}
	na_collectives_spread_fini(&us);
	return ok;
}

/* Host i against the other hosts of its run. */
static void judge_host(const struct coll_state *s, struct host *hosts, size_t n,
		       size_t i, double *tmp)
{
	const struct na_source *sources = s->scope->store->sources;
	struct host *h = &hosts[i];
	size_t k = 0;
	double centre, spread;

	for (size_t j = 0; j < n; j++) {
		if (j != i && hosts[j].n && sources[j].run == sources[i].run)
			tmp[k++] = hosts[j].p50_us;
	}
	h->z = h->ratio = NAN;
	if (!k)
		return;
	centre = na_median(tmp, k);
	h->ratio = centre > 0 ? h->p50_us / centre : NAN;
	/* Two others at least, or nobody knows what is usual. */
	if (k < 2 || centre <= 0)
		return;
	spread = NA_MAD_SIGMA * na_mad(tmp, k, centre);
	spread = fmax(spread, LEAST_SPREAD * centre);
	h->z = (h->p50_us - centre) / spread;
	h->slow = h->z > SLOW_Z && h->ratio > SLOW_RATIO;
}

bool na_collectives_put_reductions(struct coll_state *s, struct na_result *r,
				   struct na_value *body)
{
	const struct na_store *store = s->scope->store;
	struct na_value *list = na_put_list(r, body, M_reductions), *row;
	size_t n = store->n_sources;
	struct host *hosts = na_calloc(n + 1, sizeof(*hosts));
	double *tmp = na_calloc(n + 1, sizeof(*tmp));
	bool ok = hosts && tmp && measure(s, hosts, n);

	for (size_t i = 0; ok && i < n; i++) {
		struct host *h = &hosts[i];

		if (!h->n)
			continue;
		judge_host(s, hosts, n, i, tmp);
		row = na_put_object(r, list, NULL);
		na_put_text(r, row, M_host, store->hosts[i].name);
		na_put_text(r, row, M_label, store->sources[i].label);
		na_put_int(r, row, M_count, (int64_t)h->n);
		na_put_real(r, row, M_p50_us, h->p50_us);
		na_put_real(r, row, M_p99_us, h->p99_us);
		na_put_real(r, row, M_total_s, na_s(h->sum_ps));
		na_put_real(r, row, M_z, h->z);
		na_put_real(r, row, M_ratio, h->ratio);
		na_put_bool(r, row, M_slow, h->slow);
		s->slow_hosts += h->slow;
		if (h->slow)
			na_result_note(r,
				       "reductions on %s take %.3g times as "
				       "long as on other hosts: look at its "
				       "CPU and memory",
				       store->hosts[i].name, h->ratio);
	}
	free(hosts);
	free(tmp);
	return ok;
}

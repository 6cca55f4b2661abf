#include <stdlib.h>

#include "netan/base/vec.h"
#include "tests/accuracy/sync/session.h"

enum { TIMEOUTS_SEEN = 5 };

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* Type 7 of Hyndman and Fan; 1 of none, a ratio that says nothing. */
static double quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n > 0 ? n - 1 : 0);
	size_t i = (size_t)at;

	if (n == 0)
		return 1;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

/* ---- one fault: with it, and without */

static bool compare_transfers(const struct sy_run *with,
			      const struct sy_run *without, uint32_t fault,
			      struct sy_effect *out)
{
	const struct sy_fault *f = &with->plan->faults[fault];
	double *ratio = na_calloc(with->n_transfers, sizeof(*ratio));
	size_t n = 0;

	if (!ratio)
		return false;
	for (size_t i = 0; i < with->n_transfers; i++) {
		const struct sy_transfer *a = &with->transfers[i];
		const struct sy_transfer *b = &without->transfers[i];

		out->timeouts += a->caused[fault];
		if (sy_passes(f, with->plan, a))
			ratio[n++] = (double)(a->arrival - a->begin) /
				     (double)(b->arrival - b->begin);
	}
	qsort(ratio, n, sizeof(*ratio), by_value);
	out->own = n;
	out->median = quantile(ratio, n, 0.5);
	out->p90 = quantile(ratio, n, 0.9);
	out->p10 = quantile(ratio, n, 0.1);
	out->visible = out->median >= 1.2 ||
		       (out->p90 >= 1.4 && out->p90 * out->p10 >= 1.2) ||
		       (f->how == SY_LOSS && out->timeouts >= TIMEOUTS_SEEN);
	free(ratio);
	return true;
}

/* From the end of the step before, on the last host, to its own. */
static double step_ms(const struct sy_run *r, uint32_t step)
{
	const struct sy_plan *p = r->plan;
	int64_t last = 0, before = 0;

	for (uint32_t h = 0; h < p->n_hosts; h++) {
		const struct sy_day *d =
			&r->days[(size_t)step * p->n_hosts + h];

		last = d->end > last ? d->end : last;
		if (step > 0 && d[-(ptrdiff_t)p->n_hosts].end > before)
			before = d[-(ptrdiff_t)p->n_hosts].end;
	}
	return (double)(last - before) / 1e6;
}

/* Median over the steps of what they took, or took longer than in another
 * run. */
static bool median_step(const struct sy_run *with, const struct sy_run *without,
			double *out)
{
	uint32_t n = with->plan->n_steps;
	double *ms = na_calloc(n, sizeof(*ms));

	if (!ms)
		return false;
	for (uint32_t s = 0; s < n; s++)
		ms[s] = step_ms(with, s) - (without ? step_ms(without, s) : 0);
	qsort(ms, n, sizeof(*ms), by_value);
	*out = quantile(ms, n, 0.5);
	free(ms);
	return true;
}

static bool measure_fault(const struct sy_run *with, uint32_t fault,
			  struct sy_effect *out)
{
	struct sy_run without;
	bool ok = sy_run_make(&without, with->plan,
			      SY_WITH_ALL & ~(UINT32_C(1) << fault));

	ok = ok && compare_transfers(with, &without, fault, out) &&
	     median_step(with, &without, &out->cost_ms);
	sy_run_fini(&without);
	return ok;
}

static bool measure_late(const struct sy_run *with, double *cost_ms)
{
	struct sy_run without;
	bool ok = sy_run_make(&without, with->plan,
			      SY_WITH_ALL & ~(UINT32_C(1) << SY_FAULTS)) &&
		  median_step(with, &without, cost_ms);

	sy_run_fini(&without);
	return ok;
}

bool sy_truth_make(struct sy_truth *t, const struct sy_run *with)
{
	const struct sy_plan *p = with->plan;
	bool ok;

	*t = (struct sy_truth){.transfers = with->n_transfers};
	for (size_t i = 0; i < with->n_transfers; i++) {
		t->timeouts += with->transfers[i].timeouts;
		t->zeros += sy_latency_us(with, &with->transfers[i]) == 0;
	}
	ok = median_step(with, NULL, &t->step_ms);
	for (uint32_t i = 0; ok && i < p->n_faults; i++)
		ok = measure_fault(with, i, &t->effects[i]);
	if (ok && p->late_host != SY_ANY)
		ok = measure_late(with, &t->late_cost_ms);
	return ok;
}

bool sy_truth_visible(const struct sy_truth *t, const struct sy_plan *p)
{
	for (uint32_t i = 0; i < p->n_faults; i++)
		if (t->effects[i].visible)
			return true;
	return false;
}

/* ---- as JSON */

static void write_rack_hosts(const struct sy_plan *p, const struct sy_fault *f,
			     FILE *out)
{
	const char *comma = "";
	char name[SY_NAME];

	fputs(", \"hosts\": [", out);
	for (uint32_t h = 0; h < p->n_hosts; h++) {
		if (p->rack_of[h] != f->rack && p->rack_of[h] != f->toward)
			continue;
		sy_host_name(h, name);
		fprintf(out, "%s\"%s\"", comma, name);
		comma = ", ";
	}
	fprintf(out, "], \"rack\": \"rack-%u\"", f->rack);
	if (f->toward != SY_ANY)
		fprintf(out, ", \"toward\": \"rack-%u\"", f->toward);
	if (f->spine != SY_ANY)
		fprintf(out, ", \"spine\": %u", f->spine);
}

static void write_fault(const struct sy_plan *p, const struct sy_fault *f,
			const struct sy_effect *e, FILE *out)
{
	static const char *const how[] = {"rate", "service", "loss"};
	char name[SY_NAME];

	fprintf(out, "    {\"cause\": \"%s\", \"kind\": \"%s\"",
		sy_kind_name(f->kind), sy_place_name(f->place));
	if (f->host != SY_ANY) {
		sy_host_name(f->host, name);
		fprintf(out, ", \"host\": \"%s\"", name);
	} else {
		write_rack_hosts(p, f, out);
	}
	fprintf(out,
		",\n     \"of\": \"%s\", \"factor\": %.4f, "
		"\"loss\": %.3g, \"on_share\": %.4f, \"window_ms\": %.3f,\n",
		how[f->how], f->factor, f->loss,
		f->window_ns ? f->on_share : 1.0, (double)f->window_ns / 1e6);
	fprintf(out,
		"     \"visible\": %s, \"transfers\": %llu, "
		"\"median_slowdown\": %.4f, \"p90_slowdown\": %.4f, "
		"\"p10_slowdown\": %.4f, \"timeouts\": %u, "
		"\"cost_ms_per_step\": %.4f}",
		e->visible ? "true" : "false", (unsigned long long)e->own,
		e->median, e->p90, e->p10, e->timeouts, e->cost_ms);
}

static void write_world(const struct sy_truth *t, const struct sy_run *r,
			FILE *out)
{
	const struct sy_plan *p = r->plan;

	fprintf(out,
		"  \"hosts\": %u, \"racks\": %u, \"spines\": %u, "
		"\"devices_per_host\": %u, \"hosts_per_slice\": %u,\n"
		"  \"steps\": %u, \"step_ms\": %.4f, \"transfers\": %llu, "
		"\"zero_latencies\": %llu, \"timeouts\": %u, "
		"\"timer_ms\": %lld,\n",
		p->n_hosts, p->n_racks, p->n_spines, p->n_devices,
		p->hosts_per_slice, p->n_steps, t->step_ms,
		(unsigned long long)t->transfers, (unsigned long long)t->zeros,
		t->timeouts, (long long)(p->timer_ns / 1000000));
	fprintf(out,
		"  \"nic_gbps\": %.0f, \"oversubscription\": %.2f, "
		"\"load\": %.3f, \"spray\": %s,\n"
		"  \"style\": \"%s\", \"latency_ends\": \"%s\", "
		"\"send_ends\": \"%s\", \"clock_us\": %.0f,\n",
		p->nic_gbps, p->oversubscription, p->load,
		p->spray ? "true" : "false", p->old_style ? "old" : "new",
		p->latency_waits ? "taken" : "arrival",
		p->local_end ? "left" : "acknowledged", p->clock_us);
}

static void write_late(const struct sy_truth *t, const struct sy_plan *p,
		       FILE *out)
{
	char name[SY_NAME];

	if (p->late_host == SY_ANY)
		return;
	sy_host_name(p->late_host, name);
	fprintf(out,
		"  \"late\": {\"cause\": \"%s\", \"host\": \"%s\", "
		"\"factor\": %.4f, \"delay_ms\": %.4f, \"share_of_steps\": "
		"%.4f, \"cost_ms_per_step\": %.4f},\n",
		p->kind == SY_INPUT ? "input" : "compute", name, p->late_factor,
		(double)p->late_ns / 1e6, p->late_share, t->late_cost_ms);
}

static void write_collectives(const struct sy_run *r, FILE *out)
{
	const struct sy_plan *p = r->plan;

	fputs("  \"collectives\": [", out);
	for (uint32_t k = 0; k < p->n_collectives; k++) {
		const struct sy_collective *c = &p->collectives[k];
		char name[SY_NAME];

		sy_collective_name(p, k, name);
		fprintf(out,
			"%s\n    {\"collective\": \"%s\", \"type\": \"%s\", "
			"\"phases\": %u, \"transfers_per_step\": %zu, "
			"\"bytes\": %lld}",
			k ? "," : "", name, sy_type_name(c->pattern),
			c->program.n_phases, r->per_step[k],
			(long long)c->bytes);
	}
	fputs("],\n", out);
}

void sy_truth_write(const struct sy_truth *t, const struct sy_run *r, FILE *f)
{
	const struct sy_plan *p = r->plan;

	fprintf(f, "{\n  \"kind\": \"%s\", \"seed\": %llu,\n",
		sy_kind_name(p->kind), (unsigned long long)p->seed);
	write_world(t, r, f);
	write_late(t, p, f);
	write_collectives(r, f);
	fputs("  \"clocks\": [", f);
	for (uint32_t h = 0; h < p->n_hosts; h++) {
		char name[SY_NAME];

		sy_host_name(h, name);
		fprintf(f,
			"%s\n    {\"host\": \"%s\", \"rack\": \"rack-%u\", "
			"\"ahead_us\": %.3f, \"drift_ppm\": %.3f}",
			h ? "," : "", name, p->rack_of[h],
			(double)p->offset_ns[h] / 1e3, p->drift_ppm[h]);
	}
	fputs("],\n  \"faults\": [", f);
	for (uint32_t i = 0; i < p->n_faults; i++) {
		fputs(i ? ",\n" : "\n", f);
		write_fault(p, &p->faults[i], &t->effects[i], f);
	}
	fputs("]\n}\n", f);
}

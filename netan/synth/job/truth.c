#include "netan/synth/job/truth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/synth/json_out.h"
#include "netan/synth/out_file.h"

enum na_status na_truth_init(struct na_truth *t, size_t hosts,
			     int64_t start_unix_ns, struct na_err *err)
{
	t->n = hosts;
	t->start_unix_ns = start_unix_ns;
	t->hosts = na_calloc(hosts, sizeof(*t->hosts));
	if (!t->hosts)
		return na_fail_nomem(err);
	for (size_t i = 0; i < hosts; i++)
		t->hosts[i].first_line_ns = INT64_MAX;
	return NA_OK;
}

void na_truth_fini(struct na_truth *t)
{
	for (size_t i = 0; t->hosts && i < t->n; i++) {
		struct na_truth_host *h = &t->hosts[i];

		for (size_t k = 0; k < h->planes.n; k++) {
			struct na_truth_plane *p = &h->planes.v[k];

			for (size_t j = 0; j < p->lines.n; j++)
				free(p->lines.v[j].name);
			na_vec_free(&p->lines);
			free(p->name);
		}
		na_vec_free(&h->planes);
		free(h->path);
	}
	free(t->hosts);
	memset(t, 0, sizeof(*t));
}

static void widen(struct na_span *s, bool first, int64_t start, int64_t end)
{
	if (first || start < s->start_ps)
		s->start_ps = start;
	if (first || end > s->end_ps)
		s->end_ps = end;
}

void na_truth_rx(struct na_truth_net *net, enum na_rx_class kind,
		 int64_t end_ps, int64_t latency_us, uint64_t bytes,
		 uint32_t records)
{
	net->transfers_rx += records;
	switch (kind) {
	case NA_RX_VALID:
		widen(&net->rx, !net->valid, end_ps - latency_us * NA_PS_PER_US,
		      end_ps);
		net->valid += records;
		net->rx_bytes += bytes;
		net->latency_us_sum += (uint64_t)latency_us * records;
		if ((uint64_t)latency_us > net->latency_us_max)
			net->latency_us_max = (uint64_t)latency_us;
		break;
	case NA_RX_LOOPBACK:
		net->loopback += records;
		break;
	case NA_RX_SKEW:
		net->clock_skew += records;
		break;
	case NA_RX_NO_LATENCY:
		net->no_latency += records;
		break;
	case NA_RX_BAD:
		net->bad_key += records;
		break;
	}
}

void na_truth_tx(struct na_truth_net *net, int64_t start_ps, int64_t end_ps,
		 uint64_t bytes, uint32_t records)
{
	widen(&net->tx, !net->transfers_tx, start_ps, end_ps);
	net->transfers_tx += records;
	net->tx_bytes += bytes;
}

static void put_net(struct na_json *j, const char *name,
		    const struct na_truth_net *n)
{
	na_json_open(j, name, '{');
	na_json_uint(j, "transfers_rx", n->transfers_rx);
	na_json_uint(j, "transfers_tx", n->transfers_tx);
	na_json_uint(j, "valid", n->valid);
	na_json_uint(j, "loopback", n->loopback);
	na_json_uint(j, "clock_skew", n->clock_skew);
	na_json_uint(j, "no_latency", n->no_latency);
	na_json_uint(j, "bad", n->bad_key);
	na_json_uint(j, "rx_bytes", n->rx_bytes);
	na_json_uint(j, "tx_bytes", n->tx_bytes);
	na_json_uint(j, "latency_us_sum", n->latency_us_sum);
	na_json_uint(j, "latency_us_max", n->latency_us_max);
	na_json_uint(j, "d2h", n->d2h);
	na_json_uint(j, "h2d", n->h2d);
	na_json_uint(j, "compute", n->compute);
	na_json_uint(j, "graphs", n->graphs);
	na_json_when(j, "rx_first_start_ps", n->valid, n->rx.start_ps);
	na_json_when(j, "rx_last_end_ps", n->valid, n->rx.end_ps);
	na_json_when(j, "tx_first_start_ps", n->transfers_tx, n->tx.start_ps);
	na_json_when(j, "tx_last_end_ps", n->transfers_tx, n->tx.end_ps);
	na_json_close(j, '}');
}

static void put_planes(struct na_json *j, const struct na_truth_host *h)
{
	na_json_open(j, "planes", '[');
	for (size_t i = 0; i < h->planes.n; i++) {
		const struct na_truth_plane *p = &h->planes.v[i];

		na_json_item(j, 4);
		na_json_text(j, "name", p->name);
		na_json_uint(j, "events", p->events);
		na_json_open(j, "lines", '[');
		for (size_t k = 0; k < p->lines.n; k++) {
			na_json_open(j, NULL, '{');
			na_json_text(j, "name", p->lines.v[k].name);
			na_json_uint(j, "events", p->lines.v[k].events);
			na_json_close(j, '}');
		}
		na_json_close(j, ']');
		na_json_close(j, '}');
	}
	na_json_close(j, ']');
}

static void put_host(struct na_json *j, const struct na_truth_host *h,
		     int generation)
{
	na_json_open(j, NULL, '{');
	na_json_text(j, "host", h->name);
	na_json_text(j, "path", h->path);
	na_json_uint(j, "file_bytes", h->file_bytes);
	na_json_uint(j, "cut_from_bytes", h->cut_from_bytes);
	na_json_int(j, "start_unix_ns", h->start_unix_ns);
	na_json_int(j, "clock_ahead_ns", h->ahead_ns);
	na_json_open(j, "devices", '[');
	for (int64_t d = 0; d < h->devices; d++)
		na_json_int(j, NULL, h->first_device + d);
	na_json_close(j, ']');
	na_json_uint(j, "events", h->events);
	na_json_uint(j, "step_events", h->steps);
	na_json_uint(j, "module_events", h->modules);
	na_json_uint(j, "ops", h->ops);
	na_json_uint(j, "dcn_ops", h->dcn_ops);
	if (h->nccl)
		na_json_uint(j, "nccl_kernels", h->nccl);
	if (h->instructions) {
		na_json_uint(j, "program_id", h->program_id);
		na_json_uint(j, "instructions", h->instructions);
	}
	if (*h->reshaped) {
		na_json_text(j, "reshaped", h->reshaped);
		na_json_text(j, "inserted", h->inserted);
	}
	na_json_uint(j, "tails_sent", h->tails);
	na_json_uint(j, "late_registrations", h->registrations);
	na_json_uint(j, "copies", h->copies);
	na_json_text(j, "used",
		     generation == NA_GEN_MESSAGE ? "message" : "graph");
	na_json_line(j, 3);
	put_net(j, "graph", &h->graph);
	na_json_line(j, 3);
	put_net(j, "message", &h->message);
	na_json_line(j, 3);
	put_planes(j, h);
	na_json_close(j, '}');
}

static void join_span(struct na_span *into, bool first, bool any,
		      const struct na_span *s)
{
	if (any)
		widen(into, first, s->start_ps, s->end_ps);
}

static void add_net(struct na_truth_net *sum, const struct na_truth_net *n)
{
	join_span(&sum->rx, !sum->valid, n->valid, &n->rx);
	join_span(&sum->tx, !sum->transfers_tx, n->transfers_tx, &n->tx);
	sum->transfers_rx += n->transfers_rx;
	sum->transfers_tx += n->transfers_tx;
	sum->valid += n->valid;
	sum->loopback += n->loopback;
	sum->clock_skew += n->clock_skew;
	sum->no_latency += n->no_latency;
	sum->bad_key += n->bad_key;
	sum->rx_bytes += n->rx_bytes;
	sum->tx_bytes += n->tx_bytes;
	sum->latency_us_sum += n->latency_us_sum;
	if (n->latency_us_max > sum->latency_us_max)
		sum->latency_us_max = n->latency_us_max;
	sum->d2h += n->d2h;
	sum->h2d += n->h2d;
	sum->compute += n->compute;
	sum->graphs += n->graphs;
}

static void put_totals(struct na_json *j, const struct na_truth *t)
{
	struct na_truth_host sum;

	memset(&sum, 0, sizeof(sum));
	for (size_t i = 0; i < t->n; i++) {
		add_net(&sum.graph, &t->hosts[i].graph);
		add_net(&sum.message, &t->hosts[i].message);
		sum.events += t->hosts[i].events;
		sum.file_bytes += t->hosts[i].file_bytes;
	}
	na_json_open(j, "totals", '{');
	na_json_uint(j, "file_bytes", sum.file_bytes);
	na_json_uint(j, "events", sum.events);
	na_json_line(j, 2);
	put_net(j, "graph", &sum.graph);
	na_json_line(j, 2);
	put_net(j, "message", &sum.message);
	na_json_close(j, '}');
}

static void put_fault(struct na_json *j, const struct na_fault *f)
{
	char buf[sizeof(((struct na_coll *)0)->name)];

	na_json_open(j, NULL, '{');
	na_json_text(j, "kind", na_fault_name(f->kind));
	na_json_text(j, "text", f->text);
	if (f->name.s) {
		snprintf(buf, sizeof(buf), "%.*s", (int)f->name.n, f->name.s);
		na_json_text(j, "collective", buf);
	} else {
		na_json_text(j, "host", na_host_name(buf, f->host));
	}
	if (f->kind == NA_FAULT_SLOW_PATH)
		na_json_text(j, "peer", na_host_name(buf, f->peer));
	if (f->kind == NA_FAULT_CLOCK)
		na_json_int(j, "ahead_ns", f->value / NA_PS_PER_NS);
	else if (f->kind == NA_FAULT_LATE_INPUT || f->kind == NA_FAULT_STALL)
		na_json_int(j, "value_ps", f->value);
	else if (f->value)
		na_json_int(j, "value", f->value);
	if (f->value_q16)
		na_json_int(j, "value_65536ths", f->value_q16);
	na_json_close(j, '}');
}

/* Everything one device sends for one execution. */
static uint64_t sent_bytes(const struct na_job *job, const struct na_coll *c)
{
	uint64_t others = job->n_slices - 1;

	switch (c->kind) {
	case NA_COLL_ONE_TO_ONE:
		return c->bytes;
	case NA_COLL_ALL_GATHER:
		return c->bytes * others;
	case NA_COLL_ALL_REDUCE:
		return c->bytes / job->n_slices * others * 2;
	case NA_COLL_ALL_TO_ALL:
	case NA_COLL_REDUCE_SCATTER:
		break;
	}
	return c->bytes / job->n_slices * others;
}

static void put_job(struct na_json *j, const struct na_job *job)
{
	na_json_open(j, "faults", '[');
	for (size_t i = 0; i < job->n_faults; i++) {
		na_json_line(j, 2);
		put_fault(j, &job->faults[i]);
	}
	na_json_close(j, ']');
	na_json_line(j, 1);
	na_json_uint(j, "program_id", job->program_id);
	na_json_int(j, "job_end_ps", job->end_ps);
	na_json_open(j, "program", '[');
	for (uint32_t i = 0; i < job->n_colls; i++) {
		const struct na_coll *c = &job->colls[i];

		na_json_item(j, 2);
		na_json_text(j, "collective", c->name);
		na_json_text(j, "transfer_type", na_coll_type(c->kind));
		na_json_uint(j, "input_bytes", c->bytes);
		na_json_uint(j, "output_bytes", c->out_bytes);
		na_json_uint(j, "sent_bytes", sent_bytes(job, c));
		na_json_int(j, "executions_per_step", c->looped ? 2 : 1);
		na_json_uint(j, "send_number", c->number);
		na_json_bool(j, "ring", c->ring);
		na_json_bool(j, "small_slack", c->small_slack);
		na_json_close(j, '}');
	}
	na_json_close(j, ']');
	na_json_line(j, 1);
}

/* False when memory is short. */
static bool put_all(struct na_json *j, const struct na_truth *t,
		    const struct na_synth_config *c, const struct na_job *job)
{
	static const char *const profiles[] = {
		[NA_PROFILE_SESSION] = "session",
		[NA_PROFILE_TYPICAL] = "typical",
		[NA_PROFILE_NETWORK] = "network",
		[NA_PROFILE_GPU] = "gpu",
		[NA_PROFILE_PYTORCH] = "pytorch",
		[NA_PROFILE_FLEET] = "fleet",
	};
	static const char *const gens[] = {"graph", "message", "both"};
	bool ok = true;

	na_json_open(j, NULL, '{');
	na_json_text(j, "schema", "netan.synth/1");
	na_json_int(j, "seed", c->seed);
	if (c->repeat)
		na_json_int(j, "repeat", c->repeat);
	na_json_text(j, "profile", profiles[c->profile]);
	na_json_text(j, "generation", gens[c->generation]);
	na_json_int(j, "origin_unix_ns",
		    t->start_unix_ns + j->origin_ps / NA_PS_PER_NS);
	if (job) {
		na_json_uint(j, "slices", job->n_slices);
		na_json_uint(j, "steps", job->n_steps);
		na_json_int(j, "link_bits_per_s", (int64_t)c->link_rate);
		na_json_bool(j, "message_spans", c->message_spans);
		na_json_line(j, 1);
		put_job(j, job);
	}
	put_totals(j, t);
	na_json_line(j, 1);
	na_json_open(j, "hosts", '[');
	for (size_t i = 0; i < t->n; i++) {
		na_json_line(j, 2);
		put_host(j, &t->hosts[i], c->generation);
	}
	na_json_close(j, ']');
	if (job) {
		na_json_line(j, 1);
		ok = na_truth_put_ops(j, t, job);
	}
	na_json_close(j, '}');
	return ok;
}

/* The smallest line time with events on any host's clock. */
static int64_t find_origin_ps(const struct na_truth *t)
{
	int64_t best = INT64_MAX;

	for (size_t i = 0; i < t->n; i++) {
		const struct na_truth_host *h = &t->hosts[i];
		int64_t ns;

		if (h->first_line_ns == INT64_MAX)
			continue;
		ns = h->start_unix_ns - t->start_unix_ns + h->first_line_ns;
		if (ns < best)
			best = ns;
	}
	return best == INT64_MAX ? 0 : best * NA_PS_PER_NS;
}

enum na_status na_truth_write(const struct na_truth *t,
			      const struct na_synth_config *cfg,
			      const struct na_job *job, const char *path,
			      uint64_t *bytes, struct na_err *err)
{
	struct na_json j;
	bool ok;
	enum na_status st = na_json_begin(&j, find_origin_ps(t), err);

	if (st)
		return st;
	ok = put_all(&j, t, cfg, job);
	st = na_json_save(&j, path, bytes, err);
	return st || ok ? st : na_fail_nomem(err);
}

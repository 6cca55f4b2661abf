#include "netan/synth/truth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/text.h"
#include "netan/base/units.h"
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

		for (size_t k = 0; k < h->n; k++) {
			struct na_truth_plane *p = &h->planes[k];

			for (size_t j = 0; j < p->n; j++)
				free(p->lines[j].name);
			free(p->lines);
			free(p->name);
		}
		free(h->planes);
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

/* ---- JSON */

struct json {
	FILE *out;
	int64_t origin_ps; /* after start_unix_ns */
	bool inside;       /* a comma is due */
};

static void key(struct json *j, const char *name)
{
	fprintf(j->out, "%s", j->inside ? ", " : "");
	if (name)
		fprintf(j->out, "\"%s\": ", name);
	j->inside = true;
}

static void open_at(struct json *j, const char *name, char bracket)
{
	key(j, name);
	fputc(bracket, j->out);
	j->inside = false;
}

static void close_at(struct json *j, char bracket)
{
	fputc(bracket, j->out);
	j->inside = true;
}

/* The next member starts a line of its own, indented by depth. */
static void fresh_line(struct json *j, int depth)
{
	fprintf(j->out, "%s\n%*s", j->inside ? "," : "", depth, "");
	j->inside = false;
}

static void put_int(struct json *j, const char *name, int64_t v)
{
	key(j, name);
	fprintf(j->out, "%" PRId64, v);
}

static void put_uint(struct json *j, const char *name, uint64_t v)
{
	key(j, name);
	fprintf(j->out, "%" PRIu64, v);
}

static void put_text(struct json *j, const char *name, const char *s)
{
	key(j, name);
	fputc('"', j->out);
	na_escape_to(NA_ESC_JSON, s, j->out);
	fputc('"', j->out);
}

static void put_bool(struct json *j, const char *name, bool v)
{
	key(j, name);
	fputs(v ? "true" : "false", j->out);
}

static void put_when(struct json *j, const char *name, bool known, int64_t ps)
{
	if (known) {
		put_int(j, name, ps - j->origin_ps);
	} else {
		key(j, name);
		fputs("null", j->out);
	}
}

static void put_net(struct json *j, const char *name,
		    const struct na_truth_net *n)
{
	open_at(j, name, '{');
	put_uint(j, "transfers_rx", n->transfers_rx);
	put_uint(j, "transfers_tx", n->transfers_tx);
	put_uint(j, "valid", n->valid);
	put_uint(j, "loopback", n->loopback);
	put_uint(j, "clock_skew", n->clock_skew);
	put_uint(j, "no_latency", n->no_latency);
	put_uint(j, "bad", n->bad_key);
	put_uint(j, "rx_bytes", n->rx_bytes);
	put_uint(j, "tx_bytes", n->tx_bytes);
	put_uint(j, "latency_us_sum", n->latency_us_sum);
	put_uint(j, "latency_us_max", n->latency_us_max);
	put_uint(j, "d2h", n->d2h);
	put_uint(j, "h2d", n->h2d);
	put_uint(j, "compute", n->compute);
	put_uint(j, "graphs", n->graphs);
	put_when(j, "rx_first_start_ps", n->valid, n->rx.start_ps);
	put_when(j, "rx_last_end_ps", n->valid, n->rx.end_ps);
	put_when(j, "tx_first_start_ps", n->transfers_tx, n->tx.start_ps);
	put_when(j, "tx_last_end_ps", n->transfers_tx, n->tx.end_ps);
	close_at(j, '}');
}

static void put_planes(struct json *j, const struct na_truth_host *h)
{
	open_at(j, "planes", '[');
	for (size_t i = 0; i < h->n; i++) {
		const struct na_truth_plane *p = &h->planes[i];

		fresh_line(j, 4);
		open_at(j, NULL, '{');
		put_text(j, "name", p->name);
		put_uint(j, "events", p->events);
		open_at(j, "lines", '[');
		for (size_t k = 0; k < p->n; k++) {
			open_at(j, NULL, '{');
			put_text(j, "name", p->lines[k].name);
			put_uint(j, "events", p->lines[k].events);
			close_at(j, '}');
		}
		close_at(j, ']');
		close_at(j, '}');
	}
	close_at(j, ']');
}

static void put_host(struct json *j, const struct na_truth_host *h,
		     int generation)
{
	open_at(j, NULL, '{');
	put_text(j, "host", h->name);
	put_text(j, "path", h->path);
	put_uint(j, "file_bytes", h->file_bytes);
	put_uint(j, "cut_from_bytes", h->cut_from_bytes);
	put_int(j, "start_unix_ns", h->start_unix_ns);
	put_int(j, "clock_ahead_ns", h->ahead_ns);
	open_at(j, "devices", '[');
	for (int64_t d = 0; d < h->devices; d++)
		put_int(j, NULL, h->first_device + d);
	close_at(j, ']');
	put_uint(j, "events", h->events);
	put_uint(j, "step_events", h->steps);
	put_uint(j, "module_events", h->modules);
	put_uint(j, "ops", h->ops);
	put_uint(j, "dcn_ops", h->dcn_ops);
	put_uint(j, "tails_sent", h->tails);
	put_uint(j, "late_registrations", h->registrations);
	put_uint(j, "copies", h->copies);
	put_text(j, "used", generation == NA_GEN_MESSAGE ? "message" : "graph");
	fresh_line(j, 3);
	put_net(j, "graph", &h->graph);
	fresh_line(j, 3);
	put_net(j, "message", &h->message);
	fresh_line(j, 3);
	put_planes(j, h);
	close_at(j, '}');
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

static void put_totals(struct json *j, const struct na_truth *t)
{
	struct na_truth_host sum;

	memset(&sum, 0, sizeof(sum));
	for (size_t i = 0; i < t->n; i++) {
		add_net(&sum.graph, &t->hosts[i].graph);
		add_net(&sum.message, &t->hosts[i].message);
		sum.events += t->hosts[i].events;
		sum.file_bytes += t->hosts[i].file_bytes;
	}
	open_at(j, "totals", '{');
	put_uint(j, "file_bytes", sum.file_bytes);
	put_uint(j, "events", sum.events);
	fresh_line(j, 2);
	put_net(j, "graph", &sum.graph);
	fresh_line(j, 2);
	put_net(j, "message", &sum.message);
	close_at(j, '}');
}

static void put_fault(struct json *j, const struct na_fault *f)
{
	char buf[32];

	open_at(j, NULL, '{');
	put_text(j, "kind", na_fault_name(f->kind));
	put_text(j, "text", f->text);
	if (f->kind == NA_FAULT_SMALL_SLACK)
		put_text(j, "collective", f->name);
	else
		put_text(j, "host", na_host_name(buf, f->host));
	if (f->kind == NA_FAULT_SLOW_PATH)
		put_text(j, "peer", na_host_name(buf, f->peer));
	if (f->kind == NA_FAULT_CLOCK)
		put_int(j, "ahead_ns", f->value / NA_PS_PER_NS);
	else if (f->value_q16)
		put_int(j, "value_65536ths", f->value_q16);
	else if (f->value)
		put_int(j, "value", f->value);
	close_at(j, '}');
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

static void put_job(struct json *j, const struct na_job *job)
{
	open_at(j, "faults", '[');
	for (size_t i = 0; i < job->n_faults; i++) {
		fresh_line(j, 2);
		put_fault(j, &job->faults[i]);
	}
	close_at(j, ']');
	fresh_line(j, 1);
	put_uint(j, "program_id", job->program_id);
	put_int(j, "job_end_ps", job->end_ps);
	open_at(j, "program", '[');
	for (uint32_t i = 0; i < job->n_colls; i++) {
		const struct na_coll *c = &job->colls[i];

		fresh_line(j, 2);
		open_at(j, NULL, '{');
		put_text(j, "collective", c->name);
		put_text(j, "transfer_type", na_coll_type(c->kind));
		put_uint(j, "input_bytes", c->bytes);
		put_uint(j, "output_bytes", c->out_bytes);
		put_uint(j, "sent_bytes", sent_bytes(job, c));
		put_int(j, "executions_per_step", c->looped ? 2 : 1);
		put_uint(j, "send_number", c->number);
		put_bool(j, "ring", c->ring);
		put_bool(j, "small_slack", c->small_slack);
		close_at(j, '}');
	}
	close_at(j, ']');
	fresh_line(j, 1);
}

static void put_all(struct json *j, const struct na_truth *t,
		    const struct na_synth_config *c, const struct na_job *job)
{
	static const char *const profiles[] = {"session", "typical", "network"};
	static const char *const gens[] = {"graph", "message", "both"};

	open_at(j, NULL, '{');
	put_text(j, "schema", "netan.synth/1");
	put_int(j, "seed", c->seed);
	put_text(j, "profile", profiles[c->profile]);
	put_text(j, "generation", gens[c->generation]);
	put_int(j, "origin_unix_ns",
		t->start_unix_ns + j->origin_ps / NA_PS_PER_NS);
	if (job) {
		put_uint(j, "slices", job->n_slices);
		put_uint(j, "steps", job->n_steps);
		put_int(j, "link_bits_per_s", (int64_t)c->link_rate);
		put_bool(j, "message_spans", c->message_spans);
		fresh_line(j, 1);
		put_job(j, job);
	}
	put_totals(j, t);
	fresh_line(j, 1);
	open_at(j, "hosts", '[');
	for (size_t i = 0; i < t->n; i++) {
		fresh_line(j, 2);
		put_host(j, &t->hosts[i], c->generation);
	}
	close_at(j, ']');
	close_at(j, '}');
	fputc('\n', j->out);
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
	struct json j = {NULL, find_origin_ps(t), false};
	struct na_out_file *f;
	char *text = NULL;
	uint64_t whole;
	size_t n = 0;
	enum na_status st;

	*bytes = 0;
	j.out = open_memstream(&text, &n);
	if (!j.out)
		return na_fail_nomem(err);
	put_all(&j, t, cfg, job);
	if (fclose(j.out)) {
		free(text);
		return na_fail_nomem(err);
	}
	st = na_out_open(&f, path, NA_PACK_NONE, err);
	if (!st) {
		st = na_out_write(f, text, n, err);
		if (st)
			na_out_abandon(f);
		else
			st = na_out_finish(f, -1, -1, bytes, &whole, err);
	}
	free(text);
	return st;
}

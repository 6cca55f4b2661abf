/*
 * Metrics reports.
 *
 *	Metric: ExecuteTime
 *	  TotalSamples: 96
 *	  Accumulator: 12s310ms842.117us	(older: "Counter: ...")
 *	  ValueRate: 511ms204.330us / second
 *	  Rate: 3.98712 / second
 *	  Percentiles: 1%=088ms102.004us; 5%=...
 *	Counter: CachedCompile
 *	  Value: 84
 *
 * Nothing marks where a report begins or ends.  A metric that is there
 * already begins another one; after other lines also one that is out of the
 * alphabetical order, in which a report has its metrics and then its
 * counters.
 */
#include <math.h>
#include <string.h>

#include "ingest/logs/xla_parts.h"
#include "netan/base/vec.h"

/* Other lines between two lines of a report: more than an empty one. */
enum { GAP = 2 };

static const char *name_of(const struct na_xla_reader *r, uint32_t name)
{
	return na_strtab_at(&r->log->names, name);
}

/* ---- a report is complete */

/* Another run: what was kept of this process says nothing of it. */
static void restart(struct na_xla_reader *r, struct na_xla_process *p,
		    const struct na_xla_report *now, const char *shrank)
{
	p->restarts++;
	p->shrank = na_strtab_find(&r->log->names, shrank, strlen(shrank));
	p->restart_line = now->first_line;
	na_xla_report_fini(&p->first);
	na_xla_report_fini(&p->before);
	na_xla_report_fini(&p->last);
	p->n_reports = 0;
}

static void finish(struct na_xla_reader *r, size_t stream)
{
	struct na_xla_stream *s = &r->streams[stream];
	struct na_xla_process *p = &r->log->processes[stream];
	const char *shrank;

	if (!s->now.n_metrics && !s->now.n_counters)
		return;
	if (s->open && s->only_samples)
		r->log->unfinished++;
	s->now.last_line = s->report_line;
	shrank = p->n_reports
			 ? na_xla_shrinks(r->log, &p->last, r->log, &s->now)
			 : NULL;
	if (shrank)
		restart(r, p, &s->now, shrank);
	if (p->n_reports == 1) {
		p->first = p->last;
	} else if (p->n_reports > 1) {
		na_xla_report_fini(&p->before);
		p->before = p->last;
	}
	p->last = s->now;
	p->n_reports++;
	r->log->reports++;
	memset(&s->now, 0, sizeof(s->now));
	s->open = false;
	s->counting = false;
}

/* ---- where one begins */

static bool gap_before(const struct na_xla_stream *s)
{
	return s->pending_line > s->report_line + GAP;
}

static bool begins_with_metric(const struct na_xla_reader *r,
			       const struct na_xla_stream *s)
{
	const struct na_xla_report *now = &s->now;
	const char *last;

	if (!now->n_metrics && !now->n_counters)
		return false;
	if (na_xla_metric(now, s->pending_name))
		return true;
	if (!gap_before(s))
		return false;
	last = now->n_metrics
		       ? name_of(r, now->metrics[now->n_metrics - 1].name)
		       : "";
	return s->counting || strcmp(name_of(r, s->pending_name), last) < 0;
}

/* The new report's first metrics may have been new, and so not noticed:
 * those behind the counters that sort before the one that was. */
static bool move_late(struct na_xla_reader *r, size_t stream,
		      struct na_xla_report *to)
{
	struct na_xla_stream *s = &r->streams[stream];
	struct na_xla_report *now = &s->now;
	const char *name = name_of(r, s->pending_name);
	size_t keep = 0;

	for (size_t i = 0; i < now->n_metrics; i++) {
		struct na_xla_metric *m = &now->metrics[i];

		if (!m->late || strcmp(name_of(r, m->name), name) >= 0) {
			now->metrics[keep++] = *m;
			continue;
		}
		if (!na_grow(&to->metrics, &to->cap_metrics, to->n_metrics + 1,
			     sizeof(*m)))
			return false;
		to->metrics[to->n_metrics] = *m;
		to->metrics[to->n_metrics++].late = false;
	}
	now->n_metrics = keep;
	return true;
}

static enum na_status begin(struct na_xla_reader *r, size_t stream,
			    bool repeated, struct na_err *err)
{
	struct na_xla_stream *s = &r->streams[stream];
	struct na_xla_report next = {.step = s->titled ? s->next_step : -1};

	if (repeated && !s->titled && !move_late(r, stream, &next)) {
		na_xla_report_fini(&next);
		return na_fail_nomem(err);
	}
	finish(r, stream);
	s->now = next;
	s->now.first_line = s->pending_line;
	s->now.stamp = s->pending_stamp;
	s->titled = false;
	return NA_OK;
}

static enum na_status begin_if(struct na_xla_reader *r, size_t stream,
			       bool another, bool repeated, struct na_err *err)
{
	const struct na_xla_stream *s = &r->streams[stream];

	if (!another && !s->titled && s->now.first_line)
		return NA_OK;
	return begin(r, stream, repeated, err);
}

/* ---- the two kinds of items */

static enum na_status add_metric(struct na_xla_reader *r, size_t stream,
				 uint64_t samples, struct na_err *err)
{
	struct na_xla_stream *s = &r->streams[stream];
	bool another = begins_with_metric(r, s);
	struct na_xla_report *now = &s->now;

	if (begin_if(r, stream, another,
		     another && na_xla_metric(now, s->pending_name) != NULL,
		     err) != NA_OK)
		return err->status;
	s->open = false;
	if (now->n_metrics >= NA_XLA_METRICS_MAX) {
		r->log->left_out++;
		return NA_OK;
	}
	if (!na_grow(&now->metrics, &now->cap_metrics, now->n_metrics + 1,
		     sizeof(*now->metrics)))
		return na_fail_nomem(err);
	now->metrics[now->n_metrics++] = (struct na_xla_metric){
		.name = s->pending_name,
		.late = s->counting,
		.samples = samples,
		.rate = NAN,
	};
	s->open = s->only_samples = true;
	return NA_OK;
}

static bool begins_with_counter(const struct na_xla_stream *s, int64_t value)
{
	const struct na_xla_counter *c = na_xla_counter(&s->now,
							s->pending_name);

	if (!c)
		return false;
	return gap_before(s) || (c->value != value && !s->now.n_metrics);
}

static enum na_status add_counter(struct na_xla_reader *r, size_t stream,
				  int64_t value, struct na_err *err)
{
	struct na_xla_stream *s = &r->streams[stream];
	struct na_xla_report *now = &s->now;

	if (begin_if(r, stream, begins_with_counter(s, value), false, err) !=
	    NA_OK)
		return err->status;
	s->open = false;
	s->counting = true;
	/* Short reports have some of them twice. */
	for (size_t i = 0; i < now->n_counters; i++) {
		if (now->counters[i].name == s->pending_name) {
			now->counters[i].value = value;
			return NA_OK;
		}
	}
	if (now->n_counters >= NA_XLA_COUNTERS_MAX) {
		r->log->left_out++;
		return NA_OK;
	}
	if (!na_grow(&now->counters, &now->cap_counters, now->n_counters + 1,
		     sizeof(*now->counters)))
		return na_fail_nomem(err);
	now->counters[now->n_counters++] =
		(struct na_xla_counter){s->pending_name, value};
	return NA_OK;
}

/* ---- lines */

static bool take_percentiles(const struct na_xla_reader *r, struct na_text all,
			     struct na_xla_metric *m)
{
	m->n_percentiles = 0;
	while (all.n) {
		struct na_text x = all, rest = {"", 0};
		struct na_xla_percentile *p = &m->percentiles[m->n_percentiles];
		size_t k;

		na_text_split(all, ";", &x, &rest);
		if (m->n_percentiles == NA_XLA_PERCENTILES_MAX)
			return false;
		k = na_xla_decimal(x.s, x.n, &p->percent);
		if (!k || p->percent < 0 || p->percent > 100)
			return false;
		x = na_text_from(x, k);
		if (!na_text_past(&x, "%=") || !x.n ||
		    !na_xla_value(x.s, x.n, r->how, &p->value))
			return false;
		m->n_percentiles++;
		all = na_xla_trimmed(rest);
	}
	return true;
}

/* A field of the metric that is open; false: it does not read as one. */
static bool take_field(const struct na_xla_reader *r, struct na_xla_metric *m,
		       const struct na_xla_found *f)
{
	struct na_text x = f->rest, rest;

	switch (f->word) {
	case NA_XLA_W_TOTAL:
	case NA_XLA_W_COUNTER:
		m->summed = na_xla_value(x.s, x.n, r->how, &m->total);
		return m->summed || !m->samples;
	case NA_XLA_W_VALUE_RATE:
		/* "0.425201 / second" */
		na_text_split(x, "/", &x, &rest);
		return na_xla_value(x.s, x.n, r->how, &m->value_rate);
	case NA_XLA_W_RATE:
		return na_xla_decimal(x.s, x.n, &m->rate) > 0;
	default:
		return take_percentiles(r, x, m);
	}
}

/* Older reports call the sum "Counter:" too; it stands behind the samples,
 * is indented, and is a value, where a counter has a name. */
static bool is_older_sum(const struct na_xla_reader *r,
			 const struct na_xla_stream *s,
			 const struct na_xla_found *f)
{
	struct na_xla_value v;

	if (f->word != NA_XLA_W_COUNTER || !s->open || !s->only_samples)
		return false;
	if (s->field_indent > s->pending_indent &&
	    f->prefix->indent <= s->pending_indent)
		return false;
	return na_xla_value(f->rest.s, f->rest.n, r->how, &v);
}

static void header(struct na_xla_stream *s, const struct na_xla_found *f)
{
	size_t n = f->rest.n < NA_XLA_NAME_BYTES ? f->rest.n
						 : NA_XLA_NAME_BYTES;

	memcpy(s->pending_text, f->rest.s, n);
	s->pending = n > 0;
	s->pending_n = n;
	s->pending_metric = f->word == NA_XLA_W_METRIC;
	s->pending_indent = f->prefix->indent;
	s->pending_line = f->number;
	s->pending_stamp = f->prefix->stamp;
}

static enum na_status first_field(struct na_xla_reader *r, size_t stream,
				  const struct na_xla_found *f,
				  struct na_err *err)
{
	struct na_xla_stream *s = &r->streams[stream];
	bool metric = f->word == NA_XLA_W_SAMPLES;
	uint64_t x;

	if (!s->pending || s->pending_metric != metric)
		return NA_OK;
	s->pending = false;
	if (na_xla_count(f->rest.s, f->rest.n, &x) != f->rest.n ||
	    x > INT64_MAX) {
		r->log->damaged++;
		return NA_OK;
	}
	if (na_xla_name(r->log, s->pending_text, s->pending_n, &s->pending_name,
			err) != NA_OK)
		return err->status;
	if (s->pending_name == NA_NO_NAME)
		return NA_OK;
	s->kept = true;
	s->field_indent = f->prefix->indent;
	r->log->lines += 2;
	if (metric)
		add_metric(r, stream, x, err);
	else
		add_counter(r, stream, (int64_t)x, err);
	s->report_line = f->number;
	return err->status;
}

static void title(struct na_xla_stream *s, const struct na_xla_found *f)
{
	uint64_t step;

	s->pending = s->open = false;
	s->titled = true;
	s->next_step = na_xla_count(f->rest.s, f->rest.n, &step) &&
				       step <= INT64_MAX
			       ? (int64_t)step
			       : -1;
}

enum na_status na_xla_report_line(struct na_xla_reader *r, size_t stream,
				  const struct na_xla_found *f,
				  struct na_err *err)
{
	struct na_xla_stream *s = &r->streams[stream];
	bool sum = is_older_sum(r, s, f);

	if (f->word == NA_XLA_W_TITLE) {
		title(s, f);
		return NA_OK;
	}
	if (!sum &&
	    (f->word == NA_XLA_W_METRIC || f->word == NA_XLA_W_COUNTER)) {
		header(s, f);
		return NA_OK;
	}
	if (f->word == NA_XLA_W_SAMPLES || f->word == NA_XLA_W_VALUE)
		return first_field(r, stream, f, err);
	if (!s->open || s->pending)
		return NA_OK;
	if (!take_field(r, &s->now.metrics[s->now.n_metrics - 1], f))
		r->log->damaged++;
	s->only_samples = false;
	s->report_line = f->number;
	r->log->lines++;
	return NA_OK;
}

void na_xla_report_end(struct na_xla_reader *r, size_t stream)
{
	finish(r, stream);
}

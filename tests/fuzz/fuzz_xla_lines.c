/*
 * Any bytes as a log of PyTorch/XLA, line by line and through needles: what
 * is kept stays within its bounds, and every metric is one that was there.
 */
#include <math.h>

#include "ingest/logs/xla_lines.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_report(const struct na_xla_log *x,
			 const struct na_xla_report *r)
{
	walk_must(r->n_metrics <= NA_XLA_METRICS_MAX &&
		  r->n_counters <= NA_XLA_COUNTERS_MAX);
	walk_must(r->first_line <= r->last_line || !r->last_line);
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct na_xla_metric *m = &r->metrics[i];

		walk_must(m->name < x->names.n && m->samples <= INT64_MAX);
		walk_must(m->n_percentiles <= NA_XLA_PERCENTILES_MAX);
		walk_must(isnan(m->rate) || isfinite(m->rate));
		walk_must(m->total.ns >= 0 && isfinite(m->total.number));
		for (size_t k = 0; k < i; k++)
			walk_must(r->metrics[k].name != m->name);
	}
	for (size_t i = 0; i < r->n_counters; i++)
		walk_must(r->counters[i].name < x->names.n &&
			  r->counters[i].value >= 0);
}

static void check(const struct na_xla_log *x, size_t size)
{
	walk_must(x->n_processes <= NA_XLA_PROCESSES_MAX &&
		  x->n_stacks <= NA_XLA_STACKS_MAX &&
		  x->n_hints <= NA_XLA_HINTS_MAX && x->reports <= size);
	for (size_t i = 0; i < x->n_processes; i++) {
		const struct na_xla_process *p = &x->processes[i];

		walk_must((p->n_reports > 0) == (p->last.first_line > 0));
		walk_must((p->n_reports > 1) == (p->first.first_line > 0));
		walk_must((p->n_reports > 2) == (p->before.first_line > 0));
		check_report(x, &p->first);
		check_report(x, &p->before);
		check_report(x, &p->last);
	}
	for (size_t i = 0; i < x->n_stacks; i++) {
		const struct na_xla_stack *s = &x->stacks[i];

		walk_must(s->count && s->n_frames <= NA_XLA_FRAMES_MAX &&
			  s->n_graphs <= NA_XLA_GRAPHS_MAX);
	}
}

/* Each line in memory of its own, so that nothing is read behind it. */
static void feed(struct na_xla_reader *r, const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	uint64_t number = 0;

	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t n = end ? (size_t)(end - data) : size;
		char *line = malloc(n ? n : 1);

		walk_must(line != NULL);
		memcpy(line, data, n);
		walk_must(na_xla_line(r, line, n, ++number, &err) == NA_OK);
		free(line);
		n += end != NULL;
		data += n;
		size -= n;
	}
	walk_must(na_xla_end(r, &err) == NA_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned how = walk_way(size, NA_XLA_PLAIN + 1);
	struct na_err err = {.status = NA_OK};
	struct na_xla_reader *r;
	struct na_xla_log log;

	na_xla_log_init(&log);
	walk_must(na_xla_reader_open(&r, &log, (enum na_xla_durations)how,
				     &err) == NA_OK);
	feed(r, data, size);
	na_xla_reader_close(r);
	check(&log, size);
	na_xla_log_fini(&log);
	return 0;
}

#include "netan/model/logs/xla_log.h"

#include <stdlib.h>
#include <string.h>

void na_xla_log_init(struct na_xla_log *x)
{
	memset(x, 0, sizeof(*x));
}

void na_xla_report_fini(struct na_xla_report *r)
{
	free(r->metrics);
	free(r->counters);
	memset(r, 0, sizeof(*r));
}

void na_xla_log_fini(struct na_xla_log *x)
{
	for (size_t i = 0; i < x->n_processes; i++) {
		na_xla_report_fini(&x->processes[i].first);
		na_xla_report_fini(&x->processes[i].before);
		na_xla_report_fini(&x->processes[i].last);
	}
	for (size_t i = 0; i < x->n_stacks; i++)
		free(x->stacks[i].graphs);
	free(x->processes);
	free(x->hints);
	free(x->stacks);
	na_strtab_fini(&x->names);
	na_arena_fini(&x->frames);
	memset(x, 0, sizeof(*x));
}

const struct na_xla_metric *na_xla_metric(const struct na_xla_report *r,
					  uint32_t name)
{
	for (size_t i = 0; i < r->n_metrics; i++) {
		if (r->metrics[i].name == name)
			return &r->metrics[i];
	}
	return NULL;
}

const struct na_xla_counter *na_xla_counter(const struct na_xla_report *r,
					    uint32_t name)
{
	for (size_t i = 0; i < r->n_counters; i++) {
		if (r->counters[i].name == name)
			return &r->counters[i];
	}
	return NULL;
}

const struct na_xla_metric *na_xla_metric_named(const struct na_xla_log *x,
						const struct na_xla_report *r,
						const char *name)
{
	uint32_t id = na_strtab_find(&x->names, name, strlen(name));

	return id == NA_NO_NAME ? NULL : na_xla_metric(r, id);
}

const struct na_xla_counter *na_xla_counter_named(const struct na_xla_log *x,
						  const struct na_xla_report *r,
						  const char *name)
{
	uint32_t id = na_strtab_find(&x->names, name, strlen(name));

	return id == NA_NO_NAME ? NULL : na_xla_counter(r, id);
}

const char *na_xla_shrinks(const struct na_xla_log *x,
			   const struct na_xla_report *earlier,
			   const struct na_xla_log *y,
			   const struct na_xla_report *later)
{
	for (size_t i = 0; i < later->n_metrics; i++) {
		const char *name = na_strtab_at(&y->names,
						later->metrics[i].name);
		const struct na_xla_metric *m = na_xla_metric_named(x, earlier,
								    name);

		if (m && m->samples > later->metrics[i].samples)
			return name;
	}
	for (size_t i = 0; i < later->n_counters; i++) {
		const char *name = na_strtab_at(&y->names,
						later->counters[i].name);
		const struct na_xla_counter *c =
			na_xla_counter_named(x, earlier, name);

		if (c && c->value > later->counters[i].value)
			return name;
	}
	return NULL;
}

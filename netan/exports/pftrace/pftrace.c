/* export -o x.pftrace and x.pftrace.gz. */
#include "netan/base/str.h"
#include "netan/exports/export.h"
#include "netan/exports/pftrace/state.h"

/* ---- while the analyses run */

static enum na_status records_open(void *state, const struct na_scope *scope,
				   const void *params, struct na_err *err)
{
	struct na_pft_gather *g = state;

	(void)err;
	/* The export's own; parameters are read only by rule. */
	g->x = (struct na_pft *)(uintptr_t)params;
	g->scope = scope;
	return NA_OK;
}

static enum na_status records_finish(void *state, struct na_result *r,
				     struct na_err *err)
{
	struct na_pft_gather *g = state;

	(void)r;
	if (!na_pft_gather(g) || !na_pft_link(g) ||
	    !na_pft_link_devices(g) || !na_pft_write(g))
		return na_fail_nomem(err);
	return NA_OK;
}

static void records_fini(void *state)
{
	na_pft_gather_fini(state);
}

/* The records are looked at where they lie in the store, all at the end. */
static const struct na_analysis pft_records = {
	.info.name = "records",
	.wants = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
		 NA_WANT_MODULES | NA_WANT_OPS | NA_WANT_COMMS,
	.both_sides = true,
	.instants = true,
	.passes = 0,
	.state_size = sizeof(struct na_pft_gather),
	.open = records_open,
	.finish = records_finish,
	.fini = records_fini,
};

/* ---- the export */

static enum na_status begin(void *state, const char *path, bool packed,
			    const struct na_request *q, struct na_err *err)
{
	struct na_pft *x = state;

	x->request = q;
	return na_pft_open(&x->out, path, packed, err);
}

static enum na_status plain_begin(void *state, const char *path,
				  const struct na_request *q,
				  struct na_err *err)
{
	return begin(state, path, false, q, err);
}

static enum na_status packed_begin(void *state, const char *path,
				   const struct na_request *q,
				   struct na_err *err)
{
	return begin(state, path, true, q, err);
}

static void say(const struct na_pft *x, FILE *told)
{
	const struct {
		uint64_t n;
		const char *noun;
	} of[] = {
		{x->flows, "flow"},
		{x->instants, "instant"},
		{x->findings, "finding"},
		{x->paths, "critical path"},
	};
	char n[NA_COUNT_BUF];

	fputs(na_count_of(n, x->slices, "slice"), told);
	for (size_t i = 0; i < NA_LEN(of); i++) {
		if (of[i].n)
			fprintf(told, ", %s",
				na_count_of(n, of[i].n, of[i].noun));
	}
	if (x->merged)
		fprintf(told, "; %s merged, where more than %d overlap",
			na_count_of(n, x->merged, "slice"), NA_PFT_LANES);
}

static enum na_status pftrace_end(void *state, const struct na_export_of *of,
				  FILE *told, struct na_err *err)
{
	const struct na_session *s = &of->battery->session;
	struct na_pft *x = state;

	if (s->one_clock)
		na_pft_clock(&x->out, s->origin_unix_ns);
	if (!na_pft_put_found(x, of))
		return na_fail_nomem(err);
	say(x, told);
	return na_pft_flush(&x->out, err);
}

static void pftrace_close(void *state)
{
	struct na_pft *x = state;

	na_pft_close(&x->out);
	na_arena_fini(&x->arena);
	na_vec_free(&x->processes);
	na_vec_free(&x->groups);
	na_triples_fini(&x->group_of);
}

const struct na_export na_export_pftrace = {
	.ending = "pftrace",
	.what = "a trace for Perfetto",
	.with_page = true,
	.uses = (const char *const[]){"slack", "timeline", NULL},
	.state_size = sizeof(struct na_pft),
	.records = &pft_records,
	.begin = plain_begin,
	.end = pftrace_end,
	.close = pftrace_close,
};

const struct na_export na_export_pftrace_gz = {
	.ending = "pftrace.gz",
	.what = "the same, packed",
	.with_page = true,
	.uses = (const char *const[]){"slack", "timeline", NULL},
	.state_size = sizeof(struct na_pft),
	.records = &pft_records,
	.begin = packed_begin,
	.end = pftrace_end,
	.close = pftrace_close,
};

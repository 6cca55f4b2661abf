#include "netan/checks/host/host_events.h"

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

const char na_hostev_remedy[] =
	"raise --megascale_grpc_premap_memory_bytes (default 17179869184, "
	"16 GiB; at least twice the size of a checkpoint: 25769803776, 24 GiB, "
	"and 34359738368, 32 GiB, are common), restart the job, check again";

const struct na_value *na_hostev_next(const struct na_case *c, const char *kind,
				      const struct na_value *run)
{
	const struct na_value *runs = na_get(na_case_body(c, "host_events"),
					     M_runs);

	run = run ? run->next : na_items(runs);
	while (run && !na_count_at(na_get(run, kind), M_count))
		run = run->next;
	return run;
}

const char *na_hostev_time(char *buf, const struct na_value *in,
			   const char *name)
{
	double s = na_number_or(in, name, 0);

	/* Sums of damaged times may be longer than there is time. */
	return na_print_time(buf, s < 9e6 ? na_ps_of_s(s) : NA_TIME_MAX, 3);
}

static void put_bytes(struct na_case *c, struct na_value *to,
		      const struct na_value *from)
{
	double bytes = na_number_at(from, M_bytes);

	if (bytes < 9e18)
		na_put_int(c->r, to, M_bytes, (int64_t)bytes);
	else
		na_put_null(c->r, to, M_bytes);
}

void na_hostev_tell(struct na_case *c, struct na_finding *f,
		    const struct na_value *run, const char *kind)
{
	const struct na_value *k = na_get(run, kind);
	struct na_value *to = f->evidence, *list;

	na_case_fact(c, f,
		     "%s in the steady state, %s"
		     " in the start-up",
		     na_case_count(c, na_count_at(k, M_count)),
		     na_case_count(c, na_count_at(k, M_startup)));
	na_case_fact(c, f, "they meet %s of %s transfers",
		     na_case_count(c, na_count_at(k, M_touched)),
		     na_case_count(c, na_count_at(run, M_transfers)));
	f->from_s = na_number_at(k, M_first_s);
	f->to_s = na_number_at(k, M_last_s);
	na_case_copy(c, to, run, M_label, M_steady_from_s, M_steady_by,
		     M_transfers);
	na_case_copy(c, to, k, M_count, M_startup, M_touched, M_hosts,
		     M_n_threads, M_total_s, M_first_s, M_last_s, M_p50_s,
		     M_p99_s, M_touched_share, M_worst_share);
	put_bytes(c, to, k);
	na_case_copy(c, to, k, M_worst_host);
	list = na_put_list(c->r, to, M_threads);
	na_for_each (t, na_get(k, M_threads)) {
		struct na_value *row = na_put_object(c->r, list, NULL);

		na_case_copy(c, row, t, M_host, M_thread, M_count, M_total_s);
		put_bytes(c, row, t);
	}
}

const char *na_hostev_where(struct na_case *c, const struct na_value *run,
			    const char *kind)
{
	const struct na_value *k = na_get(run, kind);
	const struct na_value *threads = na_get(k, M_threads);
	const char *label = na_text_or(run, M_label, NULL);
	const struct na_value *first = na_items(threads);
	int64_t n = na_count_at(k, M_n_threads);
	int64_t hosts = na_count_at(k, M_hosts);
	const char *place =
		hosts > 1 ? na_case_text(c, "%s hosts", na_case_count(c, hosts))
			  : na_case_text(c, "%.100s",
					 na_text_or(first, M_host, "?"));

	return na_case_text(c, "on %s thread%s of %s%s%.60s",
			    na_case_count(c, n), na_plural(n), place,
			    label ? " of " : "", label ? label : "");
}

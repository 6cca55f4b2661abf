#include "netan/checks/host/host_events.h"

#include "facts.h"
#include "members.h"
#include "netan/checks/look.h"

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

	na_case_evidence(c, f,
			 na_fact_steady_and_start_up(na_count_at(k, M_count),
						     na_count_at(k,
								 M_startup)));
	na_case_evidence(c, f,
			 na_fact_transfers_met(na_count_at(k, M_touched),
					       na_count_at(run, M_transfers)));
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
	int64_t hosts = na_count_at(k, M_hosts);

	return na_case_say(c,
			   na_fact_on_threads(na_count_at(k, M_n_threads),
					      hosts > 1 ? hosts : 0,
					      na_text_or(na_items(threads),
							 M_host, "?"),
					      na_text_or(run, M_label, NULL)));
}

#include "netan/checks/host_events.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

const char na_hostev_remedy[] =
	"raise --megascale_grpc_premap_memory_bytes (default 17179869184, "
	"16 GiB; at least twice the size of a checkpoint: 25769803776, 24 GiB, "
	"and 34359738368, 32 GiB, are common), restart the job, check again";

const struct na_value *na_hostev_next(const struct na_case *c, const char *kind,
				      const struct na_value *run)
{
	const struct na_value *runs = na_get(na_case_body(c, "host_events"),
					     "runs");

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

static void put_threads(struct na_case *c, struct na_finding *f,
			const struct na_value *from)
{
	struct na_value *list = na_put_list(c->r, f->evidence, "threads");

	na_for_each (t, from) {
		struct na_value *row = na_put_object(c->r, list, NULL);

		na_put_text(c->r, row, M_host, na_text_or(t, M_host, NULL));
		na_put_text(c->r, row, "thread", na_text_or(t, "thread", NULL));
		na_put_int(c->r, row, M_count, na_count_at(t, M_count));
		na_put_real(c->r, row, M_total_s, na_number_at(t, M_total_s));
		put_bytes(c, row, t);
	}
}

void na_hostev_tell(struct na_case *c, struct na_finding *f,
		    const struct na_value *run, const char *kind)
{
	/* clang-format off */
	static const char *const numbers[] = {
		M_total_s, M_first_s, M_last_s, "p50_s", "p99_s",
		"touched_share", "worst_share",
	};
	static const char *const counts[] = {
		"count", "startup", "touched", "hosts", "n_threads",
	};
	/* clang-format on */
	const struct na_value *k = na_get(run, kind);
	struct na_value *to = f->evidence;

	f->from_s = na_number_at(k, M_first_s);
	f->to_s = na_number_at(k, M_last_s);
	na_put_text(c->r, to, M_label, na_text_or(run, M_label, NULL));
	na_put_real(c->r, to, "steady_from_s",
		    na_number_at(run, "steady_from_s"));
	na_put_text(c->r, to, "steady_by", na_text_or(run, "steady_by", NULL));
	na_put_int(c->r, to, M_transfers, na_count_at(run, M_transfers));
	for (size_t i = 0; i < NA_LEN(counts); i++)
		na_put_int(c->r, to, counts[i], na_count_at(k, counts[i]));
	for (size_t i = 0; i < NA_LEN(numbers); i++)
		na_put_real(c->r, to, numbers[i], na_number_at(k, numbers[i]));
	put_bytes(c, to, k);
	na_put_text(c->r, to, "worst_host", na_text_or(k, "worst_host", NULL));
	put_threads(c, f, na_get(k, "threads"));
}

const char *na_hostev_where(struct na_case *c, const struct na_value *run,
			    const char *kind)
{
	const struct na_value *k = na_get(run, kind);
	const struct na_value *threads = na_get(k, "threads");
	const char *label = na_text_or(run, M_label, NULL);
	const struct na_value *first = na_items(threads);
	int64_t n = na_count_at(k, "n_threads");
	int64_t hosts = na_count_at(k, M_hosts);
	const char *place =
		hosts > 1 ? na_case_text(c, "%" PRId64 " hosts", hosts)
			  : na_case_text(c, "%.100s",
					 na_text_or(first, M_host, "?"));

	return na_case_text(c, "on %" PRId64 " thread%s of %s%s%.60s", n,
			    na_plural(n), place, label ? " of " : "",
			    label ? label : "");
}

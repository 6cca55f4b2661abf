/* Is somebody stuck: what dumps and logs among the inputs tell, judged as
 * `netan hang` does, with the hosts of ranks from their traces. */
#include <string.h>

#include "members.h"
#include "netan/analyses/hang/hang.h"
#include "netan/engine/battery/battery.h"

enum { ROWS = 20 }; /* of each table */

static const char *host_of(const struct na_session *s, int32_t rank)
{
	for (size_t i = 0; i < s->store.devices.n_cores; i++) {
		const struct na_core *c = &s->store.devices.cores[i];

		/* A dump does not tell its host. */
		if (c->kind == NA_DEVICE_RANK && c->number == rank &&
		    s->sources[c->input].told != NA_TOLD_RECORDER)
			return s->store.hosts[c->input].name;
	}
	return NULL;
}

static void name_hosts(struct na_battery *b)
{
	struct na_flight_record *x = &b->hangs.ranks;

	for (size_t i = 0; i < x->dumps.n; i++) {
		struct na_fr_dump *d = &x->dumps.v[i];
		const char *host = d->host == NA_NO_NAME
					   ? host_of(&b->session, d->rank)
					   : NULL;

		if (host)
			d->host = na_strtab_add(&x->names, host, strlen(host));
	}
}

/* What failed is in *err. */
static void judge(struct na_battery *b, struct na_hangs *h, uint64_t told,
		  struct na_result *r, struct na_err *err)
{
	static const uint64_t none[NA_N_REASONS];
	enum na_status st = na_hangs_judge(h, &b->hangs.logs, &b->hangs.ranks,
					   err);

	if (st == NA_OK && !na_hangs_result(h, r))
		st = na_fail_nomem(err);
	if (st != NA_OK)
		return;
	na_envelope(&b->session, r, "hang", told, 0, -1, none);
	if (!na_hangs_views(h, ROWS, r))
		na_fail_nomem(err);
}

enum na_status na_battery_hangs(struct na_battery *b, struct na_err *err)
{
	struct na_hangs h = {.logs = NULL};
	struct na_result *r = NULL;
	uint64_t told = b->hangs.logs.records.n + b->hangs.ranks.dumps.n;

	if (told) {
		name_hosts(b);
		r = na_result_new();
		if (r)
			judge(b, &h, told, r, err);
		else
			na_fail_nomem(err);
		na_hangs_fini(&h);
		if (!b->used)
			b->used = told;
	}
	if (err->status == NA_OK)
		na_battery_add(b, "hang", r,
			       "dumps of the flight recorder, answers of RAS, "
			       "or logs");
	else
		na_result_free(r);
	return err->status;
}

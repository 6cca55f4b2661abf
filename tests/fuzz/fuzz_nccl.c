/*
 * Any bytes as a log with lines of NCCL's, the watchdog's and RAS's, and as an
 * answer of RAS in JSON; what they tell is judged.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/nccl/log.h"
#include "ingest/nccl/ras.h"
#include "netan/analyses/hang/stall.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int true_always)
{
	if (!true_always)
		abort();
}

static void check(const struct na_flight_record *x)
{
	for (size_t i = 0; i < x->dumps.n; i++) {
		const struct na_fr_dump *d = &x->dumps.v[i];

		must(d->rank >= 0 && d->rank < NA_FR_MAX && d->evidence);
		for (size_t k = 0; k < d->entries.n; k++)
			must(d->entries.v[k].group < x->groups.n);
		for (size_t k = 0; k < d->places.n; k++)
			must(d->places.v[k].group < x->groups.n);
	}
}

static void judge(struct na_flight_record *x)
{
	struct na_stalls stalls = {.ranks = NULL};
	struct na_err err = {.status = NA_OK};

	check(x);
	must(na_fr_complete(x));
	check(x);
	must(na_stalls_judge(&stalls, x, &err) == NA_OK);
	na_stalls_fini(&stalls);
}

static bool read_lines(struct na_flight_record *x, const char *p, size_t n)
{
	const struct na_hang_time when = {.ns = (int64_t)(n % 4096) *
						1000000000,
					  .known = true,
					  .has_year = n % 2};
	struct na_nccl_log *g = na_nccl_log_new();
	bool ok = g != NULL;

	while (ok && n) {
		const char *at = memchr(p, '\n', n);
		size_t line = at ? (size_t)(at - p) : n;

		ok = na_nccl_log_line(g, na_text_n(p, line), &when);
		p += line + (at != NULL);
		n -= line + (at != NULL);
	}
	ok = ok && na_nccl_log_end(g, x, "log");
	na_nccl_log_free(g);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_flight_record x;
	enum na_status st;

	na_fr_init(&x);
	must(read_lines(&x, (const char *)data, size));
	judge(&x);
	na_fr_fini(&x);
	na_fr_init(&x);
	st = na_ras_read_bytes(&x, "ras.json", data, size, &err);
	must(st == NA_OK || (st == NA_EFORMAT && err.text[0]));
	judge(&x);
	na_fr_fini(&x);
	return 0;
}

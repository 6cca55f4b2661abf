/*
 * Any bytes as a log of hangs: records lie within their lists, the judgement
 * ends, and what it says can be printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ingest/logs/hang.h"
#include "netan/analyses/hang/hang.h"
#include "netan/result/emit.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk_names(const struct na_hang *h, const struct na_hang_worker *w,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		walk_must(w[i].host == NA_NO_NAME || w[i].host < h->names.n);
		walk_must(w[i].task == NA_NO_NAME || w[i].task < h->names.n);
		walk_must(na_hangs_who(&w[i]) != NA_NO_NAME);
	}
}

static void walk_record(const struct na_hang *h, const struct na_hang_record *r,
			uint64_t lines)
{
	walk_must(r->line >= 1 && r->line <= lines);
	walk_must(r->cause < NA_N_HANG_CAUSES);
	walk_must(!r->detection || !r->culprits.n);
	walk_names(h, r->culprits.v, r->culprits.n);
	walk_names(h, r->listed.v, r->listed.n);
	walk_names(h, r->at_places.v, r->at_places.n);
	for (size_t i = 0; i < r->states.n; i++)
		walk_must(r->states.v[i].place + r->states.v[i].n_places <=
			  r->places.n);
	for (size_t i = 0; i < r->places.n; i++)
		walk_must(r->places.v[i].worker + r->places.v[i].n_workers <=
			  r->at_places.n);
}

static void walk_hangs(const struct na_hang *h)
{
	struct na_err err = {.status = NA_OK};
	struct na_result *r = na_result_new();
	struct na_hangs x;
	size_t records = 0;

	walk_must(r != NULL && na_hangs_judge(&x, h, NULL, &err) == NA_OK);
	for (size_t i = 0; i < x.events.n; i++) {
		walk_must(x.events.v[i].records.n > 0);
		records += x.events.v[i].records.n;
	}
	walk_must(records == h->records.n);
	if (!na_hangs_result(&x, r))
		abort();
	walk_must(na_hangs_views(&x, 0, r));
	walk_must(na_result_ok(r));
	na_hangs_fini(&x);
	na_result_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_hang h;
	enum na_status st;
	char path[40];
	int fd = memfd_create("log", MFD_CLOEXEC);

	walk_must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	na_hang_init(&h);
	st = na_hang_read(&h, path, &err);
	walk_must(st == NA_OK || (st == NA_EFORMAT && err.text[0]));
	for (size_t i = 0; i < h.records.n; i++)
		walk_record(&h, &h.records.v[i], h.files.v[0].lines);
	walk_hangs(&h);
	na_hang_fini(&h);
	close(fd);
	return 0;
}

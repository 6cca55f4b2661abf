/*
 * Any bytes as recorder dumps (pickle, JSON) of several ranks, one of them
 * cut short: indices lie within their lists, the judgement ends, culprits
 * are ranks that somebody speaks of, and what it says can be printed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ingest/recorder/recorder.h"
#include "netan/analyses/hang/hang.h"
#include "netan/result/emit.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk_name(const struct na_flight_record *x, uint32_t name)
{
	walk_must(name == NA_NO_NAME || name < x->names.n);
}

static void walk_entry(const struct na_flight_record *x,
		       const struct na_fr_dump *d, const struct na_fr_entry *e)
{
	walk_must(e->group < x->groups.n);
	walk_must(e->peer >= -1 && e->peer < NA_FR_MAX);
	walk_must((size_t)e->frame + e->n_frames <= d->frames.n);
	walk_name(x, e->operation);
	walk_name(x, e->type);
}

static void walk_dumps(const struct na_flight_record *x)
{
	for (size_t i = 0; i < x->groups.n; i++) {
		const struct na_fr_group *g = &x->groups.v[i];

		walk_must(g->first + g->n <= x->members.n);
		for (size_t k = 1; k < g->n; k++)
			walk_must(x->members.v[g->first + k - 1] <
				  x->members.v[g->first + k]);
	}
	for (size_t i = 0; i < x->dumps.n; i++) {
		const struct na_fr_dump *d = &x->dumps.v[i];

		walk_must(d->rank >= 0 && d->rank < NA_FR_MAX);
		for (size_t k = 0; k < d->places.n; k++)
			walk_must(d->places.v[k].group < x->groups.n);
		for (size_t k = 0; k < d->entries.n; k++)
			walk_entry(x, d, &d->entries.v[k]);
		for (size_t k = 0; k < d->frames.n; k++) {
			walk_name(x, d->frames.v[k].function);
			walk_name(x, d->frames.v[k].file);
		}
	}
}

static void walk_judgement(const struct na_flight_record *ranks)
{
	struct na_err err = {.status = NA_OK};
	struct na_result *r = na_result_new();
	struct na_hang logs;
	struct na_hangs x;

	na_hang_init(&logs);
	walk_must(r && na_hangs_judge(&x, &logs, ranks, &err) == NA_OK);
	for (size_t i = 0; i < x.stalls.v.n; i++) {
		const struct na_stall *s = &x.stalls.v.v[i];

		walk_must(s->culprits.n || s->why.id);
		for (size_t k = 1; k < s->culprits.n; k++)
			walk_must(s->culprits.v[k - 1].rank <
				  s->culprits.v[k].rank);
	}
	if (!na_hangs_result(&x, r))
		abort();
	walk_must(na_hangs_views(&x, 0, r));
	walk_must(na_result_ok(r));
	na_hangs_fini(&x);
	na_result_free(r);
	na_hang_fini(&logs);
}

static void take(struct na_flight_record *all, const char *path,
		 const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_flight_record one;
	enum na_status st;

	na_fr_init(&one);
	st = na_recorder_read_bytes(&one, path, data, size, false, &err);
	walk_must(st == NA_OK || (st == NA_EFORMAT && err.text[0]));
	walk_must(st != NA_OK || one.dumps.n == 1);
	walk_dumps(&one);
	walk_must(na_fr_take(all, &one));
	na_fr_fini(&one);
}

/* The same as an input of analyses: its operations end behind their start. */
static void read_input(const uint8_t *data, size_t size)
{
	struct na_input in;
	int fd;

	if (!walk_open(&in, &fd, na_text_n("", 0), data, size,
		       WALK_ALL | NA_WANT_COMMS))
		return;
	/* Other formats have targets of their own. */
	if (in.reader == &na_reader_dump)
		walk(&in, NA_ANCHOR_AUTO);
	walk_close(&in, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_flight_record all;

	if (walk_way(size, 2) && na_recorder_sniff(data, size)) {
		read_input(data, size);
		return 0;
	}
	na_fr_init(&all);
	take(&all, "dump_0", data, size);
	take(&all, "dump_1", data, size - size / 4);
	take(&all, "dump", data, size / 2);
	walk_dumps(&all);
	walk_judgement(&all);
	na_fr_fini(&all);
	return 0;
}

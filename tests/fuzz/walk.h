/*
 * What the targets share: an opened input read to its end, as the program
 * does it, into a part for each block and into a store.
 */
#ifndef TESTS_FUZZ_WALK_H
#define TESTS_FUZZ_WALK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ingest/input.h"
#include "netan/model/hlo.h"
#include "netan/model/store.h"

enum {
	WALK_ALL = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_ACTIONS |
		   NA_WANT_STEPS | NA_WANT_MODULES | NA_WANT_KERNELS |
		   NA_WANT_COUNTS | NA_WANT_OPS | NA_WANT_BUSY |
		   NA_WANT_PROGRAMS | NA_WANT_HOST_EVENTS,
	WALK_TRANSFERS = NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_STEPS |
			 NA_WANT_MODULES
};

/*
 * Which of n ways an input is read: one for each, so that executions are many;
 * by its length, so that cuts and mutations of one go all of them.
 */
static inline unsigned walk_way(size_t size, unsigned n)
{
	return (unsigned)(size % n);
}

/* What cannot be, whatever the bytes are. */
static inline void walk_must(int true_always)
{
	if (!true_always)
		abort();
}

/* A file of `before` and then `p` as an input, to be closed, and then *fd;
 * false: no reader wants it. */
static inline bool walk_open(struct na_input *in, int *fd,
			     struct na_text before, const uint8_t *p,
			     size_t size, uint32_t wants)
{
	struct na_err err = {.status = NA_OK};
	char path[64];
	bool opened;

	*fd = memfd_create("fuzz", MFD_CLOEXEC);
	walk_must(*fd >= 0 &&
		  write(*fd, before.s, before.n) == (ssize_t)before.n &&
		  write(*fd, p, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd);
	opened = na_input_open(in, path, wants, NULL, &err) == NA_OK;
	if (!opened)
		close(*fd);
	return opened;
}

static inline void walk_close(struct na_input *in, int fd)
{
	na_input_close(in);
	close(fd);
}

static inline void walk_check(const struct na_store *s, uint64_t size)
{
	walk_must(s->transfers.n <= size && s->graphs.n <= size &&
		  s->spans.n <= size);
	for (const struct na_chunk *c = s->transfers.first; c; c = c->next) {
		const struct na_packed_transfer *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			const struct na_transfer t = na_unpack_transfer(&x[i]);

			walk_must(t.start_ps <= t.end_ps);
			walk_must(t.src < s->names.n_endpoints);
			walk_must(t.dst < s->names.n_endpoints);
			walk_must(t.step == NA_UNKNOWN_U32 ||
				  t.step < s->n_steps);
		}
	}
}

static inline void walk_check_host_events(const struct na_store *s)
{
	for (const struct na_chunk *c = s->host_events.first; c; c = c->next) {
		const struct na_host_event *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			walk_must(x[i].start_ps <= x[i].end_ps);
			walk_must(x[i].size_bytes <= INT64_MAX);
			walk_must(x[i].thread == NA_UNKNOWN_U32 ||
				  x[i].thread < s->names.strings.n);
			walk_must(na_is_host_event(x[i].kind));
		}
	}
}

static inline void walk_check_devices(const struct na_store *s)
{
	const struct na_devices *d = &s->devices;

	for (const struct na_chunk *c = s->ops.first; c; c = c->next) {
		const struct na_op *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			walk_must(x[i].start_ps <= x[i].end_ps);
			walk_must(x[i].type < d->types.n);
			walk_must(x[i].core < d->n_cores);
		}
	}
	for (size_t i = 0; i < d->types.n; i++) {
		walk_must(d->types.items[i].opcode < NA_N_OPCODES);
		walk_must(d->types.items[i].network < NA_N_NETWORKS);
	}
}

/* Busy times neither overlap nor stand out of order. */
static inline void walk_check_busy(const struct na_store *s)
{
	const struct na_devices *d = &s->devices;
	int64_t *ends = calloc(d->n_cores + 1, sizeof(*ends));

	walk_must(ends != NULL);
	for (size_t i = 0; i < d->n_cores; i++)
		ends[i] = INT64_MIN;
	for (const struct na_chunk *c = s->busy.first; c; c = c->next) {
		const struct na_busy *x = (const void *)c->data;

		for (size_t i = 0; i < c->n; i++) {
			walk_must(x[i].core < d->n_cores);
			/* Of tangled cores: made straight at the end. */
			if (!x[i].length_ps)
				continue;
			walk_must(x[i].start_ps >= ends[x[i].core]);
			ends[x[i].core] = na_busy_end(&x[i]);
		}
	}
	free(ends);
}

static inline void walk_programs(struct na_input *in, struct na_store *s)
{
	struct na_err err = {.status = NA_OK};
	struct na_op_joins joins;
	struct na_hlo h;

	if (!in->reader->program_bytes || !(in->wants & NA_WANT_PROGRAMS))
		return;
	na_hlo_init(&h, false);
	walk_must(na_input_programs(in, 0, &h, &err) == NA_OK);
	walk_must(na_store_join_programs(s, &h, &joins, &err) == NA_OK);
	walk_must(joins.modules == h.n_modules && h.n_modules <= in->size);
	na_hlo_fini(&h);
}

static inline void walk(struct na_input *in, enum na_anchor anchor)
{
	struct na_source source = {.host = in->host ? in->host : "host"};
	struct na_err err = {.status = NA_OK};
	struct na_filter filter;
	struct na_store store;
	struct na_block b;

	in->zero_ns = in->has_time ? in->first_ns : 0;
	na_filter_init(&filter);
	filter.include_loopback = true;
	walk_must(na_store_init(&store, &source, 1, &err) == NA_OK);
	while (in->reader->cut(in, &b, &err) == NA_OK) {
		struct na_part part;
		struct na_sink sink;

		na_part_init(&part, &store.pool, &filter, in->wants);
		sink = na_part_sink(&part);
		walk_must(in->reader->read(in, &b, &sink, &err) == NA_OK);
		walk_must(na_store_take(&store, &part, 0, &err) == NA_OK);
		na_part_fini(&part);
	}
	walk_must(na_store_resolve(&store, anchor, true, &err) == NA_OK);
	walk_programs(in, &store);
	/* Rows that are all alike take no room in a transfer file. */
	walk_check(&store,
		   strcmp(in->reader->name, "netan") ? in->size : UINT64_MAX);
	walk_check_host_events(&store);
	walk_check_devices(&store);
	walk_check_busy(&store);
	na_store_fini(&store);
}

#endif

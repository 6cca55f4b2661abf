/*
 * Any bytes as a file that is cut (na_reader.slice): all of it, with its names
 * or without, or a window.  What comes out is a file of the same format again;
 * every second time it is cut once more.
 */
#include "ingest/capture/slice/around.h"
#include "ingest/capture/slice/masks.h"
#include "ingest/slice.h"
#include "netan/base/pseudonyms.h"
#include "netan/engine/slice/keep.h"
#include "tests/fuzz/walk.h"

enum { WANTS = NA_WANT_SLICED | NA_WANT_WHOLE };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	NA_VEC(uint8_t);
};

static enum na_status put(void *ctx, const void *p, size_t n,
			  struct na_err *err)
{
	struct bytes *to = ctx;

	(void)err;
	walk_must(!n || na_append(to, (const uint8_t *)p, n));
	return NA_OK;
}

/* True: out holds a slice, of what is no damaged file. */
static bool cut(const uint8_t *data, size_t size, struct na_slice of,
		struct bytes *out)
{
	struct na_slice_counts counts = {.events = 0};
	struct na_err err = {.status = NA_OK};
	struct na_keeper keeper;
	struct na_input in;
	bool ok = false, sound = false;
	int fd;

	out->n = 0;
	if (!walk_open(&in, &fd, na_text_n("", 0), data, size, WANTS))
		return false;
	in.path = "fuzz"; /* it was walk_open()'s */
	in.zero_ns = in.first_ns;
	na_keeper_init(&keeper, of.wide_from_ps, of.wide_to_ps);
	of.said = "cut";
	of.host = "host-1";
	of.sink = &keeper.sink;
	of.verdict = na_keeper_verdict;
	of.ctx = &keeper;
	of.put = put;
	of.put_ctx = out;
	if (in.reader->slice && (in.capture || !of.seeks)) {
		ok = in.reader->slice(&in, &of, &counts, &err) == NA_OK;
		walk_must(ok || err.text[0]);
		walk_must(counts.inside <= counts.events &&
			  counts.events <= counts.of_events);
	}
	sound = ok && !in.damaged;
	na_keeper_fini(&keeper);
	walk_close(&in, fd);
	return sound && counts.events;
}

/* Of captures with the connections that meet it, which are sought before. */
static bool cut_around(const uint8_t *data, size_t size, struct na_slice of,
		       bool around, struct bytes *out)
{
	bool ok;

	of.around = around ? na_around_new() : NULL;
	walk_must(of.around || !around);
	of.seeks = around;
	if (around)
		cut(data, size, of, out);
	of.seeks = false;
	ok = cut(data, size, of, out);
	na_around_free(of.around);
	return ok;
}

static void cut_once_or_twice(const uint8_t *data, size_t size,
			      struct na_slice *of, bool around, bool again)
{
	struct bytes once = {.v = NULL}, twice = {.v = NULL};

	of->learns = of->names;
	if (of->learns)
		cut_around(data, size, *of, around, &once);
	of->learns = false;
	if (cut_around(data, size, *of, around, &once) && again)
		cut_around(once.v, once.n, *of, around, &twice);
	na_vec_free(&once);
	na_vec_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int64_t ms = INT64_C(1000000000);
	struct na_slice of = {.from_ps = INT64_MIN,
			      .to_ps = INT64_MAX,
			      .wide_from_ps = INT64_MIN,
			      .wide_to_ps = INT64_MAX};
	unsigned way = walk_way(size, 6);
	bool around = way % 3 == 0 || way == 4;

	if (way % 3 == 0) {
		of.from_ps = 2 * ms;
		of.to_ps = 5 * ms;
		of.wide_from_ps = ms;
		of.wide_to_ps = 6 * ms;
		of.no_programs = true;
	} else if (way % 3 == 1) {
		of.names = na_pseudonyms_new();
		of.masks = na_masks_new();
		walk_must(of.names && of.masks);
	}
	cut_once_or_twice(data, size, &of, around, way < 3);
	na_pseudonyms_free(of.names);
	na_masks_free(of.masks);
	return 0;
}

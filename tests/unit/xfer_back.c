/* Files in memory and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/xfer_story.h"

enum na_status append(void *ctx, const void *p, size_t n, struct na_err *err)
{
	(void)err;
	na_xf_put(ctx, p, n);
	return NA_OK;
}

static void counts(const struct na_sink *to)
{
	to->classed(to->ctx, NA_TX, NA_STYLE_MESSAGE, NA_BAD_KEY, 3);
	to->classed(to->ctx, NA_RX, NA_STYLE_GRAPH, NA_BAD_DURATION,
		    UINT64_C(1) << 40);
	to->left_out(to->ctx, NA_LEFT_AGGREGATED, 7);
	to->unknown_name(to->ctx, "NetworkRecv END", 15, 1);
	to->unknown_name(to->ctx, "NetworkRecv END", 15, 1);
	to->warn(to->ctx, 99, "event at byte 99 is damaged");
}

const struct na_xfer_source sources[SOURCES] = {
	{.host = "host-a",
	 .format = "xspace",
	 .path = "/data/a.pb",
	 .has_time = true,
	 .has_wall = true,
	 .first_ns = 1795248666302564795,
	 .zero_ns = 1795248666302564795,
	 .profile_start_ns = 5,
	 .profile_stop_ns = 1 << 20,
	 .n_devices = 4},
	{.host = "host-b", .label = "slow", .format = "pcap", .path = "b"},
};

void make_file(struct na_xf_bytes *to, size_t blocks, size_t steps,
	       bool anonymize)
{
	struct na_pseudonyms *hidden = anonymize ? na_pseudonyms_new() : NULL;
	struct na_xfer_source named[SOURCES];
	const struct na_xfer_head head = {named, SOURCES, 0, hidden, 0};
	struct na_err err = {.status = NA_OK};
	struct na_xfer_file *f;
	struct na_capture_counts seen = {.packets = 9, .roce_rnr_naks = 8};
	struct na_part_line line = {"line", 12, NA_WANT_TRANSFERS};
	struct na_section plane = {"plane", 1, 12, &line, 1};
	struct na_input in = {.sections = &plane, .n_sections = 1};

	for (size_t i = 0; i < SOURCES; i++) {
		named[i] = sources[i];
		if (!hidden)
			continue;
		named[i].host = na_pseudonym(hidden, NA_ALIAS_HOST,
					     named[i].host);
		named[i].path = na_pseudonym(hidden, NA_ALIAS_INPUT,
					     named[i].path);
	}
	f = na_xfer_new(append, to, &head, &err);
	assert_non_null(f);
	for (uint32_t s = 0; s < SOURCES; s++) {
		for (size_t i = 0; i < blocks; i++) {
			struct na_xfer_part *p = na_xfer_part_new(s);
			struct na_sink sink = na_xfer_part_sink(p);

			story(100 * s + i, steps, &sink);
			if (i == 0)
				counts(&sink);
			assert_int_equal(na_xfer_part_end(p), NA_OK);
			assert_int_equal(na_xfer_append(f, p, &err), NA_OK);
			na_xfer_part_free(p);
		}
		in.capture = s ? &seen : NULL;
		assert_int_equal(na_xfer_source_end(f, s, &in, &err), NA_OK);
	}
	assert_int_equal(na_xfer_finish(f, &err), NA_OK);
	assert_int_equal(na_xfer_counted(f)->bytes, to->n);
	assert_false(to->failed);
	na_xfer_free(f);
	na_pseudonyms_free(hidden);
}

/* ---- and back */

void open_back(struct back *b, const uint8_t *p, size_t n, uint32_t wants)
{
	char path[64];

	memset(b, 0, sizeof(*b));
	b->fd = memfd_create("xfer", MFD_CLOEXEC);
	assert_int_equal(write(b->fd, p, n), n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", b->fd);
	b->opened = na_input_open(&b->in[0], path, wants, NULL, &b->err) ==
		    NA_OK;
	b->n = b->opened;
	while (b->opened && b->n < b->in[0].n_sources && b->n < SOURCES) {
		assert_int_equal(na_input_open_source(&b->in[b->n], &b->in[0],
						      b->n, &b->err),
				 NA_OK);
		b->n++;
	}
	for (size_t i = 0; i < b->n; i++) {
		b->damaged |= b->in[i].damaged;
		b->in[i].zero_ns = b->in[i].first_ns;
	}
}

void close_back(struct back *b)
{
	for (size_t i = b->n; i-- > 0;)
		na_input_close(&b->in[i]);
	close(b->fd);
}

void tell_all(struct back *b, struct told *t)
{
	struct na_sink sink = told_sink(t);

	tell_to(b, &sink);
}

void tell_to(struct back *b, const struct na_sink *to)
{
	for (size_t i = 0; i < b->n; i++) {
		struct na_block block;

		while (b->in[i].reader->cut(&b->in[i], &block, &b->err) ==
		       NA_OK)
			assert_int_equal(b->in[i].reader->read(&b->in[i],
							       &block, to,
							       &b->err),
					 NA_OK);
	}
}

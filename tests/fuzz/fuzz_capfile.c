/*
 * Any bytes as a capture file: every record, decoded, its fragments put
 * together, through a filter.
 */
#include <stdlib.h>
#include <string.h>

#include "ingest/capture/filter.h"
#include "ingest/capture/fragment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What cannot be, whatever the bytes are. */
static void must(int true_always)
{
	if (!true_always)
		abort();
}

static void read_all(struct na_capfile *f, const struct na_input *in)
{
	struct na_fragments *fragments = na_fragments_new();
	struct na_err err = {.status = NA_OK};
	struct na_capture_filter *filter;
	uint64_t n = 0, last = 0;
	struct na_packet p;
	struct na_record r;

	must(fragments != NULL);
	must(na_capture_filter_new(&filter, "tcp or ip6", &err) == NA_OK);
	while (na_capfile_next(f, &r) == NA_OK) {
		must(r.captured_bytes <= r.wire_bytes);
		must(n++ == 0 || r.at > last);
		last = r.at;
		must(r.data >= in->data && r.data <= in->data + in->size &&
		     r.captured_bytes <=
			     (size_t)(in->data + in->size - r.data));
		must(r.interface < na_capfile_interfaces(f));
		na_packet_decode(&p, &r, fragments);
		must(p.payload_captured <= p.payload_bytes);
		na_capture_filter_pass(filter, &r);
	}
	must(na_fragments_lost(fragments) <= na_fragments_seen(fragments));
	na_capture_filter_free(filter);
	na_fragments_free(fragments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct na_err err = {.status = NA_OK};
	struct na_input in = {.path = "bytes", .data = data, .size = size};
	struct na_capfile *f;

	in.warnings_end = &in.warnings;
	memset(&in.arena, 0, sizeof(in.arena));
	f = na_capfile_open(&in, &err);
	if (f)
		read_all(f, &in);
	else
		must(err.text[0] != '\0');
	na_capfile_close(f);
	na_arena_fini(&in.arena);
	return 0;
}

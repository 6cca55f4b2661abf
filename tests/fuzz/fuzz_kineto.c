/*
 * Any bytes as JSON: item by item, as one event, and as a trace of a rank
 * (na_reader_kineto), mapped and in a copy of exactly their size.
 */
#include "ingest/json/json.h"
#include "ingest/kineto/event.h"
#include "tests/fuzz/walk.h"

enum { WALK_RANK = WALK_ALL | NA_WANT_COMMS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void items(struct na_text text, bool bare)
{
	struct na_json j = na_json_of(text, 7);
	char buf[16];
	size_t n = 0;
	int64_t x;

	j.bare = bare;
	while (na_json_next(&j)) {
		walk_must(++n <= text.n && j.depth <= NA_JSON_DEPTH);
		walk_must(na_json_at(&j) - 7 < text.n);
		if (j.kind == NA_JSON_STRING || j.kind == NA_JSON_KEY) {
			na_json_unescape(j.text, buf, sizeof(buf));
			(void)na_json_is(&j, "traceEvents");
		}
		if (j.kind == NA_JSON_NUMBER)
			(void)na_json_decimal(j.text, 6, &x);
		if (n % 7 == 0)
			na_json_skip(&j);
	}
	walk_must(na_json_at(&j) - 7 <= text.n);
	walk_must(!na_json_next(&j));
}

static void event(struct na_text text)
{
	static struct na_kineto_shape shape; /* of what came before, too */
	struct na_kineto_event e;
	const char *end = text.s + text.n;

	if (text.n && text.s[0] == '{')
		end = na_kineto_event(text.s, end, &shape, &e);
	walk_must(!end || (end > text.s || !text.n));
	walk_must(!end || end <= text.s + text.n);
}

static void as_file(const uint8_t *data, size_t size, uint32_t wants)
{
	struct na_input in;
	int fd;

	if (!walk_open(&in, &fd, na_text_n("", 0), data, size, wants))
		return;
	if (in.reader == &na_reader_kineto)
		walk(&in, NA_ANCHOR_AUTO);
	walk_close(&in, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);

	walk_must(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	items(na_text_n(copy, size), false);
	items(na_text_n(copy, size), true);
	event(na_text_n(copy, size));
	free(copy);
	as_file(data, size, walk_way(size, 4) ? WALK_RANK : NA_WANT_COMMS);
	return 0;
}

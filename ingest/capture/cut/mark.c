#include "ingest/capture/cut/mark.h"

#include <inttypes.h>

#include "ingest/slice.h"

static const char zero[] = "; time 0 is ";
static const char unit[] = " ns";

bool na_capture_mark_print(struct na_str *to, const char *said, int64_t zero_ns)
{
	na_str_addf(to, "%s%s%" PRId64 "%s", said, zero, zero_ns, unit);
	return !to->failed;
}

struct na_text na_capture_mark_frame(uint32_t link)
{
	/* LINKTYPE_ETHERNET, LINUX_SLL, LINUX_SLL2 */
	static const char ethernet[14] = {[12] = '\x88', '\xb5'};
	static const char cooked[16] = {[14] = '\x88', '\xb5'};
	static const char cooked2[20] = {'\x88', '\xb5'};

	return link == 1     ? na_text_n(ethernet, sizeof(ethernet))
	       : link == 113 ? na_text_n(cooked, sizeof(cooked))
	       : link == 276 ? na_text_n(cooked2, sizeof(cooked2))
			     : na_text_n("", 0);
}

static bool number(struct na_text text, int64_t *ns)
{
	bool minus = na_text_past(&text, "-");
	uint64_t x;

	if (!na_text_number(text, &x) || x > INT64_MAX)
		return false;
	*ns = minus ? -(int64_t)x : (int64_t)x;
	return true;
}

bool na_capture_mark_find(struct na_text text, struct na_capfile_cut *cut)
{
	struct na_text rest = text, before, behind, last = {"", 0};

	if (!na_text_begins(text, na_slice_said) || !na_text_ends(text, unit))
		return false;
	rest.n -= sizeof(unit) - 1;
	while (na_text_split(rest, zero, &before, &behind))
		rest = last = behind;
	if (!last.n || !number(last, &cut->zero_ns))
		return false;
	cut->said = na_between(text.s, last.s - (sizeof(zero) - 1));
	return true;
}

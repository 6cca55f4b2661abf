/*
 * What of an inflating XSpace must be kept.  Planes that no one reads, and
 * on device planes lines that no one reads, are dropped by name while they
 * stream past.  Only what the reader would skip as well may be dropped: the
 * rules are those of choose_lines(), without what needs the metadata.
 */
#include "ingest/xspace/xspace.h"

enum { HEAD_BYTES = 4096, NEED_BYTES = 24 };

/* The name among the first fields, if it stands before any line. */
static bool early_name(struct na_cursor c, struct na_text *name)
{
	struct na_field f;

	while (na_field_next(&c, &f) == NA_NEXT_FIELD &&
	       f.tag != NA_TAG(3, NA_W_BYTES)) {
		if (f.tag == NA_TAG(2, NA_W_BYTES)) {
			*name = na_text_under(&f.body);
			return true;
		}
	}
	return false;
}

/* Tag and length at p; false while more bytes are needed, or damaged. */
static bool head_of(const uint8_t *p, size_t n, uint64_t *head,
		    uint64_t *length)
{
	struct na_cursor c = na_cursor_of(p, n);
	uint64_t tag;

	if (!na_varint(&c, &tag) || (tag & 7) != NA_W_BYTES ||
	    !na_varint(&c, length))
		return false;
	*head = (uint64_t)(c.p - p);
	return *length <= (uint64_t)INT64_MAX;
}

static uint64_t other_field(struct na_cursor c, size_t n)
{
	struct na_field f;

	/* A scalar field; anything unreadable keeps all the rest. */
	if (na_field_next(&c, &f) == NA_NEXT_FIELD)
		return n - na_left(&c);
	return UINT64_MAX;
}

/* The next field of XSpace. */
static uint64_t space_field(struct na_xs_spool_state *s, const uint8_t *p,
			    size_t n, bool last, uint32_t wants)
{
	struct na_cursor body = na_cursor_of(p, n);
	struct na_text name = {"", 0};
	uint64_t head, length;
	enum na_xs_plane_kind kind;
	int32_t number;

	if (!head_of(p, n, &head, &length))
		return other_field(body, n);
	if (n < head + length && n < HEAD_BYTES && !last)
		return 0;
	if (p[0] != NA_TAG(1, NA_W_BYTES))
		return head + length;
	na_skip(&body, head);
	na_clip(&body, length);
	if (!early_name(body, &name))
		return head + length;
	kind = na_xs_plane_kind_of(&name, &number);
	s->drop_all = !na_xs_plane_asked(kind, wants);
	s->kind = kind;
	/* Other planes are read whole, or their metadata decides.  A dropped
	 * plane is walked too: its lines' stamps count for the origin. */
	if (s->drop_all || kind == XS_TPU || kind == XS_GPU)
		s->plane_left = length;
	return s->plane_left ? head : head + length;
}

/* How much of a line stands before its first event. */
static uint64_t line_head(struct na_cursor c, struct na_text *name,
			  bool *stamped, bool *has_event)
{
	const uint8_t *from = c.p;
	struct na_field f;

	*stamped = *has_event = false;
	while (c.p != c.end) {
		if (*c.p == NA_TAG(4, NA_W_BYTES)) {
			*has_event = true;
			break;
		}
		if (na_field_next(&c, &f) != NA_NEXT_FIELD)
			break;
		if (f.tag == NA_TAG(2, NA_W_BYTES))
			*name = na_text_under(&f.body);
		else if (f.tag == NA_TAG(3, NA_W_VARINT))
			*stamped = true;
	}
	return (uint64_t)(c.p - from);
}

/* The next field of a plane that is kept in part. */
static uint64_t plane_field(struct na_xs_spool_state *s, const uint8_t *p,
			    size_t n, bool last, uint32_t wants)
{
	struct na_cursor body = na_cursor_of(p, n);
	struct na_text name = {"", 0};
	uint64_t head, length, front;
	bool stamped, has_event;

	if (!head_of(p, n, &head, &length))
		return other_field(body, n);
	if (head + length > s->plane_left)
		return UINT64_MAX; /* damaged: keep all that follows */
	if (n < head + length && n < HEAD_BYTES && !last)
		return 0;
	if (p[0] != NA_TAG(3, NA_W_BYTES)) {
		if (!s->drop_all || p[0] == NA_TAG(2, NA_W_BYTES))
			return head + length;
		s->drop = length;
		return head;
	}
	na_skip(&body, head);
	na_clip(&body, length);
	front = line_head(body, &name, &stamped, &has_event);
	/* A stamp or a name may still follow the events. */
	if (!has_event || !stamped ||
	    (!s->drop_all &&
	     (!name.n || na_xs_handler_of(s->kind, &name, wants))))
		return head + length;
	/* Keep the head with the first event's tag, drop the events. */
	s->drop = length - front - 1;
	return head + front + 1;
}

uint64_t na_xs_spool(void *state, const uint8_t *p, size_t n, bool last,
		     uint32_t wants, bool *keep)
{
	struct na_xs_spool_state *s = state;
	uint64_t run;

	*keep = true;
	if (wants & (NA_WANT_COUNTS | NA_WANT_WHOLE))
		return UINT64_MAX;
	if (s->drop) {
		/* A line's events, or metadata that nobody reads. */
		run = s->drop;
		s->drop = 0;
		*keep = false;
	} else if (n < NEED_BYTES && !last) {
		return 0;
	} else if (s->plane_left) {
		run = plane_field(s, p, n, last, wants);
	} else {
		return space_field(s, p, n, last, wants);
	}
	s->plane_left -= run < s->plane_left ? run : s->plane_left;
	return run;
}

/*
 * --anonymize: what is known of a trace, written anew.  Of a slice without
 * names nothing stays but what is read: planes, lines and stats that netan
 * knows, and their texts with pseudonyms for names in them.  Programs go, since
 * they hold paths of sources all over.
 */
#include <stdlib.h>

#include "ingest/bytes/inflate.h"
#include "ingest/xspace/cut.h"
#include "netan/base/pseudonyms.h"

void na_xs_hidden_fini(struct na_xs_hidden *h)
{
	na_strtab_fini(&h->seen);
	na_strtab_fini(&h->shown);
	na_vec_free(&h->as);
	na_xf_bytes_fini(&h->out);
	na_xf_bytes_fini(&h->inner);
	na_xf_bytes_fini(&h->entry);
	free(h->inflated);
}

/* ---- texts */

static uint32_t shown_as(struct na_xs_cut *c, uint32_t seen)
{
	struct na_xs_hidden *h = &c->hidden;
	char *text;

	if (seen < h->as.n)
		return h->as.v[seen];
	if (seen > h->as.n || !na_room(&h->as, 1))
		return NA_NO_NAME;
	text = na_pseudonyms_replace(c->of->names, h->seen.names[seen].s);
	h->as.v[h->as.n++] = text ? na_strtab_add(&h->shown, text, strlen(text))
				  : NA_NO_NAME;
	free(text);
	return h->as.v[seen];
}

static void put_text(struct na_xs_cut *c, struct na_xf_bytes *to,
		     uint32_t field, struct na_text text)
{
	struct na_xs_hidden *h = &c->hidden;
	uint32_t at = na_strtab_add(&h->seen, text.s, text.n);

	at = at == NA_NO_NAME ? at : shown_as(c, at);
	if (at == NA_NO_NAME)
		to->failed = true;
	else
		na_xf_put_field(to, field, h->shown.names[at].s,
				h->shown.names[at].len);
}

static void put_packed_text(struct na_xs_cut *c, struct na_xf_bytes *to,
			    const struct na_cursor *body)
{
	struct na_xs_hidden *h = &c->hidden;
	size_t n = XS_INFLATED_MAX;

	if (!h->inflated)
		h->inflated = malloc(XS_INFLATED_MAX);
	if (!h->inflated)
		to->failed = true;
	else if (na_inflate_small(body->p, na_left(body), h->inflated, &n))
		put_text(c, to, 5, na_text_n(h->inflated, n));
}

/* ---- messages */

bool na_xs_cut_knows_stat(const struct na_xs_cut *c, struct na_cursor stat)
{
	uint32_t at = na_idmap_at(&c->plane->stat_of, na_xs_stat_id(stat));

	return at < c->plane->stats.n &&
	       c->plane->stats.v[at].slot != XS_N_SLOTS;
}

static void put_stat(struct na_xs_cut *c, struct na_xf_bytes *to,
		     uint32_t field, struct na_cursor stat)
{
	struct na_xf_bytes *in = &c->hidden.inner;
	const uint8_t *from = stat.p;
	struct na_field f;

	if (!na_xs_cut_knows_stat(c, stat))
		return;
	in->n = 0;
	for (; na_field_next(&stat, &f) == NA_NEXT_FIELD; from = stat.p) {
		if (f.tag == NA_TAG(5, NA_W_BYTES))
			put_text(c, in, 5, na_text_under(&f.body));
		else if (f.tag == NA_TAG(8, NA_W_BYTES))
			put_packed_text(c, in, &f.body);
		else if ((f.tag & 7) != NA_W_BYTES)
			na_xf_put(in, from, (size_t)(stat.p - from));
	}
	to->failed |= in->failed;
	na_xf_put_field(to, field, in->p, in->n);
}

/* Which fields of a message are texts (bits), which one is its stats. */
struct shape {
	uint32_t texts, stats;
};

static const struct shape shapes[] = {
	[XS_PART_EVENT] = {0, 4},
	[XS_PART_LINE] = {1 << 2 | 1 << 11, 0},
	[XS_PART_TYPE] = {1 << 2 | 1 << 4, 5},
	[XS_PART_STAT] = {1 << 2, 0},
	[XS_PART_PLANE] = {1 << 2, 6},
};

static void put_field(struct na_xs_cut *c, struct na_xf_bytes *to,
		      const struct shape *s, const struct na_field *f,
		      const uint8_t *from, size_t n)
{
	uint32_t number = f->tag >> 3;

	if ((f->tag & 7) != NA_W_BYTES)
		na_xf_put(to, from, n);
	else if (s->stats && number == s->stats)
		put_stat(c, to, number, f->body);
	else if (number < 32 && s->texts >> number & 1)
		put_text(c, to, number, na_text_under(&f->body));
}

static void put_message(struct na_xs_cut *c, struct na_xf_bytes *to,
			const struct shape *s, struct na_cursor body)
{
	const uint8_t *from = body.p;
	struct na_field f;

	for (; na_field_next(&body, &f) == NA_NEXT_FIELD; from = body.p)
		put_field(c, to, s, &f, from, (size_t)(body.p - from));
}

/* {1: key, 2: value} */
static void put_entry(struct na_xs_cut *c, struct na_xf_bytes *to,
		      const struct shape *s, struct na_cursor body)
{
	struct na_xf_bytes *value = &c->hidden.entry;
	const uint8_t *from = body.p;
	struct na_field f;

	for (; na_field_next(&body, &f) == NA_NEXT_FIELD; from = body.p) {
		if (f.tag == NA_TAG(1, NA_W_VARINT)) {
			na_xf_put(to, from, (size_t)(body.p - from));
		} else if (f.tag == NA_TAG(2, NA_W_BYTES)) {
			value->n = 0;
			put_message(c, value, s, f.body);
			to->failed |= value->failed;
			na_xf_put_field(to, 2, value->p, value->n);
		}
	}
}

static bool is_message(enum na_xs_part part)
{
	return part == XS_PART_EVENT || part == XS_PART_TYPE ||
	       part == XS_PART_STAT;
}

bool na_xs_cut_hide(struct na_xs_cut *c, enum na_xs_part part,
		    const struct na_field *f, const uint8_t *from, size_t n)
{
	struct na_xf_bytes whole = {.p = NULL}, *out = &c->hidden.out;
	const char *copy;

	out->n = 0;
	if (part == XS_PART_EVENT)
		put_message(c, out, &shapes[part], f->body);
	else if (is_message(part))
		put_entry(c, out, &shapes[part], f->body);
	else
		put_field(c, out, &shapes[part], f, from, n);
	if (is_message(part)) {
		na_xf_put_field(&whole, f->tag >> 3, out->p, out->n);
		out = &whole;
	}
	copy = c->hidden.out.failed || out->failed
		       ? NULL
		       : na_arena_strn(&c->made, (const char *)out->p, out->n);
	n = out->n;
	na_xf_bytes_fini(&whole);
	return copy && na_xs_cut_keep(c, (const uint8_t *)copy, n);
}

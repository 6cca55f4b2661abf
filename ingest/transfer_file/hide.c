#include "ingest/transfer_file/hide.h"

#include <stdlib.h>
#include <string.h>

#define END \
	{ \
		0, NULL \
	}

/* Header (netan.proto): sources. */
static const struct na_xf_texts source_label[] = {{2, NULL}, END};
const struct na_xf_texts na_xf_header_texts[] = {{5, source_label}, END};

/* Names: those of a block; addresses are hidden as such. */
const struct na_xf_texts na_xf_name_texts[] = {{1, NULL}, END};

/* Counts: unknown names, remarks. */
static const struct na_xf_texts unknown[] = {{1, NULL}, END};
static const struct na_xf_texts remark[] = {{2, NULL}, END};
const struct na_xf_texts na_xf_count_texts[] = {
	{3, unknown},
	{4, remark},
	END,
};

/* The end of a source: planes with their lines, what was said of it, names of
 * programs. */
static const struct na_xf_texts line[] = {{1, NULL}, END};
static const struct na_xf_texts plane[] = {{1, NULL}, {2, line}, END};
static const struct na_xf_texts program[] = {{1, NULL}, END};
const struct na_xf_texts na_xf_source_texts[] = {
	{1, plane},
	{3, NULL},
	{7, program},
	END,
};

/* A HloProto as na_hlo_slim() makes it: names of modules, computations and
 * instructions, and of attributes (a map) the values. */
static const struct na_xf_texts value[] = {{2, NULL}, END};
static const struct na_xf_texts attributes[] = {{1, value}, END};
static const struct na_xf_texts instruction[] = {
	{1, NULL},
	{68, attributes},
	END,
};
static const struct na_xf_texts computation[] = {
	{1, NULL},
	{2, instruction},
	END,
};
static const struct na_xf_texts module[] = {
	{1, NULL},
	{2, NULL},
	{3, computation},
	END,
};
const struct na_xf_texts na_xf_hlo_texts[] = {{1, module}, END};

void na_xf_hiding_fini(struct na_xf_hiding *h)
{
	na_strtab_fini(&h->seen);
	na_strtab_fini(&h->shown);
	na_vec_free(&h->as);
}

static uint32_t shown_as(struct na_xf_hiding *h, uint32_t seen)
{
	char *text;

	if (seen < h->as.n)
		return h->as.v[seen];
	/* Or one before it could not be had. */
	if (seen > h->as.n || !na_room(&h->as, 1))
		return NA_NO_NAME;
	text = na_pseudonyms_replace(h->names, h->seen.names[seen].s);
	h->as.v[h->as.n++] = text ? na_strtab_add(&h->shown, text, strlen(text))
				  : NA_NO_NAME;
	free(text);
	return h->as.v[seen];
}

static void put_text(struct na_xf_hiding *h, const struct na_field *f,
		     struct na_xf_bytes *out)
{
	uint32_t name = na_strtab_add(&h->seen, (const char *)f->body.p,
				      na_left(&f->body));

	name = name == NA_NO_NAME ? name : shown_as(h, name);
	if (name == NA_NO_NAME)
		out->failed = true;
	else
		na_xf_put_field(out, f->tag >> 3, h->shown.names[name].s,
				h->shown.names[name].len);
}

/* As deep as the tables. */
static void put_hidden(struct na_xf_hiding *h, const struct na_xf_texts *texts,
		       struct na_cursor c, struct na_xf_bytes *out)
{
	struct na_field f;

	for (const uint8_t *from = c.p; na_field_next(&c, &f) == NA_NEXT_FIELD;
	     from = c.p) {
		const struct na_xf_texts *t = texts;
		struct na_xf_bytes m = {.p = NULL};

		while (t->field && f.tag != NA_TAG(t->field, NA_W_BYTES))
			t++;
		if (!t->field) {
			na_xf_put(out, from, (size_t)(c.p - from));
		} else if (!t->in) {
			put_text(h, &f, out);
		} else {
			put_hidden(h, t->in, f.body, &m);
			na_xf_put_field(out, t->field, m.p, m.n);
			out->failed |= m.failed;
			na_xf_bytes_fini(&m);
		}
	}
}

void na_xf_hide(struct na_xf_hiding *h, const struct na_xf_texts *texts,
		struct na_xf_bytes *m)
{
	struct na_xf_bytes out = {.failed = m->failed};

	if (!h->names || !m->n)
		return;
	put_hidden(h, texts, na_cursor_of(m->p, m->n), &out);
	na_xf_bytes_fini(m);
	*m = out;
}

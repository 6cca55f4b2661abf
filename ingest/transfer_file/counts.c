/* What a part counts beside its records. */
#include <string.h>

#include "ingest/transfer_file/part.h"

static void put_classed(struct na_xfer_part *p, struct na_xf_bytes *to)
{
	for (uint32_t side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < NA_N_STYLES * NA_N_CLASSES; i++) {
			uint32_t style = i / NA_N_CLASSES;
			uint32_t klass = i % NA_N_CLASSES;
			struct na_xf_bytes m = {.p = NULL};

			if (!p->classed[side][style][klass])
				continue;
			na_xf_put_uint(&m, 1, side);
			na_xf_put_uint(&m, 2, style);
			na_xf_put_uint(&m, 3, klass);
			na_xf_put_uint(&m, 4, p->classed[side][style][klass]);
			na_xf_put_message(to, 1, &m);
		}
	}
}

void na_xf_put_counts(struct na_xfer_part *p, struct na_xf_bytes *to)
{
	put_classed(p, to);
	for (size_t i = 0; i < p->n_left_out; i++) {
		struct na_xf_bytes m = {.p = NULL};

		na_xf_put_uint(&m, 1, p->left_out[i].what);
		na_xf_put_uint(&m, 2, p->left_out[i].n);
		na_xf_put_uint(&m, 3, p->left_out[i].wants);
		na_xf_put_message(to, 2, &m);
	}
	for (size_t i = 0; i < p->n_unknown; i++) {
		const struct na_interned *s =
			&p->names.names[p->unknown[i].what];
		struct na_xf_bytes m = {.p = NULL};

		na_xf_put_field(&m, 1, s->s, s->len);
		na_xf_put_uint(&m, 2, p->unknown[i].n);
		na_xf_put_uint(&m, 3, p->unknown[i].wants);
		na_xf_put_message(to, 3, &m);
	}
	na_xf_put(to, p->remarks.p, p->remarks.n);
	to->failed |= p->remarks.failed;
	na_xf_bytes_fini(&p->remarks);
	memset(p->classed, 0, sizeof(p->classed));
	p->n_left_out = p->n_unknown = p->n_remarks = 0;
	p->counted = false;
}

void na_xf_put_class(void *ctx, enum na_side side, enum na_style style,
		     enum na_class klass, uint64_t n)
{
	struct na_xfer_part *p = ctx;

	p->classed[side][style][klass] += n;
	p->counted = true;
}

void na_xf_put_about(void *ctx, uint32_t wants)
{
	struct na_xfer_part *p = ctx;

	p->wants = wants;
}

/* So many more of these; false: the list is full. */
static bool count(struct na_xfer_part *p, struct na_xf_counted *list, size_t *n,
		  size_t room, const struct na_xf_counted *what)
{
	size_t i = 0;

	p->counted = true;
	while (i < *n &&
	       (list[i].what != what->what || list[i].wants != what->wants))
		i++;
	if (i == room)
		return false;
	if (i == *n)
		list[(*n)++] = (struct na_xf_counted){what->what, what->wants,
						      0};
	list[i].n += what->n;
	return true;
}

void na_xf_put_left_out(void *ctx, enum na_reason why, uint64_t n)
{
	struct na_xfer_part *p = ctx;
	const struct na_xf_counted what = {(uint32_t)why, p->wants, n};

	if (!count(p, p->left_out, &p->n_left_out, XF_MAX_LEFT_OUT, &what))
		p->left_out[XF_MAX_LEFT_OUT - 1].n += n;
}

void na_xf_put_unknown(void *ctx, const char *s, size_t n, uint64_t times)
{
	struct na_xfer_part *p = ctx;
	uint32_t name = p->n_unknown == XF_MAX_UNKNOWN
				? na_strtab_find(&p->names, s, n)
				: na_strtab_add(&p->names, s, n);
	const struct na_xf_counted what = {name, p->wants, times};

	if (name != NA_NO_NAME)
		count(p, p->unknown, &p->n_unknown, XF_MAX_UNKNOWN, &what);
}

void na_xf_put_remark(void *ctx, uint64_t at, const char *text)
{
	struct na_xfer_part *p = ctx;
	struct na_xf_bytes m = {.p = NULL};

	p->counted = true;
	na_xf_put_uint(&m, 1, at);
	if (p->n_remarks++ < XF_MAX_REMARKS)
		na_xf_put_text(&m, 2, text);
	na_xf_put_uint(&m, 3, p->wants);
	na_xf_put_message(&p->remarks, 4, &m);
}

#include "netan/result/result_impl.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/result/pack.h"

struct adopted {
	struct adopted *next;
	void *block;
};

const char *na_severity_name(enum na_severity severity)
{
	static const char *const names[] = {NULL, "info", "warning", "error"};

	return names[severity];
}

struct na_result *na_result_new(void)
{
	struct na_result *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->doc.kind = NA_V_OBJECT;
	r->side.kind = NA_V_OBJECT;
	r->about = (struct na_about){.left_out = -1, .filtered = -1};
	r->views_end = &r->views;
	r->notes_end = &r->notes;
	r->body = na_put_object(r, &r->doc, "result");
	return r;
}

void na_result_free(struct na_result *r)
{
	if (!r)
		return;
	for (struct adopted *a = r->adopted; a; a = a->next)
		free(a->block);
	for (struct na_pack *p = r->packs; p; p = p->next)
		na_pack_fini(p);
	na_strtab_fini(&r->names);
	na_arena_fini(&r->arena);
	free(r);
}

bool na_result_ok(const struct na_result *r)
{
	return r && !r->failed;
}

struct na_value *na_result_doc(struct na_result *r)
{
	return r ? &r->doc : NULL;
}

struct na_value *na_result_body(struct na_result *r)
{
	return r ? r->body : NULL;
}

struct na_value *na_result_side(struct na_result *r)
{
	return r ? &r->side : NULL;
}

const struct na_value *na_result_get_doc(const struct na_result *r)
{
	return r ? &r->doc : NULL;
}

const struct na_value *na_result_get_body(const struct na_result *r)
{
	return r ? r->body : NULL;
}

const struct na_value *na_result_get_side(const struct na_result *r)
{
	return r ? &r->side : NULL;
}

void *na_result_take(struct na_result *r, size_t size)
{
	void *p = na_arena_alloc(&r->arena, size);

	if (!p)
		r->failed = true;
	return p;
}

const char *na_result_copy(struct na_result *r, const char *s)
{
	const char *copy = na_arena_strn(&r->arena, s, strlen(s));

	if (!copy)
		r->failed = true;
	return copy;
}

const char *na_result_keep(struct na_result *r, struct na_str *s)
{
	const char *kept;

	na_str_addf(s, "%s", "");
	kept = r ? na_str_keep(s, &r->arena) : NULL;
	if (r && !kept)
		r->failed = true;
	free(s->s); /* where there is no result */
	return kept ? kept : "";
}

const char *na_result_copyv(struct na_result *r, struct na_arena *arena,
			    const char *fmt, va_list ap)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	text = n < 0 ? NULL : na_arena_alloc(arena, (size_t)n + 1);
	if (!text) {
		r->failed = true;
		return NULL;
	}
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	return text;
}

/* Where what is put into `in` goes. */
static struct na_arena *arena_of(struct na_result *r, const struct na_value *in)
{
	return in->in_row ? &r->open->row : &r->arena;
}

static void link_last(struct na_value *in, struct na_value *v)
{
	if (in->u.of.last)
		in->u.of.last->next = v;
	else
		in->u.of.first = v;
	in->u.of.last = v;
}

/* The envelope is filled after the body exists, and "result" stays last. */
static void link_before_body(struct na_result *r, struct na_value *v)
{
	struct na_value **at = &r->doc.u.of.first;

	while (*at != r->body)
		at = &(*at)->next;
	v->next = r->body;
	*at = v;
}

/* The rows of a list have the same names, which are kept once. */
static bool set_name(struct na_result *r, struct na_value *v, const char *name)
{
	uint32_t no = na_strtab_add(&r->names, name, strlen(name));

	if (no == NA_NO_NAME) {
		r->failed = true;
		return false;
	}
	v->name = r->names.names[no].s;
	v->name_no = na_name_no(no);
	return true;
}

/* A row of a packed list; what was open is complete. */
static struct na_value *open_row(struct na_result *r, struct na_value *in)
{
	struct na_pack *p = in->u.many.pack;

	assert(!p->nodes);
	if (r->open)
		na_pack_close(r->open);
	r->open = p;
	p->open = na_arena_alloc(&p->row, sizeof(*p->open));
	if (!p->open) {
		r->failed = true;
		return NULL;
	}
	p->open->kind = NA_V_OBJECT;
	p->open->in_row = true;
	in->n++;
	return p->open;
}

static struct na_value *append(struct na_result *r, struct na_value *in,
			       const char *name, enum na_value_kind kind)
{
	struct na_value *v;

	if (!r || !in)
		return NULL;
	assert(in->kind == NA_V_OBJECT ? name != NULL : in->kind == NA_V_LIST);
	assert(!in->packed || kind == NA_V_OBJECT);
	assert(!in->in_row || (r->open && r->open->open));
	if (in->packed)
		return open_row(r, in);
	v = na_arena_alloc(arena_of(r, in), sizeof(*v));
	if (!v) {
		r->failed = true;
		return NULL;
	}
	v->kind = kind;
	v->in_row = in->in_row;
	if (in->kind == NA_V_OBJECT && !set_name(r, v, name))
		return NULL;
	if (in == &r->doc && r->body)
		link_before_body(r, v);
	else
		link_last(in, v);
	in->n++;
	return v;
}

struct na_value *na_put_object(struct na_result *r, struct na_value *in,
			       const char *name)
{
	return append(r, in, name, NA_V_OBJECT);
}

struct na_value *na_put_list(struct na_result *r, struct na_value *in,
			     const char *name)
{
	return append(r, in, name, NA_V_LIST);
}

struct na_value *na_put_packed(struct na_result *r, struct na_value *in,
			       const char *name)
{
	struct na_value *v = append(r, in, name, NA_V_LIST);
	struct na_pack *p = v ? na_result_take(r, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	assert(!v->in_row);
	*p = (struct na_pack){.next = r->packs,
			      .arena = &r->arena,
			      .names = &r->names,
			      .failed = &r->failed};
	r->packs = p;
	v->packed = true;
	v->u.many.pack = p;
	return v;
}

void na_put_null(struct na_result *r, struct na_value *in, const char *name)
{
	append(r, in, name, NA_V_NULL);
}

void na_put_bool(struct na_result *r, struct na_value *in, const char *name,
		 bool v)
{
	struct na_value *node = append(r, in, name, NA_V_BOOL);

	if (node)
		node->u.flag = v;
}

void na_put_int(struct na_result *r, struct na_value *in, const char *name,
		int64_t v)
{
	struct na_value *node = append(r, in, name, NA_V_INT);

	if (node)
		node->u.i = v;
}

void na_put_count(struct na_result *r, struct na_value *in, const char *name,
		  uint64_t n)
{
	na_put_int(r, in, name, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

void na_put_id(struct na_result *r, struct na_value *in, const char *name,
	       uint64_t v)
{
	struct na_value *node = append(r, in, name, NA_V_ID);

	if (node)
		node->u.id = v;
}

void na_put_real(struct na_result *r, struct na_value *in, const char *name,
		 double v)
{
	struct na_value *node;

	node = append(r, in, name, isfinite(v) ? NA_V_REAL : NA_V_NULL);
	if (node && node->kind == NA_V_REAL)
		node->u.d = v;
}

static void put_owned(struct na_result *r, struct na_value *in,
		      const char *name, const char *owned)
{
	struct na_value *node;

	node = append(r, in, name, owned ? NA_V_TEXT : NA_V_NULL);
	if (node && owned)
		node->u.text = owned;
}

void na_put_text(struct na_result *r, struct na_value *in, const char *name,
		 const char *v)
{
	const char *copy;

	if (!r || !in)
		return;
	copy = v ? na_arena_strn(arena_of(r, in), v, strlen(v)) : NULL;
	r->failed |= v && !copy;
	put_owned(r, in, name, copy);
}

void na_put_textf(struct na_result *r, struct na_value *in, const char *name,
		  const char *fmt, ...)
{
	va_list ap;

	if (!r || !in)
		return;
	va_start(ap, fmt);
	put_owned(r, in, name, na_result_copyv(r, arena_of(r, in), fmt, ap));
	va_end(ap);
}

double *na_put_reals(struct na_result *r, struct na_value *in, const char *name,
		     size_t n)
{
	struct na_value *node;
	double *reals;

	if (!r || !in)
		return NULL;
	if (n > SIZE_MAX / sizeof(*reals)) {
		r->failed = true;
		return NULL;
	}
	reals = na_result_take(r, n * sizeof(*reals));
	node = reals ? append(r, in, name, NA_V_REALS) : NULL;
	if (!node)
		return NULL;
	node->u.reals = reals;
	node->n = n;
	return reals;
}

void na_put_rows(struct na_result *r, struct na_value *in, const char *name,
		 const char *const *fields, const int64_t *cells, size_t n)
{
	struct na_value *node = append(r, in, name, NA_V_ROWS);

	if (!node)
		return;
	node->u.rows.cells = cells;
	node->u.rows.fields = fields;
	node->n = n;
}

static void put_copy(struct na_result *r, struct na_value *in, const char *name,
		     const struct na_value *v)
{
	struct na_value *to;

	if (v->kind == NA_V_TEXT) {
		na_put_text(r, in, name, v->u.text);
		return;
	}
	to = append(r, in, name, v->kind);
	if (!to)
		return;
	if (!na_is_container(v)) {
		to->n = v->n;
		to->u = v->u;
		return;
	}
	na_for_each (m, v)
		put_copy(r, to, m->name, m);
}

void na_put_alias(struct na_result *r, struct na_value *in, const char *name,
		  const struct na_value *v)
{
	struct na_value *node;

	if (v && v->in_row) {
		put_copy(r, in, name, v);
		return;
	}
	node = v ? append(r, in, name, v->kind) : NULL;
	if (!node)
		return;
	assert(!node->in_row || !v->packed);
	node->n = v->n;
	node->packed = v->packed;
	node->u = v->u;
}

void na_put_more_rows(struct na_value *list, size_t more)
{
	if (list)
		list->n += more;
}

void na_result_adopt(struct na_result *r, void *block)
{
	struct adopted *a = r && block ? na_result_take(r, sizeof(*a)) : NULL;

	if (!a) {
		free(block);
		return;
	}
	*a = (struct adopted){r->adopted, block};
	r->adopted = a;
}

struct retext {
	struct na_result *r;
	char *(*to)(void *ctx, const char *member, const char *text);
	void *ctx;
};

static void retext(struct retext *x, const char *member, const char **text)
{
	char *made = *text ? x->to(x->ctx, member, *text) : NULL;

	if (!*text)
		return;
	if (!made) {
		x->r->failed = true;
	} else if (strcmp(made, *text) != 0) {
		const char *copy = na_result_copy(x->r, made);

		*text = copy ? copy : "";
	}
	free(made);
}

/* As deep as the tree of an analysis: a few levels. */
static void retext_value(struct retext *x, struct na_value *v)
{
	if (v->kind == NA_V_TEXT)
		retext(x, v->name, &v->u.text);
	if (v->kind != NA_V_OBJECT && v->kind != NA_V_LIST)
		return;
	for (v = v->packed ? na_unpacked(v) : v->u.of.first; v; v = v->next)
		retext_value(x, v);
}

void na_result_retext(struct na_result *r,
		      char *(*to)(void *ctx, const char *member,
				  const char *text),
		      void *ctx)
{
	struct retext x = {r, to, ctx};

	if (!r)
		return;
	retext_value(&x, &r->doc);
	retext_value(&x, &r->side);
	retext(&x, NULL, &r->headline);
	for (enum na_word w = 0; w < NA_N_WORDS; w++)
		retext(&x, NULL, &r->words[w]);
	for (struct na_view *v = r->views; v; v = v->next) {
		retext(&x, NULL, &v->title);
		retext(&x, NULL, &v->text);
		for (size_t k = 0; v->list && k < v->n_cols; k++)
			retext(&x, "", &v->cols[k].header);
	}
	for (struct na_text_line *l = r->notes; l; l = l->next)
		retext(&x, NULL, &l->text);
}

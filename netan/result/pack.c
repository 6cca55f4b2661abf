/*
 * A row is the number of its shape, or 0 and the shape itself where there are
 * too many, and then its values.  A shape has for each node, before what is
 * in it: its code, its name where it has one, and how many members follow.
 */
#include "netan/result/pack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MOST = 4096, CHUNK_FIRST = 4096, CHUNK_MOST = 64 << 10 };
/* Of a row's own numbers and texts: is the next one of them? */
enum { BACK = 16 };
/* A shorter text takes less than where it is, or than its number. */
enum { FAR_BYTES = 10, KNOWN_BYTES = 3 };
/* Texts with numbers, of which two bytes have room. */
enum { KNOWN_MOST = 1 << 14 };

enum code {
	C_NULL,
	C_FALSE,
	C_TRUE,
	C_INT,
	C_ID,
	C_REAL,
	C_REAL_BACK,
	C_TEXT,
	C_TEXT_BACK,
	C_TEXT_FAR,
	C_TEXT_KNOWN,
	C_OBJECT,
	C_LIST,
	C_REALS,
	C_ROWS
};

/* The latest numbers and texts of a row, in packing and in unpacking. */
struct back {
	double reals[BACK];
	const char *texts[BACK];
	size_t at[BACK]; /* of the texts, among the values; packing alone */
	unsigned n_reals, n_texts;
};

/* ---- packing */

static void put_real(struct na_pack *p, struct back *b, double x)
{
	for (unsigned k = 1; k <= BACK && k <= b->n_reals; k++) {
		if (memcmp(&b->reals[(b->n_reals - k) % BACK], &x, sizeof(x)) ==
		    0) {
			na_varint_put_number(&p->shape, C_REAL_BACK);
			na_varint_put_number(&p->shape, k);
			return;
		}
	}
	b->reals[b->n_reals++ % BACK] = x;
	na_varint_put_number(&p->shape, C_REAL);
	na_varint_put_real(&p->values, x);
}

static struct na_pack_text *lately(struct na_pack *p, const char *text)
{
	uint32_t hash = 0;

	for (; *text; text++)
		hash = hash * 31 + (unsigned char)*text;
	return &p->lately[(hash ^ hash >> 10) % NA_PACK_LATELY];
}

/* Of a text that came before: its number, or where it is. */
static bool put_known(struct na_pack *p, struct na_pack_text *text, size_t n)
{
	if (!text->known && n > KNOWN_BYTES && p->known.n < KNOWN_MOST &&
	    na_add(&p->known, text->is))
		text->known = p->known.n;
	if (text->known) {
		na_varint_put_number(&p->shape, C_TEXT_KNOWN);
		na_varint_put_number(&p->values, text->known - 1);
	} else if (n >= FAR_BYTES) {
		na_varint_put_number(&p->shape, C_TEXT_FAR);
		na_varint_put(&p->values, &text->is, sizeof(text->is));
	} else {
		return false;
	}
	return true;
}

static void put_text(struct na_pack *p, struct back *b, const char *text)
{
	size_t n = strlen(text) + 1;
	struct na_pack_text *before;

	for (unsigned k = 1; k <= BACK && k <= b->n_texts; k++) {
		if (strcmp(b->texts[(b->n_texts - k) % BACK], text) == 0) {
			na_varint_put_number(&p->shape, C_TEXT_BACK);
			na_varint_put_number(&p->shape, k);
			return;
		}
	}
	b->texts[b->n_texts % BACK] = text;
	b->at[b->n_texts++ % BACK] = p->values.is.n;
	before = lately(p, text);
	if (before->is && strcmp(before->is, text) == 0 &&
	    put_known(p, before, n)) {
		b->at[(b->n_texts - 1) % BACK] = SIZE_MAX;
		return;
	}
	na_varint_put_number(&p->shape, C_TEXT);
	na_varint_put(&p->values, text, n);
}

static void put_leaf(struct na_pack *p, struct back *b,
		     const struct na_value *v)
{
	int64_t i = v->u.i;

	if (v->kind == NA_V_BOOL) {
		na_varint_put_number(&p->shape, v->u.flag ? C_TRUE : C_FALSE);
	} else if (v->kind == NA_V_INT) {
		na_varint_put_number(&p->shape, C_INT);
		na_varint_put_number(&p->values, na_varint_folded(i));
	} else if (v->kind == NA_V_ID) {
		na_varint_put_number(&p->shape, C_ID);
		na_varint_put_number(&p->values, v->u.id);
	} else if (v->kind == NA_V_REAL) {
		put_real(p, b, v->u.d);
	} else if (v->kind == NA_V_TEXT) {
		put_text(p, b, v->u.text);
	} else if (v->kind == NA_V_REALS || v->kind == NA_V_ROWS) {
		na_varint_put_number(&p->shape,
				     v->kind == NA_V_ROWS ? C_ROWS : C_REALS);
		na_varint_put(&p->values, &v->u, sizeof(v->u));
		na_varint_put_number(&p->values, v->n);
	} else {
		na_varint_put_number(&p->shape, C_NULL);
	}
}

static uint32_t name_no(const struct na_pack *p, const struct na_value *v)
{
	return v->name_no != NA_NO_NAME_NO
		       ? v->name_no
		       : na_strtab_find(p->names, v->name, strlen(v->name));
}

/* Returns how many nodes. */
static size_t put_node(struct na_pack *p, struct back *b,
		       const struct na_value *v)
{
	size_t nodes = 1;

	if (v->name)
		na_varint_put_number(&p->shape, name_no(p, v));
	if (!na_is_container(v)) {
		put_leaf(p, b, v);
		return nodes;
	}
	assert(!v->packed);
	na_varint_put_number(&p->shape,
			     v->kind == NA_V_LIST ? C_LIST : C_OBJECT);
	na_varint_put_number(&p->shape, v->n);
	for (v = v->u.of.first; v; v = v->next)
		nodes += put_node(p, b, v);
	return nodes;
}

static uint8_t *room_for(struct na_pack *p, size_t n)
{
	struct na_pack_chunk *c = p->last;

	if (!c || c->size - c->used < n) {
		size_t size = c ? 2 * c->size : CHUNK_FIRST;

		size = size < CHUNK_MOST ? size : CHUNK_MOST;
		size = size > n ? size : n;
		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		*c = (struct na_pack_chunk){.size = size};
		*(p->last ? &p->last->next : &p->first) = c;
		p->last = c;
	}
	c->used += n;
	return c->p + c->used - n;
}

/* The number of a shape, from 1 on; 0: it stands in the row. */
static uint32_t number_of(struct na_pack *p)
{
	const char *s = (const char *)p->shape.is.v;
	size_t n = p->shape.is.n;
	uint32_t no = p->shapes.n < SHAPES_MOST
			      ? na_strtab_add(&p->shapes, s, n)
			      : na_strtab_find(&p->shapes, s, n);

	return no == NA_NO_NAME ? 0 : no + 1;
}

static bool keep(struct na_pack *p, const struct back *b)
{
	const struct na_varint_pack *v = &p->values;
	struct na_varint_pack head = {.failed = false};
	uint32_t no = number_of(p);
	uint8_t *to = NULL;

	na_varint_put_number(&head, no);
	if (!no) {
		na_varint_put_number(&head, p->shape.is.n);
		na_varint_put(&head, p->shape.is.v, p->shape.is.n);
	}
	if (!head.failed && !p->shape.failed && !v->failed)
		to = room_for(p, head.is.n + v->is.n);
	if (to) {
		memcpy(to, head.is.v, head.is.n);
		to += head.is.n;
		if (v->is.n)
			memcpy(to, v->is.v, v->is.n);
	}
	na_vec_free(&head.is);
	for (unsigned k = 0; to && k < b->n_texts && k < BACK; k++) {
		if (b->at[k] != SIZE_MAX)
			*lately(p, b->texts[k]) = (struct na_pack_text){
				.is = (const char *)to + b->at[k]};
	}
	return to;
}

void na_pack_close(struct na_pack *p)
{
	struct back b = {.n_reals = 0};
	size_t nodes;

	if (!p->open)
		return;
	p->shape.is.n = p->values.is.n = 0;
	nodes = put_node(p, &b, p->open);
	p->most_nodes = nodes > p->most_nodes ? nodes : p->most_nodes;
	if (keep(p, &b))
		p->n++;
	else
		*p->failed = true;
	p->open = NULL;
	na_arena_reset(&p->row);
}

/* ---- unpacking */

struct reading {
	const struct na_pack *p;
	bool in_row; /* as the nodes are marked */
	const uint8_t *shape, *values;
	struct na_value *node; /* the next one */
	struct back b;
};

static double real_of(struct reading *x, bool back)
{
	if (back)
		return x->b.reals[(x->b.n_reals - na_varint_number(&x->shape)) %
				  BACK];
	return x->b.reals[x->b.n_reals++ % BACK] = na_varint_real(&x->values);
}

static const char *text_of(struct reading *x, enum code code)
{
	const char *s = (const char *)x->values;

	if (code == C_TEXT_BACK)
		return x->b.texts[(x->b.n_texts - na_varint_number(&x->shape)) %
				  BACK];
	if (code == C_TEXT_KNOWN)
		s = x->p->known.v[na_varint_number(&x->values)];
	else if (code == C_TEXT_FAR)
		na_varint_take(&x->values, &s, sizeof(s));
	else
		x->values += strlen(s) + 1;
	return x->b.texts[x->b.n_texts++ % BACK] = s;
}

static void read_leaf(struct reading *x, enum code code, struct na_value *v)
{
	switch (code) {
	case C_FALSE:
	case C_TRUE:
		v->kind = NA_V_BOOL;
		v->u.flag = code == C_TRUE;
		break;
	case C_INT:
		v->kind = NA_V_INT;
		v->u.i = na_varint_unfolded(na_varint_number(&x->values));
		break;
	case C_ID:
		v->kind = NA_V_ID;
		v->u.id = na_varint_number(&x->values);
		break;
	case C_REAL:
	case C_REAL_BACK:
		v->kind = NA_V_REAL;
		v->u.d = real_of(x, code == C_REAL_BACK);
		break;
	case C_TEXT:
	case C_TEXT_BACK:
	case C_TEXT_FAR:
	case C_TEXT_KNOWN:
		v->kind = NA_V_TEXT;
		v->u.text = text_of(x, code);
		break;
	case C_REALS:
	case C_ROWS:
		v->kind = code == C_REALS ? NA_V_REALS : NA_V_ROWS;
		na_varint_take(&x->values, &v->u, sizeof(v->u));
		v->n = na_varint_number(&x->values);
		break;
	default:
		break;
	}
}

static struct na_value *read_node(struct reading *x, bool named)
{
	struct na_value *v = x->node++;
	enum code code;

	*v = (struct na_value){.kind = NA_V_NULL, .in_row = x->in_row};
	if (named) {
		uint64_t no = na_varint_number(&x->shape);

		v->name = x->p->names->names[no].s;
		v->name_no = na_name_no((size_t)no);
	}
	code = (enum code)na_varint_number(&x->shape);
	if (code != C_OBJECT && code != C_LIST) {
		read_leaf(x, code, v);
		return v;
	}
	v->kind = code == C_LIST ? NA_V_LIST : NA_V_OBJECT;
	v->n = na_varint_number(&x->shape);
	v->u.of.first = v->u.of.last = NULL;
	for (size_t i = 0; i < v->n; i++) {
		struct na_value *m = read_node(x, code == C_OBJECT);

		*(i ? &v->u.of.last->next : &v->u.of.first) = m;
		v->u.of.last = m;
	}
	return v;
}

/* The row at *at becomes nodes, of which there are enough; how many. */
static size_t read_row(const struct na_pack *p, const uint8_t **at,
		       struct na_value *nodes, bool in_row)
{
	struct reading x = {.p = p, .node = nodes, .in_row = in_row};
	uint64_t no = na_varint_number(at), n;

	if (no) {
		x.shape = (const uint8_t *)p->shapes.names[no - 1].s;
	} else {
		n = na_varint_number(at);
		x.shape = *at;
		*at += n;
	}
	x.values = *at;
	read_node(&x, false);
	*at = x.values;
	return (size_t)(x.node - nodes);
}

static struct na_pack_room *room_of(struct na_pack *p)
{
	struct na_pack_room *room = p->spare;

	if (room && room->n >= p->most_nodes) {
		p->spare = room->next;
		return room;
	}
	room = na_arena_alloc(p->arena,
			      sizeof(*room) +
				      p->most_nodes * sizeof(*room->nodes));
	if (room)
		room->n = p->most_nodes;
	*p->failed |= !room;
	return room;
}

struct na_row_walk na_row_walk(const struct na_value *in)
{
	struct na_row_walk w = {.going = true};

	if (!in || !in->packed || in->u.many.pack->nodes) {
		w.at = na_items(in);
		return w;
	}
	w.pack = in->u.many.pack;
	na_pack_close(w.pack);
	w.chunk = w.pack->first;
	w.room = w.chunk ? room_of(w.pack) : NULL;
	return w;
}

const struct na_value *na_row_next(struct na_row_walk *w)
{
	const struct na_value *v = w->at;
	const uint8_t *at;

	if (!w->pack) {
		w->at = v ? v->next : NULL;
		return v;
	}
	if (w->chunk && w->used == w->chunk->used) {
		w->chunk = w->chunk->next;
		w->used = 0;
	}
	if (!w->chunk || !w->room) {
		na_row_end(w);
		return NULL;
	}
	at = w->chunk->p + w->used;
	read_row(w->pack, &at, w->room->nodes, true);
	w->used = (size_t)(at - w->chunk->p);
	w->n++;
	return w->room->nodes;
}

bool na_row_more(const struct na_row_walk *w)
{
	return w->pack ? w->n < w->pack->n : w->at != NULL;
}

void na_row_end(struct na_row_walk *w)
{
	if (w->room) {
		w->room->next = w->pack->spare;
		w->pack->spare = w->room;
	}
	w->room = NULL;
	w->chunk = NULL;
}

/* The row at *at as nodes that stay. */
static struct na_value *stay(struct na_pack *p, struct na_pack_room *room,
			     const uint8_t **at)
{
	const uint8_t *from = *at;
	size_t n = read_row(p, at, room->nodes, true);
	struct na_value *v = na_arena_alloc(p->arena, n * sizeof(*v));

	if (!v) {
		*p->failed = true;
		return NULL;
	}
	read_row(p, &from, v, false);
	if (p->last_node)
		p->last_node->next = v;
	else
		p->nodes = v;
	return p->last_node = v;
}

struct na_value *na_unpacked(const struct na_value *list)
{
	struct na_pack *p = list->u.many.pack;
	struct na_pack_room *room = NULL;
	bool ok;

	na_pack_close(p);
	if (p->nodes || !p->first)
		return p->nodes;
	room = room_of(p);
	ok = room;
	for (struct na_pack_chunk *c = p->first; ok && c; c = c->next) {
		const uint8_t *at = c->p;

		while (ok && at < c->p + c->used)
			ok = stay(p, room, &at);
	}
	return p->nodes;
}

void na_pack_fini(struct na_pack *p)
{
	while (p->first) {
		struct na_pack_chunk *c = p->first;

		p->first = c->next;
		free(c);
	}
	na_arena_fini(&p->row);
	na_strtab_fini(&p->shapes);
	na_vec_free(&p->shape.is);
	na_vec_free(&p->values.is);
	na_vec_free(&p->known);
}

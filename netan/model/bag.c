#include "netan/model/bag.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Small chunks: the last one of each block of work stays part empty. */
enum { CHUNK_BYTES = 16 << 10, SLAB_BYTES = 8 << 20, HUGE_BYTES = 2 << 20 };

struct na_slab {
	struct na_slab *next;
	void *memory;
};

void na_pool_init(struct na_pool *p)
{
	pthread_mutex_init(&p->lock, NULL);
	p->slabs = NULL;
	p->used = SLAB_BYTES;
}

void na_pool_fini(struct na_pool *p)
{
	while (p->slabs) {
		struct na_slab *s = p->slabs;

		p->slabs = s->next;
		free(s->memory);
		free(s);
	}
	pthread_mutex_destroy(&p->lock);
}

static void new_slab(struct na_pool *p)
{
	struct na_slab *s = malloc(sizeof(*s));

	if (!s)
		return;
	s->memory = aligned_alloc(HUGE_BYTES, SLAB_BYTES);
	if (!s->memory) {
		free(s);
		return;
	}
	/* A wish; without it everything works as well. */
	madvise(s->memory, SLAB_BYTES, MADV_HUGEPAGE);
	s->next = p->slabs;
	p->slabs = s;
	p->used = 0;
}

static struct na_chunk *new_chunk(struct na_pool *p)
{
	struct na_chunk *c = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->used == SLAB_BYTES)
		new_slab(p);
	if (p->used < SLAB_BYTES) {
		c = (void *)((char *)p->slabs->memory + p->used);
		p->used += CHUNK_BYTES;
	}
	pthread_mutex_unlock(&p->lock);
	return c;
}

void na_bag_init(struct na_bag *b, struct na_pool *pool, size_t size)
{
	*b = (struct na_bag){.pool = pool, .size = size};
}

void *na_bag_push(struct na_bag *b)
{
	struct na_chunk *c = b->last;

	if (!b->room) {
		c = new_chunk(b->pool);
		if (!c)
			return NULL;
		c->next = NULL;
		c->n = 0;
		if (b->last)
			b->last->next = c;
		else
			b->first = c;
		b->last = c;
		b->room = (CHUNK_BYTES - sizeof(*c)) / b->size;
	}
	b->room--;
	b->n++;
	return c->data + c->n++ * b->size;
}

void na_bag_splice(struct na_bag *into, struct na_bag *from)
{
	if (!from->first)
		return;
	if (into->last)
		into->last->next = from->first;
	else
		into->first = from->first;
	into->last = from->last;
	into->n += from->n;
	into->room = 0;
	na_bag_init(from, from->pool, from->size);
}

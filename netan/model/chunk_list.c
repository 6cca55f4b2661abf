#include "netan/model/chunk_list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "netan/base/memory/spill.h"

/* Small chunks: the last one of each block of work stays part empty. */
enum {
	CHUNK_BYTES = 16 << 10,
	FIRST_BYTES = 512 << 10, /* enough for a small input */
	SLAB_BYTES = 8 << 20,
	HUGE_BYTES = 2 << 20
};

struct na_slab {
	struct na_slab *next;
	void *memory;
	size_t size;
};

void na_pool_init(struct na_pool *p)
{
	pthread_mutex_init(&p->lock, NULL);
	p->slabs = NULL;
	p->spare = NULL;
	p->size = p->used = 0;
}

void na_pool_fini(struct na_pool *p)
{
	while (p->slabs) {
		struct na_slab *s = p->slabs;

		p->slabs = s->next;
		if (na_spill_size(s->memory))
			na_spill_free(s->memory);
		else
			munmap(s->memory, s->size);
		free(s);
	}
	pthread_mutex_destroy(&p->lock);
}

static char *map(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Aligned to huge pages: what stands out at both ends is given back. */
static void *map_huge(void)
{
	char *p = map(SLAB_BYTES + HUGE_BYTES);
	size_t head;

	if (!p)
		return NULL;
	head = (HUGE_BYTES - (uintptr_t)p % HUGE_BYTES) % HUGE_BYTES;
	if (head)
		munmap(p, head);
	if (head < HUGE_BYTES)
		munmap(p + head + SLAB_BYTES, HUGE_BYTES - head);
	/* A wish; without it everything works as well. */
	madvise(p + head, SLAB_BYTES, MADV_HUGEPAGE);
	return p + head;
}

static void new_slab(struct na_pool *p)
{
	size_t size = p->slabs ? SLAB_BYTES : FIRST_BYTES;
	struct na_slab *s = malloc(sizeof(*s));

	if (!s)
		return;
	s->size = size;
	s->memory = na_memory_short(size) ? na_spill(size) : NULL;
	if (!s->memory)
		s->memory = p->slabs ? map_huge() : map(size);
	if (!s->memory)
		s->memory = na_spill(size);
	if (!s->memory) {
		free(s);
		return;
	}
	s->next = p->slabs;
	p->slabs = s;
	p->size = size;
	p->used = 0;
}

static struct na_chunk *new_chunk(struct na_pool *p)
{
	struct na_chunk *c = NULL;

	pthread_mutex_lock(&p->lock);
	if (!p->spare && p->used == p->size)
		new_slab(p);
	if (p->spare) {
		c = p->spare;
		p->spare = c->next;
	} else if (p->used < p->size) {
		c = (void *)((char *)p->slabs->memory + p->used);
		p->used += CHUNK_BYTES;
	}
	pthread_mutex_unlock(&p->lock);
	return c;
}

void na_chunks_init(struct na_chunk_list *b, struct na_pool *pool, size_t size)
{
	*b = (struct na_chunk_list){.pool = pool, .size = size};
}

bool na_chunks_extend(struct na_chunk_list *b)
{
	struct na_chunk *c = new_chunk(b->pool);

	if (!c)
		return false;
	c->next = NULL;
	c->n = 0;
	if (b->last)
		b->last->next = c;
	else
		b->first = c;
	b->last = c;
	b->room = (CHUNK_BYTES - sizeof(*c)) / b->size;
	return true;
}

static void give_back(struct na_pool *p, struct na_chunk *c)
{
	pthread_mutex_lock(&p->lock);
	c->next = p->spare;
	p->spare = c;
	pthread_mutex_unlock(&p->lock);
}

void na_chunks_splice(struct na_chunk_list *into, struct na_chunk_list *from)
{
	if (!from->first)
		return;
	if (from->n <= into->room) {
		memcpy(into->last->data + into->last->n * into->size,
		       from->first->data, from->n * from->size);
		into->last->n += from->n;
		into->room -= from->n;
		into->n += from->n;
		give_back(from->pool, from->first);
		na_chunks_init(from, from->pool, from->size);
		return;
	}
	if (into->last)
		into->last->next = from->first;
	else
		into->first = from->first;
	into->last = from->last;
	into->room = from->room;
	into->n += from->n;
	na_chunks_init(from, from->pool, from->size);
}

/* Where the slab of a chunk ends; NULL: what lies in the file of spill.h stays
 * there until the end. */
static const char *mapped_until(const struct na_pool *p,
				const struct na_chunk *c)
{
	for (const struct na_slab *s = p->slabs; s; s = s->next) {
		const char *from = s->memory;

		if ((const char *)c >= from && (const char *)c < from + s->size)
			return na_spill_size(s->memory) ? NULL : from + s->size;
	}
	return NULL;
}

/* A process has so many maps, and each cut makes two more. */
enum { CUTS_MOST = 4096 };

/* The place stays the slab's, which goes as a whole. */
static void give_up(char *from, size_t size, size_t cuts)
{
	madvise(from, size, MADV_DONTNEED);
	if (cuts < CUTS_MOST)
		mprotect(from, size, PROT_NONE);
}

static void give_chunks_up(const struct na_pool *p, struct na_chunk *c)
{
	size_t cuts = 0;

	while (c) {
		const char *until = mapped_until(p, c);
		char *from = (char *)c, *to = from;

		/* Chunks side by side go at once. */
		do {
			c = c->next;
			to += CHUNK_BYTES;
		} while ((char *)c == to && to != until);
		if (until)
			give_up(from, (size_t)(to - from), cuts++);
	}
}

void na_chunks_forget(struct na_chunk_list *b)
{
	struct na_pool *p = b->pool;

	pthread_mutex_lock(&p->lock);
	give_chunks_up(p, b->first);
	give_chunks_up(p, p->spare);
	p->spare = NULL;
	pthread_mutex_unlock(&p->lock);
	b->first = b->last = NULL;
	b->room = 0;
}

void na_chunks_drop_first(struct na_chunk_list *b)
{
	struct na_chunk *c = b->first;

	if (!c)
		return;
	b->first = c->next;
	b->n -= c->n;
	if (!b->first)
		na_chunks_init(b, b->pool, b->size);
	give_back(b->pool, c);
}

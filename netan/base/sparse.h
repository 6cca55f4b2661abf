/*
 * An array of which few elements may ever be touched: pages of it come to be
 * with their first one.  For what a block of records counts by host or device,
 * where there may be a million of these.
 */
#ifndef NETAN_BASE_SPARSE_H
#define NETAN_BASE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

enum { NA_SPARSE_PAGE = 64 }; /* elements */

struct na_sparse {
	unsigned char **pages; /* NULL: all of it is zero */
	size_t n_pages, size;  /* size: bytes of an element */
};

/* n elements, all zero.  False when memory is short. */
bool na_sparse_init(struct na_sparse *x, size_t n, size_t size);
void na_sparse_fini(struct na_sparse *x); /* all zero is none */

/* A page that is not there yet; NULL when memory is short. */
unsigned char *na_sparse_page(struct na_sparse *x, size_t page);

/* Element i, below n, for writing; NULL when memory is short. */
static inline void *na_sparse_at(struct na_sparse *x, size_t i)
{
	unsigned char *page = x->pages[i / NA_SPARSE_PAGE];

	if (!page)
		page = na_sparse_page(x, i / NA_SPARSE_PAGE);
	return page ? page + i % NA_SPARSE_PAGE * x->size : NULL;
}

/* The same for reading; NULL: it is zero. */
static inline const void *na_sparse_get(const struct na_sparse *x, size_t i)
{
	const unsigned char *page = x->pages[i / NA_SPARSE_PAGE];

	return page ? page + i % NA_SPARSE_PAGE * x->size : NULL;
}

/* The first element from i on that may not be zero; n: none is. */
static inline size_t na_sparse_next(const struct na_sparse *x, size_t i,
				    size_t n)
{
	while (i < n && !x->pages[i / NA_SPARSE_PAGE])
		i = (i / NA_SPARSE_PAGE + 1) * NA_SPARSE_PAGE;
	return i < n ? i : n;
}

/* na_each_sparse (i, x, n) use(na_sparse_get(x, i)); */
#define na_each_sparse(i, x, n) \
	for (size_t i = na_sparse_next(x, 0, n); i < (n); \
	     i = na_sparse_next(x, i + 1, n))

#endif

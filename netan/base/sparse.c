#include "netan/base/sparse.h"

#include <stdlib.h>

#include "netan/base/vec.h"

bool na_sparse_init(struct na_sparse *x, size_t n, size_t size)
{
	size_t pages = n / NA_SPARSE_PAGE + 1;

	*x = (struct na_sparse){.size = size};
	x->pages = na_calloc(pages, sizeof(*x->pages));
	x->n_pages = x->pages ? pages : 0;
	return x->pages;
}

unsigned char *na_sparse_page(struct na_sparse *x, size_t page)
{
	return x->pages[page] = na_calloc(NA_SPARSE_PAGE, x->size);
}

void na_sparse_fini(struct na_sparse *x)
{
	for (size_t i = 0; i < x->n_pages; i++)
		free(x->pages[i]);
	free(x->pages);
	*x = (struct na_sparse){.pages = NULL};
}

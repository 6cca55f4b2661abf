#include "netan/base/order.h"

#include <string.h>

#define PLAIN(name, type) \
	int name(const void *first, const void *second) \
	{ \
		const type *x = first, *y = second; \
\
		return NA_CMP(*x, *y); \
	}

PLAIN(na_order_i32, int32_t)
PLAIN(na_order_u32, uint32_t)
PLAIN(na_order_i64, int64_t)
PLAIN(na_order_f64, double)

int na_order_text(const void *first, const void *second)
{
	const char *const *x = first, *const *y = second;

	return strcmp(*x, *y);
}

#include "netan/localise/localise_impl.h"
enum na_status lz_window(struct lz *z, const struct lz_explain *all,
			 const struct lz_explain *large, struct na_err *err)
{
	(void)z;
	(void)all;
	(void)large;
	(void)err;
	return NA_OK;
}

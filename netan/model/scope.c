#include "netan/model/scope.h"

bool na_side_by_side(const struct na_scope *scope, size_t n,
		     void (*job)(void *arg, size_t i), void *arg)
{
	if (scope->parallel)
		return scope->parallel(scope->parallel_ctx, n, job, arg);
	for (size_t i = 0; i < n; i++)
		job(arg, i);
	return true;
}

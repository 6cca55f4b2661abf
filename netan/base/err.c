#include "netan/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum na_status na_fail(struct na_err *err, enum na_status status,
		       const char *fmt, ...)
{
	if (err && err->status == NA_OK) {
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
		err->status = status;
	}
	return status;
}

enum na_status na_fail_nomem(struct na_err *err)
{
	return na_fail(err, NA_ENOMEM, "out of memory");
}

enum na_status na_fail_errno(struct na_err *err, const char *what)
{
	int e = errno;

	return na_fail(err, e == ENOMEM ? NA_ENOMEM : NA_EIO, "%s: %s", what,
		       strerror(e));
}

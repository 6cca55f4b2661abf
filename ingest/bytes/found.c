#include "ingest/bytes/found.h"

#include <sys/stat.h>

#define PASSED_OVER ", passed over in a directory; name it to read it"

const char *na_found_odd(const char *path)
{
	struct stat sb;

	if (stat(path, &sb) != 0 || S_ISREG(sb.st_mode) || S_ISDIR(sb.st_mode))
		return NULL;
	return S_ISFIFO(sb.st_mode)   ? "a pipe" PASSED_OVER
	       : S_ISSOCK(sb.st_mode) ? "a socket" PASSED_OVER
				      : "a device" PASSED_OVER;
}

enum na_status na_found_file(const char *path, struct na_err *err)
{
	const char *odd = na_found_odd(path);

	return odd ? na_fail(err, NA_EIO, "%s: %s", path, odd) : NA_OK;
}

#include "netan/base/beside.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *na_beside(const char *path, const char *fmt, ...)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t folder = (size_t)(name - path), n = strlen(name), rest;
	char suffix[64], *beside = NULL;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(suffix, sizeof(suffix), fmt, ap);
	va_end(ap);
	rest = NAME_MAX - strlen(suffix);
	if (n > rest)
		n = rest;
	return asprintf(&beside, "%.*s%s", (int)(folder + n), path, suffix) < 0
		       ? NULL
		       : beside;
}

char *na_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

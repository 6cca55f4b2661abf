#include "netan/base/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DAY_S = 24 * 60 * 60 };

char *na_path_with_suffix(const char *path, const char *fmt, ...)
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

char *na_atomic_temp(const char *path, int k)
{
	return na_path_with_suffix(path, ".%ld-%d.tmp", (long)getpid(), k);
}

/* Of NAME.PID-K.tmp; cuts the name behind its ending.  0: it is none. */
static pid_t writer_of(char *name, const char *ending)
{
	char *p = NULL;
	long pid;
	int k, end = 0;

	/* The last one: names of hosts may hold it, too. */
	for (char *q = name; (q = strstr(q, ending)); q = p)
		p = q + strlen(ending);
	if (!p || sscanf(p, ".%ld-%d.tmp%n", &pid, &k, &end) != 2 || !end ||
	    p[end] || pid <= 0)
		return 0;
	*p = 0;
	return (pid_t)pid;
}

static bool is_old(const char *path)
{
	struct stat is;

	return lstat(path, &is) == 0 && S_ISREG(is.st_mode) &&
	       time(NULL) - is.st_mtime > DAY_S;
}

void na_atomic_sweep(const char *dir, const char *ending,
		     bool (*ours)(const void *ctx, const char *name),
		     const void *ctx)
{
	DIR *d = opendir(dir);

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		char *of = strdup(e->d_name), *path = NULL;
		pid_t pid = of ? writer_of(of, ending) : 0;
		bool dead = pid && kill(pid, 0) != 0 && errno == ESRCH;

		if (!(dead || (pid && pid == getpid())) ||
		    asprintf(&path, "%s/%s", dir, e->d_name) < 0)
			path = NULL;
		if (path && ((dead && ours && ours(ctx, of)) || is_old(path)))
			(void)!unlink(path);
		free(path);
		free(of);
	}
	if (d)
		closedir(d);
}

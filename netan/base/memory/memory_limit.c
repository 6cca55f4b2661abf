#include "netan/base/memory/memory_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of a group; several stand on the stack. */
enum { PATH_BYTES = 2048 };

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* "max", and what cannot be read, is no limit. */
static uint64_t number_in(const char *dir, const char *name)
{
	char path[PATH_BYTES + 64];
	uint64_t n = UINT64_MAX;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return UINT64_MAX;
	if (fscanf(f, "%" SCNu64, &n) != 1)
		n = UINT64_MAX;
	fclose(f);
	return n;
}

static uint64_t limit_of(const char *dir)
{
	uint64_t n = least(number_in(dir, "memory.max"),
			   number_in(dir, "memory.high"));

	return least(n, number_in(dir, "memory.limit_in_bytes"));
}

/* Of `group` (/a/b) and all above it; in a container what it is called may
 * not be there, but the top is its own. */
static uint64_t limit_up_from(const char *top, const char *group)
{
	uint64_t n = UINT64_MAX;
	char dir[PATH_BYTES];
	size_t keep = strlen(top);
	char *slash;

	snprintf(dir, sizeof(dir), "%s%s", top, group);
	for (;;) {
		n = least(n, limit_of(dir));
		slash = strrchr(dir, '/');
		if (!slash || slash < dir + keep)
			return n;
		*slash = '\0';
	}
}

/* A line of /proc/self/cgroup: NUMBER:CONTROLLERS:GROUP. */
static uint64_t limit_by(const char *root, char *line)
{
	char *of = strchr(line, ':'), *group = of ? strchr(of + 1, ':') : NULL;
	static const char *const tops[] = {"", "/unified", "/memory"};
	uint64_t n = UINT64_MAX;
	char top[PATH_BYTES];

	if (!group)
		return n;
	line[strcspn(line, "\n")] = '\0';
	*group++ = '\0';
	if (of[1] && !strstr(of + 1, "memory"))
		return n;
	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
		snprintf(top, sizeof(top), "%s/sys/fs/cgroup%s", root, tops[i]);
		n = least(n, limit_up_from(top, group));
	}
	return n;
}

static uint64_t limit_of_groups(const char *root)
{
	char text[PATH_BYTES];
	uint64_t n = UINT64_MAX;
	FILE *f;

	snprintf(text, sizeof(text), "%s/proc/self/cgroup", root);
	f = fopen(text, "re");
	if (!f)
		return n;
	while (fgets(text, sizeof(text), f))
		n = least(n, limit_by(root, text));
	fclose(f);
	return n;
}

uint64_t na_memory_limit(const char *root)
{
	long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
	uint64_t n = limit_of_groups(root);
	struct rlimit limit;

	if (pages > 0 && bytes > 0)
		n = least(n, (uint64_t)pages * (uint64_t)bytes);
	if (getrlimit(RLIMIT_DATA, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		n = least(n, limit.rlim_cur);
	return n;
}

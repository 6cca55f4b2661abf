#include "netan/cli/commands/inputs_own.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char na_inputs_own_said[] =
	"is where inputs are: give a directory of its own";

struct place {
	struct stat dir, above;
	bool there, has_above;
};

static bool is_file(const char *path, const struct stat *of)
{
	struct stat sb;

	return stat(path, &sb) == 0 && sb.st_dev == of->st_dev &&
	       sb.st_ino == of->st_ino;
}

/* What a path lies in, without slashes at its end; NULL: no memory. */
static char *folder_of(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n ? strndup(path, n) : strdup(".");
}

static bool find(struct place *p, const char *dir)
{
	char *above = folder_of(dir);

	p->there = stat(dir, &p->dir) == 0;
	p->has_above = above && stat(above, &p->above) == 0;
	free(above);
	return above;
}

static bool is_named(const struct na_request *q, const char *folder)
{
	struct stat sb;
	bool is = stat(folder, &sb) != 0;

	for (size_t i = 0; !is && i < q->n_inputs; i++)
		is = is_file(q->inputs[i].path, &sb);
	return is;
}

/* Of a folder with files that were found below a directory. */
static bool is_beside(const struct place *p, const struct na_request *q,
		      const char *folder)
{
	char *above;
	bool is;

	if (!p->has_above || is_named(q, folder))
		return false;
	above = folder_of(folder);
	is = !above || is_file(above, &p->above);
	free(above);
	return is;
}

bool na_is_inputs_own(const struct na_request *q, const struct na_listing *list,
		      const char *dir)
{
	const char *last = "";
	struct place p;
	bool own = !find(&p, dir);

	for (size_t i = 0; !own && p.there && i < q->n_inputs; i++)
		own = is_file(q->inputs[i].path, &p.dir);
	for (size_t i = 0; !own && i < list->n; i++) {
		const char *path = list->files[i].path;
		const char *slash = strrchr(path, '/');
		size_t n = slash ? (size_t)(slash - path) + 1 : 0;
		char *folder;

		if (i && strncmp(path, last, n) == 0 && !strchr(last + n, '/'))
			continue;
		folder = folder_of(path);
		own = !folder || (p.there && is_file(folder, &p.dir)) ||
		      (!na_request_names(q, path) && is_beside(&p, q, folder));
		free(folder);
		last = path;
	}
	return own;
}

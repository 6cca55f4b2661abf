/* Where the symbolic links of a directory lead. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/base/sandbox/sandbox.h"
#include "netan/base/vec.h"

struct place {
	dev_t device;
	ino_t inode;
};

struct looking {
	struct na_sandbox *s;
	NA_VEC(char *) dirs;         /* to look into, in this order */
	NA_VEC(struct place) led_to; /* and the first one */
	size_t left;                 /* entries further down */
};

static bool add_dir(struct looking *l, const char *path)
{
	char *copy = strdup(path);

	if (copy && na_add(&l->dirs, copy))
		return true;
	free(copy);
	return false;
}

static bool known(const struct looking *l, const struct stat *sb)
{
	for (size_t i = 0; i < l->led_to.n; i++) {
		if (l->led_to.v[i].device == sb->st_dev &&
		    l->led_to.v[i].inode == sb->st_ino)
			return true;
	}
	return false;
}

/* Does the link in `dir` lead to it or above it? */
static bool leads_up(const char *dir, const char *link)
{
	char *from = realpath(dir, NULL), *to = realpath(link, NULL);
	size_t n = to ? strlen(to) : 0;
	bool up = !from || !to ||
		  (strncmp(from, to, n) == 0 &&
		   (n == 1 || from[n] == '/' || from[n] == '\0'));

	free(from);
	free(to);
	return up;
}

static void follow(struct looking *l, const char *dir, const char *path)
{
	struct stat sb;

	if (stat(path, &sb) != 0)
		return;
	if (!S_ISDIR(sb.st_mode)) {
		na_sandbox_grant(l->s, path, NA_REACH_READ);
		return;
	}
	if (known(l, &sb) || leads_up(dir, path) ||
	    !na_add(&l->led_to, ((struct place){sb.st_dev, sb.st_ino})))
		return;
	na_sandbox_grant(l->s, path, NA_REACH_READ);
	add_dir(l, path);
}

static unsigned char kind_of(const struct dirent *e, const char *path)
{
	struct stat sb;

	if (e->d_type != DT_UNKNOWN || lstat(path, &sb) != 0)
		return e->d_type;
	return S_ISLNK(sb.st_mode)   ? DT_LNK
	       : S_ISDIR(sb.st_mode) ? DT_DIR
				     : DT_REG;
}

static void look_into(struct looking *l, const char *dir, bool top)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *path;

	while (d && (top || l->left) && (e = readdir(d))) {
		l->left -= !top;
		if (e->d_name[0] == '.' || e->d_type == DT_REG ||
		    asprintf(&path, "%s/%s", dir, e->d_name) < 0)
			continue;
		switch (kind_of(e, path)) {
		case DT_LNK:
			follow(l, dir, path);
			break;
		case DT_DIR:
			add_dir(l, path);
			break;
		}
		free(path);
	}
	if (d)
		closedir(d);
}

void na_sandbox_grant_linked(struct na_sandbox *s, const char *path)
{
	struct looking l = {.s = s, .left = NA_SANDBOX_ENTRIES};
	struct stat sb;

	na_sandbox_grant(s, path, NA_REACH_READ);
	if (s->rules < 0 || stat(path, &sb) != 0 || !S_ISDIR(sb.st_mode))
		return;
	if (na_add(&l.led_to, ((struct place){sb.st_dev, sb.st_ino})))
		add_dir(&l, path);
	for (size_t i = 0; i < l.dirs.n; i++) {
		if (i <= NA_SANDBOX_FOLDERS && (i == 0 || l.left))
			look_into(&l, l.dirs.v[i], i == 0);
		free(l.dirs.v[i]);
	}
	na_vec_free(&l.dirs);
	na_vec_free(&l.led_to);
}

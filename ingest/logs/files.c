#include "ingest/logs/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/bytes/file_kind.h"
#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

static bool no_text(const char *name)
{
	static const char *const endings[] = {".pb",    ".pb.gz",   ".pb.zst",
					      ".pcap",  ".pcapng",  ".cap",
					      ".netan", ".riegeli", ".svg",
					      ".png",   ".pdf",     ".npz",
					      ".whl",   ".so",      ".zip"};

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (na_ends_nocase(name, strlen(name), endings[i]))
			return true;
	}
	return false;
}

static enum na_status add(struct na_log_files *f, const char *path,
			  struct na_err *err)
{
	if (!path || !na_grow(&f->paths, &f->cap, f->n + 1, sizeof(*f->paths)))
		return na_fail_nomem(err);
	f->paths[f->n++] = path;
	return NA_OK;
}

static enum na_status list(DIR *d, const char *dir, struct na_arena *a,
			   struct na_log_files *names, struct na_log_files *all,
			   struct na_err *err)
{
	enum na_status st = NA_OK;
	struct dirent *e;

	while (st == NA_OK && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		if (++all->seen > NA_LOG_FILES_MAX)
			st = na_fail(err, NA_ELIMIT,
				     "%s: more than %d files; give fewer "
				     "directories at once",
				     dir, NA_LOG_FILES_MAX);
		else
			st = add(names, na_arena_path(a, dir, e->d_name), err);
	}
	na_sort_names(names->paths, names->n);
	return st;
}

/* In `top`, as it was given. */
static enum na_status walk(const char *dir, const char *top,
			   const struct stat *self,
			   const struct na_dir_level *up, struct na_arena *a,
			   struct na_log_files *out, struct na_err *err)
{
	struct na_dir_level l = {up, self->st_dev, self->st_ino,
				 up ? up->depth + 1 : 0};
	struct na_log_files names = {.n = 0};
	enum na_status st;
	DIR *d;

	if (l.depth > NA_LOG_DEPTH)
		return na_fail(err, NA_ELIMIT,
			       "%s: more than %d directories deep", dir,
			       NA_LOG_DEPTH);
	d = opendir(dir);
	if (!d && up) {
		out->unreadable++;
		return NA_OK;
	}
	if (!d)
		return na_fail(err, NA_EIO, "%s: %s", dir, strerror(errno));
	st = list(d, dir, a, &names, out, err);
	closedir(d);
	for (size_t i = 0; st == NA_OK && i < names.n; i++) {
		const char *path = names.paths[i];
		struct stat sb;
		bool there = stat(path, &sb) == 0;

		if (there && S_ISDIR(sb.st_mode)) {
			if (!na_dir_leads_up(&l, top, &sb))
				st = walk(path, top, &sb, &l, a, out, err);
		} else if (no_text(path)) {
			out->passed_over++;
		} else {
			st = add(out, path, err);
		}
	}
	free(names.paths);
	return st;
}

enum na_status na_log_files_find(const char *path, struct na_arena *a,
				 struct na_log_files *out, struct na_err *err)
{
	struct stat sb;

	if (strcmp(path, "-") == 0)
		return add(out, path, err);
	if (stat(path, &sb) < 0)
		return na_fail(err, NA_EIO, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(sb.st_mode))
		return add(out, path, err);
	return walk(path, path, &sb, NULL, a, out, err);
}

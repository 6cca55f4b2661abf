/* Outputs are no inputs: looked at before there is any work to lose. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/discover.h"
#include "ingest/hlo/hlo.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/carry.h"
#include "netan/cli/common.h"
#include "netan/cli/output/output.h"
#include "netan/cli/output/place.h"
#include "netan/cli/paths.h"

/* Below a directory so many entries are looked at, so deep. */
enum { ENTRIES_MAX = 65536, DEPTH_MAX = 16 };

/* An output that is there, and what it turned out to be. */
struct output {
	struct stat file;
	char *path; /* without links; NULL: standard output */
	size_t entries;
	bool is_input, is_ledger;
};

static bool is_file(const struct output *out, const char *path)
{
	struct stat in;

	return path && stat(path, &in) == 0 && in.st_dev == out->file.st_dev &&
	       in.st_ino == out->file.st_ino;
}

/* ---- inputs: those files that a directory stands for */

static bool is_of(const struct output *out, const char *path)
{
	struct na_arena names = {.blocks = NULL};
	struct na_err err = {.status = NA_OK};
	struct na_found found;
	bool is = false;

	/* What cannot be listed is said where it is read. */
	if (na_discover(path, &names, &found, &err) == NA_OK) {
		for (size_t i = 0; i < found.n && !is; i++)
			is = is_file(out, found.paths[i]);
	}
	free(found.paths);
	na_arena_fini(&names);
	return is;
}

/* ---- what options name: all that lies below a directory */

static bool is_dir(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
}

static bool walk(struct output *out, const char *dir, int depth);

static bool is_entry(struct output *out, const char *dir, const char *name,
		     int depth)
{
	char *path = NULL;
	bool is;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	if (++out->entries > ENTRIES_MAX ||
	    asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	is = is_file(out, path) ||
	     (depth < DEPTH_MAX && is_dir(path) && walk(out, path, depth + 1));
	free(path);
	return is;
}

/* Hard links, and symbolic ones, in it. */
static bool walk(struct output *out, const char *dir, int depth)
{
	DIR *d = opendir(dir);
	bool is = false;

	for (struct dirent *e = d ? readdir(d) : NULL; e && !is; e = readdir(d))
		is = is_entry(out, dir, e->d_name, depth);
	if (d)
		closedir(d);
	return is;
}

/* By its path, however many entries there are.  All of a machine is no
 * directory of inputs. */
static bool is_below(struct output *out, const char *dir)
{
	char *real = realpath(dir, NULL);
	size_t n = real ? strlen(real) : 0;
	bool is = false;

	if (n > 1)
		is = (out->path && strncmp(out->path, real, n) == 0 &&
		      out->path[n] == '/') ||
		     walk(out, real, 0);
	free(real);
	return is;
}

static void look(void *ctx, const char *path, enum na_opt_path kind)
{
	struct output *out = ctx;

	if (kind == NA_PATH_READ)
		out->is_input |= is_file(out, path) ||
				 (is_dir(path) && is_below(out, path));
	else if (kind == NA_PATH_APPEND)
		out->is_ledger |= out->path && is_file(out, path);
}

static void look_at_line(struct output *out, const struct na_cli *cli)
{
	const struct na_request *q = &cli->request;

	na_each_option_path(cli, look, out);
	for (size_t k = 0; k < q->n_inputs && !out->is_input; k++)
		out->is_input = strcmp(q->inputs[k].path, "-") != 0 &&
				is_of(out, q->inputs[k].path);
}

/* The line that another one runs. */
static void look_at_words(struct output *out, const struct na_command *c,
			  int n, char **words)
{
	struct na_err err = {.status = NA_OK};
	struct na_cli line;

	/* What is wrong with it is said where it runs. */
	if (na_cli_parse(&line, c, n, words, &err) == NA_OK)
		look_at_line(out, &line);
	na_cli_free(&line);
}

static bool find(struct output *out, const char *path)
{
	struct na_err err = {.status = NA_OK};
	struct na_place p = {.path = NULL};
	bool there;

	*out = (struct output){.path = NULL};
	if (na_is_stdout(path))
		return fstat(STDOUT_FILENO, &out->file) == 0 &&
		       S_ISREG(out->file.st_mode);
	there = na_place_find(&p, path, &err) == NA_OK && p.there &&
		S_ISREG(p.info.st_mode);
	out->file = p.info;
	if (there)
		out->path = realpath(p.path, NULL);
	na_place_free(&p);
	return there;
}

static enum na_status judge(const struct output *out, const char *path,
			    struct na_err *err)
{
	if (out->is_input)
		return na_fail(err, NA_EUSAGE,
			       "-o %s: this file is also an input, and would "
			       "be lost; name another one",
			       out->path ? path : "standard output");
	if (out->is_ledger)
		return na_fail(err, NA_EUSAGE,
			       "-o %s: this file is also the ledger, and would "
			       "be lost; name another one",
			       path);
	return NA_OK;
}

enum na_status na_output_apart(const struct na_cli *cli, const char *path,
			       struct na_err *err)
{
	const struct na_carried *x = cli->carried;
	struct output out;

	if (!find(&out, path))
		return NA_OK;
	look_at_line(&out, cli);
	if (x)
		look_at_words(&out, x->command, x->n_words, x->words);
	/* Of two forms of a module one is read, and the other is as old. */
	if (strcmp(cli->command->info->name, "hlo") == 0 && out.path)
		out.is_input |= na_hlo_is_module(out.path);
	judge(&out, path, err);
	free(out.path);
	return err->status;
}

enum na_status na_output_apart_from(const struct na_command *c, int n,
				    char **words, const char *path,
				    struct na_err *err)
{
	struct output out;

	if (!find(&out, path))
		return NA_OK;
	look_at_words(&out, c, n, words);
	judge(&out, path, err);
	free(out.path);
	return err->status;
}

/* Outputs are no inputs: looked at before there is any work to lose. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/discover.h"
#include "netan/cli/output.h"

static bool is_file(const struct stat *out, const char *path)
{
	struct stat in;

	return path && stat(path, &in) == 0 && in.st_dev == out->st_dev &&
	       in.st_ino == out->st_ino;
}

/* A file, or one of those that a directory stands for. */
static bool is_of(const struct stat *out, const char *path)
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

static bool is_read(const struct na_request *q, const struct stat *out)
{
	bool is = is_file(out, q->topology) || is_file(out, q->hosts);

	for (size_t k = 0; k < q->n_inputs && !is; k++)
		is = strcmp(q->inputs[k].path, "-") != 0 &&
		     is_of(out, q->inputs[k].path);
	for (size_t k = 0; k < q->hlo.n && !is; k++)
		is = is_file(out, q->hlo.items[k]);
	return is;
}

enum na_status na_output_apart(const struct na_cli *cli, const char *path,
			       struct na_err *err)
{
	bool piped = strcmp(path, "-") == 0;
	struct stat out;

	if ((piped ? fstat(STDOUT_FILENO, &out) : stat(path, &out)) != 0 ||
	    !S_ISREG(out.st_mode))
		return NA_OK;
	if (is_read(&cli->request, &out))
		return na_fail(
			err, NA_EUSAGE,
			"-o %s: this file is also an input, and would be "
			"lost; name another one",
			piped ? "standard output" : path);
	if (!piped && is_file(&out, cli->common.ledger))
		return na_fail(err, NA_EUSAGE,
			       "-o %s: this file is also the ledger, and would "
			       "be lost; name another one",
			       path);
	return NA_OK;
}

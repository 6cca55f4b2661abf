/* --anonymize: what the command line itself names. */
#include <string.h>
#include <sys/stat.h>

#include "netan/cli/common.h"
#include "netan/engine/anonymize.h"

static void hide_path(const struct na_cli *cli, enum na_alias kind,
		      const char *path)
{
	struct stat sb;

	if (path && stat(path, &sb) == 0 && S_ISDIR(sb.st_mode))
		kind = NA_ALIAS_DIR;
	na_hide(&cli->request, kind, path);
}

static void hide_globs(const struct na_cli *cli, const struct na_text_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strpbrk(l->items[i], "*?["))
			na_hide(&cli->request, NA_ALIAS_PATTERN, l->items[i]);
	}
}

/* A value of an option of the command's own that is a path, by its looks. */
static void hide_argument(const struct na_cli *cli, const char *arg)
{
	const char *value = arg[0] == '-' ? strchr(arg, '=') : NULL;
	struct stat sb;

	value = value ? value + 1 : arg;
	if (*value == '/' || strncmp(value, "./", 2) == 0 ||
	    strncmp(value, "../", 3) == 0 ||
	    (strchr(value, '/') && stat(value, &sb) == 0))
		hide_path(cli, NA_ALIAS_FILE, value);
}

static bool is_output(const struct na_cli *cli, const char *arg)
{
	const struct na_text_list *l = &cli->common.outputs;

	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->items[i], arg) == 0)
			return true;
	}
	return false;
}

enum na_status na_anonymize_start(struct na_cli *cli, struct na_err *err)
{
	struct na_request *q = &cli->request;

	if (!cli->common.anonymize)
		return NA_OK;
	q->pseudonyms = na_pseudonyms_new();
	if (!q->pseudonyms)
		return na_fail_nomem(err);
	for (size_t i = 0; i < q->n_inputs; i++)
		na_hide_later(q, q->inputs[i].path);
	for (size_t i = 0; i < q->n_inputs; i++)
		hide_path(cli, NA_ALIAS_INPUT, q->inputs[i].path);
	hide_path(cli, NA_ALIAS_FILE, q->hosts);
	hide_path(cli, NA_ALIAS_FILE, q->topology);
	for (size_t i = 0; i < q->hlo.n; i++)
		hide_path(cli, NA_ALIAS_FILE, q->hlo.items[i]);
	hide_globs(cli, &q->host);
	hide_globs(cli, &q->src);
	hide_globs(cli, &q->dst);
	for (int k = 2; k < cli->argc; k++) {
		if (!is_output(cli, cli->argv[k]))
			hide_argument(cli, cli->argv[k]);
	}
	return NA_OK;
}

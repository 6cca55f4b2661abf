#include "netan/cli/sandbox/shut_in.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/capture/filter.h"
#include "netan/base/sandbox/sandbox.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/carry.h"
#include "netan/cli/common.h"
#include "plot/canvas.h"

static const struct place {
	const char *variable, *path;
	bool of_pictures;
} places[] = {
#define NA_PLACE(variable, path)         {variable, path, false},
#define NA_PICTURE_PLACE(variable, path) {variable, path, true},
#include "netan/cli/sandbox/places.def"
};

static void grant_fonts(void *ctx, const char *path)
{
	na_sandbox_grant(ctx, path, NA_REACH_READ);
}

static void grant_places(struct na_sandbox *s, bool draws)
{
	for (size_t i = 0; i < NA_LEN(places); i++) {
		const struct place *p = &places[i];
		const char *head = *p->variable ? getenv(p->variable) : "";
		char path[PATH_MAX];

		if ((p->of_pictures && !draws) || !head ||
		    (*p->variable && !*head))
			continue;
		snprintf(path, sizeof(path), "%s%s", head, p->path);
		na_sandbox_grant(s, path, NA_REACH_READ);
	}
	if (draws)
		na_canvas_fonts(grant_fonts, s);
}

/* Where netan/base/memory/temporary and SQLite make theirs. */
static void grant_temporary(struct na_sandbox *s)
{
	const char *dir = getenv("TMPDIR"), *own = getenv("SQLITE_TMPDIR");

	na_sandbox_grant(s, dir && *dir ? dir : "/tmp",
			 NA_REACH_READ | NA_REACH_REPLACE);
	if (own && *own)
		na_sandbox_grant(s, own, NA_REACH_READ | NA_REACH_REPLACE);
	na_sandbox_grant(s, "/var/tmp", NA_REACH_READ | NA_REACH_REPLACE);
}

/* ---- outputs */

/* The folder of a path, or the nearest one above it that is there. */
static void grant_above(struct na_sandbox *s, const char *path, unsigned reach)
{
	char *folder = strdup(path), *slash = NULL;
	size_t n = folder ? strlen(folder) : 0;
	struct stat sb;

	while (n > 1 && folder[n - 1] == '/')
		folder[--n] = '\0';
	do {
		slash = folder ? strrchr(folder, '/') : NULL;
		if (slash)
			slash[slash == folder] = '\0';
	} while (slash && slash != folder && stat(folder, &sb) != 0);
	if (folder)
		na_sandbox_grant(s, slash ? folder : ".", reach);
	free(folder);
}

/* A file is written beside, and renamed onto what the link leads to. */
static void grant_file(struct na_sandbox *s, const char *path, unsigned reach)
{
	char *real = realpath(path, NULL);

	grant_above(s, real ? real : path, reach | NA_REACH_REPLACE);
	free(real);
}

enum { LINKS_MAX = 40 /* as the kernel has it */ };

/* What opening a path would make: of a link that leads to nothing yet, what it
 * leads to, of any number of them.  To be freed; NULL: no memory. */
static char *made_at(const char *path)
{
	char *at = strdup(path), target[PATH_MAX];
	ssize_t n;

	for (int i = 0; at && i < LINKS_MAX; i++) {
		const char *slash = strrchr(at, '/');
		size_t folder = slash ? (size_t)(slash - at) + 1 : 0;
		char *next = NULL;

		n = readlink(at, target, sizeof(target));
		if (n < 0 || n == sizeof(target))
			break;
		if (asprintf(&next, "%.*s%.*s",
			     *target == '/' ? 0 : (int)folder, at, (int)n,
			     target) < 0)
			next = NULL;
		free(at);
		at = next;
	}
	return at;
}

/* A file that is written in place, and is not there. */
static void grant_new(struct na_sandbox *s, const char *path)
{
	char *at = made_at(path);

	if (at)
		grant_above(s, at, NA_REACH_READ | NA_REACH_REPLACE);
	free(at);
}

static void grant_output(struct na_sandbox *s, const char *path,
			 enum na_opt_path kind)
{
	unsigned read = kind == NA_PATH_REREAD ? NA_REACH_READ : 0;
	struct stat sb;
	bool there = stat(path, &sb) == 0;

	if (strcmp(path, "-") == 0)
		return;
	if (kind == NA_PATH_NEW)
		grant_above(s, path, NA_REACH_FOLDERS);
	else if (kind == NA_PATH_APPEND && there)
		na_sandbox_grant(s, path, NA_REACH_READ | NA_REACH_WRITE);
	else if (kind == NA_PATH_APPEND)
		grant_new(s, path);
	else if (there && S_ISDIR(sb.st_mode))
		na_sandbox_grant(s, path, NA_REACH_READ | NA_REACH_FOLDERS);
	else if (there && S_ISREG(sb.st_mode) && strncmp(path, "/dev/", 5) != 0)
		grant_file(s, path, read);
	else if (there)
		na_sandbox_grant(s, path, NA_REACH_WRITE);
	else
		grant_above(s, path,
			    kind == NA_PATH_MAKE ? NA_REACH_FOLDERS
						 : read | NA_REACH_REPLACE);
}

/* ---- a command line */

static void grant_value(struct na_sandbox *s, const char *path,
			enum na_opt_path kind)
{
	if (!path || !*path)
		return;
	if (kind == NA_PATH_READ)
		na_sandbox_grant_linked(s, path);
	else
		grant_output(s, path, kind);
}

static void grant_option(struct na_sandbox *s, const struct na_opt *o,
			 const void *params)
{
	const void *at = (const char *)params + o->offset;
	const struct na_text_list *list = at;

	if (o->kind == NA_OPT_TEXT)
		grant_value(s, *(const char *const *)at, o->path);
	for (size_t i = 0; o->kind == NA_OPT_LIST && i < list->n; i++)
		grant_value(s, list->items[i], o->path);
}

/* With outputs alone of a capture. */
static void grant_line(struct na_sandbox *s, struct na_cli *cli, bool reads)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(cli->command, cli, groups);

	for (size_t i = 0; i < n; i++) {
		for (const struct na_opt *o = groups[i].opts; o->name; o++) {
			if (o->path && (reads || o->path != NA_PATH_READ))
				grant_option(s, o, groups[i].params);
		}
	}
	for (size_t i = 0; reads && i < cli->request.n_inputs; i++) {
		const char *path = cli->request.inputs[i].path;

		if (strcmp(path, "-") != 0)
			na_sandbox_grant_linked(s, path);
	}
}

/* What is wrong with it, is said where it runs. */
static bool grant_words(struct na_sandbox *s, const struct na_command *c,
			int argc, char **words)
{
	struct na_err err = {.status = NA_OK};
	struct na_cli cli;
	bool draws;

	na_in_err(na_cli_parse(&cli, c, argc, words, &err));
	if (err.status == NA_OK)
		grant_line(s, &cli, true);
	draws = cli.request.draws;
	na_cli_free(&cli);
	return draws;
}

/* ---- */

static bool apart(const struct na_cli *cli)
{
	return !cli->request.own_process || cli->request.world;
}

void na_shut_in_files(const struct na_cli *cli, const struct na_command *c,
		      int argc, char **words)
{
	struct na_cli line = *cli;
	bool draws = cli->request.draws;
	struct na_sandbox s;
	char text[NA_SANDBOX_TEXT];

	if (apart(cli))
		return;
	na_sandbox_begin(&s);
	grant_line(&s, &line, true);
	if (c)
		draws |= grant_words(&s, c, argc, words);
	grant_places(&s, draws);
	grant_temporary(&s);
	na_sandbox_files(&s);
	if (na_sandbox_whole())
		return;
	na_sandbox_text(text);
	na_say_detail(&cli->request, "sandbox: %s", text);
}

/* What needs more than is left later: names in filters a network, fonts
 * folders to keep their list in. */
static void look_up(const struct na_cli *cli)
{
	struct na_err err = {.status = NA_OK};
	const struct na_carried *x = cli->carried;
	struct na_cli line = *cli;

	if (x)
		na_in_err(na_cli_parse(&line, x->command, x->n_words, x->words,
				       &err));
	if (line.request.filter)
		na_capture_filter_ahead(line.request.filter);
	if (line.request.draws)
		na_canvas_fonts(NULL, NULL);
	if (x)
		na_cli_free(&line);
}

void na_shut_in(const struct na_cli *cli)
{
	const struct na_carried *x = cli->carried;
	enum na_shut how = cli->command->shut ? cli->command->shut(cli)
					      : NA_SHUT_IN;

	if (apart(cli) || how == NA_SHUT_NOT)
		return;
	look_up(cli);
	na_sandbox_calls(false);
	if (how == NA_SHUT_IN)
		na_shut_in_files(cli, x ? x->command : NULL, x ? x->n_words : 0,
				 x ? x->words : NULL);
}

void na_shut_in_capture(const struct na_cli *cli)
{
	struct na_cli line = *cli;
	struct na_sandbox s;

	if (apart(cli))
		return;
	na_sandbox_begin(&s);
	grant_line(&s, &line, false);
	na_sandbox_grant(&s, "/sys/class/net", NA_REACH_READ);
	na_sandbox_grant(&s, "/sys/devices", NA_REACH_READ);
	grant_places(&s, false);
	na_sandbox_files(&s);
	na_sandbox_calls(true);
}

void na_shut_in_nothing(void)
{
	struct na_sandbox s;

	na_sandbox_calls(false);
	na_sandbox_begin(&s);
	na_sandbox_files(&s);
}

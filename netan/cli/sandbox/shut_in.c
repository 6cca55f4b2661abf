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
#include "netan/cli/output/place.h"
#include "netan/cli/paths.h"
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

/* A file is written beside, and renamed onto what links lead to. */
static void grant_file(struct na_sandbox *s, const struct na_place *p,
		       enum na_opt_path kind)
{
	unsigned read = kind == NA_PATH_REREAD ? NA_REACH_READ : 0;

	if (kind == NA_PATH_MAKE && !p->there)
		grant_above(s, p->path, NA_REACH_FOLDERS);
	else
		grant_above(s, p->path, read | NA_REACH_REPLACE);
}

/* In place; where it is not there yet, it is made. */
static void grant_growing(struct na_sandbox *s, const struct na_place *p)
{
	if (p->there)
		na_sandbox_grant(s, p->path, NA_REACH_READ | NA_REACH_WRITE);
	else
		grant_above(s, p->path, NA_REACH_READ | NA_REACH_REPLACE);
}

/* What cannot be found is said where it is opened. */
static void grant_output(struct na_sandbox *s, const char *path,
			 enum na_opt_path kind)
{
	struct na_err err = {.status = NA_OK};
	struct na_place p;

	if (strcmp(path, "-") == 0)
		return;
	if (na_place_find(&p, path, &err) != NA_OK)
		;
	else if (kind == NA_PATH_KEEP && !p.there)
		grant_above(s, path, NA_REACH_READ | NA_REACH_FOLDERS);
	else if (kind == NA_PATH_NEW)
		grant_above(s, path, NA_REACH_FOLDERS);
	else if (kind == NA_PATH_APPEND)
		grant_growing(s, &p);
	else if (p.kind == NA_PLACE_FILE)
		grant_file(s, &p, kind);
	else if (p.kind == NA_PLACE_FOLDER)
		na_sandbox_grant(s, path, NA_REACH_READ | NA_REACH_FOLDERS);
	else
		na_sandbox_grant(s, path, NA_REACH_WRITE);
	na_place_free(&p);
}

/* ---- a command line */

struct granting {
	struct na_sandbox *s;
	bool reads;
};

static void grant_path(void *ctx, const char *path, enum na_opt_path kind)
{
	const struct granting *g = ctx;

	if (kind != NA_PATH_READ)
		grant_output(g->s, path, kind);
	else if (g->reads)
		na_sandbox_grant_linked(g->s, path);
}

/* With outputs alone of a capture. */
static void grant_line(struct na_sandbox *s, const struct na_cli *cli,
		       bool reads)
{
	struct granting g = {s, reads};

	na_each_option_path(cli, grant_path, &g);
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
	bool draws = cli->request.draws;
	struct na_sandbox s;
	char text[NA_SANDBOX_TEXT];

	if (apart(cli))
		return;
	na_sandbox_begin(&s);
	grant_line(&s, cli, true);
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
	struct na_sandbox s;

	if (apart(cli))
		return;
	na_sandbox_begin(&s);
	grant_line(&s, cli, false);
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

#include "netan/cli/anonymize.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/engine/session/session.h"

void na_hide(const struct na_cli *cli, enum na_alias kind, const char *name)
{
	if (cli->pseudonyms && name)
		na_pseudonym(cli->pseudonyms, kind, name);
}

void na_hide_later(const struct na_cli *cli, const char *name)
{
	if (cli->pseudonyms && name)
		na_pseudonyms_reserve(cli->pseudonyms, name);
}

static void hide_path(const struct na_cli *cli, enum na_alias kind,
		      const char *path)
{
	struct stat sb;

	if (path && stat(path, &sb) == 0 && S_ISDIR(sb.st_mode))
		kind = NA_ALIAS_DIR;
	na_hide(cli, kind, path);
}

static void hide_globs(const struct na_cli *cli, const struct na_text_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strpbrk(l->items[i], "*?["))
			na_hide(cli, NA_ALIAS_PATTERN, l->items[i]);
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
	const struct na_common *c = &cli->common;

	if (!c->anonymize)
		return NA_OK;
	cli->pseudonyms = na_pseudonyms_new();
	if (!cli->pseudonyms)
		return na_fail_nomem(err);
	for (size_t i = 0; i < cli->n_inputs; i++)
		na_hide_later(cli, cli->inputs[i].path);
	for (size_t i = 0; i < cli->n_inputs; i++)
		hide_path(cli, NA_ALIAS_INPUT, cli->inputs[i].path);
	hide_path(cli, NA_ALIAS_FILE, c->hosts);
	hide_path(cli, NA_ALIAS_FILE, c->topology);
	for (size_t i = 0; i < c->hlo.n; i++)
		hide_path(cli, NA_ALIAS_FILE, c->hlo.items[i]);
	hide_globs(cli, &c->host);
	hide_globs(cli, &c->src);
	hide_globs(cli, &c->dst);
	for (int k = 2; k < cli->argc; k++) {
		if (!is_output(cli, cli->argv[k]))
			hide_argument(cli, cli->argv[k]);
	}
	return NA_OK;
}

static void hide_member(const struct na_cli *cli, const struct na_value *v,
			const struct na_hidden *m)
{
	const char *text = na_text_of(v, NULL);

	if (text && text[strspn(text, "0123456789")])
		na_hide(cli, m->kind, text);
	if (v->kind != NA_V_LIST)
		return;
	for (v = v->u.of.first; v; v = v->next) {
		if (v->kind == NA_V_TEXT)
			hide_member(cli, v, m);
	}
}

void na_hide_members(const struct na_cli *cli, const struct na_value *in,
		     const struct na_hidden *members)
{
	if (!cli->pseudonyms || !in ||
	    (in->kind != NA_V_OBJECT && in->kind != NA_V_LIST))
		return;
	na_for_each (v, in) {
		const struct na_hidden *m = members;

		while (v->name && m->member && strcmp(m->member, v->name) != 0)
			m++;
		if (v->name && m->member)
			hide_member(cli, v, m);
		na_hide_members(cli, v, members);
	}
}

char *na_shown(const struct na_cli *cli, const char *text)
{
	return cli && cli->pseudonyms
		       ? na_pseudonyms_replace(cli->pseudonyms, text)
		       : strdup(text);
}

static char *replaced(void *ctx, const char *text)
{
	return na_pseudonyms_replace(ctx, text);
}

void na_hide_result(const struct na_cli *cli, struct na_result *r)
{
	struct na_pseudonyms *p = cli->pseudonyms;
	size_t known;

	if (!p)
		return;
	known = na_pseudonyms_count(p);
	na_result_retext(r, replaced, p);
	/* A path tells a user whose name stood before it. */
	if (na_pseudonyms_count(p) > known)
		na_result_retext(r, replaced, p);
}

static void hide_all(const struct na_cli *cli, enum na_alias kind,
		     const struct na_strtab *t)
{
	for (size_t i = 0; i < t->n; i++)
		na_hide_later(cli, t->names[i].s);
	for (size_t i = 0; i < t->n; i++)
		na_hide(cli, kind, t->names[i].s);
}

/* A host that is known by its address alone is that address. */
static void hide_store(const struct na_session *s)
{
	const struct na_names *names = &s->store.names;

	for (size_t i = 0; i < names->n_endpoints; i++) {
		const struct na_endpoint *e = &names->endpoints[i];

		if (e->slice == NA_ADDRESS)
			na_hide(s->cli, NA_ALIAS_ADDR,
				na_strtab_at(&names->strings,
					     (uint32_t)e->device));
	}
}

void na_hide_session(const struct na_session *s)
{
	const struct na_cli *cli = s->cli;

	if (!cli->pseudonyms)
		return;
	for (size_t i = 0; i < s->n_inputs; i++)
		na_hide_later(cli, s->sources[i].host);
	for (size_t i = 0; i < s->n_inputs; i++) {
		na_hide(cli, NA_ALIAS_INPUT, s->inputs[i].path);
		na_hide(cli, NA_ALIAS_HOST, s->sources[i].host);
	}
	if (s->hosts) {
		hide_all(cli, NA_ALIAS_ADDR, &s->hosts->addresses);
		hide_all(cli, NA_ALIAS_HOST, &s->hosts->names);
	}
	if (s->topology) {
		hide_all(cli, NA_ALIAS_HOST, &s->topology->hosts);
		hide_all(cli, NA_ALIAS_RACK, &s->topology->racks);
		hide_all(cli, NA_ALIAS_BLOCK, &s->topology->blocks);
	}
	if (s->store_ready)
		hide_store(s);
}

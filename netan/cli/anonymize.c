/* --anonymize: what the command line itself names. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "netan/cli/again.h"
#include "netan/cli/common.h"
#include "netan/engine/anonymize.h"

/* The bytes in front of a path's last slashes, or of its end. */
static size_t trimmed(const char *path, size_t n)
{
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

/* Without slashes at its end: what is below it is told as "dir-1/path-1". */
static void hide_path(const struct na_cli *cli, enum na_alias kind,
		      const char *path)
{
	size_t n = path ? strlen(path) : 0;
	char name[PATH_MAX];
	struct stat sb;

	if (path && stat(path, &sb) == 0)
		kind = S_ISDIR(sb.st_mode)    ? NA_ALIAS_DIR
		       : kind == NA_ALIAS_DIR ? NA_ALIAS_FILE
					      : kind;
	if (n && path[n - 1] == '/' && n < sizeof(name))
		path = memcpy(name, path, n + 1);
	if (path == name)
		name[trimmed(name, n)] = '\0';
	na_hide(&cli->request, kind, path);
}

static void hide_globs(const struct na_cli *cli, const struct na_text_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strpbrk(l->items[i], "*?["))
			na_hide(&cli->request, NA_ALIAS_PATTERN, l->items[i]);
	}
}

/* A word that is a path by its looks, as those of a carried command. */
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

static bool takes(const struct na_opt *o, const char *what)
{
	return o->arg && strncmp(o->arg, what, strlen(what)) == 0;
}

/* What is said of a file may name its directory. */
static void hide_place(const struct na_cli *cli, enum na_alias kind,
		       const char *path)
{
	size_t n = trimmed(path, strlen(path));
	char name[PATH_MAX];

	if (n >= sizeof(name))
		return;
	memcpy(name, path, n);
	name[n] = '\0';
	hide_path(cli, path[n] ? NA_ALIAS_DIR : kind, name);
	while (n && name[n - 1] != '/')
		n--;
	if (n < 2)
		return;
	name[trimmed(name, n)] = '\0';
	hide_path(cli, NA_ALIAS_DIR, name);
}

static bool is_among(const char *const *words, const char *w)
{
	while (*words && strcmp(*words, w) != 0)
		words++;
	return *words;
}

/* Hosts that a capture filter names: "host NAME", "src NAME". */
static void hide_filtered(const struct na_cli *cli, const char *filter)
{
	static const char *const before[] = {"host", "net",     "src", "dst",
					     "and",  "or",      "&&",  "||",
					     "not",  "gateway", "!",   NULL};
	static const char *const own[] = {
		"host",    "net",       "src",       "dst",     "and",
		"or",      "not",       "port",      "mask",    "tcp",
		"udp",     "portrange", "ether",     "ip",      "ip6",
		"arp",     "icmp",      "icmp6",     "vlan",    "proto",
		"len",     "less",      "mpls",      "sctp",    "rarp",
		"greater", "broadcast", "multicast", "inbound", "outbound",
		"gateway", "geneve",    NULL};
	char word[256], last[256] = "";

	for (const char *s = filter; *(s += strspn(s, " \t()"));) {
		size_t n = strcspn(s, " \t()");

		snprintf(word, sizeof(word), "%.*s", (int)n, s);
		if (is_among(before, last) && !is_among(own, word) &&
		    !strpbrk(word, "[]=<>&|:") &&
		    word[strspn(word, "0123456789./!")])
			na_hide(&cli->request, NA_ALIAS_HOST, word);
		memcpy(last, word, sizeof(last));
		s += n;
	}
}

/* The files that options name; those to write behind the others, which keep
 * their numbers wherever a result goes. */
static void hide_options(const struct na_cli *cli, bool outputs)
{
	struct na_given g = NA_GIVEN_FIRST;

	while (na_next_option(cli, &g)) {
		if (!g.value || (strcmp(g.o->name, "output") == 0) != outputs)
			continue;
		if (takes(g.o, "FILE"))
			hide_place(cli, NA_ALIAS_FILE, g.value);
		else if (takes(g.o, "DIR"))
			hide_place(cli, NA_ALIAS_DIR, g.value);
		else if (takes(g.o, "IFACE"))
			na_hide_nic(&cli->request, g.value);
		else if (takes(g.o, "EXPR"))
			hide_filtered(cli, g.value);
	}
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
	for (size_t i = 0; i < q->local.n; i++)
		na_hide(q, NA_ALIAS_INPUT, q->local.items[i]);
	hide_globs(cli, &q->host);
	hide_globs(cli, &q->src);
	hide_globs(cli, &q->dst);
	hide_options(cli, false);
	for (int k = 2; k < cli->argc; k++)
		hide_argument(cli, cli->argv[k]);
	if (q->n_settings)
		hide_place(cli, NA_ALIAS_FILE, q->settings_file);
	hide_options(cli, true);
	return NA_OK;
}

#include "netan/cli/conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "members.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/cli/again.h"
#include "netan/cli/common.h"
#include "netan/engine/session/session.h"
#include "netan/methods/capacity.h"

const struct na_conf_key na_conf_keys[] = {
#define NA_CONF(name, member, kind, path, effect) \
	{name, member, kind, path, effect},
#include "netan/cli/conf/conf.def"
#undef NA_CONF
};
const size_t na_conf_n_keys = NA_LEN(na_conf_keys);

/* Of what is neither shown nor found by its name. */
static const char bare[] = "netan.conf";

static const char *shown_path(const struct na_conf *conf)
{
	return conf->nameless ? bare : conf->path;
}

const struct na_opt *na_conf_option(const struct na_command *c, size_t k)
{
	const struct na_conf_key *key = &na_conf_keys[k];
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);
	const struct na_opt *o = na_opt_find(groups, n, key->name,
					     strlen(key->name));

	/* How merged results look is said where the shards are made. */
	if (!o || o->kind != key->kind || o->path != key->path ||
	    c->joins & NA_JOIN_MERGED)
		return NULL;
	return o;
}

bool na_conf_concerns(const struct na_command *c)
{
	for (size_t k = 0; k < na_conf_n_keys; k++) {
		if (na_conf_option(c, k))
			return true;
	}
	return false;
}

/* ---- rows */

struct row {
	struct na_conf *conf;
	unsigned line;
	size_t key;
	const char *value;
	char at[400]; /* "FILE:7: capacity" */
};

const struct na_opt *na_conf_any_option(size_t k)
{
	const struct na_opt *o = NULL;

	for (const struct na_command *const *c = na_commands; *c && !o; c++)
		o = na_conf_option(*c, k);
	return o;
}

static enum na_status bad_key(const struct row *r, const char *name,
			      struct na_err *err)
{
	char names[200] = "";
	size_t at = 0;

	for (size_t k = 0; k < na_conf_n_keys; k++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
				       k ? ", " : "", na_conf_keys[k].name);
	return na_fail(
		err, NA_EUSAGE,
		"%.300s:%u: '%.40s' cannot be set here; wanted one of %s",
		shown_path(r->conf), r->line, name, names);
}

static enum na_status find_key(struct row *r, const char *name,
			       struct na_err *err)
{
	for (size_t k = 0; k < na_conf_n_keys; k++) {
		if (strcmp(na_conf_keys[k].name, name) != 0)
			continue;
		r->key = k;
		snprintf(r->at, sizeof(r->at), "%.300s:%u: %s",
			 shown_path(r->conf), r->line, name);
		if (r->conf->rows[k].line)
			return na_fail(err, NA_EUSAGE,
				       "%s is set in line %u already", r->at,
				       r->conf->rows[k].line);
		return NA_OK;
	}
	return bad_key(r, name, err);
}

/* Where the file is shown, what is wrong in it is a part of that. */
static enum na_status forgive(struct na_conf *conf, unsigned line, size_t key,
			      struct na_err *err)
{
	struct na_conf_wrong w = {.line = line, .key = key};

	if (!conf->shown || err->status != NA_EUSAGE)
		return err->status;
	memcpy(w.text, err->text, sizeof(w.text));
	*err = (struct na_err){.status = NA_OK};
	return na_add(&conf->wrongs, w) ? NA_OK : na_fail_nomem(err);
}

/* Of the words of a choice; true for any other option. */
static bool is_word(const struct na_opt *o, const char *value)
{
	const char *word;
	size_t n;

	if (o->kind != NA_OPT_CHOICE)
		return true;
	for (size_t k = 0; (word = na_opt_word(o, k, &n)); k++) {
		if (strlen(value) == n && memcmp(word, value, n) == 0)
			return true;
	}
	return false;
}

static enum na_status check_value(const struct row *r, struct na_err *err)
{
	const struct na_conf_key *key = &na_conf_keys[r->key];
	const struct na_opt *o = na_conf_any_option(r->key);
	struct na_err why = {.status = NA_OK};
	double gbps;

	if (!*r->value)
		return na_fail(err, NA_EUSAGE, "%s has no value; wanted %s",
			       r->at, o && o->arg ? o->arg : "yes|no");
	if (key->kind == NA_OPT_FLAG && strcmp(r->value, "yes") != 0 &&
	    strcmp(r->value, "no") != 0)
		return na_fail(err, NA_EUSAGE, "%s = %.60s: wanted yes or no",
			       r->at, r->value);
	if (o && !is_word(o, r->value))
		return na_fail(err, NA_EUSAGE, "%s = %.60s: wanted %s", r->at,
			       r->value, o->arg);
	if (strcmp(key->member, M_capacity) == 0 &&
	    na_capacity_parse(r->value, &gbps, &why) != NA_OK)
		return na_fail(err, NA_EUSAGE, "%.300s:%u: %s",
			       shown_path(r->conf), r->line, why.text);
	return NA_OK;
}

/* A relative path is one of the file's folder, wherever netan runs. */
static char *placed(const struct na_conf *conf, const char *value)
{
	const char *home = getenv("HOME"), *slash = strrchr(conf->path, '/');
	char *to = NULL;
	int n;

	if (*value == '/' || !slash)
		return strdup(value);
	if (strncmp(value, "~/", 2) == 0 && home)
		n = asprintf(&to, "%s%s", home, value + 1);
	else
		n = asprintf(&to, "%.*s/%s", (int)(slash - conf->path),
			     conf->path, value);
	return n < 0 ? NULL : to;
}

static enum na_status keep(const struct row *r, struct na_err *err)
{
	const struct na_conf_key *key = &na_conf_keys[r->key];
	struct na_conf_row *to = &r->conf->rows[r->key];
	char *path = NULL;
	int n;

	to->line = r->line;
	if (key->kind == NA_OPT_FLAG) {
		n = asprintf(&to->word, "--%s", key->name);
		to->value = strcmp(r->value, "yes") == 0 ? "yes" : "no";
	} else {
		path = key->path ? placed(r->conf, r->value) : strdup(r->value);
		n = path ? asprintf(&to->word, "--%s=%s", key->name, path) : -1;
		free(path);
	}
	if (n < 0) {
		to->word = NULL;
		return na_fail_nomem(err);
	}
	if (key->kind != NA_OPT_FLAG)
		to->value = to->word + strlen("--=") + strlen(key->name);
	return NA_OK;
}

/* Without the blanks on either side; s ends where n says. */
static char *trimmed(char *s, size_t n)
{
	while (n && (na_is_blank(s[n - 1]) || s[n - 1] == '\r'))
		n--;
	s[n] = '\0';
	while (na_is_blank(*s))
		s++;
	return s;
}

/* Up to a remark: # at the beginning or behind a blank. */
static size_t length_said(const char *line)
{
	size_t n = 0;

	while (line[n] && (line[n] != '#' || (n && !na_is_blank(line[n - 1]))))
		n++;
	return n;
}

static enum na_status take_line(struct row *r, char *line, struct na_err *err)
{
	char *sign, *name;

	line = trimmed(line, length_said(line));
	if (!*line)
		return NA_OK;
	sign = strchr(line, '=');
	if (!sign || sign == line)
		return na_fail(err, NA_EUSAGE,
			       "%.300s:%u: wanted option = value, such as "
			       "capacity = 4x200Gbps/2",
			       shown_path(r->conf), r->line);
	r->value = trimmed(sign + 1, strlen(sign + 1));
	name = trimmed(line, (size_t)(sign - line));
	if (find_key(r, name, err) != NA_OK || check_value(r, err) != NA_OK)
		return err->status;
	return keep(r, err);
}

enum na_status na_conf_parse(struct na_conf *conf, const char *text, size_t n,
			     struct na_err *err)
{
	char *copy = memchr(text, '\0', n) ? NULL : strndup(text, n);
	struct row r = {.conf = conf};

	if (memchr(text, '\0', n))
		return na_fail(err, NA_EUSAGE,
			       "%.300s: it holds zero bytes, and is no text",
			       shown_path(conf));
	if (!copy)
		return na_fail_nomem(err);
	for (char *line = copy, *end; line && err->status == NA_OK;
	     line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		r.line++;
		r.key = NA_CONF_N;
		if (take_line(&r, line, err) != NA_OK)
			na_in_err(forgive(conf, r.line, r.key, err));
	}
	free(copy);
	return err->status;
}

/* ---- the file */

static void find_file(struct na_conf *conf)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	bool own = xdg && *xdg == '/';
	int n;

	if (!own && (!home || *home != '/'))
		return;
	n = snprintf(conf->path, sizeof(conf->path), "%s%s/netan/%s",
		     own ? xdg : home, own ? "" : "/.config", bare);
	if (n < 0 || (size_t)n >= sizeof(conf->path))
		conf->path[0] = '\0';
}

/* What cannot be seen, as another user's, is not there. */
static enum na_status read_file(struct na_conf *conf, char **text, size_t *n,
				struct na_err *err)
{
	struct na_err why = {.status = NA_OK};
	struct stat sb;

	find_file(conf);
	if (!conf->path[0] || stat(conf->path, &sb) != 0)
		return NA_OK;
	conf->there = true;
	if (!S_ISREG(sb.st_mode))
		return na_fail(err, NA_EUSAGE, "%.300s is no file of settings",
			       shown_path(conf));
	if (na_whole_file(conf->path, NA_CONF_MAX, "file of settings", text, n,
			  &why) == NA_OK)
		return *n ? na_conf_parse(conf, *text, *n, err) : NA_OK;
	if (why.status == NA_ENOMEM)
		return na_fail_nomem(err);
	return na_fail(err, NA_EUSAGE, "%.300s cannot be read%s",
		       shown_path(conf),
		       why.status == NA_ELIMIT ? ": it is too long for settings"
					       : "");
}

/* Of the options of c; where the file is shown, of all. */
static enum na_status check_paths(struct na_conf *conf,
				  const struct na_command *c,
				  struct na_err *err)
{
	for (size_t k = 0; k < na_conf_n_keys && err->status == NA_OK; k++) {
		const struct na_conf_row *row = &conf->rows[k];

		if (!row->line || !na_conf_keys[k].path ||
		    !(conf->shown || na_conf_option(c, k)) ||
		    access(row->value, R_OK) == 0)
			continue;
		na_fail(err, NA_EUSAGE, "%.200s:%u: %s = %.200s: %s",
			shown_path(conf), row->line, na_conf_keys[k].name,
			conf->nameless ? "..." : row->value, strerror(errno));
		na_in_err(forgive(conf, row->line, k, err));
	}
	return err->status;
}

/* To the other ranks: the path, its end, and the rows. */
static enum na_status share(struct na_conf *conf, struct na_world *w,
			    const char *text, size_t n, struct na_err *err)
{
	size_t head = strlen(conf->path) + 1, all = head + n;
	char *sent = NULL;
	void *p;

	if (w->rank == 0)
		sent = malloc(all);
	if (w->rank == 0 && !sent)
		na_in_err(na_fail_nomem(err));
	if (sent) {
		memcpy(sent, conf->path, head);
		if (n)
			memcpy(sent + head, text, n);
	}
	p = sent;
	if (na_world_broadcast(w, &p, &all, err) == NA_OK && w->rank > 0) {
		head = strnlen(p, all) + 1;
		if (head <= all && head <= sizeof(conf->path)) {
			memcpy(conf->path, p, head);
			conf->there = all > head;
			na_in_err(na_conf_parse(conf, (char *)p + head,
						all - head, err));
		}
	}
	free(p);
	return err->status;
}

enum na_status na_conf_load(struct na_conf *conf, const struct na_command *c,
			    struct na_world *w, struct na_err *err)
{
	char *text = NULL;
	size_t n = 0;

	if (na_world_speaks(w) && (read_file(conf, &text, &n, err) == NA_OK ||
				   forgive(conf, 0, NA_CONF_N, err) == NA_OK))
		na_in_err(check_paths(conf, c, err));
	if (!na_world_alone(w))
		na_in_err(share(conf, w, text, n, err));
	free(text);
	return err->status;
}

/* ---- the command line */

char **na_conf_join(struct na_conf *conf, const struct na_command *c, int *argc,
		    char **argv)
{
	const struct na_cli line = {.command = c, .argc = *argc, .argv = argv};
	char **to = na_calloc((size_t)*argc + NA_CONF_N + 1, sizeof(*to));
	int at = 2;

	if (!to)
		return NULL;
	memcpy(to, argv, 2 * sizeof(*to));
	for (size_t k = 0; k < na_conf_n_keys; k++) {
		const struct na_conf_key *key = &na_conf_keys[k];
		const struct na_conf_row *row = &conf->rows[k];

		if (!row->line || !na_conf_option(c, k) ||
		    na_gives(&line, key->name) || strcmp(row->value, "no") == 0)
			continue;
		to[at++] = row->word;
		conf->used[conf->n_used++] = (struct na_request_setting){
			key->member, row->value, key->effect == NA_CONF_LOOK};
	}
	memcpy(to + at, argv + 2, (size_t)(*argc - 2) * sizeof(*to));
	*argc += at - 2;
	return to;
}

void na_conf_free(struct na_conf *conf)
{
	for (size_t k = 0; k < NA_CONF_N; k++)
		free(conf->rows[k].word);
	free(conf->words);
	na_vec_free(&conf->wrongs);
	*conf = (struct na_conf){.words = NULL};
}

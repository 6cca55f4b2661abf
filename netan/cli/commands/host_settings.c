#include "netan/cli/commands/host_settings.h"
#include "members.h"
#include "netan/base/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/host/settings.h"
#include "netan/analyses/sysctl/sysctl.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"

/* ---- which directories */

static enum na_status add_dir(struct na_snapshots *s, const char *dir,
			      struct na_err *err)
{
	if (s->n == NA_SNAPSHOTS_MAX)
		return na_fail(err, NA_ELIMIT,
			       "--host-settings: more than %d snapshots",
			       NA_SNAPSHOTS_MAX);
	if (!dir || !na_grow(&s->dirs, &s->cap, s->n + 1, sizeof(*s->dirs)))
		return na_fail_nomem(err);
	s->dirs[s->n++] = dir;
	return NA_OK;
}

static enum na_status look_in(struct na_snapshots *s, const char *dir,
			      struct na_err *err)
{
	struct na_err why = {.status = NA_OK};
	struct na_chroot root;
	const char **names = NULL;
	size_t before = s->n, n = 0;

	if (na_settings_here(dir))
		return add_dir(s, dir, err);
	if (na_chroot_open(&root, dir, err) != NA_OK)
		return err->status;
	if (na_chroot_list(&root, ".", &s->arena, &names, &n, &why) != NA_OK)
		na_fail(err, NA_EIO, "%.300s %s", dir, why.text);
	na_chroot_close(&root);
	for (size_t i = 0; i < n && err->status == NA_OK; i++) {
		const char *sub = na_arena_path(&s->arena, dir, names[i]);

		if (!sub)
			na_fail_nomem(err);
		else if (na_settings_here(sub))
			add_dir(s, sub, err);
	}
	free(names);
	if (err->status == NA_OK && s->n == before)
		na_fail(err, NA_EDOMAIN,
			"%.300s: no snapshot and none in it; looked for "
			"proc/sys/net, proc/net and sys/class/net",
			dir);
	return err->status;
}

enum na_exit na_snapshots_find(struct na_snapshots *s, const struct na_cli *cli)
{
	const struct na_text_list *given = &cli->common.host_settings;
	struct na_err err = {.status = NA_OK};

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < given->n && err.status == NA_OK; i++)
		look_in(s, given->items[i], &err);
	for (size_t i = 0; i < s->n; i++)
		na_hide(&cli->request, NA_ALIAS_DIR, s->dirs[i]);
	if (err.status == NA_OK)
		return NA_EXIT_OK;
	na_say_error(&cli->request, "%s", err.text);
	if (err.status == NA_EDOMAIN)
		na_say_hint(&cli->request,
			    "netan sysctl --snapshot DIR makes one on "
			    "each host");
	return NA_EXIT_FAILED;
}

void na_snapshots_fini(struct na_snapshots *s)
{
	free(s->dirs);
	na_arena_fini(&s->arena);
	memset(s, 0, sizeof(*s));
}

/* ---- whose they are */

static bool is_address(const char *s)
{
	return strchr(s, ':') || !s[strspn(s, "0123456789.")];
}

static size_t short_length(const char *s)
{
	return is_address(s) ? strlen(s) : strcspn(s, ".");
}

static bool same_short(const char *a, const char *b)
{
	size_t n = short_length(a);

	return n && n == short_length(b) && memcmp(a, b, n) == 0;
}

size_t na_same_host(const char *name, const char *const *hosts, size_t n)
{
	size_t found = n;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(name, hosts[i]) == 0)
			return i;
	}
	for (size_t i = 0; i < n; i++) {
		if (!same_short(name, hosts[i]))
			continue;
		if (found < n)
			return n;
		found = i;
	}
	return found;
}

/* ---- reading */

struct joining {
	const struct na_cli *cli;
	const char **hosts; /* of the trace; borrowed */
	bool *recorded, *taken;
	size_t n;
	struct na_result *r;
	struct na_value *list;
	size_t unread;
};

static bool trace_hosts(struct joining *j, const struct na_store *store)
{
	j->hosts = na_calloc(store->n_hosts, sizeof(*j->hosts));
	j->recorded = na_calloc(store->n_hosts, sizeof(*j->recorded));
	j->taken = na_calloc(store->n_hosts, sizeof(*j->taken));
	if (!j->hosts || !j->recorded || !j->taken)
		return false;
	for (size_t i = 0; i < store->n_hosts; i++) {
		if (store->hosts[i].nobody)
			continue;
		j->recorded[j->n] = store->hosts[i].recorded;
		j->hosts[j->n++] = store->hosts[i].name;
	}
	return true;
}

static void put_command(struct joining *j, struct na_value *to, const char *dir)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	fputs("netan sysctl --root ", f);
	na_shell_put_path(f, dir);
	if (fclose(f) == 0)
		na_put_text(j->r, to, M_command, text);
	free(text);
}

/* A second snapshot of one host would count it twice. */
static void put_host(struct joining *j, const char *dir,
		     const struct na_settings *s)
{
	const struct na_host_asked asked = {.brief = true};
	size_t k = na_same_host(s->host, j->hosts, j->n);
	struct na_value *to;

	na_for_each (v, j->list) {
		const char *other = na_text_at(v, M_host);
		const char *path = na_text_at(v, M_path);

		if (strcmp(other, s->host) != 0 &&
		    (k == j->n ||
		     strcmp(na_text_at(v, M_trace_host), j->hosts[k]) != 0))
			continue;
		na_say_warning(&j->cli->request,
			       "%.200s is a second snapshot of host %.100s; "
			       "%.200s counts",
			       dir, s->host, path);
		j->unread++;
		return;
	}
	if (k < j->n)
		j->taken[k] = true;
	to = na_put_object(j->r, j->list, NULL);
	na_put_text(j->r, to, M_path, dir);
	put_command(j, to, dir);
	na_put_text(j->r, to, M_trace_host, k < j->n ? j->hosts[k] : NULL);
	na_host_settings_put(s, &asked, j->r, to);
}

static void read_one(struct joining *j, const char *dir)
{
	const struct na_settings_from from = {.root = dir,
					      .by_directory = true};
	struct na_err err = {.status = NA_OK};
	struct na_settings s;

	if (na_settings_read(&s, &from, &err) == NA_OK && s.host) {
		na_hide_settings(&j->cli->request, &s);
		put_host(j, dir, &s);
	} else {
		j->unread++;
		na_say_warning(&j->cli->request, "%s", err.text);
	}
	na_settings_fini(&s);
}

/* Judged all the same; but nobody should take them for hosts of the trace. */
static void warn_of_strangers(const struct joining *j)
{
	const char *first = NULL;
	size_t n = 0;

	na_for_each (v, j->list) {
		if (na_text_or(v, M_trace_host, NULL))
			continue;
		first = first ? first : na_text_at(v, M_host);
		n++;
	}
	if (n && j->n)
		na_say_warning(&j->cli->request,
			       "%zu of %zu snapshots %s of no host of the "
			       "inputs, such as %.100s (theirs: %.100s%s): not "
			       "joined with them",
			       n, j->list->n, n == 1 ? "is" : "are", first,
			       j->hosts[0], j->n > 1 ? ", ..." : "");
}

static enum na_exit read_all(struct joining *j, const struct na_snapshots *s)
{
	struct na_value *body = na_result_body(j->r), *without;

	j->list = na_put_list(j->r, body, M_hosts);
	if (!j->list)
		return NA_EXIT_FAILED;
	for (size_t i = 0; i < s->n; i++)
		read_one(j, s->dirs[i]);
	warn_of_strangers(j);
	without = na_put_list(j->r, body, M_without);
	for (size_t i = 0; i < j->n; i++) {
		if (j->recorded[i] && !j->taken[i])
			na_put_text(j->r, without, NULL, j->hosts[i]);
	}
	return na_result_ok(j->r) ? NA_EXIT_OK : NA_EXIT_FAILED;
}

enum na_exit na_snapshots_add(const struct na_snapshots *s,
			      const struct na_cli *cli, struct na_battery *b)
{
	struct joining j = {.cli = cli};
	enum na_exit exit = NA_EXIT_FAILED;

	if (!s->n) {
		na_battery_add(b, "settings", NULL,
			       "snapshots of the hosts (--host-settings DIR; "
			       "netan sysctl --snapshot DIR makes them)");
		return NA_EXIT_OK;
	}
	j.r = na_result_new();
	if (j.r && trace_hosts(&j, &b->session.store))
		exit = read_all(&j, s);
	if (exit != NA_EXIT_OK)
		na_say_nomem(&j.cli->request);
	else if (j.unread && j.cli->request.strict)
		exit = NA_EXIT_FAILED;
	na_battery_add(b, "settings", j.r, NULL);
	free(j.hosts);
	free(j.recorded);
	free(j.taken);
	return exit;
}

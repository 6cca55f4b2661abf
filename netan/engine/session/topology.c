/* --topology FILE: read before the traces, matched to hosts after them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "members.h"
#include "netan/base/inputs.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/session/session.h"

#define TOPOLOGY_MAX ((size_t)64 << 20) /* bytes; 65 536 pairs take 3 MiB */

/* Half of it would say something else. */
static enum na_status still_whole(FILE *f, const struct stat *was,
				  const char *path, struct na_err *err)
{
	struct stat is;

	if (!S_ISREG(was->st_mode) || fstat(fileno(f), &is) != 0 ||
	    (is.st_size == was->st_size &&
	     is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	     is.st_mtim.tv_nsec == was->st_mtim.tv_nsec))
		return NA_OK;
	return na_fail(err, NA_EIO,
		       "%s: %s while it was read; give it again when nobody "
		       "writes it",
		       path,
		       is.st_size < was->st_size ? "truncated" : "changed");
}

enum na_status na_whole_file(const char *path, size_t most, const char *what,
			     char **text, size_t *n, struct na_err *err)
{
	FILE *f = fopen(path, "rbe");
	struct stat was = {.st_size = 0};
	size_t cap = 0, got = 1;

	*text = NULL;
	*n = 0;
	if (!f)
		return na_fail_errno(err, path);
	na_inputs_add(fileno(f));
	(void)!fstat(fileno(f), &was);
	while (got && *n <= most) {
		if (!na_grow(text, &cap, *n + 65536, 1)) {
			fclose(f);
			return na_fail_nomem(err);
		}
		got = fread(*text + *n, 1, cap - *n, f);
		*n += got;
	}
	if (ferror(f))
		na_fail_errno(err, path);
	if (err->status == NA_OK)
		na_in_err(still_whole(f, &was, path, err));
	fclose(f);
	if (err->status == NA_OK && *n > most)
		na_fail(err, NA_ELIMIT, "%s: more than %zu bytes; no %s", path,
			most, what);
	return err->status;
}

enum na_status na_session_topology(struct na_session *s, struct na_err *err)
{
	const char *path = s->request->topology;
	char *text;
	size_t n;

	if (!path)
		return NA_OK;
	s->topology = na_calloc(1, sizeof(*s->topology));
	if (!s->topology)
		return na_fail_nomem(err);
	if (na_whole_file(path, TOPOLOGY_MAX, "topology", &text, &n, err) ==
		    NA_OK &&
	    na_topology_parse(s->topology, text, n, path, err) == NA_OK &&
	    !s->topology->hosts.n)
		na_fail(err, NA_EFORMAT, "%s: no hosts in it", path);
	na_hide_session(s);
	free(text);
	return err->status;
}

/* Hosts without a row have no class: that is never silent. */
enum na_status na_session_place(struct na_session *s, struct na_err *err)
{
	const struct na_store *st = &s->store;
	size_t without = 0, all = 0;
	const char *one = "";

	if (!s->topology)
		return NA_OK;
	if (na_store_place(&s->store, s->topology, err) != NA_OK)
		return err->status;
	for (size_t i = 0; i < st->n_hosts; i++) {
		all += !st->hosts[i].nobody;
		if (st->place_of[i] != NA_UNKNOWN_U32 || st->hosts[i].nobody)
			continue;
		without++;
		one = st->hosts[i].name;
	}
	if (without == all)
		return na_fail(err, NA_EDOMAIN,
			       "%s names none of the %zu hosts (such as %s; it "
			       "has %s)%s",
			       s->request->topology, all, one,
			       na_strtab_at(&s->topology->hosts, 0),
			       na_request_set(s->request, M_topology)
				       ? "; netan.conf sets it, --no-config "
					 "leaves that out"
				       : "");
	if (without)
		na_say_warning(s->request,
			       "%s has no row for %zu of %zu hosts (such as "
			       "%s): their paths have no class",
			       s->request->topology, without, all, one);
	return NA_OK;
}

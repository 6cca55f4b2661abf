#include "ingest/recorder/recorder.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ingest/bytes/whole.h"
#include "ingest/recorder/pickle.h"
#include "netan/base/order.h"
#include "netan/base/similar.h"
#include "netan/base/text.h"

/* ---- is it one */

static bool holds(const uint8_t *p, size_t n, const char *word)
{
	return memmem(p, n, word, strlen(word)) != NULL;
}

bool na_recorder_sniff(const uint8_t *head, size_t n)
{
	/* Of traces, which tell of groups, too. */
	static const char *const others[] = {"\"schemaVersion\"",
					     "\"traceEvents\"",
					     "\"deviceProperties\"",
					     "\"distributedInfo\""};
	static const char *const words[] = {"pg_config", "pg_status",
					    "collective_seq_id",
					    "process_group",
					    "comm_lib_version"};
	size_t i = 0;

	if (n > NA_RECORDER_HEAD)
		n = NA_RECORDER_HEAD;
	if (n >= 3 && head[0] == 0x80 && head[1] == 2 && head[2] == '}')
		return n < 64 || holds(head, n, "version");
	while (i < n && (head[i] == ' ' || (head[i] >= 9 && head[i] <= 13)))
		i++;
	if (i == n || head[i] != '{')
		return false;
	for (size_t k = 0; k < NA_LEN(others); k++) {
		if (holds(head, n, others[k]))
			return false;
	}
	for (size_t k = 0; k < NA_LEN(words); k++) {
		if (holds(head, n, words[k]))
			return true;
	}
	return false;
}

bool na_recorder_is(const char *path)
{
	uint8_t head[NA_RECORDER_HEAD];
	ssize_t n = -1;
	int fd;

	if (strcmp(path, "-") == 0)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		n = pread(fd, head, sizeof(head), 0);
		close(fd);
	}
	return n > 0 && na_recorder_sniff(head, (size_t)n);
}

/* ---- which rank */

int32_t na_recorder_rank(const char *path)
{
	static const char *const endings[] = {".json", ".pickle", ".pkl",
					      ".bin",  ".dump",   ".txt"};
	const char *slash = strrchr(path, '/'), *s = slash ? slash + 1 : path;
	size_t n = strlen(s), from;
	uint64_t rank;

	for (size_t i = 0; i < NA_LEN(endings); i++) {
		if (na_ends_nocase(s, n, endings[i]))
			n -= strlen(endings[i]);
	}
	for (from = n; from > 0 && na_is_digit(s[from - 1]); from--)
		;
	if (!na_text_number(na_text_n(s + from, n - from), &rank) ||
	    rank >= NA_FR_MAX)
		return -1;
	return (int32_t)rank;
}

/* How many of the groups a rank is in. */
static size_t groups_with(const struct na_recorder_dump *x, int32_t rank)
{
	size_t n = 0;

	for (size_t i = 0; i < x->groups.n; i++) {
		const struct na_fr_group *g =
			&x->ranks->groups.v[x->groups.v[i].group];

		n += g->n && bsearch(&rank, x->ranks->members.v + g->first,
				     g->n, sizeof(rank), na_order_i32);
	}
	return n;
}

/* The only member that all groups share; -1: there are several, or none. */
static int32_t shared_member(const struct na_recorder_dump *x)
{
	const struct na_fr_group *least = NULL;
	int32_t found = -1;

	for (size_t i = 0; i < x->groups.n; i++) {
		const struct na_fr_group *g =
			&x->ranks->groups.v[x->groups.v[i].group];

		if (g->n && (!least || g->n < least->n))
			least = g;
	}
	for (size_t i = 0; least && least->n <= 4096 && i < least->n; i++) {
		int32_t rank = x->ranks->members.v[least->first + i];

		if (groups_with(x, rank) < x->groups.n)
			continue;
		if (found >= 0)
			return -1;
		found = rank;
	}
	return found;
}

/* ---- groups */

/* "[0, 1, 2]", or a list of integers; false: no memory. */
static bool members_of(const struct na_dump_value *v, int32_t **members,
		       size_t *n)
{
	const struct na_dump_list *l = na_dump_items(v, NA_DUMP_LIST);
	struct na_text text = na_dump_text(v);
	struct na_scan c = na_scan_of(text);
	NA_VEC(int32_t) to = {0};
	uint64_t rank;
	bool ok = true;
	int64_t i;

	for (size_t k = 0; ok && l && k < l->n; k++) {
		if (na_dump_int(&l->v[k], &i) && i >= 0 && i < NA_FR_MAX)
			ok = na_add(&to, (int32_t)i);
	}
	while (ok && c.p < c.end) {
		if (!na_is_digit(*c.p)) {
			c.p++;
			continue;
		}
		if (!na_scan_number(&c, &rank))
			break;
		ok = rank >= NA_FR_MAX || na_add(&to, (int32_t)rank);
	}
	*members = to.v;
	*n = to.n;
	return ok;
}

/* Behind the others; false: no memory. */
static bool keep_group(struct na_recorder_dump *x, struct na_recorder_group g)
{
	uint32_t name = na_strtab_add(&x->group_names, g.name.n ? g.name.s : "",
				      g.name.n);

	if (name == NA_NO_NAME ||
	    (name >= x->named.n && !na_add(&x->named, (uint32_t)x->groups.n)))
		return false;
	return na_add(&x->groups, g);
}

static bool add_group(struct na_recorder_dump *x, struct na_text name,
		      const struct na_dump_value *config)
{
	struct na_text desc = na_dump_text(na_dump_get(config, "desc"));
	int32_t *members = NULL;
	size_t n = 0;
	uint32_t group;

	desc = desc.n ? desc : name;
	group = members_of(na_dump_get(config, "ranks"), &members, &n)
			? na_fr_group(x->ranks, desc.s, desc.n, members, n)
			: NA_NO_NAME;
	free(members);
	return group != NA_NO_NAME &&
	       keep_group(x, (struct na_recorder_group){name, -1, group});
}

static bool read_groups(struct na_recorder_dump *x)
{
	const struct na_dump_list *l =
		na_dump_items(na_dump_get(x->top, "pg_config"), NA_DUMP_DICT);

	x->has_groups = l != NULL;
	for (size_t i = 0; l && i + 1 < l->n && i < 2 * 65536; i += 2) {
		if (!add_group(x, na_dump_text(&l->v[i]), &l->v[i + 1]))
			return false;
	}
	return true;
}

uint32_t na_recorder_group_of(struct na_recorder_dump *x, struct na_text name,
			      struct na_text desc, int64_t id)
{
	struct na_recorder_group g = {name, id, NA_NO_NAME};
	uint32_t known = na_strtab_find(&x->group_names, name.n ? name.s : "",
					name.n);

	if (known != NA_NO_NAME) {
		struct na_recorder_group *o = &x->groups.v[x->named.v[known]];

		o->id = o->id < 0 ? id : o->id;
		return o->group;
	}
	desc = desc.n ? desc : name;
	g.group = na_fr_group(x->ranks, desc.s, desc.n, NULL, 0);
	return g.group != NA_NO_NAME && x->groups.n < 65536 && keep_group(x, g)
		       ? g.group
		       : NA_NO_NAME;
}

uint32_t na_recorder_name(struct na_recorder_dump *x, struct na_text text)
{
	size_t slot = ((uintptr_t)text.s ^ (uintptr_t)text.s >> 8) %
		      NA_LEN(x->recent);

	if (!text.n)
		return NA_NO_NAME;
	if (x->recent[slot].s != text.s || x->recent[slot].n != text.n) {
		x->recent[slot].s = text.s;
		x->recent[slot].n = (uint32_t)text.n;
		x->recent[slot].name = na_strtab_add(&x->ranks->names, text.s,
						     text.n);
	}
	return x->recent[slot].name;
}

/* ---- status */

struct numbered {
	int64_t number;
	size_t at;
};

NA_ORDER(by_number, struct numbered, NA_UP(number), NA_UP(at))

/* k-th of the status to k-th of the groups, if that is what the entries
 * say, too. */
static bool join_by_order(struct na_recorder_dump *x,
			  const struct na_dump_list *status)
{
	size_t n = status->n / 2;
	struct numbered *a = na_calloc(2 * n, sizeof(*a));
	struct numbered *b = a ? a + n : NULL;
	bool ok = a && n == x->groups.n;

	for (size_t i = 0; ok && i < n; i++) {
		uint64_t u = 0;

		a[i].at = b[i].at = i;
		ok = na_dump_int(&status->v[2 * i], &a[i].number) &&
		     na_text_number(x->groups.v[i].name, &u);
		b[i].number = (int64_t)u;
	}
	if (ok) {
		na_sort(a, n, by_number);
		na_sort(b, n, by_number);
	}
	for (size_t i = 0; ok && i < n; i++) {
		int64_t id = x->groups.v[b[i].at].id;

		ok = id < 0 || id == a[i].number;
	}
	for (size_t i = 0; ok && i < n; i++)
		x->groups.v[b[i].at].id = a[i].number;
	free(a);
	return ok;
}

/* The status by number; NULL: no memory. */
static struct numbered *number_status(const struct na_dump_list *status,
				      size_t *n)
{
	struct numbered *v = na_calloc(status->n / 2 + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; v && i + 1 < status->n; i += 2) {
		v[*n].at = i + 1;
		*n += na_dump_int(&status->v[i], &v[*n].number);
	}
	if (v)
		na_sort(v, *n, by_number);
	return v;
}

static int64_t last_of(const struct na_dump_value *status, const char *key)
{
	int64_t n;

	return na_dump_int(na_dump_get(status, key), &n) && n >= 0 ? n : -1;
}

static bool read_place(struct na_recorder_dump *x, uint32_t group,
		       const struct na_dump_value *status)
{
	struct na_fr_place *p = na_fr_place(x->dump, group);

	if (!p)
		return false;
	p->told = true;
	p->enqueued = last_of(status, "last_enqueued_collective");
	p->started = last_of(status, "last_started_collective");
	p->completed = last_of(status, "last_completed_collective");
	return true;
}

static bool read_places(struct na_recorder_dump *x)
{
	const struct na_dump_list *l =
		na_dump_items(na_dump_get(x->top, "pg_status"), NA_DUMP_DICT);
	struct numbered *status;
	size_t n = 0;
	bool ok;

	if (!l)
		return true;
	x->dump->places_unmatched = !join_by_order(x, l);
	status = number_status(l, &n);
	ok = status != NULL;
	for (size_t i = 0; ok && i < x->groups.n; i++) {
		const struct na_recorder_group *g = &x->groups.v[i];
		size_t at = NA_BOUND(k, 0, n, status[k].number >= g->id);

		if (g->id >= 0 && at < n && status[at].number == g->id)
			ok = read_place(x, g->group, &l->v[status[at].at]);
	}
	free(status);
	return ok;
}

/* ---- a file */

/* Entries come before the file is read to its end, and behind the groups. */
static enum na_status take_entry(void *ctx, const struct na_dump_value *top,
				 const struct na_dump_value *entry,
				 struct na_err *err)
{
	struct na_recorder_dump *x = ctx;
	bool ok;

	if (!x->has_groups) {
		x->top = top;
		ok = read_groups(x);
		x->top = NULL;
		if (!ok)
			return na_fail_nomem(err);
		if (!x->has_groups)
			return NA_END;
	}
	ok = na_recorder_entry(x, entry);
	return ok ? NA_OK : na_fail_nomem(err);
}

static bool read_top(struct na_recorder_dump *x, const char *path)
{
	struct na_text library =
		na_dump_text(na_dump_get(x->top, "comm_lib_version"));

	if (!library.n)
		library = na_dump_text(na_dump_get(x->top, "nccl_version"));
	x->dump->version =
		na_recorder_name(x,
				 na_dump_text(na_dump_get(x->top, "version")));
	x->dump->library = na_recorder_name(x, library);
	if (!x->has_groups && !read_groups(x))
		return false;
	x->dump->rank = na_recorder_rank(path);
	if (x->dump->rank < 0)
		x->dump->rank = shared_member(x);
	return na_recorder_entries_end(x) && read_places(x);
}

/* Status stands before the entries, which are most of a dump: where it is not
 * the last that was read, all of it is there. */
static bool has_status(const struct na_dump_value *top)
{
	const struct na_dump_list *l = na_dump_items(top, NA_DUMP_DICT);

	for (size_t i = 0; l && i + 3 < l->n; i += 2) {
		if (na_text_is(na_dump_text(&l->v[i]), "pg_status"))
			return true;
	}
	return false;
}

/* `st`: what reading its values came to, and why. */
static enum na_status add_dump(struct na_recorder_dump *x, const char *path,
			       enum na_status st, const char *why,
			       struct na_err *err)
{
	struct na_fr_dump *d = x->dump;

	d->cut = st != NA_OK;
	d->counted = d->cut && has_status(x->top);
	if (!read_top(x, path))
		return na_fail_nomem(err);
	if (d->rank < 0)
		return na_fail(err, NA_EFORMAT,
			       "%s: whose dump is it? its name does not end "
			       "in a rank, and its groups have no one member "
			       "in common; name it like nccl_trace_rank_3",
			       path);
	if (!na_add(&x->ranks->dumps, *d))
		return na_fail_nomem(err);
	*d = (struct na_fr_dump){.path = NULL};
	return st == NA_OK
		       ? NA_OK
		       : na_fail(err, NA_EFORMAT,
				 "%s: %s; what came before is used", path, why);
}

enum na_status na_recorder_read_bytes(struct na_flight_record *ranks,
				      const char *path, const uint8_t *p,
				      size_t n, bool all, struct na_err *err)
{
	struct na_fr_dump d = {.path = path,
			       .rank = -1,
			       .host = NA_NO_NAME,
			       .evidence = NA_BY_FLIGHT_RECORDER,
			       .oldest_ns = INT64_MIN,
			       .newest_ns = INT64_MIN};
	struct na_recorder_dump x = {.ranks = ranks,
				     .dump = &d,
				     .keeps_all = all};
	const struct na_pickle_items items = {"entries", take_entry, &x};
	struct na_err why = {.status = NA_OK};
	struct na_dump_store store = {0};
	struct na_dump_value top;
	enum na_status st =
		n && p[0] == 0x80
			? na_pickle_read(p, n, &store, &items, &top, &why)
			: na_recorder_json(p, n, &store, &top, &why);

	x.top = &top;
	if (st == NA_ENOMEM)
		na_fail_nomem(err);
	else if (top.kind != NA_DUMP_DICT)
		na_fail(err, NA_EFORMAT, "%s: %s", path,
			st == NA_OK ? "no recorder dump: its value is no "
				      "dictionary"
				    : why.text);
	else
		na_in_err(add_dump(&x, path, st, why.text, err));
	na_vec_free(&x.groups);
	na_vec_free(&x.named);
	na_strtab_fini(&x.group_names);
	na_fr_free_dump(&d);
	na_dump_store_fini(&store);
	return err->status;
}

enum na_status na_recorder_read(struct na_flight_record *x, const char *path,
				struct na_err *err)
{
	struct na_whole w;

	if (na_whole_open(&w, path, err) != NA_OK)
		return err->status;
	if (!w.n)
		return na_fail(err, NA_EIO, "%s: empty", path);
	na_in_err(na_recorder_read_bytes(x, path, w.p, w.n, false, err));
	na_whole_close(&w);
	return err->status;
}

/* netan ingest -o DIR: a transfer file for each input, in parallel; those that
 * are there and would be the same stay. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/newer.h"
#include "netan/base/order.h"
#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/ingest_names.h"
#include "netan/cli/commands/ingest_work.h"
#include "netan/cli/commands/inputs_own.h"
#include "netan/engine/anonymize.h"

bool na_ingest_is_dir(const char *path)
{
	size_t n = strlen(path);
	struct stat sb;

	return n && (path[n - 1] == '/' ||
		     (stat(path, &sb) == 0 && S_ISDIR(sb.st_mode)));
}

/* ---- the directory */

static enum na_exit say(const struct na_ingest_work *w, enum na_exit exit,
			const char *what)
{
	na_say_error(w->q, "%s: %s", w->dir, what);
	return exit;
}

static enum na_exit make_dir(struct na_ingest_work *w, const char *path)
{
	size_t n = strlen(path);
	struct stat sb;

	while (n > 1 && path[n - 1] == '/')
		n--;
	w->dir = na_arena_strn(&w->arena, path, n);
	if (!w->dir) {
		na_say_error(w->q, "out of memory");
		return NA_EXIT_FAILED;
	}
	w->new_dir = mkdir(w->dir, 0777) == 0;
	if (!w->new_dir && errno != EEXIST)
		return say(w, NA_EXIT_FAILED, strerror(errno));
	if (stat(w->dir, &sb) != 0 || !S_ISDIR(sb.st_mode))
		return say(w, NA_EXIT_FAILED, "is not a directory");
	if (access(w->dir, W_OK | X_OK) != 0)
		return say(w, NA_EXIT_FAILED, strerror(errno));
	return NA_EXIT_OK;
}

/* ---- what is there already */

/* Of one file alone, before it is opened: what depends on no other input. */
static void look(void *ctx, size_t i)
{
	struct na_ingest_work *w = ctx;
	struct na_xfer_source source = {.path = w->list.files[i].path,
					.label = w->list.files[i].label};
	const struct na_xfer_head head = {.sources = &source,
					  .n_sources = 1,
					  .asked = w->g->asked};
	struct stat file, is;
	bool same;

	if (na_interrupted() || stat(w->names[i], &is) != 0 ||
	    !S_ISREG(is.st_mode))
		return;
	same = stat(source.path, &file) == 0 && S_ISREG(file.st_mode) &&
	       na_newer(&is, &file);
	if (same)
		source.file_bytes = (uint64_t)file.st_size;
	w->made[i] = na_xfer_made_of(w->names[i], &head);
	w->made[i].same &= same && w->made[i].alone;
}

static bool unit_is_there(struct na_ingest_work *w,
			  const struct na_ingest_unit *u,
			  const struct na_session *sub)
{
	struct na_xfer_source *sources;
	struct na_xfer_head head = na_ingest_head(w->g, sub, &sources);
	struct stat file, is;
	bool there = sources && stat(w->names[u->named], &is) == 0 &&
		     S_ISREG(is.st_mode);

	if (there)
		w->made[u->named] = na_xfer_made_of(w->names[u->named], &head);
	there = there && w->made[u->named].same;
	for (size_t i = 0; there && i < sub->n_inputs; i++)
		there = stat(sub->inputs[i].path, &file) == 0 &&
			na_newer(&is, &file);
	free(sources);
	return there;
}

/* ---- units */

/* From the first to the last capture of the session: what passes between
 * hosts is in several of them. */
static void captures_of(const struct na_session *s, size_t *first, size_t *end)
{
	*first = *end = 0;
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (!s->inputs[i].capture)
			continue;
		*first = *end ? *first : i;
		*end = i + 1;
	}
}

/* Its bytes do not depend on when the others began. */
static void own_clock(struct na_session *s, const struct na_ingest_unit *u)
{
	for (size_t i = u->first; i < u->first + u->n; i++) {
		struct na_input *in = &s->inputs[i];

		if (in->has_time)
			in->zero_ns = in->first_ns;
	}
}

static bool cut_units(struct na_ingest_work *w)
{
	struct na_session *s = w->s;
	size_t first, end, named = 0, k;

	captures_of(s, &first, &end);
	for (size_t i = 0; i < s->n_inputs;) {
		struct na_ingest_unit u = {.first = i, .n = 1};

		if (i == first && end)
			u.n = end - first;
		while (u.first + u.n < s->n_inputs &&
		       s->inputs[u.first + u.n].path ==
			       s->inputs[u.first + u.n - 1].path)
			u.n++;
		for (k = named; k < w->list.n; k++) {
			if (w->list.files[k].path == s->inputs[i].path)
				break;
		}
		i += u.n;
		if (k == w->list.n)
			continue; /* came after the listing */
		u.named = named = k;
		u.there = w->made[k].same;
		if (u.n == 1 || !end)
			own_clock(s, &u);
		if (!na_add(&w->units, u))
			return false;
	}
	return true;
}

/* Who knows ranks of communicators alone learns from all others, and so does
 * who is to know names. */
static void look_again(struct na_ingest_work *w)
{
	bool comm_ranks = w->q->pseudonyms, all = true;

	for (size_t i = 0; i < w->s->n_inputs; i++)
		comm_ranks |= w->s->inputs[i].n_comm_ranks > 0;
	for (size_t i = 0; i < w->units.n; i++) {
		struct na_ingest_unit *u = &w->units.v[i];
		struct na_session sub = na_ingest_session(w, u);

		if (!u->there)
			u->there = unit_is_there(w, u, &sub);
		all &= u->there;
	}
	for (size_t i = 0; comm_ranks && !all && i < w->units.n; i++)
		w->units.v[i].there = false;
}

/* ---- of other traces */

/* Two pipes are never known to be the same. */
static bool is_anothers(const struct na_ingest_work *w, size_t k)
{
	const struct na_xfer_made *made = &w->made[k];

	return made->of_others != made->of_these
		       ? made->of_others ||
				 strcmp(w->list.files[k].path, "-") == 0
		       : false;
}

/* Before anything is written: what would be lost was made of another trace of
 * that name. */
static bool would_replace(const struct na_ingest_work *w)
{
	size_t first = 0, n = 0;
	char *from, more[64] = "";

	for (size_t i = 0; i < w->units.n; i++) {
		const struct na_ingest_unit *u = &w->units.v[i];

		if (!u->there && is_anothers(w, u->named) && !n++)
			first = u->named;
	}
	if (!n)
		return false;
	if (n > 1)
		snprintf(more, sizeof(more), " (and %zu more files)", n - 1);
	from = na_xfer_made_from(w->names[first]);
	if (w->q->pseudonyms)
		na_say_error(w->q,
			     "%s: file %zu is there of another input, or of "
			     "other options, and would be replaced%s: give "
			     "another directory, or remove what is there",
			     w->dir, first + 1, more);
	else
		na_say_error(w->q,
			     "%s was made from %s, and %s would replace it%s: "
			     "give another directory, or the input another "
			     "file name; or remove what is there",
			     w->names[first], from ? from : "another input",
			     w->list.files[first].path, more);
	free(from);
	return true;
}

/* What a file of several captures holds is not to be read from a file of one
 * of them, too. */
static void drop_parts(struct na_ingest_work *w, const struct na_ingest_unit *u)
{
	struct na_session sub = na_ingest_session(w, u);
	struct na_xfer_source *sources;
	struct na_xfer_head head = na_ingest_head(w->g, &sub, &sources);
	size_t k = u->named + 1;

	for (size_t i = 1; sources && i < u->n; i++) {
		struct na_xfer_made made;

		while (k < w->list.n &&
		       w->list.files[k].path != sub.inputs[i].path)
			k++;
		if (k == w->list.n)
			break;
		made = na_xfer_made_of(w->names[k], &head);
		if (made.of_these && !made.of_others)
			(void)!unlink(w->names[k]);
	}
	free(sources);
}

/* ---- what is said */

/* What else is in the directory is part of its session: other hosts', maybe,
 * that wrote theirs themselves. */
static void say_others(const struct na_ingest_work *w)
{
	size_t n = na_ingest_others(&w->place);

	if (n)
		printf("beside %s %zu of other inputs\n",
		       w->list.n == 1 ? "it" : "them", n);
}

static void find_unread(struct na_ingest_work *w)
{
	const struct na_session *s = w->s;
	size_t k = 0;

	/* Both in about the same order. */
	for (size_t r = 0; s && r < s->n_refused; r++) {
		const char *path = s->refused[r].path;
		size_t tried = 0;

		while (tried < w->list.n && w->list.files[k].path != path) {
			k = (k + 1) % w->list.n;
			tried++;
		}
		if (tried < w->list.n && !s->refused[r].format)
			w->unread[k] |= w->made[k].of_these;
	}
}

/* Under --anonymize nobody knows of what files are. */
static void say_stale(struct na_ingest_work *w)
{
	if (w->q->pseudonyms || w->g->cli->common.quiet)
		return;
	find_unread(w);
	na_ingest_say_stale(&w->place, w->unread);
}

static void say_damaged(const struct na_ingest_work *w)
{
	if (w->damaged)
		na_say_warning(w->q,
			       "%s: %zu of the files that were there %s of "
			       "damaged traces",
			       w->dir, w->damaged,
			       w->damaged == 1 ? "is" : "are");
}

static enum na_exit say_interrupted(const struct na_ingest_work *w,
				    size_t whole)
{
	na_say_warning(w->q,
		       "interrupted: %zu of %zu files %s whole and stay%s; the "
		       "same command goes on",
		       whole, w->list.n, whole == 1 ? "is" : "are",
		       whole == 1 ? "s" : "");
	return NA_EXIT_INTERRUPTED;
}

static void report(const struct na_ingest_work *w, size_t there)
{
	size_t all = w->written + there;
	char *dir = na_shown(w->q, w->dir), what[512];

	snprintf(what, sizeof(what), "%zu file%s in %s", w->written,
		 na_plural(w->written), dir ? dir : "it");
	if (w->written && !w->g->cli->common.quiet)
		na_ingest_report(what, &w->counts);
	if (there && !w->g->cli->common.quiet)
		printf("%zu of %zu %s there\n", there, all,
		       there == 1 ? "was" : "were");
	free(dir);
}

static bool say_damage_of_written(const struct na_ingest_work *w)
{
	bool damaged = false;

	for (size_t i = 0; i < w->units.n; i++) {
		const struct na_ingest_unit *u = &w->units.v[i];

		for (size_t k = u->first; !u->there && k < u->first + u->n;
		     k++) {
			na_session_say_damage(w->s, k);
			damaged |= w->s->inputs[k].damaged;
		}
	}
	return damaged;
}

static enum na_exit finish(struct na_ingest_work *w, size_t there)
{
	bool damaged = say_damage_of_written(w);
	bool empty = !there && na_session_say_empty(w->s, "nothing to keep");

	damaged |= w->damaged || na_session_unread(w->s) + w->unreadable > 0;
	say_damaged(w);
	report(w, there);
	if (na_interrupted())
		return say_interrupted(w, w->written + there);
	if (w->failed || empty || w->written + there == 0)
		return NA_EXIT_FAILED;
	return w->q->strict && damaged ? NA_EXIT_FAILED : NA_EXIT_OK;
}

/* ---- */

/* Those that are to be opened: which are not there, what could not be listed,
 * and one that is there, so that a run's new files are held against it. */
static bool choose(struct na_ingest_work *w, struct na_request *q, size_t *kept)
{
	const struct na_listing *l = &w->list;
	size_t companion = l->n, there = 0, n = l->n_said + l->n + 1;
	struct na_request_input *to = na_arena_alloc(&w->arena,
						     n * sizeof(*to));

	if (!to)
		return false;
	*q = *w->q;
	q->inputs = to;
	q->n_inputs = *kept = 0;
	for (size_t i = 0; i < l->n; i++)
		there += w->made[i].same;
	for (size_t i = 0; i < l->n_said; i++) {
		if (l->said[i].refused)
			to[q->n_inputs++] = *l->said[i].of;
	}
	if (there < l->n || q->n_inputs)
		while (companion-- > 0 && !w->made[companion].same)
			;
	for (size_t i = 0; i < l->n; i++) {
		if (w->made[i].same && i != companion) {
			w->damaged += w->made[i].damaged;
			++*kept;
			continue;
		}
		to[q->n_inputs++] = (struct na_request_input){
			l->files[i].path, l->files[i].label,
			!na_request_names(w->q, l->files[i].path)};
	}
	return true;
}

static enum na_exit short_of_memory(const struct na_ingest_work *w)
{
	/* Unless a file has said so. */
	if (!w->failed)
		na_say_nomem(w->q);
	return NA_EXIT_FAILED;
}

static size_t count_to_do(struct na_ingest_work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->units.n; i++) {
		const struct na_ingest_unit *u = &w->units.v[i];

		n += !u->there;
		w->damaged += u->there && w->made[u->named].damaged;
	}
	return n;
}

static enum na_exit write_all(struct na_ingest_work *w,
			      const struct na_request *q, size_t kept)
{
	size_t there = 0, to_do = 0, threads = na_threads_of(q);

	if (!cut_units(w))
		return short_of_memory(w);
	look_again(w);
	if (would_replace(w))
		return NA_EXIT_USAGE;
	to_do = count_to_do(w);
	there = kept + w->units.n - to_do;
	w->threads = to_do && !w->q->pseudonyms ? (threads + to_do - 1) / to_do
						: threads;
	if (!na_ingest_write_units(w, threads))
		return short_of_memory(w);
	for (size_t i = 0; i < w->units.n; i++) {
		const struct na_ingest_unit *u = &w->units.v[i];

		if (u->n > 1 && (u->there || u->whole))
			drop_parts(w, u);
	}
	na_say_progress(w->q, NULL, 1);
	return finish(w, there);
}

/* Names, and what is there under them.  False: no memory. */
static bool look_at_all(struct na_ingest_work *w)
{
	size_t n = w->list.n + 1;

	w->names = na_ingest_names(&w->list, w->dir, w->q->pseudonyms,
				   &w->arena);
	w->made = na_arena_alloc(&w->arena, n * sizeof(*w->made));
	w->unread = na_arena_alloc(&w->arena, n * sizeof(*w->unread));
	if (!w->names || !w->made || !w->unread)
		return false;
	w->place = (struct na_ingest_place){.q = w->q,
					    .dir = w->dir,
					    .list = &w->list,
					    .names = w->names};
	if (!na_ingest_sort(&w->place, &w->arena))
		return false;
	na_ingest_sweep(&w->place);
	/* Numbers of names are those of all inputs. */
	return w->q->pseudonyms ||
	       na_parallel(na_threads_of(w->q), w->list.n, look, w);
}

static enum na_exit open_and_write(struct na_ingest_work *w,
				   struct na_session *s,
				   const struct na_request *q, size_t kept)
{
	enum na_exit exit;

	w->s = s;
	exit = na_exit_of(na_session_open(s, q, na_ingest_wants(w->g)));
	if (na_interrupted())
		exit = say_interrupted(w, kept);
	else if (exit == NA_EXIT_OK)
		exit = write_all(w, q, kept);
	if (exit == NA_EXIT_OK || exit == NA_EXIT_FAILED)
		say_stale(w);
	na_session_close(s);
	return exit;
}

static enum na_exit run(struct na_ingest_work *w, struct na_session *s)
{
	struct na_request q;
	size_t kept;
	enum na_exit exit;

	if (!na_list_inputs(w->q, &w->arena, &w->list))
		return short_of_memory(w);
	if (na_is_inputs_own(w->q, &w->list, w->dir))
		return say(w, NA_EXIT_USAGE, na_inputs_own_said);
	if (!look_at_all(w) || !choose(w, &q, &kept))
		return short_of_memory(w);
	if (na_ingest_say_twice(&w->place))
		return NA_EXIT_USAGE;
	if (q.n_inputs) {
		exit = open_and_write(w, s, &q, kept);
	} else {
		say_damaged(w);
		report(w, kept);
		say_stale(w);
		exit = w->q->strict && w->damaged ? NA_EXIT_FAILED : NA_EXIT_OK;
	}
	if (exit == NA_EXIT_OK && !w->g->cli->common.quiet)
		say_others(w);
	return exit;
}

enum na_exit na_ingest_dir(const struct na_ingest *g, const char *path)
{
	struct na_ingest_work w = {.g = g, .q = &g->cli->request};
	struct na_session s;
	enum na_exit exit;

	na_catch_interrupt();
	na_catch_termination();
	pthread_mutex_init(&w.lock, NULL);
	exit = make_dir(&w, path);
	if (exit == NA_EXIT_OK)
		exit = run(&w, &s);
	if (w.new_dir)
		(void)!rmdir(w.dir); /* where nothing came into it */
	pthread_mutex_destroy(&w.lock);
	na_vec_free(&w.units);
	na_listing_fini(&w.list);
	na_arena_fini(&w.arena);
	return exit;
}

/*
 * --cache DIR: a transfer file for each trace, which says all that the trace
 * would, and is read in a fraction of the time.  What a trace says that a
 * transfer file might say otherwise (damage, warnings, programs too large to
 * keep) is read from the trace.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/transfer_file/write.h"
#include "netan/base/atomic_file.h"
#include "netan/base/hash.h"
#include "netan/base/str.h"
#include "netan/engine/hashing.h"
#include "netan/engine/session/files.h"

/* ---- the directory */

/* The session of a directory of traces would have them twice. */
static bool lies_in(const char *path, const struct stat *dir)
{
	char *folder = na_folder_of(path);
	struct stat is;
	bool in = folder && stat(folder, &is) == 0 &&
		  is.st_dev == dir->st_dev && is.st_ino == dir->st_ino;

	free(folder);
	return in;
}

enum na_status na_cache_begin(const struct na_session *s,
			      const struct na_files *l, struct na_err *err)
{
	const char *dir = s->request->cache;
	struct stat is;

	if (!dir)
		return NA_OK;
	if (!*dir)
		return na_fail(err, NA_EUSAGE,
			       "--cache: the directory has no name; is a shell "
			       "variable not set?");
	/* Who cannot make it, cannot write there, and says so. */
	(void)!mkdir(dir, 0777);
	if (stat(dir, &is) != 0)
		return NA_OK;
	for (size_t i = 0; i < l->n; i++) {
		if (lies_in(l->v[i].listed.path, &is))
			return na_fail(err, NA_EUSAGE,
				       "--cache %s: inputs lie there (%s): "
				       "give a directory of its own",
				       dir, l->v[i].listed.path);
	}
	/* None is ours: another run may write the same on another node. */
	na_atomic_sweep(dir, ".netan", NULL, NULL);
	return NA_OK;
}

/* ---- a file in it */

static uint64_t hashed(uint64_t h, const char *text)
{
	return na_fnv1a(h, text, strlen(text) + 1);
}

static uint64_t number(uint64_t h, int64_t n)
{
	return na_fnv1a(h, &n, sizeof(n));
}

/* Traces of one name lie in other folders, and on nodes with disks of their
 * own at the same path; a trace holds more or less as --line says. */
static uint64_t key_of(const struct na_request *q, const char *trace,
		       const struct stat *is)
{
	char *real = realpath(trace, NULL), node[256] = "";
	uint64_t h = hashed(hashed(NA_FNV1A, real ? real : ""), trace);

	free(real);
	if (q->local.n && gethostname(node, sizeof(node) - 1) == 0)
		h = hashed(h, node);
	for (size_t i = 0; i < q->line.n; i++)
		h = hashed(h, q->line.items[i]);
	return na_hash_samples(number(h, is->st_size), trace);
}

/* What a file must say of itself.  Times are compared with each other, never
 * with a clock: who has written the trace may have another one.  A reader of
 * the same version that was mended since has something else to say. */
static uint64_t asked_of(const struct na_request *q, uint64_t key,
			 const struct stat *is)
{
	uint64_t h = number(number(key, is->st_mtim.tv_sec),
			    is->st_mtim.tv_nsec);

	return hashed(h, q->commit ? q->commit : "");
}

/* HOST-0123456789abcdef.netan; NULL: no memory. */
static char *place_of(const struct na_request *q, const char *trace,
		      uint64_t key)
{
	enum { HOST_BYTES = 100 };
	struct na_arena names = {.blocks = NULL};
	bool by_form;
	const char *host = na_host_of_path(trace, &names, &by_form);
	char *path = NULL;

	if (host && asprintf(&path, "%s/%.*s-%016" PRIx64 ".netan", q->cache,
			     HOST_BYTES, host, key) < 0)
		path = NULL;
	na_arena_fini(&names);
	return path;
}

struct place {
	const char *path, *trace;
	uint64_t asked, trace_bytes;
};

/* Is it there, whole, and of the trace as it is now?  `in` NULL: looks at what
 * may have to be replaced. */
static bool is_of(const struct place *p, const struct na_input *in,
		  bool *damaged)
{
	const struct na_xfer_source source = {.path = p->trace,
					      .file_bytes = p->trace_bytes};
	const struct na_xfer_head head = {.sources = &source,
					  .n_sources = 1,
					  .asked = p->asked};
	struct na_xfer_made made = in ? na_xfer_made_in(in, &head)
				      : na_xfer_made_of(p->path, &head);

	*damaged = made.damaged && !made.same;
	return made.same;
}

static enum na_status make(const struct na_request *of, const struct place *p,
			   size_t threads, struct na_err *err)
{
	struct na_request_input one = {.path = p->trace, .found = true};
	struct na_request q = *of;

	q.inputs = &one;
	q.n_inputs = 1;
	q.speaker = (struct na_speaker){.say = NULL};
	q.pseudonyms = NULL; /* names are hidden where they are shown */
	q.world = NULL;
	q.mpi = NULL;
	q.local = (struct na_text_list){.n = 0};
	q.cache = q.hosts = NULL;
	q.threads = (int64_t)threads;
	return of->stand_in(&q, p->asked, p->path, err);
}

/* Looks again, at what it has opened: another node may have put a file of its
 * own there since. */
static bool open_there(const struct na_session *s, const struct place *p,
		       struct na_input *in)
{
	struct na_err err = {.status = NA_OK};
	bool damaged;

	if (na_input_open(in, p->path, s->wants, &s->asks, &err) != NA_OK)
		return false;
	if (!in->damaged && !in->n_warnings && !in->slim_programs &&
	    is_of(p, in, &damaged) && na_xfer_stand_in(in, p->trace))
		return true;
	na_input_close(in);
	return false;
}

/* The first that cannot be written says why; the others need not try. */
static void note_unmade(struct na_files *l, struct na_file *f,
			const struct na_err *err)
{
	f->cached = NA_CACHED_UNMADE;
	if (!atomic_exchange(&l->unwritable, true))
		f->unmade = strdup(err->text);
}

static bool is_kept(const struct place *p)
{
	const struct na_reader *r = na_input_known(p->trace);

	return r && r->alone;
}

/* False: there is none. */
static bool find_or_make(struct na_session *s, struct na_files *l,
			 struct na_file *f, const struct place *p,
			 size_t threads)
{
	struct na_err err = {.status = NA_OK};
	bool damaged;

	f->cached = NA_CACHED_FOUND;
	if (is_of(p, NULL, &damaged))
		return true;
	f->cached = NA_CACHED_NOT;
	if (!is_kept(p))
		return false;
	if (atomic_load(&l->unwritable)) {
		f->cached = NA_CACHED_UNMADE;
		return false;
	}
	switch (make(s->request, p, threads, &err)) {
	case NA_OK:
		f->cached = damaged ? NA_CACHED_MADE_ANEW : NA_CACHED_MADE;
		return true;
	case NA_EIO:
		/* Without a text the trace cannot be read, as it will say. */
		if (*err.text)
			note_unmade(l, f, &err);
		return false;
	default:
		return false;
	}
}

bool na_cache_open(struct na_session *s, struct na_files *l, struct na_file *f,
		   size_t threads, struct na_input *in)
{
	const struct na_request *q = s->request;
	struct place p = {.trace = f->listed.path};
	struct stat is;
	uint64_t key;
	char *path;
	bool open;

	if (!q->cache || stat(p.trace, &is) != 0 || !S_ISREG(is.st_mode))
		return false;
	key = key_of(q, p.trace, &is);
	p.asked = asked_of(q, key, &is);
	p.trace_bytes = (uint64_t)is.st_size;
	p.path = path = place_of(q, p.trace, key);
	open = path && find_or_make(s, l, f, &p, threads) &&
	       open_there(s, &p, in);
	if (!open && f->cached != NA_CACHED_UNMADE)
		f->cached = NA_CACHED_NOT;
	free(path);
	return open;
}

/* ---- what is said */

bool na_cache_is_shards(const struct na_session *s)
{
	const struct na_world *w = s->request->world;

	return w && w->files;
}

struct outcome {
	size_t inputs, n[NA_CACHED_UNMADE + 1];
	const struct na_file *anew; /* the first */
	const char *why;            /* nothing can be written */
};

/* Of a shard's own, or of all. */
static struct outcome outcome_of(const struct na_files *l, bool own)
{
	struct outcome x = {.anew = NULL};

	for (size_t i = 0; i < l->n; i++) {
		const struct na_file *f = &l->v[i];

		if (own && !f->mine)
			continue;
		x.n[f->cached]++;
		x.inputs++;
		if (f->cached == NA_CACHED_MADE_ANEW && !x.anew)
			x.anew = f;
		x.why = x.why ? x.why : f->unmade;
	}
	return x;
}

void na_cache_say(const struct na_session *s, const struct na_files *l)
{
	struct na_request q = *s->request;
	bool shard = na_cache_is_shards(s);
	struct outcome x = outcome_of(l, shard);
	size_t anew = x.n[NA_CACHED_MADE_ANEW], unmade = x.n[NA_CACHED_UNMADE];
	size_t made = x.n[NA_CACHED_MADE] + anew;

	/* What merges shards has no files. */
	if (!q.cache || (shard && !q.world->rank))
		return;
	if (shard)
		q.world = NULL;
	if (anew)
		na_say_warning(&q,
			       "--cache %s: %zu transfer file%s there %s "
			       "damaged, and made anew (the first of %s)",
			       q.cache, anew, na_plural(anew),
			       anew == 1 ? "was" : "were", x.anew->listed.path);
	if (unmade)
		na_say_warning(&q, "--cache %s: %s; %zu trace%s read as %s",
			       q.cache, x.why ? x.why : "cannot be written",
			       unmade, unmade == 1 ? " is" : "s are",
			       unmade == 1 ? "it is" : "they are");
	na_say_detail(&q,
		      "--cache %s: %zu of %zu inputs read from there, %zu of "
		      "them written by this run",
		      q.cache, x.n[NA_CACHED_FOUND] + made, x.inputs, made);
}

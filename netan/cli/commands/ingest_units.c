/* netan ingest -o DIR: the files that are not there yet. */
#include <pthread.h>

#include "netan/cli/commands/ingest_work.h"

struct na_session na_ingest_session(const struct na_ingest_work *w,
				    const struct na_ingest_unit *u)
{
	struct na_session sub = *w->s;

	sub.inputs += u->first;
	sub.sources += u->first;
	sub.n_inputs = u->n;
	sub.threads = w->threads;
	return sub;
}

static void add_counts(struct na_xfer_counts *to,
		       const struct na_xfer_counts *c)
{
	to->bytes += c->bytes;
	to->transfers += c->transfers;
	to->others += c->others;
	to->transfer_bytes += c->transfer_bytes;
	to->other_bytes += c->other_bytes;
}

/* A full disk, or no memory, fails all that come; a bad input is one. */
static void take(struct na_ingest_work *w, const struct na_err *err, bool whole,
		 const struct na_xfer_counts *counts)
{
	bool stop = err->status == NA_EIO || err->status == NA_ENOMEM;

	pthread_mutex_lock(&w->lock);
	if (stop && !w->failed)
		na_say_error(w->q, "%s", err->text);
	else if (err->status < NA_OK && !stop)
		na_say_warning(w->q, "%s", err->text);
	w->failed |= stop;
	w->unreadable += err->status < NA_OK && !stop;
	w->written += whole;
	if (whole)
		add_counts(&w->counts, counts);
	na_say_progress(w->q, "writing",
			(double)++w->done / (double)w->units.n);
	pthread_mutex_unlock(&w->lock);
}

static bool goes_on(struct na_ingest_work *w)
{
	bool stop;

	pthread_mutex_lock(&w->lock);
	stop = w->failed || na_interrupted();
	pthread_mutex_unlock(&w->lock);
	return !stop;
}

/* False: err says why, or it was interrupted. */
static bool put_unit(struct na_ingest_work *w, const struct na_ingest_unit *u,
		     FILE *to, struct na_xfer_counts *counts,
		     struct na_err *err)
{
	struct na_request quiet = *w->q;
	struct na_session sub = na_ingest_session(w, u);

	quiet.speaker.progress = NULL;
	sub.request = &quiet;
	return na_ingest_put_first(w->g, &sub, to, w->names[u->named], counts,
				   err) == NA_OK &&
	       !sub.interrupted;
}

static void end_unit(struct na_ingest_work *w, struct na_ingest_unit *u,
		     struct na_outfile *out, bool whole,
		     const struct na_xfer_counts *counts, struct na_err *err)
{
	struct na_err late = {.status = NA_OK};

	if (out &&
	    na_outfile_close(out, w->names[u->named], whole, &late) != NA_OK) {
		whole = false;
		*err = late;
	}
	u->whole = whole;
	if (err->status < NA_OK)
		w->unread[u->named] = w->made[u->named].of_these;
	take(w, err, whole, counts);
}

static void write_unit(void *ctx, size_t i)
{
	struct na_ingest_work *w = ctx;
	struct na_ingest_unit *u = &w->units.v[i];
	struct na_xfer_counts counts = {.bytes = 0};
	struct na_err err = {.status = NA_OK};
	struct na_outfile out;
	bool whole = false;

	if (u->there || !goes_on(w))
		return;
	if (na_outfile_open(&out, w->names[u->named], &err) == NA_OK) {
		whole = put_unit(w, u, out.stream, &counts, &err);
		end_unit(w, u, &out, whole, &counts, &err);
	} else {
		take(w, &err, false, &counts);
	}
}

/* ---- --anonymize: all are read before one is written */

static void read_unit(struct na_ingest_work *w, struct na_ingest_unit *u,
		      FILE *first)
{
	struct na_err err = {.status = NA_OK};

	if (!u->there && goes_on(w) && !put_unit(w, u, first, &u->counts, &err))
		end_unit(w, u, NULL, false, &u->counts, &err);
	else
		u->read = !u->there && goes_on(w);
}

static void hide_unit(struct na_ingest_work *w, struct na_ingest_unit *u,
		      FILE *first, uint64_t *at)
{
	const char *name = w->names[u->named];
	struct na_err err = {.status = NA_OK};
	uint64_t n = u->counts.bytes;
	struct na_outfile out;
	bool whole;

	if (u->read && goes_on(w)) {
		if (na_outfile_open(&out, name, &err) == NA_OK) {
			whole = na_ingest_hide(w->q, first, *at, n, out.stream,
					       name, &u->counts.bytes,
					       &err) == NA_OK;
			end_unit(w, u, &out, whole, &u->counts, &err);
		} else {
			take(w, &err, false, &u->counts);
		}
	}
	*at += n;
}

static void write_hidden(struct na_ingest_work *w)
{
	struct na_err err = {.status = NA_OK};
	FILE *first = na_ingest_first(&err);
	uint64_t at = 0;

	if (!first) {
		take(w, &err, false, &w->counts);
		return;
	}
	for (size_t i = 0; i < w->units.n; i++)
		read_unit(w, &w->units.v[i], first);
	for (size_t i = 0; i < w->units.n; i++)
		hide_unit(w, &w->units.v[i], first, &at);
	fclose(first);
}

bool na_ingest_write_units(struct na_ingest_work *w, size_t threads)
{
	if (!w->q->pseudonyms)
		return na_parallel(threads, w->units.n, write_unit, w);
	write_hidden(w);
	return true;
}

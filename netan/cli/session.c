#include "netan/cli/session.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/vec.h"

struct listed {
	const char *path, *label;
};

struct listing {
	struct listed *files;
	size_t n, cap;
};

static void refuse(struct na_session *s, const char *path, const char *label,
		   const char *why)
{
	char *copy = strdup(why);

	/* With one input, what is wrong with it is the whole story. */
	if (s->only_one)
		na_say_error(s->cli, "%s", why);
	else
		na_say_warning(s->cli, "%s", why);
	if (copy && na_grow(&s->refused, &s->cap_refused, s->n_refused + 1,
			    sizeof(*s->refused)))
		s->refused[s->n_refused++] = (struct na_refused){path, label,
								 copy};
	else
		free(copy);
}

static bool list_files(struct na_session *s, struct listing *l)
{
	for (size_t i = 0; i < s->cli->n_inputs; i++) {
		const struct na_cli_input *in = &s->cli->inputs[i];
		struct na_err err = {.status = NA_OK};
		struct na_found found;

		if (na_discover(in->path, &s->arena, &found, &err) != NA_OK) {
			refuse(s, in->path, in->label, err.text);
			free(found.paths);
			continue;
		}
		if (found.note && na_grow(&s->notes, &s->cap_notes,
					  s->n_notes + 1, sizeof(*s->notes)))
			s->notes[s->n_notes++] = found.note;
		if (!na_grow(&l->files, &l->cap, l->n + found.n,
			     sizeof(*l->files))) {
			free(found.paths);
			return false;
		}
		s->only_one &= found.n == 1;
		for (size_t k = 0; k < found.n; k++)
			l->files[l->n++] = (struct listed){found.paths[k],
							   in->label};
		free(found.paths);
	}
	return true;
}

struct opening {
	struct na_session *s;
	struct listing *l;
	struct na_input *inputs;
	struct na_err *errs;
};

static void open_one(void *ctx, size_t i)
{
	struct opening *o = ctx;

	if (na_interrupted())
		na_fail(&o->errs[i], NA_EIO, "%s: not read: interrupted",
			o->l->files[i].path);
	else
		na_input_open(&o->inputs[i], o->l->files[i].path, o->s->wants,
			      &o->s->asks, &o->errs[i]);
}

/* The file's name when it has the form of a trace's, else what the trace
 * says of its host. */
static bool name_host(struct na_session *s, struct na_input *in)
{
	bool by_form;
	const char *name = na_host_of_path(in->path, &s->arena, &by_form);

	if (!name)
		return false;
	if (by_form || !in->host || !*in->host)
		in->host = strcmp(in->path, "-") ? name : "stdin";
	return true;
}

/* One more input, opened or copied to its place by the caller. */
static bool kept(struct na_session *s, const char *label)
{
	struct na_input *in = &s->inputs[s->n_inputs++];

	if (!in->warnings)
		in->warnings_end = &in->warnings;
	if (!name_host(s, in))
		return false;
	s->sources[s->n_inputs - 1] =
		(struct na_source){.host = in->host,
				   .label = label ? label : in->label};
	return true;
}

static size_t sources_of(const struct na_input *in)
{
	return in->n_sources > 1 ? in->n_sources : 1;
}

static bool room_for(struct na_session *s, const struct listing *l,
		     const struct opening *o)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += o->errs[i].status == NA_OK ? sources_of(&o->inputs[i]) : 0;
	s->inputs = na_calloc(n, sizeof(*s->inputs));
	s->sources = na_calloc(n, sizeof(*s->sources));
	return s->inputs && s->sources;
}

/* Each source in a file is an input of its own. */
static bool keep_opened(struct na_session *s, struct listing *l,
			struct opening *o)
{
	if (!room_for(s, l, o))
		return false;
	for (size_t i = 0; i < l->n; i++) {
		struct na_input *first = &s->inputs[s->n_inputs];
		const char *label = l->files[i].label;
		size_t n = sources_of(&o->inputs[i]);

		if (o->errs[i].status != NA_OK) {
			refuse(s, l->files[i].path, label, o->errs[i].text);
			continue;
		}
		*first = o->inputs[i];
		o->inputs[i].path = NULL; /* moved */
		if (!kept(s, label))
			return false;
		for (size_t k = 1; k < n; k++) {
			struct na_err err = {.status = NA_OK};

			if (na_input_open_source(&s->inputs[s->n_inputs], first,
						 k, &err) != NA_OK)
				refuse(s, first->path, label, err.text);
			else if (!kept(s, label))
				return false;
		}
	}
	return true;
}

static bool same_label(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* One run for each label, numbered in order of appearance. */
static void number_runs(struct na_session *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		size_t k = 0;

		while (k < i &&
		       !same_label(s->sources[k].label, s->sources[i].label))
			k++;
		s->sources[i].run = k < i ? s->sources[k].run : n++;
	}
}

/* Two captures are of one run when their profiled times meet. */
static bool apart(const struct na_input *a, const struct na_input *b)
{
	if (!a->profile_start_ns || !a->profile_stop_ns ||
	    !b->profile_start_ns || !b->profile_stop_ns)
		return false;
	return a->profile_start_ns > b->profile_stop_ns ||
	       b->profile_start_ns > a->profile_stop_ns;
}

/* Different runs must not be mixed by accident. */
static bool runs_mixed(struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct na_input *a = &s->inputs[i];
			const struct na_input *b = &s->inputs[k];
			const char *what = NULL;

			if (!same_label(s->sources[i].label,
					s->sources[k].label) ||
			    (a->path == b->path && a->source != b->source))
				continue; /* a file's hosts are one run */
			if (strcmp(a->host, b->host) == 0)
				what = "are of the same host";
			else if (apart(a, b))
				what = "were captured at different times";
			if (!what)
				continue;
			na_say_error(
				s->cli,
				"%s and %s %s: inputs of "
				"different runs need a --label NAME before "
				"each",
				b->path, a->path, what);
			return true;
		}
	}
	return false;
}

/* The origin: smallest line time on the wall clock, where all have one;
 * each labelled run has an origin of its own, so that runs lie side by
 * side. */
static void settle_origin(struct na_session *s)
{
	s->one_clock = true;
	for (size_t i = 0; i < s->n_inputs; i++)
		s->one_clock &= s->inputs[i].has_wall || !s->inputs[i].has_time;
	for (size_t i = 0; i < s->n_inputs; i++) {
		struct na_input *in = &s->inputs[i];
		bool found = in->has_time;

		in->zero_ns = in->first_ns;
		for (size_t k = 0; s->one_clock && k < s->n_inputs; k++) {
			const struct na_input *other = &s->inputs[k];

			if (!other->has_time ||
			    s->sources[k].run != s->sources[i].run)
				continue;
			if (!found || other->first_ns < in->zero_ns)
				in->zero_ns = other->first_ns;
			found = true;
		}
	}
	for (size_t i = s->n_inputs; i-- > 0;) {
		if (s->inputs[i].has_time)
			s->origin_unix_ns = s->inputs[i].zero_ns;
	}
}

/* One file without the wall clock leaves all hosts unaligned: name it. */
static void say_clocks(const struct na_session *s)
{
	for (size_t i = 0; !s->one_clock && i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (in->has_time && !in->has_wall && s->n_inputs > 1)
			na_say_warning(s->cli,
				       "%s does not tell the wall clock (plane "
				       "\"Task Environment\"): every file "
				       "counts time from its own first line; "
				       "without this file they can be aligned",
				       in->path);
	}
}

static size_t threads_of(const struct na_cli *cli)
{
	long n = cli->common.threads;

	if (n <= 0)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 256 ? 256 : (size_t)n;
}

enum na_exit na_session_open(struct na_session *s, const struct na_cli *cli,
			     uint32_t wants)
{
	struct listing l = {NULL, 0, 0};
	struct opening o = {.s = s, .l = &l};
	enum na_exit exit = NA_EXIT_FAILED;

	*s = (struct na_session){.cli = cli, .wants = wants};
	s->asks = (struct na_input_asks){&cli->common.line, NULL,
					 NA_UNKNOWN_U32};
	s->threads = threads_of(cli);
	s->only_one = cli->n_inputs == 1;
	na_arena_init(&s->arena);
	if (!list_files(s, &l))
		goto nomem;
	o.inputs = na_calloc(l.n, sizeof(*o.inputs));
	o.errs = na_calloc(l.n, sizeof(*o.errs));
	if (!o.inputs || !o.errs ||
	    !na_parallel(s->threads, l.n, open_one, &o) ||
	    !keep_opened(s, &l, &o))
		goto nomem;
	number_runs(s);
	if (!s->n_inputs) {
		if (!s->only_one)
			na_say_error(cli, "no readable input");
		goto out;
	}
	if (runs_mixed(s)) {
		exit = NA_EXIT_USAGE;
		goto out;
	}
	settle_origin(s);
	say_clocks(s);
	exit = NA_EXIT_OK;
	goto out;
nomem:
	na_say_error(cli, "out of memory");
out:
	for (size_t i = 0; o.inputs && o.errs && i < l.n; i++) {
		if (o.inputs[i].path && o.errs[i].status == NA_OK)
			na_input_close(&o.inputs[i]);
	}
	free(l.files);
	free(o.inputs);
	free(o.errs);
	return exit;
}

/* Blocks are handed out and merged in input order, whatever thread reads
 * them: a finished part waits until all before it are in. */
struct waiting {
	struct na_part part;
	size_t input;
	struct waiting *next;
	uint64_t number;
	struct na_err err;
};

struct reading {
	struct na_session *s;
	pthread_mutex_t lock;
	pthread_cond_t merged;
	size_t input;          /* being cut */
	uint64_t cut, taken;   /* blocks handed out; merged */
	struct waiting *parts; /* finished, not merged */
	struct na_err err;
	struct na_progress progress;
	uint64_t bytes, all_bytes;
};

static bool next_block(struct reading *r, struct na_block *b, size_t *input,
		       uint64_t *number)
{
	struct na_session *s = r->s;

	while (r->input < s->n_inputs && r->err.status == NA_OK &&
	       !na_interrupted()) {
		struct na_input *in = &s->inputs[r->input];
		enum na_status st = in->reader->cut(in, b, &r->err);

		if (st == NA_OK) {
			*input = r->input;
			*number = r->cut++;
			r->bytes += (uint64_t)(b->end - b->p);
			na_progress_tell(&r->progress, "reading",
					 (double)r->bytes /
						 ((double)r->all_bytes + 1));
			return true;
		}
		r->input++;
	}
	return false;
}

static void merge_ready(struct reading *r)
{
	for (;;) {
		struct waiting **at = &r->parts, *w;

		while (*at && (*at)->number != r->taken)
			at = &(*at)->next;
		if (!*at)
			return;
		w = *at;
		*at = w->next;
		if (w->err.status != NA_OK)
			na_fail(&r->err, w->err.status, "%s: %s",
				r->s->inputs[w->input].path, w->err.text);
		else
			na_store_take(&r->s->store, &w->part, w->input,
				      &r->err);
		na_part_fini(&w->part);
		free(w);
		r->taken++;
		pthread_cond_broadcast(&r->merged);
	}
}

static void read_block(struct reading *r, const struct na_block *b,
		       struct waiting *w)
{
	const struct na_input *in = &r->s->inputs[w->input];
	struct na_sink sink = na_part_sink(&w->part);

	if (in->reader->read(in, b, &sink, &w->err) != NA_OK)
		na_fail_nomem(&w->err); /* unless the reader said more */
}

static void reader(void *ctx, size_t thread)
{
	struct reading *r = ctx;
	struct na_block b;

	(void)thread;
	pthread_mutex_lock(&r->lock);
	for (;;) {
		struct waiting *w = calloc(1, sizeof(*w));

		if (!w)
			na_fail_nomem(&r->err);
		/* Stay close to what is merged: waiting parts cost memory. */
		while (w && r->cut > r->taken + 4 * r->s->threads)
			pthread_cond_wait(&r->merged, &r->lock);
		if (!w || !next_block(r, &b, &w->input, &w->number)) {
			free(w);
			break;
		}
		pthread_mutex_unlock(&r->lock);
		na_part_init(&w->part, &r->s->store.pool, &r->s->filter,
			     r->s->wants);
		read_block(r, &b, w);
		pthread_mutex_lock(&r->lock);
		w->next = r->parts;
		r->parts = w;
		merge_ready(r);
	}
	pthread_mutex_unlock(&r->lock);
}

static void after_reading(struct na_session *s)
{
	s->interrupted = na_interrupted();
	for (size_t i = 0; i < s->n_inputs; i++)
		s->damaged |= s->inputs[i].damaged ||
			      s->store.tallies[i].left_out[NA_LEFT_DAMAGED];
	s->damaged |= s->n_refused > 0;
}

enum na_exit na_session_read(struct na_session *s, bool by_step)
{
	struct reading r = {.s = s};
	enum na_status st;

	s->store_ready = true;
	st = na_store_init(&s->store, s->sources, s->n_inputs, &r.err);
	for (size_t i = 0; i < s->n_inputs; i++)
		r.all_bytes += s->inputs[i].size;
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.merged, NULL);
	na_progress_start(&r.progress, s->cli);
	if (st == NA_OK && !na_parallel(s->threads, s->threads, reader, &r))
		na_fail_nomem(&r.err);
	na_progress_end(&r.progress);
	pthread_cond_destroy(&r.merged);
	pthread_mutex_destroy(&r.lock);
	if (r.err.status == NA_OK) {
		after_reading(s);
		na_store_resolve(&s->store,
				 (enum na_anchor)s->cli->common.anchor, by_step,
				 &r.err);
	}
	if (r.err.status != NA_OK) {
		na_say_error(s->cli, "%s", r.err.text);
		return NA_EXIT_FAILED;
	}
	return NA_EXIT_OK;
}

void na_session_close(struct na_session *s)
{
	if (s->store_ready)
		na_store_fini(&s->store);
	for (size_t i = s->n_inputs; i-- > 0;) /* borrowers first */
		na_input_close(&s->inputs[i]);
	for (size_t i = 0; i < s->n_refused; i++)
		free(s->refused[i].why);
	free(s->inputs);
	free(s->refused);
	free(s->notes);
	free(s->sources);
	if (s->topology)
		na_topology_fini(s->topology);
	free(s->topology);
	na_arena_fini(&s->arena);
}

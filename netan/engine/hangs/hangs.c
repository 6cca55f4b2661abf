#include "netan/engine/hangs/hangs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ingest/bytes/file_kind.h"
#include "ingest/input.h"
#include "ingest/logs/hang.h"
#include "ingest/nccl/ras.h"
#include "ingest/recorder/recorder.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/session/hosts_file.h"
#include "netan/engine/session/session.h"

enum { WARNINGS_MAX = 20 };

static void warn_of_source(struct na_hang_reading *x, struct na_hang_source *s,
			   const char *text)
{
	const char *copy;

	if (x->beside)
		return;
	if (x->request->n_inputs == 1 && s->n <= 1) {
		na_say_error(x->request, "%s", text);
		x->said = true;
	} else {
		na_say_warning(x->request, "%s", text);
	}
	x->damaged = true;
	copy = na_arena_strn(&x->arena, text, strlen(text));
	if (copy && s->warnings.n < WARNINGS_MAX && na_room(&s->warnings, 1))
		s->warnings.v[s->warnings.n++] = copy;
}

static bool may_read_twice(const char *path)
{
	struct stat sb;

	return strcmp(path, "-") != 0 &&
	       (stat(path, &sb) < 0 || S_ISREG(sb.st_mode) ||
		S_ISDIR(sb.st_mode));
}

static enum na_status find_files(struct na_hang_reading *x, struct na_err *err)
{
	size_t n = x->request->n_inputs;

	x->sources = na_calloc(n + 1, sizeof(*x->sources));
	if (!x->sources)
		return na_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct na_hang_source *s = &x->sources[i];
		struct na_err why = {.status = NA_OK};
		size_t unreadable = x->files.unreadable;
		enum na_status st;

		s->input = &x->request->inputs[i];
		s->first = x->files.n;
		/* A pipe is read once. */
		st = x->beside && !may_read_twice(s->input->path)
			     ? NA_OK
			     : na_log_files_find(s->input->path, &x->arena,
						 &x->files, &why);
		s->n = x->files.n - s->first;
		for (size_t k = s->first; k < x->files.n; k++)
			na_hide(x->request, NA_ALIAS_INPUT, x->files.paths[k]);
		if (st == NA_ENOMEM)
			return na_fail_nomem(err);
		if (x->files.unreadable > unreadable)
			na_fail(&why, NA_EIO,
				"%s: directories below it that cannot be read: "
				"%zu",
				s->input->path,
				x->files.unreadable - unreadable);
		else if (st == NA_OK && !s->n)
			na_fail(&why, NA_EIO,
				"%s: no log in this directory or below",
				s->input->path);
		if (why.status != NA_OK)
			warn_of_source(x, s, why.text);
	}
	return NA_OK;
}

/* One file, on a thread of its own. */
struct piece {
	const char *path;
	struct na_hang logs;
	struct na_flight_record ranks;
	struct na_err err;
	enum na_status status;
	bool binary;
	const struct na_reader *trace; /* NULL: none */
	bool found; /* in a directory */
};

/* A dump, an answer of RAS, a trace, or what is passed over counts as a log
 * without lines. */
static void note_file(struct piece *p)
{
	struct na_hang_file *f;
	struct stat sb;

	f = na_push(&p->logs.files);
	if (!f)
		p->status = NA_ENOMEM;
	else
		*f = (struct na_hang_file){
			.path = p->path,
			.read = p->ranks.dumps.n > 0,
			.bytes = stat(p->path, &sb) == 0 && sb.st_size > 0
					 ? (uint64_t)sb.st_size
					 : 0};
}

static void read_piece(void *ctx, size_t i)
{
	struct piece *p = (struct piece *)ctx + i;
	bool ras;

	p->status = p->found ? na_check_file_kind(p->path, &p->err) : NA_OK;
	if (p->status != NA_OK) {
		note_file(p);
		return;
	}
	ras = na_ras_is(p->path);
	if (ras)
		p->status = na_ras_read(&p->ranks, p->path, &p->err);
	else if (na_recorder_is(p->path))
		p->status = na_recorder_read(&p->ranks, p->path, &p->err);
	else
		p->trace = na_input_known(p->path);
	if (ras || p->trace || p->ranks.dumps.n || p->status != NA_OK) {
		note_file(p);
		return;
	}
	p->logs.ranks = &p->ranks;
	p->status = na_hang_read(&p->logs, p->path, &p->err);
	p->binary = p->logs.files.n && p->logs.files.v[0].binary;
}

static struct na_hang_source *source_of(const struct na_hang_reading *x,
					size_t file)
{
	struct na_hang_source *s = x->sources;

	while (file >= s->first + s->n)
		s++;
	return s;
}

/* Beside the logs of a directory there may be anything. */
static void leave_out(struct na_hang_reading *x, struct na_hang_source *s,
		      const struct piece *p)
{
	if (p->binary && strcmp(p->path, s->input->path) != 0)
		x->files.passed_over++;
	else
		warn_of_source(x, s, p->err.text);
}

/* n files from `first` on; joined in their order, whoever was done first. */
static enum na_status read_round(struct na_hang_reading *x, size_t first,
				 struct piece *pieces, size_t n,
				 struct na_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const char *path = x->files.paths[first + i];
		const char *given = source_of(x, first + i)->input->path;

		pieces[i] = (struct piece){.path = path,
					   .found = strcmp(path, given) != 0};
		na_hang_init(&pieces[i].logs);
		na_fr_init(&pieces[i].ranks);
	}
	if (!na_parallel(na_threads_of(x->request), n, read_piece, pieces))
		na_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct piece *p = &pieces[i];

		if (err->status == NA_OK)
			source_of(x, first + i)->told += p->logs.records.n +
							 p->ranks.dumps.n;
		if (err->status == NA_OK &&
		    (p->status == NA_ENOMEM ||
		     !na_hang_take(&x->logs, &p->logs) ||
		     !na_fr_take(&x->ranks, &p->ranks)))
			na_fail_nomem(err);
		if (err->status == NA_OK && p->status != NA_OK)
			leave_out(x, source_of(x, first + i), p);
		x->traces += p->trace != NULL;
		x->kept += p->trace == &na_reader_netan;
		na_hang_fini(&p->logs);
		na_fr_fini(&p->ranks);
	}
	return err->status;
}

static enum na_status read_files(struct na_hang_reading *x, struct na_err *err)
{
	size_t most = 2 * na_threads_of(x->request), n;
	struct piece *pieces = na_calloc(most, sizeof(*pieces));

	if (!pieces)
		return na_fail_nomem(err);
	for (size_t i = 0; err->status == NA_OK && i < x->files.n; i += n) {
		n = x->files.n - i < most ? x->files.n - i : most;
		na_say_progress(x->request, x->files.paths[i],
				(double)i / (double)x->files.n);
		if (na_interrupted())
			na_fail(err, NA_EIO, "interrupted");
		else
			read_round(x, i, pieces, n, err);
	}
	na_say_progress(x->request, NULL, 1);
	free(pieces);
	return err->status;
}

/* Where nothing was read, that is said. */
static bool of_logs_alone(const struct na_hang_reading *x)
{
	for (size_t i = 0; !x->beside && i < x->logs.files.n; i++) {
		if (x->logs.files.v[i].read && x->logs.files.v[i].bytes)
			return true;
	}
	return false;
}

/* Some are those of captures, which the session looks for. */
static bool any_address(const struct na_hosts *hosts)
{
	int32_t rank;

	for (uint32_t i = 0; i < hosts->addresses.n; i++) {
		if (!na_rank_parse(na_strtab_at(&hosts->addresses, i), &rank))
			return true;
	}
	return false;
}

/* --hosts, of dumps that do not tell it themselves. */
static enum na_status name_hosts(struct na_hang_reading *x, struct na_err *err)
{
	struct na_flight_record *to = &x->ranks;
	struct na_hosts hosts = {.cap_names = 0};
	char buf[NA_RANK_NAME_BUF];
	bool named = false;
	enum na_status st;

	if (!x->request->hosts || (!to->dumps.n && !of_logs_alone(x)))
		return NA_OK;
	st = na_hosts_read(&hosts, x->request->hosts, err);
	if (st == NA_OK && !to->dumps.n)
		st = na_fail(err, NA_EDOMAIN,
			     "%s names none of the ranks: the inputs tell of "
			     "none (it has %s); logs of XLA name their hosts "
			     "themselves",
			     x->request->hosts,
			     na_strtab_at(&hosts.addresses, 0));
	for (size_t i = 0; st == NA_OK && i < to->dumps.n; i++) {
		struct na_fr_dump *d = &to->dumps.v[i];
		const char *name = na_hosts_of_rank(&hosts, d->rank);

		named |= name != NULL;
		if (name && d->host == NA_NO_NAME)
			d->host = na_strtab_add(&to->names, name, strlen(name));
	}
	if (st == NA_OK && to->dumps.n && !named &&
	    !(x->beside && any_address(&hosts)))
		st = na_fail(err, NA_EDOMAIN,
			     "%s names none of the %s ranks (such as %s; it "
			     "has %s)",
			     x->request->hosts, na_grouped(to->dumps.n),
			     na_rank_name(buf, to->dumps.v[0].rank),
			     na_strtab_at(&hosts.addresses, 0));
	na_hosts_fini(&hosts);
	return st;
}

enum na_status na_hang_reading(struct na_hang_reading *x, struct na_err *err)
{
	na_hang_init(&x->logs);
	na_fr_init(&x->ranks);
	if (find_files(x, err) == NA_OK && read_files(x, err) == NA_OK &&
	    !na_fr_complete(&x->ranks))
		na_fail_nomem(err);
	if (err->status == NA_OK)
		na_in_err(name_hosts(x, err));
	return err->status;
}

void na_hang_reading_fini(struct na_hang_reading *x)
{
	for (size_t i = 0; x->sources && i < x->request->n_inputs; i++)
		na_vec_free(&x->sources[i].warnings);
	free(x->sources);
	free(x->files.paths);
	na_hang_fini(&x->logs);
	na_fr_fini(&x->ranks);
	na_arena_fini(&x->arena);
}

bool na_hang_reading_logs(const struct na_hang_reading *x, const char *path)
{
	for (size_t i = 0; x->sources && i < x->request->n_inputs; i++) {
		const struct na_hang_source *s = &x->sources[i];

		if (s->told && strcmp(s->input->path, path) == 0)
			return true;
	}
	return false;
}

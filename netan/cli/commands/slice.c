/* slice: a window, steps or hosts of traces and captures, in their own
 * format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/cli/commands/ingest_out.h"
#include "netan/cli/commands/inputs_own.h"
#include "netan/cli/commands/slice_beside.h"
#include "netan/cli/commands/slice_names.h"
#include "netan/cli/commands/slice_next.h"
#include "netan/cli/commands/slice_out.h"
#include "netan/cli/output/output.h"
#include "netan/cli/output/place.h"
#include "netan/cli/output/screen.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/slice/slice.h"

struct params {
	const char *output;
	bool no_programs, connections, no_connections;
};

#define FIELD(name) offsetof(struct params, name)
#define ASK(field)  offsetof(struct na_cli, request.field)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_TEXT, 'o', "output", FIELD(output), "FILE", NULL, 0, 1,
	 "the file to write (required); a directory, or what ends with a "
	 "slash: one file in it for each input, called like it; .gz is packed",
	 NA_PATH_MAKE,
	 .brief = "the file to write, or a directory"},
	{NA_OPT_FLAG, 0, "no-programs", FIELD(no_programs), NULL, NULL, 0, 0,
	 "without the HLO modules of XSpace traces: netan hlo has nothing to "
	 "read then, and slack, collectives and check know less (bytes, groups "
	 "and networks of operations, whether programs differ), and say so",
	 .brief = "without HLO modules: smaller"},
	{NA_OPT_FLAG, 0, "connections", FIELD(connections), NULL, NULL, 0, 0,
	 "captures: all packets of the connections and queue pairs that meet "
	 "the window, also before and after it: what is done without "
	 "--no-connections",
	 .brief = "captures: whole connections that meet the window"},
	{NA_OPT_FLAG, 0, "no-connections", FIELD(no_connections), NULL, NULL,
	 0, 0,
	 "captures: no packet from outside of the window: smaller, but what "
	 "began before it is missing or shorter, and commands say so",
	 .brief = "captures: only packets inside of the window"},
	NA_OPT_END
};
/* clang-format on */

struct work {
	struct na_cli *cli;
	const struct params *p;
	const char *dir; /* NULL: one file */
	bool new_dir;
	struct na_slicer z;
	struct na_arena arena;
	const char **names; /* by input of the session, in the directory */
	struct na_sieve *sieve;
	const char **uncut; /* by input: why one of its format is not; NULL */
	bool *outside; /* by input: what stays of it lies outside the window */
	bool beside;   /* such are written, too: others are inside */
	size_t written, damaged;
	uint64_t bytes, of_bytes;
	struct na_slice_counts counts;
};

/* ---- one file */

static bool is_records(const struct work *w, size_t input)
{
	return w->z.session.inputs[input].reader == &na_reader_netan;
}

/* The sources of a transfer file, on the clock that the slicer found. */
static bool shut_out(const struct work *w, size_t input, struct na_session *s)
{
	const struct na_session *all = &w->z.session;
	bool *shut = na_calloc(s->n_inputs, sizeof(*shut));

	for (size_t i = 0; shut && i < s->n_inputs; i++) {
		size_t k = input + i;

		shut[i] = k >= all->n_inputs ||
			  all->inputs[k].path != all->inputs[input].path;
		if (shut[i])
			continue;
		s->inputs[i].zero_ns = all->inputs[k].zero_ns;
		shut[i] = !na_slicer_asked(&w->z, k);
	}
	w->sieve->shut = shut;
	return shut;
}

/* In the header of each. */
static bool tell_cut(struct work *w, size_t input, struct na_session *s)
{
	bool ok = true;

	for (size_t i = 0; ok && i < s->n_inputs; i++) {
		s->inputs[i].cut = na_slicer_says(
			&w->z,
			input + i < w->z.session.n_inputs ? input + i : input,
			&s->arena);
		ok = s->inputs[i].cut;
	}
	return ok;
}

/* What reading it once more has found. */
static void tell_damage(struct work *w, size_t input,
			const struct na_session *s)
{
	struct na_session *all = &w->z.session;

	for (size_t i = 0; i < s->n_inputs; i++)
		na_input_tell(&all->inputs[input + i < all->n_inputs
						   ? input + i
						   : input],
			      &s->inputs[i]);
}

/* It is read once more, and written with fewer records. */
static enum na_status sift_to(struct work *w, size_t input, const char *path,
			      FILE *stream, struct na_slice_counts *counts,
			      struct na_err *err)
{
	struct na_request_input one = {.path = w->z.session.inputs[input].path};
	struct na_sieve sieve = {.of = w->z.of};
	const struct na_ingest g = {.cli = w->cli, .sieve = &sieve};
	struct na_xfer_counts made = {.bytes = 0};
	struct na_request q = w->cli->request;
	enum na_status st;
	struct na_session s;

	if (strcmp(one.path, "-") == 0)
		return na_fail(err, NA_EUSAGE,
			       "a transfer file is read twice: give it by its "
			       "name, not as standard input");
	q.inputs = &one;
	q.n_inputs = 1;
	w->sieve = &sieve;
	pthread_mutex_init(&sieve.lock, NULL);
	st = na_session_open(&s, &q, na_ingest_wants(&g));
	if (st == NA_OK && !tell_cut(w, input, &s))
		st = na_fail_nomem(err);
	if (st == NA_OK && !shut_out(w, input, &s))
		st = na_fail_nomem(err);
	if (st == NA_OK)
		st = na_ingest_put(&g, &s, stream, path, &made, err);
	if (st == NA_OK && s.interrupted)
		st = na_fail(err, NA_END, "interrupted");
	tell_damage(w, input, &s);
	na_session_close(&s);
	pthread_mutex_destroy(&sieve.lock);
	free(sieve.shut);
	*counts = sieve.counts;
	w->bytes += made.bytes;
	return st;
}

static enum na_status bytes_to(struct work *w, size_t input, const char *path,
			       FILE *stream, struct na_slice_counts *counts,
			       struct na_err *err)
{
	struct na_slice_out out;
	enum na_status st = na_slice_out_begin(&out, stream, path, err);

	if (st == NA_OK)
		st = na_slicer_cut(&w->z, input, na_slice_out_put, &out, counts,
				   err);
	if (st == NA_OK)
		st = na_slice_out_finish(&out, err);
	na_slice_out_drop(&out);
	if (!w->z.lost)
		w->bytes += out.bytes;
	return st;
}

/* Nothing was written since `at`. */
static enum na_status write_anew(FILE *stream, off_t at, const char *input,
				 const char *path, struct na_err *err)
{
	*err = (struct na_err){.status = NA_OK};
	if (at >= 0 && fseeko(stream, at, SEEK_SET) == 0 &&
	    ftruncate(fileno(stream), at) == 0)
		return NA_OK;
	return na_fail(err, NA_EIO,
		       "%s: truncated while it was read: what was written to "
		       "%s is not whole",
		       input, path);
}

/* Of an input that gets shorter, the slice is of what is left. */
static enum na_status sound_to(struct work *w, size_t input, const char *path,
			       FILE *stream, struct na_slice_counts *counts,
			       struct na_err *err)
{
	off_t at = ftello(stream);
	enum na_status st;

	do {
		st = bytes_to(w, input, path, stream, counts, err);
	} while (w->z.lost && !na_interrupted() &&
		 (st = write_anew(stream, at, w->z.session.inputs[input].path,
				  path, err)) == NA_OK);
	return st;
}

static enum na_status cut_to(struct work *w, size_t input, const char *path,
			     FILE *stream, struct na_slice_counts *counts,
			     struct na_err *err)
{
	enum na_status st =
		is_records(w, input)
			? sift_to(w, input, path, stream, counts, err)
			: sound_to(w, input, path, stream, counts, err);

	if (w->outside)
		w->outside[input] = st == NA_OK && !counts->inside &&
				    counts->events && !w->beside;
	if (st == NA_OK && !counts->inside && !w->beside)
		st = na_fail(err, NA_EFORMAT, "%s: no event in the window",
			     w->z.session.inputs[input].path);
	if (st != NA_OK)
		return st;
	w->of_bytes += w->z.session.inputs[input].file_bytes;
	w->counts.events += counts->events;
	w->counts.of_events += counts->of_events;
	w->counts.inside += counts->inside;
	w->counts.around += counts->around;
	w->written++;
	return NA_OK;
}

static enum na_status cut_file(struct work *w, size_t input, const char *path,
			       struct na_err *err)
{
	struct na_slice_counts counts;
	struct na_outfile out;
	enum na_status st;

	if (na_is_stdout(path)) {
		st = cut_to(w, input, "standard output", stdout, &counts, err);
		if (st == NA_OK && fflush(stdout) != 0 && errno != EPIPE)
			st = na_fail_errno(err, "standard output");
		return st;
	}
	st = na_outfile_open(&out, path, err);
	if (st != NA_OK)
		return st;
	st = cut_to(w, input, path, out.stream, &counts, err);
	if (na_outfile_close(&out, path, st == NA_OK && !na_interrupted(),
			     st == NA_OK ? err : &(struct na_err){0}) != NA_OK)
		st = st == NA_OK ? NA_EIO : st;
	return st;
}

/* ---- what is said */

static void report(const struct work *w)
{
	char size[NA_UNIT_BUF], of[NA_UNIT_BUF], n[NA_COUNT_BUF],
		m[NA_COUNT_BUF], files[NA_COUNT_BUF];
	char *shown;

	if (w->cli->common.quiet || na_is_stdout(w->p->output))
		return;
	shown = na_shown(&w->cli->request, w->p->output);
	if (!shown)
		return;
	na_print_line("wrote %s, %s of %s%s: %s%s%s of %s", shown,
		      na_print_bytes(size, (double)w->bytes, 3),
		      na_print_bytes(of, (double)w->of_bytes, 3),
		      w->bytes > w->of_bytes
			      ? " and what says that it is a slice"
			      : "",
		      w->dir ? na_count_of(files, w->written, "file") : "",
		      w->dir ? ", " : "",
		      na_count_of(n, w->counts.events, "event"),
		      na_print_count(m, w->counts.of_events));
	na_slice_say_next(w->cli, &w->z.session, shown, w->dir != NULL);
	free(shown);
}

/* Connections began before the window, mostly. */
static void say_captures(const struct work *w)
{
	const struct na_request *q = &w->cli->request;
	char n[NA_COUNT_BUF];

	if (na_slicer_loses(&w->z))
		na_say_warning(q,
			       "of a capture only packets of the window are "
			       "cut out: what began before it is missing or "
			       "shorter in the slice, so that no command says "
			       "of it what it says of the capture "
			       "(without --no-connections, each does)");
	else if (w->counts.around > w->counts.events / 2 &&
		 !w->cli->common.quiet)
		na_say_hint(q,
			    "%s are of connections that meet the window, "
			    "before and after it; --no-connections leaves them "
			    "out, and then commands say other things of it",
			    na_count_of(n, w->counts.around, "packet"));
}

/* It holds no packets that an address could be looked for in. */
static void say_hosts(const struct work *w)
{
	const struct na_session *s = &w->z.session;

	for (size_t i = 0; w->cli->request.host.n && i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		if (in->capture && !in->reader->packets)
			na_say_warning(&w->cli->request,
				       "%s: --host cuts nothing out of a "
				       "transfer file of a capture: what all "
				       "addresses did is in the slice; slice "
				       "the capture, or give --host to the "
				       "commands that read it",
				       in->path);
	}
}

/* What the whole trace tells, and no part of it. */
static void say_lacks(const struct work *w)
{
	const struct na_request *q = &w->cli->request;

	if (q->pseudonyms && w->z.drops_programs)
		na_say_warning(q,
			       "HLO modules are left out, as they hold paths "
			       "of sources all over: netan hlo reads nothing "
			       "of the slice, and bytes, groups and networks "
			       "of operations that they tell are missing");
	if (na_slicer_picks(&w->z))
		na_say_warning(q,
			       "of a capture only packets that --host or "
			       "--filter ask for are cut out: what others' "
			       "connections tell of a server or a path is "
			       "missing, so that verdicts may differ from "
			       "those of the capture, and commands say so");
	if (na_slicer_parts(&w->z))
		na_say_warning(q,
			       "the other hosts are left out, which tell by "
			       "how much clocks are off, and who waits for "
			       "whom: times of the slice are by the host's own "
			       "clock");
}

static void say_damage(struct work *w)
{
	const struct na_session *s = &w->z.session;

	for (size_t i = 0; i < s->n_inputs; i++) {
		na_session_say_damage(s, i);
		w->damaged += s->inputs[i].damaged;
	}
	w->damaged += na_session_unread(s);
}

/* ---- all files */

/* One that is not of the window, or of another format, leaves the others.
 * False: that is all, with *exit. */
static bool cut_next(struct work *w, size_t i, enum na_exit *exit)
{
	const struct na_request *q = w->z.session.request;
	struct na_err err = {.status = NA_OK};
	enum na_status st;

	st = cut_file(w, i, w->dir ? w->names[i] : w->p->output, &err);
	if (st == NA_OK || (w->outside && w->outside[i]))
		return true;
	if (na_stopped(w->cli, st == NA_END && na_interrupted())) {
		*exit = NA_EXIT_INTERRUPTED;
	} else if (st == NA_END) {
		*exit = NA_EXIT_OK;
	} else if (w->dir && st == NA_EUSAGE) {
		w->uncut[i] = na_arena_strn(&w->arena, err.text,
					    strlen(err.text));
		return true;
	} else if (w->dir && st == NA_EFORMAT) {
		na_say_warning(q, "%s", err.text);
		return true;
	} else {
		if (err.status != NA_OK)
			na_say_error(q, "%s", err.text);
		*exit = NA_EXIT_FAILED;
	}
	return false;
}

/* What of the others stays that begins before the window or tells whose it is,
 * so that commands find as much as in the original. */
static bool cut_beside(struct work *w, enum na_exit *exit)
{
	const struct na_session *s = &w->z.session;
	bool more = true;

	w->beside = w->written;
	for (size_t i = 0; w->outside && more && i < s->n_inputs; i++) {
		if (!w->outside[i])
			continue;
		if (w->beside)
			more = cut_next(w, i, exit);
		else
			na_say_warning(s->request,
				       "%s: no event in the window",
				       s->inputs[i].path);
	}
	return more;
}

static enum na_exit cut_all(struct work *w)
{
	const struct na_session *s = &w->z.session;
	enum na_exit exit = NA_EXIT_OK;
	bool more = true;

	for (size_t i = 0; more && i < s->n_inputs; i++) {
		if (na_slicer_takes(&w->z, i))
			more = cut_next(w, i, &exit);
	}
	if (!more || !cut_beside(w, &exit))
		return exit;
	if (w->uncut)
		na_slice_say_uncut(s, w->uncut);
	if (!w->written) {
		na_say_error(s->request, "nothing was written");
		exit = NA_EXIT_FAILED;
	}
	return exit;
}

/* A path in one file tells a user whose name stands before it, or in another:
 * what all of them tell is known before anything is written.  What is wrong
 * with a file is said when it is cut. */
static void learn_names(struct work *w)
{
	const struct na_session *s = &w->z.session;

	for (size_t i = 0; s->request->pseudonyms && i < s->n_inputs; i++) {
		struct na_err unheard = {.status = NA_OK};

		if (na_slicer_takes(&w->z, i) && !is_records(w, i) &&
		    na_slicer_learn(&w->z, i, &unheard) == NA_END)
			return;
	}
}

static size_t files_of(const struct na_slicer *z)
{
	size_t n = 0;

	for (size_t i = 0; i < z->session.n_inputs; i++)
		n += na_slicer_takes(z, i);
	return n;
}

/* Under --anonymize not as it was typed. */
static void say_one_file(const struct work *w)
{
	const struct na_request *q = &w->cli->request;
	const char *path = q->pseudonyms ? NULL : w->p->output;

	na_say_error(q,
		     "-o %s is one file, and %zu files are cut: name a "
		     "directory for them: -o %s/",
		     path ? path : "FILE", files_of(&w->z),
		     path ? path : "DIR");
}

/* What is written there would be read the next time, instead of them, or
 * beside them. */
static enum na_status check_dir(struct work *w, const char *dir,
				struct na_err *err)
{
	const struct na_request *q = &w->cli->request;
	struct na_listing list;
	bool listed = na_list_inputs(q, &w->arena, &list);

	if (!listed)
		na_fail_nomem(err);
	else if (na_is_inputs_own(q, &list, dir))
		na_fail(err, NA_EUSAGE, "%s: %s", dir, na_inputs_own_said);
	na_listing_fini(&list);
	return err->status;
}

static enum na_exit make_dir(struct work *w)
{
	struct na_err err = {.status = NA_OK};

	if (check_dir(w, w->dir, &err) != NA_OK)
		return na_say_failed(w->cli, &err);
	w->names = na_slice_names(&w->z, w->dir, &w->arena, &err);
	w->uncut = na_calloc(w->z.session.n_inputs, sizeof(*w->uncut));
	w->outside = na_calloc(w->z.session.n_inputs, sizeof(*w->outside));
	if (!w->uncut || !w->outside)
		na_fail_nomem(&err);
	if (!w->names || err.status != NA_OK)
		return na_say_failed(w->cli, &err);
	w->new_dir = mkdir(w->dir, 0777) == 0;
	if (!w->new_dir && errno != EEXIST)
		na_fail(&err, NA_EIO, "cannot make %s: %s", w->dir,
			strerror(errno));
	if (!w->new_dir && err.status == NA_OK)
		na_in_err(na_slice_check_beside(&w->z, w->dir, w->names,
						&w->arena, &err));
	for (size_t i = 0; err.status == NA_OK && i < w->z.session.n_inputs;
	     i++) {
		if (na_slicer_takes(&w->z, i) &&
		    na_output_apart(w->cli, w->names[i], &err) == NA_OK)
			na_in_err(na_outfile_check(w->names[i], &err));
	}
	return na_say_failed(w->cli, &err);
}

static enum na_exit cut_session(struct work *w)
{
	const struct na_request *q = &w->cli->request;
	enum na_exit exit;

	exit = na_exit_of(na_slicer_open(
		&w->z, q,
		&(struct na_slicing){.no_programs = w->p->no_programs,
				     .no_connections = w->p->no_connections}));
	if (na_stopped(w->cli, w->z.session.interrupted))
		return NA_EXIT_INTERRUPTED;
	if (exit != NA_EXIT_OK)
		return exit;
	if (!files_of(&w->z)) {
		na_say_error(q, "--host matches no host of the inputs");
		na_session_say_there_is(&w->z.session);
		exit = NA_EXIT_FAILED;
	} else if (w->dir) {
		exit = make_dir(w);
	} else if (files_of(&w->z) > 1) {
		say_one_file(w);
		exit = NA_EXIT_USAGE;
	}
	if (exit == NA_EXIT_OK)
		learn_names(w);
	if (exit == NA_EXIT_OK)
		exit = cut_all(w);
	say_damage(w);
	if (exit == NA_EXIT_OK && w->written) {
		report(w);
		say_captures(w);
		say_hosts(w);
		say_lacks(w);
	}
	return exit == NA_EXIT_OK && q->strict && w->damaged ? NA_EXIT_FAILED
							     : exit;
}

/* What the command line alone can tell is wrong. */
static enum na_exit check_params(const struct na_cli *cli)
{
	const struct params *p = cli->params;
	const struct na_request *q = &cli->request;
	struct na_err err = {.status = NA_OK};

	if (!p->output || !*p->output)
		na_fail(&err, NA_EUSAGE,
			"no output is given; add -o FILE, or -o DIR/");
	else if (!q->from && !q->to && !q->step && !q->host.n)
		na_fail(&err, NA_EUSAGE,
			"what is to be cut out? Add --from and --to, --step "
			"or --host");
	else if (p->connections && p->no_connections)
		na_fail(&err, NA_EUSAGE,
			"--connections and --no-connections: give one of "
			"them");
	else if (na_several_runs(q))
		na_fail(&err, NA_EUSAGE,
			"slices are of one run: give one --label at most");
	else if (na_is_stdout(p->output) && isatty(STDOUT_FILENO))
		na_fail(&err, NA_EUSAGE,
			"a slice is not for a terminal; redirect it, or give "
			"-o FILE");
	else if (!na_ingest_is_dir(p->output) &&
		 na_output_apart(cli, p->output, &err) == NA_OK &&
		 !na_is_stdout(p->output))
		na_in_err(na_outfile_check(p->output, &err));
	return na_say_failed(cli, &err);
}

static enum na_exit slice_run(struct na_cli *cli)
{
	struct work w = {.cli = cli, .p = cli->params};
	enum na_exit exit = check_params(cli);

	if (exit != NA_EXIT_OK)
		return exit;
	if (na_ingest_is_dir(w.p->output))
		w.dir = w.p->output;
	na_catch_interrupt();
	exit = cut_session(&w);
	if (w.new_dir && !w.written)
		(void)!rmdir(w.dir); /* where nothing came into it */
	na_slicer_close(&w.z);
	free(w.uncut);
	free(w.outside);
	na_arena_fini(&w.arena);
	return exit;
}

static const char details[] =
	"A trace of gigabytes becomes a file that one can attach to a bug "
	"report: with the same --from, --to or --step, commands say of the "
	"slice what they say of the original. It holds its window, which "
	"commands take where none is given, and say so. Times count from the "
	"same origin, also where the first events go. Beside the window the slice "
	"holds what commands look at outside of it: steps and program "
	"executions, collectives of GPU jobs, the executions and steps that "
	"begin before it or end after it, and of each device enough to tell "
	"whose it is.\n"
	"\n"
	"Commands read all traces of a directory as one run: one that holds "
	"others than the slice writes is refused. "
	"Cut are XSpace traces (.xplane.pb), pcap and pcapng captures, the "
	"profiler's traces of PyTorch (Kineto), documents of rocprofv3 and "
	"netan's transfer files; inputs may be packed, and what is called .gz is. Of a "
	"capture, all packets of the connections and queue pairs that meet the "
	"window stay, as their state before it tells what they do in it, and "
	"of others the first packet. --no-connections keeps the "
	"packets of the window alone: what began before it is then missing or "
	"shorter in all commands, which say so of such a slice. With --host the other "
	"hosts' files are left out, so that their devices are called by "
	"themselves, and times are by their own clocks, as others tell by how "
	"much these are off; of captures the packets of an address stay.\n"
	"\n"
	"With --anonymize nothing stays of a trace but what netan reads, "
	"without HLO modules, and of packets their headers, with other "
	"addresses: payload is zeros, but for what calls of HTTP/2 are told "
	"by. Commands say of such a slice what they say of one with names, "
	"but for these.";

static const struct na_command_info slice_info = {
	.name = "slice",
	.question = "cut a window or some hosts out of traces and "
		    "captures",
	.usage = "--from TIME --to TIME|--step N[-M] -o FILE|DIR/ [OPTION…] "
		 "INPUT…",
	.details = details,
	.example = "netan slice --from 10s --to 11s logdir -o slice/\n"
		   "netan check --from 10s --to 11s slice/\n"
		   "netan slice --step 12-13 host-0.xplane.pb -o "
		   "steps.xplane.pb\n"
		   "netan slice --from 3s --to 4s job.pcapng -o window.pcapng",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_slice = {
	.info = &slice_info,
	.joins = NA_JOIN_INPUT | NA_JOIN_QUIET | NA_JOIN_WINDOW,
	.whole = true,
	.run = slice_run,
};

/* ingest: any input to netan's own transfer file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/recorder/recorder.h"
#include "netan/cli/commands/ingest_out.h"
#include "netan/cli/output/place.h"
#include "netan/engine/anonymize.h"

struct params {
	const char *output;
	bool no_frames;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{ NA_OPT_TEXT, 'o', "output", FIELD(output), "FILE", NULL, 0, 1,
	  "the transfer file to write (required); - is standard output; a "
	  "directory, or what ends with a slash: one file in it for each "
	  "input", NA_PATH_MAKE,
	  .brief = "the transfer file to write, or a directory" },
	{ NA_OPT_FLAG, 0, "no-frames", FIELD(no_frames), NULL, NULL, 0, 0,
	  "captures: leave out single packets, keep what is made of them",
	  .brief = "captures without single packets: smaller" },
	NA_OPT_END,
};
/* clang-format on */

/* Who holds what is in the dumps alone. */
static void say_dumps(const struct na_ingest *g, const struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (!na_recorder_is_input(&s->inputs[i]))
			continue;
		na_say_hint(&g->cli->request,
			    "a transfer file of dumps tells when operations "
			    "were queued; netan hang takes the dumps "
			    "themselves");
		return;
	}
}

static enum na_exit write_file(const struct na_ingest *g, struct na_session *s,
			       const char *path, struct na_err *err)
{
	struct na_xfer_counts counts = {.bytes = 0};
	struct na_outfile out;
	enum na_status st;
	bool whole;

	if (na_is_stdout(path)) {
		st = na_ingest_put(g, s, stdout, "standard output", &counts,
				   err);
		if (st == NA_OK && fflush(stdout) != 0 && errno != EPIPE)
			st = na_fail_errno(err, "standard output");
		if (st == NA_OK && s->interrupted) {
			na_say_error(s->request,
				     "interrupted: what was written to "
				     "standard output is not whole");
			return NA_EXIT_INTERRUPTED;
		}
		return st == NA_OK || st == NA_END ? NA_EXIT_OK
						   : NA_EXIT_FAILED;
	}
	st = na_outfile_open(&out, path, err);
	if (st != NA_OK)
		return na_exit_of(st);
	st = na_ingest_put(g, s, out.stream, path, &counts, err);
	whole = st == NA_OK && !na_stopped(g->cli, s->interrupted);
	if (na_outfile_close(&out, path, whole, err) != NA_OK)
		return na_exit_of(err->status);
	if (st != NA_OK)
		return NA_EXIT_FAILED;
	if (!whole)
		return NA_EXIT_INTERRUPTED;
	if (!g->cli->common.quiet) {
		char *shown = na_shown(s->request, path);

		na_ingest_report(shown ? shown : "it", &counts);
		free(shown);
		say_dumps(g, s);
	}
	return NA_EXIT_OK;
}

/* What the inputs said of damage; the records' own is in the file. */
static void say_warnings(const struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++)
		na_session_say_damage(s, i);
}

static bool damaged(const struct na_session *s)
{
	bool any = na_session_unread(s) > 0;

	for (size_t i = 0; i < s->n_inputs; i++)
		any |= s->inputs[i].damaged;
	return any;
}

/* The ending decides; a pipe or a device has none. */
static bool is_named(const char *path)
{
	static const char ending[] = ".netan";
	size_t n = strlen(path), k = sizeof(ending) - 1;
	struct stat sb;

	return na_is_stdout(path) || na_ingest_is_dir(path) ||
	       (n > k && strcasecmp(path + n - k, ending) == 0) ||
	       (stat(path, &sb) == 0 && !S_ISREG(sb.st_mode));
}

static enum na_exit ingest_run(struct na_cli *cli)
{
	const struct params *p = cli->params;
	struct na_ingest g = {.cli = cli, .no_frames = p->no_frames};
	struct na_err err = {.status = NA_OK};
	struct na_session s;
	enum na_exit exit;

	if (!p->output || !*p->output) {
		na_say_error(&cli->request, "no output is given; add -o "
					    "FILE.netan, or -o DIR/");
		return NA_EXIT_USAGE;
	}
	if (cli->request.hosts || cli->request.anchor != 0) {
		na_say_error(&cli->request,
			     "%s: give it to the analyses of the transfer "
			     "file, which holds what the input says",
			     cli->request.hosts ? "--hosts" : "--anchor");
		return NA_EXIT_USAGE;
	}
	if (na_is_stdout(p->output) && isatty(STDOUT_FILENO)) {
		na_say_error(&cli->request,
			     "a transfer file is not for a terminal; "
			     "redirect it, or give -o FILE.netan");
		return NA_EXIT_USAGE;
	}
	g.asked = na_ingest_asked(&g);
	if (na_ingest_is_dir(p->output))
		return na_ingest_dir(&g, p->output);
	if (na_output_apart(cli, p->output, &err) == NA_OK &&
	    !is_named(p->output))
		na_fail(&err, NA_EUSAGE,
			"-o %s: a transfer file ends in .netan, a directory of "
			"them in a slash",
			p->output);
	if (err.status != NA_OK ||
	    (!na_is_stdout(p->output) &&
	     na_outfile_check(p->output, &err) != NA_OK))
		return na_say_failed(cli, &err);
	na_catch_interrupt();
	exit = na_exit_of(
		na_session_open(&s, &cli->request, na_ingest_wants(&g)));
	if (na_stopped(cli, s.interrupted)) {
		exit = NA_EXIT_INTERRUPTED;
	} else if (exit == NA_EXIT_OK &&
		   na_session_say_empty(&s, "nothing to keep")) {
		exit = NA_EXIT_FAILED;
	} else if (exit == NA_EXIT_OK) {
		exit = write_file(&g, &s, p->output, &err);
		if (err.status < NA_OK)
			na_say_error(&cli->request, "%s", err.text);
		say_warnings(&s);
	}
	if (exit == NA_EXIT_OK && cli->request.strict && damaged(&s))
		exit = NA_EXIT_FAILED;
	na_session_close(&s);
	return exit;
}

static const char details[] =
	"Writes what the analyses need of big traces or captures: transfers, "
	"actions, steps, calls, connections and packets, and the counts of "
	"what was left out. The file is an input like any other, a tenth of "
	"the size or less and faster to read; analyses of it say the same as "
	"of the original, but for windows of captures: connections are kept as "
	"a whole, so that with --from and --to tcp and check leave out those "
	"that reach beyond the window, say so, and want the capture itself, or "
	"a slice of it; rdma always does. The format is described in "
	"netan.proto.\n"
	"\n"
	"Where -o names a directory (one that is there, or with a slash at its "
	"end), each input becomes a file of its own in it, several at a time; "
	"captures, of which one goes on in the other, become one. The directory "
	"is then an input like the traces', with the same hosts in the same "
	"order: ingest where the traces lie, analyse anywhere. A file that is "
	"there, whole, newer than its trace, and made by this version with these "
	"options stays as it is, so that the same command goes on where it was "
	"interrupted.\n"
	"\n"
	"--anonymize writes host-1, addr-1, input-1, ... in the order of their "
	"first appearance, alike in all that one call writes and prints. "
	"Names of collectives, of RPC methods, of threads and modules, "
	"and labels stay, but for known names in them; programs are without "
	"paths of sources and what does not "
	"communicate, so that netan hlo and the check of programs want others.";

static const struct na_command_info ingest_info = {
	.name = "ingest",
	.question = "turn big traces or captures into a small transfer file "
		    "for later",
	.usage = "-o FILE.netan|DIR/ [OPTION…] INPUT…",
	.details = details,
	.example = "netan ingest -o job.netan logdir\n"
		   "netan pairs job.netan\n"
		   "netan ingest -o job/ logdir\n"
		   "netan check job/\n"
		   "netan ingest --anonymize -o - trace.pcap | netan info -",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_ingest = {
	.info = &ingest_info,
	.joins = NA_JOIN_INPUT | NA_JOIN_QUIET,
	.whole = true,
	.run = ingest_run,
};

/* ingest: any input to netan's own transfer file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/str.h"
#include "netan/base/vec.h"
#include "netan/cli/output.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/ingest_read.h"

struct params {
	const char *output;
	bool no_frames;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{ NA_OPT_TEXT, 'o', "output", FIELD(output), "FILE", NULL, 0, 0,
	  "the transfer file to write (required); - is standard output" },
	{ NA_OPT_FLAG, 0, "no-frames", FIELD(no_frames), NULL, NULL, 0, 0,
	  "captures: leave out single packets, keep what is made of them" },
	NA_OPT_END,
};
/* clang-format on */

struct target {
	FILE *stream;
	const char *path;
};

static enum na_status put_bytes(void *ctx, const void *p, size_t n,
				struct na_err *err)
{
	const struct target *t = ctx;

	if (!n || fwrite(p, 1, n, t->stream) == n)
		return NA_OK;
	/* A reader that has left has seen enough. */
	if (errno == EPIPE) {
		clearerr(t->stream);
		return na_fail(err, NA_END, "closed");
	}
	return na_fail(err, NA_EIO, "cannot write %s: %s", t->path,
		       strerror(errno));
}

static uint32_t all_wants(const struct params *p)
{
	return NA_WANT_TRANSFERS | NA_WANT_GRAPHS | NA_WANT_ACTIONS |
	       NA_WANT_STEPS | NA_WANT_KERNELS | NA_WANT_COUNTS |
	       NA_WANT_MODULES | NA_WANT_OPS | NA_WANT_BUSY | NA_WANT_CALLS |
	       NA_WANT_CONNECTIONS | NA_WANT_COMMS |
	       (p->no_frames ? 0 : NA_WANT_PACKETS);
}

static enum na_status write_all(struct na_session *s, struct target *to,
				struct na_xfer_counts *counts,
				struct na_err *err)
{
	struct na_xfer_source *sources = na_calloc(s->n_inputs,
						   sizeof(*sources));
	struct na_xfer_head head = {.sources = sources,
				    .n_sources = s->n_inputs,
				    .anonymize = s->request->pseudonyms !=
						 NULL};
	struct na_xfer_file *f;
	enum na_status st;

	if (!sources)
		return na_fail_nomem(err);
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_input *in = &s->inputs[i];

		sources[i] = (struct na_xfer_source){
			.host = s->sources[i].no_host ? NULL : in->host,
			.label = s->sources[i].label,
			.format = in->format,
			.path = in->path,
			.has_time = in->has_time,
			.has_wall = in->has_wall,
			.first_ns = in->first_ns,
			.zero_ns = in->zero_ns,
			.profile_start_ns = in->profile_start_ns,
			.profile_stop_ns = in->profile_stop_ns,
			.n_devices = in->n_devices,
			.ranks = in->ranks,
			.on_cpus = in->on_cpus,
			.told = in->told,
			.rank = in->rank,
			.world_size = in->world_size,
			.pid = in->pid,
		};
	}
	f = na_xfer_new(put_bytes, to, &head, err);
	free(sources);
	st = f ? na_ingest_read(s, f, err) : err->status;
	if (st == NA_OK && !s->interrupted)
		st = na_xfer_finish(f, err);
	if (f)
		*counts = *na_xfer_counted(f);
	na_xfer_free(f);
	return st;
}

static void print_report(const char *path, const struct na_xfer_counts *c)
{
	uint64_t all = c->transfers + c->others;
	/* Names, counts, what stands around blocks: everybody's. */
	double rest = (double)(c->bytes - c->transfer_bytes - c->other_bytes) /
		      (double)(all ? all : 1);
	char n[NA_COUNT_BUF], m[NA_COUNT_BUF], size[NA_UNIT_BUF];

	printf("wrote %s, %s: %s, %s", path,
	       na_print_bytes(size, (double)c->bytes, 3),
	       na_count_of(n, c->transfers, "transfer"),
	       na_count_of(m, c->others, "other record"));
	if (all)
		printf("; %.1f bytes each", (double)c->bytes / (double)all);
	putchar('\n');
	if (c->transfers)
		printf("a transfer takes %.1f bytes",
		       rest + (double)c->transfer_bytes / (double)c->transfers);
	if (c->transfers && c->others)
		printf(", another record %.1f",
		       rest + (double)c->other_bytes / (double)c->others);
	if (c->transfers)
		putchar('\n');
}

static enum na_exit write_file(const struct na_cli *cli, struct na_session *s,
			       struct na_err *err)
{
	const struct params *p = cli->params;
	struct na_xfer_counts counts = {.bytes = 0};
	struct target to = {.path = p->output};
	struct na_outfile out;
	enum na_status st;

	if (!strcmp(p->output, "-")) {
		to = (struct target){stdout, "standard output"};
		st = write_all(s, &to, &counts, err);
		if (st == NA_OK && fflush(stdout) != 0 && errno != EPIPE)
			st = na_fail_errno(err, "standard output");
		return st == NA_OK || st == NA_END ? NA_EXIT_OK
						   : NA_EXIT_FAILED;
	}
	st = na_outfile_open(&out, p->output, err);
	if (st != NA_OK)
		return NA_EXIT_FAILED;
	to.stream = out.stream;
	st = write_all(s, &to, &counts, err);
	if (na_outfile_close(&out, p->output, st == NA_OK, err) != NA_OK ||
	    st != NA_OK)
		return NA_EXIT_FAILED;
	if (!cli->common.quiet) {
		char *shown = na_shown(s->request, p->output);

		print_report(shown ? shown : "it", &counts);
		free(shown);
	}
	return NA_EXIT_OK;
}

/* What the inputs said of damage; the records' own is in the file. */
static void say_warnings(const struct na_session *s)
{
	for (size_t i = 0; i < s->n_inputs; i++)
		na_session_say_damage(s, i);
	if (s->interrupted)
		na_say_warning(s->request,
			       "interrupted: the file holds what was "
			       "read, and says so");
}

static bool damaged(const struct na_session *s)
{
	bool any = na_session_unread(s) > 0;

	for (size_t i = 0; i < s->n_inputs; i++)
		any |= s->inputs[i].damaged;
	return any;
}

static enum na_exit ingest_run(struct na_cli *cli)
{
	const struct params *p = cli->params;
	struct na_err err = {.status = NA_OK};
	struct na_session s;
	enum na_exit exit;

	if (!p->output || !*p->output) {
		na_say_error(&cli->request, "no output file is given; add -o "
					    "FILE.netan");
		return NA_EXIT_USAGE;
	}
	if (cli->request.hosts || cli->request.anchor != 0) {
		na_say_error(&cli->request,
			     "%s: give it to the analyses of the transfer "
			     "file, which holds what the input says",
			     cli->request.hosts ? "--hosts" : "--anchor");
		return NA_EXIT_USAGE;
	}
	if (!strcmp(p->output, "-") && isatty(STDOUT_FILENO)) {
		na_say_error(&cli->request,
			     "a transfer file is not for a terminal; "
			     "redirect it, or give -o FILE.netan");
		return NA_EXIT_USAGE;
	}
	if (strcmp(p->output, "-") != 0 &&
	    na_outfile_check(p->output, &err) != NA_OK)
		return na_say_failed(cli, &err);
	na_catch_interrupt();
	exit = na_exit_of(na_session_open(&s, &cli->request, all_wants(p)));
	if (exit == NA_EXIT_OK) {
		exit = write_file(cli, &s, &err);
		if (err.status < NA_OK)
			na_say_error(&cli->request, "%s", err.text);
		say_warnings(&s);
	}
	if (exit == NA_EXIT_OK &&
	    (s.interrupted || (cli->request.strict && damaged(&s))))
		exit = NA_EXIT_FAILED;
	na_session_close(&s);
	return exit;
}

static const char details[] =
	"Writes what the analyses need of big traces or captures: transfers, "
	"actions, steps, calls, connections and packets, and the counts of "
	"what was left out. The file is an input like any other, a tenth of "
	"the size or less and faster to read; analyses of it say the same as "
	"of the original. The format is described in netan.proto.\n"
	"\n"
	"--anonymize writes host-1, addr-1, input-1, ... in the order of their "
	"first appearance, alike within one file, and the same in what it "
	"prints. Names of collectives, of RPC methods, of threads and modules, "
	"and labels stay as they are.";

static const struct na_face ingest_face = {
	.name = "ingest",
	.question = "turn big traces or captures into a small transfer file "
		    "for later",
	.usage = "-o FILE.netan [OPTION…] INPUT…",
	.details = details,
	.example = "netan ingest -o job.netan logdir\n"
		   "netan pairs job.netan\n"
		   "netan ingest --anonymize -o - trace.pcap | netan info -",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_ingest = {
	.face = &ingest_face,
	.joins = NA_JOIN_INPUT | NA_JOIN_QUIET,
	.run = ingest_run,
};

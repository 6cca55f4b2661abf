/* partial: one shard's part of a command. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/units.h"
#include "netan/cli/commands/carry.h"
#include "netan/cli/common.h"
#include "netan/cli/output/output.h"
#include "netan/cli/output/place.h"
#include "netan/cli/program.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/parallel.h"
#include "netan/engine/partial/world_files.h"

struct params {
	const char *shard, *round, *plan, *output;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_TEXT, 0, "shard", FIELD(shard), "K/N", NULL, 0, 0,
	 "which of N parts of the inputs this is, from 1/N to N/N (required)",
	 .brief = "which of N parts of the inputs: 1/N to N/N"},
	{NA_OPT_TEXT, 0, "plan", FIELD(plan), "FILE", NULL, 0, 0,
	 "round 1: what netan merge made of all shards of round 0", NA_PATH_READ,
	 .brief = "what netan merge made of the shards of round 0"},
	{NA_OPT_TEXT, 0, "round", FIELD(round), "0|1", NULL, 0, 0,
	 "with 1 there must be a plan, with 0 none (default: as it is)"},
	{NA_OPT_TEXT, 'o', "output", FIELD(output), "FILE", NULL, 0, 0,
	 "the file to write, FILE.nap (required)", NA_PATH_WRITE},
	NA_OPT_END
};
/* clang-format on */

static enum na_status bad_shard(const char *text, struct na_err *err)
{
	return na_fail(err, NA_EUSAGE,
		       "--shard %.40s: wanted K/N, with K from 1 to N, as 3/16 "
		       "(N at most %d)",
		       text, NA_NAP_SHARDS);
}

/* Digits and nothing else, up to `end`. */
static bool number(const char *text, const char *end, size_t *to)
{
	*to = 0;
	if (text == end || end - text > 7)
		return false;
	for (; text < end; text++) {
		if (*text < '0' || *text > '9')
			return false;
		*to = *to * 10 + (size_t)(*text - '0');
	}
	return true;
}

static enum na_status parse_shard(const char *text, struct na_nap_head *h,
				  struct na_err *err)
{
	const char *of = strchr(text, '/');

	if (!of || !number(text, of, &h->shard) ||
	    !number(of + 1, of + strlen(of), &h->shards) || !h->shards ||
	    h->shards > NA_NAP_SHARDS || h->shard > h->shards)
		return bad_shard(text, err);
	if (h->shard)
		return NA_OK;
	return na_fail(err, NA_EUSAGE,
		       "--shard %.40s: shards count from 1 to %zu; where a "
		       "job's tasks count from 0, add 1: --shard "
		       "$((JOB_COMPLETION_INDEX + 1))/%zu",
		       text, h->shards, h->shards);
}

static enum na_status check_round(const struct params *p, struct na_err *err)
{
	if (p->round && strcmp(p->round, "1") == 0 && !p->plan)
		return na_fail(err, NA_EUSAGE,
			       "--round 1 needs the plan that netan merge made "
			       "of round 0: add --plan FILE");
	if (p->round && strcmp(p->round, "0") == 0 && p->plan)
		return na_fail(err, NA_EUSAGE,
			       "--round 0 knows no plan yet: leave --plan out, "
			       "or make round 1");
	return NA_OK;
}

/* A command that is misspelt would be an input of check that is not there. */
static enum na_status check_command(const struct na_carried *x,
				    struct na_err *err)
{
	const char *close = x->instead ? na_command_closest(x->instead) : NULL;

	if (!na_command_many(x->command))
		return na_fail(err, NA_EUSAGE,
			       "netan partial does not run %s, netan does",
			       x->command->info->name);
	if (!x->instead || strcmp(x->instead, "-") == 0 ||
	    access(x->instead, F_OK) == 0)
		return NA_OK;
	return na_fail(err, NA_EUSAGE,
		       "there is neither a command nor a file '%.64s'%s%s%s",
		       x->instead, close ? "; did you mean '" : "",
		       close ? close : "", close ? "'?" : "");
}

static enum na_status check_params(const struct na_cli *cli,
				   struct na_nap_head *h, struct na_err *err)
{
	const struct params *p = cli->params;

	if (check_command(cli->carried, err) != NA_OK)
		return err->status;
	if (!p->shard)
		return na_fail(err, NA_EUSAGE,
			       "which part? Add --shard K/N, with K from 1 to "
			       "N");
	if (parse_shard(p->shard, h, err) != NA_OK ||
	    check_round(p, err) != NA_OK)
		return err->status;
	if (!p->output || strcmp(p->output, "-") == 0)
		return na_fail(err, NA_EUSAGE,
			       "where to? A shard is a file: add -o FILE.nap");
	h->words = cli->carried->words;
	h->n_words = cli->carried->n_words;
	h->round = p->plan != NULL;
	if (na_output_apart(cli, p->output, err) != NA_OK)
		return err->status;
	return na_outfile_check(p->output, err);
}

static enum na_status open_plan(struct na_nap *plan,
				const struct na_nap_head *h,
				const struct na_command *c, const char *path,
				struct na_err *err)
{
	char name[NA_NAP_NAME_BUF];

	if (na_nap_open(plan, path, err) != NA_OK)
		return err->status;
	if (plan->head.shard)
		return na_fail(
			err, NA_EUSAGE,
			"--plan: %s is no plan: netan merge makes one of "
			"all shards of round 0",
			na_nap_name(plan, name));
	if (plan->head.shards != h->shards)
		return na_fail(err, NA_EUSAGE,
			       "--plan: %s is of %zu shards, not of %zu", path,
			       plan->head.shards, h->shards);
	if (!na_same_work(c, h, &plan->head))
		return na_fail(err, NA_EUSAGE,
			       "--plan: %s was made for another command line",
			       path);
	return NA_OK;
}

struct making {
	struct na_cli *cli;
	struct na_nap_head head;
	struct na_nap plan;
	struct na_nap_out out;
	struct na_world world;
	struct na_world_files files;
};

/* The command up to where rank 0 would be needed.  Only its own words say why
 * it failed. */
static enum na_exit run_shard(struct making *m, struct na_err *err)
{
	const struct na_carried *x = m->cli->carried;
	const struct na_request q = {.speaker = na_cli_speaker(NULL),
				     .world = &m->world,
				     .commit = m->cli->request.commit};
	enum na_exit code = na_command_run(&q, x->n_words, x->words);

	if (na_exit_failed(code)) {
		na_fail(err, code == NA_EXIT_USAGE ? NA_EUSAGE : NA_EIO, "%s",
			*m->world.why ? m->world.why : "out of memory");
		return code;
	}
	if (na_interrupted())
		na_fail(err, NA_EIO, "interrupted: nothing is written");
	else if (m->files.done)
		na_in_err(na_nap_end(&m->out, err));
	else if (m->head.round)
		na_fail(err, NA_EFORMAT, "%s holds no plan", m->plan.path);
	return na_exit_of(err->status);
}

static void say_written(const struct making *m, const char *path, long bytes)
{
	char size[NA_UNIT_BUF], *shown;

	if (m->cli->common.quiet || bytes < 0 || na_is_stdout(path))
		return;
	shown = na_shown(&m->cli->request, path);
	printf("wrote %s, %s: round %u of shard %zu of %zu\n",
	       shown ? shown : "it", na_print_bytes(size, (double)bytes, 3),
	       m->head.round, m->head.shard, m->head.shards);
	free(shown);
}

static enum na_exit write_shard(struct making *m, const char *path,
				struct na_err *err)
{
	enum na_exit code = NA_EXIT_FAILED;
	struct na_outfile file;
	long bytes;

	if (na_outfile_open(&file, path, err) != NA_OK)
		return code;
	if (na_nap_begin(&m->out, file.stream, path, &m->head, err) == NA_OK)
		code = run_shard(m, err);
	na_nap_free(&m->out);
	bytes = ftell(file.stream);
	/* Of help that was asked for nothing is kept. */
	if (na_outfile_close(&file, path, err->status == NA_OK && m->files.done,
			     err) != NA_OK)
		code = na_exit_of(err->status);
	if (err->status == NA_OK && m->files.done)
		say_written(m, path, bytes);
	return code;
}

static enum na_exit partial_run(struct na_cli *cli)
{
	const struct params *p = cli->params;
	struct making m = {.cli = cli};
	struct na_err err = {.status = NA_OK};
	enum na_exit code;

	if (check_params(cli, &m.head, &err) == NA_OK && p->plan)
		na_in_err(open_plan(&m.plan, &m.head, cli->carried->command,
				    p->plan, &err));
	if (err.status == NA_OK)
		na_in_err(na_world_shard(&m.files, &m.world, &m.head, &m.out,
					 p->plan ? &m.plan : NULL, &err));
	code = na_exit_of(err.status);
	if (err.status == NA_OK)
		code = write_shard(&m, p->output, &err);
	if (err.status != NA_OK)
		na_say_error(&cli->request, "%s", err.text);
	na_world_files_free(&m.files);
	na_nap_close(&m.plan);
	return code;
}

static const char details[] =
	"What netan-mpi does with an MPI, this does with files: for any "
	"scheduler that can run a command for each shard, in any order, again "
	"where one failed. Two rounds, and netan merge after each:\n"
	"\n"
	"  netan partial --shard K/N -o p0.K.nap COMMAND ...     for K = 1 to "
	"N\n"
	"  netan merge -o plan.nap p0.*.nap\n"
	"  netan partial --plan plan.nap --shard K/N -o p1.K.nap COMMAND ...\n"
	"  netan merge p1.*.nap\n"
	"\n"
	"The second merge writes what netan COMMAND ... would, the same bytes. "
	"Round 0 reads what the inputs say of themselves, and is quick; round "
	"1 reads the records. All shards must see the same inputs under the "
	"same names; each opens its own part of them, whole files of about as "
	"many bytes. -o, --format and what else says how the result looks may "
	"be given to COMMAND or to the second merge.\n"
	"COMMAND is one that netan-mpi runs, too: info, check, report and the "
	"analyses of traces; without its name it is check. Packet captures, "
	"dumps of flight recorders and logs are read in one place: use netan.\n"
	"What netan.conf sets where a shard is made counts as typed there; netan "
	"merge reads none.\n"
	"A .nap file holds names of hosts and paths, also with --anonymize, and "
	"the command line, which the first merge prints and the second runs: "
	"take it from those you trust. It is read by the netan that wrote it, "
	"and by no other version.";

static const struct na_command_info partial_info = {
	.name = "partial",
	.question = "a shard of the work, for any scheduler; netan merge joins "
		    "them",
	.usage = "--shard K/N [--plan FILE] -o FILE.nap [COMMAND] [OPTION…] "
		 "INPUT…",
	.details = details,
	.example = "netan partial --shard 3/16 -o p0.3.nap check logdir\n"
		   "netan partial --plan plan.nap --shard 3/16 -o p1.3.nap "
		   "check logdir\n"
		   "seq 16 | xargs -P4 -I{} netan partial --shard {}/16 "
		   "-o p0.{}.nap check logdir",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_partial = {
	.info = &partial_info,
	.words = "COMMAND",
	.joins = NA_JOIN_QUIET,
	.carries = true,
	.run = partial_run,
};

/* merge: the shards of one round, joined. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/shell.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/cli/again.h"
#include "netan/cli/commands/carry.h"
#include "netan/cli/common.h"
#include "netan/cli/output/output.h"
#include "netan/cli/output/place.h"
#include "netan/cli/program.h"
#include "netan/cli/sandbox/shut_in.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/parallel.h"
#include "netan/engine/partial/world_files.h"

struct merging {
	struct na_cli *cli;
	const struct na_command *command;
	struct na_nap *of; /* by shard - 1; path NULL: not there */
	size_t n;
	const struct na_nap *first; /* that was named; it keeps its words */
	struct na_world world;
	struct na_world_files files;
};

/* ---- which shards there are */

static enum na_status differ(const struct na_nap *a, const struct na_nap *b,
			     const char *what, struct na_err *err)
{
	char x[NA_NAP_NAME_BUF], y[NA_NAP_NAME_BUF];

	return na_fail(err, NA_EUSAGE, "%.180s and %.180s %s",
		       na_nap_name(a, x), na_nap_name(b, y), what);
}

static void say_line(const struct merging *m, const struct na_nap *f)
{
	const struct na_cli cli = {.command = m->command,
				   .argc = f->head.n_words,
				   .argv = f->head.words};
	char *line = na_command_line(&cli);

	if (line)
		na_say_hint(&m->cli->request, "%s: %s", f->path, line);
	free(line);
}

/* Both lines show where they differ. */
static enum na_status other_lines(const struct merging *m,
				  const struct na_nap *f, struct na_err *err)
{
	enum na_status st = differ(m->first, f, "are of two command lines",
				   err);

	na_say_error(&m->cli->request, "%s", err->text);
	say_line(m, m->first);
	say_line(m, f);
	err->text[0] = '\0'; /* it is said */
	return st;
}

/* Does it belong to the first one? */
static enum na_status fits(const struct merging *m, const struct na_nap *f,
			   struct na_err *err)
{
	const struct na_nap_head *a = &m->first->head, *b = &f->head;

	if (a->shards != b->shards)
		return differ(m->first, f, "are of other numbers of shards",
			      err);
	if (a->round != b->round)
		return differ(m->first, f,
			      "are of two rounds: merge one after the other",
			      err);
	if (strcmp(a->words[1], b->words[1]) != 0 ||
	    !na_same_work(m->command, a, b))
		return other_lines(m, f, err);
	if (strcmp(a->plan, b->plan) != 0)
		return differ(m->first, f, "were made with other plans", err);
	return NA_OK;
}

static enum na_status begin(struct merging *m, const struct na_nap *f,
			    struct na_err *err)
{
	m->command = na_command_find(f->head.words[1]);
	if (!m->command || !na_command_many(m->command))
		return na_fail(err, NA_EFORMAT,
			       "%s is of a command that has no shards: %.40s",
			       f->path, f->head.words[1]);
	m->n = f->head.shards;
	m->of = na_calloc(m->n, sizeof(*m->of));
	return m->of ? NA_OK : na_fail_nomem(err);
}

static enum na_status take_file(struct merging *m, struct na_nap *f,
				struct na_err *err)
{
	struct na_nap *to;

	if (!f->head.shard)
		return na_fail(err, NA_EUSAGE,
			       "%s is a plan: give it to netan partial --plan, "
			       "and the shards to netan merge",
			       f->path);
	if (!m->first && begin(m, f, err) != NA_OK)
		return err->status;
	if (m->first && fits(m, f, err) != NA_OK)
		return err->status;
	to = &m->of[f->head.shard - 1];
	if (to->path)
		return na_fail(err, NA_EUSAGE,
			       "shard %zu of %zu is there twice: %.160s and "
			       "%.160s; leave one out",
			       f->head.shard, m->n, to->path, f->path);
	*to = *f;
	*f = (struct na_nap){.path = NULL};
	if (m->first)
		na_nap_forget(to);
	else
		m->first = to;
	return NA_OK;
}

static enum na_status take_files(struct merging *m, struct na_err *err)
{
	const struct na_request *q = &m->cli->request;

	if (!q->n_inputs)
		return na_fail(err, NA_EUSAGE,
			       "no FILE.nap is given: all shards of one round, "
			       "as netan partial wrote them");
	for (size_t i = 0; err->status == NA_OK && i < q->n_inputs; i++) {
		struct na_nap f;

		if (na_nap_open(&f, q->inputs[i].path, err) == NA_OK)
			na_in_err(take_file(m, &f, err));
		na_nap_close(&f);
	}
	return err->status;
}

/* ---- command lines to paste */

static bool gives_plan(const struct merging *m)
{
	return m->first->head.round == 1;
}

/* "netan partial --shard 3/4 -o p0.3.nap check logdir" */
static void put_partial(FILE *out, const struct merging *m, const char *plan,
			const char *k, const char *folder)
{
	const struct na_nap_head *h = &m->first->head;
	char name[64];

	fputs("netan partial", out);
	if (plan) {
		fputs(" --plan ", out);
		na_shell_put_path(out, plan);
	}
	snprintf(name, sizeof(name), "p%d.%s.nap", plan != NULL, k);
	fprintf(out, " --shard %s/%zu -o ", k, h->shards);
	if (*folder)
		na_shell_put_path(out, folder);
	fputs(name, out);
	na_put_line(out, h->words + 1, h->n_words - 1);
}

/* With its slash; "" for a bare name. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
}

static void say_command(const struct merging *m, size_t shard)
{
	char *text = NULL, *folder = folder_of(m->first->path), k[24];
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	snprintf(k, sizeof(k), "%zu", shard);
	if (out && folder)
		put_partial(out, m, gives_plan(m) ? "PLAN" : NULL, k, folder);
	if (out && fclose(out) == 0)
		na_say_hint(&m->cli->request, "%s", text);
	free(text);
	free(folder);
}

static enum na_status all_there(const struct merging *m, struct na_err *err)
{
	size_t missing = 0, first = 0;

	for (size_t i = m->n; i-- > 0;) {
		if (m->of[i].path)
			continue;
		first = i + 1;
		missing++;
	}
	if (!missing)
		return NA_OK;
	if (missing == 1)
		na_fail(err, NA_EUSAGE, "shard %zu of %zu is missing", first,
			m->n);
	else
		na_fail(err, NA_EUSAGE,
			"%zu of %zu shards are missing; the first is shard "
			"%zu",
			missing, m->n, first);
	na_say_error(&m->cli->request, "%s", err->text);
	say_command(m, first);
	err->text[0] = '\0';
	return err->status;
}

/* What stands for the number of a shard, and in no word of the line. */
static const char *shard_mark(const struct merging *m, const char *plan,
			      const char *folder)
{
	static const char *const marks[] = {"{}", "@K@", "@SHARD@", "%K%"};
	const struct na_nap_head *h = &m->first->head;
	size_t k = 0;

	for (bool taken = true; taken && k + 1 < NA_LEN(marks); k += taken) {
		taken = strstr(plan, marks[k]) || strstr(folder, marks[k]);
		for (int i = 1; i < h->n_words && !taken; i++)
			taken = strstr(h->words[i], marks[k]);
	}
	return marks[k];
}

static void say_next(const struct merging *m, const char *plan, long bytes)
{
	char *folder = folder_of(m->first->path);
	const char *mark = shard_mark(m, plan, folder ? folder : "");
	char size[NA_UNIT_BUF];

	printf("wrote %s, %s: what %zu shard%s of their inputs\n", plan,
	       na_print_bytes(size, (double)bytes, 3), m->n,
	       m->n == 1 ? " says" : "s say");
	printf("next, each shard once more, with this plan:\n  seq %zu | xargs "
	       "-P2 -I%s ",
	       m->n, mark);
	put_partial(stdout, m, plan, mark, folder ? folder : "");
	fputs("\nand then their result:\n  netan merge ", stdout);
	if (folder && *folder)
		na_shell_put_path(stdout, folder);
	fputs("p1.*.nap\n", stdout);
	free(folder);
}

/* ---- the rounds */

/* With the options that were given now: in round 0 how much is said. */
static enum na_exit run(struct merging *m, struct na_nap_out *out)
{
	const struct na_request q = {.speaker = na_cli_speaker(NULL),
				     .world = &m->world,
				     .commit = m->cli->request.commit};
	int n = m->first->head.n_words;
	char **words = na_carry_join(m->command, m->first->head.words, &n,
				     m->cli);
	enum na_exit code = NA_EXIT_FAILED;

	na_world_merge(&m->files, &m->world, out, m->of, m->n);
	if (words) {
		na_shut_in_files(m->cli, m->command, n, words);
		code = na_command_run(&q, n, words);
	} else {
		na_say_nomem(&m->cli->request);
	}
	free(words);
	return code;
}

/* Of the options those of the result would be in vain. */
static const char *vain_option(const struct na_cli *cli)
{
	struct na_given g = NA_GIVEN_FIRST;

	while (na_next_option(cli, &g)) {
		if (strcmp(g.o->name, "output") != 0 &&
		    strcmp(g.o->name, "quiet") != 0 &&
		    strcmp(g.o->name, "verbose") != 0 &&
		    strcmp(g.o->name, "threads") != 0)
			return g.o->name;
	}
	return NULL;
}

static enum na_exit check_plan_options(const struct na_cli *cli)
{
	const struct na_text_list *to = &cli->common.outputs;
	const char *vain = vain_option(cli);

	if (vain) {
		na_say_error(&cli->request,
			     "--%s: these shards are of round 0, and make a "
			     "plan: give it when those of round 1 are merged",
			     vain);
		return NA_EXIT_USAGE;
	}
	if (to->n == 1 && strcmp(to->items[0], "-") != 0)
		return NA_EXIT_OK;
	na_say_error(&cli->request,
		     "these shards are of round 0, and make a plan, which is "
		     "one file: add -o plan.nap");
	return NA_EXIT_USAGE;
}

/* What of all shards each must know: the command stops where they are to read
 * on. */
static enum na_exit make_plan(struct merging *m, FILE *to, struct na_err *err)
{
	struct na_nap_head head = m->first->head;
	enum na_exit code = NA_EXIT_FAILED;
	struct na_nap_out out;

	head.shard = 0;
	if (na_nap_begin(&out, to, m->cli->common.outputs.items[0], &head,
			 err) == NA_OK)
		code = run(m, &out);
	if (err->status == NA_OK && code == NA_EXIT_OK && !m->files.done)
		na_fail(err, NA_EFORMAT, "the shards hold no plan");
	if (err->status == NA_OK && code == NA_EXIT_OK)
		na_in_err(na_nap_end(&out, err));
	na_nap_free(&out);
	return err->status == NA_OK ? code : NA_EXIT_FAILED;
}

static enum na_exit merge_facts(struct merging *m)
{
	const char *path = m->cli->common.outputs.items[0];
	struct na_err err = {.status = NA_OK};
	enum na_exit code = NA_EXIT_FAILED;
	struct na_outfile file;
	long bytes;

	if (na_output_apart_from(m->command, m->first->head.n_words,
				 m->first->head.words, path, &err) != NA_OK ||
	    na_outfile_open(&file, path, &err) != NA_OK)
		return na_say_failed(m->cli, &err);
	code = make_plan(m, file.stream, &err);
	bytes = ftell(file.stream);
	if (na_outfile_close(&file, path, code == NA_EXIT_OK, &err) != NA_OK)
		code = NA_EXIT_FAILED;
	if (err.status != NA_OK)
		return na_say_failed(m->cli, &err);
	if (code == NA_EXIT_OK && !m->cli->common.quiet && !na_is_stdout(path))
		say_next(m, path, bytes);
	return code;
}

static enum na_exit merge_run(struct na_cli *cli)
{
	struct merging m = {.cli = cli};
	struct na_err err = {.status = NA_OK};
	enum na_exit code;

	if (take_files(&m, &err) == NA_OK)
		na_in_err(all_there(&m, &err));
	code = na_say_failed(cli, &err);
	if (code == NA_EXIT_OK && m.first->head.round == 0) {
		code = check_plan_options(cli);
		if (code == NA_EXIT_OK)
			code = merge_facts(&m);
	} else if (code == NA_EXIT_OK) {
		code = run(&m, NULL);
	}
	for (size_t i = 0; m.of && i < m.n; i++)
		na_nap_close(&m.of[i]);
	free(m.of);
	na_world_files_free(&m.files);
	return code;
}

/* Which command they are of, and so its files, the shards say. */
static enum na_shut shut(const struct na_cli *cli)
{
	(void)cli;
	return NA_SHUT_CALLS;
}

static const char details[] =
	"Takes all shards of one round of netan partial, in any order. Of "
	"round 0 it makes the plan, -o plan.nap, and says how the shards go "
	"on with it; of round 1 the result of the command that the shards ran: "
	"its bytes, warnings and exit status are those of netan by itself. "
	"What the result looks like and where it goes is said here, or else "
	"by the options that the command had.\n"
	"A shard that is missing, doubled, unfinished, damaged, of another "
	"command, plan or version is named, and nothing is written. Only that "
	"shard is to be made again.\n"
	"For the critical paths of late executions the traces are looked at "
	"once more, under the paths that the shards read; where they are not "
	"here, a warning says what the result lacks. What else the command "
	"line names (--topology, --hosts, --hlo, --host-settings) must be here "
	"as well.";

static const struct na_command_info merge_info = {
	.name = "merge",
	.question = "the result of all shards that netan partial wrote",
	.usage = "[OPTION…] FILE.nap…",
	.details = details,
	.example = "netan merge -o plan.nap p0.*.nap\n"
		   "netan merge p1.*.nap\n"
		   "netan merge --fail-on warning -o check.json p1.*.nap",
};

const struct na_command na_cmd_merge = {
	.info = &merge_info,
	.joins = NA_JOIN_MERGED,
	.shut = shut,
	.run = merge_run,
};

/* hlo: what the compiled programs communicate, and whether all workers run
 * the same ones. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "members.h"
#include "netan/analyses/hlo/hlo.h"
#include "netan/cli/cli.h"
#include "netan/cli/commands/judged.h"
#include "netan/engine/programs/read.h"

struct params {
	int64_t top;
};

/* clang-format off */
static const struct na_opt opts[] = {
	{NA_OPT_COUNT, 0, "top", offsetof(struct params, top), "N", NULL, 1,
	 1e9, "show the first N rows of each table; the others are counted "
	 "(default: 20)"},
	NA_OPT_END
};
/* clang-format on */

static void hlo_envelope(const struct na_hlo_reading *x, struct na_result *r)
{
	struct na_value *list = na_judged_inputs(r, "netan.hlo/1");

	for (size_t i = 0; i < x->n_sources; i++) {
		const struct na_hlo_source *s = &x->sources[i];
		bool any = s->modules > 0;
		struct na_value *row, *why;

		row = na_judged_input(r, list, s->path, s->label,
				      any ? s->format : NULL,
				      any ? s->host : NULL, s->file_bytes);
		na_put_int(r, row, M_files, (int64_t)s->files);
		na_put_int(r, row, M_modules, (int64_t)s->modules);
		why = na_put_list(r, row, M_warnings);
		for (size_t k = 0; k < s->n_warnings; k++)
			na_put_text(r, why, NULL, s->warnings[k]);
	}
	na_judged_coverage(r, 0, 0, x->hlo.n_modules);
}

/* Nobody to compare with; but the answer is not about them. */
static void note_idle(const struct na_hlo_reading *x, struct na_result *r)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < x->n_sources; i++) {
		if (x->sources[i].modules)
			continue;
		first = n++ ? first : x->sources[i].path;
	}
	if (n == 1)
		na_result_note(r,
			       "no module was found in %.300s: nothing is "
			       "said of that worker",
			       first);
	else if (n)
		na_result_note(r,
			       "no module was found in %.300s and %zu more "
			       "inputs: nothing is said of those workers",
			       first, n - 1);
}

static void hlo_notes(const struct na_hlo_reading *x, struct na_result *r)
{
	size_t files = 0, passed = 0;

	for (size_t i = 0; i < x->n_sources; i++) {
		files += x->sources[i].files;
		passed += x->sources[i].passed_over;
	}
	if (passed)
		na_result_note(r,
			       "%zu of %zu files hold no HLO module and were "
			       "passed over",
			       passed, files);
	if (x->damaged)
		na_result_note(r, "not everything could be read: see the "
				  "warnings; a module that is missing may be "
				  "in what was lost");
	note_idle(x, r);
	for (size_t i = 0; i < x->n_notes; i++)
		na_result_note(r, "%s", x->notes[i]);
}

static void say_details(const struct na_hlo_reading *x)
{
	for (size_t i = 0; i < x->n_sources; i++) {
		const struct na_hlo_source *s = &x->sources[i];

		na_say_detail(
			x->request,
			"%s: worker %s, %zu modules in %zu files, %" PRIu64
			" bytes",
			s->path, s->modules && s->host ? s->host : "none",
			s->modules, s->files, s->file_bytes);
	}
}

static enum na_exit hlo_show(const struct na_cli *cli,
			     const struct na_hlo_reading *x,
			     const struct na_programs *p, struct na_result *r)
{
	const struct params *params = cli->params;
	enum na_exit exit;

	say_details(x);
	na_programs_result(p, r);
	hlo_envelope(x, r);
	na_programs_views(p, (size_t)params->top, r);
	hlo_notes(x, r);
	exit = na_output(cli, r);
	if (exit != NA_EXIT_OK)
		return exit;
	if (x->damaged && cli->request.strict)
		return NA_EXIT_FAILED;
	return na_judged_exit(cli, p->severity);
}

static enum na_exit hlo_run(struct na_cli *cli)
{
	struct na_err err = {.status = NA_OK};
	struct na_hlo_reading x;
	struct na_programs p;
	enum na_exit exit;

	na_catch_interrupt();
	exit = na_exit_of(na_hlo_reading_open(&x, &cli->request));
	if (exit == NA_EXIT_OK) {
		if (na_programs_compare(&p, &x.hlo, &err) == NA_OK)
			exit = hlo_show(cli, &x, &p, cli->result);
		else
			exit = na_say_failed(cli, &err);
		na_programs_fini(&p);
	}
	na_hlo_reading_close(&x);
	return exit;
}

static const char details[] =
	"Reads the HLO modules of traces (a trace's host is a worker) and of "
	"dumps, in binary form or as text, compressed or not: a directory that "
	"holds dumps is a worker, and so is a dump file given by itself. Of "
	"the files that a compiler writes of one module, the optimized one "
	"counts.\n"
	"Modules of one name are compared by their fingerprints, over all "
	"instructions in order, without names, ids and source lines. Where "
	"they differ, the workers are grouped, the odd ones first, with the "
	"first instruction in which each group differs from the largest one, "
	"and how many differ, insertions and removals taken as such: what "
	"there is to do about a hang digest that says \"fingerprint "
	"mismatch\" or \"different module\". Operands stand as distances: -1 "
	"is the instruction before.\n"
	"XLA writes dumps with XLA_FLAGS=\"--xla_dump_to=DIR "
	"--xla_dump_hlo_as_proto\", on each worker into a directory of its "
	"own.\n"
	"Columns: differs at is the place of the first instruction that "
	"differs, from 0 over all computations; changed counts those that "
	"come, go, are replaced or take other operands, and computations and "
	"collectives what is concerned of these. DCN collectives are "
	"rendezvous between slices, ICI the collectives between devices, "
	"whose network is ici or gpu where a trace's planes or the program "
	"show which; a module in both forms that communicates the same in both "
	"is listed once; bytes are what a send sends and what the others "
	"give.\n"
	"A difference is an error, a module that only some workers have a "
	"warning (--fail-on). The fingerprints are netan's own, not those of "
	"a digest; those of binary form and of text cannot be compared.";

static const struct na_command_info hlo_info = {
	.name = "hlo",
	.question = "what do programs communicate; do all workers run the same "
		    "one",
	.usage = "[OPTION…] DIR|FILE…",
	.details = details,
	.example = "netan hlo logdir\n"
		   "netan hlo dumps/host-*\n"
		   "netan hlo dumps --format csv --table workers\n"
		   "netan hlo --label good a.txt --label bad b.txt",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_hlo = {
	.info = &hlo_info,
	.joins = NA_JOIN_WORKERS | NA_JOIN_FINDINGS | NA_JOIN_OUTPUT,
	.run = hlo_run,
};

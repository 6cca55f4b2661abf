/*
 * `netan --help`, `netan help COMMAND`, and the command "help" itself.
 */
#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/checks/check.h"
#include "netan/cli/common.h"
#include "netan/cli/conf/conf.h"
#include "netan/cli/output/screen.h"
#include "netan/exports/sqlite/tables.h"
#include "netan/result/member.h"

struct help_params {
	bool schema, man, tables, settings, words;
};

/* All of them, or those that netan-mpi runs. */
static void list_commands(FILE *out, bool many)
{
	size_t width = 0;

	for (const struct na_command *const *c = na_commands; *c; c++)
		if (strlen((*c)->info->name) > width)
			width = strlen((*c)->info->name);
	for (const struct na_command *const *c = na_commands; *c; c++)
		if (!many || na_command_many(*c))
			fprintf(out, "  %-*s  %s\n", (int)width,
				(*c)->info->name, (*c)->info->question);
}

void na_help_short(FILE *out)
{
	fputs("Usage: netan COMMAND [OPTION...] INPUT...\n\nCommands:\n", out);
	list_commands(out, false);
	fputs("\n'netan COMMAND -h' shows a command's options in short, "
	      "'netan help COMMAND'\nall of it; 'netan --help' what they have "
	      "in common.\n",
	      out);
}

void na_help_program(FILE *out)
{
	fputs("netan shows what the network of a distributed training job "
	      "does, from profiler\ntraces and packet captures: how much of it "
	      "is used, when, and what is slow.\n\n"
	      "Usage: netan COMMAND [OPTION...] INPUT...\n"
	      "       netan help COMMAND\n"
	      "       netan --version [-v]\n\n"
	      "Commands:\n",
	      out);
	list_commands(out, false);
	fputs("\nINPUT is a file, a directory of them, or - for standard "
	      "input: profiles, packet\ncaptures (pcap, pcapng) or transfer "
	      "files, recognised from their content,\ncompressed with gzip or "
	      "zstd or not.\n\n"
	      "First steps:\n"
	      "  netan check PROFILE                  what is wrong, and what to "
	      "do\n"
	      "  netan report PROFILE -o report.html  all of it in one page\n"
	      "  netan timeline PROFILE -o bw.svg     how much of the network is "
	      "used\n"
	      "  netan check job.pcap                 the same of packets\n"
	      "  netan hang logs/                     why the job hangs, and who\n"
	      "  netan synth -o example               no profile at hand? make "
	      "one\n\n"
	      "Exit status: 0 done; 1 could not; 2 wrong usage; 3 findings, "
	      "where asked for.\n",
	      out);
}

void na_help_many(FILE *out)
{
	fputs("netan-mpi is netan on many machines: the ranks of an MPI job "
	      "share the work.\nOptions, output and exit status are those of "
	      "netan.\n\n"
	      "Usage: mpirun -n N netan-mpi COMMAND [OPTION...] INPUT...\n"
	      "       srun netan-mpi COMMAND [OPTION...] INPUT...\n"
	      "       netan-mpi COMMAND --help\n\n"
	      "Commands:\n",
	      out);
	list_commands(out, true);
	fputs("\nINPUT is what every node sees, or with --local GLOB what "
	      "each has for itself.\nOnly the first rank prints and writes; "
	      "-j is the number of threads of each\n(default: the cores of "
	      "its node, shared among the ranks there).\n--cache DIR keeps "
	      "what traces hold for the next job.\n\n"
	      "First steps:\n"
	      "  mpirun -n 16 netan-mpi check PROFILE -o check.json\n"
	      "  srun -N 1000 --ntasks-per-node 1 netan-mpi check --local "
	      "'/local/prof/*.pb'\n",
	      out);
}

/* At most so many; returns what is behind them. */
static const char *put_lines(FILE *out, const char *text, size_t most)
{
	for (; *text && most; most--) {
		size_t n = strcspn(text, "\n");

		if (out)
			fprintf(out, "  %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
	return text;
}

/* One line of text from column `at` on, broken between words where it is too
 * wide; what follows begins in column `indent`. */
static void put_hanging(FILE *out, const char *text, const char *end, size_t at,
			size_t indent)
{
	size_t columns = na_help_columns();

	while (text < end) {
		char word[128];
		size_t n = strcspn(text, " \n"), width;

		snprintf(word, sizeof(word), "%.*s", n < 127 ? (int)n : 127,
			 text);
		width = na_text_width(word);
		if (at && at + 1 + width > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent + width;
		} else {
			fputs(at ? " " : "", out);
			at += width + (at ? 1 : 0);
		}
		fputs(word, out);
		text += n;
		text += strspn(text, " ");
	}
}

static void put_wrapped(FILE *out, const char *text, const char *end)
{
	put_hanging(out, text, end, 0, 0);
}

/* Paragraphs for a terminal; lines that start with a space (lists, commands)
 * stay as they are. */
static void put_paragraphs(FILE *out, const char *text)
{
	while (*text) {
		const char *end = text + strcspn(text, "\n");

		if (*text == ' ')
			fprintf(out, "%.*s", (int)(end - text), text);
		else
			put_wrapped(out, text, end);
		putc('\n', out);
		text = end + (*end == '\n');
	}
}

const struct na_term na_terms[] = {
#define NA_TERM(word, meaning) {word, meaning},
#include "netan/cli/glossary.def"
#undef NA_TERM
	{NULL, NULL},
};

/* "likely" begins a word of "certain, likely, possible". */
static bool is_meant(const struct na_term *t, const char *begins)
{
	for (const char *one = t->word;; one += 2) {
		if (na_starts_nocase(one, strlen(one), begins))
			return true;
		one = strstr(one, ", ");
		if (!one)
			return false;
	}
}

/* All that begin with `begins`, or all.  False: none. */
static bool put_terms(FILE *out, const char *begins)
{
	enum { INDENT = 16 };
	bool any = false;

	for (const struct na_term *t = na_terms; t->word; t++) {
		const char *text = t->meaning;

		if (begins && !is_meant(t, begins))
			continue;
		any = true;
		fprintf(out, "%-*s", INDENT - 1, t->word);
		if (strlen(t->word) >= INDENT)
			fprintf(out, "\n%*s", INDENT - 1, "");
		put_hanging(out, text, text + strlen(text), INDENT - 1,
			    INDENT);
		putc('\n', out);
	}
	return any;
}

static void put_ids(FILE *out, const struct na_command *c)
{
	const char *id, *what;
	size_t width = 0;

	if (!c->ids)
		return;
	for (size_t k = 0; (id = c->ids(k, &what)); k++)
		width = strlen(id) > width ? strlen(id) : width;
	putc('\n', out);
	for (size_t k = 0; (id = c->ids(k, &what)); k++)
		fprintf(out, "  %-*s  %s\n", (int)width, id, what);
}

static void put_method(FILE *out, const char *method)
{
	if (!method)
		return;
	fputs("\nMethod:\n", out);
	put_paragraphs(out, method);
}

static void put_question(FILE *out, const struct na_command *c)
{
	char line[256];

	snprintf(line, sizeof(line), "netan %s - %s", c->info->name,
		 c->info->question);
	put_wrapped(out, line, line + strlen(line));
	fputs("\n\n", out);
	snprintf(line, sizeof(line), "Usage: netan %s %s", c->info->name,
		 c->info->usage);
	put_hanging(out, line, line + strlen(line), 0, strlen("Usage: "));
	putc('\n', out);
}

void na_help_command(const struct na_command *c, FILE *out)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);

	put_question(out, c);
	if (c->info->details) {
		putc('\n', out);
		put_paragraphs(out, c->info->details);
	}
	if (na_when_stopped(c)) {
		putc('\n', out);
		put_paragraphs(out, na_when_stopped(c));
	}
	put_ids(out, c);
	na_opt_help(groups, n, out);
	put_method(out, c->info->method);
	if (c->info->example) {
		fputs("\nExample:\n", out);
		put_lines(out, c->info->example, SIZE_MAX);
	}
}

/* Beside what a command's examples use and its own, those that most need
 * first. */
static const char matter[] =
	"output,format,from,to,step,host,by,top,label,quiet,anonymize";

/* The options that -h shows: what fits on a screen of 24 rows. */
struct brief {
	const struct na_opt *v[10];
	size_t n;
};

enum { BRIEF_OWN = 3, BRIEF_EXAMPLES = 3 };

static void add_brief(struct brief *b, const struct na_opt *o)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->v[i] == o)
			return;
	}
	if (o && b->n < NA_LEN(b->v))
		b->v[b->n++] = o;
}

/* Does an example give it, by either name? */
static bool is_used(const struct na_opt *o, const char *example,
		    const char *end)
{
	char name[64], letter[] = {' ', '-', o->short_name, ' ', '\0'};
	const char *at;

	snprintf(name, sizeof(name), " --%s", o->name);
	at = strstr(example, name);
	if (at && at < end && strchr(" \n=", at[strlen(name)]))
		return true;
	at = o->short_name ? strstr(example, letter) : NULL;
	return at && at < end;
}

/* Those of "output,from,to" that the command has. */
static void add_named(struct brief *b, const struct na_opt_group *groups,
		      size_t n_groups, const char *names)
{
	while (*names) {
		size_t n = strcspn(names, ",");

		add_brief(b, na_opt_find(groups, n_groups, names, n));
		names += n + (names[n] == ',');
	}
}

static void choose_brief(struct brief *b, const struct na_command *c,
			 const struct na_opt_group *groups, size_t n)
{
	const char *example = c->info->example ? c->info->example : "";
	const struct na_opt *own = c->info->opts;
	const char *end = put_lines(NULL, example, BRIEF_EXAMPLES);

	if (c->info->matter) {
		add_named(b, groups, n, c->info->matter);
		return;
	}
	for (size_t k = 0; k < n; k++) {
		for (const struct na_opt *o = groups[k].opts;
		     o->kind != NA_OPT_NONE; o++) {
			if (is_used(o, example, end))
				add_brief(b, o);
		}
	}
	for (size_t i = 0; own && own->kind != NA_OPT_NONE && i < BRIEF_OWN;
	     own++, i++)
		add_brief(b, own);
	add_named(b, groups, n, matter);
}

void na_help_brief(const struct na_command *c, FILE *out)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups), all = 0;
	struct brief b = {.n = 0};

	put_question(out, c);
	choose_brief(&b, c, groups, n);
	if (b.n)
		putc('\n', out);
	for (size_t i = 0; i < b.n; i++)
		na_opt_help_brief(b.v[i], out);
	for (size_t k = 0; k < n; k++) {
		for (const struct na_opt *o = groups[k].opts;
		     o->kind != NA_OPT_NONE; o++)
			all++;
	}
	if (c->info->example) {
		fputs("\nExample:\n", out);
		put_lines(out, c->info->example, BRIEF_EXAMPLES);
	}
	fprintf(out,
		"\nAll %zu options: netan %s --help.  What words mean: netan "
		"help --words.\n",
		all, c->info->name);
}

static enum na_exit put_schema(const struct na_cli *cli, const char *name)
{
	const struct na_document *d = na_document_find(name);

	if (d) {
		na_schema_put(d, stdout);
		return NA_EXIT_OK;
	}
	na_say_error(&cli->request,
		     "the command '%s' has no JSON output, so it has no "
		     "schema",
		     name);
	return NA_EXIT_FAILED;
}

static const char *word_offered(size_t k)
{
	return k < NA_LEN(na_terms) ? na_terms[k].word : NULL;
}

/* Commands, then checks. */
static const char *topic_offered(size_t k)
{
	size_t n = 0;

	while (na_commands[n])
		n++;
	if (k < n)
		return na_commands[k]->info->name;
	for (size_t i = 0; na_checks[i]; i++)
		if (i == k - n)
			return na_checks[i]->id;
	return NULL;
}

static const char *table_offered(size_t k)
{
	return k < NA_SQL_N_TABLES ? na_sql_tables[k].name : NULL;
}

/* Wrong usage: `said`, perhaps with the one of those offered that is meant,
 * and which command lists them. */
static enum na_exit unknown(const struct na_cli *cli, const char *said,
			    const char *name,
			    const char *(*offered)(size_t), const char *lists)
{
	const char *names[256], *close;
	size_t n = 0;

	for (; n < NA_LEN(names) && (names[n] = offered(n)); n++)
		;
	close = na_closest(name, names, n);
	na_say_error(&cli->request, "%s '%s'%s%s%s", said, name,
		     close ? "; did you mean '" : "", close ? close : "",
		     close ? "'?" : "");
	na_say_hint(&cli->request, "'netan %s' lists them", lists);
	return NA_EXIT_USAGE;
}

static enum na_exit put_words(const struct na_cli *cli, const char *word)
{
	return put_terms(stdout, word)
		       ? NA_EXIT_OK
		       : unknown(cli, "there is no word", word, word_offered,
				 "help --words");
}

static enum na_exit put_tables(const struct na_cli *cli, const char *name)
{
	struct na_err err = {0};

	if (na_sql_help(name, stdout, &err) == NA_OK)
		return NA_EXIT_OK;
	if (err.status == NA_EUSAGE)
		return unknown(cli, "there is no table", name, table_offered,
			       "help --tables");
	na_say_error(&cli->request, "%s", err.text);
	return na_exit_of(err.status);
}

static void put_item(FILE *out, const char *title, const char *text)
{
	size_t at = (size_t)fprintf(out, "%s", title);

	put_hanging(out, text, text + strlen(text), at, 2);
	putc('\n', out);
}

/* The options that limit a check: their help begins with its name. */
static void put_limits(FILE *out, const char *id)
{
	static const struct {
		const char *option, *value, *help;
	} limits[] = {
#define NA_LIMIT(name, option, def, min, max, arg, help) {option, def, help},
#include "netan/checks/limits.def"
#undef NA_LIMIT
	};

	for (size_t i = 0; i < NA_LEN(limits); i++) {
		const char *colon = strchr(limits[i].help, ':'),
			   *name = strstr(limits[i].help, id);
		char title[64];

		if (!name || name > colon)
			continue;
		snprintf(title, sizeof(title),
			 "Limit: --%s %s:", limits[i].option, limits[i].value);
		put_item(out, title, colon + 2);
	}
}

static void put_reads(FILE *out, const char *title, const char *const *names)
{
	if (!names[0])
		return;
	fprintf(out, "%s", title);
	for (size_t i = 0; i < NA_CHECK_READS && names[i]; i++)
		fprintf(out, "%s%s", i ? ", " : " ", names[i]);
	putc('\n', out);
}

/* A check, as its row describes it. */
static void put_check(const struct na_check *check, FILE *out)
{
	fprintf(out, "%s: a check of netan check, version %d, %s\n\n",
		check->id, check->version,
		check->maturity == NA_CANDIDATE
			? "a candidate: it remarks and accuses nobody"
			: "stable");
	put_item(out, "Looks for:", check->question);
	put_reads(out, "Needs the results of:", check->needs);
	put_reads(out, "Also reads:", check->uses);
	put_item(out, "Does not mean:", check->does_not_mean);
	put_limits(out, check->id);
	fprintf(out,
		"\nRun it alone: netan check --only %s INPUT...\n"
		"Skip it:      netan check --skip %s INPUT...\n",
		check->id, check->id);
}

static enum na_exit help_run(struct na_cli *cli)
{
	const struct help_params *p = cli->params;
	const struct na_command *c = NULL;
	const char *name = cli->request.n_inputs ? cli->request.inputs[0].path
						 : NULL;

	if (cli->request.n_inputs > 1 ||
	    p->schema + p->man + p->tables + p->settings + p->words >
		    1 ||
	    (p->settings && name)) {
		na_say_error(&cli->request,
			     "help is about one thing; for example: "
			     "netan help timeline");
		return NA_EXIT_USAGE;
	}
	if (p->tables)
		return put_tables(cli, name);
	if (p->words)
		return put_words(cli, name);
	if (p->settings) {
		na_conf_show(cli->conf, stdout);
		return NA_EXIT_OK;
	}
	if (p->man && name && strcmp(name, "netan-mpi") == 0) {
		na_man_many(stdout);
		return NA_EXIT_OK;
	}
	if (!name && p->schema) {
		na_say_error(&cli->request,
			     "--schema needs a command; for example: "
			     "netan help --schema timeline");
		return NA_EXIT_USAGE;
	}
	if (name && strcmp(name, "netan") != 0) {
		c = na_command_find(name);
		if (!c && na_check_find(name)) {
			put_check(na_check_find(name), stdout);
			return NA_EXIT_OK;
		}
		if (!c)
			return unknown(cli, "there is no command or check",
				       name, topic_offered, "--help");
	}
	if (p->schema)
		return put_schema(cli, name);
	if (p->man)
		na_man_page(c, stdout);
	else if (c)
		na_help_command(c, stdout);
	else
		na_help_program(stdout);
	if (c && !p->man && na_check_find(name)) {
		putc('\n', stdout);
		put_check(na_check_find(name), stdout);
	}
	return NA_EXIT_OK;
}

/* clang-format off */
static const struct na_opt help_opts[] = {
	{NA_OPT_FLAG, 0, "schema", offsetof(struct help_params, schema), NULL,
	 NULL, 0, 0, "print the JSON Schema of what COMMAND writes"},
	{NA_OPT_FLAG, 0, "man", offsetof(struct help_params, man), NULL, NULL,
	 0, 0, "print the manual page of COMMAND, of netan or of netan-mpi, in "
	 "roff",
	 .brief = "print the manual page of COMMAND, in roff"},
	{NA_OPT_FLAG, 0, "tables", offsetof(struct help_params, tables), NULL,
	 NULL, 0, 0, "list the tables of netan sql and of its databases; with the name of "
	 "one, that one", NA_PATH_NONE, table_offered,
	 .brief = "the tables of netan sql"},
	{NA_OPT_FLAG, 0, "words", offsetof(struct help_params, words), NULL,
	 NULL, 0, 0, "what the words of headers and sentences mean: slack, exposed, own "
	 "cost; with the beginning of one, those", NA_PATH_NONE, word_offered,
	 .brief = "what words of headers and sentences mean"},
	{NA_OPT_FLAG, 0, "settings", offsetof(struct help_params, settings),
	 NULL, NULL, 0, 0, "show what netan.conf may set, where it is, and "
	 "what it sets",
	 .brief = "what netan.conf may set, and what it sets"},
	NA_OPT_END
};
/* clang-format on */

static const struct na_command_info help_info = {
	.name = "help",
	.question = "what do the commands and their options mean",
	.usage = "[--schema | --man] [COMMAND] | --tables [TABLE] | "
		 "--words [WORD] | --settings",
	.matter = "words,tables,settings,schema,man",
	.example = "netan help timeline\n"
		   "netan help --schema timeline >timeline.schema.json\n"
		   "netan help --man timeline | man -l -\n"
		   "netan help --tables transfers\n"
		   "netan help --words slack\n"
		   "netan help --settings",
	.opts = help_opts,
	.params_size = sizeof(struct help_params),
};

const struct na_command na_cmd_help = {
	.info = &help_info,
	.words = "COMMAND",
	.run = help_run,
};

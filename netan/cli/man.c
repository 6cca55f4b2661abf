/*
 * Manual pages (man(7) macros), from the same tables as the help.
 */
#include <ctype.h>
#include <string.h>

#include "netan/cli/common.h"

/* Text for roff: no control lines, no hyphens turned into dashes. */
static void put_span(FILE *out, const char *s, size_t n)
{
	bool start = true;

	for (const char *end = s + n; s < end; s++) {
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", out);
		start = *s == '\n';
		if (strncmp(s, "\xe2\x80\xa6", 3) == 0) {
			fputs("\\&...", out); /* an ellipsis */
			s += 2;
			continue;
		}
		if (*s == '\\')
			fputs("\\e", out);
		else if (*s == '-')
			fputs("\\-", out);
		else
			putc(*s, out);
	}
}

static void put_text(FILE *out, const char *s)
{
	put_span(out, s, strlen(s));
}

static void put_title(FILE *out, const char *name)
{
	fputs(".TH ", out);
	for (; *name; name++)
		putc(toupper((unsigned char)*name), out);
	fprintf(out, " 1 \"\" \"netan %s\" \"netan\"\n", NETAN_VERSION);
}

static void put_option(FILE *out, const struct na_opt *o)
{
	fputs(".TP\n", out);
	if (o->short_name)
		fprintf(out, "\\fB\\-%c\\fR, ", o->short_name);
	fputs("\\fB\\-\\-", out);
	put_text(out, o->name);
	fputs("\\fR", out);
	if (o->kind != NA_OPT_FLAG && o->arg) {
		fputs(" \\fI", out);
		put_text(out, o->arg);
		fputs("\\fR", out);
	}
	putc('\n', out);
	put_text(out, o->help ? o->help : "");
	putc('\n', out);
	if (o->def && o->kind != NA_OPT_FLAG) {
		fputs("(default: ", out);
		put_text(out, o->def);
		fputs(")\n", out);
	}
}

/* A line each, as in the help; one that begins with a blank (lists, commands)
 * stays as it is. */
static void put_paragraphs(FILE *out, const char *text)
{
	bool kept = false;

	while (*text) {
		size_t n = strcspn(text, "\n");
		bool keep = *text == ' ';

		if (kept && !keep)
			fputs(".fi\n", out);
		if (n && !(kept && keep))
			fputs(keep ? ".PP\n.nf\n" : ".PP\n", out);
		put_span(out, text, n);
		if (n)
			putc('\n', out);
		kept = keep;
		text += n + (text[n] == '\n');
	}
	if (kept)
		fputs(".fi\n", out);
}

static void put_ids(FILE *out, const struct na_command *c)
{
	const char *id, *what;

	for (size_t k = 0; c->ids && (id = c->ids(k, &what)); k++) {
		fputs(".TP\n\\fB", out);
		put_text(out, id);
		fputs("\\fR\n", out);
		put_text(out, what);
		putc('\n', out);
	}
}

static void put_example(FILE *out, const char *text)
{
	fputs(".SH EXAMPLES\n.PP\n.nf\n", out);
	put_text(out, text);
	fputs("\n.fi\n", out);
}

static void put_status(FILE *out)
{
	fputs(".SH EXIT STATUS\n"
	      ".TP\n0\ndone\n"
	      ".TP\n1\nnothing could be read, analysed or written; or other "
	      "commands than those of 130 were interrupted: a partial result\n"
	      ".TP\n2\nwrong usage\n"
	      ".TP\n3\nfindings, where an option asked for this status\n"
	      ".TP\n130\ncheck, report, diff, ingest, export, sql or slice was "
	      "interrupted: nothing is written, or of ingest into a "
	      "directory the files that are whole\n",
	      out);
}

static void command_page(const struct na_command *c, FILE *out)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);
	char name[64];

	snprintf(name, sizeof(name), "netan-%s", c->info->name);
	put_title(out, name);
	fputs(".SH NAME\nnetan\\-", out);
	put_text(out, c->info->name);
	fputs(" \\- ", out);
	put_text(out, c->info->question);
	fputs("\n.SH SYNOPSIS\n\\fBnetan ", out);
	put_text(out, c->info->name);
	fputs("\\fR ", out);
	put_text(out, c->info->usage);
	putc('\n', out);
	if (c->info->details || na_when_stopped(c))
		fputs(".SH DESCRIPTION\n", out);
	if (c->info->details)
		put_paragraphs(out, c->info->details);
	if (na_when_stopped(c))
		put_paragraphs(out, na_when_stopped(c));
	put_ids(out, c);
	fputs(".SH OPTIONS\n", out);
	for (size_t k = 0; k < n; k++) {
		fprintf(out, ".SS %s\n", groups[k].title);
		for (const struct na_opt *o = groups[k].opts;
		     o->kind != NA_OPT_NONE; o++)
			put_option(out, o);
	}
	if (c->info->method) {
		fputs(".SH METHOD\n", out);
		put_paragraphs(out, c->info->method);
	}
	if (c->info->example)
		put_example(out, c->info->example);
	put_status(out);
	fputs(".SH SEE ALSO\n.BR netan (1)\n", out);
}

static void put_commands(FILE *out, bool many)
{
	fputs(".SH COMMANDS\n", out);
	for (const struct na_command *const *c = na_commands; *c; c++) {
		if (many && !na_command_many(*c))
			continue;
		fputs(".TP\n.BR netan\\-", out);
		put_text(out, (*c)->info->name);
		fputs(" (1)\n", out);
		put_text(out, (*c)->info->question);
		putc('\n', out);
	}
}

static void program_page(FILE *out)
{
	put_title(out, "netan");
	fputs(".SH NAME\nnetan \\- analyse the network traffic of distributed "
	      "training jobs\n"
	      ".SH SYNOPSIS\n"
	      "\\fBnetan\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] "
	      "\\fIINPUT\\fR...\n.br\n"
	      "\\fBnetan help\\fR \\fICOMMAND\\fR\n"
	      ".SH DESCRIPTION\n"
	      "An \\fIINPUT\\fR is a file, the directory of a profile, or\n"
	      "\\- for standard input.\nIts format is recognised from its "
	      "content.\n",
	      out);
	put_commands(out, false);
	fputs(".SH OPTIONS\n"
	      ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
	      "list the commands; behind a command, its options\n"
	      ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR [\\fB\\-v\\fR]\n"
	      "version, commit, compiler and libraries; with \\fB\\-v\\fR "
	      "also what\nholds of the sandbox\n",
	      out);
	put_status(out);
	fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nwhen set and not empty, no "
	      "colours unless an option asks for them\n.TP\nCOLUMNS\nhow "
	      "wide lines may be where the output is no terminal\n"
	      ".TP\nTMPDIR\nwhere what memory does not hold lies meanwhile\n",
	      out);
}

void na_man_page(const struct na_command *c, FILE *out)
{
	if (c)
		command_page(c, out);
	else
		program_page(out);
}

void na_man_many(FILE *out)
{
	put_title(out, "netan-mpi");
	fputs(".SH NAME\nnetan\\-mpi \\- netan on many machines\n"
	      ".SH SYNOPSIS\n"
	      "\\fBmpirun \\-n\\fR \\fIN\\fR \\fBnetan\\-mpi\\fR "
	      "\\fICOMMAND\\fR [\\fIOPTION\\fR...] \\fIINPUT\\fR...\n.br\n"
	      "\\fBsrun netan\\-mpi\\fR "
	      "\\fICOMMAND\\fR [\\fIOPTION\\fR...] \\fIINPUT\\fR...\n"
	      ".SH DESCRIPTION\n"
	      "The ranks of an MPI job share the work of a command.\n"
	      "Options, output and exit status are those of\n"
	      ".BR netan (1).\n"
	      ".PP\n"
	      "An \\fIINPUT\\fR is what every node sees, or with "
	      "\\fB\\-\\-local\\fR \\fIGLOB\\fR\nwhat each has for itself.\n"
	      "Only the first rank prints and writes.\n"
	      "\\fB\\-j\\fR is the number of threads of each (default: the "
	      "cores of its\nnode, shared among the ranks there).\n"
	      "\\fB\\-\\-cache\\fR \\fIDIR\\fR keeps what traces hold for "
	      "the next job.\n",
	      out);
	put_commands(out, true);
	put_status(out);
	fputs(".SH SEE ALSO\n.BR netan (1)\n", out);
}

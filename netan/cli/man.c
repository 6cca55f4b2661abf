/*
 * Manual pages (man(7) macros), from the same tables as the help.
 */
#include <ctype.h>
#include <string.h>

#include "netan/cli/common.h"

/* Text for roff: no control lines, no hyphens turned into dashes. */
static void put_text(FILE *out, const char *s)
{
	bool start = true;

	for (; *s; s++) {
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

static void put_paragraphs(FILE *out, const char *text)
{
	/* An empty line in the source parts paragraphs. */
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t n = end ? (size_t)(end - text) : strlen(text);
		char line[512];

		fputs(".PP\n", out);
		while (n) {
			size_t k = n < sizeof(line) - 1 ? n : sizeof(line) - 1;

			memcpy(line, text, k);
			line[k] = '\0';
			put_text(out, line);
			text += k;
			n -= k;
		}
		putc('\n', out);
		text += end ? 2 : 0;
	}
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
	      ".TP\n1\nnothing could be read, analysed or written\n"
	      ".TP\n2\nwrong usage\n"
	      ".TP\n3\nfindings, where an option asked for this status\n"
	      ".TP\n130\ncheck, report, diff or ingest was interrupted: "
	      "nothing is written, or of ingest into a directory the files "
	      "that are whole\n",
	      out);
}

static void command_page(const struct na_command *c, FILE *out)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n = na_command_groups(c, NULL, groups);
	char name[64];

	snprintf(name, sizeof(name), "netan-%s", c->face->name);
	put_title(out, name);
	fputs(".SH NAME\nnetan\\-", out);
	put_text(out, c->face->name);
	fputs(" \\- ", out);
	put_text(out, c->face->question);
	fputs("\n.SH SYNOPSIS\n\\fBnetan ", out);
	put_text(out, c->face->name);
	fputs("\\fR ", out);
	put_text(out, c->face->usage);
	putc('\n', out);
	if (c->face->details) {
		fputs(".SH DESCRIPTION\n", out);
		put_paragraphs(out, c->face->details);
	}
	put_ids(out, c);
	fputs(".SH OPTIONS\n", out);
	for (size_t k = 0; k < n; k++) {
		fprintf(out, ".SS %s\n", groups[k].title);
		for (const struct na_opt *o = groups[k].opts;
		     o->kind != NA_OPT_NONE; o++)
			put_option(out, o);
	}
	if (c->face->method) {
		fputs(".SH METHOD\n", out);
		put_text(out, c->face->method);
		putc('\n', out);
	}
	if (c->face->example)
		put_example(out, c->face->example);
	put_status(out);
	fputs(".SH SEE ALSO\n.BR netan (1)\n", out);
}

static void program_page(FILE *out)
{
	put_title(out, "netan");
	fputs(".SH NAME\nnetan \\- analyse the network traffic of distributed "
	      "training jobs\n"
	      ".SH SYNOPSIS\n"
	      "\\fBnetan\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] "
	      "\\fIINPUT\\fR...\n"
	      ".SH DESCRIPTION\n"
	      "An \\fIINPUT\\fR is a file, the directory of a profile, or\n"
	      "\\- for standard input.\nIts format is recognised from its "
	      "content.\n"
	      ".SH COMMANDS\n",
	      out);
	for (const struct na_command *const *c = na_commands; *c; c++) {
		fputs(".TP\n.BR netan\\-", out);
		put_text(out, (*c)->face->name);
		fputs(" (1)\n", out);
		put_text(out, (*c)->face->question);
		putc('\n', out);
	}
	put_status(out);
	fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nwhen set and not empty, no "
	      "colours unless an option asks for them\n.TP\nCOLUMNS\nhow "
	      "wide lines may be where the output is no terminal\n",
	      out);
}

void na_man_page(const struct na_command *c, FILE *out)
{
	if (c)
		command_page(c, out);
	else
		program_page(out);
}

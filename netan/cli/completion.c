/*
 * `netan completion SHELL`: scripts made from the tables of commands and
 * options, so that they know what the program knows.
 */
#include <string.h>

#include "netan/base/strtab.h"
#include "netan/cli/common.h"
#include "netan/result/member.h"

struct script {
	FILE *out;
	const struct na_command *command;
	struct na_opt_group groups[NA_MAX_GROUPS];
	size_t n;
};

#define for_each_command(c) \
	for (const struct na_command *const *c = na_commands; *c; c++)

#define for_each_option(o, s) \
	for (size_t o##_k = 0; o##_k < (s)->n; o##_k++) \
		for (const struct na_opt *o = (s)->groups[o##_k].opts; \
		     o->kind != NA_OPT_NONE; o++)

static void start_command(struct script *s, const struct na_command *c)
{
	s->command = c;
	s->n = na_command_groups(c, NULL, s->groups);
}

/* "a|b|c" as "a b c". */
static void put_words(FILE *out, const char *words)
{
	for (; *words; words++)
		putc(*words == '|' ? ' ' : *words, out);
}

static void put_command_names(FILE *out)
{
	for_each_command(c) fprintf(out, "%s%s", c == na_commands ? "" : " ",
				    (*c)->info->name);
}

static void put_operands(FILE *out, const struct na_command *c)
{
	if (c->words && strcmp(c->words, "COMMAND") == 0)
		put_command_names(out);
	else if (c->words)
		put_words(out, c->words);
}

static bool has_choice(const struct na_opt *o)
{
	size_t n;

	return na_opt_word(o, 0, &n) != NULL;
}

/* An option whose words the command lists. */
static bool takes_id(const struct script *s, const struct na_opt *o)
{
	return s->command->ids && o->arg && strcmp(o->arg, "ID") == 0;
}

static bool takes_table(const struct script *s, const struct na_opt *o)
{
	return o->arg && strcmp(o->arg, "TABLE") == 0 &&
	       na_document_find(s->command->info->name);
}

static bool has_words(const struct script *s, const struct na_opt *o)
{
	return has_choice(o) || takes_id(s, o) || takes_table(s, o) ||
	       o->offers;
}

/* Lists of its result, and those in their rows: each name once. */
static void put_tables(FILE *out, struct na_strtab *told,
		       const struct na_table *t, bool inner)
{
	for (; t; t = t->base) {
		for (const struct na_member *m = t->members; m && m->name;
		     m++) {
			size_t before = told->n;

			if (m->type != NA_T_LIST)
				continue;
			na_strtab_add(told, m->name, strlen(m->name));
			if (told->n > before)
				fprintf(out, "%s ", m->name);
			if (!inner)
				put_tables(out, told, m->of, true);
		}
	}
}

static void put_its_tables(const struct script *s)
{
	struct na_strtab told = {.n = 0};

	put_tables(s->out, &told,
		   na_document_find(s->command->info->name)->result, false);
	na_strtab_fini(&told);
}

static void put_values(const struct script *s, const struct na_opt *o)
{
	const char *id, *what;

	if (takes_table(s, o)) {
		put_its_tables(s);
		return;
	}
	for (size_t k = 0; o->offers && (id = o->offers(k)); k++)
		fprintf(s->out, "%s%s", k ? " " : "", id);
	if (!takes_id(s, o)) {
		if (!o->offers)
			put_words(s->out, o->arg);
		return;
	}
	for (size_t k = 0; (id = s->command->ids(k, &what)); k++)
		fprintf(s->out, "%s%s", k ? " " : "", id);
}

static bool takes_file(const struct na_opt *o)
{
	return o->arg && (strstr(o->arg, "FILE") || strstr(o->arg, "DIR"));
}

/* Inside single quotes. */
static void put_quoted(FILE *out, const char *text, const char *backslash)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (strchr(backslash, *text))
			fprintf(out, "\\%c", *text);
		else
			putc(*text, out);
	}
}

/* ---- bash */

static void bash_options(struct script *s)
{
	fprintf(s->out, "\t%s)\n\t\topts='", s->command->info->name);
	for_each_option(o, s) fprintf(s->out, "--%s ", o->name);
	fputs("'\n\t\twords='", s->out);
	put_operands(s->out, s->command);
	fputs("'\n\t\tcase $opt in\n", s->out);
	for_each_option(o, s)
	{
		if (o->kind == NA_OPT_FLAG)
			continue;
		fprintf(s->out, "\t\t--%s", o->name);
		if (o->short_name)
			fprintf(s->out, " | -%c", o->short_name);
		fputs(") value=yes words='", s->out);
		if (has_words(s, o))
			put_values(s, o);
		fputs("' ;;\n", s->out);
	}
	fputs("\t\tesac\n", s->out);
	for_each_option(o, s)
	{
		if (o->kind != NA_OPT_FLAG || !o->offers)
			continue;
		fprintf(s->out,
			"\t\t[[ \" ${COMP_WORDS[*]} \" == *' --%s '* ]] && "
			"words='",
			o->name);
		put_values(s, o);
		fputs("'\n", s->out);
	}
	fputs("\t\t;;\n", s->out);
}

static void bash_script(struct script *s)
{
	fputs("# bash completion for netan: source it, or put it into\n"
	      "# ~/.local/share/bash-completion/completions/netan\n"
	      "_netan()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	      "\tlocal opt=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal opts='' words='' value=''\n"
	      "\tCOMPREPLY=()\n"
	      "\t# bash takes --format=js apart at the sign\n"
	      "\tif [[ $cur == '=' ]]; then\n"
	      "\t\tcur=''\n"
	      "\telif [[ $opt == '=' ]]; then\n"
	      "\t\topt=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tfi\n"
	      "\tif ((COMP_CWORD == 1)); then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      s->out);
	put_command_names(s->out);
	fputs(" --help --version' -- \"$cur\"))\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	      s->out);
	for_each_command(c)
	{
		start_command(s, *c);
		bash_options(s);
	}
	fputs("\tesac\n"
	      "\tif [[ -z $value && $cur == -* ]]; then\n"
	      "\t\twords=$opts\n"
	      "\tfi\n"
	      "\t# without a match, -o default completes files\n"
	      "\tif [[ -n $words ]]; then\n"
	      "\t\t# the last of several, as in --by src,dst\n"
	      "\t\tlocal before=''\n"
	      "\t\tif [[ -n $value && $cur == *,* ]]; then\n"
	      "\t\t\tbefore=${cur%,*},\n"
	      "\t\tfi\n"
	      "\t\tCOMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- "
	      "\"${cur#\"$before\"}\"))\n"
	      "\tfi\n"
	      "}\n"
	      "complete -o default -F _netan netan\n",
	      s->out);
}

/* ---- zsh */

static void zsh_option(const struct script *s, const struct na_opt *o)
{
	FILE *out = s->out;
	bool list = o->kind == NA_OPT_LIST;
	const char *value = o->kind == NA_OPT_FLAG ? "" : "=";

	fputs(" \\\n\t\t\t'", out);
	if (list)
		putc('*', out);
	else if (o->short_name)
		fprintf(out, "(-%c --%s)", o->short_name, o->name);
	if (o->short_name)
		fprintf(out, "'{-%c%s,--%s%s}'", o->short_name,
			*value ? "+" : "", o->name, value);
	else
		fprintf(out, "--%s%s", o->name, value);
	putc('[', out);
	put_quoted(out, o->help ? o->help : "", "[]\\");
	putc(']', out);
	if (o->kind != NA_OPT_FLAG) {
		/* ":VALUE:" and what can stand there */
		putc(':', out);
		put_quoted(out,
			   has_choice(o) ? o->name
			   : o->arg      ? o->arg
					 : "value",
			   ":[]\\");
		putc(':', out);
		if (has_words(s, o)) {
			putc('(', out);
			put_values(s, o);
			putc(')', out);
		} else if (takes_file(o)) {
			fputs("_files", out);
		}
	}
	putc('\'', out);
}

static void zsh_command(struct script *s)
{
	fprintf(s->out, "\t\t%s)\n\t\t\t_arguments -s", s->command->info->name);
	for_each_option(o, s) zsh_option(s, o);
	fputs(" \\\n\t\t\t'*:", s->out);
	if (s->command->words) {
		fputs("word:(", s->out);
		put_operands(s->out, s->command);
		fputs(")'\n", s->out);
	} else {
		fputs("input:_files'\n", s->out);
	}
	fputs("\t\t\t;;\n", s->out);
}

static void zsh_script(struct script *s)
{
	fputs("#compdef netan\n"
	      "# zsh completion for netan: put it into a folder of $fpath as\n"
	      "# _netan, or source it.\n"
	      "_netan()\n{\n"
	      "\tlocal context state state_descr line\n"
	      "\ttypeset -A opt_args\n"
	      "\tlocal -a commands\n"
	      "\tcommands=(\n",
	      s->out);
	for_each_command(c)
	{
		fprintf(s->out, "\t\t'%s:", (*c)->info->name);
		put_quoted(s->out, (*c)->info->question, ":\\");
		fputs("'\n", s->out);
	}
	fputs("\t)\n"
	      "\t_arguments -C '(- *)--help[show help]' "
	      "'(- *)--version[show the version]' \\\n"
	      "\t\t'1:command:->command' '*::argument:->argument'\n"
	      "\tcase $state in\n"
	      "\tcommand)\n"
	      "\t\t_describe command commands\n"
	      "\t\t;;\n"
	      "\targument)\n"
	      "\t\tcase $words[1] in\n",
	      s->out);
	for_each_command(c)
	{
		start_command(s, *c);
		zsh_command(s);
	}
	fputs("\t\tesac\n"
	      "\t\t;;\n"
	      "\tesac\n"
	      "}\n"
	      "if [ \"$funcstack[1]\" = _netan ]; then\n"
	      "\t_netan \"$@\"\n"
	      "else\n"
	      "\tcompdef _netan netan\n"
	      "fi\n",
	      s->out);
}

/* ---- fish */

static void fish_option(struct script *s, const struct na_opt *o)
{
	fprintf(s->out,
		"complete -c netan -n "
		"'__fish_seen_subcommand_from %s' -l %s",
		s->command->info->name, o->name);
	if (o->short_name)
		fprintf(s->out, " -s %c", o->short_name);
	if (has_words(s, o)) {
		fputs(" -x -a '", s->out);
		put_values(s, o);
		putc('\'', s->out);
	} else if (o->kind != NA_OPT_FLAG) {
		fputs(takes_file(o) ? " -r -F" : " -x", s->out);
	}
	fputs(" -d '", s->out);
	for (const char *p = o->help ? o->help : ""; *p; p++)
		fprintf(s->out, "%s%c", *p == '\'' || *p == '\\' ? "\\" : "",
			*p);
	fputs("'\n", s->out);
}

static void fish_command(struct script *s)
{
	fprintf(s->out,
		"complete -c netan -f -n __fish_use_subcommand -a %s "
		"-d '",
		s->command->info->name);
	for (const char *p = s->command->info->question; *p; p++)
		fprintf(s->out, "%s%c", *p == '\'' || *p == '\\' ? "\\" : "",
			*p);
	fputs("'\n", s->out);
	if (s->command->words) {
		fprintf(s->out,
			"complete -c netan -f -n "
			"'__fish_seen_subcommand_from %s' -a '",
			s->command->info->name);
		put_operands(s->out, s->command);
		fputs("'\n", s->out);
	}
	for_each_option(o, s) fish_option(s, o);
}

static void fish_script(struct script *s)
{
	fputs("# fish completion for netan: put it into\n"
	      "# ~/.config/fish/completions/netan.fish\n",
	      s->out);
	for_each_command(c)
	{
		start_command(s, *c);
		fish_command(s);
	}
}

static enum na_exit completion_run(struct na_cli *cli)
{
	const char *shell = cli->request.n_inputs == 1
				    ? cli->request.inputs[0].path
				    : "";
	struct script s = {.out = stdout};

	if (strcmp(shell, "bash") == 0) {
		bash_script(&s);
	} else if (strcmp(shell, "zsh") == 0) {
		zsh_script(&s);
	} else if (strcmp(shell, "fish") == 0) {
		fish_script(&s);
	} else {
		na_say_error(&cli->request,
			     "%s%s: wanted one of bash, zsh, fish; for "
			     "example: netan completion bash",
			     *shell ? "completion " : "no shell is given",
			     shell);
		return NA_EXIT_USAGE;
	}
	return NA_EXIT_OK;
}

static const struct na_command_info completion_info = {
	.name = "completion",
	.question = "how does my shell complete netan's commands and options",
	.usage = "bash|zsh|fish",
	.example = "source <(netan completion bash)\n"
		   "netan completion zsh >~/.zfunc/_netan\n"
		   "netan completion fish "
		   ">~/.config/fish/completions/netan.fish",
};

const struct na_command na_cmd_completion = {
	.info = &completion_info,
	.words = "bash|zsh|fish",
	.run = completion_run,
};

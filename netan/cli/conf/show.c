/* netan help --settings. */
#include <string.h>

#include "netan/base/text.h"
#include "netan/cli/common.h"
#include "netan/cli/conf/conf.h"

static void put_takers(FILE *out, size_t k)
{
	size_t at = 8;

	fputs("        of", out);
	at += 2;
	for (const struct na_command *const *c = na_commands; *c; c++) {
		const char *name = (*c)->info->name;

		if (!na_conf_option(*c, k))
			continue;
		if (at + 1 + strlen(name) > 79) {
			fputs("\n       ", out);
			at = 7;
		}
		fprintf(out, " %s", name);
		at += 1 + strlen(name);
	}
	putc('\n', out);
}

static void put_wrong(const char *before, const struct na_conf_wrong *w,
		      FILE *out)
{
	fputs(before, out);
	na_escape_to(NA_ESC_TERMINAL, w->text, out);
	putc('\n', out);
}

/* Of the setting k: true, and nothing else need be said of it. */
static bool put_wrongs(const struct na_conf *conf, size_t k, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < conf->wrongs.n; i++) {
		if (conf->wrongs.v[i].key != k)
			continue;
		put_wrong("        WRONG: ", &conf->wrongs.v[i], out);
		n++;
	}
	return n && !conf->rows[k].line;
}

static void put_key(const struct na_conf *conf, size_t k, FILE *out)
{
	const struct na_conf_row *row = &conf->rows[k];
	const struct na_opt *o = na_conf_any_option(k);

	if (!o)
		return;
	fprintf(out, "\n  %s = %s\n", o->name,
		o->kind == NA_OPT_FLAG ? "yes|no" : o->arg);
	if (put_wrongs(conf, k, out)) {
		put_takers(out, k);
		return;
	}
	if (row->line) {
		fputs("        now ", out);
		na_escape_to(NA_ESC_TERMINAL, row->value, out);
		fprintf(out, ", from line %u\n", row->line);
	} else {
		fputs("        not set\n", out);
	}
	put_takers(out, k);
}

static void put_file(const struct na_conf *conf, FILE *out)
{
	if (!conf->path[0] && !conf->off) {
		fputs("There is no place for it: HOME is not set.\n", out);
		return;
	}
	if (conf->off) {
		fputs("It is left out now: --no-config.\n", out);
		return;
	}
	fputs("The file: ", out);
	na_escape_to(NA_ESC_TERMINAL, conf->path, out);
	fputs(conf->there ? "\n" : " (not there: nothing is set)\n", out);
	if (conf->wrongs.n)
		fputs("Commands that take settings stop at what is WRONG in "
		      "it, but with --no-config.\n",
		      out);
	for (size_t i = 0; i < conf->wrongs.n; i++) {
		if (conf->wrongs.v[i].key == NA_CONF_N)
			put_wrong("WRONG: ", &conf->wrongs.v[i], out);
	}
}

void na_conf_show(const struct na_conf *conf, FILE *out)
{
	fputs("Settings that stay: netan.conf has a row \"option = value\" for "
	      "each, and #\nbefore a remark. They hold for every command that "
	      "has the option; what the\ncommand line gives wins, and "
	      "--no-config leaves them all out. A result says\nunder "
	      "coverage.settings what it was given. A path that does not begin "
	      "with / or\n~/ is one of the file's folder.\n\n",
	      out);
	put_file(conf, out);
	for (size_t k = 0; k < na_conf_n_keys; k++)
		put_key(conf, k, out);
}

#include "netan/cli/commands/slice_next.h"

#include <stdio.h>
#include <string.h>

#include "netan/base/shell.h"

static void put_option(const char *name, const char *value)
{
	if (!value)
		return;
	printf("%s ", name);
	na_shell_put(stdout, value);
	putchar(' ');
}

/* Of a directory traces are read, where there are any, and not captures; and
 * of ranks those that are called so. */
static bool need_names(const struct na_session *s)
{
	size_t captures = 0, ranks = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		captures += s->inputs[i].capture != NULL;
		ranks += s->inputs[i].reader->ranks;
	}
	return ranks || (captures && captures < s->n_inputs);
}

/* With the window, so that one sees what counts. */
void na_slice_say_next(const struct na_cli *cli, const struct na_session *s,
		       const char *path, bool dir)
{
	const struct na_request *q = &cli->request;

	fputs("next: netan check ", stdout);
	put_option("--from", s->window.from);
	put_option("--to", s->window.to);
	put_option("--step", s->window.step);
	put_option("--hosts", q->pseudonyms ? NULL : q->hosts);
	na_shell_put_path(stdout, path);
	if (dir && need_names(s))
		fputs(path[strlen(path) - 1] == '/' ? "*" : "/*", stdout);
	putchar('\n');
}

void na_slice_say_uncut(const struct na_session *s, const char *const *why)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		char size[NA_UNIT_BUF], files[NA_COUNT_BUF];
		double bytes = 0;
		size_t n = 0;

		for (size_t k = 0; why[i] && k < s->n_inputs; k++) {
			if (!why[k] ||
			    strcmp(s->inputs[k].format, s->inputs[i].format))
				continue;
			if (k < i)
				break;
			bytes += (double)s->inputs[k].file_bytes;
			n++;
		}
		if (n)
			na_say_warning(s->request, "%s (%s, %s)", why[i],
				       na_count_of(files, n, "file"),
				       na_print_bytes(size, bytes, 3));
	}
}

/* The smallest parts of the page: escaped text, and runs with a bound. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/report/html_impl.h"

void na_run_begin(struct na_run *p, size_t *room, bool *failed)
{
	*p = (struct na_run){.room = room, .failed = failed};
	p->out = open_memstream(&p->text, &p->size);
	*failed |= !p->out;
}

void na_run_piece(struct na_run *p)
{
	size_t n;

	if (*p->failed || fflush(p->out) != 0) {
		*p->failed = true;
		return;
	}
	n = p->size - p->kept;
	/* Once one did not fit, what comes behind would stand in its place. */
	if (p->dropped || n > *p->room) {
		p->dropped++;
		fseek(p->out, (long)p->kept, SEEK_SET);
		return;
	}
	*p->room -= n;
	p->kept = p->size;
}

void na_run_end(struct na_run *p, FILE *out)
{
	if (p->out && fclose(p->out) != 0)
		*p->failed = true;
	if (!*p->failed)
		fwrite(p->text, 1, p->kept, out);
	free(p->text);
}

void na_html_more(FILE *out, size_t n, const char *one, const char *how)
{
	char count[NA_UNIT_BUF];

	if (n)
		fprintf(out,
			"<p class=\"more\">%s more %s%s not shown here%s</p>\n",
			na_print_count(count, n), one, na_plural(n), how);
}

void na_html_text(FILE *out, const char *s)
{
	if (s)
		na_escape_to(NA_ESC_HTML, s, out);
}

static bool of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool of_option(char c)
{
	return of_name(c) || (c >= 'A' && c <= 'Z') || c == '-';
}

/* From one byte to another; escapes look at whole runes. */
static void put_run(FILE *out, const char *from, const char *to)
{
	char part[256];

	while (from < to) {
		size_t n = (size_t)(to - from);

		n = n < sizeof(part) ? n : sizeof(part) - 1;
		while (from + n < to && n > 1 && (from[n] & 0xc0) == 0x80)
			n--;
		memcpy(part, from, n);
		part[n] = '\0';
		na_html_text(out, part);
		from += n;
	}
}

void na_html_sentence(FILE *out, const char *s)
{
	const char *told = s;

	for (const char *at = s; (at = strstr(at, " -")); at++) {
		const char *word = at, *end = at + 1;

		while (word > told && of_name(word[-1]))
			word--;
		if (word - told >= 6 && strncmp(word - 6, "netan ", 6) == 0)
			word -= 6;
		end += strspn(end, "-");
		while (of_option(*end))
			end++;
		if (word == at || !of_option(end[-1]) || end[-1] == '-')
			continue;
		put_run(out, told, word);
		fputs("<code class=\"nb\">", out);
		put_run(out, word, end);
		fputs("</code>", out);
		told = end;
	}
	na_html_text(out, told);
}

/* Up to `most` bytes of it, with an ellipsis then: false. */
static bool put_cut(FILE *out, const char *s, size_t most)
{
	size_t room = most;

	while (s && *s) {
		char one[8] = "", text[32];
		uint32_t rune;
		size_t n = na_utf8_next(s, strnlen(s, 4), &rune), need;

		memcpy(one, s, n);
		need = na_escape(NA_ESC_HTML, one, text, sizeof(text));
		if (need > room) {
			fputs("\xe2\x80\xa6", out); /* an ellipsis */
			return false;
		}
		fwrite(text, 1, need, out);
		room -= need;
		s += n;
	}
	return true;
}

void na_html_line(FILE *out, const char *s)
{
	put_cut(out, s, NA_LINE_BYTES);
}

void na_html_in(FILE *out, const char *tag, const char *s)
{
	fprintf(out, "<%s>", tag);
	na_html_sentence(out, s);
	fprintf(out, "</%s>\n", tag);
}

void na_html_command(FILE *out, const char *label, const char *command)
{
	bool whole;

	if (!command)
		return;
	fprintf(out, "<p class=\"cmd\"><span>%s</span> <code>", label);
	whole = put_cut(out, command, NA_COMMAND_BYTES);
	fputs("</code></p>\n", out);
	if (!whole)
		fprintf(out,
			"<p class=\"more\">The command is longer than this "
			"page shows: %zu bytes. It goes on with the inputs, "
			"which are listed above.</p>\n",
			strlen(command));
}

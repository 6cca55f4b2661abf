/* The smallest parts of the page: escaped text, and runs with a bound. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
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

/* Programs that remedies tell with options, beside netan and sysctl. */
static const char *const programs[] = {
	"ethtool", "iperf3",  "mtr",        "nvidia-smi", "ping", "ps",
	"py-spy",  "tcpdump", "traceroute",
};

/* Up to a blank or a mark that ends a clause. */
static size_t word_length(const char *s)
{
	size_t n = strcspn(s, " ,;:()");

	while (n && s[n - 1] == '.')
		n--;
	return n;
}

static bool is_word(const char *s, const char *word)
{
	size_t n = strlen(word);

	return word_length(s) == n && strncmp(word, s, n) == 0;
}

static bool is_program(const char *s)
{
	for (size_t i = 0; i < NA_LEN(programs); i++) {
		if (is_word(s, programs[i]))
			return true;
	}
	if (is_word(s, "sysctl"))
		return true;
	return is_word(s, "netan");
}

static bool is_option(const char *s)
{
	size_t dashes = strspn(s, "-");

	return (dashes == 1 || dashes == 2) && word_length(s) > dashes &&
	       isalpha((unsigned char)s[dashes]);
}

/* Behind one word of s, at `end`, where the next begins: at `end` itself, and
 * so at no word, behind the last of a clause. */
static size_t next_word(const char *s, size_t end)
{
	return end + (s[end] == ' ');
}

/* FILE, 1472, name=word, late.svg; of a program also any between two
 * options. */
static bool is_value(const char *s, bool of_program)
{
	size_t n = word_length(s);

	return n && s[0] != '-' &&
	       (isupper((unsigned char)s[0]) || isdigit((unsigned char)s[0]) ||
		memchr(s, '=', n) || memchr(s, '.', n) ||
		(of_program && is_option(s + next_word(s, n))));
}

/* A command with its options, or options alone, that s begins with: bytes, or
 * 0. */
static size_t command_length(const char *s)
{
	bool program = is_program(s);
	size_t told = 0, at = 0;

	if (program) {
		size_t of;

		at = next_word(s, word_length(s));
		of = at + next_word(s + at, word_length(s + at));
		at = is_option(s + at) ? at : of;
	}
	while (is_option(s + at)) {
		told = at + word_length(s + at);
		at = next_word(s, told);
		if (at > told && is_value(s + at, program)) {
			told = at + word_length(s + at);
			at = next_word(s, told);
		}
	}
	return told;
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

/* So long a command fits on a line of a small screen. */
enum { COMMAND_UNBROKEN = 30 };

void na_html_sentence(FILE *out, const char *s)
{
	const char *told = s;

	for (const char *at = s; at && *at; at += strcspn(at, " (")) {
		size_t n;

		at += strspn(at, " (");
		n = command_length(at);
		if (!n)
			continue;
		put_run(out, told, at);
		fputs(n > COMMAND_UNBROKEN ? "<code>" : "<code class=\"nb\">",
		      out);
		put_run(out, at, at + n);
		fputs("</code>", out);
		told = at += n;
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

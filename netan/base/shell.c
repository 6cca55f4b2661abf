#include "netan/base/shell.h"

#include <string.h>

#define PLAIN \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"%+,-./:=@_"

bool na_shell_plain(const char *words)
{
	return !words[strspn(words, PLAIN " ")];
}

void na_shell_put(FILE *out, const char *word)
{
	if (*word && !word[strspn(word, PLAIN)]) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	}
	putc('\'', out);
}

void na_shell_put_path(FILE *out, const char *path)
{
	if (path[0] == '-' && path[1])
		fputs("./", out);
	na_shell_put(out, path);
}

static bool one_line(const char *s)
{
	while ((unsigned char)*s >= ' ' && *s != 127)
		s++;
	return !*s;
}

const char *na_shell_word(char *buf, size_t size, const char *word,
			  const char *instead)
{
	FILE *f = one_line(word) && *word != '-' ? fmemopen(buf, size, "w") : NULL;
	bool ok;

	if (!f)
		return instead;
	na_shell_put(f, word);
	ok = fflush(f) == 0 && !ferror(f) && (size_t)ftell(f) < size;
	fclose(f);
	return ok ? buf : instead;
}

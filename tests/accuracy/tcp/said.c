#include "tests/accuracy/tcp/said.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"

enum { PIECE = 65536 };

static char *read_all(FILE *f)
{
	NA_VEC(char) text = {0};
	size_t n = 1;

	while (n) {
		if (!na_room(&text, PIECE)) {
			na_vec_free(&text);
			return NULL;
		}
		n = fread(text.v + text.n, 1, PIECE - 1, f);
		text.n += n;
	}
	text.v[text.n] = '\0';
	return text.v;
}

char *said_read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = f ? read_all(f) : NULL;

	if (f)
		fclose(f);
	return text;
}

/* How a shell ends where a command did not run, or ended by a signal. */
enum { NOT_RUN = 127, SIGNALLED = 128 };

/* What a command prints, to be freed; NULL: nothing.  *status as of a shell. */
static char *ask(const char *netan, const char *command, const char *hosts,
		 const char *file, int *status)
{
	struct na_str line = {0};
	FILE *f = NULL;
	char *text;

	na_str_addf(&line,
		    "'%s' %s --format json --quiet --hosts '%s' '%s' "
		    "2>/dev/null",
		    netan, command, hosts, file);
	if (!line.failed)
		f = popen(line.s, "r");
	free(line.s);
	*status = NOT_RUN;
	if (!f)
		return NULL;
	text = read_all(f);
	*status = pclose(f) >> 8;
	return text;
}

static void take_words(struct na_str *words, const struct json *j)
{
	if (!j)
		return;
	if (j->type == JSON_TEXT)
		na_str_addf(words, "%s\n", j->text);
	for (size_t i = 0; i < j->n; i++)
		take_words(words, &j->items[i]);
}

static void in_small_letters(struct na_str *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (words->s[i] >= 'A' && words->s[i] <= 'Z')
			words->s[i] = (char)(words->s[i] - 'A' + 'a');
}

static void gather_words(struct said *s, const struct json *findings)
{
	na_str_addf(&s->words, "%s\n", s->verdict);
	for (size_t i = 0; i < json_n(findings); i++) {
		const struct json *f = &findings->items[i];

		take_words(&s->words, json_get(f, "title"));
		take_words(&s->words, json_get(f, "evidence"));
		take_words(&s->words, json_get(f, "evidence_text"));
	}
	for (size_t i = 0; i < json_n(s->connections); i++) {
		const struct json *c = &s->connections->items[i];

		take_words(&s->words, json_get(c, "verdict"));
		take_words(&s->words, json_get(c, "evidence"));
	}
	in_small_letters(&s->words);
}

/* The member, or else how the sentence begins. */
static enum outcome outcome_of(const struct json *result, const char *verdict)
{
	const char *word = json_text(result, "outcome");

	if (!*word)
		word = verdict;
	if (strncmp(word, "guilty", 6) == 0 ||
	    strncmp(word, "suspect: ", 9) == 0 ||
	    strncmp(word, "possible cause: ", 16) == 0)
		return GUILTY;
	if (strncmp(word, "not_guilty", 10) == 0 ||
	    strncmp(word, "Network looks healthy", 21) == 0)
		return NOT_GUILTY;
	if (strncmp(word, "cannot", 6) == 0)
		return CANNOT_TELL;
	return SAID_NOTHING;
}

void said_read(const char *check, const char *tcp, struct said *out)
{
	const struct json *result;

	*out = (struct said){0};
	if (check && !json_read(check, &out->check))
		json_free(&out->check);
	if (tcp && !json_read(tcp, &out->tcp))
		json_free(&out->tcp);
	result = json_get(&out->check, "result");
	out->verdict = json_text(result, "verdict");
	out->outcome = outcome_of(result, out->verdict);
	out->accused = json_get(result, "accused");
	out->connections = json_get(json_get(&out->tcp, "result"),
				    "connections");
	gather_words(out, json_get(result, "findings"));
}

bool said_of(const char *netan, const char *hosts, const char *file,
	     struct said *out)
{
	int of_check, of_tcp;
	char *check = ask(netan, "check", hosts, file, &of_check);
	char *tcp = ask(netan, "tcp", hosts, file, &of_tcp);

	said_read(check, tcp, out);
	out->crashed = of_check >= SIGNALLED || of_tcp >= SIGNALLED;
	free(check);
	free(tcp);
	if (of_check != NOT_RUN && of_tcp != NOT_RUN)
		return true;
	fprintf(stderr, "judge: %s does not run\n", netan);
	return false;
}

void said_free(struct said *s)
{
	json_free(&s->check);
	json_free(&s->tcp);
	free(s->words.s);
}

bool said_one_of(const struct said *s, const struct json *words)
{
	char small[NA_COUNT_BUF];

	if (json_n(words) == 0)
		return true;
	for (size_t i = 0; i < words->n; i++) {
		struct na_str one = na_str_over(small, sizeof(small));

		na_str_addf(&one, "%s", words->items[i].text);
		in_small_letters(&one);
		if (s->words.s && strstr(s->words.s, small))
			return true;
	}
	return false;
}

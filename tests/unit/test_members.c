/*
 * What commands really print, held against the tables of members: every
 * member is declared, has its type, and is there unless it may be absent.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "members.h"
#include "netan/analyses/analysis.h"

enum { NAME = 96 };

/* A JSON text that netan wrote itself, read from front to back. */
struct reading_json {
	const char *p;
	char path[700]; /* of what is being read, for messages */
	unsigned wrong; /* what was found, and said */
};

static void blanks(struct reading_json *j)
{
	j->p += strspn(j->p, " \n");
}

static bool next_is(struct reading_json *j, char c)
{
	blanks(j);
	if (*j->p != c)
		return false;
	j->p++;
	return true;
}

static void need(struct reading_json *j, char c)
{
	if (!next_is(j, c))
		fail_msg("%s: wanted '%c' before %.20s", j->path, c, j->p);
}

/* A string, as far as there is room; of an escape its letter. */
static void read_text(struct reading_json *j, char *to, size_t size)
{
	size_t n = 0;

	need(j, '"');
	for (; *j->p && *j->p != '"'; j->p++) {
		if (*j->p == '\\')
			j->p++;
		if (n + 1 < size)
			to[n++] = *j->p;
	}
	to[n] = '\0';
	need(j, '"');
}

enum kind { NOTHING, TRUTH, NUMBER, TEXT, LIST, OBJECT };

static enum kind kind_of(struct reading_json *j)
{
	blanks(j);
	switch (*j->p) {
	case '{':
		return OBJECT;
	case '[':
		return LIST;
	case '"':
		return TEXT;
	case 't':
	case 'f':
		return TRUTH;
	case 'n':
		return NOTHING;
	default:
		return NUMBER;
	}
}

static void pass_over(struct reading_json *j);

static void skip_members(struct reading_json *j, char end)
{
	char name[NAME];

	j->p++;
	if (next_is(j, end))
		return;
	do {
		if (end == '}') {
			read_text(j, name, sizeof(name));
			need(j, ':');
		}
		pass_over(j);
	} while (next_is(j, ','));
	need(j, end);
}

static void pass_over(struct reading_json *j)
{
	char text[NAME];

	switch (kind_of(j)) {
	case OBJECT:
		skip_members(j, '}');
		break;
	case LIST:
		skip_members(j, ']');
		break;
	case TEXT:
		read_text(j, text, sizeof(text));
		break;
	default:
		j->p += strcspn(j->p, ",]} \n");
	}
}

static void wrong(struct reading_json *j, const char *name, const char *how)
{
	print_error("%s.%s %s: %.40s\n", j->path, name, how, j->p);
	j->wrong++;
}

static bool is_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *w = words; *w; w += *w == ' ') {
		size_t len = strcspn(w, " ");

		if (len == n && memcmp(w, word, n) == 0)
			return true;
		w += len;
	}
	return false;
}

static void is_type(struct reading_json *j, const struct na_member *m)
{
	enum kind kind = kind_of(j);
	bool null = m->type == NA_T_INTEGER_OR_NULL ||
		    m->type == NA_T_NUMBER_OR_NULL ||
		    m->type == NA_T_TEXT_OR_NULL ||
		    m->type == NA_T_BOOL_OR_NULL || m->type == NA_T_NULL;
	bool good = kind == NUMBER;
	char text[NAME];
	double x = strtod(j->p, NULL);

	if (m->type == NA_T_COUNT)
		good = good && x >= 0 && trunc(x) >= x;
	if (m->type == NA_T_INTEGER || m->type == NA_T_INTEGER_OR_NULL)
		good = good && trunc(x) >= x && trunc(x) <= x;
	if (m->type == NA_T_AMOUNT)
		good = good && x >= 0;
	if (m->type == NA_T_TEXT || m->type == NA_T_TEXT_OR_NULL)
		good = kind == TEXT;
	if (m->type == NA_T_BOOL || m->type == NA_T_BOOL_OR_NULL)
		good = kind == TRUTH;
	if (m->type == NA_T_NULL)
		good = false;
	if (m->type == NA_T_NUMBERS || m->type == NA_T_INTEGERS ||
	    m->type == NA_T_TEXTS)
		good = kind == LIST;
	if (m->type == NA_T_WORD) {
		struct reading_json at = *j;

		strcpy(text, "null");
		if (kind == TEXT)
			read_text(&at, text, sizeof(text));
		good = is_word(m->more, text);
	}
	if (m->type == NA_T_JSON || m->type == NA_T_HIDDEN)
		good = true;
	if (!good && !(null && kind == NOTHING))
		wrong(j, m->name, "is not of its type");
	pass_over(j);
}

static void read_object(struct reading_json *j, const struct na_table *t);

static void read_list(struct reading_json *j, const struct na_table *t)
{
	need(j, '[');
	if (next_is(j, ']'))
		return;
	do {
		read_object(j, t);
	} while (next_is(j, ','));
	need(j, ']');
}

static void read_member(struct reading_json *j, const struct na_member *m)
{
	size_t n = strlen(j->path);

	if (m->type != NA_T_LIST && m->type != NA_T_OBJECT) {
		is_type(j, m);
		return;
	}
	snprintf(j->path + n, sizeof(j->path) - n, ".%s", m->name);
	if (m->type == NA_T_LIST)
		read_list(j, m->of);
	else if (!m->of->members)
		pass_over(j);
	else if (kind_of(j) == NOTHING && m->of->nullable)
		pass_over(j);
	else
		read_object(j, m->of);
	j->path[n] = '\0';
}

struct names {
	char v[128][NAME];
	size_t n;
};

static bool was_read(const struct names *seen, const char *name)
{
	for (size_t i = 0; i < seen->n; i++)
		if (strcmp(seen->v[i], name) == 0)
			return true;
	return false;
}

static void all_there(struct reading_json *j, const struct na_table *t,
		      const struct names *seen)
{
	for (; t; t = t->base)
		for (const struct na_member *m = t->members; m->name; m++)
			if (!m->maybe && !was_read(seen, m->name))
				wrong(j, m->name, "is not there");
}

static void read_object(struct reading_json *j, const struct na_table *t)
{
	struct names *seen = calloc(1, sizeof(*seen));

	assert_non_null(seen);
	need(j, '{');
	if (!next_is(j, '}')) {
		do {
			char *name = seen->v[seen->n++];
			const struct na_member *m;

			assert_true(seen->n <= 128);
			read_text(j, name, NAME);
			need(j, ':');
			m = na_member_at(t, name);
			if (m) {
				read_member(j, m);
			} else {
				wrong(j, name, "is not declared");
				pass_over(j);
			}
		} while (next_is(j, ','));
		need(j, '}');
	}
	all_there(j, t, seen);
	free(seen);
}

static char *output_of(const char *line)
{
	size_t n = 0, room = 1 << 24;
	char *text = malloc(room);
	FILE *f = popen(line, "r");

	assert_non_null(f);
	assert_non_null(text);
	n = fread(text, 1, room - 1, f);
	text[n] = '\0';
	pclose(f);
	assert_true(n < room - 1);
	return text;
}

/* "result" is the command's own, whatever the envelope says of it. */
static unsigned check_document(const char *command, const char *line,
			       char *text)
{
	const struct na_document *d = na_document_find(command);
	char *at = strstr(text, "\n  \"result\": ");
	struct reading_json j = {.p = text};

	assert_non_null(d);
	if (!at)
		fail_msg("%s: no result in %.200s", line, text);
	snprintf(j.path, sizeof(j.path), "%s: result", line);
	j.p = at + strlen("\n  \"result\": ");
	read_object(&j, d->result);
	j.p = text;
	snprintf(j.path, sizeof(j.path), "%s", line);
	read_object(&j, &na_table_common_envelope);
	free(text);
	return j.wrong;
}

/* Besides every analysis without options. */
#define CORPUS "\"$NETAN_ROOT\"/tests/fuzz/corpus/"
static const char *const runs[] = {
	"info s",
	"info c.pcap",
	"timeline s --capacity 10Gbps",
	"timeline c.pcap --by host",
	"latency s --by host,step",
	"sizes s --by collective --top 2",
	"bursts c.pcap --by src",
	"pairs s --level host",
	"collectives g",
	"slack s --late 3",
	"slack s --by host",
	"steps g",
	"hlo s",
	"tcp c.pcap --top 1",
	"check s",
	"check c.pcap",
	"sysctl",
	"diff s g",
	"hang " CORPUS "hang/nested",
	"hang " CORPUS "hang/newer-error " CORPUS "hang/older-program",
	"hang " CORPUS "hang/mixed " CORPUS "hang/kubectl",
	"xla-metrics " CORPUS "xla_lines/report.txt",
	"hlo s other",
	"hlo s g",
	"hlo program",
	"hlo hlo/*",
	"sysctl --bandwidth 100Gbps --rtt 20ms --fail-on info",
	"sysctl --root snap --nic-before snap",
	"hang " CORPUS "hang/modules",
	"hang " CORPUS "hang/* --ledger ledger",
	"hang " CORPUS "hang/newest-chip --top 1 --anonymize",
	"xla-metrics " CORPUS "xla_lines/blocks.txt",
	"xla-metrics " CORPUS "xla_lines/mixed.txt --steps 100",
	"xla-metrics " CORPUS "xla_lines/older_two.txt",
	"xla-metrics " CORPUS "xla_lines/hints.txt --log-interval 5",
	"xla-metrics " CORPUS "xla_lines/*.txt --anonymize",
};

/* `run` in that directory; what prints nothing is passed over, if it may be. */
static unsigned check_run(const char *dir, const char *run, bool may, bool *any)
{
	char line[512], command[32];
	char *text;

	snprintf(command, sizeof(command), "%.*s", (int)strcspn(run, " "), run);
	snprintf(line, sizeof(line),
		 "cd %s && netan %s --format json 2>/dev/null", dir, run);
	text = output_of(line);
	*any |= *text != 0;
	if (may && !*text) {
		free(text);
		return 0;
	}
	return check_document(command, line, text);
}

/* On traces and on packets: some look at one of them alone. */
static unsigned check_analysis(const char *dir, const char *name)
{
	static const char *const inputs[] = {"s", "c.pcap"};
	unsigned n_wrong = 0;
	bool any = false;
	char run[64];

	for (size_t i = 0; i < 2; i++) {
		snprintf(run, sizeof(run), "%s %s", name, inputs[i]);
		n_wrong += check_run(dir, run, true, &any);
	}
	if (!any)
		fail_msg("%s prints nothing", name);
	return n_wrong;
}

static void printed(void **state)
{
	unsigned n_wrong = 0;
	char dir[] = "/tmp/netan-members-XXXXXX", line[1024];

	(void)state;
	if (system("command -v netan >/dev/null") != 0) {
		print_message("skip: the program is not in PATH\n");
		skip();
	}
	assert_non_null(mkdtemp(dir));
	snprintf(line, sizeof(line),
		 "cd %s && netan synth -q -o s --hosts 4 --devices 2 "
		 "--steps 8 --fault slow-sender:1:3 >/dev/null && "
		 "netan synth -q -o g --profile gpu --steps 4 >/dev/null && "
		 "netan synth -q -o c.pcap --condition loss >/dev/null && "
		 "netan synth -q -o program --hosts 3 --steps 2 --hlo-dump hlo "
		 "--fault program:1 >/dev/null && "
		 "netan synth -q -o other --seed 9 --devices 4 --steps 2 "
		 ">/dev/null && "
		 "netan sysctl --snapshot snap >/dev/null",
		 dir);
	assert_int_equal(system(line), 0);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		n_wrong += check_run(dir, runs[i], false, &(bool){false});
	for (size_t i = 0; na_analyses[i]; i++)
		n_wrong += check_analysis(dir, na_analyses[i]->info.name);
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	assert_int_equal(system(line), 0);
	assert_int_equal(n_wrong, 0);
}

static void found(void **state)
{
	const struct na_table *result = na_document_find("sizes")->result;
	const struct na_member *m = na_member_at(result, "groups.gini");

	(void)state;
	assert_non_null(m);
	assert_string_equal(m->column.header, "Gini");
	assert_non_null(na_member_at(result, "groups.count")); /* of a base */
	assert_null(na_member_at(result, "groups.none"));
	assert_null(na_member_at(result, "gin"));
	assert_null(na_document_find("size"));
	assert_non_null(na_document_find("xla-metrics"));
	assert_null(na_document_find("xla"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),
		cmocka_unit_test(printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Several processes, here threads, say of a session what one says: the same
 * bytes for every command, however many they are and whoever has which file;
 * and nothing at all when one of them cannot go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/analyses/analysis.h"
#include "netan/base/vec.h"
#include "netan/cli/common.h"
#include "netan/cli/program.h"
#include "tests/unit/pace.h"
#include "tests/unit/synth_session.h"
#include "tests/unit/world_threads.h"

enum { MOST = 5, LOSSES = 24, WORDS = 7 };

struct job {
	const char *command, *input, *out;
	const char *option; /* or NULL */
	bool local;         /* --local: every rank sees all files */
	size_t lose, loser; /* the n-th message of this rank; 0: none */
	enum na_exit code[MOST];
};

static void run_rank(struct na_world *w, void *arg)
{
	struct job *j = arg;
	char words[WORDS][160], *argv[WORDS + 1] = {NULL};
	const struct na_request q = {.speaker = na_cli_speaker(NULL),
				     .world = w};

	if (j->lose && w->rank == j->loser)
		world_threads_lose(w, j->lose - 1);
	for (size_t i = 0; i < WORDS; i++)
		argv[i] = words[i];
	snprintf(words[0], sizeof(words[0]), "netan");
	snprintf(words[1], sizeof(words[1]), "%s", j->command);
	snprintf(words[2], sizeof(words[2]), "-q");
	snprintf(words[3], sizeof(words[3]), "-j2");
	snprintf(words[4], sizeof(words[4]), "--output=%s", j->out);
	snprintf(words[5], sizeof(words[5]), "%s",
		 j->option ? j->option : "-q");
	snprintf(words[6], sizeof(words[6]), "%s%s", j->local ? "--local=" : "",
		 j->input);
	j->code[w->rank] = na_command_run(&q, WORDS, argv);
}

static char *text_of(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0, cap = 0;

	while (f && na_grow(&text, &cap, n + 65536, 1)) {
		size_t got = fread(text + n, 1, 65535, f);

		n += got;
		text[n] = '\0';
		if (!got)
			break;
	}
	if (f)
		fclose(f);
	return text;
}

static char *result_of(const struct session *s, size_t ranks, struct job *j)
{
	char input[160], out[128];
	char *text;

	snprintf(input, sizeof(input),
		 j->local ? "%s/plugins/profile/*/*.pb" : "%s", s->dir);
	snprintf(out, sizeof(out), "%s/out.%s", s->dir,
		 strcmp(j->command, "report") ? "json" : "html");
	j->input = input;
	j->out = out;
	unlink(out);
	world_threads(ranks, run_rank, j);
	text = text_of(out);
	unlink(out);
	return text;
}

static void make_session(struct session *s)
{
	session_init(s);
	s->cfg.hosts = 6;
	s->cfg.slices = 3;
	session_fault(s, "slow-sender:host-1:3");
	session_fault(s, "late-input:host-2:3ms");
	session_fault(s, "loopback:host-4:3");
	session_fault(s, "truncate:host-5:0.7");
	session_make(s, NA_OK);
}

static void test_same_bytes(void **state)
{
	struct session s;

	(void)state;
	make_session(&s);
	for (const struct na_command *const *c = na_commands; *c; c++) {
		for (int local = 0; local < 2; local++) {
			struct job j = {.command = (*c)->info->name,
					.local = local};
			char *want;

			if (!na_command_many(*c))
				continue;
			want = result_of(&s, 1, &j);
			assert_non_null(want);
			for (size_t n = 2; n <= MOST; n += pace()) {
				char *got = result_of(&s, n, &j);

				assert_non_null(got);
				assert_string_equal(got, want);
				free(got);
			}
			free(want);
		}
	}
	session_end(&s);
}

/* Hosts of the older generation among others: their transfers go to rank 0,
 * while those of the others stay. */
enum { FIRST_OLD = 4, END_OLD = 7 };

static void old_path(const struct session *s, int host, char to[160])
{
	snprintf(to, 160, "%s/host-%d.xplane.pb", s->report.session, host);
}

static void make_mixed(struct session *s)
{
	struct session old;
	char from[160], to[160];

	session_init(s);
	s->cfg.hosts = 4;
	session_make(s, NA_OK);
	session_init(&old);
	old.cfg.hosts = 8;
	old.cfg.generation = NA_GEN_MESSAGE;
	session_make(&old, NA_OK);
	for (int i = FIRST_OLD; i < END_OLD; i++) {
		old_path(&old, i, from);
		old_path(s, i, to);
		assert_int_equal(rename(from, to), 0);
	}
	session_end(&old);
}

static void end_mixed(struct session *s)
{
	char path[160];

	for (int i = FIRST_OLD; i < END_OLD; i++) {
		old_path(s, i, path);
		unlink(path);
	}
	session_end(s);
}

static void same_from_all(const struct session *s, struct job *j)
{
	char *want = result_of(s, 1, j);

	assert_non_null(want);
	for (size_t n = 2; n <= MOST; n += pace()) {
		char *got = result_of(s, n, j);

		assert_non_null(got);
		assert_string_equal(got, want);
		free(got);
	}
	free(want);
}

static void test_kept(void **state)
{
	static const char *const options[] = {
		"--by=host", "--by=pair,collective", "--by=transfer_type,step",
		"--step=1",  "--host=host-[25]",     "--side=tx"};
	struct job info = {.command = "info"};
	struct session s;

	(void)state;
	make_mixed(&s);
	same_from_all(&s, &info);
	for (const struct na_analysis *const *a = na_analyses; *a; a++) {
		for (size_t i = 0; (*a)->pack && i < NA_LEN(options); i++) {
			struct job j = {.command = (*a)->info.name,
					.option = options[i]};

			same_from_all(&s, &j);
		}
	}
	end_mixed(&s);
}

static void lose_of(const struct session *s, const char *command)
{
	for (size_t lose = 1; lose <= LOSSES; lose++) {
		struct job j = {.command = command,
				.lose = lose,
				.loser = lose % 3};
		char *got = result_of(s, 3, &j);
		bool failed = na_exit_failed(j.code[0]);

		assert_true(failed ? !got : got != NULL);
		/* What rank 0 misses it cannot do without. */
		assert_true(failed || j.loser);
		free(got);
	}
}

/* Whatever is lost, nothing is written and nobody waits. */
static void test_lost(void **state)
{
	struct session s;

	(void)state;
	/* Messages are as many, whatever is in them. */
	session_init(&s);
	s.cfg.hosts = 3;
	s.cfg.devices = 1;
	s.cfg.collectives = 2;
	session_make(&s, NA_OK);
	lose_of(&s, "slack");
	for (const struct na_analysis *const *a = na_analyses; *a; a++) {
		if ((*a)->pack)
			lose_of(&s, (*a)->info.name);
	}
	session_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests_name("together", tests, NULL, NULL);
}

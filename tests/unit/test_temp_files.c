/* What a signal removes: each case in a child, which it ends. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/memory/temp_files.h"
#include "netan/engine/parallel.h"

static char path[64];

static void begin_file(void)
{
	FILE *f;

	if (!na_temp_file_new(path))
		_exit(90);
	f = fopen(path, "w");
	if (!f || fclose(f) != 0)
		_exit(91);
}

static void is_there(int otherwise)
{
	if (access(path, F_OK) != 0)
		_exit(otherwise);
}

static void nothing(void)
{
}

static void interrupt_once(void)
{
	na_catch_interrupt();
	raise(SIGINT);
	if (!na_interrupted())
		_exit(92);
}

static void terminate_once(void)
{
	na_catch_interrupt();
	na_catch_termination();
	raise(SIGTERM);
	raise(SIGINT);
	if (!na_interrupted())
		_exit(93);
}

/* The signal ends a process that has done this before. */
static void ends(int number, void (*before)(void))
{
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "leaving.%ld", (long)getpid());
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(number, SIG_DFL);
		na_temp_files_on_signals(false);
		begin_file();
		before();
		is_there(94);
		raise(number);
		_exit(95);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), number);
	assert_int_equal(access(path, F_OK), -1);
}

static void at_once(void **state)
{
	(void)state;
	ends(SIGINT, nothing);
	ends(SIGTERM, nothing);
	ends(SIGHUP, nothing);
}

static void the_second_time(void **state)
{
	(void)state;
	ends(SIGINT, interrupt_once);
	ends(SIGINT, terminate_once);
	ends(SIGTERM, terminate_once);
}

/* A handler may still be reading the path of one that it has seen. */
static void never_used_again(void **state)
{
	struct na_temp_file *first, *seen;
	int status;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		first = na_temp_file_new("leaving.first");
		na_temp_file_free(first);
		seen = na_temp_file_new("leaving.seen");
		if (!seen || seen != first)
			_exit(96);
		na_temp_files_remove();
		na_temp_file_free(seen);
		_exit(na_temp_file_new("leaving.other") == seen ? 97 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_once),
		cmocka_unit_test(the_second_time),
		cmocka_unit_test(never_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

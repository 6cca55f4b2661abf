/*
 * Not sanitized: sanitizers have an allocator of their own, and map terabytes.
 *
 * Memory that the system refuses: to the program, and to a library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/memory/oom.h"
#include "netan/base/vec.h"

enum { MIB = 1 << 20, ENDED = 7, WENT_ON = 8 };

/* Of an address space that has no more than it takes already: the status. */
static int in_little_room(int (*run)(void))
{
	struct rlimit none = {.rlim_cur = 64 * MIB, .rlim_max = 64 * MIB};
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (setrlimit(RLIMIT_AS, &none) != 0)
			_exit(1);
		_exit(run());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void end(void)
{
	_exit(ENDED);
}

/* A library's: the stream takes the memory, and not this program. */
static int library_takes(void)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	static char much[MIB];
	bool whole = true;

	for (int i = 0; out && i < 200; i++)
		whole &= fwrite(much, 1, sizeof(much), out) == sizeof(much);
	/* Neither ferror() nor fclose() tells. */
	return whole ? 1 : WENT_ON;
}

static int library_ends(void)
{
	na_oom_handler(end);
	return library_takes();
}

static int library_asks_for_all(void)
{
	volatile size_t all = SIZE_MAX - 4096;
	char *p;

	na_oom_handler(end);
	/* By a pointer that the linker does not lead elsewhere. */
	p = aligned_alloc(16, all);
	free(p);
	return p ? 1 : WENT_ON;
}

static int program_takes(void)
{
	NA_VEC(char) v = {.v = NULL};
	bool before = na_oom();

	na_oom_handler(end);
	while (v.n < 200 * (size_t)MIB && na_room(&v, MIB))
		v.n += MIB;
	na_vec_free(&v);
	return !before && na_oom() ? WENT_ON : 1;
}

static void no_library_sees_it(void **state)
{
	(void)state;
	assert_int_equal(in_little_room(library_ends), ENDED);
}

static void but_where_nobody_minds(void **state)
{
	(void)state;
	assert_int_equal(in_little_room(library_takes), WENT_ON);
	assert_int_equal(in_little_room(library_asks_for_all), WENT_ON);
}

static void the_program_sees_it_and_it_is_noted(void **state)
{
	(void)state;
	assert_false(na_oom());
	assert_int_equal(in_little_room(program_takes), WENT_ON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_library_sees_it),
		cmocka_unit_test(but_where_nobody_minds),
		cmocka_unit_test(the_program_sees_it_and_it_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "netan/base/memory/temp_files.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 8, /* of folders in folders */ PATH_BYTES = 4096 };

/*
 * A handler may run beside any other thread, and cannot lock.  So the list
 * only grows, and who has an entry decides who may touch its path:
 *
 *   FREE  whoever holds the lock may write another path
 *   HELD  the path stays as it is, until na_temp_file_free()
 *   LAST  a handler has seen it: it stays as it is for ever
 *
 * A handler reads a path after HELD has become LAST, by one exchange with
 * na_temp_file_free(): either that was first, and the path is not looked at, or
 * the entry is never used again.  So no path is read while it is written,
 * and no file is removed that two names make up.
 */
enum state { FREE, HELD, LAST };
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_POINTER_LOCK_FREE == 2,
	       "a handler must not lock");

struct na_temp_file {
	atomic_int state;
	struct na_temp_file *next;
	char path[PATH_BYTES];
};

static _Atomic(struct na_temp_file *) all;
static atomic_bool silent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether it was `from`; it is `to` then. */
static bool turn(struct na_temp_file *l, int from, int to)
{
	return atomic_compare_exchange_strong(&l->state, &from, to);
}

struct na_temp_file *na_temp_file_new(const char *path)
{
	size_t n = strlen(path);
	struct na_temp_file *l;

	if (n >= PATH_BYTES)
		return NULL;
	pthread_mutex_lock(&lock);
	for (l = all; l && l->state != FREE; l = l->next)
		;
	if (!l && (l = calloc(1, sizeof(*l)))) {
		l->next = all;
		all = l;
	}
	if (l) {
		memcpy(l->path, path, n + 1);
		l->state = HELD;
	}
	pthread_mutex_unlock(&lock);
	return l;
}

void na_temp_file_free(struct na_temp_file *l)
{
	if (l)
		turn(l, HELD, FREE);
}

void na_temp_files_remove(void)
{
	for (int i = 0; i < DEPTH; i++) {
		for (struct na_temp_file *l = all; l; l = l->next) {
			if ((turn(l, HELD, LAST) || l->state == LAST) &&
			    unlink(l->path) != 0)
				rmdir(l->path);
		}
	}
}

static void say(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

void na_temp_files_end(int number)
{
	na_temp_files_remove();
	if (!silent && number != SIGINT) {
		say("netan: error: ended by ");
		say(number == SIGTERM ? "SIGTERM" : "SIGHUP");
		say(": what was not finished is removed\n");
	}
	signal(number, SIG_DFL);
	raise(number);
}

void na_temp_files_on_signals(bool aloud)
{
	struct sigaction sa = {.sa_handler = na_temp_files_end}, before;
	static const int ends[] = {SIGTERM, SIGHUP, SIGINT};

	silent = !aloud;
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		/* nohup */
		if (sigaction(ends[i], NULL, &before) == 0 &&
		    before.sa_handler != SIG_IGN)
			sigaction(ends[i], &sa, NULL);
	}
}

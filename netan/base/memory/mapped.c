#include "netan/base/memory/mapped.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/memory/temp_files.h"

enum { FAILED = 1 }; /* the program's exit status */

/* In a list that only grows: the handler of a signal walks it, and cannot
 * lock.  One that was unmapped is there to be used again. */
struct na_mapped {
	_Atomic uintptr_t begin; /* 0: none */
	_Atomic size_t n, left;
	struct stat was;
	struct na_mapped *next, *spare;
};

static struct {
	_Atomic(struct na_mapped *) all;
	pthread_mutex_t lock; /* of what follows */
	struct na_mapped *spare;
	struct sigaction before;
	/* na_mapped_own(); text is set last. */
	uintptr_t own;
	size_t own_bytes;
	_Atomic(const char *) own_text;
} mapped = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lower(_Atomic size_t *left, size_t to)
{
	size_t was = *left;

	while (to < was && !atomic_compare_exchange_weak(left, &was, to))
		;
}

/* From this page to the end: what follows a gap is of no use. */
static bool stand_in(struct na_mapped *m, uintptr_t at)
{
	uintptr_t begin = m->begin, page = (uintptr_t)sysconf(_SC_PAGESIZE);
	size_t n = m->n;

	if (!begin || at < begin || at - begin >= n)
		return false;
	at = at / page * page;
	lower(&m->left, at - begin);
	return mmap((void *)at, begin + n - at, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
		    0) != MAP_FAILED;
}

/* Whoever was asked before, or the end. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	const struct sigaction *b = &mapped.before;

	if (b->sa_flags & SA_SIGINFO)
		b->sa_sigaction(number, info, context);
	else if (b->sa_handler != SIG_DFL && b->sa_handler != SIG_IGN)
		b->sa_handler(number);
	else
		signal(number, SIG_DFL);
}

/* System calls alone: mmap(), write(), unlink(). */
static void on_lost(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	const char *own = mapped.own_text;
	int e = errno;

	if (own && at - mapped.own < mapped.own_bytes) {
		na_temp_files_remove();
		(void)!write(STDERR_FILENO, own, strlen(own));
		_exit(FAILED);
	}
	for (struct na_mapped *m = mapped.all; m; m = m->next) {
		if (stand_in(m, at)) {
			errno = e;
			return;
		}
	}
	pass_on(number, info, context);
}

/* The lock is held.  Each time: others may have set their own since. */
static void catch (void)
{
	struct sigaction sa = {.sa_sigaction = on_lost}, is;

	sa.sa_flags = SA_SIGINFO;
	if (sigaction(SIGBUS, NULL, &is) != 0 || is.sa_sigaction == on_lost)
		return;
	mapped.before = is;
	sigaction(SIGBUS, &sa, NULL);
}

/* Without the lock: memory that is short may come from a file, which is
 * mapped (na_mapped_own). */
static struct na_mapped *make(void)
{
	struct na_mapped *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	pthread_mutex_lock(&mapped.lock);
	m->next = mapped.all;
	mapped.all = m;
	pthread_mutex_unlock(&mapped.lock);
	return m;
}

static struct na_mapped *take(void)
{
	struct na_mapped *m;

	pthread_mutex_lock(&mapped.lock);
	catch ();
	m = mapped.spare;
	if (m)
		mapped.spare = m->spare;
	pthread_mutex_unlock(&mapped.lock);
	return m ? m : make();
}

static void give_back(struct na_mapped *m)
{
	pthread_mutex_lock(&mapped.lock);
	m->spare = mapped.spare;
	mapped.spare = m;
	pthread_mutex_unlock(&mapped.lock);
}

struct na_mapped *na_map(int fd, size_t n)
{
	struct na_mapped *m = take();
	void *p;

	if (!m) {
		errno = ENOMEM;
		return NULL;
	}
	p = fstat(fd, &m->was) == 0
		    ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0)
		    : MAP_FAILED;
	if (p == MAP_FAILED) {
		int e = errno;

		give_back(m);
		errno = e;
		return NULL;
	}
	m->n = m->left = n;
	m->begin = (uintptr_t)p;
	return m;
}

void na_unmap(struct na_mapped *m)
{
	uintptr_t begin;

	if (!m)
		return;
	begin = m->begin;
	m->begin = 0;
	munmap((void *)begin, m->n);
	give_back(m);
}

const uint8_t *na_mapped_bytes(const struct na_mapped *m)
{
	return (const uint8_t *)m->begin;
}

size_t na_mapped_left(const struct na_mapped *m)
{
	return atomic_load_explicit(&m->left, memory_order_relaxed);
}

enum na_fate na_mapped_look(struct na_mapped *m, const char *path)
{
	bool piped = strcmp(path, "-") == 0;
	struct stat is;

	if ((piped ? fstat(STDIN_FILENO, &is) : stat(path, &is)) == 0 &&
	    is.st_dev == m->was.st_dev && is.st_ino == m->was.st_ino) {
		if ((uint64_t)is.st_size < m->n)
			lower(&m->left, (size_t)is.st_size);
		else if (m->left == m->n &&
			 (is.st_size != m->was.st_size ||
			  is.st_mtim.tv_sec != m->was.st_mtim.tv_sec ||
			  is.st_mtim.tv_nsec != m->was.st_mtim.tv_nsec))
			return NA_FATE_CHANGED;
	}
	return m->left < m->n ? NA_FATE_SHORTER : NA_FATE_SAME;
}

void na_mapped_own(const void *p, size_t n, const char *text)
{
	pthread_mutex_lock(&mapped.lock);
	catch ();
	mapped.own = (uintptr_t)p;
	mapped.own_bytes = n;
	mapped.own_text = text;
	pthread_mutex_unlock(&mapped.lock);
}

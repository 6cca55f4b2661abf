/*
 * Preloaded (LD_PRELOAD) in front of the C library: counts what a program
 * and all its libraries allocate, and refuses what told.h says.  Nothing is
 * counted before main().
 *
 * Address space as large as that of the file for what is beyond the budget
 * (netan/base/memory/spill.h) is refused but in REFUSE_PRIVATE: what a program
 * is refused once it would otherwise get there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/faults/forked.h"
#include "tests/faults/told.h"

/* The library's own names for what is replaced here. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);

#define LARGEST_BYTES (UINT64_C(1) << 34)

static struct told *told;
static bool forks; /* REFUSE_FORKED, and not a child */
static bool apart; /* what is allocated now is not the program's */
static int (*program_main)(int, char **, char **);

static int note_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	told->program = info->dlpi_addr;
	return 1; /* the first is the program */
}

static void note_caller(void)
{
	void *frames[REFUSE_FRAMES];
	int n = backtrace(frames, REFUSE_FRAMES);

	for (int i = 0; i < n; i++)
		told->frames[i] = (uintptr_t)frames[i];
	told->n_frames = (uint32_t)n;
}

/* ---- a child for each */

/* It goes on from here on as one that was started to be refused this. */
static void become(enum refuse_mode mode, uint64_t at)
{
	forks = false;
	told->mode = mode;
	told->at = at;
	told->refused = told->n_frames = 0;
	alarm(told->seconds);
	forked_apart(told->dir);
	apart = false;
}

/* Comes back in each child, and at last in the program itself. */
static void fork_all(uint64_t at)
{
	for (unsigned m = REFUSE_ONCE; m < REFUSE_MODES; m++) {
		uint64_t k = (at - 1) * (REFUSE_MODES - 1) + m - 1;
		int status;
		pid_t pid;

		if (k % told->step != told->first)
			continue;
		apart = true;
		pid = fork();
		if (pid == 0) {
			become((enum refuse_mode)m, at);
			return;
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			_exit(123);
		told->status = status;
		raise(SIGSTOP);
		told->seen = at;
		told->mode = REFUSE_FORKED;
		apart = false;
	}
}

/* ---- */

static bool refuses(bool of_file)
{
	uint64_t at;
	bool no;

	if (!told || apart)
		return false;
	if (of_file && told->mode == REFUSE_PRIVATE)
		return false;
	at = ++told->seen;
	if (forks)
		fork_all(at);
	if (forks || (of_file && told->mode == REFUSE_PRIVATE))
		return false;
	no = told->mode == REFUSE_ONCE ? at == told->at
	     : told->mode              ? at >= told->at
				       : false;
	if (!no)
		return false;
	if (!told->refused++)
		note_caller();
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return refuses(false) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return refuses(false) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return n && refuses(false) ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, all);
}

void *memalign(size_t align, size_t n);
void *memalign(size_t align, size_t n)
{
	return refuses(false) ? NULL : __libc_memalign(align, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	void *new = memalign(align, n);

	if (!new)
		return ENOMEM;
	*p = new;
	return 0;
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);

	if (!real)
		real = (void *(*)(void *, size_t, int, int, int,
				  off_t))dlsym(RTLD_NEXT, "mmap");
	if (told && n >= LARGEST_BYTES && told->mode != REFUSE_PRIVATE) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return refuses(!(flags & MAP_ANONYMOUS))
		       ? MAP_FAILED
		       : real(at, n, prot, flags, fd, from);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*run)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);

	if (!real)
		real = (int (*)(pthread_t *, const pthread_attr_t *,
				void *(*)(void *),
				void *))dlsym(RTLD_NEXT, "pthread_create");
	if (forks) {
		told->threads = true;
		forks = false;
		told->mode = REFUSE_NONE;
	}
	return refuses(false) ? EAGAIN : real(thread, attr, run, arg);
}

/* The sandbox is said to hold: in it nobody forks. */
long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (forks &&
	    (number == SYS_seccomp || number == SYS_landlock_restrict_self))
		return 0;
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int begin(int argc, char **argv, char **env)
{
	const char *path = getenv("NETAN_REFUSE");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *warm[REFUSE_FRAMES], *p;

	backtrace(warm, REFUSE_FRAMES); /* it loads a library */
	p = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 0);
	if (p == MAP_FAILED)
		_exit(125);
	close(fd);
	unsetenv("LD_PRELOAD");
	told = p;
	forks = told->mode == REFUSE_FORKED;
	dl_iterate_phdr(note_program, NULL);
	return program_main(argc, argv, env);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	__typeof__(&__libc_start_main) real =
		(__typeof__(&__libc_start_main))dlsym(RTLD_NEXT,
						      "__libc_start_main");

	program_main = main;
	return real(begin, argc, argv, init, fini, rtld_fini, stack_end);
}

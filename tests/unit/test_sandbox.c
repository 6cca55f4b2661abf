/*
 * Inside of the sandbox: a child enters it with some grants, and tries what is
 * granted, and what is not.  And of every option that names a file, its table
 * says what for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netan/base/sandbox/calls.h"
#include "netan/base/sandbox/landlock.h"
#include "netan/base/sandbox/sandbox.h"
#include "netan/cli/common.h"

#define N(rows) (sizeof(rows) / sizeof(*(rows)))

/* Which walls a child builds. */
enum { FILES = 1, CALLS = 2 };

/* What became of it: an errno, or this and a signal. */
enum { ENDED_BY = 1000 };

/* A folder with in/ (read), out/ (files are made), job/ (files and folders are)
 * and other/, which nobody granted; it is the current one. */
#define TEMPLATE "/tmp/netan-sandbox-XXXXXX"
static char folder[] = TEMPLATE;
static int tcp = -1; /* open before, connected to nothing */

static void put(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("x\n", f);
	fclose(f);
}

static int make(void **state)
{
	static const char *const dirs[] = {"in",       "in/deep", "out",
					   "job",      "other",   "linked",
					   "linked/a", "further"};
	static const char *const files[] = {"in/file", "in/deep/file",
					    "other/file", "linked/a/file",
					    "further/file"};

	(void)state;
	memcpy(folder, TEMPLATE, sizeof(folder));
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return 1;
	for (size_t i = 0; i < N(dirs); i++)
		assert_int_equal(mkdir(dirs[i], 0700), 0);
	for (size_t i = 0; i < N(files); i++)
		put(files[i]);
	assert_int_equal(symlink("../../further/file", "in/deep/one"), 0);
	assert_int_equal(symlink("../linked", "in/dir"), 0);
	assert_int_equal(symlink("../../further", "linked/a/on"), 0);
	assert_int_equal(symlink("../../in", "linked/a/round"), 0);
	assert_int_equal(symlink("..", "in/up"), 0);
	assert_int_equal(symlink("/", "in/root"), 0);
	tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return 0;
}

static int drop(void **state)
{
	char line[sizeof(folder) + 16];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", folder);
	close(tcp);
	return chdir("/") || system(line);
}

/* ---- tries: 0, or the errno */

static int result(int rc)
{
	int e = errno;

	return rc < 0 ? e : 0;
}

static int open_it(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	int e = result(fd);

	if (fd >= 0)
		close(fd);
	return e;
}

static int read_it(const char *path)
{
	return open_it(path, O_RDONLY);
}

static int write_it(const char *path)
{
	return open_it(path, O_WRONLY);
}

static int replace_it(const char *path)
{
	return open_it(path, O_WRONLY | O_TRUNC);
}

static int make_it(const char *path)
{
	int e = open_it(path, O_WRONLY | O_CREAT | O_EXCL);

	return e ? e : result(unlink(path));
}

static int make_nameless(const char *path)
{
	return open_it(path, O_RDWR | O_TMPFILE);
}

static int list_it(const char *path)
{
	DIR *d = opendir(path);
	int e = d ? 0 : errno;

	if (d)
		closedir(d);
	return e;
}

static int stat_it(const char *path)
{
	struct stat sb;

	return result(stat(path, &sb));
}

static int remove_it(const char *path)
{
	return result(unlink(path));
}

static int rename_it(const char *path)
{
	int e = open_it("out/new", O_WRONLY | O_CREAT);

	e = e ? e : result(rename("out/new", path));
	return e ? e : result(unlink(path));
}

static int mkdir_it(const char *path)
{
	return mkdir(path, 0700) ? errno : result(rmdir(path));
}

static int link_it(const char *path)
{
	return result(link("in/file", path));
}

static int symlink_it(const char *path)
{
	return result(symlink("/etc/passwd", path));
}

static int chmod_it(const char *path)
{
	return result(chmod(path, 0777));
}

static int execute(const char *path)
{
	char *none[] = {NULL};

	execve(path, none, none);
	return errno;
}

static int fork_it(const char *path)
{
	pid_t pid = fork();

	(void)path;
	if (pid == 0)
		_exit(0);
	return result((int)pid);
}

static int shell(const char *path)
{
	return system(path) == 0 ? 0 : 1;
}

static int make_socket(const char *path)
{
	return result(socket(*path == 'u' ? AF_UNIX : AF_INET,
			     SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int connect_it(const char *path)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(9),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	(void)path;
	return result(connect(tcp, (struct sockaddr *)&to, sizeof(to)));
}

static int trace(const char *path)
{
	(void)path;
	return result((int)ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int mount_it(const char *path)
{
	return result((int)syscall(SYS_mount, "none", path, "tmpfs", 0, NULL));
}

static int map_code(const char *path)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)path;
	return p == MAP_FAILED
		       ? errno
		       : result(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}

static int ask_parent(const char *path)
{
	return result(kill(getppid(), *path == '0' ? 0 : SIGURG));
}

static int newer_call(const char *path)
{
	(void)path;
	return result((int)syscall(SYS_clone3, NULL, 0));
}

static void *on_thread(void *arg)
{
	return (void *)(intptr_t)read_it(arg);
}

static int thread(const char *path)
{
	pthread_t t;
	void *e = NULL;

	if (pthread_create(&t, NULL, on_thread, (void *)(uintptr_t)path))
		return EAGAIN;
	pthread_join(t, &e);
	return (int)(intptr_t)e;
}

/* What granted less grants no more afterwards. */
static int narrower(const char *path)
{
	struct na_sandbox s;

	na_sandbox_begin(&s);
	na_sandbox_grant(&s, "out", NA_REACH_READ);
	na_sandbox_grant(&s, "other", NA_REACH_READ);
	na_sandbox_files(&s);
	return read_it(path);
}

/* ---- the child */

static void enter(unsigned walls)
{
	struct na_sandbox s;

	if (walls & CALLS)
		na_sandbox_calls(false);
	if (!(walls & FILES))
		return;
	na_sandbox_begin(&s);
	na_sandbox_grant_linked(&s, "in");
	na_sandbox_grant(&s, "out", NA_REACH_READ | NA_REACH_REPLACE);
	na_sandbox_grant(&s, "job", NA_REACH_FOLDERS);
	na_sandbox_grant(&s, "not there", NA_REACH_READ);
	na_sandbox_files(&s);
}

static int in_child(unsigned walls, int (*try)(const char *), const char *path)
{
	struct rlimit none = {0, 0};
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &none);
		enter(walls);
		_exit(try(path));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? ENDED_BY + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

struct row {
	const char *what;
	int (*try)(const char *path);
	const char *path;
	int want;
};

static void compare(unsigned walls, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int got = in_child(walls, rows[i].try, rows[i].path);

		if (got != rows[i].want)
			fail_msg("%s (%s): %d, wanted %d", rows[i].what,
				 rows[i].path, got, rows[i].want);
	}
}

static void need_landlock(int abi)
{
	if (na_landlock_built() && na_landlock_abi() >= abi)
		return;
	print_message("skip: no Landlock of ABI %d here\n", abi);
	skip();
}

static void need_seccomp(void)
{
	if (na_calls_built())
		return;
	print_message("skip: built without seccomp\n");
	skip();
}

/* ---- tests */

static const struct row reads[] = {
	{"input", read_it, "in/file", 0},
	{"below it", read_it, "in/deep/file", 0},
	{"where a link leads", read_it, "in/deep/one", 0},
	{"below where one leads", read_it, "in/dir/a/file", 0},
	{"by the path itself", read_it, "linked/a/file", 0},
	{"where a link leads there", read_it, "in/dir/a/on/file", 0},
	{"the list of it", list_it, "in/dir", 0},
	{"output", read_it, "out", 0},
	{"another file", read_it, "other/file", EACCES},
	{"above, by a link", read_it, "in/up/other/file", EACCES},
	{"the root, by a link", list_it, "in/root", EACCES},
	{"a system's", read_it, "/etc/passwd", EACCES},
	{"another list", list_it, "other", EACCES},
	{"the list of one's own", list_it, ".", EACCES},
	{"what is not there", read_it, "other/none", ENOENT},
	{"a size", stat_it, "other/file", 0},
	{"on a thread", thread, "in/file", 0},
	{"another on a thread", thread, "other/file", EACCES},
	{"granted twice", narrower, "out", 0},
	{"granted once", narrower, "in/file", EACCES},
	{"granted later", narrower, "other/file", EACCES},
};

static const struct row writes[] = {
	{"a new output", make_it, "out/one", 0},
	{"a new one in a folder", make_it, "job/one", 0},
	{"without a name", make_nameless, "out", 0},
	{"renamed", rename_it, "out/two", 0},
	{"a folder", mkdir_it, "job/dir", 0},
	{"a folder among files", mkdir_it, "out/dir", EACCES},
	{"a new file elsewhere", make_it, "other/one", EACCES},
	{"a new file here", make_it, "one", EACCES},
	{"the input", write_it, "in/file", EACCES},
	{"the input, from its start", replace_it, "in/file", EACCES},
	{"another one", write_it, "other/file", EACCES},
	{"a new file beside the input", make_it, "in/one", EACCES},
	{"without a name elsewhere", make_nameless, "other", EACCES},
	{"removed", remove_it, "other/file", EACCES},
	{"the input removed", remove_it, "in/file", EACCES},
};

static void test_reads(void **state)
{
	(void)state;
	need_landlock(1);
	compare(FILES, reads, N(reads));
	compare(FILES | CALLS, reads, N(reads));
}

static void test_writes(void **state)
{
	(void)state;
	need_landlock(3);
	compare(FILES, writes, N(writes));
	compare(FILES | CALLS, writes, N(writes));
}

/* Between folders: the kernel says EXDEV, as of other file systems. */
static void test_moves(void **state)
{
	(void)state;
	need_landlock(1);
	assert_int_not_equal(in_child(FILES, rename_it, "other/two"), 0);
	assert_int_not_equal(in_child(FILES, rename_it, "in/two"), 0);
	assert_int_not_equal(in_child(FILES, link_it, "out/hard"), 0);
	assert_int_equal(in_child(0, rename_it, "other/two"), 0);
}

/* Without seccomp. */
static void test_landlock_alone(void **state)
{
	static const struct row rows[] = {
		{"exec", execute, "/bin/true", EACCES},
		{"connect", connect_it, "", EACCES},
	};

	(void)state;
	need_landlock(4);
	compare(FILES, rows, N(rows));
}

/* With and without Landlock. */
static void test_calls(void **state)
{
	static const struct row rows[] = {
		{"exec", execute, "/bin/true", ENDED_BY + SIGSYS},
		{"exec of nothing", execute, "none", ENDED_BY + SIGSYS},
		{"fork", fork_it, "", ENDED_BY + SIGSYS},
		{"system()", shell, "true", ENDED_BY + SIGSYS},
		{"a socket", make_socket, "", EPERM},
		{"a local socket", make_socket, "u", EPERM},
		{"connect", connect_it, "", ENDED_BY + SIGSYS},
		{"ptrace", trace, "", ENDED_BY + SIGSYS},
		{"mount", mount_it, "out", ENDED_BY + SIGSYS},
		{"code", map_code, "", EPERM},
		{"does it live", ask_parent, "0", 0},
		{"a signal", ask_parent, "", ENOSYS},
		{"clone3", newer_call, "", ENOSYS},
		{"chmod", chmod_it, "out", EPERM},
		{"a link", link_it, "out/hard", EPERM},
		{"a symbolic link", symlink_it, "out/soft", EPERM},
		{"a thread", thread, "in/file", 0},
	};

	(void)state;
	need_seccomp();
	compare(CALLS, rows, N(rows));
	compare(FILES | CALLS, rows, N(rows));
}

/* Or the rows above would prove nothing. */
static void test_outside(void **state)
{
	static const struct row rows[] = {
		{"another file", read_it, "other/file", 0},
		{"by a link", read_it, "in/up/other/file", 0},
		{"a new file elsewhere", make_it, "other/one", 0},
		{"the input", write_it, "in/file", 0},
		{"fork", fork_it, "", 0},
		{"system()", shell, "true", 0},
		{"a socket", make_socket, "", 0},
		{"connect", connect_it, "", ECONNREFUSED},
		{"ptrace", trace, "", 0},
		{"code", map_code, "", 0},
		{"a signal", ask_parent, "", 0},
	};

	(void)state;
	compare(0, rows, N(rows));
}

/* ---- the tables */

static bool names_file(const struct na_opt *o)
{
	return o->arg && (strstr(o->arg, "FILE") || strstr(o->arg, "DIR"));
}

/* A row that forgets it would have its files refused. */
static void test_options(void **state)
{
	struct na_opt_group groups[NA_MAX_GROUPS];

	(void)state;
	for (size_t k = 0; na_commands[k]; k++) {
		size_t n = na_command_groups(na_commands[k], NULL, groups);

		for (size_t i = 0; i < n; i++) {
			for (const struct na_opt *o = groups[i].opts; o->name;
			     o++) {
				if (names_file(o) != (o->path != NA_PATH_NONE))
					fail_msg("%s --%s: what is its file "
						 "for?",
						 na_commands[k]->info->name,
						 o->name);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest always[] = {
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_options),
	};
	const struct CMUnitTest inside[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_landlock_alone),
		cmocka_unit_test(test_calls),
	};
	int failed = cmocka_run_group_tests(always, make, drop);

	/* A sanitized build has none. */
	if (na_landlock_built() || na_calls_built())
		failed += cmocka_run_group_tests(inside, make, drop);
	return failed;
}

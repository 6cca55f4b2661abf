/* What root gives up, and that what it captures can still be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/cli/commands/privileges.h"

enum { OTHER = 54321, SUDOER = 54322 };

/* Whether no capability is in force. */
static bool powerless(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long long caps = 1;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "CapEff: %llx", &caps);
	if (f)
		fclose(f);
	return caps == 0;
}

/* In a child: 0, or what went wrong. */
static int drop_and_rename(const char *folder, uid_t wanted)
{
	struct na_err err = {0};
	char open_name[200], name[200];
	FILE *f;

	snprintf(open_name, sizeof(open_name), "%s/x.tmp", folder);
	snprintf(name, sizeof(name), "%s/x.pcap", folder);
	f = fopen(open_name, "w");
	if (!f)
		return 1;
	if (na_privileges_drop(name, fileno(f), &err) != NA_OK)
		return 2;
	if (!powerless() || getuid() != wanted || geteuid() != wanted)
		return 3;
	fclose(f);
	return rename(open_name, name) ? 4 : 0;
}

static int in_child(const char *folder, uid_t wanted)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(drop_and_rename(folder, wanted));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void folders(void **state)
{
	static const struct {
		uid_t folder_of;
		mode_t mode;
		bool sudo;
		uid_t wanted;
		int result;
	} v[] = {
		{0, 0755, false, 0, 0},          {OTHER, 0755, false, OTHER, 0},
		{OTHER, 01777, false, 0, 0},     {0, 0755, true, 0, 0},
		{SUDOER, 0755, true, SUDOER, 0}, {OTHER, 0755, true, OTHER, 0},
		{OTHER, 0555, false, 0, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		char folder[] = "/tmp/netan-drop-XXXXXX", path[200];
		int got;

		assert_non_null(mkdtemp(folder));
		assert_int_equal(chmod(folder, v[i].mode), 0);
		if (geteuid() != 0 ||
		    chown(folder, v[i].folder_of, v[i].folder_of)) {
			rmdir(folder);
			puts("skip: only root has something to give up");
			skip();
		}
		unsetenv("SUDO_UID");
		unsetenv("SUDO_GID");
		if (v[i].sudo) {
			setenv("SUDO_UID", "54322", 1);
			setenv("SUDO_GID", "54322", 1);
		}
		got = in_child(folder, v[i].wanted);
		snprintf(path, sizeof(path), "%s/x.pcap", folder);
		unlink(path);
		snprintf(path, sizeof(path), "%s/x.tmp", folder);
		unlink(path);
		rmdir(folder);
		if (got != v[i].result)
			fail_msg("row %zu: %d, not %d", i, got, v[i].result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(folders)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "netan/base/sandbox/landlock.h"

#include <errno.h>

#if defined(NETAN_SANDBOX) && __has_include(<linux/landlock.h>)
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "netan/base/sandbox/sandbox.h"

/* Newer than some headers. */
#define FS_REFER     (UINT64_C(1) << 13)
#define FS_TRUNCATE  (UINT64_C(1) << 14)
#define FS_IOCTL_DEV (UINT64_C(1) << 15)

#define FS_FIRST_ABI (FS_REFER - 1)
#define NET_TCP      UINT64_C(3) /* bind, connect */
/* Not that of signals: whether a writer still lives is asked with one. */
#define SCOPE_ABSTRACT_SOCKETS UINT64_C(1)

struct ruleset {
	uint64_t files, net, scoped;
};

/* What each ABI takes, and how much of the struct it knows. */
static const struct {
	int abi;
	struct ruleset forbids;
	size_t size;
} kernels[] = {
	{6,
	 {FS_FIRST_ABI | FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV, NET_TCP,
	  SCOPE_ABSTRACT_SOCKETS},
	 24},
	{5,
	 {FS_FIRST_ABI | FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV, NET_TCP, 0},
	 16},
	{4, {FS_FIRST_ABI | FS_REFER | FS_TRUNCATE, NET_TCP, 0}, 16},
	{3, {FS_FIRST_ABI | FS_REFER | FS_TRUNCATE, 0, 0}, 8},
	{2, {FS_FIRST_ABI | FS_REFER, 0, 0}, 8},
	{1, {FS_FIRST_ABI, 0, 0}, 8},
};

static size_t row_of(int abi)
{
	size_t i = 0;

	while (kernels[i].abi > abi)
		i++;
	return i;
}

bool na_landlock_built(void)
{
	return true;
}

int na_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_CREATE_RULESET_VERSION);

	return abi > 0 ? (int)abi : 0;
}

int na_landlock_new(int abi)
{
	size_t i = row_of(abi);

	return (int)syscall(SYS_landlock_create_ruleset, &kernels[i].forbids,
			    kernels[i].size, 0);
}

static uint64_t access_of(unsigned reach)
{
	uint64_t a = 0;

	if (reach & (NA_REACH_LIST | NA_REACH_READ | NA_REACH_FOLDERS))
		a |= LANDLOCK_ACCESS_FS_READ_DIR;
	if (reach & NA_REACH_READ)
		a |= LANDLOCK_ACCESS_FS_READ_FILE;
	if (reach & (NA_REACH_WRITE | NA_REACH_REPLACE | NA_REACH_FOLDERS))
		a |= LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE;
	if (reach & (NA_REACH_REPLACE | NA_REACH_FOLDERS))
		a |= LANDLOCK_ACCESS_FS_MAKE_REG |
		     LANDLOCK_ACCESS_FS_REMOVE_FILE;
	if (reach & NA_REACH_FOLDERS)
		a |= LANDLOCK_ACCESS_FS_MAKE_DIR |
		     LANDLOCK_ACCESS_FS_REMOVE_DIR;
	return a;
}

void na_landlock_add(int rules, int abi, const char *path, unsigned reach)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = access_of(reach),
		.parent_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};
	struct stat sb;

	/* O_PATH alone would leave a directory unmounted that is mounted when
	 * it is opened. */
	if (rule.parent_fd < 0)
		rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return;
	if (fstat(rule.parent_fd, &sb) != 0 || !S_ISDIR(sb.st_mode))
		rule.allowed_access &= LANDLOCK_ACCESS_FS_READ_FILE |
				       LANDLOCK_ACCESS_FS_WRITE_FILE |
				       FS_TRUNCATE;
	rule.allowed_access &= kernels[row_of(abi)].forbids.files;
	/* Of a pipe there is no rule, and needs none. */
	if (rule.allowed_access)
		(void)!syscall(SYS_landlock_add_rule, rules,
			       LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

int na_landlock_hold(int rules)
{
	int failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		     syscall(SYS_landlock_restrict_self, rules, 0) != 0;
	int e = errno;

	close(rules);
	errno = e;
	return failed;
}

#else

bool na_landlock_built(void)
{
	return false;
}

int na_landlock_abi(void)
{
	errno = ENOSYS;
	return 0;
}

int na_landlock_new(int abi)
{
	(void)abi;
	errno = ENOSYS;
	return -1;
}

void na_landlock_add(int rules, int abi, const char *path, unsigned reach)
{
	(void)rules;
	(void)abi;
	(void)path;
	(void)reach;
}

int na_landlock_hold(int rules)
{
	(void)rules;
	errno = ENOSYS;
	return 1;
}

#endif

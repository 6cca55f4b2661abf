#include "netan/cli/commands/privileges.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "netan/base/atomic_file.h"
#include "netan/cli/output/output.h"

struct user {
	uid_t uid;
	gid_t gid;
};

static bool id_of(const char *variable, unsigned *id)
{
	const char *s = getenv(variable);
	char *end;
	unsigned long n;

	if (!s || *s < '0' || *s > '9')
		return false;
	n = strtoul(s, &end, 10);
	*id = (unsigned)n;
	return !*end && n < UINT32_MAX;
}

/* On whose behalf root acts; false: nobody else's. */
static bool on_behalf(struct user *u)
{
	*u = (struct user){getuid(), getgid()};
	return u->uid != 0 || (id_of("SUDO_UID", &u->uid) &&
			       id_of("SUDO_GID", &u->gid) && u->uid != 0);
}

static enum na_status become(const struct user *u, struct na_err *err)
{
	if (setgroups(1, &u->gid) || setresgid(u->gid, u->gid, u->gid) ||
	    setresuid(u->uid, u->uid, u->uid) || setuid(0) == 0)
		return na_fail_errno(err, "giving up root");
	return NA_OK;
}

static bool can_write(const struct user *u, const char *folder)
{
	bool can;

	if (!folder)
		return true;
	if (setegid(u->gid) || seteuid(u->uid))
		return false;
	can = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
	return !seteuid(0) && !setegid(0) && can;
}

/* The owner of a folder in which root has no more rights than others. */
static bool owner(struct user *u, const char *folder)
{
	struct stat st;

	if (!folder || stat(folder, &st) || st.st_uid == 0)
		return false;
	*u = (struct user){st.st_uid, st.st_gid};
	return !(st.st_mode & (st.st_gid == 0 ? S_IWGRP : S_IWOTH));
}

static enum na_status drop(const char *path, const char *folder, int fd,
			   struct na_err *err)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
	struct user user;

	memset(none, 0, sizeof(none));
	if (geteuid() == 0 &&
	    ((on_behalf(&user) && can_write(&user, folder)) ||
	     (owner(&user, folder) && can_write(&user, folder)))) {
		if (fd >= 0 && fchown(fd, user.uid, user.gid))
			return na_fail_errno(err, "handing over the output");
		if (become(&user, err) != NA_OK)
			return err->status;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_capset, &head, none))
		return na_fail_errno(err, "giving up capabilities");
	if (folder && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
		return na_fail(err, NA_EIO,
			       "%s: nothing can be written into its folder "
			       "once root's power is given up: write "
			       "elsewhere, or as the folder's owner",
			       path);
	return NA_OK;
}

enum na_status na_privileges_drop(const char *path, int fd, struct na_err *err)
{
	char *folder = path ? na_folder_of(path) : NULL;
	enum na_status st;

	if (path && !folder)
		return na_fail_nomem(err);
	st = drop(path, folder, fd, err);
	free(folder);
	return st;
}

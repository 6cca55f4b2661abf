# What the program itself may still do once it reads: another library in it
# tries, where it opens its output.
# Not sanitized: such a build has no sandbox
case $(netan --version -v) in
*"Landlock ABI "[3-9]*", seccomp") ;;
*) echo "skip: $(netan --version -v | sed -n '/^sandbox/p')"; exit 77 ;;
esac
cat >try.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void try(const char *how, const char *path)
{
	int rc = -1;

	if (strcmp(how, "read") == 0)
		rc = open(path, O_RDONLY);
	else if (strcmp(how, "write") == 0)
		rc = open(path, O_WRONLY | O_CREAT, 0600);
	else if (strcmp(how, "remove") == 0)
		rc = unlink(path);
	else if (strcmp(how, "socket") == 0)
		rc = socket(AF_INET, SOCK_STREAM, 0);
	else if (strcmp(how, "run") == 0)
		rc = execl(path, path, (char *)0);
	dprintf(1, "%s\n", rc < 0 ? strerror(errno) : "yes");
}

FILE *fdopen(int fd, const char *mode)
{
	FILE *(*real)(int, const char *) = dlsym(RTLD_NEXT, "fdopen");

	if (getenv("HOW"))
		try(getenv("HOW"), getenv("WHAT"));
	unsetenv("HOW");
	return real(fd, mode);
}
C
cc -w -shared -fPIC -o try.so try.c -ldl 2>/dev/null || { echo "skip: no compiler"; exit 77; }
ulimit -c 0
mkdir out other
netan synth -q -o job --hosts 2 --steps 3
echo secret >other/file
from=$PWD
try()
{
	printf '%s %s: ' "$1" "$2"
	HOW=$1 WHAT=$2 LD_PRELOAD=$from/try.so netan info -q "$from/job" -o out/x.json
	code=$?
	[ $code -gt 128 ] && echo "ended by SIG$(kill -l $code)"
}
{
	for f in job/truth.json other/file try.c . /etc/passwd /dev/full; do
		try read "$f"
	done
	for f in out/new new other/file other/new job/new; do
		try write "$f"
	done
	try remove other/file
	try remove out/new
	try socket ''
	try run /bin/true
	try run other/file
} 2>said # by the shell, of what ends it
rm -f out/*.tmp
ls out other
# Its own threads go on, and so do all of its outputs.
netan report -q job -o r.html && netan timeline -q job -o t.png && ls ./*.html ./*.png

#include "tests/faults/left.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netan/base/vec.h"

void faults_die(const char *what)
{
	fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
	exit(2);
}

static struct text read_all(const char *dir, const char *name)
{
	char path[1024];
	struct text t = {NULL, 0};
	struct stat info;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	in = fopen(path, "r");
	if (!in || fstat(fileno(in), &info) != 0)
		faults_die(path);
	t.s = calloc(1, (size_t)info.st_size + 1);
	t.n = t.s ? fread(t.s, 1, (size_t)info.st_size, in) : 0;
	fclose(in);
	return t;
}

void left_free(struct left *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->files[i].text.s);
	l->n = 0;
}

void left_take(struct left *l, const char *dir, int status)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[1024];

	l->n = 0;
	l->status = status;
	if (!d)
		faults_die(dir);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' || l->n == NA_LEN(l->files))
			continue;
		snprintf(l->files[l->n].name, sizeof(l->files[l->n].name), "%s",
			 e->d_name);
		l->files[l->n++].text = read_all(dir, e->d_name);
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	closedir(d);
}

const struct text *left_file(const struct left *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->files[i].name, name) == 0)
			return &l->files[i].text;
	}
	return NULL;
}

static bool same_text(const struct text *a, const struct text *b)
{
	return a && b && a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
}

static bool is_stream(const char *name)
{
	return strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0;
}

/* The first file that is not as it should be; those of a run that failed may
 * be missing.  NULL: none. */
static const char *differs(const struct left *l, const struct left *want,
			   bool failed)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->files[i].name;

		if (failed && is_stream(name))
			continue;
		if (!same_text(&l->files[i].text, left_file(want, name)))
			return name;
	}
	for (size_t i = 0; i < want->n && !failed; i++) {
		if (!left_file(l, want->files[i].name))
			return want->files[i].name;
	}
	return NULL;
}

size_t left_errors(const char *s)
{
	size_t n = 0;

	for (const char *at = s; (at = strstr(at, "netan: error: ")); at++)
		n += at == s || at[-1] == '\n';
	return n;
}

static bool says_memory(const char *s)
{
	static const char *const words[] = {"out of memory", "more memory",
					    "no memory",
					    "Cannot allocate memory"};

	for (size_t i = 0; i < NA_LEN(words); i++) {
		if (strstr(s, words[i]))
			return true;
	}
	return false;
}

enum verdict left_judge(const struct left *l, const struct left *want,
			char *text, size_t size)
{
	bool same = l->status == want->status, failed;
	const struct text *said = left_file(l, "stderr");
	const char *err = said ? said->s : "", *name;

	if (WIFSIGNALED(l->status)) {
		snprintf(text, size, "signal %d%s", WTERMSIG(l->status),
			 WTERMSIG(l->status) == SIGALRM ? ", it hangs" : "");
		return LEFT_WRONG;
	}
	failed = WEXITSTATUS(l->status) == 1 && left_errors(err) == 1 &&
		 says_memory(err);
	name = differs(l, want, !same);
	if (same && !name)
		return LEFT_SAME;
	if (!same && failed && !name)
		return LEFT_ERROR;
	snprintf(text, size, "status %d, %s%s, %zu errors: %.300s",
		 WEXITSTATUS(l->status), name ? name : "",
		 name ? " differs" : "outputs as they should be",
		 left_errors(err), err);
	return LEFT_WRONG;
}

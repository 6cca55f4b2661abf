/*
 * Refuses memory to netan, one allocation after the other, and looks at what
 * becomes of the run.
 *
 *	faults [-j JOBS] [-n RUNS] [-o ONLY] [-v] FOLDER NETAN REFUSE.so
 *
 * FOLDER/in has the inputs: see tests/faults.sh.
 * Each command of commands.def is run once as it is, which counts what it and
 * its libraries allocate, and then again and again: for each allocation, in
 * each mode of told.h, or for RUNS of them in all, evenly.  A run is right
 * where it ends by itself in time, and
 *
 *	- says, writes and returns what it does with all memory, or
 *	- returns 1 with exactly one error, which says that memory was short,
 *	  and each output is whole or is not there.
 *
 * Prints a line for each command: "pass faults/NAME: ..." or "FAIL ...", and
 * below it what was wrong, with the callers' addresses in the program (for
 * addr2line -fie NETAN).  -v says what each run was.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netan/base/vec.h"
#include "tests/faults/told.h"

enum {
	JOBS_MOST = 64,
	SECONDS = 15, /* of one run; it takes 0.05 */
	WRONG_SHOWN = 20
};

static const struct command {
	const char *name, *line;
	int shares; /* of the runs where they are few */
	bool threads;
} commands[] = {
#define NA_FAULTS(name, shares, line)         {name, line, shares, false},
#define NA_FAULTS_THREADS(name, shares, line) {name, line, shares, true},
#include "tests/faults/commands.def"
};

static const char *const mode_names[] = {"none", "once", "from", "private"};

struct text {
	char *s;
	size_t n;
};

/* What a run has left: the files of its folder. */
struct left {
	struct {
		char name[256];
		struct text text;
	} files[16];
	size_t n;
	int status; /* as wait() says */
};

struct slot {
	pid_t pid; /* 0: free */
	struct told *told;
	char dir[256];
	unsigned long turn;
};

struct counts {
	unsigned long allocations, runs, same, failed, wrong;
};

static struct {
	char base[128], netan[4096], refuse[4096], home[200];
	struct slot slots[JOBS_MOST];
	unsigned long jobs, runs;
	const char *only;
	bool verbose;
	const struct command *now;
	struct left want;
	struct counts counts;
} f;

static void die(const char *what)
{
	fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- what a run has left */

static struct text read_all(const char *dir, const char *name)
{
	char path[1024];
	struct text t = {NULL, 0};
	struct stat info;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	in = fopen(path, "r");
	if (!in || fstat(fileno(in), &info) != 0)
		die(path);
	t.s = calloc(1, (size_t)info.st_size + 1);
	t.n = t.s ? fread(t.s, 1, (size_t)info.st_size, in) : 0;
	fclose(in);
	return t;
}

static void free_left(struct left *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->files[i].text.s);
	l->n = 0;
}

/* Takes the files out of the folder. */
static void take_left(struct left *l, const char *dir, int status)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[1024];

	l->n = 0;
	l->status = status;
	if (!d)
		die(dir);
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

static const struct text *file_of(const struct left *l, const char *name)
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
static const char *differs(const struct left *l, bool failed)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->files[i].name;

		if (failed && is_stream(name))
			continue;
		if (!same_text(&l->files[i].text, file_of(&f.want, name)))
			return name;
	}
	for (size_t i = 0; i < f.want.n && !failed; i++) {
		if (!file_of(l, f.want.files[i].name))
			return f.want.files[i].name;
	}
	return NULL;
}

static size_t errors_in(const char *s)
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

/* What is wrong with a run, or NULL. */
static const char *judge(const struct left *l, char *text, size_t size)
{
	bool same = l->status == f.want.status, failed;
	const char *err = file_of(l, "stderr")->s, *name;

	if (WIFSIGNALED(l->status)) {
		snprintf(text, size, "signal %d%s", WTERMSIG(l->status),
			 WTERMSIG(l->status) == SIGALRM ? ", it hangs" : "");
		return text;
	}
	failed = WEXITSTATUS(l->status) == 1 && errors_in(err) == 1 &&
		 says_memory(err);
	name = differs(l, !same);
	if (same && !name) {
		f.counts.same++;
		return NULL;
	}
	if (!same && failed && !name) {
		f.counts.failed++;
		return NULL;
	}
	snprintf(text, size, "status %d, %s%s, %zu errors: %.300s",
		 WEXITSTATUS(l->status), name ? name : "",
		 name ? " differs" : "outputs as they should be",
		 errors_in(err), err);
	return text;
}

/* ---- runs */

static void redirect(const char *dir, const char *name, int to)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || dup2(fd, to) < 0)
		_exit(126);
	close(fd);
}

static void run_child(const struct slot *s)
{
	char line[1024], told[512], preload[4200];
	char *words[64];
	size_t n = 0;

	snprintf(told, sizeof(told), "NETAN_REFUSE=%s.told", s->dir);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", f.refuse);
	snprintf(line, sizeof(line), "netan %s", f.now->line);
	for (char *w = strtok(line, " "); w && n < NA_LEN(words) - 1;
	     w = strtok(NULL, " "))
		words[n++] = w;
	words[n] = NULL;
	redirect(s->dir, "stdout", 1);
	redirect(s->dir, "stderr", 2);
	close(0);
	open("/dev/null", O_RDONLY);
	if (chdir(s->dir) != 0)
		_exit(126);
	alarm(SECONDS);
	/* What is freed is overwritten: who still reads it is seen. */
	execve(f.netan, words,
	       (char *[]){told, preload, f.home, (char[]){"LC_ALL=C"},
			  (char[]){"TZ=UTC"}, (char[]){"TERM=dumb"},
			  (char[]){"MALLOC_PERTURB_=165"}, NULL});
	_exit(126);
}

static void start(struct slot *s, enum refuse_mode mode, uint64_t at,
		  unsigned long turn)
{
	memset(s->told, 0, sizeof(*s->told));
	s->told->mode = mode;
	s->told->at = at;
	s->turn = turn;
	s->pid = fork();
	if (s->pid < 0)
		die("fork");
	if (s->pid == 0)
		run_child(s);
}

static void show_wrong(const struct slot *s, const char *what)
{
	const struct told *t = s->told;

	if (f.counts.wrong > WRONG_SHOWN && !f.verbose)
		return;
	printf("    %s %llu: %s", mode_names[t->mode],
	       (unsigned long long)t->at, what);
	if (!*what || what[strlen(what) - 1] != '\n')
		putchar('\n');
	printf("        refused");
	for (uint32_t i = 2; i < t->n_frames; i++)
		printf(" %#llx",
		       (unsigned long long)(t->frames[i] - t->program));
	putchar('\n');
	fflush(stdout);
}

static void finish(struct slot *s, int status)
{
	struct left l;
	char text[1024];
	const char *wrong;

	s->pid = 0;
	take_left(&l, s->dir, status);
	f.counts.runs++;
	wrong = judge(&l, text, sizeof(text));
	if (wrong) {
		f.counts.wrong++;
		show_wrong(s, wrong);
	} else if (f.verbose) {
		printf("    %s %llu: as it should be: %.200s\n",
		       mode_names[s->told->mode],
		       (unsigned long long)s->told->at,
		       file_of(&l, "stderr")->s);
	}
	free_left(&l);
}

/* Waits for one of them; false: there was none. */
static bool wait_one(void)
{
	int status;
	pid_t pid = wait(&status);

	if (pid < 0)
		return false;
	for (size_t i = 0; i < f.jobs; i++) {
		if (f.slots[i].pid == pid)
			finish(&f.slots[i], status);
	}
	return true;
}

static struct slot *free_slot(void)
{
	for (;;) {
		for (size_t i = 0; i < f.jobs; i++) {
			if (!f.slots[i].pid)
				return &f.slots[i];
		}
		wait_one();
	}
}

/* As it is, twice: what comes once (caches of fonts) is there then. */
static void run_whole(void)
{
	struct slot *s = &f.slots[0];
	int status;

	for (int k = 0; k < 2; k++) {
		start(s, REFUSE_NONE, 0, 0);
		waitpid(s->pid, &status, 0);
		s->pid = 0;
		free_left(&f.want);
		take_left(&f.want, s->dir, status);
	}
	f.counts.allocations = (unsigned long)s->told->seen;
}

/* Of each mode, all allocations or as many as its share of the runs, evenly;
 * the modes look at different ones. */
static void run_all(unsigned long all_shares)
{
	unsigned long all = f.counts.allocations * (REFUSE_MODES - 1), n = all;
	unsigned long offset = 0;

	if (f.runs)
		n = f.runs * (unsigned long)f.now->shares / all_shares;
	n = n > all ? all : n;
	for (unsigned long k = 0; k < n; k++) {
		unsigned long at = (2 * k + 1) * all / (2 * n) + offset;

		start(free_slot(), (enum refuse_mode)(1 + at % 3),
		      at / (REFUSE_MODES - 1) + 1, k);
	}
	while (wait_one())
		;
}

static bool one_command(const struct command *c, unsigned long all_shares)
{
	const struct counts *n = &f.counts;
	const char *err;

	f.now = c;
	f.counts = (struct counts){.runs = 0};
	run_whole();
	err = file_of(&f.want, "stderr")->s;
	if (!WIFEXITED(f.want.status) || errors_in(err) || !n->allocations) {
		printf("FAIL faults/%s: fails with all memory: %s\n", c->name,
		       err);
		return false;
	}
	run_all(all_shares);
	printf("%s faults/%s: %lu allocations, %lu runs: %lu unharmed, %lu "
	       "ended with an error, %lu wrong\n",
	       n->wrong ? "FAIL" : "pass", c->name, n->allocations, n->runs,
	       n->same, n->failed, n->wrong);
	fflush(stdout);
	return !n->wrong;
}

/* ---- the whole */

static void make_slots(void)
{
	char path[300];

	for (size_t i = 0; i < f.jobs; i++) {
		struct slot *s = &f.slots[i];
		int fd;

		snprintf(s->dir, sizeof(s->dir), "%s/run%zu", f.base, i);
		if (mkdir(s->dir, 0777) != 0)
			die(s->dir);
		snprintf(path, sizeof(path), "%s.told", s->dir);
		fd = open(path, O_RDWR | O_CREAT, 0666);
		if (fd < 0 || ftruncate(fd, sizeof(*s->told)) != 0)
			die(path);
		s->told = mmap(NULL, sizeof(*s->told), PROT_READ | PROT_WRITE,
			       MAP_SHARED, fd, 0);
		if (s->told == MAP_FAILED)
			die(path);
		close(fd);
	}
}

static void parse(int argc, char **argv)
{
	int o;

	f.jobs = 2;
	f.only = "*";
	while ((o = getopt(argc, argv, "j:n:o:v")) != -1) {
		if (o == 'j')
			f.jobs = strtoul(optarg, NULL, 10);
		else if (o == 'n')
			f.runs = strtoul(optarg, NULL, 10);
		else if (o == 'o')
			f.only = optarg;
		else if (o == 'v')
			f.verbose = true;
		else
			exit(2);
	}
	if (argc - optind != 3 || f.jobs < 1 || f.jobs > JOBS_MOST) {
		fputs("usage: faults [-j JOBS] [-n RUNS] [-o ONLY] [-v] "
		      "FOLDER NETAN REFUSE.so\n",
		      stderr);
		exit(2);
	}
	snprintf(f.base, sizeof(f.base), "%s", argv[optind]);
	if (!realpath(argv[optind + 1], f.netan) ||
	    !realpath(argv[optind + 2], f.refuse))
		die("the program and the library");
	snprintf(f.home, sizeof(f.home), "HOME=%s", f.base);
}

int main(int argc, char **argv)
{
	unsigned long shares = 0;
	bool good = true;

	parse(argc, argv);
	make_slots();
	for (size_t i = 0; i < NA_LEN(commands); i++)
		shares += (unsigned long)commands[i].shares;
	for (size_t i = 0; i < NA_LEN(commands); i++) {
		char name[64];

		snprintf(name, sizeof(name), "faults/%s", commands[i].name);
		if (fnmatch(f.only, name, 0) == 0 ||
		    fnmatch(f.only, commands[i].name, 0) == 0)
			good = one_command(&commands[i], shares) && good;
	}
	return good ? 0 : 1;
}

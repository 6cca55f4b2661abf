/*
 * Refuses memory to netan, one allocation after the other, and looks at what
 * becomes of the run.
 *
 *	faults [-j JOBS] [-n RUNS] [-o ONLY] [-v] FOLDER NETAN REFUSE.so
 *
 * FOLDER/in has the inputs: see tests/faults.sh.
 * Each command of commands.def is run once as it is, which counts what it and
 * its libraries allocate, and then for each allocation in each mode of told.h.
 * One thread forks for that (REFUSE_FORKED); of several each is a run of its
 * own, and there are THREADS_RUNS of these.  With -n, RUNS of all in all, evenly,
 * each of its own and inside of the sandbox.  A run is right where it ends by
 * itself in time, and
 *
 *	- says, writes and returns what it does with all memory, or
 *	- returns 1 with exactly one error, which says that memory was short,
 *	  and each output is whole or is not there.
 *
 * Prints a line for each command: "pass faults/NAME: ..." or "FAIL ...", and
 * below it what was wrong, with the callers' addresses in the program (for
 * addr2line -fie NETAN).  -v says what each run was.
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netan/base/vec.h"
#include "tests/faults/left.h"
#include "tests/faults/told.h"

enum {
	JOBS_MOST = 64,
	SECONDS = 60, /* of one run; it takes 0.05 */
	THREADS_RUNS = 500,
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

static const char *const mode_names[] = {"none", "once", "from", "private",
					 "forked"};

struct slot {
	pid_t pid; /* 0: free */
	struct told *told;
	char dir[200];
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
	/* One that forks takes as long as all its children. */
	if (s->told->mode != REFUSE_FORKED)
		alarm(SECONDS);
	/* What is freed is overwritten: who still reads it is seen. */
	execve(f.netan, words,
	       (char *[]){told, preload, f.home, (char[]){"LC_ALL=C"},
			  (char[]){"TZ=UTC"}, (char[]){"TERM=dumb"},
			  (char[]){"MALLOC_PERTURB_=165"}, NULL});
	_exit(126);
}

static void start(struct slot *s, enum refuse_mode mode, uint64_t at)
{
	struct told *t = s->told;

	memset(t, 0, sizeof(*t));
	t->mode = mode;
	t->at = at;
	t->first = (uint64_t)(s - f.slots);
	t->step = f.jobs;
	t->seconds = SECONDS;
	snprintf(t->dir, sizeof(t->dir), "%s.forked", s->dir);
	s->pid = fork();
	if (s->pid < 0)
		faults_die("fork");
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

/* One run is over, in that folder. */
static void look(const struct slot *s, const char *dir, int status)
{
	struct left l;
	char text[1024];
	enum verdict v;

	left_take(&l, dir, status);
	f.counts.runs++;
	v = left_judge(&l, &f.want, text, sizeof(text));
	f.counts.same += v == LEFT_SAME;
	f.counts.failed += v == LEFT_ERROR;
	f.counts.wrong += v == LEFT_WRONG;
	if (v == LEFT_WRONG)
		show_wrong(s, text);
	else if (f.verbose)
		printf("    %s %llu: as it should be: %.200s\n",
		       mode_names[s->told->mode],
		       (unsigned long long)s->told->at,
		       left_file(&l, "stderr")->s);
	left_free(&l);
}

static void finish(struct slot *s, int status)
{
	s->pid = 0;
	look(s, s->dir, status);
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
		start(s, REFUSE_NONE, 0);
		waitpid(s->pid, &status, 0);
		s->pid = 0;
		left_free(&f.want);
		left_take(&f.want, s->dir, status);
	}
	f.counts.allocations = (unsigned long)s->told->seen;
}

/* Of each mode, as many allocations as its share of the runs, evenly; the
 * modes look at different ones. */
static void run_some(unsigned long n)
{
	unsigned long all = f.counts.allocations * (REFUSE_MODES - 1);

	n = n > all ? all : n;
	for (unsigned long k = 0; k < n; k++) {
		unsigned long at = (2 * k + 1) * all / (2 * n);

		start(free_slot(), (enum refuse_mode)(1 + at % 3),
		      at / (REFUSE_MODES - 1) + 1);
	}
	while (wait_one())
		;
}

/* The program itself, whose children are looked at: it is refused nothing. */
static void end_forked(struct slot *s, int status)
{
	s->pid = 0;
	s->told->mode = REFUSE_FORKED;
	s->told->n_frames = 0;
	look(s, s->dir, status);
	if (!s->told->threads)
		return;
	f.counts.wrong++;
	show_wrong(s, "it has threads: a row NA_FAULTS_THREADS");
}

static void run_forked(void)
{
	size_t left = f.jobs;

	for (size_t i = 0; i < f.jobs; i++)
		start(&f.slots[i], REFUSE_FORKED, 0);
	while (left) {
		int status;
		pid_t pid = waitpid(-1, &status, WUNTRACED);
		struct slot *s = f.slots;

		if (pid < 0)
			faults_die("wait");
		while (s->pid != pid)
			s++;
		if (WIFSTOPPED(status)) {
			look(s, s->told->dir, s->told->status);
			kill(pid, SIGCONT);
		} else {
			end_forked(s, status);
			left--;
		}
	}
}

static void run_all(unsigned long all_shares)
{
	if (f.runs)
		run_some(f.runs * (unsigned long)f.now->shares / all_shares);
	else if (f.now->threads)
		run_some(THREADS_RUNS);
	else
		run_forked();
}

static bool one_command(const struct command *c, unsigned long all_shares)
{
	const struct counts *n = &f.counts;
	const char *err;

	f.now = c;
	f.counts = (struct counts){.runs = 0};
	run_whole();
	err = left_file(&f.want, "stderr")->s;
	if (!WIFEXITED(f.want.status) || left_errors(err) || !n->allocations) {
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
			faults_die(s->dir);
		snprintf(path, sizeof(path), "%s.forked", s->dir);
		if (mkdir(path, 0777) != 0)
			faults_die(path);
		snprintf(path, sizeof(path), "%s.told", s->dir);
		fd = open(path, O_RDWR | O_CREAT, 0666);
		if (fd < 0 || ftruncate(fd, sizeof(*s->told)) != 0)
			faults_die(path);
		s->told = mmap(NULL, sizeof(*s->told), PROT_READ | PROT_WRITE,
			       MAP_SHARED, fd, 0);
		if (s->told == MAP_FAILED)
			faults_die(path);
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
		faults_die("the program and the library");
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

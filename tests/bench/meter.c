/*
 * Runs commands in turn, A B A B ..., and prints what each needed: one line
 * for each command with the medians over its counted runs.
 *
 *	meter [-n RUNS] [-d DATA_BYTES] COMMAND...
 *
 *	cpu_s  wall_s  peak_kib  status
 *
 * A COMMAND is a line for sh.  The first run of each warms the page cache
 * and is not counted.  cpu_s is user and system time of the command and its
 * children, peak_kib the largest resident set among them.  -d limits private
 * memory (RLIMIT_DATA) of what runs.  The status is the worst of all runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 99, COMMANDS_MAX = 16 };

struct taken {
	double cpu_s[RUNS_MAX], wall_s[RUNS_MAX], peak_kib;
	int status;
};

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void become(const char *command, rlim_t data_bytes)
{
	struct rlimit limit = {data_bytes, data_bytes};

	if (data_bytes && setrlimit(RLIMIT_DATA, &limit) < 0)
		perror("setrlimit");
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void run(const char *command, rlim_t data_bytes, struct taken *t,
		int slot)
{
	double start = now();
	struct rusage u = {0};
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		become(command, data_bytes);
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid) {
		perror("meter");
		exit(1);
	}
	if (status != 0 && t->status == 0)
		t->status = WIFEXITED(status) ? WEXITSTATUS(status)
					      : 128 + WTERMSIG(status);
	if ((double)u.ru_maxrss > t->peak_kib)
		t->peak_kib = (double)u.ru_maxrss;
	if (slot < 0)
		return;
	t->wall_s[slot] = now() - start;
	t->cpu_s[slot] = seconds(u.ru_utime) + seconds(u.ru_stime);
}

static int by_value(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_value);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

int main(int argc, char **argv)
{
	static struct taken taken[COMMANDS_MAX];
	rlim_t data_bytes = 0;
	int runs = 5, c, n;

	while ((c = getopt(argc, argv, "n:d:")) != -1) {
		if (c == 'n')
			runs = atoi(optarg);
		else if (c == 'd')
			data_bytes = (rlim_t)strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	n = argc - optind;
	if (n < 1 || n > COMMANDS_MAX || runs < 1 || runs > RUNS_MAX) {
		fprintf(stderr, "usage: meter [-n RUNS] [-d DATA_BYTES] "
				"COMMAND...\n");
		return 2;
	}
	for (int r = -1; r < runs; r++)
		for (int k = 0; k < n; k++)
			run(argv[optind + k], data_bytes, &taken[k], r);
	for (int k = 0; k < n; k++)
		printf("%.4f %.4f %.0f %d\n", median(taken[k].cpu_s, runs),
		       median(taken[k].wall_s, runs), taken[k].peak_kib,
		       taken[k].status);
	return 0;
}

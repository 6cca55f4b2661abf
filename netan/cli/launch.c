/* netan as one of the tasks that a launcher of jobs has started. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netan/base/vec.h"
#include "netan/cli/common.h"
#include "netan/cli/program.h"

static const char beside[] = "netan-mpi";

/* In the batch step of Slurm the number of tasks is that of the allocation;
 * the step's own is set where srun has started it. */
static const struct {
	const char *tasks, *task;
} launchers[] = {
	{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
	{"PMI_SIZE", "PMI_RANK"},
	{"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
	{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

static bool number(const char *variable, size_t *n)
{
	const char *text = getenv(variable);
	char *end;
	unsigned long long v;

	if (!text || *text < '0' || *text > '9')
		return false;
	v = strtoull(text, &end, 10);
	*n = (size_t)v;
	return !*end && v < INT_MAX;
}

struct na_launch na_launch_of(void)
{
	for (size_t i = 0; i < NA_LEN(launchers); i++) {
		struct na_launch l = {.variable = launchers[i].tasks};

		if (number(launchers[i].tasks, &l.tasks) && l.tasks > 1 &&
		    number(launchers[i].task, &l.task))
			return l;
	}
	return (struct na_launch){.tasks = 1};
}

/* What looks at the task's own host, or writes a file for each, may well be
 * what every task is for. */
static bool same_work(int argc, char **argv)
{
	const struct na_command *c = argc > 1 ? na_command_find(argv[1]) : NULL;

	return c && (na_command_many(c) ||
		     ((c->joins & (NA_JOIN_INPUT | NA_JOIN_WORKERS)) &&
		      (c->joins & NA_JOIN_OUTPUT)));
}

/* The program of that name in the folder of this one. */
static bool neighbour(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - sizeof(beside));
	char *name;

	if (n <= 0)
		return false;
	path[n] = '\0';
	name = strrchr(path, '/');
	if (!name)
		return false;
	memcpy(name + 1, beside, sizeof(beside));
	return access(path, X_OK) == 0;
}

enum na_exit na_hand_over(int argc, char **argv)
{
	const struct na_request q = {.speaker = na_cli_speaker(NULL)};
	struct na_launch l = na_launch_of();
	char path[PATH_MAX];

	if (l.tasks < 2 || !same_work(argc, argv))
		return NA_EXIT_OK;
	if (neighbour(path, sizeof(path)))
		execv(path, argv);
	execvp(beside, argv);
	if (l.task == 0) {
		na_say_error(&q,
			     "%zu tasks would each do all the work: install "
			     "netan-mpi",
			     l.tasks);
		na_say_hint(&q,
			    "where each task has inputs of its own: env -u %s "
			    "netan ...",
			    l.variable);
	}
	return NA_EXIT_USAGE;
}

/* netan-mpi: the same program as every rank of an MPI job. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "commit.h"
#include "netan/cli/program.h"
#include "netan/engine/request.h"
#include "netan/world/world_mpi.h"

/* Only rank 0 prints. */
static void close_mouth(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		_exit(NA_EXIT_FAILED);
	close(fd);
}

static void say_waiting(int signal_number)
{
	static const char text[] =
		"netan: netan-mpi still waits for the other tasks of this job "
		"to start it too; what one task does alone is for netan, "
		"started without the variables of the launcher (env -u)\n";

	(void)signal_number;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(NA_EXIT_FAILED);
}

/* MPI begins when all tasks are there, which may be never. */
static enum na_status open_world(struct na_world *w, int *argc, char ***argv,
				 struct na_err *err)
{
	enum { PATIENCE_S = 30 };
	struct na_launch launch = na_launch_of();
	enum na_status st;

	if (launch.tasks > 1 && launch.task == 0) {
		signal(SIGALRM, say_waiting);
		alarm(PATIENCE_S);
	}
	st = na_world_mpi_open(w, argc, argv, NETAN_VERSION, err);
	alarm(0);
	return st;
}

/* Otherwise each of them would do all the work, and write the same files. */
static enum na_exit refuse_singles(const struct na_request *q,
				   const struct na_launch *l)
{
	if (l->task == 0)
		na_say_error(q,
			     "%zu tasks were started, and MPI knows of one: "
			     "netan-mpi is built with another MPI than the "
			     "launcher's, or srun needs --mpi=pmix",
			     l->tasks);
	return NA_EXIT_FAILED;
}

static enum na_exit run(struct na_world *w, const struct na_request *q,
			int argc, char **argv)
{
	const struct na_build build = {NETAN_COMMIT, na_world_mpi_library()};
	struct na_launch launch = na_launch_of();
	struct na_err err = {0};
	enum na_exit code;
	int all;

	if (na_world_alone(w) && launch.tasks > 1)
		return refuse_singles(q, &launch);
	if (!na_world_speaks(w))
		close_mouth();
	code = na_program(w, &build, argc, argv);
	all = (int)code;
	na_world_mpi_end(w, na_exit_failed(code), &all, &err);
	if (err.status != NA_OK)
		na_say_error(q, "%s", err.text);
	return (enum na_exit)all;
}

int main(int argc, char **argv)
{
	struct na_world w;
	struct na_err err = {0};
	const struct na_request q = {.speaker = na_cli_speaker(NULL),
				     .world = &w};
	enum na_exit code = NA_EXIT_FAILED;

	if (open_world(&w, &argc, &argv, &err) == NA_OK)
		code = run(&w, &q, argc, argv);
	else
		na_say_error(&q, "%s", err.text);
	na_world_mpi_close(&w, (int)code);
	return (int)code;
}

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/accuracy/sync/answer.h"
#include "tests/accuracy/sync/json.h"
#include "tests/accuracy/sync/session.h"

enum { PATH = 4096, SECONDS_MAX = 300 };

/* ---- grades */

static bool same_rack_kind(const struct sy_plan *p, const struct sy_fault *f,
			   const struct sy_suspect *s)
{
	uint32_t from = UINT32_C(1) << f->rack;
	uint32_t to = f->toward == SY_ANY ? 0 : UINT32_C(1) << f->toward;

	if (s->place < SY_UPLINK || s->place >= SY_PLACES)
		return false;
	/* A bad spine link of a rack, or a bad path through a spine, may be
	 * seen as either; of two racks, one's uplink is the other's downlink.
	 */
	if (f->place == SY_PATH)
		return (s->place == SY_PATH && s->racks == (from | to)) ||
		       (s->place == SY_UPLINK && s->racks == from) ||
		       (s->place == SY_DOWNLINK && s->racks == to);
	if (s->place == f->place && s->racks == from)
		return true;
	if (f->spine != SY_ANY && s->place == SY_PATH && (s->racks & from))
		return true;
	return p->n_racks == 2 &&
	       (s->place == SY_PATH ||
		(s->place != f->place && s->racks == (from ^ 3)));
}

bool sy_is(const struct sy_plan *p, const struct sy_fault *f,
	   const struct sy_suspect *s)
{
	if (f->place >= SY_UPLINK)
		return same_rack_kind(p, f, s);
	return s->place == f->place && s->host == f->host;
}

static bool near(const struct sy_fault *f, const struct sy_suspect *s)
{
	if (f->place >= SY_UPLINK)
		return s->place >= SY_UPLINK && s->place < SY_PLACES &&
		       (s->racks >> f->rack & 1);
	return s->host == f->host ||
	       (s->place == SY_PLACES &&
		((f->place != SY_DST && s->src == f->host) ||
		 (f->place != SY_SRC && s->dst == f->host)));
}

enum sy_grade sy_grade(const struct sy_plan *p, const struct sy_fault *f,
		       const struct sy_named *n)
{
	if (sy_is(p, f, &n->who))
		return SY_RIGHT;
	for (uint32_t i = 0; i < n->n_others; i++)
		if (sy_is(p, f, &n->others[i]))
			return SY_RIGHT;
	return near(f, &n->who) ? SY_NEAR : SY_WRONG;
}

/* ---- netan's answers */

static uint32_t host_of(const struct sy_plan *p, const char *name)
{
	char one[SY_NAME];

	for (uint32_t h = 0; name && h < p->n_hosts; h++) {
		sy_host_name(h, one);
		if (strcmp(one, name) == 0)
			return h;
	}
	return SY_ANY;
}

static struct sy_suspect suspect(const struct sy_plan *p,
				 const struct sy_json *j)
{
	struct sy_suspect s = {.place = SY_PLACES,
			       .host = host_of(p, sy_json_text(j, "host")),
			       .src = host_of(p, sy_json_text(j, "src_host")),
			       .dst = host_of(p, sy_json_text(j, "dst_host"))};
	const char *kind = sy_json_text(j, "kind");

	for (int i = 0; kind && i < SY_PLACES; i++)
		if (strcmp(kind, sy_place_name((enum sy_place)i)) == 0)
			s.place = (enum sy_place)i;
	for (const struct sy_json *h = sy_json_first(j, "hosts"); h;
	     h = h->next) {
		uint32_t host = host_of(p, h->text);

		if (host != SY_ANY)
			s.racks |= UINT32_C(1) << p->rack_of[host];
	}
	return s;
}

static double number(const struct sy_json *j, const char *name)
{
	const struct sy_json *x = sy_json_get(j, name);

	return x && x->type == SY_J_NUMBER ? x->number : (double)NAN;
}

static void name(const struct sy_plan *p, const struct sy_json *j,
		 struct sy_answer *out)
{
	struct sy_named *n = &out->network[out->n_network];

	if (out->n_network == SY_NAMED)
		return;
	out->n_network++;
	n->who = suspect(p, j);
	n->cost_ms = number(j, "cost_ms_per_step");
	n->posterior = number(j, "posterior");
	for (const struct sy_json *a = sy_json_first(j, "alternatives");
	     a && n->n_others < SY_OTHERS; a = a->next)
		n->others[n->n_others++] = suspect(p, a);
}

static void own_work(const struct sy_plan *p, const struct sy_json *j,
		     const char *cause, struct sy_answer *out)
{
	uint32_t host = host_of(p, sy_json_text(j, "host"));
	uint32_t *who = strcmp(cause, "input") == 0 ? &out->input
						    : &out->compute;

	if (host != SY_ANY)
		*who |= UINT32_C(1) << host;
	for (const struct sy_json *h = sy_json_first(j, "hosts"); h;
	     h = h->next) {
		host = host_of(p, h->text);
		if (host != SY_ANY)
			*who |= UINT32_C(1) << host;
	}
}

static void read_accused(const struct sy_plan *p, const struct sy_json *j,
			 struct sy_answer *out)
{
	for (; j; j = j->next) {
		const char *cause = sy_json_text(j, "cause");

		if (cause && strcmp(cause, "network") == 0)
			name(p, j, out);
		else if (cause && (strcmp(cause, "compute") == 0 ||
				   strcmp(cause, "input") == 0))
			own_work(p, j, cause, out);
	}
}

static void read_bounds(const struct sy_plan *p, const struct sy_json *j,
		       struct sy_answer *out)
{
	for (; j; j = j->next) {
		uint32_t host = host_of(p, sy_json_text(j, "host"));
		const char *side = sy_json_text(j, "side");
		double upper = number(j, "upper_factor");

		if (host == SY_ANY || !side || isnan(upper))
			continue;
		out->upper[host][strcmp(side, "dst") == 0] = upper;
	}
}

static enum sy_outcome outcome(const struct sy_json *result)
{
	static const char *const names[] = {"guilty", "one_of", "not_guilty"};
	const char *said = sy_json_text(result, "outcome");
	int i = 0;

	while (said && i < SY_CANNOT_TELL && strcmp(said, names[i]) != 0)
		i++;
	return said ? (enum sy_outcome)i : SY_CANNOT_TELL;
}

bool sy_understand(const struct sy_plan *p, const struct sy_json *said,
		   struct sy_answer *out)
{
	const struct sy_json *result = sy_json_get(said, "result");

	*out = (struct sy_answer){.outcome = outcome(result)};
	for (const struct sy_json *c = sy_json_first(result, "culprits"); c;
	     c = c->next)
		name(p, c, out);
	read_bounds(p, sy_json_first(result, "power"), out);
	read_accused(p, sy_json_first(result, "accused"), out);
	return result != NULL;
}

/* ---- running it */

static void become(const char *netan, const char *command, const char *dir,
		   const char *topology, const char *said)
{
	int to = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	const char *args[12] = {netan, command,    "-q",  "-j",
				"1",   "--format", "json"};
	size_t n = 7;

	if (topology) {
		args[n++] = "--topology";
		args[n++] = topology;
	}
	args[n] = dir;
	setenv("XDG_CONFIG_HOME", dir, 1); /* no settings of the user's */
	alarm(SECONDS_MAX);
	if (to >= 0 && dup2(to, STDOUT_FILENO) >= 0)
		execvp(netan, (char *const *)(uintptr_t)args);
	_exit(127);
}

static char *whole_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	long n = -1;

	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0)
		n = ftell(f);
	if (n >= 0 && fseek(f, 0, SEEK_SET) == 0)
		text = malloc((size_t)n + 1);
	if (text) {
		size_t got = fread(text, 1, (size_t)n, f);

		text[got] = '\0';
	}
	fclose(f);
	return text;
}

struct sy_json *sy_netan(const char *netan, const char *command,
			 const char *dir, bool topology)
{
	char said[PATH], table[PATH];
	struct sy_json *j;
	char *text;
	int status = -1;
	pid_t child;

	snprintf(said, sizeof(said), "%s.%s.json", dir, command);
	snprintf(table, sizeof(table), "%s.csv", dir);
	fflush(NULL);
	child = fork();
	if (child == 0)
		become(netan, command, dir, topology ? table : NULL, said);
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return NULL;
	text = whole_file(said);
	j = text ? sy_json_read(text) : NULL;
	free(text);
	return j;
}

bool sy_ask(const char *netan, const char *command, const char *dir,
	    const struct sy_plan *p, bool topology, struct sy_answer *out)
{
	struct sy_json *said = sy_netan(netan, command, dir, topology);
	bool ok = said && sy_understand(p, said, out);

	sy_json_free(said);
	return ok;
}

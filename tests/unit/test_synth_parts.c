/*
 * What can be left out of a synthetic trace, the programs beside it, and
 * jobs on GPUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "netan/base/units.h"
#include "tests/unit/synth_session.h"

/* ---- what is left out */

struct census {
	int lines, ops, texts, infos, runs, locals, inputs, planes;
	int channels, dones, done_rendezvous, unlike;
};

static void count_definition(struct census *c, const Netan__Xplane__XPlane *p,
			     const Netan__Xplane__XEventMetadata *m)
{
	int number, of;

	c->texts += !strncmp(m->name, "%fusion", 7);
	c->channels += strstr(m->name, "channel_id=") != NULL;
	for (size_t i = 0; i < m->n_stats; i++)
		c->infos += m->stats[i]->value_case ==
			    NETAN__XPLANE__XSTAT__VALUE_BYTES_VALUE;
	if (strncmp(p->name, "/device:TPU", 11) ||
	    strncmp(m->display_name, "send-done.", 10))
		return;
	c->dones++;
	c->done_rendezvous += strstr(m->name, "rendezvous=") != NULL;
	number = atoi(m->display_name + 10);
	of = *m->name == '%' ? atoi(strstr(m->name, "%send.") + 6) : number;
	c->unlike += of != number;
}

static void count_event(void *ctx, const struct event *e)
{
	struct census *c = ctx;

	c->ops += !strcmp(e->line->name, "XLA Ops");
	c->runs += event_stat(e, "run_id") != NULL;
	c->locals += event_stat(e, "local_device_id") != NULL;
	c->inputs += event_stat(e, "action_inputs") != NULL;
	c->lines += !strcmp(e->line->name, "Steps") ||
		    !strcmp(e->line->name, "XLA Modules");
}

static void take_census(struct session *s, struct census *c)
{
	Netan__Xplane__XSpace *x;

	memset(c, 0, sizeof(*c));
	session_make(s, NA_OK);
	x = session_space(s, 0);
	for (size_t i = 0; i < x->n_planes; i++) {
		const Netan__Xplane__XPlane *p = x->planes[i];

		c->planes += !strcmp(p->name, "/host:metadata");
		for (size_t k = 0; k < p->n_event_metadata; k++)
			count_definition(c, p, p->event_metadata[k]->value);
	}
	space_each(x, "", count_event, c);
	netan__xplane__xspace__free_unpacked(x, NULL);
	session_end(s);
}

static void without(const char *what, struct census *c)
{
	struct session s;

	session_init(&s);
	if (what)
		s.cfg.without = (struct na_text_list){&what, 1, 1};
	take_census(&s, c);
}

static void parts_are_left_out(void **state)
{
	struct census all, c;

	(void)state;
	without(NULL, &all);
	assert_true(all.lines == 12 && all.texts > 0 && all.infos > 0 &&
		    all.runs == 6 && all.locals > 0 && all.inputs > 0 &&
		    all.planes == 1 && all.channels > 0 && !all.unlike &&
		    all.done_rendezvous == all.dones);
	without("hlo", &c);
	assert_int_equal(c.planes, 0);
	assert_int_equal(c.ops, all.ops);
	without("long-names", &c);
	assert_int_equal(c.texts, 0);
	without("steps", &c);
	assert_int_equal(c.lines, 6);
	without("modules", &c);
	assert_int_equal(c.lines, 6);
	without("dcn-info", &c);
	assert_int_equal(c.infos, 1); /* the program */
	without("done-rendezvous", &c);
	assert_int_equal(c.done_rendezvous, 0);
	assert_int_equal(c.dones, all.dones);
	without("channels", &c);
	assert_int_equal(c.channels, 0);
	without("run-ids", &c);
	assert_int_equal(c.runs, 0);
	without("local-ids", &c);
	assert_int_equal(c.locals, 0);
	without("inputs", &c);
	assert_int_equal(c.inputs, 0);
}

static void suffixes_are_shuffled(void **state)
{
	struct session s;
	struct census c;

	(void)state;
	session_init(&s);
	s.cfg.shuffle_suffixes = true;
	take_census(&s, &c);
	assert_true(c.dones >= 16);
	assert_int_equal(c.unlike, c.dones);
}

static void planes_are_skipped(void **state)
{
	struct session s;
	struct census c, all;

	(void)state;
	without(NULL, &all);
	session_init(&s);
	s.cfg.skip_planes = 1;
	take_census(&s, &c);
	assert_int_equal(2 * c.ops, all.ops);
	assert_int_equal(c.locals, all.locals);
	/* What is not there is not in the truth. */
	session_init(&s);
	s.cfg.skip_planes = 1;
	session_make(&s, NA_OK);
	assert_int_equal(session_number(&s, "\"collectives\": [",
					"\"occurrences\": ", NULL),
			 9);
	assert_null(
		strstr(strstr(s.truth, "\"device_steps\""), "\"device\": 0"));
	session_end(&s);
}

static void nonsense_is_refused(void **state)
{
	const char *what = "everything";
	struct session s;

	(void)state;
	session_init(&s);
	s.cfg.without = (struct na_text_list){&what, 1, 1};
	session_make(&s, NA_EUSAGE);
	assert_non_null(strstr(s.err.text, "done-rendezvous"));
	session_end(&s);
	session_init(&s);
	s.cfg.icis = 2000;
	session_make(&s, NA_EUSAGE);
	session_end(&s);
}

/* ---- programs */

/* The lines of a dump, cut off before the metadata. */
struct dump {
	char *text, *lines[2000];
	size_t n;
};

static void read_dump(const struct session *s, size_t file, struct dump *d)
{
	size_t n;

	d->text = (char *)session_bytes(s, file, &n);
	d->n = 0;
	for (char *p = strtok(d->text, "\n"); p; p = strtok(NULL, "\n")) {
		char *cut = strstr(p, ", metadata=");

		if (cut)
			*cut = 0;
		assert_true(d->n < 2000);
		d->lines[d->n++] = p;
	}
}

static void remove_dumps(const struct session *s, const char *dir)
{
	char path[160];

	for (size_t i = 0; i < s->report.n; i++)
		unlink(s->report.files[i].path);
	for (int h = 0; h < 3; h++) {
		snprintf(path, sizeof(path), "%s/host-%d", dir, h);
		rmdir(path);
	}
	assert_int_equal(rmdir(dir), 0);
}

static void check_programs(int profile, const char *reshaped)
{
	struct dump plain, same, other;
	struct session s;
	char dir[80], text[80], want[80];
	size_t at = 0;

	session_init(&s);
	snprintf(dir, sizeof(dir), "%s/dump", s.dir);
	s.cfg.hlo_dump = dir;
	s.cfg.profile = profile;
	session_fault(&s, "program:1");
	session_make(&s, NA_OK);
	/* Three traces, then text and proto of each host, then the truth. */
	assert_int_equal(s.report.n, 10);
	read_dump(&s, 3, &plain);
	read_dump(&s, 5, &other);
	read_dump(&s, 7, &same);
	assert_int_equal(plain.n, same.n);
	for (size_t i = 0; i < plain.n; i++)
		assert_string_equal(plain.lines[i], same.lines[i]);
	assert_int_equal(other.n, plain.n + 1);
	while (!strcmp(plain.lines[at], other.lines[at]))
		at++;
	snprintf(want, sizeof(want), "  %%%s = ", reshaped);
	assert_int_equal(strncmp(other.lines[at], want, strlen(want)), 0);
	snprintf(text, sizeof(text), "\"reshaped\": \"%s\"", reshaped);
	assert_non_null(strstr(s.truth, text));
	assert_non_null(strstr(s.truth, "\"inserted\": \"copy.9001\""));
	assert_int_equal(session_number(&s, "{\"host\": \"host-1\"",
					"\"instructions\": ", NULL),
			 session_number(&s, "{\"host\": \"host-0\"",
					"\"instructions\": ", NULL) +
				 1);
	free(plain.text);
	free(same.text);
	free(other.text);
	remove_dumps(&s, dir);
	session_end(&s);
}

static void programs_differ_where_the_truth_says(void **state)
{
	(void)state;
	check_programs(NA_PROFILE_SESSION, "fusion.7");
	check_programs(NA_PROFILE_GPU, "loop_fusion.6");
}

/* ---- GPUs */

struct kernels {
	const char *op;
	int64_t least_ps[8], busy_ps;
	int n, at;
	const char *plane;
};

static void collect_kernels(void *ctx, const struct event *e)
{
	struct kernels *k = ctx;
	int64_t took = e->end_ps - e->start_ps;

	if (strncmp(e->name, "nccl", 4) ||
	    strcmp(event_text(e, "hlo_op"), k->op))
		return;
	if (!k->plane || strcmp(k->plane, e->plane->name))
		k->at = 0;
	k->plane = e->plane->name;
	assert_true(k->at < 8);
	if (!k->least_ps[k->at] || took < k->least_ps[k->at])
		k->least_ps[k->at] = took;
	k->at++;
	k->busy_ps += took;
	k->n++;
}

/* All ranks take part in these. */
static void check_kernels(const struct session *s, const char *op)
{
	struct kernels k = {.op = op};
	int64_t waiting = 0, busy = 0, told = 0;
	char row[80], step[40], host[40];

	snprintf(row, sizeof(row), "{\"op\": \"%s\"", op);
	for (size_t h = 0; h < 3; h++) {
		Netan__Xplane__XSpace *x = session_space(s, h);

		space_each(x, "/device:GPU:", collect_kernels, &k);
		k.plane = NULL;
		netan__xplane__xspace__free_unpacked(x, NULL);
		snprintf(host, sizeof(host), "{\"host\": \"host-%zu\"", h);
		told += session_number(s, "\"gpu_collectives\": [", row, host,
				       "\"waiting_ps\": ", NULL);
	}
	assert_int_equal(k.n, 18);
	for (int i = 0; i < 3; i++) {
		snprintf(step, sizeof(step), "{\"step\": %d", i);
		assert_int_equal(k.least_ps[i],
				 session_number(s, "\"gpu_collectives\": [",
						row, step,
						"\"transfer_ps\": ", NULL));
		busy += 6 * k.least_ps[i];
	}
	waiting = k.busy_ps - busy;
	assert_int_equal(waiting, told);
	assert_true(waiting > 0);
}

static void kernels_equal_the_truth(void **state)
{
	struct session s;

	(void)state;
	session_init(&s);
	s.cfg.profile = NA_PROFILE_GPU;
	session_fault(&s, "slow-compute:1:1.3");
	session_make(&s, NA_OK);
	check_kernels(&s, "all-reduce-start.1");
	check_kernels(&s, "collective-permute.4");
	check_kernels(&s, "all-reduce.5");
	/* Everyone waits for the slow one, which never waits for others. */
	assert_non_null(strstr(s.truth, "\"last_host\": \"host-1\""));
	assert_true(session_number(&s, "{\"op\": \"all-reduce.5\"",
				   "{\"host\": \"host-1\"",
				   "\"waiting_ps\": ", NULL) <
		    session_number(&s, "{\"op\": \"all-reduce.5\"",
				   "{\"host\": \"host-2\"",
				   "\"waiting_ps\": ", NULL) /
			    10);
	session_end(&s);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_left_out),
		cmocka_unit_test(suffixes_are_shuffled),
		cmocka_unit_test(planes_are_skipped),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(programs_differ_where_the_truth_says),
		cmocka_unit_test(kernels_equal_the_truth),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/unit/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

struct limits_told limits_reference(const struct hand_op *ops, size_t n,
				    const char *of)
{
	struct limits_told sum = {.n = 0};
	uint64_t start = 0, overlap = 0, stall = 0, recv = 0;
	bool sent = false;

	for (size_t i = 0; i < n; i++) {
		const struct hand_op *x = &ops[i];
		bool own = x->of && strcmp(x->of, of) == 0;
		uint64_t at = (uint64_t)x->at_ns, ns = (uint64_t)x->ns;

		if (own && strncmp(x->name, "send", 4) == 0 &&
		    strncmp(x->name, "send-", 5) != 0) {
			sent = true;
			start = at;
			overlap = stall = 0;
		}
		if (own)
			stall += ns;
		if (own && strncmp(x->name, "recv", 4) == 0 &&
		    strncmp(x->name, "recv-", 5) != 0)
			recv = ns;
		if (own && sent && strncmp(x->name, "recv-done", 9) == 0) {
			sum.n++;
			sum.slack_us += (at - start - overlap) / 1000;
			sum.observed_us += (at + ns) / 1000 - start / 1000;
			sum.stall_us += stall / 1000;
			sum.recv_us += recv / 1000;
		}
		overlap += ns;
	}
	if (sum.n) {
		sum.slack_us /= sum.n;
		sum.observed_us /= sum.n;
		sum.stall_us /= sum.n;
		sum.recv_us /= sum.n;
	}
	sum.recv_shown_us = floor((double)sum.recv_us / 1e6);
	return sum;
}

struct limits_four limits_four(const char *of, int64_t at, int64_t done,
			       int64_t last)
{
	return (struct limits_four){{
		{"send.1", of, "x.1", 3, at, US, 0},
		{"recv.1", of, "x.1", 4, at + US, US, 0},
		{"send-done.1", of, "send.1", 3, done - US, US, 0},
		{"recv-done.1", of, "recv.1", 4, done, last, 0},
	}};
}

void limits_device(struct hand_trace *t, int number, const struct hand_op *ops,
		   size_t n)
{
	char name[40];

	snprintf(name, sizeof(name), "/device:TPU:%d", number);
	hand_trace_plane(t, name);
	hand_trace_line(t, "Steps");
	hand_trace_event(t, "5", 0, 100 * MS, NULL);
	hand_trace_line(t, "XLA Modules");
	hand_trace_event(t, "jit_step(7)", 0, 100 * MS, "run_id", "u:1", NULL);
	hand_trace_line(t, "XLA Ops");
	for (size_t i = 0; i < n; i++)
		hand_trace_op(t, &ops[i]);
}

void limits_begin(struct hand_job *j)
{
	memset(j, 0, sizeof(*j));
	j->t = hand_trace_new();
}

const struct na_value *limits_of(const struct hand_job *j, const char *name)
{
	return hand_job_find(j, "collectives", "collective", name);
}

const struct na_value *limits_row(const struct hand_job *j, size_t i)
{
	return hand_job_row(j, "collectives", i);
}

/*
 * Hang logs as a whole, and random digests in random wording, prefix and
 * company, read back and compared with what was written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/logs/hang.h"
#include "netan/analyses/hang/hang.h"
#include "netan/base/units.h"
#include "netan/synth/rng.h"
#include "tests/unit/reading.h"
static const char *or_none(const struct na_hang *h, uint32_t name)
{
	return name == NA_NO_NAME ? "-" : na_strtab_at(&h->names, name);
}

/* ---- whole logs */

struct told {
	struct na_hang logs;
	struct na_hangs x;
};

static void tell(struct told *t, const char *text, size_t n)
{
	struct na_err err = {.status = NA_OK};
	int fd = file_of(text, n);
	static char path[40];

	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	na_hang_init(&t->logs);
	assert_int_equal(na_hang_read(&t->logs, path, &err), NA_OK);
	close(fd);
	assert_int_equal(na_hangs_judge(&t->x, &t->logs, NULL, &err), NA_OK);
}

static void tell_end(struct told *t)
{
	na_hangs_fini(&t->x);
	na_hang_fini(&t->logs);
}

static const char *blockers(const struct told *t, size_t event)
{
	static char text[400];
	const struct na_hangs_event *e = &t->x.events.v[event];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < e->blocked_by.n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
				      i ? " " : "",
				      na_strtab_at(&t->logs.names,
						   e->blocked_by.v[i]));
	return text;
}

static void expect_blockers(const char *states, const char *want)
{
	char text[2000];
	struct told t;

	snprintf(text, sizeof(text),
		 "Full error digest:\n  Potential cause: Different module\n"
		 "  TPU states:\n%s",
		 states);
	tell(&t, text, strlen(text));
	assert_int_equal(t.x.events.n, 1);
	assert_string_equal(blockers(&t, 0), want);
	tell_end(&t);
}

#define STATE(module, launch, places) \
	"    Module: " module "\n    Fingerprint: f" module \
	"\n    Launch ID: " launch "\n" places

static void who_blocks(void **state)
{
	(void)state;
	/* The older launch, whoever is more. */
	expect_blockers(STATE("a", "5", "      1:2(x): h1\n")
				STATE("b", "6", "      1:2(x): h2, h3, h4\n"),
			"h1");
	expect_blockers(STATE("b", "6", "      1:2(x): h2, h10, h4\n")
				STATE("a", "5", "      1:2(x): h1, h20\n"),
			"h1 h20");
	/* Many behind: the few of them that stand elsewhere. */
	expect_blockers(STATE("a", "5",
			      "      1:2(x): h1, h2, h3\n"
			      "      1:9(y): h4\n")
				STATE("b", "6", "      1:2(x): h5\n"),
			"h4");
	expect_blockers(STATE("a", "5", "      1:2(x): h1, h2, h3\n")
				STATE("b", "6", "      1:2(x): h5\n"),
			"h1 h2 h3");
	/* One launch: the smaller module, else the smaller place. */
	expect_blockers(STATE("a", "5", "      1:2(x): h1, h2, h3\n")
				STATE("b", "5", "      1:2(x): h5\n"),
			"h5");
	expect_blockers(STATE("a", "5", "      1:2(x): h1, h2\n")
				STATE("b", "5", "      1:2(x): h5, h6\n"),
			"");
	expect_blockers(STATE("a", "5",
			      "      1:2(x): h1, h2\n"
			      "      1:7(y): h3\n"),
			"h3");
	expect_blockers(STATE("a", "5",
			      "      1:2(x): h1\n"
			      "      1:7(y): h3\n"),
			"");
}

static size_t events_in(const char *text)
{
	struct told t;
	size_t n;

	tell(&t, text, strlen(text));
	n = t.x.events.n;
	tell_end(&t);
	return n;
}

#define DETECT(time, launch) \
	time " Megascale hang detected: Timed out waiting for 1 graphs to " \
	     "complete at launch_id " launch ". Timeout: 1m\n"
#define DIGEST(time, cause, host) \
	time " Full error digest:\n  Potential cause: " cause \
	     "\n  Potential culprit workers: " host "\n"

static void one_event(void **state)
{
	(void)state;
	assert_int_equal(events_in(DETECT("2026-01-02T03:00:00Z", "5")
					   DETECT("2026-01-02T03:02:00Z", "5")),
			 1);
	assert_int_equal(events_in(DETECT("2026-01-02T03:00:00Z", "5")
					   DETECT("2026-01-02T03:02:01Z", "5")),
			 2);
	assert_int_equal(events_in(
				 DETECT("2026-01-02T03:00:00Z", "5")
					 DETECT("2026-01-02T03:00:01Z", "21")),
			 1);
	assert_int_equal(events_in(
				 DETECT("2026-01-02T03:00:00Z", "5")
					 DETECT("2026-01-02T03:00:01Z", "22")),
			 2);
	assert_int_equal(events_in(DETECT("2026-01-02T03:00:00Z",
					  "5") DIGEST("2026-01-02T03:01:00Z",
						      "Bad TPU chips", "a")
					   DIGEST("2026-01-02T03:01:30Z",
						  "Bad TPU chips", "a")),
			 1);
	assert_int_equal(events_in(DIGEST("2026-01-02T03:01:00Z",
					  "Bad TPU chips", "a")
					   DIGEST("2026-01-02T03:01:30Z",
						  "Bad TPU chips", "b")),
			 2);
	/* Without times. */
	assert_int_equal(events_in(DETECT("x", "5") DETECT("y", "5")
					   DETECT("x", "6")),
			 2);
	assert_int_equal(events_in(DETECT("x", "5") DIGEST("x", "Bad TPU chips",
							   "a") DETECT("x", "6")
					   DIGEST("x", "Bad TPU chips", "a")),
			 2);
}

/* Text of others between a verdict, its hosts and its digest. */
static void text_between(void **state)
{
	(void)state;
	assert_int_equal(
		events_in("Megascale detects a hang that is likely caused by "
			  "a networking issue.\n"
			  "  The hosts are: a, b\n"
			  "Something else of the runtime\n"
			  "Full error digest:\n"
			  "  Potential cause: Networking issue\n"
			  "  Potential culprit workers: j/1:a, j/2:c\n"),
		1);
}

/* ---- random digests */

enum { HANGS = 3, LINES = 40, LINE = 300 };

struct story {
	char lines[HANGS][LINES][LINE];
	size_t n[HANGS], at[HANGS];
	char host[HANGS][20], pc[HANGS][20];
	int cause[HANGS];
};

static NA_PRINTF(5, 6) void say(struct story *s, int k, const char *prefix,
				bool again, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert_true(s->n[k] < LINES);
	snprintf(s->lines[k][s->n[k]++], LINE, "%s%s%s", again ? prefix : "",
		 again ? " " : "", text);
}

/* All lines of a hang begin alike: who speaks, with a time that moves on. */
static void prefix_of(struct na_rng *r, int k, int style, char out[100])
{
	unsigned s = (unsigned)na_rng_below(r, 60);

	switch (style) {
	case 0:
		snprintf(out, 100, "[pod/w-%d/main]", k);
		break;
	case 1:
		snprintf(out, 100, "E0102 03:04:%02u.%u %d y.cc:%u]", s, s + 5,
			 100 + k, s);
		break;
	case 2:
		snprintf(out, 100, "2026-01-02T03:04:%02u.5Z worker_%d |", s,
			 k);
		break;
	default:
		snprintf(out, 100, "w-%d: 2026-01-02 03:04:%02u,123 %s", k, s,
			 s & 1 ? "INFO" : "ERROR");
	}
}

static void write_hang(struct story *s, struct na_rng *r, int k, int style)
{
	/* clang-format off */
	static const struct { const char *verdict, *digest; int cause; } all[] = {
		{"bad TPU chips on the following hosts.", "BAD_TPU_CHIP",
		 NA_HANG_BAD_CHIP},
		{"a networking issue.", "Networking issue", NA_HANG_NETWORKING},
		{"data input stall on the", "DATA_INPUT_STALL",
		 NA_HANG_INPUT_STALL},
		{"inconsistent HLO module compilation across workers.",
		 "Fingerprint mismatch", NA_HANG_FINGERPRINT_MISMATCH},
		{"running different modules on different devices.",
		 "DIFFERENT_MODULE", NA_HANG_DIFFERENT_MODULE},
	};
	/* clang-format on */
	size_t c = na_rng_below(r, sizeof(all) / sizeof(all[0]));
	int shape = (int)na_rng_below(r, 3);
	const char *in = na_rng_below(r, 2) ? "    " : "  ";
	char p[100];

#define SAY(...) (prefix_of(r, k, style, p), say(s, k, p, true, __VA_ARGS__))
	s->cause[k] = all[c].cause;
	snprintf(s->host[k], sizeof(s->host[k]), "host-%d-%llu", k,
		 (unsigned long long)na_rng_below(r, 1000));
	snprintf(s->pc[k], sizeof(s->pc[k]), "0x%llx",
		 (unsigned long long)na_rng_below(r, 1u << 20));
	if (na_rng_below(r, 4))
		SAY("Megascale detects a hang that is likely caused by %s",
		    all[c].verdict);
	if (na_rng_below(r, 2))
		SAY("%s", "");
	SAY("%sFull error digest:", in + 2);
	SAY("%sPotential cause: %s", in, all[c].digest);
	SAY("%sPotential culprit workers: %s%s", in,
	    na_rng_below(r, 2) ? "job/3:" : "", s->host[k]);
	if (shape == 0) {
		SAY("%sTPU stats:", in);
		SAY("%s  %s: %s", in, s->host[k], s->pc[k]);
		SAY("%s  other: 17", in);
		return;
	}
	SAY("%sTPU states:", in);
	if (shape == 1) {
		SAY("%s  Module: m.%d", in, k);
		SAY("%s  Fingerprint: f%d", in, k);
		SAY("%s  Launch ID: %d", in, 10 + k);
		SAY("%s    7:%s(fusion.(%d): x): %s", in, s->pc[k], k,
		    s->host[k]);
	} else {
		SAY("%s  Launch ID: %d", in, 10 + k);
		SAY("%s  Module: m.%d Fingerprint: f%d", in, k, k);
		SAY("%s    Sample worker: 3@%s:1:0", in, s->host[k]);
		SAY("%s  Tag:PC breakdown:", in);
		SAY("%s    1@7:%s(fusion.%d): [3:%s@1:0]", in, s->pc[k], k,
		    s->host[k]);
	}
#undef SAY
}

static void check_story(const struct told *t, const struct story *s, int k,
			uint64_t seed)
{
	const struct na_hang *h = &t->logs;

	for (size_t i = 0; i < t->x.events.n; i++) {
		const struct na_hangs_event *e = &t->x.events.v[i];
		const struct na_hangs_culprit *c = e->culprits.v;

		if (e->culprits.n != 1 ||
		    strcmp(or_none(h, c->worker.host), s->host[k]) != 0)
			continue;
		assert_int_equal(e->cause, s->cause[k]);
		assert_string_equal(or_none(h, c->pc), s->pc[k]);
		return;
	}
	fail_msg("seed %llu: hang %d is not there", (unsigned long long)seed,
		 k);
}

static void random_digests(void **state)
{
	static struct story s;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct na_rng r;
		struct told t;
		char *text = NULL;
		size_t n = 0, left = 0;
		FILE *out = open_memstream(&text, &n);
		int style;

		memset(&s, 0, sizeof(s));
		na_rng_seed(&r, seed);
		style = (int)na_rng_below(&r, 4);
		for (int k = 0; k < HANGS; k++) {
			write_hang(&s, &r, k, style);
			left += s.n[k];
		}
		while (left) {
			size_t k = na_rng_below(&r, HANGS);

			if (na_rng_below(&r, 4) == 0)
				fprintf(out, "%s\n",
					na_rng_below(&r, 2)
						? "I0102 03:04:05.1      99 "
						  "z.cc:3] loss: 5"
						: "[pod/x] step 7: 3");
			if (s.at[k] == s.n[k])
				continue;
			fprintf(out, "%s%s\n", s.lines[k][s.at[k]++],
				seed & 1 ? "\r" : "");
			left--;
		}
		fclose(out);
		tell(&t, text, n);
		for (int k = 0; k < HANGS; k++)
			check_story(&t, &s, k, seed);
		assert_int_equal(t.x.events.n, HANGS);
		tell_end(&t);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_blocks),
		cmocka_unit_test(one_event),
		cmocka_unit_test(text_between),
		cmocka_unit_test(random_digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/unit/synth_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

void session_init(struct session *s)
{
	memset(s, 0, sizeof(*s));
	strcpy(s->dir, "/tmp/netan-synth-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	s->cfg = (struct na_synth_config){
		.dir = s->dir,
		.run = "run",
		.seed = 7,
		.hosts = 3,
		.devices = 2,
		.steps = 3,
		.collectives = 8,
		.ops = 2,
		.step_ps = 20 * NA_PS_PER_MS,
		.chunk_bytes = 8 << 20,
		.link_rate = 100e9,
		.faults = {s->faults, 0, 16},
	};
}

void session_fault(struct session *s, const char *fault)
{
	s->faults[s->cfg.faults.n++] = fault;
}

static uint8_t *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat sb;
	uint8_t *p;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &sb), 0);
	*n = (size_t)sb.st_size;
	p = malloc(*n + 1);
	assert_non_null(p);
	assert_int_equal(fread(p, 1, *n, f), *n);
	p[*n] = 0;
	fclose(f);
	return p;
}

void session_make(struct session *s, enum na_status want)
{
	enum na_status st = na_synth_run(&s->cfg, &s->report, &s->err);
	size_t n;

	if (st != want)
		print_error("status %d: %s\n", st, s->err.text);
	assert_int_equal(st, want);
	if (!st)
		s->truth = (char *)session_bytes(s, s->report.n - 1, &n);
}

void session_end(struct session *s)
{
	static const char *const below[] = {
		"plugins/profile/run",
		"plugins/profile",
		"plugins",
		"kineto",
		"recorder",
		"recorder-json",
		"inspector",
	};
	char path[256];

	for (size_t i = 0; i < s->report.n; i++)
		unlink(s->report.files[i].path);
	for (size_t i = 0; i < NA_LEN(below); i++) {
		snprintf(path, sizeof(path), "%s/%s", s->dir, below[i]);
		rmdir(path);
	}
	/* Fails when something was left behind that is in no report. */
	assert_int_equal(rmdir(s->dir), 0);
	na_synth_report_fini(&s->report);
	free(s->truth);
}

uint8_t *session_bytes(const struct session *s, size_t file, size_t *n)
{
	assert_true(file < s->report.n);
	return read_file(s->report.files[file].path, n);
}

Netan__Xplane__XSpace *session_space(const struct session *s, size_t file)
{
	Netan__Xplane__XSpace *space;
	size_t n;
	uint8_t *p = session_bytes(s, file, &n);

	space = netan__xplane__xspace__unpack(NULL, n, p);
	free(p);
	assert_non_null(space);
	return space;
}

int64_t session_truth(const struct session *s, const char *host,
		      const char *section, const char *key)
{
	char want[80];
	const char *p;

	if (host)
		snprintf(want, sizeof(want), "{\"host\": \"%s\"", host);
	else
		snprintf(want, sizeof(want), "\"totals\": {");
	p = strstr(s->truth, want);
	assert_non_null(p);
	if (section) {
		snprintf(want, sizeof(want), "\"%s\": {", section);
		p = strstr(p, want);
		assert_non_null(p);
	}
	snprintf(want, sizeof(want), "\"%s\": ", key);
	p = strstr(p, want);
	assert_non_null(p);
	return strtoll(p + strlen(want), NULL, 10);
}

int64_t session_number(const struct session *s, const char *first, ...)
{
	const char *p = s->truth, *want = first, *at = first;
	va_list more;

	va_start(more, first);
	for (; want; want = va_arg(more, const char *)) {
		p = strstr(p, want);
		if (!p)
			fail_msg("the truth holds no %s behind %s", want, at);
		p += strlen(want);
		at = want;
	}
	va_end(more);
	return strtoll(p, NULL, 10);
}

static const char *name_of(const Netan__Xplane__XPlane *p, int64_t id)
{
	for (size_t i = 0; i < p->n_event_metadata; i++)
		if (p->event_metadata[i]->key == id) {
			const Netan__Xplane__XEventMetadata *m =
				p->event_metadata[i]->value;

			return *m->display_name ? m->display_name : m->name;
		}
	fail_msg("event name %lld is missing", (long long)id);
	return "";
}

static const char *stat_name(const Netan__Xplane__XPlane *p, int64_t id)
{
	for (size_t i = 0; i < p->n_stat_metadata; i++)
		if (p->stat_metadata[i]->key == id)
			return p->stat_metadata[i]->value->name;
	fail_msg("stat name %lld is missing", (long long)id);
	return "";
}

void space_each(const Netan__Xplane__XSpace *space, const char *plane,
		void (*visit)(void *ctx, const struct event *e), void *ctx)
{
	for (size_t i = 0; i < space->n_planes; i++) {
		const Netan__Xplane__XPlane *p = space->planes[i];

		if (strncmp(p->name, plane, strlen(plane)))
			continue;
		for (size_t j = 0; j < p->n_lines; j++)
			for (size_t k = 0; k < p->lines[j]->n_events; k++) {
				const Netan__Xplane__XLine *l = p->lines[j];
				struct event e = {p,    l, l->events[k],
						  NULL, 0, 0};

				e.name = name_of(p, e.event->metadata_id);
				e.start_ps = l->timestamp_ns * 1000 +
					     e.event->offset_ps;
				e.end_ps = e.start_ps + e.event->duration_ps;
				visit(ctx, &e);
			}
	}
}

const Netan__Xplane__XStat *event_stat(const struct event *e, const char *name)
{
	for (size_t i = 0; i < e->event->n_stats; i++)
		if (!strcmp(stat_name(e->plane,
				      e->event->stats[i]->metadata_id),
			    name))
			return e->event->stats[i];
	return NULL;
}

static int64_t number(const Netan__Xplane__XStat *s)
{
	return s->value_case == NETAN__XPLANE__XSTAT__VALUE_UINT64_VALUE
		       ? (int64_t)s->uint64_value
		       : s->int64_value;
}

int64_t event_number(const struct event *e, const char *name)
{
	const Netan__Xplane__XStat *s = event_stat(e, name);

	return s ? number(s) : -1;
}

const char *event_text(const struct event *e, const char *name)
{
	const Netan__Xplane__XStat *s = event_stat(e, name);

	if (!s)
		return "";
	if (s->value_case == NETAN__XPLANE__XSTAT__VALUE_REF_VALUE)
		return stat_name(e->plane, (int64_t)s->ref_value);
	return s->str_value;
}

int64_t plane_number(const Netan__Xplane__XSpace *space, const char *plane,
		     const char *name)
{
	for (size_t i = 0; i < space->n_planes; i++) {
		const Netan__Xplane__XPlane *p = space->planes[i];

		if (strcmp(p->name, plane))
			continue;
		for (size_t k = 0; k < p->n_stats; k++)
			if (!strcmp(stat_name(p, p->stats[k]->metadata_id),
				    name))
				return number(p->stats[k]);
	}
	return 0;
}

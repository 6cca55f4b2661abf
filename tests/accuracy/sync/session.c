#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/accuracy/sync/session.h"

enum { PATH = 4096, SPACE_HOSTS = 4, ENVIRONMENT_STATS = 6 };

bool sy_share_make(const struct sy_run *r, uint32_t host, struct sy_share *s)
{
	size_t sent = 0, got = 0;

	for (size_t i = 0; i < r->n_transfers; i++) {
		sent += r->transfers[i].src == host;
		got += r->transfers[i].dst == host;
	}
	*s = (struct sy_share){na_calloc(sent, sizeof(size_t)),
			       na_calloc(got, sizeof(size_t)), 0, 0};
	if (!s->sent || !s->got)
		return false;
	for (size_t i = 0; i < r->n_transfers; i++) {
		if (r->transfers[i].src == host)
			s->sent[s->n_sent++] = i;
		if (r->transfers[i].dst == host)
			s->got[s->n_got++] = i;
	}
	return true;
}

void sy_share_fini(struct sy_share *s)
{
	free(s->sent);
	free(s->got);
	*s = (struct sy_share){0};
}

/* ---- a host's file */

/* Stats of the plane itself: when the capture was, in ns since 1970. */
static void environment(const struct sy_run *r, uint32_t host,
			struct sy_pb *space)
{
	static const char *const names[] = {"profile_start_time",
					    "profile_stop_time"};
	const struct sy_plan *p = r->plan;
	const struct sy_day *last =
		&r->days[(size_t)(p->n_steps - 1) * p->n_hosts + host];
	uint64_t start = sy_capture_start(p, host);
	uint64_t values[] = {start,
			     start + (uint64_t)sy_stamp(p, host, last->end) +
				     1000000};
	size_t plane = sy_pb_begin(space, 1);

	sy_pb_int(space, 1, 90);
	sy_pb_text(space, 2, "Task Environment");
	for (uint32_t i = 0; i < 2; i++) {
		size_t entry = sy_pb_begin(space, 5), value;

		sy_pb_int(space, 1, i + 1);
		value = sy_pb_begin(space, 2);
		sy_pb_int(space, 1, i + 1);
		sy_pb_text(space, 2, names[i]);
		sy_pb_end(space, value);
		sy_pb_end(space, entry);
	}
	for (uint32_t i = 0; i < 2; i++) {
		size_t stat = sy_pb_begin(space, ENVIRONMENT_STATS);

		sy_pb_int(space, 1, i + 1);
		sy_pb_int(space, 3, values[i]);
		sy_pb_end(space, stat);
	}
	sy_pb_end(space, plane);
}

static bool planes(const struct sy_run *r, uint32_t host, struct sy_pb *space)
{
	struct sy_plane plane = {0};
	char name[SY_NAME];
	bool ok = true;

	for (uint32_t d = 0; d < r->plan->n_devices; d++) {
		sy_write_device(r, host, d, &plane);
		snprintf(name, sizeof(name), "/device:TPU:%u", d);
		sy_plane_write(&plane, space, 1 + d, name);
		sy_plane_fini(&plane);
	}
	if (!r->plan->old_style) {
		ok = sy_write_actions(r, host, &plane);
		sy_plane_write(&plane, space, 50,
			       "/device:CUSTOM:Megascale Trace");
		sy_plane_fini(&plane);
	}
	ok = ok && sy_write_threads(r, host, &plane);
	sy_plane_write(&plane, space, 60, "/host:CPU");
	sy_plane_fini(&plane);
	environment(r, host, space);
	sy_host_name(host, name);
	sy_pb_text(space, SPACE_HOSTS, name);
	return ok && !space->failed;
}

static bool write_host(const struct sy_run *r, uint32_t host, const char *dir)
{
	struct sy_pb space = {0};
	char name[SY_NAME], path[PATH];
	bool ok = planes(r, host, &space);
	FILE *f = NULL;

	sy_host_name(host, name);
	snprintf(path, sizeof(path), "%s/%s.xplane.pb", dir, name);
	if (ok)
		f = fopen(path, "wb");
	ok = f && fwrite(space.bytes.v, 1, space.bytes.n, f) == space.bytes.n;
	if (f)
		ok = fclose(f) == 0 && ok;
	sy_pb_fini(&space);
	return ok;
}

/* ---- beside it */

static FILE *beside(const char *dir, const char *ending)
{
	char path[PATH];

	snprintf(path, sizeof(path), "%s%s", dir, ending);
	return fopen(path, "w");
}

static bool write_topology(const struct sy_plan *p, const char *dir)
{
	FILE *f = beside(dir, ".csv");
	char host[SY_NAME], rack[SY_NAME];

	if (!f)
		return false;
	fputs("host,rack\n", f);
	for (uint32_t h = 0; h < p->n_hosts; h++) {
		sy_host_name(h, host);
		sy_rack_name(p->rack_of[h], rack);
		fprintf(f, "%s,%s\n", host, rack);
	}
	return fclose(f) == 0;
}

static bool write_truth(const struct sy_run *r, const struct sy_truth *truth,
			const char *dir)
{
	FILE *f = beside(dir, ".truth.json");

	if (!f)
		return false;
	sy_truth_write(truth, r, f);
	return fclose(f) == 0;
}

bool sy_session_write(const struct sy_run *r, const struct sy_truth *truth,
		      const char *dir)
{
	bool ok = mkdir(dir, 0777) == 0 || errno == EEXIST;

	for (uint32_t h = 0; ok && h < r->plan->n_hosts; h++)
		ok = write_host(r, h, dir);
	return ok && write_topology(r->plan, dir) && write_truth(r, truth, dir);
}

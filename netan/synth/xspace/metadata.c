/*
 * The plane that holds the compiled program, and the one with the capture's
 * wall clock.
 */
#include <inttypes.h>
#include <stdio.h>

#include "netan/base/units.h"
#include "netan/synth/xspace/write.h"

enum na_status na_write_metadata(struct na_writer *w, struct na_err *err)
{
	uint64_t program = w->module.program_id;
	struct na_wire proto = {0};
	struct na_plane p;
	enum na_status st;
	char name[64];
	size_t at;

	na_module_proto(&w->module, &proto);
	snprintf(name, sizeof(name), NA_MODULE_NAME "(%" PRIu64 ")", program);
	na_plane_start(&p, &w->trace, 0, "/host:metadata");
	na_plane_define_as(&p, (int64_t)program, name, &at);
	na_stat_bytes(&p, na_plane_stat(&p, "Hlo Proto"), proto.p, proto.n);
	na_plane_define_end(&p, at);
	if (proto.failed)
		p.body.failed = true;
	st = na_plane_finish(&p, err);
	na_wire_fini(&proto);
	return st;
}

enum na_status na_write_environment(struct na_writer *w, struct na_err *err)
{
	int64_t start = w->trace.truth->start_unix_ns;
	int64_t end = na_host_time(w->job, w->host, w->job->end_ps);
	struct na_plane p;

	na_plane_start(&p, &w->trace, 0, "Task Environment");
	na_stat_uint(&p, na_plane_stat(&p, "profile_start_time"),
		     (uint64_t)start);
	na_stat_uint(&p, na_plane_stat(&p, "profile_stop_time"),
		     (uint64_t)(start + end / NA_PS_PER_NS) + 1000000);
	return na_plane_finish(&p, err);
}

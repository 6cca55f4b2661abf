#include "tests/unit/reading.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "ingest/xspace/xspace.h"
#include "netan/base/strtab.h"

/* clang-format off */
const char *const class_words[NA_N_CLASSES] = {
	"bad_key", "bad_duration", "no_latency", "clock_skew", "loopback",
	"valid",
};
/* clang-format on */
/* clang-format off */
const char *const action_words[NA_N_ACTIONS] = {
	"graph", "d2h", "h2d", "compute", "send", "receive", "kernel",
	"registration", "copy",
};
/* clang-format on */
const char *const style_words[NA_N_STYLES] = {"graph", "message", "capture",
					      "estimate"};
/* clang-format off */
static const char *const reason_words[NA_N_REASONS] = {
	"bad_key", "clock_skew", "no_latency", "loopback", "bad_duration",
	"aggregated", "unknown_name", "too_fast", "filtered", "damaged",
};
/* clang-format on */

static const char *name_at(const struct reading *r, uint32_t name)
{
	return name == NA_UNKNOWN_U32 ? "-"
				      : na_strtab_at(&r->names.strings, name);
}

static const char *end_at(const struct reading *r, uint32_t e, char *buf)
{
	return e < r->names.n_endpoints
		       ? na_endpoint_print(buf, &r->names,
					   &r->names.endpoints[e])
		       : "-";
}

static void put_u32(FILE *f, const char *tag, uint32_t x)
{
	if (x == NA_UNKNOWN_U32)
		fprintf(f, " %s-", tag);
	else
		fprintf(f, " %s%" PRIu32, tag, x);
}

static enum na_status on_transfer(void *ctx, const struct na_transfer *t)
{
	char a[NA_ENDPOINT_BUF], b[NA_ENDPOINT_BUF];
	struct reading *r = ctx;
	FILE *f = r->out;

	r->records++;
	fprintf(f, "T %s %s %s %" PRId64 " %" PRId64 " act ",
		t->side ? "tx" : "rx", style_words[t->style],
		class_words[t->klass], t->start_ps, t->end_ps);
	if (t->action_ps == NA_UNKNOWN_PS)
		fputc('-', f);
	else
		fprintf(f, "%" PRId64, t->action_ps);
	fprintf(f, " %" PRIu64 " %s->%s %s %s", t->size_bytes,
		end_at(r, t->src, a), end_at(r, t->dst, b),
		name_at(r, t->collective), name_at(r, t->type));
	put_u32(f, "l", t->launch);
	put_u32(f, "i", t->iteration);
	put_u32(f, "c",
		t->chunk == NA_UNKNOWN_I32 ? NA_UNKNOWN_U32
					   : (uint32_t)t->chunk);
	fprintf(f, " v%d\n", t->level);
	return NA_OK;
}

static enum na_status on_action(void *ctx, const struct na_action *a)
{
	char buf[NA_ENDPOINT_BUF];
	struct reading *r = ctx;
	FILE *f = r->out;

	r->records++;
	fprintf(f, "A %s %s %" PRId64 " %" PRId64 " size %" PRIu64 " %s %s %s",
		action_words[a->kind], style_words[a->style], a->start_ps,
		a->end_ps, a->size_bytes, end_at(r, a->device, buf),
		name_at(r, a->collective), name_at(r, a->type));
	put_u32(f, "l", a->launch);
	put_u32(f, "i", a->iteration);
	fprintf(f, " %.*s", (int)a->name.n, a->name.s);
	if (a->thread.n)
		fprintf(f, " @%.*s", (int)a->thread.n, a->thread.s);
	fputc('\n', f);
	return NA_OK;
}

static enum na_status on_span(void *ctx, const struct na_span *s)
{
	struct reading *r = ctx;

	r->records++;
	fprintf(r->out,
		"S %s %" PRId64 " %" PRId64 " %" PRId64 " plane %d \"%s\"%s\n",
		s->kind == NA_SPAN_STEP ? "step" : "module", s->start_ps,
		s->end_ps, s->number, s->plane, name_at(r, s->name),
		s->told == NA_STEP_BY_TIME ? " by time" : "");
	return NA_OK;
}

static uint32_t on_core(void *ctx, enum na_device_kind kind, int32_t number)
{
	struct reading *r = ctx;

	return na_devices_core(&r->devices, kind, 0, number);
}

static uint32_t on_op_type(void *ctx, const struct na_op_type *t)
{
	struct reading *r = ctx;

	r->types_told++;
	return na_devices_type(&r->devices, t);
}

static const char *core_word(const struct reading *r, uint32_t core)
{
	static const char *const words[] = {"TPU", "GPU", "rank"};

	return words[r->devices.cores[core].kind];
}

static enum na_status on_op(void *ctx, const struct na_op *x)
{
	static const char *const networks[] = {"dcn", "ici", "gpu"};
	static const char *const phases[] = {"whole", "start", "done"};
	struct reading *r = ctx;
	const struct na_op_type *t;
	FILE *f = r->out;

	r->records++;
	assert_true(x->type < r->devices.types.n);
	assert_true(x->core < r->devices.n_cores);
	t = &r->devices.types.items[x->type];
	fprintf(f, "O %s %s %s %d %s %" PRId64 " %" PRId64 " op %d",
		networks[t->network], phases[t->phase], core_word(r, x->core),
		r->devices.cores[x->core].number, name_at(r, t->name),
		x->start_ps, x->end_ps, t->opcode);
	if (t->program_id != NA_UNKNOWN_U64)
		fprintf(f, " p%" PRIu64, t->program_id);
	if (t->channel >= 0)
		fprintf(f, " c%" PRId64, t->channel);
	if (t->size_bytes != NA_UNKNOWN_U64)
		fprintf(f, " size %" PRIu64, t->size_bytes);
	if (t->group_size || t->n_groups)
		fprintf(f, " group %" PRIu32 "x%" PRIu32 "%s", t->n_groups,
			t->group_size, t->uneven ? "?" : "");
	fprintf(f, " %s%s %s %s of %s kernel %s\n", name_at(r, t->collective),
		t->joined == NA_OPJOIN_LONG_NAME ? "!" : "",
		name_at(r, t->transfer_type), name_at(r, t->module),
		name_at(r, t->start_op), name_at(r, t->kernel));
	return NA_OK;
}

static enum na_status on_busy(void *ctx, uint32_t core, int64_t start_ps,
			      int64_t end_ps)
{
	struct reading *r = ctx;

	r->records++;
	assert_true(core < r->devices.n_cores && start_ps <= end_ps);
	fprintf(r->out, "B %s %d %" PRId64 " %" PRId64 "\n", core_word(r, core),
		r->devices.cores[core].number, start_ps, end_ps);
	return NA_OK;
}

static enum na_status on_comm(void *ctx, const struct na_comm *x)
{
	static const char *const sources[] = {"kernel", "cpu", "queued"};
	struct reading *r = ctx;
	FILE *f = r->out;

	r->records++;
	assert_true(x->core < r->devices.n_cores && x->start_ps <= x->end_ps);
	fprintf(f, "M %s %s %d %" PRId64 " %" PRId64 " op %d",
		sources[x->source], core_word(r, x->core),
		r->devices.cores[x->core].number, x->start_ps, x->end_ps,
		x->operation);
	if (x->size_bytes != NA_UNKNOWN_U64)
		fprintf(f, " size %" PRIu64, x->size_bytes);
	fprintf(f, " %s of [%s]x%" PRIu32, name_at(r, x->type),
		name_at(r, x->group), x->group_size);
	put_u32(f, "s", x->stream);
	fprintf(f, " q%" PRId64 " peer %d\n", x->sequence, x->peer);
	return NA_OK;
}

static uint32_t on_address(void *ctx, const char *s, size_t n)
{
	struct reading *r = ctx;

	return na_names_address(&r->names, s, n);
}

static uint32_t on_name(void *ctx, const char *s, size_t n)
{
	struct reading *r = ctx;

	return na_strtab_add(&r->names.strings, s, n);
}

static uint32_t on_endpoint(void *ctx, int32_t slice, int32_t device)
{
	struct reading *r = ctx;

	return na_names_endpoint(&r->names, slice, device);
}

static void on_classed(void *ctx, enum na_side side, enum na_style style,
		       enum na_class klass, uint64_t n)
{
	struct reading *r = ctx;

	fprintf(r->out, "C %s %s %s %" PRIu64 "\n", side ? "tx" : "rx",
		style_words[style], class_words[klass], n);
}

static void on_left_out(void *ctx, enum na_reason why, uint64_t n)
{
	struct reading *r = ctx;

	fprintf(r->out, "L %s %" PRIu64 "\n", reason_words[why], n);
}

static void on_unknown(void *ctx, const char *s, size_t n, uint64_t times)
{
	struct reading *r = ctx;

	assert_int_equal(times, 1);

	fprintf(r->out, "U %.*s\n", (int)n, s);
}

static void on_warning(void *ctx, uint64_t at, const char *text)
{
	struct reading *r = ctx;

	(void)at;
	fprintf(r->out, "W %s\n", text);
}

static bool looks_at(void *ctx, uint32_t collective)
{
	const struct reading *r = ctx;

	return strcmp(name_at(r, collective), r->only) == 0;
}

static void read_all(struct reading *r)
{
	struct na_sink sink = {
		.ctx = r,
		.transfer = on_transfer,
		.action = on_action,
		.span = on_span,
		.core = on_core,
		.op_type = on_op_type,
		.op = on_op,
		.busy = on_busy,
		.comm = on_comm,
		.address = on_address,
		.name = on_name,
		.endpoint = on_endpoint,
		.classed = on_classed,
		.left_out = on_left_out,
		.unknown_name = on_unknown,
		.warn = on_warning,
		.looks_at = r->only ? looks_at : NULL,
	};
	struct na_block b;

	r->in.zero_ns = r->in.has_time ? r->in.first_ns : 0;
	while (r->in.reader->cut(&r->in, &b, &r->err) == NA_OK) {
		r->blocks++;
		assert_int_equal(r->in.reader->read(&r->in, &b, &sink, &r->err),
				 NA_OK);
	}
}

int file_of(const void *bytes, size_t n)
{
	int fd = memfd_create("bytes", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	return fd;
}

static void begin(struct reading *r)
{
	memset(r, 0, sizeof(*r));
	memset(&r->names, 0, sizeof(r->names));
	memset(&r->devices, 0, sizeof(r->devices));
	r->out = open_memstream(&r->text, &r->n_text);
	assert_non_null(r->out);
}

void read_exact(struct reading *r, const void *bytes, size_t n, uint32_t wants)
{
	begin(r);
	r->block = malloc(n);
	assert_true(r->block || !n);
	if (n)
		memcpy(r->block, bytes, n);
	r->in = (struct na_input){
		.path = "block",
		.wants = wants,
		.data = r->block,
		.size = n,
		.reader = &na_reader_xspace,
		.format = "xspace",
	};
	r->in.warnings_end = &r->in.warnings;
	memset(&r->in.arena, 0, sizeof(r->in.arena));
	r->status = r->in.reader->open(&r->in, &r->err);
	if (r->status == NA_OK)
		read_all(r);
	fflush(r->out);
}

void read_only(struct reading *r, const void *bytes, size_t n, uint32_t wants,
	       const char *collective)
{
	int fd = file_of(bytes, n);
	char path[64];

	begin(r);
	r->only = collective;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r->status = na_input_open(&r->in, path, wants, NULL, &r->err);
	close(fd);
	r->in.path = "bytes";
	if (r->status == NA_OK)
		read_all(r);
	fflush(r->out);
}

void read_bytes(struct reading *r, const void *bytes, size_t n, uint32_t wants)
{
	read_only(r, bytes, n, wants, NULL);
}

uint8_t *gzip_of(const void *bytes, size_t n, size_t *packed)
{
	z_stream z = {.next_in = (void *)(uintptr_t)bytes, .avail_in = (uInt)n};
	size_t room = compressBound((uLong)n) + 64;
	uint8_t *out = malloc(room);

	assert_non_null(out);
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	z.next_out = out;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	*packed = z.total_out;
	deflateEnd(&z);
	return out;
}

void read_packed(struct reading *r, const void *bytes, size_t n, uint32_t wants)
{
	size_t packed;
	uint8_t *p = gzip_of(bytes, n, &packed);

	read_bytes(r, p, packed, wants);
	free(p);
}

void reading_end(struct reading *r)
{
	fclose(r->out);
	free(r->text);
	na_names_fini(&r->names);
	na_devices_fini(&r->devices);
	if (r->block) {
		r->in.reader->close(&r->in);
		na_arena_fini(&r->in.arena);
		free(r->block);
	} else if (r->status == NA_OK) {
		na_input_close(&r->in);
	}
}

void open_programs(struct na_input *in, const void *bytes, size_t n)
{
	struct na_err err = {.status = NA_OK};
	int fd = file_of(bytes, n);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(na_input_open(in, path, NA_WANT_PROGRAMS, NULL, &err),
			 NA_OK);
	close(fd);
}

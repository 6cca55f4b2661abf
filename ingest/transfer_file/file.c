/* The file around the blocks: header, names, checksums, trailer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "ingest/bytes/wire.h"
#include "ingest/transfer_file/file.h"
#include "ingest/transfer_file/hlo_slim.h"
#include "netan/base/units.h"

static enum na_status put_bytes(struct na_xfer_file *f, const void *p, size_t n,
				struct na_err *err)
{
	f->counts.bytes += n;
	return f->write(f->ctx, p, n, err);
}

enum na_status na_xf_put_block(struct na_xfer_file *f, struct na_xf_bytes *rest,
			       struct na_err *err)
{
	struct na_xf_bytes head = {.p = NULL};
	enum na_status st = NA_ENOMEM;
	uint8_t crc_field[5] = {NA_TAG(1, NA_W_FIXED32)};
	uint32_t crc;

	crc = (uint32_t)crc32_z(0, rest->p, rest->n);
	for (int i = 0; i < 4; i++)
		crc_field[1 + i] = (uint8_t)(crc >> 8 * i);
	na_xf_put(&head, XF_SYNC, XF_SYNC_BYTES);
	na_xf_put_varint(&head, NA_TAG(3, NA_W_BYTES));
	na_xf_put_varint(&head, rest->n + sizeof(crc_field));
	na_xf_put(&head, crc_field, sizeof(crc_field));
	if (rest->failed || head.failed)
		na_fail_nomem(err);
	else
		st = put_bytes(f, head.p, head.n, err);
	if (st == NA_OK)
		st = put_bytes(f, rest->p, rest->n, err);
	f->counts.blocks++;
	na_xf_bytes_fini(&head);
	na_xf_bytes_fini(rest);
	return st;
}

static void put_source(struct na_xf_bytes *to, const struct na_xfer_source *s)
{
	struct na_xf_bytes m = {.p = NULL};

	na_xf_put_text(&m, 1, s->host);
	na_xf_put_text(&m, 2, s->label);
	na_xf_put_text(&m, 3, s->format);
	na_xf_put_text(&m, 4, s->path);
	na_xf_put_uint(&m, 5, s->has_time);
	na_xf_put_uint(&m, 6, s->has_wall);
	na_xf_put_sint(&m, 7, s->first_ns);
	na_xf_put_sint(&m, 8, s->zero_ns);
	na_xf_put_sint(&m, 9, s->profile_start_ns);
	na_xf_put_sint(&m, 10, s->profile_stop_ns);
	na_xf_put_uint(&m, 11, s->n_devices);
	na_xf_put_uint(&m, 12, s->ranks);
	na_xf_put_uint(&m, 13, s->on_cpus);
	na_xf_put_uint(&m, 14, s->told);
	na_xf_put_uint(&m, 15, (uint64_t)((int64_t)s->rank + 1));
	na_xf_put_uint(&m, 16, (uint64_t)((int64_t)s->world_size + 1));
	na_xf_put_uint(&m, 17, (uint64_t)(s->pid + 1));
	na_xf_put_uint(&m, 18, s->file_bytes);
	na_xf_put_uint(&m, 19, s->has_tpus);
	na_xf_put_uint(&m, 20, s->has_gpus);
	if (s->cut)
		na_xf_put_text(&m, 21, s->cut);
	na_xf_put_uint(&m, 22, s->content_bytes);
	na_xf_put_uint(&m, 23, s->content_hash);
	na_xf_put_message(to, 5, &m);
}

static enum na_status put_header(struct na_xfer_file *f,
				 const struct na_xfer_head *head,
				 struct na_err *err)
{
	struct na_xf_bytes m = {.p = NULL}, block = {.p = NULL};

	na_xf_put_uint(&m, 1, XF_VERSION);
	na_xf_put_text(&m, 2, XF_PROGRAM);
	na_xf_put_uint(&m, 3, (uint64_t)head->created_unix_ns);
	na_xf_put_uint(&m, 4, head->pseudonyms != NULL);
	for (size_t i = 0; i < head->n_sources; i++)
		put_source(&m, &head->sources[i]);
	na_xf_put_uint(&m, 6, head->asked);
	na_xf_hide(&f->hiding, na_xf_header_texts, &m);
	na_xf_put_message(&block, 4, &m);
	return na_xf_put_block(f, &block, err);
}

struct na_xfer_file *na_xf_begin(na_xfer_write write, void *ctx,
				 struct na_pseudonyms *names,
				 struct na_err *err)
{
	struct na_xfer_file *f = calloc(1, sizeof(*f));

	if (!f) {
		na_fail_nomem(err);
		return NULL;
	}
	f->z = ZSTD_createCCtx();
	f->write = write;
	f->ctx = ctx;
	f->max_program_bytes = XF_MAX_PROGRAM_BYTES;
	f->hiding.names = names;
	if (put_bytes(f, XF_MAGIC, XF_MAGIC_BYTES, err) == NA_OK)
		return f;
	na_xfer_free(f);
	return NULL;
}

struct na_xfer_file *na_xfer_new(na_xfer_write write, void *ctx,
				 const struct na_xfer_head *head,
				 struct na_err *err)
{
	struct na_xfer_file *f = na_xf_begin(write, ctx, head->pseudonyms, err);

	if (!f || put_header(f, head, err) == NA_OK)
		return f;
	na_xfer_free(f);
	return NULL;
}

void na_xfer_free(struct na_xfer_file *f)
{
	if (!f)
		return;
	na_xf_hiding_fini(&f->hiding);
	ZSTD_freeCCtx(f->z);
	free(f);
}

const struct na_xfer_counts *na_xfer_counted(const struct na_xfer_file *f)
{
	return &f->counts;
}

/* "r3" is nobody's secret, and the same in all files. */
static bool is_rank(const struct na_interned *s)
{
	return s->len > 1 && s->s[0] == 'r' &&
	       strspn(s->s + 1, "0123456789") == s->len - 1;
}

static void put_address(struct na_xfer_file *f, struct na_xf_bytes *m,
			const struct na_interned *s)
{
	if (f->hiding.names && !is_rank(s))
		na_xf_put_text(m, 3,
			       na_pseudonym(f->hiding.names, NA_ALIAS_ADDR,
					    s->s));
	else
		na_xf_put_field(m, 3, s->s, s->len);
}

static void put_names(struct na_xfer_file *f, struct na_xf_bytes *to,
		      struct na_xf_encoded *e, const struct na_strtab *names)
{
	if (!e->n_strings && !e->endpoints.n)
		return;
	na_xf_hide(&f->hiding, na_xf_name_texts, &e->strings);
	for (size_t i = 0; i < e->endpoints.n; i++) {
		const struct na_xf_endpoint *x = &e->endpoints.v[i];
		struct na_xf_bytes m = {.p = NULL};

		na_xf_put_sint(&m, 1, x->slice);
		na_xf_put_sint(&m, 2, x->device);
		if (x->address < names->n)
			put_address(f, &m, &names->names[x->address]);
		na_xf_put_message(&e->strings, 2, &m);
	}
	na_xf_put_section(to, f->z, XF_NAMES, e->n_strings + e->endpoints.n,
			  &e->strings);
}

static enum na_status put_encoded(struct na_xfer_file *f, uint32_t source,
				  struct na_xf_encoded *e,
				  const struct na_strtab *names,
				  struct na_err *err)
{
	struct na_xf_bytes records = {.p = NULL}, block = {.p = NULL};

	put_names(f, &records, e, names);
	na_xf_put(&records, e->sections.p, e->sections.n);
	na_xf_hide(&f->hiding, na_xf_count_texts, &e->counts);
	if (e->counts.n)
		na_xf_put_field(&records, 2, e->counts.p, e->counts.n);
	na_xf_put_uint(&block, 2, source);
	na_xf_put_uint(&block, 3, e->records);
	na_xf_put_message(&block, 5, &records);
	for (int k = 1; k < XF_N_KINDS; k++) {
		f->counts.kinds[k] += e->kinds[k];
		if (k == XF_TRANSFER) {
			f->counts.transfers += e->kinds[k];
			f->counts.transfer_bytes += e->packed[k];
		} else {
			f->counts.others += e->kinds[k];
			f->counts.other_bytes += e->packed[k];
		}
	}
	return na_xf_put_block(f, &block, err);
}

enum na_status na_xfer_append(struct na_xfer_file *f, struct na_xfer_part *p,
			      struct na_err *err)
{
	const struct na_strtab *names;
	enum na_status st = NA_OK;
	uint32_t source;
	struct na_xf_encoded *e = na_xf_part_take(p, &source, &names), *next;

	for (; e; e = next) {
		next = e->next;
		if (st == NA_OK)
			st = put_encoded(f, source, e, names, err);
		na_xf_encoded_free(e);
	}
	return st;
}

static void put_plane(struct na_xf_bytes *to, const struct na_section *s)
{
	struct na_xf_bytes m = {.p = NULL};
	uint64_t told = 0;

	na_xf_put_text(&m, 1, s->name);
	for (size_t i = 0; i < s->n_parts; i++) {
		struct na_xf_bytes line = {.p = NULL};

		na_xf_put_text(&line, 1, s->parts[i].name);
		na_xf_put_uint(&line, 2, s->parts[i].events);
		na_xf_put_uint(&line, 3, s->parts[i].wants);
		na_xf_put_message(&m, 2, &line);
		told += s->parts[i].events;
	}
	na_xf_put_uint(&m, 3, s->events > told ? s->events - told : 0);
	na_xf_put_message(to, 1, &m);
}

static void put_capture(struct na_xf_bytes *to,
			const struct na_capture_counts *c)
{
	struct na_xf_bytes m = {.p = NULL};

	if (!c)
		return;
	for (size_t i = 0; i < na_xf_capture.n_fields; i++)
		na_xf_put_uint(&m, na_xf_capture.fields[i].number,
			       (uint64_t)na_xf_load(c,
						    &na_xf_capture.fields[i]));
	na_xf_put_message(to, 6, &m);
}

struct programs {
	struct na_xfer_file *file;
	struct na_input *in;
	struct na_xf_bytes *to;
};

/* Nobody would unpack it. */
static bool is_too_long(const struct programs *p,
			const struct na_program_bytes *x, size_t n)
{
	char most[NA_UNIT_BUF];

	if (n <= p->file->max_program_bytes)
		return false;
	na_input_warn(p->in,
		      "the program at byte %" PRIu64 " is longer than %s: "
		      "left out",
		      x->at,
		      na_print_bytes(most, (double)p->file->max_program_bytes,
				     3));
	return true;
}

static enum na_status put_program(void *ctx, const struct na_program_bytes *x,
				  struct na_err *err)
{
	struct na_xf_bytes m = {.p = NULL}, whole = {.p = NULL};
	const struct programs *p = ctx;
	struct na_xf_bytes *to = p->to;

	if (is_too_long(p, x, x->n))
		return NA_OK;
	na_xf_put(&whole, x->p, x->n);
	na_xf_put_field(&m, 1, x->name.s, x->name.n);
	na_xf_put_uint(&m, 2, x->id);
	na_xf_put_packed(&m, NULL, 5, &whole);
	na_xf_put_message(to, 7, &m);
	na_xf_bytes_fini(&whole);
	return to->failed ? na_fail_nomem(err) : NA_OK;
}

/* Without paths of sources, and whoever has them at home.  One that cannot be
 * read is left out, as whoever reads the original does. */
static enum na_status put_nameless(void *ctx, const struct na_program_bytes *x,
				   struct na_err *err)
{
	struct na_xf_bytes m = {.p = NULL}, slim = {.p = NULL};
	const struct programs *p = ctx;
	struct na_xf_bytes *to = p->to;
	bool readable = na_hlo_slim(x->p, x->n, &slim);

	if (readable)
		na_xf_hide(&p->file->hiding, na_xf_hlo_texts, &slim);
	if (readable && !is_too_long(p, x, slim.n)) {
		na_xf_put_field(&m, 1, x->name.s, x->name.n);
		na_xf_put_uint(&m, 2, x->id);
		na_xf_put_packed(&m, NULL, 3, &slim);
		na_xf_put_message(to, 7, &m);
	}
	to->failed |= slim.failed;
	na_xf_bytes_fini(&slim);
	return to->failed ? na_fail_nomem(err) : NA_OK;
}

enum na_status na_xfer_source_end(struct na_xfer_file *f, uint32_t source,
				  struct na_input *in, struct na_err *err)
{
	struct na_xf_bytes m = {.p = NULL}, block = {.p = NULL};
	struct programs programs = {f, in, &m};
	const struct na_reader *r = in->reader;
	enum na_status st = NA_OK;

	if (r && r->program_bytes)
		st = r->program_bytes(in,
				      f->hiding.names ? put_nameless
						      : put_program,
				      &programs, err);
	if (st != NA_OK) {
		na_xf_bytes_fini(&m);
		return st;
	}

	for (size_t i = 0; i < in->n_sections; i++)
		put_plane(&m, &in->sections[i]);
	na_xf_put_uint(&m, 2, in->damaged);
	for (const struct na_warning *w = in->warnings; w; w = w->next)
		na_xf_put_text(&m, 3, w->text);
	na_xf_put_uint(&m, 4, in->n_warnings);
	na_xf_put_uint(&m, 5, in->n_sections ? 0 : in->events);
	put_capture(&m, in->capture);
	na_xf_hide(&f->hiding, na_xf_source_texts, &m);
	na_xf_put_uint(&block, 2, source);
	na_xf_put_message(&block, 6, &m);
	return na_xf_put_block(f, &block, err);
}

enum na_status na_xfer_finish(struct na_xfer_file *f, struct na_err *err)
{
	struct na_xf_bytes m = {.p = NULL}, block = {.p = NULL};

	na_xf_put_uint(&m, 1, f->counts.blocks);
	na_xf_put_uint(&m, 2, f->counts.transfers + f->counts.others);
	na_xf_put_message(&block, 7, &m);
	return na_xf_put_block(f, &block, err);
}

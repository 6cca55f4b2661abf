/*
 * XSpace, the XProf trace of one host: what the files xspace*.c share.
 *
 * Source: openxla/xla, tsl/profiler/protobuf/xplane.proto (field numbers
 * below) and tsl/profiler/utils/xplane_visitor.h (semantics).
 *
 *   XSpace  1 planes*  2 errors*  3 warnings*  4 hostnames*
 *   XPlane  1 id  2 name  3 lines*  4 event_metadata*  5 stat_metadata*
 *           6 stats*                       (maps: {1 key, 2 value})
 *   XLine   1 id  2 name  3 timestamp_ns  4 events*  9 duration_ps
 *           10 display_id  11 display_name
 *   XEvent  1 metadata_id  2 offset_ps | 5 num_occurrences  3 duration_ps
 *           4 stats*
 *   XStat   1 metadata_id  2 double | 3 uint64 | 4 int64 | 5 str | 6 bytes
 *           | 7 ref | 8 compressed_str
 *
 * The metadata maps follow the lines, so a plane is walked twice: once for
 * its name, its lines and its maps, then line by line.  Lines that nobody
 * asked for are skipped by their length.
 */
#ifndef INGEST_XSPACE_XSPACE_H
#define INGEST_XSPACE_XSPACE_H

#include "ingest/bytes/idmap.h"
#include "ingest/bytes/wire.h"
#include "ingest/input.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

enum na_xs_plane_kind {
	XS_OTHER,
	XS_MEGASCALE,
	XS_HOST,
	XS_TPU,
	XS_GPU,
	XS_TASK,
	XS_METADATA, /* programs, and no lines */
	XS_LAUNCHES  /* what a GPU's driver was asked, where a trace keeps
			it apart from XS_HOST */
};

/* Stats by the names that any of the readers asks for (stat.c). */
enum na_xs_slot {
	XS_GRAPH_KEY,
	XS_LOCAL_DEVICE,
	XS_NUM_ACTIONS,
	XS_COLLECTIVE_TYPE,
	XS_INPUT_SIZE,
	XS_SEND_CHANNEL,
	XS_RECV_CHANNEL,
	XS_SLACK_US,
	XS_ACTION_TYPE,
	XS_ACTION_INDEX,
	XS_ACTION_NS,
	XS_ACTION_INPUTS,
	XS_SOURCE,
	XS_DESTINATIONS,
	XS_LEVEL,
	XS_BUFFERS,
	XS_COMPUTE_OP,
	XS_CHUNK,
	XS_LAUNCH,
	XS_ITERATION,
	XS_TX_BUDGET_US,
	XS_DELAY_BUDGET_US,
	XS_LATENCY_US,
	XS_ACTIVATION_US,
	XS_HLO_MODULE,
	XS_RUN_ID,
	XS_STEP_NUM,
	XS_GROUP_ID,
	XS_DCN_LABEL,
	XS_DCN_SRC_SLICE,
	XS_DCN_SRC_DEVICE,
	XS_DCN_DST_SLICE,
	XS_DCN_DST_DEVICE,
	XS_DCN_CHUNK,
	XS_DCN_LOOP,
	XS_PAYLOAD,
	XS_DURATION_US,
	XS_PROFILE_START,
	XS_PROFILE_STOP,
	XS_HLO_CATEGORY,
	XS_HLO_OP,
	XS_PROGRAM_ID,
	XS_DCN_INFO,
	XS_MEMCPY,
	XS_SIZE,
	XS_BUFFER_SIZE,
	XS_CORRELATION,
	XS_IS_ROOT,
	XS_N_SLOTS
};
_Static_assert(XS_N_SLOTS <= 64, "one bit each in xs_values.has");

enum na_xs_type { XS_INT, XS_UINT, XS_REAL, XS_TEXT };

struct na_xs_value {
	enum na_xs_type type;
	union {
		int64_t i;
		uint64_t u;
		double d;
		struct na_text text;
	} v;
};

/* The stats of one event, by slot; metadata stats first, then the event's
 * own, which override. */
struct na_xs_values {
	uint64_t has;
	struct na_xs_value at[XS_N_SLOTS];
	char *inflated; /* of compressed_str values */
	size_t inflated_used;
};
enum { XS_INFLATED_MAX = 65536 }; /* for all strings of one event */

/* There may be a million: where in its message the texts are. */
struct na_xs_event_type {
	const uint8_t *in; /* the XEventMetadata, for its stats, */
	uint32_t n;        /* and its bytes */
	uint32_t name, name_n, display, display_n;
	bool has_stats : 1;
	bool acts : 1;  /* each event is an action, also where none is wanted */
	uint8_t kind;   /* meaning, to the line's handler */
	uint16_t wants; /* who would read it, when all is counted */
};

static inline struct na_text na_xs_name(const struct na_xs_event_type *t)
{
	return na_text_n((const char *)t->in + t->name, t->name_n);
}

static inline struct na_text na_xs_display(const struct na_xs_event_type *t)
{
	return na_text_n((const char *)t->in + t->display, t->display_n);
}

struct na_xs_stat_type {
	struct na_text name;
	uint8_t slot; /* XS_N_SLOTS: nobody asks */
};

struct na_xs_plane {
	struct na_cursor body;
	struct na_text name;
	enum na_xs_plane_kind kind;
	int32_t number;      /* n of /device:TPU:n */
	bool cut;            /* the file ends inside it */
	bool bare;           /* a GPU's without steps and program runs */
	uint32_t host_wants; /* of a host plane: who finds a name here */
	NA_VEC(struct na_xs_line) lines;
	NA_VEC(struct na_xs_event_type) types;
	NA_VEC(struct na_xs_stat_type) stats;
	struct na_idmap type_of, stat_of;
};

/* What its events of that id are; NULL: id without entry. */
static inline const struct na_xs_event_type *
na_xs_type_at(const struct na_xs_plane *p, int64_t id)
{
	uint32_t entry = na_idmap_at(&p->type_of, id);

	return entry < p->types.n ? &p->types.v[entry] : NULL;
}

enum { XS_WHENS = 8 };

/* A block of a Megascale line, and when the actions of which collectives
 * were: for who asks for actions once all is read. */
struct na_xs_stretch {
	const uint8_t *p, *end;
	struct na_xs_when {
		struct na_text name; /* in the file */
		int64_t from_ps, to_ps;
	} whens[XS_WHENS];
	uint8_t n;
	bool more; /* collectives than these */
	bool told; /* it was read to its end */
	bool last; /* of its line */
	struct na_xs_stretch *next; /* in the order of the file */
};

struct na_xs_line {
	const struct na_xs_plane *plane;
	struct na_cursor body;
	struct na_text name;
	int64_t timestamp_ns;        /* as in the file */
	bool has_events, late_stamp; /* stamp may follow the events */
	bool late_name;
	const struct na_xs_handler *handler; /* NULL: skipped */
	uint64_t n_events;
	uint32_t wants; /* who reads it, when all is counted */
};

struct na_xs_event {
	const struct na_xs_event_type *type; /* NULL: id without entry */
	int64_t metadata_id, offset_ps, duration_ps;
	bool aggregated, bad_stat, passed_over;
	const struct na_cursor *body;
};

/* A field of an XEvent, but its stats; its type is for who needs it. */
static inline void na_xs_event_field(struct na_xs_event *e,
				     const struct na_field *f)
{
	switch (f->tag) {
	case NA_TAG(1, NA_W_VARINT):
		e->metadata_id = (int64_t)f->value;
		break;
	case NA_TAG(2, NA_W_VARINT):
		e->offset_ps = (int64_t)f->value;
		e->aggregated = false;
		break;
	case NA_TAG(3, NA_W_VARINT):
		e->duration_ps = (int64_t)f->value;
		break;
	case NA_TAG(5, NA_W_VARINT):
		e->aggregated = true;
		break;
	}
}

/* What a handler gets for each event of its lines; the event's stats are in
 * `values`. */
enum { XS_SEEN = 64 }; /* a power of two */

struct na_xs_read {
	const struct na_input *in;
	const struct na_xs_line *line;
	const struct na_sink *sink;
	int64_t line_ps; /* line start since the origin */
	bool line_fits;
	bool choosy; /* the sink looks at some collectives alone */
	struct na_xs_stretch *keeps; /* when actions were; NULL: nobody asks */
	struct na_xs_values values;
	struct na_err *err;
	struct na_xs_seen_device {
		uint64_t device;
		uint32_t endpoint;
		bool used;
	} devices[XS_SEEN];
	struct na_xs_seen_name {
		struct na_text text;
		uint32_t name;
	} names[XS_SEEN];
	/* Device planes: the plane's core, and op types by event type. */
	bool has_core;
	uint32_t core;
	struct na_idmap
		op_types; /* the sink's, by place in the plane's types */
};

/* A row of the table of lines that somebody may ask for (xspace.c). */
struct na_xs_handler {
	enum na_xs_plane_kind plane;
	const char *line; /* prefix; "" any line */
	unsigned wants;   /* enum na_want bits */
	bool every;       /* also events of kind 0 */
	bool plain;       /* no stats of events */
	/* NA_EFORMAT: this event is damaged; others end the block. */
	enum na_status (*event)(struct na_xs_read *r,
				const struct na_xs_event *e);
};

/* Who reads lines of this name, of what is wanted; NULL: nobody. */
const struct na_xs_handler *na_xs_handler_of(enum na_xs_plane_kind kind,
					     const struct na_text *line,
					     uint32_t wants);
/* Does anybody read lines, or plane stats, of such planes? */
bool na_xs_plane_asked(enum na_xs_plane_kind kind, uint32_t wants);

/* A line's stamp on the file's clock: wall clock where it is known. */
int64_t na_xs_on_clock(const struct na_input *in, int64_t stamp_ns);
/* Its start since an origin on that clock, INT64_MIN where there is none;
 * false: does not fit. */
bool na_xs_line_start(const struct na_input *in, const struct na_xs_line *l,
		      int64_t origin_ns, int64_t *start_ps);

/* wants.c: enum na_want bits of those who would read a line, and the
 * events of any type of a plane (fills in each type's). */
uint32_t na_xs_line_wants(const struct na_xs_line *l);
uint32_t na_xs_type_wants(struct na_xs_plane *p);

struct na_xs_space {
	NA_VEC(struct na_xs_plane) planes;
	/* Where cut() goes on. */
	size_t plane, line;
	const uint8_t *pos;
	struct na_xs_stretch *last_kept; /* of na_input.kept */
	/* Of the first reading: not behind where cut() is, and what it hands
	 * out next; or NULL. */
	struct na_xs_stretch *was, *stretch;
	size_t n_entries; /* lines and metadata, all planes */
	struct na_text hostname;
	struct na_xs_markers *markers; /* NULL: nobody asks them */
};

/* What one file may make us remember, whatever it claims. */
enum { XS_MAX_PLANES = 1 << 16, XS_MAX_ENTRIES = 1 << 22 };

/* sniff.c */
enum na_sniff na_xs_sniff(const uint8_t *head, size_t n, uint64_t size,
			  const char **why);
extern const char na_xs_damaged_by_text[];
bool na_xs_text_damaged(const uint8_t *p, size_t n);

/* plane.c */
enum na_status na_xs_plane_scan(struct na_input *in, struct na_xs_plane *p,
				struct na_err *err) NA_MUST_CHECK;
enum na_status na_xs_plane_metadata(struct na_input *in, struct na_xs_plane *p,
				    struct na_err *err) NA_MUST_CHECK;
void na_xs_plane_fini(struct na_xs_plane *p);
/* An entry of a plane's maps, {1: key, 2: value}: 0 and nothing where these
 * are missing.  False: damaged behind what was found. */
bool na_xs_map_entry(struct na_cursor c, int64_t *key, struct na_cursor *value);
/* An event whose type is not in the plane's table. */
void na_xs_name_missing(const struct na_sink *sink, int64_t id);
enum na_xs_plane_kind na_xs_plane_kind_of(const struct na_text *name,
					  int32_t *n);
/* Read the line to its end for a stamp or a name that follows the events. */
void na_xs_line_rest(struct na_xs_line *l);

/* stat.c */
uint8_t na_xs_slot_of(const struct na_text *name);
bool na_xs_values_add(struct na_xs_values *v, const struct na_xs_plane *p,
		      const struct na_cursor *stat);
/* Forget the last event; start with the constants of an event type. */
void na_xs_values_begin(struct na_xs_values *v, const struct na_xs_plane *p,
			const struct na_xs_event_type *t);
/* Which stat an XStat is, by its id. */
int64_t na_xs_stat_id(struct na_cursor stat);
/* All stats of one event; false: damaged. */
bool na_xs_values_read(struct na_xs_values *v, const struct na_xs_plane *p,
		       const struct na_xs_event *e);
static inline bool na_xs_has(const struct na_xs_values *v, enum na_xs_slot s)
{
	return v->has >> s & 1;
}
/* Any numeric kind or decimal text; too large saturates. */
bool na_xs_int_slow(const struct na_xs_values *v, enum na_xs_slot s,
		    int64_t *out);

/* An id of 64 bits, however its writer took it; or NA_UNKNOWN_U64. */
uint64_t na_xs_program_id(const struct na_xs_values *v);

static inline bool na_xs_int(const struct na_xs_values *v, enum na_xs_slot s,
			     int64_t *out)
{
	if (!na_xs_has(v, s))
		return false;
	if (v->at[s].type != XS_INT)
		return na_xs_int_slow(v, s, out);
	*out = v->at[s].v.i;
	return true;
}

static inline int64_t na_xs_int_or(const struct na_xs_values *v,
				   enum na_xs_slot s, int64_t none)
{
	int64_t x;

	return na_xs_int(v, s, &x) ? x : none;
}

static inline struct na_text na_xs_text(const struct na_xs_values *v,
					enum na_xs_slot s)
{
	if (na_xs_has(v, s) && v->at[s].type == XS_TEXT)
		return v->at[s].v.text;
	return (struct na_text){"", 0};
}

/* ops.c: the kinds of the event types of a TPU plane; false: memory
 * is short */
bool na_xs_ops_survey(struct na_xs_plane *p);
enum na_status na_xs_op_event(struct na_xs_read *r,
			      const struct na_xs_event *e) NA_MUST_CHECK;

/* mega.c, message.c, device.c, kernel.c: what an event type of
 * a plane means (0: of no interest), and what its events become */
uint8_t na_xs_mega_kind(const struct na_text *name, uint32_t wants);
bool na_xs_mega_acts(const struct na_text *name);
/* Into r->keeps, an action that nobody wants now. */
void na_xs_mega_keep(struct na_xs_read *r, const struct na_xs_event *e);
enum na_status na_xs_mega_event(struct na_xs_read *r,
				const struct na_xs_event *e) NA_MUST_CHECK;
/* Once graph_key is read: does the sink look at the event's collective? */
bool na_xs_mega_looked_at(struct na_xs_read *r);
uint8_t na_xs_message_kind(const struct na_text *name, uint32_t wants);
enum na_status na_xs_message_event(struct na_xs_read *r,
				   const struct na_xs_event *e) NA_MUST_CHECK;
uint8_t na_xs_kernel_kind(const struct na_text *name, uint32_t wants);
enum na_status na_xs_kernel_event(struct na_xs_read *r,
				  const struct na_xs_event *e) NA_MUST_CHECK;
enum na_status na_xs_step_event(struct na_xs_read *r,
				const struct na_xs_event *e) NA_MUST_CHECK;
enum na_status na_xs_module_event(struct na_xs_read *r,
				  const struct na_xs_event *e) NA_MUST_CHECK;

/* Start and end since the origin; false: does not fit or negative. */
static inline bool na_xs_event_span(const struct na_xs_event *e,
				    int64_t line_ps, int64_t *start_ps,
				    int64_t *end_ps)
{
	return e->duration_ps >= 0 &&
	       na_add_i64(line_ps, e->offset_ps, start_ps) &&
	       na_add_i64(*start_ps, e->duration_ps, end_ps);
}

static inline bool na_xs_event_times(const struct na_xs_read *r,
				     const struct na_xs_event *e,
				     int64_t *start_ps, int64_t *end_ps)
{
	return r->line_fits &&
	       na_xs_event_span(e, r->line_ps, start_ps, end_ps);
}
struct na_text na_xs_shown_name(const struct na_xs_event_type *t);

/* programs.c */
enum na_status na_xs_program_bytes(struct na_input *in, na_program_take take,
				   void *ctx, struct na_err *err) NA_MUST_CHECK;

/* cut.c: of a slice, the host that it was cut from is the space's. */
bool na_xs_cut_tell(struct na_input *in) NA_MUST_CHECK;
enum na_status na_xs_slice(struct na_input *in, const struct na_slice *of,
			   struct na_slice_counts *counts,
			   struct na_err *err) NA_MUST_CHECK;

uint64_t na_xs_spool(void *state, const uint8_t *p, size_t n, bool last,
		     uint32_t wants, bool *keep);
struct na_xs_spool_state {
	uint64_t plane_left; /* inside a plane kept in part */
	uint64_t drop;       /* decided, not yet handed out */
	enum na_xs_plane_kind kind;
	bool drop_all; /* keep line heads only */
};

#endif

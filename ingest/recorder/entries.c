/* The operations of a dump; see recorder.h. */
#include "ingest/recorder/recorder.h"

#include "netan/base/text.h"
#include "netan/model/device.h"

enum field {
	RECORD,
	PG_ID,
	GROUP,
	COLLECTIVE_SEQ,
	P2P_SEQ,
	OP_ID,
	NAME,
	CREATED,
	IN_SIZES,
	IN_TYPES,
	OUT_SIZES,
	OUT_TYPES,
	STATE,
	STARTED,
	COMPLETED,
	RETIRED,
	TIMEOUT,
	IS_P2P,
	FRAMES,
	N_FIELDS
};

static const char *const names[N_FIELDS] = {
	[RECORD] = "record_id",
	[PG_ID] = "pg_id",
	[GROUP] = "process_group",
	[COLLECTIVE_SEQ] = "collective_seq_id",
	[P2P_SEQ] = "p2p_seq_id",
	[OP_ID] = "op_id",
	[NAME] = "profiling_name",
	[CREATED] = "time_created_ns",
	[IN_SIZES] = "input_sizes",
	[IN_TYPES] = "input_dtypes",
	[OUT_SIZES] = "output_sizes",
	[OUT_TYPES] = "output_dtypes",
	[STATE] = "state",
	[STARTED] = "time_discovered_started_ns",
	[COMPLETED] = "time_discovered_completed_ns",
	[RETIRED] = "retired",
	[TIMEOUT] = "timeout_ms",
	[IS_P2P] = "is_p2p",
	[FRAMES] = "frames",
};

struct entries {
	struct na_recorder_dump *x;
	const struct na_dump_value *const *v; /* by field; or NULL */
};

static int field_of(struct na_text key)
{
	int i = 0;

	if (na_text_is(key, "seq_id")) /* up to version 2.0 */
		return COLLECTIVE_SEQ;
	while (i < N_FIELDS && !na_text_is(key, names[i]))
		i++;
	return i;
}

/* Are the keys those of the entry before, at the same places in memory?  Then
 * its values are where that one's were. */
static bool as_before(const struct na_recorder_dump *x,
		      const struct na_dump_list *entry)
{
	if (entry->v != x->entry || entry->n != x->entry_n)
		return false;
	for (size_t i = 0; i < entry->n; i += 2) {
		if (entry->v[i].kind != NA_DUMP_TEXT ||
		    entry->v[i].s != x->keys[i / 2].s)
			return false;
	}
	return true;
}

static void look_up(struct na_recorder_dump *x,
		    const struct na_dump_list *entry)
{
	_Static_assert(N_FIELDS <= NA_LEN(x->v), "a value for each field");
	if (as_before(x, entry))
		return;
	memset(x->v, 0, sizeof(x->v));
	for (size_t i = 0; i + 1 < entry->n; i += 2) {
		struct na_text key = na_dump_text(&entry->v[i]);
		size_t slot = i / 2 % NA_LEN(x->keys);

		if (x->keys[slot].s != key.s) {
			x->keys[slot].field = field_of(key);
			x->keys[slot].s = key.s;
		}
		if (x->keys[slot].field < N_FIELDS)
			x->v[x->keys[slot].field] = &entry->v[i + 1];
	}
	x->entry = entry->n <= 2 * NA_LEN(x->keys) ? entry->v : NULL;
	x->entry_n = entry->n;
}

static int64_t number(const struct entries *e, enum field f)
{
	int64_t i;

	return na_dump_int(e->v[f], &i) ? i : -1;
}

/* Missing ones are none, or 0 in JSON. */
static int64_t time_of(const struct entries *e, enum field f)
{
	int64_t ns = number(e, f);

	return ns > 0 ? ns : INT64_MIN;
}

static bool truth(const struct entries *e, enum field f)
{
	return e->v[f] && e->v[f]->kind == NA_DUMP_BOOL && e->v[f]->i;
}

/* ---- sizes */

static unsigned bits_of(struct na_text type)
{
	static const struct {
		const char *begins;
		unsigned bits;
	} types[] = {{"Float8", 8},        {"BFloat16", 16},
		     {"Float", 32},        {"Half", 16},
		     {"Double", 64},       {"Int", 32},
		     {"Long", 64},         {"Short", 16},
		     {"Char", 8},          {"Byte", 8},
		     {"Bool", 8},          {"UInt16", 16},
		     {"UInt32", 32},       {"UInt64", 64},
		     {"ComplexFloat", 64}, {"ComplexDouble", 128}};

	for (size_t i = 0; i < NA_LEN(types); i++) {
		if (na_text_begins(type, types[i].begins))
			return types[i].bits;
	}
	return 0;
}

/* The same: an entry speaks of the texts that those before it did. */
static unsigned known_bits(struct na_recorder_dump *x, struct na_text type)
{
	if (x->type.s != type.s || x->type.n != type.n) {
		x->type = type;
		x->type_bits = bits_of(type);
	}
	return x->type_bits;
}

/* Elements of one tensor: the product of its sizes; UINT64_MAX: past 64
 * bits, or no sizes. */
static uint64_t elements_of(const struct na_dump_value *tensor)
{
	const struct na_dump_list *l = na_dump_items(tensor, NA_DUMP_LIST);
	uint64_t n = 1;

	for (size_t i = 0; l && i < l->n; i++) {
		int64_t k;

		if (!na_dump_int(&l->v[i], &k) || k < 0 ||
		    __builtin_mul_overflow(n, (uint64_t)k, &n))
			return UINT64_MAX;
	}
	return l ? n : UINT64_MAX;
}

/* Of all tensors of a side, and their bytes; UINT64_MAX: not known. */
static void side(struct na_recorder_dump *x, const struct na_dump_value *sizes,
		 const struct na_dump_value *types, uint64_t *elements,
		 uint64_t *bytes)
{
	const struct na_dump_list *l = na_dump_items(sizes, NA_DUMP_LIST);
	const struct na_dump_list *t = na_dump_items(types, NA_DUMP_LIST);
	uint64_t n = 0, b = 0;
	bool known = l != NULL;

	for (size_t i = 0; known && i < l->n; i++) {
		uint64_t k = elements_of(&l->v[i]), more;
		unsigned bits = t && i < t->n
					? known_bits(x, na_dump_text(&t->v[i]))
					: 0;

		known = k != UINT64_MAX && !__builtin_add_overflow(n, k, &n);
		if (!bits || __builtin_mul_overflow(k, bits / 8, &more) ||
		    __builtin_add_overflow(b, more, &b))
			b = UINT64_MAX;
		if (b == UINT64_MAX)
			break;
	}
	*elements = known ? n : UINT64_MAX;
	*bytes = known ? b : UINT64_MAX;
}

static uint32_t first_type(struct entries *e)
{
	const struct na_dump_list *l = na_dump_items(e->v[IN_TYPES],
						     NA_DUMP_LIST);

	if (!l || !l->n)
		l = na_dump_items(e->v[OUT_TYPES], NA_DUMP_LIST);
	return l && l->n ? na_recorder_name(e->x, na_dump_text(&l->v[0]))
			 : NA_NO_NAME;
}

static void sizes_of(struct entries *e, struct na_fr_entry *to)
{
	uint64_t in, out;

	side(e->x, e->v[IN_SIZES], e->v[IN_TYPES], &to->in_elements, &in);
	side(e->x, e->v[OUT_SIZES], e->v[OUT_TYPES], &to->out_elements, &out);
	to->size_bytes = in == UINT64_MAX || (out != UINT64_MAX && out > in)
				 ? out
				 : in;
	to->type = first_type(e);
}

/* ---- what it is */

/* A rank within its group as a rank of the job; -1. */
static int32_t job_rank(const struct na_recorder_dump *x, uint32_t group,
			uint64_t local)
{
	const struct na_fr_group *g = &x->ranks->groups.v[group];

	return local < g->n ? x->ranks->members.v[g->first + local] : -1;
}

/* "nccl:all_reduce", "nccl:send 1->2", "nccl:recv 3<-0": ranks are those of
 * the group. */
static void operation_of(struct entries *e, struct na_fr_entry *to)
{
	struct na_text name = na_dump_text(e->v[NAME]), op, ends;
	struct na_scan c;
	uint64_t self, peer;

	to->on_cpus = na_text_split(name, ":", &op, &name) &&
		      na_text_is(op, "gloo");
	if (!na_text_split(name, " ", &op, &ends)) {
		to->operation = na_recorder_name(e->x, name);
		return;
	}
	c = na_scan_of(ends);
	if (na_scan_number(&c, &self) && c.end - c.p > 2 &&
	    (memcmp(c.p, "->", 2) == 0 || memcmp(c.p, "<-", 2) == 0)) {
		c.p += 2;
		if (na_scan_number(&c, &peer))
			to->peer = job_rank(e->x, to->group, peer);
	}
	to->operation = na_recorder_name(e->x, op);
}

static enum na_fr_state state_of(struct na_text s)
{
	return na_text_is(s, "completed") ? NA_FR_COMPLETED
	       : na_text_is(s, "started") ? NA_FR_STARTED
					  : NA_FR_SCHEDULED;
}

static void note_times(struct na_fr_dump *d, const struct na_fr_entry *e)
{
	const int64_t times[] = {e->created_ns, e->started_ns, e->completed_ns};

	for (size_t i = 0; i < NA_LEN(times); i++) {
		if (times[i] == INT64_MIN)
			continue;
		if (d->oldest_ns == INT64_MIN || times[i] < d->oldest_ns)
			d->oldest_ns = times[i];
		if (times[i] > d->newest_ns)
			d->newest_ns = times[i];
	}
}

/* How far the rank is, as its entries tell it. */
static bool note_place(struct entries *e, const struct na_fr_entry *to)
{
	struct na_fr_place *p = na_fr_place(e->x->dump, to->group);
	int64_t op = number(e, OP_ID);

	if (!p)
		return false;
	if (to->p2p || (op >= 0 && op != to->sequence))
		p->p2p = true;
	if (to->p2p)
		return true;
	if (to->sequence > p->listed)
		p->listed = to->sequence;
	if (to->sequence >= p->enqueued) {
		p->enqueued = to->sequence;
		p->operation = to->operation;
	}
	if (to->state >= NA_FR_STARTED && to->sequence > p->started)
		p->started = to->sequence;
	if (to->state == NA_FR_COMPLETED && to->sequence > p->completed)
		p->completed = to->sequence;
	return true;
}

static bool group_of(struct entries *e, struct na_fr_entry *to)
{
	const struct na_dump_list *l = na_dump_items(e->v[GROUP], NA_DUMP_LIST);

	to->group = na_recorder_group_of(
		e->x, na_dump_text(l && l->n ? &l->v[0] : NULL),
		na_dump_text(l && l->n > 1 ? &l->v[1] : NULL),
		number(e, PG_ID));
	return to->group != NA_NO_NAME;
}

/* The fields of an entry; false: no memory. */
static bool one_entry(struct entries *e, struct na_fr_entry *to)
{
	*to = (struct na_fr_entry){.record = number(e, RECORD),
				   .created_ns = time_of(e, CREATED),
				   .started_ns = time_of(e, STARTED),
				   .completed_ns = time_of(e, COMPLETED),
				   .timeout_ms = number(e, TIMEOUT),
				   .peer = -1,
				   .retired = truth(e, RETIRED),
				   .p2p = truth(e, IS_P2P)};
	to->sequence = number(e, to->p2p ? P2P_SEQ : COLLECTIVE_SEQ);
	to->state = (uint8_t)state_of(na_dump_text(e->v[STATE]));
	if (to->retired || to->completed_ns != INT64_MIN)
		to->state = NA_FR_COMPLETED;
	if (!group_of(e, to))
		return false;
	operation_of(e, to);
	sizes_of(e, to);
	note_times(e->x->dump, to);
	return note_place(e, to);
}

/* ---- those that are kept */

static struct na_recorder_frame frame_of(const struct na_dump_value *v)
{
	struct na_recorder_frame f = {
		.function = na_dump_text(na_dump_get(v, "name")),
		.file = na_dump_text(na_dump_get(v, "filename"))};

	if (!na_dump_int(na_dump_get(v, "line"), &f.line))
		f.line = -1;
	return f;
}

/* Keys are one text each, as those of entries: where a frame before had these
 * at these places, its values are known. */
static struct na_recorder_frame same_frame(struct na_recorder_dump *x,
					   const struct na_dump_value *v)
{
	const struct na_dump_list *l = v->kind == NA_DUMP_DICT ? v->list : NULL;
	bool three = l && l->n == 6 && l->v[0].kind == NA_DUMP_TEXT &&
		     l->v[2].kind == NA_DUMP_TEXT &&
		     l->v[4].kind == NA_DUMP_TEXT;

	if (!three)
		return frame_of(v);
	if (l->v[0].s != x->frame_keys[0] || l->v[2].s != x->frame_keys[1] ||
	    l->v[4].s != x->frame_keys[2]) {
		bool usual = na_text_is(na_dump_text(&l->v[0]), "name") &&
			     na_text_is(na_dump_text(&l->v[2]), "filename") &&
			     na_text_is(na_dump_text(&l->v[4]), "line");

		if (!usual)
			return frame_of(v);
		for (size_t i = 0; i < 3; i++)
			x->frame_keys[i] = l->v[2 * i].s;
	}
	return (struct na_recorder_frame){na_dump_text(&l->v[1]),
					  na_dump_text(&l->v[3]),
					  l->v[5].kind == NA_DUMP_INT
						  ? l->v[5].i
						  : -1};
}

static bool add_frame(struct na_recorder_dump *x, struct na_recorder_frame f)
{
	if (f.line < 0 || f.line > INT32_MAX)
		f.line = -1;
	return na_add(&x->dump->frames,
		      ((struct na_fr_frame){na_recorder_name(x, f.function),
					    na_recorder_name(x, f.file),
					    (int32_t)f.line}));
}

static bool add_frames(struct entries *e, const struct na_dump_value *v,
		       struct na_fr_entry *to)
{
	const struct na_dump_list *l = na_dump_items(v, NA_DUMP_LIST);
	struct na_fr_dump *d = e->x->dump;

	to->frame = (uint32_t)d->frames.n;
	for (size_t i = 0; l && i < l->n && i < 256; i++) {
		if (!add_frame(e->x, frame_of(&l->v[i])))
			return false;
	}
	to->n_frames = (uint32_t)d->frames.n - to->frame;
	return true;
}

/* Of operations that have completed, the last one's alone are kept: where its
 * rank was last, if it never called the next. */
static void note_frames(struct na_recorder_dump *x,
			const struct na_dump_value *v)
{
	const struct na_dump_list *l = na_dump_items(v, NA_DUMP_LIST);

	x->n_last = 0;
	for (size_t i = 0; l && i < l->n && i < NA_LEN(x->last); i++)
		x->last[x->n_last++] = same_frame(x, &l->v[i]);
}

static bool add_last_frames(struct na_recorder_dump *x)
{
	struct na_fr_dump *d = x->dump;
	struct na_fr_entry *e = d->entries.n ? &d->entries.v[d->entries.n - 1]
					     : NULL;

	if (!e || e->state != NA_FR_COMPLETED)
		return true;
	e->frame = (uint32_t)d->frames.n;
	for (size_t i = 0; i < x->n_last; i++) {
		if (!add_frame(x, x->last[i]))
			return false;
	}
	e->n_frames = (uint32_t)x->n_last;
	return true;
}

/* So many more may come before those that stay are sought. */
enum { ENTRIES = 256 };

/* From the last to the first: all that are open, and of those that have
 * completed the last ones of each group. */
static bool keep_some(struct na_recorder_dump *x)
{
	struct na_fr_dump *d = x->dump;
	uint32_t *kept = na_calloc(x->ranks->groups.n + 1, sizeof(*kept));
	size_t to = d->entries.n, n;

	if (!kept)
		return false;
	for (size_t i = d->entries.n; i-- > 0;) {
		const struct na_fr_entry *e = &d->entries.v[i];

		if (e->state != NA_FR_COMPLETED ||
		    kept[e->group]++ < NA_FR_KEPT)
			d->entries.v[--to] = *e;
	}
	n = d->entries.n - to;
	if (n && to)
		memmove(d->entries.v, d->entries.v + to,
			n * sizeof(*d->entries.v));
	d->entries.n = n;
	x->entries_max = 2 * n + ENTRIES;
	free(kept);
	return true;
}

bool na_recorder_entry(struct na_recorder_dump *x,
		       const struct na_dump_value *v)
{
	const struct na_dump_list *entry = na_dump_items(v, NA_DUMP_DICT);
	struct na_fr_dump *d = x->dump;
	struct entries e = {x, x->v};
	struct na_fr_entry to;

	if (entry)
		look_up(x, entry);
	if (!entry || !e.v[GROUP] || !e.v[NAME] || !e.v[STATE]) {
		d->left_out++;
		return true;
	}
	if (!one_entry(&e, &to))
		return false;
	if (!d->n_entries++)
		d->lost = to.record > 0;
	if (to.state == NA_FR_COMPLETED) {
		d->all = true;
		note_frames(x, e.v[FRAMES]);
	} else if (!add_frames(&e, e.v[FRAMES], &to)) {
		return false;
	}
	if (d->entries.n >= x->entries_max && !keep_some(x))
		return false;
	return na_add(&d->entries, to);
}

bool na_recorder_entries_end(struct na_recorder_dump *x)
{
	const struct na_dump_list *l =
		na_dump_items(na_dump_get(x->top, "entries"), NA_DUMP_LIST);

	for (size_t i = 0; l && i < l->n; i++) {
		if (!na_recorder_entry(x, &l->v[i]))
			return false;
	}
	/* Where none has completed, those that have were left out. */
	x->dump->lost = x->dump->lost && x->dump->all;
	/* Where it breaks off, the last that is here was not its last. */
	return (x->dump->cut || add_last_frames(x)) &&
	       (x->keeps_all || keep_some(x));
}

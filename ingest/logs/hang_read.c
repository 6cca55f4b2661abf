#include <stdlib.h>
#include <string.h>

#include "ingest/logs/hang.h"
#include "ingest/logs/hang_prefix.h"
#include "ingest/logs/hang_report.h"
#include "ingest/logs/hang_wrapped.h"
#include "ingest/logs/lines.h"
#include "ingest/nccl/log.h"
#include "netan/base/vec.h"

/* clang-format off */
static const char *const words[] = {
	"hang detected", "HANG_DETECTED", "detects a hang",
	"workers have halted", "Full error digest:", "Potential cause:",
	"Potential culprit", "TPU program fingerprints:",
	"Tag:PC breakdown:", "that have bad TPUs",
	"that have different HLO", "that have data input stall",
};
/* clang-format on */
enum { N_WORDS = sizeof(words) / sizeof(words[0]) };

enum {
	PREFIX_MAX = 512,
	WHO_MAX = 200,
	FRONT_MAX = 200, /* where a time may stand */
	DEPTH_MAX = 3    /* of messages that are objects again */
};

struct stream {
	struct na_hang_open open; /* record SIZE_MAX: free */
	char prefix[PREFIX_MAX];
	size_t n_prefix;
	uint32_t who;  /* of a JSON line's members; NA_NO_NAME: none */
	uint64_t last; /* line of its own */
	bool bare;     /* its lines have nothing in front */
};

struct reading {
	struct na_hang *h;
	struct na_nccl_log *nccl; /* NULL: nobody asks for it */
	const char *all_words[N_WORDS + NA_NCCL_WORDS];
	struct na_needles needles;
	uint32_t file;
	struct stream *streams; /* NA_HANG_STREAMS */
	size_t n_open;
	struct na_hang_csv csv;
	char *plain;              /* NA_LINE_MAX, of the line */
	struct na_hang_time time; /* the last one that was read */
	/* the line that is being read */
	uint64_t number;
	bool cut;
	uint32_t who, speaker;       /* of its text so far */
	struct na_hang_time wrapped; /* the time of its JSON object */
};

/* ---- streams */

static void close_stream(struct reading *g, struct stream *s)
{
	s->open.record = SIZE_MAX;
	g->n_open--;
}

static bool is_open(const struct stream *s)
{
	return s->open.record != SIZE_MAX;
}

static struct na_text prefix_of(const struct stream *s)
{
	return na_text_n(s->prefix, s->n_prefix);
}

/* The open stream with the most first words of its prefix in front of x; of
 * those alike, the last one that spoke.  whole: nothing but these words may
 * be there. */
static struct stream *best_stream(struct reading *g, struct na_text x,
				  bool whole, size_t *words_in, size_t *end)
{
	size_t all = whole ? na_prefix_words(x) : 0;
	struct stream *best = NULL;

	for (size_t i = 0; i < NA_HANG_STREAMS; i++) {
		struct stream *s = &g->streams[i];
		size_t to, n;

		if (!is_open(s) || s->who != g->who)
			continue;
		n = na_prefix_match(prefix_of(s), x, &to);
		if ((whole && n < all) || !na_prefix_may_end(prefix_of(s), n))
			continue;
		if (best && (n < *words_in ||
			     (n == *words_in && s->last <= best->last)))
			continue;
		best = s;
		*words_in = n;
		*end = to;
	}
	return best;
}

static struct stream *free_stream(struct reading *g)
{
	struct stream *oldest = NULL;

	for (size_t i = 0; i < NA_HANG_STREAMS; i++) {
		struct stream *s = &g->streams[i];

		if (!is_open(s))
			return s;
		if (!oldest || s->last < oldest->last)
			oldest = s;
	}
	close_stream(g, oldest);
	return oldest;
}

static void close_silent(struct reading *g)
{
	for (size_t i = 0; g->n_open && i < NA_HANG_STREAMS; i++) {
		struct stream *s = &g->streams[i];

		if (is_open(s) && g->number - s->last > NA_HANG_SILENCE)
			close_stream(g, s);
	}
}

/* ---- records */

/* Who speaks and when, by what stands in front. */
static bool sign(struct reading *g, struct na_hang_record *r,
		 struct na_text prefix)
{
	struct na_hang_time t;
	char who[WHO_MAX];
	size_t n = 0, in_front;
	bool ok = true;

	na_prefix_time(prefix, &t);
	if (!t.known || (g->wrapped.known && !t.has_year))
		t = g->wrapped.known ? g->wrapped : t;
	if (t.known) {
		g->time = t;
	} else {
		t = g->time;
		t.borrowed = true;
	}
	r->time = t;
	r->file = g->file;
	r->line = g->number;
	if (g->who != NA_NO_NAME) {
		const char *s = na_strtab_at(&g->h->names, g->who);

		n = strnlen(s, WHO_MAX / 2);
		memcpy(who, s, n);
		who[n++] = ' ';
	}
	in_front = na_prefix_who(prefix, who + n, sizeof(who) - n);
	n += in_front;
	while (n && who[n - 1] == ' ')
		n--;
	r->source = na_hang_name(g->h, na_text_n(who, n), &ok);
	/* Of a text with several lines, the first one says who speaks. */
	if (!in_front && g->speaker != NA_NO_NAME)
		r->source = g->speaker;
	g->speaker = r->source;
	return ok;
}

static bool detection(struct reading *g, struct na_text x, size_t at,
		      const struct na_hang_record *found)
{
	bool full;
	struct na_hang_record *r = na_hang_add(g->h, &full);

	if (!r)
		return full;
	r->detection = true;
	r->launch_id = found->launch_id;
	r->awaited = found->awaited;
	r->completed = found->completed;
	r->timeout_ps = found->timeout_ps;
	r->step_in_progress = found->step_in_progress;
	return sign(g, r, na_text_n(x.s, at));
}

/* A report that begins at `at` of the line; *out NULL: there are too many. */
static bool open_report(struct reading *g, struct stream *s, struct na_text x,
			size_t at, struct stream **out)
{
	bool full;
	struct na_hang_record *r = na_hang_add(g->h, &full);

	*out = NULL;
	if (!r)
		return full;
	if (!s)
		s = free_stream(g);
	if (!is_open(s))
		g->n_open++;
	s->open = (struct na_hang_open){.record = g->h->records.n - 1,
					.launch_id = -1};
	s->n_prefix = at < PREFIX_MAX ? at : PREFIX_MAX;
	memcpy(s->prefix, x.s, s->n_prefix);
	s->who = g->who;
	s->bare = false;
	*out = s;
	return sign(g, r, na_text_n(x.s, at));
}

/* ---- lines */

/* A second digest, or a second cause, is another report. */
static bool begins_another(const struct reading *g, const struct stream *s,
			   enum na_hang_key key)
{
	const struct na_hang_record *r = &g->h->records.v[s->open.record];

	return key == NA_KEY_VERDICT || key == NA_KEY_HALTED ||
	       (key == NA_KEY_DIGEST && r->digest) ||
	       (key == NA_KEY_CAUSE && r->cause_text != NA_NO_NAME);
}

static bool keyed_line(struct reading *g, struct na_text x,
		       enum na_hang_key key, size_t at)
{
	size_t n = 0, end = 0;
	struct stream *s = best_stream(g, na_text_n(x.s, at), true, &n, &end);

	if (!s && (key >= NA_KEY_MODULE || key == NA_KEY_STATS ||
		   key == NA_KEY_STATES))
		return true;
	if (!s || begins_another(g, s, key)) {
		if (!open_report(g, s, x, at, &s))
			return false;
		if (!s)
			return true;
	} else {
		s->bare |= n == 0;
	}
	s->last = g->number;
	return na_hang_take_keys(g->h, &s->open, na_text_from(x, at), g->cut);
}

static bool only_blanks(struct na_text x)
{
	return na_hang_trim(x).n == 0;
}

/* How far a line is indented behind what is in front of it: one blank only
 * separates. */
static size_t indentation(struct na_text rest, bool in_front)
{
	size_t n = 0;

	while (n < rest.n && (rest.s[n] == ' ' || rest.s[n] == '\t'))
		n++;
	return in_front && n ? n - 1 : n;
}

static bool other_line(struct reading *g, struct na_text x)
{
	size_t n = 0, end = 0, depth;
	struct stream *s = best_stream(g, x, false, &n, &end);
	bool child, all;

	if (!s)
		return true;
	x = na_text_from(x, end);
	if (only_blanks(x))
		return true;
	depth = indentation(x, n > 0);
	child = na_hang_is_child(&s->open, x);
	all = n == na_prefix_words(prefix_of(s));
	if (depth == 0 && !child) {
		/* Another's line, a wrapped verdict, or the end; of a verdict
		 * alone, only of its lists: the digest may follow. */
		if (s->open.keyed && !na_prefix_begins(x) &&
		    (n ? all : s->bare)) {
			if (g->h->records.v[s->open.record].digest)
				close_stream(g, s);
			else
				s->open.block = NA_KEY_NONE;
		} else if (!s->open.keyed && all) {
			s->last = g->number;
		}
		return true;
	}
	s->bare |= n == 0;
	s->last = g->number;
	return na_hang_take_child(g->h, &s->open, x, g->cut);
}

/* With its time, which stands before the words of NCCL's and PyTorch's. */
static bool nccl_line(struct reading *g, struct na_text x)
{
	struct na_text front, behind;
	struct na_hang_time t;

	if (!na_text_split(x, " NCCL INFO ", &front, &behind))
		front = x;
	if (front.n > FRONT_MAX)
		front.n = FRONT_MAX;
	na_prefix_time(front, &t);
	if (!t.known || (g->wrapped.known && !t.has_year))
		t = g->wrapped.known ? g->wrapped : t;
	return na_nccl_log_line(g->nccl, x, &t);
}

static bool take_line(struct reading *g, struct na_text x)
{
	struct na_hang_record found = {.launch_id = -1,
				       .awaited = -1,
				       .completed = -1,
				       .timeout_ps = -1,
				       .step_in_progress = -1};
	size_t at, value;
	enum na_hang_key key = na_hang_key_in(x, &at, &value);

	if (g->nccl && !nccl_line(g, x))
		return false;
	if (key != NA_KEY_NONE)
		return keyed_line(g, x, key, at);
	if (na_hang_detection_in(x, &at, &found))
		return detection(g, x, at, &found);
	return !g->n_open || other_line(g, x);
}

/* A message of several lines is whole: what it opened ends with it. */
static void close_opened(struct reading *g, size_t from)
{
	for (size_t i = 0; i < NA_HANG_STREAMS; i++) {
		struct stream *s = &g->streams[i];

		if (is_open(s) && s->open.record >= from)
			close_stream(g, s);
	}
}

static bool take_lines(struct reading *g, struct na_text x)
{
	size_t start = 0, before = g->h->records.n, lines = 0;
	bool cut = g->cut;

	g->speaker = NA_NO_NAME;
	for (size_t i = 0; i <= x.n; i++) {
		if (i < x.n && x.s[i] != '\n')
			continue;
		g->cut = cut && i == x.n;
		if (!take_line(g, na_text_n(x.s + start, i - start)))
			return false;
		lines += !only_blanks(na_text_n(x.s + start, i - start));
		start = i + 1;
	}
	if (lines > 1)
		close_opened(g, before);
	return true;
}

/* The values that name a source, with '/' between, and its time. */
static bool sign_wrapped(struct reading *g, const struct na_hang_wrapped *w)
{
	char who[WHO_MAX];
	size_t n = 0;
	bool ok = true;

	if (w->time.n)
		na_hang_wrapped_time(w, &g->wrapped);
	if (!w->n_who)
		return true;
	for (size_t i = 0; i < w->n_who; i++) {
		if (n && n < sizeof(who))
			who[n++] = '/';
		for (size_t k = 0; k < w->who[i].n && n < sizeof(who); k++)
			who[n++] = w->who[i].s[k];
	}
	g->who = na_hang_name(g->h, na_text_n(who, n), &ok);
	return ok;
}

/* An escaped text, undone where it is: in g->plain. */
static struct na_text undone(struct reading *g, struct na_text x)
{
	char *at = g->plain + (x.s - g->plain);

	x.n = na_hang_unescape(x, at);
	x.n = na_hang_strip(at, x.n);
	return x;
}

/* Where there are none, newlines are written as \n: up to the quote that ends
 * the text, but not what stands before it. */
static bool take_escaped(struct reading *g, struct na_text x)
{
	const char *start = memmem(x.s, x.n, "\\n", 2);
	struct na_text text;

	if (!start || memchr(x.s, '\n', x.n))
		return take_lines(g, x);
	while (start > x.s && start[-1] != '"')
		start--;
	text = undone(g, na_text_from(x, (size_t)(start - x.s)));
	return take_lines(g, na_text_n(x.s, (size_t)(start - x.s) + text.n));
}

/* A text in g->plain: an object or several, whose messages may be one
 * again, or lines. */
static bool take_text(struct reading *g, struct na_text x, int depth)
{
	struct na_text rest = g->cut && !depth ? na_hang_from_object(x) : x;
	struct na_text object;
	struct na_hang_wrapped w;
	bool wrapped = false, cut = g->cut;

	while (depth < DEPTH_MAX && na_hang_next_object(&rest, &object)) {
		if (!na_hang_unwrap(object, &w))
			continue;
		wrapped = true;
		g->cut = cut && !rest.n;
		if (!sign_wrapped(g, &w) ||
		    !take_text(g, undone(g, w.message), depth + 1))
			return false;
	}
	if (wrapped || na_hang_is_json(x))
		return true;
	if (depth < DEPTH_MAX && na_hang_logfmt(x, &w))
		return sign_wrapped(g, &w) &&
		       take_lines(g, undone(g, w.message));
	return take_escaped(g, x);
}

/* The n bytes of g->plain. */
static bool take_physical(struct reading *g, size_t n)
{
	struct na_hang_wrapped w;

	g->who = NA_NO_NAME;
	g->wrapped.known = false;
	n = na_hang_strip(g->plain, n);
	if (!g->csv.delimiter)
		return take_text(g, na_text_n(g->plain, n), 0);
	return !na_hang_csv_fields(&g->csv, g->plain, n, &w) ||
	       (sign_wrapped(g, &w) && take_text(g, w.message, 0));
}

/* A line, or a record of CSV: of a field over several lines, too, as far as
 * there is room; a quote that nothing ends does not take the rest. */
static enum na_status next_text(struct reading *g, struct na_lines *l,
				size_t *n, struct na_err *err)
{
	bool each = g->n_open || g->csv.delimiter, quoted = false;
	struct na_line line;
	enum na_status st;

	*n = 0;
	do {
		size_t room = NA_LINE_MAX - *n;

		st = each ? na_lines_each(l, &g->needles, &line, err)
			  : na_lines_find(l, &g->needles, &line, err);
		if (st != NA_OK)
			return st == NA_END && *n ? NA_OK : st;
		if (!*n) {
			g->number = line.number;
			g->cut = false;
		} else if (room) {
			g->plain[(*n)++] = '\n';
			room--;
		}
		g->cut |= line.cut || line.n > room;
		room = line.n < room ? line.n : room;
		memcpy(g->plain + *n, line.text, room);
		*n += room;
		quoted = g->csv.delimiter &&
			 na_hang_csv_quoted(&g->csv,
					    na_text_n(line.text, line.n),
					    quoted);
	} while (quoted && *n < NA_LINE_MAX);
	return NA_OK;
}

static enum na_status read_lines(struct reading *g, struct na_lines *l,
				 struct na_err *err)
{
	struct na_line line;
	enum na_status st = na_lines_each(l, &g->needles, &line, err);
	size_t n = 0;

	if (st == NA_OK) {
		g->number = line.number;
		g->cut = line.cut;
		n = line.n;
		memcpy(g->plain, line.text, n);
		n = na_hang_strip(g->plain, n);
		na_hang_csv_head(na_text_n(g->plain, n), &g->csv);
	}
	while (st == NA_OK) {
		if (!take_physical(g, n))
			return na_fail_nomem(err);
		close_silent(g);
		st = next_text(g, l, &n, err);
	}
	return st == NA_END ? NA_OK : st;
}

/* What turned out not to be a digest. */
static void drop_unsure(struct na_hang *h, size_t from)
{
	size_t kept = from;

	for (size_t i = from; i < h->records.n; i++) {
		struct na_hang_record *r = &h->records.v[i];

		if (r->detection || r->sure || r->listed.n)
			h->records.v[kept++] = *r;
		else
			na_hang_free_record(r);
	}
	h->records.n = kept;
}

static bool begin(struct reading *g)
{
	g->streams = na_calloc(NA_HANG_STREAMS, sizeof(*g->streams));
	g->plain = malloc(NA_LINE_MAX);
	g->nccl = g->h->ranks ? na_nccl_log_new() : NULL;
	memcpy(g->all_words, words, sizeof(words));
	memcpy(g->all_words + N_WORDS, na_nccl_words,
	       sizeof(*words) * NA_NCCL_WORDS);
	g->needles =
		(struct na_needles){g->all_words,
				    N_WORDS + (g->nccl ? NA_NCCL_WORDS : 0)};
	for (size_t i = 0; g->streams && i < NA_HANG_STREAMS; i++)
		g->streams[i].open.record = SIZE_MAX;
	return g->streams && g->plain && (g->nccl || !g->h->ranks);
}

static void end(struct reading *g)
{
	na_nccl_log_free(g->nccl);
	free(g->streams);
	free(g->plain);
}

enum na_status na_hang_read(struct na_hang *h, const char *path,
			    struct na_err *err)
{
	struct reading g = {.h = h, .file = (uint32_t)h->files.n};
	size_t before = h->records.n;
	struct na_hang_file *f;
	struct na_lines *l;
	enum na_status st;

	if (!na_room(&h->files, 1))
		return na_fail_nomem(err);
	f = &h->files.v[h->files.n++];
	*f = (struct na_hang_file){.path = path};
	st = na_lines_open(&l, path, err);
	if (st != NA_OK)
		return st;
	st = begin(&g) ? read_lines(&g, l, err) : na_fail_nomem(err);
	if (g.nccl && (st == NA_OK || st == NA_EFORMAT)) {
		struct na_hang_time last;

		if (!na_lines_packing(l)) {
			na_hang_ends(path, &last, h->ranks);
			na_nccl_log_last(g.nccl, h->ranks, &last);
		}
		if (!na_nccl_log_end(g.nccl, h->ranks, path))
			st = na_fail_nomem(err);
	}
	drop_unsure(h, before);
	f->lines = na_lines_count(l);
	f->bytes = na_lines_bytes(l);
	/* A log may have a hole of NULs where the machine went down. */
	f->binary = st == NA_OK && h->records.n == before && na_lines_binary(l);
	f->read = (st == NA_OK && !f->binary) ||
		  (st == NA_EFORMAT &&
		   !(na_lines_endless(l) && h->records.n == before));
	if (f->binary) {
		st = na_fail(err, NA_EFORMAT,
			     "%s: no log: control characters among its first "
			     "bytes, or a result of netan's; hang reads logs "
			     "(traces and captures: netan check)",
			     path);
	}
	na_lines_close(l);
	end(&g);
	return st;
}

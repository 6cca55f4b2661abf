#include "plot/figures/latency/table.h"
#include "members.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

#define LINE   1.55 /* of a table, in sizes of its font */
#define SAMPLE 2.4  /* of a line */
#define NAME   7.0  /* least room for a name */
#define END    5.0  /* likewise, for one of a pair */

#define INTERVAL "95 % interval"

static struct na_font plain(const struct na_layout *l)
{
	return na_layout_font(l, NA_SIZE_TEXT, l->theme->text);
}

static struct na_font grey(const struct na_layout *l)
{
	return na_layout_font(l, NA_SIZE_TEXT, l->theme->secondary);
}

struct na_pen na_latency_pen(const struct na_layout *l, const struct latency *t,
			     size_t i)
{
	/* clang-format off */
	static const enum na_dash dashes[NA_TOP_SERIES] = {
		NA_SOLID,       NA_DASHED,   NA_DOTTED,
		NA_LONG_DASHED, NA_DASH_DOT, NA_DASH_DOT_DOT};
	/* clang-format on */
	bool rest = i >= NA_TOP_SERIES || (t->has_rest && i + 1 == t->n_top);

	return (struct na_pen){.color = rest ? l->theme->hue[NA_HUE_REST]
					     : l->theme->hue[i],
			       .width = fmax((rest ? 1.2 : 1.8) * l->unit, 1),
			       .dash = rest ? NA_SOLID : dashes[i]};
}

/* A value that too few transfers support stands in brackets. */
static const char *cell(char *buf, const struct latency_group *g,
			enum latency_mark m)
{
	char text[NA_LABEL_BUF];

	na_latency_text(text, g->us[m]);
	snprintf(buf, NA_LABEL_BUF, g->few[m] ? "(%.60s)" : "%.60s", text);
	return buf;
}

/* ---- several groups: a line each */

/* What stands in a row beside its name: in order, and which go first when
 * room is short. */
/* clang-format off */
static const enum latency_mark columns[] = {
	MARK_P50, MARK_P90, MARK_P99, MARK_P99_9, MARK_MAX};
static const size_t keep[] = {2, 0, 4, 3, 1};
/* clang-format on */
enum { COLUMNS = NA_LEN(columns) };

static double column_width(const struct na_layout *l, const struct latency *t,
			   enum latency_mark m)
{
	struct na_font font = plain(l);
	double widest = na_measure(l->canvas, na_latency_marks[m], &font);
	char buf[NA_LABEL_BUF];

	for (size_t i = 0; i < t->n_top; i++)
		widest = fmax(widest,
			      na_measure(l->canvas, cell(buf, &t->top[i], m),
					 &font));
	return widest + 1.5 * l->gap;
}

/* The columns that fit into `most`, and how much the names get. */
static double choose_columns(const struct na_layout *l, const struct latency *t,
			     double most, bool shown[COLUMNS])
{
	struct na_font font = plain(l);
	double name = 0, left, total;

	for (size_t i = 0; i < t->n_top; i++)
		name = fmax(name, na_measure(l->canvas, t->top[i].name, &font));
	total = SAMPLE * font.size + l->gap;
	left = most - total - fmin(name, NAME * font.size);
	for (size_t i = 0; i < COLUMNS; i++) {
		double width = column_width(l, t, columns[keep[i]]);

		shown[keep[i]] = width <= left;
		if (!shown[keep[i]])
			break;
		left -= width;
		total += width;
	}
	if (!shown[keep[0]])
		return 0;
	return fmin(total + name, most);
}

/* Both ends of a pair are told apart by how they end. */
static void fit_ends(const struct na_layout *l, const struct na_font *font,
		     double room, const char *src, const char *dst,
		     char from[NA_TEXT_MAX], char to[NA_TEXT_MAX])
{
	double width = na_measure(l->canvas, dst, font);

	na_text_fit(l->canvas, from, src, font, room - fmin(width, room / 2),
		    NA_CUT_MIDDLE);
	na_text_fit(l->canvas, to, dst, font,
		    room - na_measure(l->canvas, from, font), NA_CUT_MIDDLE);
}

static void fit_name(const struct na_layout *l, const struct na_font *font,
		     double room, const char *name, char text[NA_TEXT_MAX])
{
	static const char arrow[] = "->";
	const char *at = strstr(name, arrow);
	char src[NA_TEXT_MAX], from[NA_TEXT_MAX], to[NA_TEXT_MAX];
	struct words w = {.n = 0};

	if (!at || na_measure(l->canvas, name, font) <= room) {
		na_text_fit(l->canvas, text, name, font, room, NA_CUT_MIDDLE);
		return;
	}
	snprintf(src, sizeof(src), "%.*s", (int)(at - name), name);
	fit_ends(l, font, room - na_measure(l->canvas, arrow, font), src,
		 at + strlen(arrow), from, to);
	na_words_add(&w, "%s%s%s", from, arrow, to);
	na_text_fit(l->canvas, text, w.text, font, room, NA_CUT_MIDDLE);
}

static void draw_name(const struct na_layout *l, const struct latency *t,
		      size_t i, double y, double x0, double x1)
{
	struct na_font font = plain(l);
	double middle = y - na_text_ascent(&font) / 2;
	struct na_pen pen = na_latency_pen(l, t, i);
	char name[NA_TEXT_MAX];

	na_draw_line(l->canvas, x0, middle, x0 + (SAMPLE - 0.4) * font.size,
		     middle, &pen);
	x0 += SAMPLE * font.size;
	fit_name(l, &font, x1 - x0, t->top[i].name, name);
	na_draw_text(l->canvas, x0, y, name, &font);
}

static double draw_rows(const struct na_layout *l, const struct latency *t,
			struct na_box box)
{
	struct na_font head = grey(l), font = plain(l);
	double y = box.y0 + font.size, line = LINE * font.size, x = box.x1;
	bool shown[COLUMNS] = {false};
	char buf[NA_LABEL_BUF], more[64];

	choose_columns(l, t, box.x1 - box.x0, shown);
	head.align = font.align = NA_RIGHT;
	for (size_t k = COLUMNS; k-- > 0;) {
		if (!shown[k])
			continue;
		na_draw_text(l->canvas, x, y, na_latency_marks[columns[k]],
			     &head);
		for (size_t i = 0; i < t->n_top; i++) {
			double at = y + (double)(i + 1) * line;

			if (at <= box.y1)
				na_draw_text(l->canvas, x, at,
					     cell(buf, &t->top[i], columns[k]),
					     &font);
		}
		x -= column_width(l, t, columns[k]);
	}
	for (size_t i = 0; i < t->n_top; i++) {
		y += line;
		if (y <= box.y1)
			draw_name(l, t, i, y, box.x0, x);
	}
	if (!t->n_others || y + line > box.y1)
		return y;
	y += line;
	if (na_latency_grey(t) < t->n_others)
		snprintf(more, sizeof(more), "and %zu more, %zu in grey",
			 t->n_others, na_latency_grey(t));
	else
		snprintf(more, sizeof(more), "and %zu more, in grey",
			 t->n_others);
	head.align = NA_LEFT;
	na_draw_text(l->canvas, box.x0 + SAMPLE * font.size, y, more, &head);
	return y;
}

/* ---- one group: a line for each quantile, then what else is known */

struct fact {
	char name[64], value[NA_LABEL_BUF], interval[2 * NA_LABEL_BUF];
};
enum { FACTS = MARKS + 6 };

static void interval_words(char *buf, size_t size,
			   const struct latency_group *g, enum latency_mark m)
{
	static const char *const names[MARKS] = {
		[MARK_P50] = M_p50_ci95_us,
		[MARK_P90] = M_p90_ci95_us,
		[MARK_P95] = M_p95_ci95_us,
		[MARK_P99] = M_p99_ci95_us,
		[MARK_P99_9] = M_p99_9_ci95_us,
		[MARK_P99_99] = M_p99_99_ci95_us};
	char a[NA_LABEL_BUF], b[NA_LABEL_BUF];
	const double *ends;
	size_t n = 0;

	buf[0] = '\0';
	ends = names[m] ? na_reals_of(na_get(g->row, names[m]), &n) : NULL;
	if (!ends || n != 2 || (isnan(ends[0]) && isnan(ends[1])))
		return;
	na_latency_text(a, ends[0]);
	na_latency_text(b, ends[1]);
	if (isnan(ends[1]))
		snprintf(buf, size, "over %.50s", a);
	else if (isnan(ends[0]))
		snprintf(buf, size, "up to %.50s", b);
	else
		snprintf(buf, size, "%.50s to %.50s", a, b);
}

static void add_fact(struct fact *f, size_t *n, const char *name, double x,
		     const char *format)
{
	char number[NA_LABEL_BUF];

	if (!isfinite(x))
		return;
	f[*n] = (struct fact){.interval = ""};
	snprintf(f[*n].name, sizeof(f->name), "%s", name);
	snprintf(f[*n].value, sizeof(f->value), "%.40s%.16s",
		 na_label_short(number, x, 3), format);
	(*n)++;
}

static size_t facts_of(const struct latency *t, struct fact f[FACTS])
{
	const struct latency_group *g = &t->top[0];
	char number[NA_UNIT_BUF];
	size_t n = 0;

	for (enum latency_mark m = MARK_MIN; m < MARKS; m++, n++) {
		f[n] = (struct fact){.name = ""};
		snprintf(f[n].name, sizeof(f->name), "%s", na_latency_marks[m]);
		cell(f[n].value, g, m);
		interval_words(f[n].interval, sizeof(f->interval), g, m);
	}
	f[n] = (struct fact){.name = "transfers"};
	snprintf(f[n++].value, sizeof(f->value), "%s",
		 na_print_count(number, (uint64_t)g->count));
	add_fact(f, &n, "p99 / p50", na_number_at(g->row, M_tail_ratio), "x");
	if (isfinite(na_number_at(g->row, M_fixed_us)))
		add_fact(f, &n, "p99 over its size",
			 exp(na_number_at(g->row, M_residual_p99)), "x");
	add_fact(f, &n, "fixed cost", na_number_at(g->row, M_fixed_us), " us");
	add_fact(f, &n, "one transfer", na_number_at(g->row, M_bandwidth_gbps),
		 " Gbit/s");
	add_fact(f, &n, "receives: waiting",
		 100 * na_number_at(g->row, M_split "." M_waiting_share), " %");
	return n;
}

struct widths {
	double name, value, interval;
};

static struct widths fact_widths(const struct na_layout *l,
				 const struct fact *f, size_t n)
{
	struct widths w = {0, 0, 0};
	struct na_font font = plain(l);

	for (size_t i = 0; i < n; i++) {
		w.name = fmax(w.name, na_measure(l->canvas, f[i].name, &font));
		w.value = fmax(w.value,
			       na_measure(l->canvas, f[i].value, &font));
		w.interval = fmax(w.interval,
				  na_measure(l->canvas, f[i].interval, &font));
	}
	if (w.interval > 0)
		w.interval = fmax(w.interval,
				  na_measure(l->canvas, INTERVAL, &font));
	return w;
}

static double draw_facts(const struct na_layout *l, const struct latency *t,
			 struct na_box box)
{
	struct fact f[FACTS];
	size_t n = facts_of(t, f);
	struct widths w = fact_widths(l, f, n);
	struct na_font name = grey(l), value = plain(l), dim = grey(l);
	double y = box.y0 + value.size, line = LINE * value.size;
	double middle = box.x0 + w.name + l->gap + w.value;
	bool intervals = middle + 2 * l->gap + w.interval <= box.x1;

	value.align = NA_RIGHT;
	value.bold = false;
	if (intervals && w.interval > 0 && y + line <= box.y1) {
		na_draw_text(l->canvas, middle + 2 * l->gap, y, "95 % interval",
			     &dim);
		y += line;
	}
	for (size_t i = 0; i < n; i++, y += line) {
		/* What is no quantile stands apart. */
		if (i == MARKS)
			y += 0.6 * line;
		if (y > box.y1)
			break;
		na_draw_text(l->canvas, box.x0, y, f[i].name, &name);
		na_draw_text(l->canvas, middle, y, f[i].value, &value);
		if (intervals && f[i].interval[0])
			na_draw_text(l->canvas, middle + 2 * l->gap, y,
				     f[i].interval, &dim);
	}
	return y - line;
}

/* ---- below both: the slowest of all */

static void slow_words(struct words *w, const struct na_value *v,
		       const char *src, const char *dst, bool bytes)
{
	char buf[NA_LABEL_BUF];

	na_words_add(w, "%s \xc2\xb7 %s%s%s",
		     na_latency_text(buf, na_number_at(v, M_latency_us)),
		     src ? src : "", src ? "\xe2\x86\x92" : "", dst);
	if (bytes)
		na_words_add(w, " \xc2\xb7 %s",
			     na_label_quantity(buf, NA_Q_BYTES,
					       na_number_at(v, M_bytes), 3));
	na_words_add(w, " \xc2\xb7 at %s",
		     na_label_quantity(buf, NA_Q_SECONDS,
				       na_number_at(v, M_time_s), 3));
}

/* What the names leave, which are cut first. */
static double room_for_names(const struct na_layout *l,
			     const struct na_value *v,
			     const struct na_font *font, double room,
			     bool bytes)
{
	struct words w = {.n = 0};

	slow_words(&w, v, na_text_or(v, M_src, NULL) ? "" : NULL, "", bytes);
	return room - na_measure(l->canvas, w.text, font);
}

/* Where room is short the bytes go. */
static bool room_for_bytes(const struct na_layout *l, const struct na_value *v,
			   const struct na_font *font, double room)
{
	for (; v; v = v->next) {
		const char *src = na_text_or(v, M_src, NULL);
		const char *dst = na_text_or(v, M_dst, "?");
		double least = (src ? 2 : 1) * END * font->size;
		double names = na_measure(l->canvas, dst, font);

		if (src)
			names += na_measure(l->canvas, src, font);
		if (room_for_names(l, v, font, room, true) < fmin(names, least))
			return false;
	}
	return true;
}

static void draw_slowest(const struct na_layout *l, const struct latency *t,
			 struct na_box box)
{
	const struct na_value *v = na_get(t->side, M_slowest);
	struct na_font head = grey(l), font = plain(l);
	double line = LINE * font.size, y = box.y0 + 1.8 * line;
	char text[NA_TEXT_MAX];
	bool bytes;

	v = na_items(v);
	if (!v || y + line > box.y1)
		return;
	bytes = room_for_bytes(l, v, &font, box.x1 - box.x0);
	na_draw_text(l->canvas, box.x0, y, "slowest", &head);
	for (y += line; v && y <= box.y1; v = v->next, y += line) {
		const char *src = na_text_or(v, M_src, NULL);
		char from[NA_TEXT_MAX], to[NA_TEXT_MAX];
		struct words w = {.n = 0};

		fit_ends(l, &font,
			 room_for_names(l, v, &font, box.x1 - box.x0, bytes),
			 src ? src : "", na_text_or(v, M_dst, "?"), from, to);
		slow_words(&w, v, src ? from : NULL, to, bytes);
		na_text_fit(l->canvas, text, w.text, &font, box.x1 - box.x0,
			    NA_CUT_END);
		na_draw_text(l->canvas, box.x0, y, text, &font);
	}
}

double na_latency_table_width(const struct na_layout *l,
			      const struct latency *t, double most)
{
	struct fact f[FACTS];
	struct widths w;
	double least;
	bool shown[COLUMNS] = {false};

	if (t->n_top + t->n_others > 1 || t->top[0].name[0])
		return choose_columns(l, t, most, shown);
	w = fact_widths(l, f, facts_of(t, f));
	least = w.name + w.value + l->gap;
	if (least + 2 * l->gap + w.interval <= most)
		return least + 2 * l->gap + w.interval;
	return least <= most ? least : 0;
}

void na_latency_table(const struct na_layout *l, const struct latency *t,
		      struct na_box box)
{
	if (t->n_top + t->n_others > 1 || t->top[0].name[0])
		box.y0 = draw_rows(l, t, box);
	else
		box.y0 = draw_facts(l, t, box);
	draw_slowest(l, t, box);
}

#include "netan/exports/prom/prom.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/strtab.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/exports/export.h"
#include "netan/model/gpu/kernels.h"
#include "netan/result/emit.h"

struct row {
	/* family: its name and help; sample: list, value, label and text;
	 * label: list, name and member, or what says its text; where: a
	 * value. */
	enum { FAMILY_ROW, SAMPLE_ROW, STATE_ROW, LABEL_ROW, WHERE_ROW } kind;
	const char *command, *a, *b, *label, *text;
	double factor;
	const char *(*says)(const struct na_value *v, char buf[NA_UNIT_BUF]);
	double (*gives)(const struct na_value *v);
};

/* The title of a finding has its numbers, of which each is a series. */
static const char *looked_for(const struct na_value *finding,
			      char buf[NA_UNIT_BUF])
{
	const struct na_check *x = na_check_find(na_text_at(finding, M_id));

	(void)buf;
	return x ? x->question : NULL;
}

/* Both sides of a host, unless it is one of its ranks. */
static const char *kind_of(const struct na_value *accused,
			   char buf[NA_UNIT_BUF])
{
	const char *kind = na_text_or(accused, M_kind, NULL);

	(void)buf;
	return kind && strcmp(kind, "host") == 0 &&
			       isfinite(na_number_at(accused, M_rank))
		       ? "rank"
		       : kind;
}

/* ---- as NCCL Inspector has it */

static const char *name_of(const struct na_value *collective,
			   char buf[NA_UNIT_BUF])
{
	(void)buf;
	return na_text_or(collective, M_collective, NULL);
}

/* "AllReduce" of what ranks call ALL_REDUCE; programs give names. */
static const char *function_of(const struct na_value *collective,
			       char buf[NA_UNIT_BUF])
{
	const char *type = na_text_at(collective, M_transfer_type);
	const char *name = na_text_or(collective, M_collective, type);
	const char *function = na_nccl_function(name);

	(void)buf;
	return function ? function : name;
}

static const char *operation_of(const struct na_value *collective,
				char buf[NA_UNIT_BUF])
{
	(void)buf;
	return na_nccl_function(na_text_at(collective, M_transfer_type));
}

/* In a program. */
static const char *instruction_of(const struct na_value *collective,
				  char buf[NA_UNIT_BUF])
{
	const char *name = name_of(collective, buf);

	return name && !na_nccl_function(name) ? name : NULL;
}

/* Of one communicator. */
static const char *nodes_of(const struct na_value *collective,
			    char buf[NA_UNIT_BUF])
{
	size_t n = na_length(collective, M_hosts);

	snprintf(buf, NA_UNIT_BUF, "%zu", n);
	return n && na_text_or(collective, M_group, NULL) ? buf : NULL;
}

static const char *node_of(const struct na_value *collective,
			   char buf[NA_UNIT_BUF])
{
	(void)buf;
	return na_length(collective, M_hosts) == 1
		       ? na_text_of(na_items(na_get(collective, M_hosts)), NULL)
		       : NULL;
}

/* "4-5MB", by powers of 1024; a share of what each rank has in the end. */
static void print_size(char buf[NA_UNIT_BUF], double bytes)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	size_t i = 0;

	for (; bytes >= 1024 && i + 1 < NA_LEN(units); i++)
		bytes /= 1024;
	if (bytes < 1)
		snprintf(buf, NA_UNIT_BUF, bytes > 0 ? "1-2B" : "0B");
	else
		snprintf(buf, NA_UNIT_BUF, "%.0f-%.0f%s", floor(bytes),
			 floor(bytes) + 1, units[i]);
}

/* Of the elements that the call counts: one rank's share of what is gathered,
 * or scattered.  NULL: of several sizes, or not told. */
static const char *size_of(const struct na_value *collective,
			   char buf[NA_UNIT_BUF])
{
	const char *type = na_text_at(collective, M_transfer_type);
	double n = na_number_at(collective, M_group_size), share = 1;
	double least = na_number_at(collective, M_min_bytes);
	double most = na_number_at(collective, M_max_bytes);
	char other[NA_UNIT_BUF];

	if (strcmp(type, "ALL_GATHER") == 0 ||
	    strcmp(type, "REDUCE_SCATTER") == 0)
		share = n;
	if (strstr(type, "ALL_TO_ALL") || !isfinite(least) ||
	    !isfinite(most) || !(share > 0))
		return NULL;
	print_size(buf, least / share);
	print_size(other, most / share);
	return strcmp(buf, other) == 0 ? buf : NULL;
}

static bool is_nccl(const struct na_value *collective)
{
	return strcmp(na_text_at(collective, M_network), "gpu") == 0;
}

static bool is_pair(const struct na_value *collective)
{
	const char *type = na_text_at(collective, M_transfer_type);

	return is_nccl(collective) && strcmp(type, "SEND_RECV") == 0;
}

static double bus_gbs(const struct na_value *collective)
{
	return na_number_at(collective, M_bus_gbps) * 0.125;
}

static double collective_gbs(const struct na_value *v)
{
	return is_pair(v) ? (double)NAN : bus_gbs(v);
}

static double pair_gbs(const struct na_value *v)
{
	return is_pair(v) ? bus_gbs(v) : (double)NAN;
}

/* clang-format off */
static const struct row rows[] = {
#define FAMILY(command, name, help) \
	{FAMILY_ROW, #command, name, help, "", "", 0, NULL, NULL},
#define SAMPLE(list, value, factor, label, text) \
	{SAMPLE_ROW, NULL, list, value, label, text, factor, NULL, NULL},
#define SAMPLE_BY(list, function) \
	{SAMPLE_ROW, NULL, list, "", "", "", 0, NULL, function},
#define STATE(list, value) \
	{STATE_ROW, NULL, list, value, "", "", 1, NULL, NULL},
#define LABEL(command, list, name, member) \
	{LABEL_ROW, #command, list, member, name, "", 0, NULL, NULL},
#define LABEL_BY(command, list, name, function) \
	{LABEL_ROW, #command, list, "", name, "", 0, function, NULL},
#define LABEL_IN(command, prefix, list, name, function) \
	{LABEL_ROW, #command, list, "", name, #prefix, 0, function, NULL},
#define WHERE(value) {WHERE_ROW, NULL, "", value, "", "", 0, NULL, NULL},
#include "netan/exports/prom/metrics.def"
};
/* clang-format on */

struct putting {
	FILE *out;
	const struct na_request *q;
	const char *command;
	struct na_strtab seen; /* label sets of a family */
	bool headed, failed;
};

bool na_prom_has(const char *command)
{
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		if (rows[i].command && strcmp(rows[i].command, command) == 0)
			return true;
	}
	return false;
}

/* "name=\"value\"" behind what is there; a text that is not told is none. */
static void add_label(struct putting *p, struct na_str *to, const char *name,
		      const char *text)
{
	char *shown = p->q ? na_shown(p->q, text) : strdup(text), *clean;
	size_t n = shown ? na_escape(NA_ESC_TERMINAL, shown, NULL, 0) : 0;

	clean = shown ? malloc(n + 1) : NULL;
	if (!clean) {
		free(shown);
		p->failed = true;
		return;
	}
	na_escape(NA_ESC_TERMINAL, shown, clean, n + 1);
	na_str_join(to, ",", "%s=\"", name);
	for (const char *c = clean; *c; c++)
		na_str_addf(to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	na_str_addf(to, "\"");
	free(shown);
	free(clean);
}

/* Several, one behind the other. */
static char *text_of_list(const struct na_value *list)
{
	struct na_str text = {.s = NULL};

	na_for_each (v, list)
		na_str_join(&text, ",", "%s", na_text_of(v, ""));
	return text.s;
}

static void add_labels(struct putting *p, struct na_str *to,
		       const struct row *family, const char *list,
		       const struct na_value *v)
{
	char number[NA_UNIT_BUF];

	for (size_t i = 0; *list && i < NA_LEN(rows); i++) {
		const struct row *r = &rows[i];
		const struct na_value *of;
		char *several = NULL;
		const char *text;

		if (r->kind != LABEL_ROW ||
		    strcmp(r->command, p->command) != 0 ||
		    strcmp(r->a, list) != 0 ||
		    strncmp(family->a, r->text, strlen(r->text)) != 0)
			continue;
		of = r->says ? NULL : na_dig(v, r->b);
		text = r->says ? r->says(v, number) : na_text_of(of, NULL);
		if (of && of->kind == NA_V_LIST)
			text = several = text_of_list(of);
		if (!text && of && of->kind == NA_V_INT) {
			snprintf(number, sizeof(number), "%lld",
				 (long long)of->u.i);
			text = number;
		}
		if (text)
			add_label(p, to, r->label, text);
		free(several);
	}
}

static void put_sample(struct putting *p, const struct row *family,
		       const struct row *r, const struct na_value *v)
{
	const char *state = r->kind == STATE_ROW && *r->b ? na_text_at(v, r->b)
							  : NULL;
	double x = r->kind == STATE_ROW ? 1
		   : r->gives           ? r->gives(v)
					: na_number_at(v, r->b) * r->factor;
	struct na_str labels = {.s = NULL};
	char number[NA_UNIT_BUF];
	size_t before = p->seen.n;

	if (!isfinite(x) || (r->kind == STATE_ROW && *r->b && !*state))
		return;
	na_str_addf(&labels, "%s", "");
	add_labels(p, &labels, family, r->a, v);
	if (state)
		add_label(p, &labels, r->b, state);
	if (*r->label)
		add_label(p, &labels, r->label, r->text);
	if (labels.failed ||
	    na_strtab_add(&p->seen, labels.s, labels.n) == NA_NO_NAME) {
		p->failed = true;
	} else if (p->seen.n > before) {
		if (!p->headed)
			fprintf(p->out, "# HELP %s %s\n# TYPE %s gauge\n",
				family->a, family->b, family->a);
		p->headed = true;
		fprintf(p->out, labels.n ? "%s{%s} %s\n" : "%s%s %s\n",
			family->a, labels.s, na_print_double(number, x));
	}
	free(labels.s);
}

static void put_samples(struct putting *p, const struct row *family,
			const struct row *r, const struct na_value *body)
{
	if (!*r->a) {
		put_sample(p, family, r, body);
		return;
	}
	na_each_row (v, na_get(body, r->a))
		put_sample(p, family, r, v);
}

static void put_command(struct putting *p, const struct na_result *result)
{
	const struct na_value *body = na_result_get_body(result);
	const struct row *family = NULL;

	for (size_t i = 0; i < NA_LEN(rows); i++) {
		const struct row *r = &rows[i];

		if (r->kind == FAMILY_ROW) {
			family = strcmp(r->command, p->command) == 0 ? r : NULL;
			na_strtab_fini(&p->seen);
			p->headed = false;
		} else if (family && r->kind == WHERE_ROW) {
			family = na_number_at(body, r->b) > 0 ? family : NULL;
		} else if (family && r->kind != LABEL_ROW) {
			put_samples(p, family, r, body);
		}
	}
	na_strtab_fini(&p->seen);
}

/* What every result says of its inputs: told once. */
static void put_common(FILE *out, const struct na_value *doc)
{
	double origin = na_number_at(doc, M_origin_unix_ns) / 1e9;
	char number[NA_UNIT_BUF];

	fprintf(out,
		"# HELP netan_inputs Files that were read.\n"
		"# TYPE netan_inputs gauge\nnetan_inputs %zu\n",
		na_length(doc, M_inputs));
	if (isfinite(origin))
		fprintf(out,
			"# HELP netan_origin_timestamp_seconds When it began.\n"
			"# TYPE netan_origin_timestamp_seconds gauge\n"
			"netan_origin_timestamp_seconds %s\n",
			na_print_double(number, origin));
}

/* What was read is of all analyses, as a check; NULL: no command. */
static const char *whose(const struct na_prom_of *of)
{
	return strcmp(of->command, "session") == 0 ? "check"
	       : strcmp(of->command, "check") && na_prom_has(of->command)
		       ? of->command
		       : NULL;
}

/* Of each command; of a check that is told by what was read, or alone. */
static void put_windows(FILE *out, const struct na_prom_of *of, size_t n)
{
	char number[NA_UNIT_BUF];
	bool headed = false;

	for (size_t i = 0; i < n; i++) {
		const char *command = n == 1 ? of[i].command : whose(&of[i]);
		double lasts = na_number_at(na_result_get_doc(of[i].result),
					    M_duration_s);

		if (!command || !of[i].result || !isfinite(lasts))
			continue;
		if (!headed)
			fputs("# HELP netan_window_seconds From the first to "
			      "the last of what the command used of them.\n"
			      "# TYPE netan_window_seconds gauge\n",
			      out);
		headed = true;
		fprintf(out, "netan_window_seconds{command=\"%s\"} %s\n",
			command, na_print_double(number, lasts));
	}
}

enum na_status na_prom_put(const struct na_prom_of *of, size_t n,
			   const struct na_request *q, FILE *out,
			   struct na_err *err)
{
	struct putting p = {.out = out, .q = q};
	const struct na_value *doc = NULL;

	memset(&p.seen, 0, sizeof(p.seen));
	for (size_t i = 0; i < n && !na_get(doc, M_inputs); i++)
		doc = na_result_get_doc(of[i].result);
	if (na_get(doc, M_inputs))
		put_common(out, doc);
	put_windows(out, of, n);
	for (size_t i = 0; i < n; i++) {
		if (!of[i].result)
			continue;
		p.command = of[i].command;
		put_command(&p, of[i].result);
	}
	if (p.failed)
		return na_fail_nomem(err);
	if (fflush(out) == 0 && !ferror(out))
		return NA_OK;
	return na_fail(err, NA_EIO, "%s", strerror(errno ? errno : EIO));
}

/* ---- export -o x.prom */

struct state {
	FILE *out;
	const struct na_request *q;
};

static enum na_status prom_begin(void *state, const char *path,
				 const struct na_request *q, struct na_err *err)
{
	struct state *x = state;

	x->q = q;
	x->out = fopen(path, "we");
	return x->out ? NA_OK : na_fail_errno(err, path);
}

static enum na_status prom_end(void *state, const struct na_export_of *of,
			       FILE *told, struct na_err *err)
{
	struct na_prom_of all[NA_MAX_EVIDENCE + 1];
	const struct na_battery *b = of->battery;
	struct state *x = state;
	size_t n = 0;

	for (; n < b->n; n++)
		all[n] = (struct na_prom_of){b->exhibits[n].name,
					     b->exhibits[n].result};
	all[n++] = (struct na_prom_of){"check", of->check};
	fputs("metrics", told);
	if (b->session.store.n_runs > 1)
		fputs("; what hosts received and sent is of all runs together",
		      told);
	return na_prom_put(all, n, x->q, x->out, err);
}

static void prom_close(void *state)
{
	struct state *x = state;

	if (x->out)
		fclose(x->out);
}

const struct na_export na_export_prom = {
	.ending = "prom",
	.what = "metrics for Prometheus",
	.state_size = sizeof(struct state),
	.begin = prom_begin,
	.end = prom_end,
	.close = prom_close,
};

#include "netan/model/logs/hang.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

void na_hang_init(struct na_hang *h)
{
	memset(h, 0, sizeof(*h));
}

void na_hang_free_record(struct na_hang_record *r)
{
	free(r->culprits.v);
	free(r->listed.v);
	free(r->counters.v);
	free(r->fingerprints.v);
	free(r->errors.v);
	free(r->states.v);
	free(r->places.v);
	free(r->at_places.v);
	free(r->texts.v);
}

void na_hang_fini(struct na_hang *h)
{
	for (size_t i = 0; i < h->records.n; i++)
		na_hang_free_record(&h->records.v[i]);
	free(h->records.v);
	free(h->files.v);
	na_strtab_fini(&h->names);
}

struct na_hang_record *na_hang_add(struct na_hang *h, bool *full)
{
	struct na_hang_record *r;

	*full = h->records.n >= NA_HANG_RECORDS_MAX;
	h->left_out += *full;
	if (*full || !na_room(&h->records, 1))
		return NULL;
	r = &h->records.v[h->records.n++];
	*r = (struct na_hang_record){.source = NA_NO_NAME,
				     .launch_id = -1,
				     .awaited = -1,
				     .completed = -1,
				     .timeout_ps = -1,
				     .step_in_progress = -1,
				     .cause = NA_HANG_UNKNOWN,
				     .cause_text = NA_NO_NAME,
				     .error_time = NA_NO_NAME,
				     .error_type = NA_NO_NAME};
	return r;
}

uint32_t na_hang_add_name(struct na_hang *h, const char *s, size_t n, bool *ok)
{
	uint32_t name = na_strtab_find(&h->names, s, n);

	if (name != NA_NO_NAME)
		return name;
	if (h->names.n >= NA_HANG_NAMES_MAX) {
		h->left_out++;
		return NA_NO_NAME;
	}
	name = na_strtab_add(&h->names, s, n);
	*ok = *ok && name != NA_NO_NAME;
	return name;
}

/* ---- from one set of logs to another */

static void rename_one(const uint32_t *to, uint32_t *name)
{
	if (*name != NA_NO_NAME)
		*name = to[*name];
}

static void rename_workers(const uint32_t *to, struct na_hang_worker *w,
			   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		rename_one(to, &w[i].job);
		rename_one(to, &w[i].task);
		rename_one(to, &w[i].host);
		rename_one(to, &w[i].chip);
		rename_one(to, &w[i].core);
	}
}

static void rename_said(const uint32_t *to, struct na_hang_said *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		rename_one(to, &s[i].host);
		rename_one(to, &s[i].value);
	}
}

static void rename_record(const uint32_t *to, struct na_hang_record *r)
{
	rename_one(to, &r->source);
	rename_one(to, &r->cause_text);
	rename_one(to, &r->error_time);
	rename_one(to, &r->error_type);
	rename_workers(to, r->culprits.v, r->culprits.n);
	rename_workers(to, r->listed.v, r->listed.n);
	rename_workers(to, r->at_places.v, r->at_places.n);
	rename_said(to, r->counters.v, r->counters.n);
	rename_said(to, r->fingerprints.v, r->fingerprints.n);
	rename_said(to, r->errors.v, r->errors.n);
	for (size_t i = 0; i < r->states.n; i++) {
		rename_one(to, &r->states.v[i].module);
		rename_one(to, &r->states.v[i].fingerprint);
	}
	for (size_t i = 0; i < r->places.n; i++) {
		rename_one(to, &r->places.v[i].tag);
		rename_one(to, &r->places.v[i].pc);
		rename_one(to, &r->places.v[i].hlo);
	}
	for (size_t i = 0; i < r->texts.n; i++)
		rename_one(to, &r->texts.v[i]);
}

static size_t items_of(const struct na_hang_record *r)
{
	return r->culprits.n + r->listed.n + r->counters.n + r->fingerprints.n +
	       r->errors.n + r->states.n + r->places.n + r->at_places.n +
	       r->texts.n;
}

/* Beyond the limits a record is left out as a whole. */
static bool take_record(struct na_hang *h, struct na_hang_record *r,
			const uint32_t *to, uint32_t first_file)
{
	size_t items = items_of(r);

	if (h->records.n >= NA_HANG_RECORDS_MAX ||
	    items > NA_HANG_ITEMS_MAX - h->n_items) {
		h->left_out++;
		na_hang_free_record(r);
		return true;
	}
	if (!na_room(&h->records, 1))
		return false;
	rename_record(to, r);
	r->file += first_file;
	h->n_items += items;
	h->records.v[h->records.n++] = *r;
	return true;
}

bool na_hang_take(struct na_hang *h, struct na_hang *from)
{
	uint32_t *to = na_calloc((size_t)from->names.n + 1, sizeof(*to));
	uint32_t first_file = (uint32_t)h->files.n;
	size_t done = 0;
	bool ok = to != NULL;

	for (uint32_t i = 0; ok && i < from->names.n; i++)
		to[i] = na_hang_add_name(h, from->names.names[i].s,
					 from->names.names[i].len, &ok);
	for (size_t i = 0; ok && i < from->files.n; i++) {
		ok = na_room(&h->files, 1);
		if (ok)
			h->files.v[h->files.n++] = from->files.v[i];
	}
	while (ok && done < from->records.n) {
		ok = take_record(h, &from->records.v[done], to, first_file);
		done += ok;
	}
	/* What is taken is not freed twice. */
	for (size_t i = done; i < from->records.n; i++)
		na_hang_free_record(&from->records.v[i]);
	from->records.n = 0;
	from->files.n = 0;
	h->left_out += from->left_out;
	from->left_out = 0;
	free(to);
	return ok;
}

/* clang-format off */
static const struct { const char *word, *text; } causes[NA_N_HANG_CAUSES] = {
	{"bad_chip", "bad TPU chip"},
	{"networking", "networking issue"},
	{"different_module", "different modules"},
	{"fingerprint_mismatch", "fingerprint mismatch"},
	{"input_stall", "data input stall"},
	{"unrecoverable_error", "unrecoverable error"},
	{"program_not_queued", "program not queued"},
	{"device_stuck", "GPU stuck"},
	{"host_stuck", "process stuck"},
	{"mismatch", "different operations"},
	{"missing_rank", "missing rank"},
	{"unknown", "unknown cause"},
};
/* clang-format on */

const char *na_hang_cause_word(enum na_hang_cause c)
{
	return causes[c].word;
}

const char *na_hang_cause_text(enum na_hang_cause c)
{
	return causes[c].text;
}

const char *na_hang_time_text(const struct na_hang_time *t,
			      char buf[NA_HANG_TIME_BUF])
{
	char utc[NA_UNIT_BUF], *end, *frac;

	if (!t->known)
		return NULL;
	/* "2026-11-20 21:28:00.123 UTC" */
	na_print_utc(utc, t->ns);
	end = strstr(utc, " UTC");
	if (end)
		*end = '\0';
	frac = strchr(utc, '.');
	for (end = utc + strlen(utc); frac && end > frac; end--) {
		if (end[-1] != '0' && end[-1] != '.')
			break;
		end[-1] = '\0';
	}
	if (!t->has_year) {
		snprintf(buf, NA_HANG_TIME_BUF, "%s", utc + 5);
		return buf;
	}
	utc[10] = 'T';
	snprintf(buf, NA_HANG_TIME_BUF, "%sZ", utc);
	return buf;
}

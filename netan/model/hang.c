#include "netan/model/hang.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"

void na_hang_init(struct na_hang *h)
{
	memset(h, 0, sizeof(*h));
	na_strtab_init(&h->names);
}

static void free_record(struct na_hang_record *r)
{
	free(r->culprits.items);
	free(r->listed.items);
	free(r->counters.items);
	free(r->fingerprints.items);
	free(r->errors.items);
	free(r->states.items);
	free(r->places.items);
	free(r->at_places.items);
	free(r->texts.items);
}

void na_hang_fini(struct na_hang *h)
{
	for (size_t i = 0; i < h->records.n; i++)
		free_record(&h->records.items[i]);
	free(h->records.items);
	free(h->files.items);
	na_strtab_fini(&h->names);
}

struct na_hang_record *na_hang_add(struct na_hang *h, bool *full)
{
	struct na_hang_record *r;

	*full = h->records.n >= NA_HANG_RECORDS_MAX;
	h->left_out += *full;
	if (*full || !na_hang_room(&h->records))
		return NULL;
	r = &h->records.items[h->records.n++];
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

/* clang-format off */
static const struct { const char *word, *text; } causes[NA_N_HANG_CAUSES] = {
	{"bad_chip", "bad TPU chip"},
	{"networking", "networking issue"},
	{"different_module", "different modules"},
	{"fingerprint_mismatch", "fingerprint mismatch"},
	{"input_stall", "data input stall"},
	{"unrecoverable_error", "unrecoverable error"},
	{"program_not_queued", "program not queued"},
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

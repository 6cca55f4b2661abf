#include "ingest/logs/hang_report.h"

#include <string.h>

#include "netan/base/similar.h"
#include "netan/base/vec.h"

/* clang-format off */
static const struct { const char *word; enum na_hang_key key; } keys[] = {
	{"Megascale detects a hang", NA_KEY_VERDICT},
	{"detects a hang that is likely caused by", NA_KEY_VERDICT},
	{"detects a hang but cannot determine", NA_KEY_VERDICT},
	{"Some workers have halted", NA_KEY_HALTED},
	{"Full error digest:", NA_KEY_DIGEST},
	{"Potential cause:", NA_KEY_CAUSE},
	{"Potential culprit workers:", NA_KEY_CULPRITS},
	{"Potential culprit worker:", NA_KEY_CULPRITS},
	{"TPU stats:", NA_KEY_STATS},
	{"TPU program fingerprints:", NA_KEY_PRINTS},
	{"TPU states:", NA_KEY_STATES},
	{"Tag:PC breakdown:", NA_KEY_BREAKDOWN},
	{"The host that have bad TPUs are:", NA_KEY_HOSTS},
	{"The hosts that have bad TPUs are:", NA_KEY_HOSTS},
	{"The host that have data input stalls are:", NA_KEY_HOSTS},
	{"The hosts that have data input stalls are:", NA_KEY_HOSTS},
	{"Example hosts that have different HLO modules:", NA_KEY_HOSTS},
	{"Example hosts that have different HLO fingerprints:", NA_KEY_HOSTS},
	{"The hosts are:", NA_KEY_HOSTS},
	{"The host are:", NA_KEY_HOSTS},
	{"Module:", NA_KEY_MODULE},
	{"Fingerprint:", NA_KEY_FINGERPRINT},
	{"Launch ID:", NA_KEY_LAUNCH},
	{"Sample worker:", NA_KEY_SAMPLE},
	{"First error timestamp:", NA_KEY_ERROR_TIME},
	{"First error type:", NA_KEY_ERROR_TYPE},
	{"Please inspect the error log of these workers:", NA_KEY_INSPECT},
};
/* clang-format on */

static bool letter(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* The first letters of all of them. */
static const bool begins_key[256] = {
	['D'] = true, ['d'] = true, ['E'] = true, ['e'] = true,
	['F'] = true, ['f'] = true, ['L'] = true, ['l'] = true,
	['M'] = true, ['m'] = true, ['P'] = true, ['p'] = true,
	['S'] = true, ['s'] = true, ['T'] = true, ['t'] = true,
};

enum na_hang_key na_hang_key_in(struct na_text x, size_t *at, size_t *value)
{
	for (size_t i = 0; i < x.n; i++) {
		if (!begins_key[(unsigned char)x.s[i]] ||
		    (i && letter(x.s[i - 1])))
			continue;
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			if (!na_starts_nocase(x.s + i, x.n - i, keys[k].word))
				continue;
			*at = i;
			*value = i + strlen(keys[k].word);
			return keys[k].key;
		}
	}
	return NA_KEY_NONE;
}

/* ---- lists */

/* Room for one more thing of a report; *skip: there are too many. */
static bool may_add(struct na_hang *h, bool *skip)
{
	*skip = h->n_items >= NA_HANG_ITEMS_MAX;
	h->left_out += *skip;
	h->n_items += !*skip;
	return !*skip;
}

#define APPEND(h, list, item) \
	do { \
		bool skip_; \
		if (may_add(h, &skip_)) { \
			if (!na_room(list, 1)) \
				return false; \
			(list)->v[(list)->n++] = (item); \
		} \
	} while (0)

static struct na_hang_record *record_of(struct na_hang *h,
					const struct na_hang_open *o)
{
	return &h->records.v[o->record];
}

enum list_of { CULPRITS, LISTED, AT_PLACES };

static bool add_worker(struct na_hang *h, struct na_hang_record *r,
		       enum list_of of, struct na_text x)
{
	struct na_hang_worker w;
	bool ok = true;

	if (!na_hang_worker_of(h, x, &w, &ok))
		return ok;
	if (of == CULPRITS)
		APPEND(h, &r->culprits, w);
	else if (of == LISTED)
		APPEND(h, &r->listed, w);
	else
		APPEND(h, &r->at_places, w);
	return true;
}

/* Separated by commas.  Of a line that was cut, the last may be a piece. */
static bool add_workers(struct na_hang *h, struct na_hang_record *r,
			enum list_of of, struct na_text x, bool cut)
{
	size_t start = 0;

	for (size_t i = 0; i <= x.n; i++) {
		if (i < x.n && x.s[i] != ',')
			continue;
		if (i == x.n && cut) {
			h->left_out++;
			break;
		}
		if (!add_worker(h, r, of, na_text_n(x.s + start, i - start)))
			return false;
		start = i + 1;
	}
	return true;
}

/* ---- states */

static bool new_state(struct na_hang *h, struct na_hang_open *o)
{
	struct na_hang_record *r = record_of(h, o);
	struct na_hang_state s = {.module = NA_NO_NAME,
				  .fingerprint = NA_NO_NAME,
				  .launch_id = o->launch_id,
				  .place = r->places.n};

	APPEND(h, &r->states, s);
	o->state = r->states.n > 0;
	o->borrowed = o->launch_id >= 0;
	return true;
}

static struct na_hang_state *state_of(struct na_hang *h, struct na_hang_open *o)
{
	struct na_hang_record *r = record_of(h, o);

	if (!o->state && !new_state(h, o))
		return NULL;
	return o->state ? &r->states.v[r->states.n - 1] : NULL;
}

static bool add_place(struct na_hang *h, struct na_hang_open *o,
		      const struct na_hang_spot *spot, bool cut)
{
	struct na_hang_state *s = state_of(h, o);
	struct na_hang_record *r = record_of(h, o);
	struct na_hang_place p = {.worker = r->at_places.n};
	bool ok = true;

	if (!s)
		return false;
	p.tag = na_hang_name(h, spot->tag, &ok);
	p.pc = na_hang_name(h, spot->pc, &ok);
	p.hlo = na_hang_name(h, spot->hlo, &ok);
	if (!ok || !add_workers(h, r, AT_PLACES, spot->workers, cut))
		return false;
	p.n_workers = r->at_places.n - p.worker;
	APPEND(h, &r->places, p);
	s->n_places = r->places.n - s->place;
	return true;
}

/* Older forms: module, fingerprint, launch id.  Newest: the launch id stands
 * before its modules. */
static bool take_launch(struct na_hang *h, struct na_hang_open *o,
			struct na_text value)
{
	struct na_hang_record *r = record_of(h, o);
	struct na_hang_state *s = NULL;
	size_t n = 0;
	uint64_t id;

	while (n < value.n && value.s[n] >= '0' && value.s[n] <= '9')
		n++;
	if (!na_hang_number(na_text_n(value.s, n), &id) || id > INT64_MAX ||
	    (n < value.n && value.s[n] != ' '))
		return true;
	if (o->state)
		s = &r->states.v[r->states.n - 1];
	if (s && !s->n_places && (s->launch_id < 0 || o->borrowed)) {
		s->launch_id = (int64_t)id;
		o->launch_id = -1;
		o->borrowed = false;
		return true;
	}
	o->launch_id = (int64_t)id;
	o->state = false;
	return true;
}

static bool take_module(struct na_hang *h, struct na_hang_open *o,
			struct na_text value)
{
	struct na_hang_state *s;
	bool ok = true;

	o->state = false;
	s = state_of(h, o);
	if (s)
		s->module = na_hang_name(h, value, &ok);
	return s && ok;
}

static bool take_fingerprint(struct na_hang *h, struct na_hang_open *o,
			     struct na_text value)
{
	struct na_hang_state *s = state_of(h, o);
	bool ok = true;

	if (s && s->fingerprint != NA_NO_NAME) {
		o->state = false;
		s = state_of(h, o);
	}
	if (s)
		s->fingerprint = na_hang_name(h, value, &ok);
	return s && ok;
}

/* ---- keys */

static bool take_cause(struct na_hang *h, struct na_hang_record *r,
		       struct na_text value)
{
	enum na_hang_cause cause;
	bool ok = true;

	r->digest = true;
	r->cause_text = na_hang_name(h, value, &ok);
	if (na_hang_cause_of(value, &cause)) {
		r->sure = true;
		if (cause != NA_HANG_UNKNOWN)
			r->cause = cause;
	}
	return ok;
}

static bool take_text(struct na_hang *h, struct na_hang_record *r,
		      struct na_text x)
{
	bool ok = true;
	uint32_t name;

	if (r->texts.n >= NA_HANG_TEXTS_MAX) {
		h->left_out++;
		return true;
	}
	name = na_hang_name(h, na_hang_trim(x), &ok);
	if (ok && name != NA_NO_NAME)
		APPEND(h, &r->texts, name);
	return ok;
}

/* The cause stands in what follows; where nothing does, it goes on in the
 * next line. */
static bool take_verdict(struct na_hang_record *r, struct na_text x)
{
	enum na_hang_cause cause;

	r->verdict = true;
	if (na_hang_cause_of(x, &cause))
		r->cause = cause;
	return true;
}

/* Other logs speak of potential causes, TPU stats and hosts, too. */
static bool is_sure(enum na_hang_key key)
{
	return key == NA_KEY_VERDICT || key == NA_KEY_HALTED ||
	       key == NA_KEY_DIGEST || key == NA_KEY_CULPRITS ||
	       key == NA_KEY_PRINTS || key == NA_KEY_BREAKDOWN;
}

static bool take_key(struct na_hang *h, struct na_hang_open *o,
		     enum na_hang_key key, struct na_text value, bool cut)
{
	struct na_hang_record *r = record_of(h, o);
	struct na_hang_spot spot = {.workers = value};
	bool ok = true;

	r->sure |= is_sure(key);
	switch (key) {
	case NA_KEY_VERDICT:
		return take_verdict(r, value);
	case NA_KEY_CAUSE:
		return take_cause(h, r, value);
	case NA_KEY_CULPRITS:
	case NA_KEY_INSPECT:
		return add_workers(h, r, CULPRITS, value, cut);
	case NA_KEY_HOSTS:
		return add_workers(h, r, LISTED, value, cut);
	case NA_KEY_MODULE:
		return take_module(h, o, value);
	case NA_KEY_FINGERPRINT:
		return take_fingerprint(h, o, value);
	case NA_KEY_LAUNCH:
		return take_launch(h, o, value);
	case NA_KEY_SAMPLE:
		return add_place(h, o, &spot, cut);
	case NA_KEY_ERROR_TIME:
		r->error_time = na_hang_name(h, value, &ok);
		return ok;
	case NA_KEY_ERROR_TYPE:
		r->error_type = na_hang_name(h, value, &ok);
		return ok;
	case NA_KEY_HALTED:
		r->verdict = true;
		r->cause = NA_HANG_UNRECOVERABLE_ERROR;
		return true;
	case NA_KEY_DIGEST:
	case NA_KEY_STATS:
	case NA_KEY_PRINTS:
	case NA_KEY_STATES:
		r->digest = true;
		return true;
	default:
		return true;
	}
}

/* What is behind the title of a block, in its line, is its first child. */
static bool titles(enum na_hang_key key)
{
	return key == NA_KEY_STATS || key == NA_KEY_PRINTS ||
	       key == NA_KEY_STATES || key == NA_KEY_BREAKDOWN ||
	       key == NA_KEY_HALTED || key == NA_KEY_LAUNCH;
}

static struct na_text behind_number(struct na_text x)
{
	while (x.n && x.s[0] >= '0' && x.s[0] <= '9')
		x = na_text_from(x, 1);
	return na_hang_trim(x);
}

bool na_hang_take_keys(struct na_hang *h, struct na_hang_open *o,
		       struct na_text x, bool cut)
{
	size_t at, start;
	enum na_hang_key key = na_hang_key_in(x, &at, &start);

	while (key != NA_KEY_NONE) {
		struct na_text value = na_text_from(x, start);
		enum na_hang_key next = na_hang_key_in(value, &at, &start);
		bool last = next == NA_KEY_NONE;

		x = value;
		if (!last)
			value.n = at;
		value = na_hang_trim(value);
		if (!take_key(h, o, key, value, cut && last))
			return false;
		o->block = key;
		o->keyed |= key != NA_KEY_VERDICT;
		if (key == NA_KEY_LAUNCH)
			value = behind_number(value);
		if (titles(key) && na_hang_is_child(o, value) &&
		    !na_hang_take_child(h, o, value, cut && last))
			return false;
		key = next;
	}
	return true;
}

/* ---- children */

/* At the last colon: hosts may hold some. */
static bool pair_of(struct na_text x, struct na_text *host,
		    struct na_text *value)
{
	size_t colon;

	x = na_hang_trim(x);
	colon = na_text_last(x, ':');
	if (colon == SIZE_MAX)
		return false;
	*host = na_hang_trim(na_text_n(x.s, colon));
	*value = na_hang_trim(na_text_from(x, colon + 1));
	return host->n && value->n && na_text_first(*host, ' ') == SIZE_MAX &&
	       na_text_first(*value, ' ') == SIZE_MAX;
}

bool na_hang_is_child(const struct na_hang_open *o, struct na_text x)
{
	struct na_hang_spot spot;
	struct na_text host, value;
	uint64_t number;

	if (na_hang_spot_of(x, &spot))
		return true;
	if (o->block == NA_KEY_HALTED)
		return na_hang_find(x, " : ") != SIZE_MAX;
	return pair_of(x, &host, &value) &&
	       (o->block == NA_KEY_PRINTS ||
		(o->block == NA_KEY_STATS && na_hang_number(value, &number)));
}

/* "WORKER : ERROR" */
static bool take_error(struct na_hang *h, struct na_hang_record *r,
		       struct na_text x)
{
	struct na_hang_worker w;
	struct na_hang_said said;
	size_t colon = na_hang_find(x, " : "), skip = 3;
	bool ok = true;

	if (colon == SIZE_MAX) {
		colon = na_hang_find(x, ": ");
		skip = 2;
	}
	if (colon == SIZE_MAX)
		return take_text(h, r, x);
	if (!na_hang_worker_of(h, na_text_n(x.s, colon), &w, &ok))
		return ok && take_text(h, r, x);
	said.host = w.host != NA_NO_NAME ? w.host : w.task;
	said.value = na_hang_name(h,
				  na_hang_trim(na_text_from(x, colon + skip)),
				  &ok);
	if (!ok)
		return false;
	APPEND(h, &r->errors, said);
	APPEND(h, &r->culprits, w);
	return true;
}

static bool take_pair(struct na_hang *h, const struct na_hang_open *o,
		      struct na_text host, struct na_text value, bool *taken)
{
	struct na_hang_record *r = record_of(h, o);
	struct na_hang_worker w;
	struct na_hang_said said;
	uint64_t number;
	bool ok = true, is_pc = na_hang_number(value, &number);

	*taken = (is_pc || o->block == NA_KEY_PRINTS) &&
		 na_hang_worker_of(h, host, &w, &ok);
	if (!*taken)
		return ok;
	said.host = w.host != NA_NO_NAME ? w.host : w.task;
	said.value = na_hang_name(h, value, &ok);
	if (!ok)
		return false;
	if (o->block == NA_KEY_PRINTS)
		APPEND(h, &r->fingerprints, said);
	else
		APPEND(h, &r->counters, said);
	return true;
}

bool na_hang_take_child(struct na_hang *h, struct na_hang_open *o,
			struct na_text x, bool cut)
{
	struct na_hang_record *r = record_of(h, o);
	struct na_text host, value;
	struct na_hang_spot spot;
	bool taken = false;

	x = na_hang_trim(x);
	if (!o->keyed)
		return true; /* the verdict goes on */
	if (o->block == NA_KEY_HALTED)
		return take_error(h, r, x);
	if (na_hang_spot_of(x, &spot))
		return add_place(h, o, &spot, cut);
	if (pair_of(x, &host, &value) && !take_pair(h, o, host, value, &taken))
		return false;
	if (taken)
		return true;
	if (o->block == NA_KEY_INSPECT || o->block == NA_KEY_CULPRITS)
		return add_workers(h, r, CULPRITS, x, cut);
	if (o->block == NA_KEY_HOSTS)
		return add_workers(h, r, LISTED, x, cut);
	return take_text(h, r, x);
}

/* ---- detections */

/* The number behind a word, -1: none. */
static int64_t number_after(struct na_text x, const char *word)
{
	size_t at = na_hang_find(x, word), n = 0;
	uint64_t v;

	if (at == SIZE_MAX)
		return -1;
	x = na_hang_trim(na_text_from(x, at + strlen(word)));
	while (n < x.n && x.s[n] >= '0' && x.s[n] <= '9')
		n++;
	return na_hang_number(na_text_n(x.s, n), &v) && v <= INT64_MAX
		       ? (int64_t)v
		       : -1;
}

static void details(struct na_text x, struct na_hang_record *r)
{
	size_t at = na_hang_find(x, "Timeout:"), n = 0;
	struct na_text v;

	r->awaited = number_after(x, "Timed out waiting for");
	r->launch_id = number_after(x, "launch_id");
	r->completed = number_after(x, "Already completed:");
	if (at != SIZE_MAX) {
		v = na_hang_trim(na_text_from(x, at + strlen("Timeout:")));
		while (n < v.n && (letter(v.s[n]) || v.s[n] == '.'))
			n++;
		if (!na_hang_duration(na_text_n(v.s, n), &r->timeout_ps))
			r->timeout_ps = -1;
	}
	at = na_hang_find(x, "StepGloballyInProgress:");
	if (at == SIZE_MAX)
		return;
	v = na_hang_trim(
		na_text_from(x, at + strlen("StepGloballyInProgress:")));
	if (na_starts_nocase(v.s, v.n, "true"))
		r->step_in_progress = 1;
	else if (na_starts_nocase(v.s, v.n, "false"))
		r->step_in_progress = 0;
}

bool na_hang_detection_in(struct na_text x, size_t *at,
			  struct na_hang_record *r)
{
	*at = na_hang_find(x, "Megascale hang detected");
	if (*at == SIZE_MAX)
		*at = na_hang_find(x, "HANG_DETECTED");
	if (*at == SIZE_MAX)
		return false;
	details(na_text_from(x, *at), r);
	return true;
}

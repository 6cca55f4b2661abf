#include "netan/synth/job/fault.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/synth/rng.h"

enum { A_COLLECTIVE = -1, A_RANK = -2 };

enum value_kind {
	FACTOR,
	SHARE,
	COUNT,
	OFFSET,
	BYTES_OR_SHARE,
	BYTES,
	SPAN,
	SPAN_AND_SHARE,
	NOTHING
};

/* clang-format off */
static const struct fault_row {
	const char *name;
	const char *form;
	int hosts;                      /* how many; or one of these */
	enum value_kind value;
} rows[NA_FAULT_KINDS] = {
	{ "slow-sender", "HOST:FACTOR", 1, FACTOR },
	{ "slow-receiver", "HOST:FACTOR", 1, FACTOR },
	{ "slow-host", "HOST:FACTOR", 1, FACTOR },
	{ "slow-path", "SRC:DST:FACTOR", 2, FACTOR },
	{ "tail", "HOST:SHARE", 1, SHARE },
	{ "slow-compute", "HOST:FACTOR", 1, FACTOR },
	{ "registration", "HOST:COUNT", 1, COUNT },
	{ "copy", "HOST:COUNT", 1, COUNT },
	{ "small-slack", "COLLECTIVE", A_COLLECTIVE, NOTHING },
	{ "clock", "HOST:TIME", 1, OFFSET },
	{ "truncate", "HOST:BYTES or HOST:SHARE", 1, BYTES_OR_SHARE },
	{ "loopback", "HOST:COUNT", 1, COUNT },
	{ "no-latency", "HOST:COUNT", 1, COUNT },
	{ "bad-key", "HOST:COUNT", 1, COUNT },
	{ "program", "HOST", 1, NOTHING },
	{ "late-input", "HOST:TIME[:SHARE]", 1, SPAN_AND_SHARE },
	{ "stall", "COLLECTIVE:TIME", A_COLLECTIVE, SPAN },
	{ "slow-reduction", "HOST:FACTOR", 1, FACTOR },
	{ "large-shard", "COLLECTIVE:BYTES", A_COLLECTIVE, BYTES },
	{ "late-rank", "RANK:TIME", A_RANK, SPAN },
	{ "stuck-device", "RANK", A_RANK, NOTHING },
	{ "stuck-host", "RANK", A_RANK, NOTHING },
	{ "mismatch", "RANK", A_RANK, NOTHING },
	{ "missing-rank", "RANK", A_RANK, NOTHING },
};
/* clang-format on */

const char *na_fault_name(enum na_fault_kind kind)
{
	return rows[kind].name;
}

const char *na_fault_offered(size_t k)
{
	return k < NA_FAULT_KINDS ? rows[k].name : NULL;
}

bool na_fault_names(const struct na_fault *f, const char *collective)
{
	return f->name.s && na_text_is(f->name, collective);
}

static enum na_status unknown_kind(const char *text, struct na_err *err)
{
	char buf[400];
	struct na_str all = na_str_over(buf, sizeof(buf));

	for (int i = 0; i < NA_FAULT_KINDS; i++)
		na_str_join(&all, ", ", "%s", rows[i].name);
	return na_fail(err, NA_EUSAGE,
		       "--fault %s: no such fault; there are %s", text, buf);
}

static const struct fault_row *find_row(struct na_text kind)
{
	for (int i = 0; i < NA_FAULT_KINDS; i++)
		if (na_text_is(kind, rows[i].name))
			return &rows[i];
	return NULL;
}

enum na_status na_fault_host(const char *s, size_t len, uint32_t n_hosts,
			     uint32_t *host, struct na_err *err)
{
	struct na_text number = na_text_n(s, len);
	uint64_t v;

	na_text_past(&number, "host-");
	if (!na_text_number(number, &v) || v >= n_hosts)
		return na_fail(err, NA_EUSAGE,
			       "no host \"%.*s\": the hosts "
			       "are host-0 to host-%" PRIu32,
			       (int)len, s, n_hosts - 1);
	*host = (uint32_t)v;
	return NA_OK;
}

static enum na_status fault_rank(struct na_text s, uint32_t n_ranks,
				 uint32_t *rank, struct na_err *err)
{
	struct na_text number = s;
	uint64_t v;

	if (!n_ranks)
		return na_fail(err, NA_EUSAGE,
			       "faults of ranks need --profile pytorch");
	na_text_past(&number, "r");
	if (!na_text_number(number, &v) || v >= n_ranks)
		return na_fail(
			err, NA_EUSAGE,
			"no rank \"%.*s\": the ranks are r0 to r%" PRIu32,
			(int)s.n, s.s, n_ranks - 1);
	*rank = (uint32_t)v;
	return NA_OK;
}

/* "2.5" to q16: digits only, so that no locale has a say. */
static bool parse_q16(const char *s, int64_t *q16)
{
	int64_t whole = 0, part = 0, scale = 1;
	const char *p = s;

	for (; na_is_digit(*p) && whole < 1000000; p++)
		whole = whole * 10 + (*p - '0');
	if (p == s)
		return false;
	if (*p == '.')
		for (p++; na_is_digit(*p) && scale < 1000000000; p++) {
			part = part * 10 + (*p - '0');
			scale *= 10;
		}
	*q16 = whole * NA_Q16_ONE + part * NA_Q16_ONE / scale;
	return !*p;
}

/* A share above 0, up to all. */
static bool parse_share(struct na_fault *f, const char *s)
{
	return parse_q16(s, &f->value_q16) && f->value_q16 > 0 &&
	       f->value_q16 <= NA_Q16_ONE;
}

static bool parse_cut(struct na_fault *f, const char *s)
{
	uint64_t bytes;

	if (strchr(s, '.') && parse_q16(s, &f->value_q16))
		return f->value_q16 <= NA_Q16_ONE;
	if (!na_parse_bytes(s, &bytes) || bytes > INT64_MAX)
		return false;
	f->value = (int64_t)bytes;
	return true;
}

/* What one transfer may hold. */
static bool parse_bytes(struct na_fault *f, const char *s)
{
	uint64_t bytes;

	if (!na_parse_bytes(s, &bytes) || !bytes || bytes > NA_SHARD_MAX)
		return false;
	f->value = (int64_t)bytes;
	return true;
}

/* A time above 0, of less than an hour. */
static bool parse_span(struct na_fault *f, const char *s)
{
	return na_parse_time(s, &f->value) && f->value > 0 &&
	       f->value % NA_PS_PER_NS == 0 && f->value < 3600 * NA_PS_PER_S;
}

static bool parse_span_and_share(struct na_fault *f, const char *s)
{
	size_t len = strcspn(s, ":");
	char span[40];

	f->value_q16 = NA_Q16_ONE;
	if (len >= sizeof(span))
		return false;
	memcpy(span, s, len);
	span[len] = 0;
	return (!s[len] || parse_share(f, s + len + 1)) && parse_span(f, span);
}

static bool parse_value(struct na_fault *f, enum value_kind kind, const char *s)
{
	int64_t q;

	switch (kind) {
	case FACTOR:
		return parse_q16(s, &f->value_q16) &&
		       f->value_q16 >= NA_Q16_ONE &&
		       f->value_q16 <= 1000 * NA_Q16_ONE;
	case SHARE:
		return parse_share(f, s);
	case COUNT:
		if (!parse_q16(s, &q) || strchr(s, '.') || q < NA_Q16_ONE ||
		    q > 100000 * NA_Q16_ONE)
			return false;
		f->value = q / NA_Q16_ONE;
		return true;
	case OFFSET:
		/* Whole nanoseconds, as clocks have them; within a day. */
		return na_parse_time(s, &f->value) &&
		       f->value % NA_PS_PER_NS == 0 &&
		       f->value < 86400 * NA_PS_PER_S &&
		       f->value > -86400 * NA_PS_PER_S;
	case BYTES_OR_SHARE:
		return parse_cut(f, s);
	case BYTES:
		return parse_bytes(f, s);
	case SPAN:
		return parse_span(f, s);
	case SPAN_AND_SHARE:
		return parse_span_and_share(f, s);
	case NOTHING:
		break;
	}
	return true;
}

static enum na_status parse_one(const char *text, uint32_t n_hosts,
				uint32_t n_ranks, struct na_fault *f,
				struct na_err *err)
{
	size_t len = strcspn(text, ":");
	const struct fault_row *row = find_row(na_text_n(text, len));
	const char *p = text + len;
	bool ok = true;

	if (!row)
		return unknown_kind(text, err);
	memset(f, 0, sizeof(*f));
	f->kind = (enum na_fault_kind)(row - rows);
	f->text = text;
	for (int i = 0; i < row->hosts && ok; i++) {
		ok = *p == ':';
		p += ok;
		len = strcspn(p, ":");
		if (ok && na_fault_host(p, len, n_hosts,
					i ? &f->peer : &f->host, err))
			return NA_EUSAGE;
		p += len;
	}
	if (row->hosts == A_RANK) {
		ok = *p == ':';
		p += ok;
		len = strcspn(p, ":");
		if (ok && fault_rank(na_text_n(p, len), n_ranks, &f->host, err))
			return NA_EUSAGE;
		p += len;
	}
	if (row->hosts == A_COLLECTIVE) {
		ok = *p == ':' && p[1];
		p += ok;
		f->name = na_text_n(p, strcspn(p, ":"));
		p += f->name.n;
	}
	if (row->value == NOTHING)
		ok = ok && !*p;
	else
		ok = ok && *p == ':' && parse_value(f, row->value, p + 1);
	if (!ok)
		return na_fail(err, NA_EUSAGE, "--fault %s: wanted %s:%s%s",
			       text, row->name, row->form,
			       row->value == FACTOR ? " with a factor of 1 or"
						      " more"
			       : row->value == SHARE
				       ? " with a share between 0 and 1"
				       : "");
	return NA_OK;
}

enum na_status na_faults_parse(const struct na_text_list *list,
			       uint32_t n_hosts, uint32_t n_ranks,
			       struct na_fault **out, size_t *n,
			       struct na_err *err)
{
	struct na_fault *f = na_calloc(list->n, sizeof(*f));

	if (!f)
		return na_fail_nomem(err);
	for (size_t i = 0; i < list->n; i++)
		if (parse_one(list->items[i], n_hosts, n_ranks, &f[i], err)) {
			free(f);
			return NA_EUSAGE;
		}
	*out = f;
	*n = list->n;
	return NA_OK;
}

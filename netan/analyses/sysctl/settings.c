/* One row for each setting: what it is, what it should be, how to mend it. */
#include "members.h"
#include "netan/analyses/sysctl/sysctl.h"
#include "netan/base/shell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netan/analyses/sysctl/state.h"
#include "netan/base/str.h"

enum rule { EQUAL, AT_LEAST, THIRD_AT_LEAST, WORD, ANY };

struct wanted {
	enum rule rule;
	int64_t number;
	const char *word, *why;
};

/* clang-format off */
static const struct wanted wanted[NA_N_SETTINGS] = {
	[NA_SET_SLOW_START] = {EQUAL, 0, NULL,
		"collectives are bursty: an idle connection must not fall "
		"back to a small window"},
	[NA_SET_NO_METRICS] = {EQUAL, 1, NULL,
		"one bad moment must not be remembered for the destination"},
	[NA_SET_HYSTART] = {EQUAL, 2, NULL,
		"ACK trains on fast networks are taken for congestion"},
	[NA_SET_SOMAXCONN] = {AT_LEAST, 4096, NULL,
		"many peers connect at once"},
	[NA_SET_SYN_BACKLOG] = {AT_LEAST, 4096, NULL,
		"many peers connect at once"},
	[NA_SET_MTU_PROBING] = {EQUAL, 0, NULL,
		"a lost packet must not be taken for a small MTU"},
	[NA_SET_OPTMEM] = {AT_LEAST, 131072, NULL,
		"TCP zero-copy needs control memory"},
	[NA_SET_RMEM_MAX] = {AT_LEAST, NA_SOCKET_BYTES_MIN, NULL,
		"throughput is at most window / round trip"},
	[NA_SET_WMEM_MAX] = {AT_LEAST, NA_SOCKET_BYTES_MIN, NULL,
		"throughput is at most window / round trip"},
	[NA_SET_TCP_RMEM] = {THIRD_AT_LEAST, NA_SOCKET_BYTES_MIN, NULL,
		"throughput is at most window / round trip"},
	[NA_SET_TCP_WMEM] = {THIRD_AT_LEAST, NA_SOCKET_BYTES_MIN, NULL,
		"throughput is at most window / round trip"},
	[NA_SET_QDISC] = {WORD, 0, "fq", "pacing; fewer drops in bursts"},
	[NA_SET_CONGESTION] = {ANY, 0, NULL,
		"reported; all hosts of a job should have the same"},
};
/* clang-format on */

static int64_t least(enum na_setting id, const struct na_host_asked *asked)
{
	const struct wanted *w = &wanted[id];

	if (w->number != NA_SOCKET_BYTES_MIN ||
	    asked->window_bytes <= (double)w->number)
		return w->number;
	return (int64_t)ceil(asked->window_bytes);
}

static bool meets(const struct wanted *w, const struct na_setting_value *f, int64_t want)
{
	switch (w->rule) {
	case EQUAL:
		return f->v[0] == want;
	case AT_LEAST:
		return f->v[0] >= want;
	case THIRD_AT_LEAST:
		return f->v[2] >= want;
	case WORD:
		return strcmp(f->text, w->word) == 0;
	default:
		return true;
	}
}

static void print_wanted(const struct wanted *w, int64_t want, char out[64])
{
	switch (w->rule) {
	case EQUAL:
		snprintf(out, 64, "%" PRId64, want);
		break;
	case AT_LEAST:
		snprintf(out, 64, ">= %" PRId64, want);
		break;
	case THIRD_AT_LEAST:
		snprintf(out, 64, "third value >= %" PRId64, want);
		break;
	case WORD:
		snprintf(out, 64, "%s", w->word);
		break;
	default:
		snprintf(out, 64, "any");
	}
}

static void print_remedy(enum na_setting id, const struct na_setting_value *f,
			 int64_t want, char out[200])
{
	const char *name = na_setting_name(id);

	if (id == NA_SET_HYSTART)
		snprintf(out, 200,
			 "echo %" PRId64
			 " > /sys/module/tcp_cubic/parameters/hystart_detect",
			 want);
	else if (wanted[id].rule == THIRD_AT_LEAST)
		snprintf(out, 200,
			 "sysctl -w %s=\"%" PRId64 " %" PRId64 " %" PRId64 "\"",
			 name, f->v[0], f->v[1], want);
	else if (wanted[id].rule == WORD)
		snprintf(out, 200, "sysctl -w %s=%s", name, wanted[id].word);
	else
		snprintf(out, 200, "sysctl -w %s=%" PRId64, name, want);
}

/* HyStart is CUBIC's: with another congestion control nobody asks it. */
static bool not_in_use(const struct na_settings *s, enum na_setting id)
{
	const struct na_setting_value *cc = &s->setting[NA_SET_CONGESTION];

	return id == NA_SET_HYSTART && cc->text &&
	       strcmp(cc->text, "cubic") != 0;
}

static void put_setting(struct na_host_out *o, const struct na_settings *s,
			enum na_setting id, const struct na_host_asked *asked)
{
	const struct na_setting_value *f = &s->setting[id];
	const struct wanted *w = &wanted[id];
	int64_t want = least(id, asked);
	char wants[64], remedy[200] = "", unseen[300];
	struct na_host_row row = {
		.name = na_setting_name(id),
		.value = f->text,
		.wanted = wants,
		.why = w->why,
		.severity = NA_SEV_WARNING,
	};

	print_wanted(w, want, wants);
	if (not_in_use(s, id)) {
		snprintf(wants, sizeof(wants), "any (%.40s in use)",
			 s->setting[NA_SET_CONGESTION].text);
		snprintf(unseen, sizeof(unseen),
			 "not in use: congestion control is %.60s",
			 s->setting[NA_SET_CONGESTION].text);
		row.why = unseen;
	} else if (!f->text) {
		snprintf(unseen, sizeof(unseen), "the file %.200s", f->why);
		row.state = NA_HOST_UNKNOWN;
		row.why = unseen;
	} else if (!meets(w, f, want)) {
		print_remedy(id, f, want, remedy);
		row.state = NA_HOST_BAD;
		row.remedy = remedy;
	}
	na_host_put_row(o, &row);
}

/* clang-format off */
static const char *const states[] = {
	[NA_HOST_OK] = "ok",
	[NA_HOST_BAD] = "bad",
	[NA_HOST_UNKNOWN] = "unknown",
};
/* clang-format on */

void na_host_put_known(struct na_result *r, struct na_value *to,
		       const char *name, int64_t v)
{
	if (v == NA_NOT_KNOWN)
		na_put_null(r, to, name);
	else
		na_put_int(r, to, name, v);
}

/* Counts, too. */
void na_host_put_state(struct na_host_out *o, struct na_value *to,
		       const struct na_host_row *row)
{
	struct na_result *r = o->r;
	bool bad = row->state == NA_HOST_BAD;

	na_put_text(r, to, M_state, states[row->state]);
	na_put_text(r, to, M_why, row->why);
	na_put_text(r, to, M_severity,
		    bad ? na_severity_name(row->severity) : NULL);
	na_put_text(r, to, M_remedy, bad ? row->remedy : NULL);
	o->judged.ok += row->state == NA_HOST_OK;
	o->judged.bad += bad;
	o->judged.unknown += row->state == NA_HOST_UNKNOWN;
	if (bad && row->severity > o->judged.worst)
		o->judged.worst = row->severity;
}

void na_host_put_row(struct na_host_out *o, const struct na_host_row *row)
{
	struct na_value *to = na_put_object(o->r, o->list, NULL);

	na_put_text(o->r, to, M_name, row->name);
	na_put_text(o->r, to, M_value, row->value);
	na_put_text(o->r, to, M_wanted, row->wanted);
	na_host_put_state(o, to, row);
}

/* ---- the MTUs of a host's NICs */

/* Training may use it: it has a device, and its link is not down. */
static bool nic_counts(const struct na_nic *x)
{
	return x->kind == NA_NIC_PHYSICAL &&
	       !(x->state && strcmp(x->state, "down") == 0);
}

static const char *no_mtu(const struct na_settings *s)
{
	if (s->nics_why)
		return s->nics_why;
	return s->n_nics ? "there is no NIC with a device whose link is not "
			   "down: a container sees none"
			 : "there is no NIC";
}

/* Where a switch or a peer carries less, the larger MTU cuts the host off:
 * pasted as it stands, the line does nothing. */
static void print_mtu_remedy(const char *nic, char *out, size_t size)
{
	char word[64];

	snprintf(out, size,
		 "# only if all hosts, switches and routers of the job carry "
		 "%d bytes: ip link set dev %s mtu %d",
		 NA_MTU_WANTED, na_shell_word(word, sizeof(word), nic, "NIC"),
		 NA_MTU_WANTED);
}

static void put_mtu(struct na_host_out *o, const struct na_settings *s)
{
	char value[300], remedy[300] = "";
	const struct na_nic *small = NULL, *one = NULL;
	struct na_host_row row = {
		.name = "mtu",
		.wanted = "8896 (4082 at least), all NICs equal",
		.severity = NA_SEV_WARNING,
		.why = "fewer packets; where the network allows",
	};
	struct na_str mtus = na_str_over(value, sizeof(value));
	bool differ = false;

	for (size_t i = 0; i < s->n_nics; i++) {
		const struct na_nic *x = &s->nics[i];

		if (!nic_counts(x) || x->mtu_bytes == NA_NOT_KNOWN)
			continue;
		differ |= one && one->mtu_bytes != x->mtu_bytes;
		one = one ? one : x;
		if (!small || x->mtu_bytes < small->mtu_bytes)
			small = x;
		na_str_join(&mtus, ", ", "%.40s %" PRId64, x->name,
			    x->mtu_bytes);
	}
	if (!one) {
		row.state = NA_HOST_UNKNOWN;
		row.why = no_mtu(s);
		na_host_put_row(o, &row);
		return;
	}
	if (!differ)
		snprintf(value, sizeof(value), "%" PRId64, one->mtu_bytes);
	row.value = value;
	if (small->mtu_bytes < NA_MTU_LEAST || differ) {
		print_mtu_remedy(small->name, remedy, sizeof(remedy));
		row.state = NA_HOST_BAD;
		row.why = differ ? "all NICs of a job need the same MTU"
				 : row.why;
		row.remedy = remedy;
	}
	na_host_put_row(o, &row);
}

struct na_host_judged na_host_settings_put(const struct na_settings *s,
					   const struct na_host_asked *asked,
					   struct na_result *r,
					   struct na_value *into)
{
	struct na_host_out o = {.r = r};

	na_put_text(r, into, M_host, s->host);
	o.list = na_put_list(r, into, M_settings);
	for (size_t i = 0; i < NA_N_SETTINGS; i++) {
		if (i == NA_SET_RTO_MIN)
			na_host_put_rto(&o, s, into);
		else
			put_setting(&o, s, (enum na_setting)i, asked);
	}
	put_mtu(&o, s);
	na_host_put_nics(&o, s, asked, into);
	na_host_put_counters(&o, s, asked->before, into);
	if (!asked->brief)
		na_host_put_routes(&o, s, into);
	return o.judged;
}

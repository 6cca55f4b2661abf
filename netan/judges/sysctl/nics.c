/* NICs and TCP's counters: since boot, or grown between two readings. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/judges/sysctl/parts.h"

static void put_known(struct na_result *r, struct na_value *to,
		      const char *name, int64_t v)
{
	if (v == NA_NOT_KNOWN)
		na_put_null(r, to, name);
	else
		na_put_int(r, to, name, v);
}

static const struct na_nic *find_nic(const struct na_settings *s,
				     const char *name)
{
	for (size_t i = 0; s && i < s->n_nics; i++) {
		if (strcmp(s->nics[i].name, name) == 0)
			return &s->nics[i];
	}
	return NULL;
}

/* Counters of a NIC that was reset in between went back: nothing is known
 * of what they grew by. */
static int64_t growth(int64_t now, int64_t before)
{
	return now == NA_NOT_KNOWN || before == NA_NOT_KNOWN || now < before
		       ? NA_NOT_KNOWN
		       : now - before;
}

struct sums {
	bool errors, drops; /* some are there, or have grown */
	size_t known, back;
	char text[300];
	int at;
};

static void name_counter(struct sums *t, const char *name, int64_t n)
{
	if (t->at < (int)sizeof(t->text))
		t->at += snprintf(t->text + t->at,
				  sizeof(t->text) - (size_t)t->at,
				  "%s%s %" PRId64, t->at ? ", " : "", name, n);
}

static struct sums sum_up(const struct na_nic *x, const struct na_nic *before)
{
	struct sums t = {.at = 0};

	for (size_t i = NA_NIC_FIRST_ERROR; i < NA_N_NIC_COUNTERS; i++) {
		int64_t n = x->counter[i];

		if (before) {
			t.back += n != NA_NOT_KNOWN && n < before->counter[i];
			n = growth(n, before->counter[i]);
		}
		if (n == NA_NOT_KNOWN)
			continue;
		t.known++;
		if (!n)
			continue;
		t.errors |= i < NA_NIC_FIRST_DROP;
		t.drops |= i >= NA_NIC_FIRST_DROP;
		name_counter(&t, na_nic_counters[i], n);
	}
	return t;
}

static void put_nic_state(struct hs_out *o, struct na_value *to,
			  const struct na_nic *x, const struct na_nic *before)
{
	struct sums t = sum_up(x, before);
	char why[400], remedy[300];
	struct hs_row row = {.why = why, .remedy = remedy};

	snprintf(remedy, sizeof(remedy),
		 t.errors ? "check cable, transceiver and switch port of "
			    "%.60s; ethtool -S %.60s tells more"
			  : "look for full rings of %.60s: ethtool -g, "
			    "ethtool -S %.60s",
		 x->name, x->name);
	if (x->kind != NA_NIC_PHYSICAL) {
		row.state = HS_UNKNOWN;
		snprintf(why, sizeof(why), "%s, no NIC",
			 x->kind == NA_NIC_LOOPBACK ? "the loopback interface"
						    : "a virtual interface");
	} else if (t.back) {
		row.state = HS_UNKNOWN;
		snprintf(why, sizeof(why),
			 "counters went back between the readings: the NIC "
			 "or the host was restarted");
	} else if (t.errors || t.drops) {
		row.state = HS_BAD;
		row.severity = t.errors ? NA_SEV_WARNING : NA_SEV_INFO;
		if (before)
			row.severity = t.errors ? NA_SEV_ERROR : NA_SEV_WARNING;
		snprintf(why, sizeof(why), "%s %s", t.text,
			 before ? "more than in the earlier reading"
				: "since boot; --nic-before DIR tells whether "
				  "they grow");
	} else if (!t.known) {
		row.state = HS_UNKNOWN;
		snprintf(why, sizeof(why), "its counters cannot be read");
	} else {
		snprintf(why, sizeof(why), "%s",
			 before ? "not one counter grew between the readings"
				: "no errors, no drops");
	}
	hs_put_state(o, to, &row);
	na_put_text(o->r, to, "counted", row.state == HS_BAD ? t.text : NULL);
	/* What is no NIC is not something that one would want to know. */
	o->judged.unknown -= x->kind != NA_NIC_PHYSICAL;
}

static void put_nic(struct hs_out *o, struct na_value *list,
		    const struct na_nic *x, const struct na_nic *before)
{
	/* clang-format off */
	static const char *const kinds[] = {
		[NA_NIC_PHYSICAL] = "physical",
		[NA_NIC_VIRTUAL] = "virtual",
		[NA_NIC_LOOPBACK] = "loopback",
	};
	/* clang-format on */
	struct na_value *to = na_put_object(o->r, list, NULL), *grown;

	na_put_text(o->r, to, M_name, x->name);
	na_put_text(o->r, to, M_kind, kinds[x->kind]);
	na_put_text(o->r, to, "driver", x->driver);
	na_put_text(o->r, to, "link", x->state);
	put_known(o->r, to, "mtu", x->mtu_bytes);
	put_known(o->r, to, "speed_mbps", x->speed_mbps);
	put_nic_state(o, to, x, before);
	for (size_t i = 0; i < NA_N_NIC_COUNTERS; i++)
		put_known(o->r, to, na_nic_counters[i], x->counter[i]);
	if (!before) {
		na_put_null(o->r, to, M_grown);
		return;
	}
	grown = na_put_object(o->r, to, M_grown);
	for (size_t i = 0; i < NA_N_NIC_COUNTERS; i++)
		put_known(o->r, grown, na_nic_counters[i],
			  growth(x->counter[i], before->counter[i]));
}

void hs_put_nics(struct hs_out *o, const struct na_settings *s,
		 const struct na_host_asked *asked, struct na_value *into)
{
	struct na_value *list = na_put_list(o->r, into, M_nics);

	for (size_t i = 0; i < s->n_nics; i++) {
		const struct na_nic *x = &s->nics[i];

		if (!asked->brief || x->kind == NA_NIC_PHYSICAL)
			put_nic(o, list, x, find_nic(asked->before, x->name));
	}
	na_put_int(o->r, into, M_nics_left_out, (int64_t)s->nics_left_out);
}

/* ---- TCP */

struct rule {
	bool per_segment; /* else: 0 is wanted */
	const char *why, *remedy;
};

/* clang-format off */
static const struct rule rules[NA_N_TCP_COUNTERS] = {
	[NA_TCP_RETRANS_SEGS] = {true, "segments that were sent again: loss",
		"find where packets are lost: netan tcp on a capture, the "
		"NICs' errors, drops in switches"},
	[NA_TCP_TIMEOUTS] = {true,
		"each one is a pause of the minimum retransmission timeout",
		"lower rto_min, and find where packets are lost"},
	[NA_TCP_LOST_RETRANSMIT] = {true, "what was sent again was lost, too",
		"find where packets are lost"},
	[NA_TCP_SYN_RETRANS] = {true, "connections whose beginning was lost",
		"see the accept queues of the peers, and where packets are "
		"lost"},
	[NA_TCP_LISTEN_OVERFLOWS] = {false, "each: the accept queue was full",
		"sysctl -w net.core.somaxconn=4096, and a larger backlog in "
		"the program"},
	[NA_TCP_PRUNE_CALLED] = {false,
		"each: a receive buffer was full, and its queue was thrown away",
		"raise the third value of net.ipv4.tcp_rmem"},
};
/* clang-format on */

struct span {
	int64_t now[NA_N_TCP_COUNTERS];
	bool between; /* two readings; else since boot */
	bool back;
};

static struct span span_of(const struct na_settings *s,
			   const struct na_settings *before)
{
	struct span x = {.between = before != NULL};

	for (size_t i = 0; i < NA_N_TCP_COUNTERS; i++) {
		x.now[i] = s->counter[i];
		if (!before)
			continue;
		x.now[i] = growth(s->counter[i], before->counter[i]);
		x.back |= s->counter[i] != NA_NOT_KNOWN &&
			  s->counter[i] < before->counter[i];
	}
	return x;
}

/* Ten may be bad of however few; so many must have been sent to say that
 * there are few. */
static enum hs_state judge_share(int64_t n, int64_t sent)
{
	double most = NA_RETRANSMITTED_MOST * (double)sent;

	if ((double)n >= most && n > 0 &&
	    (n >= 10 || sent >= NA_SEGMENTS_LEAST))
		return HS_BAD;
	return sent < NA_SEGMENTS_LEAST ? HS_UNKNOWN : HS_OK;
}

static void judge_counter(const struct na_settings *s, const struct span *x,
			  size_t i, struct hs_row *row, char *why, size_t size)
{
	int64_t sent = x->now[NA_TCP_OUT_SEGS], n = x->now[i];
	const struct rule *rule = &rules[i];

	row->why = rule->why;
	row->state = HS_UNKNOWN;
	if (x->back) {
		row->why = "counters went back between the readings: the "
			   "host was restarted";
	} else if (n == NA_NOT_KNOWN ||
		   (rule->per_segment && sent == NA_NOT_KNOWN)) {
		/* Its own file, or that of the segments sent. */
		snprintf(
			why, size, "%.280s",
			s->counters_why[n == NA_NOT_KNOWN
						? na_tcp_counter_file((
							  enum na_tcp_counter)i)
						: 0]);
		row->why = why;
	} else if (rule->per_segment) {
		row->state = judge_share(n, sent);
		if (row->state == HS_UNKNOWN) {
			snprintf(why, size,
				 "only %" PRId64
				 " segments were sent: too few to tell",
				 sent);
			row->why = why;
		}
	} else {
		row->state = n ? HS_BAD : HS_OK;
	}
}

static void put_counter(struct hs_out *o, const struct na_settings *s,
			const struct span *x, size_t i)
{
	struct na_value *to = na_put_object(o->r, o->list, NULL);
	int64_t sent = x->now[NA_TCP_OUT_SEGS], n = x->now[i];
	bool per = rules[i].per_segment;
	struct hs_row row = {
		.severity = x->between ? NA_SEV_WARNING : NA_SEV_INFO,
		.remedy = rules[i].remedy,
	};
	char why[300];

	na_put_text(o->r, to, M_name, na_tcp_counters[i]);
	put_known(o->r, to, "value", s->counter[i]);
	put_known(o->r, to, "grown", x->between ? n : NA_NOT_KNOWN);
	na_put_real(o->r, to, M_ratio,
		    per && n != NA_NOT_KNOWN && sent > 0
			    ? (double)n / (double)sent
			    : NAN);
	na_put_text(o->r, to, M_wanted,
		    per ? "< 1e-4 of the segments sent" : "0");
	judge_counter(s, x, i, &row, why, sizeof(why));
	hs_put_state(o, to, &row);
}

void hs_put_counters(struct hs_out *o, const struct na_settings *s,
		     const struct na_settings *before, struct na_value *into)
{
	struct span x = span_of(s, before);

	o->list = na_put_list(o->r, into, M_counters);
	for (size_t i = NA_TCP_RETRANS_SEGS; i < NA_N_TCP_COUNTERS; i++)
		put_counter(o, s, &x, i);
	put_known(o->r, into, M_segments_sent, x.now[NA_TCP_OUT_SEGS]);
}

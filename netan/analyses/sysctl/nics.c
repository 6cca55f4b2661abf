/* NICs and TCP's counters: since boot, or grown between two readings. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/sysctl/state.h"
#include "netan/base/shell.h"
#include "netan/base/str.h"

static const struct na_nic *find_nic(const struct na_settings *s,
				     const char *name)
{
	for (size_t i = 0; s && i < s->n_nics; i++) {
		if (strcmp(s->nics[i].name, name) == 0)
			return &s->nics[i];
	}
	return NULL;
}

/* What a counter holds, or has grown by since an earlier reading.  One that
 * was reset in between went back: nothing is known of what it grew by. */
static int64_t growth(const int64_t *now, const int64_t *before, size_t i,
		      bool *back)
{
	if (!before || now[i] == NA_NOT_KNOWN)
		return now[i];
	*back |= now[i] < before[i];
	return before[i] == NA_NOT_KNOWN || now[i] < before[i]
		       ? NA_NOT_KNOWN
		       : now[i] - before[i];
}

/* Of a NIC: since boot, or, with `before`, between two readings. */
struct sums {
	int64_t counter[NA_N_NIC_COUNTERS];
	bool errors, drops; /* some are there, or have grown */
	bool known, back;
	char text[300];
};

static void sum_up(struct sums *t, const struct na_nic *x,
		   const struct na_nic *before)
{
	struct na_str text = na_str_over(t->text, sizeof(t->text));

	for (size_t i = 0; i < NA_N_NIC_COUNTERS; i++) {
		bool back = false;
		int64_t n = growth(x->counter, before ? before->counter : NULL,
				   i, &back);

		t->counter[i] = n;
		if (i < NA_NIC_FIRST_ERROR)
			continue;
		t->back |= back;
		t->known |= n != NA_NOT_KNOWN;
		if (n == NA_NOT_KNOWN || !n)
			continue;
		t->errors |= i < NA_NIC_FIRST_DROP;
		t->drops |= i >= NA_NIC_FIRST_DROP;
		na_str_join(&text, ", ", "%s %" PRId64, na_nic_counters[i], n);
	}
}

static void put_nic_state(struct na_host_out *o, struct na_value *to,
			  const struct na_nic *x, const struct sums *t,
			  bool grown)
{
	char why[400], remedy[300], word[64];
	const char *nic = na_shell_word(word, sizeof(word), x->name, "NIC");
	struct na_host_row row = {.state = NA_HOST_UNKNOWN, .remedy = remedy};

	snprintf(remedy, sizeof(remedy),
		 t->errors ? "check cable, transceiver and switch port of "
			     "%s; ethtool -S %s shows more"
			   : "look for full rings of %s: ethtool -g, "
			     "ethtool -S %s",
		 nic, nic);
	if (x->kind != NA_NIC_PHYSICAL) {
		row.why = x->kind == NA_NIC_LOOPBACK
				  ? "the loopback interface, no NIC"
				  : "a virtual interface, no NIC";
		/* Not something that one would want to know. */
		o->judged.unknown--;
	} else if (t->back) {
		row.why = "counters went back between the readings: the NIC "
			  "or the host was restarted";
	} else if (t->errors || t->drops) {
		row.state = NA_HOST_BAD;
		row.severity = t->errors ? NA_SEV_WARNING : NA_SEV_INFO;
		if (grown)
			row.severity = t->errors ? NA_SEV_ERROR
						 : NA_SEV_WARNING;
		snprintf(why, sizeof(why), "%s %s", t->text,
			 grown ? "more than in the earlier reading"
			       : "since boot; --nic-before DIR shows whether "
				 "they grow");
		row.why = why;
	} else if (!t->known) {
		row.why = "its counters cannot be read";
	} else {
		row.state = NA_HOST_OK;
		row.why = grown ? "not one counter grew between the readings"
				: "no errors, no drops";
	}
	na_host_put_state(o, to, &row);
	na_put_text(o->r, to, M_counted,
		    row.state == NA_HOST_BAD ? t->text : NULL);
}

static void put_nic_counters(struct na_result *r, struct na_value *to,
			     const int64_t counter[NA_N_NIC_COUNTERS])
{
	for (size_t i = 0; i < NA_N_NIC_COUNTERS; i++)
		na_host_put_known(r, to, na_nic_counters[i], counter[i]);
}

static void put_nic(struct na_host_out *o, struct na_value *list,
		    const struct na_nic *x, const struct na_nic *before)
{
	/* clang-format off */
	static const char *const kinds[] = {
		[NA_NIC_PHYSICAL] = "physical",
		[NA_NIC_VIRTUAL] = "virtual",
		[NA_NIC_LOOPBACK] = "loopback",
	};
	/* clang-format on */
	struct na_value *to = na_put_object(o->r, list, NULL);
	struct sums t = {0};

	sum_up(&t, x, before);
	na_put_text(o->r, to, M_name, x->name);
	na_put_text(o->r, to, M_kind, kinds[x->kind]);
	na_put_text(o->r, to, M_driver, x->driver);
	na_put_text(o->r, to, M_link, x->state);
	na_host_put_known(o->r, to, M_mtu, x->mtu_bytes);
	na_host_put_known(o->r, to, M_speed_mbps, x->speed_mbps);
	put_nic_state(o, to, x, &t, before);
	put_nic_counters(o->r, to, x->counter);
	if (before)
		put_nic_counters(o->r, na_put_object(o->r, to, M_grown),
				 t.counter);
	else
		na_put_null(o->r, to, M_grown);
}

void na_host_put_nics(struct na_host_out *o, const struct na_settings *s,
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

/* Since boot, or between two readings. */
struct span {
	int64_t now[NA_N_TCP_COUNTERS];
	bool between, back;
};

/* Ten may be bad of however few; so many must have been sent to say that
 * there are few. */
static enum na_host_state judge_share(int64_t n, int64_t sent)
{
	double most = NA_RETRANSMITTED_MOST * (double)sent;

	if ((double)n >= most && n > 0 &&
	    (n >= 10 || sent >= NA_SEGMENTS_LEAST))
		return NA_HOST_BAD;
	return sent < NA_SEGMENTS_LEAST ? NA_HOST_UNKNOWN : NA_HOST_OK;
}

static void judge_counter(const struct na_settings *s, const struct span *x,
			  enum na_tcp_counter i, struct na_host_row *row,
			  char *why, size_t size)
{
	int64_t sent = x->now[NA_TCP_OUT_SEGS], n = x->now[i];
	bool told = n != NA_NOT_KNOWN;

	row->state = NA_HOST_UNKNOWN;
	if (x->back) {
		row->why = "counters went back between the readings: the "
			   "host was restarted";
	} else if (!told || (rules[i].per_segment && sent == NA_NOT_KNOWN)) {
		/* Its own file, or that of the segments sent. */
		snprintf(why, size, "%.280s",
			 s->counters_why[told ? 0 : na_tcp_counter_file(i)]);
		row->why = why;
	} else if (!rules[i].per_segment) {
		row->state = n ? NA_HOST_BAD : NA_HOST_OK;
	} else {
		row->state = judge_share(n, sent);
		if (row->state != NA_HOST_UNKNOWN)
			return;
		snprintf(why, size,
			 "only %" PRId64 " segments were sent: too few to tell",
			 sent);
		row->why = why;
	}
}

static void put_counter(struct na_host_out *o, const struct na_settings *s,
			const struct span *x, enum na_tcp_counter i)
{
	struct na_value *to = na_put_object(o->r, o->list, NULL);
	int64_t sent = x->now[NA_TCP_OUT_SEGS], n = x->now[i];
	bool per = rules[i].per_segment;
	struct na_host_row row = {
		.severity = x->between ? NA_SEV_WARNING : NA_SEV_INFO,
		.why = rules[i].why,
		.remedy = rules[i].remedy,
	};
	char why[300];

	na_put_text(o->r, to, M_name, na_tcp_counters[i]);
	na_host_put_known(o->r, to, M_value, s->counter[i]);
	na_host_put_known(o->r, to, M_grown, x->between ? n : NA_NOT_KNOWN);
	na_put_real(o->r, to, M_ratio,
		    per && n != NA_NOT_KNOWN && sent > 0
			    ? (double)n / (double)sent
			    : NAN);
	na_put_text(o->r, to, M_wanted,
		    per ? "< 1e-4 of the segments sent" : "0");
	judge_counter(s, x, i, &row, why, sizeof(why));
	na_host_put_state(o, to, &row);
}

void na_host_put_counters(struct na_host_out *o, const struct na_settings *s,
			  const struct na_settings *before,
			  struct na_value *into)
{
	struct span x = {.between = before != NULL};

	for (size_t i = 0; i < NA_N_TCP_COUNTERS; i++)
		x.now[i] = growth(s->counter, before ? before->counter : NULL,
				  i, &x.back);
	o->list = na_put_list(o->r, into, M_counters);
	for (size_t i = NA_TCP_RETRANS_SEGS; i < NA_N_TCP_COUNTERS; i++)
		put_counter(o, s, &x, (enum na_tcp_counter)i);
	na_host_put_known(o->r, into, M_segments_sent, x.now[NA_TCP_OUT_SEGS]);
}

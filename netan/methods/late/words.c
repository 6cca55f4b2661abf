/* What took most of the path, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "members.h"
#include "netan/base/order.h"
#include "netan/methods/late/state.h"

/* clang-format off */
const char *const na_late_kind_names[LA_N_KINDS] = {
	[LA_D2H] = "d2h", [LA_SEND] = "send", [LA_NETWORK] = "network",
	[LA_RECEIVE] = "receive", [LA_COMPUTE] = "compute",
	[LA_H2D] = "h2d", [LA_WAIT] = "wait", [LA_LATE_PEER] = "late_peer",
	[LA_RECV_DONE] = M_recv_done,
};
/* clang-format on */

const char *na_late_host_name(const struct la_all *all, uint32_t host)
{
	return host < all->store->n_hosts ? all->store->hosts[host].name : "?";
}

const char *na_late_device_name(const struct la_all *all, uint32_t device,
				char buf[NA_ENDPOINT_BUF])
{
	const struct na_names *n = &all->store->names;

	if (device < n->n_endpoints)
		return na_endpoint_print(buf, n, &n->endpoints[device]);
	snprintf(buf, NA_ENDPOINT_BUF, "?");
	return buf;
}

void na_late_shares(const struct la_path *p, int64_t of_ps[LA_N_KINDS])
{
	for (size_t k = 0; k < LA_N_KINDS; k++)
		of_ps[k] = 0;
	for (size_t i = 0; i < p->steps.n; i++)
		of_ps[p->steps.v[i].kind] += p->steps.v[i].to_ps -
					     p->steps.v[i].from_ps;
}

static int64_t length_of(const struct la_segment *s)
{
	return s->to_ps - s->from_ps;
}

/* By how much a device began after the others' median, with what waits for
 * nobody else; 0: it cannot be told.  False: no memory. */
static bool behind(const struct la_all *all, const struct la_path *p,
		   uint32_t device, int64_t *by_ps)
{
	size_t ends = all->store->names.n_endpoints, n = 0;
	int64_t *begins = na_calloc(ends, sizeof(*begins)), own;

	*by_ps = 0;
	if (!begins)
		return false;
	for (size_t i = 0; i < ends; i++)
		begins[i] = NA_TIME_MAX;
	for (size_t i = 0; i < p->nodes.n; i++) {
		const struct la_action *a =
			&all->actions.v[p->nodes.v[i].action];
		int64_t at = p->nodes.v[i].start_ps;

		if (a->device < ends && at < begins[a->device] &&
		    (a->kind == NA_ACT_D2H || a->kind == NA_ACT_SEND))
			begins[a->device] = at;
	}
	own = device < ends ? begins[device] : NA_TIME_MAX;
	for (size_t i = 0; i < ends; i++) {
		if (i != device && begins[i] != NA_TIME_MAX)
			begins[n++] = begins[i];
	}
	na_sort(begins, n, na_order_i64);
	if (n && own != NA_TIME_MAX)
		*by_ps = na_time_between(begins[(n - 1) / 2], own);
	free(begins);
	return true;
}

/* A sentence about a segment. */
struct telling {
	struct na_str *to;
	const struct la_all *all;
	const struct la_path *p;
	const struct la_segment *s;
	const char *host; /* of the segment */
	char device[NA_ENDPOINT_BUF];
	const char *took;
	enum la_alike alike;
};

/* " from s1d0 (host-1)", without the host where its trace is not there. */
static void say_end(const struct telling *t, const char *way, uint32_t device)
{
	uint32_t host = na_store_host_of(t->all->store, t->p->run, device);
	char name[NA_ENDPOINT_BUF];

	na_str_addf(t->to, "%s%s", way,
		    na_late_device_name(t->all, device, name));
	if (host < t->all->store->n_sources)
		na_str_addf(t->to, " (%s)", na_late_host_name(t->all, host));
}

/* "chunk 2 from s1d0 (host-1) to s0d0 (host-0)", as far as it is asked for
 * and told. */
static void say_move(const struct telling *t, bool from, bool to)
{
	const struct la_move *m = t->s->move == LA_NONE
					  ? NULL
					  : &t->all->moves.v[t->s->move];

	if (m && m->chunk != NA_UNKNOWN_I32)
		na_str_addf(t->to, "chunk %" PRId32, m->chunk);
	else
		na_str_addf(t->to, "a transfer");
	if (m && from)
		say_end(t, " from ", m->src);
	if (m && to)
		say_end(t, " to ", m->dst);
}

static bool clocks_compared(const struct telling *t)
{
	return na_late_known(t->all, t->p, &t->all->moves.v[t->s->move]) <
	       NA_TIME_MAX;
}

static bool say_late_peer(const struct telling *t)
{
	char late[NA_UNIT_BUF];
	int64_t by_ps;

	if (t->s->move != LA_NONE) {
		say_move(t, true, false);
		na_str_addf(t->to,
			    " was not sent for %s%s; the sender's side is not "
			    "in the traces",
			    t->took,
			    clocks_compared(t) ? ""
					       : ", if the clocks of its two "
						 "ends agree");
		return true;
	}
	if (!behind(t->all, t->p, t->s->device, &by_ps))
		return false;
	if (by_ps > 0)
		na_str_addf(t->to,
			    "%s (%s) began %s after the other devices; "
			    "waiting for it took %s",
			    t->host, t->device, na_print_time(late, by_ps, 3),
			    t->took);
	else
		na_str_addf(t->to, "%s (%s) had not begun for %s", t->host,
			    t->device, t->took);
	return true;
}

/* clang-format off */
static const char *const what[NA_N_ACTIONS] = {
	[NA_ACT_D2H] = "copy from the device",
	[NA_ACT_H2D] = "copy to the device",
	[NA_ACT_COMPUTE] = "reduction", [NA_ACT_SEND] = "send",
	[NA_ACT_RECEIVE] = "receive",
};
/* clang-format on */

static const char *next_of(const struct telling *t)
{
	return what[t->all->actions.v[t->s->action].kind];
}

static void say_wait(const struct telling *t)
{
	if (t->s->from_ps == 0 && t->s->host == t->p->host)
		na_str_addf(t->to,
			    "%s: %s passed between the device's send and the "
			    "first %s",
			    t->host, t->took, next_of(t));
	else
		na_str_addf(t->to, "%s waited %s with its %s", t->host, t->took,
			    next_of(t));
}

/* Behind which other send of its host; NULL: it was not held. */
static const struct la_node *blocker(const struct telling *t)
{
	const struct la_action *actions = t->all->actions.v;
	const struct la_node *longest = NULL;
	const struct la_segment *s = t->s;
	const struct la_path *p = t->p;

	if (s->from_ps >= p->nodes.v[p->node_of[s->action]].start_ps)
		return NULL;
	for (size_t i = 0; i < p->n_sends; i++) {
		const struct la_node *n = &p->sends[i];

		if (n->action != s->action && n->start_ps < s->to_ps &&
		    n->end_ps > s->from_ps &&
		    actions[n->action].host == s->host &&
		    actions[n->action].n &&
		    (!longest || n->end_ps - n->start_ps >
					 longest->end_ps - longest->start_ps))
			longest = n;
	}
	return longest;
}

static void say_held(const struct telling *t)
{
	const struct la_node *n = blocker(t);
	char device[NA_ENDPOINT_BUF], other[NA_UNIT_BUF];
	uint32_t first;

	na_str_addf(t->to, "%s held ", t->host);
	say_move(t, false, true);
	if (!n) {
		na_str_addf(t->to, " for %s before it left", t->took);
		return;
	}
	first = t->all->actions.v[n->action].first;
	na_str_addf(t->to,
		    " for %s behind its other sends, the longest of them to "
		    "%s for %s",
		    t->took,
		    na_late_device_name(t->all, t->all->moves.v[first].dst,
					device),
		    na_print_time(other,
				  na_time_between(n->start_ps, n->end_ps), 3));
}

/* Nobody is named: the one on this path is there by chance. */
static void say_alike(const struct telling *t)
{
	const char *who = t->alike == LA_AS_ALL ? "every host waits"
						: "most hosts wait";

	if (t->s->kind == LA_SEND && blocker(t))
		na_str_addf(t->to,
			    "%s behind other sends of the same host; %s so",
			    t->took, who);
	else
		na_str_addf(t->to, "%s before a %s; %s so, why is not known",
			    t->took, next_of(t), who);
}

/* False: no memory. */
static bool say(const struct telling *t)
{
	if (t->alike != LA_STANDS_OUT) {
		say_alike(t);
		return true;
	}
	switch (t->s->kind) {
	case LA_D2H:
		na_str_addf(t->to, "the copy from %s (%s) took %s", t->device,
			    t->host, t->took);
		break;
	case LA_SEND:
		say_held(t);
		break;
	case LA_NETWORK:
		say_move(t, true, true);
		na_str_addf(t->to, " took %s%s", t->took,
			    clocks_compared(t)
				    ? ""
				    : ", if the clocks of its two ends agree: "
				      "nothing here compares them");
		break;
	case LA_RECEIVE:
		na_str_addf(t->to, "%s was not ready for ", t->host);
		say_move(t, true, false);
		na_str_addf(t->to, " for %s", t->took);
		break;
	case LA_COMPUTE:
		na_str_addf(t->to, "the reduction for %s (%s) took %s",
			    t->device, t->host, t->took);
		break;
	case LA_H2D:
		na_str_addf(t->to, "the copy to %s (%s) took %s", t->device,
			    t->host, t->took);
		break;
	case LA_WAIT:
		say_wait(t);
		break;
	case LA_LATE_PEER:
		return say_late_peer(t);
	default:
		na_str_addf(t->to,
			    "the host was done %s before the device's "
			    "recv-done ended",
			    t->took);
	}
	return true;
}

/* Of a time on the network in several parts: the host that is an end of most
 * of it, where one is.  False: no memory. */
static bool say_end_of_most(const struct la_all *all, const struct la_path *p,
			    int64_t network_ps, struct na_str *to)
{
	int64_t *sums = na_calloc(all->store->n_hosts, sizeof(*sums)), most = 0;
	uint32_t best = LA_NONE;
	char part[NA_UNIT_BUF];
	bool alone = false;

	if (!sums)
		return false;
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct la_segment *s = &p->steps.v[i];
		const struct la_move *m;

		if (s->kind != LA_NETWORK)
			continue;
		m = &all->moves.v[s->move];
		sums[na_store_host_of(all->store, p->run, m->src)] +=
			length_of(s);
		sums[na_store_host_of(all->store, p->run, m->dst)] +=
			length_of(s);
	}
	for (uint32_t h = 0; h < all->store->n_hosts; h++) {
		alone = sums[h] > most || (alone && sums[h] < most);
		if (sums[h] > most) {
			best = h;
			most = sums[h];
		}
	}
	free(sums);
	if (alone && 2 * most > network_ps)
		na_str_addf(to, "; of all that %s to or from %s",
			    na_print_time(part, most, 3),
			    na_late_host_name(all, best));
	return true;
}

/* What a run spent its time on, of which nobody is accused: a host that is
 * held up by another one shows the same. */
/* clang-format off */
static const char *const titles[LA_N_KINDS] = {
	[LA_D2H] = "copied from the device", [LA_SEND] = "waiting to be sent",
	[LA_NETWORK] = "on the network",
	[LA_RECEIVE] = "waiting for a receiver", [LA_COMPUTE] = "reduced",
	[LA_H2D] = "copied to the device", [LA_WAIT] = "waiting on a host",
	[LA_LATE_PEER] = "waiting for a peer",
	[LA_RECV_DONE] = "not the network",
};
/* clang-format on */

static const char *title_of(enum la_kind kind, enum la_alike alike)
{
	return kind == LA_WAIT && alike != LA_STANDS_OUT ? "waiting on hosts"
							 : titles[kind];
}

/* What a host did with something that it had.  False: no memory. */
static bool compare(struct telling *t)
{
	const struct la_segment *s = t->s;
	const struct la_node *n;

	if (s->kind != LA_WAIT && s->kind != LA_SEND)
		return true;
	n = &t->p->nodes.v[t->p->node_of[s->action]];
	return s->from_ps >= n->start_ps ||
	       na_late_alike(t->all, t->p, s, &t->alike);
}

bool na_late_cause(const struct la_all *all, const struct la_path *p,
		   struct na_str *to)
{
	int64_t of_ps[LA_N_KINDS], all_ps = 0;
	struct telling t = {.to = to, .all = all, .p = p};
	size_t most = 0, n = 0;
	char took[2 * NA_UNIT_BUF + 8], part[NA_UNIT_BUF], whole[NA_UNIT_BUF];

	na_late_shares(p, of_ps);
	for (size_t k = 0; k < LA_N_KINDS; k++) {
		all_ps += of_ps[k];
		most = of_ps[k] > of_ps[most] ? k : most;
	}
	for (size_t i = 0; i < p->steps.n; i++) {
		const struct la_segment *s = &p->steps.v[i];

		if (s->kind != most)
			continue;
		n++;
		if (!t.s || length_of(s) > length_of(t.s))
			t.s = s;
	}
	if (!t.s)
		return true;
	if (!compare(&t))
		return false;
	na_print_time(whole, all_ps, 3);
	na_print_time(part, length_of(t.s), 3);
	if (n > 1 && 10 * length_of(t.s) < 9 * of_ps[most]) {
		snprintf(took, sizeof(took), "%s", part);
		na_str_addf(to, "%s: %s of %s, in %zu parts; the longest: ",
			    title_of((enum la_kind)most, t.alike),
			    na_print_time(part, of_ps[most], 3),
			    whole, n);
	} else {
		snprintf(took, sizeof(took), "%s of %s", part, whole);
		na_str_addf(to, "%s: ", title_of((enum la_kind)most, t.alike));
	}
	t.took = took;
	t.host = na_late_host_name(all, t.s->host);
	na_late_device_name(all, t.s->device, t.device);
	return say(&t) && (most != LA_NETWORK || n <= 2 ||
			   say_end_of_most(all, p, of_ps[most], to));
}

/* What took most of the path, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "netan/methods/late/state.h"

/* clang-format off */
const char *const la_kind_names[LA_N_KINDS] = {
	[LA_D2H] = "d2h", [LA_SEND] = "send", [LA_NETWORK] = "network",
	[LA_RECEIVE] = "receive", [LA_COMPUTE] = "compute",
	[LA_H2D] = "h2d", [LA_WAIT] = "wait", [LA_LATE_PEER] = "late_peer",
	[LA_RECV_DONE] = "recv_done",
};
/* clang-format on */

enum { TEXT_BUF = 512 };

const char *la_host_name(const struct la_all *all, uint32_t host)
{
	return host < all->store->n_hosts ? all->store->hosts[host].name : "?";
}

const char *la_device_name(const struct la_all *all, uint32_t device,
			   char buf[NA_ENDPOINT_BUF])
{
	const struct na_names *n = &all->store->names;

	if (device < n->n_endpoints)
		return na_endpoint_print(buf, n, &n->endpoints[device]);
	snprintf(buf, NA_ENDPOINT_BUF, "?");
	return buf;
}

void la_shares(const struct la_path *p, int64_t of_ps[LA_N_KINDS])
{
	for (size_t k = 0; k < LA_N_KINDS; k++)
		of_ps[k] = 0;
	for (size_t i = 0; i < p->n_steps; i++)
		of_ps[p->steps[i].kind] += p->steps[i].to_ps -
					   p->steps[i].from_ps;
}

static int64_t length_of(const struct la_segment *s)
{
	return s->to_ps - s->from_ps;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* By how much a device began after the others' median, with what waits for
 * nobody else; 0: it cannot be told. */
static int64_t behind(const struct la_all *all, const struct la_path *p,
		      uint32_t device)
{
	size_t ends = all->store->names.n_endpoints, n = 0;
	int64_t *begins = na_calloc(ends, sizeof(*begins)), own, by = 0;

	for (size_t i = 0; begins && i < ends; i++)
		begins[i] = NA_TIME_MAX;
	for (size_t i = 0; begins && i < p->n_nodes; i++) {
		const struct la_action *a = &all->actions[p->nodes[i].action];
		int64_t at = p->nodes[i].start_ps;

		if (a->device < ends && at < begins[a->device] &&
		    (a->kind == NA_ACT_D2H || a->kind == NA_ACT_SEND))
			begins[a->device] = at;
	}
	own = begins && device < ends ? begins[device] : NA_TIME_MAX;
	for (size_t i = 0; begins && i < ends; i++) {
		if (i != device && begins[i] != NA_TIME_MAX)
			begins[n++] = begins[i];
	}
	if (n && own != NA_TIME_MAX) {
		na_sort(begins, n, compare);
		by = na_time_between(begins[(n - 1) / 2], own);
	}
	free(begins);
	return by;
}

/* " from s1d0 (host-1)", without the host where its trace is not there. */
static size_t say_end(const struct la_all *all, const struct la_path *p,
		      const char *way, uint32_t device, char buf[TEXT_BUF],
		      size_t at)
{
	uint32_t host = na_store_host_of(all->store, p->run, device);
	bool known = host < all->store->n_sources;
	char name[NA_ENDPOINT_BUF];
	int n = snprintf(buf + at, TEXT_BUF - at, "%s%s%s%s%s", way,
			 la_device_name(all, device, name), known ? " (" : "",
			 known ? la_host_name(all, host) : "",
			 known ? ")" : "");

	return n > 0 && (size_t)n < TEXT_BUF - at ? at + (size_t)n
						  : TEXT_BUF - 1;
}

/* "chunk 2 from s1d0 (host-1) to s0d0 (host-0)", as far as it is asked for
 * and told. */
static void say_move(const struct la_all *all, const struct la_path *p,
		     uint32_t move, bool from, bool to, char buf[TEXT_BUF])
{
	const struct la_move *m = move == LA_NONE ? NULL : &all->moves[move];
	size_t n;

	if (m && m->chunk != NA_UNKNOWN_I32)
		snprintf(buf, TEXT_BUF, "chunk %" PRId32, m->chunk);
	else
		snprintf(buf, TEXT_BUF, "a transfer");
	n = strlen(buf);
	if (m && from)
		n = say_end(all, p, " from ", m->src, buf, n);
	if (m && to)
		say_end(all, p, " to ", m->dst, buf, n);
}

static void say_late_peer(const struct la_all *all, const struct la_path *p,
			  const struct la_segment *s, const char *took,
			  char *buf, size_t size)
{
	char device[NA_ENDPOINT_BUF], move[TEXT_BUF], late[NA_UNIT_BUF];
	int64_t by;

	if (s->move != LA_NONE) {
		say_move(all, p, s->move, true, false, move);
		snprintf(buf, size,
			 "%s was not sent for %s%s; the sender's side is not "
			 "in the traces",
			 move, took,
			 la_known(all, p, &all->moves[s->move]) == NA_TIME_MAX
				 ? ", if the clocks of its two ends agree"
				 : "");
		return;
	}
	by = behind(all, p, s->device);
	la_device_name(all, s->device, device);
	if (by > 0)
		snprintf(buf, size,
			 "%s (%s) began %s after the other devices; "
			 "waiting for it took %s",
			 la_host_name(all, s->host), device,
			 na_print_time(late, by, 3), took);
	else
		snprintf(buf, size, "%s (%s) had not begun for %s",
			 la_host_name(all, s->host), device, took);
}

static void say_wait(const struct la_all *all, const struct la_path *p,
		     const struct la_segment *s, const char *took, char *buf,
		     size_t size)
{
	/* clang-format off */
	static const char *const what[NA_N_ACTIONS] = {
		[NA_ACT_D2H] = "copy from the device",
		[NA_ACT_H2D] = "copy to the device",
		[NA_ACT_COMPUTE] = "reduction", [NA_ACT_SEND] = "send",
		[NA_ACT_RECEIVE] = "receive",
	};
	/* clang-format on */
	const char *next = what[all->actions[s->action].kind];

	if (s->from_ps == 0 && s->host == p->host)
		snprintf(buf, size,
			 "%s: %s passed between the device's send and the "
			 "first %s",
			 la_host_name(all, s->host), took, next);
	else
		snprintf(buf, size, "%s waited %s with its %s",
			 la_host_name(all, s->host), took, next);
}

/* Behind which other send of its host; NULL: it was not held. */
static const struct la_node *blocker(const struct la_all *all,
				     const struct la_path *p,
				     const struct la_segment *s)
{
	const struct la_node *longest = NULL;

	if (s->from_ps >= p->nodes[p->node_of[s->action]].start_ps)
		return NULL;
	for (size_t i = 0; i < p->n_sends; i++) {
		const struct la_node *n = &p->sends[i];

		if (n->action != s->action && n->start_ps < s->to_ps &&
		    n->end_ps > s->from_ps &&
		    all->actions[n->action].host == s->host &&
		    all->actions[n->action].n &&
		    (!longest || n->end_ps - n->start_ps >
					 longest->end_ps - longest->start_ps))
			longest = n;
	}
	return longest;
}

static void say_held(const struct la_all *all, const struct la_path *p,
		     const struct la_segment *s, const char *took, char *buf,
		     size_t size)
{
	const struct la_node *n = blocker(all, p, s);
	char move[TEXT_BUF], device[NA_ENDPOINT_BUF];
	char other[NA_UNIT_BUF];
	uint32_t dst;

	say_move(all, p, s->move, false, true, move);
	if (!n) {
		snprintf(buf, size, "%s held %s for %s before it left",
			 la_host_name(all, s->host), move, took);
		return;
	}
	dst = all->moves[all->actions[n->action].first].dst;
	snprintf(buf, size,
		 "%s held %s for %s behind its other sends, the longest of "
		 "them to %s for %s",
		 la_host_name(all, s->host), move, took,
		 la_device_name(all, dst, device),
		 na_print_time(other, na_time_between(n->start_ps, n->end_ps),
			       3));
}

static void say(const struct la_all *all, const struct la_path *p,
		const struct la_segment *s, const char *took, char *buf,
		size_t size)
{
	const char *host = la_host_name(all, s->host);
	char device[NA_ENDPOINT_BUF], move[TEXT_BUF];

	say_move(all, p, s->move, true, s->kind == LA_NETWORK, move);
	la_device_name(all, s->device, device);
	switch (s->kind) {
	case LA_D2H:
		snprintf(buf, size, "the copy from %s (%s) took %s", device,
			 host, took);
		break;
	case LA_SEND:
		say_held(all, p, s, took, buf, size);
		break;
	case LA_NETWORK:
		snprintf(buf, size, "%s took %s%s", move, took,
			 la_known(all, p, &all->moves[s->move]) == NA_TIME_MAX
				 ? ", if the clocks of its two ends agree: "
				   "nothing here compares them"
				 : "");
		break;
	case LA_RECEIVE:
		snprintf(buf, size, "%s was not ready for %s for %s", host,
			 move, took);
		break;
	case LA_COMPUTE:
		snprintf(buf, size, "the reduction for %s (%s) took %s", device,
			 host, took);
		break;
	case LA_H2D:
		snprintf(buf, size, "the copy to %s (%s) took %s", device, host,
			 took);
		break;
	case LA_WAIT:
		say_wait(all, p, s, took, buf, size);
		break;
	case LA_LATE_PEER:
		say_late_peer(all, p, s, took, buf, size);
		break;
	default:
		snprintf(buf, size,
			 "the host was done %s before the device's recv-done "
			 "ended",
			 took);
	}
}

/* The host that is an end of most of the time on the network, where that is
 * most of it; LA_NONE. */
static uint32_t busiest_end(const struct la_all *all, const struct la_path *p,
			    int64_t network_ps, int64_t *of_ps)
{
	int64_t *sums = na_calloc(all->store->n_hosts, sizeof(*sums));
	uint32_t best = LA_NONE;
	bool alone = false;

	for (size_t i = 0; sums && i < p->n_steps; i++) {
		const struct la_segment *s = &p->steps[i];
		const struct la_move *m;

		if (s->kind != LA_NETWORK)
			continue;
		m = &all->moves[s->move];
		sums[na_store_host_of(all->store, p->run, m->src)] +=
			length_of(s);
		sums[na_store_host_of(all->store, p->run, m->dst)] +=
			length_of(s);
	}
	*of_ps = 0;
	for (uint32_t h = 0; sums && h < all->store->n_hosts; h++) {
		alone = sums[h] > *of_ps || (alone && sums[h] < *of_ps);
		if (sums[h] > *of_ps)
			best = h;
		*of_ps = sums[h] > *of_ps ? sums[h] : *of_ps;
	}
	free(sums);
	return alone && 2 * *of_ps > network_ps ? best : LA_NONE;
}

/* Of a time on the network in several parts. */
static void say_end_of_most(const struct la_all *all, const struct la_path *p,
			    int64_t network_ps, char *buf, size_t size)
{
	int64_t of_ps;
	uint32_t host = busiest_end(all, p, network_ps, &of_ps);
	size_t n = strlen(buf);
	char part[NA_UNIT_BUF];

	if (host != LA_NONE && n < size)
		snprintf(buf + n, size - n, "; of all that %s to or from %s",
			 na_print_time(part, of_ps, 3),
			 la_host_name(all, host));
}

/* clang-format off */
static const char *const titles[LA_N_KINDS] = {
	[LA_D2H] = "device to host", [LA_SEND] = "sender",
	[LA_NETWORK] = "network", [LA_RECEIVE] = "receiver",
	[LA_COMPUTE] = "host's reduction", [LA_H2D] = "host to device",
	[LA_WAIT] = "host", [LA_LATE_PEER] = "late peer",
	[LA_RECV_DONE] = "not the network",
};
/* clang-format on */

const char *la_cause(const struct la_all *all, const struct la_path *p,
		     char *buf, size_t size)
{
	int64_t of_ps[LA_N_KINDS], all_ps = 0;
	const struct la_segment *longest = NULL;
	size_t most = 0, n = 0;
	char took[2 * NA_UNIT_BUF + 8], part[NA_UNIT_BUF], whole[NA_UNIT_BUF];
	int used;

	la_shares(p, of_ps);
	for (size_t k = 0; k < LA_N_KINDS; k++) {
		all_ps += of_ps[k];
		most = of_ps[k] > of_ps[most] ? k : most;
	}
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct la_segment *s = &p->steps[i];

		if (s->kind != most)
			continue;
		n++;
		if (!longest || length_of(s) > length_of(longest))
			longest = s;
	}
	if (!longest)
		return NULL;
	na_print_time(whole, all_ps, 3);
	na_print_time(took, length_of(longest), 3);
	if (n > 1 && 10 * length_of(longest) < 9 * of_ps[most]) {
		used = snprintf(buf, size,
				"%s: %s of %s, in %zu parts; "
				"the longest: ",
				titles[most],
				na_print_time(part, of_ps[most], 3), whole, n);
	} else {
		used = snprintf(buf, size, "%s: ", titles[most]);
		snprintf(took + strlen(took), NA_UNIT_BUF + 8, " of %s", whole);
	}
	if (used >= 0 && (size_t)used < size)
		say(all, p, longest, took, buf + used, size - (size_t)used);
	if (most == LA_NETWORK && n > 2)
		say_end_of_most(all, p, of_ps[most], buf, size);
	return buf;
}

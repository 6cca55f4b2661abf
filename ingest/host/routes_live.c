/*
 * Routes from the kernel, rtnetlink(7):
 *
 *	nlmsghdr | rtmsg | rtattr ... | nlmsghdr ...
 *
 * each at a multiple of four, in the host's byte order.  RTA_METRICS holds
 * attributes itself: RTAX_RTO_MIN in ms, and RTAX_LOCK, a mask of those that
 * are locked.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "ingest/bytes/cursor.h"
#include "ingest/host/routes.h"
#include "netan/base/vec.h"

enum {
	RECEIVE_BYTES = 65536,
	MESSAGES_MAX = 65536, /* datagrams of one dump */
	PATIENCE_S = 5
};

struct attribute {
	unsigned type;
	struct na_cursor body;
};

/* False behind the last; *bad where lengths cannot be. */
static bool next_attribute(struct na_cursor *c, struct attribute *x, bool *bad)
{
	struct rtattr head;
	size_t body;

	if (na_left(c) < sizeof(head))
		return false;
	memcpy(&head, c->p, sizeof(head));
	if (head.rta_len < sizeof(head) || head.rta_len > na_left(c)) {
		*bad = true;
		return false;
	}
	body = head.rta_len - sizeof(head);
	x->type = head.rta_type & (unsigned)NLA_TYPE_MASK;
	if (!na_skip(c, sizeof(head)) || !na_sub(c, body, &x->body))
		return false;
	/* The last one may lack its padding. */
	na_skip(c, na_left(c) < (4 - body % 4) % 4 ? na_left(c)
						   : (4 - body % 4) % 4);
	return true;
}

static bool u32_of(const struct na_cursor *c, uint32_t *v)
{
	if (na_left(c) < sizeof(*v))
		return false;
	memcpy(v, c->p, sizeof(*v));
	return true;
}

/* What a route message says of interest. */
struct message {
	struct rtmsg head;
	char dst[INET6_ADDRSTRLEN + 8], via[INET6_ADDRSTRLEN];
	char src[INET6_ADDRSTRLEN];
	uint32_t table, oif, rto_ms, locks, metric;
	unsigned hops;
	struct na_next_hops next_hops;
	bool has_rto;
	const char *(*dev_name)(unsigned, char[64]);
};

static void print_address(int family, const struct na_cursor *c,
			  char buf[INET6_ADDRSTRLEN])
{
	size_t n = family == AF_INET6 ? 16 : 4;

	buf[0] = '\0';
	if (na_left(c) >= n)
		inet_ntop(family, c->p, buf, INET6_ADDRSTRLEN);
}

static void metrics(struct message *m, struct na_cursor c, bool *bad)
{
	struct attribute x;

	while (next_attribute(&c, &x, bad)) {
		if (x.type == RTAX_RTO_MIN)
			m->has_rto = u32_of(&x.body, &m->rto_ms);
		else if (x.type == RTAX_LOCK)
			u32_of(&x.body, &m->locks);
	}
}

/* The family of an address, and the address: RTA_VIA. */
static void print_via(struct na_cursor c, char buf[INET6_ADDRSTRLEN])
{
	uint16_t family;

	buf[0] = '\0';
	if (na_left(&c) < sizeof(family))
		return;
	memcpy(&family, c.p, sizeof(family));
	na_skip(&c, sizeof(family));
	print_address(family, &c, buf);
}

/* What stands behind the head of a next hop. */
static void gateway(struct message *m, struct na_cursor c, bool *bad)
{
	char via[INET6_ADDRSTRLEN];
	struct attribute x;

	while (next_attribute(&c, &x, bad)) {
		if (x.type == RTA_GATEWAY)
			print_address(m->head.rtm_family, &x.body, via);
		else if (x.type == RTA_VIA)
			print_via(x.body, via);
		else if (x.type == RTA_ENCAP)
			m->next_hops.odd = true;
		if (x.type != RTA_GATEWAY && x.type != RTA_VIA)
			continue;
		m->next_hops.odd |= !via[0];
		na_next_hops_add(&m->next_hops,
				 m->head.rtm_family == AF_INET &&
						 strchr(via, ':')
					 ? "via inet6"
					 : "via",
				 via);
		if (!m->via[0])
			memcpy(m->via, via, sizeof(via));
	}
}

/* Of several next hops via and dev are the first one's. */
static void next_hops(struct message *m, struct na_cursor c, bool *bad)
{
	struct rtnexthop hop;

	while (na_left(&c) >= sizeof(hop)) {
		char dev[64], weight[8];
		struct na_cursor body;
		const char *name;
		size_t pad;

		memcpy(&hop, c.p, sizeof(hop));
		if (!m->oif && hop.rtnh_ifindex > 0)
			m->oif = (uint32_t)hop.rtnh_ifindex;
		m->hops++;
		if (hop.rtnh_len < sizeof(hop) || !na_skip(&c, sizeof(hop)) ||
		    !na_sub(&c, hop.rtnh_len - sizeof(hop), &body)) {
			m->next_hops.odd = true;
			return;
		}
		na_next_hops_add(&m->next_hops, "nexthop", NULL);
		gateway(m, body, bad);
		name = hop.rtnh_ifindex > 0
			       ? m->dev_name((unsigned)hop.rtnh_ifindex, dev)
			       : NULL;
		m->next_hops.odd |= !name;
		na_next_hops_add(&m->next_hops, "dev", name);
		snprintf(weight, sizeof(weight), "%u", hop.rtnh_hops + 1u);
		na_next_hops_add(&m->next_hops, "weight", weight);
		m->next_hops.down += (hop.rtnh_flags &
				      (RTNH_F_LINKDOWN | RTNH_F_DEAD)) != 0;
		m->next_hops.odd |= (hop.rtnh_flags & RTNH_F_DEAD) != 0;
		if (hop.rtnh_flags & RTNH_F_ONLINK)
			na_next_hops_add(&m->next_hops, "onlink", NULL);
		pad = (4 - hop.rtnh_len % 4u) % 4;
		na_skip(&c, na_left(&c) < pad ? na_left(&c) : pad);
	}
}

static void take_attribute(struct message *m, const struct attribute *x,
			   bool *bad)
{
	char text[INET6_ADDRSTRLEN];

	switch (x->type) {
	case RTA_DST:
		print_address(m->head.rtm_family, &x->body, text);
		if (text[0])
			snprintf(m->dst, sizeof(m->dst), "%s/%u", text,
				 m->head.rtm_dst_len);
		break;
	case RTA_GATEWAY:
		print_address(m->head.rtm_family, &x->body, m->via);
		break;
	case RTA_PREFSRC:
		print_address(m->head.rtm_family, &x->body, m->src);
		break;
	case RTA_PRIORITY:
		u32_of(&x->body, &m->metric);
		break;
	case RTA_OIF:
		u32_of(&x->body, &m->oif);
		break;
	case RTA_TABLE:
		u32_of(&x->body, &m->table);
		break;
	case RTA_MULTIPATH:
		next_hops(m, x->body, bad);
		break;
	case RTA_VIA:
		print_via(x->body, m->via);
		break;
	case RTA_NH_ID:
		m->next_hops.odd = true;
		break;
	case RTA_METRICS:
		metrics(m, x->body, bad);
		break;
	default:
		break;
	}
}

static bool copy_text(struct na_arena *a, const char *s, const char **to)
{
	*to = s && *s ? na_arena_strn(a, s, strlen(s)) : NULL;
	return *to || !s || !*s;
}

static const char *table_name(uint32_t table, char buf[16])
{
	if (table == RT_TABLE_MAIN)
		return NULL;
	if (table == RT_TABLE_LOCAL)
		return "local";
	snprintf(buf, 16, "%u", table);
	return buf;
}

static enum na_status keep(struct na_routes *r, struct na_arena *a,
			   const struct message *m, struct na_err *err)
{
	char dev[64], table[16];
	struct na_route *x;

	if (r->n == NA_ROUTES_MAX) {
		r->left_out++;
		return NA_OK;
	}
	if (!na_grow(&r->items, &r->cap, r->n + 1, sizeof(*r->items)))
		return na_fail_nomem(err);
	x = &r->items[r->n++];
	*x = (struct na_route){
		.kind = m->head.rtm_type == RTN_UNICAST &&
					m->table != RT_TABLE_LOCAL
				? NA_ROUTE_UNICAST
				: NA_ROUTE_OTHER,
		.family = m->head.rtm_family == AF_INET6 ? 6 : 4,
		.down = m->head.rtm_flags & (RTNH_F_LINKDOWN | RTNH_F_DEAD),
		.metric = m->metric ? (int64_t)m->metric : NA_NOT_KNOWN,
		.hops = m->hops,
		.rto_min_us = m->has_rto ? (int64_t)m->rto_ms * 1000
					 : NA_NOT_KNOWN,
		.unlocked = m->has_rto &&
			    !(m->locks & (UINT32_C(1) << RTAX_RTO_MIN)),
	};
	if (!copy_text(a, m->dst[0] ? m->dst : "default", &x->dst) ||
	    !copy_text(a, m->via, &x->via) || !copy_text(a, m->src, &x->src) ||
	    !copy_text(a, m->oif ? m->dev_name(m->oif, dev) : NULL, &x->dev) ||
	    !na_next_hops_keep(&m->next_hops, x, a) ||
	    !copy_text(a, table_name(m->table, table), &x->table))
		return na_fail_nomem(err);
	return NA_OK;
}

static enum na_status route(struct na_routes *r, struct na_arena *a,
			    struct na_cursor c,
			    const char *(*dev_name)(unsigned, char[64]),
			    struct na_err *err)
{
	struct message m = {.dev_name = dev_name};
	struct attribute x;
	bool bad = false;

	if (na_left(&c) < sizeof(m.head)) {
		r->odd++;
		return NA_OK;
	}
	memcpy(&m.head, c.p, sizeof(m.head));
	m.table = m.head.rtm_table;
	if ((m.head.rtm_family != AF_INET && m.head.rtm_family != AF_INET6) ||
	    (m.head.rtm_flags & RTM_F_CLONED) ||
	    !na_skip(&c, NLMSG_ALIGN(sizeof(m.head))))
		return NA_OK;
	while (next_attribute(&c, &x, &bad))
		take_attribute(&m, &x, &bad);
	r->odd += bad;
	return bad ? NA_OK : keep(r, a, &m, err);
}

/* An error that the kernel reports: a negative errno first. */
static enum na_status refusal(const struct na_cursor *c, struct na_err *err)
{
	int32_t code = 0;

	if (na_left(c) >= sizeof(code))
		memcpy(&code, c->p, sizeof(code));
	return na_fail(err, NA_EIO, "the kernel does not list routes: %s",
		       code < 0 && code > -4096 ? strerror(-code)
						: "it gives no reason");
}

enum na_status na_routes_message(struct na_routes *r, struct na_arena *a,
				 const void *bytes, size_t n,
				 const char *(*dev_name)(unsigned, char[64]),
				 struct na_err *err)
{
	const uint8_t *p = bytes;
	struct na_cursor c = na_cursor_of(p, n), body;

	while (na_left(&c)) {
		enum na_status st = NA_OK;
		struct nlmsghdr head;
		size_t pad;

		if (na_left(&c) >= sizeof(head))
			memcpy(&head, c.p, sizeof(head));
		if (na_left(&c) < sizeof(head) ||
		    head.nlmsg_len < sizeof(head) ||
		    head.nlmsg_len > na_left(&c) ||
		    !na_skip(&c, sizeof(head)) ||
		    !na_sub(&c, head.nlmsg_len - sizeof(head), &body))
			return na_fail(err, NA_EFORMAT,
				       "a route message from the kernel does "
				       "not fit its length");
		pad = (4 - head.nlmsg_len % 4) % 4;
		na_skip(&c, na_left(&c) < pad ? na_left(&c) : pad);
		if (head.nlmsg_type == NLMSG_DONE)
			return NA_END;
		if (head.nlmsg_type == NLMSG_ERROR)
			return refusal(&body, err);
		if (head.nlmsg_type == RTM_NEWROUTE)
			st = route(r, a, body, dev_name, err);
		if (st != NA_OK)
			return st;
	}
	return NA_OK;
}

static const char *live_name(unsigned index, char buf[64])
{
	return if_indextoname(index, buf);
}

static int ask(struct na_err *err)
{
	struct {
		struct nlmsghdr head;
		struct rtmsg body;
	} q = {.head = {.nlmsg_len = sizeof(q),
			.nlmsg_type = RTM_GETROUTE,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			.nlmsg_seq = 1}};
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) == 0 &&
	    send(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q))
		return fd;
	na_fail(err, NA_EIO, "the kernel does not list routes: %s",
		strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

enum na_status na_routes_live(struct na_routes *r, struct na_arena *a,
			      struct na_err *err)
{
	enum na_status st = NA_OK;
	char *buf = malloc(RECEIVE_BYTES);
	int fd = buf ? ask(err) : -1;

	if (!buf)
		return na_fail_nomem(err);
	for (int i = 0; fd >= 0 && st == NA_OK && i < MESSAGES_MAX; i++) {
		ssize_t n = recv(fd, buf, RECEIVE_BYTES, MSG_TRUNC);

		if (n <= 0 || n > RECEIVE_BYTES)
			na_fail(err, NA_EIO,
				"the kernel does not list routes: %s",
				n < 0 ? strerror(errno) : "the answer is cut");
		else
			st = na_routes_message(r, a, buf, (size_t)n, live_name,
					       err);
		if (err->status != NA_OK)
			break;
	}
	if (fd >= 0)
		close(fd);
	free(buf);
	if (err->status == NA_OK && st != NA_END)
		na_fail(err, NA_ELIMIT, "the kernel's routes have no end");
	if (err->status == NA_OK)
		r->why = NULL;
	return err->status;
}

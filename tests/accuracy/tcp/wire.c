/*
 * The wire: a switch in the middle of hosts that does to frames what its rules
 * say, and writes down what it did.
 *
 *	wire [-s SEED] [-j WIRE.json] [-l LOG.tsv] [-t TAP.pcap]
 *	     -i DEVICE [-i DEVICE ...] RULE...
 *
 * The k-th device leads to host k; a frame goes to the host whose number is
 * the last byte of its destination address, any other one to nobody.  Prints
 * "ready" and forwards until SIGTERM or SIGINT.  Rules: rules.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/accuracy/tcp/account.h"

enum { BATCH = 64, QUEUE_BYTES = 64 << 20 };

struct waiting {
	int64_t at_ns;
	uint64_t order, arrival;
	unsigned to;
	struct flow *flow; /* NULL: no TCP */
	uint32_t n;
	uint8_t *bytes;
};

struct wire {
	int ports[HOSTS_MAX + 1]; /* sockets; [1 ..] */
	size_t n_ports;
	struct rules rules;
	struct account account;
	NA_VEC(struct waiting) heap; /* earliest first */
	uint64_t order;
	int64_t now_ns;
	bool failed;
};

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- frames that wait */

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void push(struct wire *w, struct waiting x)
{
	size_t i = w->heap.n;

	if (!na_add(&w->heap, x)) {
		free(x.bytes);
		w->failed = true;
		return;
	}
	for (; i > 0 && before(&x, &w->heap.v[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap.v[i] = w->heap.v[(i - 1) / 2];
	w->heap.v[i] = x;
}

static struct waiting pop(struct wire *w)
{
	struct waiting top = w->heap.v[0], last = w->heap.v[--w->heap.n];
	size_t i = 0, n = w->heap.n;

	for (size_t child = 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n &&
		    before(&w->heap.v[child + 1], &w->heap.v[child]))
			child++;
		if (before(&last, &w->heap.v[child]))
			break;
		w->heap.v[i] = w->heap.v[child];
		i = child;
	}
	w->heap.v[i] = last;
	return top;
}

static void leave(struct wire *w, const struct waiting *x)
{
	static const struct virtio_net_hdr none;
	struct iovec parts[2] = {{(void *)(uintptr_t)&none, sizeof(none)},
				 {x->bytes, x->n}};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};

	if (sendmsg(w->ports[x->to], &m, 0) < 0)
		account_refused(&w->account, x->bytes, x->n, w->now_ns);
	else if (x->flow)
		account_left(x->flow, x->arrival);
}

static void send_due(struct wire *w)
{
	w->now_ns = now(CLOCK_MONOTONIC);
	while (w->heap.n && w->heap.v[0].at_ns <= w->now_ns) {
		struct waiting x = pop(w);

		account_late(&w->account, w->now_ns - x.at_ns);
		leave(w, &x);
		free(x.bytes);
	}
}

/* ---- frames that come */

struct passing {
	const uint8_t *bytes;
	size_t n;
	struct frame_view v;
	struct flow *flow;
	bool fresh;
	uint64_t arrival;
};

static void wait_for_it(struct wire *w, const struct passing *f, int64_t at_ns)
{
	uint8_t *copy = malloc(f->n);

	if (!copy) {
		w->failed = true;
		return;
	}
	memcpy(copy, f->bytes, f->n);
	push(w, (struct waiting){at_ns, w->order++, f->arrival, f->v.dst_host,
				 f->flow, (uint32_t)f->n, copy});
}

/* From rule `first` on: the tap stands between the last tx rule and the
 * first rx rule. */
static void pass(struct wire *w, const struct passing *f, size_t first,
		 int64_t at_ns)
{
	struct rule *rules = w->rules.v;
	bool tapped = first > 0 && !rules[first - 1].tx;

	for (size_t i = first; i < w->rules.n; i++) {
		struct rule_verdict out;

		if (!rules[i].tx && !tapped) {
			account_tap(&w->account, f->bytes, f->n, at_ns);
			tapped = true;
		}
		out = rule_apply(&w->rules, &rules[i], &f->v, f->n, f->flow,
				 f->fresh, at_ns);
		if (out.drop) {
			account_drop(&w->account, f->flow, &f->v, i, at_ns);
			return;
		}
		at_ns = out.at_ns;
		if (out.twice) {
			account_twice(&w->account, f->flow, &f->v, i, at_ns);
			pass(w, f, i + 1, at_ns);
		}
	}
	if (!tapped)
		account_tap(&w->account, f->bytes, f->n, at_ns);
	wait_for_it(w, f, at_ns);
}

static void come(void *arg, const uint8_t *bytes, size_t n)
{
	struct wire *w = arg;
	struct passing f = {bytes, n};

	if (!frame_look(bytes, n, &f.v) || !f.v.dst_host ||
	    f.v.dst_host > w->n_ports)
		return;
	if (f.v.tcp) {
		if (w->rules.start_ns == INT64_MIN)
			w->rules.start_ns = w->now_ns;
		f.flow = account_come(&w->account, &f.v, &f.fresh, &f.arrival);
	}
	pass(w, &f, 0, w->now_ns);
}

static void receive(struct wire *w, int fd)
{
	static uint8_t buf[FRAME_MAX];
	struct virtio_net_hdr h;
	struct frame_view v;

	for (int i = 0; i < BATCH; i++) {
		struct iovec parts[2] = {{&h, sizeof(h)}, {buf, sizeof(buf)}};
		struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
		ssize_t got = recvmsg(fd, &m, MSG_DONTWAIT);
		size_t n;

		if (got <= (ssize_t)sizeof(h))
			return;
		n = (size_t)got - sizeof(h);
		w->now_ns = now(CLOCK_MONOTONIC);
		if (!frame_look(buf, n, &v))
			continue;
		if (v.tcp && h.gso_type != VIRTIO_NET_HDR_GSO_NONE &&
		    h.gso_size > 0 && v.payload > h.gso_size) {
			frame_segment(buf, &v, h.gso_size, come, w);
			continue;
		}
		if (v.tcp && h.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
			frame_checksum(buf, &v);
		come(w, buf, n);
	}
}

/* ---- set up, run */

static bool listen_to(int *fd, const char *device)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET,
				 .sll_protocol = htons(ETH_P_ALL),
				 .sll_ifindex = (int)if_nametoindex(device)};
	int on = 1, room = QUEUE_BYTES;

	*fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (*fd < 0 || !at.sll_ifindex ||
	    setsockopt(*fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) ||
	    setsockopt(*fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
		       sizeof(on)) ||
	    setsockopt(*fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(*fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    bind(*fd, (struct sockaddr *)&at, sizeof(at))) {
		fprintf(stderr, "wire: %s: %s\n", device, strerror(errno));
		return false;
	}
	return true;
}

/* What came while the queue of a port was full is lost to the log. */
static void count_unseen(struct wire *w)
{
	for (size_t i = 1; i <= w->n_ports; i++) {
		struct tpacket_stats s;
		socklen_t n = sizeof(s);

		if (getsockopt(w->ports[i], SOL_PACKET, PACKET_STATISTICS, &s,
			       &n) == 0)
			w->account.unseen += s.tp_drops;
	}
}

static void run(struct wire *w)
{
	struct pollfd polled[HOSTS_MAX];

	for (size_t i = 0; i < w->n_ports; i++)
		polled[i] = (struct pollfd){w->ports[i + 1], POLLIN, 0};
	while (!stopped && !w->failed) {
		struct timespec wait = {0, 100000000};

		send_due(w);
		if (w->heap.n) {
			int64_t left = w->heap.v[0].at_ns - w->now_ns;

			if (left < wait.tv_nsec)
				wait.tv_nsec = left > 0 ? left : 0;
		}
		if (ppoll(polled, w->n_ports, &wait, NULL) < 0)
			continue;
		for (size_t i = 0; i < w->n_ports; i++)
			if (polled[i].revents & POLLIN)
				receive(w, w->ports[i + 1]);
	}
	count_unseen(w);
}

static bool parse(struct wire *w, int argc, char **argv, const char **json,
		  const char **log, const char **tap)
{
	uint64_t seed = 1;
	bool ok = true;
	int c;

	while ((c = getopt(argc, argv, "s:j:l:t:i:")) != -1) {
		if (c == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (c == 'j')
			*json = optarg;
		else if (c == 'l')
			*log = optarg;
		else if (c == 't')
			*tap = optarg;
		else if (c == 'i' && w->n_ports < HOSTS_MAX)
			ok = ok && listen_to(&w->ports[++w->n_ports], optarg);
		else
			return false;
	}
	na_rng_seed(&w->rules.rng, seed);
	for (; ok && optind < argc; optind++)
		ok = w->rules.n < RULES_MAX &&
		     rule_parse(argv[optind], &w->rules.v[w->rules.n++]);
	for (size_t i = 1; ok && i < w->rules.n; i++)
		if (w->rules.v[i].tx && !w->rules.v[i - 1].tx) {
			fprintf(stderr, "wire: rules tx stand before rx\n");
			ok = false;
		}
	return ok && w->n_ports > 0;
}

int main(int argc, char **argv)
{
	static struct wire w;
	const char *json = NULL, *log = NULL, *tap = NULL;
	struct sched_param first = {.sched_priority = 1};
	bool ok;

	w.rules.start_ns = INT64_MIN;
	if (!parse(&w, argc, argv, &json, &log, &tap))
		return 2;
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	/* Delays are those of the rules, and not of a busy machine. */
	if (sched_setscheduler(0, SCHED_FIFO, &first) != 0)
		fprintf(stderr, "wire: at no higher priority\n");
	ok = account_open(&w.account, log, tap,
			  now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC));
	puts("ready");
	fflush(stdout);
	if (ok)
		run(&w);
	return !(ok && account_close(&w.account, json) && !w.failed);
}

/*
 *	ends serve [address=A] port=P [rcvbuf=N] ...
 *	ends call address=A port=P conns=N calls=N req=LO-HI resp=LO-HI ...
 *
 * `call` prints a JSON line for each connection.  Sizes are in bytes, buffers
 * too; options: ends.h and the table below.
 */
#include "tests/accuracy/tcp/ends.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "netan/base/vec.h"

enum { READ_BYTES = 4096 };

double ends_draw(struct range r, double u)
{
	return r.lo + (r.hi - r.lo) * u;
}

static bool parse_range(const char *text, struct range *out)
{
	char *end;

	out->lo = out->hi = strtod(text, &end);
	if (end == text)
		return false;
	if (*end == '-') {
		text = end + 1;
		out->hi = strtod(text, &end);
		if (end == text)
			return false;
	}
	return !*end;
}

static bool set_range(struct ends_options *o, const char *name,
		      const char *value)
{
	const struct {
		const char *name;
		struct range *range;
	} all[] = {{"req", &o->req},
		   {"resp", &o->resp},
		   {"gap_ms", &o->gap_ms},
		   {"think_ms", &o->think_ms},
		   {"piece_gap_ms", &o->piece_gap_ms},
		   {"start_ms", &o->start_ms}};

	for (size_t i = 0; i < NA_LEN(all); i++)
		if (strcmp(all[i].name, name) == 0)
			return parse_range(value, all[i].range);
	return false;
}

static bool set_count(struct ends_options *o, const char *name,
		      const char *value)
{
	const struct {
		const char *name;
		unsigned *count;
	} all[] = {{"group", &o->group},
		   {"conns", &o->conns},
		   {"calls", &o->calls},
		   {"pieces", &o->pieces},
		   {"resp_pieces", &o->resp_pieces},
		   {"rcvbuf", &o->rcvbuf},
		   {"sndbuf", &o->sndbuf},
		   {"reads_per_s", &o->reads_per_s},
		   {"client_reads_per_s", &o->client_reads_per_s},
		   {"reset_after", &o->reset_after},
		   {"abort_after", &o->abort_after},
		   {"nagle", &o->nagle},
		   {"backlog", &o->backlog},
		   {"accept_gap_ms", &o->accept_gap_ms}};

	for (size_t i = 0; i < NA_LEN(all); i++) {
		if (strcmp(all[i].name, name) == 0) {
			*all[i].count = (unsigned)strtoul(value, NULL, 10);
			return true;
		}
	}
	return false;
}

static bool set_other(struct ends_options *o, const char *name,
		      const char *value)
{
	if (strcmp(name, "address") == 0)
		o->address = value;
	else if (strcmp(name, "port") == 0)
		o->port = (uint16_t)strtoul(value, NULL, 10);
	else if (strcmp(name, "cc") == 0)
		o->cc = value;
	else if (strcmp(name, "seed") == 0)
		o->seed = strtoull(value, NULL, 10);
	else if (strcmp(name, "limit_s") == 0)
		o->limit_s = strtod(value, NULL);
	else if (strcmp(name, "think_share") == 0)
		o->think_share = strtod(value, NULL);
	else
		return false;
	return true;
}

bool ends_parse(struct ends_options *o, int n, char **words)
{
	*o = (struct ends_options){.address = "0.0.0.0",
				   .conns = 1,
				   .calls = 1,
				   .pieces = 1,
				   .resp_pieces = 1,
				   .backlog = 128,
				   .req = {100, 100},
				   .resp = {100, 100},
				   .think_share = 1,
				   .limit_s = 30,
				   .seed = 1};
	for (int i = 0; i < n; i++) {
		char *value = strchr(words[i], '=');

		if (value)
			*value++ = '\0';
		if (!value || (!set_range(o, words[i], value) &&
			       !set_count(o, words[i], value) &&
			       !set_other(o, words[i], value))) {
			fprintf(stderr, "ends: no option: %s\n", words[i]);
			return false;
		}
	}
	return true;
}

bool ends_address(const char *text, uint16_t port, struct ends_address *out)
{
	*out = (struct ends_address){.n = sizeof(out->v4)};
	if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons(port);
		return true;
	}
	out->n = sizeof(out->v6);
	out->v6.sin6_family = AF_INET6;
	out->v6.sin6_port = htons(port);
	return inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1;
}

const char *ends_text(const struct ends_address *a, char buf[ENDS_TEXT_BYTES])
{
	char text[INET6_ADDRSTRLEN];
	bool v6 = a->any.sa_family == AF_INET6;

	inet_ntop(a->any.sa_family,
		  v6 ? (const void *)&a->v6.sin6_addr : &a->v4.sin_addr, text,
		  sizeof(text));
	snprintf(buf, ENDS_TEXT_BYTES, v6 ? "[%s]:%u" : "%s:%u", text,
		 ntohs(v6 ? a->v6.sin6_port : a->v4.sin_port));
	return buf;
}

void ends_sleep_us(double us)
{
	struct timespec t = {(time_t)(us / 1e6), 0};

	if (us <= 0)
		return;
	t.tv_nsec = (long)((us - (double)t.tv_sec * 1e6) * 1e3);
	while (nanosleep(&t, &t) != 0 && errno == EINTR)
		;
}

bool ends_write(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		ssize_t k = send(fd, bytes, n, MSG_NOSIGNAL);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		bytes += k;
		n -= (size_t)k;
	}
	return true;
}

bool ends_read_into(int fd, void *out, size_t n)
{
	uint8_t *p = out;

	while (n) {
		ssize_t k = recv(fd, p, n, 0);

		if (k < 0 && errno == EINTR)
			continue;
		if (k == 0)
			errno = 0;
		if (k <= 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

bool ends_read(int fd, size_t n, unsigned reads_per_s)
{
	uint8_t buf[65536];

	while (n) {
		size_t most = reads_per_s ? READ_BYTES : sizeof(buf);
		ssize_t k = recv(fd, buf, n < most ? n : most, 0);

		if (k < 0 && errno == EINTR)
			continue;
		if (k == 0)
			errno = 0;
		if (k <= 0)
			return false;
		n -= (size_t)k;
		if (reads_per_s && n)
			ends_sleep_us(1e6 / reads_per_s);
	}
	return true;
}

void ends_buffers(int fd, const struct ends_options *o)
{
	int rcv = (int)o->rcvbuf, snd = (int)o->sndbuf, on = 1;

	if (rcv)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcv, sizeof(rcv));
	if (snd)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &snd, sizeof(snd));
	if (!o->nagle)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (o->cc && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, o->cc,
				(socklen_t)strlen(o->cc)) != 0)
		perror(o->cc);
}

void ends_reset(int fd)
{
	struct linger l = {1, 0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
}

int main(int argc, char **argv)
{
	struct sched_param first = {.sched_priority = 1};
	struct ends_options o;

	if (argc < 2 || !ends_parse(&o, argc - 2, argv + 2))
		return 2;
	/* Who thinks is to be the one who was told to. */
	if (sched_setscheduler(0, SCHED_FIFO, &first) != 0)
		fprintf(stderr, "ends: at no higher priority\n");
	if (strcmp(argv[1], "serve") == 0)
		return ends_serve(&o);
	if (strcmp(argv[1], "call") == 0)
		return ends_call(&o);
	return 2;
}

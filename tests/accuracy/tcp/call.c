#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "netan/base/order.h"
#include "netan/base/vec.h"
#include "tests/accuracy/draw.h"
#include "tests/accuracy/tcp/ends.h"

enum { CONNS_MAX = 256, REQUEST_MAX = 64 << 20 };

struct caller {
	const struct ends_options *options;
	struct na_rng rng;
	struct ends_address mine;
	int fd;
	unsigned done;
	double thought_ms;
	int error; /* errno; 0: none */
	bool ended_early;
	NA_VEC(double) took_ms;
	pthread_t thread;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double draw(struct caller *c, struct range r)
{
	return ends_draw(r, fl_uniform(&c->rng));
}

/* Bound before it connects, so that the port of a call that nobody answers is
 * known, too. */
static bool dial(struct caller *c)
{
	const struct ends_options *o = c->options;
	struct ends_address to;
	struct timeval limit = {(time_t)o->limit_s, 0};
	bool answered;
	int error;

	if (!ends_address(o->address, o->port, &to))
		return false;
	c->mine = (struct ends_address){.n = to.n};
	c->mine.any.sa_family = to.any.sa_family;
	c->fd = socket(to.any.sa_family, SOCK_STREAM, 0);
	if (c->fd < 0)
		return false;
	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	ends_buffers(c->fd, o);
	if (bind(c->fd, &c->mine.any, c->mine.n) != 0)
		return false;
	answered = connect(c->fd, &to.any, to.n) == 0;
	error = errno;
	getsockname(c->fd, &c->mine.any, &c->mine.n);
	errno = error;
	return answered;
}

static bool write_request(struct caller *c, const struct call_head *h,
			  uint8_t *bytes)
{
	uint32_t pieces = c->options->pieces, n = h->request_bytes / pieces;
	const uint32_t *from = (const uint32_t *)(const void *)h;
	uint32_t words[sizeof(*h) / sizeof(uint32_t)];

	for (size_t i = 0; i < NA_LEN(words); i++)
		words[i] = htonl(from[i]);
	memcpy(bytes, words, sizeof(words));
	for (uint32_t i = 0; i + 1 < pieces; i++) {
		if (!ends_write(c->fd, bytes + (size_t)i * n, n))
			return false;
		ends_sleep_us(draw(c, c->options->piece_gap_ms) * 1e3);
	}
	return ends_write(c->fd, bytes + (size_t)(pieces - 1) * n,
			  h->request_bytes - n * (pieces - 1));
}

static struct call_head next_head(struct caller *c, unsigned number)
{
	const struct ends_options *o = c->options;
	struct call_head h = {
		.request_bytes = (uint32_t)draw(c, o->req),
		.response_bytes = (uint32_t)draw(c, o->resp),
		.reads_per_s = o->reads_per_s,
		.pieces = o->resp_pieces,
		.reset = o->reset_after && number + 1 == o->reset_after,
	};

	if (o->think_ms.hi > 0 && fl_chance(&c->rng, o->think_share))
		h.think_us = (uint32_t)(draw(c, o->think_ms) * 1e3);
	if (h.request_bytes < sizeof(h))
		h.request_bytes = sizeof(h);
	if (h.request_bytes > REQUEST_MAX)
		h.request_bytes = REQUEST_MAX;
	return h;
}

static bool one_call(struct caller *c, unsigned number, uint8_t *bytes)
{
	const struct ends_options *o = c->options;
	struct call_head h = next_head(c, number);
	double from = now_s();

	if (!write_request(c, &h, bytes))
		return false;
	if (o->abort_after && number + 1 == o->abort_after) {
		ends_sleep_us(20000);
		ends_reset(c->fd);
		c->ended_early = true;
		return false;
	}
	if (!ends_read(c->fd, h.response_bytes, o->client_reads_per_s)) {
		c->ended_early = errno == 0;
		return false;
	}
	c->thought_ms += h.think_us / 1e3;
	c->done++;
	return na_add(&c->took_ms, (now_s() - from) * 1e3);
}

static void *work(void *arg)
{
	struct caller *c = arg;
	const struct ends_options *o = c->options;
	uint8_t *bytes = calloc(1, REQUEST_MAX);
	double from = now_s();

	ends_sleep_us(draw(c, o->start_ms) * 1e3);
	errno = 0;
	if (bytes && dial(c)) {
		for (unsigned i = 0; i < o->calls; i++) {
			if (!one_call(c, i, bytes)) {
				c->error = c->ended_early ? 0 : errno;
				break;
			}
			if (now_s() - from > o->limit_s)
				break;
			if (i + 1 < o->calls)
				ends_sleep_us(draw(c, o->gap_ms) * 1e3);
		}
	} else {
		c->error = errno;
	}
	if (c->fd >= 0)
		close(c->fd);
	free(bytes);
	return NULL;
}

static void print_caller(struct caller *c)
{
	char src[ENDS_TEXT_BYTES], dst[ENDS_TEXT_BYTES];
	struct ends_address to;
	size_t n = c->took_ms.n;

	ends_address(c->options->address, c->options->port, &to);
	na_sort(c->took_ms.v, n, na_order_f64);
	printf("{\"src\":\"%s\",\"dst\":\"%s\",\"group\":%u,"
	       "\"calls\":%u,\"thought_ms\":%.1f,\"ended_early\":%s,"
	       "\"error\":\"%s\"",
	       ends_text(&c->mine, src), ends_text(&to, dst), c->options->group,
	       c->done, c->thought_ms, c->ended_early ? "true" : "false",
	       c->error ? strerror(c->error) : "");
	if (n)
		printf(",\"p50_ms\":%.3f,\"max_ms\":%.3f", c->took_ms.v[n / 2],
		       c->took_ms.v[n - 1]);
	puts("}");
	na_vec_free(&c->took_ms);
}

int ends_call(const struct ends_options *o)
{
	static struct caller callers[CONNS_MAX];
	unsigned n = o->conns < CONNS_MAX ? o->conns : CONNS_MAX;

	for (unsigned i = 0; i < n; i++) {
		callers[i].options = o;
		callers[i].fd = -1;
		na_rng_seed(&callers[i].rng, fl_hash(o->seed, i));
		if (pthread_create(&callers[i].thread, NULL, work,
				   &callers[i]) != 0)
			return 1;
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(callers[i].thread, NULL);
		print_caller(&callers[i]);
	}
	return 0;
}

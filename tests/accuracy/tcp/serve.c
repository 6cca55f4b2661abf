#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/accuracy/tcp/ends.h"

enum { RESPONSE_MAX = 16 << 20, REQUEST_MAX = 64 << 20 };

static uint8_t zeros[RESPONSE_MAX];

struct guest {
	int fd;
	struct ends_options options;
};

static bool respond(int fd, const struct call_head *h)
{
	uint32_t pieces = h->pieces ? h->pieces : 1;
	uint32_t n = h->response_bytes / pieces;

	if (h->reset) {
		if (!ends_write(fd, zeros, h->response_bytes / 2))
			return false;
		/* Some of it is to arrive. */
		ends_sleep_us(20000);
		ends_reset(fd);
		return false;
	}
	for (uint32_t i = 0; i + 1 < pieces; i++) {
		if (!ends_write(fd, zeros, n))
			return false;
		ends_sleep_us(h->piece_gap_us);
	}
	return ends_write(fd, zeros, h->response_bytes - n * (pieces - 1));
}

static bool take_call(int fd)
{
	uint32_t words[sizeof(struct call_head) / sizeof(uint32_t)];
	struct call_head h;

	if (!ends_read_into(fd, words, sizeof(words)))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = ntohl(words[i]);
	memcpy(&h, words, sizeof(h));
	if (h.request_bytes < sizeof(h) || h.request_bytes > REQUEST_MAX ||
	    h.response_bytes > RESPONSE_MAX ||
	    !ends_read(fd, h.request_bytes - sizeof(h), h.reads_per_s))
		return false;
	ends_sleep_us(h.think_us);
	return respond(fd, &h);
}

static void *serve_guest(void *arg)
{
	struct guest *g = arg;

	ends_buffers(g->fd, &g->options);
	while (take_call(g->fd))
		;
	close(g->fd);
	free(g);
	return NULL;
}

static bool start_guest(int fd, const struct ends_options *o)
{
	struct guest *g = malloc(sizeof(*g));
	pthread_t thread;

	if (!g)
		return false;
	*g = (struct guest){fd, *o};
	if (pthread_create(&thread, NULL, serve_guest, g) != 0) {
		free(g);
		return false;
	}
	pthread_detach(thread);
	return true;
}

int ends_serve(const struct ends_options *o)
{
	struct ends_address at;
	int fd, on = 1;

	if (!ends_address(o->address, o->port, &at))
		return 1;
	fd = socket(at.any.sa_family, SOCK_STREAM, 0);
	if (fd < 0)
		return 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* Before listen(): the window scale is agreed on with the SYN. */
	ends_buffers(fd, o);
	if (bind(fd, &at.any, at.n) != 0 || listen(fd, (int)o->backlog) != 0) {
		perror("ends: serve");
		close(fd);
		return 1;
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		int guest = accept(fd, NULL, NULL);

		if (guest >= 0 && !start_guest(guest, o))
			close(guest);
		ends_sleep_us(o->accept_gap_ms * 1e3);
	}
}

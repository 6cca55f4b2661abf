/*
 * Client and server of recorded conditions.  A call is a request and a
 * response; the head of the request tells the server all that it is to do,
 * so that the client's settings are the truth of both.
 */
#ifndef ACCURACY_TCP_ENDS_H
#define ACCURACY_TCP_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netinet/in.h>
#include <sys/socket.h>

struct call_head {
	uint32_t request_bytes; /* with this head */
	uint32_t response_bytes;
	uint32_t think_us;     /* before the response */
	uint32_t reads_per_s;  /* it takes 4 KiB so often; 0: at once */
	uint32_t pieces;       /* writes of the response */
	uint32_t piece_gap_us; /* between them */
	uint32_t reset;        /* half the response, then RST */
	uint32_t unused;
};

struct range {
	double lo, hi;
};

struct ends_options {
	const char *address; /* of the server */
	uint16_t port;
	unsigned group; /* of connections in the truth */
	unsigned conns, calls;
	unsigned pieces, resp_pieces; /* writes of each */
	struct range req, resp, gap_ms, think_ms, piece_gap_ms, start_ms;
	double think_share, limit_s;
	unsigned rcvbuf, sndbuf, reads_per_s, client_reads_per_s;
	unsigned reset_after; /* the server resets in this call; 0: never */
	unsigned abort_after; /* the client does */
	unsigned nagle;
	unsigned backlog,
		accept_gap_ms; /* of the server: one guest each time */
	uint64_t seed;
	const char *cc;
};

/* "calls=30 req=200-2000 ..." into *o; false, with a message: no option. */
bool ends_parse(struct ends_options *o, int n, char **words);
double ends_draw(struct range r, double u);

/* Both work until they are done, or until o->limit_s. */
int ends_call(const struct ends_options *o);
int ends_serve(const struct ends_options *o);

/* Of IPv4 or IPv6, with its length. */
struct ends_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
	socklen_t n;
};

enum { ENDS_TEXT_BYTES = 64 };

/* False: `text` is no address. */
bool ends_address(const char *text, uint16_t port, struct ends_address *out);
/* "10.9.0.1:7000", "[fd00:9::1]:7000"; returns buf. */
const char *ends_text(const struct ends_address *a, char buf[ENDS_TEXT_BYTES]);

/* ---- sockets; false: it failed, errno says how */

bool ends_write(int fd, const uint8_t *bytes, size_t n);
/* paced: reads_per_s times a second up to 4 KiB; 0: as it comes. */
bool ends_read(int fd, size_t n, unsigned reads_per_s);
bool ends_read_into(int fd, void *out, size_t n);
void ends_sleep_us(double us);
void ends_buffers(int fd, const struct ends_options *o);
/* The next close sends RST. */
void ends_reset(int fd);

#endif

/*
 * HTTP/2 frames with gRPC in them, for synthetic captures (RFC 9113, 7541):
 * headers as literals without Huffman coding, repeated ones through the
 * dynamic table, which is kept as the decoder on the other side keeps it.
 */
#ifndef NETAN_SYNTH_CAPTURE_HTTP2_OUT_H
#define NETAN_SYNTH_CAPTURE_HTTP2_OUT_H

#include "netan/base/wire_out.h"

enum { NA_H2_ENTRIES = 32 };

/* One direction's table.  Its entries fit in the 4096 bytes that a decoder
 * has at first, so that none is ever evicted. */
struct na_h2_table {
	char entries[NA_H2_ENTRIES][96]; /* "name\nvalue" */
	unsigned n;
};

enum na_h2_end { NA_H2_MORE, NA_H2_LAST };

/* The client's preface and SETTINGS, or the server's, with all the window
 * that flow control can give. */
void na_h2_hello(struct na_wire *w, bool client);
void na_h2_settings_ack(struct na_wire *w);
void na_h2_window(struct na_wire *w, uint32_t bytes);

void na_h2_request(struct na_wire *w, struct na_h2_table *t, uint32_t stream,
		   const char *path, uint32_t timeout_ms);
void na_h2_response(struct na_wire *w, struct na_h2_table *t, uint32_t stream);
/* status: gRPC's; `alone`: no response came before. */
void na_h2_trailers(struct na_wire *w, struct na_h2_table *t, uint32_t stream,
		    unsigned status, bool alone);

/* One gRPC message of n bytes (at least 16), in DATA frames. */
void na_h2_message(struct na_wire *w, uint32_t stream, uint32_t n,
		   enum na_h2_end end);

#endif

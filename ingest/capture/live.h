/*
 * Packets from a live interface, through libpcap.  This and the capture
 * filters are all that knows libpcap.
 */
#ifndef INGEST_CAPTURE_LIVE_H
#define INGEST_CAPTURE_LIVE_H

#include "ingest/capture/capfile.h"

struct na_live_options {
	const char *interface; /* "any" is all of them */
	const char *filter;    /* capture-filter syntax; NULL: all */
	uint32_t snap_bytes;   /* of each packet */
	uint64_t buffer_bytes; /* the kernel's; 0: libpcap's default */
	bool promiscuous;
};

struct na_live;

/* NA_EUSAGE: the filter; NA_EIO: no such interface, no right to listen, and
 * err says how to get it.  A remark (no promiscuous mode, say) or NULL. */
enum na_status na_live_open(struct na_live **out,
			    const struct na_live_options *o,
			    const char **remark,
			    struct na_err *err) NA_MUST_CHECK;
void na_live_close(struct na_live *l);

uint32_t na_live_link(const struct na_live *l);
uint32_t na_live_snap(const struct na_live *l);

/*
 * Wait at most wait_ms for packets and hand what is there to `each`, at most
 * `limit` of them (0: what is there).  A status other than NA_OK ends the
 * round and is returned; a signal ends the wait.
 */
enum na_status na_live_round(struct na_live *l, int wait_ms, uint64_t limit,
			     enum na_status (*each)(void *ctx,
						    const struct na_record *r),
			     void *ctx, struct na_err *err) NA_MUST_CHECK;

struct na_live_counts {
	uint64_t packets;         /* handed out */
	uint64_t received;        /* that passed the filter */
	uint64_t kernel_dropped;  /* its buffer was full: we were too slow */
	uint64_t adapter_dropped; /* by the interface or its driver */
};
void na_live_counts(struct na_live *l, struct na_live_counts *c);

/* Each interface that can be listened on: name, and a text that is "" if
 * nothing is known.  Borrowed for the call. */
enum na_status na_live_list(void (*each)(void *ctx, const char *name,
					 const char *what, bool up),
			    void *ctx, struct na_err *err) NA_MUST_CHECK;

#endif

/*
 * Round trips by the timestamp option (RFC 7323): from the first segment
 * with data that carries a value to the first echo of it.  A few values are
 * awaited at a time; others give no sample.
 */
#ifndef INGEST_TCP_CLOCK_H
#define INGEST_TCP_CLOCK_H

#include "ingest/tcp/table.h"

static inline void na_tcp_clock_send(struct na_tcp_dir *f,
				     const struct na_packet *p)
{
	unsigned at;

	if (p->payload_bytes == 0 ||
	    (f->ts_any && (int32_t)(f->ts_newest - p->ts_value) >= 0))
		return;
	f->ts_any = true;
	f->ts_newest = p->ts_value;
	if (f->ts_n == NA_TS_SLOTS)
		return;
	at = (f->ts_first + f->ts_n++) % NA_TS_SLOTS;
	f->ts[at].value = p->ts_value;
	f->ts[at].time_ns = p->time_ns;
}

/* p comes from the other side of f. */
static inline void na_tcp_clock_echo(struct na_tcp_dir *f,
				     struct na_rtt_pages *pages,
				     const struct na_packet *p)
{
	while (f->ts_n > 0 &&
	       (int32_t)(p->ts_echo - f->ts[f->ts_first].value) >= 0) {
		int64_t rtt = p->time_ns - f->ts[f->ts_first].time_ns;

		if (f->ts[f->ts_first].value == p->ts_echo && rtt > 0)
			na_rtt_add(&f->ts_rtt, pages, rtt);
		f->ts_first = (uint8_t)((f->ts_first + 1) % NA_TS_SLOTS);
		f->ts_n--;
	}
}

#endif

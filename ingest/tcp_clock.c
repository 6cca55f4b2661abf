#include "ingest/tcp_clock.h"

static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

void na_tcp_clock_send(struct na_tcp_dir *f, const struct na_packet *p)
{
	unsigned at;

	if (p->payload_bytes == 0 ||
	    (f->ts_any && !before(f->ts_newest, p->ts_value)))
		return;
	f->ts_any = true;
	f->ts_newest = p->ts_value;
	if (f->ts_n == NA_TS_SLOTS)
		return;
	at = (f->ts_first + f->ts_n++) % NA_TS_SLOTS;
	f->ts[at].value = p->ts_value;
	f->ts[at].time_ns = p->time_ns;
}

void na_tcp_clock_echo(struct na_tcp_dir *f, struct na_rtt_pages *pages,
		       const struct na_packet *p)
{
	while (f->ts_n > 0 && !before(p->ts_echo, f->ts[f->ts_first].value)) {
		int64_t rtt = p->time_ns - f->ts[f->ts_first].time_ns;

		if (f->ts[f->ts_first].value == p->ts_echo && rtt > 0)
			na_rtt_add(&f->ts_rtt, pages, rtt);
		f->ts_first = (uint8_t)((f->ts_first + 1) % NA_TS_SLOTS);
		f->ts_n--;
	}
}

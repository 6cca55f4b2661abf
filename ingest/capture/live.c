#include "ingest/capture/live.h"

#include <errno.h>
#include <pcap.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct na_live {
	pcap_t *pcap;
	uint32_t link;
	int64_t unit_ns; /* of the fraction in a stamp */
	uint64_t packets;
	uint32_t last[3]; /* libpcap's counters have 32 bits and wrap */
	uint64_t sums[3];
	enum na_status (*each)(void *ctx, const struct na_record *r);
	void *ctx;
	enum na_status status; /* of this round */
};

static enum na_status not_allowed(const char *interface, struct na_err *err)
{
	return na_fail(err, NA_EIO,
		       "%s: no permission to capture: run it with sudo, or "
		       "once: sudo setcap cap_net_raw+ep $(command -v netan)",
		       interface);
}

static enum na_status activate(struct na_live *l, const char *interface,
			       const char **remark, struct na_err *err)
{
	int code = pcap_activate(l->pcap);

	if (code == PCAP_ERROR_PERM_DENIED ||
	    code == PCAP_ERROR_PROMISC_PERM_DENIED)
		return not_allowed(interface, err);
	if (code == PCAP_ERROR_NO_SUCH_DEVICE)
		return na_fail(err, NA_EIO,
			       "no interface %s; netan capture --list names "
			       "those that are there",
			       interface);
	if (code == PCAP_ERROR_IFACE_NOT_UP)
		return na_fail(err, NA_EIO, "interface %s is down", interface);
	if (code < 0)
		return na_fail(err, NA_EIO, "%s: %s", interface,
			       *pcap_geterr(l->pcap) ? pcap_geterr(l->pcap)
						     : pcap_statustostr(code));
	if (code > 0)
		*remark = *pcap_geterr(l->pcap) ? pcap_geterr(l->pcap)
						: pcap_statustostr(code);
	return NA_OK;
}

static enum na_status set_filter(struct na_live *l, const char *filter,
				 struct na_err *err)
{
	struct bpf_program program;
	enum na_status st = NA_OK;

	if (!filter)
		return NA_OK;
	if (pcap_compile(l->pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN))
		return na_fail(err, NA_EUSAGE, "--filter \"%s\": %s", filter,
			       pcap_geterr(l->pcap));
	if (pcap_setfilter(l->pcap, &program))
		st = na_fail(err, NA_EIO, "--filter \"%s\": %s", filter,
			     pcap_geterr(l->pcap));
	pcap_freecode(&program);
	return st;
}

/* What the kernel must know before it begins. */
static void ask(struct na_live *l, const struct na_live_options *o)
{
	uint64_t buffer = o->buffer_bytes < INT32_MAX ? o->buffer_bytes
						      : INT32_MAX;

	pcap_set_snaplen(l->pcap, (int)o->snap_bytes);
	pcap_set_promisc(l->pcap, o->promiscuous);
	pcap_set_timeout(l->pcap, 100);
	if (buffer)
		pcap_set_buffer_size(l->pcap, (int)buffer);
	if (pcap_set_tstamp_precision(l->pcap, PCAP_TSTAMP_PRECISION_NANO) == 0)
		l->unit_ns = 1;
}

enum na_status na_live_open(struct na_live **out,
			    const struct na_live_options *o,
			    const char **remark, struct na_err *err)
{
	struct na_live *l = calloc(1, sizeof(*l));
	char why[PCAP_ERRBUF_SIZE] = "";
	enum na_status st;

	*remark = NULL;
	if (!l)
		return na_fail_nomem(err);
	l->unit_ns = 1000;
	l->pcap = pcap_create(o->interface, why);
	if (!l->pcap) {
		free(l);
		return na_fail(err, NA_EIO, "%s: %s", o->interface, why);
	}
	ask(l, o);
	st = activate(l, o->interface, remark, err);
	if (st == NA_OK)
		st = set_filter(l, o->filter, err);
	if (st == NA_OK && pcap_setnonblock(l->pcap, 1, why))
		st = na_fail(err, NA_EIO, "%s: %s", o->interface, why);
	if (st != NA_OK) {
		na_live_close(l);
		return st;
	}
	l->link = (uint32_t)pcap_datalink(l->pcap);
	*out = l;
	return NA_OK;
}

void na_live_close(struct na_live *l)
{
	if (l)
		pcap_close(l->pcap);
	free(l);
}

/* DLT_RAW is the one common value that files number differently. */
uint32_t na_live_link(const struct na_live *l)
{
	return l->link == DLT_RAW ? 101 : l->link;
}

uint32_t na_live_snap(const struct na_live *l)
{
	return (uint32_t)pcap_snapshot(l->pcap);
}

static void on_packet(u_char *user, const struct pcap_pkthdr *h,
		      const u_char *bytes)
{
	struct na_live *l = (void *)user;
	struct na_record r = {
		.time_ns = (int64_t)h->ts.tv_sec * 1000000000 +
			   h->ts.tv_usec * l->unit_ns,
		.data = bytes,
		.captured_bytes = h->caplen < h->len ? h->caplen : h->len,
		.wire_bytes = h->len,
		.link = na_live_link(l),
		.at = l->packets,
	};

	if (l->status != NA_OK)
		return;
	l->packets++;
	l->status = l->each(l->ctx, &r);
	if (l->status != NA_OK)
		pcap_breakloop(l->pcap);
}

enum na_status na_live_round(struct na_live *l, int wait_ms, uint64_t limit,
			     enum na_status (*each)(void *ctx,
						    const struct na_record *r),
			     void *ctx, struct na_err *err)
{
	int most = limit && limit < 10000 ? (int)limit : 10000;
	struct pollfd p = {.fd = pcap_get_selectable_fd(l->pcap),
			   .events = POLLIN};
	int n;

	l->each = each;
	l->ctx = ctx;
	l->status = NA_OK;
	n = pcap_dispatch(l->pcap, most, on_packet, (u_char *)l);
	if (n == 0) {
		poll(&p, p.fd >= 0, wait_ms); /* a signal ends it: fine */
		n = pcap_dispatch(l->pcap, most, on_packet, (u_char *)l);
	}
	if (n == PCAP_ERROR)
		return na_fail(err, NA_EIO, "capture: %s",
			       pcap_geterr(l->pcap));
	return l->status;
}

void na_live_counts(struct na_live *l, struct na_live_counts *c)
{
	struct pcap_stat s;

	if (pcap_stats(l->pcap, &s) == 0) {
		const uint32_t now[3] = {s.ps_recv, s.ps_drop, s.ps_ifdrop};

		for (int i = 0; i < 3; i++) {
			l->sums[i] += (uint32_t)(now[i] - l->last[i]);
			l->last[i] = now[i];
		}
	}
	*c = (struct na_live_counts){.packets = l->packets,
				     .received = l->sums[0],
				     .kernel_dropped = l->sums[1],
				     .adapter_dropped = l->sums[2]};
}

enum na_status na_live_list(void (*each)(void *ctx, const char *name,
					 const char *what, bool up),
			    void *ctx, struct na_err *err)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	pcap_if_t *all;

	if (pcap_findalldevs(&all, why))
		return na_fail(err, NA_EIO, "interfaces: %s", why);
	for (const pcap_if_t *i = all; i; i = i->next)
		each(ctx, i->name, i->description ? i->description : "",
		     i->flags & PCAP_IF_UP);
	pcap_freealldevs(all);
	return NA_OK;
}

#include "ingest/tcp/stretch.h"

#include <stdlib.h>
#include <string.h>

enum {
	STRETCH_LEAST = 10,    /* full segments */
	PIECE_BYTES = 1 << 16, /* of a long one */
	SMALL = 1000,          /* where nobody said what is full */
	QUEUED = 3,            /* times the least round trip, */
	QUEUED_NS = 100000     /* and as much more */
};

static uint32_t full_of(const struct na_tcp_dir *f)
{
	return f->trail.full ? f->trail.full : SMALL;
}

static bool promises(const struct na_tcp_dir *f, const struct na_packet *p)
{
	if (p->flags & NA_TCP_FIN)
		return false;
	return f->trail.full ? p->payload_bytes % f->trail.full == 0
			     : p->payload_bytes >= SMALL &&
				       !(p->flags & NA_TCP_PSH);
}

static bool queued(const struct na_tcp_dir *f)
{
	int64_t least = na_tcp_least_leg(f);

	return least > 0 && f->srtt_ns > QUEUED * least &&
	       f->srtt_ns > least + QUEUED_NS;
}

/* When there is no room every second one goes, and from then on only as many
 * are kept. */
static void keep(struct na_stretches *s, const struct na_stretch *x)
{
	if (s->seen++ % s->every != 0)
		return;
	if (s->n == NA_STRETCHES_KEPT) {
		for (uint32_t i = 0; 2 * i < NA_STRETCHES_KEPT; i++)
			s->v[i] = s->v[2 * i];
		s->n = NA_STRETCHES_KEPT / 2;
		s->every *= 2;
		if ((s->seen - 1) % s->every != 0)
			return;
	}
	s->v[s->n++] = *x;
}

static struct na_stretches *kept(struct na_tcp_dir *f)
{
	if (!f->stretches) {
		f->stretches = calloc(1, sizeof(*f->stretches));
		if (f->stretches)
			f->stretches->every = 1;
	}
	return f->stretches;
}

/* Of `bytes`, where `all` took so long; fewer tell nothing, nor does a time that
 * goes back. */
static uint32_t share(int64_t ns, uint32_t bytes, uint64_t all)
{
	double of = (double)ns * bytes / (double)all;

	return 2 * all >= bytes && of > 0 && of < UINT32_MAX ? (uint32_t)of : 0;
}

/* To the last ACK but that of a lone segment. */
static void tell(struct na_tcp_dir *f)
{
	const struct na_tcp_stretch *x = &f->stretch;
	bool lone = x->acked - x->before <= full_of(f);
	uint32_t bytes = (lone ? x->before : x->acked) - x->first;
	int64_t took = (lone ? x->before_ns : x->acked_ns) - x->from_ns;
	uint64_t got = (lone ? x->got_before : x->got_bytes) - x->get_bytes;

	if (x->shut || (x->windowed && !queued(f)) || took <= 0 ||
	    bytes < STRETCH_LEAST * full_of(f) || !kept(f))
		return;
	keep(f->stretches,
	     &(struct na_stretch){
		     .from_ns = x->from_ns,
		     .took_ns = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX,
		     .bytes = bytes,
		     .src_ns = share(x->sent_ns - x->send_ns, bytes,
				     x->sent_bytes - x->send_bytes),
		     .dst_ns = share(took, bytes, got),
		     .marks = (uint8_t)((x->later ? NA_STRETCH_LATER : 0) |
					(x->again ? NA_STRETCH_AGAIN : 0))});
}

void na_tcp_stretch_end(struct na_tcp_dir *f)
{
	if (f->stretch.on)
		tell(f);
	memset(&f->stretch, 0, sizeof(f->stretch));
}

static void begin(struct na_tcp_stretch *x, uint32_t seq, int64_t now_ns,
		  uint64_t got)
{
	*x = (struct na_tcp_stretch){
		.on = true,
		.from_ns = now_ns,
		.before_ns = now_ns,
		.acked_ns = now_ns,
		.first = seq,
		.before = seq,
		.acked = seq,
		.sent = seq,
		.get_bytes = got,
		.got_before = got,
		.got_bytes = got,
	};
}

static void send(struct na_tcp_dir *f, const struct na_tcp_dir *r,
		 const struct na_packet *p, uint32_t marks)
{
	struct na_tcp_stretch *x = &f->stretch;

	f->port->sent += p->payload_bytes;
	if (!x->on || (!x->promised && x->sent - x->acked <= full_of(f))) {
		na_tcp_stretch_end(f);
		begin(x, p->seq, p->time_ns, r->port->got);
		x->send_ns = p->time_ns;
		x->send_bytes = f->port->sent;
	}
	x->sent_ns = p->time_ns;
	x->sent_bytes = f->port->sent;
	x->again |= p->seq != x->sent;
	x->shut |= r->window == 0;
	x->windowed |= (marks & NA_SEG_WINDOW_FULL) != 0;
	x->promised = promises(f, p);
	x->sent = p->seq + p->payload_bytes;
}

/* The rest of a long one begins where this ACK ends. */
static void cut(struct na_tcp_dir *f)
{
	struct na_tcp_stretch *x = &f->stretch, all = *x;

	x->before = x->first; /* an ACK in its midst is not delayed */
	tell(f);
	begin(x, all.acked, all.acked_ns, all.got_bytes);
	x->send_ns = x->sent_ns = all.sent_ns;
	x->send_bytes = x->sent_bytes = all.sent_bytes;
	x->sent = all.sent;
	x->promised = all.promised;
	x->later = true;
}

static void hear(struct na_tcp_dir *f, const struct na_tcp_dir *r,
		 const struct na_packet *p)
{
	struct na_tcp_stretch *x = &f->stretch;

	if (!na_tcp_before(x->acked, p->ack) || na_tcp_before(x->sent, p->ack))
		return;
	r->port->got += p->ack - x->acked;
	x->before = x->acked;
	x->before_ns = x->acked_ns;
	x->got_before = x->got_bytes;
	x->got_bytes = r->port->got;
	x->acked = p->ack;
	x->acked_ns = p->time_ns;
	if (x->acked - x->first >= PIECE_BYTES && x->acked != x->sent)
		cut(f);
}

void na_tcp_stretch(struct na_tcp_dir *f, struct na_tcp_dir *r,
		    const struct na_packet *p, uint32_t marks, bool fresh)
{
	if (p->flags & NA_TCP_ACK && r->stretch.on)
		hear(r, f, p);
	r->stretch.again |= p->n_sack > 0;
	if (p->payload_bytes == 0 || p->flags & NA_TCP_SYN)
		return;
	/* An answer: what it answers is over. */
	r->stretch.promised = false;
	if (fresh)
		send(f, r, p, marks);
	else
		f->stretch.again = true;
}

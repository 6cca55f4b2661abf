#include "ingest/capture/slice/around.h"

#include <stdlib.h>

#include "ingest/capture/addresses.h"
#include "ingest/roce/head.h"
#include "ingest/roce/roce.h"
#include "netan/base/triples.h"
#include "netan/base/vec.h"

#define FLOW_KEY UINT64_C(0x9e3779b97f4a7c15)
/* So many connections that show one side alone, and so many queue pairs, are
 * followed at once (na_tcp_limits, na_roce_limits): where there are more, they
 * are not numbered alike. */
enum { BEGINNINGS = 1 << 14 };

/* What packets between two addresses tell, of TCP two ports. */
struct flow {
	int64_t first_ns, last_ns;
	/* By the lower end, and the other one: where its numbers begin
	 * (ingest/tcp/marks.c). */
	struct base {
		uint32_t seq;
		bool known;
	} base[2];
	uint32_t file; /* that it was seen in last, */
	bool any;      /* if ever */
};

struct beginning {
	uint32_t file;
	uint64_t nth;
};

struct na_around {
	struct na_triples keys;
	NA_VEC(struct flow) flows; /* by index there */
	NA_VEC(struct beginning) begin; /* by file and packet */
	size_t connections;             /* of them */
	struct na_triples queue_pairs;  /* that begin, by file */
	bool failed;                    /* no memory */
	size_t next;
};

struct na_around *na_around_new(void)
{
	return na_calloc(1, sizeof(struct na_around));
}

void na_around_free(struct na_around *a)
{
	if (!a)
		return;
	na_triples_fini(&a->keys);
	na_triples_fini(&a->queue_pairs);
	na_vec_free(&a->flows);
	na_vec_free(&a->begin);
	free(a);
}

static uint64_t end_of(const struct na_address *a, uint16_t port)
{
	return na_hash_mix(na_hash_address(0, a) ^ port, FLOW_KEY);
}

/* The same from both ends.  Who sends RoCE takes any port. */
static bool flow_of(const struct na_packet *p, struct na_triple *flow,
		    unsigned *side)
{
	bool tcp = p->kind == NA_PACKET_TCP;
	uint64_t a = end_of(&p->src, tcp ? p->src_port : 0);
	uint64_t b = end_of(&p->dst, tcp ? p->dst_port : 0);
	uint64_t both = a < b ? na_hash_mix(a, b) : na_hash_mix(b, a);

	*flow = (struct na_triple){(uint32_t)both, (uint32_t)(both >> 32), tcp};
	*side = a >= b;
	return p->src.family;
}

static void take_base(struct base *b, uint32_t seq, bool anew)
{
	if (!b->known || anew)
		*b = (struct base){seq, true};
}

/* A connection of TCP, by the rules of ingest/tcp. */
static bool begins(struct flow *x, const struct na_packet *p, unsigned side,
		   uint32_t file)
{
	bool syn = p->flags & NA_TCP_SYN, ack = p->flags & NA_TCP_ACK;
	const struct base *own = &x->base[side];
	bool other = syn && own->known && own->seq != p->seq;
	bool begin = !x->any || x->file != file || (other && !ack);

	if (begin)
		x->base[0].known = x->base[1].known = false;
	x->file = file;
	take_base(&x->base[side], syn ? p->seq : p->seq - 1, other);
	if (ack)
		take_base(&x->base[!side], p->ack - 1, false);
	return begin;
}

/* A queue pair, of what one side sends. */
static bool begins_queue_pair(struct na_around *a, const struct na_packet *p,
			      uint32_t file)
{
	size_t n = a->queue_pairs.n;
	struct na_roce_head h;
	uint64_t key;

	if (p->kind != NA_PACKET_UDP || p->dst_port != NA_ROCE_PORT ||
	    n >= BEGINNINGS ||
	    !na_roce_head_read(&h, p->payload, p->payload_captured,
			       p->payload_bytes) ||
	    h.kind == NA_ROCE_OTHER)
		return false;
	key = na_hash_mix(end_of(&p->src, 0), end_of(&p->dst, 1));
	key = na_hash_mix(key ^ h.source_qp, FLOW_KEY ^ file);
	a->failed |= na_triples_add(&a->queue_pairs,
				    (struct na_triple){(uint32_t)key,
						       (uint32_t)(key >> 32),
						       h.dest_qp}) ==
		     NA_NO_TRIPLE;
	return a->queue_pairs.n > n;
}

static bool begins_connection(struct na_around *a, struct flow *x,
			      const struct na_packet *p, unsigned side,
			      uint32_t file)
{
	bool begin = p->kind == NA_PACKET_TCP && begins(x, p, side, file) &&
		     a->connections < BEGINNINGS;

	a->connections += begin;
	return begin;
}

enum na_status na_around_see(struct na_around *a, const struct na_record *r,
			     uint32_t file, uint64_t nth)
{
	struct na_packet p;
	struct na_triple key;
	struct flow *x;
	unsigned side;

	na_packet_decode(&p, r, NULL);
	if (!flow_of(&p, &key, &side))
		return NA_OK;
	x = na_triples_at(&a->keys, &a->flows, key);
	if (!x)
		return NA_ENOMEM;
	if ((begins_connection(a, x, &p, side, file) ||
	     begins_queue_pair(a, &p, file)) &&
	    !na_add(&a->begin, ((struct beginning){file, nth})))
		a->failed = true;
	if (a->failed)
		return NA_ENOMEM;
	if (!x->any || r->time_ns < x->first_ns)
		x->first_ns = r->time_ns;
	if (!x->any || r->time_ns > x->last_ns)
		x->last_ns = r->time_ns;
	x->any = true;
	return NA_OK;
}

bool na_around_lasted(const struct na_around *a, const struct na_record *r,
		      int64_t *first_ns, int64_t *last_ns)
{
	uint32_t at = NA_NO_TRIPLE;
	struct na_packet p;
	struct na_triple key;
	unsigned side;

	na_packet_decode(&p, r, NULL);
	if (flow_of(&p, &key, &side))
		at = na_triples_find(&a->keys, key);
	if (at == NA_NO_TRIPLE)
		return false;
	*first_ns = a->flows.v[at].first_ns;
	*last_ns = a->flows.v[at].last_ns;
	return true;
}

static bool is_before(const struct beginning *b, uint32_t file, uint64_t nth)
{
	return b->file < file || (b->file == file && b->nth < nth);
}

bool na_around_begins(struct na_around *a, uint32_t file, uint64_t nth)
{
	const struct beginning *b = a->begin.v;

	if (a->next && !is_before(&b[a->next - 1], file, nth))
		a->next = 0;
	while (a->next < a->begin.n && is_before(&b[a->next], file, nth))
		a->next++;
	return a->next < a->begin.n && b[a->next].file == file &&
	       b[a->next].nth == nth;
}

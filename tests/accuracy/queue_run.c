/* The events of a queueing fleet. */
#include <math.h>
#include <stdlib.h>

#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/base/queue.h"
#include "tests/accuracy/queue.h"

enum what {
	ENTER, /* a host, its next stage */
	POST,  /* a message, by its sender */
	DELIVER,
	RESEND,
	DONE,
	HOP /* + place on the way; a segment joins that link's queue */
};
enum { WAYS = 5, RTO_MS = 200 };
enum salt {
	OVERHEAD = 1,
	JITTER,
	PAUSE,
	PAUSE_LEN,
	LOSS,
	FAST,
	HICCUP,
	FAR,
	CROSS
};

#define NONE UINT32_MAX

struct moving { /* a message */
	uint32_t sent, acked, tries, next;
	bool queued; /* a segment waits at the sender's link */
};

struct doing {                   /* a host */
	uint32_t stage, waiting; /* first message that waits for it */
	int64_t pause_from, pause_to;
	bool leaving;
};

struct run {
	const struct fq_world *w;
	bool faulty, failed;
	struct na_queue queue;
	int64_t now;
	struct moving *moving;
	struct doing *hosts;
	struct fq_outcome *out;
	uint32_t *receives, *sends; /* left, [stage * n_hosts + host] */
	uint32_t *head, *tail;      /* connections' queues */
	int64_t *free_ps;           /* by link */
};

static void plan(struct run *r, int64_t at, unsigned what, uint32_t id)
{
	if (!na_queue_put(&r->queue, at, what, id))
		r->failed = true;
}

static double chance(const struct run *r, enum salt salt, uint64_t id)
{
	return fl_hash_uniform(r->w->f->seed + (uint64_t)salt, id);
}

static double bell(const struct run *r, enum salt salt, uint64_t id)
{
	struct na_rng rng;

	na_rng_seed(&rng, fl_hash(r->w->f->seed + (uint64_t)salt, id));
	return fl_normal(&rng);
}

/* When a host that should do something at t gets to it. */
static int64_t awake(const struct run *r, uint32_t host, int64_t t)
{
	const struct doing *h = &r->hosts[host];

	return t >= h->pause_from && t < h->pause_to ? h->pause_to : t;
}

bool fq_meets(const struct fq_world *w, size_t i, const struct fq_message *m)
{
	const struct fq_fault *x = &w->faults[i];
	const struct na_place *who = &w->f->truths[i].who;
	uint32_t a = w->f->rack_of[m->src], b = w->f->rack_of[m->dst];

	if (x->on && !x->on[w->stages[m->stage].step])
		return false;
	if (!fl_is_rack(who->cause))
		return fl_passes(who, m->src, m->dst) &&
		       (x->connection == NONE ||
			x->connection == m->connection);
	if (a == b || (x->spine != NONE && x->spine != m->spine))
		return false;
	if (who->cause == NA_JUDGE_RACK_DOWNLINK)
		return b == who->a;
	return a == who->a &&
	       (who->cause == NA_JUDGE_RACK_UPLINK || b == who->b);
}

/* ---- links */

enum way { TX, UP, NARROW, DOWN, RX };

static bool crosses(const struct run *r, const struct fq_message *m)
{
	return r->w->f->rack_of[m->src] != r->w->f->rack_of[m->dst];
}

/* The bottleneck of a faulty path or rack pair, if the message meets one. */
static size_t narrow(const struct run *r, const struct fq_message *m)
{
	size_t i = 0;

	for (; r->faulty && i < r->w->f->n_truths; i++)
		if (r->w->faults[i].ps_per_byte > 0 && fq_meets(r->w, i, m))
			return i;
	return FL_TRUTHS;
}

static unsigned next_way(const struct run *r, const struct fq_message *m,
			 unsigned way)
{
	bool far = crosses(r, m);

	for (way++; way < WAYS; way++)
		if ((way != NARROW || narrow(r, m) < FL_TRUTHS) &&
		    ((way != UP && way != DOWN) || far))
			break;
	return way;
}

static size_t link_of(const struct run *r, const struct fq_message *m,
		      unsigned way)
{
	const struct fq_world *w = r->w;
	size_t racks = 2 * (size_t)w->n_hosts;
	size_t per = (size_t)w->f->n_racks * w->n_spines;

	switch (way) {
	case TX:
		return m->src;
	case UP:
		return racks + w->f->rack_of[m->src] * w->n_spines + m->spine;
	case DOWN:
		return racks + per + w->f->rack_of[m->dst] * w->n_spines +
		       m->spine;
	case RX:
		return (size_t)w->n_hosts + m->dst;
	default:
		return racks + 2 * per + narrow(r, m);
	}
}

/* Does fault kind k sit on this part of the way? */
static bool sits_on(enum na_judge_cause k, unsigned way, const struct na_place *w,
		    const struct fq_message *m)
{
	switch (way) {
	case TX:
		return k == NA_JUDGE_SRC ||
		       (k == NA_JUDGE_HOST && w->a == m->src);
	case RX:
		return k == NA_JUDGE_DST ||
		       (k == NA_JUDGE_HOST && w->a == m->dst);
	case UP:
		return k == NA_JUDGE_RACK_UPLINK;
	case DOWN:
		return k == NA_JUDGE_RACK_DOWNLINK;
	default:
		return false;
	}
}

static double slowdown(const struct run *r, const struct fq_message *m,
		       unsigned way, bool overhead)
{
	double x = 1;

	for (size_t i = 0; r->faulty && i < r->w->f->n_truths; i++) {
		const struct fl_truth *t = &r->w->f->truths[i];

		if (t->how == FL_TAILS || (overhead && t->how == FL_CAP))
			continue;
		if (sits_on(t->who.cause, way, &t->who, m) &&
		    fq_meets(r->w, i, m))
			x *= t->factor;
	}
	return x;
}

static int64_t service(const struct run *r, const struct fq_message *m,
		       unsigned way)
{
	double bytes = (double)m->bytes / m->segments;
	double each = r->w->nic_ps_per_byte;
	uint64_t draw = (uint64_t)(m - r->w->messages) * WAYS + way;
	double busy = r->w->cross_traffic * chance(r, CROSS, draw);

	if (way == UP || way == DOWN)
		each = r->w->spine_ps_per_byte;
	if (way == NARROW)
		each = r->w->faults[narrow(r, m)].ps_per_byte;
	each *= slowdown(r, m, way, false) / (1 - busy);
	return (int64_t)(bytes * each) + 1;
}

/* ---- segments */

static void inject(struct run *r, uint32_t id)
{
	const struct fq_message *m = &r->w->messages[id];
	struct moving *v = &r->moving[id];

	if (v->queued || v->sent == m->segments ||
	    v->sent - v->acked >= r->w->window)
		return;
	v->queued = true;
	v->sent++;
	plan(r, awake(r, m->src, r->now), HOP + TX, id);
}

/* A lost segment is seen quickly when others follow; else by a timer. */
static void lose(struct run *r, uint32_t id)
{
	const struct fq_world *w = r->w;
	struct fq_outcome *o = &r->out[id];
	uint64_t try = (uint64_t)id * 64 + (r->moving[id].tries & 63);
	int64_t wait = 2 * w->far_ps + 4 * w->near_ps;

	if (chance(r, FAST, try) >= 0.4) {
		unsigned k = o->timeouts < 4 ? o->timeouts : 4;

		wait = (RTO_MS * NA_PS_PER_MS) << k;
		o->timeouts++;
	}
	plan(r, r->now + wait, RESEND, id);
}

static void hop(struct run *r, unsigned way, uint32_t id)
{
	const struct fq_world *w = r->w;
	const struct fq_message *m = &w->messages[id];
	int64_t *free_ps = &r->free_ps[link_of(r, m, way)];
	int64_t start = r->now > *free_ps ? r->now : *free_ps, ahead = 0;
	unsigned next = next_way(r, m, way);

	if (way != TX && w->buffer_ps && start - r->now > w->buffer_ps) {
		uint64_t try = (uint64_t)id * 64 + (++r->moving[id].tries & 63);

		if (chance(r, HICCUP, try) < w->drop) {
			lose(r, id);
			return;
		}
	}
	*free_ps = start + service(r, m, way);
	if (next == WAYS) {
		ahead = w->near_ps + (crosses(r, m) ? w->far_ps : 0);
		ahead += (int64_t)(0.25 * (double)ahead *
				   chance(r, FAR,
					  (uint64_t)m->src * w->n_hosts +
						  m->dst));
	}
	plan(r, *free_ps + ahead, next == WAYS ? DELIVER : HOP + next, id);
}

static double loss(const struct run *r, const struct fq_message *m)
{
	double p = r->w->loss;

	for (size_t i = 0; r->faulty && i < r->w->f->n_truths; i++)
		if (r->w->f->truths[i].how == FL_TAILS && fq_meets(r->w, i, m))
			p += r->w->f->truths[i].share;
	return p;
}

/* What a host adds to a message at one end: median, spread, hiccups. */
static int64_t overhead(const struct run *r, uint32_t id, unsigned way)
{
	const struct fq_message *m = &r->w->messages[id];
	uint64_t draw = (uint64_t)id * 2 + (way == RX);
	double x = exp(r->w->overhead_sigma * bell(r, OVERHEAD, draw));

	if (chance(r, HICCUP, draw) < 0.01)
		x *= 10;
	x *= slowdown(r, m, way, true);
	return (int64_t)(x * (double)r->w->overhead_ps) + 1;
}

static void deliver(struct run *r, uint32_t id)
{
	const struct fq_message *m = &r->w->messages[id];
	struct moving *v = &r->moving[id];
	uint64_t try = (uint64_t)id * 64 + (++v->tries & 63);

	if (chance(r, LOSS, try) < loss(r, m)) {
		lose(r, id);
		return;
	}
	v->acked++;
	if (v->acked == m->segments)
		plan(r, awake(r, m->dst, r->now + overhead(r, id, RX)), DONE,
		     id);
	else
		inject(r, id);
}

/* ---- messages and stages */

static size_t connection_of(const struct run *r, const struct fq_message *m)
{
	size_t pair = (size_t)m->src * r->w->n_hosts + m->dst;

	return pair * r->w->n_connections + m->connection;
}

static void begin(struct run *r, uint32_t id)
{
	r->out[id].begun_ps = r->now;
	inject(r, id);
}

static void enqueue(struct run *r, uint32_t id)
{
	size_t c = connection_of(r, &r->w->messages[id]);

	r->out[id].ready_ps = r->now;
	r->moving[id].next = NONE;
	if (r->head[c] == NONE) {
		r->head[c] = r->tail[c] = id;
		begin(r, id);
	} else {
		r->moving[r->tail[c]].next = id;
		r->tail[c] = id;
	}
}

static void post(struct run *r, uint32_t id)
{
	const struct fq_message *m = &r->w->messages[id];
	struct doing *to = &r->hosts[m->dst];

	r->out[id].posted_ps = r->now;
	if (r->w->eager || (to->stage != NONE && to->stage >= m->stage)) {
		enqueue(r, id);
	} else {
		r->moving[id].next = to->waiting;
		to->waiting = id;
	}
}

static int64_t computing(const struct run *r, uint32_t host, uint32_t stage)
{
	const struct fq_world *w = r->w;
	const struct fq_stage *s = &w->stages[stage];
	uint64_t id = (uint64_t)stage * w->n_hosts + host;
	double ps = (double)w->overhead_ps;

	if (s->last)
		ps = (double)w->colls[s->collective].gap_ps;
	if (host == w->straggler)
		ps *= w->straggler_factor;
	return (int64_t)(ps * exp(w->jitter_sigma * bell(r, JITTER, id))) + 1;
}

static void check_stage(struct run *r, uint32_t host)
{
	struct doing *h = &r->hosts[host];
	size_t at;

	if (h->stage == NONE || h->leaving)
		return;
	at = (size_t)h->stage * r->w->n_hosts + host;
	if (r->receives[at] || r->sends[at])
		return;
	h->leaving = true;
	if (h->stage + 1 < r->w->n_stages)
		plan(r, awake(r, host, r->now + computing(r, host, h->stage)),
		     ENTER, host);
}

static void maybe_pause(struct run *r, uint32_t host)
{
	const struct fq_world *w = r->w;
	struct doing *h = &r->hosts[host];
	uint64_t id = (uint64_t)h->stage * w->n_hosts + host;
	double share = w->pause_share, u = chance(r, PAUSE_LEN, id);

	if (host == w->pauser)
		share *= w->pauser_factor;
	if (chance(r, PAUSE, id) >= share || r->now < h->pause_to)
		return;
	h->pause_from = r->now + w->overhead_ps * (int64_t)(1 + 20 * u);
	h->pause_to = h->pause_from +
		      (int64_t)(20e9 * pow(20, u)); /* 20 to 400 ms */
}

static void release(struct run *r, uint32_t host)
{
	struct doing *h = &r->hosts[host];
	uint32_t id = h->waiting, next;

	h->waiting = NONE;
	for (; id != NONE; id = next) {
		next = r->moving[id].next;
		if (r->w->messages[id].stage <= h->stage) {
			enqueue(r, id);
		} else {
			r->moving[id].next = h->waiting;
			h->waiting = id;
		}
	}
}

static void enter(struct run *r, uint32_t host)
{
	const struct fq_world *w = r->w;
	struct doing *h = &r->hosts[host];
	int64_t t = r->now;
	size_t at;

	h->stage = h->stage == NONE ? 0 : h->stage + 1;
	h->leaving = false;
	maybe_pause(r, host);
	release(r, host);
	at = (size_t)h->stage * w->n_hosts + host;
	for (uint32_t id = w->first[at]; id < w->first[at + 1]; id++) {
		t = awake(r, host, t + overhead(r, id, TX) / 4);
		plan(r, t, POST, id);
	}
	check_stage(r, host);
}

static void done(struct run *r, uint32_t id)
{
	const struct fq_message *m = &r->w->messages[id];
	size_t stage = (size_t)m->stage * r->w->n_hosts;
	size_t c = connection_of(r, m);

	r->out[id].end_ps = r->now;
	r->receives[stage + m->dst]--;
	r->sends[stage + m->src]--;
	r->head[c] = r->moving[id].next;
	if (r->head[c] != NONE)
		begin(r, r->head[c]);
	check_stage(r, m->dst);
	check_stage(r, m->src);
}

static void handle(struct run *r, unsigned what, uint32_t id)
{
	switch (what) {
	case ENTER:
		enter(r, id);
		break;
	case POST:
		post(r, id);
		break;
	case DELIVER:
		deliver(r, id);
		break;
	case RESEND:
		plan(r, awake(r, r->w->messages[id].src, r->now), HOP + TX, id);
		break;
	case DONE:
		done(r, id);
		break;
	default:
		/* The sender's link is free for this connection's next. */
		if (what - HOP == next_way(r, &r->w->messages[id], TX)) {
			r->moving[id].queued = false;
			inject(r, id);
		}
		hop(r, what - HOP, id);
	}
}

static void count_work(struct run *r)
{
	for (size_t i = 0; i < r->w->n_messages; i++) {
		const struct fq_message *m = &r->w->messages[i];
		size_t stage = (size_t)m->stage * r->w->n_hosts;

		r->receives[stage + m->dst]++;
		r->sends[stage + m->src]++;
	}
}

static bool start(struct run *r)
{
	const struct fq_world *w = r->w;
	size_t n = w->n_stages * w->n_hosts;
	size_t pairs = (size_t)w->n_hosts * w->n_hosts * w->n_connections;
	size_t links = 2 * (size_t)w->n_hosts + FL_TRUTHS + 1 +
		       2 * (size_t)w->f->n_racks * w->n_spines;

	r->moving = na_calloc(w->n_messages, sizeof(*r->moving));
	r->hosts = na_calloc(w->n_hosts, sizeof(*r->hosts));
	r->receives = na_calloc(n, sizeof(*r->receives));
	r->sends = na_calloc(n, sizeof(*r->sends));
	r->head = na_calloc(pairs, sizeof(*r->head));
	r->tail = na_calloc(pairs, sizeof(*r->tail));
	r->free_ps = na_calloc(links, sizeof(*r->free_ps));
	if (!r->moving || !r->hosts || !r->receives || !r->sends || !r->head ||
	    !r->tail || !r->free_ps)
		return false;
	for (size_t i = 0; i < pairs; i++)
		r->head[i] = NONE;
	count_work(r);
	for (uint32_t h = 0; h < w->n_hosts; h++) {
		r->hosts[h].stage = r->hosts[h].waiting = NONE;
		plan(r, (int64_t)(chance(r, JITTER, h) * 1e9), ENTER, h);
	}
	return true;
}

bool fq_run(const struct fq_world *w, bool faulty, struct fq_outcome *out)
{
	struct run r = {.w = w, .faulty = faulty, .out = out};
	unsigned what;
	uint32_t id;
	bool ok = start(&r);

	while (ok && !r.failed && na_queue_take(&r.queue, &r.now, &what, &id))
		handle(&r, what, id);
	na_queue_fini(&r.queue);
	free(r.moving);
	free(r.hosts);
	free(r.receives);
	free(r.sends);
	free(r.head);
	free(r.tail);
	free(r.free_ps);
	return ok && !r.failed;
}

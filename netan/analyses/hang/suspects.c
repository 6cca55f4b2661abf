/* Over many events: broken links and the host behind several of them, and
 * hosts that are named again and again; see hang.h. */
#include <stdlib.h>

#include "netan/analyses/hang/hang.h"
#include "netan/base/vec.h"

/* ---- links */

static bool add_link(struct na_hangs *x, uint32_t a, uint32_t b)
{
	struct na_hangs_link l = {a, b, 1};

	if (na_hangs_order(x, a, b) > 0) {
		l.a = b;
		l.b = a;
	}
	for (size_t i = 0; i < x->links.n; i++) {
		if (x->links.v[i].a == l.a && x->links.v[i].b == l.b) {
			x->links.v[i].events++;
			return true;
		}
	}
	return na_add(&x->links, l);
}

/* Each once. */
static size_t hosts_named(const struct na_hangs_event *e,
			  uint32_t hosts[NA_HANGS_LINK_HOSTS + 1])
{
	size_t n = 0, k;

	for (size_t i = 0; i < e->culprits.n && n <= NA_HANGS_LINK_HOSTS; i++) {
		uint32_t host = e->culprits.v[i].worker.host;

		for (k = 0; k < n && hosts[k] != host; k++)
			;
		if (k == n && host != NA_NO_NAME)
			hosts[n++] = host;
	}
	return n;
}

static int by_events(const void *a, const void *b, void *ctx)
{
	const struct na_hangs_link *l = a, *m = b;
	int order;

	if (l->events != m->events)
		return l->events < m->events ? 1 : -1;
	order = na_hangs_order(ctx, l->a, m->a);
	return order ? order : na_hangs_order(ctx, l->b, m->b);
}

static bool find_links(struct na_hangs *x)
{
	uint32_t hosts[NA_HANGS_LINK_HOSTS + 1];

	for (size_t e = 0; e < x->events.n; e++) {
		const struct na_hangs_event *event = &x->events.v[e];
		size_t n = hosts_named(event, hosts);

		if (event->cause != NA_HANG_NETWORKING || n < 2 ||
		    n > NA_HANGS_LINK_HOSTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			for (size_t k = i + 1; k < n; k++) {
				if (!add_link(x, hosts[i], hosts[k]))
					return false;
			}
		}
	}
	if (x->links.n)
		qsort_r(x->links.v, x->links.n, sizeof(*x->links.v), by_events,
			x);
	return true;
}

/* ---- hosts by name: an index over all names of the logs */

struct count {
	uint64_t events, seen, links, link_events;
	uint32_t causes;
	size_t mark; /* the last event that counted the host, from 1 */
};

/* Whether that is a host at all. */
static bool see(struct count *all, uint32_t host, size_t event,
		const struct na_hangs_event *accused_by)
{
	struct count *c = host == NA_NO_NAME ? NULL : &all[host];

	if (!c)
		return false;
	if (c->mark == event)
		return true;
	c->mark = event;
	c->seen++;
	if (accused_by) {
		c->events++;
		c->causes |= 1u << accused_by->cause;
	}
	return true;
}

/* Workers of other modules wait for those that are behind: these are what
 * counts there. */
static bool by_blocking(const struct na_hangs_event *e)
{
	return (e->cause == NA_HANG_DIFFERENT_MODULE ||
		e->cause == NA_HANG_FINGERPRINT_MISMATCH) &&
	       e->blocked_by.n > 0;
}

static void count_event(struct na_hangs *x, struct count *c, size_t i)
{
	const struct na_hangs_event *e = &x->events.v[i];
	const struct na_hang_record *r = na_hangs_report(x, e);
	bool any = false;

	if (by_blocking(e)) {
		for (size_t k = 0; k < e->blocked_by.n; k++)
			any |= see(c, e->blocked_by.v[k], i + 1, e);
	} else {
		for (size_t k = 0; k < e->culprits.n; k++)
			any |= see(c, e->culprits.v[k].worker.host, i + 1, e);
	}
	x->naming += any;
	for (size_t k = 0; r && k < r->culprits.n; k++)
		see(c, r->culprits.v[k].host, i + 1, NULL);
	for (size_t k = 0; r && k < r->at_places.n; k++)
		see(c, r->at_places.v[k].host, i + 1, NULL);
	for (size_t k = 0; r && k < r->counters.n; k++)
		see(c, r->counters.v[k].host, i + 1, NULL);
	for (size_t k = 0; r && k < r->fingerprints.n; k++)
		see(c, r->fingerprints.v[k].host, i + 1, NULL);
}

static int by_weight(const void *a, const void *b, void *ctx)
{
	const struct na_hangs_suspect *s = a, *t = b;

	if (s->links != t->links)
		return s->links < t->links ? 1 : -1;
	if (s->events != t->events)
		return s->events < t->events ? 1 : -1;
	return na_hangs_order(ctx, s->host, t->host);
}

static bool find_offenders(struct na_hangs *x, const struct count *counts)
{
	for (uint32_t h = 0; h < x->logs->names.n; h++) {
		const struct count *c = &counts[h];

		if (c->events >= 2 &&
		    !na_add(&x->offenders,
			    ((struct na_hangs_suspect){h, c->events, c->seen, 0,
						       c->causes})))
			return false;
	}
	if (x->offenders.n)
		qsort_r(x->offenders.v, x->offenders.n, sizeof(*x->offenders.v),
			by_weight, x);
	return true;
}

/* In several broken links, and in more than any of those it is broken to. */
static bool explains(const struct na_hangs *x, const struct count *c,
		     uint32_t host)
{
	bool most = c[host].links >= 2;

	for (size_t i = 0; most && i < x->links.n; i++) {
		const struct na_hangs_link *l = &x->links.v[i];

		if (l->a == host)
			most = c[l->b].links < c[host].links;
		else if (l->b == host)
			most = c[l->a].links < c[host].links;
	}
	return most;
}

/* Hosts that explain several broken links: these do not speak against the
 * other ends then. */
static bool localise(struct na_hangs *x, struct count *c)
{
	for (size_t i = 0; i < x->links.n; i++) {
		const struct na_hangs_link *l = &x->links.v[i];

		c[l->a].links++;
		c[l->b].links++;
		c[l->a].link_events += l->events;
		c[l->b].link_events += l->events;
	}
	for (uint32_t h = 0; h < x->logs->names.n; h++) {
		if (explains(x, c, h) &&
		    !na_add(&x->localised,
			    ((struct na_hangs_suspect){
				    h, c[h].link_events, c[h].seen, c[h].links,
				    1u << NA_HANG_NETWORKING})))
			return false;
	}
	if (x->localised.n)
		qsort_r(x->localised.v, x->localised.n, sizeof(*x->localised.v),
			by_weight, x);
	return true;
}

bool na_hangs_suspects(struct na_hangs *x)
{
	struct count *c = na_calloc(x->logs->names.n, sizeof(*c));
	bool ok = c != NULL;

	for (size_t i = 0; ok && i < x->events.n; i++)
		count_event(x, c, i);
	ok = ok && find_offenders(x, c) && find_links(x) && localise(x, c);
	free(c);
	return ok;
}

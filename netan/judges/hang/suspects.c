/* Over many events: broken links and the host behind several of them, and
 * hosts that are named again and again; see hang.h. */
#include <stdlib.h>
#include <string.h>

#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/judges/hang/hang.h"

static int order_of(const struct na_hangs *x, uint32_t a, uint32_t b)
{
	const char *s = na_strtab_at(&x->logs->names, a);
	const char *t = na_strtab_at(&x->logs->names, b);
	int order = na_natural_order(s, t);

	return order ? order : strcmp(s, t);
}

/* ---- links */

static bool add_link(struct na_hangs *x, uint32_t a, uint32_t b)
{
	struct na_hangs_link l = {a, b, 1};

	if (order_of(x, a, b) > 0) {
		l.a = b;
		l.b = a;
	}
	for (size_t i = 0; i < x->links.n; i++) {
		if (x->links.items[i].a == l.a && x->links.items[i].b == l.b) {
			x->links.items[i].events++;
			return true;
		}
	}
	if (!na_hang_room(&x->links))
		return false;
	x->links.items[x->links.n++] = l;
	return true;
}

/* Each once. */
static size_t hosts_named(const struct na_hangs_event *e,
			  uint32_t hosts[NA_HANGS_LINK_HOSTS + 1])
{
	size_t n = 0, k;

	for (size_t i = 0; i < e->culprits.n && n <= NA_HANGS_LINK_HOSTS; i++) {
		uint32_t host = e->culprits.items[i].worker.host;

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
	order = order_of(ctx, l->a, m->a);
	return order ? order : order_of(ctx, l->b, m->b);
}

static bool find_links(struct na_hangs *x)
{
	uint32_t hosts[NA_HANGS_LINK_HOSTS + 1];

	for (size_t e = 0; e < x->events.n; e++) {
		const struct na_hangs_event *event = &x->events.items[e];
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
		qsort_r(x->links.items, x->links.n, sizeof(*x->links.items),
			by_events, x);
	return true;
}

/* ---- hosts by name: an index over all names of the logs */

struct counts {
	uint64_t *events, *seen, *links, *link_events;
	uint32_t *causes;
	size_t *mark; /* the last event that counted the host, from 1 */
};

static void free_counts(struct counts *c)
{
	free(c->events);
	free(c->seen);
	free(c->links);
	free(c->link_events);
	free(c->causes);
	free(c->mark);
}

static bool make_counts(struct counts *c, size_t n)
{
	c->events = na_calloc(n + 1, sizeof(*c->events));
	c->seen = na_calloc(n + 1, sizeof(*c->seen));
	c->links = na_calloc(n + 1, sizeof(*c->links));
	c->link_events = na_calloc(n + 1, sizeof(*c->link_events));
	c->causes = na_calloc(n + 1, sizeof(*c->causes));
	c->mark = na_calloc(n + 1, sizeof(*c->mark));
	return c->events && c->seen && c->links && c->link_events &&
	       c->causes && c->mark;
}

static void see(struct counts *c, uint32_t host, size_t event)
{
	if (host == NA_NO_NAME || c->mark[host] == event)
		return;
	c->mark[host] = event;
	c->seen[host]++;
}

/* Workers of other modules wait for those that are behind: these are what
 * counts there. */
static bool by_blocking(const struct na_hangs_event *e)
{
	return (e->cause == NA_HANG_DIFFERENT_MODULE ||
		e->cause == NA_HANG_FINGERPRINT_MISMATCH) &&
	       e->blocked_by.n > 0;
}

static bool accuse(struct counts *c, const struct na_hangs_event *e,
		   uint32_t host, size_t event)
{
	if (host == NA_NO_NAME)
		return false;
	if (c->mark[host] != event) {
		c->mark[host] = event;
		c->seen[host]++;
		c->events[host]++;
		c->causes[host] |= 1u << e->cause;
	}
	return true;
}

static void count_event(struct na_hangs *x, struct counts *c, size_t i)
{
	const struct na_hangs_event *e = &x->events.items[i];
	const struct na_hang_record *r = na_hangs_report(x, e);
	bool any = false;

	for (size_t k = 0; by_blocking(e) && k < e->blocked_by.n; k++)
		any |= accuse(c, e, e->blocked_by.items[k], i + 1);
	for (size_t k = 0; !by_blocking(e) && k < e->culprits.n; k++)
		any |= accuse(c, e, e->culprits.items[k].worker.host, i + 1);
	x->naming += any;
	for (size_t k = 0; r && k < r->culprits.n; k++)
		see(c, r->culprits.items[k].host, i + 1);
	for (size_t k = 0; r && k < r->at_places.n; k++)
		see(c, r->at_places.items[k].host, i + 1);
	for (size_t k = 0; r && k < r->counters.n; k++)
		see(c, r->counters.items[k].host, i + 1);
	for (size_t k = 0; r && k < r->fingerprints.n; k++)
		see(c, r->fingerprints.items[k].host, i + 1);
}

static int by_weight(const void *a, const void *b, void *ctx)
{
	const struct na_hangs_suspect *s = a, *t = b;

	if (s->links != t->links)
		return s->links < t->links ? 1 : -1;
	if (s->events != t->events)
		return s->events < t->events ? 1 : -1;
	return order_of(ctx, s->host, t->host);
}

static bool find_offenders(struct na_hangs *x, const struct counts *c)
{
	for (uint32_t h = 0; h < x->logs->names.n; h++) {
		if (c->events[h] < 2)
			continue;
		if (!na_hang_room(&x->offenders))
			return false;
		x->offenders.items[x->offenders.n++] =
			(struct na_hangs_suspect){h, c->events[h], c->seen[h],
						  0, c->causes[h]};
	}
	if (x->offenders.n)
		qsort_r(x->offenders.items, x->offenders.n,
			sizeof(*x->offenders.items), by_weight, x);
	return true;
}

/* A host that explains several broken links: more than any of those it is
 * broken to.  Its links are explained then, and do not speak against the
 * other ends. */
static bool localise(struct na_hangs *x, struct counts *c)
{
	for (size_t i = 0; i < x->links.n; i++) {
		const struct na_hangs_link *l = &x->links.items[i];

		c->links[l->a]++;
		c->links[l->b]++;
		c->link_events[l->a] += l->events;
		c->link_events[l->b] += l->events;
	}
	for (uint32_t h = 0; h < x->logs->names.n; h++) {
		bool most = c->links[h] >= 2;

		for (size_t i = 0; most && i < x->links.n; i++) {
			const struct na_hangs_link *l = &x->links.items[i];

			if (l->a == h)
				most = c->links[l->b] < c->links[h];
			else if (l->b == h)
				most = c->links[l->a] < c->links[h];
		}
		if (!most)
			continue;
		if (!na_hang_room(&x->localised))
			return false;
		x->localised.items[x->localised.n++] =
			(struct na_hangs_suspect){h, c->link_events[h],
						  c->seen[h], c->links[h],
						  1u << NA_HANG_NETWORKING};
	}
	if (x->localised.n)
		qsort_r(x->localised.items, x->localised.n,
			sizeof(*x->localised.items), by_weight, x);
	return true;
}

bool na_hangs_suspects(struct na_hangs *x)
{
	struct counts c = {.events = NULL};
	bool ok = make_counts(&c, x->logs->names.n);

	for (size_t i = 0; ok && i < x->events.n; i++)
		count_event(x, &c, i);
	ok = ok && find_offenders(x, &c) && find_links(x) && localise(x, &c);
	free_counts(&c);
	return ok;
}

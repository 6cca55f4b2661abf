#include "tests/accuracy/tcp/choose.h"

#include <stdlib.h>

#include "tests/accuracy/draw.h"
#include "tests/accuracy/tcp/frame.h"

static bool wanted(struct choice *c, const struct pcap_packet *p, size_t i,
		   size_t n)
{
	struct frame_view v;

	if ((double)i < c->late * (double)n)
		return false;
	if (c->host &&
	    (!frame_look(p->bytes, p->n, &v) || v.src_host != c->host))
		return false;
	return c->lose <= 0 || !fl_chance(&c->rng, c->lose);
}

void choose(struct pcap_packets *p, struct choice *c)
{
	size_t n = p->all.n, kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct pcap_packet *k = &p->all.v[i];

		if (!wanted(c, k, i, n)) {
			free(k->bytes);
			continue;
		}
		if (c->cut && k->n > c->cut)
			k->n = c->cut;
		if (c->no_id)
			frame_forget_id(k->bytes, k->n);
		p->all.v[kept++] = *k;
	}
	p->all.n = kept;
}

bool choose_add(struct pcap_packets *p, const char *path, int64_t ahead_ns)
{
	size_t from = p->all.n;
	bool ok = pcap_load(path, p);

	for (size_t i = from; i < p->all.n; i++)
		p->all.v[i].at_ns += ahead_ns;
	return ok;
}

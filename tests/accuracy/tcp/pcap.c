#include "tests/accuracy/tcp/pcap.h"

#include <stdio.h>
#include <string.h>

#include "netan/base/order.h"

#define MAGIC_US UINT32_C(0xa1b2c3d4)
#define MAGIC_NS UINT32_C(0xa1b23c4d)

enum { PACKET_MAX = 1 << 18 };

struct file_head {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, sigfigs, snap, link;
};

struct packet_head {
	uint32_t s, fraction, n, wire_n;
};

bool pcap_add(struct pcap_packets *p, int64_t at_ns, const uint8_t *bytes,
	      uint32_t n, uint32_t wire_n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		return false;
	memcpy(copy, bytes, n);
	if (na_add(&p->all,
		   ((struct pcap_packet){at_ns, p->all.n, n, wire_n, copy})))
		return true;
	free(copy);
	return false;
}

NA_ORDER(by_time, struct pcap_packet, NA_UP(at_ns), NA_UP(order))

void pcap_sort(struct pcap_packets *p)
{
	na_sort(p->all.v, p->all.n, by_time);
}

void pcap_free(struct pcap_packets *p)
{
	for (size_t i = 0; i < p->all.n; i++)
		free(p->all.v[i].bytes);
	na_vec_free(&p->all);
}

static bool load_packets(FILE *f, bool ns, struct pcap_packets *p)
{
	static uint8_t bytes[PACKET_MAX];
	struct packet_head h;

	while (fread(&h, sizeof(h), 1, f) == 1) {
		int64_t at = (int64_t)h.s * 1000000000 +
			     (int64_t)h.fraction * (ns ? 1 : 1000);

		if (h.n > sizeof(bytes) || fread(bytes, 1, h.n, f) != h.n ||
		    !pcap_add(p, at, bytes, h.n, h.wire_n))
			return false;
	}
	return feof(f);
}

bool pcap_load(const char *path, struct pcap_packets *behind)
{
	FILE *f = fopen(path, "rb");
	struct file_head h;
	bool ok = f && fread(&h, sizeof(h), 1, f) == 1 &&
		  (h.magic == MAGIC_US || h.magic == MAGIC_NS);

	if (ok) {
		behind->link = h.link;
		ok = load_packets(f, h.magic == MAGIC_NS, behind);
	}
	if (f)
		fclose(f);
	if (!ok)
		fprintf(stderr, "cannot read %s\n", path);
	return ok;
}

bool pcap_save(const char *path, const struct pcap_packets *p)
{
	struct file_head h = {MAGIC_NS, 2, 4, 0, 0, PACKET_MAX, p->link};
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(&h, sizeof(h), 1, f) == 1;

	for (size_t i = 0; ok && i < p->all.n; i++) {
		const struct pcap_packet *k = &p->all.v[i];
		struct packet_head ph = {(uint32_t)(k->at_ns / 1000000000),
					 (uint32_t)(k->at_ns % 1000000000),
					 k->n, k->wire_n};

		ok = fwrite(&ph, sizeof(ph), 1, f) == 1 &&
		     fwrite(k->bytes, 1, k->n, f) == k->n;
	}
	if (f && fclose(f) != 0)
		ok = false;
	if (!ok)
		fprintf(stderr, "cannot write %s\n", path);
	return ok;
}

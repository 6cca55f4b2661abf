/*
 * A capture in pcap's format: one of its packets is changed, doubled, moved or
 * taken out, or when it was seen; its record says how long it is by then.
 */
#include "tests/fuzz/mutate.h"

enum {
	FILE_HEADER = 24,
	RECORD_HEADER = 16,
	CAPTURED = 8, /* in the record's header: captured, then on the wire */
	MOST_RECORDS = 1024,
	MOST_PIECE = 4096
};

struct records {
	size_t at[MOST_RECORDS + 1]; /* [n]: where the last one ends */
	size_t n;
	bool swapped;
};

static uint32_t get32(const struct records *l, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return l->swapped ? __builtin_bswap32(v) : v;
}

static void put32(const struct records *l, uint8_t *p, uint32_t v)
{
	v = l->swapped ? __builtin_bswap32(v) : v;
	memcpy(p, &v, sizeof(v));
}

static bool is_pcap(struct records *l, const uint8_t *p, size_t n)
{
	uint32_t magic;

	if (n < FILE_HEADER)
		return false;
	memcpy(&magic, p, sizeof(magic));
	l->swapped = magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1;
	return l->swapped || magic == 0xa1b2c3d4 || magic == 0xa1b23c4d;
}

static void find_records(struct records *l, const uint8_t *p, size_t n)
{
	size_t at = FILE_HEADER;

	l->n = 0;
	while (l->n < MOST_RECORDS && n - at >= RECORD_HEADER) {
		uint32_t captured = get32(l, p + at + CAPTURED);

		if (captured > n - at - RECORD_HEADER)
			break;
		l->at[l->n++] = at;
		at += RECORD_HEADER + captured;
	}
	l->at[l->n] = at;
}

static bool change_packet(struct mutated *m, const struct records *l, size_t i)
{
	size_t at = l->at[i] + RECORD_HEADER, was = l->at[i + 1] - at, n;
	uint8_t piece[MOST_PIECE], *header = m->p + l->at[i];
	uint32_t wire = get32(l, header + CAPTURED + 4);

	if (was > sizeof(piece) / 2)
		return false;
	memcpy(piece, m->p + at, was);
	n = LLVMFuzzerMutate(piece, was, sizeof(piece));
	if (!mutate_splice(m, at, was, piece, n))
		return false;
	put32(l, header + CAPTURED, (uint32_t)n);
	if (wire < n || wire == was)
		put32(l, header + CAPTURED + 4, (uint32_t)n);
	return true;
}

/* A byte of addresses, ports, numbers, lengths or flags. */
static bool change_headers(struct mutated *m, const struct records *l, size_t i,
			   uint32_t *seed)
{
	size_t at = l->at[i] + RECORD_HEADER, n = l->at[i + 1] - at;

	if (!n)
		return false;
	at += mutate_below(seed, n < 80 ? n : 80);
	m->p[at] = (uint8_t)(mutate_below(seed, 2)
				     ? m->p[at] ^ 1u << mutate_below(seed, 8)
				     : mutate_random(seed));
	return true;
}

static bool change_time(struct mutated *m, const struct records *l, size_t i,
			uint32_t *seed)
{
	uint8_t *p = m->p + l->at[i] + 4 * mutate_below(seed, 2);
	uint32_t by = UINT32_C(1) << mutate_below(seed, 32);

	put32(l, p,
	      mutate_below(seed, 2) ? get32(l, p) + by : get32(l, p) - by);
	return true;
}

/* In front of another, or once more in front of itself. */
static bool copy_packet(struct mutated *m, const struct records *l, size_t from,
			size_t to)
{
	size_t n = l->at[from + 1] - l->at[from];
	uint8_t piece[MOST_PIECE];

	if (n > sizeof(piece))
		return false;
	memcpy(piece, m->p + l->at[from], n);
	return mutate_splice(m, l->at[to], 0, piece, n);
}

static bool mutate_records(struct mutated *m, const struct records *l,
			   uint32_t *seed)
{
	size_t i = mutate_below(seed, l->n);

	switch (mutate_below(seed, 8)) {
	case 0:
		return mutate_splice(m, l->at[i], l->at[i + 1] - l->at[i], NULL,
				     0);
	case 1: return copy_packet(m, l, i, i);
	case 2: return copy_packet(m, l, i, mutate_below(seed, l->n));
	case 3: return change_time(m, l, i, seed);
	case 4: return change_packet(m, l, i);
	default: return change_headers(m, l, i, seed);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	/* Large, and needed a thousand times a second. */
	static struct records l;
	struct mutated m = {data, size, most};
	uint32_t random = seed;
	bool ok = false;

	if (is_pcap(&l, data, size)) {
		find_records(&l, data, size);
		/* Now and then without a plan, for the file's own header. */
		ok = l.n && mutate_below(&random, 8) &&
		     mutate_records(&m, &l, &random);
	}
	return ok ? m.n : LLVMFuzzerMutate(data, m.n, most);
}

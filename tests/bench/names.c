/*
 * An XSpace file with many different names, each of which comes once: what is
 * kept for a name is all that its analysis weighs.
 *
 *	names KIND N >FILE
 *
 *	collectives  N executions of the data-center network, N names
 *	ops          N collectives of device ops, on two devices
 *	devices      N senders
 *	pairs        N pairs of a thousand senders and as many receivers as it
 *	             takes
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENDERS = 1000, SLICE = 100000, NS = 1000, US = 1000000 };

struct bytes {
	uint8_t *p;
	size_t n, cap;
};

static void put(struct bytes *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n);
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			exit(1);
	}
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put_varint(struct bytes *b, uint64_t x)
{
	uint8_t buf[10];
	size_t n = 0;

	for (; x >= 0x80; x >>= 7)
		buf[n++] = (uint8_t)(x | 0x80);
	buf[n++] = (uint8_t)x;
	put(b, buf, n);
}

static void put_number(struct bytes *b, unsigned field, uint64_t x)
{
	put_varint(b, field << 3);
	put_varint(b, x);
}

static void put_bytes(struct bytes *b, unsigned field, const void *p, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	put(b, p, n);
}

static void put_text(struct bytes *b, unsigned field, const char *s)
{
	put_bytes(b, field, s, strlen(s));
}

/* The message `part`, which is empty afterwards. */
static void put_part(struct bytes *b, unsigned field, struct bytes *part)
{
	put_bytes(b, field, part->p, part->n);
	part->n = 0;
}

/* ---- planes */

struct plane {
	struct bytes all, line, event, part;
	struct bytes maps; /* of events and stats: behind the lines */
	uint64_t n_events, n_stats;
};

static uint64_t define(struct plane *p, unsigned map, uint64_t id,
		       const char *name)
{
	struct bytes entry = {NULL, 0, 0};

	put_number(&p->part, 1, id);
	put_text(&p->part, 2, name);
	put_number(&entry, 1, id);
	put_part(&entry, 2, &p->part);
	put_bytes(&p->maps, map, entry.p, entry.n);
	free(entry.p);
	return id;
}

static uint64_t event_named(struct plane *p, const char *name)
{
	return define(p, 4, ++p->n_events, name);
}

static uint64_t stat_named(struct plane *p, const char *name)
{
	return define(p, 5, ++p->n_stats, name);
}

static void put_stat_text(struct plane *p, uint64_t id, const char *text)
{
	put_number(&p->part, 1, id);
	put_text(&p->part, 5, text);
	put_part(&p->event, 4, &p->part);
}

static void put_stat(struct plane *p, uint64_t id, uint64_t x)
{
	put_number(&p->part, 1, id);
	put_number(&p->part, 3, x);
	put_part(&p->event, 4, &p->part);
}

static void begin_event(struct plane *p, uint64_t id, uint64_t at_ps,
			uint64_t for_ps)
{
	put_number(&p->event, 1, id);
	put_number(&p->event, 2, at_ps);
	put_number(&p->event, 3, for_ps);
}

static void end_event(struct plane *p)
{
	put_part(&p->line, 4, &p->event);
}

static void begin_line(struct plane *p, uint64_t id, const char *name)
{
	put_number(&p->line, 1, id);
	put_text(&p->line, 2, name);
	put_number(&p->line, 3, 100 * NS);
}

static void end_line(struct plane *p)
{
	put_part(&p->all, 3, &p->line);
}

static void begin_plane(struct plane *p, uint64_t id, const char *name)
{
	put_number(&p->all, 1, id);
	put_text(&p->all, 2, name);
}

static void end_plane(struct plane *p)
{
	struct bytes head = {NULL, 0, 0};

	put(&p->all, p->maps.p, p->maps.n);
	put_varint(&head, 1 << 3 | 2);
	put_varint(&head, p->all.n);
	fwrite(head.p, 1, head.n, stdout);
	fwrite(p->all.p, 1, p->all.n, stdout);
	free(head.p);
	p->all.n = p->maps.n = 0;
	p->n_events = p->n_stats = 0;
}

/* ---- what is in them */

/* An execution and what it received, 10 us each. */
static void put_transfer(struct plane *p, const uint64_t stats[4],
			 uint64_t recv, const char *name, const char *sizes,
			 uint64_t i)
{
	char key[64], graph[64];
	uint64_t at = i * 10 * US;

	snprintf(key, sizeof(key), "device_%d_gid_%s$l1^i0", SLICE, name);
	snprintf(graph, sizeof(graph), "device_%d_gid_%s", SLICE, name);
	if (i == 0 || strcmp(name, "all-reduce.1_0") != 0) {
		begin_event(p, event_named(p, graph), at, 9 * US);
		put_stat_text(p, stats[0], key);
		put_stat(p, stats[1], 1024 + i % 512);
		end_event(p);
	}
	begin_event(p, recv, at + 7 * US, US);
	put_stat_text(p, stats[0], key);
	put_stat_text(p, stats[2], sizes);
	put_stat(p, stats[3], 5 + i % 3);
	end_event(p);
}

static void put_transfers(struct plane *p, const char *kind, uint64_t n)
{
	uint64_t stats[4], recv;
	char name[32], sizes[64];

	begin_plane(p, 300, "/device:CUSTOM:Megascale Trace");
	stats[0] = stat_named(p, "graph_key");
	stats[1] = stat_named(p, "input_size");
	stats[2] = stat_named(p, "buffer_sizes");
	stats[3] = stat_named(p, "network_transport_latency_us");
	recv = event_named(p, "NetworkReceive END");
	begin_line(p, 1, "device_100000");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t from = 2 * SLICE, to = SLICE;

		snprintf(name, sizeof(name), "all-reduce.1_0");
		if (strcmp(kind, "collectives") == 0)
			snprintf(name, sizeof(name), "all-reduce.%u_0",
				 (unsigned)i + 1);
		if (strcmp(kind, "devices") == 0)
			from = (uint64_t)2 * SLICE + i;
		if (strcmp(kind, "pairs") == 0) {
			from = (uint64_t)2 * SLICE + i % SENDERS;
			to = SLICE + i / SENDERS;
		}
		snprintf(sizes, sizeof(sizes), "s%u->%ud|$c0=%u",
			 (unsigned)from, (unsigned)to,
			 (unsigned)(1024 + i % 512));
		put_transfer(p, stats, recv, name, sizes, i);
	}
	end_line(p);
	end_plane(p);
}

static void put_ops(struct plane *p, uint64_t n)
{
	char name[32], text[200];

	for (unsigned d = 0; d < 2; d++) {
		snprintf(name, sizeof(name), "/device:TPU:%u", d);
		begin_plane(p, 2 + d, name);
		begin_line(p, 2, "XLA Modules");
		begin_event(p, event_named(p, "jit_train(77)"), 0,
			    n * 10 * US + US);
		put_stat(p, stat_named(p, "run_id"), 1);
		end_event(p);
		end_line(p);
		begin_line(p, 3, "XLA Ops");
		for (uint64_t i = 0; i < n; i++) {
			snprintf(text, sizeof(text),
				 "%%all-reduce.%u = bf16[1024,128]{1,0} "
				 "all-reduce(bf16[1024,128]{1,0} %%p.1), "
				 "channel_id=%u, replica_groups={{0,1}}",
				 (unsigned)i, (unsigned)i + 1);
			begin_event(p, event_named(p, text),
				    i * 10 * US + d * NS, 9 * US);
			end_event(p);
		}
		end_line(p);
		end_plane(p);
	}
}

int main(int argc, char **argv)
{
	static struct plane p;
	uint64_t n = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	if (!n) {
		fprintf(stderr, "usage: names KIND N\n");
		return 2;
	}
	if (strcmp(argv[1], "ops") == 0)
		put_ops(&p, n);
	else
		put_transfers(&p, argv[1], n);
	return ferror(stdout) || fflush(stdout) != 0;
}

/*
 * The peer for captures: a bare walk over the records of a little-endian
 * pcap file of Ethernet frames that hashes each packet's 5-tuple into an
 * accumulator.  It checks what it must not to read beyond the file, and
 * nothing else.  Prints what it saw, so that both are seen to have read the
 * same.
 *
 *	record_walk FILE
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_HEADER = 24, RECORD_HEADER = 16 };

struct sums {
	uint64_t packets, bytes, tcp, hash;
};

static uint32_t u32(const uint8_t *p)
{
	uint32_t x;

	memcpy(&x, p, 4);
	return x;
}

static uint64_t u64(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, 8);
	return x;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* n captured bytes of an Ethernet frame. */
static void frame(struct sums *s, const uint8_t *p, size_t n)
{
	uint64_t h = 0;
	size_t at;
	unsigned type;

	if (n < 14 + 20)
		return;
	type = (unsigned)(p[12] << 8 | p[13]);
	if (type == 0x0800 && p[23] == 6) {
		at = 14 + (size_t)(p[14] & 15) * 4;
		h = u64(p + 26);
	} else if (type == 0x86dd && n >= 14 + 40 && p[20] == 6) {
		at = 14 + 40;
		h = mix(mix(mix(u64(p + 22), u64(p + 30)), u64(p + 38)),
			u64(p + 46));
	} else {
		return;
	}
	if (n < at + 20)
		return;
	s->tcp++;
	s->hash += mix(mix(6, h), u32(p + at));
}

static void walk(struct sums *s, const uint8_t *p, size_t left)
{
	while (left >= RECORD_HEADER) {
		uint32_t captured = u32(p + 8);

		if (captured > left - RECORD_HEADER)
			return;
		s->packets++;
		s->bytes += u32(p + 12);
		frame(s, p + RECORD_HEADER, captured);
		p += RECORD_HEADER + (size_t)captured;
		left -= RECORD_HEADER + (size_t)captured;
	}
}

int main(int argc, char **argv)
{
	struct sums s = {0};
	struct stat st;
	uint8_t *map;
	int fd;

	if (argc != 2 || (fd = open(argv[1], O_RDONLY)) < 0 ||
	    fstat(fd, &st) < 0) {
		fprintf(stderr, "usage: record_walk FILE\n");
		return 2;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return 1;
	if (st.st_size < FILE_HEADER ||
	    (u32(map) != 0xa1b2c3d4 && u32(map) != 0xa1b23c4d)) {
		fprintf(stderr, "record_walk: %s: refused\n", argv[1]);
		return 1;
	}
	walk(&s, map + FILE_HEADER, (size_t)st.st_size - FILE_HEADER);
	printf("packets %" PRIu64 "\nbytes %" PRIu64 "\ntcp %" PRIu64
	       "\nhash %016" PRIx64 "\n",
	       s.packets, s.bytes, s.tcp, s.hash);
	munmap(map, (size_t)st.st_size);
	close(fd);
	return 0;
}

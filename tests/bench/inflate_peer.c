/*
 * The peer for compressed input: inflates a gzip file with zlib alone and
 * keeps nothing; -i: with ISA-L.  Prints the inflated size.
 *
 *	inflate_peer [-i] FILE.gz
 */
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 1 << 18, WANT_GZIP = 15 + 16 };

static int inflate_all(z_stream *z, FILE *f, uint64_t *total)
{
	static unsigned char in[CHUNK], out[CHUNK];
	int rc = Z_OK;

	for (;;) {
		if (z->avail_in == 0) {
			z->avail_in = (uInt)fread(in, 1, sizeof(in), f);
			z->next_in = in;
			if (z->avail_in == 0)
				return rc == Z_STREAM_END ? Z_OK : Z_BUF_ERROR;
		}
		if (rc == Z_STREAM_END) /* another member follows */
			inflateReset(z);
		z->next_out = out;
		z->avail_out = sizeof(out);
		rc = inflate(z, Z_NO_FLUSH);
		if (rc != Z_OK && rc != Z_STREAM_END)
			return rc;
		*total += sizeof(out) - z->avail_out;
	}
}

/* Of one member. */
static int inflate_fast(FILE *f, uint64_t *total)
{
	static unsigned char in[CHUNK], out[CHUNK];
	static struct inflate_state s;
	size_t n;

	isal_inflate_init(&s);
	s.crc_flag = ISAL_GZIP;
	while ((n = fread(in, 1, sizeof(in), f))) {
		s.next_in = in;
		s.avail_in = (uint32_t)n;
		do {
			s.next_out = out;
			s.avail_out = sizeof(out);
			if (isal_inflate(&s) < 0)
				return Z_DATA_ERROR;
			*total += sizeof(out) - s.avail_out;
		} while (!s.avail_out);
	}
	return Z_OK;
}

int main(int argc, char **argv)
{
	bool fast = argc == 3 && strcmp(argv[1], "-i") == 0;
	z_stream z = {0};
	uint64_t total = 0;
	FILE *f = argc == 2 + fast ? fopen(argv[1 + fast], "rb") : NULL;
	int rc;

	if (!f || inflateInit2(&z, WANT_GZIP) != Z_OK) {
		fprintf(stderr, "usage: inflate_peer [-i] FILE.gz\n");
		return 2;
	}
	rc = fast ? inflate_fast(f, &total) : inflate_all(&z, f, &total);
	printf("bytes %llu\n", (unsigned long long)total);
	inflateEnd(&z);
	fclose(f);
	return rc == Z_OK ? 0 : 1;
}

/*
 * The peer for compressed input: inflates a gzip file with zlib alone and
 * keeps nothing.  Prints the inflated size.
 *
 *	inflate_peer FILE.gz
 */
#include <stdint.h>
#include <stdio.h>
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

int main(int argc, char **argv)
{
	z_stream z = {0};
	uint64_t total = 0;
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	int rc;

	if (!f || inflateInit2(&z, WANT_GZIP) != Z_OK) {
		fprintf(stderr, "usage: inflate_peer FILE.gz\n");
		return 2;
	}
	rc = inflate_all(&z, f, &total);
	printf("bytes %llu\n", (unsigned long long)total);
	inflateEnd(&z);
	fclose(f);
	return rc == Z_OK ? 0 : 1;
}

#include "netan/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/base64.h>
#include <nettle/sha2.h>

#include "netan/base/memory/mapped.h"

enum { READ_BYTES = 1 << 16, MAPPED_BYTES = 1 << 20 };

static void to_hex(struct sha256_ctx *ctx, char hex[NA_SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t sum[SHA256_DIGEST_SIZE];

	sha256_digest(ctx, sizeof(sum), sum);
	for (size_t i = 0; i < sizeof(sum); i++) {
		hex[2 * i] = digits[sum[i] >> 4];
		hex[2 * i + 1] = digits[sum[i] & 15];
	}
	hex[NA_SHA256_HEX - 1] = '\0';
}

void na_sha256(const void *p, size_t n, char hex[NA_SHA256_HEX])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, n, p);
	to_hex(&ctx, hex);
}

struct asking {
	bool (*go_on)(void *ctx);
	void *ctx;
	bool over; /* it said so, and is not asked again */
};

static bool goes_on(struct asking *a)
{
	a->over = a->over || (a->go_on && !a->go_on(a->ctx));
	return !a->over;
}

/* Of a file that somebody reads at the same time, without a copy.  False: not
 * of all of it as it is by now. */
static bool sum_mapped(int fd, const char *path, size_t n, struct asking *a,
		       struct sha256_ctx *sum)
{
	struct na_mapped *m = n >= MAPPED_BYTES ? na_map(fd, n) : NULL;
	const uint8_t *p = m ? na_mapped_bytes(m) : NULL;
	bool same;

	for (size_t at = 0; m && at < n && goes_on(a); at += MAPPED_BYTES) {
		size_t k = n - at < MAPPED_BYTES ? n - at : MAPPED_BYTES;

		sha256_update(sum, k, p + at);
		/* Who reads it has it in memory already. */
		madvise((void *)(uintptr_t)(p + at), k, MADV_DONTNEED);
	}
	same = m && !a->over && na_mapped_look(m, path) == NA_FATE_SAME;
	na_unmap(m);
	return same;
}

static bool sum_read(int fd, struct asking *a, struct sha256_ctx *sum)
{
	uint8_t *block = malloc(READ_BYTES);
	ssize_t n = -1;

	while (block) {
		n = goes_on(a) ? read(fd, block, READ_BYTES) : -1;
		if (n < 0 && errno == EINTR && !a->over)
			continue;
		if (n <= 0)
			break;
		sha256_update(sum, (size_t)n, block);
	}
	free(block);
	return n == 0;
}

bool na_sha256_file(const char *path, bool (*go_on)(void *ctx), void *ctx,
		    char hex[NA_SHA256_HEX])
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool file = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
	struct asking a = {.go_on = go_on, .ctx = ctx};
	struct sha256_ctx sum;
	bool whole;

	hex[0] = '\0';
	sha256_init(&sum);
	whole = file && sum_mapped(fd, path, (size_t)info.st_size, &a, &sum);
	if (file && !whole) {
		sha256_init(&sum);
		whole = sum_read(fd, &a, &sum);
	}
	if (whole)
		to_hex(&sum, hex);
	if (fd >= 0)
		close(fd);
	return whole;
}

void na_sha256_base64(const void *p, size_t n, char text[NA_SHA256_BASE64])
{
	uint8_t sum[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, n, p);
	sha256_digest(&ctx, sizeof(sum), sum);
	base64_encode_raw(text, sizeof(sum), sum);
	text[NA_SHA256_BASE64 - 1] = '\0';
}

#include "netan/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/base64.h>
#include <nettle/sha2.h>

enum { READ_BYTES = 1 << 16 };

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

bool na_sha256_file(const char *path, bool (*go_on)(void *ctx), void *ctx,
		    char hex[NA_SHA256_HEX])
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool whole = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
	uint8_t *block = whole ? malloc(READ_BYTES) : NULL;
	struct sha256_ctx sum;
	ssize_t n = -1;

	hex[0] = '\0';
	sha256_init(&sum);
	while (block) {
		n = go_on && !go_on(ctx) ? -1 : read(fd, block, READ_BYTES);
		if (n < 0 && errno == EINTR && (!go_on || go_on(ctx)))
			continue;
		if (n <= 0)
			break;
		sha256_update(&sum, (size_t)n, block);
	}
	if (n == 0)
		to_hex(&sum, hex);
	free(block);
	if (fd >= 0)
		close(fd);
	return n == 0;
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

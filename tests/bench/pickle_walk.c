/*
 * The floor for recorder dumps: the opcodes of pickles are walked over, and
 * nothing is made of them.  Prints how many there were.
 *
 *	pickle_walk FILE...
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes behind an opcode; a text and a long say theirs themselves. */
static size_t behind(const uint8_t *p, const uint8_t *end)
{
	uint32_t n;

	switch (*p) {
	case 'K':
	case 'h':
	case 'q':
	case 0x80:
		return 1;
	case 'M':
		return 2;
	case 'J':
	case 'j':
	case 'r':
		return 4;
	case 'G':
		return 8;
	case 0x8a:
		return end - p > 1 ? 1 + (size_t)p[1] : 1;
	case 'X':
		if (end - p < 5)
			return 4;
		memcpy(&n, p + 1, 4);
		return 4 + (size_t)n;
	default:
		return 0;
	}
}

static uint64_t walk(const uint8_t *p, const uint8_t *end)
{
	uint64_t n = 0;
	size_t step;

	for (; p < end; p += step, n++) {
		step = 1 + behind(p, end);
		if (step > (size_t)(end - p))
			break;
	}
	return n;
}

int main(int argc, char **argv)
{
	uint64_t n = 0;

	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);
		struct stat sb;
		size_t size;
		void *p;

		if (fd < 0 || fstat(fd, &sb) < 0 || sb.st_size <= 0) {
			perror(argv[i]);
			return 1;
		}
		size = (size_t)sb.st_size;
		p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd,
			 0);
		close(fd);
		if (p == MAP_FAILED) {
			perror(argv[i]);
			return 1;
		}
		n += walk(p, (const uint8_t *)p + size);
		munmap(p, size);
	}
	printf("opcodes %ju\n", (uintmax_t)n);
	return 0;
}

/*
 * The peer for traces in JSON: yajl walks the file, and nobody looks at what
 * it finds.  Prints how many values and keys there were.
 *
 *	json_peer FILE.json
 */
#include <stdint.h>
#include <stdio.h>
#include <yajl/yajl_parse.h>

enum { CHUNK = 1 << 20 };

static int null(void *n)
{
	return ++*(uint64_t *)n, 1;
}
static int boolean(void *n, int x)
{
	return (void)x, ++*(uint64_t *)n, 1;
}
static int text(void *n, const unsigned char *s, size_t len)
{
	return (void)s, (void)len, ++*(uint64_t *)n, 1;
}
static int number(void *n, const char *s, size_t len)
{
	return (void)s, (void)len, ++*(uint64_t *)n, 1;
}
static int bracket(void *n)
{
	return (void)n, 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = null,
	.yajl_boolean = boolean,
	.yajl_number = number,
	.yajl_string = text,
	.yajl_start_map = bracket,
	.yajl_map_key = text,
	.yajl_end_map = bracket,
	.yajl_start_array = bracket,
	.yajl_end_array = bracket,
};

int main(int argc, char **argv)
{
	static unsigned char buf[CHUNK];
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	yajl_status st = yajl_status_ok;
	uint64_t n = 0;
	yajl_handle h;
	size_t got;

	if (!f) {
		fprintf(stderr, "usage: json_peer FILE.json\n");
		return 2;
	}
	h = yajl_alloc(&callbacks, NULL, &n);
	yajl_config(h, yajl_dont_validate_strings, 1);
	while (st == yajl_status_ok && (got = fread(buf, 1, sizeof(buf), f)))
		st = yajl_parse(h, buf, got);
	if (st == yajl_status_ok)
		st = yajl_complete_parse(h);
	printf("items %ju\n", (uintmax_t)n);
	yajl_free(h);
	fclose(f);
	return st == yajl_status_ok ? 0 : 1;
}

#include "tests/unit/capfile_reading.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void begin(struct na_input *in, const char *path, const uint8_t *data,
		  size_t size)
{
	memset(in, 0, sizeof(*in));
	in->path = path;
	in->data = data;
	in->size = size;
	in->warnings_end = &in->warnings;
	memset(&in->arena, 0, sizeof(in->arena));
}

/* Every byte is touched, for the sanitizer's sake. */
static void check_record(const struct capfile_reading *r,
			 const struct na_record *x)
{
	uint32_t sum = 0;

	assert_true(x->captured_bytes <= x->wire_bytes);
	assert_true(x->at < r->in.size);
	assert_true(x->data >= r->block &&
		    x->data + x->captured_bytes <= r->block + r->in.size);
	assert_true(x->interface < na_capfile_interfaces(r->file));
	for (uint32_t i = 0; i < x->captured_bytes; i++)
		sum += x->data[i];
	assert_true(sum <= 255 * x->captured_bytes);
}

void capfile_read(struct capfile_reading *r, const void *bytes, size_t n)
{
	struct na_record x;

	memset(r, 0, sizeof(*r));
	r->block = malloc(n);
	assert_true(r->block || !n);
	if (n)
		memcpy(r->block, bytes, n);
	begin(&r->in, "bytes", r->block, n);
	r->file = na_capfile_open(&r->in, &r->err);
	while (r->file && na_capfile_next(r->file, &x) == NA_OK) {
		check_record(r, &x);
		if (r->n < MAX_RECORDS)
			r->records[r->n] = x;
		r->n++;
		assert_true(r->n <= n);
	}
	if (r->file)
		assert_int_equal(na_capfile_next(r->file, &x), NA_END);
	else
		assert_true(r->err.text[0] != '\0');
}

void capfile_end(struct capfile_reading *r)
{
	na_capfile_close(r->file);
	na_arena_fini(&r->in.arena);
	free(r->block);
}

struct na_capfile *capfile_real(struct na_input *in, const char *name,
				char *path, size_t n)
{
	const char *data = getenv("NETAN_TEST_DATA");
	struct na_err err = {.status = NA_OK};
	struct na_capfile *f;
	struct stat st;
	void *map;
	int fd;

	if (!data)
		return NULL;
	snprintf(path, n, "%s/pcap/%s", data, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	assert_int_equal(fstat(fd, &st), 0);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(map != MAP_FAILED);
	begin(in, path, map, (size_t)st.st_size);
	f = na_capfile_open(in, &err);
	assert_non_null(f);
	return f;
}

void capfile_real_end(struct na_input *in, struct na_capfile *f)
{
	na_capfile_close(f);
	munmap((void *)(uintptr_t)in->data, in->size);
	na_arena_fini(&in->arena);
}

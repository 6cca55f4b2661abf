#include "netan/engine/hashing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "netan/base/hash.h"
#include "netan/base/vec.h"

/* Only what can be read again: not a pipe. */
static bool is_file(const char *path)
{
	struct stat info;

	return strcmp(path, "-") != 0 && stat(path, &info) == 0 &&
	       S_ISREG(info.st_mode);
}

struct ranging {
	struct na_session *s;
	size_t from;
};

static bool not_interrupted(void *ctx)
{
	(void)ctx;
	return !na_interrupted();
}

static void hash_one(void *ctx, size_t i)
{
	const struct ranging *x = ctx;
	struct na_input *in = &x->s->inputs[x->from + i];
	char hex[NA_SHA256_HEX];

	if (na_sha256_file(in->path, not_interrupted, NULL, hex))
		in->sha256 = na_arena_strn(&in->arena, hex, strlen(hex));
}

void na_hash_range(struct na_session *s, size_t from, size_t to)
{
	struct ranging x = {s, from};

	if (!na_parallel(s->threads, to - from, hash_one, &x)) {
		for (size_t i = from; i < to; i++)
			hash_one(&x, i - from);
	}
}

enum { SAMPLES = 64, SAMPLE_BYTES = 4096 };

uint64_t na_hash_samples(uint64_t h, const char *path)
{
	struct stat sb = {.st_size = 0};
	uint8_t bytes[SAMPLE_BYTES];
	int fd = stat(path, &sb) == 0 && S_ISREG(sb.st_mode)
			 ? open(path, O_RDONLY | O_CLOEXEC)
			 : -1;
	off_t step = sb.st_size / SAMPLES;

	if (step < SAMPLE_BYTES)
		step = SAMPLE_BYTES;
	for (off_t at = 0; fd >= 0 && at < sb.st_size; at += step) {
		ssize_t n = pread(fd, bytes, sizeof(bytes), at);

		if (n > 0)
			h = na_fnv1a(h, bytes, (size_t)n);
	}
	if (fd >= 0)
		close(fd);
	return h;
}

static bool list_files(struct na_hashing *h, const struct na_request *q)
{
	if (q->mpi)
		return true;
	for (size_t i = 0; i < q->n_inputs; i++) {
		struct na_err err = {.status = NA_OK};
		struct na_found found = {.n = 0};
		bool room = true;

		/* What is not there, the session says. */
		if (na_discover(q->inputs[i].path, &h->arena, &found, &err) ==
		    NA_OK)
			room = na_grow(&h->files, &h->cap, h->n + found.n,
				       sizeof(*h->files));
		for (size_t k = 0; room && k < found.n; k++) {
			if (is_file(found.paths[k]))
				h->files[h->n++] = (struct na_hashed){
					.path = found.paths[k]};
		}
		free(found.paths);
		if (!room)
			return false;
	}
	return true;
}

static bool go_on(void *ctx)
{
	const struct na_hashing *h = ctx;

	return !na_interrupted() && !atomic_load(&h->left);
}

static void *work(void *arg)
{
	struct na_hashing *h = arg;

	for (;;) {
		struct na_hashed *f;

		pthread_mutex_lock(&h->lock);
		f = h->next < h->n && go_on(h) ? &h->files[h->next++] : NULL;
		pthread_mutex_unlock(&h->lock);
		if (!f)
			return NULL;
		na_sha256_file(f->path, go_on, h, f->hex);
	}
}

static void help(void *ctx, size_t i)
{
	(void)i;
	work(ctx);
}

bool na_hashing_start(struct na_hashing *h, const struct na_request *q)
{
	pthread_attr_t attr;

	memset(h, 0, sizeof(*h));
	pthread_mutex_init(&h->lock, NULL);
	if (!list_files(h, q))
		return false;
	if (na_threads_of(q) < 2)
		return true;
	pthread_attr_init(&attr);
	/* Stacks count as data of the process; ours stays shallow. */
	pthread_attr_setstacksize(&attr, 512 << 10);
	h->helped = pthread_create(&h->helper, &attr, work, h) == 0;
	pthread_attr_destroy(&attr);
	return true;
}

void na_hashing_end(struct na_hashing *h, size_t threads)
{
	/* Where threads cannot be had, one is enough. */
	if (!na_parallel(threads, threads, help, h))
		work(h);
	if (h->helped)
		pthread_join(h->helper, NULL);
	h->helped = false;
}

void na_hash_of(const struct na_hashing *h, const struct na_input *in,
		char hex[NA_SHA256_HEX])
{
	hex[0] = '\0';
	if (in->sha256) {
		memcpy(hex, in->sha256, NA_SHA256_HEX);
		return;
	}
	for (size_t i = 0; i < h->n; i++) {
		if (strcmp(h->files[i].path, in->path) == 0) {
			memcpy(hex, h->files[i].hex, NA_SHA256_HEX);
			return;
		}
	}
	if (!in->packed && in->data && !na_interrupted())
		na_sha256(in->data, in->size, hex);
}

void na_hashing_close(struct na_hashing *h)
{
	atomic_store(&h->left, true);
	if (h->helped)
		pthread_join(h->helper, NULL);
	pthread_mutex_destroy(&h->lock);
	free(h->files);
	na_arena_fini(&h->arena);
}

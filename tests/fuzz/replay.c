/*
 * Replays a corpus without a fuzzer: feeds every file of the directories
 * (or the files) on the command line to LLVMFuzzerTestOneInput, then cut
 * short at every length, and as the mutator of its format changes it, where
 * there is one.  Each input is copied into a block of exactly its
 * size, so that the address sanitizer sees the first byte too far.
 *
 * Every cut of a large file would take forever: its cuts are spread so that
 * about CUT_BYTES are read in all.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/mutate.h"

enum {
	FILE_MAX = 1 << 26,
	CUT_BYTES = 1 << 24,
	MUTATIONS = 250,  /* of a file of up to MUTATED_MAX bytes */
	MUTATED_MAX = 1 << 14
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static int replay_path(const char *path);

/* Targets with a mutator have it. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
						     size_t most,
						     unsigned seed);

static size_t n_files, n_cuts, n_mutations;
static uint32_t chance = 1;

/* In place of the fuzzer's: a few bytes less, more or different. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	size_t at = mutate_below(&chance, size + 1);
	size_t n = mutate_below(&chance, 8);

	if (mutate_below(&chance, 4) == 0)
		return at;
	for (; n && at < most; n--, at++) {
		data[at] = (uint8_t)mutate_random(&chance);
		size = at < size ? size : at + 1;
	}
	return size;
}

static int feed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	if (!copy && size)
		return -1;
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	return 0;
}

static int feed_cuts(const uint8_t *data, size_t size)
{
	size_t step = size * (size / 2) / CUT_BYTES + 1;

	for (size_t n = 0; n < size; n += step) {
		if (feed(data, n) < 0)
			return -1;
		n_cuts++;
	}
	return feed(data, size);
}

static int feed_mutations(const uint8_t *data, size_t size)
{
	uint8_t *room = malloc(2 * MUTATED_MAX);
	int rc = room ? 0 : -1;

	for (unsigned i = 0; !rc && i < MUTATIONS; i++) {
		size_t n = size;

		memcpy(room, data, size);
		for (unsigned k = 0; k <= i % 4; k++)
			n = LLVMFuzzerCustomMutator(room, n, 2 * MUTATED_MAX,
						    4 * i + k);
		rc = feed(room, n);
		n_mutations++;
	}
	free(room);
	return rc;
}

static int replay_file(const char *path, size_t size)
{
	uint8_t *data = malloc(size + 1);
	FILE *f = fopen(path, "rb");
	int rc = -1;

	if (data && f && size <= FILE_MAX && fread(data, 1, size, f) == size)
		rc = feed_cuts(data, size);
	if (rc == 0 && LLVMFuzzerCustomMutator && size <= MUTATED_MAX)
		rc = feed_mutations(data, size);
	if (rc < 0)
		fprintf(stderr, "replay: cannot read %s\n", path);
	n_files++;
	if (f)
		fclose(f);
	free(data);
	return rc;
}

static int not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int replay_dir(const char *dir)
{
	struct dirent **names = NULL;
	int n = scandir(dir, &names, not_hidden, alphasort),
	    rc = n < 0 ? -1 : 0;
	char path[4096];

	for (int i = 0; i < n; i++) {
		int len = snprintf(path, sizeof(path), "%s/%s", dir,
				   names[i]->d_name);

		if (len < 0 || (size_t)len >= sizeof(path) ||
		    replay_path(path) < 0)
			rc = -1;
		free(names[i]);
	}
	free(names);
	return rc;
}

static int replay_path(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode)
			       ? replay_dir(path)
			       : replay_file(path, (size_t)st.st_size);
	perror(path);
	return -1;
}

int main(int argc, char **argv)
{
	int rc = 0;

	for (int i = 1; i < argc; i++)
		if (replay_path(argv[i]) < 0)
			rc = 1;
	printf("%zu files, %zu cuts, %zu mutations\n", n_files, n_cuts,
	       n_mutations);
	if (n_files == 0)
		fprintf(stderr, "replay: no files\n");
	return n_files ? rc : 1;
}

/*
 * The peer for reading: protobuf-c's generated unpack of the whole file into
 * its tree of messages.  Prints what it holds, so that both are seen to have
 * read the same.
 *
 *	unpack_peer FILE
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xplane.pb-c.h"

#define XSPACE(name) netan__xplane__xspace__##name
typedef Netan__Xplane__XSpace xspace;
typedef Netan__Xplane__XPlane xplane;

static void print_counts(const xspace *x)
{
	size_t lines = 0, events = 0, stats = 0;

	for (size_t i = 0; i < x->n_planes; i++) {
		const xplane *p = x->planes[i];

		lines += p->n_lines;
		for (size_t k = 0; k < p->n_lines; k++) {
			events += p->lines[k]->n_events;
			for (size_t e = 0; e < p->lines[k]->n_events; e++)
				stats += p->lines[k]->events[e]->n_stats;
		}
	}
	printf("planes %zu\nlines %zu\nevents %zu\nevent_stats %zu\n",
	       x->n_planes, lines, events, stats);
}

int main(int argc, char **argv)
{
	struct stat st;
	xspace *x;
	void *map;
	int fd;

	if (argc != 2 || (fd = open(argv[1], O_RDONLY)) < 0 ||
	    fstat(fd, &st) < 0) {
		fprintf(stderr, "usage: unpack_peer FILE\n");
		return 2;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return 1;
	x = XSPACE(unpack)(NULL, (size_t)st.st_size, map);
	if (!x) {
		fprintf(stderr, "unpack_peer: %s: refused\n", argv[1]);
		return 1;
	}
	print_counts(x);
	XSPACE(free_unpacked)(x, NULL);
	munmap(map, (size_t)st.st_size);
	close(fd);
	return 0;
}

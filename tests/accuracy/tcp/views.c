/*
 * Other views of a recorded capture, as people hand them in.
 *
 *	views cut BYTES IN OUT        each record cut to that many bytes
 *	views lose SHARE SEED IN OUT  a share of the records is not there
 *	views late SHARE IN OUT       nor is the first share of them
 *	views oneway HOST IN OUT      only frames from host HOST
 *	views noid IN OUT             no packet has an IP ID, as with some stacks
 *	views both MS OUT IN...       several files as one, by time; the clock
 *	                              of each is MS ahead of the one before
 *
 * All but `cut` cut to 200 bytes, for files that do not fill a disk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/tcp/choose.h"

enum { CUT_BYTES = 200 };

static bool parse(int argc, char **argv, struct choice *c)
{
	const char *what = argv[1];
	double x = argc > 2 ? strtod(argv[2], NULL) : 0;

	c->no_id = strcmp(what, "noid") == 0;
	if (c->no_id)
		return argc == 4;
	if (strcmp(what, "cut") == 0)
		c->cut = (uint32_t)x;
	else if (strcmp(what, "late") == 0)
		c->late = x;
	else if (strcmp(what, "oneway") == 0)
		c->host = (unsigned)x;
	else if (strcmp(what, "lose") == 0 && argc == 6) {
		c->lose = x;
		na_rng_seed(&c->rng, strtoull(argv[3], NULL, 10));
		return true;
	} else
		return false;
	return argc == 5;
}

static bool join(int argc, char **argv, struct pcap_packets *p)
{
	int64_t ahead_ns = (int64_t)(strtod(argv[2], NULL) * 1e6);
	struct choice all = {.cut = CUT_BYTES};
	bool ok = true;

	for (int i = 4; ok && i < argc; i++)
		ok = choose_add(p, argv[i], ahead_ns * (i - 4));
	pcap_sort(p);
	choose(p, &all);
	return ok && pcap_save(argv[3], p);
}

int main(int argc, char **argv)
{
	struct pcap_packets p = {.link = PCAP_ETHERNET};
	struct choice c = {.cut = CUT_BYTES};
	bool ok = false;

	if (argc > 4 && strcmp(argv[1], "both") == 0) {
		ok = join(argc, argv, &p);
	} else if (argc > 1 && parse(argc, argv, &c)) {
		ok = pcap_load(argv[argc - 2], &p);
		choose(&p, &c);
		ok = ok && pcap_save(argv[argc - 1], &p);
	}
	pcap_free(&p);
	return !ok;
}

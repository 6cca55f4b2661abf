/*
 * --topology FILE: which healthy paths are alike.  CSV with a header, either
 *
 *	host,rack[,block]          one row a host
 *	src_host,dst_host,class    one row a directed pair
 *
 * Without a header, two columns are host,rack; three are host,rack,block
 * when no first column repeats, else pairs.  Blanks around fields, empty
 * lines and lines that start with '#' do not count; a field may stand in
 * double quotes.
 *
 * Classes of hosts in racks: "same_rack", "same_block" (other rack, same
 * block), "cross_block"; without blocks "same_rack" and "cross_rack".  A
 * pair of a file of pairs that has no row takes its reverse's class.
 */
#ifndef NETAN_MODEL_HOSTS_TOPOLOGY_H
#define NETAN_MODEL_HOSTS_TOPOLOGY_H

#include "netan/base/err.h"
#include "netan/base/strtab.h"
#include "netan/base/units.h"

enum { NA_TOPO_IN_RACK, NA_TOPO_IN_BLOCK, NA_TOPO_FAR, NA_TOPO_CLASSES };

struct na_topology {
	bool of_pairs, has_blocks;
	struct na_strtab hosts; /* index: the row of a host */
	struct na_strtab racks, blocks;
	uint32_t *rack_of, *block_of; /* by row of a host */
	size_t cap_racks, cap_blocks;
	struct na_strtab classes; /* of pairs */
	struct na_strtab pairs;   /* two host rows, as bytes */
	uint32_t *class_of;       /* by index in pairs */
	size_t cap_classes;
};

/* Reads text[n], from the file that messages name.  NA_EFORMAT names the
 * line; na_topology_fini() also after a failure. */
enum na_status na_topology_parse(struct na_topology *t, const char *text,
				 size_t n, const char *file,
				 struct na_err *err) NA_MUST_CHECK;
void na_topology_fini(struct na_topology *t);

/* Rows of two hosts, or UINT32_MAX for one that has none: the class of the
 * path, or UINT32_MAX. */
uint32_t na_topology_class(const struct na_topology *t, uint32_t src,
			   uint32_t dst);
const char *na_topology_class_name(const struct na_topology *t,
				   uint32_t class_index);

#endif

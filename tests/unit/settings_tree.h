/*
 * A directory of a test's own that looks like a host's root.
 */
#ifndef TESTS_UNIT_SETTINGS_TREE_H
#define TESTS_UNIT_SETTINGS_TREE_H

#include <stddef.h>

struct tree {
	char top[64];
	char path[1200]; /* of the last tree_at() */
};

void tree_init(struct tree *t);
void tree_fini(struct tree *t);
/* "TOP/below", with its folders made. */
const char *tree_at(struct tree *t, const char *below);
void tree_put(struct tree *t, const char *below, const char *text);
void tree_link(struct tree *t, const char *below, const char *target);
/* A host below "TOP/host", every setting as it should be; with one NIC. */
void tree_good(struct tree *t, const char *host);

#endif

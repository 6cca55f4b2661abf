/*
 * Stable pseudonyms, for what is shown of inputs under --anonymize: the k-th
 * new name of a kind is "host-k", "addr-k", ...  Where hosts (or whatever) are
 * called "host-3" themselves, these get others and all are "anonhost-k" (or
 * "anonanonhost-k", ...), so that no pseudonym is anybody's name, as far as
 * names were known before the first of that kind was given.  So texts can be
 * replaced twice.
 *
 * Any number of threads may ask; the order of new names is theirs to keep.
 */
#ifndef NETAN_BASE_PSEUDONYMS_H
#define NETAN_BASE_PSEUDONYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum na_alias {
	NA_ALIAS_HOST,
	NA_ALIAS_ADDR,
	NA_ALIAS_INPUT, /* a file that is read */
	NA_ALIAS_DIR,   /* a directory of them */
	NA_ALIAS_FILE,  /* another file of the command line */
	NA_ALIAS_PATH,  /* a path that a text quotes */
	NA_ALIAS_USER,  /* who has a home there */
	NA_ALIAS_RACK,
	NA_ALIAS_BLOCK,
	NA_ALIAS_TASK,    /* a job, a task, a pod */
	NA_ALIAS_NIC,     /* a network interface */
	NA_ALIAS_PATTERN, /* a glob that may quote a name */
	NA_N_ALIASES
};

struct na_pseudonyms;

/* NULL when memory is short. */
struct na_pseudonyms *na_pseudonyms_new(void);
void na_pseudonyms_free(struct na_pseudonyms *p);

/* Whether names that have such a form and are told from now on are pseudonyms,
 * given in another run: they stay, unless given to another name in this one.
 * At first it is false. */
void na_pseudonyms_trust(struct na_pseudonyms *p, bool trusts);
/* Before a batch of names: no name gets this one for its own. */
void na_pseudonyms_reserve(struct na_pseudonyms *p, const char *name);
/* What stands for the name, from now on; it lives as long as p.  "", "-",
 * ".", ".." and "stdin" stay.  The noun of the kind where memory is short. */
const char *na_pseudonym(struct na_pseudonyms *p, enum na_alias kind,
			 const char *name);

/* Whether a text is a word of netan's own sentences, tables or results. */
bool na_is_own_word(const char *text);

/* How many names there are by now: texts that were replaced while there were
 * fewer may hold some. */
size_t na_pseudonyms_count(struct na_pseudonyms *p);

/*
 * The text with pseudonyms for
 *   - the whole of it, where it is a known name
 *   - known names in it that stand as words, whatever the case of their
 *     letters; not those that are numbers or words of netan's sentences
 *     ("in", "host", "network"); and long words that are the beginning of one (cut off)
 *   - those of users, and others that are no plain words, also where "-" or
 *     "_" join them to others: "rx-node1", but not "trace-quality"
 *   - hosts without their domain, with one, and others of the same domain
 *   - addresses: IPv4, IPv6, Ethernet, and interfaces called by such
 *   - paths below directories such as /home, /tmp or gs://, files anywhere
 *     by their endings or line numbers, and the names of users in them,
 *     there and from then on anywhere
 * A short name that several hosts have in their domains gets a pseudonym of
 * its own.  To be freed; NULL when memory is short.
 */
char *na_pseudonyms_replace(struct na_pseudonyms *p, const char *text);

#endif

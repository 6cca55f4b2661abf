/*
 * Inside of pseudonyms: the names, and where they stand in texts.  All with
 * the lock held.
 */
#ifndef NETAN_BASE_PSEUDONYMS_IMPL_H
#define NETAN_BASE_PSEUDONYMS_IMPL_H

#include <pthread.h>
#include <stdint.h>

#include "netan/base/pseudonyms.h"
#include "netan/base/strtab.h"

enum { NA_WORD_MAX = 4096 /* longer names are found as a whole only */ };

struct na_pseudonyms {
	pthread_mutex_t lock;
	struct na_strtab names;   /* of all kinds */
	struct na_strtab aliases; /* that are taken */
	struct na_strtab domains; /* of hosts, in small letters */
	uint32_t *alias_of;       /* by name */
	unsigned char *standing;  /* by name */
	bool *given;              /* by alias; else it is reserved */
	size_t cap, cap_standing, cap_given;
	size_t longest;                /* bytes of a name */
	bool lengths[NA_WORD_MAX + 1]; /* that names have */
	bool odd;                      /* a name has blanks or the like */
	size_t next[NA_N_ALIASES];
	/* How many "anon" stand before a noun: of real names, a bit for each;
	 * of pseudonyms. */
	uint64_t met[NA_N_ALIASES];
	unsigned anons[NA_N_ALIASES];
	bool trusts;
};

/* What stands for a name; a word for all where memory was short. */
const char *na_alias_at(const struct na_pseudonyms *p, uint32_t name);
const char *na_pseudonym_add(struct na_pseudonyms *p, enum na_alias kind,
			     const char *s, size_t n);

/* "host-12", "anonhost-12", of any kind; of that kind. */
bool na_is_alias(const char *s, size_t n);
bool na_is_alias_of(const char *s, size_t n, enum na_alias kind);
/* Within a text, what could as well be a number, a unit or a word of any
 * sentence is none. */
bool na_is_name(const char *s, size_t n);
/* Of a file, and called like a word of netan's own sentences. */
bool na_may_be_said(const struct na_pseudonyms *p, uint32_t name);
/* Characters of words: a name does not begin or end between two. */
bool na_is_letter(char c);
/* What joins words to one. */
bool na_is_hyphen(char c);
/* What joins words to a path, an address and the like. */
bool na_is_joint(char c);
/* ".corp.example.com": its length, and of how many labels; 0 for none. */
size_t na_domain(const char *s, size_t n, size_t *labels);
/* The same in small letters; false when it is that already, or too long.
 * Room for NA_WORD_MAX bytes at out. */
bool na_fold(const char *s, size_t n, char *out);

#endif

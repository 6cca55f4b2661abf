#include "netan/base/pseudonyms_impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "netan/base/similar.h"
#include "netan/base/vec.h"

static const char anon[] = "anon";
enum { ANON_LEN = sizeof(anon) - 1, ANONS_MAX = 63 };

/* In the order of enum na_alias. */
static const char *const nouns[NA_N_ALIASES] = {
	"host", "addr", "input", "dir",  "file", "path",
	"user", "rack", "block", "task", "nic",  "pattern",
};

/* Words of the program's own sentences (tools/said.awk): as names of files
 * they are found as a whole only, or as heads of paths. */
static const char *const own[] = {
#include "said.h"
};

/* What verdicts begin with, and causes are. */
static const char *const heads[] = {
	"client", "compute", "guilty", "input", "network", "server", "suspect",
};

/* What is said of anything: as names, these are found as a whole only. */
static const char *const said[] = {
	"a",  "an", "as", "at", "b",  "be", "by", "d",  "do", "e",
	"g",  "gb", "go", "h",  "i",  "id", "if", "in", "ip", "is",
	"it", "k",  "kb", "m",  "mb", "me", "ms", "my", "n",  "no",
	"ns", "of", "ok", "on", "or", "p",  "p5", "ps", "q",  "rx",
	"s",  "so", "tb", "to", "tx", "up", "us", "we", "x",  "z",
};

/* How a name came to be one. */
enum standing {
	GIVEN,
	IMPLIED, /* another spelling of a given name */
	SHARED   /* of several given names: it stands for none of them */
};

struct na_pseudonyms *na_pseudonyms_new(void)
{
	struct na_pseudonyms *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

void na_pseudonyms_free(struct na_pseudonyms *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	na_strtab_fini(&p->names);
	na_strtab_fini(&p->aliases);
	na_strtab_fini(&p->domains);
	free(p->alias_of);
	free(p->standing);
	free(p->given);
	free(p);
}

/* "host-12"; without what is before the noun. */
static bool is_numbered(const char *s, size_t n, enum na_alias kind)
{
	size_t len = strlen(nouns[kind]), i = len + 1;

	if (n < len + 2 || n > len + 12 || memcmp(s, nouns[kind], len) != 0 ||
	    s[len] != '-' || (s[i] == '0' && n > len + 2))
		return false;
	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i == n;
}

/* How many "anon" the text begins with, as many as pseudonyms have. */
static unsigned anons_of(const char *s, size_t n)
{
	unsigned k = 0;

	while (k < ANONS_MAX && n - k * ANON_LEN >= ANON_LEN &&
	       memcmp(s + k * ANON_LEN, anon, ANON_LEN) == 0)
		k++;
	return k;
}

bool na_is_alias_of(const char *s, size_t n, enum na_alias kind)
{
	size_t head = anons_of(s, n) * ANON_LEN;

	return is_numbered(s + head, n - head, kind);
}

bool na_is_alias(const char *s, size_t n)
{
	for (int k = 0; k < NA_N_ALIASES; k++) {
		if (na_is_alias_of(s, n, (enum na_alias)k))
			return true;
	}
	return false;
}

static bool stays(const char *name)
{
	return !*name || strcmp(name, "-") == 0 || strcmp(name, ".") == 0 ||
	       strcmp(name, "..") == 0 || strcmp(name, "stdin") == 0;
}

/* A real name may have the form of a pseudonym: no new one has it then. */
static void avoid_form(struct na_pseudonyms *p, const char *s, size_t n)
{
	unsigned anons = anons_of(s, n);
	size_t head = anons * ANON_LEN;
	int k = 0;

	while (k < NA_N_ALIASES &&
	       !is_numbered(s + head, n - head, (enum na_alias)k))
		k++;
	if (k == NA_N_ALIASES)
		return;
	na_strtab_add(&p->aliases, s, n);
	if (p->trusts)
		return;
	p->met[k] |= UINT64_C(1) << anons;
	while (p->anons[k] < ANONS_MAX && p->met[k] >> p->anons[k] & 1)
		p->anons[k]++;
}

/* The same of all that is said for it: "Host-3", "host-3.corp.example.com". */
static void avoid(struct na_pseudonyms *p, const char *s, size_t n)
{
	char small[NA_WORD_MAX];
	const char *dot;

	if (na_fold(s, n, small))
		s = small;
	dot = memchr(s, '.', n);
	avoid_form(p, s, n);
	if (dot)
		avoid_form(p, s, (size_t)(dot - s));
}

void na_pseudonyms_trust(struct na_pseudonyms *p, bool trusts)
{
	pthread_mutex_lock(&p->lock);
	p->trusts = trusts;
	pthread_mutex_unlock(&p->lock);
}

void na_pseudonyms_reserve(struct na_pseudonyms *p, const char *name)
{
	pthread_mutex_lock(&p->lock);
	avoid(p, name, strlen(name));
	pthread_mutex_unlock(&p->lock);
}

bool na_is_letter(char c)
{
	return isalnum((unsigned char)c) || c & 0x80;
}

bool na_is_hyphen(char c)
{
	return c == '_' || c == '-';
}

bool na_is_joint(char c)
{
	return c && strchr("./:@+=~%[]#", c);
}

/* "anonhost-3", as a new one. */
static uint32_t make(struct na_pseudonyms *p, enum na_alias kind)
{
	char text[ANONS_MAX * ANON_LEN + 40];
	size_t head = p->anons[kind] * ANON_LEN;

	for (size_t i = 0; i < head; i += ANON_LEN)
		memcpy(text + i, anon, ANON_LEN);
	for (;;) {
		size_t before = p->aliases.n;
		uint32_t got;

		snprintf(text + head, sizeof(text) - head, "%s-%zu",
			 nouns[kind], ++p->next[kind]);
		got = na_strtab_add(&p->aliases, text, strlen(text));
		if (got == NA_NO_NAME || p->aliases.n > before)
			return got;
	}
}

/* The alias of a new name: its own form where that is trusted, or the next one
 * that is free. */
static uint32_t choose(struct na_pseudonyms *p, enum na_alias kind,
		       const char *name, size_t n)
{
	uint32_t got = NA_NO_NAME;

	if (p->trusts && na_is_alias(name, n))
		got = na_strtab_add(&p->aliases, name, n);
	for (;;) {
		size_t before = p->cap_given;

		if (got != NA_NO_NAME &&
		    !na_grow(&p->given, &p->cap_given, (size_t)got + 1, 1))
			return NA_NO_NAME;
		if (p->cap_given > before)
			memset(p->given + before, 0, p->cap_given - before);
		if (got != NA_NO_NAME && !p->given[got])
			break;
		got = make(p, kind);
		if (got == NA_NO_NAME)
			return got;
	}
	p->given[got] = true;
	return got;
}

const char *na_alias_at(const struct na_pseudonyms *p, uint32_t name)
{
	return na_strtab_at(&p->aliases, p->alias_of[name]);
}

bool na_fold(const char *s, size_t n, char *out)
{
	bool other = false;

	if (n > NA_WORD_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		out[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] | 0x20)
						    : s[i];
		other |= out[i] != s[i];
	}
	return other;
}

static bool among(const char *const *list, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		if (na_same_nocase(s, len, list[i]))
			return true;
	}
	return false;
}

static int order(const void *word, const void *row)
{
	return strcasecmp(word, *(const char *const *)row);
}

static bool is_own(const char *s, size_t n)
{
	char word[32];

	if (n >= sizeof(word))
		return false;
	memcpy(word, s, n);
	word[n] = '\0';
	return bsearch(word, own, NA_LEN(own), sizeof(*own), order);
}

static bool is_said(const char *s, size_t n)
{
	return (n <= 2 && among(said, NA_LEN(said), s, n)) ||
	       among(nouns, NA_N_ALIASES, s, n) ||
	       among(heads, NA_LEN(heads), s, n);
}

bool na_is_own_word(const char *text)
{
	size_t n = strlen(text);

	return is_said(text, n) || is_own(text, n);
}

bool na_is_name(const char *s, size_t n)
{
	return n && strspn(s, "0123456789.") < n && !is_said(s, n);
}

/* The name gets the alias, whatever it had. */
static uint32_t enter(struct na_pseudonyms *p, const char *s, size_t n,
		      uint32_t alias, enum standing standing)
{
	size_t before = p->names.n;
	uint32_t name;

	if (!na_grow(&p->alias_of, &p->cap, before + 1, sizeof(*p->alias_of)) ||
	    !na_grow(&p->standing, &p->cap_standing, before + 1, 1))
		return NA_NO_NAME;
	name = na_strtab_add(&p->names, s, n);
	if (name == NA_NO_NAME)
		return name;
	p->alias_of[name] = alias;
	p->standing[name] = (unsigned char)standing;
	p->longest = n > p->longest ? n : p->longest;
	p->lengths[n < NA_WORD_MAX ? n : NA_WORD_MAX] = true;
	for (size_t i = 0; i < n; i++)
		p->odd |= !na_is_letter(s[i]) && !na_is_hyphen(s[i]) &&
			  !na_is_joint(s[i]);
	return name;
}

/* Another spelling; one that several names have gets an alias of its own. */
static void imply(struct na_pseudonyms *p, const char *s, size_t n,
		  uint32_t alias)
{
	uint32_t name = na_strtab_find(&p->names, s, n);

	if (name == NA_NO_NAME)
		enter(p, s, n, alias, IMPLIED);
	else if (p->standing[name] == IMPLIED && p->alias_of[name] != alias)
		enter(p, s, n, choose(p, NA_ALIAS_HOST, s, n), SHARED);
}

size_t na_domain(const char *s, size_t n, size_t *labels)
{
	size_t end = 0, last = 0;

	for (*labels = 0; end < n && s[end] == '.'; ++*labels) {
		size_t i = end + 1;

		while (i < n && (isalnum((unsigned char)s[i]) || s[i] == '-'))
			i++;
		if (i == end + 1)
			break; /* the end of a sentence */
		last = end + 1;
		end = i;
	}
	while (last < end && isalpha((unsigned char)s[last]))
		last++;
	return last == end ? end : 0;
}

/* A host is known without its domain, too, and so are others of that. */
static void imply_host(struct na_pseudonyms *p, const char *s, size_t n,
		       uint32_t alias)
{
	const char *dot = memchr(s, '.', n);
	size_t head = dot ? (size_t)(dot - s) : n, labels;

	if (!dot || na_domain(dot, n - head, &labels) != n - head)
		return;
	if (na_is_name(s, head))
		imply(p, s, head, alias);
	for (; labels >= 2; labels--) {
		na_strtab_add(&p->domains, dot + 1, (size_t)(s + n - dot) - 1);
		dot = memchr(dot + 1, '.', (size_t)(s + n - dot) - 1);
	}
}

/* "/home/NAME/": whose files these are. */
static void note_user(struct na_pseudonyms *p, const char *s, size_t n)
{
	static const char *const homes[] = {"/home/", "/Users/", "/users/",
					    NULL};

	for (const char *const *h = homes; *h; h++) {
		const char *at = memmem(s, n, *h, strlen(*h)), *end;

		if (!at)
			continue;
		at += strlen(*h);
		end = memchr(at, '/', (size_t)(s + n - at));
		end = end ? end : s + n;
		if (na_is_name(at, (size_t)(end - at)))
			na_pseudonym_add(p, NA_ALIAS_USER, at,
					 (size_t)(end - at));
	}
}

static bool is_path(enum na_alias kind)
{
	return kind == NA_ALIAS_INPUT || kind == NA_ALIAS_DIR ||
	       kind == NA_ALIAS_FILE || kind == NA_ALIAS_PATH;
}

bool na_may_be_said(const struct na_pseudonyms *p, uint32_t name)
{
	const char *alias = na_alias_at(p, name);
	const struct na_interned *x = &p->names.names[name];
	int k = 0;

	while (k < NA_N_ALIASES &&
	       !na_is_alias_of(alias, strlen(alias), (enum na_alias)k))
		k++;
	return k < NA_N_ALIASES && is_path((enum na_alias)k) &&
	       is_own(x->s, x->len);
}

const char *na_pseudonym_add(struct na_pseudonyms *p, enum na_alias kind,
			     const char *s, size_t n)
{
	uint32_t name = na_strtab_find(&p->names, s, n), alias;
	char small[NA_WORD_MAX];
	bool other;

	if (name != NA_NO_NAME && p->standing[name] == GIVEN)
		return na_alias_at(p, name);
	avoid(p, s, n);
	alias = choose(p, kind, s, n);
	if (alias == NA_NO_NAME || enter(p, s, n, alias, GIVEN) == NA_NO_NAME)
		return nouns[kind];
	other = na_fold(s, n, small);
	if (other)
		imply(p, small, n, alias);
	if (kind == NA_ALIAS_HOST)
		imply_host(p, other ? small : s, n, alias);
	if (is_path(kind))
		note_user(p, s, n);
	return na_strtab_at(&p->aliases, alias);
}

const char *na_pseudonym(struct na_pseudonyms *p, enum na_alias kind,
			 const char *name)
{
	const char *alias;

	if (stays(name))
		return name;
	pthread_mutex_lock(&p->lock);
	alias = na_pseudonym_add(p, kind, name, strlen(name));
	pthread_mutex_unlock(&p->lock);
	return alias;
}

size_t na_pseudonyms_count(struct na_pseudonyms *p)
{
	size_t n;

	pthread_mutex_lock(&p->lock);
	n = p->names.n;
	pthread_mutex_unlock(&p->lock);
	return n;
}

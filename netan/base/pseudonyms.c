#include "netan/base/pseudonyms.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/strtab.h"
#include "netan/base/vec.h"

/* In the order of enum na_alias. */
static const char *const nouns[NA_N_ALIASES] = {
	"host", "addr", "input", "dir",  "file",    "path",
	"user", "rack", "block", "task", "pattern",
};

enum {
	WORD_MIN = 3,     /* shorter names are replaced as a whole only */
	CUT_MIN = 16,     /* of a name that was cut off */
	CUT_NAMES = 4096, /* beyond, what is cut or has blanks is not found */
	WORD_MAX = 4096
};

struct na_pseudonyms {
	pthread_mutex_t lock;
	struct na_strtab names;   /* of all kinds */
	struct na_strtab aliases; /* that are taken */
	uint32_t *alias_of;       /* by name */
	bool *given;              /* by alias; else it is reserved */
	size_t cap, cap_given;
	size_t longest;             /* bytes of a name */
	bool lengths[WORD_MAX + 1]; /* that names have */
	bool odd;                   /* a name has blanks or the like */
	size_t next[NA_N_ALIASES];
};

struct na_pseudonyms *na_pseudonyms_new(void)
{
	struct na_pseudonyms *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	na_strtab_init(&p->names);
	na_strtab_init(&p->aliases);
	return p;
}

void na_pseudonyms_free(struct na_pseudonyms *p)
{
	if (!p)
		return;
	pthread_mutex_destroy(&p->lock);
	na_strtab_fini(&p->names);
	na_strtab_fini(&p->aliases);
	free(p->alias_of);
	free(p->given);
	free(p);
}

/* "host-12", of any kind. */
static bool is_alias(const char *s, size_t n)
{
	for (int k = 0; k < NA_N_ALIASES; k++) {
		size_t len = strlen(nouns[k]), i = len + 1;

		if (n < len + 2 || n > len + 12 ||
		    memcmp(s, nouns[k], len) != 0 || s[len] != '-' ||
		    (s[i] == '0' && n > len + 2))
			continue;
		while (i < n && s[i] >= '0' && s[i] <= '9')
			i++;
		if (i == n)
			return true;
	}
	return false;
}

static bool stays(const char *name)
{
	return !*name || strcmp(name, "-") == 0 || strcmp(name, ".") == 0 ||
	       strcmp(name, "..") == 0 || strcmp(name, "stdin") == 0;
}

void na_pseudonyms_reserve(struct na_pseudonyms *p, const char *name)
{
	size_t n = strlen(name);

	if (!is_alias(name, n))
		return;
	pthread_mutex_lock(&p->lock);
	na_strtab_add(&p->aliases, name, n);
	pthread_mutex_unlock(&p->lock);
}

/* Characters of words: a name does not begin or end inside of one. */
static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c & 0x80;
}

/* What joins words to one name. */
static bool is_joint(char c)
{
	return c && strchr("./:@+=~%[]#", c);
}

/* The alias of a new name: its own form, or the next one that is free. */
static uint32_t choose(struct na_pseudonyms *p, enum na_alias kind,
		       const char *name, size_t n)
{
	uint32_t got = NA_NO_NAME;
	char text[40];

	if (is_alias(name, n))
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
		do {
			before = p->aliases.n;
			snprintf(text, sizeof(text), "%s-%zu", nouns[kind],
				 ++p->next[kind]);
			got = na_strtab_add(&p->aliases, text, strlen(text));
			if (got == NA_NO_NAME)
				return got;
		} while (p->aliases.n == before);
	}
	p->given[got] = true;
	return got;
}

static const char *alias_at(const struct na_pseudonyms *p, uint32_t name)
{
	return na_strtab_at(&p->aliases, p->alias_of[name]);
}

static const char *add(struct na_pseudonyms *p, enum na_alias kind,
		       const char *s, size_t n)
{
	size_t before = p->names.n;
	uint32_t name, alias;

	if (!na_grow(&p->alias_of, &p->cap, before + 1, sizeof(*p->alias_of)))
		return nouns[kind];
	name = na_strtab_add(&p->names, s, n);
	if (name == NA_NO_NAME)
		return nouns[kind];
	if (p->names.n > before) {
		p->alias_of[name] = NA_NO_NAME;
		alias = choose(p, kind, s, n);
		p->alias_of[name] = alias;
		p->longest = n > p->longest ? n : p->longest;
		p->lengths[n < WORD_MAX ? n : WORD_MAX] = true;
		for (size_t i = 0; i < n; i++)
			p->odd |= !is_word(s[i]) && !is_joint(s[i]);
	}
	return p->alias_of[name] == NA_NO_NAME ? nouns[kind]
					       : alias_at(p, name);
}

const char *na_pseudonym(struct na_pseudonyms *p, enum na_alias kind,
			 const char *name)
{
	const char *alias;

	if (stays(name))
		return name;
	pthread_mutex_lock(&p->lock);
	alias = add(p, kind, name, strlen(name));
	pthread_mutex_unlock(&p->lock);
	return alias;
}

/* Within a text, what could as well be a number or a unit is none. */
static bool is_name(const char *s, size_t n)
{
	return n >= WORD_MIN && strspn(s, "0123456789.") < n;
}

/* The longest known name that the text begins with: its length, or 0. */
static size_t known(const struct na_pseudonyms *p, const char *s, size_t run,
		    uint32_t *name)
{
	size_t n = run < p->longest ? run : p->longest;

	for (; n >= WORD_MIN; n--) {
		if (!p->lengths[n] || (is_word(s[n - 1]) && is_word(s[n])))
			continue;
		*name = na_strtab_find(&p->names, s, n);
		if (*name != NA_NO_NAME && is_name(s, n))
			return n;
	}
	return 0;
}

/* The same for names with blanks and the like in them, where names are few. */
static size_t known_odd(const struct na_pseudonyms *p, const char *s,
			uint32_t *name)
{
	bool look = p->odd && p->names.n <= CUT_NAMES;
	size_t best = 0;

	for (size_t i = 0; look && i < p->names.n; i++) {
		const struct na_str *x = &p->names.names[i];

		if (x->len > best && is_name(x->s, x->len) &&
		    strncmp(s, x->s, x->len) == 0 &&
		    !(is_word(s[x->len - 1]) && is_word(s[x->len]))) {
			best = x->len;
			*name = (uint32_t)i;
		}
	}
	return best;
}

/* A word that was cut off. */
static size_t known_cut(const struct na_pseudonyms *p, const char *s,
			size_t run, uint32_t *name)
{
	for (size_t i = 0;
	     run >= CUT_MIN && p->names.n <= CUT_NAMES && i < p->names.n; i++) {
		const struct na_str *x = &p->names.names[i];

		if (x->len > run && strncmp(s, x->s, run) == 0) {
			*name = (uint32_t)i;
			return run;
		}
	}
	return 0;
}

static bool is_ethernet(const char *s)
{
	for (size_t i = 0; i < 17; i++) {
		if ((s[i] == ':') != (i % 3 == 2) || s[i] == '.')
			return false;
	}
	return true;
}

/* How much of the text is an address. */
static size_t address(const char *s)
{
	unsigned char out[16];
	size_t n = strspn(s, "0123456789abcdefABCDEF:."), colons = 0;
	char text[64];

	if (strcspn(s, "0123456789") >= n)
		return 0; /* "abc::def" */
	for (size_t i = 0; i < n; i++)
		colons += s[i] == ':';
	for (; n >= 2; n--) {
		if (n >= sizeof(text) || is_word(s[n]))
			continue;
		memcpy(text, s, n);
		text[n] = '\0';
		if (n == 17 && colons == 5 && is_ethernet(text))
			return n;
		if (inet_pton(AF_INET, text, out) == 1 ||
		    (n > 2 && inet_pton(AF_INET6, text, out) == 1))
			return n;
	}
	return 0;
}

static const char *const roots[] = {
	"/home/",   "/Users/",    "/root/",      "/tmp/",  "/var/",
	"/mnt/",    "/media/",    "/data/",      "/srv/",  "/work/",
	"/export/", "/scratch/",  "/workspace/", "/nfs/",  "/opt/",
	"/proj/",   "/projects/", "/shared/",    "/gpfs/", "/lustre/",
	"/usr/",    "~/",         "gs://",       "s3://",  "file://",
	"hdfs://",  NULL,
};

static const char *const endings[] = {
	".py",    ".pyc",  ".cc",     ".cpp",   ".h",   ".so",   ".pb",  ".gz",
	".zst",   ".log",  ".txt",    ".json",  ".csv", ".yaml", ".yml", ".sh",
	".ipynb", ".pcap", ".pcapng", ".netan", ".whl", NULL,
};

/* "/app/train.py": a file by its name, wherever it is. */
static bool is_file(const char *s, size_t n)
{
	const char *const *e = endings;

	if (*s != '/' || !memchr(s + 1, '/', n - 1))
		return false;
	while (*e && (strlen(*e) >= n ||
		      memcmp(s + n - strlen(*e), *e, strlen(*e)) != 0))
		e++;
	return *e;
}

/* A path, up to what ends one in a sentence. */
static size_t path(const char *s)
{
	const char *const *root = roots;
	size_t n, head;

	while (*root && strncmp(s, *root, strlen(*root)) != 0)
		root++;
	if (!*root && *s != '/')
		return 0;
	head = *root ? strlen(*root) : 1;
	n = strcspn(s, " \t\r\n\"'`,;()<>|");
	/* "file.py:12", "file.py: what is wrong", "file.py." */
	for (size_t i = head; i < n; i++) {
		if (s[i] == ':')
			n = i;
	}
	while (n && s[n - 1] == '.')
		n--;
	return n > head && (*root || is_file(s, n)) ? n : 0;
}

/* "/home/NAME/": whose files these are. */
static void note_user(struct na_pseudonyms *p, const char *s, size_t n)
{
	static const char *const homes[] = {"/home/", "/Users/", "/users/",
					    NULL};

	for (const char *const *h = homes; *h; h++) {
		const char *at = memmem(s, n, *h, strlen(*h));
		size_t len;

		if (!at)
			continue;
		at += strlen(*h);
		len = strcspn(at, "/");
		if (at + len <= s + n && is_name(at, len))
			add(p, NA_ALIAS_USER, at, len);
	}
}

/* What stands for the beginning of the text, and how much of it is that. */
static const char *match(struct na_pseudonyms *p, const char *s, size_t *n)
{
	uint32_t name = NA_NO_NAME;
	size_t run = 0, odd;
	uint32_t odd_name = NA_NO_NAME;

	while (run < WORD_MAX && (is_word(s[run]) || is_joint(s[run])))
		run++;
	*n = known(p, s, run, &name);
	odd = known_odd(p, s, &odd_name);
	if (odd > *n) {
		*n = odd;
		name = odd_name;
	}
	if (!*n)
		*n = known_cut(p, s, run, &name);
	if (*n)
		return p->alias_of[name] == NA_NO_NAME ? "name"
						       : alias_at(p, name);
	*n = address(s);
	if (*n)
		return add(p, NA_ALIAS_ADDR, s, *n);
	*n = path(s);
	if (!*n)
		return NULL;
	note_user(p, s, *n);
	return add(p, NA_ALIAS_PATH, s, *n);
}

static void replace(struct na_pseudonyms *p, const char *s, FILE *out)
{
	bool inside = false;

	while (*s) {
		size_t n = 0;
		const char *alias = inside ? NULL : match(p, s, &n);

		if (alias) {
			fputs(alias, out);
			s += n;
			inside = true;
			continue;
		}
		inside = is_word(*s);
		putc(*s++, out);
	}
}

/* Of a text that is a name: what stands for it, to be freed; else NULL. */
static char *whole(const struct na_pseudonyms *p, const char *text)
{
	uint32_t name = na_strtab_find(&p->names, text, strlen(text));

	return name == NA_NO_NAME || p->alias_of[name] == NA_NO_NAME
		       ? NULL
		       : strdup(alias_at(p, name));
}

char *na_pseudonyms_replace(struct na_pseudonyms *p, const char *text)
{
	char *to;
	size_t size;
	FILE *out;

	pthread_mutex_lock(&p->lock);
	to = whole(p, text);
	out = to ? NULL : open_memstream(&to, &size);
	if (out)
		replace(p, text, out);
	pthread_mutex_unlock(&p->lock);
	if (!out || fclose(out) == 0)
		return to;
	free(to);
	return NULL;
}

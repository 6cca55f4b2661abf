#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/pseudonyms_impl.h"

enum {
	JOINED_MIN = 4,   /* of a name that "-" or "_" join to other words */
	CUT_MIN = 16,     /* of a name that was cut off */
	CUT_NAMES = 4096, /* beyond, what is cut or has blanks is not found */
	HOST_MAX = 253    /* of a host with its domain (RFC 1035) */
};

/* What stands at a place of a text. */
struct place {
	const char *s;
	size_t run;  /* bytes that could belong to one name */
	bool joined; /* to what is before it, by a hyphen */
	bool path;   /* behind a slash */
	bool other;  /* in small letters it reads differently, as: */
	char small[NA_WORD_MAX];
};

static uint32_t find(const struct na_pseudonyms *p, const struct place *x,
		     size_t n)
{
	uint32_t name = na_strtab_find(&p->names, x->s, n);

	return name == NA_NO_NAME && x->other
		       ? na_strtab_find(&p->names, x->small, n)
		       : name;
}

/* Whether a name that long would be part of a longer word: "host-1-eth0". */
static bool is_joined(const struct place *x, size_t n)
{
	return x->joined ||
	       (na_is_hyphen(x->s[n]) && na_is_letter(x->s[n + 1]));
}

/* What is no word of other things ("trace-quality"), or a user. */
static bool may_be_joined(const struct na_pseudonyms *p, const struct place *x,
			  size_t n, uint32_t name)
{
	const char *alias = na_alias_at(p, name);
	size_t letters = 0, word = 0;

	while (letters < n && isalpha((unsigned char)x->s[letters]))
		letters++;
	while (na_is_letter(x->s[word]) || na_is_hyphen(x->s[word]))
		word++;
	return n >= JOINED_MIN && (n == word || !na_is_alias(x->s, word)) &&
	       (letters < n ||
		na_is_alias_of(alias, strlen(alias), NA_ALIAS_USER));
}

/* The longest known name that the text begins with: its length, or 0. */
static size_t known(const struct na_pseudonyms *p, const struct place *x,
		    uint32_t *name)
{
	size_t n = x->run < p->longest ? x->run : p->longest;

	for (; n; n--) {
		if (!p->lengths[n] ||
		    (na_is_letter(x->s[n - 1]) && na_is_letter(x->s[n])))
			continue;
		*name = find(p, x, n);
		if (*name != NA_NO_NAME && na_is_name(x->s, n) &&
		    (x->path || x->s[n] == '/' ||
		     !na_may_be_said(p, *name)) &&
		    (!is_joined(x, n) || may_be_joined(p, x, n, *name)))
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
		const struct na_interned *x = &p->names.names[i];

		if (x->len > best && na_is_name(x->s, x->len) &&
		    strncmp(s, x->s, x->len) == 0 &&
		    !(na_is_letter(x->s[x->len - 1]) &&
		      na_is_letter(s[x->len]))) {
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
		const struct na_interned *x = &p->names.names[i];

		if (x->len > run && strncmp(s, x->s, run) == 0) {
			*name = (uint32_t)i;
			return run;
		}
	}
	return 0;
}

/* A host whose domain is that of a known one: its length, or 0. */
static size_t in_domain(const struct na_pseudonyms *p, const struct place *x)
{
	const char *s = x->other ? x->small : x->s;
	size_t n = 0;

	if (!p->domains.n)
		return 0;
	while (n < x->run && n <= HOST_MAX &&
	       (isalnum((unsigned char)s[n]) || s[n] == '-' || s[n] == '.'))
		n++;
	if (n > HOST_MAX)
		return 0;
	while (n && !isalnum((unsigned char)s[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++) {
		if ((!i || s[i - 1] == '.') &&
		    na_strtab_find(&p->domains, s + i, n - i) != NA_NO_NAME)
			return n;
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

/* "enx00aa11bb22cc": an interface that is called by its address. */
static size_t named_by_address(const char *s)
{
	enum { HEAD = 3, BYTES = 15 };

	return strncmp(s, "enx", HEAD) == 0 &&
			       strspn(s + HEAD, "0123456789abcdefABCDEF") ==
				       BYTES - HEAD &&
			       !na_is_letter(s[BYTES])
		       ? BYTES
		       : 0;
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
		if (n >= sizeof(text) || na_is_letter(s[n]) || s[n] == '_')
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

static bool has_ending(const char *s, size_t n)
{
	const char *const *e = endings;

	while (*e && (strlen(*e) >= n ||
		      memcmp(s + n - strlen(*e), *e, strlen(*e)) != 0))
		e++;
	return *e;
}

/* "/app/train.py", "/app/launch:12": a file, wherever it is. */
static bool is_file(const char *s, size_t n)
{
	return *s == '/' && memchr(s + 1, '/', n - 1) &&
	       (has_ending(s, n) ||
		(s[n] == ':' && isdigit((unsigned char)s[n + 1])));
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

/* The domain behind a host's name of n bytes, but for "host.json". */
static size_t domain_behind(const struct place *x, size_t n)
{
	size_t labels, more = na_domain(x->s + n, x->run - n, &labels);

	return labels >= 2 && !has_ending(x->s, n + more) ? more : 0;
}

/* A known name: what stands for it, and its length. */
static const char *known_at(struct na_pseudonyms *p, const struct place *x,
			    size_t *n)
{
	uint32_t name = NA_NO_NAME, odd_name = NA_NO_NAME;
	size_t odd = x->joined ? 0 : known_odd(p, x->s, &odd_name);
	const char *alias;

	*n = known(p, x, &name);
	if (odd > *n) {
		*n = odd;
		name = odd_name;
	}
	if (!*n && !x->joined)
		*n = known_cut(p, x->s, x->run, &name);
	if (!*n)
		return NULL;
	if (p->alias_of[name] == NA_NO_NAME)
		return "name";
	alias = na_alias_at(p, name);
	if (na_is_alias_of(alias, strlen(alias), NA_ALIAS_HOST))
		*n += domain_behind(x, *n);
	return alias;
}

/* What stands for the beginning of the text, and how much of it is that. */
static const char *match(struct na_pseudonyms *p, const char *s, char before,
			 size_t *n)
{
	struct place x;
	const char *alias;

	x.s = s;
	x.joined = na_is_hyphen(before);
	x.path = before == '/';
	x.run = 0;
	while (x.run < NA_WORD_MAX &&
	       (na_is_letter(s[x.run]) || na_is_hyphen(s[x.run]) ||
		na_is_joint(s[x.run])))
		x.run++;
	x.other = na_fold(s, x.run, x.small);
	alias = known_at(p, &x, n);
	if (alias)
		return alias;
	*n = address(s);
	if (!*n)
		*n = named_by_address(s);
	if (*n)
		return na_pseudonym_add(p, NA_ALIAS_ADDR, s, *n);
	*n = in_domain(p, &x);
	if (*n)
		return na_pseudonym_add(p, NA_ALIAS_HOST, s, *n);
	*n = x.joined ? 0 : path(s);
	if (!*n)
		return NULL;
	return na_pseudonym_add(p, NA_ALIAS_PATH, s, *n);
}

static void replace(struct na_pseudonyms *p, const char *s, FILE *out)
{
	char before = ' ';

	while (*s) {
		size_t n = 0;
		const char *alias = na_is_letter(before)
					    ? NULL
					    : match(p, s, before, &n);

		if (alias) {
			fputs(alias, out);
			before = s[n - 1];
			s += n;
		} else {
			before = *s;
			putc(*s++, out);
		}
	}
}

/* Of a text that is a name: what stands for it, to be freed; else NULL. */
static char *whole(const struct na_pseudonyms *p, const char *text)
{
	struct place x;
	uint32_t name;

	x.s = text;
	x.run = strlen(text);
	x.other = na_fold(text, x.run, x.small);
	name = find(p, &x, x.run);
	return name == NA_NO_NAME || p->alias_of[name] == NA_NO_NAME
		       ? NULL
		       : strdup(na_alias_at(p, name));
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

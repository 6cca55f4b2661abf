#include "ingest/host/routes.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/scan.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

enum { WORD_MAX = 128, HOPS_MAX = 256 };

/* Blanks, what else is no text, and what joins lines in `ip -o`. */
static bool is_between(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f || c == '\\';
}

/* The next word of a line, at most WORD_MAX - 1 bytes of it. */
static bool next_word(struct na_scan *w, char out[WORD_MAX])
{
	size_t n = 0;

	na_scan_while(w, is_between);
	for (; w->p < w->end && !is_between(*w->p); w->p++) {
		if (n + 1 < WORD_MAX)
			out[n++] = *w->p;
	}
	out[n] = '\0';
	return n > 0;
}

static bool one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(word, list[i]) == 0)
			return true;
	}
	return false;
}

static bool other_kind(const char *word)
{
	/* clang-format off */
	static const char *const kinds[] = {
		"local", "broadcast", "multicast", "anycast", "unreachable",
		"blackhole", "prohibit", "throw", "nat", "xresolve",
	};
	/* clang-format on */

	return one_of(word, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

/* "default", or an address or prefix in digits. */
static bool is_destination(const char *s)
{
	bool mark = false;

	if (strcmp(s, "default") == 0)
		return true;
	if (!isxdigit((unsigned char)*s) && *s != ':')
		return false;
	for (; *s; s++) {
		if (!isxdigit((unsigned char)*s) && !strchr(".:/", *s))
			return false;
		mark |= *s == '.' || *s == ':' || *s == '/';
	}
	return mark;
}

static bool copy_text(struct na_arena *a, const char *s, const char **to)
{
	*to = na_arena_strn(a, s, strlen(s));
	return *to != NULL;
}

static void note_family(struct na_route *x, const char *address)
{
	if (!x->family && strchr(address, ':'))
		x->family = 6;
	else if (!x->family && strchr(address, '.'))
		x->family = 4;
}

/* "rto_min lock 5ms"; "unlocked" is netan's own word for what ip never
 * sets. */
static bool take_rto(struct na_route *x, struct na_scan *w)
{
	char word[WORD_MAX];
	int64_t ps;
	bool more = next_word(w, word);
	bool unlocked = more && strcmp(word, "unlocked") == 0;

	if (unlocked || (more && strcmp(word, "lock") == 0))
		more = next_word(w, word);
	if (!more || !na_parse_time(word, &ps) || ps < 0)
		return false;
	x->rto_min_us = ps / NA_PS_PER_US;
	x->unlocked = unlocked;
	return true;
}

static bool take_metric(struct na_route *x, struct na_scan *w)
{
	char word[WORD_MAX];
	int64_t v = 0;
	size_t n = 0;

	next_word(w, word);
	for (; isdigit((unsigned char)word[n]) && n < 10; n++)
		v = v * 10 + word[n] - '0';
	if (!n || word[n] || v > UINT32_MAX)
		return false;
	x->metric = v;
	return true;
}

static bool take_via(struct na_arena *a, struct na_route *x, struct na_scan *w,
		     char word[WORD_MAX])
{
	if (!next_word(w, word))
		return true;
	while (strcmp(word, "inet") == 0 || strcmp(word, "inet6") == 0) {
		/* A next hop of the other family. */
		if (!x->family)
			x->family = word[4] ? 4 : 6;
		if (!next_word(w, word))
			return true;
	}
	note_family(x, word);
	return x->via || copy_text(a, word, &x->via);
}

void na_next_hops_add(struct na_next_hops *h, const char *key, const char *word)
{
	size_t room = sizeof(h->text) - h->n;
	int n = snprintf(h->text + h->n, room, "%s%s%s%s", h->n ? " " : "", key,
			 word ? " " : "", word ? word : "");

	h->odd |= n < 0 || (size_t)n >= room;
	h->n += h->odd ? 0 : (size_t)n;
}

bool na_next_hops_keep(const struct na_next_hops *h, struct na_route *x,
		       struct na_arena *a)
{
	x->down |= x->hops && h->down == x->hops;
	if (h->odd || !h->n)
		return true;
	x->next_hops = na_arena_strn(a, h->text, h->n);
	return x->next_hops != NULL;
}

/* What ip says of the state of a next hop; a command does not repeat it. */
static bool is_state(const char *word)
{
	static const char *const states[] = {"linkdown", "offload",
					     "rt_offload", "trap"};

	return one_of(word, states, sizeof(states) / sizeof(states[0]));
}

/* Behind "nexthop", up to the next one or the end of the line. */
static bool take_hop(struct na_arena *a, struct na_route *x, struct na_scan *w,
		     struct na_next_hops *h)
{
	struct na_scan rest = *w;
	char word[WORD_MAX];
	bool ok = true, leads = false, down = false;

	x->hops++;
	na_next_hops_add(h, "nexthop", NULL);
	while (ok && next_word(&rest, word) && strcmp(word, "nexthop") != 0) {
		if (strcmp(word, "via") == 0) {
			ok = take_via(a, x, &rest, word);
			na_next_hops_add(h,
					 x->family == 4 && strchr(word, ':')
						 ? "via inet6"
						 : "via",
					 word);
			h->odd |= !is_destination(word);
			leads = true;
		} else if (strcmp(word, "dev") == 0 && next_word(&rest, word)) {
			ok = x->dev || copy_text(a, word, &x->dev);
			na_next_hops_add(h, "dev", word);
			leads = true;
		} else if (strcmp(word, "weight") == 0 &&
			   next_word(&rest, word)) {
			na_next_hops_add(h, "weight", word);
			h->odd |= word[strspn(word, "0123456789")] != '\0';
		} else if (strcmp(word, "onlink") == 0) {
			na_next_hops_add(h, word, NULL);
		} else if (is_state(word)) {
			down |= strcmp(word, "linkdown") == 0;
		} else {
			/* The kernel takes no next hop whose device is
			 * not up. */
			down |= strcmp(word, "dead") == 0;
			h->odd = true;
		}
		*w = rest;
	}
	h->odd |= !leads;
	h->down += down;
	return ok;
}

/* What follows the destination, or "nexthop" on a line of its own. */
static enum na_status attributes(struct na_arena *a, struct na_route *x,
				 struct na_scan *w, struct na_next_hops *h,
				 uint64_t *odd, struct na_err *err)
{
	char word[WORD_MAX];
	bool ok = true;

	while (ok && next_word(w, word)) {
		if (strcmp(word, "via") == 0) {
			ok = take_via(a, x, w, word);
		} else if (strcmp(word, "dev") == 0 && next_word(w, word)) {
			ok = x->dev || copy_text(a, word, &x->dev);
		} else if (strcmp(word, "table") == 0 && next_word(w, word)) {
			ok = copy_text(a, word, &x->table);
			if (strcmp(word, "local") == 0)
				x->kind = NA_ROUTE_OTHER;
		} else if (strcmp(word, "nexthop") == 0) {
			ok = take_hop(a, x, w, h);
		} else if (strcmp(word, "nhid") == 0 ||
			   strcmp(word, "encap") == 0) {
			h->odd = true;
		} else if (strcmp(word, "src") == 0 && next_word(w, word)) {
			note_family(x, word);
			ok = copy_text(a, word, &x->src);
		} else if (strcmp(word, "metric") == 0) {
			*odd += !take_metric(x, w);
		} else if (strcmp(word, "rto_min") == 0) {
			*odd += !take_rto(x, w);
		} else if (strcmp(word, "linkdown") == 0 ||
			   strcmp(word, "dead") == 0) {
			x->down = true;
		} else if (strcmp(word, "pref") == 0 && !x->family) {
			x->family = 6;
		}
	}
	return ok ? NA_OK : na_fail_nomem(err);
}

static struct na_route *add_route(struct na_routes *r)
{
	struct na_route *x;

	if (!na_grow(&r->items, &r->cap, r->n + 1, sizeof(*r->items)))
		return NULL;
	x = &r->items[r->n++];
	*x = (struct na_route){.rto_min_us = NA_NOT_KNOWN,
			       .metric = NA_NOT_KNOWN};
	return x;
}

/* A line that begins in the first column. */
static enum na_status route_line(struct na_routes *r, struct na_arena *a,
				 struct na_scan *w, struct na_next_hops *h,
				 struct na_err *err)
{
	enum na_route_kind kind = NA_ROUTE_UNICAST;
	char word[WORD_MAX];
	struct na_route *x;

	if (!next_word(w, word))
		return NA_OK;
	if (other_kind(word))
		kind = NA_ROUTE_OTHER;
	if ((kind == NA_ROUTE_OTHER || strcmp(word, "unicast") == 0) &&
	    !next_word(w, word))
		word[0] = '\0';
	if (!is_destination(word)) {
		r->odd++;
		return NA_OK;
	}
	if (r->n == NA_ROUTES_MAX) {
		r->left_out++;
		return NA_OK;
	}
	x = add_route(r);
	if (!x || !copy_text(a, word, &x->dst))
		return na_fail_nomem(err);
	x->kind = kind;
	note_family(x, word);
	return attributes(a, x, w, h, &r->odd, err);
}

static const char *looks_like(const char *text, size_t n)
{
	while (n && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	if (n && (*text == '[' || *text == '{'))
		return "it looks like JSON; save `ip route show table all` "
		       "without -j";
	return "save the output of `ip route show table all` there";
}

/* Its next hops are all there. */
static bool close_route(const struct na_routes *r, struct na_arena *a,
			bool open, struct na_next_hops *h)
{
	bool ok = !open || na_next_hops_keep(h, &r->items[r->n - 1], a);

	h->n = 0;
	h->down = 0;
	h->odd = false;
	return ok;
}

enum na_status na_routes_parse(struct na_routes *r, struct na_arena *a,
			       const char *text, size_t n, struct na_err *err)
{
	struct na_next_hops hops = {.n = 0};
	size_t before = r->n, at = 0;
	uint64_t odd = r->odd;
	bool open = false;

	while (at < n) {
		const char *s = text + at, *end = memchr(s, '\n', n - at);
		size_t len = end ? (size_t)(end - s) : n - at;
		struct na_scan w = {s, s + len};
		enum na_status st = NA_OK;

		at += len + (end != NULL);
		if (!len)
			continue;
		if (*s != ' ' && *s != '\t') {
			size_t had = r->n;

			if (!close_route(r, a, open, &hops))
				return na_fail_nomem(err);
			st = route_line(r, a, &w, &hops, err);
			open = r->n > had;
		} else if (open) {
			/* Next hops and cache lines belong to what is above. */
			st = attributes(a, &r->items[r->n - 1], &w, &hops,
					&r->odd, err);
		}
		if (st != NA_OK)
			return st;
	}
	if (!close_route(r, a, open, &hops))
		return na_fail_nomem(err);
	if (r->n == before && r->odd > odd)
		return na_fail(err, NA_EFORMAT, "no line of it is a route: %s",
			       looks_like(text, n));
	r->why = NULL;
	return NA_OK;
}

/* ---- and back */

static void print_route(const struct na_route *x, FILE *f)
{
	if (x->kind != NA_ROUTE_UNICAST)
		fputs("local ", f);
	fputs(x->dst, f);
	if (x->via) {
		bool six = strchr(x->via, ':') != NULL;

		fprintf(f, " via %s%s", six && x->family == 4 ? "inet6 " : "",
			x->via);
	}
	if (x->dev)
		fprintf(f, " dev %s", x->dev);
	if (x->table)
		fprintf(f, " table %s", x->table);
	if (x->src)
		fprintf(f, " src %s", x->src);
	if (x->metric != NA_NOT_KNOWN)
		fprintf(f, " metric %" PRId64, x->metric);
	if (x->rto_min_us != NA_NOT_KNOWN)
		fprintf(f, " rto_min %s %" PRId64 "us",
			x->unlocked ? "unlocked" : "lock", x->rto_min_us);
	if (x->down)
		fputs(" linkdown", f);
	if (x->family == 6 && !strchr(x->dst, ':'))
		fputs(" pref medium", f);
	fputc('\n', f);
	/* Where they cannot be told, that there are several. */
	if (x->next_hops)
		fprintf(f, "\t%s\n", x->next_hops);
	for (unsigned i = 0; !x->next_hops && i < x->hops && i < HOPS_MAX; i++)
		fputs("\tnexthop\n", f);
}

const char *na_routes_text(const struct na_routes *r, struct na_arena *a,
			   size_t *n)
{
	char *buf = NULL, *copy = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&buf, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < r->n; i++)
		print_route(&r->items[i], f);
	if (fclose(f) == 0)
		copy = na_arena_strn(a, buf, size);
	*n = size;
	free(buf);
	return copy;
}

#include "netan/engine/anonymize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "members.h"
#include "netan/engine/session/session.h"

void na_hide(const struct na_request *q, enum na_alias kind, const char *name)
{
	if (q->pseudonyms && name)
		na_pseudonym(q->pseudonyms, kind, name);
}

void na_hide_later(const struct na_request *q, const char *name)
{
	if (q->pseudonyms && name)
		na_pseudonyms_reserve(q->pseudonyms, name);
}

static void hide_member(const struct na_request *q, const struct na_value *v,
			const struct na_hidden *m)
{
	const char *text = na_text_of(v, NULL);

	if (text && text[strspn(text, "0123456789")])
		na_hide(q, m->kind, text);
	if (v->kind != NA_V_LIST)
		return;
	for (v = v->u.of.first; v; v = v->next) {
		if (v->kind == NA_V_TEXT)
			hide_member(q, v, m);
	}
}

void na_hide_members(const struct na_request *q, const struct na_value *in,
		     const struct na_hidden *members)
{
	if (!q->pseudonyms || !in ||
	    (in->kind != NA_V_OBJECT && in->kind != NA_V_LIST))
		return;
	na_each_row (v, in) {
		const struct na_hidden *m = members;

		while (v->name && m->member && strcmp(m->member, v->name) != 0)
			m++;
		if (v->name && m->member)
			hide_member(q, v, m);
		na_hide_members(q, v, members);
	}
}

void na_leave_out(const struct na_request *q, struct na_value *in,
		  const char *const *members)
{
	static const char instead[] = "left out (--anonymize)";

	if (!q->pseudonyms ||
	    (in->kind != NA_V_OBJECT && in->kind != NA_V_LIST))
		return;
	for (struct na_value *v = in->packed ? na_unpacked(in) : in->u.of.first;
	     v; v = v->next) {
		const char *name = v->name ? v->name : in->name;
		const char *const *m = members;

		while (name && *m && strcmp(*m, name) != 0)
			m++;
		if (v->kind == NA_V_TEXT && name && *m)
			v->u.text = instead;
		na_leave_out(q, v, members);
	}
}

/* Of names that kernels, systemd and clouds give. */
static const char *const usual[] = {
	"lo",   "eth",  "en",  "eno", "ens",  "enp", "p",   "s",    "f",
	"np",   "d",    "n",   "i",   "v",    "ib",  "ibp", "ibs",  "mlx",
	"bond", "team", "br",  "tun", "tap",  "wl",  "wlp", "wlan", "usb",
	"gpu",  "rdma", "hsn", "efa", "vlan", NULL,
};

/* Whether all its runs of letters are such. */
static bool is_usual(const char *name)
{
	size_t n;

	for (; *name; name += n) {
		const char *const *u = usual;

		n = strspn(name, "0123456789._-");
		if (n)
			continue;
		n = strcspn(name, "0123456789._-");
		while (*u && (strlen(*u) != n || strncasecmp(*u, name, n) != 0))
			u++;
		if (!*u)
			return false;
	}
	return true;
}

void na_hide_nic(const struct na_request *q, const char *name)
{
	if (name && !is_usual(name))
		na_hide(q, NA_ALIAS_NIC, name);
}

/* "nexthop via 10.0.0.1 dev NAME weight 1 nexthop ..." */
static void hide_hops(const struct na_request *q, const char *hops)
{
	char name[64];

	while (hops && (hops = strstr(hops, " dev "))) {
		hops += strlen(" dev ");
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(hops, " "),
			 hops);
		na_hide_nic(q, name);
	}
}

void na_hide_settings(const struct na_request *q, const struct na_settings *s)
{
	if (!q->pseudonyms)
		return;
	na_hide(q, NA_ALIAS_HOST, s->host);
	for (size_t i = 0; i < s->n_nics; i++)
		na_hide_nic(q, s->nics[i].name);
	for (size_t i = 0; i < s->routes.n; i++) {
		na_hide_nic(q, s->routes.items[i].dev);
		hide_hops(q, s->routes.items[i].next_hops);
	}
}

char *na_shown(const struct na_request *q, const char *text)
{
	return q->pseudonyms ? na_pseudonyms_replace(q->pseudonyms, text)
			     : strdup(text);
}

/* What stands in a result, and the words that its members are declared to
 * hold ("cause network"): those are the program's own, whoever is called so. */
struct veil {
	struct na_pseudonyms *p;
	struct na_strtab own;
};

static void learn_words(struct na_strtab *own, const struct na_member *m)
{
	char row[256];

	for (const char *w = m->more; *(w += strspn(w, " "));
	     w += strcspn(w, " ")) {
		int n = snprintf(row, sizeof(row), "%s %.*s", m->name,
				 (int)strcspn(w, " "), w);

		na_strtab_add(own, row, (size_t)n);
	}
}

static void learn_own(struct na_strtab *own)
{
	for (const struct na_table *const *t = na_tables; *t; t++) {
		for (const struct na_member *m = (*t)->members; m && m->name;
		     m++) {
			if (m->type == NA_T_WORD)
				learn_words(own, m);
		}
	}
}

static bool is_own(const struct veil *v, const char *member, const char *text)
{
	char row[256];
	int n = snprintf(row, sizeof(row), "%s %s", member, text);

	return strcmp(member, M_schema) == 0 ||
	       (!*member && na_is_own_word(text)) ||
	       ((size_t)n < sizeof(row) &&
		na_strtab_find(&v->own, row, (size_t)n) != NA_NO_NAME);
}

static char *replaced(void *ctx, const char *member, const char *text)
{
	const struct veil *v = ctx;

	return member && is_own(v, member, text)
		       ? strdup(text)
		       : na_pseudonyms_replace(v->p, text);
}

void na_hide_result(const struct na_request *q, struct na_result *r)
{
	struct veil v = {.p = q->pseudonyms};
	size_t known;

	if (!v.p)
		return;
	learn_own(&v.own);
	known = na_pseudonyms_count(v.p);
	na_result_retext(r, replaced, &v);
	/* A path tells a user whose name stood before it. */
	if (na_pseudonyms_count(v.p) > known)
		na_result_retext(r, replaced, &v);
	na_strtab_fini(&v.own);
}

static void hide_all_later(const struct na_request *q,
			   const struct na_strtab *t)
{
	for (size_t i = 0; i < t->n; i++)
		na_hide_later(q, t->names[i].s);
}

static void hide_all(const struct na_request *q, enum na_alias kind,
		     const struct na_strtab *t)
{
	for (size_t i = 0; i < t->n; i++)
		na_hide(q, kind, t->names[i].s);
}

/* Hosts that options ask for and no input knows; "s0d3" and "rank 3" are no
 * hosts, and globs have stood for themselves. */
static void hide_list(const struct na_request *q, const struct na_text_list *l,
		      bool later)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *s = l->items[i];

		if (strpbrk(s, "*?[ :") ||
		    strspn(s, "0123456789.sd") == strlen(s))
			continue;
		if (later)
			na_hide_later(q, s);
		else
			na_hide(q, NA_ALIAS_HOST, s);
	}
}

static void hide_asked(const struct na_request *q, bool later)
{
	hide_list(q, &q->host, later);
	hide_list(q, &q->src, later);
	hide_list(q, &q->dst, later);
}

/* A host that is known by its address alone is that address. */
static void hide_store(const struct na_session *s, bool later)
{
	const struct na_names *names = &s->store.names;

	for (size_t i = 0; i < names->n_endpoints; i++) {
		const struct na_endpoint *e = &names->endpoints[i];
		const char *name = na_strtab_at(&names->strings,
						(uint32_t)e->device);

		if (e->slice == NA_ADDRESS && later)
			na_hide_later(s->request, name);
		else if (e->slice == NA_ADDRESS)
			na_hide(s->request, NA_ALIAS_ADDR, name);
	}
}

/* A path among the names tells a user whose name others begin with: all are
 * known before the first is shown. */
static void learn_users(const struct na_session *s)
{
	const struct na_strtab *t = &s->store.names.strings;

	for (size_t i = 0; i < t->n; i++)
		free(na_pseudonyms_replace(s->request->pseudonyms,
					   t->names[i].s));
}

/* "rank 3" is nobody's secret. */
static bool is_rank(const struct na_source *x)
{
	return x->of_rank && x->no_host;
}

/* What a slice was cut from: nobody knows which names are in that. */
static void forget_name(struct na_input *in)
{
	const char *of = in->cut ? strstr(in->cut, " of ") : NULL;
	char *without = of ? na_arena_strn(&in->arena, in->cut,
					   (size_t)(of - in->cut))
			   : NULL;

	if (of)
		in->cut = without;
}

/* Their names are pseudonyms, which stay. */
static bool are_anonymous(const struct na_session *s)
{
	size_t i = 0;

	while (i < s->n_inputs && s->inputs[i].anonymous)
		i++;
	return i && i == s->n_inputs;
}

/* All names before the first gets what stands for it. */
static void hide_session_later(const struct na_session *s)
{
	const struct na_request *q = s->request;

	for (size_t i = 0; i < s->n_inputs; i++) {
		if (!is_rank(&s->sources[i]))
			na_hide_later(q, s->sources[i].host);
	}
	if (s->hosts) {
		hide_all_later(q, &s->hosts->addresses);
		hide_all_later(q, &s->hosts->names);
	}
	if (s->topology) {
		hide_all_later(q, &s->topology->hosts);
		hide_all_later(q, &s->topology->racks);
		hide_all_later(q, &s->topology->blocks);
	}
	if (s->store_ready)
		hide_store(s, true);
	hide_asked(q, true);
}

void na_hide_session(const struct na_session *s)
{
	const struct na_request *q = s->request;

	if (!q->pseudonyms)
		return;
	na_pseudonyms_trust(q->pseudonyms, are_anonymous(s));
	hide_session_later(s);
	for (size_t i = 0; i < s->n_inputs; i++) {
		na_hide(q, NA_ALIAS_INPUT, s->inputs[i].path);
		forget_name(&s->inputs[i]);
		if (!is_rank(&s->sources[i]))
			na_hide(q, NA_ALIAS_HOST, s->sources[i].host);
	}
	if (s->hosts) {
		hide_all(q, NA_ALIAS_ADDR, &s->hosts->addresses);
		hide_all(q, NA_ALIAS_HOST, &s->hosts->names);
	}
	if (s->topology) {
		hide_all(q, NA_ALIAS_HOST, &s->topology->hosts);
		hide_all(q, NA_ALIAS_RACK, &s->topology->racks);
		hide_all(q, NA_ALIAS_BLOCK, &s->topology->blocks);
	}
	if (s->store_ready) {
		hide_store(s, false);
		hide_asked(q, false);
		learn_users(s);
	}
}

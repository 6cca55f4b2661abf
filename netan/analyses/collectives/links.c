/* collectives: whose link is slow, by the transfers of ranks. */
#include <math.h>
#include <stdlib.h>

#include "members.h"
#include "netan/analyses/collectives/ranks.h"
#include "netan/base/order.h"
#include "netan/methods/links/links.h"
#include "netan/methods/sides.h"

enum { SHOWN = 20, NAMED = 3, NUMBERED = 16 };

struct links_report {
	struct na_result *r;
	const struct coll_state *s;
	struct na_links l;
};

static bool wanted(const void *arg, const struct na_rank_instance *x)
{
	const struct links_report *p = arg;
	const struct na_ranks *k = p->l.ranks;
	uint8_t opcode = k->groups.v[x->group].src >= 0 ? NA_OPCODE_SEND_RECV
							: x->operation;

	return na_collectives_instance_in_window(p->s, k, x) &&
	       na_filter_collective(p->s->scope->filter,
				    na_collectives_word(opcode));
}

static const char *name_of(const struct links_report *p, uint32_t host)
{
	return na_collectives_host(p->s, p->l.ranks, p->l.rank_on[host]);
}

static void put_label(const struct links_report *p, struct na_value *to,
		      uint32_t run)
{
	const struct na_store *store = p->s->scope->store;

	if (store->n_runs > 1)
		na_put_text(p->r, to, M_label, na_store_label(store, run));
}

/* Of one host, or of those that nothing tells apart. */
static size_t put_ranks(const struct links_report *p, struct na_value *list,
			uint32_t culprit, uint32_t run)
{
	const struct na_ranks *k = p->l.ranks;
	size_t n = 0;

	for (size_t i = 0; i < k->ranks.n; i++) {
		if (k->ranks.v[i].run != run ||
		    (culprit ? p->l.blamed[i] != culprit : !p->l.suspect[i]))
			continue;
		na_put_int(p->r, list, NULL, k->ranks.v[i].number);
		n++;
	}
	return n;
}

/* "transmit side of host-3", "the NIC of rank 5 on host-2" */
static void say_who(struct na_str *to, const struct links_report *p,
		    const struct na_links_culprit *x,
		    const struct na_value *ranks)
{
	const char *side = x->kind == NA_LINKS_SRC    ? na_side_of("src")
			   : x->kind == NA_LINKS_DST  ? na_side_of("dst")
			   : x->kind == NA_LINKS_HOST ? "NIC or link of "
						      : "path ";
	size_t n = 0;

	na_str_addf(to, "%s%.100s", side, name_of(p, x->host));
	if (x->kind == NA_LINKS_PAIR) {
		na_str_addf(to, " -> %.100s", name_of(p, x->other));
		return;
	}
	if (x->whole)
		return;
	na_str_addf(to, " as rank");
	na_str_addf(to, "%s ", na_plural(ranks->n));
	na_for_each (v, ranks) {
		if (n++ == NUMBERED)
			break;
		na_str_addf(to, "%s%lld", n > 1 ? ", " : "", (long long)v->u.i);
	}
	if (ranks->n > NUMBERED)
		na_str_addf(to, " and %s more",
			    na_grouped(ranks->n - NUMBERED));
	na_str_addf(to, " use%s it", ranks->n == 1 ? "s" : "");
}

static void put_culprit(const struct links_report *p, struct na_value *list,
			uint32_t i, struct na_str *said)
{
	const struct na_links_culprit *x = &p->l.culprits.v[i];
	struct na_value *to = na_put_object(p->r, list, NULL), *ranks;
	static const char *const kinds[] = {"src", "dst", "host", "pair"};
	char number[NA_UNIT_BUF];
	struct na_str who = {0};

	put_label(p, to, x->run);
	na_put_text(p->r, to, M_kind, kinds[x->kind]);
	if (x->kind == NA_LINKS_PAIR) {
		na_put_text(p->r, to, M_src_host, name_of(p, x->host));
		na_put_text(p->r, to, M_dst_host, name_of(p, x->other));
	} else {
		na_put_text(p->r, to, M_host, name_of(p, x->host));
	}
	ranks = na_put_list(p->r, to, M_ranks);
	put_ranks(p, ranks, i + 1, x->run);
	if (ranks)
		say_who(&who, p, x, ranks);
	na_put_text(p->r, to, M_suspect, who.s);
	na_put_bool(p->r, to, M_whole, x->whole);
	na_put_real(p->r, to, M_posterior, 1 / (1 + exp(-x->log_odds)));
	na_put_real(p->r, to, M_odds, exp(fmin(x->log_odds, 700)));
	na_put_real(p->r, to, M_excess, x->excess);
	na_put_real(p->r, to, M_low, x->low);
	na_put_real(p->r, to, M_high, x->high);
	na_put_int(p->r, to, M_groups, (int64_t)x->units);
	na_put_int(p->r, to, M_instances, (int64_t)x->instances);
	na_str_join(said, "; ", "%s (%sx over %s groups)", who.s ? who.s : "",
		    na_print_number(number, x->excess, 3),
		    na_grouped(x->units));
	free(who.s);
}

/* ---- the answer in words */

static void say_named(struct na_str *to, const struct na_value *names)
{
	size_t n = 0;

	na_for_each (v, names) {
		if (n++ == NAMED)
			break;
		na_str_addf(to, "%s%.60s", n > 1 ? ", " : "", v->u.text);
	}
	if (names && names->n > NAMED)
		na_str_addf(to, " and %s more", na_grouped(names->n - NAMED));
}

static void say_even(struct na_str *to, const struct na_links_run *x)
{
	if (x->unsure) {
		na_str_addf(to,
			    "%s of %s groups and pairs of ranks on %s hosts "
			    "look slower, and transfer too seldom to be sure: "
			    "trace more steps",
			    na_grouped(x->unsure), na_grouped(x->units),
			    na_grouped(x->hosts));
		return;
	}
	na_str_addf(to,
		    "none of %s groups and pairs of ranks on %s hosts "
		    "transfers slower than the others",
		    na_grouped(x->units), na_grouped(x->hosts));
	if (x->apart < x->hosts)
		na_str_addf(to,
			    "; of %s of them a slow one would not be told "
			    "from the others in its groups",
			    na_grouped(x->hosts - x->apart));
}

static void say_why(struct na_str *to, const struct links_report *p,
		    uint32_t run, const struct na_value *suspects)
{
	const struct na_links_run *x = &p->l.runs[run];
	char number[NA_UNIT_BUF];

	na_print_number(number, x->excess, 3);
	switch (x->why) {
	case NA_LINKS_NOTHING:
		na_str_addf(to,
			    p->s->scope->store->ranked.hosts
				    ? "no two groups of ranks on several hosts "
				      "do the same often enough to compare them"
				    : "nothing tells the hosts of these ranks "
				      "(--hosts does)");
		break;
	case NA_LINKS_ALL_EVEN:
		say_even(to, x);
		break;
	case NA_LINKS_SEVERAL:
		na_str_addf(to, "%s of %s groups are up to %sx slower; ",
			    na_grouped(x->slow), na_grouped(x->units), number);
		na_str_addf(to, "which of ");
		say_named(to, suspects);
		na_str_addf(to, " it is, they do not tell");
		break;
	case NA_LINKS_INSIDE:
		na_str_addf(to,
			    "%.60s transfers up to %sx slower, and inside the "
			    "host as well: its devices, rather than its NIC",
			    name_of(p, x->host), number);
		break;
	case NA_LINKS_NO_HOST:
		na_str_addf(to,
			    "%s of %s groups are up to %sx slower, and "
			    "their ranks are not in others",
			    na_grouped(x->slow), na_grouped(x->units), number);
		break;
	case NA_LINKS_MANY:
		na_str_addf(to,
			    "%s of %s groups are up to %sx slower, on too "
			    "many hosts for faults of their own",
			    na_grouped(x->slow), na_grouped(x->units), number);
		break;
	default:
		break;
	}
}

static void put_suspects(const struct links_report *p, struct na_value *list,
			 uint32_t run)
{
	const struct na_links *l = &p->l;
	bool *seen = na_calloc(l->n_hosts + 1, sizeof(*seen));

	for (size_t i = 0; seen && i < l->ranks->ranks.n; i++) {
		uint32_t host = l->host_of[i];

		if (l->ranks->ranks.v[i].run != run || !l->suspect[i] ||
		    seen[host])
			continue;
		seen[host] = true;
		na_put_text(p->r, list, NULL, name_of(p, host));
	}
	free(seen);
}

/* ---- groups */

NA_ORDER(slowest_first, struct na_links_unit, NA_DOWN(excess), NA_UP(group),
	 NA_DOWN(size_class))

static void put_hosts(const struct links_report *p, struct na_value *list,
		      const struct na_links_unit *u)
{
	const struct na_ranks *k = p->l.ranks;
	const struct na_rank_instance *x = &k->instances.v[u->instance];
	uint32_t *hosts = na_calloc(x->to - x->from, sizeof(*hosts));
	size_t n = 0;

	for (size_t i = x->from; hosts && i < x->to; i++)
		hosts[n++] = p->l.host_of[k->parts.v[i].rank];
	na_sort(hosts, n, na_order_u32);
	for (size_t i = 0; i < n; i++) {
		if (!i || hosts[i] != hosts[i - 1])
			na_put_text(p->r, list, NULL, name_of(p, hosts[i]));
	}
	free(hosts);
}

static void put_groups(const struct links_report *p, struct na_value *list,
		       uint32_t run)
{
	static const char *const states[] = {"unsure", "even", "slow"};
	const struct na_ranks *k = p->l.ranks;
	struct na_str text = {0};

	for (size_t i = 0; i < p->l.units.n; i++) {
		const struct na_links_unit *u = &p->l.units.v[i];
		struct na_value *to;

		if (u->run != run || u->local)
			continue;
		to = na_put_object(p->r, list, NULL);
		put_label(p, to, run);
		na_put_text(p->r, to, M_group,
			    na_collectives_group(p->s, k, u->group,
						 &k->instances.v[u->instance],
						 &text));
		put_hosts(p, na_put_list(p->r, to, M_hosts), u);
		na_put_int(p->r, to, M_instances, (int64_t)u->n);
		na_put_real(p->r, to, M_excess, u->excess);
		na_put_real(p->r, to, M_low, u->low);
		na_put_real(p->r, to, M_high,
			    isfinite(u->high) ? u->high : (double)NAN);
		na_put_text(p->r, to, M_verdict, states[u->state]);
	}
	free(text.s);
}

static void put_run(const struct links_report *p, struct na_value *list,
		    uint32_t run)
{
	const struct na_links_run *x = &p->l.runs[run];
	struct na_value *to = na_put_object(p->r, list, NULL);
	struct na_value *culprits, *suspects;
	struct na_str said = {0};

	put_label(p, to, run);
	culprits = na_put_list(p->r, to, M_culprits);
	for (uint32_t i = 0; i < p->l.culprits.n; i++) {
		if (p->l.culprits.v[i].run == run)
			put_culprit(p, culprits, i, &said);
	}
	suspects = na_put_list(p->r, to, M_suspects);
	put_suspects(p, suspects, run);
	put_ranks(p, na_put_list(p->r, to, M_suspect_ranks), 0, run);
	if (said.n && x->why != NA_LINKS_NAMED)
		na_str_addf(&said, "; besides, ");
	say_why(&said, p, run, suspects);
	na_put_text(p->r, to, M_outcome,
		    culprits && culprits->n ? "guilty" : "cannot_tell");
	na_put_text(p->r, to, M_verdict, said.s);
	free(said.s);
	na_put_int(p->r, to, M_hosts, (int64_t)x->hosts);
	na_put_int(p->r, to, M_hosts_apart, (int64_t)x->apart);
	put_groups(p, na_put_list(p->r, to, M_groups), run);
}

bool na_collectives_put_links(struct na_result *r, struct na_value *body,
			      const struct coll_state *s,
			      const struct coll_found *f)
{
	struct links_report p = {.r = r, .s = s};
	struct na_value *list;
	bool ok;

	if (!f->ranks)
		return true;
	p.l = (struct na_links){.ranks = &f->ranks->joined,
				.wanted = wanted,
				.arg = &p};
	ok = na_links_find(&p.l);
	if (ok) {
		na_sort(p.l.units.v, p.l.units.n, slowest_first);
		list = na_put_list(r, body, M_links);
		for (uint32_t run = 0; run < s->scope->store->n_runs; run++)
			put_run(&p, list, run);
	}
	na_links_fini(&p.l);
	return ok;
}

/* Nothing where there was nothing to compare, or nothing stands out. */
void na_collectives_links_views(struct na_result *r)
{
	const struct na_value *links = na_get(na_result_body(r), M_links);

	na_for_each (x, links) {
		const struct na_value *groups = na_get(x, M_groups);

		if (!(na_number_at(na_first(x, M_groups), M_excess) >
		      NA_LINKS_SLOW))
			continue;
		na_result_view(r, na_text_at(x, M_verdict), groups,
			       &na_table_collectives_link_group,
			       NA_COLUMNS({M_group}, {M_instances}, {M_excess},
					  {M_low}, {M_high}, {M_verdict}),
			       SHOWN);
	}
}

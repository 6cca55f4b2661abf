#include "tests/accuracy/tcp/score.h"

#include <stdio.h>
#include <string.h>

/* What was found out on the way to a score. */
struct found {
	const struct truth *truth;
	const struct sight *sight;
	const struct said *said;
	bool wrong;
	bool named;  /* the right cause */
	bool sided;  /* and the right side */
	bool told;   /* the verdicts of connections are right */
	bool blamed; /* packets are said to be lost, and were not */
	struct tally conns;
	char why[WHY_BYTES];
};

static void is_wrong(struct found *f, const char *what, const char *who)
{
	if (!f->wrong)
		snprintf(f->why, sizeof(f->why), "%s %s", what, who);
	f->wrong = true;
}

/* ---- whom check accuses */

struct suspect {
	const char *cause, *kind;
	unsigned host, other; /* n_hosts: not said */
};

static struct suspect suspect_said(const struct truth *t, const char *cause,
				   const struct json *a)
{
	const char *host = json_text(a, "host");
	const char *other = json_text(a, "dst_host");
	const struct json *hosts = json_get(a, "hosts");

	if (!*host)
		host = json_text(a, "src_host");
	if (!*host && json_n(hosts) > 0)
		host = hosts->items[0].text;
	if (!*other && json_n(hosts) > 1)
		other = hosts->items[1].text;
	return (struct suspect){cause, json_text(a, "kind"),
				truth_host(t, host), truth_host(t, other)};
}

static struct suspect suspect_true(const struct truth *t, const struct json *a)
{
	return (struct suspect){json_text(a, "cause"), json_text(a, "kind"),
				truth_host(t, json_text(a, "host")),
				truth_host(t, json_text(a, "other"))};
}

/* Among several hosts in sight, it has to be one of the culprit's; where the
 * view has one path only, either end will do, but not for a party. */
static bool could_be(const struct found *f, const struct suspect *said,
		     const struct suspect *is)
{
	unsigned none = f->truth->n_hosts;

	if (strcmp(said->cause, is->cause) != 0)
		return false;
	if (said->host == none || is->host == none)
		return true;
	if (strcmp(is->cause, "network") == 0 && !f->sight->sides)
		return true;
	return said->host == is->host || said->host == is->other ||
	       (said->other != none &&
		(said->other == is->host || said->other == is->other));
}

/* The very one: where there are several, by name. */
static bool is_the(const struct found *f, const struct suspect *said,
		   const struct suspect *is)
{
	if (is->host == f->truth->n_hosts)
		return true;
	if (strcmp(is->cause, "network") != 0)
		return f->truth->n_hosts <= 2 || said->host == is->host;
	return !f->sight->sides ||
	       (said->host == is->host && said->other == is->other &&
		strcmp(said->kind, is->kind) == 0);
}

/* In a view of one host a network culprit is at an end of what was touched. */
static bool at_touched(const struct found *f, const struct suspect *said)
{
	const struct truth *t = f->truth;

	if (strcmp(said->cause, "network") != 0 || said->host == t->n_hosts)
		return true;
	for (size_t i = 0; i < t->conns.n; i++) {
		const struct truth_conn *c = &t->conns.v[i];

		if (sight_shows(t, f->sight, c) && truth_touched(t, c) &&
		    (c->hosts[0] == said->host || c->hosts[1] == said->host))
			return true;
	}
	return false;
}

/* Does it name one of those who it was?  An alternative is no side. */
static bool look_at_suspect(struct found *f, const struct suspect *said,
			    bool alternative)
{
	const struct truth *t = f->truth;
	bool could = false;

	for (size_t k = 0; k < json_n(t->accused) && f->sight->fault; k++) {
		struct suspect is = suspect_true(t, &t->accused->items[k]);

		if (!could_be(f, said, &is) || !at_touched(f, said))
			continue;
		could = true;
		f->named = true;
		if (!alternative && is_the(f, said, &is))
			f->sided = true;
	}
	return could;
}

static void look_at_accused(struct found *f)
{
	for (size_t i = 0; i < json_n(f->said->accused); i++) {
		const struct json *a = &f->said->accused->items[i];
		const struct json *others = json_get(a, "alternatives");
		const char *cause = json_text(a, "cause");
		struct suspect one = suspect_said(f->truth, cause, a);
		bool could = look_at_suspect(f, &one, false);

		for (size_t k = 0; k < json_n(others); k++) {
			one = suspect_said(f->truth, cause, &others->items[k]);
			could = look_at_suspect(f, &one, true) || could;
		}
		if (!could)
			is_wrong(f, "accused:", cause);
	}
}

static bool truth_accuses(const struct truth *t, const char *cause)
{
	for (size_t i = 0; i < json_n(t->accused); i++)
		if (strcmp(json_text(&t->accused->items[i], "cause"), cause) ==
		    0)
			return true;
	return false;
}

/* A check that has only sentences accuses the network with "suspect". */
static void look_at_sentence(struct found *f)
{
	const struct truth *t = f->truth;

	if (f->said->accused || f->said->outcome != GUILTY)
		return;
	if (!f->sight->fault || !truth_accuses(t, "network")) {
		is_wrong(f, "suspect:", "the network");
		return;
	}
	f->named = true;
	f->sided = !f->sight->sides;
	for (size_t i = 0; i < json_n(t->accused); i++) {
		const char *host = json_text(&t->accused->items[i], "host");

		if (*host && strstr(f->said->verdict, host))
			f->sided = true;
	}
}

/* The sentence says that packets are lost, and none was. */
static void look_for_loss(struct found *f)
{
	static const char *const said[] = {"loses packets", "lose packets",
					   "packets are lost",
					   "packets were lost"};
	const struct truth *t = f->truth;
	const char *verdict = f->said->verdict, *p;

	for (size_t i = 0; i < t->conns.n; i++)
		if (t->conns.v[i].dropped_acks)
			return;
	for (size_t i = 0; t->lossless && i < NA_LEN(said); i++) {
		p = strstr(verdict, said[i]);
		if (p && (p - verdict < 3 || memcmp(p - 3, "no ", 3) != 0)) {
			f->blamed = true;
			is_wrong(f, "says:", said[i]);
		}
	}
}

/* ---- what tcp says of connections */

static bool blames_network(const char *verdict)
{
	return strcmp(verdict, "network_loss") == 0 ||
	       strcmp(verdict, "timeout_bound") == 0 ||
	       strcmp(verdict, "peer_vanished") == 0;
}

static bool blames_party(const char *verdict)
{
	static const char *const all[] = {"receiver_too_slow", "server_slow",
					  "refused", "reset", "delayed_ack"};

	for (size_t i = 0; i < NA_LEN(all); i++)
		if (strcmp(verdict, all[i]) == 0)
			return true;
	return false;
}

static void look_at_conn(struct found *f, const struct json *row,
			 const char **party)
{
	const struct truth *t = f->truth;
	const char *verdict = json_text(row, "verdict");
	const struct truth_conn *c = truth_conn(t, json_text(row, "src"),
						json_text(row, "dst"));
	bool right, touched;

	if (!c)
		return;
	touched = truth_touched(t, c);
	right = json_has(c->verdicts, verdict);
	f->conns.touched += touched;
	f->conns.told += touched && right;
	f->conns.others += !touched;
	f->conns.quiet += !touched && !blames_network(verdict) &&
			  (right || !blames_party(verdict));
	if (blames_network(verdict) && c->dropped == 0 && !(touched && right) &&
	    !(c->dropped_acks && t->dropped)) {
		f->blamed = true;
		is_wrong(f, verdict, json_text(row, "src"));
	}
	if (blames_party(verdict) && !right) {
		f->conns.parties++;
		*party = verdict;
	}
}

static void look_at_conns(struct found *f)
{
	const struct json *rows = f->said->connections;
	const struct tally *n = &f->conns;
	const char *party = "";

	for (size_t i = 0; i < json_n(rows); i++)
		look_at_conn(f, &rows->items[i], &party);
	f->told = n->touched > 0 && n->told * 3 >= n->touched;
	if (n->parties * 2 > n->touched + n->others)
		is_wrong(f, "most connections:", party);
}

/* ---- score */

static const char *word_of(enum outcome o)
{
	return o == GUILTY        ? "guilty"
	       : o == NOT_GUILTY  ? "not_guilty"
	       : o == CANNOT_TELL ? "cannot_tell"
				  : "";
}

static bool is_both(const struct truth *t)
{
	return strcmp(t->fault, "both") == 0;
}

/* Is the outcome right?  In a view that the fault did not touch, the network
 * is not guilty; of two faults, a view may show one. */
static bool outcome_fits(const struct found *f)
{
	const char *word = word_of(f->said->outcome);

	if (!f->sight->fault || (is_both(f->truth) && !f->sight->drops))
		return f->said->outcome == NOT_GUILTY ||
		       json_has(f->truth->outcome, word);
	return json_has(f->truth->outcome, word);
}

static enum score score_fine(const struct found *f)
{
	bool silent = f->said->outcome == SAID_NOTHING;

	if (f->wrong)
		return WRONG;
	if (f->said->outcome == NOT_GUILTY ||
	    (outcome_fits(f) && f->said->outcome != GUILTY))
		return RIGHT;
	if (f->said->outcome == CANNOT_TELL)
		return f->sight->holes || f->sight->may_not_tell ? RIGHT : FAIR;
	return silent ? MISSED : FAIR;
}

static enum score score_fault(const struct found *f)
{
	bool words = said_one_of(f->said, f->truth->words);

	if (f->wrong)
		return WRONG;
	if (outcome_fits(f) && words && (f->sided || f->told) &&
	    (f->sided || !f->sight->sides ||
	     !truth_accuses(f->truth, "network")))
		return RIGHT;
	if (f->said->outcome == CANNOT_TELL)
		return f->sight->may_not_tell ? RIGHT : FAIR;
	if (f->said->outcome == NOT_GUILTY && !outcome_fits(f))
		return MISSED;
	return f->named || f->told || (words && json_n(f->truth->words))
		       ? FAIR
		       : MISSED;
}

struct scored score_view(const struct truth *t, const struct sight *s,
			 const struct said *said)
{
	struct found f = {.truth = t, .sight = s, .said = said};
	struct scored out = {0};
	bool fits;

	if (said->crashed)
		is_wrong(&f, "it", "crashed");
	look_at_accused(&f);
	look_at_sentence(&f);
	look_for_loss(&f);
	look_at_conns(&f);
	fits = outcome_fits(&f);
	if (said->outcome == GUILTY && !fits)
		is_wrong(&f, "guilty, and", "is not");
	out.score = s->fault ? score_fault(&f) : score_fine(&f);
	out.conns = f.conns;
	out.clean = t->lossless;
	out.blamed = out.clean && f.blamed;
	out.acquitted = s->drops && said->outcome == NOT_GUILTY && !fits;
	snprintf(out.why, sizeof(out.why), "%s", f.why);
	return out;
}

/*
 * The first line: is it the network?  Guilty where a finding says so;
 * "not guilty" only where somebody looked, at enough, and it was not.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/checks/look.h"

enum { FEW_TRANSFERS = 100, FEW_PACKETS = 1000, FEW_OF_PAIR = 30 };

/* Times the expectation: paths of healthy hosts differ by less. */
#define AS_USUAL 1.25
/* Of the transfers: about what a host sends to one of several others. */
#define SKEWED 0.01

/* A test stands behind it, or the pattern leaves only the network. */
static bool convicts(const struct na_finding *f)
{
	return f->network && f->severity >= NA_SEV_WARNING &&
	       (f->confidence != NA_POSSIBLE || f->how);
}

static const char *price(struct na_case *c, const struct na_finding *f)
{
	double all = na_stall_s(c);

	if (!(f->lost_s > 0))
		return "";
	if (all >= f->lost_s)
		return na_case_text(c, ", %s of %s step stall",
				    na_case_seconds(c, f->lost_s),
				    na_case_seconds(c, all));
	return na_case_text(c, ", %s lost", na_case_seconds(c, f->lost_s));
}

/* What a straggler costs, of all steps. */
static const char *price_of_steps(struct na_case *c, const struct na_finding *f)
{
	double all_s = na_steps_ms(c) / NA_MS_PER_S;

	if (!(f->lost_s > 0 && all_s >= f->lost_s))
		return price(c, f);
	return na_case_text(c, ", %s of %s step time",
			    na_case_seconds(c, f->lost_s),
			    na_case_seconds(c, all_s));
}

static bool is_of(const struct na_finding *f, const char *id)
{
	return strcmp(f->check->id, id) == 0;
}

/* A host that is slow by itself and costs half as much, or more. */
static const char *besides(struct na_case *c, const struct na_finding *guilty)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (is_of(f, "straggler") && !f->network && f->lost_s > 0 &&
		    !(guilty->lost_s > 2 * f->lost_s))
			return na_case_text(c, "; steps wait for %s, too%s",
					    f->culprit, price_of_steps(c, f));
	}
	return "";
}

static const char *guilty(struct na_case *c, const struct na_finding *f)
{
	return na_case_text(c, "guilty: %s%s%s%s%s",
			    f->culprit ? f->culprit : f->title,
			    f->culprit && f->how ? ", " : "",
			    f->culprit && f->how ? f->how : "", price(c, f),
			    besides(c, f));
}

/* Devices hardly wait for communication: nothing to blame anybody for. */
static bool hidden(const struct na_case *c)
{
	return na_waiting_share(c) < NA_HIDDEN;
}

static bool has(const struct na_case *c, const char *name)
{
	return na_case_body(c, name) != NULL;
}

/* What of the inputs could not be looked at; NULL. */
static const char *unread(struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");
	int64_t damaged = na_count_at(side, M_damaged);
	int64_t refused = na_count_at(side, M_refused);
	long long n = (long long)(damaged + refused);
	long long all = (long long)(na_count_at(side, M_files) + refused);

	if (na_flag_at(na_case_doc(c, "session"), M_interrupted))
		return "interrupted before everything was read";
	if (n)
		return na_case_text(c, "%lld of %lld input%s %s%s", n, all,
				    na_plural(all), n == 1 ? "is " : "are ",
				    !refused   ? "damaged"
				    : !damaged ? "unreadable"
					       : "damaged or unreadable");
	return NULL;
}

/* Whether anybody asked for those checks that could blame the network. */
static const char *unasked(const struct na_case *c)
{
	bool packets = false;

	na_for_each (v, na_get(na_case_side(c, "session"), M_inputs))
		packets |= !na_flag_at(v, M_trace);
	for (const struct na_check *const *k = na_checks; *k; k++) {
		if (((*k)->acquits == NA_ACQUITS ||
		     ((*k)->acquits == NA_ACQUITS_PACKETS && packets)) &&
		    !na_case_asks(c, (*k)->id))
			return "not all checks of the network were asked for";
	}
	return NULL;
}

static bool warned(const struct na_case *c, const char *id)
{
	for (size_t i = 0; i < c->n; i++) {
		if (is_of(c->findings[i], id) &&
		    c->findings[i]->severity >= NA_SEV_WARNING)
			return true;
	}
	return false;
}

/*
 * Pairs that are too few to tell which host is slow still tell that no
 * direction is slower than another; one that is slow both ways leaves
 * collectives too little slack.
 */
static bool alike(const struct na_case *c)
{
	const struct na_value *body = na_case_body(c, "pairs"), *v;

	for (v = na_first(body, M_pairs); v; v = v->next) {
		double excess = na_number_at(v, M_excess);

		if (!(excess < AS_USUAL && excess > 1 / AS_USUAL) ||
		    na_count_at(v, M_count) < FEW_OF_PAIR)
			return false;
	}
	return na_length(body, M_pairs) > 1 && na_case_asks(c, "slack-small") &&
	       na_case_body(c, "slack") && !warned(c, "slack-small");
}

static bool few_pairs(const struct na_case *c)
{
	return !has(c, "tcp") && na_few_pairs(c);
}

/* Transfers, and packets of captures; where neither was counted, "". */
static const char *few(struct na_case *c)
{
	double n = na_number_at(na_first(na_case_body(c, "sizes"), M_groups),
				M_count);
	double packets = na_number_at(na_case_body(c, "tcp"),
				      M_totals "." M_data_packets);
	bool of_packets = isnan(n);
	char count[NA_UNIT_BUF];

	if (n >= FEW_TRANSFERS || packets >= FEW_PACKETS)
		return "";
	if (of_packets)
		n = packets;
	if (isnan(n))
		return "";
	return na_case_text(c, "%s %s%s too few to judge",
			    na_print_count(count, (uint64_t)n),
			    of_packets ? "data packet" : "transfer",
			    n == 1 ? " is" : "s are");
}

/* Too little to go by; NULL. */
static const char *thin(struct na_case *c)
{
	const struct na_value *side = na_case_side(c, "session");
	const struct na_value *doc = na_case_doc(c, "session");
	int64_t absent = na_count_at(doc, M_coverage "." M_devices_not_here);
	const char *scarce = few(c);

	if (!has(c, "pairs") && !has(c, "tcp"))
		return "no transfers on the network in these inputs";
	if (*scarce)
		return scarce;
	if (absent && na_count_at(side, M_files) == 1)
		return "one host's trace alone: what the others saw is not "
		       "here";
	if (na_skewed_share(c) > SKEWED && warned(c, "slack-small"))
		return na_case_text(
			c,
			"%s %% of the transfers show no time, as clocks differ",
			na_case_number(c, 100 * na_skewed_share(c)));
	if (few_pairs(c) && !alike(c))
		return na_text_at(na_case_body(c, "pairs"), M_verdict);
	return NULL;
}

/* A remark, and it costs next to nothing. */
static bool a_trifle(const struct na_case *c, const struct na_finding *f)
{
	return f->severity < NA_SEV_WARNING &&
	       f->lost_s < NA_HIDDEN * na_steps_ms(c) / NA_MS_PER_S;
}

/* A suspicion without a test behind it. */
static const char *suspicion(const struct na_case *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct na_finding *f = c->findings[i];

		if (f->network && !a_trifle(c, f))
			return f->culprit ? f->culprit : f->title;
	}
	return NULL;
}

static int explains(const struct na_finding *f)
{
	static const int weights[] = {
		[NA_EXPLAINS_NOTHING] = 0, [NA_EXPLAINS_LITTLE] = 1,
		[NA_EXPLAINS_SOME] = 2,    [NA_EXPLAINS_DEMAND] = 3,
		[NA_EXPLAINS_WAITING] = 4, [NA_EXPLAINS_ALL] = 5,
	};

	return f->network || f->severity < NA_SEV_WARNING
		       ? 0
		       : weights[f->check->explains];
}

/* What is wrong besides; of equals the costliest. */
static const char *instead(struct na_case *c)
{
	const struct na_finding *f = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (explains(c->findings[i]) > (f ? explains(f) : 0))
			f = c->findings[i];
	}
	if (!f)
		return "";
	if (is_of(f, "straggler"))
		return na_case_text(c, "; steps wait for %s%s", f->culprit,
				    price_of_steps(c, f));
	return na_case_text(c, "; %s%s",
			    f->check->named_as ? f->check->named_as : "",
			    f->culprit ? f->culprit : f->title);
}

/* What the acquittal does not rest on. */
static const char *as_far_as(struct na_case *c)
{
	double timeless = na_skewed_share(c);

	if (hidden(c))
		return "";
	if (few_pairs(c))
		return na_case_text(c, ", as far as %zu pairs show",
				    na_length(na_case_body(c, "pairs"),
					      M_pairs));
	if (timeless > SKEWED)
		return na_case_text(c,
				    ", as far as transfers show: %s %% of them "
				    "show no time, as clocks differ",
				    na_case_number(c, 100 * timeless));
	return "";
}

const char *na_verdict(struct na_case *c)
{
	const char *why = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (convicts(c->findings[i]))
			return guilty(c, c->findings[i]);
	}
	why = unread(c);
	why = why ? why : unasked(c);
	if (!why && !hidden(c)) {
		why = suspicion(c);
		why = why ? why : thin(c);
	}
	if (why)
		return na_case_text(c, "cannot tell: %s%s", why, instead(c));
	return na_case_text(c, "Network: not guilty%s%s", as_far_as(c),
			    instead(c));
}

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/accuracy/sync/score.h"

/* A place in words, behind those that are there. */
static void tell(char words[SY_WORDS], const struct sy_suspect *s)
{
	size_t n = strlen(words);
	char *at = words + n;
	size_t room = SY_WORDS - n;

	if (s->place == SY_PLACES)
		snprintf(at, room, " path %u->%u", s->src, s->dst);
	else if (s->host != SY_ANY)
		snprintf(at, room, " %s %u", sy_place_name(s->place), s->host);
	else
		snprintf(at, room, " %s 0x%x", sy_place_name(s->place),
			 s->racks);
}

static void tell_fault(char words[SY_WORDS], const struct sy_fault *f)
{
	struct sy_suspect s = {.place = f->place, .host = f->host};

	if (f->rack != SY_ANY)
		s.racks |= UINT32_C(1) << f->rack;
	if (f->toward != SY_ANY)
		s.racks |= UINT32_C(1) << f->toward;
	tell(words, &s);
}

void sy_score_begin(struct sy_score *s, const struct sy_plan *p,
		    const struct sy_truth *t)
{
	*s = (struct sy_score){.kind = p->kind,
			       .seed = p->seed,
			       .visible = sy_truth_visible(t, p),
			       .old_style = p->old_style,
			       .latency_waits = p->latency_waits,
			       .local_end = p->local_end,
			       .clock_us = p->clock_us,
			       .late_cost_ms = t->late_cost_ms,
			       .step_ms = t->step_ms,
			       .transfers = t->transfers,
			       .n_faults = p->n_faults};
	for (uint32_t i = 0; i < p->n_faults; i++) {
		s->faults[i] =
			(struct sy_found){.kind = p->faults[i].kind,
					  .visible = t->effects[i].visible,
					  .both_ends = !p->old_style,
					  .median = t->effects[i].median,
					  .cost_ms = t->effects[i].cost_ms,
					  .said_ms = (double)NAN,
					  .upper = (double)NAN};
		tell_fault(s->faults[i].words, &p->faults[i]);
	}
}

static bool has_fault(const struct sy_plan *p, uint32_t host)
{
	for (uint32_t f = 0; f < p->n_faults; f++)
		if (p->faults[f].host == SY_ANY || p->faults[f].host == host)
			return true;
	return false;
}

static void score_bounds(struct sy_score *s, const struct sy_plan *p,
			 const struct sy_answer *a)
{
	for (uint32_t f = 0; f < p->n_faults; f++) {
		enum sy_kind kind = p->faults[f].kind;

		if (kind != SY_TX && kind != SY_RX)
			continue;
		s->faults[f].upper = a->upper[p->faults[f].host][kind == SY_RX];
		if (!(s->faults[f].upper > 0))
			s->faults[f].upper = (double)NAN;
	}
	for (uint32_t h = 0; h < p->n_hosts; h++)
		for (int side = 0; side < 2; side++) {
			double upper = a->upper[h][side];

			if (has_fault(p, h) || !(upper > 0))
				continue;
			s->sound++;
			s->sound_covered += upper >= 1;
		}
}

static const enum na_judge_cause causes[SY_PLACES + 1] = {
	NA_JUDGE_SRC,         NA_JUDGE_DST,           NA_JUDGE_HOST,
	NA_JUDGE_RACK_UPLINK, NA_JUDGE_RACK_DOWNLINK, NA_JUDGE_RACK_PAIR,
	NA_JUDGE_PAIR};

void sy_score_answer(struct sy_score *s, const struct sy_plan *p,
		     enum sy_judge judge, const struct sy_answer *a)
{
	struct sy_said *said = &s->said[judge];
	uint32_t late = p->late_host == SY_ANY ? 0
					       : UINT32_C(1) << p->late_host;
	uint32_t own = p->kind == SY_INPUT ? a->input : a->compute;

	said->asked = true;
	said->outcome = a->outcome;
	said->late_named = (own & late) != 0;
	for (uint32_t h = 0; h < p->n_hosts; h++)
		said->late_wrong += (((a->compute | a->input) & ~late) >> h) &
				    1;
	if (judge == SY_PAIRS)
		score_bounds(s, p, a);
	for (uint32_t i = 0; i < a->n_network; i++) {
		enum sy_grade best = SY_WRONG;

		tell(said->words, &a->network[i].who);
		for (uint32_t f = 0; f < p->n_faults; f++) {
			enum sy_grade g = sy_grade(p, &p->faults[f],
						   &a->network[i]);

			best = g > best ? g : best;
			said->names[i].strict |= sy_is(p, &p->faults[f],
						       &a->network[i].who);
			if (g > s->faults[f].by[judge])
				s->faults[f].by[judge] = g;
			if (g == SY_RIGHT && judge == SY_CHECK)
				s->faults[f].said_ms = a->network[i].cost_ms;
		}
		said->names[i].posterior = a->network[i].posterior;
		said->names[i].cause = causes[a->network[i].who.place];
		said->right += best == SY_RIGHT;
		said->near += best == SY_NEAR;
		said->wrong += best == SY_WRONG;
	}
}

/* Among those that explain the same. */
static bool among(const struct sy_plan *p, const struct sy_fault *f,
		  const struct sy_tie *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct sy_named n = {.who = t->who[i]};

		if (sy_grade(p, f, &n) == SY_RIGHT)
			return true;
	}
	return false;
}

void sy_score_oracle(struct sy_score *s, const struct sy_plan *p,
		     const struct sy_oracle *o)
{
	sy_score_answer(s, p, SY_ORACLE, &o->answer);
	for (uint32_t f = 0; f < p->n_faults; f++)
		for (uint32_t i = 0; i < o->n_ties; i++) {
			const struct sy_tie *t = &o->ties[i];
			char *words = s->faults[f].tied;

			if (!among(p, &p->faults[f], t))
				continue;
			words[0] = '\0';
			for (uint32_t k = 0; k < t->n; k++)
				tell(words, &t->who[k]);
			if (t->more && strlen(words) + 5 < SY_WORDS)
				strcat(words, " ...");
		}
}

static void add_causes(const struct sy_said *a, uint32_t names,
		       struct fl_reliability *out)
{
	bool found[NA_JUDGE_CAUSES] = {false};

	for (uint32_t i = 0; i < names; i++)
		found[a->names[i].cause] = true;
	for (int c = 0; c < NA_JUDGE_CAUSES; c++)
		fl_count(&out->cause[c], found[c]);
}

static void add_session(const struct sy_score *s, struct fl_reliability *out)
{
	const struct sy_said *a = &s->said[SY_PAIRS];
	uint32_t names = a->right + a->near + a->wrong;

	for (uint32_t i = 0; i < names; i++)
		fl_count_said(out, a->names[i].posterior, a->names[i].strict);
	for (uint32_t i = 0; i < s->n_faults; i++) {
		const struct sy_found *f = &s->faults[i];

		if (f->by[SY_PAIRS] != SY_RIGHT)
			fl_count_bound(&out->planted, f->median, f->upper);
	}
	out->sound.n += s->sound;
	out->sound.k += s->sound_covered;
	if (s->kind <= SY_CLOCK)
		fl_count(&out->healthy,
			 s->said[SY_CHECK].outcome == SY_NOT_GUILTY);
	add_causes(a, names, out);
}

void sy_reliability_of(const struct sy_score *s, size_t n,
		       struct fl_reliability *out)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].done && !s[i].failed)
			add_session(&s[i], out);
}

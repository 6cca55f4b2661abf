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
					  .said_ms = (double)NAN};
		tell_fault(s->faults[i].words, &p->faults[i]);
	}
}

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
	for (uint32_t f = 0; f < p->n_faults && judge == SY_CHECK; f++)
		if (p->faults[f].kind <= SY_RX)
			s->faults[f].power =
				a->power[p->faults[f].host]
					[p->faults[f].kind == SY_RX];
	for (uint32_t i = 0; i < a->n_network; i++) {
		enum sy_grade best = SY_WRONG;

		tell(said->words, &a->network[i].who);
		for (uint32_t f = 0; f < p->n_faults; f++) {
			enum sy_grade g = sy_grade(p, &p->faults[f],
						   &a->network[i]);

			best = g > best ? g : best;
			if (g > s->faults[f].by[judge])
				s->faults[f].by[judge] = g;
			if (g == SY_RIGHT && judge == SY_CHECK)
				s->faults[f].said_ms = a->network[i].cost_ms;
		}
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

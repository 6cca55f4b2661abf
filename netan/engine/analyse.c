#include "netan/engine/analyse.h"
#include "members.h"

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"

int64_t na_span_ps(int64_t first_ps, int64_t last_ps)
{
	uint64_t span = (uint64_t)last_ps - (uint64_t)first_ps;

	return span < NA_TIME_MAX ? (int64_t)span : NA_TIME_MAX;
}

enum { SETTINGS_BUF = 100 };

/* ", with capacity and topology of netan.conf", or nothing. */
static const char *settings_text(const struct na_request *q,
				 char text[SETTINGS_BUF])
{
	struct na_str t = na_str_over(text, SETTINGS_BUF);
	size_t n = 0;

	for (size_t i = 0; i < q->n_settings; i++) {
		if (!q->settings[i].look)
			na_str_addf(&t, "%s%s", n++ ? " and " : ", with ",
				    q->settings[i].member);
	}
	if (n)
		na_str_addf(&t, " of netan.conf");
	return text;
}

/* Files, hosts, duration, how many of what (noun: one of them), and how many
 * were left out: transfers are named where something else is used. */
static void headline(struct na_session *s, struct na_result *r,
		     const char *name, uint64_t used, const char *noun,
		     int64_t span_ps)
{
	char n[NA_UNIT_BUF], span[NA_UNIT_BUF], m[NA_UNIT_BUF];
	const char *kind = na_result_get_word(r, NA_WORD_LEFT_NOUN, NULL);
	uint64_t left_out = na_result_left_out(r);
	char files[NA_FILES_BUF], who[NA_WHO_BUF], set[SETTINGS_BUF];

	na_result_headline(r,
			   "%s: %s, %s, %s, %s %s%s%s "
			   "used, %s%s%s%s left out%s",
			   name, na_session_inputs(s, files),
			   na_session_who(s, who),
			   na_print_time(span, span_ps, 4),
			   na_print_count(n, used), noun, na_plural(used),
			   na_result_get_word(r, NA_WORD_SIDES, ""),
			   left_out ? na_print_count(m, left_out) : "none",
			   left_out && kind ? " " : "",
			   left_out && kind ? kind : "",
			   left_out > 1 && kind ? "s" : "",
			   settings_text(s->request, set));
}

/* What a person calls one record: a transfer, unless only actions were
 * asked for. */
static const char *noun_of(const struct na_filter *f, const struct na_store *s)
{
	const uint32_t transfers = NA_COMP_BIT(NA_COMP_NETWORK) |
				   NA_COMP_BIT(NA_COMP_RECEIVE) |
				   NA_COMP_BIT(NA_COMP_SEND) |
				   NA_COMP_BIT(NA_COMP_RPC);

	if (na_filter_calls_alone(f))
		return "call";
	return !(f->components & ~transfers) ||
			       (f->components & transfers &&
				s->graphs.n + s->actions.n == 0)
		       ? "transfer"
	       : f->components & transfers ? "transfers and action"
					   : "action";
}

/* Most analyses look at receives: what counts a transfer at both of its ends
 * says so. */
static void say_sides(struct na_result *r, const struct na_analysis *a,
		      const struct na_request *q)
{
	if (a->both_sides && !a->ignores_sends && !q->side &&
	    !na_result_get_word(r, NA_WORD_NOUN, NULL))
		na_result_word(r, NA_WORD_SIDES, " (sends and receives)");
}

/* Dumps of recorders have no kernels, steps or transfers. */
static void say_queued(const struct na_session *s, struct na_result *r)
{
	for (size_t i = 0; i < s->n_inputs; i++) {
		if (s->inputs[i].told != NA_TOLD_RECORDER)
			return;
	}
	na_result_word(r, NA_WORD_EMPTY,
		       s->store.comms.n || !(s->wants & NA_WANT_COMMS)
			       ? "recorders tell when operations were queued, "
				 "not when they ran"
			       : "no operation is in these dumps");
	na_result_word(r, NA_WORD_HINT,
		       "netan collectives says who queues last, netan hang who "
		       "is stuck; for more give the profiler's traces");
	na_result_word(r, NA_WORD_UNDRAWN,
		       "netan hang DUMPS -o FILE.svg draws how far each rank "
		       "came");
}

static void add_scope(struct na_result *r, const char *name, const char *value)
{
	const char *had = na_result_get_word(r, NA_WORD_SCOPE, "");

	if (value)
		na_result_wordf(r, NA_WORD_SCOPE, "%s%s%s%s", had,
				*had ? ", " : "", name, value);
}

enum { SCOPE_GLOBS = 8 }; /* of one kind; a line holds no more */

/* "host-1, dst s1*, step 3-5": a picture of a part says of which. */
static void say_scope(const struct na_session *s, struct na_result *r)
{
	const struct na_request *q = s->request;
	const struct {
		const char *name;
		const struct na_text_list *list;
	} lists[] = {{"", &q->host},
		     {"src ", &q->src},
		     {"dst ", &q->dst},
		     {"", &q->collective}};

	for (size_t i = 0; i < NA_LEN(lists); i++) {
		for (size_t k = 0; k < lists[i].list->n && k < SCOPE_GLOBS; k++)
			add_scope(r, lists[i].name, lists[i].list->items[k]);
	}
	add_scope(r, "side ", q->side);
	add_scope(r, "from ", s->window.from);
	add_scope(r, "to ", s->window.to);
	add_scope(r, "step ", s->window.step);
}

enum na_status na_analyse(struct na_session *s, const struct na_analysis *a,
			  const void *params, const struct na_grouping *by,
			  struct na_result *r, struct na_driven *d,
			  struct na_err *err)
{
	enum na_status st = na_drive(s, a, params, by, r, d, err);

	if (st != NA_OK)
		return st;
	if (na_store_of_ranks(&s->store) &&
	    !na_result_get_word(r, NA_WORD_HOST, NULL))
		na_result_word(r, NA_WORD_HOST, "rank");
	say_scope(s, r);
	s->filter.traces_first |= a->traces_first;
	if (!d->used && (a->add_op || a->add_comm || a->add_transfer))
		say_queued(s, r);
	na_envelope(s, r, a->info.name, d->used,
		    na_s((double)d->last_ps - (double)d->first_ps), d->side,
		    d->dropped);
	/* The analysis may know better what it looked at. */
	say_sides(r, a, s->request);
	headline(s, r, a->info.name, d->used,
		 na_result_get_word(r, NA_WORD_NOUN,
				    noun_of(&s->filter, &s->store)),
		 na_span_ps(d->first_ps, d->last_ps));
	return NA_OK;
}

#include "tests/accuracy/tcp/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/vec.h"
#include "tests/accuracy/draw.h"

static const char *const kinds[RULE_KINDS] = {"loss",  "every", "drop", "first",
					      "delay", "dup",   "rate", "hold"};
static const char *const classes[ONLY_N] = {"all", "data", "ack", "syn",
					    "tail"};

/* Shorter than any full segment of these hosts. */
enum { TAIL_BYTES = 1400 };

static bool one_of(const char *const *names, size_t n, const char *name,
		   int *out)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (int)i;
			return true;
		}
	}
	return false;
}

static double *number_of(struct rule *r, const char *name)
{
	const struct {
		const char *name;
		double *value;
	} all[] = {{"p", &r->p},
		   {"burst", &r->burst},
		   {"ms", &r->ms},
		   {"to_ms", &r->to_ms},
		   {"mbit", &r->mbit},
		   {"queue_ms", &r->queue_ms},
		   {"period_s", &r->period_s},
		   {"from_s", &r->from_s},
		   {"to_s", &r->to_s},
		   {"n", &r->n},
		   {"over", &r->over},
		   {"keep", &r->keep},
		   {"flows", &r->flows}};

	for (size_t i = 0; i < NA_LEN(all); i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].value;
	return NULL;
}

static bool parse_setting(struct rule *r, char *word)
{
	char *equals = strchr(word, '='), *end;
	double *number;
	int only;

	if (!equals)
		return false;
	*equals++ = '\0';
	if (strcmp(word, "only") == 0) {
		if (!one_of(classes, ONLY_N, equals, &only))
			return false;
		r->only = (enum rule_only)only;
		return true;
	}
	number = number_of(r, word);
	if (!number)
		return false;
	*number = strtod(equals, &end);
	return end > equals && !*end;
}

/* "tx:2>*" */
static bool parse_place(struct rule *r, const char *word)
{
	const char *to = strchr(word, '>');

	r->tx = word[0] == 't';
	if (strncmp(word, "tx:", 3) != 0 && strncmp(word, "rx:", 3) != 0)
		return false;
	if (!to)
		return false;
	r->src = word[3] == '*' ? 0 : (unsigned)strtoul(word + 3, NULL, 10);
	r->dst = to[1] == '*' ? 0 : (unsigned)strtoul(to + 1, NULL, 10);
	return true;
}

bool rule_parse(const char *text, struct rule *out)
{
	char buf[256], *save = NULL, *word;
	int kind;
	bool ok;

	*out = (struct rule){.p = 1, .burst = 1, .to_s = 1e9, .flows = 1};
	if (snprintf(buf, sizeof(buf), "%s", text) >= (int)sizeof(buf))
		return false;
	word = strtok_r(buf, " ", &save);
	ok = word && parse_place(out, word);
	word = strtok_r(NULL, " ", &save);
	ok = ok && word && one_of(kinds, RULE_KINDS, word, &kind);
	if (ok)
		out->kind = (enum rule_kind)kind;
	while (ok && (word = strtok_r(NULL, " ", &save)))
		ok = parse_setting(out, word);
	if (!ok)
		fprintf(stderr, "wire: no rule: %s\n", text);
	return ok;
}

/* Of its ports, in [0, 1). */
static double hash_of(const struct flow *flow)
{
	return fl_hash_uniform((uint64_t)flow->src.port << 16 | flow->dst.port,
			       1);
}

static bool on_path(const struct rule *r, const struct frame_view *v)
{
	return (!r->src || r->src == v->src_host) &&
	       (!r->dst || r->dst == v->dst_host);
}

static bool is_for(const struct rules *all, const struct rule *r,
		   const struct frame_view *v, bool fresh, int64_t at_ns)
{
	double s = (double)(at_ns - all->start_ns) / 1e9;
	bool plain = !(v->flags & (FRAME_SYN | FRAME_FIN | FRAME_RST));

	if (!on_path(r, v) || s < r->from_s || s >= r->to_s)
		return false;
	switch (r->only) {
	case ONLY_DATA:
		return v->payload > 0;
	case ONLY_ACK:
		return v->payload == 0 && plain;
	case ONLY_SYN:
		return v->flags & FRAME_SYN;
	case ONLY_TAIL:
		return fresh && v->payload > 0 && v->payload < TAIL_BYTES &&
		       v->flags & FRAME_PSH;
	default:
		return true;
	}
}

static bool gilbert(struct rules *all, struct rule *r)
{
	if (r->burst <= 1)
		return fl_chance(&all->rng, r->p);
	if (r->bad)
		r->bad = !fl_chance(&all->rng, 1 / r->burst);
	else
		r->bad = fl_chance(&all->rng, r->p / r->burst);
	return r->bad;
}

static bool among_first(const struct rule *r, const struct flow *flow)
{
	return (double)flow->frames <= r->n && hash_of(flow) < r->p;
}

static void delay(struct rules *all, struct rule *r, struct rule_verdict *out)
{
	double ms = r->ms;

	if (r->p < 1 && !fl_chance(&all->rng, r->p))
		return;
	if (r->to_ms > r->ms)
		ms = fl_between(&all->rng, r->ms, r->to_ms);
	out->at_ns += (int64_t)(ms * 1e6);
}

static void queue(struct rule *r, size_t n, struct rule_verdict *out)
{
	int64_t from = r->free_ns > out->at_ns ? r->free_ns : out->at_ns;

	if ((double)(from - out->at_ns) > r->queue_ms * 1e6) {
		out->drop = true;
		return;
	}
	r->free_ns = from + (int64_t)((double)n * 8e3 / r->mbit);
	out->at_ns = r->free_ns;
}

static void hold(const struct rules *all, const struct rule *r,
		 struct rule_verdict *out)
{
	int64_t period = (int64_t)(r->period_s * 1e9);
	int64_t since = out->at_ns - all->start_ns - (int64_t)(r->from_s * 1e9);
	int64_t into = period > 0 ? since % period : since;
	int64_t length = (int64_t)(r->ms * 1e6);

	if (into < length)
		out->at_ns += length - into;
}

struct rule_verdict rule_apply(struct rules *all, struct rule *r,
			       const struct frame_view *v, size_t n,
			       const struct flow *flow, bool fresh,
			       int64_t at_ns)
{
	struct rule_verdict out = {.at_ns = at_ns};

	if (is_for(all, r, v, fresh, at_ns) &&
	    (r->flows >= 1 || (flow && hash_of(flow) < r->flows))) {
		r->seen++;
		if (r->kind == RULE_LOSS)
			out.drop = gilbert(all, r);
		else if (r->kind == RULE_EVERY)
			out.drop = r->seen % (uint64_t)r->n == 0;
		else if (r->kind == RULE_DROP)
			out.drop = (double)v->ip_bytes > r->over;
		else if (r->kind == RULE_FIRST)
			out.drop = flow && among_first(r, flow);
		else if (r->kind == RULE_DELAY)
			delay(all, r, &out);
		else if (r->kind == RULE_DUP)
			out.twice = fl_chance(&all->rng, r->p);
		else if (r->kind == RULE_RATE)
			queue(r, n, &out);
		else
			hold(all, r, &out);
	}
	if (r->keep > 0 && on_path(r, v)) {
		/* Also those that it does not delay stay behind. */
		if (out.at_ns < r->free_ns)
			out.at_ns = r->free_ns;
		r->free_ns = out.at_ns;
	}
	return out;
}

#include "tests/accuracy/tcp/truth.h"

#include <stdio.h>
#include <string.h>

#include "tests/accuracy/tcp/said.h"

static void read_hosts(struct truth *t)
{
	const struct json *hosts = json_get(&t->root, "hosts");

	for (size_t i = 0; i < json_n(hosts) && i < HOSTS_MOST; i++) {
		const struct json *h = &hosts->items[i];

		snprintf(t->hosts[i], NAME_BYTES, "%s", json_text(h, "name"));
		snprintf(t->addresses[i], NAME_BYTES, "%s",
			 json_text(h, "address"));
		t->n_hosts++;
	}
}

unsigned truth_host(const struct truth *t, const char *name)
{
	bool v6 = name[0] == '[';
	size_t n;

	name += v6;
	n = v6                                        ? strcspn(name, "]")
	    : strchr(name, ':') == strrchr(name, ':') ? strcspn(name, ":")
						      : strlen(name);
	for (unsigned i = 0; i < t->n_hosts; i++)
		if (strcmp(t->hosts[i], name) == 0 ||
		    (strlen(t->addresses[i]) == n &&
		     strncmp(t->addresses[i], name, n) == 0))
			return i;
	return t->n_hosts;
}

static struct truth_conn *find(const struct truth *t, const char *a,
			       const char *b)
{
	for (size_t i = 0; i < t->conns.n; i++) {
		struct truth_conn *c = &t->conns.v[i];

		if ((strcmp(c->ends[0], a) == 0 &&
		     strcmp(c->ends[1], b) == 0) ||
		    (strcmp(c->ends[0], b) == 0 && strcmp(c->ends[1], a) == 0))
			return c;
	}
	return NULL;
}

const struct truth_conn *truth_conn(const struct truth *t, const char *a,
				    const char *b)
{
	return find(t, a, b);
}

/* The one of its group; a program that is not ours has the only one. */
static const struct json *verdicts_of(const struct truth *t, const char *a,
				      const char *b)
{
	const struct json *conns = json_get(&t->root, "connections");
	const struct json *groups = json_get(&t->root, "groups");
	size_t group = 0;

	for (size_t i = 0; i < json_n(conns); i++) {
		const char *src = json_text(&conns->items[i], "src");
		const char *dst = json_text(&conns->items[i], "dst");

		if ((strcmp(src, a) == 0 && strcmp(dst, b) == 0) ||
		    (strcmp(src, b) == 0 && strcmp(dst, a) == 0))
			group = (size_t)json_number(&conns->items[i], "group");
	}
	if (group >= json_n(groups))
		return NULL;
	return json_get(&groups->items[group], "verdicts");
}

static bool read_flow(struct truth *t, const struct json *flow)
{
	const char *src = json_text(flow, "src"), *dst = json_text(flow, "dst");
	struct truth_conn *c = find(t, src, dst);

	if (!c) {
		c = na_push(&t->conns);
		if (!c)
			return false;
		*c = (struct truth_conn){.ends = {src, dst},
					 .hosts = {truth_host(t, src),
						   truth_host(t, dst)},
					 .verdicts = verdicts_of(t, src, dst)};
	}
	c->dropped += (uint64_t)(json_number(flow, "dropped_data") +
				 json_number(flow, "dropped_syns"));
	c->dropped_acks += (uint64_t)json_number(flow, "dropped_acks");
	return true;
}

bool truth_read(const char *text, struct truth *out)
{
	const struct json *flows;
	bool ok;

	*out = (struct truth){0};
	ok = json_read(text, &out->root);
	flows = json_get(json_get(&out->root, "wire"), "flows");
	out->condition = json_text(&out->root, "condition");
	out->fault = json_text(&out->root, "fault");
	out->outcome = json_get(&out->root, "outcome");
	out->accused = json_get(&out->root, "accused");
	out->words = json_get(&out->root, "words");
	out->views = json_get(&out->root, "views");
	read_hosts(out);
	for (size_t i = 0; ok && i < json_n(flows); i++)
		ok = read_flow(out, &flows->items[i]);
	for (size_t i = 0; i < out->conns.n; i++)
		out->dropped += out->conns.v[i].dropped;
	out->lossless = out->dropped == 0 && strcmp(out->fault, "gone") != 0;
	return ok;
}

bool truth_load(const char *dir, struct truth *out)
{
	char path[4096];
	char *text;
	bool ok;

	*out = (struct truth){0};
	snprintf(path, sizeof(path), "%s/truth.json", dir);
	text = said_read_file(path);
	ok = text && truth_read(text, out);
	free(text);
	if (!ok)
		fprintf(stderr, "judge: cannot read %s\n", path);
	return ok;
}

void truth_free(struct truth *t)
{
	na_vec_free(&t->conns);
	json_free(&t->root);
}

/* ---- what a view shows */

static bool on_accused(const struct truth *t, const struct truth_conn *c)
{
	for (size_t i = 0; i < json_n(t->accused); i++) {
		const struct json *a = &t->accused->items[i];
		unsigned host = truth_host(t, json_text(a, "host"));
		unsigned other = truth_host(t, json_text(a, "other"));
		bool at = c->hosts[0] == host || c->hosts[1] == host;

		if (host == t->n_hosts)
			return true;
		if (at && (other == t->n_hosts || c->hosts[0] == other ||
			   c->hosts[1] == other))
			return true;
	}
	return false;
}

bool truth_touched(const struct truth *t, const struct truth_conn *c)
{
	if (json_has(c->verdicts, "network_loss"))
		return c->dropped > 0 || strcmp(t->fault, "gone") == 0;
	if (strcmp(t->fault, "none") == 0 || strcmp(t->fault, "acks") == 0)
		return false;
	return !json_has(c->verdicts, "healthy") || on_accused(t, c);
}

bool sight_shows(const struct truth *t, const struct sight *s,
		 const struct truth_conn *c)
{
	return s->at == t->n_hosts || c->hosts[0] == s->at ||
	       c->hosts[1] == s->at;
}

static bool is_how(const struct sight *s, const char *words)
{
	size_t n = strlen(s->how);

	for (const char *p = words; (p = strstr(p, s->how)); p += n)
		if (p[n] == ' ' || !p[n])
			return true;
	return false;
}

struct sight truth_sight(const struct truth *t, const struct json *view)
{
	struct sight s = {.view = view, .how = json_text(view, "how")};

	s.at = truth_host(t, json_text(view, "of"));
	for (size_t i = 0; i < t->conns.n; i++) {
		const struct truth_conn *c = &t->conns.v[i];

		if (!sight_shows(t, &s, c))
			continue;
		s.drops = s.drops || c->dropped > 0;
		s.fault = s.fault || truth_touched(t, c);
	}
	s.sides = t->n_hosts > 2 && is_how(&s, "middle any both skewed noid");
	s.holes = is_how(&s, "lose1 lose5");
	s.may_not_tell = is_how(&s, "oneway");
	return s;
}

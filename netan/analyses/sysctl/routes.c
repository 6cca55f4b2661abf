/* The minimum retransmission timeout, route by route. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "members.h"
#include "netan/analyses/sysctl/state.h"
#include "netan/base/shell.h"
#include "netan/base/str.h"
#include "netan/base/units.h"

enum { REMEDY_MAX = 400 + 1024 /* of which the next hops */ };

/* What a connection gets whose route says nothing; NA_NOT_KNOWN. */
static int64_t fallback_us(const struct na_settings *s, const char **from)
{
	const struct na_setting_value *f = &s->setting[NA_SET_RTO_MIN];

	if (f->text && f->v[0] > 0) {
		*from = "tcp_rto_min_us";
		return f->v[0];
	}
	*from = "kernel default";
	return f->absent ? NA_RTO_KERNEL_US : NA_NOT_KNOWN;
}

static bool taken_by_training(const struct na_route *x)
{
	return x->kind == NA_ROUTE_UNICAST && !x->down &&
	       !(x->dev && strcmp(x->dev, "lo") == 0) &&
	       strncmp(x->dst, "fe80:", 5) != 0 &&
	       strncmp(x->dst, "169.254.", 8) != 0 &&
	       strncmp(x->dst, "ff00:", 5) != 0;
}

static int64_t rto_of(const struct na_settings *s, const struct na_route *x,
		      const char **from)
{
	if (x->rto_min_us == NA_NOT_KNOWN || x->unlocked)
		return fallback_us(s, from);
	*from = "route";
	return x->rto_min_us;
}

static double ms_of(int64_t us)
{
	return na_ms((double)us * NA_PS_PER_US);
}

static const char *print_ms(char *buf, int64_t us)
{
	char number[NA_UNIT_BUF];

	snprintf(buf, NA_UNIT_BUF, "%sms", na_print_double(number, ms_of(us)));
	return buf;
}

/* " via 10.0.0.1", where there is one. */
static void add_word(struct na_str *out, const char *key, const char *word)
{
	if (word)
		na_str_addf(out, " %s %.60s", key, word);
}

/* In a saved text a device may be called what a shell takes for a command. */
static bool is_plain(const char *s)
{
	return !s || na_shell_plain(s);
}

/* A route is known to the kernel by destination, table and metric; what a
 * change does not repeat is lost.  Next hops end the command. */
static void print_remedy(const struct na_route *x, char *out, size_t size)
{
	bool several = x->hops > 1;
	bool inet6 = x->via && x->family == 4 && strchr(x->via, ':');
	char metric[24];
	struct na_str to = na_str_over(out, size);

	if (!is_plain(x->dst) || !is_plain(x->via) || !is_plain(x->dev) ||
	    !is_plain(x->table) || !is_plain(x->src) ||
	    !is_plain(x->next_hops)) {
		na_str_addf(&to, "# change that route, with all that it has, "
				 "and rto_min 5ms");
		return;
	}
	na_str_addf(&to, "%sip %sroute change %.60s",
		    several && !x->next_hops ? "# " : "",
		    x->family == 6 ? "-6 " : "", x->dst);
	if (several && !x->next_hops) {
		na_str_addf(&to, " with all its %u next hops, and rto_min 5ms",
			    x->hops);
		return;
	}
	snprintf(metric, sizeof(metric), "%" PRId64, x->metric);
	add_word(&to, inet6 ? "via inet6" : "via", several ? NULL : x->via);
	add_word(&to, "dev", several ? NULL : x->dev);
	add_word(&to, "table", x->table);
	add_word(&to, "src", x->src);
	add_word(&to, "metric", x->metric == NA_NOT_KNOWN ? NULL : metric);
	add_word(&to, "rto_min", "5ms");
	if (several)
		na_str_addf(&to, " %s", x->next_hops);
}

/* The route that has the largest, the default one of them first. */
struct worst {
	const struct na_route *route;
	int64_t us;
	const char *from;
	size_t n, bad, blind;
};

static bool is_default(const struct na_route *x)
{
	return strcmp(x->dst, "default") == 0;
}

static struct worst find_worst(const struct na_settings *s)
{
	struct worst w = {.us = NA_NOT_KNOWN};

	for (size_t i = 0; i < s->routes.n; i++) {
		const struct na_route *x = &s->routes.items[i];
		const char *from;
		int64_t us;

		if (!taken_by_training(x))
			continue;
		us = rto_of(s, x, &from);
		w.n++;
		w.blind += us == NA_NOT_KNOWN;
		w.bad += us > NA_RTO_MOST_US;
		if (us == NA_NOT_KNOWN ||
		    (w.route &&
		     (us < w.us ||
		      (us == w.us && (is_default(w.route) || !is_default(x))))))
			continue;
		w.route = x;
		w.us = us;
		w.from = from;
	}
	return w;
}

/* Without routes, tcp_rto_min_us can speak for them only if it is low: a
 * route that raises it again is nobody's habit. */
static void without_routes(const struct na_settings *s, struct na_host_row *row,
			   char *value, char *why, size_t size, int64_t *us)
{
	const struct na_setting_value *f = &s->setting[NA_SET_RTO_MIN];
	const char *reason = s->routes.why ? s->routes.why
					   : "there is no route that training "
					     "traffic could take";
	const char *from;

	row->state = NA_HOST_UNKNOWN;
	row->value = NULL;
	if (f->text) {
		*us = fallback_us(s, &from);
		print_ms(value, *us);
		row->value = value;
		if (*us > 0 && *us <= NA_RTO_MOST_US)
			row->state = NA_HOST_OK;
		else
			*us = NA_NOT_KNOWN;
		snprintf(why, size,
			 "tcp_rto_min_us; routes are not known: "
			 "%.200s",
			 reason);
	} else {
		snprintf(why, size, "routes are not known: %.200s", reason);
	}
}

void na_host_put_rto(struct na_host_out *o, const struct na_settings *s,
		     struct na_value *into)
{
	struct worst w = find_worst(s);
	char value[NA_UNIT_BUF] = "", why[400] = "", remedy[REMEDY_MAX] = "";
	struct na_host_row row = {
		.name = "rto_min",
		.value = value,
		.wanted = "5ms (10ms or less)",
		.severity = NA_SEV_WARNING,
		.why = why,
		.remedy = remedy,
	};

	if (w.us != NA_NOT_KNOWN)
		print_ms(value, w.us);
	if (s->routes.why || !w.n) {
		without_routes(s, &row, value, why, sizeof(why), &w.us);
	} else if (w.bad) {
		row.state = NA_HOST_BAD;
		print_remedy(w.route, remedy, sizeof(remedy));
		snprintf(why, sizeof(why),
			 "%zu of %zu routes that training traffic may take, "
			 "first %.60s%s%.40s (%s): one lost packet costs %s",
			 w.bad, w.n, w.route->dst, w.route->dev ? " dev " : "",
			 w.route->dev ? w.route->dev : "", w.from, value);
	} else if (w.blind) {
		row.state = NA_HOST_UNKNOWN;
		row.value = NULL;
		snprintf(why, sizeof(why),
			 "%zu of %zu routes say nothing, and tcp_rto_min_us "
			 "%.200s",
			 w.blind, w.n,
			 s->setting[NA_SET_RTO_MIN].why
				 ? s->setting[NA_SET_RTO_MIN].why
				 : "is no time");
	} else {
		snprintf(why, sizeof(why),
			 "one lost packet must not become a slow transfer");
	}
	na_put_real(o->r, into, M_rto_min_ms,
		    row.state == NA_HOST_UNKNOWN || w.us == NA_NOT_KNOWN
			    ? NAN
			    : ms_of(w.us));
	na_host_put_row(o, &row);
}

static void put_route(struct na_host_out *o, struct na_value *list,
		      const struct na_settings *s, const struct na_route *x)
{
	struct na_value *to = na_put_object(o->r, list, NULL);
	bool judged = taken_by_training(x);
	const char *from;
	int64_t us = rto_of(s, x, &from);
	bool bad = judged && us != NA_NOT_KNOWN && us > NA_RTO_MOST_US;
	char remedy[REMEDY_MAX];

	na_put_text(o->r, to, M_dst, x->dst);
	na_put_text(o->r, to, M_via, x->via);
	na_put_text(o->r, to, M_dev, x->dev);
	na_put_text(o->r, to, M_table, x->table ? x->table : "main");
	na_host_put_known(o->r, to, M_family,
			  x->family ? x->family : NA_NOT_KNOWN);
	na_put_real(o->r, to, M_rto_min_ms,
		    us == NA_NOT_KNOWN ? NAN : ms_of(us));
	na_put_text(o->r, to, M_from, us == NA_NOT_KNOWN ? NULL : from);
	na_put_text(o->r, to, M_state,
		    !judged              ? NULL
		    : us == NA_NOT_KNOWN ? "unknown"
		    : bad                ? "bad"
					 : "ok");
	na_put_text(o->r, to, M_why,
		    !judged && x->down ? "its link is down"
		    : !judged          ? "not for training traffic"
		    : x->unlocked      ? "the route's rto_min is not locked: "
					 "the kernel does not heed it"
				       : NULL);
	print_remedy(x, remedy, sizeof(remedy));
	na_put_text(o->r, to, M_remedy, bad ? remedy : NULL);
}

/* Only what is no address of the host itself. */
void na_host_put_routes(struct na_host_out *o, const struct na_settings *s,
			struct na_value *into)
{
	struct na_value *list = na_put_list(o->r, into, M_routes);

	for (size_t i = 0; i < s->routes.n; i++) {
		if (s->routes.items[i].kind == NA_ROUTE_UNICAST)
			put_route(o, list, s, &s->routes.items[i]);
	}
	na_put_int(o->r, into, M_routes_left_out, (int64_t)s->routes.left_out);
	na_put_int(o->r, into, M_route_lines_not_understood,
		   (int64_t)s->routes.odd);
}

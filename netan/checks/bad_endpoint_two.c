/*
 * bad-endpoint of two hosts.  Which side is slow takes a third host to tell;
 * that one direction is slower than the other does not.  Distance and load are
 * those of both.  A clock that is ahead adds to all that comes one way and takes
 * from all that goes the other, which no difference of two latencies of one way
 * shows: only what is slow in medians and tails, and whose tail lies as much
 * farther above its median, is told.
 */
#include <math.h>
#include <string.h>

#include "members.h"
#include "netan/base/units.h"
#include "netan/base/vec.h"
#include "netan/checks/look.h"
#include "netan/checks/packets.h"
#include "netan/methods/localise/localise.h"
#include "netan/methods/sides.h"

#define SLOWER 2.0 /* than the way back */

static double times(const struct na_value *slow, const struct na_value *fast,
		    const char *member)
{
	return na_number_at(slow, member) / na_number_at(fast, member);
}

static double tail_above(const struct na_value *v)
{
	return na_number_at(v, M_p99_us) - na_number_at(v, M_p50_us);
}

/* The least of what tells; 0: nothing does. */
static double slower(const struct na_value *slow, const struct na_value *fast)
{
	const double by[] = {times(slow, fast, M_excess),
			     times(slow, fast, M_p50_us),
			     times(slow, fast, M_p99_us),
			     tail_above(slow) / tail_above(fast)};
	double least = by[0];

	for (size_t i = 0; i < NA_LEN(by); i++) {
		if (!isfinite(by[i]))
			return 0;
		least = fmin(least, by[i]);
	}
	if (na_count_at(slow, M_count) < NA_LZ_EACH_WAY ||
	    na_count_at(fast, M_count) < NA_LZ_EACH_WAY)
		return 0;
	return least;
}

static void put_side(struct na_case *c, struct na_value *list, const char *kind,
		     const char *host)
{
	struct na_value *row = na_put_object(c->r, list, NULL);

	na_put_text(c->r, row, M_kind, kind);
	na_put_text(c->r, row, M_host, host);
}

static void tell(struct na_case *c, const struct na_value *x, double factor)
{
	struct na_finding *f = na_case_find(c, NA_SEV_ERROR, NA_LIKELY,
					    "pairs");
	const char *src = na_text_at(x, M_src_host);
	const char *dst = na_text_at(x, M_dst_host);
	struct na_value *sides = na_put_list(c->r, f->evidence, M_alternatives);

	put_side(c, sides, "src", src);
	put_side(c, sides, "dst", dst);
	na_case_accuse(f, NA_CAUSE_NETWORK,
		       (struct na_who){.kind = "pair",
				       .src_host = src,
				       .dst_host = dst,
				       .alternatives = sides},
		       na_case_text(c,
				    "path %s -> %s or %s%s or %s%s", src, dst,
				    na_side_of("src"), src, na_side_of("dst"),
				    dst));
	f->how = na_case_text(c,
			      "%sx slower than the way back; a third host "
			      "would tell which",
			      na_case_number(c, factor));
	f->title = na_case_text(c, "%s: %s", f->culprit, f->how);
	f->remedy = na_case_text(
		c,
		"test first: iperf3 both ways between the two, then each with "
		"a third host: what is slow from %s to it is the transmit "
		"side, from it to %s the receive side, else the path",
		src, dst);
	f->otherwise = "the two directions are loaded differently by others";
	f->sure = na_case_text(c,
			       "medians, and tails above them, of %s "
			       "transfers are as much slower, which a clock "
			       "does not do",
			       na_case_count(c, na_count_at(x, M_count)));
	na_case_fact(c, f,
		     "%s transfers each way, %s in the median from %s to %s",
		     na_case_count(c, na_count_at(x, M_count)),
		     na_case_seconds(c,
				     na_number_at(x, M_p50_us) / NA_US_PER_S),
		     src, dst);
	na_put_text(c->r, f->evidence, M_kind, "pair");
	na_case_copy(c, f->evidence, x, M_src_host, M_dst_host);
	na_put_real(c->r, f->evidence, M_excess, factor);
}

bool na_bad_endpoint_two(struct na_case *c)
{
	const struct na_value *list = na_get(na_case_body(c, "pairs"), M_pairs);
	const struct na_value *a = na_items(list), *b = a ? a->next : NULL;

	if (!b || b->next || na_clocks_differ(c) || na_first_slow_itself(c) ||
	    strcmp(na_text_at(a, M_src_host), na_text_at(b, M_dst_host)) != 0 ||
	    strcmp(na_text_at(a, M_dst_host), na_text_at(b, M_src_host)) != 0)
		return false;
	if (slower(a, b) >= SLOWER)
		tell(c, a, slower(a, b));
	else if (slower(b, a) >= SLOWER)
		tell(c, b, slower(b, a));
	else
		return false;
	return true;
}

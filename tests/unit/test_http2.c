/*
 * HTTP/2 calls against conversations whose truth is known: whole, cut in
 * any way, repeated, swapped, with holes, from any byte on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/heard.h"
#include "tests/unit/pace.h"

struct case_ {
	struct talk talk;
	struct heard heard;
	struct na_rng rng;
	struct talk_packet *x;
	size_t n;
	int64_t *complete_ns[2];
};

static struct case_ *begin(uint64_t seed, size_t calls, size_t max)
{
	struct case_ *c = malloc(sizeof(*c));

	assert_non_null(c);
	na_rng_seed(&c->rng, seed);
	talk_make(&c->talk, &c->rng, calls, max == 400 ? 300 : 5000, seed % 2);
	c->x = talk_cut(&c->talk, &c->rng, max, &c->n);
	c->complete_ns[0] = c->complete_ns[1] = NULL;
	heard_init(&c->heard, &na_call_limits);
	return c;
}

static void end(struct case_ *c)
{
	heard_fini(&c->heard);
	talk_fini(&c->talk);
	free(c->complete_ns[0]);
	free(c->complete_ns[1]);
	free(c->x);
	free(c);
}

static void time_truth(struct case_ *c)
{
	for (uint8_t d = 0; d < 2; d++)
		c->complete_ns[d] = talk_complete_ns(&c->talk, c->x, c->n, d);
}

static void hear(struct case_ *c)
{
	for (size_t i = 0; i < c->n; i++)
		heard_packet(&c->heard, &c->talk, &c->x[i]);
	heard_close(&c->heard);
	time_truth(c);
}

static int64_t when(const struct case_ *c, uint8_t dir, size_t offset)
{
	int64_t ns = offset == SIZE_MAX ? -1 : c->complete_ns[dir][offset];

	return ns < 0 ? NA_UNKNOWN_PS : ns * 1000;
}

static const char *path_of(const struct case_ *c, const struct na_call *h)
{
	return h->method == NA_UNKNOWN_U32
		       ? NULL
		       : na_strtab_at(&c->heard.names, h->method);
}

static const struct talk_call *truth_of(const struct case_ *c,
					const struct na_call *h)
{
	assert_true(h->stream % 2 == 1 && h->stream / 2 < c->talk.n_calls);
	return &c->talk.calls[h->stream / 2];
}

/* Each call once, and all of it right. */
static void assert_exact(const struct case_ *c)
{
	bool seen[TALK_CALLS] = {false};

	assert_int_equal(c->heard.n_calls, c->talk.n_calls);
	assert_int_equal(c->heard.n_transfers, c->talk.n_calls);
	assert_int_equal(c->heard.counts.rpcs, c->talk.n_calls);
	assert_int_equal(c->heard.counts.http2_connections, 1);
	assert_int_equal(c->heard.counts.http2_mid_stream, 0);
	assert_int_equal(c->heard.counts.http2_damaged, 0);
	for (size_t i = 0; i < c->heard.n_calls; i++) {
		const struct na_call *h = &c->heard.calls[i];
		const struct na_transfer *m = &c->heard.transfers[i];
		const struct talk_call *t = truth_of(c, h);

		assert_false(seen[h->stream / 2]);
		seen[h->stream / 2] = true;
		assert_string_equal(path_of(c, h), t->path);
		assert_true(h->start_ps == when(c, 0, t->asked));
		assert_true(h->first_ps == when(c, 1, t->answered));
		assert_true(h->end_ps == when(c, t->ended_by, t->ended));
		assert_int_equal(h->reset, !t->reset ? NA_RESET_NONE
					   : t->ended_by
						   ? NA_RESET_BY_SERVER
						   : NA_RESET_BY_CLIENT);
		assert_int_equal(h->bytes_req, t->bytes[0]);
		assert_int_equal(h->bytes_resp, t->bytes[1]);
		assert_int_equal(h->messages_req, t->messages[0]);
		assert_int_equal(h->messages_resp, t->messages[1]);
		assert_int_equal(h->http_status, t->http_status < 0
							 ? NA_UNKNOWN_I32
							 : t->http_status);
		assert_int_equal(h->grpc_status, t->grpc_status < 0
							 ? NA_UNKNOWN_I32
							 : t->grpc_status);
		assert_true(
			m->start_ps == h->start_ps &&
			m->end_ps == (h->end_ps == NA_UNKNOWN_PS ? h->start_ps
								 : h->end_ps) &&
			m->size_bytes == h->bytes_req + h->bytes_resp &&
			m->collective == h->method &&
			m->style == NA_STYLE_CAPTURE &&
			m->component == NA_COMP_RPC &&
			m->klass == (h->end_ps > h->start_ps ? NA_VALID
							     : NA_NO_LATENCY));
		assert_string_equal(na_strtab_at(&c->heard.names, m->src),
				    "10.0.0.1");
		assert_string_equal(na_strtab_at(&c->heard.names, m->dst),
				    "10.0.0.2");
		assert_string_equal(na_strtab_at(&c->heard.names, m->type),
				    "gRPC");
	}
}

/* Each call at most once; no path that is wrong, no time before its own. */
static size_t assert_sound(const struct case_ *c, size_t *known)
{
	bool seen[TALK_CALLS] = {false};

	*known = 0;
	for (size_t i = 0; i < c->heard.n_calls; i++) {
		const struct na_call *h = &c->heard.calls[i];
		const struct talk_call *t = truth_of(c, h);
		const char *path = path_of(c, h);

		assert_false(seen[h->stream / 2]);
		seen[h->stream / 2] = true;
		if (path) {
			assert_string_equal(path, t->path);
			++*known;
		}
		assert_true(c->talk.hostile || h->bytes_req <= t->bytes[0]);
		assert_true(c->talk.hostile || h->bytes_resp <= t->bytes[1]);
		assert_true(h->http_status == NA_UNKNOWN_I32 ||
			    h->http_status == t->http_status);
		assert_true(h->grpc_status == NA_UNKNOWN_I32 ||
			    h->grpc_status == t->grpc_status);
	}
	return c->heard.n_calls;
}

static void whole(void **state)
{
	static const size_t max[] = {1, 7, 100, 1448, 65000};

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed += pace()) {
		struct case_ *c = begin(seed, 60, max[seed % 5]);

		heard_syn(&c->heard);
		hear(c);
		assert_exact(c);
		end(c);
	}
}

static void swap(struct talk_packet *a, struct talk_packet *b)
{
	struct talk_packet t = *a;
	int64_t at = a->at_ns;

	*a = *b;
	*b = t;
	b->at_ns = a->at_ns;
	a->at_ns = at;
}

/* Sent again, whole or in part, sooner or later; in another order, and
 * acknowledged late. */
static void repeated_and_swapped(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed < 130; seed++) {
		struct case_ *c = begin(seed, 40, 300);
		struct talk_packet *x = malloc(2 * c->n * sizeof(*x));
		size_t n = 0;

		assert_non_null(x);
		for (size_t i = 0; i < c->n; i++) {
			struct talk_packet y = c->x[i];

			x[n] = y;
			x[n].ack = 0;
			x[n].at_ns = (int64_t)n * 1000 + 1000;
			n++;
			if (na_rng_below(&c->rng, 4))
				continue;
			y = c->x[i - na_rng_below(&c->rng, i < 9 ? i + 1 : 9)];
			y.from += na_rng_below(&c->rng, y.to - y.from);
			x[n] = y;
			x[n].ack = 0;
			x[n].at_ns = (int64_t)n * 1000 + 1000;
			n++;
		}
		/* Not past the other side's: answers come after questions. */
		for (size_t i = 0; i < n; i += 3) {
			size_t k = i;

			while (k + 1 < n && k < i + 8 &&
			       x[k + 1].dir == x[i].dir)
				k++;
			swap(&x[i], &x[i + na_rng_below(&c->rng, k - i + 1)]);
		}
		free(c->x);
		c->x = x;
		c->n = n;
		heard_syn(&c->heard);
		hear(c);
		assert_exact(c);
		end(c);
	}
}

/* The capture lost packets, the other side did not. */
static void holes(void **state)
{
	size_t all = 0, heard = 0, known = 0, k;

	(void)state;
	for (uint64_t seed = 200; seed < 260; seed++) {
		struct case_ *c = begin(seed, 60, 1448);
		size_t n = 0;

		for (size_t i = 0; i < c->n; i++) {
			if (na_rng_below(&c->rng, 30))
				c->x[n++] = c->x[i];
		}
		c->n = n;
		heard_syn(&c->heard);
		hear(c);
		heard += assert_sound(c, &k);
		known += k;
		all += c->talk.n_calls;
		end(c);
	}
	/* It goes on behind a hole. */
	assert_true(heard * 10 > all * 7);
	assert_true(known * 10 > heard * 5);
}

/* Every packet is cut short. */
static void cut_short(void **state)
{
	size_t all = 0, heard = 0, known = 0, k;

	(void)state;
	for (uint64_t seed = 300; seed < 340; seed++) {
		struct case_ *c = begin(seed, 60, 1448);

		c->heard.cut = (uint32_t)(30 + seed % 100);
		heard_syn(&c->heard);
		hear(c);
		heard += assert_sound(c, &k);
		known += k;
		all += c->talk.n_calls;
		end(c);
	}
	assert_true(heard * 10 > all * 4);
	assert_true(known > 0);
}

static void assert_times(const struct case_ *c)
{
	for (size_t i = 0; i < c->heard.n_calls; i++) {
		const struct na_call *h = &c->heard.calls[i];
		const struct talk_call *t = truth_of(c, h);

		assert_true(h->start_ps == when(c, 0, t->asked));
		assert_true(h->first_ps == NA_UNKNOWN_PS ||
			    h->first_ps == when(c, 1, t->answered));
		assert_true(h->end_ps == NA_UNKNOWN_PS ||
			    h->end_ps == when(c, t->ended_by, t->ended));
	}
}

/* From each byte on. */
static void mid_stream(void **state)
{
	size_t runs = 0, claimed = 0, heard = 0, known = 0, k;

	(void)state;
	for (uint64_t seed = 400; seed < 406; seed++) {
		struct case_ *c = begin(seed, 25, 400);

		time_truth(c);
		for (size_t from = 25; from < c->talk.n[0]; from += pace()) {
			bool first = true;

			heard_fini(&c->heard);
			heard_init(&c->heard, &na_call_limits);
			c->heard.mid_stream = true;
			c->heard.base[0] = UINT64_C(1) << 33;
			for (size_t i = 0; i < c->n; i++) {
				struct talk_packet y = c->x[i];

				if (first && (y.dir || y.to <= from))
					continue;
				if (first)
					y.from = y.from < from ? from : y.from;
				first = false;
				heard_packet(&c->heard, &c->talk, &y);
			}
			heard_close(&c->heard);
			heard += assert_sound(c, &k);
			known += k;
			assert_times(c);
			runs++;
			claimed += c->heard.counts.http2_connections;
		}
		end(c);
	}
	assert_true(claimed * 100 > runs * 90);
	assert_true(heard > runs * 5);
	assert_true(known * 2 > heard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(repeated_and_swapped),
		cmocka_unit_test(holes),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(mid_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

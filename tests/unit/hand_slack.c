#include "tests/unit/hand_slack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

extern const struct na_analysis na_an_slack;

void begin(struct run *x)
{
	memset(x, 0, sizeof(*x));
	x->rows = calloc(MOST, sizeof(*x->rows));
	assert_non_null(x->rows);
	x->type = "ALL_REDUCE";
	x->bytes = 8000000;
	x->group = 4;
}

struct hand_row *push(struct run *x, enum hand_what what, int64_t from,
		      int64_t to)
{
	struct hand_row *row = &x->rows[x->n++];

	assert_true(x->n <= MOST);
	*row = (struct hand_row){.what = what,
				 .source = x->source,
				 .start_ps = from * US,
				 .end_ps = to * US,
				 .src = x->core};
	return row;
}

/* An op "send.5" of a collective; NULL: of none. */
struct hand_row *op(struct run *x, const char *name, const char *of,
		    int64_t from, int64_t to)
{
	struct hand_row *row = push(x, HAND_OP, from, to);
	bool done = strstr(name, "-done") != NULL;

	row->op_name = name;
	row->name = of;
	row->transfer_type = x->type;
	row->op.network = NA_NET_DCN;
	row->op.opcode = name[0] == 's' ? NA_OPCODE_SEND : NA_OPCODE_RECV;
	row->op.phase = done ? NA_OP_DONE : NA_OP_START;
	row->op.size_bytes = x->bytes + (done ? 0 : 4);
	row->op.group_size = x->group;
	row->op.channel = -1;
	row->op.joined = NA_OPJOIN_GRAPH;
	return row;
}

/* 20 us of overlap, slack 180, observed 250, stall 70. */
void plain(struct run *x, const char *of, int64_t at)
{
	op(x, "send.1", of, at + 100, at + 110);
	op(x, "recv.1", of, at + 110, at + 115);
	op(x, "send-done.1", of, at + 200, at + 205);
	op(x, "recv-done.1", of, at + 300, at + 350);
}

void fill(struct run *x, size_t sources, const char *const *labels)
{
	hand_init(&x->h, sources, labels);
	hand_fill(&x->h, x->rows, x->n, 3);
	hand_resolve(&x->h, NA_ANCHOR_AUTO);
	x->scope.store = &x->h.store;
	x->scope.filter = &x->h.filter;
	x->scope.zero_ns = x->zero_ns;
}

void analyse(struct run *x, size_t size)
{
	driven_end(&x->d);
	hand_drive(&x->d, &na_an_slack, &x->scope, &x->params, size, &x->h.err);
	assert_int_equal(x->d.status, NA_OK);
}

void end(struct run *x)
{
	driven_end(&x->d);
	hand_fini(&x->h);
	free(x->rows);
}

const struct na_value *row(const struct run *x, size_t i)
{
	const struct na_value *list = na_get(na_result_body(x->d.r),
					     "collectives");
	const struct na_value *v = list ? list->u.of.first : NULL;

	while (v && i--)
		v = v->next;
	assert_non_null(v);
	return v;
}

double real(const struct na_value *v, const char *path)
{
	return na_real_of(na_dig(v, path), NAN);
}

size_t rows(const struct run *x)
{
	return na_get(na_result_body(x->d.r), "collectives")->n;
}

double body(const struct run *x, const char *path)
{
	return driven_real(&x->d, path);
}

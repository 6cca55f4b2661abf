/*
 * The reader of Chrome traces of PyTorch jobs: recognise, survey, hand out
 * blocks.
 */
#include "ingest/kineto/kineto.h"

#include <stdlib.h>

#include "ingest/json/json.h"

/* Members that PyTorch writes before the events. */
static bool known_member(const struct na_json *j)
{
	static const char *const members[] = {
		"traceEvents",     "schemaVersion", "deviceProperties",
		"distributedInfo", "traceName",     "baseTimeNanoseconds",
		"displayTimeUnit",
	};

	for (size_t i = 0; i < NA_LEN(members); i++) {
		if (na_json_is(j, members[i]))
			return true;
	}
	return false;
}

/* The first event of a bare array: with a phase, and none of a plugin that
 * writes events of its own kind. */
static bool event_begins(struct na_json *j)
{
	bool phase = false;

	if (na_json_next(j) != NA_JSON_OBJECT)
		return false;
	while (na_json_next(j) == NA_JSON_KEY) {
		if (na_json_is(j, "comm_hash") || na_json_is(j, "seq_num"))
			return false;
		if (na_json_is(j, "ph")) {
			phase = true;
		} else if (na_json_is(j, "cat")) {
			na_json_next(j);
			for (size_t i = 0; i < j->text.n; i++) {
				if (j->text.s[i] >= 'a' && j->text.s[i] <= 'z')
					break;
				if (i + 1 == j->text.n)
					return false; /* GROUP_API, COLL */
			}
			continue;
		}
		na_json_skip(j);
	}
	return phase;
}

static enum na_sniff kt_sniff(const uint8_t *head, size_t n, uint64_t size,
			      const char **why)
{
	struct na_text text = {(const char *)head, n};
	struct na_json j;

	(void)size;
	(void)why;
	if (na_text_begins(text, "\xef\xbb\xbf"))
		text = na_text_from(text, 3);
	j = na_json_of(text, 0);
	switch (na_json_next(&j)) {
	case NA_JSON_ARRAY:
		return event_begins(&j) ? NA_SNIFF_YES : NA_SNIFF_NO;
	case NA_JSON_OBJECT:
		while (na_json_next(&j) == NA_JSON_KEY) {
			if (known_member(&j) || kt_is_rocprof(&j))
				return NA_SNIFF_YES;
			na_json_skip(&j);
		}
		return NA_SNIFF_NO;
	default:
		return NA_SNIFF_NO;
	}
}

static enum na_status kt_open(struct na_input *in, struct na_err *err)
{
	struct kineto *k = in->state; /* of a spool */

	if (k && k->spool.failed)
		return na_fail_nomem(err);
	if (!k)
		in->state = na_calloc(1, sizeof(struct kineto));
	return in->state ? kt_survey(in, err) : na_fail_nomem(err);
}

static enum na_status kt_cut(struct na_input *in, struct na_block *b,
			     struct na_err *err)
{
	struct kineto *k = in->state;
	const struct kt_block *x;

	(void)err;
	if (k->next == k->blocks.n)
		return NA_END;
	x = &k->blocks.v[k->next++];
	*b = (struct na_block){x, in->data + x->base, in->data + x->end,
			       in->data + x->end};
	return NA_OK;
}

static void kt_close(struct na_input *in)
{
	struct kineto *k = in->state;

	na_vec_free(&k->blocks);
	na_vec_free(&k->events);
	na_vec_free(&k->calls);
	na_vec_free(&k->p2p_calls);
	na_vec_free(&k->talks);
	na_vec_free(&k->symbols);
	na_vec_free(&k->agents);
	na_vec_free(&k->group_ranks);
	na_arena_fini(&k->spool.texts);
	na_strtab_fini(&k->kernels);
	na_strtab_fini(&k->groups);
	free(k);
	in->state = NULL;
}

const struct na_reader na_reader_kineto = {
	.name = "kineto",
	.ending = ".trace.json",
	.ranks = true,
	.alone = true,
	.sniff = kt_sniff,
	.spool = kt_spool,
	.spool_state_size = sizeof(struct kineto),
	.spool_is_state = true,
	.open = kt_open,
	.cut = kt_cut,
	.read = kt_read,
	.slice = kt_slice,
	.close = kt_close,
};

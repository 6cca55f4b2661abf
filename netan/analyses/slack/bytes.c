/*
 * slack: what one device sends over the network in one execution
 * (docs/methods.md, "Slack and stall"): R, the bytes of the recv-done's shape,
 * times what the kind of transfer makes of it in a group of g.
 */
#include <string.h>

#include "netan/analyses/slack/slack.h"

static const struct na_op_type *
type_at(const struct sl_state *s, const struct sl_occ *o, enum sl_part part)
{
	if (o->types[part] == NA_UNKNOWN_U32)
		return NULL;
	return &s->scope->store->devices.types.items[o->types[part]];
}

/* The send says it; others where it does not, and then the host's graph. */
uint32_t na_slack_transfer_type(const struct sl_state *s,
				const struct sl_occ *o)
{
	const struct na_store *store = s->scope->store;

	for (enum sl_part p = SL_SEND; p < SL_PARTS; p++) {
		const struct na_op_type *t = type_at(s, o, p);

		if (t && t->transfer_type != NA_UNKNOWN_U32)
			return t->transfer_type;
	}
	return o->collective < store->n_type_of ? store->type_of[o->collective]
						: NA_UNKNOWN_U32;
}

static uint32_t group_size(const struct sl_state *s, const struct sl_occ *o,
			   bool *uneven)
{
	for (enum sl_part p = SL_SEND; p < SL_PARTS; p++) {
		const struct na_op_type *t = type_at(s, o, p);

		if (t && t->group_size) {
			*uneven = t->uneven;
			return t->group_size;
		}
	}
	return 0;
}

static uint64_t received_bytes(const struct sl_state *s, const struct sl_occ *o)
{
	const struct na_op_type *done = type_at(s, o, SL_RECV_DONE);
	const struct na_op_type *recv = type_at(s, o, SL_RECV);

	if (done && done->size_bytes != NA_UNKNOWN_U64)
		return done->size_bytes;
	/* The join took its context away. */
	return recv ? recv->size_bytes : NA_UNKNOWN_U64;
}

bool na_slack_bytes(const struct sl_state *s, const struct sl_occ *o,
		    na_i128 *bytes, bool *estimate)
{
	uint32_t name = na_slack_transfer_type(s, o);
	const char *type = na_strtab_at(&s->scope->store->names.strings, name);
	uint64_t size = received_bytes(s, o);
	bool uneven = false;
	na_i128 g = group_size(s, o, &uneven), r = size;

	*estimate = uneven;
	if (size == NA_UNKNOWN_U64 || name == NA_UNKNOWN_U32)
		return false;
	if (strcmp(type, "ONE_TO_ONE") == 0) {
		*estimate = false;
		*bytes = r;
		return true;
	}
	if (!g)
		return false;
	if (strcmp(type, "ALL_GATHER") == 0 || strcmp(type, "ALL_TO_ALL") == 0)
		*bytes = (g - 1) * r / g;
	else if (strcmp(type, "REDUCE_SCATTER") == 0)
		*bytes = (g - 1) * r;
	else if (strcmp(type, "ALL_REDUCE") == 0)
		*bytes = 2 * (g - 1) * r / g;
	else if (strcmp(type, "RAGGED_ALL_TO_ALL") == 0)
		*bytes = (g - 1) * r / g;
	else
		return false;
	*estimate |= strcmp(type, "RAGGED_ALL_TO_ALL") == 0;
	return true;
}

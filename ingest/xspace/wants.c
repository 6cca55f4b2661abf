/* Who would read what, for the transfer file that is made of a trace. */
#include "ingest/xspace/xspace.h"

/* A reader's sink hears of these; PROGRAMS is for na_reader.program_bytes. */
#define LAST_WANT NA_WANT_HOST_EVENTS
static uint32_t next_want(uint32_t bit)
{
	return bit * 2 == NA_WANT_PROGRAMS ? bit * 4 : bit * 2;
}

/* Who would read a line, were it asked alone: a reading of the transfer file
 * that is made of this one counts the same events. */
uint32_t na_xs_line_wants(const struct na_xs_line *l)
{
	const struct na_xs_plane *p = l->plane;
	uint32_t wants = 0;

	for (uint32_t bit = 1; bit <= LAST_WANT; bit = next_want(bit)) {
		bool asked = na_xs_handler_of(p->kind, &l->name, bit) != NULL;

		if (asked && p->kind == XS_HOST && !(p->host_wants & bit))
			asked = false;
		wants |= asked ? bit : 0;
	}
	return wants;
}

_Static_assert(LAST_WANT < 65536, "xs_event_type.wants has 16 bits");

/* The same for the types of events; returns who reads any of them. */
uint32_t na_xs_type_wants(struct na_xs_plane *p)
{
	uint32_t all = 0;

	for (size_t i = 0; i < p->types.n; i++) {
		struct na_text name = na_xs_shown_name(&p->types.v[i]);
		uint32_t wants = 0;

		for (uint32_t bit = 1; bit <= LAST_WANT; bit = next_want(bit)) {
			uint8_t kind = p->kind == XS_HOST
					       ? na_xs_message_kind(&name, bit)
				       : p->kind == XS_MEGASCALE
					       ? na_xs_mega_kind(&name, bit)
					       : 1;

			wants |= kind ? bit : 0;
		}
		p->types.v[i].wants = (uint16_t)wants;
		all |= wants;
	}
	return all;
}

/* ARP (RFC 826), ICMP (RFC 792), ICMPv6 (RFC 4443, 4861, 2710). */
#include "ingest/capture/slice/hide_parts.h"

enum { UNREACHABLE = 3, QUENCH, REDIRECT, EXCEEDED = 11, PROBLEM };
enum {
	ERRORS6 = 127, /* up to there they quote */
	QUERY6 = 130,
	DONE6 = 132,
	SOLICIT_ROUTER,
	ROUTER,
	SOLICIT,
	NEIGHBOUR,
	REDIRECT6
};
enum { OPTION_SOURCE = 1, OPTION_TARGET, OPTION_MTU = 5 };

/* Of hardware and protocols other than Ethernet and IPv4, what they are. */
void na_hide_arp(const struct na_hide *h, uint8_t *from, uint8_t *end)
{
	static const uint8_t kind[] = {0, 1, 8, 0, 6, 4};

	if (end - from < 28 || memcmp(from, kind, sizeof(kind)) != 0) {
		na_hide_zero(na_hide_past(from, end, 8), end);
		return;
	}
	for (int i = 0; i < 2; i++) {
		na_mask(h->masks, NA_MASKED_ETHERNET, from + 8 + 10 * i);
		na_mask(h->masks, NA_MASKED_IP4, from + 14 + 10 * i);
	}
	na_hide_zero(from + 28, end);
}

/* The header that an error is about, and eight bytes behind it. */
static void hide_quoted(const struct na_hide *h, uint8_t *from, uint8_t *end)
{
	size_t size = from == end           ? 0
		      : from[0] >> 4 == 4 ? (from[0] & 15) * 4u
		      : from[0] >> 4 == 6 ? 40
					    : 0;
	struct na_hide_ends ends;
	uint64_t before;

	if (size < 20 || (size_t)(end - from) < size) {
		na_hide_zero(from, end);
		return;
	}
	before = na_hide_sum(from, from + size);
	na_hide_ends(h, from, &ends);
	if (from[0] >> 4 == 4) {
		na_hide_ip_options(from + 20, from + size);
		na_hide_correct(from + 10, before,
				na_hide_sum(from, from + size));
	}
	size += from[from[0] >> 4 == 4 ? 9 : 6] == NA_PROTO_TCP ||
				from[from[0] >> 4 == 4 ? 9 : 6] == NA_PROTO_UDP
			? 8
			: 0;
	na_hide_zero(na_hide_past(from, end, size), end);
}

void na_hide_icmp(const struct na_hide *h, uint8_t *from, uint8_t *end)
{
	uint8_t *behind = na_hide_past(from, end, 8);

	if (end - from < 8) {
		na_hide_zero(na_hide_past(from, end, 4), end);
		return;
	}
	switch (from[0]) {
	case REDIRECT:
		na_mask(h->masks, NA_MASKED_IP4, from + 4);
		/* fall through */
	case UNREACHABLE:
	case QUENCH:
	case EXCEEDED:
	case PROBLEM:
		hide_quoted(h, behind, end);
		break;
	default:
		na_hide_zero(behind, end);
	}
}

static void hide_neighbour_options(const struct na_hide *h, uint8_t *from,
				   uint8_t *end)
{
	while (end - from >= 8 && from[1]) {
		uint8_t *next = na_hide_past(from, end, from[1] * 8u);

		if ((from[0] == OPTION_SOURCE || from[0] == OPTION_TARGET) &&
		    from[1] == 1)
			na_mask(h->masks, NA_MASKED_ETHERNET, from + 2);
		else if (from[0] != OPTION_MTU || from[1] != 1)
			na_hide_zero(from + 2, next);
		from = next;
	}
	na_hide_zero(from, end);
}

/* Addresses behind the first eight bytes, then options. */
static void hide_neighbours(const struct na_hide *h, uint8_t *from,
			    uint8_t *end, int addresses)
{
	for (; addresses && end - from >= 16; addresses--, from += 16)
		na_mask(h->masks, NA_MASKED_IP6, from);
	if (addresses)
		na_hide_zero(from, end);
	else
		hide_neighbour_options(h, from, end);
}

void na_hide_icmp6(const struct na_hide *h, uint8_t *from, uint8_t *end)
{
	uint8_t *behind = na_hide_past(from, end, 8);

	if (end - from < 8) {
		na_hide_zero(na_hide_past(from, end, 4), end);
		return;
	}
	switch (from[0]) {
	case QUERY6:
	case QUERY6 + 1:
	case DONE6:
	case SOLICIT:
	case NEIGHBOUR:
		hide_neighbours(h, behind, end, 1);
		break;
	case REDIRECT6:
		hide_neighbours(h, behind, end, 2);
		break;
	case SOLICIT_ROUTER:
		hide_neighbours(h, behind, end, 0);
		break;
	case ROUTER: /* eight bytes of timers */
		hide_neighbours(h, na_hide_past(from, end, 16), end, 0);
		break;
	default:
		if (from[0] && from[0] <= ERRORS6)
			hide_quoted(h, behind, end);
		else
			na_hide_zero(behind, end);
	}
}

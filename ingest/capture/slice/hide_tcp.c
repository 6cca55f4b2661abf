/* What stays of TCP, UDP, and the options and extensions of IP. */
#include "ingest/capture/slice/hide_parts.h"

#include "ingest/roce/head.h"
#include "ingest/roce/roce.h"

/* IPv6: PadN, router alert (RFC 2711), jumbo payload (RFC 2675). */
enum { OPT6_PAD1, OPT6_PADN, OPT6_ALERT = 5, OPT6_JUMBO = 0xc2 };

static bool stays(const uint8_t *o, size_t n)
{
	switch (o[0]) {
	case NA_TCP_OPT_MSS:
		return n == 4;
	case NA_TCP_OPT_SHIFT:
		return n == 3;
	case NA_TCP_OPT_SACK_OK:
		return n == 2;
	case NA_TCP_OPT_SACK:
		return n % 8 == 2;
	case NA_TCP_OPT_TIMESTAMPS:
		return n == 10;
	}
	return false;
}

void na_hide_tcp_options(uint8_t *from, uint8_t *end)
{
	while (from < end && *from != NA_TCP_OPT_END) {
		size_t n = 1;

		if (*from != NA_TCP_OPT_NOP) {
			if (end - from < 2 || from[1] < 2 ||
			    from[1] > end - from)
				break;
			n = from[1];
			if (!stays(from, n))
				memset(from, NA_TCP_OPT_NOP, n);
		}
		from += n;
	}
	na_hide_zero(from, end);
}

void na_hide_tcp(const struct na_hide *h, uint8_t *from, uint8_t *end,
		 size_t wire, bool last)
{
	uint8_t *options = na_hide_past(from, end, 20), *payload = options;
	size_t size = end - from < 20 ? 0 : (from[12] >> 4) * 4u;

	if (size >= 20 && size <= wire) {
		payload = na_hide_past(from, end, size);
		na_hide_tcp_options(options, payload);
	}
	na_hide_zero(payload, end);
	if (last && h->stays && size >= 20 && size <= wire && payload < end)
		h->stays(h->ctx, payload, (size_t)(end - payload));
}

/* DHCP (RFC 2131) without options: other tools miss their end elsewhere. */
static void hide_dhcp(uint8_t *payload, uint8_t *end)
{
	static const uint8_t none[] = {0x63, 0x82, 0x53, 0x63, 0xff};
	enum { OPTIONS = 236 };

	na_hide_zero(na_hide_past(payload, end, 4), end);
	if (end - payload >= OPTIONS + (int)sizeof(none))
		memcpy(payload + OPTIONS, none, sizeof(none));
}

static bool is_dhcp(const uint8_t *udp)
{
	uint32_t src = na_be16(udp), dst = na_be16(udp + 2);

	return (src == 67 || src == 68) && (dst == 67 || dst == 68);
}

void na_hide_udp(uint8_t *from, uint8_t *end)
{
	uint8_t *payload = na_hide_past(from, end, 8);

	if (payload < end && is_dhcp(from)) {
		hide_dhcp(payload, end);
		return;
	}
	if (payload < end && na_be16(from + 2) == NA_ROCE_PORT)
		payload = na_hide_past(
			payload, end,
			na_roce_head_bytes(payload, (size_t)(end - payload)));
	na_hide_zero(payload, end);
}

/* No options are padding of as many bytes. */
void na_hide_ip_options(uint8_t *from, uint8_t *end)
{
	if (from < end)
		memset(from, NA_TCP_OPT_NOP, (size_t)(end - from));
}

/* Hop by hop, and of a destination: behind the header's own two bytes. */
static void hide_options6(uint8_t *from, uint8_t *end)
{
	while (end - from >= 2) {
		uint8_t *next = na_hide_past(from, end, 2 + from[1]);

		if (*from == OPT6_PAD1) {
			from++;
			continue;
		}
		if (*from == OPT6_JUMBO ? from[1] != 4
					: *from != OPT6_ALERT || from[1] != 2) {
			*from = OPT6_PADN;
			na_hide_zero(from + 2, next);
		}
		from = next;
	}
	na_hide_zero(from, end);
}

static void hide_extension(uint8_t kind, uint8_t *from, uint8_t *end)
{
	switch (kind) {
	case NA_PROTO_FRAGMENT:
		break;
	case NA_PROTO_HOPOPT:
	case NA_PROTO_DESTINATION:
		hide_options6(na_hide_past(from, end, 2), end);
		break;
	case NA_PROTO_AH:
		na_hide_zero(na_hide_past(from, end, 12), end);
		break;
	default:
		na_hide_zero(na_hide_past(from, end, 4), end);
	}
}

void na_hide_extensions(uint8_t next, uint8_t *from, uint8_t *end)
{
	while (end - from >= 8) {
		uint8_t kind = next, *behind;

		behind = na_hide_past(from, end,
				      kind == NA_PROTO_AH ? (from[1] + 2u) * 4
				      : kind == NA_PROTO_FRAGMENT
					      ? 8
					      : (from[1] + 1u) * 8);
		next = from[0];
		hide_extension(kind, from, behind);
		from = behind;
	}
	na_hide_zero(from, end);
}

/*
 * --anonymize of captures: addresses that stand for those of the inputs.
 *
 * First all addresses are told, then what stands for each is asked for; it is
 * the same in all captures of a run, and no address of them.  Addresses of one
 * kind keep the order of their texts, so that what is sorted by these stays
 * so.
 *
 *	IPv4      198.18.100.100 and on (RFC 2544), then 240.100.100.100;
 *	          groups 239.100.100.100
 *	IPv6      2001:db8::1000:1000 and on; groups ff0e::1000:1000
 *	Ethernet  02:00:00:00:00:01 and on; groups 03:00:00:00:00:01
 *
 * 0.0.0.0, 127.0.0.1, 255.255.255.255, ::, ::1, 00:00:00:00:00:00 and
 * ff:ff:ff:ff:ff:ff name nobody, and stay.
 */
#ifndef INGEST_CAPTURE_SLICE_MASKS_H
#define INGEST_CAPTURE_SLICE_MASKS_H

#include <stdbool.h>
#include <stdint.h>

struct na_masks;

enum na_masked { NA_MASKED_IP4, NA_MASKED_IP6, NA_MASKED_ETHERNET };

/* NULL: no memory. */
struct na_masks *na_masks_new(void);
void na_masks_free(struct na_masks *m);

/* The 4, 16 or 6 bytes at `at` become what stands for them; as long as
 * addresses are told, 0.  Memory that is short is remembered. */
void na_mask(struct na_masks *m, enum na_masked kind, uint8_t *at);
/* All are told.  Again is no harm; false: memory was short at some time. */
bool na_masks_settle(struct na_masks *m);

#endif

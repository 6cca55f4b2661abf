/*
 * How named values read for people: the member "total_stall_s" of 0.0241 as
 * "total stall" and "24.1 ms", "small_share" of 0.955 as "small share" and
 * "95.5 %".  The unit is the name's last part: _ns _us _ms _s _gbps _bytes
 * _share.
 */
#ifndef NETAN_RESULT_PLAIN_H
#define NETAN_RESULT_PLAIN_H

#include "netan/result/result.h"

#define NA_PLAIN_BUF 64

/* The name without its unit, cut to the buffer; "" without one. */
const char *na_plain_name(char *buf, const char *name);
/* An integer or a real with its unit, 3 significant digits; "-" where it is
 * not finite.  Reals in a list are told by the name of the list. */
const char *na_plain_number(char *buf, const struct na_value *v);
const char *na_plain_real(char *buf, const char *name, double x);

#endif

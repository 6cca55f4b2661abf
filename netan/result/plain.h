/*
 * How named values read for people: the member "total_stall_s" of 0.0241 as
 * "total stall" and "24.1 ms", "small_share" of 0.955 as "small share" and
 * "95.5 %".  The unit is the name's last part: _ns _us _ms _s _gbps _bytes
 * _share; p_value and q_value are probabilities.
 */
#ifndef NETAN_RESULT_PLAIN_H
#define NETAN_RESULT_PLAIN_H

#include "netan/result/result.h"

#define NA_PLAIN_BUF 64 /* bytes of every buf below, which is returned */

/* The name without its unit and the "n_" of a number of things, with spaces
 * for "_" ("p99_9" reads "p99.9"), cut to the buffer.  Shares, bytes
 * and probabilities keep their word.  "" for NULL. */
const char *na_plain_name(char *buf, const char *name);
/* An integer or a real with its unit by the value's name, 3 significant
 * digits; an integer without a unit keeps all of its own.  "-" where it is not
 * finite.  na_plain_real() is for reals in a list, which go by the list's name
 * (NULL: no unit); x is in the unit that the name says. */
const char *na_plain_number(char *buf, const struct na_value *v);
const char *na_plain_real(char *buf, const char *name, double x);
/* A list of integers, as ranks: "3, 5-8 and 12" (netan/base/ranges.h), in a buf
 * of any size.  NULL: no memory. */
const char *na_plain_ranges(char *buf, size_t size,
			    const struct na_value *list);

#endif

/* Dates of the proleptic Gregorian calendar, and days since 1970-01-01. */
#ifndef NETAN_BASE_DATE_H
#define NETAN_BASE_DATE_H

#include <stdint.h>

/* Month 1 to 12; a day that the month does not have is one of the next. */
int64_t na_days_of(int64_t year, int month, int day);
void na_date_of(int64_t days, int64_t *year, int *month, int *day);

#endif

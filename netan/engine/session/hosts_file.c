#include "netan/engine/session/hosts_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/capture/packet.h"
#include "netan/base/scan.h"
#include "netan/engine/session/session.h"

#define HOSTS_MAX ((size_t)64 << 20) /* bytes */

const char *na_rank_name(char buf[NA_RANK_NAME_BUF], int32_t rank)
{
	snprintf(buf, NA_RANK_NAME_BUF, "rank %" PRId32, rank);
	return buf;
}

bool na_rank_parse(const char *text, int32_t *rank)
{
	struct na_text x = na_text_n(text, strlen(text));
	uint64_t n;

	if (!na_text_past(&x, "rank "))
		na_text_past(&x, "r");
	if (!na_text_number(x, &n) || n > INT32_MAX)
		return false;
	*rank = (int32_t)n;
	return true;
}

/* The one way to write an address, as it stands in records, or a rank. */
static const char *plain_address(char *buf, const char *text)
{
	_Static_assert((int)NA_RANK_NAME_BUF <= (int)NA_ENDPOINT_BUF, "fits");
	struct na_address a;
	int32_t rank;

	if (na_rank_parse(text, &rank))
		return na_rank_name(buf, rank);
	return na_address_parse(&a, text) ? na_address_print(buf, &a) : NULL;
}

enum na_status na_hosts_read(struct na_hosts *h, const char *path,
			     struct na_err *err)
{
	char *text = NULL;
	size_t n;
	enum na_status st = na_whole_file(path, HOSTS_MAX, "hosts", &text, &n,
					  err);

	if (st == NA_OK)
		st = na_hosts_parse(h, text, n, path, plain_address, err);
	free(text);
	return st;
}

const char *na_hosts_of_rank(const struct na_hosts *h, int32_t rank)
{
	char buf[NA_RANK_NAME_BUF];
	int32_t slice;

	return na_hosts_find(h, na_rank_name(buf, rank), &slice);
}

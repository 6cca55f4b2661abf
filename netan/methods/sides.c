#include "netan/methods/sides.h"

#include <stddef.h>
#include <string.h>

const char *na_side_of(const char *kind)
{
	return strcmp(kind, "src") == 0    ? "transmit side of "
	       : strcmp(kind, "dst") == 0  ? "receive side of "
	       : strcmp(kind, "host") == 0 ? "both sides of "
					   : NULL;
}

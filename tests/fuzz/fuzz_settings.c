/* Any bytes as /proc/net/snmp, and as a file with numbers. */
#include "ingest/host/settings.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* clang-format off */
	static const char *const names[] = {
		"OutSegs", "RetransSegs", "PruneCalled", "",
	};
	/* clang-format on */
	char *text = malloc(size + 1);
	int64_t v[3];

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < 4; i++) {
		na_settings_counter(text, size, "Tcp", names[i], v);
		na_settings_counter(text, size, "TcpExt", names[i], v);
	}
	if (na_settings_numbers(text, v, 3))
		walk_must(!na_settings_numbers(text, v, 1) &&
			  !na_settings_numbers(text, v, 2));
	free(text);
	return 0;
}

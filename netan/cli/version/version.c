#include "netan/cli/version/version.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <isa-l.h>
#include <nettle/version.h>
#include <nghttp2/nghttp2.h>
#include <pcap/pcap.h>
#include <protobuf-c/protobuf-c.h>
#include <sqlite3.h>
#include <zlib.h>
#include <zstd.h>

#include "netan/base/sandbox/sandbox.h"
#include "netan/cli/sandbox/shut_in.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* "libpcap version 1.10.3 (with TPACKET_V3)": the number in it. */
static void put_told(const char *name, const char *text)
{
	while (*text && !isdigit((unsigned char)*text)) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	printf(", %s %.*s", name, (int)strcspn(text, " "), text);
}

static void put_packed(const char *name, int number, int base)
{
	printf(", %s %d.%d.%d", name, number / base / base,
	       number / base % base, number % base);
}

static void put_libraries(void)
{
	printf("libraries: glibc %s", gnu_get_libc_version());
#define TOLD(name, text)           put_told(name, text);
#define PAIR(name, major, minor)   printf(", %s %d.%d", name, major, minor);
#define PACKED(name, number, base) put_packed(name, number, base);
#include "netan/cli/version/libraries.def"
	putchar('\n');
}

void na_version_put(const struct na_build *build, bool verbose)
{
	char text[NA_SANDBOX_TEXT];

	printf("netan %s\ncommit: %s\ncompiler: %s\n", NETAN_VERSION,
	       build->commit, COMPILER);
	put_libraries();
	if (build->mpi)
		printf("MPI: %.*s\n", (int)strcspn(build->mpi, "\n"),
		       build->mpi);
	if (!verbose)
		return;
	na_shut_in_nothing();
	na_sandbox_text(text);
	printf("sandbox: %s\n", text);
}

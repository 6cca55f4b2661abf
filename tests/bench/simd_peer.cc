// The peer for traces in JSON where it is installed: simdjson parses the file,
// and nobody looks at what it finds.  Prints the number of events.
//
//	simd_peer FILE.json
#include <cstdio>
#include <simdjson.h>

int main(int argc, char **argv)
{
	simdjson::dom::parser parser;
	simdjson::dom::array events;

	if (argc != 2 || parser.load(argv[1])["traceEvents"].get(events))
		return 1;
	std::printf("events %zu\n", events.size());
	return 0;
}

#!/usr/bin/env bash
# Share of lines run, for each source file and in all, from the counters
# that the tests left in a --coverage build.
#
#	tools/coverage.sh build/gcc-coverage
set -eu
cd "$(dirname "$0")/.."
case $(basename "$1") in
clang*) gcov="llvm-cov gcov" ;;
*) gcov=gcov ;;
esac

# shellcheck disable=SC2086  # a command of one or two words
find "$1/netan" "$1/ingest" "$1/plot" -name '*.gcno' 2>/dev/null | sort |
while read -r notes; do
	$gcov -n -o "$(dirname "$notes")" "$notes" 2>/dev/null
done | awk -F "'" '
	/^File / { file = $2 }
	/^Lines executed:/ && file ~ /^(netan|ingest|plot)\/.*\.c$/ {
		split($0, w, /[:% ]+/); all = w[5]; run = w[3] * all / 100
		printf "%6.1f %%  %5d lines  %s\n", w[3], all, file | "sort -n"
		total += all; done += run }
	{ if (/^Lines/ || /^No exec/) file = "" }
	END { close("sort -n")
		if (total) printf "%6.1f %%  %5d lines  in all\n", 100 * done / total, total }'

#!/bin/sh
# The notebook's section "in-flight by size": how many transfers of each size
# are on their way at once, in windows of 100 ms.
#
#	03_in_flight.sh [--parity] [-o DIR] [--no-picture] INPUT...
#
# in_flight.tsv   bytes ("all": of any size), time_s, pending_max
#
# The notebook takes the largest count after an event of the window.  So a
# window without an event becomes 0 although transfers are in flight, and one
# that begins with more in flight than it ever has again shows too few.  Here
# the count is exact over all of the window.  The notebook also stacks the
# sizes' maxima, which need not happen at one time: the row "all" holds the
# maximum of the sum.
#
# Counts of several runs would be added up, so it takes one run at a time.
# Where a trace holds action graphs, collectives are what is pending, and the
# numbers of a size are means over the window.
set -eu
# shellcheck source=notebooks-equiv/common.sh
. "$(dirname "$0")/common.sh"

case " $* " in
*' --label '*' --label '*)
	echo "${0##*/}: one run at a time" >&2
	exit 2
	;;
esac

work=$out/in_flight.work.tsv
trap 'rm -f "$work" "$work.new"' EXIT

# SIZE ARGUMENT...: the rows of one size, or of all.
course()
{
	size=$1
	shift
	"$netan" timeline --side rx --bin 100ms "$@" -o "$work"
	# shellcheck disable=SC2016  # awk
	rewrite "$work" -v size="$size" -v graphs="$graphs" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n = $at["pending_max"]
		  if (graphs && size > 0)
			n = $at["rx_outstanding_bytes"] / size
		  print size, $at["time_s"], n }'
	cat "$work"
}

"$netan" timeline --bin 1s "$@" --format json >"$work"
graphs=''
if grep -q '"pending_of": "collectives"' "$work"; then
	graphs=yes
fi
"$netan" sizes "$@" --table distinct -o "$work"
sizes=$(columns "$work" bytes)
{
	printf 'bytes\ttime_s\tpending_max\n'
	course all "$@"
	for bytes in $sizes; do
		course "$bytes" "$@" --min-size "$bytes" --max-size "$bytes"
	done
} >"$out/in_flight.tsv"
echo "$out/in_flight.tsv"
draw in_flight

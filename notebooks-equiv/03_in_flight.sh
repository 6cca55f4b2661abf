#!/bin/sh
# The notebook's section "in-flight by size": how many transfers of each size
# are on their way at once, in windows of 100 ms.
#
#	03_in_flight.sh [--parity] [-o DIR] [--no-picture] INPUT...
#
# in_flight.tsv   bytes ("all": of any size), time_s, pending_max; or
#                 pending_mean, see below
#
# The notebook takes the largest count after an event of the window.  So a
# window without an event becomes 0 although transfers are in flight, and one
# that begins with more in flight than it ever has again shows too few.  Here
# the count is exact over all of the window.  The notebook also stacks the
# sizes' maxima, which need not happen at one time: the row "all" holds the
# maximum of the sum.
#
# Counts of several runs would be added up, so it takes one run at a time.
# Where a trace holds action graphs, netan counts collectives as pending.  The
# third column is pending_mean then: the transfers in flight on average over
# the window, which need not be whole numbers, from the bytes outstanding.
# "all" is their sum, which is right for means; transfers of 0 bytes, which
# have none outstanding, are left out.
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
trap 'rm -f "$work" "$work.new" "$work.rows"' EXIT

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
		  if (graphs)
			n = $at["rx_outstanding_bytes"] / size
		  print size, $at["time_s"], n }'
	cat "$work"
}

# FILE: the sum over the sizes, window by window.
total()
{
	awk -F '\t' '
		{ sum[$2] += $3 }
		END { for (t in sum) printf "all\t%s\t%.17g\n", t, sum[t] }' "$1" |
		sort -t '	' -k2,2g
}

"$netan" timeline --bin 1s "$@" --format json >"$work"
graphs='' value=pending_max
if grep -q '"pending_of": "collectives"' "$work"; then
	graphs=yes value=pending_mean
fi
"$netan" sizes "$@" --table distinct -o "$work"
sizes=$(columns "$work" bytes)
for bytes in $sizes; do
	[ -n "$graphs" ] && [ "$bytes" = 0 ] && continue
	course "$bytes" "$@" --min-size "$bytes" --max-size "$bytes"
done >"$work.rows"
{
	printf 'bytes\ttime_s\t%s\n' "$value"
	if [ -n "$graphs" ]; then
		total "$work.rows"
	else
		course all "$@"
	fi
	cat "$work.rows"
} >"$out/in_flight.tsv"
echo "$out/in_flight.tsv"
draw in_flight
